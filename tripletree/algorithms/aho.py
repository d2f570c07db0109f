"""BUILD on leaf indices: `build_aho_tree`. `one_tree` is this with labels and errors.

The Aho graph of a group of leaves has an edge ab for each triplet ab|c with all three leaves in the group. BUILD makes
its components the children of a node and goes on with each. A group of two leaves or more with just one component
cannot be split, and its triplets are inconsistent. `one_tree`, `is_consistent`, the search for conflicts, supertrees
and the estimators all call `build_aho_tree`. Its loops are in ``_core/build.hpp`` and ``_core/build_deep.hpp``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree._core import engine


class AhoTree(NamedTuple):
    """The result of `build_aho_tree`. Exactly one of the two arrays is empty.

    Attributes
    ----------
    parent : ndarray of int32
        Parent array of the tree (leaves 0..n-1 first, parents after their children). Empty if BUILD failed.
    failed : ndarray of int32
        If BUILD failed, the leaves of a group that its triplets tie together.
    """

    parent: np.ndarray
    failed: np.ndarray


def build_aho_tree(rows: np.ndarray, n: int) -> AhoTree:
    """Run BUILD.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3)
        Triplets (a, b, c), as in ``TripletSet.rows``.
    n : int
        Number of leaves, at least 1.

    Returns
    -------
    AhoTree

    Examples
    --------
    >>> parent, failed = build_aho_tree(np.array([[0, 1, 2]], np.int32), 3)
    >>> parent.tolist(), failed.size
    ([3, 3, 4, 4, -1], 0)
    >>> parent, failed = build_aho_tree(np.array([[0, 1, 2], [1, 2, 0]], np.int32), 3)
    >>> parent.size, sorted(failed.tolist())
    (0, [0, 1, 2])
    """
    return AhoTree(*engine.build.build(np.ascontiguousarray(rows, np.int32), n))
