"""tripletree.dask on a cluster of one computer: time, peak memory, and how near it comes to ReCon in one process.

Two million samples of 16 dimensions (ten million with --large), in a file that partitions read; 10,000 triplets of
classes. Each run is a process of its own with the scheduler in it, each worker another with one thread. Two workers say
how the parallel part falls only where two cores are free.
"""

import multiprocessing
import resource
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from _harness import Table
from bench_large import samples_of
from sklearn.metrics import adjusted_rand_score

import tripletree as tt

CENTRES, CLUSTERS, TRIPLETS, CHUNK = 20_000, 30, 10_000, 100_000


def peak(*_):
    """The largest memory that this process has taken, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def cpu(*_):
    """Seconds of all processors that this process has taken."""
    return time.process_time()


def rows_of(path, lo, hi):
    return np.array(np.load(path, mmap_mode="r")[lo:hi])


def make(folder, name, n):
    """Samples, classes and triplets in files."""
    X, y = samples_of(name, n)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    named = np.random.default_rng(3).choice(n, 5_000, replace=False)
    np.save(folder / "triplets.npy", tt.sample_class_triplets(y, TRIPLETS, samples=named, random_state=1).rows)


def in_one_process(folder, linkage):
    from tripletree.cluster import ReCon

    warnings.simplefilter("ignore")
    X, triplets = np.load(folder / "X.npy"), np.load(folder / "triplets.npy")
    ReCon(2, linkage=linkage, micro_clusters=100).fit(X[:2_000], triplets=[(0, 1, 2)])  # compile
    start, before = time.perf_counter(), cpu()
    model = ReCon(CLUSTERS, linkage=linkage, micro_clusters=CENTRES).fit(X, triplets=triplets)
    seconds, busy = time.perf_counter() - start, cpu() - before
    np.save(folder / "one.npy", model.labels_)
    ari = adjusted_rand_score(np.load(folder / "y.npy"), model.labels_)
    return model.n_micro_clusters_, seconds, 0.0, busy, 0.0, peak(), 0.0, ari, 1.0, True


def on_dask(folder, linkage, workers):
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster

    from tripletree.cluster import ReCon as InMemoryReCon
    from tripletree.dask import ReCon

    warnings.simplefilter("ignore")
    path, triplets = folder / "X.npy", np.load(folder / "triplets.npy")
    n, d = np.load(path, mmap_mode="r").shape
    InMemoryReCon(2, linkage=linkage).fit(rows_of(path, 0, 2_000), triplets=[(0, 1, 2)])  # compile
    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=None
    )
    with cluster, Client(cluster) as client:
        parts = [
            da.from_delayed(dask.delayed(rows_of)(path, lo, min(lo + CHUNK, n)), (min(CHUNK, n - lo), d), dtype=float)
            for lo in range(0, n, CHUNK)
        ]
        small = da.from_array(np.random.default_rng(0).normal(size=(1_000, d)), chunks=(100, d))
        ReCon(2, 50, linkage=linkage).fit(small)  # workers import what they need
        start, before, busy = time.perf_counter(), cpu(), sum(client.run(cpu).values())
        model = ReCon(CLUSTERS, CENTRES, linkage=linkage).fit(da.concatenate(parts), triplets=triplets)
        fitted = time.perf_counter() - start
        labels = model.labels_.compute()
        labelled = time.perf_counter() - start - fitted
        here, busy = cpu() - before, sum(client.run(cpu).values()) - busy
        worker = max(client.run(peak).values())
    held = tt.displays(model.hierarchy_, model.triplets_).all() and len(model.triplets_) == len(triplets)
    ari = adjusted_rand_score(np.load(folder / "y.npy"), labels)
    near = adjusted_rand_score(np.load(folder / "one.npy"), labels)
    return model.n_micro_clusters_, fitted, labelled, here, busy, peak(), worker, ari, near, bool(held)


def apart(function, *arguments):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def main():
    columns = [("set", 6), ("linkage", 8), ("n", 8), ("workers", 7), ("micro", 6), ("fit s", 6), ("labels s", 8)]
    columns += [
        ("CPU here", 8),
        ("CPU workers", 11),
        ("GB here", 7),
        ("GB worker", 9),
        ("ARI", 6),
        ("to one", 6),
        ("held", 5),
    ]
    table = Table("tripletree.dask beside ReCon in one process ('-' workers), 20,000 centres each", columns)
    for n in (2_000_000, 10_000_000) if table.options.large else (2_000_000,):
        for name in ("blobs", "letter") if n == 2_000_000 else ("blobs",):
            with tempfile.TemporaryDirectory() as where:
                folder = Path(where)
                apart(make, folder, name, n)
                for linkage in ("centroid", "ward"):
                    table.add(name, linkage, n, None, *apart(in_one_process, folder, linkage))
                    for workers in (1, 2):
                        table.add(name, linkage, n, workers, *apart(on_dask, folder, linkage, workers))
    table.done()


if __name__ == "__main__":
    main()
