import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
import tqdm.auto
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from tripletree._core import engine
from tripletree.algorithms.cut import cut
from tripletree.cluster import ConstrainedCompleteLink, labels_oracle
from tripletree.cluster.agglomerative.complete_link import find_medoid, forbidden_distance
from tripletree.cluster.distances import FittedMetric
from tripletree.cluster.feasibility import CannotGraph, NotColourable
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import (
    ClusterCountError,
    InconsistentPairsError,
    InfeasibleClusteringError,
    InvalidLabelsError,
    InvalidPairError,
    UnknownLeafError,
)
from tripletree.plots import plot_dendrogram

NAMES = list("abcdefgh")
#: Four samples on a line: 0 and 1 are near, 2 and 3 as well.
LINE = np.array([[0.0], [1.0], [4.0], [6.0]])


# ------------------------------------------------------------------ results


def test_results__by_hand():
    # 1 and 2 are one; 0 is 1 from it, 3 is 2 from it, and 0 to 3 is 3 through it, but forbidden: at max + 1 = 7
    model = ConstrainedCompleteLink().fit(LINE, pairs=([(2, 1)], [(3, 0)]))
    assert model.distances_.tolist() == [0.0, 1.0, 7.0]
    assert model.linkage_.tolist() == [[1, 2, 0, 2], [0, 4, 1, 3], [3, 5, 7, 4]]
    assert model.hierarchy_.parent.tolist() == [5, 4, 4, 6, 5, 6, -1]
    assert model.hierarchy_.height.tolist() == [0, 0, 0, 0, 0, 1, 7]
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert (model.n_leaves_, model.n_features_in_, model.n_clusters_) == (4, 1, 2)
    assert (model.fewest_clusters_, model.most_clusters_, model.cannot_link_distance_) == (2, 3, 7.0)
    assert model.pairs_ == PairwiseConstraints([(1, 2)], [(0, 3)], 4)
    assert model.queries_ == []


def test_results__a_cannot_link_holds_for_what_is_must_linked():
    # without its images, 4-5 would be near enough to join 0 and 3 by way of 4 and 5
    X = [[0.0], [9.0], [10.0], [19.0]]
    model = ConstrainedCompleteLink(2).fit(X, pairs=([(0, 1), (2, 3)], [(0, 3)]))
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.distances_.tolist() == [0.0, 0.0, 20.0]


def test_results__paths_lead_through_must_links():
    # the ends of the line are 0.5 from the must-linked two, and so 1 from each other. The middle stays alone
    X = [[0.0], [0.5], [10.0], [20.0], [20.5]]
    model = ConstrainedCompleteLink(2).fit(X, pairs=([(1, 3)], []))
    assert model.labels_.tolist() == [0, 0, 1, 0, 0]
    assert model.distances_.tolist() == [0.0, 0.5, 1.0, 10.0]


def test_results__x_is_left_as_it_was(X):
    before = X.copy()
    X.setflags(write=False)
    ConstrainedCompleteLink().fit(X, pairs=([(0, 1)], [])).predict(X)
    distances = np.abs(X[:, :1] - X[:, :1].T)
    distances.setflags(write=False)
    for oracle in (None, labels_oracle(range(8))):
        model = ConstrainedCompleteLink(metric="precomputed", n_queries=None if oracle is None else 1)
        model.fit(distances, pairs=([(0, 1)], []), oracle=oracle).predict(distances)
    assert np.array_equal(X, before)


def test_results__no_pairs_are_plain_complete_linkage(X):
    plain = ConstrainedCompleteLink().fit(X)
    for none in (None, ([], []), PairwiseConstraints([], [], 8), (np.empty((0, 2), int), np.empty((0, 2), int))):
        assert ConstrainedCompleteLink().fit(X, pairs=none).hierarchy_ == plain.hierarchy_
    assert (plain.fewest_clusters_, plain.most_clusters_) == (1, 8)


