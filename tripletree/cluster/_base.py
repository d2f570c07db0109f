"""What the estimators share: triplets aligned with the rows of X, once, and fits that succeed or change nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from tripletree._rows import framed
from tripletree.errors import DuplicateLeafError, InvalidTripletError, UnknownLeafError
from tripletree.hierarchy import Hierarchy
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = [
    "HierarchicalClusterer",
    "aligned_triplets",
    "all_or_nothing",
    "checked_samples",
    "progress_bar",
    "warn_if_few",
]

#: When few triplets are known to hurt: at least so many samples and triplets, of which there are fewer than so many for
#: each sample they name; numbers of triplets a sample that vary less than so many times those of random triplets; and
#: more than this part of the named samples tied to no group.
_SAMPLES, _TRIPLETS, _RATIO, _DISPERSION, _LOOSE = 50, 30, 1.2, 2.0, 0.05


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


@contextmanager
def progress_bar(verbose: Any, total: int, what: str) -> Iterator[Callable[[int], Any] | None]:
    """A function that moves a bar in the terminal or notebook, None where none is wanted; no bar outlives an error."""
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=what, unit=" merges") as bar:
        try:
            yield bar.update
        except BaseException:
            bar.leave = False
            raise


def checked_samples(estimator: Any, X: Any, *, reset: bool) -> np.ndarray:
    """X as a finite float64 matrix of at least one row and column; the estimator learns or checks its features.

    Parameters
    ----------
    estimator : estimator
    X : array_like or DataFrame
    reset : bool
        True in `fit`, False afterwards.

    Returns
    -------
    ndarray of float64, shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If X holds text, NaN, infinity, or integers beyond float64, or has the wrong shape or features.
    TypeError
        If X is sparse.
    """
    try:
        return validate_data(estimator, X, dtype=np.float64, reset=reset)
    except OverflowError as error:
        msg = f"X holds integers beyond the range of float64 ({error}): scale X"
        raise ValueError(msg) from None
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        columns = [str(name) for name in getattr(X, "columns", ()) if np.asarray(X[name]).dtype.kind not in "biuf"]
        where = f" in the columns {', '.join(columns[:10])}" if columns else ""
        msg = f"X must hold numbers, not text{where} ({error}): leave text out, or encode it"
        raise ValueError(msg) from None


def aligned_triplets(X: Any, triplets: Any, n_samples: int, *, missing_samples: str = "raise") -> TripletSet:
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
    missing_samples : {"raise", "ignore"}
        What to do with triplets on labels that the index of X has not; row numbers out of range are always refused,
        and an index 0..n-1 is nothing but row numbers.

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
    indexed = labels is not None
    if labels == list(rows_of):
        labels = None
    given, length = _as_set_or_rows(triplets)
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
            raise UnknownLeafError(unknown, rows_of.labels, what=_rows_text(n_samples, unknown, indexed))
        given = TripletSet(given.astype(np.int64), rows_of)
        return given if labels is None or _repeats(labels) else TripletSet(given.rows, labels)
    if labels is None:
        return _over_rows(given, rows_of, indexed)
    if len(given) == 0 and _repeats(labels):
        return TripletSet(given.rows, rows_of)
    try:
        leaves = LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" in the index of X, to which triplets refer") from None
    unknown = [x for x in (given.leaves[i] for i in given.used_leaves.tolist()) if x not in leaves]
    if unknown and missing_samples == "ignore":
        if length == n_samples:
            _warn_of_slices(length)
        given = given.restrict([x for x in given.leaves if x in leaves])
    elif unknown:
        raise UnknownLeafError(unknown, leaves.labels, what="labels in the index of X")
    return given.reindex(leaves) if len(given) else TripletSet(given.rows, leaves)


def _warn_of_slices(length: int) -> None:
    msg = (
        f"there are {length} triplets, as many as samples, and some name samples that X has not: when a whole set of "
        "triplets is as long as the whole X, scikit-learn's cross-validation cuts it like sample weights, and part of "
        "it is lost; repeat one triplet in the list (repeats count once), so that the lengths differ"
    )
    warn(msg, UserWarning, stacklevel=4)


def _index_labels(X: Any) -> list | None:
    """The labels in the index of a DataFrame, None for anything that has no index."""
    if hasattr(X, "columns") and hasattr(getattr(X, "index", None), "tolist"):
        return X.index.tolist()
    return None


def _repeats(labels: list) -> bool:
    return len(set(labels)) < len(labels)


def _as_set_or_rows(triplets: Any) -> tuple[TripletSet | np.ndarray, int]:
    """A TripletSet of labels, or an integer array of row numbers; and how many were given, repeats included."""
    if triplets is None:
        return TripletSet([], 0), 0
    if isinstance(triplets, TripletSet):
        return triplets, len(triplets)
    if framed(triplets) is not None:
        return TripletSet.from_labels(triplets), len(triplets)
    if isinstance(triplets, np.ndarray):
        if triplets.ndim != 2 or triplets.shape[1] != 3:
            msg = f"triplets must have shape (m, 3), a row (a, b, c) for ab|c; got shape {triplets.shape}"
            raise InvalidTripletError(msg)
        if triplets.dtype.kind in "iu" or triplets.size == 0:
            return triplets.astype(np.int64) if triplets.size == 0 else triplets, triplets.shape[0]
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
    entries = list(triplets)
    return TripletSet.from_labels(entries), len(entries)


def _over_rows(triplets: TripletSet, leaves: LeafIndex, indexed: bool) -> TripletSet:
    """Triplets whose labels are row numbers; none may lie outside, not even of a leaf without triplets.

    Such a leaf shows that the triplets were made for other samples, whose rows the same numbers would mean.
    """
    if triplets.leaves != leaves:
        unknown = [x for x in triplets.leaves if x not in leaves]
        if unknown:
            raise UnknownLeafError(unknown, leaves.labels, what=_rows_text(len(leaves), unknown, indexed))
    return triplets.reindex(leaves) if len(triplets) else TripletSet(triplets.rows, leaves)


def _rows_text(n: int, unknown: list, indexed: bool) -> str:
    if all(isinstance(x, (int, np.integer)) for x in unknown):
        whole = f"an index 0..{n - 1} counts as row numbers; " if indexed else ""
        return (
            f"rows of X (n_samples={n}; {whole}row numbers are never ignored. Where X is a part of the samples, as in "
            "cross-validation, name them by labels: the index of a pandas DataFrame other than 0..n-1)"
        )
    without = f"whose index is 0..{n - 1}" if indexed else "which has no index of labels"
    return (
        f"rows of X (n_samples={n}, {without}; pass a pandas DataFrame whose index holds the labels, or triplets of "
        "row numbers. In a pipeline, set_output(transform='pandas') keeps the index)"
    )


def warn_if_few(triplets: TripletSet, tree: Hierarchy) -> None:
    """Warn of triplets that are as few, and as random, as those known to make noisy data worse.

    Parameters
    ----------
    triplets : TripletSet
        m consistent triplets over the n samples, of which they name u.
    tree : Hierarchy
        That of `one_tree` for them.

    Notes
    -----
    Triplets drawn at random name each sample by chance, so the numbers of triplets a sample scatter like those of a
    Poisson distribution: the variance over the mean is 1 (samples that none names counted in, by their expected
    number), and up to 1.9 for two classes of 80 and 20 percent. Informative triplets name few samples over and over:
    for 30 and more of `triplets_from_classes` it was 2.3 at the least with 10 classes, 10 with 3. A set that leaves
    next to no named sample alone below the root of its hierarchy, as `decompose` gives, is no random one either.

    Fewer than 1.2 random triplets a named sample lowered the dendrogram purity of two noisy classes (569 samples, 30
    features, Ward linkage) from .840 to .71-.81; from 1.2 on it was .98 and more where all samples were named, .89
    where a fifth of them was.
    """
    m, n = len(triplets), len(triplets.leaves)
    u = triplets.used_leaves.size
    if n < _SAMPLES or m < _TRIPLETS or m >= _RATIO * u:
        return
    loose = (int(tree.n_children[tree.root]) - (n - u)) / u
    count = np.bincount(triplets.rows.ravel(), minlength=n).astype(np.float64)
    if loose <= _LOOSE or _dispersion(count[count > 0]) >= _DISPERSION:
        return
    msg = (
        f"{m} triplets that look drawn at random name {u} of {n} samples, {m / u:.2f} triplets each: below about "
        f"{_RATIO} such triplets are known to make noisy data worse, not better. Compare with the fit without them; "
        f"give more than {int(np.ceil(_RATIO * u))} on these samples, or informative ones (triplets_from_classes, "
        "where classes are known)"
    )
    warn(msg, UserWarning, stacklevel=3)


def _dispersion(count: np.ndarray) -> float:
    """Variance over mean of numbers of which only the positive ones are seen; for a Poisson distribution it is 1."""
    seen = float(count.mean())
    mean = seen
    for _ in range(200):
        mean = seen * -np.expm1(-mean)  # that of all, the unseen zeros included
    return 1.0 + float((count * (count - 1.0)).sum() / count.sum()) - mean
