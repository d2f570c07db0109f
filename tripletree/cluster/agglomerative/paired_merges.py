"""All merges of samples under triplets and pairs: must-linked groups first, then groups that are not kept apart.

A group is agglomerated by itself, under the triplets inside it, and goes on as one cluster of its size: with its centre
where the linkage works on centres, else with the distances that its merges give (Lance and Williams 1967), so that all
later distances are those of the linkage. Where no other compatible merge is left, cannot-links no longer count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.cluster.agglomerative.constraints import Joint
from tripletree.cluster.agglomerative.merges import merge_condensed, merge_points
from tripletree.cluster.agglomerative.micro_clusters import by_first_members, merges_by_group
from tripletree.cluster.distances import EUCLIDEAN, check_spread, condensed_distances, condensed_matrix, shifted

__all__ = [
    "paired_merges",
]


def paired_merges(
    samples: np.ndarray,
    joint: Joint,
    linkage: str,
    metric: Any,
    *,
    parameters: dict[str, np.ndarray] | None = None,
    dtype: Any = np.float64,
    progress: Callable[[int], Any] | None = None,
) -> tuple[np.ndarray, dict[str, int]]:
    """Merge samples until one cluster is left, so that the triplets hold and must-linked samples come together first.

    Parameters
    ----------
    joint : Joint
        From `joined`.
    samples, linkage, metric, parameters, dtype, progress
        As for `all_merges`.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights: first the merges inside groups, none before those of its own
        parts and otherwise by height, then those above.
    counts : dict
        Of "tests" and "rejections".

    Notes
    -----
    Memory as `all_merges`, and for a table of distances with must-links that of a second one.
    """
    tell = progress or (lambda done: None)
    rest = joint.between, linkage, progress, joint.closure.sizes.astype(np.float64), joint.closure.cannot
    if linkage in EUCLIDEAN:
        check_spread(samples, dtype)
        points = shifted(samples, dtype)
        merges, centres, count = _inside_on_centres(points, joint, linkage, tell)
        above, counts = merge_points(centres.astype(dtype, copy=False), *rest)
    else:
        if isinstance(metric, str) and metric == "precomputed":
            table = condensed_matrix(samples, dtype)
        else:
            table = condensed_distances(samples, metric, parameters or {}, dtype)
        merges, count = _inside_on_table(table, joint, linkage, tell)
        table = _united(table, samples.shape[0], merges[:, :2].astype(np.int64), joint.first, linkage)
        above, counts = merge_condensed(table, joint.closure.n_components, *rest)
    counts = {name: counts[name] + count.get(name, 0) for name in counts}
    merges = merges[np.argsort(merges[:, 3], kind="stable"), :3]
    merges = np.concatenate([merges, by_first_members(above, joint.first)])
    return kernels.recon.as_linkage(merges, False), counts


def _inside_on_centres(
    points: np.ndarray, joint: Joint, linkage: str, tell: Callable[[int], Any]
) -> tuple[np.ndarray, np.ndarray, dict[str, int]]:
    """The merges inside all groups (slots, the second stays, distance and the largest one below), and the centres."""
    closure = joint.closure
    bound = np.unique(closure.component[joint.inside[:, 0]])  # groups with triplets inside
    is_free = np.ones(closure.n_components, np.bool_)
    is_free[bound] = False
    free = closure.order[is_free[closure.component[closure.order]]]
    start = np.concatenate([[0], np.cumsum(closure.sizes[is_free])])
    centres = np.empty((closure.n_components, points.shape[1]))
    merges = np.empty((0, 4))
    if free.size > start.size - 1:
        merges, centres[is_free] = merges_by_group(points, free, start, linkage, tell)
    else:
        centres[is_free] = points[free]
    parts, count = [merges], {"tests": 0, "rejections": 0}
    for g, members, rows in _groups(joint, bound):
        done, counts = merge_points(points[members], rows, linkage, tell)
        centres[g] = _centre(points[members], done, linkage)
        parts.append(_by_slots(done, members))
        count = {name: count[name] + counts[name] for name in count}
    return np.concatenate(parts), centres, count


def _inside_on_table(
    table: np.ndarray, joint: Joint, linkage: str, tell: Callable[[int], Any]
) -> tuple[np.ndarray, dict[str, int]]:
    """The merges inside all groups, as `_inside_on_centres` gives them."""
    n = len(joint.closure.leaves)
    parts, count = [np.empty((0, 4))], {"tests": 0, "rejections": 0}
    for _, members, rows in _groups(joint, np.flatnonzero(joint.closure.sizes > 1)):
        i, j = (members[x] for x in np.triu_indices(members.size, 1))
        inside = table[_base(i, n) + j]
        if members.size == 2:
            parts.append(np.array([[members[1], members[0], inside[0], inside[0]]]))
            tell(1)
            continue
        done, counts = merge_condensed(inside, members.size, rows, linkage, tell)
        parts.append(_by_slots(done, members))
        count = {name: count[name] + counts[name] for name in count}
    return np.concatenate(parts), count


def _groups(joint: Joint, numbers: np.ndarray) -> Any:
    """Number, samples and triplets (on places in the group) of some groups."""
    closure = joint.closure
    owner = closure.component[joint.inside[:, 0]]
    order = np.argsort(owner, kind="stable")
    low, high = (np.searchsorted(owner[order], numbers, side) for side in ("left", "right"))
    stop = np.cumsum(closure.sizes)
    for g, lo, hi in zip(numbers.tolist(), low.tolist(), high.tolist(), strict=True):
        members = closure.order[stop[g] - closure.sizes[g] : stop[g]]
        yield g, members, np.searchsorted(members, joint.inside[order[lo:hi]]).astype(np.int32)


def _by_slots(linkage: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The merges of a linkage of some samples, by slots, and the largest distance in the cluster that is formed."""
    merges = np.empty((len(linkage), 4))
    merges[:, :3] = by_first_members(linkage, members)
    highest = [-np.inf] * len(members)
    for i, j, d, _ in linkage.tolist():
        highest.append(max(d, highest[int(i)], highest[int(j)]))
    merges[:, 3] = highest[len(members) :]
    return merges


def _centre(points: np.ndarray, linkage: np.ndarray, kind: str) -> np.ndarray:
    """The centre of all, which for median linkage depends on the merges."""
    if kind != "median":
        return points.mean(axis=0)
    share = np.ones(2 * len(points) - 1)  # of each node in the centre
    for k in range(len(linkage) - 1, -1, -1):
        share[linkage[k, :2].astype(np.int64)] = share[len(points) + k] / 2
    return share[: len(points)] @ points


def _base(i: np.ndarray, n: int) -> np.ndarray:
    """The place of the pair (i, j), i < j, in a condensed table, less j."""
    i = i.astype(np.int64)
    return i * n - i * (i + 1) // 2 - i - 1


def _united(table: np.ndarray, n: int, merges: np.ndarray, first: np.ndarray, linkage: str) -> np.ndarray:
    """The condensed distances of groups, once samples have been merged (the second of each two stays); overwrites."""
    if len(merges) == 0:
        return table
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
