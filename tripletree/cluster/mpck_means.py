"""MPCKMeans: k-means in which a violated pair has a price, and pairs and clusters shape the metric."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from tripletree.cluster._learned_metrics import Learned, Problem, far_differences
from tripletree.cluster._lloyd import Points
from tripletree.cluster._soft_estimator import SoftPairMeans
from tripletree.cluster._soft_means import Run
from tripletree.cluster._soft_pairs import Links

__all__ = ["MPCKMeans"]


class MPCKMeans(SoftPairMeans):
    """k-means with soft pairs that learns metrics, by Bilenko, Basu and Mooney (ICML 2004).

    As `PCKMeans`, and what distances mean is learned along with the clusters: features in which clusters, and violated
    must-links, spread little count for more, those in which they spread much for less. Each cluster has its own metric,
    or all of them one.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    metric : {"diagonal", "full"}, default "diagonal"
        "diagonal" weighs the features; "full" learns matrices, so directions in which features go together count, too:
        often better with few features or many samples, and slower.
    shared_metric : bool, default False
        Whether all clusters have one metric. Then they are alike in shape and size, and the lines between them
        straight.
    penalty : float in 0..1e100, default 1.0
        The price of a violated pair of strength 1 is so many times the squared distances in the objective (see Notes):
        it needs no change where X is scaled. 0 leaves the pairs out.
    prior : float, default 10.0
        How many samples the metric to start with, the Euclidean one, is worth in each cluster (see Notes). Greater
        than 0.
    init : {"pairs", "k-means++"} or array_like of shape (n_clusters, n_features), default "pairs"
        As for `PCKMeans`.
    n_init : int, default 10
        Number of starts; the one of least objective counts. Given centres are used once.
    max_iter : int, default 300
        Most iterations of a start.
    tol : float, default 1e-4
        A start ends when the squares of the shifts of all centres add up to less than this part of the mean variance of
        the features, and no entry of a metric changes by more than this part of the greatest one; 0 goes on until no
        label changes.
    random_state : int, Generator, RandomState or None, default None
        Chooses starts, the order in which samples in pairs are looked at, and directions (see Notes).
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation.
    verbose : bool or int, default False
        Whether to show a progress bar over the starts.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample; `predict` may say another one of samples in pairs, see there.
    cluster_centers_ : ndarray of float64, shape (n_clusters, n_features)
    metrics_ : ndarray of float64, shape (n_clusters, n_features) or (n_clusters, n_features, n_features)
        The metric of each cluster: the weights of the features, or the matrix. All are equal where it is shared.
    inertia_ : float
        The sum of (weighted) squared distances to the centres, under the metrics.
    violation_cost_ : float
        The sum of the prices of the violated pairs.
    objective_ : float
        What is minimised.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their strengths and origins.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    PCKMeans : with the Euclidean metric.

    Notes
    -----
    With labels l, centres m, metrics A_h, strengths w and ``|x|_A^2 = x' A x``, the objective is [1]_ ::

        sum_i s_i (|x_i - m_l(i)|^2_A - log det A)                          A that of l(i)
        + penalty * sum w_ij (|x_i - x_j|^2_A + |x_i - x_j|^2_B) / 2        must-links with l(i) != l(j); A, B theirs
        + penalty * sum w_ij (far(A) - |x_i - x_j|^2_A)                     cannot-links with l(i) == l(j)
        + prior * sum_h (v * trace A_h - log det A_h)                       once where the metric is shared

    The first line is what `predict` chooses by. The last one is not the paper's: it is as if `prior` samples with the
    mean variance v of the features in every direction were in each cluster. It keeps metrics finite where features are
    constant or clusters small, where the paper adds a part of the trace to a singular matrix. Clusters without samples
    keep the metric to start with. Two of four starts begin with the metric under which must-linked samples
    are near each other.

    far(A) is the greatest squared distance. The paper takes that of the two samples farthest apart. Here it is, for
    diagonals, that of two opposite corners of the box around the samples: then the best metric, of which the paper has
    the formula, is exact, its weights are positive, and the objective never increases. For matrices it is the greatest
    among cannot-linked pairs and among samples that are outermost along features or along directions drawn at random
    (up to 64), the one under the metric so far; eigenvalues below 1e-6 of the greatest are raised to that before the
    inversion, and the step is halved, or left out, where it would raise the objective. So it never increases either.

    Labels are searched for as in `PCKMeans`. An iteration takes O((n + p k) d) time for each diagonal, with p pairs,
    and d times as much for each matrix; no distance of two samples is taken but those in pairs and outermost ones.

    References
    ----------
    .. [1] Bilenko, Basu, Mooney (2004), Integrating Constraints and Metric Learning in Semi-Supervised Clustering,
       Proceedings of the 21st International Conference on Machine Learning, 81-88.

    Examples
    --------
    The first feature is noise; pairs tell.

    >>> X = [[0, 0], [9, 0], [1, 1], [8, 1], [0, 5], [9, 5], [1, 6], [8, 6]]
    >>> model = MPCKMeans(n_clusters=2, random_state=0, prior=1.0)
    >>> labels = model.fit_predict(X, pairs=([(0, 1), (4, 5)], [(0, 4), (1, 5)]))
    >>> (labels == labels[0]).tolist()
    [True, True, True, True, False, False, False, False]
    >>> bool((model.metrics_[:, 0] < model.metrics_[:, 1]).all())
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **SoftPairMeans._parameter_constraints,
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
        metric: str = "diagonal",
        shared_metric: bool = False,
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

    def _run(self, points: Points, links: Links, centres: np.ndarray | None) -> Run:
        if self.metric == "diagonal":
            return super()._run(points, links, centres)
        from threadpoolctl import threadpool_limits  # comes with scikit-learn

        with threadpool_limits(1, "blas"):  # threads on matrices as small as these wait for each other
            return super()._run(points, links, centres)

    def _prepared(self, points: Points, links: Links, rng: np.random.Generator) -> Problem:
        apart, far = far_differences(points, links, rng, full=self.metric == "full")
        price = self.penalty * links.strength
        return Problem(points, links, price, apart, far, self.prior, self.shared_metric, self.tol)

    def _state(self, prepared: Problem, centres: np.ndarray) -> Learned:
        return Learned.of(prepared, centres, full=self.metric == "full")

    def _started(self, prepared: Problem, rng: np.random.Generator, r: int) -> Learned:
        if r % 4 < 2:
            return self._state(prepared, self._first_centres(prepared.points, prepared.links, rng, r))
        return Learned.of_must_links(
            prepared,
            lambda points: self._first_centres(points, prepared.links, rng, r),
            k=self.n_clusters,
            full=self.metric == "full",
        )

    def _report_values(self, run: Run, cost: float) -> None:
        state: Any = run.state
        unit = self._spread**2
        self.metrics_ = state.metrics / unit
        self.violation_cost_ = cost
        self.inertia_ = float((state.own(run.labels) + state.problem.points.weights * state.log_det[run.labels]).sum())
        # log det of a metric in units of X is smaller by d log unit
        mass = state.problem.points.weights.sum() + self.prior * (1 if self.shared_metric else self.n_clusters)
        self.objective_ = run.objective + float(mass * self.n_features_in_ * np.log(unit))
