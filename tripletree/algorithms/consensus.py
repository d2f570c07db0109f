"""A hierarchy from the answers of many people, each weighed by how far the others bear it out.

Trees are sampled from their posterior given the answers (`likeness`), and the hierarchy is one that agrees with them on
as many trios as can be found: no single tree of the sample is as good a guess. How much a person's answers count is
read off trees made of the answers of others, since a tree that a person's own answers have shaped agrees with them even
if they are random. The chances that the trees of the others predict, raised to the power w, fit a person's answers best
for some w: 0 for somebody who guesses, 1 for somebody like the others. The distribution of w over all people is
estimated with it, so people of whom little is known weigh nearly the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from threading import Event
from typing import Any, Literal

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.induce import count_triplets
from tripletree.algorithms.likeness import AnswerTrees, Trios, sample_trees
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.majority import clade_support
from tripletree.algorithms.merges import merge_condensed
from tripletree.algorithms.repair import WITHOUT_LIMIT, Problem, Search
from tripletree.core.answers import ALIKE, AnswerSet, check_answers
from tripletree.core.arrays import freeze, frozen
from tripletree.core.checks import check_real, counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.progress import Tick, progress_bar, silent, teller
from tripletree.core.random import generator
from tripletree.core.threads import side_by_side
from tripletree.errors import warn_user

#: The people are left out in at most 10 parts in turn. Weights and trees are estimated in 2 rounds.
_PARTS, _ROUNDS = 10, 2
#: Parts if there are more trios than this. Then all chains of the consensus begin at the same tree, too.
_FEW_PARTS, _MANY = 4, 20_000
#: Change of a weight below which the weights have settled. The greatest weight is 1.
_SETTLED = 0.15
#: Chains of the consensus. The share of their steps that the chain of a part takes, and its trees.
_CHAINS, _EFFORT, _FEWER = 4, 0.4, 40
#: Powers of the chances. The prior knowledge is worth the answers of two people: one in ten guesses, and the powers of
#: the others are about 1.
POWERS = np.linspace(0.0, 2.0, 41)
_KNOWN, _GUESSING, _SPREAD, _SWEEPS = 2.0, 0.1, 0.4, 200
#: Up to 60 leaves all trios are looked at, above that 30 random trios for each leaf.
_ALL_TRIOS, _TRIOS_A_LEAF, _MANY_LEAVES = 60, 30, 400
#: Sums of weights that differ by no more than this part are equal.
_TIE = 1e-9
#: By how much the chance of a clade must exceed a third. If answers are tied, the chances of both exchanges must.
_LEAN, _LEAN_OF_TIED = 0.05, 0.1
#: Leaves up to which the levels of all pairs are averaged.
_MOST_LEVELS = 5_000
#: How much the votes weigh beside the chances of the trees if all of them can hold together.
_VOTES_FIRST = 1e4
#: Steps of a search for a better tree: seconds.
_MOST_MOVES = 100_000_000
#: A smaller share of the answers displayed is told.
_LOW = 0.5
#: Trios for each clade, by which it is told whether the trees lean to it.
_PROBES = 20
#: Groups of leaves up to this size are split exactly.
_EXACT = 8


@dataclass(frozen=True, eq=False)
class TrioVotes:
    """The answers that name an odd one, in an order that does not depend on the order of people or answers.

    Attributes
    ----------
    leaves : ndarray of int32, shape (k,)
        The leaves that occur, as positions in the leaf index of the answers.
    rows : ndarray of int32, shape (r, 3)
        The different trios, over 0..k-1, increasing.
    row : ndarray of int64, shape (m,)
        Which of them each vote is about.
    odd : ndarray of int64, shape (m,)
        Which of the three it names.
    voter : ndarray of int64, shape (m,)
        Whose vote it is. Answers without a name count as those of one more person.
    names : tuple of (str or None)
        Names of the voters.
    """

    leaves: np.ndarray
    rows: np.ndarray
    row: np.ndarray
    odd: np.ndarray
    voter: np.ndarray
    names: tuple[str | None, ...]

    def count(self, weight: np.ndarray) -> np.ndarray:
        """Return the weight of the votes for each of each trio (float64, shape (r, 3))."""
        return np.bincount(3 * self.row + self.odd, weight, 3 * len(self.rows)).reshape(-1, 3)

    def trios(self, weight: np.ndarray) -> Trios:
        """Return the trios that a vote of some weight is about."""
        count = self.count(weight)
        told = count.any(axis=1)
        return Trios(frozen(self.rows[told]), count[told], len(self.leaves))

    def trees(
        self,
        weight: np.ndarray,
        rng: np.random.Generator,
        n_chains: int,
        tick: Tick = silent,
        *,
        start: Hierarchy | None = None,
        **options: Any,
    ) -> AnswerTrees:
        """Sample trees from their posterior given weights of the votes, by chains from `start` or searched trees."""
        trios = self.trios(weight)
        starts = [start or _searched(trios, rng) for _ in range(1 if len(trios.rows) > _MANY else n_chains)]
        starts *= n_chains // len(starts)
        return sample_trees(trios, starts, rng, tell=teller(tick), **options)

    def of(self, voter: int) -> TrioVotes:
        """Return the votes of one, with the leaves that they name."""
        mine = self.voter == voter
        used, row = np.unique(self.row[mine], return_inverse=True)
        named, flat = np.unique(self.rows[used], return_inverse=True)
        rows = frozen(flat.reshape(-1, 3))
        who = (self.names[voter],)
        return TrioVotes(self.leaves[named], rows, row.reshape(-1), self.odd[mine], np.zeros(len(row), np.int64), who)


def collect_answers(answers: AnswerSet) -> TrioVotes:
    """Return the answers that name an odd one as votes."""
    told = np.flatnonzero(answers.replies < ALIKE)
    leaves, flat = np.unique(answers.rows[told], return_inverse=True)
    trios = flat.reshape(-1, 3)
    order = np.argsort(trios, axis=1)
    odd = (order == answers.replies[told, None]).argmax(axis=1) if told.size else np.empty(0, np.int64)
    rows, row = np.unique(np.take_along_axis(trios, order, axis=1), axis=0, return_inverse=True)
    row = row.reshape(-1).astype(np.int64)
    person = answers.person[told].astype(np.int64)
    person[person < 0] = len(answers.people)
    voters, voter = np.unique(person, return_inverse=True)
    by_voter = np.lexsort((odd, row, voter))
    parts = np.split(3 * row[by_voter] + odd[by_voter], np.cumsum(np.bincount(voter, minlength=voters.size))[:-1])
    first = sorted(range(voters.size), key=lambda v: (parts[v].size, parts[v].tolist()))  # by their answers
    number = np.empty(voters.size, np.int64)
    number[first] = np.arange(voters.size)
    voter = number[voter.reshape(-1)]
    names = [*answers.people, None]
    every = np.lexsort((voter, odd, row))
    return TrioVotes(
        leaves=leaves.astype(np.int32),
        rows=frozen(rows),
        row=row[every],
        odd=odd[every],
        voter=voter[every],
        names=tuple(names[voters[v]] for v in first),
    )


def _searched(trios: Trios, rng: np.random.Generator) -> Hierarchy:
    """A binary tree that displays much of the weight of the votes: of each trio the likelier one or two triplets."""
    n = trios.n
    above = trios.votes > trios.votes.min(axis=1, keepdims=True)
    near = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])
    row, odd = np.nonzero(above)
    if n < 3 or not row.size:
        return Hierarchy(_balanced(n))
    weight = (trios.votes - trios.votes.min(axis=1, keepdims=True))[row, odd]
    rows = np.take_along_axis(trios.rows[row], near[odd], axis=1)
    problem = Problem(frozen(rows), freeze(weight / weight.max()), n)
    return Search(problem, rng, most_exact=_EXACT, max_steps=WITHOUT_LIMIT, n_runs=1).hierarchy


def _balanced(n: int) -> list[int]:
    """Return the parents of a binary tree over n leaves: while there are more than one, the first two are joined."""
    N = 2 * n - 1
    parent = [-1] * N
    for k in range(n - 1):
        parent[2 * k] = parent[2 * k + 1] = n + k
    return parent


@dataclass(frozen=True, eq=False)
class HeldOut:
    """How far the others bear out each person.

    Attributes
    ----------
    chances : ndarray of float64, shape (m, 3)
        For each vote the chances of the one it names, and of the two others, as trees made without the answers of that
        person predict them.
    fits : ndarray of float64, shape (n_voters, powers)
        The log-likelihood of the answers of each, if the chances are raised to each of `POWERS`.
    share : ndarray of float64, shape (powers,)
        How the powers are distributed over people.
    """

    chances: np.ndarray
    fits: np.ndarray
    share: np.ndarray

    @property
    def posterior(self) -> np.ndarray:
        """The probability of each power for each person (float64, shape (n_voters, powers))."""
        each = np.exp(self.fits - self.fits.max(axis=1, keepdims=True)) * self.share
        return each / each.sum(axis=1, keepdims=True)

    @property
    def weight(self) -> np.ndarray:
        """The weight of an answer of each person: the mean power, as a share of the largest one.

        All weigh the same if powers of their own do not make the answers likelier than one power for all: few answers
        tell nothing about people.
        """
        most = self.fits.max(axis=1)
        own = np.log(np.exp(self.fits - most[:, None]) @ self.share) + most
        if own.sum() <= self.fits.sum(axis=0).max():
            return np.ones(len(self.fits))
        mean = self.posterior @ POWERS
        return mean / mean.max()


def held_out(
    votes: TrioVotes, rng: np.random.Generator, tick: Tick = silent, *, n_rounds: int = _ROUNDS
) -> HeldOut | None:
    """Estimate the weights of people's answers by trees of the answers of others. Returns None for one person alone."""
    p, m = len(votes.names), len(votes.row)
    if p < 2:
        return None
    part = rng.permutation(np.arange(p) % min(p, _PARTS if len(votes.rows) <= _MANY else _FEW_PARTS))
    seeds = rng.integers(2**63, size=part.max() + 1).tolist()
    weight = np.ones(p)
    chances = np.empty((m, 3))

    last: list[Hierarchy | None] = [None] * len(seeds)  # the tree of each part at which its next chain begins

    def run(k: int, stop: Event) -> tuple[np.ndarray, Hierarchy | None]:
        if stop.is_set():
            return np.empty((0, 3)), None
        out = part[votes.voter] == k
        others, own = np.where(out, 0.0, weight[votes.voter]), np.random.default_rng(seeds[k])
        sample = votes.trees(others, own, 1, start=last[k], effort=_EFFORT, n_trees=_FEWER)
        rows, inverse = np.unique(votes.row[out], return_inverse=True)
        return sample.chances(votes.rows[rows])[inverse.reshape(-1)], Hierarchy(sample.parents[-1].copy())

    for _ in range(n_rounds):
        for k, (found, last[k]) in enumerate(side_by_side(run, len(seeds), silent)):
            out = part[votes.voter] == k
            odd = votes.odd[out]
            chances[out] = np.take_along_axis(found, np.stack([odd, (odd + 1) % 3, (odd + 2) % 3], axis=1), axis=1)
            tick(1)
        fits = _fits(chances, votes.voter, p)
        result = HeldOut(chances, fits, _shares(fits))
        before, weight = weight, result.weight
        if np.abs(weight - before).max() <= _SETTLED:
            break
    return result


