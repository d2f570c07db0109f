"""Agglomeration on a table of distances in which triplets may be violated, at a price.

The cost of a pair of clusters is log(distance) + penalty * (weight that merging them violates - weight that it
satisfies). A triplet ab|c of three clusters is satisfied when a and b merge, violated when c merges with one of them;
either way it is dead from then on. So a merge changes no cost but those of the merged cluster, and lower bounds of the
costs serve as those of the distances do in ``distance_table``, whose places, bounds and blocks these are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.distance_table import BLOCK, EMPTY, UNKNOWN, first_of_least, least_of_block, pack, row_start
from tripletree.kernels.jit import inner, njit

__all__ = [
    "Priced",
    "SoftMerges",
    "merge_softly",
    "new_merges",
]

_CENTROID, _MEDIAN, _WARD, _AVERAGE, _WEIGHTED, _COMPLETE = range(6)


class Priced(NamedTuple):
    """The triplets and their weights, as lists of ends for each cluster."""

    rows: np.ndarray  #: int64[m, 3]: the clusters of each triplet; the third is -1 where it is dead
    weight: np.ndarray  #: float64[m]
    head: np.ndarray  #: int64[n]: the first entry of each cluster; entry 3 t + k is end k of triplet t
    next: np.ndarray  #: int64[3 m]: of each entry
    place: np.ndarray  #: int64[n]: of each cluster
    push: np.ndarray  #: float64[n], of each place: 0 but while the pairs of one cluster are weighed


class SoftMerges(NamedTuple):
    """What the merging is at; the counters have one entry each."""

    merges: np.ndarray  #: float64[n - 1, 3]: clusters, the second of which stays, and distance
    n_merges: np.ndarray
    live: np.ndarray  #: places in use
    searched: np.ndarray  #: clusters that have made their first search
    searches: np.ndarray  #: those that had to be made again


def new_merges(n):
    """The state before the first merge."""
    count = np.zeros((4, 1), np.int64)
    count[1] = n
    return SoftMerges(np.empty((n - 1, 3)), *count)


@inner
def _united(linkage, p, q, between, weights):
    """Distance (squared for the linkages on centres) of z to the union of two clusters, at p and q from it.

    The update of Lance and Williams (1967). weights : numbers of samples of the two clusters, and of z
    """
    wp, wq, wz = weights
    if linkage == _CENTROID:
        united = (wp * p + wq * q) / (wp + wq) - wp * wq * between / (wp + wq) / (wp + wq)
    elif linkage == _MEDIAN:
        united = (p + q) / 2 - between / 4
    elif linkage == _WARD:
        united = ((wz + wp) * p + (wz + wq) * q - wz * between) / (wz + wp + wq)
    elif linkage == _AVERAGE:
        united = (wp * p + wq * q) / (wp + wq)
    elif linkage == _WEIGHTED:
        united = (p + q) / 2
    elif linkage == _COMPLETE:
        united = max(p, q)
    else:
        united = min(p, q)
    return max(united, 0.0)


@inner
def _cost(linkage, distance, penalty, push):
    if distance <= 0.0:
        return -np.inf
    part = 0.5 if linkage <= _WARD else 1.0
    return part * np.log(np.float64(distance)) + penalty * push


@inner
def _lay(priced, cluster):
    """Add up, at the place of each cluster tied to this one, the weight that merging the two violates, less satisfies.

    Entries of dead triplets leave the list.
    """
    rows, place, push = priced.rows, priced.place, priced.push
    before, entry = -1, priced.head[cluster]
    while entry >= 0:
        t, after = entry // 3, priced.next[entry]
        if rows[t, 2] < 0:
            if before < 0:
                priced.head[cluster] = after
            else:
                priced.next[before] = after
            entry = after
            continue
        a, b, c = place[rows[t, 0]], place[rows[t, 1]], place[rows[t, 2]]
        weight = priced.weight[t]
        k = entry - 3 * t
        if k == 2:
            push[a] += weight
            push[b] += weight
        else:
            push[b if k == 0 else a] -= weight
            push[c] += weight
        before, entry = entry, after


@inner
def _lift(priced, cluster):
    """Set to 0 what `_lay` has added up."""
    entry = priced.head[cluster]
    while entry >= 0:
        t = entry // 3
        for k in range(3):
            priced.push[priced.place[priced.rows[t, k]]] = 0.0
        entry = priced.next[entry]


@inner
def _contract(priced, i, j):
    """Cluster i is gone, its triplets are j's; those that have two ends in j now are dead."""
    rows = priced.rows
    entry, last = priced.head[i], -1
    while entry >= 0:
        t = entry // 3
        if rows[t, 2] >= 0:
            rows[t, entry - 3 * t] = j
            a, b, c = rows[t, 0], rows[t, 1], rows[t, 2]
            if a == b or c in (a, b):
                rows[t, 2] = -1
        last, entry = entry, priced.next[entry]
    if last >= 0:
        priced.next[last] = priced.head[j]
        priced.head[j] = priced.head[i]


