"""Agreement of people: answers held against the answers of others, and against trees made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.consensus import POWERS, HeldOut, TrioVotes, collect_answers, held_out
from tripletree.core.answers import ALIKE, UNSURE, Answer, AnswerSet, check_answers
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy, check_rooted
from tripletree.core.progress import progress_bar, silent
from tripletree.core.random import generator
from tripletree.core.threads import side_by_side

#: The share of right answers if somebody answers at random.
_CHANCE = 1 / 3
#: Powers of the chances that count as not following the others, how probable they must be for a verdict, and how
#: probable for somebody's own answers to be looked at.
_ASTRAY, _SURE, _DOUBTFUL = 0.3, 0.8, 0.5
#: How many times likelier one explanation of the answers must be than another, as a logarithm.
_EVIDENCE = float(np.log(20))
#: With fewer answers there is no verdict.
_FEWEST = 5
#: The share of the steps of a chain for a person's own answers, and the number of chains.
_EFFORT, _CHAINS = 0.3, 2


# ----------------------------------------------------------------------
# Questions.


@dataclass(frozen=True)
class DisputedQuestion:
    """A question with different answers.

    Attributes
    ----------
    items : tuple
        The items shown, sorted if they can be.
    answers : dict
        The answers to each reply, which is the odd one, or "alike" or "different". Most frequent first.
    """

    items: tuple[Any, ...]
    answers: dict[Any, tuple[Answer, ...]]

    @property
    def n_minority(self) -> int:
        """How many answers differ from the most frequent one."""
        counts = [len(x) for x in self.answers.values()]
        return sum(counts) - max(counts)

    @property
    def inconsistent_people(self) -> tuple[str, ...]:
        """The people who gave different answers themselves."""
        said: dict[str, set[Any]] = {}
        for reply, answers in self.answers.items():
            for x in answers:
                if x.who is not None:
                    said.setdefault(x.who, set()).add(reply)
        return tuple(who for who, replies in said.items() if len(replies) > 1)


def find_disputed_questions(answers: AnswerSet) -> list[DisputedQuestion]:
    """Find the questions with different answers, by one person or by several.

    Parameters
    ----------
    answers : AnswerSet
        "unsure" contradicts nothing.

    Returns
    -------
    list of DisputedQuestion
        Questions with the largest minority first, else in the order in which they were first asked.

    See Also
    --------
    tripletree.find_conflicts : answers to different questions that cannot all hold.

    Examples
    --------
    >>> answers = AnswerSet([Answer((0, 1, 2), "odd", 2, "anna"), Answer((2, 0, 1), "odd", 0, "ben")])
    >>> found = find_disputed_questions(answers)
    >>> [(x.items, list(x.answers)) for x in found]
    [((0, 1, 2), [2, 0])]
    """
    found = []
    for numbers in _questions(check_answers(answers)).values():
        said: dict[Any, list[Answer]] = {}
        for k in numbers:
            x = answers[k]
            said.setdefault((x.kind, x.odd), []).append(x)
        if len(said) > 1:
            ordered = sorted(said.items(), key=lambda entry: -len(entry[1]))
            items = answers[numbers[0]].items
            items = tuple(x for x in answers.leaves.take(sorted(answers.leaves.indices(items).tolist())))
            by_reply = {odd if kind == "odd" else kind: tuple(given) for (kind, odd), given in ordered}
            found.append(DisputedQuestion(items, by_reply))
    return sorted(found, key=lambda x: -x.n_minority)


def _questions(answers: AnswerSet) -> dict[tuple[int, ...], list[int]]:
    """Return the answers to each question that say something, by the sorted positions of its items."""
    found: dict[tuple[int, ...], list[int]] = {}
    for k in np.flatnonzero(answers.replies != UNSURE).tolist():
        found.setdefault(tuple(sorted(answers.rows[k].tolist())), []).append(k)
    return found


# ----------------------------------------------------------------------
# People.


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far each person agrees with the others: the result of `agreement`.

    All arrays have one entry for each person. Shares are NaN if there is nothing to compare.

    Attributes
    ----------
    people : tuple of (str or None)
        None stands for all answers without a name together.
    n_answers, n_unsure, n_quick : ndarray of int64
        How many answers each gave, how many are "unsure", and how many are quicker than a person can look
        (`AnswerSet.quick`).
    with_others : ndarray of float64
        The share of equal answers, among all pairs of this person's answers with those of others to the same question.
    n_shared : ndarray of int64
        How many such pairs there are.
    with_itself : ndarray of float64
        The same for pairs of the person's own answers to one question.
    n_repeated : ndarray of int64
        How many such pairs there are.
    with_consensus : ndarray of float64
        The share of this person's answers with an odd one that trees made of the answers of others predict, 1/3 by
        chance.
    with_own_hierarchy : ndarray of float64
        The same for trees of this person's other answers. Only for people who seem not to follow the others.
    weights : ndarray of float64
        The weight of an answer of each in `aggregate_answers`, NaN for people who name no odd one.
    verdict : tuple of str
        "agrees": follows the others, beyond chance. "other criterion": the person's other answers predict each of them
        better than the answers of the others do. "random": neither does, beyond chance. "careless": follows the others
        beyond chance, but hardly. "unclear": too few answers to say. Fewer than five are never enough.
    kappa : float
        Agreement of different people on the same questions beyond chance, of all pairs of answers together: 0 by
        chance, 1 if they are always equal (the kappa of Brennan and Prediger for the three items). NaN without pairs.
    """

    people: tuple[str | None, ...]
    n_answers: np.ndarray
    n_unsure: np.ndarray
    n_quick: np.ndarray
    with_others: np.ndarray
    n_shared: np.ndarray
    with_itself: np.ndarray
    n_repeated: np.ndarray
    with_consensus: np.ndarray
    with_own_hierarchy: np.ndarray
    weights: np.ndarray
    verdict: tuple[str, ...]
    kappa: float

    def __repr__(self) -> str:
        p = len(self.people)
        odd = [f"{who} ({what})" for who, what in zip(self.people, self.verdict, strict=True) if what in _SUSPECT]
        shown = f"; {', '.join(odd[:5])}{', ...' if len(odd) > 5 else ''}" if odd else ""
        return f"<Agreement: {p} {'person' if p == 1 else 'people'}, kappa {self.kappa:.2f}{shown}>"

    def to_frame(self) -> Any:
        """Return a data frame of pandas, one row for each person."""
        import pandas as pd

        names = ("n_answers", "n_unsure", "n_quick", "with_others", "n_shared", "with_itself", "n_repeated")
        columns = {x: getattr(self, x) for x in (*names, "with_consensus", "with_own_hierarchy", "weights", "verdict")}
        return pd.DataFrame({"who": list(self.people), **columns})


