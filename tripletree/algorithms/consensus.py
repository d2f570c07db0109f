"""A hierarchy from the answers of many people, each weighed by how far the others bear it out.

The model is that of Dawid and Skene for one question with three answers, with a hierarchy in the place of independent
truths: person p names the odd one that the hierarchy displays with probability a_p, each of the other two with half of
the rest. Of all hierarchies the likeliest then displays the greatest weight of answers, an answer of p weighing
log(2 a_p / (1 - a_p)): the problem of `repair`. How accurate a person is, is read off a hierarchy made of the answers
of others, since one that a person's own answers have shaped agrees with them even where they are random. The two
are estimated in turns. People differ by as much as is seen beyond chance: of few answers, they weigh nearly the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tripletree import kernels
from tripletree.algorithms.induce import count_triplets
from tripletree.algorithms.repair import WITHOUT_LIMIT, Problem, Search
from tripletree.core.answers import ALIKE, AnswerSet, check_answers
from tripletree.core.checks import check_count, check_real, counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.errors import warn_user
from tripletree.kernels import freeze, frozen

#: At most so many parts of the people are left out in turn, and so many rounds of weights and hierarchies.
_PARTS, _ROUNDS = 10, 8
#: How many answers of the average person count as known of each person before there are any, at the least.
_PRIOR = 2.0
#: No person is taken for more accurate than this.
_MOST_ACCURATE = 0.98
#: Change of all weights, as a share of the largest, below which they have settled.
_SETTLED = 0.05
#: Sums of weights that differ by no more than this part are equal.
_TIE = 1e-9
#: Groups of leaves up to this size are split exactly, in trials and in the result.
_EXACT = 8

#: A call-back for progress: how many more hierarchies have been made.
Tick = Callable[[int], object]


@dataclass(frozen=True, eq=False)
class TrioVotes:
    """The answers that name an odd one, as votes for triplets.

    Attributes
    ----------
    leaves : ndarray of int32, shape (k,)
        The leaves that occur, as positions in the leaf index of the answers.
    rows : ndarray of int32, shape (r, 3)
        The different triplets ab|c, over 0..k-1, a < b.
    row : ndarray of int64, shape (m,)
        Which of them each vote is for.
    voter : ndarray of int64, shape (m,)
        Whose vote it is; answers without a name count as those of one more person.
    answer : ndarray of int64, shape (m,)
        Which answer it is.
    names : tuple of (str or None)
        Of the voters.
    """

    leaves: np.ndarray
    rows: np.ndarray
    row: np.ndarray
    voter: np.ndarray
    answer: np.ndarray
    names: tuple[str | None, ...]

    def hierarchy(self, weight: np.ndarray, rng: np.random.Generator, n_runs: int = 1) -> Hierarchy:
        """A binary hierarchy over 0..k-1 that displays much of the weight of the votes."""
        total = np.bincount(self.row, weight, len(self.rows))
        some = total > 0
        if not some.any():
            return Hierarchy.from_nested(list(range(len(self.leaves)))) if len(self.leaves) > 1 else Hierarchy([-1])
        problem = Problem(frozen(self.rows[some]), freeze(total[some] / total.max()), len(self.leaves))
        return Search(problem, rng, most_exact=_EXACT, max_steps=WITHOUT_LIMIT, n_runs=n_runs).hierarchy

    def agrees(self, hierarchy: Hierarchy) -> np.ndarray:
        """Whether a hierarchy over 0..k-1 displays the triplet of each vote (bool, shape (m,))."""
        return (kernels.rooted_tree.induced_odd(self.rows, *hierarchy.ancestor_table) == 2)[self.row]


def collect_answers(answers: AnswerSet) -> TrioVotes:
    """The answers that name an odd one as votes."""
    told = np.flatnonzero(answers.replies < ALIKE)
    rows, at = answers.rows[told], answers.replies[told].astype(np.int64)
    every = np.arange(told.size)
    near = np.stack([rows[every, (at + 1) % 3], rows[every, (at + 2) % 3]], axis=1)
    near.sort(axis=1)
    triplets = np.column_stack([near, rows[every, at]])
    leaves, flat = np.unique(triplets, return_inverse=True)
    different, row = np.unique(flat.reshape(-1, 3), axis=0, return_inverse=True)
    person = answers.person[told].astype(np.int64)
    nobody = bool((person < 0).any())
    person[person < 0] = len(answers.people)
    voters, voter = np.unique(person, return_inverse=True)
    all_names = [*answers.people, *([None] if nobody else [])]
    names = tuple(all_names[k] for k in voters.tolist())
    return TrioVotes(leaves.astype(np.int32), frozen(different), row.reshape(-1), voter.reshape(-1), told, names)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """How far the others bear out each person.

    Attributes
    ----------
    agrees : ndarray of bool, shape (m,)
        Of each vote, whether the hierarchy made without the answers of that person displays it.
    accuracy, weight : ndarray of float64, shape (n_voters,)
        The estimated share of right answers of each, and what an answer weighs.
    """

    agrees: np.ndarray
    accuracy: np.ndarray
    weight: np.ndarray


def held_out(votes: TrioVotes, rng: np.random.Generator, tick: Tick | None = None) -> HeldOut | None:
    """Estimate the accuracy of each person by hierarchies made of the answers of others; None of one person alone."""
    p = len(votes.names)
    if p < 2:
        return None
    part = rng.permutation(np.arange(p) % min(p, _PARTS))
    seeds = rng.integers(0, 2**31, part.max() + 1).tolist()  # equal ones in all rounds: only the weights change
    n_votes = np.bincount(votes.voter, minlength=p)
    weight = np.ones(p)
    agrees = np.zeros(len(votes.row), np.bool_)
    accuracy = np.full(p, np.nan)
    for _ in range(_ROUNDS):
        for k, seed in enumerate(seeds):
            out = part[votes.voter] == k
            hierarchy = votes.hierarchy(np.where(out, 0.0, weight[votes.voter]), np.random.default_rng(seed))
            agrees[out] = votes.agrees(hierarchy)[out]
            if tick is not None:
                tick(1)
        accuracy = _shrunk(np.bincount(votes.voter, agrees, p), n_votes)
        before, weight = weight, _weights_of(accuracy)
        if np.abs(weight - before).max() <= _SETTLED * weight.max():
            break
    return HeldOut(agrees, accuracy, weight)


def _shrunk(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Shares of right answers of each, moved towards the average as far as chance explains how they differ.

    The shares vary by their own variance and by chance, as in the beta-binomial distribution; the former is what the
    sum of squares shows beyond the latter.
    """
    total, mean = n.sum(), right.sum() / n.sum()
    chance = mean * (1 - mean)
    if chance == 0:
        return np.full(n.size, mean)
    beyond = float((n * (right / n - mean) ** 2).sum()) - (n.size - 1) * chance
    own = beyond / (total - (n**2).sum() / total)
    if own <= 0:
        return np.full(n.size, mean)
    prior = max(chance / own - 1, _PRIOR)
    return (right + prior * mean) / (n + prior)


