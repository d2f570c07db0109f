"""The belief about the tree of the samples while people answer, and the three samples to ask about next.

`OddOneOutClustering` calls this if people answer by a tree. Some Markov chains (``cluster/posterior.py``) walk through
trees. With each answer they go on, given all answers so far, until trees that it speaks against are replaced; trees
that agree with it are kept. The question is the trio about which the reached trees disagree most about the reply, and
on which most of the tree depends.

Answers and features may disagree for two reasons: people tell degrees of likeness, or the features do not fit the tree.
There is a kind of chains for each. Each new answer is predicted by the trees of each kind that have heard all
earlier answers, and by trees of the features alone. Trees count by how well they predict. If the trees of the features
do best, or all do no better than chance, the belief goes back to the features.
"""

from __future__ import annotations

import copy
from threading import Event
from typing import NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.cluster.odd_one_out.questions import Question
from tripletree.cluster.posterior import RIGHT, Chain, TreeSample, independent, mean_tree, parents_of, reply_chances
from tripletree.core.progress import silent
from tripletree.core.threads import side_by_side

#: Chains, the steps of each that replace all its trees (for each leaf, and at most), and these trees. With fewer steps
#: the trees are too much alike to say how probable the next answer is.
CHAINS, STEPS, MOST_STEPS, SHOWN = 4, 480, 48_000, 16

#: After more answers than this, steps and new trees are fewer in proportion, but no fewer trees than the second number:
#: a step takes longer, and an answer changes less.
FULL, FEWEST = 150, 3

#: Several answers at once are heard in at most so many parts. All parts but the last take at most so many times as many
#: steps as a single answer, together.
PARTS, EARLIER = 20, 4

#: All chains but the first begin at Ward's tree of samples moved at random by 0.15 standard deviations.
MOVED = 0.15

#: Features are taken to be measured no better than this share of their deviation: chains could not part equal rows.
BLUR = 1e-3

#: The number of random trios that are compared for a question, and of trees whose neighbouring clades give more trios.
TRIOS, NEIGHBOURING = 1_500, 3

#: They are compared by so many trees, and the best of them by all.
GLANCE, SHORTLIST = 16, 300

#: The information that a reply gives is multiplied by the number of triplets that depend on it to this power.
HANGING = 1 / 3

#: Trees of each chain in a sample, and the steps between two of them for each leaf.
SAMPLED, APART = 25, 5

#: The share of questions drawn at random, because only random trios show how well trees predict in general. It is 0
#: while the odds that answers help are above the first limit, and 1 while they are below the second.
PROBES, HELPFUL, USELESS = 0.1, 150.0, 0.1

#: Kinds of chains: the exponent of the likelihood of the features, and the chance beforehand that people go by the
#: order of heights. The first kind takes features as they are, and people may tell degrees of likeness. The second lets
#: answers overrule features that do not fit the tree.
KINDS = ((1.0, 0.5), (0.25, 1.0))

#: Answers are believed until the evidence against them is greater than this ratio.
AGAINST = 20.0

#: Shares of wrong answers over which the chance of all answers is averaged.
SHARES = np.linspace(0.0025, 0.665, 266)


