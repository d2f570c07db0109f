"""Flat clusters of a hierarchy by a distance threshold."""

from __future__ import annotations

import numpy as np

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import in_order_of_first


def cut_at_threshold(hierarchy: Hierarchy, highest: np.ndarray, threshold: float) -> np.ndarray:
    """The largest clades none of whose merges lies above the threshold.

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
