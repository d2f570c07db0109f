"""Leaf orders of two hierarchies side by side, so that the lines between equal leaves cross little.

With the one order fixed the best one of the other hierarchy falls into a question for each node: turning the two
children of a node changes only the crossings between the leaves of the one and of the other (Fernau, Kaufmann, Poths
2010, Comparing trees via crossing minimization, Journal of Computer and System Sciences 76(7), 593-608). Children are
sorted by the mean place of their leaves first, which is all that is done where there are more than two of them. The two
sides take turns until nothing is gained: the best pair of orders is hard to find.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.plots._sketch import Sketch

__all__ = ["best_order", "crossings", "reading_order", "untangled"]

ROUNDS = 12


def crossings(places: np.ndarray) -> int:
    """How many pairs stand in another order: inversions of a sequence of different numbers, O(n log n)."""
    places = np.asarray(places)
    rank = np.argsort(np.argsort(places))
    total, width, n = 0, 1, rank.size
    while width < n:  # merge sort from the bottom, one search for all blocks of a width
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


def best_order(drawn: Sketch, place: np.ndarray) -> np.ndarray:
    """The tips in the order with the fewest crossings (for nodes with two children), if the others stand fixed.

    place : float64[T], where the partner of each tip stands, all different
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
                before = sum(bisect_left(large, x) for x in small)  # pairs with the one of the large first
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


def untangled(one: Sketch, two: Sketch, partner: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Orders of the tips of both, and how many lines cross.

    partner : int64[T], the tip of `two` that each tip of `one` is joined with, each once
    """
    back = np.argsort(partner)
    read = reading_order(one), reading_order(two)
    best = *read, _count(*read, partner)
    for begin in (False, True):
        first, second = read
        found = best[2] + 1
        for _ in range(ROUNDS):
            before = found
            if begin:
                first = best_order(one, _places(second)[partner].astype(float))
            second = best_order(two, _places(first)[back].astype(float))
            first = best_order(one, _places(second)[partner].astype(float))
            found = _count(first, second, partner)
            if found < best[2]:
                best = first, second, found
            if found >= before:
                break
    return best


def reading_order(drawn: Sketch) -> np.ndarray:
    """The tips as a dendrogram has them: depth first, children by their smallest leaves."""
    return np.argsort(_kernels.cuts.reading_places(freeze(drawn.parent), drawn.size.size))


def _places(order: np.ndarray) -> np.ndarray:
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return place


def _count(first: np.ndarray, second: np.ndarray, partner: np.ndarray) -> int:
    return crossings(_places(second)[partner[first]])
