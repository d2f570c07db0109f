"""The belief about the tree of the samples while people answer, and the three samples to ask about next.

`OddOneOutClustering` calls this if people answer by a tree. Some Markov chains (``cluster/posterior.py``) walk through
trees. With each answer they go on, given all answers so far. The question is the trio about which the reached trees
disagree most, and on which most of the tree depends.

Answers are only believed if they help to foretell later answers. Each new answer is foretold twice: by the trees that
have heard all earlier answers, and by trees of the features alone. If the latter do better, or neither does better than
chance, the belief goes back to the features.
"""

from __future__ import annotations

import copy
from threading import Event

import numpy as np

from tripletree import kernels
from tripletree.cluster.odd_one_out.questions import Question
from tripletree.cluster.posterior import RIGHT, Chain, TreeSample, independent, mean_tree, parents_of
from tripletree.core.threads import side_by_side

#: Chains, the steps of each after an answer (for each leaf, and at most), and the trees that it gives meanwhile.
CHAINS, STEPS, MOST_STEPS, SHOWN = 4, 80, 8_000, 3

#: After more answers than this, steps are fewer in proportion: a step takes longer, and an answer changes less.
FULL = 1_000

#: Before the first question chains take so many times as many steps. Many answers at once are heard in so many parts.
LONG, PARTS = 5, 20

#: All chains but the first begin at Ward's tree of samples moved at random by so many standard deviations.
MOVED = 0.15

#: The number of random trios that are compared for a question, and of trees whose neighbouring clades give more trios.
TRIOS, NEIGHBOURING = 1_500, 3

#: The entropy of a trio is multiplied by the number of triplets that depend on it to this power.
HANGING = 1 / 3

#: Trees of each chain in a sample, and the steps between two of them for each leaf.
SAMPLED, APART = 25, 5

#: The share of questions drawn at random, because only random trios show how well trees foretell in general. It is 0
#: while the odds that answers help are above the first limit, and 1 while they are below the second.
PROBES, HELPFUL, USELESS = 0.1, 150.0, 0.1

#: Answers are believed until the evidence against them is greater than this ratio.
AGAINST = 20.0

#: Shares of wrong answers over which the chance of all answers is averaged.
SHARES = np.linspace(0.0025, 0.665, 266)


