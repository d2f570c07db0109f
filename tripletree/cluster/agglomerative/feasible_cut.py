"""Flat clusters of a hierarchy whose last merges are forbidden by cannot-links, and merges that leave room for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.cluster.agglomerative.flat_clusters import threshold_labels
from tripletree.cluster.feasibility import CannotGraph, NotColourable
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pair_closure import PairClosure
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import SHOWN, ClusterCountError, InfeasibleClusteringError, warn_user
from tripletree.kernels import freeze

__all__ = [
    "POLICIES",
    "Places",
    "check_most",
    "feasible_labels",
    "kept_whole",
    "roots_of",
]

#: What to do where no merge is left that keeps the cannot-links, the first: to see that it does not come to that.
POLICIES = ("avoid", "raise", "more", "violate")

_SEARCH_LIMIT = 100_000  # steps in each connected part of the cannot-links
_STEPS = 10_000  # the same where a merge is looked at

_ADVICE = "on_infeasible='more' to take what comes, or 'violate' to break cannot-links"


def check_most(n_clusters: int | None, closure: PairClosure) -> None:
    """Refuse more clusters than there are samples, must-linked ones counted as one.

    Raises
    ------
    ClusterCountError, InfeasibleClusteringError
    """
    n, most = len(closure.leaves), closure.n_components
    if n_clusters is None or n_clusters <= most:
        return
    if n_clusters > n:
        msg = f"n_clusters={n_clusters} but n_samples={n}: there cannot be more clusters than samples"
        raise ClusterCountError(msg, n_clusters=n_clusters, nearest=(most,))
    msg = (
        f"n_clusters={n_clusters}, but must-links tie the {n} samples into {most} groups: there cannot be more "
        "clusters than groups"
    )
    raise InfeasibleClusteringError(msg, n_clusters=n_clusters)


def kept_whole(hierarchy: Hierarchy, pairs: PairwiseConstraints) -> np.ndarray:
    """Which inner nodes no cut may split: those where must-linked samples meet, and all below them.

    Returns
    -------
    ndarray of bool, shape (n_nodes - n,)
    """
    n = hierarchy.n_leaves
    whole = np.zeros(hierarchy.n_nodes, np.bool_)
    a, b = (freeze(np.ascontiguousarray(pairs.must_link[:, k])) for k in (0, 1))
    if a.size:
        whole[kernels.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table)] = True
    for u in range(hierarchy.n_nodes - 2, n - 1, -1):
        whole[u] |= whole[hierarchy.parent[u]]
    return whole[n:]


def _undone(hierarchy: Hierarchy, n_clusters: int, whole: np.ndarray) -> np.ndarray:
    """Undo the last merges, but none that must stay, until there are so many clusters."""
    split = np.zeros(whole.size, np.bool_)
    split[np.flatnonzero(~whole)[::-1][: n_clusters - 1]] = True
    return threshold_labels(hierarchy, np.where(split, np.inf, -np.inf), 0.0)


def feasible_labels(
    hierarchy: Hierarchy,
    n_clusters: int,
    fewest: int,
    pairs: PairwiseConstraints,
    on_infeasible: str,
    whole: np.ndarray,
) -> np.ndarray:
    """Cut a hierarchy by merge order into clusters that keep all constraints, if there are any.

    Parameters
    ----------
    hierarchy : Hierarchy
        Binary.
    n_clusters : int
    fewest : int
        How many clusters are left before the forbidden merges.
    pairs : PairwiseConstraints
        Consistent.
    on_infeasible : {"avoid", "raise", "more", "violate"}
    whole : ndarray of bool
        From `kept_whole`.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    InfeasibleClusteringError
        If `n_clusters` is less than `fewest`, and `on_infeasible` is "raise" (or "avoid", where none came of it).

    Warns
    -----
    UserWarning
        If it is less, and `on_infeasible` is "more" or "violate"; or more than all cuts have that keep the answered
        must-links.
    """
    most = 1 + int((~whole).sum())
    if n_clusters > most:  # after answers alone: must-links that were given are merged first
        msg = (
            f"n_clusters={n_clusters}, but the answers tie what the merges put together into {most}: a cut into more "
            f"would part samples that were said to belong together, so {most} are returned"
        )
        warn_user(msg)
        n_clusters = most
    if n_clusters >= fewest:
        return _undone(hierarchy, n_clusters, whole)
    msg = f"the merges end at {fewest} clusters, every two of them kept apart by cannot-links"
    if on_infeasible == "more":
        warn_user(f"{msg}: these are returned, not n_clusters={n_clusters}")
        return _undone(hierarchy, fewest, whole)
    if on_infeasible == "violate":
        labels = _undone(hierarchy, n_clusters, whole)
        a, b = pairs.cannot_link.T
        broken = int((labels[a] == labels[b]).sum())
        warn_user(f"{msg}: n_clusters={n_clusters} violate {broken} of {a.size}")
        return labels
    raise _infeasible(msg, n_clusters, fewest, pairs.closure())


def _infeasible(msg: str, k: int, fewest: int, closure: PairClosure) -> InfeasibleClusteringError:
    """The error that tells constraints which k clusters cannot keep from merges that went another way."""
    advice = f"ask for {fewest} or more, or set {_ADVICE}"
    graph = CannotGraph(closure.cannot, closure.n_components)
    try:
        graph.colour(k, np.random.default_rng(0), _SEARCH_LIMIT)
    except NotColourable as reason:
        return _too_few(f"{msg}, and n_clusters={k} are too few", k, reason, closure, advice)
    msg = (
        f"{msg}; n_clusters={k} could keep all constraints, but not by these merges: set on_infeasible='avoid' for "
        f"others, or {advice}"
    )
    return InfeasibleClusteringError(msg, n_clusters=k, proved=False)


def _too_few(msg: str, k: int, reason: NotColourable, closure: PairClosure, advice: str) -> InfeasibleClusteringError:
    """The error that names samples for which there is no assignment, or none was found."""
    first = closure.order[np.concatenate([[0], np.cumsum(closure.sizes)[:-1]])]
    labels = [closure.leaves[int(i)] for i in first[reason.groups]]
    shown = ", ".join(map(str, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")
    why = "are all kept apart from each other" if reason.is_clique else "need more"
    if not reason.proved:
        why = "may need more (a search found no assignment; COPKMeans and ReCon search in other ways)"
    msg = f"{msg}: {len(labels)} samples {why}: {shown}; {advice}"
    return InfeasibleClusteringError(
        msg, n_clusters=k, samples=labels, is_clique=reason.is_clique, proved=reason.proved
    )


# ---------------------------------------------------------------------- looking ahead


def roots_of(merges: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """What n leaves are merged into: the root of each leaf, numbered by first leaves, and the node of each root."""
    root = np.arange(n + len(merges))
    children = merges[:, :2].astype(np.intp)
    for k in range(len(merges) - 1, -1, -1):
        root[children[k]] = root[n + k]
    node, first, part = np.unique(root[:n], return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return rank[part].astype(np.int64), node[order]


class _Graph(CannotGraph):
    """One that says whether there is an assignment, and spares the search for the reason where there is none."""

    def _reason(self, part: Any, k: int) -> tuple[np.ndarray, bool]:
        return part.nodes, False


class Places:
    """One of k clusters for each clade, none for two that are kept apart, kept up while clades merge.

    As long as there are such places, merges can go on to k clusters that break no cannot-link: two clades with one
    place may always meet. Every other merge needs places in which its two clades share one: found by an exchange of
    two clusters, or of the one clade, or by the bounded search of all. It is exhaustive but for its limit of steps, so
    a merge that is refused would, but for that, have left no way to k clusters.

    Parameters
    ----------
    closure : PairClosure
    k : int

    Raises
    ------
    InfeasibleClusteringError
        If the groups of the closure have no such places, or none were found.
    """

    def __init__(self, closure: PairClosure, k: int) -> None:
        self.k, self._rng = k, np.random.default_rng(0)
        self._cannot = closure.cannot
        self._group = np.zeros(closure.n_components, np.int64)
        graph = CannotGraph(closure.cannot, closure.n_components)
        if graph.bound.size:
            try:
                self._group[graph.bound] = graph.colour(k, self._rng, _SEARCH_LIMIT)
            except NotColourable as reason:
                msg = f"n_clusters={k} are too few for the cannot-links"
                advice = f"ask for more, or set {_ADVICE}"
                raise _too_few(msg, k, reason, closure, advice) from None
        self.at = self._group

    def first(self, merges: np.ndarray) -> int:
        """How many of the first merges of groups can stand; the places of the groups are those of what they make."""
        n = self._group.size
        low, high = 0, len(merges)
        probe = high
        while low < high:
            part, node = roots_of(merges[:probe], n)
            at = self._found(part[self._cannot], node.size)
            if at is None:
                high = probe - 1
            else:
                low, self._group = probe, at[part]
            probe = (low + high + 1) // 2
        return low

    def begin(self, part: np.ndarray, apart: np.ndarray) -> bool:
        """Take the places for the roots of all groups, new ones if some answers do not allow them; False: none found.

        Parameters
        ----------
        part : ndarray of int, shape (N,)
            The root of each group, as or below those that `first` lets stand.
        apart : ndarray of bool, shape (r, r)
        """
        self.at = np.zeros(len(apart), np.int64)
        self.at[part] = self._group
        return not (apart & (self.at[:, None] == self.at)).any() or self._search(apart, np.ones(len(apart), bool))

    def allow(self, i: int, j: int, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Give two clades that are not apart the same place, if that can be."""
        if self.at[i] == self.at[j] or any(self._exchanged(*pair, apart, alive) for pair in ((i, j), (j, i))):
            return True
        one = apart.copy()
        one[i] |= one[j]
        one[:, i] |= one[:, j]
        live = alive.copy()
        live[j] = False
        if not self._search(one, live):
            return False
        self.at[j] = self.at[i]
        return True

    def part(self, i: int, j: int, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Give two clades, apart from now on, different places, if that can be."""
        return bool(self.at[i] != self.at[j]) or self._search(apart, alive)

    def _exchanged(self, i: int, j: int, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Bring i to the place of j: all that are tied to i change between the two places, unless j is one of them."""
        both = alive & ((self.at == self.at[i]) | (self.at == self.at[j]))
        tied = np.zeros(both.size, bool)
        tied[i] = True
        new = np.array([i])
        while new.size:
            new = np.flatnonzero(apart[new].any(axis=0) & both & ~tied)
            tied[new] = True
        if tied[j]:
            return False
        self.at[tied] = self.at[i] + self.at[j] - self.at[tied]
        return True

    def _search(self, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Find places for all that are alive."""
        live = np.flatnonzero(alive)
        at = self._found(np.argwhere(np.triu(apart[np.ix_(live, live)])), live.size)
        if at is None:
            return False
        self.at[live] = at
        return True

    def _found(self, ends: np.ndarray, n: int) -> np.ndarray | None:
        """Places of n nodes, with edges that may occur twice; None where none were found."""
        if n <= self.k:
            return np.arange(n)
        at = np.zeros(n, np.int64)
        graph = _Graph(np.unique(np.sort(ends, axis=1), axis=0), n)
        if graph.bound.size:
            try:
                at[graph.bound] = graph.colour(self.k, self._rng, _STEPS)
            except NotColourable:
                return None
        return at
