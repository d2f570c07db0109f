"""Hierarchy -> TripletSet: what a hierarchy displays, all of it, some of it, or asked triple by triple.

Given an Ontology, each function tells what is certain: what every choice of one parent for each term displays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._checks import expect_count, expect_hierarchy, expect_triplets
from tripletree._induced import InducedTriplets, checked_triples, rows_over
from tripletree._kernels import freeze
from tripletree._parents import exact_dot, sibling_pairs
from tripletree._random import distinct_integers, generator
from tripletree.certain import all_certain, count_certain, displays_certain, induce_certain, sample_certain
from tripletree.errors import LimitExceededError
from tripletree.hierarchy import Hierarchy
from tripletree.ontology import Ontology
from tripletree.triplets import TripletSet

__all__ = ["InducedTriplets", "all_triplets", "count_triplets", "displays", "induce", "sample_triplets"]

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
    leaves = expect_hierarchy(hierarchy).leaves
    triples = checked_triples(leaf_triples, leaves)
    odd = _kernels.rooted_tree.induced_odd(triples, *hierarchy.ancestor_table)
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
    expect_hierarchy(hierarchy)
    if len(expect_triplets(triplets)) == 0:
        return np.zeros(0, np.bool_)
    rows = rows_over(triplets, hierarchy.leaves)
    return _kernels.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table) == 2


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
    return exact_dot(*_pairs_and_outside(expect_hierarchy(hierarchy)))


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
    if limit is not None and total > expect_count(limit, "limit"):
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
    size = expect_count(size, "size")
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
