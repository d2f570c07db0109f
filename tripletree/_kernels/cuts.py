"""Passes over a parent array for linkages, cuts and drawings: branches of a cut, levels, monotone heights, positions.

``parent[u] > u`` for every node but the root, which is last and has parent -1. Each of these kernels is linear in the
number of nodes; the oracles stand in ``tests/unit``: ``test_linkage.py``, ``test_cuts.py`` and ``test_layout.py``.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import njit
from tripletree._kernels.rooted_tree import by_smallest_leaf

__all__ = [
    "branch_heads",
    "child_spans",
    "levels",
    "monotone_heights",
    "nearest_centres",
    "reading_places",
    "whose_parts",
]


@njit
def branch_heads(parent, split, n):
    """The branch that each leaf is in once some nodes are split, and all nodes above them with these.

    parent : int32[N]; split : bool[N]; n : number of leaves
    Returns head : int32[n], the highest ancestor (or the leaf) with no split node at or below it.
    """
    N = parent.shape[0]
    opened = split.copy()
    for u in range(N - 1):
        opened[parent[u]] |= opened[u]
    head = np.empty(N, np.int32)
    for u in range(N - 1, -1, -1):
        p = parent[u]
        head[u] = u if p < 0 or opened[p] else head[p]
    return head[:n].copy()


@njit
def whose_parts(parent, part):
    """Which part the leaves below each node belong to.

    parent : int32[N]; part : int32[n], part of each leaf, -1 for none
    Returns owner : int32[N], the part, -1 where there is none, -2 where there are several.
    """
    N = parent.shape[0]
    n = part.shape[0]
    owner = np.full(N, -1, np.int32)
    for u in range(N):
        if u < n:
            owner[u] = part[u]
        p = parent[u]
        if p >= 0 and owner[u] != -1:
            owner[p] = owner[u] if owner[p] == -1 or owner[p] == owner[u] else -2
    return owner


@njit
def nearest_centres(points, centres, first, stop):
    """For each point the nearest one of a run of centres, the first of equals. Time O(points x run x d).

    points : float64[p, d]; centres : float64[c, d]; first, stop : int64[p], centres first..stop-1, at least one
    Returns nearest : int64[p].
    """
    nearest = np.empty(points.shape[0], np.int64)
    for i in range(points.shape[0]):
        least = np.inf
        nearest[i] = first[i]
        for j in range(first[i], stop[i]):
            distance = 0.0
            for x in range(points.shape[1]):
                distance += (points[i, x] - centres[j, x]) ** 2
            if distance < least:
                least = distance
                nearest[i] = j
    return nearest


@njit
def levels(parent):
    """Number of edges from each node down to its deepest leaf.

    parent : int32[N]
    Returns level : int32[N], 0 at the leaves.
    """
    N = parent.shape[0]
    level = np.zeros(N, np.int32)
    for u in range(N - 1):
        p = parent[u]
        level[p] = max(level[p], level[u] + 1)
    return level


@njit
def monotone_heights(parent, height, n):
    """The lowest heights that are nowhere below the given ones and nowhere above the parent's, leaves being at 0.

    parent : int32[N]; height : float64[N]; n : number of leaves
    Returns monotone : float64[N], 0 at the leaves.
    """
    N = parent.shape[0]
    monotone = np.zeros(N, np.float64)
    for u in range(n, N):
        monotone[u] = max(height[u], 0.0)
    for u in range(N - 1):
        p = parent[u]
        monotone[p] = max(monotone[p], monotone[u])
    return monotone


@njit
def reading_places(parent, n):
    """Place of each leaf when every node's children stand in the order of their smallest leaves.

    Leaves numbered as they were read stand in that order, whatever the numbers of the inner nodes.
    parent : int32[N]; n : number of leaves
    Returns place : int32[n].
    """
    N = parent.shape[0]
    size = np.zeros(N, np.int32)
    for u in range(N):
        if u < n:
            size[u] = 1
        if parent[u] >= 0:
            size[parent[u]] += size[u]
    by_low = by_smallest_leaf(parent, n)
    taken = np.zeros(N, np.int32)  # leaves of the siblings before
    place = np.zeros(N, np.int32)
    for k in range(N):
        u = by_low[k]
        p = parent[u]
        if p >= 0:
            place[u] = taken[p]
            taken[p] += size[u]
    for u in range(N - 2, -1, -1):
        place[u] += place[parent[u]]
    return place[:n].copy()


@njit
def child_spans(parent, place, n):
    """Place of each node along the leaf axis: in the middle between its outermost children.

    parent : int32[N]; place : int32[n], place of each leaf; n : number of leaves
    Returns low, high : float64[N], the places of the first and last child (of the leaf itself, for a leaf); the node's
    own place is the mean of the two.
    """
    N = parent.shape[0]
    low = np.full(N, np.inf)
    high = np.full(N, -np.inf)
    for u in range(N):
        if u < n:
            low[u] = place[u]
            high[u] = place[u]
        p = parent[u]
        if p >= 0:
            middle = (low[u] + high[u]) / 2
            low[p] = min(low[p], middle)
            high[p] = max(high[p], middle)
    return low, high
