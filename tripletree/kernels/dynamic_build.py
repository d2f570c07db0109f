"""Adding triplets to a consistent set one at a time, and taking them out; the state is described in ``growing_tree``.

Let v be the last common ancestor of the leaves of a new triplet ab|c. Where a and b are in one child of v, nothing
changes. Otherwise the children A of a and B of b become one component: its tree is composed of theirs, level by level,
along the triplets that cross between them. If c is in neither, that cannot fail; if it is, the new triplet is one of
those that cross, and contradicts the others exactly if it ties together all that is there at some level.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import inner, njit

__all__ = [
    "adopt",
    "collapse",
    "crossing",
    "cut",
    "deepen",
    "delist",
    "drop",
    "enlist",
    "fresh_node",
    "gather",
    "grow",
    "grow_all",
    "harvest",
    "is_leaf",
    "lay_paths",
    "leaves_below",
    "link",
    "meeting",
    "narrow",
    "number_leaves",
    "orphan",
    "plant",
    "pool_shelves",
    "release",
    "reset_path",
    "set_of",
    "shelve",
    "spread",
    "tell_all",
    "toward",
    "unlink",
]


# ----------------------------------------------------------------------
# Ways up in a tree that changes: last common ancestors, children towards a leaf, leaves below a node.
#
# Ways are climbed while they are short. Once one was long, the tree is also held as paths, each in a splay tree by
# depth, that change with the questions (Sleator and Tarjan 1983, 1985): every question, link and cut then takes O(log
# n) amortised, however deep the tree is.
#
#     path : int64[N, 5]  for each node its parent in its splay tree (at the root of one: the node above the path), left
#                         and right child there, leaves below the nodes of its splay subtree, and those of them that are
#                         below no later node of its path

UP, FIRST, NEXT, PREV, KIDS, LEAVES, HELD, SHELF = range(8)
TOUCHED, SET, BLOCKS, HIT, HITS, LARGEST, GROUP, CURRENT_AT, NUMBERED, LOW, HIGH = range(11)
FREE, STAMP, RESTS, DEEP, LONG, EPOCH, SLOW = range(7)
OVER, LEFT, RIGHT, SUM, OWN = range(5)

#: Steps up after which the tree counts as deep, and those that are climbed before the paths are asked then.
_LONG_WAY, _SHORT_WAY = 128, 12
#: Inner children of a node that are looked through for a leaf.
_MANY = 8


@inner
def is_leaf(tree, u):
    return 2 * u + 2 < tree.shape[0]


@inner
def lay_paths(tree, path):
    """Make every node a path of its own."""
    for u in range(tree.shape[0]):
        path[u, OVER] = tree[u, UP]
        path[u, LEFT] = path[u, RIGHT] = -1
        path[u, SUM] = path[u, OWN] = tree[u, LEAVES]


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
    p = path[u, OVER]
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
        p = path[u, OVER]
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
    while y >= 0:
        _splay(path, y)
        if path[y, RIGHT] >= 0:
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
def leaves_below(tree, path, var, u):
    if not var[DEEP]:
        return tree[u, LEAVES]
    _expose(path, u)
    return path[u, OWN]


@inner
def _climb(tree, mark, var, i, j, most):
    """Last common ancestor of two nodes, if there are at most so many steps to it: both climb by turns. -1 if not."""
    mine, other = var[STAMP] + 1, var[STAMP] + 2
    var[STAMP] += 2
    u, w = i, j
    for _ in range(most):
        if u >= 0:
            if mark[u, TOUCHED] == other:
                return u
            mark[u, TOUCHED] = mine
            u = tree[u, UP]
        if w >= 0:
            if mark[w, TOUCHED] == mine:
                return w
            mark[w, TOUCHED] = other
            w = tree[w, UP]
    return np.int64(-1)


@inner
def meeting(tree, mark, path, var, i, j):
    """Last common ancestor of two nodes of one tree."""
    if not var[DEEP]:
        v = _climb(tree, mark, var, i, j, _LONG_WAY)
        if v < 0:
            var[LONG] = 1
            v = _climb(tree, mark, var, i, j, tree.shape[0])
        return v
    v = _climb(tree, mark, var, i, j, _SHORT_WAY)
    if v < 0:
        _expose(path, i)
        v = _expose(path, j)
    return v


@inner
def number_leaves(tree, mark, var):
    """Number the leaves in depth-first order, so that those below a node are a range until its leaves change."""
    var[EPOCH] += 1
    var[SLOW] = 0
    root = tree.shape[0] - 1
    count, u = np.int64(0), root
    while True:
        mark[u, NUMBERED], mark[u, LOW] = var[EPOCH], count
        if not is_leaf(tree, u):
            u = tree[u, FIRST]
            continue
        count += 1
        while u != root and tree[u, NEXT] < 0:
            u = tree[u, UP]
            mark[u, HIGH] = count
        if u == root:
            break
        u = tree[u, NEXT]


@inner
def toward(tree, mark, path, var, v, x):
    """The child of v that holds the leaf x, which is below v."""
    if tree[x, UP] == v:
        return x
    u = tree[v, FIRST]
    if tree[u, NEXT] < 0 or is_leaf(tree, tree[u, NEXT]):
        return u  # the only inner child
    if mark[x, NUMBERED] == var[EPOCH]:
        place, unknown = mark[x, LOW], np.int64(-1)
        for _ in range(_MANY):
            if u < 0 or is_leaf(tree, u):
                return unknown
            if mark[u, NUMBERED] == var[EPOCH]:
                if mark[u, LOW] <= place < mark[u, HIGH]:
                    return u
            elif unknown >= 0:
                break
            else:
                unknown = u
            u = tree[u, NEXT]
    u = tree[x, UP]
    for _ in range(_SHORT_WAY):
        if tree[u, UP] == v:
            return u
        u = tree[u, UP]
    if not var[DEEP]:
        var[SLOW] += 4
        steps = _SHORT_WAY
        while tree[u, UP] != v:
            u = tree[u, UP]
            steps += 1
        if steps > _LONG_WAY:
            var[LONG] = 1
        return u
    var[SLOW] += 24
    _expose(path, x)
    _splay(path, v)
    u = path[v, RIGHT]
    while path[u, LEFT] >= 0:
        u = path[u, LEFT]
    _splay(path, u)
    return u


# ----------------------------------------------------------------------
# The Aho tree of a consistent set of triplets that changes one by one: its nodes, and where the triplets are.
#
# The leaves are nodes 0..n-1, the root is the last node. The children of an inner node are the components of the graph
# with an edge ab for each triplet ab|c inside it; the triplet lies on the shelf of the node that parts c from a and b.
#
# State, in few arrays so that the kernels compile fast (N = 2 n + 2 nodes, room for m triplets):
#     tree : int64[N, 8]   parent, first child (inner ones come first), next sibling, previous one (of the first: the
#                          last), number of children, leaves below (unless the tree is deep: then they are counted on
#                          paths), triplets on its shelf, number of its shelf
#     row : int64[m, 8]    leaves a, b, c, number of its shelf; nodes that hold a, b, c now; stamp
#     slot : int64[n, 2]   an entry of the leaf's ring of triplets, and how many there are
#     ring : int64[3 m]    the next entry; entry 3 t + k is end k of triplet t
#     shelf : int64[m + N, 2]  next and previous triplet on a shelf, a ring; place m + s begins shelf s
#     mark : int64[N, 11]  stamps, and what goes with them, see `growing_paths`
#     trip : int64[6, m]   lists of triplets: at hand; found, with the set each lies in; waiting; left over; kept
#     node : int64[8, N]   lists of nodes, and the stack of ``growing``
#     path : int64[N, 5]   see ``growing_paths``
#     var : int64[7]       free inner nodes (a list through their parents), last stamp, length of the list of those left
#                          over, whether the tree is deep, whether a way up was long, and when the leaves were numbered,
#                          and how much that would have spared since

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


# ----------------------------------------------------------------------
# One level of the Aho tree while children of a node become one: which of their children fuse, along which triplets.
#
# At a level there are current nodes, whose children are its blocks (a leaf is its own), and triplets at hand, each of
# them inside the current nodes but not inside one. The state is described in ``growing_tree``.

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


REFUSED, SAME_TREE, NEW_TREE = range(3)
_ALL = np.int64(-1)


@inner
def _contradicts(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, a, b, triplets, t):
    """Whether triplet t, one of those at hand between the siblings a and b, ties together all there is at some level.

    triplets : how many are at hand
    """
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    nodes = np.int64(2)
    while True:
        blocks, touched = spread(tree, row, mark, trip, node, path, var, n, nodes, triplets)
        stamp = var[STAMP]
        s = set_of(mark, row[t, AT_A])
        if mark[s, BLOCKS] == blocks:
            return True
        c = row[t, AT_C]
        if mark[c, TOUCHED] != stamp or set_of(mark, c) != s:
            return False
        touched = collapse(tree, row, mark, trip, node, var, nodes, touched, triplets)
        if narrow(tree, row, mark, trip, node, path, var, nodes, touched, triplets)[0] >= 0:
            continue
        triplets, _ = gather(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, touched, triplets, s)
        for k in range(triplets):
            trip[HERE, k] = trip[FOUND, k]
        nodes = np.int64(0)
        for k in range(touched):
            u = node[TOUCH, k]
            if set_of(mark, u) == s:
                node[CURRENT, nodes] = u
                nodes += 1


@inner
def _chosen(tree, mark, path, node, var, n, nodes):
    """The current node with most children, or a new one if all are leaves, or collapsed."""
    w = np.int64(-1)
    for k in range(nodes):
        u = node[CURRENT, k]
        if u >= n and mark[u, HIT] != -var[STAMP] and (w < 0 or tree[u, KIDS] > tree[w, KIDS]):
            w = u
    return fresh_node(tree, path, var) if w < 0 else w


@inner
def _deal_out(tree, row, mark, trip, node, path, var, touched, found, w, top, nodes_used, trips_used):
    """Put every set of two blocks or more on the stack, with its triplets, to be hung below w.

    Returns the new height of the stack, and the lengths of its lists.
    """
    stamp = var[STAMP]
    for k in range(touched):
        mark[set_of(mark, node[TOUCH, k]), GROUP] = -1
    base = top
    for k in range(touched):
        s = set_of(mark, node[TOUCH, k])
        if mark[s, BLOCKS] >= 2 and mark[s, GROUP] < 0:
            mark[s, GROUP] = top
            node[NODE_BASE, top], node[NODE_COUNT, top] = nodes_used, 0
            nodes_used += mark[s, BLOCKS]
            node[TRIP_COUNT, top], node[ABOVE, top] = 0, w
            top += 1
    for k in range(touched):
        u = node[TOUCH, k]
        g = mark[set_of(mark, u), GROUP]
        if g >= 0:
            if tree[u, UP] >= 0:
                orphan(tree, path, var, u)
            mark[u, LARGEST] = -stamp  # gone
            node[WAITING, node[NODE_BASE, g] + node[NODE_COUNT, g]] = u
            node[NODE_COUNT, g] += 1
    for k in range(found):
        node[TRIP_COUNT, mark[trip[FOUND_IN, k], GROUP]] += 1
    for g in range(base, top):
        node[TRIP_BASE, g] = trips_used
        trips_used += node[TRIP_COUNT, g]
        node[TRIP_COUNT, g] = 0
    for k in range(found):
        g = mark[trip[FOUND_IN, k], GROUP]
        trip[WAIT, node[TRIP_BASE, g] + node[TRIP_COUNT, g]] = trip[FOUND, k]
        node[TRIP_COUNT, g] += 1
    return top, nodes_used, trips_used


@inner
def _join(tree, row, shelf, mark, node, path, var, n, nodes, w, below, above):
    """Make w, below `above`, the one node of the current ones; those that are blocks and not gone hang from it.

    below : number of leaves below all current nodes
    """
    stamp = var[STAMP]
    for k in range(nodes):
        u = node[CURRENT, k]
        if u == w:
            continue
        if u < n or mark[u, HIT] == -stamp:
            if mark[u, LARGEST] != -stamp:
                adopt(tree, path, var, w, u)
        else:
            while tree[u, FIRST] >= 0:
                c = tree[u, FIRST]
                orphan(tree, path, var, c)
                adopt(tree, path, var, w, c)
            pool_shelves(tree, row, shelf, u, w)
            release(tree, var, u)
    tree[w, LEAVES] = below
    mark[w, NUMBERED] = 0
    adopt(tree, path, var, above, w)


@inner
def _renumber(mark, node, var, n, nodes, low):
    """The current nodes other than `low` move to below nodes that stay: the numbers of their leaves do not hold."""
    for k in range(nodes):
        u = node[CURRENT, k]
        if u < n:
            mark[u, NUMBERED] = 0
        elif u != low:
            var[EPOCH] += 1
            return


@inner
def _compose(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, v, a, b, triplets):
    """Replace the children a and b of v by the one component that they become; the triplets at hand are on no shelf."""
    orphan(tree, path, var, a)
    orphan(tree, path, var, b)
    node[CURRENT, 0], node[CURRENT, 1] = a, b
    nodes, above = np.int64(2), v
    top, nodes_used, trips_used = np.int64(0), np.int64(0), np.int64(0)
    while True:
        below = np.int64(0)
        for k in range(nodes):
            below += tree[node[CURRENT, k], LEAVES]
        _, touched = spread(tree, row, mark, trip, node, path, var, n, nodes, triplets)
        if triplets > 0:
            touched = collapse(tree, row, mark, trip, node, var, nodes, touched, triplets)
            high, low = narrow(tree, row, mark, trip, node, path, var, nodes, touched, triplets)
            if high >= 0:
                _renumber(mark, node, var, n, nodes, low)
                adopt(tree, path, var, above, high)
                above = tree[low, UP]
                orphan(tree, path, var, low)
                continue
        found, known = gather(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, touched, triplets, _ALL)
        for k in range(known, found):
            unlink(shelf, trip[FOUND, k])
            row[trip[FOUND, k], SEP] = -1
        w = _chosen(tree, mark, path, node, var, n, nodes)
        top, nodes_used, trips_used = _deal_out(
            tree, row, mark, trip, node, path, var, touched, found, w, top, nodes_used, trips_used
        )
        _join(tree, row, shelf, mark, node, path, var, n, nodes, w, below, above)
        tree[w, HELD] -= found - known
        for k in range(var[RESTS]):
            shelve(tree, row, shelf, trip[REST, k], w)
        if top == 0:
            return
        top -= 1
        nodes, triplets = node[NODE_COUNT, top], node[TRIP_COUNT, top]
        nodes_used, trips_used = node[NODE_BASE, top], node[TRIP_BASE, top]
        above = node[ABOVE, top]
        for k in range(nodes):
            node[CURRENT, k] = node[WAITING, nodes_used + k]
        for k in range(triplets):
            trip[HERE, k] = trip[WAIT, trips_used + k]


@inner
def _hold_at(tree, row, mark, trip, path, var, v, triplets):
    """Have the children of v hold the leaves of the triplets kept, which are at hand again."""
    for k in range(triplets):
        t = trip[KEPT, k]
        trip[HERE, k] = t
        for end in range(3):
            row[t, AT_A + end] = toward(tree, mark, path, var, v, row[t, end])


@inner
def _fuse(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, t, v, at_a, at_b, at_c, go):
    """Make the children of v that hold a and b one, unless the triplet in row t contradicts what is there."""
    triplets = crossing(tree, row, slot, ring, shelf, mark, trip, path, var, n, v, at_a, at_b)
    crossed = triplets
    if at_c in (at_a, at_b):
        trip[HERE, triplets] = t
        row[t, AT_A], row[t, AT_A + 1], row[t, AT_C] = at_a, at_b, at_c
        triplets += 1
        for k in range(triplets):
            trip[KEPT, k] = trip[HERE, k]
        if _contradicts(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, at_a, at_b, triplets, t):
            return REFUSED
        if go:
            _hold_at(tree, row, mark, trip, path, var, v, triplets)
    if go:
        for k in range(crossed):
            unlink(shelf, trip[HERE, k])
            row[trip[HERE, k], SEP] = -1
        tree[v, HELD] -= crossed
        _compose(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, v, at_a, at_b, triplets)
    return NEW_TREE


@njit
def grow(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, t, a, b, c, go):
    """Add the triplet ab|c, as row t, if it contradicts none and `go` is not 0.

    Returns REFUSED, SAME_TREE or NEW_TREE. Oracle: ``one_tree_definition``.
    """
    if var[LONG] and not var[DEEP]:
        deepen(tree, path, var)
    if var[SLOW] > tree.shape[0]:
        number_leaves(tree, mark, var)
    row[t, A], row[t, B], row[t, C] = a, b, c
    told = SAME_TREE
    v = meeting(tree, mark, path, var, a, b)
    top = meeting(tree, mark, path, var, v, c)
    if top == v:
        at_a, at_b = toward(tree, mark, path, var, v, a), toward(tree, mark, path, var, v, b)
        at_c = toward(tree, mark, path, var, v, c)
        inside = at_c in (at_a, at_b)
        if inside and tree[v, KIDS] == 2:
            return REFUSED
        told = NEW_TREE
        if go or inside:
            told = _fuse(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, t, v, at_a, at_b, at_c, go)
            if told == REFUSED:
                return REFUSED
        if go and not inside:
            shelve(tree, row, shelf, t, v)
    elif go:
        shelve(tree, row, shelf, t, top)
    if go:
        row[t, SEEN] = 0
        enlist(slot, ring, t, a, 0)
        enlist(slot, ring, t, b, 1)
        enlist(slot, ring, t, c, 2)
    return told


@njit
def grow_all(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, new, ids, taken, begin, end, told):
    """Add the triplets begin..end-1 of `new` in their order, but those that contradict what is there by then.

    new : int64[k, 3]; ids : int64[.], free rows, of which the first `taken` are taken already;
    told : int8[k], filled with REFUSED, SAME_TREE or NEW_TREE
    Returns the number of rows taken.
    """
    for k in range(begin, end):
        a, b, c = new[k, 0], new[k, 1], new[k, 2]
        told[k] = grow(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, ids[taken], a, b, c, 1)
        if told[k] != REFUSED:
            taken += 1
    return taken


@njit
def tell_all(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, new, t, begin, end, told):
    """The same for each triplet alone, and nothing is added; t : a free row."""
    for k in range(begin, end):
        a, b, c = new[k, 0], new[k, 1], new[k, 2]
        told[k] = grow(tree, row, slot, ring, shelf, mark, trip, node, path, var, n, t, a, b, c, 0)


@njit
def drop(tree, row, slot, ring, shelf, mark, path, var, t):
    """Take out the triplet in row t. Returns SAME_TREE, or NEW_TREE if the tree may be another one now: build it anew.

    Nothing changes where a and b are together in one child of the child that holds them where c is parted from them.
    """
    v = meeting(tree, mark, path, var, row[t, A], row[t, B])
    top = meeting(tree, mark, path, var, v, row[t, C])
    unlink(shelf, t)
    tree[top, HELD] -= 1
    row[t, SEP] = -1
    for k in range(3):
        delist(slot, ring, t, row[t, k], k)
    return NEW_TREE if tree[v, UP] == top else SAME_TREE
