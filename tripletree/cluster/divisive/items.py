"""Step 1 of `DivisiveReCon`: the items to cluster, the distances between them, and how triplets change these.

Items are the samples, or clades of the plain tree if there are many samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletree._core import engine
from tripletree.cluster.posterior import linked

#: Most items: more samples than these are gathered into so many clades of the plain tree.
ITEMS_MAX = 2_000


#: How triplets change distances (`spread_tree`): price of squared weights, width of the loss, rank of the kernel, its
#: width (the distance to the neighbour of number n ** KERNEL_WIDTH_POWER), steps of the minimiser.
SPREAD_PRICE, LOSS_WIDTH, KERNEL_RANK, KERNEL_WIDTH_POWER, SPREAD_STEPS = 0.1, 0.3, 50, 0.6, 25


#: Distances below this share of the median count as this much: ratios of smaller ones would mean nothing.
DISTANCE_MIN = 1e-3


@dataclass(frozen=True, eq=False)
class Items:
    """The leaves of the trees: the samples, or clades of the plain tree if there are many samples.

    Attributes
    ----------
    distance : ndarray of float64, shape (g, g)
        Between the means of two items, or their mean distance. The median is 1.
    size : ndarray of float64, shape (g,)
        Samples in each item.
    kernel : ndarray of float64, shape (g, r)
        Products of rows are large for items that are near each other.
    ward : bool
        True for Ward's linkage, False for average linkage.
    plain : ndarray of int32, shape (g - 1, 2)
        The plain tree of the items.
    """

    distance: np.ndarray
    size: np.ndarray
    kernel: np.ndarray
    ward: bool
    plain: np.ndarray


def make_items(points: np.ndarray, is_matrix: bool, owner: np.ndarray, plain: np.ndarray) -> Items:
    """The items, given the item that each sample belongs to."""
    from scipy.spatial.distance import pdist, squareform

    size = np.bincount(owner).astype(np.float64)
    g = size.size
    order = np.argsort(owner, kind="stable")
    start = (np.cumsum(size) - size).astype(np.int64)
    means = np.add.reduceat(points[order], start, axis=0) / size[:, None] if g < owner.size else points
    if is_matrix:
        distance = np.add.reduceat(means[:, order], start, axis=1) / size if g < owner.size else means.copy()
        np.fill_diagonal(distance, 0.0)
        above = squareform(distance, checks=False)
    else:
        above = pdist(means)
        distance = squareform(above)
    middle = np.median(above) if g > 1 else 1.0
    distance /= middle if middle > 0 else distance.max() if distance.max() > 0 else 1.0
    np.maximum(distance, DISTANCE_MIN, out=distance)
    near = min(g - 1, max(1, round(g**KERNEL_WIDTH_POWER)))
    scale = np.maximum(np.partition(distance, near, axis=1)[:, near], 1e-9)
    kernel = engine.division.columns(distance, scale, KERNEL_RANK)
    return Items(distance, size, kernel, not is_matrix, plain)


def spread_tree(items: Items, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Linkage of distances changed by triplets. The kernel carries the change to items near the named ones.

    Distances D become D exp(K M K') with M symmetric. M minimises the logistic loss of log D(a, c) - log D(a, b) and
    of log D(b, c) - log D(a, b), plus its own price.

    Returns
    -------
    ndarray of int32, shape (g - 1, 2)
        A base tree, see ``tripletree/_core/division.hpp``.
    """
    from scipy.optimize import minimize

    a, b, c = rows.T
    near, far = np.concatenate([[a, b], [b, a]], axis=1), np.concatenate([c, c])
    at, twice, r = near[0], np.concatenate([weight, weight]), items.kernel.shape[1]
    left, right = items.kernel[at], items.kernel[far] - items.kernel[near[1]]
    lead = np.log(items.distance[at, far] / items.distance[at, near[1]])

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        matrix = flat.reshape(r, r)
        margin = (lead + np.einsum("ij,ij->i", left @ matrix, right)) / LOSS_WIDTH
        slope = -twice / (1.0 + np.exp(np.clip(margin, -50, 50))) / LOSS_WIDTH
        gradient = (left * slope[:, None]).T @ right
        gradient = (gradient + gradient.T) / 2 + SPREAD_PRICE * matrix
        return float(twice @ np.logaddexp(0, -margin) + SPREAD_PRICE / 2 * np.vdot(matrix, matrix)), gradient.ravel()

    best = minimize(loss, np.zeros(r * r), jac=True, method="L-BFGS-B", options={"maxiter": SPREAD_STEPS}).x.reshape(
        r, r
    )
    moved = items.kernel @ (best + best.T) @ items.kernel.T
    changed = moved + moved.T
    changed /= 4
    np.exp(changed, out=changed)
    changed *= items.distance
    return linked(changed, items.size, items.ward)


def coarse_clades(merges: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The clade of each sample if the last merges are undone, at most so many clades, and the tree of these clades."""
    n = merges.shape[0] + 1
    made = max(0, n - most)
    top = np.arange(n + made)
    for i in range(made - 1, -1, -1):
        top[merges[i, :2].astype(np.int64)] = top[n + i]
    number, owner = np.unique(top[:n], return_inverse=True)
    number = np.append(number, np.arange(n + made, 2 * n - 1))
    return owner, np.searchsorted(number, merges[made:, :2]).astype(np.int32)


def refined(base: np.ndarray, merges: np.ndarray) -> np.ndarray:
    """A base tree of the samples: the base tree of the clades, each of which is as in the plain tree."""
    n, g = merges.shape[0] + 1, base.shape[0] + 1
    made = n - g
    below = merges[:made, :2].astype(np.int32)
    top = np.ones(n + made, bool)
    top[below] = False
    number = np.append(np.flatnonzero(top), np.arange(n + made, 2 * n - 1))
    return np.concatenate([below, number[base].astype(np.int32)])
