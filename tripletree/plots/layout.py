"""Geometry of a drawn hierarchy as plain arrays, without matplotlib.

Which subtrees collapse, where nodes and lines stand, and at which node a triplet or pair is marked. A position is
(along, up): along the leaf axis, where a single leaf takes one unit, and up the height axis. The transforms in
``axes.py`` turn that into x and y.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.html import drawn_heights
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet

MATCHED = 10_000  # (class, cluster) pairs up to which colours are matched. Beyond, colours repeat too often to help
WIDEST = 3.0  # most units of the leaf axis that a collapsed subtree takes with spacing="even"


class Layout(NamedTuple):
    """Positions of the M nodes of a collapsed tree, T of them tips, and the lines that join them.

    order : int64[T], the tips along their axis
    along, up : float64[M]
    width, foot : float64[T], units of the leaf axis that a tip takes, and its lowest leaf's height
    lines : float64[L, 2, 2], the two ends (along, up) of each line: one from every node but the root up to its parent's
    height, and one across the children of every node with two or more
    owner : int64[L], the node that determines each line's colour
    unit : the name of the height axis
    """

    order: np.ndarray
    along: np.ndarray
    up: np.ndarray
    width: np.ndarray
    foot: np.ndarray
    lines: np.ndarray
    owner: np.ndarray
    unit: str

    @property
    def span(self) -> float:
        """Length of the leaf axis, which goes from -1/2 to span - 1/2."""
        return float(self.width.sum())


def compute_layout(
    drawn: CollapsedTree, heights: str, *, spacing: str = "even", order: np.ndarray | None = None
) -> Layout:
    """Place the nodes of a collapsed tree and the lines between them. Linear in the number of nodes.

    Parameters
    ----------
    drawn : Sketch
    heights : str
    spacing : {"even", "size"}
        How much of the leaf axis a collapsed subtree takes: room for its mark, or one unit for each of its leaves.
    order : int64[T], optional
        The tips along the axis, clades in one piece. By default depth first, children by their smallest leaves.
    """
    tree = drawn.tree
    every, unit = drawn_heights(tree.parent, tree.height, tree.n_leaves, heights)
    parent, T = drawn.parent, drawn.size.size
    if order is None:
        order = np.argsort(engine.cut.reading_places(freeze(parent), T))
    width = drawn.size.astype(np.float64)
    if spacing == "even":
        width = np.where(width > 1, np.clip(1.3 + 0.2 * np.log2(width), 1.5, WIDEST), 1.0)
    along = np.empty(parent.size)
    along[order] = np.cumsum(width[order]) - width[order] / 2 - 0.5
    up = np.where(drawn.node >= 0, every[drawn.node], -np.inf)
    foot = np.full(T, np.inf)
    if drawn.is_whole:
        foot = up[:T].copy()
    else:
        np.minimum.at(foot, drawn.shown[: drawn.tree.n_leaves], every[: drawn.tree.n_leaves])
        for k in np.flatnonzero(drawn.node < 0).tolist():
            up[k] = every[:-1][(drawn.shown[:-1] == k)].max()
    low, high = _child_spans(parent, along, T) if not drawn.is_whole else _whole_spans(parent, order)
    along = (low + high) / 2
    stem = np.arange(parent.size - 1)
    across = np.flatnonzero(high > low)
    lines = np.empty((stem.size + across.size, 2, 2))
    lines[: stem.size, :, 0] = along[:-1, None]
    lines[: stem.size, 0, 1] = up[:-1]
    lines[: stem.size, 1, 1] = up[parent[:-1]]
    lines[stem.size :, 0, 0] = low[across]
    lines[stem.size :, 1, 0] = high[across]
    lines[stem.size :, :, 1] = up[across, None]
    return Layout(order, along, up, width, foot, lines, np.concatenate([stem, across]), unit)


def _whole_spans(parent: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    return engine.cut.child_spans(freeze(parent), freeze(place))


def _child_spans(parent: np.ndarray, along: np.ndarray, T: int) -> tuple[np.ndarray, np.ndarray]:
    """First and last child along the leaf axis, for tips of any width (the kernel `child_spans` needs width 1)."""
    low, high = [np.inf] * parent.size, [-np.inf] * parent.size
    low[:T] = high[:T] = along[:T].tolist()
    for u, p in enumerate(parent.tolist()):
        if p >= 0:
            middle = (low[u] + high[u]) / 2
            low[p], high[p] = min(low[p], middle), max(high[p], middle)
    return np.array(low), np.array(high)


def find_clade_codes(hierarchy: Hierarchy, codes: np.ndarray) -> np.ndarray:
    """Return the code that all leaves below a node share, -1 if they differ: int64[N] from int64[n]."""
    start, stop, order = hierarchy.leaf_intervals
    ordered = codes[order]
    changes = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
    return np.where(changes[start] == changes[stop - 1], ordered[start], -1)


def _translate_leaves(hierarchy: Hierarchy, given: TripletSet | PairwiseConstraints, what: str) -> np.ndarray:
    """Return the hierarchy's leaf number for each leaf of `given` that is in use, -1 for the others."""
    number = np.full(len(given.leaves), -1, np.int32)
    used = given.used_leaves
    number[used] = hierarchy.leaves.indices((given.leaves[i] for i in used.tolist()), what=what)
    return number


