"""The state of `MPCKMeans`: centres, and a metric for each cluster or one for all of them.

Metrics are rows of a diagonal, shape (k, d), or matrices, shape (k, d, d). All is in the frame of `SoftPairMeans`, in
which the mean variance of the features is 1 / d: the metric to start with is d times the identity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.cluster._lloyd import Points, centre_step, squared_distances
from tripletree.cluster._soft_pairs import Links, violated_links

__all__ = ["Learned", "Problem", "far_differences"]

#: Eigenvalues of the matrix that is inverted for a metric are at least this part of the greatest.
_FLOOR = 1e-6
#: How often the step to a new metric is halved where the objective would rise, and directions in which far samples
#: are looked for.
_HALVINGS, _DIRECTIONS = 6, 16


@dataclass(frozen=True)
class Problem:
    """What stays the same through the iterations.

    Attributes
    ----------
    points : Points
    links : Links
    price : ndarray of float64, shape (e,)
        Penalty times strength of each pair.
    apart : ndarray of float64, shape (e, d)
        The difference of the two samples of each pair.
    far : ndarray of float64, shape (c, d)
        Differences: the greatest square of one of them under a metric is what that of a violated cannot-link is
        subtracted from. None of those in `apart` that are cannot-links is ever greater.
    prior : float
        How many samples the metric to start with is worth.
    shared : bool
        One metric for all clusters.
    tol : float
    """

    points: Points
    links: Links
    price: np.ndarray
    apart: np.ndarray
    far: np.ndarray
    prior: float
    shared: bool
    tol: float


def far_differences(points: Points, links: Links, rng: np.random.Generator, *, full: bool) -> tuple:
    """``apart`` and ``far`` of a problem.

    For diagonals ``far`` is the diagonal of the box around the samples, which no two of them exceed in any feature. For
    matrices it holds the differences of samples that are the first or the last along some feature or some direction
    drawn at random, and those of the cannot-links.
    """
    some = np.ascontiguousarray(points.columns[:, links.nodes].T)
    apart = some[links.ends[:, 0]] - some[links.ends[:, 1]]
    if not full:
        return apart, np.ptp(points.columns, axis=1)[None, :]
    d = points.columns.shape[0]
    widest = np.argsort(-np.ptp(points.columns, axis=1), kind="stable")[:_DIRECTIONS]
    value = np.concatenate([points.columns[widest], rng.normal(size=(_DIRECTIONS, d)) @ points.columns])
    ends = np.unique(np.concatenate([value.argmin(axis=1), value.argmax(axis=1)]))
    i, j = np.triu_indices(ends.size)
    rows = points.columns[:, ends].T
    return apart, np.concatenate([rows[i] - rows[j], apart[links.n_must :]])


def _lengths(differences: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Squared lengths of differences (c, d) under a metric."""
    if metric.ndim == 1:
        return (differences * differences) @ metric
    return ((differences @ metric) * differences).sum(axis=1)


def _log_det(metric: np.ndarray) -> float:
    return float(np.log(metric).sum() if metric.ndim == 1 else np.linalg.slogdet(metric)[1])


def _root(metric: np.ndarray) -> np.ndarray:
    """R with R'R = the metric: its diagonal for a diagonal."""
    return np.sqrt(metric) if metric.ndim == 1 else np.linalg.cholesky(metric).T


