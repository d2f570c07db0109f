"""Metrics: which goes with which linkage, samples through a fitted transformer, checked distances of all pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, check_is_fitted

from tripletree.algorithms.points import ROUNDING, as_rows, is_sparse, row_blocks, squared_distances, squared_lengths
from tripletree.cluster.distance_matrix import as_distance_matrix, condensed_matrix, rounding
from tripletree.cluster.gower import MixedColumns, gower_of_codes
from tripletree.core.checks import counted
from tripletree.core.memory import fits_in_memory
from tripletree.interrupts import check_time

#: Linkages that are defined for any distances, and linkages that need points in a Euclidean space.
ANY_METRIC = ("average", "weighted", "complete", "single")
EUCLIDEAN = ("centroid", "median", "ward")

#: Metrics of scipy.spatial.distance, and the ones that compare truth values.
METRICS = (
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "euclidean",
    "hamming",
    "jaccard",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
)
_OF_BOOLEANS = ("dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule")

#: Metrics that leave out the features that one of two samples lacks.
WITH_MISSING = ("gower", "nan_euclidean")

#: Linkages whose distances of clusters follow from centres alone, for some metrics.
_BY_MEANS = {"cosine": ("average", "weighted"), "sqeuclidean": ("average", "weighted")}

_BLOCK = 64  # rows of distances that stand in float64 at a time
_AT_ONCE = 200_000_000  # differences of two features that are taken in one call: less than a second
_UNDEFINED = "is not defined"


def is_precomputed(metric: Any) -> bool:
    return isinstance(metric, str) and metric == "precomputed"


@dataclass(frozen=True, eq=False)
class FittedMetric:
    """How distances are taken: a metric with parameters learned from the samples it was fitted on.

    Attributes
    ----------
    metric : str or callable
        As `check_metric` returns it: one of `METRICS` or `WITH_MISSING`, a function, or "precomputed".
    parameters : dict
        As `metric_parameters` returns them: keyword arguments for scipy.
    """

    metric: Any
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def is_precomputed(self) -> bool:
        return is_precomputed(self.metric)

    @property
    def has_points(self) -> bool:
        """True if samples are points, which have means."""
        return not self.is_precomputed and self.metric not in WITH_MISSING

    def is_on_centres(self, linkage: str) -> bool:
        """Tell whether a linkage needs no table of the distances of all pairs."""
        return linkage in EUCLIDEAN or (isinstance(self.metric, str) and linkage in _BY_MEANS.get(self.metric, ()))

    def between(self, samples: Any, others: Any) -> np.ndarray:
        """Return distances of all samples to all others, not checked."""
        return distances_between(samples, others, self.metric, self.parameters)

    def condensed(self, samples: np.ndarray, dtype: Any = np.float64) -> np.ndarray:
        """Return checked distances of all pairs of samples, in scipy's condensed order. `samples` may be distances."""
        if self.is_precomputed:
            return condensed_matrix(samples, dtype)
        return condensed_distances(samples, self.metric, self.parameters, dtype)


def check_metric(metric: Any, linkage: str) -> Any:
    """Check that a metric goes with a linkage. Return it, or "euclidean" where `transformed` samples are compared so.

    Samples go through a transformer, or linkages of `EUCLIDEAN` take them, divided by their lengths, for "cosine".

    Parameters
    ----------
    metric : str, callable or fitted transformer
    linkage : str
        One of `EUCLIDEAN` or `ANY_METRIC`.

    Returns
    -------
    str or callable
    """
    if isinstance(metric, type):
        msg = f"metric is the class {metric.__name__}: give a fitted instance of it, or a function of two samples"
        raise TypeError(msg)
    if hasattr(metric, "transform"):
        _check_fitted(metric)
        return "euclidean"
    if linkage in EUCLIDEAN and metric not in ("euclidean", "cosine"):
        msg = (
            f"linkage={linkage!r} needs points in a Euclidean space: use metric='euclidean', 'cosine' or a fitted "
            f"transformer, or one of the linkages {', '.join(ANY_METRIC)} with metric={metric!r}"
        )
        raise ValueError(msg)
    return "euclidean" if linkage in EUCLIDEAN else metric


def _check_fitted(metric: Any) -> None:
    if not hasattr(metric, "fit"):
        return
    try:
        check_is_fitted(metric)
    except NotFittedError:
        msg = (
            f"metric={metric!r} is not fitted: fit it first, and wrap it, "
            "metric=sklearn.frozen.FrozenEstimator(transformer.fit(X)), where the estimator is cloned "
            "(GridSearchCV, cross_validate): clone unfits the estimators inside an estimator, but not a frozen one"
        )
        raise NotFittedError(msg) from None


