"""Consequences of triplets: single answers, the whole closure, and which of them the others imply.

All functions take one walk down the sets of leaves that BUILD would visit if it only followed pairs of leaves
(see `implies`, and ``_core/infer.hpp``), which starts from the BUILD tree of all triplets. They differ in the task:
written down at the places where it ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.conflict import conflict_inside
from tripletree.algorithms.induce import rows_over
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_count, check_entries
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, check_label_triple, check_triplets
from tripletree.errors import InconsistentTripletsError, LimitExceededError

#: Rows that `closure` lists by default at most (12 bytes a row).
DEFAULT_LIMIT = 10_000_000
#: Steps that each function takes by default at most: some minutes.
DEFAULT_STEPS = 2_000_000_000
_WITHOUT_LIMIT = 2**62


def implies(
    triplets: TripletSet, query: TripletSet | Iterable[tuple[Any, Any, Any]], *, max_steps: int | None = DEFAULT_STEPS
) -> np.ndarray:
    """Tell for each queried triplet whether the given ones imply it.

    ab|c is implied when every hierarchy that displays all of `triplets` displays ab|c too, whether its nodes have two
    children or more.

    Parameters
    ----------
    triplets : TripletSet
        Consistent.
    query : TripletSet, or iterable of (a, b, c)
        Tuples are labels, each meaning ab|c.
    max_steps : int or None
        The most steps to take. None for no limit.

    Returns
    -------
    ndarray of bool
        Parallel to ``query.rows``, or to the tuples as they come (repeats kept). The triplets themselves are implied.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays `triplets`: it would imply everything. ``.conflict`` explains why.
    UnknownLeafError
        If a leaf of the query is not among ``triplets.leaves``.
    LimitExceededError
        If it takes more than `max_steps` steps.

    See Also
    --------
    closure : all that is implied.

    Notes
    -----
    ab|c is implied exactly when the set is inconsistent both with ac|b and with bc|a [1]_. This is the case when a set
    of leaves, a and b on one side and c on the other, splits in just two [1]_. One descent through ever smaller sets
    of leaves finds it or shows that there is no such set. Queries share the parts of the descent that they have in
    common. The BUILD tree takes O((n + m) log n). A query takes O(d r log n). d < n is the number of sets visited, and
    r the number of triplets between parts of a set that the tree already shows to be tied together. All queries
    together no more than `closure_size`, and O(d) each. A step is a triplet or query at hand in a set visited, 50 to
    400 nanoseconds.

    References
    ----------
    .. [1] Bryant, Steel (1995), Extension operations on sets of leaf-labelled trees, Advances in Applied Mathematics
       16, 425-453.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")])
    >>> implies(t, [("a", "b", "d"), ("a", "c", "d"), ("a", "d", "c")]).tolist()
    [True, True, False]
    """
    check_triplets(triplets)
    if isinstance(query, TripletSet):
        rows = rows_over(query, triplets.leaves)
    else:
        labels = [check_label_triple(row, k) for k, row in enumerate(check_entries(query, "query"))]
        flat = triplets.leaves.indices([x for row in labels for x in row], what="triplets' leaves")
        rows = freeze(np.array(flat, np.int32).reshape(-1, 3))
    return _walk(triplets, "answer", max_steps, queries=rows)[0]


def closure(
    triplets: TripletSet, *, limit: int | None = DEFAULT_LIMIT, max_steps: int | None = DEFAULT_STEPS
) -> TripletSet:
    """List every triplet that the given ones imply, themselves included.

    Parameters
    ----------
    triplets : TripletSet
        Consistent.
    limit : int or None
        The most triplets to list. None for no limit.
    max_steps : int or None
        The most steps to take, see `implies`. None for no limit.

    Returns
    -------
    TripletSet
        Over ``triplets.leaves``, without weights: up to n**3 / 6 triplets, at most one on three leaves.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays `triplets`.
    LimitExceededError
        If there are more than `limit`: nothing is listed, ``.size`` is the exact number. Or if it takes more than
        `max_steps` steps.

    See Also
    --------
    closure_size : how many there are.
    implies : single answers, without the list.

    Notes
    -----
    The closure is a list of sets of leaves split in two, about as many as leaves: each implies ab|c for all a, b on one
    side and c on the other, and no triplet comes from two of them. Time is twice as long as `closure_size`, and
    O(size log size) for the list.

    Examples
    --------
    >>> list(closure(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")])))
    [('a', 'b', 'c'), ('a', 'b', 'd'), ('a', 'c', 'd'), ('b', 'c', 'd')]
    """
    limit = None if limit is None else check_count(limit, "limit")
    size = closure_size(triplets, max_steps=max_steps)
    if limit is not None and size > limit:
        msg = (
            f"the {len(triplets):,} triplets imply {size:,}, more than the limit of {limit:,}; ask for single ones "
            "with implies, restrict them to fewer leaves, or raise limit (12 bytes a triplet)"
        )
        raise LimitExceededError(msg, size=size, limit=limit)
    return TripletSet(_walk(triplets, "list", max_steps)[2], triplets.leaves)


def closure_size(triplets: TripletSet, *, max_steps: int | None = DEFAULT_STEPS) -> int:
    """Count the triplets that the given ones imply, themselves included, without listing them.

    Parameters
    ----------
    triplets : TripletSet
        Consistent.
    max_steps : int or None
        The most steps to take, see `implies`. None for no limit.

    Returns
    -------
    int
        Exact. Divided by the n (n - 1) (n - 2) / 6 triples of n leaves, it is the share of the hierarchy that the
        triplets settle.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays `triplets`.
    LimitExceededError
        If it takes more than `max_steps` steps.

    Notes
    -----
    Time is O((n + m) log n), and O(log n) for each triplet at hand in the sets of leaves that the descents of `implies`
    visit, one for each triplet, each set counted once. If each split of the BUILD tree is in two these are the m
    triplets once, however deep it is: .1 s for 30,000 triplets of a caterpillar. It is the same for 300,000 random
    triplets over 30,000 leaves of a bushy hierarchy, .5 s, that leave few splits open. If they leave many open it
    may take minutes and more. The worst case is O(n m log n) for each pair of leaves that a triplet separates. Memory
    O((n + m) log (n + m)).

    Examples
    --------
    >>> closure_size(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")]))
    4
    """
    check_triplets(triplets)
    total = 0
    for a, c in _walk(triplets, "sizes", max_steps)[1].tolist():
        total += a * c * (a + c - 2) // 2
    return total


def redundant(triplets: TripletSet, *, max_steps: int | None = DEFAULT_STEPS) -> np.ndarray:
    """Tell for each triplet whether all the others together imply it.

    Each triplet is judged alone, against all others. Any marked triplet can be dropped, but not always all of them
    together: of three triplets of which any two imply the third, all three are marked. `irredundant` chooses which to
    keep.

    Parameters
    ----------
    triplets : TripletSet
        Consistent.
    max_steps : int or None
        The most steps to take, see `implies`. None for no limit.

    Returns
    -------
    ndarray of bool, shape (len(triplets),)
        Parallel to ``triplets.rows``.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays `triplets`.
    LimitExceededError
        If it takes more than `max_steps` steps.

    Notes
    -----
    ab|c is implied by the set of leaves at which the descent of `implies` ends, where two components are left, with a
    and b in one of them. The others imply it exactly if a and b stay connected without the edge ab of this triplet,
    that is if the edge lies on a cycle (or another triplet has the same one). One pass finds all: time and memory as
    for `closure_size`.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d"), ("a", "b", "d"), ("a", "c", "d")])
    >>> list(zip(t, redundant(t).tolist()))
    [(('a', 'b', 'c'), False), (('a', 'b', 'd'), True), (('a', 'c', 'd'), True), (('b', 'c', 'd'), True)]
    """
    check_triplets(triplets)
    return _walk(triplets, "cycles", max_steps)[0]


def irredundant(triplets: TripletSet, *, random_state: Any = None, max_steps: int | None = DEFAULT_STEPS) -> TripletSet:
    """Choose as few of the triplets as possible that still imply all of them: a smallest representative set.

    Parameters
    ----------
    triplets : TripletSet
        Consistent.
    random_state : None, int, Generator or RandomState
        With None earlier rows are preferred. Otherwise a random choice, not every one equally likely.
    max_steps : int or None
        The most steps to take, see `implies`. None for no limit.

    Returns
    -------
    TripletSet
        A subset with the same closure, over the same leaves, with the weights that its triplets had. No triplet of it
        can be dropped, and no subset of `triplets` with the same closure has fewer [1]_. Triplets that are not among
        those given are not considered.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays `triplets`.
    LimitExceededError
        If it takes more than `max_steps` steps.

    See Also
    --------
    redundant : which could be dropped, each alone.
    decompose : the same for a hierarchy.

    Notes
    -----
    Subsets in which each triplet is needed all have the same size: they are the bases of a matroid [1]_. So one
    pass is enough, which keeps a spanning forest of the triplets across each split of `closure`: time and memory as for
    `closure_size`.

    References
    ----------
    .. [1] Seemann, Hellmuth (2018), The matroid structure of representative triple sets and triple-closure computation,
       European Journal of Combinatorics 70, 384-407. arXiv:1707.01667.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d"), ("a", "b", "d"), ("a", "c", "d")])
    >>> list(irredundant(t))
    [('a', 'b', 'c'), ('a', 'c', 'd')]
    """
    check_triplets(triplets)
    order = np.arange(len(triplets))
    if random_state is not None:
        generator(random_state).shuffle(order)
    spare = _walk(triplets, "spare", max_steps, order=order)[0]
    return triplets.subset(np.sort(order[~spare]))


def _aho_tree(triplets: TripletSet) -> np.ndarray:
    """The parents of the BUILD tree, over the leaves by number. An error with a conflict if there is no such tree."""
    parent, failed = build_aho_tree(triplets.rows, len(triplets.leaves))
    if failed.size:
        leaves = [triplets.leaves[i] for i in np.sort(failed).tolist()]
        raise InconsistentTripletsError(leaves, conflict_inside(triplets, failed))
    return parent


def _walk(
    triplets: TripletSet,
    task: str,
    max_steps: int | None,
    *,
    queries: np.ndarray | None = None,
    order: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Walk through the core: flags of the queries, sizes of splits, listed triplets. `order` orders the rows."""
    most = _WITHOUT_LIMIT if max_steps is None else min(check_count(max_steps, "max_steps"), _WITHOUT_LIMIT)
    if len(triplets) == 0:
        flag = np.zeros(0 if queries is None else len(queries), np.bool_)
        return flag, np.empty((0, 2), np.int64), np.empty((0, 3), np.int32)
    rows = triplets.rows if order is None else triplets.rows[order]
    parent = _aho_tree(triplets)
    *found, spent = engine.infer.walk(parent, len(triplets.leaves), rows, queries, task, most)
    if spent > most:
        msg = (
            f"stopped after more than max_steps={most:,} steps; restrict the triplets to fewer leaves, or raise "
            "max_steps (some ten million steps a second)"
        )
        raise LimitExceededError(msg, size=spent, limit=most)
    return found[0], found[1], found[2]
