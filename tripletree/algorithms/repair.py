"""Noisy TripletSet -> a consistent part of it that weighs as much as can be found, and its hierarchy."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, Literal

import numpy as np

from tripletree import kernels
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.dynamic import TripletBuilder
from tripletree.core.checks import check_choice, check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import LimitExceededError
from tripletree.kernels import freeze

__all__ = [
    "MOST_EXACT",
    "MaximumCut",
    "MinimumCut",
    "Repair",
    "Rule",
    "Search",
    "Tick",
    "best_pair",
    "completed",
    "exact_rule",
    "exact_split",
    "greedy",
    "in_order",
    "ladder",
    "repair",
    "shown_by",
    "split_all",
]


# ----------------------------------------------------------------------
# Hierarchies from the root down: leaves split by their triplets, and by a rule where these tie them together.

#: Leaves beyond which a group is not split exactly: 3**15 splits are looked at.
MOST_EXACT = 15
#: Leaves up to which plain Python will do for that.
_FEW = 7

#: Triplets inside a group of leaves 0..k-1, their weights, and k -> the side of each leaf, 0 or 1, both occurring; None
#: to have them split off one by one.
Rule = Callable[[np.ndarray, np.ndarray, int], "np.ndarray | None"]
#: Told how many leaves have found their place.
Tick = Callable[[int], object]


def split_all(rows: np.ndarray, weight: np.ndarray, k: int, rule: Rule, tick: Tick | None = None) -> Hierarchy:
    """Make a binary hierarchy from the root down.

    Leaves are split into the components of the graph with an edge ab for each triplet ab|c among them: no triplet
    is lost by that. What is connected is split by the rule.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3), read-only
    weight : ndarray of float64, shape (m,), read-only
    k : int
        Number of leaves, at least 2.
    rule : callable
    tick : callable, optional

    Returns
    -------
    Hierarchy
        Over the leaves 0..k-1.

    Examples
    --------
    >>> rows, weight = np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0])
    >>> split_all(rows, weight, 3, exact_split).parent.tolist()
    [3, 3, 4, 4, -1]
    """
    up = np.full(2 * k - 1, -1, np.int32)
    number = np.empty(k, np.int32)
    fresh = iter(range(k, 2 * k - 1))
    groups = deque([(np.arange(k, dtype=np.int32), np.arange(len(rows)), next(fresh))])
    while groups:
        leaves, inside, v = groups.popleft()
        number[leaves] = np.arange(leaves.size, dtype=np.int32)
        own, w = freeze(number[rows[inside]]), freeze(weight[inside])
        label = _first_split(own, w, leaves.size, rule)
        if label is None:
            _hang_ladder(leaves[kernels.repair.peel(own, w, leaves.size)], v, fresh, up)
            size = leaves.size
        else:
            ends = label[own]
            at = np.where((ends[:, 0] == ends[:, 1]) & (ends[:, 0] == ends[:, 2]), ends[:, 0], -1)
            parts = _parts(leaves, label, inside, at)
            items = [int(x[0]) if x.size == 1 else next(fresh) for x, _ in parts]
            _hang_balanced(items, v, fresh, up)
            groups.extend((*part, u) for part, u in zip(parts, items, strict=True) if part[0].size > 1)
            size = sum(part[0].size == 1 for part in parts)
        if tick is not None:
            tick(size)
    return Hierarchy(up, k)


def _first_split(own: np.ndarray, w: np.ndarray, k: int, rule: Rule) -> np.ndarray | None:
    """A part for each leaf, at least two parts; None where the leaves are to be split off one by one."""
    if len(own) == 0:
        return np.arange(k)
    label, parts = kernels.repair.components(own, k)
    return label if parts > 1 else rule(own, w, k)


def _parts(
    leaves: np.ndarray, label: np.ndarray, inside: np.ndarray, at: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The leaves of each part, with the triplets that lie inside it (`at` says in which, -1 for none)."""
    size = np.bincount(label)
    grouped = np.split(leaves[np.argsort(label, kind="stable")], np.cumsum(size)[:-1])
    count = np.bincount(at + 1, minlength=size.size + 1)
    rest = np.split(inside[np.argsort(at, kind="stable")], np.cumsum(count)[:-1])[1:]
    return list(zip(grouped, rest, strict=True))


