"""OneTree on deep inputs: components kept up to date while triplets die.

The scheme of Even and Shiloach (1981): when a tree edge is deleted, two searches grow from its ends in turn, so that
a split costs no more than its smaller side. A search that meets an edge across replaces the deleted one. A spanning
forest is held in slots (half-edges 2 s and 2 s + 1 of slot s point at its two ends, in doubly linked lists), all other
triplets in lists by end, all triplets in lists by third leaf. Entries that have died are swapped out when next seen.
A triplet ab|c dies when c gets into another part than a and b: it is found from the smaller parts alone.

O((n + m) log n), plus the searches that end in a replacement, which are short in practice. A minimal decomposition has
none. The forest starts from triplets that die late, as far as can be told: a tenth of the steps on deep, redundant
sets. Oracle: ``one_tree_definition`` in ``tests/oracles.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.budget import spend
from tripletree.kernels.disjoint_set import unite
from tripletree.kernels.jit import allocating, inlined, inner, njit

_OTHER, _DEAD = -1, -2  # state of a triplet that is not a tree edge. A tree edge's state is its slot


class SlotForest(NamedTuple):
    """The spanning forest: each tree edge has a slot s, whose half-edges 2 s and 2 s + 1 point at its two ends."""

    to: np.ndarray  #: int32[2 n], the leaf that the half-edge points at
    next: np.ndarray  #: int32[2 n], the next half-edge that leaves the same leaf, -1 for none
    previous: np.ndarray  #: int32[2 n]
    head: np.ndarray  #: int32[n], the first half-edge that leaves a leaf, -1 for none
    triplet: np.ndarray  #: int32[n], of each slot


class DyingLists(NamedTuple):
    """A list of triplets for each leaf x: columns start[x] to start[x] + size[x] of the entries, dead ones included."""

    start: np.ndarray  #: int32[n + 1]
    size: np.ndarray  #: int32[n], it shrinks as dead entries are dropped
    entry: np.ndarray
    """int32[1 or 2, k]: the triplet, and where the list is of one end of triplets off the forest, their other end."""


class DyingTriplets(NamedTuple):
    """The triplets, and which of them are dead."""

    abc: np.ndarray  #: int32[3, m], their columns, read-only
    state: np.ndarray  #: int32[m], the slot of a tree edge, else _OTHER or _DEAD
    others: DyingLists  #: those off the forest, by each end of ab
    thirds: DyingLists  #: all, by c


class Parts(NamedTuple):
    """The parts that leaves are in, numbered in the order in which they split off."""

    part: np.ndarray  #: int32[n], of each leaf
    order: np.ndarray  #: int32[n], the leaves: each part is a range
    place: np.ndarray  #: int32[n], of each leaf in `order`
    begin: np.ndarray  #: int32[n], of each part
    count: np.ndarray  #: int32[n], its leaves


class Pending(NamedTuple):
    """Dead tree edges that stay in the forest until the part of their ends is split: a list of slots for each."""

    first: np.ndarray  #: int32[n], of each part, -1 for none
    next: np.ndarray  #: int32[n], of each slot


class TwoSearches(NamedTuple):
    """Two searches from the ends of a tree edge."""

    mark: np.ndarray  #: int32[n], the stamp of the search that last found the leaf
    queue: np.ndarray  #: int32[2, n], the leaves found from either end
    at: np.ndarray  #: int64[2, 4], for each side: place in the queue, its end, next half-edge, next entry of its list


@inlined
def _link(forest, s, a, b):
    """Put tree edge ab into slot s."""
    forest.to[2 * s], forest.to[2 * s + 1] = b, a
    for half, x in ((2 * s, a), (2 * s + 1, b)):
        after = forest.head[x]
        forest.next[half], forest.previous[half] = after, -1
        if after >= 0:
            forest.previous[after] = half
        forest.head[x] = half


@inlined
def _unlink(forest, s):
    """Take the tree edge of slot s out of the lists of its two ends."""
    for half in (2 * s, 2 * s + 1):
        after, before = forest.next[half], forest.previous[half]
        if before >= 0:
            forest.next[before] = after
        else:
            forest.head[forest.to[half ^ 1]] = after
        if after >= 0:
            forest.previous[after] = before


@allocating
def _thirds(abc, n):
    """Lists of all triplets by third leaf."""
    m = abc.shape[1]
    start = np.zeros(n + 1, np.int32)
    for t in range(m):
        start[abc[2, t] + 1] += 1
    for x in range(n):
        start[x + 1] += start[x]
    size = np.zeros(n, np.int32)
    entry = np.empty((1, m), np.int32)
    for t in range(m):
        x = abc[2, t]
        entry[0, start[x] + size[x]] = t
        size[x] += 1
    return DyingLists(start, size, entry)


@allocating
def _others(abc, tree, n):
    """Lists of the triplets off the forest, by each end."""
    m = abc.shape[1]
    start = np.zeros(n + 1, np.int32)
    for t in range(m):
        if not tree[t]:
            start[abc[0, t] + 1] += 1
            start[abc[1, t] + 1] += 1
    for x in range(n):
        start[x + 1] += start[x]
    size = np.zeros(n, np.int32)
    entry = np.empty((2, start[n]), np.int32)  # the triplet, its other end
    for t in range(m):
        if not tree[t]:
            for x, y in ((abc[0, t], abc[1, t]), (abc[1, t], abc[0, t])):
                entry[0, start[x] + size[x]] = t
                entry[1, start[x] + size[x]] = y
                size[x] += 1
    return DyingLists(start, size, entry)


@inner
def _drop(lists, x, i):
    """Swap entry i of x's list with its last one, and shorten the list."""
    lists.size[x] -= 1
    last = lists.start[x] + lists.size[x]
    for row in range(lists.entry.shape[0]):
        lists.entry[row, i] = lists.entry[row, last]


