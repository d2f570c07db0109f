"""ReCon: always the closest merge that keeps the triplets satisfiable.

Two loops, on centres and on a table of distances, bring three engines together: ``centres`` or ``table`` offers the
closest pair that is not known to be blocked, ``aho_fuse`` merges it or tells why not, ``rejected`` remembers. A blocked
pair rejects the whole rectangle of its blocking pair. A merged cluster keeps the smaller slot, that of its first
sample; ties go to the pair with the first smaller slot, then to that with the first larger one. Pairs that are apart by
cannot-links count as rejected for good; where nothing else is left, the loop stops, and is stuck.

`join` and `search` come as pointers (see ``jit``): they are compiled by themselves, not once more for each loop.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.aho_forest import DEGREE, cluster_of
from tripletree.kernels.aho_forest import join as _join
from tripletree.kernels.centres import NEAR, PLACE, SLOT, closest, merge, pack, renew_block, search
from tripletree.kernels.distance_table import BLOCK, first_of_least, least_of_block, scan, update
from tripletree.kernels.distance_table import pack as pack_table
from tripletree.kernels.jit import inner, njit, pointer
from tripletree.kernels.rejected_pairs import forbid, forgive, inherit, is_rejected, keep_watch, paint, watched

__all__ = [
    "JOIN",
    "LINKAGES",
    "SEARCH_FLOAT32",
    "SEARCH_FLOAT64",
    "as_linkage",
    "merge_by_centres",
    "merge_by_table",
]

#: Place in this list is a linkage's number in the kernels; the first three work on centres.
LINKAGES = ("centroid", "median", "ward", "average", "weighted", "complete", "single")

_ARRAYS = ["int64[:, ::1]"] * 3 + ["int64[::1]"] + ["int64[:, ::1]"] * 4 + ["int64[::1]"]  # those of ``aho_tree``
#: The kernel ``aho_fuse.join``, by its address.
JOIN = pointer(_join, f"UniTuple(int64, 2)({', '.join(_ARRAYS)}, int64, int64, int64, int64[:, ::1], int64)")


def _search_for(real):
    row, rows = f"{real}[::1]", f"{real}[:, ::1]"
    state = f"{rows}, {rows}, {row}, {row}, int64, {row}, int64[:, ::1], int64[:, ::1]"
    return pointer(search, f"void({state}, int64, int64, uint64[:, ::1], int64[::1], {row}, {row})")


#: The kernel ``centres.search`` for coordinates of either precision, by its address.
SEARCH_FLOAT32, SEARCH_FLOAT64 = _search_for("float32"), _search_for("float64")

# counters
MERGES, LIVE, FOUND, WATCHES, TESTS, REJECTIONS, SEARCHES, STUCK = range(8)


@inner
def _refuse(rejected, side, left, right, count):
    """Reject the rectangle of a blocking pair, and watch it."""
    bits, _, _, mask, row, watch, chain, held = rejected
    paint(bits, mask, row, side, left, right)
    keep_watch(watch, chain, held, count[WATCHES], side, left, right)
    count[WATCHES] += 1


@inner
def _attempt(aho, rejected, n, i, j, side, due, count, join):
    """Merge slot i into slot j in the tree if they are compatible, else reject them. Whether they have merged.

    Pairs whose blocking pair may have ended are tested again.
    """
    tree, slot, rows, ring, shelf, mark, trip, node, var = aho
    bits, apart, gone, _, row, watch, chain, held = rejected
    if slot[DEGREE, i] > 0 and slot[DEGREE, j] > 0:
        count[TESTS] += 1
    left, right = join(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j, side, 1)
    if left > 0:
        count[REJECTIONS] += 1
        _refuse(rejected, side, left, right, count)
        return False
    inherit(bits, gone, row, slot, i, j)
    if len(apart) > 0:
        inherit(apart, gone, row, slot, i, j)
    for k in range(watched(watch, chain, held, slot, i, j, due)):
        other = cluster_of(slot, watch[2, due[k]])
        if held[2, other] == count[MERGES] + 1:
            continue  # its largest blocking pair has been found just now, by another watch
        held[2, other] = count[MERGES] + 1
        count[TESTS] += 1
        left, right = join(tree, slot, rows, ring, shelf, mark, trip, node, var, n, j, other, side, 0)
        if left > 0:
            _refuse(rejected, side, left, right, count)
        else:
            forgive(bits, gone, row, slot, j, other)
            if len(apart) > 0:
                forbid(bits, apart, row, j, other)
    return True


@inner
def _goes_on(count, goal, n, watch):
    return count[MERGES] < goal and count[WATCHES] + 2 * n < watch.shape[1]


@inner
def _note(merges, count, i, j, distance):
    k = count[MERGES]
    merges[k, 0], merges[k, 1], merges[k, 2] = i, j, distance
    count[MERGES] = k + 1


@njit
def merge_by_centres(linkage, near_state, aho, rejected, side, due, merges, count, most, join, search):
    """Go on until all is one cluster, no pair is left, `most` merges or first searches are done, or watches lack room.

    near_state : the arrays of ``centres``; aho : those of ``aho_tree``; rejected : those of ``rejected``; side :
    int64[2, n]; due : int64[W]; merges : float64[n - 1, 3], slots and squared distance; count : int64[8], zero at first
    Returns whether it ended.
    """
    points, box, weight, lightest, bound, least, who, spot, out, reach, order = near_state
    bits, _, _, _, row, watch, _, _ = rejected
    n = who.shape[1]
    goal = min(n - 1, count[MERGES] + most)
    last = min(n, count[FOUND] + most)
    live = count[LIVE]
    while _goes_on(count, goal, n, watch):
        if 4 * (n - count[MERGES]) < 3 * live or live == 0:
            live = pack(points, box, weight, lightest, bound, least, who, spot, live or n, order)
            count[LIVE] = live
        if count[FOUND] < n:  # first searches
            if count[FOUND] == last:
                return False
            x = count[FOUND]
            count[FOUND] += 1
        else:
            x, fresh = closest(bound, least, who, spot, live)
            if bound[x] == np.inf:
                count[STUCK] = 1
                break
            s, t = who[SLOT, x], who[NEAR, x]
            if not fresh or is_rejected(bits, row, s, t):
                count[SEARCHES] += 1
            else:
                i, j = max(s, t), min(s, t)
                if not _attempt(aho, rejected, n, i, j, side, due, count, join):
                    continue
                _note(merges, count, i, j, bound[x])
                gone, x = spot[PLACE, i], spot[PLACE, j]
                merge(points, box, weight, linkage, bound, who, spot, gone, x, count[MERGES])
                renew_block(bound, least, live, gone)
        search(points, box, weight, lightest, linkage, bound, who, spot, live, x, bits, row, out, reach)
        renew_block(bound, least, live, x)
    return count[MERGES] == n - 1


@njit
def merge_by_table(linkage, near_state, aho, rejected, side, due, merges, count, most, join):
    """As `merge_by_centres`, on a table of distances.

    near_state : the arrays of ``table``; merges : slots and distance; count : LIVE is n at first
    """
    distances, weight, bound, least, near = near_state
    bits, _, _, _, row, watch, _, _ = rejected
    n = near.shape[1]
    live = count[LIVE]
    if count[FOUND] < n:
        for x in range(count[FOUND], min(n, count[FOUND] + most)):
            scan(distances, bound, near, live, x, bits, row)
            count[FOUND] += 1
        for x in range(0, live, BLOCK):
            least_of_block(bound, least, live, x)
        return False
    goal = min(n - 1, count[MERGES] + most)
    while _goes_on(count, goal, n, watch):
        x = first_of_least(bound, least, live)
        if bound[x] == np.inf:
            count[STUCK] = 1
            break
        y = near[0, x]
        if y < 0 or is_rejected(bits, row, near[1, x], near[1, y]):
            count[SEARCHES] += 1
            scan(distances, bound, near, live, x, bits, row)
            least_of_block(bound, least, live, x)
            continue
        i, j = near[1, y], near[1, x]
        if not _attempt(aho, rejected, n, i, j, side, due, count, join):
            continue
        _note(merges, count, i, j, bound[x])
        update(distances, weight, linkage, bound, least, near, live, x, y, bits, row)
        if 4 * (n - count[MERGES]) < 3 * live and live > 64:
            live = pack_table(distances, weight, bound, least, near, live)
    count[LIVE] = live
    return count[MERGES] == n - 1


@njit
def as_linkage(merges, squared):
    """Node numbers, heights and sizes from slots: a scipy linkage with the smaller node first.

    merges : float64[n - 1, 3], the second slot stays; squared : whether distances are squared
    Returns float64[n - 1, 4].
    """
    n = merges.shape[0] + 1
    node = np.arange(n)
    size = np.ones(n)
    out = np.empty((n - 1, 4))
    for k in range(n - 1):
        i, j = int(merges[k, 0]), int(merges[k, 1])
        out[k, 0], out[k, 1] = min(node[i], node[j]), max(node[i], node[j])
        out[k, 2] = np.sqrt(merges[k, 2]) if squared else merges[k, 2]
        size[j] += size[i]
        out[k, 3] = size[j]
        node[j] = n + k
    return out
