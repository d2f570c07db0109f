"""ReCon by way of micro-clusters: how near it comes to the exact run, and 1,000,000 samples (with --large)."""

import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from _data import load
from _harness import Table

import tripletree as tt
from tripletree.algorithms.merges import merge_points
from tripletree.cluster.agglomerative.micro_clusters import merge_large


def samples_of(name, n):
    """n samples of 16 dimensions and their classes."""
    rng = np.random.default_rng(0)
    if name in ("letter", "pendigits"):  # UCI's, drawn again and again with noise added: no two are equal
        X, y = load(name)
        pick = rng.integers(0, len(X), n)
        return X[pick] + rng.normal(scale=0.06 * X.std(), size=(n, X.shape[1])), y[pick]
    y = rng.integers(0, 30, n)
    if name == "blobs":  # 30 classes, the widest twelve times as wide as the narrowest
        width = np.exp(rng.uniform(-2.5, 0, 30))
        return rng.normal(size=(30, 16))[y] + rng.normal(size=(n, 16)) * width[y, None], y
    return rng.normal(size=(n, 16)), y  # nothing to find: the worst for every search by distance


def run(name, n, m, linkage, n_centres):
    """One run in a process of its own: seconds, peak memory, and how good the hierarchy is."""
    X, y = samples_of(name, n)
    triplets = tt.sample_class_triplets(y, m, random_state=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    small = tt.sample_class_triplets(y[:2000], 50, random_state=1).rows  # compile
    merge_large(X[:2000], small, linkage, n_centres=100)
    wall, cpu = time.perf_counter(), time.process_time()
    if n_centres is None:
        merges, count = merge_points(X, triplets.rows, linkage)
    else:
        merges, count = merge_large(X, triplets.rows, linkage, n_centres=n_centres)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    hierarchy = tt.from_linkage(merges)
    assert tt.displays(hierarchy, triplets).all()
    other = tt.sample_class_triplets(y, 100_000, random_state=2)
    return (
        *(count.micro_clusters, cpu, wall, before / 1e6, peak / 1e6),
        *(tt.dendrogram_purity(hierarchy, y), tt.triplet_score(hierarchy, other)),
    )


def apart(*arguments):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(run, *arguments).result()


def main():
    columns = [("set", 9), ("linkage", 8), ("n", 7), ("triplets", 8), ("micro", 6), ("seconds", 7), ("wall", 6)]
    columns += [("GB before", 9), ("GB peak", 7), ("purity", 7), ("others held", 11)]
    table = Table("ReCon by way of micro-clusters, one run each; '-' is the exact run", columns)
    for name in ("letter", "pendigits", "blobs"):
        for linkage in ("centroid", "ward"):
            for n_centres in (None, 25_000, 5_000, 1_000):
                table.add(name, linkage, 50_000, 5_000, *apart(name, 50_000, 5_000, linkage, n_centres))
    for name in ("letter", "pendigits", "blobs", "nothing") if table.options.large else ():
        for linkage in ("centroid", "ward"):
            for n_centres in (50_000,):
                table.add(name, linkage, 1_000_000, 10_000, *apart(name, 1_000_000, 10_000, linkage, n_centres))
    table.done()


if __name__ == "__main__":
    main()
