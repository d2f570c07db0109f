"""Splitting leaves by triplets down to single leaves: what `one_tree`, `is_consistent` and conflicts stand on."""

from __future__ import annotations

import numpy as np

from tripletree import kernels

__all__ = [
    "split_down",
]


def split_down(rows: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Run BUILD: by plain splitting, and where that would go deep, by components kept up to date.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3)
        Triplets (a, b, c), as in ``TripletSet.rows``.
    n : int
        Number of leaves, at least 1.

    Returns
    -------
    parent : ndarray of int32
        A parent array over the n leaves (empty if it failed).
    failed : ndarray of int32
        Leaves of a group that the triplets inside it tie together (empty if there is none).

    Examples
    --------
    >>> parent, failed = split_down(np.array([[0, 1, 2]], np.int32), 3)
    >>> parent.tolist(), failed.size
    ([3, 3, 4, 4, -1], 0)
    """
    nothing = np.empty(0, np.int32)
    if n == 1:
        return np.array([-1], np.int32), nothing
    abc = np.array(rows.T, dtype=np.int32, order="C")
    leaf_up, inner_up, leaves, deferred, failed = kernels.build.build(abc, n, True)
    if failed[1] > 0:
        return nothing, leaves[failed[0] : failed[1]]
    inner = [inner_up]
    nodes = inner_up.size
    for lo, hi, tlo, thi, v in deferred.tolist():
        part = leaves[lo:hi]
        deep_leaf_up, deep_inner_up, deep_failed = _split_deep(abc[:, tlo:thi], part, n)
        if deep_failed.size:
            return nothing, deep_failed
        # node 0 below is node v here, the others get the next free numbers
        number = np.arange(nodes - 1, nodes - 1 + deep_inner_up.size, dtype=np.int32)
        number[0] = v
        leaf_up[part] = number[deep_leaf_up]
        inner.append(number[deep_inner_up[1:]])
        nodes += deep_inner_up.size - 1
    # inner nodes were numbered from the root down: turn them round
    up = np.concatenate(inner)
    parent = np.concatenate([n + nodes - 1 - leaf_up, n + nodes - 1 - up[::-1]]).astype(np.int32)
    parent[-1] = -1
    return parent, nothing


def _split_deep(abc: np.ndarray, leaves: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for a subproblem: inner nodes above its leaves and inner nodes, and leaves that do not split."""
    k = leaves.size
    number = np.empty(n, np.int32)
    number[leaves] = np.arange(k, dtype=np.int32)
    own, tree, walk, parts = kernels.build_deep.prepare(number[abc], k)
    if parts == 1:
        return leaves[:0], leaves[:0], leaves
    leaf_up, inner_up, failed = kernels.build_deep.build_deep(own, tree, k)
    at = np.empty(k, np.int32)  # the leaf that got each number
    at[walk] = leaves
    return leaf_up[walk], inner_up, at[failed]
