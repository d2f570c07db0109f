"""Walks over a parent array: ``parent[u] > u`` for every node but the root, which is last and has parent -1.

A forward loop is bottom-up, a backward loop is top-down. Each kernel is linear in the number of nodes. Leaves are
0..n-1. The oracles in ``tests/oracles.py`` do the same by following parents one leaf at a time.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import njit


@njit
def topological_order(parent, n):
    """Order the nodes so that children stand before parents, leaves 0..n-1 first and unmoved.

    parent : int32[N], any order, every entry in -1..N-1, childless nodes exactly 0..n-1
    Returns order : int32[k], k == N unless there is a cycle (then k < N: the nodes off every cycle's upward paths).
    """
    N = parent.shape[0]
    waiting = np.zeros(N, np.int32)
    for u in range(N):
        if parent[u] >= 0:
            waiting[parent[u]] += 1  # children that are not in the order yet
    order = np.empty(N, np.int32)
    k = 0
    for u in range(n):
        order[k] = u
        k += 1
    head = 0
    while head < k:  # order is a queue: a node enters with its last child, so nodes of a cycle never do
        p = parent[order[head]]
        head += 1
        if p >= 0:
            waiting[p] -= 1
            if waiting[p] == 0:
                order[k] = p
                k += 1
    return order[:k]


@njit
def depths(parent):
    """Number of edges from the root to each node.

    parent : int32[N]
    Returns depth : int32[N].
    """
    N = parent.shape[0]
    depth = np.zeros(N, np.int32)
    for u in range(N - 2, -1, -1):  # parents first
        depth[u] = depth[parent[u]] + 1
    return depth


@njit
def path_sums(parent, length):
    """Sum of the branch lengths from the root to each node.

    parent : int32[N]
    length : float64[N], the root's is not counted
    Returns distance : float64[N].
    """
    N = parent.shape[0]
    distance = np.zeros(N, np.float64)
    for u in range(N - 2, -1, -1):
        distance[u] = distance[parent[u]] + length[u]
    return distance


@njit
def child_lists(parent):
    """Children of every node, in increasing order, as one concatenated list.

    parent : int32[N]
    Returns start : int32[N + 1], child : int32[N - 1]. The children of u are child[start[u]:start[u + 1]].
    """
    N = parent.shape[0]
    start = np.zeros(N + 1, np.int32)
    for u in range(N - 1):
        start[parent[u] + 1] += 1  # one place further, so that the sums below are where lists start
    for u in range(N):
        start[u + 1] += start[u]
    cursor = start[:-1].copy()
    child = np.empty(max(N - 1, 0), np.int32)
    for u in range(N - 1):
        p = parent[u]
        child[cursor[p]] = u
        cursor[p] += 1
    return start, child


@njit
def leaf_intervals(parent, n):
    """Positions of each clade's leaves in depth-first order (children in increasing order).

    parent : int32[N]
    n : number of leaves
    Returns start, stop : int32[N] (the clade of u fills positions start[u]..stop[u]-1), order : int32[n] (the leaf at
    each position).
    """
    N = parent.shape[0]
    start = np.zeros(N, np.int32)
    stop = np.zeros(N, np.int32)
    for u in range(n):
        start[u] = 1
    for u in range(N - 1):
        start[parent[u]] += start[u]  # sizes, for now
    # each node's range is dealt out to its children from the end, the child of the greatest number last
    cursor = np.empty(N, np.int32)
    stop[N - 1] = n
    cursor[N - 1] = n
    start[N - 1] = 0
    for u in range(N - 2, -1, -1):
        p = parent[u]
        size = start[u]
        stop[u] = cursor[p]
        cursor[u] = cursor[p]
        cursor[p] -= size
        start[u] = stop[u] - size
    order = np.empty(n, np.int32)
    for u in range(n):
        order[start[u]] = u
    return start, stop, order


@njit
def gap_nodes(parent, stop, n):
    """Last common ancestor of each two neighbouring leaves in depth-first order.

    parent, stop : int32[N]
    n : number of leaves
    Returns gap : int32[max(n - 1, 1)], gap[i] belongs to positions i and i + 1.
    """
    N = parent.shape[0]
    gap = np.zeros(max(n - 1, 1), np.int32)
    for u in range(N - 1):
        p = parent[u]
        # behind every child but the last stands a gap in which two children of p meet; each gap is such a one once
        if stop[u] < stop[p]:
            gap[stop[u] - 1] = p
    return gap


@njit
def range_maximum_table(values):
    """Sparse table: row k holds the maxima of windows of 2**k values. Time and memory O(n log n).

    values : int32[m], m >= 1
    Returns table : int32[K, m].
    """
    m = values.shape[0]
    K = 1
    while m >= (2 << (K - 1)):
        K += 1
    table = np.empty((K, m), np.int32)
    for i in range(m):
        table[0, i] = values[i]
    for k in range(1, K):
        half = 1 << (k - 1)
        for i in range(m):
            high = table[k - 1, i]
            # a window is two of half its width; at the end it is cut short
            if i + half < m:
                high = max(high, table[k - 1, i + half])
            table[k, i] = high
    return table


@njit
def range_maximum(table, i, j):
    """Maximum of positions i..j-1 (i < j) of the table's first row."""
    width = j - i
    k = 0
    while (2 << k) <= width:
        k += 1
    # two windows of 2**k values cover the range; they may overlap, which a maximum does not mind
    x = table[k, i]
    y = table[k, j - (1 << k)]
    return max(x, y)


@njit
def common_ancestors(a, b, position, table):
    """Last common ancestor of each pair of leaves: ancestors have greater numbers, so it is one range maximum.

    a, b : int32[m], leaves
    position : int32[n], place of each leaf in depth-first order
    table : int32[K, n - 1], from `range_maximum_table` of `gap_nodes`
    Returns node : int32[m]. Oracle: ``common_ancestor_definition``.
    """
    m = a.shape[0]
    node = np.empty(m, np.int32)
    for t in range(m):
        p, q = position[a[t]], position[b[t]]
        if p == q:
            node[t] = a[t]
        else:
            node[t] = range_maximum(table, min(p, q), max(p, q))
    return node


@njit
def induced_odd(triples, position, table):
    """Which column of each row is the odd one out: two range maxima a row.

    For leaves at positions p < q < r the last common ancestors of (p, q) and of (q, r) lie on the path from q to the
    root. Numbers grow along it, so the smaller one is the deeper one, and its two leaves are the close pair.

    triples : int32[m, 3], three distinct leaves a row
    position : int32[n], place of each leaf in depth-first order
    table : int32[K, n - 1], from `range_maximum_table` of `gap_nodes`
    Returns odd : int8[m], 0, 1 or 2, or -1 where the row is unresolved. Oracle: ``induced_odd_definition``.
    """
    m = triples.shape[0]
    odd = np.empty(m, np.int8)
    for t in range(m):
        i, j, k = 0, 1, 2
        p, q, r = position[triples[t, 0]], position[triples[t, 1]], position[triples[t, 2]]
        # sort three positions, and their columns with them
        if p > q:
            p, q = q, p
            i, j = j, i
        if q > r:
            q, r = r, q
            j, k = k, j
        if p > q:
            p, q = q, p
            i, j = j, i
        left = range_maximum(table, p, q)
        right = range_maximum(table, q, r)
        if left < right:  # p and q meet deeper
            odd[t] = k
        elif left > right:
            odd[t] = i
        else:
            odd[t] = -1
    return odd


@njit
def by_smallest_leaf(parent, n):
    """The nodes in the order of the smallest leaf below each, children before parents: a counting sort.

    parent : int32[N]
    n : number of leaves
    Returns node : int32[N].
    """
    N = parent.shape[0]
    low = np.empty(N, np.int32)  # the smallest leaf below
    for u in range(N):
        low[u] = u if u < n else n
    for u in range(N - 1):
        p = parent[u]
        low[p] = min(low[p], low[u])
    first = np.zeros(n + 1, np.int32)
    for u in range(N):
        first[low[u] + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    node = np.empty(N, np.int32)
    for u in range(N):  # in increasing order, so of equal leaves the child comes before its parent
        node[first[low[u]]] = u
        first[low[u]] += 1
    return node


@njit
def canonical_parent(parent, n):
    """The parent array with inner nodes in postorder, children visited by their smallest leaf.

    Two hierarchies over the same leaf index have the same clades (and unary chains) exactly when these are equal.

    parent : int32[N]
    n : number of leaves
    Returns canonical : int32[N].
    """
    N = parent.shape[0]
    # dealt out to their parents in this order, the nodes stand in the order of their smallest leaves in each child list
    by_low = by_smallest_leaf(parent, n)
    start, child = child_lists(parent)
    cursor = start[:-1].copy()
    for k in range(N):
        u = by_low[k]
        p = parent[u]
        if p >= 0:
            child[cursor[p]] = u
            cursor[p] += 1
    number = np.empty(N, np.int32)
    for u in range(n):
        number[u] = u
    for u in range(N):
        cursor[u] = start[u]
    fresh = n
    # a walk down and up from the root; cursor[u] is the next child of u to visit
    u = np.int32(N - 1)
    while u >= 0:
        if u >= n and cursor[u] < start[u + 1]:
            cursor[u] += 1
            u = child[cursor[u] - 1]
        else:
            if u >= n:  # all children are done
                number[u] = fresh
                fresh += 1
            u = parent[u]
    canonical = np.empty(N, np.int32)
    for u in range(N):
        canonical[number[u]] = number[parent[u]] if parent[u] >= 0 else -1
    return canonical


@njit
def kept_nodes(parent, keep_leaf, keep_unary):
    """Which nodes remain when some leaves are dropped, and the nearest remaining ancestor of each.

    parent : int32[N]
    keep_leaf : bool[n]
    keep_unary : whether nodes with one remaining child stay
    Returns keep : bool[N], up : int32[N], -1 at the new root and undefined if keep is False.
    """
    N = parent.shape[0]
    n = keep_leaf.shape[0]
    alive = np.zeros(N, np.bool_)
    fan = np.zeros(N, np.int32)  # children with a kept leaf below
    for u in range(N):
        alive[u] = keep_leaf[u] if u < n else fan[u] > 0
        if alive[u] and parent[u] >= 0:
            fan[parent[u]] += 1
    keep = np.zeros(N, np.bool_)
    nearest = np.empty(N, np.int32)  # the node itself if it is kept, else its nearest kept ancestor
    up = np.full(N, -1, np.int32)
    for u in range(N - 1, -1, -1):
        above = nearest[parent[u]] if parent[u] >= 0 else -1
        keep[u] = alive[u] and (u < n or fan[u] > 1 or keep_unary)
        up[u] = above
        nearest[u] = u if keep[u] else above
    return keep, up


@njit
def chain_lengths(parent, length, keep):
    """Length of each node's branch together with the branches of the dropped nodes right above it.

    parent : int32[N]
    length : float64[N]
    keep : bool[N]
    Returns total : float64[N].
    """
    N = parent.shape[0]
    total = np.empty(N, np.float64)
    total[N - 1] = length[N - 1]
    for u in range(N - 2, -1, -1):
        total[u] = length[u] if keep[parent[u]] else length[u] + total[parent[u]]
    return total


@njit
def chain_tops(parent, keep):
    """The uppermost of each node and the dropped nodes right above it.

    parent : int32[N]
    keep : bool[N]
    Returns top : int32[N], the node itself where its parent is kept.
    """
    N = parent.shape[0]
    top = np.empty(N, np.int32)
    top[N - 1] = N - 1
    for u in range(N - 2, -1, -1):
        top[u] = u if keep[parent[u]] else top[parent[u]]
    return top


@njit
def last_above(parent, value, node, bound):
    """Climb from each node as long as the value of the parent exceeds the bound: by jumps, in O(log N) steps.

    parent : int32[N]
    value : int64[N], never greater at the parent than at the node
    node : int32[m]
    bound : int64[m], smaller than the value of each node
    Returns top : int32[m], the highest ancestor of each node, or itself, whose value exceeds the bound.
    """
    N = parent.shape[0]
    # skew-binary jumps (Myers 1983): a jump is as long as the two before it together, if these are equal
    jump = np.empty(N, np.int32)
    depth = np.zeros(N, np.int32)
    jump[N - 1] = N - 1
    for u in range(N - 2, -1, -1):
        p = parent[u]
        depth[u] = depth[p] + 1
        q = jump[p]
        jump[u] = jump[q] if depth[p] - depth[q] == depth[q] - depth[jump[q]] else p
    m = node.shape[0]
    top = np.empty(m, np.int32)
    for i in range(m):
        u = node[i]
        while u != N - 1 and value[parent[u]] > bound[i]:
            u = jump[u] if value[jump[u]] > bound[i] else parent[u]
        top[i] = u
    return top
