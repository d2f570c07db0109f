"""Flat labels (classes, clusters) as integer codes; used by scores and drawings."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidLabelsError, UnknownLeafError

__all__ = [
    "aligned_codes",
    "index_of",
    "is_no_label",
    "label_codes",
]


def label_codes(labels: Any, name: str) -> tuple[np.ndarray, list[Any]]:
    """The labels as codes 0..k-1 (int64; -1 where missing) and the k different labels, sorted where they can be.

    A list is coded by equality of its entries, never turned into an array first: that would make 1 and "1" one label.
    """
    if isinstance(labels, (str, bytes, Mapping)) or not hasattr(labels, "__iter__"):
        msg = f"{name} must be a sequence of labels, one for each sample, not {labels!r:.80}"
        raise InvalidLabelsError(msg)
    if hasattr(labels, "__array__"):
        array = np.asarray(labels)
        if array.ndim != 1:
            msg = f"{name} must be one-dimensional, a label for each sample; its shape is {array.shape}"
            raise InvalidLabelsError(msg)
        if array.dtype.kind in "biuUS":
            unique, codes = np.unique(array, return_inverse=True)
            return codes.astype(np.int64, copy=False), unique.tolist()
        labels = array.tolist()
    entries = list(labels)
    number: dict[Hashable, int] = {}
    codes = np.empty(len(entries), np.int64)
    for i, x in enumerate(entries):
        try:
            codes[i] = -1 if is_no_label(x) else number.setdefault(x, len(number))
        except (TypeError, ValueError):
            msg = f"entry {i} of {name} is {x!r:.80}: a label is one hashable value"
            raise InvalidLabelsError(msg, position=i) from None
    return _in_order(codes, list(number))


def is_no_label(x: Any) -> bool:
    """Whether a label stands for no label: None, NaN, NaT, pandas.NA (of which only the last has no truth value)."""
    return x is None or type(x).__name__ == "NAType" or bool(x != x)


def _in_order(codes: np.ndarray, known: list[Any]) -> tuple[np.ndarray, list[Any]]:
    try:
        order = sorted(range(len(known)), key=known.__getitem__)
    except TypeError:
        return codes, known
    rank = np.empty(len(known) + 1, np.int64)
    rank[order] = np.arange(len(known))
    rank[-1] = -1
    return rank[codes], [known[i] for i in order]


def index_of(labels: Any) -> list[Any] | None:
    """The index of a pandas Series; None for anything else."""
    if type(labels).__name__ == "Series" and hasattr(labels, "index") and hasattr(labels.index, "tolist"):
        return labels.index.tolist()
    return None


def aligned_codes(labels: Any, leaves: LeafIndex, name: str) -> tuple[np.ndarray, list[Any]]:
    """As `label_codes`, for one label a leaf: a sequence in leaf order, or a mapping from some leaf labels.

    A pandas Series whose index holds the leaves, each once, is such a mapping.
    """
    index = index_of(labels)
    if index is not None and len(index) == len(leaves) == len(set(index)) and all(x in leaves for x in index):
        labels = dict(zip(index, labels.tolist(), strict=True))
    if isinstance(labels, Mapping):
        unknown = [x for x in labels if x not in leaves]
        if unknown:
            raise UnknownLeafError(unknown, leaves.labels, what=f"keys of {name}")
        return label_codes([labels.get(x) for x in leaves], name)
    codes, known = label_codes(labels, name)
    if codes.size != len(leaves):
        msg = f"{name} must have one entry for each of the {len(leaves)} leaves, not {codes.size}"
        raise InvalidLabelsError(msg)
    return codes, known
