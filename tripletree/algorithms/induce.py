"""Induced triplets, which a hierarchy displays: all of them, some of them, or asked triple by triple.

An Ontology, with several parents for some terms, stands for many hierarchies: one for each choice of one parent for
each term. A triplet displayed by all of them is entailed by the ontology (the docs call it *certain*), and each
function here answers for entailed triplets if it gets an Ontology. ab|c is entailed exactly if c is not below d, the
lowest common *dominator* of a and b, i.e. the lowest term d on all paths from the root to a and to b:

- If c is not below d: in every hierarchy a and b meet at d or below it, where c never is.
- If it is: there are a path from d to a and one to b that share nothing but d (by Menger's theorem: a term on all of
  them would be a lower dominator of both). A hierarchy that contains both, and in which c hangs from d by whatever path
  leaves one of them, does not display ab|c.

So entailed triplets are consistent, each triplet that they imply is entailed, too, and for a tree they are all that it
displays.

A Hierarchy with open nodes (`Hierarchy.incertae_sedis`) stands for many hierarchies, too: one for each way to hang the
open nodes at or below their parents. A displayed ab|c is entailed exactly if the child of lca(a, b, c) towards c is
not open:

- If it is not: c stays where it is or moves with a branch below that child, so it stays below it. If an open node has
  one of a and b below it, its parent is at or below lca(a, b), and so is each place that it may take. If it has both,
  they move together. In every hierarchy a and b meet below lca(a, b, c), in another branch than c.
- If it is: it may hang from the branch of a, above which a meets c before b.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.core.certain import CertainTriplets
from tripletree.core.checks import check_count, check_entries
from tripletree.core.hierarchy import Hierarchy, check_rooted
from tripletree.core.leaves import LeafIndex
from tripletree.core.memory import fits_in_memory, memory
from tripletree.core.ontology import Ontology
from tripletree.core.parents import displayed_count, sibling_pairs
from tripletree.core.random import distinct_integers, generator
from tripletree.core.triplets import TripletSet, check_label_triple, check_triplet_rows, check_triplets
from tripletree.errors import LimitExceededError

#: Rows that `all_triplets` lists by default at most (12 bytes a row).
DEFAULT_LIMIT = 10_000_000
#: Triplets that can be numbered in 64 bits.
_MOST_RANKS = 2**63 - 1
#: Triplets that are listed between two looks at the interrupt.
_BLOCK = 1_000_000
#: Bytes of memory that it takes to list a triplet: the rows, and while they are put in order.
_BYTES_EACH = 64


@dataclass(frozen=True, eq=False)
class InducedTriplets:
    """The triplets that a hierarchy displays on given leaf triples, in the order given. See `induce`.

    Attributes
    ----------
    triples : ndarray of int32, shape (m, 3)
        The triples asked for, as leaf indices.
    odd : ndarray of int8, shape (m,)
        The column (0, 1 or 2) of the odd one out, -1 if the hierarchy leaves the triple unresolved.
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
        """For each triple (a, b, c) with ab|c as labels, or None if it is unresolved."""
        labels = self.leaves.labels
        for row, odd in zip(self.triples.tolist(), self.odd.tolist(), strict=True):
            if odd < 0:
                yield None
            else:
                a, b = (row[k] for k in range(3) if k != odd)
                yield labels[a], labels[b], labels[row[odd]]


