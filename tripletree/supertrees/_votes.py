"""Source trees as votes: one value that holds them all, and the hierarchy of those that agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.decomposition import decompose, decomposition_size
from tripletree.hierarchy import Hierarchy
from tripletree.leaves import LeafIndex
from tripletree.onetree import one_tree
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["Votes", "agreed", "collect", "refuse"]

#: Triplets of all decompositions up to which they are listed to see whether the trees agree.
MOST_ROWS = 3_000_000


@dataclass(frozen=True, eq=False)
class Votes:
    """Trees over taxa 0..n-1 as leaf sequences, see ``_kernels/votes.py``, and the weight of each of their triplets.

    Attributes
    ----------
    n : int
        Number of taxa.
    taxon, gap, tree : ndarray of int32, shape (S,)
        The leaves of each tree in depth-first order, where each meets the next, and the number of its tree.
    weight : ndarray of float64, shape (k,)
        Of one triplet of each tree.
    copies : ndarray of int64, shape (k,)
        How many of the trees given each stands for.
    """

    n: int
    taxon: np.ndarray
    gap: np.ndarray
    tree: np.ndarray
    weight: np.ndarray
    copies: np.ndarray

    @cached_property
    def nodes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nodes of the trees: parent, and where the leaves and the inner nodes of each tree begin."""
        parent, leaves, inners = _kernels.votes.nodes(self.gap)
        return freeze(parent), freeze(leaves), freeze(inners)

    @cached_property
    def occurrences(self) -> tuple[np.ndarray, np.ndarray]:
        """The places of each taxon in the sequence: where each list begins (n + 1), and the lists."""
        begin = np.concatenate([[0], np.cumsum(np.bincount(self.taxon, minlength=self.n))])
        return freeze(begin.astype(np.int64)), freeze(np.argsort(self.taxon, kind="stable").astype(np.int32))

    @cached_property
    def n_triplets(self) -> np.ndarray:
        """How many triplets each tree displays: int64, shape (k,)."""
        return freeze(_kernels.votes.number_of_triplets(*self.nodes))

    @property
    def total(self) -> float:
        """The weight of all triplets of all trees."""
        return float((self.weight * self.n_triplets).sum())

    def divided(self, part: np.ndarray, k: int) -> list[tuple[np.ndarray, Votes | None]]:
        """The taxa of each of k parts, ascending, and the trees restricted to them (None where no votes are left)."""
        start, taxon, gap, tree = _kernels.votes.divide(self.taxon, self.gap, self.tree, freeze(part), k)
        taxa = np.argsort(part, kind="stable")
        bound = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=k))]).tolist()
        number = np.empty(self.n, np.int32)
        number[taxa] = np.arange(self.n) - np.repeat(bound[:-1], np.diff(bound))
        out: list[tuple[np.ndarray, Votes | None]] = []
        for j, (low, high) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
            votes = None
            if low < high:
                first = np.concatenate([[True], gap[low : high - 1] == _kernels.votes.END])
                own = (np.cumsum(first) - 1).astype(np.int32)
                arrays = frozen(number[taxon[low:high]]), frozen(gap[low:high]), frozen(own)
                old = tree[low:high][first]
                votes = Votes(bound[j + 1] - bound[j], *arrays, freeze(self.weight[old]), freeze(self.copies[old]))
            out.append((taxa[bound[j] : bound[j + 1]], votes))
        return out


