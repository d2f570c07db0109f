"""Splits of leaves by the triplets inside them: components, two sides that few triplets lose by, one leaf at a time.

A split in two displays ab|c when a and b are on one side and c is on the other, and loses it when a and b are parted.
With a weight of w/2 on the pairs ac and bc and of -w/2 - penalty * w on ab, what is displayed less `penalty` times what
is lost is the sum over all pairs that the split parts: a cut in a graph with positive and negative weights.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import allocating, inner, njit
from tripletree._kernels.disjoint_set import find, unite
from tripletree._kernels.heaps import heapify, pop, renew

__all__ = ["bisect", "components", "cut_graph", "peel"]


@njit
def components(rows, k):
    """Number the components of the leaves 0..k-1 under an edge ab for each triplet ab|c, by their smallest leaf.

    rows : int32[m, 3]; k : number of leaves
    Returns label : int32[k], number of components : int.
    """
    up = np.arange(k).astype(np.int32)
    parts = k
    for t in range(rows.shape[0]):
        if unite(up, rows[t, 0], rows[t, 1]):
            parts -= 1
            if parts == 1:
                break
    label = np.zeros(k, np.int32)
    if parts > 1:
        parts = 0
        for x in range(k):
            if find(up, x) == x:
                label[x] = parts
                parts += 1
            else:
                label[x] = label[up[x]]  # the root is the smallest of its set, and comes first
    return label, parts


@allocating
def cut_graph(rows, weight, k, penalty):
    """The graph of cuts, see above: each leaf's neighbours, once each, and the weights of these pairs.

    Returns start, stop : int64[k], other : int32[6 m], edge : float64[6 m]; those of x are at start[x]..stop[x]-1.
    """
    m = rows.shape[0]
    start, stop = np.zeros(k + 1, np.int64), np.empty(k, np.int64)
    for t in range(m):
        for i in range(3):
            start[rows[t, i] + 1] += 2
    for x in range(k):
        start[x + 1] += start[x]
        stop[x] = start[x]
    other, edge = np.empty(6 * m, np.int32), np.empty(6 * m, np.float64)
    for t in range(m):
        for i in range(3):
            for j in range(3):
                if i != j:
                    x = rows[t, i]
                    other[stop[x]] = rows[t, j]
                    edge[stop[x]] = (0.5 if i == 2 or j == 2 else -0.5 - penalty) * weight[t]
                    stop[x] += 1
    at = np.full(k, -1, np.int64)
    for x in range(k):
        end = start[x]
        for e in range(start[x], stop[x]):
            y = other[e]
            if at[y] < start[x]:
                at[y] = end
                other[end], edge[end] = y, edge[e]
                end += 1
            else:
                edge[at[y]] += edge[e]
        stop[x] = end
    return start, stop, other, edge


@inner
def _gains(side, start, stop, other, edge, gain):
    """What the cut gains when each leaf changes sides; returns the weight of the cut."""
    twice = 0.0
    for x in range(side.shape[0]):
        gain[x] = 0.0
        for e in range(start[x], stop[x]):
            if side[other[e]] == side[x]:
                gain[x] += edge[e]
            else:
                gain[x] -= edge[e]
                twice += edge[e]
    return 0.5 * twice


@inner
def _one_pass(side, start, stop, other, edge, gain, heap, place, moved, patience):
    """Each leaf changes sides at most once, the one that gains most first; back to the best cut that was met.

    Returns what has been gained, and the steps taken.
    """
    k = side.shape[0]
    heapify(heap, place, gain)
    ones = 0
    for x in range(k):
        ones += side[x]
    gained, best, kept, steps = 0.0, 0.0, 0, k
    for i in range(k):
        x = pop(heap, k - i, place, gain)
        gained += gain[x]
        side[x] = 1 - side[x]
        ones += 2 * side[x] - 1
        moved[i] = x
        for e in range(start[x], stop[x]):
            y = other[e]
            if place[y] >= 0:
                gain[y] += 2.0 * edge[e] if side[y] == side[x] else -2.0 * edge[e]
                renew(heap, k - i - 1, place, gain, y)
        steps += stop[x] - start[x]
        if 0 < ones < k and gained > best:
            best, kept = gained, i + 1
        if i + 1 - kept >= patience or i + 1 == k:
            for j in range(i, kept - 1, -1):
                side[moved[j]] = 1 - side[moved[j]]
            break
    return best, steps


@njit
def bisect(rows, weight, k, penalty, starts, most_passes):
    """Split the leaves 0..k-1 in two: passes of Fiduccia and Mattheyses from several starts, the best of them.

    Time O((k + m) log k) a pass, memory O(k + m).

    rows : int32[m, 3]; weight : float64[m]; k : number of leaves, at least 2; penalty : float, see above;
    starts : int32[s, k], 0 or 1 for each leaf; most_passes : int, from each start
    Returns side : int32[k], 0 or 1, both occur; steps : int.
    """
    start, stop, other, edge = cut_graph(rows, weight, k, penalty)
    gain, moved = np.empty(k, np.float64), np.empty(k, np.int32)
    heap, place = np.empty(k, np.int32), np.empty(k, np.int32)
    side, best_side = np.empty(k, np.int32), np.empty(k, np.int32)
    best, steps = -np.inf, 6 * rows.shape[0]
    slack = 0.0
    for t in range(rows.shape[0]):
        slack += weight[t]
    slack *= 1e-12
    for s in range(starts.shape[0]):
        ones = 0
        for x in range(k):
            side[x] = starts[s, x]
            ones += side[x]
        if ones == 0 or ones == k:
            side[0] = 1 - side[0]
        for _ in range(most_passes):
            _gains(side, start, stop, other, edge, gain)
            gained, taken = _one_pass(side, start, stop, other, edge, gain, heap, place, moved, 50 + k // 4)
            steps += taken
            if gained <= slack:
                break
        cut = _gains(side, start, stop, other, edge, gain)
        if cut > best:
            best = cut
            for x in range(k):
                best_side[x] = side[x]
    return best_side, steps


@njit
def peel(rows, weight, k):
    """Split the leaves 0..k-1 off one by one; the ladder displays at least a third of the weight.

    Each time the leaf goes for which what becomes displayed (it is the c of ab|c), less a third of the weight of all
    its triplets at hand, is greatest: it is at least 0, as the sum of this over all leaves is 0. Time
    O((k + m) log k), memory O(k + m).

    rows : int32[m, 3]; weight : float64[m]; k : number of leaves
    Returns order : int32[k], the leaf next to the root first.
    """
    m = rows.shape[0]
    start = np.zeros(k + 1, np.int64)
    key = np.zeros(k, np.float64)
    for t in range(m):
        for i in range(3):
            start[rows[t, i] + 1] += 1
            key[rows[t, i]] += (2.0 if i == 2 else -1.0) * weight[t]
    for x in range(k):
        start[x + 1] += start[x]
    stop, of = start[:-1].copy(), np.empty(3 * m, np.int64)
    for t in range(m):
        for i in range(3):
            of[stop[rows[t, i]]] = t
            stop[rows[t, i]] += 1
    alive = np.ones(m, np.bool_)
    heap, place, order = np.empty(k, np.int32), np.empty(k, np.int32), np.empty(k, np.int32)
    heapify(heap, place, key)
    for i in range(k):
        x = pop(heap, k - i, place, key)
        order[i] = x
        for e in range(start[x], start[x + 1]):
            t = of[e]
            if alive[t]:
                alive[t] = False
                for j in range(3):
                    y = rows[t, j]
                    if y != x:
                        key[y] -= (2.0 if j == 2 else -1.0) * weight[t]
                        renew(heap, k - i - 1, place, key, y)
    return order
