"""Lloyd's algorithm for the k-means family: its loop, and steps: starts, nearest centres, means, empty clusters.

Points come as ``Points``, dense, or as ``SparsePoints``, which take the same steps by products of sparse rows with
centres. `points_of` chooses. A group of samples that must stay together is one point, its mean, with the sum of their
weights: moving it as a whole costs ``weight * squared distance`` plus a constant, the scatter within.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.points import ROUNDING, as_rows, is_sparse, squared_lengths
from tripletree.core.arrays import freeze, frozen
from tripletree.core.checks import check_numbers
from tripletree.core.progress import Tick, silent

_R = TypeVar("_R")
_H = TypeVar("_H")

#: Costs that differ by such a part of them are equal: else the choice would depend on the machine.
_ROUNDING = 1e-12
#: Samples that are put into columns at a time.
_PART = 256


@dataclass(frozen=True)
class Points:
    """Weighted points, as the core takes them.

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
        return cls(freeze(_columns(samples)), frozen(weights, np.float64))

    @classmethod
    def grouped(cls, samples: np.ndarray, weights: np.ndarray, group: np.ndarray, n_groups: int) -> Points:
        """Return the weighted means of groups 0..n_groups-1 of samples. A group without weight has its plain mean."""
        mass = np.bincount(group, weights, n_groups)
        some = np.empty(n_groups, np.intp)
        some[group] = np.arange(group.size)  # a sample of each group
        columns = _columns(samples, some)
        if n_groups < group.size:  # groups of several samples
            size = np.bincount(group, minlength=n_groups)
            many = np.flatnonzero(size > 1)
            place = np.full(n_groups, -1)
            place[many] = np.arange(many.size)
            members = np.flatnonzero(place[group] >= 0)
            of, own = place[group[members]], weights[members]
            mass_of = mass[many][of]
            share = np.where(mass_of > 0, own / np.where(mass_of > 0, mass_of, 1.0), 1.0 / size[many][of])
            rows = samples.take(members, axis=0)
            for t, column in enumerate(columns):
                column[many] = np.bincount(of, share * rows[:, t], many.size)
        return cls(freeze(columns), freeze(mass))

    @cached_property
    def lengths(self) -> np.ndarray:
        """The squared length of each point."""
        return freeze(np.einsum("ij,ij->j", self.columns, self.columns))

    @property
    def n(self) -> int:
        """Number of points."""
        return self.columns.shape[1]

    def rows(self, which: Any) -> np.ndarray:
        """Return some points, as rows."""
        return np.ascontiguousarray(self.columns[:, which].T)

    def part(self, which: np.ndarray, weights: np.ndarray | None = None) -> Points:
        """Return some points, with their own weights or others."""
        weights = self.weights[which] if weights is None else np.array(weights, np.float64)
        return Points(freeze(np.ascontiguousarray(self.columns[:, which])), freeze(weights))

    def nearest(self, centres: np.ndarray, factors: np.ndarray | None = None) -> np.ndarray:
        """Return the nearest centre of each point, or of the points `scaled` by factors (int32, the lowest of several).

        Half the squared length of a centre less its product with a point is half their squared distance, except for the
        length of the point. If the least value is less than all others by more than they and the distances may err,
        it decides. Else the distances do, as between equal centres: labels do not depend on how products are rounded.
        """
        centres = frozen(centres, np.float64)
        if not _products_pay(centres):
            points = self if factors is None else self.scaled(factors)
            return engine.lloyd.nearest(points.columns, centres)[0]
        halves, most = 0.5 * squared_lengths(centres), 1.0 if factors is None else float(np.square(factors).max())
        # A half less a product errs by (d + 3) u (|x||c| + |c|^2 / 2), and |x||c| <= (|x|^2 + |c|^2) / 2. A squared
        # distance, twice as much, by (d + 4) u |x - c|^2, with u half an epsilon. This is twice the sum of two of both.
        share = 4.0 * (centres.shape[1] + 5) * float(np.finfo(np.float64).eps)
        least = 2.0 * share * float(halves.max()) + float(np.finfo(np.float64).tiny)
        by = centres if factors is None else factors * centres
        labels, doubtful = _least_by_products(self.columns, by, halves, self.lengths, share * most, least)
        if doubtful.size:
            points = self.part(doubtful) if factors is None else self.part(doubtful).scaled(factors)
            labels[doubtful] = engine.lloyd.nearest(points.columns, centres)[0]
        return labels

    def closest(self, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest centre of each point (int32, the lowest of several) and its squared distance."""
        if not _products_pay(centres, twice=True):
            return engine.lloyd.nearest(self.columns, frozen(centres, np.float64))
        labels = self.nearest(centres)
        return labels, self.own_distances(labels, centres)

    def squared_distances(self, centres: np.ndarray) -> np.ndarray:
        """Return squared distances to the centres, shape (n, k)."""
        return engine.lloyd.squared_distances(self.columns, frozen(centres, np.float64))

    def fill_costs(
        self,
        out: np.ndarray,
        rows: np.ndarray,
        which: np.ndarray,
        centres: np.ndarray,
        *,
        factors: np.ndarray | None = None,
        offsets: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> None:
        """Fill rows of a table with the costs of some points: weight times the sum of squared distance and offset.

        Parameters
        ----------
        out : ndarray of float64, shape (m, k)
        rows, which : ndarray of int32
            Rows, and the points that they are for.
        centres : ndarray of float64, shape (k, d)
        factors : ndarray of float64, shape (d,), optional
            For the points `scaled` by the factors.
        offsets : ndarray of float64, shape (k,), optional
            Zeros by default.
        weights : ndarray of float64, shape (n,), optional
            Other weights than the weights of the points.
        """
        (k, d), real = centres.shape, np.float64
        factors = np.ones(d) if factors is None else factors
        offsets = np.zeros(k) if offsets is None else offsets
        weights = self.weights if weights is None else weights
        given = frozen(which), frozen(centres, real), frozen(factors, real), frozen(offsets, real), frozen(rows)
        engine.lloyd.fill_costs(self.columns, frozen(weights, real), *given, out)

    def own_distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Return squared distances to the own centres, shape (n,)."""
        return engine.lloyd.own_distances(self.columns, frozen(centres, np.float64), frozen(labels))

    def sums(self, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Weighted sums of the points of each cluster, shape (k, d), and the weights of the clusters."""
        return engine.lloyd.sums(self.columns, self.weights, frozen(labels), k)

    def value_order(self) -> np.ndarray:
        """Return points in the order of their first feature, of the next ones where it is equal."""
        return value_order(self.columns)

    def equal_to(self, i: int) -> np.ndarray:
        """Tell which points are at the place of point i."""
        return (self.columns == self.columns[:, [i]]).all(axis=0)

    def plus_plus(self, order: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """k-means++ with several candidates a step, see ``lloyd.hpp`` of the core: numbers of points."""
        return engine.lloyd.plus_plus(self.columns, self.weights, frozen(order), freeze(draws))

    def scaled(self, factors: np.ndarray) -> Points:
        """Return the points with their features multiplied."""
        return Points(freeze(factors[:, None] * self.columns), self.weights)

    def widths(self) -> np.ndarray:
        """Return the range of each feature."""
        return np.ptp(self.columns, axis=1)

    def differences(self, pairs: np.ndarray) -> Any:
        """Return the first less the second point of each pair, shape (e, d)."""
        return np.ascontiguousarray((self.columns[:, pairs[:, 0]] - self.columns[:, pairs[:, 1]]).T)

    def diagonal_distances(self, centres: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Return squared distances to the centres, the features scaled for each centre: shape (n, k)."""
        return engine.lloyd.weighted_distances(self.columns, frozen(centres, np.float64), frozen(scale, np.float64))

    def fill_diagonal_costs(
        self, out: np.ndarray, rows: np.ndarray, centres: np.ndarray, scale: np.ndarray, offsets: np.ndarray
    ) -> None:
        """Do as `fill_costs`, by such distances, for the points whose numbers are in `rows`."""
        some, real = frozen(rows), np.float64
        given = frozen(centres, real), frozen(scale, real), frozen(offsets, real)
        engine.lloyd.fill_weighted_costs(self.columns, self.weights, some, *given, some, out)

    def diagonal_nearest(self, centres: np.ndarray, scale: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """Return the centre of the least such distance plus an offset, int32."""
        given = frozen(centres, np.float64), frozen(scale, np.float64), frozen(offset, np.float64)
        return engine.lloyd.weighted_nearest(self.columns, *given)

    def diagonal_own(self, labels: np.ndarray, centres: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Such distances to the own centres, shape (n,)."""
        given = frozen(centres, np.float64), frozen(scale, np.float64), frozen(labels)
        return engine.lloyd.weighted_own(self.columns, *given)

    def diagonal_scatter(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Weighted sums of squared differences to the own centres, feature by feature, shape (k, d)."""
        given = frozen(labels), frozen(centres, np.float64)
        return engine.lloyd.diagonal_scatter(self.columns, self.weights, *given)


def _columns(samples: np.ndarray, which: np.ndarray | None = None) -> np.ndarray:
    """Samples, or some of them, in columns. A part at a time is copied, which stays in the cache."""
    n = samples.shape[0] if which is None else which.size
    columns = np.empty((samples.shape[1], n))
    for lo in range(0, n, _PART):
        here = slice(lo, lo + _PART)
        columns[:, here] = (samples[here] if which is None else samples.take(which[here], axis=0)).T
    return columns


@dataclass(frozen=True)
class SparsePoints:
    """Weighted points with few features other than 0. It has the methods of `Points`. Centres are dense.

    Attributes
    ----------
    table : csr_array of float64, shape (n, d)
        As `as_rows` makes them.
    weights : ndarray of float64, shape (n,), read-only
    """

    table: Any
    weights: np.ndarray

    @classmethod
    def of(cls, samples: Any, weights: np.ndarray | None = None) -> SparsePoints:
        """As `Points.of`."""
        weights = np.ones(samples.shape[0]) if weights is None else weights
        return cls(as_rows(samples), frozen(weights, np.float64))

    @classmethod
    def grouped(cls, samples: Any, weights: np.ndarray, group: np.ndarray, n_groups: int) -> SparsePoints:
        """As `Points.grouped`."""
        from scipy.sparse import csr_array

        mass = np.bincount(group, weights, n_groups)
        size = np.bincount(group, minlength=n_groups)
        share = np.where(mass[group] > 0, weights / np.where(mass > 0, mass, 1.0)[group], 1.0 / size[group])
        shares = csr_array((share, (group, np.arange(group.size))), shape=(n_groups, group.size))
        return cls(as_rows(shares @ samples), freeze(mass))

    @property
    def n(self) -> int:
        return self.table.shape[0]

    @cached_property
    def lengths(self) -> np.ndarray:
        """The squared length of each point."""
        return squared_lengths(self.table)

    @cached_property
    def _squares(self) -> Any:
        return self.table.multiply(self.table).tocsr()

    def rows(self, which: Any) -> np.ndarray:
        return self.table[np.asarray(which, np.intp).ravel()].toarray()

    def part(self, which: np.ndarray, weights: np.ndarray | None = None) -> SparsePoints:
        weights = self.weights[which] if weights is None else np.array(weights, np.float64)
        return SparsePoints(self.table[which], freeze(weights))

    def nearest(self, centres: np.ndarray, factors: np.ndarray | None = None) -> np.ndarray:
        return (self if factors is None else self.scaled(factors)).closest(centres)[0]

    def closest(self, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _least(self.squared_distances(centres))

    def squared_distances(self, centres: np.ndarray) -> np.ndarray:
        sizes = self.lengths[:, None] + squared_lengths(centres)
        return _unless_rounding(sizes - 2.0 * (self.table @ centres.T), sizes)

    def fill_costs(
        self,
        out: np.ndarray,
        rows: np.ndarray,
        which: np.ndarray,
        centres: np.ndarray,
        *,
        factors: np.ndarray | None = None,
        offsets: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> None:
        some = self.part(which, None if weights is None else weights[which])
        square = (some if factors is None else some.scaled(factors)).squared_distances(centres)
        out[rows] = some.weights[:, None] * (square if offsets is None else square + offsets)

    def own_distances(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        sizes = self.lengths + squared_lengths(centres)[labels]
        return _unless_rounding(sizes - 2.0 * self._own_products(labels, centres), sizes)

    def sums(self, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        return (self._members(labels, k) @ self.table).toarray(), np.bincount(labels, self.weights, k)

    @cached_property
    def _order(self) -> np.ndarray:
        # bytes that sort as the rows do: an entry above 0 comes after none at its place, one below 0 before it
        entries = np.empty(self.table.nnz, [("sign", "u1"), ("place", ">u4"), ("bits", ">u8")])
        bits, below = self.table.data.view(np.uint64), self.table.data < 0
        entries["sign"] = np.where(below, 0, 2)
        entries["place"] = np.where(below, self.table.indices, 2**32 - 1 - self.table.indices.astype(np.int64))
        entries["bits"] = np.where(below, ~bits, bits)
        start = self.table.indptr.tolist()
        keys = [entries[lo:hi].tobytes() + b"\1" for lo, hi in zip(start[:-1], start[1:], strict=True)]
        return np.array(sorted(range(self.n), key=keys.__getitem__), np.int32)

    def value_order(self) -> np.ndarray:
        return self._order

    def equal_to(self, i: int) -> np.ndarray:
        return self.squared_distances(self.rows([i]))[:, 0] == 0

    def plus_plus(self, order: np.ndarray, draws: np.ndarray) -> np.ndarray:
        k, trials = draws.shape
        chosen, closest = np.empty(k, np.int32), np.ones(self.n)
        for step in range(k):
            total = np.cumsum((self.weights * closest)[order])
            count = 1 if step == 0 else trials
            place = np.searchsorted(total, draws[step, :count] * total[-1], side="right")
            candidates = order[np.minimum(place, self.n - 1)]
            square = self.squared_distances(self.rows(candidates))
            if step > 0:
                np.minimum(square, closest[:, None], out=square)
            best = int((self.weights @ square).argmin())
            chosen[step], closest = candidates[best], square[:, best]
        return chosen

    def scaled(self, factors: np.ndarray) -> SparsePoints:
        from scipy.sparse import diags

        return SparsePoints(as_rows(self.table @ diags(factors)), self.weights)

    def widths(self) -> np.ndarray:
        ends = (self.table.max(axis=0), self.table.min(axis=0))
        high, low = (x.toarray().ravel() for x in ends)
        return high - low

    def differences(self, pairs: np.ndarray) -> Any:
        return as_rows(self.table[pairs[:, 0]] - self.table[pairs[:, 1]])

    def diagonal_distances(self, centres: np.ndarray, scale: np.ndarray) -> np.ndarray:
        sizes = self._squares @ scale.T + (scale * centres**2).sum(axis=1)
        return _unless_rounding(sizes - 2.0 * (self.table @ (scale * centres).T), sizes)

    def fill_diagonal_costs(
        self, out: np.ndarray, rows: np.ndarray, centres: np.ndarray, scale: np.ndarray, offsets: np.ndarray
    ) -> None:
        some = self.part(rows)
        out[rows] = some.weights[:, None] * (some.diagonal_distances(centres, scale) + offsets)

    def diagonal_nearest(self, centres: np.ndarray, scale: np.ndarray, offset: np.ndarray) -> np.ndarray:
        return _least(self.diagonal_distances(centres, scale) + offset)[0]

    def diagonal_own(self, labels: np.ndarray, centres: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return self.diagonal_distances(centres, scale)[np.arange(self.n), labels]

    def diagonal_scatter(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        members = self._members(labels, centres.shape[0])
        square, total = (members @ self._squares).toarray(), (members @ self.table).toarray()
        mass = np.bincount(labels, self.weights, centres.shape[0])[:, None]
        return _unless_rounding(square - 2.0 * centres * total + mass * centres**2, square)

    def _members(self, labels: np.ndarray, k: int) -> Any:
        """Return the weights of the points, in a sparse table of shape (k, n)."""
        from scipy.sparse import csr_array

        return csr_array((self.weights, (labels, np.arange(self.n))), shape=(k, self.n))

    def _own_products(self, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
        row = np.repeat(np.arange(self.n), np.diff(self.table.indptr))
        return np.bincount(row, self.table.data * centres[labels[row], self.table.indices], self.n)


def points_of(samples: Any, weights: np.ndarray | None = None) -> Any:
    """Return points of dense samples or of sparse ones."""
    return (SparsePoints if is_sparse(samples) else Points).of(samples, weights)


#: Numbers of a table of products, which is to stay in the nearest cache, and the most points of one.
_PRODUCTS, _MOST = 2**15, 4096


def _products_pay(centres: np.ndarray, *, twice: bool = False) -> bool:
    """Whether a matrix product and a look at it take less time than distances (`twice`: with own distances, too)."""
    (k, d), least = centres.shape, 400 if twice else 64
    return d >= 8 and k * d >= least


def _least_by_products(
    columns: np.ndarray, factors: np.ndarray, offsets: np.ndarray, lengths: np.ndarray, share: float, least: float
) -> tuple[np.ndarray, np.ndarray]:
    """For each point the factor with the least offset less product, and which points are too close to call.

    Parameters
    ----------
    columns : ndarray of float64, shape (d, n), read-only
    factors : ndarray of float64, shape (k, d)
    offsets : ndarray of float64, shape (k,)
    lengths : ndarray of float64, shape (n,), read-only
    share, least : float
        By this share of its length, and this, the least of a point must be less than all others.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    doubtful : ndarray of int
        The points without a certain label, or with products too large for float64. Their labels mean nothing.
    """
    n, k = columns.shape[1], len(factors)
    labels, doubtful = np.empty(n, np.int32), 0
    offsets = freeze(offsets)
    step = max(min(_PRODUCTS // k, _MOST, n), 1)
    products = np.empty((k, step))
    with np.errstate(over="ignore", invalid="ignore"):
        for lo in range(0, n, step):
            some = columns[:, lo : lo + step]
            np.matmul(factors, some, out=products[:, : some.shape[1]])
            here = slice(lo, lo + step)
            doubtful += engine.lloyd.least_of_products(products, offsets, lengths[here], share, least, labels[here])
    return labels, np.flatnonzero(labels < 0) if doubtful else np.empty(0, np.intp)


def _unless_rounding(square: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return differences of numbers, 0 where they are no more than the rounding of the numbers."""
    square[square < ROUNDING * sizes] = 0.0
    return square


def _least(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of the least in each row (int32, the first of several), and this."""
    label = table.argmin(axis=1).astype(np.int32)
    return label, table[np.arange(label.size), label]


def check_weights(X: np.ndarray, sample_weight: Any) -> np.ndarray:
    """Return weights of the samples: ones for None, one number for all of them."""
    given = 1.0 if sample_weight is None else sample_weight
    values = np.full(X.shape[0], given) if isinstance(given, Real) else given
    weights = check_numbers(values, X.shape[0], "sample_weight", "samples", ValueError)
    if not np.isfinite(weights).all():
        i = int(np.flatnonzero(~np.isfinite(weights))[0])
        msg = f"sample_weight must be finite; that of sample {i} is {weights[i]:g}"
        raise ValueError(msg)
    if (weights < 0).any():
        i = int((weights < 0).argmax())
        msg = f"sample_weight must not be negative; that of sample {i} is {weights[i]:g}"
        raise ValueError(msg)
    if not weights.any():
        msg = "Sample weights must contain at least one non-zero number: sample_weight is 0 for all samples"
        raise ValueError(msg)
    return weights


def check_start(init: Any, n_clusters: int, n_features: int) -> np.ndarray | None:
    """Given centres as a float64 array of shape (n_clusters, n_features). None if `init` names a method."""
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


def best_of_starts(start: Callable[[int], _R], n_starts: int, cost: Callable[[_R], float], tick: Tick = silent) -> _R:
    """Return the cheapest of several runs: the first one, unless a later one is cheaper by more than rounding.

    Parameters
    ----------
    start : callable
        ``start(r)`` makes run number r.
    n_starts : int
        At least 1.
    cost : callable
        The cost of a run, which is minimised.
    tick : callable, optional
        Called with 1 after each run.
    """
    best = None
    for r in range(n_starts):
        run = start(r)
        if best is None or cost(run) < cost(best) - _ROUNDING * abs(cost(best)):
            best = run
        tick(1)
    assert best is not None
    return best


class Lloyd(Protocol[_R, _H]):
    """The parts in which methods of the k-means family differ: the two steps that alternate, and when to stop.

    One of them chooses labels for the centres, the other moves the centres. Which of them comes first is up to the
    method. R is the result of a whole iteration, H the state between the steps.
    """

    def first(self, now: _R) -> _H:
        """Return the first step of an iteration."""

    def then(self, half: _H) -> _R:
        """Return the second one."""

    def is_over(self, before: _R, now: _R) -> bool:
        """Tell whether the last iteration has changed next to nothing."""

    def cost(self, state: _R | _H) -> float:
        """Return the objective, asked only for a history, or if the cost may rise."""


@dataclass(frozen=True)
class Alternation(Generic[_R]):
    """The end of the loop.

    Attributes
    ----------
    last, best
        The results of the last iteration and of the cheapest one. They are the same unless the cost may rise.
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
        The state to begin with, as an iteration would leave it.
    max_iter : int
    history : list of float, optional
        The cost is appended for the start and after each step.
    patience : int, optional
        For methods whose cost may rise: iterations in a row without a lower one after which the loop ends. The cheapest
        iteration counts, the latest of several.

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
    points: Points | SparsePoints, n_clusters: int, rng: np.random.Generator, *, init: str = "k-means++"
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
        candidates (Arthur, Vassilvitskii 2007, as in scikit-learn), or points at different places, by weight.

    Returns
    -------
    ndarray of float64, shape (n_clusters, d)

    Notes
    -----
    Draws go along the points in the order of their values, so the start depends neither on the order of the samples nor
    on whether a sample of weight 2 comes as one or as two.
    """
    order = points.value_order()
    if init == "random":
        return points.rows(different_values(points, order, n_clusters, rng))
    draws = rng.random((n_clusters, 2 + int(np.log(n_clusters))))
    return points.rows(points.plus_plus(order, draws))


def value_order(columns: np.ndarray) -> np.ndarray:
    """Return points in the order of their first feature, of the next ones where it is equal."""
    order = np.argsort(columns[0])
    first = columns[0, order]
    if (first[1:] == first[:-1]).any():
        order = np.lexsort(columns[::-1])
    return order.astype(np.int32)


def draw(chances: np.ndarray, order: np.ndarray, rng: np.random.Generator) -> int:
    """One of the points, by chance. Chances are added up in the given order. The last one if all chances are 0."""
    total = np.cumsum(chances[order])
    place = np.searchsorted(total, rng.random() * total[-1], side="right")
    return int(order[min(int(place), total.size - 1)])


def different_values(
    points: Points | SparsePoints, order: np.ndarray, count: int, rng: np.random.Generator
) -> list[int]:
    """Return points drawn by weight, no two of them at the same place, as long as there are places."""
    chances, chosen = points.weights, []
    for _ in range(count):
        i = draw(chances, order, rng)
        chosen.append(i)
        chances = np.where(points.equal_to(i), 0.0, chances)
        if not chances.any():
            chances = points.weights
    return chosen


def nearest_centres(columns: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest centre of each point (int32, the lowest of several) and its squared distance."""
    return engine.lloyd.nearest(columns, frozen(centres, np.float64))


def squared_distances(columns: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return squared distances, shape (n, k)."""
    return engine.lloyd.squared_distances(columns, frozen(centres, np.float64))


def scatter(points: Points | SparsePoints, labels: np.ndarray, centres: np.ndarray) -> float:
    """Return the sum of weight times squared distance to the centre of the own cluster."""
    return float(points.own_distances(labels, centres) @ points.weights)


def centre_step(points: Points | SparsePoints, labels: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the weighted mean of each cluster. One without weight keeps its old centre."""
    total, mass = points.sums(labels, centres.shape[0])
    held = mass > 0
    moved = centres.copy()
    moved[held] = total[held] / mass[held, None]
    return moved


def refill(labels: np.ndarray, distances: np.ndarray, n_clusters: int, first: int = 0) -> np.ndarray:
    """Return labels in which each empty cluster got the point farthest from its centre, out of a cluster of several.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
    distances : ndarray of float64, shape (n,)
        From each point to its own centre.
    n_clusters : int
        At most n.
    first : int
        Clusters below stay empty.

    Returns
    -------
    ndarray of int32, shape (n,)
        `labels` itself where no other cluster is empty. A point that moves is alone in its new cluster, so it can break
        no cannot-link.
    """
    count = np.bincount(labels, minlength=n_clusters)
    empty = np.flatnonzero(count[first:] == 0) + first
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


def mean_spread(samples: Any, weights: np.ndarray) -> float:
    """Return the weighted mean of the squared distances of sparse samples to their mean."""
    share = weights / weights.sum()
    total = float(share @ squared_lengths(samples))
    return max(total - float(np.square(samples.T @ share).sum()), 0.0)


def tolerance(samples: Any, weights: np.ndarray, tol: float) -> float:
    """Return the squared shift of all centres together below which a run has converged: tol times the mean variance."""
    if tol == 0:
        return 0.0
    if is_sparse(samples):
        return tol * mean_spread(samples, weights) / samples.shape[1]
    mean = np.average(samples, axis=0, weights=weights)
    return float(tol * np.mean(np.average((samples - mean) ** 2, axis=0, weights=weights)))
