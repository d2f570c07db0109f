"""CVQE, LCVQE and CVQE+: time beside scikit-learn's KMeans, growth, warm starts, and quality at 200 random pairs."""

import warnings
from functools import partial

import numpy as np
from _data import load, load_seeds, standardized
from _harness import Table, cpu_seconds, exponent
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score
from threadpoolctl import threadpool_limits

from tripletree.cluster import PCKMeans
from tripletree.cluster.kmeans.cvqe import CVQE

SEEDS = 10
METHODS = {name: partial(CVQE, variant=name.lower()) for name in ("CVQE", "LCVQE", "CVQE+")}


def random_pairs(y, n, rng):
    """n pairs of samples, drawn at random, by their classes."""
    rows = rng.integers(0, len(y), (2 * n + 10, 2))
    rows = np.sort(rows[rows[:, 0] != rows[:, 1]][:n], axis=1)
    together = y[rows[:, 0]] == y[rows[:, 1]]
    return rows[together], rows[~together]


def blobs(n, d, k, rng):
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(k, d))[y], y


def speed(table):
    """One start, 20 iterations, n/10 pairs: seconds for 20 iterations, and that over KMeans'."""
    rng = np.random.default_rng(0)
    sizes = [(10_000, 16, 4), (10_000, 16, 26), (100_000, 16, 10)]
    sizes += [(1_000_000, 16, 10)] if table.options.large else []
    for n, d, k in sizes:
        X, y = blobs(n, d, k, rng)
        pairs = random_pairs(y, n // 10, rng)
        once = {"n_init": 1, "max_iter": 20, "tol": 0.0, "random_state": 0}
        base, plain = cpu_seconds(lambda k=k, X=X, once=once: KMeans(k, algorithm="lloyd", **once).fit(X))
        table.add("speed", "KMeans 1 start", n, d, k, None, None, None, base / plain.n_iter_ * 20, 1.0)
        for name, Method in METHODS.items():
            took, model = cpu_seconds(lambda k=k, X=X, p=pairs, once=once, M=Method: M(k, **once).fit(X, pairs=p))
            each = took / model.n_iter_ * 20
            violated = len(model.violated_pairs_)
            table.add("speed", name, n, d, k, None, violated, None, each, each / (base / plain.n_iter_ * 20))


def growth(table):
    """The exponent of the time in n, with n/10 pairs, and in the pairs, of which one sample is in a hundredth."""
    rng = np.random.default_rng(0)
    once = {"n_init": 1, "max_iter": 10, "tol": 0.0, "random_state": 0}
    for name, Method in METHODS.items():
        for what, cases in (
            ("n and pairs", ((20_000, 2_000), (160_000, 16_000))),
            ("pairs", ((20_000, 20_000), (20_000, 160_000))),
        ):
            points = []
            for n, p in cases:
                X, y = blobs(n, 8, 10, rng)
                pairs = random_pairs(y, p, rng)
                took, model = cpu_seconds(lambda X=X, pairs=pairs, M=Method: M(10, **once).fit(X, pairs=pairs))
                points.append((max(n, p), took / model.n_iter_))
            table.add("growth", f"{name} in {what}", *cases[1], 10, None, None, None, points[1][1], exponent(*points))


def warm(table):
    """Ten new pairs, ten times: iterations and seconds from k-means++ and from the centres of the fit before."""
    rng = np.random.default_rng(0)
    for name, Method in METHODS.items():
        n_iter, seconds = np.zeros(2), np.zeros(2)
        for seed in range(SEEDS):
            X, y = blobs(5_000, 8, 6, np.random.default_rng(seed))
            must, cannot = random_pairs(y, 600, rng)
            share = len(must) / 600
            centres = None
            for block in range(1, 11):
                pairs = must[: int(60 * block * share)], cannot[: int(60 * block * (1 - share))]
                for kind, init in enumerate(["k-means++", centres]):
                    if init is None:
                        continue
                    took, model = cpu_seconds(
                        lambda X=X, p=pairs, i=init, M=Method, s=seed: M(6, init=i, n_init=1, random_state=s).fit(
                            X, pairs=p
                        ),
                        repeat=1,
                    )
                    if block > 1:
                        n_iter[kind] += model.n_iter_
                        seconds[kind] += took
                    last = model
                centres = last.cluster_centers_
        runs = 9 * SEEDS
        for kind, what in enumerate(("cold", "warm")):
            table.add(
                *("warm", f"{name} {what}", 5_000, 8, 6, n_iter[kind] / runs),
                *(None, None, seconds[kind] / runs, n_iter[kind] / n_iter[0]),
            )


def quality(table):
    """NMI with 200 random pairs of classes: the mean and the spread of runs, and how many pairs are violated."""
    for name, X, y in cases():
        X, k = standardized(X), len(set(y))
        for method, make in MODELS.items():
            scores, violated, seconds = [], [], []
            for seed in range(SEEDS):
                pairs = random_pairs(y, 200, np.random.default_rng(seed))
                took, model = cpu_seconds(lambda k=k, s=seed, X=X, p=pairs, make=make: make(k, s, X, p), repeat=1)
                scores.append(normalized_mutual_info_score(y, model.labels_))
                violated.append(len(getattr(model, "violated_pairs_", ())))
                seconds.append(took)
            text = f"{np.mean(scores):.3f}+-{np.std(scores):.3f}"
            table.add(name, method, *X.shape, k, None, np.mean(violated), text, np.mean(seconds), None)


def cases():
    for name, loader in (("iris", load_iris), ("wine", load_wine), ("wdbc", load_breast_cancer)):
        yield name, *loader(return_X_y=True)
    yield "seeds", *load_seeds()
    for name in ("ecoli", "optdigits"):
        yield name, *load(name)


MODELS = {
    "KMeans": lambda k, s, X, p: KMeans(k, n_init=10, random_state=s).fit(X),
    **{name: lambda k, s, X, p, M=M: M(k, random_state=s).fit(X, pairs=p) for name, M in METHODS.items()},
    "PCKMeans": lambda k, s, X, p: PCKMeans(k, random_state=s).fit(X, pairs=p),
}


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    threadpool_limits(1)  # CPU seconds of threads that wait for each other say nothing
    columns = [("set", 10), ("method", 20), ("n", 7), ("d", 6), ("k", 3), ("iterations", 10), ("violated", 8)]
    table = Table("constrained vector quantisation", [*columns, ("NMI", 13), ("seconds", 9), ("ratio/exp.", 10)])
    for Method in METHODS.values():  # compile
        Method(2, n_init=1).fit(np.random.default_rng(0).normal(size=(5000, 16)), pairs=([(0, 1)], [(0, 2)]))
    speed(table)
    growth(table)
    warm(table)
    quality(table)
    table.done()


if __name__ == "__main__":
    main()
