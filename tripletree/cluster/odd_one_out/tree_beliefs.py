"""What is believed of the tree of the samples while people answer, and the three samples to ask about next.

`OddOneOutClustering` calls this if people answer by a tree. Some Markov chains (``cluster/posterior.py``) walk through
trees. With each answer they go on, given all answers so far. The question is the trio about which the trees that they
reach disagree most, and on which most of the tree depends.
"""

from __future__ import annotations

import copy
from threading import Event

import numpy as np

from tripletree import kernels
from tripletree.cluster.odd_one_out.questions import Question
from tripletree.cluster.posterior import Chain, TreeSample, independent, mean_tree, parents_of
from tripletree.core.threads import side_by_side

#: Chains, the steps of each after an answer (for each leaf, and at most), and the trees that it shows meanwhile.
CHAINS, STEPS, MOST_STEPS, SHOWN = 4, 80, 8_000, 3

#: Of more answers than this, chains take as many times fewer steps after each: a step takes longer, and one answer
#: changes less.
FULL = 1_000

#: Before the first question chains take so many times as many steps. Many answers at once are heard in so many parts.
LONG, PARTS = 5, 20

#: All chains but the first begin at Ward's tree of samples moved by so many standard deviations.
MOVED = 0.15

#: Random trios that are weighed for a question, and trees of which trios of neighbouring clades are.
TRIOS, NEIGHBOURING = 1_500, 3

#: The entropy of a trio is multiplied by the number of triplets that depend on it to this power.
HANGING = 1 / 3

#: Trees of each chain in a sample, and the steps between two of them for each leaf.
SAMPLED, APART = 25, 5


