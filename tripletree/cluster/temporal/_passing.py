"""Pairs handed on from snapshot to snapshot, with a strength that fades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree.leaves import LeafIndex
from tripletree.pairs import PairwiseConstraints

__all__ = ["Known", "known_pairs", "pairs_at"]


@dataclass(frozen=True)
class Known:
    """Pairs of objects and when they became known, must-links first.

    Attributes
    ----------
    rows : ndarray of int64, shape (p, 2)
        Numbers of objects, a < b.
    must : ndarray of bool, shape (p,)
    strength : ndarray of float64, shape (p,)
    since : ndarray of int64, shape (p,)
        The snapshot at which each is known at its full strength.
    """

    rows: np.ndarray
    must: np.ndarray
    strength: np.ndarray
    since: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)


def known_pairs(parts: list[tuple[PairwiseConstraints, int | None]], present: list[np.ndarray]) -> tuple[Known, int]:
    """Sets of pairs with the snapshots at which they became known, as one table.

    Parameters
    ----------
    parts : list of (PairwiseConstraints, int or None)
        Pairs over the objects and a snapshot; None: the first one in which both objects of a pair are.
    present : list of ndarray of int64
        The objects of each snapshot, increasing.

    Returns
    -------
    known : Known
        Without the pairs that are in no snapshot together.
    n_apart : int
        How many of these there were.
    """
    columns: list[list] = [[], [], [], []]
    for pairs, at in parts:
        for rows, strength, must in (
            (pairs.must_link, pairs.must_strength, True),
            (pairs.cannot_link, pairs.cannot_strength, False),
        ):
            p = len(rows)
            columns[0].append(rows.astype(np.int64))
            columns[1].append(np.full(p, must))
            columns[2].append(np.ones(p) if strength is None else strength)
            columns[3].append(np.full(p, -1 if at is None else at, np.int64))
    if not columns[0]:
        return Known(np.empty((0, 2), np.int64), np.empty(0, bool), np.empty(0), np.empty(0, np.int64)), 0
    rows, must_too, strength, since = (np.concatenate(x) for x in columns)
    first = np.full(len(rows), -1, np.int64)
    for t in reversed(range(len(present))):
        first[both_in(rows, present[t])] = t
    since = np.where(since < 0, first, since)
    good = first >= 0
    return Known(rows[good], must_too[good], strength[good], since[good]), int((~good).sum())


def both_in(rows: np.ndarray, objects: np.ndarray) -> np.ndarray:
    """Whether both objects of each pair are among these."""
    at = np.minimum(np.searchsorted(objects, rows), objects.size - 1)
    return (objects[at] == rows).all(axis=1)


def pairs_at(
    known: Known, t: int, objects: np.ndarray, leaves: LeafIndex, *, fading: float, backward: bool
) -> PairwiseConstraints:
    """The pairs that count in a snapshot, over its samples.

    A pair known s snapshots ago has ``fading**s`` of its strength. Where the same two objects are both must-linked and
    cannot-linked, only what is stronger now counts, the later where both are as strong.

    Parameters
    ----------
    known : Known
    t : int
        Number of the snapshot.
    objects : ndarray of int64
        Its objects, increasing.
    leaves : LeafIndex
        Their labels.
    fading : float
        In 0..1.
    backward : bool
        Whether pairs that became known later count as well, fading alike.

    Returns
    -------
    PairwiseConstraints
        With strengths.
    """
    age = np.abs(t - known.since) if backward else t - known.since
    strength = np.where(age >= 0, known.strength * fading ** np.maximum(age, 0).astype(np.float64), 0.0)
    here = np.flatnonzero((strength > 0) & both_in(known.rows, objects)) if len(known) else np.empty(0, np.int64)
    order = here[np.lexsort((known.since[here], strength[here], known.rows[here, 1], known.rows[here, 0]))]
    rows = known.rows[order]
    last = np.r_[(rows[1:] != rows[:-1]).any(axis=1), True][: len(rows)]
    chosen = order[last]
    rows = np.searchsorted(objects, known.rows[chosen])
    must = known.must[chosen]
    sides: dict[str, Any] = {}
    for name, which in (("must", must), ("cannot", ~must)):
        sides[f"{name}_link"], sides[f"{name}_strength"] = rows[which], strength[chosen[which]]
    return PairwiseConstraints(leaves=leaves, **sides)
