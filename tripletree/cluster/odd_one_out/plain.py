"""Groups of the features alone: cuts of Ward's tree, and how probable each makes the features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.algorithms.points import intrinsic_dimension

#: Groups have so many samples or more in the mean. The numbers of groups that are compared.
LEAST, NUMBERS = 3, 40

#: This share of the greatest evidence is enough: on tables it goes on to grow slowly, as classes are no spheres.
ENOUGH = 0.9

#: The least share of squared distances within groups that is told from zero.
_LEAST_WITHIN = 1e-9


class PlainGroups(NamedTuple):
    """Groups of n points, for several numbers of groups."""

    groups: np.ndarray  #: int32[numbers, n]. The first is all in one.
    evidence: np.ndarray  #: float64[numbers], as in `suggest_n_clusters`, if no more than `ENOUGH`: 0 for one group


def plain_groups(points: np.ndarray) -> PlainGroups:
    """Cut Ward's tree into several numbers of groups."""
    from scipy.cluster.hierarchy import fcluster, linkage

    n = len(points)
    k = np.unique(np.geomspace(1, max(1, n // LEAST), NUMBERS).round().astype(int))
    if k[-1] < 2:
        return PlainGroups(np.zeros((1, n), np.int32), np.zeros(1))
    tree = linkage(points, "ward")
    size = np.append(np.ones(n), tree[:, 3])
    told = size * np.log(size / n)
    shares = np.append(told[:n].sum(), told[:n].sum() + np.cumsum(told[n:] - told[tree[:, :2].astype(int)].sum(axis=1)))
    within = np.append(0.0, np.cumsum(tree[:, 2] ** 2))
    share = np.maximum(within[n - k] / max(within[-1], 1e-300), _LEAST_WITHIN)
    d = intrinsic_dimension(points)
    evidence = -n * d / 2 * np.log(share) + shares[n - k] - (k - 1) * (d + 1) / 2 * np.log(n)
    groups = [fcluster(tree, int(x), "maxclust").astype(np.int32) - 1 for x in k]
    return PlainGroups(np.array(groups), np.minimum(evidence, ENOUGH * evidence.max()))