def _fits(chances: np.ndarray, voter: np.ndarray, p: int) -> np.ndarray:
    """Log-likelihood of the answers of each person if the chances are raised to each power (float64, (p, powers))."""
    log = np.log(chances)
    fit = np.empty((p, POWERS.size))
    for k, power in enumerate(POWERS):
        raised = power * log
        fit[:, k] = np.bincount(voter, raised[:, 0] - np.logaddexp.reduce(raised, axis=1), p)
    return fit


def _shares(fits: np.ndarray) -> np.ndarray:
    """How powers are distributed over people: the likeliest shares, by expectation and maximization."""
    likelihood = np.exp(fits - fits.max(axis=1, keepdims=True))
    known = np.exp(-0.5 * ((POWERS - 1.0) / _SPREAD) ** 2)
    known *= (1 - _GUESSING) / known.sum()
    known[0] += _GUESSING
    share = known
    for _ in range(_SWEEPS):
        each = likelihood * share
        each /= each.sum(axis=1, keepdims=True)
        share = (each.sum(axis=0) + _KNOWN * known) / (len(fits) + _KNOWN)
    return share


@dataclass(frozen=True, eq=False)
class AnswerConsensus:
    """The hierarchy of what people said: the result of `aggregate_answers`.

    Attributes
    ----------
    hierarchy : Hierarchy
        Over the leaves of the answers. Clades to which neither answers nor sampled trees lean are contracted.
    support : ndarray of float64, shape (inner nodes,)
        The posterior probability of each clade: the share of the sampled trees that have it. Entry ``u - n_leaves`` is
        node u, NaN for the root.
    agreeing : ndarray of float64, shape (inner nodes,)
        The share of the weight that agrees, among the answers that the clade alone decides (two samples below different
        children of its node, the third below its parent only). NaN if it decides no answer.
    people : tuple of (str or None)
        The people who named an odd one. None stands for all answers without a name together.
    weights : ndarray of float64, shape (n_people,)
        The weight of an answer of each person. Estimated ones are at most 1.
    displayed : float
        The share that the hierarchy displays, of the weight of all answers that name an odd one.
    unresolved : float
        The share of all trios of leaves that answers name for which the hierarchy shows no odd one, since clades are
        contracted.

    Examples
    --------
    >>> from tripletree.core import Answer, AnswerSet
    >>> trios = [("cat", "dog", "eel"), ("cat", "lion", "dog"), ("cat", "lion", "eel"), ("lion", "dog", "eel")]
    >>> said = [Answer(x, "odd", x[2], who) for x in trios for who in ("anna", "ben", "cleo")]
    >>> found = aggregate_answers(AnswerSet(said))
    >>> found
    <AnswerConsensus: 4 leaves, 2 clades, 3 people, 100.0% of their answers displayed>
    >>> bool((found.support[:-1] > 0.8).all())
    True
    """

    hierarchy: Hierarchy
    support: np.ndarray
    agreeing: np.ndarray
    people: tuple[str | None, ...]
    weights: np.ndarray
    displayed: float
    unresolved: float

    def __repr__(self) -> str:
        h, p = self.hierarchy, len(self.people)
        clades = h.n_nodes - h.n_leaves - 1
        what = f"{counted(h.n_leaves, 'leaf', 'leaves')}, {counted(clades, 'clade')}, {counted(p, 'person', 'people')}"
        return f"<AnswerConsensus: {what}, {self.displayed:.1%} of their answers displayed>"

    def named(self) -> Hierarchy:
        """Return the hierarchy with the support of each clade, in percent, as its name: for Newick and pictures."""
        names = [None if np.isnan(x) else f"{100 * x:.0f}" for x in self.support.tolist()]
        return Hierarchy(self.hierarchy.parent, self.hierarchy.leaves, names=names)