@inlined
def _separate(edge, forest, others, state, searches, stamp):
    """Grow two searches in turn from the ends of a deleted tree edge. Visited nodes are marked stamp and stamp + 1.

    Returns (t, side, found): a triplet t >= 0 that replaces the edge, or t == -1 and the smaller side's leaves in
    queue[side, :found].
    """
    mark, queue, at = searches
    start, size, entry = others
    for side in range(2):
        x = edge[side]
        queue[side, 0] = x
        mark[x] = stamp + side
        at[side, 0], at[side, 1], at[side, 2], at[side, 3] = 0, 1, forest.head[x], start[x]
    side = 1
    while True:
        side = 1 - side
        x = queue[side, at[side, 0]]
        half, i = at[side, 2], at[side, 3]
        if half >= 0:
            y = forest.to[half]
            at[side, 2] = forest.next[half]
            if mark[y] != stamp + side:
                mark[y] = stamp + side
                queue[side, at[side, 1]] = y
                at[side, 1] += 1
        elif i < start[x] + size[x]:
            if state[entry[0, i]] != _OTHER:
                _drop(others, x, i)
            elif mark[entry[1, i]] == stamp + 1 - side:
                return entry[0, i], side, 0
            else:
                at[side, 3] += 1
        else:
            at[side, 0] += 1
            if at[side, 0] == at[side, 1]:
                break
            x = queue[side, at[side, 0]]
            at[side, 2], at[side, 3] = forest.head[x], start[x]
    # this side has no more leaves: the other search may have passed entries that lead across, so they are asked again
    found = at[side, 1]
    for k in range(found):
        x = queue[side, k]
        for i in range(start[x], start[x] + size[x]):
            # dead entries were dropped by the search. The other edges that lead out of this side cross to the other
            if mark[entry[1, i]] != stamp + side and state[entry[0, i]] == _OTHER:
                return entry[0, i], side, 0
    return -1, side, found


@inner
def _split_off(moved, p, fresh, parts):
    """Make some leaves of part p into the part `fresh`, at the end of its range."""
    part, order, place, begin, count = parts
    stop = begin[p] + count[p]
    for k in range(len(moved)):
        x = moved[k]
        stop -= 1
        y = order[stop]
        i = place[x]
        order[i], order[stop] = y, x
        place[y], place[x] = i, stop
        part[x] = fresh
    count[p] -= len(moved)
    begin[fresh], count[fresh] = stop, len(moved)


@inlined
def _bury(p, parts, triplets, forest, pending):
    """Kill the triplets that end as part p leaves the others. Tree edges of them wait at the part of their ends."""
    part, order, begin, count = parts.part, parts.order, parts.begin, parts.count
    abc, state, others, thirds = triplets
    for k in range(begin[p], begin[p] + count[p]):
        x = order[k]
        # ab|x, with a and b elsewhere
        i = np.int64(thirds.start[x])
        while i < thirds.start[x] + thirds.size[x]:
            t = thirds.entry[0, i]
            home = part[abc[0, t]]
            if state[t] != _DEAD and home == p:
                i += 1
                continue
            if state[t] >= 0:
                pending.next[state[t]] = pending.first[home]
                pending.first[home] = state[t]
            state[t] = _DEAD
            _drop(thirds, x, i)
        # xb|c, with c elsewhere: in the forest, and off it
        half = forest.head[x]
        while half >= 0:
            t = forest.triplet[half >> 1]
            if state[t] != _DEAD and part[abc[2, t]] != p:
                pending.next[half >> 1] = pending.first[p]
                pending.first[p] = half >> 1
                state[t] = _DEAD
            half = forest.next[half]
        i = np.int64(others.start[x])
        while i < others.start[x] + others.size[x]:
            t = others.entry[0, i]
            if state[t] == _OTHER and part[abc[2, t]] == p:
                i += 1
                continue
            if state[t] == _OTHER:
                state[t] = _DEAD
            _drop(others, x, i)


