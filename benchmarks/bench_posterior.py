"""DivisiveReCon's sample of trees and its votes: how good, how sure, how many clusters, is the verdict true, how long?

    python benchmarks/bench_posterior.py PART [--seeds 5] [--size 400]

Parts: `trees` (unseen true triplets displayed, beside the plain tree, the tree without a sample, hard constraints and a
penalty), `sure` (true share of clades and triplets, by their probabilities), `pairs` (200 random pairs on tables),
`number` (n_clusters=None), `verdict`, `verdict-hierarchy`, `verdict-classes` and `verdict-validate` (what
evaluate_knowledge and ``fit(validate=True)`` say of knowledge with right and with permuted names), `cost`. Seeds begin
at 100: none of them, and none of the tables of reporting, had a part in a choice. Standard errors are in brackets, in
the last digit, of the mean over seeds or tables.
"""

import argparse
import contextlib
import os
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from _kinds import Data, carnivora, draw_triplets, generator, simulated, unseen_triplets
from bench_labels import DEVELOPMENT, REPORTING, blobs, data_of, rings
from sklearn.cluster import AgglomerativeClustering, KMeans

import tripletree as tt
from tripletree import cluster

FIRST = 100  # seed
SHAPES = "coalescent", "yule"
AMOUNTS = (0.1, 0), (0.3, 0), (1, 0), (3, 0), (0.3, 0.1), (1, 0.1), (0.3, 0.2), (1, 0.2)  # triplets over n, wrong
EDGES = np.linspace(0, 1, 11)


def phylogeny(shape, n, seed):
    """A tree of one of two shapes and four noisy traits."""
    return simulated(shape, n, 4, 0.25, seed)


def told(values):
    """Mean and standard error."""
    values = np.asarray(values, float)
    error = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan
    return f"{values.mean():.3f}({1000 * error:.0f})"


def line(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*cells):
    line(*cells)
    line(*["---"] * len(cells))


# ---------------------------------------------------------------------- parts


def trees(seeds, n):
    methods = {
        "plain": lambda data, t, seed: cluster.DivisiveReCon(data.k).fit(data.X),
        "no sample": lambda data, t, seed: cluster.DivisiveReCon(data.k, effort=0).fit(data.X, triplets=t),
        "hard": lambda data, t, seed: cluster.DivisiveReCon(data.k, constraints="hard").fit(data.X, triplets=t),
        "penalty": lambda data, t, seed: cluster.ReCon(data.k, linkage="ward", penalty="auto").fit(data.X, triplets=t),
        "default": lambda data, t, seed: cluster.DivisiveReCon(data.k, random_state=seed).fit(data.X, triplets=t),
    }
    head("set", "m/n", "wrong", *methods, "default less the best of hard and penalty")
    for name in (*SHAPES, "carnivores"):
        for amount, wrong in AMOUNTS:
            found = []
            for seed in seeds:
                data = carnivora(n, seed) if name == "carnivores" else phylogeny(name, n, seed)
                t = draw_triplets(data, amount, wrong, seed).triplets
                test = unseen_triplets(data, t, seed)
                row = []
                for fit in methods.values():
                    with contextlib.suppress(tt.TripletreeError):  # hard constraints that clash
                        row.append(tt.displays(fit(data, t, seed).hierarchy_, test).mean())
                        continue
                    row.append(np.nan)
                found.append(row)
            found = np.array(found)
            best = max(found[:, 2:4].T, key=lambda x: -1 if np.isnan(x).any() else x.mean())
            shown = [told(x) if np.isfinite(x).all() else "raises" for x in found.T]
            line(name, amount, f"{wrong:.0%}", *shown, told(found[:, 4] - best))


def sure(seeds, n):
    said, true = {"clades": [], "triplets": []}, {"clades": [], "triplets": []}
    for seed in seeds:
        for shape in SHAPES:
            data = phylogeny(shape, n, seed)
            truth = {frozenset(data.truth.clade(u)) for u in range(n, data.truth.n_nodes)}
            test = tt.sample_triplets(data.truth, 3_000, random_state=seed).rows
            for amount, wrong in ((0.3, 0), (1, 0), (1, 0.2)):
                t = draw_triplets(data, amount, wrong, seed).triplets
                model = cluster.DivisiveReCon(data.k, random_state=seed).fit(data.X, triplets=t)
                tree = model.hierarchy_
                said["clades"] += model.clade_support_[:-1].tolist()
                true["clades"] += [frozenset(tree.clade(u)) in truth for u in range(n, tree.n_nodes - 1)]
                for turn, right in (([0, 1, 2], True), ([0, 2, 1], False), ([1, 2, 0], False)):
                    said["triplets"] += model.triplet_probability(test[:, turn]).tolist()
                    true["triplets"] += [right] * len(test)
    head("said", *(f"{kind}: true, {what}" for kind in said for what in ("share", "number")))
    for low, high in zip(EDGES[:-1], EDGES[1:], strict=True):
        cells = []
        for kind in said:
            p, is_true = np.array(said[kind]), np.array(true[kind])
            some = (p >= low) & ((p < high) | (high == 1))
            cells += [f"{is_true[some].mean():.3f}" if some.any() else "-", int(some.sum())]
        line(f"{low:.1f} to {high:.1f}", *cells)


