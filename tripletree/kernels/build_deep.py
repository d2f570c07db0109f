"""OneTree on deep inputs: components kept up to date while triplets die.

The scheme of Even and Shiloach (1981): when a tree edge is deleted, two searches grow from its ends in turn, so that
a split costs no more than its smaller side; a search that meets an edge across replaces the deleted one. A spanning
forest is held in slots (half-edges 2 s and 2 s + 1 of slot s point at its two ends, in doubly linked lists), all other
triplets in lists by end, all triplets in lists by third leaf; entries that have died are swapped out when next seen.
A triplet ab|c dies when a part that holds c parts from that of ab: it is found from the smaller parts alone.

O((n + m) log n), plus the searches that end in a replacement, which are short in practice; a minimal decomposition has
none. Oracle: ``one_tree_definition`` in ``tests/oracles.py``.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.disjoint_set import unite
from tripletree.kernels.jit import inner, njit

__all__ = [
    "build_deep",
    "prepare",
]

_OTHER, _DEAD = -1, -2  # state of a triplet that is not a tree edge; a tree edge's state is its slot


@inner
def _link(forest, s, a, b):
    """Put tree edge ab into slot s. forest: slots : int32[3, 2 n], points at, next, previous; head : int32[n]."""
    slots, head = forest
    slots[0, 2 * s], slots[0, 2 * s + 1] = b, a
    for half, x in ((2 * s, a), (2 * s + 1, b)):
        after = head[x]
        slots[1, half], slots[2, half] = after, -1
        if after >= 0:
            slots[2, after] = half
        head[x] = half


@inner
def _unlink(forest, s):
    """Take the tree edge of slot s out of the lists of its two ends."""
    slots, head = forest
    for half in (2 * s, 2 * s + 1):
        x = slots[0, half ^ 1]
        after, before = slots[1, half], slots[2, half]
        if before >= 0:
            slots[1, before] = after
        else:
            head[x] = after
        if after >= 0:
            slots[2, after] = before


@njit
def _thirds(abc, n):
    """Lists of all triplets by third leaf. Returns start, size : int32[n], entry : int32[1, m]."""
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
    return start, size, entry


@njit
def _others(abc, tree, n):
    """Lists of the triplets off the forest, by each end. Returns start, size : int32[n], entry : int32[2, k]."""
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
    return start, size, entry


@inner
def _drop(entry, start, size, x, i):
    """Swap entry i of x's list with its last one, and shorten the list."""
    size[x] -= 1
    last = start[x] + size[x]
    for row in range(entry.shape[0]):
        entry[row, i] = entry[row, last]


@njit
def _separate(a, b, forest, others, state, mark, stamp, queue):
    """Grow two searches in turn from the ends of a deleted tree edge.

    Returns (t, side, found): a triplet t >= 0 that replaces the edge, or t == -1 and the smaller side's leaves in
    queue[side, :found].
    """
    slots, head = forest
    start, size, entry = others
    at = np.zeros((2, 4), np.int32)  # for each side: place in the queue, its end, next half-edge, next entry
    for side in range(2):
        x = a if side == 0 else b
        queue[side, 0] = x
        mark[x] = stamp + side
        at[side, 1], at[side, 2], at[side, 3] = 1, head[x], start[x]
    side = 1
    while True:
        side = 1 - side
        x = queue[side, at[side, 0]]
        half, i = at[side, 2], at[side, 3]
        if half >= 0:
            y = slots[0, half]
            at[side, 2] = slots[1, half]
            if mark[y] != stamp + side:
                mark[y] = stamp + side
                queue[side, at[side, 1]] = y
                at[side, 1] += 1
        elif i < start[x] + size[x]:
            if state[entry[0, i]] != _OTHER:
                _drop(entry, start, size, x, i)
            elif mark[entry[1, i]] == stamp + 1 - side:
                return entry[0, i], side, 0
            else:
                at[side, 3] += 1
        else:
            at[side, 0] += 1
            if at[side, 0] == at[side, 1]:
                break
            x = queue[side, at[side, 0]]
            at[side, 2], at[side, 3] = head[x], start[x]
    found = at[side, 1]
    for k in range(found):
        x = queue[side, k]
        for i in range(start[x], start[x] + size[x]):
            # dead entries were dropped by the search; what leads out of this side crosses to the other
            if mark[entry[1, i]] != stamp + side and state[entry[0, i]] == _OTHER:
                return entry[0, i], side, 0
    return -1, side, found


