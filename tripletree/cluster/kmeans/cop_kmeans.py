"""COP-KMeans: k-means that keeps all must-links and cannot-links."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from tripletree._core import engine
from tripletree.algorithms.points import is_sparse
from tripletree.cluster.base import ConstrainedClusterer, Data, check_samples
from tripletree.cluster.distances import check_spread
from tripletree.cluster.feasibility import CannotGraph, NotColourable, find_representatives
from tripletree.cluster.kmeans.geometry import CentreGeometry, CheckedGeometry, chosen_geometry
from tripletree.cluster.kmeans.lloyd import (
    Points,
    SparsePoints,
    alternate,
    best_of_starts,
    centre_step,
    check_start,
    check_weights,
    different_values,
    draw,
    number_of_starts,
    points_of,
    refill,
    starting_centres,
    tolerance,
    value_order,
)
from tripletree.cluster.kmeans.soft_pairs import centres_among
from tripletree.core.arrays import freeze
from tripletree.core.pair_closure import PairClosure
from tripletree.core.progress import Tick, progress_bar
from tripletree.core.random import generator
from tripletree.errors import ClusterCountError, InfeasibleClusteringError, warn_user
from tripletree.knowledge.value import Knowledge

#: When clusters are chosen, a group whose samples all have weight 0 gets this fraction of the largest weight, so that
#: it goes to the nearest cluster that the pairs allow.
_FEATHER = 1e-12


class Groups(NamedTuple):
    """Samples in groups that stay together.

    Attributes
    ----------
    samples : ndarray or csr_array of float64, shape (n, d)
    weights : ndarray of float64, shape (n,)
    member_of : ndarray of int32, shape (n,)
        The group of each sample.
    n_groups : int
    """

    samples: Any
    weights: np.ndarray
    member_of: np.ndarray
    n_groups: int


def first_samples(groups: Groups) -> np.ndarray:
    """Return the first sample of each group. Groups are numbered in the order of their first samples."""
    return np.unique(groups.member_of, return_index=True)[1]


class GroupCentres(Protocol):
    """The distances between groups and centres, and the update of centres."""

    groups: Groups

    def start(self, n_clusters: int, rng: np.random.Generator, init: str, *, is_first: bool) -> np.ndarray:
        """The first centres of a start, which is the first one or another."""
        ...

    def at(self, places: np.ndarray) -> np.ndarray:
        """Centres at given places, shape (k, d)."""
        ...

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        """The cheapest cluster of each group."""
        ...

    def costs(self, centres: np.ndarray, which: np.ndarray) -> np.ndarray:
        """The cost of some groups in each cluster, up to a constant for each group."""
        ...

    def costs_of_first(self, centres: np.ndarray) -> np.ndarray:
        """The cost of the first sample of each group in each cluster."""
        ...

    def distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """How far each group is from its centre: its mean squared distance, or the squared distance of its mean."""
        ...

    def moved(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Return the best centres for given clusters of the groups, without empty clusters."""
        ...

    def sample_distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Squared distance of each sample to the centre of its group's cluster."""
        ...


