"""One snapshot: clustered from where the one before ended, at a price for centres that move away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletree.cluster._lloyd import Points, starting_centres
from tripletree.cluster.cvqe import cvqe_plus
from tripletree.cluster.temporal._matching import match_clusters, nearest_order
from tripletree.pairs import PairwiseConstraints

__all__ = ["Link", "next_link"]


@dataclass(frozen=True, eq=False)
class Link:
    """The result for one snapshot, which the next one starts from.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    centres : ndarray of float64, shape (k, d)
    total : float
        What was minimised.
    n_iter : int
    objects : ndarray of int64, shape (n,)
        Increasing numbers of the objects.
    """

    labels: np.ndarray
    centres: np.ndarray
    total: float
    n_iter: int
    objects: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Objects in each cluster."""
        return np.bincount(self.labels, minlength=len(self.centres)).astype(np.float64)


def next_link(
    before: Link,
    samples: np.ndarray,
    objects: np.ndarray,
    pairs: PairwiseConstraints,
    rng: np.random.Generator,
    *,
    alpha: float,
    n_init: int,
    max_iter: int,
    tol: float,
) -> Link:
    """Cluster a snapshot from the centres of the one before, and from fresh ones; the least cost counts.

    Fresh centres are ordered so that they lie near the earlier ones. Without a price on moving (alpha = 0) the numbers
    of clusters mean nothing to the cost: they are matched by the objects that stay together.
    """
    points = Points.of(samples)
    mass = np.maximum(before.sizes, 1e-9)
    k = len(before.centres)

    def run(centres: np.ndarray) -> Link:
        must, cannot = rng.permutation(len(pairs.must_link)), rng.permutation(len(pairs.cannot_link))
        found = cvqe_plus(
            samples,
            pairs.must_link[must],
            pairs.cannot_link[cannot],
            None if pairs.must_strength is None else pairs.must_strength[must],
            None if pairs.cannot_strength is None else pairs.cannot_strength[cannot],
            centres,
            history=(before.centres, alpha),
            history_mass=mass,
            max_iter=max_iter,
            tol=tol,
        )
        return Link(found.labels, found.centers, found.cost, found.n_iter, objects)

    best = run(before.centres)
    tried: set[bytes] = set()  # without pairs nothing but the start is left to chance
    for _ in range(n_init - 1 if len(samples) >= k else 0):
        fresh = starting_centres(points, k, rng)
        fresh = fresh[nearest_order(fresh, before.centres)]
        if fresh.tobytes() in tried:
            continue
        if not len(pairs):
            tried.add(fresh.tobytes())
        other = run(fresh)
        if other.total < best.total * (1 - 1e-9):
            best = other
    return best if alpha > 0 else _renumbered(best, before)


def _renumbered(link: Link, before: Link) -> Link:
    """The same clusters, numbered like those before with which they share the most objects."""
    k = len(link.centres)
    stay, old, new = np.intersect1d(before.objects, link.objects, assume_unique=True, return_indices=True)
    if not stay.size:
        return link
    goes_on = np.full(k, -1, np.int64)
    matched = match_clusters(before.labels[old], link.labels[new])
    goes_on[: matched.size] = matched
    free = iter(np.setdiff1d(np.arange(k), goes_on).tolist())
    number = np.array([next(free) if x < 0 else x for x in goes_on.tolist()])
    centres = np.empty_like(link.centres)
    centres[number] = link.centres
    return Link(number[link.labels].astype(np.int32), centres, link.total, link.n_iter, link.objects)
