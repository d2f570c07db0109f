"""Flat clusters and triplets: `satisfies` and `are_compatible` compare them, `enforce_triplets` moves samples.

A hierarchy displays ab|c or not. Flat clusters satisfy it unless one of them holds c and only one of a, b (Liu, Zhang
and Wang 2011, Definition 4.2): whenever a, c or b, c are together, all three are. They are compatible with a set of
triplets if they can be clades of a hierarchy that displays the set. Then they also satisfy every triplet that the set
implies. `cut` and the estimators ask for compatible clusters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.points import (
    as_rows,
    group_means,
    intrinsic_dimension,
    is_sparse,
    scatter,
    squared_distances,
)
from tripletree.algorithms.repair import repair
from tripletree.core.arrays import frozen
from tripletree.core.checks import check_count
from tripletree.core.labels import clusters_of, label_codes, leaf_positions, row_codes
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidLabelsError

#: In `enforce_triplets`: the price of a broken triplet at first, in nats, like the price of a move away from a centre,
#: and for how many moves a leaf that has moved stays where it is.
_PRICE, _TABU = 20.0, 5

#: In `compatible`: trees of the clusters that are tried.
_ROUNDS = 5

#: The most clusters for which a table of all samples and clusters is worth its memory.
MOST_CLUSTERS = 200


def satisfies(labels: Any, triplets: TripletSet) -> np.ndarray:
    """Tell for each triplet whether flat clusters satisfy it.

    A triplet ab|c is satisfied when a, b, c are in one cluster, or in three, or a and b are together without c. It is
    broken when c is with one of a and b, and the other is elsewhere ([1]_, Definition 4.2). Each triplet is read by
    itself: clusters may satisfy all of a set and break a triplet that the set implies. `are_compatible` decides about
    the whole set, and ``satisfies(labels, all_triplets(hierarchy))`` lists every triplet of a hierarchy.

    Parameters
    ----------
    labels : sequence, mapping, pandas Series or fitted estimator
        The cluster of each sample. An estimator gives its ``labels_``. Keys of a mapping and the index of a Series are
        leaves. In anything else, leaf i is at position i where every leaf in a triplet is one of 0..n-1. Otherwise
        there must be as many labels as leaves, in their order.
    triplets : TripletSet
        They may contradict each other.

    Returns
    -------
    ndarray of bool, shape (len(triplets),)
        Parallel to ``triplets.rows``.

    See Also
    --------
    displays : the same for a hierarchy.
    are_compatible : whether clusters keep a whole set, with all that it implies.
    label_triplet_score : the share of triplets satisfied.
    enforce_triplets : moves samples until all are.

    Notes
    -----
    The clades of a hierarchy satisfy every triplet that it displays, and so does every union of children of one node.
    Clusters that take in small branches from elsewhere need not.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with Relative Constraints, KDD 2011, 947-955.

    Examples
    --------
    >>> t = TripletSet.from_labels([("ant", "bee", "cow"), ("ant", "bee", "dog")])
    >>> satisfies({"ant": 0, "bee": 1, "cow": 1, "dog": 2}, t).tolist()
    [False, True]
    """
    check_triplets(triplets)
    values, name = clusters_of(labels, "labels")
    position = leaf_positions(triplets, values, name, "triplet")
    rows = position[triplets.rows]
    return ~is_broken(row_codes(values, rows, name, "triplet"), rows)


def is_broken(codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Tell which triplets (rows of positions) have a and b in two clusters, and c in one of the two."""
    a, b, c = codes[rows.T]
    return (a != b) & ((a == c) | (b == c))


