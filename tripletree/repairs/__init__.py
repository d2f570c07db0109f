"""Noisy TripletSet -> a consistent part of it that weighs as much as can be found, and its hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tripletree._checks import expect_count, expect_triplets
from tripletree._items import check_choice
from tripletree._kernels import freeze
from tripletree._random import generator
from tripletree.hierarchy import Hierarchy
from tripletree.onetree import one_tree
from tripletree.repairs._rivals import MaximumCut, MinimumCut, best_pair
from tripletree.repairs._search import Search, completed, greedy
from tripletree.repairs._split import Tick, exact_rule, shown_by, split_all
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["Repair", "repair"]

#: Steps of a search unless told otherwise: a minute or less.
DEFAULT_WORK = 1_000_000_000
#: Leaves that triplets tie together: up to so many "auto" is exact, and so are splits in "search".
_EXACT_IN_AUTO, _EXACT_IN_SEARCH = 12, 8
_WITHOUT_LIMIT = 2**62
#: Triplets up to which "auto" compares with "greedy": some ten seconds.
_MOST_FOR_GREEDY = 300_000
#: Weights count as at least this share of the greatest one.
_LIGHTEST = 1e-100


@dataclass(frozen=True, repr=False)
class Repair:
    """What `repair` did: which triplets it kept and dropped, and the hierarchy of those kept.

    Attributes
    ----------
    kept, dropped : TripletSet
        Disjoint, together the triplets given, over the same leaves and with the same weights. `kept` is consistent,
        and inconsistent with each one of `dropped`.
    hierarchy : Hierarchy
        ``one_tree(kept)``.
    method : str
        The method whose answer it is; "none" where nothing had to be dropped.

    Examples
    --------
    >>> repair(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d")]))
    <Repair: 2 of 3 triplets kept, by exact>
    """

    kept: TripletSet
    dropped: TripletSet
    hierarchy: Hierarchy
    method: str

    @property
    def weight_kept(self) -> float:
        """Weight of the triplets kept; their number where there are no weights."""
        return _total(self.kept)

    @property
    def weight_lost(self) -> float:
        """Weight of the triplets dropped; their number where there are no weights."""
        return _total(self.dropped)

    @property
    def weight(self) -> float:
        """Weight of all triplets given."""
        return self.weight_kept + self.weight_lost

    def __repr__(self) -> str:
        m = len(self.kept) + len(self.dropped)
        weighed = "" if self.kept.weights is None else f", weight {self.weight_kept:.6g} of {self.weight:.6g}"
        return f"<Repair: {len(self.kept):,} of {m:,} triplets kept{weighed}, by {self.method}>"


def _total(triplets: TripletSet) -> float:
    return float(len(triplets)) if triplets.weights is None else float(triplets.weights.sum())


@dataclass(frozen=True)
class _Problem:
    """The triplets over the leaves that occur, numbered 0..k-1, and how to go about it."""

    rows: np.ndarray
    weight: np.ndarray
    k: int
    rng: np.random.Generator
    max_work: int
    tick: Tick | None

    def weight_of(self, kept: np.ndarray) -> float:
        return float(self.weight[kept].sum())

    def completed(self, hierarchy: Hierarchy) -> np.ndarray:
        """What the hierarchy displays, and what is consistent with it."""
        return completed(self.rows, self.weight, self.k, shown_by(hierarchy, self.rows))


def repair(
    triplets: TripletSet,
    *,
    method: Literal["auto", "exact", "search", "greedy", "best_pair", "max_cut", "min_cut"] = "auto",
    random_state: Any = None,
    max_work: int | None = DEFAULT_WORK,
    verbose: bool = False,
) -> Repair:
    """Drop triplets until the rest is consistent, as little weight as can be managed.

    Finding the most that can be kept is NP-hard; "auto" comes close on every set tried, and is exact where
    contradictions tie few leaves together.

    Parameters
    ----------
    triplets : TripletSet
        With weights, or each of weight 1.
    method : str
        "auto"
            "exact" where no more than 12 leaves are tied together, "search" otherwise, and "greedy" where that keeps
            more. Never worse than a third of the weight, nor than "greedy", which is not tried on over 300,000
            triplets.
        "exact"
            The most that can be kept, by dynamic programming over subsets of leaves: up to 15 leaves tied together.
        "search"
            From the root down, groups of leaves are split so that what is displayed, less 1.5 times what is lost,
            weighs most; then subtrees are pruned and hung elsewhere until none gains. At least a third of the weight.
        "greedy"
            Triplets by decreasing weight, equal ones in the order of rows, each taken that is consistent with those
            before.
        "best_pair"
            From the leaves up [1]_: the two clusters are merged for which the weight of the triplets ab|c won is the
            greatest share of that won or lost. At least a third of the weight [2]_.
        "max_cut"
            From the root down, by cuts with the best ratio of what is displayed to what is lost [3]_.
        "min_cut"
            From the root down, where triplets tie leaves together by a minimum cut of the pairs ab [4]_, pairs that no
            triplet contradicts kept together [5]_. Like "greedy", a baseline: both keep little of a noisy set.
    random_state : None, int, Generator or RandomState
        For the random starts of "auto", "search" and "max_cut"; None for the same ones at each call.
    max_work : int or None
        Steps, some 5 to 50 nanoseconds each, after which "auto", "search", "max_cut" and "min_cut" look no further:
        groups of leaves not split yet are taken apart leaf by leaf. The answer does not depend on the speed of the
        machine. "greedy" is not counted, neither alone nor as what "auto" compares with. None for no limit.
    verbose : bool
        Count in the terminal or notebook the leaves that have found a place, and the subtrees tried in others.

    Returns
    -------
    Repair
        ``.kept``, ``.dropped``, ``.hierarchy``, ``.weight_lost``, ... No dropped triplet is consistent with those
        kept. A consistent set is kept whole, whatever the method.

    Raises
    ------
    ValueError
        If there is no such method.
    LimitExceededError
        If "exact" is asked for and triplets tie more than 15 leaves together.

    See Also
    --------
    is_consistent : whether there is anything to do.
    find_conflict : triplets that cannot hold together, to decide by hand.

    Notes
    -----
    Leaves that the triplets do not tie together are split without loss, as `one_tree` does; the methods work on the
    groups that remain. A split of such a group in two is a cut in a graph with positive and negative weights; it is
    sought from 4 random starts by passes of Fiduccia and Mattheyses, O((n + m) log n) each. Regrafting takes, for each
    subtree tried, time in proportion to the triplets of its leaves and the nodes above where these meet others: some
    O(m d) for all subtrees of a hierarchy of depth d. Leaves split off one by one, each time the best, displays a third
    of the weight at least [6]_, in time O((n + m) log n): it is the fallback. What the hierarchy found displays is
    kept, and of the rest what is consistent with it, by decreasing weight. "exact" takes O(3**g g) for each group of g
    leaves, "best_pair" O(m log**2 m).

    References
    ----------
    .. [1] Wu (2004), Constructing the maximum consensus tree from rooted triples, Journal of Combinatorial
       Optimization 8(1), 29-39.
    .. [2] Byrka, Guillemot, Jansson (2010), New results on optimizing rooted triplets consistency, Discrete Applied
       Mathematics 158(11), 1136-1147.
    .. [3] Snir, Rao (2006), Using max cut to enhance rooted trees consistency, IEEE/ACM Transactions on Computational
       Biology and Bioinformatics 3(4), 323-333.
    .. [4] Semple, Steel (2000), A supertree method for rooted trees, Discrete Applied Mathematics 105, 147-158.
    .. [5] Page (2002), Modified mincut supertrees, Algorithms in Bioinformatics (WABI), LNCS 2452, 537-551.
    .. [6] Gasieniec, Jansson, Lingas, Ostlin (1999), On the complexity of constructing evolutionary trees, Journal of
       Combinatorial Optimization 3, 183-197.

    Examples
    --------
    >>> rows = [("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d"), ("c", "d", "a")]
    >>> found = repair(TripletSet.from_labels(rows, weights=[3, 1, 1, 1]))
    >>> found
    <Repair: 3 of 4 triplets kept, weight 5 of 6, by exact>
    >>> list(found.dropped)
    [('b', 'c', 'a')]
    >>> found.hierarchy == Hierarchy.from_nested([("a", "b"), ("c", "d")])
    True
    """
    check_choice(method, "method", ("auto", *_METHODS))
    most = _WITHOUT_LIMIT if max_work is None else expect_count(max_work, "max_work")
    rng = generator(0 if random_state is None else random_state)
    if len(expect_triplets(triplets)) == 0 or split_down(triplets.rows, len(triplets.leaves))[1].size == 0:
        kept, name = np.ones(len(triplets), np.bool_), "none"
    else:
        used = triplets.used_leaves
        number = np.empty(len(triplets.leaves), np.int32)
        number[used] = np.arange(used.size, dtype=np.int32)
        weight = np.ones(len(triplets))
        if triplets.weights is not None:  # between 0 and 1, so that no sum overflows, and no weight becomes 0
            weight = np.maximum(triplets.weights / triplets.weights.max(), _LIGHTEST)
        with _progress(verbose) as tick:
            problem = _Problem(freeze(number[triplets.rows]), freeze(weight), used.size, rng, most, tick)
            kept, name = _auto(problem) if method == "auto" else (_METHODS[method](problem), method)
    chosen = triplets.subset(kept)
    return Repair(chosen, triplets.subset(~kept), one_tree(chosen), name)


def _auto(problem: _Problem) -> tuple[np.ndarray, str]:
    """What "auto" keeps, and the method that found it."""
    search = _searched(problem, _EXACT_IN_AUTO)
    kept = problem.completed(search.hierarchy)
    if search.optimal:
        return kept, "exact"
    if len(problem.rows) > _MOST_FOR_GREEDY:
        return kept, "search"
    weight = problem.weight_of(kept)
    # greedy gives up as soon as it has lost more than this has
    other = greedy(problem.rows, problem.weight, problem.k, problem.weight_of(~kept))
    if other is not None and problem.weight_of(other) > weight:
        return other, "greedy"
    return kept, "search"


def _searched(problem: _Problem, most_exact: int) -> Search:
    return Search(
        problem.rows,
        problem.weight,
        problem.k,
        problem.rng,
        most_exact=most_exact,
        max_work=problem.max_work,
        tick=problem.tick,
    )


def _greedy(problem: _Problem) -> np.ndarray:
    kept = greedy(problem.rows, problem.weight, problem.k)
    assert kept is not None
    return kept


def _exact(problem: _Problem) -> np.ndarray:
    return problem.completed(split_all(problem.rows, problem.weight, problem.k, exact_rule, problem.tick))


def _search(problem: _Problem) -> np.ndarray:
    return problem.completed(_searched(problem, _EXACT_IN_SEARCH).hierarchy)


_METHODS: dict[str, Callable[[_Problem], np.ndarray]] = {
    "exact": _exact,
    "search": _search,
    "greedy": _greedy,
    "best_pair": lambda p: p.completed(best_pair(p.rows, p.weight, p.k)),
    "max_cut": lambda p: p.completed(split_all(p.rows, p.weight, p.k, MaximumCut(p.rng, p.max_work), p.tick)),
    "min_cut": lambda p: p.completed(split_all(p.rows, p.weight, p.k, MinimumCut(p.max_work), p.tick)),
}


@contextmanager
def _progress(verbose: bool) -> Iterator[Tick | None]:
    """A function that moves a bar in the terminal or notebook, None where none is wanted; no bar outlives an error."""
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(desc="repair", unit=" places") as bar:  # how many it will be nobody knows
        try:
            yield bar.update
        except BaseException:
            bar.leave = False
            raise
