"""What the estimators share: triplets aligned with the rows of X, once, and fits that succeed or change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from tripletree.errors import DuplicateLeafError, InvalidTripletError, UnknownLeafError
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = ["HierarchicalClusterer", "aligned_triplets", "all_or_nothing"]


class HierarchicalClusterer(ClusterMixin, BaseEstimator):
    """Base of the estimators that make a hierarchy of the samples from X and triplets."""

    def fit_predict(self, X: Any, y: Any = None, *, triplets: Any = None) -> np.ndarray:
        """Fit, and return the cluster of each sample.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            As for `fit`.
        y : None
            Ignored.
        triplets : TripletSet, iterable of (a, b, c), or ndarray of int, shape (m, 3), optional
            As for `fit`.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            ``labels_``.

        Raises
        ------
        ValueError, LookupError, TypeError
            As `fit` does.

        Examples
        --------
        >>> from tripletree.cluster import ReCon
        >>> ReCon(n_clusters=2).fit_predict([[0.0], [1.0], [5.0]]).tolist()
        [0, 0, 1]
        """
        return self.fit(X, y, triplets=triplets).labels_


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Put the estimator's attributes back when the fit inside fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def aligned_triplets(X: Any, triplets: Any, n_samples: int) -> TripletSet:
    """The triplets over the samples of X: index i is row i, its label is that of the row.

    Parameters
    ----------
    X : object
        The samples as the user gave them. Rows of a DataFrame (pandas) have the labels of its index, rows of anything
        else the labels 0..n-1.
    triplets : TripletSet, iterable of (a, b, c), ndarray of int of shape (m, 3), or None
        Labels, but for the integer array, which holds row numbers.
    n_samples : int
        Number of rows.

    Returns
    -------
    TripletSet
        Its leaf index holds the n samples. They are labelled 0..n-1 where the index of X has repeats and no triplet
        refers to it.

    Raises
    ------
    UnknownLeafError
        If a triplet names a sample that X has not.
    DuplicateLeafError
        If triplets refer to an index that holds a label more than once.
    InvalidTripletError
        If an entry is no triplet, or row numbers are given where they could as well be labels.
    TypeError
        If `triplets` is nothing of the kind.
    """
    rows_of = LeafIndex(n_samples)
    labels = _index_labels(X)
    if labels == list(rows_of):
        labels = None
    given = _as_set_or_rows(triplets)
    if isinstance(given, np.ndarray):
        if labels is not None and all(isinstance(x, int) for x in labels):
            msg = (
                f"triplets are an integer array, which means row numbers, but the index of X holds integers other than "
                f"0..{n_samples - 1}: give tuples of labels or a TripletSet for labels of the index, or X as an array "
                "(X.to_numpy()) for row numbers"
            )
            raise InvalidTripletError(msg)
        unknown = np.unique(given[(given < 0) | (given >= n_samples)]).tolist()
        if unknown:
            raise UnknownLeafError(unknown, rows_of.labels, what=_rows_text(n_samples, unknown))
        given = TripletSet(given, rows_of)
        return given if labels is None or _repeats(labels) else TripletSet(given.rows, labels)
    if labels is None:
        return _over_rows(given, rows_of)
    if len(given) == 0 and _repeats(labels):
        return TripletSet(given.rows, rows_of)
    try:
        leaves = LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" in the index of X, to which triplets refer") from None
    _check_known((given.leaves[i] for i in given.used_leaves.tolist()), leaves, "labels in the index of X")
    return given.reindex(leaves) if len(given) else TripletSet(given.rows, leaves)


def _index_labels(X: Any) -> list | None:
    """The labels in the index of a DataFrame, None for anything that has no index."""
    if hasattr(X, "columns") and hasattr(getattr(X, "index", None), "tolist"):
        return X.index.tolist()
    return None


def _repeats(labels: list) -> bool:
    return len(set(labels)) < len(labels)


def _as_set_or_rows(triplets: Any) -> TripletSet | np.ndarray:
    """A TripletSet of labels, or an integer array of row numbers."""
    if triplets is None:
        return TripletSet([], 0)
    if isinstance(triplets, TripletSet):
        return triplets
    if hasattr(triplets, "to_numpy"):  # a table with a triplet in each row
        triplets = triplets.to_numpy()
    if isinstance(triplets, np.ndarray):
        if triplets.ndim != 2 or triplets.shape[1] != 3:
            msg = f"triplets must have shape (m, 3), a row (a, b, c) for ab|c; got shape {triplets.shape}"
            raise InvalidTripletError(msg)
        if triplets.dtype.kind in "iu":
            return triplets.astype(np.int64)
        if triplets.dtype.kind not in "OUT":
            msg = f"triplets must hold integers (row numbers) or labels, not {triplets.dtype}"
            raise InvalidTripletError(msg)
        triplets = triplets.tolist()
    if isinstance(triplets, (str, bytes)) or not isinstance(triplets, Iterable):
        msg = (
            "triplets must be a TripletSet, tuples (a, b, c) of labels or an integer array of shape (m, 3), "
            f"not {type(triplets).__name__}"
        )
        raise TypeError(msg)
    return TripletSet.from_labels(triplets)


def _over_rows(triplets: TripletSet, leaves: LeafIndex) -> TripletSet:
    """Triplets whose labels are row numbers; none may lie outside, not even of a leaf without triplets.

    Such a leaf shows that the triplets were made for other samples, whose rows the same numbers would mean.
    """
    if triplets.leaves != leaves:
        unknown = [x for x in triplets.leaves if x not in leaves]
        if unknown:
            raise UnknownLeafError(unknown, leaves.labels, what=_rows_text(len(leaves), unknown))
    return triplets.reindex(leaves) if len(triplets) else TripletSet(triplets.rows, leaves)


def _rows_text(n: int, unknown: list) -> str:
    if all(isinstance(x, (int, np.integer)) for x in unknown):
        return f"rows of X (n_samples={n}; where X is a part of the samples, restrict the triplets to it)"
    return (
        f"rows of X (n_samples={n}, an array without labels; pass a DataFrame whose index holds the labels, or "
        "triplets of row numbers)"
    )


def _check_known(labels: Iterable, leaves: LeafIndex, what: str) -> None:
    unknown = [x for x in labels if x not in leaves]
    if unknown:
        raise UnknownLeafError(unknown, leaves.labels, what=what)
