"""LeafIndex: the immutable list of leaf labels that hierarchies, triplets and samples share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tripletree.core.arrays import frozen
from tripletree.core.checks import described, is_missing
from tripletree.errors import DuplicateLeafError, InvalidPairError, InvalidTripletError, UnknownLeafError


class LeafIndex(Sequence):
    """An immutable two-way table between leaf labels and 0..n-1.

    Labels are any hashable values, most often strings. The rows of a data matrix are ``LeafIndex(n)``, whose labels
    are the integers 0..n-1 and which stores nothing.

    Parameters
    ----------
    labels : int or iterable of hashable
        The labels in order, or a number n for the labels 0..n-1.

    Raises
    ------
    DuplicateLeafError
        If a label occurs more than once. ``.labels`` holds all that do.

    Notes
    -----
    ``leaves[i]`` is the label of index i, ``leaves.index(label)`` the reverse, both in constant time. Two indexes are
    equal when they hold equal labels in the same order.

    Examples
    --------
    >>> leaves = LeafIndex(["cat", "dog", "eel"])
    >>> leaves[1], leaves.index("eel"), "fox" in leaves, len(leaves)
    ('dog', 2, False, 3)
    >>> LeafIndex(4)
    LeafIndex(4)
    """

    __slots__ = ("_hash", "_labels", "_position")

    _labels: range | tuple

    def __init__(self, labels: int | Iterable[Hashable]) -> None:
        self._hash: int | None = None
        self._position: dict[Hashable, int] | None = None
        if isinstance(labels, LeafIndex):
            self._labels, self._position = labels._labels, labels._position
        elif isinstance(labels, (int, np.integer)) and not isinstance(labels, bool):
            if not 0 <= labels < 2**31:
                msg = f"the number of leaves is {labels}; it must lie in 0..{2**31 - 1}"
                raise ValueError(msg)
            self._labels = range(int(labels))
        elif isinstance(labels, range) and labels.start == 0 and labels.step == 1:
            self._labels = labels
        else:
            self._labels = tuple(_python_labels(labels))
            self._position = positions(self._labels)
            unlike = [i for i, x in enumerate(self._labels) if type(x).__name__ == "NAType" or x != x]
            if unlike:
                label = self._labels[unlike[0]]
                msg = f"label {unlike[0]} is {label!r}, which is not equal to itself; give every leaf a label"
                raise ValueError(msg)
            if len(self._position) < len(self._labels):
                raise DuplicateLeafError(repeated(self._labels))

    @property
    def labels(self) -> Sequence[Any]:
        """The labels in order: a tuple, or a ``range`` for the labels 0..n-1."""
        return self._labels

    def index(self, label: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of ``label`` in constant time.

        Parameters
        ----------
        label : hashable
            A leaf label.
        start, stop : int, optional
            Not negative: the index must lie in ``range(start, stop)``.

        Returns
        -------
        int
            Between 0 and n-1.

        Examples
        --------
        >>> LeafIndex("abc".split() + ["d"]).index("d")
        1
        """
        i = self._find(label)
        if i is None or i < start or (stop is not None and i >= stop):
            raise UnknownLeafError([label], self._labels)
        return i

    def indices(self, labels: Iterable[Hashable], *, what: str = "leaves") -> np.ndarray:
        """Return the indices of many labels.

        Parameters
        ----------
        labels : iterable of hashable
            Leaf labels, repeats allowed.
        what : str
            Noun for the labels in the error message.

        Returns
        -------
        ndarray of int32, shape (len(labels),)

        Raises
        ------
        UnknownLeafError
            If some are unknown. ``.labels`` holds every one of them.

        Examples
        --------
        >>> LeafIndex(["cat", "dog", "eel"]).indices(["eel", "cat"]).tolist()
        [2, 0]
        """
        if isinstance(labels, LeafIndex):
            if self == labels:
                return np.arange(len(self), dtype=np.int32)
            labels = list(labels)
        else:
            labels = list(_python_labels(labels))
        if self._position is None:
            found: Iterable[int | None] = (self._find(x) for x in labels)
        else:
            found = map(self._position.get, labels)
        out = np.fromiter((-1 if i is None else i for i in found), dtype=np.int32, count=len(labels))
        if (out < 0).any():
            unknown = list(dict.fromkeys(labels[i] for i in np.flatnonzero(out < 0)))
            raise UnknownLeafError(unknown, self._labels, what=what)
        return out

    def take(self, indices: Sequence[int] | np.ndarray) -> LeafIndex:
        """Return the leaf index of the labels at ``indices``, in that order, or where a mask is true.

        Examples
        --------
        >>> LeafIndex(["cat", "dog", "eel"]).take([2, 0])
        LeafIndex(['eel', 'cat'])
        """
        at = np.asarray(indices)
        if at.dtype == np.bool_ and at.shape == (len(self),):
            at = np.flatnonzero(at)
        if at.size and (at.dtype.kind not in "iu" or at.ndim != 1 or at.min() < 0 or at.max() >= len(self)):
            msg = f"indices must be whole numbers in 0..{len(self) - 1}, or a mask of {len(self)} entries"
            raise IndexError(msg)
        return LeafIndex([self._labels[i] for i in at.tolist()])

    def _find(self, label: Any) -> int | None:
        if self._position is not None:
            return self._position.get(label)
        if isinstance(label, str):  # a range compares it with each of its numbers
            return None
        try:
            return self._labels.index(label)
        except ValueError:
            return None

    def __contains__(self, label: object) -> bool:
        return self._find(label) is not None

    def __getitem__(self, i: Any) -> Any:
        return self._labels[i]

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LeafIndex):
            return NotImplemented
        if self is other or self._labels is other._labels:
            return True
        if len(self) != len(other):
            return False
        if isinstance(self._labels, range) and isinstance(other._labels, range):
            return True  # both 0..n-1
        if isinstance(self._labels, tuple) and isinstance(other._labels, tuple):
            return self._labels == other._labels
        return all(x == y for x, y in zip(self._labels, other._labels, strict=True))

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(tuple(self._labels))
        return self._hash

    def __reduce__(self) -> Any:
        return LeafIndex, (len(self) if isinstance(self._labels, range) else self._labels,)

    def __repr__(self) -> str:
        if isinstance(self._labels, range):
            return f"LeafIndex({len(self)})"
        shown = ", ".join(repr(x) for x in self._labels[:6])
        return f"LeafIndex([{shown}, ... {len(self)} labels])" if len(self) > 6 else f"LeafIndex([{shown}])"


