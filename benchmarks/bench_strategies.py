"""Which pairs to ask about: each strategy of `ActiveClustering` with each estimator, one setting for all sets.

The sets, and how they are divided, are those of `bench_questions_asked.py`; of larger sets 500 samples are drawn.
Features have mean 0 and deviation 1; estimators are told the number of classes. 100 questions in blocks of ten; a share
of the answers may be wrong. Pairwise F and the adjusted Rand index after each number of questions.

Rows that are in the CSV file already are not run again, so a run can be interrupted, and more sets or seeds added:

    python benchmarks/bench_strategies.py benchmarks/results/strategies.csv --seeds 3
    python benchmarks/bench_strategies.py benchmarks/results/strategies.csv --tables
"""

import argparse
import csv
import signal
import time
import warnings
from functools import cache
from pathlib import Path

import bench_questions_asked as asked
import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from tripletree import pairwise_f_score
from tripletree.cluster import CVQE, ActiveClustering, ConstrainedCompleteLink, COPKMeans, MPCKMeans, PCKMeans, ReCon
from tripletree.cluster.active import STRATEGIES

AT = (0, 20, 50, 100)
MOST = 500
#: Seconds that a run may take.
LIMIT = 60
ESTIMATORS = {
    "CVQE": CVQE,
    "PCKMeans": PCKMeans,
    "MPCKMeans": MPCKMeans,
    "COPKMeans": COPKMeans,
    "complete link": ConstrainedCompleteLink,
    "ReCon": ReCon,
}
HEADER = ["set", "strategy", "estimator", "wrong", "seed", "questions", "f", "rand", "seconds"]


def too_slow(*_):
    raise TimeoutError(f"more than {LIMIT} s")


@cache
def data_set(name):
    X, y = asked.data_set(name)
    rows = np.random.default_rng(1).permutation(len(y))[:MOST]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def run(name, strategy, estimator, wrong, seed):
    """Rows of results."""
    X, y = data_set(name)
    found = {}
    start = time.process_time()

    def note(model, part):
        took = time.process_time() - start
        found[part.n_asked] = pairwise_f_score(y, model.labels_), adjusted_rand_score(y, model.labels_), took

    model = ActiveClustering(ESTIMATORS[estimator](len(set(y))), strategy, n_queries=AT[-1], random_state=seed)
    model.fit(X, oracle=asked.Person(y, wrong, seed).together, callback=note)
    for q in AT:  # where all is known before, the rest of the questions would change nothing
        f, rand, took = found[max(x for x in found if x <= q)]
        yield [name, strategy, estimator, wrong, seed, q, f"{f:.4f}", f"{rand:.4f}", f"{took:.2f}"]


def read(path):
    """Results by (set, strategy, estimator, wrong, seed, questions): (f, rand, seconds)."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as file:
        return {
            (*(row[x] for x in HEADER[:3]), float(row["wrong"]), int(row["seed"]), int(row["questions"])): tuple(
                float(row[x]) for x in HEADER[6:]
            )
            for row in csv.DictReader(file)
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", type=Path, help="CSV file of results, which grows")
    parser.add_argument("--sets", default=",".join(asked.DEVELOPMENT + asked.REPORTING))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--estimators", default=",".join(ESTIMATORS))
    parser.add_argument("--wrong", default="0", help="shares of wrong answers")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tables", action="store_true", help="only print the tables")
    options = parser.parse_args()
    if not options.tables:
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGALRM, too_slow)
        done = {key[:5] for key in read(options.path)}
        cells = [
            (name, strategy, estimator, wrong, seed)
            for seed in range(options.seeds)
            for wrong in map(float, options.wrong.split(","))
            for estimator in options.estimators.split(",")
            for name in options.sets.split(",")
            for strategy in options.strategies.split(",")
        ]
        for cell in cells:
            if cell in done:
                continue
            signal.alarm(LIMIT)
            try:
                with threadpool_limits(limits=1):
                    rows = list(run(*cell))
            except Exception as error:  # too slow, or an estimator that finds no way to keep all pairs
                print(*cell, f"failed: {error!r:.200}", flush=True)
                continue
            finally:
                signal.alarm(0)
            fresh = not options.path.exists()
            with options.path.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([HEADER, *rows] if fresh else rows)
            print(*cell, *(row[6] for row in rows), rows[-1][-1] + " s", flush=True)
    tables(read(options.path))


def tables(found):
    for wrong in sorted({key[3] for key in found}):
        for role, names in (("development", asked.DEVELOPMENT), ("reporting", asked.REPORTING)):
            for column, measure in enumerate(("pairwise F", "adjusted Rand index")):
                table(found, [x for x in names if any(key[0] == x for key in found)], wrong, column)
                print(f"({role}, {wrong:.0%} wrong, {measure})")


def table(found, names, wrong, column):
    """Means over sets and seeds after 0, 20, 50, 100 questions; the lead on Border and its standard error over sets."""
    for estimator in ESTIMATORS:
        print(f"\n{estimator:<16}" + "".join(f"{q:>8}" for q in AT) + "   lead on border at 20, 50, 100; ahead, behind")
        curves = {}
        for strategy in STRATEGIES:
            for name in names:
                runs = {key[4] for key in found if key[:4] == (name, strategy, estimator, wrong)}
                if runs:
                    at = [[found[name, strategy, estimator, wrong, s, q][column] for q in AT] for s in sorted(runs)]
                    curves.setdefault(strategy, {})[name] = np.mean(at, axis=0)
        for strategy, mine in curves.items():
            line = f"{strategy:<16}" + "".join(f"{x:8.3f}" for x in np.mean(list(mine.values()), axis=0))
            both = [x for x in mine if x in curves.get("border", {})]
            if strategy != "border" and len(both) > 1:
                lead = np.array([mine[x] - curves["border"][x] for x in both])[:, 1:]
                error = lead.std(axis=0, ddof=1) / np.sqrt(len(both))
                line += "   " + "  ".join(f"{a:+.3f} ({b:.3f})" for a, b in zip(lead.mean(axis=0), error, strict=True))
                line += f"; {np.count_nonzero(lead > 1e-9)}, {np.count_nonzero(lead < -1e-9)} of {lead.size}"
            lacking = len(names) - len(mine)
            print(line + (f"  ({lacking} sets lacking)" if lacking else ""))


if __name__ == "__main__":
    main()
