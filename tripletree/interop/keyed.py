"""Nodes known by keys, edges as pairs of keys, as in graphs, edge tables and DOT, both ways."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from tripletree.core.checks import check_choice
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.errors import SHOWN, InvalidHierarchyError, NotATreeError

Keys = Literal["number", "label"]


def node_keys(hierarchy: Hierarchy, keys: Keys) -> list[Any]:
    """Return a key for each node, no two the same.

    ``"number"``: the node's number. ``"label"``: a leaf's label. An inner node's name if no other node has it, its
    number elsewhere, which must not be some leaf's label.
    """
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    if keys == "number":
        return list(range(N))
    check_choice(keys, "keys", ("number", "label"))
    if None in hierarchy.leaves:
        msg = "a leaf has the label None, which cannot be a key; take keys='number'"
        raise InvalidHierarchyError(msg, node=hierarchy.leaves.index(None))
    names = hierarchy.names or (None,) * (N - n)
    count: dict[Hashable, int] = dict.fromkeys(hierarchy.leaves, 1)
    for name in names:
        count[name] = count.get(name, 0) + 1
    own = [name if name is not None and count[name] == 1 else u for u, name in enumerate(names, n)]
    for u, key in enumerate(own, n):
        if key == u and key in hierarchy.leaves:
            msg = f"inner node {u} has no name of its own, and its number is the label of a leaf; take keys='number'"
            raise InvalidHierarchyError(msg, node=u)
    return [*hierarchy.leaves, *own]


def tree_parents(
    keys: Sequence[Hashable], edges: Sequence[tuple[int, int]], *, what: str, advice: str, join: bool = False
) -> np.ndarray:
    """Return the position of each node's parent, -1 for the root.

    Parameters
    ----------
    keys : sequence of N hashable
        By which messages call the nodes.
    edges : sequence of (int, int)
        Pairs (child, parent) of positions. Repeated ones count once.
    what, advice : str
        Noun for the edges' source, and the advice about a node with several parents.
    join : bool
        True if several roots get a node above them, N, the last of then N + 1.

    Raises
    ------
    NotATreeError
        If a node has several parents.
    """
    check_not_empty(keys, what)
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    parent = np.full(len(keys), -1, np.int64)
    parent[pairs[:, 0]] = pairs[:, 1]
    _check_single_parents(keys, pairs, what, advice)
    _check_acyclic(keys, parent.tolist(), what)
    roots = [keys[u] for u in np.flatnonzero(parent < 0).tolist()]
    if len(roots) > 1 and join:
        return np.append(np.where(parent < 0, len(keys), parent), -1)
    if len(roots) > 1:
        msg = (
            f"this {what} has {len(roots)} roots: {_shown(roots)}; a hierarchy has one: "
            "add a node above them, or take one part"
        )
        raise InvalidHierarchyError(msg, node=int(np.flatnonzero(parent < 0)[1]))
    return parent


def chosen_parents(
    keys: Sequence[Hashable], edges: Sequence[tuple[int, int]], choice: str, *, what: str
) -> tuple[list[int], np.ndarray]:
    """One parent for each node, as `Ontology.to_hierarchy` chooses it.

    Returns
    -------
    nodes : list of int
        The nodes that stay, in the order of `keys`. Last -1, for a node above, if there are several roots.
    parent : ndarray of int64
        For each of `nodes` where in `nodes` its parent stands, -1 for the root.
    """
    check_not_empty(keys, what)
    up, terms = Ontology(keys, np.array(edges, np.int64).reshape(-1, 2))._spanning(choice)
    order = np.argsort(terms)
    nodes = np.array(terms, np.int64)[order].tolist()
    if len(up) > len(terms):
        order, nodes = np.append(order, len(terms)), [*nodes, -1]
    number = np.full(len(up) + 1, -1, np.int64)  # the last entry serves parent -1
    number[order] = np.arange(len(order))
    return nodes, number[up[order]]


def check_not_empty(keys: Sequence[Hashable], what: str) -> None:
    """Refuse a graph or table without nodes."""
    if not keys:
        msg = f"this {what} has no nodes; a hierarchy needs at least one leaf"
        raise InvalidHierarchyError(msg)


def _check_single_parents(keys: Sequence[Hashable], pairs: np.ndarray, what: str, advice: str) -> None:
    several = np.flatnonzero(np.bincount(np.unique(pairs, axis=0)[:, 0], minlength=len(keys)) > 1)
    if several.size:
        node = keys[int(several[0])]
        above = [keys[p] for p in dict.fromkeys(pairs[pairs[:, 0] == several[0], 1].tolist())]
        more = f" ({several.size - 1} more nodes have several)" if several.size > 1 else ""
        msg = f"node {node!r} of this {what} has {len(above)} parents: {_shown(above)}{more}; {advice}"
        raise NotATreeError(msg, node=node, parents=above)


def _check_acyclic(keys: Sequence[Hashable], up: list[int], what: str) -> None:
    """Follow the parents from every node, as far as no earlier walk has come."""
    walk = [-1] * len(up)  # the walk that has met a node
    for first in range(len(up)):
        u = first
        while u >= 0 and walk[u] < 0:
            walk[u] = first
            u = up[u]
        if u >= 0 and walk[u] == first:
            cycle = [u]
            while up[cycle[-1]] != u:
                cycle.append(up[cycle[-1]])
            shown = " -> ".join(repr(keys[v]) for v in [*cycle[:SHOWN], *([] if len(cycle) > SHOWN else [u])])
            more = " -> ..." if len(cycle) > SHOWN else ""
            msg = (
                f"the parents in this {what} run in a cycle of {len(cycle)}: {shown}{more}; one of these edges must go"
            )
            raise InvalidHierarchyError(msg, node=u)


def _shown(keys: Sequence[Hashable]) -> str:
    return ", ".join(map(repr, keys[:SHOWN])) + (", ..." if len(keys) > SHOWN else "")