def test_results__one_sample_and_one_group():
    for model in (ConstrainedCompleteLink(1), ConstrainedCompleteLink(None, distance_threshold=0.0)):
        assert model.fit([[3.0, 4.0]]).labels_.tolist() == [0]
        assert model.linkage_.shape == (0, 4)
        assert model.predict([[9.0, 9.0]]).tolist() == [0]
    model = ConstrainedCompleteLink(1, n_queries=3).fit(
        [[0.0], [1.0], [5.0]], pairs=([(0, 1), (1, 2)], []), oracle=labels_oracle([0, 0, 0])
    )
    assert model.linkage_.tolist() == [[0, 1, 0, 2], [2, 3, 0, 3]]
    assert model.queries_ == []


def test_results__equal_samples_may_be_kept_apart():
    model = ConstrainedCompleteLink(2).fit([[1.0], [1.0], [1.0]], pairs=([], [(0, 2)]))
    assert model.labels_.tolist() == [0, 0, 1]
    assert model.cannot_link_distance_ == 1.0


def test_results__the_top_is_above_the_largest_distance_however_large():
    for scale in (0.0, 1e-300, 1.0, 2.0**53, 1e200):
        assert forbidden_distance(np.array([0.0, scale])) > scale
    assert forbidden_distance(np.empty(0)) == 1.0
    model = ConstrainedCompleteLink(2).fit(LINE * 1e17, pairs=([], [(0, 1)]))
    assert model.fewest_clusters_ == 2
    assert model.labels_[0] != model.labels_[1]


# ------------------------------------------------------------------ metrics


@pytest.mark.parametrize("metric", ["cityblock", "cosine", "seuclidean", "mahalanobis"])
def test_metric__is_that_of_scipy(metric, X):
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    model = ConstrainedCompleteLink(metric=metric).fit(X)
    np.testing.assert_allclose(model.linkage_, linkage(pdist(X, metric), "complete"))


def test_metric__precomputed_callable_and_transformer(X):
    pairs = ([(0, 1), (2, 5)], [(1, 4)])
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    wanted = ConstrainedCompleteLink(3).fit(X, pairs=pairs)
    for model, samples in (
        (ConstrainedCompleteLink(3, metric="precomputed"), D),
        (ConstrainedCompleteLink(3, metric=lambda u, v: np.sqrt(((u - v) ** 2).sum())), X),
    ):
        model.fit(samples, pairs=pairs)
        np.testing.assert_allclose(model.linkage_, wanted.linkage_)
        assert np.array_equal(model.predict(samples), wanted.predict(X))
    scaler = StandardScaler().fit(X)
    scaled = ConstrainedCompleteLink(3, metric=FrozenEstimator(scaler)).fit(X, pairs=pairs)
    assert np.array_equal(scaled.linkage_, clone(wanted).fit(scaler.transform(X), pairs=pairs).linkage_)
    with pytest.raises(ValueError, match="not symmetric"):
        ConstrainedCompleteLink(metric="precomputed").fit(np.triu(D))


def test_metric__hamming_of_nominal_features():
    X = OrdinalEncoder().fit_transform([["red", "round"], ["red", "long"], ["blue", "flat"], ["green", "flat"]])
    model = ConstrainedCompleteLink(2, metric="hamming").fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.distances_.tolist() == [0.5, 0.5, 1.0]
    assert ConstrainedCompleteLink(2, metric="hamming").fit_predict(X, pairs=([(0, 2)], [(0, 1)])).tolist() == [
        0,
        1,
        0,
        0,
    ]


def test_predict__neighbours_vote_and_fitted_samples_keep_their_labels(rng):
    X, new = rng.normal(size=(30, 2)), rng.normal(size=(20, 2))
    model = ConstrainedCompleteLink(4).fit(X, pairs=([(0, 1)], [(2, 3)]))
    assert np.array_equal(model.predict(X), model.labels_)
    peer = KNeighborsClassifier(5, weights="distance").fit(X, model.labels_)
    assert np.array_equal(model.predict(new), peer.predict(new))
    np.testing.assert_allclose(model.predict_proba(new), peer.predict_proba(new))
    assert [path[-1] for path in model.predict_path(X)] == list(range(30))
    with pytest.raises(NotFittedError):
        ConstrainedCompleteLink().predict(new)


# ------------------------------------------------------------------ how many clusters


