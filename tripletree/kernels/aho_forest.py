"""The Aho tree of the live triplets, kept up to date while clusters merge.

Cluster ids 0..n-1 are at the same time the leaves of the tree. A merge keeps one id and empties the other. A cluster
is in the tree while some live triplet names it. The state is `Forest`. ``aho_tree`` has the parts of it that know
nothing of clusters. ``recon`` calls `join`, which tests a merge and makes it.

Merging i and j is compatible unless there are disjoint A with i, B with j, three or more clusters together, each
connected by the triplets inside A and B (a blocking pair). `join` descends from the last common ancestor of i and j:
the children on both paths are fused level by level, with the triplets that cross between the fused ones. The ways up
from the ends of these triplets are noted once, so that a deep tree is not climbed anew at each level. i and j are
blocked where their components make up all that is there. If they are not, it does so for all components, and changes
the tree. Only nodes on the two paths can change: an edge ij leaves the components above the ancestor as they are, and
the other children of the ancestor.

A triplet ij|c holds for good once i and j are one: it is dead. Dead triplets stay in the lists until these are gone
through.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.aho_tree import (
    Blocks,
    Stack,
    Tree,
    TripletLists,
    Work,
    attach,
    clear,
    deal_out,
    detach,
    empty_parts,
    first_leaf,
    free_nodes,
    is_leaf,
    list_triplet,
    next_leaf,
    next_level,
    set_of,
    touch,
    unite,
    unlist_triplet,
)
from tripletree.kernels.disjoint_set import find
from tripletree.kernels.jit import Integers, IntegerTable, in_place, inlined, inner, njit

#: As the block of a node: it is current, its children are blocks.
SPLIT = -2
#: For `_block_of_end`: the ends of a triplet that stand for its close leaves and its third leaf. These and the next two
#: are numpy's, because numba compiles a part once for each constant of Python's that it is called with.
CLOSE, THIRD = np.int64(0), np.int64(2)
#: For `_block_of`: whether the leaf is known to be below a current node.
INSIDE, ANYWHERE = np.True_, np.False_
_ALL = np.int64(-1)


class Triplets(NamedTuple):
    """The triplets ab|c, and the lists of the ends that each cluster has of them."""

    row: IntegerTable  #: [t, 8], the fields of each triplet, named below. They are read together
    last: Integers  #: of each cluster: an entry of its circular list (end k of triplet t is entry 3 t + k), -1 if empty
    n_entries: Integers  #: of each cluster, dead ones included
    block_of_a: Integers  #: [k], of the k-th triplet at hand
    block_of_c: Integers


class Ways(NamedTuple):
    """The ways up from leaves met in one call of `join`, as they were before it changed anything, cut into runs.

    The nodes of a run stand in `order` one below the other, so that the one at any depth is found in a step for each
    run on the way.
    """

    node: IntegerTable  #: [N, 10], the fields of each node, named below. They are read together
    order: Integers
    used: Integers  #: one entry: places in use in `order`
    call: Integers  #: one entry: the number of the call
    level: Integers  #: one entry: the depth of the current nodes, -1 before there are any


# row: the three ends come first, clusters that have been merged since `RENEWED` included
NEXT = 3  #: three columns, of each end: the entry after it in the list of its cluster
FOUND = 6  #: stamp of the level at which it was last found, `DEAD` once it holds for good
RENEWED = 7  #: the number of the last call that brought its ends up to date
DEAD = 2**62

# node
SEEN_AT = 0  #: stamp of BLOCK
BLOCK = 1  #: the block that holds the node (-1 for none), or SPLIT
MET = 2  #: the number of the last call that met the node. The columns below are void unless that is this call
DEPTH = 3  #: how far below the two nodes that fuse first, -1 outside of them
HEAD = 4  #: the topmost node of its run
PLACE = 5  #: its place in `order`
ABOVE = 6  #: of a head: the node above it
SINCE = 7  #: the first depth of the run in which the block that holds the node was last found
UNTIL = 8  #: the depth at which its way leaves that run
SHIFT = 9  #: to be added to a depth in between: the place in `order` of the node there


class Forest(NamedTuple):
    """All that `join` reads and changes."""

    tree: Tree
    by_lca: TripletLists  #: the list of node u begins at m + u
    blocks: Blocks
    work: Work
    stack: Stack
    triplets: Triplets
    into: Integers  #: of each cluster id: where its samples went (a disjoint set)
    degree: Integers  #: of each cluster: its ends of live triplets
    ways: Ways
    sides: IntegerTable  #: [2, n]: the clusters of the blocking pair last found, the side of i first


def empty_forest(rows, n):
    """Room for the triplets in rows (int64[m, 3]) on clusters 0..n-1, to be filled by `plant`."""
    m, nodes = len(rows), 2 * n + 2
    triplets = Triplets(np.zeros((m, 8), np.int64), *np.zeros((2, n), np.int64), *np.zeros((2, m), np.int64))
    triplets.row[:, :3] = rows
    ways = Ways(np.zeros((nodes, 10), np.int64), np.zeros(nodes, np.int64), *np.zeros((3, 1), np.int64))
    return Forest(*empty_parts(n, m), triplets, np.arange(n), np.zeros(n, np.int64), ways, np.empty((2, n), np.int64))


@in_place
def plant(parent, separator, forest):
    """Fill an empty forest from the parent array of `one_tree` of its triplets, and the node that separates each."""
    tree, triplets, degree = forest.tree, forest.triplets, forest.degree
    n, m, root = len(degree), len(triplets.row), len(tree.parent) - 1
    clear(tree)
    for head in range(m, m + len(tree.parent)):
        forest.by_lca.next[head] = forest.by_lca.previous[head] = head
    for x in range(n):
        triplets.last[x] = -1
    size = parent.shape[0]
    for t in range(m):
        _give_triplet(forest, t, root if separator[t] == size - 1 else np.int64(separator[t]))
    for t in range(m):
        for k in range(3):
            degree[triplets.row[t, k]] += 1
            _add_entry(triplets, t, k)
    # children before parents, so that the leaves below a node are counted when it is added to its parent
    for u in range(size - 1):
        if u < n:
            if degree[u] == 0:
                continue
            tree.n_leaves[u] = 1
        p = root if parent[u] == size - 1 else np.int64(parent[u])
        attach(tree, p, np.int64(u))
        tree.n_leaves[p] += tree.n_leaves[u]
    free_nodes(tree, max(size - 1, n))


# ---------------------------------------------------------------------- the triplets of a node


@inner
def _give_triplet(forest, t, u):
    """Triplet t belongs to node u."""
    list_triplet(forest.by_lca, t, len(forest.triplets.row) + u)
    forest.tree.n_triplets[u] += 1


@inner
def _take_triplet(forest, t, u):
    """Triplet t does not belong to node u any more."""
    unlist_triplet(forest.by_lca, t)
    forest.tree.n_triplets[u] -= 1


@inner
def _forget_triplets(forest, u):
    head = len(forest.triplets.row) + u
    forest.by_lca.next[head] = forest.by_lca.previous[head] = head
    forest.tree.n_triplets[u] = 0


@inner
def _give_all_triplets(forest, u, w):
    """Give all triplets of u to w: the two lists become one in one step, however long they are."""
    lists, m = forest.by_lca, len(forest.triplets.row)
    if lists.next[m + u] != m + u:
        first, last, after = lists.next[m + u], lists.previous[m + u], lists.next[m + w]
        lists.next[m + w], lists.previous[first] = first, m + w
        lists.next[last], lists.previous[after] = after, last
    forest.tree.n_triplets[w] += forest.tree.n_triplets[u]
    _forget_triplets(forest, u)


@inner
def _add_entry(triplets, t, k):
    """Add end k of triplet t to the list of its cluster."""
    x, e = triplets.row[t, k], 3 * t + k
    last = triplets.last[x]
    if last < 0:
        triplets.row[t, NEXT + k] = e
        triplets.last[x] = e
    else:
        triplets.row[t, NEXT + k] = _after(triplets, last)
        _put_after(triplets, last, e)
    triplets.n_entries[x] += 1


@inner
def _after(triplets, e):
    """The entry after entry e."""
    return triplets.row[e // 3, NEXT + e % 3]


@inner
def _put_after(triplets, e, after):
    """Make `after` the entry after entry e."""
    triplets.row[e // 3, NEXT + e % 3] = after


@inner
def _sweep(forest, x):
    """Take the dead entries out of x's list once they are most of it: paid for by those that have died since."""
    triplets = forest.triplets
    if triplets.n_entries[x] <= 2 * forest.degree[x] + 2:
        return
    before = triplets.last[x]
    kept = 0
    for _ in range(triplets.n_entries[x]):
        e = _after(triplets, before)
        if triplets.row[e // 3, FOUND] == DEAD:
            _put_after(triplets, before, _after(triplets, e))
        else:
            before = e
            kept += 1
    triplets.last[x] = before if kept > 0 else -1
    triplets.n_entries[x] = kept


# ---------------------------------------------------------------------- the block that holds a cluster


@inner
def _meeting(forest, i, j):
    """Last common ancestor v of two leaves, and the children of v above each: both climb by turns until they meet."""
    parent, touched, stamp = forest.tree.parent, forest.blocks.touched, forest.blocks.stamp
    mine, other = stamp[0] + 1, stamp[0] + 2
    stamp[0] += 2
    # each marks the nodes that it passes, so the first node with the other's mark is the ancestor; the climb ends
    # after twice the longer way to it
    u, w = i, j
    while True:
        if u >= 0:
            if touched[u] == other:
                v = u
                break
            touched[u] = mine
            u = parent[u]
        if w >= 0:
            if touched[w] == mine:
                v = w
                break
            touched[w] = other
            w = parent[w]
    a, b = i, j
    while parent[a] != v:
        a = parent[a]
    while parent[b] != v:
        b = parent[b]
    return v, a, b


@inner
def _split(forest, u):
    """At this level u is current: each child of it is a block (or u itself, if a leaf)."""
    node = forest.ways.node
    node[u, SEEN_AT], node[u, BLOCK] = forest.blocks.stamp[0], SPLIT


@inlined
def _is_current(forest, u):
    return forest.ways.node[u, SEEN_AT] == forest.blocks.stamp[0] and forest.ways.node[u, BLOCK] == SPLIT


@inner
def _is_whole(forest, u):
    """Whether a block is itself current: a leaf."""
    return is_leaf(forest.tree, u) and _is_current(forest, u)


@inner
def _begin_ways(forest, a, b):
    """Forget all ways. The two nodes that fuse first are a and b."""
    ways = forest.ways
    ways.call[0] += 1
    ways.used[0] = 0
    ways.level[0] = -1
    _append_way(ways, a, np.int64(0), a)
    _append_way(ways, b, np.int64(0), b)


@inlined
def _append_way(ways, u, depth, head):
    node = ways.node
    node[u, MET], node[u, DEPTH], node[u, HEAD], node[u, PLACE] = ways.call[0], depth, head, ways.used[0]
    node[u, UNTIL] = 0
    ways.order[ways.used[0]] = u
    ways.used[0] += 1


@inlined
def _note_way(forest, x):
    """Note the way up from node x, which has not been met yet, to the first node that has."""
    ways, parent = forest.ways, forest.tree.parent
    node, call = ways.node, ways.call[0]
    u, length = parent[x], 1
    while u >= 0 and node[u, MET] != call:
        u = parent[u]
        length += 1
    if u < 0 or node[u, DEPTH] < 0:
        while x != u:
            node[x, MET], node[x, DEPTH] = call, -1
            x = parent[x]
        return
    begin = ways.used[0]
    # -1 unless the way goes on below the last run
    head = node[u, HEAD] if node[u, PLACE] == begin - 1 else np.int64(-1)
    for k in range(length):
        ways.order[begin + length - 1 - k] = x
        x = parent[x]
    if head < 0:
        head = ways.order[begin]
        node[head, ABOVE] = u
    depth = node[u, DEPTH] + 1
    for k in range(length):
        _append_way(ways, ways.order[begin + k], depth + k, head)


@inlined
def _find_block(forest, x, inside):
    """The block that holds a leaf with a way: the node below the current ones on that way. Returns -1 for none."""
    ways = forest.ways
    node, depth = ways.node, ways.level[0] + 1
    if node[x, DEPTH] < depth:
        return np.int64(-1)
    if depth < node[x, SINCE] or depth >= node[x, UNTIL]:
        u, until = x, node[x, DEPTH] + 1
        head = node[u, HEAD]
        while node[head, DEPTH] > depth:
            u, until = node[head, ABOVE], node[head, DEPTH]
            head = node[u, HEAD]
        node[x, SINCE], node[x, UNTIL], node[x, SHIFT] = node[head, DEPTH], until, node[u, PLACE] - node[u, DEPTH]
    place = node[x, SHIFT] + depth
    found = ways.order[place]
    if inside or depth == 0:
        return found
    above = node[found, ABOVE] if depth == node[x, SINCE] else ways.order[place - 1]
    return found if _is_current(forest, above) else np.int64(-1)


@inlined
def _block_of(forest, x, inside):
    """The block that holds leaf x, or -1. It is noted, for the next triplet to come by.

    inside : whether x is known to be below a current node
    """
    ways, stamp = forest.ways, forest.blocks.stamp[0]
    node = ways.node
    if node[x, SEEN_AT] == stamp:
        return x if node[x, BLOCK] == SPLIT else node[x, BLOCK]
    if node[x, MET] != ways.call[0]:
        _note_way(forest, x)
    found = _find_block(forest, x, inside)
    node[x, SEEN_AT], node[x, BLOCK] = stamp, found
    return found


@inlined
def _block_of_end(forest, t, k):
    """The block that holds end k of triplet t."""
    row, call = forest.triplets.row, forest.ways.call[0]
    if row[t, RENEWED] != call:
        row[t, RENEWED] = call
        for end in range(3):
            row[t, end] = find(forest.into, row[t, end])
    return _block_of(forest, row[t, k], ANYWHERE)


# ---------------------------------------------------------------------- one level


@inner
def _crossing(forest, v, a, b):
    """List the live triplets between the children a and b of v as those at hand. Returns their number.

    They all belong to v, and are all in the lists of the clusters below a as well as below b: the shortest of these is
    gone through.
    """
    tree, triplets, at_hand = forest.tree, forest.triplets, forest.work.at_hand
    forest.blocks.stamp[0] += 1
    stamp = forest.blocks.stamp[0]
    _begin_ways(forest, a, b)
    top = a if tree.n_leaves[a] <= tree.n_leaves[b] else b
    count = np.int64(0)
    m = len(triplets.row)
    if tree.n_triplets[v] <= 2 * tree.n_leaves[top]:  # few triplets belong to v: go through all of these
        t = forest.by_lca.next[m + v]
        while t < m:
            after = forest.by_lca.next[t]
            if triplets.row[t, FOUND] == DEAD:
                _take_triplet(forest, t, v)
            else:
                p = _block_of_end(forest, t, CLOSE)
                if p >= 0:
                    r = _block_of_end(forest, t, THIRD)
                    if r >= 0 and p != r:
                        at_hand[count] = t
                        count += 1
            t = after
    else:
        x = first_leaf(tree, top)
        while x >= 0:
            _sweep(forest, x)
            e = triplets.last[x]
            for _ in range(triplets.n_entries[x]):
                e = _after(triplets, e)
                t = e // 3
                if triplets.row[t, FOUND] >= stamp:
                    continue  # seen at its other end
                triplets.row[t, FOUND] = stamp
                r = _block_of_end(forest, t, CLOSE if e % 3 == 2 else THIRD)
                if r >= 0 and r != top:
                    at_hand[count] = t
                    count += 1
            x = next_leaf(tree, x, top)
    return count


@inlined
def _spread(forest, n_current, n_at_hand):
    """Begin a level: unite the children of the current nodes by the triplets at hand.

    Returns the number of children (a leaf counts as its own), and of those touched.
    """
    tree, blocks, stack, triplets = forest.tree, forest.blocks, forest.stack, forest.triplets
    blocks.stamp[0] += 1
    n_blocks = np.int64(0)
    level = np.int64(0)  # the depth of those that are not leaves
    for k in range(n_current):
        u = stack.current[k]
        _split(forest, u)
        level = max(level, forest.ways.node[u, DEPTH])
        n_blocks += 1 if is_leaf(tree, u) else tree.n_children[u]
    forest.ways.level[0] = level
    n_touched = np.int64(0)
    for k in range(n_at_hand):
        t = forest.work.at_hand[k]  # its ends have been brought up to date when it was found
        a = _block_of(forest, triplets.row[t, 0], INSIDE)
        b = _block_of(forest, triplets.row[t, 1], INSIDE)
        triplets.block_of_a[k] = a
        triplets.block_of_c[k] = _block_of(forest, triplets.row[t, 2], INSIDE)
        n_touched = touch(blocks, stack, a, n_touched)
        if a != b:
            n_touched = touch(blocks, stack, b, n_touched)
            unite(blocks, a, b)
    return n_blocks, n_touched


@inner
def _count_hits(forest, n_touched, only):
    """For each current node: how many of its children are touched, the largest of them, the leaves below them all.

    Returns the number of current nodes with several: only between their children is there something to be found.
    """
    tree, blocks, stack = forest.tree, forest.blocks, forest.stack
    stamp = blocks.stamp[0]
    several = 0
    for k in range(n_touched):
        u = stack.touched[k]
        if _is_whole(forest, u) or (only >= 0 and set_of(blocks, u) != only):
            continue
        p = tree.parent[u]
        if blocks.hit[p] != stamp:
            blocks.hit[p], blocks.n_hits[p], blocks.largest[p], blocks.hit_leaves[p] = stamp, 1, u, tree.n_leaves[u]
            continue
        if blocks.n_hits[p] == 1:
            several += 1
        blocks.n_hits[p] += 1
        blocks.hit_leaves[p] += tree.n_leaves[u]
        if tree.n_leaves[u] > tree.n_leaves[blocks.largest[p]]:
            blocks.largest[p] = u
    return several


@inlined
def _gather(forest, n_touched, n_at_hand, only):
    """Find the triplets inside one set of touched blocks but not in one block.

    Such a triplet is at hand, or it lies between children of one current node. The latter belong to that node, and
    stand in the lists of the clusters below all its touched children but the largest: the shorter search is taken.

    only : the set to look at, -1 for all
    Returns how many were found, and how many of them were at hand. The latter come first. The others at hand are the
    rest.
    """
    tree, blocks, work, stack = forest.tree, forest.blocks, forest.work, forest.stack
    stamp = blocks.stamp[0]
    count = np.int64(0)  # a plain 0 has another type, so numba would compile the functions that take it twice
    rest = 0
    for k in range(n_at_hand):
        s = set_of(blocks, forest.triplets.block_of_a[k])
        c = forest.triplets.block_of_c[k]
        if (only < 0 or s == only) and blocks.touched[c] == stamp and set_of(blocks, c) == s:
            work.found[count], work.found_in[count] = work.at_hand[k], s
            count += 1
        else:
            work.rest[rest] = work.at_hand[k]
            rest += 1
    work.n_rest[0] = rest
    known = count
    if _count_hits(forest, n_touched, only) == 0:
        return count, known
    for k in range(n_touched):
        u = stack.touched[k]
        p = tree.parent[u]
        if _is_whole(forest, u) or blocks.hit[p] != stamp or blocks.n_hits[p] < 2:
            continue
        largest = blocks.largest[p]
        # the shorter way: all that belong to p, or the lists of the clusters below all its touched children but one
        if tree.n_triplets[p] <= 2 * (blocks.hit_leaves[p] - tree.n_leaves[largest]):
            if u == largest:  # once for each p
                count = _found_at_node(forest, p, only, count)
        elif u != largest and (only < 0 or set_of(blocks, u) == only):
            count = _found_below(forest, u, count)
    return count, known


@inner
def _is_child_touched(forest, u, p):
    """Whether block u is a touched child of node p."""
    blocks = forest.blocks
    return u >= 0 and blocks.touched[u] == blocks.stamp[0] and not _is_whole(forest, u) and forest.tree.parent[u] == p


@inlined
def _set_of_triplet(forest, t, p):
    """The set that holds triplet t, which belongs to node p, or -1."""
    a = _block_of_end(forest, t, CLOSE)
    if not _is_child_touched(forest, a, p):
        return -1
    c = _block_of_end(forest, t, THIRD)
    if c == a or not _is_child_touched(forest, c, p):
        return -1
    s = set_of(forest.blocks, a)
    return s if set_of(forest.blocks, c) == s else -1


@inner
def _found_at_node(forest, p, only, count):
    """Add to those found the triplets of current node p that lie in one set."""
    work, lists = forest.work, forest.by_lca
    m = len(forest.triplets.row)
    t = lists.next[m + p]
    while t < m:
        after = lists.next[t]
        if forest.triplets.row[t, FOUND] == DEAD:
            _take_triplet(forest, t, p)
        else:
            s = _set_of_triplet(forest, t, p)
            if s >= 0 and (only < 0 or s == only):
                work.found[count], work.found_in[count] = t, s
                count += 1
        t = after
    return count


@inlined
def _found_below(forest, top, count):
    """Add to those found the triplets between block `top` and other children of its parent, all in the set of `top`."""
    blocks, triplets = forest.blocks, forest.triplets
    p = forest.tree.parent[top]
    s = set_of(blocks, top)
    stamp = blocks.stamp[0]
    x = first_leaf(forest.tree, top)
    while x >= 0:
        _sweep(forest, x)
        e = triplets.last[x]
        for _ in range(triplets.n_entries[x]):
            e = _after(triplets, e)
            t = e // 3
            if triplets.row[t, FOUND] >= stamp:
                continue
            triplets.row[t, FOUND] = stamp
            # one end is below `top`: if it is c, where is a, else, where is c? (b is where a is)
            w = _block_of_end(forest, t, CLOSE if e % 3 == 2 else THIRD)
            if w != top and _is_child_touched(forest, w, p) and set_of(blocks, w) == s:
                forest.work.found[count], forest.work.found_in[count] = t, s
                count += 1
        x = next_leaf(forest.tree, x, top)
    return count


# ---------------------------------------------------------------------- whether two clusters are blocked


@inner
def _list_leaves(forest, top, side, count):
    """List the leaves below a node. The first and the last one are below different children of it."""
    tree, waiting = forest.tree, forest.stack.waiting
    waiting[0] = top
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        u = waiting[n_waiting]
        if is_leaf(tree, u):
            side[count] = u
            count += 1
            continue
        c = tree.first_child[u]
        while c >= 0:
            if is_leaf(tree, c):
                side[count] = c
                count += 1
            else:
                waiting[n_waiting] = c
                n_waiting += 1
            c = tree.next_sibling[c]
    return count


@inner
def _list_sides(forest, n_touched, s):
    """Fill the two sides of a blocking pair from the touched blocks: those in set s, and all others."""
    left, right = np.int64(0), np.int64(0)
    for k in range(n_touched):
        u = forest.stack.touched[k]
        if set_of(forest.blocks, u) == s:
            left = _list_leaves(forest, u, forest.sides[0], left)
        else:
            right = _list_leaves(forest, u, forest.sides[1], right)
    return left, right


@inlined
def _touch_pair(forest, i, j, n_touched):
    """The blocks of i and j are touched. Returns them, and the number of touched blocks."""
    a, b = _block_of(forest, i, INSIDE), _block_of(forest, j, INSIDE)
    n_touched = touch(forest.blocks, forest.stack, a, n_touched)
    n_touched = touch(forest.blocks, forest.stack, b, n_touched)
    return a, b, n_touched


@inner
def _descend(forest, i, j, a, b, n_at_hand):
    """Whether i and j are blocked by the triplets between a and b, the siblings above them, and their consequences.

    Fills `sides` with the largest blocking pair. Returns the sizes of the pair, (0, 0) if there is none.
    """
    blocks, work, stack = forest.blocks, forest.work, forest.stack
    stack.current[0], stack.current[1] = a, b
    n_current = np.int64(2)
    # without triplets between them nothing is tied together that was not: there is no blocking pair
    while n_at_hand > 0:
        n_blocks, n_touched = _spread(forest, n_current, n_at_hand)
        block_i, block_j, n_touched = _touch_pair(forest, i, j, n_touched)
        set_i, set_j = set_of(blocks, block_i), set_of(blocks, block_j)
        size = blocks.set_size[set_i] + (blocks.set_size[set_j] if set_i != set_j else 0)
        if size == 2 and block_i == i and block_j == j:
            break  # i and j alone are a component, to be merged
        if size == n_blocks:
            return _list_sides(forest, n_touched, set_i)
        unite(blocks, block_i, block_j)
        s = set_of(blocks, block_i)
        n_at_hand, _ = _gather(forest, n_touched, n_at_hand, s)
        for k in range(n_at_hand):
            work.at_hand[k] = work.found[k]
        n_current = np.int64(0)
        for k in range(n_touched):
            u = stack.touched[k]
            if set_of(blocks, u) == s:
                stack.current[n_current] = u
                n_current += 1
    return np.int64(0), np.int64(0)


# ---------------------------------------------------------------------- merges


@inner
def _release(tree, u):
    """Put a node without parent and children among the free ones."""
    tree.parent[u] = tree.free[0]
    tree.first_child[u] = -1
    tree.n_children[u] = 0
    tree.free[0] = u


@inner
def _unite_current(forest, n_current, parent, n_lost):
    """Unite the current nodes below `parent`: the one with most children takes the children of the others."""
    tree, current = forest.tree, forest.stack.current
    w = -1
    for k in range(n_current):
        u = current[k]
        if not is_leaf(tree, u) and (w < 0 or tree.n_children[u] > tree.n_children[w]):
            w = u
    if w < 0:  # leaves only: a node from the list of free ones
        w = tree.free[0]
        tree.free[0] = tree.parent[w]
        tree.first_child[w], tree.n_children[w], tree.n_leaves[w] = -1, 0, 0
    n_leaves = 0
    for k in range(n_current):
        u = current[k]
        n_leaves += tree.n_leaves[u]
        if u == w:
            continue
        if is_leaf(tree, u):
            attach(tree, w, u)
        else:
            while tree.first_child[u] >= 0:
                c = tree.first_child[u]
                detach(tree, c)
                attach(tree, w, c)
            _give_all_triplets(forest, u, w)
            _release(tree, u)
    tree.n_leaves[w] = n_leaves - n_lost
    attach(tree, parent, w)
    return w


@inner
def _compose(forest, v, a, b, pair, n_at_hand):
    """Replace the children a and b of v, which the clusters of `pair` join, by the one component that they become."""
    tree, blocks, work, stack = forest.tree, forest.blocks, forest.work, forest.stack
    i, j = pair
    detach(tree, a)
    detach(tree, b)
    stack.current[0], stack.current[1] = a, b
    n_current, above, has_pair = np.int64(2), v, np.int64(1)
    height = np.int64(0), np.int64(0), np.int64(0)
    while True:
        _, n_touched = _spread(forest, n_current, n_at_hand)
        leaf_set, pair_set = np.int64(-1), np.int64(-1)
        if has_pair:
            block_i, block_j, n_touched = _touch_pair(forest, i, j, n_touched)
            unite(blocks, block_i, block_j)
            pair_set = set_of(blocks, block_i)
            if blocks.set_size[pair_set] == 2 and block_i == i and block_j == j:
                leaf_set, pair_set = pair_set, np.int64(-1)
        found, known = _gather(forest, n_touched, n_at_hand, _ALL)
        for k in range(known, found):
            unlist_triplet(forest.by_lca, work.found[k])
        w = _unite_current(forest, n_current, above, has_pair)
        tree.n_triplets[w] -= found - known
        for k in range(work.n_rest[0]):
            _give_triplet(forest, work.rest[k], w)
        height = deal_out(forest, n_touched, found, w, height, (leaf_set, pair_set))
        if leaf_set >= 0:
            detach(tree, i)  # i and j are one leaf from now on: j
        for k in range(n_touched):
            if blocks.group[set_of(blocks, stack.touched[k])] >= 0:
                detach(tree, stack.touched[k])
        levels = height[0] - 1
        if levels < 0:
            return
        n_current, n_at_hand = stack.n_nodes[levels], stack.n_triplets[levels]
        above, has_pair = stack.above[levels], stack.has_pair[levels]
        height = next_level(forest, height[0])


@inner
def _lose_leaf(tree, p):
    """One leaf less below every node from p up."""
    while p >= 0:
        tree.n_leaves[p] -= 1
        p = tree.parent[p]


@inner
def _fuse_siblings(forest, v, i, j):
    """Make i and j, both leaves below v, one leaf, j."""
    tree = forest.tree
    detach(tree, i)
    _lose_leaf(tree, v)
    if tree.n_children[v] == 1 and tree.parent[v] >= 0:
        p = tree.parent[v]
        detach(tree, j)
        detach(tree, v)
        attach(tree, p, j)
        _forget_triplets(forest, v)  # they are all dead
        _release(tree, v)


@inner
def _leave(tree, x):
    """Take a cluster that no live triplet names out of the tree."""
    p = tree.parent[x]
    detach(tree, x)
    _lose_leaf(tree, p)


@inner
def _settle(forest, i, j):
    """End the triplets ij|c, which hold from now on, and give all triplets of i to j."""
    tree, degree, triplets = forest.tree, forest.degree, forest.triplets
    row, last, n_entries = triplets.row, triplets.last, triplets.n_entries
    x = i if n_entries[i] <= n_entries[j] else j
    e = last[x]
    for _ in range(n_entries[x]):
        e = _after(triplets, e)
        t = e // 3
        if row[t, FOUND] == DEAD:
            continue
        a, b = find(forest.into, row[t, 0]), find(forest.into, row[t, 1])
        if (a == i and b == j) or (a == j and b == i):
            row[t, FOUND] = DEAD
            degree[i] -= 1
            degree[j] -= 1
            c = find(forest.into, row[t, 2])
            degree[c] -= 1
            if degree[c] == 0:
                _leave(tree, c)
    if last[j] < 0:
        last[j] = last[i]
    elif last[i] >= 0:
        # swapping two successors makes one circle of two
        after = _after(triplets, last[i])
        _put_after(triplets, last[i], _after(triplets, last[j]))
        _put_after(triplets, last[j], after)
    n_entries[j] += n_entries[i]
    degree[j] += degree[i]
    forest.into[i] = j
    if degree[j] == 0 and tree.parent[j] >= 0:
        _leave(tree, j)
    _sweep(forest, j)


@njit
def join(forest, i, j, go):
    """Merge cluster i into cluster j, if they are compatible and `go` is not 0.

    Returns the sizes of the largest blocking pair, whose clusters are in `sides`, or (0, 0) if the merge is compatible.
    """
    tree, work = forest.tree, forest.work
    if forest.degree[i] > 0 and forest.degree[j] > 0:
        v, a, b = _meeting(forest, i, j)
        siblings = a == i and b == j
        count = np.int64(0)
        if not siblings:
            if tree.n_children[v] == 2:  # all below v is tied together by i and j
                left = _list_leaves(forest, a, forest.sides[0], np.int64(0))
                return left, _list_leaves(forest, b, forest.sides[1], np.int64(0))
            count = _crossing(forest, v, a, b)
            for k in range(count):
                work.kept[k] = work.at_hand[k]
            left, right = _descend(forest, i, j, a, b, count)
            if left > 0:
                return left, right
        if go and siblings:
            _fuse_siblings(forest, v, i, j)
        elif go:
            for k in range(count):
                work.at_hand[k] = work.kept[k]
                _take_triplet(forest, work.kept[k], v)
            _lose_leaf(tree, v)
            _compose(forest, v, a, b, (i, j), count)
    elif go and forest.degree[i] > 0:
        # j is in no triplet: it takes the place of i
        p = tree.parent[i]
        detach(tree, i)
        attach(tree, p, j)
        tree.n_leaves[j] = 1
    if go:
        _settle(forest, i, j)
    return np.int64(0), np.int64(0)
