"""Small conflicts, by growing sets of leaves: the smallest one, or the proof that there is none of some size.

A conflict of k - 1 triplets ties k leaves together: their close pairs are a spanning tree of these leaves. From each
triplet, taken as the first of a conflict in the order of the rows, the set V of its leaves is grown. Some component
of V (joined by the rows inside V) must be left by a row ab|c of the conflict, a inside and b outside of it. The
component with the fewest such rows that fit the size is taken, and each of them tried in turn. V ties itself together:
found. No component with a row that fits: back. All conflicts of the size that contain the triplet are covered, as every
one has a row that leaves the component.

Work is counted in entries of the lists of rows by leaf: about 3 nanoseconds each. It is at most the number of rows
times (rows of a leaf) ** (size - 2), and mostly far below.

Oracle: all subsets, in ``tests/laws/test_conflict_laws.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import Integers, allocating, inner, njit


class RowsByLeaf(NamedTuple):
    """Rows, and lists of them by the leaves of their close pair."""

    rows: np.ndarray  #: int32[m, 3]
    alive: np.ndarray  #: bool[m], False for rows that are left out
    start: Integers  #: [n + 1], the rows of leaf x are incident[start[x]:start[x + 1]]
    incident: np.ndarray  #: int32[2 m], ascending in each list


class LeafSet(NamedTuple):
    """The set V, with room for k leaves."""

    leaf: np.ndarray  #: int32[k]
    number: np.ndarray  #: int32[n], where each leaf stands in `leaf`, -1 if it is not in V
    up: np.ndarray  #: int32[k], a disjoint set of these places: the components
    n_leaving: Integers  #: [k], rows that leave the component of which this place is the root


class Levels(NamedTuple):
    """The levels of the search: of each, the set V and how far the rows that may enlarge it have been tried."""

    size: Integers  #: leaves of V
    component: np.ndarray  #: int32[k, k], the root of each place of V
    chosen: Integers  #: the root of the component to leave
    at_leaf: Integers  #: the place of V whose list of rows is being read, -1 before the first
    at_row: Integers  #: where in that list, which is read backwards


@njit
def by_leaf(rows, n):
    """Rows by the leaves of their close pair: the rows of leaf x are ``incident[start[x]:start[x + 1]]``, ascending."""
    start = np.zeros(n + 1, np.int64)
    for t in range(rows.shape[0]):
        start[rows[t, 0] + 1] += 1
        start[rows[t, 1] + 1] += 1
    for x in range(n):
        start[x + 1] += start[x]
    incident = np.empty(2 * rows.shape[0], np.int32)
    at = start[:n].copy()
    for t in range(rows.shape[0]):
        for side in range(2):
            x = rows[t, side]
            incident[at[x]] = t
            at[x] += 1
    return start, incident


# Rows numbered below `least` are left out: all of their conflicts have been searched. Lists are ascending and are read
# from the end, so that reading stops at the first such row.


@inner
def _tie(held, least, leaves, size):
    """Join the leaves of V by the rows inside it; components left, and entries seen.

    If V cannot grow, the first leaf in no row inside it ends this. Leaves added last are the first to be looked at.
    """
    number, up = leaves.number, leaves.up
    full = size == len(leaves.leaf)
    left = size
    n_seen = 0
    for i in range(size):
        up[i] = i
    for i in range(size - 1, -1, -1):
        x = leaves.leaf[i]
        alone = True
        for p in range(held.start[x + 1] - 1, held.start[x] - 1, -1):
            t = held.incident[p]
            if t < least:
                break
            n_seen += 1
            y, z = number[held.rows[t, 0] + held.rows[t, 1] - x], number[held.rows[t, 2]]
            if y >= 0 and z >= 0 and held.alive[t]:
                alone = False
                if unite(up, i, y):
                    left -= 1
                    if left == 1:
                        return left, n_seen
        if full and alone:
            break
    return left, n_seen


@inner
def _leaves_component(row, x, number, up, component, room):
    """Whether a row, of which x is a close leaf inside the component, leaves it and fits in."""
    y = row[0] + row[1] - x
    n_outside = 0
    if number[y] < 0:
        n_outside += 1
    elif find(up, number[y]) == component:
        return False
    if number[row[2]] < 0:
        n_outside += 1
    # all three in V would have been joined
    return 0 < n_outside <= room


@inner
def _find_narrowest(held, least, leaves, size):
    """The component that the fewest rows leave, or -1 if one cannot be left. Also the entries seen."""
    number, up, n_leaving = leaves.number, leaves.up, leaves.n_leaving
    room = len(leaves.leaf) - size
    n_seen = 0
    for i in range(size):
        n_leaving[i] = 0
    for i in range(size):
        x = leaves.leaf[i]
        component = find(up, i)
        for p in range(held.start[x + 1] - 1, held.start[x] - 1, -1):
            t = held.incident[p]
            if t < least:
                break
            n_seen += 1
            if held.alive[t] and _leaves_component(held.rows[t], x, number, up, component, room):
                n_leaving[component] += 1
    best = -1
    for i in range(size):
        if up[i] == i:
            if n_leaving[i] == 0:
                return -1, n_seen
            if best < 0 or n_leaving[i] < n_leaving[best]:
                best = i
    return best, n_seen


@inner
def _add(leaves, size, x):
    """Put x into V unless it is there. Returns the size."""
    if leaves.number[x] < 0:
        leaves.number[x] = size
        leaves.leaf[size] = x
        return size + 1
    return size


@inner
def _next_row(held, least, leaves, levels, level):
    """The next row that leaves the chosen component of a level (-1 if there is none), and entries seen."""
    size, chosen, component = levels.size[level], levels.chosen[level], levels.component[level]
    i, p = levels.at_leaf[level], levels.at_row[level]
    room = len(leaves.leaf) - size
    n_seen = 0
    found = np.int64(-1)
    while found < 0:
        if i < 0 or p < held.start[leaves.leaf[i]] or held.incident[p] < least:
            i += 1
            while i < size and component[i] != chosen:
                i += 1
            if i == size:
                break
            p = held.start[leaves.leaf[i] + 1] - 1
            continue
        t = held.incident[p]
        p -= 1
        n_seen += 1
        if held.alive[t] and _leaves_component(held.rows[t], leaves.leaf[i], leaves.number, component, chosen, room):
            found = np.int64(t)
    levels.at_leaf[level], levels.at_row[level] = i, p
    return found, n_seen


@njit
def grow(held, number, seeds, first, in_order, k, slice_steps, max_steps):
    """Search the conflicts on at most k leaves that hold one of the rows `seeds`, from that at `first` on.

    held : RowsByLeaf; number : int32[n], -1 for every leaf, before and after. If `in_order`, conflicts must not hold a
    row before the seed, which is right if all rows are seeds, in their order. Ends between seeds when `slice_steps` are
    taken, anywhere when `max_steps` are.
    Returns the leaves found (empty if none), where in `seeds` to go on, and the steps taken.
    """
    leaves = LeafSet(np.empty(k, np.int32), number, np.empty(k, np.int32), np.empty(k, np.int64))
    levels = Levels(
        *(np.empty(k, np.int64), np.empty((k, k), np.int32), np.empty(k, np.int64)),
        *(np.empty(k, np.int64), np.empty(k, np.int64)),
    )
    steps = np.int64(0)
    at = np.int64(first)
    found = False
    size = np.int64(0)
    while at < seeds.size and steps <= slice_steps and steps <= max_steps:
        seed = seeds[at]
        least = seed if in_order else np.int64(0)
        level = -1
        size = np.int64(0)
        taken = np.int64(seed) if held.alive[seed] else np.int64(-1)
        while steps <= max_steps:
            if taken >= 0:  # a larger V
                for side in range(3):
                    size = _add(leaves, size, held.rows[taken, side])
                n_components, n_seen = _tie(held, least, leaves, size)
                steps += n_seen + 1
                found = n_components == 1
                if found:
                    break
                if size < k:
                    component, n_seen = _find_narrowest(held, least, leaves, size)
                    steps += n_seen
                    if component >= 0:
                        level += 1
                        levels.size[level], levels.chosen[level] = size, component
                        for i in range(size):
                            levels.component[level, i] = find(leaves.up, i)
                        levels.at_leaf[level], levels.at_row[level] = -1, -1
            if level < 0:
                break
            # back to the V of this level
            while size > levels.size[level]:
                size -= 1
                number[leaves.leaf[size]] = -1
            taken, n_seen = _next_row(held, least, leaves, levels, level)
            steps += n_seen + 1
            if taken < 0:
                level -= 1
        for i in range(size):
            number[leaves.leaf[i]] = -1
        if found or steps > max_steps:
            break
        at += 1
    return leaves.leaf[: size if found else 0], at, steps


# ----------------------------------------------------------------------
# Irreducible conflicts in near-linear time: the smallest closed part of a tree of triplets.
#
# Rows whose close pairs form a tree on leaves S, their third leaves in S as well, cannot hold together. Call a
# connected part of the tree closed if the thirds of all its rows are in it: it cannot hold either, and rows that
# contain no closed part can. So a closed part without a smaller one inside is an irreducible conflict. A row ab|c
# needs the rows on the way from a to c; in the end it needs the least closed part around it. A part that all
# of its rows need, and that needs nothing else, is a strongly connected component without a way out: the first that
# Tarjan's search completes.
#
# The tree is rooted; the edge above vertex v stands for the row that has these two ends. Two union-find structures
# over the edges shorten the ways up: `skip` passes edges that have been met, `group` passes adjacent edges that are
# known to be in one component. Every edge walked over is in the component of the walker, so no edge is walked over
# twice for the same reason, and the search takes near-linear time.
#
# Oracle: dropping rows one by one, in ``tests/laws/test_conflict_laws.py``.


class RootedRows(NamedTuple):
    """The tree of close pairs, its vertices numbered 0..k-1 from the root down; all fields are int64[k]."""

    above: Integers  #: the parent
    row: Integers  #: the row that is the edge to the parent
    third: Integers  #: the third leaf of that row


@allocating
def _root(rows, k):
    """Root the tree at leaf 0 by breadth-first search, which gives a vertex a larger number than any above it."""
    start = np.zeros(k + 1, np.int64)
    for t in range(rows.shape[0]):
        start[rows[t, 0] + 1] += 1
        start[rows[t, 1] + 1] += 1
    for x in range(k):
        start[x + 1] += start[x]
    at = start.copy()
    near = np.empty(2 * rows.shape[0], np.int64)
    for t in range(rows.shape[0]):
        for side in range(2):
            near[at[rows[t, side]]] = t
            at[rows[t, side]] += 1
    above, row, third = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    order, number = np.empty(k, np.int64), np.empty(k, np.int64)  # the leaf of each vertex, the vertex of each leaf
    order[0], number[0], above[0], row[0], third[0] = 0, 0, -1, -1, 0
    done = 1
    for v in range(k):
        x = order[v]
        for p in range(start[x], start[x + 1]):
            t = near[p]
            if t != row[v]:  # not the way back up
                y = rows[t, 0] + rows[t, 1] - x  # the other end
                order[done], number[y], above[done], row[done] = y, done, v, t
                done += 1
    for v in range(1, k):
        third[v] = number[rows[row[v], 2]]
    return RootedRows(above, row, third)


@njit
def spanning_tree(rows, order, k):
    """Numbers of rows, in the given order of trying them, whose close pairs connect 0..k-1 without a cycle."""
    up = np.arange(k)
    chosen = np.empty(k - 1, np.int64)
    size = 0
    for i in range(order.size):
        t = order[i]
        if unite(up, rows[t, 0], rows[t, 1]):
            chosen[size] = t
            size += 1
            if size == k - 1:
                break
    return chosen[:size]


@inner
def _walk(above, group, least, x, y):
    """The earliest edge that is known to be reached from those between x and y, which become one group."""
    earliest = np.int64(least.size)
    below_x, below_y = np.int64(-1), np.int64(-1)  # the edges by which x and y were reached
    while x != y:
        if x < y:  # the larger number is not above the other, so the edge above it is on the way
            x, y = y, x
            below_x, below_y = below_y, below_x
        top = find(group, x)
        if below_x >= 0:
            group[below_x] = top
            least[top] = min(least[top], least[below_x])
        earliest = min(earliest, least[top])
        # this may pass the place where the ways meet, but only over edges of the same component
        below_x, x = top, above[top]
    return earliest


@njit
def closed_part(rows, k):
    """Find a closed part that has no smaller one inside.

    rows : int32[k - 1, 3], k at least 3; the close pairs are a tree on 0..k-1, the thirds are among these
    Returns the numbers of its rows: int64.
    """
    tree = _root(rows, k)
    skip, group = np.arange(k), np.arange(k)
    number = np.empty(k, np.int64)  # when an edge was met
    low = np.empty(k, np.int64)  # Tarjan's: the earliest edge that can be reached from this one
    least = np.empty(k, np.int64)  # the earliest number in the group of which this edge is the top
    way = np.empty(k, np.int64)  # vertices whose edges are being looked at
    met = np.empty(k, np.int64)
    length, n_met = 0, 0
    w = k - 1  # any vertex but the root
    while True:
        if w > 0:
            number[w] = low[w] = least[w] = n_met
            met[n_met] = way[length] = w
            skip[w] = tree.above[w]
            length += 1
            n_met += 1
        v = way[length - 1]
        x, y = find(skip, v), find(skip, tree.third[v])
        w = max(x, y) if x != y else 0
        if w > 0:  # an edge that the row needs and that has not been met
            continue
        # all edges that the row needs have been met: some of them before it, if it is no part by itself
        low[v] = min(low[v], _walk(tree.above, group, least, v, tree.third[v]))
        if low[v] == number[v]:
            # the first component that is complete has no way out: no other has been closed before
            return tree.row[met[number[v] : n_met]]
        length -= 1
        low[way[length - 1]] = min(low[way[length - 1]], low[v])


@njit
def rows_inside(rows, member):
    """The rows with all leaves among some, which are numbered anew in their order.

    rows : int32[m, 3]; member : bool[n], of each leaf
    Returns the numbers of these rows, ascending, and the rows themselves.
    """
    place = np.cumsum(member)
    numbers = np.empty(rows.shape[0], np.int64)
    inside = np.empty((rows.shape[0], 3), np.int32)
    size = 0
    for t in range(rows.shape[0]):
        a, b, c = rows[t, 0], rows[t, 1], rows[t, 2]
        if member[a] and member[b] and member[c]:
            numbers[size] = t
            inside[size, 0], inside[size, 1], inside[size, 2] = place[a] - 1, place[b] - 1, place[c] - 1
            size += 1
    return numbers[:size], inside[:size]
