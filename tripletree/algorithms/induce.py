"""Hierarchy -> TripletSet: what a hierarchy displays, all of it, some of it, or asked triple by triple.

Given an Ontology, each function tells what is certain: what every choice of one parent for each term displays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.core.checks import check_count
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.ontology import Ontology
from tripletree.core.parents import exact_dot, sibling_pairs
from tripletree.core.random import distinct_integers, generator
from tripletree.core.triplets import TripletSet, check_label_triple, check_triplet_rows, check_triplets
from tripletree.errors import LimitExceededError
from tripletree.kernels import freeze, frozen

__all__ = [
    "InducedTriplets",
    "all_certain",
    "all_triplets",
    "certain_decomposition_size",
    "check_triples",
    "count_certain",
    "count_triplets",
    "decompose_certain",
    "displays",
    "displays_certain",
    "induce",
    "induce_certain",
    "rows_over",
    "sample_certain",
    "sample_triplets",
]


# ----------------------------------------------------------------------
# What is said of given leaf triples, whoever says it; used by `induce` and by the certain reading.


@dataclass(frozen=True, eq=False)
class InducedTriplets:
    """What a hierarchy says of given leaf triples, in the order given; see `induce`.

    Attributes
    ----------
    triples : ndarray of int32, shape (m, 3)
        The triples asked for, as leaf indices.
    odd : ndarray of int8, shape (m,)
        The column (0, 1 or 2) of the odd one out, -1 where the hierarchy leaves the triple unresolved.
    leaves : LeafIndex

    Examples
    --------
    >>> h = tt.Hierarchy.from_nested([("a", "b"), "c", "d"])
    >>> list(tt.induce(h, [("a", "c", "b"), ("a", "c", "d")]))
    [('a', 'b', 'c'), None]
    """

    triples: np.ndarray
    odd: np.ndarray
    leaves: LeafIndex

    @property
    def resolved(self) -> np.ndarray:
        """Which triples the hierarchy resolves: bool, shape (m,)."""
        return self.odd >= 0

    @property
    def rows(self) -> np.ndarray:
        """The resolved ones as rows (a, b, c) for ab|c, in the order asked, repeats kept: int32, shape (r, 3)."""
        known = self.resolved
        triples, odd = self.triples[known], self.odd[known]
        at = np.arange(odd.size)
        near, far = (odd + 1) % 3, (odd + 2) % 3
        return np.stack([triples[at, near], triples[at, far], triples[at, odd]], axis=1)

    @property
    def triplets(self) -> TripletSet:
        """The resolved ones as a set."""
        return TripletSet(self.rows, self.leaves)

    def __len__(self) -> int:
        return self.odd.size

    def __repr__(self) -> str:
        return f"<InducedTriplets: {len(self)} triples, {int(self.resolved.sum())} of them resolved>"

    def __iter__(self) -> Iterator[tuple[Any, Any, Any] | None]:
        """For each triple (a, b, c) with ab|c as labels, or None where it is unresolved."""
        labels = self.leaves.labels
        for row, odd in zip(self.triples.tolist(), self.odd.tolist(), strict=True):
            if odd < 0:
                yield None
            else:
                a, b = (row[k] for k in range(3) if k != odd)
                yield labels[a], labels[b], labels[row[odd]]


def check_triples(leaf_triples: Any, leaves: LeafIndex) -> np.ndarray:
    """Leaf triples, given as an array of indices or as tuples of labels, as read-only int32 of shape (m, 3)."""
    if isinstance(leaf_triples, np.ndarray) and leaf_triples.dtype.kind in "iu":
        triples = leaf_triples
    else:
        labels = [check_label_triple(row, k, "triple") for k, row in enumerate(leaf_triples)]
        triples = leaves.indices([x for row in labels for x in row], what="triples' leaves").reshape(-1, 3)
    return frozen(check_triplet_rows(triples, len(leaves), "triple"))


def rows_over(triplets: TripletSet, leaves: LeafIndex) -> np.ndarray:
    """The rows of a set as indices into another leaf index that holds the leaves it uses."""
    if triplets.leaves == leaves:
        return triplets.rows
    used = triplets.used_leaves
    number = np.full(len(triplets.leaves), -1, np.int32)
    number[used] = leaves.indices((triplets.leaves[i] for i in used.tolist()), what="triplets' leaves")
    return freeze(number[triplets.rows])


# ----------------------------------------------------------------------
# Ontology -> TripletSet: the certain reading, what holds whatever parents are chosen.
#
# A term with several parents leaves a choice, and each choice of one parent for every term gives a tree. A triplet
# ab|c of leaf terms is *certain* when all of these trees display it. That is so exactly when c is not below the lowest
# common *dominator* of a and b, the lowest term d that all paths from the root to a and to b pass:
#
# - if c is not below d, then in every tree a and b meet at d or below it, where c never comes;
# - if it is, there are a path from d to a and one to b that share nothing but d (Menger: a term that meets all of
#   them would be a lower dominator of both). A tree that takes both, and lets c come down from d to wherever it leaves
#   the one or the other, does not display ab|c.
#
# So what is certain is consistent (any one of the trees displays it all), it is closed under implication, and on a tree
# it is all that the tree displays. The public doors are those for hierarchies: `induce`, `displays`, `count_triplets`,
# `all_triplets`, `sample_triplets` and `decompose` take an Ontology, too, and come here.

#: Rows beyond which `all_certain` and `decompose_certain` refuse unless told otherwise (12 bytes a row).
ALL_LIMIT = 10_000_000
DECOMPOSITION_LIMIT = 50_000_000
_LITTLE_WORK = 20_000


def induce_certain(ontology: Ontology, leaf_triples: Any) -> InducedTriplets:
    """Tell for each of some triples of leaf terms which triplet is certain, if one is; see `induction.induce`.

    Parameters
    ----------
    ontology : Ontology
    leaf_triples : ndarray of int, shape (m, 3), or iterable of (x, y, z)
        A numpy array of integers holds indices into ``ontology.leaves``; anything else is read as tuples of labels.

    Returns
    -------
    InducedTriplets
        Parallel to `leaf_triples`.

    Raises
    ------
    InvalidTripletError, UnknownLeafError
        As for `induction.induce`.

    Notes
    -----
    Once for an ontology of N terms and p edges: immediate dominators in O(p log N), the tree that they make of the
    leaf terms, and for each inner node of it the intervals of leaves below it, as many as there are places where paths
    leave what it dominates. Then O(log N) a triple.

    Examples
    --------
    >>> o = Ontology("r a b w x y z".split(), [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (5, 2), (6, 2)])
    >>> list(induce_certain(o, [("w", "x", "z"), ("w", "x", "y"), ("y", "z", "w")]))
    [('w', 'x', 'z'), None, None]
    """
    triples = check_triples(leaf_triples, ontology.leaves)
    return InducedTriplets(triples, freeze(ontology._dominance.odd(triples)), ontology.leaves)


def displays_certain(ontology: Ontology, triplets: TripletSet) -> np.ndarray:
    """Tell for each triplet whether it is certain.

    Parameters
    ----------
    ontology : Ontology
    triplets : TripletSet
        Its leaf index may differ from the ontology's leaves; labels decide.

    Returns
    -------
    ndarray of bool, shape (len(triplets),)

    Raises
    ------
    UnknownLeafError
        If a leaf of some triplet is no leaf term.

    Examples
    --------
    >>> o = Ontology("r a x y z".split(), [(1, 0), (2, 1), (3, 1), (4, 0)])
    >>> displays_certain(o, TripletSet.from_labels([("x", "y", "z")])).tolist()
    [True]
    """
    if len(check_triplets(triplets)) == 0:
        return np.zeros(0, np.bool_)
    return ontology._dominance.odd(rows_over(triplets, ontology.leaves)) == 2


def count_certain(ontology: Ontology) -> int:
    """Count the certain triplets, exactly and without listing them.

    Examples
    --------
    >>> count_certain(Ontology("r a x y z".split(), [(1, 0), (2, 1), (3, 1), (4, 0)]))
    1
    """
    return ontology._dominance.count()


def all_certain(ontology: Ontology, *, limit: int | None = ALL_LIMIT) -> TripletSet:
    """List every certain triplet.

    Parameters
    ----------
    ontology : Ontology
    limit : int or None
        Refuse beyond this many; None for no limit.

    Returns
    -------
    TripletSet
        Over ``ontology.leaves``.

    Raises
    ------
    LimitExceededError
        If there are more than `limit`.

    Examples
    --------
    >>> list(all_certain(Ontology("r a x y z".split(), [(1, 0), (2, 1), (3, 1), (4, 0)])))
    [('x', 'y', 'z')]
    """
    total = count_certain(ontology)
    if limit is not None and total > check_count(limit, "limit"):
        msg = (
            f"{total:,} triplets are certain, more than the limit of {limit:,}; take sample_triplets or decompose, "
            "restrict the ontology to fewer items, or raise limit (12 bytes a triplet)"
        )
        raise LimitExceededError(msg, size=total, limit=limit)
    return TripletSet(ontology._dominance.unranked(np.arange(total, dtype=np.int64)), ontology.leaves)


def sample_certain(ontology: Ontology, size: int, *, random_state: Any = None) -> TripletSet:
    """Draw different certain triplets, every set of them equally likely.

    Parameters
    ----------
    ontology : Ontology
    size : int
        How many; at most ``count_certain(ontology)``.
    random_state : None, int, Generator or RandomState
        The same value gives the same triplets.

    Returns
    -------
    TripletSet
        Over ``ontology.leaves``.

    Raises
    ------
    ValueError
        If `size` is negative, or more than there are.

    Examples
    --------
    >>> o = Ontology("r a w x y z".split(), [(1, 0), (2, 1), (3, 1), (4, 1), (5, 0)])
    >>> sorted(sample_certain(o, 3, random_state=0))
    [('w', 'x', 'z'), ('w', 'y', 'z'), ('x', 'y', 'z')]
    """
    rng = generator(random_state)
    total = count_certain(ontology)
    size = check_count(size, "size")
    if size > total:
        msg = f"size is {size:,}; {total:,} triplets are certain, and 0 to that many can be drawn"
        raise ValueError(msg)
    if total <= _MOST_RANKS:
        return TripletSet(ontology._dominance.unranked(distinct_integers(rng, total, size)), ontology.leaves)
    msg = f"{total:,} triplets are certain, more than can be numbered; restrict the ontology to fewer items"
    raise LimitExceededError(msg, size=total, limit=_MOST_RANKS)


def decompose_certain(ontology: Ontology, *, max_triplets: int | None = None, random_state: Any = None) -> TripletSet:
    """Decompose an ontology into certain triplets from which all others follow.

    Parameters
    ----------
    ontology : Ontology
    max_triplets : int, optional
        A budget: a random part of exactly this many where the whole is larger.
    random_state : None, int, Generator or RandomState
        Which part; the same one every time with None.

    Returns
    -------
    TripletSet
        Every certain triplet is implied by it. On a tree it is as small as can be, elsewhere not always.

    Raises
    ------
    LimitExceededError
        If there are more than 50 million, budget or not: draw some with `sample_triplets`.
    ValueError
        If the budget is negative.

    Notes
    -----
    In the hierarchy that dominators make of the leaf terms, for each inner node d: let w be the nearest node above that
    has a leaf not below d. A star of triplets ab|c joins the children of d, with one c from every child of w that is
    not below d, and from all else that is below w and not below d. Where such a c stands in a clade above d, every part
    of the clade that is not above d gives one. What is above w follows, by way of the leaf below w.

    Examples
    --------
    >>> o = Ontology("r a w x y z".split(), [(1, 0), (2, 1), (3, 1), (4, 1), (5, 0)])
    >>> list(decompose_certain(o))
    [('w', 'x', 'z'), ('w', 'y', 'z')]
    """
    if max_triplets is not None:
        max_triplets = check_count(max_triplets, "max_triplets")
    stars = _Stars(ontology)
    counts = stars.counts()
    total = int(counts.sum())
    if max_triplets is None or max_triplets >= total:
        ranks = np.arange(total, dtype=np.int64)
    else:
        ranks = np.sort(distinct_integers(generator(0 if random_state is None else random_state), total, max_triplets))
    return TripletSet(stars.rows(ranks), ontology.leaves)


def certain_decomposition_size(ontology: Ontology) -> int:
    """Count the triplets of `decompose_certain`.

    Examples
    --------
    >>> certain_decomposition_size(Ontology("r a w x y z".split(), [(1, 0), (2, 1), (3, 1), (4, 1), (5, 0)]))
    2
    """
    return int(_Stars(ontology).counts().sum())


class _Stars:
    """For each inner node d of the dominators' hierarchy, the leaves c of its triplets and the edges of its star."""

    def __init__(self, ontology: Ontology) -> None:
        d = self.dominance = ontology._dominance
        start, node, _ = d.reach
        child_start, child = (freeze(x) for x in kernels.rooted_tree.child_lists(d.parent))
        degree = np.diff(child_start).astype(np.int64)
        #: edges of a star over the children of each inner node
        self.joins = degree[d.n :] - 1
        self.child_start, self.child = child_start, child
        w, inside = kernels.ontology.enclosing(d.parent, start, node, d.left, d.right, d.n)
        _check_few(int(np.dot(self.joins, np.where(w >= 0, degree[w] - inside, 0))))
        # candidates looked at, many times what the arrays hold
        above = w[w >= 0]
        work = int((degree[above] + np.diff(start)[above - d.n]).sum())
        loops = kernels.ontology if work < _LITTLE_WORK else kernels.fast("ontology")
        args = (freeze(w), child_start, child, start, node, d.left, d.right, d.order)
        self.first, self.third = loops.thirds(*args, DECOMPOSITION_LIMIT)
        _check_few(int(self.counts().sum()))

    def counts(self) -> np.ndarray:
        """How many triplets each inner node has."""
        return np.diff(self.first) * self.joins

    def rows(self, ranks: np.ndarray) -> np.ndarray:
        """The triplets of the given numbers, numbered by node, then by c, then by edge of the star."""
        d, counts = self.dominance, self.counts()
        end = np.cumsum(counts)
        k = np.searchsorted(end, ranks, side="right")
        c, join = np.divmod(ranks - (end - counts)[k], self.joins[k])
        other = self.child[self.child_start[d.n + k] + join + 1]
        a, b = d.order[d.left[d.n + k]], d.order[d.left[other]]
        return np.stack([a, b, self.third[self.first[k] + c]], axis=1)


