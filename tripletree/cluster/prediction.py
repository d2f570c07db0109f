"""The flat cluster, the clades and the taxa of a new sample, by its nearest neighbours among the fitted ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from tripletree._core import engine
from tripletree.algorithms.points import as_rows, is_sparse, row_blocks
from tripletree.cluster.distances import FittedMetric, check_distances, check_rows, transformed
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_real
from tripletree.core.hierarchy import Hierarchy

#: Neighbours that vote, each with a weight of one over its distance.
N_NEIGHBOURS = 5

#: Numbers beyond which only some samples of each cluster are kept (32 MB), at least 50 of each.
MOST_NUMBERS, LEAST_SAMPLES = 4_000_000, 50

_BATCH = 4_000_000  # distances that stand at a time: 32 MB
_TREE_DIMENSIONS = 15  # beyond them a k-d tree is slower than all distances


class NeighbourPredictor:
    """Assigns samples to flat clusters by their five nearest neighbours. Small, and pickles without the estimator.

    A fitted sample is known by a hash of its features, and gets the cluster it was fitted in. If equal samples are in
    several clusters, the most frequent one counts, then the lowest. Others are decided by the five nearest of the
    samples kept, which vote with one over their distance.

    Parameters
    ----------
    samples : ndarray or csr_array of float64, shape (n, d) or (n, n)
        The samples, or their distances if `metric` is "precomputed".
    points : ndarray or csr_array of float64, shape (n, e)
        The samples as `transformed` gives them.
    labels : ndarray of int, shape (n,)
        Flat clusters 0..k-1.
    metric : str, callable or fitted transformer
        The parameter of the estimator, which `transformed` goes by.
    distances : FittedMetric
        How the estimator took the distances of `points`.

    Attributes
    ----------
    kept : ndarray of int, shape (r,)
        The samples that are kept. Up to 4 million numbers all are. Beyond, samples are drawn at random from each
        cluster by its size, at least 50 of each. Distances to all are kept if they are precomputed.
    """

    def __init__(self, samples: Any, points: Any, labels: np.ndarray, metric: Any, distances: FittedMetric) -> None:
        self.metric, self.distances = metric, distances
        self.n_features = samples.shape[1]
        self.n_clusters = int(labels.max()) + 1
        self._known, self._cluster, self._leaf = _by_hash(samples, labels)
        width = 1 + 2 * points.nnz // labels.size if is_sparse(points) else points.shape[1]
        self.kept = np.arange(labels.size) if self.distances.is_precomputed else _thinned(labels, width)
        self._labels = labels[self.kept].astype(np.int32)
        self._points = None if self.distances.is_precomputed else points[self.kept]
        self._tree: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_tree": None}  # it holds the points once more, and is soon made

    @property
    def _search(self) -> Any:
        """A search by Euclidean distances, made when it is first needed. None for other distances."""
        if self._tree is None and self.distances.metric == "euclidean" and self._points is not None:
            from sklearn.neighbors import NearestNeighbors

            small = self._points.shape[1] <= _TREE_DIMENSIONS and not is_sparse(self._points)
            self._tree = NearestNeighbors(algorithm="kd_tree" if small else "brute").fit(self._points)
        return self._tree

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of each sample: ndarray of int, shape (n_new,)."""
        return self.clusters(X, self._checked(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of each cluster in the votes of the neighbours: ndarray of float64, shape (n_new, n_clusters)."""
        return self.shares(X, self._checked(X))

    def clusters(self, X: Any, samples: np.ndarray) -> np.ndarray:
        """As `predict`, for X and the same validated."""
        at, distance, index = self._neighbours(X, samples)
        cluster = np.empty(at.size, np.intp)
        cluster[at >= 0] = self._cluster[at[at >= 0]]
        rest = np.flatnonzero(at < 0)
        step = max(1, _BATCH // self.n_clusters)
        for low in range(0, rest.size, step):
            here = slice(low, low + step)
            cluster[rest[here]] = self._votes(distance[here], index[here]).argmax(axis=1)
        return cluster

    def shares(self, X: Any, samples: np.ndarray) -> np.ndarray:
        """As `predict_proba`, for X and the same validated."""
        at, distance, index = self._neighbours(X, samples)
        share = np.zeros((at.size, self.n_clusters))
        share[at >= 0, self._cluster[at[at >= 0]]] = 1.0
        votes = self._votes(distance, index)
        share[at < 0] = votes / votes.sum(axis=1, keepdims=True)
        return share

    def _checked(self, X: Any) -> Any:
        if "columns" in self.distances.parameters:
            return self.distances.parameters["columns"].encoded(X)
        finite: Any = "allow-nan" if self.distances.metric == "nan_euclidean" else True
        sparse = False if self.distances.is_precomputed else "csr"
        samples = check_array(X, accept_sparse=sparse, dtype=np.float64, ensure_all_finite=finite)
        samples = as_rows(samples) if is_sparse(samples) else samples
        if samples.shape[1] != self.n_features:
            msg = f"X has {samples.shape[1]} features; the clusters were fitted on {self.n_features}"
            raise ValueError(msg)
        return samples

    def _votes(self, distance: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Return the weights of the neighbours in each cluster."""
        weight = _weights(distance)
        votes = np.zeros((len(distance), self.n_clusters))
        np.add.at(votes, (np.arange(len(distance))[:, None], self._labels[index]), weight)
        return votes

    def paths(self, X: Any, samples: np.ndarray, hierarchy: Hierarchy) -> list[np.ndarray]:
        """From the root to the leaf of each fitted sample, or the smallest clade with most neighbours of a new one."""
        at, _, index = self._neighbours(X, samples)
        node = np.empty(samples.shape[0], np.int64)
        node[at >= 0] = self._leaf[at[at >= 0]]
        if len(index):
            # along the leaves a clade is a run: it holds a majority if it holds the ends of one
            leaf = self.kept[index].astype(np.int32)
            start, stop, _ = hierarchy.leaf_intervals
            leaf = np.take_along_axis(leaf, np.argsort(start[leaf], axis=1), axis=1)
            more = leaf.shape[1] // 2
            first, last = (
                freeze(np.ascontiguousarray(x.ravel())) for x in (leaf[:, : leaf.shape[1] - more], leaf[:, more:])
            )
            clade = engine.rooted_tree.common_ancestors(first, last, *hierarchy.ancestor_table)
            clade = clade.reshape(len(leaf), -1)
            smallest = (stop - start)[clade].argmin(axis=1)
            node[at < 0] = clade[np.arange(len(leaf)), smallest]
        return [_path(hierarchy.parent, u) for u in node.tolist()]

    def taxa(self, X: Any, samples: np.ndarray, taxonomy: Hierarchy, leaf: np.ndarray) -> TaxonPredictions:
        """Return the named groups of a taxonomy that the neighbours of samples are in.

        leaf : the leaf of the taxonomy that each fitted sample is, or -1. Only samples with a leaf have a vote
        """
        at, distance, index = self._neighbours(X, samples, leaf >= 0)
        new = np.flatnonzero(at < 0)
        row = np.concatenate([np.flatnonzero(at >= 0), np.repeat(new, index.shape[1])])
        node = np.concatenate([leaf[self._leaf[at[at >= 0]]], leaf[self.kept[index]].ravel()])
        weight = _weights(distance)
        share = np.concatenate([np.ones((at >= 0).sum()), (weight / weight.sum(axis=1, keepdims=True)).ravel()])
        return _summed(row, node, share, at.size, taxonomy)

    def _neighbours(
        self, X: Any, samples: np.ndarray, among: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The place in `_known` of each fitted sample, -1 for new ones. Distances and places of their neighbours.

        among : the fitted samples that count. By default all
        """
        key = _hashes(samples)
        at = np.minimum(np.searchsorted(self._known, key), self._known.size - 1)
        at = np.where(self._known[at] == key, at, -1)
        if among is not None:
            at = np.where((at >= 0) & among[self._leaf[at]], at, -1)
        places = np.arange(self.kept.size) if among is None else np.flatnonzero(among[self.kept])
        points: Any = transformed(self.metric, X, samples)
        if self._points is not None and is_sparse(points) != is_sparse(self._points):
            points = points.toarray() if is_sparse(points) else as_rows(points)
        check_rows(points, self.distances.metric)
        rest = np.flatnonzero(at < 0)
        count = min(N_NEIGHBOURS, places.size)
        distance, index = np.empty((rest.size, count)), np.empty((rest.size, count), np.intp)
        step = max(1, _BATCH // self.kept.size)
        for low in range(0, rest.size, step):
            here = slice(low, low + step)
            distance[here], index[here] = self._nearest(points[rest[here]], rest[here], count, places)
        return at, distance, index

    def _nearest(
        self, points: np.ndarray, numbers: np.ndarray, count: int, places: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        search = self._search
        if search is not None and places.size == self.kept.size:
            distance, index = search.kneighbors(points, count)
            self._check(distance, numbers, index)
            return distance, index
        table = points[:, places] if self._points is None else self.distances.between(points, self._points[places])
        self._check(table, numbers, np.broadcast_to(places, table.shape))
        index = np.argpartition(table, count - 1, axis=1)[:, :count]
        index = np.take_along_axis(index, np.lexsort((index, np.take_along_axis(table, index, 1)), axis=1), axis=1)
        return np.maximum(np.take_along_axis(table, index, 1), 0.0), places[index]

    def _check(self, table: np.ndarray, numbers: np.ndarray, index: np.ndarray) -> None:
        bad = check_distances(table, np.finfo(np.float64).max / 4)
        if bad is not None:
            row, column = divmod(bad[0], table.shape[1])
            msg = (
                f"the distance of sample {numbers[row]} to fitted sample {self.kept[index[row, column]]} under "
                f"metric={self.distances.metric!r} {bad[1]}"
            )
            raise ValueError(msg)


@dataclass(frozen=True, eq=False)
class TaxonPredictions:
    """The taxa that samples probably belong to. The result of ``predict_taxon``.

    Attributes
    ----------
    names : tuple of str
        The named groups of the taxonomy, each after the groups that it is in.
    probability : ndarray of float64, shape (n_samples, n_names)
        The share of the nearest neighbours' votes that come from within each group. It never grows from a group to one
        inside.

    See Also
    --------
    tripletree.algorithms.match_clades : which clades of a result are named groups.
    """

    names: tuple[str, ...]
    probability: np.ndarray

    def __len__(self) -> int:
        return len(self.probability)

    def __str__(self) -> str:
        best = self.best()
        told = sum(x is not None for x in best)
        few = ", ".join(f"{i}: {x}" for i, x in enumerate(best[:5])) + (", ..." if len(best) > 5 else "")
        return f"{len(self)} samples, {told} with a taxon that has more than half of the votes: {few}"

    def best(self, least: float = 0.5) -> list[str | None]:
        """Name the smallest group of each sample whose probability is greater than `least`.

        Parameters
        ----------
        least : float
            From 0.5, at which groups cannot exclude each other, to below 1.

        Returns
        -------
        list of str or None
            None if no named group has so much.
        """
        check_real(least, "least", least=0.5)
        if not self.names:
            return [None] * len(self)
        sure = self.probability > least
        last = len(self.names) - 1 - sure[:, ::-1].argmax(axis=1)
        return [self.names[int(k)] if some.any() else None for k, some in zip(last, sure, strict=True)]

    def to_frame(self, sample_names: Sequence[Any] | None = None, *, least: float = 0.0) -> Any:
        """Return a pandas DataFrame with the columns sample, taxon, probability.

        Parameters
        ----------
        sample_names : sequence, shape (n_samples,), optional
            By default numbers.
        least : float
            Groups with no greater probability are left out.
        """
        import pandas as pd

        names = range(len(self)) if sample_names is None else list(sample_names)
        if len(names) != len(self):
            msg = f"sample_names has {len(names)} names for {len(self)} samples: give one for each"
            raise ValueError(msg)
        row, column = np.nonzero(self.probability > least)
        found = {"sample": [names[i] for i in row.tolist()], "taxon": [self.names[k] for k in column.tolist()]}
        return pd.DataFrame({**found, "probability": self.probability[row, column]})


def _summed(row: np.ndarray, node: np.ndarray, share: np.ndarray, n: int, taxonomy: Hierarchy) -> TaxonPredictions:
    """Return the shares of leaves, `node`, in each row, summed over the named groups above them."""
    parent, inner = taxonomy.parent, taxonomy.n_leaves
    called = taxonomy.names or ()
    named = np.array([x is not None for x in called], bool)
    nodes = (np.flatnonzero(named) + inner)[::-1]  # a group before the groups inside, which have lower numbers
    column = np.full(taxonomy.n_nodes + 1, -1)
    column[nodes] = np.arange(nodes.size)
    found = np.zeros((n, nodes.size))
    while node.size:
        some = column[node] >= 0
        np.add.at(found, (row[some], column[node[some]]), share[some])
        node = parent[node].astype(np.int64)
        row, share, node = row[node >= 0], share[node >= 0], node[node >= 0]
    return TaxonPredictions(tuple(str(called[u - inner]) for u in nodes.tolist()), freeze(np.minimum(found, 1.0)))


def _weights(distance: np.ndarray) -> np.ndarray:
    """One over the distance, except for a factor, for each neighbour. If neighbours are at 0, only they count."""
    nearest = distance[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(nearest > 0, nearest / distance, distance == 0)


def _hashes(samples: Any) -> np.ndarray:
    """64 bits for each row, the same on every machine of one byte order, of dense rows and sparse ones."""
    keys: list[bytes] = []
    parts = [samples] if is_sparse(samples) else (block for _, block in row_blocks(samples))
    for at, values, end in map(_entries, parts):
        places, numbers, low = at.astype(np.int64).tobytes(), values.astype(np.float64).tobytes(), 0
        for high in (8 * end).tolist():
            keys.append(blake2b(places[low:high] + numbers[low:high], digest_size=8).digest())
            low = high
    return np.frombuffer(b"".join(keys), np.uint64)


def _entries(table: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the columns and values of the entries other than 0, row by row, and where each row ends among them."""
    if is_sparse(table):
        return table.indices, table.data, table.indptr[1:].astype(np.int64)
    row, column = np.nonzero(table)
    return column, table[row, column], np.cumsum(np.count_nonzero(table, axis=1))


def _by_hash(samples: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the different hashes, sorted. The most frequent cluster under each, and the first sample in it."""
    key = _hashes(samples)
    order = np.lexsort((labels, key))
    key, label = key[order], labels[order]
    first = np.flatnonzero(np.r_[True, (key[1:] != key[:-1]) | (label[1:] != label[:-1])])
    count = np.diff(np.r_[first, key.size])
    first = first[np.lexsort((-count, key[first]))]
    first = first[np.unique(key[first], return_index=True)[1]]
    return key[first], label[first].astype(np.int32), order[first].astype(np.int32)


def _path(parent: np.ndarray, u: int) -> np.ndarray:
    """Return the nodes from the root to u."""
    path = []
    while u >= 0:
        path.append(u)
        u = int(parent[u])
    return np.array(path[::-1])


def _thinned(labels: np.ndarray, width: int) -> np.ndarray:
    """Return the samples to keep, in rising order: all, or some of each cluster."""
    most = MOST_NUMBERS // width
    if labels.size <= most:
        return np.arange(labels.size)
    size = np.bincount(labels)
    quota = np.minimum(size, np.maximum(LEAST_SAMPLES, size * most // labels.size))
    mixed = np.random.default_rng(0).permutation(labels.size)
    mixed = mixed[np.argsort(labels[mixed], kind="stable")]
    rank = np.arange(labels.size) - np.repeat(np.cumsum(size) - size, size)
    return np.sort(mixed[rank < np.repeat(quota, size)])
