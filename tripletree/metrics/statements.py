"""Statements on distances: triplets, comparisons and quadruplets as d(a, b) < d(c, d) over the rows of X."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidTripletError, UnknownLeafError
from tripletree.knowledge.alignment import align_triplets, index_labels, index_leaves

_FORM = {
    3: ("comparison", "(anchor, near, far)", "d(anchor, near) < d(anchor, far)"),
    4: ("quadruplet", "(a, b, c, d)", "d(a, b) < d(c, d)"),
}


@dataclass(frozen=True)
class Statements:
    """Statements d(a, b) < d(c, d), each pair of samples kept once.

    Attributes
    ----------
    pairs : ndarray of int64, shape (p, 2)
        Pairs of different rows of X, the smaller first.
    near, far : ndarray of int64, shape (m,)
        The two pairs of each statement.
    weights : ndarray of float64, shape (m,)
        1 where triplets have no weights.
    """

    pairs: np.ndarray
    near: np.ndarray
    far: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, weights: np.ndarray) -> Statements:
        """From rows (a, b, c, d)."""
        ends = np.sort(np.concatenate([rows[:, :2], rows[:, 2:]]).astype(np.int64), axis=1)
        pairs, which = np.unique(ends, axis=0, return_inverse=True)
        which = which.ravel()
        return cls(pairs, which[: len(rows)], which[len(rows) :], weights)

    def __len__(self) -> int:
        return self.near.size

    def violated(self, points: np.ndarray) -> int:
        """Number of statements that do not hold between points, ties included."""
        lengths = np.square(points[self.pairs[:, 0]] - points[self.pairs[:, 1]]).sum(axis=1)
        return int((lengths[self.near] >= lengths[self.far]).sum())


def statements(
    X: Any, n_samples: int, missing_samples: str, triplets: Any, comparisons: Any, quadruplets: Any = None
) -> Statements:
    """Align all statements with the rows of X. A triplet is two statements."""
    aligned = align_triplets(X, triplets, n_samples, missing_samples=missing_samples)
    both = aligned.to_comparisons()[:, [0, 1, 0, 2]].astype(np.int64)
    weight = np.ones(len(aligned)) if aligned.weights is None else aligned.weights
    compared = _aligned_rows(X, comparisons, n_samples, missing_samples, 3)[:, [0, 1, 0, 2]]
    four = _aligned_rows(X, quadruplets, n_samples, missing_samples, 4)
    rest = np.ones(len(compared) + len(four))
    return Statements.of(np.concatenate([both, compared, four]), np.concatenate([weight, weight, rest]))


def _aligned_rows(X: Any, given: Any, n: int, missing_samples: str, width: int) -> np.ndarray:
    """Comparisons or quadruplets as row numbers: int64, shape (m, width)."""
    noun, form, meaning = _FORM[width]
    if given is None:
        return np.empty((0, width), np.int64)
    if isinstance(given, TripletSet):
        msg = f"{noun}s are a TripletSet, but each triplet is two comparisons: give them as triplets="
        raise TypeError(msg)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        msg = f"{noun}s must be rows {form} of labels or an integer array of shape (m, {width}); got {type(given)}"
        raise TypeError(msg)
    labels = index_labels(X)
    by_label = labels is not None and labels != list(range(n))
    if isinstance(given, np.ndarray) and given.dtype.kind in "iu":
        if by_label and all(isinstance(x, int) for x in labels or ()):
            msg = (
                f"{noun}s are an integer array, which means row numbers, but the index of X holds integers other than "
                f"0..{n - 1}: give tuples of labels for labels of the index, or X.to_numpy() for row numbers"
            )
            raise InvalidTripletError(msg)
        rows = _numbered(given, n, width, noun, form)
        _check_different(rows, rows.tolist, noun, meaning)
        return rows
    known = LeafIndex(n)
    if by_label:
        known = index_leaves(labels or [], f", to which {noun}s refer")
    entries = _entries(given, width, noun, form)
    unknown = list(dict.fromkeys(x for row in entries for x in row if x not in known))
    if unknown and by_label and missing_samples == "ignore":
        entries = [row for row in entries if all(x in known for x in row)]
    elif unknown:
        what = "labels in the index of X" if by_label else f"rows of X (n_samples={n})"
        hint = f"missing_samples='ignore' leaves out the {noun}s with these labels" if by_label else ""
        raise UnknownLeafError(unknown, known.labels, what=what, hint=hint)
    rows = np.array([known.index(x) for row in entries for x in row], np.int64).reshape(-1, width)
    _check_different(rows, lambda: entries, noun, meaning)
    return rows


def _numbered(given: np.ndarray, n: int, width: int, noun: str, form: str) -> np.ndarray:
    """Row numbers, checked."""
    if given.ndim != 2 or given.shape[1] != width:
        msg = f"{noun}s must have shape (m, {width}), a row {form} for each; got shape {given.shape}"
        raise InvalidTripletError(msg)
    outside = np.unique(given[(given < 0) | (given >= n)]).tolist()
    if outside:
        raise UnknownLeafError(outside, LeafIndex(n).labels, what=f"rows of X (n_samples={n})")
    return given.astype(np.int64)


def _entries(given: Any, width: int, noun: str, form: str) -> list[tuple]:
    """The rows as tuples, each of the right length."""
    entries = []
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        names = form.strip("()").split(", ")
        if [str(x) for x in given.columns] != [str(k) for k in range(width)]:
            if not set(names) <= set(given.columns):
                msg = f"a table of {noun}s needs columns called {', '.join(names)}; it has {', '.join(given.columns)}"
                raise InvalidTripletError(msg)
            given = given[names]
        given = given.to_numpy()
    for k, row in enumerate(given.tolist() if isinstance(given, np.ndarray) else given):
        values = row.tolist() if isinstance(row, np.ndarray) else row
        if isinstance(values, (str, bytes)) or not isinstance(values, (tuple, list)) or len(values) != width:
            msg = f"{noun} {k} is {row!r}: expected {width} samples, {form}"
            raise InvalidTripletError(msg, row=k)
        entries.append(tuple(values))
    return entries


def _check_different(rows: np.ndarray, entries: Callable[[], list], noun: str, meaning: str) -> None:
    """Check that no sample is paired with itself, and no pair compared with itself."""
    four = rows[:, [0, 1, 0, 2]] if rows.shape[1] == 3 else rows
    near, far = np.sort(four[:, :2], axis=1), np.sort(four[:, 2:], axis=1)
    for bad, what in (
        ((near[:, 0] == near[:, 1]) | (far[:, 0] == far[:, 1]), "it pairs a sample with itself"),
        ((near == far).all(axis=1), "it compares a pair with itself"),
    ):
        if bad.any():
            k = int(bad.argmax())
            msg = f"{noun} {k} is {entries()[k]!r}, {meaning}: {what} ({int(bad.sum())} rows of that kind)"
            raise InvalidTripletError(msg, row=k)
