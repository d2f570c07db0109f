"""Flat clusters out of a hierarchy: `cut`, and `suggest_n_clusters` for how many.

A rule says which nodes are split. `labels_of` makes clusters of the rest, small branches joined to one of them. To
add a rule, write a function that returns the nodes to split, give it a case in `chooser` and its name to `RULES` and
the tuples below it. The estimators cut with `cut`. If pairs must hold, ``cluster/agglomerative/paired_cut.py`` applies
the rules to groups.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.flat import check_points, enforced, fit_together, unbroken
from tripletree.algorithms.induce import displays
from tripletree.algorithms.points import intrinsic_dimension, is_sparse, scatter, squared_distances
from tripletree.core.arrays import freeze, frozen
from tripletree.core.checks import check_choice, check_count, check_numbers
from tripletree.core.hierarchy import Hierarchy, check_rooted
from tripletree.core.labels import in_order_of_first
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import ClusterCountError, LimitExceededError

# ----------------------------------------------------------------------
# The rules: which nodes of a hierarchy a cut splits.
#
# A branch is large when it has at least `least` leaves. A node is proper when two or more of its children are large:
# only these are split, and with each of them all nodes above it. A split adds one cluster for each large child but one.
# Small children are set aside.

#: "auto" is not a rule of its own: `cut` chooses between "size" and "support".
RULES = ("auto", "merge_order", "height", "size", "support", "constraints")
NEED_TRIPLETS = ("support", "constraints")
FIND_NUMBER = ("constraints",)  # of clusters, if no number is given

#: States (16 bytes each) beyond which rule="support" refuses.
MOST_STATES = 50_000_000

#: Number of clusters (None: as many as the rule says) and smallest large branch -> mask of the proper nodes to split.
Chooser = Callable[[int | None, float], np.ndarray]


def chooser(hierarchy: Hierarchy, rule: str, triplets: TripletSet | None, weights: np.ndarray | None = None) -> Chooser:
    """Return the function that chooses the nodes to split under a rule.

    It raises ClusterCountError if the number of clusters cannot be reached.

    Parameters
    ----------
    hierarchy : Hierarchy
    rule : str
        One of `RULES`, but not "auto".
    triplets : TripletSet or None
        Over the leaves of the hierarchy. Given for the rules of `NEED_TRIPLETS`.
    weights : ndarray of float64, shape (n,), optional
        Weights of the leaves.
    """
    size = branch_sizes(hierarchy, weights)
    order = np.arange(hierarchy.n_nodes, dtype=np.int64)
    if rule in ("merge_order", "size"):  # they differ in the least size of a branch only
        return partial(_last_in_order, hierarchy, size, order, None)
    if rule == "height":
        return partial(_last_in_order, hierarchy, size, _height_order(hierarchy), None)
    assert triplets is not None
    if rule == "support":
        return partial(best_supported, hierarchy, size, support_of(hierarchy, triplets))
    assert rule == "constraints"
    several = _several_parts(hierarchy, triplets)
    return partial(_last_in_order, hierarchy, size, order + several * np.int64(hierarchy.n_nodes), several)


def branch_sizes(hierarchy: Hierarchy, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the number of leaves below each node, or their weight."""
    start, stop, leaf = hierarchy.leaf_intervals
    if weights is None:
        return stop - start
    before = np.concatenate([[0.0], np.cumsum(weights[leaf])])
    size = before[stop] - before[start]
    size[: weights.size] = weights  # free of rounding: the least size of a branch may be the least weight
    return size