def _hang_balanced(items: list[int], v: int, fresh: Iterator[int], up: np.ndarray) -> None:
    """Hang nodes below v, two and two first where there are more than two."""
    waiting = deque(items)
    while len(waiting) > 2:
        u = next(fresh)
        up[waiting.popleft()] = up[waiting.popleft()] = u
        waiting.append(u)
    for u in waiting:
        up[u] = v


def _hang_ladder(order: np.ndarray, v: int, fresh: Iterator[int], up: np.ndarray) -> None:
    """Hang leaves below v, each beside all that come after it."""
    for x in order[:-2].tolist():
        u = next(fresh)
        up[x], up[u] = v, v
        v = u
    up[order[-2:]] = v


def ladder(rows: np.ndarray, weight: np.ndarray, k: int) -> Hierarchy:
    """Make the hierarchy that splits the leaves off one by one: it displays at least a third of the weight.

    Examples
    --------
    >>> ladder(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0]), 3).parent.tolist()
    [3, 3, 4, 4, -1]
    """
    up = np.full(2 * k - 1, -1, np.int32)
    _hang_ladder(kernels.repair.peel(rows, weight, k), k, iter(range(k + 1, 2 * k - 1)), up)
    return Hierarchy(up, k)


def shown_by(hierarchy: Hierarchy, rows: np.ndarray) -> np.ndarray:
    """Tell for each row whether the hierarchy, over the same leaf numbers, displays it.

    Examples
    --------
    >>> shown_by(Hierarchy([3, 3, 4, 4, -1]), np.array([[0, 1, 2], [1, 2, 0]], np.int32)).tolist()
    [True, False]
    """
    return kernels.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table) == 2


