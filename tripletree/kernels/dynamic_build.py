"""The Aho tree of `TripletBuilder`: triplets are added to a consistent set one at a time, and taken out.

Let v be the last common ancestor of the leaves of a new triplet ab|c. If one child of v holds both a and b, nothing
changes. Otherwise the child A that holds a and the child B that holds b become one component. The tree of this
component is composed of the trees of A and B, level by level, along the triplets that cross between them. This cannot
fail if c is in neither A nor B. If c is in one of them, the new triplet crosses, too. It contradicts the others exactly
if it ties together everything that is there at some level.

``aho_forest`` fuses children of a node in the same way for ReCon, where one call works through many merges. Here each
triplet is a call of some four microseconds, and the tree may be deep. Two things follow. Long ways up are looked up in
splay trees, and a node remembers which child of an ancestor holds it until the children of that ancestor change. The
state is a dozen wide arrays, because handing over the fifty arrays of ``aho_tree`` would take longer than an addition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import Integers, IntegerTable, inlined, inner, njit


class AhoTables(NamedTuple):
    """The tree, its triplets and the tables that the kernels work with: n leaves, N = 2 n + 2 nodes, m rows.

    The columns of each table are named below, as are the rows of `listed` and `node`. Additions wait for the memory
    most of the time, so the fields of one node, or of one triplet, stand together, and all but the last three arrays
    are int32.
    """

    tree: np.ndarray  #: int32[N, 16], the nodes: links, counts, and the fields that fusing levels reads most
    row: np.ndarray  #: int32[m, 8], the triplets
    leaf: np.ndarray  #: int32[n, 3], the leaves: their lists of triplets and of splits
    entries: np.ndarray  #: int32[m // 5 + n + 1, 16], pieces of the leaves' lists of triplets
    by_lca: np.ndarray  #: int32[m + N, 2], the nodes' lists of triplets: triplet t is entry t, the head of list k m + k
    mark: np.ndarray  #: int32[N, 8], notes on nodes that hold for one level or one search
    listed: np.ndarray  #: int32[7, m], work lists of triplets, and the list that each triplet is in
    node: np.ndarray  #: int32[10, N], work lists of nodes, and the stack of levels that wait
    path: np.ndarray  #: int32[N, 5], the splay trees of a deep tree
    side: IntegerTable  #: [K, n // 64 + 2], the larger sides of splits: leaves as bits, then the number of leaves
    side_entry: IntegerTable  #: [8 K, 3], the smaller sides of splits: one entry for each leaf
    state: Integers  #: [11], single numbers


# A *stamp* is a number that is given out once (`STAMP` of `state`). A note with a stamp holds while the stamp is
# current, so nothing need be cleared between two levels.
#
# The levels, blocks and sets named here are explained above `set_of`, the splits above `_is_in_set`.

# Columns of `tree`, one row per node.
PARENT = 0
FIRST_CHILD = 1  #: inner children come before leaves
NEXT_SIBLING = 2
PREVIOUS_SIBLING = 3  #: the first child has the last one here
N_CHILDREN = 4
N_LEAVES = 5  #: leaves below the node; a deep tree counts them in `path` instead
N_TRIPLETS = 6  #: triplets of which the node is the last common ancestor
LIST = 7  #: the number of their list in `by_lca`
TOUCHED = 8  #: stamp: a triplet at hand has a close leaf in this block; `_climb` marks its way with stamps of its own
SET = 9  #: parent of a touched block in the disjoint sets of blocks
BLOCKS = 10  #: of the representative of a set: number of blocks in the set
WHOLE = 11  #: stamp: the node is current and a block by itself, because it is a leaf or collapsed
CHANGED = 12  #: the number of the last change among its children
ASKED = 13  #: the ancestor for which `toward` was last asked from here
ASKED_AT = 14  #: the ancestor's CHANGED at that time; the answer holds while both agree
ANSWER = 15  #: the child of that ancestor that holds this node

# Columns of `row`, one row per triplet ab|c.
A, B, C = 0, 1, 2
AT_A, AT_B, AT_C = 3, 4, 5  #: the nodes that hold its leaves at this level
SEEN = 6  #: stamp: met already in this search

# Columns of `leaf`, one row per leaf.
PIECE = 0  #: the first piece of its list of triplets, the only one that need not be full
N_ENTRIES = 1  #: the length of this list
LAST_SIDE = 2  #: the number of its latest entry in `side_entry`

# Columns of `entries`, one row per piece: 15 entries, then a link. Entry 3 t + k stands for end k of triplet t.
NEXT_PIECE = 15

# Columns of `by_lca`: each list is a ring through its head.
AFTER, BEFORE = 0, 1

# Columns of `mark`, one row per node.
COUNTED = 0  #: stamp: the next three hold for this current node
N_HITS = 1  #: touched children that are looked at
HIT_LEAVES = 2  #: leaves below them
LARGEST_HIT = 3  #: place in TOUCHED_BLOCKS of the one with most leaves, -1 for none
COMMON_SET = 4  #: of a current node in `collapse`: the set of all its touched children, _NONE or _MIXED
LEVEL = 5  #: of the representative of a set in `_deal_out`: its level on the stack, -1 for none
BELOW = 6  #: stamp: known to be below the node that `narrow` looks for
SIDE = 7  #: the number of a set of leaves in `side`, all of them below this node, -1 for none

# Rows of `listed`: lists of triplets, and one column per triplet in the last row.
AT_HAND = 0  #: the triplets that decide about this level
FOUND = 1  #: result of `gather`
FOUND_IN = 2  #: the set that each triplet in FOUND lies in
WAITING_TRIPLETS = 3  #: the triplets of all levels on the stack
REST = 4  #: triplets at hand that `gather` did not find in a set
KEPT = 5  #: a copy of AT_HAND
IN_LIST = 6  #: the list in `by_lca` that the triplet is in, -1 for none

# Rows of `node`: lists of nodes, then one column per level on the stack.
CURRENT = 0  #: the nodes that become one at this level
TOUCHED_BLOCKS = 1
BLOCK_LEAVES = 2  #: leaves below each of TOUCHED_BLOCKS, if counted
QUEUE = 3  #: nodes whose leaves are still to be noted
WAITING = 4  #: the nodes of all levels on the stack
NODE_BEGIN, NODE_COUNT = 5, 6  #: where the level's nodes stand in WAITING
TRIPLET_BEGIN, TRIPLET_COUNT = 7, 8  #: where its triplets stand in WAITING_TRIPLETS
ABOVE = 9  #: the node below which the level is to hang

# Columns of `path`, one row per node.
OVER = 0  #: the parent in the splay tree; the root of a splay tree has the node above its path here
LEFT, RIGHT = 1, 2
SUM = 3  #: the OWN of all nodes of the splay subtree together
OWN = 4  #: leaves below this node that are not below the next node of its path

# Columns of `side_entry`, one row per leaf of a smaller side. Entries and sets of leaves are numbered on and on. Each
# takes the place of an old one, so a number says whether its entry is still there.
SPLIT = 0  #: the split, by the number of its first entry
LARGE_SIDE = 1  #: the number of a set of leaves on its larger side
SIDE_BEFORE = 2  #: the number of the leaf's previous entry

# Entries of `state`.
FREE = 0  #: the first of the free nodes, which are linked through PARENT
STAMP = 1  #: the last stamp given out
N_REST = 2  #: triplets in REST
DEEP = 3  #: 1 if the tree is held as paths as well
LONG = 4  #: 1 if some way up was so long that it should be
CHANGES = 5  #: changes of children so far
N_SIDES = 6  #: sets of leaves noted so far
N_SIDE_ENTRIES = 7  #: entries noted so far
FIRST_SIDE_ENTRY = 8  #: entries before this one do not hold any more
SPARED = 9  #: work of tests since a set was noted
FREE_PIECE = 10  #: the first of the free pieces of `entries`


#: Bytes in a line of the processor's cache.
_LINE = 64


def empty_tables(n, m):
    """Room for m triplets on n leaves, to be filled by `plant`."""
    nodes = 2 * n + 2
    splits = min(4 * n, _SIDE_BITS // max(n, 1)) + 1
    sizes = (nodes, 16), (m, 8), (n, 3), (m // 5 + n + 1, 16), (m + nodes, 2), (nodes, 8), (7, m), (10, nodes)
    wide = ((splits, n // 64 + 2), (8 * splits, 3), 11)
    narrow_tables = (empty_table(size, np.int32) for size in (*sizes, (nodes, 5)))
    return AhoTables(*narrow_tables, *(empty_table(size, np.int64) for size in wide))


def empty_table(shape, dtype):
    """An array that begins where a cache line begins, so that no row of 32 or 64 bytes lies in two lines."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.empty(size + _LINE, np.uint8)
    first = -room.ctypes.data % _LINE
    return room[first : first + size].view(dtype).reshape(shape)


