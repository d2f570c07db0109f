"""Another root for a tree: where an outgroup or the midpoint puts it, and the parent array from there.

Called by `Hierarchy.reroot`, and in words by errors and notes. All is linear in the number of nodes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze


class RootPlace(NamedTuple):
    """A place for the root."""

    node: int
    """The root is on the branch above this node, or this node itself."""
    below: float | None
    """The length of that branch between the node and the root. None if the node is the root."""


class Rerooted(NamedTuple):
    """A tree with another root. New nodes have children before parents, and the leaves are as before."""

    parent: np.ndarray
    """int32, shape (M,)."""
    old: np.ndarray
    """int32, shape (M,): the old node that each is, -1 for a new root. One in place of an old root is that one."""
    edge: np.ndarray
    """int32, shape (M,): the lower end, in the old tree, of the branch above each node. -1 for the root."""
    length: np.ndarray | None
    """float64, shape (M,)."""
    joined: tuple[int, int] | None
    """Two old nodes below an old root that is gone: the branches above them have become one."""
    turned: np.ndarray
    """int32: the old nodes on the way from the new root to the old one."""

    def of_branches(self, values: np.ndarray, n: int) -> np.ndarray:
        """Return rows of values of the branches above the inner nodes, NaN if unknown, as they are after the move."""
        none = np.full((1, values.shape[1]), np.nan)
        known = np.concatenate([np.repeat(none, n, axis=0), values, none])  # the last row serves -1: no branch
        if self.joined is not None:
            u, v = self.joined
            known[[u, v]] = [np.where(np.isnan(known[x]), known[y], known[x]) for x, y in ((u, v), (v, u))]
        return known[self.edge[n:]]


def outgroup_node(parent: np.ndarray, n: int, outgroup: np.ndarray) -> int | None:
    """Return the node below which the outgroup is, or all other leaves are. None if a branch parts them nowhere.

    parent : int32[N]
    outgroup : bool[n], some leaves, but not all
    """
    start, stop, order = engine.rooted_tree.leaf_intervals(parent, n)
    before = np.concatenate([[0], np.cumsum(outgroup[order])])
    inside = before[stop] - before[start]
    size = stop - start
    total = int(before[-1])
    for found in ((inside == total) & (size == total), (inside == 0) & (size == n - total)):
        nodes = np.flatnonzero(found)
        if nodes.size:
            return int(nodes[-1])  # of nodes with one child each the uppermost
    return None


def smallest_sides(parent: np.ndarray, n: int, outgroup: np.ndarray) -> np.ndarray:
    """Return the leaves other than the outgroup in the smallest part with all of it that one branch cuts off: bool[n].

    All leaves but the outgroup if no branch does.
    """
    start, stop, order = engine.rooted_tree.leaf_intervals(parent, n)
    before = np.concatenate([[0], np.cumsum(outgroup[order])])
    inside = before[stop] - before[start]
    size = (stop - start).astype(np.int64)
    total = int(before[-1])
    part = np.where(inside == total, size, np.where(inside == 0, n - size, n + 1))
    u = int(np.argmin(part))
    below = np.zeros(n, np.bool_)
    below[order[start[u] : stop[u]]] = True
    return (below if inside[u] == total else ~below) & ~outgroup


def midpoint(parent: np.ndarray, n: int, length: np.ndarray) -> RootPlace | None:
    """Return the place in the middle between the two leaves that are the farthest apart. None if all are in one place.

    parent : int32[N]
    length : float64[N], negative ones count as 0
    """
    long = np.maximum(length, 0.0)
    long[-1] = 0.0
    distance = engine.rooted_tree.path_sums(parent, freeze(long))
    first = int(np.argmax(distance[:n]))
    second, _ = _farthest(parent, n, long, distance, first)
    third, apart = _farthest(parent, n, long, distance, second)
    if not apart > 0:
        return None
    # the middle is above the one of the two that is farther from the root
    u = second if distance[second] >= distance[third] else third
    left, tiny = apart / 2, apart * 1e-12
    while long[u] < left - tiny:
        left -= long[u]
        u = int(parent[u])
    if left <= tiny:
        return RootPlace(u, None)
    if long[u] <= left + tiny:
        return RootPlace(int(parent[u]), None)
    return RootPlace(u, float(left))


def _farthest(parent: np.ndarray, n: int, long: np.ndarray, distance: np.ndarray, leaf: int) -> tuple[int, float]:
    """Return the leaf that is the farthest from one leaf, and how far."""
    on_path = np.zeros(parent.size, np.bool_)
    u = leaf
    while u >= 0:
        on_path[u] = True
        u = int(parent[u])
    shared = engine.rooted_tree.path_sums(parent, freeze(np.where(on_path, long, 0.0)))
    apart = distance[leaf] + distance[:n] - 2 * shared[:n]
    apart[leaf] = 0.0
    far = int(np.argmax(apart))
    return far, float(apart[far])


def rerooted(parent: np.ndarray, n: int, place: RootPlace, length: np.ndarray | None) -> Rerooted:
    """Put the root in another place. An old root with two branches left is removed, and the branches are joined.

    parent : int32[N], N > 1
    length : float64[N] or None
    """
    N = parent.size
    path = [place.node]
    while parent[path[-1]] >= 0:
        path.append(int(parent[path[-1]]))
    way = np.array(path, np.int64)
    fresh = place.below is not None
    up, edge, old = (np.empty(N + 1, np.int64) for _ in range(3))
    up[:N], edge[:N], old[:N] = parent, np.arange(N), np.arange(N)
    up[N] = edge[N] = old[N] = -1
    new = None if length is None else np.append(length, np.nan)
    gone = np.zeros(N + 1, np.bool_)
    gone[N] = not fresh
    # the branches of the way are turned: the upper end of each hangs below the lower one
    up[way[1:]], edge[way[1:]] = way[:-1], way[:-1]
    if length is not None and new is not None:
        new[way[1:]] = length[way[:-1]]
    if fresh:
        up[way[:2]] = N
        if new is not None and length is not None:
            new[way[0]] = place.below
            new[way[1]] = length[way[0]] - place.below
    else:
        up[way[0]] = edge[way[0]] = -1
        if new is not None:
            new[way[0]] = np.nan
    joined = _without_old_root(parent, way, up, new, gone)
    if fresh and gone[way[-1]]:
        old[N] = way[-1]
    kept = np.flatnonzero(~gone)
    number = np.full(N + 2, -1, np.int32)  # the last entry serves parent -1
    number[kept] = np.arange(kept.size, dtype=np.int32)
    above = number[up[kept]]
    order = engine.rooted_tree.topological_order(freeze(above), n)
    rank = np.full(kept.size + 1, -1, np.int32)
    rank[order] = np.arange(kept.size, dtype=np.int32)
    at = kept[order]
    return Rerooted(
        freeze(rank[above[order]]),
        old[at].astype(np.int32),
        edge[at].astype(np.int32),
        None if new is None else new[at],
        joined,
        way.astype(np.int32),
    )


def _without_old_root(
    parent: np.ndarray, way: np.ndarray, up: np.ndarray, length: np.ndarray | None, gone: np.ndarray
) -> tuple[int, int] | None:
    """Remove old roots with no other child, then one with a single other child, which takes its place."""
    n_children = np.bincount(parent[:-1], minlength=parent.size)
    for k in range(way.size - 1, 0, -1):
        top = int(way[k])
        others = int(n_children[top]) - 1
        if others == 0:
            gone[top] = True
            continue
        if others == 1:
            children = np.flatnonzero(parent == top)
            other = int(children[children != way[k - 1]][0])
            gone[top] = True
            up[other] = up[top]
            if length is not None:
                length[other] += length[top]
            return other, int(way[k - 1])
        break
    return None


def ways_to_root(length: np.ndarray | None, label: Hashable) -> str:
    """How an unrooted tree gets a root, by one of its labels or, where all branches have lengths, in the middle."""
    measured = length is not None and not np.isnan(length[:-1]).any() and length[:-1].any()
    midpoint = ", h.reroot('midpoint')" if measured else ""
    return f"{by_outgroup(label)}{midpoint}, or rooted=True in its reader if its root is right as written"


def by_outgroup(label: Hashable) -> str:
    """How a tree gets a root by an outgroup, with one of its labels."""
    return f"h.reroot({label!r}) if {label!r} is an outgroup"