def induce(hierarchy: Hierarchy | Ontology, leaf_triples: Any) -> InducedTriplets:
    """Find the triplet that a hierarchy displays on each of some leaf triples.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
        With open nodes, or several parents of a term: the triplets that are certain, i.e. displayed wherever the open
        nodes hang and whatever parents are chosen.
    leaf_triples : ndarray of int, shape (m, 3), or iterable of (x, y, z)
        A numpy array of integers holds leaf indices. Anything else is read as tuples of labels. The order within a
        triple does not matter.

    Returns
    -------
    InducedTriplets
        Parallel to `leaf_triples`: ``.odd``, ``.resolved``, ``.rows``, ``.triplets``. Iterating gives (a, b, c) with
        ab|c, or None if the three leaves are unresolved.

    Raises
    ------
    InvalidTripletError
        If a triple has the same leaf twice, or an index out of range. ``.row`` is its number.
    UnknownLeafError
        If a label is not a leaf. ``.labels`` holds all that are not.

    See Also
    --------
    displays : whether given triplets are displayed.
    sample_triplets : random ones.

    Notes
    -----
    For three leaves in depth-first order, the last common ancestors of the first two and of the last two are on one
    path to the root. The deeper one belongs to the close pair, equality means unresolved. Each is a range maximum
    over the ancestors of neighbouring leaves (Bender and Farach-Colton's sparse table [1]_). O(n log n) once for a
    hierarchy, then O(1) a triple. For an ontology of N terms and p edges, once O(p log N) for the immediate dominators,
    then O(log N) a triple.

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
    hierarchy = checked(hierarchy)
    leaves = hierarchy.leaves
    triples = _check_triples(leaf_triples, leaves)
    return InducedTriplets(triples, freeze(_odd_ones(hierarchy, triples)), leaves)


def displays(hierarchy: Hierarchy | Ontology, triplets: TripletSet | Sequence[Sequence[Hashable]]) -> np.ndarray:
    """Tell for each triplet whether the hierarchy displays it.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
        With open nodes, or several parents of a term: whether each triplet is certain.
    triplets : TripletSet or list of (a, b, c)
        The leaf index of a set may differ from the hierarchy's. Labels decide. A list of labels has ab|c in each entry.

    Returns
    -------
    ndarray of bool, shape (len(triplets),)
        Parallel to ``triplets.rows`` of a set, which are sorted, or to the entries of a list, in its order. A triple
        that the hierarchy leaves unresolved is not displayed.

    See Also
    --------
    satisfies : the same of flat clusters.

    Notes
    -----
    A hierarchy satisfies all constraints by Definition 4.1 of the paper of ReCon if ``displays(h, triplets).all()``.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    >>> t = TripletSet.from_labels([("human", "chimp", "gorilla"), ("human", "gorilla", "chimp")])
    >>> list(zip(t, displays(h, t).tolist()))
    [(('chimp', 'human', 'gorilla'), True), (('gorilla', 'human', 'chimp'), False)]
    >>> displays(h, [("human", "gorilla", "chimp"), ("human", "chimp", "gorilla")]).tolist()
    [False, True]
    """
    hierarchy = checked(hierarchy)
    if isinstance(triplets, (list, tuple)):
        entries = [check_label_triple(row, k) for k, row in enumerate(triplets)]
        rows = hierarchy.leaves.indices([x for row in entries for x in row], what="triplets' leaves").reshape(-1, 3)
    else:
        rows = rows_over(check_triplets(triplets), hierarchy.leaves)
    return np.zeros(0, np.bool_) if len(rows) == 0 else _odd_ones(hierarchy, rows) == 2


def count_triplets(hierarchy: Hierarchy | Ontology) -> int:
    """Count the triplets that the hierarchy displays, without listing them.

    Returns
    -------
    int
        Exact, in linear time. A binary hierarchy of n leaves has n (n - 1) (n - 2) / 6, fewer if nodes are open.

    Examples
    --------
    >>> count_triplets(Hierarchy.from_nested([("a", "b"), "c", "d"]))
    2
    """
    hierarchy = checked(hierarchy)
    if isinstance(hierarchy, Ontology):
        return hierarchy.dominance.count()
    if hierarchy.incertae_sedis is None:
        return displayed_count(hierarchy.parent, hierarchy.n_leaves)
    return CertainTriplets(hierarchy).count()


def all_triplets(hierarchy: Hierarchy | Ontology, *, limit: int | None = DEFAULT_LIMIT) -> TripletSet:
    """List every triplet that the hierarchy displays.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
    limit : int or None
        The most triplets to list. None for no limit.

    Returns
    -------
    TripletSet
        `count_triplets` of them: up to n**3 / 6.

    Raises
    ------
    LimitExceededError
        If there are more than `limit`. Nothing is computed, ``.size`` is the number.
    MemoryError
        If they do not fit into this machine's memory. Nothing is computed, either.

    See Also
    --------
    sample_triplets : a random part of them.
    decompose : a smallest set that determines the hierarchy.

    Examples
    --------
    >>> list(all_triplets(Hierarchy.from_nested([("a", "b"), "c", "d"])))
    [('a', 'b', 'c'), ('a', 'b', 'd')]
    """
    hierarchy = checked(hierarchy)
    total = count_triplets(hierarchy)
    if limit is not None and total > check_count(limit, "limit"):
        msg = (
            f"{_there_are(total, hierarchy)}, more than the limit of {limit:,}; use sample_triplets or decompose, "
            f"restrict it to fewer leaves, or raise limit (12 bytes a triplet)"
        )
        raise LimitExceededError(msg, size=total, limit=limit)
    need = _BYTES_EACH * total
    if not fits_in_memory(need):
        msg = (
            f"{_there_are(total, hierarchy)}, and listing them takes some {need / 2**30:,.0f} GiB, more than this "
            f"machine's {memory() / 2**30:,.0f}; use sample_triplets or decompose, or restrict it to fewer leaves"
        )
        raise MemoryError(msg)
    return TripletSet(_listed(hierarchy, range(total)), hierarchy.leaves)


def sample_triplets(hierarchy: Hierarchy | Ontology, size: int, *, random_state: Any = None) -> TripletSet:
    """Draw different triplets that the hierarchy displays, every set of them equally likely.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
    size : int
        How many. At most ``count_triplets(hierarchy)``.
    random_state : None, int, Generator or RandomState
        The same value gives the same triplets.

    Returns
    -------
    TripletSet
        Exactly `size` triplets over all leaves of the hierarchy.

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
    rng = generator(random_state)
    hierarchy = checked(hierarchy)
    total = count_triplets(hierarchy)
    size = check_count(size, "size")
    if size > total:
        msg = f"size is {size:,}; {_there_are(total, hierarchy)}, and 0 to that many can be drawn"
        raise ValueError(msg)
    if total <= _MOST_RANKS:
        return TripletSet(_listed(hierarchy, distinct_integers(rng, total, size)), hierarchy.leaves)
    if isinstance(hierarchy, Ontology):
        msg = f"{_there_are(total, hierarchy)}, too many to be numbered; restrict it to fewer items"
        raise LimitExceededError(msg, size=total, limit=_MOST_RANKS)
    return _sampled_by_rejection(hierarchy, size, rng)


