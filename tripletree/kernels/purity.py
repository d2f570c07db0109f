"""Class shares over a hierarchy: small clades are counted into large ones, along the heavy paths.

A heavy path goes from a node down to a leaf, to the child with the most leaves each time. Along it counts only grow:
each other child brings its leaves, and a leaf is brought at most log2(n) times. Nothing recurses.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import njit
from tripletree.kernels.rooted_tree import child_lists


@njit
def purity_sum(parent, code, start, stop, order, k):
    """Sum, over the pairs of leaves of one class, of the share of that class in the clade where the two meet.

    Time O(n log n), memory O(n). Oracle: ``purity_by_pairs`` in ``tests/unit/test_score.py``.

    parent : int32[N]
    code : int32[n], class of each leaf in 0..k-1, -1 if it has none (it counts nowhere)
    start, stop : int32[N], order : int32[n], from `leaf_intervals`
    k : number of classes
    Returns total : float64, a whole number where every share is 1.
    """
    N = parent.shape[0]
    first, child = child_lists(parent)
    heavy = np.full(N, -1, np.int32)  # the child with the most leaves
    for u in range(N - 1):
        p = parent[u]
        h = heavy[p]
        if h < 0 or stop[u] - start[u] > stop[h] - start[h]:
            heavy[p] = u
    count = np.zeros(k, np.int64)  # of each class in the clade reached so far
    met = np.zeros(k, np.int64)  # pairs of each class that meet at the current node
    total = 0.0
    for top in range(N):
        if top < N - 1 and heavy[parent[top]] == top:
            continue  # inside a heavy path
        u = top
        while heavy[u] >= 0:
            u = heavy[u]
        known = 0  # leaves with a class in the clade reached so far
        if code[u] >= 0:
            count[code[u]] = 1
            known = 1
        while u != top:
            # up to v: each light child meets the leaves counted so far, then is counted itself
            v = parent[u]
            for j in range(first[v], first[v + 1]):
                w = child[j]
                if w == u:
                    continue
                for i in range(start[w], stop[w]):  # before any leaf of w counts: pairs inside w met further down
                    c = code[order[i]]
                    if c >= 0:
                        met[c] += count[c]
                for i in range(start[w], stop[w]):
                    c = code[order[i]]
                    if c >= 0:
                        count[c] += 1
                        known += 1
            for j in range(first[v], first[v + 1]):
                w = child[j]
                if w == u:
                    continue
                for i in range(start[w], stop[w]):
                    c = code[order[i]]
                    if c >= 0 and met[c] > 0:  # a class once, at its first leaf; count and known are those of v now
                        total += met[c] * (count[c] / known)
                        met[c] = 0
            u = v
        for i in range(start[top], stop[top]):  # only the entries that were used, to stay within O(n log n)
            c = code[order[i]]
            if c >= 0:
                count[c] = 0
    return total
