"""SVMMetric: a weighted Euclidean distance from comparisons, by the quadratic programme of Schultz and Joachims."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from tripletree.cluster.base import all_or_nothing, check_samples, check_y
from tripletree.cluster.distances import check_spread
from tripletree.errors import warn_user
from tripletree.metrics.base import LearnedMetric
from tripletree.metrics.statements import statements

# ----------------------------------------------------------------------
# Weights of a support vector machine that are not negative: the programme of `SVMMetric`, by scipy's L-BFGS-B.

#: By how much the width of the rounded corner shrinks from one turn to the next, and how often.
_SHRINK, _TURNS = 0.25, 22
#: A gap is measured by the objective, or by this part of the price of all slacks at 0 if the objective is less.
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
    """Return the objective: w'Lw / 2 + sum of prices times slack."""
    return float(w @ (w if norm is None else norm @ w) / 2 + prices @ np.maximum(0.0, 1.0 - more @ w))


def solved(more: np.ndarray, prices: np.ndarray, norm: np.ndarray | None, *, tol: float, max_iter: int) -> Solution:
    """Minimise w'Lw / 2 + sum_i prices_i max(0, 1 - more_i w) over w >= 0.

    Parameters
    ----------
    more : ndarray of float64, shape (m, p)
    prices : ndarray of float64, shape (m,)
    norm : ndarray of float64, shape (p, p), or None
        L, positive definite. None is the identity.
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
    """Return the greatest s'v - v'Lv / 2 over v >= 0."""
    if diagonal is not None:
        at = np.maximum(0.0, s) / diagonal
        return _Greatest(float(s @ at / 2), at)
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    root = np.linalg.cholesky(unit).T  # v'Lv / 2 - s'v = |R v - t|^2 / 2 - |t|^2 / 2 where R't = s
    t = solve_triangular(root, s, trans="T")
    at, rest = nnls(root, t)
    return _Greatest(float((t @ t - rest**2) / 2), at)


#: The largest difference of two samples in a feature must lie between the two.
_DIFFERENCES = 1e-60, 1e60


class SVMMetric(LearnedMetric):
    """Weighted Euclidean distance from relative comparisons, by Schultz and Joachims (2003).

    Finds the weights w >= 0 of d(x, y)^2 = sum_k w_k (A'x - A'y)_k^2 by a support vector machine without a bias. As far
    as possible, the near pair of each comparison is nearer than the far one by a margin.

    Parameters
    ----------
    C : float, default 1.0
        The price of a unit of slack. 1 as in the ReCon paper.
    A : "identity" or ndarray of float, shape (n_features, p), default "identity"
        The directions that get weights: the features for the identity, principal axes for the eigenvectors of a
        covariance matrix.
    tol : float, default 1e-6
        Relative accuracy of the objective, proved by the dual programme. Relative to a thousandth of C times the number
        of comparisons if the objective is less than that.
    max_iter : int, default 10000
        Maximum number of iterations of the solver.
    on_degenerate : {"raise", "euclidean"}, default "raise"
        How to proceed if the best weights are all 0, or all samples in the comparisons are equal: raise an error, or
        set all weights to 1, with a `UserWarning`.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out statements with labels that are not in the index of X, as in cross-validation.

    Attributes
    ----------
    weights_ : ndarray of float64, shape (p,)
        The weight of each feature, or of each column of A.
    objective_, gap_ : float
        The lowest value found, NaN if nothing was learned, and its proved relative accuracy, in the sense of `tol`.
    n_statements_, n_violated_ : int
        Number of comparisons (a triplet is two of them), and number of violated ones, ties included.
    n_iter_ : int
        Number of iterations of the solver. 1 if nothing was solved.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    MahalanobisMetric : also learns the directions. Usually the better metric.
    tripletree.interop : comparisons from other packages.

    Notes
    -----
    The programme minimises w'Lw / 2 + C sum_i s_i slack_i over w >= 0 and slack >= 0, with far_i - near_i >= 1 -
    slack_i for the squared distances of each comparison i. w'Lw is the squared Frobenius norm of A diag(w) A', and s_i
    is the weight of the triplet. L is the identity for A = I, else 1e-9 of its mean diagonal is added, so that there is
    one solution. With p columns this has p variables. scipy's L-BFGS-B minimises it in turns, with the corner of the
    hinge rounded off over a width that shrinks to a quarter each time. Each turn starts at the result of the last. The
    slopes of the hinges are a point of the dual programme. It stops when they prove that the objective is within `tol`
    of the least one. That takes well below a second for 3,000 samples of 16 features and 10,000 triplets. Time O(m p)
    an iteration, memory O(m p) for m comparisons.

    The sum of slacks grows with the number of comparisons and the norm does not, so C matters for few of them only.
    Features of a large scale get small weights: scale them first, by StandardScaler.

    References
    ----------
    .. [1] Schultz, Joachims (2003), Learning a Distance Metric from Relative Comparisons, Advances in Neural
       Information Processing Systems 16.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 3.0], [1.0, 0.0], [1.0, 3.0]]
    >>> metric = SVMMetric().fit(X, triplets=[(0, 1, 2), (2, 3, 1)])
    >>> metric.weights_.round(2).tolist(), metric.n_violated_
    ([1.0, 0.0], 0)
    >>> metric.transform(X).round(2).tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "A": [StrOptions({"identity"}), "array-like"],
        **LearnedMetric._shared_constraints,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        A: Any = "identity",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        on_degenerate: str = "raise",
        missing_samples: str = "raise",
    ) -> None:
        self.C = C
        self.A = A
        self.tol = tol
        self.max_iter = max_iter
        self.on_degenerate = on_degenerate
        self.missing_samples = missing_samples

    def fit(self, X: Any, y: Any = None, *, triplets: Any = None, comparisons: Any = None) -> SVMMetric:
        """Find the weights.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        triplets : TripletSet, iterable of (a, b, c), or ndarray of int, shape (m, 3), optional
            Triplets ab|c, as for ``tripletree.cluster.ReCon``: two comparisons each. Weights count.
        comparisons : iterable of (anchor, near, far), or ndarray of int, shape (m, 3), optional
            d(anchor, near) < d(anchor, far). Tuples hold labels of the index where X is a pandas DataFrame, else row
            numbers. An integer array always holds row numbers. Repeats count.

        Returns
        -------
        SVMMetric
            Itself. A fit that fails leaves it as it was.

        Warns
        -----
        UserWarning
            If there are no comparisons, or nothing can be learned and ``on_degenerate="euclidean"``.
        ConvergenceWarning
            If `max_iter` was reached.

        Examples
        --------
        >>> SVMMetric().fit([[0.0], [1.0], [3.0]], comparisons=[(0, 1, 2)]).weights_.round(3).tolist()
        [0.125]
        """
        check_y(y)
        with all_or_nothing(self):
            self._validate_params()
            samples = check_samples(self, X, reset=True)
            self._directions = self._check_directions(samples.shape[1])
            known = statements(X, samples.shape[0], self.missing_samples, triplets, comparisons)
            points = samples if self._directions is None else samples @ self._directions
            check_spread(points)
            _check_scale(points, known.pairs)
            square = np.square(points[known.pairs[:, 0]] - points[known.pairs[:, 1]])
            more = square[known.far] - square[known.near]
            prices = self.C * known.weights

            def zero() -> bool:
                return bool((prices @ more <= 0).all())

            less = "or use other features or A; MahalanobisMetric combines features"
            if self._stays_euclidean(points, known.pairs, len(known), zero, less):
                found = Solution(np.ones(points.shape[1]), float("nan"), float("nan"), 1)
            else:
                norm = None if self._directions is None else _norm(self._directions)
                found = solved(more, prices, norm, tol=self.tol, max_iter=self.max_iter)
            self.weights_, self.objective_, self.gap_, self.n_iter_ = found
            if found.gap > self.tol:
                msg = (
                    f"the objective may be {found.gap:.1e} of itself too high after {found.n_iter} iterations: raise "
                    "max_iter or tol, and scale the features (StandardScaler)"
                )
                warn_user(msg, ConvergenceWarning)
            self.n_statements_ = len(known)
            self.n_violated_ = known.violated(points * np.sqrt(self.weights_))
        return self

    def _check_directions(self, d: int) -> np.ndarray | None:
        if isinstance(self.A, str):
            return None
        A = check_array(self.A, dtype=np.float64, input_name="A", copy=True)
        if A.shape[0] != d:
            msg = f"A must have a row for each of the {d} features, a column for each direction; its shape is {A.shape}"
            raise ValueError(msg)
        return A

    def transform(self, X: Any) -> np.ndarray:
        """Map samples so that Euclidean distance is the learned metric.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n, n_features)

        Returns
        -------
        ndarray of float64, shape (n, p)
            Each feature, or each column of X A, times the root of its weight.

        Examples
        --------
        >>> SVMMetric().fit([[0.0], [1.0], [3.0]], triplets=[(0, 1, 2)]).transform([[0.0], [2.0]]).round(2).tolist()
        [[0.0], [1.15]]
        """
        check_is_fitted(self)
        samples = check_samples(self, X, reset=False)
        points = samples if self._directions is None else samples @ self._directions
        return points * np.sqrt(self.weights_)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names of the features of `transform`: X's, or svmmetric0, svmmetric1, ... for the columns of A.

        Parameters
        ----------
        input_features : array_like of str, optional
            Names of the columns if X had no names, else equal to the fitted ones.

        Returns
        -------
        ndarray of str objects, shape (p,)

        Examples
        --------
        >>> SVMMetric().fit([[0.0], [1.0], [3.0]], triplets=[(0, 1, 2)]).get_feature_names_out().tolist()
        ['x0']
        """
        from sklearn.utils.validation import _check_feature_names_in

        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        if self._directions is None:
            return names
        return np.array([f"svmmetric{k}" for k in range(self.weights_.size)], dtype=object)


def _check_scale(points: np.ndarray, pairs: np.ndarray) -> None:
    """Refuse samples at a scale at which the fourth powers of their differences leave the range of float64."""
    widest = float(np.abs(points[pairs[:, 0]] - points[pairs[:, 1]]).max(initial=0.0))
    least, most = _DIFFERENCES
    if widest and not least <= widest <= most:
        msg = (
            f"the samples that the statements name differ by {widest:g} at most in each feature, and weights are found "
            f"for {least:g} to {most:g}: scale X"
        )
        raise ValueError(msg)


def _norm(directions: np.ndarray) -> np.ndarray:
    """L, such that w'Lw is the squared Frobenius norm of A diag(w) A', made definite."""
    square = np.square(directions.T @ directions)
    return square + 1e-9 * np.trace(square) / len(square) * np.eye(len(square))