# ----------------------------------------------------------------------
# Ways up in a tree that changes: last common ancestors, children towards a leaf, leaves below a node.
#
# Short ways are climbed. After the first long one the tree is also held as paths, each in a splay tree ordered by
# depth, which change with the questions (link-cut trees: Sleator and Tarjan 1983, 1985). Every question, link and cut
# then takes amortised O(log n), however deep the tree is.

#: Steps up after which the tree counts as deep.
_LONG_WAY = np.int64(128)
#: Steps that are climbed in a deep tree before the paths are asked.
_SHORT_WAY = np.int64(48)


@inner
def is_leaf(tree, u):
    return 2 * u + 2 < tree.shape[0]


@inner
def lay_paths(tree, path):
    """Make every node a path of its own."""
    for u in range(tree.shape[0]):
        path[u, OVER] = tree[u, PARENT]
        path[u, LEFT] = path[u, RIGHT] = -1
        path[u, SUM] = path[u, OWN] = tree[u, N_LEAVES]


@inner
def reset_path(path, u):
    path[u, OVER] = path[u, LEFT] = path[u, RIGHT] = -1
    path[u, SUM] = path[u, OWN] = 0


@inner
def _add_up(path, u):
    total = path[u, OWN]
    if path[u, LEFT] >= 0:
        total += path[path[u, LEFT], SUM]
    if path[u, RIGHT] >= 0:
        total += path[path[u, RIGHT], SUM]
    path[u, SUM] = total


@inner
def _rotate(path, u):
    """Bring u above its splay parent p."""
    p = np.int64(path[u, OVER])
    g = path[p, OVER]
    side = LEFT if path[p, LEFT] == u else RIGHT
    other = LEFT + RIGHT - side
    child = path[u, other]
    path[p, side] = child
    if child >= 0:
        path[child, OVER] = p
    path[u, other] = p
    path[p, OVER] = u
    path[u, OVER] = g
    if g >= 0:
        if path[g, LEFT] == p:
            path[g, LEFT] = u
        elif path[g, RIGHT] == p:
            path[g, RIGHT] = u
    _add_up(path, p)


@inner
def _splay(path, u):
    """Make u the root of its splay tree."""
    while True:
        p = np.int64(path[u, OVER])
        if p < 0 or (path[p, LEFT] != u and path[p, RIGHT] != u):
            break
        g = path[p, OVER]
        if g >= 0 and (path[g, LEFT] == p or path[g, RIGHT] == p):
            _rotate(path, p if (path[g, LEFT] == p) == (path[p, LEFT] == u) else u)
        _rotate(path, u)
    _add_up(path, u)


@inner
def _expose(path, u):
    """Make the way from the top to u one path that ends there. Returns where the former path from the top was left."""
    last = np.int64(-1)
    y = u
    while y >= 0:  # `last` is the splay tree of the new path below y
        _splay(path, y)
        if path[y, RIGHT] >= 0:  # the rest of the former path hangs from y now, so its leaves count as own ones
            path[y, OWN] += path[path[y, RIGHT], SUM]
        if last >= 0:
            path[y, OWN] -= path[last, SUM]
        path[y, RIGHT] = last
        _add_up(path, y)
        last = y
        y = path[y, OVER]
    _splay(path, u)
    return last


@inner
def link(path, p, u):
    """Hang u, the top of a tree, below p."""
    _splay(path, u)
    _expose(path, p)
    path[u, OVER] = p
    path[p, OWN] += path[u, SUM]
    path[p, SUM] += path[u, SUM]


@inner
def cut(path, u):
    """Take u from below its parent."""
    _expose(path, u)
    path[path[u, LEFT], OVER] = -1
    path[u, LEFT] = -1
    _add_up(path, u)


@inner
def leaves_below(tree, path, state, u):
    if not state[DEEP] or is_leaf(tree, u):
        return tree[u, N_LEAVES]
    _expose(path, u)
    return path[u, OWN]


@inner
def _climb(tree, state, i, j, most):
    """Last common ancestor of two nodes, -1 if it is more than `most` steps away. Both nodes climb by turns."""
    mine, other = state[STAMP] + 1, state[STAMP] + 2
    state[STAMP] += 2
    u, w = i, j
    for _ in range(most):
        if u >= 0:
            if tree[u, TOUCHED] == other:
                return u
            tree[u, TOUCHED] = mine
            u = tree[u, PARENT]
        if w >= 0:
            if tree[w, TOUCHED] == mine:
                return w
            tree[w, TOUCHED] = other
            w = tree[w, PARENT]
    return np.int64(-1)


@inner
def meeting(tree, path, state, i, j):
    """Last common ancestor of two nodes of one tree."""
    if not state[DEEP]:
        v = _climb(tree, state, i, j, _LONG_WAY)
        if v < 0:
            state[LONG] = 1
            v = _climb(tree, state, i, j, tree.shape[0])
        return v
    v = _climb(tree, state, i, j, _SHORT_WAY)
    if v < 0:
        _expose(path, i)
        v = _expose(path, j)
    return v


@inlined
def toward(tree, path, state, v, x):
    """The child of v that holds the leaf x, which is below v.

    The nodes on the way up keep the answer until they are asked about another v, or the children of v change. A change
    further down needs no notice: a node moves from one child of v to another only if the two become one. Most questions
    end here at x, which saves a call that hands over three arrays.
    """
    if tree[x, PARENT] == v:
        return np.int64(x)
    if tree[x, ASKED] == v and tree[x, ASKED_AT] == tree[v, CHANGED]:
        return np.int64(tree[x, ANSWER])
    return _seek(tree, path, state, v, x)


@inner
def _seek(tree, path, state, v, x):
    """The answer of `toward` if v is not the parent of x, and x does not know it."""
    u = tree[v, FIRST_CHILD]
    second = np.int64(tree[u, NEXT_SIBLING])
    if second < 0 or is_leaf(tree, second):
        return u  # the only inner child
    child, u = np.int64(-1), np.int64(tree[x, PARENT])
    steps = 1
    while steps < _LONG_WAY or not state[DEEP]:
        if tree[u, ASKED] == v and tree[u, ASKED_AT] == tree[v, CHANGED]:
            child = tree[u, ANSWER]
            break
        if tree[u, PARENT] == v:
            child = u
            break
        u = tree[u, PARENT]
        steps += 1
    if steps >= _LONG_WAY:
        state[LONG] = 1
    if child < 0:  # on the path from the top to x, the node after v
        _expose(path, x)
        _splay(path, v)
        child = np.int64(path[v, RIGHT])
        while path[child, LEFT] >= 0:
            child = path[child, LEFT]
        _splay(path, child)
    u = np.int64(x)
    for _ in range(steps):  # the nodes that were climbed know it from now on
        tree[u, ASKED], tree[u, ASKED_AT], tree[u, ANSWER] = v, tree[v, CHANGED], child
        u = tree[u, PARENT]
    return child


