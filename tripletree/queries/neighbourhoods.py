"""Strategies that build neighbourhoods: sets of samples known to be together, each apart from all others."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from tripletree.queries.known import Known
from tripletree.queries.state import QueryState

__all__ = ["ExploreConsolidate", "MinMax", "NeighbourhoodStrategy", "RandomPairs", "neighbourhoods"]


class RandomPairs:
    """Ask about pairs drawn at random among those of which nothing is known yet.

    Notes
    -----
    Pairs of one query are drawn independently of each other, so one of them may follow from the others' answers; it is
    asked all the same.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree.pairs import PairwiseConstraints
    >>> from tripletree.queries import QueryState
    >>> labels = np.zeros(3, np.int64)
    >>> known = PairwiseConstraints([(0, 1)], [], 3)
    >>> state = QueryState(np.zeros((3, 1)), labels, None, known, 1, np.random.default_rng(0))
    >>> sorted(RandomPairs().query(state, 5).tolist())
    [[0, 2], [1, 2]]
    """

    def __repr__(self) -> str:
        return "RandomPairs()"

    def query(self, state: QueryState, n: int) -> np.ndarray:
        """Draw at most n pairs; empty only where nothing is left to ask."""
        return state.known.open_pairs(n, state.random_state)


def neighbourhoods(known: Known) -> list[np.ndarray]:
    """Read neighbourhoods off answers: the largest component, and then each that is apart from all before it.

    Examples
    --------
    >>> known = Known(6)
    >>> for answer in ((0, 1, True), (0, 2, False), (3, 2, False)):
    ...     _ = known.add(*answer)
    >>> [x.tolist() for x in neighbourhoods(known)]
    [[0, 1], [2]]
    """
    chosen: list[list[int]] = []
    for group in known.groups():
        informed = len(group) > 1 or known.is_apart_from_any(group[0])
        if informed and all(known.says(group[0], other[0]) is False for other in chosen):
            chosen.append(group)
    return [np.array(x, np.int64) for x in chosen]


class NeighbourhoodStrategy(ABC):
    """Base of strategies that compare one sample after another with the neighbourhoods, one question at a time.

    They keep nothing: neighbourhoods are read off the answers, and so is the sample that has been compared with some
    of them only, which goes first. Where no sample is left to compare, any pairs that are open are asked about.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def query(self, state: QueryState, n: int) -> np.ndarray:
        """Choose the next pair; empty where nothing is left to ask.

        Parameters
        ----------
        state : QueryState
        n : int
            At least 1; no more than one pair is chosen, as the next depends on the answer.

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
        """The next of the samples that nobody was asked about, and the sample to compare it with."""

    @abstractmethod
    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        """The neighbourhoods in the order in which x is compared with them."""

    def _first(self, state: QueryState) -> tuple[int, int] | None:
        """A random sample, and the one farthest from it of those that it has not been compared with."""
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
        """A sample that has been compared with some neighbourhoods, and the next of them."""
        known = state.known
        members = {int(x[0]) for x in hoods}
        for group in known.groups():
            if group[0] not in members:
                pair = self._against(state, hoods, group[0])
                if pair is not None:
                    return pair
        return None

    def _against(self, state: QueryState, hoods: list[np.ndarray], x: int) -> tuple[int, int] | None:
        """A sample and the nearest one of the first neighbourhood that it can be compared with."""
        known = state.known
        for k in self._order(state, hoods, x).tolist():
            hood = hoods[k]
            asked = any(x in pair and sum(pair) - x in hood for pair in known.unknown)
            if known.says(x, int(hood[0])) is None and not asked:
                return x, int(hood[np.square(state.X[hood] - state.X[x]).sum(axis=1).argmin()])
        return None


def _untouched(known: Known) -> np.ndarray:
    """The samples that nobody was asked about."""
    free = np.ones(known.n, np.bool_)
    free[known.used()] = False
    return np.flatnonzero(free)


def _farthest(state: QueryState, hoods: list[np.ndarray], loose: np.ndarray) -> int:
    """Of some samples the one whose nearest sample in a neighbourhood is farthest."""
    from sklearn.metrics import pairwise_distances_argmin_min

    far = pairwise_distances_argmin_min(state.X[loose], state.X[np.concatenate(hoods)])[1]
    return int(loose[far.argmax()])


class ExploreConsolidate(NeighbourhoodStrategy):
    """Find a sample of each cluster, then say of others where they belong, by Basu, Banerjee and Mooney (2004).

    Notes
    -----
    Explore: while there are fewer neighbourhoods than clusters, the sample farthest from all of theirs is compared with
    each, until one is its own; else it is a new one. Consolidate: random samples are compared with the neighbourhoods
    [1]_, from that of the nearest mean on. A sample is compared with the member of a neighbourhood nearest to it.

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
        assert pair is not None  # nobody was asked about x
        return pair

    def _order(self, state: QueryState, hoods: list[np.ndarray], x: int) -> np.ndarray:
        means = np.stack([state.X[hood].mean(axis=0) for hood in hoods])
        return np.argsort(np.square(means - state.X[x]).sum(axis=1), kind="stable")


class MinMax(ExploreConsolidate):
    """Explore as `ExploreConsolidate`, then ask about the least known samples, by Mallapragada, Jin and Jain (2008).

    Notes
    -----
    The next sample is the one whose largest similarity to a sample in a neighbourhood is smallest, and the
    neighbourhoods follow from the largest similarity on [1]_. For the paper's Gaussian similarity of any width these
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
