import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine

from tripletree._core import engine
from tripletree.cluster import COPKMeans
from tripletree.cluster.feasibility import CannotGraph, _tabu_search
from tripletree.cluster.kmeans.lloyd import Points, centre_step, nearest_centres, scatter, squared_distances, tolerance


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_without_pairs__is_scikit_learns_kmeans(k):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 4)) + rng.integers(0, 3, (200, 1)) + 100
        start = X[rng.choice(200, k, replace=False)]
        weights = rng.uniform(0.5, 2, 200) if seed % 2 else None
        for tol in (0.0, 1e-2):
            ours = COPKMeans(k, init=start, tol=tol).fit(X, sample_weight=weights)
            theirs = KMeans(k, init=start, n_init=1, algorithm="lloyd", tol=tol)
            if seed % 2 and tol:  # scikit-learn's tolerance knows of no weights
                theirs.set_params(tol=tol * tolerance(X, weights, 1.0) / X.var(axis=0).mean())
            theirs.fit(X, sample_weight=weights)
            assert ours.labels_.tolist() == theirs.labels_.tolist()
            assert ours.n_iter_ == theirs.n_iter_
            assert ours.inertia_ == pytest.approx(theirs.inertia_)
            np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
            assert ours.predict(X + 0.1).tolist() == theirs.predict(X + 0.1).tolist()
            np.testing.assert_allclose(ours.transform(X), theirs.transform(X))
            assert ours.score(X) == pytest.approx(theirs.score(X))


def test_without_pairs__starts_are_as_good_as_scikit_learns():
    X = load_wine().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours, theirs = (
        np.mean([model.set_params(random_state=seed).fit(X).inertia_ for seed in range(15)])
        for model in (COPKMeans(5, n_init=1), KMeans(5, n_init=1))
    )
    assert ours < 1.02 * theirs


def test_lloyd__pieces(rng):
    for n, d, k in ((1, 1, 1), (300, 7, 5), (513, 4, 3), (40, 9, 11)):
        X, weights, centres = rng.normal(size=(n, d)), rng.uniform(size=n), rng.normal(size=(k, d))
        points = Points.of(X, weights)
        squared = cdist(X, centres) ** 2
        np.testing.assert_allclose(squared_distances(points.columns, centres), squared)
        label, best = nearest_centres(points.columns, centres)
        assert label.tolist() == squared.argmin(axis=1).tolist()
        np.testing.assert_allclose(best, squared.min(axis=1))
        moved = centre_step(points, label, centres)
        for c in range(k):
            own = label == c
            wanted = np.average(X[own], axis=0, weights=weights[own]) if own.any() else centres[c]
            np.testing.assert_allclose(moved[c], wanted)
        assert scatter(points, label, centres) == pytest.approx(weights @ squared.min(axis=1))


def test_lloyd__groups_are_their_means(rng):
    X, group = rng.normal(size=(12, 3)), np.array([0, 1, 2, 1, 0, 3, 3, 3, 1, 2, 2, 0])
    weights = rng.uniform(size=12)
    weights[group == 2] = 0
    points = Points.grouped(X, weights, group, 4)
    for g in range(4):
        mine = weights[group == g] if g != 2 else None
        np.testing.assert_allclose(points.columns[:, g], np.average(X[group == g], axis=0, weights=mine))
    np.testing.assert_allclose(points.weights, np.bincount(group, weights))


def integer_programme(cost, edges):
    """The least cost of an assignment, by scipy's solver."""
    m, k = cost.shape
    rows = [np.eye(m).repeat(k, axis=1)]
    for a, b in edges:
        row = np.zeros((k, m, k))
        row[np.arange(k), a, np.arange(k)] = row[np.arange(k), b, np.arange(k)] = 1
        rows.append(row.reshape(k, -1))
    low = np.concatenate([np.ones(m), np.zeros(k * len(edges))])
    constraints = LinearConstraint(np.concatenate(rows), low, np.ones(m + k * len(edges)))
    return milp(cost.ravel(), constraints=constraints, integrality=np.ones(m * k), bounds=Bounds(0, 1)).fun


