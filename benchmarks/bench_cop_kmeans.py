"""COPKMeans: how often it succeeds where others fail, its speed beside scikit-learn's KMeans, the lanes of the paper.

The packages compared with are taken where they are installed: copkmeans-ht (a copy of Behrouz-Babaki/COP-Kmeans),
clumppy, active-semi-supervised-clustering.
"""

import contextlib
import io
import sys
import time
import warnings
from importlib import import_module

import numpy as np
from _data import load, standardized
from _harness import Table, cpu_seconds
from cop_oracle import cop_kmeans_definition
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, rand_score

from tripletree.cluster import COPKMeans
from tripletree.cluster.feasibility import CannotGraph, NotColourable
from tripletree.cluster.kmeans.lloyd import Points, starting_centres
from tripletree.core.pairs import PairwiseConstraints
from tripletree.datasets import make_lanes
from tripletree.errors import InfeasibleClusteringError

SEEDS, PAIRS = 100, 200
PATIENCE = 20.0  # seconds for a method and data set, after which the seeds done are reported


def class_pairs(y, count, rng):
    """Random different pairs of samples, as their classes have them: must-links and cannot-links."""
    n = len(y)
    keys = rng.choice(n * (n - 1) // 2, count, replace=False)
    high = ((1 + np.sqrt(1 + 8 * keys)) // 2).astype(int)
    rows = np.stack([keys - high * (high - 1) // 2, high], axis=1)
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return rows[same], rows[~same]


def ours(assignment):
    def run(X, k, must, cannot, seed):
        model = COPKMeans(k, n_init=1, assignment=assignment, random_state=seed).fit(X, pairs=(must, cannot))
        return model.labels_, model.n_dead_ends_

    return run


def paper(starts):
    """The paper's listing from k-means++ starts, on the means of must-linked samples."""

    def run(X, k, must, cannot, seed):
        closure = PairwiseConstraints(must, cannot, len(X)).closure()
        points = Points.grouped(X, np.ones(len(X)), closure.component, closure.n_components)
        rng, rows = np.random.default_rng(seed), points.columns.T
        near = [[] for _ in range(points.n)]
        for a, b in closure.cannot.tolist():
            near[a].append(b)
            near[b].append(a)
        for _ in range(starts):
            found = listing(rows, points.weights, near, starting_centres(points, k, rng))
            if found is not None:
                return found[closure.component], 0
        return None

    return run


def listing(points, weights, near, centres):
    """`cop_kmeans_definition` with lists of neighbours, which takes less long."""
    if len(points) < 60:
        edges = [(a, b) for a, others in enumerate(near) for b in others if a < b]
        found = cop_kmeans_definition(points, weights, edges, centres)
        return None if found is None else found[0]
    labels = None
    for _ in range(100):
        order = np.argsort(((points[:, None] - centres) ** 2).sum(axis=2), axis=1).tolist()
        before, labels = labels, [-1] * len(points)
        for i, others in enumerate(near):
            taken = {labels[j] for j in others}
            labels[i] = next((c for c in order[i] if c not in taken), -1)
            if labels[i] < 0:
                return None
        own = np.array(labels)
        if labels == before:
            break
        centres = np.array(
            [
                np.average(points[own == c], axis=0, weights=weights[own == c]) if (own == c).any() else centres[c]
                for c in range(len(centres))
            ]
        )
    return own


def babaki(X, k, must, cannot, seed):
    import random

    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (it draws from there)
    found = import_module("copkmeans-ht.cop_kmeans").cop_kmeans(X.tolist(), k, must.tolist(), cannot.tolist())[0]
    return None if found is None else (np.array(found), 0)


def clumppy(X, k, must, cannot, seed):
    try:
        found = import_module("clumppy").cop_kmeans(
            X, k, [tuple(x) for x in must.tolist()], [tuple(x) for x in cannot.tolist()], seed=seed
        )
    except Exception:  # noqa: BLE001 (it has its own)
        return None
    return np.asarray(found), 0


def active(X, k, must, cannot, seed):
    np.random.seed(seed)  # noqa: NPY002
    package = import_module("active_semi_clustering.semi_supervised.pairwise_constraints.copkmeans")
    model = package.COPKMeans(n_clusters=k)
    try:
        model.fit(X, ml=[tuple(x) for x in must.tolist()], cl=[tuple(x) for x in cannot.tolist()])
    except Exception:  # noqa: BLE001 (it has its own)
        return None
    return model.labels_, 0


METHODS = {
    "tripletree": (ours("exact"), "tripletree"),
    "tripletree, greedy": (ours("input"), "tripletree"),
    "the paper, 1 start": (paper(1), "numpy"),
    "the paper, 20 starts": (paper(20), "numpy"),
    "copkmeans-ht": (babaki, "copkmeans-ht.cop_kmeans"),
    "clumppy": (clumppy, "clumppy"),
    "active-semi-supervised": (active, "active_semi_clustering"),
}


def holds(labels, must, cannot):
    return (labels[must[:, 0]] == labels[must[:, 1]]).all() and (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()


def successes(table):
    for name, (X, y) in {
        "iris": load_iris(return_X_y=True),
        "ionosphere": load("ionosphere"),
        "wdbc": load_breast_cancer(return_X_y=True),
    }.items():
        X, k = standardized(X), len(set(y))
        for method, (function, module) in METHODS.items():
            try:
                import_module(module)
            except ImportError:
                table.add(name, method, None, None, None, None, None)
                continue
            kept, wrong, dead, ari, begin, done = 0, 0, 0, [], time.process_time(), 0
            for done in range(1, SEEDS + 1):
                must, cannot = class_pairs(y, PAIRS, np.random.default_rng(done))
                with contextlib.redirect_stdout(io.StringIO()):
                    found = function(X, k, must, cannot, done)
                if found is not None and holds(found[0], must, cannot):
                    kept, dead = kept + 1, dead + (found[1] > 0)
                    ari.append(adjusted_rand_score(y, found[0]))
                elif found is not None:
                    wrong += 1
                if time.process_time() - begin > PATIENCE:
                    break
            seconds = (time.process_time() - begin) / done
            table.add(name, method, f"{kept}/{done}", wrong, dead, seconds, np.mean(ari) if ari else None)


def speed(table):
    rng, n, k = np.random.default_rng(0), 10_000, 10
    y = rng.integers(0, k, n)
    X = 1.5 * rng.normal(size=(k, 16))[y] + rng.normal(size=(n, 16))
    COPKMeans(k, n_init=1).fit(X, pairs=([(0, 1)], [(2, 3), (3, 4), (2, 4)]))  # compile
    for seed in range(3):
        start = starting_centres(Points.of(X), k, np.random.default_rng(seed))
        for count in (0, n // 10, n // 3, n):
            pairs = PairwiseConstraints(*class_pairs(y, count, rng), n)
            mine, model = cpu_seconds(lambda s=start, p=pairs: COPKMeans(k, init=s, tol=0).fit(X, pairs=p), repeat=9)
            plain = KMeans(k, init=start, n_init=1, algorithm="lloyd", tol=0, max_iter=model.n_iter_)
            theirs, other = cpu_seconds(lambda m=plain: m.fit(X), repeat=9)
            each, its = mine / model.n_iter_, theirs / other.n_iter_
            table.add("speed", f"{count} pairs", f"{model.n_iter_}/{other.n_iter_}", mine, theirs, each / its, None)


def dense(table):
    """Cannot-links among all of some samples (cliques), or all but those of the same set; those of a random graph."""
    shapes = {"100 cliques of 40": (20_000, 40, 100, 40, 1), "a clique of 400": (20_000, 400, 1, 400, 1)}
    shapes["100 parts of 8 sets of 4"] = (10_000, 20, 100, 32, 4)
    for name, (n, k, parts, size, together) in shapes.items():
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 4)) + 3 * rng.normal(size=(k, 4))[rng.integers(0, k, n)]
        i, j = np.triu_indices(size, 1)
        apart = i // together != j // together
        rows = rng.permutation(n)[: parts * size].reshape(parts, size)
        pairs = [], np.stack([rows[:, i[apart]].ravel(), rows[:, j[apart]].ravel()], axis=1)
        mine, model = cpu_seconds(lambda: COPKMeans(k, n_init=1, random_state=0).fit(X, pairs=pairs), repeat=1)  # noqa: B023
        short = f"{model.n_cut_short_}/{model.n_iter_ + 1}"
        table.add("dense", name, short, model.n_iter_, mine, mine / model.n_iter_, model.inertia_)


def threshold(table):
    """Random cannot-links, of n groups in 10 clusters; with 37 a group, about, 10 are no longer enough."""
    for n, degree in ((5_000, 34), (20_000, 28), (20_000, 32), (20_000, 35)):
        rng = np.random.default_rng(0)
        ends = np.sort(rng.integers(0, n, (n * degree // 2, 2), dtype=np.int32), axis=1)
        graph = CannotGraph(np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0), n)
        mine, found = cpu_seconds(lambda: first_colours(graph), repeat=1)  # noqa: B023
        table.add("first", f"{n} groups, {degree} each", "found" if found else "not found", None, mine, None, None)


def first_colours(graph):
    try:
        graph.colour(10, np.random.default_rng(0), 1_000_000)
    except NotColourable:
        return False
    return True


def sizes(table):
    """Least sizes of clusters without pairs, beside k-means-constrained, from one start each."""
    try:
        peer = import_module("k_means_constrained").KMeansConstrained
    except ImportError:
        return
    COPKMeans(10, min_size=40, n_init=1).fit(np.random.default_rng(1).normal(size=(900, 20)))  # compiles
    for n, d, least in ((800, 20, 40), (4_000, 50, 200), (23_000, 50, 1_150)):
        rng = np.random.default_rng(0)
        share = np.linspace(3, 1, 10) ** 2
        X = rng.normal(size=(10, d))[rng.choice(10, n, p=share / share.sum())] * 2 + rng.normal(size=(n, d))
        mine, model = cpu_seconds(lambda: COPKMeans(10, min_size=least, n_init=1, random_state=0).fit(X), repeat=1)  # noqa: B023
        theirs, other = cpu_seconds(lambda: peer(10, size_min=least, n_init=1, random_state=0).fit(X), repeat=1)  # noqa: B023
        inertia = round(model.inertia_ / other.inertia_, 3)
        table.add("sizes", f"{n} x {d}, at least {least}", model.n_iter_, other.n_iter_, mine, theirs, inertia)


def lanes(table, length=20):
    for geometry in ("point", "segment"):
        for known in (False, True):
            for choose in (True, False):
                right, counted = [], 0
                for seed in range(length):
                    rng = np.random.default_rng(seed)
                    road = make_lanes(int(rng.integers(2, 5)), int(rng.integers(15, 60)), random_state=seed)
                    truth = len(set(road.y.tolist()))
                    model = COPKMeans(range(1, 8) if choose else truth, geometry=geometry, random_state=0)
                    try:
                        model.fit(road.X, pairs=road.pairs if known else None)
                    except InfeasibleClusteringError:  # an error of 4 m in the traces: no such number of lanes
                        right.append(0.0)
                        continue
                    right.append(rand_score(road.y, model.labels_))
                    counted += model.n_clusters_ == truth
                what = f"{geometry}, {'pairs' if known else 'no pairs'}, k {'chosen' if choose else 'given'}"
                perfect = sum(x == 1.0 for x in right)
                table.add("lanes", what, f"{perfect}/{length}", counted, None, None, float(np.mean(right)))


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    table = Table(
        "COPKMeans\n"
        f"{PAIRS} random pairs: all hold / seeds, results that break some, dead ends, seconds a fit, adjusted Rand\n"
        "speed, n = 10,000, d = 16, k = 10: iterations of ours / KMeans, seconds of both, ratio of those an iteration\n"
        "dense: assignments cut short, iterations, seconds, seconds an iteration, inertia\n"
        "first: seconds until an assignment is found for many random cannot-links, or the search given up\n"
        "sizes: iterations of ours / k-means-constrained, seconds of both, ratio of the inertias\n"
        "lanes: perfect / roads, right numbers of lanes, mean Rand index (0 where pairs do not fit the given number)",
        [("set", 10), ("method", 31), ("kept", 8), ("", 9), (" ", 9), ("  ", 9), ("   ", 8)],
    )
    sys.setrecursionlimit(100_000)
    COPKMeans(3, n_init=1).fit(np.random.default_rng(0).normal(size=(20, 2)), pairs=([], [(0, 1), (1, 2), (0, 2)]))
    lanes(table)
    sizes(table)
    speed(table)
    dense(table)
    threshold(table)
    successes(table)
    table.done()


if __name__ == "__main__":
    main()
