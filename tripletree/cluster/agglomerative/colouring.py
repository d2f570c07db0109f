"""One of k clusters for each clade, not the same for two that are kept apart, kept up while clades merge."""

from __future__ import annotations

import numpy as np

from tripletree.cluster.feasibility import ADVICE, CannotGraph, NotColourable, too_few_clusters
from tripletree.core.pair_closure import PairClosure

_FIRST_STEPS = 100_000  # of the search for a first colouring, in each connected part of the cannot-links
_STEPS = 10_000  # the same for each merge that is tried


class Colouring:
    """A colouring of clades with k colours, kept up while clades merge. Clades that are kept apart differ in colour.

    As long as there is one, merges can go on to k clusters that violate no cannot-link: two clades of one colour may
    always be merged. Every other merge needs a colouring in which its two clades have the same colour: found by an
    exchange of two colours among some clades, or by a bounded search. The search is exhaustive except for its limit of
    steps, so a rejected merge would, but for that, have left no way to k clusters.

    Parameters
    ----------
    closure : PairClosure
    k : int
    """

    def __init__(self, closure: PairClosure, k: int) -> None:
        self.k, self._rng = k, np.random.default_rng(0)
        self._cannot = closure.cannot
        self._group_colour = np.zeros(closure.n_components, np.int64)
        graph = CannotGraph(closure.cannot, closure.n_components)
        if graph.bound.size:
            try:
                self._group_colour[graph.bound] = graph.colour(k, self._rng, _FIRST_STEPS)
            except NotColourable as reason:
                msg = f"n_clusters={k} are too few for the cannot-links"
                advice = f"ask for more, or set {ADVICE}"
                raise too_few_clusters(msg, k, reason, closure, advice) from None
        self.colour = self._group_colour

    def count_compatible(self, merges: np.ndarray) -> int:
        """How many of the first merges leave a colouring, by bisection. Groups get the colours of their clusters."""
        n = self._group_colour.size
        low, high = 0, len(merges)
        probe = high
        while low < high:
            part, node = find_roots(merges[:probe], n)
            colour = self._find(part[self._cannot], node.size)
            if colour is None:
                high = probe - 1
            else:
                low, self._group_colour = probe, colour[part]
            probe = (low + high + 1) // 2
        return low

    def start(self, part: np.ndarray, apart: np.ndarray) -> bool:
        """Colour the roots of all groups, anew if answers do not allow their colours. Return whether that succeeded.

        Parameters
        ----------
        part : ndarray of int, shape (N,)
            The root of each group, after at most as many merges as `count_compatible` returned.
        apart : ndarray of bool, shape (r, r)
        """
        self.colour = np.zeros(len(apart), np.int64)
        self.colour[part] = self._group_colour
        return not (apart & (self.colour[:, None] == self.colour)).any() or self._search(
            apart, np.ones(len(apart), bool)
        )

    def try_merge(self, i: int, j: int, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Give two clades that are not apart the same colour, if possible."""
        if self.colour[i] == self.colour[j] or any(self._swap(*pair, apart, alive) for pair in ((i, j), (j, i))):
            return True
        one = apart.copy()
        one[i] |= one[j]
        one[:, i] |= one[:, j]
        live = alive.copy()
        live[j] = False
        if not self._search(one, live):
            return False
        self.colour[j] = self.colour[i]
        return True

    def try_separate(self, i: int, j: int, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Give two clades, apart from now on, different colours, if possible."""
        return bool(self.colour[i] != self.colour[j]) or self._search(apart, alive)

    def _swap(self, i: int, j: int, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Give i the colour of j: all clades connected with i swap the two colours, unless j is one of them."""
        both = alive & ((self.colour == self.colour[i]) | (self.colour == self.colour[j]))
        tied = np.zeros(both.size, bool)
        tied[i] = True
        new = np.array([i])
        while new.size:
            new = np.flatnonzero(apart[new].any(axis=0) & both & ~tied)
            tied[new] = True
        if tied[j]:
            return False
        self.colour[tied] = self.colour[i] + self.colour[j] - self.colour[tied]
        return True

    def _search(self, apart: np.ndarray, alive: np.ndarray) -> bool:
        """Find a colouring of all that are alive."""
        live = np.flatnonzero(alive)
        colour = self._find(np.argwhere(np.triu(apart[np.ix_(live, live)])), live.size)
        if colour is None:
            return False
        self.colour[live] = colour
        return True

    def _find(self, ends: np.ndarray, n: int) -> np.ndarray | None:
        """Find a colouring of n nodes, with edges that may occur twice, or None."""
        if n <= self.k:
            return np.arange(n)
        colour = np.zeros(n, np.int64)
        graph = CannotGraph(np.unique(np.sort(ends, axis=1), axis=0), n)
        if graph.bound.size:
            try:
                colour[graph.bound] = graph.colour(self.k, self._rng, _STEPS, explain=False)
            except NotColourable:
                return None
        return colour


def find_roots(merges: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the clusters of n leaves: the root of each, numbered by first leaves, and the node of each root."""
    root = np.arange(n + len(merges))
    children = merges[:, :2].astype(np.intp)
    for k in range(len(merges) - 1, -1, -1):
        root[children[k]] = root[n + k]
    node, first, part = np.unique(root[:n], return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return rank[part].astype(np.int64), node[order]
