"""Irreducible conflicts in linear time: the smallest closed part of a tree of triplets.

Rows whose close pairs form a tree on leaves S, their third leaves in S as well, cannot hold together. Call a connected
part of the tree closed if the thirds of all its rows are in it: it cannot hold either, and rows that contain no closed
part can. So a closed part without a smaller one inside is an irreducible conflict. A row ab|c needs the rows on the
way from a to c; what it needs in the end is the least closed part around it. A part that all of its rows need, and that
needs nothing else, is a strongly connected component without a way out: the first that Tarjan's search completes.

The tree is rooted; the edge above vertex v stands for the row that has these two ends. Rows that have been met are
skipped on the way up by a union-find structure; the earliest row on the way to a third is found by walking it. Time
O(k) but for these walks, of which each is at most as long as the tree is deep.

Oracle: dropping rows one by one, in ``tests/laws/test_conflict_laws.py``.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import allocating, inner, njit

__all__ = ["closed_part"]


@allocating
def _rooted(rows, k, above, depth, edge):
    """Parents, depths and the row above each vertex, by breadth-first search from vertex 0."""
    start = np.zeros(k + 1, np.int64)
    for t in range(rows.shape[0]):
        start[rows[t, 0] + 1] += 1
        start[rows[t, 1] + 1] += 1
    for x in range(k):
        start[x + 1] += start[x]
    at = start.copy()
    near = np.empty(2 * rows.shape[0], np.int64)
    for t in range(rows.shape[0]):
        for side in range(2):
            near[at[rows[t, side]]] = t
            at[rows[t, side]] += 1
    order = np.empty(k, np.int64)
    order[0], above[0], depth[0], edge[0] = 0, -1, 0, -1
    done = 1
    for i in range(k):
        x = order[i]
        for p in range(start[x], start[x + 1]):
            t = near[p]
            y = rows[t, 0] + rows[t, 1] - x
            if t != edge[x]:
                above[y], depth[y], edge[y] = x, depth[x] + 1, t
                order[done] = y
                done += 1


@inner
def _top(skip, x):
    """The lowest vertex at or above x whose edge has not been met."""
    while skip[x] != x:
        skip[x] = skip[skip[x]]
        x = skip[x]
    return x


@inner
def _next_on_way(above, depth, skip, x, y):
    """The lower end of an edge between x and y that has not been met; -1 if all have been."""
    x, y = _top(skip, x), _top(skip, y)
    if x == y:
        return -1
    return x if depth[x] > depth[y] or (depth[x] == depth[y] and x > y) else y


@inner
def _earliest(above, depth, number, x, y):
    """The smallest number of an edge between x and y."""
    least = number.size
    while x != y and least > 0:
        if depth[x] < depth[y]:
            x, y = y, x
        least = min(least, number[x])
        x = above[x]
    return least


@njit
def closed_part(rows, k):
    """Mark the rows of a closed part that has no smaller one inside.

    rows : int32[k - 1, 3]; the close pairs are a tree on 0..k-1, the thirds are among these
    Returns bool[k - 1].
    """
    above, depth, edge = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    _rooted(rows, k, above, depth, edge)
    skip = np.arange(k)
    number = np.full(k, k, np.int64)  # when the edge above a vertex was met
    low = np.empty(k, np.int64)
    way = np.empty(k, np.int64)  # vertices whose edges are being looked at
    met = np.empty(k, np.int64)
    part = np.zeros(rows.shape[0], np.bool_)
    v = k - 1 if k > 1 else 0  # any vertex but the root
    number[v], low[v], way[0], met[0] = 0, 0, v, v
    skip[v] = above[v]
    length, count = 1, 1
    while length > 0:
        v = way[length - 1]
        c = rows[edge[v], 2]
        w = _next_on_way(above, depth, skip, v, c)
        if w >= 0:
            number[w] = low[w] = count
            met[count] = w
            way[length] = w
            skip[w] = above[w]
            length += 1
            count += 1
            continue
        low[v] = min(low[v], _earliest(above, depth, number, v, c))
        if low[v] == number[v]:
            for i in range(number[v], count):
                part[edge[met[i]]] = True
            return part
        length -= 1
        low[way[length - 1]] = min(low[way[length - 1]], low[v])
    return part
