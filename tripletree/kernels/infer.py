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

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import inner, njit

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


@inner
def _parts(leaf, lo, hi, row, tlo, thi, rows, up, comp):
    """Number the components of a frame's leaves; returns how many."""
    for i in range(lo, hi):
        up[leaf[i]] = leaf[i]
    for i in range(tlo, thi):
        unite(up, rows[row[i], 0], rows[row[i], 1])
    k = 0
    for i in range(lo, hi):
        x = leaf[i]
        if up[x] == x:
            comp[x] = k
            k += 1
    for i in range(lo, hi):
        comp[leaf[i]] = comp[find(up, leaf[i])]
    return k


@inner
def _starts(end, k):
    """Turn sizes into first places."""
    at = 0
    for j in range(k):
        size = end[j]
        end[j] = at
        at += size


@inner
def _sort_leaves(leaf, part, lo, hi, comp, k, end, spare):
    """Group a frame's leaves by component, and note it beside each."""
    for j in range(k):
        end[j] = 0
    for i in range(lo, hi):
        end[comp[leaf[i]]] += 1
    _starts(end, k)
    for i in range(lo, hi):
        j = comp[leaf[i]]
        spare[end[j]] = leaf[i]
        end[j] += 1
    for i in range(lo, hi):
        leaf[i] = spare[i - lo]
        part[i] = comp[leaf[i]]


@inner
def _sort_rows(ids, key, lo, hi, rows, comp, k, end, spare, n):
    """Group rows by the components they touch, and drop those whose close pair is apart; returns the new end.

    The key of a row is n * (smaller component) + larger one. Stable.
    """
    kept = lo
    for j in range(k):
        end[j] = 0
    for i in range(lo, hi):
        t = ids[i]
        if comp[rows[t, 0]] == comp[rows[t, 1]]:
            ids[kept] = t
            kept += 1
            end[max(comp[rows[t, 0]], comp[rows[t, 2]])] += 1
    _starts(end, k)
    for i in range(lo, kept):
        t = ids[i]
        j = max(comp[rows[t, 0]], comp[rows[t, 2]])
        spare[end[j]] = t
        end[j] += 1
    for j in range(k):
        end[j] = 0
    for i in range(lo, kept):
        end[min(comp[rows[ids[i], 0]], comp[rows[ids[i], 2]])] += 1
    _starts(end, k)
    for i in range(kept - lo):
        t = spare[i]
        p, q = comp[rows[t, 0]], comp[rows[t, 2]]
        j = min(p, q)
        ids[lo + end[j]] = t
        key[lo + end[j]] = np.int64(j) * n + max(p, q)
        end[j] += 1
    return kept


@inner
def _first(key, lo, hi, wanted):
    """The first place in a sorted range whose key is at least the wanted one."""
    while lo < hi:
        mid = (lo + hi) // 2
        if key[mid] < wanted:
            lo = mid + 1
        else:
            hi = mid
    return lo


@inner
def _append(target, at, source, lo, hi):
    """Copy a range to a place; returns the place after it."""
    for i in range(lo, hi):
        target[at] = source[i]
        at += 1
    return at


@inner
def _list_split(leaf, part, lo, hi, out, at):
    """Write the triplets of a split in two; returns the place after them."""
    for i in range(lo, hi):
        for j in range(i + 1, hi):
            if part[i] == part[j]:
                for k in range(lo, hi):
                    if part[k] != part[i]:
                        out[at, 0], out[at, 1], out[at, 2] = leaf[i], leaf[j], leaf[k]
                        at += 1
    return at


@inner
def _drop_spare(leaf, lo, hi, row, key, tlo, thi, rows, up, flag):
    """Flag the rows across a split that close a cycle of the rows inside its sides and those across before them."""
    for i in range(lo, hi):
        up[leaf[i]] = leaf[i]
    for i in range(tlo, thi):
        if key[i] != 1 and not flag[row[i]]:
            unite(up, rows[row[i], 0], rows[row[i], 1])
    for i in range(tlo, thi):
        if key[i] == 1 and not unite(up, rows[row[i], 0], rows[row[i], 1]):
            flag[row[i]] = True