# ----------------------------------------------------------------------
# The Aho tree of a consistent set of triplets that changes one by one: its nodes, and where the triplets are.
#
# The leaves are nodes 0..n-1, the root is the last node. The children of an inner node are the components of the graph
# with an edge ab for each triplet ab|c inside it. A triplet belongs to the node that separates c from a and b, which is
# the last common ancestor of the three.


@inner
def attach(tree, path, state, p, u):
    """Hang u below p: an inner node as its first child, a leaf as its last."""
    tree[u, PARENT] = p
    first = tree[p, FIRST_CHILD]
    if first < 0:
        tree[u, NEXT_SIBLING], tree[u, PREVIOUS_SIBLING] = -1, u
        tree[p, FIRST_CHILD] = u
    else:
        last = tree[first, PREVIOUS_SIBLING]
        tree[u, PREVIOUS_SIBLING], tree[first, PREVIOUS_SIBLING] = last, u
        if is_leaf(tree, u):
            tree[u, NEXT_SIBLING], tree[last, NEXT_SIBLING] = -1, u
        else:
            tree[u, NEXT_SIBLING], tree[p, FIRST_CHILD] = first, u
    tree[p, N_CHILDREN] += 1
    state[CHANGES] += 1
    tree[p, CHANGED] = state[CHANGES]
    if state[DEEP]:
        link(path, p, u)


@inner
def detach(tree, path, state, u):
    """Take u from below its parent."""
    p, after, before = tree[u, PARENT], tree[u, NEXT_SIBLING], tree[u, PREVIOUS_SIBLING]
    first = tree[p, FIRST_CHILD]
    if u == first:
        tree[p, FIRST_CHILD] = after
    else:
        tree[before, NEXT_SIBLING] = after
    if after >= 0:
        tree[after, PREVIOUS_SIBLING] = before
    elif u != first:
        tree[first, PREVIOUS_SIBLING] = before
    tree[p, N_CHILDREN] -= 1
    tree[u, PARENT] = -1
    state[CHANGES] += 1
    tree[p, CHANGED] = state[CHANGES]
    if state[DEEP]:
        cut(path, u)


@inner
def deepen(tree, path, state):
    """Hold the tree as paths, too, from now on."""
    lay_paths(tree, path)
    state[DEEP] = 1


@inner
def fresh_node(tree, mark, path, state):
    u = state[FREE]
    state[FREE] = tree[u, PARENT]
    mark[u, SIDE] = -1
    tree[u, ASKED] = -1  # what the node that had this number before knew of its ancestors
    tree[u, PARENT] = tree[u, FIRST_CHILD] = -1
    tree[u, N_CHILDREN] = tree[u, N_LEAVES] = 0
    if state[DEEP]:
        reset_path(path, u)
    return u


@inner
def release(tree, state, u):
    """Put a node without parent, children and triplets among the free ones."""
    tree[u, PARENT] = state[FREE]
    state[FREE] = u


@inner
def list_triplet(tree, listed, by_lca, t, u):
    """Put triplet t into the list of node u."""
    head = listed.shape[1] + tree[u, LIST]
    after = by_lca[head, AFTER]
    by_lca[head, AFTER], by_lca[after, BEFORE] = t, t
    by_lca[t, AFTER], by_lca[t, BEFORE] = after, head
    listed[IN_LIST, t] = tree[u, LIST]
    tree[u, N_TRIPLETS] += 1


@inner
def unlist_triplet(by_lca, t):
    """Take triplet t out of its list. The caller lowers N_TRIPLETS of the node and clears IN_LIST."""
    after, before = by_lca[t, AFTER], by_lca[t, BEFORE]
    by_lca[before, AFTER], by_lca[after, BEFORE] = after, before


@inner
def join_lists(tree, listed, by_lca, u, w):
    """Give the triplets of u to w. Each triplet knows its list, so the shorter of the two lists is moved."""
    if tree[u, N_TRIPLETS] > tree[w, N_TRIPLETS]:
        tree[u, N_TRIPLETS], tree[w, N_TRIPLETS] = tree[w, N_TRIPLETS], tree[u, N_TRIPLETS]
        tree[u, LIST], tree[w, LIST] = tree[w, LIST], tree[u, LIST]
    m = listed.shape[1]
    t = np.int64(by_lca[m + tree[u, LIST], AFTER])
    while t < m:
        after = by_lca[t, AFTER]
        list_triplet(tree, listed, by_lca, t, w)
        t = after
    head = m + tree[u, LIST]
    by_lca[head, AFTER] = by_lca[head, BEFORE] = head
    tree[u, N_TRIPLETS] = 0


@inner
def add_entry(leaf, entries, state, t, x, k):
    """Add end k of triplet t to the list of leaf x."""
    place = leaf[x, N_ENTRIES] % NEXT_PIECE
    if place == 0:
        piece = state[FREE_PIECE]
        state[FREE_PIECE] = entries[piece, NEXT_PIECE]
        entries[piece, NEXT_PIECE], leaf[x, PIECE] = leaf[x, PIECE], piece
    entries[leaf[x, PIECE], place] = 3 * t + k
    leaf[x, N_ENTRIES] += 1


@inner
def drop_entry(leaf, entries, state, t, x, k):
    """Take end k of triplet t out of the list of leaf x. The last entry of the first piece takes its place."""
    first = piece = leaf[x, PIECE]
    place = last = (leaf[x, N_ENTRIES] - 1) % NEXT_PIECE
    while entries[piece, place] != 3 * t + k:
        place -= 1
        if place < 0:
            piece, place = entries[piece, NEXT_PIECE], NEXT_PIECE - 1
    entries[piece, place] = entries[first, last]
    leaf[x, N_ENTRIES] -= 1
    if last == 0:
        leaf[x, PIECE] = entries[first, NEXT_PIECE]
        entries[first, NEXT_PIECE], state[FREE_PIECE] = state[FREE_PIECE], first


@inner
def forget(forest):
    """Begin with stamps and other numbers from the start. Noted splits and answers are lost."""
    tree, row, leaf, mark, state = forest.tree, forest.row, forest.leaf, forest.mark, forest.state
    for u in range(mark.shape[0]):
        for k in range(TOUCHED, ANSWER + 1):
            tree[u, k] = 0
        tree[u, CHANGED] = 1  # differs from ASKED_AT, so that no answer holds
        for k in range(SIDE):
            mark[u, k] = 0
        mark[u, SIDE] = -1
    for t in range(row.shape[0]):
        row[t, SEEN] = 0
    for x in range(leaf.shape[0]):
        leaf[x, LAST_SIDE] = -1
    state[STAMP] = state[N_SIDES] = state[N_SIDE_ENTRIES] = state[FIRST_SIDE_ENTRY] = 0
    state[CHANGES] = 1


@njit
def plant(parent, separator, triplets, forest):
    """Fill the tables from the result of BUILD.

    parent : int32[s], parents after their children
    separator : int32[k], the node of `parent` that separates c from a and b
    triplets : int32[k, 3], become rows 0..k-1
    """
    tree, row, leaf, entries, by_lca = forest.tree, forest.row, forest.leaf, forest.entries, forest.by_lca
    listed, path, state = forest.listed, forest.path, forest.state
    n = len(forest.leaf)
    N, m = tree.shape[0], row.shape[0]
    root = N - 1
    for u in range(N):
        tree[u, PARENT] = tree[u, FIRST_CHILD] = tree[u, NEXT_SIBLING] = tree[u, PREVIOUS_SIBLING] = -1
        tree[u, N_CHILDREN] = tree[u, N_LEAVES] = tree[u, N_TRIPLETS] = 0
        tree[u, LIST] = u
        by_lca[m + u, AFTER] = by_lca[m + u, BEFORE] = m + u
    for k in range(state.shape[0]):
        state[k] = 0
    forget(forest)
    for x in range(n):
        leaf[x, PIECE], leaf[x, N_ENTRIES] = -1, 0
    for k in range(entries.shape[0]):
        entries[k, NEXT_PIECE] = k + 1
    size = parent.shape[0]
    for t in range(triplets.shape[0]):
        for k in range(3):
            row[t, k] = triplets[t, k]
            add_entry(leaf, entries, state, t, np.int64(row[t, k]), k)
        list_triplet(tree, listed, by_lca, t, root if separator[t] == size - 1 else np.int64(separator[t]))
    for u in range(size - 1):
        p = root if parent[u] == size - 1 else np.int64(parent[u])
        attach(tree, path, state, p, np.int64(u))
        if u < n:
            tree[u, N_LEAVES] = 1
        tree[p, N_LEAVES] += tree[u, N_LEAVES]
    state[FREE] = -1
    for u in range(max(size - 1, n), root):
        tree[u, PARENT] = state[FREE]
        state[FREE] = u


