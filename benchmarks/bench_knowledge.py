"""Does knowledge help? Hierarchies and clusters from more and more triplets, clean and partly wrong, on data of kinds.

`--quick` (the default) takes a few small cells and keeps nothing; `--full` runs all of them and goes on where it was
stopped: each cell is appended to the CSV as soon as it is there, and those that are there are not run again. Processes
with different `--seeds` may share one file. `--report` only reads it. See `_kinds.py` for the data and which of them
are for development and which for reporting.
"""

import argparse
import contextlib
import csv
import os
import signal
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from _kinds import KINDS, SOURCES, Absent, Knowledge, draw_labels, draw_triplets, unseen_triplets
from _knowledge_report import BASE, KEY, MEASURES, checks, curves, read_cells, tables
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import tripletree as tt
from tripletree import cluster
from tripletree.metrics import MahalanobisMetric, SVMMetric

RESULTS = Path(__file__).parent / "results" / "knowledge.csv"
AMOUNTS, WRONG = (0, 0.05, 0.1, 0.3, 1, 3, 10), (0, 0.1, 0.2)
FEWEST = 20  # samples that no triplet names: below, there is no score over them
COLUMNS = ["set", "kind", "role", "n", "k", *KEY[2:], *MEASURES, "unnamed", "kept", "seconds", "error"]


# ---------------------------------------------------------------------- methods
# f(data, knowledge, seed) -> the hierarchy or None, and the labels


def plain(linkage):
    return lambda data, known, seed: fitted(cluster.ReCon(data.k, linkage=linkage), data.X)


def recon(**options):
    def run(data, known, seed):
        return fitted(cluster.ReCon(data.k, linkage="ward", **options), data.X, triplets=known.triplets)

    return run


def recon_pairs(data, known, seed):
    return fitted(cluster.ReCon(data.k, linkage="ward"), data.X, pairs=known.pairs)


def metric_penalty(data, known, seed):
    metric = None
    if known.triplets is not None:
        metric = MahalanobisMetric(on_degenerate="euclidean").fit(data.X, triplets=known.triplets)
    model = cluster.ReCon(data.k, linkage="ward", metric=metric or "euclidean", penalty="auto")
    return fitted(model, data.X, triplets=known.triplets)


def metric_kmeans(data, known, seed):
    X = data.X
    if known.triplets is not None:
        X = SVMMetric(on_degenerate="euclidean").fit(X, triplets=known.triplets).transform(X)
    return None, KMeans(data.k, n_init=10, random_state=seed).fit_predict(X)


def kmeans(data, known, seed):
    return None, KMeans(data.k, n_init=10, random_state=seed).fit_predict(data.X)


def by_pairs(make):
    return lambda data, known, seed: (None, make(data.k, seed).fit(data.X, pairs=known.pairs).labels_)


def divisive(**options):
    """Triplets; where what is known are classes of samples, these."""

    def run(data, known, seed):
        model = cluster.DivisiveReCon(data.k, random_state=seed, **options)
        if known.labels is None:
            return fitted(model, data.X, triplets=known.triplets)
        return fitted(model, data.X, classes=[None if c < 0 else c for c in known.labels.tolist()])

    return run


def divisive_with_pairs(data, known, seed):
    model = cluster.DivisiveReCon(data.k, random_state=seed)
    return fitted(model, data.X, triplets=known.triplets, pairs=known.pairs)


def fitted(model, X, **known):
    model.fit(X, **{name: value for name, value in known.items() if value is not None})
    return model.hierarchy_, model.labels_


PLAIN = {"plain ward": plain("ward"), "plain average": plain("average"), "k-means": kmeans}
FROM_TRIPLETS = {
    "ReCon hard": recon(on_conflict="repair"),
    "ReCon penalty": recon(penalty="auto"),
    "metric + ReCon penalty": metric_penalty,
    "SVM metric + k-means": metric_kmeans,
}
FROM_PAIRS = {  # where the triplets are those of classes: the same as pairs
    "ReCon with pairs": recon_pairs,
    "COPKMeans": by_pairs(lambda k, seed: cluster.COPKMeans(k, random_state=seed)),
    "MPCKMeans": by_pairs(lambda k, seed: cluster.MPCKMeans(k, random_state=seed)),
}
VARIANTS = {}  # run only where --methods names them, and not ranked
with contextlib.suppress(ImportError):
    from tripletree.cluster import DivisiveReCon  # noqa: F401

    FROM_TRIPLETS["DivisiveReCon"] = divisive()
    VARIANTS["DivisiveReCon hard"] = divisive(constraints="hard")
    VARIANTS["DivisiveReCon soft"] = divisive(constraints="soft")
    VARIANTS["DivisiveReCon with pairs"] = divisive_with_pairs
