"""networkx: a hierarchy or an ontology as a directed graph, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.ontology import Ontology
from tripletree.errors import InvalidHierarchyError, MissingDependencyError
from tripletree.interop.keyed import Keys, check_not_empty, chosen_parents, node_keys, tree_parents
from tripletree.interop.nodes import assembled, marks_of, python_values

if TYPE_CHECKING:
    import networkx

Direction = Literal["down", "up"]
Parent = Literal["error", "deepest", "first", "smallest"]

# ---------------------------------------------------------------------- hierarchies


def to_networkx(hierarchy: Hierarchy, *, keys: Keys = "number") -> networkx.DiGraph:
    """Make a networkx graph: an arborescence whose edges run from parent to child.

    Parameters
    ----------
    hierarchy : Hierarchy
    keys : {"number", "label"}
        The graph's nodes: the numbers that they have in the hierarchy, 0..N-1, or labels. With ``"label"`` an
        inner node is its name if no other node has that, and its number elsewhere.

    Returns
    -------
    networkx.DiGraph
        The nodes stand in the order of their numbers and have the attributes ``label`` (leaves), ``name`` (inner nodes
        with a name), ``height``, ``rank`` and ``support``. Open nodes have ``incertae_sedis=True``, and the root of an
        unrooted tree has ``rooted=False``. Edges have ``length``. The length of the branch above the root, which is
        no edge, is the root's attribute ``length``. Unknown values are left out.

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
    hierarchy = check_hierarchy(hierarchy)
    key = node_keys(hierarchy, keys)
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    said: list[dict[str, Any]] = [{"label": x} for x in hierarchy.leaves]
    said += [{} if x is None else {"name": x} for x in hierarchy.names or [None] * (N - n)]
    support = [*[None] * n, *python_values(hierarchy.support, N - n)]
    opened = [] if hierarchy.incertae_sedis is None else [x or None for x in hierarchy.incertae_sedis.tolist()]
    for attribute, values in (
        ("height", python_values(hierarchy.height, N)),
        ("rank", hierarchy.ranks or ()),
        ("support", support),
        ("incertae_sedis", opened),
    ):
        for node, value in zip(said, values, strict=False):
            if value is not None:
                node[attribute] = value
    if not hierarchy.rooted:
        said[-1]["rooted"] = False
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
    direction: Direction = "down",
    parent: Parent = "error",
    label: str | None = "label",
    name: str | None = "name",
    length: str = "length",
    height: str = "height",
    rank: str = "rank",
) -> Hierarchy:
    """Make a hierarchy from a networkx graph that is a rooted tree, or from one tree in a graph that is not one.

    Parameters
    ----------
    graph : networkx.DiGraph
        An arborescence, unless `parent` is given. A MultiDiGraph, too, as long as no two edges join the same nodes.
    direction : {"down", "up"}
        Which way the edges run: from parent to child, or from child to parent. It is not guessed: a path would be a
        hierarchy either way. Graphs of obonet run up.
    parent : {"error", "deepest", "first", "smallest"}
        Which parent counts if a node has several, as in `Ontology.to_hierarchy`. By default they are refused. With a
        choice, several roots get an unnamed node above them, inner nodes all of whose children have gone to other
        parents go, and of edges that join the same nodes the first counts.
    label, name : str or None
        Attributes of nodes: the label of a leaf (the node itself, if it has no such attribute), and the name of an
        inner node (`label` serves, too). None takes the nodes themselves, so does a graph in which no node has either
        attribute, where inner nodes are named if they are strings.
    length : str
        Attribute of an edge, or else of the node below it: the length of the branch.
    height, rank : str
        Attributes of nodes. Heights count if every node has one and lengths do not contradict. The attributes
        ``support``, ``incertae_sedis`` and ``rooted`` are taken as `to_networkx` gives them.

    Returns
    -------
    Hierarchy
        Leaves, and inner nodes where children stand before parents, in the order of the graph's nodes.

    Raises
    ------
    NotATreeError
        If a node has several parents and `parent` is "error". ``.node`` and ``.parents`` are nodes of the graph.

    See Also
    --------
    to_networkx : the inverse.
    ontology_from_networkx : graphs whose nodes have several parents, without choosing among them. Types of edges.

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.DiGraph([("apes", "human"), ("apes", "chimp")])).clade(2)
    ['human', 'chimp']
    >>> graph = nx.DiGraph([("pet", "cat"), ("pet", "goldfish"), ("fish", "goldfish"), ("fish", "cod")])
    >>> from_networkx(graph, parent="first").clade(3)
    ['cat', 'goldfish']
    """
    keys, ends = _keys_and_ends(graph, direction)
    said = list(graph.nodes.values())
    if parent == "error":
        nodes, up = list(range(len(keys))), _only_parents(graph, keys, ends, direction)
    else:
        nodes, up = chosen_parents(keys, ends, parent, what="graph")
        keys, said = [*keys, None], [*said, {}]  # position -1, a node above several roots
    found: dict[tuple[int, int], Any] = {}
    for end, (_, _, x) in zip(ends, graph.edges(data=length), strict=True):
        if x is not None:
            found.setdefault(end, x)
    pairs = zip(nodes, [nodes[p] for p in up.tolist()], strict=True)
    data = [said[u] for u in nodes]
    return assembled(
        up,
        _called([keys[u] for u in nodes], data, up, label, name),
        peer="graph",
        lengths=[found.get(pair, x.get(length)) for pair, x in zip(pairs, data, strict=True)],
        heights=[x.get(height) for x in data],
        ranks=[x.get(rank) for x in data],
        blank=True,
        **marks_of(data),
    )


