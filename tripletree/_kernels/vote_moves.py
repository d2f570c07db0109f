"""Prune and regraft by votes that are counted, never listed: where in a binary tree a branch is displayed best.

A source triplet changes its state only if one of its leaves, x, is in the branch Q that moves, and two, y and z, are
not. Seen from x, the leaves of a source tree hang off the path from x to its root: say y at level l(y). It says xy|z if
l(y) < l(z), and yz|x if y and z hang from one child of a node of the path; else nothing. For each node v of the rest of
the hierarchy and y, z below its two children, xy|z is displayed where Q hangs from the branch above y's child of v or
from any below it, yz|x where it does not hang below v. Both are counted for all nodes at once: on the way up each heavy
path the leaves of the light children are asked against counts by level of the leaves passed so far. Time for one leaf
x: O(m log(m)**2) for each tree of m leaves that has it, and one look at each leaf of the hierarchy.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit

__all__ = ["regraft"]


#: Gains below this share of the votes at stake are rounding.
SMALLEST = 1e-9


@inner
def _walk(up, child, root, n, order, gap, start, stop, depth, ahead):
    """Lay out a binary tree: what is written is said in `regraft`; returns the number of its nodes."""
    placed, nodes = 0, 0
    before, u = up[root], root
    while u >= 0:
        if before == up[u]:
            ahead[nodes] = u
            nodes += 1
            start[u] = placed
            depth[u] = 0 if u == root else depth[up[u]] + 1
            if u < n:
                order[placed] = u
                placed += 1
                stop[u] = placed
                after = up[u]
            else:
                after = child[u, 0]
        elif before == child[u, 0]:
            gap[placed - 1] = u
            after = child[u, 1]
        else:
            stop[u] = placed
            after = up[u]
        before, u = u, after
    return nodes


@inner
def _levels(o, parent, taxon, begin, end, first, root, mark, level, branch):
    """Where the leaves of a tree hang off the path from its leaf o to the root; the number of levels.

    Writes level and branch (the child of a node of the path that a node is below) of nodes; mark : bool[N], all False,
    and again at the end. Leaves are begin..end-1, inner nodes first..root.
    """
    d = 0
    u = parent[o]
    while u >= 0:
        d += 1
        mark[u] = True
        level[u] = d
        u = parent[u]
    for u in range(root - 1, first - 1, -1):
        if not mark[u]:
            p = parent[u]
            level[u] = level[p]
            branch[u] = u if mark[p] else branch[p]
    for u in range(begin, end):
        p = parent[u]
        level[u] = level[p]
        branch[u] = u if mark[p] else branch[p]
    u = parent[o]
    while u >= 0:
        mark[u] = False
        u = parent[u]
    return d


@inner
def _climb(j, m, at, left, right, node, child, level, branch, weight, tally, many, alike, low, high, add):
    """Go up the heavy path of leaf j and count, at each node of it, the votes of its light leaves with all others.

    at : int64[m], the places of the leaves in the source tree; node : int32[m], the ancestor of leaves i and i + 1 in
    the hierarchy, left, right : int64[m], the first and last leaf below it; tally : a Fenwick tree over levels, many
    and alike : counts by level and by branch, all zeros, and again at the end; low, high : int64[m], depth of `node`
    as a number, and where to stop
    """
    a, b = j, j
    while b - a + 1 < m:
        # the ancestor is the deeper one of the two gaps around; the side with more leaves, or the left one, goes on
        v = b
        if b == m - 1 or (a > 0 and low[a - 1] > low[b]):
            v = a - 1
        ours = b - a + 1
        others = right[v] - left[v] + 1 - ours
        if ours < others or (ours == others and v < a):
            break
        if a == b:
            _insert(level[at[j]], branch[at[j]], 1, high, tally, many, alike)
        near, far, same = np.int64(0), np.int64(0), np.int64(0)
        begin, end = (b + 1, right[v] + 1) if v == b else (left[v], a)
        for z in range(begin, end):
            x = level[at[z]]
            below = np.int64(0)
            i = x - 1
            while i > 0:
                below += tally[i]
                i -= i & -i
            near += below
            far += ours - below - many[x]
            same += alike[branch[at[z]]]
        for z in range(begin, end):
            _insert(level[at[z]], branch[at[z]], 1, high, tally, many, alike)
        heavy, light = (0, 1) if v == b else (1, 0)
        add[child[node[v], heavy]] += weight * (near - same)
        add[child[node[v], light]] += weight * (far - same)
        a, b = left[v], right[v]
    if b > a:
        for z in range(a, b + 1):
            _insert(level[at[z]], branch[at[z]], -1, high, tally, many, alike)


@inner
def _insert(x, y, one, high, tally, many, alike):
    """Count a leaf of level x and branch y, or no longer."""
    many[x] += one
    alike[y] += one
    while x <= high:
        tally[x] += one
        x += x & -x


@inner
def _members(layout, place, low, high, n_placed, at, node, low_depth, left, right, stack):
    """The leaves of a source tree in the order of the hierarchy, those at low..high-1 left out, and their ancestors.

    Returns their number; `place` tells the place of each taxon in the tree, -1 for none.
    """
    order, gap, depth = layout
    m = 0
    v = -1
    for i in range(n_placed):
        o = place[order[i]]
        if o >= 0 and (i < low or i >= high):
            if m > 0:
                node[m - 1] = v
                low_depth[m - 1] = depth[v]
            at[m] = o
            m += 1
            v = -1
        if m > 0 and i < n_placed - 1 and (v < 0 or depth[gap[i]] < depth[v]):
            v = gap[i]
    # the first and last leaf below each ancestor: up to the next ones that are higher
    size = 0
    for i in range(m - 1):
        while size > 0 and low_depth[stack[size - 1]] > low_depth[i]:
            right[stack[size - 1]] = i
            size -= 1
        left[i] = stack[size - 1] + 1 if size > 0 else 0
        stack[size] = i
        size += 1
    while size > 0:
        right[stack[size - 1]] = m - 1
        size -= 1
    return m


@inner
def _votes_of_leaf(x, low, high, placed, layout, child, sources, tree_tables, row_tables, add):
    """Add up, at the children of the nodes of the hierarchy, what the trees say of the places of taxon x.

    The leaves at low..high-1 of the hierarchy's order are those of the branch that moves. Returns whether they say
    anything.
    """
    parent, taxon, leaves, inners, weight, tree, occurs, occurrence = sources
    mark, level, branch, place, tally, many, alike = tree_tables
    at, node, deep, left, right, stack = row_tables
    said = False
    for k in range(occurs[x], occurs[x + 1]):
        o = occurrence[k]
        t = tree[o]
        for u in range(leaves[t], leaves[t + 1]):
            place[taxon[u]] = u
        m = _members(layout, place, low, high, placed, at, node, deep, left, right, stack)
        # x itself, where it is in no branch that is left out, is not among the leaves placed yet
        if m > 1:
            said = True
            d = _levels(o, parent, taxon, leaves[t], leaves[t + 1], inners[t], inners[t + 1] - 1, mark, level, branch)
            for j in range(m):
                _climb(j, m, at, left, right, node, child, level, branch, weight[t], tally, many, alike, deep, d, add)
        for u in range(leaves[t], leaves[t + 1]):
            place[taxon[u]] = -1
    return said


@inner
def _best_place(q, beside, above, ahead, nodes, up, start, stop, add, score):
    """The node above which the branch q hangs best, or where it hangs now; `score` gets the votes of all places."""
    score[ahead[0]] = 0.0
    largest = 0.0
    best = beside if beside >= 0 else ahead[0]
    for j in range(1, nodes):
        u = ahead[j]
        score[u] = score[up[u]] + add[u]
        largest = max(largest, abs(score[u]))
    for j in range(nodes):
        u = ahead[j]
        inside = beside >= 0 and start[u] >= start[q] and stop[u] <= stop[q]
        if u != above and not inside and score[u] > score[best] + SMALLEST * largest:
            best = u
    return best


@inner
def _hang(q, v, fresh, up, child):
    """Hang the branch q above node v, from the inner node `fresh`."""
    p = up[v]
    up[fresh] = p
    if p >= 0:
        child[p, 0 if child[p, 0] == v else 1] = fresh
    child[fresh, 0], child[fresh, 1] = v, q
    up[v], up[q] = fresh, fresh


@inner
def _prune(q, up, child):
    """Take the branch q out, with the node that it hangs from."""
    p = up[q]
    s = child[p, 0] + child[p, 1] - q
    g = up[p]
    up[s] = g
    if g >= 0:
        child[g, 0 if child[g, 0] == p else 1] = s
    return p


@njit
def regraft(up, child, state, todo, parent, taxon, leaves, inners, weight, tree, occurs, occurrence):
    """Move branches of a binary tree, one after the other, to where most of their source triplets are displayed.

    up : int32[2n - 1], child : int32[2n - 1, 2], the tree, changed in place: -1 above the root, above leaves that are
    not in it and below leaves; state : int64[2], its root (-1 for no tree yet) and the next free inner node; todo :
    int32[K], the nodes whose branches are tried, leaves that are not in the tree among them; the source trees: parent :
    int32[N], leaves, inners : int64[k + 1] of `votes.nodes`, taxon, tree : int32[S], weight : float64[k], occurs :
    int64[n + 1], occurrence : int32[S], the places of each taxon
    Returns the number of branches that moved. Oracle: ``regraft_definition``.
    """
    n, N = occurs.shape[0] - 1, parent.shape[0]
    sources = (parent, taxon, leaves, inners, weight, tree, occurs, occurrence)
    order, gap = np.empty(n, np.int32), np.empty(n, np.int32)
    start, stop = np.zeros(2 * n, np.int32), np.zeros(2 * n, np.int32)
    depth, ahead = np.zeros(2 * n, np.int32), np.empty(2 * n, np.int32)
    tree_tables = (
        *(np.zeros(N, np.bool_), np.zeros(N, np.int32), np.zeros(N, np.int32), np.full(n, -1, np.int32)),
        *(np.zeros(N + 2, np.int64), np.zeros(N + 2, np.int64), np.zeros(N + 2, np.int64)),
    )
    row_tables = (
        *(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)),
        *(np.empty(n, np.int32), np.empty(n, np.int32)),
    )
    add, score = np.zeros(2 * n, np.float64), np.zeros(2 * n, np.float64)
    nodes, moves = 0, 0
    if state[0] >= 0:
        nodes = _walk(up, child, state[0], n, order, gap, start, stop, depth, ahead)
    for j in range(todo.shape[0]):
        q = todo[j]
        inside = q == state[0] or up[q] >= 0
        if q == state[0] or (q >= n and not inside):
            continue
        if state[0] < 0:
            state[0] = q
            nodes = _walk(up, child, state[0], n, order, gap, start, stop, depth, ahead)
            continue
        low, high, above, beside = 0, 0, -1, -1
        if inside:
            low, high, above = start[q], stop[q], up[q]
            beside = child[above, 0] + child[above, 1] - q
        for i in range(nodes):
            add[ahead[i]] = 0.0
        placed, layout, said = (nodes + 1) // 2, (order, gap, depth), False
        if inside:
            for i in range(low, high):
                if _votes_of_leaf(order[i], low, high, placed, layout, child, sources, tree_tables, row_tables, add):
                    said = True
        else:
            said = _votes_of_leaf(q, 0, 0, placed, layout, child, sources, tree_tables, row_tables, add)
        if inside and not said:
            continue
        best = _best_place(q, beside, above, ahead, nodes, up, start, stop, add, score)
        if best == beside:
            continue
        if inside:
            fresh = _prune(q, up, child)
            if fresh == state[0]:
                state[0] = beside
        else:
            fresh = state[1]
            state[1] += 1
        _hang(q, best, fresh, up, child)
        if best == state[0]:
            state[0] = fresh
        nodes = _walk(up, child, state[0], n, order, gap, start, stop, depth, ahead)
        moves += 1
    return moves
