"""Two trees on the same leaves: on how many leaf triples they agree, and how many clades they share.

The first tree is walked along its heavy paths (from a node to the child with the most leaves, each time, down to a
leaf). For each path the second tree is contracted to the leaves below the path's top; it is cut into heavy paths as
well, here called chains, named by the leaf at their end, and along each chain Fenwick trees hold sums over the black
leaves: those of the first tree's clade reached so far. A triple ab|c of the first tree is met once, at the child w
of its highest node p that holds a and b: where w is on the path, as a leaf c to be asked about before it turns black;
where it is not, in a scan of the leaves of w, with all of p black. No tree has nodes with one child here.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import inner, njit
from tripletree.kernels.rooted_tree import child_lists

__all__ = [
    "agreement",
    "shared_clades",
]

# rows of `node`, for each node of the contracted tree: leaves 0..s-1 in depth-first order, then the inner nodes
UP, SIZE, HEAVY, CHAIN, RUNG = range(5)
# rows of `chain`, for each leaf: the chain and the rung that its top hangs from, where its rungs are kept, how many
ABOVE, AT, BASE, LENGTH = range(4)
# columns of `tree` (Fenwick trees over the rungs of a chain) and of `total` (whole chains): black leaves; pairs of them
# below one child off the chain; squares of their number off the chain at a rung
COUNT, PAIRS, SQUARES = range(3)


@njit
def agreement(parent, start, stop, order, order2, gap2, both):
    """Count the leaf triples that two trees resolve alike, and those that both resolve.

    O(n log n) times a leaf is asked about or turns black, at most; each time it takes the chains above it, O(log n) of
    them, and at each a Fenwick tree over its length. Memory O(n).

    parent, start, stop : int32[N], order : int32[n], the first tree and its `leaf_intervals`;
    order2 : int32[n], gap2 : int32[n - 1], the leaves of the second tree in depth-first order and its `gap_nodes`;
    both : whether to count the second number, which is slower
    Returns alike, resolved : int64 (resolved is at least alike; 0 unless `both`).
    Oracle: ``comparison_by_triples`` in ``tests/unit/test_distance.py``.
    """
    n, N = order.shape[0], parent.shape[0]
    first, child = child_lists(parent)
    heavy = np.full(N, -1, np.int32)
    for u in range(N - 1):
        h = heavy[parent[u]]
        if h < 0 or stop[u] - start[u] > stop[h] - start[h]:
            heavy[parent[u]] = u
    # in the interval of a clade: its leaves as the second tree orders them, their places in the contracted tree that
    # they were last part of, and for each two neighbours their ancestor, as numbered in the second tree and in that one
    leaves, gap = order2.copy(), np.empty(n, np.int32)
    gap[: n - 1] = gap2[: n - 1]
    place, meeting = np.empty(n, np.int32), np.empty(n, np.int32)
    bucket, cursor = np.empty(n, np.int32), np.empty(N, np.int32)
    node, chain = np.empty((5, 2 * n), np.int32), np.empty((4, n), np.int32)
    tree, total, hung = np.empty((2 * n, 3), np.int64), np.empty((n, 3), np.int64), np.empty(2 * n, np.int64)
    stack, sums = np.empty((3, n + 1), np.int32), np.empty((n + 1, 4), np.int64)
    copy = np.empty((2, n), np.int32)
    alike = resolved = 0
    for top in range(N - 1, n - 1, -1):
        if (top < N - 1 and heavy[parent[top]] == top) or stop[top] - start[top] < 3:
            continue
        u = top
        while u >= n:
            for j in range(first[u], first[u + 1]):
                if child[j] != heavy[u]:
                    _fill(bucket, order, start[child[j]], stop[child[j]], child[j])
                    cursor[child[j]] = start[child[j]]
            u = heavy[u]
        bucket[u], cursor[u] = u, start[u]
        s = stop[top] - start[top]
        copy[0, :s] = leaves[start[top] : stop[top]]
        copy[1, :s] = gap[start[top] : stop[top]]
        inner_end = _contract(s, copy, bucket, start, cursor, leaves, gap, place, meeting, node, stack)
        _link(s, inner_end, node, chain, tree, total, hung)
        _blacken(place[start[u]], chain, tree, total, hung)
        while u != top:
            h, u = u, parent[u]
            for begin, end in ((start[u], start[h]), (stop[h], stop[u])):
                for i in range(begin, end):
                    apart, near = _pairs_beside(place[i], both, chain, tree, total, hung)
                    alike += apart
                    resolved += apart + near
            for begin, end in ((start[u], start[h]), (stop[h], stop[u])):
                for i in range(begin, end):
                    _blacken(place[i], chain, tree, total, hung)
            for j in range(first[u], first[u + 1]):
                w = child[j]
                if w != h and stop[w] - start[w] > 1:
                    outside = stop[u] - start[u] - stop[w] + start[w]
                    apart, near = _pairs_within(
                        start[w], stop[w], outside, both, place, gap, meeting, node, chain, tree, total, stack, sums
                    )
                    alike += apart
                    resolved += apart + near
    return alike, resolved if both else 0


@inner
def _fill(bucket, order, i, end, value):
    """Put the leaves at some positions into one bucket."""
    while i < end:
        bucket[order[i]] = value
        i += 1


@inner
def _contract(s, copy, bucket, start, cursor, leaves, gap, place, meeting, node, stack):
    """Contract the second tree to s leaves, and deal these out to the clades beside the first tree's heavy path.

    A stack holds the branch from the root to the current leaf: of each node the number in the second tree (greater
    means nearer to the root), the one here, and the last gap between neighbouring leaves that belongs to it. The first
    entry whose gap comes after a leaf is the common ancestor of that leaf and the current one.

    copy : int32[2, >= s], leaves and gaps in order; bucket : int32[n], node of the first tree for each leaf; cursor :
    where the next leaf of each bucket goes; leaves, gap, place, meeting : filled for each bucket
    Returns the number of the contracted tree's nodes.
    """
    fresh, height, done = s, 0, 0
    for i in range(s):
        node[SIZE, i], node[CHAIN, i], node[RUNG, i], node[HEAVY, i] = 1, i, 0, -1
        w = bucket[copy[0, i]]
        c = cursor[w]
        cursor[w] = c + 1
        leaves[c], place[c] = copy[0, i], i
        if c > start[w]:
            low, high = 0, height - 1
            while low < high:
                middle = (low + high) // 2
                if stack[2, middle] >= place[c - 1]:
                    high = middle
                else:
                    low = middle + 1
            gap[c - 1], meeting[c - 1] = stack[0, low], stack[1, low]
        done = i
        while height > 0 and (i == s - 1 or stack[0, height - 1] < copy[1, i]):
            height -= 1
            v = stack[1, height]
            _hang(done, v, node)
            node[CHAIN, v] = node[CHAIN, node[HEAVY, v]]
            node[RUNG, v] = node[RUNG, node[HEAVY, v]] + 1
            done = v
        if i < s - 1:
            if height == 0 or stack[0, height - 1] > copy[1, i]:
                stack[0, height], stack[1, height] = copy[1, i], fresh
                node[SIZE, fresh], node[HEAVY, fresh] = 0, -1
                fresh += 1
                height += 1
            stack[2, height - 1] = i
            _hang(done, stack[1, height - 1], node)
    node[UP, done] = -1
    return fresh


@inner
def _hang(u, v, node):
    """Make v the parent of u, all of whose children are known."""
    node[UP, u] = v
    node[SIZE, v] += node[SIZE, u]
    h = node[HEAVY, v]
    if h < 0 or node[SIZE, u] > node[SIZE, h]:
        node[HEAVY, v] = u


@inner
def _link(s, end, node, chain, tree, total, hung):
    """Join the nodes to chains, with nothing black."""
    for c in range(s):
        chain[LENGTH, c], chain[ABOVE, c], chain[AT, c] = 1, -1, 0
        total[c, COUNT] = total[c, PAIRS] = total[c, SQUARES] = 0
    for v in range(end):
        tree[v, COUNT] = tree[v, PAIRS] = tree[v, SQUARES] = hung[v] = 0
        c, up = node[CHAIN, v], node[UP, v]
        chain[LENGTH, c] = max(chain[LENGTH, c], node[RUNG, v] + 1)
        if up >= 0 and node[CHAIN, up] != c:
            chain[ABOVE, c], chain[AT, c] = node[CHAIN, up], node[RUNG, up]
    base = 0
    for c in range(s):
        chain[BASE, c] = base
        base += chain[LENGTH, c]


@inner
def _blacken(leaf, chain, tree, total, hung):
    """Make a leaf black: one leaf more at a rung of each chain above it."""
    c, k, more = leaf, 0, 0
    while c >= 0:
        base, length = chain[BASE, c], chain[LENGTH, c]
        odd = 2 * hung[base + k] + 1
        hung[base + k] += 1
        i = k + 1
        while i <= length:
            tree[base + i - 1, COUNT] += 1
            tree[base + i - 1, PAIRS] += more
            tree[base + i - 1, SQUARES] += odd
            i += i & -i
        total[c, PAIRS] += more
        total[c, SQUARES] += odd
        more = total[c, COUNT]
        total[c, COUNT] += 1
        k = chain[AT, c]
        c = chain[ABOVE, c]


@inner
def _pairs_beside(leaf, both, chain, tree, total, hung):
    """For a leaf c that is not black: pairs a, b of black leaves with ab|c, and those with ac|b or bc|a."""
    c, k, below = leaf, 0, 0
    apart = near = 0
    while c >= 0:
        base, i = chain[BASE, c], k
        count = pairs = squares = 0  # of the rungs below the one that the leaf hangs from
        while i > 0:
            count += tree[base + i - 1, COUNT]
            pairs += tree[base + i - 1, PAIRS]
            squares += tree[base + i - 1, SQUARES]
            i -= i & -i
        apart += count * (count - 1) // 2 + total[c, PAIRS] - pairs - below * (below - 1) // 2
        whole = total[c, COUNT]
        if both:
            x = hung[base + k]
            count += x
            twice = whole * whole - count * count - total[c, SQUARES] + squares + x * x
            near += below * (count - below) + twice // 2
        below = whole
        k = chain[AT, c]
        c = chain[ABOVE, c]
    return apart, near


@inner
def _black_below(c, k, chain, tree):
    """Black leaves at the lowest k rungs of a chain."""
    base, i, count = chain[BASE, c], k, 0
    while i > 0:
        count += tree[base + i - 1, COUNT]
        i -= i & -i
    return count


@inner
def _black_towards(v, u, node, chain, tree, total):
    """Black leaves below the child of v that is u or above it."""
    own, k, c = node[CHAIN, v], node[RUNG, v], node[CHAIN, u]
    if c != own:
        while chain[ABOVE, c] != own:
            c = chain[ABOVE, c]
        if chain[AT, c] == k:
            return total[c, COUNT]
    return _black_below(own, k, chain, tree)


@inner
def _pairs_within(begin, end, outside, both, place, gap, meeting, node, chain, tree, total, stack, sums):
    """For the leaves a, b of a small clade and black c outside it: triples with ab|c, and those with ac|b or bc|a.

    The second tree, contracted to the small clade, is scanned with a stack; `sums` has, for each node on it, the
    leaves so far, their pairs that meet there, and over its children with b leaves and w other black ones b w and
    b b w.
    """
    apart = near = 0
    height = 0
    for j in range(begin, end):
        u, b, last = place[j], np.int64(1), j == end - 1
        while True:
            closing = height > 0 and (last or stack[0, height - 1] < gap[j])
            if not closing:
                if last:
                    break
                if height == 0 or stack[0, height - 1] > gap[j]:
                    stack[0, height], stack[1, height] = gap[j], meeting[j]
                    sums[height, 0] = sums[height, 1] = sums[height, 2] = sums[height, 3] = 0
                    height += 1
            h = height - 1
            v = stack[1, h]
            sums[h, 1] += sums[h, 0] * b
            sums[h, 0] += b
            if both:
                other = _black_towards(v, u, node, chain, tree, total) - b
                sums[h, 2] += b * other
                sums[h, 3] += b * b * other
            if not closing:
                break
            height -= 1
            u, b = v, sums[h, 0]
            others = _black_below(node[CHAIN, v], node[RUNG, v] + 1, chain, tree) - b
            apart += sums[h, 1] * (outside - others)
            near += b * sums[h, 2] - sums[h, 3]
    return apart, near


@njit
def shared_clades(parent, start, stop, parent2, n):
    """Count the clades of two trees without unary nodes that are the same, those of leaves and roots included.

    The leaves are numbered in the first tree's depth-first order: its clades are intervals. Each is kept at its first
    leaf, or at its last one where it begins with its parent; no two share a place (Day 1985). O(n).

    parent, start, stop : int32[N], the first tree; parent2 : int32[M], the second; n : number of leaves
    Returns count : int.
    """
    N, M = parent.shape[0], parent2.shape[0]
    by_first, by_last = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    for u in range(N):
        if u < N - 1 and start[u] == start[parent[u]]:
            by_last[stop[u] - 1] = start[u]
        else:
            by_first[start[u]] = stop[u] - 1
    low, high, size = np.full(M, n, np.int32), np.full(M, -1, np.int32), np.zeros(M, np.int32)
    count = 0
    for v in range(M):
        if v < n:
            low[v] = high[v] = start[v]
            size[v] = 1
        if high[v] - low[v] + 1 == size[v] and (by_first[low[v]] == high[v] or by_last[high[v]] == low[v]):
            count += 1
        p = parent2[v]
        if p >= 0:
            low[p], high[p] = min(low[p], low[v]), max(high[p], high[v])
            size[p] += size[v]
    return count