def aggregate_answers(
    answers: AnswerSet,
    *,
    weights: Literal["estimate"] | Mapping[Any, float] | None = "estimate",
    min_support: float | None = None,
    random_state: Any = None,
    verbose: bool | int = False,
) -> AnswerConsensus:
    """Find the hierarchy that the answers of people bear out, their consensus, and how sure it is.

    Each person has a weight: how far trees made of the answers of others predict this person's. Somebody who answers
    at random gets a weight near 0. If all answers can hold together, the hierarchy displays all of them.

    Parameters
    ----------
    answers : AnswerSet
        Answers that name an odd one count. Repeated answers count each time.
    weights : "estimate", mapping or None
        A mapping gives the weight of an answer of each person, at least 0 (1 for people not in it). None: all weigh 1.
    min_support : float or None
        None: a clade is contracted only if the answers that it alone decides do not lean to it (against both other ways
        to join its parts and its sibling), and the sampled trees hardly do. A number: clades in no more than this share
        of the sampled trees are contracted. With 0.0 the hierarchy is binary.
    random_state : None, int, Generator or RandomState
        For the sampled trees. None is a fixed seed: equal answers give equal results.
    verbose : bool or int
        Show a progress bar.

    Returns
    -------
    AnswerConsensus
        ``.hierarchy``, ``.support``, ``.weights``, ...

    Warns
    -----
    UserWarning
        If contraction leaves more than half of all trios without an odd one, or if less than half of the answers are
        displayed.

    See Also
    --------
    tripletree.agreement : who agrees with whom.
    tripletree.repair : the consistent part of a set of triplets.
    tripletree.supertree : the same question for hierarchies.

    Notes
    -----
    A tree has heights. If a and b meet at height g below the node where c joins them, people name c with the chance 1 /
    (1 + 2 exp(-g)). So answers about things that are about equally alike count for less. Now and then people name any
    of the three. A hundred trees are drawn from the posterior by four Markov chains [1]_ (``_core/answer_walk.hpp``).
    The hierarchy has the average levels of these trees (average linkage), or the average levels under the answers that
    a hierarchy can display together, whichever has more of the drawn trees' triplets after subtrees have been moved.
    Half of this counts over the trios that people were asked about, half over random ones.

    The weight of a person is a power to which the chances that others predict are raised, as the reliability of a
    person in the model of Dawid and Skene [2]_, with a hierarchy instead of independent truths. So answers to
    different questions bear each other out. Chances come from trees made without this person (with more than ten
    people, without a tenth of them). Powers are shrunk towards the powers of all people: if the answers of others
    predict hardly more than chance, all weigh about the same. So they do if powers of their own fit no better than one
    for all.

    Time: some seconds, more than half of them for the weights. Answers to 30,000 different trios take ten or more.

    References
    ----------
    .. [1] Hastings (1970), Monte Carlo sampling methods using Markov chains and their applications, Biometrika 57(1),
       97-109.
    .. [2] Dawid, Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm, Applied
       Statistics 28(1), 20-28.

    Examples
    --------
    >>> from tripletree import write_newick
    >>> from tripletree.core import Answer, AnswerSet
    >>> trios = [("cat", "dog", "eel"), ("cat", "lion", "dog"), ("cat", "lion", "eel"), ("lion", "dog", "eel")]
    >>> said = [Answer(x, "odd", x[2], who) for x in trios for who in ("anna", "ben", "cleo")]
    >>> said += [Answer(x, "odd", x[0], "dan") for x in trios]
    >>> found = aggregate_answers(AnswerSet(said))
    >>> write_newick(found.hierarchy)
    '(((cat,lion),dog),eel);'
    >>> weight = dict(zip(found.people, found.weights, strict=True))
    >>> bool(weight["anna"] > 5 * weight["dan"])
    True
    """
    votes = collect_answers(check_answers(answers))
    least = None if min_support is None else check_real(min_support, "min_support", most=1.0)
    if len(votes.row) == 0:
        msg = f"{counted(len(answers), 'answer')}, and none names an odd one, so there is no hierarchy to find"
        raise ValueError(msg)
    rng = generator(0 if random_state is None else random_state)
    with progress_bar(verbose, None, "consensus", "chains") as tick:
        weight = np.ones(len(votes.names))
        if isinstance(weights, Mapping):
            weight = _given_weights(weights, votes)
        elif weights == "estimate":
            found = held_out(votes, rng, tick)
            weight = weight if found is None else found.weight
        elif weights is not None:
            msg = f"weights must be 'estimate', a mapping from people to weights, or None, not {weights!r:.60}"
            raise ValueError(msg)
        count = votes.count(weight[votes.voter])
        sample = votes.trees(weight[votes.voter], rng, _CHAINS, tick)
    best = _best_tree(votes, votes.trios(weight[votes.voter]), sample, rng)
    support = np.append(clade_support(best, sample.hierarchies())[:-1], np.nan)
    if least is None:
        kept = _leant_to(votes, sample, best, count, rng)
    else:
        kept = np.append(np.ones(best.n_leaves, np.bool_), support > least if least > 0 else support >= 0)
    kept[: best.n_leaves] = kept[-1] = True
    made = _made(answers, votes, best, kept, count, support, weight)
    if made.unresolved > 0.5:
        why = "answers lean to no others" if least is None else "min_support=None keeps all that answers lean to"
        warn_user(f"the hierarchy shows no odd one for {made.unresolved:.0%} of all trios, for want of clades: {why}")
    elif made.displayed < _LOW:
        warn_user(
            f"the hierarchy displays {made.displayed:.0%} of the answers, and 33% are displayed by chance: people "
            "disagree, or likeness among these things is no hierarchy (agreement(answers) tells who agrees with whom)"
        )
    return made


