"""Repair: a consistent part of an inconsistent set of triplets, of as much weight as can be found.

`repair` numbers the leaves that occur, gives them with the triplets to a method as a `Problem`, and makes a `Repair`
of the triplets that the method keeps. "exact" and "search" both split groups of leaves from the root down
(`split_all`). They differ in the rule for groups that the triplets connect. "greedy" takes triplet after triplet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.dynamic import TripletBuilder
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_choice, check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.progress import Tick, progress_bar, silent, teller
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, check_triplets, total_weight
from tripletree.errors import LimitExceededError

#: Steps of a search by default: a minute or less.
DEFAULT_STEPS = 1_000_000_000
WITHOUT_LIMIT = 2**62
#: "auto" is exact if triplets connect at most 12 leaves, "search" splits groups of at most 8 exactly.
_EXACT_IN_AUTO, _EXACT_IN_SEARCH = 12, 8
#: Triplets up to which "auto" compares with "greedy": some ten seconds.
_MOST_FOR_GREEDY = 300_000
#: Weights count as at least this share of the greatest one.
_LIGHTEST = 1e-100


@dataclass(frozen=True, eq=False)
class Problem:
    """Triplets over leaves 0..k-1, to be repaired.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, 3), read-only
    weight : ndarray of float64, shape (m,), read-only
        Positive.
    k : int
        Number of leaves.
    """

    rows: np.ndarray
    weight: np.ndarray
    k: int

    def weight_of(self, kept: np.ndarray) -> float:
        """Return the weight of some rows."""
        return float(self.weight[kept].sum())


@dataclass(frozen=True, repr=False)
class Repair:
    """The result of `repair`: the triplets kept and dropped, and the hierarchy of the kept triplets.

    Attributes
    ----------
    kept, dropped : TripletSet
        Disjoint, together the triplets given, over the same leaves and with the same weights. `kept` is consistent,
        and inconsistent with each one of `dropped`.
    hierarchy : Hierarchy
        ``one_tree(kept)``.
    method : str
        The method whose answer it is. "none" if nothing had to be dropped.

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
        """Weight of the triplets kept. Their number if there are no weights."""
        return total_weight(self.kept)

    @property
    def weight_lost(self) -> float:
        """Weight of the triplets dropped. Their number if there are no weights."""
        return total_weight(self.dropped)

    @property
    def weight(self) -> float:
        """Weight of all triplets given."""
        return self.weight_kept + self.weight_lost

    def __repr__(self) -> str:
        m = len(self.kept) + len(self.dropped)
        weighed = "" if self.kept.weights is None else f", weight {self.weight_kept:.6g} of {self.weight:.6g}"
        return f"<Repair: {len(self.kept):,} of {m:,} triplets kept{weighed}, by {self.method}>"


