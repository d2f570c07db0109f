"""Passes over a parent array for linkages, cuts and drawings: branches of a cut, levels, monotone heights, positions.

``parent[u] > u`` for every node but the root, which is last and has parent -1. Each of these kernels is linear in the
number of nodes. The oracles stand in ``tests/unit``: ``test_linkage.py``, ``test_cuts.py`` and ``test_layout.py``.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import inner, njit
from tripletree.kernels.rooted_tree import by_smallest_leaf


@njit
def branch_heads(parent, split, n):
    """The branch that each leaf is in once some nodes are split, and all nodes above them with these.

    parent : int32[N]
    split : bool[N]
    n : number of leaves
    Returns head : int32[n], the highest ancestor (or the leaf) with no split node at or below it.
    """
    N = parent.shape[0]
    opened = split.copy()
    for u in range(N - 1):
        opened[parent[u]] |= opened[u]
    head = np.empty(N, np.int32)
    for u in range(N - 1, -1, -1):
        p = parent[u]
        head[u] = u if p < 0 or opened[p] else head[p]
    return head[:n].copy()


@njit
def whose_parts(parent, part):
    """Which part the leaves below each node belong to.

    parent : int32[N]
    part : int32[n], part of each leaf, -1 for none
    Returns owner : int32[N], the part, -1 if there is none, -2 if there are several.
    """
    N = parent.shape[0]
    n = part.shape[0]
    owner = np.full(N, -1, np.int32)
    for u in range(N):
        if u < n:
            owner[u] = part[u]
        p = parent[u]
        if p >= 0 and owner[u] != -1:
            owner[p] = owner[u] if owner[p] == -1 or owner[p] == owner[u] else -2
    return owner


@njit
def nearest_centres(points, centres, first, stop):
    """For each point the nearest one of a run of centres, the first of equals. Time O(points x run x d).

    points : float64[p, d]
    centres : float64[c, d]
    first, stop : int64[p], centres first..stop-1, at least one
    Returns nearest : int64[p].
    """
    nearest = np.empty(points.shape[0], np.int64)
    for i in range(points.shape[0]):
        least = np.inf
        nearest[i] = first[i]
        for j in range(first[i], stop[i]):
            distance = 0.0
            for x in range(points.shape[1]):
                distance += (points[i, x] - centres[j, x]) ** 2
            if distance < least:
                least = distance
                nearest[i] = j
    return nearest


@njit
def levels(parent):
    """Number of edges from each node down to its deepest leaf.

    parent : int32[N]
    Returns level : int32[N], 0 at the leaves.
    """
    N = parent.shape[0]
    level = np.zeros(N, np.int32)
    for u in range(N - 1):
        p = parent[u]
        level[p] = max(level[p], level[u] + 1)
    return level


@njit
def monotone_heights(parent, height, n):
    """The lowest heights that are nowhere below the given ones and nowhere above the parent's, leaves being at 0.

    parent : int32[N]
    height : float64[N]
    n : number of leaves
    Returns monotone : float64[N], 0 at the leaves.
    """
    N = parent.shape[0]
    monotone = np.zeros(N, np.float64)
    for u in range(n, N):
        monotone[u] = max(height[u], 0.0)
    for u in range(N - 1):
        p = parent[u]
        monotone[p] = max(monotone[p], monotone[u])
    return monotone


@njit
def reading_places(parent, n):
    """Place of each leaf when every node's children stand in the order of their smallest leaves.

    Leaves numbered as they were read stand in that order, whatever the numbers of the inner nodes.
    parent : int32[N]
    n : number of leaves
    Returns place : int32[n].
    """
    N = parent.shape[0]
    size = np.zeros(N, np.int32)
    for u in range(N):
        if u < n:
            size[u] = 1
        if parent[u] >= 0:
            size[parent[u]] += size[u]
    by_low = by_smallest_leaf(parent, n)
    taken = np.zeros(N, np.int32)  # leaves of the siblings before
    place = np.zeros(N, np.int32)
    for k in range(N):
        u = by_low[k]
        p = parent[u]
        if p >= 0:
            place[u] = taken[p]
            taken[p] += size[u]
    for u in range(N - 2, -1, -1):
        place[u] += place[parent[u]]
    return place[:n].copy()


@njit
def child_spans(parent, place, n):
    """Place of each node along the leaf axis: in the middle between its outermost children.

    parent : int32[N]
    place : int32[n], place of each leaf
    n : number of leaves
    Returns low, high : float64[N], the places of the first and last child (of the leaf itself, for a leaf). The node's
    own place is the mean of the two.
    """
    N = parent.shape[0]
    low = np.full(N, np.inf)
    high = np.full(N, -np.inf)
    for u in range(N):
        if u < n:
            low[u] = place[u]
            high[u] = place[u]
        p = parent[u]
        if p >= 0:
            middle = (low[u] + high[u]) / 2
            low[p] = min(low[p], middle)
            high[p] = max(high[p], middle)
    return low, high


# ----------------------------------------------------------------------
# Which branches of a hierarchy make the best flat clusters: a knapsack over the nodes that part large branches.
#
# A node is proper when at least two of its children are large. Splitting it turns one cluster into as many as it has
# large children. On the way down to the next proper node there may be others, which shed small branches only. `plan`
# writes the proper nodes down as a list of binary pieces, children first. `solve` finds for each piece and each number
# of clusters the greatest support. `trace` reads off the nodes to split. Time O(n k) for k clusters, as two pieces are
# combined for at most min(leaves, k) numbers each. Memory: the states that `plan` counts. The oracle, which tries every
# choice, stands in ``tests/cut_oracle.py``.

# columns of a plan
LEFT, RIGHT, NODE, LOW, HIGH, START, WHOLE, MERIT = 0, 1, 2, 3, 4, 5, 6, 7

ABSENT = np.int64(-1)


@njit
def subtree_sums(parent, value):
    """Sum of a value over each node and all nodes below it.

    parent : int32[N]
    value : int64[N]
    Returns total : int64[N].
    """
    N = parent.shape[0]
    total = value.copy()
    for u in range(N - 1):
        total[parent[u]] += total[u]
    return total


@inner
def _write(piece, i, left, right, room):
    """Row i of a plan, which combines two pieces (-1: none) into at most `room` clusters."""
    low, high = 0, 0
    if left >= 0:
        low += piece[left, LOW]
        high += piece[left, HIGH]
    if right >= 0:
        low += piece[right, LOW]
        high += piece[right, HIGH]
    piece[i, LEFT] = left
    piece[i, RIGHT] = right
    piece[i, NODE] = -1
    piece[i, LOW] = low
    piece[i, HIGH] = min(high, room)
    piece[i, START] = 0
    if i > 0:
        piece[i, START] = piece[i - 1, START] + piece[i - 1, HIGH] - piece[i - 1, LOW] + 1
    piece[i, WHOLE] = 0
    piece[i, MERIT] = 0


@inner
def _append(first, last, link, u, i):
    """Put piece i at the end of the list of node u."""
    if first[u] < 0:
        first[u] = i
    else:
        link[last[u]] = i
    last[u] = i


@njit
def plan(parent, large, gain, order, support, most):
    """Write down how the clusters of proper nodes combine, for at most `most` clusters in all.

    parent : int32[N]
    large : bool[N]
    gain : int64[N], large children less one at proper nodes, else 0
    order : int64[N], later ones are rather split
    support : int64[N], weight of each node as a cluster
    most : int
    Returns piece : int64[P, 8], children before parents, the root's last. P == 0 if nothing can be split. Columns:
    LEFT and RIGHT: pieces, or -1
    NODE: may be split or stay whole, or -1
    LOW and HIGH: number of clusters
    START: the first of its states
    WHOLE: its support in one piece, or of all branches of a block, which has no pieces
    MERIT: of a split
    """
    N = parent.shape[0]
    room = np.empty(N, np.int64)  # for so many clusters of the node, those above being split
    room[N - 1] = most
    count = 0
    for u in range(N - 1, -1, -1):
        if parent[u] >= 0:
            room[u] = room[parent[u]] - gain[parent[u]]
        if gain[u] > 0 and room[u] > gain[u]:
            count += 1
    piece = np.empty((3 * count, 8), np.int64)
    here = np.full(N, -1, np.int64)  # the piece of the branch below the node
    first = np.full(N, -1, np.int64)  # the pieces of its children are first, link[first], ..., last
    last = np.full(N, -1, np.int64)
    link = np.full(3 * count, -1, np.int64)
    ends = np.zeros((N, 2), np.int64)  # children without a piece: their number and support
    i = np.int64(0)
    for u in range(N):
        if gain[u] > 0 and room[u] > gain[u]:
            if ends[u, 0] > 0:
                _write(piece, i, ABSENT, ABSENT, room[u])
                piece[i, LOW] = ends[u, 0]
                piece[i, HIGH] = ends[u, 0]
                piece[i, WHOLE] = ends[u, 1]
                _append(first, last, link, u, i)
                i += 1
            # two at a time, the outcome to the end of the list: few states for a node of many children
            x = first[u]
            while link[x] >= 0 and link[link[x]] >= 0:
                _write(piece, i, x, link[x], room[u])
                x = link[link[x]]
                _append(first, last, link, u, i)
                i += 1
            _write(piece, i, x, link[x], room[u])
            piece[i, LOW] = 1
            piece[i, NODE] = u
            piece[i, MERIT] = gain[u] * order[u]
            here[u] = i
            i += 1
        p = parent[u]
        if here[u] >= 0:
            piece[here[u], WHOLE] = support[u]
        if p >= 0 and large[u]:
            if gain[p] == 0:
                here[p] = here[u]
            elif here[u] >= 0:
                _append(first, last, link, np.int64(p), here[u])
            else:
                ends[p, 0] += 1
                ends[p, 1] += support[u]
    return piece[:i].copy()


@njit
def solve(piece, n_states):
    """The greatest support of each piece for each number of clusters, and of equal ones the greatest merit.

    piece : int64[P, 8], from `plan`
    n_states : the number of states of all pieces
    Returns best : int64[n_states, 2], support (-1 if the number cannot be reached) and merit.
    """
    best = np.empty((n_states, 2), np.int64)
    for s in range(n_states):
        best[s, 0] = -1
        best[s, 1] = 0
    for i in range(piece.shape[0]):
        left, right, high, merit = piece[i, LEFT], piece[i, RIGHT], piece[i, HIGH], piece[i, MERIT]
        if left < 0 or piece[i, NODE] >= 0:
            best[piece[i, START], 0] = piece[i, WHOLE]
        if left < 0:
            continue
        at = piece[i, START] - piece[i, LOW]  # plus the number of clusters: the state
        left_at = piece[left, START] - piece[left, LOW]
        low, top, right_at = 0, 0, 0
        if right >= 0:
            low, top, right_at = piece[right, LOW], piece[right, HIGH], piece[right, START] - piece[right, LOW]
        for x in range(piece[left, LOW], piece[left, HIGH] + 1):
            support, sum_ = best[left_at + x, 0], best[left_at + x, 1] + merit
            if support < 0:
                continue
            for y in range(low, min(top, high - x) + 1):
                more, much = support, sum_
                if right >= 0:
                    if best[right_at + y, 0] < 0:
                        continue
                    more += best[right_at + y, 0]
                    much += best[right_at + y, 1]
                s = at + x + y
                if more > best[s, 0] or (more == best[s, 0] and much > best[s, 1]):
                    best[s, 0] = more
                    best[s, 1] = much
    return best


@njit
def trace(piece, best, k, N):
    """The nodes to split for k clusters of the greatest support.

    piece : int64[P, 8]
    best : int64[n_states, 2], from `solve`
    k : a number that can be reached
    N : number of nodes
    Returns split : bool[N].
    """
    split = np.zeros(N, np.bool_)
    todo = np.empty((piece.shape[0] + 1, 2), np.int64)
    todo[0, 0] = piece.shape[0] - 1
    todo[0, 1] = k
    left_over = 1
    while left_over > 0:
        left_over -= 1
        i, j = todo[left_over, 0], todo[left_over, 1]
        left, right = piece[i, LEFT], piece[i, RIGHT]
        if left < 0 or (piece[i, NODE] >= 0 and j == 1):
            continue
        if piece[i, NODE] >= 0:
            split[piece[i, NODE]] = True
        if right < 0:
            continue  # all children are ends
        s = piece[i, START] - piece[i, LOW] + j
        left_at, right_at = piece[left, START] - piece[left, LOW], piece[right, START] - piece[right, LOW]
        low = max(piece[left, LOW], j - piece[right, HIGH])
        for x in range(low, min(piece[left, HIGH], j - piece[right, LOW]) + 1):
            a, b = left_at + x, right_at + j - x
            support = best[a, 0] + best[b, 0]
            merit = best[a, 1] + best[b, 1] + piece[i, MERIT]
            if best[a, 0] >= 0 and best[b, 0] >= 0 and support == best[s, 0] and merit == best[s, 1]:
                todo[left_over, 0] = left
                todo[left_over, 1] = x
                todo[left_over + 1, 0] = right
                todo[left_over + 1, 1] = j - x
                left_over += 2
                break
    return split
