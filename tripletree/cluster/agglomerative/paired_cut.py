"""Flat clusters of ReCon that keep all pairs.

A node that holds both ends of a cannot-link is *forced*: a cut keeps the pairs if it splits all forced nodes and no
must-linked group. `PairedCut` applies the rules of `tripletree.cut` to the rest of the hierarchy. Under "size" and
"support" it also repairs the clusters that were made without pairs (`nearest_feasible`), and takes one of the two:
`are_clades_better` tells which. ``docs/algorithms.md``, "Must-links and cannot-links beside triplets", has the reasons.

`ReCon` cuts with `PairedCut`. `DivisiveReCon` repairs with `nearest_feasible`.
"""

from __future__ import annotations

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.cut import (
    NEED_TRIPLETS,
    best_supported,
    branch_sizes,
    cut,
    cut_at_threshold,
    labels_of,
    sizes_tried,
    support_of,
)
from tripletree.algorithms.points import group_means, of_size_one, scatter, squared_distances
from tripletree.cluster.feasibility import ADVICE, CannotGraph, NotColourable, too_few_clusters
from tripletree.core.arrays import freeze
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import in_order_of_first
from tripletree.core.pair_closure import PairClosure
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError, InfeasibleClusteringError, LimitExceededError, warn_user
from tripletree.knowledge.combined import CombinedConstraints

_MOST = 50_000_000  # entries, of 8 bytes, of a table of the costs of groups in clusters. Larger ones are not made
_BATCH = 4_000_000  # squared distances that are held at a time
_CLIQUES = 1_000  # how many are tried to find one that proves that k clusters are too few


