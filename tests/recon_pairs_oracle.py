"""ReCon with pairs by the letter, slow and plain: groups, their contradictions, merges, and all cuts."""

from itertools import combinations

import numpy as np
from recon_oracle import build_succeeds, cluster_distance, compatible_definition, contracted


def groups_of(n, must):
    """The samples that must-links tie together, by their first ones."""
    groups = [{i} for i in range(n)]
    for a, b in must:
        one, two = (next(g for g in groups if x in g) for x in (a, b))
        if one is not two:
            groups.remove(two)
            one |= two
    return sorted(map(sorted, groups))


def group_triplets(n, must):
    """All triplets that say that each group is a clade."""
    return [
        (a, b, x) for group in groups_of(n, must) for a, b in combinations(group, 2) for x in range(n) if x not in group
    ]


def pairs_hold(labels, must, cannot):
    return all(labels[a] == labels[b] for a, b in must) and all(labels[a] != labels[b] for a, b in cannot)


def misfit_definition(labels, must, cannot):
    """The mean violated share of the two sorts, m pairs with weight m / (m + 5), in halves of the share by chance.

    Must-links count between samples that follow each other in a group, cannot-links once for two groups.
    """
    n = len(labels)
    groups = groups_of(n, must)
    tied = [pair for group in groups for pair in zip(group, group[1:])]  # noqa: B905
    first = {x: group[0] for group in groups for x in group}
    apart = {tuple(sorted((first[a], first[b]))) for a, b in cannot}
    same = sum((list(labels).count(c) / n) ** 2 for c in set(labels))
    wrong = [[labels[a] != labels[b] for a, b in tied], [labels[a] == labels[b] for a, b in apart]]
    weight = [len(x) / (len(x) + 5) for x in wrong]
    share = sum(w * sum(x) / len(x) for w, x in zip(weight, wrong, strict=True) if x)
    return share / 2 / sum(w * x for w, x in zip(weight, (1 - same, same), strict=True)) if share else 0.0


def can_all_hold(n, triplets, must, cannot):
    apart = [g for g in groups_of(n, must) for a, b in cannot if a in g and b in g]
    return not apart and build_succeeds([*triplets, *group_triplets(n, must)], range(n))


def paired_definition(triplets, must, cannot, linkage, X=None, D=None):
    """The merges as (members of the one cluster, of the other, distance), and how many are inside groups.

    First the closest compatible merge of two clusters of one group, while there is one. Then of two clusters without a
    cannot-link between them, while there is one. Then of any two.
    """
    if D is None:
        D = np.linalg.norm(X[:, None] - X[None], axis=2)
    n = len(D)
    owner = {x: k for k, group in enumerate(groups_of(n, must)) for x in group}
    clusters, triplets, merges = list(range(n)), list(triplets), []
    members = {i: [i] for i in range(n)}
    halves = dict(enumerate(np.eye(n)))

    def in_one_group(i, j):
        return len({owner[x] for x in members[i] + members[j]}) == 1

    def not_apart(i, j):
        both = set(members[i] + members[j])
        return not any(a in both and b in both for a, b in cannot)

    phases, counts = [in_one_group, not_apart, lambda i, j: True], [0, 0, 0]
    pairs, new_pairs = [], combinations(clusters, 2)
    while len(clusters) > 1:
        pairs += [
            (cluster_distance(linkage, X, D, members, halves, i, j), *sorted((min(members[i]), min(members[j]))), i, j)
            for i, j in new_pairs
        ]
        pairs.sort()
        new_pairs = []
        allowed = (p for p in pairs if phases[0](p[3], p[4]) and compatible_definition(triplets, clusters, p[3], p[4]))
        closest = next(allowed, None)
        if closest is None:
            phases.pop(0)
            continue
        d, _, _, i, j = closest
        counts[3 - len(phases)] += 1
        new = n + len(merges)
        merges.append((frozenset(members[i]), frozenset(members[j]), d))
        members[new] = members[i] + members[j]
        halves[new] = (halves[i] + halves[j]) / 2
        clusters = [x for x in clusters if x not in (i, j)]
        pairs, new_pairs = [p for p in pairs if not {i, j} & {p[3], p[4]}], [(x, new) for x in clusters]
        clusters.append(new)
        triplets = contracted(triplets, i, j, new)
    return merges, counts


def all_cuts(h):
    """The leaves of the clusters of every cut, with a Python set for each cluster."""
    start, stop, leaf = h.leaf_intervals
    found = {u: [[frozenset([u])]] for u in range(h.n_leaves)}
    for u in range(h.n_leaves, h.n_nodes):
        i, j = np.flatnonzero(h.parent == u).tolist()
        found[u] = [[frozenset(leaf[start[u] : stop[u]].tolist())], *(x + y for x in found[i] for y in found[j])]
    return found[h.root]


def labels_of_cut(clusters, n):
    labels = np.empty(n, int)
    for k, cluster in enumerate(sorted(clusters, key=min)):
        labels[list(cluster)] = k
    return labels


def random_instance(seed, most=10):
    """Samples, triplets of a random hierarchy, must-links inside some of its clades, cannot-links between groups."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, most + 1))
    roots, clades = [[i] for i in range(n)], []
    while len(roots) > 1:
        i, j = sorted(rng.choice(len(roots), 2, replace=False).tolist())
        roots.append(roots.pop(j) + roots.pop(i))
        clades.append(roots[-1])
    sets = [set(x) for x in clades]
    triplets = []
    for _ in range(int(rng.choice([0, n // 2, n, 3 * n]))):
        trio = rng.choice(n, 3, replace=False).tolist()
        for c in trio:
            a, b = (x for x in trio if x != c)
            if any(a in x and b in x and c not in x for x in sets):
                triplets.append((min(a, b), max(a, b), c))
    must = []
    for clade in clades[: n - 2]:
        if rng.random() < 0.35:
            path = rng.permutation(clade).tolist()
            must += list(zip(path[:-1], path[1:], strict=True))
    owner = {x: k for k, group in enumerate(groups_of(n, must)) for x in group}
    cannot = []
    for _ in range(int(rng.choice([0, 1, n // 2, 2 * n]))):
        a, b = rng.choice(n, 2, replace=False).tolist()
        if owner[a] != owner[b]:
            cannot.append((a, b))
    return rng, rng.normal(size=(n, 3)), triplets, must, cannot


def can_be_coloured(n, must, cannot, k):
    """True if k clusters can keep all pairs, by trying everything."""
    owner = {x: g for g, group in enumerate(groups_of(n, must)) for x in group}
    apart = {frozenset((owner[a], owner[b])) for a, b in cannot}
    several = [[]]
    for g in range(len(set(owner.values()))):
        several = [
            [*colours, c]
            for colours in several
            for c in range(min(k, len(set(colours)) + 1))
            if all(colours[h] != c or frozenset((g, h)) not in apart for h in range(g))
        ]
    return bool(several)
