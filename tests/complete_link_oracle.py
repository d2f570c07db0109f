"""Constrained complete link as the paper lists it, slow and plain, with its two slips mended.

Slips of the printed listing: a cannot-link sets the distance of its pair (and of all pairs that it has as must-link
images) to the maximum plus 1, and complete linkage keeps the larger of two distances.
"""

from itertools import combinations

import numpy as np


def square(condensed, n):
    """The full matrix of condensed distances."""
    out = np.zeros((n, n))
    out[np.triu_indices(n, 1)] = condensed
    return out + out.T


def groups_of(must_link, n):
    """The must-link component of each sample, as its smallest member."""
    group = list(range(n))
    for a, b in must_link:
        old, new = max(group[a], group[b]), min(group[a], group[b])
        group = [new if g == old else g for g in group]
    return group


def propagated_definition(D, must_link):
    """Must-links at distance 0; then all-pairs shortest paths that pass only through must-linked points."""
    D = np.array(D, float)
    for a, b in must_link:
        D[a, b] = D[b, a] = 0.0
    for k in sorted({x for pair in must_link for x in pair}):
        for i in range(len(D)):
            for j in range(len(D)):
                D[i, j] = min(D[i, j], D[i, k] + D[k, j])
    return D


def imposed_definition(D, must_link, cannot_link):
    """The matrix that complete linkage is run on: propagated, then all images of the cannot-links at max + 1."""
    top = np.max(D, initial=0.0) + 1
    group = groups_of(must_link, len(D))
    D = propagated_definition(D, must_link)
    for a, b in cannot_link:
        for i in range(len(D)):
            for j in range(len(D)):
                if {group[i], group[j]} == {group[a], group[b]} and group[i] != group[j]:
                    D[i, j] = top
    return D


def complete_link_definition(D, must_link=(), cannot_link=()):
    """Merges (members of the one, of the other, distance): must-links first, then always the closest two clusters.

    Of clusters at the same distance, the pair with the first smaller first sample, then the first larger one. Merges
    that a cannot-link forbids are left out.
    """
    n, top = len(D), np.max(D, initial=0.0) + 1
    D = imposed_definition(D, must_link, cannot_link)
    group = groups_of(must_link, n)
    clusters = {g: frozenset(i for i in range(n) if group[i] == g) for g in group}  # by their first samples
    merges = []
    while True:
        near = {
            (max(D[i, j] for i in clusters[a] for j in clusters[b]), a, b) for a, b in combinations(sorted(clusters), 2)
        }
        distance, a, b = min(near, default=(top, 0, 0))
        if distance >= top:
            return merges, set(clusters.values())
        merges.append((clusters[a], clusters[b], distance))
        clusters[a] |= clusters.pop(b)
