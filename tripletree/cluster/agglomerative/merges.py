"""The arrays that the ReCon kernels work on, and the loop around them that hears interrupts and shows progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.algorithms.aho import build_aho_tree
from tripletree.core.hierarchy import Hierarchy
from tripletree.kernels import freeze

__all__ = [
    "Counts",
    "aho_state",
    "merge_condensed",
    "merge_points",
]

#: Coordinates compared if all pairs of samples were, up to which the kernels run as plain Python.
LITTLE_WORK = 2_000_000

_CHUNK = 2_000  # merges between two looks at the interrupt


@dataclass(frozen=True)
class Counts:
    """How much work the merges took.

    Attributes
    ----------
    tests, rejections : int
        Compatibility tests that were made, and those that found the closest pair incompatible.
    searches : int
        Searches for a nearest cluster that had to be made again.
    micro_clusters : int or None
        How many samples were gathered into; None where the merges are exact.
    """

    tests: int = 0
    rejections: int = 0
    searches: int = 0
    micro_clusters: int | None = None

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tests + other.tests, self.rejections + other.rejections, self.searches + other.searches)


def merge_points(
    samples: np.ndarray,
    rows: np.ndarray,
    linkage: str,
    progress: Callable[[int], Any] | None = None,
    weights: np.ndarray | None = None,
    apart: np.ndarray | None = None,
) -> tuple[np.ndarray, Counts]:
    """Merge samples under triplets by a linkage on centres (centroid, median, ward); no matrix of distances.

    Parameters
    ----------
    samples : ndarray of float32 or float64, shape (n, d)
    rows : ndarray of int32, shape (m, 3)
        Consistent triplets on row numbers.
    linkage : {"centroid", "median", "ward"}
    progress : callable, optional
        Called with the number of merges done since its last call.
    weights : ndarray of float, shape (n,), optional
        How many samples each row stands for; by default one each.
    apart : ndarray of int, shape (k, 2), optional
        Row numbers of which no cluster holds both while there is another merge.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights; its last column counts rows, whatever their weights.
    counts : Counts

    Notes
    -----
    Once every compatible pair of clusters is apart, merging goes on as if there were no `apart`.
    """
    centres, n, d = kernels.centres, *samples.shape
    # dimensions of large spread first: sums over the first few tell most pairs apart
    order = np.argsort(-samples.var(axis=0), kind="stable")
    points = np.ascontiguousarray(samples.T[order])
    real, blocks = points.dtype, (n + centres.BLOCK - 1) // centres.BLOCK
    weight = np.ones(n, real) if weights is None else weights.astype(real)
    slots = np.arange(n)
    state = (
        points,
        np.empty((2 * d, blocks), real),
        weight,
        np.empty(blocks, real),
        np.full(n, np.inf, real),
        np.empty(blocks, real),
        np.stack([slots, np.full(n, -1), np.full(n, -1)]),
        np.stack([slots, np.zeros(n, np.int64)]),
        np.empty(centres.BLOCK, real),
        np.empty(blocks, real),
        np.empty(n, np.int64),
    )
    loops = _kernels_for(n * n * d, real)
    pointers = loops.JOIN, getattr(loops, f"SEARCH_{real.name.upper()}")
    return _merged(loops.merge_by_centres, pointers, state, n, rows, linkage, progress, apart)


def merge_condensed(
    condensed: np.ndarray,
    n: int,
    rows: np.ndarray,
    linkage: str,
    progress: Callable[[int], Any] | None = None,
    weights: np.ndarray | None = None,
    apart: np.ndarray | None = None,
) -> tuple[np.ndarray, Counts]:
    """Merge n samples by their condensed distances (average, weighted, complete, single), which are overwritten.

    The other arguments are those of `merge_points`.
    """
    real, blocks = condensed.dtype, (n + kernels.distance_table.BLOCK - 1) // kernels.distance_table.BLOCK
    near = np.stack([np.full(n, -1), np.arange(n)])
    weight = np.ones(n, real) if weights is None else weights.astype(real)
    state = condensed, weight, np.full(n, np.inf, real), np.full(blocks, np.inf, real), near
    loops = _kernels_for(10 * n * n, real)
    return _merged(loops.merge_by_table, (loops.JOIN,), state, n, rows, linkage, progress, apart)


def _kernels_for(work: int, real: np.dtype) -> Any:
    """The kernels as plain Python where they take less time so than compiled code takes to load, let alone to make."""
    # numpy's scalars round float32 at other places than compiled code does
    return kernels.plain("recon") if work <= LITTLE_WORK and real == np.float64 else kernels.fast("recon")


def _merged(
    kernel: Callable[..., bool],
    pointers: tuple,
    state: tuple,
    n: int,
    rows: np.ndarray,
    linkage: str,
    progress: Callable[[int], Any] | None,
    apart: np.ndarray | None,
) -> tuple[np.ndarray, Counts]:
    recon = kernels.recon
    kind = recon.LINKAGES.index(linkage)
    aho, row, named = aho_state(rows, n)
    words = (n + 63) // 64
    room = 4 * n + 1024 if named else 2 * n + 1
    watch, chain = np.empty((3, room), np.int64), np.empty(2 * room, np.int64)
    bits, never = _forbidden(np.empty((0, 2), np.int64) if apart is None else apart, row, named, words)
    fixed = bits, never, np.zeros(words, np.uint64), np.empty(words, np.uint64), row
    held = np.zeros((3, n), np.int64)
    side = np.empty((2, n), np.int64)
    merges = np.empty((n - 1, 3))
    count = np.zeros(8, np.int64)
    if kind > 2:
        count[1] = n
    done, ended = 0, n == 1
    while not ended:
        rejected = *fixed, watch, chain, held
        due = np.empty(watch.shape[1], np.int64)
        ended = kernel(kind, state, aho, rejected, side, due, merges, count, _CHUNK, *pointers)
        if progress is not None:
            progress(int(count[0]) - done)
        done = int(count[0])
        if count[recon.STUCK]:
            bits[:], never[:], count[recon.STUCK] = 0, 0, 0
            _search_anew(state, kind <= 2, int(count[recon.LIVE]))
        if watch.shape[1] <= count[3] + 2 * n and not ended:
            watch, chain = _doubled(watch), _doubled(chain)
    return recon.as_linkage(merges, kind <= 2), Counts(int(count[4]), int(count[5]), int(count[6]))


def _forbidden(apart: np.ndarray, row: np.ndarray, named: int, words: int) -> tuple[np.ndarray, np.ndarray]:
    """The bits of rejected pairs, and those of pairs that are apart (no rows without any); rows for the latter."""
    more = np.unique(apart)
    more = more[row[more] < 0]
    row[more] = named + np.arange(more.size)
    bits = np.zeros((named + more.size, words), np.uint64)
    ends = np.concatenate([apart, apart[:, ::-1]]).astype(np.int64)
    np.bitwise_or.at(bits, (row[ends[:, 0]], ends[:, 1] >> 6), np.uint64(1) << (ends[:, 1] & 63).astype(np.uint64))
    return bits, bits.copy() if len(apart) else np.zeros((0, words), np.uint64)


def _search_anew(state: tuple, on_centres: bool, live: int) -> None:
    """Let every live cluster search its nearest again, all rejections forgotten."""
    if on_centres:
        bound, least, empty, near = state[4], state[5], state[0][0, :live] == np.inf, state[6][kernels.centres.NEAR]
        block = kernels.centres.BLOCK
    else:
        bound, least, empty, near = state[2], state[3], state[4][0, :live] == -2, state[4][0]
        block = kernels.distance_table.BLOCK
    bound[:live][~empty] = -1
    near[:live][~empty] = -1
    least[: (live + block - 1) // block] = np.minimum.reduceat(bound[:live], np.arange(0, live, block))


def aho_state(rows: np.ndarray, n: int) -> tuple[tuple, np.ndarray, int]:
    """The Aho tree of consistent triplets; the row of bits of each slot that they name; how many they name."""
    m, nodes = rows.shape[0], 2 * n + 2
    hierarchy = Hierarchy(freeze(build_aho_tree(rows, n).parent))
    a, c = (freeze(np.ascontiguousarray(rows[:, k])) for k in (0, 2))
    rows = rows.astype(np.int64)  # one width of integers everywhere: half as many specialisations to compile
    separator = kernels.rooted_tree.common_ancestors(a, c, *hierarchy.ancestor_table)
    tree, slot = np.empty((nodes, 9), np.int64), np.empty((4, n), np.int64)
    ring, shelf = np.empty(3 * m, np.int64), np.empty((m + nodes, 2), np.int64)
    mark, trip, var = np.empty((nodes, 8), np.int64), np.empty((m, 10), np.int64), np.empty(3, np.int64)
    kernels.aho_forest.plant(hierarchy.parent, separator, n, rows, tree, slot, ring, shelf, mark, trip, var)
    named = np.unique(rows)
    row = np.full(n, -1, np.int64)
    row[named] = np.arange(named.size, dtype=np.int64)
    return (tree, slot, rows, ring, shelf, mark, trip, np.empty((9, nodes), np.int64), var), row, named.size


def _doubled(array: np.ndarray) -> np.ndarray:
    grown = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    grown[..., : array.shape[-1]] = array
    return grown
