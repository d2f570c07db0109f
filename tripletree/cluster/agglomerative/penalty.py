"""Merges under triplets that may be violated at a price, and what that price is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.cluster.distances import EUCLIDEAN, FittedMetric, condensed_distances
from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError

__all__ = [
    "AUTO_PENALTY",
    "SOFT_UP_TO",
    "check_penalty",
    "merge_softly",
]

#: The penalty for a triplet of mean weight where none is named: the best of the benchmark of noise.
AUTO_PENALTY = 0.15

#: The most samples: beyond, the table of their distances takes more than 1.6 GB in float64.
SOFT_UP_TO = 20_000

#: Operations up to which the kernel runs as plain Python, and merges between two looks at the interrupt.
_LITTLE_WORK, _CHUNK = 2_000_000, 500
_SECONDS_PLAIN = 1e-7  # that an operation takes then

#: The largest penalty for a triplet, which leaves nothing to the distances.
_LARGEST = 1e200


def check_penalty(penalty: float | str, triplets: TripletSet, micro_clusters: Any) -> float:
    """The penalty for a unit of weight: for "auto" the one that makes `AUTO_PENALTY` for a triplet of mean weight.

    Raises
    ------
    LimitExceededError
        If there are more samples than the table of distances has room for.
    ValueError
        If the penalty is infinite or NaN, or a number of micro-clusters is given.
    """
    n_samples = len(triplets.leaves)
    if not isinstance(penalty, str) and not np.isfinite(penalty):
        msg = f"penalty={penalty!r} must be finite; None makes all triplets hold"
        raise ValueError(msg)
    if micro_clusters is not None and micro_clusters != "auto":
        msg = f"micro_clusters={micro_clusters!r} cannot go with a penalty: use micro_clusters=None"
        raise ValueError(msg)
    if n_samples > SOFT_UP_TO:
        msg = (
            f"penalty={penalty!r} keeps a table of all distances, and is limited to {SOFT_UP_TO:,} samples (1.6 GB); X "
            f"has {n_samples:,}: use penalty=None with on_conflict='repair', or cluster a part of the samples"
        )
        raise LimitExceededError(msg, size=n_samples, limit=SOFT_UP_TO)
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
    progress: Callable[[int], Any] | None = None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Merge samples until one cluster is left, always the two of least cost.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d) or (n, n)
        The samples, or their distances where `metric` is "precomputed".
    triplets : TripletSet
        Over the n samples; they may contradict each other.
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
        If the distances of all pairs do not fit; the message has their size.
    ValueError
        If a distance is not defined, negative, infinite or too large.
    """
    if linkage in EUCLIDEAN:
        table = condensed_distances(samples, "sqeuclidean", {}, dtype)
    else:
        table = metric.condensed(samples, dtype)
    n = samples.shape[0]
    if sample_weight is not None and linkage == "ward":  # the distance of two samples is that of clusters of one each
        i, j = np.triu_indices(n, 1)
        table *= 2 * sample_weight[i] * sample_weight[j] / (sample_weight[i] + sample_weight[j])
    return merge_condensed_softly(table, n, triplets, linkage, penalty, progress, sample_weight)


def merge_condensed_softly(
    condensed: np.ndarray,
    n: int,
    triplets: TripletSet,
    linkage: str,
    penalty: float,
    progress: Callable[[int], Any] | None = None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Merge n samples by their condensed distances (squared for linkages on centres), which are overwritten.

    Under Ward linkage these are those of clusters of the sizes that the weights say.
    """
    real = condensed.dtype
    size = np.ones(n, real) if sample_weight is None else sample_weight.astype(real)
    table = kernels.distance_table.new_table(condensed, size, np.full(n, np.inf))
    m = len(triplets)
    weights = np.ones(m)
    if triplets.weights is not None and m:
        # a power of two, which rounds nothing: weights below 2, their sums and a penalty for one of these stay finite
        scale = float(np.ldexp(1.0, int(np.frexp(triplets.weights.max())[1]) - 1))
        weights, penalty = triplets.weights / scale, min(penalty * scale, _LARGEST)
    head, link = _lists(triplets.rows, n)
    priced = kernels.penalty.Priced(triplets.rows.astype(np.int64), weights, head, link, np.arange(n), np.zeros(n))
    run = kernels.penalty.new_merges(n)
    kind = kernels.recon.LINKAGES.index(linkage)
    arguments = kind, min(float(penalty), _LARGEST), table, priced, run, _CHUNK
    work = 25 * n * n + m
    # numpy's scalars round float32 at other places than compiled code does
    if work > _LITTLE_WORK or real != np.float64:
        loops = kernels.fast("penalty")
    else:
        loops = kernels.at_hand("penalty", "merge_softly", _SECONDS_PLAIN * work, *arguments)
    done, ended = 0, n == 1
    while not ended:
        ended = loops.merge_softly(*arguments)
        if progress is not None:
            progress(int(run.n_merges[0]) - done)
        done = int(run.n_merges[0])
    return kernels.recon.as_linkage(run.merges, kind <= 2)


def _lists(rows: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The ends 3 t + k of triplets that each sample is, as lists: the first of each sample, and what follows each."""
    ends = rows.ravel()
    order = np.argsort(ends, kind="stable")
    head, link = np.full(n, -1, np.int64), np.full(ends.size, -1, np.int64)
    same = ends[order[1:]] == ends[order[:-1]]
    link[order[:-1][same]] = order[1:][same]
    first = order[np.concatenate([[True], ~same])] if ends.size else order
    head[ends[first]] = first
    return head, link
