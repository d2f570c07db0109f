"""How well flat clusters match classes, and how much of a set of triplets a hierarchy displays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree._checks import expect_hierarchy, expect_triplets
from tripletree._labels import label_codes
from tripletree.errors import InvalidLabelsError
from tripletree.hierarchy import Hierarchy
from tripletree.induction import displays
from tripletree.triplets import TripletSet

__all__ = ["PairwiseScores", "pairwise_f_score", "pairwise_precision_recall", "triplet_score"]


class PairwiseScores(NamedTuple):
    """Precision and recall over pairs of samples, each between 0 and 1."""

    precision: float
    recall: float


def pairwise_f_score(y_true: Any, y_pred: Any) -> float:
    """Score flat clusters against classes: the harmonic mean of pairwise precision and recall.

    Precision is the share, among the pairs of samples in one cluster, of those in one class; recall the share, among
    the pairs in one class, of those in one cluster.

    Parameters
    ----------
    y_true : sequence, shape (n,)
        The class of each sample: integers, strings or any hashable values.
    y_pred : sequence, shape (n,)
        The cluster of each sample. The two may be swapped: the score is symmetric.

    Returns
    -------
    float
        Between 0 and 1; 1.0 when the clusters are the classes.

    Raises
    ------
    InvalidLabelsError
        If the two differ in length, are not one-dimensional, or a label is missing (None or NaN).

    See Also
    --------
    pairwise_precision_recall : the two parts.

    Notes
    -----
    The pairs are counted from the table of clusters against classes, in integers: O(n log n) time, O(n) memory. Where
    no two samples share a class and none share a cluster the score is 1.0; where only one side has pairs it is 0.0.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with Relative Constraints, KDD 2011, 947-955.

    Examples
    --------
    >>> pairwise_f_score(["cat", "cat", "dog", "dog"], [0, 0, 1, 1])
    1.0
    >>> pairwise_f_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.4
    """
    both, classes, clusters = _pair_counts(y_true, y_pred)
    if classes + clusters == 0:
        return 1.0
    return 2 * both / (classes + clusters)


def pairwise_precision_recall(y_true: Any, y_pred: Any) -> PairwiseScores:
    """Score flat clusters against classes by pairwise precision and recall.

    Parameters
    ----------
    y_true, y_pred : sequence, shape (n,)
        The class and the cluster of each sample.

    Returns
    -------
    PairwiseScores
        A named tuple (precision, recall). Where no two samples share a cluster, precision has nothing to count: it is
        1.0 if none share a class either, else 0.0; recall likewise.

    Raises
    ------
    InvalidLabelsError
        If the two differ in length, are not one-dimensional, or a label is missing (None or NaN).

    Examples
    --------
    >>> pairwise_precision_recall([0, 0, 0, 1], [0, 0, 1, 1])
    PairwiseScores(precision=0.5, recall=0.3333333333333333)
    """
    both, classes, clusters = _pair_counts(y_true, y_pred)
    neither = 1.0 if classes + clusters == 0 else 0.0
    return PairwiseScores(both / clusters if clusters else neither, both / classes if classes else neither)


def _pair_counts(y_true: Any, y_pred: Any) -> tuple[int, int, int]:
    """Pairs of samples in one class and one cluster, in one class, in one cluster."""
    codes = []
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
    table = a * (int(b.max()) + 1 if b.size else 1) + b
    both, classes, clusters = (int(_pairs(np.unique(x, return_counts=True)[1])) for x in (table, a, b))
    return both, classes, clusters


def _pairs(count: np.ndarray) -> np.int64:
    """Sum of count choose 2, exact in int64 up to 4 * 10**9 samples."""
    count = count.astype(np.int64)
    return (count * (count - 1) // 2).sum()


def triplet_score(hierarchy: Hierarchy, triplets: TripletSet) -> float:
    """Return the share of some triplets that a hierarchy displays.

    Parameters
    ----------
    hierarchy : Hierarchy
    triplets : TripletSet
        Over leaves of the hierarchy, in any order. Weights count where there are any.

    Returns
    -------
    float
        Between 0 and 1: the number (or weight) of the triplets displayed over that of all; 1.0 for an empty set. A
        triplet whose three leaves the hierarchy leaves unresolved is not displayed.

    Raises
    ------
    UnknownLeafError
        If a triplet has a leaf that the hierarchy lacks.

    See Also
    --------
    tripletree.displays : which of them.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    >>> triplet_score(h, TripletSet.from_labels([("human", "chimp", "gorilla"), ("human", "gorilla", "chimp")]))
    0.5
    """
    expect_hierarchy(hierarchy)
    if len(expect_triplets(triplets)) == 0:
        return 1.0
    shown = displays(hierarchy, triplets)
    if triplets.weights is None:
        return int(np.count_nonzero(shown)) / len(triplets)
    return float(triplets.weights[shown].sum() / triplets.weights.sum())
