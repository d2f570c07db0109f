"""The best hierarchy of a few leaves, by dynamic programming over their subsets.

A first split (X, Y) of leaves S displays ab|c when a and b are on one side and c is on the other. With a weight of w/2
on the pairs ac and bc and of -w/2 on ab, that is w times the sum over the pairs that the split parts: what a split
displays is the weight of a cut. The subsets X of a set S are gone through by Gray code, one leaf changing sides at each
step.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit

__all__ = ["best_split"]


@inner
def _pair_weights(rows, weight, group, edge):
    """Fill in the weights of the pairs of leaves in the set of bits `group`; 0 elsewhere."""
    k = edge.shape[0]
    for i in range(k):
        for j in range(k):
            edge[i, j] = 0.0
    for t in range(rows.shape[0]):
        a, b, c = rows[t, 0], rows[t, 1], rows[t, 2]
        bits = (1 << a) | (1 << b) | (1 << c)
        if group & bits == bits:
            half = 0.5 * weight[t]
            edge[a, b] -= half
            edge[b, a] -= half
            edge[a, c] += half
            edge[c, a] += half
            edge[b, c] += half
            edge[c, b] += half


@inner
def _best_of(group, edge, best, member, gain):
    """The greatest weight for the leaves in `group`, and the side of the split without its last leaf."""
    k = edge.shape[0]
    size = 0
    for i in range(k):
        if group >> i & 1:
            member[size] = i
            size += 1
    # gain[i]: what the cut gains when member i changes sides; all are on one side to begin with
    for i in range(size):
        gain[i] = 0.0
        for j in range(size):
            gain[i] += edge[member[i], member[j]]
    top, chosen, side, cut = -1.0, 0, 0, 0.0
    for step in range(1, 1 << (size - 1)):
        i = 0
        while not step >> i & 1:
            i += 1
        x = member[i]
        side ^= 1 << x
        cut += gain[i]
        gain[i] = -gain[i]
        here = side >> x & 1
        for j in range(size):
            if j != i:
                y = member[j]
                if side >> y & 1 == here:
                    gain[j] += 2.0 * edge[x, y]
                else:
                    gain[j] -= 2.0 * edge[x, y]
        total = best[side] + best[group ^ side] + cut
        if total > top:
            top, chosen = total, side
    return top, chosen


@njit
def best_split(rows, weight, k):
    """The first split of a hierarchy that displays the greatest weight.

    Time O(3**k k + 2**k m), memory O(2**k).

    rows : int32[m, 3], triplets over the leaves 0..k-1; weight : float64[m]; k : number of leaves, at least 2
    Returns side : int32[k], 0 or 1 for each leaf. Oracle: enumeration in ``tests/laws/test_repair_laws.py``.
    """
    best = np.zeros(1 << k, np.float64)
    edge = np.empty((k, k), np.float64)
    member = np.empty(k, np.int64)
    gain = np.empty(k, np.float64)
    chosen = 0
    for group in range(1, 1 << k):
        if group & (group - 1) == 0:
            continue
        _pair_weights(rows, weight, group, edge)
        best[group], chosen = _best_of(group, edge, best, member, gain)
    side = np.empty(k, np.int32)
    for i in range(k):
        side[i] = chosen >> i & 1
    return side