_SUSPECT = ("careless", "random", "other criterion")


def agreement(answers: AnswerSet, *, random_state: Any = None, verbose: bool | int = False) -> Agreement:
    """Measure how far each person agrees with the others, with the consensus, and with their own other answers.

    Parameters
    ----------
    answers : AnswerSet
        Answers without a name count as the answers of one person.
    random_state : None, int, Generator or RandomState
        For the parts that are left out and the sampled trees. None is a fixed seed.
    verbose : bool or int
        Show a progress bar.

    Returns
    -------
    Agreement

    See Also
    --------
    tripletree.aggregate_answers : the hierarchy that they bear out.
    find_disputed_questions : the questions to which different answers were given.
    find_disagreements : where in a hierarchy each person disagrees.

    Notes
    -----
    The trees that a person is held against are made without this person's answers, as in
    `tripletree.aggregate_answers`. Otherwise the few answers of each, and be they random, shape the trees that they are
    compared with.

    The chances that those trees predict, raised to a power, fit the answers of a person. 0 is chance, and people like
    the others are about 1. Somebody whose power is at most 0.3 with a probability of 80 % does not follow the others.
    The probability comes from a model of all people, estimated from their answers. "agrees" wants answers that are 20
    times likelier than by chance. "other criterion" wants the person's own trees to make them 20 times likelier than
    the trees of others or chance do, each answer being predicted from the rest [2]_.

    Among 161 simulated people with 40 answers or more who guess, 160 are named, and none of 1,446 others. A criterion
    of one's own, four to six colours of 48 samples, shows with 100 to 160 answers, and passes for "random" with fewer.

    References
    ----------
    .. [1] Brennan, Prediger (1981), Coefficient kappa: some uses, misuses, and alternatives, Educational and
       Psychological Measurement 41(3), 687-699.
    .. [2] Gelfand, Dey, Chang (1992), Model determination using predictive distributions with implementation via
       sampling-based methods, Bayesian Statistics 4, 147-167.

    Examples
    --------
    >>> trios = [(a, b, c) for a in range(5) for b in range(a) for c in range(b)]
    >>> said = [Answer(x, "odd", max(x), who) for x in trios for who in ("anna", "ben", "cleo", "dan")]
    >>> said += [Answer(x, "odd", min(x), "eve") for x in trios]
    >>> found = agreement(AnswerSet(said))
    >>> found
    <Agreement: 5 people, kappa 0.40; eve (other criterion)>
    >>> found.with_others.round(2).tolist()
    [0.75, 0.75, 0.75, 0.75, 0.0]
    """
    if len(check_answers(answers)) == 0:
        msg = "there are no answers to compare"
        raise ValueError(msg)
    rng = generator(0 if random_state is None else random_state)
    person = answers.person.astype(np.int64)
    names: tuple[str | None, ...] = answers.people
    if (person < 0).any():
        names = (*names, None)
        person[person < 0] = len(answers.people)
    p = len(names)
    equal, pairs, same, repeats = _pairs_of_answers(answers, person, p)
    votes = collect_answers(answers)
    place = np.array([names.index(x) for x in votes.names], np.int64)
    with_consensus, own, weights = (np.full(p, np.nan) for _ in range(3))
    weights[place] = 1.0
    verdict = ["unclear"] * p
    with progress_bar(verbose, None, "agreement", "chains") as tick:
        found = held_out(votes, rng, tick)
        if found is not None:
            with_consensus[place] = np.bincount(votes.voter, _predicted(found.chances)) / np.bincount(votes.voter)
            weights[place] = found.weight
            for k, (word, share) in zip(place.tolist(), _verdicts(votes, found, rng, tick), strict=True):
                verdict[k], own[k] = word, share
    total = int(pairs.sum())
    with np.errstate(invalid="ignore"):
        with_others, with_itself = equal / pairs, same / repeats
    return Agreement(
        people=names,
        n_answers=freeze(np.bincount(person, minlength=p)),
        n_unsure=freeze(np.bincount(person[answers.replies == UNSURE], minlength=p)),
        n_quick=freeze(np.bincount(person[answers.quick], minlength=p)),
        with_others=freeze(with_others),
        n_shared=freeze(pairs),
        with_itself=freeze(with_itself),
        n_repeated=freeze(repeats),
        with_consensus=freeze(with_consensus),
        with_own_hierarchy=freeze(own),
        weights=freeze(weights),
        verdict=tuple(verdict),
        kappa=float((equal.sum() / total - _CHANCE) / (1 - _CHANCE)) if total else float("nan"),
    )


