"""Methods of repair from the literature: minimum cuts, maximum cuts, the best pair first."""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.hierarchy import Hierarchy

__all__ = ["MaximumCut", "MinimumCut", "best_pair"]

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
        side, steps = _kernels.minimum_cut.minimum_cut(freeze(ends), freeze(total), int(at.max()) + 1)
        self._left -= int(steps) + k
        return side[at]


def _uncontradicted(rows: np.ndarray, k: int) -> np.ndarray:
    """The group of each leaf, when pairs ab of triplets ab|c that no other triplet parts are held together."""
    a, b, c = rows.T.astype(np.int64)
    together = np.minimum(a, b) * k + np.maximum(a, b)
    parted = np.concatenate([np.minimum(x, c) * k + np.maximum(x, c) for x in (a, b)])
    held = freeze(np.ascontiguousarray(rows[~np.isin(together, parted)]))
    return _kernels.bisection.components(held, k)[0].astype(np.int64)


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
