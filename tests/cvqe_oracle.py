"""The definitions of CVQE, LCVQE and CVQE+, slow and literal: objectives, how pairs get clusters, updates of centres.

`method` is "cvqe", "lcvqe", "plus" or "both": "plus" with must-links charged to both clusters. Must-links and
cannot-links are rows (i, j) of samples with weights.
"""

from functools import partial

import numpy as np


def square(x, y):
    return float(((np.asarray(x) - np.asarray(y)) ** 2).sum())


def next_centre(centres, g):
    """The centre nearest to centre g, None where there is no other."""
    others = [h for h in range(len(centres)) if h != g]
    return min(others, key=lambda h: square(centres[g], centres[h])) if others else None


def far_one(X, centres, i, j, g):
    """The sample of cluster g that is farther from its centre, and the centre nearest to it but this one."""
    r = j if square(X[j], centres[g]) > square(X[i], centres[g]) * (1 + 1e-9) else i
    others = [h for h in range(len(centres)) if h != g]
    return r, min(others, key=lambda h: square(X[r], centres[h])) if others else None


def must_cost(method, X, labels, centres, i, j, w):
    g, h = labels[i], labels[j]
    if g == h:
        return 0.0
    if method == "lcvqe":
        return 0.5 * w * (square(X[i], centres[h]) + square(X[j], centres[g]))
    return (2 if method == "both" else 1) * w * square(centres[g], centres[h])


def cannot_cost(method, X, labels, centres, i, j, w):
    g = labels[i]
    if g != labels[j] or len(centres) == 1:
        return 0.0
    if method == "lcvqe":
        r, h = far_one(X, centres, i, j, g)
        return w * square(X[r], centres[h])
    return w * square(centres[g], centres[next_centre(centres, g)])


def pair_costs(method, X, labels, centres, must, cannot, must_w, cannot_w):
    """The cost of each pair, must-links first."""
    return [
        *(must_cost(method, X, labels, centres, i, j, w) for (i, j), w in zip(must, must_w, strict=True)),
        *(cannot_cost(method, X, labels, centres, i, j, w) for (i, j), w in zip(cannot, cannot_w, strict=True)),
    ]


def objective(method, X, labels, centres, must, cannot, must_w, cannot_w, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    inertia = sum(s * square(x, centres[g]) for s, x, g in zip(weights, X, labels, strict=True))
    return inertia + sum(pair_costs(method, X, labels, centres, must, cannot, must_w, cannot_w))


def with_labels(labels, *changes):
    labels = list(labels)
    for i, g in changes:
        labels[i] = g
    return labels


def assigned(method, X, centres, must, cannot, must_w, cannot_w, weights=None, labels=None):
    """One choice of labels, pairs in the order given; `labels` of the round before (for "plus")."""
    weights = np.ones(len(X)) if weights is None else weights
    k = len(centres)
    near = [min(range(k), key=lambda g: square(x, centres[g])) for x in X]
    rules = {"cvqe": _alone, "lcvqe": _linear, "plus": _joint, "both": partial(_joint, method="both")}
    start = list(labels) if method in ("plus", "both") and labels is not None else list(near)
    if method in ("plus", "both"):  # samples in no pair go to the nearest centre
        linked = {i for pair in [*must, *cannot] for i in pair}
        start = [g if i in linked else near[i] for i, g in enumerate(start)]
    pairs = [(i, j, w, True) for (i, j), w in zip(must, must_w, strict=True)]
    pairs += [(i, j, w, False) for (i, j), w in zip(cannot, cannot_w, strict=True)]
    for pair in pairs:
        start = rules[method](X, centres, weights, start, pair, (must, cannot, must_w, cannot_w), near)
    return start


def _alone(X, centres, weights, labels, pair, every, near):
    i, j, w, together = pair
    cost = must_cost if together else cannot_cost
    best, chosen = np.inf, None
    for g in range(len(centres)):
        for h in range(len(centres)):
            price = cost("cvqe", X, with_labels(labels, (i, g), (j, h)), centres, i, j, w)
            value = weights[i] * square(X[i], centres[g]) + weights[j] * square(X[j], centres[h]) + price
            if value < best:
                best, chosen = value, (g, h)
    return with_labels(labels, (i, chosen[0]), (j, chosen[1]))


def _joint(X, centres, weights, labels, pair, every, near, *, method="plus"):
    i, j, _, _ = pair
    best = objective(method, X, labels, centres, *every, weights)
    chosen = labels
    for g in range(len(centres)):
        for h in range(len(centres)):
            other = with_labels(labels, (i, g), (j, h))
            value = objective(method, X, other, centres, *every, weights)
            if value < best * (1 - 1e-12):
                best, chosen = value, other
    return chosen


def _linear(X, centres, weights, labels, pair, every, near):
    i, j, w, together = pair
    g, h = labels[i], labels[j]
    if together == (g == h) or len(centres) == 1:
        return labels

    def own(labels):
        return weights[i] * square(X[i], centres[labels[i]]) + weights[j] * square(X[j], centres[labels[j]])

    cost = must_cost if together else cannot_cost
    if together:
        ways = [labels, with_labels(labels, (j, g)), with_labels(labels, (i, h))]
    else:
        r, to = far_one(X, centres, i, j, g)
        ways = [labels, with_labels(labels, (r, to))]
    return min(ways, key=lambda way: own(way) + cost("lcvqe", X, way, centres, i, j, w))


def updated(method, X, labels, centres, must, cannot, must_w, cannot_w, weights=None):
    """The centres after one update from the given ones, all at once. A cluster that nothing pulls keeps its centre."""
    weights = np.ones(len(X)) if weights is None else weights
    total, mass = np.zeros_like(centres), np.zeros(len(centres))

    def add(g, place, w):
        total[g] += w * place
        mass[g] += w

    for x, g, s in zip(X, labels, weights, strict=True):
        add(g, x, s)
    for (i, j), w in zip(must, must_w, strict=True):
        g, h = labels[i], labels[j]
        if g == h:
            continue
        if method == "lcvqe":
            add(h, X[i], 0.5 * w)
            add(g, X[j], 0.5 * w)
        else:
            add(g, centres[h], w)
            if method in ("plus", "both"):
                add(h, centres[g], w)
    for (i, j), w in zip(cannot, cannot_w, strict=True):
        g = labels[i]
        if g != labels[j] or len(centres) == 1:
            continue
        if method == "lcvqe":
            r, h = far_one(X, centres, i, j, g)
            add(h, X[r], w)
        else:
            add(g, centres[next_centre(centres, g)], w)
    return np.array([t / m if m > 0 else c for t, m, c in zip(total, mass, centres, strict=True)])
