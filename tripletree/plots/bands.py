"""Bands between collapsed subtrees, as thick as the number of leaves they share, in place of many single lines."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree.plots.layout import CollapsedTree, Layout, collapse_tree, compute_layout


class Bands(NamedTuple):
    """B bands between the tips of two collapsed trees.

    first, second : int64[B], the tips that a band joins
    left, right : float64[B], where it starts along either leaf axis
    size : int64[B], its number of leaves, which is its thickness
    """

    first: np.ndarray
    second: np.ndarray
    left: np.ndarray
    right: np.ndarray
    size: np.ndarray


def collapse_in_order(side: CollapsedTree, order: np.ndarray, heights: str, most: int) -> tuple[CollapsedTree, Layout]:
    """Collapse a hierarchy further, to `most` tips as wide as their leaves, keeping the order of the finer tree.

    order : int64[T], the tips of the finer tree along their axis
    """
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    n = side.tree.n_leaves
    coarse = collapse_tree(side.tree, most)
    first = np.full(coarse.size.size, order.size)
    np.minimum.at(first, coarse.shown[:n], place[side.shown[:n]])
    key = np.lexsort((np.arange(first.size), first))
    return coarse, compute_layout(coarse, heights, spacing="size", order=key)


def find_bands(sides: tuple[CollapsedTree, CollapsedTree], places: tuple[Layout, Layout]) -> Bands:
    """Find the bands. At each tip they are ordered by their other ends, so that they do not cross there."""
    n = sides[0].tree.n_leaves
    tips = [side.shown[:n] for side in sides]
    width = sides[1].size.size
    key, size = np.unique(tips[0] * width + tips[1], return_counts=True)
    ends = key // width, key % width
    starts = []
    for k in (0, 1):
        own, other = ends[k], ends[1 - k]
        order = np.lexsort((places[1 - k].along[other], places[k].along[own]))
        before = np.cumsum(size[order]) - size[order]
        at = np.empty(order.size)
        at[order] = before - 0.5  # tips follow each other in this order, without gaps
        starts.append(at)
    return Bands(ends[0], ends[1], starts[0], starts[1], size)


def band_outline(x: np.ndarray, left: float, right: float, size: float) -> np.ndarray:
    """Return the outline of a band along `x`, horizontal at both ends. `size` is its thickness."""
    s = (x - x[0]) / (x[-1] - x[0])
    low = left + s * s * (3 - 2 * s) * (right - left)
    return np.concatenate([np.stack([x, low], 1), np.stack([x, low + size], 1)[::-1]])


def find_band_classes(
    codes: np.ndarray, found: Bands, sides: tuple[CollapsedTree, CollapsedTree], pure: float
) -> np.ndarray:
    """Return the class of each band, as `find_majority_class` returns it."""
    n, width = sides[0].tree.n_leaves, sides[1].size.size
    key = sides[0].shown[:n] * width + sides[1].shown[:n]
    which = np.searchsorted(found.first * width + found.second, key)
    counts = np.zeros((found.size.size, int(codes.max(initial=-1)) + 2), np.int64)
    np.add.at(counts, (which, codes + 1), 1)
    return find_majority_class(counts[:, 1:], found.size, pure)


def find_majority_class(counts: np.ndarray, size: np.ndarray, pure: float) -> np.ndarray:
    """The class of at least a share `pure` of the leaves. -2 where no class reaches it, -1 if no leaf has a class.

    counts : int64[T, k], leaves of each class; size : int64[T], all leaves
    """
    if counts.shape[1] == 0:
        return np.full(size.size, -1)
    best: Any = counts.argmax(axis=1)
    most = counts.max(axis=1)
    return np.where(most == 0, -1, np.where(most >= pure * size - 1e-9, best, -2))
