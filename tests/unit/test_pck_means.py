import re

import numpy as np
import pandas as pd
import pytest
from examples import blobs
from pck_oracle import pair_costs, pck_objective, price, random_pairs
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from tripletree.cluster import MPCKMeans, PCKMeans
from tripletree.cluster.kmeans.lloyd import points_of
from tripletree.cluster.kmeans.soft_pairs import WeightedLinks, link_costs, settled
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import ClusterCountError, UnknownLeafError
from tripletree.evaluation.scores import pair_score

# ------------------------------------------------------------------ moves


def linked(rng, m, must, cannot, k):
    links = WeightedLinks.of(must, cannot, np.ones(len(must) + len(cannot)))
    m = links.nodes.size
    return links, rng.random((m, k)), rng.random((len(must) + len(cannot), k))


def cost_of(links, base, pay, label):
    must, cannot = links.ends[: links.n_must], links.ends[links.n_must :]
    return pair_costs(label, base, must, cannot, pay[: links.n_must], pay[links.n_must :])


def test_moves__lower_the_costs_by_definition(rng):
    for _ in range(30):
        must, cannot = random_pairs(rng, 12, 14)
        links, base, pay = linked(rng, 12, must, cannot, 3)
        given = rng.integers(0, 3, links.nodes.size).astype(np.int32)
        before = given.copy()
        label = settled(links, base.copy(), pay.copy(), given, rng)
        assert np.array_equal(given, before)
        assert cost_of(links, base, pay, label) <= cost_of(links, base, pay, given) + 1e-12
        inner = sum(base[i, h] for i, h in enumerate(label)) + link_costs(links, pay, label)[1].sum()
        assert np.isclose(inner, cost_of(links, base, pay, label))


def test_moves__no_sample_group_or_chain_is_left_that_would_save(rng):
    for _ in range(20):
        must, cannot = random_pairs(rng, 12, 12)
        links, base, pay = linked(rng, 12, must, cannot, 3)
        label = settled(links, base.copy(), pay.copy(), None, rng)
        cost = cost_of(links, base, pay, label)
        groups = [links.member[a:b] for a, b in zip(links.first, links.first[1:], strict=False)]
        for some in [*([i] for i in range(label.size)), *groups]:
            for h in range(3):
                other = label.copy()
                other[some] = h
                assert cost_of(links, base, pay, other) >= cost - 1e-12
        for g, h in ((0, 1), (0, 2), (1, 2)):
            for root in np.flatnonzero((label == g) | (label == h)):
                chain, old = {root}, set()
                while chain != old:
                    old = set(chain)
                    for a, b in links.ends:
                        if {label[a], label[b]} <= {g, h} and chain & {a, b}:
                            chain |= {a, b}
                other = label.copy()
                other[list(chain)] = g + h - other[list(chain)]
                assert cost_of(links, base, pay, other) >= cost - 1e-12


def test_moves__parts_that_cost_least_as_they_are_may_be_left_out(rng):
    left_out = 0
    for seed in range(60):
        must, cannot = random_pairs(rng, 40, 14)
        links, base, pay = linked(rng, 40, must, cannot, 3)
        if seed % 2:
            base, pay = np.floor(3 * base), np.floor(3 * pay)  # ties
        nearest = base.argmin(axis=1).astype(np.int32)
        given = np.where(rng.random(nearest.size) < 0.1, rng.integers(0, 3, nearest.size), nearest).astype(np.int32)
        some = links.restless(given, nearest)
        left_out += nearest.size - some.size
        told = np.full(base.shape, np.nan)
        told[some] = base[some]
        whole = settled(links, base.copy(), pay.copy(), given, np.random.default_rng(seed))
        parts = settled(links, told, pay.copy(), given, np.random.default_rng(seed), some)
        assert parts.tolist() == whole.tolist()
    assert left_out > 200


def test_moves__two_that_are_apart_change_places():
    # both are nearer to cluster 0, the second one by more: one by one, the first to come would stay there
    links = WeightedLinks.of(np.empty((0, 2), int), np.array([[3, 7]]), np.ones(1))
    base = np.array([[0.0, 1.0], [0.0, 4.0]])
    for seed in range(10):
        label = settled(links, base.copy(), np.full((1, 2), 9.0), None, np.random.default_rng(seed))
        assert label.tolist() == [1, 0]


