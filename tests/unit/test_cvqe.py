import re
import warnings
from functools import partial

import numpy as np
import pytest
from cvqe_oracle import objective, pair_costs
from examples import blobs
from pck_oracle import random_pairs
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from tripletree.cluster.kmeans.cvqe import CVQE, _random_order, cvqe_plus
from tripletree.cluster.kmeans.soft_pairs import WeightedLinks
from tripletree.core.pairs import PairwiseConstraints

METHODS = {name: partial(CVQE, variant=name.replace("plus", "cvqe+")) for name in ("cvqe", "lcvqe", "plus")}

all_three = pytest.mark.parametrize("Method", METHODS.values(), ids=METHODS)


# ------------------------------------------------------------------ results


def test_results__by_hand():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    start = [[0.0], [6.0]]
    # a must-link between 1 and 5 at these centres: apart 2 + 36, together 25 + 1. For LCVQE apart 2 + (25 + 25) / 2
    for Method in METHODS.values():
        model = Method(2, init=start, random_state=0).fit(X, pairs=([(1, 2)], []))
        assert model.labels_[1] == model.labels_[2]
        assert model.violation_cost_ == 0
    # of little weight it is violated, and pulls: with CVQE+ both centres by 0.2, to 5.5 - 0.5 = 5 / (1 + 2 * 0.1)
    pairs = PairwiseConstraints.from_labels([(1, 2)], [], must_weights=[0.2])
    gap = {}
    for name, Method in METHODS.items():
        model = Method(2, init=start, random_state=0, tol=0.0).fit(X, pairs=pairs)
        assert model.labels_.tolist() == [0, 0, 1, 1]
        assert list(model.violated_pairs_) == [(1, 2, "must")]
        gap[name] = float(np.diff(model.cluster_centers_.ravel())[0])
    assert gap["plus"] == pytest.approx(5 / (1 + 0.2))  # c = 0.5 + 0.1 (gap), both sides
    assert gap["cvqe"] == pytest.approx(5 / (1 + 0.1))  # the first sample's side only
    assert gap["lcvqe"] == pytest.approx((11 + 0.1 * 1) / 2.1 - (1 + 0.1 * 5) / 2.1)


def test_results__cannot_links_by_hand():
    X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])
    start = [[0.5], [5.5], [20.0]]
    for Method in METHODS.values():
        model = Method(3, init=start, random_state=0).fit(X, pairs=([], [(0, 4), (0, 2)]))
        assert model.labels_.tolist() == [0, 0, 1, 1, 2]
        assert (len(model.violated_pairs_), model.violation_costs_.tolist()) == (0, [])
    # 5 and 6 are held together by a must-link too: the cannot-link of little weight is violated
    pairs = PairwiseConstraints([(2, 3)], [(2, 3)], 5, cannot_weights=[0.01], must_weights=[1.0])
    model = CVQE(3, init=start, tol=0.0).fit(X, pairs=pairs)
    assert list(model.violated_pairs_) == [(2, 3, "cannot")]
    # the centre of 5 and 6 is pulled to the nearest one, at 0.5, which stays
    place = (11 + 0.01 * 0.5) / 2.01
    assert model.cluster_centers_.ravel().tolist() == pytest.approx([0.5, place, 20.0])
    assert model.violation_costs_.tolist() == pytest.approx([0.01 * (place - 0.5) ** 2])


