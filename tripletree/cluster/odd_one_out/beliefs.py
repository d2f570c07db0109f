"""The likeliest groups of the answered samples, given answers that may be wrong in part."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tripletree.cluster.odd_one_out.walk import AbsorbingWalk
from tripletree.core.answers import ALIKE, DIFFERENT, UNSURE
from tripletree.core.labels import in_order_of_first

#: Whether samples 0 and 1, 0 and 2, 1 and 2 are of one group, for each reply (0, 1, 2: the odd one; alike; different).
TOGETHER = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]], bool)

#: The number of wrong replies to two and to three samples. All wrong replies are equally likely.
WRONG = {2: 1, 3: 4}

#: Right and wrong answers that the estimate of the noise counts in advance.
RIGHT, MISTAKEN = 30.0, 0.5

#: The least noise, so that no single answer is beyond all doubt.
LEAST_NOISE = 1e-6

#: The share of the dying walks that counts for a group not seen yet, and the least chance of such a group.
NOVELTY, LEAST_NOVELTY = 0.5, 5e-4

#: Samples of new groups that the estimate of their frequency counts in advance, as many as expected.
CAUTION = 2.0

#: The most sweeps over all samples and blocks after each answer.
SWEEPS = 10

#: Passes over all components when many answers are heard at once.
PASSES = 5


class Beliefs:
    """Groups of answered samples, kept up to date answer by answer.

    The groups maximise the product of two chances: the chance of the answers, each wrong with probability
    `noise`, and the chance of a walk from each answered sample to meet its own group first.

    Parameters
    ----------
    walk : AbsorbingWalk
    node : ndarray of int, shape (n,)
        The node of each sample.
    noise : float or None
        The share of wrong answers. None estimates it.

    Attributes
    ----------
    items : ndarray of int, shape (a,)
        The answered samples.
    group : ndarray of int, shape (a,)
        The likeliest group of each answered sample, 0..k-1.
    rows : ndarray of int, shape (m, 3)
        The samples of each answer, as positions in `items`. The third is -1 if two samples were shown.
    replies : ndarray of int, shape (m,)
    noise : float
    """

    def __init__(self, walk: AbsorbingWalk, node: np.ndarray, noise: float | None) -> None:
        self.walk, self.node, self.given_noise = walk, node, noise
        self.items, self.group = np.empty(0, np.int64), np.empty(0, np.int64)
        self.rows, self.replies = np.empty((0, 3), np.int64), np.empty(0, np.int64)
        self.place: dict[int, int] = {}
        self._known_blocks: tuple[Any, list] = (None, [])
        self.expected = np.empty(0)
        self.at = walk.absorbed_at(self.items)
        self._estimate_noise()

    @property
    def n_groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    # ------------------------------------------------------------------ answers

    def add(self, row: np.ndarray, reply: int) -> None:
        """Take in an answer: the samples (the third is -1 if two were shown) and the reply."""
        if reply == UNSURE:
            return
        shown = [int(x) for x in row if x >= 0]
        fresh = [x for x in shown if x not in self.place]
        ends = self.at.hits[self.node[fresh]] @ np.eye(self.n_groups)[self.group]
        expected = self.prior(ends)[:, -1] if len(self.rows) else np.full(len(fresh), np.nan)
        self.expected = np.append(self.expected, expected)
        for x in fresh:
            self.place[x] = len(self.place)
        self.items = np.append(self.items, np.array(fresh, np.int64))
        self.group = np.append(self.group, self.n_groups + np.arange(len(fresh)))
        if fresh:
            self.at = self.walk.absorbed_at(self.node[self.items])
        places = [self.place[x] for x in shown]
        self.rows = np.concatenate([self.rows, [places + [-1] * (3 - len(places))]])
        self.replies = np.append(self.replies, reply)
        self._known_blocks = None, []
        self._obey(places, TOGETHER[reply], [self.place[x] for x in fresh])
        self._improve()
        self._estimate_noise()

    def add_components(self, items: np.ndarray, part: np.ndarray, apart: np.ndarray) -> None:
        """Take in many certain answers at once, before any other answer.

        In several passes each component joins the group that is likeliest by the walks, or makes a group of its own.

        Parameters
        ----------
        items : ndarray of int, shape (a,)
        part : ndarray of int, shape (a,)
            The must-linked component of each item, numbered by first occurrence.
        apart : ndarray of bool, shape (c, c)
            Which components are cannot-linked.
        """
        self.items, self.expected = items, np.full(items.size, np.nan)
        self.place = {int(x): i for i, x in enumerate(items)}
        self.at = self.walk.absorbed_at(self.node[items])
        self.group = part
        c = len(apart)
        member = np.eye(c)[part]
        ends = (member / member.sum(axis=0)).T @ self.at.without_itself @ member
        group = np.arange(c)
        for x in np.tile(group, PASSES):
            names = np.unique(np.delete(group, x))
            among = group[:, None] == names
            among[x] = False
            chance = self.prior(ends[[x]] @ among)[0]
            chance[:-1][apart[x] @ among] = 0
            group[x] = np.append(names, np.setdiff1d(np.arange(c + 1), names)[0])[chance.argmax()]
        first = np.unique(part, return_index=True)[1]
        rest = np.setdiff1d(np.arange(items.size), first)
        rows = [np.column_stack([first[part[rest]], rest, np.full(rest.size, ALIKE)])]
        for g in np.unique(group):  # each component needs only one cannot-link to each other group
            mine = np.flatnonzero(group == g)
            some = np.flatnonzero(apart[:, mine].any(axis=1))
            other = mine[apart[np.ix_(some, mine)].argmax(axis=1)]
            rows.append(np.column_stack([first[some], first[other], np.full(some.size, DIFFERENT)]))
        links = np.concatenate(rows)
        self.rows, self.replies = np.column_stack([links[:, :2], np.full(len(links), -1)]), links[:, 2]
        self.group = in_order_of_first(group[part])
        self._improve()
        self._estimate_noise()

    def copy(self) -> Beliefs:
        """Return beliefs that go on from here by themselves."""
        other = copy.copy(self)
        other.place = self.place.copy()
        return other

    def state(self) -> tuple:
        """Return the state that `restore` needs to forget later answers."""
        return self.items.size, len(self.rows), self.group, self.noise

    def restore(self, state: tuple) -> None:
        """Forget all answers after a state."""
        a, m, self.group, self.noise = state
        self._known_blocks = None, []
        self.rows, self.replies = self.rows[:m], self.replies[:m]
        if a < self.items.size:
            for x in self.items[a:].tolist():
                del self.place[x]
            self.items, self.expected = self.items[:a], self.expected[:a]
            self.at = self.walk.absorbed_at(self.node[self.items])

    def _estimate_noise(self) -> None:
        if self.given_noise is not None:
            self.noise = max(float(self.given_noise), LEAST_NOISE)
        else:
            wrong = np.count_nonzero(~self.satisfied(self.group))
            self.noise = (MISTAKEN + wrong) / (MISTAKEN + RIGHT + len(self.rows))

    def _obey(self, places: list[int], together: np.ndarray, fresh: list[int]) -> None:
        """Try changes that make the last answer hold: join groups, move samples, take groups apart."""
        pairs = [(0, 1), (0, 2), (1, 2)] if len(places) == 3 else [(0, 1)]
        start, options = self.group, [self.group]
        if fresh:  # unless the answer decides, a new sample joins the group where walks from it end
            likely = self.conditionals()
            for x in fresh:
                own = self.group[x]
                g = int(likely[x].argmax())
                if g < own:
                    start = np.where(np.arange(start.size) == x, g, start)
        options = [self.group, start]
        for (i, j), same in zip(pairs, together, strict=False):
            more = []
            for group in options:
                a, b = places[i], places[j]
                if same and group[a] != group[b]:
                    more.append(np.where(group == group[a], group[b], group))
                    more += [_moved(group, a, group[b]), _moved(group, b, group[a])]
                elif not same and group[a] == group[b]:
                    free = group.max() + 1
                    more += [_moved(group, a, free), _moved(group, b, free)]
                    tied = self.tied()
                    more += [_moved(group, (group == group[a]) & (tied == tied[x]), free) for x in (a, b)]
            options += more
        scores = [self.score(x) for x in options]
        self.group = in_order_of_first(options[int(np.argmax(scores))])

    def _improve(self) -> None:
        """Move samples and blocks while the score rises."""
        best = self.score(self.group)
        for _ in range(SWEEPS):
            before = best
            own = np.arange(self.group.size)
            odds = self.conditionals()
            k = self.n_groups
            alone = np.bincount(self.group)[self.group] == 1
            current = np.where(alone, odds[own, k], odds[own, self.group])
            gain = odds.max(axis=1) - current
            for x in np.argsort(-gain, kind="stable")[:20]:
                if gain[x] <= 1e-9:
                    break
                trial = _moved(self.group, x, int(odds[x].argmax()))
                score = self.score(trial)
                if score > best + 1e-9:
                    best, self.group = score, trial
            self.group = in_order_of_first(self.group)
            for block, odd in self.blocks():
                g = int(odd.argmax())
                trial = self.group.copy()
                trial[block] = g
                score = self.score(trial)
                if score > best + 1e-9:
                    best, self.group = score, in_order_of_first(trial)
                    break
            if best <= before + 1e-9:
                return

    # ------------------------------------------------------------------ how likely

    def satisfied(self, group: np.ndarray) -> np.ndarray:
        """Tell for groups of shape (..., a) whether each answer holds (ndarray of bool, shape (..., m))."""
        a, b, c = (group[..., x] for x in self.rows.T)
        want, two = TOGETHER[self.replies].T, self.rows[:, 2] < 0
        return ((a == b) == want[0]) & (two | (((a == c) == want[1]) & ((b == c) == want[2])))

    @property
    def weights(self) -> np.ndarray:
        """The log-odds of each answer, if it holds against if it does not (ndarray of float64, shape (m,))."""
        ways = np.where(self.rows[:, 2] >= 0, WRONG[3], WRONG[2])
        return np.log(ways * (1 - self.noise) / self.noise)

    def score(self, group: np.ndarray) -> float:
        """Return the log-likelihood of some groups, up to a constant."""
        return float(self.weights @ self.satisfied(group)) + self.fit(group)

    def fit(self, group: np.ndarray) -> float:
        """Return the sum of the logarithms of how probable walks make the group of each sample, given all others."""
        k = int(group.max(initial=-1)) + 1
        chance = self.prior(self.at.without_itself @ np.eye(k)[group])
        alone = np.bincount(group, minlength=k)[group] == 1
        own = chance[np.arange(group.size), np.where(alone, k, group)]
        return float(np.log(np.maximum(own, 1e-300)).sum())

    @property
    def lift(self) -> float:
        """How many times more often than expected an answered sample was the first of its group."""
        told = ~np.isnan(self.expected)
        first = np.zeros(self.group.size, bool)
        first[np.unique(self.group, return_index=True)[1]] = True
        return (CAUTION + np.count_nonzero(first & told)) / (CAUTION + self.expected[told].sum())

    def prior(self, ends: np.ndarray) -> np.ndarray:
        """Return the chance of each group, and of a new one in the last column, given where walks end, shape (., k)."""
        k = ends.shape[1]
        dead = np.clip(1 - ends.sum(axis=1, keepdims=True), 0, 1)
        new = self.lift * NOVELTY * np.maximum(dead, LEAST_NOVELTY / NOVELTY)
        p = np.hstack([ends + (1 - NOVELTY) * dead / max(k, 1), new])
        return p / p.sum(axis=1, keepdims=True)

    def conditionals(self) -> np.ndarray:
        """Return the log-likelihood of each group for each sample, given the groups of all others, shape (a, k + 1).

        The last column stands for a new group.
        """
        k, group = self.n_groups, self.group
        out = np.log(np.maximum(self.prior(self.at.without_itself @ np.eye(k)[group]), 1e-300))
        options = np.arange(k + 1)
        want, weight = TOGETHER[self.replies], self.weights
        three = self.rows[:, 2] >= 0
        for s, u, v, su, sv, uv in ((0, 1, 2, 0, 1, 2), (1, 0, 2, 0, 2, 1), (2, 0, 1, 1, 2, 0)):
            some = three if s == 2 else np.ones(three.size, bool)
            x, y, z = self.rows[some, s], self.rows[some, u], self.rows[some, v]
            good = (group[y][:, None] == options) == want[some, su][:, None]
            rest = ((group[z][:, None] == options) == want[some, sv][:, None]) & (
                (group[y] == group[z]) == want[some, uv]
            )[:, None]
            good &= rest | ~three[some][:, None]
            np.add.at(out, x, good * weight[some][:, None])
        return out

    def blocks(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return blocks of samples that may move as a whole, with the log-likelihood of each group for each block.

        A block is a group, a part of one that answers tie together, or a part that a single answer ties to the rest.
        """
        key = self.group.tobytes(), self.noise
        if self._known_blocks[0] != key:
            self._known_blocks = key, self._blocks()
        return self._known_blocks[1]

    def _blocks(self) -> list[tuple[np.ndarray, np.ndarray]]:
        k = self.n_groups
        found: dict[bytes, None] = {}
        for g in range(k):
            found[np.flatnonzero(self.group == g).tobytes()] = None
        tied = self.tied()
        parts = [np.flatnonzero(tied == t) for t in np.flatnonzero(np.bincount(tied) > 1)]
        for block in (*parts, *self._hanging()):
            found[block.tobytes()] = None
        out = []
        for key in found:
            block = np.frombuffer(key, np.int64)
            out.append((block, self.block_odds(block)))
        return out

    def block_odds(self, block: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of each group for a block of samples as a whole, shape (k + 1,)."""
        k = self.n_groups
        ends = self.at.without(block) @ np.eye(k)[self.group]
        out = np.log(np.maximum(self.prior(ends).mean(axis=0), 1e-300))
        trial = np.tile(self.group, (k + 1, 1))
        trial[:, block] = np.arange(k + 1)[:, None]
        return out + self.satisfied(trial) @ self.weights

    def tied(self) -> np.ndarray:
        """Number the parts of groups that answers tie together, as far as they hold (ndarray of int, shape (a,))."""
        part = np.arange(self.items.size)
        held = self.satisfied(self.group)
        for row, reply in zip(self.rows[held], self.replies[held], strict=True):
            for (s, u), same in zip(((0, 1), (0, 2), (1, 2)), TOGETHER[reply], strict=True):
                if same and row[u] >= 0 and part[row[s]] != part[row[u]]:
                    part[part == part[row[u]]] = part[row[s]]
        return np.unique(part, return_inverse=True)[1]

    def _hanging(self) -> list[np.ndarray]:
        """Find parts of at most half a group that would come off if a single answer were not believed.

        In a graph each answer is joined to the items that it puts together. An answer that is a cut vertex of the graph
        cuts off such a part.
        """
        held = np.flatnonzero(self.satisfied(self.group) & TOGETHER[self.replies].any(axis=1))
        a = self.items.size
        joined: list[list[int]] = [[] for _ in range(a + held.size)]
        for vertex, i in enumerate(held.tolist(), a):
            together = TOGETHER[self.replies[i]]
            for place, same in zip(
                self.rows[i].tolist(), (together[[0, 1]], together[[0, 2]], together[1:]), strict=True
            ):
                if place >= 0 and same.any():
                    joined[vertex].append(place)
                    joined[place].append(vertex)
        size = np.bincount(self.group)
        return [part for part in _cut_off(joined, a) if 1 < part.size <= size[self.group[part[0]]] / 2]

    def chances(self) -> np.ndarray:
        """Return the chance of each group for each answered sample, shape (a, k + 1). The last is a new group."""
        odds = self.conditionals()
        chance = np.exp(odds - odds.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        k = self.n_groups
        alone = np.flatnonzero(np.bincount(self.group, minlength=k)[self.group] == 1)
        chance[alone, self.group[alone]] += chance[alone, k]
        chance[alone, k] = 0
        return chance


def _moved(group: np.ndarray, x: int | np.ndarray, g: int) -> np.ndarray:
    group = group.copy()
    group[x] = g
    return group


def _cut_off(joined: list[list[int]], n_items: int) -> list[np.ndarray]:
    """Find the items, sorted, that each vertex from `n_items` on cuts off from the first item of its component.

    This is a depth-first search without recursion. A cut vertex c cuts off the subtree of a child if no edge leads from
    it back beyond c (Hopcroft and Tarjan 1973).
    """
    n = len(joined)
    number, low, parent = [-1] * n, [0] * n, [-1] * n
    order: list[int] = []
    found = []
    for root in range(n_items):
        if number[root] >= 0:
            continue
        stack = [(root, iter(joined[root]))]
        number[root] = low[root] = len(order)
        order.append(root)
        while stack:
            v, more = stack[-1]
            for w in more:
                if number[w] < 0:
                    parent[w] = v
                    number[w] = low[w] = len(order)
                    order.append(w)
                    stack.append((w, iter(joined[w])))
                    break
                if w != parent[v]:
                    low[v] = min(low[v], number[w])
            else:
                stack.pop()
                c = parent[v]
                if c < 0:
                    continue
                low[c] = min(low[c], low[v])
                if c >= n_items and low[v] >= number[c]:
                    found.append(np.sort([x for x in order[number[v] :] if x < n_items]))
    return found