def find_meeting_nodes(hierarchy: Hierarchy, rows: np.ndarray) -> np.ndarray:
    """Return the node at which the two leaves of each row meet: int64[p] from int[p, 2]."""
    a, b = (freeze(np.ascontiguousarray(column, dtype=np.int32)) for column in rows.T)
    return np.asarray(engine.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table))


def count_triplets_at_nodes(hierarchy: Hierarchy, triplets: TripletSet) -> tuple[np.ndarray, np.ndarray]:
    """Return triplets displayed and not displayed, counted at nodes: two int64[N].

    A triplet ab|c that is displayed counts where a and b meet (their last common ancestor), one that is
    not where all three have met.
    """
    N = hierarchy.n_nodes
    rows = _translate_leaves(hierarchy, triplets, "triplets' leaves")[triplets.rows]
    inner, outer = find_meeting_nodes(hierarchy, rows[:, :2]), find_meeting_nodes(hierarchy, rows[:, ::2])
    shown = inner < outer  # both are ancestors of a; ab|c is displayed where the one of a and b is the lower
    return (np.bincount(inner[shown], minlength=N), np.bincount(np.maximum(inner, outer)[~shown], minlength=N))


def count_pairs(hierarchy: Hierarchy, pairs: PairwiseConstraints, clusters: np.ndarray | None) -> dict[str, np.ndarray]:
    """Must-links and cannot-links, counted at the nodes where their ends meet: int64[N] for each kind of them.

    With clusters the kinds are "must satisfied", "must violated", "cannot satisfied", "cannot violated". Without, or
    where an end
    has no cluster, the kind is "must" or "cannot".
    """
    number, N = _translate_leaves(hierarchy, pairs, "pairs' leaves"), hierarchy.n_nodes
    found = {}
    for name, rows, together in (("must", pairs.must_link, True), ("cannot", pairs.cannot_link, False)):
        rows = number[rows]
        at = find_meeting_nodes(hierarchy, rows)
        ends = np.full(rows.shape, -1) if clusters is None else clusters[rows]
        known = (ends >= 0).all(axis=1)
        satisfied = (ends[:, 0] == ends[:, 1]) == together
        for kind, some in (
            (name, ~known),
            (f"{name} satisfied", known & satisfied),
            (f"{name} violated", known & ~satisfied),
        ):
            found[kind] = np.bincount(at[some], minlength=N)
    return found