def _sampled_by_rejection(hierarchy: Hierarchy, size: int, rng: np.random.Generator) -> TripletSet:
    """Draw triples until enough are resolved. For hierarchies of over 3.8 million leaves, where most triples are."""
    n = hierarchy.n_leaves
    found = TripletSet(np.empty((0, 3), np.int32), hierarchy.leaves)
    while len(found) < size:
        triples = rng.integers(0, n, size=(2 * (size - len(found)) + 16, 3), dtype=np.int32)
        a, b, c = triples.T
        triples = triples[(a != b) & (a != c) & (b != c)]
        found = found | induce(hierarchy, triples).triplets
    return found.subset(np.sort(rng.permutation(len(found))[:size]))


def _listed(hierarchy: Hierarchy | Ontology, ranks: range | np.ndarray) -> np.ndarray:
    """The triplets with the given numbers, as rows (a, b, c). Block by block, between which Ctrl-C is heard."""
    rows = np.empty((len(ranks), 3), np.int32)
    for low in range(0, len(ranks), _BLOCK):
        some = ranks[low : low + _BLOCK]
        numbers = np.arange(some.start, some.stop) if isinstance(some, range) else some
        rows[low : low + _BLOCK] = _unranked(hierarchy, numbers)
    return rows


def _unranked(hierarchy: Hierarchy | Ontology, ranks: np.ndarray) -> np.ndarray:
    """The triplets with the given numbers, as rows (a, b, c)."""
    if isinstance(hierarchy, Ontology):
        return hierarchy.dominance.unranked(ranks)
    if hierarchy.incertae_sedis is not None:
        return CertainTriplets(hierarchy).unranked(ranks)
    # as in CertainTriplets, but the leaves outside of a node are those before and behind its own in depth-first order
    start, stop, order = hierarchy.leaf_intervals
    up = hierarchy.parent[:-1]
    pairs = sibling_pairs(hierarchy.parent, start, stop)
    outside = hierarchy.n_leaves - (stop[up] - start[up]).astype(np.int64)
    end = np.cumsum(pairs * outside)
    x = np.searchsorted(end, ranks, side="right")
    up = hierarchy.parent[x]
    rest = ranks - (end[x] - pairs[x] * outside[x])
    rest, c = np.divmod(rest, outside[x])
    a, b = np.divmod(rest, (stop[up] - stop[x]).astype(np.int64))
    c = np.where(c < start[up], c, c - start[up] + stop[up])
    return np.stack([order[start[x] + a], order[stop[x] + b], order[c]], axis=1)


