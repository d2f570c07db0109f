"""ReCon as the paper lists it, slow and plain, and helpers to compare with it.

Clusters are node numbers, as in a scipy linkage. Distances of clusters are computed from the
samples, not from distances of earlier clusters.
"""

from itertools import combinations

import numpy as np

LINKAGES = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]


def build_succeeds(triplets, leaves):
    """True if the triplets are consistent: BUILD with a list of the groups that are still to be split."""
    groups = [(set(leaves), triplets)]
    while groups:
        group, triplets = groups.pop()
        inside = [t for t in triplets if t[0] in group and t[1] in group and t[2] in group]
        if not inside:
            continue
        part = {x: {x} for x in group}
        for a, b, _ in inside:
            if part[a] is not part[b]:
                part[a] |= part[b]
                for x in part[b]:
                    part[x] = part[a]
        parts = {id(p): p for p in part.values()}
        if len(parts) == 1:
            return False
        groups += [(part, inside) for part in parts.values()]
    return True


def compatible_definition(triplets, clusters, i, j):
    """True if i and j may merge: the triplets and ij|x for every other cluster x are consistent."""
    return build_succeeds([*triplets, *((i, j, x) for x in clusters if x not in (i, j))], clusters)


def contracted(triplets, i, j, new):
    """The triplets after i and j have merged into `new`, without those that became aa|c."""
    renamed = [tuple(new if x in (i, j) else x for x in t) for t in triplets]
    assert all(c not in (a, b) for a, b, c in renamed), "a merge broke a triplet"
    return sorted({t for t in renamed if t[0] != t[1]})


def cluster_distance(linkage, X, D, members, halves, i, j):
    """The distance of two clusters by the definition of the linkage, from the samples alone."""
    a, b = members[i], members[j]
    if linkage == "single":
        return D[np.ix_(a, b)].min()
    if linkage == "complete":
        return D[np.ix_(a, b)].max()
    if linkage == "average":
        return D[np.ix_(a, b)].mean()
    if linkage == "weighted":
        return halves[i] @ D @ halves[j]
    if linkage == "median":
        return np.linalg.norm(halves[i] @ X - halves[j] @ X)
    gap = np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0))
    return gap if linkage == "centroid" else gap * np.sqrt(2 * len(a) * len(b) / (len(a) + len(b)))


def recon_definition(triplets, linkage, X=None, D=None):
    """The linkage matrix of the closest compatible merges; ties go by the first samples of the two."""
    if D is None:
        D = np.linalg.norm(X[:, None] - X[None], axis=2)
    n = len(D)
    clusters, triplets, Z = list(range(n)), list(triplets), []
    members = {i: [i] for i in range(n)}
    halves = dict(enumerate(np.eye(n)))  # the share of each sample, when each merge gives its two clusters one half
    pairs, new_pairs = [], combinations(clusters, 2)
    while len(clusters) > 1:
        pairs += [
            (cluster_distance(linkage, X, D, members, halves, i, j), *sorted((min(members[i]), min(members[j]))), i, j)
            for i, j in new_pairs
        ]
        pairs.sort()
        d, _, _, i, j = next(p for p in pairs if compatible_definition(triplets, clusters, p[3], p[4]))
        new = n + len(Z)
        members[new] = members[i] + members[j]
        halves[new] = (halves[i] + halves[j]) / 2
        clusters = [x for x in clusters if x not in (i, j)]
        pairs, new_pairs = [p for p in pairs if not {i, j} & {p[3], p[4]}], [(x, new) for x in clusters]
        clusters.append(new)
        triplets = contracted(triplets, i, j, new)
        Z.append([min(i, j), max(i, j), d, len(members[new])])
    return np.array(Z)


def greedy_gets_stuck(triplets, X):
    """True if centroid merging that only refuses to break a triplet at once ends before one cluster is left."""
    n = len(X)
    clusters, triplets, members = list(range(n)), list(triplets), {i: [i] for i in range(n)}
    while len(clusters) > 1:
        breaking = {frozenset(p) for a, b, c in triplets for p in ((a, c), (b, c))}
        allowed = [p for p in combinations(clusters, 2) if frozenset(p) not in breaking]
        if not allowed:
            return True
        i, j = min(allowed, key=lambda p: np.linalg.norm(X[members[p[0]]].mean(axis=0) - X[members[p[1]]].mean(axis=0)))
        new = max(members) + 1
        members[new] = members[i] + members[j]
        clusters = [x for x in clusters if x not in (i, j)] + [new]
        triplets = contracted(triplets, i, j, new)
    return False


def random_triplets(rng, n, m):
    """m (some may coincide) triplets of leaves 0..n-1 that one random binary hierarchy displays."""
    groups, clades = [[i] for i in range(n)], []
    while len(groups) > 1:
        i, j = sorted(rng.choice(len(groups), 2, replace=False).tolist())
        groups.append(groups.pop(j) + groups.pop(i))
        clades.append(set(groups[-1]))
    found = []
    for _ in range(m):
        trio = rng.choice(n, 3, replace=False).tolist()
        for c in trio:
            a, b = (x for x in trio if x != c)
            if any(a in x and b in x and c not in x for x in clades):
                found.append((a, b, c))
    return found