class MeanCentres:
    """Centres are means: a group of samples is one point, its mean, with their weight, for all that is compared."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        make = SparsePoints if is_sparse(groups.samples) else Points
        self.points = make.grouped(groups.samples, groups.weights, groups.member_of, groups.n_groups)

    def start(self, n_clusters: int, rng: np.random.Generator, init: str, *, is_first: bool) -> np.ndarray:
        large = np.flatnonzero(np.bincount(self.groups.member_of) > 1)
        if init != "pairs" or not large.size:
            return starting_centres(self.points, n_clusters, rng, init="k-means++" if init == "pairs" else init)
        means, weights = self.points.rows(large), self.points.weights[large]
        return centres_among(means, weights, self.points, n_clusters, rng, drawn=not is_first)

    def start_beside(self, fixed: np.ndarray, n_clusters: int, rng: np.random.Generator, init: str) -> np.ndarray:
        """Return the first centres: first the fixed ones, then others drawn as k-means++ does, or at random."""
        points, centres, order = self.points, fixed, self.points.value_order()
        for _ in range(n_clusters - len(fixed)):
            far = points.squared_distances(centres).min(axis=1)
            chances = points.weights * (far if init == "k-means++" else far > 0)
            centres = np.concatenate([centres, points.rows([draw(chances, order, rng)])])
        return centres

    def at(self, places: np.ndarray) -> np.ndarray:
        return places

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        return self.points.nearest(centres)

    def costs(self, centres: np.ndarray, which: np.ndarray) -> np.ndarray:
        costs = np.empty((which.size, len(centres)))
        rows = np.arange(which.size, dtype=np.int32)
        self.points.fill_costs(costs, rows, which, centres, weights=self._light_weights)
        return costs

    def costs_of_first(self, centres: np.ndarray) -> np.ndarray:
        return self._first.squared_distances(centres)

    @cached_property
    def _samples(self) -> Points | SparsePoints:
        return points_of(self.groups.samples, self.groups.weights)

    @cached_property
    def _first(self) -> Points | SparsePoints:
        return points_of(self.groups.samples[first_samples(self.groups)])

    @cached_property
    def _light_weights(self) -> np.ndarray:
        return freeze(np.maximum(self.points.weights, _FEATHER * self.points.weights.max()))

    def distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        return self.points.own_distances(labels, centres)

    def moved(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        return centre_step(self.points, labels, centres)

    def sample_distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        return self._samples.own_distances(labels[self.groups.member_of], centres)


class OtherCentres:
    """Centres of any geometry: the cost of a group is the sum of the costs of its samples."""

    def __init__(self, groups: Groups, geometry: CentreGeometry) -> None:
        self.groups, self.geometry = groups, CheckedGeometry(geometry)
        heaviest = groups.weights.max()
        self._weights = np.maximum(groups.weights, _FEATHER * heaviest)
        self._mass = np.bincount(groups.member_of, self._weights, groups.n_groups)

    def start(self, n_clusters: int, rng: np.random.Generator, init: str, *, is_first: bool) -> np.ndarray:
        samples, chances = self.groups.samples, self.groups.weights
        order = value_order(samples.T)
        if init == "random":
            return self.at(samples[different_values(Points.of(samples, chances), order, n_clusters, rng)])
        chosen, closest = [], np.full(chances.size, np.inf)
        for _ in range(n_clusters):
            chosen.append(draw(chances, order, rng))
            here = self.at(samples[chosen[-1:]])[0]
            closest = np.minimum(closest, self.geometry.squared_distances(samples, here))
            chances = self.groups.weights * closest
        return self.at(samples[chosen])

    def at(self, places: np.ndarray) -> np.ndarray:
        return np.array([self.geometry.fit_centre(place[None], np.ones(1)) for place in places], np.float64)

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        return self._table(centres).argmin(axis=1).astype(np.int32)

    def costs(self, centres: np.ndarray, which: np.ndarray) -> np.ndarray:
        return self._table(centres)[which]

    def costs_of_first(self, centres: np.ndarray) -> np.ndarray:
        first = self.groups.samples[first_samples(self.groups)]
        return np.stack([self.geometry.squared_distances(first, centre) for centre in centres], axis=1)

    def _table(self, centres: np.ndarray) -> np.ndarray:
        of, count, samples = self.groups.member_of, self.groups.n_groups, self.groups.samples
        columns = (self.geometry.squared_distances(samples, centre) for centre in centres)
        return np.stack([np.bincount(of, self._weights * column, count) for column in columns], axis=1)

    def distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        each = self._weights * self.sample_distances(labels, centres)
        return np.bincount(self.groups.member_of, each, self.groups.n_groups) / self._mass

    def moved(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        own = labels[self.groups.member_of]
        parts = (own == c for c in range(centres.shape[0]))
        return np.array([self.geometry.fit_centre(self.groups.samples[x], self._weights[x]) for x in parts])

    def sample_distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        out, own = np.empty(self._weights.size), labels[self.groups.member_of]
        for c in np.unique(own):
            out[own == c] = self.geometry.squared_distances(self.groups.samples[own == c], centres[c])
        return out


@dataclass(frozen=True)
class LloydRun:
    """The result of one start.

    Attributes
    ----------
    labels : ndarray of int32
        Cluster of each group. Every cluster has one.
    centres : ndarray of float64
    inertia, mean_distance : float
        Weighted sum of the squared distances of the samples, weighted mean of the distances.
    n_iter, n_dead_ends, n_cut_short : int
        Iterations, iterations in which a greedy order ended at a group without a free cluster, and iterations in which
        the search for the cheapest assignment ended at its limit.
    converged : bool
    """

    labels: np.ndarray
    centres: np.ndarray
    inertia: float
    mean_distance: float
    n_iter: int
    n_dead_ends: int
    n_cut_short: int
    converged: bool


class DeadEndError(Exception):
    """Assigning groups one by one has come to a group that fits into no cluster."""


#: Assignments that may come to a dead end and then search no further.
_ONE_BY_ONE = ("listing", "incremental")


class _ListedAssigner:
    """Assigns samples as the paper lists it: the first of a must-linked group chooses for all, and may find nothing."""

    cut_short = 0

    def __init__(self, model: GroupCentres, graph: CannotGraph, *, violates: bool) -> None:
        self.model, self.graph, self.violates = model, graph, violates
        self.dead_ends = 0

    def __call__(self, centres: np.ndarray, previous: np.ndarray) -> np.ndarray:
        cost = self.model.costs_of_first(centres)
        labels = cost.argmin(axis=1).astype(np.int32)
        bound = self.graph.bound
        if bound.size:
            found = self.graph.greedy(cost[bound], np.arange(bound.size))
            if found is None and not self.violates:
                raise DeadEndError
            labels[bound] = self._with_violations(cost[bound]) if found is None else found
        return labels

    def _with_violations(self, cost: np.ndarray) -> np.ndarray:
        self.dead_ends += 1
        labels, (start, other) = np.full(len(cost), -1, np.int32), self.graph.neighbours[:2]
        for node, row in enumerate(cost):
            labels[node] = _allowed(row, labels[other[start[node] : start[node + 1]]], violates=True)
        return labels


def _allowed(cost: np.ndarray, taken: np.ndarray, *, violates: bool) -> int:
    """Return the cheapest cluster that is not taken (-1: taken by nobody). If all are taken, the cheapest of all."""
    free = np.ones(cost.size, np.bool_)
    free[taken[taken >= 0]] = False
    if not free.any() and not violates:
        raise DeadEndError
    return int(np.where(free, cost, np.inf).argmin() if free.any() else cost.argmin())


class _Assigner:
    """Assigns groups to centres without violating a cannot-link."""

    def __init__(self, model: GroupCentres, graph: CannotGraph, order: np.ndarray | None, limit: int) -> None:
        self.model, self.graph, self.order, self.limit = model, graph, order, limit
        self.dead_ends = self.cut_short = 0

    def __call__(self, centres: np.ndarray, previous: np.ndarray) -> np.ndarray:
        """The cheapest clusters, or the clusters of the greedy order. `previous` is feasible and bounds the cost."""
        labels = self.model.nearest(centres)
        bound = self.graph.bound
        if not bound.size:
            return labels
        if self.order is not None:
            found = self._in_turn(self.model.costs(centres, bound), self.order)
            if found is not None:
                labels[bound] = found
                return labels
        some = self.graph.entangled(labels[bound])
        cost, known = np.zeros((bound.size, centres.shape[0])), labels[bound]
        cost[some] = self.model.costs(centres, bound[some])
        known[some] = previous[bound[some]]
        labels[bound], is_cheapest = self.graph.assign(cost, known, self.limit, some)
        self.cut_short += not is_cheapest
        return labels

    def _in_turn(self, cost: np.ndarray, order: np.ndarray) -> np.ndarray | None:
        """The clusters that groups choose in this order, else in that of the most cannot-links, if either works."""
        found = self.graph.greedy(cost, order)
        if found is None:
            self.dead_ends += 1
            found = self.graph.greedy(cost, np.argsort(-self.graph.degree, kind="stable"))
        return found


@dataclass(frozen=True, eq=False)
class SizeBounds:
    """The least and greatest size of a cluster.

    Attributes
    ----------
    sizes : ndarray of float64
        Of each group: its number of samples, or what they weigh together.
    least, most : float
        Infinite if there is no greatest size.
    are_weights : bool
    """

    sizes: np.ndarray
    least: float
    most: float
    are_weights: bool

    @property
    def slack(self) -> float:
        """The rounding of sums of weights."""
        return _SLACK * float(self.sizes.sum()) if self.are_weights else 0.0

    def keeps(self, labels: np.ndarray, k: int) -> bool:
        """True if all clusters are large and small enough."""
        size = np.bincount(labels, self.sizes, k)
        return bool(size.min() >= self.least - self.slack and size.max() <= self.most + self.slack)

    def check(self, k: int) -> None:
        """Refuse bounds that the sum of all sizes does not fit into."""
        total = float(self.sizes.sum())
        given = f"samples of weight {total:g}" if self.are_weights else f"{total:.0f} samples"
        unit = " weight" if self.are_weights else ""
        for wrong, what in (
            (k * self.least > total + self.slack, f"few for {k} clusters of at least {self.least:g}{unit}"),
            (k * self.most < total - self.slack, f"many for {k} clusters of at most {self.most:g}{unit}"),
        ):
            if wrong:
                raise InfeasibleClusteringError(f"{given} are too {what}", n_clusters=k)

    def counts(self) -> tuple[int, int]:
        """The bounds as numbers of groups, where all groups are of one size."""
        one, slack = float(self.sizes[0]), self.slack
        most = np.floor(min((self.most + slack) / one, _ANY))
        return int(np.ceil(max(self.least - slack, 0.0) / one)), int(most)

    def __str__(self) -> str:
        """In words."""
        known = [f"at least {self.least:g}"] * (self.least > (0 if self.are_weights else 1))
        known += [f"at most {self.most:g}"] * bool(np.isfinite(self.most))
        return " and ".join(known) + (" weight" if self.are_weights else " samples")


class _SizedAssigner(_Assigner):
    """Assigns groups so that clusters keep bounds of their size, too.

    If nearest clusters do not, this is a flow (``_core/sized_clusters.hpp``) where groups are of one size and no pair
    keeps any apart, else an integer program.
    """

    def __init__(
        self, model: GroupCentres, graph: CannotGraph, limit: int, k: int, closure: PairClosure, bounds: SizeBounds
    ) -> None:
        super().__init__(model, graph, None, limit)
        self.bounds, self.k = bounds, k
        self.has_pairs = len(closure.cannot) > 0 or closure.n_components < closure.component.size
        self.is_flow = not len(closure.cannot) and bounds.sizes.min() == bounds.sizes.max()
        self.rows = None if self.is_flow else _rules(closure.cannot, k, bounds)

    def __call__(self, centres: np.ndarray, previous: np.ndarray) -> np.ndarray:
        """Return the cheapest clusters: clusters of any size, if they keep the bounds."""
        labels = super().__call__(centres, previous)
        if self.bounds.keeps(labels, self.k):
            return labels
        cost = self.model.costs(centres, np.arange(labels.size))
        return self._by_flow(cost) if self.is_flow else self._by_program(cost)

    def _by_flow(self, cost: np.ndarray) -> np.ndarray:
        least, most = self.bounds.counts()
        if not self.k * least <= len(cost) <= self.k * most:
            raise self._impossible(proved=True)
        return engine.sized_clusters.assign_sized(cost, least, most)

    def _by_program(self, cost: np.ndarray) -> np.ndarray:
        from scipy.optimize import Bounds, milp

        cost = cost - cost.min(axis=1, keepdims=True)
        cost /= max(cost.max(), np.finfo(np.float64).tiny)
        options = {"node_limit": self.limit, "mip_rel_gap": 0.0}
        found = milp(
            cost.ravel(), integrality=np.ones(cost.size), bounds=Bounds(0, 1), constraints=self.rows, options=options
        )
        if found.x is None:
            raise self._impossible(proved=found.status == _PROVED)
        self.cut_short += found.status != 0
        return found.x.reshape(cost.shape).argmax(axis=1).astype(np.int32)

    def _impossible(self, *, proved: bool) -> InfeasibleClusteringError:
        msg = f"no assignment to {self.k} clusters of {self.bounds}"
        msg += (" keeps all pairs" if self.has_pairs else " exists") if proved else " was found: raise max_steps"
        return InfeasibleClusteringError(msg, n_clusters=self.k, proved=proved)


#: The greatest number of samples of a cluster, if there is no bound.
_ANY = 2**31 - 1

#: Rounding of sums of weights, as a part of the sum of all.
_SLACK = 1e-9

#: The status of `scipy.optimize.milp` if a problem has no solution.
_PROVED = 2


def _rules(cannot: np.ndarray, k: int, bounds: SizeBounds) -> Any:
    """The conditions on an assignment, as bounds of sums: variable ``g * k + c`` is 1 if group g is in cluster c."""
    from scipy.optimize import LinearConstraint
    from scipy.sparse import coo_array, eye, kron

    n, e = bounds.sizes.size, len(cannot)
    once = kron(eye(n), np.ones((1, k)))
    unit, slack = bounds.sizes.max(), bounds.slack  # weights may be of any order of magnitude
    large = kron(bounds.sizes[None, :] / unit, eye(k))
    within = LinearConstraint(large, (bounds.least - slack) / unit, (bounds.most + slack) / unit)
    rules = [LinearConstraint(once, 1, 1), within]
    if e:
        ends = coo_array((np.ones(2 * e), (np.repeat(np.arange(e), 2), cannot.ravel())), shape=(e, n))
        rules.append(LinearConstraint(kron(ends, eye(k)), 0, 1))
    return rules


class _ChosenClusters(NamedTuple):
    """The clusters of an iteration: as chosen for the centres, and with the empty ones filled."""

    labels: np.ndarray
    centres: np.ndarray
    chosen: np.ndarray | None = None  #: None at the start
    is_settled: bool = False  #: whether they were chosen before, so that all that follows is known


class _CannotLinkedMeans:
    """The steps of COP-KMeans (see `Lloyd`): groups choose clusters as cannot-links allow, then centres move.

    Parameters
    ----------
    model : GroupCentres
    assign : callable
        Centres and the labels so far -> the clusters that groups choose.
    tolerance : float
        For the squared shift of all centres.
    may_cycle : bool
        Whether assignments may come back to earlier ones, as greedy orders may: the run then ends there.
    fixed : ndarray of float64
        The centres of the first clusters, which do not move. Such a cluster may be empty.
    """

    def __init__(
        self,
        model: GroupCentres,
        assign: _Assigner | _ListedAssigner,
        *,
        tolerance: float,
        may_cycle: bool,
        fixed: np.ndarray,
    ) -> None:
        self.model, self.assign, self.tolerance, self.may_cycle = model, assign, tolerance, may_cycle
        self.fixed = fixed
        self._seen: set[bytes] = set()

    def first(self, now: _ChosenClusters) -> _ChosenClusters:
        """See `Lloyd`: choose clusters."""
        chosen = self.assign(now.centres, now.labels)
        settled = now.chosen is not None and np.array_equal(chosen, now.chosen)
        settled |= self.may_cycle and _known(chosen, self._seen)
        return _ChosenClusters(self.filled(chosen, now.centres), now.centres, chosen, settled)

    def then(self, half: _ChosenClusters) -> _ChosenClusters:
        """See `Lloyd`: move centres."""
        return half._replace(centres=self.moved(half.labels, half.centres))

    def filled(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Return labels in which no cluster is empty, except clusters with fixed centres."""
        return _filled(self.model, labels, centres, first=len(self.fixed))

    def moved(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """The best centres of all clusters whose centres may move."""
        centres = self.model.moved(labels, centres)
        return np.concatenate([self.fixed, centres[len(self.fixed) :]]) if len(self.fixed) else centres

    def is_over(self, before: _ChosenClusters, now: _ChosenClusters) -> bool:
        """See `Lloyd`."""
        return now.is_settled or float(((now.centres - before.centres) ** 2).sum()) <= self.tolerance

    def cost(self, state: _ChosenClusters) -> float:
        """See `Lloyd`."""
        return float(self.model.groups.weights @ self.model.sample_distances(state.labels, state.centres))


def run_lloyd(method: _CannotLinkedMeans, centres: np.ndarray, feasible: np.ndarray, max_iter: int) -> LloydRun:
    """Move groups and centres in turn until the clusters stay as they are, or the centres nearly do.

    Parameters
    ----------
    method : _CannotLinkedMeans
    centres : ndarray of float64
        The first ones.
    feasible : ndarray of int32
        Clusters of all groups that keep the cannot-links.
    max_iter : int

    Returns
    -------
    LloydRun
    """
    model = method.model
    found = alternate(method, _ChosenClusters(feasible, centres), max_iter)
    labels, centres, chosen, settled = found.last
    if not settled:  # the centres have moved since: choose once more
        chosen = method.assign(centres, labels)
        labels = method.filled(chosen, centres)
    strays = np.unique(labels[labels != chosen])
    if strays.size:  # clusters that were empty: their centres are where their only groups are
        centres = centres.copy()
        centres[strays] = method.moved(labels, centres)[strays]
    squared, weights = model.sample_distances(labels, centres), model.groups.weights
    distance = float(weights @ np.sqrt(squared) / weights.sum())
    inertia, assign = float(weights @ squared), method.assign
    return LloydRun(
        labels, centres, inertia, distance, found.n_iter, assign.dead_ends, assign.cut_short, found.converged
    )


def run_incrementally(
    model: MeanCentres, graph: CannotGraph, centres: np.ndarray, max_iter: int, *, violates: bool
) -> LloydRun:
    """MacQueen's k-means with cannot-links: a sample moves the mean of its cluster as soon as it is assigned.

    Parameters
    ----------
    model : MeanCentres
        For dense samples.
    graph : CannotGraph
    centres : ndarray of float64, shape (k, d)
        The first ones. In the first pass each counts as one sample of mean weight.
    max_iter : int
        Passes at most.
    violates : bool
        Whether a group that may go nowhere goes to the nearest mean.

    Returns
    -------
    LloydRun
    """
    samples, weights, group_of, n_groups = model.groups
    node = np.full(n_groups, -1)
    node[graph.bound] = np.arange(graph.bound.size)
    start, other = graph.neighbours[:2]
    k, centres = len(centres), centres.copy()
    labels: np.ndarray | None = None
    mass, total = np.full(k, weights.mean()), centres * weights.mean()
    seen: set[bytes] = set()
    dead_ends, converged, turn = 0, False, 0
    while turn < max_iter and not converged:
        turn, dead = turn + 1, False
        now = np.full(n_groups, -1, np.int32)
        for x, weight, g in zip(samples, weights, group_of.tolist(), strict=True):
            if labels is not None:
                _shift(labels[g], -weight, x, total, mass, centres)
            if now[g] < 0:
                near = () if node[g] < 0 else graph.bound[other[start[node[g]] : start[node[g] + 1]]]
                taken = now[np.asarray(near, np.intp)]
                dead |= np.unique(taken[taken >= 0]).size == k
                now[g] = _allowed(((x - centres) ** 2).sum(axis=1), taken, violates=violates)
            _shift(now[g], weight, x, total, mass, centres)
        converged = (labels is not None and np.array_equal(now, labels)) or _known(now, seen)
        labels, dead_ends = now, dead_ends + dead
        own = labels[group_of]
        mass = np.bincount(own, weights, k)
        total = np.stack([np.bincount(own, weights * column, k) for column in samples.T], axis=1)
        centres = np.where(mass[:, None] > 0, total / np.where(mass > 0, mass, 1.0)[:, None], centres)
    assert labels is not None
    labels = _filled(model, labels, centres)
    centres = model.moved(labels, centres)
    squared = model.sample_distances(labels, centres)
    distance = float(weights @ np.sqrt(squared) / weights.sum())
    return LloydRun(labels, centres, float(weights @ squared), distance, turn, dead_ends, 0, converged)


def _shift(c: int, weight: float, x: np.ndarray, total: np.ndarray, mass: np.ndarray, centres: np.ndarray) -> None:
    """Put a sample into a cluster, or take it out by its negative weight. An empty one stays where it was."""
    total[c] += weight * x
    mass[c] += weight
    if mass[c] > _FEATHER:
        centres[c] = total[c] / mass[c]


def _known(labels: np.ndarray, seen: set[bytes]) -> bool:
    """Return whether labels are in `seen`, and add them."""
    digest = hashlib.sha256(labels.tobytes()).digest()
    known = digest in seen
    seen.add(digest)
    return known


def _filled(model: GroupCentres, labels: np.ndarray, centres: np.ndarray, first: int = 0) -> np.ndarray:
    if np.bincount(labels, minlength=centres.shape[0])[first:].all():
        return labels
    return refill(labels, model.distances(labels, centres), centres.shape[0], first)


@dataclass(frozen=True)
class Options:
    """Parameters of `COPKMeans`, as it describes them. `n_init` is a number."""

    init: Any
    n_init: int
    max_iter: int
    tol: float
    assignment: str
    on_dead_end: str
    max_steps: int
    bounds: SizeBounds | None
    fixed: np.ndarray
    """float64[f, d]: centres that do not move, of the first clusters."""


def cluster_counts(n_clusters: Any, n_samples: int) -> list[int]:
    """The numbers of clusters to try, ascending."""
    given = [n_clusters] if isinstance(n_clusters, Integral) else list(n_clusters)
    if not given or not all(isinstance(k, Integral) and k >= 1 for k in given):  # type: ignore[operator]
        msg = f"n_clusters must be an int >= 1 or a sequence of them, not {n_clusters!r}"
        raise ValueError(msg)
    counts = sorted({int(k) for k in given})
    if counts[0] > n_samples:
        msg = f"n_clusters={n_clusters} but n_samples={n_samples}: there cannot be more clusters than samples"
        raise ClusterCountError(msg, n_clusters=counts[0], nearest=(n_samples,))
    return counts


def moderate(weights: np.ndarray) -> tuple[np.ndarray, int]:
    """Divide weights by a power of 2, so that all are at most 1 and sums of them are finite. Also return its exponent.

    But for weights that are 10^300 times smaller than others, nothing is rounded.
    """
    exponent = int(np.frexp(weights.max())[1])
    return np.ldexp(weights, -exponent), exponent


def times_power(value: float, exponent: int) -> float:
    """The value times a power of 2, infinite if that is too large for a float."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, exponent))


def check_reach(samples: Any, centres: np.ndarray, name: str = "sample") -> None:
    """Check that squared distances of the samples to the centres fit float64."""
    if not is_sparse(samples):  # the least and the greatest number of all mostly tell
        with np.errstate(over="ignore"):
            widest = max(samples.max(), centres.max()) - min(samples.min(), centres.min())
            if np.isfinite(np.square(widest) * samples.size):
                return
    low, high = centres.min(axis=0), centres.max(axis=0)
    if is_sparse(centres):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    if is_sparse(samples):
        largest = max(np.abs(samples.data).max(initial=0.0), np.abs(centres).max())
        samples = np.full((samples.shape[0], 1), largest)
        low, high = -samples[:1, 0], samples[:1, 0]
    with np.errstate(over="ignore"):
        widest = np.square(np.maximum(np.abs(samples - low), np.abs(samples - high))).sum(axis=1)
        total = widest.sum()
    if not np.isfinite(total):
        msg = f"{name} {int(widest.argmax())} is too far from {'the centres' if name == 'sample' else 'X'} for float64"
        raise ValueError(f"{msg} arithmetic: scale X")


def best_run(
    model: GroupCentres, closure: PairClosure, counts: list[int], options: Options, rng: np.random.Generator, tick: Tick
) -> tuple[LloydRun, dict[int, float]]:
    """The best run of the best number of clusters.

    Parameters
    ----------
    model : GroupCentres
        Over the components of the closure.
    closure : PairClosure
    counts : list of int
        Numbers of clusters to try.
    options : Options
    rng : Generator
    tick : callable
        Called with 1 after each start.

    Returns
    -------
    run : LloydRun
    criterion : dict of int to float
        Mean distance times k squared for each number k, infinite where the pairs cannot hold.
    """
    task = _GroupTask(model, closure, CannotGraph(closure.cannot, closure.n_components))
    runs: dict[int, LloydRun] = {}
    criterion = dict.fromkeys(counts, np.inf)
    failure = None
    for k in counts:
        try:
            runs[k] = _best_of_starts(k, task, options, rng, tick)
            criterion[k] = runs[k].mean_distance * k * k
        except InfeasibleClusteringError as error:
            failure = error
            tick(options.n_init)
    if failure is not None and not runs:
        raise failure
    return runs[min(runs, key=criterion.__getitem__)], criterion


class _GroupTask(NamedTuple):
    """The data to be clustered, for any number of clusters."""

    model: GroupCentres
    closure: PairClosure
    graph: CannotGraph  #: of its cannot-links


def _best_of_starts(k: int, task: _GroupTask, options: Options, rng: np.random.Generator, tick: Tick) -> LloydRun:
    model, closure, graph = task
    samples, weights = model.groups.samples, model.groups.weights
    f = len(options.fixed)
    if f > k:
        raise ClusterCountError(f"{k} clusters are fewer than the {f} fixed_centers", n_clusters=k, nearest=(f,))
    given = check_start(options.init, k - f, samples.shape[1]) if f < k else options.fixed[:0]
    if given is not None and len(given):
        check_reach(given, samples, "the centre init holds at place")
    if closure.n_components < k - f:
        msg = f"{k} clusters are too many: the must-links leave only {closure.n_components} groups of samples"
        raise InfeasibleClusteringError(msg, n_clusters=k)
    if options.bounds is not None:
        options.bounds.check(k)
    feasible, one_by_one = np.zeros(closure.n_components, np.int32), options.assignment in _ONE_BY_ONE
    violates = options.on_dead_end == "violate"
    try:
        if not one_by_one:
            feasible[graph.bound] = graph.colour(k, rng, options.max_steps)
    except NotColourable as reason:
        raise _infeasible(reason, k, closure, options.max_steps) from None
    nearly = tolerance(samples, weights, options.tol)

    def start(r: int) -> LloydRun:
        if given is not None:
            centres = np.concatenate([options.fixed, model.at(given)]) if len(given) else options.fixed
        elif f:
            assert isinstance(model, MeanCentres)
            centres = model.start_beside(options.fixed, k, rng, options.init)
        else:
            centres = model.start(k, rng, options.init, is_first=r == 0)
        if options.assignment == "incremental":
            assert isinstance(model, MeanCentres)
            return run_incrementally(model, graph, centres, options.max_iter, violates=violates)
        order = _order(options.assignment, graph, rng)
        assign: _Assigner | _ListedAssigner
        if one_by_one:
            assign = _ListedAssigner(model, graph, violates=violates)
        elif options.bounds is not None:
            assign = _SizedAssigner(model, graph, options.max_steps, k, closure, options.bounds)
        else:
            assign = _Assigner(model, graph, order, options.max_steps)
        may_cycle = one_by_one or order is not None or options.bounds is not None  # up to rounding of the program
        method = _CannotLinkedMeans(model, assign, tolerance=nearly, may_cycle=may_cycle, fixed=options.fixed)
        return run_lloyd(method, centres, feasible, options.max_iter)

    if not one_by_one:
        n_starts = options.n_init if f < k else 1
        return best_of_starts(start, n_starts, lambda run: run.inertia, tick)
    runs = []
    for r in range(options.n_init):
        with suppress(DeadEndError):
            runs.append(start(r))
        tick(1)
    if not runs:
        msg = (
            f"assignment={options.assignment!r} came to a sample that may go to none of {k} clusters, in each of "
            f"{options.n_init} starts: raise n_init, or set assignment='exact', which finds an assignment wherever "
            "there is one, or on_dead_end='violate'"
        )
        raise InfeasibleClusteringError(msg, n_clusters=k, proved=False)
    return best_of_starts(runs.__getitem__, len(runs), lambda run: run.inertia)


def _order(assignment: str, graph: CannotGraph, rng: np.random.Generator) -> np.ndarray | None:
    """The order of a greedy assignment, None for the exact one."""
    if assignment in ("exact", *_ONE_BY_ONE):
        return None
    if assignment == "random":
        return rng.permutation(graph.bound.size)
    return np.arange(graph.bound.size) if assignment == "input" else np.argsort(-graph.degree, kind="stable")


def _infeasible(reason: NotColourable, k: int, closure: PairClosure, limit: int) -> InfeasibleClusteringError:
    """The error, with the samples that cannot be assigned."""
    labels, shown = find_representatives(reason.groups, closure)
    tied = " (each with those that must-links tie to it)" if (closure.sizes[reason.groups] > 1).any() else ""
    if reason.is_clique:
        msg = f"{k} clusters are too few: {len(labels)} samples are all kept apart from each other{tied}: {shown}"
    elif reason.proved:
        msg = (
            f"{k} clusters are too few: the cannot-links among {len(labels)} samples{tied} need more, as a search "
            f"through all assignments showed: {shown}"
        )
    else:
        msg = (
            f"no assignment to {k} clusters that keeps the cannot-links among {len(labels)} samples{tied} was found in "
            f"max_steps={limit} steps, and none was proved impossible: raise max_steps, or n_clusters: {shown}"
        )
    return InfeasibleClusteringError(
        msg, n_clusters=k, samples=labels, is_clique=reason.is_clique, proved=reason.proved
    )


class COPKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConstrainedClusterer):
    """Constrained k-means by Wagstaff, Cardie, Rogers and Schroedl (ICML 2001): pairs are hard constraints.

    Samples are assigned to the nearest centres that the pairs allow, centres move to the means of their samples. Every
    must-link and cannot-link holds in the result (unless ``on_dead_end="violate"``). The paper's greedy assignment can
    fail at a sample with no cluster left. This one then searches for the cheapest assignment that satisfies the
    pairs. So it fails only if there is no such assignment, which it proves, or if the search reaches its limit, which
    the error states.

    Parameters
    ----------
    n_clusters : int or sequence of int, default 8
        Number of clusters. If several are given, e.g. ``range(2, 9)``, the one with the smallest (mean distance of the
        samples to their centres) times k squared is used, as the authors did to count lanes. Numbers for which the
        pairs cannot be satisfied are skipped.
    init : {"k-means++", "random", "pairs"} or array_like, shape (n_clusters, n_features), default "k-means++"
        How the first centres are chosen among the samples (must-linked ones count as one, at their mean), or the
        first centres themselves. "pairs" takes means of must-linked samples: large groups far apart in the first start,
        and drawn by size and distance in the others. If there are fewer than clusters, samples are added.
    n_init : int or "auto", default 10
        Number of starts. The start with the lowest inertia counts. Given centres are used once. "auto" is 1 for
        "k-means++" and 10 for the others.
    max_iter : int, default 300
        Maximum number of iterations of a start.
    tol : float, default 1e-4
        A start has converged when the squared shifts of all centres add up to at most this fraction of the mean
        variance of the features, or when no sample moves.
    assignment : {"exact", "input", "degree", "random", "listing", "incremental"}, default "exact"
        "exact" searches for the cheapest assignment (see Notes). The others are greedy: groups of must-linked samples
        take the nearest centre that earlier ones leave them, in the order of X, by decreasing number of cannot-links,
        or in a random order for each start. At a dead end, the order by cannot-links is tried, then "exact". "listing"
        is the paper's, for comparison: in the order of X the first sample of a group takes its own nearest centre, the
        others follow it, and a dead end ends the start. If all starts end so, `fit` fails, though there may be a
        solution. With ``init="random", n_init=1`` this is the paper's method, but for clusters that lose all samples:
        there they stay empty, here each gets the sample farthest from its centre. "incremental" is the same, but a
        sample moves the mean of its cluster at once, as in MacQueen's k-means. It needs dense X and means. A run that
        returns to an earlier assignment, as greedy ones may, ends there.
    on_dead_end : {"raise", "violate"}, default "raise"
        How "listing" and "incremental" treat a sample that may go to no cluster: end the start, or put it and the
        samples must-linked to it into the nearest cluster. The result then violates cannot-links.
    geometry : {"point", "segment"} or CentreGeometry, default "point"
        The kind of centre: a mean, a line segment along the first feature (`SegmentCentres`), or an object with
        ``fit_centre(points, weights)`` and ``squared_distances(points, centre)``, whose results are checked.
    max_steps : int, default 1_000_000
        Limit of both searches. Search for a first assignment that satisfies the pairs: steps for each connected
        component of the cannot-links, beyond one for each of its groups, after which `fit` raises an error. Search for
        the cheapest assignment, in each iteration: costs and neighbours examined in all components (at least 10,000 in
        each, ten times as many in exchanges, at most 20 million), after which the best one found is used, and counted
        in ``n_cut_short_``.
    min_size : int, float or None, default None
        The least size of a cluster, by default one sample. Where it is given, ``assignment="exact"`` is needed. If the
        cheapest assignment has a smaller cluster, the cheapest one without smaller clusters is found: without pairs as
        a flow of least cost, in an instant, with pairs, or weights that differ, by integer programming, with at most
        `max_steps` nodes in its tree.
    max_size : int, float or None, default None
        The greatest size of a cluster, in the same way.
    size_in : {"samples", "weights"}, default "samples"
        What sizes count: samples, whatever their weights, or the sum of their weights in ``sample_weight``. A sample is
        never split.
    fixed_centers : array_like, shape (f, n_features), or None, default None
        Centres that do not move, of the first f clusters. With f of `n_clusters` this assigns the samples. The other
        clusters start from `init`: an array has their centres alone. A cluster with a fixed centre may be
        empty, unless `min_size` is given.
    random_state : int, Generator, RandomState or None, default None
        Determines the starts.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs with labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels if the index of X is 0..n-1.
    verbose : bool or int, default False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        The cluster of each sample. No cluster is empty, except clusters with fixed centres.
    cluster_centers_ : ndarray of float64, shape (n_clusters, n_features)
        The centres, for another geometry, its p numbers for each.
    inertia_ : float
        Weighted sum of the squared distances of the samples to their centres, infinite if beyond float64.
    n_clusters_ : int
        Number of clusters.
    criterion_ : dict of int to float
        Mean distance times k squared for each number of clusters tried, infinite where the pairs cannot be satisfied.
    n_iter_ : int
        Number of iterations of the best start.
    n_dead_ends_ : int
        Its iterations in which the greedy order was a dead end, 0 for "exact". With ``on_dead_end="violate"``,
        iterations with violations.
    n_cut_short_ : int
        Its assignments, including the final one, not proved to be the cheapest within `max_steps`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    ReCon : hierarchical clustering in which triplets, and pairs, hold.
    tripletree.PairwiseConstraints : the pairs.

    Notes
    -----
    A group of must-linked samples costs as much as its mean with their total weight, plus a constant, so it is one
    weighted point. Cannot-links are between groups. **k clusters suffice** if the graph of cannot-links can be coloured
    with k colours. Groups with fewer than k cannot-links can always be placed and are left out. Then comes a search for
    a clique of more than k. The rest is coloured by DSATUR [2]_ with backtracking, in turn with tabu search [3]_. This
    is decided before clustering. It is exponential in the worst case, hence `max_steps`.

    **Assignment** is by connected components of the graph: exact in polynomial time for trees and for cliques, also
    with trees attached. Otherwise, as the problem is NP-hard, by branch and bound up to `max_steps`, starting from the
    best of the previous assignment and greedy ones with exchanges of clusters (Kempe chains). Every assignment
    satisfies the pairs and costs no more than the previous one for the same centres, so the inertia never rises.

    **Empty clusters** take the group farthest from its centre, from a cluster of several groups. If must-links leave
    fewer groups than clusters, `fit` fails. Without pairs this is scikit-learn's KMeans, up to ties. An iteration takes
    O(n k d) and the search.

    **Cross-validation** passes a part of X with all pairs: identify samples by labels of a pandas index other than
    0..n-1, and set ``missing_samples="ignore"``. `predict` ignores pairs.

    References
    ----------
    .. [1] Wagstaff, Cardie, Rogers, Schroedl (2001), Constrained k-means clustering with background knowledge,
       Proceedings of the 18th International Conference on Machine Learning, 577-584.
    .. [2] Brélaz (1979), New methods to color the vertices of a graph, Communications of the ACM 22(4), 251-256.
    .. [3] Hertz, de Werra (1987), Using tabu search techniques for graph coloring, Computing 39(4), 345-351.

    Examples
    --------
    >>> from tripletree.cluster import COPKMeans
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> COPKMeans(2, random_state=0).fit_predict(X, pairs=([(0, 2)], [(0, 1)])).tolist()
    [0, 1, 0, 0]
    >>> COPKMeans(2).fit(X, pairs=([], [(0, 1), (1, 2), (0, 2)]))
    Traceback (most recent call last):
        ...
    tripletree.errors.InfeasibleClusteringError: 2 clusters are too few: 3 samples are all kept apart from each...
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "init": [StrOptions({"k-means++", "random", "pairs"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "assignment": [StrOptions({"exact", "input", "degree", "random", "listing", "incremental"})],
        "on_dead_end": [StrOptions({"raise", "violate"})],
        "geometry": [StrOptions({"point", "segment"}), HasMethods(["fit_centre", "squared_distances"])],
        "max_steps": [Interval(Integral, 1, None, closed="left")],
        "min_size": [Interval(Real, 0, None, closed="neither"), None],
        "max_size": [Interval(Real, 0, None, closed="neither"), None],
        "size_in": [StrOptions({"samples", "weights"})],
        "fixed_centers": ["array-like", None],
        "random_state": ["random_state", np.random.Generator],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    labels_: np.ndarray
    cluster_centers_: np.ndarray

    def __init__(
        self,
        n_clusters: int | Any = 8,
        *,
        init: str | Any = "k-means++",
        n_init: int | str = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        assignment: str = "exact",
        on_dead_end: str = "raise",
        geometry: str | CentreGeometry = "point",
        max_steps: int = 1_000_000,
        min_size: float | None = None,
        max_size: float | None = None,
        size_in: str = "samples",
        fixed_centers: Any = None,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.assignment = assignment
        self.on_dead_end = on_dead_end
        self.geometry = geometry
        self.max_steps = max_steps
        self.min_size = min_size
        self.max_size = max_size
        self.size_in = size_in
        self.fixed_centers = fixed_centers
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        pairs: Any = None,
        knowledge: Knowledge | None = None,
        sample_names: Any = None,
        sample_weight: Any = None,
    ) -> COPKMeans:
        """Cluster the samples so that every pair holds.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link) of pairs (a, b), optional
            Labels come from the index if X is a pandas DataFrame, else they are **row numbers of this X**. Parts of X,
            as in cross-validation, have other row numbers, which cannot be detected. Every pair must hold, whatever its
            weight.
        knowledge : Knowledge, optional
            Pairs as one value with others. What else is given is added to it.
        sample_names : sequence, shape (n_samples,), optional
            The names of the rows, for an X without an index. Cross-validation cuts them as it does X.
        sample_weight : array_like, shape (n_samples,), optional
            The weight of each sample, at least 0.

        Returns
        -------
        COPKMeans
            The fitted estimator. A fit that fails or is interrupted leaves it unchanged.

        Raises
        ------
        InconsistentPairsError
            If must-links tie two samples together that a cannot-link keeps apart. ``.path`` is the reason.
        InfeasibleClusteringError
            If n_clusters is too small for the cannot-links, or larger than the number of groups of must-linked samples,
            or clusters of `min_size` to `max_size` samples cannot keep the pairs (``.proved``, with ``.clique`` or
            ``.samples`` as the reason of the first), or if no assignment was found in `max_steps` steps, or by
            "listing" or "incremental" in any start (``.proved`` is False).

        Warns
        -----
        ConvergenceWarning
            If the best start did not converge in `max_iter` iterations.

        Examples
        --------
        >>> from tripletree.cluster import COPKMeans
        >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [6.0]], pairs=([(1, 2)], []))
        >>> model.labels_[1] == model.labels_[2]
        np.True_
        """
        given = {"pairs": pairs, "knowledge": knowledge}
        return self._fit(X, y, sample_names=sample_names, sample_weight=sample_weight, given=given)

    def _take(self, X: Any) -> tuple[Any, None]:
        return check_samples(self, X, reset=True, sparse=True), None

    def _cluster(self, data: Data, known: Knowledge) -> None:
        samples = data.samples
        self._check_together(samples)
        check_spread(samples)
        weights = check_weights(samples, data.sample_weight)
        counts = cluster_counts(self.n_clusters, data.n)
        closure = known.pairs.closure()
        bounds, fixed = self._bounds(closure, weights), self._fixed(samples)
        weights, exponent = moderate(weights)
        groups = Groups(samples, weights, closure.component, closure.n_components)
        geometry = chosen_geometry(self.geometry)
        model = MeanCentres(groups) if geometry is None else OtherCentres(groups, geometry)
        best, self.criterion_ = self._best(counts, model, closure, bounds, fixed)
        if not best.converged:
            msg = f"COPKMeans stopped after max_iter={self.max_iter} iterations, before it converged"
            warn_user(f"{msg}: raise max_iter or tol", ConvergenceWarning)
        self.labels_ = best.labels[closure.component]
        self.cluster_centers_, self.inertia_ = best.centres, times_power(best.inertia, exponent)
        self.n_clusters_ = best.centres.shape[0]
        self.n_iter_, self.n_dead_ends_, self.n_cut_short_ = best.n_iter, best.n_dead_ends, best.n_cut_short
        self._n_features_out = self.n_clusters_
        self._geometry = geometry

    def _check_together(self, samples: Any) -> None:
        """Refuse parameters that do not go with each other, or not with sparse samples."""
        if is_sparse(samples) and self.geometry != "point":
            msg = f"geometry={self.geometry!r} needs dense X; sparse X goes with geometry='point'"
            raise TypeError(msg)
        if is_sparse(samples) and self.assignment == "incremental":
            msg = "assignment='incremental' needs dense X; for sparse X set another one, or give X.toarray()"
            raise TypeError(msg)
        if self.assignment == "incremental" and self.geometry != "point":
            msg = f"assignment='incremental' moves means, which geometry={self.geometry!r} has not: set 'point'"
            raise ValueError(msg)
        if isinstance(self.init, str) and self.init == "pairs" and self.geometry != "point":
            msg = f"init='pairs' starts from means, which geometry={self.geometry!r} has not: set another init"
            raise ValueError(msg)
        if self.on_dead_end == "violate" and self.assignment not in _ONE_BY_ONE:
            msg = (
                f"on_dead_end='violate' is for assignment='listing' or 'incremental'; assignment={self.assignment!r} "
                "keeps all pairs, or fails: leave on_dead_end='raise'"
            )
            raise ValueError(msg)
        for name, value in (("min_size", self.min_size), ("max_size", self.max_size)):
            if value is not None and self.size_in == "samples" and (value != int(value) or value < 1):
                msg = f"{name}={value!r} is not a number of samples; size_in='weights' takes sums of weights"
                raise ValueError(msg)
            if value not in (None, 1 if name == "min_size" else None) and self.assignment != "exact":
                msg = f"{name}={value} needs assignment='exact', not {self.assignment!r}"
                raise ValueError(msg)
        if self.max_size is not None and self.min_size is not None and self.max_size < self.min_size:
            msg = f"min_size={self.min_size} is more than max_size={self.max_size}"
            raise ValueError(msg)
        if self.fixed_centers is None:
            return
        for name, chosen, wanted in (
            ("geometry", self.geometry, "'point'"),
            ("assignment", self.assignment, None if self.assignment != "incremental" else "another one"),
            ("init", self.init, "'k-means++', 'random' or an array" if isinstance(self.init, str) else None),
        ):
            if wanted is not None and not (isinstance(chosen, str) and chosen in ("point", "k-means++", "random")):
                msg = f"fixed_centers do not go with {name}={chosen!r}: set {wanted}"
                raise ValueError(msg)

    def _bounds(self, closure: PairClosure, weights: np.ndarray) -> SizeBounds | None:
        """Return the bounds of sizes, or None if the only bound is that no cluster is empty."""
        plain = (None,) if self.size_in == "weights" or self.fixed_centers is not None else (None, 1)
        if self.max_size is None and self.min_size in plain:
            return None
        most = np.inf if self.max_size is None else float(self.max_size)
        if self.size_in == "weights":
            sizes = np.bincount(closure.component, weights, closure.n_components)
            return SizeBounds(sizes, float(self.min_size or 0), most, are_weights=True)
        least = self.min_size or (1 if self.fixed_centers is None else 0)
        return SizeBounds(closure.sizes.astype(np.float64), float(least), most, are_weights=False)

    def _fixed(self, samples: Any) -> np.ndarray:
        """Return the fixed centres, an array without rows by default."""
        d = samples.shape[1]
        if self.fixed_centers is None:
            return np.empty((0, d))
        fixed = check_array(self.fixed_centers, dtype=np.float64, order="C", input_name="fixed_centers")
        if fixed.shape[1] != d:
            msg = f"fixed_centers must hold centres of {d} features; got shape {fixed.shape}"
            raise ValueError(msg)
        check_reach(fixed, samples, "the centre fixed_centers holds at place")
        return fixed

    def predict(self, X: Any) -> np.ndarray:
        """Find the nearest centre of new samples, without regard to pairs.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n_new, n_features)
            The new samples.

        Returns
        -------
        ndarray of int, shape (n_new,)
            Their clusters. Ties go to the lowest. On the fitted samples that need not be
            ``labels_``.
        """
        return self._nearest(X)[0]

    def transform(self, X: Any) -> np.ndarray:
        """Distances of samples to the centres.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n_new, n_features)
            The samples.

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters)
        """
        return np.sqrt(self._squared(self._checked(X)))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The negative weighted sum of squared distances of samples to their nearest centres, as KMeans has it.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n_new, n_features)
            The samples.
        y : None
            Ignored.
        sample_weight : array_like, shape (n_new,), optional
            How much each sample counts.

        Returns
        -------
        float
        """
        squared = self._nearest(X)[1]
        weights, exponent = moderate(check_weights(squared[:, None], sample_weight))
        return -times_power(float(squared @ weights), exponent)

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        samples = check_samples(self, X, reset=False, sparse=self._geometry is None)
        if self._geometry is None:
            check_reach(samples, self.cluster_centers_)
        return samples

    def _squared(self, samples: np.ndarray) -> np.ndarray:
        if self._geometry is None:
            return points_of(samples).squared_distances(self.cluster_centers_)
        geometry = CheckedGeometry(self._geometry)
        return np.stack([geometry.squared_distances(samples, c) for c in self.cluster_centers_], axis=1)

    def _nearest(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        samples = self._checked(X)
        if self._geometry is None:
            return points_of(samples).closest(self.cluster_centers_)
        squared = self._squared(samples)
        return squared.argmin(axis=1).astype(np.int32), squared.min(axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.geometry == "point"
        return tags

    def _best(
        self, counts: list[int], model: GroupCentres, closure: PairClosure, bounds: SizeBounds | None, fixed: np.ndarray
    ) -> tuple[LloydRun, dict[int, float]]:
        options = Options(
            init=self.init,
            n_init=number_of_starts(self.n_init, self.init),
            max_iter=self.max_iter,
            tol=self.tol,
            assignment=self.assignment,
            on_dead_end=self.on_dead_end,
            max_steps=self.max_steps,
            bounds=bounds,
            fixed=fixed,
        )
        with progress_bar(self.verbose, len(counts) * options.n_init, type(self).__name__, "starts") as tick:
            return best_run(model, closure, counts, options, generator(self.random_state), tick)
