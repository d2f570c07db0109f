"""What pairs imply: components of must-links, cannot-links between them, and where they contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tripletree._kernels import freeze
from tripletree.leaves import LeafIndex

__all__ = ["PairClosure", "blocks", "broken", "components", "implied_rows", "pair_closure", "paths_between"]


class PairClosure:
    """What consistent pairs say in all: components that hold together, and which of them are kept apart.

    Two leaves must be together exactly if they have one component; they must be apart exactly if `cannot` has their
    components. Nothing more follows from the pairs.

    Attributes
    ----------
    leaves : LeafIndex
    component : ndarray of int32, shape (n,)
        Of each leaf, 0..n_components-1 in the order of their first leaves. A leaf without must-links is one by itself.
    n_components : int
    cannot : ndarray of int32, shape (k, 2)
        Pairs of components, each with the smaller number first; sorted, unique.

    See Also
    --------
    PairwiseConstraints.closure : makes it.

    Examples
    --------
    >>> from tripletree.pairs import PairwiseConstraints
    >>> c = PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("c", "d")]).closure()
    >>> c.component.tolist(), c.cannot.tolist(), c.sizes.tolist()
    ([0, 0, 0, 1], [[0, 1]], [3, 1])
    >>> c
    <PairClosure: 4 leaves in 2 components, 1 pair of them kept apart; 3 must-links and 3 cannot-links in all>
    """

    def __init__(self, leaves: LeafIndex, component: np.ndarray, n_components: int, cannot: np.ndarray) -> None:
        self.leaves = leaves
        self.component, self.cannot = freeze(component), freeze(cannot)
        self.n_components = n_components

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of leaves of each component (int64)."""
        return freeze(np.bincount(self.component, minlength=self.n_components))

    @cached_property
    def order(self) -> np.ndarray:
        """The leaves by component, ascending in each: ``np.split(order, np.cumsum(sizes)[:-1])`` (int64)."""
        return freeze(np.argsort(self.component, kind="stable"))

    @property
    def n_must(self) -> int:
        """How many pairs of leaves must be together, all implied ones counted."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    @property
    def n_cannot(self) -> int:
        """How many pairs of leaves must be apart, all implied ones counted."""
        return int((self.sizes[self.cannot[:, 0]] * self.sizes[self.cannot[:, 1]]).sum())

    @property
    def is_complete(self) -> bool:
        """Whether every two components are kept apart, so that the components are the one partition that fits."""
        return self.cannot.shape[0] == self.n_components * (self.n_components - 1) // 2

    def groups(self, least: int = 2) -> list[list]:
        """Return the labels of each component of at least so many leaves.

        Examples
        --------
        >>> from tripletree.pairs import PairwiseConstraints
        >>> PairwiseConstraints.from_labels([("a", "b"), ("c", "b")], [("b", "d")]).closure().groups()
        [['a', 'b', 'c']]
        """
        parts = np.split(self.order, np.cumsum(self.sizes)[:-1]) if self.n_components else []
        return [[self.leaves[i] for i in part.tolist()] for part in parts if part.size >= least]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairClosure):
            return NotImplemented
        return (
            self.leaves == other.leaves
            and np.array_equal(self.component, other.component)
            and np.array_equal(self.cannot, other.cannot)
        )

    def __hash__(self) -> int:
        return hash((self.leaves, self.n_components, self.cannot.shape[0]))

    def __reduce__(self) -> Any:
        return PairClosure, (self.leaves, self.component, self.n_components, self.cannot)

    def __repr__(self) -> str:
        k, apart = self.n_components, self.cannot.shape[0]
        return (
            f"<PairClosure: {len(self.leaves):,} leaves in {k:,} component{'s' * (k != 1)}, {apart:,} "
            f"pair{'s' * (apart != 1)} of them kept apart; {self.n_must:,} must-links and {self.n_cannot:,} "
            "cannot-links in all>"
        )


def _graph(must: np.ndarray, n: int) -> Any:
    from scipy.sparse import coo_array

    ones = np.ones(2 * must.shape[0], np.int8)
    ends = np.concatenate([must, must[:, ::-1]])
    return coo_array((ones, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()


def components(must: np.ndarray, n: int) -> tuple[np.ndarray, int]:
    """The component of each leaf (int32), numbered in the order of their first leaves, and how many there are."""
    if must.shape[0] == 0:
        return np.arange(n, dtype=np.int32), n
    from scipy.sparse.csgraph import connected_components

    k, label = connected_components(_graph(must, n), directed=False)
    first = np.empty(k, np.int64)
    first[label[::-1]] = np.arange(n - 1, -1, -1)  # of a repeated place, the last value stays
    rank = np.empty(k, np.int32)
    rank[np.argsort(first)] = np.arange(k, dtype=np.int32)
    return rank[label], int(k)


def pair_closure(leaves: LeafIndex, must: np.ndarray, cannot: np.ndarray) -> tuple[PairClosure, np.ndarray]:
    """The closure of pairs, and which cannot-links the must-links break (if any, the closure means nothing)."""
    component, k = components(must, len(leaves))
    ends = component[cannot]
    key = ends.min(axis=1).astype(np.int64) * k + ends.max(axis=1) if len(ends) else np.empty(0, np.int64)
    apart = np.stack(np.divmod(np.unique(key), max(k, 1)), axis=1).astype(np.int32)
    return PairClosure(leaves, component, k, np.ascontiguousarray(apart)), ends[:, 0] == ends[:, 1]


def paths_between(must: np.ndarray, cannot: np.ndarray, n: int) -> Iterator[list[int]]:
    """For each cannot-link whose ends must-links connect, a shortest path of these, from end to end.

    A breadth-first search from each first end, where the rows have it side by side: O(n + p) each.
    """
    from scipy.sparse.csgraph import breadth_first_order

    graph = _graph(must, n)
    source, up = -1, np.empty(0)
    for a, b in cannot.tolist():
        if a != source:
            source, up = a, breadth_first_order(graph, a, return_predecessors=True)[1]
        way = [b]
        while way[-1] != a:
            way.append(int(up[way[-1]]))
        yield way[::-1]


def broken(must: np.ndarray, cannot: np.ndarray, n: int, most: int = 100) -> tuple[int, list[int]]:
    """Of the first cannot-links whose ends must-links connect, one with a shortest path, and that path."""
    return min(enumerate(paths_between(must, cannot[:most], n)), key=lambda found: len(found[1]))


def blocks(first: np.ndarray, size: np.ndarray, second: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, ...]:
    """All (block, i, j) with i in first..first+size-1 and j in second..second+width-1 of the same block."""
    count = size * width
    block = np.repeat(np.arange(count.size), count)
    within = np.arange(block.size) - np.repeat(np.cumsum(count) - count, count)
    i, j = np.divmod(within, width[block])
    return block, first[block] + i, second[block] + j


def implied_rows(closure: PairClosure) -> tuple[np.ndarray, np.ndarray]:
    """Every pair that must be together, and every one that must be apart, in no order."""
    order, sizes = closure.order, closure.sizes
    start = np.cumsum(sizes) - sizes
    at = np.arange(order.size)
    left = (start + sizes)[closure.component[order]] - at - 1  # how many of its component come behind each leaf
    _, i, j = blocks(at, np.ones_like(at), at + 1, left)
    a, b = closure.cannot[:, 0], closure.cannot[:, 1]
    _, x, y = blocks(start[a], sizes[a], start[b], sizes[b])
    return np.stack([order[i], order[j]], axis=1), np.stack([order[x], order[y]], axis=1)
