"""Published methods of repair, for comparison with `tripletree.repair`: best pair, maximum cut, minimum cut.

They end as `repair` does: what their hierarchy displays is kept, and of the rest what is consistent with it, by
decreasing weight.
"""

from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tripletree.algorithms.repair import Problem, Repair, SphereCut, completed, displayed_by, repair_with, split_all
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet

METHODS = ("best_pair", "max_cut", "min_cut")
MAX_STEPS = 1_000_000_000


def repair_by(
    method: str, triplets: TripletSet, *, random_state: Any = None, max_steps: int | None = MAX_STEPS
) -> Repair:
    """`tripletree.repair` by one of `METHODS`.

    "best_pair"
        From the leaves up (Wu 2004, Constructing the maximum consensus tree from rooted triples, Journal of
        Combinatorial Optimization 8(1), 29-39): merge the two clusters with the best share of weight won in that won
        or lost. At least a third of the weight (Byrka, Guillemot, Jansson 2010, New results on optimizing rooted
        triplets consistency, Discrete Applied Mathematics 158(11), 1136-1147).
    "max_cut"
        From the root down, by cuts with the best ratio of weight displayed to weight lost (Snir, Rao 2006, Using max
        cut to enhance rooted trees consistency, IEEE/ACM TCBB 3(4), 323-333).
    "min_cut"
        From the root down, by minimum cuts of the graph with an edge ab for each triplet ab|c (Semple, Steel 2000, A
        supertree method for rooted trees, Discrete Applied Mathematics 105, 147-158); pairs that no triplet separates
        are contracted first (Page 2002, Modified mincut supertrees, WABI, LNCS 2452, 537-551).
    """

    def keep(problem, options):
        if method == "best_pair":
            hierarchy = best_pair(problem)
        elif method == "max_cut":
            hierarchy = split_all(problem, MaximumCut(options.rng, options.max_steps))
        else:
            hierarchy = split_all(problem, MinimumCut(options.max_steps))
        return completed(problem, displayed_by(hierarchy, problem.rows)), method

    if method not in METHODS:
        msg = f"method is {method!r}; expected one of {', '.join(map(repr, METHODS))}"
        raise ValueError(msg)
    return repair_with(keep, triplets, random_state=random_state, max_steps=max_steps)


class MaximumCut:
    """A rule: `SphereCut` until the steps are used up."""

    def __init__(self, rng: np.random.Generator, max_steps: int) -> None:
        self._sphere, self._left = SphereCut(rng), max_steps

    def __call__(self, group: Problem) -> np.ndarray | None:
        if self._left < 0:
            return None
        self._left -= SphereCut.steps(group)
        return self._sphere.cut(group)


class MinimumCut:
    """A rule: one minimum cut (where Semple and Steel take all at once), after Page's contraction.

    Where the contraction leaves nothing to cut, the leaves themselves are cut.
    """

    def __init__(self, max_steps: int) -> None:
        self._left = max_steps

    def __call__(self, group: Problem) -> np.ndarray | None:
        if self._left < 0:
            return None
        rows, weight, k = group.rows, group.weight, group.k
        at = _uncontradicted(rows, k)
        if at.max() == 0:
            at = np.arange(k)
        ends = at[rows[:, :2]]
        apart = ends[:, 0] != ends[:, 1]
        key, place = np.unique(ends[apart].min(axis=1) * k + ends[apart].max(axis=1), return_inverse=True)
        ends = np.stack(np.divmod(key, k), axis=1).astype(np.int32)
        total = np.bincount(place, weights=weight[apart])
        graph = nx.Graph()
        graph.add_weighted_edges_from(zip(*ends.T.tolist(), total.tolist(), strict=True))
        _, (one, _) = nx.stoer_wagner(graph)
        self._left -= len(graph) * graph.number_of_edges() + k
        return np.isin(at, one).astype(np.int32)


def _uncontradicted(rows: np.ndarray, k: int) -> np.ndarray:
    """The group of each leaf, if pairs ab of triplets ab|c that no other triplet separates are contracted."""
    a, b, c = rows.T.astype(np.int64)
    together = np.minimum(a, b) * k + np.maximum(a, b)
    parted = np.concatenate([np.minimum(x, c) * k + np.maximum(x, c) for x in (a, b)])
    held = rows[~np.isin(together, parted), :2]
    return connected_components(coo_array((np.ones(len(held)), held.T), shape=(k, k)), directed=False)[1].astype(
        np.int64
    )


def best_pair(problem: Problem) -> Hierarchy:
    """Merge the two clusters with the best share of weight won in that won or lost, again and again.

    It displays at least a third of the weight: over all pairs of clusters the weights won add up to the weight of the
    triplets not settled yet, those lost to twice as much, so some pair wins a third of what it settles. Triplets are
    relabelled in the smaller of the two clusters: O(m log n) changes of pairs, each in a heap.
    """
    k = problem.k
    state = _Pairs(problem)
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

    def __init__(self, problem: Problem) -> None:
        weight = problem.weight
        self._rows: list[list[int]] = problem.rows.tolist()
        # sums that grow and shrink: what is light beside the rest would be lost in rounding
        wide = weight.size > 0 and weight.max() > _WIDE * weight.min()
        self._weight: list[Any] = [Fraction(x) for x in weight.tolist()] if wide else weight.tolist()
        self._of: list[list[int]] = [[] for _ in range(problem.k)]
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
