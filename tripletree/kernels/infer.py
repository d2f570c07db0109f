"""What a consistent set of triplets implies: one walk over the sets of leaves that it splits in two.

For leaves a, c let X be all leaves. Join the leaves of X by the edges ab of the triplets ab|c inside X. Where a and c
are in one component, it becomes X; where they are in two and there are more, those two together become X; where there
are just two, A with a and C with c, the walk ends: ab|c is implied for the b in A, cb|a for those in C, and nothing
else that parts a and c. Triplets whose walks agree so far walk together.

The walk goes where its queries go. Components shrink, so a query ab|c whose a and b have parted is never implied, and
a pair of components with no triplet across never ends in two. With the triplets themselves as queries it meets every
split that implies anything.

A frame is a set of leaves, a set of rows inside it and the queries inside it, each a range of an arena. Pairs of
components are copied above the frame, then the components take its place: memory O(n + m) but for nested pairs.

Oracle: all hierarchies, in ``tests/laws/test_inference_laws.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import Integers, inner, njit

__all__ = [
    "ANSWER",
    "CYCLES",
    "LIST",
    "SIZES",
    "SPARE",
    "walk",
]

#: What is done at each split.
ANSWER, SIZES, LIST, CYCLES, SPARE = 0, 1, 2, 3, 4


class Frame(NamedTuple):
    """The ranges of a frame in the arenas. The stack of frames is a table with these columns."""

    first_leaf: int
    end_leaf: int
    first_row: int
    end_row: int
    first_query: int
    end_query: int
    next_query: int  #: the place of the query to look at next; -1 in a frame that was not looked at yet


class Arenas(NamedTuple):
    """What is in the frames, each above the one that it was made from. Rows and queries stand by their numbers."""

    leaf: np.ndarray  #: int32
    component: np.ndarray  #: int32, of each of these leaves; they are sorted by it
    row: np.ndarray  #: int32
    row_key: Integers  #: the `_pair` of components that the row touches; rows are sorted by it
    query: np.ndarray  #: int32
    query_key: Integers


class SplitWork(NamedTuple):
    """What one frame is divided with; all fields are int32."""

    up: np.ndarray  #: of each leaf: a disjoint set
    component: np.ndarray  #: of each leaf
    place: np.ndarray  #: of each component: where the next of its leaves or rows goes
    spare: np.ndarray


class CycleWork(NamedTuple):
    """A depth-first search over leaves, joined by rows; int32, an entry for each leaf but for `neighbour`."""

    next: np.ndarray  #: where the rest of the leaf's rows begins in `neighbour`
    end: np.ndarray  #: one past the last of them
    neighbour: np.ndarray  #: places of rows
    rank: np.ndarray  #: when the leaf was met, -1 before
    low: np.ndarray  #: rank of the earliest leaf that it and those below it reach but by the row above it
    via: np.ndarray  #: the place of the row above it
    path: np.ndarray


@inner
def _pair(p, q):
    """A key for two components, p <= q: sorted by p, then by q."""
    return np.int64(p) << 32 | np.int64(q)


#: The key of the two components of a frame that has no more.
_ACROSS = 1


@inner
def _frame(stack, f):
    return Frame(stack[f, 0], stack[f, 1], stack[f, 2], stack[f, 3], stack[f, 4], stack[f, 5], stack[f, 6])


@inner
def _push(stack, top, leaves, rows, queries):
    """Put a frame with these ranges on the stack; returns its new height."""
    stack[top, 0], stack[top, 1] = leaves
    stack[top, 2], stack[top, 3] = rows
    stack[top, 4], stack[top, 5] = queries
    stack[top, 6] = -1
    return top + 1


@inner
def _find_components(leaf, row, rows, work):
    """Number the components of a frame's leaves; returns how many."""
    up, component = work.up, work.component
    for x in leaf:
        up[x] = x
    for t in row:
        unite(up, rows[t, 0], rows[t, 1])
    k = 0
    for x in leaf:
        if up[x] == x:
            component[x] = k
            k += 1
    for x in leaf:
        component[x] = component[find(up, x)]
    return k


@inner
def _starts(place, k):
    """Turn sizes into first places."""
    at = 0
    for j in range(k):
        size = place[j]
        place[j] = at
        at += size


