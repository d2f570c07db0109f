"""DistBoost (Hertz, Bar-Hillel, Weinshall 2004, Boosting margin based distance functions for clustering, ICML).

Written after its published outline, as no package has it. Each round fits a mixture of Gaussians by EM to weighted
samples, in which must-linked groups have one source and cannot-linked ones different sources (Shental, Bar-Hillel,
Hertz, Weinshall 2003). Two samples are near if the mixture gives both to one Gaussian. Rounds are weighed and pairs
reweighed as AdaBoost does with confidences, and unlabelled pairs only lose weight. What the outline leaves open: all
pairs are given to each round, cannot-links are in EM by damped mean field, covariances have a ridge of 0.001, and
rounds that are no better than chance are left out.
"""

import numpy as np

RIDGE = 1e-3
STEPS = 30
FIELD_STEPS = 8


def distboost(X, pairs, k, *, n_rounds=100, random_state=0):
    """The learned distances of all pairs of samples, shape (n, n)."""
    rng, n = np.random.default_rng(random_state), len(X)
    ends = np.concatenate([pairs.must_link, pairs.cannot_link])
    sign = np.repeat([1.0, -1.0], [len(pairs.must_link), len(pairs.cannot_link)])
    group, apart = _groups(pairs, n)
    share, free = np.full(len(ends), 0.5 / len(ends)), 0.5  # the weights of pairs, and of all unlabelled ones
    weight, found = np.full(n, 1.0 / n), np.zeros((n, n))
    for _ in range(n_rounds):
        source = _mixture(X, weight, k, group, apart, rng)
        sure, chosen = source.max(axis=1), source.argmax(axis=1)
        near = np.outer(sure, sure) * np.where(chosen[:, None] == chosen, 1.0, -1.0)
        margin = sign * near[ends[:, 0], ends[:, 1]]
        edge = min(float(share @ margin) / share.sum(), 1 - 1e-9)
        if edge <= 0:
            continue
        trust = 0.5 * np.log((1 + edge) / (1 - edge))
        found += trust * (1 - near) / 2
        share, free = share * np.exp(-trust * margin), free * np.exp(-trust)
        total = share.sum() + free
        share, free = share / total, free / total
        weight = np.full(n, free / n)
        np.add.at(weight, ends.ravel(), np.repeat(share / 2, 2))
        weight /= weight.sum()
    return found


def coordinates(distances):
    """Points whose squared distances are those given, as far as they can be: k-means of them is k-means by these."""
    centred = distances - distances.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centred - centred.mean(axis=1)[:, None]))
    return vectors * np.sqrt(np.maximum(values, 0))


def _groups(pairs, n):
    """The must-linked group of each sample, and a matrix of ones where two groups are cannot-linked."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs.must_link)), pairs.must_link.T), shape=(n, n))
    count, group = connected_components(graph, directed=False)
    apart = np.zeros((count, count))
    a, b = group[pairs.cannot_link].T
    apart[a, b] = apart[b, a] = a != b
    return group, apart


def _summed(group, values):
    return np.stack([np.bincount(group, column) for column in values.T], axis=1)


def _shares(logs):
    """The exponentials of each row, with sum 1."""
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    return found / found.sum(axis=1, keepdims=True)


def _mixture(X, weight, k, group, apart, rng):
    """The source of each sample in a mixture of k Gaussians, shape (n, k)."""
    n, d = X.shape
    mass = np.bincount(group, weight)
    means = _first_means(_summed(group, weight[:, None] * X) / np.maximum(mass, 1e-300)[:, None], mass, k, rng)
    spread = np.cov(X.T, aweights=weight).reshape(d, d) + RIDGE * np.eye(d)
    ridge = RIDGE * np.trace(spread) / d * np.eye(d)
    spreads, prior, before, source = np.array([spread] * k), np.full(k, 1 / k), -np.inf, None
    for _ in range(STEPS):
        logs = np.empty((n, k))
        for j in range(k):
            root = np.linalg.cholesky(spreads[j])
            logs[:, j] = -0.5 * (np.linalg.solve(root, (X - means[j]).T) ** 2).sum(axis=0) - np.log(np.diag(root)).sum()
        logs = _summed(group, logs) + np.log(prior + 1e-300)
        source = _shares(logs) if source is None or not apart.any() else source
        for _ in range(FIELD_STEPS if apart.any() else 0):
            source = 0.5 * source + 0.5 * _shares(logs + apart @ np.log(1 - np.minimum(source, 1 - 1e-6)))
        part = source[group] * weight[:, None]
        size = part.sum(axis=0) + 1e-12
        prior, means = size / size.sum(), (part.T @ X) / size[:, None]
        for j in range(k):
            off = X - means[j]
            spreads[j] = (off * part[:, j : j + 1]).T @ off / size[j] + ridge
        top = logs.max(axis=1)
        now = float((np.log(np.exp(logs - top[:, None]).sum(axis=1)) + top).sum())
        if abs(now - before) < 1e-5 * abs(now):
            break
        before = now
    return source[group]


def _first_means(means, mass, k, rng):
    """As k-means++ draws them, of the means of groups by their weights."""
    chosen = [means[rng.choice(len(means), p=mass / mass.sum())]]
    for _ in range(k - 1):
        chance = np.min([((means - x) ** 2).sum(axis=1) for x in chosen], axis=0) * mass
        chosen.append(means[rng.choice(len(means), p=chance / chance.sum() if chance.sum() > 0 else None)])
    return np.array(chosen)
