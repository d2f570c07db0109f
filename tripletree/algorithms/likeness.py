"""Trees sampled from their posterior, given answers to "which of these three is the odd one out?".

The model and the steps of the chains are in ``_core/answer_walk.hpp``. `aggregate_answers` and `agreement` are the
callers. The trees of a sample are averaged on each trio: no single tree is as good a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.progress import Tick, silent
from tripletree.core.threads import side_by_side

#: Steps of a chain for each leaf, fewer for few leaves, steps of any chain at most, and the greatest amount of work: a
#: step is 1, and five trios of a leaf are 1.
STEPS, MOST_STEPS, MOST = 2_500, 400_000, 1_500_000

#: The share of the steps before the first tree is sampled, and trees in the sample.
BURN, TREES = 1 / 3, 100

#: Share of lapses at the beginning, and the height of the first tree.
_LAPSES, _HEIGHT = 0.05, 2.0


@dataclass(frozen=True, eq=False)
class Trios:
    """Answers by trio.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, 3)
        Different trios of the leaves 0..n-1.
    votes : ndarray of float64, shape (m, 3)
        The weight of the answers that name each of the three.
    n : int
    """

    rows: np.ndarray
    votes: np.ndarray
    n: int


@dataclass(frozen=True, eq=False)
class AnswerTrees:
    """Trees of a posterior, each as probable as it is frequent.

    Attributes
    ----------
    parents : ndarray of int32, shape (t, 2 n - 1)
        The trees. Parents come after their children.
    heights : ndarray of float64, shape (t, 2 n - 1)
        In units of the logarithm of chances.
    lapses : ndarray of float64, shape (t,)
        The share of answers that name any of the three.
    """

    parents: np.ndarray
    heights: np.ndarray
    lapses: np.ndarray

    def hierarchies(self) -> Iterator[Hierarchy]:
        """The trees one after the other, over 0..n-1."""
        for parent in self.parents:
            yield Hierarchy(freeze(parent.copy()))

    def each(self, rows: np.ndarray) -> Iterator[np.ndarray]:
        """For each tree the chance that each of the trio is named: arrays of float64, shape (m, 3)."""
        x, y, z = (freeze(np.array(rows[:, k], np.int32)) for k in range(3))
        for tree, height, lapses in zip(self.hierarchies(), self.heights, self.lapses, strict=True):
            level = np.stack([height[_meeting(tree, a, b)] for a, b in ((y, z), (x, z), (x, y))])
            chance = np.exp(level.min(axis=0) - level)
            yield ((1 - lapses) * chance / chance.sum(axis=0) + lapses / 3).T

    def chances(self, rows: np.ndarray) -> np.ndarray:
        """The chance that each of the trio is named, the mean over the trees (float64, shape (m, 3)). O(t (n + m))."""
        total = np.zeros((len(rows), 3))
        for chance in self.each(rows):
            total += chance
        return total / len(self.parents)

    def mean_levels(self) -> np.ndarray:
        """The mean height at which two leaves meet, for all pairs in the order of scipy's condensed distances."""
        n = (self.parents.shape[1] + 1) // 2
        one, other = (freeze(x.astype(np.int32)) for x in np.triu_indices(n, 1))
        total = np.zeros(one.size)
        for tree, height in zip(self.hierarchies(), self.heights, strict=True):
            total += height[_meeting(tree, one, other)]
        return total / len(self.parents)


def _meeting(tree: Hierarchy, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return engine.rooted_tree.common_ancestors(one, other, *tree.ancestor_table)


def n_steps(trios: Trios) -> int:
    """Return the steps of a chain."""
    n = trios.n
    return min(int(MOST / (1 + len(trios.rows) * 3 / n / 5)), MOST_STEPS, STEPS * n, 100 * n * n)


def sample_trees(
    trios: Trios,
    starts: Sequence[Hierarchy],
    rng: np.random.Generator,
    *,
    effort: float = 1.0,
    n_trees: int = TREES,
    tell: Tick = silent,
) -> AnswerTrees:
    """Sample trees from chains that begin at given binary trees, as many from each."""
    seeds = rng.integers(2**63, size=len(starts)).tolist()
    each, steps = -(-n_trees // len(starts)), max(round(effort * n_steps(trios)), 100)

    def run(i: int, stop: Event) -> tuple[list[np.ndarray], ...]:
        return _sampled(_begun(trios, starts[i]), steps, each, np.random.default_rng(seeds[i]), stop)

    found = side_by_side(run, len(starts), tell)
    return AnswerTrees(*(np.array([x for chain in found for x in chain[k]]) for k in range(3)))


def _sampled(walk: Any, steps: int, trees: int, rng: np.random.Generator, stop: Event) -> tuple[list[np.ndarray], ...]:
    """Trees at equal distances after the first part of the steps, their heights and their shares of lapses."""
    n_parts = max(-(-steps // 1_000), 3 * trees)
    part = -(-steps // n_parts)
    taken = set(np.linspace(int(BURN * n_parts), n_parts - 1, trees).astype(int).tolist())
    parents, heights, lapses = [], [], []
    for k in range(n_parts):
        if stop.is_set():
            break
        walk.walk(rng.random((part, 6)))
        walk.rescale(rng.random((2, 2)))
        if k % 20 == 19:
            walk.begin()  # sums that change by small steps lose digits
        if k in taken:
            parent, height = walk.parent, walk.height
            n = (parent.size + 1) // 2
            order = np.append(np.arange(n), n + np.argsort(height[n:], kind="stable"))
            number = np.empty(order.size, np.int32)
            number[order] = np.arange(order.size)
            parents.append(np.append(number[parent[order[:-1]]], np.int32(-1)))
            heights.append(height[order])
            lapses.append(walk.lapses)
    return parents, heights, lapses


def _begun(trios: Trios, start: Hierarchy) -> Any:
    """Return the state of a chain at its first tree."""
    n = trios.n
    height = np.append(np.zeros(n), np.arange(1, n) * (_HEIGHT / max(n - 1, 1)))
    return engine.AnswerWalk(start.parent, height, frozen(trios.rows), trios.votes.astype(np.float64), _LAPSES)
