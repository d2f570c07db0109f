"""Boosted constrained k-means: time beside one constrained k-means, and the curves of NMI over the number of pairs.

The paper (Okabe, Yamada 2012) gives, with 500 constraints, seconds of CKM / BCKM: iris 0.05 / 3.10, glass 0.06 / 5.56,
wdbc 0.18 / 18.13: ratios of 62, 93 and 101. Its curves are means of 10 draws of constraints: ``--draws 10``.
"""

import csv
import sys
import time
import warnings

import numpy as np
from _data import _found, load, standardized
from _harness import Table, cpu_seconds
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score
from threadpoolctl import threadpool_limits

from tripletree.cluster import PCKMeans
from tripletree.cluster.kmeans.boosted import BoostedConstrainedKMeans

SETS = ("iris", "wine", "parkinsons", "sonar", "segmentation", "glass", "ionosphere", "wdbc", "balance")
SIZES = (100, 200, 300, 400, 500)
PAPER = {"iris": (0.05, 3.10), "glass": (0.06, 5.56), "wdbc": (0.18, 18.13)}


def cases():
    """Name, samples (standardized) and classes of each set at hand."""
    for name in SETS:
        found = _rows(name)
        if found is not None:
            yield name, standardized(found[0]), found[1]


def _rows(name):
    if name == "wdbc":
        return load_breast_cancer(return_X_y=True)
    if name in {"parkinsons", "segmentation"}:
        path = _found(f"{name}.data")
        if path is None:
            print(f"left out: {name}.data is in no folder of TRIPLETREE_DATA")
            return None
        with path.open(encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if len(row) > 5 and not row[0].startswith(";")]
        head, rows = rows[0], rows[1:]
        if name == "segmentation":
            return np.array([row[1:] for row in rows], float), np.array([row[0] for row in rows])
        y = head.index("status")
        X = [[x for k, x in enumerate(row) if k not in {0, y}] for row in rows]
        return np.array(X, float), np.array([row[y] for row in rows])
    return load({"balance": "balance.scale"}.get(name, name))


def random_pairs(y, n, rng):
    """n pairs of samples, drawn at random, by their classes."""
    rows = rng.integers(0, len(y), (2 * n + 10, 2))
    rows = np.sort(rows[rows[:, 0] != rows[:, 1]][:n], axis=1)
    together = y[rows[:, 0]] == y[rows[:, 1]]
    return rows[together], rows[~together]


METHODS = {
    "KMeans": lambda k, s, X, p: KMeans(k, n_init=10, random_state=s).fit(X),
    "CKM": lambda k, s, X, p: BoostedConstrainedKMeans(k, priorities="none", random_state=s).fit(X, pairs=p),
    "RCKM": lambda k, s, X, p: BoostedConstrainedKMeans(k, priorities="random", random_state=s).fit(X, pairs=p),
    "BCKM": lambda k, s, X, p: BoostedConstrainedKMeans(k, random_state=s).fit(X, pairs=p),
    "BCKM, stop when perfect": lambda k, s, X, p: BoostedConstrainedKMeans(
        k, stop_when_perfect=True, random_state=s
    ).fit(X, pairs=p),
    "PCKMeans": lambda k, s, X, p: PCKMeans(k, random_state=s).fit(X, pairs=p),
}


def curves(table, draws):
    """Mean and deviation of the NMI over some draws of pairs, the same ones for each method."""
    for name, X, y in cases():
        k = len(set(y.tolist()))
        for method, make in METHODS.items():
            for size in SIZES:
                scores, held, rounds, seconds = [], [], [], []
                for seed in range(draws):
                    pairs = random_pairs(y, size, np.random.default_rng(seed))
                    begin = time.process_time()
                    model = make(k, seed, X, pairs)
                    seconds.append(time.process_time() - begin)
                    scores.append(normalized_mutual_info_score(y, model.labels_))
                    held.append(1 - len(getattr(model, "violated_pairs_", ())) / size)
                    rounds.append(model.n_iter_)
                plain = method == "KMeans"
                row = [len(X), X.shape[1], k, None if plain else size, float(np.mean(scores)), float(np.std(scores))]
                more = [None, None] if plain else [float(np.mean(held)), float(np.mean(rounds))]
                table.add(name, method, *row, *more, float(np.mean(seconds)), None, None)
                if plain:
                    break


def speed(table):
    """Beside one round alone, which is CKM, with 500 pairs."""
    for name, X, y in cases():
        k = len(set(y.tolist()))
        pairs = random_pairs(y, 500, np.random.default_rng(0))
        ones = [cpu_seconds(lambda s=s, k=k, X=X, p=pairs: METHODS["CKM"](k, s, X, p))[0] for s in range(5)]
        one = float(np.mean(ones))
        table.add(f"{name} time", "CKM", len(X), X.shape[1], k, 500, None, None, None, 1, one, 1.0, None)
        for method in ("RCKM", "BCKM", "BCKM, stop when perfect"):
            took, model = cpu_seconds(lambda k=k, X=X, p=pairs, make=METHODS[method]: make(k, 0, X, p))
            paper = PAPER[name][1] / PAPER[name][0] if name in PAPER and method == "BCKM" else None
            size = [len(X), X.shape[1], k, 500, None, None, None]
            table.add(f"{name} time", method, *size, model.n_iter_, took, took / one, paper)


def growth(table):
    """Time over the number of samples: three blobs each of two classes, n/20 pairs, 20 rounds."""
    for n in (1_000, 10_000, 100_000):
        rng = np.random.default_rng(0)
        blob = rng.integers(0, 6, n)
        X, y = rng.normal(size=(n, 8)) + 4 * rng.normal(size=(6, 8))[blob], blob // 3
        pairs = random_pairs(y, n // 20, rng)
        make = {"n_rounds": 20, "n_init": 3, "random_state": 0}
        took, model = cpu_seconds(
            lambda X=X, p=pairs, make=make: BoostedConstrainedKMeans(2, **make).fit(X, pairs=p), repeat=1
        )
        score = normalized_mutual_info_score(y, model.labels_)
        held = 1 - len(model.violated_pairs_) / (n // 20)
        table.add("blobs", "BCKM, 20 rounds", n, 8, 2, n // 20, score, None, held, model.n_iter_, took, None, None)


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    threadpool_limits(1)  # CPU seconds of threads that wait for each other say nothing
    draws = 3
    if "--draws" in sys.argv:
        at = sys.argv.index("--draws")
        draws = int(sys.argv[at + 1])
        del sys.argv[at : at + 2]
    columns = [("set", 17), ("method", 23), ("n", 6), ("d", 3), ("k", 3), ("pairs", 5), ("NMI", 7), ("deviation", 9)]
    columns += [("held", 7), ("rounds", 6), ("seconds", 9), ("ratio", 7), ("paper's", 7)]
    table = Table(f"boosted constrained k-means ({draws} draws of pairs)", columns)
    warm = np.random.default_rng(0).normal(size=(50, 2))
    for make in METHODS.values():  # compile
        make(2, 0, warm, (np.array([[0, 1]]), np.array([[1, 2]])))
    speed(table)
    growth(table)
    curves(table, draws)
    table.done()


if __name__ == "__main__":
    main()
