"""ReCon's merges: `merge_points` for linkages on centres, `merge_condensed` for all others.

The loops are in ``_core/recon.hpp``. ``grouped_merges``, ``micro_clusters`` and ``complete_link`` call them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.points import is_sparse, squared_lengths
from tripletree.core.progress import Tick, silent, teller

#: Place in this list is a linkage's number in the core. The first three work on centres. So do average and weighted
#: linkage of squared distances.
LINKAGES = ("centroid", "median", "ward", "average", "weighted", "complete", "single")


@dataclass(frozen=True)
class Counts:
    """How much work the merges took.

    Attributes
    ----------
    tests, rejections : int
        Compatibility tests that were made, and tests that found the closest pair incompatible.
    searches : int
        Searches for a nearest cluster that had to be made again.
    micro_clusters : int or None
        How many samples were gathered into. None if the merges are exact.
    """

    tests: int = 0
    rejections: int = 0
    searches: int = 0
    micro_clusters: int | None = None

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tests + other.tests, self.rejections + other.rejections, self.searches + other.searches)


def merge_points(
    samples: Any,
    rows: np.ndarray,
    linkage: str,
    progress: Tick = silent,
    weights: np.ndarray | None = None,
    apart: np.ndarray | None = None,
    spreads: np.ndarray | None = None,
) -> tuple[np.ndarray, Counts]:
    """Merge samples under triplets by a linkage on centres. No matrix of distances.

    Parameters
    ----------
    samples : ndarray or csr_array of float32 or float64, shape (n, d)
    rows : ndarray of int32, shape (m, 3)
        Consistent triplets on row numbers.
    linkage : {"centroid", "median", "ward", "average", "weighted"}
        The last two are of squared distances.
    progress : callable, optional
        Called with the number of merges done since its last call.
    weights : ndarray of float, shape (n,), optional
        How many samples each row stands for. By default one each.
    apart : ndarray of int, shape (k, 2), optional
        Pairs of row numbers that share no cluster while there is another merge.
    spreads : ndarray of float, shape (n,), optional
        The mean squared distance of the samples that each row stands for to the row, by default 0: for average and
        weighted.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights. Its last column counts rows, whatever their weights.
    counts : Counts

    Notes
    -----
    Once every compatible pair of clusters is apart, merging goes on as if there were no `apart`.
    """
    n, d = samples.shape
    real = samples.dtype
    weight = np.ones(n, real) if weights is None else weights.astype(real)
    spread = np.zeros(n, real) if spreads is None else spreads.astype(real)
    if is_sparse(samples):
        square = squared_lengths(samples).astype(real, copy=False) + spread
        start, feature = samples.indptr.astype(np.int64), samples.indices.astype(np.int32)
        vectors = start, feature, samples.data, d, square, weight
        return _merged(engine.merge_by_vectors, vectors, n, rows, linkage, progress, apart)
    # dimensions of large spread first: sums over the first few tell most pairs apart
    order = np.argsort(-samples.var(axis=0), kind="stable")
    centres = np.ascontiguousarray(samples[:, order]), weight, spread
    return _merged(engine.merge_by_centres, centres, n, rows, linkage, progress, apart)


def merge_condensed(
    condensed: np.ndarray,
    n: int,
    rows: np.ndarray,
    linkage: str,
    progress: Tick = silent,
    weights: np.ndarray | None = None,
    apart: np.ndarray | None = None,
) -> tuple[np.ndarray, Counts]:
    """Merge n samples by their condensed distances (average, weighted, complete, single), which are overwritten.

    The other arguments are as in `merge_points`.
    """
    weight = np.ones(n, condensed.dtype) if weights is None else weights.astype(condensed.dtype)
    return _merged(engine.merge_by_table, (condensed, weight), n, rows, linkage, progress, apart)


def _merged(
    merge: Callable[..., Any],
    distances: tuple[Any, ...],
    n: int,
    rows: np.ndarray,
    linkage: str,
    progress: Tick,
    apart: np.ndarray | None,
) -> tuple[np.ndarray, Counts]:
    """Merge until one cluster is left."""
    tell = teller(progress)
    parent = build_aho_tree(rows, n).parent
    pairs = np.empty((0, 2), np.int32) if apart is None else np.ascontiguousarray(apart, np.int32)
    merges, counts = merge(
        *distances, parent, np.ascontiguousarray(rows, np.int32), pairs, LINKAGES.index(linkage), tell
    )
    tell(n - 1)
    return as_linkage(merges, squared=LINKAGES.index(linkage) <= 2), Counts(*counts)


def as_linkage(merges: np.ndarray, *, squared: bool) -> np.ndarray:
    """Node numbers, heights and sizes from cluster ids: a scipy linkage with the smaller node first.

    Parameters
    ----------
    merges : ndarray of float64, shape (n - 1, 3)
        The ids that merged (the second id stays), and their distance.
    squared : bool
        Whether distances are squared.

    Returns
    -------
    ndarray of float64, shape (n - 1, 4)
    """
    return engine.as_linkage(np.ascontiguousarray(merges), squared)
