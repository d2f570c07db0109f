"""taxonomy_linkage: ordinary linkage on the distance of the data plus a multiple of that in a taxonomy."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_array

from tripletree._core import engine
from tripletree.algorithms.linkage import from_linkage
from tripletree.cluster.distances import (
    ANY_METRIC,
    check_metric,
    condensed_distances,
    condensed_matrix,
    metric_parameters,
    transformed,
)
from tripletree.core.arrays import frozen
from tripletree.core.checks import check_choice
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, check_rooted
from tripletree.core.leaves import LeafIndex
from tripletree.errors import UnknownLeafError
from tripletree.knowledge.alignment import index_labels, index_leaves


def taxonomy_linkage(
    X: Any,
    hierarchy: Hierarchy,
    *,
    weight: float = 1.0,
    linkage: str = "average",
    metric: Any = "euclidean",
    kind: Literal["depth", "path"] = "depth",
    unplaced: Literal["raise", "mean"] = "raise",
) -> Hierarchy:
    """Cluster by the distance of the data plus `weight` times the distance in a taxonomy: the baseline to beat.

    Both distances are divided by their means over all pairs, so weight 1 makes them equally important. The taxonomy
    acts as one more feature, without guarantees. ``tripletree.cluster.ReCon`` makes its triplets hold.

    Parameters
    ----------
    X : array_like or DataFrame, shape (n_samples, n_features) or (n_samples, n_samples)
        The samples, or their distances if ``metric="precomputed"``.
    hierarchy : Hierarchy
        The taxonomy. Its leaves are labels of the index where X is a pandas DataFrame, else row numbers. Leaves that
        are not in X do not matter.
    weight : float
        The factor of the distance in the taxonomy. 0 ignores it.
    linkage : {"average", "weighted", "complete", "single"}
        How the distance of two clusters is computed, as in ``scipy.cluster.hierarchy.linkage``.
    metric : str, callable or fitted transformer
        As in ReCon.
    kind : {"depth", "path"}
        Distance in the taxonomy: how far the last common ancestor lies above the deepest leaf (so that ab|c always
        means that a and b are nearer), or the number of edges between the two (so that a deep leaf is far from all).
    unplaced : {"raise", "mean"}
        How to treat samples that are not leaves of the taxonomy: raise an error, or use the mean distance to all
        others.

    Returns
    -------
    Hierarchy
        Binary, over the labels of the samples, its inner nodes in merge order at the heights of their merges.
        ``tripletree.to_linkage`` and ``tripletree.cut`` take it from there.

    Raises
    ------
    MemoryError
        If the distances do not fit into memory.

    See Also
    --------
    tripletree.cluster.ReCon : with ``triplets=decompose(hierarchy)``, the triplets of the taxonomy hold.

    Notes
    -----
    Under "depth" the second distance is an ultrametric, and a triplet that the taxonomy displays costs at least one
    level. So once the weight is large enough the result displays all triplets of the taxonomy, under every linkage.
    Time O(n^2), memory 8 bytes a pair, twice.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"x": [0.0, 1.0, 1.5, 3.0]}, index=["ant", "bee", "cow", "dog"])
    >>> taxonomy = Hierarchy.from_nested([["ant", "bee"], ["cow", "dog"]])
    >>> taxonomy_linkage(X, taxonomy) == taxonomy
    True
    >>> taxonomy_linkage(X, taxonomy, weight=0.1) == taxonomy
    False
    """
    hierarchy = (check_rooted if kind == "depth" else check_hierarchy)(hierarchy)
    for value, name, allowed in (
        (linkage, "linkage", ANY_METRIC),
        (kind, "kind", ("depth", "path")),
        (unplaced, "unplaced", ("raise", "mean")),
    ):
        check_choice(value, name, allowed)
    if not isinstance(weight, Real) or not 0 <= weight < np.inf:
        msg = f"weight must be a finite number >= 0; got {weight!r}"
        raise ValueError(msg)
    samples = check_array(X, dtype=np.float64, input_name="X")
    n = len(samples)
    labels = index_labels(X)
    leaves = index_leaves(labels) if labels is not None else LeafIndex(n)
    distances = _of_data(X, samples, metric, linkage)
    if n == 1:
        return Hierarchy([-1], leaves)
    with np.errstate(over="ignore"):
        total = _scaled(distances) + float(weight) * _of_taxonomy(hierarchy, leaves, kind, unplaced)
    if not total.max() < np.finfo(np.float64).max / n:
        msg = f"with weight={weight:g}, sums of distances exceed the range of float64: use a smaller weight, or scale X"
        raise ValueError(msg)
    from scipy.cluster import hierarchy as scipy_hierarchy

    return from_linkage(scipy_hierarchy.linkage(total, linkage), leaves)


def _of_data(X: Any, samples: np.ndarray, metric: Any, linkage: str) -> np.ndarray:
    """Condensed distances of the samples."""
    if isinstance(metric, str) and metric == "precomputed":
        return condensed_matrix(samples, X=X)
    name = check_metric(metric, linkage)
    points = transformed(metric, X, samples)
    return condensed_distances(points, name, metric_parameters(points, name))


def _of_taxonomy(hierarchy: Hierarchy, leaves: LeafIndex, kind: str, unplaced: str) -> np.ndarray:
    """Condensed distances in the taxonomy, of mean 1."""
    placed = np.array([x in hierarchy.leaves for x in leaves])
    if not placed.any() or (unplaced == "raise" and not placed.all()):
        missing = [x for x, known in zip(leaves, placed.tolist(), strict=True) if not known]
        hint = "unplaced='mean' keeps samples that are not in the taxonomy" if placed.any() else ""
        raise UnknownLeafError(missing, hierarchy.leaves.labels, what="leaves of the taxonomy", hint=hint)
    known = np.flatnonzero(placed)
    node = hierarchy.leaves.indices([leaves[i] for i in known.tolist()]).astype(np.int32)
    a, b = np.triu_indices(known.size, 1)
    if a.size == 0:
        return np.ones(len(leaves) * (len(leaves) - 1) // 2)
    i, j = node[a], node[b]
    depth = hierarchy.depth.astype(np.int64)
    above = depth[engine.rooted_tree.common_ancestors(frozen(i), frozen(j), *hierarchy.ancestor_table)]
    apart = depth[i] + depth[j] - 2 * above if kind == "path" else depth[: hierarchy.n_leaves].max() - above
    scaled = _scaled(apart.astype(np.float64))
    if placed.all():
        return scaled
    n = len(leaves)
    out = np.ones(n * (n - 1) // 2)
    p, q = known[a], known[b]
    out[p * n - p * (p + 1) // 2 + q - p - 1] = scaled
    return out


def _scaled(distances: np.ndarray) -> np.ndarray:
    mean = distances.mean()
    return distances / mean if mean > 0 else distances
