"""Groups of samples that cannot share a cluster: whether k clusters suffice for them, and the cheapest assignment."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import islice
from typing import NamedTuple

import numpy as np

from tripletree import kernels
from tripletree.kernels import freeze, frozen

__all__ = [
    "CannotGraph",
    "NotColourable",
    "assign_with_backtracking",
    "connected_parts",
]

#: Nodes that one call of a kernel scans, so that Ctrl-C works between calls; also the most that an improvement visits.
_SLICE = 20_000_000
#: Neighbours visited in the search for a clique that is too large.
_CLIQUE_WORK = 200_000_000
#: Smaller cliques are left to the search, which solves them at once.
_MATCHED = 4
#: In connected parts smaller than this, clusters are not renamed by matching.
_RENAMED = 16
#: Costs and neighbours visited in exchanges of two clusters, for one visited in the search.
_EXCHANGING = 10
#: What sums may differ by and still be the same, as a part of them.
_ROUNDING = 1e-12
#: Steps of the first attempt to find a feasible assignment; each next one has twice as many.
_FIRST_ATTEMPT = 2_000
#: Steps of the tabu search (which are shorter) for one of the backtracking.
_TABU = 10
#: Steps of backtracking in each connected part, and rounds of choosing in turn before it, where places are cheap.
_BACKTRACKING, _ROUNDS = 20_000, 50
#: Limits for explaining why there is no feasible assignment: cliques tried, nodes, steps for each.
_CLIQUES, _NODES, _STEPS = 100_000, 400, 5_000


class NotColourable(Exception):  # noqa: N818 (an answer inside this package, which the estimator turns into an error)
    """No assignment to k clusters was found.

    Attributes
    ----------
    groups : list of int
        Groups that cannot be assigned (all of a connected part, where it was given up).
    is_clique, proved : bool
        Whether all of them are kept apart from one another; whether there is no assignment, rather than none found.
    """

    def __init__(self, groups: list[int], *, is_clique: bool, proved: bool) -> None:
        super().__init__(groups)
        self.groups, self.is_clique, self.proved = groups, is_clique, proved


class _Part(NamedTuple):
    """Some nodes of a graph with the edges among them, connected parts one after the other."""

    nodes: np.ndarray
    start: np.ndarray
    near: np.ndarray
    blocks: np.ndarray

    @property
    def degree(self) -> np.ndarray:
        return np.diff(self.start)


class CannotGraph:
    """Cannot-links between groups.

    Parameters
    ----------
    cannot : ndarray of int32, shape (e, 2)
        Different pairs of groups.
    n_groups : int

    Attributes
    ----------
    bound : ndarray of int
        The groups that have a cannot-link, ascending; node i is ``bound[i]``.
    start, near : ndarray of int32
        Neighbours of node i: ``near[start[i]:start[i + 1]]``, ascending.
    """

    def __init__(self, cannot: np.ndarray, n_groups: int) -> None:
        self.bound = np.unique(cannot)
        place = np.zeros(n_groups, np.int64)
        place[self.bound] = np.arange(self.bound.size)
        ends = place[cannot]
        self.start, self.near = _adjacency(ends, self.bound.size)
        self._order, self._parent = (freeze(x) for x in kernels.feasibility.peel(self.start, self.near, 2))
        left = np.ones(self.bound.size, np.bool_)
        left[self._order] = False
        core = self._part(np.flatnonzero(left))
        size = np.repeat(np.diff(core.blocks), np.diff(core.blocks))
        matched = _least_of_each(core.degree - size, core.blocks) == -1
        matched &= np.diff(core.blocks) >= _MATCHED
        self._cliques = [core.nodes[core.blocks[i] : core.blocks[i + 1]] for i in np.flatnonzero(matched)]
        self._core = self._part(core.nodes[np.repeat(~matched, np.diff(core.blocks))]) if matched.any() else core
        self._priority = frozen(self._core.degree, np.float64)

    @property
    def degree(self) -> np.ndarray:
        """How many cannot-links each node has."""
        return np.diff(self.start)

    def assign(self, cost: np.ndarray, label: np.ndarray, limit: int = 1_000_000) -> tuple[np.ndarray, bool]:
        """An assignment no dearer than a feasible one.

        Parameters
        ----------
        cost : ndarray of float64, shape (m, k)
            Of each node in each cluster.
        label : ndarray of int32, shape (m,)
            Feasible.
        limit : int
            Costs and neighbours that are visited, at most, where the cheapest assignment must be searched for; ten
            times as many before that, in exchanges of clusters; 20 million in either.

        Returns
        -------
        label : ndarray of int32, shape (m,)
            Feasible.
        is_cheapest : bool
            Whether no assignment is cheaper: so it is unless connected parts with cycles were searched in vain.
        """
        folded, two = kernels.feasibility.fold(frozen(cost, np.float64), self._order, self._parent)
        core, out, is_cheapest = self._core, np.array(label, np.int32), True
        for nodes in self._cliques:
            out[nodes] = _match(folded[nodes], out[nodes])
        if core.nodes.size:
            costs, nobody = freeze(folded[core.nodes]), freeze(np.full(core.nodes.size, -1, np.int32))
            least = np.partition(costs, 1, axis=1)  # who has most to lose chooses first
            order = frozen(np.argsort(least[:, 0] - least[:, 1], kind="stable"))
            other, _ = kernels.feasibility.greedy(core.start, core.near, costs, order, nobody)
            known = out[core.nodes]
            for low, high in self._large_parts(cost.shape[1], limit):
                for some in (known[low:high], other[low:high]):
                    _rename_by_matching(costs[low:high], some)
            out[core.nodes], proved = kernels.feasibility.improve(
                *(core.start, core.near, costs, self._priority, core.blocks),
                *(freeze(known), freeze(other), min(_EXCHANGING * limit, _SLICE), min(limit, _SLICE)),
            )
            is_cheapest = proved == core.blocks.size - 1
        label = kernels.feasibility.unfold(freeze(out), self._order, self._parent, freeze(two))
        return label, is_cheapest

    def _large_parts(self, k: int, limit: int) -> list[list[int]]:
        """The first and the next after the last node of the largest parts that have cycles, k nodes at least."""
        ends = np.stack([self._core.blocks[:-1], self._core.blocks[1:]], axis=1)
        size = ends[:, 1] - ends[:, 0]
        order = np.argsort(-size, kind="stable")
        return ends[order[size[order] >= max(k, _RENAMED)][: max(1, limit // k**2)]].tolist()

    def greedy(self, cost: np.ndarray, order: np.ndarray) -> np.ndarray | None:
        """Each node in turn in its cheapest cluster that no neighbour has; None where a node finds none."""
        nobody = freeze(np.full(self.bound.size, -1, np.int32))
        label, failed = kernels.feasibility.greedy(
            self.start, self.near, frozen(cost, np.float64), frozen(order), nobody
        )
        return None if failed >= 0 else label

    def place(self, cost: np.ndarray) -> np.ndarray | None:
        """A feasible assignment that is cheap where that is easy; None where none is found.

        Nodes choose in turn, those with most to lose first; one that finds no place goes first in the next round. What
        that does not solve is searched for by backtracking, cheap clusters first, then by `colour`, whatever it costs.

        Parameters
        ----------
        cost : ndarray of float64, shape (m, k)
            Of each node in each cluster.

        Returns
        -------
        ndarray of int32, shape (m,), or None
        """
        k = cost.shape[1]
        if k == 1:
            return None
        costs, nobody = frozen(cost, np.float64), freeze(np.full(len(cost), -1, np.int32))
        order = np.argsort(-np.partition(cost, 1, axis=1)[:, 1], kind="stable").astype(np.int32)
        for _ in range(_ROUNDS):
            label, failed = kernels.feasibility.greedy(self.start, self.near, costs, frozen(order), nobody)
            if failed < 0:
                return label
            order = np.concatenate([order[order == failed], order[order != failed]])
        start, near = self.start.tolist(), self.near.tolist()
        beside = {u: near[start[u] : start[u + 1]] for u in range(len(cost))}
        out = np.empty(len(cost), np.int32)
        for part in connected_parts(beside):
            found = assign_with_backtracking(part, beside, cost, {})
            if found is None:
                try:
                    return self.colour(k, np.random.default_rng(0), 5 * _BACKTRACKING)
                except NotColourable:
                    return None
            out[list(found)] = list(found.values())
        return out

    def colour(self, k: int, rng: np.random.Generator, limit: int) -> np.ndarray:
        """A feasible assignment to k clusters.

        Nodes with fewer than k neighbours always find a place, once the others have theirs; what is left is searched
        for `limit` steps beyond one for each node in each connected part, by backtracking and by tabu search from a
        random assignment, in turn.

        Raises
        ------
        NotColourable
            If there is none, or none was found.
        """
        loops = kernels.feasibility
        order, _ = loops.peel(self.start, self.near, k)
        left = np.ones(self.bound.size, np.bool_)
        left[order] = False
        core = self._part(np.flatnonzero(left))
        label = np.full(self.bound.size, -1, np.int32)
        if core.nodes.size:
            clique = loops.large_clique(core.start, core.near, k + 1, _CLIQUE_WORK)
            if clique.size > k:
                raise self._failure(core.nodes[clique], is_clique=True)
            for low, high in zip(core.blocks[:-1], core.blocks[1:], strict=True):
                part = core if core.blocks.size == 2 else self._part(core.nodes[low:high])
                colours, over = _find_colours(part, k, rng, limit)
                if colours is None:
                    if not over:
                        raise self._failure(part.nodes, proved=False)
                    nodes, is_clique = self._reason(part, k)
                    raise self._failure(nodes, is_clique=is_clique)
                label[part.nodes] = colours
        nothing = freeze(np.zeros((self.bound.size, k)))
        label, _ = loops.greedy(self.start, self.near, nothing, frozen(order[::-1]), freeze(label))
        return label

    def _part(self, nodes: np.ndarray) -> _Part:
        """The graph on some nodes, connected parts together."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        m = self.bound.size
        place = np.full(m, -1)
        place[nodes] = np.arange(nodes.size)
        ends = place[np.stack([np.repeat(np.arange(m), np.diff(self.start)), self.near], axis=1)]
        ends = ends[(ends >= 0).all(axis=1) & (ends[:, 0] < ends[:, 1])]
        shape = (nodes.size, nodes.size)
        graph = coo_array((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), shape=shape)
        count, block = connected_components(graph, directed=False) if nodes.size else (0, np.empty(0, int))
        order = np.argsort(block, kind="stable")
        rank = np.empty(nodes.size, np.int64)
        rank[order] = np.arange(nodes.size)
        blocks = np.zeros(count + 1, np.int32)
        np.cumsum(np.bincount(block, minlength=count), out=blocks[1:])
        return _Part(nodes[order], *_adjacency(rank[ends], nodes.size), freeze(blocks))

    def _failure(self, nodes: np.ndarray, *, is_clique: bool = False, proved: bool = True) -> NotColourable:
        return NotColourable(np.sort(self.bound[nodes]).tolist(), is_clique=is_clique, proved=proved)

    def _reason(self, part: _Part, k: int) -> tuple[np.ndarray, bool]:
        """Of nodes that k clusters are too few for: a clique of k + 1, else some of which none can be left out."""
        import networkx as nx

        ends = np.repeat(np.arange(part.nodes.size), part.degree)
        graph = nx.Graph(zip(ends.tolist(), part.near.tolist(), strict=True))
        clique = next((x for x in islice(nx.find_cliques(graph), _CLIQUES) if len(x) > k), None)
        if clique is not None:
            return part.nodes[clique[: k + 1]], True
        rng, nodes = np.random.default_rng(0), part.nodes
        for v in part.nodes.tolist() if part.nodes.size <= _NODES else []:
            if v in nodes:
                rest = self._part(nodes[nodes != v])
                colours, over = _find_colours(rest, k, rng, _STEPS, restarts=False)
                if colours is None and over:
                    nodes = rest.nodes
        return nodes, False


