"""Merging two clusters in the Aho tree; see ``aho_tree`` for the state."""

from __future__ import annotations

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.aho_blocks import crossing, gather, set_of, spread, sweep, touch, unite
from tripletree._kernels.aho_tree import (
    ABOVE,
    BLOCKS,
    CURRENT,
    DEAD,
    DEGREE,
    ENTRIES,
    FIRST,
    FOUND,
    FOUND_IN,
    FREE,
    GROUP,
    HELD,
    HERE,
    INTO,
    KIDS,
    LEAVES,
    NODE_BASE,
    NODE_COUNT,
    REST,
    RESTS,
    RING,
    STAMP,
    TOUCH,
    TRIP_BASE,
    TRIP_COUNT,
    UP,
    WAIT,
    WAITING,
    WITH_IJ,
    adopt,
    block,
    cluster_of,
    meeting,
    orphan,
    shelve,
)

__all__ = ["fuse"]


@inner
def _release(tree, var, u):
    tree[UP, u] = var[FREE]
    tree[FIRST, u] = -1
    tree[KIDS, u] = 0
    var[FREE] = u


@inner
def _pool_shelves(tree, shelf, m, u, w):
    """Put all that is on the shelf of u on that of w."""
    if shelf[0, m + u] != m + u:
        first, last, after = shelf[0, m + u], shelf[1, m + u], shelf[0, m + w]
        shelf[0, m + w], shelf[1, first] = first, m + w
        shelf[0, last], shelf[1, after] = after, last
        shelf[0, m + u] = shelf[1, m + u] = m + u
    tree[HELD, w] += tree[HELD, u]
    tree[HELD, u] = 0


@inner
def _joined(tree, shelf, node, var, n, m, nodes, parent, less):
    """Make one node below `parent` of the current nodes: the one with most children takes those of the others."""
    w = -1
    for k in range(nodes):
        u = node[CURRENT, k]
        if u >= n and (w < 0 or tree[KIDS, u] > tree[KIDS, w]):
            w = u
    if w < 0:
        w = var[FREE]
        var[FREE] = tree[UP, w]
        tree[FIRST, w], tree[KIDS, w], tree[LEAVES, w] = -1, 0, 0
    below = 0
    for k in range(nodes):
        u = node[CURRENT, k]
        below += tree[LEAVES, u]
        if u == w:
            continue
        if u < n:
            adopt(tree, w, u)
        else:
            while tree[FIRST, u] >= 0:
                c = tree[FIRST, u]
                orphan(tree, c)
                adopt(tree, w, c)
            _pool_shelves(tree, shelf, m, u, w)
            _release(tree, var, u)
    tree[LEAVES, w] = below - less
    adopt(tree, parent, w)
    return w


@inner
def _deal_out(tree, mark, trip, node, n, touched, found, w, i, bi, bj, top, nodes_used, trips_used):
    """Put every set of two blocks or more on the stack, with its triplets; i and j alone become one leaf.

    Returns the new height of the stack, and the lengths of its lists.
    """
    pair = -1
    if bi >= 0 and bi < n and bj < n and mark[BLOCKS, set_of(mark, bi)] == 2:
        pair = set_of(mark, bi)
        orphan(tree, i)
    for k in range(touched):
        mark[GROUP, node[TOUCH, k]] = -1
    base = top
    for k in range(touched):
        s = set_of(mark, node[TOUCH, k])
        if s != pair and mark[BLOCKS, s] >= 2 and mark[GROUP, s] < 0:
            mark[GROUP, s] = top
            node[NODE_BASE, top], node[NODE_COUNT, top] = nodes_used, 0
            nodes_used += mark[BLOCKS, s]
            node[TRIP_COUNT, top], node[ABOVE, top] = 0, w
            node[WITH_IJ, top] = 1 if bi >= 0 and set_of(mark, bi) == s else 0
            top += 1
    for k in range(touched):
        u = node[TOUCH, k]
        g = mark[GROUP, set_of(mark, u)]
        if g >= 0:
            orphan(tree, u)
            node[WAITING, node[NODE_BASE, g] + node[NODE_COUNT, g]] = u
            node[NODE_COUNT, g] += 1
    for k in range(found):
        g = mark[GROUP, trip[FOUND_IN, k]]
        if g >= 0:
            node[TRIP_COUNT, g] += 1
    for g in range(base, top):
        node[TRIP_BASE, g] = trips_used
        trips_used += node[TRIP_COUNT, g]
        node[TRIP_COUNT, g] = 0
    for k in range(found):
        g = mark[GROUP, trip[FOUND_IN, k]]
        if g >= 0:
            trip[WAIT, node[TRIP_BASE, g] + node[TRIP_COUNT, g]] = trip[FOUND, k]
            node[TRIP_COUNT, g] += 1
    return top, nodes_used, trips_used


