"""ActiveClustering: cluster, ask an oracle about a few well-chosen pairs, cluster again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tripletree.cluster.active import as_strategy
from tripletree.cluster.active.inheritance import Neighbours, inherited_pairs
from tripletree.cluster.active.oracle import Oracle
from tripletree.cluster.active.questions import QueryLoop
from tripletree.cluster.active.state import QueryState, QueryStrategy
from tripletree.cluster.base import ConstrainedClusterer, check_samples, check_y
from tripletree.cluster.kmeans.cvqe import CVQE
from tripletree.cluster.kmeans.mpck_means import MPCKMeans
from tripletree.cluster.kmeans.soft_pairs import SoftPairMeans
from tripletree.core.checks import counted
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.random import generator
from tripletree.errors import warn_user
from tripletree.knowledge.alignment import check_distinct
from tripletree.knowledge.value import Knowledge


@dataclass(frozen=True)
class Round:
    """One clustering between two blocks of questions.

    Attributes
    ----------
    n_asked : int
        Questions asked before it.
    n_answered : int
        Questions that were answered with True or False.
    n_pairs : int
        Pairs used in it: given, answered and inherited ones.
    n_iter : int or None
        Number of iterations of the estimator, if it has ``n_iter_``.
    labels : ndarray of int, shape (n_samples,), or None
        The clusters, if `keep_labels` is set.
    """

    n_asked: int
    n_answered: int
    n_pairs: int
    n_iter: int | None
    labels: np.ndarray | None = None


def _check_takes_pairs(model: Any) -> None:
    """Check that ``fit`` of the estimator takes pairs, before anything is clustered."""
    expected = "estimator must have fit(X, pairs=) and labels_, like COPKMeans, PCKMeans and CVQE"
    if hasattr(model, "steps"):
        msg = f"{expected}; a pipeline does not pass pairs on: make ActiveClustering its last step"
        raise TypeError(msg)
    fit = getattr(model, "fit", None)
    if fit is None:
        msg = f"{expected}; {type(model).__name__} has no fit"
        raise TypeError(msg)
    known = signature(fit).parameters.values()
    if not any(x.name == "pairs" or x.kind is x.VAR_KEYWORD for x in known):
        msg = f"{expected}; {type(model).__name__}.fit has no parameter pairs"
        raise TypeError(msg)


def _state(
    model: Any,
    X: np.ndarray,
    loop: QueryLoop,
    used: PairwiseConstraints,
    neighbours: Neighbours,
    rng: np.random.Generator,
) -> QueryState:
    """The state after a clustering: labels as 0..k-1, and centres only if they match the labels and X."""
    labels = np.asarray(model.labels_).astype(np.int64)
    centers = getattr(model, "cluster_centers_", None)
    if labels.size and labels.min() < 0:  # noise
        labels, centers = np.unique(labels, return_inverse=True)[1].astype(np.int64), None
    k = int(labels.max()) + 1
    if centers is not None and (np.ndim(centers) != 2 or len(centers) < k or np.shape(centers)[1] != X.shape[1]):
        centers = None
    n_clusters = getattr(model, "n_clusters", None)
    return QueryState(
        X=X,
        labels=labels,
        centers=None if centers is None else np.asarray(centers),
        pairs=used,
        n_clusters=int(n_clusters) if isinstance(n_clusters, Integral) else k,
        random_state=rng,
        weighted=used,
        known=loop.known,
        neighbours=neighbours,
    )


def _inner_predicts(self: Any) -> bool:
    """True if the estimator inside has `predict`. An AttributeError names the missing method."""
    return bool((getattr(self, "estimator_", None) or self._model()).predict)


class ActiveClustering(MetaEstimatorMixin, ConstrainedClusterer):
    """Active clustering: cluster, ask an oracle about pairs of samples, cluster again with the answers.

    Parameters
    ----------
    estimator : estimator or None, default None
        Any estimator with ``fit(X, pairs=)`` and ``labels_``. None is `MPCKMeans` with 8 clusters. For many hundreds of
        features, `CVQE` takes far less time.
    strategy : str or object with ``query(state, n)``, default "random-walk"
        How questions are chosen: "random-walk", "border", "mai-border", "explore", "minmax", "npu", "huang", "random",
        or a strategy object (see `tripletree.cluster.active`).
    n_queries : int, default 100
        Maximum number of questions.
    block_size : int, default 10
        Number of questions between two clusterings.
    inherit : bool or "auto", default "auto"
        True if the nearest neighbours of two samples inherit the answer about them, with a smaller weight. "auto": only
        with `CVQE`. With `PCKMeans` it does harm, and other estimators would treat inherited pairs as certain.
    n_neighbors : int, default 3
        Only neighbours nearer than this one inherit (mu). 1: none.
    warm_start : bool, default True
        True if each clustering starts from the centres of the one before, provided the estimator has ``init`` and
        ``cluster_centers_``. After 1, 2, 4, 8, ... blocks and at the end a fresh start is tried as well, and the one
        with the lower cost is used. Otherwise a poor start would never be corrected.
    on_contradiction : {"warn", "raise"}, default "warn"
        An answer that contradicts earlier ones gives a warning or an error. All answers are kept in both cases.
    keep_labels : bool, default False
        True if ``history_`` keeps the clusters of each round.
    random_state : int, Generator, RandomState or None, default None
        For the strategy, and for the estimator if its own ``random_state`` is None.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out given pairs on labels that are not in the index of X.
    verbose : bool or int, default False
        If True, show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        The cluster of each sample, after the last answer.
    estimator_ : estimator
        The estimator of the last round. Its pairs hold row numbers.
    pairs_ : PairwiseConstraints
        The pairs given and answered, by label.
    queries_ : list of (label, label, answer)
        The questions and answers, in order. None if the oracle did not know.
    violated_pairs_ : PairwiseConstraints
        The pairs of `pairs_` that `labels_` violates: `MPCKMeans`, `PCKMeans` and `CVQE` weigh pairs against the
        distances. `COPKMeans` keeps all that do not contradict each other.
    contradictions_ : list of AnswerContradiction
        Answers that contradict earlier ones, each with the links it contradicts.
    history_ : list of Round
        The rounds: one before the first question, one after each block.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    OddOneOutClustering : the same questions, and clusters that come of the answers alone. No number of clusters.
    ConstrainedCompleteLink : asks about its own merges.
    labels_oracle : an oracle that answers from known classes.

    Notes
    -----
    The loop, the blocks of 10 questions and the inheritance follow Mai et al. [1]_. Their method is
    ``ActiveClustering(CVQE(k, charged="both"), "mai-border", n_queries=200, n_neighbors=4)``, with a constant of their
    O(sqrt n) candidates that the paper leaves open (`MaiBorder`). After 100 questions "random-walk" had the best
    clusters in the mean of 7 data sets with five of six estimators (level with NPU with the sixth), and of 13 others
    with all four that were tried. On the 7 sets `MPCKMeans` was the best estimator
    (``benchmarks/bench_strategies.py``).

    The strategy is called until a block is full: some strategies choose all questions at once, others one at a time
    with the answers so far. No question is asked twice, even if the answer was None. If every pair follows from the
    answers, or was answered with None, the rounds end early with a warning.

    **Answers are never lost**: if the oracle fails, or the fit is interrupted, ``queries_``, ``pairs_`` and
    ``contradictions_`` hold the answers so far, and the rest of the estimator is unchanged.
    ``fit(X, pairs=model.pairs_, oracle=...)`` continues.

    **Contradictions** arise only from questions whose answer already follows: "random" may ask such a question within a
    block, and given pairs may contradict each other. An answer that contradicts earlier ones stays in ``pairs_``. The
    estimators of this package that may violate pairs get it, others get the pairs without it.

    References
    ----------
    .. [1] Mai, Amer-Yahia, Douzal Chouakria, Nguyen, Nguyen (2018), Scalable active constrained clustering for temporal
       data, DASFAA 2018, LNCS 10827.

    Examples
    --------
    >>> from tripletree.cluster import PCKMeans, labels_oracle
    >>> X = [[0.0], [1.0], [4.6], [6.0], [9.0], [10.0]]
    >>> model = ActiveClustering(PCKMeans(2, random_state=0), n_queries=2, inherit=False, random_state=0)
    >>> model.fit(X, oracle=labels_oracle([0, 0, 0, 0, 1, 1])).labels_.tolist()
    [0, 0, 0, 0, 1, 1]
    >>> len(model.queries_), [r.n_asked for r in model.history_]
    (2, [0, 2])
    """

    @property
    def _weighs(self) -> frozenset[str]:  # type: ignore[override]
        return getattr(self._model(), "_weighs", frozenset())

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [None, BaseEstimator],
        "n_queries": [Interval(Integral, 0, None, closed="left")],
        "block_size": [Interval(Integral, 1, None, closed="left")],
        "inherit": ["boolean", StrOptions({"auto"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "on_contradiction": [StrOptions({"warn", "raise"})],
        "keep_labels": ["boolean"],
        "random_state": ["random_state", np.random.Generator],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    labels_: np.ndarray
    estimator_: Any
    pairs_: PairwiseConstraints

    def __init__(
        self,
        estimator: Any = None,
        strategy: str | QueryStrategy = "random-walk",
        *,
        n_queries: int = 100,
        block_size: int = 10,
        inherit: bool | str = "auto",
        n_neighbors: int = 3,
        warm_start: bool = True,
        on_contradiction: str = "warn",
        keep_labels: bool = False,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.estimator = estimator
        self.strategy = strategy
        self.n_queries = n_queries
        self.block_size = block_size
        self.inherit = inherit
        self.n_neighbors = n_neighbors
        self.warm_start = warm_start
        self.on_contradiction = on_contradiction
        self.keep_labels = keep_labels
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        oracle: Oracle | None = None,
        pairs: Any = None,
        knowledge: Knowledge | None = None,
        callback: Callable[[Any, Round], Any] | None = None,
    ) -> ActiveClustering:
        """Cluster the samples, ask, and cluster again, until all questions are asked.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        oracle : callable, optional
            ``oracle(a, b)``: whether samples a and b belong together, True or False (1 or 0, None: not known). Called
            with labels, at most `n_queries` times. Without it nothing is asked.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link) of pairs (a, b), optional
            Pairs known beforehand, such as ``pairs_`` of an earlier fit. Labels come from the index if X is a
            pandas DataFrame, else row numbers. An integer array always holds row numbers.
        knowledge : Knowledge, optional
            Pairs as one value with others. What else is given is added to it.
        callback : callable, optional
            Called after each round with the estimator of that round, fitted, and the `Round`.

        Returns
        -------
        ActiveClustering
            The fitted estimator. A fit that fails or is interrupted leaves it unchanged, except for the answers.

        Raises
        ------
        InconsistentPairsError
            If an answer contradicts earlier ones and `on_contradiction` is "raise". See ``.path`` and ``.cannot_link``.

        Warns
        -----
        UserWarning
            If there is no oracle, if an answer contradicts earlier ones, if the questions run out before
            `n_queries` are asked.

        Examples
        --------
        >>> from tripletree.cluster import PCKMeans
        >>> model = ActiveClustering(PCKMeans(2, random_state=0), n_queries=1)
        >>> model.fit([[0.0], [1.0], [5.0]], oracle=lambda a, b: None).queries_
        [(0, 1, None)]
        """
        check_y(y)
        attributes: Any = vars(self)
        before = dict(attributes)
        loop: QueryLoop | None = None
        try:
            self._validate_params()
            if callback is not None and not callable(callback):
                msg = f"callback must be a function of an estimator and a Round; got {callback!r:.80}"
                raise TypeError(msg)
            _check_takes_pairs(self._model())
            strategy = as_strategy(self.strategy)
            samples = check_samples(self, X, reset=True)
            aligned = self._known(X, samples.shape[0], pairs=pairs, knowledge=knowledge).pairs
            if oracle is not None:
                check_distinct(X)
            elif self.n_queries:
                msg = (
                    f"nothing is asked without an oracle: give fit(X, oracle=...), not only n_queries={self.n_queries}"
                )
                warn_user(msg)
            n_queries = int(self.n_queries) if oracle is not None else 0
            loop = QueryLoop(oracle, n_queries, aligned, on_contradiction=self.on_contradiction)
            loop.take_in(aligned)
            self._rounds(samples, strategy, loop, callback)
        except BaseException as error:
            attributes.clear()
            attributes.update(before)
            if loop is not None and loop.asked:
                self._keep(loop)
                error.add_note(f"{counted(len(loop.asked), 'answer')} so far: see queries_ and pairs_ of the estimator")
            raise
        self._keep(loop)
        self.violated_pairs_ = self.pairs_.violated(self.labels_)
        return self

    @available_if(_inner_predicts)
    def predict(self, X: Any) -> np.ndarray:
        """Find the clusters of new samples, as the estimator of the last round does.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)

        Returns
        -------
        ndarray of int, shape (n_new,)
        """
        check_is_fitted(self)
        return self.estimator_.predict(check_samples(self, X, reset=False))

    # ------------------------------------------------------------------ steps of the fit

    def _model(self) -> Any:
        """A new estimator."""
        if self.estimator is not None:
            return clone(self.estimator)
        return MPCKMeans()

    def _keep(self, loop: QueryLoop) -> None:
        self.queries_ = loop.asked
        self.pairs_ = loop.pairs()
        self.contradictions_ = loop.contradictions

    def _rounds(self, X: np.ndarray, strategy: QueryStrategy, loop: QueryLoop, callback: Any) -> None:
        """Cluster and ask in turn."""
        rng = generator(self.random_state)
        seed = int(rng.integers(2**31 - 1))
        neighbours = Neighbours(X)
        history: list[Round] = []
        model, ending = None, False
        with loop.progress(self.verbose):
            while True:
                turn = len(history)
                fresh = turn & (turn - 1) == 0 or ending or loop.left <= 0  # rounds 0, 1, 2, 4, 8, ... and the last
                model, used = self._clustered(X, loop, neighbours, model, seed, fresh=fresh)
                labels = np.asarray(model.labels_)
                n_iter = getattr(model, "n_iter_", None)
                kept = labels.copy() if self.keep_labels else None
                history.append(Round(len(loop.asked), loop.n_answered, len(used), n_iter, kept))
                if callback is not None:
                    callback(model, history[-1])
                if loop.left <= 0:
                    break
                most = min(int(self.block_size), loop.left)
                asked = loop.ask_block(strategy, most, _state(model, X, loop, used, neighbours, rng))
                if asked == 0:
                    loop.warn_of_end()
                    break
                ending = asked < most  # the strategy has no further question
        self.estimator_, self.labels_, self.history_ = model, labels, history

    def _clustered(
        self, X: np.ndarray, loop: QueryLoop, neighbours: Neighbours, last: Any, seed: int, *, fresh: bool
    ) -> tuple[Any, PairwiseConstraints]:
        """The estimator, fitted with the answers so far, and the pairs that it was given.

        From the centres of the last one. With `fresh` from its own starts too, and the one of the lower cost counts.
        """
        model = self._model()
        names = model.get_params(deep=False)
        if self.random_state is not None and "random_state" in names and names["random_state"] is None:
            model.set_params(random_state=seed)
        pairs = loop.by_row(certain=not isinstance(model, SoftPairMeans))
        if self.inherit is True or (self.inherit == "auto" and isinstance(model, CVQE)):
            pairs = inherited_pairs(pairs, neighbours, int(self.n_neighbors), known=loop.known)
        centers = getattr(last, "cluster_centers_", None) if self.warm_start and "init" in names else None
        if centers is None or np.shape(centers) != (names.get("n_clusters"), X.shape[1]):
            return model.fit(X, pairs=pairs), pairs
        warm = clone(model).set_params(init=centers.copy()).fit(X, pairs=pairs)
        cost = _cost(warm)
        if not fresh or cost is None or not isinstance(names["init"], str):
            return warm, pairs
        cold = model.fit(X, pairs=pairs)
        return (cold if _cost(cold) < cost else warm), pairs

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")


def _cost(model: Any) -> Any:
    """The minimised objective of a fitted estimator, None if it has no such attribute."""
    return getattr(model, "objective_", getattr(model, "inertia_", None))