def _keys_and_ends(graph: Any, direction: str) -> tuple[list[Any], list[tuple[int, int]]]:
    """Return the nodes of a directed graph, and its edges as pairs (child, parent) of positions."""
    nx = _networkx()
    if not isinstance(graph, nx.Graph) or not graph.is_directed():
        kind = type(graph).__name__
        advice = ", which has no root: take networkx.bfs_tree(graph, root)" if isinstance(graph, nx.Graph) else ""
        msg = f"expected a networkx.DiGraph, not {kind}{advice}"
        raise TypeError(msg)
    if not isinstance(direction, str) or direction not in ("down", "up"):
        msg = f"direction is {direction!r}; it must be 'down' (edges run from parent to child) or 'up'"
        raise ValueError(msg)
    keys = list(graph)
    position = {key: i for i, key in enumerate(keys)}
    child, above = (1, 0) if direction == "down" else (0, 1)
    return keys, [(position[edge[child]], position[edge[above]]) for edge in graph.edges()]


def _only_parents(graph: Any, keys: list[Any], ends: list[tuple[int, int]], direction: str) -> Any:
    """Return the position of each node's parent, -1 for the root, of a graph that is an arborescence."""
    if len(set(ends)) < len(ends):
        twice = next(edge for edge in graph.edges() if graph.number_of_edges(*edge) > 1)
        msg = (
            f"several edges join {twice[0]!r} and {twice[1]!r}; networkx.DiGraph(graph) keeps one of them, "
            "parent='first' takes the first, ontology_from_networkx keeps all"
        )
        raise InvalidHierarchyError(msg)
    other = "up" if direction == "down" else "down"
    return tree_parents(
        keys,
        ends,
        what="graph",
        advice=f"if its edges run the other way, give direction={other!r}; otherwise choose one with parent='deepest', "
        "'first' or 'smallest', or keep them all with ontology_from_networkx",
    )


def _called(keys: list[Any], said: list[dict], parent: Any, label: str | None, name: str | None) -> list[Any]:
    """Return the label of each leaf and the name of each inner node, or None."""
    inner = [False] * len(keys)
    for p in parent.tolist():
        inner[p] = inner[p] or p >= 0
    bare = not any(x in data for data in said for x in (label, name))
    own = [key if isinstance(key, str) else None for key in keys]
    names = own if bare or name is None else [x[name] if name in x else x.get(label) for x in said]
    return [names[u] if inner[u] else key if label is None else said[u].get(label, key) for u, key in enumerate(keys)]


# ---------------------------------------------------------------------- ontologies


