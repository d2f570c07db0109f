import pickle
import re
from dataclasses import dataclass

import numpy as np
import pytest
import tqdm.auto
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import rand_score
from sklearn.utils.validation import check_is_fitted

from tripletree.cluster import COPKMeans
from tripletree.cluster.kmeans.geometry import CentreGeometry, SegmentCentres
from tripletree.core.pairs import PairwiseConstraints
from tripletree.datasets import make_lanes
from tripletree.errors import (
    ClusterCountError,
    InconsistentPairsError,
    InfeasibleClusteringError,
    TripletreeError,
    UnknownLeafError,
)

LINE = [[0.0], [1.0], [5.0], [6.0]]
NAMES = list("abcdefgh")
RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]


@dataclass(frozen=True)
class PointCentres:
    """Means and Euclidean distances as a geometry, by their definitions."""

    def fit_centre(self, points, weights):
        return np.average(points, axis=0, weights=weights)

    def squared_distances(self, points, centre):
        return ((points - centre) ** 2).sum(axis=1)


# ------------------------------------------------------------------ results


def test_results__by_hand():
    # 0 and 2 move as one, at 2.5 with weight 2; 1 must be elsewhere, and the mean of the rest is nearer to them
    model = COPKMeans(2, init=[[1.0], [6.0]]).fit(LINE, pairs=([(0, 2)], [(0, 1)]))
    assert model.labels_.tolist() == [1, 0, 1, 1]
    assert model.cluster_centers_.tolist() == [[1.0], [11 / 3]]
    assert model.inertia_ == pytest.approx((11 / 3) ** 2 + (4 / 3) ** 2 + (7 / 3) ** 2)
    assert (model.n_clusters_, model.n_features_in_, model.n_dead_ends_) == (2, 1, 0)
    assert model.n_iter_ == 2
    mean = ((11 / 3) + (4 / 3) + (7 / 3)) / 4
    assert model.criterion_ == {2: pytest.approx(4 * mean)}


def test_results__x_is_left_as_it_was(X):
    before = X.copy()
    X.setflags(write=False)
    start = X[:2].copy()
    COPKMeans(2, init=start).fit(X, pairs=([(0, 1)], [])).predict(X)
    assert np.array_equal(X, before)
    assert np.array_equal(start, X[:2])


def test_results__no_pairs_in_any_form(X):
    plain = COPKMeans(3, random_state=1).fit(X)
    for none in (None, ([], []), PairwiseConstraints([], [], 8), PairwiseConstraints([], [], 0)):
        assert COPKMeans(3, random_state=1).fit(X, pairs=none).labels_.tolist() == plain.labels_.tolist()


