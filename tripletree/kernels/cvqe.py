"""Constrained vector quantisation: pairs of samples, one after the other, get the clusters that cost least.

Samples that are in pairs are numbered 0..m-1, pairs 0..e-1: first the must-links, then the cannot-links.

    base : float64[m, k], read-only, weight times squared distance of sample i to centre h
    label : int32[m]

A must-link between clusters g and h costs ``weight * apart[g, h]``, a cannot-link within g ``weight * near[g]``.
Oracle: ``assigned`` of ``tests/cvqe_oracle.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import inlined, inner, njit

#: Savings of so small a part of the costs are rounding.
_ROUNDING = 1e-12
#: A sample is farther than another if its squared distance exceeds so many times the other one. Less is rounding.
FARTHER = 1.0 + 1e-9


class PairsInTurn(NamedTuple):
    """The pairs. All arrays are read-only."""

    order: np.ndarray  #: int32[e], the pairs in the order in which they are looked at
    ends: np.ndarray  #: int32[e, 2], the two samples of each pair
    weight: np.ndarray  #: float64[e]
    n_must: int


class PairsOfSamples(NamedTuple):
    """Which pairs belong together. All arrays are read-only."""

    twin: np.ndarray  #: int32[e], the other pair of the same two samples (a cannot-link, a must-link), -1 for none
    start: np.ndarray  #: int32[m + 1], links of sample i are start[i]..start[i + 1] - 1
    other: np.ndarray  #: int32[2 e], for each link the sample at its far end
    edge: np.ndarray  #: int32[2 e], and the number of the pair


class BetweenCentres(NamedTuple):
    """Squared distances between the centres. All arrays are read-only."""

    apart: np.ndarray  #: float64[k, k]
    near: np.ndarray  #: float64[k], of each centre to the nearest other one


class TwoWeights(NamedTuple):
    """The pairs between two samples: a must-link, a cannot-link, or both."""

    must: float  #: its weight, 0 for none
    cannot: float


class Assignment(NamedTuple):
    """Clusters, and the costs of the other clusters."""

    label: np.ndarray  #: int32[m]
    cost: np.ndarray  #: float64[m, k], of sample i in cluster h, its pairs included, with all others where they are


@inner
def _price(g, h, weights, between):
    """The cost of a must-link and a cannot-link of these weights if their samples are in clusters g and h."""
    return weights.must * between.apart[g, h] + (weights.cannot * between.near[g] if g == h else 0.0)


@inlined
def _best_two(a, b, weights, between, g, h):
    """Clusters p, q of least ``a[p] + b[q]`` and price, as ``p * k + q``, or g and h if only rounding would be saved.

    All k^2 are considered. Whole rows are passed over where the price alone could not make up for a[p].
    """
    k = len(a)
    now = a[g] + b[h] + _price(g, h, weights, between)
    limit = now - _ROUNDING * (abs(a[g]) + abs(b[h]) + abs(now))
    least = b[0]
    for q in range(1, k):
        if b[q] < least:
            least = b[q]
    for p in range(k):
        if a[p] + least >= limit:
            continue
        for q in range(k):
            value = a[p] + b[q] + _price(p, q, weights, between)
            if value < limit:
                limit, g, h = value, p, q
    return g * k + h


@inner
def _nearest(base, label):
    """Set each label to the cluster of least cost, the lowest of several."""
    for i in range(len(label)):
        best = 0
        for h in range(1, base.shape[1]):
            if base[i, h] < base[i, best]:
                best = h
        label[i] = best


@njit
def assign_alone(base, pairs, between):
    """CVQE: the two samples of each pair go where they and this pair cost least, whatever other pairs say: int32[m]."""
    order, ends, weight, n_must = pairs
    m, k = base.shape
    label = np.empty(m, np.int32)
    first = np.empty(m, np.int32)
    _nearest(base, first)
    for i in range(m):
        label[i] = first[i]
    for e in order:
        i, j, w = np.int64(ends[e, 0]), np.int64(ends[e, 1]), weight[e]
        weights = TwoWeights(w, 0.0) if e < n_must else TwoWeights(0.0, w)
        both = _best_two(base[i], base[j], weights, between, np.int64(first[i]), np.int64(first[j]))
        label[i], label[j] = both // k, both % k
    return label


@inlined
def _recount(i, sign, pairs, links, between, now):
    """Add or take away the costs that the pairs of sample i cause to its partners in each cluster."""
    cost, k = now.cost, now.cost.shape[1]
    here = now.label[i]
    for p in range(links.start[i], links.start[i + 1]):
        j, e = links.other[p], links.edge[p]
        w = sign * pairs.weight[e]
        if e < pairs.n_must:
            for h in range(k):
                cost[j, h] += w * between.apart[here, h]
        else:
            cost[j, here] += w * between.near[here]


@njit
def assign_joint(base, pairs, links, between, label):
    """CVQE+: the two samples of each pair go where they and all of their pairs cost least. Returns the number of moves.

    pairs : PairsInTurn
    links : PairsOfSamples
    between : BetweenCentres
    label : int32[m], changed in place. The sum of all costs never increases
    """
    order, ends, weight, n_must = pairs
    twin = links.twin
    m, k = base.shape
    cost = base.copy()
    now = Assignment(label, cost)
    for i in range(m):
        _recount(i, 1.0, pairs, links, between, now)
    a, b = np.empty(k), np.empty(k)
    moves = 0
    for e in order:
        i, j, w = np.int64(ends[e, 0]), np.int64(ends[e, 1]), weight[e]
        v = weight[twin[e]] if twin[e] >= 0 else 0.0
        weights = TwoWeights(w, v) if e < n_must else TwoWeights(v, w)
        g, h = np.int64(label[i]), np.int64(label[j])
        for p in range(k):  # all costs but those between the two samples
            a[p] = cost[i, p] - _price(p, h, weights, between)
            b[p] = cost[j, p] - _price(g, p, weights, between)
        both = _best_two(a, b, weights, between, g, h)
        for end in range(2):
            r, to = (i, both // k) if end == 0 else (j, both % k)
            if label[r] != to:
                _recount(r, -1.0, pairs, links, between, now)
                label[r] = to
                _recount(r, 1.0, pairs, links, between, now)
                moves += 1
    return moves


@njit
def assign_linear(base, pairs, distance):
    """LCVQE: only pairs that are violated are looked at, each with two or three ways out: int32[m].

    distance : float64[m, k], read-only, squared distances, without weights
    """
    order, ends, weight, n_must = pairs
    m, k = base.shape
    label = np.empty(m, np.int32)
    _nearest(base, label)
    for e in order:
        i, j, w = np.int64(ends[e, 0]), np.int64(ends[e, 1]), weight[e]
        g, h = np.int64(label[i]), np.int64(label[j])
        if e < n_must:
            if g == h:
                continue
            apart = base[i, g] + base[j, h] + 0.5 * w * (distance[i, h] + distance[j, g])
            at_g, at_h = base[i, g] + base[j, g], base[i, h] + base[j, h]
            if at_g < apart and at_g <= at_h:
                label[j] = g
            elif at_h < apart:
                label[i] = h
        elif g == h and k > 1:
            far = j if distance[j, g] > distance[i, g] * FARTHER else i
            to = 1 if g == 0 else 0
            for p in range(k):
                if p != g and distance[far, p] < distance[far, to]:
                    to = p
            if base[far, to] < base[far, g] + w * distance[far, to]:
                label[far] = to
    return label
