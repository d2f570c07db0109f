"""What the methods of soft pairs share: pairs as links of the samples in them, and the search for the best labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.cluster._lloyd import Points, starting_centres

__all__ = ["Links", "best_for_empty", "first_centres", "link_costs", "settled", "violated_links"]

#: Rounds of moves after which the search for labels stops, should rounding keep it from coming to an end.
_ROUNDS = 200


@dataclass(frozen=True)
class Links:
    """Pairs as the kernels take them: over the samples that are in pairs, numbered 0..m-1; must-links first.

    Attributes
    ----------
    nodes : ndarray of int32, shape (m,)
        The samples, in order.
    ends : ndarray of int32, shape (e, 2)
        The two samples of each pair, by their numbers in `nodes`.
    strength : ndarray of float64, shape (e,)
    n_must : int
    start, other, edge : ndarray of int32
        The links of each sample, see `tripletree._kernels.soft_pairs`.
    member, first : ndarray of int32
        The samples that must-links hold together directly or through others, group by group.
    """

    nodes: np.ndarray
    ends: np.ndarray
    strength: np.ndarray
    n_must: int
    start: np.ndarray
    other: np.ndarray
    edge: np.ndarray
    member: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, must: np.ndarray, cannot: np.ndarray, strength: np.ndarray) -> Links:
        """From rows of samples, and the strengths of the must-links, then of the cannot-links."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        rows = np.concatenate([must, cannot]).astype(np.int64).reshape(-1, 2)
        nodes, ends = np.unique(rows, return_inverse=True)
        ends = ends.reshape(-1, 2)
        m, e = nodes.size, rows.shape[0]
        near, far = ends.ravel(), ends[:, ::-1].ravel()
        order = np.argsort(near, kind="stable")
        graph = coo_array((np.ones(len(must), np.int8), tuple(ends[: len(must)].T)), shape=(m, m))
        group = connected_components(graph, directed=False)[1] if m else np.empty(0, np.int32)
        start = np.concatenate([[0], np.cumsum(np.bincount(near, minlength=m))])
        return cls(
            nodes=frozen(nodes),
            ends=frozen(ends),
            strength=frozen(strength, np.float64),
            n_must=len(must),
            start=frozen(start),
            other=frozen(far[order]),
            edge=frozen(np.repeat(np.arange(e), 2)[order]),
            member=frozen(np.argsort(group, kind="stable")),
            first=frozen(np.concatenate([[0], np.cumsum(np.bincount(group))])),
        )

    @property
    def n_groups(self) -> int:
        """Number of groups, those of one sample counted."""
        return self.first.size - 1

    @cached_property
    def large(self) -> np.ndarray:
        """The groups of two samples and more."""
        return np.flatnonzero(np.diff(self.first) > 1).astype(np.int32)