def _given_weights(weights: Mapping[Any, float], votes: TrioVotes) -> np.ndarray:
    unknown = sorted(map(str, set(weights) - set(votes.names)))
    if unknown:
        warn_user(f"weights are given for people who named no odd one: {', '.join(unknown[:5])}")
    given = np.array([weights.get(name, 1.0) for name in votes.names], np.float64)
    if not np.isfinite(given).all() or (given < 0).any() or not given[votes.voter].any():
        msg = "weights must be finite numbers of at least 0, and not 0 for all people"
        raise ValueError(msg)
    return given


# ----------------------------------------------------------------------
# One tree for many.


def _best_tree(votes: TrioVotes, trios: Trios, sample: AnswerTrees, rng: np.random.Generator) -> Hierarchy:
    """A binary tree that displays as many triplets of the sampled trees as can be found, and all votes if one can.

    Half of this counts over the votes, half over all trios. Two trees are improved: the mean of the sample, and the
    mean that displays much of the votes. With few answers about many leaves, the sample is too small for the former.
    """
    n = len(votes.leaves)
    if n < 3:
        return Hierarchy(sample.parents[0].copy())
    from scipy.cluster.hierarchy import linkage

    searched = _searched(trios, rng)
    every = np.arange(len(trios.rows))
    together = bool((trios.votes[every, _odd(searched, trios.rows)] == trios.votes.sum(axis=1)).all())
    rows, gain = trios.rows, sample.chances(trios.rows)
    gain *= trios.votes.sum(axis=1, keepdims=True)
    if together:
        gain += _VOTES_FIRST * trios.votes
    others = _many_trios(rows, n, rng)
    chances = sample.chances(others)
    rows = np.concatenate([rows, others])
    gain = np.concatenate([gain / trios.votes.sum(), chances / len(others)])
    if n <= _MOST_LEVELS:
        # the average of the levels, free and so that the votes hold that the searched tree and the sample agree on
        odd = _odd(searched, trios.rows)
        held = (trios.votes[every, odd] > 0) & (together | (odd == gain[every].argmax(axis=1)))
        levels = sample.mean_levels()
        order = (odd[held, None] + [1, 2, 0]) % 3
        tied, _ = merge_condensed(
            levels.copy(), n, freeze(np.take_along_axis(trios.rows[held], order, axis=1)), "average"
        )
        starts = [from_linkage(tied)] if together else [from_linkage(linkage(levels, "average")), from_linkage(tied)]
    else:
        starts = [*sample.hierarchies()]
        starts = [searched, max(starts, key=lambda h: gain[np.arange(len(rows)), _odd(h, rows)].sum())]
    near = ([1, 2, 0], [0, 2, 1], [0, 1, 2])
    problem = Problem(frozen(np.concatenate([rows[:, x] for x in near])), freeze(gain.T.ravel().copy()), n)
    found = [Search(problem, rng, most_exact=_EXACT, max_steps=_MOST_MOVES, start=x).hierarchy for x in starts]
    return max(found, key=lambda h: gain[np.arange(len(rows)), _odd(h, rows)].sum())


