"""ReCon with must-links and cannot-links: by hand, bad input, messages, and beside scikit-learn."""

import io
import pickle
import re
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import sklearn
import tqdm.auto
from recon_oracle import LINKAGES
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from tripletree import datasets
from tripletree.algorithms.cut import FIND_NUMBER, RULES
from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import sample_class_pairs, sample_class_triplets
from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative import paired_cut as _paired_cut
from tripletree.cluster.feasibility import CannotGraph
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    ClusterCountError,
    InconsistentPairsError,
    InconsistentTripletsError,
    InfeasibleClusteringError,
    InvalidPairError,
    UnknownLeafError,
)
from tripletree.evaluation.scores import pairwise_f_score
from tripletree.io.pairs import read_pairs
from tripletree.io.triplets import read_triplets
from tripletree.knowledge.combined import combine_constraints

LINE = [[0.0], [1.0], [5.0], [6.5]]


def keeps(labels, pairs):
    a, b = pairs.must_link.T
    c, d = pairs.cannot_link.T
    return bool((labels[a] == labels[b]).all() and (labels[c] != labels[d]).all())


# ------------------------------------------------------------------ results


def test_results__by_hand():
    # 0 and 3 first, at 6.5. Their mean 3.25 is nearer to 2 than 1 is
    model = ReCon().fit(LINE, pairs=([(3, 0)], []))
    assert model.distances_.tolist() == pytest.approx([6.5, 1.75, 11.5 / 3 - 1])
    assert model.hierarchy_.parent.tolist() == [4, 6, 5, 4, 5, 6, -1]
    assert (model.fewest_clusters_, model.most_clusters_) == (1, 3)
    assert model.labels_.tolist() == [0, 1, 0, 0]
    assert model.pairs_ == PairwiseConstraints([(0, 3)], [], 4)
    assert len(model.triplets_) == model.n_triplets_ == 0


def test_results__cannot_links_put_merges_off_to_the_end():
    # not 0 and 1, which are closest; 2 and 3, then these and 1. Then only the merge with 0 is left
    model = ReCon().fit(LINE, pairs=([], [(0, 1)]))
    assert model.distances_.tolist() == [1.5, 4.75, 12.5 / 3]
    assert model.labels_.tolist() == [0, 1, 1, 1]
    assert (model.fewest_clusters_, model.most_clusters_) == (2, 4)


def test_results__beside_triplets():
    model = ReCon().fit(LINE, pairs=([(0, 3)], []), triplets=[(0, 3, 1), (1, 2, 0)])
    assert model.hierarchy_.parent.tolist() == [4, 5, 5, 4, 6, 6, -1]
    assert model.n_triplets_ == 2
    inside = ReCon().fit(LINE, pairs=([(0, 1), (1, 3)], []), triplets=[(0, 3, 1)])
    assert inside.hierarchy_.parent.tolist() == [4, 5, 6, 4, 5, 6, -1]


@pytest.mark.parametrize("linkage", LINKAGES)
def test_results__groups_go_on_as_clusters_of_their_size(linkage, rng):
    """Heights above the groups agree with the linkage."""
    X = rng.normal(size=(40, 2))
    owner = rng.integers(0, 8, 40)
    order = np.argsort(owner, kind="stable")
    must = [(a, b) for a, b in zip(order[:-1].tolist(), order[1:].tolist(), strict=True) if owner[a] == owner[b]]
    some = np.flatnonzero(owner == 0)[:3].tolist()
    model = ReCon(8, linkage=linkage).fit(X, pairs=(must, []), triplets=[(some[0], some[2], some[1])])
    assert displays(model.hierarchy_, TripletSet([(some[0], some[2], some[1])], 40)).all()
    assert len(set(zip(model.labels_.tolist(), owner.tolist(), strict=True))) == 8
    pair = [frozenset(model.hierarchy_.clade(u)) for u in np.flatnonzero(model.hierarchy_.parent == 72)]
    a, b = (sorted(x) for x in pair)
    D = np.linalg.norm(X[a][:, None] - X[b][None], axis=2)
    gap = np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0))
    wanted = {
        "single": D.min(),
        "complete": D.max(),
        "average": D.mean(),
        "centroid": gap,
        "ward": gap * np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))),
    }
    if linkage in wanted:
        assert model.distances_[32] == pytest.approx(wanted[linkage])


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.filterwarnings("ignore:the features agree")  # statements are random, or hidden among columns
def test_results__more_than_a_block_of_clusters(linkage, dtype, rng):
    """Blocks, packing, and the end of the cannot-links in the midst of many clusters."""
    n, k = 700, 300
    X = rng.normal(size=(n, 2))
    cannot = [(i, j) for i in range(k) for j in range(i)]
    must = [(i, i + 350) for i in range(200)]
    triplets = [(400 + 3 * i, 401 + 3 * i, 402 + 3 * i) for i in range(60)]
    triplets = [t for t in triplets if min(t) >= 550]
    model = ReCon(k, linkage=linkage, dtype=dtype, cut="merge_order")
    model.fit(X, pairs=PairwiseConstraints(must, cannot, n), triplets=triplets)
    assert (model.fewest_clusters_, model.most_clusters_) == (k, n - 200)
    assert sorted(model.labels_[:k].tolist()) == list(range(k))
    assert keeps(model.labels_, model.pairs_)
    assert displays(model.hierarchy_, model.triplets_).all()


