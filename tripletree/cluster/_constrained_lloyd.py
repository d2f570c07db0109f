"""k-means in which groups of samples move as one, and some groups never meet: one run, on arrays."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from tripletree._kernels import freeze
from tripletree.cluster._assignment_search import CannotGraph
from tripletree.cluster._lloyd import (
    Points,
    centre_step,
    different_values,
    draw,
    nearest_centres,
    refill,
    squared_distances,
    starting_centres,
    value_order,
)
from tripletree.cluster.geometry import CentreGeometry, CheckedGeometry

__all__ = ["GroupCentres", "Groups", "MeanCentres", "OtherCentres", "Run", "run_lloyd"]

#: A group whose samples all have weight 0 counts as this part of the heaviest one where clusters are chosen, so that it
#: goes to the nearest that it may go to.
_FEATHER = 1e-12


class Groups(NamedTuple):
    """Samples in groups that stay together.

    Attributes
    ----------
    samples : ndarray of float64, shape (n, d)
    weights : ndarray of float64, shape (n,)
    member_of : ndarray of int32, shape (n,)
        The group of each sample.
    n_groups : int
    """

    samples: np.ndarray
    weights: np.ndarray
    member_of: np.ndarray
    n_groups: int


class GroupCentres(Protocol):
    """How groups and centres meet."""

    groups: Groups

    def start(self, n_clusters: int, rng: np.random.Generator, init: str) -> np.ndarray:
        """The first centres."""
        ...

    def at(self, places: np.ndarray) -> np.ndarray:
        """Centres at given places, shape (k, d)."""
        ...

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        """The cheapest cluster of each group."""
        ...

    def costs(self, centres: np.ndarray, which: np.ndarray) -> np.ndarray:
        """What some groups cost in each cluster, up to a constant for each group."""
        ...

    def distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """How far each group is from its centre: its mean squared distance, or that of its mean."""
        ...

    def moved(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """The best centres for given clusters of the groups, none of which is empty."""
        ...

    def sample_distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Squared distance of each sample to the centre of its group's cluster."""
        ...


class MeanCentres:
    """Centres are means: a group of samples is one point, its mean, with their weight, for all that is compared."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.points = Points.grouped(groups.samples, groups.weights, groups.member_of, groups.n_groups)
        self._which, self._columns = np.empty(0, np.intp), self.points.columns[:, :0]

    def start(self, n_clusters: int, rng: np.random.Generator, init: str) -> np.ndarray:
        return starting_centres(self.points, n_clusters, rng, init=init)

    def at(self, places: np.ndarray) -> np.ndarray:
        return places

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        return nearest_centres(self.points.columns, centres)[0]

    def costs(self, centres: np.ndarray, which: np.ndarray) -> np.ndarray:
        if self._which is not which:  # the same ones in every iteration
            self._which, self._columns = which, freeze(np.ascontiguousarray(self.points.columns[:, which]))
        return squared_distances(self._columns, centres) * self._light_weights[which, None]

    @cached_property
    def _light_weights(self) -> np.ndarray:
        return np.maximum(self.points.weights, _FEATHER * self.points.weights.max())

    def distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        return ((self.points.columns.T - centres[labels]) ** 2).sum(axis=1)

    def moved(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        return centre_step(self.points, labels, centres)

    def sample_distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        difference = self.groups.samples - centres[labels[self.groups.member_of]]
        return np.einsum("ij,ij->i", difference, difference)


class OtherCentres:
    """Centres of any geometry: the cost of a group is that of its samples, one by one."""

    def __init__(self, groups: Groups, geometry: CentreGeometry) -> None:
        self.groups, self.geometry = groups, CheckedGeometry(geometry)
        heaviest = groups.weights.max()
        self._weights = np.maximum(groups.weights, _FEATHER * heaviest)
        self._mass = np.bincount(groups.member_of, self._weights, groups.n_groups)

    def start(self, n_clusters: int, rng: np.random.Generator, init: str) -> np.ndarray:
        samples, chances = self.groups.samples, self.groups.weights
        order = value_order(samples.T)
        if init == "random":
            return self.at(samples[different_values(samples.T, chances, order, n_clusters, rng)])
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
class Run:
    """Where one start led.

    Attributes
    ----------
    labels : ndarray of int32
        Cluster of each group; every cluster has one.
    centres : ndarray of float64
    inertia, mean_distance : float
        Weighted sum of the squared distances of the samples, weighted mean of the distances.
    n_iter, n_dead_ends, n_cut_short : int
        Iterations; those in which a greedy order ended at a group that it found no cluster for; those in which the
        search for the cheapest assignment ended at its limit.
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


