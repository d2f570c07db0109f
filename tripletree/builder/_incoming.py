"""What users hand to `TripletBuilder`, as triplets of leaf indices; and what it answers when it cannot take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tripletree._induced import rows_over
from tripletree._rows import checked_weights, framed, label_triple
from tripletree.conflict import conflict_inside
from tripletree.errors import InconsistentTripletsError, InvalidTripletError, UnknownLeafError
from tripletree.leaves import LeafIndex
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["Key", "contradiction", "is_one", "key_of", "keys_of", "rows_of", "set_over", "weights_of"]

#: A triplet ab|c as leaf indices, a < b.
Key = tuple[int, int, int]


def is_one(triplets: Any, leaves: LeafIndex) -> bool:
    """Whether this is one triplet: a tuple, unless of tuples or lists that are no labels here."""
    if not isinstance(triplets, tuple) or not triplets:
        return False
    nested = all(isinstance(x, (tuple, list, np.ndarray)) for x in triplets)
    return not nested or (isinstance(triplets[0], tuple) and _is_hashable(triplets[0]) and triplets[0] in leaves)


def key_of(triplet: Any, leaves: LeafIndex) -> Key:
    """One tuple of labels."""
    a, b, c = label_triple(triplet, 0)
    try:
        i, j, k = leaves.index(a), leaves.index(b), leaves.index(c)
    except (UnknownLeafError, TypeError):
        i, j, k = _indices([(a, b, c)], leaves).tolist()
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
    return _rows(triplets, leaves)[0]


def set_over(triplets: Any, leaves: LeafIndex, weights: Any) -> TripletSet:
    """Several triplets as a set over the builder's leaves, with the weights given or else their own."""
    if isinstance(triplets, TripletSet):
        rows, own = rows_over(triplets, leaves), triplets.weights
    else:
        rows, own = _rows(triplets, leaves)
    return TripletSet(rows, leaves, own if weights is None else weights_of(weights, len(rows)))


def weights_of(weights: Any, m: int) -> np.ndarray:
    """The weights of m triplets: one for each, or one for all."""
    try:
        told = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        return checked_weights(weights, m)  # says what is wrong
    if told.ndim == 0:
        return np.repeat(checked_weights(told.reshape(1), 1), m)
    return checked_weights(told, m)


def _rows(triplets: Any, leaves: LeafIndex) -> tuple[np.ndarray, Any]:
    """Rows of leaf indices from an iterable of label triples or a data frame, and the weights that are in it."""
    frame = framed(triplets)
    if frame is None and not hasattr(triplets, "__iter__"):
        msg = (
            "a triplet (a, b, c), a TripletSet or an iterable of triplets is wanted, "
            f"not {type(triplets).__name__} ({triplets!r:.60})"
        )
        raise TypeError(msg)
    entries = [label_triple(row, k) for k, row in enumerate(triplets if frame is None else frame[0])]
    return _indices(entries, leaves), None if frame is None else frame[1]


def _indices(entries: Sequence[tuple], leaves: LeafIndex) -> np.ndarray:
    """Label triples as rows of leaf indices."""
    try:
        return leaves.indices((x for row in entries for x in row), what="leaves of the builder").reshape(-1, 3)
    except TypeError:
        for k, row in enumerate(entries):
            for label in row:
                if not _is_hashable(label):
                    msg = f"triplet {k} is {row!r}: {label!r} is a {type(label).__name__}, which cannot be a leaf label"
                    raise InvalidTripletError(msg, row=k) from None
        raise


def _is_hashable(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def contradiction(rows: np.ndarray, new: Sequence[Key], leaves: LeafIndex) -> InconsistentTripletsError:
    """The error that says why `new` cannot be added to consistent `rows`."""
    both = TripletSet(np.concatenate([rows, np.array(new, np.int32)]), leaves)
    failed = split_down(both.rows, len(leaves))[1]
    group = [leaves[i] for i in np.sort(failed).tolist()]
    return InconsistentTripletsError(group, conflict_inside(both, failed))