class Draws(NamedTuple):
    """Trees that chains have reached, and what goes with each."""

    parents: np.ndarray  #: int32[t, 2 n - 1]
    heights: np.ndarray  #: float64[t, n - 1], of the inner nodes
    sharpness: np.ndarray  #: float64[t], of people
    wrong: np.ndarray  #: float64[t], share of replies that are wrong whatever the heights are

    def chances(self, trios: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The chance of each of the three replies to trios in each tree, and how much of the tree depends on them.

        Returns
        -------
        chance : ndarray of float64, shape (3, t, q)
        hanging : ndarray of float64, shape (t, q)
        """
        odd, ratio, hanging = engine.posterior.odd_ones(self.parents, self.heights, trios)
        named, other = reply_chances(ratio, self.sharpness[:, None], self.wrong[:, None])
        return np.stack([np.where(odd == k, named, other) for k in range(3)]), hanging

    def told(self, trios: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the reply to each trio tells about the tree, in nats, and how much of each tree depends on the trio.

        It tells nothing if all trees agree, even if not on the share of wrong replies.
        """
        chance, hanging = self.chances(trios)
        named = chance.argmax(axis=0)
        told = _entropy(chance.mean(axis=1)) - _entropy(chance).mean(axis=0)
        return np.where((named == named[:1]).all(axis=0), 0.0, told), hanging

    def spread(self, k: int, weight: np.ndarray | None = None) -> Draws:
        """Choose k trees, each as often as its weight says: some of them again if there are fewer."""
        total = np.cumsum(np.ones(len(self.parents)) if weight is None else weight)
        chosen = np.searchsorted(total, (np.arange(k) + 0.5) / max(k, 1) * total[-1])
        return Draws(*(x[chosen] for x in self))

    def holding(self, rows: np.ndarray, most: int) -> Draws:
        """Choose trees in proportion to the chance of new triplets in them, as many as these weights are worth."""
        log = np.log(self.chances(rows)[0][2]).sum(axis=1)
        weight = np.exp(log - log.max())
        return self.spread(min(most, int(weight.sum() ** 2 / (weight**2).sum() + 1e-9)), weight)

    def joined(self, other: Draws) -> Draws:
        return Draws(*map(np.concatenate, zip(self, other, strict=True)))


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
    trees, plain : list of Draws
        The trees of each kind of chains: trees reached since the last answer, and trees of the features alone.
    predicted : ndarray of float64, shape (s, 2 k)
        The log-likelihood of all answers, each predicted before it was heard, for s shares of wrong ones: by `trees` of
        each kind, and by `plain`.
    """

    def __init__(self, points: np.ndarray, noise: float | None, seed: int) -> None:
        self.n, self.seed, self.steps = len(points), seed, min(MOST_STEPS, STEPS * len(points))
        self.given, self.rows = noise, np.empty((0, 3), np.int32)
        d, rng = points.shape[1], np.random.default_rng(seed)
        if d:
            points = points + BLUR * points.std(axis=0) * np.random.default_rng((seed, 1)).normal(size=points.shape)
        kinds = KINDS if d else KINDS[:1]
        self.chains: list[list[Chain]] = [[] for _ in kinds]
        for k in range(CHAINS):
            start = _first_tree(points, MOVED if k else 0.0, rng)
            coordinates = independent(points, start) if d else points
            own = np.random.default_rng(rng.integers(2**63))
            wrong = None if noise is None else min(max(noise, 1e-9), 0.6)
            power, by_order = kinds[k % len(kinds)]
            chain = Chain(coordinates, start, self.rows, np.empty(0), wrong, own, by_order, power)
            self.chains[k % len(kinds)].append(chain)
        self.trees = _walked(self.chains, SHOWN, self.steps)
        self.plain = self._walk_on() if d else []  # trees of the features alone
        self.shares = SHARES if noise is None else np.array([min(max(noise, 1e-9), 0.6)])
        self.predicted = np.zeros((len(self.shares), len(kinds) + len(self.plain)))

    def copy(self) -> TreeBeliefs:
        """Return a belief that goes on from here by itself."""
        other = copy.copy(self)
        other.chains = copy.deepcopy(self.chains)
        return other

    def hear(self, rows: np.ndarray) -> None:
        """Go on with all triplets that were answered so far."""
        new = max(len(rows) - len(self.rows), 1)
        parts = min(new, PARTS)
        for left in range(parts - 1, -1, -1):
            some = rows[: len(rows) - left * new // parts]
            fresh, self.rows = some[len(self.rows) :], some
            self._predict(fresh)
            for chain in (chain for some in self.chains for chain in some):
                chain.hear(some, np.ones(len(some)))
            share = FULL / max(FULL, len(some))
            if parts > 1:
                share = min(share, EARLIER / (parts - 1)) if left else 1.0
            few = [len(chains) for chains in self.chains]
            kept = [x.holding(fresh, (SHOWN - FEWEST) * k) for x, k in zip(self.trees, few, strict=True)]
            held = min(len(x.parents) // k for x, k in zip(kept, few, strict=True))
            trees = max(FEWEST, min(round(SHOWN * share), SHOWN - held))
            walked = _walked(self.chains, trees, round(self.steps * trees / SHOWN))
            self.trees = [old.joined(new) for old, new in zip(kept, walked, strict=True)]

    def _predict(self, rows: np.ndarray) -> None:
        """Add the chance of new answers by the trees that have not heard them."""
        if self.plain and len(rows):
            chance = np.stack([_chance(trees, rows) for trees in (*self.trees, *self.plain)], axis=1)
            wrong = self.shares[:, None, None]
            self.predicted = self.predicted + np.log((1 - wrong) * chance + wrong * (1 - chance) / 2).sum(axis=1)

    @property
    def _by_shares(self) -> np.ndarray:
        """The same as `predicted`, with the prior Beta(1, 9) of the share of wrong answers."""
        prior = (1 - self.shares) ** (RIGHT - 1)
        return self.predicted + np.log(prior / prior.sum())[:, None]

    @property
    def _weights(self) -> np.ndarray:
        """How probable it is that each kind of trees predicts best, as in the columns of `predicted`.

        Trees of the features alone count, too, if nothing predicts better than chance.
        """
        g = len(self.trees)
        log = np.logaddexp.reduce(self._by_shares, axis=0)
        log[g:] = np.logaddexp(log[g:], -len(self.rows) * np.log(3)) - np.log(2 * AGAINST)
        if not len(self.rows):
            log[g:] = -np.inf
        return np.exp(log - np.logaddexp.reduce(log))

    @property
    def trust(self) -> float:
        """The probability, in 0..1, that trees given the answers predict best.

        The alternatives are trees of the features alone, and replies by chance. Both are equally probable beforehand.
        """
        return float(self._weights[: len(self.trees)].sum())

    @property
    def noise(self) -> float:
        """The share of wrong answers."""
        heard = [some.wrong.mean() for some in self.trees]
        log = self._by_shares[:, len(heard) :]
        plain = self.shares @ np.exp(log - np.logaddexp.reduce(log, axis=0))
        return float(self._weights @ np.concatenate([heard, plain]))

    def sample(self) -> TreeSample:
        """Draw a sample of trees. Copies of the chains walk for it, so it does not change later questions."""
        some = self._mixed(self._walk_on())
        return TreeSample(some.parents, some.wrong, np.ones(len(some.wrong)), np.arange(self.n))

    def _walk_on(self) -> list[Draws]:
        return _walked(copy.deepcopy(self.chains), SAMPLED, SAMPLED * max(APART * self.n, self.steps // SHOWN))

    def _mixed(self, trees: list[Draws]) -> Draws:
        """Mix trees that have heard the answers with trees of the features alone, by their weights."""
        total = sum(len(some.parents) for some in trees)
        ends = np.rint(total * np.cumsum(self._weights)).astype(int)
        every = [*trees, *self.plain]
        few = np.diff(ends, prepend=0).tolist()
        return Draws(*map(np.concatenate, zip(*(x.spread(k) for x, k in zip(every, few, strict=True)), strict=True)))

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
            trees = self._mixed(self._walk_on() if look_closer else self.trees)
            if len(trios) > SHORTLIST and not look_closer:
                told, hanging = trees.spread(GLANCE).told(trios)
                worth = told * (hanging**HANGING).mean(axis=0)
                worth[0] = np.inf  # the first trio is drawn at random
                trios = trios[np.argsort(-worth, kind="stable")[:SHORTLIST]]
            told, hanging = trees.told(trios)
            best = int((told * (hanging**HANGING).mean(axis=0)).argmax())
            if told[best] > 0:
                chosen = 0 if rng.random() < self._probing else best
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
        """Draw random trios and trios of neighbouring clades, and keep the trios that may be asked."""
        several = rng.integers(0, self.n, (TRIOS, 3))
        reached = self._mixed(self.trees).parents
        some = reached[rng.integers(0, len(reached), NEIGHBOURING)]
        trios = np.concatenate([several, *(_neighbouring(tree, rng) for tree in some)])
        a, b, c = trios.T
        kept = (a != b) & (a != c) & (b != c) & ~np.isin(trios, busy).any(axis=1)
        kept[kept] = ~np.isin(self._code(trios[kept]), refused)
        return trios[kept].astype(np.int32)


def mean_of(sample: TreeSample) -> np.ndarray:
    """Return the parents of the mean of the sampled trees."""
    t, n = len(sample.parents), sample.leaf.size
    return parents_of(mean_tree(list(sample.parents), np.ones(t), np.ones(n)))


def _chance(trees: Draws, rows: np.ndarray) -> np.ndarray:
    """The chance of each triplet, as if one more tree were undecided (float64, shape (m,))."""
    return (trees.chances(rows)[0][2].sum(axis=0) + 1 / 3) / (len(trees.parents) + 1)


def _entropy(chance: np.ndarray) -> np.ndarray:
    return -(chance * np.log(np.maximum(chance, 1e-300))).sum(axis=0)


def _walked(chains: list[list[Chain]], trees: int, steps: int) -> list[Draws]:
    """Take `steps` steps of each chain, and trees at equal distances. Return draws for each list of chains."""

    def walk(i: int, stop: Event) -> list[tuple[np.ndarray, np.ndarray, float, float]]:
        found, chain = [], every[i]
        for _ in range(trees):
            if stop.is_set():
                break
            chain.go_on(steps // trees)
            found.append((chain.tree(), chain.heights, chain.sharpness, chain.wrong))
        chain.begin()
        return found

    every = [chain for some in chains for chain in some]
    found = iter(side_by_side(walk, len(every), silent))
    return [Draws(*map(np.array, zip(*(x for _ in some for x in next(found)), strict=True))) for some in chains]


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
