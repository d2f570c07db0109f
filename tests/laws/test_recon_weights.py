"""Weights of samples: a row of weight w acts as w equal rows, of which triplets name the first."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from recon_oracle import LINKAGES, random_triplets
from scipy.sparse import csr_array

from tripletree import Hierarchy, TripletSet, cut, suggest_n_clusters
from tripletree.algorithms.cut import RULES
from tripletree.algorithms.flat import enforced, fit_together, is_broken
from tripletree.cluster import ReCon
from tripletree.cluster.votes import nearer_means
from tripletree.core.pairs import PairwiseConstraints


def partition(labels):
    return {frozenset(np.flatnonzero(labels == k).tolist()) for k in set(labels.tolist())}


def some_data(seed, n=14, d=3, most=4):
    """Rows, weights, triplets of one hierarchy on half of the rows, the repeated rows, and the first of each."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 6.0 * rng.integers(0, 3, n)[:, None]
    weight = rng.integers(1, most + 1, n)
    named = rng.choice(n, n // 2, replace=False)
    triplets = named[np.array(random_triplets(rng, n // 2, 6))]
    first = np.cumsum(weight) - weight
    return X, weight, triplets, np.repeat(X, weight, axis=0), first


def clades_above(hierarchy, first):
    """The clades of two rows and more, each row given by its first copy."""
    tree = hierarchy.restrict(first.tolist())
    number = {leaf: i for i, leaf in enumerate(first.tolist())}
    return {frozenset(number[x] for x in tree.clade(u)) for u in range(tree.n_leaves, tree.n_nodes)}


def assert_equal_fits(weighted, repeated, weight, first, X=None, Y=None):
    n = weight.size
    clades = {frozenset(weighted.hierarchy_.clade(u)) for u in range(n, weighted.hierarchy_.n_nodes)}
    assert clades == clades_above(repeated.hierarchy_, first)
    # the copies of a row merge at distance 0; the other merges are those in the weighted fit
    rest = np.sort(repeated.distances_)[int(weight.sum()) - n :]
    assert np.allclose(np.sort(weighted.distances_), rest, rtol=1e-9)
    # not strict: of copies the one that a triplet names may leave the others, which a row of weight w cannot
    k, rule = max(weighted.n_clusters_, 1), weighted.cut
    light = cut(
        weighted.hierarchy_, k, rule=rule, triplets=weighted.triplets_, samples=X, sample_weight=weight, strict=False
    )
    heavy = cut(repeated.hierarchy_, k, rule=rule, triplets=repeated.triplets_, samples=Y, strict=False)
    if not np.array_equal(heavy, np.repeat(heavy[first], weight)):
        return  # copies of one row have become clusters of their own, which is no cut of the weighted hierarchy
    assert partition(light) == partition(heavy[first])
    if is_broken(light, weighted.triplets_.rows).any() or is_broken(heavy, repeated.triplets_.rows).any():
        return
    means = light
    if weighted.cut == "auto" and weighted.metric != "precomputed":
        X = X if weighted.metric == "euclidean" else X / np.linalg.norm(X, axis=1, keepdims=True)
        means = nearer_means(X, light, weight)
    if fit_together(means, weighted.triplets_.rows):  # else triplets move samples here, too
        assert partition(weighted.labels_) == partition(repeated.labels_[first])


@pytest.mark.parametrize("linkage", LINKAGES)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_weights__are_repeated_rows_in_every_linkage(linkage, seed):
    X, weight, triplets, Y, first = some_data(seed)
    model = ReCon(3, linkage=linkage)
    weighted = model.fit(X, triplets=triplets, sample_weight=weight)
    repeated = ReCon(3, linkage=linkage).fit(Y, triplets=first[triplets])
    assert_equal_fits(weighted, repeated, weight, first, X, Y)
    if linkage in ("complete", "single", "median", "weighted"):  # which know nothing of sizes
        assert weighted.hierarchy_ == ReCon(3, linkage=linkage).fit(X, triplets=triplets).hierarchy_


@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_weights__are_repeated_rows_in_every_cut(rule, seed):
    X, weight, triplets, Y, first = some_data(seed)
    weighted = ReCon(3, cut=rule).fit(X, triplets=triplets, sample_weight=weight)
    repeated = ReCon(3, cut=rule).fit(Y, triplets=first[triplets])
    assert_equal_fits(weighted, repeated, weight, first, X, Y)


@pytest.mark.parametrize(
    "given_as", ["sparse", "cosine", "precomputed", "penalty", "penalty-ward", "float32", "n_clusters"]
)
def test_weights__are_repeated_rows_in_every_engine(given_as):
    changes = {
        "sparse": {},
        "cosine": {"metric": "cosine", "linkage": "average"},
        "precomputed": {"metric": "precomputed", "linkage": "average"},
        "penalty": {"penalty": 0.1},
        "penalty-ward": {"penalty": 0.1, "linkage": "ward"},
        "float32": {"dtype": "float32"},
        "n_clusters": {"n_clusters": None},
    }[given_as]
    for seed in range(8):
        X, weight, triplets, Y, first = some_data(seed)
        known = triplets, first[triplets]
        if given_as == "sparse":
            X, Y = csr_array(X), csr_array(Y)
        if given_as == "precomputed":
            X, Y = (np.sqrt(((Z[:, None] - Z) ** 2).sum(axis=2)) for Z in (X, Y))
        parameters = {"n_clusters": 3, **changes}
        weighted = ReCon(**parameters).fit(X, triplets=known[0], sample_weight=weight)
        repeated = ReCon(**parameters).fit(Y, triplets=known[1])
        if given_as == "float32":
            assert clades_above(repeated.hierarchy_, first) == clades_above(weighted.hierarchy_, np.arange(len(X)))
        else:
            points = (None, None) if given_as == "precomputed" else (X, Y)
            assert_equal_fits(weighted, repeated, weight, first, *points)
        if given_as == "n_clusters":
            assert weighted.n_clusters_ == repeated.n_clusters_
            ours, theirs = weighted.n_clusters_choice_, repeated.n_clusters_choice_
            k = min(ours.numbers.size, theirs.numbers.size)
            same = np.isclose(ours.evidence[:k], theirs.evidence[:k])
            assert same[ours.evidence[:k].argmax()]  # elsewhere single copies of a leaf may have moved


def with_copies(h, weight):
    """The hierarchy in which each leaf is a node with as many leaves as its weight says."""
    n, total = h.n_leaves, int(weight.sum())
    owner = np.repeat(np.arange(n), weight)
    node = np.empty(h.n_nodes, int)
    many = np.flatnonzero(weight > 1)
    node[many] = total + np.arange(many.size)
    single = np.flatnonzero(weight == 1)
    node[single] = (np.cumsum(weight) - weight)[single]
    node[n:] = total + many.size + np.arange(h.n_nodes - n)
    parent = np.full(total + many.size + h.n_nodes - n, -1)
    copied = weight[owner] > 1
    parent[:total][copied] = node[owner[copied]]
    up = np.where(h.parent < 0, -1, node[h.parent])
    parent[node] = up
    return Hierarchy(parent), owner


@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 4),
    with_points=st.booleans(),
    rule=st.sampled_from(["size", "auto", "support"]),
)
@settings(max_examples=80)
def test_cut__weights_are_copies_under_each_leaf(seed, k, with_points, rule):
    rng = np.random.default_rng(seed)
    X, weight, triplets, Y, first = some_data(seed, n=9)
    h = ReCon(2, linkage="single").fit(rng.normal(size=(9, 2))).hierarchy_
    copies, owner = with_copies(h, weight)
    few, many = (TripletSet(t, n) for t, n in ((triplets, 9), (first[triplets], len(Y))))
    points = {"samples": X} if with_points else {}
    found = cut(h, k, rule=rule, triplets=few, sample_weight=weight, strict=False, **points)
    points = {"samples": Y} if with_points else {}
    try:
        wanted = cut(copies, k, rule=rule, triplets=many, strict=False, **points)
    except ValueError:  # a leaf with many copies would be split into all of them at once
        assume(False)
    together = all(len(set(wanted[owner == i].tolist())) == 1 for i in range(9))
    assume(together)  # else the copies of one leaf are clusters of their own
    assert partition(found) == partition(wanted[first])


def test_cut__a_heavy_leaf_is_a_cluster():
    # by number of leaves 4 is an outlier. With the weight of 100 it is most of the data
    h = ReCon(2, linkage="single").fit([[0.0], [1.0], [2.0], [3.0], [9.0]]).hierarchy_
    assert cut(h, 2, sample_weight=[1, 1, 1, 1, 100]).tolist() == [0, 0, 0, 0, 1]
    # and of light leaves at the end none is
    chain = ReCon(2, linkage="single").fit([[0.0], [1.0], [5.0], [6.0], [30.0]]).hierarchy_
    assert cut(chain, 2).tolist() == [0, 0, 1, 1, 0]
    assert cut(chain, 2, sample_weight=[1, 1, 1, 1, 8]).tolist() == [0, 0, 0, 0, 1]
    assert cut(chain, 2, sample_weight=[0.1, 0.1, 0.1, 0.1, 0.8]).tolist() == [0, 0, 0, 0, 1]


def test_cut__ones_are_no_weights(rng):
    X = rng.normal(size=(40, 3))
    h = ReCon(2).fit(X).hierarchy_
    for k in (2, 5):
        assert np.array_equal(cut(h, k, samples=X), cut(h, k, samples=X, sample_weight=np.ones(40)))
    plain, weighted = suggest_n_clusters(h, X), suggest_n_clusters(h, X, sample_weight=np.ones(40))
    assert plain.reason == weighted.reason


def test_cut__scaled_weights_below_one_still_reach_every_number(rng):
    X = rng.normal(size=(30, 3))
    h = ReCon(2).fit(X).hierarchy_
    weight = rng.uniform(0.001, 0.3, 30)
    for k in (1, 2, 7, 30):
        assert len(set(cut(h, k, sample_weight=weight).tolist())) == k


def test_enforced__weights_move_the_light_leaf():
    # 0 1|2 is broken: either 0 leaves the left cluster or 2 joins it. The heavier one stays
    triplets = TripletSet([(0, 1, 2)], 6)
    codes = np.array([0, 1, 1, 0, 0, 1])
    X = np.array([[0.0], [4.0], [6.0], [0.0], [1.0], [9.0]])
    for heavy in (0, 1, 2):
        weight = np.ones(6)
        weight[heavy] = 1000.0
        new = enforced(codes, triplets, X, weights=weight)
        assert new[heavy] == codes[heavy]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, 0, 1], "the sample_weight of sample 2 is 0; weights must lie in 1e-100..1e.100: leave out"),
        ([1, -2, 1, 1], "sample 1 is -2; .* counts as w equal ones"),
        ("x", r"sample_weight must be numbers, one for each of the 4 samples, not str \('x'\)"),
        ([1, np.nan, 1, 1], "sample 1 is nan"),
        ([1, np.inf, 1, 1], "sample 1 is inf"),
        ([1, 1], r"sample_weight must have one entry for each of the 4 samples; got shape \(2,\)"),
    ],
)
def test_weights__bad_ones_are_refused(weight, message):
    X = [[0.0], [1.0], [5.0], [6.0]]
    with pytest.raises(ValueError, match=message):
        ReCon(2).fit(X, sample_weight=weight)
    with pytest.raises(ValueError, match=message):
        cut(ReCon(2).fit(X).hierarchy_, 2, sample_weight=weight)


def test_weights__beside_pairs_and_micro_clusters_they_are_refused(rng):
    X, weight = rng.normal(size=(20, 2)), np.arange(1, 21)
    with pytest.raises(ValueError, match="sample_weight cannot go with pairs"):
        ReCon(2).fit(X, pairs=PairwiseConstraints([(0, 1)], [], 20), sample_weight=weight)
    with pytest.raises(ValueError, match="micro_clusters=5 cannot go with sample_weight"):
        ReCon(2, micro_clusters=5).fit(X, sample_weight=weight)


def test_weights__validation_takes_them_too():
    X, weight, triplets, _, _ = some_data(3, n=24)
    model = ReCon(3).fit(X, triplets=triplets, sample_weight=weight, validate=True)
    assert "DivisiveReCon" not in model.validation_.settings
