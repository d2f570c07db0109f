"""Finding triplets that are likely errors, as the data and the other triplets both contradict them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, check_triplets


def find_label_errors(
    triplets: TripletSet,
    X: Any,
    *,
    linkage: str = "average",
    metric: Any = "euclidean",
    penalty: float | Literal["auto"] = "auto",
    n_folds: int = 5,
    n_repeats: int = 4,
    random_state: Any = 0,
) -> np.ndarray:
    """Score how likely each triplet is an error, given the data and the other triplets.

    Consistent triplets may still be wrong: a set of about as many random triplets as leaves is hardly ever
    inconsistent, whatever is wrong in it. So each triplet is compared with hierarchies that were built without it.

    Parameters
    ----------
    triplets : TripletSet
        On samples of X. They may contradict each other. Weights count.
    X : array_like or DataFrame, shape (n_samples, n_features) or (n_samples, n_samples)
        The samples, as for ``tripletree.cluster.ReCon``: leaves are labels of the index of a pandas DataFrame, else
        row numbers.
    linkage, metric, penalty
        As in ReCon. The penalty lets the data overrule triplets.
    n_folds : int
        Number of random parts of the triplets. Each is scored by the hierarchy of X and the other parts.
    n_repeats : int
        Number of times that this is repeated.
    random_state : int, Generator, RandomState or None
        Determines the parts.

    Returns
    -------
    ndarray of float64, shape (m,)
        A score between 0 and 1 for each row of ``triplets.rows``, close to the share of the hierarchies that do not
        display it. ``triplets.subset(scores > 0.5)`` are the likely errors, ``np.argsort(-scores)`` puts the worst
        first.

    See Also
    --------
    repair : drops triplets that contradict others, without data.
    tripletree.cluster.ReCon : with ``penalty="auto"``, clusters in spite of errors.

    Notes
    -----
    Cross-validation with ReCon under a penalty, `n_folds` times `n_repeats` hierarchies of O(n^2) time each. In each
    one, ab|c has the score near / (near + far), where near is the number of leaves in the smallest clade with a and b,
    and far the number in the smallest clade with c and one of them: it is above one half if ab|c is not displayed. With
    r repeats, v of which do not display it, and s the mean of their scores, it has the score (v + s) / (r + 1). Wrong
    triplets are recognised mostly by the triplets around them. If m is much smaller than n, only the data count.
    Cross-validation to find wrong labels is known as confident learning [1]_.

    On five data sets with m = n random triplets of classes, 10 % of them flipped and all sets consistent, the mean area
    under the ROC curve was .97, against .88 by the distances alone. Of the worst 10 %, .83 were flipped ones
    (``benchmarks/bench_noise.py``).

    References
    ----------
    .. [1] Northcutt, Jiang, Chuang (2021), Confident learning: estimating uncertainty in dataset labels, Journal of
       Artificial Intelligence Research 70, 1373-1411.

    Examples
    --------
    Two groups, and one triplet across them:

    >>> X = [[0.0], [0.2], [0.5], [0.9], [5.0], [5.3], [5.5], [5.8]]
    >>> t = TripletSet([(0, 1, 4), (1, 2, 5), (0, 3, 6), (4, 5, 0), (5, 6, 2), (6, 7, 3), (2, 6, 1)], 8)
    >>> scores = find_label_errors(t, X)
    >>> list(t.subset(scores > 0.5))
    [(2, 6, 1)]
    """
    from tripletree.cluster import ReCon
    from tripletree.knowledge.alignment import align_triplets

    folds = check_count(n_folds, "n_folds", 2)
    repeats = check_count(n_repeats, "n_repeats", 1)
    check_triplets(triplets)
    rng = generator(random_state)
    model = ReCon(1, linkage=linkage, metric=metric, penalty=penalty, cut="merge_order")
    known = align_triplets(X, triplets, len(X))
    order = _order_in(triplets, known)
    m = len(known)
    against, share = np.zeros(m), np.zeros(m)
    for _ in range(repeats):
        part = rng.permutation(m) % folds
        for k in range(min(folds, m)):
            hierarchy = model.fit(X, triplets=known.subset(part != k)).hierarchy_
            near, far = _clade_sizes(hierarchy, known.rows[part == k])
            against[part == k] += near >= far
            share[part == k] += near / (near + far)
    scores = np.empty(m)
    scores[order] = (against + share / repeats) / (repeats + 1)
    return scores


def _order_in(triplets: TripletSet, known: TripletSet) -> np.ndarray:
    """Return the row in `triplets` of each row of `known`, the same triplets over another leaf index."""
    number = np.full(len(triplets.leaves), -1, np.int64)
    used = triplets.used_leaves
    number[used] = known.leaves.indices(triplets.leaves[i] for i in used.tolist())
    rows = number[triplets.rows]
    rows[:, :2].sort(axis=1)
    return np.lexsort(rows.T[::-1])


def _clade_sizes(hierarchy: Hierarchy, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the leaves of the smallest clade with a and b, and of the smallest with c and one of them."""
    start, stop, _ = hierarchy.leaf_intervals
    a, b, c = (freeze(np.ascontiguousarray(x)) for x in rows.T)
    ab, ac, bc = (
        (stop - start)[engine.rooted_tree.common_ancestors(i, j, *hierarchy.ancestor_table)].astype(np.float64)
        for i, j in ((a, b), (a, c), (b, c))
    )
    return ab, np.minimum(ac, bc)