def repair(
    triplets: TripletSet,
    *,
    method: Literal["auto", "exact", "search", "greedy"] = "auto",
    random_state: Any = None,
    max_steps: int | None = DEFAULT_STEPS,
    verbose: bool | int = False,
) -> Repair:
    """Drop triplets until the rest is consistent, of as little weight as can be found.

    To keep as much weight as possible is NP-hard. "auto" comes close on every set tried, and is exact if
    contradictions connect few leaves.

    Parameters
    ----------
    triplets : TripletSet
        With weights, or each of weight 1.
    method : str
        "auto"
            "exact" if triplets connect no more than 12 leaves, "search" otherwise, and "greedy" if that keeps
            more (it is not tried on over 300,000 triplets). At least a third of the weight.
        "exact"
            The greatest weight, by dynamic programming over subsets of leaves: up to 15 connected leaves.
        "search"
            From the root down, each group of leaves is split so that the weight displayed less 1.5 times the weight
            lost is large. Then subtrees are pruned and regrafted until no move gains. At least a third of the weight.
        "greedy"
            Triplets are taken by decreasing weight, equal ones in the order of rows, if they are consistent with those
            taken before. A simple baseline: it keeps little of a noisy set.
    random_state : None, int, Generator or RandomState
        For the random starts of "auto" and "search". None for the same ones at each call.
    max_steps : int or None
        Steps, some 5 to 50 nanoseconds each, after which "auto" and "search" look no further: groups of leaves not
        split yet are taken apart leaf by leaf. The answer does not depend on the speed of the machine. "greedy" is not
        counted, also where "auto" compares with it. None for no limit.
    verbose : bool or int
        Show a progress bar that counts the leaves that have a place, and the subtrees tried in other places.

    Returns
    -------
    Repair
        ``.kept``, ``.dropped``, ``.hierarchy``, ``.weight_lost``, ... No dropped triplet is consistent with the
        kept ones. A consistent set is kept whole, whatever the method.

    Raises
    ------
    LimitExceededError
        If `method` is "exact" and triplets connect more than 15 leaves.

    See Also
    --------
    is_consistent : whether there is anything to repair.
    find_conflict : triplets that cannot all hold, to decide by hand.

    Notes
    -----
    Leaves that the triplets do not connect are split without loss, as in `one_tree`. The methods work on the groups
    that remain. The triplets that the hierarchy found displays are kept, and of the rest each one consistent with them,
    by decreasing weight. "exact" takes O(3**g g) for each group of g leaves. In "search", a split is a cut in a graph
    with positive and negative weights, improved by passes of Fiduccia and Mattheyses, O((n + m) log n) each. The first
    start is a cut of points on a sphere [1]_. Regrafting all subtrees once takes some O(m d) for a hierarchy of depth
    d. The bound of a third comes from splitting off the best leaf again and again [2]_, O((n + m) log n).
    "Noisy sets" in ``docs/algorithms.md`` explains more. Published methods that keep less (best pair, maximum cut,
    minimum cut) are in ``benchmarks/baselines_repair.py``.

    References
    ----------
    .. [1] Snir, Rao (2006), Using max cut to enhance rooted trees consistency, IEEE/ACM Transactions on Computational
       Biology and Bioinformatics 3(4), 323-333.
    .. [2] Gasieniec, Jansson, Lingas, Ostlin (1999), On the complexity of constructing evolutionary trees, Journal of
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
    check_choice(method, "method", tuple(_METHODS))
    return repair_with(_METHODS[method], triplets, random_state=random_state, max_steps=max_steps, verbose=verbose)


@dataclass(frozen=True)
class _Options:
    """The options of a method beside the problem."""

    rng: np.random.Generator
    max_steps: int
    tick: Tick


#: A method of repair: the rows to keep (bool, shape (m,), a maximal consistent part) and the name to report.
Method = Callable[[Problem, _Options], tuple[np.ndarray, str]]


def repair_with(
    method: Method,
    triplets: TripletSet,
    *,
    random_state: Any = None,
    max_steps: int | None = DEFAULT_STEPS,
    verbose: bool | int = False,
) -> Repair:
    """`repair` by any method, also one from outside this package. It is only called if the set is inconsistent."""
    most = WITHOUT_LIMIT if max_steps is None else min(check_count(max_steps, "max_steps"), WITHOUT_LIMIT)
    rng = generator(0 if random_state is None else random_state)
    if len(check_triplets(triplets)) == 0 or build_aho_tree(triplets.rows, len(triplets.leaves)).failed.size == 0:
        kept, name = np.ones(len(triplets), np.bool_), "none"
    else:
        used = triplets.used_leaves
        number = np.empty(len(triplets.leaves), np.int32)
        number[used] = np.arange(used.size, dtype=np.int32)
        weight = np.ones(len(triplets))
        if triplets.weights is not None:  # between 0 and 1, so that no sum overflows, and no weight becomes 0
            weight = np.maximum(triplets.weights / triplets.weights.max(), _LIGHTEST)
        problem = Problem(freeze(number[triplets.rows]), freeze(weight), used.size)
        with progress_bar(verbose, None, "repair", "places") as tick:
            kept, name = method(problem, _Options(rng, most, tick))
    chosen = triplets.subset(kept)
    return Repair(chosen, triplets.subset(~kept), one_tree(chosen), name)


def _auto(problem: Problem, options: _Options) -> tuple[np.ndarray, str]:
    search = _searched(problem, options, _EXACT_IN_AUTO)
    kept = completed(problem, displayed_by(search.hierarchy, problem.rows))
    if search.optimal:
        return kept, "exact"
    if len(problem.rows) > _MOST_FOR_GREEDY:
        return kept, "search"
    # greedy gives up as soon as it has lost more than the search
    other = greedy(problem, problem.weight_of(~kept))
    if other is not None and problem.weight_of(other) > problem.weight_of(kept):
        return other, "greedy"
    return kept, "search"


def _exact(problem: Problem, options: _Options) -> tuple[np.ndarray, str]:
    hierarchy = split_all(problem, _exact_rule, options.tick)
    return completed(problem, displayed_by(hierarchy, problem.rows)), "exact"


def _search(problem: Problem, options: _Options) -> tuple[np.ndarray, str]:
    search = _searched(problem, options, _EXACT_IN_SEARCH)
    return completed(problem, displayed_by(search.hierarchy, problem.rows)), "search"


def _searched(problem: Problem, options: _Options, most_exact: int) -> Search:
    return Search(problem, options.rng, most_exact=most_exact, max_steps=options.max_steps, tick=options.tick)


def _greedy(problem: Problem, _: _Options) -> tuple[np.ndarray, str]:
    kept = greedy(problem)
    assert kept is not None
    return kept, "greedy"


_METHODS: dict[str, Method] = {"auto": _auto, "exact": _exact, "search": _search, "greedy": _greedy}


# ----------------------------------------------------------------------
# From the root down: split leaves by their triplets, and by a rule if the triplets connect them.

#: Which side, 0 or 1, each leaf of a connected problem goes to (both occur). None to split its leaves off one by one.
Rule = Callable[[Problem], "np.ndarray | None"]


def split_all(problem: Problem, rule: Rule, tick: Tick = silent) -> Hierarchy:
    """Make a binary hierarchy from the root down.

    Leaves are split into the components of their Aho graph, which loses no triplet. If there is one component only,
    the rule splits it.

    Parameters
    ----------
    problem : Problem
        At least 2 leaves.
    rule : callable
    tick : callable, optional

    Returns
    -------
    Hierarchy
        Over the leaves 0..k-1.

    Examples
    --------
    >>> rows, weight = np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0])
    >>> split_all(Problem(rows, weight, 3), lambda problem: np.array([0, 0, 1])).parent.tolist()
    [3, 3, 4, 4, -1]
    """
    k = problem.k
    up = np.full(2 * k - 1, -1, np.int32)
    number = np.empty(k, np.int32)
    fresh = iter(range(k, 2 * k - 1))
    # leaves of a group, numbers of the rows inside it, and its node
    groups = deque([(np.arange(k, dtype=np.int32), np.arange(len(problem.rows)), next(fresh))])
    while groups:
        leaves, inside, v = groups.popleft()
        number[leaves] = np.arange(leaves.size, dtype=np.int32)
        group = Problem(freeze(number[problem.rows[inside]]), freeze(problem.weight[inside]), leaves.size)
        label = _first_split(group, rule)
        if label is None:
            _attach_ladder(leaves[engine.repair.peel(group.rows, group.weight, group.k)], v, fresh, up)
            size = leaves.size
        else:
            ends = label[group.rows]
            at = np.where((ends[:, 0] == ends[:, 1]) & (ends[:, 0] == ends[:, 2]), ends[:, 0], -1)
            parts = _parts(leaves, label, inside, at)
            items = [int(x[0]) if x.size == 1 else next(fresh) for x, _ in parts]
            _attach_balanced(items, v, fresh, up)
            groups.extend((*part, u) for part, u in zip(parts, items, strict=True) if part[0].size > 1)
            size = sum(part[0].size == 1 for part in parts)
        tick(size)
    return Hierarchy(up, k)


def _first_split(group: Problem, rule: Rule) -> np.ndarray | None:
    """Return a part for each leaf, at least two parts. None to split the leaves off one by one."""
    if len(group.rows) == 0:
        return np.arange(group.k)
    label, parts = engine.repair.components(group.rows, group.k)
    return label if parts > 1 else rule(group)


def _parts(
    leaves: np.ndarray, label: np.ndarray, inside: np.ndarray, at: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the leaves of each part, with the triplets inside it. `at` is the part of each triplet, or -1."""
    size = np.bincount(label)
    grouped = np.split(leaves[np.argsort(label, kind="stable")], np.cumsum(size)[:-1])
    count = np.bincount(at + 1, minlength=size.size + 1)
    rest = np.split(inside[np.argsort(at, kind="stable")], np.cumsum(count)[:-1])[1:]
    return list(zip(grouped, rest, strict=True))


