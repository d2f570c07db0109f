"""The certain triplets of a hierarchy with open nodes, counted and numbered.

`algorithms.induce` says which they are, and why. It and `decompose` number them here, and `Ontology.resolution` counts
them.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.parents import exact_dot, sibling_pairs


class CertainTriplets:
    """The certain triplets of a hierarchy, numbered: by pairs of leaves that meet in a node, and leaves apart from it.

    A leaf outside of a node u is *apart* from u if the two meet in a node whose child towards the leaf is not open.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = h = hierarchy
        start, stop, _ = h.leaf_intervals
        opened = np.zeros(h.n_nodes, np.bool_) if h.incertae_sedis is None else h.incertae_sedis
        self.closed = Beside(h, ~opened)
        self.leaves = Beside(h, np.where(opened, 0, stop - start))
        #: how many leaves are apart from each node
        beside = freeze(self.leaves.total.astype(np.float64))
        self.apart = engine.rooted_tree.path_sums(h.parent, beside).astype(np.int64)
        self.pairs = sibling_pairs(h.parent, start, stop)

    def count(self) -> int:
        """Count them."""
        return exact_dot(self.pairs, self.apart[self.hierarchy.parent[:-1]])

    def unranked(self, ranks: np.ndarray) -> np.ndarray:
        """Return the triplets with the given numbers, as rows (a, b, c)."""
        h = self.hierarchy
        start, stop, order = h.leaf_intervals
        outside = self.apart[h.parent[:-1]]
        end = np.cumsum(self.pairs * outside)
        x = np.searchsorted(end, ranks, side="right")
        up = h.parent[x]
        rest = ranks - (end[x] - self.pairs[x] * outside[x])
        rest, c = np.divmod(rest, outside[x])
        a, b = np.divmod(rest, (stop[up] - stop[x]).astype(np.int64))
        # leaves that meet the node higher up have smaller numbers
        top = engine.rooted_tree.last_above(h.parent, freeze(self.apart), freeze(up), freeze(c))
        third = self.leaf_beside(top, c - self.apart[h.parent[top]])
        return np.stack([order[start[x] + a], order[stop[x] + b], third], axis=1)

    def leaf_beside(self, node: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Return the k-th leaf below the closed siblings of each node."""
        start, _, order = self.hierarchy.leaf_intervals
        sibling, rest = self.leaves.nth(node, k)
        return order[start[sibling] + rest]


class Beside:
    """Weights of the siblings of each node.

    Attributes
    ----------
    total : int64[N]
        The weight of all siblings of each node, 0 for the root.
    """

    def __init__(self, hierarchy: Hierarchy, weight: np.ndarray) -> None:
        self.parent = hierarchy.parent
        self.first, self.child = hierarchy._children
        self.weight = weight.astype(np.int64)
        #: the weights of all children, added up one by one
        self.sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.weight[self.child])])
        up = self.parent[:-1]
        self.total = np.zeros(self.parent.size, np.int64)
        self.total[:-1] = self.sums[self.first[up + 1]] - self.sums[self.first[up]] - self.weight[:-1]

    @cached_property
    def earlier(self) -> np.ndarray:
        """The weight of the siblings before each node."""
        before = np.zeros(self.parent.size, np.int64)
        before[self.child] = self.sums[:-1] - self.sums[self.first[self.parent[self.child]]]
        return before

    def nth(self, node: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sibling of each node in which the k-th unit of weight lies, and how many of its own are before."""
        k = k + np.where(k >= self.earlier[node], self.weight[node], 0) + self.sums[self.first[self.parent[node]]]
        at = np.searchsorted(self.sums, k, side="right") - 1
        return self.child[at], k - self.sums[at]
