"""Flat clusters nearer to the samples than the cut of a tree: they keep the same triplets, and fit better."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from tripletree.algorithms.cut import cut, log_within
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.flat import are_compatible, compatible
from tripletree.algorithms.induce import sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.cluster.nearer import nearer_to_samples
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet

pytestmark = pytest.mark.filterwarnings("ignore:.*triplets that look drawn at random")


def groups(n, k, distance, rng):
    """Gaussian groups, and the hierarchy of the samples by their group and by the tree of the groups' centres."""
    from scipy.cluster.hierarchy import linkage

    centre = rng.normal(size=(k, 10)) * distance
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    above = from_linkage(linkage(centre, "average")).parent
    tree = Hierarchy(np.concatenate([y + n, np.where(above >= 0, above + n, -1)]))
    return centre[y] + rng.normal(size=(n, 10)), y, tree


def test_nearer_to_samples__keeps_all_triplets_and_fits_better(rng):
    n_moved = 0
    for k in (2, 5, 12) * 4:
        X, _, tree = groups(150, k, 1.5, rng)
        triplets = sample_triplets(tree, 150, random_state=rng)
        labels = cut(ReCon(linkage="average").fit(X, triplets=triplets).hierarchy_, k, rule="size", triplets=triplets)
        before, found = labels.copy(), nearer_to_samples(labels, labels, X, triplets)
        assert np.array_equal(labels, before)
        assert are_compatible(found, triplets)
        assert np.unique(found).tolist() == list(range(k))
        assert found is labels or log_within(X, found) < log_within(X, labels)
        n_moved += found is not labels
    assert n_moved > 3


def test_nearer_to_samples__clusters_that_nothing_can_be_gained_for_stay(rng):
    X, y, tree = groups(80, 4, 9, rng)
    labels = np.unique(y, return_inverse=True)[1]
    assert nearer_to_samples(labels, labels, X, decompose(tree)) is labels
    nothing = TripletSet(np.empty((0, 3), np.int32), 80)
    assert nearer_to_samples(labels, labels, X, nothing) is labels
    one = np.zeros(80, np.int64)
    assert nearer_to_samples(one, one, X, decompose(tree)) is one


def test_nearer_to_samples__sparse_samples_as_dense_ones(rng):
    X, _, tree = groups(150, 5, 1.5, rng)
    X = np.where(np.abs(X) < 0.5, 0, X)
    triplets = sample_triplets(tree, 150, random_state=rng)
    labels = cut(ReCon(linkage="ward").fit(X, triplets=triplets).hierarchy_, 5, rule="size", triplets=triplets)
    dense, sparse = (nearer_to_samples(labels, labels, points, triplets) for points in (X, csr_array(X)))
    assert dense is not labels
    assert np.array_equal(dense, sparse)
    assert np.array_equal(*(ReCon(5).fit(points, triplets=triplets).labels_ for points in (X, csr_array(X))))


def test_nearer_to_samples__no_table_of_all_samples_and_many_clusters(rng):
    X, labels = rng.normal(size=(2_000, 2)), np.arange(2_000) // 2
    triplets = TripletSet([(0, 2, 8)], 2_000)
    tracemalloc.start()
    found = nearer_to_samples(labels, labels, X, triplets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found is labels
    assert peak < 1e6  # the table would have 16e6


def test_nearer_to_samples__every_triplet_of_a_hierarchy_that_the_samples_know_little_of(rng):
    X, _, tree = groups(40, 6, 0.1, rng)
    every = decompose(tree)
    labels = cut(tree, 6, triplets=every, samples=X)
    found = nearer_to_samples(labels, labels, X, every)
    assert are_compatible(found, every)


def test_compatible__moves_until_one_hierarchy_has_the_clusters_and_the_triplets(rng):
    n_found = 0
    for _ in range(20):
        X, y, tree = groups(50, 5, 2, rng)
        triplets = sample_triplets(tree, 60, random_state=rng)
        labels = np.where(rng.random(50) < 0.1, rng.integers(0, 5, 50), y)
        found = compatible(labels, triplets, X)
        if found is not None:
            n_found += 1
            assert are_compatible(found, triplets)
            assert np.unique(found).size == np.unique(labels).size
    assert n_found > 10


@pytest.mark.parametrize(
    "model",
    [ReCon(20, linkage="ward"), ReCon(20, linkage="average"), DivisiveReCon(20, constraints="hard", effort=0)],
    ids=["ward", "average", "divisive"],
)
def test_results__triplets_of_several_levels_do_not_spoil_the_clusters(model):
    """Single samples at a wrong place made one giant cluster and crumbs of the tree's cut."""
    X, y, tree = groups(600, 20, 2, np.random.default_rng(5))
    triplets = sample_triplets(tree, 600, random_state=0)
    plain = adjusted_rand_score(y, ReCon(20, linkage="ward").fit(X).labels_)
    labels = model.set_params(random_state=0).fit(X, triplets=triplets).labels_
    assert are_compatible(labels, triplets)
    assert adjusted_rand_score(y, labels) > plain - 0.1


def test_results__other_orders_of_rows_give_the_same_clusters(rng):
    n_moved = 0
    for seed in range(12):
        X, _, tree = groups(50, 5, 1, rng)
        triplets = sample_triplets(tree, 60, random_state=seed)
        plain = ReCon(5, linkage="average").fit(X, triplets=triplets)
        labels = cut(plain.hierarchy_, 5, triplets=triplets, samples=X, strict=False)
        if not are_compatible(labels, triplets):  # else moves of the cut itself go by order, too
            continue
        order = rng.permutation(50)
        other = ReCon(5, linkage="average").fit(X[order], triplets=np.argsort(order)[triplets.rows])
        assert adjusted_rand_score(plain.labels_[order], other.labels_) == 1
        n_moved += adjusted_rand_score(plain.labels_, labels) < 1
    assert n_moved > 1
