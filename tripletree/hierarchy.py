"""Hierarchy: a rooted tree with labelled leaves, held in one parent array."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree._parents import (
    checked_parent,
    children_first,
    nested_parent,
    node_names,
    node_ranks,
    node_values,
    number_of_leaves,
    renumbered,
    scrambled,
)
from tripletree._pictures import Drawn, image_html, sketch_svg
from tripletree._reshaped import Reshaped
from tripletree.errors import InvalidHierarchyError
from tripletree.leaves import LeafIndex

__all__ = ["Hierarchy"]


class Hierarchy(Reshaped):
    """An immutable rooted tree whose leaves are labelled.

    Nodes 0..n-1 are the leaves in `leaves` order, then come the inner nodes, each after all of its children; the root
    is last. ``parent[u] > u`` for every node but the root, so a forward loop over the nodes is bottom-up and a
    backward loop is top-down, whatever the depth.

    Parameters
    ----------
    parent : array_like of int, shape (N,)
        Parent of each node, -1 for the root. Nodes 0..n-1 must be the leaves; inner nodes in any order (they are
        renumbered once if need be).
    leaves : LeafIndex, iterable of labels, int or None
        Labels of the n leaves; by default 0..n-1.
    height : array_like of float, shape (N,), optional
        Height of each node, such as the distance at which an agglomeration merged it.
    length : array_like of float, shape (N,), optional
        Length of the branch above each node, NaN where unknown. Give `height` or `length` or neither.
    names : sequence of str or None, length N - n, optional
        Names of the inner nodes.
    ranks : sequence of str or None, length N, optional
        Rank of each node, leaves and inner nodes alike, such as "genus" and "species".

    Attributes
    ----------
    parent : ndarray of int32, shape (N,)
    leaves : LeafIndex
    names : tuple of (str or None), or None
    ranks : tuple of (str or None), or None

    Raises
    ------
    InvalidHierarchyError
        If `parent` is no tree (a cycle, several roots, an inner node without children) or the arrays do not fit.
    DuplicateLeafError
        If two leaves have one label.

    Notes
    -----
    ``==`` compares the labelled topology: equal when both have the same leaves and the same clades (nodes with one
    child included), whatever the order of leaves, of children and of inner nodes. Heights, lengths, names and
    ranks do not count. `hash` agrees with it.

    Examples
    --------
    >>> h = Hierarchy([3, 3, 4, 4, -1], ["human", "chimp", "gorilla"])
    >>> h
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    >>> h == Hierarchy.from_nested(["gorilla", ["chimp", "human"]])
    True
    """

    def __init__(
        self,
        parent: Any,
        leaves: LeafIndex | Iterable[Hashable] | int | None = None,
        *,
        height: Any = None,
        length: Any = None,
        names: Sequence[str | None] | None = None,
        ranks: Sequence[str | None] | None = None,
    ) -> None:
        raw = checked_parent(parent)
        if leaves is not None and not isinstance(leaves, LeafIndex):
            leaves = LeafIndex(leaves)
        n = number_of_leaves(raw, None if leaves is None else len(leaves))
        order = children_first(raw, n)
        N = raw.size
        if order is not None:
            raw = renumbered(raw, order)
        if height is not None and length is not None:
            msg = "give height or length, not both: the one is the difference of the other"
            raise InvalidHierarchyError(msg)
        self.parent: np.ndarray = raw
        self.leaves: LeafIndex = LeafIndex(n) if leaves is None else leaves
        self._height = node_values(height, "height", N, order)
        self._length = node_values(length, "length", N, order)
        if self._height is not None and not np.isfinite(self._height).all():
            msg = "height must be finite at every node; give length, with NaN, where some are unknown"
            raise InvalidHierarchyError(msg)
        self.names: tuple[str | None, ...] | None = node_names(names, n, N, order)
        self.ranks: tuple[str | None, ...] | None = node_ranks(ranks, N, order)

    @classmethod
    def from_nested(cls, nested: Any) -> Hierarchy:
        """Make a hierarchy from lists or tuples in each other; anything else in them is a leaf label.

        Parameters
        ----------
        nested : list or tuple (of ...) of hashable
            ``[["a", "b"], "c"]`` is the hierarchy that displays ab|c.

        Returns
        -------
        Hierarchy

        Raises
        ------
        InvalidHierarchyError
            If a list is empty.
        DuplicateLeafError
            If a label occurs twice.

        Examples
        --------
        >>> Hierarchy.from_nested([("a", "b"), ("c", "d", "e")]).n_leaves
        5
        """
        parent, labels = nested_parent(nested)
        return cls(parent, LeafIndex(labels))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaves)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return self.parent.size

    @property
    def root(self) -> int:
        """The root: the last node."""
        return self.parent.size - 1

    @cached_property
    def n_children(self) -> np.ndarray:
        """Number of children of each node: int64, shape (N,)."""
        return freeze(np.bincount(self.parent[:-1], minlength=self.n_nodes))

    @cached_property
    def depth(self) -> np.ndarray:
        """Number of edges between the root and each node: int32, shape (N,)."""
        return freeze(_kernels.rooted_tree.depths(self.parent))

    @property
    def is_binary(self) -> bool:
        """Whether every inner node has exactly two children."""
        return bool((self.n_children[self.n_leaves :] == 2).all())

    @property
    def has_unary(self) -> bool:
        """Whether some node has exactly one child."""
        return bool((self.n_children == 1).any())

    @cached_property
    def length(self) -> np.ndarray | None:
        """Length of the branch above each node (float64, shape (N,)), NaN where unknown; None for a bare topology."""
        if self._height is None:
            return self._length
        length = np.full(self.n_nodes, np.nan)
        length[:-1] = self._height[self.parent[:-1]] - self._height[:-1]
        return freeze(length)

    @cached_property
    def height(self) -> np.ndarray | None:
        """Height of each node (float64, shape (N,)), or None unless every branch has a length.

        From lengths: the greatest distance of any leaf from the root, less the node's own.
        """
        if self._height is not None or self._length is None or np.isnan(self._length[:-1]).any():
            return self._height
        distance = _kernels.rooted_tree.path_sums(self.parent, self._length)
        return freeze(distance[: self.n_leaves].max() - distance)

    @cached_property
    def _children(self) -> tuple[np.ndarray, np.ndarray]:
        start, child = _kernels.rooted_tree.child_lists(self.parent)
        return freeze(start), freeze(child)

    @cached_property
    def leaf_intervals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Depth-first order of the leaves: ``start, stop`` (int32, shape (N,)) and ``order`` (int32, shape (n,)).

        The clade of node u is ``order[start[u]:stop[u]]``.
        """
        start, stop, order = _kernels.rooted_tree.leaf_intervals(self.parent, self.n_leaves)
        return freeze(start), freeze(stop), freeze(order)

    @cached_property
    def ancestor_table(self) -> tuple[np.ndarray, np.ndarray]:
        """What a kernel needs for common ancestors: each leaf's depth-first position, and a sparse table.

        Memory O(n log n): 8 MB at 100,000 leaves, 80 MB at 1,000,000.
        """
        start, stop, _ = self.leaf_intervals
        gap = _kernels.rooted_tree.gap_nodes(self.parent, stop, self.n_leaves)
        return freeze(start[: self.n_leaves].copy()), freeze(_kernels.rooted_tree.range_maximum_table(freeze(gap)))

    def common_ancestor(self, labels: Iterable[Hashable]) -> int:
        """Return the node that is the last common ancestor of some leaves.

        Raises
        ------
        UnknownLeafError
            If a label is not a leaf here.

        Examples
        --------
        >>> h = Hierarchy.from_nested([("a", "b"), "c"])
        >>> h.common_ancestor(["a", "b"]), h.common_ancestor(["b", "c"])
        (3, 4)
        """
        start, _, order = self.leaf_intervals
        at = start[self.leaves.indices(labels)]
        if at.size == 0:
            msg = "no leaf is given: the last common ancestor of none is no node"
            raise ValueError(msg)
        first, last = order[[at.min()]], order[[at.max()]]
        return int(_kernels.rooted_tree.common_ancestors(freeze(first), freeze(last), *self.ancestor_table)[0])

    def children(self, node: int) -> np.ndarray:
        """Children of a node in increasing order (int32; empty for a leaf).

        Examples
        --------
        >>> Hierarchy.from_nested([("a", "b"), "c"]).children(4).tolist()
        [2, 3]
        """
        node = self._checked_node(node)
        start, child = self._children
        return child[start[node] : start[node + 1]]

    def clade(self, node: int) -> list[Any]:
        """Labels of the leaves below a node (of the leaf itself, for a leaf), in depth-first order.

        Examples
        --------
        >>> Hierarchy.from_nested([("a", "b"), "c"]).clade(3)
        ['a', 'b']
        """
        node = self._checked_node(node)
        start, stop, order = self.leaf_intervals
        return [self.leaves[i] for i in order[start[node] : stop[node]].tolist()]

    def label(self, node: int) -> Any:
        """Label of a leaf, name of an inner node (None where it has none).

        Examples
        --------
        >>> Hierarchy([2, 2, -1], ["a", "b"], names=["both"]).label(2)
        'both'
        """
        node = self._checked_node(node)
        if node < self.n_leaves:
            return self.leaves[node]
        return None if self.names is None else self.names[node - self.n_leaves]

    def _checked_node(self, node: int) -> int:
        if not 0 <= node < self.n_nodes:
            msg = f"there is no node {node}: nodes are 0..{self.n_nodes - 1}, the root is {self.root}"
            raise IndexError(msg)
        return node

    def suppress_unary(self) -> Hierarchy:
        """Return the hierarchy without the nodes that have one child; their branch lengths are added up.

        Examples
        --------
        >>> Hierarchy.from_nested([[["a", "b"]], "c"]).suppress_unary() == Hierarchy.from_nested([["a", "b"], "c"])
        True
        """
        return self._kept(np.arange(self.n_leaves), self.leaves, keep_unary=False) if self.has_unary else self

    @cached_property
    def _canonical(self) -> np.ndarray:
        return _kernels.rooted_tree.canonical_parent(self.parent, self.n_leaves)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        if self is other:
            return True
        if self.n_nodes != other.n_nodes or self.n_leaves != other.n_leaves:
            return False
        if self.leaves != other.leaves:
            if any(x not in self.leaves for x in other.leaves):
                return False
            other = other.reindex(self.leaves)
        return bool(np.array_equal(self._canonical, other._canonical))

    @cached_property
    def _hash(self) -> int:
        # a sum of scrambled label hashes for each clade, and a sum of those scrambled: no order matters
        start, stop, order = self.leaf_intervals
        labels = np.fromiter((hash(x) & 0xFFFFFFFFFFFFFFFF for x in self.leaves), np.uint64, self.n_leaves)
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(scrambled(labels)[order], dtype=np.uint64)])
        return int(scrambled(total[stop] - total[start]).sum(dtype=np.uint64))

    def __hash__(self) -> int:
        return hash((self.n_nodes, self._hash))

    def __reduce__(self) -> Any:
        # read-only arrays come back writable, and derived ones would be stored: construct anew
        values = {"height": self._height, "length": self._length, "names": self.names, "ranks": self.ranks}
        return partial(Hierarchy, self.parent, self.leaves, **values), ()  # type: ignore[arg-type]

    def __repr__(self) -> str:
        n, inner = self.n_leaves, self.n_nodes - self.n_leaves
        words = ["1 leaf" if n == 1 else f"{n} leaves", "1 inner node" if inner == 1 else f"{inner} inner nodes"]
        if inner:
            most = int(self.n_children.max())
            words.append("binary" if self.is_binary else f"up to {most} child{'ren' if most > 1 else ''}")
        if self.has_unary:
            words.append("unary nodes")
        return f"<Hierarchy: {', '.join(words)}, depth {self.depth.max()}>"

    def _repr_html_(self) -> str:
        # what a notebook shows: the top of the dendrogram, as an image
        start, stop, order = self.leaf_intervals
        height = self.height
        flat = height is None or not np.isfinite(height).all() or bool((height == height[0]).all())
        up = _kernels.cuts.levels(self.parent) if flat else height

        def children(node: int) -> list[int]:
            return sorted(self.children(node).tolist(), key=lambda v: int(order[start[v] : stop[v]].min()))

        caption = repr(self)[1:-1]
        return image_html(
            sketch_svg(Drawn(self.root, children, stop - start, np.asarray(up), self.label), caption), caption
        )
