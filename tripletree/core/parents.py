"""What a parent array and the values beside it must satisfy; used by `Hierarchy` when one is constructed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.errors import InvalidHierarchyError
from tripletree.kernels import freeze, frozen

__all__ = [
    "check_parent",
    "children_first",
    "displayed_count",
    "exact_dot",
    "nested_parent",
    "node_names",
    "node_ranks",
    "node_values",
    "number_of_leaves",
    "renumbered",
    "restricted",
    "scrambled",
    "sibling_pairs",
]


def check_parent(parent: Any) -> np.ndarray:
    """The parent array as read-only int32, its entries in range, one root."""
    try:
        array = np.asarray(parent)
    except ValueError:
        msg = "parent must be a one-dimensional array of integers; this one is ragged"
        raise InvalidHierarchyError(msg) from None
    if array.ndim != 1 or array.size == 0:
        msg = f"parent must be a non-empty one-dimensional array, not of shape {array.shape}"
        raise InvalidHierarchyError(msg)
    if array.dtype.kind not in "iu":
        msg = f"parent must hold integers (node numbers, -1 for the root), not {array.dtype}"
        raise InvalidHierarchyError(msg)
    bad = np.flatnonzero((array < -1) | (array >= array.size))
    if bad.size:
        u = int(bad[0])
        msg = f"the parent of node {u} is {int(array[u])}, which is no node: nodes are 0..{array.size - 1}, -1 is none"
        raise InvalidHierarchyError(msg, node=u)
    roots = np.flatnonzero(array == -1)
    if roots.size > 1:
        msg = f"{roots.size} roots (parent -1): nodes {', '.join(map(str, roots[:5].tolist()))}; exactly one is wanted"
        raise InvalidHierarchyError(msg, node=int(roots[1]))
    return frozen(array)


def number_of_leaves(parent: np.ndarray, wanted: int | None) -> int:
    """How many leaves there are: the childless nodes, which must be the first ones and as many as wanted."""
    childless = np.flatnonzero(np.bincount(parent[parent >= 0], minlength=parent.size) == 0)
    n = childless.size
    if wanted is None:
        wanted = n
    if wanted == 0:
        msg = "a hierarchy needs at least one leaf, and no label is given"
        raise InvalidHierarchyError(msg)
    beyond = childless[childless >= wanted]
    if beyond.size:
        u = int(beyond[0])
        msg = f"inner node {u} has no children: the {wanted} leaves must be nodes 0..{wanted - 1}"
        raise InvalidHierarchyError(msg, node=u)
    if n < wanted:
        if wanted > parent.size:
            msg = f"{wanted} leaf labels for {parent.size} nodes"
            raise InvalidHierarchyError(msg)
        u = int(np.setdiff1d(np.arange(wanted), childless)[0])
        msg = f"node {u} has children, but the {wanted} leaves must be nodes 0..{wanted - 1}"
        raise InvalidHierarchyError(msg, node=u)
    return n


def children_first(parent: np.ndarray, n: int) -> np.ndarray | None:
    """The nodes in an order that puts children first, or None where they stand so; cycles are refused."""
    N = parent.size
    if parent[-1] == -1 and bool((parent[:-1] > np.arange(N - 1)).all()):
        return None
    order = kernels.rooted_tree.topological_order(parent, n)
    if order.size < N:
        u = int(np.setdiff1d(np.arange(N), order)[0])
        seen: list[int] = []
        while u not in seen:
            seen.append(u)
            u = int(parent[u])
        cycle = seen[seen.index(u) :]
        shown = " -> ".join(map(str, [*cycle[:8], "..."] if len(cycle) > 8 else [*cycle, cycle[0]]))
        msg = f"the parents run in a cycle: {shown}"
        raise InvalidHierarchyError(msg, node=u)
    return order


def renumbered(parent: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The parent array with the nodes in the given order."""
    number = np.empty(parent.size, np.int32)
    number[order] = np.arange(parent.size, dtype=np.int32)
    above = parent[order]
    return freeze(np.where(above >= 0, number[above], np.int32(-1)).astype(np.int32))


