"""COP-KMeans by its definition: the paper's listing, and clusterings found by trying all of them."""

from itertools import combinations

import numpy as np


def cop_kmeans_definition(points, weights, cannot, centres, *, tolerance=0.0, max_iter=300):
    """The listing of the paper (Wagstaff et al. 2001, table 1) for points that stand for must-linked samples.

    Returns labels and centres, or None where it fails: at a point with no legal cluster left, or for ever.
    """
    centres, labels = centres.copy(), None
    for _ in range(max_iter):
        before, labels = labels, [-1] * len(points)
        for i, point in enumerate(points):  # step 2: the closest cluster that violates nothing
            distance = ((point - centres) ** 2).sum(axis=1)
            legal = [
                c
                for c in np.argsort(distance, kind="stable").tolist()
                if all(labels[a + b - i] != c for a, b in cannot if i in (a, b))
            ]
            if not legal:
                return None
            labels[i] = legal[0]
        own = np.array(labels)
        old = centres.copy()
        for c in range(len(centres)):  # step 3: average all of the points assigned to it
            if (own == c).any():
                centres[c] = np.average(points[own == c], axis=0, weights=weights[own == c])
        if labels == before or ((centres - old) ** 2).sum() <= tolerance:  # step 4: until convergence
            return own, centres
    return None


def listing_definition(X, must, cannot, centres, *, max_iter=300):
    """The listing of the paper for samples in the order given: labels and centres, or None where it fails.

    A sample goes to its closest centre such that its must-linked samples, as far as they have a cluster, are there and
    nothing is that it is cannot-linked to. The pairs hold all that follows from them.
    """
    centres, labels, seen = centres.copy(), None, []
    for _ in range(max_iter):
        before, labels = labels, {}
        for i, x in enumerate(X):
            for c in np.argsort(((x - centres) ** 2).sum(axis=1), kind="stable").tolist():
                tied = all(labels.get(a + b - i, c) == c for a, b in must if i in (a, b))
                if tied and all(labels.get(a + b - i) != c for a, b in cannot if i in (a, b)):
                    labels[i] = c
                    break
            else:
                return None
        own = np.array([labels[i] for i in range(len(X))])
        for c in set(own.tolist()):
            centres[c] = X[own == c].mean(axis=0)
        if labels == before or labels in seen:
            return own, centres
        seen.append(labels)
    return None


def incremental_definition(X, must, cannot, centres, *, violates, max_iter=300):
    """MacQueen's passes for samples in the order given: labels and centres, or None where it fails.

    A sample leaves its cluster, whose mean moves, and goes where the samples before it in this pass are that it is
    must-linked to, else to the closest mean of a cluster without one that it is cannot-linked to. Then that mean moves.
    In the first pass the first centres are members. If no cluster is left, it fails or, if it violates, goes to the
    closest mean of all.
    """
    centres, seen, before = centres.copy(), [], None
    members = [[("first", c)] for c in range(len(centres))]
    points = {("first", c): centre for c, centre in enumerate(centres.copy())} | dict(enumerate(X))

    def settle(c):
        if members[c]:
            centres[c] = np.mean([points[i] for i in members[c]], axis=0)

    for _ in range(max_iter):
        labels = {}
        for i, x in enumerate(X):
            if before is not None:
                members[before[i]].remove(i)
                settle(before[i])
            near = np.argsort(((x - centres) ** 2).sum(axis=1), kind="stable").tolist()
            tied = [labels[a + b - i] for a, b in must if i in (a, b) and a + b - i in labels]
            gone = {labels.get(a + b - i) for a, b in cannot if i in (a, b)}
            legal = tied or [c for c in near if c not in gone]
            if not legal and not violates:
                return None
            labels[i] = (legal or near)[0]
            members[labels[i]].append(i)
            settle(labels[i])
        members = [[i for i in sorted(labels) if labels[i] == c] for c in range(len(centres))]
        for c in range(len(centres)):
            settle(c)
        if labels == before or labels in seen:
            break
        seen.append(labels)
        before = labels
    return np.array([labels[i] for i in range(len(X))]), centres


def feasible_definition(n, k, must, cannot):
    """All clusterings of n samples into at most k clusters, as label tuples, in which the pairs hold.

    A pair is looked at as soon as both of its samples have labels.
    """
    found = [()]
    for i in range(n):
        same = [pair for pair in must if max(pair) == i]
        apart = [pair for pair in cannot if max(pair) == i]
        found = [
            labels
            for labels in ((*x, c) for x in found for c in range(k))
            if all(labels[a] == labels[b] for a, b in same) and all(labels[a] != labels[b] for a, b in apart)
        ]
    return found


def cheapest_definition(cost, edges):
    """The least cost of an assignment in which the ends of edges differ; infinite if there is none."""
    m, k = cost.shape
    feasible = feasible_definition(m, k, [], edges)
    return min((sum(cost[v, c] for v, c in enumerate(labels)) for labels in feasible), default=np.inf)


def is_clique(nodes, edges):
    """Whether every two nodes are an edge."""
    known = {frozenset(edge) for edge in edges}
    return all(frozenset(pair) in known for pair in combinations(nodes, 2))
