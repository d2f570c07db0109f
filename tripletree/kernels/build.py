"""OneTree by splitting components again and again, on contiguous ranges of leaves and triplets.

A subproblem is a range of the leaf order and a range of the triplet columns. Its leaves are joined by the edges ab of
its triplets ab|c. The components are the children, each keeps the triplets that lie inside it. Cost: the sum over all
inner nodes of (leaves + triplets) below, which is near-linear on bushy trees and quadratic on a caterpillar. So a
chain of subproblems that hardly shrinks is put off: `build` lists it, and ``build_deep`` solves it.

Oracle: ``one_tree_definition`` in ``tests/oracles.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.budget import spend
from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import allocating, inlined, inner, njit

#: A run of this many subproblems, each more than half of the one above, is looked at ...
DEFERRED_RUN = 6
#: ... unless it has at most this many leaves ...
_SMALL = 64
#: ... and put off unless its weight has shrunk to this share since the run began.
_SHRUNK = 0.95


class Splitting(NamedTuple):
    """The leaves and triplets, which are put in order part by part, and how the subproblem at hand falls apart."""

    leaves: np.ndarray  #: int32[n]
    abc: np.ndarray  #: int32[3, m], the columns of the triplets
    up: np.ndarray  #: int32[n], the disjoint set of the leaves
    component: np.ndarray  #: int32[n], of each leaf
    leaf_end: np.ndarray  #: int32[n + 1], one past the last place of each component's leaves
    triplet_end: np.ndarray  #: int32[n + 1], likewise of its triplets
    spare_leaves: np.ndarray  #: int32[n]
    spare: np.ndarray  #: int32[3, m]


@inlined
def _components(splitting, low, high, t_low, t_high):
    """Number the components of the leaves low..high-1 under the edges of the triplets t_low..t_high-1.

    Returns their number. Each leaf's component is filled in unless there is just one.
    """
    leaves, abc, up, component = splitting.leaves, splitting.abc, splitting.up, splitting.component
    for i in range(low, high):
        up[leaves[i]] = leaves[i]
    k = high - low
    for t in range(t_low, t_high):
        if unite(up, abc[0, t], abc[1, t]):
            k -= 1
            if k == 1:  # the other triplets cannot part them again
                return 1
    # the root of a set is its smallest leaf, so roots get their numbers first, then every other leaf gets its root's
    k = 0
    for i in range(low, high):
        x = leaves[i]
        if up[x] == x:
            component[x] = k
            k += 1
    for i in range(low, high):
        x = leaves[i]
        component[x] = component[find(up, x)]
    return k


@inlined
def _sort_leaves(splitting, low, high, k):
    """Group the leaves low..high-1 by their k components."""
    leaves, component, spare, end = splitting.leaves, splitting.component, splitting.spare_leaves, splitting.leaf_end
    for j in range(k):
        end[j] = 0
    for i in range(low, high):
        end[component[leaves[i]]] += 1
    at = low
    for j in range(k):
        size = end[j]
        end[j] = at
        at += size
    for i in range(low, high):
        x = leaves[i]
        spare[end[component[x]]] = x
        end[component[x]] += 1  # the beginnings end up as the ends
    for i in range(low, high):
        leaves[i] = spare[i]


@inlined
def _sort_triplets(splitting, t_low, t_high, k):
    """Group the triplets that stay inside one component by component, from t_low on, and drop the others."""
    abc, component, spare, end = splitting.abc, splitting.component, splitting.spare, splitting.triplet_end
    for j in range(k):
        end[j] = 0
    for t in range(t_low, t_high):
        j = component[abc[0, t]]
        if j == component[abc[2, t]]:
            end[j] += 1
    at = t_low
    for j in range(k):
        size = end[j]
        end[j] = at
        at += size
    for t in range(t_low, t_high):
        j = component[abc[0, t]]
        if j == component[abc[2, t]]:
            place = end[j]
            end[j] += 1
            spare[0, place] = abc[0, t]
            spare[1, place] = abc[1, t]
            spare[2, place] = abc[2, t]
    for row in range(3):
        for t in range(t_low, at):
            abc[row, t] = spare[row, t]


@inner
def _is_deep(n_leaves, weight, run, first_weight):
    """Whether a subproblem that continues a run should be put off."""
    return run >= DEFERRED_RUN and n_leaves > _SMALL and weight > _SHRUNK * first_weight


@allocating
def _grown(rows):
    """The rows, with room for as many again."""
    out = np.empty((2 * rows.shape[0], rows.shape[1]), np.int32)
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            out[i, k] = rows[i, k]
    return out


@njit
def build(abc, n, deferring, budget):
    """Split all n leaves down to single ones.

    abc : int32[3, m], the columns of the triplets, reordered in place
    n : number of leaves, at least 1
    deferring : whether chains that hardly shrink are put off
    budget : of leaves and triplets looked at
    Returns, void if the budget is spent,
        leaf_up : int32[n], inner node above each leaf (-1 if it is put off)
        inner_up : int32[k], inner node above each inner node. Node 0 is the root, -1 above it, parents come first
        leaves : int32[n], the leaf order that the ranges refer to
        deferred : int32[d, 5], leaf range, triplet range and inner node of each subproblem put off
        failed : int32[2], leaf range of a subproblem that does not split, (0, 0) if none.
    """
    leaf_up = np.full(n, -1, np.int32)
    inner_up = np.empty(max(n, 2), np.int32)
    deferred = np.empty((16, 5), np.int32)
    failed = np.zeros(2, np.int32)
    splitting = Splitting(
        np.arange(n).astype(np.int32),
        abc,
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n + 1, np.int32),
        np.empty(n + 1, np.int32),
        np.empty(n, np.int32),
        np.empty_like(abc),
    )
    leaves, leaf_end, triplet_end = splitting.leaves, splitting.leaf_end, splitting.triplet_end
    # a subproblem: leaf range, triplet range, inner node, length of its run, weight where the run began
    stack = np.empty((max(n, 1), 7), np.int32)
    inner_up[0] = -1
    n_inner, top, n_deferred = 1, 1, 0
    for i in range(7):
        stack[0, i] = 0
    stack[0, 1], stack[0, 3], stack[0, 6] = n, abc.shape[1], n + abc.shape[1]
    # invariant: subproblems on the stack have disjoint ranges, each with just its own leaves and triplets
    while top > 0:
        top -= 1
        low, high, t_low, t_high = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        v, run, first_weight = stack[top, 4], stack[top, 5], stack[top, 6]
        weight = high - low + t_high - t_low
        if not spend(budget, weight):
            break
        if t_low == t_high:  # no triplet says more: all leaves are children of v
            for i in range(low, high):
                leaf_up[leaves[i]] = v
            continue
        if deferring and run >= DEFERRED_RUN:
            if _is_deep(high - low, weight, run, first_weight):
                if n_deferred == deferred.shape[0]:
                    deferred = _grown(deferred)
                for i in range(5):
                    deferred[n_deferred, i] = stack[top, i]
                n_deferred += 1
                continue
            run, first_weight = 0, weight
        k = _components(splitting, low, high, t_low, t_high)
        if k == 1:
            failed[0], failed[1] = low, high
            break
        _sort_leaves(splitting, low, high, k)
        _sort_triplets(splitting, t_low, t_high, k)
        for j in range(k):
            stop, t_stop = leaf_end[j], triplet_end[j]
            if stop - low == 1:
                leaf_up[leaves[low]] = v
            else:
                inner_up[n_inner] = v
                part = stop - low + t_stop - t_low
                goes_on = 2 * part > weight
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = low, stop, t_low, t_stop
                stack[top, 4] = n_inner
                stack[top, 5] = run + 1 if goes_on else 0
                stack[top, 6] = first_weight if goes_on else part
                n_inner += 1
                top += 1
            low, t_low = stop, t_stop
    return leaf_up, inner_up[:n_inner], leaves, deferred[:n_deferred], failed