def match_styles(codes: np.ndarray, n_codes: int, others: np.ndarray, n_others: int) -> np.ndarray:
    """Give each class the style index of the cluster it overlaps most, one to one, so that agreement is visible.

    codes, others : int64[n], class and cluster of each leaf, -1 for none
    Returns style : int64[n_codes]. Classes that match no cluster get the numbers after the clusters' own.
    """
    from scipy.optimize import linear_sum_assignment

    style = np.full(n_codes, -1, np.int64)
    both = (codes >= 0) & (others >= 0)
    if n_codes * n_others <= MATCHED:
        counts = np.bincount(codes[both] * n_others + others[both], minlength=n_codes * n_others)
        overlap = counts.reshape(n_codes, n_others)
        rows, columns = linear_sum_assignment(-overlap)
        some = overlap[rows, columns] > 0
        style[rows[some]] = columns[some]
    left = np.flatnonzero(style < 0)
    style[left] = n_others + np.arange(left.size)
    return style


# A clade that mixes clusters or classes is expanded before a pure one up to this many times as large.
MIXED = 4.0


class CollapsedTree(NamedTuple):
    """A hierarchy with subtrees collapsed for drawing: T tips, each a leaf or a subtree, and the inner nodes above.

    tree : Hierarchy, the whole one
    parent : int32[M], children before parents, the tips first, in the order of their first leaves
    node : int64[M], the hierarchy's node that each stands for. -1 for a tip that stands for several siblings
    shown : int64[N], the drawn node that stands for each node of the hierarchy
    size : int64[T], leaves in each tip
    """

    tree: Hierarchy
    parent: np.ndarray
    node: np.ndarray
    shown: np.ndarray
    size: np.ndarray

    @property
    def is_whole(self) -> bool:
        """True if nothing is collapsed."""
        return self.size.size == self.tree.n_leaves

    @property
    def collapsed(self) -> np.ndarray:
        """The tips that stand for more than one leaf."""
        return np.flatnonzero(self.size > 1)


def find_open(drawn: CollapsedTree) -> np.ndarray:
    """Mark the drawn nodes that are open, i.e. known to be at or below their parents only: bool[M]."""
    opened = drawn.tree.incertae_sedis
    if opened is None:
        return np.zeros(drawn.node.size, np.bool_)
    return (drawn.node >= 0) & opened[drawn.node]


def collapse_nothing(tree: Hierarchy) -> CollapsedTree:
    """Return the hierarchy as a CollapsedTree in which nothing is collapsed."""
    every = np.arange(tree.n_nodes)
    return CollapsedTree(tree, tree.parent, every, every, np.ones(tree.n_leaves, np.int64))


def collapse_tree(
    tree: Hierarchy, most: int | None, *, closed: Iterable[int] = (), codes: Iterable[np.ndarray] = ()
) -> CollapsedTree:
    """Collapse a hierarchy to `most` tips or fewer.

    Nodes are expanded from the root down, the largest first, clades that mix clusters or classes before pure ones,
    until `most` tips are reached. If a node has too many children, the largest are shown and the rest form one tip.

    Parameters
    ----------
    tree : Hierarchy
    most : int or None
        At least 2. None expands everything but `closed`.
    closed : iterable of int
        Nodes that stay collapsed in any case.
    codes : iterable of int64[n]
        Clusters or classes of the leaves. Clades that mix them are expanded sooner.

    Returns
    -------
    Sketch
    """
    n = tree.n_leaves
    shut = set(closed)
    if not shut and (most is None or most >= n):
        return collapse_nothing(tree)
    start, stop, order = tree.leaf_intervals
    size = stop - start
    worth = size.astype(np.float64)
    for given in codes:
        worth[(find_clade_codes(tree, given) < 0) & (size > 1)] *= MIXED
    room = n if most is None else max(most, 2)
    heads, gathered, opened = _choose_tips(tree, room, shut, size, worth)
    tip_of = np.empty(n, np.int64)
    groups = [[u] for u in heads] + gathered
    for k, group in enumerate(groups):
        for u in group:
            tip_of[order[start[u] : stop[u]]] = k
    _, first, which = np.unique(tip_of, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))  # tips are numbered by their first leaves
    tip_of = rank[which]
    return _build_collapsed(tree, groups, rank, sorted(opened), tip_of)


