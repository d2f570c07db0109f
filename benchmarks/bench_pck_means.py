"""PCKMeans and MPCKMeans: quality at 200 random pairs of classes, and time beside scikit-learn's KMeans."""

import warnings
from itertools import product

import numpy as np
from _data import load, standardized
from _harness import Table, cpu_seconds
from bench_labels import DEVELOPMENT, REPORTING, data_of
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import tripletree as tt
from tripletree.cluster import MPCKMeans, PCKMeans

SEEDS = 5
OF_CASES = ("iris", "wine", "breast cancer", "ionosphere", "pendigits 389", "letter IJLT", "blobs", "rings")


def cases():
    for name, loader in (("iris", load_iris), ("wine", load_wine), ("wdbc", load_breast_cancer)):
        yield name, *loader(return_X_y=True)
    yield "ionosphere", *load("ionosphere")
    for name, source, classes in (("digits-389", "pendigits", "389"), ("letters-IJLT", "letter", "IJLT")):
        X, y = load(source)
        some = np.isin(y, list(classes))
        yield name, X[some], y[some]


def random_pairs(y, n, rng):
    """n pairs of samples, drawn at random, by their classes."""
    rows = rng.integers(0, len(y), (2 * n + 10, 2))
    rows = np.sort(rows[rows[:, 0] != rows[:, 1]][:n], axis=1)
    together = y[rows[:, 0]] == y[rows[:, 1]]
    return rows[together], rows[~together]


def quality(table):
    for name, X, y in cases():
        X, k = standardized(X), len(set(y))
        for method, make in METHODS.items():
            scores, violated, seconds = [], [], []
            for seed in range(SEEDS):
                pairs = random_pairs(y, 200, np.random.default_rng(seed))
                took, model = cpu_seconds(lambda k=k, s=seed, X=X, p=pairs, make=make: make(k, s, X, p), repeat=1)
                scores.append(tt.pairwise_f_score(y, model.labels_))
                seconds.append(took)
                violated.append(len(getattr(model, "violated_pairs_", ())))
            table.add(name, method, len(X), X.shape[1], k, np.mean(scores), np.mean(violated), np.mean(seconds), None)


METHODS = {
    "KMeans": lambda k, s, X, p: KMeans(k, n_init=10, random_state=s).fit(X),
    "PCKMeans": lambda k, s, X, p: PCKMeans(k, random_state=s).fit(X, pairs=p),
    **{
        f"MPCKMeans {metric}{' shared' if shared else ''}": lambda k, s, X, p, metric=metric, shared=shared: MPCKMeans(
            k, metric=metric, shared_metric=shared, random_state=s
        ).fit(X, pairs=p)
        for metric, shared in product(("diagonal", "full"), (False, True))
    },
}


def other_tables():
    """Mean pairwise F on thirteen tables that are not among the cases, at 50 and 200 pairs."""
    names = [name for name, make in (DEVELOPMENT | REPORTING).items() if make is not None and name not in OF_CASES]
    methods = {name: make for name, make in METHODS.items() if name.startswith("MPCKMeans")}
    found = np.zeros((len(names), 2, SEEDS, len(methods)))
    for (i, name), (j, m), seed in product(enumerate(names), enumerate((50, 200)), range(SEEDS)):
        data = data_of(name, (DEVELOPMENT | REPORTING)[name], seed, 300)
        pairs = random_pairs(data.y, m, np.random.default_rng(seed))
        for h, make in enumerate(methods.values()):
            found[i, j, seed, h] = tt.pairwise_f_score(data.y, make(data.k, seed, data.X, pairs).labels_)
    print("\nother tables: " + ", ".join(methods))
    for name, line in [*zip(names, found.mean(axis=(1, 2)), strict=True), ("mean", found.mean(axis=(0, 1, 2)))]:
        print(f"{name:<16}" + "".join(f"{x:8.3f}" for x in line))


def speed(table):
    """One start, 20 iterations, n/10 pairs."""
    rng = np.random.default_rng(0)
    for n, d, k in ((3000, 16, 4), (10_000, 16, 4), (10_000, 16, 26)):
        y = rng.integers(0, k, n)
        X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(k, d))[y]
        pairs = random_pairs(y, n // 10, rng)
        once = {"n_init": 1, "max_iter": 20, "tol": 0.0, "random_state": 0, "init": "k-means++"}
        base, plain = cpu_seconds(lambda k=k, X=X, once=once: KMeans(k, algorithm="lloyd", **once).fit(X))
        table.add("blobs", "KMeans 1 start", n, d, k, None, None, base / plain.n_iter_ * 20, 1.0)
        for name, make in SPEED.items():
            took, model = cpu_seconds(lambda k=k, X=X, p=pairs, once=once, make=make: make(k, once).fit(X, pairs=p))
            each = took / model.n_iter_ / (base / plain.n_iter_)
            violated = len(model.violated_pairs_)
            table.add("blobs", f"{name} 1 start", n, d, k, None, violated, took / model.n_iter_ * 20, each)


SPEED = {
    "PCKMeans": lambda k, once: PCKMeans(k, **once),
    "MPCKMeans diagonal": lambda k, once: MPCKMeans(k, metric="diagonal", shared_metric=False, **once),
    "MPCKMeans full": lambda k, once: MPCKMeans(k, shared_metric=False, **once),
    "MPCKMeans full shared": lambda k, once: MPCKMeans(k, **once),
}


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    threadpool_limits(1)  # CPU seconds of threads that wait for each other say nothing
    columns = [("set", 13), ("method", 22), ("n", 6), ("d", 3), ("k", 3), ("pairwise F", 10), ("violated", 8)]
    table = Table("k-means with soft pairs", [*columns, ("seconds", 8), ("ratio", 6)])
    for make in SPEED.values():  # compile
        make(2, {"n_init": 1}).fit(np.random.default_rng(0).normal(size=(5000, 16)), pairs=([(0, 1)], [(0, 2)]))
    speed(table)
    quality(table)
    table.done()
    other_tables()


if __name__ == "__main__":
    main()