def _check_few(size: int) -> None:
    if size > DECOMPOSITION_LIMIT:
        msg = (
            f"the triplets from which all that are certain follow number {size:,} or more, beyond the limit of "
            f"{DECOMPOSITION_LIMIT:,}; draw some with sample_triplets, or restrict the ontology to fewer items"
        )
        raise LimitExceededError(msg, size=size, limit=DECOMPOSITION_LIMIT)


#: Rows beyond which `all_triplets` refuses unless told otherwise (12 bytes a row).
DEFAULT_LIMIT = 10_000_000
_MOST_RANKS = 2**63 - 1


def induce(hierarchy: Hierarchy | Ontology, leaf_triples: Any) -> InducedTriplets:
    """Read off the hierarchy the triplet that it displays on each of some leaf triples.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
        Of an Ontology: what is certain, whatever parents are chosen; see `certain.induce_certain`.
    leaf_triples : ndarray of int, shape (m, 3), or iterable of (x, y, z)
        A numpy array of integers holds leaf indices; anything else is read as tuples of labels. The order within a
        triple does not matter.

    Returns
    -------
    InducedTriplets
        Parallel to `leaf_triples`: ``.odd``, ``.resolved``, ``.rows``, ``.triplets``; iterating gives (a, b, c) with
        ab|c, or None where the three leaves are unresolved.

    Raises
    ------
    InvalidTripletError
        If a triple has a leaf twice, or an index out of range; ``.row`` is its number.
    UnknownLeafError
        If a label is no leaf; ``.labels`` holds all that are not.

    See Also
    --------
    displays : whether given triplets hold.
    sample_triplets : random ones.

    Notes
    -----
    Of three leaves in depth-first order, the last common ancestors of the first two and of the last two are on one
    path to the root; the deeper one belongs to the close pair, equality means unresolved. Each is a range maximum
    over the ancestors of neighbouring leaves (Bender and Farach-Colton's sparse table [1]_). O(n log n) once for a
    hierarchy, then O(1) a triple.

    References
    ----------
    .. [1] Bender, Farach-Colton (2000), The LCA problem revisited, LATIN 2000, 88-94.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    >>> list(induce(h, [("gorilla", "human", "chimp")]))
    [('human', 'chimp', 'gorilla')]
    >>> induce(h, np.array([[2, 0, 1]])).odd.tolist()
    [0]
    """
    if isinstance(hierarchy, Ontology):
        return induce_certain(hierarchy, leaf_triples)
    leaves = check_hierarchy(hierarchy).leaves
    triples = check_triples(leaf_triples, leaves)
    odd = kernels.rooted_tree.induced_odd(triples, *hierarchy.ancestor_table)
    return InducedTriplets(triples, freeze(odd), leaves)


