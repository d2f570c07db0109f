"""One level of the Aho tree while children of a node become one: which of their children fuse, along which triplets.

At a level there are current nodes, whose children are its blocks (a leaf is its own), and triplets at hand, each of
them inside the current nodes but not inside one. The state is described in ``growing_tree``.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner
from tripletree._kernels.growing_paths import (
    BLOCKS,
    CURRENT_AT,
    DEEP,
    FIRST,
    GROUP,
    HELD,
    HIT,
    HITS,
    KIDS,
    LARGEST,
    NEXT,
    RESTS,
    SET,
    SHELF,
    STAMP,
    TOUCHED,
    UP,
    leaves_below,
    meeting,
    toward,
)
from tripletree._kernels.growing_tree import AT_A, AT_C, RING, SEEN, SEP, A, C

__all__ = ["collapse", "crossing", "gather", "narrow", "set_of", "spread"]

HERE, FOUND, FOUND_IN, WAIT, REST, KEPT = range(6)
CURRENT, TOUCH, WAITING, NODE_BASE, NODE_COUNT, TRIP_BASE, TRIP_COUNT, ABOVE = range(8)
_MIXED = np.int64(-2)


@inner
def set_of(mark, u):
    """The set that a touched block is in (a disjoint set, with path halving)."""
    while mark[u, SET] != u:
        mark[u, SET] = mark[mark[u, SET], SET]
        u = mark[u, SET]
    return u


@inner
def _touch(mark, node, stamp, u, touched):
    """Make u a set of its own unless it is touched already. Returns the number of touched blocks."""
    if mark[u, TOUCHED] != stamp:
        mark[u, TOUCHED] = stamp
        mark[u, SET] = u
        mark[u, BLOCKS] = 1
        node[TOUCH, touched] = u
        touched += 1
    return touched


@inner
def _first_leaf(tree, n, u):
    while u >= n:
        u = tree[u, FIRST]
    return u


@inner
def _next_leaf(tree, n, u, top):
    """The leaf after leaf u below node `top`, -1 after the last."""
    while u != top:
        if tree[u, NEXT] >= 0:
            return _first_leaf(tree, n, tree[u, NEXT])
        u = tree[u, UP]
    return np.int64(-1)


@inner
def _hold(row, t, ab, c):
    """Note the nodes that hold the leaves of triplet t."""
    row[t, AT_A] = row[t, AT_A + 1] = ab
    row[t, AT_C] = c


@inner
def crossing(tree, row, slot, ring, shelf, mark, trip, path, var, n, v, a, b):
    """List (in HERE) the triplets between the children a and b of v. Returns their number.

    They are on the shelf of v, and in the rings of the leaves below a as well as below b: the shortest is gone through.
    """
    below_a, below_b = leaves_below(tree, path, var, a), leaves_below(tree, path, var, b)
    top, other = (a, b) if below_a <= below_b else (b, a)
    count = np.int64(0)
    m = row.shape[0]
    var[STAMP] += 1
    if tree[v, HELD] <= 2 * min(below_a, below_b):
        t = shelf[m + tree[v, SHELF], 0]
        while t < m:
            p = toward(tree, mark, path, var, v, row[t, A])
            if p in (a, b):
                r = toward(tree, mark, path, var, v, row[t, C])
                if r in (a, b):
                    _hold(row, t, p, r)
                    trip[HERE, count] = t
                    count += 1
            t = shelf[t, 0]
        return count
    x = _first_leaf(tree, n, top)
    while x >= 0:
        e = slot[x, RING]
        while e >= 0:
            e = ring[e]
            t = e // 3
            if row[t, SEP] == tree[v, SHELF] and row[t, SEEN] != var[STAMP]:
                row[t, SEEN] = var[STAMP]
                far = e % 3 == 2  # then x is its c
                if toward(tree, mark, path, var, v, row[t, A if far else C]) == other:
                    _hold(row, t, other if far else top, top if far else other)
                    trip[HERE, count] = t
                    count += 1
            if e == slot[x, RING]:
                break
        x = _next_leaf(tree, n, x, top)
    return count


@inner
def spread(tree, row, mark, trip, node, path, var, n, nodes, triplets):
    """Unite the children of the current nodes by the triplets at hand.

    Returns the number of children (a leaf counts as its own), and of those touched.
    """
    var[STAMP] += 1
    stamp = var[STAMP]
    blocks = np.int64(0)
    for k in range(nodes):
        u = node[CURRENT, k]
        mark[u, CURRENT_AT] = stamp
        blocks += tree[u, KIDS] if u >= n else 1
    touched = np.int64(0)
    for k in range(triplets):
        t = trip[HERE, k]
        for end in range(3):
            u = row[t, AT_A + end]
            if u >= n:
                row[t, AT_A + end] = toward(tree, mark, path, var, u, row[t, end])
        a, b = row[t, AT_A], row[t, AT_A + 1]
        touched = _touch(mark, node, stamp, a, touched)
        touched = _touch(mark, node, stamp, b, touched)
        a, b = set_of(mark, a), set_of(mark, b)
        if a != b:
            mark[b, SET] = a
            mark[a, BLOCKS] += mark[b, BLOCKS]
    return blocks, touched


@inner
def collapse(tree, row, mark, trip, node, var, nodes, touched, triplets):
    """Put a current node in the place of its children where they are all in one set: it is current again below.

    Such nodes have -stamp as HIT. Returns the number of touched blocks.
    """
    stamp = var[STAMP]
    for k in range(nodes):
        u = node[CURRENT, k]
        mark[u, HITS], mark[u, GROUP] = 0, -1
    for k in range(touched):
        u = node[TOUCH, k]
        if mark[u, CURRENT_AT] != stamp:
            p, s = tree[u, UP], set_of(mark, u)
            mark[p, HITS] += 1
            mark[p, GROUP] = s if mark[p, GROUP] in (-1, s) else _MIXED
    left = np.int64(0)
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if mark[u, CURRENT_AT] != stamp and mark[p, GROUP] >= 0 and mark[p, HITS] == tree[p, KIDS]:
            if mark[p, TOUCHED] == stamp:
                continue
            mark[p, TOUCHED], mark[p, HIT], mark[p, SET] = stamp, -stamp, mark[p, GROUP]
            mark[mark[p, GROUP], BLOCKS] += 1 - tree[p, KIDS]
            u = p
        node[TOUCH, left] = u
        left += 1
    if left < touched:
        for k in range(triplets):
            t = trip[HERE, k]
            for end in range(AT_A, AT_C + 1):
                u = row[t, end]
                if mark[u, CURRENT_AT] != stamp and mark[tree[u, UP], HIT] == -stamp:
                    row[t, end] = tree[u, UP]
    return left


@inner
def narrow(tree, row, mark, trip, node, path, var, nodes, touched, triplets):
    """Skip the levels at which nothing happens but that one current node gives way to one of its children.

    That is so where all the others are leaves, or collapsed, and fuse with one child of that node, down to the last
    common ancestor of the leaves below it that triplets at hand name, which becomes current in its place.

    Returns the two nodes; -1 where it is not so.
    """
    none = np.int64(-1)
    if not var[DEEP] or touched != nodes or mark[set_of(mark, node[TOUCH, 0]), BLOCKS] != nodes:
        return none, none
    stamp = var[STAMP]
    child = none
    for k in range(touched):
        u = node[TOUCH, k]
        if mark[u, CURRENT_AT] != stamp:
            if child >= 0:
                return none, none
            child = u
    if child < 0:
        return none, none
    for k in range(triplets):
        if mark[row[trip[HERE, k], AT_C], TOUCHED] != stamp:
            return none, none
    low = none
    for k in range(triplets):
        t = trip[HERE, k]
        for end in range(3):
            if row[t, AT_A + end] == child:
                low = row[t, end] if low < 0 else meeting(tree, mark, path, var, low, row[t, end])
    for k in range(triplets):
        t = trip[HERE, k]
        for end in range(AT_A, AT_C + 1):
            if row[t, end] == child:
                row[t, end] = low
    high = tree[child, UP]
    for k in range(nodes):
        if node[CURRENT, k] == high:
            node[CURRENT, k] = low
    return high, low


@inner
def _count_hits(tree, mark, node, path, var, stamp, touched, only):
    """For each current node: how many of its children are touched, and the one with most leaves.

    The number is turned round (-HITS) where the shelf is shorter than the others have leaves.
    """
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if mark[u, CURRENT_AT] == stamp or (only >= 0 and set_of(mark, u) != only):
            continue
        if mark[p, HIT] != stamp:
            mark[p, HIT], mark[p, HITS], mark[p, LARGEST], mark[p, GROUP] = stamp, 0, -1, 0
        mark[p, HITS] += 1
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if mark[u, CURRENT_AT] == stamp or mark[p, HIT] != stamp or mark[p, HITS] < 2:
            continue
        if only >= 0 and set_of(mark, u) != only:
            continue
        size = leaves_below(tree, path, var, u)
        mark[p, GROUP] += size
        # GROUP of a current node: leaves below the touched children; of one of these: its own
        mark[u, HITS] = size
        if mark[p, LARGEST] < 0 or size > mark[mark[p, LARGEST], HITS]:
            mark[p, LARGEST] = u
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if mark[u, CURRENT_AT] == stamp or mark[p, HIT] != stamp or mark[p, LARGEST] != u:
            continue
        if mark[p, HITS] >= 2 and tree[p, HELD] <= 2 * (mark[p, GROUP] - mark[u, HITS]):
            mark[p, HITS] = -mark[p, HITS]


@inner
def gather(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, touched, triplets, only):
    """List (in FOUND, FOUND_IN) the triplets inside one set of touched blocks but not in one block.

    They are among those at hand, or between children of one current node: on its shelf, and in the rings of all its
    touched children but the largest. `only` : the set to look at, -1 for all. Those at hand that are not among them are
    listed in REST. Returns their number, and how many of them, the first ones, were at hand.
    """
    stamp = var[STAMP]
    count = np.int64(0)
    var[RESTS] = 0
    for k in range(triplets):
        t = trip[HERE, k]
        s = set_of(mark, row[t, AT_A])
        c = row[t, AT_C]
        if (only < 0 or s == only) and mark[c, TOUCHED] == stamp and set_of(mark, c) == s:
            trip[FOUND, count], trip[FOUND_IN, count] = t, s
            count += 1
        else:
            trip[REST, var[RESTS]] = t
            var[RESTS] += 1
    known = count
    _count_hits(tree, mark, node, path, var, stamp, touched, only)
    for k in range(touched):
        u = node[TOUCH, k]
        p = tree[u, UP]
        if mark[u, CURRENT_AT] == stamp or mark[p, HIT] != stamp or abs(mark[p, HITS]) < 2:
            continue
        if mark[p, HITS] < 0:
            if mark[p, LARGEST] == u:
                count = _on_shelf(tree, row, shelf, mark, trip, path, var, stamp, p, only, count)
        elif mark[p, LARGEST] != u and (only < 0 or set_of(mark, u) == only):
            count = _between(tree, row, slot, ring, mark, trip, path, var, stamp, n, u, count)
    return count, known


@inner
def _on_shelf(tree, row, shelf, mark, trip, path, var, stamp, p, only, count):
    """Add to FOUND the triplets on the shelf of current node p that lie in one set."""
    m = row.shape[0]
    t = shelf[m + tree[p, SHELF], 0]
    while t < m:
        a = toward(tree, mark, path, var, p, row[t, A])
        if mark[a, TOUCHED] == stamp:
            s = set_of(mark, a)
            if only < 0 or s == only:
                c = toward(tree, mark, path, var, p, row[t, C])
                if mark[c, TOUCHED] == stamp and set_of(mark, c) == s:
                    _hold(row, t, a, c)
                    trip[FOUND, count], trip[FOUND_IN, count] = t, s
                    count += 1
        t = shelf[t, 0]
    return count


@inner
def _between(tree, row, slot, ring, mark, trip, path, var, stamp, n, top, count):
    """Add to FOUND the triplets between block `top` and other children of its parent, all in the set of `top`."""
    p = tree[top, UP]
    s = set_of(mark, top)
    x = _first_leaf(tree, n, top)
    while x >= 0:
        e = slot[x, RING]
        while e >= 0:
            e = ring[e]
            t = e // 3
            if row[t, SEP] == tree[p, SHELF] and row[t, SEEN] != stamp:
                row[t, SEEN] = stamp
                far = e % 3 == 2  # then x is its c
                w = toward(tree, mark, path, var, p, row[t, A if far else C])
                if mark[w, TOUCHED] == stamp and set_of(mark, w) == s:
                    _hold(row, t, w if far else top, top if far else w)
                    trip[FOUND, count], trip[FOUND_IN, count] = t, s
                    count += 1
            if e == slot[x, RING]:
                break
        x = _next_leaf(tree, n, x, top)
    return count
