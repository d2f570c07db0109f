"""Testing and carrying out merges in the Aho tree; see ``aho_tree`` for the state."""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.aho_blocks import (
    crossing,
    descend,
    gather,
    list_leaves,
    set_of,
    spread,
    sweep,
    touch,
    unite,
)
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
    KEPT,
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
    unlink,
    unshelve,
)

__all__ = ["join"]

_ALL = np.int64(-1)


@inner
def _release(tree, var, u):
    tree[u, UP] = var[FREE]
    tree[u, FIRST] = -1
    tree[u, KIDS] = 0
    var[FREE] = u


@inner
def _pool_shelves(tree, shelf, m, u, w):
    """Put all that is on the shelf of u on that of w."""
    if shelf[m + u, 0] != m + u:
        first, last, after = shelf[m + u, 0], shelf[m + u, 1], shelf[m + w, 0]
        shelf[m + w, 0], shelf[first, 1] = first, m + w
        shelf[last, 0], shelf[after, 1] = after, last
        shelf[m + u, 0] = shelf[m + u, 1] = m + u
    tree[w, HELD] += tree[u, HELD]
    tree[u, HELD] = 0


@inner
def _joined(tree, shelf, node, var, n, m, nodes, parent, less):
    """Make one node below `parent` of the current nodes: the one with most children takes those of the others."""
    w = -1
    for k in range(nodes):
        u = node[CURRENT, k]
        if u >= n and (w < 0 or tree[u, KIDS] > tree[w, KIDS]):
            w = u
    if w < 0:
        w = var[FREE]
        var[FREE] = tree[w, UP]
        tree[w, FIRST], tree[w, KIDS], tree[w, LEAVES] = -1, 0, 0
    below = 0
    for k in range(nodes):
        u = node[CURRENT, k]
        below += tree[u, LEAVES]
        if u == w:
            continue
        if u < n:
            adopt(tree, w, u)
        else:
            while tree[u, FIRST] >= 0:
                c = tree[u, FIRST]
                orphan(tree, c)
                adopt(tree, w, c)
            _pool_shelves(tree, shelf, m, u, w)
            _release(tree, var, u)
    tree[w, LEAVES] = below - less
    adopt(tree, parent, w)
    return w


@inner
def _deal_out(tree, mark, trip, node, n, touched, found, w, i, bi, bj, top, nodes_used, trips_used):
    """Put every set of two blocks or more on the stack, with its triplets; i and j alone become one leaf.

    Returns the new height of the stack, and the lengths of its lists.
    """
    pair = -1
    if bi >= 0 and bi < n and bj < n and mark[set_of(mark, bi), BLOCKS] == 2:
        pair = set_of(mark, bi)
        orphan(tree, i)
    for k in range(touched):
        mark[node[TOUCH, k], GROUP] = -1
    base = top
    for k in range(touched):
        s = set_of(mark, node[TOUCH, k])
        if s != pair and mark[s, BLOCKS] >= 2 and mark[s, GROUP] < 0:
            mark[s, GROUP] = top
            node[NODE_BASE, top], node[NODE_COUNT, top] = nodes_used, 0
            nodes_used += mark[s, BLOCKS]
            node[TRIP_COUNT, top], node[ABOVE, top] = 0, w
            node[WITH_IJ, top] = 1 if bi >= 0 and set_of(mark, bi) == s else 0
            top += 1
    for k in range(touched):
        u = node[TOUCH, k]
        g = mark[set_of(mark, u), GROUP]
        if g >= 0:
            orphan(tree, u)
            node[WAITING, node[NODE_BASE, g] + node[NODE_COUNT, g]] = u
            node[NODE_COUNT, g] += 1
    for k in range(found):
        g = mark[trip[k, FOUND_IN], GROUP]
        if g >= 0:
            node[TRIP_COUNT, g] += 1
    for g in range(base, top):
        node[TRIP_BASE, g] = trips_used
        trips_used += node[TRIP_COUNT, g]
        node[TRIP_COUNT, g] = 0
    for k in range(found):
        g = mark[trip[k, FOUND_IN], GROUP]
        if g >= 0:
            trip[node[TRIP_BASE, g] + node[TRIP_COUNT, g], WAIT] = trip[k, FOUND]
            node[TRIP_COUNT, g] += 1
    return top, nodes_used, trips_used