@pytest.mark.parametrize("name", METHODS)
def test_results__objective_is_its_definition(name):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 3)) * 5 + 100
        must, cannot = random_pairs(rng, 40, 50)
        weights = rng.integers(1, 4, 40).astype(float)
        pair_weights = rng.uniform(0.1, 1, len(must)), rng.uniform(0.1, 1, len(cannot))
        pairs = PairwiseConstraints(must, cannot, 40, must_weights=pair_weights[0], cannot_weights=pair_weights[1])
        model = METHODS[name](3, random_state=seed, n_init=2).fit(X, pairs=pairs, sample_weight=weights)
        given = X, model.labels_, model.cluster_centers_, must, cannot, *pair_weights
        assert model.objective_ == pytest.approx(objective(name, *given, weights))
        assert model.objective_ == pytest.approx(model.inertia_ + model.violation_cost_)
        costs = [c for c in pair_costs(name, *given) if c > 0]
        assert model.violation_costs_.tolist() == pytest.approx(costs)
        assert len(model.violated_pairs_) == len(costs)
        assert model.violation_cost_ == pytest.approx(sum(costs))


@all_three
def test_plain__is_k_means_from_the_same_centres(Method):
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(100, 4))
        start = X[:5]
        wanted = KMeans(5, init=start, n_init=1, tol=0.0).fit(X)
        model = Method(5, init=start, tol=0.0).fit(X)
        assert model.inertia_ == model.objective_ == pytest.approx(wanted.inertia_)
        assert model.n_iter_ == wanted.n_iter_ - 1  # the first choice of labels is none, as for PCKMeans
        assert np.array_equal(model.labels_, wanted.labels_)
        np.testing.assert_allclose(model.cluster_centers_, wanted.cluster_centers_)
        assert np.array_equal(model.predict(X), model.labels_)
        np.testing.assert_allclose(model.transform(X), wanted.transform(X))


@all_three
def test_units__do_not_matter(Method, rng):
    X, y = blobs(rng, 60, 3, apart=2.0)
    pairs = random_pairs(rng, 60, 40, y)
    model = Method(3, random_state=0).fit(X, pairs=pairs)
    for factor, shift in ((1e-6, 0.0), (1e9, 0.0), (1.0, 1e3)):
        other = Method(3, random_state=0).fit(X * factor + shift, pairs=pairs)
        assert np.array_equal(other.labels_, model.labels_)
        assert other.objective_ == pytest.approx(model.objective_ * factor**2, rel=1e-6)


# ------------------------------------------------------------------ pairs


@all_three
@pytest.mark.parametrize("init", ["k-means++", "pairs"])
def test_pairs__that_agree_with_classes_help(Method, init):
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X, y = blobs(rng, 120, 3, apart=2.0)
        pairs = random_pairs(rng, 120, 120, y)

        def wrong(model, y=y):
            best = sum(np.bincount(y[model.labels_ == g], minlength=3).max() for g in range(3))
            return 120 - best

        plain = KMeans(3, n_init=10, random_state=0).fit(X)
        model = Method(3, init=init, n_init=3, random_state=0).fit(X, pairs=pairs)
        assert wrong(model) < wrong(plain)


@all_three
def test_starts__at_random_are_samples_at_different_places(Method):
    X = np.array([[0.0]] * 97 + [[1.0], [2.0], [3.0]])
    for seed in range(5):
        model = Method(4, init="random", n_init=1, random_state=seed).fit(X)
        assert sorted(model.cluster_centers_.ravel().tolist()) == pytest.approx([0, 1, 2, 3])
    X = np.repeat(100.0 * np.arange(12), 9)[:, None] + np.tile(np.linspace(0, 1, 9), 12)[:, None]
    cost = {
        init: sum(Method(12, init=init, n_init=1, random_state=seed).fit(X).inertia_ for seed in range(4))
        for init in ("k-means++", "random")
    }
    assert cost["random"] > 10 * cost["k-means++"]


