"""Hierarchy -> flat clusters: by merge order, by height, by branch size, by what triplets support or demand."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.flat import check_points, enforced
from tripletree.algorithms.induce import displays
from tripletree.core.checks import check_count
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import ClusterCountError, LimitExceededError
from tripletree.kernels import freeze, frozen

__all__ = [
    "Chooser",
    "MOST_STATES",
    "NEED_TRIPLETS",
    "RULES",
    "best_supported",
    "chooser",
    "cut",
    "support_of",
    "whole_weights",
]


# ----------------------------------------------------------------------
# Which nodes of a hierarchy a cut splits, one function for each way to choose them.
#
# A branch is large when it has at least `least` leaves. A node is proper when two or more of its children are large:
# only these are split, and with each of them all nodes above it. A split adds one cluster for each large child but one;
# small children are set aside.

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
        height = kernels.cut.levels(hierarchy.parent)
    height = kernels.cut.monotone_heights(hierarchy.parent, frozen(height, np.float64), hierarchy.n_leaves)
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
        part[used] = kernels.cut.branch_heads(tree.parent, freeze(split), tree.n_leaves)
    return kernels.cut.whose_parts(hierarchy.parent, freeze(part)) == -2


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
    ancestors = kernels.rooted_tree.common_ancestors
    near = ancestors(a, b, *hierarchy.ancestor_table)
    all_three = np.maximum(near, ancestors(a, c, *hierarchy.ancestor_table))
    weight = whole_weights(triplets)
    change = np.bincount(near, weight, hierarchy.n_nodes) - np.bincount(all_three, weight, hierarchy.n_nodes)
    return freeze(kernels.cut.subtree_sums(hierarchy.parent, freeze(change.astype(np.int64))))


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
        return kernels.cut.trace(piece, best, k, gain.size)
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
    branches = kernels.cut
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


#: Without `min_size`, a branch is small below this share of the mean cluster: the first of the sizes that are tried.
SMALL_SHARE = 0.5


def cut(
    hierarchy: Hierarchy,
    n_clusters: int | None = None,
    *,
    rule: str | None = None,
    triplets: TripletSet | None = None,
    min_size: int | None = None,
    samples: Any = None,
    strict: bool | None = None,
) -> np.ndarray:
    """Cut a hierarchy into flat clusters.

    From the root down, nodes are split into their children until there are `n_clusters` clusters. The rules differ in
    which nodes are split, and in whether small branches are clusters or outliers:

    ===============  =======================================================  ===================================
    rule             nodes to split                                           `min_size`
    ===============  =======================================================  ===================================
    "merge_order"    the last ones: undoes the last merges                    1
    "height"         the highest ones, or those with most levels below        1
    "size"           the last ones that part two large branches               n / 2k, halved until k can be had
    "support"        those that keep the greatest weight of triplets ab|c     that of n / 2k, n / 4k, ..., 1 with
                     with a and b in one cluster and c outside it             which the clusters keep most triplets
    "constraints"    those that join parts which the triplets keep apart,     1
                     then the last ones
    ===============  =======================================================  ===================================

    Parameters
    ----------
    hierarchy : Hierarchy
        With n leaves. Nodes with one child count for nothing; one with c children adds c - 1 clusters at once.
    n_clusters : int, optional
        Between 1 and n. Only "constraints" can do without: it then splits what the triplets demand and no more.
    rule : {"merge_order", "height", "size", "support", "constraints"}, optional
        See above. By default "support" where triplets are given, else "size": the best of the benchmark below.
    triplets : TripletSet, optional
        For "support", which heeds their weights, and "constraints"; the other rules take no notice of them. Over
        leaves of the hierarchy, in any order. The hierarchy need not display them.
    min_size : int, optional
        Branches of fewer leaves are no clusters: small branches that a split uncovers join one of the clusters in the
        smallest clade around them.
    samples : array_like of float, shape (n, d), optional
        Where given, a small branch joins the cluster with the nearest mean, otherwise the one with the most leaves.
    strict : bool, optional
        Whether the clusters must satisfy the triplets, under every rule (see `satisfies`, and Notes). By default, where
        triplets are given that the hierarchy displays, all of them.

    Returns
    -------
    ndarray of int, shape (n,)
        The cluster of each leaf, numbered from 0 in the order of their first leaves.

    Raises
    ------
    ClusterCountError
        If `n_clusters` is not in 1..n, or cannot be had: there are not so many branches of at least `min_size`
        leaves, or a node with more than two children would be split on the way. ``.nearest`` holds the numbers next
        to it that can; without `min_size`, those for ``min_size=1``.
    UnknownLeafError
        If a triplet has a leaf that the hierarchy lacks.
    InconsistentTripletsError
        If the triplets of rule "constraints" contradict each other, or if `strict` and no clusters are found for them.
    LimitExceededError
        If rule "support" would take more than 50 million states of 16 bytes.
    TypeError, ValueError
        If an argument that the rule needs is missing, or is no such thing.

    See Also
    --------
    satisfies : which triplets flat clusters satisfy.
    enforce_triplets : what `strict` does, for clusters from anywhere.
    plot_dendrogram : draws clusters that are clades.
    pairwise_f_score : compares clusters with classes.

    Notes
    -----
    A node is split only if at least two of its children are large, that is, have at least `min_size` leaves; on the
    way down to it small children are set aside. Numbers of the inner nodes stand for the order of merging, as they do
    in hierarchies from ``from_linkage`` and from estimators. Hierarchies that were read or built otherwise have some
    order in which children stand before parents, and equal ones may then be cut differently: take "height" there.
    It never splits a child before its parent, even where heights fall from the one to the other.

    Heights play no part in the other rules. Under constraints they are not monotone, and cutting at a height gives
    another number of clusters than asked for.

    **strict**: clades satisfy all triplets that the hierarchy displays, but a cluster that small branches have joined
    need not. Where some are broken, `enforce_triplets` moves single leaves until none is; under "support" the best of
    the clusters so found is taken. There are k clusters and none is empty, whenever the triplets are consistent. A
    moved leaf leaves its clade: for clades alone take ``min_size=1`` of a hierarchy that displays the triplets.

    "size" is the threshold on the size of branches of [1]_. "support" looks at all choices of k branches with nothing
    but small ones beside them and takes the best, the one of the latest splits where several are: without triplets
    it is "size". A knapsack over the hierarchy finds it in O(n k) time. Triplets count as whole multiples of a 2**51st
    of their weight. "constraints" splits the nodes whose leaves belong to two or more children of the root of
    ``one_tree(triplets)``; leaves in no triplet count for nothing.

    Mean pairwise F of the rules on hierarchies of ReCon under random triplets of the classes, on 15 data sets with 2 to
    26 classes, over three linkages (``benchmarks/bench_cuts.py``); all: the informative set, m = (k - 1) n:

    =============  =======  ========  ========  ======  =======  =====
    rule           m = 0    m = n/10  m = n/2   m = n   m = 2n   all
    =============  =======  ========  ========  ======  =======  =====
    "support"      .608     .677      .735      .822    .895     1.000
    "size"         .608     .671      .727      .810    .892     .956
    "merge_order"  .531     .602      .627      .677    .790     .749
    "constraints"  (none)   .609      .627      .677    .795     1.000
    =============  =======  ========  ========  ======  =======  =====

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with Relative Constraints, Proceedings of the 17th ACM SIGKDD
       International Conference on Knowledge Discovery and Data Mining, 947-955.

    Examples
    --------
    The last merge of this hierarchy takes in a single leaf, e; the one before joins the pairs ab and cd:

    >>> from tripletree.algorithms.linkage import from_linkage
    >>> h = from_linkage([[0, 1, 1.0, 2], [2, 3, 1.5, 2], [5, 6, 4.0, 4], [4, 7, 5.0, 5]], "a b c d e".split())
    >>> cut(h, 2, rule="merge_order").tolist()
    [0, 0, 0, 0, 1]
    >>> cut(h, 2).tolist(), cut(h, 3).tolist()
    ([0, 0, 1, 1, 0], [0, 0, 1, 1, 2])

    Triplets tell what to keep together:

    >>> known = TripletSet.from_labels([("a", "b", "c"), ("c", "d", "a"), ("a", "b", "e")])
    >>> cut(h, 2, triplets=known).tolist()
    [0, 0, 1, 1, 0]
    >>> cut(h, rule="constraints", triplets=known).tolist()
    [0, 0, 1, 1, 2]

    By size, e joins a, and c does not: that breaks ac|e, which the hierarchy displays. A strict cut moves a.

    >>> known = TripletSet.from_labels([("a", "c", "e")])
    >>> cut(h, 2, rule="size", triplets=known, strict=False).tolist(), cut(h, 2, rule="size", triplets=known).tolist()
    ([0, 0, 1, 1, 0], [0, 1, 0, 0, 1])
    """
    n = check_hierarchy(hierarchy).n_leaves
    if rule is None:
        rule = "size" if triplets is None else "support"
    k = _check_number(n_clusters, n, rule)
    known = None if triplets is None else check_triplets(triplets).reindex(hierarchy.leaves)
    if known is None and rule in NEED_TRIPLETS:
        msg = f"rule={rule!r} needs triplets=..., a TripletSet; without any, take rule='size' or 'merge_order'"
        raise TypeError(msg)
    sizes = [check_count(min_size, "min_size", 1)] if min_size is not None else sizes_tried(n, k, rule)
    points = None if samples is None else check_points(samples, n)
    if strict and known is None:
        msg = "strict=True needs triplets=..., those that the clusters must satisfy"
        raise TypeError(msg)
    if strict is None:
        strict = known is not None and bool(displays(hierarchy, known).all())
    choose = chooser(hierarchy, rule, known)
    weight = whole_weights(known) if known is not None and rule == "support" and len(sizes) > 1 else None
    best, most = None, -1.0
    for least in sizes:
        try:
            split = choose(k, least)
        except ClusterCountError:
            if least == sizes[-1] and best is None:
                raise
            continue
        except LimitExceededError:
            if best is None:
                raise
            break  # smaller sizes take more
        labels = labels_of(hierarchy, split, least, points)
        if strict and known is not None:
            labels = by_first_leaf(enforced(labels, known, points))
        if known is None or weight is None:
            return labels
        a, b, c = labels[known.rows.T]
        kept = float(weight[(a == b) & (a != c)].sum())
        if kept > most:
            best, most = labels, kept
    assert best is not None
    return best


def _check_number(n_clusters: Any, n: int, rule: str) -> int | None:
    """The number of clusters, in 1..n; None where the rule finds it."""
    if rule not in RULES:
        msg = f"rule must be one of {', '.join(map(repr, RULES))}, not {rule!r}"
        raise ValueError(msg)
    if n_clusters is None:
        if rule == "constraints":
            return None
        msg = f"rule={rule!r} needs n_clusters; only rule='constraints' finds a number by itself"
        raise TypeError(msg)
    try:
        k = operator.index(n_clusters)
    except TypeError:
        msg = f"n_clusters must be an integer, not {n_clusters!r}"
        raise TypeError(msg) from None
    if not 1 <= k <= n:
        msg = f"n_clusters is {k}; a hierarchy of {n} leaves can be cut into 1..{n} clusters"
        raise ClusterCountError(msg, n_clusters=k, nearest=(min(max(k, 1), n),))
    return k


def sizes_tried(n: int, k: int | None, rule: str) -> list[int]:
    """The sizes of the smallest large branch that are tried where none is given, in falling order."""
    if k is None or rule not in ("size", "support"):
        return [1]
    sizes = [max(1, int(np.ceil(SMALL_SHARE * n / k)))]
    while sizes[-1] > 1:
        sizes.append(sizes[-1] // 2)
    return sizes


def labels_of(hierarchy: Hierarchy, split: np.ndarray, least: int = 1, points: np.ndarray | None = None) -> np.ndarray:
    """Clusters of the leaves once some nodes are split, numbered by their first leaves; small branches joined."""
    n = hierarchy.n_leaves
    head = kernels.cut.branch_heads(hierarchy.parent, freeze(split), n)
    if least > 1 and split.any():
        head = _joined(hierarchy, head, least, points)
    return by_first_leaf(head)


def by_first_leaf(cluster: np.ndarray) -> np.ndarray:
    """Clusters, any numbers from 0 on, numbered anew in the order of their first leaves."""
    n = cluster.size
    first = np.empty(int(cluster.max(initial=-1)) + 1, np.intp)
    first[cluster[::-1]] = np.arange(n)[::-1]  # what is written last stays: the first leaf of each
    first = first[cluster]
    number = np.cumsum(first == np.arange(n)) - 1
    return number[first].astype(np.intp, copy=False)


def _joined(hierarchy: Hierarchy, head: np.ndarray, least: int, points: np.ndarray | None) -> np.ndarray:
    """Give each small branch to a cluster in the clade of its parent: the nearest, or the largest."""
    start, stop, leaf = hierarchy.leaf_intervals
    size = stop - start
    branch = np.unique(head)
    small, cluster = branch[size[branch] < least], branch[size[branch] >= least]
    if small.size == 0:
        return head
    cluster = cluster[np.argsort(start[cluster])]
    around = hierarchy.parent[small]
    first, end = (np.searchsorted(start[cluster], at[around]).astype(np.int64) for at in (start, stop))
    if points is None:
        low = _over_runs(np.minimum, leaf, start[cluster], stop[cluster])
        ranked = np.lexsort((-low, size[cluster]))  # the largest last, of equals the one with the first leaf
        rank = np.empty(cluster.size, np.int64)
        rank[ranked] = np.arange(cluster.size)
        chosen = ranked[_over_runs(np.maximum, rank, first, end)]
    else:
        centres = [
            freeze(_over_runs(np.add, points[leaf], start[u], stop[u]) / size[u, None]) for u in (small, cluster)
        ]
        chosen = kernels.cut.nearest_centres(*centres, freeze(first), freeze(end))
    home = np.arange(hierarchy.n_nodes, dtype=head.dtype)
    home[small] = cluster[chosen]
    return home[head]


def _over_runs(function: np.ufunc, values: np.ndarray, first: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Reduce values[first:stop] for each run; none is empty."""
    padded = np.concatenate([values, values[-1:]])  # reduceat wants every index inside
    return function.reduceat(padded, np.stack([first, stop], axis=1).ravel(), axis=0)[::2]