@njit
def harvest(tree, n):
    """The tree of n >= 2 leaves as a parent array: int32[s], leaves 0..n-1 first, parents after their children."""
    N = tree.shape[0]
    order = np.empty(N, np.int32)
    number = np.empty(N, np.int32)
    order[0] = N - 1
    count, done = 1, 0
    while done < count:  # order[done:count] are the inner nodes whose children are still to be listed
        u = tree[order[done], FIRST_CHILD]
        done += 1
        while u >= 0:
            if u >= n:
                order[count] = u
                count += 1
            u = tree[u, NEXT_SIBLING]
    for k in range(count):
        number[order[k]] = n + count - 1 - k
    parent = np.empty(n + count, np.int32)
    for x in range(n):
        parent[x] = number[tree[x, PARENT]]
    for k in range(1, count):
        parent[number[order[k]]] = number[tree[order[k], PARENT]]
    parent[n + count - 1] = -1
    return parent


# ----------------------------------------------------------------------
# One level of the Aho tree while children of a node become one: which of their children fuse, along which triplets.
#
# A level has *current* nodes, which become one, and triplets *at hand*: their leaves are below current nodes, but not
# all below one of them. The *blocks* of the level are the children of the current nodes. A current node that is a leaf,
# or collapsed, is a block itself. A block is *touched* if a triplet at hand has a close leaf in it. Touched blocks form
# disjoint *sets*: the close leaves of a triplet at hand are in one set.

#: For `gather`: the triplets of all sets are wanted.
_ALL = np.int64(-1)
#: COMMON_SET of a node without touched children, and of one whose touched children are in several sets.
_NONE, _MIXED = np.int64(-1), np.int64(-2)


@inner
def set_of(tree, u):
    """The representative of the set that a touched block is in (path halving)."""
    while tree[u, SET] != u:
        tree[u, SET] = tree[tree[u, SET], SET]
        u = tree[u, SET]
    return u


@inner
def _touch(tree, node, stamp, u, touched):
    """Make u a set of its own unless it is touched already. Returns the number of touched blocks."""
    if tree[u, TOUCHED] != stamp:
        tree[u, TOUCHED] = stamp
        tree[u, SET] = u
        tree[u, BLOCKS] = 1
        node[TOUCHED_BLOCKS, touched] = u
        touched += 1
    return touched


@inner
def _first_leaf(tree, n, u):
    while u >= n:
        u = tree[u, FIRST_CHILD]
    return u


@inner
def _next_leaf(tree, n, u, top):
    """The leaf after leaf u below node `top`, -1 after the last."""
    while u != top:
        if tree[u, NEXT_SIBLING] >= 0:
            return _first_leaf(tree, n, np.int64(tree[u, NEXT_SIBLING]))
        u = tree[u, PARENT]
    return np.int64(-1)


@inner
def _hold(row, t, ab, c):
    """Note which nodes hold the leaves of triplet t: `ab` the close ones, `c` the third."""
    row[t, AT_A] = row[t, AT_A + 1] = ab
    row[t, AT_C] = c


@inlined
def crossing(forest, v, a, b):
    """List (in AT_HAND) the triplets between the children a and b of v. Returns their number.

    These triplets are in the list of v, in lists of leaves below a, and in lists of leaves below b. The choice that
    promises the shortest search is searched.
    """
    tree, row, leaf, entries, by_lca = forest.tree, forest.row, forest.leaf, forest.entries, forest.by_lca
    listed, path, state = forest.listed, forest.path, forest.state
    n = len(forest.leaf)
    below_a, below_b = leaves_below(tree, path, state, a), leaves_below(tree, path, state, b)
    top, other = (a, b) if below_a <= below_b else (b, a)
    count = np.int64(0)
    m = row.shape[0]
    state[STAMP] += 1
    if tree[v, N_TRIPLETS] <= 2 * min(below_a, below_b):
        t = np.int64(by_lca[m + tree[v, LIST], AFTER])
        while t < m:
            p = toward(tree, path, state, v, np.int64(row[t, A]))
            if p in (a, b):
                r = toward(tree, path, state, v, np.int64(row[t, C]))
                if r in (a, b):
                    _hold(row, t, p, r)
                    listed[AT_HAND, count] = t
                    count += 1
            t = by_lca[t, AFTER]
        return count
    x = _first_leaf(tree, n, top)
    while x >= 0:
        piece, left = leaf[x, PIECE], leaf[x, N_ENTRIES]
        while left > 0:
            length = (left - 1) % NEXT_PIECE + 1
            for k in range(length):
                e = entries[piece, k]
                t = e // 3
                # a triplet may have two leaves below `top`, and stand in the lists of both
                if listed[IN_LIST, t] == tree[v, LIST] and row[t, SEEN] != state[STAMP]:
                    row[t, SEEN] = state[STAMP]
                    far = e % 3 == 2  # x is the third leaf of t
                    if toward(tree, path, state, v, np.int64(row[t, A if far else C])) == other:
                        _hold(row, t, other if far else top, top if far else other)
                        listed[AT_HAND, count] = t
                        count += 1
            piece = entries[piece, NEXT_PIECE]
            left -= length
        x = _next_leaf(tree, n, x, top)
    return count


@inlined
def unite_children(forest, n_current, n_at_hand):
    """Unite the blocks of the current nodes by the triplets at hand.

    Moves AT_A, AT_B and AT_C of these triplets from the current nodes to the blocks. Returns the number of blocks, and
    the number of touched ones.
    """
    tree, row, listed, node = forest.tree, forest.row, forest.listed, forest.node
    path, state = forest.path, forest.state
    n = len(forest.leaf)
    state[STAMP] += 1
    stamp = state[STAMP]
    n_blocks = np.int64(0)
    for k in range(n_current):
        u = node[CURRENT, k]
        n_blocks += tree[u, N_CHILDREN] if u >= n else 1
        if u < n:
            tree[u, WHOLE] = stamp
    n_touched = np.int64(0)
    for k in range(n_at_hand):
        t = listed[AT_HAND, k]
        for end in range(3):
            u = np.int64(row[t, AT_A + end])
            if u >= n:
                row[t, AT_A + end] = toward(tree, path, state, u, np.int64(row[t, end]))
        a, b = np.int64(row[t, AT_A]), np.int64(row[t, AT_A + 1])
        n_touched = _touch(tree, node, stamp, a, n_touched)
        n_touched = _touch(tree, node, stamp, b, n_touched)
        if tree[a, SET] != tree[b, SET]:
            a, b = set_of(tree, a), set_of(tree, b)
            if a != b:
                tree[b, SET] = a
                tree[a, BLOCKS] += tree[b, BLOCKS]
    return n_blocks, n_touched


