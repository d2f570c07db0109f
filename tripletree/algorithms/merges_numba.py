"""For the pilot's comparison. The loop around the ReCon kernels: it sets up their state and calls them until one cluster is left.

The kernels (``kernels/recon.py``) make some thousands of merges a call, so that interrupts are heard and progress is
shown in between. `merge_points` is for linkages on centres, `merge_condensed` for all others. ``grouped_merges``,
``micro_clusters`` and ``complete_link`` call them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tripletree import kernels
from tripletree._core import engine
from tripletree.algorithms import merges as _new
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.points import is_sparse, squared_lengths
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.progress import Pace
from tripletree.kernels import freeze

#: Seconds of plain Python for a coordinate, where all pairs of samples are compared.
SECONDS_PLAIN = 3e-6

_CHUNK = 500  # merges before the first look at the interrupt


def merge_points(
    samples: Any,
    rows: np.ndarray,
    linkage: str,
    progress: Callable[[int], Any] | None = None,
    weights: np.ndarray | None = None,
    apart: np.ndarray | None = None,
    spreads: np.ndarray | None = None,
) -> tuple[np.ndarray, Any]:
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
        Row numbers of which no cluster holds both while there is another merge.
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
        start, feature = (x.astype(np.int64) for x in (samples.indptr, samples.indices))
        vectors = kernels.sparse_centres.new_sparse_centres(start, feature, samples.data, d, square, weight)
        live = _LiveClusters(lambda: vectors.weight, 0, kernels.sparse_centres.BLOCK)
        run = _Run("merge_by_vectors", ("JOIN",), vectors, 20 * n * samples.nnz, live)
        return _merged(run, rows, linkage, progress, apart)
    # dimensions of large spread first: sums over the first few tell most pairs apart
    order = np.argsort(-samples.var(axis=0), kind="stable")
    centres = kernels.centres.new_centres(samples[:, order], weight, spread)
    live = _LiveClusters(lambda: centres.points[:, 0].ravel(), np.inf, kernels.centres.BLOCK)
    run = _Run("merge_by_centres", ("JOIN", f"SEARCH_{real.name.upper()}"), centres, n * n * d, live)
    return _merged(run, rows, linkage, progress, apart)


def merge_condensed(
    condensed: np.ndarray,
    n: int,
    rows: np.ndarray,
    linkage: str,
    progress: Callable[[int], Any] | None = None,
    weights: np.ndarray | None = None,
    apart: np.ndarray | None = None,
) -> tuple[np.ndarray, Any]:
    """Merge n samples by their condensed distances (average, weighted, complete, single), which are overwritten.

    The other arguments are as in `merge_points`.
    """
    real = condensed.dtype
    if linkage == "single":
        kernel, table = "merge_by_single_linkage", kernels.single_linkage.new_single_linkage_table(condensed, n)
    else:
        weight = np.ones(n, real) if weights is None else weights.astype(real)
        kernel, table = "merge_by_table", kernels.distance_table.new_table(condensed, weight, np.full(n, np.inf, real))
    live = _LiveClusters(lambda: table.nearest, kernels.distance_table.EMPTY, kernels.distance_table.BLOCK, n)
    return _merged(_Run(kernel, ("JOIN",), table, 10 * n * n, live), rows, linkage, progress, apart)


class _LiveClusters(NamedTuple):
    """Which clusters are still there. The four kinds of distances mark merged clusters in different arrays."""

    marks: Callable[[], np.ndarray]  #: returns an array with an entry for each cluster
    merged: float  #: the entry of a cluster that has been merged into another
    block: int  #: number of clusters that share an entry of `least`
    at_first: int = 0  #: number of clusters at the start, 0 if the kernel counts them


class _Run(NamedTuple):
    """One run of merges: a kernel of ``recon``, the functions it calls by address, its state, its work."""

    kernel: str
    pointers: tuple[str, ...]
    distances: Any  #: `Centres`, `SparseCentres`, `DistanceTable` or `SingleLinkageTable`
    work: int  #: coordinates compared if all pairs of samples are
    live: _LiveClusters


def _kernel_for(run: _Run, state: Any, kind: int) -> tuple[Callable[..., bool], list[Any]]:
    """The kernel and its pointers, as plain Python if this takes less time than to load or to compile them."""
    kernel, pointers = getattr(kernels.recon, run.kernel), [getattr(kernels.recon, x) for x in run.pointers]
    is_fast = run.distances.bound.dtype != np.float64  # numpy's scalars round float32 at other places
    if not is_fast:
        is_fast = kernel.pays(SECONDS_PLAIN * run.work, state, run.distances, kind, _CHUNK, *pointers)
    return kernel.version(is_fast), [x.version(is_fast) for x in pointers]


def _merged(
    run: _Run, rows: np.ndarray, linkage: str, progress: Callable[[int], Any] | None, apart: np.ndarray | None
) -> tuple[np.ndarray, Any]:
    """Merge until one cluster is left."""
    distances = run.distances
    n, kind = len(distances.bound), kernels.recon.LINKAGES.index(linkage)
    forest, row, named = aho_state(rows, n)
    bits, never = _forbidden(np.empty((0, 2), np.int64) if apart is None else apart, row, named)
    room = 4 * n + 1024 if named else 2 * n + 1
    rejected = kernels.rejected_pairs.new_rejected_pairs(bits, never, row, room)
    state = kernels.recon.new_agglomeration(forest, rejected)
    counts = state.counts
    if run.live.at_first:
        counts.live[0] = run.live.at_first
    kernel, pointers = _kernel_for(run, state, kind)
    pace, done, ended = Pace(_CHUNK), 0, n == 1
    while not ended:
        with pace:
            ended = kernel(state, distances, kind, pace.steps, *pointers)
        if progress is not None:
            progress(int(counts.merges[0]) - done)
        done = int(counts.merges[0])
        if counts.stuck[0]:
            bits[:], never[:], counts.stuck[0] = 0, 0, 0
            _search_anew(run, int(counts.live[0]))
        if room <= counts.watches[0] + 2 * n and not ended:
            room *= 2
            state = state._replace(rejected=kernels.rejected_pairs.with_room(state.rejected, room))
    work = _new.Counts(int(counts.tests[0]), int(counts.rejections[0]), int(counts.searches[0]))
    return kernels.recon.as_linkage(state.merges, kind <= 2), work


def _forbidden(apart: np.ndarray, row: np.ndarray, named: int) -> tuple[np.ndarray, np.ndarray]:
    """The bits of rejected pairs, and of pairs that are apart (no rows without any). Rows are added for the latter."""
    more = np.unique(apart)
    more = more[row[more] < 0]
    row[more] = named + np.arange(more.size)
    words = (row.size + 63) // 64
    bits = np.zeros((named + more.size, words), np.uint64)
    ends = np.concatenate([apart, apart[:, ::-1]]).astype(np.int64)
    np.bitwise_or.at(bits, (row[ends[:, 0]], ends[:, 1] >> 6), np.uint64(1) << (ends[:, 1] & 63).astype(np.uint64))
    return bits, bits.copy() if len(apart) else np.zeros((0, words), np.uint64)


def _search_anew(run: _Run, n: int) -> None:
    """Let every live one of the first n clusters search its nearest again, all rejections forgotten."""
    distances, block = run.distances, run.live.block
    used = run.live.marks()[:n] != run.live.merged
    bound = distances.bound[:n]
    bound[used] = -1  # below any distance
    distances.nearest[:n][used] = -1
    distances.least[: (n + block - 1) // block] = np.minimum.reduceat(bound, np.arange(0, n, block))


def aho_state(rows: np.ndarray, n: int) -> tuple[Any, np.ndarray, int]:
    """The Aho tree of consistent triplets, numbers for the clusters that they name (-1 for others), and how many."""
    hierarchy = Hierarchy(freeze(build_aho_tree(rows, n).parent))
    a, c = (freeze(np.ascontiguousarray(rows[:, k])) for k in (0, 2))
    separator = engine.rooted_tree.common_ancestors(a, c, *hierarchy.ancestor_table)
    rows = rows.astype(np.int64)  # one width of integers everywhere: half as many specialisations to compile
    forest = kernels.aho_forest.empty_forest(rows, n)
    kernels.aho_forest.plant(hierarchy.parent, separator, forest)
    named = np.unique(rows)
    row = np.full(n, -1, np.int64)
    row[named] = np.arange(named.size, dtype=np.int64)
    return forest, row, named.size