def _weights_of(accuracy: np.ndarray) -> np.ndarray:
    """What an answer weighs: the logarithm of how much likelier right it is than either wrong one, at least 0."""
    a = np.minimum(accuracy, _MOST_ACCURATE)
    weight = np.log(np.maximum(2 * a, 1e-300) / (1 - a)).clip(0.0)
    return weight if weight.any() else np.ones(a.size)  # nobody is borne out: then no one is better than another


@dataclass(frozen=True, eq=False)
class AnswerConsensus:
    """The hierarchy of what people said: the result of `consensus`.

    Attributes
    ----------
    hierarchy : Hierarchy
        Over the leaves of the answers. Clades that the answers do not bear out are contracted.
    support : ndarray of float64, shape (inner nodes,), or None
        The share of bootstrap samples of the answers whose hierarchy has the clade; entry ``u - n_leaves`` is that of
        node u, NaN that of the root. None without bootstraps.
    people_support : ndarray of float64, shape (inner nodes,), or None
        The same for samples of the people, each with all answers. None of fewer than three.
    agreeing : ndarray of float64, shape (inner nodes,)
        Of the weight of the answers that the clade alone decides (two samples below different children of its node, the
        third below its parent only), the share that agrees; NaN where there are none.
    people : tuple of (str or None)
        Those who named an odd one; None stands for all answers without a name together.
    accuracy : ndarray of float64, shape (n_people,)
        The estimated share of right answers of each person; NaN where there is one person only.
    weights : ndarray of float64, shape (n_people,)
        What an answer of each weighs.
    displayed : float
        Of the weight of all answers that name an odd one, the share that the hierarchy displays.
    unresolved : float
        Of all trios of leaves that answers name, the share for which the hierarchy shows no odd one, since clades are
        contracted.
    n_bootstraps : int

    Examples
    --------
    >>> from tripletree.core import Answer, AnswerSet
    >>> trios = [("cat", "dog", "eel"), ("cat", "lion", "dog"), ("cat", "lion", "eel"), ("lion", "dog", "eel")]
    >>> said = [Answer(x, "odd", x[2], who) for x in trios for who in ("anna", "ben", "cleo")]
    >>> found = consensus(AnswerSet(said), n_bootstraps=20, random_state=0)
    >>> found
    <AnswerConsensus: 4 leaves, 2 clades, 3 people, 100.0% of their answers displayed>
    >>> found.support
    array([0.9, 1. , nan])
    """

    hierarchy: Hierarchy
    support: np.ndarray | None
    people_support: np.ndarray | None
    agreeing: np.ndarray
    people: tuple[str | None, ...]
    accuracy: np.ndarray
    weights: np.ndarray
    displayed: float
    unresolved: float
    n_bootstraps: int

    def __repr__(self) -> str:
        h, p = self.hierarchy, len(self.people)
        clades = h.n_nodes - h.n_leaves - 1
        what = f"{counted(h.n_leaves, 'leaf', 'leaves')}, {counted(clades, 'clade')}, {counted(p, 'person', 'people')}"
        return f"<AnswerConsensus: {what}, {self.displayed:.1%} of their answers displayed>"

    def named(self) -> Hierarchy:
        """Return the hierarchy with the support of each clade, in percent, as its name: for Newick, pages and pictures.

        Where people were drawn, too: "98/87", the samples of answers first.
        """
        if self.support is None:
            return self.hierarchy
        columns = [x for x in (self.support, self.people_support) if x is not None]
        names = [
            None if np.isnan(values[0]) else "/".join(f"{100 * x:.0f}" for x in values)
            for values in zip(*(x.tolist() for x in columns), strict=True)
        ]
        return Hierarchy(self.hierarchy.parent, self.hierarchy.leaves, names=names)


