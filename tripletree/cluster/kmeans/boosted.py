"""BoostedConstrainedKMeans: many runs of k-means. Each tries harder at pairs that others violated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree._core import engine
from tripletree.cluster.base import ConstrainedClusterer, all_or_nothing, check_enough_samples, check_samples, check_y
from tripletree.cluster.distances import check_spread, check_squares
from tripletree.cluster.kmeans.lloyd import (
    Points,
    alternate,
    best_of_starts,
    draw,
    nearest_centres,
    refill,
    starting_centres,
)
from tripletree.core.arrays import freeze, frozen
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.random import generator
from tripletree.errors import warn_user
from tripletree.knowledge.alignment import named
from tripletree.knowledge.value import Knowledge

#: Maximum number of iterations of a run, should rounding keep it from converging, and the tolerance for rounding.
_TURNS, _ROUNDING = 300, 1e-12


@dataclass(frozen=True)
class Votes:
    """The labels of samples in several clusterings. Samples of the same labels are one row.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, T), read-only
    weights : ndarray of float64, shape (m,), read-only
        How many samples each row stands for.
    row_of : ndarray of int, shape (n,)
        The row of each sample. Rows stand in the order of their first samples.
    importance : ndarray of float64, shape (T,), read-only
    n_clusters : int
        Labels are 0..n_clusters-1.
    """

    rows: np.ndarray
    weights: np.ndarray
    row_of: np.ndarray
    importance: np.ndarray
    n_clusters: int

    @classmethod
    def of(cls, labels: list[np.ndarray], importance: np.ndarray, n_clusters: int) -> Votes:
        """From the labels of all samples in each of one or more clusterings."""
        row_of = np.zeros(labels[0].size, np.int64)
        for part in labels:
            row_of, first = _parted(row_of, part, n_clusters)
        rows = np.stack([part[first] for part in labels], axis=1)
        return cls._of_rows(rows, row_of, importance, n_clusters)

    @classmethod
    def none(cls, n_samples: int, n_clusters: int) -> Votes:
        """Before the first clustering: all samples are one row."""
        return cls._of_rows(np.empty((1, 0)), np.zeros(n_samples, np.int64), np.empty(0), n_clusters)

    @classmethod
    def of_new(cls, rows: np.ndarray, importance: np.ndarray, n_clusters: int) -> Votes:
        """From rows of labels, one for each sample, as they are."""
        return cls._of_rows(rows, np.arange(len(rows)), importance, n_clusters)

    @classmethod
    def _of_rows(cls, rows: np.ndarray, row_of: np.ndarray, importance: np.ndarray, n_clusters: int) -> Votes:
        weights = np.bincount(row_of, minlength=len(rows)).astype(np.float64)
        return cls(frozen(rows), freeze(weights), row_of, frozen(importance, np.float64), n_clusters)

    def grown(self, labels: np.ndarray, importance: float) -> Votes:
        """With one clustering more."""
        row_of, first = _parted(self.row_of, labels, self.n_clusters)
        rows = np.concatenate([self.rows[self.row_of[first]], labels[first, None]], axis=1)
        return self._of_rows(rows, row_of, np.append(self.importance, importance), self.n_clusters)

    def distances(self, share: np.ndarray) -> np.ndarray:
        """Squared distances of the rows to means, shape (m, q)."""
        return engine.boosted.vote_distances(self.rows, self.importance, share)

    def means(self, labels: np.ndarray, q: int) -> np.ndarray:
        """Return the means of q clusters of the rows, without empty ones, shape (T, k, q)."""
        return freeze(engine.boosted.shares(self.rows, self.weights, frozen(labels), self.n_clusters, q)[0])


@dataclass(frozen=True)
class Consensus:
    """A clustering of votes.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
        Clusters are numbered in the order of their first samples.
    share : ndarray of float64, shape (T, k, q)
        The means of the q clusters.
    inertia : float
        The sum of the squared distances to the means.
    """

    labels: np.ndarray
    share: np.ndarray
    inertia: float


def consensus(votes: Votes, n_clusters: int, rng: np.random.Generator, *, n_init: int) -> Consensus:
    """The best of several runs of k-means in the kernel's space. There are fewer clusters if there are fewer rows.

    Parameters
    ----------
    votes : Votes
    n_clusters : int
    rng : Generator
    n_init : int
        Number of starts by k-means++.

    Returns
    -------
    Consensus
    """
    m = len(votes.rows)
    if m <= n_clusters:
        best, inertia = np.arange(m, dtype=np.int32), 0.0
    else:
        best, inertia = best_of_starts(
            lambda _: _run(votes, _starts(votes, n_clusters, rng)), n_init, lambda run: run[1]
        )
    q = int(best.max()) + 1
    first = np.full(q, m)
    np.minimum.at(first, best, np.arange(m))
    rank = np.empty(q, np.int32)
    rank[np.argsort(first)] = np.arange(q, dtype=np.int32)
    best = rank[best]
    return Consensus(best[votes.row_of], votes.means(best, q), inertia)


def _parted(row_of: np.ndarray, labels: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of samples, parted by one clustering more, and the first sample of each row, in ascending order."""
    _, first, row_of = np.unique(row_of * n_clusters + labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[row_of.ravel()], np.sort(first)


def _starts(votes: Votes, q: int, rng: np.random.Generator) -> np.ndarray:
    """The nearest of q rows that k-means++ draws, for each row."""
    order = np.arange(len(votes.rows))
    closest, labels = np.full(order.size, np.inf), np.zeros(order.size, np.int32)
    for j in range(q):
        chances = votes.weights * (closest if j else 1.0)
        distance = engine.boosted.disagreement(votes.rows, votes.importance, draw(chances, order, rng))
        labels[distance < closest] = j
        closest = np.minimum(closest, distance)
    return labels


class _Voted(NamedTuple):
    """The clusters of rows, and after a first step the squared distances to their means."""

    labels: np.ndarray
    distance: np.ndarray | None = None
    inertia: float = 0.0  #: of the labels that the distances were taken for
    is_same: bool = False  #: whether no label has changed


class _VoteMeans:
    """The steps of k-means in the space of the votes (see `Lloyd`): means, then the nearest of them."""

    def __init__(self, votes: Votes, q: int) -> None:
        self.votes, self.q, self.slack = votes, q, _ROUNDING * votes.importance.sum()

    def first(self, now: _Voted) -> _Voted:
        """See `Lloyd`: the means, and the distances to them."""
        return _Voted(now.labels, self.votes.distances(self.votes.means(now.labels, self.q)))

    def then(self, half: _Voted) -> _Voted:
        """See `Lloyd`: labels. A row moves only if that is nearer by more than rounding."""
        labels, distance = half.labels, half.distance
        assert distance is not None
        places = np.arange(labels.size)
        own = distance[places, labels]
        new = np.where(distance.min(axis=1) < own - self.slack, distance.argmin(axis=1), labels).astype(np.int32)
        inertia = float(self.votes.weights @ own)
        if (new == labels).all():
            return _Voted(labels, inertia=inertia, is_same=True)
        return _Voted(refill(new, distance[places, new], self.q), inertia=inertia)

    def is_over(self, before: _Voted, now: _Voted) -> bool:
        """See `Lloyd`: as soon as no label changes."""
        return now.is_same

    def cost(self, state: _Voted) -> float:
        """See `Lloyd`."""
        return state.inertia


def _run(votes: Votes, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """Means and nearest means in turn, until no label changes. The inertia never increases."""
    found = alternate(_VoteMeans(votes, int(labels.max()) + 1), _Voted(labels), _TURNS)
    return found.last.labels, found.last.inertia


#: The importance of a round that violates no pair, and the greatest of all.
_PERFECT = 5.0
#: The error of chance. A round with this error counts nothing.
_CHANCE = 0.5
#: Differences that count as the rounding of an error.
_TIE = 1e-9


@dataclass(frozen=True)
class BoostingRound:
    """One constrained k-means.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    centres : ndarray of float64, shape (k, d)
    error : float
        The weight of the violated pairs, of all the weight.
    importance : float
        0 where it does not count.
    """

    labels: np.ndarray
    centres: np.ndarray
    error: float
    importance: float


@dataclass(frozen=True)
class BoostingRules:
    """The rules of the rounds: the parameters of `BoostedConstrainedKMeans` of the same names."""

    n_clusters: int
    n_rounds: int
    priorities: str
    rho: float
    stop_when_perfect: bool
    stop: str
    init: str
    max_iter: int


def constrained_means(
    points: Points,
    pairs: PairwiseConstraints,
    order: np.ndarray,
    centres: np.ndarray,
    *,
    max_iter: int,
    stop: str = "scatter",
) -> tuple[np.ndarray, np.ndarray]:
    """One run of the constrained k-means that looks at pairs in the given order.

    Parameters
    ----------
    points : Points
    pairs : PairwiseConstraints
    order : ndarray of int, shape (e,)
        Numbers of pairs, the most important one first.
    centres : ndarray of float64, shape (k, d)
        The start.
    max_iter : int
    stop : {"scatter", "labels"}
        As in `BoostedConstrainedKMeans`.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    centres : ndarray of float64, shape (k, d)
        Their means. An empty cluster keeps its centre.

    Notes
    -----
    The loop is in the kernel, not in `lloyd.alternate`: a fit makes a hundred short runs, whose time would go into
    the calls. If the scatter would rise, the iteration before counts, which that loop does not provide for.
    """
    in_order = pairs.rows, pairs.n_must, frozen(order)
    labels, centres = engine.boosted.constrained_run(
        points.columns, points.weights, *in_order, frozen(centres, np.float64), max_iter, stop == "labels"
    )
    return freeze(labels), freeze(centres)


@dataclass
class Boosting:
    """The state of the boosting after some rounds (Algorithm 1 of the paper).

    Attributes
    ----------
    points, pairs, rules, rng
        The data, the rules and the random numbers.
    weights : ndarray of float64, shape (e,)
        The priorities of the pairs. They add up to 1.
    rounds : list of BoostingRound
        The rounds that count.
    errors : list of float
        The errors of all rounds, including rounds that do not count.
    stopped : str
        Why it has ended, empty while it has not.
    """

    points: Points
    pairs: PairwiseConstraints
    rules: BoostingRules
    rng: np.random.Generator
    weights: np.ndarray = field(init=False)
    rounds: list[BoostingRound] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    stopped: str = ""

    def __post_init__(self) -> None:
        self.weights = _shares(self.pairs.row_weights)
        self._ties = self.rng.permutation(self.weights.size)  # which of several pairs of one weight comes first
        self._spare: BoostingRound | None = None

    @property
    def counted(self) -> list[BoostingRound]:
        """Return the rounds that count, else the one of least error, with importance 1."""
        if self.rounds or self._spare is None:
            return self.rounds
        spare = self._spare
        return [BoostingRound(spare.labels, spare.centres, spare.error, 1.0)]

    def step(self) -> None:
        """One round more."""
        rules = self.rules
        if rules.priorities == "random":
            order = self.rng.permutation(self.weights.size)
        else:  # pairs of large weight first
            order = self._ties[np.argsort(-self.weights[self._ties], kind="stable")]
        start = starting_centres(self.points, rules.n_clusters, self.rng, init=rules.init)
        labels, centres = constrained_means(
            self.points, self.pairs, order, start, max_iter=rules.max_iter, stop=rules.stop
        )
        violated = self.pairs.is_violated(labels)
        error = float(self.weights[violated].sum())
        done = BoostingRound(labels, centres, error, 1.0 if rules.priorities == "none" else importance(error))
        self.errors.append(error)
        if done.importance > 0:
            self.rounds.append(done)
        elif self._spare is None or error < self._spare.error:
            self._spare = done
        if rules.priorities == "boosted" and done.importance > 0:
            self.weights = updated(self.weights, violated, done.importance, rho=rules.rho)
        self._end(done, perfect=not violated.any())

    def _end(self, last: BoostingRound, *, perfect: bool) -> None:
        rules = self.rules
        if rules.priorities == "none":
            self.stopped = "one round"
        elif last.importance == 0 and rules.priorities == "boosted":
            self.stopped = "error"
        elif perfect and rules.stop_when_perfect:
            self.stopped = "perfect"
        elif len(self.errors) >= rules.n_rounds:
            self.stopped = "rounds"


def importance(error: float) -> float:
    """How much a round of this error counts: half the logarithm of the odds, at most `_PERFECT`, 0 from `_CHANCE` on.

    A round that repeats the one before has an error of 1/2, except for rounding.
    """
    if error >= _CHANCE * (1.0 - _TIE):
        return 0.0
    if error <= 0.0:
        return _PERFECT
    return min(_PERFECT, 0.5 * float(np.log((1.0 - error) / error)))


def updated(weights: np.ndarray, violated: np.ndarray, importance: float, *, rho: float = 2.0) -> np.ndarray:
    """Weights of pairs after a round: violated pairs gain weight, the others lose it, and they add up to 1 again.

    None becomes 0, from where it could not grow.
    """
    change = 2.0 * importance / rho
    grown = _shares(weights * np.exp(np.where(violated, change, -change)))
    return np.maximum(grown, np.finfo(np.float64).tiny)


def _shares(weights: np.ndarray) -> np.ndarray:
    total = weights.sum()
    return weights / total if total > 0 else weights.copy()


@dataclass
class BoostingFit:
    """Rounds and their common result.

    Attributes
    ----------
    boosting : Boosting
    pairs : PairwiseConstraints
        Over the samples.
    seed : int
        For the kernel k-means: the same after each round.
    n_init : int
    """

    boosting: Boosting
    pairs: PairwiseConstraints
    seed: int
    n_init: int
    _found: tuple[int, Consensus] | None = None

    @classmethod
    def of(cls, estimator: Any, X: Any, sample_names: Any, **given: Any) -> BoostingFit:
        """Check parameters, samples and what is known of them. No round yet."""
        estimator._validate_params()
        samples = check_samples(estimator, X, reset=True)
        n, k = samples.shape[0], estimator.n_clusters
        aligned = estimator._known(named(X, sample_names), n, **given).pairs
        check_enough_samples(k, n)
        check_spread(samples)
        check_squares(samples)
        rng = generator(estimator.random_state)
        seed = int(rng.integers(2**62))
        rules = BoostingRules(
            n_clusters=k,
            n_rounds=1 if estimator.priorities == "none" else estimator.n_rounds,
            priorities=estimator.priorities,
            rho=estimator.rho,
            stop_when_perfect=estimator.stop_when_perfect,
            stop=estimator.stop,
            init=estimator.init,
            max_iter=estimator.max_iter,
        )
        boosting = Boosting(Points.of(samples), aligned, rules, rng)
        return cls(boosting, aligned, seed, estimator.n_init)

    def result(self) -> Consensus:
        """The clusters by the rounds so far."""
        rounds, done = self.boosting.counted, len(self.boosting.errors)
        if self._found is None or self._found[0] != done:
            k = self.boosting.rules.n_clusters
            votes = Votes.of([x.labels for x in rounds], np.array([x.importance for x in rounds]), k)
            self._found = done, consensus(votes, k, np.random.default_rng(self.seed), n_init=self.n_init)
        return self._found[1]

    def report(self, estimator: Any) -> None:
        """Set the attributes of the estimator to the current result."""
        result, pairs, boosting = self.result(), self.pairs, self.boosting
        label = estimator.labels_ = result.labels
        estimator.violated_pairs_ = pairs.violated(label)
        estimator.violation_cost_ = float(pairs.row_weights[pairs.is_violated(label)].sum())
        estimator.pair_weights_ = PairwiseConstraints(
            pairs.must_link,
            pairs.cannot_link,
            pairs.leaves,
            must_weights=boosting.weights[: pairs.n_must],
            cannot_weights=boosting.weights[pairs.n_must :],
            must_origins=pairs.must_origins,
            cannot_origins=pairs.cannot_origins,
        )
        estimator.n_iter_ = len(boosting.errors)
        estimator.errors_ = np.array(boosting.errors)
        estimator.importances_ = np.array([done.importance for done in boosting.counted])
        estimator.inertia_ = result.inertia
        estimator.stop_reason_ = boosting.stopped
        estimator._rounds, estimator._share, estimator._seed = list(boosting.counted), result.share, self.seed

    def warn(self) -> None:
        """Warn if there was nothing to boost, or if clusters are empty."""
        if not self.boosting.rounds:
            msg = (
                f"no round had an error below {_CHANCE:g}, the error of chance, so there is nothing to boost: the "
                f"result is one round of error {self.boosting.counted[0].error:.3g}. Do the pairs contradict each "
                "other, or is n_clusters wrong?"
            )
            warn_user(msg, ConvergenceWarning)
        n_clusters, filled = self.boosting.rules.n_clusters, self.result().share.shape[2]
        if filled < n_clusters:
            msg = f"{filled} of n_clusters={n_clusters} clusters have samples: the rounds separate no more of them"
            warn_user(msg, ConvergenceWarning)


@contextmanager
def rounds_bar(verbose: Any, total: int) -> Iterator[Callable[[float], Any]]:
    """Yield a function that adds a round and its error to a progress bar, if `verbose`. Errors remove the bar."""
    if not verbose:
        yield lambda error: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc="BoostedConstrainedKMeans", unit=" rounds") as bar:

        def tick(error: float) -> None:
            bar.set_postfix(error=f"{error:.3f}", refresh=False)
            bar.update()

        try:
            yield tick
        except BaseException:
            bar.leave = False
            raise


class BoostedConstrainedKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConstrainedClusterer):
    """Boosted constrained k-means, by Okabe and Yamada (ICDM 2012).

    Runs of a fast k-means, which visits pairs by priority and may violate late ones, vote on which samples belong
    together. After each round the priorities of the pairs it violated rise. Rounds that violate little have more votes.
    The last step is kernel k-means on the votes. There is always a result, and more rounds satisfy more pairs.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k, of each round and of the result.
    n_rounds : int, default 100
        Maximum number of rounds (the paper's T).
    priorities : {"boosted", "random", "none"}, default "boosted"
        "random" visits the pairs in a new random order in each round, and ignores rounds with an error of 1/2 or
        more (the paper's RCKM). "none" is one round, which gives the result.
    rho : float, default 2.0
        How slowly priorities change (Eq. 3 of the paper, which takes 5): after a round of error e, the priorities of
        violated pairs have grown ((1 - e) / e)^(2 / rho) times against the others. 2 is AdaBoost.
    stop_when_perfect : bool, default False
        Whether a round that violates no pair is the last one.
    stop : {"scatter", "labels"}, default "scatter"
        When the k-means of a round ends: before the scatter around the centres would rise, or, as in the paper, when no
        label changes, or after `max_iter` iterations. See Notes.
    init : {"k-means++", "random"}, default "k-means++"
        The start of each round: samples far apart, or random ones.
    n_init : int, default 10
        Number of starts of the kernel k-means. The one with the lowest inertia counts.
    max_iter : int, default 100
        Maximum number of iterations of a round.
    random_state : int, Generator, RandomState or None, default None
        Determines the starts, and the order of pairs of equal priority.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs with labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels if the index of X is 0..n-1.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample. Clusters are numbered in the order of their first samples.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their weights and origins.
    violation_cost_ : float
        The sum of their weights, 1 for each pair without.
    pair_weights_ : PairwiseConstraints
        All pairs, with their priorities after the last round as weights. The weights add up to 1.
    n_iter_ : int
        Number of rounds, including ignored ones.
    errors_ : ndarray of float64, shape (n_iter_,)
        The total priority of the pairs that each round violated. All pairs have 1.
    importances_ : ndarray of float64, shape (n_counted,)
        The votes of the rounds that are not ignored.
    hypotheses_ : ndarray of int32, shape (n_counted, n_samples)
        The labels of the rounds that count.
    inertia_ : float
        The sum of squared distances to the means in the space of the votes, where the squared distance of two samples
        is twice the votes for separating them.
    stop_reason_ : {"rounds", "perfect", "error", "one round", ""}
        Why it ended, empty while `fit_rounds` goes on.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    COPKMeans : satisfies all pairs, or fails.
    PCKMeans : one k-means with a price for violated pairs.

    Notes
    -----
    A round (the paper's Algorithm 2) assigns samples to centres and updates means in turn. It visits the pairs by
    priority. There are six cases, for must-links and cannot-links with zero, one or two samples in clusters:

    ==========  =============================================  ====================================================
    assigned    must-link                                      cannot-link
    ==========  =============================================  ====================================================
    none        both to the centre that is nearest to either   each to its nearest. If these are the same, the
                                                               sample that is farther goes to its second nearest
    one         the other one goes there, too                  the other one to the nearest of the other centres
    both        nothing: the pair holds, or is violated        nothing
    ==========  =============================================  ====================================================

    Then all other samples go to the nearest centres. It never fails.

    A round ends where the scatter around the means would rise, as assignments under pairs can make it. The paper goes
    on until no label changes (``stop="labels"``), which is worse where classes hardly show in the features. `rho`
    matters less, see ``benchmarks/papers/boosted.md``.

    Boosting (Algorithm 1): the priorities w start at the weights, and always add up to 1. The error e of a round is the
    sum of the priorities of the pairs that it violates, its importance a = log((1 - e) / e) / 2. Then the priorities of
    the violated pairs are multiplied by exp(2 a / rho), the others' by exp(-2 a / rho). An error of 0 gives an
    importance of 5 and leaves the priorities as they are, and boosting goes on, unless `stop_when_perfect`. At 1/2, the
    error of chance, boosting ends. If that happens in the first round, its clusters are the result, with a
    `ConvergenceWarning`.

    They are Eqs. 2 and 3 of the paper, whose importance is twice as large, which changes nothing. Its parameter xi
    multiplies all priorities by one number, so it has no effect, and is left out here. Eq. 1 as printed has rho
    times the error, above 1 for e > 1 / rho, where Eq. 2 has no value: it is taken without rho.

    The kernel is K = sum_t a_t H_t, where H_t holds +1 for two samples in one cluster of round t and -1 for the others
    [1]_ [2]_. Kernel k-means with it is k-means on the vectors of all rounds' cluster memberships, each round's times
    sqrt(2 a_t): no matrix of n x n is made, and samples of the same vector are one point. Time for T rounds of i
    iterations O(T i n k d) and O(i m T k) for m different vectors, memory O(n T).

    Details that the papers leave open follow a published Matlab program of the method, except:
    boosting continues after an error of 0, as the papers' running times imply (the program stops, as with
    `stop_when_perfect`). No importance exceeds 5. Starts use k-means++. Distances of two samples are
    compared in full. Pairs of equal priority are visited in one random order, drawn once for a fit. With random
    priorities the error is the one of the first weights.

    Pairs count as given, even if they contradict each other. `PairwiseConstraints.expand` gives all that follow.

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
        "rho": [Interval(Real, 0, None, closed="neither")],
        "stop_when_perfect": ["boolean"],
        "stop": [StrOptions({"scatter", "labels"})],
        "init": [StrOptions({"k-means++", "random"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    _weighs = frozenset({"pairs"})

    labels_: np.ndarray
    _rounds: list[BoostingRound]
    _share: np.ndarray
    _seed: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_rounds: int = 100,
        priorities: str = "boosted",
        rho: float = 2.0,
        stop_when_perfect: bool = False,
        stop: str = "scatter",
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.priorities = priorities
        self.rho = rho
        self.stop_when_perfect = stop_when_perfect
        self.stop = stop
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, pairs: Any = None, knowledge: Knowledge | None = None, sample_names: Any = None
    ) -> BoostedConstrainedKMeans:
        """Cluster the samples.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link), optional
            If X is a pandas DataFrame, its index has the labels. Otherwise labels are **row numbers of this very X**. A
            part of X, as in cross-validation, has other row numbers, and no check can detect that. Weights are the
            initial priorities.
        knowledge : Knowledge, optional
            Pairs as one value with others. What else is given is added to it.
        sample_names : sequence, shape (n_samples,), optional
            The names of the rows, for an X without an index. Cross-validation cuts them as it does X.

        Returns
        -------
        BoostedConstrainedKMeans
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        UnknownLeafError
            If pairs name samples that X does not have. ``.labels`` holds them all.
        InvalidPairError
            If an entry is not a pair, or if pairs are an integer array and the index of X holds integers other than
            0..n-1.

        Warns
        -----
        ConvergenceWarning
            If every round had an error of 1/2 or more, or there are fewer clusters than asked for.

        Examples
        --------
        >>> from tripletree.cluster import BoostedConstrainedKMeans
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> model = BoostedConstrainedKMeans(n_clusters=2, random_state=0).fit(X, pairs=([(0, 3)], [(0, 1), (2, 3)]))
        >>> model.labels_.tolist()
        [0, 1, 1, 0]
        """
        check_y(y)
        with all_or_nothing(self):
            fit = BoostingFit.of(self, X, sample_names, pairs=pairs, knowledge=knowledge)
            with rounds_bar(self.verbose, fit.boosting.rules.n_rounds) as bar:
                while not fit.boosting.stopped:
                    fit.boosting.step()
                    bar(fit.boosting.errors[-1])
            fit.report(self)
            fit.warn()
        return self

    def fit_rounds(
        self, X: Any, y: Any = None, *, pairs: Any = None, knowledge: Knowledge | None = None, sample_names: Any = None
    ) -> Iterator[BoostedConstrainedKMeans]:
        """Fit, and stop after each round to show the state: ``for model in estimator.fit_rounds(X, pairs=...)``.

        Leave the loop at any time, by ``break`` or Ctrl-C: the estimator stays fitted to the rounds so far, as `fit`
        with ``n_rounds`` of that number would have done.

        Parameters
        ----------
        X, y, pairs, knowledge
            As for `fit`. They are checked when the first round is asked for.

        Yields
        ------
        BoostedConstrainedKMeans
            Itself, after one round, two rounds, and so on.

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
        check_y(y)
        with all_or_nothing(self):
            fit = BoostingFit.of(self, X, sample_names, pairs=pairs, knowledge=knowledge)
            fit.boosting.step()
            fit.report(self)
        while not fit.boosting.stopped:
            yield self
            with all_or_nothing(self):
                fit.boosting.step()
                fit.report(self)
        fit.warn()
        yield self

    def staged_labels(self) -> Iterator[np.ndarray]:
        """The clusters after each round that counts, as `fit` with fewer rounds would have given them.

        Yields
        ------
        ndarray of int32, shape (n_samples,)
            The last one is ``labels_``.

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
            Pairs do not apply to new samples, so for the fitted samples this may differ from ``labels_``.

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
        points = Points.of(check_samples(self, X, reset=False))
        rows = np.stack([nearest_centres(points.columns, done.centres)[0] for done in self._rounds], axis=1)
        return Votes.of_new(rows, self.importances_, self._rounds[0].centres.shape[0]).distances(self._share)

    @property
    def _n_features_out(self) -> int:
        return self._share.shape[2]
