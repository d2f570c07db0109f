"""Liu, Zhang, Wang (2011): ReCon beside learned metrics, under random and informative triplets."""

import warnings

import numpy as np

from papers.engine import Cell, seed_of
from papers.figures import curves
from papers.results import Claim, listed, verdict
from papers.sets import load_set, standardized

TITLE = "ReCon: clustering with relative constraints"
REFERENCE = (
    "Liu, Zhang, Wang (2011), Clustering with Relative Constraints, Proceedings of the 17th ACM SIGKDD International "
    "Conference on Knowledge Discovery and Data Mining, 947-955."
)
SETTINGS = (
    "Features are scaled to deviation 1; rows are shuffled in each run, which decides ties; centroid linkage; k is the "
    "number of classes; accuracy is the pairwise F-measure; `SVMMetric` with C = 1 and A = I; k-means takes the best "
    "of 10 starts. Triplets are drawn from all that the classes imply. The paper does not state the rule by which its "
    'hierarchies are cut: curves are for the default cut of `ReCon` ("support"), the CSV has those for "merge_order", '
    "which stops at k clusters, and the dendrogram purity, which needs no cut."
)
#: Samples and classes of each set, so that cells are listed, and results told, without reading any.
SIZES = {
    "iris": (150, 3),
    "wine": (178, 3),
    "ionosphere": (351, 2),
    "transfusion": (748, 2),
    "digits 389": (3165, 3),
    "letters IJLT": (3059, 4),
}
SETS = tuple(SIZES)
LARGE = ("digits 389", "letters IJLT")
RATIOS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
RUNS = {False: 50, True: 2}
PAPER_SECONDS = {"digits 389": (18, 24), "letters IJLT": (15, 40)}
MEASURE = "F-measure"


def needs(quick):
    return SETS[:4] if quick else SETS


def cells(quick, runs, names):
    ratios = (0.2, 1.0, 3.0) if quick else RATIOS
    shares = (0.5, 1.0) if quick else SHARES
    for run in range(runs):
        for name in names:
            n, whole = SIZES[name][0], _whole_set(name)
            yield Cell("recon", "random", name, "k-means", 0, run)
            if run == 0:
                yield Cell("recon", "random", name, "hierarchical", 0, 0)
            for ratio in ratios:
                for method in ("ReCon", "SVM metric"):
                    yield Cell("recon", "random", name, method, int(ratio * n), run)
            for part in shares:
                if part < 1 or run == 0:  # there is one whole set
                    yield Cell("recon", "informative", name, "ReCon", int(part * whole), run)
    if not quick:
        yield from (Cell("recon", "time", name, "ReCon", 0, run) for run in range(5) for name in names if name in LARGE)


def _whole_set(name):
    """The number of triplets in the informative set of all classes."""
    n, k = SIZES[name]
    return (k - 1) * (n - k)


def run(cell, seed):
    import tripletree as tt

    X, y = load_set(cell.set)
    order = np.random.default_rng(seed_of(seed, cell.paper, cell.set, cell.run)).permutation(len(y))
    X, y, k = standardized(X)[order], y[order], len(set(y.tolist()))
    draw = seed_of(seed, *cell[:3], cell.m, cell.run)  # the same triplets for each method
    if cell.part == "time":
        return [_seconds(X, y, k, draw)]
    triplets = None
    if cell.part == "informative":
        whole = tt.triplets_from_classes(y)
        rows = np.random.default_rng(draw).permutation(len(whole))[: cell.m]
        triplets = tt.TripletSet(whole.rows[np.sort(rows)], whole.leaves)
    elif cell.m:
        triplets = tt.sample_class_triplets(y, cell.m, random_state=draw)
    start = seed_of(seed, *cell)
    if cell.method == "k-means":
        return [_k_means(X, y, k, start)]
    if cell.method != "SVM metric":
        return [_recon(X, y, k, triplets)]
    from tripletree.metrics import SVMMetric

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # all weights 0, counted below
        metric = SVMMetric(on_degenerate="euclidean").fit(X, triplets=triplets)
    new = metric.transform(X)
    flat = {"degenerate": float(np.all(metric.weights_ == metric.weights_[0]))}
    return [
        {"method": "k-means, SVM metric", **_k_means(new, y, k, start), **flat},
        {"method": "ReCon, SVM metric", **_recon(new, y, k, triplets), **flat},
    ]


