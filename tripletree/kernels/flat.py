"""Flat clusters and triplets: the search for clusters that break none (min-conflicts).

A cluster assignment breaks ab|c where a, b are in two clusters and c is in one of these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import njit


class ListedTriplets(NamedTuple):
    """The triplets, and the list of triplets of each leaf. All arrays are read-only."""

    rows: np.ndarray  #: int32[m, 3]
    start: np.ndarray  #: int32[n + 1]: the triplets of leaf x are member[start[x]:start[x + 1]]
    member: np.ndarray  #: int32[3 m]


class LeafCosts(NamedTuple):
    """The cost of a leaf in a cluster: the cost of its place, and `away` off its first cluster."""

    place: np.ndarray  #: float64[n, k], read-only, or float64[n, 0], where places cost nothing
    away: float


class Breakout(NamedTuple):
    """How the search goes."""

    price: float  #: the first weight of each triplet, and by how much it grows
    tabu: int  #: for how many moves a leaf that has moved stays where it is
    max_steps: int


@njit
def min_conflicts(label, size, triplets, costs, search):
    """Move single leaves between clusters until no triplet is broken.

    Broken triplets are taken in turn. One of its three leaves moves to one cluster: the choice for which the weights
    of all triplets that the leaf then breaks and the cost of its place grow least. The weight of the triplet itself
    grows with each turn, so that no state is a trap (breakout).

    label : int32[n], clusters 0..k-1, changed
    size : int32[k], leaves in each, changed: none becomes empty
    triplets : ListedTriplets
    costs : LeafCosts
    search : Breakout
    Returns whether no triplet is broken : bool.
    """
    rows, start, member = triplets
    place, away = costs
    price, tabu, max_steps = search
    m = rows.shape[0]
    n = place.shape[0]
    k = size.shape[0]
    weight = np.full(m, price)
    home = label.copy()
    last_move = np.full(n, -tabu - 1, np.int64)
    cost = np.empty(k)
    moves = 0
    turn = 0
    intact = 0  # triplets in a row that are not broken
    while intact < m and moves < max_steps:
        t = turn % m
        turn += 1
        la, lb, lc = label[rows[t, 0]], label[rows[t, 1]], label[rows[t, 2]]
        if la == lb or (la != lc and lb != lc):
            intact += 1
            continue
        intact = 0
        best, leaf, goal = np.inf, -1, -1
        for s in range(3):
            x = rows[t, s]
            mine = label[x]
            if moves - last_move[x] <= tabu or size[mine] <= 1:
                continue
            for j in range(k):
                cost[j] = away + place[x, j] if place.shape[1] > 0 else away
            cost[home[x]] -= away
            for e in range(start[x], start[x + 1]):
                r = member[e]
                a, b, c = rows[r, 0], rows[r, 1], rows[r, 2]
                if x == c:
                    if label[a] != label[b]:
                        cost[label[a]] += weight[r]
                        cost[label[b]] += weight[r]
                    continue
                mate = label[b] if x == a else label[a]
                if mate != label[c]:
                    cost[label[c]] += weight[r]
                else:  # broken everywhere but there
                    cost[mate] -= weight[r]
            for j in range(k):
                if j != mine and cost[j] - cost[mine] < best:
                    best, leaf, goal = cost[j] - cost[mine], x, j
        weight[t] += price
        moves += 1
        if leaf >= 0:
            size[label[leaf]] -= 1
            size[goal] += 1
            label[leaf] = goal
            last_move[leaf] = moves
    return intact >= m
