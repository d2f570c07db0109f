"""Merges under triplets that may be violated at a price, and that price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tripletree import kernels
from tripletree.algorithms.merges import SECONDS_PLAIN, as_linkage
from tripletree.algorithms.points import is_sparse
from tripletree.cluster.distances import EUCLIDEAN, FittedMetric, check_spread, condensed_distances, shifted
from tripletree.core.progress import Pace
from tripletree.core.triplets import TripletSet

#: The penalty for a triplet of mean weight if none is named: the best of the benchmark of noise.
AUTO_PENALTY = 0.15

_CHUNK = 500  # merges before the first look at the interrupt

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
    progress: Callable[[int], Any] | None = None,
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
    progress: Callable[[int], Any] | None,
    sample_weight: np.ndarray | None,
) -> np.ndarray:
    """Merge points by a linkage on centres. Memory for these, not for distances."""
    (n, d), real = samples.shape, samples.dtype
    weight = np.ones(n, real) if sample_weight is None else sample_weight.astype(real)
    # dimensions of large spread first: sums over the first few tell most pairs apart
    order = np.argsort(-samples.var(axis=0), kind="stable")
    centres = kernels.centres.new_centres(samples[:, order], weight, np.zeros(n, real))
    # costs are float64 whatever the distances
    centres = centres._replace(bound=np.full(n, np.inf), least=np.full(centres.least.size, np.inf))
    run = _SoftRun("merge_centres_softly", centres, centres.place, 0, n * n * d)
    return _merged_softly(run, triplets, linkage, penalty, progress)


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

    Under Ward linkage these are the distances of clusters of the sizes that the weights say.
    """
    real = condensed.dtype
    size = np.ones(n, real) if sample_weight is None else sample_weight.astype(real)
    table = kernels.distance_table.new_table(condensed, size, np.full(n, np.inf))
    run = _SoftRun("merge_table_softly", table, np.arange(n), n, 3 * n * n)
    return _merged_softly(run, triplets, linkage, penalty, progress)


class _SoftRun(NamedTuple):
    """One run of merges: a kernel of ``penalty``, its state, its work."""

    kernel: str
    distances: Any  #: `Centres` or `DistanceTable`
    place: np.ndarray  #: int64[n]: of each cluster
    live: int  #: places arranged so far
    work: int  #: coordinates compared if all pairs of samples are, or work that takes as long


def _merged_softly(
    run: _SoftRun, triplets: TripletSet, linkage: str, penalty: float, progress: Callable[[int], Any] | None
) -> np.ndarray:
    """Merge until one cluster is left."""
    n, m = len(run.distances.cluster), len(triplets)
    weights = np.ones(m)
    if triplets.weights is not None and m:
        # a power of two, which rounds nothing: weights below 2, their sums and a penalty for one of these stay finite
        scale = float(np.ldexp(1.0, int(np.frexp(triplets.weights.max())[1]) - 1))
        weights, penalty = triplets.weights / scale, min(penalty * scale, _LARGEST)
    state = kernels.penalty.new_merges(n, run.live)
    kind, ties = kernels.recon.LINKAGES.index(linkage), _ties(triplets.rows, weights, run.place)
    arguments = kind, min(float(penalty), _LARGEST), run.distances, ties, state
    kernel = getattr(kernels.penalty, run.kernel)
    if run.distances.weight.dtype != np.float64:  # numpy's scalars round float32 at other places
        merge = kernel.fast
    else:
        merge = kernel.version(kernel.pays(SECONDS_PLAIN * run.work, *arguments, _CHUNK))
    pace, done, ended = Pace(_CHUNK), 0, n == 1
    while not ended:
        with pace:
            ended = merge(*arguments, pace.steps)
        if progress is not None:
            progress(int(state.n_merges[0]) - done)
        done = int(state.n_merges[0])
    return as_linkage(state.merges, squared=kind <= 2)


def _ties(rows: np.ndarray, weights: np.ndarray, place: np.ndarray) -> Any:
    """The pairs that triplets name, and the lists of both: see `kernels.penalty.Ties`. Time O(m log m)."""
    n, rows = len(place), rows.astype(np.int64)
    pairs = np.sort(rows[:, [[1, 2], [0, 2], [0, 1]]].reshape(-1, 2), axis=1)  # 3 t + k: without end k
    named, pair = np.unique(pairs[:, 0] * n + pairs[:, 1], return_inverse=True)
    # of no triplets numpy counts integers, for which the kernels would be compiled once more
    push = np.bincount(pair, (weights[:, None] * [1.0, 1.0, -1.0]).ravel(), named.size).astype(np.float64)
    first, last, after = _lists(pair, named.size)
    ends = np.ascontiguousarray(np.column_stack([named // n, named % n])).ravel()
    head, _, following = _lists(ends, n)
    return kernels.penalty.Ties(
        rows=rows,
        weight=weights,
        into=np.arange(n),
        ends=ends,
        next=following,
        head=head,
        push=push,
        count=np.bincount(pair, minlength=named.size),
        first=first,
        last=last,
        after=after,
        place=place,
        of_cluster=np.full(n, -1),
        laid=np.empty(n, np.int64),
        pushes=np.zeros(n),
        least=np.zeros(n // kernels.centres.BLOCK + 1),
    )


def _lists(owner: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists of the entries that each of 0..n-1 owns, in order: their first and last, and the next of each entry."""
    order = np.argsort(owner, kind="stable")
    first, last, after = np.full(n, -1), np.full(n, -1), np.full(owner.size, -1)
    if owner.size:
        ends = owner[order[1:]] != owner[order[:-1]]
        after[order[:-1][~ends]] = order[1:][~ends]
        starts = order[np.concatenate([[True], ends])]
        first[owner[starts]] = starts
        stops = order[np.concatenate([ends, [True]])]
        last[owner[stops]] = stops
    return first, last, after