def test_links__of_pairs():
    links = WeightedLinks.of(np.array([[2, 5], [5, 9]]), np.array([[1, 9]]), np.array([1.0, 0.5, 0.25]))
    assert links.nodes.tolist() == [1, 2, 5, 9]
    assert links.ends.tolist() == [[1, 2], [2, 3], [0, 3]]
    assert (links.n_must, links.n_groups) == (2, 2)
    assert sorted(links.member[links.first[g] : links.first[g + 1]].tolist() for g in range(2)) == [[0], [1, 2, 3]]
    assert links.start.tolist() == [0, 1, 2, 4, 6]
    assert links.other.tolist() == [3, 2, 1, 3, 2, 0]
    assert links.edge.tolist() == [2, 0, 0, 1, 1, 2]


# ------------------------------------------------------------------ results


def test_results__by_hand():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    # mean 3, mean squared distance 6.5. Together 1 and 5 would be 14 - 1 more than apart
    for penalty, labels in ((1.0, [0, 0, 1, 1]), (2.1, [0, 0, 0, 1])):
        model = PCKMeans(2, penalty=penalty, init=[[0.0], [6.0]]).fit(X, pairs=([(1, 2)], [(2, 3)]))
        assert model.labels_.tolist() == labels
        assert model.penalty_ == pytest.approx(6.5 * penalty)
    assert model.objective_ == pytest.approx(14.0)
    assert model.violation_cost_ == 0
    soft = PCKMeans(2, init=[[0.0], [6.0]]).fit(X, pairs=([(1, 2)], [(2, 3)]))
    assert (soft.inertia_, soft.violation_cost_, soft.objective_) == pytest.approx((1.0, 13.0, 14.0))
    assert list(soft.violated_pairs_) == [(1, 2, "must"), (2, 3, "cannot")]
    assert soft.cluster_centers_.ravel().tolist() == pytest.approx([0.5, 5.5])


def test_results__objective_is_its_definition(rng):
    for seed in range(15):
        X = rng.normal(size=(40, 3)) * 5 + 100
        must, cannot = random_pairs(rng, 40, 50)
        weights = rng.integers(1, 4, 40).astype(float)
        pair_weights = rng.uniform(0.1, 1, len(must)), rng.uniform(0.1, 1, len(cannot))
        pairs = PairwiseConstraints(must, cannot, 40, must_weights=pair_weights[0], cannot_weights=pair_weights[1])
        model = PCKMeans(3, penalty=0.3, random_state=seed, n_init=2, tol=0.0).fit(
            X, pairs=pairs, sample_weight=weights
        )
        wanted = pck_objective(X, model.labels_, model.cluster_centers_, must, cannot, 0.3, weights, *pair_weights)
        assert model.objective_ == pytest.approx(wanted, rel=1e-9)
        assert model.penalty_ == pytest.approx(price(X, 0.3, weights))
        assert model.objective_ == pytest.approx(model.inertia_ + model.violation_cost_)


def test_plain__is_k_means_from_the_same_centres(rng):
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(100, 4))
        start = X[:5]
        wanted = KMeans(5, init=start, n_init=1, tol=0.0).fit(X)
        for model in (
            PCKMeans(5, init=start, tol=0.0).fit(X),
            PCKMeans(5, init=start, tol=0.0, penalty=0).fit(X, pairs=random_pairs(rng, 100, 50)),
        ):
            assert model.inertia_ == model.objective_ == pytest.approx(wanted.inertia_)
            assert np.array_equal(model.labels_, wanted.labels_)
            np.testing.assert_allclose(model.cluster_centers_, wanted.cluster_centers_)
            assert np.array_equal(model.predict(X), model.labels_)
            np.testing.assert_allclose(model.transform(X), wanted.transform(X))


