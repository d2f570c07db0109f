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

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import allocating, inner, njit

__all__ = [
    "by_leaf",
    "closed_part",
    "grow",
]


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


@inner
def _tied(rows, start, incident, alive, seed, leaf, size, number, up):
    """Join the leaves of V by the rows inside it; components left, and entries seen."""
    left = size
    seen = 0
    for i in range(size):
        up[i] = i
    for i in range(size):
        x = leaf[i]
        for p in range(start[x + 1] - 1, start[x] - 1, -1):
            t = incident[p]
            if t < seed:
                break
            seen += 1
            if rows[t, 0] != x or not alive[t]:
                continue
            y, z = number[rows[t, 1]], number[rows[t, 2]]
            if y >= 0 and z >= 0 and unite(up, i, y):
                left -= 1
                if left == 1:
                    return left, seen
    return left, seen


@inner
def _leaves_component(rows, t, x, number, up, component, room):
    """Whether row t, of which x is a close leaf, leaves the component and fits."""
    y = rows[t, 0] + rows[t, 1] - x
    outside = 0
    if number[y] < 0:
        outside += 1
    elif find(up, number[y]) == component:
        return False
    if number[rows[t, 2]] < 0:
        outside += 1
    return 0 < outside <= room


@inner
def _narrowest(rows, start, incident, alive, seed, leaf, size, number, up, room, count):
    """The component that the fewest rows leave, -1 if one cannot be left; and entries seen."""
    seen = 0
    for i in range(size):
        count[i] = 0
    for i in range(size):
        x = leaf[i]
        component = find(up, i)
        for p in range(start[x + 1] - 1, start[x] - 1, -1):
            t = incident[p]
            if t < seed:
                break
            seen += 1
            if alive[t] and _leaves_component(rows, t, x, number, up, component, room):
                count[component] += 1
    best = -1
    for i in range(size):
        if up[i] == i:
            if count[i] == 0:
                return -1, seen
            if best < 0 or count[i] < count[best]:
                best = i
    return best, seen


@inner
def _add(leaf, size, number, x):
    """Put x into V unless it is there; the size."""
    if number[x] < 0:
        number[x] = size
        leaf[size] = x
        return size + 1
    return size


@inner
def _next_row(rows, start, incident, alive, seed, leaf, size, number, parts, chosen, room, i, p):
    """The next row that leaves the chosen component (-1 if there is none), where it stands, and entries seen.

    Position i is that of a leaf of V, -1 before the first; p is a place in its list, which is read backwards.
    """
    seen = 0
    while True:
        if i < 0 or p < start[leaf[i]] or incident[p] < seed:
            i += 1
            while i < size and parts[i] != chosen:
                i += 1
            if i == size:
                return -1, i, p, seen
            p = start[leaf[i] + 1] - 1
            continue
        t = incident[p]
        p -= 1
        seen += 1
        if alive[t] and _leaves_component(rows, t, leaf[i], number, parts, chosen, room):
            return t, i, p, seen


@njit
def grow(rows, start, incident, alive, number, first, last, k, slice_work, most):
    """Search the conflicts on at most k leaves whose first row is among ``first..last - 1``.

    ``number`` is -1 for every leaf, before and after. Ends between rows when `slice_work` is spent, anywhere when
    `most` is. Returns the leaves found (empty if none), the row to go on with, and the work.
    """
    leaf = np.empty(k, np.int32)
    up = np.empty(k, np.int32)
    count = np.empty(k, np.int64)
    # of each level: the size of V, its components, the one to leave, and where the lists have been read up to
    sizes = np.empty(k, np.int64)
    parts = np.empty((k, k), np.int32)
    chosen = np.empty(k, np.int64)
    at_leaf = np.empty(k, np.int64)
    at_place = np.empty(k, np.int64)
    work = np.int64(0)
    seed = first
    found = False
    size = 0
    while seed < last and work <= slice_work and work <= most:
        level = -1
        size = 0
        taken = seed if alive[seed] else -1
        while work <= most:
            if taken >= 0:  # a larger V
                for side in range(3):
                    size = _add(leaf, size, number, rows[taken, side])
                left, seen = _tied(rows, start, incident, alive, seed, leaf, size, number, up)
                work += seen + 1
                found = left == 1
                if found:
                    break
                if size < k:
                    component, seen = _narrowest(
                        rows, start, incident, alive, seed, leaf, size, number, up, k - size, count
                    )
                    work += seen
                    if component >= 0:
                        level += 1
                        sizes[level], chosen[level] = size, component
                        for i in range(size):
                            parts[level, i] = find(up, i)
                        at_leaf[level], at_place[level] = -1, -1
            if level < 0:
                break
            while size > sizes[level]:
                size -= 1
                number[leaf[size]] = -1
            room = k - size
            taken, at_leaf[level], at_place[level], seen = _next_row(
                rows, start, incident, alive, seed, leaf, size, number, parts[level], chosen[level], room,
                at_leaf[level], at_place[level],
            )  # fmt: skip
            work += seen + 1
            if taken < 0:
                level -= 1
        for i in range(size):
            number[leaf[i]] = -1
        if found or work > most:
            break
        seed += 1
    return leaf[: size if found else 0], seed, work


