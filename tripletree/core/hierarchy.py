"""Hierarchy: a rooted tree with labelled leaves, held in one parent array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NoReturn

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.core.checks import check_choice, check_entries, check_numbers, check_supports, counted, described
from tripletree.core.html import Drawn, drawn_heights, image_html, sketch_svg
from tripletree.core.immutable import Immutable, cached, fixed
from tripletree.core.items import UNKNOWN_NODES, item_pairs, listed
from tripletree.core.leaves import LeafIndex, no_label, other_form, positions
from tripletree.core.parents import restricted, scrambled
from tripletree.core.paths import nodes_by_path
from tripletree.core.rerooting import (
    RootPlace,
    by_outgroup,
    midpoint,
    outgroup_node,
    rerooted,
    smallest_sides,
    ways_to_root,
)
from tripletree.errors import (
    SHOWN,
    DuplicateLeafError,
    InvalidHierarchyError,
    NotATreeError,
    UnknownLeafError,
    warn_user,
)


class Hierarchy(Immutable):
    """An immutable rooted tree with labelled leaves.

    Nodes 0..n-1 are the leaves in the order of `leaves`, then come the inner nodes, each after all of its children. The
    root is last. So ``parent[u] > u`` for every node but the root: a forward loop over the nodes is bottom-up and a
    backward loop is top-down, at any depth.

    Parameters
    ----------
    parent : array_like of int, shape (N,)
        Parent of each node, -1 for the root. Nodes 0..n-1 must be the leaves. Inner nodes may come in any order (they
        are renumbered if needed).
    leaves : LeafIndex, iterable of labels, int or None
        Labels of the n leaves. By default 0..n-1.
    height : array_like of float, shape (N,), optional
        Height of each node, such as the distance at which a clustering merged it.
    length : array_like of float, shape (N,), optional
        Length of the branch above each node, NaN if unknown. Give at most one of `height` and `length`.
    names : sequence of str or None, length N - n, optional
        Names of the inner nodes.
    ranks : sequence of str or None, length N, optional
        Rank of each node, leaves included, such as "genus" and "species".
    incertae_sedis : array_like of bool, shape (N,), or of int, optional
        The *open* nodes, as a mask or by their numbers. An open node is known to be at or below its parent, no more:
        a specimen known to its genus only, a family of uncertain place in its order. The root is never open.
    rooted : bool
        False for a tree whose root is arbitrary. It can be read, drawn and written, but displays no triplets.
    synonyms : mapping of str to hashable, optional
        Other names: each with the label of a leaf or the name of an inner node. `attach` and `restrict` take them.
    support : array_like of float, shape (N - n,) or (N - n, k), optional
        The support of each inner node and of the branch above it, such as a bootstrap value or a posterior probability.
        NaN if unknown. With k columns a node has several numbers, as IQ-TREE writes them.

    Attributes
    ----------
    parent : ndarray of int32, shape (N,)
    leaves : LeafIndex
    names : tuple of (str or None), or None
    ranks : tuple of (str or None), or None
    incertae_sedis : ndarray of bool, shape (N,), or None
        None if no node is open.
    rooted : bool
    synonyms : mapping
        Read-only, empty if there are no other names.
    support : ndarray of float64, shape (N - n,), or None
        The first number of each inner node. None if no node has any.

    Raises
    ------
    InvalidHierarchyError
        If `parent` is not a tree (a cycle, several roots, an inner node without children) or an array has the wrong
        length.

    Notes
    -----
    ``==`` compares the labelled topology: two hierarchies are equal when they have the same leaves and the same clades
    (nodes with one child included), in any order of leaves, children and inner nodes, the same open nodes, and are both
    rooted or both not. Heights, lengths, names, ranks and support do not count. `hash` agrees with ``==``.

    A tree with open nodes stands for many trees: in each of them every open node hangs anywhere at or below its parent,
    with all that is below it. A triplet ab|c is *certain* if all of them display it. That is so exactly if this tree
    displays it and the child of the last common ancestor of a, b and c towards c is not open: an open c could be moved
    between a and b, and no move parts a and b below any other node.

    Examples
    --------
    >>> h = Hierarchy([3, 3, 4, 4, -1], ["human", "chimp", "gorilla"])
    >>> h
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    >>> h == Hierarchy.from_nested(["gorilla", ["chimp", "human"]])
    True
    """

    __slots__ = ()
    _how = "make another with Hierarchy(...), restrict, attach"

    parent: np.ndarray = fixed()
    leaves: LeafIndex = fixed()
    names: tuple[str | None, ...] | None = fixed()
    ranks: tuple[str | None, ...] | None = fixed()
    incertae_sedis: np.ndarray | None = fixed()
    rooted: bool = fixed()
    synonyms: Mapping[str, Any] = fixed()
    _height: np.ndarray | None = fixed()
    _length: np.ndarray | None = fixed()
    _support: np.ndarray | None = fixed()

    def __init__(
        self,
        parent: Any,
        leaves: LeafIndex | Iterable[Hashable] | int | None = None,
        *,
        height: Any = None,
        length: Any = None,
        names: Sequence[str | None] | None = None,
        ranks: Sequence[str | None] | None = None,
        incertae_sedis: Any = None,
        rooted: bool = True,
        synonyms: Mapping[str, Any] | None = None,
        support: Any = None,
    ) -> None:
        raw = _check_parent(parent)
        if leaves is not None and not isinstance(leaves, LeafIndex):
            leaves = LeafIndex(leaves)
        n = _number_of_leaves(raw, None if leaves is None else len(leaves))
        order = _children_first(raw, n)
        N = raw.size
        if order is not None:
            raw = _renumbered(raw, order)
        if height is not None and length is not None:
            msg = "give height or length, not both: lengths are differences of heights"
            raise InvalidHierarchyError(msg)
        heights = _node_values(height, "height", N, order)
        if heights is not None and not np.isfinite(heights).all():
            msg = "height must be finite at every node; give length, with NaN for unknown ones"
            raise InvalidHierarchyError(msg)
        index = LeafIndex(n) if leaves is None else leaves
        named = _node_names(names, n, N, order)
        self._hold(
            parent=raw,
            leaves=index,
            names=named,
            ranks=_node_ranks(ranks, N, order),
            incertae_sedis=_open_nodes(incertae_sedis, N, order),
            rooted=_check_flag(rooted, "rooted"),
            synonyms=check_synonyms(synonyms, index, named),
            _height=heights,
            _length=_node_values(length, "length", N, order),
            _support=_node_support(support, n, N, order),
        )

    @classmethod
    def from_nested(cls, nested: Any) -> Hierarchy:
        """Make a hierarchy from nested lists or tuples. Anything else in them is a leaf label.

        Parameters
        ----------
        nested : list or tuple (of ...) of hashable
            ``[["a", "b"], "c"]`` is the hierarchy that displays ab|c.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> Hierarchy.from_nested([("a", "b"), ("c", "d", "e")]).n_leaves
        5
        """
        parent, labels = _nested_parent(nested)
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

    @cached
    def open_leaves(self) -> list[Any]:
        """Return the labels of the open leaves, in the order of the leaves.

        Examples
        --------
        >>> h = Hierarchy([3, 3, 4, 4, -1], ["robur", "alba", "some oak"], incertae_sedis=[2])
        >>> h.open_leaves
        ['some oak']
        """
        if self.incertae_sedis is None:
            return []
        return [self.leaves[i] for i in np.flatnonzero(self.incertae_sedis[: self.n_leaves]).tolist()]

    @property
    def support(self) -> np.ndarray | None:
        """Support of each inner node (float64, shape (N - n,)), NaN if unknown. None if no node has support.

        Examples
        --------
        >>> Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], support=[98, float("nan")]).support
        array([98., nan])
        """
        return None if self._support is None else self._support[:, 0]

    @cached
    def n_children(self) -> np.ndarray:
        """Number of children of each node: int64, shape (N,)."""
        return freeze(np.bincount(self.parent[:-1], minlength=self.n_nodes))

    @cached
    def depth(self) -> np.ndarray:
        """Number of edges between the root and each node: int32, shape (N,)."""
        return freeze(engine.rooted_tree.depths(self.parent))

    @property
    def is_binary(self) -> bool:
        """True if every inner node has exactly two children."""
        return bool((self.n_children[self.n_leaves :] == 2).all())

    @property
    def has_unary(self) -> bool:
        """True if some node has exactly one child."""
        return bool((self.n_children == 1).any())

    @cached
    def length(self) -> np.ndarray | None:
        """Length of the branch above each node (float64, shape (N,)), NaN if unknown. None without lengths."""
        if self._height is None:
            return self._length
        length = np.full(self.n_nodes, np.nan)
        length[:-1] = self._height[self.parent[:-1]] - self._height[:-1]
        return freeze(length)

    @cached
    def height(self) -> np.ndarray | None:
        """Height of each node (float64, shape (N,)), or None unless every branch has a length.

        Computed from lengths, it is the largest distance of a leaf from the root minus the node's own distance.
        """
        if self._height is not None or self._length is None or np.isnan(self._length[:-1]).any():
            return self._height
        distance = engine.rooted_tree.path_sums(self.parent, self._length)
        return freeze(distance[: self.n_leaves].max() - distance)

    @cached
    def _children(self) -> tuple[np.ndarray, np.ndarray]:
        start, child = engine.rooted_tree.child_lists(self.parent)
        return freeze(start), freeze(child)

    @cached
    def leaf_intervals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The leaves in depth-first order: ``start, stop`` (int32, shape (N,)) and ``order`` (int32, shape (n,)).

        The leaves below node u are ``order[start[u]:stop[u]]``.
        """
        start, stop, order = engine.rooted_tree.leaf_intervals(self.parent, self.n_leaves)
        return freeze(start), freeze(stop), freeze(order)

    @cached
    def ancestor_table(self) -> tuple[np.ndarray, np.ndarray]:
        """For common ancestors in constant time: each leaf's depth-first position, and a range maximum table.

        Memory O(n log n): 8 MB at 100,000 leaves, 80 MB at 1,000,000.
        """
        start, stop, _ = self.leaf_intervals
        gap = engine.rooted_tree.gap_nodes(self.parent, stop, self.n_leaves)
        return freeze(start[: self.n_leaves].copy()), freeze(engine.rooted_tree.range_maximum_table(freeze(gap)))

    def common_ancestor(self, labels: Iterable[Hashable]) -> int:
        """Return the lowest common ancestor of some leaves.

        Examples
        --------
        >>> h = Hierarchy.from_nested([("a", "b"), "c"])
        >>> h.common_ancestor(["a", "b"]), h.common_ancestor(["b", "c"])
        (3, 4)
        """
        start, _, order = self.leaf_intervals
        at = start[self.leaves.indices(labels)]
        if at.size == 0:
            msg = "labels is empty; give at least one leaf"
            raise ValueError(msg)
        # the ancestor of the leftmost and the rightmost leaf is the ancestor of all between them
        first, last = order[[at.min()]], order[[at.max()]]
        return int(engine.rooted_tree.common_ancestors(freeze(first), freeze(last), *self.ancestor_table)[0])

    def children(self, node: int) -> np.ndarray:
        """Return the children of a node in increasing order (int32, empty for a leaf).

        Examples
        --------
        >>> Hierarchy.from_nested([("a", "b"), "c"]).children(4).tolist()
        [2, 3]
        """
        node = self._check_node(node)
        start, child = self._children
        return child[start[node] : start[node + 1]]

    def clade(self, node: int) -> list[Any]:
        """Return the labels of the leaves below a node (of a leaf: its own), in depth-first order.

        Examples
        --------
        >>> Hierarchy.from_nested([("a", "b"), "c"]).clade(3)
        ['a', 'b']
        """
        node = self._check_node(node)
        start, stop, order = self.leaf_intervals
        return [self.leaves[i] for i in order[start[node] : stop[node]].tolist()]

    def label(self, node: int) -> Any:
        """Return the label of a leaf or the name of an inner node (None for a node without a name).

        Examples
        --------
        >>> Hierarchy([2, 2, -1], ["a", "b"], names=["both"]).label(2)
        'both'
        """
        node = self._check_node(node)
        if node < self.n_leaves:
            return self.leaves[node]
        return None if self.names is None else self.names[node - self.n_leaves]

    def _check_node(self, node: int) -> int:
        if isinstance(node, (bool, np.bool_)) or not isinstance(node, (int, np.integer)):
            several = isinstance(node, Iterable) and not isinstance(node, str)
            cure = "common_ancestor gives the node of some leaves" if several else "subtree takes the name of one"
            msg = f"expected the number of a node, 0..{self.root}, got {described(node)}; {cure}"
            raise TypeError(msg)
        if not 0 <= node < self.n_nodes:
            msg = f"there is no node {node}: nodes are 0..{self.n_nodes - 1}, the root is {self.root}"
            raise IndexError(msg)
        return node

    # ------------------------------------------------------------------ other hierarchies made from this one

    def restrict(self, labels: Iterable[Hashable], *, keep_unary: bool = False) -> Hierarchy:
        """Return the hierarchy on some of the leaves.

        Parameters
        ----------
        labels : iterable of hashable
            The leaves to keep. The result has them in this order.
        keep_unary : bool
            If True, keep nodes that are left with one child (they have names, but display no triplets).

        Returns
        -------
        Hierarchy
            It displays exactly the triplets of this hierarchy that have all three leaves among `labels`. The same is
            true of certain triplets: a leaf stays open where its parent stays. A leaf asked for by another name
            (`synonyms`, or its path such as ``"Food > Bread"``) has that name.

        See Also
        --------
        subtree : all leaves below a node.

        Examples
        --------
        >>> h = Hierarchy.from_nested([[["a", "b"], "c"], "d"])
        >>> h.restrict(["a", "c", "d"]) == Hierarchy.from_nested([["a", "c"], "d"])
        True
        """
        if isinstance(labels, str):
            msg = f"expected a list of labels, got the text {labels!r}; restrict([{labels!r}]) keeps that one leaf"
            raise TypeError(msg)
        leaves = labels if isinstance(labels, LeafIndex) else LeafIndex(labels)
        if len(leaves) == 0:
            msg = "labels is empty; give at least one leaf"
            raise InvalidHierarchyError(msg)
        meant = by_own_label(leaves, self.leaves, self.synonyms)
        try:
            kept = self.leaves.indices(meant)
        except UnknownLeafError as error:
            named = set(self.names or ())
            lost = [x for x in error.labels if x not in named]
            node, remarks = nodes_by_path(lost, self.leaves, self.names, self.parent)
            _check_only_leaves(error.labels, self.leaves, {*named, *(x for x, u in node.items() if u >= self.n_leaves)})
            if remarks or len(node) < len(error.labels):
                lost = [x for x in error.labels if x not in node]
                raise UnknownLeafError(lost, self.leaves.labels, notes=remarks) from None
            found = {x: self.leaves[u] for x, u in node.items()}
            kept = self.leaves.indices(_once(found.get(x, x) for x in meant))
        return self._kept(kept, leaves, keep_unary=keep_unary)

    def subtree(self, node: Any) -> Hierarchy:
        """Return the hierarchy at and below a node.

        Parameters
        ----------
        node : hashable
            The label of a leaf or the name of an inner node. An integer is the number of a node unless some leaf is
            labelled by an integer.

        Returns
        -------
        Hierarchy
            With the node as its root. Names, ranks, heights, lengths, support and nodes with one child stay.

        Raises
        ------
        InvalidHierarchyError
            If several nodes have the name.

        See Also
        --------
        restrict : keep some of the leaves.
        prune : keep the part above a depth or rank.

        Examples
        --------
        >>> from tripletree import parse_newick, write_newick
        >>> h = parse_newick("((cat,dog)carnivore,(owl,eagle)bird)animal;")
        >>> write_newick(h.subtree("bird"))
        '(owl,eagle)bird;'
        """
        n, N = len(self.leaves), self.parent.size
        at = _node_called(node, self.leaves, self.names, self.parent)
        start, stop, _ = engine.rooted_tree.leaf_intervals(self.parent, n)
        # by numbers, too: a node with one child has the same clade as its parent, but a smaller number
        below = (start >= start[at]) & (stop <= stop[at]) & (np.arange(N) <= at)
        old = np.flatnonzero(below).astype(np.int32)
        number = np.full(N + 1, -1, np.int32)  # the last entry serves parent -1
        number[old] = np.arange(old.size, dtype=np.int32)
        length = None if self._length is None else self._length[old]
        opened = None if self.incertae_sedis is None else self.incertae_sedis[old]
        return self._made(number[self.parent[old]], self.leaves.take(old[old < n]), old, length=length, opened=opened)

    def reindex(self, leaves: LeafIndex | Iterable[Hashable]) -> Hierarchy:
        """Return the same hierarchy over a leaf index with the same labels in another order.

        Examples
        --------
        >>> h = Hierarchy.from_nested([("a", "b"), "c"])
        >>> h.reindex(LeafIndex(["c", "b", "a"])).parent.tolist()
        [4, 3, 3, 4, -1]
        """
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        if leaves == self.leaves:
            return self
        kept = self.leaves.indices(leaves)
        if len(leaves) < len(self.leaves):
            raise UnknownLeafError([x for x in self.leaves if x not in leaves], leaves.labels)
        return self._kept(kept, leaves, keep_unary=True)

    def attach(
        self,
        items: Any,
        *,
        keep: Literal["items", "all"] = "items",
        missing: Literal["raise", "ignore"] = "raise",
        exact: bool = False,
        keep_unary: bool = False,
    ) -> Hierarchy:
        """Attach items, such as samples, to named nodes (leaves or inner nodes), and return the hierarchy on the items.

        Parameters
        ----------
        items : mapping, Series, DataFrame or iterable of pairs
            The node of each item: the label of a leaf or the name of an inner node, or a list of one. A text that is
            neither is taken for a path such as ``"Food > Bread"`` if one node has it. Where labels are whole paths, it
            is taken for the last name of one. A pandas Series
            has the items as its index. A DataFrame has two columns, the item and its node.
        keep : {"items", "all"}
            The leaves of the result: the items only, or also the leaves of this hierarchy that got no item.
        missing : {"raise", "ignore"}
            How to treat items that have no node, or one that is unknown here: raise an error, or leave them out.
        exact : bool
            By default an item of an inner node is *open*: it may be anywhere at or below that node, as a specimen
            known to its genus only may be of any species. True says that such an item is a child of the node and in
            no other child of the node.
        keep_unary : bool
            If True, keep nodes that are left with one child (they have names, but display no triplets).

        Returns
        -------
        Hierarchy
            Its leaves are the items in the order given, then, with ``keep="all"``, the leaves without items. A leaf
            with two items becomes an inner node named by the leaf's label. A single item replaces its leaf, unless
            unary nodes are kept. ``.open_leaves`` lists the items of inner nodes.

        Raises
        ------
        UnknownLeafError
            If some nodes (with ``missing="ignore"``: all nodes) are neither labels nor names of this hierarchy.
            ``.labels`` lists them.
        NotATreeError
            If an item has several nodes. ``.node`` and ``.parents`` are the first such item and its nodes.
        InvalidHierarchyError
            If several nodes have a name that is used, an item has no node, or there are no items.

        See Also
        --------
        restrict : for items that are leaves already.

        Notes
        -----
        An item is an instance of its node: it has the node's height, a branch of length 0, and no rank. It may have the
        name of a node, even of its own.

        Examples
        --------
        >>> from tripletree import parse_newick
        >>> h = parse_newick("((cat,dog)carnivore,(owl,eagle)bird)animal;")
        >>> samples = h.attach({"Tom": "cat", "Rex": "dog", "some carnivore": "carnivore", "Hedwig": ["owl"]})
        >>> samples.open_leaves
        ['some carnivore']
        >>> from tripletree import write_newick
        >>> write_newick(samples, names=False)
        "((Tom,Rex,'some carnivore'[&incertae_sedis=1]),Hedwig);"
        """
        check_choice(keep, "keep", ("items", "all"))
        pairs = item_pairs(items, self.leaves, missing=missing)
        index, at = _one_node_each(*pairs, self.leaves, self.names, self.parent, self.synonyms, missing=missing)
        n, m = len(self.leaves), len(index)
        full = np.zeros(n, np.bool_)
        full[at[at < n]] = True
        bare = np.flatnonzero(~full)
        labels = index
        if keep == "all" and bare.size:
            labels = _items_and_leaves(index, [self.leaves[i] for i in bare.tolist()])
        # new nodes in order: the items, the leaves without items, the leaves that became inner nodes, the inner nodes.
        # `old` has the old node of each
        old = np.concatenate([at, bare, np.flatnonzero(full), np.arange(n, self.parent.size)])
        number = np.full(self.parent.size + 1, -1, np.int32)  # the last entry serves parent -1
        number[old[m:]] = np.arange(m, old.size, dtype=np.int32)
        grown = freeze(np.concatenate([number[at], number[self.parent[old[m:]]]]))
        parent, chosen, stays = restricted(grown, m + bare.size, np.arange(len(labels)), keep_unary)
        length = None
        if self._length is not None:
            length = freeze(np.concatenate([np.zeros(m), self._length[old[m:]]]))
            length = engine.rooted_tree.chain_lengths(grown, length, stays)[chosen]
        opened = None
        if self.incertae_sedis is not None or (not exact and (at >= n).any()):
            known = np.zeros(self.parent.size, np.bool_) if self.incertae_sedis is None else self.incertae_sedis
            opened = np.concatenate([(at >= n) & (not exact), known[old[m:]]])
            opened = opened[engine.rooted_tree.chain_tops(grown, stays)[chosen]]
        return self._made(parent, labels, old[chosen], length=length, opened=opened, fresh=m)

    def contract(self, nodes: Any) -> Hierarchy:
        """Remove inner nodes that are not taxa, such as "unclassified beetles". Their children become open.

        Parameters
        ----------
        nodes : array_like of bool, shape (N,), or iterable of int or str
            The inner nodes to remove, but the root: a mask, numbers of nodes, or names. A name stands for all nodes
            that have it.

        Returns
        -------
        Hierarchy
            On the same leaves. The children of a removed node hang from the nearest node above it that stays. They are
            open there, as nothing is known of them but that they are below it.

        Examples
        --------
        >>> from tripletree import count_triplets, parse_newick
        >>> h = parse_newick("((robur,alba)Quercus,(x,y)rest)Fagaceae;")
        >>> count_triplets(h), count_triplets(h.contract(["rest"]))
        (4, 0)
        >>> h.contract(["rest"]).open_leaves
        ['x', 'y']
        """
        n, N = len(self.leaves), self.parent.size
        gone = _nodes_to_contract(nodes, self.names, n, N)
        up = self.parent.copy()
        up[-1] = N - 1
        while True:  # each round doubles the number of nodes that are passed
            far = np.flatnonzero(gone[up])
            if far.size == 0:
                break
            up[far] = up[up[far]]
        up[-1] = -1
        opened = gone[self.parent]
        if self.incertae_sedis is not None:
            opened |= self.incertae_sedis
        opened[-1] = False
        old = np.flatnonzero(~gone).astype(np.int32)
        number = np.full(N + 1, -1, np.int32)  # the last entry serves parent -1
        number[old] = np.arange(old.size, dtype=np.int32)
        length = None
        if self._length is not None:
            length = engine.rooted_tree.chain_lengths(self.parent, self._length, freeze(~gone))[old]
        return self._made(number[up[old]], self.leaves, old, length=length, opened=opened[old])

    def prune(
        self,
        *,
        depth: int | None = None,
        rank: str | None = None,
        keep: Literal["all", "cut"] = "all",
        unnamed: Literal["error", "number"] = "error",
    ) -> Hierarchy:
        """Remove everything below a depth or a rank. The nodes there become leaves, labelled by their names.

        Parameters
        ----------
        depth : int, optional
            Number of edges below the root at which to cut. Nodes with one child count.
        rank : str, optional
            Cut below every node of this rank, the uppermost if several are on one path. Give either `depth` or `rank`.
        keep : {"all", "cut"}
            "all" also keeps leaves above the cut, and leaves in a branch without a node of that rank, as they are.
            "cut" keeps only the nodes at the cut.
        unnamed : {"error", "number"}
            How to treat inner nodes at the cut that have no name: raise an error, or label node 17 "node 17".

        Returns
        -------
        Hierarchy
            Its leaves are in the order of the first leaf below each. Nodes with one child stay. `suppress_unary`
            removes them.

        Raises
        ------
        InvalidHierarchyError
            If the hierarchy has no ranks, a node at the cut has no name, or ``keep="cut"`` leaves nothing.

        See Also
        --------
        restrict : remove leaves rather than levels.

        Examples
        --------
        >>> from tripletree import parse_newick, write_newick
        >>> h = parse_newick("(((human,chimp)hominini,gorilla)hominidae,(gibbon)hylobatidae)apes;")
        >>> write_newick(h.prune(depth=2))
        '((hominini,gorilla)hominidae,(gibbon)hylobatidae)apes;'
        >>> write_newick(h.prune(depth=1))
        '(hominidae,hylobatidae)apes;'
        """
        check_choice(keep, "keep", ("all", "cut"))
        check_choice(unnamed, "unnamed", ("error", "number"))
        n, N = len(self.leaves), self.parent.size
        cut, what = _cut_nodes(self.parent, self.ranks, depth, rank)
        # `passed` counts the cuts on the path from the root to each node. A node stays if there is no cut above it. It
        # is a new leaf if it is cut or was a leaf
        passed = engine.rooted_tree.path_sums(self.parent, freeze(cut.astype(np.float64))) + float(cut[-1])
        stays = passed == cut
        ends = stays & (cut | (np.arange(N) < n))
        order = engine.rooted_tree.by_smallest_leaf(self.parent, n)
        leaf = order[ends[order]]
        labels = _cut_labels(self.leaves, self.names, leaf, what, unnamed)
        old = np.concatenate([leaf, np.flatnonzero(stays & ~ends)]).astype(np.int32)
        number = np.full(N + 1, -1, np.int32)  # the last entry serves parent -1
        number[old] = np.arange(old.size, dtype=np.int32)
        length = None if self._length is None else self._length[old]
        opened = None if self.incertae_sedis is None else self.incertae_sedis[old]
        pruned = self._made(number[self.parent[old]], labels, old, length=length, opened=opened)
        if keep == "all":
            return pruned
        at_cut = np.flatnonzero(cut[leaf])
        if at_cut.size == 0:
            msg = f"there are no nodes {what}, so keep='cut' leaves no leaf"
            raise InvalidHierarchyError(msg)
        return pruned if at_cut.size == leaf.size else pruned._kept(at_cut, labels.take(at_cut), keep_unary=True)

    def reroot(self, outgroup: Any) -> Hierarchy:
        """Return the tree with its root on the branch between an outgroup and the other leaves, or at the midpoint.

        Parameters
        ----------
        outgroup : hashable, iterable of hashable, or "midpoint"
            The label of a leaf, the name of an inner node, or a list of such. One branch must part them from all other
            leaves. "midpoint" puts the root in the middle between the two leaves that are the farthest apart by the
            lengths of branches (``["midpoint"]`` is a leaf of that name).

        Returns
        -------
        Hierarchy
            On the same leaves, and ``rooted``. The branch with the root is halved by an outgroup. An old root with two
            children is gone, its branches are joined. Names and ranks stay with their nodes. Support belongs to the
            branch above its node, so it moves to that branch's new lower end. Heights become lengths.

        Raises
        ------
        InvalidHierarchyError
            If no branch parts the outgroup from the others, a branch has no length that the midpoint needs, or an open
            node is where branches are turned around.
        UnknownLeafError
            If there is no leaf or inner node of that name.

        Notes
        -----
        No leaf leaves its place on the unrooted tree: all writings of one unrooted tree give equal results. Time and
        memory O(n), whatever the depth.

        Examples
        --------
        >>> from tripletree import parse_newick, write_newick
        >>> h = parse_newick("[&U] (a:1,b:1,((c:1,d:1)95:2,out:9)90:1);")
        >>> h
        <Hierarchy: 5 leaves, 3 inner nodes, up to 3 children, unrooted, depth 3>
        >>> write_newick(h.reroot("out"))
        '(((a:1,b:1)90:1,(c:1,d:1)95:2):4.5,out:4.5);'
        >>> write_newick(h.reroot("midpoint"))
        '(((a:1,b:1)90:1,(c:1,d:1)95:2):3,out:6);'
        """
        n = len(self.leaves)
        place = self._root_place(outgroup)
        if place is None:
            return self._but(rooted=True)
        found = rerooted(self.parent, n, place, self.length)
        if self.incertae_sedis is not None:
            moved = self.incertae_sedis[found.turned].any()
            if moved or self.incertae_sedis[np.isin(self.parent, found.turned[1:])].any():
                msg = (
                    "an open node is at or next to a branch that would be turned around, so that nobody knows where it "
                    "belongs; close it first: Hierarchy(h.parent, h.leaves, length=h.length, names=h.names)"
                )
                raise InvalidHierarchyError(msg)
        old = found.old
        ranks = None if self.ranks is None else [None if u < 0 else self.ranks[u] for u in old.tolist()]
        names = None if self.names is None else [None if u < 0 else self.names[u - n] for u in old[n:].tolist()]
        opened = None if self.incertae_sedis is None else np.append(self.incertae_sedis, False)[old]
        return Hierarchy(
            found.parent,
            self.leaves,
            length=found.length,
            names=names,
            ranks=ranks,
            incertae_sedis=opened,
            synonyms=known_synonyms(self.synonyms, self.leaves, names),
            support=None if self._support is None else found.of_branches(self._support, n),
        )

    def _root_place(self, outgroup: Any) -> RootPlace | None:
        """Return the place where `reroot` puts the root. None if it is there already."""
        n = len(self.leaves)
        length = self.length
        if isinstance(outgroup, str) and outgroup == "midpoint":
            lacking = n if length is None else int(np.isnan(length[:-1]).sum())
            if lacking:
                known = "no branch has a length" if length is None else f"{lacking} branches have no length"
                msg = f"the midpoint needs the length of every branch, and {known}; "
                msg += by_outgroup(self.leaves[n - 1])
                raise InvalidHierarchyError(msg)
            place = None if length is None else midpoint(self.parent, n, length)
            if place is None:
                msg = f"all branches have length 0, so every place is the midpoint; {by_outgroup(self.leaves[n - 1])}"
                raise InvalidHierarchyError(msg)
            return None if place.node == self.root else place
        mask = self._outgroup(outgroup)
        if mask.all():
            msg = "the outgroup holds all leaves; the root goes between an outgroup and the others, so leave some out"
            raise InvalidHierarchyError(msg)
        at = outgroup_node(self.parent, n, mask)
        if at is None:
            others = [self.leaves[i] for i in np.flatnonzero(smallest_sides(self.parent, n, mask)).tolist()]
            first = self.leaves[int(np.flatnonzero(mask)[0])]
            msg = (
                f"no branch parts the outgroup ({listed([self.leaves[i] for i in np.flatnonzero(mask).tolist()])}) "
                f"from all other leaves: the smallest part with all of it also has {listed(others)}; "
                f"one leaf always does as an outgroup, such as {first!r}"
            )
            raise InvalidHierarchyError(msg)
        above = int(self.parent[at])
        start, stop, _ = self.leaf_intervals
        if self.n_children[above] == 2 and stop[above] - start[above] == self.n_leaves:  # the root is there
            return None
        return RootPlace(at, np.nan if length is None else float(length[at]) / 2)

    def _outgroup(self, outgroup: Any) -> np.ndarray:
        """Return the leaves of an outgroup given by labels and names, as a mask."""
        one = isinstance(outgroup, tuple) and outgroup in self.leaves
        if one or isinstance(outgroup, (str, bytes)) or not isinstance(outgroup, Iterable):
            outgroup = [outgroup]
        asked = dict.fromkeys(outgroup)
        if not asked:
            msg = "the outgroup is empty; give the label of a leaf, or 'midpoint'"
            raise InvalidHierarchyError(msg)
        other = {x: self.synonyms[x] for x in asked if x in self.synonyms}
        tell_synonyms(other)
        asked = dict.fromkeys(other.get(x, x) for x in asked)
        advice = "name the leaves of one of them"
        number = _numbers(asked, self.leaves, self.names, self.parent, advice=advice)
        start, stop, order = self.leaf_intervals
        mask = np.zeros(self.n_leaves, np.bool_)
        for u in number.values():
            mask[order[start[u] : stop[u]]] = True
        return mask

    def suppress_unary(self) -> Hierarchy:
        """Return the hierarchy without nodes that have one child. Their branch lengths are added to the branches below.

        Examples
        --------
        >>> Hierarchy.from_nested([[["a", "b"]], "c"]).suppress_unary() == Hierarchy.from_nested([["a", "b"], "c"])
        True
        """
        return self._kept(np.arange(self.n_leaves), self.leaves, keep_unary=False) if self.has_unary else self

    def _kept(self, kept: np.ndarray, leaves: LeafIndex, *, keep_unary: bool) -> Hierarchy:
        """Return the hierarchy on the leaves `kept` (indices), labelled by `leaves`."""
        parent, old, keep = restricted(self.parent, len(self.leaves), kept, keep_unary)
        length = opened = None
        if self._length is not None:
            length = engine.rooted_tree.chain_lengths(self.parent, self._length, keep)[old]
        if self.incertae_sedis is not None:
            # below a dropped node there is one kept branch, with no other to be moved into
            opened = self.incertae_sedis[engine.rooted_tree.chain_tops(self.parent, keep)[old]]
        return self._made(parent, leaves, old, length=length, opened=opened)

    def _made(
        self,
        parent: np.ndarray,
        leaves: LeafIndex,
        old: np.ndarray,
        *,
        length: np.ndarray | None,
        opened: np.ndarray | None,
        fresh: int = 0,
    ) -> Hierarchy:
        """A hierarchy whose node u has the height, name and rank of node old[u] here, the first `fresh` no rank."""
        n, inner = len(self.leaves), old[len(leaves) :].tolist()
        names: list[Any] | None = None
        if self.names is not None or (old[len(leaves) :] < n).any():
            known = self.names or (None,) * (self.parent.size - n)
            names = [self.leaves[u] if u < n else known[u - n] for u in inner]
        support = None
        if self._support is not None:
            at = old[len(leaves) :]
            support = np.where((at >= n)[:, None], self._support[np.maximum(at - n, 0)], np.nan)
        ranks: list[str | None] | None = None
        if self.ranks is not None:
            ranks = [None] * fresh + [self.ranks[u] for u in old[fresh:].tolist()]
        if opened is not None:
            opened[parent == -1] = False
        return Hierarchy(
            parent,
            leaves,
            height=None if self._height is None else self._height[old],
            length=length,
            names=names,
            ranks=ranks,
            incertae_sedis=opened,
            rooted=self.rooted,
            synonyms=known_synonyms(self.synonyms, leaves, names),
            support=support,
        )

    # ------------------------------------------------------------------ equality, pickle, display

    @cached
    def _canonical(self) -> np.ndarray:
        return freeze(engine.rooted_tree.canonical_parent(self.parent, self.n_leaves))

    @cached
    def _canonical_open(self) -> np.ndarray:
        """Return the canonical parents with one more node above each open node."""
        opened = self.incertae_sedis
        if opened is None:
            return self._canonical
        at = np.flatnonzero(opened)
        # the new nodes come last but for the root, children before parents as their lower neighbours do
        N, k = self.parent.size, at.size
        parent = np.concatenate([self.parent[:-1], self.parent[at], np.full(1, -1, np.int32)])
        parent[: N - 1][self.parent[:-1] == N - 1] = N - 1 + k
        parent[N - 1 : -1][self.parent[at] == N - 1] = N - 1 + k
        parent[at] = N - 1 + np.arange(k, dtype=np.int32)
        order = engine.rooted_tree.topological_order(freeze(parent), self.n_leaves)
        return freeze(engine.rooted_tree.canonical_parent(_renumbered(parent, order), self.n_leaves))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        if self is other:
            return True
        if self.n_nodes != other.n_nodes or self.n_leaves != other.n_leaves or self.rooted != other.rooted:
            return False
        if self.leaves != other.leaves:
            if any(x not in self.leaves for x in other.leaves):
                return False
            other = other.reindex(self.leaves)
        return bool(
            np.array_equal(self._canonical, other._canonical)
            and np.array_equal(self._canonical_open, other._canonical_open)
        )

    @cached
    def _hash(self) -> int:
        # the hash of a clade is the sum of its labels' scrambled hashes, the hash of the hierarchy is the sum of its
        # clades' scrambled ones: sums do not depend on any order
        start, stop, order = self.leaf_intervals
        labels = np.fromiter((hash(x) & 0xFFFFFFFFFFFFFFFF for x in self.leaves), np.uint64, self.n_leaves)
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(scrambled(labels)[order], dtype=np.uint64)])
        return int(scrambled(total[stop] - total[start]).sum(dtype=np.uint64))

    def __hash__(self) -> int:
        return hash((self.n_nodes, self._hash))

    def __reduce__(self) -> Any:
        # a pickle of the attributes would store cached arrays, and come back with writable ones: call the constructor
        return partial(Hierarchy, self.parent, self.leaves, **self._values()), ()

    def _values(self) -> dict[str, Any]:
        """Return the keywords of the constructor that make this hierarchy again."""
        values = {"height": self._height, "length": self._length, "names": self.names, "ranks": self.ranks}
        told = {"incertae_sedis": self.incertae_sedis, "rooted": self.rooted, "synonyms": dict(self.synonyms)}
        return values | told | {"support": self._support}

    def _but(self, **values: Any) -> Hierarchy:
        """Make this hierarchy again with other values for some keywords of the constructor."""
        leaves = values.pop("leaves", self.leaves)
        made = Hierarchy(self.parent, leaves, **(self._values() | values))
        made._attributes["notes"] = self._attributes.get("notes", ())  # of its reader
        return made

    def __repr__(self) -> str:
        n, inner = self.n_leaves, self.n_nodes - self.n_leaves
        words = ["1 leaf" if n == 1 else f"{n} leaves", "1 inner node" if inner == 1 else f"{inner} inner nodes"]
        if inner:
            most = int(self.n_children.max())
            words.append("binary" if self.is_binary else f"up to {most} child{'ren' if most > 1 else ''}")
        if self.has_unary:
            words.append("unary nodes")
        if self.incertae_sedis is not None:
            words.append(f"{int(self.incertae_sedis.sum())} open")
        if not self.rooted:
            words.append("unrooted")
        return f"<Hierarchy: {', '.join(words)}, depth {self.depth.max()}>"

    def _repr_html_(self) -> str:
        # shown by notebooks: the top of the dendrogram, as an image
        start, stop, order = self.leaf_intervals
        up, _ = drawn_heights(self.parent, self.height, self.n_leaves)

        def children(node: int) -> list[int]:
            return sorted(self.children(node).tolist(), key=lambda v: int(order[start[v] : stop[v]].min()))

        caption = repr(self)[1:-1]
        return image_html(sketch_svg(Drawn(self.root, children, stop - start, up, self.label), caption), caption)