def _proper(hierarchy: Hierarchy, size: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes are large (bool), and how many clusters splitting each one adds (int64, 0 unless it is proper)."""
    large = size >= least
    n_large = np.bincount(hierarchy.parent[:-1][large[:-1]], minlength=hierarchy.n_nodes)
    return freeze(large), freeze(np.maximum(n_large - 1, 0).astype(np.int64))


def _too_many(k: int, least: float, most: int) -> ClusterCountError:
    msg = (
        f"n_clusters is {k}, but the hierarchy can be cut into {most} {'branch' if most == 1 else 'branches'}"
        f"{_of_size(least)} at most: "
        "ask for no more, or lower min_size"
    )
    return ClusterCountError(msg, n_clusters=k, nearest=(most,))


def _of_size(least: float) -> str:
    return f" of at least {least:g} leaves" if least > 1 else ""


# ------------------------------------------------------------------ one split after the other


def _last_in_order(
    hierarchy: Hierarchy, size: np.ndarray, order: np.ndarray, those: np.ndarray | None, k: int | None, least: float
) -> np.ndarray:
    """Split the last proper nodes in an order, as many as make k clusters. If k is None, all of `those` (a mask)."""
    gain = _proper(hierarchy, size, least)[1]
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
    """Rank of each node by height, raised to the highest node below. Levels if there are no heights."""
    height = hierarchy.height
    if height is None:
        height = engine.cut.levels(hierarchy.parent)
    height = engine.cut.monotone_heights(hierarchy.parent, frozen(height, np.float64), hierarchy.n_leaves)
    order = np.empty(hierarchy.n_nodes, np.int64)
    order[np.argsort(height, kind="stable")] = np.arange(hierarchy.n_nodes)  # of equal heights the child comes first
    return order


def _several_parts(hierarchy: Hierarchy, triplets: TripletSet) -> np.ndarray:
    """Tell which nodes have leaves of two or more parts: the children of the root of the triplets' Aho tree."""
    part = np.full(hierarchy.n_leaves, -1, np.int32)
    used = triplets.used_leaves
    if used.size:
        tree = one_tree(triplets.restrict(hierarchy.leaves.take(used)))
        split = np.zeros(tree.n_nodes, np.bool_)
        split[tree.root] = True
        part[used] = engine.cut.branch_heads(tree.parent, freeze(split), tree.n_leaves)
    return engine.cut.whose_parts(hierarchy.parent, freeze(part)) == -2


# ------------------------------------------------------------------ the best of all choices


def whole_weights(triplets: TripletSet) -> np.ndarray:
    """Return the weights as whole numbers (float64) of sum 2**53 at most, so that every sum of them is exact.

    They are rounded to multiples of a power of two of at most 2**-51 of their sum. Whole numbers stay as they are.
    """
    if triplets.weights is None:
        return np.ones(len(triplets))
    weights = np.ldexp(triplets.weights, -int(np.frexp(triplets.weights.max(initial=0.0))[1]))
    return np.rint(np.ldexp(weights, 52 - int(np.frexp(weights.sum())[1])))


def support_of(hierarchy: Hierarchy, triplets: TripletSet) -> np.ndarray:
    """For each node the weight of the triplets with a and b below it and c not: int64."""
    if len(triplets) == 0:
        return freeze(np.zeros(hierarchy.n_nodes, np.int64))
    a, b, c = (freeze(np.ascontiguousarray(x)) for x in triplets.rows.T)
    ancestors = engine.rooted_tree.common_ancestors
    near = ancestors(a, b, *hierarchy.ancestor_table)
    all_three = np.maximum(near, ancestors(a, c, *hierarchy.ancestor_table))
    weight = whole_weights(triplets)
    change = np.bincount(near, weight, hierarchy.n_nodes) - np.bincount(all_three, weight, hierarchy.n_nodes)
    return freeze(engine.cut.subtree_sums(hierarchy.parent, freeze(change.astype(np.int64))))


def best_supported(
    hierarchy: Hierarchy, size: np.ndarray, support: np.ndarray, k: int | None, least: float
) -> np.ndarray:
    """Split the proper nodes that make the k clusters of greatest support. Ties go to the latest nodes."""
    assert k is not None
    large, gain = _proper(hierarchy, size, least)
    most = 1 + int(gain.sum())
    if k > most:
        raise _too_many(k, least, most)
    if k == 1:
        return np.zeros(gain.size, np.bool_)
    knapsack, reachable = _solved(hierarchy, large, gain, support, k)
    if k in reachable:
        return knapsack.trace(k)
    # the next number that can be reached is one split away
    reachable = _solved(hierarchy, large, gain, support, min(k + int(gain.max()), most))[1]
    below, above = int(reachable[reachable < k].max()), int(reachable[reachable > k].min())
    msg = (
        f"n_clusters is {k}, which no cut gives: nodes with more than two children{_of_size(least)} are split into all "
        f"of them at once; ask for {below} or {above}"
    )
    raise ClusterCountError(msg, n_clusters=k, nearest=(below, above))


def _solved(
    hierarchy: Hierarchy, large: np.ndarray, gain: np.ndarray, support: np.ndarray, most: int
) -> tuple[Any, np.ndarray]:
    """Return the knapsack over the proper nodes, solved, and the numbers of clusters that can be reached."""
    knapsack = engine.cut.SupportedCut(hierarchy.parent, large, gain, support, most)
    if knapsack.n_states > MOST_STATES:
        msg = (
            f"rule='support' with {most:,} clusters of this hierarchy needs {knapsack.n_states:,} states, more than "
            f"{MOST_STATES:,} (16 bytes each): ask for fewer clusters, raise min_size, or take rule='size'"
        )
        raise LimitExceededError(msg, size=knapsack.n_states, limit=MOST_STATES)
    return knapsack, knapsack.solve()  # if the first split makes more, only one


#: Without `min_size`, the first size tried: branches smaller than this share of the mean cluster are small.
SMALL_SHARE = 0.5

#: In `suggest_n_clusters`, clusters smaller than this share of the mean cluster are crumbs.
CRUMB = 0.2

#: In `suggest_n_clusters`, how many times as sure as it should be the model of the samples is, beside triplets: classes
#: are rarely spheres, and would be split into them.
OVERSURE = 10.0

#: Sizes of small branches that "auto" compares: the first ones for which there are k clusters.
_SIZES = 4

#: The least share of squared distances within clusters that is told from zero.
_LEAST = 1e-9

_BATCH = 4_000_000  # distances that stand at a time: 32 MB

#: The weights that a leaf may have: such that no product of a few of them is 0 or infinite.
LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100


def cut(
    hierarchy: Hierarchy,
    n_clusters: int | None = None,
    *,
    rule: str = "auto",
    triplets: TripletSet | None = None,
    min_size: int | None = None,
    samples: Any = None,
    sample_weight: Any = None,
    strict: bool | None = None,
    outliers: str = "clade",
    height: float | None = None,
) -> np.ndarray:
    """Cut a hierarchy into flat clusters.

    From the root down, nodes are split into their children until there are `n_clusters` clusters. The rules differ in
    which nodes are split, and in whether small branches are clusters or outliers:

    ===============  =======================================================  ===================================
    rule             nodes to split                                           `min_size`
    ===============  =======================================================  ===================================
    "auto"           those of "size" or "support", whichever makes the        n / 2k, n / 4k, n / 8k, n / 16k
                     clusters that keep most triplets and fit the samples
    "merge_order"    the last ones: undoes the last merges                    1
    "height"         the highest ones, or those with most levels below        1
    "size"           the last ones that part two large branches               n / 2k, halved until k is reached
    "support"        those that keep the greatest weight of triplets ab|c     that of n / 2k, n / 4k, ..., 1 with
                     with a and b in one cluster and c outside it             which the clusters keep most triplets
    "constraints"    those that join parts which the triplets keep apart,     1
                     then the last ones
    ===============  =======================================================  ===================================

    Parameters
    ----------
    hierarchy : Hierarchy
        With n leaves. Nodes with one child count for nothing. One with c children adds c - 1 clusters at once.
    n_clusters : int, optional
        Between 1 and n. By default as many as `suggest_n_clusters` says, from `samples` and `triplets`. Under
        "constraints" as many as the triplets demand.
    rule : {"auto", "merge_order", "height", "size", "support", "constraints"}, default "auto"
        See above. "auto" is "size" if there are no triplets, else "support" if no samples are given.
    triplets : TripletSet, optional
        For "auto" and "support", which use their weights, and "constraints". The other rules choose without them. Over
        leaves of the hierarchy, in any order. The hierarchy need not display them.
    min_size : int, optional
        Branches of fewer leaves do not become clusters: small branches that a split uncovers join one of the clusters
        in the smallest clade around them.
    samples : array_like of float, shape (n, d), optional
        If given, a small branch joins the cluster with the nearest mean, otherwise the one with the most leaves.
    sample_weight : array_like of float, shape (n,), optional
        How many samples each leaf stands for, more than 0: branches are then as large as the weights of their leaves
        say, n above is the sum of all, and means are weighted. A leaf of weight 3 counts as three at one place.
    strict : bool, optional
        True if the clusters must be compatible with the triplets, under every rule: they then satisfy all triplets
        that these imply (see `are_compatible`, and Notes). By default, if the hierarchy displays all triplets given.
    outliers : {"clade", "nearest"}, default "clade"
        Which clusters a small branch may join: the clusters in the smallest clade around it, or, as in [1]_, any of the
        k. It goes by the nearest mean, so "nearest" needs samples.
    height : float, optional
        In the place of all others: clusters are the largest clades with no node, their own and all below, above this
        height, as ``scipy.cluster.hierarchy.fcluster`` has it.

    Returns
    -------
    ndarray of int, shape (n,)
        The cluster of each leaf, numbered from 0 in the order of their first leaves.

    Raises
    ------
    ClusterCountError
        If `n_clusters` is not in 1..n, or cannot be reached: there are too few branches of at least `min_size`
        leaves, or a node with more than two children would be split on the way. ``.nearest`` holds the numbers next
        to it that can. Without `min_size`, the numbers for ``min_size=1``.
    InconsistentTripletsError
        If the triplets of rule "constraints" contradict each other, or if `strict` and no clusters are found for them.
    LimitExceededError
        If rule "support" would take more than 50 million states of 16 bytes.

    See Also
    --------
    are_compatible, satisfies : which triplets flat clusters keep.
    enforce_triplets : the same for clusters from anywhere.
    plot_dendrogram : draws clusters that are clades.
    pairwise_f_score : compares clusters with classes.

    Notes
    -----
    A node is split only if at least two of its children are large, that is, have at least `min_size` leaves. On the
    way down to it small children are set aside. The numbers of inner nodes stand for the order of merging, as they do
    in hierarchies from ``from_linkage`` and from estimators. Hierarchies that were read or built otherwise have some
    other order, and equal ones may be cut differently by all rules but "height". That rule never splits a child before
    its parent, even where heights fall from the child to the parent. The other rules ignore heights: under constraints
    heights are not monotone.

    **strict**: clades satisfy all triplets that the hierarchy displays, but a cluster that small branches have joined
    need not. If it does not, single leaves are moved until no triplet is broken, as `enforce_triplets` does. If the
    clusters break an implied triplet even so, smaller branches are tried. If none will do, as is usual for the triplets
    of a whole taxonomy, the clusters are clades of any size: of most even size, under "support" of greatest
    support. Leaves in no triplet then join the nearest cluster. There are always k clusters, and none is empty,
    provided that the triplets are consistent.

    "auto" compares the clusters of "size" and "support" at four sizes of small branches. It takes those with the
    greatest share of triplets with a and b together and c outside, less the logarithm of the share of squared distances
    that is left within clusters. So a few triplets, or many of a deep hierarchy, cannot make one giant cluster and
    crumbs. No rule is best everywhere. This one is on average, on the data that it was chosen on
    (``benchmarks/results/cuts.md`` compares the rules).

    "size" is the threshold on the size of branches of [1]_, which leaves its value open, and lets outliers join any
    cluster, though that can break triplets: ``rule="size", min_size=..., outliers="nearest", strict=False``.
    "support" considers every choice of k branches with only small ones beside them, by a knapsack over the hierarchy in
    O(n k) time. Ties go to the choice with the latest splits, so without triplets it is "size".
    "constraints" splits the nodes whose leaves belong to two or more children of the root of ``one_tree(triplets)``.
    Leaves in no triplet count for nothing.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with Relative Constraints, Proceedings of the 17th ACM SIGKDD
       International Conference on Knowledge Discovery and Data Mining, 947-955.

    Examples
    --------
    The last merge of this hierarchy takes in a single leaf, e. The one before joins the pairs ab and cd:

    >>> from tripletree.algorithms.linkage import from_linkage
    >>> h = from_linkage([[0, 1, 1.0, 2], [2, 3, 1.5, 2], [5, 6, 4.0, 4], [4, 7, 5.0, 5]], "a b c d e".split())
    >>> cut(h, 2, rule="merge_order").tolist()
    [0, 0, 0, 0, 1]
    >>> cut(h, 2).tolist(), cut(h, 3).tolist()
    ([0, 0, 1, 1, 0], [0, 0, 1, 1, 2])

    Triplets tell which leaves to keep together:

    >>> known = TripletSet.from_labels([("a", "b", "c"), ("c", "d", "a"), ("a", "b", "e")])
    >>> cut(h, 2, triplets=known).tolist()
    [0, 0, 1, 1, 0]
    >>> cut(h, rule="constraints", triplets=known).tolist()
    [0, 0, 1, 1, 2]

    Clades that are no higher than a threshold:

    >>> cut(h, height=1.5).tolist()
    [0, 0, 1, 1, 2]

    By size, e joins a, and c does not: that breaks ac|e, which the hierarchy displays. A strict cut moves a.

    >>> known = TripletSet.from_labels([("a", "c", "e")])
    >>> cut(h, 2, rule="size", triplets=known, strict=False).tolist(), cut(h, 2, rule="size", triplets=known).tolist()
    ([0, 0, 1, 1, 0], [0, 1, 0, 0, 1])
    """
    hierarchy = check_rooted(hierarchy)
    n = hierarchy.n_leaves
    check_choice(rule, "rule", RULES)
    if height is not None:
        given = {"n_clusters": n_clusters, "triplets": triplets, "min_size": min_size, "samples": samples}
        given |= {"sample_weight": sample_weight, "strict": strict, "rule": rule != "auto"}
        return _cut_at_height(hierarchy, height, given | {"outliers": outliers != "clade"})
    known = None if triplets is None else check_triplets(triplets).reindex(hierarchy.leaves)
    weights = check_leaf_weights(sample_weight, n)
    if known is None and (rule in NEED_TRIPLETS or strict):
        what = "strict=True needs triplets=..., those that the clusters must satisfy"
        msg = f"rule={rule!r} needs triplets=..., a TripletSet; without any, take rule='size' or 'merge_order'"
        raise TypeError(what if strict else msg)
    points = None if samples is None else check_points(samples, n)
    check_choice(outliers, "outliers", ("clade", "nearest"))
    if outliers == "nearest" and points is None:
        msg = "outliers='nearest' needs samples=..., to compute the means of the clusters; 'clade' needs none"
        raise TypeError(msg)
    least = None if min_size is None else check_count(min_size, "min_size", 1)
    if strict is None:
        strict = known is not None and bool(displays(hierarchy, known).all())
    if n_clusters is None and rule not in FIND_NUMBER:
        if points is None:
            msg = f"rule={rule!r} needs n_clusters, or samples=... to find a number (rule='constraints' needs neither)"
            msg += ", or height=... in the place of a rule"
            raise TypeError(msg)
        n_clusters = suggested(hierarchy, known, points, None, weights).n_clusters
    k = None if n_clusters is None else _check_number(n_clusters, n)
    anywhere = outliers == "nearest"
    found = _cuts(hierarchy, k, rule, known, points, least, strict=strict, anywhere=anywhere, weights=weights)
    return max(found, key=lambda one: one[0])[1]


def cut_at_threshold(hierarchy: Hierarchy, highest: np.ndarray, threshold: float) -> np.ndarray:
    """Return the largest clades whose merges all lie at or below the threshold.

    Parameters
    ----------
    hierarchy : Hierarchy
        With n leaves.
    highest : ndarray of float64, shape (n_nodes - n,)
        The greatest height at and below each inner node: the monotone heights.
    threshold : float

    Returns
    -------
    ndarray of int, shape (n,)
        The cluster of each leaf, numbered from 0 in the order of their first leaves.
    """
    n = hierarchy.n_leaves
    whole = np.concatenate([np.ones(n, bool), highest <= threshold])
    top = whole.copy()
    top[:-1] &= ~whole[hierarchy.parent[:-1]]
    start, _, order = hierarchy.leaf_intervals
    begins = np.zeros(n, np.intp)
    begins[start[top]] = 1
    clade = np.empty(n, np.intp)
    clade[order] = np.cumsum(begins) - 1
    return in_order_of_first(clade)


def _cut_at_height(hierarchy: Hierarchy, height: Any, given: dict[str, Any]) -> np.ndarray:
    """`cut` at a height, which goes with nothing else."""
    others = [name for name, value in given.items() if value is not None and value is not False]
    if others:
        msg = f"height= says which clades are clusters, so {', '.join(others)} cannot: leave one or the other out"
        raise TypeError(msg)
    if isinstance(height, (bool, np.bool_)) or not isinstance(height, Real) or np.isnan(float(height)):
        msg = f"height must be a number, not {height!r}"
        raise TypeError(msg)
    if hierarchy.height is None:
        msg = "the hierarchy has no heights to be cut at (not all branches have lengths): give n_clusters"
        raise ValueError(msg)
    n = hierarchy.n_leaves
    highest = engine.cut.monotone_heights(hierarchy.parent, frozen(hierarchy.height, np.float64), n)
    return cut_at_threshold(hierarchy, highest[n:], float(height))


def best_cut(
    hierarchy: Hierarchy,
    k: int | None,
    rule: str,
    triplets: TripletSet,
    points: np.ndarray | None,
    weights: np.ndarray | None,
    inside: float,
) -> np.ndarray:
    """`cut` for the estimators: arguments are checked, and triplets are over the leaves in their order.

    `inside` is the sum of the squared distances between leaves and the samples that they stand for.
    """
    strict = bool(displays(hierarchy, triplets).all())
    found = _cuts(hierarchy, k, rule, triplets, points, None, strict=strict, weights=weights, inside=inside)
    return max(found, key=lambda one: one[0])[1]


def _cuts(
    hierarchy: Hierarchy,
    k: int | None,
    rule: str,
    known: TripletSet | None,
    points: np.ndarray | None,
    min_size: int | None,
    *,
    strict: bool,
    anywhere: bool = False,
    weights: np.ndarray | None = None,
    inside: float = 0.0,
) -> list[tuple[float, np.ndarray]]:
    """Return the cuts that a rule compares, as (value, labels). The first cut with the greatest value is its answer."""
    crumbs_last = rule in ("auto", "size") and min_size is None
    if rule == "auto":
        rule = "size" if not known else "support" if points is None else rule
    rules = ("size", "support") if rule == "auto" else (rule,)
    sizes: Sequence[float]
    if min_size is not None:
        sizes = [min_size]
    elif weights is None:
        sizes = sizes_tried(hierarchy.n_leaves, k, rule)
    else:
        sizes = _weights_tried(weights, k, rule)
    weight = whole_weights(known) if known is not None and "support" in rules else np.empty(0)
    compatible_with = known if strict else None
    refused: Exception | None = None
    incompatible: np.ndarray | None = None

    def valued(labels: np.ndarray) -> tuple[float, np.ndarray]:
        value = 0.0
        if known is not None and weight.size:
            a, b, c = labels[known.rows.T]
            value = float(weight[(a == b) & (a != c)].sum())
            if rule == "auto" and points is not None:
                value = value / float(weight.sum()) - log_within(points, labels, weights, inside)
        return value, labels

    def compared(sizes: Sequence[float], floor: float = 0.0) -> list[tuple[float, np.ndarray]]:
        nonlocal refused, incompatible
        found: list[tuple[float, np.ndarray]] = []
        for name in rules:
            choose = chooser(hierarchy, name, known, weights)
            count = 0
            for least in sizes:
                try:
                    split = choose(k, least)
                except ClusterCountError as error:
                    refused = error
                    continue
                except LimitExceededError as error:
                    refused = error
                    break  # smaller sizes take more
                labels = labels_of(hierarchy, split, least, points, anywhere=anywhere, weights=weights)
                if compatible_with is not None:
                    moved = unbroken(labels, compatible_with, points, weights=weights)
                    # moves may empty a cluster except for a few leaves: then nothing is broken, and nothing is said
                    sound = moved is not None and np.bincount(moved, weights).min() >= floor
                    if moved is None or not sound or not fit_together(moved, compatible_with.rows):
                        incompatible = labels
                        continue
                    labels = by_first_leaf(moved)
                found.append(valued(labels))
                count += 1
                if name == rule == "size" or (rule == "auto" and count == _SIZES):
                    break
        return found

    n_large, floor = len(sizes), 0.0
    if compatible_with is not None and k is not None and crumbs_last:
        floor = CRUMB * (hierarchy.n_leaves if weights is None else float(weights.sum())) / k
        n_large = sum(size >= floor for size in sizes)
    found = compared(sizes[:n_large], floor)
    if not found and compatible_with is not None and k is not None and (crumbs_last or incompatible is not None):
        clades = _clade_cut(hierarchy, k, not crumbs_last and rule == "support", compatible_with, points, weights)
        found = [] if clades is None else [valued(clades)]
    if not found:
        found = compared(sizes[n_large:])
    if not found and incompatible is not None:
        assert known is not None
        found = [valued(by_first_leaf(enforced(incompatible, known, points, weights=weights)))]
    if not found:
        assert refused is not None
        raise refused
    return found


def _clade_cut(
    hierarchy: Hierarchy,
    k: int,
    by_support: bool,
    known: TripletSet,
    points: np.ndarray | None,
    weights: np.ndarray | None,
) -> np.ndarray | None:
    """Clusters that are clades, however small, of the leaves in triplets. Branches of other leaves join them.

    A hierarchy that displays the triplets allows no other clusters if the triplets are all that a taxonomy says. They
    are the k clades of most even size, or of greatest support. None if there are no k clades, or if they are not
    compatible with the triplets, which the hierarchy then does not display.
    """
    n = hierarchy.n_leaves
    named = np.zeros(n)
    named[known.used_leaves] = 1.0
    of_named = branch_sizes(hierarchy, named)
    if by_support:
        merit = support_of(hierarchy, known)
    else:
        share = branch_sizes(hierarchy, weights) / (n if weights is None else weights.sum())
        # whole numbers, so that sums are exact. Entropy is greatest for clusters of equal size
        merit = freeze(np.rint(-share * np.log(np.maximum(share, 1e-300)) * 2.0**40).astype(np.int64))
    try:
        split = best_supported(hierarchy, of_named, merit, k, 1)
    except (ClusterCountError, LimitExceededError):
        return None
    head = engine.cut.branch_heads(hierarchy.parent, freeze(split), n)
    labels = by_first_leaf(_joined(hierarchy, head, of_named, 1, points, weights, anywhere=False))
    return labels if fit_together(labels, known.rows) else None


def check_leaf_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Return the weights of n leaves as float64. None if all are 1."""
    if sample_weight is None:
        return None
    weights = check_numbers(sample_weight, n, "sample_weight", "samples", ValueError)
    bad = np.flatnonzero(~((weights >= LEAST_WEIGHT) & (weights <= MOST_WEIGHT)))
    if bad.size:
        weight = float(weights[bad[0]])
        advice = "a sample of weight w counts as w equal ones; give 1 if nothing else is known"
        if weight == 0:
            advice = "leave out samples of zero weight, which have no place in a hierarchy"
        msg = (
            f"the sample_weight of sample {bad[0]} is {weight:g}; weights must lie in "
            f"{LEAST_WEIGHT:g}..{MOST_WEIGHT:g}: {advice}"
        )
        raise ValueError(msg)
    return None if (weights == 1.0).all() else weights


def log_within(points: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None, inside: float = 0.0) -> float:
    """Return the logarithm of the share of the squared distances to the mean that is left within clusters.

    `inside` is the sum over the samples that a point stands for, to that point.
    """
    total, within = scatter(points, None, weights) + inside, scatter(points, labels, weights) + inside
    return float(np.log(max(within / total, _LEAST))) if total > 0 else 0.0


def _check_number(n_clusters: Any, n: int) -> int:
    """Return the number of clusters, in 1..n."""
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
    """Return the sizes of the smallest large branch that are tried if no size is given, in falling order."""
    if k is None or rule not in ("auto", "size", "support"):
        return [1]
    sizes = [max(1, int(np.ceil(SMALL_SHARE * n / k)))]
    while sizes[-1] > 1:
        sizes.append(sizes[-1] // 2)
    return sizes


def _weights_tried(weights: np.ndarray, k: int | None, rule: str) -> list[float]:
    """Return the same for leaves with weights: multiples of 1, or of the least weight if that is less."""
    unit = min(1.0, float(weights.min()))
    if k is None or rule not in ("auto", "size", "support"):
        return [unit]
    total = float(weights.sum()) / unit
    sizes = [max(1.0, float(np.ceil(SMALL_SHARE * total / k)))]
    while sizes[-1] > 1:
        sizes.append(sizes[-1] // 2)
    return [unit * size for size in sizes]


class NumberOfClusters(NamedTuple):
    """A number of clusters, and why."""

    n_clusters: int
    numbers: np.ndarray
    evidence: np.ndarray
    reason: str


def suggest_n_clusters(
    hierarchy: Hierarchy,
    samples: Any,
    *,
    triplets: TripletSet | None = None,
    max_clusters: int | None = None,
    sample_weight: Any = None,
) -> NumberOfClusters:
    """Suggest into how many clusters to cut a hierarchy, from the samples and the triplets' evidence about the level.

    For each number k, the clusters of ``cut(hierarchy, k, triplets=triplets, samples=samples)`` are scored in nats: by
    the Bayesian information criterion of k spherical Gaussian clusters of one variance [1]_, and by the triplets. A few
    odd samples make no cluster: numbers that leave just one cluster of a fifth of the mean size or more are passed
    over, if there are others.

    Parameters
    ----------
    hierarchy : Hierarchy
        With n leaves.
    samples : array_like of float, shape (n, d)
        A row for each leaf.
    triplets : TripletSet, optional
        Over leaves of the hierarchy.
    max_clusters : int, optional
        The largest number tried. By default the square root of n, at most 30. The least is 1. 2 if there are
        triplets, as triplets say that not all samples are alike.
    sample_weight : array_like of float, shape (n,), optional
        How many samples each leaf stands for, more than 0. Then n is the sum of them.

    Returns
    -------
    NumberOfClusters
        A named tuple: ``n_clusters``, the number, ``numbers`` (ndarray of int), all tried that some cut gives,
        ``evidence`` (ndarray of float64), nats for each, 0 for one cluster, and ``reason``, in words, with the
        number of greatest evidence if it was passed over.

    See Also
    --------
    cut : does this if no number is given.

    Notes
    -----
    Samples: ``-(n d / 2) log W + n sum p log p - k (d + 1) / 2 log n``. W is the share of squared distances left within
    clusters, and p the shares of the clusters. d is the number of dimensions along which samples spread: the squared
    sum of the covariance's eigenvalues over the sum of their squares. So features that repeat others count once. Beside
    triplets this counts a tenth: classes are rarely spheres, and the model is too sure that they are several.

    Triplets: let q be the share of them with a and b in one cluster and c outside. For triplets of a binary hierarchy
    and clusters that are clades of it, q is about h = 3 sum p^2 (1 - p) at every level, so they say nothing about the
    level. For triplets of classes, or of a hierarchy with large nodes, q is greater at their own level: where q > h, m
    triplets count m (q log(q / h) + (1 - q) log((1 - q) / (1 - h))) nats.

    Small clusters: the number is chosen among those with two clusters or more of at least n / 5k samples, if there are
    any. Hard constraints may force smaller ones beside these: a phylogeny with the platypus beside a hundred other
    mammals allows two clusters only if one of them is the platypus.

    References
    ----------
    .. [1] Pelleg, Moore (2000), X-means: extending K-means with efficient estimation of the number of clusters,
       ICML 2000, 727-734.

    Examples
    --------
    >>> from tripletree.algorithms.linkage import from_linkage
    >>> from scipy.cluster.hierarchy import linkage
    >>> X = np.array([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23.0])[:, None]
    >>> found = suggest_n_clusters(from_linkage(linkage(X, "ward")), X)
    >>> found.n_clusters, found.numbers.tolist(), found.evidence.round(1).tolist()
    (3, [1, 2, 3], [0.0, -2.1, 5.8])
    >>> found.reason
    '3 clusters, of 1 to 3: 5.8 nats of evidence more than one cluster, all by the samples; next comes 1, ...'
    """
    hierarchy = check_rooted(hierarchy)
    n = hierarchy.n_leaves
    known = None if triplets is None else check_triplets(triplets).reindex(hierarchy.leaves)
    return suggested(hierarchy, known, check_points(samples, n), max_clusters, check_leaf_weights(sample_weight, n))


def suggested(
    hierarchy: Hierarchy,
    known: TripletSet | None,
    points: np.ndarray,
    most: Any,
    weights: np.ndarray | None,
    inside: float = 0.0,
) -> NumberOfClusters:
    """`suggest_n_clusters` for arguments that are checked. `inside` as in `best_cut`."""
    n = hierarchy.n_leaves if weights is None else float(weights.sum())
    most = min(30, isqrt(int(n))) if most is None else check_count(most, "max_clusters", 1)
    most = min(most, hierarchy.n_leaves)
    d = intrinsic_dimension(points, weights)
    strict = known is not None and bool(displays(hierarchy, known).all())
    numbers, evidence, shares = [], [], []
    least = 2 if known else 1
    for k in range(least, max(least, most) + 1):
        try:
            found = _cuts(hierarchy, k, "auto", known, points, None, strict=strict, weights=weights, inside=inside)
        except ClusterCountError:
            continue
        labels = max(found, key=lambda one: one[0])[1]
        share = np.bincount(labels, weights) / n
        fit = -n * d / 2 * log_within(points, labels, weights, inside) + n * float((share * np.log(share)).sum())
        numbers.append(k)
        fit -= (k - 1) * (d + 1) / 2 * np.log(n)
        evidence.append((fit / OVERSURE if known else fit, _level_evidence(labels, share, known)))
        shares.append(share)
    if not numbers:  # nodes with many children
        numbers, evidence, shares = [1], [(0.0, 0.0)], [np.ones(1)]
    nats = np.array(evidence)
    total = nats.sum(axis=1)
    best = max(range(len(numbers)), key=lambda i: (has_several(shares[i]), total[i]))
    reason = _reason(numbers, nats, best)
    passed = int(total.argmax())
    if passed != best:
        smallest = round(float(shares[passed].min() * n))
        reason += (
            f"; {numbers[passed]} would have {total[passed] - total[best]:.1f} nats more, but only one cluster beside "
            f"{smallest} sample{'' if smallest == 1 else 's'}"
        )
    return NumberOfClusters(numbers[best], np.array(numbers), total, reason)


def has_several(share: np.ndarray) -> bool:
    """Tell whether two clusters or more are larger than crumbs, given their shares of the samples, or there is one."""
    return int((share >= CRUMB / share.size).sum()) >= min(2, share.size)


def _level_evidence(labels: np.ndarray, share: np.ndarray, known: TripletSet | None) -> float:
    """Return the evidence of the triplets for the clusters, in nats, against clades of a hierarchy at any level."""
    if not known:
        return 0.0
    a, b, c = labels[known.rows.T]
    q = float(np.mean((a == b) & (a != c)))
    h = 3 * float((share**2 * (1 - share)).sum())
    if q <= h:
        return 0.0
    rest = (1 - q) * np.log((1 - q) / (1 - h)) if q < 1 else 0.0
    return len(known) * float(q * np.log(q / h) + rest)


def _reason(numbers: list[int], nats: np.ndarray, best: int) -> str:
    total = nats.sum(axis=1)
    k, gain = numbers[best], float(total[best])
    text = f"{k} cluster{'s' if k > 1 else ''}, of {numbers[0]} to {numbers[-1]}"
    if k > 1:
        by = f"{nats[best, 0]:.1f} by the samples, {nats[best, 1]:.1f} by the triplets"
        than = f"{abs(gain):.1f} nats of evidence {'more' if gain >= 0 else 'less'} than one cluster"
        text += f": {than}, {by if nats[:, 1].any() else 'all by the samples'}"
        if gain < 0 and numbers[0] > 1:
            text = text.rpartition(", ")[0] if not nats[:, 1].any() else text
            text += "; one cluster is not compared, as triplets say that not all samples are alike"
    else:
        text += ": no more are worth their parameters"
    behind = np.where(total <= gain, total, -np.inf)
    behind[best] = -np.inf
    if np.isfinite(behind).any():
        second = int(behind.argmax())
        text += f"; next comes {numbers[second]}, with {gain - total[second]:.1f} nats less"
    return text


def labels_of(
    hierarchy: Hierarchy,
    split: np.ndarray,
    least: float = 1,
    points: np.ndarray | None = None,
    *,
    anywhere: bool = False,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Clusters of the leaves once some nodes are split, numbered by their first leaves. Small branches joined.

    They join clusters in the clade of their parent, or `anywhere`.
    """
    n = hierarchy.n_leaves
    head = engine.cut.branch_heads(hierarchy.parent, freeze(split), n)
    if (least > 1 or weights is not None) and split.any():
        size = branch_sizes(hierarchy, weights)
        head = _joined(hierarchy, head, size, least, points, weights, anywhere=anywhere)
    return by_first_leaf(head)


def by_first_leaf(cluster: np.ndarray) -> np.ndarray:
    """Clusters, any numbers from 0 on, numbered anew in the order of their first leaves."""
    n = cluster.size
    first = np.empty(int(cluster.max(initial=-1)) + 1, np.intp)
    first[cluster[::-1]] = np.arange(n)[::-1]  # the last value written stays: the first leaf of each
    first = first[cluster]
    number = np.cumsum(first == np.arange(n)) - 1
    return number[first].astype(np.intp, copy=False)


def _joined(
    hierarchy: Hierarchy,
    head: np.ndarray,
    size: np.ndarray,
    least: float,
    points: np.ndarray | None,
    weights: np.ndarray | None,
    *,
    anywhere: bool,
) -> np.ndarray:
    """Give each small branch to a cluster in the clade of its parent, or anywhere: the nearest, or the largest."""
    start, stop, leaf = hierarchy.leaf_intervals
    branch = np.unique(head)
    small, cluster = branch[size[branch] < least], branch[size[branch] >= least]
    if small.size == 0:
        return head
    cluster = cluster[np.argsort(start[cluster])]
    around = np.full(small.size, hierarchy.root) if anywhere else hierarchy.parent[small]
    first, end = (np.searchsorted(start[cluster], at[around]).astype(np.int64) for at in (start, stop))
    if points is None:
        low = _over_runs(np.minimum, leaf, start[cluster], stop[cluster])
        ranked = np.lexsort((-low, size[cluster]))  # the largest last, of equals the one with the first leaf
        rank = np.empty(cluster.size, np.int64)
        rank[ranked] = np.arange(cluster.size)
        chosen = ranked[_over_runs(np.maximum, rank, first, end)]
    else:
        mine, centres = (_means_of_runs(points, leaf, start[u], stop[u], weights) for u in (small, cluster))
        if is_sparse(points):
            chosen = _nearest_of_runs(mine, centres, first, end)
        else:
            chosen = engine.cut.nearest_centres(freeze(mine), freeze(centres), freeze(first), freeze(end))
    home = np.arange(hierarchy.n_nodes, dtype=head.dtype)
    home[small] = cluster[chosen]
    return home[head]


def _means_of_runs(
    points: Any, leaf: np.ndarray, first: np.ndarray, stop: np.ndarray, weights: np.ndarray | None
) -> Any:
    """Return the means of the points of leaf[first:stop] for each run. None is empty, and runs do not overlap."""
    if not is_sparse(points):
        if weights is not None:
            there = weights[leaf]
            sums = _over_runs(np.add, points[leaf] * there[:, None], first, stop)
            return sums / _over_runs(np.add, there, first, stop)[:, None]
        return _over_runs(np.add, points[leaf], first, stop) / (stop - first)[:, None]
    from scipy.sparse import csr_array

    size = (stop - first).astype(np.int64)
    end = np.cumsum(size)
    place = np.arange(end[-1]) + np.repeat(first - (end - size), size)
    run = np.repeat(np.arange(size.size), size)
    share = 1.0 / size[run]
    if weights is not None:
        there = weights[leaf[place]]
        share = there / np.bincount(run, there)[run]
    shares = csr_array((share, (run, leaf[place])), shape=(size.size, points.shape[0]))
    return shares @ points


def _nearest_of_runs(points: Any, centres: Any, first: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """`engine.cut.nearest_centres` for sparse rows."""
    number, nearest = np.arange(centres.shape[0]), np.empty(points.shape[0], np.int64)
    step = max(1, _BATCH // number.size)
    for low in range(0, nearest.size, step):
        here = slice(low, low + step)
        square = squared_distances(points[here], centres)
        square[(number < first[here, None]) | (number >= stop[here, None])] = np.inf
        nearest[here] = square.argmin(axis=1)
    return nearest


def _over_runs(function: np.ufunc, values: np.ndarray, first: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Reduce values[first:stop] for each run. None is empty."""
    padded = np.concatenate([values, values[-1:]])  # reduceat wants every index inside
    return function.reduceat(padded, np.stack([first, stop], axis=1).ravel(), axis=0)[::2]
