"""ReCon with true pairs beside ReCon without any: what becomes of the clusters, and the seconds it takes.

The adjusted Rand index is that of all samples, the mean of five sets of pairs. "with" is what ReCon returns; "near" and
"clades" are what it chooses from: clusters near to those without pairs, and those of the hierarchy, joined where they
are too many. With --large 10,000 samples, too.
"""

import time
import warnings
from unittest.mock import patch

import numpy as np
from _data import load, standardized
from _harness import Table
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from tripletree import datasets
from tripletree.algorithms.supervision import sample_class_pairs
from tripletree.cluster import ReCon

SEEDS = 5
SHARES = (20, 4, 2, 1)  # n / these pairs
LINKAGES = ("ward", "centroid", "average", "complete", "single")
CHOICE = "tripletree.cluster.agglomerative.paired_cut.are_clades_better"


def sets(large):
    for shape in ("make_circles", "make_cell_walls", "make_xor", "make_storm_clouds"):
        yield shape[5:], *getattr(datasets, shape)(200, random_state=0), LINKAGES
    for n in (500, 2_000, 10_000)[: 3 if large else 2]:
        for spread in (3, 4, 6):
            X, y = make_blobs(n, 10, centers=5, cluster_std=spread, random_state=0)
            yield f"blobs std {spread}", X, y, LINKAGES[:2] if n > 2_000 else LINKAGES
    yield "iris", *load_iris(return_X_y=True), LINKAGES
    yield "wine", standardized(load_wine().data), load_wine().target, LINKAGES
    yield "wdbc", standardized(load_breast_cancer().data), load_breast_cancer().target, LINKAGES
    X, y = load("ionosphere")
    yield "ionosphere", standardized(X), y, LINKAGES
    for name, source, some in (("digits-389", "pendigits", "389"), ("letters-IJLT", "letter", "IJLT")):
        X, y = load(source)
        rows = np.random.default_rng(0).permutation(np.flatnonzero(np.isin(y, list(some))))[:1000]
        yield name, standardized(X[rows]), y[rows], LINKAGES


def seconds(model, X, pairs=None):
    start = time.perf_counter()
    model.fit(X, pairs=pairs)
    return time.perf_counter() - start


def main():
    columns = [("set", 12), ("n", 6), ("linkage", 8), ("pairs", 6), ("none", 6), ("with", 6), ("near", 6)]
    columns += [("clades", 6), ("ratio", 5)]
    table = Table("ReCon with random true pairs: adjusted Rand index, and time beside that without pairs", columns)
    X = np.random.default_rng(0).normal(size=(900, 4))
    for linkage in ("ward", "average"):  # compile
        seconds(ReCon(3, linkage=linkage), X, sample_class_pairs(X[:, 0] > 0, 900, random_state=0))
    warnings.filterwarnings("ignore", "no n_clusters")
    gain, lost = [], []
    for name, X, y, linkages in sets(table.options.large):
        n, k = len(y), len(np.unique(y))
        for linkage in linkages:
            model = ReCon(k, linkage=linkage)
            alone = seconds(model, X)
            none = adjusted_rand_score(y, model.labels_)
            for share in SHARES:
                found, took = [], 0.0
                for seed in range(SEEDS):
                    pairs = sample_class_pairs(y, n // share, random_state=seed)
                    took += seconds(model, X, pairs)
                    labels = [model.labels_]
                    for choice in (False, True):
                        with patch(CHOICE, return_value=choice):
                            labels.append(model.fit(X, pairs=pairs).labels_)
                    found.append([adjusted_rand_score(y, x) for x in labels])
                mean = np.mean(found, axis=0)
                gain.append(mean[0] - none)
                lost.append(mean[1:].max() - mean[0])
                table.add(name, n, linkage, n // share, none, *mean, took / SEEDS / alone)
    table.done()
    gain, lost = np.array(gain), np.array(lost)
    print(
        f"mean gain {gain.mean():+.3f}, least {gain.min():+.3f}, below -0.03 in {(gain < -0.03).mean():.1%} of the rows"
    )
    more = f"at most {lost.max():.3f}, more than 0.03 in {(lost > 0.03).mean():.1%}"
    print(f"behind the better of the two by {lost.mean():.4f}, {more}")


if __name__ == "__main__":
    main()