def consensus(
    answers: AnswerSet,
    *,
    weights: Literal["estimate"] | Mapping[Any, float] | None = "estimate",
    n_bootstraps: int = 100,
    min_support: float | None = None,
    random_state: Any = None,
    verbose: bool | int = False,
) -> AnswerConsensus:
    """Find the hierarchy that the answers of people bear out, and how well.

    Each person has a weight, estimated together with the hierarchy by how far hierarchies made of the answers of others
    display what this person said. Somebody who answers at random gets a weight near 0.

    Parameters
    ----------
    answers : AnswerSet
        Those that name an odd one count. Repeated answers count each time.
    weights : "estimate", mapping or None
        A mapping gives the weight of an answer of each person, at least 0 (those not in it: 1); with None all weigh 1.
    n_bootstraps : int
        How many samples of the answers, with replacement, to make a hierarchy of, and as many samples of the people.
    min_support : float or None
        None: clades are contracted only where the answers do not lean to them, that is, where of the answers that the
        clade alone decides no more agree than bear out one of the two other ways to join its parts and its sibling.
        A number: clades in no more than this share of the samples of answers are contracted, and without bootstraps
        clades with no more than this share of the weight of the answers that they alone decide, the weakest first.
        With 0.0 the hierarchy is binary.
    random_state : None, int, Generator or RandomState
        For the samples and the search. None is a fixed seed: equal answers give equal results.
    verbose : bool or int
        Show a progress bar.

    Returns
    -------
    AnswerConsensus
        ``.hierarchy``, ``.support``, ``.people_support``, ``.accuracy``, ``.weights``, ...

    Raises
    ------
    TypeError
        If `answers` is not an AnswerSet.
    ValueError
        If none of the answers names an odd one, a weight is negative or not finite, no answer has a positive weight, or
        `min_support` is not in 0..1.

    Warns
    -----
    UserWarning
        If contraction leaves more than half of all trios without an odd one.

    See Also
    --------
    tripletree.agreement : who agrees with whom.
    tripletree.repair : the consistent part of a set of triplets.
    tripletree.supertree : the same question for hierarchies.

    Notes
    -----
    The model of Dawid and Skene [1]_ with one accuracy for each person and a hierarchy in the place of independent
    truths, so that answers to different questions bear each other out. The accuracy of a person comes from hierarchies
    made without this person (of more than ten people, without a tenth of them), shrunk towards the average as far as
    chance explains how people differ: where the answers of others foretell hardly more than chance, all weigh about
    the same. The search is that of `repair`. Samples of answers and of people are drawn with the weights that all
    answers give. Support is that of Felsenstein [2]_.

    Time: some ten to thirty hierarchies for the weights, and one for each sample; each takes tens of milliseconds for
    40 samples and 2,000 answers.

    References
    ----------
    .. [1] Dawid, Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm, Applied
       Statistics 28(1), 20-28.
    .. [2] Felsenstein (1985), Confidence limits on phylogenies: an approach using the bootstrap, Evolution 39(4),
       783-791.

    Examples
    --------
    >>> from tripletree import write_newick
    >>> from tripletree.core import Answer, AnswerSet
    >>> trios = [("cat", "dog", "eel"), ("cat", "lion", "dog"), ("cat", "lion", "eel"), ("lion", "dog", "eel")]
    >>> said = [Answer(x, "odd", x[2], who) for x in trios for who in ("anna", "ben", "cleo")]
    >>> said += [Answer(x, "odd", x[0], "dan") for x in trios]
    >>> found = consensus(AnswerSet(said), n_bootstraps=20, random_state=0)
    >>> write_newick(found.hierarchy)
    '(((cat,lion),dog),eel);'
    >>> dict(zip(found.people, found.weights.round(1).tolist(), strict=True))
    {'anna': 3.1, 'ben': 3.1, 'cleo': 3.1, 'dan': 0.0}
    """
    votes = collect_answers(check_answers(answers))
    n_bootstraps = check_count(n_bootstraps, "n_bootstraps")
    least = None if min_support is None else check_real(min_support, "min_support", most=1.0)
    if len(votes.row) == 0:
        msg = f"{counted(len(answers), 'answer')}, and none names an odd one, so that there is no hierarchy to find"
        raise ValueError(msg)
    rng = generator(0 if random_state is None else random_state)
    p = len(votes.names)
    of_people = n_bootstraps if p > 2 else 0
    with progress_bar(verbose, None, "consensus", "hierarchies") as tick:
        accuracy, weight = np.full(p, np.nan), np.ones(p)
        if isinstance(weights, Mapping):
            weight = _given_weights(weights, votes)
        elif weights == "estimate":
            found = held_out(votes, rng, tick)
            if found is not None:
                accuracy, weight = found.accuracy, found.weight
        elif weights is not None:
            msg = f"weights must be 'estimate', a mapping from people to weights, or None, not {weights!r:.60}"
            raise ValueError(msg)
        each = weight[votes.voter]
        best = votes.hierarchy(each, rng, n_runs=9)
        replicates = _support(votes, best, each, n_bootstraps, rng, tick)
        people = _support(votes, best, each, of_people, rng, tick, by_people=True)
    kept = _leant_to(votes, best, each) if least is None else _kept(votes, best, each, replicates, least)
    made = _made(answers, votes, best, kept, each, (replicates, people), (accuracy, weight), n_bootstraps)
    if made.unresolved > 0.5:
        why = "answers lean to no others" if least is None else "min_support=None keeps all that answers lean to"
        warn_user(f"the hierarchy shows no odd one for {made.unresolved:.0%} of all trios, for want of clades: {why}")
    return made


