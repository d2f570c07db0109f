"""Parts of every k-means: nearest centres, weighted means, k-means++ starts.

    columns : float64[d, n], read-only, the points, one feature a row: loops then run along the points
    weight : float64[n], read-only
    centres : float64[k, d], read-only
    label : int32[n], read-only

Distances are sums of squared differences, taken feature by feature: no digits are lost far from the origin.
Oracle: ``scipy.spatial.distance.cdist``; ``sklearn.cluster.KMeans`` for the whole.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import inner, njit

#: Points whose distances to a centre are summed at a time.
_BLOCK = 256


@inner
def _block_distances(columns, centres, j, lo, out):
    """Fill out with the squared distances of points lo, lo + 1, ... to centre j, four features at a time."""
    d, size = columns.shape[0], len(out)
    for i in range(size):
        out[i] = 0.0
    t = 0
    while t + 4 <= d:  # four features a pass: out is read and written a quarter as often
        a, b = columns[t, lo : lo + size], columns[t + 1, lo : lo + size]
        c, e = columns[t + 2, lo : lo + size], columns[t + 3, lo : lo + size]
        p, q, r, s = centres[j, t], centres[j, t + 1], centres[j, t + 2], centres[j, t + 3]
        for i in range(size):
            u, v, w, x = a[i] - p, b[i] - q, c[i] - r, e[i] - s
            out[i] += u * u + v * v + (w * w + x * x)
        t += 4
    while t < d:
        values, here = columns[t, lo : lo + size], centres[j, t]
        for i in range(size):
            difference = values[i] - here
            out[i] += difference * difference
        t += 1


@inner
def _keep_nearer(part, j, best, label):
    """Note centre j where its distance is less than the best so far.

    Labels are float64 here, so that the loop is one of vectors.
    """
    for i in range(len(part)):
        nearer = part[i] < best[i]  # of equal distances the first centre stays
        best[i] = part[i] if nearer else best[i]
        label[i] = j if nearer else label[i]


@njit
def nearest(columns, centres):
    """The nearest centre of each point, the lowest of several, and its squared distance: int32[n], float64[n]."""
    n = columns.shape[1]
    label = np.empty(n, np.int32)
    best = np.full(n, np.inf)
    scratch, number = np.empty(_BLOCK), np.empty(_BLOCK)
    for lo in range(0, n, _BLOCK):
        size = min(_BLOCK, n - lo)
        part, own = scratch[:size], number[:size]
        own[:] = 0.0
        # a block of points stays in the cache while all centres pass over it
        for j in range(centres.shape[0]):
            _block_distances(columns, centres, j, lo, part)
            _keep_nearer(part, float(j), best[lo : lo + size], own)
        for i in range(size):
            label[lo + i] = np.int32(own[i])
    return label, best


@inner
def _keep_least(products, offset, j, best, second, label):
    """Note j where the offset less the product is the least so far, and the least of all others."""
    for i in range(len(products)):
        value = offset - products[i]
        less = value < best[i]
        other = best[i] if less else value  # of the two, the one that is not the least
        second[i] = other if other < second[i] else second[i]
        best[i] = value if less else best[i]
        label[i] = j if less else label[i]


@njit
def least_of_products(products, offsets, lengths, share, least, label):
    """Fill label with the number of the least offset less product of each point; returns how many are doubtful.

    products : float64[k, b], of k factors with b points; there may be points more than labels
    offsets : float64[k], read-only
    lengths : float64[b], read-only; share, least : float
        By this share of its length, and this, the least of a point must be less than all others.
    label : int32[b]; -1 where it is not, or a product is no number: these are doubtful
    """
    k, n = len(offsets), len(label)
    doubtful = 0
    first, second, number = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    for lo in range(0, n, _BLOCK):
        size = min(_BLOCK, n - lo)
        best, other, own = first[:size], second[:size], number[:size]
        best[:] = np.inf
        other[:] = np.inf
        own[:] = 0.0
        for j in range(k):
            _keep_least(products[j, lo : lo + size], offsets[j], float(j), best, other, own)
        for i in range(size):
            # rounding cannot change the order of two values that are farther apart than this
            sure = other[i] - best[i] > share * lengths[lo + i] + least
            label[lo + i] = np.int32(own[i]) if sure else np.int32(-1)
            doubtful += not sure
    return doubtful


@njit
def squared_distances(columns, centres):
    """Squared distances of all points to all centres, float64[n, k]."""
    n, k = columns.shape[1], centres.shape[0]
    out = np.empty((n, k))
    scratch = np.empty(_BLOCK)
    for lo in range(0, n, _BLOCK):
        part = scratch[: min(_BLOCK, n - lo)]
        for j in range(k):
            _block_distances(columns, centres, j, lo, part)
            for i in range(len(part)):
                out[lo + i, j] = part[i]
    return out


@inner
def _gather(columns, which, lo, factors, out):
    """Fill out with points which[lo], which[lo + 1], ..., their features multiplied."""
    for t in range(columns.shape[0]):
        values, factor, row = columns[t], factors[t], out[t]
        for i in range(len(row)):
            row[i] = factor * values[which[lo + i]]


@njit
def fill_costs(columns, weight, which, centres, factors, offsets, rows, out):
    """Fill rows of a table with the costs of some points: weight times the sum of squared distance and offset.

    which : int32, read-only, the points
    factors : float64[d], read-only, the points' features are multiplied by these
    offsets : float64[k], read-only, of the centres
    rows : int32, read-only, the row of each of the points
    out : float64[m, k]
    """
    some, scratch = np.empty((columns.shape[0], _BLOCK)), np.empty(_BLOCK)
    for lo in range(0, len(which), _BLOCK):
        part = scratch[: min(_BLOCK, len(which) - lo)]
        _gather(columns, which, lo, factors, some[:, : len(part)])
        for j in range(centres.shape[0]):
            _block_distances(some, centres, j, np.int64(0), part)
            for i in range(len(part)):
                out[rows[lo + i], j] = weight[which[lo + i]] * (part[i] + offsets[j])


@inner
def _block_weighted(columns, centres, scale, j, lo, out):
    """As `_block_distances`, the squared differences times factors of centre j."""
    d, size = columns.shape[0], len(out)
    for i in range(size):
        out[i] = 0.0
    t = 0
    while t + 4 <= d:
        a, b = columns[t, lo : lo + size], columns[t + 1, lo : lo + size]
        c, e = columns[t + 2, lo : lo + size], columns[t + 3, lo : lo + size]
        p, q, r, s = centres[j, t], centres[j, t + 1], centres[j, t + 2], centres[j, t + 3]
        f, g, h, m = scale[j, t], scale[j, t + 1], scale[j, t + 2], scale[j, t + 3]
        for i in range(size):
            u, v, w, x = a[i] - p, b[i] - q, c[i] - r, e[i] - s
            out[i] += f * u * u + g * v * v + (h * w * w + m * x * x)
        t += 4
    while t < d:
        values, here, factor = columns[t, lo : lo + size], centres[j, t], scale[j, t]
        for i in range(size):
            difference = values[i] - here
            out[i] += factor * difference * difference
        t += 1


@njit
def weighted_nearest(columns, centres, scale, offset):
    """The centre of the least scaled squared distance plus offset of each point, the lowest of several: int32[n].

    scale : float64[k, d], read-only, the factors of the squared differences
    offset : float64[k], read-only
    """
    n = columns.shape[1]
    label = np.empty(n, np.int32)
    scratch, number, least = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    for lo in range(0, n, _BLOCK):
        size = min(_BLOCK, n - lo)
        part, own, best = scratch[:size], number[:size], least[:size]
        own[:] = 0.0
        best[:] = np.inf
        for j in range(centres.shape[0]):
            _block_weighted(columns, centres, scale, j, lo, part)
            for i in range(size):
                part[i] += offset[j]
            _keep_nearer(part, float(j), best, own)
        for i in range(size):
            label[lo + i] = np.int32(own[i])
    return label


@njit
def weighted_distances(columns, centres, scale):
    """Scaled squared distances of all points to all centres, float64[n, k]."""
    n, k = columns.shape[1], centres.shape[0]
    out = np.empty((n, k))
    scratch = np.empty(_BLOCK)
    for lo in range(0, n, _BLOCK):
        part = scratch[: min(_BLOCK, n - lo)]
        for j in range(k):
            _block_weighted(columns, centres, scale, j, lo, part)
            for i in range(len(part)):
                out[lo + i, j] = part[i]
    return out


@njit
def fill_weighted_costs(columns, weight, which, centres, scale, offsets, rows, out):
    """As `fill_costs`, by scaled squared distances."""
    some, scratch, ones = np.empty((columns.shape[0], _BLOCK)), np.empty(_BLOCK), np.ones(columns.shape[0])
    for lo in range(0, len(which), _BLOCK):
        part = scratch[: min(_BLOCK, len(which) - lo)]
        _gather(columns, which, lo, ones, some[:, : len(part)])
        for j in range(centres.shape[0]):
            _block_weighted(some, centres, scale, j, 0, part)
            for i in range(len(part)):
                out[rows[lo + i], j] = weight[which[lo + i]] * (part[i] + offsets[j])


@njit
def own_distances(columns, centres, label):
    """Squared distances of the points to their own centres, float64[n]: the same bits as `squared_distances`."""
    d, n = columns.shape
    out = np.zeros(n)
    t = 0
    while t + 4 <= d:  # features are added in the groups of `_block_distances`, hence the same bits
        a, b, c, e = columns[t], columns[t + 1], columns[t + 2], columns[t + 3]
        for i in range(n):
            here = centres[label[i]]
            u, v, w, x = a[i] - here[t], b[i] - here[t + 1], c[i] - here[t + 2], e[i] - here[t + 3]
            out[i] += u * u + v * v + (w * w + x * x)
        t += 4
    while t < d:
        values = columns[t]
        for i in range(n):
            difference = values[i] - centres[label[i], t]
            out[i] += difference * difference
        t += 1
    return out


@njit
def weighted_own(columns, centres, scale, label):
    """Scaled squared distances of the points to their own centres, float64[n]."""
    d, n = columns.shape
    out = np.zeros(n)
    for t in range(d):
        for i in range(n):
            j = label[i]
            difference = columns[t, i] - centres[j, t]
            out[i] += scale[j, t] * difference * difference
    return out


@njit
def diagonal_scatter(columns, weight, label, centres):
    """Weighted sums of squared differences to the own centre, feature by feature, float64[k, d]."""
    d, n = columns.shape
    total = np.zeros(centres.shape)
    t = 0
    while t + 4 <= d:  # four features at a time: sums of one wait for each other
        a, b, c, e = columns[t], columns[t + 1], columns[t + 2], columns[t + 3]
        for i in range(n):
            j, w = label[i], weight[i]
            p, q, r, s = (
                a[i] - centres[j, t],
                b[i] - centres[j, t + 1],
                c[i] - centres[j, t + 2],
                e[i] - centres[j, t + 3],
            )
            total[j, t] += w * p * p
            total[j, t + 1] += w * q * q
            total[j, t + 2] += w * r * r
            total[j, t + 3] += w * s * s
        t += 4
    while t < d:
        values = columns[t]
        for i in range(n):
            difference = values[i] - centres[label[i], t]
            total[label[i], t] += weight[i] * difference * difference
        t += 1
    return total


@njit
def sums(columns, weight, label, k):
    """Weighted sums of the points of each cluster, float64[k, d], and the clusters' weights, float64[k]."""
    d, n = columns.shape
    total = np.zeros((k, d))
    mass = np.zeros(k)
    for i in range(n):
        mass[label[i]] += weight[i]
    t = 0
    while t + 4 <= d:  # four features at a time, as in `diagonal_scatter`
        a, b, c, e = columns[t], columns[t + 1], columns[t + 2], columns[t + 3]
        for i in range(n):
            j, w = label[i], weight[i]
            total[j, t] += w * a[i]
            total[j, t + 1] += w * b[i]
            total[j, t + 2] += w * c[i]
            total[j, t + 3] += w * e[i]
        t += 4
    while t < d:
        values = columns[t]
        for i in range(n):
            total[label[i], t] += weight[i] * values[i]
        t += 1
    return total, mass


