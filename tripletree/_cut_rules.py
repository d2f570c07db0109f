"""Which nodes of a hierarchy a cut splits, one function for each way to choose them.

A branch is large when it has at least `least` leaves. A node is proper when two or more of its children are large:
only these are split, and with each of them all nodes above it. A split adds one cluster for each large child but one;
small children are set aside.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.errors import ClusterCountError, LimitExceededError
from tripletree.hierarchy import Hierarchy
from tripletree.onetree import one_tree
from tripletree.triplets import TripletSet

__all__ = [
    "MOST_STATES",
    "NEED_TRIPLETS",
    "RULES",
    "Chooser",
    "best_supported",
    "chooser",
    "support_of",
    "whole_weights",
]

RULES = ("merge_order", "height", "size", "support", "constraints")
NEED_TRIPLETS = ("support", "constraints")

#: States (16 bytes each) beyond which rule="support" refuses.
MOST_STATES = 50_000_000

#: Number of clusters (None: as many as the rule says) and smallest large branch -> mask of the proper nodes to split.
Chooser = Callable[[int | None, int], np.ndarray]


def chooser(hierarchy: Hierarchy, rule: str, triplets: TripletSet | None) -> Chooser:
    """What chooses the nodes to split under a rule; it raises ClusterCountError where the number cannot be had.

    Parameters
    ----------
    hierarchy : Hierarchy
    rule : str
        One of `RULES`.
    triplets : TripletSet or None
        Over the leaves of the hierarchy.
    """
    if triplets is not None and rule == "support":
        return partial(best_supported, hierarchy, support_of(hierarchy, triplets))
    if rule == "height":
        return partial(_last_in_order, hierarchy, _height_order(hierarchy), None)
    order = np.arange(hierarchy.n_nodes, dtype=np.int64)
    if triplets is not None and rule == "constraints":
        several = _several_parts(hierarchy, triplets)
        return partial(_last_in_order, hierarchy, order + several * np.int64(hierarchy.n_nodes), several)
    return partial(_last_in_order, hierarchy, order, None)


def _proper(hierarchy: Hierarchy, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes are large (bool), and how many clusters splitting each one adds (int64, 0 unless it is proper)."""
    start, stop, _ = hierarchy.leaf_intervals
    large = stop - start >= least
    n_large = np.bincount(hierarchy.parent[:-1][large[:-1]], minlength=hierarchy.n_nodes)
    return freeze(large), freeze(np.maximum(n_large - 1, 0).astype(np.int64))


def _too_many(k: int, least: int, most: int) -> ClusterCountError:
    msg = (
        f"n_clusters is {k}, but the hierarchy can be cut into {most} {'branch' if most == 1 else 'branches'}"
        f"{_of_size(least)} at most: "
        "ask for no more, or lower min_size"
    )
    return ClusterCountError(msg, n_clusters=k, nearest=(most,))


def _of_size(least: int) -> str:
    return f" of at least {least} leaves" if least > 1 else ""


# ------------------------------------------------------------------ one after the other


def _last_in_order(
    hierarchy: Hierarchy, order: np.ndarray, those: np.ndarray | None, k: int | None, least: int
) -> np.ndarray:
    """Split the last proper nodes in an order, as many as make k clusters; without a number, `those` (a mask)."""
    gain = _proper(hierarchy, least)[1]
    if k is None and those is not None:
        return (gain > 0) & those
    assert k is not None
    proper = np.flatnonzero(gain)
    proper = proper[np.argsort(-order[proper], kind="stable")]
    count = np.concatenate([[1], 1 + np.cumsum(gain[proper])])
    i = int(np.searchsorted(count, k))
    if i == count.size:
        raise _too_many(k, least, int(count[-1]))
    if count[i] != k:
        below, above = int(count[i - 1]), int(count[i])
        msg = (
            f"n_clusters is {k}, which no cut gives: splitting node {proper[i - 1]}, the next in turn, with its "
            f"{above - below + 1} children{_of_size(least)} leads from {below} clusters to {above}; "
            "ask for one of these"
        )
        raise ClusterCountError(msg, n_clusters=k, nearest=(below, above))
    split = np.zeros(gain.size, np.bool_)
    split[proper[:i]] = True
    return split


def _height_order(hierarchy: Hierarchy) -> np.ndarray:
    """Rank of each node by height, raised to that of the highest node below; levels where there are no heights."""
    height = hierarchy.height
    if height is None:
        height = _kernels.cuts.levels(hierarchy.parent)
    height = _kernels.cuts.monotone_heights(hierarchy.parent, frozen(height, np.float64), hierarchy.n_leaves)
    order = np.empty(hierarchy.n_nodes, np.int64)
    order[np.argsort(height, kind="stable")] = np.arange(hierarchy.n_nodes)  # of equal heights the child comes first
    return order