def displays(hierarchy: Hierarchy | Ontology, triplets: TripletSet) -> np.ndarray:
    """Tell for each triplet whether the hierarchy displays it.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
        Of an Ontology: whether each is certain.
    triplets : TripletSet
        Its leaf index may differ from the hierarchy's; labels decide.

    Returns
    -------
    ndarray of bool, shape (len(triplets),)
        Parallel to ``triplets.rows``. A triple that the hierarchy leaves unresolved is not displayed.

    Raises
    ------
    UnknownLeafError
        If a leaf of some triplet is not in the hierarchy.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    >>> t = TripletSet.from_labels([("human", "chimp", "gorilla"), ("human", "gorilla", "chimp")])
    >>> list(zip(t, displays(h, t).tolist()))
    [(('chimp', 'human', 'gorilla'), True), (('gorilla', 'human', 'chimp'), False)]
    """
    if isinstance(hierarchy, Ontology):
        return displays_certain(hierarchy, triplets)
    check_hierarchy(hierarchy)
    if len(check_triplets(triplets)) == 0:
        return np.zeros(0, np.bool_)
    rows = rows_over(triplets, hierarchy.leaves)
    return kernels.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table) == 2


def count_triplets(hierarchy: Hierarchy | Ontology) -> int:
    """Count the triplets that the hierarchy displays, without listing them.

    Returns
    -------
    int
        Exact, in linear time; n (n - 1) (n - 2) / 6 for a binary hierarchy of n leaves.

    Examples
    --------
    >>> count_triplets(Hierarchy.from_nested([("a", "b"), "c", "d"]))
    2
    """
    if isinstance(hierarchy, Ontology):
        return count_certain(hierarchy)
    return exact_dot(*_pairs_and_outside(check_hierarchy(hierarchy)))


