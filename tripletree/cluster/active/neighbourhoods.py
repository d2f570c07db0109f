"""Strategies that build neighbourhoods: sets of must-linked samples, cannot-linked to each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tripletree.cluster.active.closure import AnswerClosure
from tripletree.cluster.active.state import QueryState
from tripletree.core.checks import check_count


class RandomPairs:
    """Ask about random pairs whose answer does not follow yet.

    Notes
    -----
    Pairs of one query are drawn independently, so one may follow from the answers to the others. It is asked
    nevertheless.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree.core.pairs import PairwiseConstraints
    >>> from tripletree.cluster.active import QueryState
    >>> labels = np.zeros(3, np.int64)
    >>> known = PairwiseConstraints([(0, 1)], [], 3)
    >>> state = QueryState(np.zeros((3, 1)), labels, None, known, 1, np.random.default_rng(0))
    >>> sorted(RandomPairs().query(state, 5).tolist())
    [[0, 2], [1, 2]]
    """

    def __repr__(self) -> str:
        return "RandomPairs()"

    def query(self, state: QueryState, n: int) -> np.ndarray:
        """Draw at most n pairs. Empty only if nothing is left to ask."""
        return state.known.open_pairs(n, state.random_state)


def neighbourhoods(known: AnswerClosure) -> list[np.ndarray]:
    """Find the neighbourhoods: the largest component, and then each one that is cannot-linked to all before it.

    Examples
    --------
    >>> known = AnswerClosure(6)
    >>> for answer in ((0, 1, True), (0, 2, False), (3, 2, False)):
    ...     _ = known.add(*answer)
    >>> [x.tolist() for x in neighbourhoods(known)]
    [[0, 1], [2]]
    """
    chosen: list[list[int]] = []
    for group in known.groups():
        informed = len(group) > 1 or known.has_cannot_links(group[0])
        if informed and all(known.implied(group[0], other[0]) is False for other in chosen):
            chosen.append(group)
    return [np.array(x, np.int64) for x in chosen]


class NeighbourhoodStrategy(ABC):
    """Base of strategies that compare one sample after another with the neighbourhoods, one question at a time.

    They keep no state: neighbourhoods are found from the answers, and so is a sample that has been compared with only
    some of them, which goes first. If no sample is left to compare, random open pairs are asked about.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def query(self, state: QueryState, n: int) -> np.ndarray:
        """Choose the next pair. Empty if nothing is left to ask.

        Parameters
        ----------
        state : QueryState
        n : int
            At least 1. No more than one pair is chosen, as the next depends on the answer.

        Returns
        -------
        ndarray of int64, shape (1, 2) or (0, 2)
        """
        if n <= 0:
            return np.empty((0, 2), np.int64)
        known = state.known
        hoods = neighbourhoods(known)
        if not hoods:
            pair = self._first(state)
        else:
            pair = self._resumed(state, hoods)
            if pair is None:
                loose = _untouched(known)
                pair = self._next(state, hoods, loose) if loose.size else None
        if pair is None or not known.is_open(*pair):
            return known.open_pairs(1, state.random_state)
        return np.sort(np.array([pair], np.int64), axis=1)

    @abstractmethod
    def _next(self, state: QueryState, hoods: list[np.ndarray], loose: np.ndarray) -> tuple[int, int]:
        """One of the samples in no answer (`loose`), and the sample to compare it with."""

    @abstractmethod
    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        """Return the neighbourhoods in the order in which x is compared with them."""

    def _first(self, state: QueryState) -> tuple[int, int] | None:
        """Return a random sample, and the farthest sample that it has not been compared with."""
        n = len(state.X)
        if n < 2:
            return None
        x = int(state.random_state.integers(n))
        far = np.square(state.X - state.X[x]).sum(axis=1)
        far[x] = -1.0
        for i, j in state.known.unknown:
            if x in (i, j):
                far[i + j - x] = -1.0
        y = int(far.argmax())
        return (x, y) if far[y] >= 0 else None

    def _resumed(self, state: QueryState, hoods: list[np.ndarray]) -> tuple[int, int] | None:
        """Return a sample that has been compared with some neighbourhoods, and the next of them."""
        known = state.known
        members = {int(x[0]) for x in hoods}
        for group in known.groups():
            if group[0] not in members:
                pair = self._against(state, hoods, group[0])
                if pair is not None:
                    return pair
        return None

    def _against(self, state: QueryState, hoods: list[np.ndarray], x: int) -> tuple[int, int] | None:
        """Return a sample and the nearest one of the first neighbourhood that it can be compared with."""
        known = state.known
        for k in self._order(state, hoods, x).tolist():
            hood = hoods[k]
            asked = any(x in pair and sum(pair) - x in hood for pair in known.unknown)
            if known.implied(x, int(hood[0])) is None and not asked:
                return x, int(hood[np.square(state.X[hood] - state.X[x]).sum(axis=1).argmin()])
        return None


def _untouched(known: AnswerClosure) -> np.ndarray:
    """Return the samples in no answer."""
    free = np.ones(known.n, np.bool_)
    free[known.used()] = False
    return np.flatnonzero(free)


def _farthest(state: QueryState, hoods: list[np.ndarray], loose: np.ndarray) -> int:
    """Return the sample of `loose` that is farthest from its nearest sample in a neighbourhood."""
    from sklearn.metrics import pairwise_distances_argmin_min

    far = pairwise_distances_argmin_min(state.X[loose], state.X[np.concatenate(hoods)])[1]
    return int(loose[far.argmax()])


