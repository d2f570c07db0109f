"""The hierarchy that goes with the clusters: what was answered holds in it, and the data decide the rest."""

from __future__ import annotations

import numpy as np

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.repair import repair
from tripletree.cluster.agglomerative.constraints import check_consistent, combine_constraints
from tripletree.cluster.agglomerative.plan import MergePlan, merge_samples
from tripletree.cluster.distances import FittedMetric
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError

#: Of more samples, those of one node and one cluster are leaves side by side: Ward's linkage of all would take minutes.
MOST_MERGED = 10_000


def answered_hierarchy(X: np.ndarray, labels: np.ndarray, node: np.ndarray, triplets: TripletSet) -> Hierarchy:
    """The hierarchy of Ward merges that displays triplets, and has the clusters as clades where these allow it.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
    labels : ndarray of int, shape (n,)
        Clusters.
    node : ndarray of int, shape (n,)
        The node of the neighbour graph that each sample belongs to.
    triplets : TripletSet
        Over the n samples. Of contradicting ones, `repair` keeps a part.

    Returns
    -------
    Hierarchy
    """
    n = len(X)
    if not is_consistent(triplets):
        triplets = repair(triplets, random_state=0).kept
    if n <= MOST_MERGED:
        return _merged(X, labels, triplets)
    # samples with an answer stand alone, the others with those of the same node and cluster
    alone = np.full(n, -1)
    alone[triplets.used_leaves] = triplets.used_leaves
    _, first, item = np.unique(np.stack([alone, node, labels], axis=1), axis=0, return_index=True, return_inverse=True)
    item, size = item.ravel(), np.bincount(item.ravel())
    means = np.stack([np.bincount(item, x) for x in X.T], axis=1) / size[:, None]
    tree = _merged(means, labels[first], TripletSet(item[triplets.rows].astype(np.int32), size.size))
    # the leaves of that tree become inner nodes, numbered first, but for those of one sample
    g, above = size.size, np.where(tree.parent >= 0, tree.parent + n, -1).astype(np.int32)
    number = np.arange(g, dtype=np.int32) + n
    parent = np.concatenate([number[item], above])
    single = size[item] == 1
    parent[:n][single] = above[item[single]]
    kept = np.concatenate([np.ones(n, bool), size > 1, np.ones(tree.n_nodes - g, bool)])
    place = np.append(np.cumsum(kept) - 1, -1).astype(np.int32)  # -1 stays -1
    return Hierarchy(place[parent[kept]], triplets.leaves, height=np.concatenate([np.zeros(n), tree.height])[kept])


def _merged(X: np.ndarray, labels: np.ndarray, triplets: TripletSet) -> Hierarchy:
    if len(X) < 2:
        return Hierarchy([-1], triplets.leaves)
    order = np.argsort(labels, kind="stable")
    chain = np.stack([order[:-1], order[1:]], axis=1)[labels[order[:-1]] == labels[order[1:]]]
    constraints = combine_constraints(triplets, PairwiseConstraints(chain, [], triplets.leaves))
    try:
        check_consistent(constraints)
    except InconsistentTripletsError:  # triplets that tell samples of one cluster from each other, and tie others in
        constraints = combine_constraints(triplets, PairwiseConstraints([], [], triplets.leaves))
    merges, _ = merge_samples(X, MergePlan(constraints), "ward", FittedMetric("euclidean"))
    return from_linkage(merges, triplets.leaves)
