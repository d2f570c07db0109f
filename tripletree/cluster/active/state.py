"""What a strategy sees when it chooses questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tripletree.cluster.active.inheritance import Neighbours
from tripletree.cluster.active.known import Known
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints

__all__ = [
    "QueryState",
    "QueryStrategy",
]


@dataclass(frozen=True)
class QueryState:
    """Samples, their clusters, and what has been answered so far.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d)
    labels : ndarray of int, shape (n,)
        The clusters of the latest clustering, 0..k-1.
    centers : ndarray of float64, shape (k, d), or None
        Their centres; None where the estimator has none, and then their means serve.
    pairs : PairwiseConstraints
        The answers, by row number.
    n_clusters : int
    random_state : numpy.random.Generator
        Where chance decides.
    unknown : ndarray of int, shape (u, 2)
        Pairs that were asked about in vain.
    weighted : PairwiseConstraints or None
        The pairs that the clustering was made with: answers and what they were inherited by. None for `pairs`.
    known : Known
        The closure of the answers; made from `pairs` and `unknown` if it is not given.
    neighbours : Neighbours
        Nearest neighbours; one index for all states over the same X.
    """

    X: np.ndarray
    labels: np.ndarray
    centers: np.ndarray | None
    pairs: PairwiseConstraints
    n_clusters: int
    random_state: np.random.Generator
    unknown: np.ndarray = field(default_factory=lambda: np.empty((0, 2), np.int64))
    weighted: PairwiseConstraints | None = None
    known: Known = None  # type: ignore[assignment]
    neighbours: Neighbours = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.known is None:
            object.__setattr__(self, "known", Known.of(self.pairs, self.unknown))
        if self.neighbours is None:
            object.__setattr__(self, "neighbours", Neighbours(self.X))

    @property
    def leaves(self) -> LeafIndex:
        """The samples, as the pairs number them."""
        return self.pairs.leaves

    @cached_property
    def means(self) -> np.ndarray:
        """A centre for each label: the given ones, or the means of the clusters; NaN for one without samples."""
        k = int(self.labels.max()) + 1
        if self.centers is not None and self.centers.shape[0] >= k and self.centers.shape[1] == self.X.shape[1]:
            return self.centers
        size = np.bincount(self.labels, minlength=k).astype(np.float64)
        size[size == 0] = np.nan
        return np.stack([np.bincount(self.labels, x, k) for x in self.X.T], axis=1) / size[:, None]

    @cached_property
    def link_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """The sums of the strengths of the must-links, and of the cannot-links, at each sample."""
        pairs = self.pairs if self.weighted is None else self.weighted
        sums = []
        for rows, strength in ((pairs.must_link, pairs.must_weights), (pairs.cannot_link, pairs.cannot_weights)):
            weight = np.ones(len(rows)) if strength is None else strength
            sums.append(np.bincount(rows.T.ravel(), np.tile(weight, 2), self.X.shape[0]))
        return sums[0], sums[1]


class QueryStrategy(Protocol):
    """Whatever chooses questions: one method, no other state than its documentation tells."""

    def query(self, state: QueryState, n: int) -> Any:
        """Choose at most n pairs to ask about: an array of row numbers of shape (m, 2), empty where there is none.

        A strategy whose next choice depends on the answer gives one pair at a time; it is called again with what has
        been answered until a block is full.
        """
