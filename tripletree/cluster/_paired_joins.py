"""Fewer clusters than a hierarchy with cannot-links can be cut into: groups of the small ones join others one by one.

Merging ends where every two clusters hold the ends of a cannot-link, often with a small cluster or two more than are
wanted, of which most samples could as well be elsewhere. So the `k` largest clusters stay, and the groups of the others
go to the nearest of these that no cannot-link forbids, those with the least choice first, with backtracking. Where that
fails, all groups that cannot-links connect with them may move. To decide whether k clusters can keep all pairs is graph
colouring, NP-complete: the search is exhaustive, but for a limit of steps.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from tripletree.pairs import PairClosure

__all__ = ["fewer_clusters"]

_LIMIT = 20_000  # steps in each connected part of the cannot-links


def fewer_clusters(label: np.ndarray, k: int, closure: PairClosure, points: np.ndarray | None) -> np.ndarray | None:
    """Labels of groups in k clusters that keep all pairs, None where none are found.

    Parameters
    ----------
    label : ndarray of int, shape (closure.n_components,)
        Of each group, in more than k clusters that keep all pairs.
    k : int
    closure : PairClosure
    points : ndarray of float64, shape (n, d), optional
        The samples, for means that say which cluster is near; without them larger clusters come first.
    """
    size = np.bincount(label, closure.sizes)
    kept = np.argsort(-size, kind="stable")[:k]
    place = np.full(size.size, -1)
    place[kept] = np.arange(k)
    own = place[label]
    cost = _costs(label, kept, closure, points)
    stays = own >= 0
    cost[stays, own[stays]] = -1.0
    out = np.where(stays, own, cost.argmin(axis=1))
    near: dict[int, list[int]] = {int(u): [] for u in np.unique(closure.cannot)}
    for u, v in closure.cannot.tolist():
        near[u].append(v)
        near[v].append(u)
    for part in _parts(near):
        moving = [u for u in part if own[u] < 0]
        if moving:
            found = _assigned(moving, near, cost, {u: int(own[u]) for u in part if own[u] >= 0})
            found = _assigned(part, near, cost, {}) if found is None else found
            if found is None:
                return None
            out[list(found)] = list(found.values())
    if np.unique(out).size < k:
        return None
    _, first, which = np.unique(out, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which]


def _costs(label: np.ndarray, kept: np.ndarray, closure: PairClosure, points: np.ndarray | None) -> np.ndarray:
    """What it costs each group to be in each cluster: the squared distance of the means, or the rank by size."""
    if points is None:
        return np.tile(np.arange(kept.size, dtype=np.float64), (label.size, 1))
    sums = np.add.reduceat(points[closure.order], np.cumsum(closure.sizes) - closure.sizes, axis=0)
    centres = np.stack([sums[label == c].sum(axis=0) / closure.sizes[label == c].sum() for c in kept.tolist()])
    means = sums / closure.sizes[:, None]
    return np.stack([np.square(means - x).sum(axis=1) for x in centres], axis=1)


def _parts(near: dict[int, list[int]]) -> list[list[int]]:
    """The connected parts of a graph."""
    parts, seen = [], set()
    for root in near:
        if root in seen:
            continue
        seen.add(root)
        part = [root]
        for u in part:
            for v in near[u]:
                if v not in seen:
                    seen.add(v)
                    part.append(v)
        parts.append(part)
    return parts


def _assigned(
    nodes: list[int], near: dict[int, list[int]], cost: np.ndarray, fixed: dict[int, int]
) -> dict[int, int] | None:
    """A cluster for each node, other than those of its neighbours; the one with the fewest open ones is next."""
    k = cost.shape[1]
    barred = {u: [0] * k for u in nodes}
    for u in nodes:
        for v in near[u]:
            if v in fixed:
                barred[u][fixed[v]] += 1
    ways = {u: np.argsort(cost[u], kind="stable").tolist() for u in nodes}
    chosen: dict[int, int] = {}
    heap = [(barred[u].count(0), -len(near[u]), u) for u in nodes]
    heapify(heap)
    stack: list[tuple[int, list[int]]] = []
    steps = 0

    def mark(u: int, by: int) -> None:
        for v in near[u]:
            if v in barred:
                barred[v][chosen[u]] += by
                if v not in chosen:
                    heappush(heap, (barred[v].count(0), -len(near[v]), v))

    while len(chosen) < len(nodes):
        choices, _, u = heappop(heap)
        if u in chosen or choices != barred[u].count(0):
            continue  # out of date
        stack.append((u, [c for c in reversed(ways[u]) if barred[u][c] == 0]))
        while stack and not stack[-1][1]:
            heappush(heap, (barred[stack[-1][0]].count(0), -len(near[stack[-1][0]]), stack[-1][0]))
            stack.pop()
            if stack:
                u = stack[-1][0]
                mark(u, -1)
                del chosen[u]
        steps += 1
        if not stack or steps > _LIMIT + 2 * len(nodes):
            return None
        u = stack[-1][0]
        chosen[u] = stack[-1][1].pop()
        mark(u, 1)
    return chosen
