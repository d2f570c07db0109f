"""Okabe, Yamada (2012): boosted constrained k-means on nine sets."""

import time
import warnings

import numpy as np

from papers.engine import Cell, seed_of
from papers.figures import curves
from papers.results import Claim, listed, verdict
from papers.sets import load_set, standardized

TITLE = "Boosted constrained k-means"
REFERENCE = (
    "Okabe, Yamada (2012), Clustering by Learning Constraints Priorities, IEEE 12th International Conference on Data "
    "Mining; and (2018), Clustering Using Boosted Constrained k-Means Algorithm, Frontiers in Robotics and AI 5, 18."
)
SETTINGS = (
    "rho = 5.0, xi = 0.5, T = 100, as in the paper; features scaled to deviation 1; random pairs of samples; the same "
    "pairs for each method. CKM is one round, RCKM takes the pairs in random order. The paper's rivals DistBoost and "
    "ITML are no part of the package: `MPCKMeans`, which learns metrics too, stands beside. Seconds are CPU seconds "
    "of one thread, given as ratios only."
)
SETS = ("iris", "wine", "parkinsons", "sonar", "segmentation", "glass", "ionosphere", "wdbc", "balance")
SIZES = (100, 200, 300, 400, 500)
METHODS = ("CKM", "RCKM", "BCKM", "MPCKMeans")
RUNS = {False: 10, True: 2}
#: Seconds with 500 constraints: CKM, BCKM, DistBoost, ITML.
PAPER = {
    "iris": (0.05, 3.10, 17.29, 7.56),
    "glass": (0.06, 5.56, 14.96, 17.01),
    "wdbc": (0.18, 18.13, 131.34, 184.34),
}
MEASURE = "NMI"


def needs(quick):
    return SETS


def cells(quick, runs, names):
    for run in range(runs):
        for name in names:
            yield Cell("boosted", "NMI", name, "k-means", 0, run)
            for m in (100, 500) if quick else SIZES:
                for method in METHODS:
                    yield Cell("boosted", "NMI", name, method, m, run)


