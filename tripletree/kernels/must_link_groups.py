"""Agglomeration of many small groups, each by itself, by a linkage on centres, without triplets or distance matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import inlined, inner, njit

_MEDIAN, _WARD = 1, 2  # places in ``nearest.LINKAGES``


class GroupClusters(NamedTuple):
    """The clusters of the group at hand, each at the place of its first member."""

    points: np.ndarray  #: float64[d, w], the centres, infinite where empty
    weight: np.ndarray  #: float64[w], how many members


class NearestClusters(NamedTuple):
    """The nearest place of each place of the group."""

    bound: np.ndarray  #: float64[w], the least distance to a later place, infinite where empty
    near: np.ndarray
    """int64[2 w], the first place that attains it, -1 for none, -2 where empty; behind the group, places that look for
    their nearest anew."""
    top: np.ndarray  #: float64[w], the largest distance at which the cluster was formed
    out: np.ndarray  #: float64[w], distances from the place at hand


@inner
def _distances(clusters, linkage, x, low, values):
    """Fill in the squared distances of place x to the places from `low` on (infinite where empty)."""
    points, weight = clusters
    high = low + len(values)
    for j in range(len(values)):
        values[j] = 0
    for k in range(points.shape[0]):
        here = points[k, x]
        others = points[k, low:high]
        for j in range(len(others)):
            t = others[j] - here
            values[j] += t * t
    if linkage == _WARD:
        here = weight[x]
        weights = weight[low:high]
        for j in range(len(weights)):
            values[j] *= 2 * here * weights[j] / (here + weights[j])


@inner
def _nearest_later(x, size, bound, near, out):
    """Keep the first of the places x+1..size-1 at the least distance in out."""
    best = np.inf
    at = -1
    for z in range(x + 1, size):
        if out[z] < best:
            best = out[z]
            at = z
    bound[x] = best
    near[x] = at


@inner
def _merge(clusters, linkage, x, y):
    """Put the centre of the union of places x and y at x, and y out of reach."""
    points, weight = clusters
    for k in range(points.shape[0]):
        if linkage == _MEDIAN:
            points[k, x] = (points[k, x] + points[k, y]) / 2
        else:
            points[k, x] = (weight[x] * points[k, x] + weight[y] * points[k, y]) / (weight[x] + weight[y])
        points[k, y] = np.inf
    weight[x] += weight[y]


@inlined
def _agglomerate(clusters, linkage, nearest, merges):
    """Merge as many places as there are rows, and one, the closest pair first, of equal ones the first.

    A merge is always into the earlier of the two.
    """
    bound, near, top, out = nearest
    size = len(merges) + 1
    for x in range(size):
        top[x] = 0  # the largest distance in the cluster at x
        _distances(clusters, linkage, x, x + 1, out[x + 1 : size])
        _nearest_later(x, size, bound, near, out)
    for step in range(size - 1):
        x = np.int64(0)
        for z in range(1, size):
            if bound[z] < bound[x]:
                x = z
        y = near[x]
        top[x] = max(bound[x], top[x], top[y])
        merges[step, 0], merges[step, 1], merges[step, 2], merges[step, 3] = y, x, bound[x], top[x]
        _merge(clusters, linkage, x, y)
        bound[y], near[y] = np.inf, -2  # y is empty from now on
        _distances(clusters, linkage, x, np.int64(0), out[:size])
        _nearest_later(x, size, bound, near, out)
        lost = 0  # places whose nearest one is gone or further away: listed in `near`, behind the group
        for z in range(y):  # places behind y look at later places only, so nothing has changed for them
            at = near[z]
            if z < x and at != -2 and (out[z] < bound[z] or (out[z] == bound[z] and x <= at)):
                bound[z], near[z] = out[z], x  # x has come nearer than all others
            elif z != x and (at == y or (at == x and z < x)):
                near[size + lost] = z
                lost += 1
        for k in range(lost):
            z = near[size + k]
            _distances(clusters, linkage, z, z + 1, out[z + 1 : size])
            _nearest_later(z, size, bound, near, out)


@njit
def agglomerate_groups(samples, members, start, linkage, merges, centres):
    """Agglomerate each group of samples by itself. Ties go to the pair with the first members.

    samples : float64[n, d], read-only
    members : int64[k], samples group by group, ascending in each
    start : int64[groups + 1], where each group begins
    linkage : int64, place in ``nearest.LINKAGES``, at most 2
    merges : float64[k - groups, 4], filled group by group: the first members of the two clusters, the one that
        stays last (as in ``recon.as_linkage``), their distance, and the largest distance in the cluster that is formed
    centres : float64[groups, d], filled with the centres of the whole groups
    Oracle: ``recon_definition`` without triplets.
    """
    d = samples.shape[1]
    widest = 0
    for g in range(centres.shape[0]):
        widest = max(widest, start[g + 1] - start[g])
    points, weight = np.empty((d, widest)), np.empty(widest)
    clusters = GroupClusters(points, weight)
    nearest = NearestClusters(np.empty(widest), np.empty(2 * widest, np.int64), np.empty(widest), np.empty(widest))
    row = 0
    for g in range(centres.shape[0]):
        begin = start[g]
        size = start[g + 1] - begin
        for j in range(size):
            weight[j] = 1
            for k in range(d):
                points[k, j] = samples[members[begin + j], k]
        part = merges[row : row + size - 1]
        _agglomerate(clusters, linkage, nearest, part)
        for step in range(size - 1):
            for side in range(2):
                part[step, side] = members[begin + int(part[step, side])]
            for side in range(2, 4):
                part[step, side] = np.sqrt(part[step, side])
        for k in range(d):
            centres[g, k] = points[k, 0]
        row += size - 1