@inner
def _link(leaf, lo, hi, row, tlo, thi, rows, start, end, link):
    """Lists of neighbours: the rows at leaf x are link[start[x]:end[x]], by their places."""
    for i in range(lo, hi):
        end[leaf[i]] = 0
    for i in range(tlo, thi):
        end[rows[row[i], 0]] += 1
        end[rows[row[i], 1]] += 1
    at = 0
    for i in range(lo, hi):
        x = leaf[i]
        start[x] = at
        at += end[x]
        end[x] = start[x]
    for i in range(tlo, thi):
        for j in range(2):
            x = rows[row[i], j]
            link[end[x]] = i
            end[x] += 1


@inner
def _flag_cycles(leaf, lo, hi, row, key, tlo, thi, rows, work, link, flag):
    """Flag the rows across a split that lie on a cycle, equal close pairs included: all but the bridges.

    Depth first: low[x] is the earliest leaf that x and those below it reach but by the row above x.
    """
    start, end, rank, low, via, path = work[0], work[1], work[2], work[3], work[4], work[5]
    _link(leaf, lo, hi, row, tlo, thi, rows, start, end, link)
    for i in range(tlo, thi):
        if key[i] == 1:
            flag[row[i]] = True
    for i in range(lo, hi):
        rank[leaf[i]] = -1
    fresh = 0
    for i in range(lo, hi):
        if rank[leaf[i]] >= 0:
            continue
        path[0], via[leaf[i]] = leaf[i], -1
        rank[leaf[i]] = low[leaf[i]] = fresh
        fresh += 1
        top = 1
        while top > 0:
            x = path[top - 1]
            if start[x] < end[x]:
                place = link[start[x]]
                start[x] += 1
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
                    path[top] = y
                    top += 1
                continue
            top -= 1
            if top > 0:
                low[path[top - 1]] = min(low[path[top - 1]], low[x])
                if low[x] == rank[x]:
                    flag[row[via[x]]] = False


@inner
def _conclude(task, places, leaf, part, row, key, rows, ask, ask_key, work, flag, sizes, count, out):
    """Do the task at a split; returns the number of splits, or of triplets listed, so far.

    places : the ranges of its frame; work : int32 arrays over leaves, and those of the rows at each leaf
    """
    lo, hi, tlo, thi = places[0], places[1], places[2], places[3]
    if task == ANSWER:
        for i in range(places[4], places[5]):
            if ask_key[i] == 1:
                flag[ask[i]] = True
    elif _first(key, tlo, thi, 1) == _first(key, tlo, thi, 2):
        return count
    elif task == SIZES:
        sizes[count, 0] = _first(part, lo, hi, 1) - lo
        sizes[count, 1] = hi - lo - sizes[count, 0]
        return count + 1
    elif task == LIST:
        return _list_split(leaf, part, lo, hi, out, count)
    elif task == SPARE:
        _drop_spare(leaf, lo, hi, row, key, tlo, thi, rows, work[0], flag)
    else:
        _flag_cycles(leaf, lo, hi, row, key, tlo, thi, rows, work, work[6], flag)
    return count


@inner
def _next_pair(key, i, hi, n):
    """The first place from i on whose query touches two components."""
    while i < hi and key[i] // n == key[i] % n:
        i = _first(key, i, hi, key[i] + 1)
    return i


@inner
def _push_pair(stack, top, i, leaf, part, row, row_key, ask, ask_key, n):
    """Copy the two components of the query at place i above the topmost frame; returns the new height."""
    f = top - 1
    lo, hi, tlo, thi, qhi = stack[f, 0], stack[f, 1], stack[f, 2], stack[f, 3], stack[f, 5]
    p, q = ask_key[i] // n, ask_key[i] % n
    j = _first(ask_key, i, qhi, ask_key[i] + 1)
    stack[f, 6] = j
    first, last = _first(row_key, tlo, thi, p * n + q), _first(row_key, tlo, thi, p * n + q + 1)
    if first == last:
        return top
    at = _append(row, thi, row, first, last)
    leaves = hi
    for x in (p, q):
        leaves = _append(leaf, leaves, leaf, _first(part, lo, hi, x), _first(part, lo, hi, x + 1))
        at = _append(row, at, row, _first(row_key, tlo, thi, x * n + x), _first(row_key, tlo, thi, x * n + x + 1))
    stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = hi, leaves, thi, at
    stack[top, 4], stack[top, 5], stack[top, 6] = qhi, _append(ask, qhi, ask, i, j), -1
    return top + 1


