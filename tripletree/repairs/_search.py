"""Splitting by a cut that few triplets lose by, then prune and regraft; and taking triplets one by one, greedily."""

from __future__ import annotations

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.builder import TripletBuilder
from tripletree.hierarchy import Hierarchy
from tripletree.leaves import LeafIndex
from tripletree.repairs._rivals import MaximumCut
from tripletree.repairs._split import Tick, exact_split, ladder, shown_by, split_all
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["Search", "completed", "greedy", "in_order"]

#: What losing a triplet costs against displaying one, in a split.
_PENALTY = 1.5
#: Groups of so many leaves are split exactly.
_EXACT = 8
#: Random starts of a split, and passes from each.
_STARTS, _PASSES = 4, 12
#: Steps of a call of a kernel: some tenths of a second, after which an interrupt is heard.
_SLICE = 20_000_000
#: Runs on one set, as long as they have taken fewer steps than this in all.
_RUNS, _FEW_STEPS = 9, 20_000_000
#: Sweeps of prune and regraft over all subtrees.
_SWEEPS = 50
#: Steps of a cut of the sphere, which is done in whole arrays, that take as long as one step of the others.
_VECTORISED = 20
#: Rows given to the builder at once.
_BATCH = 2_000


class Search:
    """One search for a hierarchy that displays much, with its random numbers and its budget.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3), read-only
    weight : ndarray of float64, shape (m,), read-only
    k : int
        Number of leaves.
    rng : Generator
    most_exact : int
        Groups of leaves that are split exactly, as long as all splits have been forced or exact.
    max_work : int
        Steps after which leaves are split off one by one, and subtrees stay where they are.
    tick : callable, optional
        Told the leaves that have found their place, then the subtrees that have been tried.

    Attributes
    ----------
    hierarchy : Hierarchy
        The best one found; it displays a third of the weight at least.
    optimal : bool
        Whether none displays more: every split was forced, or exact.
    steps : int
    """

    def __init__(
        self,
        rows: np.ndarray,
        weight: np.ndarray,
        k: int,
        rng: np.random.Generator,
        *,
        most_exact: int,
        max_work: int,
        tick: Tick | None = None,
    ) -> None:
        self._rows, self._weight, self._k, self._rng = rows, weight, k, rng
        self._most_exact, self._max_work, self._tick = most_exact, max_work, tick
        self._least = 1e-10 * float(weight.sum())
        self._sphere, self._run = MaximumCut(rng, max_work), 0
        self.optimal, self.steps = True, 0
        self.hierarchy = self._best()

    def _best(self) -> Hierarchy:
        """Search, several times where that is quick."""
        best = split_all(self._rows, self._weight, self._k, self._rule, self._tick)
        if self.optimal:
            return best
        best = self._regrafted(best)
        for run in range(1, _RUNS):
            if self.steps > min(_FEW_STEPS, self._max_work):
                break
            # splits begin with a cut of the sphere, with random sides, or are random: none is always better
            self._run = run % 3
            best = self._better(best, self._regrafted(split_all(self._rows, self._weight, self._k, self._rule)))
        return self._better(best, ladder(self._rows, self._weight, self._k))

    def _better(self, one: Hierarchy, other: Hierarchy) -> Hierarchy:
        first, second = (float(self._weight[shown_by(h, self._rows)].sum()) for h in (one, other))
        return other if second > first + self._least else one

    def _rule(self, rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray | None:
        # once a split has been a guess, larger groups gain little by being exact
        if k <= (self._most_exact if self.optimal else _EXACT):
            return exact_split(rows, weight, k)
        self.optimal = False
        if self.steps > self._max_work // 2:
            return None
        if self._run == 0:
            starts, passes = self._sphere.cut(rows, weight, k).reshape(1, k), _PASSES
            self.steps += MaximumCut.steps(len(rows), k) // _VECTORISED
        else:
            starts = self._rng.integers(0, 2, (_STARTS, k), dtype=np.int32)
            passes = _PASSES if self._run == 1 else 0
        side, taken = _kernels.bisection.bisect(rows, weight, k, _PENALTY, freeze(starts), passes)
        self.steps += int(taken)
        return side

    def _regrafted(self, hierarchy: Hierarchy) -> Hierarchy:
        """The hierarchy after moves of subtrees until none gains, or the budget is spent."""
        n, parent = hierarchy.n_leaves, hierarchy.parent
        up, rows = parent.copy(), self._rows
        child = np.full((parent.size, 2), -1, np.int32)
        child[n:] = _kernels.rooted_tree.child_lists(parent)[1].reshape(-1, 2)
        meet, slot = self._meetings(hierarchy, child)
        flat = rows.ravel()
        of = freeze(np.argsort(flat, kind="stable"))
        first = freeze(np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=n))]))
        for _ in range(_SWEEPS):
            order, at, moved = freeze(self._rng.permutation(parent.size).astype(np.int32)), 0, 0
            while at < order.size and self.steps < self._max_work:
                most = min(_SLICE, self._max_work - self.steps)
                done, _, taken, moves = _kernels.regraft.regraft(
                    up, child, rows, self._weight, first, of, meet, slot, order, at, self._least, most
                )
                if self._tick is not None:
                    self._tick(done - at)
                at, moved, self.steps = int(done), moved + int(moves), self.steps + int(taken)
            if moved == 0 or self.steps >= self._max_work:
                break
        return Hierarchy(up, n)

    def _meetings(self, hierarchy: Hierarchy, child: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each row and column the ancestor of the other two leaves, and its child above the first of them."""
        position, table = hierarchy.ancestor_table
        start, stop, _ = hierarchy.leaf_intervals
        meet = np.empty((len(self._rows), 3), np.int32)
        slot = np.empty((len(self._rows), 3), np.int8)
        for column, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
            x, y = (freeze(self._rows[:, z].copy()) for z in (i, j))
            meet[:, column] = _kernels.rooted_tree.common_ancestors(x, y, position, table)
            left, at = child[meet[:, column], 0], position[x]
            slot[:, column] = (at < start[left]) | (at >= stop[left])
        return meet, slot


def in_order(weight: np.ndarray) -> np.ndarray:
    """Row numbers by decreasing weight, equal ones as they stand.

    Examples
    --------
    >>> in_order(np.array([1.0, 3.0, 1.0])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-weight, kind="stable")


def greedy(rows: np.ndarray, weight: np.ndarray, k: int, most_lost: float = np.inf) -> np.ndarray | None:
    """Take rows one by one, by decreasing weight, each that is consistent with those taken before.

    Parameters
    ----------
    rows, weight, k : ndarray, ndarray, int
    most_lost : float
        Give up when more weight than this has been refused.

    Returns
    -------
    ndarray of bool, shape (m,), or None
        The rows taken; None if it gave up.

    Examples
    --------
    >>> greedy(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([1.0, 2.0]), 3).tolist()
    [False, True]
    """
    taken = np.zeros(len(rows), np.bool_)
    builder, order, lost = TripletBuilder(LeafIndex(k)), in_order(weight), 0.0
    for batch in np.split(order, range(_BATCH, order.size, _BATCH)):
        taken[batch] = builder.try_add_rows(freeze(rows[batch]))
        lost += float(weight[batch[~taken[batch]]].sum())
        if lost > most_lost:
            return None
    return taken


def completed(rows: np.ndarray, weight: np.ndarray, k: int, kept: np.ndarray) -> np.ndarray:
    """The kept rows, and of the others those that are consistent with them, by decreasing weight.

    A node of the kept rows' Aho tree that has just two children cannot be split otherwise: a row whose leaves part
    there, and that is not displayed, is refused at once.

    Examples
    --------
    >>> rows = np.array([[0, 1, 2], [0, 3, 1], [2, 3, 0]], np.int32)
    >>> completed(rows, np.ones(3), 4, np.array([True, False, False])).tolist()
    [True, True, False]
    """
    h = Hierarchy(split_down(rows[kept], k)[0], k)
    others = np.flatnonzero(~kept)
    a, b, c = (freeze(rows[others, i].copy()) for i in range(3))
    top = np.maximum(*(_kernels.rooted_tree.common_ancestors(x, c, *h.ancestor_table) for x in (a, b)))
    others = others[(h.n_children[top] > 2) | shown_by(h, freeze(rows[others]))]
    if others.size == 0:
        return kept
    builder, out = TripletBuilder(LeafIndex(k), TripletSet(rows[kept], k)), kept.copy()
    order = others[in_order(weight[others])]
    for batch in np.split(order, range(_BATCH, order.size, _BATCH)):
        out[batch] = builder.try_add_rows(freeze(rows[batch]))
    return out
