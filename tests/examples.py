"""One zoo of hierarchies for all tests: the small worlds in full, and shapes that break careless code. And samples."""

from functools import cache

import numpy as np
from oracles import all_hierarchies

from tripletree.algorithms.induce import sample_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet


@cache
def small_world(n):
    """Every hierarchy on n leaves 0..n-1 without unary nodes, as nested tuples."""
    return list(all_hierarchies(range(n)))


def caterpillar(n):
    """A ladder: depth n - 1."""
    if n == 1:
        return Hierarchy([-1])
    return Hierarchy(np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]]))


def star(n):
    """All leaves below the root."""
    return Hierarchy([n] * n + [-1])


def balanced(n, degree=2):
    """Leaves grouped by `degree`, the groups again, up to one."""
    parent, level, fresh = [-1] * n, list(range(n)), n
    while len(level) > 1:
        above = []
        for k in range(0, len(level), degree):
            group = level[k : k + degree]
            if len(group) == 1 and len(level) > degree:
                above.append(group[0])
                continue
            for u in group:
                parent[u] = fresh
            parent.append(-1)
            above.append(fresh)
            fresh += 1
        level = above
    return Hierarchy(parent)


def yule(n, rng):
    """A random binary hierarchy: two random lineages join again and again (depth about 4 ln n)."""
    parent = np.full(2 * n - 1, -1)
    live = np.arange(n)
    for v in range(n, 2 * n - 1):
        size = 2 * n - v
        i = rng.integers(size)
        live[i], live[size - 1] = live[size - 1], live[i]
        j = rng.integers(size - 1)
        parent[live[size - 1]] = parent[live[j]] = v
        live[j] = v
    return Hierarchy(parent)


def uniform_binary(n, rng):
    """A binary hierarchy drawn uniformly: each leaf is hung on a random branch (depth about the square root of n)."""
    parent = {0: -1}
    nodes = [0]
    for leaf in range(1, n):
        u = nodes[rng.integers(len(nodes))]
        v = n + leaf - 1
        parent[v], parent[u], parent[leaf] = parent[u], v, v
        nodes += [leaf, v]
    return Hierarchy([parent[u] for u in range(2 * n - 1)] if n > 1 else [-1])


def contracted(h, share, rng):
    """The hierarchy with a share of its inner nodes removed: polytomies."""
    n, gone = h.n_leaves, np.zeros(h.n_nodes, bool)
    gone[n:-1] = rng.random(max(h.n_nodes - n - 1, 0)) < share
    up = h.parent.copy()
    for u in range(h.n_nodes - 2, -1, -1):
        if gone[up[u]]:
            up[u] = up[up[u]]
    number = np.cumsum(~gone) - 1
    kept = np.flatnonzero(~gone)
    return Hierarchy([int(number[up[u]]) if up[u] >= 0 else -1 for u in kept], h.leaves)


def two_level(n, k):
    """k clusters of about n / k leaves."""
    return Hierarchy([n + i % k for i in range(n)] + [n + k] * k + [-1])


def zoo(seed=7):
    """Pairs (name, hierarchy) without unary nodes, up to a few hundred leaves."""
    rng = np.random.default_rng(seed)
    return [
        ("one leaf", Hierarchy([-1])),
        ("cherry", star(2)),
        ("star", star(40)),
        ("caterpillar", caterpillar(150)),
        ("balanced", balanced(128)),
        ("ternary", balanced(81, 3)),
        ("two levels", two_level(90, 9)),
        ("yule", yule(200, rng)),
        ("uniform", uniform_binary(200, rng)),
        ("polytomies", contracted(yule(200, rng), 0.4, rng)),
        ("bushes on a ladder", contracted(uniform_binary(200, rng), 0.7, rng)),
        ("words", Hierarchy.from_nested([["ant", "bee"], ["cat", "dog", ["eel", "fox"]]])),
    ]


def blobs(rng, n=60, k=3, d=2, apart=8.0):
    """Samples of k classes in turn, and their classes."""
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + apart * np.eye(max(k, d))[y][:, :d], y


def planted(h, m, flips, seed):
    """m triplets of a hierarchy, a share of them with another leaf as the odd one."""
    rng = np.random.default_rng(seed)
    rows = sample_triplets(h, m, random_state=seed).rows.copy()
    wrong = rng.random(len(rows)) < flips
    odd = rng.integers(0, 2, len(rows))
    rows[wrong & (odd == 0)] = rows[wrong & (odd == 0)][:, [0, 2, 1]]
    rows[wrong & (odd == 1)] = rows[wrong & (odd == 1)][:, [1, 2, 0]]
    return TripletSet(rows, h.leaves)
