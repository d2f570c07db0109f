"""Walks over a rooted graph in which nodes have several parents.

Lists of neighbours are concatenated: the list of u is value[start[u]:start[u + 1]]. Each kernel but `dominators` is
linear in the number of nodes and edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import Integers, inlined, inner, njit


@njit
def top_down(up_start, down_start, down):
    """Order the nodes so that parents stand before children, and measure the longest path to each.

    up_start, down_start : int32[N + 1]
    down : int32[p], the children of u are down[down_start[u]:down_start[u + 1]]
    Returns order : int32[k] (k == N unless there is a cycle), level : int32[N].
    """
    N = up_start.shape[0] - 1
    waiting = np.empty(N, np.int32)
    level = np.zeros(N, np.int32)
    order = np.empty(N, np.int32)
    k = 0
    for u in range(N):
        waiting[u] = up_start[u + 1] - up_start[u]
        if waiting[u] == 0:
            order[k] = u
            k += 1
    head = 0
    while head < k:
        u = order[head]
        head += 1
        for i in range(down_start[u], down_start[u + 1]):
            v = down[i]
            level[v] = max(level[v], level[u] + 1)
            waiting[v] -= 1
            if waiting[v] == 0:
                order[k] = v
                k += 1
    return order[:k], level


@njit
def reached(start, value, sources):
    """Which nodes can be reached from some nodes along lists of neighbours, the nodes themselves included.

    start : int32[N + 1]
    value : int32[p], the neighbours of u are value[start[u]:start[u + 1]]
    sources : int32[k]
    Returns mark : bool[N].
    """
    N = start.shape[0] - 1
    mark = np.zeros(N, np.bool_)
    stack = np.empty(N, np.int32)
    top = 0
    for i in range(sources.shape[0]):
        if not mark[sources[i]]:
            mark[sources[i]] = True
            stack[top] = sources[i]
            top += 1
    while top > 0:
        top -= 1
        u = stack[top]
        for i in range(start[u], start[u + 1]):
            v = value[i]
            if not mark[v]:
                mark[v] = True
                stack[top] = v
                top += 1
    return mark


@njit
def best_parent(start, up, score):
    """The parent of greatest score of each node, the first one of a tie, -1 if there is none.

    start : int32[N + 1]
    up : int32[p]
    score : int64[N]
    Returns best : int32[N].
    """
    N = start.shape[0] - 1
    best = np.full(N, -1, np.int32)
    for u in range(N):
        for i in range(start[u], start[u + 1]):
            if best[u] < 0 or score[up[i]] > score[best[u]]:
                best[u] = up[i]
    return best


@inner
def _meeting(p, q, idom, jump, depth):
    """The lowest common dominator of two nodes, in O(log N): `jump` leads to far dominators at equal depths."""
    while depth[p] > depth[q]:
        p = jump[p] if depth[jump[p]] >= depth[q] else idom[p]
    while depth[q] > depth[p]:
        q = jump[q] if depth[jump[q]] >= depth[p] else idom[q]
    while p != q:
        if jump[p] != jump[q]:
            p, q = jump[p], jump[q]
        else:
            p, q = idom[p], idom[q]
    return p


@njit
def dominators(start, up, N):
    """The immediate dominator of each node: where its parents meet in the tree of those above. O(p log N).

    Node d dominates u when every path from the root to u passes d. The nearest such d other than u is idom[u].

    start : int32[t + 1]
    up : int32[p], the parents of u are up[start[u]:start[u + 1]], all greater than u
    N : number of nodes, t, or t + 1 where the last one stands above all nodes without parents
    Returns idom : int32[N], -1 at the root N - 1. Oracle: ``dominators_definition``.
    """
    idom = np.full(N, -1, np.int32)
    jump = np.full(N, N - 1, np.int32)
    depth = np.zeros(N, np.int32)
    for u in range(N - 2, -1, -1):
        p = np.int32(N - 1)
        if start[u] < start[u + 1]:
            p = up[start[u]]
            for i in range(start[u] + 1, start[u + 1]):
                p = _meeting(p, up[i], idom, jump, depth)
        idom[u] = p
        depth[u] = depth[p] + 1
        far = jump[p]
        # two jumps of one length are joined to one (skew binary numbers)
        jump[u] = jump[far] if depth[p] - depth[far] == depth[far] - depth[jump[far]] else p
    return idom


# ----------------------------------------------------------------------
# The leaves that a node of a rooted graph reaches, in terms of its dominator tree.
#
# Nodes are numbered children first, the root is last. Node d *dominates* u when every path from the root to u passes d.
# ``idom`` is the tree of nearest dominators, a parent array like any other (`rooted_tree`). Node d reaches the nodes
# that d dominates, and the nodes dominated by some other nodes whose dominators are above d: a union of disjoint
# clades. From `covered` on, nodes belong to the hierarchy that dominators make of the leaves, leaves 0..n-1 first.


class Reach(NamedTuple):
    """The reach of each inner node: a list of nodes whose clades are disjoint, from left to right."""

    start: Integers  #: [N - n + 1], where the list of each inner node begins
    node: np.ndarray  #: int32[s]
    before: np.ndarray  #: int32[s], leaves in the clades listed before in the same list
    left: np.ndarray  #: int32[N], position of the first leaf below a node
    right: np.ndarray  #: int32[N], one past the last


@njit
def held(parent, number):
    """The rest of each node when only some nodes are kept: its own number, or the number of the only one left below it.

    parent : int32[N]
    number : int32[N], -1 for nodes not kept, which have at most one child with a kept node below
    Returns held : int32[N], -1 if nothing is left.
    """
    N = parent.shape[0]
    out = np.full(N, -1, np.int32)
    for u in range(N):
        if number[u] >= 0:
            out[u] = number[u]
        p = parent[u]
        if p >= 0 and number[p] < 0 and out[u] >= 0:
            out[p] = out[u]
    return out


@njit
def frontier_starts(start, up, idom, most):
    """Count the dominance frontier of each node u: nodes with a parent dominated by u, which u does not dominate.

    start : int32[t + 1]
    up : int32[p]
    idom : int32[N]
    most : int, when to give up
    Returns first : int64[N + 1], sums of the sizes, empty when they exceed `most`.
    """
    N = idom.shape[0]
    first = np.zeros(N + 1, np.int64)
    mark = np.full(N, -1, np.int32)
    total = 0
    for x in range(start.shape[0] - 1):
        if start[x + 1] - start[x] < 2:
            continue  # its only parent dominates it
        for i in range(start[x], start[x + 1]):
            u = up[i]
            while u != idom[x] and mark[u] != x:  # above a marked node all are marked
                mark[u] = x
                first[u + 1] += 1
                total += 1
                u = idom[u]
            if total > most:
                return first[:0]
    for u in range(N):
        first[u + 1] += first[u]
    return first


@njit
def frontiers(start, up, idom, first):
    """The dominance frontiers, as one concatenated list. See `frontier_starts`.

    start : int32[t + 1]
    up : int32[p]
    idom : int32[N]
    first : int64[N + 1]
    Returns frontier : int32[first[N]]. Oracle: ``frontiers_definition``.
    """
    N = idom.shape[0]
    cursor = first[:-1].copy()
    mark = np.full(N, -1, np.int32)
    frontier = np.empty(first[N], np.int32)
    for x in range(start.shape[0] - 1):
        if start[x + 1] - start[x] < 2:
            continue
        for i in range(start[x], start[x + 1]):
            u = up[i]
            while u != idom[x] and mark[u] != x:
                mark[u] = x
                frontier[cursor[u]] = x
                cursor[u] += 1
                u = idom[u]
    return frontier


@njit
def closures(nodes, first, frontier, most):
    """For each node d the topmost nodes x below d that d does not dominate: d reaches all that d and they dominate.

    They are the frontier of d, the frontiers of the nodes in it, and so on. The dominator of each is above d: it
    dominates a node of which x is in the frontier, and is not below that. So none of them dominates another.

    nodes : int32[k]
    first : int64[N + 1], frontier : int32[f], from `frontiers`
    most : int, when to give up
    Returns start : int64[k + 1], x : int32[start[k]]. Both empty when there are more than `most`.
    """
    N = first.shape[0] - 1
    K = nodes.shape[0]
    start = np.zeros(K + 1, np.int64)
    out = np.empty(max(K, 16), np.int32)
    mark = np.full(N, -1, np.int32)
    size = 0
    for k in range(K):
        head = size  # the nodes found are the queue of nodes to be followed
        x = nodes[k]
        while True:
            for i in range(first[x], first[x + 1]):
                w = frontier[i]
                if mark[w] != k:
                    mark[w] = k
                    if size == out.shape[0]:
                        more = np.empty(2 * size, np.int32)
                        for j in range(size):
                            more[j] = out[j]
                        out = more
                    out[size] = w
                    size += 1
            if head == size:
                break
            x = out[head]
            head += 1
        start[k + 1] = size
        if size > most:
            return start[:0], out[:0]
    return start, out[:size]


@inlined
def _is_covered(d, at, reach):
    """Whether inner node number d (from 0) reaches the leaf at a position."""
    left, node = reach.left, reach.node
    # the last of its clades that begins at the position or before is the only one that can hold it
    low, high = reach.start[d], reach.start[d + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if left[node[middle]] <= at:
            low = middle
        else:
            high = middle
    return left[node[low]] <= at and at < reach.right[node[low]]


@njit
def covered(d, at, reach, n):
    """Whether each leaf can be reached from each inner node.

    d : int32[m], inner nodes
    at : int32[m], positions of leaves
    reach : Reach
    n : number of leaves
    Returns below : bool[m].
    """
    m = d.shape[0]
    below = np.empty(m, np.bool_)
    for t in range(m):
        below[t] = _is_covered(d[t] - n, at[t], reach)
    return below


@njit
def nth_outside(d, k, reach, n):
    """The position of the k-th leaf (from 0) that cannot be reached from d.

    d : int32[m], inner nodes
    k : int64[m]
    reach : Reach
    n : number of leaves
    Returns at : int32[m].
    """
    node, before, left = reach.node, reach.before, reach.left
    m = d.shape[0]
    at = np.empty(m, np.int32)
    for t in range(m):
        # the last clade with at most k leaves outside before it, none, if the k-th is in front of all
        low, high = reach.start[d[t] - n] - 1, reach.start[d[t] - n + 1]
        least = low
        while high - low > 1:
            middle = (low + high) // 2
            if left[node[middle]] - before[middle] <= k[t]:
                low = middle
            else:
                high = middle
        at[t] = k[t]
        if low > least:
            at[t] += before[low] + reach.right[node[low]] - left[node[low]]
    return at


@njit
def enclosing(parent, reach, n):
    """The nearest ancestor w of each inner node d that has a leaf which d does not reach.

    parent : int32[N]
    reach : Reach
    n : number of leaves
    Returns w : int32[N - n] (-1 where d reaches all leaves), inside : int64[N - n], how many children of w are reached
    from d, the one that d stands below included.
    """
    start, node, left, right = reach.start, reach.node, reach.left, reach.right
    K = parent.shape[0] - n
    w = np.full(K, -1, np.int32)
    inside = np.zeros(K, np.int64)
    for k in range(K):
        d = k + n
        low = start[k]
        while node[low] != d:
            low += 1
        high = low + 1
        size = right[d] - left[d]
        u = parent[d]
        while u >= 0:
            # the interval of u holds a run of d's list, around d itself
            while low > start[k] and left[node[low - 1]] >= left[u]:
                low -= 1
                size += right[node[low]] - left[node[low]]
            while high < start[k + 1] and right[node[high]] <= right[u]:
                size += right[node[high]] - left[node[high]]
                high += 1
            if size < right[u] - left[u]:
                w[k] = u
                inside[k] = 1
                for i in range(low, high):
                    inside[k] += node[i] != d and parent[node[i]] == u
                break
            u = parent[u]
    return w, inside


@inlined
def _add_stand_ins(stack, d, child_start, child, reach, out):
    """Write leaves for the clade stack[0] to `out`: one where it does not reach d, else one for each part.

    Returns their number. As many as there is room for are written.
    """
    left = reach.left
    n = len(left) - len(reach.start) + 1
    size, top = 0, 1
    while top > 0:
        top -= 1
        x = stack[top]
        if x < n or not _is_covered(x - n, left[d], reach):
            if size < out.shape[0]:
                out[size] = left[x]
            size += 1
        else:
            for i in range(child_start[x], child_start[x + 1]):
                stack[top] = child[i]
                top += 1
    return size


@njit
def thirds(w, child_start, child, reach, order, most):
    """For each inner node d, leaves c that make certain triplets ab|c with any leaves a, b that meet in d.

    They are enough for the other triplets to follow. They come from the children of w that d does not reach, and from
    the nodes that w reaches elsewhere and d does not.

    w : int32[N - n], from `enclosing`
    child_start : int32[N + 1], child : int32[N - 1], `child_lists`
    reach : Reach
    order : int32[n], leaf at each position
    most : int, when to give up
    Returns first : int64[N - n + 1], third : int32[first[N - n]], leaves. The latter empty when there are more than
    `most`.
    """
    node, left = reach.node, reach.left
    n = order.shape[0]
    K = w.shape[0]
    first = np.zeros(K + 1, np.int64)
    stack = np.empty(n + K, np.int32)
    third = np.empty(0, np.int32)
    for _ in range(2):  # count, then write
        size = 0
        for k in range(K):
            u = w[k]
            if u >= 0:
                for i in range(child_start[u], child_start[u + 1]):
                    x = child[i]
                    if not _is_covered(k, left[x], reach):
                        stack[0] = x
                        size += _add_stand_ins(stack, k + n, child_start, child, reach, third[size:])
                for j in range(reach.start[u - n], reach.start[u - n + 1]):
                    x = node[j]
                    if x != u and not _is_covered(k, left[x], reach):
                        stack[0] = x
                        size += _add_stand_ins(stack, k + n, child_start, child, reach, third[size:])
            first[k + 1] = size
        if size > most:
            break
        if third.shape[0] == 0:
            third = np.empty(size, np.int32)
    for i in range(third.shape[0]):
        third[i] = order[third[i]]
    return first, third