def random_pairs(data, m, wrong, seed):
    """So many random pairs of samples, must-links or cannot-links by their classes, of which a share is wrong."""
    rng = generator("pairs", seed)
    i, j = np.triu_indices(len(data.X), 1)
    at = rng.choice(i.size, m, replace=False)
    ends, same = np.stack([i[at], j[at]], axis=1), data.y[i[at]] == data.y[j[at]]
    same[: round(wrong * m)] ^= True
    return tt.PairwiseConstraints(ends[same], ends[~same], len(data.X))


def pairs(seeds, n):
    methods = {
        "Ward": lambda k, X, p, seed: AgglomerativeClustering(k).fit(X),
        "k-means": lambda k, X, p, seed: KMeans(k, n_init=10, random_state=seed).fit(X),
        "COPKMeans": lambda k, X, p, seed: cluster.COPKMeans(k, random_state=seed).fit(X, pairs=p),
        "PCKMeans": lambda k, X, p, seed: cluster.PCKMeans(k, random_state=seed).fit(X, pairs=p),
        "MPCKMeans": lambda k, X, p, seed: cluster.MPCKMeans(k, random_state=seed).fit(X, pairs=p),
        "DivisiveReCon": lambda k, X, p, seed: cluster.DivisiveReCon(k, effort=0, random_state=seed).fit(X, pairs=p),
    }
    found, raised = np.full((2, len(REPORTING), len(seeds), len(methods)), np.nan), np.zeros((2, len(methods)), int)
    for t, (name, make) in enumerate(REPORTING.items()):
        for s, seed in enumerate(seeds):
            data = data_of(name, make, seed, n)
            for w, wrong in enumerate((0, 0.1)):
                p = random_pairs(data, 200, wrong, seed)
                for m, fit in enumerate(methods.values()):
                    try:
                        found[w, t, s, m] = tt.pairwise_f_score(data.y, fit(data.k, data.X, p, seed).labels_)
                    except tt.TripletreeError:
                        raised[w, m] += 1
    head("200 pairs, F", *methods)
    for w, wrong in enumerate(("all right", "10 % wrong")):
        means = np.nanmean(found[w], axis=1).T
        line(wrong, *(told(x) + (f", raises {r}" if r else "") for x, r in zip(means, raised[w], strict=True)))
        below = [int((found[w, ..., -1].mean(1) < found[w, ..., m].mean(1)).sum()) for m in (0, 1)]
        print(f"{wrong}: below Ward on {below[0]}, below k-means on {below[1]} of {len(REPORTING)} tables")


def gap_statistic(X, most, rng):
    """Tibshirani, Walther and Hastie (2001), ten references uniform in the box of the principal components."""
    Z = (X - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2].T

    def spread(points):
        fits = [KMeans(k, n_init=3, random_state=0).fit(points) for k in range(1, most + 1)]
        return np.log([fit.inertia_ for fit in fits])

    others = np.array([spread(rng.uniform(Z.min(axis=0), Z.max(axis=0), Z.shape)) for _ in range(10)])
    gap, error = others.mean(axis=0) - spread(Z), others.std(axis=0) * np.sqrt(1.1)
    return next((k for k in range(1, most) if gap[k - 1] >= gap[k] - error[k]), most)


def number(seeds, n):
    from sklearn.metrics import silhouette_score

    tables = {name: make for name, make in {**DEVELOPMENT, **REPORTING}.items() if make not in (None, blobs, rings)}
    amounts = 0, 0.1, 0.3, 1
    head("table", "classes", *(f"{a} n triplets" for a in amounts), "silhouette, Ward", "gap statistic")
    every = []
    for name, make in tables.items():
        rows = []
        for seed in seeds:
            data = data_of(name, make, seed, n)
            most = min(30, int(np.sqrt(len(data.X))))
            row = []
            for amount in amounts:
                t = draw_triplets(data, amount, 0, seed).triplets if amount else None
                row.append(cluster.DivisiveReCon(effort=0.2, random_state=seed).fit(data.X, triplets=t).n_clusters_)
            cuts = {k: AgglomerativeClustering(k).fit_predict(data.X) for k in range(2, most + 1)}
            row.append(max(cuts, key=lambda k: silhouette_score(data.X, cuts[k])))
            row.append(gap_statistic(data.X, most, np.random.default_rng(seed)))
            rows.append(row)
        every.append(np.abs(np.array(rows) - data.k).mean(axis=0))
        line(name, data.k, *np.mean(rows, axis=0).round(1))
    line("mean error", "", *(told(x) for x in np.array(every).T))


