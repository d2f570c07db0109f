"""Two trees of the package side by side: how much slower or faster a common call has become.

    python benchmarks/bench_versions.py OLD NEW [--rounds 3] [--csv FILE]

OLD and NEW are folders with a compiled package each (`make core`). Each round runs all calls in a process of its own
for each tree, in turn, and the least CPU seconds of all rounds count: so load that comes and goes hits both.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

#: Names of calls, and how many times a round repeats each (the least counts).
SMALL, LARGE = 7, 2


def calls(folder):
    """The calls, by name: made in the process of a tree, whose package is imported here."""
    import numpy as np

    import tripletree as tt
    from tripletree import cluster

    def table(n, d=8, k=5):
        rng = np.random.default_rng(0)
        y = np.arange(n) % k
        return rng.normal(size=(n, d)) + 3 * np.eye(k, d)[y], y

    X, y = table(500)
    big, of_big = table(5000)
    few = tt.sample_class_triplets(y, 500, random_state=0)
    many = tt.sample_class_triplets(of_big, 5000, random_state=0)
    pairs = tt.sample_class_pairs(y, 100, random_state=0)
    tree = cluster.ReCon(5).fit(big).hierarchy_
    shown = tt.sample_triplets(tree, 50_000, random_state=0)
    rows, is_wrong = shown.rows[:2000], np.random.default_rng(1).random((2000, 1)) < 0.1
    wrong = tt.TripletSet(np.where(is_wrong, rows[:, [0, 2, 1]], rows), shown.leaves)
    newick, triplets = folder / "tree.nwk", folder / "triplets.txt"
    tt.write_newick(tree, newick)
    tt.write_triplets(shown, triplets)
    hard, soft = (cluster.DivisiveReCon(5, constraints=x) for x in ("hard", "soft"))
    return {
        "ReCon, 500": (SMALL, lambda: cluster.ReCon(5).fit(X)),
        "ReCon, 500, triplets": (SMALL, lambda: cluster.ReCon(5).fit(X, triplets=few)),
        "ReCon, 500, average, triplets": (SMALL, lambda: cluster.ReCon(5, linkage="average").fit(X, triplets=few)),
        "ReCon, 500, penalty": (SMALL, lambda: cluster.ReCon(5, penalty="auto").fit(X, triplets=few)),
        "ReCon, 500, pairs": (SMALL, lambda: cluster.ReCon(5).fit(X, pairs=pairs)),
        "ReCon, 5,000, triplets": (LARGE, lambda: cluster.ReCon(5).fit(big, triplets=many)),
        "DivisiveReCon, 500": (SMALL, lambda: cluster.DivisiveReCon(5).fit(X)),
        "DivisiveReCon, 500, hard triplets": (LARGE, lambda: hard.fit(X, triplets=few)),
        "DivisiveReCon, 500, soft triplets": (LARGE, lambda: soft.fit(X, triplets=few)),
        "complete link, 500, pairs": (SMALL, lambda: cluster.ConstrainedCompleteLink(5).fit(X, pairs=pairs)),
        "COPKMeans, 500, pairs": (SMALL, lambda: cluster.COPKMeans(5, random_state=0).fit(X, pairs=pairs)),
        "PCKMeans, 500, pairs": (SMALL, lambda: cluster.PCKMeans(5, random_state=0).fit(X, pairs=pairs)),
        "MPCKMeans, 500, pairs": (SMALL, lambda: cluster.MPCKMeans(5, random_state=0).fit(X, pairs=pairs)),
        "CVQE, 500, pairs": (SMALL, lambda: cluster.CVQE(5, random_state=0).fit(X, pairs=pairs)),
        "one_tree, 50,000 triplets": (SMALL, lambda: tt.one_tree(shown)),
        "repair, 2,000 triplets, 10 % wrong": (LARGE, lambda: tt.repair(wrong, random_state=0)),
        "decompose, 5,000 leaves": (SMALL, lambda: tt.decompose(tree)),
        "displays, 50,000 triplets": (SMALL, lambda: tt.displays(tree, shown)),
        "Newick, 5,000 leaves": (SMALL, lambda: tt.read_newick(newick)),
        "triplets from text, 50,000": (SMALL, lambda: tt.read_triplets(triplets)),
    }


def measured():
    """Print the CPU seconds of each call of the package that is first in the path."""
    import gc
    import time

    warnings.simplefilter("ignore")
    took = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (repeats, call) in calls(Path(folder)).items():
            call()
            least = float("inf")
            for _ in range(repeats):
                gc.collect()
                start = time.process_time()
                call()
                least = min(least, time.process_time() - start)
            took[name] = least
    print(json.dumps(took))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE", help="two folders: old, new")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--csv", type=Path, help="write the table there, too")
    options = parser.parse_args()
    if not options.trees:
        measured()
        return
    rounds = {tree: [] for tree in options.trees}
    for _ in range(options.rounds):
        for tree, found in rounds.items():
            one = {"PYTHONPATH": str(tree.resolve()), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            command = [sys.executable, __file__]
            done = subprocess.run(command, env=os.environ | one, stdout=subprocess.PIPE, text=True, check=True)
            found.append(json.loads(done.stdout))
    old, new = ({name: min(x[name] for x in found) for name in found[0]} for found in rounds.values())
    rows = [(x, f"{1000 * old[x]:.4g}", f"{1000 * new[x]:.4g}", f"{new[x] / old[x]:.2f}") for x in old]
    columns = ("call", "old, ms", "new, ms", "new over old")
    for row in (columns, *rows):
        print(row[0].ljust(38), *(x.rjust(14) for x in row[1:]))
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *rows])


if __name__ == "__main__":
    main()