@inner
def _push_components(stack, top, part, row_key, ask_key, n):
    """Put the components that hold rows and queries in the place of the topmost frame; returns the new height."""
    top -= 1
    lo, hi, tlo, thi, i, qhi = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4], stack[top, 5]
    while i < qhi:
        p, j = ask_key[i] // n, _first(ask_key, i, qhi, ask_key[i] + 1)
        if p == ask_key[i] % n:
            first, last = _first(row_key, tlo, thi, p * n + p), _first(row_key, tlo, thi, p * n + p + 1)
            if first < last:
                stack[top, 0], stack[top, 1] = _first(part, lo, hi, p), _first(part, lo, hi, p + 1)
                stack[top, 2], stack[top, 3], stack[top, 4], stack[top, 5], stack[top, 6] = first, last, i, j, -1
                top += 1
        i = j
    return top


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
    leaf, part = np.empty(2 * n, np.int32), np.empty(2 * n, np.int32)
    row, row_key = np.empty(2 * m, np.int32), np.empty(2 * m, np.int64)
    ask, ask_key = np.empty(2 * q, np.int32), np.empty(2 * q, np.int64)
    work = np.empty((7, max(n, 2 * m, q)), np.int32)
    flag, sizes = np.zeros(q, np.bool_), np.empty((16, 2), np.int64)
    leaf[:n], row[:m], ask[:q] = np.arange(n), np.arange(m), np.arange(q)
    # a frame: ranges of leaves, rows and queries, and the place of the next query to look at, -1 in a fresh frame
    stack = np.zeros((16, 7), np.int64)
    stack[0, 1], stack[0, 3], stack[0, 5], stack[0, 6] = n, m, q, -1
    top, spent, count = 1, 0, 0
    while top > 0:
        f = top - 1
        lo, hi, tlo, thi = stack[f, 0], stack[f, 1], stack[f, 2], stack[f, 3]
        if stack[f, 6] < 0:
            spent += hi - lo + thi - tlo + stack[f, 5] - stack[f, 4]
            if spent > most:
                break
            k = _parts(leaf, lo, hi, row, tlo, thi, rows, work[0], work[1])
            _sort_leaves(leaf, part, lo, hi, work[1], k, work[2], work[3])
            _sort_rows(row, row_key, tlo, thi, rows, work[1], k, work[2], work[3], n)
            stack[f, 5] = _sort_rows(ask, ask_key, stack[f, 4], stack[f, 5], queries, work[1], k, work[2], work[3], n)
            stack[f, 6] = stack[f, 4] if k > 2 else stack[f, 5]
            if k == 2:
                sizes = _longer(sizes, count + 1) if task == SIZES else sizes
                count = _conclude(
                    task, stack[f], leaf, part, row, row_key, rows, ask, ask_key, work, flag, sizes, count, out
                )
        i = _next_pair(ask_key, stack[f, 6], stack[f, 5], n)
        stack = _longer(stack, top + hi - lo)
        if i == stack[f, 5]:
            top = _push_components(stack, top, part, row_key, ask_key, n)
        else:
            leaf, part = _wider(leaf, 2 * hi - lo), _wider(part, 2 * hi - lo)
            row, row_key = _wider(row, 2 * thi - tlo), _wider(row_key, 2 * thi - tlo)
            ask, ask_key = _wider(ask, 2 * stack[f, 5] - i), _wider(ask_key, 2 * stack[f, 5] - i)
            top = _push_pair(stack, top, i, leaf, part, row, row_key, ask, ask_key, n)
    return flag, sizes[:count] if task == SIZES else sizes[:0], spent