def ontology_from_networkx(
    graph: networkx.DiGraph,
    *,
    direction: Direction = "up",
    name: str | None = "name",
    rank: str | None = "rank",
    relation: str | None = "relation",
) -> Ontology:
    """Make an ontology from a networkx graph without cycles, such as obonet reads.

    Parameters
    ----------
    graph : networkx.DiGraph
        A MultiDiGraph, too: one edge for each type of relation between two terms.
    direction : {"up", "down"}
        Which way the edges run: from child to parent, as in ontologies and here by default, or from parent to child,
        as `from_networkx` takes them by default.
    name, rank : str or None
        Attributes of nodes, taken as text. None for no such.
    relation : str or None
        Attribute of an edge that is its type. If an edge has no such attribute, its key is, if it is a string (of a
        MultiDiGraph, as obonet's), and "is_a" otherwise. None takes all edges for "is_a".

    Returns
    -------
    Ontology
        Terms are the nodes, in the order of the graph, and edges are in the order of ``graph.edges``.

    See Also
    --------
    ontology_to_networkx : the inverse.
    from_networkx : one tree in such a graph.
    read_obo : the same from an OBO file, without obonet.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.MultiDiGraph([("cat", "pet", "is_a"), ("cod", "fish", "is_a"), ("fin", "fish", "part_of")])
    >>> ontology_from_networkx(graph).select(relations="is_a").parents("cat")
    ['pet']
    """
    keys, ends = _keys_and_ends(graph, direction)
    check_not_empty(keys, "graph")
    types: list[Any] = ["is_a"] * len(ends)
    if relation is not None:
        own = [x[2] for x in graph.edges(keys=True)] if graph.is_multigraph() else types
        given = [x for _, _, x in graph.edges(data=relation)]
        keyed = [key if isinstance(key, str) else "is_a" for key in own]
        types = [key if x is None else x for x, key in zip(given, keyed, strict=True)]
    names, ranks = (None if what is None else [x.get(what) for x in graph.nodes.values()] for what in (name, rank))
    return Ontology(
        keys,
        np.array(ends, np.int64).reshape(-1, 2),
        names=None if names is None or not any(x is not None for x in names) else names,
        ranks=None if ranks is None or not any(x is not None for x in ranks) else ranks,
        relations=types,
    )


def ontology_to_networkx(ontology: Ontology) -> networkx.MultiDiGraph:
    """Make a networkx graph of an ontology, in the form that obonet gives to OBO files.

    Parameters
    ----------
    ontology : Ontology

    Returns
    -------
    networkx.MultiDiGraph
        Nodes are the terms, in their order, with the attributes ``name`` and ``rank`` if they have such. Edges run
        from child to parent, and their keys are their types.

    See Also
    --------
    ontology_from_networkx : the inverse.
    to_networkx : for a Hierarchy.

    Examples
    --------
    >>> o = Ontology(["fish", "cod", "fin"], [(1, 0), (2, 0)], relations=["is_a", "part_of"])
    >>> list(ontology_to_networkx(o).edges(keys=True))
    [('cod', 'fish', 'is_a'), ('fin', 'fish', 'part_of')]
    """
    if not isinstance(ontology, Ontology):
        advice = "; to_networkx is for it" if isinstance(ontology, Hierarchy) else ""
        msg = f"expected an Ontology, got {type(ontology).__name__}{advice}"
        raise TypeError(msg)
    if None in ontology.terms:
        msg = "a term is None, which cannot be a node of networkx; give it another id"
        raise InvalidHierarchyError(msg, node=ontology.terms.index(None))
    graph = _networkx().MultiDiGraph()
    terms = ontology.terms.labels
    none = (None,) * len(terms)
    for term, *said in zip(terms, ontology.names or none, ontology.ranks or none, strict=True):
        graph.add_node(term, **{what: x for what, x in zip(("name", "rank"), said, strict=True) if x is not None})
    pairs = zip(ontology.edges.tolist(), ontology.relations, strict=True)
    graph.add_edges_from((terms[child], terms[parent], relation) for (child, parent), relation in pairs)
    return graph


def _networkx() -> Any:
    """Return the module networkx."""
    try:
        import networkx
    except ImportError as error:
        raise MissingDependencyError("networkx", "interop", "converting graphs") from error
    return networkx