def test_assignment__of_larger_graphs_is_that_of_an_integer_programme():
    proved = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 45)
        edges = rng.integers(0, 45, (75, 2))
        edges = np.unique(np.sort(edges[y[edges[:, 0]] != y[edges[:, 1]]], axis=1), axis=0)
        graph = CannotGraph(edges.astype(np.int32), 45)
        cost = rng.exponential(size=(45, 3)) + (np.arange(3) != y[:, None])
        labels, is_cheapest = graph.assign(cost[graph.bound], graph.colour(3, rng, 100_000))
        full = cost.argmin(axis=1)
        full[graph.bound] = labels
        total, wanted = cost[np.arange(45), full].sum(), integer_programme(cost, edges)
        assert (full[edges[:, 0]] != full[edges[:, 1]]).all()
        assert total >= wanted - 1e-9
        if is_cheapest:
            assert total == pytest.approx(wanted)
        proved += is_cheapest
    assert proved >= 10


@pytest.mark.parametrize("descend", [False, True])
def test_mending__finds_a_hidden_assignment(rng, descend):
    y = rng.integers(0, 3, 150)
    edges = rng.integers(0, 150, (1800, 2))
    edges = np.unique(np.sort(edges[y[edges[:, 0]] != y[edges[:, 1]]], axis=1), axis=0)
    graph = CannotGraph(edges.astype(np.int32), 150)
    part = graph._part(np.arange(graph.bound.size))
    labels = _tabu_search(part, 3, rng, 20_000)
    assert labels is not None
    assert (labels[np.repeat(np.arange(labels.size), part.degree)] != labels[part.graph.near]).all()
    # its counts agree with the labels, wherever it stops
    state = engine.feasibility.Mending(*part.graph, rng.integers(0, 3, labels.size), 3, 1)
    if descend:
        state.descend()
        assert (state.beside >= state.beside[np.arange(labels.size), state.label][:, None]).all()
    left = state.mend(25)
    label = state.label
    ends = np.stack([np.repeat(np.arange(label.size), part.degree), part.graph.near])
    clashes = label[ends[0]] == label[ends[1]]
    assert left == clashes.sum() // 2
    assert descend or left > 0
    counts = np.zeros_like(state.beside)
    np.add.at(counts, (ends[0], label[ends[1]]), 1)
    assert np.array_equal(state.beside, counts)
    crowd, change = state.crowd.T
    assert sorted(crowd.tolist()) == np.unique(ends[0][clashes]).tolist()
    others = np.where(np.arange(3) == label[crowd, None], np.iinfo(np.int32).max, counts[crowd])
    assert np.array_equal(change, others.min(axis=1) - counts[crowd, label[crowd]])


@pytest.mark.parametrize(
    "kind", ["normal", "equal", "whole numbers", "far from the origin", "huge", "tiny", "one centre"]
)
def test_lloyd__nearest_by_products_is_nearest_by_distances(kind, rng):
    for n, d, k in ((300, 16, 9), (5000, 8, 20), (1, 70, 4), (0, 16, 9)):
        X, centres = rng.normal(size=(n, d)), rng.normal(size=(k, d))
        if kind == "equal":
            X, centres = X[np.arange(n) // 4], centres[np.arange(k) // 2]
        elif kind == "whole numbers":
            X, centres = np.round(X), np.round(centres)
        elif kind == "one centre":
            centres = centres[:1].repeat(k, axis=0)
        else:
            shift, scale = {"far from the origin": (1e9, 1e-3), "huge": (0, 1e160), "tiny": (0, 1e-160)}.get(
                kind, (0, 1)
            )
            X, centres = shift + scale * X, shift + scale * centres
        points, factors = Points.of(X), rng.uniform(0.1, 3, d)
        assert points.nearest(centres).tolist() == nearest_centres(points.columns, centres)[0].tolist()
        scaled = points.scaled(factors)
        assert points.nearest(centres, factors).tolist() == nearest_centres(scaled.columns, centres)[0].tolist()
        label, distance = points.closest(centres)
        wanted, best = nearest_centres(points.columns, centres)
        assert label.tolist() == wanted.tolist()
        assert distance.tolist() == best.tolist()