def test_clusters__number_or_threshold_but_not_both(X):
    for wrong in ({"n_clusters": None}, {"n_clusters": 2, "distance_threshold": 1.0}):
        with pytest.raises(ValueError, match="give one of them, and None for the other"):
            ConstrainedCompleteLink(**wrong).fit(X)


def test_clusters__of_a_threshold_never_break_a_cannot_link(X):
    pairs = ([(0, 1)], [(1, 4), (2, 3)])
    for threshold in (0.0, 1.0, 2.0, 1e300):
        model = ConstrainedCompleteLink(None, distance_threshold=threshold).fit(X, pairs=pairs)
        assert model.labels_[0] == model.labels_[1]
        assert model.labels_[1] != model.labels_[4]
        assert model.labels_[2] != model.labels_[3]
        assert (
            model.n_clusters_
            == model.n_leaves_
            - ((model.distances_ <= threshold) & (model.distances_ < model.cannot_link_distance_)).sum()
        )
    assert model.n_clusters_ == model.fewest_clusters_


def test_clusters__too_many(X):
    with pytest.raises(ClusterCountError, match="n_clusters=9 but n_samples=8") as caught:
        ConstrainedCompleteLink(n_clusters=9).fit(X, pairs=([(0, 1)], []))
    assert (caught.value.n_clusters, caught.value.nearest) == (9, (7,))
    with pytest.raises(InfeasibleClusteringError, match="must-links tie the 8 samples into 6 groups") as caught:
        ConstrainedCompleteLink(n_clusters=7).fit(X, pairs=([(0, 1), (2, 3)], []))
    assert (caught.value.n_clusters, caught.value.proved, caught.value.samples) == (7, True, [])
    assert ConstrainedCompleteLink(6).fit(X, pairs=([(0, 1), (2, 3)], [])).n_clusters_ == 6


def test_clusters__too_few_for_a_clique(frame):
    pairs = ([("d", "e")], [("a", "b"), ("b", "e"), ("a", "d"), ("f", "g")])
    with pytest.raises(InfeasibleClusteringError, match="3 samples are all kept apart") as caught:
        ConstrainedCompleteLink(2).fit(frame, pairs=pairs)
    error = caught.value
    assert (error.n_clusters, error.proved, error.clique, error.sample) == (2, True, ["a", "b", "d"], "a")
    assert "n_clusters=2 are too few for the cannot-links" in str(error)
    assert "on_infeasible='more'" in str(error)
    with pytest.raises(InfeasibleClusteringError, match="the merges end at 3 clusters, .* are all kept apart") as other:
        ConstrainedCompleteLink(2, on_infeasible="raise").fit(frame, pairs=pairs)
    assert other.value.clique == error.clique


def test_clusters__too_few_for_an_odd_cycle():
    # a cycle of five is no clique, but needs three clusters all the same
    cycle = [(i, (i + 1) % 5) for i in range(5)]
    for policy in ("avoid", "raise"):
        with pytest.raises(InfeasibleClusteringError) as caught:
            ConstrainedCompleteLink(2, on_infeasible=policy).fit(np.arange(5.0)[:, None], pairs=([], cycle))
        assert (caught.value.proved, caught.value.clique, len(caught.value.samples)) == (True, [], 5)
    assert ConstrainedCompleteLink(3).fit(np.arange(5.0)[:, None], pairs=([], cycle)).n_clusters_ == 3


def test_clusters__a_search_that_is_given_up_proves_nothing(monkeypatch):
    monkeypatch.setattr("tripletree.cluster.feasibility.CannotGraph.colour", _given_up)
    with pytest.raises(InfeasibleClusteringError, match="may need more .*COPKMeans and ReCon") as caught:
        ConstrainedCompleteLink(2).fit(PATH[0], pairs=PATH[1])
    assert (caught.value.proved, caught.value.clique) == (False, [])


def _given_up(graph, k, rng, limit, **options):
    raise NotColourable(graph.bound.tolist(), is_clique=False, proved=False)