NEED_PAIRS = {*FROM_PAIRS, "DivisiveReCon with pairs"}
METHODS = {**PLAIN, **FROM_TRIPLETS, **FROM_PAIRS, **VARIANTS}


# ---------------------------------------------------------------------- one cell


def scores(data, known, result, test):
    """All measures of a hierarchy and of labels; those that there are none of are left out."""
    hierarchy, labels = result
    labels = np.asarray(labels)
    free = np.ones(len(labels), bool) if known.named is None else ~known.named
    row = {"unnamed": int(free.sum())}
    if hierarchy is not None:
        row["unseen"] = float(tt.displays(hierarchy, test).mean())
        row["purity"] = tt.dendrogram_purity(hierarchy, {leaf: data.y[leaf] for leaf in hierarchy.leaves})
        if known.triplets is not None:
            row["kept"] = float(tt.displays(hierarchy, known.triplets).mean())
    row["f"], row["ari"] = tt.pairwise_f_score(data.y, labels), adjusted_rand_score(data.y, labels)
    if free.sum() >= FEWEST:
        row["f_unnamed"] = tt.pairwise_f_score(data.y[free], labels[free])
        row["ari_unnamed"] = adjusted_rand_score(data.y[free], labels[free])
    return row


class TooLong(Exception):
    pass


@contextlib.contextmanager
def patience(seconds):
    """Raise `TooLong` in what takes more CPU seconds, where the system has such alarms."""

    def late(*_):
        raise TooLong(f"over {seconds} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def fit(method, data, known, seed, seconds):
    """The result or the reason why there is none, and the CPU seconds."""
    start = time.process_time()
    try:
        with warnings.catch_warnings(), patience(seconds):
            warnings.simplefilter("ignore")
            result = METHODS[method](data, known, seed)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is this method's failure)
        result = f"{type(error).__name__}: {error}".split("\n")[0][:80]
    return result, time.process_time() - start


# ---------------------------------------------------------------------- all cells


class Cells:
    """The cells that there are; new ones are appended to the file at once."""

    def __init__(self, path, redo=()):
        self.path, self.rows = path, []
        if path is None:
            return
        if path.exists():
            self.rows = [row for row in read_cells([path], COLUMNS) if row["method"] not in redo]
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or redo or not path.read_bytes().endswith(b"\n"):
            aside = path.with_name(path.name + ".new")
            with aside.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(self.rows)
            aside.replace(path)
        self.keys = {tuple(str(row[x]) for x in KEY) for row in self.rows}

    def __contains__(self, cell):
        return self.path is not None and tuple(str(cell[x]) for x in KEY) in self.keys

    def add(self, row):
        row = {name: row.get(name, "") for name in COLUMNS}
        row = {name: f"{value:.5g}" if isinstance(value, float) else value for name, value in row.items()}
        self.rows.append({name: str(value) for name, value in row.items()})
        if self.path is not None:
            with self.path.open("a", newline="", encoding="utf-8") as file:
                csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)


def run(cells, sources, methods, amounts, shares, seeds, n, seconds):
    for seed in seeds:
        for source in sources:
            try:
                run_data(cells, source, methods, amounts, shares, seed, n, seconds)
            except Absent as reason:
                if seed == seeds[0]:
                    print(f"skipped: {source.name}: {reason}")


def run_data(cells, source, methods, amounts, shares, seed, n, seconds):
    """All cells of a set and a seed. Without knowledge there is nothing to be wrong."""
    data, kept = source.make(n, seed), {}
    for amount in (x for x in amounts if x < 1 or source.form == "triplets"):
        for share in shares if amount else shares[:1]:
            known = test = None
            for method in methods:
                if method in NEED_PAIRS and not data.classes_only:
                    continue
                cell = dict(zip(KEY, (source.name, len(data.X), amount, share, seed, method), strict=True))
                if cell in cells:
                    continue
                if test is None:
                    draw = draw_labels if source.form == "labels" else draw_triplets
                    known = draw(data, amount, share, seed) if amount else Knowledge()
                    test = unseen_triplets(data, known.triplets, seed)
                if method not in PLAIN:
                    result, took = fit(method, data, known, seed, seconds)
                else:  # the same whatever is known
                    result, took = kept[method] = kept.get(method) or fit(method, data, known, seed, seconds)
                found = {"error": result} if isinstance(result, str) else scores(data, known, result, test)
                cells.add(cell | {"kind": source.kind, "role": source.role, "k": data.k, "seconds": took} | found)


