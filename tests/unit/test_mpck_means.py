import pickle
import re
import warnings
from functools import partial

import numpy as np
import pytest
from pck_oracle import mpck_objective, random_pairs
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from tripletree.cluster import MPCKMeans, PCKMeans
from tripletree.cluster.kmeans.lloyd import Points
from tripletree.cluster.kmeans.mpck_means import MetricState, MetricTask, far_differences
from tripletree.cluster.kmeans.soft_pairs import WeightedLinks, first_centres, soft_run
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import ClusterCountError
from tripletree.evaluation.scores import pairwise_f_score

KINDS = [(metric, shared) for metric in ("diagonal", "full") for shared in (False, True)]
every_kind = pytest.mark.parametrize(("metric", "shared"), KINDS)


def problem_of(rng, n, d, p, *, full, shared, prior=2.0, penalty=0.7):
    """A problem in its frame, with classes that the features show dimly, and what the oracle wants of it."""
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 3, d) + 1.5 * rng.normal(size=(3, d))[y]
    X = X - X.mean(axis=0)
    X /= np.sqrt((X**2).sum(axis=1).mean())
    must, cannot = random_pairs(rng, n, p, np.where(rng.random(n) < 0.8, y, 0))
    links = WeightedLinks.of(must, cannot, rng.uniform(0.3, 1, len(must) + len(cannot)))
    points = Points.of(X, rng.integers(1, 3, n).astype(float))
    X = X - np.average(X, axis=0, weights=points.weights)
    X /= np.sqrt(np.average((X**2).sum(axis=1), weights=points.weights))
    points = Points.of(X, points.weights)
    apart, far = far_differences(points, links, rng, full=full)
    problem = MetricTask(points, links, penalty * links.weights, apart, far, prior, shared, 0.0)
    oracle = partial(
        mpck_objective,
        X,
        must=must,
        cannot=cannot,
        penalty=penalty,
        prior=prior,
        shared=shared,
        weights=points.weights,
        must_weights=links.weights[: len(must)],
        cannot_weights=links.weights[len(must) :],
    )
    return problem, oracle


# ------------------------------------------------------------------ the objective and its steps


@every_kind
def test_runs__the_objective_is_its_definition_and_never_increases(metric, shared):
    turns = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        problem, oracle = problem_of(rng, 45, 3, 50, full=metric == "full", shared=shared)
        centres = first_centres(problem.points, problem.links, 3, rng, drawn=seed % 2 == 1)
        history = []
        start = MetricState.of(problem, centres, full=metric == "full")
        run = soft_run(start, problem.links, rng, max_iter=60, history=history)
        assert (np.diff(history) <= 1e-10 * abs(history[0])).all()
        turns += len(history)
        wanted = oracle(labels=run.labels, centres=run.state.centres, metrics=run.state.metrics, far=problem.far)
        assert run.objective == pytest.approx(wanted, rel=1e-9)
    assert turns > 60


def _changed(oracle, labels, state, far, which, change):
    metrics = state.metrics.copy()
    metrics[which] += change
    return oracle(labels=labels, centres=state.centres, metrics=metrics, far=far)


def _directions(metric):
    """Steps in each entry of a metric."""
    d = metric.shape[0]
    for i in range(d):
        for j in range(i, d) if metric.ndim == 2 else [i]:
            step = np.zeros(metric.shape)
            if metric.ndim == 2:
                step[i, j] = step[j, i] = 1e-4 * np.abs(metric).max()
            else:
                step[i] = 1e-4 * metric[i]
            yield step


@every_kind
def test_metrics__are_where_the_gradient_is_zero(metric, shared):
    # finite differences of the definition, the far difference as it was before the step
    taken = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        problem, oracle = problem_of(rng, 40, 3, 40, full=metric == "full", shared=shared)
        centres = first_centres(problem.points, problem.links, 3, rng, drawn=False)
        state = MetricState.of(problem, centres, full=metric == "full")
        labels = rng.integers(0, 3, 40).astype(np.int32)  # many pairs are violated
        new = state.updated(labels)
        far = problem.far
        if metric == "full":  # all metrics start alike
            far = far[[np.argmax([f @ state.metrics[0] @ f for f in far])]]
        moments, mass, lift = new.moments(labels)
        assert (lift > 0).any()
        for h in [0] if shared else range(3):
            if metric == "full":
                parts = [x.sum(axis=0) if shared else x[h] for x in (moments, mass, lift)]
                matrix = parts[0] + 2.0 / 3 * np.eye(3) + parts[2] * np.outer(far[0], far[0])
                best = (parts[1] + 2.0) * np.linalg.inv(matrix)
                if np.linalg.eigvalsh(matrix)[0] < 1e-3 or not np.allclose(new.metrics[h], best):
                    continue  # an eigenvalue was raised, or the step halved
            value = partial(_changed, oracle, labels, new, far, slice(None) if shared else h)
            for step in _directions(new.metrics[h]):
                curve = value(step) + value(-step) - 2 * value(0 * step)
                assert curve > 0  # a minimum
                assert abs(value(step) - value(-step)) < 0.02 * curve  # in units of the step
            taken += 1
    assert taken >= 3


