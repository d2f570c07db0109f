"""Source trees as leaf sequences, and what can be read off them without listing a triplet.

A collection of trees is one sequence: the taxa of each tree in depth-first order, and beside each taxon the number of
the last common ancestor of it and the next one (greater numbers are higher up, equal ones are one node), END at the
last leaf of a tree. A tree restricted to some taxa is a part of its sequence, with the greatest of the numbers passed
over: no tree is built for that, and all parts of a division come out of one pass.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import allocating, inner, njit

__all__ = [
    "END",
    "divide",
    "edge_votes",
    "nodes",
    "number_of_triplets",
    "parts",
    "regraft",
    "split_votes",
]

#: The gap after the last leaf of a tree.
END = np.int32(2**31 - 1)


@njit
def parts(taxon, gap, n):
    """Which taxa the first splits of the trees tie together.

    taxon, gap : int32[S], the trees; n : number of taxa
    Returns part : int32[n], numbered by the smallest taxon of each part. Oracle: ``vote_components_definition``.
    """
    S = taxon.shape[0]
    up = np.arange(n).astype(np.int32)
    begin = 0
    while begin < S:
        top = np.int32(-1)
        end = begin
        while gap[end] != END:
            top = max(top, gap[end])
            end += 1
        for i in range(begin, end):
            if gap[i] != top:
                unite(up, taxon[i], taxon[i + 1])
        begin = end + 1
    # the root of a part is its smallest taxon
    part = np.empty(n, np.int32)
    count = np.int32(0)
    for x in range(n):
        r = find(up, np.int32(x))
        if r == x:
            part[x] = count
            count += 1
        else:
            part[x] = part[r]
    return part


@inner
def _greatest_since(at, value, size, i):
    """The greatest gap at position i or later: `at` and `value` hold the gaps that no later one exceeds."""
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if at[middle] >= i:
            high = middle
        else:
            low = middle + 1
    return value[low]


@njit
def divide(taxon, gap, tree, part, k):
    """The trees restricted to each of k parts of the taxa; those left with fewer than three leaves are dropped.

    taxon, gap, tree : int32[S], the trees, and the number of each leaf's tree; part : int32[n], or -1 for none
    Returns start : int64[k + 1], taxon, gap, tree : int32[S']; part j is positions start[j]..start[j + 1] - 1.
    """
    S = taxon.shape[0]
    size = np.zeros(k + 1, np.int64)
    for i in range(S):
        if part[taxon[i]] >= 0:
            size[part[taxon[i]] + 1] += 1
    for j in range(k):
        size[j + 1] += size[j]
    head = size[:k].copy()  # where the next leaf of each part is written
    first = size[:k].copy()  # where the current tree begins in each part
    last = np.empty(k, np.int64)  # position of the part's latest leaf
    owner = np.full(k, -1, np.int32)  # its tree
    out_taxon = np.empty(S, np.int32)
    out_gap = np.empty(S, np.int32)
    out_tree = np.empty(S, np.int32)
    at = np.empty(S, np.int64)
    value = np.empty(S, np.int32)
    depth = 0
    for i in range(S):
        j = part[taxon[i]]
        if j >= 0:
            if owner[j] == tree[i]:
                out_gap[head[j] - 1] = _greatest_since(at, value, depth, last[j])
            else:
                if head[j] - first[j] < 3:
                    head[j] = first[j]
                owner[j] = tree[i]
                first[j] = head[j]
            out_taxon[head[j]] = taxon[i]
            out_gap[head[j]] = END
            out_tree[head[j]] = tree[i]
            head[j] += 1
            last[j] = i
        if gap[i] == END:
            depth = 0
        else:
            while depth > 0 and value[depth - 1] <= gap[i]:
                depth -= 1
            at[depth] = i
            value[depth] = gap[i]
            depth += 1
    start = np.zeros(k + 1, np.int64)
    for j in range(k):
        if head[j] - first[j] < 3:
            head[j] = first[j]
        start[j + 1] = start[j]
        for i in range(size[j], head[j]):
            out_taxon[start[j + 1]] = out_taxon[i]
            out_gap[start[j + 1]] = out_gap[i]
            out_tree[start[j + 1]] = out_tree[i]
            start[j + 1] += 1
    total = start[k]
    return start, out_taxon[:total].copy(), out_gap[:total].copy(), out_tree[:total].copy()


@njit
def nodes(gap):
    """The nodes of the trees: leaves 0..S-1 as they come, then inner nodes, those of a tree together.

    gap : int32[S]
    Returns parent : int32[N], parent[u] > u or -1 at the root of a tree; leaves, inners : int64[k + 1], where the
    leaves and the inner nodes of each tree begin.
    """
    S = gap.shape[0]
    k = 0
    for i in range(S):
        if gap[i] == END:
            k += 1
    leaves = np.zeros(k + 1, np.int64)
    inners = np.zeros(k + 1, np.int64)
    up = np.full(2 * S, -1, np.int32)  # parents, inner nodes numbered as they are opened
    number = np.arange(2 * S).astype(np.int32)  # and as they are closed
    stack = np.empty(S + 1, np.int32)
    rank = np.empty(S + 1, np.int32)
    size, opened, closed, t = 0, S, S, 0
    inners[0] = S
    for i in range(S):
        u = np.int32(i)
        while size > 0 and rank[size - 1] < gap[i]:
            v = stack[size - 1]
            up[u] = v
            number[v] = closed
            closed += 1
            u = v
            size -= 1
        if gap[i] == END:
            t += 1
            leaves[t] = i + 1
            inners[t] = closed
        else:
            if size == 0 or rank[size - 1] > gap[i]:
                stack[size] = opened
                rank[size] = gap[i]
                size += 1
                opened += 1
            up[u] = stack[size - 1]
    parent = np.full(closed, -1, np.int32)
    for u in range(opened):
        if up[u] >= 0:
            parent[number[u]] = number[up[u]]
    return parent, leaves, inners


@njit
def number_of_triplets(parent, leaves, inners):
    """How many triplets each tree displays.

    parent : int32[N]; leaves, inners : int64[k + 1], all from `nodes`
    Returns total : int64[k].
    """
    N = parent.shape[0]
    k = leaves.shape[0] - 1
    below = np.zeros(N, np.int64)
    for u in range(leaves[k]):
        below[u] = 1
    for u in range(N):
        if parent[u] >= 0:
            below[parent[u]] += below[u]
    total = np.zeros(k, np.int64)
    for t in range(k):
        for u in range(inners[t], inners[t + 1]):
            if parent[u] >= 0:
                total[t] += below[u] * (below[u] - 1) // 2 * (below[parent[u]] - below[u])
    return total


# ----------------------------------------------------------------------
# Votes between two sets of taxa P and Q: source triplets pp'|q, qq'|p and pq|p', counted in one scan of each tree.
#
# A tree is a leaf sequence (see `votes`). A scan keeps the open nodes on a stack, each with its leaves in P and in Q
# and a few sums over its children: no triplet is listed, and no tree is built. A triplet pp'|q is counted where q
# meets p and p', once for the child that holds p and p'; so the sums of all nodes are needed, and nothing else.

# columns of the stack of open nodes: the number of the node; its leaves in P and in Q; over its children, the sums of
# pairs pp', qq' and pq, of each times the leaves of the other kind, and the triplets pq|p' counted so far
RANK, IN_P, IN_Q, PP, QQ, PQ, PPQ, QQP, MIXED = 0, 1, 2, 3, 4, 5, 6, 7, 8
WIDTH = 9
# what a scan finds: pp'|q, pq|p', qq'|p
NEAR, CROSS, FAR = 0, 1, 2


@inner
def _hang_child(stack, v, p, q):
    """Add a finished child with p leaves in P and q in Q to the open node in row v."""
    pp = p * (p - 1) // 2
    qq = q * (q - 1) // 2
    stack[v, MIXED] += p * q * stack[v, IN_P] + p * stack[v, PQ]
    stack[v, PQ] += p * q
    stack[v, PP] += pp
    stack[v, QQ] += qq
    stack[v, PPQ] += pp * q
    stack[v, QQP] += qq * p
    stack[v, IN_P] += p
    stack[v, IN_Q] += q


@inner
def _shut(stack, v, found):
    """Count the triplets whose third leaf meets the other two at the node in row v, which has all its children."""
    found[NEAR] += stack[v, PP] * stack[v, IN_Q] - stack[v, PPQ]
    found[FAR] += stack[v, QQ] * stack[v, IN_P] - stack[v, QQP]
    found[CROSS] += stack[v, MIXED]


@inner
def _scan(taxon, gap, begin, end, colour, stack, found):
    """The triplets of one tree between P and Q: taxa of colour 1 and 2."""
    found[NEAR] = 0
    found[CROSS] = 0
    found[FAR] = 0
    size = 0
    passed = np.int64(-1)  # where the latest leaf of P or Q meets the next one
    p, q = np.int64(0), np.int64(0)
    for i in range(begin, end):
        c = colour[taxon[i]]
        if c > 0:
            if p + q > 0:
                while size > 0 and stack[size - 1, RANK] < passed:
                    size -= 1
                    _hang_child(stack, size, p, q)
                    _shut(stack, size, found)
                    p, q = stack[size, IN_P], stack[size, IN_Q]
                if size == 0 or stack[size - 1, RANK] > passed:
                    for j in range(WIDTH):
                        stack[size, j] = 0
                    stack[size, RANK] = passed
                    size += 1
                _hang_child(stack, size - 1, p, q)
            p, q = np.int64(c == 1), np.int64(c == 2)
            passed = np.int64(-1)
        if gap[i] > passed:
            passed = np.int64(gap[i])
    while size > 0:
        size -= 1
        _hang_child(stack, size, p, q)
        _shut(stack, size, found)
        p, q = stack[size, IN_P], stack[size, IN_Q]


@inner
def _gather(order, begin, end, tree, occurs, occurrence, seen, touched):
    """Count the leaves of each tree among order[begin:end]; the number of trees that have some, listed in `touched`."""
    many = 0
    for i in range(begin, end):
        x = order[i]
        for o in range(occurs[x], occurs[x + 1]):
            t = tree[occurrence[o]]
            if seen[t] == 0:
                touched[many] = t
                many += 1
            seen[t] += 1
    return many


@inner
def _paint(order, begin, end, colour, c):
    """Give all taxa of order[begin:end] a colour."""
    for i in range(begin, end):
        colour[order[i]] = c


@inner
def _around(x, n, start, stop, order, trees, colour, places, stack, found, of_tree):
    """Take the triples of one child x away: what is decided below the node is counted further down."""
    taxon, gap, tree, begins, occurs, occurrence = trees
    seen, touched = places
    if x < n:
        return
    _paint(order, start[x], stop[x], colour, 1)
    many = _gather(order, start[x], stop[x], tree, occurs, occurrence, seen, touched)
    for j in range(many):
        t = touched[j]
        if seen[t] > 1 and of_tree[t, 0] + of_tree[t, 1] > 0:
            _scan(taxon, gap, begins[t], begins[t + 1], colour, stack, found)
            of_tree[t, 2] -= found[NEAR]
            of_tree[t, 3] -= found[CROSS]
        seen[t] = 0
    _paint(order, start[x], stop[x], colour, 0)


@allocating
def _longer(entry):
    """Twice as many rows."""
    out = np.empty((2 * entry.shape[0], entry.shape[1]), np.int64)
    for i in range(entry.shape[0]):
        for j in range(entry.shape[1]):
            out[i, j] = entry[i, j]
    return out


@njit
def edge_votes(start, stop, order, child_start, child, taxon, gap, tree, begins, occurs, occurrence, low, high):
    """What each tree says on the triples that the edges of a hierarchy H below its nodes low..high-1 decide.

    H : start, stop : int32[M], order : int32[n] of `leaf_intervals`, child_start, child of `child_lists`;
    trees : taxon, gap, tree : int32[S]; begins : int64[k + 1], where each begins; occurs : int64[n + 1], occurrence :
    int32[S], the places of each taxon
    Returns entry : int64[E, 6], for each edge from a node u to an inner node w below and each tree that says anything:
    w, tree; triplets pp'|q and pq|p' with p, p' below w, and q below u but not w; and those of them with p and p'
    below different children of w, which no other edge decides. Oracle: ``edge_votes_definition``.
    """
    n, k = order.shape[0], begins.shape[0] - 1
    trees = (taxon, gap, tree, begins, occurs, occurrence)
    colour = np.zeros(n, np.int8)
    stack = np.zeros((2 + taxon.shape[0], WIDTH), np.int64)
    found = np.zeros(3, np.int64)
    seen, touched = np.zeros(k, np.int64), np.empty(k, np.int64)
    below = (np.zeros(k, np.int64), np.empty(k, np.int64))
    of_tree = np.zeros((k, 4), np.int64)
    entry = np.empty((256, 6), np.int64)
    size = 0
    for u in range(max(low, n), high):
        _paint(order, start[u], stop[u], colour, 2)
        for d in range(child_start[u], child_start[u + 1]):
            w = child[d]
            if w < n:
                continue
            _paint(order, start[w], stop[w], colour, 1)
            many = _gather(order, start[w], stop[w], tree, occurs, occurrence, seen, touched)
            for j in range(many):
                t = touched[j]
                found[NEAR], found[CROSS] = 0, 0
                if seen[t] > 1:
                    _scan(taxon, gap, begins[t], begins[t + 1], colour, stack, found)
                of_tree[t, 0], of_tree[t, 1] = found[NEAR], found[CROSS]
                of_tree[t, 2], of_tree[t, 3] = found[NEAR], found[CROSS]
                seen[t] = 0
            _paint(order, start[w], stop[w], colour, 0)
            for e in range(child_start[w], child_start[w + 1]):
                _around(child[e], n, start, stop, order, trees, colour, below, stack, found, of_tree)
            for j in range(many):
                t = touched[j]
                if of_tree[t, 0] + of_tree[t, 1] > 0:
                    if size == entry.shape[0]:
                        entry = _longer(entry)
                    entry[size, 0], entry[size, 1] = w, t
                    for a in range(4):
                        entry[size, 2 + a] = of_tree[t, a]
                    size += 1
            _paint(order, start[w], stop[w], colour, 2)
        _paint(order, start[u], stop[u], colour, 0)
    return entry[:size].copy()


@njit
def split_votes(split, order, taxon, gap, tree, begins, weight, occurs, occurrence):
    """The weight of the source triplets that splits of sets of taxa in two display.

    split : int64[K, 4], a set and one side of it, as intervals of `order`; order : int32[L], taxa; trees as in
    `edge_votes`; weight : float64[k], of each tree
    Returns vote : float64[K].
    """
    k = begins.shape[0] - 1
    colour = np.zeros(occurs.shape[0] - 1, np.int8)
    stack = np.zeros((2 + taxon.shape[0], WIDTH), np.int64)
    found = np.zeros(3, np.int64)
    seen, touched = np.zeros(k, np.int64), np.empty(k, np.int64)
    vote = np.zeros(split.shape[0], np.float64)
    for s in range(split.shape[0]):
        _paint(order, split[s, 0], split[s, 1], colour, 2)
        _paint(order, split[s, 2], split[s, 3], colour, 1)
        many = _gather(order, split[s, 0], split[s, 1], tree, occurs, occurrence, seen, touched)
        for j in range(many):
            t = touched[j]
            if seen[t] > 2:
                _scan(taxon, gap, begins[t], begins[t + 1], colour, stack, found)
                vote[s] += weight[t] * (found[NEAR] + found[FAR])
            seen[t] = 0
        _paint(order, split[s, 0], split[s, 1], colour, 0)
    return vote


# ----------------------------------------------------------------------
# Prune and regraft by votes that are counted, never listed: where in a binary tree a branch is displayed best.
#
# A source triplet changes its state only if one of its leaves, x, is in the branch Q that moves, and two, y and z, are
# not. Seen from x, the leaves of a source tree hang off the path from x to its root: say y at level l(y). It says xy|z
# if l(y) < l(z), and yz|x if y and z hang from one child of a node of the path; else nothing. For each node v of the
# rest of the hierarchy and y, z below its two children, xy|z is displayed where Q hangs from the branch above y's
# child of v or from any below it, yz|x where it does not hang below v. Both are counted for all nodes at once: on the
# way up each heavy path the leaves of the light children are asked against counts by level of the leaves passed so
# far. Time for one leaf x: O(m log(m)**2) for each tree of m leaves that has it, and one look at each leaf of the
# hierarchy.

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