def are_compatible(labels: Any, triplets: TripletSet) -> bool:
    """Tell whether flat clusters can be clades of a hierarchy that displays all triplets.

    If they can, they satisfy every triplet that the set implies, not only those in it. For ``decompose(hierarchy)``,
    which implies all triplets of the hierarchy, compatible clusters are the unions of siblings of the hierarchy.

    Parameters
    ----------
    labels : sequence, mapping, pandas Series or fitted estimator
        The cluster of each sample, as in `satisfies`.
    triplets : TripletSet

    Returns
    -------
    bool
        False if the triplets contradict each other.

    See Also
    --------
    satisfies : which triplets hold, one by one.
    cut : makes compatible clusters from a hierarchy that displays the triplets.
    closure : the triplets that a set implies.

    Notes
    -----
    Clusters are compatible if and only if the triplets are consistent, no triplet is broken, and the triplets with
    their leaves in three clusters are consistent when each leaf is replaced by its cluster ("Flat clusters that keep
    what the triplets imply" in ``docs/algorithms.md`` has the proof). One run of BUILD on the clusters, O(m) beside it.

    Examples
    --------
    These clusters satisfy ab|c and bc|d, but break ab|d, which the two imply:

    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")])
    >>> labels = {"a": 0, "b": 1, "c": 2, "d": 0}
    >>> satisfies(labels, t).tolist(), are_compatible(labels, t)
    ([True, True], False)
    >>> are_compatible({"a": 0, "b": 0, "c": 1, "d": 2}, t)
    True
    """
    check_triplets(triplets)
    values, name = clusters_of(labels, "labels")
    position = leaf_positions(triplets, values, name, "triplet")
    rows = position[triplets.rows]
    codes = row_codes(values, rows, name, "triplet")
    return is_consistent(triplets) and fit_together(codes, rows)


def fit_together(codes: np.ndarray, rows: np.ndarray) -> bool:
    """Tell whether clusters are compatible with consistent triplets, rows of positions."""
    if is_broken(codes, rows).any():
        return False
    of = codes[rows]
    between = of[(of[:, 0] != of[:, 1]) & (of[:, 0] != of[:, 2]) & (of[:, 1] != of[:, 2])]
    return is_consistent(TripletSet(between, int(codes.max(initial=-1)) + 1))


def enforce_triplets(
    labels: Any, triplets: TripletSet, *, samples: Any = None, max_steps: int | None = None
) -> np.ndarray:
    """Move as few samples as can be found between flat clusters until the clusters are compatible with all triplets.

    They then satisfy every triplet, and every one that the triplets imply (see `are_compatible`).

    Parameters
    ----------
    labels : sequence, shape (n,)
        The cluster of each leaf of the triplets, in their order.
    triplets : TripletSet
        If they are consistent the clusters will be compatible with them.
    samples : array_like of float, shape (n, d), optional
        If given, a move to a cluster costs less the nearer its mean is.
    max_steps : int, optional
        Turns of the search. By default 20 for each sample and triplet. If it ends without compatible clusters, they
        are made from the tree of the triplets: that may move samples far, but succeeds if the triplets are consistent.

    Returns
    -------
    ndarray, shape (n,)
        Labels out of `labels`, each still used: as many clusters as before. Equal to `labels` if they are compatible.

    Raises
    ------
    InconsistentTripletsError
        If the triplets contradict each other and no clusters were found that satisfy all. Drop some with `repair`.

    See Also
    --------
    cut : ``strict=True`` does this to the clusters that it takes out of a hierarchy, or takes clades.

    Notes
    -----
    Broken triplets are taken in turn. The one of the three samples moves whose best move adds least to the triplets
    that are broken, each weighed by how often it was found broken, and to the squared distances to means (min-conflicts
    [1]_ with breakout weights [2]_). Nothing is random. Consistent triplets can be satisfied with every number k of
    clusters from 1 to n: take a binary hierarchy that displays them and k clades of it. If the search fails, or its
    clusters break a triplet that is implied, clusters are unions of siblings in ``one_tree(triplets)``, each given its
    most frequent label as far as k allows.

    References
    ----------
    .. [1] Minton, Johnston, Philips, Laird (1992), Minimizing conflicts: a heuristic repair method for constraint
       satisfaction and scheduling problems, Artificial Intelligence 58, 161-205.
    .. [2] Morris (1993), The breakout method for escaping from local minima, AAAI 1993, 40-45.

    Examples
    --------
    >>> t = TripletSet.from_labels([("ant", "bee", "cow"), ("cow", "dog", "ant")])
    >>> enforce_triplets(["x", "y", "y", "y"], t, samples=[[0.0], [1.0], [5.0], [6.0]]).tolist()
    ['x', 'x', 'y', 'y']
    """
    check_triplets(triplets)
    n = len(triplets.leaves)
    codes, known = label_codes(labels, "labels")
    if codes.size != n:
        msg = f"labels must have one entry for each of the {n} leaves of the triplets, not {codes.size}"
        raise InvalidLabelsError(msg)
    if (codes < 0).any():
        i = int((codes < 0).argmax())
        msg = f"entry {i} of labels is missing: every leaf needs a cluster"
        raise InvalidLabelsError(msg, position=i)
    points = None if samples is None else check_points(samples, n)
    steps = None if max_steps is None else check_count(max_steps, "max_steps")
    new = enforced(codes, triplets, points, steps)
    values = np.empty(len(known), object)
    values[:] = known
    values = values if not hasattr(labels, "dtype") else np.asarray(known, dtype=np.asarray(labels).dtype)
    return values[new]


