"""Splits of leaves by the triplets inside them: components, two sides that few triplets lose by, one leaf at a time.

A split in two displays ab|c when a and b are on one side and c is on the other, and loses it when a and b are parted.
With a weight of w/2 on the pairs ac and bc and of -w/2 - penalty * w on ab, what is displayed less `penalty` times what
is lost is the sum over all pairs that the split parts: a cut in a graph with positive and negative weights.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.heaps import heapify, pop, renew
from tripletree.kernels.jit import allocating, inner, njit

__all__ = [
    "best_split",
    "bisect",
    "components",
    "cut_graph",
    "peel",
    "regraft",
]


@njit
def components(rows, k):
    """Number the components of the leaves 0..k-1 under an edge ab for each triplet ab|c, by their smallest leaf.

    rows : int32[m, 3]; k : number of leaves
    Returns label : int32[k], number of components : int.
    """
    up = np.arange(k).astype(np.int32)
    parts = k
    for t in range(rows.shape[0]):
        if unite(up, rows[t, 0], rows[t, 1]):
            parts -= 1
            if parts == 1:
                break
    label = np.zeros(k, np.int32)
    if parts > 1:
        parts = 0
        for x in range(k):
            if find(up, x) == x:
                label[x] = parts
                parts += 1
            else:
                label[x] = label[up[x]]  # the root is the smallest of its set, and comes first
    return label, parts


@allocating
def cut_graph(rows, weight, k, penalty):
    """The graph of cuts, see above: each leaf's neighbours, once each, and the weights of these pairs.

    Returns start, stop : int64[k], other : int32[6 m], edge : float64[6 m]; those of x are at start[x]..stop[x]-1.
    """
    m = rows.shape[0]
    start, stop = np.zeros(k + 1, np.int64), np.empty(k, np.int64)
    for t in range(m):
        for i in range(3):
            start[rows[t, i] + 1] += 2
    for x in range(k):
        start[x + 1] += start[x]
        stop[x] = start[x]
    other, edge = np.empty(6 * m, np.int32), np.empty(6 * m, np.float64)
    for t in range(m):
        for i in range(3):
            for j in range(3):
                if i != j:
                    x = rows[t, i]
                    other[stop[x]] = rows[t, j]
                    edge[stop[x]] = (0.5 if i == 2 or j == 2 else -0.5 - penalty) * weight[t]
                    stop[x] += 1
    at = np.full(k, -1, np.int64)
    for x in range(k):
        end = start[x]
        for e in range(start[x], stop[x]):
            y = other[e]
            if at[y] < start[x]:
                at[y] = end
                other[end], edge[end] = y, edge[e]
                end += 1
            else:
                edge[at[y]] += edge[e]
        stop[x] = end
    return start, stop, other, edge


@inner
def _gains(side, start, stop, other, edge, gain):
    """What the cut gains when each leaf changes sides; returns the weight of the cut."""
    twice = 0.0
    for x in range(side.shape[0]):
        gain[x] = 0.0
        for e in range(start[x], stop[x]):
            if side[other[e]] == side[x]:
                gain[x] += edge[e]
            else:
                gain[x] -= edge[e]
                twice += edge[e]
    return 0.5 * twice


@inner
def _one_pass(side, start, stop, other, edge, gain, heap, place, moved, patience):
    """Each leaf changes sides at most once, the one that gains most first; back to the best cut that was met.

    Returns what has been gained, and the steps taken.
    """
    k = side.shape[0]
    heapify(heap, place, gain)
    ones = 0
    for x in range(k):
        ones += side[x]
    gained, best, kept, steps = 0.0, 0.0, 0, k
    for i in range(k):
        x = pop(heap, k - i, place, gain)
        gained += gain[x]
        side[x] = 1 - side[x]
        ones += 2 * side[x] - 1
        moved[i] = x
        for e in range(start[x], stop[x]):
            y = other[e]
            if place[y] >= 0:
                gain[y] += 2.0 * edge[e] if side[y] == side[x] else -2.0 * edge[e]
                renew(heap, k - i - 1, place, gain, y)
        steps += stop[x] - start[x]
        if 0 < ones < k and gained > best:
            best, kept = gained, i + 1
        if i + 1 - kept >= patience or i + 1 == k:
            for j in range(i, kept - 1, -1):
                side[moved[j]] = 1 - side[moved[j]]
            break
    return best, steps


@njit
def bisect(rows, weight, k, penalty, starts, most_passes):
    """Split the leaves 0..k-1 in two: passes of Fiduccia and Mattheyses from several starts, the best of them.

    Time O((k + m) log k) a pass, memory O(k + m).

    rows : int32[m, 3]; weight : float64[m]; k : number of leaves, at least 2; penalty : float, see above;
    starts : int32[s, k], 0 or 1 for each leaf; most_passes : int, from each start
    Returns side : int32[k], 0 or 1, both occur; steps : int.
    """
    start, stop, other, edge = cut_graph(rows, weight, k, penalty)
    gain, moved = np.empty(k, np.float64), np.empty(k, np.int32)
    heap, place = np.empty(k, np.int32), np.empty(k, np.int32)
    side, best_side = np.empty(k, np.int32), np.empty(k, np.int32)
    best, steps = -np.inf, 6 * rows.shape[0]
    slack = 0.0
    for t in range(rows.shape[0]):
        slack += weight[t]
    slack *= 1e-12
    for s in range(starts.shape[0]):
        ones = 0
        for x in range(k):
            side[x] = starts[s, x]
            ones += side[x]
        if ones == 0 or ones == k:
            side[0] = 1 - side[0]
        for _ in range(most_passes):
            _gains(side, start, stop, other, edge, gain)
            gained, taken = _one_pass(side, start, stop, other, edge, gain, heap, place, moved, 50 + k // 4)
            steps += taken
            if gained <= slack:
                break
        cut = _gains(side, start, stop, other, edge, gain)
        if cut > best:
            best = cut
            for x in range(k):
                best_side[x] = side[x]
    return best_side, steps


@njit
def peel(rows, weight, k):
    """Split the leaves 0..k-1 off one by one; the ladder displays at least a third of the weight.

    Each time the leaf goes for which what becomes displayed (it is the c of ab|c), less a third of the weight of all
    its triplets at hand, is greatest: it is at least 0, as the sum of this over all leaves is 0. Time
    O((k + m) log k), memory O(k + m).

    rows : int32[m, 3]; weight : float64[m]; k : number of leaves
    Returns order : int32[k], the leaf next to the root first.
    """
    m = rows.shape[0]
    start = np.zeros(k + 1, np.int64)
    key = np.zeros(k, np.float64)
    for t in range(m):
        for i in range(3):
            start[rows[t, i] + 1] += 1
            key[rows[t, i]] += (2.0 if i == 2 else -1.0) * weight[t]
    for x in range(k):
        start[x + 1] += start[x]
    stop, of = start[:-1].copy(), np.empty(3 * m, np.int64)
    for t in range(m):
        for i in range(3):
            of[stop[rows[t, i]]] = t
            stop[rows[t, i]] += 1
    alive = np.ones(m, np.bool_)
    heap, place, order = np.empty(k, np.int32), np.empty(k, np.int32), np.empty(k, np.int32)
    heapify(heap, place, key)
    for i in range(k):
        x = pop(heap, k - i, place, key)
        order[i] = x
        for e in range(start[x], start[x + 1]):
            t = of[e]
            if alive[t]:
                alive[t] = False
                for j in range(3):
                    y = rows[t, j]
                    if y != x:
                        key[y] -= (2.0 if j == 2 else -1.0) * weight[t]
                        renew(heap, k - i - 1, place, key, y)
    return order


# ----------------------------------------------------------------------
# The best hierarchy of a few leaves, by dynamic programming over their subsets.
#
# A first split (X, Y) of leaves S displays ab|c when a and b are on one side and c is on the other. With a weight of
# w/2 on the pairs ac and bc and of -w/2 on ab, that is w times the sum over the pairs that the split parts: what a
# split displays is the weight of a cut. The subsets X of a set S are gone through by Gray code, one leaf changing
# sides at each step.


@inner
def _pair_weights(rows, weight, group, edge):
    """Fill in the weights of the pairs of leaves in the set of bits `group`; 0 elsewhere."""
    k = edge.shape[0]
    for i in range(k):
        for j in range(k):
            edge[i, j] = 0.0
    for t in range(rows.shape[0]):
        a, b, c = rows[t, 0], rows[t, 1], rows[t, 2]
        bits = (1 << a) | (1 << b) | (1 << c)
        if group & bits == bits:
            half = 0.5 * weight[t]
            edge[a, b] -= half
            edge[b, a] -= half
            edge[a, c] += half
            edge[c, a] += half
            edge[b, c] += half
            edge[c, b] += half


@inner
def _best_of(group, edge, best, member, gain):
    """The greatest weight for the leaves in `group`, and the side of the split without its last leaf."""
    k = edge.shape[0]
    size = 0
    for i in range(k):
        if group >> i & 1:
            member[size] = i
            size += 1
    # gain[i]: what the cut gains when member i changes sides; all are on one side to begin with
    for i in range(size):
        gain[i] = 0.0
        for j in range(size):
            gain[i] += edge[member[i], member[j]]
    top, chosen, side, cut = -1.0, 0, 0, 0.0
    for step in range(1, 1 << (size - 1)):
        i = 0
        while not step >> i & 1:
            i += 1
        x = member[i]
        side ^= 1 << x
        cut += gain[i]
        gain[i] = -gain[i]
        here = side >> x & 1
        for j in range(size):
            if j != i:
                y = member[j]
                if side >> y & 1 == here:
                    gain[j] += 2.0 * edge[x, y]
                else:
                    gain[j] -= 2.0 * edge[x, y]
        total = best[side] + best[group ^ side] + cut
        if total > top:
            top, chosen = total, side
    return top, chosen


@njit
def best_split(rows, weight, k):
    """The first split of a hierarchy that displays the greatest weight.

    Time O(3**k k + 2**k m), memory O(2**k).

    rows : int32[m, 3], triplets over the leaves 0..k-1; weight : float64[m]; k : number of leaves, at least 2
    Returns side : int32[k], 0 or 1 for each leaf. Oracle: enumeration in ``tests/laws/test_repair_laws.py``.
    """
    best = np.zeros(1 << k, np.float64)
    edge = np.empty((k, k), np.float64)
    member = np.empty(k, np.int64)
    gain = np.empty(k, np.float64)
    chosen = 0
    for group in range(1, 1 << k):
        if group & (group - 1) == 0:
            continue
        _pair_weights(rows, weight, group, edge)
        best[group], chosen = _best_of(group, edge, best, member, gain)
    side = np.empty(k, np.int32)
    for i in range(k):
        side[i] = chosen >> i & 1
    return side


# ----------------------------------------------------------------------
# Prune and regraft: cut a subtree off a binary tree and hang it where most weight is displayed, again and again.
#
#     up : int32[N], the node above each, -1 above the root; child : int32[N, 2], the nodes below, -1 below leaves
#     rows : int32[m, 3]; weight : float64[m]
#     first : int64[n + 1], of : int64[3 m], the triplets of each leaf x: of[e] = 3 t + i with rows[t, i] == x
#     meet : int32[m, 3], the last common ancestor of the two leaves of a row other than the one in that column
#     slot : int8[m, 3], which child of `meet` the first of these two leaves is below
#
# What a triplet with two or three leaves in the subtree Q displays does not change when Q moves. For ab|c with just a
# in Q, and d the child of the ancestor of b and c that is above b, it is displayed where Q hangs from the branch above
# d or from one below it; with just c in Q, where Q does not hang from a branch below the ancestor of a and b. So each
# such triplet marks one node or two, and the weight displayed is, up to a constant, the sum of the marks from the
# place to the root. `meet` and `slot` of pairs outside Q stay as they are wherever Q hangs: finding the best of all
# places takes time in proportion to the triplets of the leaves in Q and the nodes above the marks, not to the size of
# the tree.


@inner
def _touched_triplets(q, n, child, first, of, count, column, listed, stack):
    """List the triplets with leaves in the subtree q; how many (count) and the sum of their columns.

    Returns the length of the list, and the steps taken.
    """
    size, top, steps = 0, 1, 0
    stack[0] = q
    while top > 0:
        top -= 1
        u = stack[top]
        steps += 1
        if u >= n:
            stack[top], stack[top + 1] = child[u, 0], child[u, 1]
            top += 2
            continue
        for e in range(first[u], first[u + 1]):
            t = of[e] // 3
            if count[t] == 0:
                listed[size] = t
                size += 1
            count[t] += 1
            column[t] += of[e] - 3 * t
        steps += first[u + 1] - first[u]
    return size, steps


@inner
def _mark(v, w, mark, marked, size, nodes):
    """Add w to the mark of node v; the new number of marked nodes."""
    mark[v] += w
    if not marked[v]:
        marked[v] = True
        nodes[size] = v
        size += 1
    return size


@inner
def _sum_above(v, up, mark, total, known, seen, size, stack):
    """Fill in the sums of the marks from v and the nodes above it to the root; the new number of nodes seen."""
    top = 0
    u = v
    while u >= 0 and not known[u]:
        stack[top] = u
        top += 1
        u = up[u]
    above = total[u] if u >= 0 else 0.0
    while top > 0:
        top -= 1
        u = stack[top]
        above += mark[u]
        total[u] = above
        known[u] = True
        seen[size] = u
        size += 1
    return size


@inner
def _best_place(beside, up, child, weight, meet, slot, listed, length, count, column, tables, nodes, seen, stack):
    """The node above which the pruned subtree hangs best, what that gains over `beside`, and the steps taken."""
    mark, total, marked, known = tables
    size, lost = 0, False
    for i in range(length):
        t = listed[i]
        if count[t] == 1:
            k, w = column[t], weight[t]
            u = meet[t, k]
            lost = lost or meet[t, 0] == meet[t, 2] or meet[t, 1] == meet[t, 2]
            if k == 2:
                size = _mark(child[u, 0], -w, mark, marked, size, nodes)
                size = _mark(child[u, 1], -w, mark, marked, size, nodes)
            else:
                size = _mark(child[u, slot[t, k]], w, mark, marked, size, nodes)
    place, gain, count_seen = beside, 0.0, 0
    if lost:
        count_seen = _sum_above(beside, up, mark, total, known, seen, count_seen, stack)
        for i in range(size):
            count_seen = _sum_above(nodes[i], up, mark, total, known, seen, count_seen, stack)
        here = total[beside]
        for i in range(count_seen):
            if total[seen[i]] - here > gain:
                place, gain = seen[i], total[seen[i]] - here
        for i in range(count_seen):
            known[seen[i]] = False
    for i in range(size):
        mark[nodes[i]] = 0.0
        marked[nodes[i]] = False
    return place, gain, 2 * size + 3 * count_seen


@inner
def _hang(q, v, up, child):
    """Hang the pruned subtree q, whose node above is kept, from the branch above v."""
    p = up[q]
    s = 1 if child[p, 1] == q else 0
    g = up[v]
    child[p, 1 - s] = v
    up[v] = p
    up[p] = g
    if g >= 0:
        child[g, 1 if child[g, 1] == v else 0] = p


@inner
def _renew_meetings(q, up, child, rows, listed, length, count, column, toward, meet, slot):
    """Bring `meet` and `slot` up to date for the pairs of a leaf in q and one outside; the steps taken."""
    steps = 0
    u, v = up[q], q
    while u >= 0:
        toward[u] = 1 if child[u, 1] == v else 0
        v = u
        u = up[u]
    for i in range(length):
        t = listed[i]
        if count[t] == 3:
            continue
        # the leaf that is alone on its side of q's edge: each of the other two meets it across
        one_inside = count[t] == 1
        k = column[t] if one_inside else 3 - column[t]
        for j in range(3):
            if j == k:
                continue
            x = rows[t, j] if one_inside else rows[t, k]  # the leaf outside
            came = x
            while toward[x] < 0:
                came = x
                x = up[x]
                steps += 1
            first_outside = (j < k) == one_inside
            opposite = 3 - j - k
            meet[t, opposite] = x
            if first_outside:
                slot[t, opposite] = 1 if child[x, 1] == came else 0
            else:
                slot[t, opposite] = toward[x]
    u = up[q]
    while u >= 0:
        toward[u] = -1
        u = up[u]
        steps += 1
    return steps


@njit
def regraft(up, child, rows, weight, first, of, meet, slot, order, begin, least, most_steps):
    """Try the subtrees order[begin], order[begin + 1], ... one after the other; move each that gains more than `least`.

    `up`, `child`, `meet` and `slot` are changed in place. Stops at the end of `order` or after `most_steps`.

    Time for a subtree: see above; a move takes the depth for each triplet of its leaves. Memory O(n + m).

    order : int32[k], nodes other than the root at the time are tried; begin : int; least : float; most_steps : int
    Returns the next place in `order`, the weight gained, the steps taken, the number of moves.
    Oracle: each place tried, in ``tests/unit/test_repair.py``.
    """
    n, N, m = first.shape[0] - 1, up.shape[0], rows.shape[0]
    count, column = np.zeros(m, np.int8), np.zeros(m, np.int8)
    listed, stack = np.empty(m, np.int64), np.empty(N + 2, np.int32)
    tables = (np.zeros(N), np.zeros(N), np.zeros(N, np.bool_), np.zeros(N, np.bool_))
    nodes, seen = np.empty(N, np.int32), np.empty(N, np.int32)
    toward = np.full(N, -1, np.int8)
    gained, steps, moves, i = 0.0, 0, 0, begin
    while i < order.shape[0] and steps < most_steps:
        q = order[i]
        i += 1
        p = up[q]
        if p < 0:
            continue
        length, taken = _touched_triplets(q, n, child, first, of, count, column, listed, stack)
        beside, g = child[p, 0] + child[p, 1] - q, up[p]
        up[beside] = g
        if g >= 0:
            child[g, 1 if child[g, 1] == p else 0] = beside
        place, gain, more = _best_place(
            beside, up, child, weight, meet, slot, listed, length, count, column, tables, nodes, seen, stack
        )
        steps += taken + more
        if gain <= least:
            place = beside
        _hang(q, place, up, child)
        if place != beside:
            gained += gain
            moves += 1
            steps += _renew_meetings(q, up, child, rows, listed, length, count, column, toward, meet, slot)
        for j in range(length):
            count[listed[j]] = 0
            column[listed[j]] = 0
    return i, gained, steps, moves