@inlined
def collapse(forest, n_current, n_touched, n_at_hand):
    """Replace the children of a current node by the node itself if they are all in one set.

    The node is current again one level further down. It is marked as WHOLE. Returns the number of touched blocks.
    """
    tree, row, mark, listed, node = forest.tree, forest.row, forest.mark, forest.listed, forest.node
    state = forest.state
    stamp = state[STAMP]
    for k in range(n_current):
        u = node[CURRENT, k]
        mark[u, N_HITS], mark[u, COMMON_SET] = 0, _NONE
    for k in range(n_touched):
        u = np.int64(node[TOUCHED_BLOCKS, k])
        if tree[u, WHOLE] != stamp:
            p, s = tree[u, PARENT], set_of(tree, u)
            mark[p, N_HITS] += 1
            mark[p, COMMON_SET] = s if mark[p, COMMON_SET] == _NONE or mark[p, COMMON_SET] == s else _MIXED
    n_left = np.int64(0)  # touched blocks that stay, or that a collapsed node replaces
    for k in range(n_touched):
        u = node[TOUCHED_BLOCKS, k]
        p = tree[u, PARENT]
        if tree[u, WHOLE] != stamp and mark[p, COMMON_SET] >= 0 and mark[p, N_HITS] == tree[p, N_CHILDREN]:
            if tree[p, TOUCHED] == stamp:  # an earlier child of p has put it on the list
                continue
            tree[p, TOUCHED], tree[p, WHOLE], tree[p, SET] = stamp, stamp, mark[p, COMMON_SET]
            tree[mark[p, COMMON_SET], BLOCKS] += 1 - tree[p, N_CHILDREN]
            u = p
        node[TOUCHED_BLOCKS, n_left] = u
        n_left += 1
    if n_left < n_touched:
        for k in range(n_at_hand):
            t = listed[AT_HAND, k]
            for end in range(AT_A, AT_C + 1):
                u = row[t, end]
                if tree[u, WHOLE] != stamp and tree[tree[u, PARENT], WHOLE] == stamp:
                    row[t, end] = tree[u, PARENT]
    return n_left


@inner
def _lift(forest, stamp, top, low, x):
    """Last common ancestor of node `low`, -1 for none, and leaf x, both below `top`.

    Nodes known to be below it get the stamp as BELOW, so that the next leaf need not climb past them.
    """
    tree, mark, path, state = forest.tree, forest.mark, forest.path, forest.state
    u, steps = x, 0
    while low >= 0 and u != low and mark[u, BELOW] != stamp:
        if steps == _SHORT_WAY or u == top:
            low = meeting(tree, path, state, low, x)
            break
        u = tree[u, PARENT]
        steps += 1
    if low < 0:
        low = u
    u = x
    for _ in range(steps):
        if u == low:
            break
        mark[u, BELOW] = stamp
        u = tree[u, PARENT]
    return low


@inlined
def narrow(forest, n_current, n_touched, n_at_hand):
    """Skip the levels of a deep tree at which one current node merely gives way to one of its children.

    At such a level all other current nodes are leaves, or collapsed, and fuse with one child of that node. This goes on
    down to the last common ancestor of the leaves below the node that triplets at hand name. This ancestor becomes
    current in place of the node.

    Returns both nodes, or -1 twice if there is no level to skip.
    """
    tree, row, listed, node, state = forest.tree, forest.row, forest.listed, forest.node, forest.state
    none = np.int64(-1)
    if not state[DEEP] or n_touched != n_current:
        return none, none
    if tree[set_of(tree, np.int64(node[TOUCHED_BLOCKS, 0])), BLOCKS] != n_current:
        return none, none
    stamp = state[STAMP]
    child = none
    for k in range(n_touched):
        u = np.int64(node[TOUCHED_BLOCKS, k])
        if tree[u, WHOLE] != stamp:
            if child >= 0:
                return none, none
            child = u
    if child < 0:
        return none, none
    for k in range(n_at_hand):
        if tree[row[listed[AT_HAND, k], AT_C], TOUCHED] != stamp:
            return none, none
    low = none
    for k in range(n_at_hand):
        t = listed[AT_HAND, k]
        for end in range(3):
            if row[t, AT_A + end] == child:
                low = _lift(forest, stamp, child, low, np.int64(row[t, end]))
    for k in range(n_at_hand):
        t = listed[AT_HAND, k]
        for end in range(AT_A, AT_C + 1):
            if row[t, end] == child:
                row[t, end] = low
    high = tree[child, PARENT]
    for k in range(n_current):
        if node[CURRENT, k] == high:
            node[CURRENT, k] = low
    return high, low


@inlined
def _count_hits(forest, n_touched, only):
    """For each current node with touched children: how many there are, their leaves, and the one with most leaves.

    only : the set whose blocks are looked at, _ALL for every set
    """
    tree, mark, node, path, state = forest.tree, forest.mark, forest.node, forest.path, forest.state
    stamp = state[STAMP]
    for k in range(n_touched):
        u = np.int64(node[TOUCHED_BLOCKS, k])
        p = tree[u, PARENT]
        if tree[u, WHOLE] == stamp or (only >= 0 and set_of(tree, u) != only):
            continue
        if mark[p, COUNTED] != stamp:
            mark[p, COUNTED], mark[p, N_HITS], mark[p, HIT_LEAVES], mark[p, LARGEST_HIT] = stamp, 0, 0, -1
        mark[p, N_HITS] += 1
    for k in range(n_touched):
        u = np.int64(node[TOUCHED_BLOCKS, k])
        p = tree[u, PARENT]
        # a single child has no triplets with others, and counting its leaves takes time in a deep tree
        if tree[u, WHOLE] == stamp or mark[p, COUNTED] != stamp or mark[p, N_HITS] < 2:
            continue
        if only >= 0 and set_of(tree, u) != only:
            continue
        size = leaves_below(tree, path, state, u)
        node[BLOCK_LEAVES, k] = size
        mark[p, HIT_LEAVES] += size
        if mark[p, LARGEST_HIT] < 0 or size > node[BLOCK_LEAVES, mark[p, LARGEST_HIT]]:
            mark[p, LARGEST_HIT] = k


@inner
def gather(forest, n_touched, n_at_hand, only):
    """List (in FOUND, FOUND_IN) the triplets inside one set of touched blocks but not inside one block.

    Such a triplet is at hand, or it lies between children of one current node. The latter are found in the list of that
    node, or in the lists of the leaves below all its touched children but the largest: the shorter search is taken.
    Triplets at hand that are not found are listed in REST.

    only : the set to look at, _ALL for every set
    Returns the number of triplets found, and how many of them were at hand. The latter come first.
    """
    tree, row, mark, listed, node = forest.tree, forest.row, forest.mark, forest.listed, forest.node
    state = forest.state
    stamp = state[STAMP]
    count = np.int64(0)
    state[N_REST] = 0
    one = _ALL  # the set of all touched blocks, if there is only one
    if n_touched > 0:
        s = set_of(tree, np.int64(node[TOUCHED_BLOCKS, 0]))
        if tree[s, BLOCKS] == n_touched:
            one = s
    for k in range(n_at_hand):
        t = listed[AT_HAND, k]
        c = np.int64(row[t, AT_C])
        s = one if one >= 0 else set_of(tree, np.int64(row[t, AT_A]))
        if (only < 0 or s == only) and tree[c, TOUCHED] == stamp and (one >= 0 or set_of(tree, c) == s):
            listed[FOUND, count], listed[FOUND_IN, count] = t, s
            count += 1
        else:
            listed[REST, state[N_REST]] = t
            state[N_REST] += 1
    n_known = count
    _count_hits(forest, n_touched, only)
    for k in range(n_touched):
        u = np.int64(node[TOUCHED_BLOCKS, k])
        p = np.int64(tree[u, PARENT])
        if tree[u, WHOLE] == stamp or mark[p, COUNTED] != stamp or mark[p, N_HITS] < 2:
            continue
        largest = mark[p, LARGEST_HIT]
        if tree[p, N_TRIPLETS] <= 2 * (mark[p, HIT_LEAVES] - node[BLOCK_LEAVES, largest]):
            if largest == k:  # once for p, when the turn of its largest child comes
                count = _in_list(forest, p, only, count)
        elif largest != k and (only < 0 or set_of(tree, u) == only):
            count = _between(forest, u, count)
    return count, n_known