def _choose_tips(
    tree: Hierarchy, room: int, shut: set[int], size: np.ndarray, worth: np.ndarray
) -> tuple[list[int], list[list[int]], list[int]]:
    """Nodes that become tips, groups of siblings that form one tip, and inner nodes that are drawn."""
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


def _build_collapsed(
    tree: Hierarchy, groups: list[list[int]], rank: np.ndarray, opened: list[int], tip_of: np.ndarray
) -> CollapsedTree:
    """Number the tips and inner nodes, and map every node of the hierarchy to the drawn node that stands for it."""
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
    for u in range(tree.n_nodes - 2, -1, -1):  # nodes inside a tip map to the tip
        if shown[u] < 0:
            shown[u] = shown[up[u]]
    return CollapsedTree(tree, parent, node, np.array(shown), np.bincount(tip_of, minlength=T))


def find_node_codes(drawn: CollapsedTree, codes: np.ndarray) -> np.ndarray:
    """Return the code that all leaves below a drawn node share, -1 if they differ: int64[M] from int64[n]."""
    every = find_clade_codes(drawn.tree, codes)
    found = np.where(drawn.node >= 0, every[drawn.node], -1)
    for k in np.flatnonzero(drawn.node < 0).tolist():
        inside = codes[drawn.shown[: drawn.tree.n_leaves] == k]
        found[k] = inside[0] if (inside == inside[0]).all() else -1
    return found


def count_in_tips(drawn: CollapsedTree, codes: np.ndarray, n_codes: int) -> np.ndarray:
    """Return how many leaves of each tip have each code: int64[T, n_codes]."""
    tip = drawn.shown[: drawn.tree.n_leaves]
    has = codes >= 0
    flat = np.bincount(tip[has] * n_codes + codes[has], minlength=drawn.size.size * n_codes)
    return flat.reshape(drawn.size.size, n_codes)


def find_collapsed_nodes(tree: Hierarchy, collapse: Any, codes: np.ndarray | None) -> list[int]:
    """Check `collapse` and return its node numbers. "clusters" stands for the clades within one cluster each."""
    if collapse is None:
        return []
    if isinstance(collapse, str):
        if collapse != "clusters":
            msg = f"collapse must be 'clusters' or a list of inner nodes (numbers or names), got {collapse!r}"
            raise ValueError(msg)
        if codes is None:
            msg = "collapse='clusters' needs clusters="
            raise ValueError(msg)
        pure = find_clade_codes(tree, codes) >= 0
        return (tree.n_leaves + np.flatnonzero(pure[tree.n_leaves :])).tolist()
    named = {} if tree.names is None else {x: tree.n_leaves + k for k, x in enumerate(tree.names) if x is not None}
    found = []
    if not isinstance(collapse, Iterable):
        msg = f"collapse must be 'clusters' or a list of inner nodes (numbers or names), got {collapse!r:.60}"
        raise TypeError(msg)
    for x in collapse:
        u = named.get(x, x) if isinstance(x, str) else x
        if isinstance(u, (bool, np.bool_)) or not isinstance(u, (str, int, np.integer)):
            msg = f"collapse contains {x!r:.60}; give inner nodes by number or name"
            raise TypeError(msg)
        if isinstance(u, str) or not tree.n_leaves <= int(u) < tree.n_nodes:
            msg = f"collapse contains {x!r}; inner nodes are {tree.n_leaves}..{tree.root}" + (
                " or their names" if named else ", and none has a name"
            )
            raise ValueError(msg)
        found.append(int(u))
    return found
