"""What CVQE, LCVQE and CVQE+ differ in: how pairs get clusters, what violated ones cost, and what they pull centres to.

========  =============================  ===============================  ========================================
          a pair gets its clusters by    a violated must-link, w times    and it pulls
========  =============================  ===============================  ========================================
`Alone`   distances and this pair alone  distance between the two centres the centre of the first sample to the other
`Linear`  the ways out of a violation    half the samples' distances to   both centres to the other's sample, by half
                                         each other's centre
`Joint`   distances and all pairs of     distance between the two centres both centres to each other
          both samples
========  =============================  ===============================  ========================================

A violated cannot-link costs w times the distance of the cluster's centre to the nearest other one, which it is pulled
to; with `Linear` that of the farther sample to the nearest other centre, and that one is pulled to the sample. All
distances are squared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.cluster._lloyd import Points, squared_distances
from tripletree.cluster._soft_pairs import Links, violated_links

__all__ = ["Alone", "Joint", "Linear", "Rule", "Scene", "Task"]


@dataclass(frozen=True)
class Task:
    """What is clustered.

    Attributes
    ----------
    points : Points
    links : Links
        The pairs.
    order : ndarray of int32, shape (e,)
        The pairs in the order in which they are looked at.
    """

    points: Points
    links: Links
    order: np.ndarray

    @cached_property
    def some(self) -> Points:
        """The points in pairs."""
        nodes = self.links.nodes
        return Points(freeze(np.ascontiguousarray(self.points.columns[:, nodes])), freeze(self.points.weights[nodes]))

    @cached_property
    def twin(self) -> np.ndarray:
        """For each pair the other one of the same two samples, -1 for none."""
        low, high = np.sort(self.links.ends.astype(np.int64), axis=1).T
        key = low * max(self.links.nodes.size, 1) + high
        by = np.argsort(key, kind="stable")
        twin = np.full(key.size, -1, np.int32)
        same = np.flatnonzero(key[by][1:] == key[by][:-1])
        twin[by[same]], twin[by[same + 1]] = by[same + 1], by[same]
        return freeze(twin)

    def with_order(self, order: np.ndarray) -> Task:
        """The same with its pairs in another order."""
        other = Task(self.points, self.links, frozen(order))
        vars(other).update(some=self.some, twin=self.twin)
        return other


@dataclass(frozen=True)
class Scene:
    """What one set of centres means for the samples in pairs.

    Attributes
    ----------
    centres : ndarray of float64, shape (k, d)
    distance, base : ndarray of float64, shape (m, k)
        Squared distances to the centres, and these times the weights of the samples.
    apart : ndarray of float64, shape (k, k)
        Squared distances between the centres.
    next : ndarray of int, shape (k,)
        The nearest other centre.
    near : ndarray of float64, shape (k,)
        The squared distance to it; 0 where there is no other.
    """

    centres: np.ndarray
    distance: np.ndarray
    base: np.ndarray
    apart: np.ndarray
    next: np.ndarray
    near: np.ndarray

    @classmethod
    def of(cls, task: Task, centres: np.ndarray) -> Scene:
        """For given centres."""
        k = centres.shape[0]
        distance = squared_distances(task.some.columns, centres)
        apart = squared_distances(frozen(centres.T, np.float64), centres)
        others = apart + np.diag(np.full(k, np.inf))
        near = others.min(axis=1) if k > 1 else np.zeros(1)
        base = distance * task.some.weights[:, None]
        return cls(centres, freeze(distance), freeze(base), freeze(apart), others.argmin(axis=1), freeze(near))


class Rule(Protocol):
    """One of the three methods."""

    def assigned(self, task: Task, scene: Scene, label: np.ndarray | None) -> np.ndarray:
        """Clusters of the samples in pairs, int32; `label` are those of the round before."""

    def costs(self, task: Task, scene: Scene, label: np.ndarray) -> np.ndarray:
        """What each pair costs, 0 where it is kept."""

    def pull(self, task: Task, scene: Scene, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the violated pairs add to the sums of the clusters, shape (k, d), and to their weights, shape (k,)."""


