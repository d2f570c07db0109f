"""Adding triplets to a consistent set one at a time, and taking them out; the state is described in ``growing_tree``.

Let v be the last common ancestor of the leaves of a new triplet ab|c. Where a and b are in one child of v, nothing
changes. Otherwise the children A of a and B of b become one component: its tree is composed of theirs, level by level,
along the triplets that cross between them. If c is in neither, that cannot fail; if it is, the new triplet is one of
those that cross, and contradicts the others exactly if it ties together all that is there at some level.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.growing_levels import (
    ABOVE,
    CURRENT,
    FOUND,
    FOUND_IN,
    HERE,
    KEPT,
    NODE_BASE,
    NODE_COUNT,
    REST,
    TOUCH,
    TRIP_BASE,
    TRIP_COUNT,
    WAIT,
    WAITING,
    collapse,
    crossing,
    gather,
    narrow,
    set_of,
    spread,
)
from tripletree._kernels.growing_paths import (
    BLOCKS,
    DEEP,
    EPOCH,
    FIRST,
    GROUP,
    HELD,
    HIT,
    KIDS,
    LARGEST,
    LEAVES,
    LONG,
    NUMBERED,
    RESTS,
    SLOW,
    STAMP,
    TOUCHED,
    UP,
    meeting,
    number_leaves,
    toward,
)
from tripletree._kernels.growing_tree import (
    AT_A,
    AT_C,
    SEEN,
    SEP,
    A,
    B,
    C,
    adopt,
    deepen,
    delist,
    enlist,
    fresh_node,
    orphan,
    pool_shelves,
    release,
    shelve,
    unlink,
)

__all__ = ["drop", "grow", "grow_all", "tell_all"]

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
