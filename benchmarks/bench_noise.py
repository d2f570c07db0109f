"""Flipped triplets: pairwise F of ReCon hard, repaired and soft, and of k-means on a learned metric.

Triplets of the classes, m = n, 2n and 3n of them drawn at random, of which a share is flipped: c changes places with a
or b. One setting for all sets. The second table asks for the flipped ones back: how `find_label_errors` ranks them.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from _data import load, standardized
from _harness import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

import tripletree as tt
from tripletree.algorithms.repair import repair
from tripletree.cluster import ReCon
from tripletree.errors import InconsistentTripletsError
from tripletree.evaluation.label_errors import find_label_errors

FLIPS = (0, 0.02, 0.05, 0.1, 0.2, 0.3)
RATIOS = (1, 2, 3)
LINKAGE = "centroid"


def data_sets(most):
    """Names, standardized samples and classes; of large sets a sample."""
    for name in ("iris", "wine"):
        yield name, *load(name)
    yield "wdbc", *load_breast_cancer(return_X_y=True)
    for name, label, some in (("pendigits", "digits-389", "389"), ("letter", "letters-IJLT", "IJLT")):
        X, y = load(name)
        X, y = X[np.isin(y, list(some))], y[np.isin(y, list(some))]
        rows = np.random.default_rng(0).permutation(len(y))[:most]
        yield label, X[rows], y[rows]


def flipped(triplets, share, seed):
    """The triplets with a share of them flipped, and which of its rows these are."""
    rng = np.random.default_rng([seed, 1])
    rows = triplets.rows.copy()
    pick = rng.permutation(len(rows))[: round(share * len(rows))]
    side = rng.integers(0, 2, len(pick))
    rows[pick, side], rows[pick, 2] = rows[pick, 2], rows[pick, side].copy()
    noisy = tt.TripletSet(rows, triplets.leaves)
    return noisy, np.array([tuple(row) not in triplets for row in noisy.rows.tolist()], bool)


def recon(X, triplets, k, **how):
    """Clusters, and whether there are any: hard ReCon has none for inconsistent triplets."""
    try:
        return ReCon(k, linkage=LINKAGE, micro_clusters=None, **how).fit(X, triplets=triplets).labels_
    except InconsistentTripletsError:
        return None


def learned_k_means(X, triplets, k):
    """k-means with weights of the features from the comparisons (Schultz and Joachims 2003, A = I)."""
    anchor, near, far = triplets.to_comparisons().T
    difference = (X[anchor] - X[far]) ** 2 - (X[anchor] - X[near]) ** 2
    sign = np.where(np.arange(len(difference)) % 2, 1.0, -1.0)
    machine = LinearSVC(fit_intercept=False, random_state=0).fit(sign[:, None] * difference, sign)
    scale = np.sqrt(np.maximum(machine.coef_[0], 0))
    return KMeans(k, n_init=10, random_state=0).fit_predict(X * scale)


METHODS = {
    "hard": recon,
    "repair": recon,  # on what repair has kept
    "soft": lambda X, t, k: recon(X, t, k, penalty="auto"),
    "both": lambda X, t, k: recon(X, t, k, penalty="auto"),  # on what repair has kept
    "k-means": learned_k_means,
}


def curves(table, sets, seeds):
    """Mean F over the seeds: (set, ratio, share, method) -> F; a failure leaves a hole, and counts in the table."""
    found = {}
    for name, X, y in sets:
        k, n = len(set(y)), len(y)
        for ratio in RATIOS:
            for share in FLIPS:
                scores, spent = {method: [] for method in METHODS}, 0.0
                for seed in range(seeds):
                    t, _ = flipped(tt.sample_class_triplets(y, ratio * n, random_state=seed), share, seed)
                    kept = repair(t, random_state=0).kept
                    for method, clusters in METHODS.items():
                        start = time.process_time()
                        labels = clusters(X, kept if method in ("repair", "both") else t, k)
                        spent += time.process_time() - start if method == "soft" else 0.0
                        if labels is not None:
                            scores[method].append(tt.pairwise_f_score(y, labels))
                for method, values in scores.items():
                    found[name, ratio, share, method] = float(np.mean(values)) if values else None
                row = [found[name, ratio, share, method] for method in METHODS]
                table.add(name, n, ratio, share, seeds - len(scores["hard"]), *row, spent / seeds)
    return found


def summary(found, names):
    """Means over the sets; hard ReCon only where it ran on all of them."""
    print("\nMean over the sets" + "".join(f"{method:>9}" for method in METHODS))
    for ratio in RATIOS:
        for share in FLIPS:
            cells = [[found[name, ratio, share, method] for name in names] for method in METHODS]
            shown = ("        -" if None in cell else f"{np.mean(cell):9.3f}" for cell in cells)
            print(f"m = {ratio}n, {share:4.0%} flips " + "".join(shown))


def likely_errors(sets, seeds):
    """How well `find_label_errors` finds the flipped ones: area under the curve, and precision at their number."""
    print("\nlabel errors, m = n        consistent   area  precision  by the metric alone   seconds")
    for name, X, y in sets:
        for share in (0.05, 0.1, 0.2):
            rows = []
            for seed in range(seeds):
                t, wrong = flipped(tt.sample_class_triplets(y, len(y), random_state=seed), share, seed)
                start = time.process_time()
                score = find_label_errors(t, X)
                took = time.process_time() - start
                a, b, c = t.rows.T
                gap = [np.linalg.norm(X[i] - X[j], axis=1) for i, j in ((a, b), (a, c), (b, c))]
                alone = gap[0] / np.maximum(np.minimum(gap[1], gap[2]), 1e-12)
                worst = np.argsort(-score, kind="stable")[: wrong.sum()]
                area = [roc_auc_score(wrong, x) for x in (score, alone)]
                rows.append([tt.is_consistent(t), area[0], wrong[worst].mean(), area[1], took])
            mean = np.mean(rows, axis=0)
            print(
                f"{name:14}{share:5.0%} flips {mean[0]:12.2f}{mean[1]:8.3f}{mean[2]:9.3f}{mean[3]:16.3f}{mean[4]:15.2f}"
            )


def drawn(found, names, path):
    """The curves, a panel for each set and number of triplets."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        len(RATIOS), len(names), figsize=(3 * len(names), 2.6 * len(RATIOS)), sharex=True, sharey=True
    )
    for row, ratio in zip(axes, RATIOS, strict=True):
        for axis, name in zip(row, names, strict=True):
            for method in METHODS:
                points = [(100 * s, found[name, ratio, s, method]) for s in FLIPS]
                points = [p for p in points if p[1] is not None]
                wide = method in ("hard", "soft")  # lies under the one that repair leaves as it is
                style = {"linewidth": 5, "alpha": 0.4} if wide else {"marker": "o", "markersize": 3}
                axis.plot(*zip(*points, strict=True), **style, label=method)
            axis.set_title(f"{name}, m = {ratio}n", fontsize=9)
            axis.grid(alpha=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("flipped triplets, %")
    for axis in axes[:, 0]:
        axis.set_ylabel("pairwise F")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="lower center", ncols=len(METHODS))
    figure.savefig(path, dpi=110)


def main():
    path = None
    if "--figure" in sys.argv:  # --figure PATH
        at = sys.argv.index("--figure")
        path = Path(sys.argv[at + 1])
        del sys.argv[at : at + 2]
    columns = [("set", 13), ("n", 5), ("m/n", 3), ("flips", 5), ("failed", 6)]
    columns += [(method, 7) for method in METHODS] + [("soft s", 7)]
    table = Table("Flipped triplets: pairwise F (hard: of the runs that did not fail)", columns)
    large = table.options.large
    sets = [(name, standardized(X), y) for name, X, y in data_sets(None if large else 250)]
    names = [name for name, _, _ in sets]
    seeds = 5 if large else 2
    warnings.simplefilter("ignore", UserWarning)  # of what repair drops, and of few triplets
    found = curves(table, sets, seeds)
    summary(found, names)
    likely_errors(sets, seeds)
    if path is not None:
        drawn(found, names, path)
    table.done()


if __name__ == "__main__":
    main()
