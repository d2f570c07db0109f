"""What is said of given leaf triples, whoever says it; used by `induce` and by the certain reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._kernels import freeze, frozen
from tripletree._rows import checked_rows, label_triple
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = ["InducedTriplets", "checked_triples", "rows_over"]


@dataclass(frozen=True, eq=False)
class InducedTriplets:
    """What a hierarchy says of given leaf triples, in the order given; see `induce`.

    Attributes
    ----------
    triples : ndarray of int32, shape (m, 3)
        The triples asked for, as leaf indices.
    odd : ndarray of int8, shape (m,)
        The column (0, 1 or 2) of the odd one out, -1 where the hierarchy leaves the triple unresolved.
    leaves : LeafIndex

    Examples
    --------
    >>> h = tt.Hierarchy.from_nested([("a", "b"), "c", "d"])
    >>> list(tt.induce(h, [("a", "c", "b"), ("a", "c", "d")]))
    [('a', 'b', 'c'), None]
    """

    triples: np.ndarray
    odd: np.ndarray
    leaves: LeafIndex

    @property
    def resolved(self) -> np.ndarray:
        """Which triples the hierarchy resolves: bool, shape (m,)."""
        return self.odd >= 0

    @property
    def rows(self) -> np.ndarray:
        """The resolved ones as rows (a, b, c) for ab|c, in the order asked, repeats kept: int32, shape (r, 3)."""
        known = self.resolved
        triples, odd = self.triples[known], self.odd[known]
        at = np.arange(odd.size)
        near, far = (odd + 1) % 3, (odd + 2) % 3
        return np.stack([triples[at, near], triples[at, far], triples[at, odd]], axis=1)

    @property
    def triplets(self) -> TripletSet:
        """The resolved ones as a set."""
        return TripletSet(self.rows, self.leaves)

    def __len__(self) -> int:
        return self.odd.size

    def __repr__(self) -> str:
        return f"<InducedTriplets: {len(self)} triples, {int(self.resolved.sum())} of them resolved>"

    def __iter__(self) -> Iterator[tuple[Any, Any, Any] | None]:
        """For each triple (a, b, c) with ab|c as labels, or None where it is unresolved."""
        labels = self.leaves.labels
        for row, odd in zip(self.triples.tolist(), self.odd.tolist(), strict=True):
            if odd < 0:
                yield None
            else:
                a, b = (row[k] for k in range(3) if k != odd)
                yield labels[a], labels[b], labels[row[odd]]


def checked_triples(leaf_triples: Any, leaves: LeafIndex) -> np.ndarray:
    """Leaf triples, given as an array of indices or as tuples of labels, as read-only int32 of shape (m, 3)."""
    if isinstance(leaf_triples, np.ndarray) and leaf_triples.dtype.kind in "iu":
        triples = leaf_triples
    else:
        labels = [label_triple(row, k, "triple") for k, row in enumerate(leaf_triples)]
        triples = leaves.indices([x for row in labels for x in row], what="triples' leaves").reshape(-1, 3)
    return frozen(checked_rows(triples, len(leaves), "triple"))


def rows_over(triplets: TripletSet, leaves: LeafIndex) -> np.ndarray:
    """The rows of a set as indices into another leaf index that holds the leaves it uses."""
    if triplets.leaves == leaves:
        return triplets.rows
    used = triplets.used_leaves
    number = np.full(len(triplets.leaves), -1, np.int32)
    number[used] = leaves.indices((triplets.leaves[i] for i in used.tolist()), what="triplets' leaves")
    return freeze(number[triplets.rows])