def test_results__predict_transform_score(X):
    model = COPKMeans(2, random_state=0).fit(X, pairs=([(0, 1)], [(0, 2)]))
    distances = np.sqrt(((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2))
    np.testing.assert_allclose(model.transform(X), distances)
    assert model.predict(X).tolist() == distances.argmin(axis=1).tolist()
    assert model.score(X) == pytest.approx(-(distances.min(axis=1) ** 2).sum())
    weights = np.arange(8.0)
    assert model.score(X, sample_weight=weights) == pytest.approx(-(weights @ distances.min(axis=1) ** 2))
    assert model.get_feature_names_out().tolist() == ["copkmeans0", "copkmeans1"]


def test_results__one_sample_and_one_cluster():
    assert COPKMeans(1).fit([[3.0, 4.0]]).labels_.tolist() == [0]
    model = COPKMeans(1).fit(LINE, pairs=([(0, 3)], []))
    assert (model.labels_.tolist(), model.cluster_centers_.tolist()) == ([0] * 4, [[3.0]])


def test_results__no_cluster_is_empty():
    # five times the same point, and a start that no sample is near to
    assert sorted(COPKMeans(3, random_state=0).fit_predict([[1.0, 1.0]] * 5).tolist())[::2] == [0, 0, 2]
    model = COPKMeans(3, init=[[0.0], [100.0], [200.0]]).fit(LINE)
    assert sorted(set(model.labels_.tolist())) == [0, 1, 2]
    assert model.inertia_ == pytest.approx(0.5)


def test_results__a_long_chain_of_must_links(rng):
    n = 5000
    chain = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    X = rng.normal(size=(n + 2, 2))
    model = COPKMeans(2, random_state=0).fit(X, pairs=(chain, [(0, n)]))
    assert len(set(model.labels_[:n].tolist())) == 1
    assert model.labels_[n] != model.labels_[0]


# ------------------------------------------------------------------ infeasible, or not found


def test_infeasible__a_clique_is_named(frame):
    pairs = PairwiseConstraints.from_labels([("b", "h")], [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e")])
    with pytest.raises(InfeasibleClusteringError) as caught:
        COPKMeans(2).fit(frame, pairs=pairs)
    error = caught.value
    assert error.clique == error.samples == ["a", "b", "c"]
    assert (error.sample, error.proved, error.n_clusters) == ("a", True, 2)
    assert str(error) == (
        "2 clusters are too few: 3 samples are all kept apart from each other (each with those that must-links tie to "
        "it): a, b, c"
    )
    assert isinstance(error, RuntimeError)
    assert isinstance(error, TripletreeError)
    assert pickle.loads(pickle.dumps(error)).clique == ["a", "b", "c"]
    COPKMeans(3).fit(frame, pairs=pairs)


def test_infeasible__a_clique_in_a_crowd(rng):
    # 12 of 400 samples are all kept apart, in the midst of others
    clique = rng.choice(400, 12, replace=False)
    cannot = [(int(a), int(b)) for i, a in enumerate(clique) for b in clique[:i]]
    others = rng.integers(0, 400, (3000, 2))
    cannot = np.concatenate([cannot, others[others[:, 0] != others[:, 1]]])
    with pytest.raises(InfeasibleClusteringError) as caught:
        COPKMeans(11).fit(rng.normal(size=(400, 2)), pairs=([], cannot))
    assert len(caught.value.clique) == 12


def test_infeasible__one_cluster_and_one_cannot_link():
    with pytest.raises(InfeasibleClusteringError, match="1 clusters are too few") as caught:
        COPKMeans(1).fit(LINE, pairs=([], [(3, 1)]))
    assert caught.value.clique == [1, 3]


def test_infeasible__without_a_clique(X):
    cannot = [*RING, (5, 6), (6, 7)]
    with pytest.raises(InfeasibleClusteringError, match="a search through all assignments showed: 0, 1, 2, 3, 4") as e:
        COPKMeans(2).fit(X, pairs=([], cannot))
    assert (e.value.clique, e.value.samples, e.value.sample, e.value.proved) == ([], [0, 1, 2, 3, 4], 0, True)
    COPKMeans(3).fit(X, pairs=([], cannot))


def test_infeasible__given_up_is_said():
    # a graph with a hidden assignment to four clusters, where that is hardest to find
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 300)
    rows = rng.integers(0, 300, (2500, 2))
    rows = rows[y[rows[:, 0]] != y[rows[:, 1]]][:1400]
    with pytest.raises(InfeasibleClusteringError, match="max_steps=20 steps, and none was proved impossible") as e:
        COPKMeans(4, max_steps=20, random_state=0).fit(rng.normal(size=(300, 2)), pairs=([], rows))
    assert not e.value.proved
    assert e.value.clique == []
    assert len(e.value.samples) > 200


def test_infeasible__must_links_leave_too_few_groups():
    with pytest.raises(InfeasibleClusteringError, match="3 clusters are too many: the must-links leave only 2") as e:
        COPKMeans(3).fit(LINE, pairs=([(0, 1), (1, 2)], []))
    assert (e.value.proved, e.value.sample, e.value.clique) == (True, None, [])


def test_infeasible__a_contradiction_is_another_error(frame):
    with pytest.raises(InconsistentPairsError) as caught:
        COPKMeans(2).fit(frame, pairs=([("a", "b"), ("b", "c")], [("c", "a")]))
    assert sorted(caught.value.cannot_link) == ["a", "c"]


def test_infeasible__leaves_the_estimator_as_it_was(X):
    model = COPKMeans(2, random_state=0).fit(X)
    before = dict(vars(model))
    with pytest.raises(InfeasibleClusteringError):
        model.fit(X[:, :2], pairs=([], [(0, 1), (1, 2), (0, 2)]))
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


def test_dead_ends__of_the_greedy_order_are_left_behind():
    # 0 and 1 take the two clusters that 2, kept apart from both, has
    X, start = [[0.0], [10.0], [5.0]], [[0.0], [10.0]]
    pairs = [], [(0, 2), (1, 2)]
    greedy = COPKMeans(2, init=start, assignment="input").fit(X, pairs=pairs)
    assert greedy.n_dead_ends_ == 1
    for model in (greedy, COPKMeans(2, init=start).fit(X, pairs=pairs)):
        assert model.labels_[0] == model.labels_[1] != model.labels_[2]


@pytest.mark.parametrize("seed", range(4))
def test_random_pairs__iris(seed):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(150, 1)
    pick = rng.choice(first.size, 200, replace=False)
    a, b = first[pick], second[pick]
    same = y[a] == y[b]
    pairs = np.stack([a, b], axis=1)[same], np.stack([a, b], axis=1)[~same]
    labels = COPKMeans(3, n_init=3, random_state=seed).fit_predict(X, pairs=pairs)
    assert ((labels[a] == labels[b]) == same).all()
    assert rand_score(y, labels) > 0.95


# ------------------------------------------------------------------ how many clusters


def test_clusters__number_by_mean_distance_times_k_squared(rng):
    X = rng.normal(size=(90, 2)) * 0.1 + np.repeat([[0, 0], [50, 0], [0, 50]], 30, axis=0)
    model = COPKMeans(range(1, 6), random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert list(model.criterion_) == [1, 2, 3, 4, 5]
    three = COPKMeans(3, random_state=0).fit(X)
    mean = np.sqrt(((X - three.cluster_centers_[three.labels_]) ** 2).sum(axis=1)).mean()
    assert model.criterion_[3] == pytest.approx(9 * mean)
    assert min(model.criterion_, key=model.criterion_.get) == 3


def test_clusters__numbers_that_do_not_fit_are_left_out():
    pairs = [(0, 1)], [(0, 2), (2, 3), (0, 3)]
    model = COPKMeans([5, 4, 1, 3, 3, 2], random_state=0).fit([*LINE, [7.0]], pairs=pairs)
    assert [k for k, value in model.criterion_.items() if value < np.inf] == [3, 4]
    assert model.n_clusters_ in (3, 4)
    with pytest.raises(InfeasibleClusteringError, match="2 clusters are too few") as caught:
        COPKMeans([1, 2]).fit(LINE, pairs=pairs)
    assert caught.value.n_clusters == 2


def test_clusters__are_not_more_than_samples():
    with pytest.raises(ClusterCountError, match="n_clusters=5 but n_samples=4") as caught:
        COPKMeans(5).fit(LINE)
    assert caught.value.nearest == (4,)
    assert sorted(COPKMeans(4).fit_predict(LINE).tolist()) == [0, 1, 2, 3]


# ------------------------------------------------------------------ lanes


def test_lanes__are_found_with_pairs_and_not_without():
    right = []
    for seed in range(4):
        lanes = make_lanes(3, 20, random_state=seed)
        model = COPKMeans(range(1, 7), geometry="segment", n_init=5, random_state=0)
        right.append(rand_score(lanes.y, model.fit_predict(lanes.X, pairs=lanes.pairs)))
        assert model.cluster_centers_.shape == (model.n_clusters_, 3)
        assert rand_score(lanes.y, clone(model).fit_predict(lanes.X)) < 0.7
    assert np.mean(right) > 0.95


def test_geometry__segments():
    points = np.array([[0.0, 1.0], [70.0, 2.0], [30.0, 6.0]])
    segment = SegmentCentres().fit_centre(points, np.array([1.0, 1.0, 2.0]))
    assert segment.tolist() == [15 / 4, 0.0, 70.0]
    other = SegmentCentres(axis=1)
    assert other.fit_centre(points, np.ones(3)).tolist() == [100 / 3, 1.0, 6.0]
    assert other.squared_distances(points, np.array([10.0, 0.0, 1.0])).tolist() == [100, 3600, 400]
    assert isinstance(other, CentreGeometry)
    with pytest.raises(ValueError, match="a segment needs a feature along it and at least one across; n_features=1"):
        COPKMeans(2, geometry="segment").fit(LINE)


def test_geometry__of_ones_own_is_that_of_points(rng):
    X = rng.normal(size=(40, 3))
    pairs = [(0, 1), (1, 2), (5, 6)], [(0, 5), (7, 8), (8, 9), (7, 9)]
    weights = rng.integers(0, 3, 40)
    for order in ("exact", "input"):
        given = {"init": X[:4], "assignment": order}
        one = COPKMeans(4, **given).fit(X, pairs=pairs, sample_weight=weights)
        two = COPKMeans(4, **given, geometry=PointCentres()).fit(X, pairs=pairs, sample_weight=weights)
        assert one.labels_.tolist() == two.labels_.tolist()
        assert one.inertia_ == pytest.approx(two.inertia_)
        np.testing.assert_allclose(one.transform(X), two.transform(X))
        assert one.predict(X).tolist() == two.predict(X).tolist()
        assert one.score(X) == pytest.approx(two.score(X))


def test_geometry__draws_its_own_starts(rng):
    X = np.concatenate([rng.normal(size=(20, 2)) + at for at in (0, 100, 200)])
    for init in ("k-means++", "random"):
        model = COPKMeans(3, init=init, geometry=PointCentres(), n_init=10, random_state=0).fit(X)
        assert model.labels_[[0, 20, 40]].tolist() == model.labels_[[19, 39, 59]].tolist()
        assert len(set(model.labels_.tolist())) == 3


class Broken(PointCentres):
    """Means, of which one function returns something else."""

    def __init__(self, name, answer):
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "answer", answer)

    def fit_centre(self, points, weights):
        good = super().fit_centre(points, weights)
        return self.answer(good, len(points)) if self.name == "fit_centre" else good

    def squared_distances(self, points, centre):
        good = super().squared_distances(points, centre)
        return self.answer(good, len(points)) if self.name == "squared_distances" else good


@pytest.mark.parametrize("init", ["k-means++", "random", LINE[:2]])
@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("fit_centre", lambda *_: None, "fit_centre must return an array of real numbers; it returned None"),
        ("fit_centre", lambda *_: "mean", "must return an array of real numbers; it returned str 'mean'"),
        ("fit_centre", lambda x, _: x + 1j, "must return an array of real numbers; it returned an array of complex128"),
        ("fit_centre", lambda *_: [[1], [2, 3]], "must return an array of real numbers; it returned list"),
        ("fit_centre", lambda *_: 1.0, "returned an array of shape () for points of shape (1, 1); expected shape (p,)"),
        ("fit_centre", lambda x, _: x[None], "returned an array of shape (1, 1) for points of shape (1, 1); expected"),
        ("fit_centre", lambda x, _: x[:0], "returned an array of shape (0,) for points of shape (1, 1); expected"),
        ("fit_centre", lambda x, n: np.repeat(x, n), "expected shape (1,), as for the centres before"),
        (
            "fit_centre",
            lambda x, _: x * np.nan,
            "returned nan (place 0 of 1) for points of shape (1, 1); expected finite",
        ),
        ("squared_distances", lambda *_: None, "squared_distances must return an array of real numbers; it returned"),
        ("squared_distances", lambda x, _: [*x, 0], "shape (5,) for points of shape (4, 1); expected shape (4,)"),
        ("squared_distances", lambda x, _: x[:, None], "shape (4, 1) for points of shape (4, 1); expected shape (4,)"),
        ("squared_distances", lambda *_: 0.0, "shape () for points of shape (4, 1); expected shape (4,)"),
        ("squared_distances", lambda x, _: x + np.inf, "returned inf (place 0 of 4) for points of shape (4, 1)"),
        ("squared_distances", lambda x, _: x * np.nan, "returned nan (place 0 of 4) for points of shape (4, 1)"),
        ("squared_distances", lambda x, _: x - 1, "returned -1 (place"),
    ],
)
def test_geometry__that_returns_something_else_is_named(name, answer, message, init):
    model = COPKMeans(2, geometry=Broken(name, answer), init=init, random_state=0)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        model.fit(LINE)
    assert f"geometry: Broken.{name} " in str(caught.value)
    assert not hasattr(model, "labels_")