def restricted(
    parent: np.ndarray, n: int, kept: np.ndarray, keep_unary: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parent array on the leaves `kept`, the old number of each of its nodes, and the mask of those nodes."""
    keep_leaf = np.zeros(n, np.bool_)
    keep_leaf[kept] = True
    keep, up = kernels.rooted_tree.kept_nodes(parent, freeze(keep_leaf), keep_unary)
    old = np.concatenate([kept, np.flatnonzero(keep[n:]) + n]).astype(np.int32)
    number = np.full(parent.size + 1, -1, np.int32)  # the last entry serves parent -1
    number[old] = np.arange(old.size, dtype=np.int32)
    return freeze(number[up[old]]), old, freeze(keep)


def sibling_pairs(parent: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """For each node x but the root, how many pairs of leaves a below x, b below a later sibling of x: int64.

    `start` and `stop` are the clades in a depth-first order of the leaves. Of the pairs that meet at a node each is
    counted once, below the one child or the other.
    """
    start, stop = start.astype(np.int64), stop.astype(np.int64)
    return (stop[:-1] - start[:-1]) * (stop[parent[:-1]] - stop[:-1])


def exact_dot(pairs: np.ndarray, outside: np.ndarray) -> int:
    """The sum of the products of two arrays of int64, which may outgrow 64 bits."""
    low, high = int(np.dot(pairs, outside & 0xFFFF)), int(np.dot(pairs, outside >> 16))
    return low + (high << 16)


def displayed_count(parent: np.ndarray, n: int) -> int:
    """How many triplets a tree of n leaves displays."""
    start, stop, _ = kernels.rooted_tree.leaf_intervals(parent, n)
    up = parent[:-1]
    return exact_dot(sibling_pairs(parent, start, stop), n - (stop[up] - start[up]).astype(np.int64))


def node_values(values: Any, what: str, N: int, order: np.ndarray | None) -> np.ndarray | None:
    """Heights or lengths as read-only float64 in node order."""
    if values is None:
        return None
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{what} must be numbers, one for each of the {N} nodes"
        raise InvalidHierarchyError(msg) from None
    if array.shape != (N,):
        msg = f"{what} must have one entry for each of the {N} nodes, not shape {array.shape}"
        raise InvalidHierarchyError(msg)
    if np.isinf(array).any():
        u = int(np.flatnonzero(np.isinf(array))[0])
        msg = f"the {what} of node {u} is {array[u]}; it must be finite (NaN, in length, where it is unknown)"
        raise InvalidHierarchyError(msg, node=u)
    return freeze(array if order is None else array[order])


def node_names(names: Any, n: int, N: int, order: np.ndarray | None) -> tuple[str | None, ...] | None:
    """Names of the inner nodes in node order; None when there are none at all."""
    if names is None:
        return None
    names = [None if x is None or x == "" else str(x) for x in names]
    if len(names) != N - n:
        msg = f"names must have one entry for each of the {N - n} inner nodes, not {len(names)}"
        raise InvalidHierarchyError(msg)
    if order is not None:
        names = [names[u - n] for u in order[n:].tolist()]
    return tuple(names) if any(x is not None for x in names) else None


def node_ranks(ranks: Any, N: int, order: np.ndarray | None) -> tuple[str | None, ...] | None:
    """Ranks of all nodes in node order; None when there are none at all."""
    if ranks is None:
        return None
    ranks = [None if x is None or x == "" else str(x) for x in ranks]
    if len(ranks) != N:
        msg = f"ranks must have one entry for each of the {N} nodes, leaves included, not {len(ranks)}"
        raise InvalidHierarchyError(msg)
    if order is not None:
        ranks = [ranks[u] for u in order.tolist()]
    return tuple(ranks) if any(x is not None for x in ranks) else None


def nested_parent(nested: Any) -> tuple[list[int], list[Any]]:
    """Parent list and leaf labels of lists or tuples in each other."""
    labels: list[Any] = []
    leaf_above: list[int] = []
    above: list[int] = []  # parents of the inner nodes, all numbered in preorder
    stack: list[tuple[Any, int]] = [(nested, -1)]
    while stack:
        item, p = stack.pop()
        if isinstance(item, (list, tuple)):
            if not item:
                msg = "an empty list stands for no node: every inner node needs at least one child"
                raise InvalidHierarchyError(msg)
            above.append(p)
            stack.extend((x, len(above) - 1) for x in reversed(item))
        else:
            labels.append(item)
            leaf_above.append(p)
    # preorder numbers reversed put every child before its parent
    last = len(labels) + len(above) - 1
    return [last - p if p >= 0 else -1 for p in leaf_above + above[::-1]], labels


def scrambled(x: np.ndarray) -> np.ndarray:
    """One step of splitmix64 (Steele, Lea, Flood 2014), elementwise on uint64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
