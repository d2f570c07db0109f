"""The soft closure of pairs: links from the strongest to the weakest, and what chains of them conclude."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.pairs._closure import blocks

__all__ = ["SoftLinks", "soft_links"]


class SoftLinks(NamedTuple):
    """What links with strengths conclude.

    Attributes
    ----------
    must_held, cannot_held : ndarray of bool
        Which links stronger ones do not overrule.
    clash : float
        Strength of the links that contradict each other with nothing stronger to decide; 0 if none do. The others then
        hold down to this strength only, and nothing is concluded.
    total : int
        How many pairs are concluded.
    events : ndarray of float64, shape (e, 4)
        Sign, two blocks of leaves, strength: all pairs of one leaf of each block. Empty if they were not asked for.
    blocks : ndarray of int64, shape (b, 2)
        Where in `order` each block starts, and its size.
    order : ndarray of int64, shape (n,)
    """

    must_held: np.ndarray
    cannot_held: np.ndarray
    clash: float
    total: int
    events: np.ndarray
    blocks: np.ndarray
    order: np.ndarray

    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The pairs that must be together and their strengths, those that must be apart and theirs."""
        sign, strength = self.events[:, 0], self.events[:, 3]
        found = []
        for wanted in (1, -1):
            some = np.flatnonzero(sign == wanted)
            a, b = (
                self.blocks[self.events[some, 1].astype(np.int64)],
                self.blocks[self.events[some, 2].astype(np.int64)],
            )
            event, i, j = blocks(a[:, 0], a[:, 1], b[:, 0], b[:, 1])
            found += [np.stack([self.order[i], self.order[j]], axis=1), strength[some][event]]
        return found[0], found[1], found[2], found[3]


class _Clusters:
    """Leaves that hold together so far, and the clusters that each is kept apart from.

    Every cluster ever made is a block: 0..n-1 the leaves, then in the order of the merges.
    """

    def __init__(self, n: int, *, record: bool) -> None:
        self.up = list(range(n))
        self.block = list(range(n))
        self.size = [1] * n
        self.foes: dict[int, set[int]] = {}
        self.children: list[tuple[int, int]] = []
        self.record = record
        self.events: list[tuple[float, float, float, float]] = []

    def find(self, x: int) -> int:
        up = self.up
        while up[x] != x:
            up[x] = up[up[x]]
            x = up[x]
        return x

    def apart(self, x: int, y: int) -> bool:
        return y in self.foes.get(x, ())

    def separate(self, x: int, y: int, strength: float) -> None:
        """Keep two clusters apart that were not."""
        self.foes.setdefault(x, set()).add(y)
        self.foes.setdefault(y, set()).add(x)
        if self.record:
            self.events.append((-1, self.block[x], self.block[y], strength))

    def merge(self, x: int, y: int, strength: float) -> None:
        """Make one of two clusters that are not kept apart; the one with more to carry over keeps its number."""
        foes = self.foes
        mine, other = foes.get(x, set()), foes.get(y, set())
        if len(mine) < len(other):
            x, y, mine, other = y, x, other, mine
        if self.record:
            self.events.append((1, self.block[x], self.block[y], strength))
            self.events += [(-1, self.block[y], self.block[z], strength) for z in mine - other]
            self.events += [(-1, self.block[x], self.block[z], strength) for z in other - mine]
        if other:
            for z in other:
                foes[z].discard(y)
                foes[z].add(x)
            mine |= other
            foes[x] = mine
            del foes[y]
        self.up[y] = x
        self.children.append((self.block[x], self.block[y]))
        self.block[x] = len(self.up) + len(self.children) - 1
        self.size[x] += self.size[y]

    def total(self) -> int:
        """How many pairs are concluded."""
        roots = [x for x, up in enumerate(self.up) if x == up]
        together = sum(self.size[x] * (self.size[x] - 1) // 2 for x in roots)
        return together + sum(self.size[x] * self.size[z] for x, others in self.foes.items() for z in others) // 2

    def laid_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Each block's place and size in an order of the leaves in which every block is together, and that order."""
        n = len(self.up)
        where = np.ones((n + len(self.children), 2), np.int64)
        for k, (x, y) in enumerate(self.children):
            where[n + k, 1] = where[x, 1] + where[y, 1]
        inside = np.zeros(len(where), np.bool_)
        inside[[z for both in self.children for z in both]] = True
        roots = np.flatnonzero(~inside)
        where[roots, 0] = np.cumsum(where[roots, 1]) - where[roots, 1]
        for k in range(len(self.children) - 1, -1, -1):
            x, y = self.children[k]
            where[x, 0] = where[n + k, 0]
            where[y, 0] = where[n + k, 0] + where[x, 1]
        order = np.empty(n, np.int64)
        order[where[:n, 0]] = np.arange(n)
        return where, order


def soft_links(
    n: int,
    must: np.ndarray,
    must_strength: np.ndarray,
    cannot: np.ndarray,
    cannot_strength: np.ndarray,
    *,
    record: bool = False,
) -> SoftLinks:
    """Take the links from the strongest to the weakest; those of one strength together.

    A link whose ends stronger ones tie the other way is overruled, and concludes nothing. O(p log^2 p) for p links,
    and O(the pairs concluded) more where they are recorded.
    """
    state = _Clusters(n, record=record)
    rows = np.concatenate([must, cannot]).tolist()
    strength = np.concatenate([must_strength, cannot_strength])
    order = np.argsort(-strength, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(strength[order])) + 1, order.size)
    held = np.zeros(order.size, np.bool_)
    begin, clash = 0, 0.0
    for end in ends.tolist():
        level, begin = order[begin:end].tolist(), end
        if level and not _take(state, level, rows, must.shape[0], float(strength[level[0]]), held):
            clash = float(strength[level[0]])
            break
    p = must.shape[0]
    events = np.array(state.events, np.float64).reshape(-1, 4)
    where, leaves = state.laid_out() if record else (np.empty((0, 2), np.int64), np.empty(0, np.int64))
    return SoftLinks(held[:p], held[p:], clash, state.total(), events, where, leaves)


def _take(state: _Clusters, level: list[int], rows: list[list[int]], p: int, t: float, held: np.ndarray) -> bool:
    """Take the links of one strength, must-links (numbers below p) first; False where they contradict each other."""
    for k in level:
        x, y = map(state.find, rows[k])
        held[k] = not state.apart(x, y) if k < p else x != y
    accepted = [k for k in level if held[k]]
    for k in accepted:
        x, y = map(state.find, rows[k])
        if k < p and x != y:
            if state.apart(x, y):
                return False
            state.merge(x, y, t)
        elif k >= p:
            if x == y:
                return False
            if not state.apart(x, y):
                state.separate(x, y, t)
    return True
