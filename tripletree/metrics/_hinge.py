"""Weights of a support vector machine that are not negative: the programme of `SVMMetric`, by scipy's L-BFGS-B."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Solution", "primal", "solved"]

#: By how much the width of the rounded corner shrinks from one turn to the next, and how often.
_SHRINK, _TURNS = 0.25, 22
#: A gap is measured by the objective, or by this part of the price of all slacks at 0 where the objective is less.
_LEAST = 1e-3
#: Columns that are smaller are not scaled: the squares of their scales would be infinite. Their weights are next to 0.
_NOTHING = 1e-140


class Solution(NamedTuple):
    """Weights, the objective there, the part of it by which it may be too high at most, and iterations."""

    weights: np.ndarray
    objective: float
    gap: float
    n_iter: int


def primal(w: np.ndarray, more: np.ndarray, prices: np.ndarray, norm: np.ndarray | None) -> float:
    """The objective: w'Lw / 2 + sum of prices times slack."""
    return float(w @ _times(norm, w) / 2 + prices @ np.maximum(0.0, 1.0 - more @ w))


def _times(norm: np.ndarray | None, w: np.ndarray) -> np.ndarray:
    return w if norm is None else norm @ w


def solved(more: np.ndarray, prices: np.ndarray, norm: np.ndarray | None, *, tol: float, max_iter: int) -> Solution:
    """Minimise w'Lw / 2 + sum_i prices_i max(0, 1 - more_i w) over w >= 0.

    Parameters
    ----------
    more : ndarray of float64, shape (m, p)
    prices : ndarray of float64, shape (m,)
    norm : ndarray of float64, shape (p, p), or None
        L, positive definite; None is the identity.
    tol : float
        Largest gap, as a part of the objective or of `_LEAST` of its value at 0.
    max_iter : int

    Returns
    -------
    Solution

    Notes
    -----
    With the corner of the hinge rounded off over a width e, the slope a_i of each hinge, between 0 and prices_i, is a
    point of the dual programme: sum a - max over v >= 0 of (s'v - v'Lv / 2), where s = more' a. Variables are scaled by
    the mean square of their columns, which changes nothing but the pace.
    """
    from scipy.optimize import minimize

    size = np.sqrt(np.mean(np.square(more), axis=0))
    scale = 1.0 / np.where(size > _NOTHING, size, 1.0)
    scaled = more * scale
    unit = np.diag(scale**2) if norm is None else norm * np.outer(scale, scale)
    diagonal = scale**2 if norm is None else None
    total = prices.sum()
    cost, prices = total, prices / total  # the objective is divided by it, so that the solver's tolerances fit
    first = _conjugate(scaled.T @ prices * cost, diagonal, unit)
    if (scaled @ first.at <= 1.0).all():  # no margin is ever reached: all slopes are 1
        return Solution(first.at * scale, primal(first.at * scale, more, prices * cost, norm), 0.0, 1)
    v, width, n_iter = np.zeros(scale.size), 1.0, 0
    best: Solution | None = None
    bound, gap = -np.inf, np.inf
    for _ in range(_TURNS):

        def rounded(v: np.ndarray, width: float = width) -> tuple[float, np.ndarray]:
            slack = 1.0 - scaled @ v
            slope = np.clip(slack / width, 0.0, 1.0)
            bent = (diagonal * v if diagonal is not None else unit @ v) / cost
            priced = prices * slope
            return float(v @ bent / 2 + priced @ (slack - width * slope / 2)), bent - priced @ scaled

        left = max_iter - n_iter
        options = {"maxiter": left, "maxfun": 4 * left, "ftol": 0.0, "gtol": min(1e-6, tol * width) / 10}
        done = minimize(rounded, v, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * v.size, options=options)
        v, n_iter = done.x, n_iter + done.nit
        w = v * scale
        price = prices * np.clip((1.0 - scaled @ v) / width, 0.0, 1.0) * cost
        value = primal(w, more, prices * cost, norm)
        bound = max(bound, float(price.sum() - _conjugate(scaled.T @ price, diagonal, unit).value))
        if best is None or value < best.objective:
            best = Solution(w, value, 0.0, 0)
        gap = max(0.0, best.objective - bound) / max(best.objective, _LEAST * cost)
        if gap <= tol or n_iter >= max_iter:
            break
        width *= _SHRINK
    assert best is not None
    return Solution(best.weights, best.objective, gap, n_iter)


class _Greatest(NamedTuple):
    """A greatest value, and where it is taken."""

    value: float
    at: np.ndarray


def _conjugate(s: np.ndarray, diagonal: np.ndarray | None, unit: np.ndarray) -> _Greatest:
    """The greatest s'v - v'Lv / 2 over v >= 0."""
    if diagonal is not None:
        at = np.maximum(0.0, s) / diagonal
        return _Greatest(float(s @ at / 2), at)
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    root = np.linalg.cholesky(unit).T  # v'Lv / 2 - s'v = |R v - t|^2 / 2 - |t|^2 / 2 where R't = s
    t = solve_triangular(root, s, trans="T")
    at, rest = nnls(root, t)
    return _Greatest(float((t @ t - rest**2) / 2), at)
