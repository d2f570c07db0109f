"""Groups of samples that cannot share a cluster: whether k clusters are enough for them, and the cheapest assignment.

All estimators that keep cannot-links ask here. A group (samples that must-links tie together) is a node of a graph, a
cannot-link an edge. The question if k clusters are enough is graph colouring, which is NP-complete:
`CannotGraph.colour` decides it within a limit of steps, and names the groups that need more. `CannotGraph.find_clique`
is the quick way to show that clusters are too few. `CannotGraph.assign` makes an assignment as cheap as can be,
`CannotGraph.complete` and `CannotGraph.place` make a first one. The loops are in ``_core/feasibility.hpp``.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.core.pair_closure import PairClosure
from tripletree.errors import SHOWN, InfeasibleClusteringError

_loops = engine.feasibility

#: Advice about merges that end at too many clusters, besides asking for more.
ADVICE = "on_infeasible='more' to take more clusters, or 'violate' to break cannot-links"

#: Costs and neighbours that an improvement visits, and nodes that one call of a search scans, at most.
_SLICE = 20_000_000
#: Neighbours visited in the search for a clique that is too large.
_CLIQUE_WORK = 200_000_000
#: Smaller cliques are left to the search, which solves them at once.
_MATCHED = 4
#: In connected parts smaller than this, clusters are not renamed by matching.
_RENAMED = 16
#: Costs and neighbours visited in exchanges of two clusters, for one visited in the search.
_EXCHANGING = 10
#: The largest difference of equal sums, as a part of them.
_ROUNDING = 1e-12
#: Steps of the first attempt to find a feasible assignment. Each next one has twice as many.
_FIRST_ATTEMPT = 2_000
#: Steps of the tabu search (which are shorter) for one of the backtracking.
_TABU = 10
#: Steps of backtracking in each connected part, and rounds of choosing in turn before it, where places are cheap.
_BACKTRACKING, _ROUNDS = 20_000, 50
#: Limits for explaining why there is no feasible assignment: cliques tried, nodes, steps for each.
_CLIQUES, _NODES, _STEPS = 100_000, 400, 5_000


# ---------------------------------------------------------------------- the answer that there is no assignment


class NotColourable(Exception):  # noqa: N818 (an answer inside this package, which the estimator turns into an error)
    """No assignment to k clusters was found.

    Attributes
    ----------
    groups : list of int
        Groups that cannot be assigned (all of a connected part, where it was given up).
    is_clique, proved : bool
        True if all of them are kept apart from one another, and if it is proved that there is no assignment.
    """

    def __init__(self, groups: list[int], *, is_clique: bool, proved: bool) -> None:
        super().__init__(groups)
        self.groups, self.is_clique, self.proved = groups, is_clique, proved


def find_representatives(groups: list[int], closure: PairClosure) -> tuple[list, str]:
    """Return the labels of the first samples of some groups, and the labels as a message shows them."""
    first = closure.order[np.concatenate([[0], np.cumsum(closure.sizes)[:-1]])]
    labels = [closure.leaves[int(i)] for i in first[groups]]
    return labels, ", ".join(map(str, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")


def too_few_clusters(
    msg: str, k: int, reason: NotColourable, closure: PairClosure, advice: str
) -> InfeasibleClusteringError:
    """Return the error of a hierarchical method that names samples that cannot be assigned to k clusters."""
    labels, shown = find_representatives(reason.groups, closure)
    why = "are all kept apart from each other" if reason.is_clique else "need more"
    if not reason.proved:
        why = "may need more (a search found no assignment; COPKMeans and ReCon search in other ways)"
    msg = f"{msg}: {len(labels)} samples {why}: {shown}; {advice}"
    return InfeasibleClusteringError(
        msg, n_clusters=k, samples=labels, is_clique=reason.is_clique, proved=reason.proved
    )


# ---------------------------------------------------------------------- the solver


class Graph(NamedTuple):
    """Nodes 0..m-1 and which of them must not be alike. Both arrays are read-only."""

    start: np.ndarray  #: int32[m + 1]: the neighbours of v are near[start[v]:start[v + 1]]
    near: np.ndarray  #: int32[2 e]


class AssignmentProblem(NamedTuple):
    """An assignment problem as the core takes it. All arrays are read-only."""

    start: np.ndarray  #: of the graph, as is `near`
    near: np.ndarray
    cost: np.ndarray  #: float64[m, k]: of node v in cluster c
    priority: np.ndarray  #: float64[m]: of nodes alike in all else, the greater comes first


class _Part(NamedTuple):
    """Some nodes of a graph with the edges among them, connected parts one after the other."""

    nodes: np.ndarray
    graph: Graph
    blocks: np.ndarray  #: where each connected part begins, and the end

    @property
    def degree(self) -> np.ndarray:
        return np.diff(self.graph.start)

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The first and the next after the last node of each connected part."""
        return list(zip(self.blocks[:-1].tolist(), self.blocks[1:].tolist(), strict=True))

    def block(self, low: int, high: int) -> _Part:
        """One connected part."""
        start = self.graph.start[low : high + 1]
        graph = Graph(frozen(start - start[0]), frozen(self.graph.near[start[0] : start[-1]] - low))
        return _Part(self.nodes[low:high], graph, freeze(np.array([0, high - low], np.int32)))

    def problem(self, cost: np.ndarray) -> AssignmentProblem:
        """Return the problem of assigning the nodes at some costs. Ties go to the nodes with most neighbours."""
        return AssignmentProblem(*self.graph, frozen(cost, np.float64), frozen(self.degree, np.float64))


