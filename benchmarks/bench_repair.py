"""Repair of planted noise: weight kept beside what the true hierarchy displays, and seconds, method by method.

Triplets are drawn from a hierarchy; a share of them gets another odd one out. "of truth" is the weight kept over the
weight that the hierarchy they were drawn from displays (above 1: a hierarchy that fits the noisy triplets better);
"agree" is the share of fresh triplets of the true hierarchy that the repaired one displays. The first rows are small
sets, 60 for each method, with the share of the greatest weight possible and how many of them reach it.
"""

import baselines_repair
import numpy as np
from _harness import Table, cpu_seconds
from examples import caterpillar, uniform_binary, yule

import tripletree as tt
from tripletree.algorithms.induce import displays, sample_triplets

METHODS = ["auto", "search", "max_cut", "best_pair", "greedy", "min_cut"]
SHAPES = {"yule": yule, "uniform": uniform_binary, "caterpillar": lambda n, _: caterpillar(n)}
SIZES = [("yule", 50, 500), ("yule", 200, 2_000), ("yule", 200, 10_000), ("yule", 1_000, 20_000)]
SHAPED = [("uniform", 1_000, 20_000), ("caterpillar", 1_000, 20_000)]
BIG = [("yule", 5_000, 100_000), ("yule", 20_000, 200_000)]
HUGE = [("yule", 100_000, 1_000_000)]


def repair(t, method):
    """Ours, or a baseline."""
    if method in baselines_repair.METHODS:
        return baselines_repair.repair_by(method, t)
    return tt.repair(t, method=method)


def planted(h, m, flips, seed):
    """m triplets of a hierarchy, a share of them with another leaf as the odd one."""
    rng = np.random.default_rng(seed)
    rows = sample_triplets(h, m, random_state=seed).rows.copy()
    wrong = np.flatnonzero(rng.random(m) < flips)
    turned = rng.integers(0, 2, wrong.size)
    rows[wrong] = np.where(turned[:, None] == 0, rows[wrong][:, [0, 2, 1]], rows[wrong][:, [1, 2, 0]])
    return tt.TripletSet(rows, h.leaves)


def small_rows(table):
    sets = [planted(yule(12, np.random.default_rng(seed)), 100, 0.1 * (1 + seed % 3), seed) for seed in range(60)]
    best = [repair(t, method="exact").weight_kept for t in sets]
    for method in ["exact", *METHODS]:
        [repair(t, method=method) for t in sets[:5]]
        seconds, found = cpu_seconds(lambda m=method: [repair(t, method=m) for t in sets], repeat=1)
        share = np.array([r.weight_kept for r in found]) / best
        optimal = f"{int((share == 1).sum())}/60"
        table.add(method, "yule", 12, 100, ".1-.3", float(share.mean()), optimal, seconds / 60)


def large_rows(table, sizes, methods):
    for shape, n, m in sizes:
        h = SHAPES[shape](n, np.random.default_rng(1))
        fresh = sample_triplets(h, 10_000, random_state=99)
        for flips in (0.05, 0.15, 0.3):
            t = planted(h, m, flips, 1)
            true = displays(h, t).sum()
            for method in methods:
                seconds, r = cpu_seconds(lambda t=t, k=method: repair(t, method=k), repeat=1)
                agree = f"{displays(r.hierarchy, fresh).mean():.3f}"
                table.add(method, shape, n, m, str(flips), r.weight_kept / true, agree, seconds)


def main():
    columns = [("method", 9), ("shape", 11), ("n", 7), ("m", 8), ("flips", 6), ("of truth", 9), ("agree", 6)]
    table = Table("Repair of planted noise", [*columns, ("seconds", 8)])
    small_rows(table)
    large_rows(table, SIZES, METHODS)
    large_rows(table, SHAPED, ["auto", "max_cut"])
    large_rows(table, BIG, ["auto", "max_cut"])
    if table.options.large:
        large_rows(table, HUGE, ["auto", "max_cut"])
    table.done()


if __name__ == "__main__":
    main()