def all_triplets(hierarchy: Hierarchy | Ontology, *, limit: int | None = DEFAULT_LIMIT) -> TripletSet:
    """List every triplet that the hierarchy displays.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
    limit : int or None
        Refuse beyond this many; None for no limit.

    Returns
    -------
    TripletSet
        `count_triplets` of them: up to n**3 / 6.

    Raises
    ------
    LimitExceededError
        If there are more than `limit`; nothing is computed, ``.size`` is the number.

    See Also
    --------
    sample_triplets : a random part of them.
    decompose : a smallest set that says the same.

    Examples
    --------
    >>> list(all_triplets(Hierarchy.from_nested([("a", "b"), "c", "d"])))
    [('a', 'b', 'c'), ('a', 'b', 'd')]
    """
    if isinstance(hierarchy, Ontology):
        return all_certain(hierarchy, limit=limit)
    total = count_triplets(hierarchy)
    if limit is not None and total > check_count(limit, "limit"):
        msg = (
            f"the hierarchy displays {total:,} triplets, more than the limit of {limit:,}; take sample_triplets or "
            "decompose, restrict it to fewer leaves, or raise limit (12 bytes a triplet)"
        )
        raise LimitExceededError(msg, size=total, limit=limit)
    return TripletSet(_unranked(hierarchy, np.arange(total, dtype=np.int64)), hierarchy.leaves)


