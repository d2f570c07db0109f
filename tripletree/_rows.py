"""Rows of triplets: what they must satisfy, and their canonical form; used by `TripletSet` and by `induce`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from tripletree._kernels import freeze, frozen
from tripletree.errors import InvalidTripletError

__all__ = ["canonical", "checked_rows", "checked_weights", "found", "framed", "label_triple", "runs"]


def framed(table: Any) -> tuple[list[tuple], list[float] | None] | None:
    """The entries and weights of a data frame of triplets, by the names of its columns; None for anything else."""
    if not hasattr(table, "columns") or not hasattr(table, "to_numpy"):
        return None
    names = [str(x) for x in table.columns]
    if names == ["0", "1", "2"]:  # without names
        return list(zip(*(list(table[x]) for x in table.columns), strict=True)), None
    if not {"a", "b", "c"} <= set(names):
        msg = (
            "a table of triplets needs columns called a, b and c, for ab|c (and weight, where there are weights); "
            f"it has {', '.join(names[:10])}: rename them"
        )
        raise InvalidTripletError(msg)
    a, b, c = (list(table[x]) for x in "abc")
    return list(zip(a, b, c, strict=True)), list(table["weight"]) if "weight" in names else None


def label_triple(row: Any, k: int, noun: str = "triplet") -> tuple[Hashable, Hashable, Hashable]:
    """Entry number k of an iterable of label triples, checked."""
    if isinstance(row, str) or not isinstance(row, (Sequence, np.ndarray)) or len(row) != 3:
        msg = f"{noun} {k} is {row!r}: three labels are wanted"
        raise InvalidTripletError(msg, row=k)
    a, b, c = row.tolist() if isinstance(row, np.ndarray) else row
    if a in (b, c) or b == c:
        msg = f"{noun} {k} is {(a, b, c)!r}: its three leaves must differ"
        raise InvalidTripletError(msg, row=k)
    return a, b, c


def checked_rows(rows: Any, n: int, noun: str = "row") -> np.ndarray:
    """The rows as an int array of shape (m, 3), every row three different leaves in range."""
    if isinstance(rows, Iterator):
        rows = list(rows)
    try:
        array = np.asarray(rows)
    except ValueError:
        msg = f"an array of shape (m, 3) is wanted, three leaf indices a {noun}; the rows differ in length"
        raise InvalidTripletError(msg) from None
    if array.size == 0 and (array.ndim < 2 or array.shape[-1] == 3):
        return np.empty((0, 3), np.int32)
    if array.ndim != 2 or array.shape[1] != 3:
        msg = f"an array of shape (m, 3) is wanted, three leaf indices a {noun}; got shape {array.shape}"
        raise InvalidTripletError(msg)
    if array.dtype.kind not in "iu":
        hint = "; for labels use TripletSet.from_labels" if array.dtype.kind in "UOS" else ""
        msg = f"an array of integer leaf indices is wanted, not {array.dtype}{hint}"
        raise InvalidTripletError(msg)
    a, b, c = array.T
    if array.min() < 0 or array.max() >= n:
        k = int(np.flatnonzero(((array < 0) | (array >= n)).any(axis=1))[0])
        known = f"leaf indices must lie in 0..{n - 1}" if n else "there are no leaves"
        msg = f"{noun} {k} is {array[k].tolist()}: {known}"
        raise InvalidTripletError(msg, row=k)
    bad = np.flatnonzero((a == b) | (a == c) | (b == c))
    if bad.size:
        k = int(bad[0])
        msg = f"{noun} {k} is {array[k].tolist()}: its three leaves must differ"
        raise InvalidTripletError(msg, row=k)
    return array


def checked_weights(weights: Any, m: int) -> np.ndarray:
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        msg = "weights must be numbers, one for each triplet"
        raise InvalidTripletError(msg) from None
    if array.shape != (m,):
        msg = f"weights must have one entry for each of the {m} triplets, not shape {array.shape}"
        raise InvalidTripletError(msg)
    bad = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if bad.size:
        k = int(bad[0])
        msg = f"the weight of row {k} is {array[k]}: weights must be positive and finite"
        raise InvalidTripletError(msg, row=k)
    with np.errstate(over="ignore"):
        total = array.sum()
    if not np.isfinite(total):
        msg = "the weights add up to infinity: divide them all by the largest one"
        raise InvalidTripletError(msg)
    return array


def _keys(rows: np.ndarray, n: int) -> np.ndarray | None:
    """One int64 for each row, ordered as the rows; None where n**3 would not fit."""
    if n >= 1 << 21:
        return None
    a, b, c = (rows[:, k].astype(np.int64) for k in range(3))
    return (np.minimum(a, b) * n + np.maximum(a, b)) * n + c


def canonical(rows: np.ndarray, weights: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Rows with a < b, sorted, unique; weights of repeats added. O(m log m)."""
    key = _keys(rows, n)
    if key is not None and bool((key[1:] > key[:-1]).all()) and bool((rows[:, 0] < rows[:, 1]).all()):
        return frozen(rows), None if weights is None else frozen(weights, np.float64)
    if key is not None and weights is None:
        key.sort()
        key = key[np.concatenate([[True], key[1:] != key[:-1]])]
        out = np.empty((key.size, 3), np.int32)
        np.divmod(key, n, out=(key, out[:, 2]), casting="unsafe")
        np.divmod(key, n, out=(out[:, 0], out[:, 1]), casting="unsafe")
        return freeze(out), None
    a, b = np.minimum(rows[:, 0], rows[:, 1]), np.maximum(rows[:, 0], rows[:, 1])
    order = np.lexsort((rows[:, 2], b, a))
    out = np.stack([a, b, rows[:, 2]], axis=1).astype(np.int32)[order]
    new = np.ones(out.shape[0], np.bool_)
    new[1:] = (out[1:] != out[:-1]).any(axis=1)
    if weights is not None:
        with np.errstate(over="ignore"):
            weights = freeze(np.add.reduceat(weights[order], np.flatnonzero(new)))
        if not np.isfinite(weights).all():
            msg = "the weights of a repeated triplet add up to infinity"
            raise InvalidTripletError(msg)
    return freeze(np.ascontiguousarray(out[new])), weights


def runs(rows: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The order that sorts rows as `canonical` does, earlier ones first where equal, and where its runs start."""
    key = _keys(rows, n)
    if key is None:
        a, b = np.minimum(rows[:, 0], rows[:, 1]), np.maximum(rows[:, 0], rows[:, 1])
        order = np.lexsort((rows[:, 2], b, a))
        new = (np.diff(np.stack([a, b, rows[:, 2]])[:, order], axis=1) != 0).any(axis=0)
    else:
        order = np.argsort(key, kind="stable")
        new = np.diff(key[order]) != 0
    return order, np.flatnonzero(np.concatenate([np.ones(min(order.size, 1), np.bool_), new]))


def found(rows: np.ndarray, among: np.ndarray, n: int) -> np.ndarray:
    """Which canonical rows occur among other canonical rows: bool, shape (len(rows),)."""
    key, keys = _keys(rows, n), _keys(among, n)
    if key is None or keys is None:
        fields = [("a", np.int32), ("b", np.int32), ("c", np.int32)]
        key, keys = (np.ascontiguousarray(x).view(fields).ravel() for x in (rows, among))
        return np.isin(key, keys)
    if keys.size == 0:
        return np.zeros(key.size, np.bool_)
    at = np.minimum(np.searchsorted(keys, key), keys.size - 1)
    return keys[at] == key
