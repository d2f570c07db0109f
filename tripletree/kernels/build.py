"""OneTree by splitting components again and again, on contiguous ranges of leaves and triplets.

A subproblem is a range of the leaf order and a range of the triplet columns. Its leaves are joined by the edges ab of
its triplets ab|c; the components are the children, each keeps the triplets that lie inside it. Cost: the sum over all
inner nodes of (leaves + triplets) below, which is near-linear on bushy trees and quadratic on a caterpillar. So a
chain of subproblems that hardly shrinks is put off: `build` lists it, and ``even_shiloach`` solves it.

Oracle: ``one_tree_definition`` in ``tests/oracles.py``.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import inner, njit

__all__ = [
    "DEFERRED_RUN",
    "build",
]

#: A run of this many subproblems, each more than half of the one above, is looked at ...
DEFERRED_RUN = 6
#: ... unless it has at most this many leaves ...
_SMALL = 64
#: ... and put off unless its weight has shrunk to this share since the run began.
_SHRUNK = 0.95


@inner
def _components(leaves, lo, hi, ab, tlo, thi, up, comp):
    """Number the components of the leaves lo..hi-1 under the edges of the triplets tlo..thi-1.

    Returns their number; comp[x] is that of leaf x (not filled in when there is just one).
    """
    for i in range(lo, hi):
        up[leaves[i]] = leaves[i]
    k = hi - lo
    for t in range(tlo, thi):
        if unite(up, ab[0, t], ab[1, t]):
            k -= 1
            if k == 1:
                return 1
    k = 0
    for i in range(lo, hi):
        x = leaves[i]
        if up[x] == x:
            comp[x] = k
            k += 1
    for i in range(lo, hi):
        x = leaves[i]
        comp[x] = comp[find(up, x)]
    return k


@inner
def _sort_leaves(leaves, lo, hi, comp, k, end, spare):
    """Group the leaves lo..hi-1 by component; end[j] becomes one past the last place of component j."""
    for j in range(k):
        end[j] = 0
    for i in range(lo, hi):
        end[comp[leaves[i]]] += 1
    at = lo
    for j in range(k):
        size = end[j]
        end[j] = at
        at += size
    for i in range(lo, hi):
        x = leaves[i]
        spare[end[comp[x]]] = x
        end[comp[x]] += 1
    for i in range(lo, hi):
        leaves[i] = spare[i]


@inner
def _sort_triplets(abc, tlo, thi, comp, k, end, spare):
    """Group the triplets that stay inside one component by component, from tlo on, and drop the others."""
    for j in range(k):
        end[j] = 0
    for t in range(tlo, thi):
        j = comp[abc[0, t]]
        if j == comp[abc[2, t]]:
            end[j] += 1
    at = tlo
    for j in range(k):
        size = end[j]
        end[j] = at
        at += size
    for t in range(tlo, thi):
        j = comp[abc[0, t]]
        if j == comp[abc[2, t]]:
            place = end[j]
            end[j] += 1
            spare[0, place] = abc[0, t]
            spare[1, place] = abc[1, t]
            spare[2, place] = abc[2, t]
    for row in range(3):
        for t in range(tlo, at):
            abc[row, t] = spare[row, t]


@inner
def _is_deep(leaves, weight, run, weight0):
    """Whether a subproblem that continues a run should be put off."""
    return run >= DEFERRED_RUN and leaves > _SMALL and weight > _SHRUNK * weight0


@njit
def _grown(rows):
    """The rows, with room for as many again."""
    out = np.empty((2 * rows.shape[0], rows.shape[1]), np.int32)
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            out[i, k] = rows[i, k]
    return out


@njit
def build(abc, n, deferring):
    """Split all n leaves down to single ones.

    abc : int32[3, m], the columns of the triplets, reordered in place; n : number of leaves, at least 1;
    deferring : whether chains that hardly shrink are put off
    Returns
        leaf_up : int32[n], inner node above each leaf (-1 where it is put off);
        inner_up : int32[k], inner node above each inner node; node 0 is the root, -1 above it, parents come first;
        leaves : int32[n], the leaf order that the ranges refer to;
        deferred : int32[d, 5], leaf range, triplet range and inner node of each subproblem put off;
        failed : int32[2], leaf range of a subproblem that does not split, (0, 0) if none.
    """
    leaves = np.arange(n).astype(np.int32)
    leaf_up = np.full(n, -1, np.int32)
    inner_up = np.empty(max(n, 2), np.int32)
    deferred = np.empty((16, 5), np.int32)
    failed = np.zeros(2, np.int32)
    up = np.empty(n, np.int32)
    comp = np.empty(n, np.int32)
    leaf_end = np.empty(n + 1, np.int32)
    triplet_end = np.empty(n + 1, np.int32)
    spare_leaves = np.empty(n, np.int32)
    spare = np.empty_like(abc)
    # a subproblem: leaf range, triplet range, inner node, length of its run, weight where the run began
    stack = np.empty((max(n, 1), 7), np.int32)
    inner_up[0] = -1
    nodes, top, d = 1, 1, 0
    for k in range(7):
        stack[0, k] = 0
    stack[0, 1], stack[0, 3], stack[0, 6] = n, abc.shape[1], n + abc.shape[1]
    while top > 0:
        top -= 1
        lo, hi, tlo, thi = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        v, run, weight0 = stack[top, 4], stack[top, 5], stack[top, 6]
        weight = hi - lo + thi - tlo
        if tlo == thi:
            for i in range(lo, hi):
                leaf_up[leaves[i]] = v
            continue
        if deferring and run >= DEFERRED_RUN:
            if _is_deep(hi - lo, weight, run, weight0):
                if d == deferred.shape[0]:
                    deferred = _grown(deferred)
                for k in range(5):
                    deferred[d, k] = stack[top, k]
                d += 1
                continue
            run, weight0 = 0, weight
        k = _components(leaves, lo, hi, abc, tlo, thi, up, comp)
        if k == 1:
            failed[0], failed[1] = lo, hi
            break
        _sort_leaves(leaves, lo, hi, comp, k, leaf_end, spare_leaves)
        _sort_triplets(abc, tlo, thi, comp, k, triplet_end, spare)
        for j in range(k):
            stop, tstop = leaf_end[j], triplet_end[j]
            if stop - lo == 1:
                leaf_up[leaves[lo]] = v
            else:
                inner_up[nodes] = v
                part = stop - lo + tstop - tlo
                goes_on = 2 * part > weight
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = lo, stop, tlo, tstop
                stack[top, 4] = nodes
                stack[top, 5] = run + 1 if goes_on else 0
                stack[top, 6] = weight0 if goes_on else part
                nodes += 1
                top += 1
            lo, tlo = stop, tstop
    return leaf_up, inner_up[:nodes], leaves, deferred[:d], failed
