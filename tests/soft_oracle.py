"""ReCon under a penalty as it is defined, slow and plain: all costs of all pairs, anew at each step."""

from itertools import combinations

import numpy as np
from recon_oracle import cluster_distance


def soft_definition(triplets, weights, linkage, penalty, X=None, D=None):
    """The linkage matrix of the merges of least cost; ties go by the first samples of the two."""
    if D is None:
        D = np.linalg.norm(X[:, None] - X[None], axis=2)
    n = len(D)
    clusters, Z = list(range(n)), []
    live = [(tuple(t), w) for t, w in zip(triplets, weights, strict=True)]
    members = {i: [i] for i in range(n)}
    halves = dict(enumerate(np.eye(n)))
    while len(clusters) > 1:
        offers = []
        for i, j in combinations(clusters, 2):
            d = cluster_distance(linkage, X, D, members, halves, i, j)
            push = sum((1 if t[2] in (i, j) else -1) * w for t, w in live if i in t and j in t)
            with np.errstate(divide="ignore"):
                cost = np.log(d) + penalty * push
            offers.append((cost, *sorted((min(members[i]), min(members[j]))), i, j, d))
        *_, i, j, d = min(offers)
        new = n + len(Z)
        members[new] = members[i] + members[j]
        halves[new] = (halves[i] + halves[j]) / 2
        clusters = [x for x in clusters if x not in (i, j)] + [new]
        renamed = [(tuple(new if x in (i, j) else x for x in t), w) for t, w in live]
        live = [(t, w) for t, w in renamed if len(set(t)) == 3]
        Z.append([min(i, j), max(i, j), d, len(members[new])])
    return np.array(Z)
