"""Who agrees with whom: answers of people held against those of others, and against the hierarchy of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.algorithms.consensus import TrioVotes, collect_answers, held_out
from tripletree.core.answers import ALIKE, UNSURE, Answer, AnswerSet, check_answers
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.kernels import freeze

#: The share of right answers of somebody who answers at random.
_CHANCE = 1 / 3
#: Error rate of the tests, over all people together.
_LEVEL = 0.05
#: Parts of a person's own answers that are left out in turn.
_OWN_PARTS = 10


# ----------------------------------------------------------------------
# Questions.


@dataclass(frozen=True)
class DisputedQuestion:
    """A question to which different answers were given.

    Attributes
    ----------
    items : tuple
        The items shown, sorted if they can be.
    answers : dict
        The answers by what they say: the odd one, or "alike" or "different". Most frequent first.
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
    """Find the questions to which different answers were given, by one person or by several.

    Parameters
    ----------
    answers : AnswerSet
        "unsure" contradicts nothing.

    Returns
    -------
    list of DisputedQuestion
        Those with the largest minority first, else in the order in which they were first asked.

    Raises
    ------
    TypeError
        If `answers` is not an AnswerSet.

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
    """The answers to each question that say something, by the sorted positions of its items."""
    found: dict[tuple[int, ...], list[int]] = {}
    for k in np.flatnonzero(answers.replies != UNSURE).tolist():
        found.setdefault(tuple(sorted(answers.rows[k].tolist())), []).append(k)
    return found


# ----------------------------------------------------------------------
# People.


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far each person agrees with the others: the result of `agreement`.

    All arrays have one entry for each person; shares are NaN where there is nothing to compare.

    Attributes
    ----------
    people : tuple of (str or None)
        None stands for all answers without a name together.
    n_answers, n_unsure : ndarray of int64
        How many answers each gave, and how many of these are "unsure".
    with_others : ndarray of float64
        Of the pairs of this person's answers with those of others to the same question, the share that are equal.
    n_shared : ndarray of int64
        How many such pairs there are.
    with_itself : ndarray of float64
        The same for pairs of the person's own answers to one question.
    n_repeated : ndarray of int64
        How many such pairs there are.
    with_consensus : ndarray of float64
        Of the answers that name an odd one, the share that the hierarchy of the others displays; 1/3 by chance.
    with_own_hierarchy : ndarray of float64
        The same for a hierarchy of this person's other answers (ten parts are left out in turn); only for people who
        agree less with the consensus than the average.
    verdict : tuple of str
        "agrees": with the consensus, more than by chance. "careless": more than by chance, less than the average.
        "random": no more than by chance, neither with the consensus nor with the person's own other answers. "other
        criterion": these foretell the answers better than the consensus does. "unclear": too few answers to say.
    kappa : float
        Agreement of different people on the same questions beyond chance, of all pairs of answers together: 0 by
        chance, 1 if they are always equal (the kappa of Brennan and Prediger for the three items). NaN without pairs.
    """

    people: tuple[str | None, ...]
    n_answers: np.ndarray
    n_unsure: np.ndarray
    with_others: np.ndarray
    n_shared: np.ndarray
    with_itself: np.ndarray
    n_repeated: np.ndarray
    with_consensus: np.ndarray
    with_own_hierarchy: np.ndarray
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

        names = ("n_answers", "n_unsure", "with_others", "n_shared", "with_itself", "n_repeated")
        columns = {x: getattr(self, x) for x in (*names, "with_consensus", "with_own_hierarchy", "verdict")}
        return pd.DataFrame({"who": list(self.people), **columns})


_SUSPECT = ("careless", "random", "other criterion")