@inner
def _sort_leaves(leaf, component_of, k, work):
    """Group a frame's leaves by component, and note it beside each."""
    component, place, spare = work.component, work.place, work.spare
    for j in range(k):
        place[j] = 0
    for x in leaf:
        place[component[x]] += 1
    _starts(place, k)
    for x in leaf:
        j = component[x]
        spare[place[j]] = x
        place[j] += 1
    for i in range(len(leaf)):
        leaf[i] = spare[i]
        component_of[i] = component[leaf[i]]


@inner
def _sort_rows(row, key, rows, k, work):
    """Group a frame's rows by the components they touch, and drop those whose close pair is apart.

    Two counting sorts, by the larger component and then by the smaller one: stable, so that rows stay in their order,
    on which it depends which are left out (SPARE). Returns the number of rows kept.
    """
    component, place, spare = work.component, work.place, work.spare
    n_kept = 0
    for j in range(k):
        place[j] = 0
    for t in row:
        if component[rows[t, 0]] == component[rows[t, 1]]:
            row[n_kept] = t
            n_kept += 1
            place[max(component[rows[t, 0]], component[rows[t, 2]])] += 1
    _starts(place, k)
    for i in range(n_kept):
        t = row[i]
        j = max(component[rows[t, 0]], component[rows[t, 2]])
        spare[place[j]] = t
        place[j] += 1
    for j in range(k):
        place[j] = 0
    for i in range(n_kept):
        place[min(component[rows[row[i], 0]], component[rows[row[i], 2]])] += 1
    _starts(place, k)
    for i in range(n_kept):
        t = spare[i]
        p, q = component[rows[t, 0]], component[rows[t, 2]]
        j = min(p, q)
        row[place[j]] = t
        key[place[j]] = _pair(j, max(p, q))
        place[j] += 1
    return n_kept


