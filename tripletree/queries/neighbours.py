"""Nearest neighbours of some samples, from an index that is made once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["Neighbours"]

#: From so many samples and features on, pynndescent is used where it is installed: trees do not help there.
_MANY, _WIDE = 200_000, 16
#: Below so many numbers a tree is always good enough; above, scikit-learn chooses.
_SMALL = 1_000_000
#: At least so many neighbours are looked up, and kept.
_LEAST = 8


class Neighbours:
    """The nearest other samples of samples of X.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)

    Notes
    -----
    Trees, or comparing with all samples where scikit-learn deems that better. Where there are more than 200,000 samples
    of more than 15 features and pynndescent is installed, its approximate neighbours are taken. What has been looked up
    is kept.

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
        """Find the k nearest other samples of some samples, fewer where there are not so many.

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
        wanted = rows.tolist()
        new = np.array([i for i in dict.fromkeys(wanted) if i not in self._kept], np.int64)
        if new.size:
            self._kept.update(zip(new.tolist(), zip(*self._look_up(new), strict=True), strict=True))
        where, far = zip(*(self._kept[i] for i in wanted), strict=True)
        return np.stack(where)[:, :k], np.stack(far)[:, :k]

    def _look_up(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = self._width
        where, far = (np.asarray(x) for x in self._index(self._X[rows], k + 1))
        own = where == rows[:, None]
        own[~own.any(axis=1), k] = True  # equal samples may have taken its place
        return where[~own].reshape(-1, k).astype(np.int64), far[~own].reshape(-1, k).astype(np.float64)