@inner
def _compose(tree, slot, rows, ring, shelf, mark, trip, node, var, n, v, a, b, triplets, i, j):
    """Replace the children a and b of v, which i and j join, by the one component that they become."""
    orphan(tree, a)
    orphan(tree, b)
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    nodes, above, with_ij = np.int64(2), v, np.int64(1)
    top, nodes_used, trips_used = np.int64(0), np.int64(0), np.int64(0)
    while True:
        _, touched = spread(tree, slot, rows, mark, trip, node, var, n, nodes, triplets)
        stamp = var[STAMP]
        bi, bj = -1, -1
        if with_ij:
            bi = block(tree, stamp, i)
            bj = block(tree, stamp, j)
            touched = touch(mark, node, stamp, bi, touched)
            touched = touch(mark, node, stamp, bj, touched)
            unite(mark, bi, bj)
        found, known = gather(tree, slot, rows, ring, shelf, mark, trip, node, var, n, touched, triplets, _ALL)
        for k in range(known, found):
            unlink(shelf, trip[k, FOUND])
        w = _joined(tree, shelf, node, var, n, rows.shape[0], nodes, above, with_ij)
        tree[w, HELD] -= found - known
        for k in range(var[RESTS]):
            shelve(tree, shelf, rows.shape[0], trip[k, REST], w)
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
            trip[k, HERE] = trip[trips_used + k, WAIT]


@inner
def _lose_leaf(tree, u, p):
    """One leaf less below every node from p up."""
    while p >= 0:
        tree[p, LEAVES] -= 1
        p = tree[p, UP]


@inner
def _fuse_siblings(tree, shelf, var, m, v, i, j):
    """Make i and j, both leaves below v, one leaf, j."""
    orphan(tree, i)
    _lose_leaf(tree, i, v)
    if tree[v, KIDS] == 1 and tree[v, UP] >= 0:
        p = tree[v, UP]
        orphan(tree, j)
        orphan(tree, v)
        adopt(tree, p, j)
        tree[v, HELD] = 0  # what is there is dead
        shelf[m + v, 0] = shelf[m + v, 1] = m + v
        _release(tree, var, v)


@inner
def _leave(tree, x):
    """Take a cluster that no live triplet names out of the tree."""
    p = tree[x, UP]
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
        if trip[t, DEAD]:
            continue
        a, b = cluster_of(slot, rows[t, 0]), cluster_of(slot, rows[t, 1])
        if (a == i and b == j) or (a == j and b == i):
            trip[t, DEAD] = 1
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
    if slot[DEGREE, j] == 0 and tree[j, UP] >= 0:
        _leave(tree, j)
    sweep(slot, ring, trip, j)


@njit
def join(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j, side, go):
    """Merge cluster i into cluster j, if they are compatible and `go` is not 0.

    side : int64[2, n], filled with the clusters of the largest blocking pair, that of i first, if there is one
    Returns the sizes of the pair, (0, 0) if the merge is compatible.
    """
    if slot[DEGREE, i] > 0 and slot[DEGREE, j] > 0:
        v, a, b = meeting(tree, mark, var, i, j)
        siblings = a == i and b == j
        triplets = np.int64(0)
        if not siblings:
            if tree[v, KIDS] == 2:
                return list_leaves(tree, n, a, side[0], np.int64(0)), list_leaves(tree, n, b, side[1], np.int64(0))
            triplets = crossing(tree, slot, rows, ring, shelf, mark, trip, var, n, v, a, b)
            for k in range(triplets):
                trip[k, KEPT] = trip[k, HERE]
            left, right = descend(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j, a, b, triplets, side)
            if left > 0:
                return left, right
        if go and siblings:
            _fuse_siblings(tree, shelf, var, rows.shape[0], v, i, j)
        elif go:
            for k in range(triplets):
                trip[k, HERE] = trip[k, KEPT]
                unshelve(tree, shelf, trip[k, KEPT], v)
            _lose_leaf(tree, i, v)
            _compose(tree, slot, rows, ring, shelf, mark, trip, node, var, n, v, a, b, triplets, i, j)
    elif go and slot[DEGREE, i] > 0:
        p = tree[i, UP]
        orphan(tree, i)
        adopt(tree, p, j)
        tree[j, LEAVES] = 1
    if go:
        _settle(tree, slot, rows, ring, trip, i, j)
    return np.int64(0), np.int64(0)
