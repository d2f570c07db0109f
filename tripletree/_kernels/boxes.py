"""Points in blocks with small boxes around them, so that a search may pass over whole blocks.

Places 0..live-1 are cut into blocks of BLOCK; `arrange` brings points that are close together into one block by halving
the widest side again and again: O(d n log n). The distance to a box is computed as that to a point, in the same
order of dimensions, and rounding is monotone: it never exceeds the computed distance to a point inside.

    points : float[d, n], a row a dimension, a column a place; infinite where the place is empty
    box : float[2 d, blocks], the least and the largest coordinate of each block
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import allocating, inner

__all__ = ["BLOCK", "arrange", "box_distances", "enclose"]

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