def test_clusters__searches_that_are_given_up_end_at_n_clusters_all_the_same(monkeypatch):
    # only the first places are found: merges then go by these
    colour, given = CannotGraph.colour, []

    def once(graph, k, rng, limit, **options):
        given.append(k)
        return colour(graph, k, rng, limit, **options) if len(given) == 1 else _given_up(graph, k, rng, limit)

    monkeypatch.setattr("tripletree.cluster.feasibility.CannotGraph.colour", once)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y, rows = rng.normal(size=(40, 2)), rng.integers(0, 3, 40), rng.integers(0, 40, (60, 2))
        rows = rows[y[rows[:, 0]] != y[rows[:, 1]]]
        given.clear()
        model = ConstrainedCompleteLink(3).fit(X, pairs=([], rows))
        assert model.n_clusters_ == 3
        assert (model.labels_[rows[:, 0]] != model.labels_[rows[:, 1]]).all()


#: A path of cannot-links 0-1-2-3: two clusters {0, 2}, {1, 3} keep it, but 0 and 3 are close and merge first.
PATH = np.array([[0.0], [7.0], [20.0], [0.1]]), ([], [(0, 1), (1, 2), (2, 3)])


def test_clusters__where_the_merges_went_another_way():
    X, pairs = PATH
    with pytest.raises(
        InfeasibleClusteringError, match="could keep all constraints, but not by these merges"
    ) as caught:
        ConstrainedCompleteLink(2, on_infeasible="raise").fit(X, pairs=pairs)
    assert (caught.value.proved, caught.value.samples) == (False, [])


def test_clusters__a_merge_that_leaves_no_way_is_avoided():
    X, pairs = PATH
    model = ConstrainedCompleteLink(2).fit(X, pairs=pairs)
    assert model.labels_.tolist() == [0, 1, 0, 1]  # 0 and 3 are not merged, nor 1 and 2, which are forbidden
    assert model.distances_.tolist() == [pytest.approx(6.9), 20.0, 21.0]
    assert (model.fewest_clusters_, model.most_clusters_) == (2, 4)
    assert np.array_equal(cut(model.hierarchy_, 2, rule="merge_order"), model.labels_)
    # where there is room for three, that merge is the first again
    assert ConstrainedCompleteLink(3).fit(X, pairs=pairs).labels_.tolist() == [0, 1, 2, 0]


def test_clusters__more_or_violated_only_with_a_warning():
    X, pairs = PATH
    with pytest.warns(UserWarning, match="end at 3 clusters, .* these are returned, not n_clusters=2") as caught:
        model = ConstrainedCompleteLink(2, on_infeasible="more").fit(X, pairs=pairs)
    assert caught[0].filename == __file__
    assert (model.n_clusters_, model.labels_.tolist()) == (3, [0, 1, 2, 0])
    with pytest.warns(UserWarning, match="n_clusters=2 violate 1 of 3"):
        model = ConstrainedCompleteLink(2, on_infeasible="violate").fit(X, pairs=pairs)
    assert (model.n_clusters_, model.labels_.tolist()) == (2, [0, 0, 1, 0])  # the nearer of the two forbidden merges
    assert model.distances_.tolist() == [pytest.approx(0.1), 21.0, 21.0]


# ------------------------------------------------------------------ forms of the pairs


def test_pairs__by_label_and_by_row(frame, X):
    rows, named = ([(0, 5), (2, 3)], [(5, 1)]), ([("a", "f"), ("c", "d")], [("f", "b")])
    wanted = ConstrainedCompleteLink().fit(X, pairs=rows)
    for pairs in (named, PairwiseConstraints.from_labels(*named), [np.array(p) for p in rows]):
        model = ConstrainedCompleteLink().fit(frame, pairs=pairs)
        assert model.hierarchy_.leaves == LeafIndex(NAMES)
        assert np.array_equal(model.linkage_, wanted.linkage_)
        assert model.pairs_ == PairwiseConstraints.from_labels(*named, leaves=NAMES)
    assert model.feature_names_in_.tolist() == ["x", "y", "z"]


def test_pairs__that_contradict_each_other_are_refused_with_the_reason(frame):
    with pytest.raises(InconsistentPairsError, match="put a and c together") as caught:
        ConstrainedCompleteLink().fit(frame, pairs=([("a", "b"), ("b", "c")], [("c", "a")]))
    assert caught.value.path == ["a", "b", "c"]


