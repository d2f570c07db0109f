"""What makes one hierarchy from another: fewer leaves, other leaves, less depth.

`Reshaped` is the part of `tripletree.hierarchy.Hierarchy` that answers with a new hierarchy; it reads nothing but the
arrays of the one at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import wraps
from types import FunctionType
from typing import Any, Literal, Self, TypeVar, cast

import numpy as np

from tripletree import _kernels
from tripletree._items import check_choice, item_pairs, items_and_leaves, node_called, one_node_each, refuse_inner
from tripletree._kernels import freeze
from tripletree._parents import restricted
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, UnknownLeafError
from tripletree.leaves import LeafIndex

__all__ = ["Reshaped"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _by_name(method: _Method) -> _Method:
    """A method that says how it is called, rather than how many arguments it takes, where one is given by position."""
    method.__qualname__ = f"Hierarchy.{method.__name__}"

    @wraps(method)
    def called(self: Any, *unnamed: Any, **named: Any) -> Any:
        if unnamed:
            msg = "prune takes its arguments by name: prune(depth=2) or prune(rank='genus')"
            raise TypeError(msg)
        return method(self, **named)

    return cast("_Method", called)


class Reshaped:
    """The methods of `Hierarchy` that make another hierarchy of it."""

    parent: np.ndarray
    leaves: LeafIndex
    names: tuple[str | None, ...] | None
    ranks: tuple[str | None, ...] | None
    _height: np.ndarray | None
    _length: np.ndarray | None

    def restrict(self, labels: Iterable[Hashable], *, keep_unary: bool = False) -> Self:
        """Return the hierarchy on some of the leaves.

        Parameters
        ----------
        labels : iterable of hashable
            The leaves to keep; the result has them in this order.
        keep_unary : bool
            Whether nodes left with one child stay (they carry names, but no triplets).

        Returns
        -------
        Hierarchy
            It displays exactly the triplets of this one whose three leaves are kept.

        Raises
        ------
        UnknownLeafError
            If a label is not a leaf here; inner nodes are none, `attach` makes leaves of them.
        DuplicateLeafError
            If a label is given twice.
        InvalidHierarchyError
            If no label is given.
        TypeError
            If `labels` is one string.

        See Also
        --------
        subtree : all leaves below a node.

        Examples
        --------
        >>> from tripletree import Hierarchy
        >>> h = Hierarchy.from_nested([[["a", "b"], "c"], "d"])
        >>> h.restrict(["a", "c", "d"]) == Hierarchy.from_nested([["a", "c"], "d"])
        True
        """
        if isinstance(labels, str):
            msg = f"a list of labels is wanted, not the text {labels!r}: restrict([{labels!r}]) keeps that one leaf"
            raise TypeError(msg)
        leaves = labels if isinstance(labels, LeafIndex) else LeafIndex(labels)
        if len(leaves) == 0:
            msg = "a hierarchy needs at least one leaf: none is left"
            raise InvalidHierarchyError(msg)
        try:
            kept = self.leaves.indices(leaves)
        except UnknownLeafError as error:
            refuse_inner(error.labels, self.leaves, self.names)
            raise
        return self._kept(kept, leaves, keep_unary=keep_unary)

    def subtree(self, node: Any) -> Self:
        """Return the hierarchy at and below a node.

        Parameters
        ----------
        node : hashable
            The label of a leaf or the name of an inner node; or, where no leaf has an integer as its label, the
            number of a node.

        Returns
        -------
        Hierarchy
            Its root is the node. Names, ranks, heights, lengths and nodes with one child stay.

        Raises
        ------
        UnknownLeafError
            If there is no such label or name.
        InvalidHierarchyError
            If the name stands for several nodes.
        IndexError
            If there is no node of this number.

        See Also
        --------
        restrict : some of the leaves.
        prune : what is above rather than below.

        Examples
        --------
        >>> from tripletree import parse_newick, write_newick
        >>> h = parse_newick("((cat,dog)carnivore,(owl,eagle)bird)animal;")
        >>> write_newick(h.subtree("bird"))
        '(owl,eagle)bird;'
        """
        n, N = len(self.leaves), self.parent.size
        at = node_called(node, self.leaves, self.names, self.parent)
        start, stop, _ = _kernels.rooted_tree.leaf_intervals(self.parent, n)
        # above a node numbers are larger, also where the clade is the same
        below = (start >= start[at]) & (stop <= stop[at]) & (np.arange(N) <= at)
        old = np.flatnonzero(below).astype(np.int32)
        number = np.full(N + 1, -1, np.int32)  # the last entry serves parent -1
        number[old] = np.arange(old.size, dtype=np.int32)
        length = None if self._length is None else self._length[old]
        return self._made(number[self.parent[old]], self.leaves.take(old[old < n]), old, length=length)

    def reindex(self, leaves: LeafIndex | Iterable[Hashable]) -> Self:
        """Return the same hierarchy over a leaf index that holds the same labels in another order.

        Raises
        ------
        UnknownLeafError
            If `leaves` holds a label that is no leaf here, or lacks one.

        Examples
        --------
        >>> from tripletree import Hierarchy
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
        keep_unary: bool = False,
    ) -> Self:
        """Hang items of one's own under named nodes, inner ones too: the hierarchy on these items.

        Parameters
        ----------
        items : mapping, Series, DataFrame or iterable of pairs
            The node of each item: the label of a leaf or the name of an inner node, or a list of one such. A pandas
            Series has the items as its index; a DataFrame has two columns, the item and its node.
        keep : {"items", "all"}
            Which leaves the result has: the items only, or also the leaves of this hierarchy that got no item.
        missing : {"raise", "ignore"}
            What to do about items whose node is unknown here, or that have none: refuse, or leave them out.
        keep_unary : bool
            Whether nodes left with one child stay (they carry names, but no triplets).

        Returns
        -------
        Hierarchy
            Its leaves are the items in the order given, then, with ``keep="all"``, the leaves without items. A leaf
            with two items becomes an inner node with the leaf's label as its name; a single item takes its place,
            unless unary nodes are kept.

        Raises
        ------
        UnknownLeafError
            If some nodes are neither labels nor names here, or, with ``missing="ignore"``, all; ``.labels`` holds them.
        NotATreeError
            If an item has several nodes; ``.node`` and ``.parents`` tell the first such.
        InvalidHierarchyError
            If a name that is used stands for several nodes, an item has no node, or there is no item.
        DuplicateLeafError
            If, with ``keep="all"``, an item is called as a leaf that stays.

        See Also
        --------
        restrict : where the items are leaves already.

        Notes
        -----
        An item is an instance of its node: it has the node's height, its branch the length 0, and no rank. It may
        be called as a node is, such as the one it is under.

        Examples
        --------
        >>> from tripletree import Hierarchy, parse_newick
        >>> h = parse_newick("((cat,dog)carnivore,(owl,eagle)bird)animal;")
        >>> samples = h.attach({"Tom": "cat", "Rex": "dog", "some carnivore": "carnivore", "Hedwig": ["owl"]})
        >>> samples == Hierarchy.from_nested([["Tom", "Rex", "some carnivore"], "Hedwig"])
        True
        """
        check_choice(keep, "keep", ("items", "all"))
        pairs = item_pairs(items, self.leaves, missing=missing)
        index, at = one_node_each(*pairs, self.leaves, self.names, self.parent, missing=missing)
        n, m = len(self.leaves), len(index)
        full = np.zeros(n, np.bool_)
        full[at[at < n]] = True
        bare = np.flatnonzero(~full)
        labels = index
        if keep == "all" and bare.size:
            labels = items_and_leaves(index, [self.leaves[i] for i in bare.tolist()])
        # the old node of: every item, every leaf without items, every leaf that is an inner node now, every inner node
        old = np.concatenate([at, bare, np.flatnonzero(full), np.arange(n, self.parent.size)])
        number = np.full(self.parent.size + 1, -1, np.int32)  # the last entry serves parent -1
        number[old[m:]] = np.arange(m, old.size, dtype=np.int32)
        grown = freeze(np.concatenate([number[at], number[self.parent[old[m:]]]]))
        parent, chosen, stays = restricted(grown, m + bare.size, np.arange(len(labels)), keep_unary)
        length = None
        if self._length is not None:
            length = freeze(np.concatenate([np.zeros(m), self._length[old[m:]]]))
            length = _kernels.rooted_tree.chain_lengths(grown, length, stays)[chosen]
        return self._made(parent, labels, old[chosen], length=length, fresh=m)

    @_by_name
    def prune(
        self,
        *,
        depth: int | None = None,
        rank: str | None = None,
        keep: Literal["all", "cut"] = "all",
        unnamed: Literal["error", "number"] = "error",
    ) -> Self:
        """Cut off everything below a depth or below the nodes of a rank; these become leaves, labelled by their names.

        Parameters
        ----------
        depth : int, optional
            Number of edges below the root at which to cut, nodes with one child counted.
        rank : str, optional
            Cut below every node of this rank, the uppermost where they lie below each other. Give `depth` or `rank`.
        keep : {"all", "cut"}
            What becomes of a leaf that is above every cut, or in a branch without a node of that rank: it stays as
            it is, or only the nodes at the cut are left.
        unnamed : {"error", "number"}
            What to do about inner nodes at the cut that have no name: refuse, or call node 17 "node 17".

        Returns
        -------
        Hierarchy
            Its leaves are in the order of the first leaf below each. Nodes with one child stay; `suppress_unary`
            takes them out.

        Raises
        ------
        InvalidHierarchyError
            If the hierarchy has no ranks, a node at the cut has no name, or ``keep="cut"`` leaves nothing.
        UnknownLeafError
            If no node has this rank; the message has the ranks that there are.
        DuplicateLeafError
            If two of the new leaves have one name.

        See Also
        --------
        restrict : leave out leaves rather than levels.

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
        # nodes with a cut above them are gone; of the others, cuts and leaves are the new leaves
        passed = _kernels.rooted_tree.path_sums(self.parent, freeze(cut.astype(np.float64))) + float(cut[-1])
        stays = passed == cut
        ends = stays & (cut | (np.arange(N) < n))
        order = _kernels.rooted_tree.by_smallest_leaf(self.parent, n)
        leaf = order[ends[order]]
        labels = _cut_labels(self.leaves, self.names, leaf, what, unnamed)
        old = np.concatenate([leaf, np.flatnonzero(stays & ~ends)]).astype(np.int32)
        number = np.full(N + 1, -1, np.int32)  # the last entry serves parent -1
        number[old] = np.arange(old.size, dtype=np.int32)
        length = None if self._length is None else self._length[old]
        pruned = self._made(number[self.parent[old]], labels, old, length=length)
        if keep == "all":
            return pruned
        at_cut = np.flatnonzero(cut[leaf])
        if at_cut.size == 0:
            msg = f"nothing lies {what}, so that keep='cut' leaves no leaf"
            raise InvalidHierarchyError(msg)
        return pruned if at_cut.size == leaf.size else pruned._kept(at_cut, labels.take(at_cut), keep_unary=True)

    def _kept(self, kept: np.ndarray, leaves: LeafIndex, *, keep_unary: bool) -> Self:
        """The hierarchy on the leaves `kept` (indices), labelled by `leaves`."""
        parent, old, keep = restricted(self.parent, len(self.leaves), kept, keep_unary)
        length = None
        if self._length is not None:
            length = _kernels.rooted_tree.chain_lengths(self.parent, self._length, keep)[old]
        return self._made(parent, leaves, old, length=length)

    def _made(
        self, parent: np.ndarray, leaves: LeafIndex, old: np.ndarray, *, length: np.ndarray | None, fresh: int = 0
    ) -> Self:
        """A hierarchy whose node u has the height, name and rank of node old[u] here, the first `fresh` no rank."""
        n, inner = len(self.leaves), old[len(leaves) :].tolist()
        names: list[Any] | None = None
        if self.names is not None or (old[len(leaves) :] < n).any():
            known = self.names or (None,) * (self.parent.size - n)
            names = [self.leaves[u] if u < n else known[u - n] for u in inner]
        ranks: list[str | None] | None = None
        if self.ranks is not None:
            ranks = [None] * fresh + [self.ranks[u] for u in old[fresh:].tolist()]
        return type(self)(  # type: ignore[call-arg]
            parent,
            leaves,
            height=None if self._height is None else self._height[old],
            length=length,
            names=names,
            ranks=ranks,
        )


# people know these methods as those of Hierarchy: so do error messages about arguments, and pickle
for _method in [x for x in vars(Reshaped).values() if isinstance(x, FunctionType)]:
    _method.__module__, _method.__qualname__ = "tripletree.hierarchy", f"Hierarchy.{_method.__name__}"


def _cut_nodes(parent: np.ndarray, ranks: Sequence[str | None] | None, depth: Any, rank: Any) -> tuple[np.ndarray, str]:
    """A mask of the nodes below which to cut, and what to call their place."""
    if (depth is None) == (rank is None):
        msg = "give depth or rank, one of the two: below what to cut"
        raise ValueError(msg)
    if rank is None:
        if isinstance(depth, (bool, np.bool_)) or not isinstance(depth, (int, np.integer)) or depth < 0:
            msg = f"depth must be a whole number of edges from the root, 0 or more, not {depth!r}"
            raise ValueError(msg)
        return _kernels.rooted_tree.depths(parent) == depth, f"at depth {depth}"
    if ranks is None:
        msg = "this hierarchy has no ranks: prune it by depth, or read it from a format that has them"
        raise InvalidHierarchyError(msg)
    cut = np.fromiter((x == rank for x in ranks), np.bool_, parent.size)
    if not cut.any():
        known = list(dict.fromkeys(x for x in reversed(ranks) if x is not None))
        raise UnknownLeafError([rank], known, what="ranks")
    return cut, f"at rank {rank!r}"


def _cut_labels(
    leaves: LeafIndex, names: Sequence[str | None] | None, nodes: np.ndarray, what: str, unnamed: str
) -> LeafIndex:
    """Labels of the nodes that are leaves after a cut."""
    n = len(leaves)
    labels = [leaves[u] if u < n else names and names[u - n] for u in nodes.tolist()]
    nameless = [u for u, label in zip(nodes.tolist(), labels, strict=True) if u >= n and label is None]
    if nameless and unnamed == "error":
        msg = (
            f"{len(nameless)} of the {len(labels)} leaves would be inner nodes {what} that have no name, such as node "
            f"{nameless[0]}; unnamed='number' labels them 'node {nameless[0]}' and so on"
        )
        raise InvalidHierarchyError(msg, node=nameless[0])
    gone = set(nameless)
    try:
        return LeafIndex([f"node {u}" if u in gone else x for u, x in zip(nodes.tolist(), labels, strict=True)])
    except DuplicateLeafError as error:
        hint = " (a reader's labels='id' gives every node a name of its own)"
        raise DuplicateLeafError(error.labels, where=f" once the nodes {what} are leaves{hint}") from None