# ---------------------------------------------------------------------- arguments of the constructor


def _check_parent(parent: Any) -> np.ndarray:
    """Return the parent array as read-only int32. Entries must be in range, and at most one of them the root's."""
    try:
        array = np.asarray(parent)
    except ValueError:
        msg = "parent must be a one-dimensional array of integers; got lists of different lengths"
        raise InvalidHierarchyError(msg) from None
    if array.ndim != 1 or array.size == 0:
        msg = f"parent must be a non-empty one-dimensional array; got shape {array.shape}"
        raise InvalidHierarchyError(msg)
    if array.dtype.kind not in "iu":
        msg = f"parent must hold integers (node numbers, -1 for the root), not {array.dtype}"
        raise InvalidHierarchyError(msg)
    array = frozen(array, array.dtype)  # checked and kept are the same, whatever another thread does meanwhile
    bad = np.flatnonzero((array < -1) | (array >= array.size))
    if bad.size:
        u = int(bad[0])
        msg = (
            f"the parent of node {u} is {int(array[u])}, but the nodes are 0..{array.size - 1}, and -1 stands for no "
            "parent"
        )
        raise InvalidHierarchyError(msg, node=u)
    roots = np.flatnonzero(array == -1)
    if roots.size > 1:
        shown = ", ".join(map(str, roots[:5].tolist())) + (", ..." if roots.size > 5 else "")
        msg = f"expected one root (parent -1), got {roots.size}: nodes {shown}"
        raise InvalidHierarchyError(msg, node=int(roots[1]))
    return frozen(array)


