"""Splits of leaves by the triplets inside them: components, two sides that few triplets lose by, one leaf at a time.

A split in two displays ab|c when a and b are on one side and c is on the other, and loses it when a and b are parted.
With a weight of w/2 on the pairs ac and bc and of -w/2 - penalty * w on ab, the weight displayed less `penalty` times
the weight lost is the sum over all pairs that the split parts: a cut in a graph with positive and negative weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.heaps import heapify, pop, renew
from tripletree.kernels.jit import Integers, Reals, allocating, inner, njit


class CutGraph(NamedTuple):
    """The graph of cuts, see above: the neighbours of leaf x, once each, are at start[x]..stop[x] - 1."""

    start: Integers
    stop: Integers
    other: np.ndarray  #: int32, the neighbour
    weight: Reals  #: of the pair


class Pass(NamedTuple):
    """The state of a pass of moves."""

    gain: Reals  #: of each leaf: the gain of the cut when it changes sides
    heap: np.ndarray  #: int32[k], the leaves that may still move, by gain
    place: np.ndarray  #: int32[k], where each is in the heap, -1 once it has moved
    moved: np.ndarray  #: int32[k], the leaves that have moved, in order


@njit
def components(rows, k):
    """Number the components of the leaves 0..k-1 under an edge ab for each triplet ab|c, by their smallest leaf.

    rows : int32[m, 3]
    k : number of leaves
    Returns label : int32[k], number of components : int.
    """
    up = np.arange(k).astype(np.int32)
    parts = k
    for t in range(rows.shape[0]):
        if unite(up, rows[t, 0], rows[t, 1]):
            parts -= 1
            if parts == 1:
                break
    label = np.zeros(k, np.int32)
    if parts > 1:
        parts = 0
        for x in range(k):
            if find(up, x) == x:
                label[x] = parts
                parts += 1
            else:
                label[x] = label[up[x]]  # the root is the smallest of its set, and comes first
    return label, parts


@allocating
def _cut_graph(rows, weight, k, penalty):
    m = rows.shape[0]
    start, stop = np.zeros(k + 1, np.int64), np.empty(k, np.int64)
    for t in range(m):
        for i in range(3):
            start[rows[t, i] + 1] += 2
    for x in range(k):
        start[x + 1] += start[x]
        stop[x] = start[x]
    other, pair_weight = np.empty(6 * m, np.int32), np.empty(6 * m, np.float64)
    for t in range(m):
        for i in range(3):
            for j in range(3):
                if i != j:
                    x = rows[t, i]
                    other[stop[x]] = rows[t, j]
                    pair_weight[stop[x]] = (0.5 if i == 2 or j == 2 else -0.5 - penalty) * weight[t]
                    stop[x] += 1
    # Add up the weights of one pair. `at` is the place of the neighbour, in another leaf's list if before start[x].
    at = np.full(k, -1, np.int64)
    for x in range(k):
        end = start[x]
        for e in range(start[x], stop[x]):
            y = other[e]
            if at[y] < start[x]:
                at[y] = end
                other[end], pair_weight[end] = y, pair_weight[e]
                end += 1
            else:
                pair_weight[at[y]] += pair_weight[e]
        stop[x] = end
    return CutGraph(start, stop, other, pair_weight)


@inner
def _find_gains(side, graph, gain):
    """Fill in the gain of the cut when each leaf changes sides. Returns the weight of the cut."""
    twice = 0.0
    for x in range(side.shape[0]):
        gain[x] = 0.0
        for e in range(graph.start[x], graph.stop[x]):
            if side[graph.other[e]] == side[x]:
                gain[x] += graph.weight[e]
            else:
                gain[x] -= graph.weight[e]
                twice += graph.weight[e]
    return 0.5 * twice


@inner
def _one_pass(side, graph, work, patience):
    """Each leaf changes sides at most once, the one that gains most first. Back to the best cut that was met.

    Moves that lose are made, too: the way out of a cut that no single leaf improves leads through worse ones. After
    `patience` of them without a new best cut the pass ends. Returns the gain and the steps taken.
    """
    gain, heap, place, moved = work
    k = side.shape[0]
    heapify(heap, place, gain)
    ones = 0
    for x in range(k):
        ones += side[x]
    gained, best, n_kept, steps = 0.0, 0.0, 0, k
    for i in range(k):
        x = pop(heap, k - i, place, gain)
        gained += gain[x]
        side[x] = 1 - side[x]
        ones += 2 * side[x] - 1
        moved[i] = x
        for e in range(graph.start[x], graph.stop[x]):
            y = graph.other[e]
            if place[y] >= 0:
                gain[y] += 2.0 * graph.weight[e] if side[y] == side[x] else -2.0 * graph.weight[e]
                renew(heap, k - i - 1, place, gain, y)
        steps += graph.stop[x] - graph.start[x]
        if 0 < ones < k and gained > best:  # with all leaves on one side it is no split
            best, n_kept = gained, i + 1
        if i + 1 - n_kept >= patience or i + 1 == k:
            for j in range(i, n_kept - 1, -1):
                side[moved[j]] = 1 - side[moved[j]]
            break
    return best, steps


@njit
def bisect(rows, weight, k, penalty, starts, most_passes):
    """Split the leaves 0..k-1 in two: passes of Fiduccia and Mattheyses from several starts, the best of them.

    Time O((k + m) log k) a pass, memory O(k + m).

    rows : int32[m, 3]
    weight : float64[m]
    k : number of leaves, at least 2
    penalty : float, see above
    starts : int32[s, k], 0 or 1 for each leaf
    most_passes : int, from each start
    Returns side : int32[k], 0 or 1, both occur, and steps : int.
    """
    graph = _cut_graph(rows, weight, k, penalty)
    work = Pass(np.empty(k, np.float64), np.empty(k, np.int32), np.empty(k, np.int32), np.empty(k, np.int32))
    side, best_side = np.empty(k, np.int32), np.empty(k, np.int32)
    best, steps = -np.inf, 6 * rows.shape[0]
    slack = 0.0  # a pass that gains less gains by rounding, and would never end
    for t in range(rows.shape[0]):
        slack += weight[t]
    slack *= 1e-12
    for s in range(starts.shape[0]):
        ones = 0
        for x in range(k):
            side[x] = starts[s, x]
            ones += side[x]
        if ones == 0 or ones == k:
            side[0] = 1 - side[0]
        for _ in range(most_passes):
            _find_gains(side, graph, work.gain)
            gained, taken = _one_pass(side, graph, work, 50 + k // 4)
            steps += taken
            if gained <= slack:
                break
        cut = _find_gains(side, graph, work.gain)
        if cut > best:
            best = cut
            for x in range(k):
                best_side[x] = side[x]
    return best_side, steps


@njit
def peel(rows, weight, k):
    """Split the leaves 0..k-1 off one by one. The ladder displays at least a third of the weight.

    Each time the leaf leaves whose displayed weight (triplets ab|c of which it is the c), less a third of the weight of
    all its triplets at hand, is greatest: it is at least 0, as the sum of this over all leaves is 0. Time O((k + m) log
    k), memory O(k + m).

    rows : int32[m, 3]
    weight : float64[m]
    k : number of leaves
    Returns order : int32[k], the leaf next to the root first.
    """
    m = rows.shape[0]
    start = np.zeros(k + 1, np.int64)
    key = np.zeros(k, np.float64)
    for t in range(m):
        for i in range(3):
            start[rows[t, i] + 1] += 1
            # three times the weight displayed less a third of all
            key[rows[t, i]] += (2.0 if i == 2 else -1.0) * weight[t]
    for x in range(k):
        start[x + 1] += start[x]
    stop, of = start[:-1].copy(), np.empty(3 * m, np.int64)
    for t in range(m):
        for i in range(3):
            of[stop[rows[t, i]]] = t
            stop[rows[t, i]] += 1
    alive = np.ones(m, np.bool_)  # all three leaves are left
    heap, place, order = np.empty(k, np.int32), np.empty(k, np.int32), np.empty(k, np.int32)
    heapify(heap, place, key)
    for i in range(k):
        x = pop(heap, k - i, place, key)
        order[i] = x
        for e in range(start[x], start[x + 1]):
            t = of[e]
            if alive[t]:
                alive[t] = False
                for j in range(3):
                    y = rows[t, j]
                    if y != x:  # the triplet is decided, so it no longer counts for its other leaves
                        key[y] -= (2.0 if j == 2 else -1.0) * weight[t]
                        renew(heap, k - i - 1, place, key, y)
    return order


# ----------------------------------------------------------------------
# The best hierarchy of a few leaves, by dynamic programming over their subsets.
#
# A first split (X, Y) of leaves S displays ab|c when a and b are on one side and c is on the other. With a weight of
# w/2 on the pairs ac and bc and of -w/2 on ab, that is w times the sum over the pairs that the split parts: the weight
# that a split displays is the weight of a cut. The subsets X of a set S are gone through by Gray code, one leaf
# changing sides at each step.


@inner
def _pair_weights(rows, weight, group, edge):
    """Fill in the weights of the pairs of leaves in the set of bits `group`, 0 elsewhere."""
    k = edge.shape[0]
    for i in range(k):
        for j in range(k):
            edge[i, j] = 0.0
    for t in range(rows.shape[0]):
        a, b, c = rows[t, 0], rows[t, 1], rows[t, 2]
        bits = (1 << a) | (1 << b) | (1 << c)
        if group & bits == bits:
            half = 0.5 * weight[t]
            edge[a, b] -= half
            edge[b, a] -= half
            edge[a, c] += half
            edge[c, a] += half
            edge[b, c] += half
            edge[c, b] += half


@inner
def _best_of(group, edge, best, member, gain):
    """The greatest weight for the leaves in `group`, and the side of the split without its last leaf."""
    k = edge.shape[0]
    size = 0
    for i in range(k):
        if group >> i & 1:
            member[size] = i
            size += 1
    # gain[i]: the gain of the cut when member i changes sides. All are on one side to begin with
    for i in range(size):
        gain[i] = 0.0
        for j in range(size):
            gain[i] += edge[member[i], member[j]]
    top, chosen, side, cut = -1.0, 0, 0, 0.0
    for step in range(1, 1 << (size - 1)):
        i = 0
        while not step >> i & 1:
            i += 1
        x = member[i]
        side ^= 1 << x
        cut += gain[i]
        gain[i] = -gain[i]
        here = side >> x & 1
        for j in range(size):
            if j != i:
                y = member[j]
                if side >> y & 1 == here:
                    gain[j] += 2.0 * edge[x, y]
                else:
                    gain[j] -= 2.0 * edge[x, y]
        total = best[side] + best[group ^ side] + cut
        if total > top:
            top, chosen = total, side
    return top, chosen


@njit
def best_split(rows, weight, k):
    """The first split of a hierarchy that displays the greatest weight.

    Time O(3**k k + 2**k m), memory O(2**k).

    rows : int32[m, 3], triplets over the leaves 0..k-1
    weight : float64[m]
    k : number of leaves, at least 2
    Returns side : int32[k], 0 or 1 for each leaf. Oracle: enumeration in ``tests/laws/test_repair_laws.py``.
    """
    best = np.zeros(1 << k, np.float64)
    edge = np.empty((k, k), np.float64)
    member = np.empty(k, np.int64)
    gain = np.empty(k, np.float64)
    chosen = 0
    for group in range(1, 1 << k):
        if group & (group - 1) == 0:
            continue
        _pair_weights(rows, weight, group, edge)
        best[group], chosen = _best_of(group, edge, best, member, gain)
    side = np.empty(k, np.int32)
    for i in range(k):
        side[i] = chosen >> i & 1
    return side


# ----------------------------------------------------------------------
# Prune and regraft: cut a subtree off a binary tree and hang it where most weight is displayed, again and again.
#
# A triplet with two or three leaves in the subtree Q stays displayed or not when Q moves. For ab|c with just a
# in Q, and d the child of the ancestor of b and c that is above b, it is displayed where Q hangs from the branch above
# d or from one below it. With just c in Q, where Q does not hang from a branch below the ancestor of a and b. So each
# such triplet marks one node or two, and the weight displayed is, up to a constant, the sum of the marks from the
# place to the root. Two leaves outside Q meet at the same node wherever Q hangs. So finding the best of all places
# takes time in proportion to the triplets of the leaves in Q and the nodes above the marks, not to the size of the
# tree.


class BinaryLinks(NamedTuple):
    """A binary tree with n leaves and N nodes."""

    up: np.ndarray  #: int32[N], the node above each, -1 above the root
    child: np.ndarray  #: int32[N, 2], -1 below leaves


class TripletsOfLeaves(NamedTuple):
    """Triplets, and lists of them by leaf."""

    rows: np.ndarray  #: int32[m, 3]
    weight: Reals  #: [m]
    first: Integers  #: [n + 1], where the list of each leaf begins in `entry`
    entry: Integers  #: [3 m], 3 t + i in the list of leaf rows[t, i]


class Meetings(NamedTuple):
    """The meetings of two leaves of a triplet: column i is for the two that are not in column i of the row."""

    node: np.ndarray  #: int32[m, 3], their last common ancestor
    slot: np.ndarray  #: int8[m, 3], which child of it the first of the two is below


class Touched(NamedTuple):
    """The triplets with leaves in the subtree that moves."""

    triplet: Integers  #: [m]
    n_triplets: Integers  #: one entry
    inside: np.ndarray  #: int8[m], of each triplet: how many of its leaves are in the subtree, zeros between two uses
    column: np.ndarray  #: int8[m], the sum of their columns, zeros between two uses
    stack: np.ndarray  #: int32[N + 2]


class Marks(NamedTuple):
    """The weight gained or lost if the subtree hangs above a node or from any branch below it."""

    mark: Reals  #: [N], zeros between two uses
    marked: np.ndarray  #: bool[N], False between two uses
    node: np.ndarray  #: int32[N], the nodes that are marked
    total: Reals  #: [N], the sum of the marks of a node and all above it
    known: np.ndarray  #: bool[N], whether `total` is, False between two uses
    seen: np.ndarray  #: int32[N], the nodes of which it is
    stack: np.ndarray  #: int32[N + 2]


@inner
def _touch_triplets(q, tree, triplets, touched):
    """List the triplets with leaves in the subtree q. Returns the steps taken."""
    inside, column, stack = touched.inside, touched.column, touched.stack
    n = len(triplets.first) - 1
    size, top, steps = 0, 1, 0
    stack[0] = q
    while top > 0:
        top -= 1
        u = stack[top]
        steps += 1
        if u >= n:
            stack[top], stack[top + 1] = tree.child[u, 0], tree.child[u, 1]
            top += 2
            continue
        for e in range(triplets.first[u], triplets.first[u + 1]):
            t = triplets.entry[e] // 3
            if inside[t] == 0:
                touched.triplet[size] = t
                size += 1
            inside[t] += 1
            column[t] += triplets.entry[e] - 3 * t
        steps += triplets.first[u + 1] - triplets.first[u]
    touched.n_triplets[0] = size
    return steps


@inner
def _mark(v, weight, marks, size):
    """Add a weight to the mark of node v. Returns the new number of marked nodes."""
    marks.mark[v] += weight
    if not marks.marked[v]:
        marks.marked[v] = True
        marks.node[size] = v
        size += 1
    return size


@inner
def _sum_above(v, up, marks, size):
    """Fill in the sums of the marks on the way from v up to the root. Returns the new number of nodes seen."""
    top = 0
    u = v
    while u >= 0 and not marks.known[u]:
        marks.stack[top] = u
        top += 1
        u = up[u]
    above = marks.total[u] if u >= 0 else 0.0
    while top > 0:
        top -= 1
        u = marks.stack[top]
        above += marks.mark[u]
        marks.total[u] = above
        marks.known[u] = True
        marks.seen[size] = u
        size += 1
    return size


@inner
def _mark_triplets(child, triplets, meetings, touched, marks):
    """Mark the nodes below which the touched triplets are displayed, or lost.

    Returns the number of nodes marked, and whether a triplet is lost where the subtree hangs now.
    """
    size, lost = np.int64(0), False
    for i in range(touched.n_triplets[0]):
        t = touched.triplet[i]
        if touched.inside[t] == 1:
            k, weight = touched.column[t], triplets.weight[t]
            u = meetings.node[t, k]
            # ab|c is lost just if c meets a or b where a and b meet
            lost = lost or meetings.node[t, 0] == meetings.node[t, 2] or meetings.node[t, 1] == meetings.node[t, 2]
            if k == 2:
                size = _mark(child[u, 0], -weight, marks, size)
                size = _mark(child[u, 1], -weight, marks, size)
            else:
                size = _mark(child[u, meetings.slot[t, k]], weight, marks, size)
    return size, lost


@inner
def _best_place(beside, up, marks, n_marked, lost):
    """The node above which the pruned subtree hangs best, the gain over `beside`, and the steps taken.

    Leaves no marks.
    """
    place, gain, n_seen = beside, 0.0, np.int64(0)
    if lost:  # else there is nothing to gain
        n_seen = _sum_above(beside, up, marks, n_seen)
        for i in range(n_marked):
            n_seen = _sum_above(np.int64(marks.node[i]), up, marks, n_seen)
        # a node that was not seen has the sum of one above it that was: no better
        here = marks.total[beside]
        for i in range(n_seen):
            u = marks.seen[i]
            if marks.total[u] - here > gain:
                place, gain = u, marks.total[u] - here
        for i in range(n_seen):
            marks.known[marks.seen[i]] = False
    for i in range(n_marked):
        marks.mark[marks.node[i]] = 0.0
        marks.marked[marks.node[i]] = False
    return place, gain, 2 * n_marked + 3 * n_seen


@inner
def _hang(q, v, tree):
    """Hang the pruned subtree q, whose node above is kept, from the branch above v."""
    up, child = tree.up, tree.child
    p = up[q]
    s = 1 if child[p, 1] == q else 0
    g = up[v]
    child[p, 1 - s] = v
    up[v] = p
    up[p] = g
    if g >= 0:
        child[g, 1 if child[g, 1] == v else 0] = p


@inner
def _renew_meetings(q, tree, rows, touched, toward, meetings):
    """Bring the meetings of a leaf in q and one outside up to date. Returns the steps taken.

    toward : int8[N], -1 before and after. Here it says of each node above q which of its children leads to q
    """
    up, child = tree.up, tree.child
    steps = 0
    u, v = up[q], q
    while u >= 0:
        toward[u] = 1 if child[u, 1] == v else 0
        v = u
        u = up[u]
    for i in range(touched.n_triplets[0]):
        t = touched.triplet[i]
        if touched.inside[t] == 3:
            continue
        # the leaf that is alone on its side of q's edge: each of the other two meets it across. If two columns are
        # inside, the sum tells the third one
        one_inside = touched.inside[t] == 1
        k = touched.column[t] if one_inside else 3 - touched.column[t]
        for j in range(3):
            if j == k:
                continue
            x = rows[t, j] if one_inside else rows[t, k]  # the leaf outside
            came = x
            while toward[x] < 0:
                came = x
                x = up[x]
                steps += 1
            first_outside = (j < k) == one_inside
            opposite = 3 - j - k
            meetings.node[t, opposite] = x
            if first_outside:
                meetings.slot[t, opposite] = 1 if child[x, 1] == came else 0
            else:
                meetings.slot[t, opposite] = toward[x]
    u = up[q]
    while u >= 0:
        toward[u] = -1
        u = up[u]
        steps += 1
    return steps


@njit
def regraft(tree, triplets, meetings, nodes, least_gain, max_steps):
    """Try the subtrees below the nodes one after the other. Move each that gains more than `least_gain`.

    Time for a subtree: see above. A move takes the depth for each triplet of its leaves. Memory O(n + m).

    tree : BinaryLinks, meetings : Meetings, both changed in place
    triplets : TripletsOfLeaves
    nodes : int32[k], those other than the root at the time are tried, until `max_steps` are taken
    Returns how many of the nodes are done, the weight gained, the number of steps, and the number of moves.
    Oracle: each place tried, in ``tests/unit/test_repair.py``.
    """
    up, child = tree.up, tree.child
    N, m = up.shape[0], triplets.rows.shape[0]
    touched = Touched(
        *(np.empty(m, np.int64), np.zeros(1, np.int64), np.zeros(m, np.int8), np.zeros(m, np.int8)),
        np.empty(N + 2, np.int32),
    )
    marks = Marks(
        *(np.zeros(N), np.zeros(N, np.bool_), np.empty(N, np.int32)),
        *(np.zeros(N), np.zeros(N, np.bool_), np.empty(N, np.int32), np.empty(N + 2, np.int32)),
    )
    toward = np.full(N, -1, np.int8)
    gained, steps, moves, i = 0.0, 0, 0, 0
    while i < nodes.shape[0] and steps < max_steps:
        q = nodes[i]
        i += 1
        p = up[q]
        if p < 0:
            continue
        steps += _touch_triplets(q, tree, triplets, touched)
        # prune: q and the node above it, p, are left hanging by themselves
        beside, g = child[p, 0] + child[p, 1] - q, up[p]
        up[beside] = g
        if g >= 0:
            child[g, 1 if child[g, 1] == p else 0] = beside
        n_marked, lost = _mark_triplets(child, triplets, meetings, touched, marks)
        place, gain, more = _best_place(beside, up, marks, n_marked, lost)
        steps += more
        if gain <= least_gain:
            place = beside
        _hang(q, place, tree)
        if place != beside:
            gained += gain
            moves += 1
            steps += _renew_meetings(q, tree, triplets.rows, touched, toward, meetings)
        for j in range(touched.n_triplets[0]):
            touched.inside[touched.triplet[j]] = 0
            touched.column[touched.triplet[j]] = 0
    return i, gained, steps, moves
