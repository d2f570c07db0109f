"""Arithmetic on parent arrays that `Hierarchy`, `Ontology` and `induce` share."""

from __future__ import annotations

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze
from tripletree.core.checks import counted
from tripletree.core.notes import note


def restricted(
    parent: np.ndarray, n: int, kept: np.ndarray, keep_unary: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Restrict a tree to the leaves `kept`: return its parents, and the old number of each node, also as a mask."""
    keep_leaf = np.zeros(n, np.bool_)
    keep_leaf[kept] = True
    keep, up = engine.rooted_tree.kept_nodes(parent, freeze(keep_leaf), keep_unary)
    old = np.concatenate([kept, np.flatnonzero(keep[n:]) + n]).astype(np.int32)
    number = np.full(parent.size + 1, -1, np.int32)  # the last entry serves parent -1
    number[old] = np.arange(old.size, dtype=np.int32)
    return freeze(number[up[old]]), old, freeze(keep)


def sibling_pairs(parent: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """For each node x but the root, count the pairs of leaves a below x, b below a later sibling of x: int64.

    `start` and `stop` are the clades in a depth-first order of the leaves. So each pair of leaves is counted once, at
    one of the two children of their lowest common ancestor.
    """
    start, stop = start.astype(np.int64), stop.astype(np.int64)
    return (stop[:-1] - start[:-1]) * (stop[parent[:-1]] - stop[:-1])


def exact_dot(pairs: np.ndarray, outside: np.ndarray) -> int:
    """Return the exact dot product of two arrays of int64, which may exceed 64 bits."""
    low, high = int(np.dot(pairs, outside & 0xFFFF)), int(np.dot(pairs, outside >> 16))
    return low + (high << 16)


def displayed_count(parent: np.ndarray, n: int) -> int:
    """Count the triplets that a tree of n leaves displays."""
    start, stop, _ = engine.rooted_tree.leaf_intervals(parent, n)
    up = parent[:-1]
    return exact_dot(sibling_pairs(parent, start, stop), n - (stop[up] - start[up]).astype(np.int64))


def scrambled(x: np.ndarray) -> np.ndarray:
    """Hash uint64 elementwise by one step of splitmix64 (Steele, Lea, Flood 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def tops_alone(up: np.ndarray, *, told: np.ndarray | None = None) -> np.ndarray:
    """Tell which nodes have neither a parent nor children beside others that have: nothing tells their place. bool[N].

    Parameters
    ----------
    up : ndarray of int, shape (N,)
        The position of a parent of each node, -1 if it has no parent.
    told : ndarray of int, optional
        Nodes to leave out, as the caller tells of them: nodes with a child whose other parent is in `up`, too.
    """
    alone = (up < 0) & bool((up >= 0).any())
    alone[up[up >= 0]] = False
    if told is not None:
        alone[told] = False
    if alone.any():
        note("without a parent", f"{counted(int(alone.sum()), 'item')} without a parent or children, open therefore")
    return alone