def _given_weights(weights: Mapping[Any, float], votes: TrioVotes) -> np.ndarray:
    given = np.array([weights.get(name, 1.0) for name in votes.names], np.float64)
    if not np.isfinite(given).all() or (given < 0).any() or not given[votes.voter].any():
        msg = "weights must be finite numbers of at least 0, and not 0 for all who answered"
        raise ValueError(msg)
    return given


# ----------------------------------------------------------------------
# How well the clades are borne out.


def _clade_keys(hierarchy: Hierarchy, key: np.ndarray) -> np.ndarray:
    """A number for each inner node, equal for equal sets of leaves, else almost surely different (uint64)."""
    start, stop, order = hierarchy.leaf_intervals
    until = np.concatenate([np.zeros(1, np.uint64), np.bitwise_xor.accumulate(key[order])])
    n = hierarchy.n_leaves
    return until[stop[n:]] ^ until[start[n:]]


def _support(
    votes: TrioVotes,
    best: Hierarchy,
    weight: np.ndarray,
    n_bootstraps: int,
    rng: np.random.Generator,
    tick: Tick | None,
    *,
    by_people: bool = False,
) -> np.ndarray | None:
    """The share of bootstrap samples whose hierarchy has each clade; None without samples."""
    if n_bootstraps == 0:
        return None
    key = np.random.default_rng(0).integers(0, 2**63, best.n_leaves, dtype=np.int64).astype(np.uint64)
    wanted = _clade_keys(best, key)
    found = np.zeros(wanted.size)
    m, p = len(votes.row), len(votes.names)
    for _ in range(n_bootstraps):
        if by_people:
            times = np.bincount(rng.integers(0, p, p), minlength=p)[votes.voter]
        else:
            times = np.bincount(rng.integers(0, m, m), minlength=m)
        found += np.isin(wanted, _clade_keys(votes.hierarchy(times * weight, rng), key))
        if tick is not None:
            tick(1)
    return found / n_bootstraps


