"""The state of an active clustering, as strategies get it to choose questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tripletree.cluster.active.closure import AnswerClosure
from tripletree.cluster.active.inheritance import Neighbours
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints


@dataclass(frozen=True)
class QueryState:
    """Samples, their clusters, and the answers so far.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d)
    labels : ndarray of int, shape (n,)
        The clusters of the latest clustering, 0..k-1.
    centers : ndarray of float64, shape (k, d), or None
        Their centres. None for an estimator without centres: the means of the clusters are used then.
    pairs : PairwiseConstraints
        The answers, by row number.
    n_clusters : int
    random_state : numpy.random.Generator
        For strategies that draw at random.
    unknown : ndarray of int, shape (u, 2)
        Pairs about which the oracle did not know.
    weighted : PairwiseConstraints or None
        The pairs that the clustering was made with: answers and pairs inherited from them. None for `pairs`.
    known : AnswerClosure
        The closure of the answers. Made from `pairs` and `unknown` if not given.
    neighbours : Neighbours
        Nearest neighbours. One index for all states over the same X.
    """

    X: np.ndarray
    labels: np.ndarray
    centers: np.ndarray | None
    pairs: PairwiseConstraints
    n_clusters: int
    random_state: np.random.Generator
    unknown: np.ndarray = field(default_factory=lambda: np.empty((0, 2), np.int64))
    weighted: PairwiseConstraints | None = None
    known: AnswerClosure = None  # type: ignore[assignment]
    neighbours: Neighbours = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.known is None:
            object.__setattr__(self, "known", AnswerClosure.of(self.pairs, self.unknown))
        if self.neighbours is None:
            object.__setattr__(self, "neighbours", Neighbours(self.X))

    @property
    def leaves(self) -> LeafIndex:
        """The samples, as the pairs number them."""
        return self.pairs.leaves

    @cached_property
    def means(self) -> np.ndarray:
        """A centre for each label: the given ones, or the means of the clusters. NaN for one without samples."""
        k = int(self.labels.max()) + 1
        if self.centers is not None and self.centers.shape[0] >= k and self.centers.shape[1] == self.X.shape[1]:
            return self.centers
        size = np.bincount(self.labels, minlength=k).astype(np.float64)
        size[size == 0] = np.nan
        return np.stack([np.bincount(self.labels, x, k) for x in self.X.T], axis=1) / size[:, None]

    @cached_property
    def link_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """The sums of the weights of the must-links, and of the cannot-links, of each sample."""
        pairs = self.pairs if self.weighted is None else self.weighted
        sums = []
        for rows, given in ((pairs.must_link, pairs.must_weights), (pairs.cannot_link, pairs.cannot_weights)):
            weight = np.ones(len(rows)) if given is None else given
            sums.append(np.bincount(rows.T.ravel(), np.tile(weight, 2), self.X.shape[0]))
        return sums[0], sums[1]


class QueryStrategy(Protocol):
    """An object that chooses questions, with one method. It keeps no state but the one its documentation mentions."""

    def query(self, state: QueryState, n: int) -> Any:
        """Choose at most n pairs to ask about: an array of row numbers of shape (m, 2), empty without such pairs.

        A strategy whose next choice depends on the answer gives one pair at a time. It is called again with the
        answers until a block is full.
        """
