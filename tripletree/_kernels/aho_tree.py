"""The Aho tree of the live triplets, kept up to date while clusters merge.

Clusters are slots 0..n-1 and at the same time the leaves of the tree; a merge keeps one slot and empties the other.
A cluster is in the tree while some live triplet names it. The children of an inner node are the components of the
graph with an edge ab for each live triplet ab|c inside it.

Merging i and j is compatible unless there are disjoint A with i, B with j, three or more clusters together, each
connected by the triplets inside A and B (a blocking pair). `blocked` descends from the last common ancestor of i and
j: the children on both paths are fused level by level, with the triplets that cross between the fused ones; i and j
are blocked where their components make up all that is there. `fuse` does so for all components, and changes the tree.

State, in few arrays so that the kernels compile fast (N = 2 n + 2 nodes, the last one is the root):
    tree : int64[7, N]    parent, first child, next and previous sibling, number of children, leaves below, triplets on
                          its shelf (dead ones included)
    slot : int64[4, n]    where its samples went (a disjoint set); an entry of its ring of triplets; live triplet ends
                          in it; entries in its ring, dead ones included
    rows : int64[m, 3]    the slots that each triplet ab|c named at the start
    ring : int64[3 m]     the next entry; entry 3 t + k is end k of triplet t
    shelf : int64[2, m + N]  next and previous triplet in the ring of those that a node separates, ab from c; place
                          m + u begins the ring of node u
    mark : int64[9, N]    stamps, and what goes with them: see the names below
    trip : int64[9, m]    whether it is dead, stamp, and lists of triplets
    node : int64[9, N]    lists of nodes, and the stack of `fuse`
    var : int64[3]        free inner nodes (a list through their parents), last stamp, length of REST
"""

from __future__ import annotations

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.disjoint_set import find

__all__ = [
    "adopt",
    "block",
    "cluster_of",
    "current_above",
    "first_leaf",
    "meeting",
    "next_leaf",
    "orphan",
    "plant",
    "shelve",
    "unshelve",
]

UP, FIRST, NEXT, PREV, KIDS, LEAVES, HELD = range(7)
INTO, RING, DEGREE, ENTRIES = range(4)
# stamps: the node is current, is touched (or on a path), has hits; values: disjoint set and its size; touched children,
# the largest one; place of a set on the stack; leaves below the touched children
NOW, TOUCHED, HIT, SET, BLOCKS, HITS, LARGEST, GROUP, BELOW = range(9)
# lists: at hand with the blocks of their ends, waiting, found with the set it lies in
DEAD, SEEN, AT_A, AT_C, HERE, WAIT, FOUND, FOUND_IN, REST = range(9)
CURRENT, TOUCH, WAITING, NODE_BASE, NODE_COUNT, TRIP_BASE, TRIP_COUNT, ABOVE, WITH_IJ = range(9)
FREE, STAMP, RESTS = range(3)


@njit
def cluster_of(slot, x):
    """The slot that holds the samples that started in slot x."""
    return find(slot[INTO], x)


@inner
def adopt(tree, p, u):
    """Hang u below p."""
    tree[UP, u] = p
    first = tree[FIRST, p]
    tree[NEXT, u], tree[PREV, u] = first, -1
    if first >= 0:
        tree[PREV, first] = u
    tree[FIRST, p] = u
    tree[KIDS, p] += 1


@inner
def orphan(tree, u):
    """Take u from below its parent."""
    p, after, before = tree[UP, u], tree[NEXT, u], tree[PREV, u]
    if before >= 0:
        tree[NEXT, before] = after
    else:
        tree[FIRST, p] = after
    if after >= 0:
        tree[PREV, after] = before
    tree[KIDS, p] -= 1
    tree[UP, u] = -1


@inner
def shelve(tree, shelf, m, t, u):
    """Put triplet t on the shelf of node u."""
    head = m + u
    after = shelf[0, head]
    shelf[0, head], shelf[1, after] = t, t
    shelf[0, t], shelf[1, t] = after, head
    tree[HELD, u] += 1


@inner
def unshelve(tree, shelf, t, u):
    """Take triplet t from the shelf of node u."""
    after, before = shelf[0, t], shelf[1, t]
    shelf[0, before], shelf[1, after] = after, before
    tree[HELD, u] -= 1


@njit
def plant(parent, separator, n, rows, tree, slot, ring, shelf, mark, trip, var):
    """Set the state up from the parent array of `one_tree` of the triplets, and the node that separates each."""
    N = tree.shape[1]
    root = N - 1
    for u in range(N):
        for k in range(tree.shape[0]):
            tree[k, u] = 0 if k >= KIDS else -1
        for k in range(mark.shape[0]):
            mark[k, u] = 0
    for t in range(rows.shape[0]):
        trip[DEAD, t], trip[SEEN, t] = 0, 0
    for x in range(n):
        slot[RING, x], slot[DEGREE, x], slot[ENTRIES, x] = -1, 0, 0
    for x in range(n):
        slot[INTO, x] = x
    m = rows.shape[0]
    for u in range(N):
        shelf[0, m + u] = shelf[1, m + u] = m + u
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
        if u < n and tree[UP, u] >= 0:
            tree[LEAVES, u] = 1
        if tree[UP, u] >= 0:
            tree[LEAVES, tree[UP, u]] += tree[LEAVES, u]
    var[FREE] = -1
    for u in range(max(size - 1, n), root):
        tree[UP, u] = var[FREE]
        var[FREE] = u
    var[STAMP] = 0


@inner
def meeting(tree, mark, var, i, j):
    """Last common ancestor v of two leaves, and the children of v above each."""
    var[STAMP] += 1
    stamp = var[STAMP]
    u = i
    while u >= 0:
        mark[TOUCHED, u] = stamp
        u = tree[UP, u]
    b = j
    while mark[TOUCHED, tree[UP, b]] != stamp:
        b = tree[UP, b]
    v = tree[UP, b]
    a = i
    while tree[UP, a] != v:
        a = tree[UP, a]
    return v, a, b


@inner
def current_above(tree, mark, stamp, x):
    """The current node on x's path, -1 if none."""
    while x >= 0 and mark[NOW, x] != stamp:
        x = tree[UP, x]
    return x


@inner
def block(tree, mark, stamp, x):
    """The child of a current node that holds cluster x, or x itself where it is current; -1 if neither."""
    if mark[NOW, x] == stamp:
        return x
    p = tree[UP, x]
    while p >= 0:
        if mark[NOW, p] == stamp:
            return x
        x = p
        p = tree[UP, x]
    return -1


@inner
def first_leaf(tree, n, u):
    """The first leaf below a node."""
    while u >= n:
        u = tree[FIRST, u]
    return u


@inner
def next_leaf(tree, n, u, top):
    """The leaf after leaf u below node `top`, -1 after the last."""
    while u != top:
        if tree[NEXT, u] >= 0:
            return first_leaf(tree, n, tree[NEXT, u])
        u = tree[UP, u]
    return -1