@inlined
def _in_list(forest, p, only, count):
    """Add to FOUND the triplets of current node p that lie in one set."""
    tree, row, by_lca, listed = forest.tree, forest.row, forest.by_lca, forest.listed
    path, state = forest.path, forest.state
    stamp = state[STAMP]
    m = row.shape[0]
    t = np.int64(by_lca[m + tree[p, LIST], AFTER])
    while t < m:
        a = toward(tree, path, state, p, np.int64(row[t, A]))
        if tree[a, TOUCHED] == stamp:
            s = set_of(tree, a)
            if only < 0 or s == only:
                c = toward(tree, path, state, p, np.int64(row[t, C]))
                if tree[c, TOUCHED] == stamp and set_of(tree, c) == s:
                    _hold(row, t, a, c)
                    listed[FOUND, count], listed[FOUND_IN, count] = t, s
                    count += 1
        t = by_lca[t, AFTER]
    return count


@inlined
def _between(forest, top, count):
    """Add to FOUND the triplets between block `top` and other children of its parent, all in the set of `top`."""
    tree, row, leaf, entries = forest.tree, forest.row, forest.leaf, forest.entries
    listed, path, state = forest.listed, forest.path, forest.state
    n = len(forest.leaf)
    stamp = state[STAMP]
    p = np.int64(tree[top, PARENT])
    s = set_of(tree, top)
    x = _first_leaf(tree, n, top)
    while x >= 0:
        piece, left = leaf[x, PIECE], leaf[x, N_ENTRIES]
        while left > 0:
            length = (left - 1) % NEXT_PIECE + 1
            for k in range(length):
                e = entries[piece, k]
                t = e // 3
                # a triplet between two children that are searched stands in lists of both
                if listed[IN_LIST, t] == tree[p, LIST] and row[t, SEEN] != stamp:
                    row[t, SEEN] = stamp
                    far = e % 3 == 2  # x is the third leaf of t
                    w = toward(tree, path, state, p, np.int64(row[t, A if far else C]))
                    if tree[w, TOUCHED] == stamp and set_of(tree, w) == s:
                        _hold(row, t, w if far else top, top if far else w)
                        listed[FOUND, count], listed[FOUND_IN, count] = t, s
                        count += 1
            piece = entries[piece, NEXT_PIECE]
            left -= length
        x = _next_leaf(tree, n, x, top)
    return count


# ----------------------------------------------------------------------
# Splits: sets X of leaves that the triplets inside X tie together in two components.
#
# Let ab|c have a and b in different components and c in either. It would tie the two together, so it contradicts the
# others, and every consistent set that they grow to. A test that ends with a refusal takes a walk down the tree. It
# leaves behind the split at which it ended, and most later contradictions are refused by looking up a and b in splits:
#
# - one of them in the list of splits that have it on their smaller side, which has few leaves as a rule,
# - the other by its bit in a set of leaves on the larger side. The set holds the leaves below the largest node there at
#   the time when it was noted. Splits that have this node on their larger side share the set.

#: Room for sets of leaves, in bits.
_SIDE_BITS = 1 << 27
#: How many splits of a leaf are looked up, beginning with the latest.
_MOST_SPLITS = 16
#: A set may have so many leaves for each triplet and block that tests went through since the last set was noted.
_LEAVES_PER_STEP = 32
#: A node gets a new set of leaves once its set has less than this share of the larger side, in sixteenths.
_SIXTEENTHS = 15
#: Stamps and other numbers begin again from here, so that they fit int32.
_LAST_STAMP = 1 << 30


@inner
def _is_in_set(forest, s, x):
    return (forest.side[s % forest.side.shape[0], x >> 6] >> (x & 63)) & 1 == 1


@inner
def _is_on_small_side(forest, k, x):
    entry = forest.side_entry
    e = forest.leaf[x, LAST_SIDE]
    for _ in range(_MOST_SPLITS):
        if e < k:
            return False
        i = e % entry.shape[0]
        if entry[i, SPLIT] == k:
            return True
        e = entry[i, SIDE_BEFORE]
    return False


@inner
def _is_split(forest, a, b, c):
    """Whether a split is known with a on its smaller side and b on its larger one, and c in either."""
    entry, state = forest.side_entry, forest.state
    first = state[FIRST_SIDE_ENTRY]
    e = forest.leaf[a, LAST_SIDE]
    for _ in range(_MOST_SPLITS):
        i = e % entry.shape[0]
        if e < first or entry[i, SPLIT] < first:
            return False
        k, s = entry[i, SPLIT], entry[i, LARGE_SIDE]
        is_split = s >= state[N_SIDES] - forest.side.shape[0] and _is_in_set(forest, s, b)
        if is_split and (_is_in_set(forest, s, c) or _is_on_small_side(forest, k, c)):
            return True
        e = entry[i, SIDE_BEFORE]
    return False


@inner
def _note_set(forest, top):
    """Note the leaves below node `top` as a set. Returns its number."""
    tree, node, state, n = forest.tree, forest.node, forest.state, len(forest.leaf)
    s = state[N_SIDES]
    bits = forest.side[s % forest.side.shape[0]]
    for k in range(len(bits)):
        bits[k] = 0
    size = 0
    node[QUEUE, 0] = top
    done, n_nodes = 0, 1
    while done < n_nodes:  # level by level, so that the next nodes are on their way from memory meanwhile
        u = node[QUEUE, done]
        done += 1
        if u < n:
            bits[u >> 6] |= np.int64(1) << (u & 63)
            size += 1
        else:
            u = tree[u, FIRST_CHILD]
            while u >= 0:
                node[QUEUE, n_nodes] = u
                n_nodes += 1
                u = tree[u, NEXT_SIBLING]
    bits[len(bits) - 1] = size
    forest.mark[top, SIDE] = s
    state[N_SIDES] += 1
    return s


@inner
def _note_split(forest, n_touched, n_at_hand, t):
    """Note the leaves below the blocks as a split: without triplet t the blocks fall into two sets.

    Noting a new set of leaves takes a step per leaf, so it waits until tests have taken about as many steps.
    """
    tree, row, leaf, mark = forest.tree, forest.row, forest.leaf, forest.mark
    listed, node, path, state = forest.listed, forest.node, forest.path, forest.state
    n = len(forest.leaf)
    for k in range(n_touched):  # the sets again, without t
        u = node[TOUCHED_BLOCKS, k]
        tree[u, SET] = u
    for k in range(n_at_hand):
        if listed[AT_HAND, k] != t:
            a, b = row[listed[AT_HAND, k], AT_A], row[listed[AT_HAND, k], AT_B]
            tree[set_of(tree, np.int64(b)), SET] = set_of(tree, np.int64(a))
    one, size, n_one, n_all = set_of(tree, np.int64(row[t, AT_A])), np.int64(0), np.int64(0), np.int64(0)
    largest, larger = np.int64(node[TOUCHED_BLOCKS, 0]), np.int64(0)
    for k in range(n_touched):
        u = np.int64(node[TOUCHED_BLOCKS, k])
        size = leaves_below(tree, path, state, u)
        n_all += size
        if set_of(tree, u) == one:
            n_one += size
        node[BLOCK_LEAVES, k] = size
    small_is_one = 2 * n_one <= n_all
    n_small = n_one if small_is_one else n_all - n_one
    for k in range(n_touched):  # the largest block of the larger side
        u = np.int64(node[TOUCHED_BLOCKS, k])
        if (set_of(tree, u) == one) != small_is_one and node[BLOCK_LEAVES, k] > larger:
            largest, larger = u, np.int64(node[BLOCK_LEAVES, k])
    if n_small > forest.side_entry.shape[0]:  # no room
        return
    s = np.int64(mark[largest, SIDE])
    is_known = s >= 0 and s >= state[N_SIDES] - forest.side.shape[0]
    if not is_known or 16 * _set_size(forest, s) < _SIXTEENTHS * larger:
        if larger <= _LEAVES_PER_STEP * state[SPARED]:
            state[SPARED] = 0
            s = _note_set(forest, largest)
        elif not is_known:
            return
    entry, first = forest.side_entry, state[N_SIDE_ENTRIES]
    for k in range(n_touched):
        top = np.int64(node[TOUCHED_BLOCKS, k])
        if (set_of(tree, top) == one) != small_is_one:
            continue
        x = _first_leaf(tree, n, top)
        while x >= 0:
            e = state[N_SIDE_ENTRIES]
            i = e % entry.shape[0]
            entry[i, SPLIT], entry[i, LARGE_SIDE], entry[i, SIDE_BEFORE] = first, s, leaf[x, LAST_SIDE]
            leaf[x, LAST_SIDE] = e
            state[N_SIDE_ENTRIES] += 1
            x = _next_leaf(tree, n, x, top)
    state[FIRST_SIDE_ENTRY] = max(state[FIRST_SIDE_ENTRY], state[N_SIDE_ENTRIES] - entry.shape[0])