def test_pairs__wrong_ones(X, frame):
    for pairs, error in (
        (([(0, 99)], []), UnknownLeafError),
        (([(0, 0)], []), InvalidPairError),
        ("nonsense", TypeError),
    ):
        with pytest.raises(error):
            ConstrainedCompleteLink().fit(X, pairs=pairs)
    with pytest.raises(UnknownLeafError):
        ConstrainedCompleteLink().fit(frame, pairs=([("a", "zebra")], []))
    with pytest.raises(TypeError, match="give them by name"):
        ConstrainedCompleteLink().fit(X, PairwiseConstraints([(0, 1)], [], 8))


def test_pairs__on_missing_samples(frame):
    pairs = ([("a", "zebra"), ("b", "c")], [])
    model = ConstrainedCompleteLink(2, missing_samples="ignore").fit(frame, pairs=pairs)
    assert model.pairs_ == PairwiseConstraints.from_labels([("b", "c")], leaves=NAMES)


# ------------------------------------------------------------------ questions


def _blobs(rng, size=10):
    y = np.repeat(np.arange(3), size)
    return rng.normal(size=(3 * size, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[y], y


def test_queries__are_asked_at_the_last_merges():
    # the merges are 01 at 1, 23 at 2 and 0123 at 6: one question is about the last, three about the last three
    for budget, asked in ((1, [(0, 2)]), (2, [(2, 3), (0, 2)]), (4, [(0, 1), (2, 3), (0, 2)])):
        model = ConstrainedCompleteLink(1, n_queries=budget).fit(LINE, oracle=lambda a, b: True)
        assert [q[:2] for q in model.queries_] == asked
        assert model.labels_.tolist() == [0, 0, 0, 0]
        assert model.pairs_ == PairwiseConstraints(asked, [], 4)


def test_queries__no_separates_and_yes_joins():
    model = ConstrainedCompleteLink(2, n_queries=1).fit(LINE, oracle=lambda a, b: False)
    assert model.queries_ == [(0, 2, False)]
    assert (model.fewest_clusters_, model.labels_.tolist()) == (2, [0, 0, 1, 1])
    assert model.pairs_ == PairwiseConstraints([], [(0, 2)], 4)
    # 0 and 1 apart, then 1 and 23 together. 0 with them would break the first answer
    model = ConstrainedCompleteLink(2, n_queries=4).fit(LINE, oracle=labels_oracle([0, 1, 1, 1]))
    assert model.queries_ == [(0, 1, False), (2, 3, True), (1, 2, True)]
    assert model.labels_.tolist() == [0, 1, 1, 1]


def test_queries__yes_propagates_on_the_matrix_of_roots():
    # after 1 and 2 are said to be one, 3 is 7 from them, as it is from 2, and not 11. The medoid of 1, 2, 3 is 2
    X = [[0.0], [10.0], [14.0], [21.0]]
    answers = {(1, 2): True, (1, 3): True, (0, 2): False}
    model = ConstrainedCompleteLink(2, n_queries=4).fit(X, oracle=lambda a, b: answers[a, b])
    assert [q[:2] for q in model.queries_] == [(1, 2), (1, 3), (0, 2)]
    assert model.distances_.tolist() == [4.0, 7.0, 22.0]
    assert model.labels_.tolist() == [0, 1, 1, 1]


def test_queries__unknown_merges_as_without():
    plain = ConstrainedCompleteLink().fit(LINE)
    model = ConstrainedCompleteLink(n_queries=4).fit(LINE, oracle=lambda a, b: None)
    assert np.array_equal(model.linkage_, plain.linkage_)
    assert model.queries_ == [(0, 1, None), (2, 3, None), (0, 2, None)]
    assert len(model.pairs_) == 0


def test_queries__use_labels_and_given_pairs(rng):
    X, y = _blobs(rng)
    names = [f"s{i}" for i in range(30)]
    frame, known = pd.DataFrame(X, index=names), pd.Series(y, index=names)
    model = ConstrainedCompleteLink(3, n_queries=8)
    model.fit(frame, pairs=([("s0", "s9")], [("s0", "s29")]), oracle=labels_oracle(known))
    assert 0 < len(model.queries_) <= 8
    assert all((known[a] == known[b]) == answer for a, b, answer in model.queries_)
    must, cannot = model.pairs_.must_link, model.pairs_.cannot_link
    assert all(model.labels_[a] == model.labels_[b] for a, b in must)
    assert all(model.labels_[a] != model.labels_[b] for a, b in cannot)


def test_queries__none_are_the_fit_without(X):
    model = ConstrainedCompleteLink(n_queries=0).fit(X, oracle=lambda a, b: pytest.fail("asked"))
    assert np.array_equal(model.linkage_, ConstrainedCompleteLink().fit(X).linkage_)
    assert model.queries_ == []


def test_queries__wrong_oracles(X):
    with pytest.raises(ValueError, match="n_queries=3 but nobody to ask"):
        ConstrainedCompleteLink(n_queries=3).fit(X)
    with pytest.raises(ValueError, match="set n_queries"):
        ConstrainedCompleteLink().fit(X, oracle=lambda a, b: True)
    with pytest.raises(TypeError, match="use labels_oracle"):
        ConstrainedCompleteLink(n_queries=3).fit(X, oracle=[0] * 8)
    with pytest.raises(TypeError, match="returned 'yes'; the answer must be True or False .*, or None"):
        ConstrainedCompleteLink(n_queries=3).fit(X, oracle=lambda a, b: "yes")


def test_queries__an_oracle_that_fails_changes_nothing(X):
    model = ConstrainedCompleteLink(n_queries=3)
    with pytest.raises(UnknownLeafError, match="samples with a class in y"):
        model.fit(X, oracle=labels_oracle({}))
    assert vars(model) == vars(ConstrainedCompleteLink(n_queries=3))


def test_labels_oracle__kinds_of_labels():
    for y in (
        [1, 1, 2, None],
        np.array([1, 1, 2, np.nan]),
        {0: "x", 1: "x", 2: "y", 3: None},
        pd.Series([1, 1, 2, np.nan]),
    ):
        oracle = labels_oracle(y)
        assert (oracle(0, 1), oracle(1, 2), oracle(0, 3)) == (True, False, None)
        with pytest.raises(UnknownLeafError, match="7"):
            oracle(0, 7)
    with pytest.raises(InvalidLabelsError, match="one dimension"):
        labels_oracle([[1, 2]])
    with pytest.raises(InvalidLabelsError, match="more than once"):
        labels_oracle(pd.Series([1, 2], index=["a", "a"]))


def test_find_medoid__is_the_medoid(rng, monkeypatch):
    X = rng.normal(size=(40, 3))
    D = np.abs(X[:, None] - X).sum(axis=2)
    members, cityblock = np.sort(rng.permutation(40)[:25]), FittedMetric("cityblock")
    wanted = members[D[np.ix_(members, members)].sum(axis=1).argmin()]
    monkeypatch.setattr("tripletree.cluster.agglomerative.complete_link._BATCH", 60)
    assert find_medoid(X, members, cityblock) == find_medoid(D, members, FittedMetric("precomputed")) == wanted
    assert find_medoid(X, members[:2], cityblock) == members[0]


# ------------------------------------------------------------------ progress, interrupts, plots


def _interrupted(*_):
    raise KeyboardInterrupt


def test_fit__that_fails_or_is_interrupted_changes_nothing(X, monkeypatch, capsys):
    model = ConstrainedCompleteLink(verbose=True)
    with monkeypatch.context() as patch:
        patch.setattr(tqdm.auto.tqdm, "update", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X)
        with pytest.raises(NotFittedError):
            check_is_fitted(model)
    before = dict(vars(model.set_params(verbose=False).fit(X)))
    with pytest.raises(InconsistentPairsError):
        model.fit(X[:, :2], pairs=([(0, 1)], [(0, 1)]))
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[k] is v for k, v in before.items())
    assert capsys.readouterr().err.endswith("\r")  # the bar is wiped


def test_plot__draws_the_fitted_estimator(frame):
    from matplotlib import pyplot as plt

    model = ConstrainedCompleteLink(3).fit(frame, pairs=([("a", "b")], [("c", "d")]))
    ax = plot_dendrogram(model)
    assert {t.get_text() for t in ax.texts} >= set(NAMES)
    plt.close(ax.figure)


# ------------------------------------------------------------------ the core


def test_core__farthest_is_the_greatest_distance_between_parts(rng):
    D = rng.random((12, 12))
    D += D.T
    part = rng.permutation(np.repeat(np.arange(4), 3))
    out = engine.complete_link.farthest(D[np.triu_indices(12, 1)], part, 4)
    wanted = [[0 if a == b else D[np.ix_(part == a, part == b)].max() for b in range(4)] for a in range(4)]
    np.testing.assert_array_equal(out, wanted)


# ------------------------------------------------------------------ with scikit-learn


def test_scikit_learn__pipeline_and_metadata_routing(frame):
    pairs = ([("a", "f")], [("c", "a")])
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, ConstrainedCompleteLink()).fit(frame, constrainedcompletelink__pairs=pairs)
    labels = pipeline[-1].labels_
    assert labels[0] == labels[5] != labels[2]
    assert np.array_equal(pipeline.predict(frame), pipeline[-1].predict(pipeline[0].transform(frame)))
    known = labels_oracle(dict(zip(NAMES, labels.tolist(), strict=True)))
    with sklearn.config_context(enable_metadata_routing=True):
        model = ConstrainedCompleteLink(n_queries=2).set_fit_request(pairs=True, oracle=True)
        routed = make_pipeline(scaler, model).fit(frame, pairs=pairs, oracle=known)
    assert routed[-1].queries_
    assert np.array_equal(routed[-1].labels_, labels)


