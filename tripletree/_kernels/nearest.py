"""Each cluster's nearest later one, for agglomeration in which the closest pair may not be merged.

Live clusters stand at places 0..live-1 in the order of their slots; a pair belongs to the earlier place. `bound` is at
most the distance of every pair of its place that is not rejected; where `near` names a place, that pair attains it and
is the first that does. So the place of the least bound either holds the closest pair, the first one in the order of
(distance, earlier place, later place), or has to be scanned again. (Müllner's generic algorithm; with rejections,
nearest-neighbour chains are not valid for any linkage.)

    points : float[d, n], coordinates of the centres, a row a dimension, dimensions of large spread first; or
    table : float[n (n - 1) / 2], distances in scipy's condensed order (then nothing is moved: places are slots)
    weight : float[n], samples in each cluster (1 where empty); bound : float[n]; least : float[blocks], of each block
    near : int64[2, n], place of the nearest later cluster (-1 unknown, -2 empty), slot at each place
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner
from tripletree._kernels.rejected import is_rejected

__all__ = ["BLOCK", "LINKAGES", "closest", "pack", "renew_block", "scan", "update"]

#: Place in this list is a linkage's number in the kernels; the first three work on points.
LINKAGES = ("centroid", "median", "ward", "average", "weighted", "complete", "single")
_WARD, _AVERAGE, _WEIGHTED, _COMPLETE = 2, 3, 4, 5

#: Places looked at together.
BLOCK = 256
#: Dimensions summed before a block is given up.
_FIRST = 4


@inner
def _sum_dimensions(points, start, stop, x, lo, hi, out):
    """Add the squared differences of dimensions start..stop-1 between place x and places lo..hi-1 to out."""
    for k in range(start, stop):
        others = points[k, lo:hi]
        here = points[k, x]
        for j in range(len(others)):
            t = others[j] - here
            out[j] += t * t


@inner
def _clear(values):
    for j in range(len(values)):
        values[j] = 0


@inner
def _times_ward(weight, x, lo, hi, out):
    here = weight[x]
    others = weight[lo:hi]
    for j in range(len(others)):
        out[j] *= 2 * here * others[j] / (here + others[j])


@inner
def _count_below(values, limit):
    count = 0
    for j in range(len(values)):
        if values[j] < limit:
            count += 1
    return count


@inner
def _row(n, x):
    """Place of the pair (x, z), z > x, in the condensed table, less z."""
    return x * n - (x * (x + 1)) // 2 - x - 1


@inner
def _block_below(points, table, weight, linkage, n, x, lo, hi, limit, out):
    """Fill out[:hi - lo] with the distances of x to places lo..hi-1, x < lo; False if none is below the limit."""
    size = hi - lo
    values = out[:size]
    if linkage > _WARD:
        start = _row(n, x) + lo
        others = table[start : start + size]
        for j in range(len(others)):
            values[j] = others[j]
        return _count_below(values, limit) > 0
    _clear(values)
    d = points.shape[0]
    first = min(d, _FIRST)
    _sum_dimensions(points, 0, first, x, lo, hi, values)
    if first < d and linkage != _WARD and _count_below(values, limit) == 0:
        return False
    _sum_dimensions(points, first, d, x, lo, hi, values)
    if linkage == _WARD:
        _times_ward(weight, x, lo, hi, values)
    return _count_below(values, limit) > 0


@inner
def scan(points, table, weight, linkage, bound, near, live, x, bits, row, out):
    """Find the nearest later cluster of place x that is not rejected: the first one at the least distance."""
    n = near.shape[1]
    best = bound.dtype.type(np.inf)
    at = -1
    lo = x + 1
    while lo < live:
        hi = min(lo - lo % BLOCK + BLOCK, live)
        if _block_below(points, table, weight, linkage, n, x, lo, hi, best, out):
            for j in range(hi - lo):
                if out[j] >= best or near[0, lo + j] == -2:
                    continue
                if not is_rejected(bits, row, near[1, x], near[1, lo + j]):
                    best = out[j]
                    at = lo + j
        lo = hi
    bound[x] = best
    near[0, x] = at


@inner
def renew_block(bound, least, live, x):
    """The least bound of the block of place x."""
    lo = x - x % BLOCK
    low = bound[lo]
    for k in range(lo, min(lo + BLOCK, live)):
        low = min(low, bound[k])
    least[x // BLOCK] = low


@inner
def closest(bound, least, live):
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
def _merge_centres(points, weight, linkage, x, y):
    """Put the centre of the union of places x and y at y, and x out of reach."""
    for k in range(points.shape[0]):
        if linkage == 1:
            points[k, y] = (points[k, x] + points[k, y]) / 2
        else:
            points[k, y] = (weight[x] * points[k, x] + weight[y] * points[k, y]) / (weight[x] + weight[y])
        points[k, x] = np.inf


@inner
def _merged_distance(linkage, p, q, wx, wy):
    """Distance of a cluster to the union of two, at distances p and q (Lance and Williams 1967)."""
    if linkage == _AVERAGE:
        return (wx * p + wy * q) / (wx + wy)
    if linkage == _WEIGHTED:
        return (p + q) / 2
    if linkage == _COMPLETE:
        return max(p, q)
    return min(p, q)


@inner
def _merge_rows(table, weight, linkage, near, n, x, y):
    """Put the distances of the union of places x < y into the table for y, and x out of reach."""
    wx, wy = weight[x], weight[y]
    at_x, at_y = x - 1, y - 1  # places of (z, x) and (z, y), for z = 0
    for z in range(y):
        if z < x:
            if near[0, z] != -2:
                table[at_y] = _merged_distance(linkage, table[at_x], table[at_y], wx, wy)
                table[at_x] = np.inf
            at_x += n - z - 2
        elif z > x and near[0, z] != -2:
            table[at_y] = _merged_distance(linkage, table[_row(n, x) + z], table[at_y], wx, wy)
        at_y += n - z - 2
    from_x, from_y = _row(n, x), _row(n, y)
    for z in range(y + 1, n):
        table[from_y + z] = _merged_distance(linkage, table[from_x + z], table[from_y + z], wx, wy)


@inner
def _distances_to(points, table, weight, linkage, n, y, lo, hi, out):
    """Fill out[:hi - lo] with the distances of place y to places lo..hi-1; what is at y itself does not matter."""
    values = out[: hi - lo]
    if linkage <= _WARD:
        _clear(values)
        _sum_dimensions(points, 0, points.shape[0], y, lo, hi, values)
        if linkage == _WARD:
            _times_ward(weight, y, lo, hi, values)
        return
    at = lo * n - (lo * (lo + 1)) // 2 + y - lo - 1
    for z in range(lo, min(hi, y)):
        values[z - lo] = table[at]
        at += n - z - 2
    start = _row(n, y)
    for z in range(max(lo, y + 1), hi):
        values[z - lo] = table[start + z]


@inner
def _worth_a_look(points, bound, near, linkage, x, y, lo, hi, best, out):
    """Whether the block lo..hi-1 may change by the merge of x into y: told from the first few dimensions."""
    d = points.shape[0]
    if linkage >= _WARD or d <= _FIRST or (lo <= y < hi):
        return True
    values = out[: hi - lo]
    _clear(values)
    _sum_dimensions(points, 0, _FIRST, y, lo, hi, values)
    if lo > y:
        return _count_below(values, best) > 0
    count = 0
    limits = bound[lo:hi]
    for j in range(len(limits)):
        if values[j] <= limits[j]:
            count += 1
    if count > 0:
        return True
    places = near[0, lo:hi]
    for j in range(len(places)):
        if places[j] == x or places[j] == y:
            count += 1
    return count > 0


@inner
def update(points, table, weight, linkage, bound, least, near, live, x, y, bits, row, out):
    """Merge place x into place y > x: one pass over all places. The slot at y must hold the merged cluster already."""
    n = near.shape[1]
    if linkage <= _WARD:
        _merge_centres(points, weight, linkage, x, y)
    else:
        _merge_rows(table, weight, linkage, near, n, x, y)
    weight[y] += weight[x]
    weight[x] = 1
    bound[x] = np.inf
    near[0, x] = -2
    best = bound.dtype.type(np.inf)
    at = -1
    slot_y = near[1, y]
    for lo in range(0, live, BLOCK):
        hi = min(lo + BLOCK, live)
        if not _worth_a_look(points, bound, near, linkage, x, y, lo, hi, best, out):
            continue
        _distances_to(points, table, weight, linkage, n, y, lo, hi, out)
        for z in range(lo, min(hi, y)):
            d = out[z - lo]
            k = near[0, z]
            points_here = k in (x, y)
            if k == -2 or (d > bound[z] and not points_here):
                continue
            if is_rejected(bits, row, near[1, z], slot_y):
                if points_here:
                    near[0, z] = -1
            elif d < bound[z] or (d == bound[z] and k >= y):
                bound[z] = d
                near[0, z] = y
            elif points_here:
                near[0, z] = -1
        for z in range(max(lo, y + 1), hi):
            d = out[z - lo]
            if d < best and near[0, z] != -2 and not is_rejected(bits, row, near[1, z], slot_y):
                best = d
                at = z
        renew_block(bound, least, live, lo)
    bound[y] = best
    near[0, y] = at
    renew_block(bound, least, live, x)
    renew_block(bound, least, live, y)


@inner
def pack(points, weight, bound, least, near, live):
    """Close the gaps, in order. Returns the number of live places."""
    moved = np.empty(live, np.int64)
    k = 0
    for z in range(live):
        moved[z] = k
        if near[0, z] != -2:
            k += 1
    for row in range(points.shape[0]):
        for z in range(live):
            if near[0, z] != -2:
                points[row, moved[z]] = points[row, z]
    for z in range(live):
        if near[0, z] != -2:
            to = moved[z]
            weight[to] = weight[z]
            bound[to] = bound[z]
            near[1, to] = near[1, z]
            near[0, to] = near[0, z] if near[0, z] < 0 else moved[near[0, z]]
    for z in range(0, k, BLOCK):
        renew_block(bound, least, k, z)
    return k
