"""Class labels -> PairwiseConstraints: all pairs of labelled samples, the few that imply them, or random ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Literal

import numpy as np

from tripletree._checks import expect_count
from tripletree._random import distinct_integers, generator
from tripletree.errors import LimitExceededError
from tripletree.leaves import LeafIndex
from tripletree.pairs import PairwiseConstraints
from tripletree.supervision import class_codes

__all__ = ["pairs_from_classes", "sample_class_pairs"]

DEFAULT_LIMIT = 50_000_000


def pairs_from_classes(
    y: Any,
    *,
    which: Literal["all", "spanning"] = "all",
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    samples: Any = None,
) -> PairwiseConstraints:
    """Turn class labels into must-links between samples of one class and cannot-links between those of two.

    Parameters
    ----------
    y : array_like, shape (n,)
        Class of each sample. Every value is a class of its own, -1 too.
    which : {"all", "spanning"}
        All n (n - 1) / 2 pairs; or the fewest that imply them: of each class its first member with each other one, and
        the first members of each two classes with each other.
    leaves : LeafIndex or iterable of labels, optional
        Labels of the n samples; by default the index where y is a pandas Series, else 0..n-1.
    samples : array_like of int or bool, optional
        Use only these samples, as row numbers or as a mask. The others occur in no pair, and their entries in `y` are
        not looked at: those whose class is not known.

    Returns
    -------
    PairwiseConstraints

    Raises
    ------
    InvalidLabelsError
        If `y` is not one-dimensional, does not fit `leaves`, or a used class is missing (None or NaN).
    LimitExceededError
        If there would be more than 50 million pairs.

    See Also
    --------
    sample_class_pairs : random ones.
    triplets_from_classes : the triplets for the same classes.

    Examples
    --------
    >>> p = pairs_from_classes(["x", "x", "x", "y"])
    >>> p.must_link.tolist(), p.cannot_link.tolist()
    ([[0, 1], [0, 2], [1, 2]], [[0, 3], [1, 3], [2, 3]])
    >>> few = pairs_from_classes(["x", "x", "x", "y"], which="spanning")
    >>> len(few), few.expand() == p
    (3, True)
    """
    if which not in ("all", "spanning"):
        msg = f"which must be 'all' or 'spanning', not {which!r}"
        raise ValueError(msg)
    codes, index, used = class_codes(y, leaves, samples)
    k = int(codes.max()) + 1 if codes.size else 0
    ends = codes.size if which == "all" else k
    total = ends * (ends - 1) // 2 + (0 if which == "all" else codes.size - k)
    if total > DEFAULT_LIMIT:
        less = "which='spanning', sample_class_pairs," if which == "all" else "sample_class_pairs"
        msg = f"{codes.size:,} samples in {k:,} classes give {total:,} pairs; take {less} or fewer samples"
        raise LimitExceededError(msg, size=total, limit=DEFAULT_LIMIT)
    if which == "all":
        i, j = np.triu_indices(codes.size, 1)
        same = codes[i] == codes[j]
        rows = np.stack([used[i], used[j]], axis=1)
        return PairwiseConstraints(rows[same], rows[~same], index)
    first = np.unique(codes, return_index=True)[1]
    others = np.setdiff1d(np.arange(codes.size), first)
    i, j = np.triu_indices(k, 1)
    return PairwiseConstraints(
        np.stack([used[first[codes[others]]], used[others]], axis=1),
        np.stack([used[first[i]], used[first[j]]], axis=1),
        index,
    )


def sample_class_pairs(
    y: Any,
    size: int,
    *,
    must_share: float | None = None,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    samples: Any = None,
    random_state: Any = None,
) -> PairwiseConstraints:
    """Draw different pairs of samples, and say of each whether its classes are the same.

    Parameters
    ----------
    y, leaves, samples
        As in `pairs_from_classes`.
    size : int
        How many.
    must_share : float, optional
        Part of them that are must-links, 0..1: ``round(must_share * size)`` of them, drawn from all pairs of one
        class, the others from all pairs of two. By default as it happens: every set of pairs is equally likely.
    random_state : None, int, Generator or RandomState
        The same value gives the same pairs.

    Returns
    -------
    PairwiseConstraints
        Exactly `size` pairs, consistent.

    Raises
    ------
    ValueError
        As `pairs_from_classes`; or if `size` is negative or there are fewer pairs (of a kind, with `must_share`).

    Examples
    --------
    >>> p = sample_class_pairs([0, 0, 0, 1, 1, 1], 8, must_share=0.25, random_state=1)
    >>> p.n_must, p.n_cannot
    (2, 6)
    """
    rng = generator(random_state)
    codes, index, used = class_codes(y, leaves, samples)
    order = np.argsort(codes, kind="stable")
    count = np.bincount(codes).astype(np.int64)
    size = expect_count(size, "size")
    n = codes.size
    total, inside = n * (n - 1) // 2, int((count * (count - 1) // 2).sum())
    if must_share is None:
        _check_size(size, total, "pairs of samples", "size")
        i, j = _pair_of(distinct_integers(rng, total, size))
        same = codes[i] == codes[j]
        rows = np.stack([used[i], used[j]], axis=1)
        return PairwiseConstraints(rows[same], rows[~same], index)
    if isinstance(must_share, (bool, np.bool_)) or not 0 <= must_share <= 1:
        msg = f"must_share must be None or a number in 0..1, not {must_share!r}"
        raise ValueError(msg)
    k = round(must_share * size)
    _check_size(k, inside, "pairs of samples of one class", "the number of must-links")
    _check_size(size - k, total - inside, "pairs of samples of two classes", "the number of cannot-links")
    must = _inside(distinct_integers(rng, inside, k), count)
    cannot = _across(distinct_integers(rng, total - inside, size - k), count)
    return PairwiseConstraints(used[order[must]], used[order[cannot]], index)


def _check_size(size: int, total: int, what: str, name: str) -> None:
    if size > total:
        msg = f"{name} is {size:,}; there are {total:,} {what}"
        raise ValueError(msg)


def _pair_of(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair i < j of each number in the order (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    j = ((1 + np.sqrt(1.0 + 8.0 * rank)) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > rank
    j += (j + 1) * j // 2 <= rank
    return rank - j * (j - 1) // 2, j


def _inside(rank: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Pairs in one class, as places in the samples sorted by class; `count` is the size of each class."""
    end = np.cumsum(count * (count - 1) // 2)
    group = np.searchsorted(end, rank, side="right")
    i, j = _pair_of(rank - np.append(0, end)[group])
    begin = np.cumsum(count) - count
    return np.stack([begin[group] + i, begin[group] + j], axis=1)


def _across(rank: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Pairs of two classes, as places in the samples sorted by class: of each with all samples of earlier classes."""
    begin = np.cumsum(count) - count
    end = np.cumsum(count * begin)
    group = np.searchsorted(end, rank, side="right")
    j, i = np.divmod(rank - np.append(0, end)[group], np.maximum(begin[group], 1))
    return np.stack([i, begin[group] + j], axis=1)