def connected_parts(near: dict[int, list[int]]) -> list[list[int]]:
    """The connected parts of a graph, given by the neighbours of each node."""
    parts, seen = [], set()
    for root in near:
        if root in seen:
            continue
        seen.add(root)
        part = [root]
        for u in part:
            for v in near[u]:
                if v not in seen:
                    seen.add(v)
                    part.append(v)
        parts.append(part)
    return parts


def assign_with_backtracking(
    nodes: list[int], near: dict[int, list[int]], cost: np.ndarray, fixed: dict[int, int]
) -> dict[int, int] | None:
    """A cluster for each node, other than those of its neighbours and cheap ones first; None where none is found.

    The node with the fewest clusters left is next (Brélaz 1979), so dead ends show early.

    Parameters
    ----------
    nodes : list of int
        Those to assign.
    near : dict
        The neighbours of each node.
    cost : ndarray of float64, shape (m, k)
        Of each node in each cluster.
    fixed : dict
        Clusters of other nodes.

    Returns
    -------
    dict or None
        The cluster of each of `nodes`.
    """
    k = cost.shape[1]
    barred = {u: [0] * k for u in nodes}
    for u in nodes:
        for v in near[u]:
            if v in fixed:
                barred[u][fixed[v]] += 1
    ways = {u: np.argsort(cost[u], kind="stable").tolist() for u in nodes}
    chosen: dict[int, int] = {}
    heap = [(barred[u].count(0), -len(near[u]), u) for u in nodes]
    heapify(heap)
    stack: list[tuple[int, list[int]]] = []
    steps = 0

    def mark(u: int, by: int) -> None:
        for v in near[u]:
            if v in barred:
                barred[v][chosen[u]] += by
                if v not in chosen:
                    heappush(heap, (barred[v].count(0), -len(near[v]), v))

    while len(chosen) < len(nodes):
        choices, _, u = heappop(heap)
        if u in chosen or choices != barred[u].count(0):
            continue  # out of date
        stack.append((u, [c for c in reversed(ways[u]) if barred[u][c] == 0]))
        while stack and not stack[-1][1]:
            heappush(heap, (barred[stack[-1][0]].count(0), -len(near[stack[-1][0]]), stack[-1][0]))
            stack.pop()
            if stack:
                u = stack[-1][0]
                mark(u, -1)
                del chosen[u]
        steps += 1
        if not stack or steps > _BACKTRACKING + 2 * len(nodes):
            return None
        u = stack[-1][0]
        chosen[u] = stack[-1][1].pop()
        mark(u, 1)
    return chosen