def _attach_balanced(items: list[int], v: int, fresh: Iterator[int], up: np.ndarray) -> None:
    """Attach nodes below v by a binary tree: while there are more than two, the first two are joined."""
    waiting = deque(items)
    while len(waiting) > 2:
        u = next(fresh)
        up[waiting.popleft()] = up[waiting.popleft()] = u
        waiting.append(u)
    for u in waiting:
        up[u] = v


def _attach_ladder(order: np.ndarray, v: int, fresh: Iterator[int], up: np.ndarray) -> None:
    """Attach leaves below v by a caterpillar: each is the sibling of all that come after it."""
    for x in order[:-2].tolist():
        u = next(fresh)
        up[x], up[u] = v, v
        v = u
    up[order[-2:]] = v


def ladder(problem: Problem) -> Hierarchy:
    """Make the caterpillar that splits off the best leaf each time. It displays at least a third of the weight.

    Examples
    --------
    >>> ladder(Problem(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0]), 3)).parent.tolist()
    [3, 3, 4, 4, -1]
    """
    k = problem.k
    up = np.full(2 * k - 1, -1, np.int32)
    order = engine.repair.peel(problem.rows, problem.weight, k)
    _attach_ladder(order, k, iter(range(k + 1, 2 * k - 1)), up)
    return Hierarchy(up, k)


