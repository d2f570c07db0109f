"""Clusters of one snapshot matched with the previous one's, and how objects move between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tripletree.cluster.temporal.windows import Window
from tripletree.core.pairs import PairwiseConstraints


def nearest_order(centres: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Order centres such that they lie near earlier ones, one each, with the least sum of squared distances.

    Parameters
    ----------
    centres, earlier : ndarray of float64, shape (k, d)

    Returns
    -------
    ndarray of int64, shape (k,)
        ``centres[order][i]`` goes with ``earlier[i]``.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    _, order = linear_sum_assignment(cdist(earlier, centres, "sqeuclidean"))
    return order


def match_clusters(before: Any, after: Any) -> np.ndarray:
    """Match clusters of the same objects at two times so that as many objects as possible stay in theirs.

    Parameters
    ----------
    before, after : array_like of int, shape (n,)
        The cluster of each object, 0, 1, .... -1 if an object was not there.

    Returns
    -------
    ndarray of int64, shape (n_after,)
        The earlier cluster that each later one goes on from, -1 for a new one, with which no object is shared. No two
        go on from the same.

    Notes
    -----
    The assignment problem on the numbers of objects shared, solved exactly (``scipy``): O(n + k^3).

    Examples
    --------
    >>> match_clusters([0, 0, 1, 1, 1], [1, 1, 0, 0, 2]).tolist()
    [1, 0, -1]
    """
    from scipy.optimize import linear_sum_assignment

    shared = moves(before, after)[:-1, :-1]
    found = np.full(shared.shape[1], -1, np.int64)
    old, new = linear_sum_assignment(shared, maximize=True)
    keep = shared[old, new] > 0
    found[new[keep]] = old[keep]
    return found


def moves(before: Any, after: Any, sizes: tuple[int, int] | None = None) -> np.ndarray:
    """Count the objects that go from each cluster to each. The last row and column stand for "not there".

    Parameters
    ----------
    before, after : array_like of int, shape (n,)
        As for `match_clusters`.
    sizes : (int, int), optional
        Numbers of clusters, else one more than the largest number.

    Returns
    -------
    ndarray of int64, shape (k_before + 1, k_after + 1)
    """
    a, b = (np.asarray([*x] if isinstance(x, Iterator) else x, dtype=np.int64) for x in (before, after))
    if a.shape != b.shape or a.ndim != 1:
        msg = f"expected two arrays of one length, clusters of the same objects; got shapes {a.shape} and {b.shape}"
        raise ValueError(msg)
    low = min(a.min(initial=0), b.min(initial=0))
    if low < -1:
        msg = f"clusters are numbered 0, 1, ..., and -1 is for objects that are not there; got {low}"
        raise ValueError(msg)
    k, m = sizes or (int(a.max(initial=-1)) + 1, int(b.max(initial=-1)) + 1)
    a, b = np.where(a < 0, k, a), np.where(b < 0, m, b)
    return np.bincount(a * (m + 1) + b, minlength=(k + 1) * (m + 1)).reshape(k + 1, m + 1)


# ----------------------------------------------------------------------
# Pairs propagated from snapshot to snapshot, with decreasing weight.


@dataclass(frozen=True)
class KnownPairs:
    """Pairs of objects and when they became known, in the order of their objects. Then must-links first.

    Attributes
    ----------
    rows : ndarray of int64, shape (p, 2)
        Numbers of objects, a < b.
    must : ndarray of bool, shape (p,)
    weights : ndarray of float64, shape (p,)
    since : ndarray of int64, shape (p,)
        The snapshot at which each became known, if it has its full weight.
    inherited : ndarray of bool, shape (p,)
        Whether neighbours inherited it there: such pairs are handed on only.
    """

    rows: np.ndarray
    must: np.ndarray
    weights: np.ndarray
    since: np.ndarray
    inherited: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: np.ndarray) -> KnownPairs:
        """Return the pairs of some row numbers, in this order."""
        return KnownPairs(*(getattr(self, f.name)[which] for f in fields(KnownPairs)))

    @staticmethod
    def sorted(some: Sequence[KnownPairs]) -> KnownPairs:
        """Return all pairs, sorted by their objects. Pairs on the same objects stay in their order."""
        rows, *rest = (np.concatenate([getattr(x, f.name) for x in some]) for f in fields(KnownPairs))
        return KnownPairs(rows, *rest).take(np.lexsort((rows[:, 1], rows[:, 0])))

    def among(self, objects: np.ndarray) -> np.ndarray:
        """Return the row numbers of the pairs whose two objects are both in `objects`, which must be increasing.

        Only the pairs of the given objects are looked at, not all.
        """
        low, high = (np.searchsorted(self.rows[:, 0], objects, side) for side in ("left", "right"))
        size = high - low
        near = np.arange(size.sum()) + np.repeat(low - (np.cumsum(size) - size), size)
        other = self.rows[near, 1]
        at = np.minimum(np.searchsorted(objects, other), objects.size - 1)
        return near[objects[at] == other]


class Memory:
    """The pairs known so far. More can be added at any time.

    It is kept in a few sorted tables, each more than half as long as the next one before it, so that adding and looking
    take the logarithm of their number, not all of it.
    """

    def __init__(self, known: KnownPairs) -> None:
        self.tables = [known]

    def add(self, more: KnownPairs) -> None:
        """Pairs that have become known just now."""
        self.tables.append(more)
        while len(self.tables) > 1 and len(self.tables[-2]) <= 2 * len(self.tables[-1]):
            self.tables[-2:] = [KnownPairs.sorted(self.tables[-2:])]

    def among(self, objects: np.ndarray) -> KnownPairs:
        """Return the pairs between the given objects."""
        return KnownPairs.sorted([x.take(x.among(objects)) for x in self.tables])


def known_pairs(
    parts: list[tuple[PairwiseConstraints, int | None]], present: list[np.ndarray]
) -> tuple[KnownPairs, int]:
    """Sets of pairs with the snapshots at which they became known, as one table.

    Parameters
    ----------
    parts : list of (PairwiseConstraints, int or None)
        Pairs over the objects and a snapshot. None: the first one in which both objects of a pair are.
    present : list of ndarray of int64
        The objects of each snapshot, increasing.

    Returns
    -------
    known : KnownPairs
        Without the pairs that are in no snapshot together.
    n_apart : int
        How many such pairs there were.
    """
    nothing = pairs_since(PairwiseConstraints([], [], 0), 0)
    known = KnownPairs.sorted([nothing, *(pairs_since(pairs, -1 if at is None else at) for pairs, at in parts)])
    first = np.full(len(known), -1, np.int64)
    for t in reversed(range(len(present))) if len(known) else ():
        first[known.among(present[t])] = t
    since = np.where(known.since < 0, first, known.since)
    good = first >= 0
    return replace(known, since=since).take(np.flatnonzero(good)), int((~good).sum())


def pairs_since(pairs: PairwiseConstraints, t: int, *, inherited: bool = False) -> KnownPairs:
    """Return pairs over all objects that became known, or were inherited, at snapshot t."""
    p = len(pairs)
    must, since, handed_on = np.arange(p) < pairs.n_must, np.full(p, t, np.int64), np.full(p, inherited)
    return KnownPairs.sorted([KnownPairs(pairs.rows.astype(np.int64), must, pairs.row_weights, since, handed_on)])


@dataclass(frozen=True)
class Fading:
    """The factor of the weight of a pair in other snapshots than the one where it became known.

    Attributes
    ----------
    kept : float in 0..1, or "overlap"
        The factor from one snapshot to the next, or the overlap of both windows over their union (Eq. 10).
    backward : bool
        True if pairs count in earlier snapshots, too.
    cut : list of Window
        Only used for "overlap".
    """

    kept: float | str
    backward: bool
    cut: Sequence[Window] = ()

    def left(self, since: np.ndarray, t: int) -> np.ndarray:
        """Return the factors at snapshot t for pairs known since some snapshots. 0 if they do not count."""
        age = t - since
        if isinstance(self.kept, str):
            factor = (age == 0).astype(np.float64)
            for s in np.unique(since[age != 0]).tolist():
                factor[since == s] = self._overlap(s, t)
        else:
            factor = self.kept ** np.abs(age).astype(np.float64)
        return factor if self.backward else np.where(age >= 0, factor, 0.0)

    def _overlap(self, s: int, t: int) -> float:
        first, second = self.cut[min(s, t)], self.cut[max(s, t)]
        if first.start == first.end or not first.end > second.start:
            return 0.0
        shared, whole = min(first.end, second.end) - second.start, max(first.end, second.end) - first.start
        return float(shared / whole)


def pairs_at(
    memory: KnownPairs | Memory, t: int, objects: np.ndarray, fading: Fading
) -> tuple[PairwiseConstraints, PairwiseConstraints]:
    """Return the pairs that count in a snapshot, over its samples by row number.

    Pairs known in this snapshot override propagated ones. Pairs that neighbours inherited in it are left out. If two
    objects are propagated both as must-linked and as cannot-linked, only the pair of larger weight counts, the later
    one for equal weights.

    Parameters
    ----------
    memory : KnownPairs or Memory
        Kind of the knowledge.
    t : int
        Number of the snapshot.
    objects : ndarray of int64
        Its objects, increasing.
    fading : Fading

    Returns
    -------
    main, propagated : PairwiseConstraints
        Pairs that became known there, and pairs from other snapshots, with weights. No pair is in both.
    """
    known = memory.take(memory.among(objects)) if isinstance(memory, KnownPairs) else memory.among(objects)
    weights = known.weights * fading.left(known.since, t)
    weights[known.inherited & (known.since == t)] = 0.0
    some = np.flatnonzero(weights > 0)
    order = some[
        np.lexsort((known.since[some], weights[some], known.since[some] == t, known.rows[some, 1], known.rows[some, 0]))
    ]
    rows = known.rows[order]
    last = np.r_[(rows[1:] != rows[:-1]).any(axis=1), True][: len(rows)]
    chosen = order[last]
    rows, must = np.searchsorted(objects, known.rows[chosen]), known.must[chosen]
    here = known.since[chosen] == t

    def those(which: np.ndarray) -> PairwiseConstraints:
        sides: dict[str, Any] = {}
        for name, kind in (("must", must & which), ("cannot", ~must & which)):
            sides[f"{name}_link"], sides[f"{name}_weights"] = rows[kind], weights[chosen[kind]]
        return PairwiseConstraints(leaves=objects.size, **sides)

    return those(here), those(~here)
