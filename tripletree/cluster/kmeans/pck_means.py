"""PCKMeans: k-means in which a violated pair has a price."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree.cluster.kmeans.lloyd import Points
from tripletree.cluster.kmeans.soft_pairs import EuclideanState, SoftLinks, SoftPairMeans, SoftRun
from tripletree.core.pairs import PairwiseConstraints

__all__ = [
    "PCKMeans",
]


class _Prepared(NamedTuple):
    """What all starts share."""

    points: Points
    links: SoftLinks


class PCKMeans(SoftPairMeans):
    """k-means with soft must-links and cannot-links, by Basu, Banerjee and Mooney (SDM 2004).

    Pairs may be violated, at a price: what is minimised is the sum of squared distances to the centres plus the price
    of each violated pair. So wrong or contradictory pairs do no more harm than they cost, and there is always an
    answer.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    penalty : float in 0..1e100, default 1.0
        The price of a violated pair of strength 1, in mean squared distances of the samples to their mean: it needs no
        change where X is scaled. 0 is plain k-means; from about 10 on, pairs are violated only where they contradict
        each other, or the search finds no way around it.
    init : {"pairs", "k-means++"} or array_like of shape (n_clusters, n_features), default "pairs"
        "pairs" starts from the neighbourhoods, the means of the samples that must-links hold together: the first time
        from those that lie far apart and are large, the third, fifth, ... time from such that are drawn with these as
        chances, and from samples by k-means++ in between; where there are fewer neighbourhoods than k, samples fill
        up. An array holds the starting centres.
    n_init : int, default 10
        Number of starts; the one of least objective counts. Given centres are used once.
    max_iter : int, default 300
        Most iterations of a start.
    tol : float, default 1e-4
        A start ends when the squares of the shifts of all centres add up to less than this part of the mean variance of
        the features; 0 goes on until no label changes.
    random_state : int, Generator, RandomState or None, default None
        Chooses starts, and the order in which samples in pairs are looked at.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels where the index of X is 0..n-1.
    verbose : bool or int, default False
        Whether to show a progress bar over the starts.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample; `predict` may say another one of samples in pairs, see there.
    cluster_centers_ : ndarray of float64, shape (n_clusters, n_features)
    inertia_ : float
        The sum of (weighted) squared distances to the centres.
    violation_cost_ : float
        The sum of the prices of the violated pairs.
    objective_ : float
        Both together, which is what is minimised.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their strengths and origins.
    penalty_ : float
        The price of a violated pair of strength 1, in the units of X squared.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    MPCKMeans : learns what distances mean as well.

    Notes
    -----
    With labels l, centres m and strengths w, the objective is [1]_ ::

        sum_i s_i |x_i - m_l(i)|^2  +  p * sum w_ij over must-links with l(i) != l(j)
                                    +  p * sum w_ij over cannot-links with l(i) == l(j)

    where p is `penalty` times the mean squared distance of the samples to their mean, both with the weights s.

    Samples in no pair go to the nearest centre. The others are moved one by one, in random order, while a move lowers
    the objective (the paper's greedy search), and then, which the paper does not, as groups and as chains: all samples
    that must-links hold together go to another cluster at once, and those of two clusters that pairs tie to each other
    change places. Without these, two samples that must-links or cannot-links hold where they are stay there, though
    both would move. The objective never increases. Time O(n k d + p k^2) for each iteration, with p pairs, where the
    rounds of moves are few.

    The paper takes the pairs to be consistent and adds all that follows from them. Here pairs count as they are given,
    whatever contradicts what; `PairwiseConstraints.expand` gives all that follows, `soft_closure` with strengths.

    A cluster that becomes empty takes up again at the sample that saves most by it.

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

    def _prepared(self, points: Points, links: SoftLinks, rng: np.random.Generator) -> _Prepared:
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