@inner
def _set_size(forest, s):
    return forest.side[s % forest.side.shape[0], forest.side.shape[1] - 1]


#: Results of an addition.
REFUSED, SAME_TREE, NEW_TREE = range(3)
#: Whether to add a triplet. numpy's numbers, because numba compiles a part once for each constant of Python's.
_TEST, _ADD = np.int64(0), np.int64(1)


@inlined
def _contradicts(forest, a, b, n_at_hand, t):
    """Whether triplet t ties together all blocks at some level, so that it contradicts the others.

    t is one of the `n_at_hand` triplets at hand between the siblings a and b. The others are consistent without it, so
    only the levels that hold all three leaves of t are visited.
    """
    tree, row, listed, node, state = forest.tree, forest.row, forest.listed, forest.node, forest.state
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    n_current = np.int64(2)
    while True:
        n_blocks, n_touched = unite_children(forest, n_current, n_at_hand)
        stamp = state[STAMP]
        s = set_of(tree, np.int64(row[t, AT_A]))
        state[SPARED] += n_at_hand + n_touched
        if tree[s, BLOCKS] == n_blocks:
            _note_split(forest, n_touched, n_at_hand, t)
            return True
        c = np.int64(row[t, AT_C])
        if tree[c, TOUCHED] != stamp or set_of(tree, c) != s:  # c is separated from a and b here
            return False
        n_touched = collapse(forest, n_current, n_touched, n_at_hand)
        if narrow(forest, n_current, n_touched, n_at_hand)[0] >= 0:
            continue
        n_at_hand, _ = gather(forest, n_touched, n_at_hand, s)
        for k in range(n_at_hand):
            listed[AT_HAND, k] = listed[FOUND, k]
        n_current = np.int64(0)
        for k in range(n_touched):
            u = np.int64(node[TOUCHED_BLOCKS, k])
            if set_of(tree, u) == s:
                node[CURRENT, n_current] = u
                n_current += 1


@inlined
def _choose_node(forest, n_current):
    """The current node with most children, which the others join. A new node if all are leaves or collapsed."""
    tree, mark, node, path, state = forest.tree, forest.mark, forest.node, forest.path, forest.state
    n = len(forest.leaf)
    w = np.int64(-1)
    for k in range(n_current):
        u = node[CURRENT, k]
        if u >= n and tree[u, WHOLE] != state[STAMP] and (w < 0 or tree[u, N_CHILDREN] > tree[w, N_CHILDREN]):
            w = u
    return fresh_node(tree, mark, path, state) if w < 0 else w


@inlined
def _deal_out(forest, n_touched, n_found, w, height):
    """Put each set of at least two blocks on the stack as a level, with its triplets. The level is to hang below w.

    height : the number of levels on the stack, and the lengths of WAITING and WAITING_TRIPLETS
    Returns the new height.
    """
    tree, mark, listed, node, path = forest.tree, forest.mark, forest.listed, forest.node, forest.path
    state = forest.state
    top, n_nodes, n_triplets = height
    for k in range(n_touched):
        mark[set_of(tree, np.int64(node[TOUCHED_BLOCKS, k])), LEVEL] = -1
    base = top
    for k in range(n_touched):
        s = set_of(tree, np.int64(node[TOUCHED_BLOCKS, k]))
        if tree[s, BLOCKS] >= 2 and mark[s, LEVEL] < 0:
            mark[s, LEVEL] = top
            node[NODE_BEGIN, top], node[NODE_COUNT, top] = n_nodes, 0
            n_nodes += tree[s, BLOCKS]
            node[TRIPLET_COUNT, top], node[ABOVE, top] = 0, w
            top += 1
    for k in range(n_touched):
        u = np.int64(node[TOUCHED_BLOCKS, k])
        g = mark[set_of(tree, u), LEVEL]
        if g >= 0:
            if tree[u, PARENT] >= 0:
                detach(tree, path, state, u)
            node[WAITING, node[NODE_BEGIN, g] + node[NODE_COUNT, g]] = u
            node[NODE_COUNT, g] += 1
    for k in range(n_found):  # the triplets of each level: count them, lay them out, and fill them in
        node[TRIPLET_COUNT, mark[listed[FOUND_IN, k], LEVEL]] += 1
    for g in range(base, top):
        node[TRIPLET_BEGIN, g] = n_triplets
        n_triplets += node[TRIPLET_COUNT, g]
        node[TRIPLET_COUNT, g] = 0
    for k in range(n_found):
        g = mark[listed[FOUND_IN, k], LEVEL]
        listed[WAITING_TRIPLETS, node[TRIPLET_BEGIN, g] + node[TRIPLET_COUNT, g]] = listed[FOUND, k]
        node[TRIPLET_COUNT, g] += 1
    return top, n_nodes, n_triplets


@inlined
def _join(forest, n_current, w, n_below, above):
    """Make the current nodes one node w, hang it below `above`, and hang their remaining blocks below w.

    Blocks on the stack are left out: `_compose` hangs them below w as one component.
    n_below : number of leaves below all current nodes
    """
    tree, listed, by_lca, node = forest.tree, forest.listed, forest.by_lca, forest.node
    path, state = forest.path, forest.state
    n = len(forest.leaf)
    stamp = state[STAMP]
    for k in range(n_current):
        u = np.int64(node[CURRENT, k])
        if u == w:
            continue
        if u < n or tree[u, WHOLE] == stamp:
            if tree[u, TOUCHED] != stamp or tree[set_of(tree, u), BLOCKS] < 2:  # not on the stack
                attach(tree, path, state, w, u)
        else:
            while tree[u, FIRST_CHILD] >= 0:
                c = np.int64(tree[u, FIRST_CHILD])
                detach(tree, path, state, c)
                attach(tree, path, state, w, c)
            join_lists(tree, listed, by_lca, u, w)
            release(tree, state, u)
    tree[w, N_LEAVES] = n_below
    attach(tree, path, state, above, w)


