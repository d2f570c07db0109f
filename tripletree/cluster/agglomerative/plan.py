"""All merges of samples under triplets: on their centres, by way of micro-clusters, or on condensed distances.

And which of them an estimator's parameters ask for, those under pairs and under a penalty among them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tripletree.algorithms.build import one_tree
from tripletree.cluster.agglomerative.constraints import Joint
from tripletree.cluster.agglomerative.merges import merge_condensed, merge_points
from tripletree.cluster.agglomerative.micro_clusters import merge_large
from tripletree.cluster.agglomerative.paired_merges import paired_merges
from tripletree.cluster.agglomerative.penalty import check_penalty, soft_merges
from tripletree.cluster.base import warn_if_few
from tripletree.cluster.distances import EUCLIDEAN, check_spread, condensed_distances, condensed_matrix, shifted
from tripletree.core.progress import progress_bar
from tripletree.core.triplets import TripletSet
from tripletree.errors import warn_user

__all__ = [
    "EXACT_UP_TO",
    "MICRO_CLUSTERS",
    "all_merges",
    "gathering",
    "merges_under",
]

#: Samples in no triplet, beyond which they are gathered into about so many micro-clusters.
EXACT_UP_TO, MICRO_CLUSTERS = 200_000, 50_000


def merges_under(
    model: Any, points: np.ndarray, used: TripletSet, joint: Joint | None, known: dict[str, Any]
) -> tuple[np.ndarray, dict[str, int]]:
    """All merges as the parameters of a `ReCon` say: under a penalty, under pairs, or under triplets alone.

    Parameters
    ----------
    model : ReCon
        Gets ``penalty_``.
    points : ndarray of float64
    used : TripletSet
    joint : Joint or None
        Where pairs are given.
    known : dict
        The metric and its parameters.

    Returns
    -------
    merges, counts
        As `all_merges`.
    """
    n, linkage = points.shape[0], model.linkage
    model.penalty_ = large = None
    if model.penalty is not None:
        model.penalty_ = check_penalty(model.penalty, used, n, model.micro_clusters)
    else:
        if len(used):
            warn_if_few(used, one_tree(used))  # refuses inconsistent triplets, with the conflict
        if joint is None:
            large = gathering(model.micro_clusters, model.random_state, linkage, n - used.used_leaves.size)
    with progress_bar(model.verbose, n - 1, type(model).__name__) as tell:
        more = {**known, "dtype": np.dtype(model.dtype), "progress": tell}
        if model.penalty_ is not None:
            merges = soft_merges(points, used, linkage, penalty=model.penalty_, **more)
            return merges, {"tests": 0, "rejections": 0}
        if joint is not None:
            return paired_merges(points, joint, linkage, **more)
        return all_merges(points, used.rows, linkage, **more, large=large)


def all_merges(
    samples: np.ndarray,
    rows: np.ndarray,
    linkage: str,
    metric: Any,
    *,
    parameters: dict[str, np.ndarray] | None = None,
    dtype: Any = np.float64,
    progress: Callable[[int], Any] | None = None,
    large: dict[str, Any] | None = None,
) -> tuple[np.ndarray, dict[str, int]]:
    """Merge samples until one cluster is left, so that the triplets hold.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d) or (n, n)
        The samples, or their distances where `metric` is "precomputed".
    rows : ndarray of int32, shape (m, 3)
        Consistent triplets on row numbers.
    linkage, metric, parameters
        As `check_metric` and `metric_parameters` give them.
    dtype : float64 or float32
    progress : callable, optional
        Called with the number of merges done since its last call.
    large : dict, optional
        From `gathering`.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights.
    counts : dict
        Of "tests" and "rejections", and of "micro_clusters" where any were formed.
    """
    if linkage in EUCLIDEAN:
        check_spread(samples, dtype)
        points = shifted(samples, dtype)
        if large is not None:
            return merge_large(points, rows, linkage, **large, progress=progress)
        return merge_points(points, rows, linkage, progress)
    if isinstance(metric, str) and metric == "precomputed":
        condensed = condensed_matrix(samples, dtype)
    else:
        condensed = condensed_distances(samples, metric, parameters or {}, dtype)
    return merge_condensed(condensed, samples.shape[0], rows, linkage, progress)


def gathering(wanted: int | str | None, random_state: Any, linkage: str, n_free: int) -> dict[str, Any] | None:
    """Decide how samples in no triplet are gathered into micro-clusters.

    Parameters
    ----------
    wanted : int, "auto" or None
        Number of micro-clusters.
    random_state : int, Generator, RandomState or None
    linkage : str
    n_free : int
        Number of samples in no triplet.

    Returns
    -------
    dict or None
        Arguments of `merge_large`; None where all samples stay single.

    Raises
    ------
    ValueError
        If a number is wanted under a linkage that is none on centres.
    """
    if isinstance(wanted, (bool, np.bool_)):
        msg = f"micro_clusters must be a number of micro-clusters, 'auto' or None, not {wanted!r}"
        raise ValueError(msg)
    if wanted == "auto":
        if n_free <= EXACT_UP_TO or linkage not in EUCLIDEAN:
            return None
        wanted = MICRO_CLUSTERS
        msg = (
            f"the clustering is approximate: {n_free:,} samples in no triplet are gathered into about {wanted:,} "
            f"micro-clusters first. Set micro_clusters={wanted} to silence this, or None for the exact one, which "
            "takes longer"
        )
        warn_user(msg)
    elif wanted is not None and linkage not in EUCLIDEAN:
        msg = (
            f"micro_clusters={wanted} needs a linkage on centres ({', '.join(EUCLIDEAN)}), not linkage={linkage!r}: "
            "take one of these, or micro_clusters=None"
        )
        raise ValueError(msg)
    return None if wanted is None else {"n_centres": wanted, "random_state": random_state}