def _number_of_leaves(parent: np.ndarray, n_labels: int | None) -> int:
    """Count the nodes without children. They must be the first ones, and as many as there are labels."""
    childless = np.flatnonzero(np.bincount(parent[parent >= 0], minlength=parent.size) == 0)
    n = childless.size
    if n_labels is None:
        n_labels = n
    if n_labels == 0:
        msg = "leaves is empty; give at least one leaf"
        raise InvalidHierarchyError(msg)
    beyond = childless[childless >= n_labels]
    if beyond.size:
        u = int(beyond[0])
        msg = f"inner node {u} has no children: the {n_labels} leaves must be nodes 0..{n_labels - 1}"
        raise InvalidHierarchyError(msg, node=u)
    if n < n_labels:
        if n_labels > parent.size:
            msg = f"{n_labels} leaf labels for {parent.size} nodes"
            raise InvalidHierarchyError(msg)
        u = int(np.setdiff1d(np.arange(n_labels), childless)[0])
        msg = f"node {u} has children, but the {n_labels} leaves must be nodes 0..{n_labels - 1}"
        raise InvalidHierarchyError(msg, node=u)
    return n


def _children_first(parent: np.ndarray, n: int) -> np.ndarray | None:
    """Return the nodes in an order with children before parents, None if they are so already. Raise for a cycle."""
    N = parent.size
    if parent[-1] == -1 and bool((parent[:-1] > np.arange(N - 1)).all()):
        return None
    order = engine.rooted_tree.topological_order(parent, n)
    if order.size < N:
        u = int(np.setdiff1d(np.arange(N), order)[0])
        seen: list[int] = []
        while u not in seen:
            seen.append(u)
            u = int(parent[u])
        cycle = seen[seen.index(u) :]
        shown = " -> ".join(map(str, [*cycle[:8], "..."] if len(cycle) > 8 else [*cycle, cycle[0]]))
        msg = f"the parents run in a cycle: {shown}"
        raise InvalidHierarchyError(msg, node=u)
    return order


