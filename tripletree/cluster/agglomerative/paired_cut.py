"""Flat clusters that keep all pairs: cuts of a hierarchy in which must-linked groups are the first clades.

"size" and "support" may take clusters near to those without pairs in their place (see `_paired_joins`).

A node is forced when it holds both ends of a cannot-link: every cut that keeps the pairs splits it. The forced nodes
are the upper part of the hierarchy. So the rules of `tripletree.cut` work on what is left of it: one root in the place
of all forced nodes, and one leaf, or one node over all its leaves, in the place of each group.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.algorithms.cut import best_supported, cut, labels_of, sizes_tried, support_of
from tripletree.algorithms.linkage import from_linkage
from tripletree.cluster.agglomerative.constraints import Joint
from tripletree.cluster.agglomerative.flat_clusters import threshold_labels
from tripletree.cluster.agglomerative.plan import all_merges
from tripletree.cluster.feasibility import CannotGraph, NotColourable
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pair_closure import PairClosure
from tripletree.core.progress import progress_bar
from tripletree.core.triplets import TripletSet
from tripletree.errors import SHOWN, ClusterCountError, InfeasibleClusteringError, LimitExceededError, warn_user
from tripletree.kernels import freeze, frozen

__all__ = [
    "PairedCut",
    "are_clades_better",
    "fewer_clusters",
    "misfit",
    "nearest_feasible",
    "without_pairs",
]


# ----------------------------------------------------------------------
# Flat clusters under pairs: near to those without pairs, or clades under pairs that are joined, whichever fits better.
#
# Where classes are compact but overlap, merges that cannot-links put off end badly: one sample on the wrong side keeps
# two large parts of one class apart for good, and one merge that is put off so changes those after it. Clusters without
# pairs do not know that, and are mended here (`nearest_feasible`): each must-linked group goes as one to where its
# samples cost least; where a cannot-link is broken, groups move to other clusters. The cost of a sample in another
# cluster is what its squared distance to the mean of that cluster has over that to its own.
#
# Where classes are not what is compact, such as rings, clusters without pairs are of no use, and the clades under
# pairs often right (`fewer_clusters`, where more of them are left than are wanted). `are_clades_better` tells the one
# from the other, without labels: by how far the clusters without pairs are from the pairs, and by the squared
# distances to means.
#
# To decide whether k clusters can keep all pairs is graph colouring, NP-complete. Groups choose in the order of what
# they would lose, and those who find no place choose first next time; then comes a search with backtracking,
# exhaustive but for a limit of steps. The assignment found is improved by that of `COPKMeans`.

#: Set on the data of benchmarks/bench_pairs_recon.py: a misfit of 0.25 to 0.27 tells best there. The factor is the
#: best on average; pendigits with ward linkage would rather have 1.045.
TOO_FAR, AS_NEAR = 0.27, 1.02

_LIMIT = 20_000  # steps in each connected part of the cannot-links
_ROUNDS = 50  # of choosing in turn
_MOST = 50_000_000  # costs, of 8 bytes
_BATCH = 4_000_000  # squared distances that stand at a time


def without_pairs(
    model: Any, points: np.ndarray, closure: PairClosure, samples: np.ndarray | None, known: dict[str, Any]
) -> np.ndarray | None:
    """Flat clusters of the same `ReCon` under its triplets alone.

    Parameters
    ----------
    model : ReCon
        With ``triplets_``.
    points : ndarray of float64
        Samples, or their distances where the metric is "precomputed".
    closure : PairClosure
    samples : ndarray of float64 or None
        As for `tripletree.cut`; None where `points` are distances.
    known : dict
        The metric and its parameters.

    Returns
    -------
    ndarray of int, shape (n,), or None
        None where the rule is not "size" or "support", or there are fewer groups than clusters.
    """
    k, triplets = model.n_clusters, model.triplets_
    if model.cut not in ("size", "support") or k > closure.n_components:
        return None
    more = {**known, "dtype": np.dtype(model.dtype)}
    with progress_bar(model.verbose, len(points) - 1, f"{type(model).__name__} without pairs") as tell:
        merges, _ = all_merges(points, triplets.rows, model.linkage, **more, progress=tell)
    return cut(from_linkage(merges, triplets.leaves), k, rule=model.cut, triplets=triplets, samples=samples)


def misfit(label: np.ndarray, closure: PairClosure) -> float:
    """How far clusters are from pairs: 0 where they keep all, about 0.5 where they know nothing of them.

    Notes
    -----
    The mean of the violated shares of the two sorts, m pairs of a sort with weight m / (m + 5), in halves of what
    clusters of these sizes would violate by chance. Counted are as many must-links as connect the groups, and one
    cannot-link between two groups, so that it does not matter which of the pairs that follow from others are given.
    """
    order, first = closure.order, closure.order[np.cumsum(closure.sizes) - closure.sizes]
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


def are_clades_better(far: float, near: np.ndarray, clades: np.ndarray, points: np.ndarray, distances: bool) -> bool:
    """Whether clusters of the hierarchy are to be preferred to those that are near to the ones without pairs.

    Parameters
    ----------
    far : float
        The `misfit` of the clusters without pairs: above 0.27 it is hopeless to mend them.
    near, clades : ndarray of int, shape (n,)
        Of the same number. Clades that have about the same squared distances to means are the better ones.
    points : ndarray of float64, shape (n, d) or (n, n)
    distances : bool
        Whether `points` are distances.
    """
    if far == 0 or far > TOO_FAR:
        return far > 0
    return _scatter(clades, points, distances) <= AS_NEAR * _scatter(near, points, distances)


def _scatter(label: np.ndarray, points: np.ndarray, are_distances: bool) -> float:
    """The sum of the squared distances to the means of clusters."""
    total = 0.0
    for c in range(int(label.max()) + 1):
        rows = np.flatnonzero(label == c)
        if are_distances:
            step = max(1, _BATCH // label.size)
            parts = (rows[low : low + step] for low in range(0, rows.size, step))
            total += sum(float(np.square(points[np.ix_(part, rows)]).sum()) for part in parts) / (2 * rows.size)
        else:
            total += float(np.square(points[rows] - points[rows].mean(axis=0)).sum())
    return total


def fewer_clusters(
    label: np.ndarray, k: int, closure: PairClosure, points: np.ndarray, *, are_distances: bool
) -> np.ndarray | None:
    """The k largest of more clusters that keep all pairs, which take in the groups of the others.

    Each goes to the nearest one that no cannot-link forbids, those with the least choice first, with backtracking.
    Where that fails, all groups that cannot-links connect with them may move.

    Parameters
    ----------
    label : ndarray of int, shape (n,)
        Clusters that keep all pairs.
    k : int
    closure : PairClosure
    points : ndarray of float64, shape (n, d) or (n, n)
    are_distances : bool
        Whether `points` are distances between the samples.

    Returns
    -------
    ndarray of int, shape (n,), or None
        Numbered by their first samples. None where none are found, or as for `nearest_feasible`.
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
    near: dict[int, list[int]] = {int(u): [] for u in np.unique(closure.cannot)}
    for u, v in closure.cannot.tolist():
        near[u].append(v)
        near[v].append(u)
    for part in _parts(near):
        moving = [u for u in part if own[u] < 0]
        if moving:
            found = _assigned(moving, near, cost, {u: int(own[u]) for u in part if own[u] >= 0})
            found = _assigned(part, near, cost, {}) if found is None else found
            if found is None:
                return None
            out[list(found)] = list(found.values())
    return _numbered(out[closure.component]) if np.unique(out).size == k else None