#: "exact" refuses larger groups of connected leaves: it tries 3**15 splits.
_MOST_EXACT = 15


def _exact_split(group: Problem) -> np.ndarray:
    """Return the first split of a hierarchy that displays the greatest weight: a `Rule` for a few leaves."""
    return engine.repair.best_split(group.rows, group.weight, group.k)


def _exact_rule(group: Problem) -> np.ndarray:
    """`_exact_split` for at most `_MOST_EXACT` leaves."""
    if group.k > _MOST_EXACT:
        msg = (
            f"the triplets connect {group.k:,} leaves, more than the {_MOST_EXACT} up to which repair(method='exact') "
            "works (its time triples with each leaf); take method='auto', which is exact for small groups"
        )
        raise LimitExceededError(msg, size=group.k, limit=_MOST_EXACT)
    return _exact_split(group)


def displayed_by(hierarchy: Hierarchy, rows: np.ndarray) -> np.ndarray:
    """Tell for each row whether the hierarchy, over the same leaf numbers, displays it.

    Examples
    --------
    >>> displayed_by(Hierarchy([3, 3, 4, 4, -1]), np.array([[0, 1, 2], [1, 2, 0]], np.int32)).tolist()
    [True, False]
    """
    return engine.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table) == 2


# ----------------------------------------------------------------------
# The search: split groups by cuts that lose little, then prune and regraft.

