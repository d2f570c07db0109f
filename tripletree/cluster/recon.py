"""ReCon: agglomerative clustering that always ends in a hierarchy which displays the triplets."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from tripletree.cluster._base import HierarchicalClusterer, aligned_triplets, all_or_nothing
from tripletree.cluster._engine import merge_condensed, merge_points
from tripletree.hierarchy import Hierarchy
from tripletree.linkage import cut, from_linkage, to_linkage
from tripletree.onetree import one_tree
from tripletree.triplets import TripletSet

__all__ = ["ReCon"]

#: Linkages that are defined for any distances, and those that need points in a Euclidean space.
_ANY_METRIC = ("average", "weighted", "complete", "single")
_EUCLIDEAN = ("centroid", "median", "ward")

#: Metrics of scipy.spatial.distance.pdist.
_METRICS = (
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


class ReCon(HierarchicalClusterer):
    """Agglomerative clustering with relative constraints (triplets), by Liu, Zhang and Wang (KDD 2011).

    Starting from single samples, it performs again and again the closest merge after which the triplets can still all
    hold. So it never runs into a dead end, and for every consistent set of triplets it ends in a complete binary
    hierarchy that displays all of them. Without triplets it is plain agglomerative clustering.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of flat clusters, ``labels_``; the hierarchy does not depend on it.
    linkage : {"centroid", "median", "ward", "average", "weighted", "complete", "single"}, default "centroid"
        How the distance of two clusters is taken, as in ``scipy.cluster.hierarchy.linkage``.
    metric : str or callable, default "euclidean"
        A metric of ``scipy.spatial.distance.pdist``, or "precomputed" where X is a square matrix of distances.
        Centroid, median and ward linkage need "euclidean".

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        The cluster of each sample, from undoing the last ``n_clusters - 1`` merges.
    hierarchy_ : Hierarchy
        Over the labels of the samples (the index of a DataFrame, else 0..n-1); inner nodes in merge order, at the
        distances of their merges.
    linkage_ : ndarray of float64, shape (n_samples - 1, 4)
        scipy's linkage matrix, for drawing: no height is lower than one below it.
    distances_ : ndarray of float64, shape (n_samples - 1,)
        The distance of each merge, in order. It may fall, where triplets put a close merge off.
    n_tests_ : int
        Compatibility tests made: a property of the engine, as one rejection often settles other pairs.
    n_rejections_ : int
        Tests that found the closest pair incompatible.
    n_leaves_ : int
        Number of samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    tripletree.cut : other numbers of clusters from ``hierarchy_``.
    tripletree.onetree.one_tree : a hierarchy from triplets alone.

    Notes
    -----
    A pair of clusters i, j is compatible when the triplets together with ij|x for every other cluster x are
    consistent, which the paper's TestCompatibility decides [1]_. Pairs are taken in the order of their distance, then
    of the last sample of the one cluster, then of that of the other, the smaller first. The merges are those of the
    paper's listing with that order of ties, up to the rounding of distances that are equal in theory but are updated
    along different ways.

    The closest pair comes from nearest-neighbour arrays [2]_; it is tested on the Aho tree of the triplets, kept up to
    date from merge to merge, and a rejection rejects all pairs of the two groups that block each other. Centroid,
    median and ward linkage keep the centres of the clusters and no distances: time O(n^2 d), memory O(n d) and one
    bit for each pair of samples that occur in triplets. The others update the n (n - 1) / 2 distances.

    All triplets must hold; weights of a TripletSet play no part.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with Relative Constraints, Proceedings of the 17th ACM SIGKDD
       International Conference on Knowledge Discovery and Data Mining, 947-955.
    .. [2] Müllner (2011), Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"x": [0.0, 1.0, 5.0, 6.5]}, index=["ant", "bee", "cow", "dog"])
    >>> ReCon(n_clusters=2).fit_predict(X).tolist()
    [0, 0, 1, 1]
    >>> model = ReCon(n_clusters=2).fit(X, triplets=[("bee", "cow", "ant"), ("ant", "bee", "dog")])
    >>> model.labels_.tolist(), model.distances_.tolist()
    ([0, 0, 0, 1], [4.0, 3.0, 4.5])
    >>> [model.hierarchy_.clade(u) for u in (4, 5)]
    [['bee', 'cow'], ['ant', 'bee', 'cow']]
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "linkage": [StrOptions({*_ANY_METRIC, *_EUCLIDEAN})],
        "metric": [StrOptions({*_METRICS, "precomputed"}), callable],
    }

    labels_: np.ndarray
    hierarchy_: Hierarchy

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: str = "centroid",
        metric: str | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.metric = metric

    def fit(self, X: Any, y: Any = None, *, triplets: Any = None) -> ReCon:
        """Cluster the samples so that the triplets hold.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features) or (n_samples, n_samples)
            The samples, or their distances where ``metric="precomputed"``.
        y : None
            Ignored.
        triplets : TripletSet, iterable of (a, b, c), or ndarray of int, shape (m, 3), optional
            Triplets ab|c on some of the samples. Labels are those of the index where X is a pandas DataFrame, else
            row numbers; an integer array always holds row numbers.

        Returns
        -------
        ReCon
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        InconsistentTripletsError
            If no hierarchy displays all triplets, before anything is clustered; ``.conflict`` holds the reason.
        UnknownLeafError
            If triplets name samples that X has not; ``.labels`` holds them all.
        DuplicateLeafError
            If triplets refer to the index of X and it holds a label more than once.
        InvalidTripletError
            If an entry is no triplet, or if an integer array meets an index of other integers than 0..n-1.
        ValueError
            If X holds NaN or infinity, has fewer samples than clusters, or the parameters do not fit together.
        TypeError
            If X is sparse, or y holds triplets.

        Notes
        -----
        Not for cross-validation: there is no ``predict``. In it scikit-learn passes a part of X with all triplets, or,
        when there are as many triplets as samples, an equal part of the triplets as well. Give triplets by label and X
        as a DataFrame: a sample that is left out is then refused by name, where a row number would mean another one.

        Examples
        --------
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> ReCon(n_clusters=2).fit(X, triplets=[(1, 2, 0), (1, 2, 3)]).labels_.tolist()
        [0, 0, 0, 1]
        """
        if isinstance(y, TripletSet) or (y is not None and np.ndim(y) == 2 and np.shape(y)[1] == 3):
            msg = "y looks like triplets: give them by name, fit(X, triplets=...); y is ignored"
            raise TypeError(msg)
        with all_or_nothing(self):
            self._validate_params()
            samples = validate_data(self, X, dtype=np.float64)
            n = samples.shape[0]
            if n < self.n_clusters:
                msg = f"n_clusters={self.n_clusters} but n_samples={n}: there cannot be more clusters than samples"
                raise ValueError(msg)
            aligned = aligned_triplets(X, triplets, n)
            if len(aligned):
                one_tree(aligned)  # refuses inconsistent triplets, with the conflict
            merges, n_tests, n_rejections = _merges(samples, aligned.rows, self.linkage, self.metric)
            hierarchy = from_linkage(merges, aligned.leaves)
            self.labels_ = cut(hierarchy, self.n_clusters)
            self.linkage_ = to_linkage(hierarchy, monotone=True)
            self.distances_ = merges[:, 2].copy()
            self.n_tests_, self.n_rejections_ = n_tests, n_rejections
            self.n_leaves_ = n
            self.hierarchy_ = hierarchy
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _merges(samples: np.ndarray, rows: np.ndarray, linkage: str, metric: Any) -> tuple[np.ndarray, int, int]:
    """All merges as a linkage matrix in merge order with raw heights, and the numbers of tests and rejections."""
    n = samples.shape[0]
    if linkage in _EUCLIDEAN:
        if metric != "euclidean":
            msg = (
                f"linkage={linkage!r} needs points in a Euclidean space: use metric='euclidean', or one of the "
                f"linkages {', '.join(_ANY_METRIC)} with metric={metric!r}"
            )
            raise ValueError(msg)
        _check_spread(samples)
        merges, count = merge_points(samples, rows, linkage)
    else:
        condensed = _precomputed(samples) if metric == "precomputed" else _distances(samples, metric)
        merges, count = merge_condensed(condensed, n, rows, linkage)
    return merges, count["tests"], count["rejections"]


