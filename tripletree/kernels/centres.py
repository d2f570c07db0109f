"""Each cluster's nearest other one, for agglomeration on centres in which the closest pair may be barred.

Live clusters stand at places, in blocks with small boxes around them. A search of a cluster goes over all
others that live at the time, less those in boxes too far away. Only a cluster that is new searches, and one whose
answer is out of date when its turn comes: of the two clusters of a pair, the one that searched later has seen it.

So for each pair that is not rejected one of the two has `bound` at most its distance, and, where these are equal, a
kept answer that comes no later than the pair in the order of ties. The first answer in the order of (bound, the smaller
id of the pair, its larger id) is therefore the closest pair, once it is not out of date. If it is, that cluster
searches again. (Müllner's generic algorithm without its pass over all clusters after a merge. With rejections,
nearest-neighbour chains are not valid for any linkage.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import Integers, RealBlocks, Reals, RealTable, allocating, inner
from tripletree.kernels.rejected_pairs import is_found_rejected

#: Places in a block.
BLOCK = 64
_SHIFT = 6  # its logarithm

_MEDIAN, _WARD, _AVERAGE, _WEIGHTED = 1, 2, 3, 4

#: Dimensions summed before a block is given up.
_FIRST = 8
#: A distance to a box times a Ward factor may be rounded up: by far less than this.
_SLACK = 1 - 1e-5


class Centres(NamedTuple):
    """The live clusters at their places, and the boxes around blocks of places."""

    points: RealBlocks
    """[blocks, d, BLOCK]: the centre at each place, infinite if that is empty; dimensions of large spread first. So a
    block is one piece of memory: in columns of n numbers each, searches of wide data wait for pages."""
    low: RealTable  #: [d, blocks]: the least coordinate of each block
    high: RealTable  #: [d, blocks]: the largest one
    weight: Reals  #: of each place: samples in its cluster
    lightest: Reals  #: of each block: at most the least weight in it
    spread: Reals  #: of each place: mean squared distance to its centre, for linkages of mean squared distances
    tightest: Reals  #: of each block: at most the least spread in it
    first: Integers  #: of each block: at most the least id in it
    bound: Reals  #: of each place, infinite if that is empty
    least: Reals  #: of each block: the least bound
    cluster: Integers  #: id of the cluster at each place
    nearest: Integers  #: of each place: id of the nearest cluster, -1 for none
    nearest_born: Integers  #: of each place: when that one was born
    place: Integers  #: of each cluster id
    born: Integers  #: of each cluster id: after how many merges it was made, -1 once it is merged away
    distances: Reals  #: scratch: to the places of one block
    box_distances: Reals  #: scratch: to all boxes
    order: Integers  #: scratch


def new_centres(samples, weight, spread):
    """Clusters that have not searched, before the first `pack`. The samples are copied, the other arrays are used.

    samples : real[n, d]
    weight, spread : real[n]
    """
    (n, d), real = samples.shape, samples.dtype
    blocks = (n + BLOCK - 1) // BLOCK
    points = np.full((blocks, d, BLOCK), np.inf, real)
    for b in range(blocks):
        some = samples[b * BLOCK : (b + 1) * BLOCK]
        points[b, :, : len(some)] = some.T
    return Centres(
        points=points,
        low=np.empty((d, blocks), real),
        high=np.empty((d, blocks), real),
        weight=weight,
        lightest=np.empty(blocks, real),
        spread=spread,
        tightest=np.empty(blocks, real),
        first=np.empty(blocks, np.int64),
        bound=np.full(n, np.inf, real),
        least=np.empty(blocks, real),
        cluster=np.arange(n),
        nearest=np.full(n, -1),
        nearest_born=np.full(n, -1),
        place=np.arange(n),
        born=np.zeros(n, np.int64),
        distances=np.empty(BLOCK, real),
        box_distances=np.empty(blocks, real),
        order=np.empty(n, np.int64),
    )


# ---------------------------------------------------------------------- boxes
#
# Places 0..live-1 are cut into blocks. `_arrange` brings points that are close together into one block by halving the
# widest side again and again: O(d n log n). The distance to a box is computed as that to a point, in the same order of
# dimensions, and rounding is monotone: it never exceeds the computed distance to a point inside.


@inner
def _at(points, k, x):
    """Coordinate k of place x."""
    return points[x >> _SHIFT, k, x & (BLOCK - 1)]


@inner
def _widest(points, items, lo, hi):
    """The dimension in which items lo..hi-1 spread most, or -1 if they are all equal."""
    axis = -1
    most = points.dtype.type(0)
    for k in range(points.shape[1]):
        low = high = _at(points, k, items[lo])
        for t in range(lo + 1, hi):
            value = _at(points, k, items[t])
            low = min(low, value)
            high = max(high, value)
        if high - low > most:
            most = high - low
            axis = k
    return axis


@inner
def _halve(along, items, lo, hi, middle):
    """Put the items with the smaller coordinates before place `middle` (Hoare's selection, expected linear time)."""
    first, last = lo, hi - 1
    # invariant: no item before `first` has a greater coordinate than the others, none after `last` a smaller one
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
        # items up to j are at most the pivot, items from i on at least, and those between equal it
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@allocating
def _arrange(points, cluster, items):
    """Order the items (places, none of them empty) so that blocks of BLOCK of them have small boxes.

    If points are equal, blocks of small ids come first, since these win ties.
    """
    along = np.empty(points.shape[0] * BLOCK, points.dtype)
    part = np.empty((64, 2), np.int64)  # the larger half is at most half of its block: 64 levels are plenty
    part[0, 0], part[0, 1] = 0, len(items)
    parts = 1
    while parts > 0:  # part[:parts] are the ranges of items that are still to be halved
        parts -= 1
        lo, hi = part[parts, 0], part[parts, 1]
        if hi - lo <= BLOCK:
            continue
        # a whole number of blocks on the left, so that only the last block of all may be short
        middle = lo + (hi - lo + BLOCK - 1) // BLOCK // 2 * BLOCK
        axis = _widest(points, items, lo, hi)
        if axis < 0:
            _halve(cluster, items, lo, hi, middle)
        else:
            for t in range(lo, hi):
                along[items[t]] = _at(points, axis, items[t])
            _halve(along, items, lo, hi, middle)
        part[parts, 0], part[parts, 1] = lo, middle
        part[parts + 1, 0], part[parts + 1, 1] = middle, hi
        parts += 2


@inner
def _enclose(centres, live):
    """The boxes of places 0..live-1, none of which is empty."""
    points = centres.points
    for b in range((live + BLOCK - 1) // BLOCK):
        for k in range(points.shape[1]):
            along = points[b, k]
            low = high = along[0]
            for j in range(1, min(BLOCK, live - b * BLOCK)):
                low = min(low, along[j])
                high = max(high, along[j])
            centres.low[k, b], centres.high[k, b] = low, high


@inner
def _measure_boxes(centres, blocks, x):
    """Fill `box_distances` with the squared distance of place x to the box of each block."""
    points = centres.points
    values = centres.box_distances[:blocks]  # slices, not offsets: only so do these loops vectorise
    for b in range(len(values)):
        values[b] = 0
    for k in range(points.shape[1]):
        here = _at(points, k, x)
        low, high = centres.low[k, :blocks], centres.high[k, :blocks]
        for b in range(len(low)):
            t = max(max(low[b] - here, here - high[b]), 0)  # 0 inside the box
            values[b] += t * t


# ---------------------------------------------------------------------- searches


@inner
def _add_dimensions(points, start, stop, x, b, values):
    """Add to `values` the squared differences of dimensions start..stop-1 between place x and the places of block b."""
    for k in range(start, stop):
        others = points[b, k, : len(values)]
        here = _at(points, k, x)
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
def _plus_spread(here, others, values):
    for j in range(len(others)):
        values[j] += here + others[j]


@inner
def distances_of_block(centres, linkage, x, lo, values, limit):
    """Fill values with the distances of place x to places lo, lo + 1, ... Returns False if all exceed the limit."""
    points, weight = centres.points, centres.weight
    for j in range(len(values)):
        values[j] = 0
    d, b = points.shape[1], lo >> _SHIFT
    first = min(d, _FIRST)
    _add_dimensions(points, np.int64(0), first, x, b, values)
    if first < d:
        # a sum over dimensions only grows, so the others may be skipped if all places are too far by these. Ward's
        # distance is not such a sum
        if linkage != _WARD and not _any_within(values, limit):
            return False
        _add_dimensions(points, first, d, x, b, values)
    if linkage == _WARD:
        _times_ward(weight[x], weight[lo : lo + len(values)], values)
    elif linkage >= _AVERAGE:
        _plus_spread(centres.spread[x], centres.spread[lo : lo + len(values)], values)
    return _any_within(values, limit)


@inner
def reach_boxes(centres, linkage, live, x):
    """Fill `box_distances` with a lower bound for each block: no place in it is nearer to place x."""
    reach = centres.box_distances
    blocks = (live + BLOCK - 1) // BLOCK
    _measure_boxes(centres, blocks, x)
    if linkage == _WARD:  # the factor 2 a b / (a + b) grows with b: the lightest cluster of a block bounds it
        _times_ward(_SLACK * centres.weight[x], centres.lightest[:blocks], reach[:blocks])
    elif linkage >= _AVERAGE:
        _plus_spread(centres.spread[x], centres.tightest[:blocks], reach[:blocks])
        for b in range(blocks):
            reach[b] *= _SLACK


@inner
def search(centres, linkage, live, x, rejected):
    """Find the nearest cluster of place x that is not rejected, the first in the order of ties."""
    reach, bound = centres.box_distances, centres.bound
    blocks = (live + BLOCK - 1) // BLOCK
    reach_boxes(centres, linkage, live, x)
    best = bound.dtype.type(np.inf)
    at = -1
    s = centres.cluster[x]
    own = x // BLOCK
    for step in range(-1, blocks):  # the own block first, for a good start
        b = own if step < 0 else step
        if step == own or reach[b] > best or (reach[b] == best and centres.first[b] >= at):
            continue  # of pairs with x at the same distance, that with the smaller id comes first
        lo = b * BLOCK
        values = centres.distances[: min(BLOCK, live - lo)]
        if not distances_of_block(centres, linkage, x, lo, values, best):
            continue
        for j in range(len(values)):
            if values[j] > best or values[j] == np.inf or lo + j == x:
                continue
            t = centres.cluster[lo + j]
            if values[j] == best and t > at:
                continue
            if not is_found_rejected(rejected, s, t):
                best = values[j]
                at = t
    bound[x] = best
    centres.nearest[x] = at
    if at >= 0:
        centres.nearest_born[x] = centres.born[at]


@inner
def least_of_block(centres, live, x):
    """Renew the least bound of the block of place x."""
    bound = centres.bound
    lo = x - x % BLOCK
    low = bound[lo]
    for k in range(lo, min(lo + BLOCK, live)):
        low = min(low, bound[k])
    centres.least[x // BLOCK] = low


@inner
def closest(centres, live):
    """The place of the first answer, and whether it is up to date (where two hold the same pair, that is preferred)."""
    bound, least = centres.bound, centres.least
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
            s, t = centres.cluster[x], centres.nearest[x]
            p, q = min(s, t), max(s, t)
            if at >= 0 and ((p, q) > (small, large) or ((p, q) == (small, large) and valid)):
                continue
            fresh = t >= 0 and centres.born[t] == centres.nearest_born[x]
            if at < 0 or (p, q) < (small, large) or fresh:
                at, small, large, valid = x, p, q, fresh
    return at, valid


# ---------------------------------------------------------------------- merges


@inner
def merge(centres, linkage, x, y, now):
    """Put the centre of the union of places x and y at y, and empty x. Coordinates that agree stay as they are."""
    points, low, high, weight = centres.points, centres.low, centres.high, centres.weight
    b = y // BLOCK
    wx, wy = weight[x], weight[y]
    if linkage == _WEIGHTED:
        wx = wy = weight.dtype.type(1)
    apart = points.dtype.type(0)
    i, j = x & (BLOCK - 1), y & (BLOCK - 1)
    gone, kept = points[x >> _SHIFT], points[b]
    for k in range(points.shape[1]):
        p, q = gone[k, i], kept[k, j]
        if p != q:
            apart += (p - q) * (p - q)
            q = (p + q) / 2 if linkage == _MEDIAN else (wx * p + wy * q) / (wx + wy)
            kept[k, j] = q
            low[k, b] = min(low[k, b], q)
            high[k, b] = max(high[k, b], q)
        gone[k, i] = np.inf
    if linkage >= _AVERAGE:
        share = wx / (wx + wy)
        centres.spread[y] = share * centres.spread[x] + (1 - share) * centres.spread[y] + share * (1 - share) * apart
    weight[y] += weight[x]
    weight[x] = 1
    centres.bound[x] = np.inf
    centres.born[centres.cluster[x]] = -1
    centres.born[centres.cluster[y]] = now


@inner
def _reorder(values, order, spare):
    for x in range(len(order)):
        spare[x] = values[order[x]]
    for x in range(len(order)):
        values[x] = spare[x]


@allocating
def pack(centres, live):
    """Close the gaps and arrange the places anew. Returns the number of live places."""
    points, weight = centres.points, centres.weight
    kept = np.int64(0)
    for x in range(live):
        if _at(points, np.int64(0), x) != np.inf:  # not empty
            centres.order[kept] = x
            kept += 1
    order = centres.order[:kept]
    _arrange(points, centres.cluster, order)
    spare = np.empty(kept, points.dtype)
    for k in range(points.shape[1]):
        for x in range(kept):
            spare[x] = _at(points, k, order[x])
        for x in range(kept):
            points[x >> _SHIFT, k, x & (BLOCK - 1)] = spare[x]
    _reorder(weight, order, spare)
    _reorder(centres.spread, order, spare)
    _reorder(centres.bound, order, np.empty(kept, centres.bound.dtype))
    whole = np.empty(kept, np.int64)
    _reorder(centres.cluster, order, whole)
    _reorder(centres.nearest, order, whole)
    _reorder(centres.nearest_born, order, whole)
    _enclose(centres, kept)
    for x in range(kept):
        centres.place[centres.cluster[x]] = x
    for lo in range(0, kept, BLOCK):
        least_of_block(centres, kept, lo)
        low, tight, first = weight[lo], centres.spread[lo], centres.cluster[lo]
        for x in range(lo, min(lo + BLOCK, kept)):
            low = min(low, weight[x])
            tight = min(tight, centres.spread[x])
            first = min(first, centres.cluster[x])
        b = lo // BLOCK
        centres.lightest[b], centres.tightest[b], centres.first[b] = low, tight, first
    return kept