#: The cost of losing a triplet, against displaying one, in a split.
_PENALTY = 1.5
#: Groups of at most this many leaves are always split exactly.
_EXACT = 8
#: Random starts of a split, and passes from each.
_STARTS, _PASSES = 4, 12
#: At most 9 runs on one set, as long as all together have taken fewer than 20,000,000 steps.
_RUNS, _FEW_STEPS = 9, 20_000_000
#: Sweeps of prune and regraft over all subtrees.
_SWEEPS = 50
#: Steps of a cut of the sphere, done by numpy, that take as long as one step of the core.
_VECTORISED = 20


class Search:
    """A search for a hierarchy that displays much weight. It is done when the object is made.

    Parameters
    ----------
    problem : Problem
    rng : Generator
    most_exact : int
        Groups of at most this many leaves are split exactly, as long as all splits so far were forced or exact.
    max_steps : int
        Steps after which leaves are split off one by one, and subtrees stay where they are.
    n_runs : int
        At most this many runs. The best one counts. A second run starts only if runs are quick.
    tick : callable, optional
        Called with the number of leaves that have found their place, then with the number of subtrees that have been
        tried.
    start : Hierarchy, optional
        A binary hierarchy over 0..k-1, whose subtrees are moved, else one is made.

    Attributes
    ----------
    hierarchy : Hierarchy
        The best one found. Without `start`, it displays at least a third of the weight.
    optimal : bool
        True if it is proven that no hierarchy displays more: every split was forced or exact.
    steps : int
        Steps taken.
    """

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        *,
        most_exact: int,
        max_steps: int,
        n_runs: int = _RUNS,
        tick: Tick = silent,
        start: Hierarchy | None = None,
    ) -> None:
        self._problem, self._rng, self._n_runs = problem, rng, n_runs
        self._most_exact, self._max_steps, self._tick = most_exact, max_steps, tick
        self._least_gain = 1e-10 * float(problem.weight.sum())  # less is rounding
        self._sphere, self._run = SphereCut(rng), 0
        self.optimal, self.steps = start is None, 0
        self.hierarchy = self._best() if start is None else self._regrafted(start)

    def _best(self) -> Hierarchy:
        """Return the best hierarchy of several runs, if they are quick."""
        best = split_all(self._problem, self._rule, self._tick)
        if self.optimal:
            return best
        best = self._regrafted(best)
        for run in range(1, self._n_runs):
            if self.steps > min(_FEW_STEPS, self._max_steps):
                break
            # splits start from a cut of the sphere, start from random sides, or are random: no way is always best
            self._run = run % 3
            best = self._better(best, self._regrafted(split_all(self._problem, self._rule)))
        return self._better(best, ladder(self._problem))

    def _better(self, one: Hierarchy, other: Hierarchy) -> Hierarchy:
        first, second = (self._problem.weight_of(displayed_by(h, self._problem.rows)) for h in (one, other))
        return other if second > first + self._least_gain else one

    def _rule(self, group: Problem) -> np.ndarray | None:
        """Split a connected group: a `Rule`."""
        k = group.k
        # once a split has been a guess, there is little to gain from exact splits of larger groups
        if k <= (self._most_exact if self.optimal else _EXACT):
            return _exact_split(group)
        self.optimal = False
        if self.steps > self._max_steps // 2:
            return None
        if self._run == 0:
            starts, passes = self._sphere.cut(group).reshape(1, k), _PASSES
            self.steps += SphereCut.steps(group) // _VECTORISED
        else:
            starts = self._rng.integers(0, 2, (_STARTS, k), dtype=np.int32)
            passes = _PASSES if self._run == 1 else 0
        side, taken = engine.repair.bisect(group.rows, group.weight, k, _PENALTY, starts, passes)
        self.steps += taken
        return side

    def _regrafted(self, hierarchy: Hierarchy) -> Hierarchy:
        """Return the hierarchy after moves of subtrees, until no move gains or the steps are used up."""
        mover = engine.repair.SubtreeMover(hierarchy.parent, self._problem.rows, self._problem.weight)
        for _ in range(_SWEEPS):
            nodes = self._rng.permutation(hierarchy.parent.size).astype(np.int32)
            tell = teller(self._tick)
            done, _, taken, moves = mover.sweep(nodes, self._least_gain, self._max_steps - self.steps, tell)
            tell(done)
            self.steps += taken
            if moves == 0 or self.steps >= self._max_steps:
                break
        return Hierarchy(mover.parent, hierarchy.n_leaves)


