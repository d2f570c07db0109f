"""Rows of pairs: what they must satisfy, and their canonical form; used by `PairwiseConstraints`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tripletree._kernels import freeze
from tripletree.errors import InvalidPairError
from tripletree.origins import Origins

__all__ = ["canonical_pairs", "checked_pairs", "checked_strengths", "label_pairs", "places", "sorted_labels"]


def label_pairs(pairs: Any, kind: str) -> list[tuple[Hashable, Hashable]]:
    """The entries of an iterable of label pairs, checked; `kind` is "must-link" or "cannot-link"."""
    if pairs is None:
        return []
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        msg = f"the {kind}s must be pairs (a, b) of labels, not {pairs!r:.80}"
        raise InvalidPairError(msg)
    out = []
    for k, row in enumerate(pairs.tolist() if isinstance(pairs, np.ndarray) else pairs):
        if isinstance(row, str) or not isinstance(row, (Sequence, np.ndarray)) or len(row) != 2:
            hint = "; a strength is given apart" if isinstance(row, Sequence) and len(row) == 3 else ""
            msg = f"{kind} {k} is {row!r:.80}: two labels are wanted{hint}"
            raise InvalidPairError(msg, row=k)
        a, b = row.tolist() if isinstance(row, np.ndarray) else row
        wrong = _no_label(a) or _no_label(b)
        if wrong or a == b:
            msg = f"{kind} {k} is {(a, b)!r:.80}: {wrong or 'its two leaves must differ'}"
            raise InvalidPairError(msg, row=k)
        out.append((a, b))
    return out


def _no_label(x: Any) -> str:
    """Why a value cannot be a label; nothing where it can."""
    if type(x) in (str, int):
        return ""
    try:
        hash(x)
        missing = type(x).__name__ == "NAType" or bool(x != x)  # pandas.NA has no truth value
    except (TypeError, ValueError):
        return f"{x!r:.40} is no label: one hashable value is, such as text or a number"
    return f"{x!r} stands for a missing label" if missing else ""


def sorted_labels(labels: Iterable[Hashable]) -> list[Hashable]:
    """Each label once, sorted where its kind can be."""
    unique = list(dict.fromkeys(labels))
    try:
        return sorted(unique)  # type: ignore[type-var]
    except TypeError:
        return unique


def checked_pairs(rows: Any, n: int, kind: str) -> np.ndarray:
    """The rows as an int array of shape (p, 2), every row two different leaves in range."""
    if rows is None:
        return np.empty((0, 2), np.int32)
    if isinstance(rows, Iterator):
        rows = list(rows)
    try:
        array = np.asarray(rows)
    except ValueError:
        msg = f"the {kind}s must be an array of shape (p, 2), two leaf indices a row; the rows differ in length"
        raise InvalidPairError(msg) from None
    if array.size == 0 and (array.ndim < 2 or array.shape[-1] == 2):
        return np.empty((0, 2), np.int32)
    if array.ndim != 2 or array.shape[1] != 2:
        msg = f"the {kind}s must be an array of shape (p, 2), two leaf indices a row; got shape {array.shape}"
        raise InvalidPairError(msg)
    if array.dtype.kind not in "iu":
        hint = "; for labels use PairwiseConstraints.from_labels" if array.dtype.kind in "UOS" else ""
        msg = f"the {kind}s must be an array of integer leaf indices, not {array.dtype}{hint}"
        raise InvalidPairError(msg)
    if array.min() < 0 or array.max() >= n:
        k = int(np.flatnonzero(((array < 0) | (array >= n)).any(axis=1))[0])
        known = f"leaf indices must lie in 0..{n - 1}" if n else "there are no leaves"
        msg = f"{kind} {k} is {array[k].tolist()}: {known}"
        raise InvalidPairError(msg, row=k)
    same = np.flatnonzero(array[:, 0] == array[:, 1])
    if same.size:
        k = int(same[0])
        msg = f"{kind} {k} is {array[k].tolist()}: its two leaves must differ"
        raise InvalidPairError(msg, row=k)
    return array


def checked_strengths(strengths: Any, p: int, kind: str) -> np.ndarray:
    """One number in 0..1 for each of p rows, as float64."""
    try:
        array = np.asarray(strengths, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"the strengths must be numbers, one for each {kind}"
        raise InvalidPairError(msg) from None
    if array.shape != (p,):
        msg = f"the strengths must have one entry for each of the {p} {kind}s, not shape {array.shape}"
        raise InvalidPairError(msg)
    bad = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if bad.size:
        k = int(bad[0])
        msg = f"the strength of {kind} {k} is {array[k]}: strengths must lie in 0..1"
        raise InvalidPairError(msg, row=k)
    return array


def canonical_pairs(
    rows: np.ndarray, strengths: np.ndarray | None, origins: Origins | None
) -> tuple[np.ndarray, np.ndarray | None, Origins | None]:
    """Rows with a < b, sorted, unique; the larger strength of repeats; rows of strength 0 left out. O(p log p)."""
    if strengths is not None and not strengths.all():
        some = strengths > 0
        rows, strengths = rows[some], strengths[some]
        origins = None if origins is None else origins.take(some)
    a, b = (f(rows[:, 0], rows[:, 1]).astype(np.int64) for f in (np.minimum, np.maximum))
    key = a << 32 | b
    order = np.argsort(key, kind="stable")
    new = np.ones(key.size, np.bool_)
    new[1:] = np.diff(key[order]) != 0
    starts = np.flatnonzero(new)
    out = np.stack([a[order[starts]], b[order[starts]]], axis=1).astype(np.int32)
    if strengths is not None:
        strengths = freeze(np.maximum.reduceat(strengths[order], starts) if starts.size else np.empty(0))
    return freeze(out), strengths, None if origins is None else origins.merged(order, starts)


def places(rows: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Where each canonical row stands among other canonical rows; -1 where it is none of them."""
    key, keys = (x[:, 0].astype(np.int64) << 32 | x[:, 1] for x in (rows, among))
    if keys.size == 0:
        return np.full(key.size, -1)
    at = np.minimum(np.searchsorted(keys, key), keys.size - 1)
    return np.where(keys[at] == key, at, -1)