def transformed(metric: Any, X: Any, samples: np.ndarray) -> np.ndarray:
    """Return the samples as the metric's transformer, if it is one, maps them. For "cosine" they get length 1.

    Parameters
    ----------
    metric : object
        The parameter of the estimator, checked.
    X : object
        The samples as the user gave them: they go to a transformer that knows the names of features.
    samples : ndarray of float64, shape (n, d)
        The same, validated.

    Returns
    -------
    ndarray of float64, shape (n, e)
    """
    if isinstance(metric, str) and metric == "cosine":
        return _of_length_one(samples)
    if not hasattr(metric, "transform"):
        return samples
    named = hasattr(metric, "feature_names_in_") and hasattr(X, "columns")
    found = metric.transform(X if named else samples)
    points = check_array(found, accept_sparse="csr", dtype=np.float64, input_name="metric.transform(X)")
    points = as_rows(points) if is_sparse(points) else points
    if points.shape[0] != samples.shape[0]:
        msg = f"metric={metric!r} maps {samples.shape[0]} samples to {points.shape[0]}; it must give a row for each"
        raise ValueError(msg)
    return points


def as_measured(metric: Any, X: Any, samples: Any) -> Any:
    """As `transformed`. Distances are checked, and lose their rounding."""
    return as_distance_matrix(samples, X) if is_precomputed(metric) else transformed(metric, X, samples)


def _of_length_one(samples: Any) -> Any:
    """Return the samples divided by their Euclidean lengths."""
    check_rows(samples, "cosine")
    if is_sparse(samples):
        from scipy.sparse import diags

        largest = np.maximum.reduceat(np.abs(samples.data), samples.indptr[:-1])  # no row is empty
        scaled = diags(1.0 / largest) @ samples  # so that squares neither overflow nor vanish
        return as_rows(diags(1.0 / np.sqrt(squared_lengths(scaled))) @ scaled)
    scaled = samples / np.abs(samples).max(axis=1, keepdims=True)
    return scaled / np.linalg.norm(scaled, axis=1, keepdims=True)


def metric_parameters(samples: Any, metric: Any, columns: MixedColumns | None = None) -> dict[str, Any]:
    """The parameters that a metric learns from the samples it is fitted on, by scipy's names: variances V, inverse VI.

    For Gower's distance: the `columns` and their scales.

    Constant features are divided by 1, as scikit-learn's scalers do.
    """
    if columns is not None:
        return {"columns": columns, "scale": columns.scale}
    if not isinstance(metric, str) or metric not in ("mahalanobis", "seuclidean") or samples.shape[0] == 1:
        return {}
    if is_sparse(samples):
        msg = f"metric={metric!r} needs dense X: scale X first (MaxAbsScaler keeps it sparse), and take 'euclidean'"
        raise TypeError(msg)
    check_spread(samples)
    varies = np.ptp(samples, axis=0) > 0
    if metric == "seuclidean":
        return {"V": np.where(varies, samples.var(axis=0, ddof=1), 1.0)}
    covariance = np.atleast_2d(np.cov(samples, rowvar=False))
    deviation = np.where(varies, np.sqrt(np.diag(covariance)), 1.0)
    correlation = np.where(varies, covariance, 0.0) / np.outer(deviation, deviation)
    rank = int(np.linalg.matrix_rank(correlation, hermitian=True))
    if rank < samples.shape[1]:
        msg = (
            f"metric='mahalanobis' needs linearly independent features: {samples.shape[1]} features of "
            f"{samples.shape[0]} samples span {rank} dimensions; give a fitted PCA({rank}, whiten=True) as the metric"
        )
        raise ValueError(msg)
    return {"VI": np.linalg.inv(covariance)}


def check_spread(samples: np.ndarray, dtype: Any = np.float64) -> None:
    """Refuse points if squared distances, or sums of them, would leave the range of the type, at either end."""
    if is_sparse(samples):
        _check_lengths(samples, dtype)
        return
    limits = np.finfo(dtype)
    with np.errstate(over="ignore", under="ignore"):  # the range of all numbers and that of one feature mostly tell
        most, least = samples.shape[1] * np.square(np.ptp(samples)), np.square(np.ptp(samples[:, 0]))
        if most <= limits.max / (8 * samples.shape[0]) and least >= limits.tiny / limits.eps**2:
            return
        widest = np.square(np.ptp(samples, axis=0)).sum()
    if not widest <= limits.max / (4 * samples.shape[0]):
        column = int(np.ptp(samples / 2, axis=0).argmax())
        i, j = int(samples[:, column].argmin()), int(samples[:, column].argmax())
        msg = f"the distance of samples {i} and {j} is too large for {limits.dtype} arithmetic (feature {column})"
        raise ValueError(f"{msg}: scale X")
    if widest < limits.tiny / limits.eps**2 and np.ptp(samples, axis=0).max() > 0:
        msg = f"the samples are so close to each other that their squared distances vanish in {limits.dtype}"
        raise ValueError(f"{msg} arithmetic: scale X")


