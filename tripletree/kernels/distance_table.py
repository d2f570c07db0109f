"""Each cluster's nearest later one, for agglomeration on a table of distances in which the closest pair may be barred.

Live clusters stand at places in the order of their slots; a pair belongs to the earlier place. `bound` is at most
the distance of every pair of its place that is not rejected; where `near` names a place, that pair attains it and is
the first that does. So the place of the least bound either holds the closest pair, the first one in the order of
(distance, earlier place, later place), or has to be scanned again. (Müllner's generic algorithm; with rejections,
nearest-neighbour chains are not valid for any linkage.)

    table : float[live (live - 1) / 2 at least], distances in scipy's condensed order of `live` places
    weight : float[n], samples in each cluster; bound : float[n]; least : float[blocks], of each block
    near : int64[2, n], place of the nearest later cluster (-1 unknown, -2 empty place), slot at each place
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import allocating, inner
from tripletree.kernels.rejected_pairs import is_rejected

__all__ = [
    "BLOCK",
    "first_of_least",
    "least_of_block",
    "pack",
    "scan",
    "update",
]

_AVERAGE, _WEIGHTED, _COMPLETE = 3, 4, 5

#: Places looked at together.
BLOCK = 256


@inner
def _row(live, x):
    """Place of the pair (x, z), z > x, in the table, less z."""
    return x * live - (x * (x + 1)) // 2 - x - 1


@inner
def _any_below(values, limit):
    count = 0
    for j in range(len(values)):
        if values[j] < limit:
            count += 1
    return count > 0


@inner
def scan(table, bound, near, live, x, bits, row):
    """Find the nearest later cluster of place x that is not rejected: the first one at the least distance."""
    best = bound.dtype.type(np.inf)
    at = -1
    start = _row(live, x)
    for lo in range(x + 1, live, BLOCK):
        values = table[start + lo : start + min(lo + BLOCK, live)]
        if not _any_below(values, best):
            continue
        for j in range(len(values)):
            if values[j] >= best or near[0, lo + j] == -2:
                continue
            if not is_rejected(bits, row, near[1, x], near[1, lo + j]):
                best = values[j]
                at = lo + j
    bound[x] = best
    near[0, x] = at


@inner
def least_of_block(bound, least, live, x):
    """Renew the least bound of the block of place x."""
    lo = x - x % BLOCK
    low = bound[lo]
    for k in range(lo, min(lo + BLOCK, live)):
        low = min(low, bound[k])
    least[x // BLOCK] = low


@inner
def first_of_least(bound, least, live):
    """The first place of the least bound."""
    at = 0
    for k in range(1, (live + BLOCK - 1) // BLOCK):
        if least[k] < least[at]:
            at = k
    low = least[at]
    x = at * BLOCK
    while bound[x] != low:
        x += 1
    return x


@inner
def _united(linkage, p, q, wp, wq):
    """Distance of a cluster to the union of two, at distances p and q (Lance and Williams 1967)."""
    if linkage == _AVERAGE:
        return (wp * p + wq * q) / (wp + wq)
    if linkage == _WEIGHTED:
        return (p + q) / 2
    if linkage == _COMPLETE:
        return max(p, q)
    return min(p, q)


@inner
def _offer(bound, near, z, x, y, d, barred):
    """Tell place z < x of the union of x and y, now at x, at distance d. Returns whether its bound is lower now."""
    k = near[0, z]
    stale = k in (x, y)
    if not barred and (d < bound[z] or (d == bound[z] and (stale or k > x))):
        near[0, z] = x
        lower = d < bound[z]
        bound[z] = d
        return lower
    if stale:
        near[0, z] = -1
    return False


@inner
def update(table, weight, linkage, bound, least, near, live, x, y, bits, row):
    """Merge place y into place x < y: one pass over all places. The slot at x must hold the merged cluster already.

    What the table says of an empty place does not matter.
    """
    wx, wy = weight[x], weight[y]
    weight[x] = wx + wy
    bound[y] = np.inf
    near[0, y] = -2
    slot = near[1, x]
    at = -1  # place of the pair (z, x), less x
    for z in range(x):
        if near[0, z] != -2:
            d = _united(linkage, table[at + x], table[at + y], wx, wy)
            table[at + x] = d
            if (d <= bound[z] or near[0, z] in (x, y)) and _offer(
                bound, near, z, x, y, d, is_rejected(bits, row, near[1, z], slot)
            ):
                least[z // BLOCK] = min(least[z // BLOCK], d)
        at += live - z - 2
    from_x, from_y = _row(live, x), _row(live, y)
    at = _row(live, x + 1)
    for z in range(x + 1, y):
        table[from_x + z] = _united(linkage, table[from_x + z], table[at + y], wx, wy)
        if near[0, z] == y:
            near[0, z] = -1
        at += live - z - 2
    for z in range(y + 1, live):
        table[from_x + z] = _united(linkage, table[from_x + z], table[from_y + z], wx, wy)
    scan(table, bound, near, live, x, bits, row)
    least_of_block(bound, least, live, x)
    least_of_block(bound, least, live, y)


@allocating
def pack(table, weight, bound, least, near, live):
    """Close the gaps, in order, in the table as well. Returns the number of live places."""
    moved = np.empty(live, np.int64)
    kept = 0
    for z in range(live):
        moved[z] = kept
        if near[0, z] != -2:
            kept += 1
    to, start = 0, 0  # `start` : place of the pair (x, x + 1)
    for x in range(live):
        if near[0, x] != -2:
            for z in range(x + 1, live):
                if near[0, z] != -2:
                    table[to] = table[start + z - x - 1]
                    to += 1
        start += live - x - 1
    for z in range(live):
        if near[0, z] != -2:
            to = moved[z]
            weight[to] = weight[z]
            bound[to] = bound[z]
            near[1, to] = near[1, z]
            near[0, to] = near[0, z] if near[0, z] < 0 else moved[near[0, z]]
    for z in range(0, kept, BLOCK):
        least_of_block(bound, least, kept, z)
    return kept