class TreeBeliefs:
    """Chains over trees that go on with each answer.

    Parameters
    ----------
    points : ndarray of float64, shape (r, d)
        The leaves of the trees. Without coordinates (d = 0) only answers tell trees apart.
    noise : float or None
        The share of wrong answers. None estimates it.
    seed : int
        The same seed and the same answers, heard in the same steps, give the same trees and questions.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, 3)
        The answered triplets.
    trees : ndarray of int32, shape (t, 2 r - 1)
        The trees reached since the last answer, as parents.
    foretold : ndarray of float64, shape (m, 2)
        The chance of each answer before it was heard: by the trees given all earlier answers, and by the trees of the
        features alone.
    """

    def __init__(self, points: np.ndarray, noise: float | None, seed: int) -> None:
        self.n, self.seed, self.steps = len(points), seed, min(MOST_STEPS, STEPS * len(points)) // SHOWN
        self.given, self.rows, self.foretold = noise, np.empty((0, 3), np.int32), np.empty((0, 2))
        rng = np.random.default_rng(seed)
        self.chains = []
        for k in range(CHAINS):
            start = _first_tree(points, MOVED if k else 0.0, rng)
            coordinates = independent(points, start) if points.shape[1] else points
            own = np.random.default_rng(rng.integers(2**63))
            wrong = None if noise is None else min(max(noise, 1e-9), 0.6)
            self.chains.append(Chain(coordinates, start, self.rows, np.empty(0), False, wrong, own))
        self.trees, self._shares = _walked(self.chains, SHOWN, LONG * self.steps)
        self.plain = self._walk_on() if points.shape[1] else None  # trees of the features alone, and their noise

    def hear(self, rows: np.ndarray) -> None:
        """Go on with all triplets that were answered so far."""
        new = max(len(rows) - len(self.rows), 1)
        parts = min(new, PARTS)
        for left in range(parts - 1, -1, -1):
            some = rows[: len(rows) - left * new // parts]
            self._foretell(some[len(self.foretold) :])
            for chain in self.chains:
                chain.hear(some, np.ones(len(some)))
            steps = self.steps * LONG if left == 0 and parts > 1 else self.steps * FULL // max(len(some), FULL)
            self.trees, self._shares = _walked(self.chains, SHOWN, steps)
        self.rows = rows

    def _foretell(self, rows: np.ndarray) -> None:
        """Note the chance of new answers by the trees that have not heard them."""
        if self.plain is not None and len(rows):
            chances = [_chance(trees, rows) for trees in (self.trees, self.plain[0])]
            self.foretold = np.concatenate([self.foretold, np.stack(chances, axis=1)])

    @property
    def trust(self) -> float:
        """The probability, in 0..1, that trees given the answers foretell best.

        The alternatives are trees of the features alone, and replies by chance. Both are equally probable beforehand.
        """
        if self.plain is None or not len(self.foretold):
            return 1.0
        heard, plain = (_evidence(chance, self.given)[0] for chance in self.foretold.T)
        others = np.logaddexp(plain, len(self.foretold) * np.log(1 / 3)) - np.log(2 * AGAINST)
        return float(1 / (1 + np.exp(np.clip(others - heard, -50, 50))))

    @property
    def noise(self) -> float:
        """The share of wrong answers."""
        wrong = float(self._shares.mean())
        if self.plain is None or not len(self.foretold):
            return wrong
        return self.trust * wrong + (1 - self.trust) * _evidence(self.foretold[:, 1], self.given)[1]

    def sample(self) -> TreeSample:
        """Draw a sample of trees. Copies of the chains walk for it, so it does not change later questions."""
        return TreeSample(*self._mixed(*self._walk_on()), np.arange(self.n))

    def _walk_on(self) -> tuple[np.ndarray, np.ndarray]:
        return _walked(copy.deepcopy(self.chains), SAMPLED, max(APART * self.n, self.steps))

    def _mixed(self, trees: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Replace some of the trees by trees of the features alone, more of them the less the answers are trusted."""
        few = round(len(trees) * (1 - self.trust))
        if self.plain is None or few == 0:
            return trees, shares
        kept, put = _spread(len(trees), len(trees) - few), _spread(len(self.plain[0]), few)
        return np.concatenate([trees[kept], self.plain[0][put]]), np.concatenate([shares[kept], self.plain[1][put]])

    # ------------------------------------------------------------------ the next question

    def question(self, refused: np.ndarray, busy: np.ndarray) -> Question | None:
        """Choose the trio that says most about the tree. None if the trees agree on all.

        Parameters
        ----------
        refused : ndarray of int64, shape (r, 3)
            Trios that may not be asked.
        busy : ndarray of int64
            Leaves that may not be asked about.
        """
        refused = np.unique(self._code(refused))
        rng = np.random.default_rng([self.seed, len(self.rows), len(refused)])
        trios = self._open_trios(rng, refused, busy)
        for look_closer in (False, True):
            if not len(trios):
                return None
            trees = self.sample().parents if look_closer else self._mixed(self.trees, self._shares)[0]
            odd, hanging = kernels.posterior.odd_ones(trees, trios)
            share = np.stack([(odd == k).mean(axis=0) for k in range(3)])
            told = -(share * np.log(np.maximum(share, 1e-300))).sum(axis=0)
            best = int((told * (hanging**HANGING).mean(axis=0)).argmax())
            if told[best] > 0:
                chosen = 0 if rng.random() < self._probing else best  # the first trio is drawn at random
                settled = told[chosen] / np.log(3) * 3 * np.cbrt(hanging[:, chosen]).mean()
                return Question(tuple(trios[chosen].tolist()), float(min(settled, self.n)))
        return None

    @property
    def _probing(self) -> float:
        """The chance that the next question is drawn at random."""
        odds = self.trust / (1 - self.trust) if self.trust < 1 else np.inf
        return 0.0 if odds > HELPFUL else 1.0 if odds < USELESS else PROBES

    def _code(self, trios: np.ndarray) -> np.ndarray:
        """Return a number for each trio that does not depend on its order."""
        low, middle, high = np.sort(trios, axis=1).astype(np.int64).T
        return (low * self.n + middle) * self.n + high

    def _open_trios(self, rng: np.random.Generator, refused: np.ndarray, busy: np.ndarray) -> np.ndarray:
        """Draw random trios and trios of neighbouring clades, and keep those that may be asked."""
        several = rng.integers(0, self.n, (TRIOS, 3))
        some = self.trees[rng.integers(0, len(self.trees), NEIGHBOURING)]
        trios = np.concatenate([several, *(_neighbouring(tree, rng) for tree in some)])
        a, b, c = trios.T
        kept = (a != b) & (a != c) & (b != c) & ~np.isin(trios, busy).any(axis=1)
        kept[kept] = ~np.isin(self._code(trios[kept]), refused)
        return trios[kept].astype(np.int32)


def mean_of(sample: TreeSample) -> np.ndarray:
    """Return the parents of the mean of the sampled trees."""
    t, n = len(sample.parents), sample.leaf.size
    return parents_of(mean_tree(list(sample.parents), np.ones(t), np.ones(n)))


def _chance(trees: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The share of the trees that display each triplet, as if one more tree were undecided (float64, shape (m,))."""
    odd, _ = kernels.posterior.odd_ones(trees, np.ascontiguousarray(rows))
    return ((odd == 2).sum(axis=0) + 1 / 3) / (len(trees) + 1)


def _evidence(chance: np.ndarray, noise: float | None) -> tuple[float, float]:
    """Return the log-likelihood of answers of which some are wrong, and the mean share of wrong answers.

    chance : of each answer if it is not wrong; noise : the share of wrong answers, None for its prior Beta(1, 9)
    """
    shares = SHARES if noise is None else np.array([min(max(noise, 1e-9), 0.6)])
    log = np.log((1 - shares)[:, None] * chance + shares[:, None] * (1 - chance) / 2).sum(axis=1)
    prior = (RIGHT - 1) * np.log(1 - shares)
    weight = np.exp(log + prior - (log + prior).max())
    total = (log + prior).max() + np.log(weight.sum()) - np.log(np.exp(prior).sum())
    return float(total), float(weight @ shares / weight.sum())


def _spread(n: int, k: int) -> np.ndarray:
    """Choose k of the numbers 0..n-1 at equal distances."""
    return np.arange(k) * n // max(k, 1)


def _walked(chains: list[Chain], trees: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Take trees from each chain, so many steps apart, with the share of wrong answers at each."""

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
    """Return the parents of Ward's tree of slightly moved points, or of a random tree if there are no coordinates."""
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
    """Draw three leaves for each inner node but the root: one below each child, and one below its sister."""
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
