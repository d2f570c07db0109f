"""Agglomeration on a table of distances in which triplets may be violated, at a price.

The cost of a pair of clusters is log(distance) + penalty * (weight that merging them violates - weight that it
satisfies). A triplet ab|c of three clusters is satisfied when a and b merge, violated when c merges with one of them;
either way it is dead from then on. So a merge changes no cost but those of the merged cluster, and lower bounds of the
costs serve as those of the distances do in ``table``, whose places, bounds and blocks these are.

    rows : int64[m, 3], the clusters (slots) of each triplet, with rows[t, 2] = -1 where t is dead; weight : float64[m]
    head : int64[n], link : int64[3 m], a list of entries 3 t + k for each slot, that of the k-th end of triplet t
    spot : int64[n], place of each slot; push : float64[n], of each place, 0 but while one cluster's pairs are weighed
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.distance_table import BLOCK, first_of_least, least_of_block, pack
from tripletree.kernels.jit import inner, njit

__all__ = [
    "merge_softly",
]

_CENTROID, _MEDIAN, _WARD, _AVERAGE, _WEIGHTED, _COMPLETE = range(6)

# counters
MERGES, LIVE, FOUND, SEARCHES = range(4)


@inner
def _row(live, x):
    """Place of the pair (x, z), z > x, in the table, less z."""
    return x * live - (x * (x + 1)) // 2 - x - 1


@inner
def _united(linkage, p, q, between, wp, wq, wz):
    """Distance (squared for the linkages on centres) of z to the union of two clusters, at p and q from it.

    The update of Lance and Williams (1967).
    """
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
def _lay(rows, weight, head, link, spot, push, slot):
    """Add up, at the place of each cluster tied to a slot, the weight that merging the two violates, less satisfies.

    Entries of dead triplets leave the list.
    """
    before, entry = -1, head[slot]
    while entry >= 0:
        t, after = entry // 3, link[entry]
        if rows[t, 2] < 0:
            if before < 0:
                head[slot] = after
            else:
                link[before] = after
            entry = after
            continue
        a, b, c = spot[rows[t, 0]], spot[rows[t, 1]], spot[rows[t, 2]]
        k = entry - 3 * t
        if k == 2:
            push[a] += weight[t]
            push[b] += weight[t]
        else:
            push[b if k == 0 else a] -= weight[t]
            push[c] += weight[t]
        before, entry = entry, after


@inner
def _lift(rows, head, link, spot, push, slot):
    """Set to 0 what `_lay` has added up."""
    entry = head[slot]
    while entry >= 0:
        t = entry // 3
        for k in range(3):
            push[spot[rows[t, k]]] = 0.0
        entry = link[entry]


@inner
def _contract(rows, head, link, i, j):
    """Slot i is gone, its triplets are j's; those that have two ends in j now are dead."""
    entry, last = head[i], -1
    while entry >= 0:
        t = entry // 3
        if rows[t, 2] >= 0:
            rows[t, entry - 3 * t] = j
            a, b, c = rows[t, 0], rows[t, 1], rows[t, 2]
            if a == b or c in (a, b):
                rows[t, 2] = -1
        last, entry = entry, link[entry]
    if last >= 0:
        link[last] = head[j]
        head[j] = head[i]


@inner
def _search(linkage, penalty, table, bound, near, push, live, x):
    """Find the later cluster of the least cost with place x, the first of several; the pushes of x are laid."""
    best, at = np.inf, -1
    start = _row(live, x)
    for z in range(x + 1, live):
        if near[0, z] != -2:
            cost = _cost(linkage, table[start + z], penalty, push[z])
            if cost < best:
                best, at = cost, z
    bound[x], near[0, x] = best, at


@inner
def _offer(bound, least, near, z, x, y, cost):
    """Tell place z < x of the union of x and y, now at x."""
    k = near[0, z]
    stale = k in (x, y)
    if cost < bound[z] or (cost == bound[z] and (stale or k > x)):
        bound[z], near[0, z] = cost, x
        least[z // BLOCK] = min(least[z // BLOCK], cost)
    elif stale:
        near[0, z] = -1


@inner
def _unite(linkage, penalty, table, size, bound, least, near, push, live, x, y):
    """Merge place y into place x < y: new distances, and what they mean for the bounds. The pushes of x are laid."""
    from_x, from_y = _row(live, x), _row(live, y)
    between, wx, wy = table[from_x + y], size[x], size[y]
    size[x] = wx + wy
    bound[y], near[0, y] = np.inf, -2
    at = -1  # place of the pair (z, x), less x
    for z in range(x):
        if near[0, z] != -2:
            d = _united(linkage, table[at + x], table[at + y], between, wx, wy, size[z])
            table[at + x] = d
            _offer(bound, least, near, z, x, y, _cost(linkage, d, penalty, push[z]))
        at += live - z - 2
    at = _row(live, x + 1)
    for z in range(x + 1, y):
        if near[0, z] != -2:
            table[from_x + z] = _united(linkage, table[from_x + z], table[at + y], between, wx, wy, size[z])
            if near[0, z] == y:
                near[0, z] = -1
        at += live - z - 2
    for z in range(y + 1, live):
        if near[0, z] != -2:
            table[from_x + z] = _united(linkage, table[from_x + z], table[from_y + z], between, wx, wy, size[z])
    _search(linkage, penalty, table, bound, near, push, live, x)
    least_of_block(bound, least, live, x)
    least_of_block(bound, least, live, y)


@njit
def merge_softly(linkage, penalty, near_state, tied, merges, count, most):
    """Merge the pair of least cost, of equal ones the first, until all is one cluster or `most` merges are done.

    near_state : the arrays of ``table``; tied : rows, weight, head, link, spot, push, see above; merges :
    float64[n - 1, 3], slots and distance (squared for the linkages on centres); count : int64[4], LIVE is n at first
    Returns whether it ended. Oracle: `soft_definition`.
    """
    table, size, bound, least, near = near_state
    rows, weight, head, link, spot, push = tied
    n = near.shape[1]
    live = count[LIVE]
    if count[FOUND] < n:
        for x in range(count[FOUND], min(n, count[FOUND] + most)):
            _lay(rows, weight, head, link, spot, push, x)
            _search(linkage, penalty, table, bound, near, push, live, x)
            _lift(rows, head, link, spot, push, x)
            count[FOUND] += 1
        for x in range(0, live, BLOCK):
            least_of_block(bound, least, live, x)
        return n == 1
    goal = min(n - 1, count[MERGES] + most)
    while count[MERGES] < goal:
        x = first_of_least(bound, least, live)
        y, j = near[0, x], near[1, x]
        if y < 0:
            count[SEARCHES] += 1
            _lay(rows, weight, head, link, spot, push, j)
            _search(linkage, penalty, table, bound, near, push, live, x)
            _lift(rows, head, link, spot, push, j)
            least_of_block(bound, least, live, x)
            continue
        i, k = near[1, y], count[MERGES]
        merges[k, 0], merges[k, 1], merges[k, 2] = i, j, table[_row(live, x) + y]
        count[MERGES] = k + 1
        _contract(rows, head, link, i, j)
        _lay(rows, weight, head, link, spot, push, j)
        _unite(linkage, penalty, table, size, bound, least, near, push, live, x, y)
        _lift(rows, head, link, spot, push, j)
        if 4 * (n - count[MERGES]) < 3 * live and live > 64:
            live = pack(table, size, bound, least, near, live)
            for z in range(live):
                spot[near[1, z]] = z
    count[LIVE] = live
    return count[MERGES] == n - 1
