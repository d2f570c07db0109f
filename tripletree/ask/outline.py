"""The top of a hierarchy down to its clusters, small enough to stand beside a question."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from tripletree.core.hierarchy import Hierarchy

MAX_ROWS = 40


def order_clusters(labels: np.ndarray, named: np.ndarray) -> np.ndarray:
    """Number clusters from 0 by the first of their samples that was in a question, then by their first sample.

    So a cluster keeps its number and its colour while answers come in, and undoing an answer restores the old ones.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Cluster of each sample.
    named : ndarray of int
        Samples in the order in which questions showed them, with repeats.

    Returns
    -------
    ndarray of int64, shape (n,)
        The same clusters, numbered anew.
    """
    _, codes = np.unique(labels, return_inverse=True)
    sequence = np.concatenate([codes[named], codes])
    _, first = np.unique(sequence, return_index=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return rank[codes]


def representatives(rows: np.ndarray, values: np.ndarray | None, count: int = 3) -> list[int]:
    """Choose samples that stand for a group: the nearest to the mean, and some on the way to the farthest."""
    if rows.size > count and values is not None:
        part = values[rows]
        distance = np.square(part - part.mean(axis=0)).sum(axis=1)
        rows = rows[np.argsort(distance, kind="stable")]
        rows = rows[np.arange(count) * rows.size // count]
    return rows[:count].tolist()


def make_outline(
    hierarchy: Hierarchy, clusters: np.ndarray, values: np.ndarray | None, support: np.ndarray | None = None
) -> dict[str, Any]:
    """Return the largest nodes of a hierarchy, opened until each row holds one cluster or there are 40 rows.

    Parameters
    ----------
    hierarchy : Hierarchy
        Over n leaves.
    clusters : ndarray of int64, shape (n,)
        Cluster of each leaf.
    values : ndarray of float64, shape (n, d), optional
        Measurements of each leaf, to choose representatives.
    support : ndarray of float64, shape (n_inner,), optional
        The support of each inner node. It is shown with the nodes but the root.

    Returns
    -------
    dict
        ``nodes`` has the parent (an earlier position, -1 for the root) and the row (or None) of each node, depth first,
        and perhaps the support.
        ``rows`` has the clusters in each row with their numbers of leaves, the largest first, and representatives.
    """
    start, stop, order = hierarchy.leaf_intervals
    sequence = clusters[order]
    changes = np.concatenate([[0], np.cumsum(sequence[1:] != sequence[:-1])])
    pure = changes[stop - 1] == changes[start]

    def leaves(group: list[int]) -> np.ndarray:
        return np.sort(np.concatenate([order[start[u] : stop[u]] for u in group]))

    opened = _open_largest(hierarchy, pure, sequence)
    nodes: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    stack = [(-1, [_branching(hierarchy, hierarchy.root)])]
    while stack:
        parent, group = stack.pop()
        at, children = len(nodes), opened.get(group[0]) if len(group) == 1 else None
        nodes.append({"parent": parent, "row": None})
        if support is not None and parent >= 0 and len(group) == 1 and group[0] >= hierarchy.n_leaves:
            sure = float(support[group[0] - hierarchy.n_leaves])
            nodes[at]["support"] = None if np.isnan(sure) else sure
        if children is not None:
            first = {x[0]: int(min(order[start[u] : stop[u]].min() for u in x)) for x in children}
            stack.extend((at, x) for x in sorted(children, key=lambda x: -first[x[0]]))
            continue
        below = leaves(group)
        found, counts = np.unique(clusters[below], return_counts=True)
        by_size = np.argsort(-counts, kind="stable")
        nodes[at]["row"] = len(rows)
        rows.append(
            {
                "size": int(below.size),
                "clusters": [[int(found[k]), int(counts[k])] for k in by_size[:8]],
                "more": max(found.size - 8, 0),
                "items": representatives(below, values),
            }
        )
    return {"nodes": nodes, "rows": rows}


def _branching(hierarchy: Hierarchy, node: int) -> int:
    """The first node at or below this one that is a leaf or has several children."""
    while hierarchy.n_children[node] == 1:
        node = int(hierarchy.children(node)[0])
    return node


def _open_largest(hierarchy: Hierarchy, pure: np.ndarray, sequence: np.ndarray) -> dict[int, list[list[int]]]:
    """Return the nodes whose children are shown, with the children. Children within one cluster are one group."""
    start, stop, _ = hierarchy.leaf_intervals
    root = _branching(hierarchy, hierarchy.root)
    opened: dict[int, list[list[int]]] = {}
    count, heap = 1, [] if pure[root] else [(-hierarchy.n_leaves, root)]
    while heap:
        _, u = heapq.heappop(heap)
        groups: dict[int, list[int]] = {}
        for v in hierarchy.children(u).tolist():
            v = _branching(hierarchy, v)
            groups.setdefault(int(sequence[start[v]]) if pure[v] else -1 - v, []).append(v)
        if count + len(groups) - 1 > MAX_ROWS:
            continue
        opened[u] = list(groups.values())
        count += len(groups) - 1
        for v, *others in groups.values():
            if not others and not pure[v]:
                heapq.heappush(heap, (int(start[v] - stop[v]), v))
    return opened
