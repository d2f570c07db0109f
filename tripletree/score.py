"""How well flat clusters match classes, a hierarchy classes, and how much of a set of triplets a hierarchy displays.

========================  ===================================================================================
`pairwise_f_score`        clusters against classes, by the pairs that are together
`rand_index`              the same by all pairs, together or apart
`constrained_rand_index`  the same by the pairs that constraints leave open
`pair_score`              clusters against must-links and cannot-links; `violated_pairs`: which they violate
`dendrogram_purity`       a hierarchy against classes, without a cut
`triplet_score`           a hierarchy against triplets
========================  ===================================================================================

Normalised mutual information and the adjusted Rand index are scikit-learn's:
``sklearn.metrics.normalized_mutual_info_score`` and ``sklearn.metrics.adjusted_rand_score``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree import _kernels
from tripletree._checks import expect_hierarchy, expect_triplets
from tripletree._kernels import frozen
from tripletree._labels import aligned_codes
from tripletree._pair_counts import crossed, decided_pairs, open_pairs, pair_counts, paired_codes, pairs_within
from tripletree.hierarchy import Hierarchy
from tripletree.induction import displays
from tripletree.pairs import PairwiseConstraints, expect_pairs
from tripletree.pairs.violations import pair_score, sample_rows, violated_pairs
from tripletree.triplets import TripletSet

__all__ = [
    "PairwiseScores",
    "constrained_rand_index",
    "dendrogram_purity",
    "pair_score",
    "pairwise_f_score",
    "pairwise_precision_recall",
    "rand_index",
    "triplet_score",
    "violated_pairs",
]


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
    rand_index : counts the pairs that are apart in both, too.

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
    both, classes, clusters = pair_counts(*paired_codes(y_true, y_pred))
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
    both, classes, clusters = pair_counts(*paired_codes(y_true, y_pred))
    neither = 1.0 if classes + clusters == 0 else 0.0
    return PairwiseScores(both / clusters if clusters else neither, both / classes if classes else neither)


def rand_index(y_true: Any, y_pred: Any) -> float:
    """Score flat clusters against classes: the share of the pairs of samples on which the two agree.

    They agree on a pair that is together in both or apart in both. Where there are many classes, most pairs are apart
    whatever the clusters: then look at `pairwise_f_score`, or at ``sklearn.metrics.adjusted_rand_score``.

    Parameters
    ----------
    y_true, y_pred : sequence, shape (n,)
        The class and the cluster of each sample. The two may be swapped.

    Returns
    -------
    float
        Between 0 and 1, equal to ``sklearn.metrics.rand_score``; 1.0 for fewer than two samples.

    Raises
    ------
    InvalidLabelsError
        If the two differ in length, are not one-dimensional, or a label is missing (None or NaN).

    See Also
    --------
    constrained_rand_index : of the pairs that constraints leave open.
    pairwise_f_score : of the pairs that are together in one of the two.

    References
    ----------
    .. [1] Rand (1971), Objective criteria for the evaluation of clustering methods, J. Am. Stat. Assoc. 66, 846-850.

    Examples
    --------
    >>> rand_index(["x", "x", "x", "y", "y", "y"], [0, 0, 1, 1, 1, 2])
    0.6
    """
    classes, clusters = paired_codes(y_true, y_pred)
    same_both, same_class, same_cluster = pair_counts(classes, clusters)
    return _rand(classes.size * (classes.size - 1) // 2, same_both, same_class, same_cluster)


def constrained_rand_index(
    y_true: Any,
    y_pred: Any,
    *,
    pairs: PairwiseConstraints | None = None,
    must_link: Any = (),
    cannot_link: Any = (),
) -> float:
    """Score flat clusters against classes by the pairs that the constraints given to a clustering leave open.

    A clustering that keeps its constraints has them right without merit. So the pairs that they decide are left out
    [1]_: two samples tied by must-links, directly or through others, and every two samples of two such groups between
    which there is a cannot-link.

    Parameters
    ----------
    y_true, y_pred : sequence, shape (n,)
        The class and the cluster of each sample.
    pairs : PairwiseConstraints, optional
        The constraints; strengths are not looked at. Its leaves are samples as in `pair_score`, by the index of
        `y_true` where that is a pandas Series.
    must_link, cannot_link : array_like of int, shape (p, 2)
        The constraints as pairs of sample positions 0..n-1 instead, in any order; repeats do not matter.

    Returns
    -------
    float
        The share of the open pairs on which classes and clusters agree, between 0 and 1; 1.0 where the constraints
        leave none open.

    Raises
    ------
    InvalidLabelsError
        If the labels do not fit, as in `rand_index`.
    ValueError
        If a constraint is no pair of two different positions, or the two kinds contradict each other (an
        InconsistentPairsError for `pairs`), or constraints are given in both ways.
    UnknownLeafError
        If `pairs` name a sample that `y_true` has not.

    See Also
    --------
    rand_index : without constraints.

    Notes
    -----
    Whether `y_true` or `y_pred` keeps the constraints is not asked. The open pairs are counted, not listed: memory
    O(n + p) for p constraints, time O((n + p) log(n + p)) and, for each two groups with a cannot-link, as many steps
    as they have different classes and clusters.

    References
    ----------
    .. [1] Klein, Kamvar, Manning (2002), From instance-level constraints to space-level constraints, ICML 2002,
       307-314.
    .. [2] Wagstaff, Cardie, Rogers, Schrödl (2001), Constrained K-means clustering with background knowledge,
       ICML 2001, 577-584.

    Examples
    --------
    >>> y_true, y_pred = ["x", "x", "x", "y", "y", "y"], [0, 0, 1, 1, 1, 2]
    >>> constrained_rand_index(y_true, y_pred)
    0.6
    >>> constrained_rand_index(y_true, y_pred, must_link=[(0, 1), (3, 4)], cannot_link=[(1, 3)])
    0.3333333333333333
    >>> constrained_rand_index(y_true, y_pred, pairs=PairwiseConstraints([(0, 1), (3, 4)], [(1, 3)], 6))
    0.3333333333333333
    """
    classes, clusters = paired_codes(y_true, y_pred)
    if pairs is not None:
        if np.size(must_link) + np.size(cannot_link):
            msg = "give pairs=, or must_link= and cannot_link=, not both"
            raise ValueError(msg)
        expect_pairs(pairs).closure()
        must_link, cannot_link = sample_rows(pairs, y_true, "y_true")
    group, apart = decided_pairs(must_link, cannot_link, classes.size)
    labellings = (np.zeros_like(classes), crossed(classes, clusters), classes, clusters)
    return _rand(*(open_pairs(codes, group, apart) for codes in labellings))


def _rand(total: int, same_both: int, same_class: int, same_cluster: int) -> float:
    """The share of the pairs that are together in both or apart in both."""
    return (total - same_class - same_cluster + 2 * same_both) / total if total else 1.0


def dendrogram_purity(hierarchy: Hierarchy, classes: Any) -> float:
    """Score a hierarchy against classes, without a cut: how pure the clades are in which leaves of one class meet.

    Two leaves of one class are drawn at random; what is expected of the share of that class in the smallest clade
    that holds both?

    Parameters
    ----------
    hierarchy : Hierarchy
        Nodes may have any number of children.
    classes : sequence or mapping
        The class of each leaf, in leaf order or by leaf label. A leaf whose class is missing (None or NaN, or no key)
        counts nowhere: neither in the pairs nor in the shares. Every other value is a class, -1 too.

    Returns
    -------
    float
        Above 0, at most 1; 1.0 exactly when each class is a clade of the leaves that have one. 1.0 too where no two
        leaves share a class.

    Raises
    ------
    InvalidLabelsError
        If `classes` has not one entry a leaf, or an entry is no label.
    UnknownLeafError
        If a mapping names a leaf that the hierarchy lacks.

    See Also
    --------
    triplet_score : against triplets; those of the classes come from `tripletree.triplets_from_classes`.
    tripletree.cut : flat clusters, for the other scores.

    Notes
    -----
    All pairs of leaves of one class are equally likely, as is usual today [2]_. [1]_ draws a leaf and then another one
    of its class, which gives large classes less weight; for classes of one size it is the same. The value is exact,
    not sampled: O(n log n) time, O(n) memory, whatever the depth.

    References
    ----------
    .. [1] Heller, Ghahramani (2005), Bayesian hierarchical clustering, ICML 2005, 297-304.
    .. [2] Kobren, Monath, Krishnamurthy, McCallum (2017), A hierarchical algorithm for extreme clustering, KDD 2017,
       255-264.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("ant", "bee"), ("cat", ("cow", "eel"))])
    >>> dendrogram_purity(h, ["insect", "insect", "mammal", "mammal", "fish"])
    0.8333333333333333
    >>> dendrogram_purity(h, {"ant": "insect", "bee": "insect", "cat": "mammal", "cow": "mammal"})
    1.0
    """
    codes, known = aligned_codes(classes, expect_hierarchy(hierarchy).leaves, "classes")
    pairs = int(pairs_within(np.bincount(codes[codes >= 0])))
    if pairs == 0:
        return 1.0
    intervals = hierarchy.leaf_intervals
    total = _kernels.purity.purity_sum(hierarchy.parent, frozen(codes), *intervals, len(known))
    return float(total) / pairs


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
    dendrogram_purity : against classes.

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
