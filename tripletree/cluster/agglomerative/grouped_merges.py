"""All merges of samples that are in groups: inside each group first, then of groups, under triplets and cannot-links.

Groups are samples that must-links tie together, or micro-clusters, or single samples. Each is agglomerated by itself,
under the triplets inside it, and goes on as one cluster of its size. If the linkage works on centres it has its centre,
else the distances that its merges give (Lance and Williams 1967). So all later distances follow the linkage. If no
other compatible merge is left, cannot-links no longer count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.merges import Counts, as_linkage, merge_condensed, merge_points
from tripletree.algorithms.points import ROUNDING, is_sparse, squared_lengths
from tripletree.cluster.distances import EUCLIDEAN
from tripletree.core.pair_closure import PairClosure
from tripletree.core.progress import Tick, silent, teller

_NO_TRIPLETS = np.empty((0, 3), np.int32)


def merge_points_in_groups(
    points: Any,
    groups: PairClosure,
    between: np.ndarray,
    linkage: str,
    *,
    inside: np.ndarray = _NO_TRIPLETS,
    apart: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    progress: Tick = silent,
) -> tuple[np.ndarray, Counts]:
    """Merge samples until one cluster is left, by a linkage on centres.

    Parameters
    ----------
    points : ndarray or csr_array of float32 or float64, shape (n, d)
    groups : PairClosure
        Its components are the groups, which are merged first.
    between : ndarray of int32, shape (m, 3)
        Consistent triplets on three groups.
    linkage : {"centroid", "median", "ward", "average", "weighted"}
        The last two are of squared distances.
    inside : ndarray of int32, shape (k, 3), optional
        Consistent triplets on samples of one group each.
    apart : ndarray of int, shape (l, 2), optional
        Pairs of groups that share no cluster while there is another merge.
    weights : ndarray of float, shape (n,), optional
        How many samples each row stands for. Only where every group is a single row.
    progress : callable, optional
        Called with the number of merges done since its last call.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights: first the merges inside groups, each after the merges of its
        own parts and otherwise by height, then the merges above.
    counts : Counts
    """
    if groups.n_components == points.shape[0]:
        return merge_points(points, between, linkage, progress, weights, apart)
    assert weights is None
    spreads = None
    if is_sparse(points) or linkage not in EUCLIDEAN:
        merges, centres, spreads, below = _merge_inside_one_by_one(points, groups, inside, linkage, progress)
    else:
        merges, centres, below = _merge_inside_on_centres(points, groups, inside, linkage, progress)
    above, counts = merge_points(
        centres.astype(points.dtype, copy=False),
        between,
        linkage,
        progress,
        groups.sizes.astype(np.float64),
        apart,
        None if linkage in EUCLIDEAN else spreads,
    )
    return _first_inside(merges, above, groups), below + counts


def merge_condensed_in_groups(
    condensed: np.ndarray,
    groups: PairClosure,
    between: np.ndarray,
    linkage: str,
    *,
    inside: np.ndarray = _NO_TRIPLETS,
    apart: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    progress: Tick = silent,
) -> tuple[np.ndarray, Counts]:
    """Merge samples until one cluster is left, by condensed distances, which are overwritten.

    The parameters are as in `merge_points_in_groups`, for the linkages average, weighted, complete and single. The
    distances of groups are kept beside the samples' own.
    """
    n = groups.component.size
    if groups.n_components == n:
        return merge_condensed(condensed, n, between, linkage, progress, weights, apart)
    assert weights is None
    merges, below = _merge_inside_on_table(condensed, groups, inside, linkage, progress)
    condensed = _unite(condensed, n, merges[:, :2].astype(np.int64), groups.first, linkage)
    above, counts = merge_condensed(
        condensed, groups.n_components, between, linkage, progress, groups.sizes.astype(np.float64), apart
    )
    return _first_inside(merges, above, groups), below + counts


def _first_inside(merges: np.ndarray, above: np.ndarray, groups: PairClosure) -> np.ndarray:
    """One linkage of the samples: the merges inside groups in a common order, then the merges of groups.

    Inside groups they are ordered by the largest height below each, which never falls from a cluster to the one it goes
    into. The stable sort then leaves every merge behind the merges of its own parts.
    """
    merges = merges[np.argsort(merges[:, 3], kind="stable"), :3]
    return as_linkage(np.concatenate([merges, _by_first_members(above, groups.first)]), squared=False)


def _merge_inside_on_centres(
    points: np.ndarray, groups: PairClosure, triplets: np.ndarray, linkage: str, progress: Tick
) -> tuple[np.ndarray, np.ndarray, Counts]:
    """The merges inside all groups, and the centres of the groups.

    A merge is a row of two samples, the first members of the two clusters (the second, smaller one stands for both
    from then on), their distance and the largest distance so far inside the cluster that is formed.
    """
    is_free = np.ones(groups.n_components, np.bool_)  # no triplets inside: all such groups go through one kernel
    is_free[groups.component[triplets[:, 0]]] = False
    free = groups.order[is_free[groups.component[groups.order]]]
    start = np.concatenate([[0], np.cumsum(groups.sizes[is_free])])
    centres = np.empty((groups.n_components, points.shape[1]))
    merges, centres[is_free] = _merge_free_groups(points, free, start, linkage, progress)
    parts, counts = [merges], Counts()
    for g, members, rows in _with_triplets(groups, np.flatnonzero(~is_free), triplets):
        done, count = merge_points(points[members], rows, linkage, progress)
        centres[g] = _centre(points[members], done, linkage)
        parts.append(_by_samples(done, members))
        counts += count
    return np.concatenate(parts), centres, counts


def _merge_inside_one_by_one(
    points: Any, groups: PairClosure, triplets: np.ndarray, linkage: str, progress: Tick
) -> tuple[np.ndarray, Any, np.ndarray, Counts]:
    """As `_merge_inside_on_centres`, for sparse points and any linkage, and the spreads around the centres."""
    share = 1.0 / groups.sizes[groups.component]  # of each sample in the centre of its group
    parts, counts = [np.empty((0, 4))], Counts()
    for _, members, rows in _with_triplets(groups, np.flatnonzero(groups.sizes > 1), triplets):
        some = points[members]
        if is_sparse(some):  # few columns are not empty
            some = some[:, np.unique(some.indices)].toarray()
        done, count = merge_points(some, rows, linkage, progress)
        if linkage in ("median", "weighted"):
            share[members] = _halves(done, members.size)
        parts.append(_by_samples(done, members))
        counts += count
    from scipy.sparse import csr_array

    n = groups.component.size
    shares = csr_array((share, (groups.component, np.arange(n))), shape=(groups.n_components, n))
    centres = shares @ points
    if is_sparse(points):
        spread = shares @ squared_lengths(points) - squared_lengths(centres)
        spread[spread < ROUNDING * squared_lengths(centres)] = 0.0
    else:
        spread = shares @ squared_lengths(points - centres[groups.component])
    return np.concatenate(parts), centres, np.where(groups.sizes > 1, spread, 0.0), counts


def _merge_free_groups(
    points: np.ndarray, members: np.ndarray, start: np.ndarray, linkage: str, progress: Tick
) -> tuple[np.ndarray, np.ndarray]:
    """The merges inside each group in turn, as ``agglomerate_groups`` lists them, and the centres of all groups."""
    points = np.ascontiguousarray(points, np.float64)
    tell = teller(progress)
    parts = engine.must_link_groups.agglomerate_groups(points, members, start, EUCLIDEAN.index(linkage), tell)
    tell(len(parts[0]))
    return parts


def _merge_inside_on_table(
    condensed: np.ndarray, groups: PairClosure, triplets: np.ndarray, linkage: str, progress: Tick
) -> tuple[np.ndarray, Counts]:
    """The merges inside all groups, as `_merge_inside_on_centres` gives them."""
    n = groups.component.size
    parts, counts = [np.empty((0, 4))], Counts()
    for _, members, rows in _with_triplets(groups, np.flatnonzero(groups.sizes > 1), triplets):
        i, j = (members[x] for x in np.triu_indices(members.size, 1))
        among = condensed[_base(i, n) + j]
        if members.size == 2:  # most groups are pairs, for which the engine is not worth its setting up
            parts.append(np.array([[members[1], members[0], among[0], among[0]]]))
            progress(1)
            continue
        done, count = merge_condensed(among, members.size, rows, linkage, progress)
        parts.append(_by_samples(done, members))
        counts += count
    return np.concatenate(parts), counts


def _with_triplets(
    groups: PairClosure, numbers: np.ndarray, triplets: np.ndarray
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Number, samples and triplets (on places in the group) of some groups."""
    owner, stop = groups.component[triplets[:, 0]], np.cumsum(groups.sizes)
    order = np.argsort(owner, kind="stable")
    low, high = (np.searchsorted(owner[order], numbers, side) for side in ("left", "right"))
    for g, lo, hi in zip(numbers.tolist(), low.tolist(), high.tolist(), strict=True):
        members = groups.order[stop[g] - groups.sizes[g] : stop[g]]
        yield g, members, np.searchsorted(members, triplets[order[lo:hi]]).astype(np.int32)


