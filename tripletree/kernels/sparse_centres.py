"""Each cluster's nearest other one by sparse centres: as ``centres`` does it for dense ones, by products of vectors.

The squared distance of two clusters is ``square[x] + square[y] - 2 x.y``, where `square` is the squared length of the
centre (centroid, median, Ward) or the mean of the squared lengths of the samples (average and weighted linkage of
squared distances). Less than the rounding of this is 0.

An index from features to clusters gives the products of one cluster with all others at once: a search takes as many
steps as there are entries in the columns of its features. Clusters that were formed after the index was made are
multiplied one by one, and it is made anew before there are many of them. Entries of a vector are in the order of their
features, in the index, too, so a product is the same sum whichever way it is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import Integers, Reals, inner
from tripletree.kernels.rejected_pairs import is_rejected

#: Places in a block.
BLOCK = 64

_MEDIAN, _WARD, _AVERAGE, _WEIGHTED = 1, 2, 3, 4


class SparseCentres(NamedTuple):
    """The live clusters at their places, and their centres."""

    feature: Integers  #: of each entry of the vectors. Room for twice as many as the samples have
    value: Reals
    start: Integers  #: of each place: where its vector begins
    stop: Integers
    used: Integers  #: [2]: entries in use, dead ones included. Places renewed since the index was made
    first: Integers  #: of each feature: where its entries in the index begin
    owner: Integers  #: of each entry of the index: its place
    entry: Reals
    renewed: Integers  #: places whose vectors are newer than the index
    is_renewed: Integers  #: of each place
    here: Reals  #: scratch: of each feature, 0
    product: Reals  #: scratch: of each place
    square: Reals  #: of each place, see above
    weight: Reals  #: of each place: samples in its cluster, 0 if it is empty
    rounding: Reals  #: [1]: a squared distance below this part of the squares is rounding
    bound: Reals  #: as in `Centres`, and all that follow
    least: Reals
    cluster: Integers
    nearest: Integers
    nearest_born: Integers
    place: Integers
    born: Integers


def new_sparse_centres(start, feature, value, n_features, square, weight):
    """Clusters that have not searched, before the first `pack`.

    start : int64[n + 1]
    feature, value : the samples as CSR, features in order in each row
    square, weight : real[n], used, not copied
    """
    n, size, real = len(start) - 1, len(feature), value.dtype
    room = 2 * size + 1
    features, values = np.empty(room, np.int64), np.empty(room, real)
    features[:size], values[:size] = feature, value
    return SparseCentres(
        feature=features,
        value=values,
        start=start[:-1].copy(),
        stop=start[1:].copy(),
        used=np.array([size, 0]),
        first=np.zeros(n_features + 1, np.int64),
        owner=np.empty(size, np.int64),
        entry=np.empty(size, real),
        renewed=np.empty(n, np.int64),
        is_renewed=np.zeros(n, np.int64),
        here=np.zeros(n_features, real),
        product=np.empty(n, real),
        square=square,
        weight=weight,
        rounding=np.array([64 * np.finfo(real).eps], real),
        bound=np.full(n, np.inf, real),
        least=np.empty((n + BLOCK - 1) // BLOCK, real),
        cluster=np.arange(n),
        nearest=np.full(n, -1),
        nearest_born=np.full(n, -1),
        place=np.arange(n),
        born=np.zeros(n, np.int64),
    )


@inner
def renew_index(centres, live):
    """Make the index of places 0..live-1 anew, and close the gaps between their vectors."""
    feature, value, start, stop = centres.feature, centres.value, centres.start, centres.stop
    first, owner, entry = centres.first, centres.owner, centres.entry
    d = len(first) - 1
    for f in range(d + 1):
        first[f] = 0
    for x in range(live):
        for e in range(start[x], stop[x]):
            first[feature[e] + 1] += 1
    for f in range(d):
        first[f + 1] += first[f]
    for x in range(live):
        for e in range(start[x], stop[x]):
            f = feature[e]
            owner[first[f]], entry[first[f]] = x, value[e]
            first[f] += 1
    for f in range(d, 0, -1):  # each begins where the one before ended
        first[f] = first[f - 1]
    first[0] = 0
    end = 0
    for x in range(live):
        size = stop[x] - start[x]
        start[x] = stop[x] = end
        end += size
        centres.is_renewed[x] = 0
    for f in range(d):
        for t in range(first[f], first[f + 1]):
            x = owner[t]
            feature[stop[x]], value[stop[x]] = f, entry[t]
            stop[x] += 1
    centres.used[0], centres.used[1] = end, 0


@inner
def has_room(centres, live, x, y):
    """Whether the union of two places fits in, and the index is still of use."""
    more = centres.stop[x] - centres.start[x] + centres.stop[y] - centres.start[y]
    return centres.used[0] + more <= len(centres.feature) and centres.used[1] <= 16 + live // 16


@inner
def _multiply(centres, live, x):
    """Fill `product` with the products of place x and all others."""
    feature, value, start, stop = centres.feature, centres.value, centres.start, centres.stop
    product, owner, entry, here = centres.product, centres.owner, centres.entry, centres.here
    for z in range(live):
        product[z] = 0
    for e in range(start[x], stop[x]):
        v = value[e]
        for t in range(centres.first[feature[e]], centres.first[feature[e] + 1]):
            product[owner[t]] += v * entry[t]
    if centres.used[1] == 0:
        return
    for e in range(start[x], stop[x]):
        here[feature[e]] = value[e]
    for k in range(centres.used[1]):
        z = centres.renewed[k]
        total = here.dtype.type(0)
        for e in range(start[z], stop[z]):
            total += here[feature[e]] * value[e]
        product[z] = total
    for e in range(start[x], stop[x]):
        here[feature[e]] = 0


@inner
def search(centres, linkage, live, x, rejected):
    """Find the nearest cluster of place x that is not rejected, the first in the order of ties."""
    square, weight, product = centres.square, centres.weight, centres.product
    _multiply(centres, live, x)
    rounding = centres.rounding[0]
    best = centres.bound.dtype.type(np.inf)
    at = -1
    s = centres.cluster[x]
    for z in range(live):
        if weight[z] == 0 or z == x:
            continue
        both = square[x] + square[z]
        distance = both - 2 * product[z]
        if distance < rounding * both:
            distance = product.dtype.type(0)
        if linkage == _WARD:
            distance *= 2 * weight[x] * weight[z] / (weight[x] + weight[z])
        if distance > best:
            continue
        t = centres.cluster[z]
        if distance == best and at >= 0 and t > at:  # of the pairs of s, the one with the smaller id comes first
            continue
        if not is_rejected(rejected, s, t):
            best = distance
            at = t
    centres.bound[x] = best
    centres.nearest[x] = at
    if at >= 0:
        centres.nearest_born[x] = centres.born[at]


@inner
def merge(centres, linkage, x, y, now):
    """Put the centre of the union of places x and y at y, and empty x. There must be room."""
    feature, value, start, stop = centres.feature, centres.value, centres.start, centres.stop
    weight, square = centres.weight, centres.square
    halves = linkage in (_MEDIAN, _WEIGHTED)
    wx = weight.dtype.type(1) if halves else weight[x]
    wy = weight.dtype.type(1) if halves else weight[y]
    i, j, to = start[x], start[y], centres.used[0]
    begin = to
    length = value.dtype.type(0)
    while i < stop[x] or j < stop[y]:
        # two sorted lists are merged; beyond the end of one stands a feature greater than all
        f = feature[i] if i < stop[x] else len(centres.here)
        g = feature[j] if j < stop[y] else len(centres.here)
        p = value[i] if f <= g else value.dtype.type(0)
        q = value[j] if g <= f else value.dtype.type(0)
        if p != q:  # the mean of equal values is exact
            q = (wx * p + wy * q) / (wx + wy)
        feature[to], value[to] = min(f, g), q
        length += q * q
        if f <= g:
            i += 1
        if g <= f:
            j += 1
        to += 1
    start[y], stop[y], centres.used[0] = begin, to, to
    start[x] = stop[x] = begin
    mean = square[x]
    if square[x] != square[y]:
        mean = (wx * square[x] + wy * square[y]) / (wx + wy)
    square[y] = mean if linkage in (_AVERAGE, _WEIGHTED) else length
    weight[y] += weight[x]
    weight[x] = 0
    if centres.is_renewed[y] == 0:
        centres.is_renewed[y] = 1
        centres.renewed[centres.used[1]] = y
        centres.used[1] += 1
    centres.bound[x] = np.inf
    centres.born[centres.cluster[x]] = -1
    centres.born[centres.cluster[y]] = now


@inner
def pack(centres, live):
    """Close the gaps between places, and make the index anew. Returns the number of live places."""
    kept = np.int64(0)
    for x in range(live):
        if centres.weight[x] == 0:
            continue
        for reals in (centres.square, centres.weight, centres.bound):
            reals[kept] = reals[x]
        for integers in (centres.start, centres.stop, centres.cluster, centres.nearest, centres.nearest_born):
            integers[kept] = integers[x]
        centres.place[centres.cluster[kept]] = kept
        kept += 1
    renew_index(centres, kept)
    for lo in range(0, kept, BLOCK):
        low = centres.bound[lo]
        for x in range(lo, min(lo + BLOCK, kept)):
            low = min(low, centres.bound[x])
        centres.least[lo // BLOCK] = low
    return kept
