"""Shared by all converters: a hierarchy as lists to make foreign nodes from, and foreign nodes back to a hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.confidence import apart, number_in
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import InvalidHierarchyError

#: The attribute, feature, property or annotation of open nodes.
OPEN = "incertae_sedis"


class NodeLists(NamedTuple):
    """A hierarchy as Python lists, an entry for each node.

    ``links`` are the pairs (child, parent), ordered so that the children of every node stand by their smallest leaf:
    leaves that are in depth-first order stay in that order. ``heights`` is None if the lengths are enough.
    """

    labels: list[Any]
    lengths: list[float | None]
    heights: list[float] | None
    ranks: list[str | None] | None
    links: list[tuple[int, int]]
    support: list[float | None]
    """The first number of each inner node, None for leaves and where nothing is known."""
    opened: list[int]
    rooted: bool


def node_lists(hierarchy: Hierarchy, peer: str) -> NodeLists:
    """Return the names for a peer that does not tell an empty name from a missing one."""
    n = hierarchy.n_leaves
    for u, label in enumerate(hierarchy.leaves):
        if label is None or (isinstance(label, str) and label == ""):
            msg = f"leaf {u} has the label {label!r}, which {peer} takes for no name at all; give it another label"
            raise InvalidHierarchyError(msg, node=u)
    up = hierarchy.parent.tolist()
    N = len(up)
    low = [*range(n), *[n] * (N - n)]
    for u in range(N - 1):
        if low[u] < low[up[u]]:
            low[up[u]] = low[u]
    order = np.argsort(low, kind="stable").tolist()
    heights = own_heights(hierarchy)
    return NodeLists(
        [*hierarchy.leaves, *(hierarchy.names or [None] * (N - n))],
        python_values(hierarchy.length, N),
        None if heights is None else heights.tolist(),
        None if hierarchy.ranks is None else list(hierarchy.ranks),
        [(u, up[u]) for u in order if up[u] >= 0],
        [*[None] * n, *python_values(hierarchy.support, N - n)],
        [] if hierarchy.incertae_sedis is None else np.flatnonzero(hierarchy.incertae_sedis).tolist(),
        hierarchy.rooted,
    )


def python_values(values: np.ndarray | None, N: int) -> list[float | None]:
    """Return floats as Python's, with None for NaN."""
    return [None] * N if values is None else [None if x != x else x for x in values.tolist()]


def own_heights(hierarchy: Hierarchy) -> np.ndarray | None:
    """Return the heights, unless the lengths give exactly the same heights back."""
    if hierarchy.height is None or hierarchy.length is None:
        return None
    if np.isnan(hierarchy.length).all():  # one node: there is no branch
        return hierarchy.height
    again = Hierarchy(hierarchy.parent, hierarchy.leaves, length=hierarchy.length).height
    return None if again is not None and np.array_equal(again, hierarchy.height) else hierarchy.height


def _agree(parent: np.ndarray, height: np.ndarray, length: np.ndarray | None) -> bool:
    """Tell whether each length is the difference of the heights at its ends, and the root has no length."""
    if length is None:
        return True
    difference = np.where(parent >= 0, height[parent] - height, np.nan)
    return bool((np.isnan(length) | (length == difference)).all())


def walked(
    root: Any, children: Callable[[Any], Iterable[Any]], name: Callable[[Any], Any]
) -> tuple[list[Any], list[int]]:
    """List the nodes at and below `root`, parents first, and for each the position of its parent (-1 for the root)."""
    nodes: list[Any] = []
    above: list[int] = []
    seen: set[int] = set()
    stack = [(root, -1)]
    while stack:
        node, p = stack.pop()
        if id(node) in seen:
            msg = (
                f"the node named {name(node)!r} is met twice, the second time below {name(nodes[p])!r}: "
                "in a tree each node is the child of one node"
            )
            raise InvalidHierarchyError(msg)
        seen.add(id(node))
        i = len(nodes)
        nodes.append(node)
        above.append(p)
        stack.extend([(child, i) for child in children(node)][::-1])
    return nodes, above


def is_set(value: Any) -> bool:
    """Tell whether a mark of open nodes is set, as written or as read from a file."""
    return value is not None and str(value).lower() in ("1", "true")


