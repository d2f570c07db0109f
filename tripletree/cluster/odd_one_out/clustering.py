"""OddOneOutClustering: clusters and a hierarchy by answers to "which of these three is the odd one out?"."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree.algorithms.cut import OVERSURE
from tripletree.algorithms.induce import displayed
from tripletree.cluster.base import HierarchicalClusterer, all_or_nothing, check_samples, check_y
from tripletree.cluster.distance_matrix import as_distance_matrix
from tripletree.cluster.distances import FittedMetric, check_spread, transformed
from tripletree.cluster.odd_one_out.beliefs import Beliefs
from tripletree.cluster.odd_one_out.neighbours import NeighbourGraph, neighbour_graph
from tripletree.cluster.odd_one_out.plain import PlainGroups, plain_groups
from tripletree.cluster.odd_one_out.questions import Question, best_question, node_chances
from tripletree.cluster.odd_one_out.tree import FoundTree, answered_hierarchy, find_tree
from tripletree.cluster.odd_one_out.tree_beliefs import TreeBeliefs
from tripletree.cluster.odd_one_out.walk import AbsorbingWalk
from tripletree.cluster.prediction import NeighbourPredictor
from tripletree.cluster.votes import embedded
from tripletree.core.answers import ALIKE, DIFFERENT, KINDS, UNSURE, Answer, AnswerSet
from tripletree.core.checks import check_call, counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import in_order_of_first
from tripletree.core.leaves import LeafIndex
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.errors import InvalidAnswerError, LimitExceededError, warn_user
from tripletree.knowledge.alignment import align_pairs, check_distinct, named

#: The least reach of the centre of a cluster nobody was asked about, as a share of the reach of the first centre.
LEAST_CENTRE = 0.3

#: In a group of the features alone, half an answered sample is counted for other groups.
ELSEWHERE = 0.5

#: Such groups are believed until they predict answers worse than walks do by so many nats.
CONTRADICTED = 3.0

#: The most leaves of trees. If there are more samples, 1,000 of them stand for the others.
MOST_LEAVES = 1_000

#: The most samples without X. Trees over more names would take long, and need many answers to say anything.
MOST_NAMES = 2_000

#: The last 10 answers are taken back at once. For earlier answers, all others are heard again.
KEPT_TREES = 10

#: "auto" begins with questions about groups. After `OPEN` answers it asks about a tree, unless groups are likelier by a
#: factor of exp(`FOR_TREES`). Once groups are less likely by a factor of exp(`SURE`), it asks about a tree for good. If
#: all replies are odd ones, groups are never likelier by the first factor.
OPEN, FOR_TREES, SURE = 5, 1.0, 30.0

#: Replies that name no sample.
_WORDS = {"alike": ALIKE, "different": DIFFERENT, "unsure": UNSURE}


@dataclass(frozen=True)
class _Said:
    """An answer that was heard."""

    row: tuple[int, int, int]
    reply: int
    who: str | None
    when: str | None
    seconds: float


class OddOneOutClustering(HierarchicalClusterer):
    """Find a hierarchy or groups by asking somebody which of three samples is the odd one out.

    Somebody answers with one of the three samples, "alike" (all belong together), "different" (no two do) or "unsure".
    Some answers may be wrong. People who sort into groups say "alike" and "different". People who see degrees of
    likeness, know a taxonomy, or must name one of three, answer by a tree. The answers show which of the two it is, and
    the answer to each question is expected to tell most about the groups or about the tree.

    Parameters
    ----------
    n_questions : int, default 100
        Maximum number of questions that `fit` asks, not counting `answers`. `next_question` has no limit. A page
        (`tripletree.ask.serve`, ``tripletree ask --questions``) counts earlier answers, too.
    target : {"auto", "hierarchy", "groups"}, default "auto"
        The subject of the questions. "auto" begins with groups, and takes the one that explains the answers better.
    questions : {"trios", "pairs"}, default "trios"
        Whether to show three samples or two. Replies to two are "alike", "different" or "unsure". An answer about
        three says about three times as much. Pairs tell about groups only.
    noise : float or None, default None
        The share of wrong answers, in 0..0.5. None estimates it from contradictions among the answers and with the
        data. With 0 an answer is doubted only if others contradict it.
    metric : {"euclidean", "cosine", "precomputed"}, default "euclidean"
        Distances of samples. With "precomputed", X is their n x n matrix.
    n_neighbors : int, default 10
        The number of neighbours of each sample in the graph for groups.
    random_state : int, Generator, RandomState or None, default 0
        Seed for the sampled trees. If there are very many samples, it also draws the samples that stand for the others.
    verbose : bool or int, default False
        Whether `fit` shows a progress bar.

    Attributes
    ----------
    by_tree_ : bool
        Whether people seem to answer by a tree.
    trust_ : float
        The probability, in 0..1, that trees that know the answers predict later answers better than trees of the
        features alone. The lower it is, the closer `hierarchy_` is to the tree of the features. By groups, and without
        X, it is 1.
    labels_ : ndarray of int, shape (n_samples,)
        The likeliest cluster of each sample, 0..k-1. By groups, samples that probably belong to a group nobody was
        asked about make clusters of their own. Before the first answer, they are groups of the features. By a tree,
        clusters are a cut of the hierarchy, changed by votes of "alike" and "different".
    n_clusters_ : int
    hierarchy_ : Hierarchy
        The hierarchy over the names of the samples. By groups, all answered triplets hold if they are consistent, and
        the clusters are clades if the triplets allow it. The rest is Ward's linkage. By a tree, it is the mean of trees
        sampled from their posterior, given features and answers. With more than 10,000 samples (by a tree 1,000), some
        stand for the others, and samples nearest to the same one are leaves side by side.
    clade_support_ : ndarray of float64, shape (n_inner,), or None
        By a tree, the share of the sampled trees that have the clade of each inner node of ``hierarchy_``. Otherwise
        None.
    uncertainty_ : ndarray of float64, shape (n_samples,)
        By groups, the chance in 0..1 that a sample belongs to another cluster than its own, 1 if nobody was asked. By a
        tree, the chance that it is nearer to a sample of another cluster than to one of its own.
    cluster_uncertainty_ : ndarray of float64, shape (n_clusters_,)
        The mean uncertainty of the samples in each cluster.
    gain_ : float
        The number of samples that the answer to the best question may settle, whoever is asked. It is 0 if no question
        is worth asking. After some tens of answers, a half to a tenth as many labels change.
    answers_ : AnswerSet
        All answers in order, over the names of the samples.
    doubted_answers_ : AnswerSet
        Likely mistakes: the answers that do not hold in the clusters, or by a tree in the hierarchy.
    noise_ : float
        The share of wrong answers: `noise`, or the estimate.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    ActiveClustering : questions about pairs, for any estimator.
    tripletree.ask.widget : the questions in a notebook, for clicks and keys.
    tripletree.ask.serve : a page that asks several people.
    tripletree.io.write_answers : keep ``answers_`` in a file, to give them to `start` later.

    Notes
    -----
    Groups: a random walk goes along the graph of nearest neighbours [1]_ and dies with a small chance at each step. A
    sample belongs to a group with the chance that a walk from it first meets an answered sample of this group. Walks
    that die count for a group not seen yet. Each reply about three samples is one of the five ways to put three things
    into groups, and a wrong reply is any of the other four. The groups of the answered samples make answers and walks
    likeliest. They are found by moving samples, groups, and parts of groups that a single answer ties to the rest.

    Labels begin with a cut of Ward's tree, of which the number of groups is as in `suggest_n_clusters`, but up to a
    third of the samples, and soon also by the answers. A group goes with its answered samples, until walks predict the
    group of each answered sample, given all others, better by a factor of 20.

    Questions about groups: the value of a sample x is ``(1 - sum p^2)``, the chance that a guess of its group is wrong,
    times the number of samples from which a walk would come to x before any answered sample. The gain of a question is
    the value of its samples, each times the share of its entropy that the answer tells. The same measure compares
    samples nobody was asked about, answers that may be wrong, and groups that may be one.

    Trees: four Markov chains walk through trees, as for `DivisiveReCon`, and go on with each answer. Two of them take
    the features as they are. In these two, people may tell degrees of likeness: of three pairs, one stays together in
    proportion to a power of 1 / h, the height at which it meets (Luce's choice). The power is estimated, and may be so
    great that only the order of heights counts. In the other two, only the order counts, and the likelihood of the
    features has the exponent 1/4, so that answers overrule features that do not fit the tree. The question is the trio
    whose reply tells most about the tree: the mutual information of both, times the cube root of the number of triplets
    that depend on it. No trio is asked twice. Replies count for a tree if they are likelier under it. By a tree any odd
    one may be right, and "alike" and "different" come by chance. By groups each reply is right, or with the chance of a
    wrong one any other. After an answer, trees are kept as often as they make it probable, and chains go on until
    the others are replaced: at most 48,000 steps of O(depth d) time, whatever the number of samples, and fewer after a
    thousand answers. With more than 1,000 samples, 1,000 drawn at random stand for the rest.

    Trust: both kinds of chains and trees of the features alone predict each answer before it is heard. Trees
    count in proportion to the likelihood of all answers under them. `trust_` is the share of the chains.

    The walk takes O(r^3) time and O(r^2) memory once, for r <= 3,000 different samples, and O(r a^2) for each question
    after a answered samples. With more samples, 3,000 drawn at random are the nodes of the graph, and each of the
    others belongs to the three nearest.

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
    5
    >>> model.undo().items == question
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_questions": [Interval(Integral, 0, None, closed="left")],
        "target": [StrOptions({"auto", "hierarchy", "groups"})],
        "questions": [StrOptions({"trios", "pairs"})],
        "noise": [None, Interval(Real, 0, 0.5, closed="both")],
        "metric": [StrOptions({"euclidean", "cosine", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_questions: int = 100,
        *,
        target: str = "auto",
        questions: str = "trios",
        noise: float | None = None,
        metric: str = "euclidean",
        n_neighbors: int = 10,
        random_state: Any = 0,
        verbose: bool | int = False,
    ) -> None:
        self.n_questions = n_questions
        self.target = target
        self.questions = questions
        self.noise = noise
        self.metric = metric
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
        X : array_like or DataFrame, shape (n_samples, n_features), or None
            The samples, or their distances if ``metric="precomputed"``. If it is None, the model only uses answers, and
            needs `sample_names`.
        y : None
            Ignored.
        oracle : callable, optional
            ``oracle(a, b, c)`` returns the odd one, "alike", "different", or None for "cannot say". If pairs are asked,
            ``oracle(a, b)`` returns True or "alike", False or "different", or None. Samples are given by name: those
            of `sample_names`, else the index if X is a pandas DataFrame, else row numbers.
        sample_names : sequence, shape (n_samples,), optional
            The names of the rows.
        answers : AnswerSet or iterable of Answer, optional
            Earlier answers, by the names of the samples. They do not count in `n_questions`.

        Returns
        -------
        OddOneOutClustering
            The fitted estimator. If the oracle fails, or the fit is interrupted, it is fitted with the answers so far.

        Raises
        ------
        LimitExceededError
            If there is no X, and more than 2,000 samples.
        Exception
            Any exception of the oracle.

        Warns
        -----
        UserWarning
            If there is neither an oracle nor an answer, or all replies are "unsure".

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
                tick(1)
        said = counted(len(self._log), "reply", "replies")
        self._warn_if_nothing_is_known(f"{said}, and none says anything")
        return self

    # ------------------------------------------------------------------ step by step

    def start(
        self, X: Any, *, sample_names: Any = None, answers: AnswerSet | Iterable[Answer] | None = None
    ) -> OddOneOutClustering:
        """Take in the samples and earlier answers, without asking anything.

        Parameters
        ----------
        X, sample_names, answers
            As for `fit`.

        Returns
        -------
        OddOneOutClustering
            Itself, ready for `next_question`. A start that fails leaves it as it was.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [2.0]])
        >>> model.next_question()
        (1, 0, 2)
        """
        with all_or_nothing(self):
            self._validate_params()
            rng = generator(self.random_state)
            self._see(X, sample_names)
            self._seed = int(rng.integers(2**31))
            self._graph: Any = None
            if self._kind != "hierarchy":
                self._graph = neighbour_graph(self._points, int(self.n_neighbors), rng)
                self._beliefs = Beliefs(AbsorbingWalk(self._graph), self._graph.node, self.noise)
                self._plain = plain_groups(self._points[self._graph.sample])
            self._trees: Any = None  # TreeBeliefs, while people answer by a tree
            self._earlier_trees: deque[Any] = deque(maxlen=KEPT_TREES)  # `_trees` before each of the last answers
            self._settled = self._kind == "hierarchy"  # whether people answer by a tree for certain
            self._log: list[_Said] = []
            self._before: list[Any] = []  # the state of the groups, and `_settled`, before each answer
            self._open: dict[str | None, Question] = {}
            self._made: dict[str, Any] = {}
            for entry in _entries(answers, self._leaves):
                self._note(entry)
            self._hear()
        return self

    def _see(self, X: Any, sample_names: Any) -> None:
        """Take in the samples: `_samples` as given, `_points` whose Euclidean distances count, and their names."""
        if X is None:
            if sample_names is None:
                msg = "without X, sample_names must name the samples to ask about"
                raise ValueError(msg)
            if self.target == "groups" or self.questions == "pairs" or self.metric != "euclidean":
                msg = (
                    "without X, questions are about a tree: leave target, questions and metric at their defaults, or "
                    "give features or distances"
                )
                raise ValueError(msg)
            names = named(None, sample_names).labels
            if len(names) < 3:
                msg = (
                    f"sample_names has {counted(len(names), 'name')}; without X at least 3 are needed, for one question"
                )
                raise ValueError(msg)
            if len(names) > MOST_NAMES:
                msg = (
                    f"sample_names has {len(names):,} names; without X at most {MOST_NAMES:,} are taken: give features "
                    "or distances, or fewer names"
                )
                raise LimitExceededError(msg, size=len(names), limit=MOST_NAMES)
            self._leaves: LeafIndex = LeafIndex(names)
            self._samples = self._points = np.empty((len(names), 0))
            self._kind = "hierarchy"
            return
        if self.target == "hierarchy" and self.questions == "pairs":
            msg = "pairs tell nothing about a tree: target='hierarchy' needs questions='trios'"
            raise ValueError(msg)
        samples = check_samples(self, X, reset=True)
        rows = named(X, sample_names)
        check_distinct(rows)
        self._leaves = align_pairs(rows, None, samples.shape[0]).leaves
        self._samples = samples
        if self.metric == "precomputed":
            self._points = embedded(as_distance_matrix(samples, X))
        else:
            self._points = transformed(self.metric, X, samples)
            check_spread(self._points)
        few = len(samples) < 3  # there is no trio
        self._kind = "groups" if self.questions == "pairs" or few else self.target

    def next_question(self, who: str | None = None) -> tuple[Hashable, ...] | None:
        """Choose the question to ask next.

        Parameters
        ----------
        who : str, optional
            The person who will be asked. People who have not answered yet are asked about different samples, if there
            are enough of them, else about different trios.

        Returns
        -------
        tuple of sample names, or None
            The question stays the same for a person until it is answered. None if no question is worth asking.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0]])
        >>> model.next_question() is None
        True
        """
        check_is_fitted(self)
        if who not in self._open:
            others = [question.samples for question in self._open.values()]
            found = self._best(others, apart=True)
            if found is None and others:  # few samples: another question, though it shares some with those
                found = self._best(others, apart=False)
            if found is None:
                return None
            self._open[who] = found
        return tuple(self._leaves[i] for i in self._open[who].samples)

    def answer(
        self, reply: Any, question: Sequence[Hashable] | None = None, *, who: str | None = None, when: str | None = None
    ) -> OddOneOutClustering:
        """Take in a reply.

        Parameters
        ----------
        reply : sample name, {"alike", "different", "unsure"} or None
            The odd one, "alike" if all three are alike, "different" if no two are, or None if it cannot be said. For a
            pair True is "alike" and False "different".
        question : sequence of 3 or 2 sample names, optional
            The samples that were shown. By default they are those of the person's open question.
        who, when : str, optional
            The person, and the time.

        Returns
        -------
        OddOneOutClustering
            Itself.

        Raises
        ------
        InvalidAnswerError
            If the reply does not fit the question, or no question was asked. Nothing changes then.

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

    def hear(self, answers: AnswerSet | Iterable[Answer]) -> OddOneOutClustering:
        """Take in several answers at once: quicker than `answer` one after the other, with a little less care.

        Parameters
        ----------
        answers : AnswerSet or iterable of Answer
            In their order. They answer the open questions of the people who gave them.

        Returns
        -------
        OddOneOutClustering
            Itself.

        Raises
        ------
        InvalidAnswerError
            If something is not an answer.
        UnknownLeafError
            If one is about other samples. Nothing changes then.

        Examples
        --------
        >>> from tripletree.core import Answer
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [5.0], [7.0]])
        >>> len(model.hear([Answer((0, 1, 2), "odd", 2), Answer((0, 2, 3), "odd", 0)]).answers_)
        2
        """
        check_is_fitted(self)
        entries = list(_entries(answers, self._leaves))
        if entries:
            with self._step():
                self._trees = self._trees and self._trees.copy()
                for entry in entries:
                    self._note(entry)
                    self._close(entry)
                self._hear()
                self._earlier_trees.clear()  # none of them has heard all but the last of these
        return self

    def undo(self, who: str | None = None) -> Answer:
        """Take back the last answer.

        Parameters
        ----------
        who : str, optional
            The person whose last answer is taken back. None takes back the last answer without a name, as
            `tripletree.io.append_undo` does.

        Returns
        -------
        Answer
            The answer that was taken back. Its question is the open one of this person again.

        Raises
        ------
        LookupError
            If there is none. Nothing changes then, nor if this is interrupted.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [5.0]])
        >>> model.answer("alike", (0, 1, 2)).undo().kind, len(model.answers_)
        ('alike', 0)
        """
        check_is_fitted(self)
        at = [k for k, entry in enumerate(self._log) if entry.who == who]
        if not at:
            msg = "there is no answer to take back" + ("" if who is None else f" by {who!r}")
            if who is None and self._log:
                msg += f" without a name; the last one is taken back by undo({self._log[-1].who!r})"
            raise LookupError(msg)
        last = at[-1]
        undone, again = self._log[last], self._log[last + 1 :]
        taken_back = self.answers_[last]
        with self._step():
            self._forget_from(last)
            if self._earlier_trees and not again:
                self._trees = self._earlier_trees.pop()
            else:  # as if the answer had never been given
                self._earlier_trees.clear()
                self._trees = None
                for entry in again:
                    self._note(entry)
                self._hear()
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

        Another thread can call it while answers come in. With many samples it takes longer than the choice of the next
        question.

        Returns
        -------
        callable
            Without arguments; returns a `Hierarchy`.

        Examples
        --------
        >>> model = OddOneOutClustering().start([[0.0], [1.0], [5.0]])
        >>> make = model.defer_hierarchy()
        >>> make() == model.hierarchy_
        True
        """
        check_is_fitted(self)
        if self.by_tree_:
            found = self._found
            return lambda: found.hierarchy
        labels, answers, made = self.labels_, self.answers_, self._made
        points, node = self._points, self._graph.node

        def make() -> Hierarchy:
            if "hierarchy" not in made:
                made["hierarchy"] = answered_hierarchy(points, labels, node, answers.triplets())
            return made["hierarchy"]

        return make

    # ------------------------------------------------------------------ results

    @property
    def answers_(self) -> AnswerSet:
        """All answers, in order."""
        check_is_fitted(self)
        return self._answers(self._log)

    @property
    def doubted_answers_(self) -> AnswerSet:
        """The answers that do not hold in the clusters, or by a tree in the hierarchy."""
        check_is_fitted(self)
        said = [entry for entry in self._log if entry.reply != UNSURE]
        good = self._in_tree(said) if self.by_tree_ else self._beliefs.satisfied(self._beliefs.group)
        return self._answers([entry for entry, holds in zip(said, good, strict=True) if not holds])

    @property
    def by_tree_(self) -> bool:
        """Whether people seem to answer by a tree rather than by groups."""
        check_is_fitted(self)
        return self._trees is not None

    @property
    def trust_(self) -> float:
        """The probability that the answers help to predict later answers."""
        return self._trees.trust if self.by_tree_ else 1.0

    @property
    def clade_support_(self) -> np.ndarray | None:
        """The share of the sampled trees that have each clade of the hierarchy."""
        return self._found.support if self.by_tree_ else None

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
        """The number of samples that the answer to the best question may settle."""
        check_is_fitted(self)
        if "gain" not in self._made:
            best = self._best([], apart=True)
            # before the first answers a sample counts for each of the three that a walk from it comes to
            self._made["gain"] = 0.0 if best is None else min(best.gain, float(len(self._samples)))
        return self._made["gain"]

    @property
    def noise_(self) -> float:
        """The share of wrong answers."""
        check_is_fitted(self)
        if self._trees is None:
            return self._beliefs.noise
        return self._trees.noise if self.noise is None else float(self.noise)

    @property
    def hierarchy_(self) -> Hierarchy:  # type: ignore[override]  # made when it is asked for
        """The hierarchy of the samples."""
        check_is_fitted(self)
        return self.defer_hierarchy()()

    @property
    def predictor_(self) -> NeighbourPredictor:  # type: ignore[override]
        """The data that `predict` needs."""
        check_is_fitted(self)
        if not self._points.shape[1]:
            msg = "without X there is nothing to predict from: fit with features or distances"
            raise ValueError(msg)
        if "predictor" not in self._made:
            measured = FittedMetric("precomputed" if self.metric == "precomputed" else "euclidean")
            self._made["predictor"] = NeighbourPredictor(
                self._samples, self._points, self.labels_, self.metric, measured
            )
        return self._made["predictor"]

    # ------------------------------------------------------------------ inside

    @property
    def _clusters(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and uncertainty."""
        check_is_fitted(self)
        if self.by_tree_:
            return self._found.labels, self._found.uncertainty
        if "clusters" not in self._made:
            self._made["clusters"] = _clusters_of(self._graph, self._beliefs, self._plain)
        return self._made["clusters"]

    @property
    def _found(self) -> FoundTree:
        """The hierarchy and the clusters by a tree."""
        if "tree" not in self._made:
            sample = self._trees.sample()
            self._made["tree"] = find_tree(sample, self._points[self._stand_in], self._leaf, self.answers_)
        return self._made["tree"]

    def _in_tree(self, log: list[_Said]) -> np.ndarray:
        """Whether odd ones hold in the hierarchy by a tree, and other replies in the clusters."""
        found, labels, good = self._found, self.labels_, np.ones(len(log), bool)
        odd = [k for k, entry in enumerate(log) if entry.reply < 3]
        good[odd] = displayed(found.hierarchy, _triplets(log).astype(np.int32))
        for k, entry in enumerate(log):
            if entry.reply >= 3:
                groups = labels[[i for i in entry.row if i >= 0]]
                good[k] = np.unique(groups).size == (1 if entry.reply == ALIKE else groups.size)
        return good

    def _best(self, others: list[tuple[int, ...]], *, apart: bool) -> Question | None:
        """Choose the question with the greatest gain that was not asked yet, and is not open for other people.

        If `apart`, it has no sample of the open questions.
        """
        if self._trees is not None:
            return self._best_in_trees(others, apart)
        unsure = [tuple(x for x in entry.row if x >= 0) for entry in self._log if entry.reply == UNSURE]
        asked = {frozenset(x for x in entry.row if x >= 0) for entry in self._log}
        weight = np.ones(len(self._points))
        for shown in unsure:  # samples of a question that nobody could answer have half of their value
            weight[list(shown)] /= 2
        for shown in others if apart else []:
            weight[list(shown)] = 0
        refused = {frozenset(shown) for shown in unsure + others}
        known = self._points, self._graph, self._beliefs, weight
        pairs = self.questions == "pairs"
        best = best_question(*known, lambda shown: frozenset(shown) not in refused | asked, pairs)
        if best is None:  # the same question again, if no other is left
            best = best_question(*known, lambda shown: frozenset(shown) not in refused, pairs)
        return best

    def _best_in_trees(self, others: list[tuple[int, ...]], apart: bool) -> Question | None:
        shown = self._leaf[np.array(others, np.int64).reshape(-1, 3)]
        trios = [entry.row for entry in self._log if entry.row[2] >= 0]  # without questions about two samples
        asked = self._leaf[np.array(trios, np.int64).reshape(-1, 3)]
        found = self._trees.question(np.concatenate([asked, shown]), shown.ravel() if apart else shown[:0].ravel())
        if found is None:
            return None
        return Question(tuple(self._stand_in[list(found.samples)].tolist()), found.gain)

    def _warn_if_nothing_is_known(self, why: str) -> None:
        if len(self._samples) > 2 and all(entry.reply == UNSURE for entry in self._log):
            warn_user(f"{why}; labels_ are those before the first answer, not the clusters of the data (see ReCon)")

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Work on copies of the answers and beliefs. If that fails or is interrupted, the model is as it was before."""
        with all_or_nothing(self):
            self._log, self._before, self._open = self._log.copy(), self._before.copy(), self._open.copy()
            self._earlier_trees = self._earlier_trees.copy()
            if self._graph is not None:
                self._beliefs = self._beliefs.copy()
            yield

    def _take_in(self, entry: _Said) -> None:
        """Take in an answer."""
        with self._step():
            earlier = self._trees
            self._trees = earlier and earlier.copy()
            self._note(entry)
            self._hear()
            self._earlier_trees.append(earlier)
            self._close(entry)

    def _close(self, entry: _Said) -> None:
        """Forget the open question that an answer is about."""
        self._open.pop(entry.who, None)
        said = {i for i in entry.row if i >= 0}
        if None in self._open and set(self._open[None].samples) == said:
            del self._open[None]  # the question had no name, and somebody has answered it

    def _forget_from(self, k: int) -> None:
        """Forget the answers from a place on, and their effect on the groups."""
        state, self._settled = self._before[k]
        if state is not None:
            self._beliefs.restore(state)
        del self._log[k:], self._before[k:]
        self._made = {}  # a new one, because a thread may still write results of earlier answers into the old one

    def _note(self, entry: _Said) -> None:
        """Keep an answer, and update the groups unless people certainly answer by a tree."""
        state, settled = None, self._settled
        if not settled:
            state = self._beliefs.state()
            self._beliefs.add(np.array(entry.row), entry.reply)
        self._before.append((state, settled))
        self._log.append(entry)
        if self._kind == "auto" and not self._settled:
            self._settled = self._lead_of_trees() > SURE
        self._made = {}  # a new one, because a thread may still write results of earlier answers into the old one

    def _hear(self) -> None:
        """Let the chains of trees hear all answers, if people seem to answer by a tree."""
        if not (self._settled or (self._kind == "auto" and self._lead_of_trees() > -FOR_TREES)):
            self._trees = None
            return
        if self._trees is None:
            self._lay_out_leaves()
            self._trees = TreeBeliefs(self._points[self._stand_in], self.noise, self._seed)
        rows = self._leaf[_triplets(self._log)]
        apart = (np.diff(np.sort(rows, axis=1), axis=1) > 0).all(axis=1)
        self._trees.hear(rows[apart].astype(np.int32))

    def _lay_out_leaves(self) -> None:
        """Find the leaf of each sample in the trees, and the sample that stands for each leaf."""
        n = len(self._points)
        self._stand_in = self._leaf = np.arange(n)
        if n > MOST_LEAVES and self._points.shape[1]:
            rng = np.random.default_rng(self._seed)
            self._stand_in = np.sort(rng.choice(n, MOST_LEAVES, replace=False))
            self._leaf = pairwise_distances_argmin(self._points, self._points[self._stand_in])
            self._leaf[self._stand_in] = np.arange(MOST_LEAVES)

    def _lead_of_trees(self) -> float:
        """The log-likelihood ratio of the replies, if people answer by a tree against if they answer by groups.

        By a tree all odd ones may be right, and the two other replies come by chance. By groups each reply is right, or
        with the chance of a wrong one any other.
        """
        replies = self._beliefs.replies
        if len(replies) < OPEN:
            return -np.inf
        kinds = np.array([(replies < 3).sum(), (replies == 3).sum(), (replies == 4).sum()])
        by_tree = kinds @ np.log((kinds + 0.5) / (len(replies) + 1.5))
        held, wrong = self._beliefs.satisfied(self._beliefs.group).sum(), self._beliefs.noise
        return float(by_tree - held * np.log(1 - wrong) - (len(replies) - held) * np.log(wrong / 4))

    def _answers(self, log: list[_Said]) -> AnswerSet:
        return AnswerSet.from_columns(
            np.array([entry.row for entry in log], np.int32).reshape(-1, 3),
            np.array([entry.reply for entry in log], np.int8),
            self._leaves,
            who=[entry.who for entry in log],
            when=[entry.when for entry in log],
            seconds=[entry.seconds for entry in log],
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_log")


# ---------------------------------------------------------------------- answers


def _as_answer(reply: Any, question: Sequence[Hashable], who: str | None, when: str | None) -> Answer:
    """Turn a reply into an `Answer`, which keeps samples and other replies apart."""
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
        msg = (
            f"{reply!r:.80} is not a reply to {items!r:.80}; expected {known}'alike', 'different' or None (cannot say)"
        )
        raise InvalidAnswerError(msg)
    return Answer(items, word or "odd", reply if shown else None, who, when)


def _entry(answer: Answer, leaves: LeafIndex) -> _Said:
    row = [*leaves.indices(answer.items, what="samples of the question").tolist(), -1][:3]
    reply = answer.items.index(answer.odd) if answer.kind == "odd" else KINDS.index(answer.kind) + 2
    seconds = np.nan if answer.seconds is None else answer.seconds
    return _Said(tuple(row), reply, answer.who, answer.when, seconds)


def _entries(answers: Any, leaves: LeafIndex) -> list[_Said]:
    """Check all given answers before any is used."""
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


def _triplets(log: list[_Said]) -> np.ndarray:
    """The answered triplets, with the odd one last (int64, shape (m, 3))."""
    rows = np.array([entry.row for entry in log], np.int64).reshape(-1, 3)
    reply = np.array([entry.reply for entry in log], np.int64)
    near = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])
    odd = reply < 3
    return np.take_along_axis(rows[odd], near[reply[odd]], axis=1)