def sample_triplets(hierarchy: Hierarchy | Ontology, size: int, *, random_state: Any = None) -> TripletSet:
    """Draw different triplets that the hierarchy displays, every set of them equally likely.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
    size : int
        How many; at most ``count_triplets(hierarchy)``.
    random_state : None, int, Generator or RandomState
        The same value gives the same triplets.

    Returns
    -------
    TripletSet
        Exactly `size` triplets over all leaves of the hierarchy.

    Raises
    ------
    ValueError
        If `size` is negative, or more than there are.

    Notes
    -----
    The triplets are numbered without being listed: a leaf below x, one below a later sibling of x, one outside
    their parent. Numbers are drawn, then read back. O(N + size log N).

    Examples
    --------
    >>> h = Hierarchy.from_nested([(("a", "b"), "c"), ("d", "e")])
    >>> t = sample_triplets(h, 4, random_state=0)
    >>> len(t), bool(displays(h, t).all())
    (4, True)
    """
    if isinstance(hierarchy, Ontology):
        return sample_certain(hierarchy, size, random_state=random_state)
    rng = generator(random_state)
    total = count_triplets(hierarchy)
    size = check_count(size, "size")
    if size > total:
        msg = f"size is {size:,}; the hierarchy displays {total:,} triplets, and 0 to that many can be drawn"
        raise ValueError(msg)
    if total <= _MOST_RANKS:
        return TripletSet(_unranked(hierarchy, distinct_integers(rng, total, size)), hierarchy.leaves)
    return _sampled_by_rejection(hierarchy, size, rng)


