"""Clusters of one snapshot matched with those of the one before, and how objects move between them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["match_clusters", "moves", "nearest_order"]


def nearest_order(centres: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Order centres such that they lie near earlier ones, one each, with the least sum of squared distances.

    Parameters
    ----------
    centres, earlier : ndarray of float64, shape (k, d)

    Returns
    -------
    ndarray of int64, shape (k,)
        ``centres[order][i]`` goes with ``earlier[i]``.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    _, order = linear_sum_assignment(cdist(earlier, centres, "sqeuclidean"))
    return order


def match_clusters(before: Any, after: Any) -> np.ndarray:
    """Match clusters of the same objects at two times so that as many objects as possible stay in theirs.

    Parameters
    ----------
    before, after : array_like of int, shape (n,)
        The cluster of each object, 0, 1, ...; -1 where an object was not there.

    Returns
    -------
    ndarray of int64, shape (n_after,)
        The earlier cluster that each later one goes on from, -1 for a new one, with which no object is shared. No two
        go on from the same.

    Raises
    ------
    ValueError
        If the two differ in length, or hold numbers below -1.

    Notes
    -----
    The assignment problem on the numbers of objects shared, solved exactly (``scipy``): O(n + k^3).

    Examples
    --------
    >>> match_clusters([0, 0, 1, 1, 1], [1, 1, 0, 0, 2]).tolist()
    [1, 0, -1]
    """
    from scipy.optimize import linear_sum_assignment

    shared = moves(before, after)[:-1, :-1]
    found = np.full(shared.shape[1], -1, np.int64)
    old, new = linear_sum_assignment(shared, maximize=True)
    keep = shared[old, new] > 0
    found[new[keep]] = old[keep]
    return found


def moves(before: Any, after: Any, sizes: tuple[int, int] | None = None) -> np.ndarray:
    """Count the objects that go from each cluster to each; the last row and column stand for "not there".

    Parameters
    ----------
    before, after : array_like of int, shape (n,)
        As for `match_clusters`.
    sizes : (int, int), optional
        Numbers of clusters, else one more than the largest number.

    Returns
    -------
    ndarray of int64, shape (k_before + 1, k_after + 1)
    """
    a, b = (np.asarray(x, dtype=np.int64) for x in (before, after))
    if a.shape != b.shape or a.ndim != 1:
        msg = f"clusters of the same objects are wanted twice, arrays of one length; got shapes {a.shape} and {b.shape}"
        raise ValueError(msg)
    low = min(a.min(initial=0), b.min(initial=0))
    if low < -1:
        msg = f"clusters are numbered 0, 1, ..., and -1 is for objects that are not there; got {low}"
        raise ValueError(msg)
    k, m = sizes or (int(a.max(initial=-1)) + 1, int(b.max(initial=-1)) + 1)
    a, b = np.where(a < 0, k, a), np.where(b < 0, m, b)
    return np.bincount(a * (m + 1) + b, minlength=(k + 1) * (m + 1)).reshape(k + 1, m + 1)
