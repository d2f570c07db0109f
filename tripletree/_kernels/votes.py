"""Source trees as leaf sequences, and what can be read off them without listing a triplet.

A collection of trees is one sequence: the taxa of each tree in depth-first order, and beside each taxon the number of
the last common ancestor of it and the next one (greater numbers are higher up, equal ones are one node), END at the
last leaf of a tree. A tree restricted to some taxa is a part of its sequence, with the greatest of the numbers passed
over: no tree is built for that, and all parts of a division come out of one pass.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.disjoint_set import find, unite

__all__ = ["END", "divide", "nodes", "number_of_triplets", "parts"]

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
