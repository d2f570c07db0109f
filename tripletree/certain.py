"""Ontology -> TripletSet: the certain reading, what holds whatever parents are chosen.

A term with several parents leaves a choice, and each choice of one parent for every term gives a tree. A triplet ab|c
of leaf terms is *certain* when all of these trees display it. That is so exactly when c is not below the lowest common
*dominator* of a and b, the lowest term d that all paths from the root to a and to b pass:

- if c is not below d, then in every tree a and b meet at d or below it, where c never comes;
- if it is, there are a path from d to a and one to b that share nothing but d (Menger: a term that meets all of them
  would be a lower dominator of both). A tree that takes both, and lets c come down from d to wherever it leaves the one
  or the other, does not display ab|c.

So what is certain is consistent (any one of the trees displays it all), it is closed under implication, and on a tree
it is all that the tree displays. The public doors are those for hierarchies: `induce`, `displays`, `count_triplets`,
`all_triplets`, `sample_triplets` and `decompose` take an Ontology, too, and come here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._checks import expect_count, expect_triplets
from tripletree._induced import InducedTriplets, checked_triples, rows_over
from tripletree._kernels import freeze
from tripletree._random import distinct_integers, generator
from tripletree.errors import LimitExceededError
from tripletree.ontology import Ontology
from tripletree.triplets import TripletSet

__all__ = [
    "all_certain",
    "certain_decomposition_size",
    "count_certain",
    "decompose_certain",
    "displays_certain",
    "induce_certain",
    "sample_certain",
]

#: Rows beyond which `all_certain` and `decompose_certain` refuse unless told otherwise (12 bytes a row).
ALL_LIMIT = 10_000_000
DECOMPOSITION_LIMIT = 50_000_000
_MOST_RANKS = 2**63 - 1
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
    triples = checked_triples(leaf_triples, ontology.leaves)
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
    if len(expect_triplets(triplets)) == 0:
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
    if limit is not None and total > expect_count(limit, "limit"):
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
    size = expect_count(size, "size")
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
        max_triplets = expect_count(max_triplets, "max_triplets")
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
        child_start, child = (freeze(x) for x in _kernels.rooted_tree.child_lists(d.parent))
        degree = np.diff(child_start).astype(np.int64)
        #: edges of a star over the children of each inner node
        self.joins = degree[d.n :] - 1
        self.child_start, self.child = child_start, child
        w, inside = _kernels.dominance.enclosing(d.parent, start, node, d.left, d.right, d.n)
        _expect_few(int(np.dot(self.joins, np.where(w >= 0, degree[w] - inside, 0))))
        # candidates looked at, many times what the arrays hold
        above = w[w >= 0]
        work = int((degree[above] + np.diff(start)[above - d.n]).sum())
        kernels = _kernels.dominance if work < _LITTLE_WORK else _kernels.fast("dominance")
        args = (freeze(w), child_start, child, start, node, d.left, d.right, d.order)
        self.first, self.third = kernels.thirds(*args, DECOMPOSITION_LIMIT)
        _expect_few(int(self.counts().sum()))

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


def _expect_few(size: int) -> None:
    if size > DECOMPOSITION_LIMIT:
        msg = (
            f"the triplets from which all that are certain follow number {size:,} or more, beyond the limit of "
            f"{DECOMPOSITION_LIMIT:,}; draw some with sample_triplets, or restrict the ontology to fewer items"
        )
        raise LimitExceededError(msg, size=size, limit=DECOMPOSITION_LIMIT)