def settled(
    links: Links, base: np.ndarray, pay: np.ndarray, label: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    """Labels of the samples in pairs that no move improves: of one, of a group of must-links, of a chain of pairs.

    Parameters
    ----------
    links : Links
    base : ndarray of float64, shape (m, k)
        What each sample costs in each cluster.
    pay : ndarray of float64, shape (e, k)
        What each violated pair costs: a must-link between clusters g and h ``pay[e, g] + pay[e, h]``, a cannot-link
        within h ``pay[e, h]``.
    label : ndarray of int32, shape (m,), or None
        Where to start; None to place group after group first, in random order.
    rng : Generator
        For the order in which samples are looked at.

    Returns
    -------
    ndarray of int32, shape (m,)
        Costs are never more than with `label`.
    """
    kernels = _kernels.soft_pairs
    pairs = freeze(base), links.start, links.other, links.edge, links.n_must, freeze(pay)
    groups = links.member, links.first
    if label is None:
        label = np.full(links.nodes.size, -1, np.int32)
        kernels.move_groups(frozen(rng.permutation(links.n_groups)), *groups, *pairs, label)
    else:
        label = label.astype(np.int32)
    order, large = frozen(rng.permutation(links.nodes.size)), frozen(rng.permutation(links.large))
    for _ in range(_ROUNDS):
        if kernels.move_samples(order, *pairs, label):
            continue
        if kernels.move_groups(large, *groups, *pairs, label) + kernels.move_chains(*pairs, label) == 0:
            break
    return label


def violated_links(links: Links, label: np.ndarray) -> np.ndarray:
    """Which pairs labels of the samples in pairs violate, as truth values."""
    a, b = label[links.ends[:, 0]], label[links.ends[:, 1]]
    return np.where(np.arange(a.size) < links.n_must, a != b, a == b)


def link_costs(links: Links, pay: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which pairs are violated, as truth values, and what each of them costs (0 where it is not).

    Parameters
    ----------
    links : Links
    pay : ndarray of float64, shape (e, k)
    label : ndarray of int, shape (m,)
        Of the samples in pairs.
    """
    violated = violated_links(links, label)
    a, b = label[links.ends[:, 0]], label[links.ends[:, 1]]
    row = np.arange(a.size)
    cost = pay[row, a] + np.where(row < links.n_must, pay[row, b], 0.0)
    return violated, np.where(violated, cost, 0.0)


def best_for_empty(links: Links, cost: np.ndarray, pay: np.ndarray, labels: np.ndarray, k: int) -> dict[int, int]:
    """For each empty cluster the sample that would save most by a centre of its own; none that would save nothing.

    Parameters
    ----------
    links : Links
    cost : ndarray of float64, shape (n,)
        What each sample costs in its cluster.
    pay : ndarray of float64, shape (e, k)
    labels : ndarray of int, shape (n,)
    k : int

    Returns
    -------
    dict
        Cluster -> sample.
    """
    empty = np.flatnonzero(np.bincount(labels, minlength=k) == 0)
    if empty.size == 0:
        return {}
    label = labels[links.nodes]
    a, b = label[links.ends[:, 0]], label[links.ends[:, 1]]
    row = np.arange(a.size)
    saved = np.where(row < links.n_must, -2.0, 1.0) * pay[row, a] * (a == b)
    gain = cost.copy()
    for end in links.ends.T:
        np.add.at(gain, links.nodes[end], saved)
    best = np.argsort(-gain, kind="stable")[: empty.size]
    return {int(h): int(i) for h, i in zip(empty, best, strict=False) if gain[i] > 0}


def first_centres(points: Points, links: Links, k: int, rng: np.random.Generator, *, drawn: bool) -> np.ndarray:
    """Starting centres from the neighbourhoods, which are the groups of two samples and more that must-links make.

    Parameters
    ----------
    points : Points
    links : Links
    k : int
    rng : Generator
    drawn : bool
        Where there are more than k neighbourhoods: False takes the largest one and then always that of the largest
        squared distance to the nearest so far, times its weight; True draws them with these as probabilities.

    Returns
    -------
    ndarray of float64, shape (k, d)
        Where there are fewer than k neighbourhoods, all of their means, and samples drawn by k-means++.
    """
    if links.large.size == 0:
        return starting_centres(points, k, rng)
    size = np.diff(links.first)
    group = np.repeat(np.arange(links.n_groups), size)
    mass = points.weights[links.nodes[links.member]]
    total = np.bincount(group, mass)
    places = np.stack([np.bincount(group, mass * row[links.nodes[links.member]]) for row in points.columns], axis=1)
    means, weight = (places / total[:, None])[links.large], total[links.large]
    if links.large.size > k:
        return means[_spread(means, weight, k, rng if drawn else None)]
    nearest = np.full(points.n, np.inf)
    for centre in means:
        nearest = np.minimum(nearest, ((points.columns - centre[:, None]) ** 2).sum(axis=0))
    chosen = list(means)
    while len(chosen) < k:
        i = _draw(points.weights * nearest, points.weights, rng)
        chosen.append(points.columns[:, i])
        nearest = np.minimum(nearest, ((points.columns - points.columns[:, [i]]) ** 2).sum(axis=0))
    return np.array(chosen)


def _spread(means: np.ndarray, weight: np.ndarray, k: int, rng: np.random.Generator | None) -> list[int]:
    chosen: list[int] = []
    score = weight
    nearest = np.full(weight.size, np.inf)
    for _ in range(k):
        i = int(score.argmax()) if rng is None else _draw(score, weight, rng)
        chosen.append(i)
        nearest = np.minimum(nearest, ((means - means[i]) ** 2).sum(axis=1))
        score = weight * nearest
    return chosen


def _draw(score: np.ndarray, otherwise: np.ndarray, rng: np.random.Generator) -> int:
    """A number with probabilities in the ratio of the scores, or, where all are 0, of other ones."""
    chances: Any = score if score.any() else otherwise
    return int(rng.choice(chances.size, p=chances / chances.sum()))
