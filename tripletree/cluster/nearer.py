"""Flat clusters that fit the samples better than the cut of a tree with triplets does, and keep the same triplets.

A tree with triplets tells which clusters are near to each other. But a few samples at a wrong place
are enough to make clusters of its cut that fit no samples: one giant, and crumbs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree.algorithms.cut import CRUMB, log_within
from tripletree.algorithms.flat import MOST_CLUSTERS, compatible
from tripletree.cluster.votes import nearer_means
from tripletree.core.labels import in_order_of_first
from tripletree.core.triplets import TripletSet

#: Other clusters must fit better by this much (logarithm of the share of squared distances within clusters), or by
#: this much times the share of samples that had to move for the triplets: the fewer, the surer they are right.
#: Set for `ReCon` on two seeds of ten kinds; others: ``benchmarks/results/flat_clusters.md``.
_BETTER, _BETTER_PER_MOVE = 0.15, 2.0


def nearer_to_samples(
    labels: np.ndarray,
    start: np.ndarray,
    points: Any,
    kept: TripletSet,
    weights: np.ndarray | None = None,
    inside: float = 0.0,
) -> np.ndarray:
    """Clusters that begin as those of `start`, moved to the nearest means, then by triplets. Maybe `labels`.

    None of the clusters may be a crumb among the samples in triplets: other samples are no clusters of their own. With
    more than 200 clusters nothing is moved. A point of some weight stands for as many samples, with `inside` the sum of
    their squared distances to it.
    """
    k = int(labels.max()) + 1
    if not 1 < k <= MOST_CLUSTERS or not len(kept):
        return labels
    # moves are made in the order of the samples and of the clusters: let it be that of a mixture of the features
    order = np.argsort(points @ np.cos(np.arange(1, points.shape[1] + 1)), kind="stable")
    back = np.argsort(order)
    one = _nearer(
        labels[order],
        in_order_of_first(start[order]),
        points[order],
        TripletSet(back[kept.rows], labels.size, weights=kept.weights),
        None if weights is None else weights[order],
        inside,
    )
    return labels if one is None else in_order_of_first(one[back])


def _nearer(
    labels: np.ndarray, start: np.ndarray, points: Any, kept: TripletSet, weights: np.ndarray | None, inside: float
) -> np.ndarray | None:
    k = int(labels.max()) + 1
    start = nearer_means(points, start, weights)
    fit = log_within(points, labels, weights, inside)
    if log_within(points, start, weights, inside) >= fit:  # moves for triplets lead away from the means
        return None
    moved = compatible(start, kept, points, weights=weights)
    if moved is None:
        return None
    share = np.full(labels.size, 1 / labels.size) if weights is None else weights / weights.sum()
    named = kept.used_leaves
    if np.bincount(moved[named], share[named], k).min() < CRUMB * share[named].sum() / k:
        return None
    wanted = min(_BETTER, _BETTER_PER_MOVE * float(share @ (moved != start)))
    return moved if fit - log_within(points, moved, weights, inside) > wanted else None
