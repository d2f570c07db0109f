"""ReCon under triplets beside unconstrained fastcluster, on points (centroid linkage) and on condensed distances."""

import fastcluster
import numpy as np
from _data import load
from _harness import Table, cpu_seconds
from examples import yule
from scipy.spatial.distance import pdist

import tripletree as tt
from tripletree.algorithms.merges import merge_condensed, merge_points

rng = np.random.default_rng(0)


def cases(large):
    X, y = load("letter")
    P, q = load("pendigits")
    some = rng.permutation(len(X))[:3000], rng.permutation(len(P))[:3000]
    yield "letters IJLT", X[np.isin(y, list("IJLT"))], y[np.isin(y, list("IJLT"))]
    yield "digits 389", P[np.isin(q, list("389"))], q[np.isin(q, list("389"))]
    yield "letters 3000", X[some[0]], y[some[0]]
    yield "digits 3000", P[some[1]], q[some[1]]
    yield "unrelated tree", X[some[0]], None
    yield "letters 20000", X, y
    for size in (2_000, 8_000, 20_000):  # the two worst sets known
        pick = rng.permutation(len(X))[:size]
        yield "wrong classes", X[pick], rng.permutation(y[pick])
        yield "equal points", np.zeros_like(X[pick]), y[pick]
    if large:
        pick = rng.integers(0, len(X), 100_000)
        yield "letters 100000", X[pick] + rng.normal(scale=0.3, size=(100_000, 16)), y[pick]


def triplets_of(y, n):
    """n random triplets: of the classes, or of a random hierarchy that has nothing to do with the data."""
    if y is None:
        return tt.sample_triplets(yule(n, rng), n, random_state=1).rows
    return tt.sample_class_triplets(y, n, random_state=1).rows


def main():
    columns = [("set", 15), ("linkage", 9), ("n", 7), ("seconds", 8), ("none s", 7), ("linkage s", 10), ("ratio", 6)]
    columns += [("vector s", 9), ("ratio", 6), ("tests", 7), ("rejected", 8), ("searches", 8)]
    table = Table("ReCon, n random triplets, beside fastcluster without any", columns)
    merge_points(rng.normal(size=(50, 3)), triplets_of(None, 50), "centroid")  # compile
    merge_condensed(pdist(rng.normal(size=(50, 3))), 50, triplets_of(None, 50), "average")
    for name, X, y in cases(table.options.large):
        n, X = len(X), np.ascontiguousarray(X)
        rows = triplets_of(y, n)
        vector = dense = None
        if n <= 20_000:
            vector, _ = cpu_seconds(lambda X=X: fastcluster.linkage_vector(X, "centroid"))
            dense, _ = cpu_seconds(lambda X=X: fastcluster.linkage(X, "centroid"))
        seconds, (_, count) = cpu_seconds(lambda X=X, rows=rows: merge_points(X, rows, "centroid"))
        none, _ = cpu_seconds(lambda X=X, rows=rows: merge_points(X, rows[:0], "centroid"))
        ratios = [None if t is None else seconds / t for t in (dense, vector)]
        counts = count.tests, count.rejections, count.searches
        table.add(name, "centroid", n, seconds, none, dense, ratios[0], vector, ratios[1], *counts)
    X, y = load("letter")
    X, rows = X[:10_000], triplets_of(y[:10_000], 10_000)
    for linkage in ("average", "complete", "single", "weighted"):
        dense, _ = cpu_seconds(lambda k=linkage: fastcluster.linkage(pdist(X), k), repeat=2)
        seconds, (_, count) = cpu_seconds(lambda k=linkage: merge_condensed(pdist(X), 10_000, rows, k), repeat=2)
        none, _ = cpu_seconds(lambda k=linkage: merge_condensed(pdist(X), 10_000, rows[:0], k), repeat=2)
        counts = count.tests, count.rejections, count.searches
        table.add("letters", linkage, 10_000, seconds, none, dense, seconds / dense, None, None, *counts)
    table.done()


if __name__ == "__main__":
    main()