def test_pairs__all_of_a_sample_are_considered_by_cvqe_plus_only():
    # the sample at 4 has must-links to three in the other cluster, one of them contradicted by the pair looked at last
    X = np.array([[0.0], [1.0], [9.0], [9.5], [10.0], [4.0]])
    pairs = [(2, 5), (3, 5), (4, 5)], []
    plus = CVQE(2, init=[[0.5], [9.5]], random_state=0).fit(X, pairs=pairs)
    assert plus.labels_.tolist() == [0, 0, 1, 1, 1, 1]
    contradicted = [(2, 5), (3, 5), (4, 5)], [(4, 5)]
    plus = CVQE(2, init=[[0.5], [9.5]], random_state=0).fit(X, pairs=contradicted)
    assert plus.labels_.tolist() == [0, 0, 1, 1, 1, 1]
    alone = CVQE(2, variant="cvqe", init=[[0.5], [9.5]], random_state=0, max_iter=1).fit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert alone(X, pairs=contradicted).labels_.tolist() == [0, 0, 1, 1, 1, 0]  # the cannot-link comes last


def test_pairs__are_looked_at_in_random_order_must_links_first(rng):
    links = WeightedLinks.of(np.array([[0, 1], [1, 2], [2, 3], [4, 5]]), np.array([[5, 6], [6, 7], [7, 8]]), np.ones(7))
    orders = {tuple(_random_order(links, rng).tolist()) for _ in range(30)}
    assert len(orders) > 10
    assert {order[-1] for order in orders} == {4, 5, 6}
    assert all(sorted(order[:4]) == [0, 1, 2, 3] and sorted(order[4:]) == [4, 5, 6] for order in orders)


def test_pairs__weights_decide():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    for Method in METHODS.values():
        for weight, same in ((1.0, True), (0.1, False)):
            pairs = PairwiseConstraints.from_labels([(1, 2)], [], must_weights=[weight])
            label = Method(2, init=[[0.0], [6.0]]).fit(X, pairs=pairs).labels_
            assert (label[1] == label[2]) == same


# ------------------------------------------------------------------ weights


@all_three
def test_weights__are_repeats(Method, rng):
    X = rng.normal(size=(20, 2))
    weights = rng.integers(1, 4, 20)
    pairs = random_pairs(rng, 20, 8)
    repeated = np.concatenate([X, np.repeat(X, weights - 1, axis=0)])
    plain = [Method(3, random_state=0).fit(X, sample_weight=weights), Method(3, random_state=0).fit(repeated)]
    np.testing.assert_allclose(plain[0].cluster_centers_, plain[1].cluster_centers_)
    assert plain[0].objective_ == pytest.approx(plain[1].objective_)
    one = Method(3, random_state=0, init=X[:3]).fit(X, pairs=pairs, sample_weight=np.full(20, 1.0))
    other = Method(3, random_state=0, init=X[:3]).fit(X, pairs=pairs)
    assert np.array_equal(one.labels_, other.labels_)


@all_three
def test_weights__of_zero_leave_a_sample_and_its_pairs_out(Method, rng):
    X, y = blobs(rng, 40, 2, apart=3.0)
    weights = np.ones(40)
    weights[::3] = 0
    must, cannot = random_pairs(rng, 40, 30)
    number = np.cumsum(weights > 0) - 1
    left = [number[rows[(weights[rows] > 0).all(axis=1)]] for rows in (must, cannot)]
    a = Method(2, random_state=0).fit(X, pairs=(must, cannot), sample_weight=weights)
    b = Method(2, random_state=0).fit(X[weights > 0], pairs=tuple(left))
    assert np.array_equal(a.labels_[weights > 0], b.labels_)
    assert a.objective_ == pytest.approx(b.objective_)
    assert np.array_equal(a.labels_[weights == 0], b.predict(X[weights == 0]))
    assert a.violation_costs_.size == len(a.violated_pairs_) > len(b.violated_pairs_)
    assert a.violation_costs_[a.violation_costs_ > 0].tolist() == pytest.approx(b.violation_costs_.tolist())


# ------------------------------------------------------------------ corners