class TreeBeliefs:
    """Chains over trees that go on with each answer.

    Parameters
    ----------
    points : ndarray of float64, shape (r, d)
        The leaves of the trees. Without coordinates (d = 0) nothing but answers tells trees apart.
    noise : float or None
        The share of wrong answers; None estimates it.
    seed : int
        The same seed and the same answers, taken in by the same steps, give the same trees and questions.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, 3)
        Triplets that were answered.
    trees : ndarray of int32, shape (t, 2 r - 1)
        The trees that were reached since the last answer, as parents.
    """

    def __init__(self, points: np.ndarray, noise: float | None, seed: int) -> None:
        self.n, self.seed, self.steps = len(points), seed, min(MOST_STEPS, STEPS * len(points)) // SHOWN
        self.rows = np.empty((0, 3), np.int32)
        rng = np.random.default_rng(seed)
        self.chains = []
        for k in range(CHAINS):
            start = _first_tree(points, MOVED if k else 0.0, rng)
            coordinates = independent(points, start) if points.shape[1] else points
            own = np.random.default_rng(rng.integers(2**63))
            wrong = None if noise is None else min(max(noise, 1e-9), 0.6)
            self.chains.append(Chain(coordinates, start, self.rows, np.empty(0), False, wrong, own))
        self.trees, self._shares = _walked(self.chains, SHOWN, LONG * self.steps)

    def hear(self, rows: np.ndarray) -> None:
        """Go on with all triplets that were answered so far."""
        new = max(len(rows) - len(self.rows), 1)
        parts = min(new, PARTS)
        for left in range(parts - 1, -1, -1):
            some = rows[: len(rows) - left * new // parts]
            for chain in self.chains:
                chain.hear(some, np.ones(len(some)))
            steps = self.steps * LONG if left == 0 and parts > 1 else self.steps * FULL // max(len(some), FULL)
            self.trees, self._shares = _walked(self.chains, SHOWN, steps)
        self.rows = rows

    @property
    def noise(self) -> float:
        """The share of wrong answers."""
        return float(self._shares.mean())

    def sample(self) -> TreeSample:
        """A sample of trees. Copies of the chains walk for it, so that to look changes no later question."""
        trees, shares = _walked(copy.deepcopy(self.chains), SAMPLED, max(APART * self.n, self.steps))
        return TreeSample(trees, shares, np.arange(self.n))

    # ------------------------------------------------------------------ the next question

    def question(self, refused: np.ndarray, busy: np.ndarray) -> Question | None:
        """The trio that says most about the tree; None if the trees agree on all.

        Parameters
        ----------
        refused : ndarray of int64, shape (r, 3)
            Trios that are not asked.
        busy : ndarray of int64
            Leaves that are not asked about.
        """
        refused = np.unique(self._code(refused))
        rng = np.random.default_rng([self.seed, len(self.rows), len(refused)])
        trios = self._open_trios(rng, refused, busy)
        for look_closer in (False, True):
            if not len(trios):
                return None
            trees = self.sample().parents if look_closer else self.trees
            odd, hanging = kernels.posterior.odd_ones(trees, trios)
            share = np.stack([(odd == k).mean(axis=0) for k in range(3)])
            told = -(share * np.log(np.maximum(share, 1e-300))).sum(axis=0)
            best = int((told * (hanging**HANGING).mean(axis=0)).argmax())
            if told[best] > 0:
                settled = told[best] / np.log(3) * 3 * np.cbrt(hanging[:, best]).mean()
                return Question(tuple(trios[best].tolist()), float(min(settled, self.n)))
        return None

    def _code(self, trios: np.ndarray) -> np.ndarray:
        """A number for each trio, the same in any order."""
        low, middle, high = np.sort(trios, axis=1).astype(np.int64).T
        return (low * self.n + middle) * self.n + high

    def _open_trios(self, rng: np.random.Generator, refused: np.ndarray, busy: np.ndarray) -> np.ndarray:
        """Random trios, and trios of neighbouring clades, each of three different leaves, that may be asked."""
        several = rng.integers(0, self.n, (TRIOS, 3))
        some = self.trees[rng.integers(0, len(self.trees), NEIGHBOURING)]
        trios = np.concatenate([several, *(_neighbouring(tree, rng) for tree in some)])
        a, b, c = trios.T
        kept = (a != b) & (a != c) & (b != c) & ~np.isin(trios, busy).any(axis=1)
        kept[kept] = ~np.isin(self._code(trios[kept]), refused)
        return trios[kept].astype(np.int32)


def mean_of(sample: TreeSample) -> np.ndarray:
    """The parents of the mean of the sampled trees."""
    t, n = len(sample.parents), sample.leaf.size
    return parents_of(mean_tree(list(sample.parents), np.ones(t), np.ones(n)))


def _walked(chains: list[Chain], trees: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Some trees of each chain, so many steps apart, and the share of wrong answers that goes with each."""

    def walk(i: int, stop: Event) -> tuple[list[np.ndarray], list[float]]:
        found, shares, chain = [], [], chains[i]
        for _ in range(trees):
            if stop.is_set():
                break
            chain.go_on(steps)
            found.append(chain.tree())
            shares.append(chain.wrong)
        chain.begin()
        return found, shares

    every = side_by_side(walk, len(chains), lambda done: None)
    return np.array([x for found, _ in every for x in found]), np.array([x for _, some in every for x in some])


def _first_tree(points: np.ndarray, moved: float, rng: np.random.Generator) -> np.ndarray:
    """Parents of Ward's tree of points, which may be moved a little; without coordinates, of a random tree."""
    from scipy.cluster.hierarchy import linkage

    n, d = points.shape
    if d:
        points = points + moved * points.std(axis=0) * rng.normal(size=points.shape)
        return parents_of(linkage(points, "ward")[:, :2].astype(np.int32))
    merges, alive = np.empty((n - 1, 2), np.int32), list(range(n))
    for k in range(n - 1):
        for side in range(2):
            at = int(rng.integers(len(alive)))
            alive[at], alive[-1] = alive[-1], alive[at]
            merges[k, side] = alive.pop()
        alive.append(n + k)
    return parents_of(merges)


def _neighbouring(parent: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Three leaves for each inner node but the root: one of each of its children, and one of its sister."""
    N = parent.size
    n = (N + 1) // 2
    leaf, coin = np.arange(N), rng.random(N) < 0.5
    child = np.full((N, 2), -1)
    for v, p in enumerate(parent.tolist()[:-1]):
        second = child[p, 0] >= 0
        child[p, int(second)] = v
        if not second or coin[v]:
            leaf[p] = leaf[v]
    u = np.arange(n, N - 1)
    pair = child[parent[u]]
    sister = np.where(pair[:, 0] == u, pair[:, 1], pair[:, 0])
    return np.stack([leaf[child[u, 0]], leaf[child[u, 1]], leaf[sister]], axis=1)
