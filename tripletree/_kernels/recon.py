"""ReCon: always the closest merge that keeps the triplets satisfiable.

`agglomerate` joins three engines: ``nearest`` offers the closest pair that is not known to be blocked, ``aho_blocks``
tells whether it is, ``rejected`` remembers. A blocked pair rejects the whole rectangle of its blocking pair.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.aho_blocks import blocked
from tripletree._kernels.aho_fuse import fuse
from tripletree._kernels.aho_tree import DEGREE, cluster_of
from tripletree._kernels.nearest import closest, pack, renew_block, scan, update
from tripletree._kernels.rejected import forgive, inherit, is_rejected, keep_watch, paint, watched

__all__ = ["agglomerate", "as_linkage", "start"]

# counters
MERGES, LIVE, WATCHES, TESTS, REJECTIONS, SCANS = range(6)


@njit
def start(points, table, weight, linkage, bound, least, near, bits, row, out):
    """Scan every place for the first time."""
    live = near.shape[1]
    for x in range(live):
        near[0, x], near[1, x] = -1, x
    for x in range(live):
        scan(points, table, weight, linkage, bound, near, live, x, bits, row, out)
    for x in range(0, live, 1):
        renew_block(bound, least, live, x)


@inner
def _refuse(rejected, side, left, right, count):
    """Reject the rectangle of a blocking pair, and watch it."""
    bits, _, row, watch, chain, held = rejected
    paint(bits, row, side, left, right)
    keep_watch(watch, chain, held, count[WATCHES], side, left, right)
    count[WATCHES] += 1


@inner
def _join(aho, rejected, n, i, j, side, due, count):
    """Merge slot i into slot j in the tree, and test again the pairs whose blocking pair may have ended."""
    tree, slot, rows, ring, shelf, mark, trip, node, var = aho
    bits, gone, row, watch, chain, held = rejected
    fuse(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j)
    inherit(bits, gone, row, slot, i, j)
    for k in range(watched(watch, chain, held, slot, i, j, due)):
        other = cluster_of(slot, watch[2, due[k]])
        if held[2, other] == count[MERGES] + 1:
            continue  # its largest blocking pair has been found just now, by another watch
        held[2, other] = count[MERGES] + 1
        count[TESTS] += 1
        left, right = blocked(tree, slot, rows, ring, shelf, mark, trip, node, var, n, j, other, side)
        if left > 0:
            _refuse(rejected, side, left, right, count)
        else:
            forgive(bits, gone, row, slot, j, other)


@njit
def agglomerate(points, table, linkage, near_state, aho, rejected, scratch, merges, count, most):
    """Go on until all is one cluster, `most` merges are done, or the watches run out of room. Returns whether it ended.

    near_state : weight, bound, least, near (see ``nearest``); aho : the arrays of ``aho_tree``; rejected : those of
    ``rejected``; scratch : out float[BLOCK], side int64[2, n], due int64[W]; merges : float64[n - 1, 3], slots and
    distance as ``nearest`` has it; count : int64[6]
    """
    weight, bound, least, near = near_state
    tree, slot, rows, ring, shelf, mark, trip, node, var = aho
    bits, _, row, watch, _, _ = rejected
    out, side, due = scratch
    n = near.shape[1]
    live = count[LIVE]
    goal = min(n - 1, count[MERGES] + most)
    while count[MERGES] < goal and count[WATCHES] + 2 * n < watch.shape[1]:
        x = closest(bound, least, live)
        y = near[0, x]
        if y < 0 or is_rejected(bits, row, near[1, x], near[1, y]):
            count[SCANS] += 1
            scan(points, table, weight, linkage, bound, near, live, x, bits, row, out)
            renew_block(bound, least, live, x)
            continue
        i, j = near[1, x], near[1, y]
        if slot[DEGREE, i] > 0 and slot[DEGREE, j] > 0:
            count[TESTS] += 1
        left, right = blocked(tree, slot, rows, ring, shelf, mark, trip, node, var, n, i, j, side)
        if left > 0:
            count[REJECTIONS] += 1
            _refuse(rejected, side, left, right, count)
            continue
        k = count[MERGES]
        merges[k, 0], merges[k, 1], merges[k, 2] = i, j, bound[x]
        _join(aho, rejected, n, i, j, side, due, count)
        update(points, table, weight, linkage, bound, least, near, live, x, y, bits, row, out)
        count[MERGES] = k + 1
        if linkage <= 2 and 4 * (n - count[MERGES]) < 3 * live and live > 64:
            live = pack(points, weight, bound, least, near, live)
            count[LIVE] = live
    return count[MERGES] == n - 1


@njit
def as_linkage(merges, squared):
    """Node numbers, heights and sizes from slots: a scipy linkage with the smaller node first.

    merges : float64[n - 1, 3]; squared : whether distances are squared
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
