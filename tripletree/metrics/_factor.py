"""The programme of `MahalanobisMetric`: a map whose squared distances keep a margin, at the least trace."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree.metrics._statements import Statements

__all__ = ["Factor", "Margin", "frame_of", "solved"]

#: Directions of less than this part of the greatest variance are rounding.
_ROUNDING = 1e-12
#: Rows of the map of less than this part of the longest one add less than 1e-8 to a squared distance.
_NOTHING = 1e-4


class Factor(NamedTuple):
    """A map L, shape (r, d), the objective there, iterations, and whether the solver stopped by itself."""

    map: np.ndarray
    objective: float
    n_iter: int
    converged: bool


def frame_of(samples: np.ndarray, shrinkage: float) -> np.ndarray:
    """T, shape (n_features, d): the penalty of a metric of the samples times T is the trace, no more.

    T'ST = 1 for S the covariance drawn towards its mean variance, within the d directions in which samples vary.
    """
    centred = samples - samples.mean(axis=0)
    _, deviation, axes = np.linalg.svd(centred / np.abs(centred).max(initial=1e-300), full_matrices=False)
    variance = np.square(deviation) / len(samples)
    keep = variance > _ROUNDING * variance.max(initial=0.0)
    variance, axes = variance[keep], axes[keep]
    drawn = shrinkage * variance.mean() + (1.0 - shrinkage) * variance
    return axes.T / np.sqrt(drawn) / np.abs(centred).max(initial=1e-300)


class Margin:
    """The objective as a function of the map: mean rounded hinge of 1 + near - far, plus the trace times a factor.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
    known : Statements
    regularization : float
    """

    def __init__(self, points: np.ndarray, known: Statements, regularization: float) -> None:
        from scipy.sparse import csr_array

        used, ends = np.unique(known.pairs, return_inverse=True)
        p = len(known.pairs)
        sign = np.tile([1.0, -1.0], p)
        self._differences: Any = csr_array((sign, ends.ravel(), np.arange(0, 2 * p + 1, 2)), shape=(p, used.size))
        self._back = self._differences.T.tocsr()
        self.points = points[used] - points[used].mean(axis=0)
        self.near, self.far = known.near, known.far
        self.weights = known.weights / known.weights.sum()
        self.regularization = regularization

    def moment(self, price: np.ndarray) -> np.ndarray:
        """Sum of the prices of statements times (near near' - far far'), shape (d, d)."""
        return self.points.T @ self._scattered(price, self._differences @ self.points)

    def _scattered(self, price: np.ndarray, differences: np.ndarray) -> np.ndarray:
        p = differences.shape[0]
        of_pair = np.bincount(self.near, price, p) - np.bincount(self.far, price, p)
        return self._back @ (of_pair[:, None] * differences)

    def at_zero(self) -> np.ndarray:
        """The slope at the metric 0, shape (d, d): where it has no negative eigenvalue, 0 is the best metric."""
        return self.moment(self.weights) + self.regularization * np.eye(self.points.shape[1])

    def __call__(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """The objective and its slope at a map, given flat."""
        L = flat.reshape(-1, self.points.shape[1])
        differences = self._differences @ (self.points @ L.T)
        lengths = np.einsum("ij,ij->i", differences, differences)
        slack = 1.0 + lengths[self.near] - lengths[self.far]
        slope = np.clip(slack, 0.0, 1.0)
        price = self.weights * slope
        value = price @ (slack - slope / 2) + self.regularization * (flat @ flat)
        step = self._scattered(price, differences).T @ self.points + self.regularization * L
        return float(value), 2.0 * step.ravel()


def solved(margin: Margin, n_components: int | None, *, tol: float, max_iter: int) -> Factor:
    """Minimise the objective over maps of any rank, or of n_components rows.

    In L'L it is convex, and as long as L has as many rows as columns each minimum in L is one in L'L, too. A map of
    fewer rows starts from the longest principal axes of that solution.
    """
    d = margin.points.shape[1]
    value, vector = np.linalg.eigh(margin.at_zero())
    # downhill of 0: along the directions in which the slope is negative, and a little along the others
    start = np.sqrt(np.maximum(-value, 1e-3 * -value[0]))
    length = np.square(margin.points @ vector * start).sum(axis=1).mean()
    full = _minimum(margin, (vector * start / np.sqrt(2 * length)).T, tol, max_iter)
    L = _principal(full.map)
    if n_components is None or n_components >= d:
        return full._replace(map=L)
    part = _minimum(margin, L[:n_components], tol, max_iter)
    return part._replace(map=_principal(part.map), n_iter=full.n_iter + part.n_iter)


def _minimum(margin: Margin, start: np.ndarray, tol: float, max_iter: int) -> Factor:
    from scipy.optimize import minimize

    options = {"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": tol, "gtol": 1e-9, "maxcor": 20}
    done = minimize(margin, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return Factor(done.x.reshape(start.shape), float(done.fun), int(done.nit), done.status != 1)


def _principal(L: np.ndarray) -> np.ndarray:
    """The map of the same distances whose rows are orthogonal, the longest first, signs fixed; zero rows left out."""
    _, length, axes = np.linalg.svd(L, full_matrices=False)
    keep = length > _NOTHING * length.max(initial=0.0)
    rows = length[keep, None] * axes[keep]
    largest = np.take_along_axis(rows, np.abs(rows).argmax(axis=1)[:, None], axis=1)
    return rows * np.where(largest < 0, -1.0, 1.0)