def _several_parts(hierarchy: Hierarchy, triplets: TripletSet) -> np.ndarray:
    """Which nodes have leaves of two or more parts: the children of the root of the triplets' Aho tree."""
    part = np.full(hierarchy.n_leaves, -1, np.int32)
    used = triplets.used_leaves
    if used.size:
        tree = one_tree(triplets.restrict(hierarchy.leaves.take(used)))
        split = np.zeros(tree.n_nodes, np.bool_)
        split[tree.root] = True
        part[used] = _kernels.cuts.branch_heads(tree.parent, freeze(split), tree.n_leaves)
    return _kernels.cuts.whose_parts(hierarchy.parent, freeze(part)) == -2


# ------------------------------------------------------------------ the best of all


def whole_weights(triplets: TripletSet) -> np.ndarray:
    """The weights as whole numbers (float64) of sum 2**53 at most, so that every sum of them is exact.

    They are rounded to multiples of a power of two, 2**-51 or less of their sum: no change where all are whole.
    """
    if triplets.weights is None:
        return np.ones(len(triplets))
    weights = np.ldexp(triplets.weights, -int(np.frexp(triplets.weights.max(initial=1.0))[1]))
    return np.rint(np.ldexp(weights, 52 - int(np.frexp(weights.sum())[1])))


def support_of(hierarchy: Hierarchy, triplets: TripletSet) -> np.ndarray:
    """For each node the weight of the triplets with a and b below it and c not: int64."""
    if len(triplets) == 0:
        return freeze(np.zeros(hierarchy.n_nodes, np.int64))
    a, b, c = (freeze(np.ascontiguousarray(x)) for x in triplets.rows.T)
    ancestors = _kernels.rooted_tree.common_ancestors
    near = ancestors(a, b, *hierarchy.ancestor_table)
    all_three = np.maximum(near, ancestors(a, c, *hierarchy.ancestor_table))
    weight = whole_weights(triplets)
    change = np.bincount(near, weight, hierarchy.n_nodes) - np.bincount(all_three, weight, hierarchy.n_nodes)
    return freeze(_kernels.branches.subtree_sums(hierarchy.parent, freeze(change.astype(np.int64))))


def best_supported(hierarchy: Hierarchy, support: np.ndarray, k: int | None, least: int) -> np.ndarray:
    """Split the proper nodes that make the k clusters of the greatest support, of equal ones the latest."""
    assert k is not None
    large, gain = _proper(hierarchy, least)
    most = 1 + int(gain.sum())
    if k > most:
        raise _too_many(k, least, most)
    if k == 1:
        return np.zeros(gain.size, np.bool_)
    piece, best, can_be_had = _solved(hierarchy, large, gain, support, k)
    if k in can_be_had:
        return _kernels.branches.trace(piece, best, k, gain.size)
    # the next number that can be had is one split away
    can_be_had = _solved(hierarchy, large, gain, support, min(k + int(gain.max()), most))[2]
    below, above = int(can_be_had[can_be_had < k].max()), int(can_be_had[can_be_had > k].min())
    msg = (
        f"n_clusters is {k}, which no cut gives: nodes with more than two children{_of_size(least)} are split into all "
        f"of them at once; ask for {below} or {above}"
    )
    raise ClusterCountError(msg, n_clusters=k, nearest=(below, above))


def _solved(
    hierarchy: Hierarchy, large: np.ndarray, gain: np.ndarray, support: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The knapsack over the proper nodes: its plan, its states, and the numbers of clusters that can be had."""
    branches = _kernels.branches
    order = freeze(np.arange(hierarchy.n_nodes, dtype=np.int64))
    piece = freeze(branches.plan(hierarchy.parent, large, gain, order, support, most))
    if piece.shape[0] == 0:  # the first split makes more
        return piece, np.empty((0, 2), np.int64), np.ones(1, np.int64)
    high = int(piece[-1, branches.HIGH])
    n_states = int(piece[-1, branches.START]) + high
    if n_states > MOST_STATES:
        msg = (
            f"rule='support' with {most:,} clusters of this hierarchy needs {n_states:,} states, more than "
            f"{MOST_STATES:,} (16 bytes each): ask for fewer clusters, raise min_size, or take rule='size'"
        )
        raise LimitExceededError(msg, size=n_states, limit=MOST_STATES)
    best = freeze(branches.solve(piece, n_states))
    return piece, best, 1 + np.flatnonzero(best[n_states - high :, 0] >= 0)
