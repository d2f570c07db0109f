"""Constrained complete link: seconds beside fastcluster, and what pairs at random, or asked for, do for clusters."""

import csv
import warnings

import fastcluster
import numpy as np
from _data import _found, load, standardized
from _harness import Table, cpu_seconds
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist
from sklearn.preprocessing import OneHotEncoder

from tripletree.cluster import ConstrainedCompleteLink, COPKMeans, labels_oracle
from tripletree.cluster.agglomerative.complete_link import merge_completely, propagate
from tripletree.core.pairs import PairwiseConstraints
from tripletree.evaluation.scores import constrained_rand_index

SEEDS = range(5)
NUMBERS = (0, 10, 20, 40, 80, 160)


def random_pairs(y, m, seed):
    """m random pairs of samples, by their classes: must-links, cannot-links."""
    rng = np.random.default_rng(seed)
    i = rng.integers(0, len(y), m)
    rows = np.column_stack([i, (i + rng.integers(1, len(y), m)) % len(y)])
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return rows[same], rows[~same]


# ------------------------------------------------------------------ seconds


def paper_paths(D, must):
    """The shortest paths as the paper lists them, a must-linked sample at a time, the other two loops by numpy."""
    D = D.copy()
    D[must[:, 0], must[:, 1]] = D[must[:, 1], must[:, 0]] = 0.0
    for k in np.unique(must):
        np.minimum(D, D[:, k, None] + D[k], out=D)
    return D


def speed(table, n, d, kind):
    """A row: n samples in 10 groups of d features, n / 10 pairs, of which about a tenth or all are must-links."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, n)
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(10, d))[y]
    must, cannot = random_pairs(y, n // 10, 0)
    if kind == "must":
        must, cannot = np.concatenate([random_pairs(y, n, 1)[0], must])[: n // 10], cannot[:0]
    closure = PairwiseConstraints(must, cannot, n).closure()
    distances = pdist(X)
    peer, _ = cpu_seconds(lambda: fastcluster.linkage(distances, "complete"))
    scipy, _ = cpu_seconds(lambda: linkage(distances, "complete"))
    known = closure.component, closure.cannot
    paths, _ = cpu_seconds(lambda: propagate(distances.copy(), *known))
    merges, _ = cpu_seconds(lambda: merge_completely(distances.copy(), *known))
    listed = None
    if n <= 3000:
        D = np.zeros((n, n))
        D[np.triu_indices(n, 1)] = distances
        D += D.T
        listed, _ = cpu_seconds(lambda: paper_paths(D, must), repeat=1)
    fit, _ = cpu_seconds(
        lambda: ConstrainedCompleteLink(10, on_infeasible="violate").fit(X, pairs=(must, cannot)), repeat=2
    )
    table.add(n, d, len(must), len(cannot), peer, scipy, listed, paths, merges, merges / (peer + paths), fit)


# ------------------------------------------------------------------ quality


def synthetic():
    """Circles, and xor: two classes of 100 samples."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, 200), 1 + y + rng.normal(scale=0.05, size=200)
    yield "circles", np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y, "euclidean"
    corner = rng.choice([-1.0, 1.0], (200, 2))
    yield "xor", corner + rng.normal(scale=0.4, size=(200, 2)), (corner.prod(axis=1) > 0).astype(int), "euclidean"


def tables():
    """From CSV files: crabs, by species; the complete cases of soybean, nominal features by Hamming distance."""
    path = _found("crabs.csv")
    if path is not None:
        rows = list(csv.reader(path.open(encoding="utf-8")))[1:]
        X = np.array([row[3:] for row in rows], float)
        yield "crabs", X, np.array([row[0] for row in rows]), "euclidean"
    path = _found("soybean_large_mlbench.csv")
    if path is not None:
        rows = [row for row in list(csv.reader(path.open(encoding="utf-8")))[1:] if not {"NA", "?", ""} & set(row)]
        codes = [np.unique(column, return_inverse=True)[1] for column in zip(*rows, strict=True)]
        yield "soybean", np.array(codes[1:], float).T, codes[0], "hamming"


def sets():
    X, y = load("iris")
    yield "iris", X, y, "euclidean"
    X, y = load("wine")
    yield "wine", standardized(X), y, "euclidean"
    X, y = load("ionosphere")
    yield "ionosphere", X, y, "euclidean"
    yield from tables()
    yield from synthetic()


def score(y, labels, pairs):
    return constrained_rand_index(y, labels, must_link=pairs.must_link, cannot_link=pairs.cannot_link)


def quality(table, name, X, y, metric):
    """Rows of a set: constrained Rand index by method and number of pairs; share of violated cannot-links below."""
    k, n = len(np.unique(y)), len(y)
    numbers = OneHotEncoder(sparse_output=False).fit_transform(X) if metric == "hamming" else X
    cells = {method: [] for method in ("avoid", "more", "violate", "violated", "COP-KMeans", "active", "asked")}
    for m in NUMBERS:
        link, cop, broken, others = [], [], [], {"avoid": [], "more": []}
        for seed in SEEDS:
            pairs = random_pairs(y, m, seed)
            model = ConstrainedCompleteLink(k, metric=metric, on_infeasible="violate").fit(X, pairs=pairs)
            link.append(score(y, model.labels_, model.pairs_))
            a, b = model.pairs_.cannot_link.T
            broken.append(float(np.mean(model.labels_[a] == model.labels_[b])) if a.size else 0.0)
            for policy, values in others.items():
                model = ConstrainedCompleteLink(k, metric=metric, on_infeasible=policy).fit(X, pairs=pairs)
                values.append(score(y, model.labels_, model.pairs_))
            labels = COPKMeans(k, random_state=seed).fit(numbers, pairs=pairs).labels_
            cop.append(score(y, labels, model.pairs_))
        model = ConstrainedCompleteLink(k, metric=metric, n_queries=m)
        model.fit(X, oracle=labels_oracle(y))
        cells["active"].append(score(y, model.labels_, model.pairs_))
        cells["asked"].append(len(model.queries_))
        for method, values in (*others.items(), ("violate", link), ("violated", broken), ("COP-KMeans", cop)):
            cells[method].append(float(np.mean(values)))
    for method, values in cells.items():
        table.add(name, n, k, method, *values)


def main():
    columns = [("n", 6), ("d", 3), ("must", 5), ("cannot", 6), ("fastcluster s", 13), ("scipy s", 7)]
    columns += [("listed s", 8), ("paths s", 7), ("all s", 6), ("all / (fc + paths)", 18), ("fit s", 6)]
    table = Table("Constrained complete link, n / 10 pairs (listed: the paper's shortest paths)", columns)
    speed(table, 500, 2, "must")  # compiles: not to be looked at
    table.rows.clear()
    warnings.simplefilter("ignore", UserWarning)  # cannot-links that are violated: they are counted below
    for n in (1000, 3000, 10_000):
        for d in (2, 16):
            for kind in ("random", "must"):
                speed(table, n, d, kind)
    table.done()
    columns = [("set", 10), ("n", 4), ("k", 3), ("method", 10), *((f"{m} pairs", 9) for m in NUMBERS)]
    table = Table("Constrained Rand index by number of pairs, mean of five seeds", columns)
    if table.options.csv:
        table.options.csv = table.options.csv.with_stem(f"{table.options.csv.stem}-quality")
    for case in sets():
        quality(table, *case)
    table.done()


if __name__ == "__main__":
    main()
