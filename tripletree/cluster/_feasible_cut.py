"""Flat clusters of a hierarchy whose last merges are forbidden by cannot-links."""

from __future__ import annotations

from warnings import warn

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.cluster._assign import threshold_labels
from tripletree.cluster._assignment_search import CannotGraph, NotColourable
from tripletree.errors import SHOWN, ClusterCountError, InfeasibleClusteringError
from tripletree.hierarchy import Hierarchy
from tripletree.pairs import PairClosure, PairwiseConstraints

__all__ = ["POLICIES", "check_most", "feasible_labels", "kept_whole"]

#: What to do where no merge is left that keeps the cannot-links.
POLICIES = ("raise", "more", "violate")

_SEARCH_LIMIT = 100_000  # steps in each connected part of the cannot-links


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
        whole[_kernels.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table)] = True
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
    on_infeasible : {"raise", "more", "violate"}
    whole : ndarray of bool
        From `kept_whole`.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    InfeasibleClusteringError
        If `n_clusters` is less than `fewest`, and `on_infeasible` is "raise".

    Warns
    -----
    UserWarning
        If it is less, and `on_infeasible` is not "raise"; or more than cuts that keep all answered must-links have.
    """
    most = 1 + int((~whole).sum())
    if n_clusters > most:  # after answers alone: must-links that were given are merged first
        msg = (
            f"n_clusters={n_clusters}, but the answers tie what the merges put together into {most}: a cut into more "
            f"would part samples that were said to belong together, so {most} are returned"
        )
        warn(msg, UserWarning, stacklevel=4)
        n_clusters = most
    if n_clusters >= fewest:
        return _undone(hierarchy, n_clusters, whole)
    msg = f"the merges end at {fewest} clusters, every two of them kept apart by cannot-links"
    if on_infeasible == "more":
        warn(f"{msg}: these are returned, not n_clusters={n_clusters}", UserWarning, stacklevel=4)
        return _undone(hierarchy, fewest, whole)
    if on_infeasible == "violate":
        labels = _undone(hierarchy, n_clusters, whole)
        a, b = pairs.cannot_link.T
        broken = int((labels[a] == labels[b]).sum())
        warn(f"{msg}: n_clusters={n_clusters} violate {broken} of {a.size}", UserWarning, stacklevel=4)
        return labels
    raise _infeasible(msg, n_clusters, fewest, pairs.closure())


def _infeasible(msg: str, k: int, fewest: int, closure: PairClosure) -> InfeasibleClusteringError:
    """The error that tells constraints which k clusters cannot keep from merges that went another way."""
    advice = (
        f"ask for {fewest} or more, or set on_infeasible='more' to take what comes, or 'violate' to break cannot-links"
    )
    graph = CannotGraph(closure.cannot, closure.n_components)
    try:
        graph.colour(k, np.random.default_rng(0), _SEARCH_LIMIT)
    except NotColourable as reason:
        first = closure.order[np.concatenate([[0], np.cumsum(closure.sizes)[:-1]])]
        labels = [closure.leaves[int(i)] for i in first[reason.groups]]
        shown = ", ".join(map(str, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")
        why = "are all kept apart from each other" if reason.is_clique else "need more"
        if not reason.proved:
            why = "may need more (a search found no assignment)"
        msg = f"{msg}, and n_clusters={k} are too few: {len(labels)} samples {why}: {shown}; {advice}"
        return InfeasibleClusteringError(
            msg, n_clusters=k, samples=labels, is_clique=reason.is_clique, proved=reason.proved
        )
    msg = f"{msg}; n_clusters={k} could keep all constraints, but not by these merges: {advice}"
    return InfeasibleClusteringError(msg, n_clusters=k, proved=False)
