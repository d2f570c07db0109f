"""PCKMeans: k-means in which each violated pair adds a fixed price to the objective."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from tripletree.cluster.kmeans.lloyd import Points
from tripletree.cluster.kmeans.soft_pairs import PENALTY, EuclideanState, SoftPairMeans, SoftRun, WeightedLinks
from tripletree.core.pairs import PairwiseConstraints


class _Prepared(NamedTuple):
    """The state that all starts share."""

    points: Points
    links: WeightedLinks


class PCKMeans(SoftPairMeans):
    """k-means with soft must-links and cannot-links, by Basu, Banerjee and Mooney (SDM 2004).

    Pairs may be violated, at a price: the objective is the sum of squared distances to the centres plus the prices of
    the violated pairs. So wrong or contradictory pairs do limited harm, and there is always a result.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    penalty : float in 0..1e100, default 1.0
        The price of a violated pair of weight 1, in units of the mean squared distance of the samples to their mean, so
        it does not depend on the scale of X. 0 is plain k-means. From about 10 on, pairs are violated only if they
        contradict each other, or if the search finds no better labels.
    init : {"pairs", "k-means++", "random"} or array_like of shape (n_clusters, n_features), default "pairs"
        "pairs" starts from the means of groups of must-linked samples: the first start takes large groups far apart,
        the third, fifth, ... draw them with probabilities by size and distance, and every second start uses k-means++
        on the samples. If there are fewer groups than k, samples are added. "random" takes samples at different places.
        An array holds the starting centres.
    n_init : int, default 10
        Number of starts. The one with the lowest objective counts. Given centres are used once.
    max_iter : int, default 300
        Maximum number of iterations of a start.
    tol : float, default 1e-4
        A start ends when the squared shifts of all centres add up to less than this fraction of the mean variance of
        the features. With 0 it ends when no label changes.
    random_state : int, Generator, RandomState or None, default None
        Determines the starts, and the order in which samples in pairs are visited.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs with labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels if the index of X is 0..n-1.
    verbose : bool or int, default False
        Whether to show a progress bar over the starts.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample. `predict` may give another one for samples in pairs, see there.
    cluster_centers_ : ndarray of float64, shape (n_clusters, n_features)
    inertia_ : float
        The sum of (weighted) squared distances to the centres.
    violation_cost_ : float
        The total price of the violated pairs.
    objective_ : float
        The sum of both, which is minimised.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their weights and origins.
    penalty_ : float
        The price of a violated pair of weight 1, in squared units of X.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    MPCKMeans : learns the metric as well.

    Notes
    -----
    With labels l, centres m, weights s of samples and w of pairs, the objective is [1]_ ::

        sum_i s_i |x_i - m_l(i)|^2  +  p * sum w_ij over must-links with l(i) != l(j)
                                    +  p * sum w_ij over cannot-links with l(i) == l(j)

    where p is `penalty` times the (weighted) mean squared distance of the samples to their mean.

    Samples in no pair go to the nearest centre. The others are moved one by one, in random order, as long as a move
    lowers the objective (the paper's greedy search). Then, beyond the paper, groups and chains are moved: all samples
    that must-links hold together go to another cluster at once, and samples of two clusters connected by pairs swap.
    Without this, two linked samples may stay in a cluster that both would leave together. The objective never
    increases. An iteration takes O(n k d + p k^2) with p pairs, if the rounds of moves are few.

    The paper assumes consistent pairs and adds all that follow from them. Here pairs count as given, even if they
    contradict each other. `PairwiseConstraints.expand` gives all that follow, `soft_closure` with weights.

    A cluster that becomes empty restarts at the sample for which this lowers the objective most.

    References
    ----------
    .. [1] Basu, Banerjee, Mooney (2004), Active Semi-Supervision for Pairwise Constrained Clustering, Proceedings of
       the 2004 SIAM International Conference on Data Mining, 333-344.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> PCKMeans(n_clusters=2, init=[[0.0], [6.0]]).fit_predict(X).tolist()
    [0, 0, 1, 1]
    >>> model = PCKMeans(n_clusters=2, init=[[0.0], [6.0]], penalty=5.0)
    >>> model.fit(X, pairs=([(1, 2)], [(2, 3)])).labels_.tolist()
    [0, 0, 0, 1]
    >>> model.objective_, len(model.violated_pairs_)
    (14.0, 0)
    """

    _parameter_constraints: ClassVar[dict] = {**SoftPairMeans._parameter_constraints, **PENALTY}

    penalty_: float
    inertia_: float
    violation_cost_: float
    objective_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        penalty: float = 1.0,
        init: Any = "pairs",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.penalty = penalty
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def _check_prices(self, n: int) -> None:
        unit = self._spread**2
        if not self.penalty * unit * n < np.finfo(np.float64).max:
            msg = (
                f"penalty={self.penalty:g} times the mean squared distance of the samples to their mean, {unit:g}, is "
                "too large for float64 arithmetic; a penalty of about 10 already satisfies all pairs that can be "
                "satisfied"
            )
            raise ValueError(msg)

    def _prepared(self, points: Points, links: WeightedLinks, rng: np.random.Generator) -> _Prepared:
        return _Prepared(points, links)

    def _state(self, prepared: _Prepared, centres: np.ndarray) -> EuclideanState:
        return EuclideanState.of(*prepared, self.penalty, centres, self.tol / centres.shape[1])

    def _started(self, prepared: _Prepared, rng: np.random.Generator, r: int) -> EuclideanState:
        return self._state(prepared, self._first_centres(*prepared, rng, r))

    def _report_costs(self, run: SoftRun, pairs: PairwiseConstraints, counted: np.ndarray) -> None:
        unit = self._spread**2
        self.penalty_ = self.penalty * unit
        self.inertia_, self.violation_cost_ = run.inertia * unit, float(run.pair_costs.sum()) * unit
        self.objective_ = self.inertia_ + self.violation_cost_
