"""The components that fuse when two clusters merge: what crosses between them, level by level.

`blocked` tells whether a merge is compatible; ``aho_fuse`` carries one out. The state is described in ``aho_tree``.
"""

from __future__ import annotations

from tripletree._kernels._jit import inner, njit
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
    NOW,
    REST,
    RESTS,
    RING,
    SEEN,
    SET,
    STAMP,
    TOUCH,
    TOUCHED,
    UP,
    block,
    cluster_of,
    current_above,
    first_leaf,
    meeting,
    next_leaf,
    unshelve,
)
from tripletree._kernels.disjoint_set import find

__all__ = ["blocked", "crossing", "gather", "set_of", "spread", "sweep", "touch", "unite"]


@inner
def set_of(mark, u):
    """The set that a touched block is in."""
    return find(mark[SET], u)


@inner
def touch(mark, node, stamp, u, touched):
    """Make u a set of its own unless it is touched already. Returns the number of touched blocks."""
    if mark[TOUCHED, u] != stamp:
        mark[TOUCHED, u] = stamp
        mark[SET, u] = u
        mark[BLOCKS, u] = 1
        node[TOUCH, touched] = u
        touched += 1
    return touched


@inner
def unite(mark, u, w):
    u = set_of(mark, u)
    w = set_of(mark, w)
    if u != w:
        mark[SET, w] = u
        mark[BLOCKS, u] += mark[BLOCKS, w]