class ExploreConsolidate(NeighbourhoodStrategy):
    """Find a sample of each cluster, then place other samples, by Basu, Banerjee and Mooney (2004).

    Notes
    -----
    Explore: while there are fewer neighbourhoods than clusters, the sample farthest from all of theirs is compared with
    each, until one matches, else it becomes a new one. Consolidate: random samples are compared with the neighbourhoods
    [1]_, from the one of the nearest mean on. A sample is compared with the member of a neighbourhood nearest to it.

    Time O(n p d) for a question, with p samples in neighbourhoods.

    References
    ----------
    .. [1] Basu, Banerjee, Mooney (2004), Active Semi-Supervision for Pairwise Constrained Clustering, Proceedings of
       the 2004 SIAM International Conference on Data Mining, 333-344.
    """

    def _next(self, state: QueryState, hoods: list[np.ndarray], loose: np.ndarray) -> tuple[int, int]:
        if len(hoods) < state.n_clusters:
            x = _farthest(state, hoods, loose)
        else:
            x = int(loose[state.random_state.integers(loose.size)])
        pair = self._against(state, hoods, x)
        assert pair is not None  # x is in no answer
        return pair

    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        means = np.stack([state.X[hood].mean(axis=0) for hood in hoods])
        return np.argsort(np.square(means - state.X[x]).sum(axis=1), kind="stable")


class MinMax(ExploreConsolidate):
    """Explore as `ExploreConsolidate`, then place the most uncertain samples, by Mallapragada, Jin and Jain (2008).

    Notes
    -----
    The next sample is the one whose largest similarity to a sample in a neighbourhood is smallest, and the
    neighbourhoods follow from the largest similarity on [1]_. For the paper's Gaussian similarity of any width they
    are the sample farthest from its nearest such sample, and the order of the nearest ones: no width has to be chosen.

    Time O(n p d) for a question, with p samples in neighbourhoods.

    References
    ----------
    .. [1] Mallapragada, Jin, Jain (2008), Active query selection for semi-supervised clustering, 19th International
       Conference on Pattern Recognition.
    """

    def _next(self, state: QueryState, hoods: list[np.ndarray], loose: np.ndarray) -> tuple[int, int]:
        pair = self._against(state, hoods, _farthest(state, hoods, loose))
        assert pair is not None
        return pair

    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        near = [np.square(state.X[hood] - state.X[x]).sum(axis=1).min() for hood in hoods]
        return np.argsort(near, kind="stable")


class NPU(NeighbourhoodStrategy):
    """Normalized point-based uncertainty, by Xiong, Azimi and Fern (2014).

    Parameters
    ----------
    n_trees : int, default 50
        Number of trees of the forest that measures the similarity of samples.

    Notes
    -----
    A random forest learns the labels of the latest clustering. Two samples are as similar as the part of the trees in
    which they share a leaf, and a sample belongs to a neighbourhood with a probability proportional to its mean
    similarity to the members. The sample is chosen whose entropy of probabilities is largest, for each question
    that it is expected to take, and compared with the neighbourhoods from the most probable on. If it is apart from
    all, it is a new one. While there is one neighbourhood, that is the sample least similar to it [1]_.

    The forest is kept as long as the labels stay the same. There is no other state. Time O(n log n) for the
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
        """Return the leaf of each sample in each tree, shape (n, trees)."""
        if self._forest is None or self._forest[0] is not state.X or not np.array_equal(self._forest[1], state.labels):
            from sklearn.ensemble import RandomForestClassifier

            check_count(self.n_trees, "n_trees of NPU", 1)
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
        assert pair is not None  # x is in no answer
        return pair

    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        return np.argsort(-self._similarities(state, hoods, np.array([x]))[0], kind="stable")


def _normalized(like: np.ndarray) -> np.ndarray:
    """Return rows scaled to add up to 1, in equal parts if all are 0."""
    total = like.sum(axis=1, keepdims=True)
    return np.where(total > 0, like / np.where(total > 0, total, 1.0), 1.0 / like.shape[1])


class Huang(NeighbourhoodStrategy):
    """Ask about the sample and the neighbourhood that are least certain to belong together or not, by Huang and Lam.

    Notes
    -----
    Huang and Lam's selection by its uncertainty model [1]_ [2]_: of all pairs of a sample outside and a neighbourhood,
    the pair is chosen whose probability to be together is nearest to one half. The papers cluster documents by
    language models. Here the clusters of the estimator replace the forest. The probability that a sample belongs to a
    cluster falls with its squared distance to the centre, like the density of a spherical Gaussian of the clusters'
    mean variance. A neighbourhood has the mean probability of its members. The probability of both together is the sum
    over the clusters of the products.

    Time O(n k d + n h k) for a question, with h neighbourhoods.

    References
    ----------
    .. [1] Huang, Lam (2007), Semi-supervised document clustering via active learning with pairwise constraints, 7th
       IEEE International Conference on Data Mining, 517-522.
    .. [2] Huang, Lam (2009), An active learning framework for semi-supervised document clustering with language
       modeling, Data & Knowledge Engineering 68(1), 49-67.
    """

    def _chances(self, state: QueryState) -> np.ndarray:
        """Return the probabilities of the clusters for each sample, shape (n, k)."""
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
        with np.errstate(over="ignore"):  # clusters of almost no spread: exp(-inf) is the 0 that is meant
            return _normalized(np.exp(-0.5 * square / spread))

    def _together(self, state: QueryState, hoods: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
        chance = self._chances(state)
        return chance[rows] @ np.stack([chance[hood].mean(axis=0) for hood in hoods]).T

    def _resumed(self, state: QueryState, hoods: list[np.ndarray]) -> tuple[int, int] | None:
        """Return the most uncertain sample outside the neighbourhoods, whether or not it has been compared before."""
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
        raise AssertionError  # `_resumed` also handles samples in no answer

    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        doubt = np.abs(self._together(state, hoods, np.array([x]))[0] - 0.5)
        return np.argsort(doubt, kind="stable")