@dataclass(frozen=True, eq=False)
class _Decisions:
    """The votes that a hierarchy over 0..k-1 decides by one node alone, those for one triplet together.

    Attributes
    ----------
    node : ndarray of int32, shape (d,)
        The node at which the two that are displayed together meet.
    odd : ndarray of int32, shape (d,)
        The leaf that the votes name.
    agree : ndarray of bool, shape (d,)
        Whether it is the one displayed.
    weight : ndarray of float64, shape (d,)
    """

    node: np.ndarray
    odd: np.ndarray
    agree: np.ndarray
    weight: np.ndarray


def _decisions(votes: TrioVotes, hierarchy: Hierarchy, weight: np.ndarray) -> _Decisions:
    """The votes that single nodes decide."""
    odd = kernels.rooted_tree.induced_odd(votes.rows, *hierarchy.ancestor_table)
    met = np.flatnonzero(odd >= 0)
    rows, at = votes.rows[met], odd[met].astype(np.int64)
    every = np.arange(met.size)
    x, y, z = (freeze(rows[every, (at + k) % 3].copy()) for k in (1, 2, 0))
    node = kernels.rooted_tree.common_ancestors(x, y, *hierarchy.ancestor_table)
    top = kernels.rooted_tree.common_ancestors(x, z, *hierarchy.ancestor_table)
    alone = hierarchy.parent[node] == top
    total = np.bincount(votes.row, weight, len(votes.rows))[met]
    return _Decisions(node[alone], rows[alone, 2], (at == 2)[alone], total[alone])


