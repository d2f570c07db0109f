"""Orders of the leaves of two trees, face to face, so that few lines between equal leaves cross.

Two leaves meet at a node u of one tree and at a node v of the other. The crossing of their lines depends only on
the turns of u and v. With x and y the turns of the inner nodes (+1 or -1), binary trees have

    crossings = sum over u, v of (N[u, v] - W[u, v] x[u] y[v]) / 2

for N the numbers of such pairs of leaves, and W those in the same order on both sides less those in opposite orders
(Nöllenburg, Völker, Wolff, Holten 2009, Drawing binary tanglegrams: an experimental evaluation, ALENEX, 106-119). With
one side fixed the best turns of the other are the signs of W y (Fernau, Kaufmann, Poths 2010, Comparing trees via
crossing minimization, Journal of Computer and System Sciences 76(7), 593-608). Both together are NP-hard.

The starts are a spanning forest of the largest |W|, with turns that agree with each of its entries, and turns at
random with a fixed seed. From each the sides take turns. Then single nodes are turned, each with the best answer of
the whole other side, while that gains. If binary trees can be drawn without a crossing, all entries of W agree, and
the forest finds such a drawing.

Nodes with more than two children have more orders than turns. There a PQ-tree gathers as many clades of the other side
as it can, the smallest first. If the trees can be drawn without a crossing it gathers all and finds such a drawing.
For the search such nodes are resolved into binary ones along the order of their children. In between their children
are sorted again by the mean position of their leaves. Beyond MOST tips the sides only take turns, but trees whose
clades all go together in one tree are drawn by the order of that.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.plots.consecutive import PQTree
from tripletree.plots.layout import CollapsedTree

TURNS = 12  # most turns of either side
MOST = 1_200  # tips beyond which a table of pairs of nodes takes too long
STARTS, WORK = 200, 3e8  # starts at random, fewer if the tables are large: entries of W that they may take in all
SHAKEN = 0.1  # share of the nodes that every second start turns in the best that was found
RESOLVED = 4  # how often nodes with more than two children are resolved along a new order


def count_crossings(places: np.ndarray) -> int:
    """Count the crossings: inversions of a sequence of distinct numbers, O(n log n)."""
    places = np.asarray(places)
    rank = np.argsort(np.argsort(places))
    total, width, n = 0, 1, rank.size
    while width < n:  # bottom-up merge sort. One search serves all blocks of a width
        block = np.arange(n) // (2 * width)
        right = (np.arange(n) // width) % 2 == 1
        key = rank + block * n
        ordered = np.sort(key[~right])
        number = np.bincount(block[~right], minlength=block[-1] + 1 if n else 0)
        stop = np.cumsum(number)[block[right]]
        total += int((stop - np.searchsorted(ordered, key[right])).sum())
        rank = np.sort(key) - block * n
        width *= 2
    return total


def find_reading_order(drawn: CollapsedTree) -> np.ndarray:
    """Return the tips as in a dendrogram: depth first, children by their smallest leaves."""
    return np.argsort(engine.cut.reading_places(freeze(drawn.parent), drawn.size.size))


def find_best_order(drawn: CollapsedTree, place: np.ndarray) -> np.ndarray:
    """The order of tips with the fewest crossings if the other side is fixed (optimal for nodes with two children).

    place : float64[T], the position of each tip's partner, all distinct
    Returns order : int64[T].
    """
    parent, T = drawn.parent.tolist(), drawn.size.size
    total = np.zeros(len(parent))
    number = np.zeros(len(parent))
    total[:T], number[:T] = place, 1
    kids: list[list[int]] = [[] for _ in parent]
    below: list[list[float]] = [[x] for x in place.tolist()] + [[] for _ in parent[T:]]
    for u, p in enumerate(parent):
        if u >= T:
            kids[u].sort(key=lambda v: total[v] / number[v])
            if len(kids[u]) == 2:
                left, right = (below[v] for v in kids[u])
                small, large = (left, right) if len(left) < len(right) else (right, left)
                before = sum(
                    bisect_left(large, x) for x in small
                )  # pairs in which the leaf of the larger child comes first
                after = len(left) * len(right) - before
                if (before > after) == (small is left) and before != after:
                    kids[u].reverse()
            largest = max(kids[u], key=lambda v: len(below[v]))
            merged = below[largest]
            for v in kids[u]:
                if v != largest:
                    for x in below[v]:
                        insort(merged, x)
                    below[v] = []
            below[u] = merged
        if p >= 0:
            total[p] += total[u]
            number[p] += number[u]
            kids[p].append(u)
    order, stack = [], [len(parent) - 1]
    while stack:
        u = stack.pop()
        if u < T:
            order.append(u)
        else:
            stack += kids[u][::-1]
    return np.array(order)


def untangle_orders(one: CollapsedTree, two: CollapsedTree, partner: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Orders of the tips of both sides, and the number of crossings: the best that was found, the same each time.

    partner : int64[T], the tip of `two` that each tip of `one` is joined with, each once
    """
    read = find_reading_order(one), find_reading_order(two)
    best = _Orders(*read, _crossings(*read, partner))
    for start in (best, best._replace(first=find_best_order(one, _places(read[1])[partner].astype(float)))):
        best = min(best, _take_turns(one, two, partner, start), key=lambda x: x.crossed)
    if best.crossed and partner.size > MOST:
        order = _common_order(one, two, partner)
        return best if order is None else (order, partner[order], 0)
    if 3 <= partner.size <= MOST:
        several = any((np.bincount(tree.parent[:-1])[tree.size.size :] > 2).any() for tree in (one, two))
        if several and best.crossed:
            first = _gather_clades(one, two, np.argsort(partner))
            second = _gather_clades(two, one, partner)
            for side in (first, find_best_order(one, _places(second)[partner].astype(float))):
                start = _Orders(side, read[1], _crossings(side, read[1], partner))
                best = min(best, _take_turns(one, two, partner, start), key=lambda x: x.crossed)
        for seed in range(RESOLVED if several else 1):
            if best.crossed == 0:
                break
            before = best.crossed
            turned = _turn_nodes(one, two, partner, best, np.random.default_rng(seed))
            best = min(best, turned, _take_turns(one, two, partner, turned), key=lambda x: x.crossed)
            if best.crossed == before and seed:
                break
    return best