@inner
def _split_off(moved, found, part, fresh, parts):
    """Make the leaves moved[:found] of a part into the part `fresh`, at the end of its range."""
    comp, order, place, begin, count = parts
    stop = begin[part] + count[part]
    for k in range(found):
        x = moved[k]
        stop -= 1
        y = order[stop]
        i = place[x]
        order[i], order[stop] = y, x
        place[y], place[x] = i, stop
        comp[x] = fresh
    count[part] -= found
    begin[fresh], count[fresh] = stop, found


@inner
def _bury(part, parts, abc, state, forest, others, thirds, pending):
    """Kill the triplets that a part's leaving ends; tree edges among them wait at the part of their ends."""
    comp, order, _, begin, count = parts
    slots, head = forest
    start, size, entry = others
    tstart, tsize, titem = thirds
    for k in range(begin[part], begin[part] + count[part]):
        x = order[k]
        i = tstart[x]
        while i < tstart[x] + tsize[x]:
            t = titem[0, i]
            home = comp[abc[0, t]]
            if state[t] != _DEAD and home == part:
                i += 1
                continue
            if state[t] >= 0:
                pending[1, state[t]] = pending[0, home]
                pending[0, home] = state[t]
            state[t] = _DEAD
            _drop(titem, tstart, tsize, x, i)
        half = head[x]
        while half >= 0:
            t = pending[2, half >> 1]
            if state[t] != _DEAD and comp[abc[2, t]] != part:
                pending[1, half >> 1] = pending[0, part]
                pending[0, part] = half >> 1
                state[t] = _DEAD
            half = slots[1, half]
        i = start[x]
        while i < start[x] + size[x]:
            t = entry[0, i]
            if state[t] == _OTHER and comp[abc[2, t]] == part:
                i += 1
                continue
            if state[t] == _OTHER:
                state[t] = _DEAD
            _drop(entry, start, size, x, i)


@inner
def _plant(abc, tree, forest, state, pending):
    """Put the edges of the spanning forest into the slots."""
    s = 0
    for t in range(abc.shape[1]):
        if tree[t]:
            _link(forest, s, abc[0, t], abc[1, t])
            state[t] = s
            pending[2, s] = t
            s += 1