# ---------------------------------------------------------------------- clusters


def _clusters_of(graph: NeighbourGraph, beliefs: Beliefs, plain: PlainGroups) -> tuple[np.ndarray, np.ndarray]:
    """Find the likeliest cluster of each sample, numbered by first occurrence, and the chance that it is another.

    Samples without an answer go with walks, or with the answered samples of their plain group, unless walks clearly
    predict better to which groups answered samples belong. Samples that probably belong to a group not seen yet make
    clusters around the nodes that most of their walks reach, or are plain groups.
    """
    k, every = beliefs.n_groups, np.arange(graph.node.size)
    of_items = beliefs.chances()
    likely = np.array([_log_chance(beliefs, groups) for groups in plain.groups])
    best = int((plain.evidence / OVERSURE + likely).argmax())
    if best > 0 and likely[best] > beliefs.fit(beliefs.group) - CONTRADICTED:
        groups = plain.groups[best]
        met = _met(beliefs, groups)
        asked = met.sum(axis=1)
        label = k + np.arange(len(met))
        label[asked > 0] = met[asked > 0].argmax(axis=1) if k else 0
        parts = np.bincount(label[asked > 0])
        if (parts == 1).sum() < parts.sum() / 2:  # few groups have one part: another part is probably of one of them
            walked = np.zeros((len(met), k))
            np.add.at(walked, groups, node_chances(beliefs, of_items)[:, :k] * graph.mass[:, None])
            label[asked == 0] = walked[asked == 0].argmax(axis=1)
        label = label[groups[graph.node]]
        unsure = (1 - met.max(axis=1, initial=0) / (asked + ELSEWHERE))[groups[graph.node]]
    else:
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


def _met(beliefs: Beliefs, groups: np.ndarray) -> np.ndarray:
    """Count the answered samples of each group in each plain group."""
    met = np.zeros((int(groups.max()) + 1, beliefs.n_groups))
    np.add.at(met, (groups[beliefs.node[beliefs.items]], beliefs.group), 1)
    return met


def _log_chance(beliefs: Beliefs, groups: np.ndarray) -> float:
    """Sum of the logarithms of how probable plain groups make the group of each answered sample, given all others."""
    k, every = beliefs.n_groups, np.arange(beliefs.items.size)
    others = _met(beliefs, groups)[groups[beliefs.node[beliefs.items]]]
    others[every, beliefs.group] -= 1
    alone = np.bincount(beliefs.group, minlength=k)[beliefs.group] == 1
    elsewhere = np.where(alone, 0.5, 0.5 / max(k, 1)) * ELSEWHERE
    return float(np.log((others[every, beliefs.group] + elsewhere) / (others.sum(axis=1) + ELSEWHERE)).sum())