def _adjacency(ends: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of nodes 0..n-1, ascending: where those of each node start, and all of them."""
    both = np.concatenate([ends, ends[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    start = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(both[:, 0], minlength=n), out=start[1:])
    return freeze(start), frozen(both[:, 1])


def _least_of_each(values: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """The least value of each connected part."""
    return np.minimum.reduceat(values, blocks[:-1]) if values.size else values


def _match(cost: np.ndarray, label: np.ndarray) -> np.ndarray:
    """The cheapest clusters of nodes that all need different ones; those they have where no others are cheaper."""
    from scipy.optimize import linear_sum_assignment

    rows, found = linear_sum_assignment(cost)
    before, after = cost[rows, label], cost[rows, found]
    return found if (before - after).sum() > _ROUNDING * (abs(before) + abs(after)).sum() else label


def _rename_by_matching(cost: np.ndarray, label: np.ndarray) -> None:
    """Keep together what has one cluster, but give all of them clusters as cheaply as can be, in place."""
    if label.min() < 0:
        return
    used, group = np.unique(label, return_inverse=True)
    total = np.zeros((used.size, cost.shape[1]))
    np.add.at(total, group, cost)
    label[:] = _match(total, used)[group]


def _find_colours(
    part: _Part, k: int, rng: np.random.Generator, limit: int, *, restarts: bool = True
) -> tuple[np.ndarray | None, bool]:
    """Clusters of connected nodes, None where none were found; and whether the search went to its end."""
    priority, spent = frozen(part.degree, np.float64), 0
    limit += part.nodes.size  # to reach the end once
    attempt = max(_FIRST_ATTEMPT, 2 * part.nodes.size) if restarts else limit
    while True:
        steps = min(attempt, limit - spent)
        colours, over = _backtrack(part, k, priority, steps)
        spent += steps
        if colours is None and not over and restarts and spent < limit:
            steps = min(_TABU * attempt, limit - spent)
            colours = _tabu_search(part, k, rng, steps)
            spent += steps
        if colours is not None or over or spent >= limit:
            return colours, over or colours is not None
        attempt *= 2
        priority = freeze(rng.random(part.nodes.size))


def _backtrack(part: _Part, k: int, priority: np.ndarray, limit: int) -> tuple[np.ndarray | None, bool]:
    """The search by branch and bound, where nothing costs anything: the first assignment is the best."""
    m = part.nodes.size
    cost = freeze(np.zeros((m, k)))
    state = kernels.feasibility.ready(cost)
    best, over, done = np.inf, False, 0
    while not over and best == np.inf and done < limit:
        steps = min(limit - done, max(1, _SLICE // max(m, 1)))
        best, over = kernels.feasibility.search(part.start, part.near, cost, priority, 0, m, True, steps, best, *state)
        done += steps
    return (state[0][_BEST].copy() if best < np.inf else None), over


def _tabu_search(part: _Part, k: int, rng: np.random.Generator, limit: int) -> np.ndarray | None:
    """Tabu search from a random assignment."""
    label, done = rng.integers(0, k, part.nodes.size).astype(np.int32), 0
    state = kernels.feasibility.begin_mending(part.start, part.near, frozen(label), k, int(rng.integers(2**31)))
    while done < limit:
        steps = min(limit - done, max(1, _SLICE // (10 * part.nodes.size)))
        if kernels.feasibility.mend(part.start, part.near, label, *state, steps) == 0:
            return label
        done += steps
    return None


_BEST = 3  # the row of the state that holds the best assignment: see the kernel