@inner
def sweep(slot, ring, trip, x):
    """Take the dead entries out of x's ring once they are most of it."""
    if slot[ENTRIES, x] <= 2 * slot[DEGREE, x] + 2:
        return
    before = slot[RING, x]
    kept = 0
    for _ in range(slot[ENTRIES, x]):
        e = ring[before]
        if trip[DEAD, e // 3]:
            ring[before] = ring[e]
        else:
            before = e
            kept += 1
    slot[RING, x] = before if kept > 0 else -1
    slot[ENTRIES, x] = kept


@inner
def crossing(tree, slot, rows, ring, shelf, mark, trip, var, n, v, a, b, take):
    """List (in HERE) the live triplets between the children a and b of v; take them off its shelf if asked to.

    They are all on the shelf of v, and all in the rings of the clusters below a as well as below b: the shortest of
    these is gone through. Returns their number.
    """
    var[STAMP] += 1
    stamp = var[STAMP]
    mark[NOW, a] = mark[NOW, b] = stamp
    top = a if tree[LEAVES, a] <= tree[LEAVES, b] else b
    count = 0
    m = rows.shape[0]
    if tree[HELD, v] <= 2 * tree[LEAVES, top]:
        t = shelf[0, m + v]
        while t < m:
            after = shelf[0, t]
            if trip[DEAD, t]:
                unshelve(tree, shelf, t, v)
            else:
                p = current_above(tree, mark, stamp, cluster_of(slot, rows[t, 0]))
                if p >= 0:
                    r = current_above(tree, mark, stamp, cluster_of(slot, rows[t, 2]))
                    if r >= 0 and p != r:
                        trip[HERE, count] = t
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
                if trip[DEAD, t] or trip[SEEN, t] == stamp:
                    continue
                trip[SEEN, t] = stamp
                p = current_above(tree, mark, stamp, cluster_of(slot, rows[t, 0]))
                if p >= 0:
                    r = current_above(tree, mark, stamp, cluster_of(slot, rows[t, 2]))
                    if r >= 0 and p != r:
                        trip[HERE, count] = t
                        count += 1
            x = next_leaf(tree, n, x, top)
    if take:
        for k in range(count):
            unshelve(tree, shelf, trip[HERE, k], v)
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
        mark[NOW, u] = stamp
        blocks += tree[KIDS, u] if u >= n else 1
    touched = 0
    for k in range(triplets):
        t = trip[HERE, k]
        a = block(tree, mark, stamp, cluster_of(slot, rows[t, 0]))
        b = block(tree, mark, stamp, cluster_of(slot, rows[t, 1]))
        trip[AT_A, k] = a
        trip[AT_C, k] = block(tree, mark, stamp, cluster_of(slot, rows[t, 2]))
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
        p = tree[UP, u]
        if mark[NOW, u] == stamp or (only >= 0 and set_of(mark, u) != only):
            continue
        if mark[HIT, p] != stamp:
            mark[HIT, p], mark[HITS, p], mark[LARGEST, p], mark[BELOW, p] = stamp, 0, u, 0
        mark[HITS, p] += 1
        mark[BELOW, p] += tree[LEAVES, u]
        if tree[LEAVES, u] > tree[LEAVES, mark[LARGEST, p]]:
            mark[LARGEST, p] = u
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[UP, u]
        if mark[NOW, u] == stamp or mark[HIT, p] != stamp or mark[LARGEST, p] != u:
            continue
        if tree[HELD, p] <= 2 * (mark[BELOW, p] - tree[LEAVES, u]):
            mark[HITS, p] = -mark[HITS, p]


@inner
def gather(tree, slot, rows, ring, shelf, mark, trip, node, var, n, touched, triplets, only, take):
    """List (in FOUND, FOUND_IN) the triplets inside one set of touched blocks but not in one block.

    They are among those at hand, or between children of one current node: on its shelf, and in the rings of all its
    touched children but the largest. `only` : the set to look at, -1 for all; `take` : take those found off their
    shelves, and list in REST those at hand that are not among them. Returns their number.
    """
    stamp = var[STAMP]
    count = 0
    var[RESTS] = 0
    for k in range(triplets):
        s = set_of(mark, trip[AT_A, k])
        c = trip[AT_C, k]
        if (only < 0 or s == only) and mark[TOUCHED, c] == stamp and set_of(mark, c) == s:
            trip[FOUND, count], trip[FOUND_IN, count] = trip[HERE, k], s
            count += 1
        else:
            trip[REST, var[RESTS]] = trip[HERE, k]
            var[RESTS] += 1
    _count_hits(tree, mark, node, stamp, touched, only)
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[UP, u]
        if mark[NOW, u] == stamp or mark[HIT, p] != stamp or abs(mark[HITS, p]) < 2:
            continue
        first = count
        if mark[HITS, p] < 0:
            if mark[LARGEST, p] == u:
                count = _on_shelf(tree, slot, rows, shelf, mark, trip, stamp, p, only, count)
        elif mark[LARGEST, p] != u and (only < 0 or set_of(mark, u) == only):
            count = _between(tree, slot, rows, ring, mark, trip, stamp, n, u, count)
        if take:
            for f in range(first, count):
                unshelve(tree, shelf, trip[FOUND, f], p)
    return count


@inner
def _same_set(tree, slot, rows, mark, stamp, t, p):
    """The set that holds triplet t, which node p separates; -1 if there is none."""
    a = block(tree, mark, stamp, cluster_of(slot, rows[t, 0]))
    if a < 0 or mark[TOUCHED, a] != stamp or mark[NOW, a] == stamp or tree[UP, a] != p:
        return -1
    c = block(tree, mark, stamp, cluster_of(slot, rows[t, 2]))
    if c < 0 or c == a or mark[TOUCHED, c] != stamp or mark[NOW, c] == stamp or tree[UP, c] != p:
        return -1
    s = set_of(mark, a)
    return s if set_of(mark, c) == s else -1


@inner
def _on_shelf(tree, slot, rows, shelf, mark, trip, stamp, p, only, count):
    """Add to FOUND the triplets on the shelf of current node p that lie in one set."""
    m = rows.shape[0]
    t = shelf[0, m + p]
    while t < m:
        after = shelf[0, t]
        if trip[DEAD, t]:
            unshelve(tree, shelf, t, p)
        else:
            s = _same_set(tree, slot, rows, mark, stamp, t, p)
            if s >= 0 and (only < 0 or s == only):
                trip[FOUND, count], trip[FOUND_IN, count] = t, s
                count += 1
        t = after
    return count


@inner
def _between(tree, slot, rows, ring, mark, trip, stamp, n, top, count):
    """Add to FOUND the triplets between block `top` and other children of its parent, all in the set of `top`."""
    p = tree[UP, top]
    x = first_leaf(tree, n, top)
    while x >= 0:
        sweep(slot, ring, trip, x)
        e = slot[RING, x]
        for _ in range(slot[ENTRIES, x]):
            e = ring[e]
            t = e // 3
            if trip[DEAD, t] or trip[SEEN, t] == stamp:
                continue
            trip[SEEN, t] = stamp
            s = _same_set(tree, slot, rows, mark, stamp, t, p)
            if s >= 0:
                trip[FOUND, count], trip[FOUND_IN, count] = t, s
                count += 1
        x = next_leaf(tree, n, x, top)
    return count


@inner
def _list_leaves(tree, n, top, side, count):
    x = first_leaf(tree, n, top)
    while x >= 0:
        side[count] = x
        count += 1
        x = next_leaf(tree, n, x, top)
    return count


@njit
def blocked(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j, side):
    """Whether i and j are blocked: (0, 0) if the merge is compatible, else the sizes of the largest blocking pair.

    side : int64[2, n], filled with the clusters of the pair, that of i first
    """
    if slot[DEGREE, i] == 0 or slot[DEGREE, j] == 0:
        return 0, 0
    v, a, b = meeting(tree, mark, var, i, j)
    if a == i and b == j:
        return 0, 0
    if tree[KIDS, v] == 2:
        return _list_leaves(tree, n, a, side[0], 0), _list_leaves(tree, n, b, side[1], 0)
    triplets = crossing(tree, slot, rows, ring, shelf, mark, trip, var, n, v, a, b, False)
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    nodes = 2
    while triplets > 0:
        blocks, touched = spread(tree, slot, rows, mark, trip, node, var, n, nodes, triplets)
        stamp = var[STAMP]
        bi = block(tree, mark, stamp, i)
        bj = block(tree, mark, stamp, j)
        touched = touch(mark, node, stamp, bi, touched)
        touched = touch(mark, node, stamp, bj, touched)
        si, sj = set_of(mark, bi), set_of(mark, bj)
        size = mark[BLOCKS, si] + (mark[BLOCKS, sj] if si != sj else 0)
        if size == 2 and bi == i and bj == j:
            return 0, 0
        if size == blocks:
            left, right = 0, 0
            for k in range(touched):
                u = node[TOUCH, k]
                if set_of(mark, u) == si:
                    left = _list_leaves(tree, n, u, side[0], left)
                else:
                    right = _list_leaves(tree, n, u, side[1], right)
            return left, right
        unite(mark, bi, bj)
        s = set_of(mark, bi)
        triplets = gather(tree, slot, rows, ring, shelf, mark, trip, node, var, n, touched, triplets, s, False)
        for k in range(triplets):
            trip[HERE, k] = trip[FOUND, k]
        nodes = 0
        for k in range(touched):
            u = node[TOUCH, k]
            if set_of(mark, u) == s:
                node[CURRENT, nodes] = u
                nodes += 1
    return 0, 0
