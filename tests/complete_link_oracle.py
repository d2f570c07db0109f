"""Constrained complete link as the paper lists it, slow and plain, with its two slips mended.

Slips of the printed listing: a cannot-link sets the distance of its pair (and of all pairs that it has as must-link
images) to the maximum plus 1, and complete linkage keeps the larger of two distances.
"""

from functools import cache
from itertools import combinations
from math import ceil

import numpy as np


def square(condensed, n):
    """The full matrix of condensed distances."""
    out = np.zeros((n, n))
    out[np.triu_indices(n, 1)] = condensed
    return out + out.T


def farthest_in(D):
    """The largest distance between two clusters, looked up once for each two."""
    D = np.asarray(D).tolist()
    return cache(lambda a, b: max(D[i][j] for i in a for j in b))


def groups_of(must_link, n):
    """The must-link component of each sample, as its smallest member."""
    group = list(range(n))
    for a, b in must_link:
        old, new = max(group[a], group[b]), min(group[a], group[b])
        group = [new if g == old else g for g in group]
    return group


def propagated_definition(D, must_link):
    """Must-links at distance 0, then all-pairs shortest paths that pass only through must-linked points."""
    D = np.array(D, float).tolist()
    for a, b in must_link:
        D[a][b] = D[b][a] = 0.0
    for k in sorted({x for pair in must_link for x in pair}):
        for i in range(len(D)):
            for j in range(len(D)):
                D[i][j] = min(D[i][j], D[i][k] + D[k][j])
    return np.array(D)


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

    Among clusters at the same distance, the pair with the first smaller first sample, then the first larger one. Merges
    that a cannot-link forbids are left out.
    """
    n, top = len(D), np.max(D, initial=0.0) + 1
    D = imposed_definition(D, must_link, cannot_link)
    group = groups_of(must_link, n)
    clusters = {g: frozenset(i for i in range(n) if group[i] == g) for g in group}  # by their first samples
    merges, farthest = [], farthest_in(D)
    while True:
        near = {(farthest(clusters[a], clusters[b]), a, b) for a, b in combinations(sorted(clusters), 2)}
        distance, a, b = min(near, default=(top, 0, 0))
        if distance >= top:
            return merges, set(clusters.values())
        merges.append((clusters[a], clusters[b], distance))
        clusters[a] |= clusters.pop(b)


def listed_clusters_definition(D, must_link, cannot_link, k, *, at_end=False):
    """The listing to its end: forbidden pairs are as far as any other forbidden ones, and are merged like all.

    The first two of these in the list of clusters merge. A new cluster stands where its first sample stood or, with
    `at_end`, at the end. Then unlinked samples stand before must-linked groups.
    """
    top = np.max(D, initial=0.0) + 1
    D = imposed_definition(D, must_link, cannot_link)
    group = groups_of(must_link, len(D))
    clusters = [frozenset(i for i in range(len(D)) if group[i] == g) for g in sorted(set(group))]
    farthest = farthest_in(D)
    if at_end:
        clusters.sort(key=lambda c: len(c) > 1)
    while len(clusters) > k:
        places = {min(c): p for p, c in enumerate(clusters)}
        near = {tuple(sorted((min(a), min(b)))): farthest(a, b) for a, b in combinations(clusters, 2)}
        least = min(near.values())
        tied = [x for x in near if near[x] == least]
        one, two = min(tied) if least < top else min(tied, key=lambda x: sorted(places[i] for i in x))
        a, b = (clusters[places[x]] for x in (one, two))
        rest = [c for c in clusters if c not in (a, b)]
        clusters = [*rest, a | b] if at_end else sorted([*rest, a | b], key=min)
    return set(clusters)


# ---------------------------------------------------------------------- merges refused, and questions


def has_places(clusters, cannot_link, k):
    """Whether the clusters can be joined into at most k that break no cannot-link: all ways are tried."""
    ends = [{x for pair in cannot_link for x in pair if set(pair) & c and x not in c} for c in clusters]

    def placed(i, taken):
        if i == len(clusters):
            return True
        new = [*taken, frozenset()] if len(taken) < k else taken
        return any(
            placed(i + 1, [*new[:p], new[p] | clusters[i], *new[p + 1 :]])
            for p in range(len(new))
            if not ends[i] & new[p]
        )

    return not any({a, b} <= c for a, b in cannot_link for c in clusters) and placed(0, [])


def avoiding_definition(D, must_link, cannot_link, k):
    """Always the closest two clusters after whose merge k clusters can keep all cannot-links."""
    D = propagated_definition(D, must_link)
    group = groups_of(must_link, len(D))
    clusters = [frozenset(i for i in range(len(D)) if group[i] == g) for g in sorted(set(group))]
    merges, farthest = [], farthest_in(D)
    while True:
        near = sorted((farthest(a, b), min(a), min(b)) for a, b in combinations(clusters, 2))
        for distance, i, j in near:
            a, b = (next(c for c in clusters if x in c) for x in (i, j))
            after = sorted((set(clusters) - {a, b}) | {a | b}, key=min)
            if has_places(after, cannot_link, k):
                merges.append((a, b, distance))
                clusters = after
                break
        else:
            return merges, set(clusters)


def cutoff_asking_definition(D, must_link, cannot_link, oracle, budget):
    """The paper's scheme: as `asking_definition`, about merges from the distance of the last ones on, and in one pass.

    From that distance on there are three merges without constraints for four questions.
    """
    heights = sorted(x[2] for x in complete_link_definition(D)[0])
    expected = ceil(0.75 * budget)
    cutoff = heights[-expected] if expected <= len(heights) else 0.0
    given, asked = imposed_definition(D, must_link, cannot_link), {}
    merges = [x for x in complete_link_definition(D, must_link, cannot_link)[0] if x[2] < cutoff]
    left = _pass(D, given, must_link, merges, asked, oracle, budget, cutoff)
    return merges, asked, left


def asking_definition(D, must_link, cannot_link, oracle, budget):
    """The merges with questions, and the questions: passes from lower and lower, all answers imposed first."""
    plain, _ = complete_link_definition(D, must_link, cannot_link)
    given, asked, depth = imposed_definition(D, must_link, cannot_link), {}, 0
    while True:
        depth += ceil(0.75 * (budget - len(asked)))
        merges = plain[: max(0, len(plain) - depth)]
        left = _pass(D, given, must_link, merges, asked, oracle, budget)
        if len(asked) >= budget or depth >= len(plain):
            return merges, asked, left


def _pass(D, given, must_link, merges, asked, oracle, budget, cutoff=-np.inf):
    """Add to the first merges all that follow, and to the questions: the clusters that are left."""
    top = np.max(D, initial=0.0) + 1
    group = groups_of([*must_link, *((min(a), x) for a, b, _ in merges for x in (a | b) - {min(a)})], len(D))
    roots = {g: frozenset(i for i in range(len(D)) if group[i] == g) for g in group}
    far = {frozenset(x): max(given[i, j] for i in roots[x[0]] for j in roots[x[1]]) for x in combinations(roots, 2)}
    apart = {x for x in far if far[x] >= top}

    def join(a, b, height, linked):
        merges.append((roots[a], roots[b], height))
        roots[a] |= roots.pop(b)
        legs = {}
        for c in set(roots) - {a}:
            two = [frozenset({a, c}), frozenset({b, c})]
            free = [far[x] for x in two if x not in apart]
            legs[c] = min(free, default=np.inf)
            far[two[0]] = legs[c] if linked and len(free) == 2 else max(far[x] for x in two)
            if len(free) < 2:
                apart.add(two[0])
        if linked:
            for c, d in combinations(legs, 2):
                far[frozenset({c, d})] = min(far[frozenset({c, d})], legs[c] + legs[d])

    def home(x):
        return next(g for g in roots if x in roots[g])

    for (i, j), answer in asked.items():
        if answer is False:
            apart.add(frozenset({home(i), home(j)}))
    for (i, j), answer in sorted(asked.items()):
        if answer and home(i) != home(j):
            join(*sorted((home(i), home(j))), 0.0, linked=True)
    while near := [(far[frozenset(x)], *x) for x in combinations(sorted(roots), 2) if frozenset(x) not in apart]:
        distance, a, b = min(near)
        answer = None
        if len(asked) < budget and distance >= cutoff:
            pair = tuple(min(sorted(roots[c]), key=lambda i: sum(D[i, j] for j in roots[c])) for c in (a, b))
            pair = min(pair), max(pair)
            answer = asked.setdefault(pair, oracle(*pair))
        if answer is False:
            apart.add(frozenset({a, b}))
        else:
            join(a, b, distance, linked=answer is True)
    return set(roots.values())
