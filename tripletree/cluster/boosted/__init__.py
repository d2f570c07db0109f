"""BoostedConstrainedKMeans: many runs of k-means, of which each one tries harder at pairs that others violated."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree.cluster._base import all_or_nothing, checked_samples, refuse_as_y
from tripletree.cluster._lloyd import Points, nearest_centres
from tripletree.cluster.boosted._anytime import Fit, rounds_bar
from tripletree.cluster.boosted._consensus import Votes, consensus
from tripletree.cluster.boosted._rounds import Round

__all__ = ["BoostedConstrainedKMeans"]


class BoostedConstrainedKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Boosted constrained k-means, by Okabe and Yamada (ICDM 2012).

    Runs of a quick k-means, which looks at pairs in the order of their priorities and violates those that come too
    late, vote on which samples belong together. After each round the priorities of the pairs that it has violated rise,
    and rounds that violate little have more votes. The last step is kernel k-means on the votes. There is always an
    answer, whatever the pairs; it holds more of them, the more rounds there are.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k, of each round and of the result.
    n_rounds : int, default 100
        Most rounds (the paper's T).
    priorities : {"boosted", "random", "none"}, default "boosted"
        "random" takes the pairs in a new random order in each round, and leaves rounds with an error of `max_error` or
        more out (the paper's RCKM); "none" is one round, whose clusters are the result (its CKM).
    perfect_importance : float, default 5.0
        The votes of a round that violates no pair, and the most that a round can have (the paper's rho).
    max_error : float, default 0.5
        A round whose violated pairs have this part of all priority, or more, ends the boosting and does not count (the
        paper's xi); at most 0.5, the error of a coin.
    stop_when_perfect : bool, default False
        Whether a round that violates no pair is the last one.
    n_rounds_no_change : int or None, default None
        Stop when so many rounds in a row have left the result as it was. The result is found after each round then.
    init : {"k-means++", "random"}, default "k-means++"
        The start of each round: samples far apart, or any.
    n_init : int, default 10
        Starts of the kernel k-means; the one of least inertia counts.
    max_iter : int, default 100
        Most iterations of a round.
    random_state : int, Generator, RandomState or None, default None
        Chooses starts, and the order of pairs of the same priority.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels where the index of X is 0..n-1.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample; clusters are numbered in the order of their first samples.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their strengths and origins.
    violation_cost_ : float
        The sum of their strengths, 1 for each pair without.
    pair_weights_ : PairwiseConstraints
        All pairs, with the priorities that the next round would go by as their strengths; these add up to 1.
    n_iter_ : int
        Number of rounds, those that do not count included.
    errors_ : ndarray of float64, shape (n_iter_,)
        The priority of the pairs that each round violated; that of all pairs is 1.
    importances_ : ndarray of float64, shape (n_counted,)
        The votes of the rounds that count.
    hypotheses_ : ndarray of int32, shape (n_counted, n_samples)
        Their labels.
    inertia_ : float
        The sum of squared distances to the means, in the space of the votes, where two samples have the squared
        distance of twice the votes that part them.
    stop_reason_ : {"rounds", "perfect", "no change", "error", "one round", ""}
        Why it ended; empty while `fit_rounds` goes on.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    COPKMeans : breaks no pair, or says that it must.
    PCKMeans : one k-means, in which a violated pair has a price.

    Notes
    -----
    A round (the paper's Algorithm 2) assigns samples to centres and takes means by turns, as long as the scatter
    decreases. It goes through the pairs by priority. There are six cases, as the pair is a must-link or a cannot-link,
    and as none, one or both of its samples have a cluster:

    ==========  =============================================  ====================================================
    assigned    must-link                                      cannot-link
    ==========  =============================================  ====================================================
    none        both to the centre that is nearest to either   each to its nearest; where these are the same, the
                                                               sample that is farther goes to its second nearest
    one         the other one goes there, too                  the other one to the nearest of the other centres
    both        nothing: the pair holds, or is violated        nothing
    ==========  =============================================  ====================================================

    Then all other samples go to the nearest centres. It never halts.

    Boosting (Algorithm 1): the priorities w start at the strengths, and always add up to 1. The error e of a round is
    the sum of the priorities of the pairs that it violates, its importance a = log((1 - e) / e) / 2; then those of the
    violated pairs are multiplied by exp(a), the others' by exp(-a). An error of 0 gives `perfect_importance` and leaves
    the priorities as they are, and boosting goes on, unless `stop_when_perfect`. From `max_error` on boosting ends; if
    that happens in the first round, its clusters are the result, and a `ConvergenceWarning` says so.

    The kernel is K = sum_t a_t H_t, where H_t holds +1 for two samples in one cluster of round t and -1 for the others
    [1]_ [2]_. Kernel k-means with it is k-means on the vectors of all rounds' cluster memberships, each round's times
    sqrt(2 a_t): no matrix of n x n is made, and samples of the same vector are one point. Time for T rounds of i
    iterations O(T i n k d) and O(i m T k) for m different vectors, memory O(n T).

    The whole text of the papers was not at hand; what it leaves open here is taken from a published Matlab program of
    the method, but for these: boosting goes on after an error of 0, as the papers' times tell (there it ends, as with
    `stop_when_perfect`); no importance is above `perfect_importance`; starts are those of k-means++; distances of two
    samples are compared in full. Pairs of the same priority come in one random order, drawn once for a fit. With random
    priorities the error is that of the first weights.

    Pairs count as they are given, whatever contradicts what; `PairwiseConstraints.expand` gives all that follows.

    References
    ----------
    .. [1] Okabe, Yamada (2012), Clustering by Learning Constraints Priorities, IEEE 12th International Conference on
       Data Mining, 1050-1055.
    .. [2] Okabe, Yamada (2018), Clustering Using Boosted Constrained k-Means Algorithm, Frontiers in Robotics and AI 5,
       18.

    Examples
    --------
    >>> from tripletree.cluster import BoostedConstrainedKMeans
    >>> X = [[0.0], [1.0], [4.0], [7.0], [8.0], [9.0]]
    >>> BoostedConstrainedKMeans(n_clusters=2, random_state=0).fit_predict(X).tolist()
    [0, 0, 0, 1, 1, 1]
    >>> model = BoostedConstrainedKMeans(n_clusters=2, random_state=0)
    >>> model.fit(X, pairs=([(2, 5)], [(1, 2)])).labels_.tolist()
    [0, 0, 1, 1, 1, 1]
    >>> model.violation_cost_, model.n_iter_, model.stop_reason_
    (0.0, 100, 'rounds')
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "priorities": [StrOptions({"boosted", "random", "none"})],
        "perfect_importance": [Interval(Real, 0, None, closed="neither")],
        "max_error": [Interval(Real, 0, 0.5, closed="right")],
        "stop_when_perfect": ["boolean"],
        "n_rounds_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "init": [StrOptions({"k-means++", "random"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    labels_: np.ndarray
    _rounds: list[Round]
    _share: np.ndarray
    _seed: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_rounds: int = 100,
        priorities: str = "boosted",
        perfect_importance: float = 5.0,
        max_error: float = 0.5,
        stop_when_perfect: bool = False,
        n_rounds_no_change: int | None = None,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.priorities = priorities
        self.perfect_importance = perfect_importance
        self.max_error = max_error
        self.stop_when_perfect = stop_when_perfect
        self.n_rounds_no_change = n_rounds_no_change
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, pairs: Any = None) -> BoostedConstrainedKMeans:
        """Cluster the samples.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link), optional
            Labels are those of the index where X is a pandas DataFrame, else **row numbers of this very X**: a part of
            X, as in cross-validation, has other ones, and nobody can tell. Strengths are the priorities at the start.

        Returns
        -------
        BoostedConstrainedKMeans
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        UnknownLeafError
            If pairs name samples that X has not; ``.labels`` holds them all.
        DuplicateLeafError
            If pairs refer to the index of X and it holds a label more than once.
        InvalidPairError
            If an entry is no pair, or if an integer array meets an index of other integers than 0..n-1.
        ClusterCountError
            If there are fewer samples than clusters.
        ValueError
            If X holds NaN, infinity or text.
        TypeError
            If X is sparse, or y holds pairs.

        Warns
        -----
        ConvergenceWarning
            If no round had an error below `max_error`, or there are fewer clusters than asked for.

        Examples
        --------
        >>> from tripletree.cluster import BoostedConstrainedKMeans
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> model = BoostedConstrainedKMeans(n_clusters=2, random_state=0).fit(X, pairs=([(0, 3)], [(0, 1), (2, 3)]))
        >>> model.labels_.tolist()
        [0, 1, 1, 0]
        """
        refuse_as_y(y)
        with all_or_nothing(self):
            fit = Fit.of(self, X, pairs)
            with rounds_bar(self.verbose, fit.boosting.rules.n_rounds) as bar:
                while not fit.stopped:
                    fit.step()
                    bar(fit.boosting.errors[-1])
            fit.report(self)
        fit.warn(self)
        return self

    def fit_rounds(self, X: Any, y: Any = None, *, pairs: Any = None) -> Iterator[BoostedConstrainedKMeans]:
        """Fit, and stop after each round to show what there is: ``for model in estimator.fit_rounds(X, pairs=...)``.

        Leave the loop at any time, by ``break`` or Ctrl-C: the estimator stays fitted to the rounds so far, as `fit`
        with ``n_rounds`` of that number would have done.

        Parameters
        ----------
        X, y, pairs
            As for `fit`. They are checked when the first round is asked for.

        Yields
        ------
        BoostedConstrainedKMeans
            Itself, after one round, two rounds, and so on.

        Raises
        ------
        ValueError, LookupError, TypeError
            As `fit` does.

        Examples
        --------
        >>> from tripletree.cluster import BoostedConstrainedKMeans
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> for model in BoostedConstrainedKMeans(2, random_state=0).fit_rounds(X, pairs=([(0, 3)], [(0, 1), (2, 3)])):
        ...     if model.violation_cost_ == 0:
        ...         break
        >>> model.labels_.tolist()
        [0, 1, 1, 0]
        """
        refuse_as_y(y)
        with all_or_nothing(self):
            fit = Fit.of(self, X, pairs)
            fit.step()
            fit.report(self)
        while not fit.stopped:
            yield self
            with all_or_nothing(self):
                fit.step()
                fit.report(self)
        fit.warn(self)
        yield self

    def staged_labels(self) -> Iterator[np.ndarray]:
        """The clusters after each round that counts, as `fit` with fewer rounds would have given them.

        Yields
        ------
        ndarray of int32, shape (n_samples,)
            The last one is ``labels_``.

        Raises
        ------
        NotFittedError
            Before `fit`.

        Examples
        --------
        >>> from tripletree.cluster import BoostedConstrainedKMeans
        >>> model = BoostedConstrainedKMeans(2, n_rounds=3, random_state=0).fit([[0.0], [1.0], [5.0], [6.5]])
        >>> [labels.tolist() for labels in model.staged_labels()]
        [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]
        """
        check_is_fitted(self)
        k = self._rounds[0].centres.shape[0]
        votes = Votes.none(self.labels_.size, k)
        for done in self._rounds:
            votes = votes.grown(done.labels, done.importance)
            yield consensus(votes, k, np.random.default_rng(self._seed), n_init=self.n_init).labels

    def predict(self, X: Any) -> np.ndarray:
        """Find the clusters of new samples: in each round the nearest centre, and then the nearest mean of the votes.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)

        Returns
        -------
        ndarray of int, shape (n_new,)
            No pair says anything of a new sample, so on the fitted samples the answer need not be ``labels_``.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ValueError
            If X does not fit the fitted samples, or holds NaN or infinity.

        Examples
        --------
        >>> from tripletree.cluster import BoostedConstrainedKMeans
        >>> model = BoostedConstrainedKMeans(2, n_rounds=3, random_state=0).fit([[0.0], [1.0], [5.0], [6.5]])
        >>> model.predict([[2.0], [7.0]]).tolist()
        [0, 1]
        """
        return self._distances(X).argmin(axis=1).astype(np.int32)

    def transform(self, X: Any) -> np.ndarray:
        """Distances of samples to the clusters' means, in the space of the votes, see ``inertia_``.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters)
            Fewer columns where fewer clusters were found.

        Raises
        ------
        NotFittedError, ValueError
            As `predict` does.

        Examples
        --------
        >>> from tripletree.cluster import BoostedConstrainedKMeans
        >>> model = BoostedConstrainedKMeans(2, priorities="none", random_state=0).fit([[0.0], [1.0], [5.0], [6.5]])
        >>> model.transform([[2.0]]).round(3).tolist()
        [[0.0, 1.414]]
        """
        return np.sqrt(self._distances(X))

    @property
    def hypotheses_(self) -> np.ndarray:
        """The labels in each of the rounds that count, shape (n_counted, n_samples)."""
        return np.stack([done.labels for done in self._rounds])

    # ------------------------------------------------------------------ steps

    def _distances(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        points = Points.of(checked_samples(self, X, reset=False))
        rows = np.stack([nearest_centres(points.columns, done.centres)[0] for done in self._rounds], axis=1)
        return Votes.of_new(rows, self.importances_, self._rounds[0].centres.shape[0]).distances(self._share)

    @property
    def _n_features_out(self) -> int:
        return self._share.shape[2]
