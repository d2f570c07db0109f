"""What a builder holds: its questions, which change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.builder._incoming import Key, key_of, keys_of, rows_of
from tripletree.builder._state import BuilderState
from tripletree.errors import InvalidHierarchyError, TripletreeError
from tripletree.hierarchy import Hierarchy
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = ["Held", "LabelTriplet"]

LabelTriplet = tuple[Any, Any, Any]
#: Triplets between two moments at which an interrupt is heard.
_SLICE = 4096


class Held:
    """Consistent triplets, the answers about them, and what `TripletBuilder` changes."""

    leaves: LeafIndex
    _state: BuilderState
    _weights: dict[Key, float]
    _triplets: TripletSet | None
    _hierarchy: Hierarchy | None

    def can_add(self, triplets: TripletSet | LabelTriplet | Iterable[LabelTriplet]) -> np.ndarray:
        """Tell for each triplet whether it alone could be added; nothing changes.

        Parameters
        ----------
        triplets : TripletSet, tuple (a, b, c), or iterable of (a, b, c)
            Tuples are labels, each meaning ab|c.

        Returns
        -------
        ndarray of bool
            Parallel to ``triplets.rows``, or to the tuples as they come. True for those that are there.

        Raises
        ------
        UnknownLeafError
            If a label is none of the leaves.
        InvalidTripletError
            If an entry has not three different labels.

        Examples
        --------
        >>> from tripletree.builder import TripletBuilder
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c")])
        >>> builder.can_add([("b", "c", "a"), ("c", "d", "a")]).tolist()
        [False, True]
        """
        rows = rows_of(triplets, self.leaves)
        told = np.empty(len(rows), np.bool_)
        for start in range(0, len(rows), _SLICE):
            told[start : start + _SLICE] = self._state.tell_all(rows[start : start + _SLICE])
        return told

    @property
    def triplets(self) -> TripletSet:
        """What is there, as a set over `leaves`; with weights if any were given."""
        if self._triplets is None:
            rows = self._state.rows()
            weights = None
            if self._weights:
                weights = np.array([self._weights.get(key, 1.0) for key in keys_of(rows)])
            self._triplets = TripletSet(rows, self.leaves, weights)
        return self._triplets

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of what is there: equal to ``one_tree(builder.triplets)``."""
        if self._hierarchy is None:
            n = len(self.leaves)
            if n == 0:
                msg = "there are no leaves: a hierarchy needs at least one"
                raise InvalidHierarchyError(msg)
            parent = _kernels.rooted_tree.canonical_parent(freeze(self._state.parent()), n)
            self._hierarchy = Hierarchy(freeze(parent), self.leaves)
        return self._hierarchy

    def __len__(self) -> int:
        return len(self._state)

    def __contains__(self, triplet: object) -> bool:
        try:
            return self._key(triplet) in self._state
        except (TripletreeError, TypeError):
            return False

    def __iter__(self) -> Iterator[LabelTriplet]:
        return (self._labelled(key) for key in self._state)

    def __repr__(self) -> str:
        noun = "triplet" if len(self) == 1 else "triplets"
        return f"<TripletBuilder: {len(self)} {noun} on {len(self.leaves)} leaves>"

    def _key(self, triplet: Any) -> Key:
        return key_of(triplet, self.leaves)

    def _labelled(self, key: Key) -> LabelTriplet:
        a, b, c = key
        return self.leaves[a], self.leaves[b], self.leaves[c]