def _sampled_by_rejection(hierarchy: Hierarchy, size: int, rng: np.random.Generator) -> TripletSet:
    """Where ranks outgrow 64 bits (over 3.8 million leaves) resolved triples are plentiful: draw until enough."""
    n = hierarchy.n_leaves
    found = TripletSet(np.empty((0, 3), np.int32), hierarchy.leaves)
    while len(found) < size:
        triples = rng.integers(0, n, size=(2 * (size - len(found)) + 16, 3), dtype=np.int32)
        a, b, c = triples.T
        triples = triples[(a != b) & (a != c) & (b != c)]
        found = found | induce(hierarchy, triples).triplets
    return found.subset(np.sort(rng.permutation(len(found))[:size]))


def _pairs_and_outside(hierarchy: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """For each node x but the root: pairs (a below x, b below a later sibling), and leaves outside the parent."""
    start, stop, _ = hierarchy.leaf_intervals
    up = hierarchy.parent[:-1]
    return sibling_pairs(hierarchy.parent, start, stop), hierarchy.n_leaves - (stop[up] - start[up]).astype(np.int64)


def _unranked(hierarchy: Hierarchy, ranks: np.ndarray) -> np.ndarray:
    """The triplets of the given numbers, as rows (a, b, c)."""
    start, stop, order = hierarchy.leaf_intervals
    pairs, outside = _pairs_and_outside(hierarchy)
    end = np.cumsum(pairs * outside)
    x = np.searchsorted(end, ranks, side="right")
    up = hierarchy.parent[x]
    rest = ranks - (end[x] - pairs[x] * outside[x])
    rest, c = np.divmod(rest, outside[x])
    a, b = np.divmod(rest, (stop[up] - stop[x]).astype(np.int64))
    c = np.where(c < start[up], c, c - start[up] + stop[up])
    return np.stack([order[start[x] + a], order[stop[x] + b], order[c]], axis=1)
