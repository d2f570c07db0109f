"""Two hierarchies face to face, without matplotlib: what is drawn of both, in which order, and what joins them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.hierarchy import Hierarchy
from tripletree.plots._crossings import crossings, reading_order, untangled
from tripletree.plots._flows import gathered
from tripletree.plots._layout import Layout, layout
from tripletree.plots._sketch import Sketch, sketch

__all__ = ["Pair", "gathered_pair", "paired"]


class Pair(NamedTuple):
    """Both sides, what joins them, and where they differ."""

    sides: tuple[Sketch, Sketch]
    places: tuple[Layout, Layout]
    partner: np.ndarray
    shared: tuple[np.ndarray, np.ndarray]
    crossed: int


def _shared(one: Hierarchy, two: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes have clades that the other hierarchy has, too: bool[N] for each of the two."""
    start, stop, order = one.leaf_intervals
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    first, last, leaf = two.leaf_intervals
    at = place[leaf]
    size = last - first
    padded = np.append(at, at[-1:])
    ends = np.stack([first, last], axis=1).ravel()
    low, high = np.minimum.reduceat(padded, ends)[::2], np.maximum.reduceat(padded, ends)[::2]
    whole = high - low + 1 == size
    key_one = start.astype(np.int64) * (order.size + 1) + stop
    key_two = low * (order.size + 1) + high + 1
    in_one = np.isin(key_one, key_two[whole])
    in_two = whole & np.isin(key_two, key_one)
    return in_one, in_two


def paired(one: Hierarchy, two: Hierarchy, fold: bool, untangle: bool, heights: str) -> Pair:
    """Both hierarchies as they are drawn, their tips joined and ordered."""
    shared = _shared(one, two)
    trees = (one, two)
    if fold:  # a clade is folded where both have it, and all clades inside it as well
        closed = []
        for tree, has in zip(trees, shared, strict=True):
            same = has.copy()
            for u, p in enumerate(tree.parent[:-1].tolist()):
                same[p] &= same[u]
            closed.append(np.flatnonzero(same[tree.n_leaves : -1]) + tree.n_leaves)
        sides = (sketch(one, None, closed=closed[0].tolist()), sketch(two, None, closed=closed[1].tolist()))
    else:
        sides = (sketch(one, None), sketch(two, None))
    n, T = one.n_leaves, sides[0].size.size
    partner = np.empty(T, np.int64)
    partner[sides[0].shown[:n]] = sides[1].shown[:n]
    if untangle:
        first, second, crossed = untangled(*sides, partner)
    else:
        first, second = reading_order(sides[0]), reading_order(sides[1])
        crossed = crossings(np.argsort(second)[partner[first]])
    places = (layout(sides[0], heights, order=first), layout(sides[1], heights, order=second))
    on_nodes = tuple(has[side.node] for has, side in zip(shared, sides, strict=True))
    return Pair(sides, places, partner, on_nodes, crossed)


def gathered_pair(pair: Pair, heights: str, tips: int) -> Pair:
    """The same with few tips on each side."""
    both = [gathered(side, place.order, heights, tips) for side, place in zip(pair.sides, pair.places, strict=True)]
    shared = _shared(pair.sides[0].tree, pair.sides[1].tree)
    (one, first), (two, second) = both
    on_nodes = (shared[0][one.node] & (one.node >= 0), shared[1][two.node] & (two.node >= 0))
    return pair._replace(sides=(one, two), places=(first, second), shared=on_nodes)
