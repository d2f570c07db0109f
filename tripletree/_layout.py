"""Where a drawing puts things: nodes, lines, clusters and triplets of a hierarchy as plain arrays, without matplotlib.

A place is (along, up): along the leaf axis, where the leaves stand at 0..n-1, and up the height axis. Turning that
into x and y is left to ``plot.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.hierarchy import Hierarchy
from tripletree.triplets import TripletSet

__all__ = ["Layout", "clade_codes", "layout", "matched_styles", "node_heights", "triplet_counts"]

HEIGHTS = ("auto", "height", "order", "level")
MATCHED = 10_000  # up to this many pairs (class, cluster) colours are matched; beyond, nobody could tell them apart


class Layout(NamedTuple):
    """Places of the N nodes, and the lines that join them.

    order : int64[n], the leaves along their axis: depth first, children by their smallest leaf
    along, up : float64[N]
    lines : float64[L, 2, 2], the two ends (along, up) of each line: one from every node but the root up to its parent's
    height, and one across the children of every node with two or more
    owner : int64[L], the node whose colour a line has
    unit : the name of the height axis
    """

    order: np.ndarray
    along: np.ndarray
    up: np.ndarray
    lines: np.ndarray
    owner: np.ndarray
    unit: str


def node_heights(hierarchy: Hierarchy, heights: str) -> tuple[np.ndarray, str]:
    """Height of each node in the drawing (float64[N]), and what it is.

    "auto" takes the hierarchy's heights unless it has none or all are the same.
    """
    own = hierarchy.height
    if heights == "height" and own is None:
        msg = (
            "heights='height', but this hierarchy has no heights (not every branch has a length): use 'level' or 'auto'"
        )
        raise ValueError(msg)
    if heights == "height" or (heights == "auto" and own is not None and bool((own != own[0]).any())):
        assert own is not None
        lower = int(np.count_nonzero(own[hierarchy.parent[:-1]] < own[:-1]))
        return own, f"height ({lower:,} of {own.size - 1:,} branches point down)" if lower else "height"
    if heights == "order":
        rank = np.arange(hierarchy.n_nodes, dtype=np.float64) - (hierarchy.n_leaves - 1)
        return np.maximum(rank, 0.0), "order of merging"
    if heights in ("level", "auto"):
        return _kernels.cuts.levels(hierarchy.parent).astype(np.float64), "level above the leaves"
    msg = f"heights is {heights!r}; it must be one of {', '.join(map(repr, HEIGHTS))}"
    raise ValueError(msg)


def layout(hierarchy: Hierarchy, heights: str) -> Layout:
    """Place the nodes of a hierarchy and the lines between them. Linear in the number of nodes, whatever the depth."""
    up, unit = node_heights(hierarchy, heights)
    parent = hierarchy.parent
    place = freeze(_kernels.cuts.reading_places(parent, hierarchy.n_leaves))
    low, high = _kernels.cuts.child_spans(parent, place, hierarchy.n_leaves)
    along = (low + high) / 2
    stem = np.arange(hierarchy.n_nodes - 1)
    across = np.flatnonzero(high > low)
    lines = np.empty((stem.size + across.size, 2, 2))
    lines[: stem.size, :, 0] = along[:-1, None]
    lines[: stem.size, 0, 1] = up[:-1]
    lines[: stem.size, 1, 1] = up[parent[:-1]]
    lines[stem.size :, 0, 0] = low[across]
    lines[stem.size :, 1, 0] = high[across]
    lines[stem.size :, :, 1] = up[across, None]
    return Layout(np.argsort(place), along, up, lines, np.concatenate([stem, across]), unit)


def clade_codes(hierarchy: Hierarchy, codes: np.ndarray) -> np.ndarray:
    """The code that all leaves below a node share, -1 where they differ: int64[N] from int64[n]."""
    start, stop, order = hierarchy.leaf_intervals
    ordered = codes[order]
    changes = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
    return np.where(changes[start] == changes[stop - 1], ordered[start], -1)


def triplet_counts(hierarchy: Hierarchy, triplets: TripletSet) -> tuple[np.ndarray, np.ndarray]:
    """Triplets displayed and not displayed, counted at nodes: two int64[N].

    A triplet ab|c that is displayed counts where a and b meet (their last common ancestor), one that is
    not where all three have met.
    """
    N = hierarchy.n_nodes
    number = np.full(len(triplets.leaves), -1, np.int32)
    used = triplets.used_leaves
    number[used] = hierarchy.leaves.indices((triplets.leaves[i] for i in used.tolist()), what="triplets' leaves")
    a, b, c = (freeze(np.ascontiguousarray(column)) for column in number[triplets.rows].T)
    inner = _kernels.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table)
    outer = _kernels.rooted_tree.common_ancestors(a, c, *hierarchy.ancestor_table)
    shown = inner < outer  # both are ancestors of a; ab|c is displayed where the one of a and b is the lower
    return (
        np.bincount(inner[shown], minlength=N),
        np.bincount(np.maximum(inner, outer)[~shown], minlength=N),
    )


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
