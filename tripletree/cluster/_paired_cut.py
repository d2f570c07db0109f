"""Flat clusters that keep all pairs: cuts of a hierarchy in which must-linked groups are the first clades.

"size" and "support" may take clusters near to those without pairs in their place (see `_paired_joins`).

A node is forced when it holds both ends of a cannot-link: every cut that keeps the pairs splits it. The forced nodes
are the upper part of the hierarchy. So the rules of `tripletree.cut` work on what is left of it: one root in the place
of all forced nodes, and one leaf, or one node over all its leaves, in the place of each group.
"""

from __future__ import annotations

from itertools import islice
from warnings import warn

import numpy as np

from tripletree import _kernels
from tripletree._cut_rules import best_supported, support_of
from tripletree._kernels import freeze
from tripletree.cluster._assign import threshold_labels
from tripletree.cluster._joint import Joint
from tripletree.cluster._paired_joins import TOO_FAR, are_clades_better, fewer_clusters, misfit, nearest_feasible
from tripletree.cuts import cut, labels_of, sizes_tried
from tripletree.errors import SHOWN, ClusterCountError, InfeasibleClusteringError, LimitExceededError
from tripletree.hierarchy import Hierarchy
from tripletree.triplets import TripletSet

__all__ = ["PairedCut"]

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
                warn(warning, UserWarning, stacklevel=4)
            if found is not None:
                return found
        if labels is not None:
            return labels
        msg = f"the merges that keep all cannot-links end at {self.fewest} clusters"
        assert k is not None
        if on_infeasible == "raise":
            raise self._infeasible(msg, k)
        if on_infeasible == "more":
            warn(f"{msg}: these are returned, not n_clusters={k}", UserWarning, stacklevel=4)
            return self._chosen(self.fewest, rule, triplets, samples, forced)
        labels = self._chosen(k, rule, triplets, samples, np.zeros_like(forced))
        a, b = self._joint.first[self._joint.closure.cannot].T
        broken = int((labels[a] == labels[b]).sum())
        warn(f"{msg}: n_clusters={k} violate {broken} of {a.size}", UserWarning, stacklevel=4)
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
        highest = _kernels.cuts.monotone_heights(groups.parent, freeze(height.copy()), n).copy()
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
                    labels = cut(whole, k, rule=rule, triplets=triplets, min_size=least, samples=samples)
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
        forced[_kernels.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table)] = True
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
