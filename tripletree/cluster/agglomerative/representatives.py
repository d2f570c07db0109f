"""Clustering of samples that are not in one place: micro-clusters of each block add up, and ReCon merges their centres.

No engine is needed here. ``tripletree.dask`` runs these functions on Dask, and `docs/questions/large.md` shows them
under Spark and Ray. The steps:

1. `micro_cluster_centres` of a random part of the samples.
2. `micro_clusters` of every block: numbers of samples, their sums and squares.
3. `merge_micro_clusters`, which adds the sums up and loses nothing.
4. `fit_micro_clusters`, which is `ReCon` on the means and on every sample that a triplet names.
5. the label of each sample, the one of its micro-cluster.

Traffic between machines does not grow with the samples.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from tripletree.cluster.agglomerative.micro_clusters import find_centres, nearest_centre_search
from tripletree.cluster.agglomerative.recon import ReCon
from tripletree.core.checks import check_count
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError

#: Samples of the part that a micro-cluster may have before it is split: about ten times their mean number.
_LARGEST_IN_PART = 40

_FARTHEST = 1e150  # beyond, squares and their sums are infinite
_CHUNK = 50_000  # samples whose distances stand at a time


class MicroClusters(NamedTuple):
    """Samples gathered at the nearest of k centres: their summary for a linkage on centres.

    Attributes
    ----------
    counts : ndarray of int64, shape (k,)
        Samples in each. 0 if a centre is nearest to no sample.
    sums : ndarray of float64, shape (k, d)
        The sums of their differences to the centre.
    squares : ndarray of float64, shape (k,)
        The sums of their squared distances to the centre.
    cells : ndarray of int32, shape (n,), or None
        The micro-cluster of each sample of one block. None once several are merged.
    """

    counts: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    cells: np.ndarray | None = None


class MicroClusterFit(NamedTuple):
    """The result of `fit_micro_clusters`.

    Attributes
    ----------
    model : ReCon
        Fitted on the representatives: first the means of micro-clusters that are not empty, then the named samples.
    cell_labels : ndarray of int, shape (k,)
        The flat cluster of each micro-cluster. An empty one has the cluster of the nearest that is not.
    named_labels : ndarray of int, shape (m,)
        The flat cluster of each named sample.
    weights : ndarray of float64, shape (r,)
        How many samples each representative stands for.
    """

    model: ReCon
    cell_labels: np.ndarray
    named_labels: np.ndarray
    weights: np.ndarray


def micro_cluster_centres(
    samples: Any, n_centres: int, *, random_state: Any = 0, n_jobs: int | None = None
) -> np.ndarray:
    """Find centres for micro-clusters on a random part of the samples.

    Parameters
    ----------
    samples : array_like of float, shape (s, d)
        The part: four for each centre are plenty.
    n_centres : int
        About how many centres. Some more come of splitting.
    random_state : int, Generator, RandomState or None, default 0
        Orders the samples for Birch.
    n_jobs : int or None
        Threads, as in scikit-learn: None is 1, -1 all.

    Returns
    -------
    ndarray of float64, shape (k, d)
        In the order of their coordinates.

    See Also
    --------
    micro_clusters : gathers samples at them.

    Notes
    -----
    scikit-learn's Birch at the threshold that gives about `n_centres`. If the part has fewer distinct rows, they are
    the centres. If a centre is nearest to more than 40 rows of the part, ten times the mean, its rows are halved across
    their widest dimension until no piece has more. The means of the pieces replace it. So dense regions keep a fine
    grain at any number of samples.

    Examples
    --------
    >>> micro_cluster_centres([[0.0], [0.0], [5.0], [5.0]], 2).tolist()
    [[0.0], [5.0]]
    """
    part = _check_block(samples, None)
    if len(part) == 0:
        msg = "samples is empty: give at least one row to find centres on"
        raise ValueError(msg)
    n_centres = check_count(n_centres, "n_centres", least=1)
    part = generator(random_state).permutation(part)
    middle = np.median(part, axis=0)
    scale = np.sqrt(part.var(axis=0).sum()) or 1.0
    centres = find_centres((part - middle) / scale, n_centres) * scale + middle
    if len(centres) > 1:
        centres = _split_large(part, centres, nearest_centre_search(centres, n_jobs)(part))
    return centres[np.lexsort(centres.T[::-1])]


def _split_large(part: np.ndarray, centres: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """The centres, with large cells split: the means of halves of their rows."""
    size = np.bincount(cell, minlength=len(centres))
    large = np.flatnonzero(size > _LARGEST_IN_PART)
    order = np.argsort(cell, kind="stable")
    stop = np.cumsum(size)
    waiting = [order[stop[c] - size[c] : stop[c]] for c in large[::-1].tolist()]
    found = []
    while waiting:
        rows = waiting.pop()
        block = part[rows]
        width = block.var(axis=0)
        if rows.size <= _LARGEST_IN_PART or width.max() == 0:  # equal rows need no finer grain
            found.append(block.mean(axis=0))
            continue
        along = np.argsort(block[:, width.argmax()], kind="stable")
        half = rows.size // 2
        waiting += [rows[along[half:]], rows[along[:half]]]
    kept = np.delete(centres, large, axis=0)
    return np.concatenate([kept, np.array(found).reshape(-1, centres.shape[1])])


def micro_clusters(block: Any, centres: Any, *, n_jobs: int | None = None) -> MicroClusters:
    """Gather the samples of one block at the nearest of some centres.

    Parameters
    ----------
    block : array_like of float, shape (n, d)
        Any part of the samples. It may be empty.
    centres : array_like of float, shape (k, d)
    n_jobs : int or None
        Threads, as in scikit-learn: None is 1, -1 all.

    Returns
    -------
    MicroClusters
        ``counts``, ``sums``, ``squares``, and ``cells``, the number of the centre for each row.

    See Also
    --------
    merge_micro_clusters : adds up the micro-clusters of several blocks.

    Notes
    -----
    In up to 20 dimensions a centre at most twice as far away as the nearest one may be taken, always the same for a
    row: that is 1.5 to 30 times as fast.

    Examples
    --------
    >>> found = micro_clusters([[1.0], [4.0], [6.0]], [[0.0], [5.0]])
    >>> found.counts.tolist(), found.sums.tolist(), found.squares.tolist(), found.cells.tolist()
    ([1, 2], [[1.0], [0.0]], [1.0, 2.0], [0, 1, 1])
    """
    centres = _check_block(centres, None)
    block = _check_block(block, centres.shape[1])
    k, d = centres.shape
    cells = np.zeros(len(block), np.int32)
    if k > 1:
        nearest = nearest_centre_search(centres, n_jobs)
        for lo in range(0, len(block), _CHUNK):
            cells[lo : lo + _CHUNK] = nearest(block[lo : lo + _CHUNK])
    counts = np.bincount(cells, minlength=k)
    # differences to the centre: sums of the samples themselves lose digits where samples are far from 0
    off = block - centres[cells]
    sums = np.empty((k, d))
    for j in range(d):
        sums[:, j] = np.bincount(cells, off[:, j], minlength=k)
    squares = np.bincount(cells, np.einsum("ij,ij->i", off, off), minlength=k).astype(np.float64)  # int of no rows
    return MicroClusters(counts, sums, squares, cells)


def merge_micro_clusters(parts: Iterable[MicroClusters]) -> MicroClusters:
    """Add up the micro-clusters of several blocks at the same centres.

    Parameters
    ----------
    parts : iterable of MicroClusters
        From `micro_clusters`, or merged ones. At least one.

    Returns
    -------
    MicroClusters
        The micro-clusters of all blocks together, whatever the order (except for rounding). ``cells`` is None.

    Examples
    --------
    >>> centres = [[0.0], [5.0]]
    >>> merge_micro_clusters(micro_clusters(x, centres) for x in ([[1.0]], [[4.0], [6.0]])).counts.tolist()
    [1, 2]
    """
    total: MicroClusters | None = None
    for part in parts:
        if total is None:
            total = MicroClusters(part.counts.copy(), part.sums.copy(), part.squares.copy())
            continue
        if part.sums.shape != total.sums.shape:
            msg = (
                f"parts are of different centres: {total.sums.shape} and {part.sums.shape}; use one set for all blocks"
            )
            raise ValueError(msg)
        for sums, more in zip(total[:3], part[:3], strict=True):
            sums += more
    if total is None:
        msg = "parts is empty: give the micro-clusters of at least one block"
        raise ValueError(msg)
    return total


def fit_micro_clusters(
    model: ReCon,
    clusters: MicroClusters,
    centres: Any,
    *,
    samples: Any = None,
    names: Sequence[Hashable] = (),
    triplets: Any = None,
) -> MicroClusterFit:
    """Fit ReCon on micro-clusters, each with the weight of its samples, and on the samples that triplets name.

    Parameters
    ----------
    model : ReCon
        With a linkage on centres (centroid, median or ward), the Euclidean metric and no penalty. It is left as it is.
    clusters : MicroClusters
        Micro-clusters of all samples but the named ones.
    centres : array_like of float, shape (k, d)
        The centres that the micro-clusters were gathered at.
    samples : array_like of float, shape (m, d), optional
        The named samples: at least all that triplets name.
    names : sequence of labels, length m
        Theirs.
    triplets : TripletSet, iterable of (a, b, c), or data frame, optional
        Triplets on these names.

    Returns
    -------
    MicroClusterFit
        ``model``, fitted, ``cell_labels`` and ``named_labels``, the flat clusters, and ``weights``. Leaves of its
        hierarchy are called "micro-cluster i", for centre i, and by `names`.

    See Also
    --------
    tripletree.dask.ReCon : all steps, on Dask.

    Notes
    -----
    All triplets hold. Merges of micro-clusters are the same as in ReCon, at their true heights. Only the hierarchy is
    lost inside each. Flat clusters are cut by the weights, and squared distances within micro-clusters count for them.

    Examples
    --------
    >>> centres = [[0.0], [5.0], [6.0]]
    >>> cells = micro_clusters([[1.0], [0.5], [4.0], [6.0], [7.0]], centres)
    >>> fit = fit_micro_clusters(ReCon(2), cells, centres)
    >>> fit.cell_labels[cells.cells].tolist(), fit.weights.tolist()
    ([0, 0, 1, 1, 1], [2.0, 1.0, 2.0])
    """
    centres = _check_block(centres, None)
    if clusters.sums.shape != centres.shape:
        msg = f"the micro-clusters are of {clusters.sums.shape} numbers, the centres of {centres.shape}: give their own"
        raise ValueError(msg)
    own = np.empty((0, centres.shape[1])) if samples is None else _check_block(samples, centres.shape[1])
    labels = list(names)
    if len(labels) != len(own):
        msg = f"names has {len(labels)} labels, samples has {len(own)} rows: give one for each"
        raise ValueError(msg)
    if model.metric != "euclidean" or model.penalty is not None or model.linkage not in ("centroid", "median", "ward"):
        msg = (
            "micro-clusters need a linkage on centres (centroid, median or ward), metric='euclidean' and no penalty; "
            f"the model is {model!r}"
        )
        raise ValueError(msg)
    full = np.flatnonzero(clusters.counts)
    if full.size + len(own) == 0:
        msg = "there are no samples: all micro-clusters are empty and none are named"
        raise ValueError(msg)
    counts = clusters.counts[full].astype(np.float64)
    shift = clusters.sums[full] / counts[:, None]
    points = np.concatenate([centres[full] + shift, own])
    weights = np.concatenate([counts, np.ones(len(own))])
    if model.n_clusters is not None and model.n_clusters > len(points):
        msg = (
            f"n_clusters={model.n_clusters}, but there are {len(points)} micro-clusters and named samples: there "
            "cannot be more clusters than these; give more centres, unless the samples have no more places"
        )
        raise ClusterCountError(msg, n_clusters=model.n_clusters, nearest=(len(points),))
    scatter = clusters.squares[full] - counts * np.einsum("ij,ij->i", shift, shift)
    known = TripletSet.from_labels(triplets.tolist()) if isinstance(triplets, np.ndarray) else triplets
    fitted = clone(model).set_params(micro_clusters=None)
    rows = [*(f"micro-cluster {i}" for i in full.tolist()), *labels]
    inside = float(np.maximum(scatter, 0.0).sum())
    fitted._fit(points, None, sample_names=rows, sample_weight=weights, given={"triplets": known}, inside=inside)
    cell_labels = np.empty(len(centres), np.intp)
    cell_labels[full] = fitted.labels_[: full.size]
    empty = np.flatnonzero(clusters.counts == 0)
    if empty.size and full.size:
        cell_labels[empty] = fitted.labels_[nearest_centre_search(points[: full.size], None)(centres[empty])]
    elif empty.size:
        cell_labels[empty] = fitted.labels_[nearest_centre_search(points, None)(centres[empty])]
    return MicroClusterFit(fitted, cell_labels, fitted.labels_[full.size :], weights)


def _check_block(block: Any, d: int | None) -> np.ndarray:
    """A table of finite float64, with d columns if that is given."""
    points = np.asarray(block, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] == 0 or (d is not None and points.shape[1] != d):
        wanted = "(n, d)" if d is None else f"(n, {d})"
        msg = f"expected a table of shape {wanted}, a row for each sample, got shape {points.shape}"
        raise ValueError(msg)
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        msg = f"samples must be finite: row {bad[0]} holds NaN or infinity; leave such rows out, or fill them in"
        raise ValueError(msg)
    if points.size and float(np.abs(points).max()) > _FARTHEST:
        row = int(np.abs(points).max(axis=1).argmax())
        msg = f"row {row} holds {np.abs(points[row]).max():.3g}: squared distances would be infinite; scale the samples"
        raise ValueError(msg)
    return points
