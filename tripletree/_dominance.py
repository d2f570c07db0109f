"""What each term of an ontology reaches, told by its dominator tree: the arrays behind the certain reading."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tripletree import _kernels
from tripletree._dag import Numbered
from tripletree._kernels import freeze, frozen
from tripletree._parents import exact_dot, restricted, sibling_pairs
from tripletree.errors import LimitExceededError

__all__ = ["Dominance"]

#: Entries of a list beyond which an ontology is refused (4 bytes each); Gene Ontology has 300,000.
_MOST = 200_000_000


class Dominance:
    """The hierarchy that dominators make of the n leaf terms, and what its nodes reach besides.

    A term dominates what every path from the root leads through it to. ``parent`` is the tree of the lowest common
    dominators of the leaves, a parent array as in `Hierarchy` (leaves 0..n-1 first, no node with one child). What node
    d reaches is its own clade and others, disjoint: ``node[start[d - n]:start[d - n + 1]]`` lists them from left to
    right, the intervals of a depth-first order of the leaves. Their number is that of the places where paths from d
    leave what d dominates: none in a tree, and far from the square of the terms that bit sets would take.
    """

    def __init__(self, numbered: Numbered, n: int) -> None:
        self.n = n
        self._numbered = numbered
        self._idom = freeze(_kernels.dag.dominators(numbered.start, numbered.up, numbered.size))
        parent, old, _ = restricted(self._idom, n, np.arange(n, dtype=np.int32), False)
        self.parent: np.ndarray = parent
        self._old = old
        left, right, order = _kernels.rooted_tree.leaf_intervals(parent, n)
        self.left, self.right, self.order = freeze(left), freeze(right), freeze(order)

    @cached_property
    def ancestor_table(self) -> tuple[np.ndarray, np.ndarray]:
        """What a kernel needs for common ancestors, as `Hierarchy.ancestor_table`."""
        gap = _kernels.rooted_tree.gap_nodes(self.parent, self.right, self.n)
        return freeze(self.left[: self.n].copy()), freeze(_kernels.rooted_tree.range_maximum_table(freeze(gap)))

    @cached_property
    def _held(self) -> np.ndarray:
        number = np.full(self._idom.size, -1, np.int32)
        number[self._old] = np.arange(self._old.size, dtype=np.int32)
        return _kernels.dominance.held(self._idom, freeze(number))

    @cached_property
    def _frontier(self) -> tuple[np.ndarray, np.ndarray]:
        start, up = self._numbered.start, self._numbered.up
        first = freeze(_kernels.dominance.frontier_starts(start, up, self._idom, _MOST))
        _expect_some(first)
        return first, freeze(_kernels.dominance.frontiers(start, up, self._idom, first))

    def _beside(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each of some numbered terms what it reaches and does not dominate: (place in `nodes`, node) pairs."""
        start, x = _kernels.dominance.closures(frozen(nodes), *self._frontier, _MOST)
        _expect_some(start)
        owner = np.repeat(np.arange(nodes.size), np.diff(start))
        node = self._held[x]
        return owner[node >= 0], node[node >= 0]

    def leaf_counts(self, nodes: np.ndarray) -> np.ndarray:
        """Number of leaves below each of some numbered terms: int64, parallel to `nodes`."""
        width = (self.right - self.left).astype(np.int64)
        owner, beside = self._beside(nodes)
        own = self._held[nodes]
        count = np.where(own >= 0, width[own], 0)
        np.add.at(count, owner, width[beside])
        return count

    @cached_property
    def reach(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``start, node`` as above (int64, int32), and ``before``: leaves in the clades listed before (int32)."""
        owner, beside = self._beside(self._old[self.n :])
        inner = self.parent.size - self.n
        owner = np.concatenate([np.arange(inner), owner])
        node = np.concatenate([np.arange(self.n, self.parent.size, dtype=np.int32), beside])
        by_place = np.argsort(owner * (self.n + 1) + self.left[node], kind="stable")
        owner, node = owner[by_place], node[by_place]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(owner, minlength=inner))])
        width = (self.right - self.left)[node].astype(np.int64)
        before = np.cumsum(width) - width
        before -= np.repeat(before[start[:-1]], np.diff(start))
        return freeze(start), freeze(node), freeze(before.astype(np.int32))

    @cached_property
    def reached(self) -> np.ndarray:
        """Number of leaves that each inner node reaches: int64, shape (N - n,)."""
        start, node, _ = self.reach
        total = np.concatenate([np.zeros(1, np.int64), np.cumsum((self.right - self.left)[node], dtype=np.int64)])
        return freeze(total[start[1:]] - total[start[:-1]])

    def odd(self, triples: np.ndarray) -> np.ndarray:
        """Column of the odd one out of each triple of leaves (int8), -1 where none is certain.

        ab|c is certain exactly when c is not below the lowest common dominator of a and b.
        """
        # what is certain holds in the dominators' hierarchy, too: nothing else can
        odd = _kernels.rooted_tree.induced_odd(triples, *self.ancestor_table)
        rows = np.flatnonzero(odd >= 0)
        which, chosen = odd[rows].astype(np.int64), triples[rows]
        at = np.arange(rows.size)
        a, b, c = (freeze(chosen[at, (which + k) % 3]) for k in (1, 2, 0))
        meeting = _kernels.rooted_tree.common_ancestors(a, b, *self.ancestor_table)
        odd[rows[self._below(meeting, c)]] = -1
        return odd

    def _below(self, node: np.ndarray, leaf: np.ndarray) -> np.ndarray:
        start, listed, _ = self.reach
        return _kernels.dominance.covered(
            freeze(node), freeze(self.left[leaf]), start, listed, self.left, self.right, self.n
        )

    def pairs_and_outside(self) -> tuple[np.ndarray, np.ndarray]:
        """For each node x but the root: pairs (a below x, b below a later sibling), leaves its parent cannot reach."""
        outside = self.n - self.reached[self.parent[:-1] - self.n]
        return sibling_pairs(self.parent, self.left, self.right), outside

    def count(self) -> int:
        """How many triplets are certain."""
        return exact_dot(*self.pairs_and_outside())

    def unranked(self, ranks: np.ndarray) -> np.ndarray:
        """The certain triplets of the given numbers, as rows (a, b, c): numbered by x, then as `pairs_and_outside`."""
        pairs, outside = self.pairs_and_outside()
        end = np.cumsum(pairs * outside)
        x = np.searchsorted(end, ranks, side="right")
        up = self.parent[x]
        rest = ranks - (end[x] - pairs[x] * outside[x])
        rest, k = np.divmod(rest, outside[x])
        a, b = np.divmod(rest, (self.right[up] - self.right[x]).astype(np.int64))
        c = _kernels.dominance.nth_outside(freeze(up), freeze(k), *self.reach, self.left, self.right, self.n)
        return np.stack([self.order[self.left[x] + a], self.order[self.right[x] + b], self.order[c]], axis=1)


def _expect_some(start: np.ndarray) -> None:
    if start.size == 0:
        msg = (
            f"this ontology is too entangled: what its terms reach beside what they dominate takes more than {_MOST:,} "
            "entries; take a part of it (select with root, restrict), or one tree with to_hierarchy(parent='deepest')"
        )
        raise LimitExceededError(msg, size=_MOST + 1, limit=_MOST)