def run(cell, seed):
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import normalized_mutual_info_score

    from tripletree.algorithms.supervision import sample_class_pairs
    from tripletree.cluster import MPCKMeans
    from tripletree.cluster.kmeans.boosted import BoostedConstrainedKMeans

    X, y = load_set(cell.set)
    X, k = standardized(X), len(set(y.tolist()))
    pairs = sample_class_pairs(y, cell.m, random_state=seed_of(seed, *cell[:3], cell.m, cell.run))
    state, more = seed_of(seed, *cell), {"pairs": pairs}
    priorities = {"CKM": "none", "RCKM": "random", "BCKM": "boosted"}
    if cell.method == "k-means":
        model, more = KMeans(k, n_init=10, random_state=state), {}
    elif cell.method == "MPCKMeans":
        model = MPCKMeans(k, random_state=state)
    else:
        model = BoostedConstrainedKMeans(k, priorities=priorities[cell.method], random_state=state)
    _warm_up(cell.method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.thread_time()
        model.fit(X, **more)
        seconds = time.thread_time() - begin
    row = {MEASURE: normalized_mutual_info_score(y, model.labels_), "seconds": seconds}
    if more and cell.m:
        row["pairs that hold"] = 1 - len(model.violated_pairs_) / cell.m
    return [row]


_warm = set()


def _warm_up(method):
    """Load what is compiled, once in a process, so that no cell's time holds it."""
    if method not in _warm and method != "k-means":
        _warm.add(method)
        run(Cell("boosted", "NMI", "iris", method, 30, 0), 0)


# ------------------------------------------------------------------ what it says


def _mean_over_sizes(results, name, method):
    _, means = results.curve("NMI", name, method, MEASURE)
    return float(np.mean(means)) if means else np.nan


def _against(results, other):
    rows = [
        (n, _mean_over_sizes(results, n, "BCKM") - _mean_over_sizes(results, n, other)) for n in results.sets("NMI")
    ]
    return [row for row in rows if not np.isnan(row[1])]


def claims(results):
    rows = _against(results, "CKM")
    yield Claim(
        "Boosting makes constrained k-means better",
        "BCKM above CKM",
        f"difference of NMI, mean over the numbers of pairs: {listed(rows, '{:+.2f}')}",
        verdict(sum(d > 0 for _, d in rows), len(rows)),
        "where classes hardly show in the features, no weighting of rounds finds them",
    )
    rows = _against(results, "RCKM")
    yield Claim(
        "Priorities by boosting are better than random ones, or as good",
        "BCKM above RCKM",
        f"difference of NMI: {listed(rows, '{:+.2f}')}",
        verdict(sum(d > -0.02 for _, d in rows), len(rows)),
        "random order makes rounds that differ more from each other, which is worth as much on these sets",
    )
    yield _rising(results)
    yield Claim(
        "Competitive with DistBoost and ITML, which learn metrics, on most sets",
        "about level on most sets",
        "DistBoost and ITML are not at hand",
        "not tested",
    )
    rows = _against(results, "MPCKMeans")
    yield Claim(
        "As good as MPCKMeans, which learns metrics, too",
        "-",
        f"difference of NMI: {listed(rows, '{:+.2f}')}",
        verdict(sum(d > -0.02 for _, d in rows), len(rows)),
        "with 100 pairs a learned metric is ahead on most sets; with 300 and more the two are about level",
    )
    yield _time(results)
    yield _rivals(results)


def _rising(results):
    rows = []
    for name in results.sets("NMI"):
        _, means = results.curve("NMI", name, "BCKM", MEASURE)
        if len(means) > 1:
            rows.append((name, means[0], means[-1]))
    return Claim(
        "NMI rises with the number of pairs",
        "rising curves, 100 to 500 pairs",
        "BCKM with the fewest / most: " + ", ".join(f"{n} {a:.2f} / {b:.2f}" for n, a, b in rows),
        verdict(sum(b > a for _, a, b in rows), len(rows)),
        "",
    )


def _ratios(results, over, under):
    """By set, the median time of a method over that of another, with 500 pairs."""
    times = [{n: results.median("NMI", n, method, 500, "seconds") for n in PAPER} for method in (over, under)]
    rows = [(n, times[0][n] / times[1][n]) for n in PAPER]
    return [row for row in rows if not np.isnan(row[1])]


def _time(results):
    rows = _ratios(results, "BCKM", "CKM")
    return Claim(
        "Boosting costs at most about T = 100 rounds (500 pairs)",
        "BCKM / CKM: " + listed([(n, PAPER[n][1] / PAPER[n][0]) for n in PAPER], "{:.0f}"),
        "BCKM / CKM: " + listed(rows, "{:.0f}"),
        verdict(sum(r <= 1.1 * PAPER[n][1] / PAPER[n][0] for n, r in rows), len(rows)),
        "",
    )


def _rivals(results):
    rows = _ratios(results, "MPCKMeans", "BCKM")
    return Claim(
        "Much faster than DistBoost and ITML (500 pairs)",
        "DistBoost / BCKM: "
        + listed([(n, x[2] / x[1]) for n, x in PAPER.items()], "{:.1f}")
        + "; ITML / BCKM: "
        + listed([(n, x[3] / x[1]) for n, x in PAPER.items()], "{:.1f}"),
        f"DistBoost and ITML are not at hand; MPCKMeans / BCKM: {listed(rows, '{:.1f}')}",
        "not tested",
    )


def draw(results, path):
    panels = []
    for name in results.sets("NMI"):
        lines = {method: results.curve("NMI", name, method, MEASURE) for method in reversed(METHODS)}
        plain = results.mean("NMI", name, "k-means", 0, MEASURE)
        panels.append((name, {**lines, "k-means": ([100, 500], [plain, plain])}))
    curves(path, panels, "pairs", "normalized mutual information")
    return "Normalized mutual information over the number of pairs."