@all_three
def test_corners__one_cluster_one_sample_and_equal_samples(Method):
    assert Method(1).fit([[3.0, 4.0]]).labels_.tolist() == [0]
    model = Method(1).fit([[0.0], [2.0], [4.0]], pairs=([(0, 1)], [(0, 2)]))
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.cluster_centers_.tolist() == [[2.0]]
    assert list(model.violated_pairs_) == [(0, 2, "cannot")]
    assert model.violation_costs_.tolist() == [0.0]  # there is no other cluster that it could cost a distance to
    with pytest.warns(ConvergenceWarning, match="1 of n_clusters=2 clusters have samples"):
        model = Method(2).fit(np.ones((5, 2)))
    assert (model.objective_, model.cluster_centers_.tolist()) == (0.0, [[1.0, 1.0], [1.0, 1.0]])


@all_three
def test_corners__empty_clusters_are_filled(Method):
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    model = Method(3, init=[[0.0], [50.0], [60.0]]).fit(X, pairs=([], [(1, 2)]))
    assert sorted(set(model.labels_.tolist())) == [0, 1, 2]
    assert model.objective_ == pytest.approx(0.5)


@all_three
def test_corners__pairs_that_are_both(Method, rng):
    X, _ = blobs(rng)
    both = np.array([[0, 1], [3, 9], [2, 5]])
    model = Method(3, random_state=0).fit(X, pairs=(both, both))
    assert len(model.violated_pairs_) == 3
    assert model.violation_costs_.size == 3


@all_three
def test_corners__wrong_parameters(Method, X):
    for wrong in ({"n_clusters": 0}, {"n_init": 0}, {"max_iter": 0}, {"tol": -1}, {"init": "chance"}):
        with pytest.raises(ValueError, match="parameter"):
            Method(**{"n_clusters": 2, **wrong}).fit(X)
    with pytest.raises(ValueError, match=re.escape("init must hold 2 centres of 3 features; got shape (2, 2)")):
        Method(2, init=np.ones((2, 2))).fit(X)
    with pytest.raises(ValueError, match="scale X"):
        Method(2).fit(X * 1e200)


@all_three
def test_corners__too_few_iterations_are_told(Method, rng):
    with pytest.warns(ConvergenceWarning, match="has not converged after max_iter=1") as told:
        Method(6, max_iter=1, n_init=1, random_state=0).fit(rng.normal(size=(300, 2)))
    assert told[0].filename == __file__


@all_three
def test_corners__going_round_in_circles_ends(Method, rng):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 2))
        model = Method(4, tol=0.0, n_init=1, random_state=seed).fit(X, pairs=random_pairs(rng, 60, 120))
        assert model.n_iter_ < 300


# ------------------------------------------------------------------ warm starts, and the function on arrays


def test_warm_start__converges_sooner(rng):
    cold, warm = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = blobs(rng, 400, 4, d=4, apart=2.5)
        must, cannot = random_pairs(rng, 400, 60, y)
        model = CVQE(4, n_init=1, random_state=seed).fit(X, pairs=(must[:25], cannot[:25]))
        cold.append(CVQE(4, n_init=1, random_state=seed).fit(X, pairs=(must, cannot)).n_iter_)
        again = CVQE(4, init=model.cluster_centers_, random_state=seed).fit(X, pairs=(must, cannot))
        warm.append(again.n_iter_)
    assert sum(warm) < 0.6 * sum(cold)


def test_function__is_the_estimator(rng):
    X, y = blobs(rng, 80, 3, apart=2.0)
    must, cannot = random_pairs(rng, 80, 40, y)
    found = cvqe_plus(X, must, cannot, None, None, X[:3])
    labels, centers, cost, n_iter = found
    assert (labels.dtype, centers.shape) == (np.int32, (3, 2))
    assert n_iter > 0
    wanted = objective("plus", X, labels, centers, must, cannot, np.ones(len(must)), np.ones(len(cannot)))
    assert cost == pytest.approx(wanted)
    model = CVQE(3, init=X[:3], random_state=0).fit(X, pairs=(must, cannot))
    assert model.objective_ == pytest.approx(cost, rel=0.2)  # another order of the pairs