class PairedCut:
    """The cuts of a hierarchy that keep the pairs.

    Parameters
    ----------
    hierarchy : Hierarchy
        Binary. The merges inside must-linked groups are its first inner nodes, as `merge_samples` makes them.
    constraints : CombinedConstraints
    points : ndarray of float64, shape (n, d) or (n, n)
        The samples, or their distances.
    are_distances : bool
        True if `points` are distances.

    Attributes
    ----------
    fewest, most : int
        Cuts into clades that keep all pairs exist for every number from `fewest` to `most`, and for no other.
    """

    def __init__(
        self, hierarchy: Hierarchy, constraints: CombinedConstraints, points: np.ndarray, *, are_distances: bool
    ) -> None:
        self._hierarchy, self._closure, self._first = hierarchy, constraints.closure, constraints.closure.first
        self._between, self._triplets = constraints.between, constraints.triplets
        self._points, self._are_distances = points, are_distances
        self._forced = _holding_both(hierarchy, self._first[self._closure.cannot])
        self.fewest, self.most = 1 + int(self._forced.sum()), self._closure.n_components

    def by_rule(self, n_clusters: int | None, rule: str, on_infeasible: str, plain: np.ndarray | None) -> np.ndarray:
        """Labels of the samples by a rule of `tripletree.cut`.

        Parameters
        ----------
        n_clusters : int or None
        rule : str
        on_infeasible : {"raise", "more", "violate"}
        plain : ndarray of int, shape (n,), or None
            For "size" and "support": the clusters made without pairs. They are repaired and returned, unless the
            clusters of the hierarchy keep more triplets, or as many and `are_clades_better`.

        Returns
        -------
        ndarray of int, shape (n,)

        Warns
        -----
        UserWarning
            If there are too few and `on_infeasible` is not "raise", or if the clusters without pairs could not be
            repaired, and the clusters of the hierarchy are returned although they may be worse.
        """
        k = n_clusters
        if k is not None and k > self.most:
            msg = (
                f"n_clusters={k}, but must-links tie the {self._hierarchy.n_leaves} samples into "
                f"{counted(self.most, 'group')}: there cannot be more clusters than groups"
            )
            raise InfeasibleClusteringError(msg, n_clusters=k)
        clades = self._clades(k, rule, self._forced) if k is None or k >= self.fewest else None
        if plain is not None and k is not None:
            found = self._choose(k, clades, plain)
            if found is not None:
                return found
        if k is None or clades is not None:
            assert clades is not None
            return clades
        msg = f"the merges that keep all cannot-links end at {self.fewest} clusters"
        if on_infeasible == "raise":
            raise infeasible(msg, k, self._closure, self.fewest)
        if on_infeasible == "more":
            warn_user(f"{msg}: these are returned, not n_clusters={k}")
            return self._clades(self.fewest, rule, self._forced)
        labels = self._clades(k, rule, np.zeros_like(self._forced))
        a, b = self._first[self._closure.cannot].T
        violated = int((labels[a] == labels[b]).sum())
        warn_user(f"{msg}: n_clusters={k} violate {violated} of {a.size}")
        return labels

    def _choose(self, k: int, clades: np.ndarray | None, plain: np.ndarray) -> np.ndarray | None:
        """The better of two clusterings that keep all pairs. None if neither is found.

        One is `plain` repaired. The other is `clades`. If `clades` is None, as k is too small for clades, it is the
        clades of the smallest possible number, the small ones joined to others.
        """
        closure, points, are_distances = self._closure, self._points, self._are_distances
        far_off = misfit(plain, closure)
        near = nearest_feasible(plain, closure, points, are_distances=are_distances)
        if clades is None and (near is None or far_off > 0):
            groups, _ = self._coarse(self._forced, whole=True)
            more = cut(groups, self.fewest, rule="merge_order")[closure.component]
            clades = fewer_clusters(more, k, closure, points, are_distances=are_distances)
        if clades is None:
            return near
        if near is None:
            if not are_clades_better(far_off, None, clades, points, are_distances):
                msg = (
                    f"no n_clusters={k} near to those without pairs were found that keep all {len(closure.cannot):,} "
                    "cannot-links between groups: clusters of the hierarchy are returned, which can be worse than "
                    "without pairs. Ask for more clusters, give fewer cannot-links, or compare with cut='merge_order'"
                )
                warn_user(msg)
            return clades
        more_near, more_clades = _weight_kept(self._triplets, near), _weight_kept(self._triplets, clades)
        if more_near != more_clades:
            return near if more_near > more_clades else clades
        return clades if are_clades_better(far_off, near, clades, points, are_distances) else near

    def below(self, threshold: float) -> np.ndarray:
        """Labels of the largest clades without a merge above the threshold, of groups, that keep all cannot-links."""
        groups, _ = self._coarse(self._forced, whole=True)
        n, height = groups.n_leaves, groups.height
        assert height is not None
        highest = engine.cut.monotone_heights(groups.parent, freeze(height.copy()), n).copy()
        if self.fewest > 1:
            highest[-1] = np.inf
        return cut_at_threshold(groups, highest[n:], threshold)[self._closure.component]

    def _clades(self, k: int | None, rule: str, forced: np.ndarray) -> np.ndarray:
        """Return labels of the samples by the rule. Sizes of small branches whose labels violate pairs are skipped."""
        groups, old = self._coarse(forced, whole=True)
        component = self._closure.component
        if rule not in ("size", "support"):
            on_groups = TripletSet(self._between, groups.leaves) if rule in NEED_TRIPLETS else None
            labels = cut(groups, k, rule=rule, triplets=on_groups)
            if k is None and forced.any() and not labels.any():
                labels = cut(groups, self.fewest, rule="merge_order")
            return labels[component]
        assert k is not None
        triplets, samples = self._triplets, None if self._are_distances else self._points
        supported = rule == "support" and len(triplets) > 0
        best, most = None, -1.0
        whole, _ = self._coarse(forced, whole=False)
        for least in sizes_tried(self._hierarchy.n_leaves, k, rule):
            try:
                if least > 1:
                    # not strict: single leaves that move could leave their must-linked groups
                    labels = cut(whole, k, rule=rule, triplets=triplets, min_size=least, samples=samples, strict=False)
                elif supported:
                    size = branch_sizes(groups)
                    labels = labels_of(
                        groups, best_supported(groups, size, freeze(support_of(self._hierarchy, triplets)[old]), k, 1)
                    )
                    labels = labels[component]
                else:
                    labels = cut(groups, k, rule="merge_order")[component]
            except ClusterCountError:
                continue
            except LimitExceededError:
                if best is None:
                    raise
                break
            if least > 1 and not self._keeps(labels, forced):
                continue
            if not supported:
                return labels
            kept = _weight_kept(triplets, labels)
            if kept > most:
                best, most = labels, kept
        assert best is not None
        return best

    def _keeps(self, labels: np.ndarray, forced: np.ndarray) -> bool:
        first, closure = self._first, self._closure
        a, b = first[closure.cannot].T
        apart = not forced.any() or bool((labels[a] != labels[b]).all())
        return apart and bool((labels == labels[first][closure.component]).all())

    def _coarse(self, forced: np.ndarray, *, whole: bool) -> tuple[Hierarchy, np.ndarray]:
        """The hierarchy with one root for all forced nodes and no nodes inside groups, and which node each was before.

        Its leaves are the groups if `whole`, else the samples.
        """
        h, closure = self._hierarchy, self._closure
        n, groups = h.n_leaves, closure.n_components
        above = n + (n - groups)  # the first node above groups
        top = _tops(h, closure, self._first)
        upper = np.arange(above, h.n_nodes)
        upper = upper[~forced[above:]]
        root = np.array([h.root] if forced.any() else [], np.int64)
        bound = np.sort(top[top >= n])
        old = np.concatenate([top, upper, root]) if whole else np.concatenate([np.arange(n), bound, upper, root])
        new = np.full(h.n_nodes + 1, -1)  # the last place: for the parent of the root
        new[np.flatnonzero(forced)] = old.size - 1
        new[old] = np.arange(old.size)
        up = h.parent.copy()
        if not whole:
            many = closure.sizes[closure.component] > 1
            up[:n][many] = top[closure.component[many]]
        parent = new[up[old]]
        assert h.height is not None
        leaves = groups if whole else h.leaves
        return Hierarchy(freeze(parent.astype(np.int32)), leaves, height=h.height[old]), old


