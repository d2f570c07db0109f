"""The arrays that the ReCon kernels work on, and the loop around them that hears interrupts and shows progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.hierarchy import Hierarchy
from tripletree.split import split_down

__all__ = ["aho_state", "merge_condensed", "merge_points"]

_CHUNK = 2_000  # merges between two looks at the interrupt


def merge_points(
    samples: np.ndarray, rows: np.ndarray, linkage: str, progress: Callable[[int], Any] | None = None
) -> tuple[np.ndarray, dict[str, int]]:
    """Merge samples under triplets by a linkage on centres (centroid, median, ward); no matrix of distances.

    Parameters
    ----------
    samples : ndarray of float32 or float64, shape (n, d)
    rows : ndarray of int32, shape (m, 3)
        Consistent triplets on row numbers.
    linkage : {"centroid", "median", "ward"}
    progress : callable, optional
        Called with the number of merges done since its last call.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights.
    counts : dict
        Numbers of tests, rejections and scans.
    """
    # dimensions of large spread first: sums over the first few tell most pairs apart
    order = np.argsort(-samples.var(axis=0), kind="stable")
    points = np.ascontiguousarray(samples.T[order])
    return _merged(points, np.empty(0, points.dtype), samples.shape[0], rows, linkage, True, progress)


def merge_condensed(
    condensed: np.ndarray, n: int, rows: np.ndarray, linkage: str, progress: Callable[[int], Any] | None = None
) -> tuple[np.ndarray, dict[str, int]]:
    """Merge n samples by their condensed distances (average, weighted, complete, single), which are overwritten."""
    return _merged(np.empty((0, n), condensed.dtype), condensed, n, rows, linkage, False, progress)


def _merged(
    points: np.ndarray,
    table: np.ndarray,
    n: int,
    rows: np.ndarray,
    linkage: str,
    squared: bool,
    progress: Callable[[int], Any] | None,
) -> tuple[np.ndarray, dict[str, int]]:
    nearest, recon = _kernels.nearest, _kernels.recon
    kind = nearest.LINKAGES.index(linkage)
    aho, row, named = aho_state(rows, n)
    words = (n + 63) // 64
    bits = np.zeros((named, words), np.uint64)
    held = np.zeros((3, n), np.int64)
    room = 4 * n + 1024 if named else 2 * n + 1
    rejected: tuple = (
        bits,
        np.zeros(words, np.uint64),
        row,
        np.empty((3, room), np.int64),
        np.empty(2 * room, np.int64),
        held,
    )
    blocks = (n + nearest.BLOCK - 1) // nearest.BLOCK
    near_state = (
        np.ones(n, points.dtype),
        np.empty(n, points.dtype),
        np.empty(blocks, points.dtype),
        np.empty((2, n), np.int64),
    )
    weight, bound, least, near = near_state
    out = np.empty(nearest.BLOCK, points.dtype)
    side = np.empty((2, n), np.int64)
    merges = np.empty((n - 1, 3))
    count = np.zeros(6, np.int64)
    count[1] = n
    recon.start(points, table, weight, kind, bound, least, near, bits, row, out)
    done, ended = 0, n == 1
    while not ended:
        scratch = out, side, np.empty(rejected[3].shape[1], np.int64)
        ended = recon.agglomerate(points, table, kind, near_state, aho, rejected, scratch, merges, count, _CHUNK)
        if progress is not None:
            progress(int(count[0]) - done)
        done = int(count[0])
        if rejected[3].shape[1] <= count[2] + 2 * n and not ended:
            rejected = (*rejected[:3], _doubled(rejected[3]), _doubled(rejected[4]), held)
    return recon.as_linkage(merges, squared), {
        "tests": int(count[3]),
        "rejections": int(count[4]),
        "scans": int(count[5]),
    }


def aho_state(rows: np.ndarray, n: int) -> tuple[tuple, np.ndarray, int]:
    """The Aho tree of consistent triplets; the row of bits of each slot that they name; how many they name."""
    m, nodes = rows.shape[0], 2 * n + 2
    hierarchy = Hierarchy(freeze(split_down(rows, n)[0]))
    a, c = (freeze(np.ascontiguousarray(rows[:, k])) for k in (0, 2))
    rows = frozen(rows, np.int64)  # one width of integers everywhere: half as many specialisations to compile
    separator = _kernels.rooted_tree.common_ancestors(a, c, *hierarchy.ancestor_table)
    tree, slot = np.empty((7, nodes), np.int64), np.empty((4, n), np.int64)
    ring, shelf = np.empty(3 * m, np.int64), np.empty((2, m + nodes), np.int64)
    mark, trip, var = np.empty((9, nodes), np.int64), np.empty((9, m), np.int64), np.empty(3, np.int64)
    _kernels.aho_tree.plant(hierarchy.parent, separator, n, rows, tree, slot, ring, shelf, mark, trip, var)
    named = np.unique(rows)
    row = np.full(n, -1, np.int64)
    row[named] = np.arange(named.size, dtype=np.int64)
    return (tree, slot, rows, ring, shelf, mark, trip, np.empty((9, nodes), np.int64), var), row, named.size


def _doubled(array: np.ndarray) -> np.ndarray:
    grown = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    grown[..., : array.shape[-1]] = array
    return grown
