"""Linkages, cuts, layouts and pair counts beside scipy, fastcluster and scikit-learn."""

import numpy as np
import pytest
from examples import yule
from scipy.cluster import hierarchy as sch
from scipy.spatial.distance import squareform

from tripletree._core import engine
from tripletree.algorithms.cut import cut
from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.core.arrays import frozen
from tripletree.evaluation.scores import pairwise_f_score, pairwise_precision_recall
from tripletree.plots.layout import collapse_nothing, compute_layout

METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")


@pytest.mark.parametrize("method", METHODS)
def test_linkage__scipy_round_trip(method, rng):
    for n in (2, 3, 40):
        Z = sch.linkage(rng.normal(size=(n, 3)), method)
        np.testing.assert_array_equal(to_linkage(from_linkage(Z)), Z)


@pytest.mark.parametrize("method", METHODS)
def test_linkage__fastcluster_round_trip(method, rng):
    fastcluster = pytest.importorskip("fastcluster")
    Z = fastcluster.linkage(rng.normal(size=(60, 2)), method)
    np.testing.assert_array_equal(to_linkage(from_linkage(Z)), Z)


@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted", "ward"])
def test_cut__agrees_with_scipy_where_heights_rise(method, rng):
    Z = sch.linkage(rng.normal(size=(50, 3)), method)
    h = from_linkage(Z)
    trees = sch.cut_tree(Z, n_clusters=range(1, 50))  # of 50 leaves into 50 it makes one cluster (scipy 1.17)
    for k in range(1, 50):
        ours = cut(h, k, rule="merge_order")
        for theirs in (sch.fcluster(Z, k, "maxclust"), trees[:, k - 1]):
            assert len(set(theirs.tolist())) == k
            assert pairwise_f_score(theirs, ours) == 1.0


def test_cut__gives_k_clusters_where_scipy_does_not(rng):
    wrong = 0
    for _ in range(20):
        Z = to_linkage(yule(30, rng))
        Z[:, 2] = rng.random(29)
        for k in (2, 5, 10):
            wrong += len(set(sch.fcluster(Z, k, "maxclust").tolist())) != k
            assert len(set(cut(from_linkage(Z), k).tolist())) == k
    assert wrong > 0


def test_common_ancestors__heights_are_cophenetic_distances(rng):
    Z = sch.linkage(rng.normal(size=(40, 3)), "average")
    h = from_linkage(Z)
    a, b = (frozen(x) for x in np.triu_indices(40, 1))
    node = engine.rooted_tree.common_ancestors(a, b, *h.ancestor_table)
    np.testing.assert_array_equal(h.height[node], squareform(squareform(sch.cophenet(Z))))


def brackets(lines):
    return np.array(sorted(map(tuple, np.round(lines, 9))))


@pytest.mark.parametrize("method", ["average", "centroid", "ward"])
def test_layout__is_that_of_the_scipy_dendrogram(method, rng):
    Z = sch.linkage(rng.normal(size=(40, 2)), method)
    h = from_linkage(Z)
    place = compute_layout(collapse_nothing(h), "auto")
    smallest = [min(h.clade(u)) for u in range(h.n_nodes)]
    for row in Z:  # scipy puts the first column to the left, we the child with the smallest leaf
        row[:2] = sorted(row[:2], key=lambda u: smallest[int(u)])
    theirs = sch.dendrogram(Z, no_plot=True)
    assert theirs["leaves"] == place.order.tolist()
    x, y = np.array(theirs["icoord"]), np.array(theirs["dcoord"])
    flat = place.lines[place.lines[:, 0, 1] == place.lines[:, 1, 1]]
    ours = np.stack([flat[:, 0, 0], flat[:, 1, 0], flat[:, 0, 1]], axis=1)
    np.testing.assert_allclose(
        brackets(ours), brackets(np.stack([(x[:, 0] - 5) / 10, (x[:, 3] - 5) / 10, y[:, 1]], axis=1))
    )


def test_monotone__scipy_draws_no_crossing_lines(rng):
    Z = to_linkage(yule(50, rng))
    Z[:, 2] = rng.random(49)
    raised = sch.dendrogram(to_linkage(from_linkage(Z), monotone=True), no_plot=True)
    y = np.array(raised["dcoord"])
    assert (y[:, 1] >= y[:, 0]).all()
    assert (y[:, 1] >= y[:, 3]).all()


def test_pairwise_f_score__agrees_with_the_pair_confusion_matrix(rng):
    metrics = pytest.importorskip("sklearn.metrics")
    for _ in range(30):
        n = int(rng.integers(2, 300))
        a, b = rng.integers(0, rng.integers(1, 20), n), rng.integers(0, rng.integers(1, 20), n)
        (_, fp), (fn, tp) = metrics.cluster.pair_confusion_matrix(a, b).tolist()
        if tp + fp and tp + fn:
            assert pairwise_precision_recall(a, b) == pytest.approx((tp / (tp + fp), tp / (tp + fn)))
            assert pairwise_f_score(a, b) == pytest.approx(2 * tp / (2 * tp + fp + fn))