def infeasible(msg: str, k: int, closure: PairClosure, fewest: int) -> InfeasibleClusteringError:
    """Return the error, with k + 1 samples that are all kept apart from each other, if they are found."""
    graph = CannotGraph(closure.cannot, closure.n_components)
    clique = graph.find_clique(k + 1, _CLIQUES)
    advice = f"ask for {fewest} or more, or set {ADVICE}"
    if clique is None:
        msg = f"{msg}, more than n_clusters={k}: {advice}"
        return InfeasibleClusteringError(msg, n_clusters=k, proved=False)
    reason = NotColourable(np.sort(graph.bound[clique]).tolist(), is_clique=True, proved=True)
    return too_few_clusters(f"{msg}, and n_clusters={k} are too few", k, reason, closure, advice)


def _weight_kept(triplets: TripletSet, labels: np.ndarray) -> float:
    """The weight of the triplets ab|c with a and b in one cluster and c outside it."""
    a, b, c = labels[triplets.rows.T]
    kept = (a == b) & (a != c)
    return float(kept.sum() if triplets.weights is None else triplets.weights[kept].sum())


def _holding_both(hierarchy: Hierarchy, ends: np.ndarray) -> np.ndarray:
    """Which nodes have both ends of a cannot-link, a row of two samples, below them."""
    forced = np.zeros(hierarchy.n_nodes, np.bool_)
    a, b = (freeze(x.astype(np.int32)) for x in ends.T)
    if a.size:
        forced[engine.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table)] = True
        parent = hierarchy.parent.tolist()
        for u in range(int(forced.argmax()), hierarchy.n_nodes - 1):
            if forced[u]:
                forced[parent[u]] = True
    return forced


def _tops(hierarchy: Hierarchy, closure: PairClosure, first: np.ndarray) -> np.ndarray:
    """The node of each group: its one sample, or the last merge inside it."""
    top = first.astype(np.int64).copy()
    start, _, leaf = hierarchy.leaf_intervals
    inside = np.arange(hierarchy.n_leaves, 2 * hierarchy.n_leaves - closure.n_components)
    top[closure.component[leaf[start[inside]]]] = inside  # of several, the last stays
    return top


# ---------------------------------------------------------------------- which of two clusterings


