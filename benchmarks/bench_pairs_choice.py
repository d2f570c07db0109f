"""How ReCon with pairs should choose between two clusterings, on simulated data: `are_clades_better` names this script.

It chooses between clusters near to those without pairs and clades under pairs, by how far clusters without pairs are
from the pairs (`far`: 0 where they keep all, 0.5 as by chance) and by how much larger the squared distances of clades
to their means are (`ratio`). Cases in which one of both is missing, or nothing is violated, leave no choice.
Rules are pairs (a, b): clades where far > a or ratio <= b. Nothing here is in the data that benchmarks report.
Cases go to results/pairs_choice.csv; --table prints the rules from there without new runs.
"""

import csv
import sys
import warnings
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from tripletree import datasets
from tripletree.algorithms.supervision import sample_class_pairs
from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative import paired_cut

N, SEEDS, SHARES = 200, range(100, 110), (20, 4, 2, 1)  # samples, seeds, n / these pairs
LINKAGES = ("ward", "centroid", "average", "complete", "single")
RESULTS = Path(__file__).parent / "results" / "pairs_choice.csv"
FIELDS = ("kind", "set", "linkage", "share", "seed", "far", "ratio", "near", "clades")
NEVER = float("inf")


def grown_tree(k, signal, seed):
    """Leaves of a Yule tree whose traits do a random walk; classes are the clades below its first k lineages."""
    rng = np.random.default_rng(seed)
    at, of = np.zeros((1, 6)), np.zeros(1, int)
    while len(at) < N:
        at = at + rng.normal(size=at.shape) * np.sqrt(rng.exponential() / len(at)) * (signal if len(at) <= k else 1)
        i = rng.integers(len(at))
        at = np.concatenate([at, at[[i]]])
        of = np.concatenate([of, of[[i]]]) if len(at) > k else np.arange(len(at))
    return at + 0.1 * rng.normal(size=at.shape), of


def sets(seed):
    for k in (3, 6):
        for spread in (1.5, 2.5, 3.5, 5):
            yield "blobs", f"{k} of {spread}", *make_blobs(N, 5, centers=k, cluster_std=spread, random_state=seed)
        X, y = make_blobs(N, 3, centers=k, cluster_std=2, random_state=seed)
        yield "stretched", f"{k}", X @ np.random.default_rng(seed).normal(size=(3, 3)), y
        for signal in (1, 3):
            yield "trees", f"{k}, signal {signal}", *grown_tree(k, signal, seed)
    for shape in ("make_circles", "make_cell_walls", "make_xor", "make_storm_clouds"):
        yield "shapes", shape[5:], *getattr(datasets, shape)(N, random_state=seed)


def run():
    rule, seen = paired_cut.are_clades_better, []
    scatter = paired_cut._scatter

    def record(far, near, clades, points, are_distances):
        if near is not None:
            ratio = scatter(clades, points, are_distances) / scatter(near, points, are_distances)
            seen.append((far, ratio, adjusted_rand_score(y, near), adjusted_rand_score(y, clades)))
        return rule(far, near, clades, points, are_distances)

    with RESULTS.open("w", newline="") as file, patch.object(paired_cut, "are_clades_better", record):
        out = csv.writer(file, lineterminator="\n")
        out.writerow(FIELDS)
        for seed in SEEDS:
            for kind, name, X, y in sets(seed):
                for linkage in LINKAGES:
                    for share in SHARES:
                        seen.clear()
                        pairs = sample_class_pairs(y, N // share, random_state=seed)
                        ReCon(len(np.unique(y)), linkage=linkage).fit(X, pairs=pairs)
                        for found in seen:
                            if found[0] > 0:
                                out.writerow([kind, name, linkage, share, seed, *(f"{x:.4f}" for x in found)])


def table():
    rows = list(csv.DictReader(RESULTS.open()))
    far, ratio, near, clades = (np.array([float(x[name]) for x in rows]) for name in FIELDS[5:])
    kinds, odd = np.array([x["kind"] for x in rows]), np.array([int(x["seed"]) % 2 for x in rows]) == 1
    rules = {"near": (NEVER, 0), "clades": (0, 0), "are_clades_better": (0.25, 1)}
    grid = [(a, b) for a in np.arange(0.1, 0.51, 0.02).round(2) for b in (0, 0.98, 1, 1.01, 1.02, 1.03, 1.05, 1.1, 1.2)]

    def scores(a, b, which):  # each kind counts alike
        chosen = np.where((far > a) | (ratio <= b), clades, near)
        return [chosen[which & (kinds == kind)].mean() for kind in names]

    names = sorted(set(kinds))
    for half, where in (("even seeds", ~odd), ("odd seeds", odd)):
        rules[f"best of a grid on {half}"] = max(grid, key=lambda x: np.mean(scores(*x, where)))
    print(f"adjusted Rand index over {len(rows)} cases of simulated data, even and odd seeds apart\n")
    print(f"{'rule':<28}{'a':>5}{'b':>6}" + "".join(f"{x:>18}" for x in [*names, "mean"]))
    for rule, (a, b) in rules.items():
        halves = [scores(a, b, where) for where in (~odd, odd)]
        cells = [*zip(*halves, strict=True), [np.mean(x) for x in halves]]
        print(f"{rule:<28}{a:>5}{b:>6}" + "".join(f"{x:>10.4f}{y:>8.4f}" for x, y in cells))
    best = np.maximum(near, clades)
    halves = [[best[where & (kinds == kind)].mean() for kind in names] for where in (~odd, odd)]
    print(f"{'the better of both':<39}" + "".join(f"{x:>10.4f}{y:>8.4f}" for x, y in zip(*halves, strict=True)))
    counts = Counter(kinds.tolist())
    print(f"{'cases':<39}" + "".join(f"{counts[x]:>18}" for x in names))


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "no n_clusters")
    if "--table" not in sys.argv:
        run()
    table()