@inner
def _plant(abc, tree, forest, state):
    """Put the edges of the spanning forest into the slots."""
    s = np.int64(0)
    for t in range(abc.shape[1]):
        if tree[t]:
            _link(forest, s, abc[0, t], abc[1, t])
            state[t] = s
            forest.triplet[s] = t
            s += 1


@njit
def build_deep(abc, tree, n, budget):
    """Split all n leaves down to single ones. Arguments from `prepare`, with at least two components.

    abc : int32[3, m]
    tree : uint8[m]
    n : number of leaves
    budget : of parts and edges looked at
    Returns, void if the budget is spent,
        leaf_up : int32[n], inner node above each leaf
        inner_up : int32[k], inner node above each inner node. Node 0 is the root, -1 above it, parents come first
        failed : int32[f], the leaves of a subproblem that does not split, none if all split.
    """
    state = np.full(abc.shape[1], _OTHER, np.int32)
    triplets = DyingTriplets(abc, state, _others(abc, tree, n), _thirds(abc, n))
    halves = np.empty((3, 2 * n), np.int32)
    forest = SlotForest(halves[0], halves[1], halves[2], np.full(n, -1, np.int32), np.full(n, -1, np.int32))
    pending = Pending(np.full(n, -1, np.int32), np.full(n, -1, np.int32))
    parts, fresh = _first_parts(abc, tree, n)
    part, order, _, begin, count = parts
    _plant(abc, tree, forest, state)
    searches = TwoSearches(np.full(n, -1, np.int32), np.empty((2, n), np.int32), np.empty((2, 4), np.int64))
    leaf_up, inner_up = np.empty(n, np.int32), np.full(n, -1, np.int32)
    stack = np.empty((2, n), np.int32)
    n_inner, top, stamp = 1, 0, np.int64(0)
    # the parts of the node v at hand: `whole` is the rest of it, and new parts have the numbers from `first` on
    whole, v, first = 0, 0, 1
    while True:
        largest = whole
        for p in range(first, fresh):
            if count[p] > count[largest]:
                largest = p
        # the triplets that end with the largest part are seen from the others
        for k in range(first - 1, fresh):
            p = whole if k == first - 1 else k
            if p != largest:
                _bury(p, parts, triplets, forest, pending)
        for k in range(first - 1, fresh):
            p = whole if k == first - 1 else k
            above = v
            if count[p] > 1:
                inner_up[n_inner] = v
                above = n_inner
                n_inner += 1
            if count[p] <= 2:
                for i in range(begin[p], begin[p] + count[p]):
                    leaf_up[order[i]] = above
            else:
                stack[0, top], stack[1, top] = p, above
                top += 1
        if top == 0 or not spend(budget, 1 + fresh - first):
            return leaf_up, inner_up[:n_inner], order[:0]
        top -= 1
        whole, v, first = stack[0, top], stack[1, top], fresh
        s = np.int64(pending.first[whole])
        pending.first[whole] = -1
        while s >= 0:
            after = pending.next[s]
            edge = forest.to[2 * s + 1], forest.to[2 * s]
            _unlink(forest, s)
            t, side, found = _separate(edge, forest, triplets.others, state, searches, stamp)
            spend(budget, np.int64(1))
            stamp += 2
            if t >= 0:
                state[t] = s
                forest.triplet[s] = t
                _link(forest, s, abc[0, t], abc[1, t])
            else:
                _split_off(searches.queue[side, :found], part[edge[0]], fresh, parts)
                fresh += 1
            s = after
        if fresh == first:
            return leaf_up, inner_up[:n_inner], order[begin[whole] : begin[whole] + count[whole]]


@allocating
def _first_parts(abc, tree, n):
    """The components under the forest as parts, and their number."""
    up = np.arange(n).astype(np.int32)
    for t in range(abc.shape[1]):
        if tree[t]:
            unite(up, abc[0, t], abc[1, t])
    part = np.empty(n, np.int32)
    count = np.zeros(n, np.int32)
    fresh = 0
    for x in range(n):  # roots have the smallest number of their set
        if up[x] == x:
            part[x] = fresh
            fresh += 1
        else:
            root = x
            while up[root] != root:
                root = up[root]
            part[x] = part[root]
        count[part[x]] += 1
    begin = np.zeros(n, np.int32)
    for p in range(1, fresh):
        begin[p] = begin[p - 1] + count[p - 1]
    cursor = begin.copy()
    order = np.empty(n, np.int32)
    place = np.empty(n, np.int32)
    for x in range(n):
        place[x] = cursor[part[x]]
        order[place[x]] = x
        cursor[part[x]] += 1
    return Parts(part, order, place, begin, count), fresh