def test_scikit_learn__grid_search_over_the_number_of_questions():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, index=[f"flower {i}" for i in range(150)])
    pairs = PairwiseConstraints([(0, 1), (60, 70)], [(0, 60), (60, 120)], frame.index)
    search = GridSearchCV(
        ConstrainedCompleteLink(3, missing_samples="ignore", on_infeasible="violate"),
        {"n_queries": [0, 40]},
        scoring="adjusted_rand_score",
        cv=KFold(3, shuffle=True, random_state=0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        search.fit(frame, y, pairs=pairs, oracle=labels_oracle(pd.Series(y, index=frame.index)))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert len(search.best_estimator_.queries_) <= search.best_params_["n_queries"]


def test_errors__say_what_was_given(X):
    with pytest.raises(ValueError, match=re.escape("'on_infeasible' parameter of ConstrainedCompleteLink")):
        ConstrainedCompleteLink(on_infeasible="ignore").fit(X)


def test_answers__are_kept_by_every_cut():
    rng = np.random.default_rng(0)
    fewer = 0
    for _ in range(400):
        n = int(rng.integers(3, 9))
        X, y = rng.integers(0, 8, (n, 1)).astype(float), rng.integers(0, 3, n)
        k = int(rng.integers(1, n + 1)) if rng.random() < 0.8 else None
        threshold = float(rng.integers(0, 8)) if k is None else None
        model = ConstrainedCompleteLink(
            k, n_queries=int(rng.integers(1, 8)), distance_threshold=threshold, on_infeasible="more"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(X, oracle=labels_oracle(y))
        a, b = model.pairs_.must_link.T
        c, d = model.pairs_.cannot_link.T
        assert (model.labels_[a] == model.labels_[b]).all()
        assert (model.labels_[c] != model.labels_[d]).all()
        if k is not None:
            assert model.n_clusters_ == min(max(k, model.fewest_clusters_), model.most_clusters_)
            fewer += model.n_clusters_ < k
    assert fewer > 20


def test_answers__that_leave_fewer_clusters_than_wanted_are_said():
    X, oracle = [[3.0], [4.0], [6.0]], labels_oracle([1, 0, 1])
    model = ConstrainedCompleteLink(2, n_queries=1, on_infeasible="more")
    with pytest.warns(UserWarning, match="n_clusters=2, but the answers leave no cut into more than 1 clusters"):
        model.fit(X, oracle=oracle)
    assert model.queries_ == [(0, 2, True)]
    assert model.labels_.tolist() == [0, 0, 0]
    assert (model.fewest_clusters_, model.most_clusters_) == (1, 1)
    # else the merges are made anew, with the answer from the start
    model.set_params(on_infeasible="avoid").fit(X, oracle=oracle)
    assert (model.queries_, model.labels_.tolist()) == ([(0, 2, True)], [0, 1, 0])


def test_answers__that_leave_fewer_groups_than_clusters():
    with pytest.warns(UserWarning, match="n_clusters=3, but the answers leave no cut into more than 1"):
        model = ConstrainedCompleteLink(3, n_queries=9).fit([[3.0], [4.0], [6.0]], oracle=lambda a, b: True)
    assert (model.n_clusters_, len(model.queries_)) == (1, 2)


def test_answers__that_n_clusters_cannot_keep_are_not_lost(rng):
    X = rng.normal(size=(6, 1))
    model = ConstrainedCompleteLink(2, n_queries=15, on_infeasible="raise")
    with pytest.raises(InfeasibleClusteringError, match="6 clusters") as caught:
        model.fit(X, pairs=([], [(0, 1)]), oracle=lambda a, b: False)
    error = caught.value
    assert len(error.queries) == 14
    assert len(error.pairs.cannot_link) == 15
    assert "14 questions have been answered" in error.__notes__[0]
    again = model.set_params(n_clusters=6, n_queries=0).fit(X, pairs=error.pairs, oracle=lambda a, b: None)
    assert again.n_clusters_ == 6
    # the same where it is seen from the start that the answers are too many for two clusters
    model = ConstrainedCompleteLink(2, n_queries=15)
    with pytest.raises(InfeasibleClusteringError, match="are too few for the cannot-links") as caught:
        model.fit(X, pairs=([], [(0, 1)]), oracle=lambda a, b: False)
    assert (len(caught.value.queries), len(caught.value.clique), caught.value.proved) == (14, 3, True)


@pytest.mark.parametrize("reason", [KeyboardInterrupt, EOFError, UnknownLeafError(["x"], ["y"])])
def test_answers__are_kept_when_the_oracle_ends_the_fit(rng, reason):
    X, y = _blobs(rng)
    known, said = labels_oracle(y), []

    def tiring(a, b):
        if len(said) == 5:
            raise reason
        said.append((a, b, known(a, b)))
        return said[-1][2]

    given = PairwiseConstraints([(0, 9)], [(0, 29)], 30)
    model = ConstrainedCompleteLink(3, n_queries=12)
    with pytest.raises(BaseException) as caught:  # noqa: PT011 (an interrupt is no Exception)
        model.fit(X, pairs=given, oracle=tiring)
    error = caught.value
    assert type(error).__name__ in str(reason) + type(reason).__name__
    assert vars(model) == vars(ConstrainedCompleteLink(3, n_queries=12))
    assert error.queries == said
    assert error.pairs == given | PairwiseConstraints(
        [q[:2] for q in said if q[2]], [q[:2] for q in said if not q[2]], 30
    )
    model.set_params(n_queries=7).fit(X, pairs=error.pairs, oracle=known)
    assert not {frozenset(q[:2]) for q in said} & {frozenset(q[:2]) for q in model.queries_}
    assert len(model.pairs_) == 2 + 5 + len(model.queries_)


def test_answers__are_kept_when_the_fit_is_interrupted_later(X, monkeypatch):
    monkeypatch.setattr("tripletree.cluster.agglomerative.complete_link.from_linkage", _interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        ConstrainedCompleteLink(n_queries=3).fit(X, oracle=labels_oracle(range(8)))
    assert len(caught.value.queries) == 3
    with pytest.raises(KeyboardInterrupt) as caught:
        ConstrainedCompleteLink().fit(X)
    assert not hasattr(caught.value, "queries")


def test_queries__what_nobody_knows_is_not_asked_twice(rng):
    X = rng.normal(size=(40, 2))
    plain = ConstrainedCompleteLink().fit(X)
    for budget in (4, 11, 30, 200):
        model = ConstrainedCompleteLink(n_queries=budget).fit(X, oracle=lambda a, b: None)
        assert len({q[:2] for q in model.queries_}) == len(model.queries_) == min(budget, 39)
        assert np.array_equal(model.linkage_, plain.linkage_)
