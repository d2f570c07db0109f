"""Why a set is inconsistent: triplets that cannot hold together, and no fewer of them."""

from __future__ import annotations

import numpy as np

from tripletree import _kernels
from tripletree._checks import expect_triplets
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["find_conflict", "irreducible_conflict"]


def find_conflict(triplets: TripletSet) -> TripletSet | None:
    """Find triplets that cannot hold together: an irreducible inconsistent subset.

    Parameters
    ----------
    triplets : TripletSet

    Returns
    -------
    TripletSet or None
        A subset that no hierarchy displays, while dropping any one of its triplets leaves a consistent rest; None if
        the whole set is consistent. It has one triplet less than it has leaves.

    See Also
    --------
    is_consistent : whether there is one.

    Notes
    -----
    The search is over leaves. Let S be leaves that the triplets inside S tie together, so that no first split of S
    exists. If no proper subset of S is inconsistent, any triplets that form a spanning tree of S are an irreducible
    conflict. S starts as the group at which `one_tree` fails, and loses leaves by chunks of half, a quarter, ... one,
    as in delta debugging [1]_; each time what is left fails, the new failing group takes its place. The result is
    irreducible, not always the smallest: sparse random sets can have no small conflict at all.

    References
    ----------
    .. [1] Zeller, Hildebrandt (2002), Simplifying and isolating failure-inducing input, IEEE Transactions on Software
       Engineering 28(2), 183-200.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a"), ("a", "b", "e")])
    >>> list(find_conflict(t))
    [('a', 'b', 'c'), ('b', 'c', 'd'), ('c', 'd', 'a')]
    """
    if len(expect_triplets(triplets)) == 0:
        return None
    failed = split_down(triplets.rows, len(triplets.leaves))[1]
    return irreducible_conflict(triplets, failed) if failed.size else None


def irreducible_conflict(triplets: TripletSet, failed: np.ndarray) -> TripletSet:
    """Reduce a group of leaves that does not split to an irreducible conflict; see `find_conflict`.

    Parameters
    ----------
    triplets : TripletSet
    failed : ndarray of int32
        Leaf indices, such that the triplets inside them form a connected graph on them.

    Returns
    -------
    TripletSet

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")])
    >>> len(irreducible_conflict(t, np.arange(3, dtype=np.int32)))
    2
    """
    rows, n = triplets.rows, len(triplets.leaves)
    group, inside = failed, _rows_inside(rows, np.arange(len(triplets)), failed, n)
    chunk = group.size // 2
    while chunk >= 1:
        start = 0
        while start < group.size and group.size > 3:
            rest = np.concatenate([group[:start], group[start + chunk :]])
            smaller, its_rows = _failing_part(rows, inside, rest, n)
            if smaller.size == 0:
                start += chunk
            else:
                # a leaf before `start` without which the group was consistent is needed by every smaller group too
                stays = np.isin(group, smaller)
                start = int(stays[:start].sum())
                group, inside = group[stays], its_rows
        chunk //= 2
    return triplets.subset(np.sort(_spanning_tree(rows, inside, group)))


def _rows_inside(rows: np.ndarray, among: np.ndarray, group: np.ndarray, n: int) -> np.ndarray:
    """Those of the row numbers `among` whose three leaves are in the group."""
    member = np.zeros(n, np.bool_)
    member[group] = True
    return among[member[rows[among]].all(axis=1)]


def _failing_part(rows: np.ndarray, among: np.ndarray, leaves: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A group of `leaves` that does not split (empty if they are consistent), and the row numbers inside it."""
    inside = _rows_inside(rows, among, leaves, n)
    if inside.size < 2:
        return leaves[:0], inside[:0]
    number = np.full(n, -1, np.int32)
    number[leaves] = np.arange(leaves.size, dtype=np.int32)
    failed = leaves[split_down(number[rows[inside]], leaves.size)[1]]
    return failed, _rows_inside(rows, inside, failed, n)


def _spanning_tree(rows: np.ndarray, inside: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Row numbers of triplets whose close pairs span the group without a cycle."""
    number = {x: i for i, x in enumerate(group.tolist())}
    up = np.arange(group.size, dtype=np.int32)
    unite = _kernels.disjoint_set.unite
    return np.array([t for t in inside.tolist() if unite(up, number[rows[t, 0]], number[rows[t, 1]])], np.int64)
