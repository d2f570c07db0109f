"""Passes over a parent array for linkages, cuts and drawings: clusters of a cut, levels, monotone heights, positions.

``parent[u] > u`` for every node but the root, which is last and has parent -1. Each kernel is linear in the number of
nodes; the oracles stand in ``tests/unit/test_linkage.py`` and ``tests/unit/test_layout.py``.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import njit
from tripletree._kernels.rooted_tree import by_smallest_leaf

__all__ = ["child_spans", "cut_labels", "levels", "monotone_heights", "reading_places"]


@njit
def cut_labels(parent, first_split, n):
    """Number the clusters that remain when the nodes from `first_split` up are split.

    parent : int32[N]; first_split : a node, or N where none is split; n : number of leaves
    Returns label : int64[n], clusters numbered from 0 by their first leaf.
    """
    N = parent.shape[0]
    top = np.empty(N, np.int32)  # the highest ancestor that stays whole
    for u in range(N - 1, -1, -1):
        p = parent[u]
        top[u] = u if p < 0 or p >= first_split else top[p]
    number = np.full(N, -1, np.int32)
    label = np.empty(n, np.int64)
    fresh = 0
    for u in range(n):
        t = top[u]
        if number[t] < 0:
            number[t] = fresh
            fresh += 1
        label[u] = number[t]
    return label


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
