"""A minimum cut of a graph with positive weights (Stoer and Wagner), contracting more than one edge at a time.

The kernel of a baseline of `repair`, see ``baselines_repair.py``.

In each phase vertices are taken in the order of their weight towards those taken before; the last one against all
others is a cut, and no lighter one parts the last two. Likewise no cut lighter than q parts the ends of an edge with
which the weight of its later end has reached q (Nagamochi and Ibaraki 1992): where q is at least the lightest cut
known, they are contracted too, and a phase leaves few vertices.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.heaps import heapify, pop, renew
from tripletree.kernels.jit import inner, njit

__all__ = ["minimum_cut"]


@inner
def _members(up, head, follow):
    """Chain the vertices of each set from its root, and return the number of sets."""
    k, live = up.shape[0], 0
    for x in range(k):
        head[x] = -1
    for x in range(k):
        r = find(up, x)
        if r == x:
            live += 1
        follow[x] = head[r]
        head[r] = x
    return live


@inner
def _lightest(up, head, follow, start, other, edge, degree):
    """The root of the set with the lightest cut against all others; fills in these cuts."""
    best = -1
    for r in range(up.shape[0]):
        if head[r] >= 0:
            degree[r] = 0.0
            x = head[r]
            while x >= 0:
                for e in range(start[x], start[x + 1]):
                    if find(up, other[e]) != r:
                        degree[r] += edge[e]
                x = follow[x]
            if best < 0 or degree[r] < degree[best]:
                best = r
    return best


@inner
def _phase(live, up, joined, head, follow, start, other, edge, key, heap, place, least):
    """Take the sets one after the other; unite in `joined` those that no cut lighter than `least` parts."""
    for r in range(up.shape[0]):
        key[r] = 0.0 if head[r] >= 0 else -1.0
    heapify(heap, place, key)
    before, last, size = -1, -1, up.shape[0]
    for _ in range(live):
        r = pop(heap, size, place, key)
        size -= 1
        before, last = last, r
        x = head[r]
        while x >= 0:
            for e in range(start[x], start[x + 1]):
                y = find(up, other[e])
                if place[y] >= 0:
                    key[y] += edge[e]
                    renew(heap, size, place, key, y)
                    if key[y] >= least:
                        unite(joined, r, y)
            x = follow[x]
    unite(joined, before, last)


@njit
def minimum_cut(ends, weight, k):
    """Split the vertices 0..k-1 of a connected graph in two so that the edges between weigh least.

    Time O(k (m + k) log k) at worst, a few phases of O((m + k) log k) as a rule; memory O(m + k).

    ends : int32[m, 2]; weight : float64[m], positive; k : at least 2
    Returns side : int32[k], 0 or 1; steps : int. Oracle: ``networkx.stoer_wagner``.
    """
    m = ends.shape[0]
    start = np.zeros(k + 1, np.int64)
    for e in range(m):
        start[ends[e, 0] + 1] += 1
        start[ends[e, 1] + 1] += 1
    for x in range(k):
        start[x + 1] += start[x]
    at = start[:-1].copy()
    other, edge = np.empty(2 * m, np.int32), np.empty(2 * m, np.float64)
    for e in range(m):
        for i in range(2):
            x = ends[e, i]
            other[at[x]], edge[at[x]] = ends[e, 1 - i], weight[e]
            at[x] += 1
    up = np.arange(k).astype(np.int32)
    head, follow = np.empty(k, np.int32), np.empty(k, np.int32)
    key, degree = np.empty(k, np.float64), np.empty(k, np.float64)
    heap, place, side = np.empty(k, np.int32), np.empty(k, np.int32), np.zeros(k, np.int32)
    least, steps = np.inf, 0
    live = _members(up, head, follow)
    while live > 1:
        r = _lightest(up, head, follow, start, other, edge, degree)
        if degree[r] < least:
            least = degree[r]
            for x in range(k):
                side[x] = 1 if find(up, x) == r else 0
        joined = up.copy()
        _phase(live, up, joined, head, follow, start, other, edge, key, heap, place, least)
        up = joined
        live = _members(up, head, follow)
        steps += 4 * m + k
    return side, steps
