"""The choice of the next question about groups: its answer is expected to change the clusters of most samples."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tripletree.cluster.odd_one_out.beliefs import Beliefs
from tripletree.cluster.odd_one_out.neighbours import NeighbourGraph

#: The number of samples that are compared for each question, and of groups for each sample.
CANDIDATES, GROUPS = 12, 3

#: The factor for questions whether two groups are one, because most are not.
MERGING = 0.5

#: A question worth less than this is not asked.
LEAST_GAIN = 1e-9


@dataclass(frozen=True)
class Question:
    """Samples to show.

    Attributes
    ----------
    samples : tuple of int
        Three, or two.
    gain : float
        The number of samples that the answer may settle.
    """

    samples: tuple[int, ...]
    gain: float


def node_chances(beliefs: Beliefs, of_items: np.ndarray) -> np.ndarray:
    """Return the chance of each group, and of a new one in the last column, for each node, shape (r, k + 1)."""
    ends = beliefs.at.hits @ of_items
    k = beliefs.n_groups
    p = beliefs.prior(ends[:, :k])
    met = ends[:, k:]
    return p * (1 - met) + np.eye(k + 1)[k] * met


def entropy(p: np.ndarray) -> float:
    p = p[p > 1e-12]
    return float(-(p * np.log2(p)).sum())


def ranked(x: np.ndarray) -> np.ndarray:
    """Return places in the order of falling numbers. Numbers that differ by rounding only keep their order."""
    return np.argsort(-(x / max(x.max(initial=0.0), 1e-300)).round(9), kind="stable")


class _Choice:
    """The candidates for a question, and their values."""

    def __init__(self, X: np.ndarray, graph: NeighbourGraph, beliefs: Beliefs, weight: np.ndarray, pairs: bool) -> None:
        self.X, self.graph, self.beliefs, self.weight, self.pairs = X, graph, beliefs, weight, pairs
        self.size = 2 if pairs else 3
        self.of_items = beliefs.chances()
        nodes = node_chances(beliefs, self.of_items)
        reach = beliefs.at.reach
        self.mass = beliefs.walk.mass @ beliefs.at.hits
        free = np.setdiff1d(np.arange(reach.size), beliefs.node[beliefs.items])
        # candidates: a sample for each node without an answer, and all answered samples
        self.sample = np.concatenate([graph.sample[free], beliefs.items])
        self.chance = np.concatenate([nodes[free], self.of_items])
        reach = np.concatenate([reach[free], self.mass])
        self.value = (1 - (self.chance**2).sum(axis=1)) * reach
        self.value *= weight[self.sample]
        self.free = free.size

    def first(self) -> Iterator[Question]:
        """Propose first questions: samples that most walks reach, one by one, then others in the last place."""
        walk, weight = self.beliefs.walk, self.weight[self.graph.sample]
        nodes: list[int] = []
        gain = 0.0
        for _ in range(self.size):
            reach = walk.absorbed_at(np.array(nodes, np.int64)).reach * weight
            order = ranked(reach)[: np.count_nonzero(reach > 0)]
            if not order.size:
                return
            nodes.append(int(order[0]))
            gain += float(reach[order[0]])
        for last in order.tolist():
            yield Question(tuple(self.graph.sample[[*nodes[:-1], last]].tolist()), gain)

    def shown(self, g: int) -> int:
        """Return the member that stands for a group: the nearest to the mean of members that surely belong to it."""
        beliefs = self.beliefs
        mine = np.flatnonzero(beliefs.group == g)
        sure = self.of_items[mine, g]
        mine = mine[sure >= min(0.9, sure.max())]
        points = self.X[beliefs.items[mine]]
        return int(beliefs.items[mine[np.square(points - points.mean(axis=0)).sum(axis=1).argmin()]])

    def questions(self) -> Iterator[Question]:
        """Propose questions, which are compared by their gain."""
        top = ranked(self.value)[:CANDIDATES]
        top = top[self.value[top] > LEAST_GAIN]
        k = self.beliefs.n_groups
        self.member = [self.shown(g) for g in range(k)]
        for x in top[:3].tolist():
            yield from self.about_one(x, k)
            if not self.pairs:
                yield from self.about_two(x, top, k)
        yield from self.about_blocks()

    def near(self, x: int) -> list[int]:
        """Return the likeliest groups of a candidate, without groups that it stands for itself."""
        p = self.chance[x]
        return [g for g in ranked(p[:-1])[: GROUPS + 1].tolist() if p[g] > 0 and self.member[g] != self.sample[x]][
            :GROUPS
        ]

    def about_one(self, x: int, k: int) -> Iterator[Question]:
        """Propose a sample with the groups it may belong to."""
        p, near = self.chance[x], self.near(x)
        all_ = max(entropy(p), 1e-9)
        mine = int(self.sample[x])
        for shown in itertools.combinations(near[: self.size], self.size - 1):
            told = p[list(shown)]
            share = entropy(np.append(told, max(1 - told.sum(), 0.0))) / all_
            yield Question((mine, *(self.member[g] for g in shown)), float(self.value[x] * share))

    def about_two(self, x: int, top: np.ndarray, k: int) -> Iterator[Question]:
        """Propose two samples with a group."""
        p1, near = self.chance[x], self.near(x)
        all1 = max(entropy(p1), 1e-9)
        others = top[top != x]
        nodes = self.beliefs.node[self.sample[others]]
        bonds = np.zeros(others.size)
        if x < self.free:
            open_ = others < self.free
            bonds[open_] = self.beliefs.at.bonds(int(self.beliefs.node[self.sample[x]]), nodes[open_])
        for y, bond in zip(others.tolist(), bonds.tolist(), strict=True):
            p2 = self.chance[y]
            all2 = max(entropy(p2), 1e-9)
            for g in near:
                if self.member[g] == self.sample[y]:
                    continue
                one = self.value[x] * entropy(np.array([p1[g], 1 - p1[g]])) / all1
                two = self.value[y] * (1 - bond) * entropy(np.array([p2[g], 1 - p2[g]])) / all2
                yield Question((int(self.sample[x]), int(self.sample[y]), self.member[g]), float(one + two))

    def about_blocks(self) -> Iterator[Question]:
        """Propose a group, or a part of one that a single answer ties to it, with the groups it may belong to."""
        beliefs, k = self.beliefs, self.beliefs.n_groups
        total = np.bincount(beliefs.group, self.mass, k)
        for block, odds in beliefs.blocks():
            own = int(beliefs.group[block[0]])
            p = np.exp(odds - odds.max())
            whole = block.size == np.count_nonzero(beliefs.group == own)
            if whole:
                p[own] = 0
            p /= p.sum()
            near = [g for g in ranked(p[:-1]).tolist() if p[g] > 0 and not (whole and g == own)][: self.size - 1]
            if not near:
                continue
            mass = self.mass[block].sum()
            rest = max(total[g] - (mass if g == own else 0) for g in near)
            value = min(mass, rest) * (1 - (p**2).sum()) * (MERGING / max(1.0, beliefs.lift) if whole else 1.0)
            told = p[near]
            score = value * entropy(np.append(told, max(1 - told.sum(), 0.0))) / max(entropy(p), 1e-9)
            member = self.medoid(block)
            shown = [member] + [self.member[g] if g != own else self.medoid(self.rest(own, block)) for g in near]
            if len(set(shown)) < len(shown):
                continue
            if len(shown) < self.size:  # only one group is there: another sample is the third
                third = [x for x in self.sample[ranked(self.value)].tolist() if x not in shown]
                if not third:
                    continue
                shown.append(third[0])
            yield Question(tuple(shown), float(score))

    def rest(self, g: int, block: np.ndarray) -> np.ndarray:
        return np.setdiff1d(np.flatnonzero(self.beliefs.group == g), block)

    def medoid(self, block: np.ndarray) -> int:
        items = self.beliefs.items[block]
        points = self.X[items]
        return int(items[np.square(points - points.mean(axis=0)).sum(axis=1).argmin()])

    def fallback(self) -> Iterator[Question]:
        """Propose the most valuable sample with any others."""
        order = ranked(self.value)
        order = order[self.value[order] > LEAST_GAIN]
        if not order.size:
            return
        x, others = (
            int(self.sample[order[0]]),
            [*self.member, *self.sample[order].tolist(), *self.graph.sample.tolist()],
        )
        rest = [y for y in dict.fromkeys(others) if y != x]
        for last in rest[self.size - 2 :]:
            yield Question((x, *rest[: self.size - 2], last), float(self.value[order[0]]))


def best_question(
    X: np.ndarray,
    graph: NeighbourGraph,
    beliefs: Beliefs,
    weight: np.ndarray,
    is_open: Callable[[tuple[int, ...]], bool],
    pairs: bool,
) -> Question | None:
    """Choose the question with the greatest gain. None if no question is worth asking.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
    graph : NeighbourGraph
    beliefs : Beliefs
    weight : ndarray of float64, shape (n,)
        The factor for the value of each sample. 0 if it is not to be asked about.
    is_open : callable
        Tells whether samples may be shown together.
    pairs : bool
        Whether to show two samples instead of three.
    """
    choice = _Choice(X, graph, beliefs, weight, pairs)
    if not beliefs.n_groups:
        return next((question for question in choice.first() if is_open(question.samples)), None)
    best = None
    for question in choice.questions():
        better = question.gain > LEAST_GAIN and (best is None or question.gain > best.gain * (1 + 1e-9))
        if better and is_open(question.samples):
            best = question
    if best is None:
        best = next((question for question in choice.fallback() if is_open(question.samples)), None)
    return best