def test_results__cannot_links_outlive_the_triplets_that_block_the_same_clusters():
    """A pair that is tested again after its blockers have merged stays apart."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(14, 2))
        y = rng.integers(0, 3, 14)
        triplets = sample_class_triplets(y, 14, random_state=seed)
        pairs = PairwiseConstraints([], [(a, b) for a in range(14) for b in range(a) if y[a] != y[b]], 14)
        model = ReCon(len(set(y.tolist())), linkage="average").fit(X, triplets=triplets, pairs=pairs)
        assert model.fewest_clusters_ == model.n_clusters_
        assert keeps(model.labels_, pairs)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_results__merges_inside_groups_come_by_height(linkage, rng):
    X = rng.normal(size=(30, 2))
    model = ReCon(15, linkage=linkage).fit(X, pairs=([(i, i + 15) for i in range(15)], []))
    assert (np.diff(model.distances_[:15]) > 0).all()
    np.testing.assert_allclose(model.distances_[:15], np.sort(np.linalg.norm(X[:15] - X[15:], axis=1)))


def test_results__outliers_join_no_cluster_that_they_are_apart_from():
    smaller = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 6, rng.normal(size=(6, 2)) * 15])
        pairs = PairwiseConstraints([], [(60 + i, j) for i in range(3) for j in (i, 30 + i)], 66)
        model = ReCon(3).fit(X, pairs=pairs)
        assert keeps(model.labels_, pairs)
        smaller += not np.array_equal(model.labels_, ReCon(3).fit(X).labels_)
    assert smaller > 3


def test_results__pairs_help_on_iris():
    X, y = load_iris(return_X_y=True)
    pairs = sample_class_pairs(y, 150, random_state=0)
    plain, model = ReCon(3).fit(X), ReCon(3).fit(X, pairs=pairs)
    assert model.n_clusters_ == 3
    assert keeps(model.labels_, pairs)
    assert pairwise_f_score(y, model.labels_) > pairwise_f_score(y, plain.labels_)


@pytest.mark.parametrize("linkage", ["ward", "average"])
def test_results__true_pairs_do_not_hurt_where_classes_overlap(linkage):
    gains, by_merges = [], []
    for seed in range(5):
        X, y = make_blobs(100, 5, centers=5, cluster_std=3, random_state=seed)
        plain = adjusted_rand_score(y, ReCon(5, linkage=linkage).fit(X).labels_)
        for m in (25, 100):
            pairs = sample_class_pairs(y, m, random_state=seed)
            model = ReCon(5, linkage=linkage).fit(X, pairs=pairs)
            assert keeps(model.labels_, pairs)
            gains.append(adjusted_rand_score(y, model.labels_) - plain)
            worse = ReCon(5, linkage=linkage, cut="merge_order", on_infeasible="violate")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                by_merges.append(adjusted_rand_score(y, worse.fit(X, pairs=pairs).labels_) - plain)
    assert min(gains) > -0.02
    assert np.mean(gains) > 0.03
    assert min(by_merges) < -0.1  # there was something to be lost


def test_results__pairs_that_the_clusters_keep_change_nothing():
    X, y = make_blobs(50, 3, centers=4, cluster_std=3, random_state=0)
    for linkage in LINKAGES:
        for triplets in (None, sample_class_triplets(y, 75, random_state=0)):
            plain = ReCon(4, linkage=linkage).fit(X, triplets=triplets)
            pairs = sample_class_pairs(plain.labels_, 40, random_state=0)
            if triplets is None:
                assert np.array_equal(ReCon(4, linkage=linkage).fit(X, pairs=pairs).labels_, plain.labels_)
            near = _paired_cut.nearest_feasible(plain.labels_, pairs.closure(), X, are_distances=False)
            assert np.array_equal(near, plain.labels_)


@pytest.mark.parametrize("shape", ["make_circles", "make_cell_walls", "make_xor"])
def test_results__true_pairs_help_where_classes_are_not_compact(shape, monkeypatch):
    X, y = getattr(datasets, shape)(100, random_state=0)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    pairs = sample_class_pairs(y, 50, random_state=0)
    model = ReCon(2, linkage="single").fit(X, pairs=pairs)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    again = ReCon(2, linkage="single", metric="precomputed").fit(D, pairs=pairs)
    assert np.array_equal(again.labels_, model.labels_)
    monkeypatch.setattr(_paired_cut, "are_clades_better", lambda *args: False)
    assert adjusted_rand_score(y, model.fit(X, pairs=pairs).labels_) < 0.5  # there was something to be lost


def test_results__samples_without_pairs_stay_where_they_are():
    X, y = make_blobs(80, 3, centers=4, cluster_std=5, random_state=1)
    plain = ReCon(4, linkage="ward").fit(X)
    pairs = sample_class_pairs(y, 24, random_state=0)
    near = _paired_cut.nearest_feasible(plain.labels_, pairs.closure(), X, are_distances=False)
    moved = np.flatnonzero(near != plain.labels_)
    assert 0 < moved.size < 24
    assert np.isin(moved, np.concatenate([pairs.must_link, pairs.cannot_link])).all()


def test_results__misfit_by_hand():
    label = np.array([0, 0, 0, 0, 1, 1, 1, 1])

    def far(must, cannot):
        return _paired_cut.misfit(label, PairwiseConstraints(must, cannot, 8).closure())

    assert far([], []) == far([(0, 1)], [(0, 4), (1, 5)]) == 0
    assert far([(0, 4)], []) == far([], [(0, 1)]) == 1
    assert far([(0, 1), (2, 4)], [(5, 0), (1, 2)]) == pytest.approx(0.5)
    # one of three must-links, none of one cannot-link, weights 3/8 and 1/6
    assert far([(0, 1), (2, 3), (4, 3)], [(0, 5)]) == pytest.approx((3 / 8) / 3 / (3 / 8 + 1 / 6))
    # pairs that follow from others count no more
    assert far([(0, 1), (1, 4)], [(5, 0)]) == far([(0, 1), (1, 4), (0, 4)], [(5, 0), (5, 1), (4, 5)])


@pytest.mark.parametrize("sort", ["must", "cannot", "both"])
def test_results__misfit_is_half_by_chance(sort, rng):
    label = np.unique(rng.choice(4, 2000, p=[0.6, 0.2, 0.1, 0.1]), return_inverse=True)[1]
    pairs = sample_class_pairs(rng.integers(0, 3, 2000), 900, random_state=0)
    must = pairs.must_link if sort != "cannot" else []
    cannot = pairs.cannot_link if sort != "must" else []
    assert 0.45 < _paired_cut.misfit(label, PairwiseConstraints(must, cannot, 2000).closure()) < 0.55


def test_results__who_moves_is_who_loses_least():
    # means 1 and 11: 0 loses 120, 5 loses 20. With 0 and 12 the mean of their cluster would be far for both, 12 less so
    X = np.array([[0.0], [0.0], [0.0], [5.0], [10.0], [11.0], [12.0]])
    label = np.array([0, 0, 0, 0, 1, 1, 1])
    closure = PairwiseConstraints([], [(0, 3)], 7).closure()
    D = np.abs(X - X.T)
    for points, are_distances in ((X, False), (D, True)):
        near = _paired_cut.nearest_feasible(label, closure, points, are_distances=are_distances)
        assert near.tolist() == [0, 0, 0, 1, 1, 1, 1]
        both = PairwiseConstraints([(3, 6)], [(0, 3)], 7).closure()
        near = _paired_cut.nearest_feasible(label, both, points, are_distances=are_distances)
        assert near.tolist() == [0, 0, 0, 1, 1, 1, 1]
    triangle = PairwiseConstraints([], [(0, 1), (1, 2), (0, 2)], 7).closure()
    assert _paired_cut.nearest_feasible(label, triangle, X, are_distances=False) is None


def test_results__distances_say_the_same_as_samples(rng):
    X = rng.normal(size=(60, 3)) * 3
    y = rng.integers(0, 3, 60)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    joined = 0
    for seed in range(10):
        pairs = sample_class_pairs(y, 40, random_state=seed)
        closure = pairs.closure()
        label = np.unique(rng.integers(0, 3, 60), return_inverse=True)[1]
        one, two = (
            _paired_cut.nearest_feasible(label, closure, points, are_distances=k) for points, k in ((X, 0), (D, 1))
        )
        assert np.array_equal(one, two)
        assert _paired_cut._scatter(one, X, False) == pytest.approx(_paired_cut._scatter(one, D, True))
        model = ReCon(12, cut="merge_order").fit(X, pairs=pairs)
        one, two = (
            _paired_cut.fewer_clusters(model.labels_, 3, closure, points, are_distances=k)
            for points, k in ((X, 0), (D, 1))
        )
        assert (one is None) == (two is None)
        if one is not None:
            joined += 1
            assert np.array_equal(one, two)
            assert keeps(one, model.pairs_)
            assert one.max() == 2
    assert joined > 5


def test_results__small_clusters_join_the_nearest_that_may_be():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [6.4], [20.0]])
    label = np.array([0, 0, 0, 1, 1, 1, 2, 3])
    for must, cannot, wanted in (
        ([], [], [0, 0, 0, 1, 1, 1, 1, 1]),
        ([], [(6, 4)], [0, 0, 0, 1, 1, 1, 0, 1]),
        ([], [(6, 5), (6, 7)], [0, 0, 0, 1, 1, 1, 0, 1]),
        ([(3, 4), (4, 5)], [(6, 5), (7, 0)], [0, 0, 0, 1, 1, 1, 0, 1]),
    ):
        closure = PairwiseConstraints(must, cannot, 8).closure()
        found = _paired_cut.fewer_clusters(label, 2, closure, X, are_distances=False)
        assert found.tolist() == wanted
    three = PairwiseConstraints([], [(6, 7), (6, 0), (7, 0)], 8).closure()
    assert _paired_cut.fewer_clusters(label, 2, three, X, are_distances=False) is None


def test_results__no_cluster_is_left_empty():
    # must-links take all samples out of cluster 2. One group comes back
    X = np.array([[0.0], [1.0], [2.0], [20.0], [21.0], [22.0], [9.0]])
    label = np.array([0, 0, 0, 1, 1, 1, 2])
    closure = PairwiseConstraints([(6, 0), (0, 1), (3, 4)], [], 7).closure()
    near = _paired_cut.nearest_feasible(label, closure, X, are_distances=False)
    assert near.max() == 2
    assert near[0] == near[1] == near[6]
    assert near[3] == near[4]


def test_results__beyond_the_search_the_hierarchy_is_cut_with_a_warning(X, monkeypatch):
    pairs = PairwiseConstraints([(0, 7)], [(0, 1), (2, 3), (1, 4)], 8)
    monkeypatch.setattr(_paired_cut, "_MOST", 5)
    ReCon(4).fit(X, pairs=pairs)  # nor would they have been preferred: no warning
    monkeypatch.setattr(_paired_cut, "are_clades_better", lambda *args: False)
    with pytest.warns(UserWarning, match="no n_clusters=4 near to .* keep all 3 cannot-links between groups") as caught:
        model = ReCon(4).fit(X, pairs=pairs)
    assert caught[0].filename == __file__
    assert keeps(model.labels_, pairs)
    assert model.n_clusters_ == 4
    with pytest.raises(InfeasibleClusteringError):
        ReCon(1).fit(X, pairs=pairs)


def test_results__all_in_one_group_and_one_sample():
    model = ReCon(1).fit(LINE, pairs=([(0, 1), (1, 2), (2, 3)], []))
    assert model.labels_.tolist() == [0] * 4
    assert (model.fewest_clusters_, model.most_clusters_) == (1, 1)
    assert ReCon(1).fit([[1.0]], pairs=([], [])).labels_.tolist() == [0]
    for rule in RULES:
        assert ReCon(1, cut=rule).fit(LINE, pairs=([(0, 1), (1, 2), (2, 3)], [])).labels_.tolist() == [0] * 4


@pytest.mark.parametrize("rule", FIND_NUMBER)
def test_results__rules_that_find_the_number_keep_all_pairs(rule):
    model = ReCon(None, cut=rule).fit(LINE, pairs=([], [*combinations(range(4), 2)]))
    assert model.labels_.tolist() == [0, 1, 2, 3]


def test_results__constraints_find_the_number():
    assert ReCon(None, cut="constraints").fit(LINE, pairs=([], [(0, 1), (1, 2), (0, 2)])).n_clusters_ == 3
    assert ReCon(None, cut="constraints").fit(LINE, pairs=([(0, 1)], [])).n_clusters_ == 1
    model = ReCon(None, cut="constraints").fit(LINE, pairs=([(0, 1)], []), triplets=[(1, 2, 3)])
    assert model.labels_.tolist() == [0, 0, 0, 1]


def test_results__predict_and_pickle(frame):
    pairs = PairwiseConstraints.from_labels([("a", "h")], [("a", "b")])
    model = ReCon(3).fit(frame, pairs=pairs)
    again = pickle.loads(pickle.dumps(model))
    assert again.pairs_ == model.pairs_
    assert np.array_equal(again.predict(frame), model.predict(frame))


# ------------------------------------------------------------------ input


def test_input__forms_of_pairs(frame, X):
    wanted = ReCon(3).fit(X, pairs=([(0, 7)], [(0, 1)]))
    for data, pairs in (
        (X, PairwiseConstraints([(0, 7)], [(0, 1)], 8)),
        (X, (np.array([[7, 0]]), np.array([[0, 1]]))),
        (frame, ([("a", "h")], [("b", "a")])),
        (frame, PairwiseConstraints.from_labels([("a", "h")], [("a", "b")])),
        (frame.iloc[::-1].iloc[::-1], (np.array([[7, 0]]), None)),
    ):
        model = ReCon(3).fit(data, pairs=pairs)
        assert keeps(model.labels_, model.pairs_)
        if model.pairs_.n_cannot:
            assert np.array_equal(model.labels_, wanted.labels_)
            assert np.array_equal(model.fit_predict(data, pairs=pairs), wanted.labels_)


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([(0, 1)], TypeError, "two lists"),
        ("ab", TypeError, "not str"),
        (([(0, 0)], []), InvalidPairError, "must differ"),
        (([(0, 1, 2)], []), InvalidPairError, "expected two labels"),
        (([(0, 99)], []), UnknownLeafError, "99"),
        (([], [("a", "b")]), UnknownLeafError, "'a'"),
        (([(0, 1), (1, 2)], [(0, 2)]), InconsistentPairsError, "0 - 1 - 2"),
    ],
)
def test_input__that_is_none_is_refused(X, pairs, error, message):
    with pytest.raises(error, match=message):
        ReCon().fit(X, pairs=pairs)


def test_input__pairs_in_the_place_of_y(X):
    with pytest.raises(TypeError, match=re.escape("give them by name, fit(X, pairs=...)")):
        ReCon().fit(X, PairwiseConstraints([(0, 1)], [], 8))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": 0.1}, "penalty=0.1 cannot go with pairs, which always hold"),
        ({"on_conflict": "repair"}, "on_conflict='repair' cannot go with pairs"),
        ({"micro_clusters": 3}, "micro_clusters=3 cannot go with pairs: use micro_clusters=None"),
        ({"on_infeasible": "maybe"}, "The 'on_infeasible' parameter of ReCon must be"),
    ],
)
def test_input__what_does_not_go_with_pairs(X, parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ReCon(**parameters).fit(X, pairs=([(0, 1)], []))
    if "on_infeasible" not in parameters:
        ReCon(**parameters).fit(X, pairs=([], []))


def test_input__the_advice_for_a_penalty_works(X):
    triplets, pairs = TripletSet([(0, 1, 2)], 8), PairwiseConstraints([(0, 7)], [(0, 1)], 8)
    assert ReCon(penalty=1.0).fit(X, triplets=triplets | pairs.to_triplets()).n_triplets_ == 2


def test_input__nothing_is_clustered_before_contradictions_are_told(X, monkeypatch):
    def never(*_, **__):
        raise AssertionError("clustering has started")

    monkeypatch.setattr("tripletree.cluster.agglomerative.recon.merge_samples", never)
    with pytest.raises(InconsistentTripletsError):
        ReCon().fit(X, pairs=([(0, 1)], []), triplets=[(0, 2, 1)])
    with pytest.raises(InconsistentPairsError):
        ReCon().fit(X, pairs=([(0, 1)], [(1, 0)]), triplets=[(0, 2, 1)])


# ------------------------------------------------------------------ contradictions


def test_conflict__names_triplets_and_links_with_their_lines(frame):
    triplets = read_triplets(io.StringIO("c d | e\na e | c\n"))
    pairs = read_pairs(io.StringIO("g h cannot\na b must\nb c must\nf e must\n"))
    with pytest.raises(InconsistentTripletsError) as caught:
        ReCon().fit(frame, triplets=triplets, pairs=pairs)
    error = caught.value
    assert set(error.conflict) == {("a", "e", "c"), ("a", "c", "e")}
    assert list(error.pairs) == [("a", "b", "must"), ("b", "c", "must")]
    text = str(error)
    assert "a e | c" in text
    assert "line 2" in text
    assert "must-linked samples are merged before all others, by the must-links a - b - c (lines 2 and 3" in text
    assert "a c | e" in str(error.conflict)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.pairs) == (text, error.pairs)


def test_conflict__through_groups():
    X = np.arange(6.0)[:, None]
    with pytest.raises(InconsistentTripletsError) as caught:
        ReCon().fit(X, triplets=[(0, 2, 4), (2, 4, 1), (3, 5, 0)], pairs=([(0, 1)], [(4, 5)]))
    error = caught.value
    assert {(0, 2, 4), (2, 4, 1)} <= set(error.conflict)
    assert list(error.pairs) == [(0, 1, "must")]
    assert re.search(
        r"(is|are) not among the triplets given: (it follows|they follow) from the rule that must-linked", str(error)
    )
    with pytest.warns(UserWarning, match="with these pairs, labels_ break some of the triplets"):
        ReCon().fit(X, triplets=[(0, 2, 4), (2, 4, 1), (3, 5, 0)], pairs=([], [(4, 5)]))


def test_conflict__of_the_triplets_alone_blames_no_pair(X):
    for must in ([(0, 1)], [(0, 1), (1, 2), (2, 3)], [(5, 6)]):
        with pytest.raises(InconsistentTripletsError) as caught:
            ReCon().fit(X, triplets=[(0, 1, 2), (1, 2, 0)], pairs=(must, []))
        assert set(caught.value.conflict) == {(0, 1, 2), (1, 2, 0)}
        assert caught.value.pairs is None
        assert "must-link" not in str(caught.value)


def test_conflict__with_weights_and_a_long_chain():
    n = 3000
    X = np.arange(float(n))[:, None]
    chain = [(i, i + 1) for i in range(n - 2)]
    triplets = TripletSet([(0, n - 1, n - 2)], n, [0.5])
    with pytest.raises(InconsistentTripletsError, match=r"0 - 1 - .*\(.* more\) - .*2997 - 2998") as caught:
        ReCon(1).fit(X, triplets=triplets, pairs=(chain, []))
    assert caught.value.pairs.n_must == n - 2


def test_conflict__cannot_links_contradict_no_triplet(X):
    model = ReCon(8).fit(X, triplets=[(0, 1, 2), (3, 4, 5)], pairs=([], [(0, 1), (3, 4)]))
    assert displays(model.hierarchy_, TripletSet([(0, 1, 2), (3, 4, 5)], 8)).all()
    assert model.labels_.tolist() == list(range(8))


def test_conflict__triplets_that_groups_imply_are_no_work():
    combined = combine_constraints(
        TripletSet([(0, 1, 2), (0, 1, 3), (2, 3, 0)], 4), PairwiseConstraints([(0, 1)], [], 4)
    )
    assert combined.between.tolist() == [[1, 2, 0]]
    assert combined.inside.tolist() == []
    assert combined.closure.first.tolist() == [0, 2, 3]


# ------------------------------------------------------------------ too few, too many


def test_infeasible__raise_names_a_clique():
    with pytest.raises(InfeasibleClusteringError, match="end at 3 clusters, and n_clusters=2 are too few") as caught:
        ReCon(2).fit(LINE, pairs=([], [(0, 1), (1, 2), (0, 2)]))
    assert caught.value.clique == caught.value.samples == [0, 1, 2]
    assert caught.value.proved
    assert caught.value.n_clusters == 2


@pytest.mark.filterwarnings("ignore:with these pairs, labels_ break some of the triplets")
def test_infeasible__by_these_merges_is_not_proved():
    # 0 1 | 2 and 2 3 | 0 make two clades that hold both ends of a cannot-link. Each cluster could hold one end of each
    known = {"triplets": [(0, 1, 2), (2, 3, 0)], "pairs": ([], [(0, 1), (2, 3)])}
    with pytest.raises(InfeasibleClusteringError, match="end at 4 clusters, more than n_clusters=2") as caught:
        ReCon(2, cut="merge_order").fit(LINE, **known)
    assert not caught.value.proved
    assert caught.value.samples == []
    for linkage in ("centroid", "single"):
        model = ReCon(2, linkage=linkage).fit(LINE, **known)
        assert model.fewest_clusters_ == 4
        assert model.labels_.tolist() in ([0, 1, 0, 1], [0, 1, 1, 0])


def test_infeasible__merges_end_with_more_clusters_than_the_pairs_need():
    # 0, 1, 2 end as clusters with 1 alone. Its cluster's other samples may be anywhere
    X = [[0.0], [0.1], [10.0], [10.1], [5.0], [5.2], [4.0]]
    pairs = ([(5, 6)], [(0, 2), (0, 4), (2, 4), (1, 5), (3, 5), (3, 1)])
    model = ReCon(3).fit(X, pairs=pairs)
    assert model.n_clusters_ == 3
    assert keeps(model.labels_, model.pairs_)
    D = np.abs(np.subtract.outer(np.ravel(X), np.ravel(X)))
    model = ReCon(3, linkage="average", metric="precomputed").fit(D, pairs=pairs)
    assert model.n_clusters_ == 3
    assert keeps(model.labels_, model.pairs_)


def test_infeasible__long_chains_of_cannot_links_are_coloured(rng):
    n = 2000
    order = rng.permutation(n)
    X = rng.normal(size=(n, 2))
    pairs = PairwiseConstraints([], np.column_stack([order[:-1], order[1:]]), n)
    model = ReCon(2).fit(X, pairs=pairs)
    assert model.n_clusters_ == 2
    assert keeps(model.labels_, pairs)
    assert keeps(ReCon(3).fit(X, pairs=pairs).labels_, pairs)


def test_infeasible__more_and_violate_warn(X):
    pairs = ([(0, 7)], [(0, 1), (1, 2), (0, 2), (4, 5)])
    with pytest.warns(UserWarning, match="end at 3 clusters: these are returned, not n_clusters=2") as caught:
        model = ReCon(2, on_infeasible="more").fit(X, pairs=pairs)
    assert caught[0].filename == __file__
    assert model.n_clusters_ == model.fewest_clusters_ == 3
    assert keeps(model.labels_, model.pairs_)
    with pytest.warns(UserWarning, match=r"n_clusters=2 violate \d of 4"):
        model = ReCon(2, on_infeasible="violate").fit(X, pairs=pairs)
    assert model.n_clusters_ == 2
    assert model.labels_[0] == model.labels_[7]


@pytest.mark.parametrize("policy", ["raise", "more", "violate"])
def test_infeasible__more_clusters_than_groups(policy):
    with pytest.raises(InfeasibleClusteringError, match="tie the 4 samples into 2 groups"):
        ReCon(3, on_infeasible=policy).fit(LINE, pairs=([(0, 1), (2, 3)], []))
    with pytest.raises(ClusterCountError):
        ReCon(5, on_infeasible=policy).fit(LINE, pairs=([(0, 1), (2, 3)], []))


def test_infeasible__a_threshold_never_is():
    for threshold, wanted in ((0.0, [0, 0, 1, 2]), (99.0, [0, 0, 1, 1])):
        model = ReCon(None, distance_threshold=threshold).fit(LINE, pairs=([(0, 1)], [(0, 3)]))
        assert model.labels_.tolist() == wanted


def test_infeasible__the_search_goes_back_where_it_has_to():
    """The search answers as trying everything does, whatever it prefers."""
    answers = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, k = 9, 3
        edges = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.5]
        near = {u: [*(j for i, j in edges if i == u), *(i for i, j in edges if j == u)] for u in range(n)}
        fixed = {0: 0, 1: 1} if (1, 0) not in edges else {}
        every = {}
        for known in ({}, fixed):
            several = [dict(known)]
            for u in (u for u in range(n) if u not in known):
                several = [{**x, u: c} for x in several for c in range(k) if all(x.get(v) != c for v in near[u])]
            every[bool(known)] = several
        graph = CannotGraph(np.array(edges), n)
        nodes = graph.bound.tolist()
        found = graph.complete(rng.random((len(nodes), k)), np.array([fixed.get(u, -1) for u in nodes]))
        answers.append(bool(every[bool(fixed)]))
        assert (found is not None) == bool(every[False])  # where nothing else helps, those that have a cluster move
        if found is not None:
            allowed = every[bool(fixed)] or every[False]
            assert dict(zip(nodes, found.tolist(), strict=True)) in [{u: x[u] for u in nodes} for x in allowed]
    assert 0.1 < np.mean(answers) < 0.9


# ------------------------------------------------------------------ beside scikit-learn


def test_scikit_learn__metadata_routing_and_pipelines(frame):
    triplets, pairs = [("b", "c", "d")], ([("a", "h")], [("a", "b")])
    scaler = StandardScaler().set_output(transform="pandas")
    plain = make_pipeline(scaler, ReCon(3)).fit(frame, recon__pairs=pairs, recon__triplets=triplets)
    with sklearn.config_context(enable_metadata_routing=True):
        model = ReCon(3).set_fit_request(pairs=True, triplets=True)
        routed = make_pipeline(clone(scaler), model).fit(frame, pairs=pairs, triplets=triplets)
        labels = clone(routed).fit_predict(frame, pairs=pairs, triplets=triplets)
    for pipeline in (plain, routed):
        assert keeps(pipeline[-1].labels_, pipeline[-1].pairs_)
        assert len(pipeline[-1].pairs_) == 2
        assert np.array_equal(pipeline[-1].labels_, labels)


def test_scikit_learn__grid_search_passes_parts_of_the_samples():
    X, y = load_iris(return_X_y=True)
    X = pd.DataFrame(X, index=[f"flower {i}" for i in range(150)])
    pairs = sample_class_pairs(y, 60, leaves=X.index, random_state=0)
    model = ReCon(3, missing_samples="ignore")
    search = GridSearchCV(
        model, {"linkage": ["centroid", "average"]}, scoring="adjusted_rand_score", cv=StratifiedKFold(3)
    ).fit(X, y, pairs=pairs)
    assert len(search.best_estimator_.pairs_) == 60
    assert search.best_score_ > 0.6


@pytest.mark.parametrize("linkage", ["centroid", "average"])
def test_scikit_learn__progress_and_interrupts(linkage, X, monkeypatch, capsys):
    pairs = ([(0, 1), (1, 2), (4, 5)], [(0, 7)])
    ReCon(linkage=linkage, verbose=True).fit(X, pairs=pairs)
    assert "7/7" in capsys.readouterr().err

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tqdm.auto.tqdm, "update", interrupted)
    model = ReCon(linkage=linkage, verbose=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, pairs=pairs)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
