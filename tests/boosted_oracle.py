"""Boosted constrained k-means as Okabe and Yamada (2012, 2018) define it, slow and literal."""

import math

import numpy as np


def constrained_assignment_definition(distance, pairs):
    """Algorithm 2, its assignment: pairs (a, b, "must" or "cannot"), the most important one first. Then all others."""
    n, k = distance.shape
    label = {}

    def ranking(i):
        return sorted(range(k), key=lambda j: (distance[i][j], j))

    def other(i, cluster):
        return next((j for j in ranking(i) if j != cluster), cluster)  # with one cluster there is no other

    for a, b, kind in pairs:
        case = (a in label, b in label, kind)
        if case == (False, False, "must"):
            nearer = min((a, b), key=lambda i: (distance[i][ranking(i)[0]], i == a))  # of a tie, b
            label[a] = label[b] = ranking(nearer)[0]
        elif case == (False, False, "cannot"):
            label[a], label[b] = ranking(a)[0], ranking(b)[0]
            if label[a] == label[b]:
                farther = b if distance[a][label[a]] < distance[b][label[b]] else a
                label[farther] = other(farther, label[farther])
        elif case == (True, False, "must"):
            label[b] = label[a]
        elif case == (False, True, "must"):
            label[a] = label[b]
        elif case == (True, False, "cannot"):
            label[b] = other(b, label[a])
        elif case == (False, True, "cannot"):
            label[a] = other(a, label[b])
        else:
            assert case[:2] == (True, True)
    return np.array([label.get(i, ranking(i)[0]) for i in range(n)])


def listed_run_definition(X, pairs, centres, max_iter):
    """Algorithm 2 as printed: assignments and means by turns until the assignment stays. Labels and their means."""
    X, centres, labels = np.asarray(X, float), np.array(centres, float), None
    for _ in range(max_iter):
        new = constrained_assignment_definition(((X[:, None] - centres[None]) ** 2).sum(axis=2), pairs)
        if labels is not None and (new == labels).all():
            break
        labels = new
        for j in set(labels.tolist()):
            centres[j] = X[labels == j].mean(axis=0)
    return labels, centres


def constrained_run_definition(X, pairs, centres, max_iter):
    """Algorithm 2, but ended where the scatter would rise: labels and their means."""
    X, centres = np.asarray(X, float), np.array(centres, float)
    labels, least = None, math.inf
    for _ in range(max_iter):
        distance = ((X[:, None] - centres[None]) ** 2).sum(axis=2)
        new = constrained_assignment_definition(distance, pairs)
        means = centres.copy()
        for j in set(new.tolist()):
            means[j] = X[new == j].mean(axis=0)
        scatter = ((X - means[new]) ** 2).sum()
        if scatter >= least:
            break
        labels, centres, least = new, means, scatter
    return labels, centres


def violates(labels, pair):
    a, b, kind = pair
    return (labels[a] == labels[b]) == (kind == "cannot")


def boosting_definition(
    pairs, ties, weak_learner, n, *, n_rounds, rho=2.0, xi=0.5, perfect=5.0, chance=0.5, pair_weights=None
):
    """Algorithm 1: the kernel as a dense matrix, the final weights, and error and importance of each round.

    pairs : list of (a, b, kind); ties : their order where weights are equal; weak_learner : round, pairs -> labels
    """
    weights = [1.0] * len(pairs) if pair_weights is None else list(pair_weights)
    weights = [w / sum(weights) for w in weights]
    kernel = np.zeros((n, n))
    errors, importances = [], []
    for t in range(n_rounds):
        order = sorted(ties, key=lambda e: -weights[e])
        labels = weak_learner(t, [pairs[e] for e in order])
        wrong = [violates(labels, pair) for pair in pairs]
        error = sum(w for w, bad in zip(weights, wrong, strict=True) if bad)
        errors.append(error)
        if error >= chance * (1 - 1e-9):  # a round that repeats the one before has 1/2, but for rounding
            break
        alpha = perfect if error == 0 else min(perfect, 0.5 * math.log((1 - error) / error))
        importances.append(alpha)
        kernel += alpha * np.array([[1.0 if x == y else -1.0 for y in labels] for x in labels])
        # Eq. 3, whose importance is twice this one. Xi is a factor of all
        yk = [-1 if bad else 1 for bad in wrong]
        weights = [w * math.exp(-2 * alpha * (x - xi) / rho) for w, x in zip(weights, yk, strict=True)]
        weights = [w / sum(weights) for w in weights]
    return kernel, np.array(weights), np.array(errors), np.array(importances)


def kernel_distances_definition(kernel, labels, q):
    """Squared distances, in the kernel's space, of all samples to the means of clusters 0..q-1. No empty one."""
    out = np.empty((len(kernel), q))
    for c in range(q):
        some = np.flatnonzero(labels == c)
        within = kernel[np.ix_(some, some)].sum() / some.size**2
        for i in range(len(kernel)):
            out[i, c] = kernel[i, i] - 2 * kernel[i, some].sum() / some.size + within
    return out


def kernel_k_means_definition(kernel, labels, q):
    """Kernel k-means on the matrix, from given labels. None if a cluster becomes empty or a tie decides."""
    labels = np.asarray(labels)
    for _ in range(300):
        if len(set(labels.tolist())) < q:
            return None
        distance = kernel_distances_definition(kernel, labels, q)
        best = np.sort(distance, axis=1)
        if q > 1 and (best[:, 1] - best[:, 0] < 1e-9).any():
            return None
        new = distance.argmin(axis=1)
        if (new == labels).all():
            return labels
        labels = new
    raise AssertionError