#: Dimensions of the sphere, rounds of better and better ratios, steps of a round, random planes that cut it.
_DIMENSIONS, _ROUNDS, _ITERATIONS, _PLANES = 4, 3, 20, 20
#: The highest cost of a lost triplet against a displayed one, and the amount added to losses, as a share of all weight.
_HIGHEST_PRICE, _ALMOST_NOTHING = 100.0, 1e-9


class SphereCut:
    """The cut with the best ratio of weight displayed to weight lost, sought on a sphere [1]_.

    Leaves are points on a sphere, attracted by the leaves that they should be with and repelled by the others. Random
    planes through the centre cut it. The best ratio found is the cost of a loss in the next round.

    References
    ----------
    .. [1] Snir, Rao (2006), Using max cut to enhance rooted trees consistency, IEEE/ACM Transactions on Computational
       Biology and Bioinformatics 3(4), 323-333.

    Examples
    --------
    >>> rows = np.array([[0, 1, 2], [1, 2, 0]], np.int32)
    >>> side = SphereCut(np.random.default_rng(0)).cut(Problem(rows, np.array([2.0, 1.0]), 3))
    >>> int(side[0]) == int(side[1]) != int(side[2])
    True
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    @staticmethod
    def steps(problem: Problem) -> int:
        """Return how many steps `cut` takes."""
        m, k = len(problem.rows), problem.k
        return _ROUNDS * (_ITERATIONS * _DIMENSIONS * (6 * m + k) + _PLANES * 4 * m)

    def cut(self, problem: Problem) -> np.ndarray:
        """Return the side of each leaf, 0 or 1 (int32)."""
        rows, weight, k = problem.rows, problem.weight, problem.k
        best, best_side, price = -1.0, np.zeros(k, np.int32), 1.0
        for _ in range(_ROUNDS):
            point = self._spread(problem, price)
            sides = (point @ self._rng.standard_normal((_DIMENSIONS, _PLANES)) > 0).astype(np.int32)
            ones = sides.sum(axis=0)
            sides = sides[:, (ones > 0) & (ones < k)]
            if sides.shape[1]:
                ratio = _ratios(sides, rows, weight)
                j = int(ratio.argmax())
                if ratio[j] > best:
                    best, best_side = float(ratio[j]), sides[:, j]
                price = min(max(best, 1.0), _HIGHEST_PRICE)
        if best < 0.0:
            best_side[rows[int(weight.argmax()), 2]] = 1
        return best_side

    def _spread(self, problem: Problem, price: float) -> np.ndarray:
        """Return points on the sphere: near the leaves to stay with, far from the leaves to be separated from."""
        pull = _pulls(problem, price)
        own = abs(pull).sum(axis=1).reshape(-1, 1)  # so much inertia that each step is an improvement
        point = self._rng.standard_normal((problem.k, _DIMENSIONS))
        for _ in range(_ITERATIONS):
            point = pull @ point + 0.5 * own * point
            point /= np.maximum(np.sqrt((point * point).sum(axis=1, keepdims=True)), 1e-300)
        return point


def _pulls(problem: Problem, price: float, most_dense: int = 100) -> Any:
    """Return the matrix of forces between leaves: `price` for pairs ab, -1/2 for ac and bc. Dense if that is small."""
    from scipy.sparse import coo_array

    weight, k = problem.weight, problem.k
    a, b, c = problem.rows.T
    x, y = np.concatenate([a, a, b]), np.concatenate([b, c, c])
    force = np.concatenate([(0.5 + price) * weight, -0.5 * weight, -0.5 * weight])
    where = np.concatenate([x, y]), np.concatenate([y, x])
    matrix = coo_array((np.concatenate([force, force]), where), shape=(k, k))
    return matrix.toarray() if k <= most_dense else matrix.tocsr()


def _ratios(sides: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return weight displayed over weight lost of each column of sides, without loss by weight displayed."""
    a, b, c = (sides[rows[:, i]] for i in range(3))
    shown, lost = weight @ ((a == b) & (a != c)), weight @ (a != b)
    return shown / (lost + _ALMOST_NOTHING * weight.sum())