def _python_labels(labels: Any) -> Iterable[Any]:
    """Return an iterable of labels in which numpy's scalars, which print and pickle badly, are Python's values."""
    if isinstance(labels, (str, bytes)) or not hasattr(labels, "__iter__"):
        msg = f"labels must be an iterable of labels, not {labels!r:.80}"
        raise TypeError(msg)
    if isinstance(labels, np.ndarray):
        labels = list(labels) if labels.dtype.kind in "mM" else labels.tolist()
    # times stay numpy's: as Python values, times in nanoseconds would be plain numbers
    return (x.item() if isinstance(x, np.generic) and x.dtype.kind not in "mM" else x for x in labels)


def no_label(x: Any) -> str:
    """Say why a value cannot be a label. Return an empty text if it can."""
    if type(x) in (str, int):
        return ""
    try:
        hash(x)
        return f"{x!r} is a missing label" if x is not None and is_missing(x) else ""
    except (TypeError, ValueError):
        shown = " ".join(repr(x).split())
        return f"{shown:.40} is not a label; expected a hashable value such as text or a number"


def positions(labels: Iterable[Any]) -> dict[Hashable, int]:
    """Return each label, in order of appearance, and where it stands last."""
    labels = tuple(labels)
    try:
        return {label: i for i, label in enumerate(labels)}
    except TypeError:
        for label in labels:
            try:
                hash(label)
            except TypeError:
                msg = f"a label must be a hashable value; unhashable: {described(label)}"
                raise TypeError(msg) from None
        raise