def _many_trios(asked: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return all trios of a few leaves. For many leaves, the trios asked about and random ones (int32, increasing)."""
    if n <= _ALL_TRIOS:
        return np.array(list(combinations(range(n), 3)), np.int32)
    drawn = rng.integers(0, n, (_TRIOS_A_LEAF * min(n, _MANY_LEAVES), 3))
    drawn.sort(axis=1)
    drawn = drawn[(drawn[:, 0] < drawn[:, 1]) & (drawn[:, 1] < drawn[:, 2])]
    return np.unique(np.concatenate([asked, drawn]), axis=0).astype(np.int32)


def _odd(hierarchy: Hierarchy, rows: np.ndarray) -> np.ndarray:
    """Return the place of the odd one of each trio, -1 where a hierarchy over 0..k-1 leaves the trio open."""
    return engine.rooted_tree.induced_odd(frozen(rows), *hierarchy.ancestor_table).astype(np.int64)


# ----------------------------------------------------------------------
# How well the clades are borne out.


@dataclass(frozen=True, eq=False)
class _Decisions:
    """The trios that a hierarchy over 0..k-1 decides by one node alone.

    Attributes
    ----------
    trio : ndarray of int64, shape (d,)
        Which of the rows.
    node : ndarray of int32, shape (d,)
        The node at which the two that are displayed together meet.
    odd : ndarray of int64, shape (d,)
        The place of the one that is displayed as the odd one.
    """

    trio: np.ndarray
    node: np.ndarray
    odd: np.ndarray


def _decisions(rows: np.ndarray, hierarchy: Hierarchy) -> _Decisions:
    odd = _odd(hierarchy, rows)
    met = np.flatnonzero(odd >= 0)
    rows, odd = rows[met], odd[met]
    every = np.arange(met.size)
    x, y, z = (freeze(rows[every, (odd + k) % 3].copy()) for k in (1, 2, 0))
    node = engine.rooted_tree.common_ancestors(x, y, *hierarchy.ancestor_table)
    top = engine.rooted_tree.common_ancestors(x, z, *hierarchy.ancestor_table)
    alone = hierarchy.parent[node] == top
    return _Decisions(met[alone], node[alone], odd[alone])


def _decided(votes: TrioVotes, hierarchy: Hierarchy, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each node of a hierarchy over 0..k-1 the weight of the votes that it alone decides: agreeing, and all."""
    found, size = _decisions(votes.rows, hierarchy), hierarchy.n_nodes
    agree = np.bincount(found.node, count[found.trio, found.odd], size)
    return agree, np.bincount(found.node, count[found.trio].sum(axis=1), size)


def _leant_to(
    votes: TrioVotes, sample: AnswerTrees, best: Hierarchy, count: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Which nodes of a binary hierarchy answers or trees prefer to the exchanges of a child for the sibling (bool)."""
    said, chance = _sides_of_votes(votes, best, count), _sides_of_trees(sample, best, rng)
    most = said[:, 1:].max(axis=1)
    tied = (most > 0) & (np.abs(said[:, 0] - most) <= most * _TIE)
    lean = np.where(tied, chance[:, 0] - chance[:, 1:].max(axis=1) > _LEAN_OF_TIED, chance[:, 0] > 1 / 3 + _LEAN)
    kept = (said[:, 0] > most * (1 + _TIE)) | lean
    return kept | _holding(votes, best, count, kept)


def _holding(votes: TrioVotes, best: Hierarchy, count: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Which nodes must stay since more votes agree than not, of those about two that meet there and would not any more.

    A triplet ab|c is displayed as long as any node stays from where a and b meet to below where c joins them.
    """
    odd = _odd(best, votes.rows)
    met = np.flatnonzero(odd >= 0)
    every = np.arange(met.size)
    x, y, z = (freeze(votes.rows[met][every, (odd[met] + k) % 3].copy()) for k in (1, 2, 0))
    node = engine.rooted_tree.common_ancestors(x, y, *best.ancestor_table)
    top = engine.rooted_tree.common_ancestors(x, z, *best.ancestor_table)
    stays = np.arange(best.n_nodes)  # the node that takes over from each: itself, or the next above that stays
    for u in range(best.n_nodes - 2, -1, -1):
        if not kept[u]:
            stays[u] = stays[best.parent[u]]
    lost = stays[node] >= top
    node, met = node[lost], met[lost]
    agree = np.bincount(node, count[met, odd[met]], best.n_nodes)
    most = np.bincount(node, count[met].sum(axis=1), best.n_nodes) - agree
    return agree > most * (1 + _TIE)


def _sides_of_votes(votes: TrioVotes, best: Hierarchy, count: np.ndarray) -> np.ndarray:
    """The weight of the votes that each node alone decides: for the clade, and for two exchanges (shape (nodes, 3))."""
    found, size = _decisions(votes.rows, best), best.n_nodes
    start, stop, order = best.leaf_intervals
    child = np.flatnonzero(start[:-1] == start[best.parent[:-1]])  # the first of two
    middle = np.zeros(size, np.int64)
    middle[best.parent[child]] = stop[child]
    place = np.empty(best.n_leaves, np.int64)
    place[order] = np.arange(best.n_leaves)
    side = np.zeros((size, 3))
    for k in range(3):
        named = (found.odd + k) % 3
        second = place[votes.rows[found.trio, named]] >= middle[found.node]  # a leaf of the second child is named
        column = np.where(second, 2, 1) if k else np.zeros(named.size, np.int64)
        side += np.bincount(3 * found.node + column, count[found.trio, named], 3 * size).reshape(size, 3)
    return side


def _sides_of_trees(sample: AnswerTrees, best: Hierarchy, rng: np.random.Generator) -> np.ndarray:
    """Return the mean chances of random trios that each node alone decides: for the clade, and for two exchanges."""
    n, size = best.n_leaves, best.n_nodes
    start, stop, order = best.leaf_intervals
    two = engine.rooted_tree.child_lists(best.parent)[1].reshape(-1, 2)
    node = np.repeat(np.arange(n, size - 1), _PROBES)
    beside = two[best.parent[node] - n].sum(axis=1) - node
    drawn = [
        start[x] + (rng.random(x.size) * (stop[x] - start[x])).astype(np.int64) for x in (beside, *two[node - n].T)
    ]
    chances = sample.chances(order[np.stack(drawn, axis=1)])
    return np.stack([np.bincount(node, chances[:, k], size) / _PROBES for k in range(3)], axis=1)


def _contracted(hierarchy: Hierarchy, kept: np.ndarray) -> tuple[Hierarchy, np.ndarray]:
    """The hierarchy without some inner nodes, and the new number of each node, -1 for dropped ones. The order stays."""
    N = hierarchy.n_nodes
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    above = hierarchy.parent.copy()
    for u in range(N - 2, -1, -1):  # parents have greater numbers, so that the one of each is final before
        if not kept[above[u]]:
            above[u] = above[above[u]]
    parent = np.where(above[kept] < 0, -1, number[above[kept]])
    return Hierarchy(parent, hierarchy.leaves), number


def _made(
    answers: AnswerSet,
    votes: TrioVotes,
    best: Hierarchy,
    kept: np.ndarray,
    count: np.ndarray,
    support: np.ndarray,
    weight: np.ndarray,
) -> AnswerConsensus:
    """Return the result over all leaves of the answers. Leaves that no answer names hang from the root."""
    k, n = best.n_leaves, len(answers.leaves)
    tree, _ = _contracted(best, kept)
    agree, total = _decided(votes, tree, count)
    with np.errstate(invalid="ignore"):
        agreeing = np.where(total > 0, agree / np.where(total > 0, total, 1.0), np.nan)[k:]
    number = np.append(np.asarray(votes.leaves, np.int64), np.arange(n, n + tree.n_nodes - k))
    parent = np.full(n + tree.n_nodes - k, n + tree.n_nodes - k - 1, np.int64)
    parent[number] = np.where(tree.parent < 0, -1, number[tree.parent])
    agreeing[-1] = np.nan
    odd = _odd(tree, votes.rows)
    shown = np.where(odd >= 0, count[np.arange(len(odd)), odd], 0.0).sum()
    by_name = dict(zip(votes.names, weight.tolist(), strict=True))
    people = tuple(name for name in (*answers.people, None) if name in by_name)
    trios = k * (k - 1) * (k - 2) // 6
    return AnswerConsensus(
        hierarchy=Hierarchy(parent, answers.leaves),
        support=freeze(support[kept[k:]]),
        agreeing=freeze(agreeing),
        people=people,
        weights=freeze(np.array([by_name[name] for name in people])),
        displayed=float(shown / count.sum(axis=1).sum()),
        unresolved=1 - count_triplets(tree) / trios,
    )
