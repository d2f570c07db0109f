"""Writing a hierarchy as a table of children and their parents."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from tripletree._checks import expect_hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import Target, write_atomic, write_atomic_bytes
from tripletree.io._tables import one_of, optional
from tripletree.io.constraints.triplet_files import format_of_suffix
from tripletree.leaves import LeafIndex

__all__ = ["invents_ids", "leaf_texts", "write_edges"]

Format = Literal["csv", "tsv", "parquet"]

#: What an inner node without a name of its own goes by.
_INVENTED = re.compile(r"node \d+'*", re.ASCII)


@overload
def write_edges(hierarchy: Hierarchy, target: None = None, *, format: Format | None = None) -> str: ...
@overload
def write_edges(hierarchy: Hierarchy, target: Target, *, format: Format | None = None) -> None: ...
def write_edges(hierarchy: Hierarchy, target: Target | None = None, *, format: Format | None = None) -> str | None:
    r"""Write a hierarchy as a table with a row for each node: child, parent, and what else is known of it.

    Parameters
    ----------
    hierarchy : Hierarchy
    target : path, file object or "-", optional
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    format : {"csv", "tsv", "parquet"}, optional
        By default as the suffix says, else CSV.

    Returns
    -------
    str or None
        The text, if no `target` is given.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").
    InvalidHierarchyError
        If a label is empty, which in a table is none, or a difference of heights is beyond the largest number.
    MissingDependencyError
        If the format is Parquet and pyarrow is not installed.

    See Also
    --------
    read_edges : the reverse.

    Notes
    -----
    Leaves go by their labels. Inner nodes go by their names where these tell them apart, and by "node 7" else: then a
    column `name` holds the names, by which `read_edges` gives back what was written, name for name.
    The columns `length` and `rank` are there if something is known; heights are written as lengths. The root is the
    row without parent.

    Examples
    --------
    >>> h = Hierarchy([3, 3, 4, 4, -1], ["human", "chimp", "loris"], names=["apes", "primates"])
    >>> print(write_edges(h), end="")
    child,parent
    human,apes
    chimp,apes
    loris,primates
    apes,primates
    primates,
    """
    if format is not None:
        one_of(format, "format", ("csv", "tsv", "parquet"))
    columns = _edge_columns(expect_hierarchy(hierarchy))
    kind = format or _format_of(target)
    if kind == "parquet":
        _write_parquet(columns, target)
        return None
    text = _text(columns, "," if kind == "csv" else "\t")
    if target is None:
        return text
    with write_atomic(target) as stream:
        stream.write(text)
    return None


def leaf_texts(hierarchy: Hierarchy) -> list[str]:
    """The leaf labels as text, which must differ and say something."""
    labels = [x if isinstance(x, str) else str(x) for x in hierarchy.leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    if "" in labels:
        msg = "an empty leaf label cannot be told from a missing one in a table; write Newick"
        raise InvalidHierarchyError(msg, node=labels.index(""))
    return labels


def invents_ids(
    columns: Sequence[str] | None, ids: Sequence[Any], names: Sequence[str | None] | None, parent: np.ndarray
) -> bool:
    """Whether a table is one that `write_edges` makes where inner nodes have no name of their own.

    Parameters
    ----------
    columns : sequence of str, or None
        Their names, in order.
    ids, names, parent : sequence of N
        Of all nodes; the parents as positions, -1 for roots.
    """
    if columns is None or names is None or list(columns[:3]) != ["child", "parent", "name"]:
        return False
    inner = np.zeros(len(ids), np.bool_)
    inner[parent[parent >= 0]] = True
    return list(columns[3:]) in ([], ["length"], ["rank"], ["length", "rank"]) and all(
        name is None if not above else name == id or (isinstance(id, str) and _INVENTED.fullmatch(id) is not None)
        for id, name, above in zip(ids, names, inner.tolist(), strict=True)
    )


def _format_of(target: Any) -> str:
    name = target if isinstance(target, str) or hasattr(target, "__fspath__") else getattr(target, "name", None)
    kind = format_of_suffix(name) if isinstance(name, str) or hasattr(name, "__fspath__") else None
    return kind if kind in ("tsv", "parquet") else "csv"


def _edge_columns(hierarchy: Hierarchy) -> dict[str, list]:
    """The cells, column by column: text, and numbers for lengths."""
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    names: list[str | None] = [None] * (N - n) if hierarchy.names is None else list(hierarchy.names)
    ids = leaf_texts(hierarchy)
    taken = Counter([*ids, *(x for x in names if x is not None)])
    for u, name in enumerate(names, n):
        if name is None or taken[name] > 1:
            name = f"node {u}"
            while name in taken:
                name += "'"
            taken[name] = 1
        ids.append(name)
    up = hierarchy.parent.tolist()
    columns: dict[str, list] = {"child": ids, "parent": [None if p < 0 else ids[p] for p in up]}
    if any(x != i for x, i in zip(names, ids[n:], strict=True)):
        columns["name"] = [None] * n + names
    if hierarchy.length is not None and not np.isnan(hierarchy.length).all():
        infinite = np.flatnonzero(np.isinf(hierarchy.length))
        if infinite.size:
            u = int(infinite[0])
            msg = f"the branch above node {u} has length {hierarchy.length[u]}: the difference of heights is too large"
            raise InvalidHierarchyError(msg, node=u)
        columns["length"] = [None if x != x else x for x in hierarchy.length.tolist()]
    if hierarchy.ranks is not None:
        columns["rank"] = list(hierarchy.ranks)
    return columns


def _text(columns: dict[str, list], delimiter: str) -> str:
    # the reader takes blanks before a cell for layout and a # on the first lines for a comment: quotes keep them
    ids = columns["child"]
    odd = any(x[0] in " #" or "\r" in x or not x.isprintable() for x in [*ids, *_texts(columns)])
    stream = io.StringIO(newline="")
    writer = csv.writer(
        stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    )
    writer.writerow(columns)
    cells = [[repr(x) if isinstance(x, float) else x for x in column] for column in columns.values()]
    writer.writerows(zip(*cells, strict=True))
    return stream.getvalue()


def _texts(columns: dict[str, list]) -> list[str]:
    return [x for key in ("name", "rank") for x in columns.get(key, []) if x is not None]


def _write_parquet(columns: dict[str, list], target: Target | None) -> None:
    if target is None:
        msg = "Parquet is binary: give a target to write to"
        raise ValueError(msg)
    pyarrow = optional("pyarrow", "io", "writing Parquet")
    parquet = optional("pyarrow.parquet", "io", "writing Parquet")
    kinds = {"length": pyarrow.float64()}
    data = {key: pyarrow.array(column, kinds.get(key, pyarrow.string())) for key, column in columns.items()}
    with write_atomic_bytes(target) as stream:
        parquet.write_table(pyarrow.table(data), stream)
