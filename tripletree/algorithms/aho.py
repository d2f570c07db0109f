"""BUILD on leaf indices: `build_aho_tree`. `one_tree` is this with labels and errors.

The Aho graph of a group of leaves has an edge ab for each triplet ab|c with all three leaves in the group. BUILD makes
its components the children of a node and goes on with each. A group of two leaves or more with just one component
cannot be split, and its triplets are inconsistent. `one_tree`, `is_consistent`, the search for conflicts, supertrees
and the estimators all call `build_aho_tree`. Its loops are in ``kernels/build.py`` and ``kernels/build_deep.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree import kernels


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
    nothing = np.empty(0, np.int32)
    if n == 1:
        return AhoTree(np.array([-1], np.int32), nothing)
    # Splitting each group from scratch is fast if groups shrink quickly, and quadratic on chains of groups that
    # hardly shrink (a caterpillar). The kernel leaves these for `split_deep` and lists them: ranges lo..hi of `leaves`
    # and tlo..thi of the columns of `abc`, which it sorts in place, and the node v that the group hangs from.
    abc = np.array(rows.T, dtype=np.int32, order="C")
    leaf_up, inner_up, leaves, deferred, failed = kernels.interruptible(
        kernels.build.build, abc, n, True, kernels.budget.new_budget()
    )
    if failed[1] > 0:
        return AhoTree(nothing, leaves[failed[0] : failed[1]])
    inner = [inner_up]
    nodes = inner_up.size
    for lo, hi, tlo, thi, v in deferred.tolist():
        part = leaves[lo:hi]
        part_leaf_up, part_inner_up, part_failed = split_deep(abc[:, tlo:thi], part, n)
        if part_failed.size:
            return AhoTree(nothing, part_failed)
        # node 0 of the part is node v of the whole, the others get the next free numbers
        number = np.arange(nodes - 1, nodes - 1 + part_inner_up.size, dtype=np.int32)
        number[0] = v
        leaf_up[part] = number[part_leaf_up]
        inner.append(number[part_inner_up[1:]])
        nodes += part_inner_up.size - 1
    # inner nodes are numbered from the root down. A parent array numbers them from the leaves up
    up = np.concatenate(inner)
    parent = np.concatenate([n + nodes - 1 - leaf_up, n + nodes - 1 - up[::-1]]).astype(np.int32)
    parent[-1] = -1
    return AhoTree(parent, nothing)


def split_deep(abc: np.ndarray, leaves: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """BUILD for a deep group: components are kept up to date while triplets are deleted (Even and Shiloach 1981).

    Parameters
    ----------
    abc : ndarray of int32, shape (3, m)
        The triplets inside the group.
    leaves : ndarray of int32, shape (k,)
        The leaves of the group, among 0..n-1.

    Returns
    -------
    leaf_up : ndarray of int32, shape (k,)
        The inner node above each leaf, in the order of `leaves`. Node 0 is the top of the group.
    inner_up : ndarray of int32
        The inner node above each inner node.
    failed : ndarray of int32
        As in `AhoTree`.
    """
    k = leaves.size
    number = np.empty(n, np.int32)
    number[leaves] = np.arange(k, dtype=np.int32)
    own, tree, walk, parts = kernels.build_deep.prepare(number[abc], k)
    if parts == 1:
        return leaves[:0], leaves[:0], leaves
    leaf_up, inner_up, failed = kernels.interruptible(
        kernels.build_deep.build_deep, own, tree, k, kernels.budget.new_budget()
    )
    # the kernel numbers leaves along a walk of the spanning forest
    leaf_at = np.empty(k, np.int32)
    leaf_at[walk] = leaves
    return leaf_up[walk], inner_up, leaf_at[failed]