# ----------------------------------------------------------------------
# Taking triplets one by one.

#: Rows given to the builder at once.
_BATCH = 2_000


def _by_weight(weight: np.ndarray) -> np.ndarray:
    """Return row numbers by decreasing weight. Equal ones keep their order."""
    return np.argsort(-weight, kind="stable")


def greedy(problem: Problem, most_lost: float = np.inf) -> np.ndarray | None:
    """Take rows by decreasing weight if they are consistent with the rows taken before.

    Parameters
    ----------
    problem : Problem
    most_lost : float
        Give up when more weight than this has been rejected.

    Returns
    -------
    ndarray of bool, shape (m,), or None
        The rows taken. None if it gave up.

    Examples
    --------
    >>> greedy(Problem(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([1.0, 2.0]), 3)).tolist()
    [False, True]
    """
    rows = problem.rows
    taken = np.zeros(len(rows), np.bool_)
    builder, order, lost = TripletBuilder(LeafIndex(problem.k)), _by_weight(problem.weight), 0.0
    for batch in np.split(order, range(_BATCH, order.size, _BATCH)):
        taken[batch] = builder.try_add_rows(freeze(rows[batch]))
        lost += problem.weight_of(batch[~taken[batch]])
        if lost > most_lost:
            return None
    return taken


def completed(problem: Problem, kept: np.ndarray) -> np.ndarray:
    """Add rows to consistent ones as long as they stay consistent, by decreasing weight.

    Parameters
    ----------
    problem : Problem
    kept : ndarray of bool, shape (m,)
        Consistent rows.

    Returns
    -------
    ndarray of bool, shape (m,)
        A maximal consistent part that contains them.

    Examples
    --------
    >>> rows = np.array([[0, 1, 2], [0, 3, 1], [2, 3, 0]], np.int32)
    >>> completed(Problem(rows, np.ones(3), 4), np.array([True, False, False])).tolist()
    [True, True, False]
    """
    rows, k = problem.rows, problem.k
    h = Hierarchy(build_aho_tree(rows[kept], k).parent, k)
    # A node of the Aho tree with just two children cannot be split in any other way. So a row with leaves that separate
    # there contradicts the kept ones unless it is displayed: most rows need no test by the builder.
    others = np.flatnonzero(~kept)
    a, b, c = (freeze(rows[others, i].copy()) for i in range(3))
    top = np.maximum(*(engine.rooted_tree.common_ancestors(x, c, *h.ancestor_table) for x in (a, b)))
    others = others[(h.n_children[top] > 2) | displayed_by(h, freeze(rows[others]))]
    if others.size == 0:
        return kept
    builder, out = TripletBuilder(LeafIndex(k), TripletSet(rows[kept], k)), kept.copy()
    order = others[_by_weight(problem.weight[others])]
    for batch in np.split(order, range(_BATCH, order.size, _BATCH)):
        out[batch] = builder.try_add_rows(freeze(rows[batch]))
    return out
