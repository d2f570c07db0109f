"""The Aho tree of the live triplets, kept up to date while clusters merge.

Clusters are slots 0..n-1 and at the same time the leaves of the tree; a merge keeps one slot and empties the other.
A cluster is in the tree while some live triplet names it. The children of an inner node are the components of the
graph with an edge ab for each live triplet ab|c inside it.

Merging i and j is compatible unless there are disjoint A with i, B with j, three or more clusters together, each
connected by the triplets inside A and B (a blocking pair). `join` descends from the last common ancestor of i and j:
the children on both paths are fused level by level, with the triplets that cross between the fused ones; i and j are
blocked where their components make up all that is there. If they are not, it does so for all components, and changes
the tree.

State, in few arrays so that the kernels compile fast (N = 2 n + 2 nodes, the last one is the root):
    tree : int64[N, 9]    parent, first child, next and previous sibling, number of children, leaves below, triplets on
                          its shelf (dead ones included); a stamp, and the block that holds it at that stamp
    slot : int64[4, n]    where its samples went (a disjoint set); an entry of its ring of triplets; live triplet ends
                          in it; entries in its ring, dead ones included
    rows : int64[m, 3]    the slots that each triplet ab|c named at the start
    ring : int64[3 m]     the next entry; entry 3 t + k is end k of triplet t
    shelf : int64[m + N, 2]  next and previous triplet in the ring of those that a node separates, ab from c; place
                          m + u begins the ring of node u
    mark : int64[N, 8]    stamps, and what goes with them: see the names below
    trip : int64[m, 10]   whether it is dead, stamp, and lists of triplets
    node : int64[9, N]    lists of nodes, and the stack of `join`
    var : int64[3]        free inner nodes (a list through their parents), last stamp, length of REST
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.disjoint_set import find
from tripletree.kernels.jit import inner, njit

__all__ = [
    "adopt",
    "block",
    "cluster_of",
    "crossing",
    "descend",
    "first_leaf",
    "gather",
    "is_split",
    "join",
    "list_leaves",
    "make_home",
    "meeting",
    "next_leaf",
    "orphan",
    "plant",
    "set_of",
    "shelve",
    "spread",
    "sweep",
    "touch",
    "unite",
    "unlink",
    "unshelve",
]

UP, FIRST, NEXT, PREV, KIDS, LEAVES, HELD, SEEN_AT, HOME = range(9)
INTO, RING, DEGREE, ENTRIES = range(4)
# stamps: the node is touched (or on a path), has hits; values: disjoint set and its size; touched children,
# the largest one; place of a set on the stack; leaves below the touched children
TOUCHED, HIT, SET, BLOCKS, HITS, LARGEST, GROUP, BELOW = range(8)
# lists: at hand with the blocks of their ends, between two children, waiting, found with the set it lies in
DEAD, SEEN, AT_A, AT_C, HERE, KEPT, WAIT, FOUND, FOUND_IN, REST = range(10)
CURRENT, TOUCH, WAITING, NODE_BASE, NODE_COUNT, TRIP_BASE, TRIP_COUNT, ABOVE, WITH_IJ = range(9)
FREE, STAMP, RESTS = range(3)

#: As a HOME: the node is current.
SPLIT = -2


@njit
def cluster_of(slot, x):
    """The slot that holds the samples that started in slot x."""
    return find(slot[INTO], x)


@inner
def adopt(tree, p, u):
    """Hang u below p."""
    tree[u, UP] = p
    first = tree[p, FIRST]
    tree[u, NEXT], tree[u, PREV] = first, -1
    if first >= 0:
        tree[first, PREV] = u
    tree[p, FIRST] = u
    tree[p, KIDS] += 1


@inner
def orphan(tree, u):
    """Take u from below its parent."""
    p, after, before = tree[u, UP], tree[u, NEXT], tree[u, PREV]
    if before >= 0:
        tree[before, NEXT] = after
    else:
        tree[p, FIRST] = after
    if after >= 0:
        tree[after, PREV] = before
    tree[p, KIDS] -= 1
    tree[u, UP] = -1


@inner
def shelve(tree, shelf, m, t, u):
    """Put triplet t on the shelf of node u."""
    head = m + u
    after = shelf[head, 0]
    shelf[head, 0], shelf[after, 1] = t, t
    shelf[t, 0], shelf[t, 1] = after, head
    tree[u, HELD] += 1


@inner
def unlink(shelf, t):
    """Take triplet t out of the ring of its shelf (the node goes on counting it in HELD)."""
    after, before = shelf[t, 0], shelf[t, 1]
    shelf[before, 0], shelf[after, 1] = after, before


@inner
def unshelve(tree, shelf, t, u):
    """Take triplet t from the shelf of node u."""
    unlink(shelf, t)
    tree[u, HELD] -= 1


@njit
def plant(parent, separator, n, rows, tree, slot, ring, shelf, mark, trip, var):
    """Set the state up from the parent array of `one_tree` of the triplets, and the node that separates each."""
    N = tree.shape[0]
    root = N - 1
    for u in range(N):
        for k in range(tree.shape[1]):
            tree[u, k] = 0 if k >= KIDS else -1
        for k in range(mark.shape[1]):
            mark[u, k] = 0
    for t in range(rows.shape[0]):
        trip[t, DEAD], trip[t, SEEN] = 0, 0
    for x in range(n):
        slot[RING, x], slot[DEGREE, x], slot[ENTRIES, x] = -1, 0, 0
    for x in range(n):
        slot[INTO, x] = x
    m = rows.shape[0]
    for u in range(N):
        shelf[m + u, 0] = shelf[m + u, 1] = m + u
    for t in range(m):
        shelve(tree, shelf, m, t, root if separator[t] == parent.shape[0] - 1 else separator[t])
    for e in range(3 * m):
        x = rows[e // 3, e % 3]
        slot[DEGREE, x] += 1
        slot[ENTRIES, x] += 1
        if slot[RING, x] < 0:
            ring[e] = e
            slot[RING, x] = e
        else:
            ring[e] = ring[slot[RING, x]]
            ring[slot[RING, x]] = e
    size = parent.shape[0]
    for u in range(size - 1):
        if u >= n or slot[DEGREE, u] > 0:
            adopt(tree, root if parent[u] == size - 1 else parent[u], u)
    for u in range(size - 1):
        if u < n and tree[u, UP] >= 0:
            tree[u, LEAVES] = 1
        if tree[u, UP] >= 0:
            tree[tree[u, UP], LEAVES] += tree[u, LEAVES]
    var[FREE] = -1
    for u in range(max(size - 1, n), root):
        tree[u, UP] = var[FREE]
        var[FREE] = u
    var[STAMP] = 0


@inner
def meeting(tree, mark, var, i, j):
    """Last common ancestor v of two leaves, and the children of v above each: both climb until they meet."""
    mine, other = var[STAMP] + 1, var[STAMP] + 2
    var[STAMP] += 2
    u, w = i, j
    while True:
        if u >= 0:
            if mark[u, TOUCHED] == other:
                v = u
                break
            mark[u, TOUCHED] = mine
            u = tree[u, UP]
        if w >= 0:
            if mark[w, TOUCHED] == mine:
                v = w
                break
            mark[w, TOUCHED] = other
            w = tree[w, UP]
    a, b = i, j
    while tree[a, UP] != v:
        a = tree[a, UP]
    while tree[b, UP] != v:
        b = tree[b, UP]
    return v, a, b


@inner
def make_home(tree, stamp, u, home):
    """From now on `home` is the block of all below u, or, if it is SPLIT, each child of u is one (or u, if a leaf)."""
    tree[u, SEEN_AT] = stamp
    tree[u, HOME] = home


@inner
def is_split(tree, stamp, u):
    """Whether u is a current node, whose children are blocks."""
    return tree[u, SEEN_AT] == stamp and tree[u, HOME] == SPLIT


@inner
def block(tree, stamp, x):
    """The block that holds node x, -1 if it is in none. The nodes on the way are told, for the next to come by."""
    if tree[x, SEEN_AT] == stamp:
        return x if tree[x, HOME] == SPLIT else tree[x, HOME]
    top = x
    p = tree[x, UP]
    while p >= 0 and tree[p, SEEN_AT] != stamp:
        top = p
        p = tree[p, UP]
    home = np.int64(-1)
    if p >= 0:
        home = top if tree[p, HOME] == SPLIT else tree[p, HOME]
    while x != p:
        make_home(tree, stamp, x, home)
        x = tree[x, UP]
    return home


@inner
def first_leaf(tree, n, u):
    """The first leaf below a node."""
    while u >= n:
        u = tree[u, FIRST]
    return u


@inner
def next_leaf(tree, n, u, top):
    """The leaf after leaf u below node `top`, -1 after the last."""
    while u != top:
        if tree[u, NEXT] >= 0:
            return first_leaf(tree, n, tree[u, NEXT])
        u = tree[u, UP]
    return -1


# ----------------------------------------------------------------------
# The components that fuse when two clusters merge: what crosses between them, level by level.
#
# `descend` tells whether a merge is compatible; ``aho_fuse`` carries one out. The state is described in ``aho_tree``.


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


# ----------------------------------------------------------------------
# Testing and carrying out merges in the Aho tree; see ``aho_tree`` for the state.

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