# ----------------------------------------------------------------------
# A spanning forest of the triplets' close pairs, and a numbering in which neighbours stand close together.
#
# Linear in leaves and triplets, up to the near constant cost of disjoint sets. `build_deep` starts from it.


@allocating
def _by_third(abc, n):
    """Order the triplets by how often their third leaf is a third leaf: roughly, those that die last come first.

    A leaf that parts early is the third one in most of its triplets. Among triplets that are alike in this the order is
    scrambled, so that no order of the input can spoil it. Two passes: a counting sort.
    Returns int32[m].
    """
    m = abc.shape[1]
    third, count = np.zeros(n, np.int32), np.zeros(n, np.int32)
    for t in range(m):
        third[abc[2, t]] += 1
        for end in range(3):
            count[abc[end, t]] += 1
    share = np.empty(m, np.int16)  # 255 + 1 is no uint8
    start = np.zeros(257, np.int64)
    for t in range(m):
        x = abc[2, t]
        share[t] = 255 * np.int64(third[x]) // count[x]
        start[share[t] + 1] += 1
    for k in range(256):
        start[k + 1] += start[k]
    order = np.empty(m, np.int32)
    stride = np.int64(m * 0.6180339887) | 1
    while np.gcd(stride, m) != 1:
        stride += 2
    t = np.int64(0)
    for _ in range(m):
        order[start[share[t]]] = t
        start[share[t]] += 1
        t += stride
        if t >= m:
            t -= m
    return order


@allocating
def _forest(abc, n):
    """Mark the triplets that form a spanning forest, those that die last before others. Returns uint8[m], components.

    A tree edge that outlives all others across has no replacement when it dies: only a split is left, which is cheap.
    """
    m = abc.shape[1]
    up = np.arange(n).astype(np.int32)
    tree = np.zeros(m, np.uint8)
    k = n
    for t in _by_third(abc, n):
        if unite(up, abc[0, t], abc[1, t]):
            tree[t] = 1
            k -= 1
    return tree, k


@allocating
def _walk_order(abc, tree, n):
    """Number the leaves in depth-first order of the forest: neighbours stand close together. Returns int32[n]."""
    m = abc.shape[1]
    # start is two places ahead at first: after the sums and the filling, the neighbours of x begin at start[x]
    start = np.zeros(n + 2, np.int32)
    for t in range(m):
        if tree[t]:
            start[abc[0, t] + 2] += 1
            start[abc[1, t] + 2] += 1
    for x in range(n + 1):
        start[x + 1] += start[x]
    ends = np.empty(start[n + 1], np.int32)
    for t in range(m):
        if tree[t]:
            a, b = abc[0, t], abc[1, t]
            ends[start[a + 1]] = b
            start[a + 1] += 1
            ends[start[b + 1]] = a
            start[b + 1] += 1
    number = np.full(n, -1, np.int32)  # -1: not met yet, -2: on the stack
    stack = np.empty(n, np.int32)
    fresh = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        stack[0], top = root, 1
        number[root] = -2
        while top > 0:
            top -= 1
            x = stack[top]
            number[x] = fresh
            fresh += 1
            for i in range(start[x], start[x + 1]):
                if number[ends[i]] == -1:
                    number[ends[i]] = -2
                    stack[top] = ends[i]
                    top += 1
    return number


@njit
def prepare(abc, n):
    """Renumber the leaves so that neighbours are close in memory, and sort the triplets by their first end.

    abc : int32[3, m]
    n : number of leaves
    Returns abc : int32[3, m] renumbered and sorted, tree : uint8[m], 1 for the edges of a spanning forest,
    number : int32[n], the new number of each leaf,
    k : number of components.
    """
    m = abc.shape[1]
    tree, k = _forest(abc, n)
    number = _walk_order(abc, tree, n)
    end = np.zeros(n + 1, np.int32)
    for t in range(m):
        end[number[abc[0, t]] + 1] += 1
    for x in range(n):
        end[x + 1] += end[x]
    out = np.empty_like(abc)
    flag = np.empty(m, np.uint8)
    for t in range(m):
        a = number[abc[0, t]]
        place = end[a]
        end[a] += 1
        out[0, place] = a
        out[1, place] = number[abc[1, t]]
        out[2, place] = number[abc[2, t]]
        flag[place] = tree[t]
    return out, flag, number, k
