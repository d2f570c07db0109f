"""Scipy linkage matrices: to a hierarchy and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, tell_lost_marks
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidHierarchyError


def from_linkage(Z: Any, leaves: LeafIndex | Iterable[Hashable] | int | None = None) -> Hierarchy:
    """Make a hierarchy from a scipy linkage matrix.

    Row i merges two clusters and becomes node n + i, at the height in its third column: ``to_linkage`` gives the same
    matrix back. Heights may fall from one merge to the next, as under constraints or centroid linkage.

    Parameters
    ----------
    Z : array_like of float, shape (n - 1, 4)
        The two clusters merged, their distance, and the number of leaves in the new one.
    leaves : LeafIndex, iterable of labels, int or None
        Labels of the n leaves. By default 0..n-1.

    Returns
    -------
    Hierarchy
        Binary, with leaves at height 0.

    Raises
    ------
    InvalidHierarchyError
        If `Z` is not a linkage: wrong shape, a cluster number that is not an integer, is used twice or before it is
        formed, a height that is not finite, a size that is not the sum of the two merged, or if there are not n
        leaves. ``.node`` is the node that the first such row should form.

    See Also
    --------
    to_linkage : the inverse.

    Examples
    --------
    >>> h = from_linkage([[0, 1, 0.5, 2], [2, 3, 2.0, 3]], ["human", "chimp", "gorilla"])
    >>> h == Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    True
    >>> h.height.tolist()
    [0.0, 0.0, 0.0, 0.5, 2.0]
    """
    Z = _check_linkage(Z)
    n = Z.shape[0] + 1
    if leaves is None:
        leaves = LeafIndex(n)
    elif not isinstance(leaves, LeafIndex):
        leaves = LeafIndex(leaves)
    if len(leaves) != n:
        msg = f"{len(leaves)} leaf labels for a linkage of {n - 1} merges, which has {n} leaves"
        raise InvalidHierarchyError(msg)
    parent = np.full(2 * n - 1, -1, np.int32)
    parent[Z[:, :2].astype(np.int64).ravel()] = np.repeat(np.arange(n, 2 * n - 1, dtype=np.int32), 2)
    height = np.concatenate([np.zeros(n), Z[:, 2]])
    hierarchy = Hierarchy(freeze(parent), leaves, height=height)
    start, stop, _ = hierarchy.leaf_intervals
    size = (stop - start)[n:]
    bad = np.flatnonzero(size != Z[:, 3])
    if bad.size:
        i = int(bad[0])
        msg = f"row {i} of the linkage says that the new cluster has {Z[i, 3]:g} leaves, but it has {int(size[i])}"
        raise InvalidHierarchyError(msg, node=n + i)
    return hierarchy


def _check_linkage(Z: Any) -> np.ndarray:
    """Return the linkage as float64, of the right shape, each cluster used once and after it is formed."""
    try:
        array = np.asarray(Z)
    except ValueError:
        msg = "a linkage has four numbers in every row; the rows differ in length"
        raise InvalidHierarchyError(msg) from None
    if array.dtype.kind not in "iuf":
        msg = f"a linkage holds numbers, not {array.dtype}"
        raise InvalidHierarchyError(msg)
    if array.ndim != 2 or array.shape[1] != 4:
        msg = (
            f"a linkage has shape (n - 1, 4), a row for each merge (cluster, cluster, height, size), not {array.shape}"
        )
        raise InvalidHierarchyError(msg)
    array = array.astype(np.float64)
    n = array.shape[0] + 1
    formed = np.arange(n, 2 * n - 1)
    pair = array[:, :2]
    whole = np.isfinite(pair) & (pair == np.floor(pair)) & (pair >= 0)
    for ok, what in (
        (whole.all(axis=1), "clusters are numbered by integers from 0"),
        ((pair < formed[:, None]).all(axis=1), "it uses a cluster that is not formed yet; those before it are 0..{}"),
        (np.isfinite(array[:, 2]), "heights must be finite"),
    ):
        bad = np.flatnonzero(~ok)
        if bad.size:
            i = int(bad[0])
            msg = f"row {i} of the linkage is {array[i].tolist()}: {what.format(n + i - 1)}"
            raise InvalidHierarchyError(msg, node=n + i)
    used = pair.astype(np.int64).ravel()
    _, first = np.unique(used, return_index=True)
    if first.size < used.size:
        again = int(np.setdiff1d(np.arange(used.size), first)[0])
        i, u = again // 2, int(used[again])
        row = int(np.flatnonzero(used == u)[0]) // 2
        how = f", which row {row} has merged already" if row < i else " with itself"
        msg = f"row {i} of the linkage is {array[i].tolist()}: it merges cluster {u}{how}"
        raise InvalidHierarchyError(msg, node=n + i)
    return array


def to_linkage(hierarchy: Hierarchy, *, monotone: bool = False, resolve: bool = False) -> np.ndarray:
    """Return a hierarchy as a scipy linkage matrix.

    Parameters
    ----------
    hierarchy : Hierarchy
        With n leaves. Binary, unless `resolve`.
    monotone : bool
        False for the hierarchy's own heights, which may fall from a cluster to the one it is merged into (under
        constraints, or with centroid linkage). True raises each to the highest one below it: as scipy's drawing and
        cutting functions take for granted.
    resolve : bool
        True merges the children of a node with several two at a time, all at its height, so that scipy can draw and cut
        any hierarchy. Nodes with one child are left out. Which two come first means nothing.

    Returns
    -------
    ndarray of float64, shape (n - 1, 4)
        Row i is node n + i, but where nodes were resolved: its two children, the smaller number first, its height and
        its number of leaves.

    Raises
    ------
    InvalidHierarchyError
        If some node does not have exactly two children, and `resolve` is False. ``.node`` is the first one.

    See Also
    --------
    from_linkage : the inverse.
    cut : flat clusters, which need no linkage and no monotone heights.

    Notes
    -----
    A linkage has its leaves at height 0. Leaves that stand elsewhere (branch lengths that are not ultrametric) lose
    their heights. The heights of the inner nodes stay. If the hierarchy has no heights, the number of edges down to the
    deepest leaf stands in, so that the matrix can be drawn.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    >>> to_linkage(h).tolist()
    [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 2.0, 3.0]]
    >>> to_linkage(Hierarchy.from_nested(["a", "b", "c"]), resolve=True).tolist()
    [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 1.0, 3.0]]
    """
    hierarchy = check_hierarchy(hierarchy)
    n = hierarchy.n_leaves
    if resolve:
        hierarchy = hierarchy.suppress_unary()
    else:
        _check_binary(hierarchy)
    tell_lost_marks(hierarchy, "a linkage")
    height = hierarchy.height
    if height is None:
        height = engine.cut.levels(hierarchy.parent).astype(np.float64)
    if monotone:
        height = engine.cut.monotone_heights(hierarchy.parent, frozen(height, np.float64), n)
    start, stop, _ = hierarchy.leaf_intervals
    size, merges = stop - start, hierarchy.n_children[n:] - 1
    Z = np.empty((n - 1, 4))
    if n > 1:
        row = np.cumsum(merges)  # the row after the rows of each inner node; the last of its rows is the node
        number = np.concatenate([np.arange(n), n + row - 1])
        child = np.argsort(hierarchy.parent[:-1], kind="stable")  # the children of node n, of node n + 1, ...
        first = np.cumsum(merges + 1) - merges - 1
        Z[:, 1] = number[np.delete(child, first)]
        Z[:, 0] = np.arange(n - 1, 2 * n - 2)  # the merge before, but for the first of a node
        Z[row - merges, 0] = number[child[first]]
        Z[:, :2].sort(axis=1)
        total = np.cumsum(size[child])
        total -= np.repeat(total[first] - size[child[first]], merges + 1)
        Z[:, 3] = np.delete(total, first)
    Z[:, 2] = np.repeat(height[n:], merges)
    return Z


def _check_binary(hierarchy: Hierarchy) -> None:
    """Refuse a hierarchy in which some inner node does not have two children."""
    if hierarchy.is_binary:
        return
    n = hierarchy.n_leaves
    u = int(np.flatnonzero(hierarchy.n_children[n:] != 2)[0]) + n
    k = int(hierarchy.n_children[u])
    name = hierarchy.label(u)
    node = f"node {u}" if name is None else f"node {u} ({name!r})"
    advice = (
        "drop such nodes with suppress_unary()"
        if k == 1
        else "to_linkage(hierarchy, resolve=True) merges them at one height (plot_dendrogram and cut need none)"
    )
    msg = f"{node} has {k} {'child' if k == 1 else 'children'}: a linkage merges two clusters at a time; {advice}"
    raise InvalidHierarchyError(msg, node=u)
