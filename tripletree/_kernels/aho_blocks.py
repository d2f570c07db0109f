"""The components that fuse when two clusters merge: what crosses between them, level by level.

`descend` tells whether a merge is compatible; ``aho_fuse`` carries one out. The state is described in ``aho_tree``.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner
from tripletree._kernels.aho_tree import (
    AT_A,
    AT_C,
    BELOW,
    BLOCKS,
    CURRENT,
    DEAD,
    DEGREE,
    ENTRIES,
    FOUND,
    FOUND_IN,
    HELD,
    HERE,
    HIT,
    HITS,
    KIDS,
    LARGEST,
    LEAVES,
    REST,
    RESTS,
    RING,
    SEEN,
    SET,
    SPLIT,
    STAMP,
    TOUCH,
    TOUCHED,
    UP,
    block,
    cluster_of,
    first_leaf,
    is_split,
    make_home,
    next_leaf,
    unshelve,
)

__all__ = ["crossing", "descend", "gather", "list_leaves", "set_of", "spread", "sweep", "touch", "unite"]


@inner
def set_of(mark, u):
    """The set that a touched block is in (a disjoint set, with path halving)."""
    while mark[u, SET] != u:
        mark[u, SET] = mark[mark[u, SET], SET]
        u = mark[u, SET]
    return u


@inner
def touch(mark, node, stamp, u, touched):
    """Make u a set of its own unless it is touched already. Returns the number of touched blocks."""
    if mark[u, TOUCHED] != stamp:
        mark[u, TOUCHED] = stamp
        mark[u, SET] = u
        mark[u, BLOCKS] = 1
        node[TOUCH, touched] = u
        touched += 1
    return touched


@inner
def unite(mark, u, w):
    u = set_of(mark, u)
    w = set_of(mark, w)
    if u != w:
        mark[w, SET] = u
        mark[u, BLOCKS] += mark[w, BLOCKS]


@inner
def sweep(slot, ring, trip, x):
    """Take the dead entries out of x's ring once they are most of it."""
    if slot[ENTRIES, x] <= 2 * slot[DEGREE, x] + 2:
        return
    before = slot[RING, x]
    kept = 0
    for _ in range(slot[ENTRIES, x]):
        e = ring[before]
        if trip[e // 3, DEAD]:
            ring[before] = ring[e]
        else:
            before = e
            kept += 1
    slot[RING, x] = before if kept > 0 else -1
    slot[ENTRIES, x] = kept


@inner
def crossing(tree, slot, rows, ring, shelf, mark, trip, var, n, v, a, b):
    """List (in HERE) the live triplets between the children a and b of v.

    They are all on the shelf of v, and all in the rings of the clusters below a as well as below b: the shortest of
    these is gone through. Returns their number.
    """
    var[STAMP] += 1
    stamp = var[STAMP]
    make_home(tree, stamp, a, a)
    make_home(tree, stamp, b, b)
    top = a if tree[a, LEAVES] <= tree[b, LEAVES] else b
    count = 0
    m = rows.shape[0]
    if tree[v, HELD] <= 2 * tree[top, LEAVES]:
        t = shelf[m + v, 0]
        while t < m:
            after = shelf[t, 0]
            if trip[t, DEAD]:
                unshelve(tree, shelf, t, v)
            else:
                p = block(tree, stamp, cluster_of(slot, rows[t, 0]))
                if p >= 0:
                    r = block(tree, stamp, cluster_of(slot, rows[t, 2]))
                    if r >= 0 and p != r:
                        trip[count, HERE] = t
                        count += 1
            t = after
    else:
        x = first_leaf(tree, n, top)
        while x >= 0:
            sweep(slot, ring, trip, x)
            e = slot[RING, x]
            for _ in range(slot[ENTRIES, x]):
                e = ring[e]
                t = e // 3
                if trip[t, DEAD] or trip[t, SEEN] == stamp:
                    continue
                trip[t, SEEN] = stamp
                r = block(tree, stamp, cluster_of(slot, rows[t, 0 if e % 3 == 2 else 2]))
                if r >= 0 and r != top:
                    trip[count, HERE] = t
                    count += 1
            x = next_leaf(tree, n, x, top)
    return count


@inner
def spread(tree, slot, rows, mark, trip, node, var, n, nodes, triplets):
    """Unite the children of the current nodes by the triplets at hand.

    Returns the number of children (a leaf counts as its own), and of those touched.
    """
    var[STAMP] += 1
    stamp = var[STAMP]
    blocks = 0
    for k in range(nodes):
        u = node[CURRENT, k]
        make_home(tree, stamp, u, SPLIT)
        blocks += tree[u, KIDS] if u >= n else 1
    touched = np.int64(0)
    for k in range(triplets):
        t = trip[k, HERE]
        a = block(tree, stamp, cluster_of(slot, rows[t, 0]))
        b = block(tree, stamp, cluster_of(slot, rows[t, 1]))
        trip[k, AT_A] = a
        trip[k, AT_C] = block(tree, stamp, cluster_of(slot, rows[t, 2]))
        touched = touch(mark, node, stamp, a, touched)
        touched = touch(mark, node, stamp, b, touched)
        unite(mark, a, b)
    return blocks, touched


@inner
def _count_hits(tree, mark, node, stamp, touched, only):
    """For each current node: how many of its children are touched, the largest of them, the leaves below them all.

    The number is turned round (-HITS) where the shelf is shorter than the rings of all but the largest.
    """
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if is_split(tree, stamp, u) or (only >= 0 and set_of(mark, u) != only):
            continue
        if mark[p, HIT] != stamp:
            mark[p, HIT], mark[p, HITS], mark[p, LARGEST], mark[p, BELOW] = stamp, 0, u, 0
        mark[p, HITS] += 1
        mark[p, BELOW] += tree[u, LEAVES]
        if tree[u, LEAVES] > tree[mark[p, LARGEST], LEAVES]:
            mark[p, LARGEST] = u
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if is_split(tree, stamp, u) or mark[p, HIT] != stamp or mark[p, LARGEST] != u:
            continue
        if tree[p, HELD] <= 2 * (mark[p, BELOW] - tree[u, LEAVES]):
            mark[p, HITS] = -mark[p, HITS]


@inner
def gather(tree, slot, rows, ring, shelf, mark, trip, node, var, n, touched, triplets, only):
    """List (in FOUND, FOUND_IN) the triplets inside one set of touched blocks but not in one block.

    They are among those at hand, or between children of one current node: on its shelf, and in the rings of all its
    touched children but the largest. `only` : the set to look at, -1 for all. Those at hand that are not among them are
    listed in REST. Returns their number, and how many of them, the first ones, were at hand.
    """
    stamp = var[STAMP]
    count = np.int64(0)  # (a plain 0 would have numba compile what it is passed to twice)
    var[RESTS] = 0
    for k in range(triplets):
        s = set_of(mark, trip[k, AT_A])
        c = trip[k, AT_C]
        if (only < 0 or s == only) and mark[c, TOUCHED] == stamp and set_of(mark, c) == s:
            trip[count, FOUND], trip[count, FOUND_IN] = trip[k, HERE], s
            count += 1
        else:
            trip[var[RESTS], REST] = trip[k, HERE]
            var[RESTS] += 1
    known = count
    _count_hits(tree, mark, node, stamp, touched, only)
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if is_split(tree, stamp, u) or mark[p, HIT] != stamp or abs(mark[p, HITS]) < 2:
            continue
        if mark[p, HITS] < 0:
            if mark[p, LARGEST] == u:
                count = _on_shelf(tree, slot, rows, shelf, mark, trip, stamp, p, only, count)
        elif mark[p, LARGEST] != u and (only < 0 or set_of(mark, u) == only):
            count = _between(tree, slot, rows, ring, mark, trip, stamp, n, u, count)
    return count, known


@inner
def _same_set(tree, slot, rows, mark, stamp, t, p):
    """The set that holds triplet t, which node p separates; -1 if there is none."""
    a = block(tree, stamp, cluster_of(slot, rows[t, 0]))
    if a < 0 or mark[a, TOUCHED] != stamp or is_split(tree, stamp, a) or tree[a, UP] != p:
        return -1
    c = block(tree, stamp, cluster_of(slot, rows[t, 2]))
    if c < 0 or c == a or mark[c, TOUCHED] != stamp or is_split(tree, stamp, c) or tree[c, UP] != p:
        return -1
    s = set_of(mark, a)
    return s if set_of(mark, c) == s else -1


@inner
def _on_shelf(tree, slot, rows, shelf, mark, trip, stamp, p, only, count):
    """Add to FOUND the triplets on the shelf of current node p that lie in one set."""
    m = rows.shape[0]
    t = shelf[m + p, 0]
    while t < m:
        after = shelf[t, 0]
        if trip[t, DEAD]:
            unshelve(tree, shelf, t, p)
        else:
            s = _same_set(tree, slot, rows, mark, stamp, t, p)
            if s >= 0 and (only < 0 or s == only):
                trip[count, FOUND], trip[count, FOUND_IN] = t, s
                count += 1
        t = after
    return count


@inner
def _between(tree, slot, rows, ring, mark, trip, stamp, n, top, count):
    """Add to FOUND the triplets between block `top` and other children of its parent, all in the set of `top`."""
    p = tree[top, UP]
    s = set_of(mark, top)
    x = first_leaf(tree, n, top)
    while x >= 0:
        sweep(slot, ring, trip, x)
        e = slot[RING, x]
        for _ in range(slot[ENTRIES, x]):
            e = ring[e]
            t = e // 3
            if trip[t, DEAD] or trip[t, SEEN] == stamp:
                continue
            trip[t, SEEN] = stamp
            # one end is below `top`: if it is c, where is a, else, where is c? (b is where a is)
            w = block(tree, stamp, cluster_of(slot, rows[t, 0 if e % 3 == 2 else 2]))
            if w < 0 or w == top or mark[w, TOUCHED] != stamp or is_split(tree, stamp, w) or tree[w, UP] != p:
                continue
            if set_of(mark, w) == s:
                trip[count, FOUND], trip[count, FOUND_IN] = t, s
                count += 1
        x = next_leaf(tree, n, x, top)
    return count


@inner
def list_leaves(tree, n, top, side, count):
    x = first_leaf(tree, n, top)
    while x >= 0:
        side[count] = x
        count += 1
        x = next_leaf(tree, n, x, top)
    return count


@inner
def descend(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j, a, b, triplets, side):
    """Whether i and j are blocked by the triplets between a and b, the siblings above them, and what these entail.

    triplets : how many of them are at hand; side : int64[2, n], filled with the largest blocking pair, that of i first
    Returns the sizes of the pair, (0, 0) if there is none.
    """
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    nodes = np.int64(2)
    while triplets > 0:
        blocks, touched = spread(tree, slot, rows, mark, trip, node, var, n, nodes, triplets)
        stamp = var[STAMP]
        bi = block(tree, stamp, i)
        bj = block(tree, stamp, j)
        touched = touch(mark, node, stamp, bi, touched)
        touched = touch(mark, node, stamp, bj, touched)
        si, sj = set_of(mark, bi), set_of(mark, bj)
        size = mark[si, BLOCKS] + (mark[sj, BLOCKS] if si != sj else 0)
        if size == 2 and bi == i and bj == j:
            break
        if size == blocks:
            left, right = np.int64(0), np.int64(0)
            for k in range(touched):
                u = node[TOUCH, k]
                if set_of(mark, u) == si:
                    left = list_leaves(tree, n, u, side[0], left)
                else:
                    right = list_leaves(tree, n, u, side[1], right)
            return left, right
        unite(mark, bi, bj)
        s = set_of(mark, bi)
        triplets, _ = gather(tree, slot, rows, ring, shelf, mark, trip, node, var, n, touched, triplets, s)
        for k in range(triplets):
            trip[k, HERE] = trip[k, FOUND]
        nodes = 0
        for k in range(touched):
            u = node[TOUCH, k]
            if set_of(mark, u) == s:
                node[CURRENT, nodes] = u
                nodes += 1
    return np.int64(0), np.int64(0)