class _Assigner:
    """Assigns groups to centres without ever breaking a cannot-link."""

    def __init__(self, model: GroupCentres, graph: CannotGraph, order: np.ndarray | None, limit: int) -> None:
        self.model, self.graph, self.order, self.limit = model, graph, order, limit
        self.dead_ends = self.cut_short = 0

    def __call__(self, centres: np.ndarray, previous: np.ndarray) -> np.ndarray:
        """The cheapest clusters, or those of the greedy order; `previous` is feasible and bounds the cost."""
        labels = self.model.nearest(centres)
        bound = self.graph.bound
        if bound.size:
            cost = self.model.costs(centres, bound)
            labels[bound] = self._bound(cost, previous[bound])
        return labels

    def _bound(self, cost: np.ndarray, previous: np.ndarray) -> np.ndarray:
        if self.order is not None:
            found = self.graph.greedy(cost, self.order)
            if found is None:
                self.dead_ends += 1
                found = self.graph.greedy(cost, np.argsort(-self.graph.degree, kind="stable"))
            if found is not None:
                return found
        found, is_cheapest = self.graph.assign(cost, previous, self.limit)
        self.cut_short += not is_cheapest
        return found


def run_lloyd(
    model: GroupCentres,
    graph: CannotGraph,
    centres: np.ndarray,
    feasible: np.ndarray,
    *,
    order: np.ndarray | None,
    max_iter: int,
    tolerance: float,
    search_limit: int,
) -> Run:
    """Move groups and centres in turn until the clusters stay as they are, or the centres nearly do.

    Parameters
    ----------
    model : GroupCentres
    graph : CannotGraph
    centres : ndarray of float64
        The first ones.
    feasible : ndarray of int32
        Clusters of all groups that keep the cannot-links.
    order : ndarray of int32 or None
        Nodes of the graph in the order in which they choose their clusters, None for the cheapest assignment: the
        inertia then never rises.
    max_iter : int
    tolerance : float
        Of the squared shift of all centres.
    search_limit : int
        Of each search for the cheapest assignment.

    Returns
    -------
    Run
    """
    assign = _Assigner(model, graph, order, search_limit)
    labels, before, settled, converged, count = feasible, None, False, False, 0
    seen: set[bytes] = set()  # greedy orders can go round in circles
    while count < max_iter and not converged:
        count += 1
        chosen = assign(centres, labels)
        labels = _filled(model, chosen, centres)
        moved = model.moved(labels, centres)
        settled = before is not None and np.array_equal(chosen, before)
        settled |= order is not None and _known(chosen, seen)
        shift = float(((moved - centres) ** 2).sum())
        centres, before = moved, chosen
        converged = settled or shift <= tolerance
    if not settled:
        chosen = assign(centres, labels)
        labels = _filled(model, chosen, centres)
    strays = np.unique(labels[labels != chosen])
    if strays.size:  # clusters that were empty: their centres are where their only groups are
        centres = centres.copy()
        centres[strays] = model.moved(labels, centres)[strays]
    squared, weights = model.sample_distances(labels, centres), model.groups.weights
    distance = float(weights @ np.sqrt(squared) / weights.sum())
    inertia = float(weights @ squared)
    return Run(labels, centres, inertia, distance, count, assign.dead_ends, assign.cut_short, converged)


def _known(labels: np.ndarray, seen: set[bytes]) -> bool:
    """Whether these labels were seen before; they are noted."""
    digest = hashlib.sha256(labels.tobytes()).digest()
    known = digest in seen
    seen.add(digest)
    return known


def _filled(model: GroupCentres, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
    if np.bincount(labels, minlength=centres.shape[0]).all():
        return labels
    return refill(labels, model.distances(labels, centres), centres.shape[0])
