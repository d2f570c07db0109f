"""Class labels of some samples: flat clusters of DivisiveReCon beside classifiers, and methods that take pairs of them.

Tables with 5, 10 and 30 % of the samples labelled, all right or a tenth of them wrong. Constants of
`tripletree.cluster.propagation` were set on the tables of development and on simulated data; those of reporting set
none. Pairwise F over all samples, and accuracy on those without a label, means over amounts, shares and seeds.
"with logistic", "with forest": DivisiveReCon with that classifier as one more voice.

    python benchmarks/bench_labels.py [--seeds 3] [--development]

With --open the number of clusters is not given: one for each class seen, beside the number suggested by samples and
triplets; with labels of all classes, and with none of one class.
"""

import argparse
import csv
import gzip
import warnings
from itertools import product

import numpy as np
from _data import _found, load, load_seeds
from _kinds import classed, draw_labels, generator, people
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

import tripletree as tt
from tripletree import cluster

AMOUNTS, WRONG = (0.05, 0.1, 0.3), (0, 0.1)
MOST = 400  # samples of a table


def rows_of(name):
    with _found(name).open(newline="", encoding="utf-8") as file:
        return [row for row in csv.reader(file) if row]


def columns(name, y, leave=()):
    """Numbers of a table with a header; the class is in the columns `y`."""
    head, *rows = rows_of(name)
    head = [x.strip('"') for x in head]
    at = [head.index(x) if isinstance(x, str) else x % len(head) for x in y]
    skip = {*at, *(head.index(x) for x in leave)}
    X = np.array([[float(x) for j, x in enumerate(row) if j not in skip] for row in rows])
    return X, np.array([" ".join(row[j] for j in at) for row in rows])


