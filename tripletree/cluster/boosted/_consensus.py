"""Kernel k-means for the kernel of weighted co-memberships, without the kernel's matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.cluster._lloyd import draw, refill

__all__ = ["Consensus", "Votes", "consensus"]

#: Turns after which a run stops, should rounding keep it from coming to an end; and what counts as rounding.
_TURNS, _ROUNDING = 300, 1e-12

#: Rows x clusterings x clusters that one call of a kernel goes through before Ctrl-C is heard.
_SLICE = 200_000_000


@dataclass(frozen=True)
class Votes:
    """The labels of samples in several clusterings; samples of the same labels are one row.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, T), read-only
    weights : ndarray of float64, shape (m,), read-only
        How many samples each row stands for.
    row_of : ndarray of int, shape (n,)
        The row of each sample; rows stand in the order of their first samples.
    importance : ndarray of float64, shape (T,), read-only
    n_clusters : int
        Labels are 0..n_clusters-1.
    """

    rows: np.ndarray
    weights: np.ndarray
    row_of: np.ndarray
    importance: np.ndarray
    n_clusters: int

    @classmethod
    def of(cls, labels: list[np.ndarray], importance: np.ndarray, n_clusters: int) -> Votes:
        """From the labels of all samples in each of one or more clusterings."""
        row_of = np.zeros(labels[0].size, np.int64)
        for part in labels:
            row_of, first = _parted(row_of, part, n_clusters)
        rows = np.stack([part[first] for part in labels], axis=1)
        return cls._of_rows(rows, row_of, importance, n_clusters)

    @classmethod
    def none(cls, n_samples: int, n_clusters: int) -> Votes:
        """Of samples in no clustering yet: all are one row."""
        return cls._of_rows(np.empty((1, 0)), np.zeros(n_samples, np.int64), np.empty(0), n_clusters)

    @classmethod
    def of_new(cls, rows: np.ndarray, importance: np.ndarray, n_clusters: int) -> Votes:
        """From rows of labels, one for each sample, as they are."""
        return cls._of_rows(rows, np.arange(len(rows)), importance, n_clusters)

    @classmethod
    def _of_rows(cls, rows: np.ndarray, row_of: np.ndarray, importance: np.ndarray, n_clusters: int) -> Votes:
        weights = np.bincount(row_of, minlength=len(rows)).astype(np.float64)
        return cls(frozen(rows), freeze(weights), row_of, frozen(importance, np.float64), n_clusters)

    def grown(self, labels: np.ndarray, importance: float) -> Votes:
        """With one clustering more."""
        row_of, first = _parted(self.row_of, labels, self.n_clusters)
        rows = np.concatenate([self.rows[self.row_of[first]], labels[first, None]], axis=1)
        return self._of_rows(rows, row_of, np.append(self.importance, importance), self.n_clusters)

    def distances(self, share: np.ndarray) -> np.ndarray:
        """Squared distances of the rows to means, shape (m, q)."""
        m = len(self.rows)
        step = max(1, _SLICE // max(1, self.rows.shape[1] * share.shape[2]))
        share = frozen(share, np.float64)
        parts = [
            _kernels.boosted_votes.vote_distances(frozen(self.rows[i : i + step]), self.importance, share)
            for i in range(0, m, step)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def means(self, labels: np.ndarray, q: int) -> np.ndarray:
        """The means of q clusters of the rows, none of them empty, shape (T, k, q)."""
        return freeze(_kernels.boosted_votes.shares(self.rows, self.weights, frozen(labels), self.n_clusters, q)[0])


@dataclass(frozen=True)
class Consensus:
    """A clustering of votes.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
        Clusters are numbered in the order of their first samples.
    share : ndarray of float64, shape (T, k, q)
        The means of the q clusters.
    inertia : float
        The sum of the squared distances to the means.
    """

    labels: np.ndarray
    share: np.ndarray
    inertia: float


def consensus(votes: Votes, n_clusters: int, rng: np.random.Generator, *, n_init: int) -> Consensus:
    """The best of several runs of k-means in the kernel's space; of fewer clusters where there are fewer rows.

    Parameters
    ----------
    votes : Votes
    n_clusters : int
    rng : Generator
    n_init : int
        Number of starts by k-means++.

    Returns
    -------
    Consensus
    """
    m = len(votes.rows)
    if m <= n_clusters:
        best, inertia = np.arange(m, dtype=np.int32), 0.0
    else:
        best, inertia = _run(votes, _starts(votes, n_clusters, rng))
        for _ in range(1, n_init):
            labels, other = _run(votes, _starts(votes, n_clusters, rng))
            if other < inertia * (1.0 - _ROUNDING):
                best, inertia = labels, other
    q = int(best.max()) + 1
    first = np.full(q, m)
    np.minimum.at(first, best, np.arange(m))
    rank = np.empty(q, np.int32)
    rank[np.argsort(first)] = np.arange(q, dtype=np.int32)
    best = rank[best]
    return Consensus(best[votes.row_of], votes.means(best, q), inertia)


def _parted(row_of: np.ndarray, labels: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of samples, parted by one clustering more, and the first sample of each; in the order of these."""
    _, first, row_of = np.unique(row_of * n_clusters + labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[row_of.ravel()], np.sort(first)


def _starts(votes: Votes, q: int, rng: np.random.Generator) -> np.ndarray:
    """The nearest of q rows that k-means++ draws, for each row."""
    order = np.arange(len(votes.rows))
    closest, labels = np.full(order.size, np.inf), np.zeros(order.size, np.int32)
    for j in range(q):
        chances = votes.weights * (closest if j else 1.0)
        distance = _kernels.boosted_votes.disagreement(votes.rows, votes.importance, draw(chances, order, rng))
        labels[distance < closest] = j
        closest = np.minimum(closest, distance)
    return labels


def _run(votes: Votes, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """Means and nearest means by turns, until no label changes; the inertia never increases."""
    q, places = int(labels.max()) + 1, np.arange(labels.size)
    slack = _ROUNDING * votes.importance.sum()
    for _ in range(_TURNS):
        distance = votes.distances(votes.means(labels, q))
        own = distance[places, labels]
        new = np.where(distance.min(axis=1) < own - slack, distance.argmin(axis=1), labels).astype(np.int32)
        if (new == labels).all():
            break
        labels = refill(new, distance[places, new], q)
    return labels, float(votes.weights @ own)
