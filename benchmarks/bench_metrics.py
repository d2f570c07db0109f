"""Learned metrics: quality at n random triplets under k-means and ReCon, time, and a taxonomy added to the distance.

For comparison, from elsewhere: SCML and k-means at n random triplets give a pairwise F of .96 on iris, .96 wine, .69
ionosphere, .87 wdbc, .94 digits-389, .68 letters-IJLT.
"""

import warnings

import numpy as np
from _data import load, standardized
from _harness import Table, cpu_seconds
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from threadpoolctl import threadpool_limits

import tripletree as tt
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.cluster import ReCon
from tripletree.metrics import MahalanobisMetric, SVMMetric, taxonomy_linkage

SEEDS = 5


def cases():
    for name, loader in (("iris", load_iris), ("wine", load_wine), ("wdbc", load_breast_cancer)):
        yield name, *loader(return_X_y=True)
    yield "ionosphere", *load("ionosphere")
    for name, source, classes in (("digits-389", "pendigits", "389"), ("letters-IJLT", "letter", "IJLT")):
        X, y = load(source)
        some = np.isin(y, list(classes))
        yield name, X[some], y[some]


METRICS = {
    "none": None,
    "SVM": lambda: SVMMetric(on_degenerate="euclidean"),
    "Mahalanobis": lambda: MahalanobisMetric(on_degenerate="euclidean"),
}


def share_violated(Z, y, seed):
    """Part of 4,000 comparisons of classes, drawn anew, that do not hold in the learned space."""
    a, b, c = sample_class_triplets(y, 2000, random_state=1000 + seed).to_comparisons().T
    return np.mean(np.square(Z[a] - Z[b]).sum(axis=1) >= np.square(Z[a] - Z[c]).sum(axis=1))


def quality(table):
    for name, X, y in cases():
        X, k, n = standardized(X), len(set(y)), len(X)
        for metric, make in METRICS.items():
            rows = []
            for seed in range(SEEDS):
                triplets = sample_class_triplets(y, n, random_state=seed)
                took, Z = cpu_seconds(
                    lambda X=X, t=triplets, make=make: make().fit(X, triplets=t).transform(X) if make else X, repeat=1
                )
                clusters = [
                    KMeans(k, n_init=10, random_state=seed).fit(Z),
                    ReCon(k).fit(Z, triplets=triplets),
                    ReCon(k, linkage="ward").fit(Z, triplets=triplets),
                    ReCon(k, linkage="ward").fit(Z),
                ]
                scores = [tt.pairwise_f_score(y, model.labels_) for model in clusters]
                rows.append([*scores, share_violated(Z, y, seed), took])
            table.add(name, metric, n, n, *np.mean(rows, axis=0))


def speed(table):
    """3,000 samples, 10,000 triplets."""
    rng = np.random.default_rng(0)
    for d in (16, 50, 100):
        y = rng.integers(0, 5, 3000)
        X = rng.normal(size=(3000, d)) + 0.5 * rng.normal(size=(5, d))[y]
        triplets = sample_class_triplets(y, 10_000, random_state=0)
        for metric, make in list(METRICS.items())[1:]:
            took, _ = cpu_seconds(lambda X=X, t=triplets, make=make: make().fit(X, triplets=t), repeat=2)
            table.add(f"blobs d={d}", metric, 3000, 10_000, None, None, None, None, None, took)


def taxonomy(table):
    """Classes as a taxonomy of all samples, or of a part; the F of the samples that it says nothing of."""
    for name, X, y in cases():
        if len(X) > 1000:
            continue
        X, k, n = standardized(X), len(set(y)), len(X)
        for part in (1.0, 0.3, 0.1):
            found = {}
            for seed in range(SEEDS):
                rng = np.random.default_rng(seed)
                placed = np.sort(rng.permutation(n)[: int(part * n)])
                tree = tt.Hierarchy.from_nested([placed[y[placed] == c].tolist() for c in sorted(set(y[placed]))])
                judged = np.arange(n) if part == 1.0 else np.setdiff1d(np.arange(n), placed)
                for weight in (0.0, 0.3, 1.0, 3.0):
                    h = taxonomy_linkage(X, tree, weight=weight, unplaced="mean")
                    found.setdefault(f"distance + {weight:g} taxonomy", []).append(
                        tt.pairwise_f_score(y[judged], tt.cut(h, k, rule="size")[judged])
                    )
                triplets = tt.decompose(tree)
                for label, model in (
                    ("ReCon average", ReCon(k, linkage="average")),
                    ("ReCon ward", ReCon(k, linkage="ward")),
                ):
                    labels = model.fit(X, triplets=triplets).labels_
                    found.setdefault(label, []).append(tt.pairwise_f_score(y[judged], labels[judged]))
                metric = MahalanobisMetric(on_degenerate="euclidean")
                Z = metric.fit_transform(X, triplets=sample_class_triplets(y, n, samples=placed, random_state=seed))
                labels = ReCon(k, linkage="ward").fit(Z, triplets=triplets).labels_
                found.setdefault("ReCon ward, metric", []).append(tt.pairwise_f_score(y[judged], labels[judged]))
            for label, scores in found.items():
                table.add(f"{name} {part:.0%}", label, n, None, None, np.mean(scores), None, None, None, None)


if __name__ == "__main__":
    warnings.simplefilter("ignore", UserWarning)
    columns = [("data", 16), ("metric or method", 24), ("n", 6), ("m", 6)]
    columns += [("F k-means", 9), ("F ReCon", 8), ("F RC ward", 9), ("F ward", 7), ("violated", 8), ("seconds", 8)]
    with threadpool_limits(1):
        table = Table("metrics learned from triplets", columns)
        quality(table)
        speed(table)
        taxonomy(table)
        table.done()
