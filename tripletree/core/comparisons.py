"""`Comparisons`: "a is more like b than like c", as people say it, with who said it and where it was read.

`tripletree.io.read_comparisons` reads them, `tripletree.knowledge.alignment` brings them to the samples of a fit.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from tripletree.core.arrays import frozen
from tripletree.core.leaves import LeafIndex
from tripletree.core.provenance import Origins
from tripletree.core.triplets import TripletSet


class Comparisons(tuple):
    """Rows of comparisons and their leaves, as a tuple of two, with more about each row.

    A tree contradicts a comparison if it displays the triplet of anchor and far against near: else the near one is as
    near in it, or nearer.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, 3)
        Rows (anchor, near, far), as positions in `leaves`.
    leaves : LeafIndex
    who : tuple of (str or None)
        The person of each row.
    origins : Origins or None
        Where each was read.
    reading : str
        What was understood, in one line.

    Examples
    --------
    >>> said = Comparisons([(0, 1, 2), (2, 1, 0)], LeafIndex(["cat", "dog", "eel"]))
    >>> said
    <Comparisons: 2 comparisons on 3 leaves: cat nearer dog than eel, eel nearer dog than cat>
    """

    rows: np.ndarray
    leaves: LeafIndex
    who: tuple[str | None, ...]
    origins: Origins | None
    reading: str

    def __new__(
        cls,
        rows: Any,
        leaves: LeafIndex,
        who: Sequence[str | None] | None = None,
        origins: Origins | None = None,
        reading: str = "",
    ) -> Comparisons:
        rows = frozen(np.asarray(rows, np.int32).reshape(-1, 3))
        made = super().__new__(cls, (rows, leaves))
        made.rows, made.leaves, made.origins, made.reading = rows, leaves, origins, reading
        made.who = (None,) * len(rows) if who is None else tuple(who)
        return made

    def __reduce__(self) -> Any:
        return Comparisons, (self.rows, self.leaves, self.who, self.origins, self.reading)

    def __repr__(self) -> str:
        rows = [[str(self.leaves[i]) for i in row] for row in self.rows[:3].tolist()]
        shown = ", ".join(f"{a} nearer {b} than {c}" for a, b, c in rows) + ", ..." * (len(self.rows) > 3)
        of = f"{len(self.rows):,} comparison{'s' * (len(self.rows) != 1)}"
        return f"<Comparisons: {of} on {len(self.leaves):,} leaves{': ' if shown else ''}{shown}>"

    @property
    def used_leaves(self) -> np.ndarray:
        """The positions of the leaves that occur, sorted."""
        return np.unique(self.rows)

    def votes(self) -> TripletSet:
        """Return each comparison as a vote for the triplet that it is half of, weighted by how often it was given."""
        return TripletSet(self.rows, self.leaves, np.ones(len(self.rows)))

    def subset(self, mask: np.ndarray) -> Comparisons:
        """Return the comparisons that a mask marks."""
        who = [self.who[k] for k in np.flatnonzero(mask).tolist()]
        origins = None if self.origins is None else self.origins.take(mask)
        return Comparisons(self.rows[mask], self.leaves, who, origins, self.reading)

    def over(self, number: np.ndarray, leaves: LeafIndex) -> Comparisons:
        """Return the comparisons whose three leaves stay and differ: `number` has new positions, or -1."""
        rows = number[self.rows]
        a, b, c = rows.T
        kept = (rows >= 0).all(axis=1) & (a != b) & (a != c) & (b != c)
        found = self.subset(kept)
        return Comparisons(rows[kept], leaves, found.who, found.origins, self.reading)

    def restrict(self, labels: Iterable[Hashable]) -> Comparisons:
        """Return the comparisons on some of the leaves."""
        leaves = LeafIndex(labels)
        return self.over(np.array([leaves.index(x) if x in leaves else -1 for x in self.leaves], np.int64), leaves)

    def __or__(self, other: Comparisons) -> Comparisons:
        leaves = LeafIndex(dict.fromkeys([*self.leaves, *other.leaves]))
        both = [leaves.indices(x.leaves)[x.rows] for x in (self, other)]
        origins = Origins.joined(self.origins, len(self.rows), other.origins, len(other.rows))
        reading = "; ".join(x.reading for x in (self, other) if x.reading)
        return Comparisons(np.concatenate(both), leaves, (*self.who, *other.who), origins, reading)
