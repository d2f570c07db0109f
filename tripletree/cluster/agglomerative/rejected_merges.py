"""Why a hierarchy differs from the one of the distances alone: merges that constraints reject, force and delay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.conflict import conflict_inside
from tripletree.algorithms.points import is_sparse
from tripletree.cluster.base import check_measured
from tripletree.cluster.distances import EUCLIDEAN, check_metric, condensed_distances, condensed_matrix, transformed
from tripletree.core.checks import check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError

#: Most samples, as a full square of distances is held.
MOST = 10_000

#: How much closer a rejected pair must be than the merge that was made, relative to its distance: above rounding.
_CLOSER = 1e-9


@dataclass(frozen=True, eq=False)
class RejectedMerge:
    """A merge that was made although two other clusters were closer, as constraints rejected merging those two.

    Attributes
    ----------
    node : int
        The node of the hierarchy that the merge made, and the merge's number plus n.
    distance : float
        Distance of the merge.
    rejected : tuple of (int, int)
        The nodes of the two closest clusters at that time.
    rejected_distance : float
        Their distance.
    forced : bool
        True if one of the two merged clusters had a closer neighbour, so that constraints turned it elsewhere. False
        if the rejected pair consists of other clusters and was only passed over.
    delayed : int or None
        The node in which the rejected pair is merged later, once the constraint is met. None if it never is.
    triplets : TripletSet
        Triplets that reject the pair alone: ab|c with c in one cluster, a in the other, and b in neither.
    pairs : PairwiseConstraints
        The cannot-links between the two.
    reason : {"triplets", "cannot-links", "must-links first", "jointly"}
        The reason of the rejection: triplets or cannot-links between the two, or that must-linked groups are merged
        before all others. "jointly": several triplets together, but no single one. `why_rejected` finds them.
    """

    node: int
    distance: float
    rejected: tuple[int, int]
    rejected_distance: float
    forced: bool
    delayed: int | None
    triplets: TripletSet
    pairs: PairwiseConstraints
    reason: str


def rejected_merges(model: Any, X: Any) -> list[RejectedMerge]:
    """Find the merges of a fitted `ReCon` before which constraints rejected a closer pair of clusters.

    Parameters
    ----------
    model : ReCon
        Fitted, exact: without micro-clusters.
    X : array_like or DataFrame
        The samples it was fitted on, or their distances if ``metric="precomputed"``.

    Returns
    -------
    list of RejectedMerge
        One for each such merge, in merge order. Empty without constraints.

    Raises
    ------
    LimitExceededError
        If there are more than 10,000 samples.

    See Also
    --------
    why_rejected : the triplets that together reject a pair.
    tripletree.plot_dendrogram : draws such merges, ``rejected=``.

    Notes
    -----
    The merges are replayed on a square of all distances, updated by the formula of Lance and Williams (1967): memory
    O(n^2), time O(n^2) for most data, O(n^3) at worst. Without constraints the closest pair of all clusters would be
    merged. It counts as rejected if it is closer than the pair that was merged by more than rounding. A pair that stays
    rejected is passed over by all merges above its distance. All of them are reported, but a merge is `forced`
    only if it involves a cluster of the closer pair.

    Examples
    --------
    >>> from tripletree.cluster import ReCon
    >>> X = [[0.0], [1.0], [5.0], [6.5]]
    >>> model = ReCon(n_clusters=2).fit(X, triplets=[(1, 2, 0), (1, 2, 3)])
    >>> [(x.node, x.rejected, x.forced, list(x.triplets)) for x in rejected_merges(model, X)]
    [(4, (0, 1), True, [(1, 2, 0)])]
    """
    check_is_fitted(model)
    tree: Hierarchy = model.hierarchy_
    n = tree.n_leaves
    if model.n_micro_clusters_ is not None:
        msg = "the merges are not exact: samples were gathered into micro-clusters; fit with micro_clusters=None"
        raise ValueError(msg)
    if n > MOST:
        msg = f"{n:,} samples are too many for a square matrix of distances; the limit is {MOST:,}"
        raise LimitExceededError(msg, size=n, limit=MOST)
    if n < 2 or (len(model.triplets_) == 0 and len(model.pairs_) == 0):
        return []
    found = _replay(_distances(model, X), tree, model.linkage, model.distances_)
    children = np.sort(np.argsort(tree.parent[:-1], kind="stable").reshape(-1, 2), axis=1)
    made = {(int(i), int(j)): n + k for k, (i, j) in enumerate(children.tolist())}
    merges = []
    for step in found:
        i, j = step.closest
        triplets, pairs = _between(model, tree, i, j)
        reason = (
            "triplets"
            if len(triplets)
            else "cannot-links"
            if len(pairs)
            else _other_reason(model, tree, step.node, i, j)
        )
        merges.append(
            RejectedMerge(
                step.node,
                step.distance,
                step.closest,
                step.closest_distance,
                step.forced,
                made.get((i, j)),
                triplets,
                pairs,
                reason,
            )
        )
    return merges


def why_rejected(model: Any, first: int, second: int, *, before: int) -> TripletSet:
    """Find triplets that together reject merging two clusters at a certain time.

    Parameters
    ----------
    model : ReCon
        Fitted.
    first, second : int
        Nodes of its hierarchy, as in ``RejectedMerge.rejected``.
    before : int
        The node of the merge that was made instead, as in ``RejectedMerge.node``.

    Returns
    -------
    TripletSet
        None of them can be left out. Empty if triplets do not reject the merge, as for every merge made without a
        penalty. They are taken from the model's triplets: for each triplet on clusters in the conflict, the first one
        that implies it.

    Notes
    -----
    The merge is compatible if the triplets between the clusters of that time, together with ij|x for every other
    cluster x, are consistent. Otherwise they contain an irreducible conflict. Its triplets other than ij|x are
    returned.

    Examples
    --------
    >>> from tripletree.cluster import ReCon
    >>> X = [[0.0], [1.0], [5.0], [6.5]]
    >>> model = ReCon(n_clusters=2).fit(X, triplets=[(1, 2, 0), (1, 2, 3)])
    >>> list(why_rejected(model, 0, 1, before=4))
    [(1, 2, 0)]

    Nothing kept 0 and 3 apart where they met:

    >>> node = model.hierarchy_.common_ancestor([0, 3])
    >>> list(why_rejected(model, *model.hierarchy_.children(node), before=node))
    []
    """
    check_is_fitted(model)
    tree: Hierarchy = model.hierarchy_
    i, j = (check_count(x, "the number of a node") for x in (first, second))
    live = np.flatnonzero(np.append(tree.parent[:-1], tree.n_nodes) >= before)
    live = live[live < before]
    for u in (i, j):
        if i == j or u not in live:
            msg = f"node {u} is not a cluster before node {before} is made"
            raise ValueError(msg)
    slot = _clusters(tree, live)
    rows = slot[model.triplets_.rows]
    ab, ac, bc = (rows[:, p] == rows[:, q] for p, q in ((0, 1), (0, 2), (1, 2)))
    between = np.flatnonzero(~(ab | ac | bc))
    a, b = np.searchsorted(live, [i, j]).tolist()
    others = np.setdiff1d(np.arange(live.size), [a, b])
    extra = np.stack([np.full(others.size, a), np.full(others.size, b), others], axis=1)
    both = TripletSet(np.concatenate([rows[between], extra]), live.size)
    failed = build_aho_tree(both.rows, live.size).failed
    if failed.size == 0:
        return model.triplets_.subset(np.empty(0, np.int64))
    first_of = {}
    for k in between[::-1].tolist():
        x, y, z = rows[k].tolist()
        first_of[min(x, y), max(x, y), z] = k
    blamed = [tuple(row) for row in conflict_inside(both, failed).triplets.rows.tolist()]
    return model.triplets_.subset(np.sort([first_of[row] for row in blamed if row in first_of]).astype(np.int64))


def _distances(model: Any, X: Any) -> np.ndarray:
    """Return the square matrix of distances of samples, squared for linkages on centres, infinite on the diagonal."""
    from scipy.spatial.distance import squareform

    metric = check_metric(model.metric, model.linkage)
    parameters = model.predictor_.distances.parameters
    samples, _ = check_measured(model, X, parameters.get("columns"), reset=False)
    if samples.shape[0] != model.n_leaves_:
        msg = f"X has {samples.shape[0]} samples, but the model was fitted on {model.n_leaves_}"
        raise ValueError(msg)
    points = transformed(model.metric, X, samples)
    if model.linkage in EUCLIDEAN:
        from_mean = points if is_sparse(points) else points - points.mean(axis=0)
        flat = condensed_distances(from_mean, "sqeuclidean", {})
    elif isinstance(metric, str) and metric == "precomputed":
        flat = condensed_matrix(points, X=X)
    else:
        flat = condensed_distances(points, metric, parameters)
    square = squareform(flat)
    np.fill_diagonal(square, np.inf)
    return square


class _PassedOver(NamedTuple):
    """A merge of another pair than the closest: the node it made, its distance, and the pair that was closer."""

    node: int
    distance: float
    closest: tuple[int, int]
    closest_distance: float
    forced: bool


def _replay(square: np.ndarray, tree: Hierarchy, linkage: str, heights: np.ndarray) -> list[_PassedOver]:
    """Repeat the merges on the distances (overwritten), and list the merges that passed over a closer pair."""
    n = tree.n_leaves
    children = np.argsort(tree.parent[:-1], kind="stable").reshape(-1, 2).tolist()
    slot = np.arange(2 * n - 1)
    node, size = np.arange(n), np.ones(n)
    near = square.argmin(axis=1)
    least = square[np.arange(n), near]
    root = np.sqrt if linkage in EUCLIDEAN else lambda x: x
    found = []
    for k, (u, v) in enumerate(children):
        i, j = int(slot[u]), int(slot[v])
        made = float(square[i, j])
        best = int(least.argmin())
        if least[best] < made - _CLOSER * abs(made):
            forced = min(float(least[i]), float(least[j])) < made - _CLOSER * abs(made)
            x, y = sorted((int(node[best]), int(node[near[best]])))
            found.append(_PassedOver(n + k, float(heights[k]), (x, y), float(root(least[best])), forced))
        merged = _merged(linkage, square, size, i, j, made)
        merged[[i, j]] = np.inf
        merged[np.isinf(square[i])] = np.inf  # empty slots stay so
        square[j], square[:, j] = np.inf, np.inf
        square[i], square[:, i] = merged, merged
        size[i] += size[j]
        least[j] = np.inf
        node[i], slot[n + k] = n + k, i
        again = (near == i) | (near == j)
        again[j], again[i] = False, True
        closer = (merged < least) & ~again
        near[closer], least[closer] = i, merged[closer]
        for s in np.flatnonzero(again & (np.isfinite(least) | (np.arange(n) == i))).tolist():
            near[s] = square[s].argmin()
            least[s] = square[s, near[s]]
    return found


def _merged(linkage: str, square: np.ndarray, size: np.ndarray, i: int, j: int, made: float) -> np.ndarray:
    """Return distances of all clusters to the union of two: the formula of Lance and Williams for each linkage."""
    a, b, p, q = square[i], square[j], float(size[i]), float(size[j])
    if linkage == "single":
        return np.minimum(a, b)
    if linkage == "complete":
        return np.maximum(a, b)
    if linkage == "weighted":
        return (a + b) / 2
    if linkage == "median":
        return (a + b) / 2 - made / 4
    if linkage == "ward":
        return ((p + size) * a + (q + size) * b - size * made) / (p + q + size)
    mean = (p * a + q * b) / (p + q)
    return mean if linkage == "average" else mean - p * q * made / (p + q) ** 2


def _clusters(tree: Hierarchy, live: np.ndarray) -> np.ndarray:
    """Return the number of each leaf's cluster among some disjoint nodes, -1 if it is below no node."""
    start, stop, order = tree.leaf_intervals
    found = np.full(tree.n_leaves, -1, np.int64)
    for k, u in enumerate(live.tolist()):
        found[order[start[u] : stop[u]]] = k
    return found


def _between(model: Any, tree: Hierarchy, i: int, j: int) -> tuple[TripletSet, PairwiseConstraints]:
    """Return the triplets and the cannot-links that each reject merging two nodes alone."""
    side = _clusters(tree, np.array([i, j]))
    a, b, c = side[model.triplets_.rows.T]
    rejecting = (c >= 0) & (((a == 1 - c) & (b < 0)) | ((b == 1 - c) & (a < 0)))
    pairs: PairwiseConstraints = model.pairs_
    p, q = side[pairs.cannot_link.T]
    return (
        model.triplets_.subset(rejecting),
        pairs.subset(must_link=[], cannot_link=np.flatnonzero((p >= 0) & (q >= 0) & (p != q))),
    )


def _other_reason(model: Any, tree: Hierarchy, node: int, i: int, j: int) -> str:
    """Why two clusters were not merged although no single triplet or cannot-link rejects it."""
    component = model.pairs_.closure().component
    start, stop, order = tree.leaf_intervals
    made, one, two = (np.unique(component[order[start[u] : stop[u]]]) for u in (node, i, j))
    inside = made.size == 1 and not (one.size == two.size == 1 and one[0] == two[0])
    return "must-links first" if inside else "jointly"