def check_squares(samples: Any, dtype: Any = np.float64) -> float:
    """Refuse points if sums of the squares of their numbers are too large for the type. Return the largest of a row."""
    sparse = is_sparse(samples)
    limits, largest = np.finfo(dtype), float(np.abs(samples.data if sparse else samples).max(initial=0.0))
    with np.errstate(over="ignore", under="ignore"):
        longest = np.square(largest) * (np.diff(samples.indptr).max(initial=1) if sparse else samples.shape[1])
    room = 2**30 if limits.dtype == np.float64 else 1  # heights of trees, beyond the squares, grow and shrink by turns
    if not longest <= limits.max / (16 * room * samples.shape[0]):
        msg = f"X holds {largest:g}: distances are too large for {limits.dtype} arithmetic: scale X"
        raise ValueError(msg)
    return float(longest)


def _check_lengths(samples: Any, dtype: Any) -> None:
    """`check_spread` for sparse samples, whose distances come from products."""
    limits, longest = np.finfo(dtype), check_squares(samples, dtype)
    largest = np.abs(samples.data).max(initial=0.0)
    if longest < limits.tiny / limits.eps**2 and largest > 0:
        msg = f"the numbers in X are so small that squared distances vanish in {limits.dtype} arithmetic: scale X"
        raise ValueError(msg)


def shifted(samples: Any, dtype: Any) -> Any:
    """Points of the given precision. Float32 ones as seen from the first, so that no common offset costs digits."""
    if is_sparse(samples):
        return samples.astype(dtype, copy=False)
    return samples if samples.dtype == dtype else (samples - samples[0]).astype(dtype)


def condensed_distances(
    samples: np.ndarray, metric: Any, parameters: dict[str, np.ndarray], dtype: Any = np.float64
) -> np.ndarray:
    """Return distances of all pairs, in scipy's condensed order.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d)
    metric, parameters
        From `check_metric` and `metric_parameters`.
    dtype : float64 or float32
        Each distance is computed in float64 and kept in this.

    Returns
    -------
    ndarray of dtype, shape (n * (n - 1) / 2,)

    Raises
    ------
    MemoryError
        If they do not fit. The message has their size.
    """
    n = samples.shape[0]
    if n == 1:
        return np.empty(0, dtype)
    if metric in ("euclidean", "minkowski", "sqeuclidean"):
        check_spread(samples, dtype)
    check_rows(samples, metric)
    size = n * (n - 1) / 2 * np.dtype(dtype).itemsize
    try:
        if not fits_in_memory(size):  # systems promise more than there is, and end the process that uses it
            raise MemoryError
        condensed = _all_pairs(samples, metric, parameters, dtype)
    except MemoryError:
        need_none = f"ReCon with one of the linkages {', '.join(EUCLIDEAN)} needs none"
        if is_sparse(samples):
            need_none += " without a penalty, or with one if X is dense (PCA or TruncatedSVD make it so)"
        raise MemoryError(
            f"the distances of {n:,} samples take {size / 2**30:,.0f} GiB, more than there is; {need_none}"
        ) from None
    largest = np.finfo(dtype).max / (4 * n)  # sums of n of them are formed on the way
    bad = check_distances(condensed, largest)
    if bad is not None:
        place, why, count = bad
        i, j = pair_at(place, n)
        if isinstance(metric, str) and metric in WITH_MISSING and why == _UNDEFINED:
            why += ": no feature is known of both. Leave out samples with few known features, or fill the gaps in"
        msg = (
            f"the distance of samples {i} and {j} under metric={metric!r} {why} ({counted(count, 'pair')} of that kind)"
        )
        raise ValueError(msg)
    return np.maximum(condensed, 0, out=condensed)


def pair_at(place: int, n: int) -> tuple[int, int]:
    """Return the two samples whose distance is at a place of the condensed distances of n."""
    start = np.arange(n) * (2 * n - 1 - np.arange(n)) // 2  # of the pairs of each sample with later ones
    i = int(np.searchsorted(start, place, side="right")) - 1
    return i, i + 1 + place - int(start[i])


