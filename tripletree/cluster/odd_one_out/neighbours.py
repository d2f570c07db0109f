"""The neighbour graph for questions about groups, with a node for each sample or, if there are many, for several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

#: The most nodes. If more samples differ, 3,000 of them are drawn at random and stand for the others.
MOST_NODES = 3_000

#: The distance to the neighbour of this rank is the scale of a node (Zelnik-Manor and Perona 2004).
SCALE = 7

#: A sample without a node of its own belongs to 3 nodes, with weights.
SHARED = 3


@dataclass(frozen=True, eq=False)
class NeighbourGraph:
    """A symmetric graph of neighbours.

    Attributes
    ----------
    weights : scipy.sparse.csr_array of float64, shape (r, r)
        Similarities of neighbours.
    sample : ndarray of int, shape (r,)
        The sample at each node.
    node : ndarray of int, shape (n,)
        The node of each sample: its own, or the nearest.
    membership : scipy.sparse.csr_array of float64, shape (n, r)
        The share of each sample that belongs to each node. Rows sum to 1.
    """

    weights: Any
    sample: np.ndarray
    node: np.ndarray
    membership: Any

    @property
    def mass(self) -> np.ndarray:
        """The number of samples that belong to each node (ndarray of float64, shape (r,))."""
        return np.asarray(self.membership.sum(axis=0)).ravel()


def neighbour_graph(X: np.ndarray, n_neighbors: int, rng: np.random.Generator) -> NeighbourGraph:
    """Join each sample with its nearest neighbours.

    Equal samples are one node. If more than `MOST_NODES` differ, `MOST_NODES` of them are nodes, and the others are
    shared among the nearest ones.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
    n_neighbors : int
    rng : numpy.random.Generator
        Draws the nodes if there are too many samples.

    Returns
    -------
    NeighbourGraph
    """
    from scipy.sparse import csr_array

    n = X.shape[0]
    _, first, node = np.unique(X, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # nodes in the order of their samples
    sample, node = first[order], np.argsort(order)[node.ravel()]
    if sample.size > MOST_NODES:
        sample = np.sort(rng.choice(sample, MOST_NODES, replace=False))
        near, share = _shares(X, X[sample], min(SHARED, sample.size))
        node = near[:, 0]
    else:
        near, share = node[:, None], np.ones((n, 1))
    start = np.arange(n + 1) * near.shape[1]
    membership = csr_array((share.ravel(), near.ravel(), start), shape=(n, sample.size))
    return NeighbourGraph(_similarities(X[sample], n_neighbors), sample, node, membership)


def _nearest(points: np.ndarray, others: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances and numbers of the k nearest points for each of the others."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=k).fit(points).kneighbors(others)


def _similarities(points: np.ndarray, n_neighbors: int) -> Any:
    """Return the weights exp(-d(a, b)^2 / (s(a) s(b))) for all a and b where one is a neighbour of the other."""
    from scipy.sparse import csr_array

    r = len(points)
    k = min(max(n_neighbors, SCALE), r - 1)
    if k < 1:
        return csr_array((r, r))
    distance, index = _nearest(points, points, k + 1)
    # a point is its own nearest neighbour, but rounding may put another first
    own = index == np.arange(r)[:, None]
    own[~own.any(axis=1), -1] = True
    distance, index = distance[~own].reshape(r, k), index[~own].reshape(r, k)
    scale = np.maximum(distance[:, min(SCALE, k) - 1], np.finfo(float).tiny)
    k = min(n_neighbors, k)
    row, column, d = np.repeat(np.arange(r), k), index[:, :k].ravel(), distance[:, :k].ravel()
    weight = np.exp(-(d / scale[row]) * (d / scale[column]))
    half = csr_array((weight, (row, column)), shape=(r, r))
    return half.maximum(half.T).tocsr()


def _shares(X: np.ndarray, points: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest points of each sample and the share of each, which falls with the distance."""
    distance, near = _nearest(points, X, k)
    width = np.maximum(distance[:, -1:], np.finfo(float).tiny)
    share = np.exp(-((distance / width) ** 2) * 2)
    exact = distance[:, 0] == 0
    share[exact] = np.eye(k)[0]
    return near, share / share.sum(axis=1, keepdims=True)
