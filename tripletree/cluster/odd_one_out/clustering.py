"""OddOneOutClustering: clusters and a hierarchy by answers to "which of these three is the odd one out?"."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree.cluster.alignment import align_pairs, check_distinct, named
from tripletree.cluster.base import HierarchicalClusterer, all_or_nothing, check_samples, check_y
from tripletree.cluster.distances import FittedMetric
from tripletree.cluster.odd_one_out.beliefs import Beliefs
from tripletree.cluster.odd_one_out.neighbours import NeighbourGraph, neighbour_graph
from tripletree.cluster.odd_one_out.questions import Question, best_question, node_chances
from tripletree.cluster.odd_one_out.tree import answered_hierarchy
from tripletree.cluster.odd_one_out.walk import AbsorbingWalk
from tripletree.cluster.prediction import NeighbourPredictor
from tripletree.core.answers import ALIKE, DIFFERENT, KINDS, UNSURE, Answer, AnswerSet
from tripletree.core.checks import check_call, counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import in_order_of_first
from tripletree.core.leaves import LeafIndex
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.errors import InvalidAnswerError, warn_user

#: Centres of clusters nobody was asked about are those with at least this share of the reach of the first.
LEAST_CENTRE = 0.3

#: Replies that name no sample.
_WORDS = {"alike": ALIKE, "different": DIFFERENT, "unsure": UNSURE}


@dataclass(frozen=True)
class _Said:
    """An answer that was taken in."""

    row: tuple[int, int, int]
    reply: int
    who: str | None
    when: str | None


class OddOneOutClustering(HierarchicalClusterer):
    """Cluster by asking somebody which of three samples is the odd one out; no number of clusters is needed.

    Each question is the one whose answer is expected to change the clusters of most samples. Somebody answers with one
    of the three samples, "alike" (all belong together), "different" (no two do) or "unsure". Some answers may be wrong:
    doubtful ones are asked again, in other words, when most depends on them.

    Parameters
    ----------
    n_questions : int, default 100
        Maximum number of questions that `fit` asks, beside the answers it is given. `next_question` has no limit;
        a page (`tripletree.ask.serve`, ``tripletree ask --questions``) counts the answers it is given, too.
    questions : {"trios", "pairs"}, default "trios"
        What is shown: three samples, or two, of which the reply is "alike", "different" or "unsure". An answer about
        three says about three times as much.
    noise : float or None, default None
        The share of answers that are wrong, in 0..0.5; None: estimated from how far they contradict each other and
        the data. With 0 an answer is doubted only if others contradict it.
    n_neighbors : int, default 10
        Neighbours that each sample is joined to.
    random_state : int, Generator, RandomState or None, default 0
        Draws the samples that stand for the others, where there are more than 3,000 different ones; nothing else is
        random.
    verbose : bool or int, default False
        Whether `fit` shows a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        The likeliest cluster of each sample, 0..k-1. Samples that are likeliest of a group nobody was asked about make
        clusters of their own; so do all of them before the first answer.
    n_clusters_ : int
    hierarchy_ : Hierarchy
        Over the names of the samples. All triplets that were answered hold, where they are consistent, and the clusters
        are clades where these allow it; the rest is Ward's linkage. Of more than 10,000 samples, those nearest to the
        same node of the graph are leaves side by side.
    uncertainty_ : ndarray of float64, shape (n_samples,)
        The chance that a sample belongs elsewhere than `labels_` says, in 0..1; 1 where nobody was asked.
    cluster_uncertainty_ : ndarray of float64, shape (n_clusters_,)
        The mean of that in each cluster.
    gain_ : float
        How many samples the answer to the best question may settle, whoever is asked, and whether or not somebody is
        being asked it now; 0 where nothing is left worth asking. After some tens of answers, the labels that change are
        a half to a tenth as many.
    answers_ : AnswerSet
        All answers in order, over the names of the samples.
    doubted_answers_ : AnswerSet
        The answers that do not hold in the clusters: likely mistakes.
    noise_ : float
        The share of wrong answers that is assumed.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    ActiveClustering : questions about pairs, for any estimator.
    tripletree.io.write_answers : keep ``answers_`` in a file; `start` takes them again.

    Notes
    -----
    What is likely: a random walk on the graph of nearest neighbours [1]_, which dies with a small chance at each step.
    The chance that a sample belongs to a group is that of meeting one of its answered samples first, and a walk that
    dies speaks for a group not seen yet. What was said: each reply about three samples is one of the five ways to
    put three things into groups. A wrong reply is any of the other four. The groups of the answered samples are those
    that make answers and walks likeliest, found by moving samples, groups, and parts of groups that one answer holds.

    What to ask: for a sample x the value is ``(1 - sum p^2)``, the chance that a guess of its group is wrong, times the
    number of samples from which a walk would come to x before any answered one. A question is worth the value of its
    samples, each times the share of its entropy that the answer tells. The same measure weighs a sample nobody has been
    asked about, an answer that may be wrong, and groups that may be one.

    The walk takes O(r^3) time and O(r^2) memory once, for r <= 3,000 different samples, and O(r a^2) for each question
    after a answered samples. Of more samples, 3,000 drawn at random are the nodes of the graph, and each of the others
    belongs to the three nearest.

    References
    ----------
    .. [1] Zhu, Lafferty, Ghahramani (2003), Combining active learning and semi-supervised learning using Gaussian
       fields and harmonic functions, ICML workshop on the continuum from labeled to unlabeled data.

    Examples
    --------
    >>> X = [[0.0], [0.2], [0.5], [5.0], [5.3], [5.4], [9.0], [9.1], [9.3]]
    >>> kind = ["a", "a", "a", "b", "b", "b", "b", "b", "b"]
    >>> def ask(a, b, c):
    ...     x, y, z = kind[a], kind[b], kind[c]
    ...     return "alike" if x == y == z else c if x == y else b if x == z else a if y == z else "different"
    >>> model = OddOneOutClustering(n_questions=8).fit(X, oracle=ask)
    >>> model.labels_.tolist(), len(model.answers_)
    ([0, 0, 0, 1, 1, 1, 1, 1, 1], 8)

    Step by step:

    >>> model = OddOneOutClustering().start(X, sample_names=list("ABCDEFGHI"))
    >>> question = model.next_question()
    >>> model.answer("different").n_clusters_
    3
    >>> model.undo().items == question
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_questions": [Interval(Integral, 0, None, closed="left")],
        "questions": [StrOptions({"trios", "pairs"})],
        "noise": [None, Interval(Real, 0, 0.5, closed="both")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_questions: int = 100,
        *,
        questions: str = "trios",
        noise: float | None = None,
        n_neighbors: int = 10,
        random_state: Any = 0,
        verbose: bool | int = False,
    ) -> None:
        self.n_questions = n_questions
        self.questions = questions
        self.noise = noise
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.verbose = verbose

    # ------------------------------------------------------------------ all at once

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        oracle: Callable[..., Any] | None = None,
        sample_names: Any = None,
        answers: AnswerSet | Iterable[Answer] | None = None,
    ) -> OddOneOutClustering:
        """Ask until all questions are asked, or nothing is left worth asking.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        oracle : callable, optional
            ``oracle(a, b, c)`` returns the odd one, "alike", "different", or None for "cannot say"; ``oracle(a, b)``,
            where pairs are asked, True or "alike", False or "different", or None. It gets the names of the samples: of
            `sample_names`, else the index of X where that is a pandas DataFrame, else row numbers.
        sample_names : sequence, shape (n_samples,), optional
            The names of the rows.
        answers : AnswerSet or iterable of Answer, optional
            What was answered before, by the names of the samples. These are not counted in `n_questions`.

        Returns
        -------
        OddOneOutClustering
            The fitted estimator. If the oracle fails, or the fit is interrupted, it is fitted with the answers so far.

        Raises
        ------
        InvalidAnswerError
            If the oracle returns something else, or an answer does not fit the samples.
        UnknownLeafError, DuplicateLeafError
            If answers name samples that X does not have, or a name occurs twice.
        ValueError
            If X holds NaN, infinity or text.
        TypeError
            If X is sparse, or the oracle is not callable.
        Exception
            Any exception of the oracle.

        Warns
        -----
        UserWarning
            If there is neither an oracle nor an answer, or all replies are "unsure": nothing is known then.

        Examples
        --------
        >>> model = OddOneOutClustering(3, questions="pairs")
        >>> model.fit([[0.0], [0.1], [3.0]], oracle=lambda a, b: a + b == 1).labels_.tolist()
        [0, 0, 1]
        """
        check_y(y)
        if oracle is not None and not callable(oracle):
            msg = f"oracle must be a function of three samples (or two) that returns a reply, not {oracle!r:.80}"
            raise TypeError(msg)
        self._validate_params()
        if oracle is not None:
            shown = ("a", "b", "c") if self.questions == "trios" else ("a", "b")
            what = f"oracle({', '.join(shown)}), a function of {len(shown)} samples (questions={self.questions!r})"
            check_call(oracle, what, len(shown))
        self.start(X, sample_names=sample_names, answers=answers)
        if oracle is None:
            self._warn_if_nothing_is_known("nothing is asked without an oracle: give fit(X, oracle=...), or answers=")
            return self
        with progress_bar(self.verbose, int(self.n_questions), type(self).__name__, "questions") as tick:
            for _ in range(int(self.n_questions)):
                question = self.next_question()
                if question is None:
                    break
                try:
                    self.answer(oracle(*question), question)
                except BaseException as error:
                    error.add_note(f"{counted(len(self._log), 'answer')} so far: see answers_ of the estimator")
                    raise
                if tick is not None:
                    tick(1)
        said = counted(len(self._log), "reply", "replies")
        self._warn_if_nothing_is_known(f"{said}, and none says anything")
        return self

    # ------------------------------------------------------------------ step by step

    def start(
        self, X: Any, *, sample_names: Any = None, answers: AnswerSet | Iterable[Answer] | None = None
    ) -> OddOneOutClustering:
        """Take in the samples, and what was answered before, without asking anything.

        Parameters
        ----------
        X, sample_names, answers
            As for `fit`.

        Returns
        -------
        OddOneOutClustering
            Itself, ready for `next_question`. A start that fails leaves it as it was.

        Raises
        ------
        ValueError, LookupError, TypeError
            As `fit` does.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [2.0]])
        >>> model.next_question()
        (1, 0, 2)
        """
        with all_or_nothing(self):
            self._validate_params()
            samples = check_samples(self, X, reset=True)
            rows = named(X, sample_names)
            check_distinct(rows)
            rng = generator(self.random_state)
            self._leaves: LeafIndex = align_pairs(rows, None, samples.shape[0]).leaves
            self._samples = samples
            self._graph: NeighbourGraph = neighbour_graph(samples, int(self.n_neighbors), rng)
            self._beliefs = Beliefs(AbsorbingWalk(self._graph), self._graph.node, self.noise)
            self._log: list[_Said] = []
            self._before: list[Any] = []  # states of the beliefs before each answer
            self._open: dict[str | None, Question] = {}
            self._made: dict[str, Any] = {}
            for entry in _entries(answers, self._leaves):
                self._take_in(entry)
        return self

    def next_question(self, who: str | None = None) -> tuple[Hashable, ...] | None:
        """Choose the question to ask next.

        Parameters
        ----------
        who : str, optional
            The person who will be asked. Those who have not answered yet are asked about different samples.

        Returns
        -------
        tuple of sample names, or None
            The same for a person until it is answered. None: nothing is left worth asking.

        Raises
        ------
        NotFittedError
            Before `start` or `fit`.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0]])
        >>> model.next_question() is None
        True
        """
        check_is_fitted(self)
        if who not in self._open:
            found = self._best([question.samples for question in self._open.values()])
            if found is None:
                return None
            self._open[who] = found
        return tuple(self._leaves[i] for i in self._open[who].samples)

    def answer(
        self, reply: Any, question: Sequence[Hashable] | None = None, *, who: str | None = None, when: str | None = None
    ) -> OddOneOutClustering:
        """Take in what somebody said.

        Parameters
        ----------
        reply : sample name, {"alike", "different", "unsure"} or None
            The odd one; or all three are alike; or no two are; or it cannot be said (None). For a pair True is "alike",
            False "different".
        question : sequence of 3 or 2 sample names, optional
            What was shown; by default the open question of this person.
        who, when : str, optional
            The person, and the time.

        Returns
        -------
        OddOneOutClustering
            Itself.

        Raises
        ------
        InvalidAnswerError
            If the reply fits no question, or none was asked. Nothing is changed then.
        UnknownLeafError
            If X lacks a sample of the question.
        NotFittedError
            Before `start` or `fit`.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [5.0]])
        >>> model.answer(2, (0, 1, 2), who="anna").labels_.tolist()
        [0, 0, 1]
        """
        check_is_fitted(self)
        if question is None and isinstance(reply, Answer):
            question = reply.items
        if question is None:
            if who not in self._open:
                msg = "there is no open question: call next_question first, or give question=(a, b, c)"
                raise InvalidAnswerError(msg)
            question = tuple(self._leaves[i] for i in self._open[who].samples)
        self._take_in(_entry(_as_answer(reply, question, who, when), self._leaves))
        return self

    def undo(self, who: str | None = None) -> Answer:
        """Take back the last answer.

        Parameters
        ----------
        who : str, optional
            The person whose last answer is meant; None: the last of all.

        Returns
        -------
        Answer
            The one that was taken back. It is the open question of this person again.

        Raises
        ------
        LookupError
            If there is none.
        NotFittedError
            Before `start` or `fit`.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [5.0]])
        >>> model.answer("alike", (0, 1, 2)).undo().kind, len(model.answers_)
        ('alike', 0)
        """
        check_is_fitted(self)
        at = [k for k, entry in enumerate(self._log) if who is None or entry.who == who]
        if not at:
            msg = "there is no answer to take back" + ("" if who is None else f" by {who!r}")
            raise LookupError(msg)
        last = at[-1]
        undone, again = self._log[last], self._log[last + 1 :]
        taken_back = self.answers_[last]
        self._beliefs.restore(self._before[last])
        del self._log[last:], self._before[last:]
        self._made = {}  # another one: what a thread still makes of the last answers goes into the old one
        for entry in again:
            self._take_in(entry)
        self._open[undone.who] = Question(tuple(i for i in undone.row if i >= 0), 0.0)
        return taken_back

    def release(self, who: str | None = None) -> OddOneOutClustering:
        """Forget the open question of a person who will not answer it, so that others are asked about its samples.

        Parameters
        ----------
        who : str, optional
            The person.

        Returns
        -------
        OddOneOutClustering
            Itself.

        Raises
        ------
        NotFittedError
            Before `start` or `fit`.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [5.0]])
        >>> question = model.next_question("anna")
        >>> model.release("anna").next_question("ben") == question
        True
        """
        check_is_fitted(self)
        self._open.pop(who, None)
        return self

    def defer_hierarchy(self) -> Callable[[], Hierarchy]:
        """Return a function that makes `hierarchy_` of the answers so far.

        It can be called from another thread while answers are taken in: of many samples it takes longer than the choice
        of the next question.

        Returns
        -------
        callable
            Without arguments; returns a `Hierarchy`.

        Raises
        ------
        NotFittedError
            Before `start` or `fit`.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [5.0]])
        >>> make = model.defer_hierarchy()
        >>> make() == model.hierarchy_
        True
        """
        check_is_fitted(self)
        labels, answers, made = self.labels_, self.answers_, self._made
        samples, node = self._samples, self._graph.node

        def make() -> Hierarchy:
            if "hierarchy" not in made:
                made["hierarchy"] = answered_hierarchy(samples, labels, node, answers.triplets())
            return made["hierarchy"]

        return make

    def widget(self, X: Any, **shown: Any) -> Any:
        """Show the questions in a notebook, and take the answers of a person by clicks and keys.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples. If the estimator has answers about samples of the same names, it goes on with these.
        **shown
            `answers`, a file that each answer is appended to and that is taken in first; `who`, `sample_names`,
            `texts`, `images`, `columns` and `title`: as for `tripletree.ask.widget`.

        Returns
        -------
        anywidget.AnyWidget

        Raises
        ------
        MissingDependencyError
            If anywidget is not installed.
        ValueError, LookupError, TypeError
            As `start` does.

        Examples
        --------
        >>> model = OddOneOutClustering()
        >>> model.widget([[0.0], [0.2], [5.0]], answers="answers.jsonl", who="anna")  # doctest: +SKIP
        """
        from tripletree.ask import widget

        return widget(self, X, **shown)

    # ------------------------------------------------------------------ what is known now

    @property
    def answers_(self) -> AnswerSet:
        """All answers, in order."""
        check_is_fitted(self)
        return self._answers(self._log)

    @property
    def doubted_answers_(self) -> AnswerSet:
        """The answers that do not hold in the clusters."""
        check_is_fitted(self)
        said = [entry for entry in self._log if entry.reply != UNSURE]
        good = self._beliefs.satisfied(self._beliefs.group)
        return self._answers([entry for entry, holds in zip(said, good, strict=True) if not holds])

    @property
    def labels_(self) -> np.ndarray:
        """The cluster of each sample."""
        return self._clusters[0]

    @property
    def uncertainty_(self) -> np.ndarray:
        """The chance that a sample belongs to another cluster."""
        return self._clusters[1]

    @property
    def n_clusters_(self) -> int:
        """The number of clusters."""
        return int(self.labels_.max()) + 1

    @property
    def cluster_uncertainty_(self) -> np.ndarray:
        """The mean uncertainty in each cluster."""
        return np.bincount(self.labels_, self.uncertainty_) / np.bincount(self.labels_)

    @property
    def gain_(self) -> float:
        """What the best question is worth."""
        check_is_fitted(self)
        if "gain" not in self._made:
            best = self._best([])
            # before the first answers the samples that walk to either of the three are counted for each
            self._made["gain"] = 0.0 if best is None else min(best.gain, float(len(self._samples)))
        return self._made["gain"]

    @property
    def noise_(self) -> float:
        """The share of wrong answers that is assumed."""
        check_is_fitted(self)
        return self._beliefs.noise

    @property
    def hierarchy_(self) -> Hierarchy:  # type: ignore[override]  # made when it is asked for
        """The hierarchy of the samples."""
        check_is_fitted(self)
        return self.defer_hierarchy()()

    @property
    def predictor_(self) -> NeighbourPredictor:  # type: ignore[override]
        """What `predict` needs, and nothing else."""
        check_is_fitted(self)
        if "predictor" not in self._made:
            self._made["predictor"] = NeighbourPredictor(
                self._samples, self._samples, self.labels_, "euclidean", FittedMetric("euclidean")
            )
        return self._made["predictor"]

    # ------------------------------------------------------------------ inside

    @property
    def _clusters(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and uncertainty."""
        check_is_fitted(self)
        if "clusters" not in self._made:
            self._made["clusters"] = _clusters_of(self._graph, self._beliefs)
        return self._made["clusters"]

    def _best(self, others: list[tuple[int, ...]]) -> Question | None:
        """The question worth most that has none of the samples others are being asked about."""
        unsure = [tuple(x for x in entry.row if x >= 0) for entry in self._log if entry.reply == UNSURE]
        weight = np.ones(len(self._samples))
        for shown in unsure:  # what could not be said is worth half of an answer
            weight[list(shown)] /= 2
        for shown in others:
            weight[list(shown)] = 0
        refused = {frozenset(shown) for shown in unsure + others}
        return best_question(
            self._samples,
            self._graph,
            self._beliefs,
            weight,
            lambda shown: frozenset(shown) not in refused,
            pairs=self.questions == "pairs",
        )

    def _warn_if_nothing_is_known(self, why: str) -> None:
        if len(self._samples) > 2 and all(entry.reply == UNSURE for entry in self._log):
            warn_user(f"{why}; labels_ are those before the first answer, not the clusters of the data (see ReCon)")

    def _take_in(self, entry: _Said) -> None:
        state = self._beliefs.state()
        try:
            self._beliefs.add(np.array(entry.row), entry.reply)
        except BaseException:
            self._beliefs.restore(state)
            raise
        self._before.append(state)
        self._log.append(entry)
        self._open.pop(entry.who, None)
        said = {i for i in entry.row if i >= 0}
        if None in self._open and set(self._open[None].samples) == said:
            del self._open[None]  # asked of nobody by name, answered by somebody
        self._made = {}  # another one: what a thread still makes of the last answers goes into the old one

    def _answers(self, log: list[_Said]) -> AnswerSet:
        return AnswerSet.from_columns(
            np.array([entry.row for entry in log], np.int32).reshape(-1, 3),
            np.array([entry.reply for entry in log], np.int8),
            self._leaves,
            who=[entry.who for entry in log],
            when=[entry.when for entry in log],
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_log")


# ---------------------------------------------------------------------- answers


def _as_answer(reply: Any, question: Sequence[Hashable], who: str | None, when: str | None) -> Answer:
    """A reply as an `Answer`, for which samples and replies are told apart."""
    if isinstance(reply, Answer):
        return reply
    items = tuple(question)
    word = reply if isinstance(reply, str) and reply in _WORDS else None
    if reply is None:
        word = "unsure"
    elif isinstance(reply, (bool, np.bool_)) and len(items) == 2:
        word = "alike" if reply else "different"
    shown = word is None and not isinstance(reply, (bool, np.bool_)) and len(items) == 3 and reply in items
    if word is not None and word in items:
        msg = f"{reply!r} is a reply and a sample of {items!r:.80}: give an Answer(items, kind, odd) instead"
        raise InvalidAnswerError(msg)
    if word is None and not shown:
        known = ", ".join(repr(x) for x in items) + ", " if len(items) == 3 else "True, False, "
        msg = f"{reply!r:.80} is no reply to {items!r:.80}; expected {known}'alike', 'different' or None (cannot say)"
        raise InvalidAnswerError(msg)
    return Answer(items, word or "odd", reply if shown else None, who, when)


def _entry(answer: Answer, leaves: LeafIndex) -> _Said:
    row = [*leaves.indices(answer.items, what="samples of the question").tolist(), -1][:3]
    reply = answer.items.index(answer.odd) if answer.kind == "odd" else KINDS.index(answer.kind) + 2
    return _Said(tuple(row), reply, answer.who, answer.when)


def _entries(answers: Any, leaves: LeafIndex) -> list[_Said]:
    """Answers that are given, all checked before any is used."""
    if answers is None:
        return []
    if isinstance(answers, (str, bytes)) or not isinstance(answers, Iterable):
        msg = f"answers must be an AnswerSet or a list of Answer, not {answers!r:.80}; read_answers(path) reads a file"
        raise TypeError(msg)
    found = []
    for k, answer in enumerate(answers):
        if not isinstance(answer, Answer):
            msg = f"answers must hold Answers; entry {k} is {answer!r:.80}"
            raise InvalidAnswerError(msg, row=k)
        found.append(_entry(answer, leaves))
    return found


# ---------------------------------------------------------------------- clusters


def _clusters_of(graph: NeighbourGraph, beliefs: Beliefs) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest cluster of each sample, numbered by first occurrence, and the chance that it is another.

    Samples that are likeliest of a group not seen yet make clusters around the nodes that most of them come to.
    """
    k, every = beliefs.n_groups, np.arange(graph.node.size)
    of_items = beliefs.chances()
    of_nodes = node_chances(beliefs, of_items)
    chance = graph.membership @ of_nodes
    label = chance.argmax(axis=1)
    unsure = np.where(label < k, 1 - chance[every, label], 1.0)
    new = label == k
    new[beliefs.items] = False
    if new.any():
        _, hits = beliefs.at.centres(of_nodes.argmax(axis=1) == k, LEAST_CENTRE)
        if hits.shape[1]:
            label[new] = k + (graph.membership @ hits)[new].argmax(axis=1)
    label[beliefs.items] = beliefs.group
    unsure[beliefs.items] = 1 - of_items[np.arange(beliefs.items.size), beliefs.group]
    return in_order_of_first(label), np.clip(unsure, 0, 1)