@njit
def plus_plus(columns, weight, order, draws):
    """k-means++ with several candidates a step (greedy), as numbers of points, int32[k].

    order : int32[n], the order in which weights are added up for the draws
    draws : float64[k, trials], read-only, random numbers in [0, 1)
    """
    d, n = columns.shape
    k, trials = draws.shape
    chosen = np.empty(k, np.int32)
    closest = np.ones(n)  # squared distance to the nearest centre so far: at first all are alike
    cumulated = np.empty(n)
    candidate = np.empty(trials, np.int32)
    place = np.empty((1, d))  # the candidate as a table of one centre
    trial, best = np.empty(n), np.empty(n)
    for step in range(k):
        total = 0.0
        for i in range(n):
            total += weight[order[i]] * closest[order[i]]
            cumulated[i] = total
        # a point is drawn with its weight times its squared distance; the first one needs no rivals
        count = 1 if step == 0 else trials
        for r in range(count):
            candidate[r] = order[_first_above(cumulated, draws[step, r] * total)]
        least = np.inf
        for r in range(count):
            for t in range(d):
                place[0, t] = columns[t, candidate[r]]
            for lo in range(0, n, _BLOCK):
                _block_distances(columns, place, np.int64(0), lo, trial[lo : min(n, lo + _BLOCK)])
            potential = 0.0
            for i in range(n):
                if step > 0 and closest[i] < trial[i]:
                    trial[i] = closest[i]
                potential += weight[i] * trial[i]
            # keep the candidate that leaves the least cost; distances may overflow, so the first always counts
            if potential < least or r == 0:
                least = potential
                chosen[step] = candidate[r]
                for i in range(n):
                    best[i] = trial[i]
        for i in range(n):
            closest[i] = best[i]
    return chosen


@inner
def _first_above(cumulated, value):
    """The first place of an ascending array that lies above the value, the last place if none does."""
    low, high = 0, len(cumulated) - 1
    while low < high:  # the place is in low..high
        middle = (low + high) // 2
        if cumulated[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low
