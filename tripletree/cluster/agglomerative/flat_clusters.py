"""Flat clusters of a hierarchy by a distance threshold, and parameters that say where to cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree.core.hierarchy import Hierarchy

__all__ = [
    "check_stop",
    "is_precomputed",
    "threshold_labels",
]


def threshold_labels(hierarchy: Hierarchy, highest: np.ndarray, threshold: float) -> np.ndarray:
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
    _, first, clade = np.unique(clade, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[clade]


def is_precomputed(metric: Any) -> bool:
    return isinstance(metric, str) and metric == "precomputed"


def check_stop(n_clusters: int | None, distance_threshold: float | None, rule: str, default_rule: str) -> None:
    """Refuse parameters that say twice, or not at all, where the hierarchy is to be cut.

    Raises
    ------
    ValueError
        Naming the two that contradict each other.
    """
    if distance_threshold is None:
        if n_clusters is None and rule != "constraints":
            msg = f"cut={rule!r} needs n_clusters; None goes with distance_threshold, or cut='constraints'"
            raise ValueError(msg)
        return
    if n_clusters is not None:
        msg = (
            f"n_clusters={n_clusters} and distance_threshold={distance_threshold} are both given: set one of them to "
            "None"
        )
        raise ValueError(msg)
    if rule != default_rule:
        msg = f"cut={rule!r} and distance_threshold are both given: the threshold is a rule of its own"
        raise ValueError(msg)
