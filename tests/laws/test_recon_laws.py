"""ReCon against the literal listing of the paper, and its laws for any data."""

from itertools import combinations

import numpy as np
import pytest
from recon_oracle import (
    LINKAGES,
    build_succeeds,
    compatible_definition,
    contracted,
    greedy_gets_stuck,
    random_triplets,
    recon_definition,
)

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.cut import cut
from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import triplets_from_classes
from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative.plan import MergePlan, merge_samples
from tripletree.cluster.distances import FittedMetric
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.knowledge.combined import combine_constraints

pytestmark = pytest.mark.filterwarnings("ignore:the features agree")  # they are random


def _instance(seed, most=14):
    """Samples, and consistent triplets on a part of them: none, few or many."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, most + 1))
    m = int(rng.choice([0, n // 2, n, 2 * n, 6 * n]))
    return rng, rng.normal(size=(n, 3)), random_triplets(rng, n, m)


def merge_under(triplets, X, linkage, metric="euclidean"):
    """All merges under triplets alone, and how much work they took."""
    n = len(X)
    combined = combine_constraints(TripletSet(triplets, n), PairwiseConstraints([], [], n))
    return merge_samples(X, MergePlan(combined), linkage, FittedMetric(metric))


def _merges_of(triplets, linkage, X, metric="euclidean"):
    return merge_under(triplets, X, linkage, metric)[0]


def _blocked(triplets, clusters, i, j):
    """The answers of the core, with the clusters renumbered 0..k-1."""
    place = {x: k for k, x in enumerate(clusters)}
    n = len(clusters)
    rows = TripletSet([[place[x] for x in t] for t in triplets], n).rows
    tree = engine.AhoTree(build_aho_tree(rows, n).parent, n, rows, all_leaves=False)
    i, j = place[i], place[j]
    return bool(tree.degree(i) and tree.degree(j)) and isinstance(tree.join(i, j, True), tuple)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_merges__are_those_of_the_literal_listing(linkage):
    rejections = 0
    for seed in range(100):
        _, X, triplets = _instance(seed + 1000 * LINKAGES.index(linkage))
        wanted = recon_definition(triplets, linkage, X)
        Z, count = merge_under(triplets, X, linkage)
        assert np.array_equal(Z[:, [0, 1, 3]], wanted[:, [0, 1, 3]]), seed
        np.testing.assert_allclose(Z[:, 2], wanted[:, 2], rtol=1e-9, err_msg=str(seed))
        rejections += count.rejections
    assert rejections > 100  # otherwise the instances test nothing


@pytest.mark.parametrize("linkage", ["single", "complete"])
def test_merges__ties_go_by_first_samples(linkage):
    ties = 0
    for seed in range(60):
        rng, X, triplets = _instance(seed)
        D = np.triu(rng.integers(1, 4, size=(len(X), len(X))), 1).astype(float)
        D += D.T
        wanted = recon_definition(triplets, linkage, D=D)
        assert np.array_equal(_merges_of(triplets, linkage, D, "precomputed"), wanted), seed
        ties += len(wanted) - len(np.unique(wanted[:, 2]))
    assert ties > 100


def test_merges__larger_instances():
    for seed, n, m in [(0, 40, 40), (1, 40, 400), (2, 60, 60), (3, 60, 120)]:
        rng = np.random.default_rng(seed)
        X, triplets = rng.normal(size=(n, 3)), random_triplets(rng, n, m)
        Z = _merges_of(triplets, "centroid", X)
        assert np.array_equal(Z[:, :2], recon_definition(triplets, "centroid", X)[:, :2])


def test_compatibility__equals_the_definition_on_all_pairs_after_each_merge():
    answers = []
    for seed in range(60):
        rng, X, triplets = _instance(seed, most=10)
        clusters, triplets = list(range(len(X))), sorted(set(triplets))
        while len(clusters) > 1:
            pairs = list(combinations(clusters, 2))
            allowed = [p for p in pairs if compatible_definition(triplets, clusters, *p)]
            assert allowed, "a compatible pair always exists"
            for p in pairs:
                assert _blocked(triplets, clusters, *p) == (p not in allowed)
            answers += [p in allowed for p in pairs]
            i, j = allowed[rng.integers(len(allowed))]
            new = max(clusters) + 1 + len(X)
            triplets = contracted(triplets, i, j, new)
            clusters = [x for x in clusters if x not in (i, j)] + [new]
    assert 0.1 < np.mean(answers) < 0.9
    assert len(answers) > 4000


def test_compatibility__reciprocal_neighbours_do_not_commute():
    triplets, clusters = [(0, 2, 3), (3, 4, 1)], [0, 1, 2, 3, 4]
    assert not _blocked(triplets, clusters, 0, 1)
    assert not _blocked(triplets, clusters, 2, 4)
    after = contracted(triplets, 0, 1, 5)
    assert after == [(3, 4, 5), (5, 2, 3)]
    assert _blocked(after, [2, 3, 4, 5], 2, 4)
    # so the two closest pairs of these samples cannot both be merged
    X = np.array([[0.0, 0], [0, 1.0], [9, 0.0], [20, 20], [9, 1.1]])
    Z = _merges_of(triplets, "average", X)
    assert Z[0, :2].tolist() == [0, 1]
    assert not any(set(row) == {2, 4} for row in Z[:, :2].tolist())
    assert np.array_equal(Z[:, :2], recon_definition(triplets, "average", X)[:, :2])


def test_dead_ends__greedy_merging_gets_stuck_where_recon_completes():
    stuck = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 13))
        X, triplets = rng.normal(size=(n, 2)), random_triplets(rng, n, n)
        if greedy_gets_stuck(triplets, X):
            stuck += 1
            model = ReCon().fit(X, triplets=triplets)
            assert model.hierarchy_.is_binary
            assert displays(model.hierarchy_, TripletSet(triplets, n)).all()
    assert stuck > 20


@pytest.mark.parametrize("linkage", LINKAGES)
def test_hierarchy__displays_every_triplet_of_a_consistent_set(linkage):
    for seed in range(20):
        _, X, triplets = _instance(seed, most=40)
        model = ReCon(linkage=linkage).fit(X, triplets=triplets)
        assert model.hierarchy_.n_nodes == 2 * len(X) - 1
        assert displays(model.hierarchy_, TripletSet(triplets, len(X))).all()


def test_hierarchy__displays_triplets_unrelated_to_the_data():
    rng = np.random.default_rng(7)
    X, triplets = rng.normal(size=(400, 4)), TripletSet(random_triplets(rng, 400, 800), 400)
    model = ReCon().fit(X, triplets=triplets)
    assert displays(model.hierarchy_, triplets).all()
    assert 0 < model.n_rejections_ < 400  # one rejection settles many pairs, and outlives merges


@pytest.mark.parametrize("linkage", LINKAGES)
def test_hierarchy__does_not_depend_on_the_order_of_samples(linkage):
    for seed in range(10):
        rng, X, triplets = _instance(seed, most=30)
        order = rng.permutation(len(X))  # row k of the shuffled data is sample order[k]
        place = np.argsort(order)
        model = ReCon(linkage=linkage).fit(X, triplets=triplets)
        other = ReCon(linkage=linkage).fit(X[order], triplets=[tuple(place[list(t)].tolist()) for t in triplets])
        start, stop, leaf = other.hierarchy_.leaf_intervals
        shuffled = {frozenset(order[leaf[a:b]].tolist()) for a, b in zip(start, stop, strict=True)}
        start, stop, leaf = model.hierarchy_.leaf_intervals
        assert shuffled == {frozenset(leaf[a:b].tolist()) for a, b in zip(start, stop, strict=True)}
        np.testing.assert_allclose(model.distances_, other.distances_, rtol=1e-9)


def test_labels__have_the_number_asked_for_and_come_from_the_last_merges():
    _, X, triplets = _instance(3, most=30)
    n = len(X)
    for k in range(1, n + 1):
        model = ReCon(n_clusters=k, cut="merge_order").fit(X, triplets=triplets)
        assert np.array_equal(np.unique(model.labels_), np.arange(k))
        assert np.array_equal(model.labels_, cut(model.hierarchy_, k, rule="merge_order"))
        # undo the last k - 1 merges by hand
        group = {i: {i} for i in range(n)}
        for step, (i, j) in enumerate(_merges_of(triplets, "centroid", X)[: n - k, :2].astype(int).tolist()):
            group[n + step] = group.pop(i) | group.pop(j)
        assert {frozenset(np.flatnonzero(model.labels_ == c).tolist()) for c in range(k)} == set(
            map(frozenset, group.values())
        )


@pytest.mark.parametrize("linkage", ["centroid", "average", "ward", "single"])
def test_classes__are_clades_under_the_full_informative_set(linkage):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 4, 60)
    X = rng.normal(size=(60, 3))  # nothing to do with the classes
    model = ReCon(linkage=linkage).fit(X, triplets=triplets_from_classes(y))
    clades = {frozenset(model.hierarchy_.clade(u)) for u in range(60, 119)}
    for c in range(4):
        assert frozenset(np.flatnonzero(y == c).tolist()) in clades


def test_oracle__refuses_what_cannot_hold():
    assert build_succeeds([(0, 1, 2), (1, 2, 3)], range(4))
    assert not build_succeeds([(0, 1, 2), (1, 2, 0)], range(4))
    assert not build_succeeds([(0, 1, 2), (2, 3, 0), (1, 2, 3)], range(4))
    assert build_succeeds([(0, 1, 2), (2, 3, 0), (1, 2, 4)], range(5))
