"""How well flat clusters match classes, a hierarchy classes, and how much of a set of triplets a hierarchy displays.

========================  ===================================================================================
`pairwise_f_score`        clusters against classes, by the pairs that are together
`rand_index`              the same by all pairs, together or apart
`constrained_rand_index`  the same by the pairs that constraints leave open
`pair_score`              clusters against must-links and cannot-links. `violated_pairs`: which they violate
`dendrogram_purity`       a hierarchy against classes, without a cut
`triplet_score`           a hierarchy against triplets
`label_triplet_score`     clusters against triplets. `tripletree.satisfies`: which they satisfy
========================  ===================================================================================

Normalised mutual information and the adjusted Rand index are scikit-learn's:
``sklearn.metrics.normalized_mutual_info_score`` and ``sklearn.metrics.adjusted_rand_score``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.flat import satisfies
from tripletree.algorithms.induce import displays
from tripletree.core.arrays import frozen
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, check_rooted
from tripletree.core.labels import aligned_codes, clusters_of, label_codes, leaf_positions, row_codes, series_index
from tripletree.core.pairs import PairwiseConstraints, check_pairs
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import SHOWN, InvalidLabelsError

#: How many counts are processed together.
CHUNK = 1_000_000


def pair_score(labels: Any, pairs: PairwiseConstraints, *, weighted: bool = True) -> float:
    """Return the share of some must-links and cannot-links that flat clusters keep.

    Parameters
    ----------
    labels : sequence, mapping, pandas Series or fitted estimator
        The cluster of each sample. An estimator gives its ``labels_``, by the labels of X if it keeps them, as all
        here but `COPKMeans` do. A mapping or Series says which sample by its key or index. Samples of anything else are
        known by their positions if every leaf in a pair is one of 0..n-1, as for the estimators, else there must be
        as many as leaves, in their order.
    pairs : PairwiseConstraints
        They may contradict each other.
    weighted : bool
        True if weights count, if there are any, else every pair counts as 1.

    Returns
    -------
    float
        Between 0 and 1: the weight (or number) of the pairs kept, divided by the total. 1.0 if there are none.

    See Also
    --------
    violated_pairs : which of them are not kept.
    tripletree.triplet_score : the same for triplets and a hierarchy.

    Examples
    --------
    >>> pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2)], 4, must_weights=[1.0, 0.5])
    >>> pair_score([0, 0, 1, 2], pairs)
    0.8
    >>> pair_score([0, 0, 1, 2], pairs, weighted=False)
    0.6666666666666666
    >>> pair_score({"ant": 0, "bee": 0, "cow": 1}, PairwiseConstraints.from_labels([("ant", "bee")]))
    1.0
    """
    kept = [~x for x in _violated(labels, pairs)]
    if weighted and pairs.must_weights is not None and pairs.cannot_weights is not None:
        weights = [pairs.must_weights, pairs.cannot_weights]
    else:
        weights = [np.ones(pairs.n_must), np.ones(pairs.n_cannot)]
    total = sum(float(x.sum()) for x in weights)
    held = sum(float(x[some].sum()) for x, some in zip(weights, kept, strict=True))
    return held / total if total else 1.0


def violated_pairs(labels: Any, pairs: PairwiseConstraints) -> PairwiseConstraints:
    """Return the must-links and cannot-links that flat clusters do not keep.

    Parameters
    ----------
    labels, pairs
        As for `pair_score`.

    Returns
    -------
    PairwiseConstraints
        Over the same leaves, with weights and origins: its ``len`` counts the violated pairs.

    Examples
    --------
    >>> list(violated_pairs([0, 0, 1], PairwiseConstraints([(0, 1), (1, 2)], [(0, 1)], 3)))
    [(1, 2, 'must'), (0, 1, 'cannot')]
    """
    must, cannot = _violated(labels, pairs)
    return pairs.subset(must_link=must, cannot_link=cannot)


class PairwiseScores(NamedTuple):
    """Precision and recall over pairs of samples, each between 0 and 1.

    Attributes
    ----------
    precision : float
        The share, among the pairs of samples in one cluster, that are in one class.
    recall : float
        The share, among the pairs of samples in one class, that are in one cluster.
    """

    precision: float
    recall: float


def pairwise_f_score(y_true: Any, y_pred: Any) -> float:
    """Score flat clusters against classes: the harmonic mean of pairwise precision and recall.

    Precision is the share, among the pairs of samples in one cluster, of those in one class. Recall the share, among
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
        Between 0 and 1. 1.0 when the clusters are the classes.

    See Also
    --------
    pairwise_precision_recall : the two parts.
    rand_index : counts the pairs that are apart in both, too.

    Notes
    -----
    The pairs are counted from the table of clusters against classes, in integers: O(n log n) time, O(n) memory. If
    no two samples share a class and none share a cluster the score is 1.0. If only one side has pairs it is 0.0.

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
    both, classes, clusters = _pair_counts(*_paired_codes(y_true, y_pred))
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
        A named tuple (precision, recall). If no two samples share a cluster, precision has nothing to count: it is
        1.0 if none share a class either, else 0.0. Recall likewise.

    Examples
    --------
    >>> pairwise_precision_recall([0, 0, 0, 1], [0, 0, 1, 1])
    PairwiseScores(precision=0.5, recall=0.3333333333333333)
    """
    both, classes, clusters = _pair_counts(*_paired_codes(y_true, y_pred))
    neither = 1.0 if classes + clusters == 0 else 0.0
    return PairwiseScores(both / clusters if clusters else neither, both / classes if classes else neither)


def rand_index(y_true: Any, y_pred: Any) -> float:
    """Score flat clusters against classes: the share of the pairs of samples that both treat alike.

    They agree on a pair that is together in both or apart in both. If there are many classes, most pairs are apart
    whatever the clusters: then look at `pairwise_f_score`, or at ``sklearn.metrics.adjusted_rand_score``.

    Parameters
    ----------
    y_true, y_pred : sequence, shape (n,)
        The class and the cluster of each sample. The two may be swapped.

    Returns
    -------
    float
        Between 0 and 1, equal to ``sklearn.metrics.rand_score``. 1.0 for fewer than two samples.

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
    classes, clusters = _paired_codes(y_true, y_pred)
    same_both, same_class, same_cluster = _pair_counts(classes, clusters)
    return _rand(classes.size * (classes.size - 1) // 2, same_both, same_class, same_cluster)


def constrained_rand_index(
    y_true: Any, y_pred: Any, *, pairs: PairwiseConstraints | None = None, must_link: Any = (), cannot_link: Any = ()
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
        The constraints. Weights are ignored. Its leaves are samples as in `pair_score`, by the index of
        `y_true` if that is a pandas Series.
    must_link, cannot_link : array_like of int, shape (p, 2)
        The constraints as pairs of sample positions 0..n-1 instead, in any order. Repeats do not matter.

    Returns
    -------
    float
        The share of the open pairs on which classes and clusters agree, between 0 and 1. 1.0 if the constraints
        leave none open.

    See Also
    --------
    rand_index : without constraints.

    Notes
    -----
    `y_true` and `y_pred` may violate the constraints. The open pairs are counted, not listed: memory
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
    classes, clusters = _paired_codes(y_true, y_pred)
    if pairs is not None:
        if np.size(must_link) + np.size(cannot_link):
            msg = "give pairs=, or must_link= and cannot_link=, not both"
            raise ValueError(msg)
        check_pairs(pairs).closure()
        must_link, cannot_link = _sample_rows(pairs, y_true, "y_true")
    group, apart = _decided_pairs(must_link, cannot_link, classes.size)
    labellings = (np.zeros_like(classes), _crossed(classes, clusters), classes, clusters)
    return _rand(*(_open_pairs(codes, group, apart) for codes in labellings))


def _rand(total: int, same_both: int, same_class: int, same_cluster: int) -> float:
    """Return the share of the pairs that are together in both or apart in both."""
    return (total - same_class - same_cluster + 2 * same_both) / total if total else 1.0


def dendrogram_purity(hierarchy: Hierarchy, classes: Any) -> float:
    """Score a hierarchy against classes, without a cut: how pure the clades are where leaves of one class meet.

    Two leaves of one class are drawn at random. The purity is the expected share of that class in the smallest clade
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
        Above 0, at most 1. 1.0 exactly when each class is a clade of the leaves that have one. 1.0 too if no two
        leaves share a class.

    See Also
    --------
    triplet_score : against triplets, which `tripletree.triplets_from_classes` makes of classes.
    tripletree.cut : flat clusters, for the other scores.

    Notes
    -----
    All pairs of leaves of one class are equally likely, as is usual today [2]_. [1]_ draws a leaf and then another one
    of its class, which gives large classes less weight. For classes of one size it is the same. The value is exact,
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
    hierarchy = check_rooted(hierarchy)
    codes, known = aligned_codes(classes, hierarchy.leaves, "classes")
    pairs = int(_pairs_within(np.bincount(codes[codes >= 0])))
    if pairs == 0:
        return 1.0
    total = engine.purity.purity_sum(hierarchy.parent, frozen(codes), len(known))
    return float(total) / pairs


def triplet_score(hierarchy: Hierarchy, triplets: TripletSet | Iterable[TripletSet]) -> float:
    """Return the share of some triplets that a hierarchy displays.

    Parameters
    ----------
    hierarchy : Hierarchy
    triplets : TripletSet or iterable of TripletSet
        Over leaves of the hierarchy, in any order. Weights count if there are any. With several sets, such as
        `tripletree.io.read_triplet_batches` gives, one is looked at after the other, and each of their triplets counts.

    Returns
    -------
    float
        Between 0 and 1: the number (or weight) of the triplets displayed, divided by the total. 1.0 for an empty set. A
        triplet whose three leaves the hierarchy leaves unresolved is not displayed.

    See Also
    --------
    tripletree.displays : which of them.
    label_triplet_score : of flat clusters.
    dendrogram_purity : against classes.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    >>> triplet_score(h, TripletSet.from_labels([("human", "chimp", "gorilla"), ("human", "gorilla", "chimp")]))
    0.5
    """
    tree = check_hierarchy(hierarchy)
    return _share(lambda t: displays(tree, t), triplets)


def label_triplet_score(labels: Any, triplets: TripletSet | Iterable[TripletSet]) -> float:
    """Return the share of some triplets that flat clusters satisfy.

    Parameters
    ----------
    labels : sequence, mapping, pandas Series or fitted estimator
        The cluster of each sample, as for `tripletree.satisfies`.
    triplets : TripletSet or iterable of TripletSet
        Weights count if there are any. Several sets as for `triplet_score`.

    Returns
    -------
    float
        Between 0 and 1: the number (or weight) of the triplets satisfied, divided by the total. 1.0 for an empty set.
        One cluster satisfies every triplet, and so do single samples: look at it beside another score.

    See Also
    --------
    triplet_score : of a hierarchy.
    tripletree.satisfies : which of them.

    Examples
    --------
    >>> label_triplet_score([0, 1, 1], TripletSet([(0, 1, 2), (1, 2, 0)], 3))
    0.5
    """
    return _share(lambda t: satisfies(labels, t), triplets)


def _share(holds: Callable[[TripletSet], np.ndarray], triplets: TripletSet | Iterable[TripletSet]) -> float:
    """Return the number, or weight, of the triplets that hold, divided by the total."""
    several = isinstance(triplets, Iterable) and not isinstance(triplets, (TripletSet, str))
    held = total = 0.0
    for some in map(check_triplets, triplets if several else [triplets]):
        kept = holds(some)
        weights = np.ones(len(some)) if some.weights is None else some.weights
        held += float(weights[kept].sum())
        total += float(weights.sum())
    return held / total if total else 1.0


# ---------------------------------------------------------------------- pairs against clusters


def _violated(labels: Any, pairs: PairwiseConstraints) -> tuple[np.ndarray, np.ndarray]:
    """Tell which must-links have their ends in two clusters, and which cannot-links in one."""
    check_pairs(pairs)
    labels, name = clusters_of(labels, "labels")
    must, cannot = _sample_rows(pairs, labels, name)
    codes = row_codes(labels, np.concatenate([must, cannot]), name, "pair")
    return codes[must[:, 0]] != codes[must[:, 1]], codes[cannot[:, 0]] == codes[cannot[:, 1]]


def _sample_rows(pairs: PairwiseConstraints, labels: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the must-links and the cannot-links by positions of samples.

    Parameters
    ----------
    pairs : PairwiseConstraints
    labels : sequence, mapping or pandas Series
        One entry for each sample. The samples are the keys, the index, or the positions. Leaves in their order where
        those in pairs are not positions and there are as many as entries.
    name : str
        Name of `labels`, for messages.

    Returns
    -------
    must, cannot : ndarray of int64, shape (p, 2)
    """
    number = leaf_positions(pairs, labels, name, "pair")
    return number[pairs.must_link], number[pairs.cannot_link]


# ---------------------------------------------------------------------- pairs of samples, counted from tables of labels
#
# Numbers of pairs are computed from contingency tables, in integers. The pairs are never listed.


def _paired_codes(y_true: Any, y_pred: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both labellings as codes 0..k-1, none missing, of one length."""
    codes = []
    y_pred = _in_order_of(y_true, y_pred)
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
    return a, b


def _in_order_of(y_true: Any, y_pred: Any) -> Any:
    """The second of two pandas Series, in the order of the first, if they have the same index in another order."""
    one, other = series_index(y_true), series_index(y_pred)
    if one is None or other is None or one == other or len(set(one)) < len(one) or set(one) != set(other):
        return y_pred
    value = dict(zip(other, y_pred.tolist(), strict=True))
    return [value[x] for x in one] if len(other) == len(one) else y_pred


def _crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a code for each combination of two codes."""
    return np.unique(a * (int(b.max(initial=0)) + 1) + b, return_inverse=True)[1]


def _pair_counts(a: np.ndarray, b: np.ndarray) -> tuple[int, int, int]:
    """Return pairs of samples with both codes equal, with the first, with the second."""
    both, first, second = (int(_pairs_within(np.bincount(codes))) for codes in (_crossed(a, b), a, b))
    return both, first, second


def _pairs_within(count: np.ndarray) -> np.int64:
    """Sum of count choose 2, exact in int64 up to 4 * 10**9 samples."""
    count = count.astype(np.int64)
    return (count * (count - 1) // 2).sum()


def _open_pairs(codes: np.ndarray, group: np.ndarray, apart: np.ndarray) -> int:
    """Return pairs of samples with one code that are neither in one group nor in two groups kept apart."""
    from scipy.sparse import csr_array

    k = int(codes.max(initial=0)) + 1
    entry, count = np.unique(group * k + codes, return_counts=True)
    found = int(_pairs_within(np.bincount(codes)) - _pairs_within(count))
    if apart.size == 0:
        return found
    table = csr_array((count.astype(np.int64), np.divmod(entry, k)), shape=(int(group.max()) + 1, k))
    steps = np.cumsum(np.diff(table.indptr)[apart].sum(axis=1))
    for some in np.split(apart, np.searchsorted(steps, np.arange(CHUNK, steps[-1], CHUNK))):
        if some.size:
            found -= int(table[some[:, 0]].multiply(table[some[:, 1]]).sum())
    return found


def _decided_pairs(must_link: Any, cannot_link: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The must-link group of each sample (int64), and the different pairs of groups between which a cannot-link is."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    must, cannot = _positions(must_link, "must_link", n), _positions(cannot_link, "cannot_link", n)
    if must.size + cannot.size == 0:
        return np.arange(n), cannot
    graph = coo_array((np.ones(len(must), np.bool_), must.T), shape=(n, n)).tocsr()
    k, label = connected_components(graph, directed=False)
    group = label.astype(np.int64)
    ends = group[cannot]
    broken = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if broken.size:
        row = int(broken[0])
        i, j = cannot[row].tolist()
        path = _path(graph, i, j)
        shown = path if len(path) <= SHOWN else [*path[: SHOWN // 2], "...", *path[-SHOWN // 2 :]]
        msg = (
            f"pair {row} of cannot_link is ({i}, {j}), but must-links tie the two together: "
            f"{' - '.join(map(str, shown))}; drop one of these constraints"
        )
        raise ValueError(msg)
    key = np.unique(ends.min(axis=1) * k + ends.max(axis=1))
    return group, np.stack(np.divmod(key, k), axis=1)


def _positions(pairs: Any, name: str, n: int) -> np.ndarray:
    """Return pairs of different sample positions as int64, shape (p, 2)."""
    try:
        array = np.asarray(list(pairs) if hasattr(pairs, "__next__") else pairs)
    except ValueError:
        msg = f"{name} must be pairs of sample positions, integers of shape (p, 2); the rows differ in length"
        raise ValueError(msg) from None
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        msg = f"{name} must be pairs of sample positions, integers of shape (p, 2), not {array.dtype} of {array.shape}"
        raise ValueError(msg)
    bad = np.flatnonzero(((array < 0) | (array >= n)).any(axis=1) | (array[:, 0] == array[:, 1]))
    if bad.size:
        row = int(bad[0])
        msg = f"pair {row} of {name} is {tuple(array[row].tolist())}: expected two different positions in 0..{n - 1}"
        raise ValueError(msg)
    return array.astype(np.int64)


def _path(graph: Any, i: int, j: int) -> list[int]:
    """Return a shortest path of must-links from i to j."""
    from scipy.sparse.csgraph import breadth_first_order

    before = breadth_first_order(graph, i, directed=False)[1]
    path = [j]
    while path[-1] != i:
        path.append(int(before[path[-1]]))
    return path[::-1]
