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

__all__ = [
    "answered_hierarchy",
]


def answered_hierarchy(X: np.ndarray, labels: np.ndarray, triplets: TripletSet) -> Hierarchy:
    """The hierarchy of Ward merges that displays triplets, and has the clusters as clades where these allow it.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
    labels : ndarray of int, shape (n,)
    triplets : TripletSet
        Over the n samples. Of contradicting ones, `repair` keeps a part.

    Returns
    -------
    Hierarchy
    """
    if len(X) < 2:
        return Hierarchy([-1], triplets.leaves)
    if not is_consistent(triplets):
        triplets = repair(triplets, random_state=0).kept
    order = np.argsort(labels, kind="stable")
    chain = np.stack([order[:-1], order[1:]], axis=1)[labels[order[:-1]] == labels[order[1:]]]
    constraints = combine_constraints(triplets, PairwiseConstraints(chain, [], triplets.leaves))
    try:
        check_consistent(constraints)
    except InconsistentTripletsError:  # triplets that tell samples of one cluster from each other, and tie others in
        constraints = combine_constraints(triplets, PairwiseConstraints([], [], triplets.leaves))
    merges, _ = merge_samples(X, MergePlan(constraints), "ward", FittedMetric("euclidean"))
    return from_linkage(merges, triplets.leaves)