class _Exact(NamedTuple):
    """The parts of a graph whose cheapest assignment takes polynomial time, and the others."""

    order: np.ndarray  #: nodes of trees, also of those that hang on other parts, from the leaves on
    parent: np.ndarray  #: the neighbour that each node of `order` waits for, or -1
    cliques: list[np.ndarray]  #: nodes that all need different clusters: a linear assignment problem each
    rest: _Part


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
        The groups that have a cannot-link, ascending. Node i is ``bound[i]``.
    neighbours : Graph
        The neighbours of each node, ascending. Costs and labels of all methods belong to nodes.
    """

    def __init__(self, cannot: np.ndarray, n_groups: int) -> None:
        self.bound = np.unique(cannot)
        place = np.zeros(n_groups, np.int64)
        place[self.bound] = np.arange(self.bound.size)
        self.neighbours = _neighbours(place[cannot], self.bound.size)

    @property
    def degree(self) -> np.ndarray:
        """How many cannot-links each node has."""
        return np.diff(self.neighbours.start)

    # ------------------------------------------------------------------ are k clusters enough?

    def find_clique(self, size: int, limit: int) -> np.ndarray | None:
        """Find `size` nodes that are all neighbours of each other: a proof that ``size - 1`` clusters are too few.

        Parameters
        ----------
        size : int
        limit : int
            Maximal cliques that are looked at, at most.

        Returns
        -------
        ndarray of int or None
            None if there is no clique, or the search found no clique.
        """
        # nodes with fewer neighbours are in no such clique
        order, _ = _loops.peel(*self.neighbours, size - 1)
        part = self._part(self._all_but(order))
        clique = _loops.large_clique(*part.graph, size, _CLIQUE_WORK)
        return part.nodes[clique] if clique.size == size else _listed_clique(part, size, limit)

    def colour(
        self, k: int, rng: np.random.Generator, limit: int, *, cost: np.ndarray | None = None, explain: bool = True
    ) -> np.ndarray:
        """Return a feasible assignment to k clusters.

        Nodes with fewer than k neighbours always find a place, once the others have theirs. The rest is searched
        for `limit` steps beyond one for each node in each connected part, by backtracking and by tabu search from a
        random assignment, in turn.

        Parameters
        ----------
        k : int
        rng : Generator
        limit : int
        cost : ndarray of float64, shape (m, k), optional
            The clusters to try first, so that the assignment is cheap if that is easy.
        explain : bool
            True if `NotColourable` names a smallest reason, which takes time, else all of a connected part.

        Returns
        -------
        ndarray of int32, shape (m,)

        Raises
        ------
        NotColourable
            If there is no colouring, or the search found no colouring.
        """
        order, _ = _loops.peel(*self.neighbours, k)
        core = self._part(self._all_but(order))
        label = np.full(self.bound.size, -1, np.int32)
        if core.nodes.size:
            clique = _loops.large_clique(*core.graph, k + 1, _CLIQUE_WORK)
            if clique.size > k:
                raise self._failure(core.nodes[clique], is_clique=True)
            for low, high in core.bounds:
                part = core.block(low, high)
                if cost is not None:
                    label[part.nodes] = _find_cheap(part, cost[part.nodes])
                    if label[part.nodes[0]] >= 0:
                        continue
                colours, over = _find_colours(part, k, rng, limit)
                if colours is None:
                    if not over:
                        raise self._failure(part.nodes, proved=False)
                    nodes, is_clique = self._reason(part, k) if explain else (part.nodes, False)
                    raise self._failure(nodes, is_clique=is_clique)
                label[part.nodes] = colours
        costs = np.zeros((self.bound.size, k)) if cost is None else cost
        label, _ = _loops.greedy(*self.neighbours, costs, frozen(order[::-1]), label)
        return label

    def _failure(self, nodes: np.ndarray, *, is_clique: bool = False, proved: bool = True) -> NotColourable:
        return NotColourable(np.sort(self.bound[nodes]).tolist(), is_clique=is_clique, proved=proved)

    def _reason(self, part: _Part, k: int) -> tuple[np.ndarray, bool]:
        """Return the reason why k clusters are too few: a clique of k + 1, else nodes that are all needed for it."""
        clique = _listed_clique(part, k + 1, _CLIQUES)
        if clique is not None:
            return clique, True
        rng, nodes = np.random.default_rng(0), part.nodes
        for v in part.nodes.tolist() if part.nodes.size <= _NODES else []:
            if v in nodes:
                rest = self._part(nodes[nodes != v])
                colours, over = _find_colours(rest, k, rng, _STEPS, restarts=False)
                if colours is None and over:
                    nodes = rest.nodes
        return nodes, False

    # ------------------------------------------------------------------ cheap assignments

    def greedy(self, cost: np.ndarray, order: np.ndarray) -> np.ndarray | None:
        """Put each node in turn in its cheapest cluster that no neighbour has. None if a node finds no cluster."""
        nobody = freeze(np.full(self.bound.size, -1, np.int32))
        label, failed = _loops.greedy(*self.neighbours, cost, frozen(order), nobody)
        return None if failed >= 0 else label

    def place(self, cost: np.ndarray) -> np.ndarray | None:
        """Find a feasible assignment that is cheap if that is easy, or None.

        Nodes choose in turn, nodes with most to lose first. A node that finds no place goes first in the next round.
        The rest is searched for by `colour`, cheap clusters first.

        Parameters
        ----------
        cost : ndarray of float64, shape (m, k)
            The cost of each node in each cluster.

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
            label, failed = _loops.greedy(*self.neighbours, costs, frozen(order), nobody)
            if failed < 0:
                return label
            order = np.concatenate([order[order == failed], order[order != failed]])
        try:
            return self.colour(k, np.random.default_rng(0), 5 * _BACKTRACKING, cost=costs, explain=False)
        except NotColourable:
            return None

    def complete(self, cost: np.ndarray, label: np.ndarray) -> np.ndarray | None:
        """Assign the nodes that have no cluster yet, cheap clusters first. None if no way is found.

        The others keep theirs, but where that fails in a connected part of the graph, all of its nodes may move.

        Parameters
        ----------
        cost : ndarray of float64, shape (m, k)
        label : ndarray of int32, shape (m,)
            Feasible, or -1 without a feasible assignment.

        Returns
        -------
        ndarray of int32, shape (m,), or None
        """
        out = np.array(label, np.int32)
        of, by = np.repeat(np.arange(self.bound.size), self.degree), out[self.neighbours.near]
        n_taken = np.zeros(cost.shape, np.int32)
        np.add.at(n_taken, (of[by >= 0], by[by >= 0]), 1)
        part = self._part(np.flatnonzero(out < 0))
        out[part.nodes] = _find_cheap(part, cost[part.nodes], n_taken[part.nodes])
        if (out < 0).any():
            whole = self._part(np.arange(self.bound.size))
            lost = [whole.nodes[low:high] for low, high in whole.bounds if (out[whole.nodes[low:high]] < 0).any()]
            part = self._part(np.sort(np.concatenate(lost)))
            out[part.nodes] = _find_cheap(part, cost[part.nodes])
        return None if (out < 0).any() else out

    def entangled(self, nearest: np.ndarray) -> np.ndarray:
        """Return the nodes that cannot-links may keep from their cheapest clusters, ascending.

        Elsewhere the labels are the cheapest assignment: in connected parts without cycles whose neighbours all differ.
        Parts with cycles always count, as `assign` prefers the known one of several cheapest assignments there.
        """
        part, cyclic = self._connected
        of, near = self._edges
        moving = cyclic.copy()
        moving[part[of[nearest[of] == nearest[near]]]] = True
        return np.flatnonzero(moving[part])

    def assign(
        self, cost: np.ndarray, label: np.ndarray, limit: int = 1_000_000, some: np.ndarray | None = None
    ) -> tuple[np.ndarray, bool]:
        """Return an assignment no dearer than a feasible one.

        Parameters
        ----------
        cost : ndarray of float64, shape (m, k)
            The cost of each node in each cluster.
        label : ndarray of int32, shape (m,)
            Feasible.
        limit : int
            Costs and neighbours that are visited, at most, where the cheapest assignment must be searched for. Ten
            times as many before that, in exchanges of clusters, and at most 20 million in either.
        some : ndarray of int, optional
            The nodes that may move, as `entangled` has them, all by default. Costs are only read for them.

        Returns
        -------
        label : ndarray of int32, shape (m,)
            Feasible.
        is_cheapest : bool
            True if no assignment is cheaper: so it is unless connected parts with cycles were searched in vain.
        """
        order, parent, cliques, core = self._exact
        if some is not None and some.size < len(label):
            moving = np.zeros(len(label), np.bool_)
            moving[some] = True
            order, parent = freeze(order[moving[order]]), freeze(parent[moving[order]])
        folded, two = _loops.fold(cost, order, parent)
        out, is_cheapest = np.array(label, np.int32), True
        for nodes in cliques:
            out[nodes] = _match(folded[nodes], out[nodes])
        if core.nodes.size:
            problem, nobody = core.problem(freeze(folded[core.nodes])), freeze(np.full(core.nodes.size, -1, np.int32))
            least = np.partition(problem.cost, 1, axis=1)  # the node with most to lose chooses first
            turns = frozen(np.argsort(least[:, 0] - least[:, 1], kind="stable"))
            other, _ = _loops.greedy(*core.graph, problem.cost, turns, nobody)
            known = out[core.nodes]
            for low, high in _large_parts(core, cost.shape[1], limit):
                for some in (known[low:high], other[low:high]):
                    _rename_by_matching(problem.cost[low:high], some)
            exchanging, searching = min(_EXCHANGING * limit, _SLICE), min(limit, _SLICE)
            out[core.nodes], proved = _loops.improve(*problem, core.blocks, known, other, exchanging, searching)
            is_cheapest = proved == core.blocks.size - 1
        label = _loops.unfold(out, order, parent, two)
        return label, is_cheapest

    # ------------------------------------------------------------------ parts of the graph

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The two nodes of each cannot-link."""
        of, near = np.repeat(np.arange(self.bound.size), self.degree), self.neighbours.near
        return of[of < near], near[of < near]

    @cached_property
    def _connected(self) -> tuple[np.ndarray, np.ndarray]:
        """The connected part of each node, and of each part whether it has cycles."""
        whole = self._part(np.arange(self.bound.size))
        size = np.diff(whole.blocks)
        part = np.empty(self.bound.size, np.intp)
        part[whole.nodes] = np.repeat(np.arange(size.size), size)
        return part, np.bincount(part[self._edges[0]], minlength=size.size) >= size

    @cached_property
    def _exact(self) -> _Exact:
        """The part solved without a search, and the rest."""
        order, parent = _loops.peel(*self.neighbours, 2)
        core = self._part(self._all_but(order))
        size = np.diff(core.blocks)
        spare = core.degree - np.repeat(size, size)  # -1 for a node that all others of its part are neighbours of
        matched = (np.minimum.reduceat(spare, core.blocks[:-1]) if spare.size else spare) == -1
        matched &= size >= _MATCHED
        cliques = [core.nodes[low:high] for (low, high), one in zip(core.bounds, matched, strict=True) if one]
        rest = self._part(core.nodes[np.repeat(~matched, size)]) if cliques else core
        return _Exact(freeze(order), freeze(parent), cliques, rest)

    def _all_but(self, nodes: np.ndarray) -> np.ndarray:
        """Return the other nodes."""
        left = np.ones(self.bound.size, np.bool_)
        left[nodes] = False
        return np.flatnonzero(left)

    def _part(self, nodes: np.ndarray) -> _Part:
        """Return the graph on some nodes, connected parts together."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        if not nodes.size:
            return _Part(nodes, _neighbours(np.empty((0, 2), np.int64), 0), freeze(np.zeros(1, np.int32)))
        place = np.full(self.bound.size, -1)
        place[nodes] = np.arange(nodes.size)
        ends = np.stack([place[x] for x in self._edges], axis=1)
        if nodes.size < place.size:
            ends = ends[(ends >= 0).all(axis=1)]
        start, near = _neighbours(ends, nodes.size)
        graph = csr_array((np.ones(near.size), near, start), shape=(nodes.size, nodes.size))
        count, block = connected_components(graph, directed=False)
        order = np.argsort(block, kind="stable")
        rank = np.empty(nodes.size, np.int64)
        rank[order] = np.arange(nodes.size)
        blocks = np.zeros(count + 1, np.int32)
        np.cumsum(np.bincount(block, minlength=count), out=blocks[1:])
        return _Part(nodes[order], _neighbours(rank[ends], nodes.size), freeze(blocks))


