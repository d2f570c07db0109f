"""Each cluster's nearest later one, for agglomeration on a table of distances in which the closest pair may be barred.

Live clusters stand at places in the order of their slots. A pair belongs to the earlier place. `bound` is at most
the distance of every pair of its place that is not rejected. If `near` names a place, that pair attains it and is
the first that does. So the place of the least bound either holds the closest pair, the first one in the order of
(distance, earlier place, later place), or has to be scanned again. (Müllner's generic algorithm. With rejections,
nearest-neighbour chains are not valid for any linkage.) For average, weighted and complete linkage. Single linkage has
a table of its own, ``single_linkage``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import Integers, Reals, allocating, inner
from tripletree.kernels.rejected_pairs import is_rejected

_AVERAGE, _WEIGHTED = 3, 4

#: Places looked at together.
BLOCK = 256

#: In the place of a nearest place: it has to be searched. There is no cluster at this place any more.
UNKNOWN, EMPTY = -1, -2


class DistanceTable(NamedTuple):
    """The live clusters at their places, and the distances between them."""

    distances: Reals  #: in scipy's condensed order of the live places
    weight: Reals  #: of each place: samples in its cluster
    bound: Reals  #: of each place
    least: Reals  #: of each block of places: the least bound
    nearest: Integers  #: of each place: place of the nearest later cluster, UNKNOWN or EMPTY
    cluster: Integers  #: id of the cluster at each place


def new_table(distances, weight, bound):
    """The table of clusters that have not searched. The arrays given are used, not copied."""
    n = len(weight)
    least = np.full((n + BLOCK - 1) // BLOCK, np.inf, bound.dtype)
    return DistanceTable(distances, weight, bound, least, np.full(n, UNKNOWN), np.arange(n))


@inner
def row_start(live, x):
    """Place of the pair (x, z), z > x, in the condensed distances, less z."""
    return x * live - (x * (x + 1)) // 2 - x - 1


@inner
def any_below(values, limit):
    """Whether a value is below the limit."""
    # counting vectorises, a search for the first does not
    count = 0
    for j in range(len(values)):
        if values[j] < limit:
            count += 1
    return count > 0


@inner
def scan(table, live, x, rejected):
    """Find the nearest later cluster of place x that is not rejected: the first one at the least distance."""
    best = table.bound.dtype.type(np.inf)
    at = UNKNOWN
    start = row_start(live, x)
    for lo in range(x + 1, live, BLOCK):
        values = table.distances[start + lo : start + min(lo + BLOCK, live)]
        if not any_below(values, best):
            continue
        for j in range(len(values)):
            if values[j] >= best or table.nearest[lo + j] == EMPTY:
                continue
            # only a candidate for the nearest is looked up among the rejected, as that is a random access
            if not is_rejected(rejected, table.cluster[x], table.cluster[lo + j]):
                best = values[j]
                at = lo + j
    table.bound[x] = best
    table.nearest[x] = at


@inner
def least_of_block(table, live, x):
    """Renew the least bound of the block of place x."""
    bound = table.bound
    lo = x - x % BLOCK
    low = bound[lo]
    for k in range(lo, min(lo + BLOCK, live)):
        low = min(low, bound[k])
    table.least[x // BLOCK] = low


@inner
def first_of_least(table, live):
    """The first place of the least bound."""
    at = 0
    for k in range(1, (live + BLOCK - 1) // BLOCK):
        if table.least[k] < table.least[at]:
            at = k
    low = table.least[at]
    x = at * BLOCK
    while table.bound[x] != low:
        x += 1
    return x


@inner
def _united(linkage, p, q, wp, wq):
    """Distance of a cluster to the union of two, at distances p and q (Lance and Williams 1967)."""
    if linkage == _AVERAGE:
        return (wp * p + wq * q) / (wp + wq)
    if linkage == _WEIGHTED:
        return (p + q) / 2
    return max(p, q)


@inner
def _offer(table, z, x, y, distance, barred):
    """Offer place z < x the union of x and y, which is at x now. Returns whether the bound of z is lower now."""
    k = table.nearest[z]
    stale = k in (x, y)  # the nearest of z has merged
    # at the same distance the union comes first if the nearest so far is part of it, or stands later
    if not barred and (distance < table.bound[z] or (distance == table.bound[z] and (stale or k > x))):
        table.nearest[z] = x
        lower = distance < table.bound[z]
        table.bound[z] = distance
        return lower
    if stale:
        table.nearest[z] = UNKNOWN  # its bound is still one: the distances of all others are at least that
    return False


@inner
def update(table, linkage, live, x, y, rejected):
    """Merge place y into place x < y: one pass over all places. The cluster at x must be the merged one already.

    Distances to an empty place go stale: nobody reads them.
    """
    distances, bound, nearest = table.distances, table.bound, table.nearest
    wx, wy = table.weight[x], table.weight[y]
    table.weight[x] = wx + wy
    bound[y] = np.inf
    nearest[y] = EMPTY
    merged = table.cluster[x]
    at = -1  # place of the pair (z, x), less x
    for z in range(x):
        if nearest[z] != EMPTY:
            d = _united(linkage, distances[at + x], distances[at + y], wx, wy)
            distances[at + x] = d
            if (d <= bound[z] or nearest[z] in (x, y)) and _offer(
                table, z, x, y, d, is_rejected(rejected, table.cluster[z], merged)
            ):
                table.least[z // BLOCK] = min(table.least[z // BLOCK], d)
        at += live - z - 2  # row z + 1 is one entry shorter
    from_x, from_y = row_start(live, x), row_start(live, y)
    at = row_start(live, x + 1)
    for z in range(x + 1, y):
        distances[from_x + z] = _united(linkage, distances[from_x + z], distances[at + y], wx, wy)
        if nearest[z] == y:
            nearest[z] = UNKNOWN  # the union is in the row of x, so the bound of z stays one
        at += live - z - 2
    for z in range(y + 1, live):
        distances[from_x + z] = _united(linkage, distances[from_x + z], distances[from_y + z], wx, wy)
    scan(table, live, x, rejected)
    least_of_block(table, live, x)
    least_of_block(table, live, y)


@allocating
def pack(table, live):
    """Close the gaps, in order, in the distances as well. Returns the number of live places."""
    nearest = table.nearest
    moved = np.empty(live, np.int64)
    kept = np.int64(0)
    for z in range(live):
        moved[z] = kept
        if nearest[z] != EMPTY:
            kept += 1
    to, start = 0, 0  # `start` : place of the pair (x, x + 1)
    for x in range(live):
        if nearest[x] != EMPTY:
            for z in range(x + 1, live):
                if nearest[z] != EMPTY:
                    table.distances[to] = table.distances[start + z - x - 1]
                    to += 1
        start += live - x - 1
    for z in range(live):
        if nearest[z] != EMPTY:
            to = moved[z]
            table.weight[to] = table.weight[z]
            table.bound[to] = table.bound[z]
            table.cluster[to] = table.cluster[z]
            nearest[to] = nearest[z] if nearest[z] < 0 else moved[nearest[z]]
    for z in range(0, kept, BLOCK):
        least_of_block(table, kept, z)
    return kept
