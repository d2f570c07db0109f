"""Merges under triplets that may be violated at a price, and that price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.merges import LINKAGES, as_linkage
from tripletree.algorithms.points import is_sparse
from tripletree.cluster.distances import EUCLIDEAN, FittedMetric, check_spread, condensed_distances, shifted
from tripletree.core.progress import Tick, silent, teller
from tripletree.core.triplets import TripletSet

#: The default penalty for a triplet of mean weight: the best of the benchmark of noise.
AUTO_PENALTY = 0.15

#: The largest penalty for a triplet, which leaves nothing to the distances.
_LARGEST = 1e200


def check_penalty(penalty: float | str, triplets: TripletSet, micro_clusters: Any) -> float:
    """The penalty for a unit of weight: for "auto" the one that makes `AUTO_PENALTY` for a triplet of mean weight."""
    if not isinstance(penalty, str) and not np.isfinite(penalty):
        msg = f"penalty={penalty!r} must be finite; None makes all triplets hold"
        raise ValueError(msg)
    if micro_clusters is not None and micro_clusters != "auto":
        msg = f"micro_clusters={micro_clusters!r} cannot go with a penalty: use micro_clusters=None"
        raise ValueError(msg)
    if isinstance(penalty, str):
        mean = 1.0 if triplets.weights is None or len(triplets) == 0 else float(triplets.weights.mean())
        return AUTO_PENALTY / mean if mean > AUTO_PENALTY / 1e308 else 1e308
    return float(penalty)


def merge_softly(
    samples: np.ndarray,
    triplets: TripletSet,
    linkage: str,
    metric: FittedMetric,
    penalty: float,
    dtype: Any = np.float64,
    progress: Tick = silent,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Merge samples until one cluster is left, always the two of least cost.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d) or (n, n)
        The samples, or their distances if `metric` is "precomputed".
    triplets : TripletSet
        Over the n samples. They may contradict each other.
    linkage : str
    metric : FittedMetric
    penalty : float
        For a unit of weight.
    dtype : float64 or float32
    progress : callable, optional
        Called with the number of merges done since its last call.
    sample_weight : ndarray of float64, shape (n,), optional
        How many samples each row stands for.

    Returns
    -------
    ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights.

    Raises
    ------
    MemoryError
        If the distances of all pairs do not fit. The message has their size.

    Notes
    -----
    Linkages on centres (`FittedMetric.is_on_centres`) of dense samples: time O(n^2 d + m log m) at most, memory
    O(n d + m). The others, and sparse samples: a table of n (n - 1) / 2 distances.
    """
    if metric.is_on_centres(linkage) and not is_sparse(samples):
        check_spread(samples, dtype)
        merges = _merge_points_softly(shifted(samples, dtype), triplets, linkage, penalty, progress, sample_weight)
        if metric.metric == "cosine" and linkage not in EUCLIDEAN:
            merges[:, 2] /= 2  # squared distances of samples of length 1 are twice the cosine ones
        return merges
    if linkage in EUCLIDEAN:
        table = condensed_distances(samples, "sqeuclidean", {}, dtype)
    else:
        table = metric.condensed(samples, dtype)
    n = samples.shape[0]
    if sample_weight is not None and linkage == "ward":  # the distance of clusters of one sample each
        i, j = np.triu_indices(n, 1)
        table *= 2 * sample_weight[i] * sample_weight[j] / (sample_weight[i] + sample_weight[j])
    return merge_condensed_softly(table, n, triplets, linkage, penalty, progress, sample_weight)


def _merge_points_softly(
    samples: np.ndarray,
    triplets: TripletSet,
    linkage: str,
    penalty: float,
    progress: Tick,
    sample_weight: np.ndarray | None,
) -> np.ndarray:
    """Merge points by a linkage on centres. Memory for centres, not for distances."""
    n, real = len(samples), samples.dtype
    weight = np.ones(n, real) if sample_weight is None else sample_weight.astype(real)
    # dimensions of large spread first: sums over the first few tell most pairs apart
    order = np.argsort(-samples.var(axis=0), kind="stable")
    points = np.ascontiguousarray(samples[:, order]), weight
    return _merged_softly(engine.penalty.merge_centres_softly, points, triplets, linkage, penalty, progress)


def merge_condensed_softly(
    condensed: np.ndarray,
    n: int,
    triplets: TripletSet,
    linkage: str,
    penalty: float,
    progress: Tick = silent,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Merge n samples by their condensed distances (squared for linkages on centres), which are overwritten.

    Under Ward linkage the result has the distances of clusters of the sizes that the weights say.
    """
    real = condensed.dtype
    size = np.ones(n, real) if sample_weight is None else sample_weight.astype(real)
    return _merged_softly(engine.penalty.merge_table_softly, (condensed, size), triplets, linkage, penalty, progress)


def _merged_softly(
    merge: Callable[..., Any],
    distances: tuple[Any, ...],
    triplets: TripletSet,
    linkage: str,
    penalty: float,
    progress: Tick,
) -> np.ndarray:
    """Merge until one cluster is left."""
    m = len(triplets)
    weights = np.ones(m)
    if triplets.weights is not None and m:
        # a power of two, which rounds nothing: weights below 2, their sums and a penalty for one of them stay finite
        scale = float(np.ldexp(1.0, int(np.frexp(triplets.weights.max())[1]) - 1))
        weights, penalty = triplets.weights / scale, min(penalty * scale, _LARGEST)
    kind, tell = LINKAGES.index(linkage), teller(progress)
    merges = merge(*distances, triplets.rows, weights, kind, min(float(penalty), _LARGEST), tell)
    tell(len(merges))
    return as_linkage(merges, squared=kind <= 2)
