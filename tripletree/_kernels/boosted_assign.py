"""k-means whose pairs are looked at in an order of priority and that never halts: one run.

    columns : float64[d, n], read-only, the points, one feature a row
    weight : float64[n], read-only, ones
    ends : int32[e, 2], read-only, the two samples of each pair; the first n_must pairs are must-links
    order : int32[e], read-only, the pairs, those of the highest priority first
    centres : float64[k, d], read-only
    label : int32[n], read-only

Oracles: `constrained_assignment_definition`, `constrained_run_definition`.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.lloyd import squared_distances, sums

__all__ = ["constrained_assignment", "constrained_run"]


@inner
def _nearest(distance, i, but):
    """The nearest cluster of sample i, the lowest of several, other than `but`; 0 where there is but one."""
    best, at = np.inf, -1
    for j in range(distance.shape[1]):
        if j != but and (at < 0 or distance[i, j] < best):
            best, at = distance[i, j], j
    return max(at, 0)


@inner
def _together(distance, label, a, b):
    """A must-link: both go where the first of them is; if neither has a cluster, to the centre nearest to either."""
    if label[a] >= 0:
        label[b] = label[a]
    elif label[b] >= 0:
        label[a] = label[b]
    else:
        near_a, near_b = _nearest(distance, a, -1), _nearest(distance, b, -1)
        near = near_a if distance[a, near_a] <= distance[b, near_b] else near_b
        label[a], label[b] = near, near


@inner
def _apart(distance, label, a, b):
    """A cannot-link: each goes to its nearest centre; where that is the same, the farther one to its second."""
    if label[a] >= 0:
        label[b] = _nearest(distance, b, label[a])
    elif label[b] >= 0:
        label[a] = _nearest(distance, a, label[b])
    else:
        near_a, near_b = _nearest(distance, a, -1), _nearest(distance, b, -1)
        if near_a == near_b:
            if distance[a, near_a] <= distance[b, near_b]:
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
        a, b = ends[e, 0], ends[e, 1]
        if label[a] >= 0 and label[b] >= 0:
            continue
        if e < n_must:
            _together(distance, label, a, b)
        else:
            _apart(distance, label, a, b)
    for i in range(n):
        if label[i] < 0:
            label[i] = _nearest(distance, i, -1)
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
def constrained_run(columns, weight, ends, n_must, order, centres, label, objective, most):
    """Assign and take means by turns, at most so many times, while the scatter decreases.

    objective : float, the scatter of `label` around `centres`, infinity at the start
    Returns labels int32[n], their means float64[k, d] (an empty cluster keeps its centre), the scatter, the number of
    turns taken and whether the run has ended.
    """
    n, k = columns.shape[1], centres.shape[0]
    now, means, least = label.copy(), centres.copy(), objective
    for turn in range(most):
        new = constrained_assignment(squared_distances(columns, means), ends, n_must, order)
        total, mass = sums(columns, weight, new, k)
        for j in range(k):
            for t in range(columns.shape[0]):
                total[j, t] = total[j, t] / mass[j] if mass[j] > 0 else means[j, t]
        value = _scatter(columns, new, total)
        if value >= least:
            return now, means, least, turn + 1, True
        same = True
        for i in range(n):
            same = same and new[i] == now[i]
        now, means, least = new, total, value
        if same:
            return now, means, least, turn + 1, True
    return now, means, least, most, False
