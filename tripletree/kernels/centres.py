"""Each cluster's nearest other one, for agglomeration on centres in which the closest pair may be barred.

Live clusters stand at places, in blocks with small boxes around them (``boxes``). A search of a cluster goes over all
others that live at the time, less those in boxes too far away. Only a cluster that is new searches, and one whose
answer is out of date when its turn comes: of the two clusters of a pair, the one that searched later has seen it.

So for each pair that is not rejected one of the two has `bound` at most its distance, and, where these are equal, a
kept answer that comes no later than the pair in the order of ties. The first answer in the order of (bound, the smaller
slot of the pair, its larger slot) is therefore the closest pair, once it is not out of date; if it is, that cluster
searches again. (Müllner's generic algorithm without its pass over all clusters after a merge; with rejections,
nearest-neighbour chains are not valid for any linkage.)

    points, box : see ``boxes``; points are the centres, dimensions of large spread first
    weight : float[n], samples in each cluster; lightest : float[blocks], at most the least weight in each block
    bound : float[n], infinite where a place is empty; least : float[blocks], the least bound of each block
    who : int64[3, n], by place: slot, slot of the nearest (-1 for none), when that one was born
    spot : int64[2, n], by slot: place, and when its cluster was born (-1 once it is merged away)
    out : float[BLOCK], reach : float[blocks], order : int64[n], scratch
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import allocating, inner
from tripletree.kernels.rejected_pairs import is_rejected

__all__ = [
    "BLOCK",
    "arrange",
    "box_distances",
    "closest",
    "enclose",
    "merge",
    "pack",
    "renew_block",
    "search",
]


# ----------------------------------------------------------------------
# Points in blocks with small boxes around them, so that a search may pass over whole blocks.
#
# Places 0..live-1 are cut into blocks of BLOCK; `arrange` brings points that are close together into one block by
# halving the widest side again and again: O(d n log n). The distance to a box is computed as that to a point, in the
# same order of dimensions, and rounding is monotone: it never exceeds the computed distance to a point inside.
#
#     points : float[d, n], a row a dimension, a column a place; infinite where the place is empty
#     box : float[2 d, blocks], the least and the largest coordinate of each block

#: Places in a block.
BLOCK = 64


@inner
def _widest(points, items, lo, hi):
    """The dimension in which items lo..hi-1 spread most."""
    axis = 0
    most = points.dtype.type(-1)
    for k in range(points.shape[0]):
        along = points[k]
        low = high = along[items[lo]]
        for t in range(lo + 1, hi):
            low = min(low, along[items[t]])
            high = max(high, along[items[t]])
        if high - low > most:
            most = high - low
            axis = k
    return axis


@inner
def _halve(along, items, lo, hi, middle):
    """Put the items with the smaller coordinates before place `middle` (Hoare's selection, expected linear time)."""
    first, last = lo, hi - 1
    while first < last:
        pivot = along[items[(first + last) // 2]]
        i, j = first, last
        while i <= j:
            while along[items[i]] < pivot:
                i += 1
            while along[items[j]] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@allocating
def arrange(points, items):
    """Order the items (columns of points, none of them infinite) so that blocks of BLOCK of them have small boxes."""
    part = np.empty((64, 2), np.int64)
    part[0, 0], part[0, 1] = 0, len(items)
    parts = 1
    while parts > 0:
        parts -= 1
        lo, hi = part[parts, 0], part[parts, 1]
        if hi - lo <= BLOCK:
            continue
        middle = lo + (hi - lo + BLOCK - 1) // BLOCK // 2 * BLOCK
        _halve(points[_widest(points, items, lo, hi)], items, lo, hi, middle)
        part[parts, 0], part[parts, 1] = lo, middle
        part[parts + 1, 0], part[parts + 1, 1] = middle, hi
        parts += 2


@inner
def enclose(points, live, box):
    """The boxes of places 0..live-1, none of which is empty."""
    d = points.shape[0]
    for k in range(d):
        for lo in range(0, live, BLOCK):
            low = high = points[k, lo]
            for j in range(lo + 1, min(lo + BLOCK, live)):
                low = min(low, points[k, j])
                high = max(high, points[k, j])
            box[k, lo // BLOCK], box[d + k, lo // BLOCK] = low, high


@inner
def box_distances(points, box, blocks, x, reach):
    """Squared distance of place x to the box of each block."""
    d = points.shape[0]
    values = reach[:blocks]
    for b in range(len(values)):
        values[b] = 0
    for k in range(d):
        here = points[k, x]
        low, high = box[k, :blocks], box[d + k, :blocks]
        for b in range(len(low)):
            t = max(max(low[b] - here, here - high[b]), 0)
            values[b] += t * t


_MEDIAN, _WARD = 1, 2
SLOT, NEAR, NEAR_BORN = range(3)
PLACE, BORN = range(2)

#: Dimensions summed before a block is given up.
_FIRST = 8
#: A distance to a box times a Ward factor may be rounded up: by far less than this.
_SLACK = 1 - 1e-5


@inner
def _add_dimensions(points, start, stop, x, lo, values):
    """Add the squared differences of dimensions start..stop-1 between place x and places lo, lo + 1, ... to values."""
    for k in range(start, stop):
        others = points[k, lo : lo + len(values)]
        here = points[k, x]
        for j in range(len(others)):
            t = others[j] - here
            values[j] += t * t


@inner
def _any_within(values, limit):
    count = 0
    for j in range(len(values)):
        if values[j] <= limit:
            count += 1
    return count > 0


@inner
def _times_ward(here, others, values):
    for j in range(len(others)):
        values[j] *= 2 * here * others[j] / (here + others[j])


@inner
def _block_within(points, weight, linkage, x, lo, values, limit):
    """Fill values with the distances of place x to places lo, lo + 1, ...; False if none is at most the limit."""
    for j in range(len(values)):
        values[j] = 0
    d = points.shape[0]
    first = min(d, _FIRST)
    _add_dimensions(points, 0, first, x, lo, values)
    if first < d:
        if linkage != _WARD and not _any_within(values, limit):
            return False
        _add_dimensions(points, first, d, x, lo, values)
    if linkage == _WARD:
        _times_ward(weight[x], weight[lo : lo + len(values)], values)
    return _any_within(values, limit)


@inner
def _precedes(s, t, u):
    """Whether the pair of slots s, t comes before the pair s, u."""
    return (min(s, t), max(s, t)) < (min(s, u), max(s, u))


@inner
def search(points, box, weight, lightest, linkage, bound, who, spot, live, x, bits, row, out, reach):
    """Find the nearest cluster of place x that is not rejected, the first in the order of ties."""
    blocks = (live + BLOCK - 1) // BLOCK
    box_distances(points, box, blocks, x, reach)
    if linkage == _WARD:
        _times_ward(_SLACK * weight[x], lightest[:blocks], reach[:blocks])
    best = bound.dtype.type(np.inf)
    at = -1
    s = who[SLOT, x]
    own = x // BLOCK
    for step in range(-1, blocks):  # the own block first, for a good start
        b = own if step < 0 else step
        if step == own or reach[b] > best:
            continue
        lo = b * BLOCK
        values = out[: min(BLOCK, live - lo)]
        if not _block_within(points, weight, linkage, x, lo, values, best):
            continue
        for j in range(len(values)):
            if values[j] > best or values[j] == np.inf or lo + j == x:
                continue
            t = who[SLOT, lo + j]
            if values[j] == best and not _precedes(s, t, at):
                continue
            if not is_rejected(bits, row, s, t):
                best = values[j]
                at = t
    bound[x] = best
    who[NEAR, x] = at
    if at >= 0:
        who[NEAR_BORN, x] = spot[BORN, at]


@inner
def renew_block(bound, least, live, x):
    """The least bound of the block of place x."""
    lo = x - x % BLOCK
    low = bound[lo]
    for k in range(lo, min(lo + BLOCK, live)):
        low = min(low, bound[k])
    least[x // BLOCK] = low


@inner
def closest(bound, least, who, spot, live):
    """The place of the first answer, and whether it is up to date (where two hold the same pair, that is preferred)."""
    blocks = (live + BLOCK - 1) // BLOCK
    low = least[0]
    for b in range(1, blocks):
        low = min(low, least[b])
    at, small, large, valid = -1, -1, -1, False
    for b in range(blocks):
        if least[b] != low:
            continue
        for x in range(b * BLOCK, min(b * BLOCK + BLOCK, live)):
            if bound[x] != low:
                continue
            s, t = who[SLOT, x], who[NEAR, x]
            fresh = t >= 0 and spot[BORN, t] == who[NEAR_BORN, x]
            p, q = min(s, t), max(s, t)
            if at < 0 or (p, q) < (small, large) or ((p, q) == (small, large) and fresh and not valid):
                at, small, large, valid = x, p, q, fresh
    return at, valid


@inner
def merge(points, box, weight, linkage, bound, who, spot, x, y, now):
    """Put the centre of the union of places x and y at y, and empty x. Coordinates that agree stay as they are."""
    d = points.shape[0]
    b = y // BLOCK
    wx, wy = weight[x], weight[y]
    for k in range(d):
        p, q = points[k, x], points[k, y]
        if p != q:
            q = (p + q) / 2 if linkage == _MEDIAN else (wx * p + wy * q) / (wx + wy)
            points[k, y] = q
            box[k, b] = min(box[k, b], q)
            box[d + k, b] = max(box[d + k, b], q)
        points[k, x] = np.inf
    weight[y] = wx + wy
    weight[x] = 1
    bound[x] = np.inf
    spot[BORN, who[SLOT, x]] = -1
    spot[BORN, who[SLOT, y]] = now


@allocating
def pack(points, box, weight, lightest, bound, least, who, spot, live, order):
    """Close the gaps and arrange the places anew. Returns the number of live places."""
    kept = 0
    for x in range(live):
        if points[0, x] != np.inf:
            order[kept] = x
            kept += 1
    arrange(points, order[:kept])
    spare = np.empty(kept, points.dtype)
    for k in range(points.shape[0] + 2):
        values = points[k] if k < points.shape[0] else (weight if k == points.shape[0] else bound)
        for x in range(kept):
            spare[x] = values[order[x]]
        for x in range(kept):
            values[x] = spare[x]
    whole = np.empty(kept, np.int64)
    for k in range(who.shape[0]):
        for x in range(kept):
            whole[x] = who[k, order[x]]
        for x in range(kept):
            who[k, x] = whole[x]
    enclose(points, kept, box)
    for x in range(kept):
        spot[PLACE, who[SLOT, x]] = x
    for lo in range(0, kept, BLOCK):
        renew_block(bound, least, kept, lo)
        low = weight[lo]
        for x in range(lo, min(lo + BLOCK, kept)):
            low = min(low, weight[x])
        lightest[lo // BLOCK] = low
    return kept
