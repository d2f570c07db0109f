"""Pairs, method by method: the same 200 pairs for ours and for the packages that install, pairwise F and failures.

One setting for all sets, z-scored, five draws. A method that asks gets 200 questions in the place of the pairs. What
fails or takes over five minutes for a draw is counted, with its first reason. The rivals are used as their pages say:
`pip install constrained-linkage active-semi-supervised-clustering cobras-ts tornado bokeh pandas datashader`.
"""

import contextlib
import io
from importlib import import_module

import numpy as np
from _data import load, standardized
from _harness import Table
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer

import tripletree as tt
from tripletree import cluster as ours

PAIRS, SEEDS, PATIENCE = 200, 5, 300


def data_sets(large):
    for name in ("iris", "wine", "ionosphere"):
        yield name, *load(name)
    yield "wdbc", *load_breast_cancer(return_X_y=True)
    for name, source, some in (("digits-389", "pendigits", "389"), ("letters-IJLT", "letter", "IJLT")):
        X, y = load(source)
        rows = np.flatnonzero(np.isin(y, list(some)))
        if not large:
            rows = np.random.default_rng(0).permutation(rows)[:1000]
        yield name if large else f"{name} 1000", X[rows], y[rows]


def fitted(make):
    def run(X, k, pairs, seed, y):
        return make(k, seed).fit(X, pairs=pairs).labels_

    return run


def kmeans(X, k, pairs, seed, y):
    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def asked(X, k, pairs, seed, y):
    model = ours.ConstrainedCompleteLink(k, n_queries=PAIRS)
    return model.fit(X, oracle=ours.labels_oracle(y)).labels_


def active(make, **strategy):
    def run(X, k, pairs, seed, y):
        model = ours.ActiveClustering(make(k), n_queries=PAIRS, random_state=seed, **strategy)
        return model.fit(X, oracle=ours.labels_oracle(y)).labels_

    return run


def asked_pairs(X, k, pairs, seed, y):
    model = ours.OddOneOutClustering(PAIRS, questions="pairs", random_state=seed)
    return model.fit(X, oracle=ours.labels_oracle(y)).labels_


def constrained_linkage(X, k, pairs, seed, y):
    D = squareform(pdist(X))
    P = np.zeros_like(D)
    for rows, sign in ((pairs.must_link, -1), (pairs.cannot_link, 1)):
        P[rows[:, 0], rows[:, 1]] = P[rows[:, 1], rows[:, 0]] = sign * D.max()
    Z = import_module("constrained_linkage").constrained_linkage(D, "average", constraint_matrix=P)
    parts = {i: [i] for i in range(len(X))}
    for step, (a, b) in enumerate(Z[: len(X) - k, :2].astype(int).tolist()):
        parts[len(X) + step] = parts.pop(a) + parts.pop(b)
    labels = np.empty(len(X), int)
    for label, rows in enumerate(parts.values()):
        labels[rows] = label
    return labels


def semi(name):
    def run(X, k, pairs, seed, y):
        np.random.seed(seed)  # noqa: NPY002 (it draws from there)
        module = import_module(f"active_semi_clustering.semi_supervised.pairwise_constraints.{name.lower()}")
        model = getattr(module, name)(n_clusters=k)
        model.fit(X, ml=[tuple(x) for x in pairs.must_link.tolist()], cl=[tuple(x) for x in pairs.cannot_link.tolist()])
        return model.labels_

    return run


def cobras(X, k, pairs, seed, y):
    np.int = int  # noqa: NPY001 (as numpy had it until 1.24; without it every fit fails)
    np.random.seed(seed)  # noqa: NPY002
    querier = import_module("cobras_ts.labelquerier").LabelQuerier(y)
    model = import_module("cobras_ts.cobras_kmeans").COBRAS_kmeans(X, querier, PAIRS)
    return np.asarray(model.cluster()[0].construct_cluster_labeling())


METHODS = {
    "k-means, nothing known": kmeans,
    "ReCon, ward": fitted(lambda k, s: ours.ReCon(k, linkage="ward")),
    "ReCon, average": fitted(lambda k, s: ours.ReCon(k, linkage="average")),
    "ConstrainedCompleteLink": fitted(lambda k, s: ours.ConstrainedCompleteLink(k)),
    "COPKMeans": fitted(lambda k, s: ours.COPKMeans(k, random_state=s)),
    "PCKMeans": fitted(lambda k, s: ours.PCKMeans(k, random_state=s)),
    "MPCKMeans, diagonal": fitted(
        lambda k, s: ours.MPCKMeans(k, metric="diagonal", shared_metric=False, random_state=s)
    ),
    "MPCKMeans": fitted(lambda k, s: ours.MPCKMeans(k, random_state=s)),
    "CVQE": fitted(lambda k, s: ours.CVQE(k, random_state=s)),
    "BoostedConstrainedKMeans": fitted(lambda k, s: ours.BoostedConstrainedKMeans(k, random_state=s)),
    "ConstrainedCompleteLink asks": asked,
    "ActiveClustering, CVQE": active(lambda k: ours.CVQE(k)),
    "ActiveClustering, MPCKMeans": active(lambda k: ours.MPCKMeans(k)),
    "ActiveClustering, CVQE, border": active(lambda k: ours.CVQE(k), strategy="border"),
    "ActiveClustering, MPCKMeans, border": active(lambda k: ours.MPCKMeans(k), strategy="border"),
    "OddOneOutClustering asks pairs": asked_pairs,
    "constrained-linkage, average": constrained_linkage,
    "active-semi-supervised COPKMeans": semi("COPKMeans"),
    "active-semi-supervised PCKMeans": semi("PCKMeans"),
    "active-semi-supervised MPCKMeans": semi("MPCKMeans"),
    "COBRAS asks (np.int put back)": cobras,
}


def quiet(method):
    """The method as `compare_methods` calls it; some rivals print."""

    def run(given):
        with contextlib.redirect_stdout(io.StringIO()):
            pairs = given.knowledge["pairs"]
            return np.asarray(method(given.X, given.n_clusters, pairs, given.seed, given.y))

    return run


def f_score(run, labels):
    return tt.pairwise_f_score(run.y, labels)


def broken(run, labels):
    return len(tt.evaluation.violated_pairs(labels, run.knowledge["pairs"]))


def main():
    columns = [("data", 18), ("method", 32), ("F", 6), ("deviation", 9), ("broken", 7), ("failed", 6), ("seconds", 8)]
    table = Table("200 pairs, ours and others", [*columns, ("reason", 40)])
    for name, X, y in data_sets(table.options.large):
        for method, run in METHODS.items():  # one by one, so that rows come as they are done
            found = tt.compare_methods(
                {method: quiet(run)},
                [(name, standardized(X), y)],
                amount=PAIRS,
                n_draws=SEEDS,
                scores={"F": f_score, "broken": broken},
                time_limit=PATIENCE,
                path=table.options.csv and table.options.csv.with_suffix(".runs.jsonl"),
            )
            (row,) = found.table()
            reason = (row["reason"] or "")[:60]
            table.add(name, method, row["F"], row["F_deviation"], row["broken"], row["failed"], row["seconds"], reason)
    table.done()


if __name__ == "__main__":
    main()
