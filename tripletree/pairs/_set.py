"""Rows of must-links and cannot-links over one leaf index: construction and set behaviour of `PairwiseConstraints`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from tripletree._kernels import freeze
from tripletree._pictures import table_html
from tripletree.errors import InvalidPairError, UnknownLeafError
from tripletree.leaves import LeafIndex
from tripletree.origins import Origins
from tripletree.pairs._rows import canonical_pairs, checked_pairs, checked_strengths, label_pairs, sorted_labels

__all__ = ["PairSet"]

Label = Hashable
Self = TypeVar("Self", bound="PairSet")


class PairSet:
    """What `PairwiseConstraints` is as a value; what it means is written there."""

    leaves: LeafIndex
    must_link: np.ndarray
    cannot_link: np.ndarray
    must_strength: np.ndarray | None
    cannot_strength: np.ndarray | None
    must_origins: Origins | None
    cannot_origins: Origins | None

    #: For scikit-learn, whose cross-validation cuts what is as long as X like sample weights, and takes the length from
    #: here if it can: no number of samples.
    shape = (-1, 2)

    def __init__(
        self,
        must_link: Any,
        cannot_link: Any,
        leaves: LeafIndex | Iterable[Label] | int,
        *,
        must_strength: Any = None,
        cannot_strength: Any = None,
        must_origins: Origins | None = None,
        cannot_origins: Origins | None = None,
    ) -> None:
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        strong = must_strength is not None or cannot_strength is not None
        must, sure, read = _checked(must_link, must_strength, must_origins, "must-link", len(leaves), strong)
        cannot, keen, found = _checked(cannot_link, cannot_strength, cannot_origins, "cannot-link", len(leaves), strong)
        if len(must) + len(cannot) == 0:  # without links, strengths say nothing
            sure = keen = None
        vars(self).update(leaves=leaves, must_link=must, cannot_link=cannot)
        vars(self).update(must_strength=sure, cannot_strength=keen, must_origins=read, cannot_origins=found)

    def __setattr__(self, name: str, value: Any) -> None:
        msg = f"pairs do not change, so {name} cannot be set: make others with {type(self).__name__}(...), subset or |"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"pairs do not change, so {name} cannot be deleted"
        raise AttributeError(msg)

    @classmethod
    def from_labels(
        cls: type[Self],
        must_link: Iterable[Sequence[Label]] | None = None,
        cannot_link: Iterable[Sequence[Label]] | None = None,
        leaves: LeafIndex | Iterable[Label] | None = None,
        *,
        must_strength: Any = None,
        cannot_strength: Any = None,
    ) -> Self:
        """Make pairs from tuples (a, b) of labels.

        Parameters
        ----------
        must_link, cannot_link : iterable of (a, b), optional
            Lists, tuples or rows of arrays of labels.
        leaves : LeafIndex or iterable of labels, optional
            All leaves; by default those that occur, sorted (in the order of their occurrence where labels of different
            types cannot be sorted).
        must_strength, cannot_strength : array_like of float, optional
            One number in 0..1 for each pair.

        Returns
        -------
        PairwiseConstraints

        Raises
        ------
        InvalidPairError
            If an entry has not two labels, or one label twice; ``.row`` is its number.
        UnknownLeafError
            If `leaves` is given and lacks a label.

        Examples
        --------
        >>> from tripletree.pairs import PairwiseConstraints
        >>> list(PairwiseConstraints.from_labels([("human", "chimp")], [("human", "gorilla")]))
        [('chimp', 'human', 'must'), ('gorilla', 'human', 'cannot')]
        """
        must, cannot = label_pairs(must_link, "must-link"), label_pairs(cannot_link, "cannot-link")
        flat = [x for row in (*must, *cannot) for x in row]
        index = (
            leaves if isinstance(leaves, LeafIndex) else LeafIndex(sorted_labels(flat) if leaves is None else leaves)
        )
        rows = index.indices(flat, what="pairs' leaves").reshape(-1, 2)
        k = len(must)
        return cls(rows[:k], rows[k:], index, must_strength=must_strength, cannot_strength=cannot_strength)

    # ------------------------------------------------------------------ derived sets

    def reindex(self: Self, leaves: LeafIndex | Iterable[Label]) -> Self:
        """Return the same pairs over another leaf index that holds every leaf that occurs in them.

        Raises
        ------
        UnknownLeafError
            If a leaf of some pair is missing; ``.labels`` holds all that are.

        Examples
        --------
        >>> from tripletree.pairs import PairwiseConstraints
        >>> PairwiseConstraints.from_labels([("a", "b")]).reindex(["c", "b", "a"]).must_link.tolist()
        [[1, 2]]
        """
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        if leaves == self.leaves:
            return self
        used = self.used_leaves
        number = np.full(len(self.leaves), -1, np.int32)
        number[used] = leaves.indices((self.leaves[i] for i in used.tolist()), what="pairs' leaves")
        return self._mapped(number, leaves)

    def restrict(self: Self, labels: Iterable[Label]) -> Self:
        """Return the pairs whose two leaves are both among `labels`, over those leaves.

        What follows only through other leaves is lost: restrict `expand()` where it is to be kept.

        Raises
        ------
        UnknownLeafError
            If a label is no leaf here.
        DuplicateLeafError
            If a label is given twice.

        Examples
        --------
        >>> from tripletree.pairs import PairwiseConstraints
        >>> len(PairwiseConstraints.from_labels([("a", "b"), ("b", "c")]).restrict(["a", "b"]))
        1
        """
        if isinstance(labels, str):
            raise UnknownLeafError([labels], self.leaves.labels, what="labels (give a list of labels)")
        leaves = labels if isinstance(labels, LeafIndex) else LeafIndex(labels)
        number = np.full(len(self.leaves), -1, np.int32)
        number[self.leaves.indices(leaves)] = np.arange(len(leaves), dtype=np.int32)
        return self._mapped(number, leaves)

    def subset(self: Self, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Return the pairs at the given row numbers of their kind, or where a mask is true; None keeps all of a kind.

        Raises
        ------
        IndexError
            If a row number is out of range, or a mask has not one entry for each pair of the kind.

        Examples
        --------
        >>> from tripletree.pairs import PairwiseConstraints
        >>> p = PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("a", "d")])
        >>> list(p.subset(must_link=[1], cannot_link=[]))
        [('b', 'c', 'must')]
        """
        must, cannot = _rows(must_link, self.n_must, "must-link"), _rows(cannot_link, self.n_cannot, "cannot-link")
        return self._mapped(None, self.leaves, must, cannot)

    def _mapped(
        self: Self, number: np.ndarray | None, leaves: LeafIndex, must: Any = slice(None), cannot: Any = slice(None)
    ) -> Self:
        """Some of the rows with other numbers of their leaves (-1 drops a row), all else as it is here."""
        kinds = []
        for rows, strength, origins, which in (
            (self.must_link, self.must_strength, self.must_origins, must),
            (self.cannot_link, self.cannot_strength, self.cannot_origins, cannot),
        ):
            if number is not None:
                rows = number[rows]
                which = (rows >= 0).all(axis=1)
            kinds.append(
                (
                    rows[which],
                    None if strength is None else strength[which],
                    None if origins is None else origins.take(which),
                )
            )
        (a, s, o), (b, t, q) = kinds
        return type(self)(a, b, leaves, must_strength=s, cannot_strength=t, must_origins=o, cannot_origins=q)

    @cached_property
    def used_leaves(self) -> np.ndarray:
        """Indices of the leaves that occur in some pair, ascending (int64)."""
        return freeze(np.unique(np.concatenate([self.must_link.ravel(), self.cannot_link.ravel()])).astype(np.int64))

    @property
    def n_must(self) -> int:
        """Number of must-links."""
        return self.must_link.shape[0]

    @property
    def n_cannot(self) -> int:
        """Number of cannot-links."""
        return self.cannot_link.shape[0]

    def _strengths(self) -> tuple[np.ndarray, np.ndarray]:
        if self.must_strength is None or self.cannot_strength is None:
            return np.ones(self.n_must), np.ones(self.n_cannot)
        return self.must_strength, self.cannot_strength

    # ------------------------------------------------------------------ set behaviour

    def __or__(self: Self, other: Self) -> Self:
        if not isinstance(other, PairSet):
            return NotImplemented
        one, two = self, other
        if one.leaves != two.leaves:
            more = [x for x in two.leaves if x not in one.leaves]
            leaves = LeafIndex([*one.leaves, *more]) if more else one.leaves
            one, two = one.reindex(leaves), two.reindex(leaves)
        strengths: list = [None, None]
        if one.must_strength is not None or two.must_strength is not None:
            strengths = [np.concatenate(x) for x in zip(one._strengths(), two._strengths(), strict=True)]
        return type(self)(
            np.concatenate([one.must_link, two.must_link]),
            np.concatenate([one.cannot_link, two.cannot_link]),
            one.leaves,
            must_strength=strengths[0],
            cannot_strength=strengths[1],
            must_origins=Origins.joined(one.must_origins, one.n_must, two.must_origins, two.n_must),
            cannot_origins=Origins.joined(one.cannot_origins, one.n_cannot, two.cannot_origins, two.n_cannot),
        )

    def __iter__(self) -> Iterator[tuple[Any, Any, str]]:
        labels = self.leaves.labels
        for rows, kind in ((self.must_link, "must"), (self.cannot_link, "cannot")):
            for a, b in rows.tolist():
                yield labels[a], labels[b], kind

    def __len__(self) -> int:
        return self.n_must + self.n_cannot

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairSet):
            return NotImplemented
        if (self.n_must, self.n_cannot, len(self.leaves)) != (other.n_must, other.n_cannot, len(other.leaves)):
            return False
        if (self.must_strength is None) != (other.must_strength is None):
            return False
        if self.leaves != other.leaves:
            if any(x not in self.leaves for x in other.leaves):
                return False
            other = other.reindex(self.leaves)
        return all(
            np.array_equal(x, y)
            for x, y in (
                (self.must_link, other.must_link),
                (self.cannot_link, other.cannot_link),
                *zip(self._strengths(), other._strengths(), strict=True),
            )
        )

    def __hash__(self) -> int:
        return hash((self.n_must, self.n_cannot, frozenset(self.leaves)))

    def __reduce__(self) -> Any:
        return _rebuilt, (
            type(self),
            (self.must_link, self.cannot_link, self.leaves),
            (self.must_strength, self.cannot_strength, self.must_origins, self.cannot_origins),
        )

    def __repr__(self) -> str:
        must, cannot, n = self.n_must, self.n_cannot, len(self.leaves)
        strong = "" if self.must_strength is None else " with strengths"
        return (
            f"<PairwiseConstraints: {must} must-link{'s' * (must != 1)} and {cannot} cannot-link{'s' * (cannot != 1)}"
            f"{strong} on {n} {'leaf' if n == 1 else 'leaves'}>"
        )

    def _repr_html_(self) -> str:
        # what a notebook shows: the first rows
        rows = list(islice(self, 10))
        return table_html(repr(self)[1:-1], ("one", "other", "link"), rows, len(self) - len(rows))