def nearest_feasible(
    label: np.ndarray, closure: PairClosure, points: np.ndarray, *, are_distances: bool
) -> np.ndarray | None:
    """As many clusters that keep all pairs, near to given ones.

    Parameters
    ----------
    label : ndarray of int, shape (n,)
        Clusters 0..k-1, none empty, no more than there are groups.
    closure : PairClosure
    points : ndarray of float64, shape (n, d) or (n, n)
    are_distances : bool
        Whether `points` are distances between the samples.

    Returns
    -------
    ndarray of int, shape (n,), or None
        Numbered by their first samples; `label` where it keeps all pairs. None where no such clusters are found, or
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
    first = closure.order[np.cumsum(closure.sizes) - closure.sizes]
    own = label[first].astype(np.int64)
    if groups.size:
        samples = closure.order[played[closure.component[closure.order]]]
        cost = _costs(label, k, points, samples, are_distances=are_distances)
        cost = np.add.reduceat(cost, np.cumsum(size) - size, axis=0)
        own[groups] = cost.argmin(axis=1)
        cost -= cost.min(axis=1)[:, None]
        if len(closure.cannot):
            graph = CannotGraph(closure.cannot, closure.n_components)
            moving = np.ascontiguousarray(cost[np.searchsorted(groups, graph.bound)])
            found = _placed(graph, moving)
            if found is None:
                return None
            own[graph.bound] = graph.assign(moving, found)[0]
        _fill(own, k, groups, cost)
    return _numbered(own[closure.component])


def _numbered(label: np.ndarray) -> np.ndarray:
    """The same clusters, numbered by their first samples."""
    _, place, which = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(place))[which]


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
    from scipy.spatial.distance import cdist

    centres = np.add.reduceat(points[order], start, axis=0) / size[:, None]
    return cdist(points[samples], centres[which], "sqeuclidean")


def _costs(label: np.ndarray, k: int, points: np.ndarray, samples: np.ndarray, *, are_distances: bool) -> np.ndarray:
    """What it costs each of some samples to be in each cluster: 0 in its own, more in all others."""
    square = _squares(label, np.arange(k), points, samples, are_distances=are_distances)
    rows, mine = np.arange(samples.size), label[samples]
    cost = np.maximum(square - square[rows, mine][:, None], 0)
    lost = cost[cost > 0]
    cost += 1e-3 * lost.mean() if lost.size else 1.0  # nobody moves without a reason
    cost[rows, mine] = 0
    return cost


def _placed(graph: CannotGraph, cost: np.ndarray) -> np.ndarray | None:
    """A cluster for each node, other than those of its neighbours, cheap ones if may be: int32."""
    k = cost.shape[1]
    if k == 1:
        return None
    costs, nobody = frozen(cost, np.float64), freeze(np.full(len(cost), -1, np.int32))
    order = np.argsort(-np.partition(cost, 1, axis=1)[:, 1], kind="stable").astype(np.int32)
    for _ in range(_ROUNDS):
        label, failed = kernels.feasibility.greedy(graph.start, graph.near, costs, frozen(order), nobody)
        if failed < 0:
            return label
        order = np.concatenate([order[order == failed], order[order != failed]])
    start, near = graph.start.tolist(), graph.near.tolist()
    beside = {u: near[start[u] : start[u + 1]] for u in range(len(cost))}
    out = np.empty(len(cost), np.int32)
    for part in _parts(beside):
        found = _assigned(part, beside, cost, {})
        if found is None:
            try:
                return graph.colour(k, np.random.default_rng(0), 5 * _LIMIT)
            except NotColourable:
                return None
        out[list(found)] = list(found.values())
    return out


def _fill(own: np.ndarray, k: int, groups: np.ndarray, cost: np.ndarray) -> None:
    """Give each cluster that has lost all its groups one back: the cheapest that leaves none empty."""
    count = np.bincount(own, minlength=k)
    for c in np.flatnonzero(count == 0).tolist():
        price = np.full(own.size, np.finfo(np.float64).max)
        price[groups] = cost[:, c]
        price[count[own] < 2] = np.inf
        back = int(price.argmin())
        count[[own[back], c]] += -1, 1
        own[back] = c


def _parts(near: dict[int, list[int]]) -> list[list[int]]:
    """The connected parts of a graph."""
    parts, seen = [], set()
    for root in near:
        if root in seen:
            continue
        seen.add(root)
        part = [root]
        for u in part:
            for v in near[u]:
                if v not in seen:
                    seen.add(v)
                    part.append(v)
        parts.append(part)
    return parts


def _assigned(
    nodes: list[int], near: dict[int, list[int]], cost: np.ndarray, fixed: dict[int, int]
) -> dict[int, int] | None:
    """A cluster for each node, other than those of its neighbours; the one with the fewest open ones is next."""
    k = cost.shape[1]
    barred = {u: [0] * k for u in nodes}
    for u in nodes:
        for v in near[u]:
            if v in fixed:
                barred[u][fixed[v]] += 1
    ways = {u: np.argsort(cost[u], kind="stable").tolist() for u in nodes}
    chosen: dict[int, int] = {}
    heap = [(barred[u].count(0), -len(near[u]), u) for u in nodes]
    heapify(heap)
    stack: list[tuple[int, list[int]]] = []
    steps = 0

    def mark(u: int, by: int) -> None:
        for v in near[u]:
            if v in barred:
                barred[v][chosen[u]] += by
                if v not in chosen:
                    heappush(heap, (barred[v].count(0), -len(near[v]), v))

    while len(chosen) < len(nodes):
        choices, _, u = heappop(heap)
        if u in chosen or choices != barred[u].count(0):
            continue  # out of date
        stack.append((u, [c for c in reversed(ways[u]) if barred[u][c] == 0]))
        while stack and not stack[-1][1]:
            heappush(heap, (barred[stack[-1][0]].count(0), -len(near[stack[-1][0]]), stack[-1][0]))
            stack.pop()
            if stack:
                u = stack[-1][0]
                mark(u, -1)
                del chosen[u]
        steps += 1
        if not stack or steps > _LIMIT + 2 * len(nodes):
            return None
        u = stack[-1][0]
        chosen[u] = stack[-1][1].pop()
        mark(u, 1)
    return chosen


_CLIQUES = 1_000  # that are looked at, for one that proves that clusters are too few


class PairedCut:
    """The cuts of a hierarchy that keep the pairs.

    Parameters
    ----------
    hierarchy : Hierarchy
        From `paired_merges`: binary, the merges inside groups are its first inner nodes.
    joint : Joint

    Attributes
    ----------
    fewest, most : int
        Every number of clades from the one to the other can be had, no other.
    """

    def __init__(self, hierarchy: Hierarchy, joint: Joint) -> None:
        self._hierarchy, self._joint = hierarchy, joint
        self._forced = _holding_both(hierarchy, joint)
        self.fewest, self.most = 1 + int(self._forced.sum()), joint.closure.n_components

    def by_rule(
        self,
        n_clusters: int | None,
        rule: str,
        triplets: TripletSet,
        samples: np.ndarray | None,
        on_infeasible: str,
        plain: np.ndarray | None,
        points: np.ndarray,
    ) -> np.ndarray:
        """Labels of the samples by a rule of `tripletree.cut`.

        Parameters
        ----------
        n_clusters, rule, triplets, samples
            As for `tripletree.cut`.
        on_infeasible : {"raise", "more", "violate"}
        plain : ndarray of int, shape (n,), or None
            For "size" and "support": the clusters without pairs. Those near to them that keep all pairs are returned,
            unless the clusters of the hierarchy keep more triplets, or as many and `are_clades_better`.
        points : ndarray of float64, shape (n, d) or (n, n)
            The samples, or their distances where `samples` is None.

        Returns
        -------
        ndarray of int, shape (n,)

        Raises
        ------
        InfeasibleClusteringError
            If there are more clusters than groups, or, unless `on_infeasible` says otherwise, too few.

        Warns
        -----
        UserWarning
            If there are too few and `on_infeasible` is not "raise"; or if clusters near to those without pairs were
            wanted but not found, and those of the hierarchy come in their place.
        """
        forced, k = self._forced, n_clusters
        if k is not None and k > self.most:
            n = self._hierarchy.n_leaves
            msg = (
                f"n_clusters={k}, but must-links tie the {n} samples into {self.most} groups: there cannot be more "
                "clusters than groups"
            )
            raise InfeasibleClusteringError(msg, n_clusters=k)
        labels = self._chosen(k, rule, triplets, samples, forced) if k is None or k >= self.fewest else None
        if plain is not None:
            assert k is not None
            found, warning = self._better(k, labels, plain, triplets, points, are_distances=samples is None)
            if warning:
                warn_user(warning)
            if found is not None:
                return found
        if labels is not None:
            return labels
        msg = f"the merges that keep all cannot-links end at {self.fewest} clusters"
        assert k is not None
        if on_infeasible == "raise":
            raise self._infeasible(msg, k)
        if on_infeasible == "more":
            warn_user(f"{msg}: these are returned, not n_clusters={k}")
            return self._chosen(self.fewest, rule, triplets, samples, forced)
        labels = self._chosen(k, rule, triplets, samples, np.zeros_like(forced))
        a, b = self._joint.first[self._joint.closure.cannot].T
        broken = int((labels[a] == labels[b]).sum())
        warn_user(f"{msg}: n_clusters={k} violate {broken} of {a.size}")
        return labels

    def _better(
        self,
        k: int,
        clades: np.ndarray | None,
        plain: np.ndarray,
        triplets: TripletSet,
        points: np.ndarray,
        *,
        are_distances: bool,
    ) -> tuple[np.ndarray | None, str | None]:
        """Clusters near to those without pairs, or clades, joined if there are too many; and what to warn of."""
        closure = self._joint.closure
        far = misfit(plain, closure)
        near = nearest_feasible(plain, closure, points, are_distances=are_distances)
        if clades is None and (near is None or far > 0):
            groups, _ = self._coarse(self._forced, whole=True)
            more = cut(groups, self.fewest, rule="merge_order")[closure.component]
            clades = fewer_clusters(more, k, closure, points, are_distances=are_distances)
        if near is None and clades is not None and far <= TOO_FAR:
            return clades, (
                f"no n_clusters={k} near to those without pairs were found that keep all {len(closure.cannot):,} "
                "cannot-links between groups: clusters of the hierarchy are returned, which can be worse than without "
                "pairs. Ask for more clusters, give fewer cannot-links, or compare with cut='merge_order'"
            )
        if near is None or clades is None:
            return clades if near is None else near, None
        one, two = _kept(triplets, near), _kept(triplets, clades)
        if one == two:
            return (clades if are_clades_better(far, near, clades, points, are_distances) else near), None
        return (near if one > two else clades), None

    def below(self, threshold: float) -> np.ndarray:
        """Labels of the largest clades without a merge above the threshold: groups, and what keeps all cannot-links."""
        groups, _ = self._coarse(self._forced, whole=True)
        n, height = groups.n_leaves, groups.height
        assert height is not None
        highest = kernels.cut.monotone_heights(groups.parent, freeze(height.copy()), n).copy()
        if self.fewest > 1:
            highest[-1] = np.inf
        return threshold_labels(groups, highest[n:], threshold)[self._joint.closure.component]

    def _chosen(
        self, k: int | None, rule: str, triplets: TripletSet, samples: np.ndarray | None, forced: np.ndarray
    ) -> np.ndarray:
        """Labels by the rule; the sizes of small branches for which these keep no pairs are passed over."""
        groups, old = self._coarse(forced, whole=True)
        component = self._joint.closure.component
        if rule == "constraints":
            known = TripletSet(self._joint.between, groups.leaves)
            labels = cut(groups, k, rule=rule, triplets=known)
            if k is None and forced.any() and not labels.any():
                labels = cut(groups, self.fewest, rule="merge_order")
            return labels[component]
        if rule not in ("size", "support"):
            return cut(groups, k, rule=rule)[component]
        assert k is not None
        supported = rule == "support" and len(triplets) > 0
        best, most = None, -1.0
        whole, _ = self._coarse(forced, whole=False)
        for least in sizes_tried(self._hierarchy.n_leaves, k, rule):
            try:
                if least > 1:
                    # not strict: single leaves that move could leave their must-linked groups
                    labels = cut(whole, k, rule=rule, triplets=triplets, min_size=least, samples=samples, strict=False)
                elif supported:
                    labels = labels_of(
                        groups, best_supported(groups, freeze(support_of(self._hierarchy, triplets)[old]), k, 1)
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
            kept = _kept(triplets, labels)
            if kept > most:
                best, most = labels, kept
        assert best is not None
        return best

    def _keeps(self, labels: np.ndarray, forced: np.ndarray) -> bool:
        first, closure = self._joint.first, self._joint.closure
        a, b = first[closure.cannot].T
        apart = not forced.any() or bool((labels[a] != labels[b]).all())
        return apart and bool((labels == labels[first][closure.component]).all())

    def _coarse(self, forced: np.ndarray, *, whole: bool) -> tuple[Hierarchy, np.ndarray]:
        """The hierarchy with one root for all forced nodes, and no nodes inside groups; and which node each was.

        Its leaves are the groups where `whole`, else the samples.
        """
        h, closure = self._hierarchy, self._joint.closure
        n, groups = h.n_leaves, closure.n_components
        above = n + (n - groups)  # the first node above groups
        top = _tops(h, self._joint)
        upper = np.arange(above, h.n_nodes)
        upper = upper[~forced[above:]]
        root = np.array([h.root] if forced.any() else [], np.int64)
        bound = np.sort(top[top >= n])
        old = np.concatenate([top, upper, root]) if whole else np.concatenate([np.arange(n), bound, upper, root])
        new = np.full(h.n_nodes + 1, -1)  # the last place: that of the parent of the root
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

    def _infeasible(self, msg: str, k: int) -> InfeasibleClusteringError:
        """The error, with samples that are all kept apart from each other where so many are found."""
        import networkx as nx

        closure = self._joint.closure
        graph = nx.Graph(closure.cannot.tolist())
        clique = next((x for x in islice(nx.find_cliques(graph), _CLIQUES) if len(x) > k), None)
        advice = (
            f"ask for {self.fewest} or more, or set on_infeasible='more' to take what comes, or 'violate' to break "
            "cannot-links"
        )
        if clique is None:
            msg = f"{msg}, more than n_clusters={k}: {advice}"
            return InfeasibleClusteringError(msg, n_clusters=k, proved=False)
        labels = [closure.leaves[int(i)] for i in self._joint.first[sorted(clique[: k + 1])]]
        shown = ", ".join(map(str, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")
        msg = (
            f"{msg}, and n_clusters={k} are too few: {len(labels)} samples are all kept apart from each other: "
            f"{shown}; {advice}"
        )
        return InfeasibleClusteringError(msg, n_clusters=k, samples=labels, is_clique=True)


def _kept(triplets: TripletSet, labels: np.ndarray) -> float:
    """The weight of the triplets ab|c with a and b in one cluster and c outside it."""
    a, b, c = labels[triplets.rows.T]
    kept = (a == b) & (a != c)
    return float(kept.sum() if triplets.weights is None else triplets.weights[kept].sum())


def _holding_both(hierarchy: Hierarchy, joint: Joint) -> np.ndarray:
    """Which nodes have both ends of a cannot-link below them."""
    forced = np.zeros(hierarchy.n_nodes, np.bool_)
    a, b = (freeze(joint.first[x].astype(np.int32)) for x in joint.closure.cannot.T)
    if a.size:
        forced[kernels.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table)] = True
        parent = hierarchy.parent.tolist()
        for u in range(int(forced.argmax()), hierarchy.n_nodes - 1):
            if forced[u]:
                forced[parent[u]] = True
    return forced


def _tops(hierarchy: Hierarchy, joint: Joint) -> np.ndarray:
    """The node of each group: its one sample, or the last merge inside it."""
    closure = joint.closure
    top = joint.first.astype(np.int64).copy()
    start, _, leaf = hierarchy.leaf_intervals
    inside = np.arange(hierarchy.n_leaves, 2 * hierarchy.n_leaves - closure.n_components)
    top[closure.component[leaf[start[inside]]]] = inside  # of several, the last stays
    return top
