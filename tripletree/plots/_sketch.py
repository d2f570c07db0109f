"""What of a hierarchy is drawn: all of it, or its upper part with whole subtrees as one tip each.

Tips are opened from the root down, the largest first, those that mix clusters or classes before others, until there are
as many as there is room for. Of a node with more children than that the largest are shown and the rest is one tip.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from tripletree.hierarchy import Hierarchy
from tripletree.plots._layout import clade_codes

__all__ = ["Sketch", "closed_nodes", "node_codes", "sketch", "tip_numbers", "whole"]

#: A clade that mixes clusters or classes is opened before a pure one that is up to so many times as large.
MIXED = 4.0


class Sketch(NamedTuple):
    """A hierarchy as it is drawn: T tips, each a leaf or a collapsed subtree, and the inner nodes above them.

    tree : Hierarchy, all of it
    parent : int32[M], children before parents, the tips first, in the order of their first leaves
    node : int64[M], the node of the hierarchy that each stands for; -1 for a tip that gathers several siblings
    shown : int64[N], what stands for each node of the hierarchy
    size : int64[T], leaves in each tip
    """

    tree: Hierarchy
    parent: np.ndarray
    node: np.ndarray
    shown: np.ndarray
    size: np.ndarray

    @property
    def is_whole(self) -> bool:
        """Whether nothing is collapsed."""
        return self.size.size == self.tree.n_leaves

    @property
    def collapsed(self) -> np.ndarray:
        """The tips that stand for more than one leaf."""
        return np.flatnonzero(self.size > 1)


def whole(tree: Hierarchy) -> Sketch:
    """The sketch in which nothing is collapsed."""
    every = np.arange(tree.n_nodes)
    return Sketch(tree, tree.parent, every, every, np.ones(tree.n_leaves, np.int64))


def sketch(
    tree: Hierarchy, most: int | None, *, closed: Iterable[int] = (), codes: Iterable[np.ndarray] = ()
) -> Sketch:
    """Collapse a hierarchy to `most` tips or fewer.

    Parameters
    ----------
    tree : Hierarchy
    most : int or None
        At least 2; None opens all that is not closed.
    closed : iterable of int
        Nodes that stay collapsed, whatever the room.
    codes : iterable of int64[n]
        Clusters, or classes, of the leaves: clades that mix them are opened sooner.

    Returns
    -------
    Sketch
    """
    n = tree.n_leaves
    shut = set(closed)
    if not shut and (most is None or most >= n):
        return whole(tree)
    start, stop, order = tree.leaf_intervals
    size = stop - start
    worth = size.astype(np.float64)
    for given in codes:
        worth[(clade_codes(tree, given) < 0) & (size > 1)] *= MIXED
    room = n if most is None else max(most, 2)
    heads, gathered, opened = _opened(tree, room, shut, size, worth)
    tip_of = np.empty(n, np.int64)
    groups = [[u] for u in heads] + gathered
    for k, group in enumerate(groups):
        for u in group:
            tip_of[order[start[u] : stop[u]]] = k
    _, first, which = np.unique(tip_of, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))  # tips are numbered by their first leaves
    tip_of = rank[which]
    return _reduced(tree, groups, rank, sorted(opened), tip_of)


def _opened(
    tree: Hierarchy, room: int, shut: set[int], size: np.ndarray, worth: np.ndarray
) -> tuple[list[int], list[list[int]], list[int]]:
    """Nodes that are tips, siblings that are one tip together, and inner nodes that are shown."""
    heads: list[int] = []
    gathered: list[list[int]] = []
    opened: list[int] = []
    heap = [(-float(worth[tree.root]), tree.root)]
    tips = 1
    while heap:
        _, u = heappop(heap)
        children = tree.children(u).tolist() if u >= tree.n_leaves and u not in shut else []
        free = room - tips + 1
        if len(children) == 0 or free < min(len(children), 2):
            heads.append(u)
            continue
        opened.append(u)
        if len(children) > free:
            children.sort(key=lambda v: (-int(size[v]), v))
            gathered.append(children[free - 1 :])
            children = children[: free - 1]
            tips += 1
        tips += len(children) - 1
        for v in children:
            heappush(heap, (-float(worth[v]), v))
    return heads, gathered, opened


def _reduced(
    tree: Hierarchy, groups: list[list[int]], rank: np.ndarray, opened: list[int], tip_of: np.ndarray
) -> Sketch:
    """The sketch with these tips and inner nodes."""
    T = len(groups)
    number = np.full(tree.n_nodes, -1, np.int64)
    node = np.full(T + len(opened), -1, np.int64)
    parent = np.full(T + len(opened), -1, np.int32)
    number[opened] = np.arange(T, T + len(opened))
    node[T:] = opened
    for k, group in enumerate(groups):
        number[group] = rank[k]
        node[rank[k]] = group[0] if len(group) == 1 else -1
        above = int(tree.parent[group[0]])
        parent[rank[k]] = number[above] if above >= 0 else -1
    for u in opened:
        if u != tree.root:
            parent[number[u]] = number[tree.parent[u]]
    shown = number.tolist()
    up = tree.parent.tolist()
    for u in range(tree.n_nodes - 2, -1, -1):  # what is inside a tip stands where the tip does
        if shown[u] < 0:
            shown[u] = shown[up[u]]
    return Sketch(tree, parent, node, np.array(shown), np.bincount(tip_of, minlength=T))


def node_codes(drawn: Sketch, codes: np.ndarray) -> np.ndarray:
    """The code that all leaves below what is drawn share, -1 where they differ: int64[M] from int64[n]."""
    every = clade_codes(drawn.tree, codes)
    found = np.where(drawn.node >= 0, every[drawn.node], -1)
    for k in np.flatnonzero(drawn.node < 0).tolist():
        inside = codes[drawn.shown[: drawn.tree.n_leaves] == k]
        found[k] = inside[0] if (inside == inside[0]).all() else -1
    return found


def tip_numbers(drawn: Sketch, codes: np.ndarray, n_codes: int) -> np.ndarray:
    """How many leaves of each tip have each code: int64[T, n_codes]."""
    tip = drawn.shown[: drawn.tree.n_leaves]
    has = codes >= 0
    flat = np.bincount(tip[has] * n_codes + codes[has], minlength=drawn.size.size * n_codes)
    return flat.reshape(drawn.size.size, n_codes)


def closed_nodes(tree: Hierarchy, collapse: Any, codes: np.ndarray | None) -> list[int]:
    """The nodes that `collapse` names: inner nodes, or "clusters" for the clades of one cluster each."""
    if collapse is None:
        return []
    if isinstance(collapse, str):
        if collapse != "clusters":
            msg = f"collapse is {collapse!r}; it must be 'clusters', node numbers or names of inner nodes"
            raise ValueError(msg)
        if codes is None:
            msg = "collapse='clusters' needs clusters="
            raise ValueError(msg)
        pure = clade_codes(tree, codes) >= 0
        return (tree.n_leaves + np.flatnonzero(pure[tree.n_leaves :])).tolist()
    named = {} if tree.names is None else {x: tree.n_leaves + k for k, x in enumerate(tree.names) if x is not None}
    found = []
    if not isinstance(collapse, Iterable):
        msg = f"collapse is {collapse!r:.60}; it must be 'clusters' or a list of inner nodes: numbers or names"
        raise TypeError(msg)
    for x in collapse:
        u = named.get(x, x) if isinstance(x, str) else x
        if isinstance(u, (bool, np.bool_)) or not isinstance(u, (str, int, np.integer)):
            msg = f"collapse names {x!r:.60}; inner nodes are told by their numbers or names"
            raise TypeError(msg)
        if isinstance(u, str) or not tree.n_leaves <= int(u) < tree.n_nodes:
            msg = f"collapse names {x!r}; inner nodes are {tree.n_leaves}..{tree.root}" + (
                " or their names" if named else ", and none has a name"
            )
            raise ValueError(msg)
        found.append(int(u))
    return found
