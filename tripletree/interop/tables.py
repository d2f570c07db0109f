"""Edge tables of pandas, a row for each node with its parent, and the merges of scikit-learn's agglomerations."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.core.checks import described
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, tell_lost_marks
from tripletree.core.labels import is_gap
from tripletree.core.leaves import LeafIndex
from tripletree.core.parents import tops_alone
from tripletree.errors import InvalidHierarchyError, MissingDependencyError
from tripletree.interop.keyed import Keys, node_keys, tree_parents
from tripletree.interop.nodes import assembled

if TYPE_CHECKING:
    import pandas

# ---------------------------------------------------------------------- pandas


def to_edge_table(hierarchy: Hierarchy, *, keys: Keys = "number") -> pandas.DataFrame:
    """Make a pandas table with a row for each node.

    Parameters
    ----------
    hierarchy : Hierarchy
    keys : {"number", "label"}
        Values of the columns child and parent: the numbers of the nodes, 0..N-1, or labels. With ``"label"`` an
        inner node is its name if no other node has that, and its number elsewhere.

    Returns
    -------
    pandas.DataFrame
        Columns ``child``, ``parent`` (missing for the root, which is last), ``name`` (the label of a leaf, as it is,
        the name of an inner node, or None), ``length`` of the branch above, ``height``, ``rank``. Unknown
        values are missing. Rows in the order of the nodes' numbers.

    Raises
    ------
    InvalidHierarchyError
        If a leaf's label is None. With ``keys="label"``, if the number of an inner node without a name of its own is
        the label of a leaf.

    See Also
    --------
    from_edge_table : the inverse.

    Examples
    --------
    >>> h = Hierarchy([3, 3, 4, 4, -1], ["human", "chimp", "gorilla"], names=["Hominini", "Homininae"])
    >>> to_edge_table(h, keys="label")[["child", "parent"]].values.tolist()[:3]
    [['human', 'Hominini'], ['chimp', 'Hominini'], ['gorilla', 'Homininae']]
    """
    pd = _pandas()
    hierarchy = check_hierarchy(hierarchy)
    key = node_keys(hierarchy, keys)
    tell_lost_marks(hierarchy, "a table of edges")
    if None in hierarchy.leaves:
        msg = "a leaf has the label None, which a table takes for a missing one; give it another label"
        raise InvalidHierarchyError(msg, node=hierarchy.leaves.index(None))
    N = hierarchy.n_nodes
    unknown = np.full(N, np.nan)
    up = hierarchy.parent.tolist()
    if keys == "number":
        child = pd.Series(np.arange(N))
        parent = pd.Series(hierarchy.parent).astype("Int64").mask(hierarchy.parent < 0)
    else:
        child = _objects(pd, key)
        parent = _objects(pd, [None if p < 0 else key[p] for p in up])
    return pd.DataFrame(
        {
            "child": child,
            "parent": parent,
            "name": _objects(pd, [*hierarchy.leaves, *(hierarchy.names or [None] * (N - hierarchy.n_leaves))]),
            "length": unknown if hierarchy.length is None else hierarchy.length,
            "height": unknown if hierarchy.height is None else hierarchy.height,
            "rank": _objects(pd, hierarchy.ranks or [None] * N),
        }
    )


def from_edge_table(
    frame: Any,
    *,
    child: str = "child",
    parent: str = "parent",
    name: str | None = None,
    length: str | None = None,
    height: str | None = None,
    rank: str | None = None,
) -> Hierarchy:
    """Make a hierarchy from a table with a row for each edge.

    Parameters
    ----------
    frame : pandas.DataFrame, or mapping of columns
        Anything with named columns that can be listed, such as a polars frame or a dict of lists.
    child, parent : str
        The columns that hold the two ends of each edge. The root has a row without a parent, or no row. Several
        roots get an unnamed node above them, which has no height. One of them with no children is open.
    name, length, height, rank : str, optional
        Columns with the values of the child. By default the columns called so, if present. A leaf is labelled by
        its name if it has one and by its key otherwise. If there is no column of names, inner nodes are named by
        their keys.

    Returns
    -------
    Hierarchy
        Leaves, and inner nodes where children stand before parents, in the order of the rows.

    Raises
    ------
    NotATreeError
        If a node has several parents. ``.node`` and ``.parents`` are keys in the table.

    See Also
    --------
    to_edge_table : the inverse.
    read_edges : for tables in files, and for nodes with several parents.

    Notes
    -----
    `read_edges` takes data frames, too. Its columns are ``child_column`` (here `child`), ``parent_column`` (`parent`),
    ``name_column``, ``length_column`` and ``rank_column`` (`name`, `length`, `rank`). Its ``parent`` is the choice
    among several parents, which are refused here. It knows other usual names of columns, takes a node that is its own
    parent for a root, and labels leaves by their names with ``labels="name"``, or if `write_edges` made the table.

    Examples
    --------
    >>> table = {"taxon": ["human", "chimp", "Hominini"], "above": ["Hominini", "Hominini", None]}
    >>> h = from_edge_table(table, child="taxon", parent="above")
    >>> list(h.leaves), h.names
    (['human', 'chimp'], ('Hominini',))
    """
    if not isinstance(frame, Mapping) and not hasattr(frame, "columns"):
        msg = f"expected a data frame, or a mapping of columns, got {described(frame)}"
        raise TypeError(msg)
    below, above = _keys(frame, child), _keys(frame, parent)
    said = {
        what: _column(frame, what if given is None else given)
        for what, given in (("name", name), ("length", length), ("height", height), ("rank", rank))
        if given is not None or _has(frame, what)
    }
    if None in below:
        msg = f"row {below.index(None)} of the table, counted from 0, has no {child!r}"
        raise InvalidHierarchyError(msg)
    position: dict[Hashable, int] = {}
    row_of: list[int] = []  # the row that speaks for a node
    for row, key in enumerate(below):
        if position.setdefault(key, len(row_of)) == len(row_of):
            row_of.append(row)
            continue
        first = row_of[position[key]]
        if any(column[row] != column[first] for column in said.values()):
            msg = f"rows {first} and {row} of the table contradict each other about {key!r}"
            raise InvalidHierarchyError(msg)
    gaps = {x for x in dict.fromkeys(above) if isinstance(x, str) and is_gap(x)} - set(below)
    above = [None if x in gaps else x for x in above]
    for key in above:
        if key is not None:
            position.setdefault(key, len(position))
    keys = list(position)
    ends = [(position[x], position[p]) for x, p in zip(below, above, strict=True) if p is not None]
    columns = "" if (child, parent) == ("child", "parent") else f"child_column={child!r}, parent_column={parent!r}, "
    advice = f"leave one row for each child, or choose: read_edges(frame, {columns}parent='first')"
    parents = tree_parents(keys, ends, what="table", advice=advice, join=True)
    alone = None
    if len(parents) > len(keys):
        alone = [*tops_alone(np.where(parents[:-1] == len(keys), -1, parents[:-1])).tolist(), False]
        keys.append(None)  # the node above several roots
    values = {
        what: [column[row] for row in row_of] + [None] * (len(keys) - len(row_of)) for what, column in said.items()
    }
    labels: list[Any] = keys
    if "name" in values:
        inner = np.zeros(len(keys) + 1, np.bool_)
        inner[parents] = True  # the last entry serves parent -1
        called = zip(keys, values["name"], inner.tolist()[:-1], strict=True)
        labels = [key if x is None and not has_children else x for key, x, has_children in called]
    return assembled(
        parents,
        labels,
        peer="table",
        lengths=values.get("length"),
        heights=values.get("height"),
        ranks=values.get("rank"),
        opened=alone,
        blank=True,
    )


def _has(frame: Any, name: str) -> bool:
    """Tell whether the table has a column of this name."""
    return name in list(getattr(frame, "columns", frame))


def _column(frame: Any, name: str) -> list[Any]:
    """Return the column as a list of Python's values, None if missing."""
    if not _has(frame, name):
        known = ", ".join(map(repr, list(getattr(frame, "columns", frame))[:20]))
        msg = f"the table has no column {name!r}; its columns are {known}"
        raise InvalidHierarchyError(msg)
    column = frame[name]
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [
        None if x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, float) and x != x) else x
        for x in values
    ]


