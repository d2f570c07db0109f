"""Pairs of samples that are together in two labellings, all of them or those that constraints leave open; for scores.

Pairs are counted from tables of labels, in integers, and never listed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree._labels import index_of, label_codes
from tripletree.errors import SHOWN, InvalidLabelsError

__all__ = ["crossed", "decided_pairs", "open_pairs", "pair_counts", "paired_codes", "pairs_within"]

CHUNK = 1_000_000  # counts that are looked at together


def paired_codes(y_true: Any, y_pred: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both labellings as codes 0..k-1, none missing, of one length."""
    codes = []
    y_pred = _in_order_of(y_true, y_pred)
    for labels, name in ((y_true, "y_true"), (y_pred, "y_pred")):
        code, _ = label_codes(labels, name)
        if (code < 0).any():
            i = int(np.flatnonzero(code < 0)[0])
            msg = f"entry {i} of {name} is missing: leave out the samples without a label in both"
            raise InvalidLabelsError(msg, position=i)
        codes.append(code)
    a, b = codes
    if a.size != b.size:
        msg = f"y_true has {a.size} labels and y_pred {b.size}: each needs one for each sample"
        raise InvalidLabelsError(msg)
    return a, b


def _in_order_of(y_true: Any, y_pred: Any) -> Any:
    """The second of two pandas Series, in the order of the first, if they have the same index in another order."""
    one, other = index_of(y_true), index_of(y_pred)
    if one is None or other is None or one == other or len(set(one)) < len(one) or set(one) != set(other):
        return y_pred
    value = dict(zip(other, y_pred.tolist(), strict=True))
    return [value[x] for x in one] if len(other) == len(one) else y_pred


def crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A code for each combination of two codes."""
    return np.unique(a * (int(b.max(initial=0)) + 1) + b, return_inverse=True)[1]


def pair_counts(a: np.ndarray, b: np.ndarray) -> tuple[int, int, int]:
    """Pairs of samples with both codes equal, with the first, with the second."""
    both, first, second = (int(pairs_within(np.bincount(codes))) for codes in (crossed(a, b), a, b))
    return both, first, second


def pairs_within(count: np.ndarray) -> np.int64:
    """Sum of count choose 2, exact in int64 up to 4 * 10**9 samples."""
    count = count.astype(np.int64)
    return (count * (count - 1) // 2).sum()


def open_pairs(codes: np.ndarray, group: np.ndarray, apart: np.ndarray) -> int:
    """Pairs of samples with one code that are neither in one group nor in two groups kept apart."""
    from scipy.sparse import csr_array

    k = int(codes.max(initial=0)) + 1
    entry, count = np.unique(group * k + codes, return_counts=True)
    found = int(pairs_within(np.bincount(codes)) - pairs_within(count))
    if apart.size == 0:
        return found
    table = csr_array((count.astype(np.int64), np.divmod(entry, k)), shape=(int(group.max()) + 1, k))
    steps = np.cumsum(np.diff(table.indptr)[apart].sum(axis=1))
    for some in np.split(apart, np.searchsorted(steps, np.arange(CHUNK, steps[-1], CHUNK))):
        if some.size:
            found -= int(table[some[:, 0]].multiply(table[some[:, 1]]).sum())
    return found


def decided_pairs(must_link: Any, cannot_link: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The must-link group of each sample (int64), and the different pairs of groups between which a cannot-link is."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    must, cannot = _positions(must_link, "must_link", n), _positions(cannot_link, "cannot_link", n)
    if must.size + cannot.size == 0:
        return np.arange(n), cannot
    graph = coo_array((np.ones(len(must), np.bool_), must.T), shape=(n, n)).tocsr()
    k, label = connected_components(graph, directed=False)
    group = label.astype(np.int64)
    ends = group[cannot]
    broken = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if broken.size:
        row = int(broken[0])
        i, j = cannot[row].tolist()
        path = _path(graph, i, j)
        shown = path if len(path) <= SHOWN else [*path[: SHOWN // 2], "...", *path[-SHOWN // 2 :]]
        msg = (
            f"pair {row} of cannot_link is ({i}, {j}), but must-links tie the two together: "
            f"{' - '.join(map(str, shown))}; drop one of these constraints"
        )
        raise ValueError(msg)
    key = np.unique(ends.min(axis=1) * k + ends.max(axis=1))
    return group, np.stack(np.divmod(key, k), axis=1)


def _positions(pairs: Any, name: str, n: int) -> np.ndarray:
    """Pairs of different sample positions as int64, shape (p, 2)."""
    try:
        array = np.asarray(list(pairs) if hasattr(pairs, "__next__") else pairs)
    except ValueError:
        msg = f"{name} must be pairs of sample positions, integers of shape (p, 2); the rows differ in length"
        raise ValueError(msg) from None
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        msg = f"{name} must be pairs of sample positions, integers of shape (p, 2), not {array.dtype} of {array.shape}"
        raise ValueError(msg)
    bad = np.flatnonzero(((array < 0) | (array >= n)).any(axis=1) | (array[:, 0] == array[:, 1]))
    if bad.size:
        row = int(bad[0])
        msg = f"pair {row} of {name} is {tuple(array[row].tolist())}: two different positions in 0..{n - 1} are wanted"
        raise ValueError(msg)
    return array.astype(np.int64)


def _path(graph: Any, i: int, j: int) -> list[int]:
    """A shortest path of must-links from i to j."""
    from scipy.sparse.csgraph import breadth_first_order

    before = breadth_first_order(graph, i, directed=False)[1]
    path = [j]
    while path[-1] != i:
        path.append(int(before[path[-1]]))
    return path[::-1]
