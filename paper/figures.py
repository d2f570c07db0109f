"""The figures of the paper: ``python paper/figures.py`` writes them beside it, as PDF."""

import os
import sys
from pathlib import Path
from time import process_time

os.environ.setdefault("MPLBACKEND", "agg")

import numpy as np

import tripletree as tt
from tripletree.plots import save_picture

HERE = Path(__file__).parent
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
REPEATS = 3
SLOWEST = 20.0  # seconds after which larger sizes are left out


def draw_clustering():
    """Draw irises without triplets and with those that the classes of every third one give."""
    from matplotlib import pyplot as plt
    from sklearn.datasets import load_iris
    from sklearn.preprocessing import StandardScaler

    from tripletree.cluster import ReCon

    X, y = load_iris(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::4][:36], y[::4][:36]
    known = tt.triplets_from_classes(y, samples=range(0, 36, 3))
    names = load_iris().target_names[y]
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 4.4), layout="constrained")
    for ax, triplets, title in zip(axes, (None, known), ("without triplets", "with triplets"), strict=True):
        model = ReCon(n_clusters=3, linkage="average").fit(X, triplets=triplets)
        tt.plot_dendrogram(
            model.hierarchy_, ax=ax, classes=names, triplets=known, labels=False, heights="level", title=title
        )
        shown = int(tt.displays(model.hierarchy_, known).sum())
        sys.stdout.write(f"{title}: {shown} of {len(known)} triplets displayed\n")
    return fig


def draw_scaling():
    """Draw the times of `one_tree` on smallest sets of random hierarchies of two shapes."""
    from matplotlib import pyplot as plt

    rng = np.random.default_rng(0)
    fig, ax = plt.subplots(figsize=(3.5, 2.4), layout="constrained")
    for make, name, mark in ((random_parents, "random", "o-"), (caterpillar_parents, "caterpillar", "s--")):
        sizes, times = [], []
        for n in SIZES:
            triplets = tt.decompose(tt.Hierarchy(make(n, rng)))
            tt.one_tree(triplets)  # compiles what it needs
            found = min(timed(triplets) for _ in range(REPEATS))
            sizes.append(n)
            times.append(found)
            sys.stdout.write(f"{name}, {n:,} leaves: {found:.4f} s\n")
            if found > SLOWEST:
                break
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        ax.loglog(sizes, times, mark, markersize=4, label=f"{name}: slope {slope:.2f}")
    ax.set_xlabel("leaves", fontsize=8)
    ax.set_ylabel("seconds of the processor", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.legend(fontsize=7, frameon=False)
    return fig


def timed(triplets):
    """Return the seconds of the processor that one call takes, whatever else the machine does."""
    start = process_time()
    tt.one_tree(triplets)
    return process_time() - start


def random_parents(n, rng):
    """Return the parents of a hierarchy made by merging two random clusters until one is left."""
    parent = np.full(2 * n - 1, -1, np.int32)
    left = list(range(n))
    for u in range(n, 2 * n - 1):
        for _ in range(2):
            k = int(rng.integers(len(left)))
            left[k], left[-1] = left[-1], left[k]
            parent[left.pop()] = u
        left.append(u)
    return parent


def caterpillar_parents(n, rng):
    """Return the parents of a hierarchy in which leaves join one by one."""
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    return parent.astype(np.int32)


FIGURES = {"clustering": draw_clustering, "scaling": draw_scaling}


def main():
    """Draw the figures that are named, or all."""
    for name in sys.argv[1:] or FIGURES:
        save_picture(FIGURES[name](), HERE / f"{name}.pdf")


if __name__ == "__main__":
    main()