def _check_spread(samples: np.ndarray) -> None:
    """Refuse points so far apart that squared distances, or sums of them, leave float64."""
    with np.errstate(over="ignore"):
        widest = np.square(np.ptp(samples, axis=0)).sum()
    if not widest <= np.finfo(np.float64).max / (4 * samples.shape[0]):
        column = int(np.ptp(samples / 2, axis=0).argmax())
        i, j = int(samples[:, column].argmin()), int(samples[:, column].argmax())
        msg = f"the distance of samples {i} and {j} is too large for float64 arithmetic (feature {column}): scale X"
        raise ValueError(msg)


def _distances(samples: np.ndarray, metric: Any) -> np.ndarray:
    """Distances of all pairs, in scipy's condensed order."""
    from scipy.spatial.distance import pdist

    n = samples.shape[0]
    if n == 1:
        return np.empty(0)
    try:
        condensed = pdist(samples, metric)
    except MemoryError:
        msg = (
            f"the distances of {n:,} samples take {n * (n - 1) * 4 / 2**30:,.0f} GiB, more than there is; the linkages "
            f"{', '.join(_EUCLIDEAN)} need none"
        )
        raise MemoryError(msg) from None
    # sums of n of them are formed on the way
    bad = np.flatnonzero(~(np.abs(condensed) <= np.finfo(np.float64).max / (4 * n)))
    if bad.size:
        i, j = (int(x[bad[0]]) for x in np.triu_indices(n, 1))
        why = "is infinite, or too large for float64 arithmetic: scale X"
        if np.isnan(condensed[bad[0]]):
            why = "is not defined"
        msg = f"the distance of samples {i} and {j} under metric={metric!r} {why} ({bad.size} pairs of that kind)"
        raise ValueError(msg)
    return np.maximum(condensed, 0.0, out=condensed)


def _precomputed(samples: np.ndarray) -> np.ndarray:
    """The upper triangle of a checked matrix of distances, in scipy's condensed order."""
    n = samples.shape[0]
    if samples.shape[1] != n:
        msg = f"metric='precomputed' needs a square matrix of distances, not one of shape {samples.shape}"
        raise ValueError(msg)
    largest = np.abs(samples).max()
    for bad, what in (
        (samples < 0, "is negative"),
        (np.abs(samples - samples.T) > 1e-8 * largest, "is not symmetric"),
        (np.eye(n, dtype=bool) & (np.abs(samples) > 1e-8 * largest), "is not zero on the diagonal"),
        (samples > np.finfo(np.float64).max / (4 * n), "is too large for float64 arithmetic: scale X"),
    ):
        if bad.any():
            i, j = (int(x[0]) for x in np.nonzero(bad))
            msg = f"metric='precomputed' needs a matrix of distances: the entry {samples[i, j]} at ({i}, {j}) {what}"
            raise ValueError(msg)
    from scipy.spatial.distance import squareform

    return squareform(samples, checks=False) if n > 1 else np.empty(0)
