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

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.disjoint_set import find, unite

__all__ = ["by_leaf", "grow"]


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
