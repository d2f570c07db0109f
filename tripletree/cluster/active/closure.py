"""The closure of answers: which samples are must-linked or cannot-linked, and which answers contradict each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from tripletree.core.pairs import PairwiseConstraints


class AnswerClosure:
    """The closure of answers, added one at a time, over the samples 0..n-1. Samples in no answer take no memory.

    An answer that contradicts the consequences of earlier ones is reported and not added.

    Parameters
    ----------
    n : int
        Number of samples.

    Attributes
    ----------
    n : int
    unknown : set of (int, int)
        Pairs, smaller first, about which the oracle did not know.

    Notes
    -----
    Union-find with path halving. When two components merge, the cannot-links of the one with fewer members and
    cannot-links move to the other. An answer takes nearly constant time, the path of a contradiction O(answers).

    Examples
    --------
    >>> known = AnswerClosure(5)
    >>> known.add(0, 1, True), known.add(1, 2, False)
    (None, None)
    >>> known.implied(0, 2), known.implied(0, 3)
    (False, None)
    >>> known.add(2, 0, True)
    [2, 0, 1]
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.unknown: set[tuple[int, int]] = set()
        self._up: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}
        self._cannot_linked: dict[int, set[int]] = {}
        self._links: dict[int, list[int]] = {}
        self._cannot: list[tuple[int, int]] = []

    @classmethod
    def of(cls, pairs: PairwiseConstraints, unknown: Iterable[Iterable[int]] = ()) -> AnswerClosure:
        """Return a closure of pairs, must-links first. A cannot-link that contradicts them is left out."""
        known = cls(len(pairs.leaves))
        for rows, answer in ((pairs.must_link, True), (pairs.cannot_link, False), (unknown, None)):
            for i, j in rows.tolist() if isinstance(rows, np.ndarray) else rows:
                known.add(int(i), int(j), answer)
        return known

    def find(self, i: int) -> int:
        """Return the sample that stands for the component of sample i."""
        up = self._up
        if i not in up:
            return i
        while up[i] != i:
            up[i] = up[up[i]]
            i = up[i]
        return i

    def implied(self, i: int, j: int) -> bool | None:
        """True if i and j are must-linked (True) or cannot-linked (False) by the answers. None if neither follows."""
        a, b = self.find(i), self.find(j)
        if a == b:
            return True
        return False if b in self._cannot_linked.get(a, ()) else None

    def is_open(self, i: int, j: int) -> bool:
        """If True, ask about i and j: no answer follows, and the oracle has not answered None before."""
        return self.implied(i, j) is None and (min(i, j), max(i, j)) not in self.unknown

    def add(self, i: int, j: int, answer: bool | None) -> list[int] | None:
        """Add an answer.

        Returns
        -------
        list of int or None
            None if it agrees. Else the contradiction: samples along must-links, from one end of a cannot-link to its
            other end. One of the links is the answer itself, which is not added.
        """
        for x in (i, j):
            if x not in self._up:
                self._up[x], self._members[x], self._cannot_linked[x] = x, [x], set()
        if answer is None:
            self.unknown.add((min(i, j), max(i, j)))
            return None
        said = self.implied(i, j)
        if said is not None and said != answer:
            return self._path(i, j) if said else self._detour(i, j)
        if answer:
            self._links.setdefault(i, []).append(j)
            self._links.setdefault(j, []).append(i)
            if said is None:
                self._merge(self.find(i), self.find(j))
        else:
            self._cannot.append((i, j))
            self._cannot_linked[self.find(i)].add(self.find(j))
            self._cannot_linked[self.find(j)].add(self.find(i))
        return None

    def _merge(self, a: int, b: int) -> None:
        if len(self._members[a]) + len(self._cannot_linked[a]) < len(self._members[b]) + len(self._cannot_linked[b]):
            a, b = b, a
        self._up[b] = a
        self._members[a] += self._members.pop(b)
        for c in self._cannot_linked.pop(b):
            self._cannot_linked[c].remove(b)
            self._cannot_linked[c].add(a)
            self._cannot_linked[a].add(c)

    def _detour(self, i: int, j: int) -> list[int]:
        """From one end of a cannot-link between the components of i and j to its other end, over i - j."""
        a, b = self.find(i), self.find(j)
        for u, v in self._cannot:
            if (self.find(u), self.find(v)) == (b, a):
                u, v = v, u
            if (self.find(u), self.find(v)) == (a, b):
                return self._path(u, i) + self._path(j, v)
        raise AssertionError  # some cannot-link is between the two components

    def _path(self, i: int, j: int) -> list[int]:
        """Return a shortest path of must-links."""
        before, queue = {i: i}, deque([i])
        while j not in before:
            x = queue.popleft()
            for y in self._links[x]:
                if y not in before:
                    before[y] = x
                    queue.append(y)
        way = [j]
        while way[-1] != i:
            way.append(before[way[-1]])
        return way[::-1]

    # ------------------------------------------------------------------ components

    def groups(self) -> list[list[int]]:
        """Return the components of all samples in answers: the largest first, then by their first samples."""
        return sorted((sorted(x) for x in self._members.values()), key=lambda x: (-len(x), x[0]))

    def has_cannot_links(self, i: int) -> bool:
        """Tell whether some sample is cannot-linked to i."""
        return bool(self._cannot_linked.get(self.find(i)))

    def used(self) -> np.ndarray:
        """Return the samples in some answer, ascending (int64)."""
        return np.array(sorted(self._up), np.int64)

    def components(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the components of some samples, as numbers 0..c-1, and a c x c mask of cannot-linked components."""
        number: dict[int, int] = {}
        part = np.array([number.setdefault(self.find(int(i)), len(number)) for i in rows], np.int64)
        apart = np.zeros((len(number), len(number)), np.bool_)
        for a, k in number.items():
            others = [number[b] for b in self._cannot_linked.get(a, ()) if b in number]
            apart[k, others] = True
        return part, apart

    def n_open(self) -> int:
        """Number of pairs of samples that are still worth asking about."""
        size = {a: len(x) for a, x in self._members.items()}
        settled = sum(s * (s - 1) for s in size.values())
        settled += sum(size[a] * size[b] for a, others in self._cannot_linked.items() for b in others)
        vain = sum(self.implied(i, j) is None for i, j in self.unknown)
        return (self.n * (self.n - 1) - settled) // 2 - vain

    def open_pairs(self, n: int, rng: Any) -> np.ndarray:
        """Return at most n different pairs worth asking about, drawn at random. Empty only if no pair is open."""
        n = min(n, self.n_open())
        found: dict[tuple[int, int], None] = {}
        for _ in range(20):  # draws of samples, while most pairs are open
            if len(found) >= n:
                break
            for i, j in np.sort(rng.integers(0, self.n, (2 * n + 8, 2)), axis=1).tolist():
                if len(found) < n and i != j and self.is_open(i, j):
                    found[i, j] = None
        if not found and n:
            left = self._between_components()
            for k in rng.permutation(len(left))[:n].tolist():
                found[left[k]] = None
        return np.array(list(found), np.int64).reshape(-1, 2)

    def _between_components(self) -> list[tuple[int, int]]:
        """One open pair for each two components that have one, with at most 500 of the samples in no answer."""
        loose = np.setdiff1d(np.arange(self.n), self.used())[:500]
        groups = self.groups() + [[i] for i in loose.tolist()]
        found = []
        for k, one in enumerate(groups):
            for other in groups[:k]:
                if self.implied(one[0], other[0]) is None:
                    pairs = ((min(i, j), max(i, j)) for i in one for j in other)
                    found += [x for x in [next((p for p in pairs if self.is_open(*p)), None)] if x is not None]
        return found
