"""What users hand to `TripletBuilder`, as triplets of leaf indices; and what it answers when it cannot take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tripletree._induced import rows_over
from tripletree._rows import framed, label_triple
from tripletree.conflict import conflict_inside
from tripletree.errors import InconsistentTripletsError, UnknownLeafError
from tripletree.leaves import LeafIndex
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["Key", "contradiction", "is_one", "key_of", "keys_of", "rows_of", "set_over"]

#: A triplet ab|c as leaf indices, a < b.
Key = tuple[int, int, int]


def is_one(triplets: Any, leaves: LeafIndex) -> bool:
    """Whether this is one triplet: a tuple, unless of tuples or lists that are no labels here."""
    if not isinstance(triplets, tuple) or not triplets:
        return False
    nested = all(isinstance(x, (tuple, list, np.ndarray)) for x in triplets)
    return not nested or (isinstance(triplets[0], tuple) and triplets[0] in leaves)


def key_of(triplet: Any, leaves: LeafIndex) -> Key:
    """One tuple of labels."""
    a, b, c = label_triple(triplet, 0)
    try:
        i, j, k = leaves.index(a), leaves.index(b), leaves.index(c)
    except UnknownLeafError:
        i, j, k = leaves.indices((a, b, c), what="leaves of the builder").tolist()
    return (i, j, k) if i < j else (j, i, k)


def keys_of(rows: np.ndarray) -> list[Key]:
    """Rows of leaf indices."""
    return [(a, b, c) if a < b else (b, a, c) for a, b, c in rows.tolist()]


def rows_of(triplets: Any, leaves: LeafIndex) -> np.ndarray:
    """One triplet or several as rows of leaf indices, in the order given."""
    if isinstance(triplets, TripletSet):
        return rows_over(triplets, leaves)
    if is_one(triplets, leaves):
        return np.array([key_of(triplets, leaves)], np.int32)
    frame = framed(triplets)
    entries = [label_triple(row, k) for k, row in enumerate(triplets if frame is None else frame[0])]
    flat = [label for row in entries for label in row]
    return leaves.indices(flat, what="leaves of the builder").reshape(-1, 3)


def set_over(triplets: Any, leaves: LeafIndex, weights: Any) -> TripletSet:
    """Several triplets as a set over the builder's leaves."""
    if not isinstance(triplets, TripletSet):
        return TripletSet.from_labels(triplets, leaves, weights=weights)
    return TripletSet(rows_over(triplets, leaves), leaves, triplets.weights if weights is None else weights)


def contradiction(rows: np.ndarray, new: Sequence[Key], leaves: LeafIndex) -> InconsistentTripletsError:
    """The error that says why `new` cannot be added to consistent `rows`."""
    both = TripletSet(np.concatenate([rows, np.array(new, np.int32)]), leaves)
    failed = split_down(both.rows, len(leaves))[1]
    group = [leaves[i] for i in np.sort(failed).tolist()]
    return InconsistentTripletsError(group, conflict_inside(both, failed))
