"""Prune and regraft: cut a subtree off a binary tree and hang it where most weight is displayed, again and again.

    up : int32[N], the node above each, -1 above the root; child : int32[N, 2], the nodes below, -1 below leaves
    rows : int32[m, 3]; weight : float64[m]
    first : int64[n + 1], of : int64[3 m], the triplets of each leaf x: of[e] = 3 t + i with rows[t, i] == x
    meet : int32[m, 3], the last common ancestor of the two leaves of a row other than the one in that column
    slot : int8[m, 3], which child of `meet` the first of these two leaves is below

What a triplet with two or three leaves in the subtree Q displays does not change when Q moves. For ab|c with just a in
Q, and d the child of the ancestor of b and c that is above b, it is displayed where Q hangs from the branch above d or
from one below it; with just c in Q, where Q does not hang from a branch below the ancestor of a and b. So each such
triplet marks one node or two, and the weight displayed is, up to a constant, the sum of the marks from the place to the
root. `meet` and `slot` of pairs outside Q stay as they are wherever Q hangs: finding the best of all places takes time
in proportion to the triplets of the leaves in Q and the nodes above the marks, not to the size of the tree.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit

__all__ = ["regraft"]


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