def collect(hierarchies: Sequence[Hierarchy], leaves: LeafIndex, weights: np.ndarray, *, per_tree: bool) -> Votes:
    """Put trees over one leaf index in an order of their own: the same whatever order they are given in.

    Trees that are equal become one with the sum of their weights; trees without triplets are left out. With `per_tree`
    the weight of a tree is shared among its triplets.
    """
    found: dict[tuple[bytes, bytes], list[float]] = {}
    for h, weight in zip(hierarchies, weights.tolist(), strict=True):
        taxa, parent = _canonical(h, leaves)
        found.setdefault((taxa.tobytes(), parent.tobytes()), []).append(weight)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    weight_of, copies = [], []
    for key in sorted(found, key=lambda key: (-len(key[0]), key)):
        taxa, parent = (np.frombuffer(x, np.int32) for x in key)
        _, stop, order = _kernels.rooted_tree.leaf_intervals(parent, taxa.size)
        met = _kernels.rooted_tree.gap_nodes(parent, freeze(stop), taxa.size)
        if parent.size - taxa.size < 2:
            continue  # a star, or a leaf alone: no triplet
        number = np.full(taxa.size, len(parts), np.int32)
        parts.append((taxa[order], np.append(met, np.int32(_kernels.votes.END)), number))
        weight_of.append(sum(sorted(found[key])))
        copies.append(len(found[key]))
    none = np.empty(0, np.int32)
    taxon, gap, tree = (freeze(np.concatenate([none, *x])) for x in zip((none, none, none), *parts, strict=True))
    weight, counts = np.array(weight_of, np.float64), np.array(copies, np.int64)
    votes = Votes(len(leaves), taxon, gap, tree, freeze(weight), freeze(counts))
    if per_tree:
        weight = weight / votes.n_triplets
    # the largest is 1, so that sums neither vanish nor overflow
    return replace(votes, weight=freeze(weight / weight.max(initial=np.finfo(float).tiny)))


def _canonical(h: Hierarchy, leaves: LeafIndex) -> tuple[np.ndarray, np.ndarray]:
    """The taxa of a hierarchy, ascending, and its parent array over them in that order."""
    h = h.suppress_unary()
    taxa = leaves.indices(h.leaves)
    order = np.argsort(taxa)
    parent = h.parent.copy()
    parent[: taxa.size] = h.parent[order]
    return taxa[order], _kernels.rooted_tree.canonical_parent(freeze(parent), taxa.size)


def _rows(hierarchies: Sequence[Hierarchy], leaves: LeafIndex) -> np.ndarray:
    """Triplets that identify each of the trees, over one leaf index."""
    rows = [np.empty((0, 3), np.int32)]
    for h in hierarchies:
        rows.append(leaves.indices(h.leaves)[decompose(h).rows])
    return np.concatenate(rows).astype(np.int32)


def agreed(hierarchies: Sequence[Hierarchy], votes: Votes, leaves: LeafIndex) -> np.ndarray | None:
    """The hierarchy that `one_tree` builds of all triplets of all trees, as a parent array; None where there is none.

    In every set of leaves that BUILD comes to, a set of triplets that identifies a tree ties the same leaves together
    as all triplets of the tree do: the set has leaves below two or more children of one node, of each of them all or
    none, and the set of triplets joins the leaves below each of these. So while the smallest such sets are small they
    are listed, and BUILD is near-linear on every shape; otherwise (nodes with thousands of children) the first splits
    of the trees themselves are taken, in time in proportion to the depth.
    """
    if sum(decomposition_size(h) for h in hierarchies) > MOST_ROWS:
        return _split_down(votes)
    parent, failed = split_down(_rows(hierarchies, leaves), votes.n)
    return None if failed.size else freeze(parent)


def refuse(hierarchies: Sequence[Hierarchy], leaves: LeafIndex) -> None:
    """Raise the InconsistentTripletsError of trees that do not agree."""
    one_tree(TripletSet(_rows(hierarchies, leaves), leaves))


def _split_down(votes: Votes) -> np.ndarray | None:
    """Split the taxa into the parts that no vote ties together, and those again: a parent array, or None."""
    n = votes.n
    up_leaf = np.zeros(n, np.int32)
    up_inner = [-1]
    todo: list[tuple[int, np.ndarray, Votes | None]] = [(0, np.arange(n), votes if votes.taxon.size else None)]
    while todo:
        node, taxa, own = todo.pop()
        if own is None:
            up_leaf[taxa] = node
            continue
        part = _kernels.votes.parts(own.taxon, own.gap, own.n)
        k = int(part.max()) + 1
        if k == 1:
            return None
        for these, inside in own.divided(part, k):
            if these.size == 1:
                up_leaf[taxa[these]] = node
            else:
                todo.append((len(up_inner), taxa[these], inside))
                up_inner.append(node)
    # inner nodes were numbered from the root down: turn them round
    last = n + len(up_inner) - 1
    parent = np.concatenate([last - up_leaf, last - np.array(up_inner[::-1])]).astype(np.int32)
    parent[-1] = -1
    return freeze(parent)