@inlined
def _compose(forest, v, a, b, n_at_hand):
    """Replace the children a and b of v by the component that they become. The triplets at hand are in no list."""
    tree, row, by_lca, listed, node = forest.tree, forest.row, forest.by_lca, forest.listed, forest.node
    path, state = forest.path, forest.state
    detach(tree, path, state, a)
    detach(tree, path, state, b)
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    n_current, above = np.int64(2), v
    top, n_nodes, n_triplets = np.int64(0), np.int64(0), np.int64(0)
    while True:  # every round makes one node: the component of the current ones, below `above`
        n_below = np.int64(0)
        for k in range(n_current):
            n_below += tree[node[CURRENT, k], N_LEAVES]
        _, n_touched = unite_children(forest, n_current, n_at_hand)
        if n_at_hand > 0:
            n_touched = collapse(forest, n_current, n_touched, n_at_hand)
            high, low = narrow(forest, n_current, n_touched, n_at_hand)
            if high >= 0:
                attach(tree, path, state, above, high)
                above = tree[low, PARENT]
                detach(tree, path, state, low)
                continue
        n_found, n_known = gather(forest, n_touched, n_at_hand, _ALL)
        for k in range(n_known, n_found):  # these move down to a level on the stack
            t = np.int64(listed[FOUND, k])
            unlist_triplet(by_lca, t)
            listed[IN_LIST, t] = -1
            tree[tree[row[t, AT_A], PARENT], N_TRIPLETS] -= 1
        w = _choose_node(forest, n_current)
        height = _deal_out(forest, n_touched, n_found, w, (top, n_nodes, n_triplets))
        top, n_nodes, n_triplets = height
        _join(forest, n_current, w, n_below, above)
        for k in range(state[N_REST]):
            list_triplet(tree, listed, by_lca, np.int64(listed[REST, k]), w)
        if top == 0:
            return
        top -= 1
        n_current, n_at_hand = node[NODE_COUNT, top], node[TRIPLET_COUNT, top]
        n_nodes, n_triplets = node[NODE_BEGIN, top], node[TRIPLET_BEGIN, top]
        above = node[ABOVE, top]
        for k in range(n_current):
            node[CURRENT, k] = node[WAITING, n_nodes + k]
        for k in range(n_at_hand):
            listed[AT_HAND, k] = listed[WAITING_TRIPLETS, n_triplets + k]


@inlined
def _hold_at(forest, v, n_at_hand):
    """Put the triplets of KEPT at hand again, with their leaves in children of v."""
    tree, row, listed, path, state = forest.tree, forest.row, forest.listed, forest.path, forest.state
    for k in range(n_at_hand):
        t = listed[KEPT, k]
        listed[AT_HAND, k] = t
        for end in range(3):
            row[t, AT_A + end] = toward(tree, path, state, v, np.int64(row[t, end]))


@inlined
def _fuse(forest, t, v, places, go):
    """Fuse the children of v that hold a and b, unless the triplet in row t contradicts the others.

    places : the children of v that hold a, b and c
    go : _ADD, or _TEST to leave the tree as it is
    """
    at_a, at_b, at_c = places
    tree, row, by_lca, listed = forest.tree, forest.row, forest.by_lca, forest.listed
    n_at_hand = crossing(forest, v, at_a, at_b)
    n_crossing = n_at_hand
    if at_c in (at_a, at_b):
        listed[AT_HAND, n_at_hand] = t
        row[t, AT_A], row[t, AT_A + 1], row[t, AT_C] = at_a, at_b, at_c
        n_at_hand += 1
        for k in range(n_at_hand):
            listed[KEPT, k] = listed[AT_HAND, k]
        if _contradicts(forest, at_a, at_b, n_at_hand, t):
            return REFUSED
        if go:
            _hold_at(forest, v, n_at_hand)
    if go:
        for k in range(n_crossing):
            crossing_row = np.int64(listed[AT_HAND, k])
            unlist_triplet(by_lca, crossing_row)
            listed[IN_LIST, crossing_row] = -1
        tree[v, N_TRIPLETS] -= n_crossing
        _compose(forest, v, at_a, at_b, n_at_hand)
    return NEW_TREE


@inner
def _grow(forest, t, triplet, go):
    """Add the triplet ab|c as row t if it contradicts no other. `go` is _ADD, or _TEST to test it only.

    Returns REFUSED, SAME_TREE or NEW_TREE. Oracle: ``one_tree_definition``.
    """
    tree, row, leaf, entries, by_lca = forest.tree, forest.row, forest.leaf, forest.entries, forest.by_lca
    listed, path, state = forest.listed, forest.path, forest.state
    a, b, c = triplet
    if max(state[STAMP], state[CHANGES], state[N_SIDES], state[N_SIDE_ENTRIES]) > _LAST_STAMP:
        forget(forest)
    if state[LONG] and not state[DEEP]:
        deepen(tree, path, state)
    if _is_split(forest, a, b, c) or _is_split(forest, b, a, c):
        return REFUSED
    row[t, A], row[t, B], row[t, C] = a, b, c
    outcome = SAME_TREE
    v = meeting(tree, path, state, a, b)
    top = meeting(tree, path, state, v, c)
    if top == v:
        at_a, at_b = toward(tree, path, state, v, a), toward(tree, path, state, v, b)
        at_c = toward(tree, path, state, v, c)
        inside = at_c in (at_a, at_b)
        if inside and tree[v, N_CHILDREN] == 2:  # v would have one child
            return REFUSED
        outcome = NEW_TREE
        if go or inside:
            outcome = _fuse(forest, t, v, (at_a, at_b, at_c), go)
            if outcome == REFUSED:
                return REFUSED
        if go and not inside:
            list_triplet(tree, listed, by_lca, t, v)
    elif go:  # v holds a and b but not c: the tree displays the triplet already
        list_triplet(tree, listed, by_lca, t, top)
    if go:
        row[t, SEEN] = 0
        for k in range(3):
            add_entry(leaf, entries, state, t, triplet[k], k)
    return outcome


@njit
def grow(tables, t, triplet):
    """Add the triplet (a, b, c) as row t if it contradicts no other.

    tables : the fields of AhoTables as a plain tuple, here and below. numba looks at the type of every argument in
    every call, which takes 0.4 microseconds more for a NamedTuple, a tenth of an addition
    Returns REFUSED, SAME_TREE or NEW_TREE. Oracle: ``one_tree_definition``.
    """
    return _grow(AhoTables(*tables), t, triplet, _ADD)


@njit
def grow_all(tables, new, ids, outcome):
    """Add the triplets `new` in their order, except those that contradict the triplets added before.

    new : int64[k, 3]; ids : int64[k], free rows; outcome : int8[k], filled with REFUSED, SAME_TREE or NEW_TREE
    Returns the number of rows taken.
    """
    forest, taken = AhoTables(*tables), 0
    for k in range(new.shape[0]):
        outcome[k] = _grow(forest, ids[taken], (new[k, 0], new[k, 1], new[k, 2]), _ADD)
        if outcome[k] != REFUSED:
            taken += 1
    return taken


@njit
def test_all(tables, new, t, outcome):
    """Fill `outcome` with the result that `grow` would have for each triplet alone. t : a free row."""
    forest = AhoTables(*tables)
    for k in range(new.shape[0]):
        outcome[k] = _grow(forest, t, (new[k, 0], new[k, 1], new[k, 2]), _TEST)


@njit
def drop(tables, t):
    """Take out the triplet in row t. Returns SAME_TREE, or NEW_TREE if the caller must build the tree anew.

    The node that separates c from a and b has a child u that holds these two. If one child of u holds both, triplets
    inside u tie a and b together without this one, and the tree stays as it is.
    """
    forest = AhoTables(*tables)
    tree, row, leaf, entries, by_lca = forest.tree, forest.row, forest.leaf, forest.entries, forest.by_lca
    listed, path, state = forest.listed, forest.path, forest.state
    state[FIRST_SIDE_ENTRY] = state[N_SIDE_ENTRIES]  # a split may have needed the triplet
    v = meeting(tree, path, state, np.int64(row[t, A]), np.int64(row[t, B]))
    top = meeting(tree, path, state, v, np.int64(row[t, C]))
    unlist_triplet(by_lca, t)
    tree[top, N_TRIPLETS] -= 1
    listed[IN_LIST, t] = -1
    for k in range(3):
        drop_entry(leaf, entries, state, t, row[t, k], k)
    return NEW_TREE if tree[v, PARENT] == top else SAME_TREE
