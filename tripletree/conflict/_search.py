"""Looking for conflicts: small ones exactly, others by taking leaves away from a group that does not split."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletree import _kernels
from tripletree._kernels import frozen
from tripletree.split import split_down

__all__ = ["conflicts"]

#: Work of one call of the search, from the first to any later one: between calls it can be interrupted.
_FIRST_SLICE, _SLICE = 20_000, 5_000_000
#: Work that splitting one row or leaf down counts as, and that of starting to.
_SPLITTING, _STARTING = 10, 150_000
#: Shares of a group that are tried at random, one after the other, in search of a smaller group.
_SHARES = (0.5, 0.5, 0.6, 0.7, 0.8, 0.85)
_RESTARTS = 4


class _Budget:
    """Work that may still be done; what it is spent on ends soon after there is none."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        self.left -= int(work)


def conflicts(
    rows: np.ndarray, n: int, max_size: int, budget: int, reducing: int | None = None
) -> Iterator[tuple[np.ndarray, int]]:
    """Find conflicts that share no row, smaller ones first as far as they are looked for exactly.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3)
        Triplets; among conflicts of one size those with earlier rows are preferred.
    n : int
    max_size : int
        Conflicts of at most this many rows are looked for exactly.
    budget : int
        Work after which that is given up, as is making the others smaller. They cannot lose a row either way.
    reducing : int, optional
        The part of it that is kept for making others smaller; by default a quarter.

    Yields
    ------
    numbers : ndarray of int64
        The rows of a conflict, ascending; none of them can be left out.
    at_least : int
        Among the rows that are in none of the conflicts before, no conflict has fewer rows than this.
    """
    alive = np.ones(len(rows), np.bool_)
    reducing = budget // 4 if reducing is None else reducing
    left = _Budget(budget - reducing)
    at_least = 2
    if split_down(rows, n)[1].size == 0:
        return
    start, incident = _kernels.conflicts.by_leaf(rows, n)
    while at_least <= max_size and left.left > 0:
        for leaves in _of_size(rows, start, incident, alive, at_least, left):
            numbers = _tie(rows, _rows_of(rows, start, incident, alive, leaves), leaves)
            alive[numbers] = False
            yield numbers, at_least
        if left.left <= 0:
            break
        at_least += 1
        if split_down(frozen(rows[alive]), n)[1].size == 0:
            return
    left.spend(-reducing)
    rng = np.random.default_rng(0)  # the same answer every time
    while True:
        among = np.flatnonzero(alive)
        failed, inside = _failing_part(rows, among, np.arange(n, dtype=np.int32), n)
        if failed.size == 0:
            return
        numbers = _smallest_found(rows, inside, failed, n, at_least, left, rng)
        alive[numbers] = False
        yield numbers, at_least


def _of_size(
    rows: np.ndarray, start: np.ndarray, incident: np.ndarray, alive: np.ndarray, size: int, left: _Budget
) -> Iterator[np.ndarray]:
    """Leaves of the conflicts of `size` rows; the caller takes rows out of `alive` between them."""
    number = np.full(start.size - 1, -1, np.int32)
    seed, part = 0, _FIRST_SLICE
    while seed < len(rows) and left.left > 0:
        leaves, seed, work = _kernels.conflicts.grow(
            rows, start, incident, alive, number, seed, len(rows), size + 1, part, left.left
        )
        left.spend(work)
        part = min(2 * part, _SLICE)
        if leaves.size:
            yield leaves


def _smallest_found(
    rows: np.ndarray,
    inside: np.ndarray,
    failed: np.ndarray,
    n: int,
    at_least: int,
    left: _Budget,
    rng: np.random.Generator,
) -> np.ndarray:
    """Reduce a group that does not split to a conflict; from several starts while work may be done."""
    group, kept = _reduced(rows, inside, failed, n, left)
    best = _irreducible(rows, kept, group)
    for _ in range(_RESTARTS):
        if len(best) <= at_least or left.left <= 0:
            break
        group, kept = _probed(rows, inside, rng.permutation(failed), n, left, rng)
        group, kept = _reduced(rows, kept, group, n, left)
        other = _irreducible(rows, kept, group)
        best = other if len(other) < len(best) else best
    return best


def _probed(
    rows: np.ndarray, inside: np.ndarray, group: np.ndarray, n: int, left: _Budget, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """A smaller group that does not split, by random parts of it."""
    k = 0
    while k < len(_SHARES) and group.size > 3 and left.left > 0:
        part = group[rng.random(group.size) < _SHARES[k]]
        smaller, its_rows = _failing_part(rows, inside, part, n)
        left.spend(_STARTING + _SPLITTING * (inside.size + n))
        if smaller.size:
            group, inside, k = rng.permutation(smaller), its_rows, 0
        else:
            k += 1
    return group, inside


def _reduced(
    rows: np.ndarray, inside: np.ndarray, group: np.ndarray, n: int, left: _Budget
) -> tuple[np.ndarray, np.ndarray]:
    """Take leaves away while what is left fails; the group, and the rows in it.

    Without any leaf of it, it would not fail, unless the work was spent before that was so.
    """
    chunk = group.size // 2
    while chunk >= 1:
        start = 0
        while start < group.size and group.size > 3 and left.left > 0:
            rest = np.concatenate([group[:start], group[start + chunk :]])
            smaller, its_rows = _failing_part(rows, inside, rest, n)
            left.spend(_STARTING + _SPLITTING * (inside.size + n))
            if smaller.size == 0:
                start += chunk
            else:
                # a leaf before `start` without which the group was consistent is needed by every smaller group too
                stays = np.isin(group, smaller)
                start = int(stays[:start].sum())
                group, inside = group[stays], its_rows
        chunk = chunk // 2 if left.left > 0 else 0
    return group, inside


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


def _rows_of(
    rows: np.ndarray, start: np.ndarray, incident: np.ndarray, alive: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Numbers of the rows inside a small group that are alive, ascending."""
    near = np.unique(np.concatenate([incident[start[x] : start[x + 1]] for x in group.tolist()]))
    return near[alive[near] & np.isin(rows[near], group).all(axis=1)].astype(np.int64)


def _tie(rows: np.ndarray, inside: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Numbers of rows inside the group whose close pairs span it without a cycle, earlier rows first."""
    number = {x: i for i, x in enumerate(group.tolist())}
    up = np.arange(group.size, dtype=np.int32)
    unite = _kernels.disjoint_set.unite
    return np.array([t for t in inside.tolist() if unite(up, number[rows[t, 0]], number[rows[t, 1]])], np.int64)


def _irreducible(rows: np.ndarray, inside: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Rows that span the group, or a part of it that cannot hold either, none of which can be left out."""
    numbers = _tie(rows, inside, group)
    own = np.full(int(rows.max()) + 1, -1, np.int32)
    own[group] = np.arange(group.size, dtype=np.int32)
    return numbers[_kernels.closed_trees.closed_part(frozen(own[rows[numbers]]), group.size)]