def _rebuilt(kind: Any, rows: tuple, more: tuple) -> Any:
    """Pairs from their pickle."""
    names = ("must_strength", "cannot_strength", "must_origins", "cannot_origins")
    return kind(*rows, **dict(zip(names, more, strict=True)))


def _checked(
    rows: Any, strengths: Any, origins: Origins | None, kind: str, n: int, strong: bool
) -> tuple[np.ndarray, np.ndarray | None, Origins | None]:
    """The rows of one kind in their canonical form."""
    array = checked_pairs(rows, n, kind)
    given = None
    if strong:
        given = np.ones(len(array)) if strengths is None else checked_strengths(strengths, len(array), kind)
    if origins is not None and len(origins) != len(array):
        msg = f"origins must have one entry for each of the {len(array)} {kind}s, not {len(origins)}"
        raise InvalidPairError(msg)
    return canonical_pairs(array, given, origins)


def _rows(which: Any, size: int, kind: str) -> Any:
    """Row numbers, a mask or a slice, checked; all rows for None."""
    if which is None or isinstance(which, slice):
        return slice(None) if which is None else which
    try:
        array = np.atleast_1d(which)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0), object)
    if array.ndim == 1 and array.size == 0 and array.dtype != np.bool_:
        return array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        msg = f"{kind}s are taken by row numbers (whole ones, in a list or array), a mask or a slice, not {which!r:.60}"
        raise IndexError(msg)
    if array.dtype == np.bool_ and array.size != size:
        msg = f"the mask is of length {array.size}, the number of {kind}s is {size}"
        raise IndexError(msg)
    if array.dtype != np.bool_ and ((array < -size) | (array >= size)).any():
        known = f"the rows are 0..{size - 1}" if size else "there are none"
        msg = f"there is no {kind} {array[(array < -size) | (array >= size)][0]}: {known}"
        raise IndexError(msg)
    return array