def _common_order(one: CollapsedTree, two: CollapsedTree, partner: np.ndarray) -> np.ndarray | None:
    """Return an order of the tips of `one` from a tree in which all clades of both sides are clades, or None."""
    tips = Hierarchy(one.parent).leaves
    back = np.argsort(partner)
    trees = (Hierarchy(one.parent), Hierarchy(two.parent, back.tolist()).reindex(tips))
    both = decompose(trees[0]) | decompose(trees[1])
    return one_tree(both).leaf_intervals[2].astype(np.int64) if is_consistent(both) else None


class _Orders(NamedTuple):
    """Orders of the tips of both sides, and their crossings."""

    first: np.ndarray
    second: np.ndarray
    crossed: int


def _places(order: np.ndarray) -> np.ndarray:
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return place


def _crossings(first: np.ndarray, second: np.ndarray, partner: np.ndarray) -> int:
    return count_crossings(_places(second)[partner[first]])


def _take_turns(one: CollapsedTree, two: CollapsedTree, partner: np.ndarray, start: _Orders) -> _Orders:
    """Give each side in turn its best order, as long as that gains."""
    back = np.argsort(partner)
    best = start
    for _ in range(TURNS):
        second = find_best_order(two, _places(best.first)[back].astype(float))
        first = find_best_order(one, _places(second)[partner].astype(float))
        found = _crossings(first, second, partner)
        if found >= best.crossed:
            break
        best = _Orders(first, second, found)
    return best


def _gather_clades(one: CollapsedTree, two: CollapsedTree, partner: np.ndarray) -> np.ndarray:
    """Return an order of the tips of `one` in which as many clades of `two` as possible are consecutive.

    partner : int64[T], the tip of `one` for each of `two`
    """
    clades: list[list[int]] = [[x] for x in partner.tolist()] + [[] for _ in two.parent[partner.size :]]
    for u, p in enumerate(two.parent.tolist()):
        if p >= 0:
            clades[p] += clades[u]
    orders = PQTree(one)
    for clade in sorted(clades[partner.size : -1], key=len):
        orders.gather(clade)
    return orders.order()


# ---------------------------------------------------------------------- both sides at once


def _turn_nodes(
    one: CollapsedTree, two: CollapsedTree, partner: np.ndarray, start: _Orders, rng: np.random.Generator
) -> _Orders:
    """Search for the turns of both sides' nodes. Nodes with more than two children keep the order of their children."""
    left, right = _Resolved(one, start.first), _Resolved(two, start.second)
    W = _count_meetings(left, right, partner)
    y = _best_turns(W, rng)
    first, second = left.turned(np.where(W @ y < 0, -1, 1)), right.turned(y)
    return _Orders(first, second, _crossings(first, second, partner))


