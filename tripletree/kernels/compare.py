"""Two trees on the same leaves: on how many leaf triples they agree, and how many clades they share.

The first tree is walked along its heavy paths (from a node to the child with the most leaves, each time, down to a
leaf). For each path the second tree is contracted to the leaves below the path's top. It is cut into heavy paths as
well, here called chains and named by the leaf at their end. Along each chain Fenwick trees hold sums over the black
leaves: the leaves of the first tree's clade that were reached so far. A triple ab|c of the first tree is met once, at
the child w of its highest node p that holds a and b. If w is on the path, the triple is met as a leaf c to be asked
about before it turns black. Otherwise it is met in a scan of the leaves of w, with all of p black. No tree has nodes
with one child here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import inlined, inner, njit
from tripletree.kernels.rooted_tree import child_lists

# columns of the sums over chains: black leaves, pairs of them below one child off the chain, squares of their number
# off the chain at a rung
COUNT, PAIRS, SQUARES = range(3)


class FirstTree(NamedTuple):
    """The tree that is walked: its parents and `leaf_intervals`. All arrays are read-only."""

    parent: np.ndarray  #: int32[N]
    start: np.ndarray  #: int32[N]: the leaves of node u are order[start[u]:stop[u]]
    stop: np.ndarray  #: int32[N]
    order: np.ndarray  #: int32[n]


class SecondTree(NamedTuple):
    """The tree that is contracted. All arrays are read-only."""

    order: np.ndarray  #: int32[n]: the leaves, depth first
    gap: np.ndarray  #: int32[n - 1]: the ancestor of each two neighbours there (see `gap_nodes`)


class ContractedClades(NamedTuple):
    """For each clade of the first tree, in its interval: the second tree on these leaves, as it was last contracted."""

    leaves: np.ndarray  #: int32[n]: as the second tree orders them
    gap: np.ndarray  #: int32[n]: the ancestor of a leaf and the next one, as numbered in the second tree
    place: np.ndarray  #: int32[n]: the place of each leaf among the leaves of the contracted tree
    meeting: np.ndarray  #: int32[n]: the ancestor as numbered in the contracted tree


class Buckets(NamedTuple):
    """Which clade beside the heavy path at hand each leaf is in."""

    node: np.ndarray  #: int32[n]: of each leaf, the clade's node in the first tree
    start: np.ndarray  #: int32[N]: where the interval of a clade begins
    cursor: np.ndarray  #: int32[N]: where the next leaf of a clade goes


class Contracted(NamedTuple):
    """The nodes of the contracted tree: leaves 0..s-1 in depth-first order, then the inner nodes."""

    parent: np.ndarray  #: int32[2 n], -1 above the root
    size: np.ndarray  #: int32[2 n], leaves below
    heavy: np.ndarray  #: int32[2 n], the child with the most leaves, -1 for a leaf
    chain: np.ndarray  #: int32[2 n], the leaf at the end of the node's chain
    rung: np.ndarray  #: int32[2 n], how far above this leaf it stands


class HeavyChains(NamedTuple):
    """The chains of the contracted tree, by the leaf at the end of each, and sums over their black leaves."""

    above: np.ndarray  #: int32[n], the chain that the top hangs from, -1 for none
    at: np.ndarray  #: int32[n], at which of its rungs
    base: np.ndarray  #: int32[n], where the rungs of the chain are kept
    length: np.ndarray  #: int32[n], how many rungs it has
    tree: np.ndarray  #: int64[2 n, 3], Fenwick trees over the rungs of each chain
    total: np.ndarray  #: int64[n, 3], the sums over whole chains
    hung: np.ndarray  #: int64[2 n], black leaves at each rung, off the chain


class Branch(NamedTuple):
    """A stack: the inner nodes from the root to the leaf at hand."""

    ancestor: np.ndarray  #: int32[n + 1], as numbered in the second tree: greater means nearer to the root
    node: np.ndarray  #: int32[n + 1], as numbered in the contracted tree
    last_gap: np.ndarray  #: int32[n + 1], the last gap between neighbouring leaves that belongs to it
    sums: np.ndarray
    """int64[n + 1, 4], for `_pairs_within`: the leaves so far, their pairs that meet there, and over its children with
    b leaves and w other black ones b w and b b w."""


@njit
def agreement(one, two, both):
    """Count the leaf triples that two trees resolve alike, and those that both resolve.

    O(n log n) times a leaf is asked about or turns black, at most. Each time it takes the chains above it, O(log n) of
    them, and at each a Fenwick tree over its length. Memory O(n).

    one : FirstTree
    two : SecondTree
    both : whether to count the second number, which is slower
    Returns alike, resolved : int64 (resolved is at least alike, 0 unless `both`).
    Oracle: ``comparison_by_triples`` in ``tests/unit/test_distance.py``.
    """
    parent, start, stop, order = one
    n, N = order.shape[0], parent.shape[0]
    first, child = child_lists(parent)
    heavy = np.full(N, -1, np.int32)
    for u in range(N - 1):
        h = heavy[parent[u]]
        if h < 0 or stop[u] - start[u] > stop[h] - start[h]:
            heavy[parent[u]] = u
    clades = ContractedClades(two.order.copy(), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32))
    leaves, gap, place, meeting = clades
    gap[: n - 1] = two.gap
    bucket, cursor = np.empty(n, np.int32), np.empty(N, np.int32)
    buckets = Buckets(bucket, start, cursor)
    node, chain, stack = np.empty((5, 2 * n), np.int32), np.empty((4, n), np.int32), np.empty((3, n + 1), np.int32)
    small = Contracted(node[0], node[1], node[2], node[3], node[4])
    tree, total, hung = np.empty((2 * n, 3), np.int64), np.empty((n, 3), np.int64), np.empty(2 * n, np.int64)
    chains = HeavyChains(chain[0], chain[1], chain[2], chain[3], tree, total, hung)
    branch = Branch(stack[0], stack[1], stack[2], np.empty((n + 1, 4), np.int64))
    copy = np.empty((2, n), np.int32)
    alike = resolved = 0
    for top in range(N - 1, n - 1, -1):
        if (top < N - 1 and heavy[parent[top]] == top) or stop[top] - start[top] < 3:
            continue  # inside a heavy path, or too few leaves for a triple
        # every leaf below top gets the light child of the path that it is below as its bucket
        u = top
        while u >= n:
            for j in range(first[u], first[u + 1]):
                if child[j] != heavy[u]:
                    _fill(bucket, order, start[child[j]], stop[child[j]], child[j])
                    cursor[child[j]] = start[child[j]]
            u = heavy[u]
        bucket[u], cursor[u] = u, start[u]
        n_leaves = stop[top] - start[top]
        for i in range(n_leaves):
            copy[0, i], copy[1, i] = leaves[start[top] + i], gap[start[top] + i]
        n_nodes = _contract(copy[:, :n_leaves], buckets, clades, small, branch)
        _link(n_leaves, n_nodes, small, chains)
        _blacken(place[start[u]], chains)
        while u != top:  # up the path: below h all leaves are black, and the others of u are not yet
            h, u = u, parent[u]
            for begin, end in ((start[u], start[h]), (stop[h], stop[u])):
                for i in range(begin, end):
                    apart, near = _pairs_beside(place[i], both, chains)
                    alike += apart
                    resolved += apart + near
            for begin, end in ((start[u], start[h]), (stop[h], stop[u])):
                for i in range(begin, end):
                    _blacken(place[i], chains)
            # now all leaves of u are black: a and b inside a light child w, c in u but outside w
            for j in range(first[u], first[u + 1]):
                w = child[j]
                if w != h and stop[w] - start[w] > 1:
                    outside = stop[u] - start[u] - stop[w] + start[w]
                    part = ContractedClades(
                        leaves[start[w] : stop[w]],
                        gap[start[w] : stop[w]],
                        place[start[w] : stop[w]],
                        meeting[start[w] : stop[w]],
                    )
                    apart, near = _pairs_within(part, outside, both, small, chains, branch)
                    alike += apart
                    resolved += apart + near
    return alike, resolved if both else 0


@inner
def _fill(bucket, order, i, end, value):
    """Put the leaves at some positions into one bucket."""
    while i < end:
        bucket[order[i]] = value
        i += 1


@inlined
def _contract(copy, buckets, clades, small, branch):
    """Contract the second tree to some leaves, and deal these out to the clades beside the first tree's heavy path.

    The branch goes from the root to the current leaf. Its first entry whose last gap comes after a leaf is the common
    ancestor of that leaf and the current one.

    copy : int32[2, s], leaves and gaps in order
    clades : filled for each bucket
    Returns the number of the contracted tree's nodes.
    """
    s = copy.shape[1]
    fresh, height, done = s, 0, 0
    for i in range(s):
        small.size[i], small.chain[i], small.rung[i], small.heavy[i] = 1, i, 0, -1
        w = buckets.node[copy[0, i]]
        c = buckets.cursor[w]
        buckets.cursor[w] = c + 1
        clades.leaves[c], clades.place[c] = copy[0, i], i
        if c > buckets.start[w]:  # the previous leaf of this bucket and this one meet on the branch
            low, high = 0, height - 1
            while low < high:
                middle = (low + high) // 2
                if branch.last_gap[middle] >= clades.place[c - 1]:
                    high = middle
                else:
                    low = middle + 1
            clades.gap[c - 1], clades.meeting[c - 1] = branch.ancestor[low], branch.node[low]
        # nodes that end before the next gap's node are complete: each is hung below the one that ended after it
        done = i
        while height > 0 and (i == s - 1 or branch.ancestor[height - 1] < copy[1, i]):
            height -= 1
            v = branch.node[height]
            _hang(done, v, small)
            small.chain[v] = small.chain[small.heavy[v]]
            small.rung[v] = small.rung[small.heavy[v]] + 1
            done = v
        if i < s - 1:
            if height == 0 or branch.ancestor[height - 1] > copy[1, i]:
                branch.ancestor[height], branch.node[height] = copy[1, i], fresh
                small.size[fresh], small.heavy[fresh] = 0, -1
                fresh += 1
                height += 1
            branch.last_gap[height - 1] = i
            _hang(done, branch.node[height - 1], small)
    small.parent[done] = -1
    return fresh


@inlined
def _hang(u, v, small):
    """Make v the parent of u, all of whose children are known."""
    small.parent[u] = v
    small.size[v] += small.size[u]
    h = small.heavy[v]
    if h < 0 or small.size[u] > small.size[h]:
        small.heavy[v] = u


@inlined
def _link(n_leaves, n_nodes, small, chains):
    """Join the nodes to chains, with nothing black."""
    tree, total = chains.tree, chains.total
    for c in range(n_leaves):
        chains.length[c], chains.above[c], chains.at[c] = 1, -1, 0
        total[c, COUNT] = total[c, PAIRS] = total[c, SQUARES] = 0
    for v in range(n_nodes):
        tree[v, COUNT] = tree[v, PAIRS] = tree[v, SQUARES] = chains.hung[v] = 0
        c, up = small.chain[v], small.parent[v]
        chains.length[c] = max(chains.length[c], small.rung[v] + 1)
        if up >= 0 and small.chain[up] != c:
            chains.above[c], chains.at[c] = small.chain[up], small.rung[up]
    base = 0
    for c in range(n_leaves):
        chains.base[c] = base
        base += chains.length[c]


@inlined
def _blacken(leaf, chains):
    """Make a leaf black: one leaf more at a rung of each chain above it."""
    tree, total, hung = chains.tree, chains.total, chains.hung
    c, k, more = leaf, 0, 0
    while c >= 0:
        base, length = chains.base[c], chains.length[c]
        odd = 2 * hung[base + k] + 1  # (x + 1)^2 - x^2
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
        k = chains.at[c]
        c = chains.above[c]


@inlined
def _pairs_beside(leaf, both, chains):
    """For a leaf c that is not black: pairs a, b of black leaves with ab|c, and those with ac|b or bc|a."""
    tree, total = chains.tree, chains.total
    c, k, below = leaf, 0, 0
    apart = near = 0
    while c >= 0:
        base, i = chains.base[c], k
        count = pairs = squares = 0  # of the rungs below the one that the leaf hangs from
        while i > 0:
            count += tree[base + i - 1, COUNT]
            pairs += tree[base + i - 1, PAIRS]
            squares += tree[base + i - 1, SQUARES]
            i -= i & -i
        apart += count * (count - 1) // 2 + total[c, PAIRS] - pairs - below * (below - 1) // 2
        whole = total[c, COUNT]
        if both:
            x = chains.hung[base + k]
            count += x
            twice = whole * whole - count * count - total[c, SQUARES] + squares + x * x
            near += below * (count - below) + twice // 2
        below = whole
        k = chains.at[c]
        c = chains.above[c]
    return apart, near


@inlined
def _black_below(c, k, chains):
    """Black leaves at the lowest k rungs of a chain."""
    base, i, count = chains.base[c], k, 0
    while i > 0:
        count += chains.tree[base + i - 1, COUNT]
        i -= i & -i
    return count


@inlined
def _black_towards(v, u, small, chains):
    """Black leaves below the child of v that is u or above it."""
    own, k, c = small.chain[v], np.int64(small.rung[v]), small.chain[u]
    if c != own:
        while chains.above[c] != own:
            c = chains.above[c]
        if chains.at[c] == k:
            return chains.total[c, COUNT]
    return _black_below(own, k, chains)


@inlined
def _pairs_within(part, outside, both, small, chains, branch):
    """For the leaves a, b of a small clade and black c outside it: triples with ab|c, and those with ac|b or bc|a.

    The second tree, contracted to the small clade, is scanned with a stack.

    part : ContractedClades, of this clade alone
    outside : how many black leaves are not in it
    """
    gap, sums = part.gap, branch.sums
    apart = near = 0
    height = 0
    n_leaves = len(part.place)
    for j in range(n_leaves):
        u, b, last = part.place[j], np.int64(1), j == n_leaves - 1
        while True:
            # the b leaves below u join the top of the stack, after it was opened if need be; a complete node joins
            # the next one in its turn
            closing = height > 0 and (last or branch.ancestor[height - 1] < gap[j])
            if not closing:
                if last:
                    break
                if height == 0 or branch.ancestor[height - 1] > gap[j]:
                    branch.ancestor[height], branch.node[height] = gap[j], part.meeting[j]
                    sums[height, 0] = sums[height, 1] = sums[height, 2] = sums[height, 3] = 0
                    height += 1
            h = height - 1
            v = branch.node[h]
            sums[h, 1] += sums[h, 0] * b
            sums[h, 0] += b
            if both:
                other = _black_towards(v, u, small, chains) - b
                sums[h, 2] += b * other
                sums[h, 3] += b * b * other
            if not closing:
                break
            height -= 1
            u, b = v, sums[h, 0]
            others = _black_below(small.chain[v], small.rung[v] + 1, chains) - b
            apart += sums[h, 1] * (outside - others)
            near += b * sums[h, 2] - sums[h, 3]
    return apart, near


@njit
def shared_clades(parent, start, stop, parent2, n):
    """Count the clades that two trees without unary nodes share, leaves and roots included.

    The leaves are numbered in the first tree's depth-first order: its clades are intervals. Each is kept at its first
    leaf, or at its last one where it begins with its parent. No two share a place (Day 1985). O(n).

    parent, start, stop : int32[N], the first tree
    parent2 : int32[M], the second
    n : number of leaves
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
