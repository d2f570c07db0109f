"""Constraint inheritance: neighbours of two samples inherit the answer about them, with a smaller weight."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tripletree.cluster.active.closure import AnswerClosure
from tripletree.core.checks import check_count
from tripletree.core.pairs import PairwiseConstraints

# ----------------------------------------------------------------------
# Nearest neighbours of some samples, from an index that is made once.

#: From 200,000 samples and 16 features on, pynndescent is used if it is installed: trees do not help there.
_MANY, _WIDE = 200_000, 16
#: Below 1,000,000 numbers a tree is always good enough. Above, scikit-learn chooses.
_SMALL = 1_000_000
#: At least 8 neighbours are looked up, and kept.
_LEAST = 8


class Neighbours:
    """The nearest other samples of samples of X.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)

    Notes
    -----
    Trees, or comparing with all samples if scikit-learn deems that better. If there are more than 200,000 samples
    of more than 15 features and pynndescent is installed, its approximate neighbours are taken. Neighbours that have
    been looked up is kept.

    Examples
    --------
    >>> import numpy as np
    >>> where, far = Neighbours(np.array([[0.0], [1.0], [3.0]])).of(np.array([0, 2]), 1)
    >>> where.tolist(), far.tolist()
    ([[1], [1]], [[1.0], [2.0]])
    """

    def __init__(self, X: np.ndarray) -> None:
        self._X = X
        self._kept: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._width = 0

    @cached_property
    def _index(self) -> Any:
        n, d = self._X.shape
        if n > _MANY and d >= _WIDE:
            try:
                from pynndescent import NNDescent
            except ImportError:
                pass
            else:
                index = NNDescent(self._X, random_state=0)
                return lambda rows, k: index.query(rows, k=k)
        from sklearn.neighbors import NearestNeighbors

        exact = NearestNeighbors(algorithm="kd_tree" if n * d <= _SMALL else "auto").fit(self._X)
        return lambda rows, k: exact.kneighbors(rows, n_neighbors=k)[::-1]

    def of(self, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Find the k nearest other samples of some samples, fewer if there are fewer.

        Parameters
        ----------
        rows : ndarray of int, shape (m,)
        k : int

        Returns
        -------
        where : ndarray of int64, shape (m, k)
            From the nearest on.
        far : ndarray of float64, shape (m, k)
            Their distances.
        """
        rows = np.asarray(rows, np.int64)
        k = max(0, min(k, self._X.shape[0] - 1))
        if k > self._width:
            self._kept.clear()
            self._width = min(max(k, _LEAST), self._X.shape[0] - 1)
        if k == 0 or rows.size == 0:
            return np.empty((rows.size, k), np.int64), np.empty((rows.size, k))
        asked = rows.tolist()
        new = np.array([i for i in dict.fromkeys(asked) if i not in self._kept], np.int64)
        if new.size:
            self._kept.update(zip(new.tolist(), zip(*self._look_up(new), strict=True), strict=True))
        where, far = zip(*(self._kept[i] for i in asked), strict=True)
        return np.stack(where)[:, :k], np.stack(far)[:, :k]

    def _look_up(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = self._width
        where, far = (np.asarray(x) for x in self._index(self._X[rows], k + 1))
        own = where == rows[:, None]
        own[~own.any(axis=1), k] = True  # equal samples may have taken its place
        return where[~own].reshape(-1, k).astype(np.int64), far[~own].reshape(-1, k).astype(np.float64)


def inherited_pairs(
    pairs: PairwiseConstraints,
    neighbours: Neighbours,
    n_neighbors: int = 3,
    *,
    known: AnswerClosure | None = None,
    nonconfident: PairwiseConstraints | None = None,
) -> PairwiseConstraints:
    """Return answers together with the pairs that nearest neighbours of their samples inherit from them.

    Parameters
    ----------
    pairs : PairwiseConstraints
        The answers, over the samples, with their weights, if any.
    neighbours : Neighbours
        Nearest neighbours among the same samples.
    n_neighbors : int, default 3
        Only neighbours nearer than this one inherit (mu). 1: only equal samples.
    known : AnswerClosure, optional
        The closure of the answers. Made from `pairs` if it is not given.
    nonconfident : PairwiseConstraints, optional
        Further pairs that are not answers, such as pairs propagated from another time. They count like inherited ones:
        nothing is inherited from them, and answers override them.

    Returns
    -------
    PairwiseConstraints
        With weights: `pairs` keep theirs, the others have smaller ones.

    Notes
    -----
    The inheritance of Mai et al. ([1]_, section 3.2, Eqs. 5 and 6). A neighbour x of a sample a, at the distance d,
    stands for a with the weight 1 - d / h (triangular kernel), where h is the distance of the mu-th neighbour. A itself
    with 1. A pair (x, y) inherits from (a, b) the product of both, times the weight of (a, b). The largest if there are
    several. So an answer gives at most mu^2 - 1 further pairs, unless samples are equal.

    If a pair inherits a must-link and a cannot-link, the one with the larger weight wins, with the difference of both.
    No inherited pair contradicts an answer or a consequence of answers. The paper's default is mu = 4. It
    leaves open how inherited pairs meet `nonconfident` ones (its propagated pairs, section 3.3). Here Eq. 6 is used.

    References
    ----------
    .. [1] Mai, Amer-Yahia, Douzal Chouakria, Nguyen, Nguyen (2018), Scalable active constrained clustering for temporal
       data, DASFAA 2018, LNCS 10827.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [4.0], [9.0]])
    >>> p = inherited_pairs(PairwiseConstraints([], [(0, 3)], 4), Neighbours(X), 2)
    >>> p.cannot_link.tolist(), p.cannot_weights.round(2).tolist()
    ([[0, 2], [0, 3], [1, 2], [1, 3]], [0.38, 1.0, 0.28, 0.75])
    """
    inherit = check_count(n_neighbors, "n_neighbors") > 0 and len(pairs) > 0
    if not inherit and (nonconfident is None or len(nonconfident) == 0):
        return pairs
    known = AnswerClosure.of(pairs) if known is None else known
    n = len(pairs.leaves)
    strong: dict[tuple[int, int], float] = {}
    keen: dict[tuple[int, int], float] = {}
    if inherit:
        used = pairs.used_leaves
        where, weight = kernel_weights(neighbours, used, n_neighbors)
        strong = _inherited(where, weight, np.searchsorted(used, pairs.must_link), pairs.must_weights, n)
        keen = _inherited(where, weight, np.searchsorted(used, pairs.cannot_link), pairs.cannot_weights, n)
    if nonconfident is not None:
        _raise_to(strong, nonconfident.must_link, nonconfident.must_weights)
        _raise_to(keen, nonconfident.cannot_link, nonconfident.cannot_weights)
    answered = {(a, b) for a, b in pairs.rows.tolist()}
    rows: tuple[list, list] = (pairs.must_link.tolist(), pairs.cannot_link.tolist())
    weights: tuple[list, list] = tuple(
        [1.0] * len(r) if s is None else s.tolist()
        for r, s in ((pairs.must_link, pairs.must_weights), (pairs.cannot_link, pairs.cannot_weights))
    )  # type: ignore[assignment]
    for pair in sorted(strong.keys() | keen.keys()):
        left = strong.get(pair, 0.0) - keen.get(pair, 0.0)
        if pair in answered or left == 0.0 or known.implied(*pair) is (left < 0.0):
            continue
        rows[left < 0.0].append(pair)
        weights[left < 0.0].append(abs(left))
    return PairwiseConstraints(*rows, pairs.leaves, must_weights=weights[0], cannot_weights=weights[1])


def kernel_weights(neighbours: Neighbours, rows: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples with their neighbours, and how much each stands for the sample: two (m, mu + 1) arrays."""
    where, far = neighbours.of(rows, n_neighbors)
    width = far[:, -1:]
    weight = np.where(far > 0, 1.0 - far / np.where(width > 0, width, 1.0), 1.0)
    own = np.asarray(rows, np.int64)[:, None]
    return np.concatenate([own, where], axis=1), np.concatenate([np.ones(own.shape), weight], axis=1)


def _inherited(
    where: np.ndarray, weight: np.ndarray, number: np.ndarray, link_weight: np.ndarray | None, n: int
) -> dict[tuple[int, int], float]:
    """Return the weight of each pair that inherits from links between rows of `where`."""
    if len(number) == 0:
        return {}
    a, b = number.T
    one = np.repeat(where[a], where.shape[1], axis=1).ravel()
    two = np.tile(where[b], (1, where.shape[1])).ravel()
    value = (weight[a][:, :, None] * weight[b][:, None, :]).reshape(len(number), -1)
    value = (value if link_weight is None else value * link_weight[:, None]).ravel()
    some = (one != two) & (value > 0)
    key = np.minimum(one, two)[some] * n + np.maximum(one, two)[some]
    value = value[some]
    keys, place = np.unique(key, return_inverse=True)
    largest = np.zeros(keys.size)
    np.maximum.at(largest, place, value)
    return dict(zip(zip(*(x.tolist() for x in np.divmod(keys, n)), strict=True), largest.tolist(), strict=True))


def _raise_to(table: dict[tuple[int, int], float], rows: np.ndarray, weight: np.ndarray | None) -> None:
    """Add pairs to a table of weights. A pair that is there already keeps the larger weight."""
    for (i, j), w in zip(rows.tolist(), np.ones(len(rows)) if weight is None else weight.tolist(), strict=True):
        table[i, j] = max(table.get((i, j), 0.0), float(w))