def verdict(seeds, n):
    """The same knowledge with the right names and with permuted ones, which say nothing."""
    tell_verdicts(("class triplets", "pairs"), seeds, n)


def verdict_hierarchy(seeds, n):
    """The same of phylogenies."""
    tell_verdicts(("hierarchy",), seeds, n)


def verdict_classes(seeds, n):
    """The same of the classes of 30 % of the samples."""
    tell_verdicts(("classes",), seeds, n, tables=NEAR_TABLES)


def verdict_validate(seeds, n):
    """What ``fit(validate=True)`` says."""
    tell_verdicts(("hierarchy", "classes", "pairs"), seeds, n, validate=True, tables=NEAR_TABLES)


FAR_TABLES = "seeds", "ecoli", "breast cancer", "wine"  # two of them are fetched
NEAR_TABLES = "crabs", "parkinsons", "breast cancer", "wine"  # two of them are in scikit-learn, two in TRIPLETREE_DATA


def tell_verdicts(kinds, seeds, n, *, validate=False, tables=FAR_TABLES):
    head("knowledge", "names", "draws", "helps", "unclear", "hurts", "deviation of z")
    for kind in kinds:
        for permuted in (True, False):
            said, z = [], []
            for seed in seeds:
                for name in tables if kind != "hierarchy" else SHAPES:
                    make = REPORTING.get(name)
                    data = data_of(name, make, seed, n) if make else phylogeny(name, n, seed)
                    rng = generator("verdict", kind, name, seed)
                    if permuted:
                        data = Data(data.X[rng.permutation(len(data.X))], data.truth, data.y)
                    if kind == "hierarchy":
                        given = {"hierarchy": data.truth}
                    elif kind == "pairs":
                        given = {"pairs": random_pairs(data, 200, 0, seed)}
                    elif kind == "classes":
                        given = {"classes": [x if rng.random() < 0.3 else None for x in data.y.tolist()]}
                    else:
                        given = {"triplets": draw_triplets(data, 1, 0, seed).triplets}
                    model = cluster.DivisiveReCon(data.k, effort=0)
                    if validate:
                        report = model.fit(data.X, validate=True, **given).validation_
                    else:
                        report = tt.evaluate_knowledge(data.X, estimator=model, random_state=seed, **given)
                    said.append(report.verdict)
                    z.append(report.gain / max(report.gain_error, 1e-9))
            count = [said.count(x) for x in ("helps", "unclear", "hurts")]
            line(kind, "permuted" if permuted else "right", len(said), *count, f"{np.std(z):.2f}")


def cost(seeds, n):
    head("n", "CPU s, n triplets", "effort=.2", "effort=0", "without knowledge")
    for size in (60, 400, 2_000, 20_000, 100_000):
        data = phylogeny("coalescent", 60, 0) if size == 60 else None
        rng = np.random.default_rng(size)
        X, y = rng.normal(size=(size, 8)), rng.integers(0, 8, size)
        X += 3 * rng.normal(size=(8, 8))[y]
        t = draw_triplets(data, 1, 0, 0).triplets if data else tt.sample_class_triplets(y, size, random_state=0)
        X = data.X if data else X
        cells = []
        for effort in (1, 0.2, 0, None):
            model = cluster.DivisiveReCon(8, effort=effort or 0)
            start = time.process_time()
            model.fit(X, triplets=None if effort is None else t)
            cells.append(f"{time.process_time() - start:.2g}")
        line(f"{size:,}", *cells)


PARTS = {
    "trees": trees,
    "sure": sure,
    "pairs": pairs,
    "number": number,
    "verdict": verdict,
    "verdict-hierarchy": verdict_hierarchy,
    "verdict-classes": verdict_classes,
    "verdict-validate": verdict_validate,
    "cost": cost,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--size", type=int, default=400, help="leaves of simulated trees, or most rows of a table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    PARTS[options.part](range(FIRST, FIRST + options.seeds), options.size)


if __name__ == "__main__":
    main()
