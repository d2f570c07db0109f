"""ReCon: always the closest merge that keeps the triplets satisfiable.

A loop for each way to hold distances joins three engines. ``centres`` or a table (``distance_table``,
``single_linkage``) offers the closest pair that is not known to be incompatible. ``aho_forest`` merges it or finds a
blocking pair. ``rejected_pairs`` remembers that all pairs between the two sides of a blocking pair are blocked. A
merged cluster keeps the smaller id, the id of its first sample. Among ties the pair with the first smaller id is first,
then the first larger id. Cannot-linked pairs count as rejected for good. If no other pair is left, the loop stops, and
is stuck.

`join` and `search` come as pointers (see ``jit``): they are compiled by themselves, not once more for each loop.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.aho_forest import Forest
from tripletree.kernels.aho_forest import join as _join
from tripletree.kernels.centres import Centres, closest, merge, pack, search
from tripletree.kernels.centres import least_of_block as renew_least
from tripletree.kernels.disjoint_set import find
from tripletree.kernels.distance_table import BLOCK, first_of_least, least_of_block, scan, update
from tripletree.kernels.distance_table import pack as pack_table
from tripletree.kernels.jit import Integers, Pointer, in_place, inner, njit
from tripletree.kernels.rejected_pairs import (
    RejectedPairs,
    clear,
    due_watches,
    inherit,
    is_rejected,
    mark,
    mark_cannot_linked,
    renew,
    watch,
)
from tripletree.kernels.single_linkage import next_tied, settle, unite
from tripletree.kernels.single_linkage import search as search_row
from tripletree.kernels.sparse_centres import has_room, renew_index
from tripletree.kernels.sparse_centres import merge as merge_vectors
from tripletree.kernels.sparse_centres import pack as pack_vectors
from tripletree.kernels.sparse_centres import search as search_vectors

#: Place in this list is a linkage's number in the kernels. The first three work on centres. So do average and weighted
#: linkage of squared distances.
LINKAGES = ("centroid", "median", "ward", "average", "weighted", "complete", "single")

#: The kernel ``aho_forest.join``, by its address.
JOIN = Pointer(_join, ("int64", "int64"), Forest, "int64", "int64", "int64")

#: In the place of a place, see `_next_place`.
_NONE_NOW, _ENOUGH, _STUCK = -1, -2, -3

_SEARCH_TYPES = "void", Centres, "int64", "int64", "int64", RejectedPairs
#: The kernel ``centres.search`` for coordinates of either precision, by its address.
SEARCH_FLOAT32 = Pointer(search, *_SEARCH_TYPES, real="float32")
SEARCH_FLOAT64 = Pointer(search, *_SEARCH_TYPES)


class Counters(NamedTuple):
    """Counters, of one entry each, so that they last from call to call."""

    merges: Integers
    live: Integers  #: places in use, those that are empty by now included
    searched: Integers  #: clusters that have made their first search
    watches: Integers
    tests: Integers
    rejections: Integers
    searches: Integers  #: those that had to be made again
    due: Integers  #: watches that the last merge has ended
    stuck: Integers  #: whether only cannot-linked pairs are left


class Agglomeration(NamedTuple):
    """The state of a run of ReCon between two merges, without the distances."""

    forest: Forest
    rejected: RejectedPairs
    merges: np.ndarray  #: float64[n - 1, 3]: the ids that merged, the second of which stays, and their distance
    counts: Counters


def new_agglomeration(forest, rejected):
    """The state before the first merge."""
    n = len(forest.into)
    counts = Counters(*(np.zeros(1, np.int64) for _ in Counters._fields))
    return Agglomeration(forest, rejected, np.empty((n - 1, 3)), counts)


@inner
def _reject(state, left, right):
    """Reject the rectangle of the blocking pair just found, and watch it."""
    sides, counts = state.forest.sides, state.counts
    mark(state.rejected, sides, left, right)
    watch(state.rejected, counts.watches[0], sides, left, right)
    counts.watches[0] += 1


@inner
def _attempt(state, i, j, join):
    """Merge cluster i into j in the tree if they are compatible, or reject them. Returns whether they merged.

    Pairs whose blocking pair may have ended are tested again.
    """
    forest, rejected, counts = state.forest, state.rejected, state.counts
    into = forest.into
    if forest.degree[i] > 0 and forest.degree[j] > 0:
        counts.tests[0] += 1
    left, right = join(forest, i, j, 1)
    if left > 0:
        counts.rejections[0] += 1
        _reject(state, left, right)
        return False
    inherit(rejected, into, i, j)
    # a blocking pair that the merge has shrunk to one cluster on each side may be gone: these two are tested again
    now = counts.merges[0] + 1
    counts.due[0] = due_watches(rejected, into, i, j)
    for k in range(counts.due[0]):
        other = find(into, rejected.other_side[rejected.due[k]])
        if rejected.found_at[other] == now:
            continue  # its largest blocking pair has been found just now, by another watch
        rejected.found_at[other] = now
        counts.tests[0] += 1
        left, right = join(forest, j, other, 0)
        if left > 0:
            _reject(state, left, right)
        else:
            clear(rejected, into, j, other)
            mark_cannot_linked(rejected, j, other)
    return True


@inner
def _goes_on(state, goal):
    """Whether there is something left to do, and room for the watches that one merge may need."""
    n, counts = len(state.forest.into), state.counts
    return counts.merges[0] < goal and counts.watches[0] + 2 * n < len(state.rejected.other_side)


@inner
def _note(state, i, j, distance):
    k = state.counts.merges[0]
    state.merges[k, 0], state.merges[k, 1], state.merges[k, 2] = i, j, distance
    state.counts.merges[0] = k + 1


@inner
def _next_place(state, centres, live, last, join):
    """Make the closest merge in the tree, if there is one, and return the place to search from and the one it takes.

    The second is -1 where it takes none. The first is `_NONE_NOW` where a pair has just been rejected, `_ENOUGH` where
    `last` clusters have made their first search, and `_STUCK` if no pair is left.
    """
    counts = state.counts
    if counts.searched[0] < len(centres.cluster):  # at first each place searches once, in turn
        if counts.searched[0] == last:
            return _ENOUGH, -1
        counts.searched[0] += 1
        return counts.searched[0] - 1, -1
    x, fresh = closest(centres, live)
    if centres.bound[x] == np.inf:
        counts.stuck[0] = 1
        return _STUCK, -1
    s, t = centres.cluster[x], centres.nearest[x]
    if not fresh or is_rejected(state.rejected, s, t):  # the bound of x was too low: a search raises it
        counts.searches[0] += 1
        return x, -1
    i, j = max(s, t), min(s, t)
    if not _attempt(state, i, j, join):
        return _NONE_NOW, -1
    _note(state, i, j, centres.bound[x])
    return centres.place[j], centres.place[i]


@in_place
def merge_by_centres(state, centres, linkage, most, join, search):
    """Go on until all is one cluster, no pair is left, `most` merges or first searches are done, or watches lack room.

    Distances are squared. Returns whether it ended.
    """
    counts = state.counts
    n = len(centres.cluster)
    goal = min(n - 1, counts.merges[0] + most)
    last = min(n, counts.searched[0] + most)
    live = counts.live[0]
    # invariant: the bound of a place is at most its distance to any place that it may merge with
    while _goes_on(state, goal):
        # a quarter of the places is empty, or there are no boxes yet: close the gaps and lay boxes
        if 4 * (n - counts.merges[0]) < 3 * live or live == 0:
            live = pack(centres, live or n)
            counts.live[0] = live
        x, gone = _next_place(state, centres, live, last, join)
        if x == _NONE_NOW:
            continue
        if x < 0:
            break
        if gone >= 0:  # x takes the cluster of `gone`, which is empty from now on
            merge(centres, linkage, gone, x, counts.merges[0])
            renew_least(centres, live, gone)
        renew(state.rejected, state.forest.into, centres.cluster[x])
        search(centres, linkage, live, x, state.rejected)
        renew_least(centres, live, x)
    return counts.merges[0] == n - 1


@in_place
def merge_by_vectors(state, centres, linkage, most, join):
    """As `merge_by_centres`, on sparse centres."""
    counts = state.counts
    n = len(centres.cluster)
    goal = min(n - 1, counts.merges[0] + most)
    last = min(n, counts.searched[0] + most)
    live = counts.live[0]
    while _goes_on(state, goal):
        if 4 * (n - counts.merges[0]) < 3 * live or live == 0:
            live = pack_vectors(centres, live or n)
            counts.live[0] = live
        x, gone = _next_place(state, centres, live, last, join)
        if x == _NONE_NOW:
            continue
        if x < 0:
            break
        if gone >= 0:
            if not has_room(centres, live, gone, x):
                renew_index(centres, live)
            merge_vectors(centres, linkage, gone, x, counts.merges[0])
            renew_least(centres, live, gone)
        renew(state.rejected, state.forest.into, centres.cluster[x])
        search_vectors(centres, linkage, live, x, state.rejected)
        renew_least(centres, live, x)
    return counts.merges[0] == n - 1


@in_place
def merge_by_table(state, table, linkage, most, join):
    """As `merge_by_centres`, on a table of distances. `live` is n at first."""
    counts, rejected, bound = state.counts, state.rejected, table.bound
    n = len(table.cluster)
    live = counts.live[0]
    if counts.searched[0] < n:
        for x in range(counts.searched[0], min(n, counts.searched[0] + most)):
            scan(table, live, x, rejected)
            counts.searched[0] += 1
        for x in range(0, live, BLOCK):
            least_of_block(table, live, x)
        return False
    goal = min(n - 1, counts.merges[0] + most)
    while _goes_on(state, goal):
        x = first_of_least(table, live)
        if bound[x] == np.inf:
            counts.stuck[0] = 1
            break
        y = table.nearest[x]
        if y < 0 or is_rejected(rejected, table.cluster[x], table.cluster[y]):  # the bound was too low
            counts.searches[0] += 1
            renew(rejected, state.forest.into, table.cluster[x])
            scan(table, live, x, rejected)
            least_of_block(table, live, x)
            continue
        i, j = table.cluster[y], table.cluster[x]
        if not _attempt(state, i, j, join):
            continue
        _note(state, i, j, bound[x])
        update(table, linkage, live, x, y, rejected)
        if 4 * (n - counts.merges[0]) < 3 * live and live > 64:
            live = pack_table(table, live)
    counts.live[0] = live
    return counts.merges[0] == n - 1


@inner
def _search_compatible(state, table, x):
    """Search the rows of x and of all clusters that were incompatible with a part of x until the last merge."""
    rejected, into = state.rejected, state.forest.into
    found = False
    for k in range(state.counts.due[0]):
        y = find(into, rejected.other_side[rejected.due[k]])
        if not is_rejected(rejected, x, y):
            search_row(table, y, into, rejected)
            found = True
    if found:
        search_row(table, x, into, rejected)


@in_place
def merge_by_single_linkage(state, table, linkage, most, join):
    """As `merge_by_table`, by single linkage. `most` is also the limit of rows to be settled at a time."""
    counts, rejected, bound, into = state.counts, state.rejected, table.bound, state.forest.into
    n = len(bound)
    if counts.searched[0] < n:
        for x in range(counts.searched[0], min(n, counts.searched[0] + most)):
            search_row(table, x, into, rejected)
            counts.searched[0] += 1
        return False
    goal = min(n - 1, counts.merges[0] + most)
    while _goes_on(state, goal):
        x = first_of_least(table, n)
        if bound[x] == np.inf:
            counts.stuck[0] = 1
            break
        if bound[x] != table.settled[0]:  # ties are resolved by ids, so all rows of this bound are settled first
            if not settle(table, bound[x], most, into, rejected):
                break
            continue
        y = next_tied(table, x, rejected)
        if y < 0:
            counts.searches[0] += 1
            search_row(table, x, into, rejected)
            continue
        if not _attempt(state, y, x, join):
            continue
        _note(state, y, x, bound[x])
        unite(table, x, y)
        _search_compatible(state, table, x)
    return counts.merges[0] == n - 1


@njit
def as_linkage(merges, squared):
    """Node numbers, heights and sizes from cluster ids: a scipy linkage with the smaller node first.

    merges : float64[n - 1, 3], the second id stays
    squared : whether distances are squared
    Returns float64[n - 1, 4].
    """
    n = merges.shape[0] + 1
    node = np.arange(n)  # the node that stands for each cluster so far
    size = np.ones(n)  # the samples below it
    out = np.empty((n - 1, 4))
    for k in range(n - 1):
        i, j = int(merges[k, 0]), int(merges[k, 1])
        out[k, 0], out[k, 1] = min(node[i], node[j]), max(node[i], node[j])
        out[k, 2] = np.sqrt(merges[k, 2]) if squared else merges[k, 2]
        size[j] += size[i]
        out[k, 3] = size[j]
        node[j] = n + k
    return out