def categorical(name):
    """One column for each value of an ARFF file of words."""
    with gzip.open(_found(f"{name}.arff.gz", f"arff/{name}.arff.gz"), "rt", encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    start = next(k for k, line in enumerate(lines) if line.lower().startswith("@data"))
    names = [line.split()[1].strip("'\"").lower() for line in lines if line.lower().startswith("@attribute")]
    rows = np.array(list(csv.reader((x for x in lines[start + 1 :] if x and x[0] != "%"), quotechar="'")))
    y = names.index("class") if "class" in names else len(names) - 1
    X = [rows[:, [j]] == np.unique(rows[:, j]) for j in range(len(names)) if j != y]
    return np.hstack([x[:, 1:] if x.shape[1] == 2 else x for x in X]).astype(float), np.char.strip(rows[:, y])


def some_classes(name, classes):
    X, y = load(name)
    some = np.isin(y, list(classes))
    return X[some], y[some]


def blobs(seed):
    """Normal classes of one shape, and three features of noise."""
    rng = generator("blobs", seed)
    shape, centre = rng.normal(size=(6, 6)) / np.sqrt(6), rng.normal(0, 1.3, (5, 6))
    y = rng.choice(5, 300, p=rng.dirichlet(np.full(5, 3.0)))
    return np.hstack([(centre[y] + rng.normal(size=(300, 6))) @ shape, rng.normal(size=(300, 3))]), y


def rings(seed):
    rng = generator("rings", seed)
    y, angle = rng.integers(0, 3, 300), rng.uniform(0, 2 * np.pi, 300)
    radius = 1 + 1.5 * y + rng.normal(0, 0.15, 300)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def table(name):
    return lambda seed: getattr(datasets, f"load_{name}")(return_X_y=True)


DEVELOPMENT = {
    "iris": table("iris"),
    "digits": table("digits"),
    **{name: lambda seed, name=name: load(name) for name in ("glass", "ionosphere", "segment", "balance.scale")},
    "transfusion": lambda seed: columns("transfusion.data", [-1]),
    "pendigits 389": lambda seed: some_classes("pendigits", "389"),
    "tic-tac-toe": lambda seed: categorical("tic-tac-toe"),
    "blobs": blobs,
    "rings": rings,
    "people A": None,
    "people B": None,
}
REPORTING = {
    "wine": table("wine"),
    "breast cancer": table("breast_cancer"),
    "seeds": lambda seed: load_seeds(),
    **{name: lambda seed, name=name: load(name) for name in ("ecoli", "sonar")},
    "letter IJLT": lambda seed: some_classes("letter", "IJLT"),
    "parkinsons": lambda seed: columns("parkinsons.data", ["status"], ["name"]),
    "crabs": lambda seed: columns("crabs.csv", ["sp", "sex"], ["index"]),
    "soybean": lambda seed: categorical("soybean"),
    "mushroom": lambda seed: categorical("mushroom"),
}


def clustered(make):
    return lambda data, known, seed: make(data.k, seed).fit(data.X, pairs=known.pairs).labels_


def ours(make=lambda seed: None):
    def run(data, known, seed):
        model = cluster.DivisiveReCon(data.k, classifier=make(seed), random_state=seed)
        return model.fit(data.X, classes=[None if c < 0 else c for c in known.labels.tolist()]).labels_

    return run


def classified(make):
    """Labelled samples keep their labels, as those that others have."""

    def run(data, known, seed):
        some = known.labels >= 0
        return np.where(some, known.labels, make(seed).fit(data.X[some], known.labels[some]).predict(data.X))

    return run


def half_supervised(make):
    return lambda data, known, seed: make(seed).fit(data.X, known.labels).predict(data.X)


def logistic(seed):
    return LogisticRegression(max_iter=2000)


def forest(seed):
    return RandomForestClassifier(100, random_state=seed)


METHODS = {
    "COPKMeans": clustered(lambda k, seed: cluster.COPKMeans(k, random_state=seed)),
    "MPCKMeans": clustered(lambda k, seed: cluster.MPCKMeans(k, random_state=seed)),
    "1-NN": classified(lambda seed: KNeighborsClassifier(1)),
    "logistic": classified(logistic),
    "forest": classified(forest),
    "self-training": half_supervised(lambda seed: SelfTrainingClassifier(logistic(seed))),
    "spreading": half_supervised(lambda seed: LabelSpreading(kernel="knn", n_neighbors=7, max_iter=200)),
    "with logistic": ours(logistic),
    "with forest": ours(forest),
    "DivisiveReCon": ours(),
}


def data_of(name, make, seed, most=MOST):
    if make is None:
        return people(name[-1], 300, seed)
    X, y = make(seed)
    rows = np.sort(generator("table", seed).permutation(len(y))[:most])
    return classed(X[rows], y[rows], seed)


def scores(data, seed):
    """F, and accuracy on the samples without a label, of each amount, share and method."""
    found = np.empty((2, len(AMOUNTS), len(WRONG), len(METHODS)))
    for i, amount in enumerate(AMOUNTS):
        for j, wrong in enumerate(WRONG):
            known = draw_labels(data, amount, wrong, seed)
            for k, fit in enumerate(METHODS.values()):
                labels = fit(data, known, seed)
                found[:, i, j, k] = tt.pairwise_f_score(data.y, labels), accuracy(data.y, labels, known.labels)
    return found


def accuracy(y, clusters, labels):
    """On the samples without a label, if a cluster has the class that most of its labels have, or else none."""
    _, of = np.unique(clusters, return_inverse=True)
    some = labels >= 0
    count = np.zeros((of.max() + 1, y.max() + 1))
    np.add.at(count, (of[some], labels[some]), 1)
    called = np.where(count.any(axis=1), count.argmax(axis=1), -1)
    return float(np.mean(called[of[~some]] == y[~some]))


def open_scores(data, seed):
    """F with the number that is suggested and with that of the classes seen; a row without labels of one class."""
    found = np.full((2, 2, 2), np.nan)
    hidden = generator("hidden", seed).integers(data.k)
    for (i, amount), j in product(enumerate((0.05, 0.15)), range(2)):
        labels = draw_labels(data, amount, 0, seed).labels
        known = [None if c < 0 or (j and c == hidden) else c for c in labels.tolist()]
        seen = len(set(known) - {None})
        if seen < 2:
            continue
        told = cluster.DivisiveReCon(random_state=seed).fit(data.X, classes=known)
        suggested = tt.suggest_n_clusters(told.hierarchy_, data.X, triplets=told.triplets_).n_clusters
        other = cluster.DivisiveReCon(suggested, random_state=seed).fit(data.X, classes=known)
        found[j, i] = [tt.pairwise_f_score(data.y, x.labels_) for x in (other, told)]
    return found


def open_number(tables, seeds):
    """The table of --open."""
    print(f"{'':<24}{'suggested':>16}{'seen':>16}{'one hidden: sug.':>18}{'seen':>14}")
    every = []
    for name, make in tables.items():
        found = np.stack([open_scores(data_of(name, make, seed, 300), seed) for seed in range(seeds)])
        every.append(np.nanmean(found, axis=(0, 2)).ravel())
        line(name, every[-1])
    for j, what in ((0, "labels of all classes"), (2, "none of one class")):
        more = np.array(every)[:, j + 1] - np.array(every)[:, j]
        more = more[np.isfinite(more)]
        print(f"{what}: seen less suggested {more.mean():.4f} +- {more.std(ddof=1) / np.sqrt(more.size):.4f}")


def line(name, values):
    print(f"{name:<26}" + "".join(f"{x:>15.3f}" for x in values), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--development", action="store_true", help="the data that constants were set on")
    parser.add_argument("--open", action="store_true", help="the number of clusters is not given")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = DEVELOPMENT if options.development else REPORTING
    if options.open:
        open_number(tables, options.seeds)
        return
    every = []
    for name, make in tables.items():
        every.append(np.mean([scores(data_of(name, make, seed), seed) for seed in range(options.seeds)], axis=0))
    for what, cells in zip(("pairwise F", "accuracy on the others"), np.moveaxis(every, 1, 0), strict=True):
        print(f"{what:<26}" + "".join(f"{name:>15}" for name in METHODS))
        for name, values in zip(tables, cells, strict=True):
            line(name, values.mean(axis=(0, 1)))
        for j, wrong in enumerate(WRONG):
            for i, amount in enumerate(AMOUNTS):
                line(f"{amount:.0%} labelled, {wrong:.0%} wrong", cells[:, i, j].mean(axis=0))
        means = cells.mean(axis=(1, 2))
        line("mean", means.mean(axis=0))
        less = means[:, -1:] - means
        line("DivisiveReCon's lead", less.mean(axis=0))
        line("its standard error", less.std(axis=0, ddof=1) / np.sqrt(len(less)))
        for i, amount in enumerate(AMOUNTS):
            less = cells[:, i, :, -1:].mean(axis=1) - cells[:, i].mean(axis=1)
            line(f"its lead, {amount:.0%} labelled", less.mean(axis=0))
            line("its standard error", less.std(axis=0, ddof=1) / np.sqrt(len(less)))
        print()


if __name__ == "__main__":
    main()