def _k_means(X, y, k, seed):
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    import tripletree as tt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different samples than clusters
        return {MEASURE: tt.pairwise_f_score(y, KMeans(k, n_init=10, random_state=seed).fit(X).labels_)}


def _recon(X, y, k, triplets):
    import tripletree as tt
    from tripletree.cluster import ReCon

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that so few triplets may hurt: this is what is measured
        model = ReCon(k).fit(X, triplets=triplets)
    h = model.hierarchy_
    return {
        MEASURE: tt.pairwise_f_score(y, model.labels_),
        "F-measure, stop at k": tt.pairwise_f_score(y, tt.cut(h, k, rule="merge_order")),
        "dendrogram purity": tt.dendrogram_purity(h, y),
    }


def _seconds(X, y, k, draw):
    """Time with n random triplets over that without any, and over scipy's linkage: in turns, the least of three."""
    import time

    from scipy.cluster.hierarchy import linkage

    import tripletree as tt
    from tripletree.cluster import ReCon

    triplets = tt.sample_class_triplets(y, len(y), random_state=draw)
    work = {
        "triplets": lambda: ReCon(k).fit(X, triplets=triplets),
        "none": lambda: ReCon(k).fit(X),
        "scipy": lambda: linkage(X, "centroid"),
    }
    least = dict.fromkeys(work, np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for turn in range(4):
            for name, function in work.items():
                begin = time.thread_time()
                function()
                if turn:  # the first one loads what is compiled
                    least[name] = min(least[name], time.thread_time() - begin)
    ratios = {f"time / {name}": least["triplets"] / least[name] for name in ("none", "scipy")}
    return {"m": len(y), **ratios, "seconds": least["triplets"]}


# ------------------------------------------------------------------ what it says


def _at(results, name, method, ratio):
    return results.mean("random", name, method, int(ratio * SIZES[name][0]) if ratio else 0, MEASURE)


def claims(results):
    sets = results.sets("random")
    yield _whole(results)
    yield _better(results, sets)
    yield _above_plain(results, sets)
    yield _informative(results)
    yield _spread(results)
    yield _time(results)


def _whole(results):
    found = {}
    for name in results.sets("informative"):
        sizes, means = results.curve("informative", name, "ReCon", MEASURE)
        _, purity = results.curve("informative", name, "ReCon", "dendrogram purity")
        _, stop = results.curve("informative", name, "ReCon", "F-measure, stop at k")
        if sizes and sizes[-1] == _whole_set(name):
            found[name] = means[-1], purity[-1], stop[-1]
    right = sum(f == 1 for f, _, _ in found.values())
    return Claim(
        "With the whole informative set, accuracy is 100 % on all six sets",
        "1.00 on 6 of 6 sets",
        f"1.00 on {right} of {len(found)} sets (purity of the hierarchy 1.00 on "
        f"{sum(p == 1 for _, p, _ in found.values())}; stopping at k: {listed([(n, x[2]) for n, x in found.items()])})",
        verdict(right, len(found)),
        "where stopping at k gives less than 1, two finished classes merged before a third was finished",
    )


def _better(results, sets):
    rows = []
    for name in sets:
        m = SIZES[name][0]
        mine, theirs = (results.of("random", name, x, m, MEASURE) for x in ("ReCon", "k-means, SVM metric"))
        if mine.size == theirs.size > 1:  # the same triplets run by run
            gain = mine - theirs
            rows.append((name, gain.mean(), 2 * gain.std(ddof=1) / np.sqrt(gain.size)))
    return Claim(
        "ReCon beats k-means with the SVM metric on all sets but iris (n random triplets)",
        "higher on 5 of 6 sets",
        "difference of F, give or take two standard errors: "
        + ", ".join(f"{name} {gain:+.3f} (± {error:.3f})" for name, gain, error in rows),
        verdict(sum((gain > error) != (name == "iris") for name, gain, error in rows), len(rows)),
        "transfusion: its classes overlap so much that both are near plain clustering up to n triplets; beyond, ReCon "
        "has the classes and the metric has not",
    )


def _above_plain(results, sets):
    rows = []
    for name in sets:
        sizes, means = results.curve("random", name, "ReCon", MEASURE)
        plain = [_at(results, name, method, 0) for method in ("hierarchical", "k-means")]
        if sizes and not np.isnan(plain).any():
            last = max((m for m, f in zip(sizes, means, strict=True) if f <= max(plain)), default=0)
            rows.append((name, last / SIZES[name][0], _at(results, name, "ReCon", 1), means[-1]))
    return Claim(
        "More random triplets give higher accuracy, above hierarchical clustering and k-means without any",
        "rising curves over 0..n",
        "F at n / at 3n: "
        + ", ".join(f"{n} {a:.2f} / {b:.2f}" for n, _, a, b in rows)
        + "; largest m / n at which it is not above both: "
        + listed([(n, r) for n, r, *_ in rows], "{:.1f}"),
        verdict(sum(r < 1 for _, r, *_ in rows), len(rows)),
        "few random triplets keep parts of a class from merging and say nothing of where these belong; only from "
        "somewhat more than n on do they force whole classes, which is when sets with overlapping classes gain",
    )


def _informative(results):
    rows = []
    for name in results.sets("informative"):
        sizes, means = results.curve("informative", name, "ReCon", MEASURE)
        n = SIZES[name][0]
        near = [(abs(m - n), m, f) for m, f in zip(sizes, means, strict=True)]
        random_sizes, random_means = results.curve("random", name, "ReCon", MEASURE)
        if near and len(random_sizes) > 1:
            _, m, f = min(near)
            rows.append((f"{name} ({m})", f, float(np.interp(m, random_sizes, random_means))))
    return Claim(
        "Informative triplets say more than as many random ones",
        "higher curves",
        "F of informative against random, at the number in brackets: "
        + ", ".join(f"{name} {a:.2f} / {b:.2f}" for name, a, b in rows),
        verdict(sum(a >= b or min(a, b) > 0.99 for _, a, b in rows), len(rows)),
        "part of the informative set ties a class to its first member, but not the members that it leaves out",
    )


def _spread(results):
    rows = []
    for name in LARGE:
        x = results.of("random", name, "ReCon", SIZES[name][0], MEASURE) if results.sets("random") else []
        if len(x):
            rows.append((name, x.min(), x.max(), x.std(), len(x)))
    return Claim(
        "Minimum, maximum and deviation of the accuracy on letters and digits (Fig. 3)",
        "curves over 50 runs, no figures",
        "; ".join(f"{name}: {a:.3f} to {b:.3f}, deviation {s:.3f} in {r} runs at n" for name, a, b, s, r in rows)
        or "not run",
        "not tested",
    )


def _time(results):
    names = results.sets("time")
    found = {
        x: [(n, results.median("time", n, "ReCon", SIZES[n][0], x)) for n in names]
        for x in ("time / scipy", "time / none", "seconds")
    }
    return Claim(
        "Running time with n random triplets (Fig. 5)",
        "; ".join(f"{name} {a}-{b} s" for name, (a, b) in PAPER_SECONDS.items()) + " (2011)",
        f"over scipy's linkage without triplets: {listed(found['time / scipy'])}; over ReCon without triplets: "
        f"{listed(found['time / none'])}"
        if names
        else "not run",
        verdict(sum(s < PAPER_SECONDS[n][0] for n, s in found["seconds"]), len(names)),
    )


def draw(results, path):
    panels = []
    for name in results.sets("random"):
        n, lines = SIZES[name][0], {}
        for method in ("ReCon", "ReCon, SVM metric", "k-means, SVM metric"):
            sizes, means = results.curve("random", name, method, MEASURE)
            lines[method] = [m / n for m in sizes], means
        for method in ("hierarchical", "k-means"):
            lines[method] = [0, 3], [_at(results, name, method, 0)] * 2
        sizes, means = results.curve("informative", name, "ReCon", MEASURE)
        lines["ReCon, informative"] = [m / n for m in sizes], means
        panels.append((name, lines))
    curves(path, panels, "triplets / samples", "pairwise F-measure")
    return "Pairwise F over the number of triplets, as a multiple of the number of samples."
