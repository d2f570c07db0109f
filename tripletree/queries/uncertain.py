"""Strategies that compare the most uncertain samples with neighbourhoods: NPU, and Huang's."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree._checks import expect_count
from tripletree.queries.neighbourhoods import NeighbourhoodStrategy
from tripletree.queries.state import QueryState

__all__ = ["NPU", "Huang"]


class NPU(NeighbourhoodStrategy):
    """Normalized point-based uncertainty, by Xiong, Azimi and Fern (2014).

    Parameters
    ----------
    n_trees : int, default 50
        Trees of the forest that says how similar samples are.

    Notes
    -----
    A random forest learns the labels of the latest clustering. Two samples are as similar as the part of the trees in
    which they share a leaf, and a sample belongs to a neighbourhood with a probability proportional to its mean
    similarity to the members. The sample is chosen whose entropy of these probabilities is largest, for each question
    that it is expected to take, and compared with the neighbourhoods from the most probable on; where it is apart from
    all, it is a new one. While there is one neighbourhood, that is the sample least similar to it [1]_.

    The forest is kept as long as the labels stay the same; that is all the state there is. Time O(n log n) for the
    forest, O(n t h) for a sample, with t trees and h neighbourhoods.

    References
    ----------
    .. [1] Xiong, Azimi, Fern (2014), Active learning of constraints for semi-supervised clustering, IEEE Transactions
       on Knowledge and Data Engineering 26(1), 43-54.
    """

    def __init__(self, n_trees: int = 50) -> None:
        self.n_trees = n_trees
        self._forest: tuple[Any, Any, Any] | None = None

    def __repr__(self) -> str:
        return f"NPU({self.n_trees})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_forest": None}

    def _leaves(self, state: QueryState) -> np.ndarray:
        """The leaf of each sample in each tree, shape (n, trees)."""
        if self._forest is None or self._forest[0] is not state.X or not np.array_equal(self._forest[1], state.labels):
            from sklearn.ensemble import RandomForestClassifier

            expect_count(self.n_trees, "n_trees of NPU", 1)
            seed = int(state.random_state.integers(2**31 - 1))
            forest = RandomForestClassifier(self.n_trees, random_state=seed).fit(state.X, state.labels)
            self._forest = state.X, state.labels.copy(), forest.apply(state.X)
        return self._forest[2]

    def _similarities(self, state: QueryState, hoods: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
        """Mean similarities of some samples to the neighbourhoods, shape (rows, neighbourhoods)."""
        leaf = self._leaves(state)
        size = int(leaf.max()) + 1
        sums = np.zeros((rows.size, len(hoods)))
        for column in leaf.T:
            at = column[rows]
            for k, hood in enumerate(hoods):
                sums[:, k] += np.bincount(column[hood], minlength=size)[at]
        return sums / (leaf.shape[1] * np.array([hood.size for hood in hoods]))

    def _next(self, state: QueryState, hoods: list[np.ndarray], loose: np.ndarray) -> tuple[int, int]:
        like = self._similarities(state, hoods, loose)
        if len(hoods) == 1:
            some = np.flatnonzero(like[:, 0] == like.min())
            far = np.square(state.X[loose[some]] - state.X[hoods[0]].mean(axis=0)).sum(axis=1)
            x = int(loose[some[far.argmax()]])
        else:
            chance = np.sort(_normalized(like), axis=1)[:, ::-1]
            entropy = -(chance * np.log(np.where(chance > 0, chance, 1.0))).sum(axis=1)
            x = int(loose[(entropy / (chance @ np.arange(1, len(hoods) + 1))).argmax()])
        pair = self._against(state, hoods, x)
        assert pair is not None  # nobody was asked about x
        return pair

    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        return np.argsort(-self._similarities(state, hoods, np.array([x]))[0], kind="stable")


def _normalized(like: np.ndarray) -> np.ndarray:
    """Rows that add up to 1: equal parts where nothing is alike."""
    total = like.sum(axis=1, keepdims=True)
    return np.where(total > 0, like / np.where(total > 0, total, 1.0), 1.0 / like.shape[1])


class Huang(NeighbourhoodStrategy):
    """Ask about the sample and the neighbourhood of which it is least certain whether they belong together.

    Notes
    -----
    Huang and Lam's selection by its uncertainty model [1]_ [2]_: of all pairs of a sample outside and a neighbourhood,
    that is chosen of which the probability to be together is nearest to one half. The papers cluster documents by
    language models; here the clusters of the estimator stand in their place: a sample belongs to a cluster with a
    probability that falls with its squared distance to the centre like that of a spherical Gaussian of the clusters'
    mean variance, a neighbourhood with the mean of its members', and both are together with the sum over the clusters
    of the products.

    Time O(n k d + n h k) for a question, with h neighbourhoods.

    References
    ----------
    .. [1] Huang, Lam (2007), Semi-supervised document clustering via active learning with pairwise constraints, 7th
       IEEE International Conference on Data Mining, 517-522.
    .. [2] Huang, Lam (2009), An active learning framework for semi-supervised document clustering with language
       modeling, Data & Knowledge Engineering 68(1), 49-67.
    """

    def _chances(self, state: QueryState) -> np.ndarray:
        """The probabilities of the clusters for each sample, shape (n, k)."""
        from sklearn.metrics import pairwise_distances

        means = state.means
        alive = ~np.isnan(means).any(axis=1)
        square = pairwise_distances(state.X, np.where(alive[:, None], means, 0.0), metric="sqeuclidean")
        square[:, ~alive] = np.inf
        own = square[np.arange(len(square)), state.labels]
        spread = own.mean() / state.X.shape[1]
        if not spread > 0:
            spread = float(np.finfo(np.float64).tiny)
        square -= square.min(axis=1, keepdims=True)
        return _normalized(np.exp(-0.5 * square / spread))

    def _together(self, state: QueryState, hoods: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
        chance = self._chances(state)
        return chance[rows] @ np.stack([chance[hood].mean(axis=0) for hood in hoods]).T

    def _resumed(self, state: QueryState, hoods: list[np.ndarray]) -> tuple[int, int] | None:
        """Samples that have been compared before are looked at with all others."""
        members = {int(x[0]) for x in hoods}
        known = state.known
        rows = np.array([x[0] for x in known.groups() if x[0] not in members], np.int64)
        rows = np.concatenate([rows, np.setdiff1d(np.arange(known.n), known.used())])
        doubt = np.abs(self._together(state, hoods, rows) - 0.5)
        for x in rows[np.argsort(doubt.min(axis=1), kind="stable")].tolist():
            pair = self._against(state, hoods, x)
            if pair is not None:
                return pair
        return None

    def _next(self, state: QueryState, hoods: list[np.ndarray], loose: np.ndarray) -> tuple[int, int]:
        raise AssertionError  # those that nobody was asked about are among the resumed

    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        doubt = np.abs(self._together(state, hoods, np.array([x]))[0] - 0.5)
        return np.argsort(doubt, kind="stable")