def test_geometry__of_lists_and_of_rounded_zeros():
    for name, answer in (("fit_centre", lambda x, _: x.tolist()), ("squared_distances", lambda x, _: x - 1e-14)):
        model = COPKMeans(2, geometry=Broken(name, answer), random_state=0).fit(LINE)
        assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
        assert model.transform(LINE).min() >= 0


def test_geometry__cannot_change_the_samples():
    def spoil(_, n):
        raise AssertionError(n)

    class Spoiling(PointCentres):
        def squared_distances(self, points, centre):
            points -= centre
            return (points**2).sum(axis=1)

    X = np.array(LINE)
    with pytest.raises(ValueError, match="read-only"):
        COPKMeans(2, geometry=Spoiling()).fit(X)
    assert X.tolist() == LINE
    with pytest.raises(AssertionError):  # its own errors come through
        COPKMeans(2, geometry=Broken("fit_centre", spoil)).fit(X)


def test_geometry__a_class_or_an_axis_that_is_none():
    with pytest.raises(TypeError, match=re.escape("not the class PointCentres: give PointCentres()")):
        COPKMeans(2, geometry=PointCentres).fit(LINE)
    for axis in (2, -3, "x", 0.5):
        message = f"axis must be the number of a feature, 0 to 1; got axis={axis!r}"
        with pytest.raises(ValueError, match=re.escape(message)):
            COPKMeans(2, geometry=SegmentCentres(axis)).fit(np.ones((3, 2)))