def _pairs_of_answers(answers: AnswerSet, person: np.ndarray, p: int) -> tuple[np.ndarray, ...]:
    """For each person the pairs of answers to one question that are equal, and all: with others, and with itself."""
    k = np.flatnonzero(answers.replies != UNSURE)
    who, at = person[k], answers.replies[k].astype(np.int64)
    said = np.where(at < ALIKE, answers.rows[k, np.minimum(at, 2)], -at)  # the odd one, or the kind
    question = _numbered(*np.sort(answers.rows[k], axis=1).T)
    of_all, of_person, of_reply, of_both = (
        np.bincount(x)[x]
        for x in (question, _numbered(question, who), _numbered(question, said), _numbered(question, who, said))
    )
    counts = of_reply - of_both, of_all - of_person, of_both - 1, of_person - 1
    equal, pairs, same, repeats = (np.bincount(who, x, minlength=p).astype(np.int64) for x in counts)
    return equal, pairs, same // 2, repeats // 2


def _numbered(*columns: np.ndarray) -> np.ndarray:
    """Number the different rows of some columns of whole numbers: equal rows get one number."""
    number = np.zeros(columns[0].size, np.int64)
    for x in columns:
        span = int(x.max(initial=0) - x.min(initial=0)) + 1
        number = np.unique(number * span + (x - x.min(initial=0)), return_inverse=True)[1].reshape(-1)
    return number


def _predicted(chances: np.ndarray) -> np.ndarray:
    """Return how far each answer is the likeliest of the three, given the chances of all: 1, 0, or a share."""
    most = chances.max(axis=1, keepdims=True)
    best = chances >= most - 1e-9
    return best[:, 0] / best.sum(axis=1)