def marks_of(said: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The arguments of `assembled` that attributes of nodes give: support, open nodes, a root that is arbitrary."""
    support = [number_in(x) if isinstance(x, str) else x for x in (node.get("support") for node in said)]
    opened = [is_set(x.get(OPEN)) for x in said]
    return {
        "support": support if any(x is not None for x in support) else None,
        "opened": opened if any(opened) else None,
        "rooted": not any(str(x.get("rooted")).lower() == "false" for x in said),
    }


def assembled(
    parent: Sequence[int] | np.ndarray,
    labels: Sequence[Any],
    *,
    peer: str,
    lengths: Sequence[Any] | None = None,
    heights: Sequence[Any] | None = None,
    ranks: Sequence[Any] | None = None,
    support: Sequence[Any] | None = None,
    opened: Sequence[bool] | None = None,
    rooted: bool = True,
    blank: bool = False,
) -> Hierarchy:
    """Make a hierarchy from nodes in any order: their parents by position, and the knowledge about each.

    The leaves keep their order, so do the inner nodes, or its reverse if the root stands first. Heights count if
    every node has one and the lengths do not contradict. Lengths count because a peer's functions change them. With
    `support`, numbers in the names of inner nodes are support, too. With `blank`, they are names, and None and "" are
    labels like others.
    """
    up = np.asarray(parent, np.int64)
    N = up.size
    inner = np.zeros(N + 1, np.bool_)  # the last entry serves parent -1
    inner[up] = True
    leaf_nodes, inner_nodes = np.flatnonzero(~inner[:N]), np.flatnonzero(inner[:N])
    if inner_nodes.size and up[inner_nodes[0]] == -1:
        inner_nodes = inner_nodes[::-1]
    order = np.concatenate([leaf_nodes, inner_nodes])
    number = np.full(N + 1, -1, np.int32)
    number[order] = np.arange(N, dtype=np.int32)
    at = order.tolist()
    n = leaf_nodes.size
    leaves = [labels[i] for i in at[:n]]
    for k, label in enumerate(leaves):
        if not blank and (label is None or (isinstance(label, str) and label == "")):
            p = int(up[at[k]])
            where = "" if p < 0 or not labels[p] else f" (below {labels[p]!r})"
            msg = f"leaf {k} of this {peer}, counted from 0{where}, has no name; every leaf needs a label of its own"
            raise InvalidHierarchyError(msg, node=at[k])
    new = number[up[order]]
    length = None if lengths is None else _floats([lengths[i] for i in at], "length", peer, labels, at)
    height = None if heights is None else _floats([heights[i] for i in at], "height", peer, labels, at)
    if height is not None and (np.isnan(height).any() or not _agree(new, height, length)):
        height = None
    names: list[Any] | None = [labels[i] for i in at[n:]]
    supports = None
    if support is not None:
        found = None if blank else apart([None if x is None else str(x) for x in names or ()])
        if found is not None:
            names, supports = found
        given = _floats([support[i] for i in at[n:]], "support", peer, labels, at[n:])
        if given is not None:
            supports = given if supports is None else np.where(np.isnan(given), supports[:, 0], given)
    return Hierarchy(
        new,
        leaves,
        height=height,
        length=None if height is not None or length is None or np.isnan(length).all() else length,
        names=names,
        ranks=None if ranks is None else [ranks[i] for i in at],
        incertae_sedis=None if opened is None else [opened[i] and up[i] >= 0 for i in at],
        rooted=rooted,
        support=supports,
    )


def _floats(values: list[Any], what: str, peer: str, labels: Sequence[Any], at: list[int]) -> np.ndarray | None:
    """Return the values as float64, NaN for None, or None without any value."""
    found = np.empty(len(values))
    for i, x in enumerate(values):
        try:
            found[i] = np.nan if x is None else x
        except (TypeError, ValueError):
            msg = f"the {what} of the node {labels[at[i]]!r} in this {peer} is {x!r}; expected a number or None"
            raise InvalidHierarchyError(msg, node=at[i]) from None
        if found[i] in (np.inf, -np.inf):
            msg = f"the {what} of the node {labels[at[i]]!r} in this {peer} is {x!r}; expected a finite number"
            raise InvalidHierarchyError(msg, node=at[i])
    return None if np.isnan(found).all() else found
