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

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.disjoint_set import find

__all__ = [
    "adopt",
    "block",
    "cluster_of",
    "first_leaf",
    "is_split",
    "make_home",
    "meeting",
    "next_leaf",
    "orphan",
    "plant",
    "shelve",
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