def _verdicts(votes: TrioVotes, found: HeldOut, rng: np.random.Generator, tick: Any) -> list[tuple[str, float]]:
    """For each voter the verdict, and the share of the answers that the voter's own trees predict."""
    p = len(votes.names)
    n = np.bincount(votes.voter, minlength=p)
    astray = POWERS <= _ASTRAY
    strays = found.posterior[:, astray].sum(axis=1)
    chance = found.fits[:, 0]
    others = found.fits[:, ~astray]
    follows = np.logaddexp.reduce(others + np.log(found.share[~astray] / found.share[~astray].sum()), axis=1)
    seeds = rng.integers(2**63, size=p).tolist()
    doubtful = np.flatnonzero((strays > _DOUBTFUL) & (n >= _FEWEST)).tolist()

    def run(i: int, stop: Event) -> np.ndarray:
        if stop.is_set():
            return np.empty((0, 3))
        return _own_chances(votes.of(doubtful[i]), np.random.default_rng(seeds[doubtful[i]]))

    own = dict(zip(doubtful, side_by_side(run, len(doubtful), silent), strict=True)) if doubtful else {}
    tick(len(doubtful))
    words = []
    for v in range(p):
        share, word = np.nan, "unclear"
        agrees = follows[v] - chance[v] > _EVIDENCE
        if n[v] >= _FEWEST:
            if agrees:
                word = "agrees"
            if strays[v] > _SURE:
                word = "careless" if agrees else "random"
        if v in own:
            share = float(_predicted(own[v]).mean())
            if np.log(own[v][:, 0]).sum() - max(follows[v], chance[v]) > _EVIDENCE:
                word = "other criterion"
        words.append((word, share))
    return words


def _own_chances(votes: TrioVotes, rng: np.random.Generator) -> np.ndarray:
    """For each vote the chances of the one named and of the two others, given all other votes of this voter.

    A tree counts for an answer the less, the better it fits that answer: this takes the answer out of the posterior.
    """
    sample = votes.trees(np.ones(len(votes.row)), rng, _CHAINS, effort=_EFFORT)
    total, weight = np.zeros((len(votes.row), 3)), np.zeros(len(votes.row))
    columns = np.stack([votes.odd, (votes.odd + 1) % 3, (votes.odd + 2) % 3], axis=1)
    for chances in sample.each(votes.rows):
        each = np.take_along_axis(chances[votes.row], columns, axis=1)
        total += each / each[:, :1]
        weight += 1 / each[:, 0]
    return total / weight[:, None]


# ----------------------------------------------------------------------
# Places of disagreement.


@dataclass(frozen=True)
class Disagreement:
    """A clade of a hierarchy against which a person has answered.

    Attributes
    ----------
    who : str or None
    node : int
        The clade's node.
    clade : list
        Its leaves.
    against, total : int
        The number of the person's answers about two samples that meet in this clade and one outside of it that name
        another odd one, and the number of all of them.
    answers : tuple of Answer
        Those against.
    """

    who: str | None
    node: int
    clade: list[Any]
    against: int
    total: int
    answers: tuple[Answer, ...]


def find_disagreements(answers: AnswerSet, hierarchy: Hierarchy) -> list[Disagreement]:
    """Find the clades of a hierarchy that each person's answers contradict.

    Parameters
    ----------
    answers : AnswerSet
    hierarchy : Hierarchy
        Such as that of `tripletree.aggregate_answers`. It must have all samples that the answers are about.

    Returns
    -------
    list of Disagreement
        Those with the most answers against the clade, less those for it, first.

    Examples
    --------
    >>> answers = AnswerSet([Answer((0, 1, 2), "odd", 2, "anna"), Answer((0, 1, 2), "odd", 0, "ben")])
    >>> found = find_disagreements(answers, Hierarchy.from_nested([[0, 1], 2]))
    >>> [(x.who, x.clade, x.against, x.total) for x in found]
    [('ben', [0, 1], 1, 1)]
    """
    hierarchy = check_rooted(hierarchy)
    told = np.flatnonzero(check_answers(answers).replies < ALIKE)
    if told.size == 0:
        return []
    used = np.unique(answers.rows[told])
    number = np.full(len(answers.leaves), -1, np.int32)
    number[used] = hierarchy.leaves.indices((answers.leaves[i] for i in used.tolist()), what="items of answers")
    rows = freeze(number[answers.rows[told]])
    odd = engine.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table).astype(np.int64)
    met = np.flatnonzero(odd >= 0)
    x, y = (freeze(rows[met, (odd[met] + k) % 3].copy()) for k in (1, 2))
    node = engine.rooted_tree.common_ancestors(x, y, *hierarchy.ancestor_table)
    groups: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    for k, u, shown, said in zip(
        told[met].tolist(), node.tolist(), odd[met].tolist(), answers.replies[told[met]].tolist(), strict=True
    ):
        groups.setdefault((int(answers.person[k]), u), []).append((k, shown != said))
    return sorted(_disagreements(answers, hierarchy, groups), key=lambda x: x.total - 2 * x.against)


def _disagreements(answers: AnswerSet, hierarchy: Hierarchy, groups: dict) -> Iterator[Disagreement]:
    for (person, u), given in groups.items():
        against = tuple(answers[k] for k, wrong in given if wrong)
        if against:
            who = None if person < 0 else answers.people[person]
            yield Disagreement(who, u, hierarchy.clade(u), len(against), len(given), against)