def test_history__pulls_to_where_centres_were(rng):
    X, _ = blobs(rng, 90)
    start = X[:3]
    plain = cvqe_plus(X, [], [], None, None, start)
    former = plain.centers + [1.0, -2.0]
    mass = np.bincount(plain.labels)
    for alpha in (0.0, 0.25, 0.5, 1.0):
        found = cvqe_plus(X, [], [], None, None, plain.centers, history=(former, alpha), history_mass=mass)
        np.testing.assert_allclose(found.centers, (1 - alpha) * plain.centers + alpha * former)
    little = cvqe_plus(X, [], [], None, None, plain.centers, history=(former, 0.5))  # as one more sample
    np.testing.assert_allclose(little.centers, (30 * plain.centers + former) / 31)
    former[1] = np.nan
    found = cvqe_plus(X, [], [], None, None, plain.centers, history=(former, 1.0))
    np.testing.assert_allclose(found.centers[1], plain.centers[1])
    np.testing.assert_allclose(found.centers[[0, 2]], former[[0, 2]])
    assert np.isfinite(found.cost)


def test_history__clusters_without_samples_stay_where_they_were():
    X = np.array([[0.0], [1.0], [2.0]])
    found = cvqe_plus(X, [], [], None, None, [[1.0], [90.0]], history=([[1.0], [90.0]], 0.5))
    assert found.labels.tolist() == [0, 0, 0]
    assert found.centers.tolist() == [[1.0], [90.0]]
    without = cvqe_plus(X, [], [], None, None, [[1.0], [90.0]], history=([[1.0], [np.nan]], 0.5))
    assert sorted(set(without.labels.tolist())) == [0, 1]


def test_function__bad_input(X):
    good = {"must": [(0, 1)], "cannot": [], "must_w": None, "cannot_w": None, "centers": X[:2]}
    for wrong, message in (
        ({"centers": X[:2, :2]}, "centers must have shape"),
        ({"centers": X[:0]}, "centers must have shape"),
        ({"must": [(0, 8)]}, "must must hold pairs of two different rows of X, 0..7"),
        ({"cannot": [(1, 1)]}, "cannot must hold pairs"),
        ({"must_w": [1.0, 2.0]}, "must_w must hold 1 finite weights"),
        ({"must_w": [-1.0]}, "must_w must hold 1 finite weights"),
        ({"history": (X[:3], 0.5)}, "history must be"),
        ({"history": (X[:2], 1.5)}, "alpha=1.5"),
        ({"history": (X[:2], 0.5), "history_mass": -1}, "history_mass must not be negative"),
        ({"sample_weight": -np.ones(8)}, "sample_weight"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            cvqe_plus(X, **{**good, **wrong})


# ------------------------------------------------------------------ with scikit-learn


def test_charged__of_both_clusters_keeps_more_and_is_for_cvqe_plus():
    X, pairs = [[0.0], [1.0], [5.0], [6.0]], ([(0, 3)], [])
    once, both = (CVQE(2, charged=x, init=[[0.0], [6.0]]).fit(X, pairs=pairs) for x in ("once", "both"))
    assert (len(once.violated_pairs_), len(both.violated_pairs_)) == (1, 0)
    with pytest.raises(ValueError, match=r"charged='both' is for variant='cvqe\+', not 'lcvqe'"):
        CVQE(2, variant="lcvqe", charged="both").fit(X)


def test_costs__beyond_float64_are_refused_in_words_of_cvqe():
    """CVQE has no penalty: the message tells to scale X."""
    widest = np.sqrt(np.finfo(np.float64).max / (4 * 20)) * (1 - 1e-12)
    X = np.repeat([[0.0], [widest]], 10, axis=0)
    every = [(i, j) for i in range(20) for j in range(i)]
    with pytest.raises(ValueError, match=r"too large for so many pairs in float64 arithmetic: scale X"):
        CVQE(2, random_state=0).fit(X, pairs=(every, every))
