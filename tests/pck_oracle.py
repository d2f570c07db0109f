"""The definitions of the objectives of k-means with soft pairs, slow and literal."""

import itertools

import numpy as np


def pair_costs(labels, base, must, cannot, must_pay, cannot_pay):
    """The sum that the moves of ``soft_pairs.hpp`` of the core lower."""
    total = sum(base[i, h] for i, h in enumerate(labels))
    total += sum(
        must_pay[e, labels[a]] + must_pay[e, labels[b]] for e, (a, b) in enumerate(must) if labels[a] != labels[b]
    )
    total += sum(cannot_pay[e, labels[a]] for e, (a, b) in enumerate(cannot) if labels[a] == labels[b])
    return float(total)


def price(X, penalty, weights=None):
    """The cost of a violated pair of weight 1: `penalty` mean squared distances of the samples to their mean."""
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    mean = sum(w * x for w, x in zip(weights, X, strict=True)) / weights.sum()
    return penalty * sum(w * ((x - mean) ** 2).sum() for w, x in zip(weights, X, strict=True)) / weights.sum()


def pck_objective(X, labels, centres, must, cannot, penalty, weights=None, must_weights=None, cannot_weights=None):
    """The objective of PCKMeans (Basu, Banerjee, Mooney 2004), as it is written."""
    weights = np.ones(len(X)) if weights is None else weights
    must_weights = np.ones(len(must)) if must_weights is None else must_weights
    cannot_weights = np.ones(len(cannot)) if cannot_weights is None else cannot_weights
    p = price(X, penalty, weights)
    total = sum(w * ((x - centres[h]) ** 2).sum() for x, h, w in zip(X, labels, weights, strict=True))
    total += sum(p * s for (a, b), s in zip(must, must_weights, strict=True) if labels[a] != labels[b])
    total += sum(p * s for (a, b), s in zip(cannot, cannot_weights, strict=True) if labels[a] == labels[b])
    return float(total)


def means(X, labels, k, weights=None):
    """The weighted mean of each cluster. Zeros for an empty one."""
    weights = np.ones(len(X)) if weights is None else weights
    centres = np.zeros((k, X.shape[1]))
    for h in set(labels):
        own = np.asarray(labels) == h
        centres[h] = (weights[own, None] * X[own]).sum(axis=0) / weights[own].sum()
    return centres


def best_pck_objective(X, k, must, cannot, penalty):
    """The least objective over all assignments to k clusters."""
    return min(
        pck_objective(X, labels, means(X, labels, k), must, cannot, penalty)
        for labels in itertools.product(range(k), repeat=len(X))
        if labels[0] == 0
    )


def random_pairs(rng, n, p, y=None):
    """About p must-links and cannot-links: of classes y, or arbitrary ones."""
    rows = np.array([rng.choice(n, 2, replace=False) for _ in range(p)]).reshape(-1, 2)
    rows = np.unique(np.sort(rows, axis=1), axis=0)
    together = rng.random(len(rows)) < 0.5 if y is None else y[rows[:, 0]] == y[rows[:, 1]]
    return rows[together], rows[~together]


def square(x, metric):
    """The squared length of x under a diagonal or a matrix."""
    return float(sum(metric * x * x)) if metric.ndim == 1 else float(x @ metric @ x)


def log_det(metric):
    """The logarithm of the determinant of a diagonal or a matrix."""
    return float(np.log(metric if metric.ndim == 1 else np.linalg.eigvalsh(metric)).sum())


def mpck_objective(
    X,
    labels,
    centres,
    metrics,
    must,
    cannot,
    penalty,
    prior,
    far,
    *,
    shared=False,
    weights=None,
    must_weights=None,
    cannot_weights=None,
):
    """The objective of MPCKMeans (Bilenko, Basu, Mooney 2004), as it is written, with the prior.

    far : array of shape (c, d), the differences of which the greatest under a metric stands for the greatest distance
    """
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    must_weights = np.ones(len(must)) if must_weights is None else must_weights
    cannot_weights = np.ones(len(cannot)) if cannot_weights is None else cannot_weights
    total = 0.0
    for x, h, w in zip(X, labels, weights, strict=True):
        total += w * (square(x - centres[h], metrics[h]) - log_det(metrics[h]))
    for (i, j), s in zip(must, must_weights, strict=True):
        if labels[i] != labels[j]:
            g, h = labels[i], labels[j]
            total += penalty * s * 0.5 * (square(X[i] - X[j], metrics[g]) + square(X[i] - X[j], metrics[h]))
    for (i, j), s in zip(cannot, cannot_weights, strict=True):
        if labels[i] == labels[j]:
            metric = metrics[labels[i]]
            most = max(square(f, metric) for f in far)
            total += penalty * s * (most - square(X[i] - X[j], metric))
    variance = price(X, 1.0, weights) / X.shape[1]
    for metric in metrics[:1] if shared else metrics:
        trace = metric.sum() if metric.ndim == 1 else np.trace(metric)
        total += prior * (variance * trace - log_det(metric))
    return float(total)