def agreement(answers: AnswerSet, *, random_state: Any = None, verbose: bool | int = False) -> Agreement:
    """Measure how far each person agrees with the others, with the consensus, and with their own other answers.

    Parameters
    ----------
    answers : AnswerSet
        Answers without a name count as those of one person.
    random_state : None, int, Generator or RandomState
        For the parts that are left out and the search. None is a fixed seed.
    verbose : bool or int
        Show a progress bar.

    Returns
    -------
    Agreement

    Raises
    ------
    TypeError
        If `answers` is not an AnswerSet.
    ValueError
        If there are no answers.

    See Also
    --------
    tripletree.consensus : the hierarchy that they bear out.
    find_disputed_questions : the questions to which different answers were given.
    find_disagreements : where in a hierarchy each person disagrees.

    Notes
    -----
    The consensus that a person is held against is made without this person's answers, as in `tripletree.consensus`;
    otherwise the few answers of each, and be they random, shape the hierarchy that they are compared with. The verdicts
    are tests of shares by the binomial distribution, of a person's own hierarchy against the consensus by the sign
    test, at an error rate of 5 % over all people together.

    References
    ----------
    .. [1] Brennan, Prediger (1981), Coefficient kappa: some uses, misuses, and alternatives, Educational and
       Psychological Measurement 41(3), 687-699.

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
    with_consensus, own = np.full(p, np.nan), np.full(p, np.nan)
    verdict = ["unclear"] * p
    with progress_bar(verbose, None, "agreement", "hierarchies") as tick:
        found = held_out(votes, rng, tick)
        if found is not None:
            with_consensus[place] = np.bincount(votes.voter, found.agrees) / np.bincount(votes.voter)
            for v, k in enumerate(place.tolist()):
                verdict[k], own[k] = _verdict(votes, found.agrees, v, rng, tick)
    total = int(pairs.sum())
    with np.errstate(invalid="ignore"):
        with_others, with_itself = equal / pairs, same / repeats
    return Agreement(
        people=names,
        n_answers=freeze(np.bincount(person, minlength=p)),
        n_unsure=freeze(np.bincount(person[answers.replies == UNSURE], minlength=p)),
        with_others=freeze(with_others),
        n_shared=freeze(pairs),
        with_itself=freeze(with_itself),
        n_repeated=freeze(repeats),
        with_consensus=freeze(with_consensus),
        with_own_hierarchy=freeze(own),
        verdict=tuple(verdict),
        kappa=float((equal.sum() / total - _CHANCE) / (1 - _CHANCE)) if total else float("nan"),
    )


def _pairs_of_answers(answers: AnswerSet, person: np.ndarray, p: int) -> tuple[np.ndarray, ...]:
    """For each person the pairs of answers to one question that are equal, and all: with others, and with itself."""
    equal, pairs, same, repeats = (np.zeros(p, np.int64) for _ in range(4))
    for numbers in _questions(answers).values():
        if len(numbers) < 2:
            continue
        k = np.array(numbers)
        at = answers.replies[k].astype(np.int64)
        said = np.where(at < ALIKE, answers.rows[k, np.minimum(at, 2)], -at)  # the odd one, or the kind
        _, reply = np.unique(said, return_inverse=True)
        who, one = np.unique(person[k], return_inverse=True)
        count = np.zeros((who.size, int(reply.max()) + 1), np.int64)
        np.add.at(count, (one.reshape(-1), reply.reshape(-1)), 1)
        each, of_reply = count.sum(axis=1), count.sum(axis=0)
        equal[who] += (count * (of_reply - count)).sum(axis=1)
        pairs[who] += each * (each.sum() - each)
        same[who] += (count * (count - 1)).sum(axis=1) // 2
        repeats[who] += each * (each - 1) // 2
    return equal, pairs, same, repeats


def _verdict(votes: TrioVotes, agrees: np.ndarray, v: int, rng: np.random.Generator, tick: Any) -> tuple[str, float]:
    """What the answers of a voter look like, and the share that hierarchies of the voter's other answers display."""
    from scipy.stats import binom

    p = len(votes.names)
    level = _LEVEL / p
    mine = votes.voter == v
    n, right = int(mine.sum()), int(agrees[mine].sum())
    average = float(agrees[~mine].mean())
    by_chance = binom.sf(right - 1, n, _CHANCE) >= level
    if binom.cdf(right, n, average) >= level:
        return ("unclear" if by_chance else "agrees"), np.nan
    own = _own_agreement(votes, mine, rng, tick)
    n_own = int(own.sum())
    better, worse = int((own & ~agrees[mine]).sum()), int((~own & agrees[mine]).sum())
    own_by_chance = binom.sf(n_own - 1, n, _CHANCE) >= level
    if not own_by_chance and binom.sf(better - 1, better + worse, 0.5) < level:
        return "other criterion", n_own / n
    if not by_chance:
        return "careless", n_own / n
    return ("random" if own_by_chance else "unclear"), n_own / n


def _own_agreement(votes: TrioVotes, mine: np.ndarray, rng: np.random.Generator, tick: Any) -> np.ndarray:
    """Of each vote of one voter whether a hierarchy of the voter's votes for other triplets displays it."""
    at = np.flatnonzero(mine)
    rows, which = np.unique(votes.row[at], return_inverse=True)
    part = rng.permutation(np.arange(rows.size) % min(rows.size, _OWN_PARTS))[which.reshape(-1)]
    own = np.zeros(at.size, np.bool_)
    for k in range(int(part.max()) + 1):
        weight = np.zeros(len(votes.row))
        weight[at[part != k]] = 1.0
        own[part == k] = votes.agrees(votes.hierarchy(weight, rng))[at[part == k]]
        if tick is not None:
            tick(1)
    return own


# ----------------------------------------------------------------------
# Where.


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
        Of the person's answers about two samples that meet in this clade and one outside of it, how many name another
        odd one, and how many there are.
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
        Such as that of `tripletree.consensus`; it must have all samples that the answers are about.

    Returns
    -------
    list of Disagreement
        Those with the most answers against the clade, less those for it, first.

    Raises
    ------
    TypeError
        If `answers` is not an AnswerSet, or `hierarchy` is not a Hierarchy.
    UnknownLeafError
        If the hierarchy lacks a sample.

    Examples
    --------
    >>> answers = AnswerSet([Answer((0, 1, 2), "odd", 2, "anna"), Answer((0, 1, 2), "odd", 0, "ben")])
    >>> found = find_disagreements(answers, Hierarchy.from_nested([[0, 1], 2]))
    >>> [(x.who, x.clade, x.against, x.total) for x in found]
    [('ben', [0, 1], 1, 1)]
    """
    check_hierarchy(hierarchy)
    told = np.flatnonzero(check_answers(answers).replies < ALIKE)
    if told.size == 0:
        return []
    used = np.unique(answers.rows[told])
    number = np.full(len(answers.leaves), -1, np.int32)
    number[used] = hierarchy.leaves.indices((answers.leaves[i] for i in used.tolist()), what="items of answers")
    rows = freeze(number[answers.rows[told]])
    odd = kernels.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table).astype(np.int64)
    met = np.flatnonzero(odd >= 0)
    x, y = (freeze(rows[met, (odd[met] + k) % 3].copy()) for k in (1, 2))
    node = kernels.rooted_tree.common_ancestors(x, y, *hierarchy.ancestor_table)
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
