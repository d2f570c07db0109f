"""Pairs, method by method: the same 200 pairs for ours and for the packages that install, pairwise F and failures.

One setting for all sets, z-scored, five draws. A method that asks gets 200 questions in the place of the pairs. What
fails or takes over five minutes for a draw is counted, with its first reason. The rivals are used as their pages say:
`pip install constrained-linkage active-semi-supervised-clustering cobras-ts tornado bokeh pandas datashader`.
"""

import contextlib
import io
import multiprocessing as mp
import time
import warnings
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


def border(make):
    def run(X, k, pairs, seed, y):
        model = ours.ActiveClustering(make(k), n_queries=PAIRS, random_state=seed)
        return model.fit(X, oracle=ours.labels_oracle(y)).labels_

    return run


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
    "ActiveClustering, CVQE": border(lambda k: ours.CVQE(k)),
    "ActiveClustering, MPCKMeans": border(lambda k: ours.MPCKMeans(k)),
    "constrained-linkage, average": constrained_linkage,
    "active-semi-supervised COPKMeans": semi("COPKMeans"),
    "active-semi-supervised PCKMeans": semi("PCKMeans"),
    "active-semi-supervised MPCKMeans": semi("MPCKMeans"),
    "COBRAS asks (np.int put back)": cobras,
}


def in_process(queue, method, *args):
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.process_time()
            labels = METHODS[method](*args)
            queue.put((np.asarray(labels), time.process_time() - start))
    except Exception as error:  # noqa: BLE001 (whatever a rival raises is its failure)
        queue.put((f"{type(error).__name__}: {error}".split("\n")[0][:60], 0.0))


def run(method, *args):
    """Labels or the reason why there are none, and the CPU seconds, from a process of its own."""
    context = mp.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_process, args=(queue, method, *args), daemon=True)
    child.start()
    try:
        return queue.get(timeout=PATIENCE)
    except Exception:  # noqa: BLE001 (queue.Empty)
        return f"over {PATIENCE} s", float(PATIENCE)
    finally:
        child.terminate()
        child.join()


def main():
    columns = [("data", 18), ("method", 32), ("F", 6), ("deviation", 9), ("broken", 7), ("failed", 6), ("seconds", 8)]
    table = Table("200 pairs, ours and others", [*columns, ("reason", 40)])
    for name, X, y in data_sets(table.options.large):
        X, y = standardized(X), np.unique(y, return_inverse=True)[1]
        for method in METHODS:
            scores, broken, seconds, reasons = [], [], [], []
            for seed in range(SEEDS):
                pairs = tt.sample_class_pairs(y, PAIRS, random_state=seed)
                labels, took = run(method, X, len(set(y)), pairs, seed, y)
                if isinstance(labels, str):
                    reasons.append(labels)
                    continue
                apart = (labels[pairs.must_link[:, 0]] != labels[pairs.must_link[:, 1]]).sum()
                scores.append(tt.pairwise_f_score(y, labels))
                broken.append(apart + (labels[pairs.cannot_link[:, 0]] == labels[pairs.cannot_link[:, 1]]).sum())
                seconds.append(took)
            mean = [None if not x else float(f(x)) for f, x in ((np.mean, scores), (np.std, scores), (np.mean, broken))]
            took = float(np.mean(seconds)) if seconds else None
            table.add(name, method, *mean, len(reasons), took, reasons[0] if reasons else "")
    table.done()


if __name__ == "__main__":
    main()