# ------------------------------------------------------------------ parameters


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_clusters": 0}, "'n_clusters' parameter of COPKMeans must be"),
        ({"n_clusters": []}, "n_clusters must be an int >= 1 or a sequence of them, not []"),
        ({"n_clusters": [2, 0]}, "n_clusters must be an int >= 1 or a sequence of them, not [2, 0]"),
        ({"n_clusters": [2.5]}, "n_clusters must be an int >= 1 or a sequence of them, not [2.5]"),
        ({"init": "furthest"}, "'init' parameter of COPKMeans must be"),
        ({"n_clusters": 2, "init": [[0.0], [1.0], [2.0]]}, "init must hold 2 centres of 1 features; got shape (3, 1)"),
        ({"n_clusters": 2, "init": [[0.0], [np.nan]]}, "init contains NaN"),
        ({"n_init": 0}, "'n_init' parameter of COPKMeans must be"),
        ({"assignment": "best"}, "'assignment' parameter of COPKMeans must be"),
        ({"geometry": "circle"}, "'geometry' parameter of COPKMeans must be"),
        ({"geometry": object()}, "'geometry' parameter of COPKMeans must be"),
        ({"tol": -1.0}, "'tol' parameter of COPKMeans must be"),
        ({"max_steps": 0}, "'max_steps' parameter of COPKMeans must be"),
    ],
)
def test_parameters__that_are_wrong_are_told(wrong, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        COPKMeans(**wrong).fit(LINE)


def test_weights__that_are_wrong_are_told():
    for wrong, message in (
        ([1, 1, -1, 1], "sample_weight must not be negative; that of sample 2 is -1"),
        ([0, 0, 0, 0], "ample"),  # scikit-learn's words, or ours
        ([1, 1], "sample_weight must have one entry for each of the 4 samples; got shape (2,)"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            COPKMeans().fit(LINE, sample_weight=wrong)


@pytest.mark.parametrize("geometry", ["point", PointCentres()])
@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e155, 1e308])
def test_weights__of_any_size(scale, geometry):
    X, pairs = [[0.0], [1.0], [5.0], [6.0], [9.0]], ([(0, 1)], [(1, 2), (2, 4), (1, 4)])
    model = COPKMeans(3, geometry=geometry, random_state=0)
    labels = model.fit(X, pairs=pairs).labels_.tolist()
    inertia = model.inertia_
    model.fit(X, pairs=pairs, sample_weight=[scale] * 5)
    assert model.labels_.tolist() == labels
    assert model.inertia_ == pytest.approx(inertia * scale)
    assert model.score(X, sample_weight=[scale] * 5) <= 0
    mixed = model.fit(X, pairs=pairs, sample_weight=[scale, 0, 1, 5e-324, 1])
    assert len(set(mixed.labels_[[1, 2, 4]].tolist())) == 3
    assert np.isfinite(mixed.cluster_centers_).all()


def test_weights__with_which_no_float_holds_the_inertia():
    model = COPKMeans(2, random_state=0).fit(LINE, sample_weight=[1e308] * 4, pairs=([(0, 2)], []))
    assert model.inertia_ == np.inf
    assert np.isfinite(model.cluster_centers_).all()


def test_predict__too_far_away_is_told():
    model = COPKMeans(2, random_state=0).fit(LINE)
    for method in (model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match="sample 1 is too far from the centres for float64 arithmetic: scale X"):
            method([[0.0], [1e200]])
    for geometry in ("point", PointCentres()):
        message = "the centre init holds at place 1 is too far from X for float64 arithmetic"
        with pytest.raises(ValueError, match=message):
            COPKMeans(2, init=[[0.0], [1e200]], geometry=geometry).fit(LINE)


def test_dense__cliques_of_all_clusters(rng):
    # three cliques of 12 samples, 12 clusters: each is a linear assignment problem
    X = rng.normal(size=(60, 2))
    cannot = [(at + i, at + j) for at in (0, 12, 24) for i in range(12) for j in range(i)]
    model = COPKMeans(12, n_init=2, random_state=0).fit(X, pairs=([], cannot))
    for at in (0, 12, 24):
        assert sorted(model.labels_[at : at + 12].tolist()) == list(range(12))
    assert model.n_cut_short_ == 0


def test_dense__a_search_cut_short_is_counted(rng):
    # no cliques: 4 sets of 5 samples, each kept apart from the samples of the other sets
    cannot = [(i, j) for i in range(20) for j in range(i) if i // 5 != j // 5]
    X = rng.normal(size=(40, 2))
    short = COPKMeans(8, max_steps=10, n_init=1, random_state=0).fit(X, pairs=([], cannot))
    assert 0 < short.n_cut_short_ <= short.n_iter_ + 1
    assert all(short.labels_[i] != short.labels_[j] for i, j in cannot)
    assert COPKMeans(8, n_init=1, random_state=0).fit(X).n_cut_short_ == 0


def test_pairs__given_as_y_are_refused():
    with pytest.raises(TypeError, match=r"give them by name, fit\(X, pairs=...\)"):
        COPKMeans().fit(LINE, PairwiseConstraints([(0, 1)], [], 4))


def test_starts__how_many():
    counts = []

    class Counting(PointCentres):
        def fit_centre(self, points, weights):
            counts.append(len(points))
            return super().fit_centre(points, weights)

    for init, n_init, wanted in (("k-means++", "auto", 1), ("random", "auto", 10), ("random", 3, 3), ([[0.0]], 5, 1)):
        counts.clear()
        COPKMeans(1, init=init, n_init=n_init, geometry=Counting(), random_state=0).fit(LINE)
        assert counts.count(4) == 2 * wanted  # a run takes two iterations: the second one changes nothing


def test_max_iter__warns_when_it_stops_a_run(rng):
    X = rng.normal(size=(200, 2))
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations, before it converged"):
        model = COPKMeans(5, max_iter=1, n_init=1, random_state=0).fit(X)
    assert model.n_iter_ == 1
    assert COPKMeans(5, max_iter=1, n_init=1, tol=1e9, random_state=0).fit(X).n_iter_ == 1


def test_verbose__shows_a_bar_only_when_asked(X, capsys):
    COPKMeans().fit(X)
    assert capsys.readouterr() == ("", "")
    COPKMeans([2, 3], n_init=4, verbose=True).fit(X)
    assert "8/8" in capsys.readouterr().err


def test_fit__that_is_interrupted_changes_nothing(X, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    model = COPKMeans(verbose=True)
    monkeypatch.setattr(tqdm.auto.tqdm, "update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    assert len(tqdm.auto.tqdm._instances) == 0


# ------------------------------------------------------------------ with scikit-learn


def test_scikit_learn__labels_of_a_data_frame(frame):
    pairs = [("a", "f")], [("a", "b"), ("f", "c")]
    model = COPKMeans(2, random_state=0).fit(frame, pairs=pairs)
    label = dict(zip(NAMES, model.labels_.tolist(), strict=True))
    assert label["a"] == label["f"] != label["b"] == label["c"]
    assert model.feature_names_in_.tolist() == ["x", "y", "z"]
    with pytest.raises(UnknownLeafError):
        COPKMeans(2).fit(frame, pairs=([("a", "q")], []))
    model = COPKMeans(2, missing_samples="ignore", random_state=0).fit(frame, pairs=([("a", "q")], [("a", "b")]))
    assert model.labels_[0] != model.labels_[1]


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_cop_kmeans__refuses_what_float64_cannot_square(scale):
    X = np.array([[0.0], [1], [5], [6], [7]]) * scale
    with pytest.raises(ValueError, match="scale X"):
        COPKMeans(2).fit(X, pairs=([(0, 1)], [(2, 3)]))


@pytest.mark.parametrize(
    ("options", "sparse", "error", "match"),
    [
        ({"assignment": "incremental", "geometry": "segment"}, False, ValueError, "which geometry='segment' has not"),
        ({"assignment": "incremental"}, True, TypeError, "assignment='incremental' needs dense X"),
        ({"init": "pairs", "geometry": "segment"}, False, ValueError, "init='pairs' starts from means"),
        ({"min_size": 2, "assignment": "input"}, False, ValueError, "min_size=2 needs assignment='exact', not 'input'"),
        ({"max_size": 3, "assignment": "listing"}, False, ValueError, "max_size=3 needs assignment='exact', not 'list"),
        ({"max_size": 2, "min_size": 3}, False, ValueError, "min_size=3 is more than max_size=2"),
        ({"min_size": 1.5}, False, ValueError, "min_size=1.5 is not a number of samples; size_in='weights' takes sums"),
        (
            {"fixed_centers": [[0.0, 1.0]], "geometry": "segment"},
            False,
            ValueError,
            "go with geometry='segment': set 'po",
        ),
        ({"fixed_centers": [[0.0, 1.0]], "init": "pairs"}, False, ValueError, "do not go with init='pairs': set 'k-me"),
        ({"fixed_centers": [[0.0]]}, False, ValueError, "fixed_centers must hold centres of 2 features; got shape"),
        ({"fixed_centers": np.ones((3, 2))}, False, ClusterCountError, "2 clusters are fewer than the 3 fixed_centers"),
        ({"on_dead_end": "violate"}, False, ValueError, "on_dead_end='violate' is for assignment='listing' or 'incre"),
    ],
)
def test_parameters__that_do_not_go_together(options, sparse, error, match):
    from scipy.sparse import csr_array

    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(error, match=match):
        COPKMeans(2, **options).fit(csr_array(X) if sparse else X)


def test_min_size__more_samples_than_there_are_is_an_error():
    with pytest.raises(InfeasibleClusteringError, match="4 samples are too few for 2 clusters of at least 3") as error:
        COPKMeans(2, min_size=3).fit([[0.0], [1.0], [5.0], [6.0]])
    assert (error.value.proved, error.value.n_clusters) == (True, 2)


def test_max_size__more_samples_than_places_is_an_error():
    X = [[0.0], [1.0], [5.0], [6.0], [7.0]]
    with pytest.raises(InfeasibleClusteringError, match="5 samples are too many for 2 clusters of at most 2") as error:
        COPKMeans(2, max_size=2).fit(X)
    assert (error.value.proved, error.value.n_clusters) == (True, 2)
    message = "no assignment to 2 clusters of at least 2 and at most 3 samples keeps all pairs"
    with pytest.raises(InfeasibleClusteringError, match=message) as error:
        COPKMeans(2, min_size=2, max_size=3).fit(X, pairs=([(0, 1), (1, 2), (2, 3)], []))
    assert error.value.proved


def test_sizes__weights_that_do_not_fit():
    X, weights = [[0.0], [1.0], [5.0]], [1.0, 2.0, 4.0]
    for options, message in (
        ({"min_size": 4}, "samples of weight 7 are too few for 2 clusters of at least 4 weight"),
        ({"max_size": 3.4}, "samples of weight 7 are too many for 2 clusters of at most 3.4 weight"),
        ({"max_size": 3.9}, "no assignment to 2 clusters of at most 3.9 weight exists"),
    ):
        with pytest.raises(InfeasibleClusteringError, match=message) as error:
            COPKMeans(2, size_in="weights", **options).fit(X, sample_weight=weights)
        assert error.value.proved
    fits = COPKMeans(2, size_in="weights", max_size=4, random_state=0).fit(X, sample_weight=weights).labels_
    assert fits[0] == fits[1] != fits[2]


@pytest.mark.parametrize("weights", [None, [1.0, 1, 9, 1, 2, 1]])
@pytest.mark.parametrize("sparse", [False, True])
def test_max_size__a_near_sample_goes_elsewhere(sparse, weights):
    from scipy.sparse import csr_array

    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [100.0]])
    for options, sizes in (
        ({"max_size": 3}, [3, 3]),
        ({"max_size": 4}, [2, 4]),
        ({"min_size": 3, "max_size": 5}, [3, 3]),
        ({"max_size": 6}, [1, 5]),
    ):
        model = COPKMeans(2, random_state=0, **options)
        model.fit(csr_array(X) if sparse else X, sample_weight=weights)
        assert sorted(np.bincount(model.labels_).tolist()) == sizes  # whatever the samples weigh
        assert np.all(np.diff(model.labels_ != model.labels_[0]) >= 0)  # runs along the line


def test_min_size__a_far_cluster_takes_samples():
    X = [[0.0], [1.0], [2.0], [3.0], [100.0]]
    assert sorted(np.bincount(COPKMeans(2, random_state=0).fit(X).labels_)) == [1, 4]
    model = COPKMeans(2, min_size=2, random_state=0).fit(X)
    assert model.labels_[3] == model.labels_[4] != model.labels_[2]
    assert COPKMeans([2, 3], min_size=2, random_state=0).fit(X).criterion_[3] == np.inf


@pytest.mark.parametrize("sparse", [False, True])
def test_init__from_pairs_takes_the_means_of_large_groups_far_apart(sparse):
    from scipy.sparse import csr_array

    X = np.array([[0.0, 1], [1, 1], [2, 1], [9, 1], [10, 1], [30, 1], [32, 1], [50, 1]])
    pairs = ([(0, 1), (1, 2), (3, 4), (5, 6)], [])
    given = csr_array(X) if sparse else X
    # the largest group, then the one with the most weight times squared distance from it: 2 * 30^2
    means = np.array([[1.0, 1], [31, 1]])
    model = COPKMeans(2, init="pairs", n_init=1, max_iter=1, tol=1e9, random_state=0).fit(given, pairs=pairs)
    wanted = COPKMeans(2, init=means, max_iter=1, tol=1e9).fit(given, pairs=pairs)
    np.testing.assert_allclose(model.cluster_centers_, wanted.cluster_centers_)
    # fewer groups than clusters: all of their means, and samples. Without any: k-means++
    for k, some in ((4, pairs), (2, ([], [(0, 1)]))):
        assert np.unique(COPKMeans(k, init="pairs", random_state=0).fit(given, pairs=some).labels_).size == k
