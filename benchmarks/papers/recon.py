"""Liu, Zhang, Wang (2011): ReCon beside learned metrics, under random and informative triplets."""

import warnings
from functools import partial

import numpy as np

from papers.engine import Cell, seed_of
from papers.figures import curves
from papers.results import LITTLE, Claim, Verdict, gain, gains, listed, verdict
from papers.sets import load_set, scaled

TITLE = "ReCon: clustering with relative constraints"
REFERENCE = (
    "Liu, Zhang, Wang (2011), Clustering with Relative Constraints, Proceedings of the 17th ACM SIGKDD International "
    "Conference on Knowledge Discovery and Data Mining, 947-955."
)
SETTINGS = (
    "The paper does not say how features are scaled and in which order rows stand. Claims that depend on it are judged "
    "in four readings: features as they are (raw) or in 0..1, and rows shuffled in each run or in the order of the "
    "file. Such a claim holds if it holds in all four. It does not hold if it holds in none, not even partly. In any "
    "other case it holds partly. The figures below are those of one reading (0..1, file order). The CSV has all.",
    "The order matters for informative triplets, which name the first member of each class. Random triplets are run "
    "with shuffled rows only.",
    "Centroid linkage, k is the number of classes, and accuracy is the pairwise F-measure. `SVMMetric` has C = 1 and A "
    "= I. k-means takes the best of 10 starts. Triplets are drawn from all that the classes imply.",
    "Hierarchies are cut as in section 4.2.1: branches below a threshold are left out, and then join the nearest of "
    "the k clusters. The paper gives no threshold. Here it is the one of n/2k, n/4k, ... whose clusters have most of "
    'the given triplets with a and b together and c outside. "Ours" is the default of `cut`; `ReCon` moves samples of '
    "it to nearer means.",
    "The paper has 50 draws. Here Fig. 3 has 50, the others 20, and informative triplets with the metric 5 on digits "
    "and letters. Clustering without triplets involves no chance and has 1.",
    "Table 1 of the paper counts 5 dimensions of transfusion, with the class. Here it has 4.",
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
SMALL, LARGE = SETS[:4], SETS[4:]
MANY = ("digits 3000", "letters 3000")
FORMS = ("raw", "0..1")
#: Features and order of the rows.
READINGS = ("raw", "0..1", "raw, file order", "0..1, file order")
RATIOS = (0.1, 0.25, 0.5, 0.75, 1.0, 2.0)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
RUNS = {False: 20, True: 2}
#: Draws of Fig. 3, each of which takes a quarter of a second, and its triplets as multiples of n.
SINGLE_RUNS, SINGLE_RATIOS = 50, (0.1, 0.5)
TIMED = (0, 1000, 2000, 3000)
MEASURE = "F-measure"
#: F has settled where it stays this near to its last value.
SETTLED = 0.01
OURS, STOPPED = "F-measure, ours", "F-measure, stop at k"
SVM = "k-means, SVM metric"
#: What decides where a claim that begins so does not hold in all cases, of `papers.results.CAUSES`.
DECIDED = {
    "The k clusters of the experiments, in which outliers join": "paper",
    "k-means with the SVM metric is soon saturated: its curves": "data",
    "ReCon with the Euclidean metric beats k-means with the SVM": "reading",
    "ReCon with the SVM metric beats k-means with the SVM metric": "reading",
    "The advantage over the metric is generally obvious with few": "reading",
    "ReCon is generally better with the Euclidean metric than": "reading",
    "Single runs with random triplets vary considerably": "reading",
    "The SVM metric alone varies less from run to run than ReCon": "data",
    "With informative triplets, ReCon is significantly better": "reading",
    "Informative triplets give significantly higher accuracy": "data",
    "... and vary much less from run to run": "data",
    "The SVM metric does not benefit from triplets being": "reading",
    "With informative triplets the metric is worse on ionosphere": "reading",
    "... and is saturated with fewer of them on iris and digits": "reading",
}


def needs(quick):
    return SMALL if quick else (*SETS, *MANY)


def cells(quick, runs, names):
    ratios = (0.25, 1.0) if quick else RATIOS
    shares = (0.5, 1.0) if quick else SHARES
    for run in range(runs):
        for name in names:
            if name in SIZES:
                for reading in READINGS:
                    yield from _of_set(name, reading, run, ratios, shares)
        yield from (Cell("recon", "dead ends", n, "greedy", SIZES[n][0], run) for n in names if n in SMALL[:3])
    if not quick:
        for run in range(SINGLE_RUNS * runs // RUNS[False]):
            for name in (n for n in LARGE if n in names):
                for form in FORMS:
                    for ratio in SINGLE_RATIOS:
                        yield Cell("recon", f"single runs, {form}", name, "ReCon", int(ratio * SIZES[name][0]), run)
        for run in range(3):
            for name in (*LARGE, *MANY):
                if name in names:
                    yield from (Cell("recon", "time", name, "ReCon", m, run) for m in TIMED)
                    yield from (Cell("recon", "time over n", name, "ReCon", n, run) for n in (750, 1500, 3000))


def _of_set(name, reading, run, ratios, shares):
    n, whole = SIZES[name][0], _whole_set(name)
    if reading in FORMS:
        random = f"random, {reading}"
        yield Cell("recon", random, name, "k-means", 0, run)
        if run == 0:
            yield Cell("recon", random, name, "hierarchical", 0, 0)
        for ratio in ratios:
            for method in ("ReCon", "SVM metric"):
                yield Cell("recon", random, name, method, int(ratio * n), run)
    for part in shares:
        yield Cell("recon", f"informative, {reading}", name, "ReCon", int(part * whole), run)
        if name in SMALL or run < 5:
            yield Cell("recon", f"informative metric, {reading}", name, "SVM metric", int(part * whole), run)


def _whole_set(name):
    """The number of triplets in the informative set of all classes."""
    n, k = SIZES[name]
    return (k - 1) * (n - k)


def run(cell, seed):
    import tripletree as tt

    if cell.part.startswith("time"):
        return [_seconds(cell, seed)]
    X, y = load_set(cell.set)
    order = np.random.default_rng(seed_of(seed, cell.paper, cell.set, cell.run)).permutation(len(y))
    if "file order" in cell.part:
        order = np.arange(len(y))
    X = scaled(X) if "0..1" in cell.part else X
    X, y, k = X[order], y[order], len(set(y.tolist()))
    part = cell.part.partition(",")[0].removesuffix(" metric")
    draw = seed_of(seed, cell.paper, part, cell.set, cell.m, cell.run)  # the same for all
    triplets = None
    if part == "informative":
        whole = tt.triplets_from_classes(y)
        rows = np.random.default_rng(draw).permutation(len(whole))[: cell.m]
        triplets = tt.TripletSet(whole.rows[np.sort(rows)], whole.leaves)
    elif cell.m:
        triplets = tt.sample_class_triplets(y, cell.m, random_state=draw)
    if part == "dead ends":
        return [_greedy(X, triplets)]
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
        {"method": SVM, **_k_means(new, y, k, start), **flat},
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
    h, n = model.hierarchy_, len(y)
    found = {
        MEASURE: _paper_cut(h, k, X, triplets),
        OURS: tt.cut(h, k, triplets=triplets, samples=X),
        STOPPED: tt.cut(h, k, rule="merge_order"),
    }
    for part in (2, 4):
        found[f"F-measure, n/{part}k"] = _below(h, k, X, [n // (part * k * 2**i) for i in range(12)])[0]
    row = {name: tt.pairwise_f_score(y, labels) for name, labels in found.items()}
    row["dendrogram purity"] = tt.dendrogram_purity(h, y)
    if triplets is not None:
        row["triplets displayed"] = tt.triplet_score(h, triplets)
        for name in (MEASURE, OURS, STOPPED):
            row[name.replace("F-measure", "triplets satisfied")] = tt.label_triplet_score(found[name], triplets)
    return row


def _below(hierarchy, k, X, sizes):
    """The paper's clusters for each threshold at which there are k; the last one, 1, always has them."""
    import tripletree as tt
    from tripletree.errors import ClusterCountError

    found = []
    for size in sizes:
        try:
            options = {"min_size": max(1, size), "samples": X, "outliers": "nearest"}
            found.append(tt.cut(hierarchy, k, rule="size", **options))
        except ClusterCountError:
            continue
    return found


def _paper_cut(hierarchy, k, X, triplets):
    """The paper's clusters, at the threshold that most triplets speak for."""
    found = _below(hierarchy, k, X, [len(X) // (2 * k * 2**i) for i in range(12)])
    if triplets is None:
        return found[0]
    a, b, c = triplets.rows.T
    return max(found, key=lambda label: int(((label[a] == label[b]) & (label[a] != label[c])).sum()))


def _greedy(X, triplets):
    """Always the two closest clusters whose merge violates no triplet at once: how many are left at the end."""
    n = len(X)
    home, centre, size = np.arange(n), X.copy(), np.ones(n)
    far = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    left = n
    while left > 1:
        a, b, c = home[triplets.rows.T]
        open_ = a != b
        barred = far.copy()
        for one in (a, b):
            barred[one[open_], c[open_]] = barred[c[open_], one[open_]] = np.inf
        i, j = divmod(int(barred.argmin()), n)
        if np.isinf(barred[i, j]):
            break
        centre[i] = (size[i] * centre[i] + size[j] * centre[j]) / (size[i] + size[j])
        size[i] += size[j]
        size[j] = 0
        home[home == j] = i
        gone = size == 0
        far[i] = far[:, i] = ((centre - centre[i]) ** 2).sum(axis=1)
        far[gone] = far[:, gone] = far[i, i] = np.inf
        left -= 1
    return {"dead end": float(left > 1), "clusters left": left}


def _seconds(cell, seed):
    """CPU seconds: the least of three fits."""
    import time

    import tripletree as tt
    from tripletree.cluster import ReCon

    X, y = load_set(cell.set)
    rng = np.random.default_rng(seed_of(seed, *cell))
    rows = rng.permutation(len(y))[: cell.m if cell.part == "time over n" else None]
    X, y = scaled(X)[rows], y[rows]
    m = len(y) if cell.part == "time over n" else cell.m
    triplets = tt.sample_class_triplets(y, m, random_state=rng) if m else None
    least = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for turn in range(4):
            begin = time.thread_time()
            ReCon(len(set(y.tolist()))).fit(X, triplets=triplets)
            if turn:  # the first one loads what is compiled
                least = min(least, time.thread_time() - begin)
    return {"seconds": least}


# ------------------------------------------------------------------ what it says


class _Found:
    """The results in one reading of what the paper leaves open: the features, and the order of the rows."""

    def __init__(self, results, reading):
        self.results, self.reading, form = results, reading, reading.partition(",")[0]
        self.random = f"random, {form}"
        self.informative = {False: f"informative, {reading}", True: f"informative metric, {reading}"}
        self.sets = results.sets(self.random)

    def random_key(self, name, method, m=None, measure=MEASURE):
        """With m random triplets, n if not said otherwise."""
        return self.random, name, method, SIZES[name][0] if m is None else m, measure

    def informative_key(self, name, method, m, measure=MEASURE):
        """With m informative triplets."""
        return self.informative[method != "ReCon"], name, method, m, measure

    def at(self, *key):
        """The values of all runs with random triplets."""
        return self.results.of(*self.random_key(*key))

    def whole(self, name, method, measure=MEASURE):
        """With all informative triplets."""
        return self.results.of(*self.informative_key(name, method, _whole_set(name), measure))

    def compare(self, mine, theirs):
        """By set, the gain of one key over another, run by run; both are functions of the name."""
        rows = [(name, self.results.gain(mine(name), theirs(name))) for name in self.sets]
        return [(name, g) for name, g in rows if g is not None]

    def over_plain(self, measure=MEASURE):
        """By set, the gain of n random triplets over the hierarchy without any, of which there is one."""
        rows = []
        for name in self.sets:
            x, plain = self.at(name, "ReCon", None, measure), self.at(name, "hierarchical", 0, measure)
            if plain.size and x.size > 1:
                rows.append((name, gain(x, np.full(x.size, plain[0]))))
        return rows


def claims(results):
    found = [_Found(results, reading) for reading in READINGS]
    found = [x for x in found if x.sets]
    if not found:
        return
    first = found[0]
    yield _displayed(results, first)
    yield _cut_along(found)
    yield _dead_ends(results)
    yield _sizes_of_decompositions()
    for make in _JUDGED:
        yield _judged([(x.reading, make(x)) for x in found])
    yield from _time(results)


def _judged(rows):
    """A claim with the figures of the last reading: it holds if it does in all readings, and partly if in any."""
    rows = [(reading, claim) for reading, claim in rows if claim.verdict != "not run"] or rows[-1:]
    claim, verdicts = rows[-1][1], [str(claim.verdict) for _, claim in rows]
    if verdicts == ["not run"]:
        return claim
    text = verdicts[0] if len(set(verdicts)) == 1 else "partly"
    each = "; ".join(f"{reading}: {v}" for (reading, _), v in zip(rows, verdicts, strict=True))
    cases = f"{verdicts.count('yes')} of {len(rows)} readings"
    told = claim.ours if len(set(verdicts)) == 1 else f"{claim.ours}. By reading: {each}"
    return claim._replace(verdict=Verdict(text, f"{cases}, shown: {verdicts[-1]}", verdicts[-1]), ours=told)


def _displayed(results, raw):
    found = [raw.at(n, "ReCon", None, "triplets displayed") for n in raw.sets]
    least = [float(x.min()) for x in found if x.size]
    return Claim(
        "ReCon gives a complete hierarchy in which every triplet holds, if they are consistent",
        "4.2",
        "always",
        f"least share of n random triplets displayed in any run: {min(least, default=np.nan):g}, {len(least)} sets; "
        "and literal listings in `tests/recon_oracle.py`",
        verdict(sum(x == 1 for x in least), len(least)),
    )


def _cut_along(readings):
    found = [x.at(n, "ReCon", None, "triplets satisfied, stop at k") for x in readings[:2] for n in x.sets]
    least = [float(x.min()) for x in found if x.size]
    return Claim(
        "Cutting a hierarchy that displays the triplets, from the root down, gives a k-partition that satisfies all",
        "4.1.2",
        "always",
        f"least share satisfied in any run with n triplets: {min(least, default=np.nan):g}",
        verdict(sum(x == 1 for x in least), len(least)),
    )


def _kept_flat(found):
    def of(measure):
        values = [(n, found.at(n, "ReCon", None, measure)) for n in found.sets]
        return [(n, float(x.mean())) for n, x in values if x.size]

    rows = of("triplets satisfied")
    return Claim(
        "The k clusters of the experiments, in which outliers join their nearest clusters, satisfy all triplets too",
        "1, 4.2.1",
        "a k-partition that satisfies all given constraints",
        f"share satisfied with n random triplets: {listed(rows)}; ours: {listed(of('triplets satisfied, ours'))}",
        verdict(sum(x == 1 for _, x in rows), len(rows)),
        "an outlier that joins another cluster than its own can break any triplet that it is in. The default cut here "
        "moves it only if none breaks",
    )


def _dead_ends(results):
    rows = [(n, results.mean("dead ends", n, "greedy", SIZES[n][0], "dead end")) for n in results.sets("dead ends")]
    left = [(n, results.mean("dead ends", n, "greedy", SIZES[n][0], "clusters left")) for n, _ in rows]
    return Claim(
        "Merging greedily, so that no triplet is violated at once, can end before the hierarchy is complete",
        "4.2",
        "an example of four samples",
        f"share of runs that end so with n random triplets: {listed(rows)}; clusters left then: "
        f"{listed(left, '{:.1f}')}",
        verdict(sum(x > 0 for _, x in rows) > 0, bool(rows)),
    )


def _sizes_of_decompositions():
    import tripletree as tt
    from tripletree.algorithms.decompose import decompose

    n, rng = 200, np.random.default_rng(0)
    classes = rng.integers(0, 4, 500)
    shapes = {degree: _random_tree(n, degree, rng) for degree in (2, 3, 4)}
    sizes = {degree: len(decompose(h)) for degree, h in shapes.items()}
    informative = len(tt.triplets_from_classes(classes))
    right = sizes[2] == n - 2, all(size <= 3 * n for size in sizes.values()), informative <= 3 * 500
    return Claim(
        "n - 2 triplets say all of a binary hierarchy, O(n) of one of bounded degree, (k - 1) n of k classes",
        "4.3, 5.2",
        "n - 2; O(n); (k - 1) n",
        f"random hierarchies of {n} leaves: "
        + ", ".join(f"degree {d}: {s / n:.2f} n" for d, s in sizes.items())
        + f" (binary: {sizes[2]} = n - 2); four classes of 500 samples: {informative} <= 3 n",
        verdict(sum(right), len(right)),
    )


def _random_tree(n, degree, rng):
    """A hierarchy whose inner nodes have so many children, but for the last one."""
    from tripletree.core.hierarchy import Hierarchy

    live, parent, at = list(range(n)), [-1] * n, n
    while len(live) > 1:
        some = [live.pop(int(rng.integers(len(live)))) for _ in range(min(degree, len(live)))]
        for child in some:
            parent[child] = at
        parent.append(-1)
        live.append(at)
        at += 1
    return Hierarchy(np.array(parent), range(n))


def _metric_helps(found):
    rows = found.compare(lambda n: found.random_key(n, SVM), lambda n: found.random_key(n, "k-means", 0))
    return Claim(
        "In most experiments the SVM metric makes k-means significantly better",
        "5.1",
        "most of 6 sets (curves)",
        f"gain of F with n random triplets: {gains(rows)}",
        verdict(sum(g.higher for _, g in rows), len(rows), most=True),
        "on scaled features there is less for weights of features to mend",
    )


def _metric_saturates(found):
    rows = found.compare(
        lambda n: found.random_key(n, SVM), lambda n: found.random_key(n, SVM, int(0.25 * SIZES[n][0]))
    )
    return Claim(
        "k-means with the SVM metric is soon saturated: its curves are relatively flat",
        "5.1",
        "flat curves",
        f"F at n less that at n / 4 triplets: {gains(rows)}",
        verdict(sum(abs(g.mean) <= LITTLE for _, g in rows), len(rows)),
    )


def _better(found, mine):
    def of(measure=MEASURE):
        return found.compare(lambda n: found.random_key(n, mine, None, measure), lambda n: found.random_key(n, SVM))

    rows = of()
    name = "the Euclidean" if mine == "ReCon" else "the SVM"
    return Claim(
        f"ReCon with {name} metric beats k-means with the SVM metric by large margins on all sets but iris",
        "5.1, abstract",
        "higher on 5 of 6 sets, large margins",
        f"difference of F with n random triplets: {gains(rows)}; cut as ours: {gains(of(OURS))}",
        verdict(sum(not g.higher if n == "iris" else g.large for n, g in rows), len(rows)),
        "on iris there is to be no significant lead. The threshold of the cut decides much if triplets leave the level "
        "of the classes open",
    )


def _early(found):
    out = []
    for name in (n for n in found.sets if n != "iris"):
        rows = []
        for ratio in RATIOS:
            m = int(ratio * SIZES[name][0])
            g = found.results.gain(found.random_key(name, "ReCon", m), found.random_key(name, SVM, m))
            if g is not None:
                rows.append((ratio, g.higher))
        if rows:
            last = max((ratio for ratio, higher in rows if not higher), default=0.0)
            out.append((name, next((ratio for ratio, _ in rows if ratio > last), np.inf)))
    return Claim(
        "The advantage over the metric is generally obvious with few triplets already",
        "5.1",
        "on the five sets but iris",
        "m / n from which on the advantage is significant: "
        + ", ".join(f"{n} {r:g}" if np.isfinite(r) else f"{n} never" for n, r in out),
        verdict(sum(r <= 0.25 for _, r in out), len(out), most=True),
        "few means n / 4",
    )


def _which_metric(found):
    rows = found.compare(lambda n: found.random_key(n, "ReCon"), lambda n: found.random_key(n, "ReCon, SVM metric"))
    return Claim(
        "ReCon is generally better with the Euclidean metric than with the SVM metric",
        "5.1",
        "generally",
        f"difference of F with n random triplets: {gains(rows)}",
        verdict(sum(g.higher for _, g in rows), len(rows), most=True),
        "a learned metric serves the linkage as long as triplets do not decide all merges, the more so on raw features",
    )


def _rising(found):
    rows = found.over_plain()
    return Claim(
        "Random triplets improve the average accuracy significantly over clustering without any",
        "5.1",
        "all sets (curves over 0 to n)",
        f"gain of F with n triplets over the hierarchy without: {gains(rows)}; cut as ours: "
        f"{gains(found.over_plain(OURS))}",
        verdict(sum(g.higher for _, g in rows), len(rows)),
        "few random triplets keep parts of a class from merging and say nothing of where these belong; only from "
        "somewhat more than n on do they force whole classes",
    )


def _spread(found):
    rows = []
    for name in (n for n in LARGE if n in found.sets):
        part, n = found.random.replace("random", "single runs"), SIZES[name][0]
        values = [(ratio, found.results.of(part, name, "ReCon", int(ratio * n), MEASURE)) for ratio in SINGLE_RATIOS]
        values = [(ratio, x) for ratio, x in values if x.size > 1]
        if values:
            rows.append((name, *max(values, key=lambda one: np.ptp(one[1]))))
    return Claim(
        "Single runs with random triplets vary considerably (letters, digits)",
        "5.1, Fig. 3",
        "curves over 50 runs",
        "at the m / n where most: "
        + "; ".join(f"{n} {r:g}: {x.min():.3f} to {x.max():.3f}, deviation {x.std(ddof=1):.3f}" for n, r, x in rows),
        verdict(sum(np.ptp(x) > 0.1 for *_, x in rows), len(rows)),
        "considerable means more than 0.1 between the worst run and the best",
    )


def _metric_varies_less(found):
    rows = _deviations((n, found.at(n, SVM), found.at(n, "ReCon")) for n in found.sets)
    return Claim(
        "The SVM metric alone varies less from run to run than ReCon",
        "5.1",
        "lower variance",
        "deviation of F with n triplets, metric / ReCon: " + ", ".join(f"{n} {a:.3f} / {b:.3f}" for n, a, b in rows),
        verdict(sum(a < b for _, a, b in rows), len(rows)),
        "where triplets force the classes, ReCon varies less",
    )


def _deviations(triples):
    return [(n, a.std(ddof=1), b.std(ddof=1)) for n, a, b in triples if min(a.size, b.size) > 1]


def _whole(found):
    def of(measure):
        values = [(n, found.whole(n, "ReCon", measure)) for n in found.sets]
        return [(n, float(x.mean())) for n, x in values if x.size]

    rows = of(MEASURE)
    others = {"threshold n/2k": "F-measure, n/2k", "n/4k": "F-measure, n/4k", "stopping at k": STOPPED, "ours": OURS}
    return Claim(
        "With the whole informative set, accuracy is 100 % on all six sets",
        "5.2, Fig. 4",
        "1.00 on 6 of 6 sets",
        f"{listed(rows, '{:.3f}')}; " + "; ".join(f"{x}: {listed(of(m), '{:.3f}')}" for x, m in others.items()),
        verdict(sum(f == 1 for _, f in rows), len(rows)),
        "the triplets force the hierarchy, but not the outliers in its cut",
    )


def _informative_rises(found):
    rows = found.compare(
        lambda n: found.informative_key(n, "ReCon", _whole_set(n)),
        lambda n: found.informative_key(n, "ReCon", int(0.1 * _whole_set(n))),
    )
    return Claim(
        "Subsets of the informative triplets give stable and consistent improvements",
        "5.2, Fig. 4",
        "all sets (curves)",
        f"gain of F from a tenth of them to all: {gains(rows)}",
        verdict(sum(g.higher for _, g in rows), len(rows)),
    )


def _informative_beats_metric(found):
    rows = found.compare(
        *(lambda n, x=x: found.informative_key(n, x, int(0.5 * _whole_set(n))) for x in ("ReCon", SVM))
    )
    return Claim(
        "With informative triplets, ReCon is significantly better than the SVM metric alone on all sets, iris too",
        "5.2, Fig. 4",
        "6 of 6 sets",
        f"difference of F with half of them: {gains(rows)}",
        verdict(sum(g.higher for _, g in rows), len(rows)),
        "part of the informative set ties a class to its first member, but not the members that it leaves out",
    )


def _near_n(name):
    """The share of the informative set nearest to n triplets."""
    sizes = [int(s * _whole_set(name)) for s in SHARES]
    return min(sizes, key=lambda m: abs(m - SIZES[name][0]))


def _informative_beats_random(found):
    rows = found.compare(
        lambda n: found.informative_key(n, "ReCon", _near_n(n)), lambda n: found.random_key(n, "ReCon")
    )
    return Claim(
        "Informative triplets give significantly higher accuracy than as many random ones",
        "5.2",
        "all sets",
        f"difference of F with about n: {gains(rows)}",
        verdict(sum(g.higher for _, g in rows), len(rows)),
        "where n random triplets have all classes already, nothing is left to gain",
    )


def _informative_varies_less(found):
    rows = _deviations(
        (n, found.results.of(*found.informative_key(n, "ReCon", _near_n(n))), found.at(n, "ReCon")) for n in found.sets
    )
    return Claim(
        "... and vary much less from run to run",
        "5.2",
        "much smaller variance",
        "deviation of F with about n, informative / random: " + ", ".join(f"{n} {a:.3f} / {b:.3f}" for n, a, b in rows),
        verdict(sum(2 * a <= b for _, a, b in rows), len(rows)),
        "much means half the deviation",
    )


def _metric_gains_little(found):
    rows = _metric_by_information(found)
    plain = found.compare(
        lambda n: found.informative_key(n, SVM, _whole_set(n)), lambda n: found.random_key(n, "k-means", 0)
    )
    return Claim(
        "The SVM metric does not benefit from triplets being informative: it gains very little in all experiments",
        "5.2, abstract",
        "all sets",
        f"F with all informative less that with n random: {gains(rows)}; over k-means without triplets: {gains(plain)}",
        verdict(sum(g.mean <= LITTLE for _, g in rows), len(rows)),
    )


def _metric_by_information(found):
    """By set, F of the metric with all informative triplets less that with n random ones."""
    return found.compare(lambda n: found.informative_key(n, SVM, _whole_set(n)), lambda n: found.random_key(n, SVM))


def _metric_by_set(found):
    by = dict(_metric_by_information(found))
    right = [by[n].lower for n in ("ionosphere",) if n in by] + [by[n].higher for n in ("transfusion",) if n in by]
    return Claim(
        "With informative triplets the metric is worse on ionosphere and better on transfusion than with random ones",
        "5.2",
        "these two sets",
        "F of the metric with all informative less that with n random: "
        + gains((n, by[n]) for n in ("ionosphere", "transfusion") if n in by),
        verdict(sum(right), len(right)),
        "",
    )


def _settled(results, *curve):
    """The number of triplets from which on the mean stays within 0.01 of the last one."""
    sizes, means = results.curve(*curve, MEASURE)
    far = [m for m, x in zip(sizes, means, strict=True) if abs(x - means[-1]) > SETTLED]
    return next((m for m in sizes if m > max(far, default=-1)), np.nan) if sizes else np.nan


def _metric_saturates_early(found):
    rows = []
    for name in ("iris", "digits 389"):
        parts = (found.informative[True], found.random)
        ends = [_settled(found.results, part, name, SVM) / SIZES[name][0] for part in parts]
        if not np.isnan(ends).any():
            rows.append((name, *ends))
    return Claim(
        "... and is saturated with fewer of them on iris and digits 389",
        "5.2",
        "these two sets",
        f"m / n from which on F stays within {SETTLED} of its last value, informative / random: "
        + ", ".join(f"{name} {mine:.2g} / {other:.2g}" for name, mine, other in rows),
        verdict(sum(mine < other for _, mine, other in rows), len(rows)),
        "of the numbers of triplets that were run",
    )


#: The claims that depend on the reading.
_JUDGED = (
    _kept_flat,
    _metric_helps,
    _metric_saturates,
    partial(_better, mine="ReCon"),
    partial(_better, mine="ReCon, SVM metric"),
    _early,
    _which_metric,
    _rising,
    _spread,
    _metric_varies_less,
    _whole,
    _informative_rises,
    _informative_beats_metric,
    _informative_beats_random,
    _informative_varies_less,
    _metric_gains_little,
    _metric_by_set,
    _metric_saturates_early,
)


def _time(results):
    names = results.sets("time")
    over_m = [
        (n, results.median("time", n, "ReCon", 3000, "seconds") / results.median("time", n, "ReCon", 0, "seconds"))
        for n in names
    ]
    curves_ = [(n, *results.curve("time over n", n, "ReCon", "seconds")) for n in results.sets("time over n")]
    slopes = [(n, float(np.polyfit(np.log(s), np.log(x), 1)[0])) for n, s, x in curves_ if len(s) > 1]
    most = max((results.median("time", n, "ReCon", m, "seconds") for n in names for m in TIMED), default=np.nan)
    yield Claim(
        "Large data with thousands of triplets are clustered efficiently: the worst case, n^4 m, is unlikely",
        "4.2, 5.3",
        "within a few minutes in most experiments (2011)",
        f"exponent of the time over n, with n triplets: {listed(slopes)}; at most {most:.1f} s",
        verdict(sum(s <= 2.5 for _, s in slopes), len(slopes)),
        "efficient here means no more than n^2.5, near the n^2 log n without triplets",
    )
    yield Claim(
        "Seconds over the number of triplets, 0 to 3,000",
        "Fig. 5",
        "axes: letters IJLT 15 to 40 s, digits 389 18 to 23 s, letters 3000 0 to 400 s, digits 3000 19 to 24 s",
        f"time with 3,000 over that with none: {listed(over_m)}",
        "cannot be tested",
        "seconds of 2011, of another program; the growth is what compares, and its curves have no figures",
    )


def draw(results, path):
    panels = []
    for reading in READINGS:
        found = _Found(results, reading)
        for name in found.sets:
            n, lines = SIZES[name][0], {}
            for method in ("ReCon", "ReCon, SVM metric", SVM):
                parts = [found.random, found.informative[method != "ReCon"]]
                for part, more in zip(parts, ("", ", informative"), strict=True):
                    sizes, means = results.curve(part, name, method, MEASURE)
                    lines[method + more] = [m / n for m in sizes], means
            sizes, means = results.curve(found.random, name, "ReCon", OURS)
            lines["ReCon, cut as ours"] = [m / n for m in sizes], means
            for method in ("hierarchical", "k-means"):
                lines[method] = [0, 2], [results.mean(found.random, name, method, 0, MEASURE)] * 2
            panels.append((f"{name}, {reading}", lines))
    curves(path, panels, "triplets / samples", "pairwise F-measure")
    return "Pairwise F over the number of triplets, as a multiple of the number of samples."
