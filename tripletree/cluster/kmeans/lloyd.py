"""Lloyd's algorithm for the k-means family: its loop, and steps: starts, nearest centres, means, empty clusters.

Points come as ``Points``: columns (features along the rows, for the kernels) and weights, both read-only. A group of
samples that must stay together is one point, its mean, with the sum of their weights: moving it as a whole costs
``weight * squared distance`` plus a constant, the scatter within.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from tripletree import kernels
from tripletree.kernels import freeze, frozen

__all__ = [
    "Alternation",
    "Lloyd",
    "Points",
    "alternate",
    "best_of_starts",
    "centre_step",
    "check_start",
    "check_weights",
    "different_values",
    "draw",
    "nearest_centres",
    "number_of_starts",
    "refill",
    "scatter",
    "squared_distances",
    "starting_centres",
    "tolerance",
    "value_order",
]


_R = TypeVar("_R")
_H = TypeVar("_H")

#: Costs that differ by such a part of them are equal: else the choice would depend on the machine.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Points:
    """Weighted points, as the kernels take them.

    Attributes
    ----------
    columns : ndarray of float64, shape (d, n), read-only
    weights : ndarray of float64, shape (n,), read-only
    """

    columns: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, samples: np.ndarray, weights: np.ndarray | None = None) -> Points:
        """From samples of shape (n, d) and their weights, None for ones."""
        weights = np.ones(samples.shape[0]) if weights is None else weights
        return cls(freeze(np.array(samples.T, np.float64, order="C")), frozen(weights, np.float64))

    @classmethod
    def grouped(cls, samples: np.ndarray, weights: np.ndarray, group: np.ndarray, n_groups: int) -> Points:
        """The weighted means of groups 0..n_groups-1 of samples; plain means where a group has no weight."""
        mass = np.bincount(group, weights, n_groups)
        size = np.bincount(group, minlength=n_groups)
        if n_groups == samples.shape[0]:  # every sample for itself, if in another order
            columns = np.empty((samples.shape[1], n_groups))
            columns[:, group] = samples.T
            return cls(freeze(columns), freeze(mass))
        share = np.where(mass[group] > 0, weights / np.where(mass > 0, mass, 1.0)[group], 1.0 / size[group])
        rows = (np.bincount(group, share * samples[:, t], n_groups) for t in range(samples.shape[1]))
        return cls(freeze(np.array(list(rows))), freeze(mass))

    @property
    def n(self) -> int:
        """Number of points."""
        return self.columns.shape[1]

    def rows(self, which: Any) -> np.ndarray:
        """Some points, as rows."""
        return np.ascontiguousarray(self.columns[:, which].T)


def check_weights(X: np.ndarray, sample_weight: Any) -> np.ndarray:
    """Weights of the samples: ones for None, one number for all of them.

    Raises
    ------
    ValueError
        If they are not n finite numbers >= 0, or all of them are 0.
    """
    from sklearn.utils.validation import _check_sample_weight

    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        i = int((weights < 0).argmax())
        msg = f"sample_weight must not be negative; that of sample {i} is {weights[i]:g}"
        raise ValueError(msg)
    if not weights.any():
        msg = "sample_weight is 0 for all samples: at least one must be positive"
        raise ValueError(msg)
    return weights


def check_start(init: Any, n_clusters: int, n_features: int) -> np.ndarray | None:
    """Given centres as a float64 array of shape (n_clusters, n_features); None where `init` names a method.

    Raises
    ------
    ValueError
        If they have another shape, or are not finite.
    """
    if isinstance(init, str):
        return None
    from sklearn.utils.validation import check_array

    centres = check_array(init, dtype=np.float64, copy=True, order="C", input_name="init")
    if centres.shape != (n_clusters, n_features):
        msg = f"init must hold {n_clusters} centres of {n_features} features; got shape {centres.shape}"
        raise ValueError(msg)
    return centres


def number_of_starts(n_init: int | str, init: Any) -> int:
    """How often to start: once from given centres, and for "auto" 1 with k-means++, 10 at random, as scikit-learn."""
    if not isinstance(init, str):
        return 1
    if n_init == "auto":
        return 1 if init == "k-means++" else 10
    return int(n_init)


def best_of_starts(
    start: Callable[[int], _R], n_starts: int, cost: Callable[[_R], float], tick: Callable[[int], Any] | None = None
) -> _R:
    """The cheapest of several runs: the first one, unless a later one is cheaper by more than rounding.

    Parameters
    ----------
    start : callable
        ``start(r)`` makes run number r.
    n_starts : int
        At least 1.
    cost : callable
        The cost of a run, what is minimised.
    tick : callable, optional
        Called with 1 after each run.
    """
    best = None
    for r in range(n_starts):
        run = start(r)
        if best is None or cost(run) < cost(best) - _ROUNDING * abs(cost(best)):
            best = run
        if tick is not None:
            tick(1)
    assert best is not None
    return best


class Lloyd(Protocol[_R, _H]):
    """What the methods of the k-means family differ in: the two steps that alternate, and when to stop.

    One of them chooses labels for the centres, the other moves the centres; which of them comes first is up to the
    method. R is what a whole iteration leaves, H what is there between the steps.
    """

    def first(self, now: _R) -> _H:
        """The first step of an iteration."""

    def then(self, half: _H) -> _R:
        """The second one."""

    def is_over(self, before: _R, now: _R) -> bool:
        """Whether the last iteration has changed next to nothing."""

    def cost(self, state: _R | _H) -> float:
        """The objective; only asked for a history, or where the cost may rise."""


@dataclass(frozen=True)
class Alternation(Generic[_R]):
    """What the loop ended in.

    Attributes
    ----------
    last, best
        What the last iteration left; the cheapest, where the cost may rise, else the last one.
    n_iter : int
    converged : bool
        False where it was stopped by `max_iter`.
    """

    last: _R
    best: _R
    n_iter: int
    converged: bool


def alternate(
    method: Lloyd[_R, _H], start: _R, max_iter: int, *, history: list[float] | None = None, patience: int | None = None
) -> Alternation[_R]:
    """Lloyd's loop: alternate the two steps of a method until they change nothing.

    Parameters
    ----------
    method : Lloyd
    start
        What an iteration would leave.
    max_iter : int
    history : list of float, optional
        The cost is appended for the start and after each step.
    patience : int, optional
        For methods whose cost may rise: iterations in a row without a lower one after which the loop ends. The cheapest
        iteration counts, the latest of those.

    Returns
    -------
    Alternation
    """
    if history is not None:
        history.append(method.cost(start))
    now = best = start
    converged, n_iter, idle = False, 0, 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        half = method.first(now)
        if history is not None:
            history.append(method.cost(half))
        before, now = now, method.then(half)
        if history is not None:
            history.append(method.cost(now))
        if patience is not None:
            cost, least = method.cost(now), method.cost(best)
            idle = 0 if cost < least - _ROUNDING * abs(least) else idle + 1
            if cost <= least + _ROUNDING * abs(least):
                best = now
        converged = method.is_over(before, now) or (patience is not None and idle >= patience)
    return Alternation(now, now if patience is None else best, n_iter, converged)


def starting_centres(
    points: Points, n_clusters: int, rng: np.random.Generator, *, init: str = "k-means++"
) -> np.ndarray:
    """Choose points as the first centres.

    Parameters
    ----------
    points : Points
    n_clusters : int
        At most as many as points.
    rng : Generator
    init : {"k-means++", "random"}
        Each drawn by its weight times the squared distance to the nearest one so far, the best of ``2 + log(k)``
        candidates (Arthur, Vassilvitskii 2007, as in scikit-learn); or points at different places, by weight.

    Returns
    -------
    ndarray of float64, shape (n_clusters, d)

    Notes
    -----
    Draws go along the points in the order of their values, so the start depends neither on the order of the samples nor
    on whether a sample of weight 2 comes as one or as two.
    """
    order = value_order(points.columns)
    if init == "random":
        return points.rows(different_values(points.columns, points.weights, order, n_clusters, rng))
    draws = rng.random((n_clusters, 2 + int(np.log(n_clusters))))
    return points.rows(kernels.lloyd.plus_plus(points.columns, points.weights, frozen(order), freeze(draws)))


def value_order(columns: np.ndarray) -> np.ndarray:
    """Points in the order of their first feature, of the next ones where it is equal."""
    order = np.argsort(columns[0], kind="stable")
    first = columns[0, order]
    if (first[1:] == first[:-1]).any():
        order = np.lexsort(columns[::-1])
    return order.astype(np.int32)


def draw(chances: np.ndarray, order: np.ndarray, rng: np.random.Generator) -> int:
    """One of the points, by chance; chances are added up in the given order. The last one if all chances are 0."""
    total = np.cumsum(chances[order])
    place = np.searchsorted(total, rng.random() * total[-1], side="right")
    return int(order[min(int(place), total.size - 1)])


def different_values(
    columns: np.ndarray, weights: np.ndarray, order: np.ndarray, count: int, rng: np.random.Generator
) -> list[int]:
    """Points drawn by weight, no two of them at the same place, as long as there are places."""
    chances, chosen = weights, []
    for _ in range(count):
        i = draw(chances, order, rng)
        chosen.append(i)
        chances = np.where((columns == columns[:, [i]]).all(axis=0), 0.0, chances)
        if not chances.any():
            chances = weights
    return chosen


def nearest_centres(columns: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest centre of each point (int32, the lowest of several) and its squared distance."""
    return kernels.lloyd.nearest(columns, frozen(centres, np.float64))


