"""networkx: a hierarchy as a directed graph, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tripletree.errors import InvalidHierarchyError, MissingDependencyError
from tripletree.hierarchy import Hierarchy
from tripletree.interop._keyed import Keys, node_keys, tree_parents
from tripletree.interop._nodes import assembled, python_values

if TYPE_CHECKING:
    import networkx

__all__ = ["from_networkx", "to_networkx"]


def to_networkx(hierarchy: Hierarchy, *, keys: Keys = "number") -> networkx.DiGraph:
    """Make a networkx graph: an arborescence whose edges run from parent to child.

    Parameters
    ----------
    hierarchy : Hierarchy
    keys : {"number", "label"}
        What the graph's nodes are: the numbers that they have in the hierarchy, 0..N-1, or labels. With ``"label"`` an
        inner node is its name where no other node has that, and its number elsewhere.

    Returns
    -------
    networkx.DiGraph
        The nodes stand in the order of their numbers and have the attributes ``label`` (leaves), ``name`` (inner nodes
        with a name), ``height`` and ``rank``; edges have ``length``. The length of the branch above the root, which is
        no edge, is the root's attribute ``length``. What the hierarchy does not know is left out.

    Raises
    ------
    InvalidHierarchyError
        With ``keys="label"``, if the number of an inner node without a name of its own is the label of a leaf.

    See Also
    --------
    from_networkx : the inverse.

    Examples
    --------
    >>> graph = to_networkx(Hierarchy.from_nested([("human", "chimp"), "gorilla"]), keys="label")
    >>> list(graph.edges)
    [(3, 'human'), (3, 'chimp'), (4, 'gorilla'), (4, 3)]
    """
    nx = _networkx()
    key = node_keys(hierarchy, keys)
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    said: list[dict[str, Any]] = [{"label": x} for x in hierarchy.leaves]
    said += [{} if x is None else {"name": x} for x in hierarchy.names or [None] * (N - n)]
    for attribute, values in (("height", python_values(hierarchy.height, N)), ("rank", hierarchy.ranks or ())):
        for node, value in zip(said, values, strict=False):
            if value is not None:
                node[attribute] = value
    lengths = python_values(hierarchy.length, N)
    if lengths[-1] is not None:
        said[-1]["length"] = lengths[-1]
    graph = nx.DiGraph()
    graph.add_nodes_from(zip(key, said, strict=True))
    children = sorted(range(N - 1), key=hierarchy.parent.__getitem__)
    up = hierarchy.parent.tolist()
    graph.add_edges_from(
        (key[up[u]], key[u]) if lengths[u] is None else (key[up[u]], key[u], {"length": lengths[u]}) for u in children
    )
    return graph


def from_networkx(
    graph: networkx.DiGraph,
    *,
    direction: Literal["down", "up"] = "down",
    label: str | None = "label",
    name: str | None = "name",
    length: str = "length",
    height: str = "height",
    rank: str = "rank",
) -> Hierarchy:
    """Make a hierarchy from a networkx graph that is a rooted tree.

    Parameters
    ----------
    graph : networkx.DiGraph
        An arborescence. Of a MultiDiGraph, too, as long as no two edges join the same nodes.
    direction : {"down", "up"}
        Which way the edges run: from parent to child, or from child to parent. It is not guessed: a path would be a
        hierarchy either way.
    label, name : str or None
        Attributes of nodes: what labels a leaf (the node itself, where it has no such attribute), and what names an
        inner node (`label` serves, too). None takes the nodes themselves; so does a graph in which no node has either
        attribute, where inner nodes are named if they are strings.
    length : str
        Attribute of an edge, or else of the node below it: the length of the branch.
    height, rank : str
        Attributes of nodes. Heights count if every node has one and lengths do not contradict.

    Returns
    -------
    Hierarchy
        Leaves, and inner nodes where children stand before parents, in the order of the graph's nodes.

    Raises
    ------
    TypeError
        If `graph` is no directed graph.
    NotATreeError
        If a node has several parents; ``.node`` and ``.parents`` are nodes of the graph.
    InvalidHierarchyError
        If the graph is empty, has a cycle or several roots; or if something that should be a number is none.
    DuplicateLeafError
        If two leaves have one label.

    See Also
    --------
    to_networkx : the inverse.
    Ontology : for graphs whose nodes have several parents.

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.DiGraph([("apes", "human"), ("apes", "chimp")])).clade(2)
    ['human', 'chimp']
    """
    nx = _networkx()
    if not isinstance(graph, nx.Graph) or not graph.is_directed():
        kind = type(graph).__name__
        advice = ", which has no root: take networkx.bfs_tree(graph, root)" if isinstance(graph, nx.Graph) else ""
        msg = f"expected a networkx.DiGraph, not {kind}{advice}"
        raise TypeError(msg)
    if direction not in ("down", "up"):
        msg = f"direction is {direction!r}; it must be 'down' (edges run from parent to child) or 'up'"
        raise ValueError(msg)
    keys = list(graph)
    position = {key: i for i, key in enumerate(keys)}
    child, above = (1, 0) if direction == "down" else (0, 1)
    ends = [(position[edge[child]], position[edge[above]]) for edge in graph.edges()]
    if len(set(ends)) < len(ends):
        twice = next(edge for edge in graph.edges() if graph.number_of_edges(*edge) > 1)
        msg = f"several edges join {twice[0]!r} and {twice[1]!r}; networkx.DiGraph(graph) keeps one of them"
        raise InvalidHierarchyError(msg)
    other = "up" if direction == "down" else "down"
    parent = tree_parents(
        keys,
        ends,
        what="graph",
        advice=f"if its edges run the other way, say direction={other!r}; otherwise choose one, or make an Ontology",
    )
    said = list(graph.nodes.values())
    lengths = [x.get(length) for x in said]
    for (u, _), (_, _, x) in zip(ends, graph.edges(data=length), strict=True):
        if x is not None:
            lengths[u] = x
    return assembled(
        parent,
        _called(keys, said, parent, label, name),
        peer="graph",
        lengths=lengths,
        heights=[x.get(height) for x in said],
        ranks=[x.get(rank) for x in said],
        blank=True,
    )


def _called(keys: list[Any], said: list[dict], parent: Any, label: str | None, name: str | None) -> list[Any]:
    """The label of each leaf and the name of each inner node, None where it has none."""
    inner = [False] * len(keys)
    for p in parent.tolist():
        inner[p] = inner[p] or p >= 0
    bare = not any(x in data for data in said for x in (label, name))
    own = [key if isinstance(key, str) else None for key in keys]
    names = own if bare or name is None else [x[name] if name in x else x.get(label) for x in said]
    return [names[u] if inner[u] else key if label is None else said[u].get(label, key) for u, key in enumerate(keys)]


def _networkx() -> Any:
    """The module networkx."""
    try:
        import networkx
    except ImportError as error:
        raise MissingDependencyError("networkx", "interop", "converting graphs") from error
    return networkx
