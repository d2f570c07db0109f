"""Assignments of nodes to k clusters in which no neighbours share one, by mending the clashes of one (tabu search).

    start : int32[m + 1], near : int32[2 e], read-only: the neighbours of v are near[start[v]:start[v + 1]]
    label : int32[m]
    beside : int32[m, k], how many neighbours of v are in c; until : int64[m, k], v may not go to c before that step
    crowd : int32[2, m]: the nodes that clash, and the place of each there (-1 for none)
    where : int64[4]: clashing edges, length of the crowd, steps done, the state of the random numbers

Oracle: no edge joins nodes of one label.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit

__all__ = ["begin_mending", "mend"]

EDGES, CROWD, STEP, RANDOM = range(4)

#: Steps that a node may not go back: so many, drawn at random, and this part of the number of nodes that clash.
_TENURE, _SHARE = 10, 0.6


@njit
def begin_mending(start, near, label, k, seed):
    """The state of the search: beside, until, crowd, where."""
    m = len(label)
    beside, until = np.zeros((m, k), np.int32), np.zeros((m, k), np.int64)
    crowd, where = np.full((2, m), -1, np.int32), np.zeros(4, np.int64)
    where[RANDOM] = seed
    for v in range(m):
        for e in range(start[v], start[v + 1]):
            beside[v, label[near[e]]] += 1
    for v in range(m):
        where[EDGES] += beside[v, label[v]]
        _stand(label, beside, crowd, where, v)
    where[EDGES] //= 2
    return beside, until, crowd, where


@inner
def _stand(label, beside, crowd, where, v):
    """Put v into the crowd if it clashes, else take it out."""
    place = crowd[1, v]
    if beside[v, label[v]] > 0:
        if place < 0:
            crowd[0, where[CROWD]] = v
            crowd[1, v] = where[CROWD]
            where[CROWD] += 1
    elif place >= 0:
        where[CROWD] -= 1
        last = crowd[0, where[CROWD]]
        crowd[0, place] = last
        crowd[1, last] = place
        crowd[1, v] = -1


@inner
def _random(where):
    """A number in [0, 1), and the next state."""
    where[RANDOM] = (where[RANDOM] * 1103515245 + 12345) % 2147483648
    return where[RANDOM] / 2147483648.0


@njit
def mend(start, near, label, beside, until, crowd, where, limit):
    """Move clashing nodes, the best way each time, but not back at once, for `limit` steps: the clashing edges left."""
    k = beside.shape[1]
    fewest = where[EDGES]
    for _ in range(limit):
        if where[EDGES] == 0:
            break
        where[STEP] += 1
        best, ties, node, cluster = 0, 0, -1, -1
        for i in range(where[CROWD]):
            v = crowd[0, i]
            now = beside[v, label[v]]
            for c in range(k):
                change = beside[v, c] - now
                if c == label[v] or (node >= 0 and change > best):
                    continue
                if until[v, c] > where[STEP] and where[EDGES] + change >= fewest:
                    continue
                if node < 0 or change < best:
                    best, ties = change, 0
                    node = -1
                ties += 1
                if node < 0 or _random(where) * ties < 1.0:
                    node, cluster = v, c
        if node < 0:
            continue  # all are waiting
        old = label[node]
        until[node, old] = where[STEP] + int(_random(where) * _TENURE) + int(_SHARE * where[CROWD]) + 1
        label[node] = cluster
        where[EDGES] += best
        for e in range(start[node], start[node + 1]):
            w = near[e]
            beside[w, old] -= 1
            beside[w, cluster] += 1
            _stand(label, beside, crowd, where, w)
        _stand(label, beside, crowd, where, node)
        fewest = min(fewest, where[EDGES])
    return where[EDGES]