def _keys(frame: Any, name: str) -> list[Any]:
    """Return a column of keys, with whole numbers as such, which beside gaps become floats."""
    return [int(x) if isinstance(x, float) and x.is_integer() else x for x in _column(frame, name)]


def _objects(pd: Any, values: Iterable[Any]) -> Any:
    """Return a column that leaves every value as it is."""
    values = list(values)
    column = np.empty(len(values), object)
    for i, x in enumerate(values):  # at once, tuples would become rows
        column[i] = x
    return pd.Series(column, dtype=object)


def _pandas() -> Any:
    """Return the module pandas."""
    try:
        import pandas
    except ImportError as error:
        raise MissingDependencyError("pandas", "io", "making an edge table") from error
    return pandas


# ---------------------------------------------------------------------- scikit-learn


def from_children(
    children: Any, *, distances: Any = None, leaves: LeafIndex | Iterable[Hashable] | int | None = None
) -> Hierarchy:
    """Make a hierarchy from the merges of a scikit-learn agglomeration.

    Parameters
    ----------
    children : array_like of int, shape (n - 1, 2), or pair (children, distances)
        ``children_`` of AgglomerativeClustering or FeatureAgglomeration: row i merges two clusters into node n + i. All
        merges are needed: fit with ``compute_full_tree=True``, or ``distance_threshold``. The pair is what
        `to_children` returns.
    distances : array_like of float, shape (n - 1,), optional
        ``distances_``, which exist after ``compute_distances=True`` or with a ``distance_threshold``.
    leaves : LeafIndex, iterable of labels, int or None
        Labels of the n samples. By default 0..n-1.

    Returns
    -------
    Hierarchy
        Binary, its inner nodes in the order of the merges. With leaves at height 0 if `distances` are given, and
        without heights otherwise.

    See Also
    --------
    to_children : the inverse.
    from_linkage : the same from scipy's linkage.

    Examples
    --------
    >>> from_children([[0, 1], [2, 3]], leaves=["human", "chimp", "gorilla"]).clade(3)
    ['human', 'chimp']
    >>> from_children(to_children(Hierarchy.from_nested([(0, 1), 2]))) == Hierarchy.from_nested([(0, 1), 2])
    True
    """
    if _is_pair(children):
        children, beside = children
        if beside is not None and distances is not None:
            msg = "distances are given twice: beside the children, in a pair as of to_children, and as distances="
            raise InvalidHierarchyError(msg)
        distances = beside if distances is None else distances
    try:
        pairs = np.asarray(children)
    except ValueError:
        pairs = np.empty(0)
    if pairs.size == 0 and leaves is not None:
        pairs = pairs.reshape(-1, 2).astype(np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        msg = f"children must be integers of shape (n - 1, 2), a row for each merge, not {pairs.dtype} {pairs.shape}"
        raise InvalidHierarchyError(msg)
    labels = (
        LeafIndex(len(pairs) + 1) if leaves is None else leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
    )
    n = len(pairs) + 1
    if len(labels) != n or (len(pairs) and (pairs.max() > 2 * n - 3)):
        given = f"{len(labels)} leaves" if len(labels) != n else f"the cluster {int(pairs.max())}"
        msg = (
            f"{len(pairs)} merges join {n} leaves, numbered 0..{n - 1}, into clusters up to {2 * n - 2}, but there "
            f"{'are' if len(labels) != n else 'is'} {given}; scikit-learn stops early unless told "
            "compute_full_tree=True"
        )
        raise InvalidHierarchyError(msg)
    Z = np.zeros((n - 1, 4))
    Z[:, :2] = pairs
    if distances is not None:
        heights = np.asarray(distances)
        if heights.shape != (n - 1,) or heights.dtype.kind not in "iuf":
            msg = f"distances must be {n - 1} numbers, one for each merge, not {heights.dtype} of shape {heights.shape}"
            raise InvalidHierarchyError(msg)
        Z[:, 2] = heights
    size = [1] * n + [0] * (n - 1)
    for i, (a, b) in enumerate(pairs.tolist(), n):
        if 0 <= a < i and 0 <= b < i:  # other rows are from_linkage's to refuse
            size[i] = min(size[a] + size[b], n)
    Z[:, 3] = size[n:]
    made = from_linkage(Z, labels)
    return made if distances is not None else Hierarchy(made.parent, made.leaves)


def _is_pair(children: Any) -> bool:
    """Tell whether this is (children, distances), and not two rows of children: its first part has rows itself."""
    if not isinstance(children, (tuple, list)) or len(children) != 2:
        return False
    try:
        return np.ndim(children[0]) == 2
    except ValueError:
        return False


def to_children(hierarchy: Hierarchy) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a binary hierarchy as scikit-learn's agglomerations hold theirs.

    Parameters
    ----------
    hierarchy : Hierarchy
        Binary, with n leaves.

    Returns
    -------
    children : ndarray of int64, shape (n - 1, 2)
        As ``children_``: row i holds the two children of node n + i, the smaller number first.
    distances : ndarray of float64, shape (n - 1,), or None
        As ``distances_``: the heights of the inner nodes, if the hierarchy has heights.

    Raises
    ------
    InvalidHierarchyError
        If some node does not have exactly two children.

    See Also
    --------
    from_children : the inverse.

    Examples
    --------
    >>> children, distances = to_children(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))
    >>> children.tolist()
    [[0, 1], [2, 3]]
    """
    hierarchy = check_hierarchy(hierarchy)
    Z = to_linkage(hierarchy)
    return Z[:, :2].astype(np.int64), None if hierarchy.height is None else Z[:, 2].copy()
