"""What people know -> TripletSet: class labels and odd-one-out answers.

Only what is equivalent is converted. "Which of a, b, c is the odd one?" answered c is exactly ab|c. "Is b or c more
like a?" is a comparison, d(a, b) < d(a, c): weaker than a triplet, and never turned into one here. If a is the
outlier, the answer is forced and says nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from tripletree._checks import expect_count
from tripletree._kernels import freeze
from tripletree._labels import index_of, label_codes
from tripletree._random import distinct_integers, generator
from tripletree._rows import label_triple
from tripletree.errors import InvalidLabelsError, InvalidTripletError, LimitExceededError
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = ["sample_class_triplets", "triplets_from_classes", "triplets_from_odd_one_out"]

DEFAULT_LIMIT = 50_000_000


def triplets_from_classes(
    y: Any, *, leaves: LeafIndex | Iterable[Hashable] | None = None, samples: Any = None
) -> TripletSet:
    """Turn class labels into the smallest triplet set that holds the classes together (GenerateConstraints).

    For each class, its first member a, each other member b and the first member c of each other class: ab|c. Every
    binary hierarchy that displays these has each class as a clade.

    Parameters
    ----------
    y : array_like, shape (n,)
        Class of each sample. Every value is a class of its own, -1 too.
    leaves : LeafIndex or iterable of labels, optional
        Labels of the n samples; by default the index where y is a pandas Series, else 0..n-1.
    samples : array_like of int or bool, optional
        Use only these samples, as row numbers or as a mask, whatever their order. The others occur in no
        triplet, and their entries in `y` are not looked at: those whose class is not known.

    Returns
    -------
    TripletSet
        (n - k)(k - 1) triplets for n used samples in k classes.

    Raises
    ------
    InvalidLabelsError
        If `y` is not one-dimensional, does not fit `leaves`, or a used class is missing (None or NaN).
    LimitExceededError
        If there would be more than 50 million.

    See Also
    --------
    sample_class_triplets : random ones, of all that the classes imply.

    Notes
    -----
    This is GenerateConstraints of [1]_ without its degenerate rows (the first member of a class against itself); the
    set that identifies the two-level hierarchy of the classes, see `decompose`.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with relative constraints, KDD 2011, 947-955.

    Examples
    --------
    >>> list(triplets_from_classes(["x", "x", "y", "y"]))
    [(0, 1, 2), (2, 3, 0)]
    """
    codes, index, used = class_codes(y, leaves, samples)
    k = int(codes.max()) + 1 if codes.size else 0
    total = (codes.size - k) * (k - 1) if k else 0
    if total > DEFAULT_LIMIT:
        msg = (
            f"{k:,} classes of {codes.size:,} samples give {total:,} triplets, more than {DEFAULT_LIMIT:,}; "
            "take sample_class_triplets, or fewer samples"
        )
        raise LimitExceededError(msg, size=total, limit=DEFAULT_LIMIT)
    if total == 0:
        return TripletSet(np.empty((0, 3), np.int32), index)
    first = np.unique(codes, return_index=True)[1]
    others = np.setdiff1d(np.arange(codes.size), first)
    b = np.repeat(others, k - 1)
    rival = np.tile(np.arange(k - 1), others.size)
    rival += rival >= codes[b]
    rows = np.stack([used[first[codes[b]]], used[b], used[first[rival]]], axis=1)
    return TripletSet(rows, index)


def sample_class_triplets(
    y: Any,
    size: int,
    *,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    samples: Any = None,
    random_state: Any = None,
) -> TripletSet:
    """Draw different triplets ab|c with a, b of one class and c of another, every set of them equally likely.

    Parameters
    ----------
    y, leaves, samples
        As in `triplets_from_classes`.
    size : int
        How many.
    random_state : None, int, Generator or RandomState
        The same value gives the same triplets.

    Returns
    -------
    TripletSet
        Exactly `size` triplets.

    Raises
    ------
    ValueError
        As `triplets_from_classes`; or if `size` is negative or more than the classes imply.

    Examples
    --------
    >>> t = sample_class_triplets([0, 0, 0, 1, 1], 5, random_state=1)
    >>> len(t)
    5
    """
    rng = generator(random_state)
    codes, index, used = class_codes(y, leaves, samples)
    order = np.argsort(codes, kind="stable")
    count = np.bincount(codes).astype(np.int64)
    begin = np.cumsum(count) - count
    pairs, outside = count * (count - 1) // 2, codes.size - count
    total = sum(int(p) * int(q) for p, q in zip(pairs, outside, strict=True))
    size = expect_count(size, "size")
    if size > total:
        msg = f"size is {size:,}; these classes imply {total:,} triplets, and 0 to that many can be drawn"
        raise ValueError(msg)
    if total >= 2**63:
        msg = f"{codes.size:,} samples are too many to number their triplets in 64 bits; draw from fewer of them"
        raise LimitExceededError(msg, size=total, limit=2**63 - 1)
    rank = distinct_integers(rng, total, size)
    end = np.cumsum(pairs * outside)
    group = np.searchsorted(end, rank, side="right")
    pair, c = np.divmod(rank - (end - pairs * outside)[group], outside[group])
    # pairs (i, j), i < j, in the order (0, 1), (0, 2), (1, 2), (0, 3), ...
    j = ((1 + np.sqrt(1.0 + 8.0 * pair)) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > pair
    j += (j + 1) * j // 2 <= pair
    i = pair - j * (j - 1) // 2
    c += np.where(c >= begin[group], count[group], 0)
    rows = used[order[np.stack([begin[group] + i, begin[group] + j, c], axis=1)]]
    return TripletSet(rows, index)


def triplets_from_odd_one_out(
    trios: Iterable[Sequence[Hashable]],
    odd: Iterable[Hashable],
    *,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
) -> TripletSet:
    """Turn answers to "which of these three is the odd one?" into triplets: c odd among a, b, c is exactly ab|c.

    Parameters
    ----------
    trios : iterable of (x, y, z)
        The three labels shown.
    odd : iterable of labels
        The answer to each: one of the three.
    leaves : LeafIndex or iterable of labels, optional
        All leaves; by default those that occur.

    Returns
    -------
    TripletSet
        Weighted by how often an answer was given, if some answer was given more than once.

    Raises
    ------
    InvalidTripletError
        If an answer is none of its trio, a trio repeats a label, or the lengths differ; ``.row`` is the number.

    Examples
    --------
    >>> list(triplets_from_odd_one_out([("cat", "dog", "eel")], ["eel"]))
    [('cat', 'dog', 'eel')]
    """
    shown, answers = list(trios), list(odd)
    if len(shown) != len(answers):
        msg = f"{len(shown)} trios but {len(answers)} answers"
        raise InvalidTripletError(msg, row=min(len(shown), len(answers)))
    triplets = []
    for k, (trio, answer) in enumerate(zip(shown, answers, strict=True)):
        labels = list(label_triple(trio, k, "trio"))
        if answer not in labels:
            msg = f"answer {k} is {answer!r}, which is none of the trio {tuple(labels)!r}"
            raise InvalidTripletError(msg, row=k)
        c = labels.pop(labels.index(answer))
        triplets.append((*labels, c))
    counted = TripletSet.from_labels(triplets, leaves, weights=np.ones(len(triplets)))
    repeated = len(counted) < len(triplets)
    return TripletSet(counted.rows, counted.leaves, counted.weights if repeated else None)


def class_codes(y: Any, leaves: Any, samples: Any) -> tuple[np.ndarray, LeafIndex, np.ndarray]:
    """Classes of the used samples as 0..k-1, the leaf index, and the used samples."""
    all_codes, _ = label_codes(y, "y")
    if leaves is None:
        leaves = all_codes.size if index_of(y) is None else y.index
    index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
    if len(index) != all_codes.size:
        msg = f"y has {all_codes.size} entries for {len(index)} leaves"
        raise InvalidLabelsError(msg)
    if index_of(samples) is not None and index_of(y) is not None and samples.dtype == bool:
        samples = _mask_over(samples, y)
    used = np.arange(all_codes.size) if samples is None else _row_numbers(samples, all_codes.size)
    codes = all_codes[used]
    missing = np.flatnonzero(codes < 0)
    if missing.size:
        i = int(used[missing[0]])
        msg = f"the class of sample {i} is missing; leave out with samples= those whose class is not known"
        raise InvalidLabelsError(msg, position=i)
    return np.unique(codes, return_inverse=True)[1], index, freeze(used.astype(np.int32))


def _mask_over(mask: Any, y: Any) -> Any:
    """A pandas mask in the order of the classes, where both have the same index."""
    if mask.index.equals(y.index):
        return mask
    if not mask.index.is_unique or set(mask.index) != set(y.index):
        msg = "samples is a pandas mask with another index than y: give both the same, or a numpy array"
        raise ValueError(msg)
    return mask.loc[y.index]


def _row_numbers(samples: Any, n: int) -> np.ndarray:
    rows = np.asarray(samples)
    if rows.dtype == np.bool_:
        if rows.shape != (n,):
            msg = f"samples is a mask of shape {rows.shape} for {n} samples"
            raise ValueError(msg)
        return np.flatnonzero(rows)
    if rows.size == 0:
        return np.empty(0, np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        msg = f"samples must be row numbers in 0..{n - 1} or a mask"
        raise ValueError(msg)
    if np.unique(rows).size < rows.size:
        msg = "samples names a row twice"
        raise ValueError(msg)
    return np.sort(rows)  # the first member of a class is that with the least row number
