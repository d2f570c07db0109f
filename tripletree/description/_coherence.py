"""How far a metric agrees with triplets before any clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._items import check_choice
from tripletree.triplets import TripletSet

__all__ = ["Coherence", "coherence"]

#: Distances count as equal where they differ by no more than this part of the lesser, plus that of the largest.
_ROUNDING, _NOISE = 1e-9, 1e-14
#: Entries of a block of samples that is gathered at a time.
_BLOCK = 2**21


@dataclass(frozen=True)
class Coherence:
    """How many of the triplets ab|c a metric d already satisfies: d(a, b) < min(d(a, c), d(b, c)).

    Attributes
    ----------
    metric : str
    n_satisfied, n_tied, n_violated : int
        Triplets for which d(a, b) is less than the lesser of the other two distances, the same but for rounding, more.
    share, share_tied, share_violated : float
        The same as shares of the total weight: of the number, where triplets have no weights.
    expected : float
        1/3: the share that is satisfied on average where triplets have nothing to do with the metric, without ties.

    Examples
    --------
    >>> coherence(TripletSet([(0, 1, 2), (1, 2, 0)], 3), [[0.0], [1.0], [5.0]], "euclidean")[1].share
    0.5
    """

    metric: str
    n_satisfied: int
    n_tied: int
    n_violated: int
    share: float
    share_tied: float
    share_violated: float
    expected: float = 1 / 3


def coherence(triplets: TripletSet, X: Any, metric: Any) -> tuple[TripletSet, Coherence | None]:
    """Compare the three distances of every triplet.

    Parameters
    ----------
    triplets : TripletSet
    X : array_like or DataFrame
    metric : str, callable or fitted transformer
        As in `cluster.ReCon`, with a linkage for any metric.

    Returns
    -------
    aligned : TripletSet
        Over all samples of X.
    found : Coherence or None
        None if there are no triplets.

    Raises
    ------
    UnknownLeafError, ValueError, TypeError
        As ``ReCon.fit`` does.
    """
    from tripletree.cluster._base import HierarchicalClusterer, aligned_triplets, checked_samples
    from tripletree.cluster._distances import (
        ANY_METRIC,
        METRICS,
        check_rows,
        check_spread,
        checked_metric,
        condensed_matrix,
        metric_parameters,
        transformed,
    )

    if isinstance(metric, str):
        check_choice(metric, "metric", (*METRICS, "precomputed"))
    kind = checked_metric(metric, ANY_METRIC[0])
    samples = checked_samples(HierarchicalClusterer(), X, reset=True)
    points = transformed(metric, X, samples)
    aligned = aligned_triplets(X, triplets, samples.shape[0])
    if isinstance(kind, str) and kind == "precomputed":
        condensed_matrix(points)  # refuses what is no matrix of distances
    else:
        check_rows(points, kind)
        if kind in ("euclidean", "minkowski", "sqeuclidean"):
            check_spread(points)
    if len(aligned) == 0:
        return aligned, None
    parameters = metric_parameters(points, kind)
    a, b, c = aligned.rows.T
    near, far, other = (_distances(points, kind, parameters, i, j) for i, j in ((a, b), (a, c), (b, c)))
    far = np.minimum(far, other)
    margin = _ROUNDING * np.minimum(near, far) + _NOISE * max(near.max(), other.max())
    satisfied, violated = far - near > margin, near - far > margin
    weights = np.ones(len(aligned)) if aligned.weights is None else aligned.weights
    masks = (satisfied, ~(satisfied | violated), violated)
    counts = [int(x.sum()) for x in masks]
    shares = [float(weights[x].sum() / weights.sum()) for x in masks]
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", type(metric).__name__)
    return aligned, Coherence(name, *counts, *shares)


def _distances(points: np.ndarray, metric: Any, parameters: dict[str, Any], i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Distances of the pairs (i[k], j[k])."""
    from tripletree.cluster._distances import check_distances

    if isinstance(metric, str) and metric == "precomputed":
        return points[i, j]
    found = np.empty(i.size)
    step = max(_BLOCK // points.shape[1], 1)
    if isinstance(metric, str) and metric == "euclidean":
        for low in range(0, i.size, step):
            part = slice(low, low + step)
            found[part] = np.linalg.norm(points[i[part]] - points[j[part]], axis=1)
    else:
        _by_anchor(found, points, metric, parameters, i, j, step)
    bad = check_distances(found, np.finfo(np.float64).max / (4 * points.shape[0]))
    if bad is not None:
        place, why, count = bad
        msg = (
            f"the distance of samples {i[place]} and {j[place]} under metric={metric!r} {why} "
            f"({count} triplets of that kind)"
        )
        raise ValueError(msg)
    return found


def _by_anchor(
    found: np.ndarray,
    points: np.ndarray,
    metric: Any,
    parameters: dict[str, Any],
    i: np.ndarray,
    j: np.ndarray,
    step: int,
) -> None:
    """Distances of each sample in i to all that go with it, block by block: scipy has none of single pairs."""
    from scipy.spatial.distance import cdist

    order = np.argsort(i, kind="stable")
    ends = [*(np.flatnonzero(np.diff(i[order])) + 1).tolist(), i.size]
    begin = 0
    for end in ends:
        anchor = points[i[order[begin]]][None]
        for low in range(begin, end, step):
            part = order[low : min(low + step, end)]
            found[part] = cdist(anchor, points[j[part]], metric, **parameters)[0]
        begin = end