# ----------------------------------------------------------------------
# Irreducible conflicts in linear time: the smallest closed part of a tree of triplets.
#
# Rows whose close pairs form a tree on leaves S, their third leaves in S as well, cannot hold together. Call a
# connected part of the tree closed if the thirds of all its rows are in it: it cannot hold either, and rows that
# contain no closed part can. So a closed part without a smaller one inside is an irreducible conflict. A row ab|c
# needs the rows on the way from a to c; what it needs in the end is the least closed part around it. A part that all
# of its rows need, and that needs nothing else, is a strongly connected component without a way out: the first that
# Tarjan's search completes.
#
# The tree is rooted; the edge above vertex v stands for the row that has these two ends. Rows that have been met are
# skipped on the way up by a union-find structure; the earliest row on the way to a third is found by walking it. Time
# O(k) but for these walks, of which each is at most as long as the tree is deep.
#
# Oracle: dropping rows one by one, in ``tests/laws/test_conflict_laws.py``.


@allocating
def _rooted(rows, k, above, depth, edge):
    """Parents, depths and the row above each vertex, by breadth-first search from vertex 0."""
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
    order = np.empty(k, np.int64)
    order[0], above[0], depth[0], edge[0] = 0, -1, 0, -1
    done = 1
    for i in range(k):
        x = order[i]
        for p in range(start[x], start[x + 1]):
            t = near[p]
            y = rows[t, 0] + rows[t, 1] - x
            if t != edge[x]:
                above[y], depth[y], edge[y] = x, depth[x] + 1, t
                order[done] = y
                done += 1


@inner
def _top(skip, x):
    """The lowest vertex at or above x whose edge has not been met."""
    while skip[x] != x:
        skip[x] = skip[skip[x]]
        x = skip[x]
    return x


@inner
def _next_on_way(above, depth, skip, x, y):
    """The lower end of an edge between x and y that has not been met; -1 if all have been."""
    x, y = _top(skip, x), _top(skip, y)
    if x == y:
        return -1
    return x if depth[x] > depth[y] or (depth[x] == depth[y] and x > y) else y


@inner
def _earliest(above, depth, number, x, y):
    """The smallest number of an edge between x and y."""
    least = number.size
    while x != y and least > 0:
        if depth[x] < depth[y]:
            x, y = y, x
        least = min(least, number[x])
        x = above[x]
    return least


@njit
def closed_part(rows, k):
    """Mark the rows of a closed part that has no smaller one inside.

    rows : int32[k - 1, 3]; the close pairs are a tree on 0..k-1, the thirds are among these
    Returns bool[k - 1].
    """
    above, depth, edge = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    _rooted(rows, k, above, depth, edge)
    skip = np.arange(k)
    number = np.full(k, k, np.int64)  # when the edge above a vertex was met
    low = np.empty(k, np.int64)
    way = np.empty(k, np.int64)  # vertices whose edges are being looked at
    met = np.empty(k, np.int64)
    part = np.zeros(rows.shape[0], np.bool_)
    v = k - 1 if k > 1 else 0  # any vertex but the root
    number[v], low[v], way[0], met[0] = 0, 0, v, v
    skip[v] = above[v]
    length, count = 1, 1
    while length > 0:
        v = way[length - 1]
        c = rows[edge[v], 2]
        w = _next_on_way(above, depth, skip, v, c)
        if w >= 0:
            number[w] = low[w] = count
            met[count] = w
            way[length] = w
            skip[w] = above[w]
            length += 1
            count += 1
            continue
        low[v] = min(low[v], _earliest(above, depth, number, v, c))
        if low[v] == number[v]:
            for i in range(number[v], count):
                part[edge[met[i]]] = True
            return part
        length -= 1
        low[way[length - 1]] = min(low[way[length - 1]], low[v])
    return part
