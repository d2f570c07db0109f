"""The cheapest clusters of given sizes: a transportation problem with few clusters, solved over these alone.

Samples begin in their cheapest clusters, whatever the sizes. Then one sample after the other is passed on, along the
cheapest path of clusters from one that has samples to spare to one that lacks some: an edge from a to b costs what the
sample of a that moves to b most cheaply adds. Heaps keep that sample for every two clusters. These are the successive
shortest paths of a minimum cost flow, whose graph has a node for each cluster, and one that stands for "any cluster
with room". Potentials keep its edges from being negative, so that each path is found by Dijkstra's algorithm in O(k^2).
In all O(n k + moves (k^2 + k log n)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import allocating, inner, njit


class Movers(NamedTuple):
    """For every two clusters a and b a heap of samples of a, the one that moves to b most cheaply on top.

    Samples that have left a stay in the heap until they come to the top.
    """

    heap: np.ndarray  #: int64[...], all heaps
    start: np.ndarray  #: int64[k + 1], where those of each cluster a begin, k of them of one capacity
    used: np.ndarray  #: int64[k, k], how many entries each has
    cheapest: np.ndarray  #: float64[k, k], what the one on top adds, infinite if there is none
    who: np.ndarray  #: int64[k, k], the one on top


@inner
def _sift_down(cost, heap, low, size, place, a, b):
    """Let the entry at a place of a heap sink to where it belongs."""
    i = heap[low + place]
    key = cost[i, b] - cost[i, a]
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        j = heap[low + below]
        least = cost[j, b] - cost[j, a]
        if below + 1 < size:
            other = heap[low + below + 1]
            value = cost[other, b] - cost[other, a]
            if value < least:
                below, j, least = below + 1, other, value
        if key <= least:
            break
        heap[low + place] = j
        place = below
    heap[low + place] = i


@inner
def _find_top(cost, label, movers, a, b):
    """Drop samples that have left a from the top of the heap of a and b, and note what is on top then."""
    heap, start, used, cheapest, who = movers
    low = start[a] + b * ((start[a + 1] - start[a]) // len(used))
    size = used[a, b]
    while size > 0 and label[heap[low]] != a:
        size -= 1
        heap[low] = heap[low + size]
        if size > 1:
            _sift_down(cost, heap, low, size, np.int64(0), a, b)
    used[a, b] = size
    if size == 0:
        cheapest[a, b], who[a, b] = np.inf, -1
    else:
        i = heap[low]
        cheapest[a, b], who[a, b] = cost[i, b] - cost[i, a], i


@inner
def _add(cost, movers, i, a):
    """Put a sample into the heaps of a. False if they are full."""
    heap, start, used, cheapest, who = movers
    k = len(used)
    most = (start[a + 1] - start[a]) // k
    for b in range(k):
        if used[a, b] == most:
            return False
    for b in range(k):
        if b == a:
            continue
        low = start[a] + b * most
        key = cost[i, b] - cost[i, a]
        place = used[a, b]
        used[a, b] += 1
        while place > 0:
            above = (place - 1) // 2
            j = heap[low + above]
            if cost[j, b] - cost[j, a] <= key:
                break
            heap[low + place] = j
            place = above
        heap[low + place] = i
        if key < cheapest[a, b]:
            cheapest[a, b], who[a, b] = key, i
    return True


@allocating
def _make_movers(cost, label, size, least):
    """Heaps of all samples, twice as large as they need be."""
    n, k = cost.shape
    start = np.zeros(k + 1, np.int64)
    for a in range(k):
        start[a + 1] = start[a] + k * (2 * max(size[a], least) + 8)
    movers = Movers(
        np.empty(start[k], np.int64),
        start,
        np.zeros((k, k), np.int64),
        np.full((k, k), np.inf),
        np.full((k, k), -1, np.int64),
    )
    heap, start, used, cheapest, who = movers
    for i in range(n):
        a = np.int64(label[i])
        most = (start[a + 1] - start[a]) // k
        for b in range(k):
            heap[start[a] + b * most + used[a, b]] = i
            used[a, b] += 1
    for a in range(k):
        most = (start[a + 1] - start[a]) // k
        for b in range(k):
            if a != b:
                low = start[a] + b * most
                for place in range(used[a, b] // 2 - 1, -1, -1):
                    _sift_down(cost, heap, low, used[a, b], np.int64(place), np.int64(a), np.int64(b))
                _find_top(cost, label, movers, np.int64(a), np.int64(b))
    return movers


@inner
def _find_path(cheapest, size, bounds, source, potential, distance, before):
    """Dijkstra's algorithm from a node, over clusters and the node k for "any cluster with room".

    From k (a source) to a cluster that lacks samples, which is returned, or from a cluster with too many to k. Then
    potentials are raised so that edges on the path cost nothing, and none is negative.
    """
    k, (least, most) = len(cheapest), bounds
    for v in range(k + 1):
        distance[v], before[v] = np.inf, -1
    distance[source] = 0.0
    done = np.int64(-1)
    for _ in range(k + 1):
        u, near = np.int64(-1), np.inf
        for v in range(k + 1):
            if before[v] < k + 1 and distance[v] < near:
                u, near = np.int64(v), distance[v]
        came = before[u]
        before[u] = came + k + 2  # settled
        if (source == k and u < k and size[u] < least) or (source < k and u == k):
            done = u
            break
        for v in range(k + 1):
            if v == u or before[v] >= k + 1:
                continue
            if u == k:
                length = 0.0 if size[v] > least else np.inf
            elif v == k:
                length = 0.0 if size[u] < most else np.inf
            else:
                length = cheapest[u, v]
            if length < np.inf:
                through = near + max(length + potential[u] - potential[v], 0.0)
                if through < distance[v]:
                    distance[v], before[v] = through, u
    for v in range(k + 1):
        potential[v] += min(distance[v], distance[done])
        if before[v] >= k + 1:
            before[v] -= k + 2
    return done


@njit
def assign_sized(cost, least, most):
    """The cheapest clusters of least and greatest sizes. Of equal ones, it is determined by the order of the samples.

    cost : float64[n, k], read-only, finite
    least, most : int64, with ``k * least <= n <= k * most``
    Returns int32[n].
    """
    n, k = cost.shape
    label = np.empty(n, np.int32)
    size = np.zeros(k, np.int64)
    for i in range(n):
        a = 0
        for b in range(1, k):
            if cost[i, b] < cost[i, a]:
                a = b
        label[i] = a
        size[a] += 1
    movers = _make_movers(cost, label, size, least)
    potential, distance = np.zeros(k + 1), np.empty(k + 1)
    before, path = np.empty(k + 1, np.int64), np.empty(k + 2, np.int64)
    bounds = (least, most)
    while True:
        source, lacks = np.int64(-1), False
        for c in range(k):
            lacks |= size[c] < least
            if size[c] > most:
                source = np.int64(c)
        if lacks:
            source = np.int64(k)
        elif source < 0:
            return label
        u = _find_path(movers.cheapest, size, bounds, source, potential, distance, before)
        length = 0
        while u >= 0:  # backwards, without the node k
            if u < k:
                path[length] = u
                length += 1
            u = before[u]
        full = False
        for at in range(length - 1):
            b, a = path[at], path[at + 1]
            path[at] = movers.who[a, b]  # the samples that move, before any heap changes
            label[path[at]] = b
            size[a] -= 1
            size[b] += 1
        last = path[length - 1]
        for at in range(length - 1):
            i = path[at]
            full |= not _add(cost, movers, i, np.int64(label[i]))
        if full:
            movers = _make_movers(cost, label, size, least)
            continue
        # the clusters of the path have lost the samples that were on top
        for at in range(length - 1):
            b = np.int64(label[path[at]])
            for c in range(k):
                if c != b and movers.who[b, c] >= 0 and label[movers.who[b, c]] != b:
                    _find_top(cost, label, movers, b, np.int64(c))
        for c in range(k):
            if c != last and label[movers.who[last, c]] != last:
                _find_top(cost, label, movers, last, np.int64(c))
