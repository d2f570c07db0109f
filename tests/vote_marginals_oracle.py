"""The sums that `tripletree.cluster.votes` finds by messages, by definition: over all labels of all samples."""

from itertools import product

import numpy as np


def marginals(own, pairs, same, rows, weight, wrong):
    """The probabilities of the clusters for each sample, from the logarithms of its own ones and all statements."""
    n, k = own.shape
    total = np.zeros((n, k))
    for labels in product(range(k), repeat=n):
        log = sum(own[i, z] for i, z in enumerate(labels))
        for (i, j), is_must, w in zip(pairs, same, weight[: len(pairs)], strict=True):
            log += w * np.log(1 - wrong[0] if (labels[i] == labels[j]) == is_must else wrong[0])
        for (a, b, c), w in zip(rows, weight[len(pairs) :], strict=True):
            log += w * np.log(1 - wrong[1] if labels[a] == labels[b] != labels[c] else wrong[1] / 2)
        for i, z in enumerate(labels):
            total[i, z] += np.exp(log)
    return total / total.sum(axis=1, keepdims=True)