@inner
def _first(key, begin, end, least):
    """The first place in a sorted range whose key is at least this."""
    while begin < end:
        middle = (begin + end) // 2
        if key[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@inner
def _append(target, at, source, begin, end):
    """Copy a range to a place; returns the place after it."""
    for i in range(begin, end):
        target[at] = source[i]
        at += 1
    return at


@inner
def _list_split(frame, arenas, out, at):
    """Write the triplets of a split in two; returns the place after them."""
    leaf, component = arenas.leaf, arenas.component
    begin, end = frame.first_leaf, frame.end_leaf
    for i in range(begin, end):
        for j in range(i + 1, end):
            if component[i] == component[j]:
                for k in range(begin, end):
                    if component[k] != component[i]:
                        out[at, 0], out[at, 1], out[at, 2] = leaf[i], leaf[j], leaf[k]
                        at += 1
    return at


@inner
def _flag_spare(frame, arenas, rows, up, flag):
    """Flag the rows across a split that close a cycle of the rows inside its sides and those across before them."""
    row, key = arenas.row, arenas.row_key
    for i in range(frame.first_leaf, frame.end_leaf):
        up[arenas.leaf[i]] = arenas.leaf[i]
    for i in range(frame.first_row, frame.end_row):
        if key[i] != _ACROSS and not flag[row[i]]:
            unite(up, rows[row[i], 0], rows[row[i], 1])
    for i in range(frame.first_row, frame.end_row):
        if key[i] == _ACROSS and not unite(up, rows[row[i], 0], rows[row[i], 1]):
            flag[row[i]] = True


@inner
def _list_neighbours(frame, arenas, rows, work):
    """The rows at leaf x, by their places, become neighbour[next[x]:end[x]]."""
    leaf, row, begin, end = arenas.leaf, arenas.row, work.next, work.end
    for i in range(frame.first_leaf, frame.end_leaf):
        end[leaf[i]] = 0
    for i in range(frame.first_row, frame.end_row):
        end[rows[row[i], 0]] += 1
        end[rows[row[i], 1]] += 1
    at = 0
    for i in range(frame.first_leaf, frame.end_leaf):
        x = leaf[i]
        begin[x] = at
        at += end[x]
        end[x] = begin[x]
    for i in range(frame.first_row, frame.end_row):
        for side in range(2):
            x = rows[row[i], side]
            work.neighbour[end[x]] = i
            end[x] += 1


@inner
def _flag_cycles(frame, arenas, rows, work, flag):
    """Flag the rows across a split that lie on a cycle, equal close pairs included: all but the bridges."""
    leaf, row = arenas.leaf, arenas.row
    rank, low, via, path = work.rank, work.low, work.via, work.path
    _list_neighbours(frame, arenas, rows, work)
    for i in range(frame.first_row, frame.end_row):
        if arenas.row_key[i] == _ACROSS:
            flag[row[i]] = True
    for i in range(frame.first_leaf, frame.end_leaf):
        rank[leaf[i]] = -1
    fresh = 0
    for i in range(frame.first_leaf, frame.end_leaf):
        if rank[leaf[i]] >= 0:
            continue
        path[0], via[leaf[i]] = leaf[i], -1
        rank[leaf[i]] = low[leaf[i]] = fresh
        fresh += 1
        length = 1
        while length > 0:
            x = path[length - 1]
            if work.next[x] < work.end[x]:
                place = work.neighbour[work.next[x]]
                work.next[x] += 1
                # the row that led here is no way back, but a second row with the same close pair is one
                if place == via[x]:
                    continue
                t = row[place]
                y = rows[t, 0] + rows[t, 1] - x
                if rank[y] >= 0:
                    low[x] = min(low[x], rank[y])
                else:
                    rank[y] = low[y] = fresh
                    fresh += 1
                    via[y] = place
                    path[length] = y
                    length += 1
                continue
            length -= 1
            if length > 0:
                low[path[length - 1]] = min(low[path[length - 1]], low[x])
                if low[x] == rank[x]:  # nothing below x reaches above it: the row is a bridge
                    flag[row[via[x]]] = False


@inner
def _next_pair(key, i, end):
    """The first place from i on whose query touches two components."""
    while i < end and key[i] >> 32 == key[i] & 0xFFFFFFFF:
        i = _first(key, i, end, key[i] + 1)
    return i


@inner
def _push_pair(stack, top, i, arenas):
    """Copy the two components of the query at place i above the topmost frame; returns the new height.

    No frame is made where no row touches both: their walk never ends in two.
    """
    frame, row_key, component = _frame(stack, top - 1), arenas.row_key, arenas.component
    pair = arenas.query_key[i]
    stop = _first(arenas.query_key, i, frame.end_query, pair + 1)
    stack[top - 1, 6] = stop
    begin, end = frame.first_row, frame.end_row
    first, last = _first(row_key, begin, end, pair), _first(row_key, begin, end, pair + 1)
    if first == last:
        return top
    rows = _append(arenas.row, end, arenas.row, first, last)
    leaves = frame.end_leaf
    for x in (pair >> 32, pair & 0xFFFFFFFF):
        first, last = _first(component, frame.first_leaf, frame.end_leaf, x), frame.end_leaf
        leaves = _append(arenas.leaf, leaves, arenas.leaf, first, _first(component, first, last, x + 1))
        first, last = _first(row_key, begin, end, _pair(x, x)), _first(row_key, begin, end, _pair(x, x) + 1)
        rows = _append(arenas.row, rows, arenas.row, first, last)
    queries = _append(arenas.query, frame.end_query, arenas.query, i, stop)
    return _push(stack, top, (frame.end_leaf, leaves), (end, rows), (frame.end_query, queries))


@inner
def _push_components(stack, top, arenas):
    """Put the components that hold rows and queries in the place of the topmost frame; returns the new height."""
    top -= 1
    frame, row_key, component = _frame(stack, top), arenas.row_key, arenas.component
    i = frame.first_query
    while i < frame.end_query:
        pair = arenas.query_key[i]
        stop = _first(arenas.query_key, i, frame.end_query, pair + 1)
        x = pair >> 32
        if x == pair & 0xFFFFFFFF:  # the query is inside component x
            rows = (
                _first(row_key, frame.first_row, frame.end_row, pair),
                _first(row_key, frame.first_row, frame.end_row, pair + 1),
            )
            if rows[0] < rows[1]:
                leaves = (
                    _first(component, frame.first_leaf, frame.end_leaf, x),
                    _first(component, frame.first_leaf, frame.end_leaf, x + 1),
                )
                top = _push(stack, top, leaves, rows, (i, stop))
        i = stop
    return top


@inner
def _touches_both(frame, row_key):
    """Whether a row has leaves in both components of a frame: if none has, nothing is implied across."""
    begin, end = frame.first_row, frame.end_row
    return _first(row_key, begin, end, _ACROSS) < _first(row_key, begin, end, _ACROSS + 1)


@njit
def _wider(array, size):
    """The array, with room for as many entries, and more."""
    if array.size >= size:
        return array
    out = np.empty(2 * size, array.dtype)
    out[: array.size] = array
    return out


@njit
def _longer(table, size):
    """The table, with room for as many lines, and more."""
    if table.shape[0] >= size:
        return table
    out = np.empty((2 * size, table.shape[1]), np.int64)
    out[: table.shape[0]] = table
    return out


@njit
def walk(rows, n, queries, task, out, most):
    """Walk from all leaves to the splits in two.

    rows : int32[m, 3], consistent triplets; n : number of leaves; queries : int32[q, 3], the rows themselves for all
    tasks but ANSWER; out : int32[size, 3], what LIST fills; most : entries of frames after which to give up
    Returns
        flag : bool, of the queries: implied (ANSWER), implied by the other rows (CYCLES), left out so that the others
        are as few as can be (SPARE);
        sizes : int64[s, 2], leaves on either side of each split (SIZES);
        spent : entries of all frames; more than `most` where it gave up.
    """
    m, q = rows.shape[0], queries.shape[0]
    arenas = Arenas(
        *(np.empty(2 * n, np.int32), np.empty(2 * n, np.int32)),
        *(np.empty(2 * m, np.int32), np.empty(2 * m, np.int64)),
        *(np.empty(2 * q, np.int32), np.empty(2 * q, np.int64)),
    )
    size = max(n, m, q)
    work = SplitWork(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(size, np.int32))
    cycles = CycleWork(
        *(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(2 * m, np.int32), np.empty(n, np.int32)),
        *(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)),
    )
    flag, sizes = np.zeros(q, np.bool_), np.empty((16, 2), np.int64)
    arenas.leaf[:n], arenas.row[:m], arenas.query[:q] = np.arange(n), np.arange(m), np.arange(q)
    stack = np.zeros((16, 7), np.int64)
    top, spent, count = _push(stack, 0, (0, n), (0, m), (0, q)), 0, 0
    while top > 0:
        f = top - 1
        frame = _frame(stack, f)
        if frame.next_query < 0:
            spent += frame.end_leaf - frame.first_leaf + frame.end_row - frame.first_row
            spent += frame.end_query - frame.first_query
            if spent > most:
                break
            leaf = arenas.leaf[frame.first_leaf : frame.end_leaf]
            row = arenas.row[frame.first_row : frame.end_row]
            query = arenas.query[frame.first_query : frame.end_query]
            k = _find_components(leaf, row, rows, work)
            _sort_leaves(leaf, arenas.component[frame.first_leaf : frame.end_leaf], k, work)
            # no row is dropped, as their close pairs made the components; queries are
            _sort_rows(row, arenas.row_key[frame.first_row : frame.end_row], rows, k, work)
            n_kept = _sort_rows(query, arenas.query_key[frame.first_query : frame.end_query], queries, k, work)
            stack[f, 5] = frame.first_query + n_kept
            # of two components, the pair would be this frame again: only each by itself goes on
            stack[f, 6] = frame.first_query if k > 2 else stack[f, 5]
            frame = _frame(stack, f)
            if k == 2 and task == ANSWER:
                for i in range(frame.first_query, frame.end_query):
                    if arenas.query_key[i] == _ACROSS:
                        flag[arenas.query[i]] = True
            elif k == 2 and _touches_both(frame, arenas.row_key):
                if task == SIZES:
                    sizes = _longer(sizes, count + 1)
                    first, end = frame.first_leaf, frame.end_leaf
                    sizes[count, 0] = _first(arenas.component, first, end, 1) - first
                    sizes[count, 1] = end - first - sizes[count, 0]
                    count += 1
                elif task == LIST:
                    count = _list_split(frame, arenas, out, count)
                elif task == SPARE:
                    _flag_spare(frame, arenas, rows, work.up, flag)
                else:
                    _flag_cycles(frame, arenas, rows, cycles, flag)
        i = _next_pair(arenas.query_key, frame.next_query, frame.end_query)
        n_leaves = frame.end_leaf - frame.first_leaf
        stack = _longer(stack, top + n_leaves)
        if i == frame.end_query:
            top = _push_components(stack, top, arenas)
        else:
            # room for copies of all leaves and rows of the frame, and of the queries that are left, above it
            n_rows, n_queries = frame.end_row - frame.first_row, frame.end_query - i
            arenas = Arenas(
                *(_wider(arenas.leaf, frame.end_leaf + n_leaves), _wider(arenas.component, frame.end_leaf + n_leaves)),
                *(_wider(arenas.row, frame.end_row + n_rows), _wider(arenas.row_key, frame.end_row + n_rows)),
                _wider(arenas.query, frame.end_query + n_queries),
                _wider(arenas.query_key, frame.end_query + n_queries),
            )
            top = _push_pair(stack, top, i, arenas)
    return flag, sizes[:count] if task == SIZES else sizes[:0], spent
