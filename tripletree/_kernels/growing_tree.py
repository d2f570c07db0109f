"""The Aho tree of a consistent set of triplets that changes one by one: its nodes, and where the triplets are.

The leaves are nodes 0..n-1, the root is the last node. The children of an inner node are the components of the graph
with an edge ab for each triplet ab|c inside it; the triplet lies on the shelf of the node that parts c from a and b.

State, in few arrays so that the kernels compile fast (N = 2 n + 2 nodes, room for m triplets):
    tree : int64[N, 8]   parent, first child (inner ones come first), next sibling, previous one (of the first: the
                         last), number of children, leaves below (unless the tree is deep: then ``growing_paths`` counts
                         them), triplets on its shelf, number of its shelf
    row : int64[m, 8]    leaves a, b, c, number of its shelf; nodes that hold a, b, c now; stamp
    slot : int64[n, 2]   an entry of the leaf's ring of triplets, and how many there are
    ring : int64[3 m]    the next entry; entry 3 t + k is end k of triplet t
    shelf : int64[m + N, 2]  next and previous triplet on a shelf, a ring; place m + s begins shelf s
    mark : int64[N, 11]  stamps, and what goes with them, see `growing_paths`
    trip : int64[6, m]   lists of triplets: at hand; found, with the set each lies in; waiting; left over; kept
    node : int64[8, N]   lists of nodes, and the stack of ``growing``
    path : int64[N, 5]   see ``growing_paths``
    var : int64[7]       free inner nodes (a list through their parents), last stamp, length of the list of those left
                         over, whether the tree is deep, whether a way up was long, and when the leaves were numbered,
                         and how much that would have spared since
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.growing_paths import (
    DEEP,
    EPOCH,
    FIRST,
    FREE,
    HELD,
    KIDS,
    LEAVES,
    NEXT,
    PREV,
    SHELF,
    UP,
    cut,
    is_leaf,
    lay_paths,
    link,
    reset_path,
)

__all__ = [
    "adopt",
    "deepen",
    "delist",
    "enlist",
    "fresh_node",
    "harvest",
    "orphan",
    "plant",
    "pool_shelves",
    "release",
    "shelve",
    "unlink",
]

A, B, C, SEP, AT_A, AT_B, AT_C, SEEN = range(8)
RING, DEGREE = range(2)


@inner
def adopt(tree, path, var, p, u):
    """Hang u below p: an inner node as its first child, a leaf as its last."""
    tree[u, UP] = p
    first = tree[p, FIRST]
    if first < 0:
        tree[u, NEXT], tree[u, PREV] = -1, u
        tree[p, FIRST] = u
    else:
        last = tree[first, PREV]
        tree[u, PREV], tree[first, PREV] = last, u
        if is_leaf(tree, u):
            tree[u, NEXT], tree[last, NEXT] = -1, u
        else:
            tree[u, NEXT], tree[p, FIRST] = first, u
    tree[p, KIDS] += 1
    if var[DEEP]:
        link(path, p, u)


@inner
def orphan(tree, path, var, u):
    """Take u from below its parent."""
    p, after, before = tree[u, UP], tree[u, NEXT], tree[u, PREV]
    first = tree[p, FIRST]
    if u == first:
        tree[p, FIRST] = after
    else:
        tree[before, NEXT] = after
    if after >= 0:
        tree[after, PREV] = before
    elif u != first:
        tree[first, PREV] = before
    tree[p, KIDS] -= 1
    tree[u, UP] = -1
    if var[DEEP]:
        cut(path, u)


@inner
def deepen(tree, path, var):
    """From now on hold the tree as paths, too."""
    lay_paths(tree, path)
    var[DEEP] = 1


@inner
def fresh_node(tree, path, var):
    u = var[FREE]
    var[FREE] = tree[u, UP]
    tree[u, UP] = tree[u, FIRST] = -1
    tree[u, KIDS] = tree[u, LEAVES] = 0
    if var[DEEP]:
        reset_path(path, u)
    return u


@inner
def release(tree, var, u):
    """Put a node without parent, children and triplets among the free ones."""
    tree[u, UP] = var[FREE]
    var[FREE] = u


@inner
def shelve(tree, row, shelf, t, u):
    """Put triplet t on the shelf of node u."""
    head = row.shape[0] + tree[u, SHELF]
    after = shelf[head, 0]
    shelf[head, 0], shelf[after, 1] = t, t
    shelf[t, 0], shelf[t, 1] = after, head
    row[t, SEP] = tree[u, SHELF]
    tree[u, HELD] += 1


@inner
def unlink(shelf, t):
    """Take triplet t off its shelf (the node goes on counting it in HELD)."""
    after, before = shelf[t, 0], shelf[t, 1]
    shelf[before, 0], shelf[after, 1] = after, before


@inner
def pool_shelves(tree, row, shelf, u, w):
    """Put all that is on the shelf of u on that of w: the shorter shelf is moved."""
    if tree[u, HELD] > tree[w, HELD]:
        tree[u, HELD], tree[w, HELD] = tree[w, HELD], tree[u, HELD]
        tree[u, SHELF], tree[w, SHELF] = tree[w, SHELF], tree[u, SHELF]
    m = row.shape[0]
    t = shelf[m + tree[u, SHELF], 0]
    while t < m:
        after = shelf[t, 0]
        shelve(tree, row, shelf, t, w)
        t = after
    head = m + tree[u, SHELF]
    shelf[head, 0] = shelf[head, 1] = head
    tree[u, HELD] = 0


@inner
def enlist(slot, ring, t, x, k):
    """Add end k of triplet t to the ring of leaf x."""
    e = 3 * t + k
    slot[x, DEGREE] += 1
    if slot[x, RING] < 0:
        ring[e] = e
        slot[x, RING] = e
    else:
        ring[e] = ring[slot[x, RING]]
        ring[slot[x, RING]] = e


@inner
def delist(slot, ring, t, x, k):
    """Take end k of triplet t out of the ring of leaf x."""
    e = 3 * t + k
    before = slot[x, RING]
    while ring[before] != e:
        before = ring[before]
    ring[before] = ring[e]
    slot[x, RING] = -1 if before == e else before
    slot[x, DEGREE] -= 1


@njit
def plant(parent, separator, triplets, n, tree, row, slot, ring, shelf, mark, path, var):
    """Set the state up from the result of BUILD.

    parent : int32[s], parents after their children; triplets : int32[k, 3], become rows 0..k-1; separator : int32[k],
    the node of `parent` that parts c from a and b
    """
    N, m = tree.shape[0], row.shape[0]
    root = N - 1
    for u in range(N):
        tree[u, UP] = tree[u, FIRST] = tree[u, NEXT] = tree[u, PREV] = -1
        tree[u, KIDS] = tree[u, LEAVES] = tree[u, HELD] = 0
        tree[u, SHELF] = u
        shelf[m + u, 0] = shelf[m + u, 1] = m + u
        for k in range(mark.shape[1]):
            mark[u, k] = 0
    for k in range(var.shape[0]):
        var[k] = 0
    var[EPOCH] = 1
    for t in range(m):
        row[t, SEEN] = 0
    for x in range(n):
        slot[x, RING], slot[x, DEGREE] = -1, 0
    size = parent.shape[0]
    for t in range(triplets.shape[0]):
        for k in range(3):
            row[t, k] = triplets[t, k]
            enlist(slot, ring, t, row[t, k], k)
        shelve(tree, row, shelf, t, root if separator[t] == size - 1 else np.int64(separator[t]))
    for u in range(size - 1):
        p = root if parent[u] == size - 1 else np.int64(parent[u])
        adopt(tree, path, var, p, np.int64(u))
        if u < n:
            tree[u, LEAVES] = 1
        tree[p, LEAVES] += tree[u, LEAVES]
    var[FREE] = -1
    for u in range(max(size - 1, n), root):
        tree[u, UP] = var[FREE]
        var[FREE] = u


@njit
def harvest(tree, n):
    """The tree as a parent array, parents after their children; n : number of leaves, at least 2.

    Returns parent : int32[s], leaves 0..n-1 first.
    """
    N = tree.shape[0]
    order = np.empty(N, np.int32)
    number = np.empty(N, np.int32)
    order[0] = N - 1
    count, done = 1, 0
    while done < count:
        u = tree[order[done], FIRST]
        done += 1
        while u >= 0:
            if u >= n:
                order[count] = u
                count += 1
            u = tree[u, NEXT]
    for k in range(count):
        number[order[k]] = n + count - 1 - k
    parent = np.empty(n + count, np.int32)
    for x in range(n):
        parent[x] = number[tree[x, UP]]
    for k in range(1, count):
        parent[number[order[k]]] = number[tree[order[k], UP]]
    parent[n + count - 1] = -1
    return parent