def _decided(votes: TrioVotes, hierarchy: Hierarchy, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each node of a hierarchy over 0..k-1 the weight of the votes that it alone decides: agreeing, and all."""
    found, size = _decisions(votes, hierarchy, weight), hierarchy.n_nodes
    agree = np.bincount(found.node, found.weight * found.agree, size)
    return agree, np.bincount(found.node, found.weight, size)


def _leant_to(votes: TrioVotes, best: Hierarchy, weight: np.ndarray) -> np.ndarray:
    """Which nodes of a binary hierarchy have more votes than either exchange of a child for the sibling (bool)."""
    found, size = _decisions(votes, best, weight), best.n_nodes
    start, stop, order = best.leaf_intervals
    child = np.flatnonzero(start[:-1] == start[best.parent[:-1]])  # the first of two
    middle = np.zeros(size, np.int64)
    middle[best.parent[child]] = stop[child]
    place = np.empty(best.n_leaves, np.int64)
    place[order] = np.arange(best.n_leaves)
    side = np.where(found.agree, 0, 1 + (place[found.odd] >= middle[found.node]))  # whose child is named, if any
    of_side = np.bincount(3 * found.node + side, found.weight, 3 * size).reshape(size, 3)
    kept = of_side[:, 0] > of_side[:, 1:].max(axis=1) * (1 + _TIE)
    kept[: best.n_leaves] = kept[-1] = True
    return kept


def _kept(votes: TrioVotes, best: Hierarchy, weight: np.ndarray, support: Any, least: float) -> np.ndarray:
    """Which nodes of the best hierarchy are not contracted (bool, all nodes)."""
    n = best.n_leaves
    kept = np.ones(best.n_nodes, np.bool_)
    if support is not None:
        kept[n:-1] = support[:-1] > least if least > 0 else True
        return kept
    while least > 0:
        tree, number = _contracted(best, kept)
        agree, total = _decided(votes, tree, weight)
        with np.errstate(invalid="ignore"):
            share = np.where(total > 0, agree / total, 0.0)
        inner = np.arange(n, tree.n_nodes - 1)
        weakest = inner[np.argmin(share[inner])] if inner.size else -1
        if weakest < 0 or share[weakest] > least:
            break
        kept[np.flatnonzero(number == weakest)] = False
    return kept


def _contracted(hierarchy: Hierarchy, kept: np.ndarray) -> tuple[Hierarchy, np.ndarray]:
    """The hierarchy without some inner nodes, and the new number of each node, -1 for those; the order stays."""
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
    weight: np.ndarray,
    supports: tuple[np.ndarray | None, np.ndarray | None],
    people: tuple[np.ndarray, np.ndarray],
    n_bootstraps: int,
) -> AnswerConsensus:
    """The result over all leaves of the answers; those that no answer names hang from the root."""
    k, n = best.n_leaves, len(answers.leaves)
    tree, _ = _contracted(best, kept)
    agree, total = _decided(votes, tree, weight)
    with np.errstate(invalid="ignore"):
        agreeing = np.where(total > 0, agree / np.where(total > 0, total, 1.0), np.nan)[k:]
    shares = [None if x is None else np.append(x[kept[k:]][:-1], np.nan) for x in supports]
    number = np.append(np.asarray(votes.leaves, np.int64), np.arange(n, n + tree.n_nodes - k))
    parent = np.full(n + tree.n_nodes - k, n + tree.n_nodes - k - 1, np.int64)
    parent[number] = np.where(tree.parent < 0, -1, number[tree.parent])
    agreeing[-1] = np.nan
    trios = k * (k - 1) * (k - 2) // 6
    return AnswerConsensus(
        hierarchy=Hierarchy(parent, answers.leaves),
        support=None if shares[0] is None else freeze(shares[0]),
        people_support=None if shares[1] is None else freeze(shares[1]),
        agreeing=freeze(agreeing),
        people=votes.names,
        accuracy=freeze(people[0]),
        weights=freeze(people[1]),
        displayed=float(weight[votes.agrees(tree)].sum() / weight.sum()),
        unresolved=1 - count_triplets(tree) / trios,
        n_bootstraps=n_bootstraps,
    )
