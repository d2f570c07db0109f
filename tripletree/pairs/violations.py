"""Pairs against flat clusters: which of them the clusters keep; and which sample each leaf of pairs is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tripletree._labels import index_of, label_codes
from tripletree.errors import DuplicateLeafError, InvalidLabelsError, UnknownLeafError
from tripletree.pairs import PairwiseConstraints, expect_pairs

__all__ = ["pair_score", "sample_rows", "violated_pairs"]


def pair_score(y_pred: Any, pairs: PairwiseConstraints, *, weighted: bool = True) -> float:
    """Return the share of some must-links and cannot-links that flat clusters keep.

    Parameters
    ----------
    y_pred : sequence, mapping, pandas Series or fitted estimator
        The cluster of each sample; of an estimator its ``labels_``, by the labels of X where it keeps them, as all here
        but `COPKMeans` do. A mapping or Series says which sample by its key or index. Samples of anything else
        are known by their positions where every leaf in a pair is one of 0..n-1, as for the estimators; else there must
        be as many as leaves, in their order.
    pairs : PairwiseConstraints
        They may contradict each other.
    weighted : bool
        Whether strengths count, where there are any; else every pair counts as 1.

    Returns
    -------
    float
        Between 0 and 1: the strength (or number) of the pairs kept over that of all; 1.0 where there are none.

    Raises
    ------
    InvalidLabelsError
        If the clusters do not fit, or that of a sample in a pair is missing (None or NaN); -1 is a cluster.
    UnknownLeafError
        If a pair names a sample that `y_pred` has not.
    DuplicateLeafError
        If the index of a Series holds a sample in a pair more than once.

    See Also
    --------
    violated_pairs : which of them are not kept.
    tripletree.score.triplet_score : the same for triplets and a hierarchy.

    Examples
    --------
    >>> pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2)], 4, must_strength=[1.0, 0.5])
    >>> pair_score([0, 0, 1, 2], pairs)
    0.8
    >>> pair_score([0, 0, 1, 2], pairs, weighted=False)
    0.6666666666666666
    >>> pair_score({"ant": 0, "bee": 0, "cow": 1}, PairwiseConstraints.from_labels([("ant", "bee")]))
    1.0
    """
    kept = [~x for x in _violated(y_pred, pairs)]
    if weighted and pairs.must_strength is not None and pairs.cannot_strength is not None:
        strengths = [pairs.must_strength, pairs.cannot_strength]
    else:
        strengths = [np.ones(pairs.n_must), np.ones(pairs.n_cannot)]
    total = sum(float(x.sum()) for x in strengths)
    held = sum(float(x[some].sum()) for x, some in zip(strengths, kept, strict=True))
    return held / total if total else 1.0


def violated_pairs(y_pred: Any, pairs: PairwiseConstraints) -> PairwiseConstraints:
    """Return the must-links and cannot-links that flat clusters do not keep.

    Parameters
    ----------
    y_pred, pairs
        As for `pair_score`.

    Returns
    -------
    PairwiseConstraints
        Over the same leaves, with strengths and origins: its ``len`` counts the violated pairs.

    Raises
    ------
    InvalidLabelsError, UnknownLeafError, DuplicateLeafError
        As `pair_score` does.

    Examples
    --------
    >>> list(violated_pairs([0, 0, 1], PairwiseConstraints([(0, 1), (1, 2)], [(0, 1)], 3)))
    [(1, 2, 'must'), (0, 1, 'cannot')]
    """
    must, cannot = _violated(y_pred, pairs)
    return pairs.subset(must_link=must, cannot_link=cannot)


def _violated(y_pred: Any, pairs: PairwiseConstraints) -> tuple[np.ndarray, np.ndarray]:
    """Which must-links have their ends in two clusters, and which cannot-links in one."""
    labels, name = _labels_of(y_pred)
    must, cannot = sample_rows(expect_pairs(pairs), labels, name)
    codes = _row_codes(labels, np.concatenate([must, cannot]), name)
    return codes[must[:, 0]] != codes[must[:, 1]], codes[cannot[:, 0]] == codes[cannot[:, 1]]


def _labels_of(y_pred: Any) -> tuple[Any, str]:
    """The clusters, and what to call them: those of a fitted estimator, by label where it keeps the labels of X."""
    if isinstance(y_pred, type) or not hasattr(y_pred, "fit"):
        return y_pred, "y_pred"
    labels = getattr(y_pred, "labels_", None)
    if labels is None:
        msg = f"this {type(y_pred).__name__} has no labels_: fit it first, or give the cluster of each sample"
        raise InvalidLabelsError(msg)
    for name in ("pairs_", "violated_pairs_", "hierarchy_"):
        leaves = getattr(getattr(y_pred, name, None), "leaves", ())
        if len(leaves) == len(labels):
            return dict(zip(leaves, np.asarray(labels).tolist(), strict=True)), "the estimator's labels_"
    return labels, "model.labels_"


def sample_rows(pairs: PairwiseConstraints, labels: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The must-links and the cannot-links by positions of samples.

    Parameters
    ----------
    pairs : PairwiseConstraints
    labels : sequence, mapping or pandas Series
        One entry for each sample. The samples are the keys, the index, or the positions; leaves in their order where
        those in pairs are no positions and there are as many as entries.
    name : str
        Of `labels`, for messages.

    Returns
    -------
    must, cannot : ndarray of int64, shape (p, 2)

    Raises
    ------
    InvalidLabelsError, UnknownLeafError, DuplicateLeafError
    """
    used = pairs.used_leaves
    wanted = [pairs.leaves[i] for i in used.tolist()]
    samples = list(labels) if isinstance(labels, Mapping) else index_of(labels)
    if samples is None or samples == list(range(len(samples))):
        at = _positions(wanted, used, len(pairs.leaves), _length(labels, name), name)
    else:
        at = _places(wanted, samples, name)
    number = np.full(len(pairs.leaves), -1)
    number[used] = at
    return number[pairs.must_link], number[pairs.cannot_link]