def _renumbered(parent: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the parent array with the nodes in another order."""
    number = np.empty(parent.size, np.int32)
    number[order] = np.arange(parent.size, dtype=np.int32)
    above = parent[order]
    return freeze(np.where(above >= 0, number[above], np.int32(-1)).astype(np.int32))


def _node_values(values: Any, what: str, N: int, order: np.ndarray | None) -> np.ndarray | None:
    """Return heights or lengths as read-only float64 in node order."""
    if values is None:
        return None
    array = check_numbers(values, N, what, "nodes", InvalidHierarchyError)
    if np.isinf(array).any():
        u = int(np.flatnonzero(np.isinf(array))[0])
        msg = f"the {what} of node {u} is {array[u]}; it must be finite (or NaN for an unknown length)"
        raise InvalidHierarchyError(msg, node=u)
    return freeze(array if order is None else array[order])


def _node_names(names: Any, n: int, N: int, order: np.ndarray | None) -> tuple[str | None, ...] | None:
    """Return the names of the inner nodes in node order. None if no node has one."""
    if names is None:
        return None
    names = [None if x is None or x == "" else str(x) for x in check_entries(names, "names")]
    if len(names) != N - n:
        msg = f"names must have one entry for each of the {N - n} inner nodes; got {len(names)}"
        raise InvalidHierarchyError(msg)
    if order is not None:
        names = [names[u - n] for u in order[n:].tolist()]
    return tuple(names) if any(x is not None for x in names) else None


def _node_ranks(ranks: Any, N: int, order: np.ndarray | None) -> tuple[str | None, ...] | None:
    """Return the ranks of all nodes in node order. None if no node has one."""
    if ranks is None:
        return None
    ranks = [None if x is None or x == "" else str(x) for x in check_entries(ranks, "ranks")]
    if len(ranks) != N:
        msg = f"ranks must have one entry for each of the {N} nodes, leaves included; got {len(ranks)}"
        raise InvalidHierarchyError(msg)
    if order is not None:
        ranks = [ranks[u] for u in order.tolist()]
    return tuple(ranks) if any(x is not None for x in ranks) else None


def _node_support(support: Any, n: int, N: int, order: np.ndarray | None) -> np.ndarray | None:
    """Return the support of the inner nodes in node order, a row each. None if no node has any."""
    if support is None:
        return None
    array = check_supports(support, N - n, InvalidHierarchyError)
    if np.isnan(array).all():
        return None
    return freeze(array if order is None else array[order[n:] - n])


def _open_nodes(given: Any, N: int, order: np.ndarray | None) -> np.ndarray | None:
    """Return the mask of open nodes in node order. None if no node is open."""
    mask = node_mask(given, "incertae_sedis", N)
    if mask is None:
        return None
    if order is not None:
        mask = mask[order]
    if mask[-1]:
        msg = f"incertae_sedis has the root, node {N - 1}, which has no parent to be below"
        raise InvalidHierarchyError(msg, node=N - 1)
    return freeze(mask)


def node_mask(given: Any, what: str, N: int) -> np.ndarray | None:
    """Return some nodes, given by a mask or by their numbers, as a mask. None if nothing is given."""
    if given is None:
        return None
    array = np.asarray(given if hasattr(given, "__len__") else list(given))
    if array.dtype == np.bool_:
        if array.shape != (N,):
            msg = f"{what} must have one entry for each of the {N} nodes; got shape {array.shape}"
            raise InvalidHierarchyError(msg)
        mask = array.copy()
    else:
        mask = np.zeros(N, np.bool_)
        mask[_check_numbers(array, what, N)] = True
    return mask if mask.any() else None


def _check_numbers(array: np.ndarray, what: str, N: int) -> np.ndarray:
    """Return an array of node numbers, each in range."""
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        msg = f"{what} must be a mask of {N} bool or a list of node numbers, not {array.dtype} of shape {array.shape}"
        raise InvalidHierarchyError(msg)
    bad = array[(array < 0) | (array >= N)]
    if bad.size:
        msg = f"{what} has node {int(bad[0])}, but the nodes are 0..{N - 1}"
        raise InvalidHierarchyError(msg)
    return array


def _nodes_to_contract(nodes: Any, names: tuple[str | None, ...] | None, n: int, N: int) -> np.ndarray:
    """Return the mask of the nodes that `contract` removes."""
    if isinstance(nodes, str):
        msg = f"expected a list of nodes, got the text {nodes!r}; contract([{nodes!r}]) removes that one"
        raise TypeError(msg)
    given = nodes if isinstance(nodes, np.ndarray) else check_entries(nodes, "nodes")
    if len(given) and all(isinstance(x, str) for x in given):
        asked = dict.fromkeys(given)
        known = dict.fromkeys(x for x in names or () if x is not None)
        unknown = [x for x in asked if x not in known]
        if unknown:
            raise UnknownLeafError(unknown, list(known), what="inner nodes")
        given = np.array([u for u, name in enumerate(names or (), n) if name in asked], np.int64)
    array = np.asarray(given)
    gone = np.zeros(N, np.bool_)
    if array.dtype == np.bool_ and array.shape == (N,):
        gone[array] = True
    else:
        gone[_check_numbers(array, "nodes", N)] = True
    if gone[:n].any() or gone[-1]:
        u = int(np.flatnonzero(gone)[0])
        msg = f"node {u} is a leaf; restrict leaves it out" if u < n else f"node {N - 1} is the root, which stays"
        raise InvalidHierarchyError(msg, node=u)
    return gone


def _check_flag(value: Any, what: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        msg = f"{what} must be True or False, not {value!r}"
        raise TypeError(msg)
    return bool(value)


def check_synonyms(
    synonyms: Mapping[str, Any] | None, leaves: LeafIndex, names: tuple[str | None, ...] | None
) -> Mapping[str, Any]:
    """Return other names by what they mean, all of which must be labels or names. Names of their own are left out."""
    if not synonyms:
        return _NO_SYNONYMS
    if not isinstance(synonyms, Mapping):
        msg = f"synonyms must be a mapping from another name to a label or name, not {type(synonyms).__name__}"
        raise TypeError(msg)
    known = known_synonyms(synonyms, leaves, names)
    if len(known) < len(synonyms):
        named = set(names or ())
        unknown = [x for x in synonyms.values() if x not in leaves and x not in named]
        if unknown:
            labels = [*leaves, *(x for x in dict.fromkeys(names or ()) if x is not None)]
            raise UnknownLeafError(list(dict.fromkeys(unknown)), labels, what="nodes that synonyms mean")
    return MappingProxyType(known) if known else _NO_SYNONYMS


def known_synonyms(synonyms: Mapping[str, Any], leaves: LeafIndex, names: Sequence[str | None] | None) -> Any:
    """Return the other names of nodes that are here, and are not themselves the label or name of a node."""
    if not synonyms:
        return {}
    named = set(names or ())
    return {
        x: node
        for x, node in synonyms.items()
        if (node in leaves or node in named) and x not in leaves and x not in named
    }


#: The synonyms of a hierarchy that has no synonyms.
_NO_SYNONYMS: Mapping[str, Any] = MappingProxyType({})


def by_own_label(asked: LeafIndex, leaves: LeafIndex, synonyms: Mapping[str, Any]) -> Any:
    """Return the labels of leaves that may have been asked for by other names, and tell which were."""
    if all(x in leaves for x in asked):
        return asked
    meant = [known_as(x, leaves, synonyms) for x in asked]
    _once(meant)
    told = {x: y for x, y in zip(asked, meant, strict=True) if x != y and y in leaves and y != other_form(x)}
    tell_synonyms(told)
    return meant


def known_as(name: Any, labels: LeafIndex, synonyms: Mapping[str, Any]) -> Any:
    """Return the label that a name stands for: itself, that of a synonym, or the other form of a whole number."""
    meant = name if name in labels else synonyms.get(name, name)
    return other if meant not in labels and (other := other_form(meant)) in labels else meant


def _once(meant: Iterable[Any]) -> list[Any]:
    """Return the labels meant. A DuplicateLeafError if one is meant twice."""
    meant = list(meant)
    twice = [x for x, count in Counter(meant).items() if count > 1]
    if twice:
        raise DuplicateLeafError(twice, where=", by two of its names; give one of them, or attach both as items")
    return meant


def tell_synonyms(found: Mapping[Any, Any]) -> None:
    """Warn that some names were taken for other names of nodes."""
    if found:
        shown = ", ".join(f"{x!r} for {y!r}" for x, y in list(found.items())[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        word = "name is another name" if len(found) == 1 else "names are other names"
        warn_user(f"{len(found)} {word} of what is known here: {shown}{more}", UserWarning)


def _nested_parent(nested: Any) -> tuple[list[int], list[Any]]:
    """Return the parents and leaf labels of nested lists or tuples."""
    labels: list[Any] = []
    leaf_above: list[int] = []
    above: list[int] = []  # parents of the inner nodes, all numbered in preorder
    met: dict[int, tuple[Any, int]] = {}  # each list by its id, and its node
    stack: list[tuple[Any, int]] = [(nested, -1)]
    while stack:
        item, p = stack.pop()
        if isinstance(item, (list, tuple)):
            if not item:
                msg = "an empty list is not a node: every inner node needs at least one child"
                raise InvalidHierarchyError(msg)
            if id(item) in met:
                _refuse_second(item, p, met[id(item)][1], above)
            met[id(item)] = item, len(above)
            above.append(p)
            stack.extend((x, len(above) - 1) for x in reversed(item))
        else:
            labels.append(item)
            leaf_above.append(p)
    # preorder numbers reversed put every child before its parent
    last = len(labels) + len(above) - 1
    return [last - p if p >= 0 else -1 for p in leaf_above + above[::-1]], labels


def _refuse_second(item: Any, p: int, first: int, above: list[int]) -> NoReturn:
    """Refuse a list below node `p` that is node `first`, too: one within itself has no end, and labels occur twice."""
    while p > first:
        p = above[p]
    if p == first:
        kind = type(item).__name__
        msg = f"a {kind} contains itself, directly or in another one; a node cannot be below itself"
        raise InvalidHierarchyError(msg)
    while isinstance(item, (list, tuple)):
        item = item[0]
    raise DuplicateLeafError([item])


# ---------------------------------------------------------------------- finding nodes by label or name


def _node_called(node: Any, leaves: LeafIndex, names: Sequence[str | None] | None, parent: np.ndarray) -> int:
    """Return the number of a node given by label, name, or number if no label is an integer."""
    numbers = not isinstance(leaves.labels, range) and not any(isinstance(x, int) for x in leaves)
    if isinstance(node, (int, np.integer)) and not isinstance(node, bool) and numbers:
        if not 0 <= node < parent.size:
            msg = f"there is no node {node}: nodes are 0..{parent.size - 1}, the root is {parent.size - 1}"
            raise IndexError(msg)
        return int(node)
    advice = "give the number of the node" if numbers else "make the names different"
    if no_label(node):
        msg = f"expected one node, by its label, name or number, got {described(node)}"
        raise TypeError(msg)
    return next(iter(_numbers({node: None}, leaves, names, parent, advice=advice).values()))


def _one_node_each(
    items: list[Any],
    nodes: list[Any],
    leaves: LeafIndex,
    names: Sequence[str | None] | None,
    parent: np.ndarray,
    synonyms: Mapping[str, Any],
    *,
    missing: str = "raise",
) -> tuple[LeafIndex, np.ndarray]:
    """Return the different items, and the number of each one's node."""
    if not items:
        msg = "items is empty; give at least one item"
        raise InvalidHierarchyError(msg)
    numbers = {x: y for x in positions(nodes) if x not in leaves and (y := other_form(x)) is not None}
    if numbers:  # as names: 101 is "101"
        named = set(names or ())
        same = {x: y for x, y in numbers.items() if x not in named and (y in leaves or y in named)}
        nodes = [same.get(x, x) for x in nodes]
    if synonyms:
        labels = {*leaves, *(names or ())}
        other = {x: synonyms[x] for x in dict.fromkeys(nodes) if x not in labels and x in synonyms}
        tell_synonyms(other)
        nodes = [other.get(x, x) for x in nodes]
    asked = dict.fromkeys(nodes)
    advice = "attach the items to nodes with unique names, such as ids"
    number = _numbers(
        asked, leaves, names, parent, some=missing == "ignore", hint=UNKNOWN_NODES[missing], advice=advice
    )
    if len(number) < len(asked):
        known = [k for k, x in enumerate(nodes) if x in number]
        items, nodes = [items[k] for k in known], [nodes[k] for k in known]
    if len(positions(items)) < len(items):
        _check_one_node(items, nodes)
    only = dict(zip(items, nodes, strict=True))
    at = np.fromiter(map(number.__getitem__, only.values()), np.int32, len(only))
    return LeafIndex(only), at


def _check_one_node(items: list[Any], nodes: list[Any]) -> None:
    """Raise if an item has several different nodes."""
    first: dict[Any, Any] = {}
    several: dict[Any, dict[Any, None]] = {}
    for item, node in zip(items, nodes, strict=True):
        other = first.setdefault(item, node)
        if other != node:
            several.setdefault(item, {other: None})[node] = None
    if several:
        item, found = next(iter(several.items()))
        others = len(several) - 1
        more = f", and {others} more {'item has' if others == 1 else 'items have'} several" if others else ""
        msg = (
            f"item {item!r} has {len(found)} nodes{more}: {listed(list(found))}; in a tree an item has one node: "
            "choose one of them, or attach the items to an Ontology, which takes several"
        )
        raise NotATreeError(msg, node=item, parents=list(found))


def _items_and_leaves(items: LeafIndex, leaves: list[Any]) -> LeafIndex:
    """Return the labels of the items, then of the leaves that stay."""
    clash = [x for x in leaves if x in items]
    if clash:
        raise DuplicateLeafError(clash, where=", as an item and as a leaf that keep='all' keeps")
    return LeafIndex([*items, *leaves])


def _check_only_leaves(unknown: list[Any], leaves: LeafIndex, named: set[Any]) -> None:
    """Raise a more helpful error for unknown leaves if some of them are names of inner nodes."""
    inner = [x for x in unknown if x in named]
    if not inner:
        return
    if len(inner) == 1:
        hint = f"{inner[0]!r} is an inner node: use attach({{{inner[0]!r}: {inner[0]!r}}}) to make it a leaf, or prune"
    else:
        hint = (
            f"{len(inner)} of them are inner nodes: use attach({{x: x for x in labels}}) to make them leaves, or prune"
        )
    notes = dict.fromkeys(inner, "an inner node")
    raise UnknownLeafError(unknown, leaves.labels, notes=notes, hint=hint) from None


def _numbers(
    asked: dict[Any, None],
    leaves: LeafIndex,
    names: Sequence[str | None] | None,
    parent: np.ndarray,
    *,
    some: bool = False,
    hint: str = "",
    advice: str,
) -> dict[Any, int]:
    """Return the node of each label or name, which must be unique. With `some`, unknown ones are left out.

    Raises if no label or name is known, even with `some`.
    """
    n = len(leaves)
    plain = isinstance(leaves.labels, range)  # a range searches all of its numbers for a string
    found = {x: leaves.index(x) for x in asked if not (plain and isinstance(x, str)) and x in leaves}
    ambiguous: dict[Any, list[int]] = {}
    for u, name in enumerate(names or (), n):
        if name in asked and name is not None and found.setdefault(name, u) != u:
            ambiguous.setdefault(name, [found[name]]).append(u)
    lost = [x for x in asked if x not in found] if len(found) < len(asked) else []
    by_path, remarks = nodes_by_path(lost, leaves, names, parent)
    found |= by_path
    if len(found) < len(asked) and not (some and found):
        known = [*leaves, *dict.fromkeys(x for x in names or () if x is not None)]
        what = "nodes" if names is not None else "nodes (the inner nodes of this hierarchy have no names)"
        lost = [x for x in asked if x not in found]
        raise UnknownLeafError(lost, known, what=what, notes=remarks, hint=hint)
    if ambiguous:
        in_order = [x for x in asked if x in ambiguous]
        shown = [f"{x!r} ({_places(ambiguous[x], names or (), n, parent)})" for x in in_order[:SHOWN]]
        more = f" and {len(in_order) - SHOWN} more" if len(in_order) > SHOWN else ""
        noun = "name is" if len(in_order) == 1 else "names are"
        msg = f"{len(in_order)} {noun} not unique: {', '.join(shown)}{more}; {advice}"
        raise InvalidHierarchyError(msg, node=ambiguous[in_order[0]][1])
    return found


def _places(nodes: Sequence[int], names: Sequence[str | None], n: int, parent: np.ndarray) -> str:
    """Describe some nodes by their numbers, and the nearest name above each."""
    shown = []
    for u in nodes[:4]:
        v = int(parent[u])
        while v >= 0 and names[v - n] is None:
            v = int(parent[v])
        shown.append(f"node {u}" + (f" in {names[v - n]!r}" if v >= 0 else ""))
    return ", ".join(shown) + (f" and {len(nodes) - 4} more" if len(nodes) > 4 else "")


# ---------------------------------------------------------------------- pruning


def _cut_nodes(parent: np.ndarray, ranks: Sequence[str | None] | None, depth: Any, rank: Any) -> tuple[np.ndarray, str]:
    """Return a mask of the nodes below which to cut, and words for where they are."""
    if (depth is None) == (rank is None):
        msg = "give exactly one of depth and rank"
        raise ValueError(msg)
    if rank is None:
        if isinstance(depth, (bool, np.bool_)) or not isinstance(depth, (int, np.integer)) or depth < 0:
            msg = f"depth must be a whole number of edges from the root, 0 or more; got {depth!r}"
            raise ValueError(msg)
        return engine.rooted_tree.depths(parent) == depth, f"at depth {depth}"
    if ranks is None:
        msg = "this hierarchy has no ranks: prune it by depth, or read it from a format with ranks"
        raise InvalidHierarchyError(msg)
    cut = np.fromiter((x == rank for x in ranks), np.bool_, parent.size)
    if not cut.any():
        known = list(dict.fromkeys(x for x in reversed(ranks) if x is not None))
        raise UnknownLeafError([rank], known, what="ranks")
    return cut, f"at rank {rank!r}"


def _cut_labels(
    leaves: LeafIndex, names: Sequence[str | None] | None, nodes: np.ndarray, what: str, unnamed: str
) -> LeafIndex:
    """Return the labels of the nodes that are leaves after a cut."""
    n = len(leaves)
    labels = [leaves[u] if u < n else names and names[u - n] for u in nodes.tolist()]
    nameless = [u for u, label in zip(nodes.tolist(), labels, strict=True) if u >= n and label is None]
    if nameless and unnamed == "error":
        msg = (
            f"{len(nameless)} of the {len(labels)} new leaves are inner nodes {what} without a name, such as node "
            f"{nameless[0]}; unnamed='number' labels them 'node {nameless[0]}' and so on"
        )
        raise InvalidHierarchyError(msg, node=nameless[0])
    gone = set(nameless)
    try:
        return LeafIndex([f"node {u}" if u in gone else x for u, x in zip(nodes.tolist(), labels, strict=True)])
    except DuplicateLeafError as error:
        hint = " (read the file with labels='id', which gives every node a unique name)"
        raise DuplicateLeafError(error.labels, where=f" once the nodes {what} are leaves{hint}") from None


# ---------------------------------------------------------------------- the check of other modules

#: Trees of other libraries by package and class, and the function of `tripletree.interop` that converts them.
_PEERS = {
    ("Bio", "Clade"): "from_tree",
    ("Bio", "Tree"): "from_tree",
    ("dendropy", "Node"): "from_tree",
    ("dendropy", "Tree"): "from_tree",
    ("ete3", "TreeNode"): "from_tree",
    ("ete4", "Tree"): "from_tree",
    ("networkx", "Graph"): "from_networkx",
    ("skbio", "TreeNode"): "from_tree",
}


def peer_converter(value: Any) -> Callable[..., Hierarchy] | None:
    """The function that converts a tree of another library, told by the names of its classes. None for other values.

    Nothing is imported unless `value` is such a tree: `tripletree.interop` stands above this module.
    """
    names = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__]
    name = next((_PEERS[x] for x in names if x in _PEERS), None)
    return None if name is None else getattr(import_module("tripletree.interop"), name)


