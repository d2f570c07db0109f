"""Flat labels (classes, clusters) as integer codes, and which sample each leaf is. Used by scores and drawings."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from tripletree.core.checks import is_missing
from tripletree.core.leaves import LeafIndex
from tripletree.errors import DuplicateLeafError, InvalidLabelsError, UnknownLeafError


def label_codes(labels: Any, name: str) -> tuple[np.ndarray, list[Any]]:
    """Return the labels as codes 0..k-1 (int64, -1 if missing), and the k different labels, sorted if possible.

    A list is coded by equality of its entries and not turned into an array, which would make 1 and "1" the same label.
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
            codes[i] = -1 if is_missing(x) else number.setdefault(x, len(number))
        except (TypeError, ValueError):
            msg = f"entry {i} of {name} is {x!r:.80}: a label must be a hashable value"
            raise InvalidLabelsError(msg, position=i) from None
    return _in_order(codes, list(number))


def _in_order(codes: np.ndarray, known: list[Any]) -> tuple[np.ndarray, list[Any]]:
    try:
        order = sorted(range(len(known)), key=known.__getitem__)
    except TypeError:
        return codes, known
    rank = np.empty(len(known) + 1, np.int64)
    rank[order] = np.arange(len(known))
    rank[-1] = -1
    return rank[codes], [known[i] for i in order]


def series_index(labels: Any) -> list[Any] | None:
    """Return the index of a pandas Series. None for anything else."""
    if type(labels).__name__ == "Series" and hasattr(labels, "index") and hasattr(labels.index, "tolist"):
        return labels.index.tolist()
    return None


def in_order_of_first(codes: np.ndarray) -> np.ndarray:
    """The same groups as 0..k-1, in the order in which they first occur."""
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def aligned_codes(labels: Any, leaves: LeafIndex, name: str) -> tuple[np.ndarray, list[Any]]:
    """Code one label for each leaf as `label_codes` does: from a sequence in leaf order, or a mapping by leaf label.

    Leaves that are not in the mapping have no label. A pandas Series with the leaves as its index is such a mapping.
    """
    index = series_index(labels)
    if index is not None and len(index) == len(leaves) == len(set(index)) and all(x in leaves for x in index):
        labels = dict(zip(index, labels.tolist(), strict=True))
    if isinstance(labels, Mapping):
        unknown = [x for x in labels if x not in leaves]
        if unknown:
            raise UnknownLeafError(unknown, leaves.labels, what=f"keys of {name}")
        return label_codes([labels.get(x) for x in leaves], name)
    codes, known = label_codes(labels, name)
    if codes.size != len(leaves):
        msg = f"{name} must have one entry for each of the {len(leaves)} leaves; got {codes.size}"
        raise InvalidLabelsError(msg)
    return codes, known


def clusters_of(labels: Any, name: str) -> tuple[Any, str]:
    """Return cluster labels and a name for messages. An estimator gives them by sample label if it kept the labels."""
    if isinstance(labels, type) or not hasattr(labels, "fit"):
        return labels, name
    model, labels = labels, getattr(labels, "labels_", None)
    if labels is None:
        msg = f"this {type(model).__name__} has no labels_: fit it first, or give the cluster of each sample"
        raise InvalidLabelsError(msg)
    for kept in ("pairs_", "violated_pairs_", "hierarchy_"):
        leaves = getattr(getattr(model, kept, None), "leaves", ())
        if len(leaves) == len(labels):
            return dict(zip(leaves, np.asarray(labels).tolist(), strict=True)), "the estimator's labels_"
    return labels, "model.labels_"


def leaf_positions(constraints: Any, labels: Any, name: str, what: str) -> np.ndarray:
    """Return the position among some labels of each leaf that occurs in constraints, -1 for the other leaves.

    Parameters
    ----------
    constraints : TripletSet or PairwiseConstraints
    labels : sequence, mapping or pandas Series
        One entry for each sample. The samples are the keys, the index, or the positions. If the leaves in constraints
        are not positions, and there are as many leaves as entries, the entries are in leaf order.
    name : str
        Name of `labels`, for messages.
    what : {"pair", "triplet"}

    Returns
    -------
    ndarray of int64, shape (len(constraints.leaves),)
    """
    used = constraints.used_leaves
    named = [constraints.leaves[i] for i in used.tolist()]
    samples = list(labels) if isinstance(labels, Mapping) else series_index(labels)
    if samples is None or samples == list(range(len(samples))):
        n = len(labels) if isinstance(labels, Mapping) else label_codes(labels, name)[0].size
        at = _positions(named, used, len(constraints.leaves), n, name, what)
    else:
        at = _positions_in_index(named, samples, name, what)
    number = np.full(len(constraints.leaves), -1)
    number[used] = at
    return number


def row_codes(labels: Any, rows: np.ndarray, name: str, what: str) -> np.ndarray:
    """Return the labels as codes. Raise an InvalidLabelsError if one is missing that occurs in rows of positions."""
    codes, _ = label_codes(list(labels.values()) if isinstance(labels, Mapping) else labels, name)
    missing = rows[codes[rows] < 0]
    if missing.size:
        i = int(missing.min())
        where = f"key {list(labels)[i]!r}" if isinstance(labels, Mapping) else f"entry {i}"
        msg = f"{where} of {name} is missing, and its sample is in a {what}: leave out its {what}s with restrict()"
        raise InvalidLabelsError(msg, position=i)
    return codes


def _positions(named: list, used: np.ndarray, n_leaves: int, n: int, name: str, what: str) -> np.ndarray:
    """Return the positions of leaves that are positions 0..n-1 themselves, or are in the order of the entries."""
    whole = [isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in named]
    if all(whole) and all(0 <= x < n for x in named):
        return np.array(named, np.int64)
    if n == n_leaves and not all(whole):
        return used
    if all(whole):
        unknown = [x for x in named if not 0 <= x < n]
        raise UnknownLeafError(unknown, range(n), what=f"{what}s' samples ({name} has {n} entries)")
    msg = (
        f"{name} has {n} entries, and the {what}s have {n_leaves} leaves that are not positions ({named[0]!r}, ...): "
        f"give a mapping from samples to labels or a pandas Series, pd.Series({name}, index=X.index)"
    )
    raise InvalidLabelsError(msg)


def _positions_in_index(named: list, samples: Sequence[Any], name: str, what: str) -> np.ndarray:
    """Return the positions of leaves among the keys or the index, in which each must occur once."""
    position = dict(zip(reversed(samples), range(len(samples) - 1, -1, -1), strict=True))
    unknown = [x for x in named if x not in position]
    if unknown:
        raise UnknownLeafError(unknown, list(position)[::-1], what=f"{what}s' samples, by the index or keys of {name}")
    if len(position) < len(samples):
        some, twice = set(named), set()
        for i, x in enumerate(samples):
            if position[x] != i and x in some:
                twice.add(x)
        if twice:
            raise DuplicateLeafError(list(twice), where=f" in the index of {name}, named by the {what}s")
    return np.array([position[x] for x in named], np.int64)
