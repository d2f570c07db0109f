"""k-means in the space of the kernel that weighs in how many clusterings two samples are together.

With clusterings l_1, ..., l_T of importances a_t, the kernel is the sum of a_t * (+1 if l_t(i) == l_t(j) else -1).
Up to a factor and a constant, which change no clustering, it is the scalar product of the vectors that hold, for each
t, sqrt(a_t) at the place l_t(i) of k: so a mean is the shares in which its samples have each label, and no matrix of
n x n is needed.

    votes : int32[m, T], read-only, the labels of m samples in the clusterings (equal rows stand for many samples)
    importance : float64[T], read-only; weight : float64[m], read-only, how many samples a row stands for
    label : int32[m], read-only, the clusters of the rows
    share : float64[T, k, q], of the weight of cluster q, what has label k in clustering t

Oracle: `kernel_distances_definition`.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import njit

__all__ = ["disagreement", "shares", "vote_distances"]


@njit
def disagreement(votes, importance, i):
    """Squared distances of all rows to row i, float64[m]: twice the importance of the clusterings that part them."""
    m, rounds = votes.shape
    out = np.zeros(m)
    for r in range(m):
        for t in range(rounds):
            if votes[r, t] != votes[i, t]:
                out[r] += 2.0 * importance[t]
    return out


@njit
def shares(votes, weight, label, k, q):
    """The means of q clusters, float64[T, k, q], and their weights, float64[q]; an empty one's mean is 0."""
    m, rounds = votes.shape
    share = np.zeros((rounds, k, q))
    mass = np.zeros(q)
    for i in range(m):
        mass[label[i]] += weight[i]
        for t in range(rounds):
            share[t, votes[i, t], label[i]] += weight[i]
    for t in range(rounds):
        for v in range(k):
            for j in range(q):
                if mass[j] > 0:
                    share[t, v, j] /= mass[j]
    return share, mass


@njit
def vote_distances(votes, importance, share):
    """Squared distances of all rows to all means, float64[m, q]."""
    m, rounds = votes.shape
    k, q = share.shape[1], share.shape[2]
    own = np.zeros(q)  # what does not depend on the row
    for t in range(rounds):
        for v in range(k):
            for j in range(q):
                own[j] += importance[t] * share[t, v, j] * share[t, v, j]
    out = np.empty((m, q))
    for i in range(m):
        for j in range(q):
            out[i, j] = own[j]
        for t in range(rounds):
            v = votes[i, t]
            for j in range(q):
                out[i, j] += importance[t] * (1.0 - 2.0 * share[t, v, j])
        for j in range(q):
            out[i, j] = max(out[i, j], 0.0)
    return out