def check_hierarchy(value: Any) -> Hierarchy:
    """Return the hierarchy that a user means, else raise a TypeError with advice on how to make one.

    That is the value itself, ``hierarchy_`` of a fitted estimator, or a tree of another library, which is converted.
    """
    if isinstance(value, Hierarchy):
        return value
    if hasattr(value, "to_hierarchy"):  # an Ontology, which this module cannot import
        msg = (
            f"expected a Hierarchy, got an Ontology ({value!r}), in which a term may have several parents: make a tree "
            "of it with to_hierarchy(parent='deepest'), or 'first' or 'smallest'; induce, displays, sample_triplets "
            "and decompose take an Ontology as it is"
        )
        raise TypeError(msg)
    own = getattr(value, "hierarchy_", None)
    if isinstance(own, Hierarchy):
        return own
    convert = peer_converter(value)
    if convert is not None:
        return convert(value)
    msg = f"expected a Hierarchy, got {described(value)}; {_how_to_make(value)}"
    raise TypeError(msg)


def _how_to_make(value: Any) -> str:
    """How to make a hierarchy of something else."""
    if hasattr(value, "fit") and not isinstance(value, type):
        return "fit it first"
    if isinstance(value, (list, tuple)):
        return "Hierarchy.from_nested(lists) makes one of lists in lists"
    if hasattr(value, "columns"):
        return "read_hierarchy(table) makes one of a table of children and parents, or with a column for each rank"
    if isinstance(value, dict) and any(isinstance(x, (list, dict)) for x in value.values()):
        return "read_hierarchy(io.StringIO(json.dumps(value))) makes one of objects and lists in each other"
    if isinstance(value, dict):
        return "read_edges(pandas.DataFrame({'child': [*value], 'parent': [*value.values()]})) makes one of parents"
    return (
        "make one with read_newick(path), parse_newick(text), Hierarchy.from_nested(lists), from_linkage(Z), or give a "
        "fitted estimator with hierarchy_, or a tree of ete3, networkx and the like"
    )