@inner
def _search(linkage, penalty, table, push, live, x):
    """Find the later cluster of the least cost with place x, the first of several; the pushes of x are laid."""
    best, at = np.inf, UNKNOWN
    start = row_start(live, x)
    for z in range(x + 1, live):
        if table.nearest[z] != EMPTY:
            cost = _cost(linkage, table.distances[start + z], penalty, push[z])
            if cost < best:
                best, at = cost, z
    table.bound[x], table.nearest[x] = best, at


@inner
def _offer(table, z, x, y, cost):
    """Offer place z < x the union of x and y, which is at x now."""
    k = table.nearest[z]
    stale = k in (x, y)
    if cost < table.bound[z] or (cost == table.bound[z] and (stale or k > x)):
        table.bound[z], table.nearest[z] = cost, x
        table.least[z // BLOCK] = min(table.least[z // BLOCK], cost)
    elif stale:
        table.nearest[z] = UNKNOWN


@inner
def _unite(linkage, penalty, table, push, live, pair):
    """Merge place y into place x < y: new distances, and what they mean for the bounds. The pushes of x are laid."""
    x, y = pair
    distances, size, nearest = table.distances, table.weight, table.nearest
    from_x, from_y = row_start(live, x), row_start(live, y)
    between, wx, wy = distances[from_x + y], size[x], size[y]
    size[x] = wx + wy
    table.bound[y], nearest[y] = np.inf, EMPTY
    at = -1  # place of the pair (z, x), less x
    for z in range(x):
        if nearest[z] != EMPTY:
            d = _united(linkage, distances[at + x], distances[at + y], between, (wx, wy, size[z]))
            distances[at + x] = d
            _offer(table, z, x, y, _cost(linkage, d, penalty, push[z]))
        at += live - z - 2
    at = row_start(live, x + 1)
    for z in range(x + 1, y):
        if nearest[z] != EMPTY:
            distances[from_x + z] = _united(
                linkage, distances[from_x + z], distances[at + y], between, (wx, wy, size[z])
            )
            if nearest[z] == y:
                nearest[z] = UNKNOWN
        at += live - z - 2
    for z in range(y + 1, live):
        if nearest[z] != EMPTY:
            distances[from_x + z] = _united(
                linkage, distances[from_x + z], distances[from_y + z], between, (wx, wy, size[z])
            )
    _search(linkage, penalty, table, push, live, x)
    least_of_block(table, live, x)
    least_of_block(table, live, y)


@njit
def merge_softly(linkage, penalty, table, priced, run, most):
    """Merge the pair of least cost, of equal ones the first, until all is one cluster or `most` merges are done.

    Distances are squared for the linkages on centres. Returns whether it ended. Oracle: `soft_definition`.
    """
    push, cluster = priced.push, table.cluster
    n = len(cluster)
    live = run.live[0]
    if run.searched[0] < n:
        for x in range(run.searched[0], min(n, run.searched[0] + most)):
            _lay(priced, x)
            _search(linkage, penalty, table, push, live, x)
            _lift(priced, x)
            run.searched[0] += 1
        for x in range(0, live, BLOCK):
            least_of_block(table, live, x)
        return n == 1
    goal = min(n - 1, run.n_merges[0] + most)
    while run.n_merges[0] < goal:
        x = first_of_least(table, live)
        y, j = table.nearest[x], cluster[x]
        if y < 0:
            run.searches[0] += 1
            _lay(priced, j)
            _search(linkage, penalty, table, push, live, x)
            _lift(priced, j)
            least_of_block(table, live, x)
            continue
        i, k = cluster[y], run.n_merges[0]
        run.merges[k, 0], run.merges[k, 1], run.merges[k, 2] = i, j, table.distances[row_start(live, x) + y]
        run.n_merges[0] = k + 1
        _contract(priced, i, j)
        _lay(priced, j)
        _unite(linkage, penalty, table, push, live, (x, y))
        _lift(priced, j)
        if 4 * (n - run.n_merges[0]) < 3 * live and live > 64:
            live = pack(table, live)
            for z in range(live):
                priced.place[cluster[z]] = z
    run.live[0] = live
    return run.n_merges[0] == n - 1