def checked(hierarchy: Any) -> Hierarchy | Ontology:
    """Return a hierarchy that has a root, or an ontology, as the tree that it is if some terms of it are open."""
    if isinstance(hierarchy, Ontology):
        tree = hierarchy.certain_tree
        return hierarchy if tree is None else tree
    return check_rooted(hierarchy)


def _there_are(total: int, hierarchy: Hierarchy | Ontology) -> str:
    if isinstance(hierarchy, Ontology) or hierarchy.incertae_sedis is not None:
        return f"{total:,} triplets are certain"
    return f"the hierarchy displays {total:,} triplets"


def _odd_ones(hierarchy: Hierarchy | Ontology, triples: np.ndarray) -> np.ndarray:
    """Return the column of the odd one out in each triple of leaf indices. -1 if it is unresolved or not entailed."""
    if isinstance(hierarchy, Ontology):
        return hierarchy.dominance.odd(triples)
    odd = engine.rooted_tree.induced_odd(triples, *hierarchy.ancestor_table)
    if hierarchy.incertae_sedis is not None:
        odd[_uncertain(hierarchy, hierarchy.incertae_sedis, triples, odd)] = -1
    return odd


def _uncertain(hierarchy: Hierarchy, opened: np.ndarray, triples: np.ndarray, odd: np.ndarray) -> np.ndarray:
    """The numbers of the displayed triplets that are not certain: where the child of the root towards c is open."""
    n, parent = hierarchy.n_leaves, hierarchy.parent
    start, stop, _ = hierarchy.leaf_intervals
    # only leaves at or below an open node matter
    depth = np.zeros(n + 1, np.int64)
    at = np.flatnonzero(opened)
    np.add.at(depth, start[at], 1)
    np.add.at(depth, stop[at], -1)
    concerned = np.cumsum(depth[:-1])[start[:n]] > 0
    row = np.flatnonzero(odd >= 0)
    c = triples[row, odd[row]]
    row, c = row[concerned[c]], c[concerned[c]]
    a = triples[row, (odd[row] + 1) % 3]
    meet = engine.rooted_tree.common_ancestors(frozen(a), frozen(c), *hierarchy.ancestor_table)
    # children in the order of their numbers have their leaves in depth-first order
    first, child = hierarchy._children
    key = parent[child].astype(np.int64) * (n + 1) + start[child]
    towards = child[np.searchsorted(key, meet.astype(np.int64) * (n + 1) + start[c], side="right") - 1]
    return row[opened[towards]]


def _check_triples(leaf_triples: Any, leaves: LeafIndex) -> np.ndarray:
    """Leaf triples, given as an array of indices or as tuples of labels, as read-only int32 of shape (m, 3)."""
    if isinstance(leaf_triples, np.ndarray) and leaf_triples.dtype.kind in "iu":
        triples = leaf_triples
    else:
        entries = check_entries(leaf_triples, "leaf_triples")
        labels = [check_label_triple(row, k, "triple") for k, row in enumerate(entries)]
        triples = leaves.indices([x for row in labels for x in row], what="triples' leaves").reshape(-1, 3)
    return frozen(check_triplet_rows(triples, len(leaves), "triple"))


def displayed(hierarchy: Hierarchy, rows: np.ndarray) -> np.ndarray:
    """Tell which triplets, rows (a, b, c) of leaves with a and b in any order, the hierarchy displays."""
    a, b, c = (freeze(np.ascontiguousarray(x, dtype=np.int32)) for x in rows.T)
    above = engine.rooted_tree.common_ancestors
    return above(a, b, *hierarchy.ancestor_table) < above(a, c, *hierarchy.ancestor_table)


def rows_over(triplets: TripletSet, leaves: LeafIndex) -> np.ndarray:
    """The rows of a set as indices into another leaf index that holds the leaves it uses."""
    if triplets.leaves == leaves:
        return triplets.rows
    used = triplets.used_leaves
    number = np.full(len(triplets.leaves), -1, np.int32)
    number[used] = leaves.indices((triplets.leaves[i] for i in used.tolist()), what="triplets' leaves")
    return freeze(number[triplets.rows])