def _row_codes(labels: Any, rows: np.ndarray, name: str) -> np.ndarray:
    """The labels as codes; an InvalidLabelsError where one is missing that occurs in rows of positions."""
    codes, _ = label_codes(list(labels.values()) if isinstance(labels, Mapping) else labels, name)
    missing = rows[codes[rows] < 0]
    if missing.size:
        i = int(missing.min())
        where = f"key {list(labels)[i]!r}" if isinstance(labels, Mapping) else f"entry {i}"
        msg = f"{where} of {name} is missing, and its sample is in a pair: leave out its pairs with restrict()"
        raise InvalidLabelsError(msg, position=i)
    return codes


def _length(labels: Any, name: str) -> int:
    return label_codes(labels, name)[0].size if not isinstance(labels, Mapping) else len(labels)


def _positions(wanted: list, used: np.ndarray, n_leaves: int, n: int, name: str) -> np.ndarray:
    """Leaves that are positions 0..n-1, or stand in the order of the entries."""
    whole = [isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in wanted]
    if all(whole) and all(0 <= x < n for x in wanted):
        return np.array(wanted, np.int64)
    if n == n_leaves and not all(whole):
        return used
    if all(whole):
        unknown = [x for x in wanted if not 0 <= x < n]
        raise UnknownLeafError(unknown, range(n), what=f"pairs' samples ({name} has {n} entries)")
    msg = (
        f"{name} has {n} entries, and the pairs {n_leaves} leaves that are no positions ({wanted[0]!r}, ...): say "
        f"which sample an entry is of by a mapping or a pandas Series, pd.Series({name}, index=X.index)"
    )
    raise InvalidLabelsError(msg)


def _places(wanted: list, samples: Sequence[Any], name: str) -> np.ndarray:
    """Where leaves stand among the keys or the index, in which those in pairs must occur once."""
    position = dict(zip(reversed(samples), range(len(samples) - 1, -1, -1), strict=True))
    unknown = [x for x in wanted if x not in position]
    if unknown:
        raise UnknownLeafError(unknown, list(position)[::-1], what=f"pairs' samples, by the index or keys of {name}")
    if len(position) < len(samples):
        some, twice = set(wanted), set()
        for i, x in enumerate(samples):
            if position[x] != i and x in some:
                twice.add(x)
        if twice:
            raise DuplicateLeafError(list(twice), where=f" in the index of {name}, to which pairs refer")
    return np.array([position[x] for x in wanted], np.int64)