def test_far__nothing_is_farther(rng):
    for full in (False, True):
        problem, _ = problem_of(rng, 60, 4, 60, full=full, shared=False)
        for _ in range(20):
            a = rng.exponential(size=4)
            a = np.linalg.qr(rng.normal(size=(4, 4)))[0] * a @ np.eye(4) if full else np.diag(a)
            a = a @ a.T
            most = max(f @ a @ f for f in problem.far)
            assert all(x @ a @ x <= most * (1 + 1e-12) for x in problem.apart[problem.links.n_must :])
    assert problem.far.shape[0] <= 64 * 65 // 2 + problem.links.ends.shape[0]


@every_kind
def test_results__are_in_the_units_of_x(metric, shared, rng):
    X = rng.normal(size=(50, 3)) * [1, 5, 20] + [100, -50, 0]
    must, cannot = random_pairs(rng, 50, 50)
    weights = rng.integers(1, 3, 50)
    model = MPCKMeans(3, metric=metric, shared_metric=shared, random_state=0, n_init=2, prior=3.0, penalty=0.5)
    model.fit(X, pairs=(must, cannot), sample_weight=weights)
    shape = (3, 3) if metric == "diagonal" else (3, 3, 3)
    assert model.metrics_.shape == shape
    if shared:
        assert (model.metrics_ == model.metrics_[0]).all()
    distances = np.stack(
        [
            (((X - c) @ (np.diag(a) if a.ndim == 1 else a)) * (X - c)).sum(axis=1)
            for c, a in zip(model.cluster_centers_, model.metrics_, strict=True)
        ],
        axis=1,
    )
    np.testing.assert_allclose(model.transform(X), np.sqrt(distances), rtol=1e-8)
    assert model.inertia_ == pytest.approx((weights * distances[np.arange(50), model.labels_]).sum())
    dets = [np.log(a).sum() if a.ndim == 1 else np.linalg.slogdet(a)[1] for a in model.metrics_]
    assert np.array_equal(model.predict(X), (distances - dets).argmin(axis=1))
    without = mpck_objective(
        X, model.labels_, model.cluster_centers_, model.metrics_, [], [], 0.5, 3.0, [], shared=shared, weights=weights
    )
    assert model.objective_ == pytest.approx(without + model.violation_cost_)
    other = MPCKMeans(3, metric=metric, shared_metric=shared, random_state=0, n_init=2, prior=3.0, penalty=0.5)
    other.fit(X * 1e4, pairs=(must, cannot), sample_weight=weights)
    assert np.array_equal(other.labels_, model.labels_)
    np.testing.assert_allclose(other.metrics_ * 1e8, model.metrics_, rtol=1e-6)


# ------------------------------------------------------------------ learned metrics


@every_kind
def test_metric__weighs_noise_down(metric, shared, rng):
    y = np.arange(120) % 2
    X = np.column_stack([2.5 * y + rng.normal(size=120) * 0.5, rng.normal(size=120) * 3])
    must, cannot = random_pairs(rng, 120, 60, y)
    model = MPCKMeans(2, metric=metric, shared_metric=shared, random_state=0).fit(X, pairs=(must, cannot))
    assert pairwise_f_score(y, model.labels_) > 0.95
    plain = PCKMeans(2, random_state=0).fit(X, pairs=(must, cannot))
    assert pairwise_f_score(y, plain.labels_) < 0.9
    for a in model.metrics_:
        weight = a if metric == "diagonal" else np.diag(a)
        assert weight[0] > 4 * weight[1]