def exact_split(rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """The first split of a hierarchy that displays the greatest weight; a `Rule` for a few leaves.

    Examples
    --------
    >>> exact_split(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0]), 3).tolist()
    [1, 1, 0]
    """
    loops = kernels.fast("repair") if k > _FEW else kernels.repair
    return loops.best_split(rows, weight, k)


def exact_rule(rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """`exact_split`, refused for more than `MOST_EXACT` leaves.

    Raises
    ------
    LimitExceededError
    """
    if k > MOST_EXACT:
        msg = (
            f"the triplets tie {k:,} leaves together, more than the {MOST_EXACT} up to which repair(method='exact') "
            "goes (its time triples with each leaf); take method='auto', which is exact where groups are small"
        )
        raise LimitExceededError(msg, size=k, limit=MOST_EXACT)
    return exact_split(rows, weight, k)


# ----------------------------------------------------------------------
# Methods of repair from the literature: minimum cuts, maximum cuts, the best pair first.

#: Dimensions of the sphere, rounds of better and better ratios, steps of a round, random planes that cut it.
_DIMENSIONS, _ROUNDS, _ITERATIONS, _PLANES = 4, 3, 20, 20
#: What a loss may cost at most against a triplet displayed, and what is added to losses, as a share of all weight.
_HIGHEST_PRICE, _ALMOST_NOTHING = 100.0, 1e-9


class MinimumCut:
    """A `Rule`: a minimum cut of the graph with an edge ab for each triplet ab|c, see `repair`.

    Pairs that no triplet parts are contracted first, unless that leaves nothing to cut [1]_. One minimum cut is taken,
    where Semple and Steel take all at once.

    References
    ----------
    .. [1] Page (2002), Modified mincut supertrees, Algorithms in Bioinformatics (WABI), LNCS 2452, 537-551.

    Examples
    --------
    >>> rows = np.array([[0, 1, 2], [1, 2, 0]], np.int32)
    >>> MinimumCut(10**6)(rows, np.array([2.0, 1.0]), 3).tolist()
    [0, 0, 1]
    """

    def __init__(self, max_work: int) -> None:
        self._left = max_work

    def __call__(self, rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray | None:
        if self._left < 0:
            return None
        at = _uncontradicted(rows, k)
        if at.max() == 0:
            at = np.arange(k)
        ends = at[rows[:, :2]]
        apart = ends[:, 0] != ends[:, 1]
        key, place = np.unique(ends[apart].min(axis=1) * k + ends[apart].max(axis=1), return_inverse=True)
        ends = np.stack(np.divmod(key, k), axis=1).astype(np.int32)
        total = np.bincount(place, weights=weight[apart])
        side, steps = kernels.minimum_cut.minimum_cut(freeze(ends), freeze(total), int(at.max()) + 1)
        self._left -= int(steps) + k
        return side[at]


def _uncontradicted(rows: np.ndarray, k: int) -> np.ndarray:
    """The group of each leaf, when pairs ab of triplets ab|c that no other triplet parts are held together."""
    a, b, c = rows.T.astype(np.int64)
    together = np.minimum(a, b) * k + np.maximum(a, b)
    parted = np.concatenate([np.minimum(x, c) * k + np.maximum(x, c) for x in (a, b)])
    held = freeze(np.ascontiguousarray(rows[~np.isin(together, parted)]))
    return kernels.repair.components(held, k)[0].astype(np.int64)


class MaximumCut:
    """A `Rule`: the cut with the best ratio of what is displayed to what is lost, sought on a sphere [1]_.

    Leaves are points on a sphere, pulled to those that they should be with and pushed from the others; random planes
    through the centre cut it, and the best ratio found sets the price of a loss for the next round.

    References
    ----------
    .. [1] Snir, Rao (2006), Using max cut to enhance rooted trees consistency, IEEE/ACM Transactions on Computational
       Biology and Bioinformatics 3(4), 323-333.

    Examples
    --------
    >>> rows = np.array([[0, 1, 2], [1, 2, 0]], np.int32)
    >>> side = MaximumCut(np.random.default_rng(0), 10**6)(rows, np.array([2.0, 1.0]), 3)
    >>> int(side[0]) == int(side[1]) != int(side[2])
    True
    """

    def __init__(self, rng: np.random.Generator, max_work: int) -> None:
        self._rng, self._left = rng, max_work

    def __call__(self, rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray | None:
        if self._left < 0:
            return None
        self._left -= self.steps(len(rows), k)
        return self.cut(rows, weight, k)

    @staticmethod
    def steps(m: int, k: int) -> int:
        """What a cut of k leaves with m triplets costs."""
        return _ROUNDS * (_ITERATIONS * _DIMENSIONS * (6 * m + k) + _PLANES * 4 * m)

    def cut(self, rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
        """The side of each leaf, 0 or 1 (int32)."""
        best, best_side, price = -1.0, np.zeros(k, np.int32), 1.0
        for _ in range(_ROUNDS):
            point = self._spread(rows, weight, k, price)
            sides = (point @ self._rng.standard_normal((_DIMENSIONS, _PLANES)) > 0).astype(np.int32)
            ones = sides.sum(axis=0)
            sides = sides[:, (ones > 0) & (ones < k)]
            if sides.shape[1]:
                ratio = _ratios(sides, rows, weight)
                j = int(ratio.argmax())
                if ratio[j] > best:
                    best, best_side = float(ratio[j]), sides[:, j]
                price = min(max(best, 1.0), _HIGHEST_PRICE)
        if best < 0.0:
            best_side[rows[int(weight.argmax()), 2]] = 1
        return best_side

    def _spread(self, rows: np.ndarray, weight: np.ndarray, k: int, price: float) -> np.ndarray:
        """Points on the sphere: far from those to be parted from, near those to stay with."""
        pull = _pulls(rows, weight, k, price)
        own = abs(pull).sum(axis=1).reshape(-1, 1)  # so much inertia that each step is an improvement
        point = self._rng.standard_normal((k, _DIMENSIONS))
        for _ in range(_ITERATIONS):
            point = pull @ point + 0.5 * own * point
            point /= np.maximum(np.sqrt((point * point).sum(axis=1, keepdims=True)), 1e-300)
        return point


def _pulls(rows: np.ndarray, weight: np.ndarray, k: int, price: float, most_dense: int = 100) -> Any:
    """The matrix of forces between leaves: `price` for pairs ab, -1/2 for ac and bc; dense where that is small."""
    from scipy.sparse import coo_array

    a, b, c = rows.T
    x, y = np.concatenate([a, a, b]), np.concatenate([b, c, c])
    force = np.concatenate([(0.5 + price) * weight, -0.5 * weight, -0.5 * weight])
    where = np.concatenate([x, y]), np.concatenate([y, x])
    matrix = coo_array((np.concatenate([force, force]), where), shape=(k, k))
    return matrix.toarray() if k <= most_dense else matrix.tocsr()


def _ratios(sides: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weight displayed over weight lost, for each column of sides; of those that lose nothing, by what they display."""
    a, b, c = (sides[rows[:, i]] for i in range(3))
    shown, lost = weight @ ((a == b) & (a != c)), weight @ (a != b)
    return shown / (lost + _ALMOST_NOTHING * weight.sum())


def best_pair(rows: np.ndarray, weight: np.ndarray, k: int) -> Hierarchy:
    """Merge two clusters at a time: those with the best share of weight won in that won or lost by merging them.

    Parameters
    ----------
    rows, weight, k : ndarray, ndarray, int

    Returns
    -------
    Hierarchy
        It displays at least a third of the weight: over all pairs of clusters the weights won add up to the weight of
        the triplets not yet settled, those lost to twice as much, so some pair wins a third of what it settles.

    Notes
    -----
    Triplets are relabelled in the smaller of the two clusters: O(m log n) changes of pairs, each in a heap.

    Examples
    --------
    >>> best_pair(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0]), 3).parent.tolist()
    [3, 3, 4, 4, -1]
    """
    state = _Pairs(rows, weight, k)
    up, node = [-1] * k, list(range(k))
    for i, j in iter(state.next_merge, None):
        up.append(-1)
        up[node[i]] = up[node[j]] = node[i] = len(up) - 1
    top = [u for u, above in enumerate(up) if above < 0]
    if len(top) > 1:
        up.append(-1)
        for u in top:
            up[u] = len(up) - 1
    return Hierarchy(up, k)


#: Weights of which the greatest is more than so many times the least are added up as fractions.
_WIDE = 2.0**20


class _Pairs:
    """Clusters, the triplets between three different ones, and for each pair what merging it wins and loses."""

    def __init__(self, rows: np.ndarray, weight: np.ndarray, k: int) -> None:
        self._rows: list[list[int]] = rows.tolist()
        # sums that grow and shrink: what is light beside the rest would be lost in rounding
        wide = weight.size > 0 and weight.max() > _WIDE * weight.min()
        self._weight: list[Any] = [Fraction(x) for x in weight.tolist()] if wide else weight.tolist()
        self._of: list[list[int]] = [[] for _ in range(k)]
        #: of a pair: weight won, weight lost, triplets won, triplets lost
        self._pair: dict[tuple[int, int], list] = {}
        for t, row in enumerate(self._rows):
            for x in row:
                self._of[x].append(t)
            self._count(t, 1)
        self._heap = [self._entry(pair) for pair, found in self._pair.items() if found[2]]
        heapify(self._heap)

    def _count(self, t: int, sign: int) -> list[tuple[int, int]]:
        """Add a triplet to the sums of its three pairs, or take it out; these pairs."""
        a, b, c = self._rows[t]
        pairs = [(a, b) if a < b else (b, a), (a, c) if a < c else (c, a), (b, c) if b < c else (c, b)]
        for at, pair in enumerate(pairs):
            found = self._pair.setdefault(pair, [0, 0, 0, 0])
            lost = at > 0
            found[lost] += sign * self._weight[t]
            found[2 + lost] += sign
            if found[2 + lost] == 0:
                found[lost] = 0  # no rounding is left behind
                if found[2] == found[3] == 0:
                    del self._pair[pair]
        return pairs

    def _entry(self, pair: tuple[int, int]) -> tuple:
        won, lost = self._pair[pair][:2]
        return -won / (won + lost), -won, pair

    def next_merge(self) -> tuple[int, int] | None:
        """Merge the best pair; the cluster that it is now and the one that is no more, None when all is settled."""
        while self._heap:
            entry = heappop(self._heap)
            if entry[2] in self._pair and self._pair[entry[2]][2] and entry == self._entry(entry[2]):
                return self._merge(*entry[2])
        return None

    def _merge(self, i: int, j: int) -> tuple[int, int]:
        if len(self._of[i]) < len(self._of[j]):
            i, j = j, i
        changed: dict[tuple[int, int], None] = {}
        moved, self._of[j] = self._of[j], []
        for t in moved:
            row = self._rows[t]
            if j not in row:
                continue  # settled
            changed.update(dict.fromkeys(self._count(t, -1)))
            row[row.index(j)] = i
            if len(set(row)) < 3:
                self._rows[t] = []
            else:
                changed.update(dict.fromkeys(self._count(t, 1)))
                self._of[i].append(t)
        for pair in changed:
            if pair in self._pair and self._pair[pair][2]:
                heappush(self._heap, self._entry(pair))
        return i, j


# ----------------------------------------------------------------------
# Splitting by a cut that few triplets lose by, then prune and regraft; and taking triplets one by one, greedily.

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
        side, taken = kernels.repair.bisect(rows, weight, k, _PENALTY, freeze(starts), passes)
        self.steps += int(taken)
        return side

    def _regrafted(self, hierarchy: Hierarchy) -> Hierarchy:
        """The hierarchy after moves of subtrees until none gains, or the budget is spent."""
        n, parent = hierarchy.n_leaves, hierarchy.parent
        up, rows = parent.copy(), self._rows
        child = np.full((parent.size, 2), -1, np.int32)
        child[n:] = kernels.rooted_tree.child_lists(parent)[1].reshape(-1, 2)
        meet, slot = self._meetings(hierarchy, child)
        flat = rows.ravel()
        of = freeze(np.argsort(flat, kind="stable"))
        first = freeze(np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=n))]))
        for _ in range(_SWEEPS):
            order, at, moved = freeze(self._rng.permutation(parent.size).astype(np.int32)), 0, 0
            while at < order.size and self.steps < self._max_work:
                most = min(_SLICE, self._max_work - self.steps)
                done, _, taken, moves = kernels.repair.regraft(
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
            meet[:, column] = kernels.rooted_tree.common_ancestors(x, y, position, table)
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
    h = Hierarchy(build_aho_tree(rows[kept], k).parent, k)
    others = np.flatnonzero(~kept)
    a, b, c = (freeze(rows[others, i].copy()) for i in range(3))
    top = np.maximum(*(kernels.rooted_tree.common_ancestors(x, c, *h.ancestor_table) for x in (a, b)))
    others = others[(h.n_children[top] > 2) | shown_by(h, freeze(rows[others]))]
    if others.size == 0:
        return kept
    builder, out = TripletBuilder(LeafIndex(k), TripletSet(rows[kept], k)), kept.copy()
    order = others[in_order(weight[others])]
    for batch in np.split(order, range(_BATCH, order.size, _BATCH)):
        out[batch] = builder.try_add_rows(freeze(rows[batch]))
    return out


#: Steps of a search unless told otherwise: a minute or less.
DEFAULT_WORK = 1_000_000_000
#: Leaves that triplets tie together: up to so many "auto" is exact, and so are splits in "search".
_EXACT_IN_AUTO, _EXACT_IN_SEARCH = 12, 8
_WITHOUT_LIMIT = 2**62
#: Triplets up to which "auto" compares with "greedy": some ten seconds.
_MOST_FOR_GREEDY = 300_000
#: Weights count as at least this share of the greatest one.
_LIGHTEST = 1e-100


@dataclass(frozen=True, repr=False)
class Repair:
    """What `repair` did: which triplets it kept and dropped, and the hierarchy of those kept.

    Attributes
    ----------
    kept, dropped : TripletSet
        Disjoint, together the triplets given, over the same leaves and with the same weights. `kept` is consistent,
        and inconsistent with each one of `dropped`.
    hierarchy : Hierarchy
        ``one_tree(kept)``.
    method : str
        The method whose answer it is; "none" where nothing had to be dropped.

    Examples
    --------
    >>> repair(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d")]))
    <Repair: 2 of 3 triplets kept, by exact>
    """

    kept: TripletSet
    dropped: TripletSet
    hierarchy: Hierarchy
    method: str

    @property
    def weight_kept(self) -> float:
        """Weight of the triplets kept; their number where there are no weights."""
        return _total(self.kept)

    @property
    def weight_lost(self) -> float:
        """Weight of the triplets dropped; their number where there are no weights."""
        return _total(self.dropped)

    @property
    def weight(self) -> float:
        """Weight of all triplets given."""
        return self.weight_kept + self.weight_lost

    def __repr__(self) -> str:
        m = len(self.kept) + len(self.dropped)
        weighed = "" if self.kept.weights is None else f", weight {self.weight_kept:.6g} of {self.weight:.6g}"
        return f"<Repair: {len(self.kept):,} of {m:,} triplets kept{weighed}, by {self.method}>"


def _total(triplets: TripletSet) -> float:
    return float(len(triplets)) if triplets.weights is None else float(triplets.weights.sum())


@dataclass(frozen=True)
class _Problem:
    """The triplets over the leaves that occur, numbered 0..k-1, and how to go about it."""

    rows: np.ndarray
    weight: np.ndarray
    k: int
    rng: np.random.Generator
    max_work: int
    tick: Tick | None

    def weight_of(self, kept: np.ndarray) -> float:
        return float(self.weight[kept].sum())

    def completed(self, hierarchy: Hierarchy) -> np.ndarray:
        """What the hierarchy displays, and what is consistent with it."""
        return completed(self.rows, self.weight, self.k, shown_by(hierarchy, self.rows))


def repair(
    triplets: TripletSet,
    *,
    method: Literal["auto", "exact", "search", "greedy", "best_pair", "max_cut", "min_cut"] = "auto",
    random_state: Any = None,
    max_work: int | None = DEFAULT_WORK,
    verbose: bool = False,
) -> Repair:
    """Drop triplets until the rest is consistent, as little weight as can be managed.

    Finding the most that can be kept is NP-hard; "auto" comes close on every set tried, and is exact where
    contradictions tie few leaves together.

    Parameters
    ----------
    triplets : TripletSet
        With weights, or each of weight 1.
    method : str
        "auto"
            "exact" where no more than 12 leaves are tied together, "search" otherwise, and "greedy" where that keeps
            more. Never worse than a third of the weight, nor than "greedy", which is not tried on over 300,000
            triplets.
        "exact"
            The most that can be kept, by dynamic programming over subsets of leaves: up to 15 leaves tied together.
        "search"
            From the root down, groups of leaves are split so that what is displayed, less 1.5 times what is lost,
            weighs most; then subtrees are pruned and hung elsewhere until none gains. At least a third of the weight.
        "greedy"
            Triplets by decreasing weight, equal ones in the order of rows, each taken that is consistent with those
            before.
        "best_pair"
            From the leaves up [1]_: the two clusters are merged for which the weight of the triplets ab|c won is the
            greatest share of that won or lost. At least a third of the weight [2]_.
        "max_cut"
            From the root down, by cuts with the best ratio of what is displayed to what is lost [3]_.
        "min_cut"
            From the root down, where triplets tie leaves together by a minimum cut of the pairs ab [4]_, pairs that no
            triplet contradicts kept together [5]_. Like "greedy", a baseline: both keep little of a noisy set.
    random_state : None, int, Generator or RandomState
        For the random starts of "auto", "search" and "max_cut"; None for the same ones at each call.
    max_work : int or None
        Steps, some 5 to 50 nanoseconds each, after which "auto", "search", "max_cut" and "min_cut" look no further:
        groups of leaves not split yet are taken apart leaf by leaf. The answer does not depend on the speed of the
        machine. "greedy" is not counted, neither alone nor as what "auto" compares with. None for no limit.
    verbose : bool
        Count in the terminal or notebook the leaves that have found a place, and the subtrees tried in others.

    Returns
    -------
    Repair
        ``.kept``, ``.dropped``, ``.hierarchy``, ``.weight_lost``, ... No dropped triplet is consistent with those
        kept. A consistent set is kept whole, whatever the method.

    Raises
    ------
    ValueError
        If there is no such method.
    LimitExceededError
        If "exact" is asked for and triplets tie more than 15 leaves together.

    See Also
    --------
    is_consistent : whether there is anything to do.
    find_conflict : triplets that cannot hold together, to decide by hand.

    Notes
    -----
    Leaves that the triplets do not tie together are split without loss, as `one_tree` does; the methods work on the
    groups that remain. A split of such a group in two is a cut in a graph with positive and negative weights; it is
    sought from 4 random starts by passes of Fiduccia and Mattheyses, O((n + m) log n) each. Regrafting takes, for each
    subtree tried, time in proportion to the triplets of its leaves and the nodes above where these meet others: some
    O(m d) for all subtrees of a hierarchy of depth d. Leaves split off one by one, each time the best, displays a third
    of the weight at least [6]_, in time O((n + m) log n): it is the fallback. What the hierarchy found displays is
    kept, and of the rest what is consistent with it, by decreasing weight. "exact" takes O(3**g g) for each group of g
    leaves, "best_pair" O(m log**2 m).

    References
    ----------
    .. [1] Wu (2004), Constructing the maximum consensus tree from rooted triples, Journal of Combinatorial
       Optimization 8(1), 29-39.
    .. [2] Byrka, Guillemot, Jansson (2010), New results on optimizing rooted triplets consistency, Discrete Applied
       Mathematics 158(11), 1136-1147.
    .. [3] Snir, Rao (2006), Using max cut to enhance rooted trees consistency, IEEE/ACM Transactions on Computational
       Biology and Bioinformatics 3(4), 323-333.
    .. [4] Semple, Steel (2000), A supertree method for rooted trees, Discrete Applied Mathematics 105, 147-158.
    .. [5] Page (2002), Modified mincut supertrees, Algorithms in Bioinformatics (WABI), LNCS 2452, 537-551.
    .. [6] Gasieniec, Jansson, Lingas, Ostlin (1999), On the complexity of constructing evolutionary trees, Journal of
       Combinatorial Optimization 3, 183-197.

    Examples
    --------
    >>> rows = [("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d"), ("c", "d", "a")]
    >>> found = repair(TripletSet.from_labels(rows, weights=[3, 1, 1, 1]))
    >>> found
    <Repair: 3 of 4 triplets kept, weight 5 of 6, by exact>
    >>> list(found.dropped)
    [('b', 'c', 'a')]
    >>> found.hierarchy == Hierarchy.from_nested([("a", "b"), ("c", "d")])
    True
    """
    check_choice(method, "method", ("auto", *_METHODS))
    most = _WITHOUT_LIMIT if max_work is None else check_count(max_work, "max_work")
    rng = generator(0 if random_state is None else random_state)
    if len(check_triplets(triplets)) == 0 or build_aho_tree(triplets.rows, len(triplets.leaves)).failed.size == 0:
        kept, name = np.ones(len(triplets), np.bool_), "none"
    else:
        used = triplets.used_leaves
        number = np.empty(len(triplets.leaves), np.int32)
        number[used] = np.arange(used.size, dtype=np.int32)
        weight = np.ones(len(triplets))
        if triplets.weights is not None:  # between 0 and 1, so that no sum overflows, and no weight becomes 0
            weight = np.maximum(triplets.weights / triplets.weights.max(), _LIGHTEST)
        with _progress(verbose) as tick:
            problem = _Problem(freeze(number[triplets.rows]), freeze(weight), used.size, rng, most, tick)
            kept, name = _auto(problem) if method == "auto" else (_METHODS[method](problem), method)
    chosen = triplets.subset(kept)
    return Repair(chosen, triplets.subset(~kept), one_tree(chosen), name)


def _auto(problem: _Problem) -> tuple[np.ndarray, str]:
    """What "auto" keeps, and the method that found it."""
    search = _searched(problem, _EXACT_IN_AUTO)
    kept = problem.completed(search.hierarchy)
    if search.optimal:
        return kept, "exact"
    if len(problem.rows) > _MOST_FOR_GREEDY:
        return kept, "search"
    weight = problem.weight_of(kept)
    # greedy gives up as soon as it has lost more than this has
    other = greedy(problem.rows, problem.weight, problem.k, problem.weight_of(~kept))
    if other is not None and problem.weight_of(other) > weight:
        return other, "greedy"
    return kept, "search"


def _searched(problem: _Problem, most_exact: int) -> Search:
    return Search(
        problem.rows,
        problem.weight,
        problem.k,
        problem.rng,
        most_exact=most_exact,
        max_work=problem.max_work,
        tick=problem.tick,
    )


def _greedy(problem: _Problem) -> np.ndarray:
    kept = greedy(problem.rows, problem.weight, problem.k)
    assert kept is not None
    return kept


def _exact(problem: _Problem) -> np.ndarray:
    return problem.completed(split_all(problem.rows, problem.weight, problem.k, exact_rule, problem.tick))


def _search(problem: _Problem) -> np.ndarray:
    return problem.completed(_searched(problem, _EXACT_IN_SEARCH).hierarchy)


_METHODS: dict[str, Callable[[_Problem], np.ndarray]] = {
    "exact": _exact,
    "search": _search,
    "greedy": _greedy,
    "best_pair": lambda p: p.completed(best_pair(p.rows, p.weight, p.k)),
    "max_cut": lambda p: p.completed(split_all(p.rows, p.weight, p.k, MaximumCut(p.rng, p.max_work), p.tick)),
    "min_cut": lambda p: p.completed(split_all(p.rows, p.weight, p.k, MinimumCut(p.max_work), p.tick)),
}


@contextmanager
def _progress(verbose: bool) -> Iterator[Tick | None]:
    """A function that moves a bar in the terminal or notebook, None where none is wanted; no bar outlives an error."""
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(desc="repair", unit=" places") as bar:  # how many it will be nobody knows
        try:
            yield bar.update
        except BaseException:
            bar.leave = False
            raise
