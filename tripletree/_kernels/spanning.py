"""A spanning forest of the triplets' close pairs, and a numbering in which neighbours stand close together.

Linear in leaves and triplets, up to the near constant cost of disjoint sets. What ``even_shiloach`` starts from.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import njit
from tripletree._kernels.disjoint_set import unite

__all__ = ["prepare"]


@njit
def _forest(abc, n):
    """Mark the triplets that form a spanning forest, taken in a scrambled order. Returns uint8[m], components."""
    m = abc.shape[1]
    up = np.arange(n).astype(np.int32)
    tree = np.zeros(m, np.uint8)
    stride = np.int64(m * 0.6180339887) | 1
    while np.gcd(stride, m) != 1:
        stride += 2
    t = np.int64(0)
    k = n
    for _ in range(m):
        if unite(up, abc[0, t], abc[1, t]):
            tree[t] = 1
            k -= 1
        t += stride
        if t >= m:
            t -= m
    return tree, k


@njit
def _walk_order(abc, tree, n):
    """Number the leaves in depth-first order of the forest: neighbours stand close together. Returns int32[n]."""
    m = abc.shape[1]
    start = np.zeros(n + 2, np.int32)
    for t in range(m):
        if tree[t]:
            start[abc[0, t] + 2] += 1
            start[abc[1, t] + 2] += 1
    for x in range(n + 1):
        start[x + 1] += start[x]
    ends = np.empty(start[n + 1], np.int32)
    for t in range(m):
        if tree[t]:
            a, b = abc[0, t], abc[1, t]
            ends[start[a + 1]] = b
            start[a + 1] += 1
            ends[start[b + 1]] = a
            start[b + 1] += 1
    number = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int32)
    fresh = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        stack[0], top = root, 1
        number[root] = -2
        while top > 0:
            top -= 1
            x = stack[top]
            number[x] = fresh
            fresh += 1
            for i in range(start[x], start[x + 1]):
                if number[ends[i]] == -1:
                    number[ends[i]] = -2
                    stack[top] = ends[i]
                    top += 1
    return number


@njit
def prepare(abc, n):
    """Renumber the leaves so that neighbours are close in memory, and sort the triplets by their first end.

    abc : int32[3, m]; n : number of leaves
    Returns abc : int32[3, m] renumbered and sorted; tree : uint8[m], 1 for the edges of a spanning forest;
    number : int32[n], the new number of each leaf; k : number of components.
    """
    m = abc.shape[1]
    tree, k = _forest(abc, n)
    number = _walk_order(abc, tree, n)
    end = np.zeros(n + 1, np.int32)
    for t in range(m):
        end[number[abc[0, t]] + 1] += 1
    for x in range(n):
        end[x + 1] += end[x]
    out = np.empty_like(abc)
    flag = np.empty(m, np.uint8)
    for t in range(m):
        a = number[abc[0, t]]
        place = end[a]
        end[a] += 1
        out[0, place] = a
        out[1, place] = number[abc[1, t]]
        out[2, place] = number[abc[2, t]]
        flag[place] = tree[t]
    return out, flag, number, k