def check_rooted(value: Any) -> Hierarchy:
    """Return `value` if it is a rooted Hierarchy, else raise an error with the way to root it."""
    found = check_hierarchy(value)
    if not found.rooted:
        ways = ways_to_root(found.length, found.leaves[found.n_leaves - 1])
        msg = f"this tree is unrooted, so it displays no triplets and has no clades until it has a root: {ways}"
        raise InvalidHierarchyError(msg)
    return found


def split_tree(hierarchy: Hierarchy) -> Hierarchy:
    """Return a tree whose clades stand for the branches of an unrooted one: its root is at its first leaf.

    Equal unrooted trees over the same leaf index give equal results. Marks, names and lengths are left out.
    """
    bare = Hierarchy(hierarchy.parent, hierarchy.leaves)
    return bare.reroot([bare.leaves[0]]).suppress_unary() if bare.n_leaves > 2 else bare.suppress_unary()


def tell_lost_marks(hierarchy: Hierarchy, place: str, *, open_leaves: bool = False) -> None:
    """Warn if a form of a hierarchy has no place for the marks of what is not known: open nodes, no root.

    `open_leaves` is True for a form that has a place for open leaves.
    """
    lost = [] if hierarchy.rooted else ["the tree is unrooted"]
    if hierarchy.incertae_sedis is not None:
        opened = hierarchy.incertae_sedis[hierarchy.n_leaves if open_leaves else 0 :]
        if opened.any():
            lost.append(f"{counted(int(opened.sum()), 'node is', 'nodes are')} open")
    if lost:
        warn_user(f"{place} cannot say that {' and '.join(lost)}; Newick, NEXUS and JSON can")


def check_hierarchies(values: Any, noun: str) -> Iterator[Hierarchy]:
    """Give the hierarchies of an iterable, one by one. A TypeError numbers the first other value."""
    if isinstance(values, Hierarchy) or not isinstance(values, Iterable) or peer_converter(values):
        msg = f"expected an iterable of hierarchies, such as a list, got {values!r:.60}"
        raise TypeError(msg)
    for k, value in enumerate(values):
        try:
            yield check_hierarchy(value)
        except TypeError as error:
            msg = f"{noun} {k}: {error}"
            raise TypeError(msg) from None
