"""Every way to cut a hierarchy, written down literally, and helpers of its tests.

Clusters are nodes, found by recursion over sets of leaves. Nothing here shares code with the package.
"""

from itertools import product

import numpy as np
from oracles import path_to_root

from tripletree.core.hierarchy import Hierarchy


def random_linkage(n, rng):
    """Random merges at random heights, as constraints can force them."""
    live, size, rows = list(range(n)), [1] * n, []
    for k, height in enumerate(rng.random(n - 1)):
        a, b = sorted(live.pop(rng.integers(len(live))) for _ in range(2))
        size.append(size[a] + size[b])
        live.append(n + k)
        rows.append([a, b, height, size[-1]])
    return np.array(rows, float).reshape(n - 1, 4)


def as_partition(labels):
    return {frozenset(np.flatnonzero(labels == k).tolist()) for k in set(labels.tolist())}


def numbered_anew(h, rng):
    """The same hierarchy with its inner nodes in another order, children still before parents."""
    waiting, ready, order = h.n_children.copy(), list(range(h.n_leaves)), []
    while ready:
        # leaves first, as they stand. Then any node whose children have all been taken
        u = ready.pop(0 if len(order) < h.n_leaves else rng.integers(len(ready)))
        order.append(u)
        p = h.parent[u]
        if p >= 0:
            waiting[p] -= 1
            if waiting[p] == 0:
                ready.append(int(p))
    number = np.empty(h.n_nodes + 1, int)
    number[order], number[-1] = np.arange(h.n_nodes), -1
    return Hierarchy(number[h.parent[order]], h.leaves)


class Choices:
    """Every way to cut, by recursion over sets of leaves: the literal definition."""

    def __init__(self, h, least):
        self.h, self.least = h, least
        self.below = [{i for i in range(h.n_leaves) if u in path_to_root(h.parent, i)} for u in range(h.n_nodes)]
        self.large = [
            [c for c in h.children(u).tolist() if len(self.below[c]) >= least] if u >= h.n_leaves else []
            for u in range(h.n_nodes)
        ]

    def proper_below(self, u):
        """The first proper node at or below u, and the small branches that lead away as far as its children."""
        small = []
        while self.large[u]:
            small += [c for c in self.h.children(u).tolist() if c not in self.large[u]]
            if len(self.large[u]) > 1:
                return u, small
            u = self.large[u][0]
        return None, []

    def of(self, u):
        """All (clusters, outliers, split nodes) below u."""
        found = [([u], [], [])]
        v, outliers = self.proper_below(u)
        for parts in product(*(self.of(c) for c in self.large[v])) if v is not None else []:
            clusters, small, split = (sum((part[k] for part in parts), []) for k in range(3))
            found.append((clusters, outliers + small, [v, *split]))
        return found

    def latest(self, k):
        """Clusters and outliers of binary hierarchies by splitting the last proper node again and again."""
        clusters, outliers = [self.h.root], []
        while len(clusters) < k:
            u = max(clusters, key=lambda u: self.proper_below(u)[0] or -1)
            v, small = self.proper_below(u)
            clusters = [x for x in clusters if x != u] + self.large[v]
            outliers += small
        return clusters, outliers

    def all(self):
        return self.of(self.h.root)

    def support(self, clusters, weights):
        return sum(
            w
            for (a, b, c), w in weights.items()
            for u in clusters
            if {a, b} <= self.below[u] and c not in self.below[u]
        )

    def lateness(self, split):
        return sum((len(self.large[v]) - 1) * v for v in split)

    def partition(self, clusters, outliers):
        """Outliers go to the largest cluster beside them, of equal ones that with the first leaf."""
        home = {u: set(self.below[u]) for u in clusters}
        for o in outliers:
            beside = [u for u in clusters if self.below[u] <= self.below[int(self.h.parent[o])]]
            home[max(beside, key=lambda u: (len(self.below[u]), -min(self.below[u])))] |= self.below[o]
        return {frozenset(x) for x in home.values()}
