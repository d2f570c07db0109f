"""Class labels and odd-one-out answers as triplets, class labels as pairs.

Only equivalent statements are converted. "Which of a, b, c is the odd one?" answered c is exactly ab|c. "Is b or c more
like a?" is a comparison, d(a, b) < d(a, c): weaker than a triplet, and never converted to one here. If a is the
outlier, that answer is forced and holds no information.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from tripletree.core.answers import AnswerSet
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_choice, check_count, check_entries, described
from tripletree.core.labels import KnownClasses, label_codes, series_index, tell_doubtful, without_gaps
from tripletree.core.leaves import LeafIndex, sorted_labels
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.random import distinct_integers, generator
from tripletree.core.triplets import TripletSet, check_label_triple
from tripletree.errors import InvalidLabelsError, InvalidTripletError, LimitExceededError

#: Triplets or pairs that are made at most.
_LIMIT = 50_000_000


def triplets_from_classes(
    y: Any, *, leaves: LeafIndex | Iterable[Hashable] | None = None, samples: Any = None, missing: Any = None
) -> TripletSet:
    """Turn class labels into the smallest triplet set that makes each class a clade (GenerateConstraints).

    For each class, its first member a, each other member b and the first member c of each other class: ab|c. Every
    binary hierarchy that displays these triplets has each class as a clade.

    Parameters
    ----------
    y : array_like, shape (n,)
        Class of each sample. None, NaN, -1, "", "NA", "?", "-", "unknown" and the like mark samples without one, which
        are left out. That -1 or a word was taken so is told in a warning.
    leaves : LeafIndex or iterable of labels, optional
        Labels of the n samples. By default the index if y is a pandas Series, else 0..n-1.
    samples : array_like of int or bool, optional
        Use only these samples, as row numbers or as a mask, whatever their order. The others occur in no
        triplet, and their entries in `y` are not read.
    missing : value or collection of values, optional
        The values in `y` that mark samples without a class instead: ``missing=[]`` makes -1 a class. None and NaN
        always do.

    Returns
    -------
    TripletSet
        (n - k)(k - 1) triplets for n used samples in k classes.

    Raises
    ------
    LimitExceededError
        If there would be more than 50 million.

    See Also
    --------
    sample_class_triplets : random ones, of all that the classes imply.

    Notes
    -----
    This is GenerateConstraints of [1]_ without its degenerate rows (the first member of a class against itself). The
    set that identifies the two-level hierarchy of the classes, see `decompose`.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with relative constraints, KDD 2011, 947-955.

    Examples
    --------
    >>> list(triplets_from_classes(["x", "x", "y", "y"]))
    [(0, 1, 2), (2, 3, 0)]
    """
    codes, index, used = _class_codes(y, leaves, samples, missing)
    k = int(codes.max()) + 1 if codes.size else 0
    total = (codes.size - k) * (k - 1) if k else 0
    if total > _LIMIT:
        msg = (
            f"{k:,} classes of {codes.size:,} samples give {total:,} triplets, more than {_LIMIT:,}; "
            "take sample_class_triplets, or fewer samples"
        )
        raise LimitExceededError(msg, size=total, limit=_LIMIT)
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
    missing: Any = None,
    random_state: Any = None,
) -> TripletSet:
    """Draw different triplets ab|c with a, b of one class and c of another, every set of them equally likely.

    Parameters
    ----------
    y, leaves, samples, missing
        As in `triplets_from_classes`.
    size : int
        How many to draw.
    random_state : None, int, Generator or RandomState
        The same value gives the same triplets.

    Returns
    -------
    TripletSet
        Exactly `size` triplets.

    Examples
    --------
    >>> t = sample_class_triplets([0, 0, 0, 1, 1], 5, random_state=1)
    >>> len(t)
    5
    """
    rng = generator(random_state)
    codes, index, used = _class_codes(y, leaves, samples, missing)
    order = np.argsort(codes, kind="stable")
    count = np.bincount(codes).astype(np.int64)
    begin = np.cumsum(count) - count
    pairs, outside = count * (count - 1) // 2, codes.size - count
    total = sum(int(p) * int(q) for p, q in zip(pairs, outside, strict=True))
    size = check_count(size, "size")
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
    i, j = _pair_of(pair)
    c += np.where(c >= begin[group], count[group], 0)
    rows = used[order[np.stack([begin[group] + i, begin[group] + j, c], axis=1)]]
    return TripletSet(rows, index)


def triplets_from_odd_one_out(
    trios: Iterable[Sequence[Hashable]] | AnswerSet,
    odd: Iterable[Hashable] | None = None,
    *,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
) -> TripletSet:
    """Turn answers to "which of these three is the odd one?" into triplets: c odd among a, b, c is exactly ab|c.

    Parameters
    ----------
    trios : iterable of (x, y, z), or AnswerSet
        The three labels shown, or answers, as `read_answers` and ``OddOneOutClustering.answers_`` have them.
    odd : iterable of labels, optional
        The answer to each: one of the three. Not with an `AnswerSet`, which has them.
    leaves : LeafIndex or iterable of labels, optional
        All leaves. By default the leaves that occur, or the leaves of the `AnswerSet`.

    Returns
    -------
    TripletSet
        Weighted by how often an answer was given, if some answer was given more than once.

    Raises
    ------
    InvalidTripletError
        If an answer is not in its trio, a trio repeats a label, or the lengths differ. ``.row`` is the number.

    See Also
    --------
    AnswerSet.triplets : the same for answers, with weights of people.

    Examples
    --------
    >>> list(triplets_from_odd_one_out([("cat", "dog", "eel")], ["eel"]))
    [('cat', 'dog', 'eel')]

    "alike", "different" and "unsure" give no triplet:

    >>> from tripletree.core import Answer, AnswerSet
    >>> said = AnswerSet([Answer(("cat", "dog", "eel"), "odd", "eel"), Answer(("cat", "eel", "hen"), "different")])
    >>> list(triplets_from_odd_one_out(said))
    [('cat', 'dog', 'eel')]
    """
    if isinstance(trios, AnswerSet):
        if odd is not None:
            msg = "odd is given together with an AnswerSet, which has the answers: leave odd out"
            raise TypeError(msg)
        told = trios.triplets()
        return told if leaves is None else told.reindex(leaves)
    if odd is None:
        msg = f"odd is missing: give the answer to each trio, or an AnswerSet in place of {described(trios)}"
        raise TypeError(msg)
    shown, answers = check_entries(trios, "trios"), check_entries(odd, "odd")
    if len(shown) != len(answers):
        msg = f"{len(shown)} trios but {len(answers)} answers"
        raise InvalidTripletError(msg, row=min(len(shown), len(answers)))
    triplets = []
    for k, (trio, answer) in enumerate(zip(shown, answers, strict=True)):
        labels = list(check_label_triple(trio, k, "trio"))
        if answer not in labels:
            msg = f"answer {k} is {answer!r}, which is not in the trio {tuple(labels)!r}"
            raise InvalidTripletError(msg, row=k)
        c = labels.pop(labels.index(answer))
        triplets.append((*labels, c))
    counted = TripletSet.from_labels(triplets, leaves, weights=np.ones(len(triplets)))
    repeated = len(counted) < len(triplets)
    return TripletSet(counted.rows, counted.leaves, counted.weights if repeated else None)


def triplets_from_merge_order(
    orders: Iterable[tuple[Hashable, Iterable[Any]]], *, leaves: LeafIndex | Iterable[Hashable] | None = None
) -> TripletSet:
    """Turn "x is merged with y before z" into triplets: the must-link-before of hierarchical constraints.

    That x is merged with y before it is merged with z is exactly xy|z. Of a longer order, neighbours are enough: the
    triplets of other members follow.

    Parameters
    ----------
    orders : iterable of (x, steps)
        The steps in the order in which x is merged with them: labels, or lists of labels that come at one step, whose
        order is open.
    leaves : LeafIndex or iterable of labels, optional
        All leaves. By default those that occur.

    Returns
    -------
    TripletSet
        xy|z for each y of a step and each z of the next one.

    Raises
    ------
    InvalidTripletError
        If an order repeats a label. ``.row`` is its number.

    References
    ----------
    .. [1] Bade, Nürnberger (2008), Creating a cluster hierarchy under constraints of a partially known hierarchy,
       Proceedings of the SIAM International Conference on Data Mining, 13-24.

    Examples
    --------
    >>> list(triplets_from_merge_order([("lion", ["tiger", "cat", ["dog", "fox"]])]))
    [('cat', 'lion', 'dog'), ('cat', 'lion', 'fox'), ('lion', 'tiger', 'cat')]
    """
    triplets = []
    for k, order in enumerate(check_entries(orders, "orders")):
        if not isinstance(order, (list, tuple)) or len(order) != 2 or not isinstance(order[1], (list, tuple)):
            msg = f"order {k} is {order!r:.60}; expected (x, steps), such as ('lion', ['tiger', 'cat'])"
            raise InvalidTripletError(msg, row=k)
        x, steps = order[0], [list(s) if isinstance(s, (list, set, frozenset)) else [s] for s in order[1]]
        named = [x, *(label for step in steps for label in step)]
        twice = next((label for label, times in Counter(named).items() if times > 1), None)
        if twice is not None:
            msg = f"order {k}, of {x!r}, has {twice!r} twice; a label has one place in it"
            raise InvalidTripletError(msg, row=k)
        triplets += [(x, y, z) for near, far in pairwise(filter(None, steps)) for y in near for z in far]
    return TripletSet.from_labels(triplets, leaves)


def triplets_from_comparisons(
    comparisons: Any, *, leaves: LeafIndex | Iterable[Hashable] | int | None = None
) -> TripletSet:
    """Make the triplets that follow from comparisons: ab|c if both d(a, b) < d(a, c) and d(b, a) < d(b, c) are said.

    Parameters
    ----------
    comparisons : Comparisons, tuple (rows, leaves), or iterable of (anchor, near, far)
        As `read_comparisons` gives them, or triples of labels.
    leaves : LeafIndex, iterable of labels or int, optional
        All leaves, if `comparisons` are triples. By default those that occur.

    Returns
    -------
    TripletSet
        Weighted by how often both halves are said, the smaller number of the two, if some are said more than once. The
        comparisons without their other half give nothing. The set need not be consistent.

    See Also
    --------
    TripletSet.to_comparisons : the reverse.
    tripletree.io.read_comparisons : from a table.

    Notes
    -----
    ab|c is defined by the two halves in [1]_. From one half alone no triplet follows.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with relative constraints, KDD 2011, 947-955.

    Examples
    --------
    >>> said = [("cat", "dog", "eel"), ("dog", "cat", "eel"), ("eel", "cat", "dog")]
    >>> list(triplets_from_comparisons(said))
    [('cat', 'dog', 'eel')]
    """
    rows, index = comparison_rows(comparisons, leaves)
    a, b, c = rows.T
    keys = np.stack([np.minimum(a, b), np.maximum(a, b), c], axis=1)
    found, which = np.unique(keys, axis=0, return_inverse=True)
    which = which.reshape(-1)
    halves = [np.bincount(which[side], minlength=len(found)) for side in (a < b, a > b)]
    both = np.minimum(*halves)
    kept = both > 0
    weights = both[kept].astype(np.float64)
    return TripletSet(found[kept], index, weights if (weights > 1).any() else None)


def comparison_rows(
    comparisons: Any, leaves: LeafIndex | Iterable[Hashable] | int | None = None
) -> tuple[np.ndarray, LeafIndex]:
    """Rows (anchor, near, far) as positions in the leaves, int64, of comparisons as users give them."""
    if isinstance(comparisons, tuple) and len(comparisons) == 2 and isinstance(comparisons[1], LeafIndex):
        return np.asarray(comparisons[0], np.int64).reshape(-1, 3), comparisons[1]
    entries = [check_label_triple(x, k, "comparison") for k, x in enumerate(check_entries(comparisons, "comparisons"))]
    flat = [x for row in entries for x in row]
    index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(sorted_labels(flat) if leaves is None else leaves)
    return index.indices(flat, what="leaves of comparisons").astype(np.int64).reshape(-1, 3), index


def _class_codes(y: Any, leaves: Any, samples: Any, missing: Any) -> tuple[np.ndarray, LeafIndex, np.ndarray]:
    """Return the classes of the used samples as 0..k-1, the leaf index, and the samples asked for that have a class."""
    all_codes, values = label_codes(y, "y")
    if leaves is None:
        leaves = all_codes.size if series_index(y) is None else y.index
    index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
    if len(index) != all_codes.size:
        msg = f"y has {all_codes.size} entries for {len(index)} leaves"
        raise InvalidLabelsError(msg)
    if series_index(samples) is not None and series_index(y) is not None and samples.dtype == bool:
        samples = _mask_over(samples, y)
    used = np.arange(all_codes.size) if samples is None else _row_numbers(samples, all_codes.size)
    used = used[all_codes[used] >= 0]
    codes, known = without_gaps(all_codes[used], values, "y", missing)
    if missing is None and not isinstance(y, KnownClasses):
        tell_doubtful(codes, known, "y")
    used = used[codes >= 0]
    return np.unique(codes[codes >= 0], return_inverse=True)[1], index, freeze(used.astype(np.int32))


def _mask_over(mask: Any, y: Any) -> Any:
    """A pandas mask in the order of the classes, if both have the same index."""
    if mask.index.equals(y.index):
        return mask
    if not mask.index.is_unique or set(mask.index) != set(y.index):
        msg = "samples is a pandas mask with another index than y; give both the same index, or a numpy array"
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
    return np.sort(rows)  # so that the first member of a class is the one with the smallest row number


# ----------------------------------------------------------------------
# Class labels as pairs: all pairs of labelled samples, the few that imply them, or random ones.


def pairs_from_classes(
    y: Any,
    *,
    which: Literal["all", "spanning"] = "all",
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    samples: Any = None,
    missing: Any = None,
) -> PairwiseConstraints:
    """Turn class labels into must-links between samples of one class and cannot-links between samples of two.

    Parameters
    ----------
    y : array_like, shape (n,)
        Class of each sample. None, NaN, -1, "", "NA", "?", "-", "unknown" and the like mark samples without one, which
        are left out. That -1 or a word was taken so is told in a warning.
    which : {"all", "spanning"}
        All n (n - 1) / 2 pairs, or the fewest that imply them: of each class its first member with each other one, and
        the first members of each two classes with each other.
    leaves : LeafIndex or iterable of labels, optional
        Labels of the n samples. By default the index if y is a pandas Series, else 0..n-1.
    samples : array_like of int or bool, optional
        Use only these samples, as row numbers or as a mask. The others occur in no pair, and their entries in `y` are
        not read.
    missing : value or collection of values, optional
        The values in `y` that mark samples without a class, as in `triplets_from_classes`.

    Returns
    -------
    PairwiseConstraints

    Raises
    ------
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
    check_choice(which, "which", ("all", "spanning"))
    codes, index, used = _class_codes(y, leaves, samples, missing)
    k = int(codes.max()) + 1 if codes.size else 0
    ends = codes.size if which == "all" else k
    total = ends * (ends - 1) // 2 + (0 if which == "all" else codes.size - k)
    if total > _LIMIT:
        less = "which='spanning', sample_class_pairs," if which == "all" else "sample_class_pairs"
        msg = f"{codes.size:,} samples in {k:,} classes give {total:,} pairs; take {less} or fewer samples"
        raise LimitExceededError(msg, size=total, limit=_LIMIT)
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
    missing: Any = None,
    random_state: Any = None,
) -> PairwiseConstraints:
    """Draw different pairs of samples: must-links within a class, cannot-links between classes.

    Parameters
    ----------
    y, leaves, samples, missing
        As in `pairs_from_classes`.
    size : int
        How many to draw.
    must_share : float, optional
        Part of them that are must-links, 0..1: ``round(must_share * size)`` of them, drawn from all pairs of one
        class, the others from all pairs of two. By default every set of pairs is equally likely.
    random_state : None, int, Generator or RandomState
        The same value gives the same pairs.

    Returns
    -------
    PairwiseConstraints
        Exactly `size` pairs, consistent.

    Examples
    --------
    >>> p = sample_class_pairs([0, 0, 0, 1, 1, 1], 8, must_share=0.25, random_state=1)
    >>> p.n_must, p.n_cannot
    (2, 6)
    """
    rng = generator(random_state)
    codes, index, used = _class_codes(y, leaves, samples, missing)
    order = np.argsort(codes, kind="stable")
    count = np.bincount(codes).astype(np.int64)
    size = check_count(size, "size")
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
    """Pairs in one class, as places in the samples sorted by class. `count` is the size of each class."""
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