def misfit(label: np.ndarray, closure: PairClosure) -> float:
    """How far clusters are from pairs: 0 if they keep all, about 0.5 if they know nothing of them.

    Notes
    -----
    The violated shares of must-links and of cannot-links are averaged, a sort of m pairs with weight m / (m + 5), and
    divided by twice the share that clusters of the same sizes violate by chance. Only as many must-links as connect
    each group, and one cannot-link between any two groups, are counted: so it does not matter whether pairs that follow
    from others are given, too.
    """
    order, first = closure.order, closure.first
    tied = closure.component[order[:-1]] == closure.component[order[1:]]
    parted = (label[order[:-1]] != label[order[1:]])[tied]
    a, b = first[closure.cannot].T
    met = label[a] == label[b]
    same = float(np.square(np.bincount(label) / label.size).sum())
    violated = chance = 0.0
    for wrong, expected in ((parted, 1 - same), (met, same)):
        if wrong.any():
            violated += float(wrong.mean()) * wrong.size / (wrong.size + 5)
        chance += expected * wrong.size / (wrong.size + 5)
    return violated / (2 * chance) if violated else 0.0


def are_clades_better(
    far_off: float, near: np.ndarray | None, clades: np.ndarray, points: np.ndarray, are_distances: bool
) -> bool:
    """Choose between repaired clusters and clusters of the hierarchy. Both keep all pairs.

    Parameters
    ----------
    far_off : float
        The `misfit` of the clusters made without pairs, before their repair.
    near : ndarray of int, shape (n,), or None
        The repaired clusters. None if the repair failed. Clusters of the hierarchy are then better only if a repair
        would have been of no use.
    clades : ndarray of int, shape (n,)
        As many clusters of the hierarchy.
    points : ndarray of float64, shape (n, d) or (n, n)
    are_distances : bool
        True if `points` are distances.

    Notes
    -----
    Nothing here is tuned. Clusters without pairs that are nearer to chance than to the pairs are not worth repairing,
    else the smaller squared distances to means decide. On simulated blobs, shapes and trees, which are not among the
    data that benchmarks report, thresholds fitted to half of the seeds gain 0.0001 and 0.0014 of adjusted Rand index on
    the other half, on average (``benchmarks/bench_pairs_choice.py``).
    """
    if far_off == 0:
        return False  # nothing needs repair
    by_chance = 0.5  # see `misfit`
    if far_off > by_chance / 2:
        return True
    points = of_size_one(points) if are_distances else points
    return near is not None and _scatter(clades, points, are_distances) <= _scatter(near, points, are_distances)