def test_plain__starts_are_as_good_as_those_of_k_means(rng):
    X, _ = blobs(rng, 120, 6, d=6)
    model = PCKMeans(6, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(KMeans(6, n_init=10, random_state=0).fit(X).inertia_)


def test_units__do_not_matter(rng):
    X, y = blobs(rng, 60, 3, apart=2.0)
    pairs = random_pairs(rng, 60, 40, y)
    model = PCKMeans(3, random_state=0).fit(X, pairs=pairs)
    for factor, shift in ((1e-6, 0.0), (1e9, 0.0), (1.0, 1e3)):
        other = PCKMeans(3, random_state=0).fit(X * factor + shift, pairs=pairs)
        assert np.array_equal(other.labels_, model.labels_)
        assert other.objective_ == pytest.approx(model.objective_ * factor**2, rel=1e-6)


# ------------------------------------------------------------------ pairs


def test_pairs__that_are_dear_and_agree_with_classes_hold(rng):
    for seed in range(5):
        X, y = blobs(np.random.default_rng(seed), 90, 3, apart=3.0)
        must, cannot = random_pairs(rng, 90, 60, y)
        model = PCKMeans(3, penalty=1e6, random_state=seed).fit(X, pairs=(must, cannot))
        assert len(model.violated_pairs_) == 0
        assert model.violation_cost_ == 0


def test_pairs__that_contradict_each_other_do_no_harm(rng):
    X, y = blobs(rng)
    same = np.array([[0, 3], [3, 6]])
    model = PCKMeans(3, random_state=0).fit(X, pairs=([*same, (0, 1), (1, 2)], [(0, 3), (0, 2)]))
    assert len(set(zip(model.labels_.tolist(), y.tolist(), strict=True))) == 3
    assert list(model.violated_pairs_) == [(0, 1, "must"), (1, 2, "must"), (0, 3, "cannot")]


def test_pairs__weights_decide(rng):
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    for weight, labels in ((1.0, [0, 0, 0, 1]), (0.2, [0, 0, 1, 1])):
        pairs = PairwiseConstraints.from_labels([(1, 2)], [(2, 3)], must_weights=[weight], cannot_weights=[weight])
        model = PCKMeans(2, init=[[0.0], [6.0]], penalty=3.0).fit(X, pairs=pairs)
        assert model.labels_.tolist() == labels
    assert model.violated_pairs_.must_weights.tolist() == [0.2]


# ------------------------------------------------------------------ weights


def test_weights__are_repeats(rng):
    X = rng.normal(size=(20, 2))
    weights = rng.integers(1, 4, 20)
    pairs = random_pairs(rng, 20, 15)
    repeated = np.concatenate([X, np.repeat(X, weights - 1, axis=0)])
    a = PCKMeans(3, random_state=0, init=X[:3], tol=0.0).fit(X, pairs=pairs, sample_weight=weights)
    b = PCKMeans(3, random_state=0, init=X[:3], tol=0.0).fit(X, pairs=pairs, sample_weight=weights * 1.0)
    assert np.array_equal(a.labels_, b.labels_)
    plain = [PCKMeans(3, random_state=0).fit(X, sample_weight=weights), PCKMeans(3, random_state=0).fit(repeated)]
    np.testing.assert_allclose(plain[0].cluster_centers_, plain[1].cluster_centers_)
    assert plain[0].objective_ == pytest.approx(plain[1].objective_)


def test_weights__of_zero_leave_a_sample_and_its_pairs_out(rng):
    X, y = blobs(rng, 40, 2, apart=3.0)
    weights = np.ones(40)
    weights[::3] = 0
    must, cannot = random_pairs(rng, 40, 30, y)
    number = np.cumsum(weights > 0) - 1
    left = [number[rows[(weights[rows] > 0).all(axis=1)]] for rows in (must, cannot)]
    a = PCKMeans(2, random_state=0).fit(X, pairs=(must, cannot), sample_weight=weights)
    b = PCKMeans(2, random_state=0).fit(X[weights > 0], pairs=tuple(left))
    assert np.array_equal(a.labels_[weights > 0], b.labels_)
    assert a.objective_ == pytest.approx(b.objective_)
    assert np.array_equal(a.labels_[weights == 0], b.predict(X[weights == 0]))


def test_weights__that_are_wrong(X):
    for wrong in (-np.ones(8), np.zeros(8), np.full(8, np.nan), np.ones(7)):
        with pytest.raises(ValueError, match="(?i)sample.weight"):
            PCKMeans(2).fit(X, sample_weight=wrong)
    with pytest.raises(ClusterCountError, match="1 of n_samples=8 have a positive weight"):
        PCKMeans(2).fit(X, sample_weight=np.eye(8)[0])


# ------------------------------------------------------------------ corners


def test_corners__one_cluster_one_sample_and_equal_samples():
    assert PCKMeans(1).fit([[3.0, 4.0]]).labels_.tolist() == [0]
    model = PCKMeans(1).fit([[0.0], [2.0], [4.0]], pairs=([(0, 1)], [(0, 2)]))
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.cluster_centers_.tolist() == [[2.0]]
    assert list(model.violated_pairs_) == [(0, 2, "cannot")]
    with pytest.warns(ConvergenceWarning, match="1 of n_clusters=2 clusters have samples"):
        model = PCKMeans(2).fit(np.ones((5, 2)))
    assert (model.objective_, model.cluster_centers_.tolist()) == (0.0, [[1.0, 1.0], [1.0, 1.0]])
    apart = PCKMeans(2, random_state=0).fit(np.ones((4, 2)), pairs=([(0, 1)], [(1, 2)]))
    assert len(apart.violated_pairs_) == 0  # no distances, but the pairs count


def test_corners__constant_features(rng):
    X, y = blobs(rng)
    model = PCKMeans(3, random_state=0).fit(np.column_stack([X, np.full(60, 7.0)]))
    assert np.array_equal(model.labels_, PCKMeans(3, random_state=0).fit(X).labels_)
    assert (model.cluster_centers_[:, 2] == 7.0).all()


def test_corners__empty_clusters_are_filled():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    model = PCKMeans(3, init=[[0.0], [50.0], [60.0]]).fit(X, pairs=([(2, 3)], []))
    assert sorted(set(model.labels_.tolist())) == [0, 1, 2]
    assert model.objective_ == pytest.approx(0.5)


def test_corners__wrong_parameters(X):
    for wrong in ({"n_clusters": 0}, {"penalty": -1}, {"n_init": 0}, {"max_iter": 0}, {"tol": -1}, {"init": "chance"}):
        with pytest.raises(ValueError, match="parameter"):
            PCKMeans(**{"n_clusters": 2, **wrong}).fit(X)
    with pytest.raises(ValueError, match=re.escape("init must hold 2 centres of 3 features; got shape (2, 2)")):
        PCKMeans(2, init=np.ones((2, 2))).fit(X)
    with pytest.raises(ValueError, match="scale X"):
        PCKMeans(2).fit(X * 1e200)


def test_corners__too_few_iterations_are_told(rng):
    with pytest.warns(ConvergenceWarning, match="has not converged after max_iter=1"):
        PCKMeans(6, max_iter=1, n_init=1, random_state=0).fit(rng.normal(size=(300, 2)))


# ------------------------------------------------------------------ with scikit-learn


# ------------------------------------------------------------------ mends


@pytest.mark.parametrize("make", [PCKMeans, MPCKMeans])
def test_scikit_learn__as_many_pairs_as_samples_are_not_cut(rng, make):
    X, y = blobs(rng, n=30)
    names = [f"s{i}" for i in range(30)]
    pairs = PairwiseConstraints([(i, i + 3) for i in range(20)], [(i, i + 1) for i in range(10)], names)
    assert len(pairs) == len(X)
    frame = pd.DataFrame(X, index=names)
    sizes = []

    def score(model, Z, y=None):
        sizes.append(len(pairs.restrict(set(names) - set(Z.index))))  # pairs of the training part
        assert len(model.violated_pairs_) <= sizes[-1]
        return pair_score(pd.Series(model.predict(frame), names), pairs)

    model = make(3, n_init=1, random_state=0, missing_samples="ignore")
    found = cross_val_score(model, frame, params={"pairs": pairs}, scoring=score, cv=3, error_score="raise")
    assert found.min() > 0.8
    search = GridSearchCV(model, {"n_clusters": [2, 3]}, scoring=score, cv=3, error_score="raise")
    assert search.fit(frame, pairs=pairs).best_params_ == {"n_clusters": 3}
    assert min(sizes) > 0
    with pytest.raises(UnknownLeafError, match="missing_samples='ignore'"):
        cross_val_score(make(3), frame, params={"pairs": pairs}, scoring=score, cv=3, error_score="raise")


@pytest.mark.parametrize("make", [PCKMeans, MPCKMeans])
@pytest.mark.parametrize("name", ["n_clusters", "n_init", "max_iter", "tol", "penalty"])
def test_corners__true_is_no_number(X, make, name):
    with pytest.raises(ValueError, match=f"{name} of {make.__name__} must be a number, not True"):
        make(**{name: True}).fit(X)


def test_corners__true_is_what_other_parameters_want(X):
    assert MPCKMeans(2, shared_metric=True, random_state=0).fit(X).labels_.size == 8


@pytest.mark.parametrize("make", [PCKMeans, MPCKMeans])
def test_weights__out_of_range_are_refused(rng, make):
    X, _ = blobs(rng)
    for weight in (5e-324, 1e-101, 1e101, 1e308):
        weights = np.ones(60)
        weights[7] = weight
        with pytest.raises(ValueError, match="the sample_weight of sample 7 is .* must be 0 or lie in 1e-100..1e"):
            make(3).fit(X, sample_weight=weights)
    for weight in (1e-100, 1e100):
        model = make(3, random_state=0).fit(X, sample_weight=np.full(60, weight))
        assert np.isfinite(model.cluster_centers_).all()
        assert np.isfinite(model.objective_)


@pytest.mark.parametrize("make", [PCKMeans, MPCKMeans])
def test_penalty__stays_in_range(rng, make):
    X, _ = blobs(rng)
    pairs = ([(0, 1)], [(0, 1), (0, 3)])
    for penalty in (1e101, 1e308, np.inf):
        with pytest.raises(ValueError, match=r"'penalty' parameter .* in the range \[0.0, 1e\+100\]"):
            make(3, penalty=penalty).fit(X, pairs=pairs)
    model = make(3, penalty=1e100, random_state=0).fit(X, pairs=pairs)
    assert np.isfinite(model.objective_)
    assert len(model.violated_pairs_) == 1


def test_penalty__in_the_units_of_x_stays_in_range(rng):
    X, _ = blobs(rng)
    with pytest.raises(ValueError, match="penalty=1e\\+100 times the mean squared distance"):
        PCKMeans(3, penalty=1e100).fit(X * 1e110, pairs=([(0, 1)], []))
    assert np.isfinite(PCKMeans(3, random_state=0).fit(X * 1e110, pairs=([(0, 1)], [(0, 2)])).objective_)


@pytest.mark.parametrize("make", [PCKMeans, MPCKMeans])
def test_predict__differs_from_labels_for_samples_in_pairs_only(rng, make):
    X = rng.normal(size=(80, 2))
    must, cannot = random_pairs(rng, 80, 25)
    model = make(3, random_state=0, tol=0.0).fit(X, pairs=(must, cannot))
    differs = np.flatnonzero(model.predict(X) != model.labels_)
    assert differs.size > 0
    assert np.isin(differs, np.concatenate([must, cannot])).all()


def test_frame__is_mean_and_spread(rng):
    X, w = rng.normal(size=(50, 3)) * [1, 5, 0.2] + 7, rng.random(50)
    model = PCKMeans(2)
    model._frame(X, w)
    mean = np.average(X, axis=0, weights=w)
    np.testing.assert_allclose(model._mean, mean)
    np.testing.assert_allclose(model._spread**2, np.average(((X - mean) ** 2).sum(axis=1), weights=w))


# ------------------------------------------------------------------ tables of costs


@pytest.mark.parametrize("is_sparse", [False, True])
def test_costs__of_some_points_by_definition(rng, is_sparse):
    for d, k, m in ((1, 1, 3), (4, 3, 300), (7, 5, 600)):  # more than a block, and features that are not whole fours
        table = np.where(rng.random((m, d)) < 0.5, 0.0, rng.normal(size=(m, d)))
        centres, weights = rng.normal(size=(k, d)), rng.random(m) + 0.1
        factors, offsets, others = rng.random(d), rng.normal(size=k), rng.random(m)
        points = points_of(csr_array(table) if is_sparse else table, weights)
        which, rows = rng.permutation(m)[: m - 1].astype(np.int32), rng.permutation(m)[: m - 1].astype(np.int32)
        left = np.setdiff1d(np.arange(m), rows)
        for scaled, more, given in ((None, None, None), (factors, offsets, others)):
            out = np.full((m, k), np.nan)
            points.fill_costs(out, rows, which, centres, factors=scaled, offsets=more, weights=given)
            square = cdist(table * (1.0 if scaled is None else scaled), centres, "sqeuclidean")
            costs = (weights if given is None else given)[:, None] * (square + (0.0 if more is None else more))
            np.testing.assert_allclose(out[rows], costs[which])
            assert np.isnan(out[left]).all()
        out, scale = np.full((m, k), np.nan), rng.random((k, d))
        points.fill_diagonal_costs(out, rows, centres, scale, offsets)
        square = np.stack([((table - centre) ** 2) @ by for centre, by in zip(centres, scale, strict=True)], axis=1)
        np.testing.assert_allclose(out[rows], (weights[:, None] * (square + offsets))[rows])
        assert np.isnan(out[left]).all()
