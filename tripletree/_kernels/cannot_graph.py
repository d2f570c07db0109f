"""A graph of nodes that must not be alike: what can be taken off it, greedy assignments, cliques.

    start : int32[m + 1], near : int32[2 e], read-only: the neighbours of v are near[start[v]:start[v + 1]]
    cost : float64[m, k], read-only: of node v in cluster c

Oracle: every assignment, in turn.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import njit

__all__ = ["fold", "greedy", "large_clique", "peel", "unfold"]


@njit
def peel(start, near, least):
    """Nodes with fewer than `least` neighbours, taken away again and again, int32[count] in that order.

    Also, for each, the lowest neighbour that was left (-1 for none), int32[count].
    """
    m = len(start) - 1
    degree = np.empty(m, np.int32)
    order, parent = np.empty(m, np.int32), np.full(m, -1, np.int32)
    gone = np.zeros(m, np.bool_)
    count = 0
    for v in range(m):
        degree[v] = start[v + 1] - start[v]
        if degree[v] < least:
            order[count] = v
            gone[v] = True
            count += 1
    done = 0
    taken = np.zeros(m, np.bool_)  # its turn has come
    while done < count:
        v = order[done]
        taken[v] = True
        for e in range(start[v], start[v + 1]):
            w = near[e]
            if taken[w]:
                continue
            if parent[done] < 0 or w < parent[done]:
                parent[done] = w
            degree[w] -= 1
            if degree[w] < least and not gone[w]:
                order[count] = w
                gone[w] = True
                count += 1
        done += 1
    return order[:count].copy(), parent[:count].copy()


@njit
def fold(cost, order, parent):
    """Costs in which each node of the order, from `peel` with least 2, is paid for by its parent: float64[m, k].

    Also the two cheapest clusters of those nodes, int32[2, count].
    """
    k = cost.shape[1]
    out = cost.copy()
    two = np.empty((2, len(order)), np.int32)
    for i in range(len(order)):
        v = order[i]
        first, second = -1, -1
        for c in range(k):
            if first < 0 or out[v, c] < out[v, first]:
                second = first
                first = c
            elif second < 0 or out[v, c] < out[v, second]:
                second = c
        two[0, i], two[1, i] = first, second
        up = parent[i]
        if up >= 0:
            for c in range(k):
                out[up, c] += out[v, second] if c == first else out[v, first]
    return out, two


@njit
def unfold(label, order, parent, two):
    """The labels with those of the folded nodes filled in, int32[m]."""
    out = label.copy()
    for i in range(len(order) - 1, -1, -1):
        clash = parent[i] >= 0 and out[parent[i]] == two[0, i]
        out[order[i]] = two[1, i] if clash else two[0, i]
    return out


@njit
def greedy(start, near, cost, order, label):
    """Label the nodes of the order, each with its cheapest cluster that no neighbour has: int32[m].

    Also the first node for which there is none (-1 where all went well); it and others like it are passed over. Nodes
    with a label >= 0 keep it.
    """
    k = cost.shape[1]
    out, failed = label.copy(), -1
    barred = np.full(k, -1, np.int32)
    for i in range(len(order)):
        v = order[i]
        for e in range(start[v], start[v + 1]):
            if out[near[e]] >= 0:
                barred[out[near[e]]] = v
        best = -1
        for c in range(k):
            if barred[c] != v and (best < 0 or cost[v, c] < cost[v, best]):
                best = c
        if best >= 0:
            out[v] = best
        elif failed < 0:
            failed = v
    return out, failed


@njit
def large_clique(start, near, size, work):
    """Nodes that are all neighbours of each other, up to `size` of them: int32[count].

    The most that were found by going from each node on to those with the most neighbours; no node is begun with after
    `work` neighbours were looked at.
    """
    m = len(start) - 1
    most, clique = np.empty(0, np.int32), np.empty(max(size, 1), np.int32)
    known = np.zeros(m, np.int32)  # how many of the clique are neighbours
    looks = 0
    for seed in range(m):
        if looks > work:
            break
        count = 0
        v = seed
        while v >= 0:
            clique[count] = v
            count += 1
            if count == size:
                break
            for e in range(start[v], start[v + 1]):
                known[near[e]] += 1
            looks += start[v + 1] - start[v] + start[seed + 1] - start[seed]
            v = -1
            for e in range(start[seed], start[seed + 1]):
                w = near[e]
                if known[w] == count and (v < 0 or start[w + 1] - start[w] > start[v + 1] - start[v]):
                    v = w
        if count > len(most):
            most = clique[:count].copy()
            if count == size:
                break
        for i in range(count):
            for e in range(start[clique[i]], start[clique[i] + 1]):
                known[near[e]] = 0
    return most
