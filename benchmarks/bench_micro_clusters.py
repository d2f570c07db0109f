"""One micro-cluster for ten samples, ReCon's default for large data, beside the exact merges: what quality it costs.

The number was set on letter, pendigits and blobs (``bench_large.py``). None of these is here: UCI's optdigits and
segment, iris and wine, and trees along which features drifted. Five draws of each; 20,000 samples, 2,000 triplets of
classes.
"""

from functools import partial

import numpy as np
from _data import load, standardized
from _harness import Table, cpu_seconds

import tripletree as tt
from tripletree.algorithms.merges import merge_points
from tripletree.cluster.agglomerative.micro_clusters import merge_large

SAMPLES, TRIPLETS, SEEDS = 20_000, 2_000, 5


def samples_of(name, rng):
    """Samples and their classes: a set drawn again and again with noise added, or leaves of a random tree."""
    if name == "drift":  # 64 classes: clades of six splits, each of which moves all 12 features
        centres = np.zeros((1, 12))
        for split in range(6):
            centres = np.repeat(centres, 2, axis=0) + rng.normal(scale=0.8**split, size=(2 ** (split + 1), 12))
        y = rng.integers(0, 64, SAMPLES)
        return centres[y] + rng.normal(scale=0.25, size=(SAMPLES, 12)), y
    X, y = load(name)
    X, pick = standardized(X), rng.integers(0, len(X), SAMPLES)
    return X[pick] + rng.normal(scale=0.06, size=(SAMPLES, X.shape[1])), y[pick]


def quality(merges, y, others):
    hierarchy = tt.from_linkage(merges)
    return tt.dendrogram_purity(hierarchy, y), tt.triplet_score(hierarchy, others)


def main():
    columns = [("set", 9), ("linkage", 8), ("exact s", 7), ("micro s", 7), ("purity", 7), ("micro's", 7), ("less", 8)]
    columns += [("s.e.", 6), ("others held", 11), ("micro's", 7), ("less", 8), ("s.e.", 6)]
    table = Table("ReCon with one micro-cluster for ten samples beside exact merges, means of five draws", columns)
    for name in ("optdigits", "segment", "iris", "wine", "drift"):
        for linkage in ("centroid", "ward"):
            figures = []
            for seed in range(SEEDS):
                rng = np.random.default_rng(seed)
                X, y = samples_of(name, rng)
                triplets = tt.sample_class_triplets(y, TRIPLETS, random_state=seed)
                others = tt.sample_class_triplets(y, 100_000, random_state=seed + 100)
                given = (X, triplets.rows, linkage)
                exact, (merges, _) = cpu_seconds(partial(merge_points, *given), repeat=1)
                micro, (large, _) = cpu_seconds(partial(merge_large, *given, n_centres=SAMPLES // 10), repeat=1)
                figures.append((exact, micro, *quality(merges, y, others), *quality(large, y, others)))
            exact, micro, purity, held, purity_of_micro, held_of_micro = np.array(figures).T
            row = [name, linkage, exact.mean(), micro.mean()]
            for one, two in ((purity, purity_of_micro), (held, held_of_micro)):
                less = one - two
                row += [one.mean(), two.mean(), less.mean(), less.std(ddof=1) / SEEDS**0.5]
            table.add(*row)
    table.done()


if __name__ == "__main__":
    main()
