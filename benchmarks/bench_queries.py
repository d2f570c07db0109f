"""Active queries: NMI of CVQE+ with the answers of each strategy, and the growth of time with the samples.

The sets and the protocol are those of Mai et al. (2018): 100 questions in blocks of 10, the mean and the spread of 10
runs. Libras is not at hand. ``--large`` adds the slow strategies on the larger sets, and 1,000,000 samples.
"""

import warnings

import numpy as np
from _data import load, load_seeds
from _harness import Table, cpu_seconds, exponent
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import normalized_mutual_info_score
from threadpoolctl import threadpool_limits

from tripletree.cluster import ActiveClustering, labels_oracle
from tripletree.cluster.active import STRATEGIES
from tripletree.cluster.kmeans.cvqe import CVQE

RUNS, AT = 10, (0, 20, 50, 100)
#: A forest, or all distances to what is known, for each question.
SLOW = ("npu", "minmax", "explore", "huang")


def cases():
    yield "iris", *load_iris(return_X_y=True)
    yield "seeds", *load_seeds()
    yield "ecoli", *load("ecoli")
    yield "wdbc", *load_breast_cancer(return_X_y=True)
    yield "optdigits", *load("optdigits")


def scaled(X):
    """Features in 0..1."""
    width = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(width > 0, width, 1.0)


def curve(X, y, strategy, seed, **options):
    """NMI after each number of questions."""
    found = {}

    def note(model, part):
        found[part.n_asked] = normalized_mutual_info_score(y, model.labels_)

    model = ActiveClustering(CVQE(len(set(y)), n_init=3), strategy, random_state=seed, **options)
    model.fit(X, oracle=labels_oracle(y), callback=note)
    last = found[max(found)]  # where all is known before, the rest of the questions would change nothing
    return [found.get(n, last) for n in AT]


def quality(table):
    for name, X, y in cases():
        X = scaled(X)
        for strategy in (*STRATEGIES, "border, nothing inherited", "random, nothing inherited"):
            short = strategy.split(",")[0]
            if len(X) > 1000 and short in SLOW and not table.options.large:
                continue
            options = {} if short == strategy else {"inherit": False}
            runs = RUNS if len(X) < 1000 else 3
            took, found = cpu_seconds(
                lambda X=X, y=y, s=short, o=options, r=runs: [curve(X, y, s, seed, **o) for seed in range(r)], repeat=1
            )
            mean, spread = np.mean(found, axis=0), np.std(found, axis=0)
            table.add(name, strategy, len(X), *mean.tolist(), float(spread[-1]), took / runs, None)


def blobs(n, d=10, k=5):
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 2.0 * rng.normal(size=(k, d))[y], y


def growth(table):
    for strategy in ("random-walk", "border", "random", "explore", "minmax", "huang", "npu"):
        before = None
        largest = {"border": 10**6, "random": 10**6, "npu": 10**4}.get(strategy, 10**5)
        for n in (10**3, 10**4, 10**5, 10**6):
            if n > (largest if table.options.large else min(largest, 10**5)):
                break
            X, y = blobs(n)
            model = ActiveClustering(CVQE(5, n_init=1), strategy, random_state=0)
            took, _ = cpu_seconds(lambda X=X, y=y, m=model: m.fit(X, oracle=labels_oracle(y)), repeat=2, budget=5.0)
            grows = None if before is None else exponent(before, (n, took))
            table.add("blobs", strategy, n, *[None] * (len(AT) + 1), took, grows)
            before = n, took


def main():
    warnings.simplefilter("ignore")
    threadpool_limits(1)  # CPU seconds of threads that wait for each other say nothing
    columns = [("set", 9), ("strategy", 25), ("n", 7), *((f"NMI {n}", 7) for n in AT), ("spread", 6)]
    table = Table("active queries: 100 questions in blocks of 10", [*columns, ("seconds", 8), ("growth", 6)])
    X, y = blobs(3000)
    for strategy in ("border", "npu"):  # compile
        ActiveClustering(CVQE(5, n_init=1), strategy, n_queries=30).fit(X, oracle=labels_oracle(y))
    growth(table)
    quality(table)
    table.done()


if __name__ == "__main__":
    main()
