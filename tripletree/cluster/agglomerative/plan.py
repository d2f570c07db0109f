"""Two steps of `ReCon.fit`: `plan_merges` decides how samples are merged, and `merge_samples` merges them.

Contradictions and parameters that do not fit together are refused while planning, before any distance is taken. The
plan selects the engine: ``penalty`` if triplets have a price, ``micro_clusters`` for large data, else
``grouped_merges`` (without pairs, every sample is a group of its own). `DivisiveReCon` makes its plain tree this way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tripletree.algorithms.merges import Counts
from tripletree.algorithms.points import is_sparse
from tripletree.cluster.agglomerative.grouped_merges import merge_condensed_in_groups, merge_points_in_groups
from tripletree.cluster.agglomerative.micro_clusters import merge_large
from tripletree.cluster.agglomerative.penalty import check_penalty, merge_softly
from tripletree.cluster.base import warn_if_few
from tripletree.cluster.distances import EUCLIDEAN, FittedMetric, check_spread, shifted
from tripletree.core.memory import fits_in_memory
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import Tick, silent
from tripletree.core.triplets import TripletSet
from tripletree.errors import warn_user
from tripletree.knowledge.combined import CombinedConstraints, check_consistent, combine_constraints

#: The number of samples in no triplet beyond which "auto" gathers them, how many go into one on average, and the most
#: micro-clusters. With one for two samples it takes longer than the exact merges, with one for ten less than half of
#: that, and classes are found as well, also on sets that had no part in this choice
#: (``benchmarks/results/large_data.md``).
EXACT_UP_TO, SAMPLES_EACH, MICRO_CLUSTERS = 200_000, 10, 50_000


@dataclass(frozen=True, eq=False)
class MergePlan:
    """The constraints that decide which samples merge, besides their distances.

    Attributes
    ----------
    constraints : CombinedConstraints
        Triplets and pairs; both may be empty. They can all hold, unless there is a penalty.
    penalty : float or None
        The price of violating a unit of weight. None if all constraints hold.
    n_micro_clusters : int or None
        About how many micro-clusters to gather the samples in no triplet into, if there are more of them. None
        if all merges are exact.
    weights : ndarray of float64, shape (n,), or None
        How many samples each row stands for. Only without pairs and micro-clusters.
    inside : float
        The sum of the squared distances of the samples to their rows.
    """

    constraints: CombinedConstraints
    penalty: float | None = None
    n_micro_clusters: int | None = None
    weights: np.ndarray | None = None
    inside: float = 0.0

    def without_pairs(self) -> MergePlan:
        """The same under triplets alone."""
        triplets = self.constraints.triplets
        nothing = PairwiseConstraints([], [], triplets.leaves)
        return replace(self, constraints=combine_constraints(triplets, nothing))


def plan_merges(
    triplets: TripletSet,
    pairs: PairwiseConstraints,
    *,
    linkage: str,
    penalty: float | str | None = None,
    micro_clusters: int | str | None = None,
    sparse: bool = False,
    weights: np.ndarray | None = None,
) -> MergePlan:
    """Decide how samples are merged under triplets, pairs or both, before any distance is taken.

    Parameters
    ----------
    triplets : TripletSet
        Over the samples.
    pairs : PairwiseConstraints
        Over the same samples. Empty if there is a penalty or a number of micro-clusters.
    linkage, penalty, micro_clusters
        As in `ReCon`.
    sparse : bool
        True if the samples are sparse: "auto" then makes no micro-clusters.
    weights : ndarray of float64, shape (n,), optional
        How many samples each row stands for: "auto" then makes no micro-clusters.

    Returns
    -------
    MergePlan

    Warns
    -----
    UserWarning
        If triplets are so few and random that they are known to hurt, or "auto" gathers samples.
    """
    constraints = combine_constraints(triplets, pairs)
    if penalty is not None:
        return MergePlan(constraints, penalty=check_penalty(penalty, triplets, micro_clusters), weights=weights)
    if len(triplets):
        warn_if_few(triplets, check_consistent(constraints))
    if len(pairs):
        return MergePlan(constraints)
    n_free = len(triplets.leaves) - triplets.used_leaves.size
    if (sparse or weights is not None) and micro_clusters == "auto":
        micro_clusters = None
    n_micro_clusters = _choose_micro_clusters(micro_clusters, linkage, n_free)
    if weights is not None and n_micro_clusters is not None:
        msg = f"micro_clusters={micro_clusters} cannot go with sample_weight: use micro_clusters=None"
        raise ValueError(msg)
    return MergePlan(constraints, n_micro_clusters=n_micro_clusters, weights=weights)


def _choose_micro_clusters(micro_clusters: int | str | None, linkage: str, n_free: int) -> int | None:
    """How many micro-clusters to gather `n_free` samples in no triplet into. None for exact merges."""
    if micro_clusters == "auto":
        if n_free <= EXACT_UP_TO or linkage not in EUCLIDEAN:
            return None
        number = min(MICRO_CLUSTERS, max(1, n_free // SAMPLES_EACH))
        msg = (
            f"the clustering is approximate: {n_free:,} samples in no triplet are gathered into about "
            f"{number:,} micro-clusters first. Set micro_clusters={number} to silence this, or None "
            "for the exact one, which takes longer"
        )
        warn_user(msg)
        return number
    if micro_clusters is None:
        return None
    if linkage not in EUCLIDEAN:
        msg = (
            f"micro_clusters={micro_clusters} needs a linkage on centres ({', '.join(EUCLIDEAN)}), not "
            f"linkage={linkage!r}: use one of these, or micro_clusters=None"
        )
        raise ValueError(msg)
    return int(micro_clusters)


def _check_memory(constraints: CombinedConstraints, n_micro_clusters: int | None) -> None:
    """Refuse triplets on more samples than there is memory for the pairs that they keep apart."""
    named, n = constraints.triplets.used_leaves.size, len(constraints.triplets.leaves)
    size = named * (n if n_micro_clusters is None else named + n_micro_clusters) / 8
    if not fits_in_memory(size):
        msg = (
            f"triplets on {named:,} samples take {size / 2**30:,.0f} GiB, a bit for each pair of them, more than there "
            "is: give triplets on fewer samples"
        )
        raise MemoryError(msg)


def merge_samples(
    samples: Any,
    plan: MergePlan,
    linkage: str,
    metric: FittedMetric,
    *,
    dtype: Any = np.float64,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Tick = silent,
) -> tuple[np.ndarray, Counts]:
    """Merge samples by a plan until one cluster is left.

    Parameters
    ----------
    samples : ndarray or csr_array of float64, shape (n, d) or (n, n)
        The samples as `transformed` gives them, or their distances if the metric is "precomputed".
    plan : MergePlan
    linkage : str
    metric : FittedMetric
    dtype : float64 or float32
        Precision of the merges.
    random_state : int, Generator, RandomState or None, default 0
        For micro-clusters.
    n_jobs : int or None
        Threads for micro-clusters.
    progress : callable, optional
        Called with the number of merges done since its last call.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights: first the merges inside must-linked groups or micro-clusters.
    counts : Counts

    Raises
    ------
    MemoryError
        If the distances of all pairs, or a bit for each pair of samples in triplets, do not fit. The message has their
        size.
    """
    constraints = plan.constraints
    if plan.penalty is not None:
        merges = merge_softly(
            samples, constraints.triplets, linkage, metric, plan.penalty, dtype, progress, plan.weights
        )
        return merges, Counts()
    _check_memory(constraints, plan.n_micro_clusters)
    if metric.is_on_centres(linkage):
        check_spread(samples, dtype)
        points = shifted(samples, dtype)
        if plan.n_micro_clusters is not None and is_sparse(samples):
            msg = (
                f"micro_clusters={plan.n_micro_clusters} needs dense X: use micro_clusters=None, or reduce X first "
                "(TruncatedSVD)"
            )
            raise ValueError(msg)
        if plan.n_micro_clusters is not None:
            return merge_large(
                points,
                constraints.between,
                linkage,
                n_centres=plan.n_micro_clusters,
                random_state=random_state,
                n_jobs=n_jobs,
                progress=progress,
            )
        merge: Callable[..., tuple[np.ndarray, Counts]] = merge_points_in_groups
        given = points
    else:
        merge, given = merge_condensed_in_groups, metric.condensed(samples, dtype)
    merges, counts = merge(
        given,
        constraints.closure,
        constraints.between,
        linkage,
        inside=constraints.inside,
        apart=constraints.closure.cannot,
        weights=plan.weights,
        progress=progress,
    )
    if merge is merge_points_in_groups and metric.metric == "cosine" and linkage not in EUCLIDEAN:
        merges[:, 2] /= 2  # squared distances of samples of length 1 are twice the cosine ones
    return merges, counts