class _Resolved:
    """A tree in one order of its tips, each node with more than two children resolved into binary ones.

    order : int64[T], the tips; start, middle, stop : places in it, of the two parts of each binary node, the root first
    """

    def __init__(self, drawn: CollapsedTree, order: np.ndarray) -> None:
        self.order = order
        T = order.size
        low, high = np.full(drawn.parent.size, T), np.zeros(drawn.parent.size, np.int64)
        low[order], high[order] = np.arange(T), np.arange(1, T + 1)
        kids: list[list[int]] = [[] for _ in drawn.parent]
        for u, p in enumerate(drawn.parent.tolist()):
            if p >= 0:
                low[p], high[p] = min(low[p], low[u]), max(high[p], high[u])
                kids[p].append(u)
        parts = []
        for u in range(drawn.parent.size - 1, T - 1, -1):
            ends = sorted({int(low[v]) for v in kids[u]} | {int(high[u])})
            stack = [(0, len(ends) - 1)]
            while stack:
                a, b = stack.pop()
                if b - a < 2:
                    continue
                m = (a + b) // 2
                parts.append((ends[a], ends[m], ends[b]))
                stack += [(a, m), (m, b)]
        parts.sort(key=lambda x: x[0] - x[2])
        self.start, self.middle, self.stop = np.array(parts, np.int64).reshape(-1, 3).T

    def meetings(self) -> np.ndarray:
        """Return the binary node at which the tips at two places meet: int32[T, T], -1 for one and the same."""
        T = self.order.size
        at = np.full((T, T), -1, np.int32)
        for k, (a, m, b) in enumerate(zip(self.start, self.middle, self.stop, strict=True)):
            at[a:m, m:b] = at[m:b, a:m] = k
        return at

    def turned(self, turn: np.ndarray) -> np.ndarray:
        """Return the tips after the parts of all nodes with turn -1 have changed places."""
        order = self.order
        for k in np.flatnonzero(turn < 0)[::-1].tolist():  # the smallest first: the places of parts stay
            a, m, b = self.start[k], self.middle[k], self.stop[k]
            order = np.concatenate([order[:a], order[m:b], order[a:m], order[b:]])
        return order


def _count_meetings(left: _Resolved, right: _Resolved, partner: np.ndarray) -> np.ndarray:
    """Return W: pairs of tips that meet at u and v, in the same order less in opposite ones: float64[U, V]."""
    at = _places(right.order)[partner[left.order]]  # the place on the right of the leaf at each place on the left
    i, j = np.triu_indices(at.size, 1)
    u, v = left.meetings()[i, j], right.meetings()[at[i], at[j]]
    U, V = left.start.size, right.start.size
    sign = np.where(at[i] < at[j], 1.0, -1.0)
    return np.bincount(u.astype(np.int64) * V + v, sign, U * V).reshape(U, V)


def _best_turns(W: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turns of the right side that leave fewest crossings, if the left side answers with its best.

    From no turns, the turns of the spanning forest, then in turn from random ones and from the best with some nodes
    turned.
    """
    V = W.shape[1]
    best, most = np.ones(V), -1.0
    for k in range(2 + int(min(STARTS, WORK / W.size / V))):
        if k < 2:
            start = np.ones(V) if k == 0 else _agree(W)
        elif k % 2:
            start = rng.choice([-1.0, 1.0], V)
        else:
            start = np.where(rng.random(V) < SHAKEN, -best, best)
        found = _climb(W, start)
        held = float(np.abs(W @ found).sum())
        if held > most:
            best, most = found, held
        if most == np.abs(W).sum():
            break
    return best


def _agree(W: np.ndarray) -> np.ndarray:
    """Turns of the right side that agree with each entry of a spanning forest of the largest |W|."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    U, V = W.shape
    u, v = np.nonzero(W)
    size = np.abs(W[u, v])
    forest = minimum_spanning_tree(coo_array((size.max(initial=0.0) + 1 - size, (u, U + v)), (U + V, U + V)))
    turn = np.zeros(U + V)
    for root in range(U + V):
        if turn[root]:
            continue
        turn[root] = 1.0
        order, before = breadth_first_order(forest, root, directed=False)
        for node in order[1:].tolist():
            a, b = sorted((node, int(before[node])))
            turn[node] = turn[before[node]] * np.sign(W[a, b - U])
    return turn[U:]


def _climb(W: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Turn single nodes of the right side, each answered by the best turns of the whole left side, while that gains."""
    for _ in range(TURNS):  # the sides take turns
        x = np.where(W @ y < 0, -1.0, 1.0)
        better = np.where(x @ W < 0, -1.0, 1.0)
        if np.abs(W @ better).sum() <= np.abs(W @ y).sum():
            break
        y = better
    sums = W @ y
    while True:
        gain = np.abs(sums[:, None] - 2 * W * y).sum(axis=0) - np.abs(sums).sum()
        k = int(gain.argmax())
        if gain[k] < 0.5:  # whole numbers
            return y
        sums = sums - 2 * W[:, k] * y[k]
        y = y.copy()
        y[k] = -y[k]
