"""Votes between two sets of taxa P and Q: source triplets pp'|q, qq'|p and pq|p', counted in one scan of each tree.

A tree is a leaf sequence (see `votes`). A scan keeps the open nodes on a stack, each with its leaves in P and in Q and
a few sums over its children: no triplet is listed, and no tree is built. A triplet pp'|q is counted where q meets p
and p', once for the child that holds p and p'; so the sums of all nodes are needed, and nothing else.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import allocating, inner, njit

__all__ = ["edge_votes", "split_votes"]

# columns of the stack of open nodes: the number of the node; its leaves in P and in Q; over its children, the sums of
# pairs pp', qq' and pq, of each times the leaves of the other kind, and the triplets pq|p' counted so far
RANK, IN_P, IN_Q, PP, QQ, PQ, PPQ, QQP, MIXED = 0, 1, 2, 3, 4, 5, 6, 7, 8
WIDTH = 9
# what a scan finds: pp'|q, pq|p', qq'|p
NEAR, CROSS, FAR = 0, 1, 2


@inner
def _hang(stack, v, p, q):
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
                    _hang(stack, size, p, q)
                    _shut(stack, size, found)
                    p, q = stack[size, IN_P], stack[size, IN_Q]
                if size == 0 or stack[size - 1, RANK] > passed:
                    for j in range(WIDTH):
                        stack[size, j] = 0
                    stack[size, RANK] = passed
                    size += 1
                _hang(stack, size - 1, p, q)
            p, q = np.int64(c == 1), np.int64(c == 2)
            passed = np.int64(-1)
        if gap[i] > passed:
            passed = np.int64(gap[i])
    while size > 0:
        size -= 1
        _hang(stack, size, p, q)
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