def _all_pairs(samples: Any, metric: Any, parameters: dict[str, Any], dtype: Any) -> np.ndarray:
    n, d = samples.shape
    if callable(metric) and dtype == np.float64 and not is_sparse(samples):  # each pair once, in plain Python
        from scipy.spatial.distance import pdist

        return pdist(samples, metric, **parameters)
    condensed = np.empty(n * (n - 1) // 2, dtype)
    rows = min(max(_AT_ONCE // (n * d), 1), _BLOCK)
    end = 0
    with np.errstate(over="ignore"):
        for low in range(0, n - 1, rows):
            check_time()  # Ctrl-C, too, is heard between two blocks
            block = distances_between(samples[low : low + rows], samples[low + 1 :], metric, parameters)
            for k in range(min(rows, n - 1 - low)):
                begin, end = end, end + n - 1 - low - k
                condensed[begin:end] = block[k, k:]
    return condensed


def distances_between(samples: Any, others: Any, metric: Any, parameters: dict[str, Any]) -> np.ndarray:
    """Return distances of all samples to all others, dense or sparse both, not checked: shape (n, m).

    Only blocks of sparse samples are made dense, and nothing is for the Euclidean metrics and cosine.
    """
    from scipy.spatial.distance import cdist

    if isinstance(metric, str) and metric == "nan_euclidean":
        from sklearn.metrics.pairwise import nan_euclidean_distances

        return nan_euclidean_distances(samples, others)
    if isinstance(metric, str) and metric == "gower":
        return gower_of_codes(samples, others, parameters["scale"])
    if not is_sparse(samples):
        return cdist(samples, others, metric, **parameters)
    if isinstance(metric, str) and metric in ("euclidean", "sqeuclidean"):
        square = squared_distances(samples, others)
        return np.sqrt(square, out=square) if metric == "euclidean" else square
    if isinstance(metric, str) and metric == "cosine":
        found = 1.0 - (_of_length_one(samples) @ _of_length_one(others).T).toarray()
        found[found < ROUNDING] = 0.0
        return found
    found = np.empty((samples.shape[0], others.shape[0]))
    for low, some in row_blocks(samples):
        for at, more in row_blocks(others):
            found[low, at] = cdist(some, more, metric, **parameters)
    return found


def check_distances(distances: np.ndarray, limit: float) -> tuple[int, str, int] | None:
    """The first distance, in flat order, that is not valid, why, and how many there are. None if all are valid."""
    flat = distances.ravel()
    bad = np.flatnonzero(~(np.abs(flat) <= limit))
    if bad.size:
        undefined = np.isnan(flat[bad[0]])
        why = _UNDEFINED if undefined else f"is infinite, or too large for {flat.dtype} arithmetic: scale X"
        return int(bad[0]), why, bad.size
    if not flat.size or flat.min() >= 0:
        return None
    bad = np.flatnonzero(flat < -rounding(flat)[0])
    return (int(bad[0]), f"is negative, {flat[bad[0]]:g}", bad.size) if bad.size else None


def _is_no_distribution(rows: np.ndarray) -> np.ndarray:
    return (rows < 0).any(axis=1) | (rows == 0).all(axis=1)


def _is_no_truth(rows: np.ndarray) -> np.ndarray:
    return ((rows != 0) & (rows != 1)).any(axis=1)


#: Metrics that are not defined for some samples: the samples in words, and a test for them.
_IMPOSSIBLE: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "cosine": ("all zeros, which has no direction", lambda rows: (rows == 0).all(axis=1)),
    "correlation": ("constant, which correlates with nothing", lambda rows: np.ptp(rows, axis=1) == 0),
    "jensenshannon": ("negative or all zeros, so not a distribution", _is_no_distribution),
    **dict.fromkeys(_OF_BOOLEANS, ("not only 0 and 1: this metric compares truth values", _is_no_truth)),
}


def check_rows(samples: Any, metric: Any) -> None:
    """Raise if the metric is undefined for some rows (zeros under cosine) or compares truth values of other numbers."""
    if not isinstance(metric, str) or metric not in _IMPOSSIBLE:
        return
    what, find = _IMPOSSIBLE[metric]
    if is_sparse(samples):
        bad = np.zeros(samples.shape[0], bool)
        for here, rows in row_blocks(samples):
            bad[here] = find(rows)
    else:
        bad = find(samples)
    if bad.any():
        i = int(bad.argmax())
        msg = f"the distance of sample {i} to any other under metric={metric!r} is not defined: the sample is {what}"
        raise ValueError(f"{msg} ({counted(int(bad.sum()), 'sample')} of that kind; leave them out)")