def _by_samples(linkage: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The merges of a linkage of some samples, by the first members of clusters, with the largest distance so far."""
    merges = np.empty((len(linkage), 4))
    merges[:, :3] = _by_first_members(linkage, members)
    highest = [-np.inf] * len(members)
    for i, j, d, _ in linkage.tolist():
        highest.append(max(d, highest[int(i)], highest[int(j)]))
    merges[:, 3] = highest[len(members) :]
    return merges


def _by_first_members(merges: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The merges of a linkage of groups (or samples), with each cluster given by its first sample."""
    known = first.tolist()
    pairs = np.empty((len(merges), 3))
    for k, (i, j) in enumerate(merges[:, :2].astype(np.int64).tolist()):
        pairs[k, :2] = sorted((known[i], known[j]), reverse=True)  # the second one stays
        known.append(min(known[i], known[j]))
    pairs[:, 2] = merges[:, 2]
    return pairs


def _centre(points: np.ndarray, linkage: np.ndarray, kind: str) -> np.ndarray:
    """The centre of all, which for median linkage depends on the merges."""
    if kind != "median":
        return points.mean(axis=0)
    return _halves(linkage, len(points)) @ points


def _halves(linkage: np.ndarray, n: int) -> np.ndarray:
    """The share of each of n samples in the centre, where every merge gives its two clusters one half."""
    share = np.ones(2 * n - 1)
    for k in range(n - 2, -1, -1):
        share[linkage[k, :2].astype(np.int64)] = share[n + k] / 2
    return share[:n]


def _base(i: np.ndarray, n: int) -> np.ndarray:
    """The place of the pair (i, j), i < j, in a condensed table, less j."""
    i = i.astype(np.int64)
    return i * n - i * (i + 1) // 2 - i - 1


def _unite(table: np.ndarray, n: int, merges: np.ndarray, first: np.ndarray, linkage: str) -> np.ndarray:
    """The condensed distances of groups, once samples have been merged (the second of each two stays)."""
    z = np.arange(n)
    base, weight = _base(z, n), np.ones(n, table.dtype)
    for y, x in merges.tolist():
        others = z[(z != x) & (z != y)]
        at, lost = (np.where(others < u, base[others] + u, base[u] + others) for u in (x, y))
        p, q = table[at], table[lost]
        if linkage == "average":
            table[at] = (weight[x] * p + weight[y] * q) / (weight[x] + weight[y])
        elif linkage == "weighted":
            table[at] = (p + q) / 2
        else:
            table[at] = np.maximum(p, q) if linkage == "complete" else np.minimum(p, q)
        weight[x] += weight[y]
    rows = [table[base[u] + first[k + 1 :]] for k, u in enumerate(first.tolist())]
    return np.concatenate(rows)