def check_points(samples: Any, n: int) -> Any:
    """Return the samples as finite float64, a row for each leaf. Sparse ones become CSR."""
    points: Any = as_rows(samples) if is_sparse(samples) else np.asarray(samples, dtype=np.float64)
    if points.ndim != 2 or points.shape[0] != n:
        msg = f"samples must have shape ({n}, d), a row for each leaf in the order of its leaves, not {points.shape}"
        raise ValueError(msg)
    if is_sparse(points):
        bad = np.searchsorted(points.indptr, np.flatnonzero(~np.isfinite(points.data)), side="right") - 1
    else:
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        msg = f"samples must be finite: row {bad[0]} holds NaN or infinity"
        raise ValueError(msg)
    return points


def enforced(
    codes: np.ndarray,
    triplets: TripletSet,
    points: np.ndarray | None = None,
    max_steps: int | None = None,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Change the clusters 0..k-1 so that they are compatible with the triplets over their leaves. No cluster is empty.

    A leaf of weight w counts as w of them in means, and its move as w moves. Triplets that contradict each other
    are compatible with nothing: then it is enough that no triplet is broken.
    """
    found = unbroken(codes, triplets, points, max_steps, weights)
    if found is not None and (fit_together(found, triplets.rows) or not is_consistent(triplets)):
        return found
    return _by_siblings(codes, triplets, int(codes.max()) + 1)


def unbroken(
    codes: np.ndarray,
    triplets: TripletSet,
    points: np.ndarray | None = None,
    max_steps: int | None = None,
    weights: np.ndarray | None = None,
    depth: np.ndarray | None = None,
) -> np.ndarray | None:
    """The clusters after moves of single leaves until no triplet is broken. None if the search does not get there.

    With `depth`, of two clusters in a tree of them (k x k), a triplet between three clusters has to be displayed, too.
    """
    rows = triplets.rows
    if depth is None and not is_broken(codes, rows).any():
        return codes
    steps = 20 * (codes.size + len(rows)) if max_steps is None else max_steps
    k = int(codes.max()) + 1
    depth = np.zeros((0, 0), np.int32) if depth is None else depth
    square, away = _price_of_moves(codes, triplets, points, weights)
    search = (_PRICE, _TABU, steps)
    done, label = engine.flat.min_conflicts(codes.astype(np.int32), k, frozen(rows), depth, square, away, *search)
    return label.astype(codes.dtype) if done else None


def _price_of_moves(
    codes: np.ndarray, triplets: TripletSet, points: np.ndarray | None, weights: np.ndarray | None
) -> tuple[np.ndarray, float]:
    """The price of each leaf in each cluster by its distance to the mean, shape (n, k) or (n, 0), and of any move."""
    n, k = codes.size, int(codes.max()) + 1
    if points is None:
        return np.zeros((n, 0)), 1.0
    means = group_means(points, codes, k, weights)
    error = scatter(points, codes, weights, means)
    if error == 0:
        return np.zeros((n, 0)), 1.0
    named = triplets.used_leaves  # no other leaf moves
    square = np.zeros((n, k))
    square[named] = squared_distances(points[named], means)
    total = n if weights is None else float(weights.sum())
    square *= total * intrinsic_dimension(points, weights) / (2 * error)
    if weights is not None:
        square *= weights[:, None]
    return square, 0.0


def compatible(
    codes: np.ndarray,
    triplets: TripletSet,
    points: np.ndarray | None = None,
    max_steps: int | None = None,
    weights: np.ndarray | None = None,
) -> np.ndarray | None:
    """The clusters after moves of single leaves until they are compatible with all triplets. None if none are found.

    If no triplet is broken, the triplets between three clusters may still contradict each other: a few leaves at a
    wrong place are enough. Then the clusters get a tree that displays most of these triplets (`repair`), and leaves in
    the others move until it displays all.
    """
    found = unbroken(codes, triplets, points, max_steps, weights)
    for _ in range(_ROUNDS):
        if found is None or fit_together(found, triplets.rows):
            return found
        if not is_consistent(triplets):
            return None
        tree = _depths(found[triplets.rows], triplets.weights, int(found.max()) + 1)
        found = unbroken(found, triplets, points, max_steps, weights, tree)
    return None


def _depths(of: np.ndarray, weights: np.ndarray | None, k: int) -> np.ndarray:
    """How deep two clusters part, in a tree that displays most of the triplets between three, given as clusters."""
    between = (of[:, 0] != of[:, 1]) & (of[:, 0] != of[:, 2]) & (of[:, 1] != of[:, 2])
    near = np.sort(of[between][:, :2], axis=1)
    rows, same = np.unique(np.column_stack([near, of[between][:, 2]]), axis=0, return_inverse=True)
    votes = np.bincount(same.reshape(-1), None if weights is None else weights[between])
    tree = repair(TripletSet(rows.astype(np.int32), k, weights=votes)).hierarchy
    one, two = np.indices((k, k), np.int32).reshape(2, -1)
    depth = tree.depth[engine.rooted_tree.common_ancestors(frozen(one), frozen(two), *tree.ancestor_table)]
    return depth.reshape(k, k)


def _by_siblings(codes: np.ndarray, triplets: TripletSet, k: int) -> np.ndarray:
    """Make k clusters near to the given ones, each a union of siblings in the tree of the triplets.

    It begins with all children of the root as one cluster. Each time the cluster with most leaves outside its most
    frequent label is split: into the siblings in which that label is most frequent, and the rest.
    """
    tree = one_tree(triplets)
    start, stop, leaf = tree.leaf_intervals
    place = codes[leaf]

    def most(u: int) -> int:
        return int(np.bincount(place[start[u] : stop[u]], minlength=k).argmax())

    def opened(parts: np.ndarray) -> tuple[np.ndarray, int, int, int]:
        """The siblings (below the top of a lone one), their most frequent label, leaves outside it, all leaves."""
        while parts.size == 1 and tree.n_children[parts[0]]:
            parts = tree.children(int(parts[0]))
        here = np.concatenate([place[start[u] : stop[u]] for u in parts.tolist()])
        count = np.bincount(here, minlength=k)
        return parts, int(count.argmax()), int(here.size - count.max()), int(here.size)

    clusters = [opened(np.array([tree.root]))]
    while len(clusters) < k:
        i = max(range(len(clusters)), key=lambda i: (clusters[i][0].size > 1, *clusters[i][2:]))
        parts, label, _, _ = clusters.pop(i)
        those = np.array([most(u) == label for u in parts.tolist()])
        if those.all() or not those.any():
            those = np.arange(parts.size) == (stop[parts] - start[parts]).argmax()
        clusters += [opened(parts[those]), opened(parts[~those])]
    new, free = np.empty_like(codes), list(range(k))
    for parts, label, *_ in sorted(clusters, key=lambda cluster: cluster[2] - cluster[3]):
        at = free.pop(free.index(label) if label in free else 0)
        for u in parts.tolist():
            new[leaf[start[u] : stop[u]]] = at
    return new
