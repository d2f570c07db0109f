"""Compiling at first use: CPU seconds of main calls on little data, in fresh processes, and of all kernels.

Each row starts with an empty cache. "cold" is the first call and compiles, "warm" the same in another process, which
loads numba and the compiled code; both start after the import of tripletree. The second table is of the same with the
defaults, where little data are not worth compiling for. PYTHONPATH=DIR measures another checkout.
"""

import os
import tempfile
from pathlib import Path

from _harness import Table, measured

SETUP = """
import warnings
import numpy as np
import tripletree as tt
from tripletree import kernels, warmup
from tripletree.cluster import COPKMeans, MPCKMeans, ReCon
warnings.simplefilter("ignore")
X, classes = warmup._data()
triplets, pairs = warmup._constraints(tt)
h = tt.parse_newick(warmup._TREES[0])
"""
JOBS = {
    "ReCon": "ReCon(3).fit(X, triplets=triplets)",
    "ReCon, average linkage": "ReCon(3, linkage='average').fit(X, triplets=triplets)",
    "one_tree": "tt.one_tree(tt.sample_triplets(h, 20, random_state=0))",
    "repair": "tt.repair(warmup._contradictory(tt), random_state=0)",
    "supertree": "tt.supertree([h, tt.parse_newick(warmup._TREES[1])], random_state=0)",
    "COPKMeans": "COPKMeans(3, n_init=1, random_state=0).fit(X, pairs=pairs)",
    "MPCKMeans": "MPCKMeans(3, n_init=1, random_state=0).fit(X, pairs=pairs)",
    "all": "[warmup.do_job(name) for name in warmup.JOBS]",
}
LITTLE = """
import warnings
import numpy as np
import sklearn.cluster
import tripletree as tt
from tripletree import kernels
from tripletree.cluster import BoostedConstrainedKMeans, CVQE, DivisiveReCon, MPCKMeans, ReCon
from sklearn.datasets import load_iris
warnings.simplefilter("ignore")
X, y = load_iris(return_X_y=True)
rng = np.random.default_rng(0)
t = tt.sample_class_triplets(y, 150, random_state=0)
i, j = rng.integers(150, size=(2, 60))
pairs = np.stack([i, j], 1)[(y[i] == y[j]) & (i != j)], np.stack([i, j], 1)[y[i] != y[j]]
some = np.where(rng.random(150) < 0.2, y, np.nan)
mammals = tt.decompose(tt.datasets.load_hierarchy("mammals"))
"""
LITTLE_JOBS = {
    "ReCon": "ReCon(3).fit(X, triplets=t)",
    "DivisiveReCon": "DivisiveReCon(3).fit(X, triplets=t)",
    "the same, hard": "DivisiveReCon(3, constraints='hard').fit(X, triplets=t)",
    "the same, classes": "DivisiveReCon(3).fit(X, classes=some)",
    "MPCKMeans": "MPCKMeans(3, random_state=0).fit(X, pairs=pairs)",
    "CVQE+": "CVQE(3, random_state=0).fit(X, pairs=pairs)",
    "boosted k-means": "BoostedConstrainedKMeans(3, random_state=0).fit(X, pairs=pairs)",
    "closure of 120 leaves": "tt.closure(mammals)",
    "evaluate_knowledge": "tt.evaluate_knowledge(X, triplets=t)",
}


def first_uses():
    os.environ["TRIPLETREE_JIT"] = "1"
    columns = [("job", 22), ("kernels", 7), ("cold s", 7), ("s/kernel", 8), ("cache MB", 8), ("cold peak MB", 12)]
    table = Table("compiling at first use", [*columns, ("warm s", 7), ("warm peak MB", 12)])
    for name, call in JOBS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.environ["NUMBA_CACHE_DIR"] = folder
            cold, cold_peak, n_kernels = measured(SETUP, call, "kernels.n_compiled()", patience=1200)
            if cold is None:
                table.add(name, n_kernels, *[None] * 6)
                continue
            megabytes = sum(path.stat().st_size for path in Path(folder).rglob("*.nb?")) / 1e6
            warm, warm_peak, _ = measured(SETUP, call, "kernels.n_compiled()")
        table.add(name, n_kernels, cold, cold / n_kernels, megabytes, cold_peak, warm, warm_peak)
    table.done()


def little_data():
    os.environ["TRIPLETREE_JIT"] = "auto"
    table = Table("150 samples, an empty cache", [("job", 22), ("kernels", 7), ("first s", 7)])
    for name, call in LITTLE_JOBS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.environ["NUMBA_CACHE_DIR"] = folder
            seconds, _, n_kernels = measured(LITTLE, call, "kernels.n_compiled()", patience=1200)
        table.add(name, n_kernels, seconds)
    table.done()


def main():
    first_uses()
    little_data()


if __name__ == "__main__":
    main()
