"""MPCKMeans: PCKMeans that also learns a metric from the clusters and the pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from tripletree.algorithms.points import is_sparse
from tripletree.cluster.kmeans.lloyd import Points, centre_step
from tripletree.cluster.kmeans.soft_pairs import PENALTY, SoftPairMeans, SoftRun, WeightedLinks, violated_links
from tripletree.core.arrays import freeze
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.threads import one_blas_thread

# ----------------------------------------------------------------------
# The state of `MPCKMeans`: centres, and a metric for each cluster or one for all of them.
#
# Metrics are rows of a diagonal, shape (k, d), or matrices, shape (k, d, d). All is in the frame of `SoftPairMeans`, in
# which the mean variance of the features is 1 / d: the metric to start with is d times the identity.

#: Eigenvalues of the matrix that is inverted for a metric are at least this part of the greatest.
_FLOOR = 1e-6
#: How often the step to a new metric is halved where the objective would rise, and directions in which far samples
#: are looked for.
_HALVINGS, _DIRECTIONS = 6, 16


@dataclass(frozen=True)
class MetricTask:
    """The part of a start that stays the same through the iterations.

    Attributes
    ----------
    points : Points
    links : WeightedLinks
    price : ndarray of float64, shape (e,)
        Penalty times weight of each pair.
    apart : ndarray of float64, shape (e, d)
        The difference of the two samples of each pair.
    far : ndarray of float64, shape (c, d)
        Differences: the squared length of a violated cannot-link is subtracted from the greatest square of one of them
        under a metric. No difference in `apart` that belongs to a cannot-link is ever greater.
    prior : float
        How many samples the metric to start with is worth.
    shared : bool
        One metric for all clusters.
    tol : float
    """

    points: Points
    links: WeightedLinks
    price: np.ndarray
    apart: np.ndarray
    far: np.ndarray
    prior: float
    shared: bool
    tol: float

    @cached_property
    def tied(self) -> Points:
        """The points in pairs."""
        return self.points.part(self.links.nodes)


def far_differences(points: Points, links: WeightedLinks, rng: np.random.Generator, *, full: bool) -> tuple:
    """``apart`` and ``far`` of a problem.

    For diagonals ``far`` is the diagonal of the box around the samples, which no two of them exceed in any feature. For
    matrices it holds the differences of samples that are the first or the last along some feature or some direction
    drawn at random, and the differences of the cannot-links.
    """
    apart = points.differences(links.nodes[links.ends])
    if not full:
        return apart, points.widths()[None, :]
    d = points.columns.shape[0]
    widest = np.argsort(-np.ptp(points.columns, axis=1), kind="stable")[:_DIRECTIONS]
    value = np.concatenate([points.columns[widest], rng.normal(size=(_DIRECTIONS, d)) @ points.columns])
    ends = np.unique(np.concatenate([value.argmin(axis=1), value.argmax(axis=1)]))
    i, j = np.triu_indices(ends.size)
    rows = points.columns[:, ends].T
    return apart, np.concatenate([rows[i] - rows[j], apart[links.n_must :]])


def _squared(differences: Any) -> Any:
    return differences.multiply(differences).tocsr() if is_sparse(differences) else differences * differences


def _lengths(differences: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Return squared lengths of differences (c, d) under a metric."""
    if metric.ndim == 1:
        return _squared(differences) @ metric
    return ((differences @ metric) * differences).sum(axis=1)


def _log_det(metric: np.ndarray) -> float:
    return float(np.log(metric).sum() if metric.ndim == 1 else np.linalg.slogdet(metric)[1])


def _root(metric: np.ndarray) -> np.ndarray:
    """R with R'R = the metric: its diagonal for a diagonal."""
    return np.sqrt(metric) if metric.ndim == 1 else np.linalg.cholesky(metric).T


def _inverse(moment: np.ndarray) -> np.ndarray:
    """The root of a symmetric matrix, its eigenvalues first raised to a part of the greatest: positive definite."""
    values, vectors = np.linalg.eigh(moment)
    return (vectors / np.maximum(values, _FLOOR * np.abs(values).max())) @ vectors.T