def check_leaf_rows(
    rows: Any, n: int, width: int, noun: str, from_labels: str, error: type[InvalidTripletError | InvalidPairError]
) -> np.ndarray:
    """Return rows of two or three different indices of n leaves as a read-only integer array of this width.

    An `error` names the first wrong row by the noun for a row, or the function that takes labels.
    """
    words = {2: "two", 3: "three"}[width]
    shape = f"an array of shape (m, {width}), {words} leaf indices a {noun}"
    if isinstance(rows, Iterator):
        rows = list(rows)
    try:
        array = np.asarray(rows)
    except ValueError:
        msg = f"expected {shape}; the rows differ in length"
        raise error(msg) from None
    if array.size == 0 and (array.ndim < 2 or array.shape[-1] == width):
        return np.empty((0, width), np.int32)
    if array.ndim != 2 or array.shape[1] != width:
        msg = f"expected {shape}; got shape {array.shape}"
        raise error(msg)
    if array.dtype.kind not in "iu":
        hint = f"; for labels use {from_labels}" if array.dtype.kind in "UOS" else ""
        msg = f"expected an array of integer leaf indices, got {array.dtype}, for each {noun}{hint}"
        raise error(msg)
    array = frozen(array, array.dtype)  # checked and kept are the same, whatever another thread does meanwhile
    if array.min() < 0 or array.max() >= n:
        k = int(np.flatnonzero(((array < 0) | (array >= n)).any(axis=1))[0])
        known = f"leaf indices must lie in 0..{n - 1}" if n else "there are no leaves"
        msg = f"{noun} {k} is {array[k].tolist()}: {known}"
        raise error(msg, row=k)
    same = array[:, 0] == array[:, 1]
    for other in array.T[2:]:
        same |= (array[:, 0] == other) | (array[:, 1] == other)
    if same.any():
        k = int(same.argmax())
        msg = f"{noun} {k} is {array[k].tolist()}: its {words} leaves must differ"
        raise error(msg, row=k)
    return array


def as_texts(labels: Iterable[Hashable], where: str = " once all labels are written as text") -> list[str]:
    """Return labels as texts. A DuplicateLeafError if two become the same."""
    texts = [x if isinstance(x, str) else str(x) for x in labels]
    if len(set(texts)) < len(texts):
        raise DuplicateLeafError(repeated(texts), where=where)
    return texts


def repeated(labels: Sequence[Hashable]) -> list[Hashable]:
    """Return the labels that occur more than once, each once, in order."""
    count: dict[Hashable, int] = {}
    for label in labels:
        count[label] = count.get(label, 0) + 1
    return [label for label, k in count.items() if k > 1]


def sorted_labels(labels: Iterable[Hashable]) -> list[Hashable]:
    """Return each label once, sorted if labels of their types can be compared, else in order of appearance."""
    unique = list(positions(labels))
    try:
        return sorted(unique)  # type: ignore[type-var]
    except TypeError:
        return unique


def other_form(label: Any) -> int | str | None:
    """Return the other form of a whole number as a name: "101" of 101 and 101.0, 101 of "101". None of other labels.

    >>> other_form(101), other_form(np.float64(7)), other_form("101"), other_form("007"), other_form(True)
    ('101', '7', 101, None, None)
    """
    if isinstance(label, str):
        return int(label) if label.isdecimal() and len(label) < 20 and label == str(int(label)) else None
    if isinstance(label, (bool, np.bool_)) or not isinstance(label, (int, float, np.integer, np.floating)):
        return None
    return str(int(label)) if isinstance(label, (int, np.integer)) or float(label).is_integer() else None
