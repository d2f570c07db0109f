"""Agglomeration of many samples: samples in no triplet are gathered into micro-clusters first.

The samples that triplets name stay single, all others are gathered into about `n_centres` micro-clusters. Each
micro-cluster is agglomerated by itself, by the same linkage, without triplets. Then their centres, weighted by their
sizes, and the single samples are agglomerated together under the triplets, by the engine that `ReCon` uses for few
samples.

Exact
    All triplets hold, as free samples cannot break one. Above the micro-clusters every merge is the closest compatible
    one, at its true height: the centre and size of a micro-cluster are all that a linkage on centres knows of it.
    With at most `n_centres` free samples every micro-cluster is one sample, and the result is the exact engine's.
Not exact
    Which samples share a micro-cluster. A free sample merges with others of its own micro-cluster before it merges with
    any other one, be that closer (one across the border of two micro-clusters, or one that triplets name). So heights
    fall where the merges of micro-clusters begin, and structure finer than a micro-cluster is seen inside each only.

Micro-clusters are the cells of the samples nearest to each of the centres that scikit-learn's Birch finds in a random
part of the free samples, at the threshold that gives about `n_centres`. If the part has fewer distinct rows, the rows
are the centres, and repeats gather at distance 0. A cell of more than `LARGEST` samples is halved until it has no more,
so time and memory have a bound and dense regions keep a fine grain, with some more micro-clusters than asked for.

Time O(n n_centres d) for the cells and O((n_centres + samples in triplets)^2 d) for the agglomeration above them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.cluster import Birch
from sklearn.metrics import pairwise_distances_argmin

from tripletree.algorithms.merges import Counts, merge_points
from tripletree.cluster.agglomerative.grouped_merges import merge_points_in_groups
from tripletree.cluster.distances import EUCLIDEAN
from tripletree.core.checks import check_count
from tripletree.core.leaves import LeafIndex
from tripletree.core.pair_closure import PairClosure
from tripletree.core.progress import Tick, silent
from tripletree.core.random import generator

#: Samples in a micro-cluster, at most.
LARGEST = 500

_CHUNK = 50_000  # samples between two looks at the interrupt
_PART = 4  # samples for each centre, in the part that Birch sees
_PILOT = 16  # as much smaller is the part on which its threshold is guessed
_FITS = 8  # at most, for a threshold
_FEW = 20  # dimensions in which a tree of centres is faster than all distances
_NEAR = 0.1  # from the number of centres asked for, on a scale of logarithms


def merge_large(
    samples: np.ndarray,
    rows: np.ndarray,
    linkage: str,
    *,
    n_centres: int,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Tick = silent,
) -> tuple[np.ndarray, Counts]:
    """Merge samples under triplets by a linkage on centres, samples in no triplet by way of micro-clusters.

    Parameters
    ----------
    samples : ndarray of float32 or float64, shape (n, d)
        Finite, and not so far apart that squared distances overflow.
    rows : ndarray of int32, shape (m, 3)
        Consistent triplets on row numbers.
    linkage : {"centroid", "median", "ward"}
    n_centres : int
        About how many micro-clusters. If there are no more free samples than that, nothing is gathered.
    random_state : int, Generator, RandomState or None, default 0
        Chooses the samples that Birch sees. None gives other ones in each call.
    n_jobs : int or None
        Threads that look for nearest centres.
    progress : callable, optional
        Called with the number of merges done since its last call, which may be 0.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights: first the merges inside of micro-clusters, each after the
        merges of its own parts and otherwise by height, then the merges above.
    counts : Counts
    """
    if linkage not in EUCLIDEAN:
        msg = f"linkage={linkage!r} does not work on centres: micro-clusters need one of {', '.join(EUCLIDEAN)}"
        raise ValueError(msg)
    n_centres = check_count(n_centres, "n_centres", least=1)
    rng = generator(random_state)
    n = samples.shape[0]
    is_free = np.ones(n, bool)
    is_free[rows.ravel()] = False
    free = np.flatnonzero(is_free)
    if free.size <= n_centres:
        return merge_points(samples, rows, linkage, progress)
    label = _halve_large_cells(samples, free, _find_cells(samples, free, n_centres, rng, n_jobs, progress))
    groups = _groups_of_cells(label, free, n)
    merges, counts = merge_points_in_groups(samples, groups, groups.component[rows], linkage, progress=progress)
    return merges, replace(counts, micro_clusters=groups.n_components - (n - free.size))


def _find_cells(
    samples: np.ndarray, free: np.ndarray, n_centres: int, rng: np.random.Generator, n_jobs: int | None, progress: Tick
) -> np.ndarray:
    """The number of the nearest centre, for each free sample."""
    chosen = rng.permutation(free)[: _PART * n_centres]
    part = samples[chosen].astype(np.float64)
    # about 0 and of size 1: the radius in Birch is a difference of squares
    middle = np.median(part, axis=0)
    scale = np.sqrt(part.var(axis=0).sum()) or 1.0
    centres = find_centres((part - middle) / scale, n_centres)
    nearest = nearest_centre_search(centres, n_jobs)
    label = np.empty(free.size, np.int64)
    for lo in range(0, free.size, _CHUNK):
        hi = min(lo + _CHUNK, free.size)
        label[lo:hi] = nearest((samples[free[lo:hi]] - middle) / scale)
        progress(0)  # no merges yet, but a chance to interrupt
    return label


def nearest_centre_search(centres: np.ndarray, n_jobs: int | None) -> Callable[[np.ndarray], np.ndarray]:
    """A function that finds the nearest centre of each point. In few dimensions one at most twice as far away.

    (Measured in 16 dimensions: squared distances are 0.5 % larger on average, and it is 1.5 to 30 times faster.)
    `n_jobs` is the number of threads, as in scikit-learn.
    """
    middle = np.median(centres, axis=0)  # about 0: distances by products lose no digits
    if centres.shape[1] > _FEW:
        return lambda points: pairwise_distances_argmin(points - middle, centres - middle)
    from joblib import effective_n_jobs
    from scipy.spatial import KDTree

    tree, workers = KDTree(centres - middle), effective_n_jobs(n_jobs)
    return lambda points: tree.query(points - middle, eps=1.0, workers=workers)[1]


def find_centres(part: np.ndarray, n_centres: int) -> np.ndarray:
    """The distinct rows if they are few, else about as many centres as asked for, by Birch."""
    _, first = np.unique(part, axis=0, return_index=True)
    part = part[np.sort(first)]
    if len(part) <= n_centres:
        return part
    threshold = 0.1
    pilot = part[: len(part) // _PILOT]
    if len(pilot) >= 100:
        threshold, _ = _fit_birch(pilot, max(1, n_centres * len(pilot) // len(part)), threshold)
    return _fit_birch(part, n_centres, threshold)[1]


def _fit_birch(part: np.ndarray, n_centres: int, threshold: float) -> tuple[float, np.ndarray]:
    """The threshold, and the centres, for which Birch comes nearest to the number asked for in a few fits.

    The number falls about as a power of the threshold: the next one is where the power through the last two fits meets
    that number, or the middle of the rest of the range if that is outside.
    """
    best, found, power = np.inf, (threshold, part), 2.0
    low, high = np.log(1e-9), np.log(2.0)  # at a radius of 2 all is one cluster
    at, before = np.log(threshold), None
    for _ in range(_FITS):
        threshold = float(np.exp(at))
        centres = Birch(threshold=threshold, n_clusters=None, compute_labels=False).fit(part).subcluster_centers_
        off = np.log(len(centres) / n_centres)
        if abs(off) < best:
            best, found = abs(off), (threshold, centres)
        if best <= _NEAR:
            break
        if before is not None and before[0] != at:
            power = min(max(-(off - before[1]) / (at - before[0]), 0.5), 20.0)
        before = at, off
        low, high = (at, high) if off > 0 else (low, at)
        at += off / power
        if not low < at < high:
            at = (low + high) / 2
    return found


def _halve_large_cells(samples: np.ndarray, free: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Labels of cells of at most `LARGEST` samples: larger ones are halved across their widest dimension."""
    size = np.bincount(label)
    large = np.flatnonzero(size[label] > LARGEST)
    large = large[np.argsort(label[large], kind="stable")]
    waiting = np.split(large, np.flatnonzero(np.diff(label[large])) + 1) if large.size else []
    free_label = size.size
    while waiting:
        cell = waiting.pop()
        if cell.size <= LARGEST:
            label[cell] = free_label
            free_label += 1
            continue
        block = samples[free[cell]]
        order = np.argsort(block[:, block.var(axis=0).argmax()], kind="stable")
        half = cell.size // 2
        waiting += [cell[order[:half]], cell[order[half:]]]
    return label


def _groups_of_cells(label: np.ndarray, free: np.ndarray, n: int) -> PairClosure:
    """The cells of free samples, as if must-links tied them, and all others as groups of one, by their first samples.

    So the order in which the engine takes groups at one distance is the one in which it takes single samples.
    """
    first = np.full(label.max() + 1, -1, np.int64)
    first[label[::-1]] = free[::-1]  # of repeated places the last one stays
    begin = np.arange(n)
    begin[free] = first[label]
    some, component = np.unique(begin, return_inverse=True)
    return PairClosure(LeafIndex(n), component.astype(np.int32), some.size, np.empty((0, 2), np.int32))