class Alone:
    """CVQE: Davidson and Ravi 2005."""

    #: Whether a must-link pulls both centres.
    mutual: ClassVar[bool] = False

    def assigned(self, task: Task, scene: Scene, label: np.ndarray | None) -> np.ndarray:
        """See `Rule`. Pairs overrule each other: the last one of a sample decides."""
        links = task.links
        return _kernels.cvqe.assign_alone(
            task.order, scene.base, links.ends, links.strength, links.n_must, scene.apart, scene.near
        )

    def costs(self, task: Task, scene: Scene, label: np.ndarray) -> np.ndarray:
        """See `Rule`."""
        links = task.links
        g, h = label[links.ends].T
        price = np.where(np.arange(g.size) < links.n_must, scene.apart[g, h], np.where(g == h, scene.near[g], 0.0))
        return links.strength * price

    def pull(self, task: Task, scene: Scene, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `Rule`: centres pull each other, all at once from where they were."""
        links, k = task.links, scene.centres.shape[0]
        g, h = label[links.ends].T
        must = np.arange(g.size) < links.n_must
        wrong = violated_links(links, label)
        if k == 1:
            wrong &= must
        to = np.where(must, h, scene.next[g])
        force = np.bincount((g * k + to)[wrong], links.strength[wrong], k * k).reshape(k, k)
        if self.mutual:
            wrong &= must
            force += np.bincount((h * k + g)[wrong], links.strength[wrong], k * k).reshape(k, k)
        return force @ scene.centres, force.sum(axis=1)


class Joint(Alone):
    """CVQE+: Mai and others 2018."""

    mutual: ClassVar[bool] = True

    def assigned(self, task: Task, scene: Scene, label: np.ndarray | None) -> np.ndarray:
        """See `Rule`. From the labels of the round before no cost increases."""
        links = task.links
        label = scene.base.argmin(axis=1).astype(np.int32) if label is None else label.astype(np.int32)
        _kernels.cvqe.assign_joint(
            task.order,
            scene.base,
            links.ends,
            links.strength,
            links.n_must,
            scene.apart,
            scene.near,
            task.twin,
            links.start,
            links.other,
            links.edge,
            label,
        )
        return label


class Linear:
    """LCVQE: Pelleg and Baras 2007."""

    def assigned(self, task: Task, scene: Scene, label: np.ndarray | None) -> np.ndarray:
        """See `Rule`. Each round starts from the nearest centres."""
        links = task.links
        return _kernels.cvqe.assign_linear(
            task.order, scene.base, links.ends, links.strength, links.n_must, scene.distance
        )

    def costs(self, task: Task, scene: Scene, label: np.ndarray) -> np.ndarray:
        """See `Rule`."""
        cost = np.zeros(task.links.strength.size)
        for pair, sample, cluster, weight in self._pulled(task, scene, label):
            cost += np.bincount(pair, weight * scene.distance[sample, cluster], cost.size)
        return cost

    def pull(self, task: Task, scene: Scene, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `Rule`: samples pull centres."""
        parts = self._pulled(task, scene, label)
        sample, cluster, weight = (np.concatenate([part[i] for part in parts]) for i in (1, 2, 3))
        columns = freeze(np.ascontiguousarray(task.some.columns[:, sample]))
        return _kernels.lloyd.sums(columns, freeze(weight), frozen(cluster), scene.centres.shape[0])

    def _pulled(self, task: Task, scene: Scene, label: np.ndarray) -> list[tuple[np.ndarray, ...]]:
        """Violated pairs, and which sample pulls which centre, how much: both ends of must-links, cannot-links."""
        links, k = task.links, scene.centres.shape[0]
        wrong = np.flatnonzero(violated_links(links, label))
        must, cannot = wrong[wrong < links.n_must], wrong[wrong >= links.n_must]
        i, j = links.ends[must].T
        half = 0.5 * links.strength[must]
        parts: list[tuple[np.ndarray, ...]] = [(must, i, label[j], half), (must, j, label[i], half)]
        if k > 1:
            i, j = links.ends[cannot].T
            own = label[i]
            far = np.where(scene.distance[j, own] > scene.distance[i, own] * _kernels.cvqe.FARTHER, j, i)
            others = scene.distance[far]
            others[np.arange(far.size), own] = np.inf
            parts.append((cannot, far, others.argmin(axis=1), links.strength[cannot]))
        return parts
