"""Consequences of a consistent set of triplets: one walk down its Aho tree, over the sets that it splits in two.

For leaves a, c let X be all leaves. Join the leaves of X by the edges ab of the triplets ab|c inside X. If a and c
are in one component, it becomes X. If they are in two and there are more, those two together become X. If there
are just two, A with a and C with c, the walk ends: ab|c is implied for the b in A, cb|a for those in C, and nothing
else that parts a and c. Triplets whose walks agree so far walk together.

X is never looked at leaf by leaf. While a and c are in one component the walk goes down the Aho tree, to the node where
they meet. It leaves that node with the two children A and C. From then on X is some nodes of the Aho tree, and it needs
the rows with leaves in several of them: each node inside X falls apart into its children, and only these rows can tie
the children together again. A child that no row or query touches is a component in which nobody walks, so each node is
first left for the lowest one that holds all its leaves touched, however deep that is. If several children of a node
go on together, so do the rows that the node separates, between these children.

The walk goes where its queries go. A query ab|c whose a and b have parted is never implied, and a pair of components
with no row across never ends in two. With the triplets themselves as queries it meets every split that implies
anything. Then no node of X has children on both sides, since it would be that split by itself.

A frame is the rows and queries of one X, each a range of an arena, with the touched children of its nodes. The frame
that follows is copied above it, and the component or pair with most queries comes last, in its own place: memory
O((n + m) log (n + m)). Time is O(log n) for each row and query of a frame: O((n + m) log n) where each walk ends with
its first two nodes, as for the triplets of a decomposed hierarchy of any depth. At worst O(n m log n) for each pair.

Oracle: all hierarchies, in ``tests/laws/test_inference_laws.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.budget import spend
from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import Integers, allocating, inner, njit
from tripletree.kernels.rooted_tree import range_maximum

#: Tasks at each split.
ANSWER, SIZES, LIST, CYCLES, SPARE = 0, 1, 2, 3, 4


class AhoClades(NamedTuple):
    """The Aho tree: n leaves, N nodes."""

    parent: np.ndarray  #: int32[N]
    start: np.ndarray  #: int32[N], first place of the node's leaves in `order`
    stop: np.ndarray  #: int32[N], one past the last
    order: np.ndarray  #: int32[n], the leaves in depth-first order
    child_start: np.ndarray  #: int32[N + 1], where the list of each node begins in `child`
    child: np.ndarray  #: int32[N - 1], sorted by their places
    table: np.ndarray  #: int32[K, n - 1], range maxima of the nodes where neighbouring leaves meet


class Separated(NamedTuple):
    """Some triplets, sorted by the node that separates them, and by the two children that hold their leaves."""

    triplets: np.ndarray  #: int32[m, 3], in the order given
    number: Integers  #: [k], the sorted ones
    node: np.ndarray  #: int32[k], of each of these: where a and c meet
    key: Integers  #: [k], the `_pair` of its children that hold a and b, and c


class Arenas(NamedTuple):
    """The contents of the frames, each above the one that it was made from."""

    block: np.ndarray  #: int32[:, 2], a touched child and its component. They are sorted by it
    row: np.ndarray  #: int32[:, 4], the number of a row, and the nodes that hold its a, b, c
    row_key: Integers  #: the `_pair` of components that the row touches. Rows are sorted by it
    query: np.ndarray  #: int32[:, 4], as for rows
    query_key: Integers


class DescentWork(NamedTuple):
    """Work space for dividing frames, int32, an entry for each node unless it is said otherwise."""

    begin: Integers  #: int64[N + 1], where the rows that each node separates begin among those sorted
    stamp: Integers  #: one entry, the last one given out
    seen: Integers  #: int64, the stamp of the step that met it last
    first: np.ndarray  #: the first place among its leaves that is touched, then the node to leave it for
    last: np.ndarray  #: the last such place
    up: np.ndarray  #: a disjoint set
    component: np.ndarray
    place: np.ndarray  #: of each component: where the next of its blocks or rows goes
    sibling: np.ndarray  #: of each block: the next one with the same parent, -1 for none
    head: np.ndarray  #: the first of its children in a list of blocks, -1 between two uses
    found: np.ndarray  #: [m], rows that were gathered, by their places among those sorted
    spare: np.ndarray  #: [max(N, m, q), 4], entries that are sorted
    spare_key: Integers  #: int64[max(N, m, q)]


class CycleWork(NamedTuple):
    """A depth-first search over blocks, joined by rows, int32, an entry for each node except for `neighbour`."""

    next: np.ndarray  #: where the rest of the block's rows begins in `neighbour`
    end: np.ndarray  #: one past the last of them
    neighbour: np.ndarray  #: places of rows
    rank: np.ndarray  #: when the block was met, -1 before
    low: np.ndarray  #: rank of the earliest block that it and those below it reach but by the row above it
    via: np.ndarray  #: the place of the row above it
    path: np.ndarray


class Frame(NamedTuple):
    """The ranges of a frame in the arenas."""

    block: np.ndarray
    row: np.ndarray
    row_key: Integers
    query: np.ndarray
    query_key: Integers


# The stack of frames is a table with these columns.
FIRST_BLOCK, END_BLOCK, FIRST_ROW, END_ROW, FIRST_QUERY, END_QUERY = range(6)
NEXT = 6  #: the place of the query to look at next
FINAL = 7  #: the place where the longest run of equal keys begins, which comes last

#: The key of the two components of a frame that has no more.
_ACROSS = np.int64(1)


@allocating
def _frame(line, arenas):
    """The frame of a line of the stack, with all room for blocks above its first."""
    rows, queries = (line[FIRST_ROW], line[END_ROW]), (line[FIRST_QUERY], line[END_QUERY])
    return Frame(
        arenas.block[line[FIRST_BLOCK] :],
        *(arenas.row[rows[0] : rows[1]], arenas.row_key[rows[0] : rows[1]]),
        *(arenas.query[queries[0] : queries[1]], arenas.query_key[queries[0] : queries[1]]),
    )


@inner
def _pair(p, q):
    """A key for two components or nodes: sorted by the smaller one, then by the other."""
    return np.int64(min(p, q)) << 32 | np.int64(max(p, q))


@inner
def _toward(clades, v, x):
    """The child of node v that holds the leaf x, or v itself if it is a leaf."""
    if v < len(clades.order):
        return v
    begin, end = clades.child_start[v], clades.child_start[v + 1]
    while end - begin > 1:
        middle = (begin + end) // 2
        if clades.start[clades.child[middle]] <= clades.start[x]:
            begin = middle
        else:
            end = middle
    return clades.child[begin]


@njit
def separate(triplets, clades):
    """Find the node of the tree where a and c of each triplet meet, and the children that hold them.

    triplets : int32[m, 3]
    clades : AhoClades
    Returns node : int32[m], key : int64[m], the `_pair` of the children, -1 if b is not in the child of a.
    O(log n) a triplet.
    """
    m = triplets.shape[0]
    node, key = np.empty(m, np.int32), np.empty(m, np.int64)
    for t in range(m):
        a, b, c = triplets[t, 0], triplets[t, 1], triplets[t, 2]
        p, q = clades.start[a], clades.start[c]
        v = range_maximum(clades.table, min(p, q), max(p, q))
        child = _toward(clades, v, a)
        inside = clades.start[child] <= clades.start[b] < clades.stop[child]
        node[t], key[t] = v, _pair(child, _toward(clades, v, c)) if inside else -1
    return node, key


# ---------------------------------------------------------------------- one frame


@inner
def _note_places(entry, clades, triplets, stamp, work):
    """Note the first and the last leaf touched below each node."""
    for i in range(len(entry)):
        for end in range(3):
            u, place = entry[i, 1 + end], clades.start[triplets[entry[i, 0], end]]
            if work.seen[u] != stamp:
                work.seen[u] = stamp
                work.first[u] = work.last[u] = place
            else:
                work.first[u] = min(work.first[u], place)
                work.last[u] = max(work.last[u], place)


@inner
def _lower_nodes(entry, clades, stamp, work):
    """Leave each node for the lowest one that holds all leaves touched. Returns how many children these have in all."""
    count = 0
    for i in range(len(entry)):
        for end in range(1, 4):
            u = entry[i, end]
            if work.seen[u] == stamp:
                work.seen[u] = 0
                first, last = work.first[u], work.last[u]
                v = clades.order[first] if first == last else range_maximum(clades.table, first, last)
                work.first[u] = v
                count += max(clades.child_start[v + 1] - clades.child_start[v], 1)
    return count


@inner
def _touch_children(entry, clades, triplets, stamp, block, n_blocks, work):
    """Have the children of the nodes hold the leaves, and list those met first. Returns how many are listed."""
    for i in range(len(entry)):
        for end in range(3):
            u = _toward(clades, work.first[entry[i, 1 + end]], triplets[entry[i, 0], end])
            entry[i, 1 + end] = u
            if work.seen[u] != stamp:
                work.seen[u] = stamp
                work.up[u] = u
                block[n_blocks, 0] = u
                n_blocks += 1
    return n_blocks


@inner
def _number_components(block, work):
    """Number the components of the blocks, and sort these by them. Returns how many there are."""
    count = np.int64(0)
    for i in range(len(block)):
        u = block[i, 0]
        if work.up[u] == u:  # roots first, so every other block finds its number below
            work.component[u] = count
            work.place[count] = 0
            count += 1
    for i in range(len(block)):
        u = block[i, 0]
        work.component[u] = work.component[find(work.up, u)]
        work.place[work.component[u]] += 1
        work.spare[i, 0] = u
    _starts(work.place, count)
    for i in range(len(block)):
        u = work.spare[i, 0]
        j = work.component[u]
        block[work.place[j], 0], block[work.place[j], 1] = u, j
        work.place[j] += 1
    return count


@inner
def _starts(place, k):
    """Turn sizes into first places."""
    at = 0
    for j in range(k):
        size = place[j]
        place[j] = at
        at += size


@inner
def _sort_entries(entry, key, k, work):
    """Sort entries by the components they touch, and drop those whose close pair is apart. Returns how many are kept.

    Two counting sorts, by the larger of k components and then by the smaller one: stable, so that rows stay in their
    order, on which it depends which are left out (SPARE).
    """
    component, place = work.component, work.place
    n_kept = 0
    for i in range(len(entry)):
        if component[entry[i, 1]] == component[entry[i, 2]]:
            for column in range(4):
                entry[n_kept, column] = entry[i, column]
            key[n_kept] = _pair(component[entry[i, 1]], component[entry[i, 3]])
            n_kept += 1
    if k > 1:
        for shift in (0, 32):  # the two halves of a key: the larger component, then the smaller
            for j in range(k):
                place[j] = 0
            for i in range(n_kept):
                place[key[i] >> shift & 0xFFFFFFFF] += 1
            _starts(place, k)
            for i in range(n_kept):
                j = key[i] >> shift & 0xFFFFFFFF
                for column in range(4):
                    work.spare[place[j], column] = entry[i, column]
                work.spare_key[place[j]] = key[i]
                place[j] += 1
            for i in range(n_kept):
                for column in range(4):
                    entry[i, column] = work.spare[i, column]
                key[i] = work.spare_key[i]
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
def _longest_run(key, begin, end):
    """The place at which the longest run of equal keys begins in a sorted range."""
    longest, best, i = np.int64(0), begin, begin
    while i < end:
        stop = _first(key, i, end, key[i] + 1)
        if stop - i > longest:
            longest, best = stop - i, i
        i = stop
    return best


@inner
def _divide(frame, clades, rows, queries, work):
    """Go down from the nodes of a frame to their children, list those touched, and sort all by component.

    Queries whose close pair is apart are dropped. Returns the numbers of components, of blocks and of queries kept.
    """
    row, query = frame.row, frame.query
    work.stamp[0] += 2
    stamp = work.stamp[0]
    _note_places(row, clades, rows.triplets, stamp - 1, work)
    _note_places(query, clades, queries.triplets, stamp - 1, work)
    k = _lower_nodes(row, clades, stamp - 1, work) + _lower_nodes(query, clades, stamp - 1, work)
    n_blocks = _touch_children(row, clades, rows.triplets, stamp, frame.block, np.int64(0), work)
    n_blocks = _touch_children(query, clades, queries.triplets, stamp, frame.block, n_blocks, work)
    for i in range(len(row)):
        if unite(work.up, row[i, 1], row[i, 2]):
            k -= 1
    n_touched = _number_components(frame.block[:n_blocks], work)
    # no row is dropped, as their close pairs made the components
    _sort_entries(row, frame.row_key, n_touched, work)
    return k, n_blocks, _sort_entries(query, frame.query_key, n_touched, work)


# ---------------------------------------------------------------------- at a split in two


@inner
def _list_split(block, clades, out, at):
    """Write the triplets of a split in two, whose blocks are sorted by side. Returns the place after them."""
    for i in range(len(block)):
        for j in range(i, len(block)):
            if block[i, 1] != block[j, 1]:
                break
            for p in range(clades.start[block[i, 0]], clades.stop[block[i, 0]]):
                begin = p + 1 if i == j else clades.start[block[j, 0]]
                for q in range(begin, clades.stop[block[j, 0]]):
                    for k in range(len(block)):
                        if block[k, 1] != block[i, 1]:
                            for r in range(clades.start[block[k, 0]], clades.stop[block[k, 0]]):
                                out[at, 0], out[at, 1] = clades.order[p], clades.order[q]
                                out[at, 2] = clades.order[r]
                                at += 1
    return at


@inner
def _flag_spare(block, row, key, up, flag):
    """Flag the rows across a split that close a cycle of the rows inside its sides and those across before them."""
    for i in range(len(block)):
        up[block[i, 0]] = block[i, 0]
    for i in range(len(row)):
        if key[i] != _ACROSS:
            unite(up, row[i, 1], row[i, 2])
    for i in range(len(row)):
        if key[i] == _ACROSS and not unite(up, row[i, 1], row[i, 2]):
            flag[row[i, 0]] = True


@inner
def _list_neighbours(block, row, work):
    """The rows at block x, by their places, become neighbour[next[x]:end[x]]."""
    begin, end = work.next, work.end
    for i in range(len(block)):
        end[block[i, 0]] = 0
    for i in range(len(row)):
        end[row[i, 1]] += 1
        end[row[i, 2]] += 1
    at = 0
    for i in range(len(block)):
        x = block[i, 0]
        begin[x] = at
        at += end[x]
        end[x] = begin[x]
    for i in range(len(row)):
        for side in range(1, 3):
            x = row[i, side]
            work.neighbour[end[x]] = i
            end[x] += 1


@inner
def _flag_cycles(block, row, key, work, flag):
    """Flag the rows across a split that lie on a cycle, equal close pairs included: all but the bridges.

    Each block is tied together by rows inside it, so a row inside one block lies on a cycle.
    """
    rank, low, via, path = work.rank, work.low, work.via, work.path
    _list_neighbours(block, row, work)
    for i in range(len(row)):
        if key[i] == _ACROSS:
            flag[row[i, 0]] = True
    for i in range(len(block)):
        rank[block[i, 0]] = -1
    fresh = 0
    for i in range(len(block)):
        root = block[i, 0]
        if rank[root] >= 0:
            continue
        path[0], via[root] = root, -1
        rank[root] = low[root] = fresh
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
                y = row[place, 1] + row[place, 2] - x
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
                if low[x] == rank[x] and key[via[x]] == _ACROSS:  # nothing below x reaches above it: a bridge
                    flag[row[via[x], 0]] = False


@inner
def _note_sizes(block, clades, sizes):
    """Note how many leaves are on either side of a split."""
    sizes[0] = sizes[1] = 0
    for i in range(len(block)):
        sizes[block[i, 1]] += clades.stop[block[i, 0]] - clades.start[block[i, 0]]


@inner
def _pass_split(frame, n_queries, flag):
    """Take the queries across a split out of its frame, and flag them if that is wanted. Returns how many are left."""
    query, key = frame.query, frame.query_key
    begin = _first(key, np.int64(0), n_queries, _ACROSS)
    end = _first(key, begin, n_queries, _ACROSS + 1)
    for i in range(begin, end):
        if len(flag) > 0:
            flag[query[i, 0]] = True
    _copy(query, begin, end, n_queries)
    for i in range(end, n_queries):
        key[begin + i - end] = key[i]
    return n_queries - (end - begin)


# ---------------------------------------------------------------------- the frame that follows


@inner
def _holds(clades, u, x):
    return clades.start[u] <= clades.start[x] < clades.stop[u]


@inner
def _gather(block, parent, rows, work):
    """List in ``work.found`` the rows that the parents of the blocks separate, with all leaves in two of the blocks.

    Returns how many.
    """
    begin, head, sibling, seen = work.begin, work.head, work.sibling, work.seen
    work.stamp[0] += 1
    stamp = work.stamp[0]
    for i in range(len(block)):
        u = block[i, 0]
        seen[u] = stamp
        sibling[u], head[parent[u]] = head[parent[u]], u
    count = 0
    for i in range(len(block)):
        u = block[i, 0]
        v = parent[u]
        if sibling[head[v]] < 0:  # the only one
            continue
        low = _first(rows.key, begin[v], begin[v + 1], np.int64(u) << 32)
        high = _first(rows.key, low, begin[v + 1], np.int64(u + 1) << 32)
        # the rows of u and a larger sibling: either all are looked at, or each such sibling among the blocks is
        w, n_siblings = head[v], 0
        while w >= 0 and 16 * n_siblings < high - low:
            n_siblings += 1
            w = sibling[w]
        if w >= 0:
            for k in range(low, high):
                if seen[rows.key[k] & 0xFFFFFFFF] == stamp:
                    work.found[count] = k
                    count += 1
            continue
        w = head[v]
        while w >= 0 and low < high:
            if w > u:
                k = _first(rows.key, low, high, _pair(u, w))
                while k < high and rows.key[k] == _pair(u, w):
                    work.found[count] = k
                    count += 1
                    k += 1
            w = sibling[w]
    for i in range(len(block)):
        head[parent[block[i, 0]]] = -1
    return count


@inner
def _enter(rows, k, clades, entry, at):
    """Write the sorted triplet k as an entry, held by the two nodes of its key."""
    t = rows.number[k]
    one, other = rows.key[k] >> 32, rows.key[k] & 0xFFFFFFFF
    if not _holds(clades, one, rows.triplets[t, 0]):
        one, other = other, one
    entry[at, 0], entry[at, 1], entry[at, 2], entry[at, 3] = t, one, one, other


@inner
def _copy(entry, at, begin, end):
    """Copy a range of entries to a place. Returns the place after it."""
    for i in range(begin, end):
        for column in range(entry.shape[1]):
            entry[at, column] = entry[i, column]
        at += 1
    return at


@allocating
def _longer(table, size):
    """The table, with room for as many lines, and more."""
    if table.shape[0] >= size:
        return table
    out = np.empty((2 * size, table.shape[1]), table.dtype)
    out[: table.shape[0]] = table
    return out


@allocating
def _wider(array, size):
    """The array, with room for as many entries, and more."""
    if array.size >= size:
        return array
    out = np.empty(2 * size, array.dtype)
    out[: array.size] = array
    return out


@allocating
def _enlarged(arenas, n_blocks, n_rows, n_queries):
    """The arenas, with room for so many blocks, rows and queries."""
    return Arenas(
        _longer(arenas.block, n_blocks),
        *(_longer(arenas.row, n_rows), _wider(arenas.row_key, n_rows)),
        *(_longer(arenas.query, n_queries), _wider(arenas.query_key, n_queries)),
    )


@allocating
def _copy_down(arenas, frame, queries, clades, rows, work):
    """Copy above a frame the rows and blocks with which some of its queries with equal keys go on.

    frame : its line of the stack
    queries : their range
    Returns the arenas and the number of rows copied, which is 0 if nothing can follow.
    """
    pair = arenas.query_key[queries[0]]
    p, q = pair >> 32, pair & 0xFFFFFFFF
    first_block, end_block = frame[FIRST_BLOCK], frame[END_BLOCK]
    first_row, end_row = frame[FIRST_ROW], frame[END_ROW]
    low = _first(arenas.row_key, first_row, end_row, pair)
    high = _first(arenas.row_key, low, end_row, pair + 1)
    if p != q and low == high:  # no row touches both: their walk never ends in two
        return arenas, np.int64(0)
    arenas = _enlarged(arenas, 2 * end_block - first_block, np.int64(0), frame[END_QUERY] + queries[1] - queries[0])
    top = end_block
    component = arenas.block[:, 1]  # sorted
    for x in range(p, q + 1, max(q - p, 1)):
        i = _first(component, first_block, end_block, x)
        top = _copy(arenas.block, top, i, _first(component, i, end_block, x + 1))
    n_found = _gather(arenas.block[end_block:top], clades.parent, rows, work)
    arenas = _enlarged(arenas, np.int64(0), 2 * end_row - first_row + n_found, np.int64(0))
    top = _copy(arenas.row, end_row, low, high)
    if p != q:
        for x in (p, q):
            low = _first(arenas.row_key, first_row, end_row, _pair(x, x))
            top = _copy(arenas.row, top, low, _first(arenas.row_key, low, end_row, _pair(x, x) + 1))
    for i in range(n_found):
        _enter(rows, np.int64(work.found[i]), clades, arenas.row, top)
        top += 1
    _copy(arenas.query, frame[END_QUERY], queries[0], queries[1])
    return arenas, top - end_row


@allocating
def _new_work(rows, queries, N):
    m, size = len(rows.triplets), max(len(rows.triplets), len(queries.triplets), N)
    begin = np.zeros(N + 1, np.int64)
    for v in rows.node:
        begin[v + 1] += 1
    for u in range(N):
        begin[u + 1] += begin[u]
    return DescentWork(
        *(begin, np.zeros(1, np.int64), np.zeros(N, np.int64), np.empty(N, np.int32), np.empty(N, np.int32)),
        *(np.empty(N, np.int32), np.empty(N, np.int32), np.empty(N, np.int32), np.empty(N, np.int32)),
        *(np.full(N, -1, np.int32), np.empty(m, np.int32), np.empty((size, 4), np.int32), np.empty(size, np.int64)),
    )


@njit
def walk(clades, rows, queries, task, out, budget):
    """Walk from all leaves to the splits in two.

    clades : AhoClades, of the triplets
    rows : Separated, the triplets
    queries : Separated, the same except for ANSWER
    out : int32[size, 3], filled by LIST
    budget : of entries of frames
    Returns, void if the budget is spent,
        flag : bool, of the queries: implied (ANSWER), implied by the other rows (CYCLES), left out so that the others
        are as few as can be (SPARE)
        sizes : int64[s, 2], leaves on either side of each split (SIZES).
    """
    N, m = len(clades.parent), len(rows.triplets)
    work = _new_work(rows, queries, N)
    cycles = CycleWork(
        *(np.empty(N, np.int32), np.empty(N, np.int32), np.empty(2 * m, np.int32), np.empty(N, np.int32)),
        *(np.empty(N, np.int32), np.empty(N, np.int32), np.empty(N, np.int32)),
    )
    arenas = Arenas(
        np.empty((16, 2), np.int32),
        *(np.empty((16, 4), np.int32), np.empty(16, np.int64)),
        *(np.empty((16, 4), np.int32), np.empty(16, np.int64)),
    )
    stack = np.zeros((16, 8), np.int64)
    flag, sizes = np.zeros(len(queries.triplets), np.bool_), np.empty((16, 2), np.int64)
    count, coming = np.int64(0), np.int64(0)
    while coming < len(queries.number):
        # the queries that part at the same two children, and the rows that do
        v, key, first = queries.node[coming], queries.key[coming], coming
        while coming < len(queries.number) and queries.node[coming] == v and queries.key[coming] == key:
            coming += 1
        low = _first(rows.key, work.begin[v], work.begin[v + 1], key)
        high = _first(rows.key, low, work.begin[v + 1], key + 1)
        if low == high:
            continue
        arenas = _enlarged(arenas, np.int64(0), high - low, coming - first)
        for k in range(low, high):
            _enter(rows, k, clades, arenas.row, k - low)
        for k in range(first, coming):
            _enter(queries, k, clades, arenas.query, k - first)
        for k in range(stack.shape[1]):
            stack[0, k] = 0
        stack[0, END_ROW], stack[0, END_QUERY], stack[0, NEXT] = high - low, coming - first, -1
        top = np.int64(1)
        while top > 0:
            f = top - 1
            line = stack[f]
            if line[NEXT] < 0:
                n_entries = line[END_ROW] - line[FIRST_ROW] + line[END_QUERY] - line[FIRST_QUERY]
                if not spend(budget, n_entries):
                    return flag, sizes[:0]
                arenas = _enlarged(arenas, line[FIRST_BLOCK] + 3 * n_entries, np.int64(0), np.int64(0))
                frame = _frame(line, arenas)
                n_components, n_blocks, n_queries = _divide(frame, clades, rows, queries, work)
                if n_components == 2:
                    block = frame.block[:n_blocks]
                    n_left = _pass_split(frame, n_queries, flag if task == ANSWER else flag[:0])
                    if n_left < n_queries:
                        if task == SIZES:
                            sizes = _longer(sizes, count + 1)
                            _note_sizes(block, clades, sizes[count])
                            count += 1
                        elif task == LIST:
                            count = _list_split(block, clades, out, count)
                        elif task == SPARE:
                            _flag_spare(block, frame.row, frame.row_key, work.up, flag)
                        elif task == CYCLES:
                            _flag_cycles(block, frame.row, frame.row_key, cycles, flag)
                    n_queries = n_left
                line[END_BLOCK], line[END_QUERY] = line[FIRST_BLOCK] + n_blocks, line[FIRST_QUERY] + n_queries
                line[NEXT] = line[FIRST_QUERY]
                line[FINAL] = _longest_run(arenas.query_key, line[FIRST_QUERY], line[END_QUERY])
            i, end = line[NEXT], line[END_QUERY]
            if i == line[FINAL] and i < end:
                i = _first(arenas.query_key, i, end, arenas.query_key[i] + 1)
            final = i == end
            if final:
                i, top = line[FINAL], f
                if i == end:
                    continue
            stop = _first(arenas.query_key, i, end, arenas.query_key[i] + 1)
            line[NEXT] = stop
            arenas, n_rows = _copy_down(arenas, line, (i, stop), clades, rows, work)
            if n_rows == 0:
                continue
            end_block, end_row, end_query = line[END_BLOCK], line[END_ROW], line[END_QUERY]
            if final:  # nothing else follows from the frame: it gives its place
                _copy(arenas.row, line[FIRST_ROW], end_row, end_row + n_rows)
                _copy(arenas.query, line[FIRST_QUERY], end_query, end_query + stop - i)
                end_block, end_row, end_query = line[FIRST_BLOCK], line[FIRST_ROW], line[FIRST_QUERY]
            stack = _longer(stack, top + 1)
            line = stack[top]
            line[FIRST_BLOCK], line[FIRST_ROW], line[FIRST_QUERY] = end_block, end_row, end_query
            line[END_ROW], line[END_QUERY], line[NEXT] = end_row + n_rows, end_query + stop - i, -1
            top += 1
    return flag, sizes[:count] if task == SIZES else sizes[:0]
