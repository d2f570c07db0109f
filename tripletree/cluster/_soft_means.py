"""k-means with soft pairs, on arrays: labels and centres by turns, from several starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tripletree._kernels import freeze
from tripletree.cluster._lloyd import Points, centre_step, nearest_centres, scatter, squared_distances
from tripletree.cluster._soft_pairs import Links, best_for_empty, link_costs, settled

__all__ = ["Euclidean", "Run", "State", "best_run", "soft_run"]


class State(Protocol):
    """Centres, and what distances mean: all that the labels are chosen by."""

    centres: np.ndarray

    @property
    def pay(self) -> np.ndarray:
        """What violated pairs cost, shape (e, k), see `settled`."""

    def nearest(self) -> np.ndarray:
        """The cluster in which each sample by itself costs least, int32."""

    def own(self, labels: np.ndarray) -> np.ndarray:
        """What each sample costs in its cluster, without the pairs."""

    def linked(self) -> np.ndarray:
        """What the samples in pairs cost in each cluster, shape (m, k)."""

    def updated(self, labels: np.ndarray) -> State:
        """The best one for the labels; empty clusters stay as they are."""

    def with_centre(self, cluster: int, sample: int) -> State:
        """The same with the centre of an empty cluster on a sample."""

    def scatter(self, labels: np.ndarray) -> float:
        """What the labels cost without the pairs."""

    def is_near(self, other: Any) -> bool:
        """Whether the difference is below the tolerance."""

    def at(self, points: Points) -> State:
        """The same for other points, which are in no pairs."""

    def distances(self) -> np.ndarray:
        """Squared distances of all samples to the centres, shape (n, k)."""


@dataclass
class Run:
    """What one start ended in.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    state : State
    inertia, objective : float
        The objective without the pairs, and with them.
    n_iter : int
    converged : bool
    """

    labels: np.ndarray
    state: State
    inertia: float
    objective: float
    n_iter: int
    converged: bool


def soft_run(
    state: State, links: Links, rng: np.random.Generator, *, max_iter: int, history: list[float] | None = None
) -> Run:
    """Choose labels and update centres by turns until nothing changes, from one start.

    Parameters
    ----------
    state : State
        The start.
    links : Links
    rng : Generator
        For the order in which samples are looked at.
    max_iter : int
    history : list of float, optional
        The objective is appended after each choice of labels and after each update of the centres.

    Returns
    -------
    Run
    """
    labels = _assigned(state, links, None, rng)
    converged, filled, n_iter = False, False, 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        before, old = state, labels
        _record(history, state, links, labels)
        state = state.updated(labels)
        _record(history, state, links, labels)
        lost = _for_empty(state, links, labels)
        for cluster, sample in lost.items():
            state = state.with_centre(cluster, sample)
        labels = _assigned(state, links, labels, rng)
        same = bool((labels == old).all())
        converged = (same and (filled or not lost)) or (not lost and state.is_near(before))
        filled = same
    _record(history, state, links, labels)
    inertia = state.scatter(labels)
    return Run(labels, state, inertia, inertia + _cost(state, links, labels), n_iter, converged)


def best_run(start: Callable[[int], Run], n_init: int, tell: Callable[[int], Any] | None = None) -> Run:
    """The run of least objective, the first of several; `tell` is called after each."""
    best: Run | None = None
    for r in range(n_init):
        run = start(r)
        if best is None or run.objective < best.objective - 1e-12 * abs(best.objective):
            best = run
        if tell is not None:
            tell(1)
    assert best is not None
    return best


def _assigned(state: State, links: Links, labels: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    free = state.nearest()
    if links.nodes.size:
        now = None if labels is None else labels[links.nodes]
        free[links.nodes] = settled(links, state.linked(), state.pay, now, rng)
    return free


def _for_empty(state: State, links: Links, labels: np.ndarray) -> dict[int, int]:
    k = state.centres.shape[0]
    if np.bincount(labels, minlength=k).all():
        return {}
    return best_for_empty(links, state.own(labels), state.pay, labels, k)


def _cost(state: State, links: Links, labels: np.ndarray) -> float:
    return float(link_costs(links, state.pay, labels[links.nodes])[1].sum())


def _record(history: list[float] | None, state: State, links: Links, labels: np.ndarray) -> None:
    if history is not None:
        history.append(state.scatter(labels) + _cost(state, links, labels))


def _part(points: Points, nodes: np.ndarray) -> Points:
    return Points(freeze(np.ascontiguousarray(points.columns[:, nodes])), freeze(points.weights[nodes]))


@dataclass
class Euclidean:
    """Squared Euclidean distances: the state of `PCKMeans`.

    Attributes
    ----------
    points : Points
    some : Points
        Those in pairs.
    centres : ndarray of float64, shape (k, d)
    pay : ndarray of float64, shape (e, k)
    tolerance : float
        The squared shift of all centres together that is next to nothing.
    """

    points: Points
    some: Points
    centres: np.ndarray
    pay: np.ndarray
    tolerance: float

    @classmethod
    def of(cls, points: Points, links: Links, penalty: float, centres: np.ndarray, tolerance: float) -> Euclidean:
        """With the price of a violated pair of strength 1."""
        share = np.where(np.arange(links.strength.size) < links.n_must, 0.5, 1.0)  # both ends pay for a must-link
        pay = np.repeat((penalty * share * links.strength)[:, None], centres.shape[0], axis=1)
        return cls(points, _part(points, links.nodes), centres, pay, tolerance)

    def nearest(self) -> np.ndarray:
        """See `State`."""
        return nearest_centres(self.points.columns, self.centres)[0]

    def own(self, labels: np.ndarray) -> np.ndarray:
        """See `State`."""
        return self.points.weights * ((self.points.columns - self.centres.T[:, labels]) ** 2).sum(axis=0)

    def linked(self) -> np.ndarray:
        """See `State`."""
        return self.some.weights[:, None] * squared_distances(self.some.columns, self.centres)

    def updated(self, labels: np.ndarray) -> Euclidean:
        """See `State`."""
        return self._at(centre_step(self.points, labels, self.centres))

    def with_centre(self, cluster: int, sample: int) -> Euclidean:
        """See `State`."""
        centres = self.centres.copy()
        centres[cluster] = self.points.columns[:, sample]
        return self._at(centres)

    def scatter(self, labels: np.ndarray) -> float:
        """See `State`."""
        return scatter(self.points, labels, self.centres)

    def is_near(self, other: Euclidean) -> bool:
        """See `State`."""
        return float(((self.centres - other.centres) ** 2).sum()) <= self.tolerance

    def at(self, points: Points) -> Euclidean:
        """See `State`."""
        return Euclidean(points, points, self.centres, self.pay[:0], self.tolerance)

    def distances(self) -> np.ndarray:
        """See `State`."""
        return squared_distances(self.points.columns, self.centres)

    def _at(self, centres: np.ndarray) -> Euclidean:
        return Euclidean(self.points, self.some, centres, self.pay, self.tolerance)