def test_metric__each_cluster_has_its_own(rng):
    # one cluster is long along x, the other along y
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 2)) * np.where(y[:, None] == 0, [6, 0.3], [0.3, 6]) + np.where(
        y[:, None] == 0, [0, 0], [3, 3]
    )
    model = MPCKMeans(2, metric="diagonal", shared_metric=False, random_state=0)
    model.fit(X, pairs=random_pairs(rng, 200, 60, y))
    first = model.metrics_[model.labels_[0]]
    second = model.metrics_[model.labels_[1]]
    assert first[1] > 10 * first[0]
    assert second[0] > 10 * second[1]


def test_demo__iris():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    scores = []
    for seed in range(3):
        pairs = random_pairs(np.random.default_rng(seed), 150, 200, y)
        models = PCKMeans(3, random_state=seed, n_init=4), MPCKMeans(3, random_state=seed, n_init=4)
        scores.append([pairwise_f_score(y, m.fit(X, pairs=pairs).labels_) for m in models])
    pck, mpck = np.mean(scores, axis=0)
    assert pck > 0.88
    assert mpck > 0.93


# ------------------------------------------------------------------ corners


@every_kind
def test_corners(metric, shared, rng):
    make = partial(MPCKMeans, metric=metric, shared_metric=shared, random_state=0)
    assert make(1).fit([[3.0, 4.0]]).labels_.tolist() == [0]
    X = np.column_stack([rng.normal(size=(30, 2)), np.full(30, 5.0)])
    model = make(2).fit(X, pairs=([(0, 1), (2, 3)], [(0, 2), (0, 3), (4, 4 + 1)]))  # a constant feature
    assert np.isfinite(model.metrics_).all()
    with pytest.warns(ConvergenceWarning, match="1 of n_clusters=2 clusters have samples"):
        model = make(2).fit(np.ones((5, 2)))
    assert np.isfinite(model.objective_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters may cost less
        model = make(8).fit(X[:8], pairs=([(0, 1)], [(2, 3)]))  # as many clusters as samples
    assert np.isfinite(model.metrics_).all()
    model = make(2).fit(X[:4], pairs=([(0, 1), (1, 2)], [(0, 2), (0, 1)]))  # contradictions
    assert len(model.violated_pairs_) >= 1
    model = make(1).fit(X[:3], pairs=([], [(0, 1), (1, 2)]))
    assert len(model.violated_pairs_) == 2
    assert model.violation_cost_ >= 0


def test_corners__wrong_parameters(rng):
    X = rng.normal(size=(8, 2))
    for wrong in ({"metric": "cosine"}, {"prior": 0}, {"shared_metric": 3}, {"penalty": -1.0}):
        with pytest.raises(ValueError, match="parameter"):
            MPCKMeans(2, **wrong).fit(X)
    with pytest.raises(ClusterCountError):
        MPCKMeans(9).fit(X)
    with pytest.raises(TypeError, match=re.escape("fit(X, pairs=...)")):
        MPCKMeans(2).fit(X, PairwiseConstraints([(0, 1)], [], 8))


def test_penalty__of_nothing_is_no_pairs(rng):
    X = rng.normal(size=(60, 3))
    free = MPCKMeans(3, init=X[:3]).fit(X)
    model = MPCKMeans(3, init=X[:3], penalty=0).fit(X, pairs=random_pairs(rng, 60, 60))
    assert model.objective_ == pytest.approx(free.objective_)
    assert model.violation_cost_ == 0


def test_weights__are_repeats_without_pairs(rng):
    X = rng.normal(size=(20, 2))
    weights = rng.integers(1, 4, 20)
    a = MPCKMeans(3, init=X[:3], metric="full", tol=0.0).fit(X, sample_weight=weights)
    b = MPCKMeans(3, init=X[:3], metric="full", tol=0.0).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(a.metrics_, b.metrics_, rtol=1e-6)
    assert a.objective_ == pytest.approx(b.objective_)


def test_scikit_learn__pickle_and_clone(rng):
    X = rng.normal(size=(20, 2))
    model = MPCKMeans(2, random_state=0, metric="full").fit(X, pairs=([(0, 1)], [(0, 2)]))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert len(pickle.dumps(model)) < 6000  # the samples are not in it
    assert clone(model).get_params()["prior"] == 10.0
    assert np.array_equal(clone(model).fit_predict(X, pairs=([(0, 1)], [(0, 2)])), model.labels_)
