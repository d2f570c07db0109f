"""Flat clusters of a hierarchy by a distance threshold, and the nearest flat cluster of a new sample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.cluster.distances import EUCLIDEAN, check_distances, check_rows
from tripletree.core.hierarchy import Hierarchy
from tripletree.kernels import freeze

__all__ = [
    "FlatClusters",
    "check_stop",
    "flat_clusters",
    "is_precomputed",
    "nearest_clusters",
    "threshold_labels",
]

_BATCH = 4_000_000  # distances that stand at a time: 32 MB


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


@dataclass(frozen=True)
class FlatClusters:
    """What the distance of a new sample to each flat cluster is taken from.

    Attributes
    ----------
    linkage : str
    metric : str or callable
        Of scipy's cdist, or "precomputed".
    parameters : dict
        Of the metric, from the samples it was fitted on.
    points : ndarray of float64 or None
        The centres of the clusters for the linkages on centres, else the samples cluster by cluster; None where
        distances are precomputed.
    members : ndarray of int, shape (n,)
        The samples cluster by cluster.
    start : ndarray of int, shape (k,)
        The place of the first member of each cluster in `members`.
    size : ndarray of int, shape (k,)
    share : ndarray of float64, shape (n,), or None
        The part of each member in the mean of its cluster; None where all have the same.
    """

    linkage: str
    metric: Any
    parameters: dict[str, np.ndarray]
    points: np.ndarray | None
    members: np.ndarray
    start: np.ndarray
    size: np.ndarray
    share: np.ndarray | None

    def means(self, values: np.ndarray) -> np.ndarray:
        """The mean over each cluster of values that stand cluster by cluster, along the last axis."""
        if self.share is not None:
            return np.add.reduceat(values * self.share, self.start, axis=-1)
        return np.add.reduceat(values, self.start, axis=-1) / self.size


def flat_clusters(
    hierarchy: Hierarchy,
    labels: np.ndarray,
    samples: np.ndarray,
    *,
    linkage: str,
    metric: Any,
    parameters: dict[str, np.ndarray],
) -> FlatClusters:
    """Gather what `nearest_clusters` needs; none of the caller's arrays is kept.

    Parameters
    ----------
    hierarchy : Hierarchy
        Binary, over the samples.
    labels : ndarray of int, shape (n,)
        Flat clusters 0..k-1, none empty; they need not be clades.
    samples : ndarray of float64, shape (n, d)
        Not used where distances are precomputed.
    linkage, metric, parameters
        Those of the fit.

    Returns
    -------
    FlatClusters
    """
    members = np.argsort(labels, kind="stable")
    size = np.bincount(labels)
    start = np.cumsum(size) - size
    share = _halves(hierarchy, members, start, size) if linkage in ("median", "weighted") else None
    without = FlatClusters(linkage, metric, parameters, None, members, start, size, share)
    if linkage in EUCLIDEAN:
        return replace(without, points=without.means(samples[members].T).T.copy())
    return without if is_precomputed(metric) else replace(without, points=samples[members])


def is_precomputed(metric: Any) -> bool:
    return isinstance(metric, str) and metric == "precomputed"


def _halves(hierarchy: Hierarchy, members: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The part of each member in its cluster when every merge gives its two sides one half each.

    It is 1/2 to the power of the depth in the hierarchy on the members of the cluster, which is the clade itself
    where they are one.
    """
    plain = Hierarchy(hierarchy.parent, hierarchy.n_leaves)
    begin, end, _ = plain.leaf_intervals
    place = begin[members]
    along = np.lexsort((place, np.repeat(np.arange(size.size), size)))
    first, last = members[along[start]], members[along[start + size - 1]]
    node = kernels.rooted_tree.common_ancestors(
        *(freeze(x.astype(np.int32)) for x in (first, last)), *plain.ancestor_table
    )
    clade = end[node] - begin[node] == size
    depth = plain.depth[members] - np.repeat(plain.depth[node], size)
    for k in np.flatnonzero(~clade).tolist():
        mine = slice(start[k], start[k] + size[k])
        depth[mine] = plain.restrict(members[mine].tolist()).depth[: size[k]]
    return np.ldexp(1.0, -depth)


def nearest_clusters(clusters: FlatClusters, samples: np.ndarray) -> np.ndarray:
    """The flat cluster nearest to each new sample, the lower one of two at the same distance.

    Parameters
    ----------
    clusters : FlatClusters
    samples : ndarray of float64, shape (r, d) or (r, n)
        The new samples, or their distances to the n fitted ones where those are precomputed.

    Returns
    -------
    ndarray of int, shape (r,)

    Raises
    ------
    ValueError
        If a distance is not defined, negative or infinite.

    Notes
    -----
    Distances are taken for so many samples at a time that they fill some 32 MB.
    """
    check_rows(samples, clusters.metric)
    width = clusters.members.size if clusters.points is None else clusters.points.shape[0]
    step = max(1, _BATCH // width)
    label = np.empty(samples.shape[0], np.intp)
    for low in range(0, samples.shape[0], step):
        distances = _to_points(clusters, samples[low : low + step], low)
        label[low : low + step] = _to_clusters(clusters, distances).argmin(axis=1)
    return label


def _to_points(clusters: FlatClusters, samples: np.ndarray, low: int) -> np.ndarray:
    """Checked distances of the samples from row `low` on to the centres, or to the members cluster by cluster."""
    if clusters.points is None:
        distances = samples[:, clusters.members]
    else:
        from scipy.spatial.distance import cdist

        distances = cdist(samples, clusters.points, clusters.metric, **clusters.parameters)
    bad = check_distances(distances, np.finfo(np.float64).max / 4)
    if bad is not None:
        row, column = divmod(bad[0], distances.shape[1])
        other = f"cluster {column}" if clusters.linkage in EUCLIDEAN else f"fitted sample {clusters.members[column]}"
        msg = f"the distance of sample {low + row} to {other} under metric={clusters.metric!r} {bad[1]}"
        raise ValueError(msg)
    return distances


def _to_clusters(clusters: FlatClusters, distances: np.ndarray) -> np.ndarray:
    """What the linkage makes of the distance of one new sample to each cluster."""
    if clusters.linkage == "ward":
        return distances * np.sqrt(2 * clusters.size / (clusters.size + 1))
    if clusters.linkage in EUCLIDEAN:
        return distances
    if clusters.linkage == "single":
        return np.minimum.reduceat(distances, clusters.start, axis=1)
    if clusters.linkage == "complete":
        return np.maximum.reduceat(distances, clusters.start, axis=1)
    return clusters.means(distances)


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
