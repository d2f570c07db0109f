"""The smallest set of triplets that says what pairs say of hierarchies, on arrays."""

from __future__ import annotations

import numpy as np

from tripletree.pairs._closure import PairClosure, blocks

__all__ = ["n_triplets", "spanning_rows", "triplet_rows"]


def n_triplets(closure: PairClosure) -> int:
    """How many triplets `triplet_rows` gives."""
    return int((closure.sizes[closure.cannot] - 1).sum())


def spanning_rows(must: np.ndarray, strength: np.ndarray | None, n: int) -> np.ndarray:
    """Numbers of must-links that form a spanning forest: one of the strongest, ties as the rows stand. Ascending."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    order = np.arange(must.shape[0]) if strength is None else np.argsort(-strength, kind="stable")
    rank = np.empty(order.size)
    rank[order] = np.arange(1, order.size + 1)  # all different, so that there is one answer
    tree = minimum_spanning_tree(coo_array((rank, (must[:, 0], must[:, 1])), shape=(n, n)).tocsr())
    return np.sort(order[np.sort(tree.data).astype(np.int64) - 1])


def triplet_rows(
    closure: PairClosure,
    must: np.ndarray,
    must_strength: np.ndarray | None,
    cannot: np.ndarray,
    link: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For components A, B kept apart: ab|y for each must-link ab of a spanning tree of A, cd|x for those of B.

    Parameters
    ----------
    closure : PairClosure
    must, must_strength, cannot : ndarray
    link : ndarray of float64 or None
        Strengths of the cannot-links: of those between A and B, x-y is the first of the strongest.

    Returns
    -------
    rows : ndarray of int32, shape (m, 3)
        Sorted, unique.
    must_row, cannot_row : ndarray of int64, shape (m,)
        The links from which each comes.
    """
    tree = spanning_rows(must, must_strength, len(closure.leaves)) if n_triplets(closure) else np.empty(0, np.int64)
    owner = closure.component[must[tree, 0]]
    tree = tree[np.argsort(owner, kind="stable")]
    start = np.cumsum(closure.sizes - 1) - (closure.sizes - 1)
    # the cannot-link that stands for each pair of components
    ends = closure.component[cannot]
    flip = ends[:, 0] > ends[:, 1]
    key = ends.min(axis=1).astype(np.int64) * closure.n_components + ends.max(axis=1) if len(ends) else ends[:, 0]
    order = np.lexsort((np.arange(key.size), np.zeros(key.size) if link is None else -link, key))
    chosen = order[np.unique(key[order], return_index=True)[1]]
    x = np.where(flip, cannot[:, 1], cannot[:, 0])[chosen]
    y = np.where(flip, cannot[:, 0], cannot[:, 1])[chosen]
    inside = np.concatenate([closure.cannot[:, 0], closure.cannot[:, 1]])
    outside, row = np.concatenate([y, x]), np.concatenate([chosen, chosen])
    block, at, which = blocks(
        start[inside], closure.sizes[inside] - 1, np.arange(inside.size), np.ones(inside.size, int)
    )
    must_row = tree[at]
    rows = np.column_stack([must[must_row], outside[which]]).astype(np.int32)
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
    return rows[order], must_row[order], row[block][order]