@inner
def _compose(tree, slot, rows, ring, shelf, mark, trip, node, var, n, v, a, b, triplets, i, j):
    """Replace the children a and b of v, which i and j join, by the one component that they become."""
    orphan(tree, a)
    orphan(tree, b)
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    nodes, above, with_ij = 2, v, 1
    top, nodes_used, trips_used = 0, 0, 0
    while True:
        _, touched = spread(tree, slot, rows, mark, trip, node, var, n, nodes, triplets)
        stamp = var[STAMP]
        bi, bj = -1, -1
        if with_ij:
            bi = block(tree, mark, stamp, i)
            bj = block(tree, mark, stamp, j)
            touched = touch(mark, node, stamp, bi, touched)
            touched = touch(mark, node, stamp, bj, touched)
            unite(mark, bi, bj)
        found = gather(tree, slot, rows, ring, shelf, mark, trip, node, var, n, touched, triplets, -1, True)
        w = _joined(tree, shelf, node, var, n, rows.shape[0], nodes, above, with_ij)
        for k in range(var[RESTS]):
            shelve(tree, shelf, rows.shape[0], trip[REST, k], w)
        top, nodes_used, trips_used = _deal_out(
            tree, mark, trip, node, n, touched, found, w, i, bi, bj, top, nodes_used, trips_used
        )
        if top == 0:
            return
        top -= 1
        nodes, triplets = node[NODE_COUNT, top], node[TRIP_COUNT, top]
        nodes_used, trips_used = node[NODE_BASE, top], node[TRIP_BASE, top]
        above, with_ij = node[ABOVE, top], node[WITH_IJ, top]
        for k in range(nodes):
            node[CURRENT, k] = node[WAITING, nodes_used + k]
        for k in range(triplets):
            trip[HERE, k] = trip[WAIT, trips_used + k]


@inner
def _lose_leaf(tree, u, p):
    """One leaf less below every node from p up."""
    while p >= 0:
        tree[LEAVES, p] -= 1
        p = tree[UP, p]


@inner
def _fuse_leaves(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j):
    """Make the leaves i and j of the tree one leaf, j."""
    v, a, b = meeting(tree, mark, var, i, j)
    if a == i and b == j:
        orphan(tree, i)
        _lose_leaf(tree, i, v)
        if tree[KIDS, v] == 1 and tree[UP, v] >= 0:
            p = tree[UP, v]
            orphan(tree, j)
            orphan(tree, v)
            adopt(tree, p, j)
            tree[HELD, v] = 0  # what is there is dead
            shelf[0, rows.shape[0] + v] = shelf[1, rows.shape[0] + v] = rows.shape[0] + v
            _release(tree, var, v)
        return
    triplets = crossing(tree, slot, rows, ring, shelf, mark, trip, var, n, v, a, b, True)
    _lose_leaf(tree, i, v)
    _compose(tree, slot, rows, ring, shelf, mark, trip, node, var, n, v, a, b, triplets, i, j)


@inner
def _leave(tree, x):
    """Take a cluster that no live triplet names out of the tree."""
    p = tree[UP, x]
    orphan(tree, x)
    _lose_leaf(tree, x, p)


@inner
def _settle(tree, slot, rows, ring, trip, i, j):
    """End the triplets ij|c, which hold from now on, and give all triplets of i to j."""
    x = i if slot[ENTRIES, i] <= slot[ENTRIES, j] else j
    e = slot[RING, x]
    for _ in range(slot[ENTRIES, x]):
        e = ring[e]
        t = e // 3
        if trip[DEAD, t]:
            continue
        a, b = cluster_of(slot, rows[t, 0]), cluster_of(slot, rows[t, 1])
        if (a == i and b == j) or (a == j and b == i):
            trip[DEAD, t] = 1
            slot[DEGREE, i] -= 1
            slot[DEGREE, j] -= 1
            c = cluster_of(slot, rows[t, 2])
            slot[DEGREE, c] -= 1
            if slot[DEGREE, c] == 0:
                _leave(tree, c)
    if slot[RING, j] < 0:
        slot[RING, j] = slot[RING, i]
    elif slot[RING, i] >= 0:
        p, q = slot[RING, i], slot[RING, j]
        ring[p], ring[q] = ring[q], ring[p]
    slot[ENTRIES, j] += slot[ENTRIES, i]
    slot[DEGREE, j] += slot[DEGREE, i]
    slot[INTO, i] = j
    if slot[DEGREE, j] == 0 and tree[UP, j] >= 0:
        _leave(tree, j)
    sweep(slot, ring, trip, j)


@njit
def fuse(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j):
    """Merge cluster i into cluster j; the merge must be compatible (see ``aho_blocks.blocked``)."""
    if slot[DEGREE, i] > 0 and slot[DEGREE, j] > 0:
        _fuse_leaves(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j)
    elif slot[DEGREE, i] > 0:
        p = tree[UP, i]
        orphan(tree, i)
        adopt(tree, p, j)
        tree[LEAVES, j] = 1
    _settle(tree, slot, rows, ring, trip, i, j)
