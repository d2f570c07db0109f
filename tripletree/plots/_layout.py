"""Where a drawing puts things: nodes, lines, clusters and triplets of a hierarchy as plain arrays, without matplotlib.

A place is (along, up): along the leaf axis, where single leaves take one unit each, and up the height axis. Turning
that into x and y is left to ``_frames.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.hierarchy import Hierarchy
from tripletree.pairs import PairwiseConstraints
from tripletree.triplets import TripletSet

if TYPE_CHECKING:
    from tripletree.plots._sketch import Sketch

__all__ = [
    "Layout",
    "clade_codes",
    "layout",
    "matched_styles",
    "meeting_nodes",
    "node_heights",
    "pair_counts",
    "triplet_counts",
]

HEIGHTS = ("auto", "height", "order", "level")
MATCHED = 10_000  # up to this many pairs (class, cluster) colours are matched; beyond, nobody could tell them apart
INVERTED = 0.1  # part of the branches that may point down, above which "auto" shows the order of merging
WIDEST = 3.0  # units of the leaf axis that a collapsed subtree takes at the most


class Layout(NamedTuple):
    """Places of the M nodes of a sketch, T of them tips, and the lines that join them.

    order : int64[T], the tips along their axis
    along, up : float64[M]
    width, foot : float64[T], units of the leaf axis that a tip takes, and its lowest leaf's height
    lines : float64[L, 2, 2], the two ends (along, up) of each line: one from every node but the root up to its parent's
    height, and one across the children of every node with two or more
    owner : int64[L], the node whose colour a line has
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
        """Units of the leaf axis in all: it goes from -1/2 to this less 1/2."""
        return float(self.width.sum())


def node_heights(hierarchy: Hierarchy, heights: str) -> tuple[np.ndarray, str]:
    """Height of each node in the drawing (float64[N]), and what it is.

    "auto" takes the hierarchy's heights unless it has none or all are the same; and the order of merging where more
    than a tenth of the branches would point down.
    """
    own = hierarchy.height
    note = ""
    if heights == "height" and own is None:
        msg = (
            "heights='height', but this hierarchy has no heights (not every branch has a length): use 'level' or 'auto'"
        )
        raise ValueError(msg)
    varied = own is not None and bool((own != own[0]).any())
    if heights == "height" or (heights == "auto" and varied):
        assert own is not None
        branches = own.size - 1
        lower = int(np.count_nonzero(own[hierarchy.parent[:-1]] < own[:-1]))
        if heights == "height" or lower <= INVERTED * branches:
            return own, f"height ({lower:,} of {branches:,} branches point down)" if lower else "height"
        heights, note = "order", f" ({lower:,} of {branches:,} heights are inverted)"
    if heights == "order":
        rank = np.arange(hierarchy.n_nodes, dtype=np.float64) - (hierarchy.n_leaves - 1)
        return np.maximum(rank, 0.0), f"order of merging{note}"
    if heights in ("level", "auto"):
        return _kernels.cuts.levels(hierarchy.parent).astype(np.float64), "level above the leaves"
    msg = f"heights is {heights!r}; it must be one of {', '.join(map(repr, HEIGHTS))}"
    raise ValueError(msg)


def layout(drawn: Sketch, heights: str, *, spacing: str = "even", order: np.ndarray | None = None) -> Layout:
    """Place the nodes of a sketch and the lines between them. Linear in the number of nodes, whatever the depth.

    Parameters
    ----------
    drawn : Sketch
    heights : str
    spacing : {"even", "size"}
        How much of the leaf axis a collapsed subtree takes: room for its mark, or one unit for each of its leaves.
    order : int64[T], optional
        The tips along the axis, clades in one piece; by default depth first, children by their smallest leaves.
    """
    every, unit = node_heights(drawn.tree, heights)
    parent, T = drawn.parent, drawn.size.size
    if order is None:
        order = np.argsort(_kernels.cuts.reading_places(freeze(parent), T))
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
    return _kernels.cuts.child_spans(freeze(parent), freeze(place), order.size)