def _mapped(root: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Columns in a space whose Euclidean distances are those of the metric of a root."""
    if root.ndim == 1:
        return freeze(root[:, None] * columns)
    return freeze(np.ascontiguousarray(root @ columns))


@dataclass
class Learned:
    """See `State`.

    Attributes
    ----------
    problem : Problem
    centres : ndarray of float64, shape (k, d)
    metrics : ndarray of float64, shape (k, d) or (k, d, d)
    """

    problem: Problem
    centres: np.ndarray
    metrics: np.ndarray

    @classmethod
    def of(cls, problem: Problem, centres: np.ndarray, *, full: bool) -> Learned:
        """With the metric to start with."""
        k, d = centres.shape
        return cls(problem, centres, np.repeat((d * np.eye(d) if full else np.full(d, float(d)))[None], k, axis=0))

    @classmethod
    def of_must_links(cls, problem: Problem, choose: Callable[[Points], np.ndarray], *, k: int, full: bool) -> Learned:
        """With the metric under which must-linked samples are near each other, and centres chosen under it.

        Parameters
        ----------
        problem : Problem
        choose : callable
            Points -> centres; it is given the points in a space whose Euclidean distances are those of the metric.
        k : int
        full : bool
        """
        d, n_must = problem.apart.shape[1], problem.links.n_must
        apart, strength = problem.apart[:n_must].T, problem.links.strength[:n_must]
        start = cls.of(problem, np.empty((k, d)), full=full)  # the prior, and half the squares: those around the means
        moment = problem.prior / d * (np.eye(d) if full else np.ones(d)) + start._square(apart, 0.5 * strength)
        mass = problem.prior + strength.sum()
        metric = mass * (np.linalg.inv(moment) if full else 1.0 / moment)
        root = _root(metric)
        chosen = choose(replace(problem.points, columns=_mapped(root, problem.points.columns)))
        centres = np.linalg.solve(root, chosen.T).T if full else chosen / root
        return cls(problem, np.ascontiguousarray(centres), np.repeat(metric[None], k, axis=0))

    @cached_property
    def log_det(self) -> np.ndarray:
        """Logarithms of the determinants, shape (k,)."""
        if self.metrics.ndim == 2:
            return np.log(self.metrics).sum(axis=1)
        return np.array([_log_det(a) for a in self.metrics])

    @cached_property
    def pay(self) -> np.ndarray:
        """See `State`."""
        p = self.problem
        length = self._of_each(p.apart)
        must = np.arange(p.price.size)[:, None] < p.links.n_must
        return p.price[:, None] * np.where(must, 0.5 * length, np.maximum(self._far.max(axis=0) - length, 0.0))

    @cached_property
    def _far(self) -> np.ndarray:
        return self._of_each(self.problem.far)

    def _of_each(self, differences: np.ndarray) -> np.ndarray:
        """Squared lengths under each metric, shape (c, k)."""
        if self.problem.shared:
            return np.repeat(_lengths(differences, self.metrics[0])[:, None], len(self.metrics), axis=1)
        if self.metrics.ndim == 2:
            return (differences * differences) @ self.metrics.T
        return np.stack([_lengths(differences, a) for a in self.metrics], axis=1)

    @cached_property
    def _costs(self) -> np.ndarray:
        return self.distances() - self.log_det

    @property
    def _diagonals(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Centres and a diagonal for each, as kernels take them; None where there is one for all, or matrices."""
        if self.problem.shared or self.metrics.ndim > 2:
            return None
        return frozen(self.centres, np.float64), frozen(self.metrics, np.float64)

    def nearest(self) -> np.ndarray:
        """See `State`."""
        diagonals = self._diagonals
        if diagonals is None:
            return self._costs.argmin(axis=1).astype(np.int32)
        return _kernels.lloyd.weighted_nearest(self.problem.points.columns, *diagonals, freeze(-self.log_det))

    def own(self, labels: np.ndarray) -> np.ndarray:
        """See `State`."""
        points, diagonals = self.problem.points, self._diagonals
        if diagonals is None:
            return points.weights * self._costs[np.arange(labels.size), labels]
        lengths = _kernels.lloyd.weighted_own(points.columns, *diagonals, frozen(labels, np.int32))
        return points.weights * (lengths - self.log_det[labels])

    def linked(self) -> np.ndarray:
        """See `State`."""
        points, nodes, diagonals = self.problem.points, self.problem.links.nodes, self._diagonals
        if diagonals is None:
            return points.weights[nodes, None] * self._costs[nodes]
        some = freeze(np.ascontiguousarray(points.columns[:, nodes]))
        return points.weights[nodes, None] * (_kernels.lloyd.weighted_distances(some, *diagonals) - self.log_det)

    def scatter(self, labels: np.ndarray) -> float:
        """See `State`: with what the metrics cost by themselves."""
        d = self.centres.shape[1]
        trace = self.metrics.sum(axis=1) if self.metrics.ndim == 2 else np.trace(self.metrics, axis1=1, axis2=2)
        own = trace / d - self.log_det
        return float(self.own(labels).sum() + self.problem.prior * (own[0] if self.problem.shared else own.sum()))

    def distances(self) -> np.ndarray:
        """See `State`."""
        columns, k = self.problem.points.columns, self.centres.shape[0]
        if self.problem.shared:
            root = _root(self.metrics[0])
            return squared_distances(_mapped(root, columns), _mapped(root, self.centres.T).T)
        diagonals = self._diagonals
        if diagonals is not None:
            return _kernels.lloyd.weighted_distances(columns, *diagonals)
        out = np.empty((columns.shape[1], k))
        for h, metric in enumerate(self.metrics):
            root = _root(metric)
            out[:, h] = squared_distances(_mapped(root, columns), _mapped(root, self.centres[[h]].T).T)[:, 0]
        return out

    def updated(self, labels: np.ndarray) -> Learned:
        """See `State`: the means, then the metrics for them."""
        moved = replace(self, centres=centre_step(self.problem.points, labels, self.centres))
        moments, mass, lift = moved.moments(labels)
        if self.problem.shared:
            metric = self._metric(self.metrics[0], moments.sum(axis=0), mass.sum(), lift.sum(), self._far[:, 0])
            metrics = np.repeat(metric[None], len(self.metrics), axis=0)
        else:
            parts = zip(self.metrics, moments, mass, lift, self._far.T, strict=True)
            metrics = np.stack([self._metric(*x) for x in parts])
        return replace(moved, metrics=metrics)

    def moments(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the objective is made of, for each cluster and its metric A.

        Returns
        -------
        moments, mass, lift : ndarray, shape (k, d) or (k, d, d), (k,), (k,)
            The cluster costs ``<A, moments> + lift * (the greatest square of far) - mass * log det A``, the prior
            aside: ``moments`` holds the scatter around the centre, half of each violated must-link for either end, less
            the violated cannot-links, whose prices add up to ``lift``.
        """
        p, k = self.problem, self.centres.shape[0]
        label = labels[p.links.nodes]
        ends = label[p.links.ends]
        violated = violated_links(p.links, label)
        must = np.arange(p.price.size) < p.links.n_must
        moments = self._spreads(labels)
        mass, lift = np.bincount(labels, p.points.weights, k), np.zeros(k)
        if self.metrics.ndim == 2:
            paid = np.flatnonzero(violated)
            (first, second), what = ends[paid].T, p.price[paid]
            square = p.apart[paid] ** 2
            np.add.at(moments, first, np.where(must[paid], 0.5 * what, -what)[:, None] * square)
            np.add.at(moments, second[must[paid]], (0.5 * what[:, None] * square)[must[paid]])
            np.add.at(lift, first[~must[paid]], what[~must[paid]])
            return moments, mass, lift
        for h in range(k):
            factor = violated * p.price * np.where(must, 0.5 * (ends == h).sum(axis=1), -1.0 * (ends[:, 0] == h))
            lift[h] = -factor[~must].sum()
            used = factor != 0
            moments[h] += self._square(p.apart[used].T, factor[used])
        return moments, mass, lift

    def _spreads(self, labels: np.ndarray) -> np.ndarray:
        """The weighted scatter of each cluster around its centre, shape (k, d) or (k, d, d)."""
        points, k = self.problem.points, self.centres.shape[0]
        if self.metrics.ndim == 2:
            centres = frozen(self.centres, np.float64)
            return _kernels.lloyd.diagonal_scatter(points.columns, points.weights, frozen(labels, np.int32), centres)
        spreads = np.empty_like(self.metrics)
        for h in range(k):
            own = np.flatnonzero(labels == h)
            spreads[h] = self._square(points.columns.take(own, axis=1) - self.centres[h][:, None], points.weights[own])
        return spreads

    def _square(self, columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
        if self.metrics.ndim == 2:
            return (columns * columns) @ weights
        return (columns * weights) @ columns.T

    def _metric(self, old: np.ndarray, moment: np.ndarray, mass: float, lift: float, far: np.ndarray) -> np.ndarray:
        """The best metric for one cluster, the far difference taken to be the old one; or on the way to it.

        ``far`` holds the squared lengths of the far differences under the old metric.
        """
        p, d = self.problem, self.centres.shape[1]
        moment = moment + p.prior / d * (np.ones(d) if old.ndim == 1 else np.eye(d))
        mass = mass + p.prior
        farthest = p.far[far.argmax()]
        if old.ndim == 1:
            return mass / (moment + lift * farthest**2)  # there is but one far difference, and nothing is negative

        def value(metric: np.ndarray, most: float) -> float:
            return float((metric * moment).sum() + lift * most - mass * _log_det(metric))

        values, vectors = np.linalg.eigh(moment + lift * np.outer(farthest, farthest))
        values = np.maximum(values, _FLOOR * np.abs(values).max())
        best, was = (vectors * (mass / values)) @ vectors.T, value(old, far.max())
        for halving in range(_HALVINGS):
            metric = old + 0.5**halving * (best - old)
            if value(metric, _lengths(p.far, metric).max() if lift else 0.0) <= was:
                return metric
        return old

    def with_centre(self, cluster: int, sample: int) -> Learned:
        """See `State`."""
        centres = self.centres.copy()
        centres[cluster] = self.problem.points.columns[:, sample]
        return replace(self, centres=centres)

    def is_near(self, other: Learned) -> bool:
        """See `State`."""
        shift = ((self.centres - other.centres) ** 2).sum()
        change = np.abs(self.metrics - other.metrics).max()
        tol = self.problem.tol
        return bool(shift <= tol / self.centres.shape[1] and change <= tol * np.abs(self.metrics).max())

    def at(self, points: Points) -> Learned:
        """See `State`."""
        p = self.problem
        rows = np.empty((0, self.centres.shape[1]))
        none = Links.of(np.empty((0, 2), np.int32), np.empty((0, 2), np.int32), np.empty(0))
        other = replace(p, points=points, links=none, price=np.empty(0), apart=rows, far=np.zeros_like(p.far[:1]))
        return Learned(other, self.centres, self.metrics)