def squared_distances(columns: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared distances, shape (n, k)."""
    return kernels.lloyd.squared_distances(columns, frozen(centres, np.float64))


def scatter(points: Points, labels: np.ndarray, centres: np.ndarray) -> float:
    """The sum of weight times squared distance to the centre of the own cluster."""
    total = np.zeros(points.n)
    for values, places in zip(points.columns, centres.T, strict=True):
        total += (values - places[labels]) ** 2
    return float(total @ points.weights)


def centre_step(points: Points, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The weighted mean of each cluster; one without weight keeps its old centre."""
    total, mass = kernels.lloyd.sums(points.columns, points.weights, frozen(labels), centres.shape[0])
    held = mass > 0
    moved = centres.copy()
    moved[held] = total[held] / mass[held, None]
    return moved


def refill(labels: np.ndarray, distances: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels in which each empty cluster got the point farthest from its centre, out of a cluster of several.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
    distances : ndarray of float64, shape (n,)
        Of each point to its own centre.
    n_clusters : int
        At most n.

    Returns
    -------
    ndarray of int32, shape (n,)
        `labels` itself where no cluster is empty. A point that moves is alone in its new cluster, so it can break no
        cannot-link.
    """
    count = np.bincount(labels, minlength=n_clusters)
    empty = np.flatnonzero(count == 0)
    if empty.size == 0:
        return labels
    labels, place = labels.copy(), 0
    for i in np.argsort(-distances, kind="stable").tolist():
        if place == empty.size:
            break
        if count[labels[i]] > 1:
            count[labels[i]] -= 1
            labels[i] = empty[place]
            place += 1
    return labels


def tolerance(samples: np.ndarray, weights: np.ndarray, tol: float) -> float:
    """The squared shift of all centres together below which a run has converged: tol times the mean variance."""
    if tol == 0:
        return 0.0
    mean = np.average(samples, axis=0, weights=weights)
    return float(tol * np.mean(np.average((samples - mean) ** 2, axis=0, weights=weights)))
