"""What a page needs to know of a hierarchy, as plain lists: nodes in depth-first order, leaves by their place."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree.hierarchy import Hierarchy
from tripletree.plots._layout import meeting_nodes
from tripletree.plots._marks import Groups, coded_groups
from tripletree.triplets import TripletSet

__all__ = ["as_json", "page_data"]


def page_data(hierarchy: Hierarchy, triplets: TripletSet | None, clusters: Any, classes: Any) -> dict[str, Any]:
    """The hierarchy, groups of its leaves and its triplets, for the page's script.

    The number of children of each node, in depth-first order, is the whole tree. Leaves are told by their rank in that
    order, triplets (a, b, c) likewise, each with the node at which it acts: u where displayed, -1 - u where not.
    """
    order, place, rank = _depth_first(hierarchy)
    n = hierarchy.n_leaves
    leaves = order[order < n]
    inner = (order[order >= n] - n).tolist()
    clustered = coded_groups(clusters, hierarchy, "clusters", None)
    classed = coded_groups(classes, hierarchy, "classes", clustered)
    data: dict[str, Any] = {
        "children": hierarchy.n_children[order].tolist(),
        "labels": [str(hierarchy.leaves[u]) for u in leaves.tolist()],
        "clusters": _grouped(clustered, "cluster", "clusters", leaves),
        "classes": _grouped(classed, "class", "classes", leaves),
    }
    if hierarchy.names is not None and any(name is not None for name in hierarchy.names):
        data["names"] = [hierarchy.names[k] for k in inner]
    height = hierarchy.height
    if height is not None and bool(np.isfinite(height).all()) and bool((height != height[0]).any()):
        data["heights"] = [float(f"{x:.7g}") for x in height[order].tolist()]
    if triplets is not None:
        data["triplets"] = _acting(hierarchy, triplets, place, rank)
    return data


def as_json(data: dict[str, Any]) -> str:
    """Data as JSON that may stand inside a script element, whatever its strings hold."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)  # ASCII alone: halves of surrogate pairs too
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _depth_first(hierarchy: Hierarchy) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes, each before its children and those by their smallest leaf; place of each node; rank of each leaf."""
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    rank = _kernels.cuts.reading_places(hierarchy.parent, n)
    first = [*rank.tolist(), *[n] * (N - n)]
    for u, p in enumerate(hierarchy.parent[:-1].tolist()):
        first[p] = min(first[p], first[u])
    order = np.lexsort((-np.arange(N), np.array(first)))  # of the nodes that begin alike, ancestors are the later ones
    place = np.empty(N, np.int64)
    place[order] = np.arange(N)
    return order, place, rank


def _grouped(groups: Groups | None, one: str, many: str, leaves: np.ndarray) -> dict[str, Any] | None:
    """Clusters or classes for the page."""
    if groups is None:
        return None
    return {
        "one": one,
        "many": many,
        "names": [str(name) for name in groups.names],
        "codes": groups.codes[leaves].tolist(),
        "style": groups.style.tolist(),
        "sizes": groups.sizes.tolist(),
    }


def _acting(hierarchy: Hierarchy, triplets: TripletSet, place: np.ndarray, rank: np.ndarray) -> dict[str, Any]:
    """The triplets by the node where they act: where a and b meet if displayed, else where all three have met."""
    number = np.full(len(triplets.leaves), -1, np.int32)
    used = triplets.used_leaves
    number[used] = hierarchy.leaves.indices((triplets.leaves[i] for i in used.tolist()), what="triplets' leaves")
    rows = number[triplets.rows]
    inner, outer = meeting_nodes(hierarchy, rows[:, :2]), meeting_nodes(hierarchy, rows[:, ::2])
    shown = inner < outer
    node = place[np.where(shown, inner, np.maximum(inner, outer))]
    ranks = rank[rows]
    order = np.lexsort((*ranks.T[::-1], node))
    found: dict[str, Any] = {
        "rows": ranks[order].ravel().tolist(),
        "at": np.where(shown, node, -1 - node)[order].tolist(),
    }
    if triplets.weights is not None:
        found["weights"] = triplets.weights[order].tolist()
    return found
