"""Walks over a rooted graph in which nodes have several parents.

Lists of neighbours are concatenated: those of u are value[start[u]:start[u + 1]]. Each kernel but `dominators` is
linear in the number of nodes and edges.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit

__all__ = ["best_parent", "dominators", "grouped", "reached", "repeated", "top_down"]


@njit
def grouped(key, n):
    """A counting sort: the places of each key, in order.

    key : int32[m], every entry in 0..n-1
    Returns start : int32[n + 1], place : int32[m]; key k stands at place[start[k]:start[k + 1]].
    """
    m = key.shape[0]
    start = np.zeros(n + 1, np.int32)
    for i in range(m):
        start[key[i] + 1] += 1
    for k in range(n):
        start[k + 1] += start[k]
    cursor = start[:-1].copy()
    place = np.empty(m, np.int32)
    for i in range(m):
        k = key[i]
        place[cursor[k]] = i
        cursor[k] += 1
    return start, place


@njit
def repeated(start, value):
    """Which values occurred before in the same group.

    start : int32[n + 1]; value : int32[m], every entry in 0..n-1, group k is value[start[k]:start[k + 1]]
    Returns again : bool[m].
    """
    n = start.shape[0] - 1
    last = np.full(n, -1, np.int32)
    again = np.zeros(value.shape[0], np.bool_)
    for k in range(n):
        for i in range(start[k], start[k + 1]):
            again[i] = last[value[i]] == k
            last[value[i]] = k
    return again


@njit
def top_down(up_start, down_start, down):
    """Order the nodes so that parents stand before children, and measure the longest path to each.

    up_start, down_start : int32[N + 1]; down : int32[p], the children of u are down[down_start[u]:down_start[u + 1]]
    Returns order : int32[k] (k == N unless there is a cycle), level : int32[N].
    """
    N = up_start.shape[0] - 1
    waiting = np.empty(N, np.int32)
    level = np.zeros(N, np.int32)
    order = np.empty(N, np.int32)
    k = 0
    for u in range(N):
        waiting[u] = up_start[u + 1] - up_start[u]
        if waiting[u] == 0:
            order[k] = u
            k += 1
    head = 0
    while head < k:
        u = order[head]
        head += 1
        for i in range(down_start[u], down_start[u + 1]):
            v = down[i]
            level[v] = max(level[v], level[u] + 1)
            waiting[v] -= 1
            if waiting[v] == 0:
                order[k] = v
                k += 1
    return order[:k], level


@njit
def reached(start, value, sources):
    """Which nodes can be reached from some nodes along lists of neighbours, the nodes themselves included.

    start : int32[N + 1]; value : int32[p], the neighbours of u are value[start[u]:start[u + 1]]; sources : int32[k]
    Returns mark : bool[N].
    """
    N = start.shape[0] - 1
    mark = np.zeros(N, np.bool_)
    stack = np.empty(N, np.int32)
    top = 0
    for i in range(sources.shape[0]):
        if not mark[sources[i]]:
            mark[sources[i]] = True
            stack[top] = sources[i]
            top += 1
    while top > 0:
        top -= 1
        u = stack[top]
        for i in range(start[u], start[u + 1]):
            v = value[i]
            if not mark[v]:
                mark[v] = True
                stack[top] = v
                top += 1
    return mark


@njit
def best_parent(start, up, score):
    """The parent of greatest score of each node, the first of those that tie, -1 where there is none.

    start : int32[N + 1]; up : int32[p]; score : int64[N]
    Returns best : int32[N].
    """
    N = start.shape[0] - 1
    best = np.full(N, -1, np.int32)
    for u in range(N):
        for i in range(start[u], start[u + 1]):
            if best[u] < 0 or score[up[i]] > score[best[u]]:
                best[u] = up[i]
    return best


@inner
def _meeting(p, q, idom, jump, depth):
    """The lowest common dominator of two nodes, in O(log N): `jump` leads to far dominators at equal depths."""
    while depth[p] > depth[q]:
        p = jump[p] if depth[jump[p]] >= depth[q] else idom[p]
    while depth[q] > depth[p]:
        q = jump[q] if depth[jump[q]] >= depth[p] else idom[q]
    while p != q:
        if jump[p] != jump[q]:
            p, q = jump[p], jump[q]
        else:
            p, q = idom[p], idom[q]
    return p


@njit
def dominators(start, up, N):
    """The immediate dominator of each node: where its parents meet in the tree of those above. O(p log N).

    Node d dominates u when every path from the root to u passes d; the nearest such d other than u is idom[u].

    start : int32[t + 1]; up : int32[p], the parents of u are up[start[u]:start[u + 1]], all greater than u; N : number
    of nodes, t, or t + 1 where the last one stands above all nodes without parents
    Returns idom : int32[N], -1 at the root N - 1. Oracle: ``dominators_definition``.
    """
    idom = np.full(N, -1, np.int32)
    jump = np.full(N, N - 1, np.int32)
    depth = np.zeros(N, np.int32)
    for u in range(N - 2, -1, -1):
        p = np.int32(N - 1)
        if start[u] < start[u + 1]:
            p = up[start[u]]
            for i in range(start[u] + 1, start[u + 1]):
                p = _meeting(p, up[i], idom, jump, depth)
        idom[u] = p
        depth[u] = depth[p] + 1
        far = jump[p]
        # two jumps of one length are joined to one (skew binary numbers)
        jump[u] = jump[far] if depth[p] - depth[far] == depth[far] - depth[jump[far]] else p
    return idom