def _child_spans(parent: np.ndarray, along: np.ndarray, T: int) -> tuple[np.ndarray, np.ndarray]:
    """As the kernel `child_spans`, for tips of any width."""
    low, high = [np.inf] * parent.size, [-np.inf] * parent.size
    low[:T] = high[:T] = along[:T].tolist()
    for u, p in enumerate(parent.tolist()):
        if p >= 0:
            middle = (low[u] + high[u]) / 2
            low[p], high[p] = min(low[p], middle), max(high[p], middle)
    return np.array(low), np.array(high)


def clade_codes(hierarchy: Hierarchy, codes: np.ndarray) -> np.ndarray:
    """The code that all leaves below a node share, -1 where they differ: int64[N] from int64[n]."""
    start, stop, order = hierarchy.leaf_intervals
    ordered = codes[order]
    changes = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
    return np.where(changes[start] == changes[stop - 1], ordered[start], -1)


def _numbers_in(hierarchy: Hierarchy, given: TripletSet | PairwiseConstraints, what: str) -> np.ndarray:
    """The leaf of the hierarchy that each leaf in use is."""
    number = np.full(len(given.leaves), -1, np.int32)
    used = given.used_leaves
    number[used] = hierarchy.leaves.indices((given.leaves[i] for i in used.tolist()), what=what)
    return number


def meeting_nodes(hierarchy: Hierarchy, rows: np.ndarray) -> np.ndarray:
    """The node at which the two leaves of each row meet: int64[p] from int[p, 2]."""
    a, b = (freeze(np.ascontiguousarray(column, dtype=np.int32)) for column in rows.T)
    return np.asarray(_kernels.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table))


def triplet_counts(hierarchy: Hierarchy, triplets: TripletSet) -> tuple[np.ndarray, np.ndarray]:
    """Triplets displayed and not displayed, counted at nodes: two int64[N].

    A triplet ab|c that is displayed counts where a and b meet (their last common ancestor), one that is
    not where all three have met.
    """
    N = hierarchy.n_nodes
    rows = _numbers_in(hierarchy, triplets, "triplets' leaves")[triplets.rows]
    inner, outer = meeting_nodes(hierarchy, rows[:, :2]), meeting_nodes(hierarchy, rows[:, ::2])
    shown = inner < outer  # both are ancestors of a; ab|c is displayed where the one of a and b is the lower
    return (
        np.bincount(inner[shown], minlength=N),
        np.bincount(np.maximum(inner, outer)[~shown], minlength=N),
    )


def pair_counts(hierarchy: Hierarchy, pairs: PairwiseConstraints, clusters: np.ndarray | None) -> dict[str, np.ndarray]:
    """Must-links and cannot-links, counted at the nodes where their ends meet: int64[N] for each kind of them.

    With clusters the kinds are "must kept", "must broken", "cannot kept", "cannot broken"; without, or where an end
    has none, nothing is said of keeping and the kind is "must" or "cannot".
    """
    number, N = _numbers_in(hierarchy, pairs, "pairs' leaves"), hierarchy.n_nodes
    found = {}
    for name, rows, together in (("must", pairs.must_link, True), ("cannot", pairs.cannot_link, False)):
        rows = number[rows]
        at = meeting_nodes(hierarchy, rows)
        ends = np.full(rows.shape, -1) if clusters is None else clusters[rows]
        known = (ends >= 0).all(axis=1)
        kept = (ends[:, 0] == ends[:, 1]) == together
        for kind, some in ((name, ~known), (f"{name} kept", known & kept), (f"{name} broken", known & ~kept)):
            found[kind] = np.bincount(at[some], minlength=N)
    return found


def matched_styles(codes: np.ndarray, n_codes: int, others: np.ndarray, n_others: int) -> np.ndarray:
    """A style number for each class: that of the cluster it overlaps most, one to one, so that agreement shows.

    codes, others : int64[n], class and cluster of each leaf, -1 for none
    Returns style : int64[n_codes]; classes that match no cluster get the numbers after those of the clusters.
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
