"""MahalanobisMetric: a linear map of the features from triplets, comparisons and quadruplets."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from tripletree.cluster.base import all_or_nothing, check_samples, check_y
from tripletree.cluster.distances import check_spread
from tripletree.errors import warn_user
from tripletree.metrics.base import LearnedMetric
from tripletree.metrics.statements import Statements, statements

# ----------------------------------------------------------------------
# The programme of `MahalanobisMetric`: a map whose squared distances keep a margin, at the least trace.

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
        """Return the slope at the metric 0, shape (d, d): where it has no negative eigenvalue, 0 is the best metric."""
        return self.moment(self.weights) + self.regularization * np.eye(self.points.shape[1])

    def __call__(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the objective and its slope at a map, given flat."""
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
    """The map of the same distances whose rows are orthogonal, the longest first, signs fixed, zero rows left out."""
    _, length, axes = np.linalg.svd(L, full_matrices=False)
    keep = length > _NOTHING * length.max(initial=0.0)
    rows = length[keep, None] * axes[keep]
    largest = np.take_along_axis(rows, np.abs(rows).argmax(axis=1)[:, None], axis=1)
    return rows * np.where(largest < 0, -1.0, 1.0)


class MahalanobisMetric(ClassNamePrefixFeaturesOutMixin, LearnedMetric):
    """Mahalanobis metric from relative comparisons: the Euclidean distance after a linear map that is learned.

    Finds a small positive semidefinite matrix M for d(x, y)^2 = (x - y)'M(x - y). As far as possible, the near pair of
    each statement is nearer than the far one by a margin.

    Parameters
    ----------
    n_components : int or None, default None
        Maximum number of dimensions of the learned space. None: as many as the samples span. The metric drops
        directions that do not help.
    regularization : float, default 0.1
        The weight of the size of the metric against the mean violation of a statement. It depends neither on the scale
        of X nor on the number of statements.
    shrinkage : float, default 0.5
        How size is measured: by the mean squared distance of all samples (0), by the trace, in units of the mean
        variance (1), or by a mixture of both.
    tol : float, default 1e-10
        The solver stops when a step lowers the objective by less than this fraction.
    max_iter : int, default 1000
        Maximum number of iterations of the solver.
    on_degenerate : {"raise", "euclidean"}, default "raise"
        How to proceed if the best metric is 0, or all samples in the statements are equal: raise an error, or keep the
        features as they are, with a `UserWarning`.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out statements with labels that are not in the index of X, as in cross-validation.

    Attributes
    ----------
    components_ : ndarray of float64, shape (r, n_features)
        The map: ``transform`` is ``X @ components_.T``, and M is ``components_.T @ components_``. With respect
        to S (see Notes) its rows are orthogonal, the longest first.
    objective_ : float
        The lowest value found. NaN if nothing was learned.
    n_statements_, n_violated_ : int
        Number of statements d(a, b) < d(c, d) (a triplet is two of them), and number of violated ones, ties included.
    n_iter_ : int
        Number of iterations of the solver. 1 if nothing was solved.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    SVMMetric : a weight for each feature.

    Notes
    -----
    The programme minimises mean_i h(1 + near_i - far_i) + regularization tr(M S) over M. near and far are squared
    distances under M. h(z) is 0 below 0, z^2 / 2 up to 1 and z - 1/2 beyond. Triplets weigh in the mean by their
    weights. S is the covariance of X drawn towards its mean variance by `shrinkage`. A hinge on triplets and a norm
    that makes M sparse are as in SCML [1]_, whose basis, which needs local classes, is left out: M is any matrix.
    Quadruplets are as in LSML [2]_. The programme is convex in M, so a metric of 0 is seen before anything is solved:
    it is the best one where the slope at 0 has no negative eigenvalue. It is solved in M = L'L by scipy's L-BFGS-B. If
    L has as many rows as X has dimensions no other minimum stands in the way. `n_components` less than that gives a
    minimum near the part of M that counts most.

    Time O(n d^2 + m d) an iteration for m statements on n samples of d features. Memory O(m d). 3,000 samples of 100
    features and 10,000 triplets take about a second. The defaults were chosen on held-out triplets of
    glass, sonar, balance scale, segmentation and optdigits with n / 4 and n random triplets. A third or three times the
    regularization changes little. ``benchmarks/results/learned_metrics.md`` compares it with `SVMMetric` on other data.

    References
    ----------
    .. [1] Shi, Bellet, Sha (2014), Sparse Compositional Metric Learning, Proceedings of the 28th AAAI Conference on
       Artificial Intelligence.
    .. [2] Liu, Guo, Zhou, Ye, Xue, Wang (2012), Metric Learning from Relative Comparisons by Minimizing Squared
       Residual, Proceedings of the 12th IEEE International Conference on Data Mining, 978-983.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 1.1], [1.0, 0.0], [2.0, 1.0]]
    >>> metric = MahalanobisMetric().fit(X, triplets=[(0, 1, 2), (2, 3, 1)])
    >>> metric.transform(X).shape, metric.n_violated_
    ((4, 1), 0)
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "regularization": [Interval(Real, 0, None, closed="neither")],
        "shrinkage": [Interval(Real, 0, 1, closed="both")],
        **LearnedMetric._shared_constraints,
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        regularization: float = 0.1,
        shrinkage: float = 0.5,
        tol: float = 1e-10,
        max_iter: int = 1000,
        on_degenerate: str = "raise",
        missing_samples: str = "raise",
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization
        self.shrinkage = shrinkage
        self.tol = tol
        self.max_iter = max_iter
        self.on_degenerate = on_degenerate
        self.missing_samples = missing_samples

    def fit(
        self, X: Any, y: Any = None, *, triplets: Any = None, comparisons: Any = None, quadruplets: Any = None
    ) -> MahalanobisMetric:
        """Find the metric.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        triplets : TripletSet, iterable of (a, b, c), or ndarray of int, shape (m, 3), optional
            Triplets ab|c, as for ``tripletree.cluster.ReCon``: two statements each. Weights count.
        comparisons : iterable of (anchor, near, far), or ndarray of int, shape (m, 3), optional
            d(anchor, near) < d(anchor, far). Tuples hold labels of the index where X is a pandas DataFrame, else row
            numbers. An integer array always holds row numbers. Repeats count.
        quadruplets : iterable of (a, b, c, d), or ndarray of int, shape (m, 4), optional
            d(a, b) < d(c, d), in the same way.

        Returns
        -------
        MahalanobisMetric
            Itself. A fit that fails leaves it as it was.

        Warns
        -----
        UserWarning
            If there are no statements, or nothing can be learned and ``on_degenerate="euclidean"``.
        ConvergenceWarning
            If `max_iter` was reached.

        Examples
        --------
        >>> X = [[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [3.0, 1.0]]
        >>> MahalanobisMetric().fit(X, quadruplets=[(0, 1, 0, 2), (0, 1, 1, 2)]).n_violated_
        0
        """
        check_y(y)
        with all_or_nothing(self):
            self._validate_params()
            samples = check_samples(self, X, reset=True)
            check_spread(samples)
            d = samples.shape[1]
            if self.n_components is not None and self.n_components > d:
                msg = f"n_components={self.n_components} but X has {d} features: a map of them has no more dimensions"
                raise ValueError(msg)
            known = statements(X, samples.shape[0], self.missing_samples, triplets, comparisons, quadruplets)
            problem: list[tuple[np.ndarray, Margin]] = []

            def zero() -> bool:
                frame = frame_of(samples, self.shrinkage)
                problem.append((frame, Margin((samples - samples.mean(axis=0)) @ frame, known, self.regularization)))
                return bool(np.linalg.eigvalsh(problem[0][1].at_zero())[0] >= 0)

            less = "or lower regularization"
            if self._stays_euclidean(samples, known.pairs, len(known), zero, less):
                found = Factor(np.eye(d)[: self.n_components], float("nan"), 1, True)
                self.components_ = found.map
            else:
                frame, margin = problem[0]
                found = solved(margin, self.n_components, tol=self.tol, max_iter=self.max_iter)
                self.components_ = found.map @ frame.T
            if not found.converged:
                msg = f"the solver stopped after {found.n_iter} iterations, before it was done: raise max_iter or tol"
                warn_user(msg, ConvergenceWarning)
            self.objective_, self.n_iter_ = found.objective, found.n_iter
            self._n_features_out = self.components_.shape[0]
            self.n_statements_ = len(known)
            self.n_violated_ = known.violated(samples @ self.components_.T)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Map samples so that Euclidean distance is the learned metric.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n, n_features)

        Returns
        -------
        ndarray of float64, shape (n, r)

        Examples
        --------
        >>> metric = MahalanobisMetric().fit([[0.0], [1.0], [3.0]], triplets=[(0, 1, 2)])
        >>> abs(metric.transform([[0.0], [2.0]])).round(1).tolist()
        [[0.0], [1.1]]
        """
        check_is_fitted(self)
        return check_samples(self, X, reset=False) @ self.components_.T