def _mapped(root: np.ndarray, points: Any) -> Any:
    """Return points in a space whose Euclidean distances are distances in the metric of a root."""
    if root.ndim == 1:
        return points.scaled(root)
    return Points(freeze(np.ascontiguousarray(root @ points.columns)), points.weights)


def _mapped_rows(root: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return root * rows if root.ndim == 1 else (root @ rows.T).T


@dataclass
class MetricState:
    """See `SoftState`.

    Attributes
    ----------
    problem : MetricTask
    centres : ndarray of float64, shape (k, d)
    metrics : ndarray of float64, shape (k, d) or (k, d, d)
    """

    problem: MetricTask
    centres: np.ndarray
    metrics: np.ndarray

    @classmethod
    def of(cls, problem: MetricTask, centres: np.ndarray, *, full: bool) -> MetricState:
        """With the metric to start with."""
        k, d = centres.shape
        return cls(problem, centres, np.repeat((d * np.eye(d) if full else np.full(d, float(d)))[None], k, axis=0))

    @classmethod
    def of_must_links(
        cls, problem: MetricTask, choose: Callable[[Points], np.ndarray], *, k: int, full: bool
    ) -> MetricState:
        """With the metric under which must-linked samples are near each other, and centres chosen under it.

        Parameters
        ----------
        problem : MetricTask
        choose : callable
            Points -> centres. The points are in a space whose Euclidean distances are the distances of the metric.
        k : int
        full : bool
        """
        d, n_must = problem.apart.shape[1], problem.links.n_must
        apart, weights = problem.apart[:n_must].T, problem.links.weights[:n_must]
        start = cls.of(problem, np.empty((k, d)), full=full)  # the prior, and half the squares around the means
        moment = problem.prior / d * (np.eye(d) if full else np.ones(d)) + start._square(apart, 0.5 * weights)
        mass = problem.prior + weights.sum()
        metric = mass * (_inverse(moment) if full else 1.0 / moment)
        root = _root(metric)
        chosen = choose(_mapped(root, problem.points))
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
        """See `SoftState`."""
        p = self.problem
        length = self._of_each(p.apart)
        must = np.arange(p.price.size)[:, None] < p.links.n_must
        return p.price[:, None] * np.where(must, 0.5 * length, np.maximum(self._far.max(axis=0) - length, 0.0))

    @cached_property
    def _far(self) -> np.ndarray:
        return self._of_each(self.problem.far)

    def _of_each(self, differences: np.ndarray) -> np.ndarray:
        """Return squared lengths under each metric, shape (c, k)."""
        if self.problem.shared:
            return np.repeat(_lengths(differences, self.metrics[0])[:, None], len(self.metrics), axis=1)
        if self.metrics.ndim == 2:
            return _squared(differences) @ self.metrics.T
        return np.stack([_lengths(differences, a) for a in self.metrics], axis=1)

    @cached_property
    def _costs(self) -> np.ndarray:
        return self.distances() - self.log_det

    @cached_property
    def _points_and_centres(self) -> tuple[Any, np.ndarray]:
        """Return points and centres in a space where Euclidean distances are distances under the shared metric."""
        root = _root(self.metrics[0])
        return _mapped(root, self.problem.points), _mapped_rows(root, self.centres)

    @property
    def _diagonals(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Centres and a diagonal for each, None if there is one for all, or matrices."""
        if self.problem.shared or self.metrics.ndim > 2:
            return None
        return self.centres, self.metrics

    def nearest(self) -> np.ndarray:
        """See `SoftState`."""
        if self.problem.shared and self.metrics.ndim == 2:
            root = _root(self.metrics[0])
            return self.problem.points.nearest(_mapped_rows(root, self.centres), root)
        if self.problem.shared:
            points, centres = self._points_and_centres
            return points.nearest(centres)
        diagonals = self._diagonals
        if diagonals is None:
            return self._costs.argmin(axis=1).astype(np.int32)
        return self.problem.points.diagonal_nearest(*diagonals, -self.log_det)

    def own(self, labels: np.ndarray) -> np.ndarray:
        """See `SoftState`."""
        points, diagonals = self.problem.points, self._diagonals
        if self.problem.shared:
            lengths = self._points_and_centres[0].own_distances(labels, self._points_and_centres[1])
        elif diagonals is None:
            return points.weights * self._costs[np.arange(labels.size), labels]
        else:
            lengths = points.diagonal_own(labels, *diagonals)
        return points.weights * (lengths - self.log_det[labels])

    def linked(self, some: np.ndarray) -> np.ndarray:
        """See `SoftState`."""
        tied, diagonals = self.problem.tied, self._diagonals
        costs = np.empty((tied.n, len(self.centres)))
        if self.problem.shared and self.metrics.ndim == 2:
            root = _root(self.metrics[0])
            given = some, some, _mapped_rows(root, self.centres)
            tied.fill_costs(costs, *given, factors=root, offsets=-self.log_det)
        elif self.problem.shared:
            points, centres = self._points_and_centres
            given = some, self.problem.links.nodes[some], centres
            points.fill_costs(costs, *given, offsets=-self.log_det)
        elif diagonals is None:
            costs[some] = tied.weights[some, None] * self._costs[self.problem.links.nodes[some]]
        else:
            tied.fill_diagonal_costs(costs, some, *diagonals, -self.log_det)
        return costs

    def scatter(self, labels: np.ndarray) -> float:
        """See `SoftState`: with the cost of the metrics by themselves."""
        d = self.centres.shape[1]
        trace = self.metrics.sum(axis=1) if self.metrics.ndim == 2 else np.trace(self.metrics, axis1=1, axis2=2)
        own = trace / d - self.log_det
        return float(self.own(labels).sum() + self.problem.prior * (own[0] if self.problem.shared else own.sum()))

    def distances(self) -> np.ndarray:
        """See `SoftState`."""
        points = self.problem.points
        if self.problem.shared:
            return self._points_and_centres[0].squared_distances(self._points_and_centres[1])
        diagonals = self._diagonals
        if diagonals is not None:
            return points.diagonal_distances(*diagonals)
        out = np.empty((points.n, self.centres.shape[0]))
        for h, metric in enumerate(self.metrics):
            root = _root(metric)
            out[:, h] = _mapped(root, points).squared_distances(_mapped_rows(root, self.centres[[h]]))[:, 0]
        return out

    def updated(self, labels: np.ndarray) -> MetricState:
        """See `SoftState`: the means, then the metrics for them."""
        moved = replace(self, centres=centre_step(self.problem.points, labels, self.centres))
        moments, mass, lift = moved.moments(labels)
        if self.problem.shared:
            metric = self._metric(self.metrics[0], moments.sum(axis=0), mass.sum(), lift.sum(), self._far[:, 0])
            metrics = np.repeat(metric[None], len(self.metrics), axis=0)
        elif self.metrics.ndim == 2:
            metrics = self._diagonal(moments, mass[:, None], lift[:, None])
        else:
            parts = zip(self.metrics, moments, mass, lift, self._far.T, strict=True)
            metrics = np.stack([self._metric(*x) for x in parts])
        return replace(moved, metrics=metrics)

    def moments(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the terms of the objective for each cluster and its metric A, for all together if they share a matrix.

        Returns
        -------
        moments, mass, lift : ndarray, shape (k, d) or (k, d, d), (k,), (k,), or (1, d, d), (1,), (1,) if shared
            The cluster costs ``<A, moments> + lift * (the greatest square of far) - mass * log det A``, the prior
            aside: ``moments`` holds the scatter around the centre, half of each violated must-link for either end, less
            the violated cannot-links, whose prices add up to ``lift``.
        """
        p, k = self.problem, self.centres.shape[0]
        label = labels[p.links.nodes]
        violated = violated_links(p.links, label)
        moments = self._spreads(labels)
        mass, lift = np.bincount(labels, p.points.weights, k), np.zeros(k)
        if self.metrics.ndim == 2:
            if violated.any():
                self._add_violated(np.flatnonzero(violated), label, moments, lift)
            return moments, mass, lift
        ends = label[p.links.ends]
        must = np.arange(p.price.size) < p.links.n_must
        if p.shared:
            factor = p.price * np.where(must, 1.0, -1.0)
            moments[0] += self._square(p.apart[violated].T, factor[violated])
            return moments, mass.sum(keepdims=True), -factor[violated & ~must].sum(keepdims=True)
        for h in range(k):
            factor = violated * p.price * np.where(must, 0.5 * (ends == h).sum(axis=1), -1.0 * (ends[:, 0] == h))
            lift[h] = -factor[~must].sum()
            used = factor != 0
            moments[h] += self._square(p.apart[used].T, factor[used])
        return moments, mass, lift

    def _add_violated(self, paid: np.ndarray, label: np.ndarray, moments: np.ndarray, lift: np.ndarray) -> None:
        """Add violated pairs, given by their numbers, to the moments and lifts of diagonals."""
        from scipy.sparse import csr_array

        p, k = self.problem, self.centres.shape[0]
        n_must = int(np.searchsorted(paid, p.links.n_must))  # must-links come first
        (first, second), price = label[p.links.ends[paid]].T, p.price[paid]
        share = np.concatenate([0.5 * price[:n_must], -price[n_must:]])
        square = _squared(p.apart[paid])
        if is_sparse(square):
            rows, pair = np.concatenate([first, second[:n_must]]), np.arange(paid.size)
            shares = np.concatenate([share, share[:n_must]]), (rows, np.concatenate([pair, pair[:n_must]]))
            moments += (csr_array(shares, shape=(k, paid.size)) @ square).toarray()
        else:
            np.add.at(moments, first, share[:, None] * square)
            np.add.at(moments, second[:n_must], share[:n_must, None] * square[:n_must])
        np.add.at(lift, first[n_must:], price[n_must:])

    def _spreads(self, labels: np.ndarray) -> np.ndarray:
        """Return the weighted scatter of each cluster around its centre, of the shape of the moments."""
        points, k = self.problem.points, self.centres.shape[0]
        if self.metrics.ndim == 2:
            return points.diagonal_scatter(labels, self.centres)
        if self.problem.shared:
            own = np.ascontiguousarray(self.centres.T).take(labels, axis=1)
            return self._square(np.subtract(points.columns, own, out=own), points.weights)[None]
        spreads = np.empty_like(self.metrics)
        for h in range(k):
            own = np.flatnonzero(labels == h)
            spreads[h] = self._square(points.columns.take(own, axis=1) - self.centres[h][:, None], points.weights[own])
        return spreads

    def _square(self, columns: Any, weights: np.ndarray) -> np.ndarray:
        if self.metrics.ndim == 2:
            return _squared(columns) @ weights
        return (columns * weights) @ columns.T

    def _metric(self, old: np.ndarray, moment: np.ndarray, mass: float, lift: float, far: np.ndarray) -> np.ndarray:
        """Return the best metric for one cluster, the far difference taken to be the old one, or on the way to it.

        ``far`` holds the squared lengths of the far differences under the old metric.
        """
        p, d = self.problem, self.centres.shape[1]
        if old.ndim == 1:
            return self._diagonal(moment, mass, lift)
        moment = moment + p.prior / d * np.eye(d)
        mass = mass + p.prior
        farthest = p.far[far.argmax()]

        def value(metric: np.ndarray, most: float) -> float:
            return float((metric * moment).sum() + lift * most - mass * _log_det(metric))

        best, was = mass * _inverse(moment + lift * np.outer(farthest, farthest)), value(old, far.max())
        for halving in range(_HALVINGS):
            step = 0.5**halving
            metric = (1 - step) * old + step * best  # the best itself at first, whatever its scale
            if value(metric, _lengths(p.far, metric).max() if lift else 0.0) <= was:
                return metric
        return old

    def _diagonal(self, moment: np.ndarray, mass: Any, lift: Any) -> np.ndarray:
        """Return the best diagonal, or one in each row: there is but one far difference, and nothing is negative."""
        p = self.problem
        return (mass + p.prior) / (moment + p.prior / moment.shape[-1] + lift * p.far[0] ** 2)

    def with_centre(self, cluster: int, sample: int) -> MetricState:
        """See `SoftState`."""
        centres = self.centres.copy()
        centres[cluster] = self.problem.points.rows([sample])[0]
        return replace(self, centres=centres)

    def is_near(self, other: MetricState) -> bool:
        """See `SoftState`."""
        shift = ((self.centres - other.centres) ** 2).sum()
        change = np.abs(self.metrics - other.metrics).max()
        tol = self.problem.tol
        return bool(shift <= tol / self.centres.shape[1] and change <= tol * np.abs(self.metrics).max())

    def at(self, points: Points) -> MetricState:
        """See `SoftState`."""
        p = self.problem
        rows = np.empty((0, self.centres.shape[1]))
        none = WeightedLinks.of(np.empty((0, 2), np.int32), np.empty((0, 2), np.int32), np.empty(0))
        other = replace(p, points=points, links=none, price=np.empty(0), apart=rows, far=np.zeros_like(p.far[:1]))
        return MetricState(other, self.centres, self.metrics)


class MPCKMeans(SoftPairMeans):
    """k-means with soft pairs that learns metrics, by Bilenko, Basu and Mooney (ICML 2004).

    Like `PCKMeans`, but the metric is learned along with the clusters: features in which clusters and violated
    must-links spread little get more weight, features in which they spread much get less. Each cluster has its own
    metric, or all share one.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    metric : {"diagonal", "full"}, default "full"
        "diagonal" weighs the features. "full" learns matrices, which also capture correlated features. Their inverses
        take time that grows with the cube of the number of features: take "diagonal" for many hundreds of features.
    shared_metric : bool, default True
        Whether all clusters share one metric. Then they have similar shapes and sizes, and linear boundaries. The paper
        gives each cluster its own. One full metric for all does better in the mean
        (``benchmarks/bench_pck_means.py``).
    penalty : float in 0..1e100, default 1.0
        The price of a violated pair of weight 1, as a multiple of the squared distances in the objective (see Notes),
        so it does not depend on the scale of X. 0 ignores the pairs.
    prior : float, default 10.0
        How many samples the initial, Euclidean metric counts as in each cluster (see Notes). Greater than 0. The paper
        has no such term: a value near 0, such as 1e-9, gives its objective.
    init : {"pairs", "k-means++", "random"} or array_like of shape (n_clusters, n_features), default "pairs"
        As for `PCKMeans`.
    n_init : int, default 10
        Number of starts. The one with the lowest objective counts. Given centres are used once.
    max_iter : int, default 300
        Maximum number of iterations of a start.
    tol : float, default 1e-4
        A start ends when the squared shifts of all centres add up to less than this fraction of the mean variance of
        the features, and no entry of a metric changes by more than this fraction of the largest one. With 0 it ends
        when no label changes.
    random_state : int, Generator, RandomState or None, default None
        Determines the starts, the order in which samples in pairs are visited, and directions (see Notes).
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs with labels that are not in the index of X, as in cross-validation.
    verbose : bool or int, default False
        Whether to show a progress bar over the starts.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample. `predict` may give another one for samples in pairs, see there.
    cluster_centers_ : ndarray of float64, shape (n_clusters, n_features)
    metrics_ : ndarray of float64, shape (n_clusters, n_features) or (n_clusters, n_features, n_features)
        The metric of each cluster: the weights of the features, or the matrix. All are equal if shared.
    inertia_ : float
        The sum of (weighted) squared distances to the centres, under the metrics.
    violation_cost_ : float
        The total price of the violated pairs.
    objective_ : float
        The minimised objective.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their weights and origins.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    PCKMeans : uses the Euclidean metric.

    Notes
    -----
    With labels l, centres m, metrics A_h, weights s and w and ``|x|_A^2 = x' A x``, the objective is [1]_ ::

        sum_i s_i (|x_i - m_l(i)|^2_A - log det A)                          A is the metric of l(i)
        + penalty * sum w_ij (|x_i - x_j|^2_A + |x_i - x_j|^2_B) / 2        must-links with l(i) != l(j), A and B theirs
        + penalty * sum w_ij (far(A) - |x_i - x_j|^2_A)                     cannot-links with l(i) == l(j)
        + prior * sum_h (v * trace A_h - log det A_h)                       once where the metric is shared

    `predict` minimises the first line. The last line is not in the paper: it is as if each cluster contained `prior`
    further samples with the mean variance v of the features in every direction. It keeps metrics finite if features are
    constant or clusters small, where the paper adds a fraction of the trace to a singular matrix. Clusters without
    samples keep the initial metric. Two of four starts begin with the metric under which must-linked samples are close.

    far(A) is the greatest squared distance. The paper takes the two samples farthest apart. Here it is, for diagonals,
    the distance of two opposite corners of the box around the samples: then the best metric, by the formula of the
    paper, is exact, its weights are positive, and the objective never increases. For matrices it is the greatest
    among cannot-linked pairs and among samples that are outermost along features or along directions drawn at random
    (up to 64), the one under the metric so far. Eigenvalues below 1e-6 of the greatest are raised to that before the
    inversion, and the step is halved, or left out, where it would raise the objective. So it never increases either.

    Labels are found as in `PCKMeans`. An iteration takes O((n + p k) d) time for each diagonal, with p pairs, and d
    times as much for each matrix. Distances between samples are computed only for pairs and outermost samples.

    References
    ----------
    .. [1] Bilenko, Basu, Mooney (2004), Integrating Constraints and Metric Learning in Semi-Supervised Clustering,
       Proceedings of the 21st International Conference on Machine Learning, 81-88.

    Examples
    --------
    The first feature is noise, which the pairs reveal.

    >>> X = [[0, 0], [9, 0], [1, 1], [8, 1], [0, 5], [9, 5], [1, 6], [8, 6]]
    >>> model = MPCKMeans(n_clusters=2, random_state=0, prior=1.0)
    >>> labels = model.fit_predict(X, pairs=([(0, 1), (4, 5)], [(0, 4), (1, 5)]))
    >>> (labels == labels[0]).tolist()
    [True, True, True, True, False, False, False, False]
    >>> bool(model.metrics_[0, 0, 0] < model.metrics_[0, 1, 1])
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **SoftPairMeans._parameter_constraints,
        **PENALTY,
        "metric": [StrOptions({"diagonal", "full"})],
        "shared_metric": ["boolean"],
        "prior": [Interval(Real, 0, None, closed="neither")],
    }
    _in_units: ClassVar[bool] = False

    metrics_: np.ndarray
    inertia_: float
    violation_cost_: float
    objective_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "full",
        shared_metric: bool = True,
        penalty: float = 1.0,
        prior: float = 10.0,
        init: Any = "pairs",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.shared_metric = shared_metric
        self.penalty = penalty
        self.prior = prior
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    @property
    def _takes_sparse(self) -> bool:
        return self.metric == "diagonal"

    def _run(self, points: Points, links: WeightedLinks, centres: np.ndarray | None) -> SoftRun:
        if self.metric == "diagonal":
            return super()._run(points, links, centres)
        with one_blas_thread():  # threads on such small matrices wait for each other
            return super()._run(points, links, centres)

    def _check_prices(self, n: int) -> None:
        """Prices have no unit here, and the range of `penalty` keeps them finite."""

    def _prepared(self, points: Points, links: WeightedLinks, rng: np.random.Generator) -> MetricTask:
        apart, far = far_differences(points, links, rng, full=self.metric == "full")
        price = self.penalty * links.weights
        return MetricTask(points, links, price, apart, far, self.prior, self.shared_metric, self.tol)

    def _state(self, prepared: MetricTask, centres: np.ndarray) -> MetricState:
        return MetricState.of(prepared, centres, full=self.metric == "full")

    def _started(self, prepared: MetricTask, rng: np.random.Generator, r: int) -> MetricState:
        if r % 4 < 2:
            return self._state(prepared, self._first_centres(prepared.points, prepared.links, rng, r))
        return MetricState.of_must_links(
            prepared,
            lambda points: self._first_centres(points, prepared.links, rng, r),
            k=self.n_clusters,
            full=self.metric == "full",
        )

    def _report_costs(self, run: SoftRun, pairs: PairwiseConstraints, counted: np.ndarray) -> None:
        state: Any = run.state
        unit = self._spread**2
        self.metrics_ = state.metrics / unit
        self.violation_cost_ = float(run.pair_costs.sum())
        self.inertia_ = float((state.own(run.labels) + state.problem.points.weights * state.log_det[run.labels]).sum())
        # log det of a metric in units of X is smaller by d log unit
        mass = state.problem.points.weights.sum() + self.prior * (1 if self.shared_metric else self.n_clusters)
        self.objective_ = run.objective + float(mass * self.n_features_in_ * np.log(unit))