def _neighbours(ends: np.ndarray, n: int) -> Graph:
    """Return the neighbours of nodes 0..n-1, ascending. Each edge occurs once."""
    one, other = ends.T
    key = np.sort(np.concatenate([one * n + other, other * n + one]))
    of, near = np.divmod(key, max(n, 1))
    start = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(of, minlength=n), out=start[1:])
    return Graph(freeze(start), freeze(near.astype(np.int32)))


def _large_parts(core: _Part, k: int, limit: int) -> list[tuple[int, int]]:
    """Return the bounds of the largest connected parts, k nodes at least, as many as can be matched cheaply."""
    bounds = sorted(core.bounds, key=lambda part: part[0] - part[1])
    return [(low, high) for low, high in bounds if high - low >= max(k, _RENAMED)][: max(1, limit // k**2)]


def _listed_clique(part: _Part, size: int, limit: int) -> np.ndarray | None:
    """Return `size` nodes of the first maximal clique that is large enough, or None."""
    import networkx as nx

    ends = np.repeat(np.arange(part.nodes.size), part.degree)
    graph = nx.Graph(zip(ends.tolist(), part.graph.near.tolist(), strict=True))
    clique = next((x for x in islice(nx.find_cliques(graph), limit) if len(x) >= size), None)
    return None if clique is None else part.nodes[clique[:size]]


def _match(cost: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Return the cheapest clusters of nodes that all need different ones. They keep theirs if no others are cheaper."""
    from scipy.optimize import linear_sum_assignment

    rows, found = linear_sum_assignment(cost)
    before, after = cost[rows, label], cost[rows, found]
    return found if (before - after).sum() > _ROUNDING * (abs(before) + abs(after)).sum() else label


def _rename_by_matching(cost: np.ndarray, label: np.ndarray) -> None:
    """Keep nodes of one cluster together, but give all of them clusters as cheaply as can be, in place."""
    if label.min() < 0:
        return
    used, group = np.unique(label, return_inverse=True)
    total = np.zeros((used.size, cost.shape[1]))
    np.add.at(total, group, cost)
    label[:] = _match(total, used)[group]


# ---------------------------------------------------------------------- searches of one part


def _find_cheap(part: _Part, cost: np.ndarray, n_taken: np.ndarray | None = None) -> np.ndarray:
    """Find a feasible assignment, cheap clusters first. -1 in connected parts where the search takes too long.

    n_taken : ndarray of int32, shape (m, k), how many neighbours elsewhere have each cluster
    """
    out, problem = np.full(part.nodes.size, -1, np.int32), part.problem(cost)
    n_taken = np.zeros(cost.shape, np.int32) if n_taken is None else np.array(n_taken, order="C")
    search = _loops.AssignmentSearch(*problem, n_taken)
    for low, high in part.bounds:
        colours, _ = _backtrack(search, (low, high), _BACKTRACKING + high - low)
        if colours is not None:
            out[low:high] = colours
    return out


def _find_colours(
    part: _Part, k: int, rng: np.random.Generator, limit: int, *, restarts: bool = True
) -> tuple[np.ndarray | None, bool]:
    """Return clusters of connected nodes, or None, and whether the search went to its end."""
    m = part.nodes.size
    problem, spent = part.problem(np.zeros((m, k))), 0
    limit += m  # to reach the end once
    attempt = max(_FIRST_ATTEMPT, 2 * m) if restarts else limit
    while True:
        steps = min(attempt, limit - spent)
        search = _loops.AssignmentSearch(*problem, np.zeros((m, k), np.int32))
        colours, over = _backtrack(search, (0, m), steps, symmetric=True)
        spent += steps
        if colours is None and not over and restarts and spent < limit:
            steps = min(_TABU * attempt, limit - spent)
            colours = _tabu_search(part, k, rng, steps)
            spent += steps
        if colours is not None or over or spent >= limit:
            return colours, over or colours is not None
        attempt *= 2
        problem = problem._replace(priority=freeze(rng.random(m)))


def _backtrack(
    search: Any, bounds: tuple[int, int], limit: int, *, symmetric: bool = False
) -> tuple[np.ndarray | None, bool]:
    """Return the first assignment of a connected part that branch and bound comes to, and whether it went to its end.

    symmetric : bool, nothing costs anything: clusters are alike, and the first assignment is the best
    """
    low, high = bounds
    size = high - low
    # where costs differ, a call ends soon after the first assignment
    at_once = limit if symmetric else max(1, min(_SLICE // size, max(100, size)))
    search.begin_part(low, high, np.inf)
    over, done = False, 0
    while not over and search.best_cost == np.inf and done < limit:
        steps = min(limit - done, at_once)
        over = search.search(steps, symmetric)
        done += steps
    return (search.best() if search.best_cost < np.inf else None), over


def _tabu_search(part: _Part, k: int, rng: np.random.Generator, limit: int) -> np.ndarray | None:
    """Tabu search from a random assignment in which each node has moved to where it clashes least."""
    label = rng.integers(0, k, part.nodes.size).astype(np.int32)
    mending = _loops.Mending(*part.graph, label, k, int(rng.integers(2**31)))
    return mending.label if mending.descend() == 0 or mending.mend(limit) == 0 else None