@njit
def build_deep(abc, tree, n):
    """Split all n leaves down to single ones; arguments from ``spanning.prepare``, with at least two components.

    abc : int32[3, m]; tree : uint8[m]; n : number of leaves
    Returns
        leaf_up : int32[n], inner node above each leaf;
        inner_up : int32[k], inner node above each inner node; node 0 is the root, -1 above it, parents come first;
        failed : int32[f], the leaves of a subproblem that does not split, none if all split.
    """
    others = _others(abc, tree, n)
    thirds = _thirds(abc, n)
    forest = np.empty((3, 2 * n), np.int32), np.full(n, -1, np.int32)
    state = np.full(abc.shape[1], _OTHER, np.int32)
    pending = np.full((3, n), -1, np.int32)  # by part: first dead tree edge; by slot: the next one, its triplet
    parts, fresh = _first_parts(abc, tree, n)
    comp, order, _, begin, count = parts
    _plant(abc, tree, forest, state, pending)
    mark = np.full(n, -1, np.int32)
    queue = np.empty((2, n), np.int32)
    leaf_up, inner_up = np.empty(n, np.int32), np.full(n, -1, np.int32)
    stack = np.empty((2, n), np.int32)
    nodes, top, stamp = 1, 0, 0
    part, v, first = 0, 0, 1  # the parts of the node v at hand: `part`, and those from `first` on
    while True:
        largest = part
        for p in range(first, fresh):
            if count[p] > count[largest]:
                largest = p
        for k in range(first - 1, fresh):
            p = part if k == first - 1 else k
            if p != largest:
                _bury(p, parts, abc, state, forest, others, thirds, pending)
        for k in range(first - 1, fresh):
            p = part if k == first - 1 else k
            above = v
            if count[p] > 1:
                inner_up[nodes] = v
                above = nodes
                nodes += 1
            if count[p] <= 2:
                for i in range(begin[p], begin[p] + count[p]):
                    leaf_up[order[i]] = above
            else:
                stack[0, top], stack[1, top] = p, above
                top += 1
        if top == 0:
            return leaf_up, inner_up[:nodes], order[:0]
        top -= 1
        part, v, first = stack[0, top], stack[1, top], fresh
        e = pending[0, part]
        pending[0, part] = -1
        while e >= 0:
            after = pending[1, e]
            a, b = forest[0][0, 2 * e + 1], forest[0][0, 2 * e]
            _unlink(forest, e)
            t, side, found = _separate(a, b, forest, others, state, mark, stamp, queue)
            stamp += 2
            if t >= 0:
                state[t] = e
                pending[2, e] = t
                _link(forest, e, abc[0, t], abc[1, t])
            else:
                _split_off(queue[side], found, comp[a], fresh, parts)
                fresh += 1
            e = after
        if fresh == first:
            return leaf_up, inner_up[:nodes], order[begin[part] : begin[part] + count[part]]


@njit
def _first_parts(abc, tree, n):
    """The components under the forest as parts: comp, order, place, begin, count : int32[n], and their number."""
    up = np.arange(n).astype(np.int32)
    for t in range(abc.shape[1]):
        if tree[t]:
            unite(up, abc[0, t], abc[1, t])
    comp = np.empty(n, np.int32)
    count = np.zeros(n, np.int32)
    fresh = 0
    for x in range(n):  # roots have the smallest number of their set
        if up[x] == x:
            comp[x] = fresh
            fresh += 1
        else:
            root = x
            while up[root] != root:
                root = up[root]
            comp[x] = comp[root]
        count[comp[x]] += 1
    begin = np.zeros(n, np.int32)
    for p in range(1, fresh):
        begin[p] = begin[p - 1] + count[p - 1]
    cursor = begin.copy()
    order = np.empty(n, np.int32)
    place = np.empty(n, np.int32)
    for x in range(n):
        place[x] = cursor[comp[x]]
        order[place[x]] = x
        cursor[comp[x]] += 1
    return (comp, order, place, begin, count), fresh


# ----------------------------------------------------------------------
# A spanning forest of the triplets' close pairs, and a numbering in which neighbours stand close together.
#
# Linear in leaves and triplets, up to the near constant cost of disjoint sets. `build_deep` starts from it.


@njit
def _forest(abc, n):
    """Mark the triplets that form a spanning forest, taken in a scrambled order. Returns uint8[m], components."""
    m = abc.shape[1]
    up = np.arange(n).astype(np.int32)
    tree = np.zeros(m, np.uint8)
    stride = np.int64(m * 0.6180339887) | 1
    while np.gcd(stride, m) != 1:
        stride += 2
    t = np.int64(0)
    k = n
    for _ in range(m):
        if unite(up, abc[0, t], abc[1, t]):
            tree[t] = 1
            k -= 1
        t += stride
        if t >= m:
            t -= m
    return tree, k


@njit
def _walk_order(abc, tree, n):
    """Number the leaves in depth-first order of the forest: neighbours stand close together. Returns int32[n]."""
    m = abc.shape[1]
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
    number = np.full(n, -1, np.int32)
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

    abc : int32[3, m]; n : number of leaves
    Returns abc : int32[3, m] renumbered and sorted; tree : uint8[m], 1 for the edges of a spanning forest;
    number : int32[n], the new number of each leaf; k : number of components.
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
