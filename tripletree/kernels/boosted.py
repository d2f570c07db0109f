"""k-means whose pairs are looked at in an order of priority and that never halts: one run.

Oracles: `constrained_assignment_definition`, `constrained_run_definition`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import inner, njit
from tripletree.kernels.lloyd import squared_distances, sums


class SampleColumns(NamedTuple):
    """The samples. All arrays are read-only."""

    columns: np.ndarray  #: float64[d, n], one feature a row
    weight: np.ndarray  #: float64[n], ones


class PriorityPairs(NamedTuple):
    """Pairs of samples. All arrays are read-only."""

    ends: np.ndarray  #: int32[e, 2], the two samples of each pair
    n_must: int  #: the first so many pairs are must-links
    order: np.ndarray  #: int32[e], the pairs by descending priority


class ClusterMeans(NamedTuple):
    """The state of a run. All arrays are read-only."""

    label: np.ndarray  #: int32[n]
    centres: np.ndarray  #: float64[k, d]
    objective: float  #: the scatter of the labels around the centres, infinity at the start


#: For `_nearest`: no cluster is left out.
_NONE = np.int64(-1)


@inner
def _nearest(distance, i, but):
    """The nearest cluster of sample i other than `but`, the lowest of several. Returns 0 if there is no other."""
    best, at = np.inf, -1
    for j in range(distance.shape[1]):
        if j != but and (at < 0 or distance[i, j] < best):
            best, at = distance[i, j], j
    return np.int64(max(at, 0))


@inner
def _together(distance, label, a, b):
    """A must-link: both go where the first of them is. If neither has a cluster, to the centre nearest to either."""
    if label[a] >= 0:
        label[b] = label[a]
    elif label[b] >= 0:
        label[a] = label[b]
    else:
        near_a, near_b = _nearest(distance, a, _NONE), _nearest(distance, b, _NONE)
        near = near_a if distance[a, near_a] < distance[b, near_b] else near_b
        label[a], label[b] = near, near


@inner
def _apart(distance, label, a, b):
    """A cannot-link: each goes to its nearest centre. If both have the same one, the farther one goes to its second."""
    if label[a] >= 0:
        label[b] = _nearest(distance, b, np.int64(label[a]))
    elif label[b] >= 0:
        label[a] = _nearest(distance, a, np.int64(label[b]))
    else:
        near_a, near_b = _nearest(distance, a, _NONE), _nearest(distance, b, _NONE)
        if near_a == near_b:
            if distance[a, near_a] < distance[b, near_b]:
                near_b = _nearest(distance, b, near_a)
            else:
                near_a = _nearest(distance, a, near_b)
        label[a], label[b] = near_a, near_b


@njit
def constrained_assignment(distance, ends, n_must, order):
    """The cluster of each sample, int32[n], by distances float64[n, k]: first of those in pairs, then of the others."""
    n = distance.shape[0]
    label = np.full(n, -1, np.int32)
    for place in range(len(order)):
        e = order[place]
        a, b = np.int64(ends[e, 0]), np.int64(ends[e, 1])
        if label[a] >= 0 and label[b] >= 0:
            continue
        if e < n_must:
            _together(distance, label, a, b)
        else:
            _apart(distance, label, a, b)
    for i in range(n):
        if label[i] < 0:
            label[i] = _nearest(distance, i, _NONE)
    return label


@inner
def _scatter(columns, label, centres):
    total = 0.0
    for t in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            difference = columns[t, i] - centres[label[i], t]
            total += difference * difference
    return total


@njit
def constrained_run(samples, pairs, begin, most, to_the_end):
    """Assign and take means by turns, at most so many times, while the scatter decreases.

    samples : SampleColumns
    pairs : PriorityPairs
    begin : ClusterMeans
    to_the_end : bool, whether to go on, whatever the scatter, until no label changes
    Returns labels int32[n], their means float64[k, d] (an empty cluster keeps its centre), the scatter, the number of
    turns taken and whether the run has ended.
    """
    columns, weight = samples
    ends, n_must, order = pairs
    n, k = columns.shape[1], begin.centres.shape[0]
    now, means, least = begin.label.copy(), begin.centres.copy(), begin.objective
    for turn in range(most):
        new = constrained_assignment(squared_distances(columns, means), ends, n_must, order)
        total, mass = sums(columns, weight, new, k)
        for j in range(k):
            for t in range(columns.shape[0]):
                total[j, t] = total[j, t] / mass[j] if mass[j] > 0 else means[j, t]
        value = _scatter(columns, new, total)
        if value >= least and not to_the_end:
            return now, means, least, turn + 1, True
        same = True
        for i in range(n):
            same = same and new[i] == now[i]
        now, means, least = new, total, value
        if same:
            return now, means, least, turn + 1, True
    return now, means, least, most, False


# ----------------------------------------------------------------------
# k-means in the space of the kernel that weighs in how many clusterings two samples are together.
#
# With clusterings l_1, ..., l_T of importances a_t, the kernel is the sum of a_t * (+1 if l_t(i) == l_t(j) else -1).
# Up to a factor and a constant, which change no clustering, it is the scalar product of the vectors that hold, for each
# t, sqrt(a_t) at the place l_t(i) of k: so a mean is the shares in which its samples have each label, and no matrix of
# n x n is needed.
#
#     votes : int32[m, T], read-only, the labels of m samples in the clusterings (equal rows stand for many samples)
#     importance : float64[T], read-only
#     weight : float64[m], read-only, how many samples a row stands for
#     label : int32[m], read-only, the clusters of the rows
#     share : float64[T, k, q], the share of the weight of cluster q that has label k in clustering t
#
# Oracle: `kernel_distances_definition`.


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
    """The means of q clusters, float64[T, k, q], and their weights, float64[q]. An empty one's mean is 0."""
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
    own = np.zeros(q)  # the part that does not depend on the row
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
