"""Agglomeration in which triplets may be violated, at a price: on centres, or on a table of distances.

The cost of a pair of clusters is log(distance) + penalty * push, where push is the weight that merging them violates,
less the weight that it satisfies. A triplet ab|c of three clusters is satisfied when a and b merge, violated when c
merges with one of them. Either way it is dead from then on. So a merge changes no cost but the costs of the merged
cluster, and lower bounds of the costs serve as bounds of distances do in ``centres`` and ``distance_table``, whose
places,
bounds and blocks these are.

Most pairs of clusters are in no triplet, and cost their distance. The others are ties, each with its push and
its triplets. A merge walks the ties of the two clusters, of which there are fewer than clusters, and each triplet dies
once. So m triplets take O(m log n) time in all besides, and O(m) memory.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tripletree.kernels.centres import BLOCK as PLACES
from tripletree.kernels.centres import closest, distances_of_block, merge, pack, reach_boxes
from tripletree.kernels.centres import least_of_block as renew_least
from tripletree.kernels.disjoint_set import find
from tripletree.kernels.distance_table import BLOCK, EMPTY, UNKNOWN, first_of_least, least_of_block, row_start
from tripletree.kernels.distance_table import pack as pack_table
from tripletree.kernels.jit import inner, njit

_CENTROID, _MEDIAN, _WARD, _AVERAGE, _WEIGHTED, _COMPLETE = range(6)

#: By how much a distance may exceed the one that costs as much as the best pair: the rounding of log and exp, and more.
_SLACK = 1 + 1e-6
#: Costs below which a difference of two is no longer exact enough for that.
_EXACT = -1e6


class Ties(NamedTuple):
    """The pairs of clusters that live triplets name, with the costs of their merges, and these triplets.

    Each pair is in the lists of two clusters, and has a list of triplets. Dead pairs and triplets stay in lists until
    they are walked.
    """

    rows: np.ndarray  #: int64[m, 3]: the leaves of each triplet. The third is -1 if it is dead
    weight: np.ndarray  #: float64[m]
    into: np.ndarray  #: int64[n]: disjoint sets of samples. The root is the id of the cluster
    ends: np.ndarray  #: int64[2 p]: a sample of each of the two clusters of pair e, at 2 e and 2 e + 1
    next: np.ndarray  #: int64[2 p]: the entry after each end in the list of its cluster
    head: np.ndarray  #: int64[n]: the first end in the list of each cluster
    push: np.ndarray  #: float64[p]: weight that merging the pair violates, less the weight that it satisfies
    count: np.ndarray  #: int64[p]: live triplets of the pair, 0 if it is no longer one
    first: np.ndarray  #: int64[p]: the first triplet of each pair. 3 t + k is triplet t, whose end k is not in the pair
    last: np.ndarray  #: int64[p]
    after: np.ndarray  #: int64[3 m]: the entry after each in its list
    place: np.ndarray  #: int64[n]: of each cluster
    of_cluster: np.ndarray  #: int64[n], scratch: the pair of each cluster and the one that merges, -1 for none
    laid: np.ndarray  #: int64[n], scratch: places tied to the cluster that searches
    pushes: np.ndarray  #: float64[n], scratch: of each place, 0 except for those laid
    least: np.ndarray  #: float64[blocks], scratch: the least push in each block of centres, at most 0


class SoftMerges(NamedTuple):
    """The state of the merging. The counters have one entry each."""

    merges: np.ndarray  #: float64[n - 1, 3]: clusters, the second of which stays, and distance
    n_merges: np.ndarray
    live: np.ndarray  #: places in use
    searched: np.ndarray  #: clusters that have made their first search
    searches: np.ndarray  #: those that had to be made again


def new_merges(n, live):
    """The state before the first merge."""
    count = np.zeros((4, 1), np.int64)
    count[1] = live
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
    # (numpy's logarithm rounds otherwise than the one of compiled code)
    return part * math.log(np.float64(distance)) + penalty * push


# ---------------------------------------------------------------------- ties


@inner
def _lay(ties, j):
    """Write down the push of each place tied to cluster j, and drop dead ties from its list. Returns their number."""
    before, x, number = -1, ties.head[j], 0
    while x >= 0:
        after = ties.next[x]
        if ties.count[x // 2] > 0:
            before = x
            z = ties.place[find(ties.into, ties.ends[x ^ 1])]
            ties.laid[number], ties.pushes[z] = z, ties.push[x // 2]
            number += 1
        elif before < 0:
            ties.head[j] = after
        else:
            ties.next[before] = after
        x = after
    return number


@inner
def _lift(ties, number):
    """Set to 0 the entries that `_lay` has written."""
    for r in range(number):
        ties.pushes[ties.laid[r]] = 0.0


@inner
def _name_ties(ties, j):
    """Write down the pair of each cluster tied to cluster j."""
    x = ties.head[j]
    while x >= 0:
        if ties.count[x // 2] > 0:
            ties.of_cluster[find(ties.into, ties.ends[x ^ 1])] = x // 2
        x = ties.next[x]


@inner
def _hand_over(ties, i, j):
    """Rename the ties of cluster i to ties of j, whose own have been named. Two ties to one cluster become one."""
    x = ties.head[i]
    while x >= 0:
        following, e = ties.next[x], x // 2
        if ties.count[e] > 0:
            k = find(ties.into, ties.ends[x ^ 1])
            f = ties.of_cluster[k]
            if f < 0:
                ties.of_cluster[k] = e
                ties.next[x], ties.head[j] = ties.head[j], x
            else:
                ties.push[f] += ties.push[e]
                ties.count[f] += ties.count[e]
                ties.count[e] = 0
                ties.after[ties.last[f]], ties.last[f] = ties.first[e], ties.last[e]
        x = following


@inner
def _end_triplets(ties, e):
    """The clusters of pair e have merged: its triplets are dead, and their other two pairs, one by now, lose them."""
    x = ties.first[e]
    while x >= 0:
        t, k = x // 3, x % 3
        if ties.rows[t, 2] >= 0:
            f = ties.of_cluster[find(ties.into, ties.rows[t, k])]
            ties.count[f] -= 2
            if k == 2:  # satisfied: it held both others apart, else they push and pull alike
                ties.push[f] -= 2 * ties.weight[t]
            if ties.count[f] == 0:
                ties.push[f] = 0.0  # exactly, whatever the rounding of sums
            ties.rows[t, 2] = -1
        x = ties.after[x]


@inner
def _unite_ties(ties, i, j):
    """Merge cluster i into cluster j, and lay the ties of j after that. Returns how many. O(ties of both).

    Oracle: `soft_definition`, which looks through all triplets at each step.
    """
    _name_ties(ties, j)
    between = ties.of_cluster[i]
    if between >= 0:
        ties.of_cluster[i] = -1
        ties.count[between] = 0
    _hand_over(ties, i, j)
    ties.into[i] = j
    if between >= 0:
        _end_triplets(ties, between)
    x = ties.head[j]
    while x >= 0:
        ties.of_cluster[find(ties.into, ties.ends[x ^ 1])] = -1
        x = ties.next[x]
    return _lay(ties, j)


# ---------------------------------------------------------------------- on centres


@inner
def _worth(linkage, cost):
    """The distance that costs so much by itself."""
    return np.exp(2 * cost if linkage <= _WARD else cost)


@inner
def _find_nearest(linkage, penalty, centres, ties, live, x, number):
    """Find the cluster of the least cost with place x, the first in the order of ties. Its `number` ties are laid.

    A block is skipped if its box is farther away than a pair may be that costs as much as the best so far, after the
    factor by which the least push in the block draws it near. At most O(n d), and mostly far less.
    """
    pushes, least, cluster = ties.pushes, ties.least, centres.cluster
    for r in range(number):
        z = ties.laid[r]
        least[z // PLACES] = min(least[z // PLACES], pushes[z])
    reach_boxes(centres, linkage, live, x)
    best, at, limit = np.inf, -1, np.inf
    own = x // PLACES
    for step in range(-1, (live + PLACES - 1) // PLACES):  # the own block first, for a good start
        b = own if step < 0 else step
        if step == own:
            continue
        within = limit
        if least[b] < 0:  # by costs, since the worth of a large push may be too small for a number
            push = penalty * least[b]
            within = _worth(linkage, best - push) * _SLACK if push > _EXACT else np.inf
        if centres.box_distances[b] > within or (best == -np.inf and centres.first[b] >= at):
            continue
        lo = b * PLACES
        values = centres.distances[: min(PLACES, live - lo)]
        if not distances_of_block(centres, linkage, x, lo, values, centres.points.dtype.type(within)):
            continue
        for j in range(len(values)):
            push = pushes[lo + j]
            if values[j] > (within if push < 0 else limit) or values[j] == np.inf or lo + j == x:
                continue
            cost = _cost(linkage, values[j], penalty, push)
            if cost < best or (cost == best and cluster[lo + j] < at):
                best, at, limit = cost, cluster[lo + j], _worth(linkage, cost) * _SLACK
    for r in range(number):
        least[ties.laid[r] // PLACES] = 0.0
    centres.bound[x], centres.nearest[x] = best, at
    if at >= 0:
        centres.nearest_born[x] = centres.born[at]
    renew_least(centres, live, x)


@inner
def _distance(linkage, centres, live, x, y):
    """The distance of two places, as searches see it."""
    lo = y - y % PLACES
    values = centres.distances[: min(PLACES, live - lo)]
    distances_of_block(centres, linkage, x, lo, values, centres.points.dtype.type(np.inf))
    return values[y - lo]


@njit
def merge_centres_softly(linkage, penalty, centres, ties, run, most):
    """Merge the pair of least cost, of equal ones the first, until all is one cluster or `most` steps are done.

    Steps are merges, or first searches. Distances are squared. Returns whether it ended. Time O(n^2 d + m log n) at
    most, memory O(n d + m). Oracle: `soft_definition`.
    """
    cluster, place = centres.cluster, centres.place
    n = len(cluster)
    live = run.live[0]
    if live == 0:
        live = pack(centres, n)
    if run.searched[0] < n:  # first searches: the nearest of each place
        last = min(n, run.searched[0] + most)
        for x in range(run.searched[0], last):
            number = _lay(ties, cluster[x])
            _find_nearest(linkage, penalty, centres, ties, live, x, number)
            _lift(ties, number)
        run.searched[0], run.live[0] = last, live
        return n == 1
    goal = min(n - 1, run.n_merges[0] + most)
    while run.n_merges[0] < goal:
        x, fresh = closest(centres, live)
        s, t = cluster[x], centres.nearest[x]
        if fresh:  # the bound is a cost: no pair is cheaper
            i, j = max(s, t), min(s, t)
            gone, x = place[i], place[j]
            k = run.n_merges[0]
            run.merges[k, 0], run.merges[k, 1] = i, j
            run.merges[k, 2] = _distance(linkage, centres, live, x, gone)
            run.n_merges[0] = k + 1
            number = _unite_ties(ties, i, j)
            merge(centres, linkage, gone, x, k + 1)
            renew_least(centres, live, gone)
        else:  # the nearest one has merged meanwhile: search again
            run.searches[0] += 1
            number = _lay(ties, s)
        _find_nearest(linkage, penalty, centres, ties, live, x, number)
        _lift(ties, number)
        if 4 * (n - run.n_merges[0]) < 3 * live:
            live = pack(centres, live)
    run.live[0] = live
    return run.n_merges[0] == n - 1


# ---------------------------------------------------------------------- on a table of distances


@inner
def _search(linkage, penalty, table, push, live, x):
    """Find the later cluster of the least cost with place x, the first of several. The pushes of x are laid."""
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
    """Merge place y into place x < y: new distances, and new bounds that follow. The pushes of x are laid."""
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
def merge_table_softly(linkage, penalty, table, ties, run, most):
    """As `merge_centres_softly`, on a table of distances, squared for linkages on centres.

    Time O(n^2) mostly, O(n^3 + m log n) at worst, memory O(n^2 + m).
    """
    pushes, cluster = ties.pushes, table.cluster
    n = len(cluster)
    live = run.live[0]
    if run.searched[0] < n:
        for x in range(run.searched[0], min(n, run.searched[0] + most)):
            number = _lay(ties, x)
            _search(linkage, penalty, table, pushes, live, x)
            _lift(ties, number)
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
            number = _lay(ties, j)
            _search(linkage, penalty, table, pushes, live, x)
            _lift(ties, number)
            least_of_block(table, live, x)
            continue
        i, k = cluster[y], run.n_merges[0]
        run.merges[k, 0], run.merges[k, 1], run.merges[k, 2] = i, j, table.distances[row_start(live, x) + y]
        run.n_merges[0] = k + 1
        number = _unite_ties(ties, i, j)
        _unite(linkage, penalty, table, pushes, live, (x, y))
        _lift(ties, number)
        if 4 * (n - run.n_merges[0]) < 3 * live and live > 64:
            live = pack_table(table, live)
            for z in range(live):
                ties.place[cluster[z]] = z
    run.live[0] = live
    return run.n_merges[0] == n - 1