# ---------------------------------------------------------------------- the command


def several(known):
    def parse(text):
        names = [x.strip() for x in text.split(",")]
        unknown = [x for x in names if x not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}")
        return names

    return parse


def seeds_of(text):
    """5: 0 to 4; 3-5: 3, 4 and 5; 1,4: these."""
    if "-" in text:
        first, last = text.split("-")
        return list(range(int(first), int(last) + 1))
    return [int(x) for x in text.split(",")] if "," in text else list(range(int(text)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="some small cells: under 3 minutes of a core (default)")
    size.add_argument("--full", action="store_true", help="all cells, kept in a CSV")
    size.add_argument("--report", action="store_true", help="run nothing, only read the CSV")
    parser.add_argument("--kinds", type=several(KINDS), help=f"of {', '.join(KINDS)}")
    text = f"to run, or with --report to show, of {', '.join(METHODS)}"
    parser.add_argument("--methods", type=several(list(METHODS)), help=text)
    parser.add_argument("--role", choices=("development", "reporting"), help="only the sets of this role")
    parser.add_argument("--seeds", type=seeds_of, help="5 (that is 0 to 4), 3-5 or 1,4")
    parser.add_argument("--amounts", help="triplets over samples, e.g. 0,0.1,1; 0 is needed for what is compared to it")
    parser.add_argument("--wrong", help="shares of wrong triplets, e.g. 0,0.1")
    parser.add_argument("--size", type=int, help="samples of the sets that are drawn (400)")
    parser.add_argument("--csv", type=Path, help="the file of the cells (results/knowledge.csv beside this script)")
    parser.add_argument("--also", type=Path, action="append", default=[], help="read this file, too, for the report")
    parser.add_argument("--redo", action="store_true", help="forget the cells of the methods given, and run them again")
    parser.add_argument("--patience", type=int, default=300, help="CPU seconds after which a fit has failed (300)")
    parser.add_argument("--detail", action="store_true", help="print the means of each set, too")
    parser.add_argument("--check", help="a method: how it does by what is wanted (DivisiveReCon, if there is one)")
    parser.add_argument("--curves", type=Path, help="a folder for the pictures, SVG and PNG")
    options = parser.parse_args()
    if options.redo and not (options.methods and options.full):
        parser.error("--redo needs --full and --methods")

    def numbers(text, usual):
        return tuple(int(x) if x.is_integer() else x for x in map(float, text.split(","))) if text else usual

    quick = not options.full and not options.report
    sources = [x for x in SOURCES if not options.kinds or x.kind in options.kinds]
    sources = [x for x in sources if not options.role or x.role == options.role]
    if quick and not options.kinds:
        sources = [x for x in sources if x.kind not in ("uci", "debian")]
    methods = options.methods or [x for x in METHODS if x not in VARIANTS]
    path = options.csv or (None if quick else RESULTS)
    if options.report:
        rows = read_cells([path], COLUMNS) if path.exists() else []
    else:
        amounts = numbers(options.amounts, (0, 0.1, 1) if quick else AMOUNTS)
        shares = numbers(options.wrong, (0, 0.1) if quick else WRONG)
        seeds, n = options.seeds or list(range(2 if quick else 5)), options.size or (120 if quick else 400)
        cells = Cells(path, options.methods if options.redo else ())
        run(cells, sources, methods, amounts, shares, seeds, n, options.patience)
        rows = cells.rows
    rows += read_cells(options.also, COLUMNS)
    names = {x.name for x in sources}
    rows = [row for row in rows if row["set"] in names]
    if not rows:
        parser.error(f"no cells in {path}")
    shown = {*methods, BASE} if options.report and options.methods else {row["method"] for row in rows}
    tables([row for row in rows if row["method"] in shown], options.detail)
    found = {row["method"] for row in rows}
    for method in [options.check] if options.check else [x for x in ("DivisiveReCon",) if x in found]:
        checks(rows, method)
    if options.curves:
        curves(rows, options.curves)


if __name__ == "__main__":
    main()