def _scatter(label: np.ndarray, points: np.ndarray, are_distances: bool) -> float:
    """The sum of the squared distances to the means of clusters."""
    if not are_distances:
        return scatter(points, label)
    total = 0.0
    for c in range(int(label.max()) + 1):
        rows = np.flatnonzero(label == c)
        step = max(1, _BATCH // label.size)
        parts = (rows[low : low + step] for low in range(0, rows.size, step))
        total += sum(float(np.square(points[np.ix_(part, rows)]).sum()) for part in parts) / (2 * rows.size)
    return total


# ---------------------------------------------------------------------- the two clusterings


def fewer_clusters(
    label: np.ndarray, k: int, closure: PairClosure, points: np.ndarray, *, are_distances: bool
) -> np.ndarray | None:
    """Keep the k largest of some clusters, and distribute the groups of the others among them. All pairs still hold.

    Each group goes to the nearest cluster that no cannot-link forbids, groups with the least choice first, with
    backtracking. If that fails, all groups that cannot-links connect with them may move.

    Parameters
    ----------
    label : ndarray of int, shape (n,)
        Clusters that keep all pairs.
    k : int
    closure : PairClosure
    points : ndarray of float64, shape (n, d) or (n, n)
    are_distances : bool
        True if `points` are distances between the samples.

    Returns
    -------
    ndarray of int, shape (n,), or None
        Numbered by their first samples. None if no clusters are found, or there are more than 50 million costs.
    """
    if label.size * k > _MOST:
        return None
    kept = np.argsort(-np.bincount(label), kind="stable")[:k]
    start = np.cumsum(closure.sizes) - closure.sizes
    place = np.full(int(label.max()) + 1, -1)
    place[kept] = np.arange(k)
    own = place[label[closure.order[start]]]
    cost = np.add.reduceat(_squares(label, kept, points, closure.order, are_distances=are_distances), start, axis=0)
    stays = own >= 0
    cost[stays, own[stays]] = -1.0
    out = np.where(stays, own, cost.argmin(axis=1))
    graph = CannotGraph(closure.cannot, closure.n_components)
    found = graph.complete(cost[graph.bound], own[graph.bound])
    if found is None:
        return None
    out[graph.bound] = found
    return in_order_of_first(out[closure.component]) if np.unique(out).size == k else None


def nearest_feasible(
    label: np.ndarray, closure: PairClosure, points: np.ndarray, *, are_distances: bool
) -> np.ndarray | None:
    """Repair clusters: find as many that keep all pairs, near to the given ones.

    Parameters
    ----------
    label : ndarray of int, shape (n,)
        Clusters 0..k-1, each with a sample, no more than there are groups.
    closure : PairClosure
    points : ndarray of float64, shape (n, d) or (n, n)
    are_distances : bool
        True if `points` are distances between the samples.

    Returns
    -------
    ndarray of int, shape (n,), or None
        Numbered by their first samples. `label` if it keeps all pairs. None if no such clusters are found, or
        there are more than 50 million costs of groups in clusters.

    Notes
    -----
    O(n d + m k d) for m samples in pairs and k clusters, and the search.
    """
    k = int(label.max()) + 1
    played = closure.sizes > 1
    played[closure.cannot] = True
    groups = np.flatnonzero(played)
    size = closure.sizes[groups]
    if int(size.sum()) * k > _MOST:
        return None
    first = closure.first
    own = label[first].astype(np.int64)
    if groups.size:
        samples = closure.order[played[closure.component[closure.order]]]
        points = of_size_one(points) if are_distances else points  # only ratios of costs count
        cost = _costs(label, k, points, samples, are_distances=are_distances)
        cost = np.add.reduceat(cost, np.cumsum(size) - size, axis=0)
        own[groups] = cost.argmin(axis=1)
        cost -= cost.min(axis=1)[:, None]
        if len(closure.cannot):
            graph = CannotGraph(closure.cannot, closure.n_components)
            moving = np.ascontiguousarray(cost[np.searchsorted(groups, graph.bound)])
            found = graph.place(moving)
            if found is None:
                return None
            own[graph.bound] = graph.assign(moving, found)[0]
        _fill(own, k, groups, cost)
    return in_order_of_first(own[closure.component])


def _squares(
    label: np.ndarray, which: np.ndarray, points: np.ndarray, samples: np.ndarray, *, are_distances: bool
) -> np.ndarray:
    """The squared distances of some samples to the means of some clusters."""
    size = np.bincount(label)
    order, start = np.argsort(label, kind="stable"), np.cumsum(size) - size
    if are_distances:
        square = np.concatenate([
            np.add.reduceat(np.square(points[low : low + step][:, order]), start, axis=1) / size
            for step in [max(1, _BATCH // label.size)]
            for low in range(0, label.size, step)
        ])  # fmt: skip
        # the mean squared distance to a cluster is that to its mean, and half of that inside it
        inside = np.bincount(label, square[np.arange(label.size), label]) / size
        return (square - inside / 2)[np.ix_(samples, which)]
    return squared_distances(points[samples], group_means(points, label, size.size)[which])


def _costs(label: np.ndarray, k: int, points: np.ndarray, samples: np.ndarray, *, are_distances: bool) -> np.ndarray:
    """The cost of each cluster for each of some samples: 0 in its own, more in all others."""
    square = _squares(label, np.arange(k), points, samples, are_distances=are_distances)
    rows, mine = np.arange(samples.size), label[samples]
    cost = np.maximum(square - square[rows, mine][:, None], 0)
    lost = cost[cost > 0]
    cost += 1e-3 * lost.mean() if lost.size else 1.0  # a move to a cluster as near is not free
    cost[rows, mine] = 0
    return cost


def _fill(own: np.ndarray, k: int, groups: np.ndarray, cost: np.ndarray) -> None:
    """Give each cluster that has lost all its groups one back: the cheapest that leaves no cluster empty."""
    count = np.bincount(own, minlength=k)
    for c in np.flatnonzero(count == 0).tolist():
        price = np.full(own.size, np.finfo(np.float64).max)
        price[groups] = cost[:, c]
        price[count[own] < 2] = np.inf
        back = int(price.argmin())
        count[[own[back], c]] += -1, 1
        own[back] = c
