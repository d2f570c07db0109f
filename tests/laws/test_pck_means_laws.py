"""Laws of k-means with soft pairs."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pck_oracle import best_pck_objective, means, mpck_objective, pck_objective, random_pairs
from sklearn.exceptions import ConvergenceWarning

from tripletree.cluster import MPCKMeans, PCKMeans
from tripletree.cluster.kmeans.lloyd import Points
from tripletree.cluster.kmeans.mpck_means import MetricState, MetricTask, far_differences
from tripletree.cluster.kmeans.soft_pairs import EuclideanState, WeightedLinks, first_centres, soft_run
from tripletree.core.pairs import PairwiseConstraints


def standard(X):
    X = X - X.mean(axis=0)
    return X / np.sqrt((X**2).sum(axis=1).mean())


def test_runs__the_objective_never_increases():
    turns = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = standard(rng.normal(size=(50, 2)))
        must, cannot = random_pairs(rng, 50, 60)
        links = WeightedLinks.of(must, cannot, rng.random(len(must) + len(cannot)))
        points = Points.of(X)
        centres = first_centres(points, links, 4, rng, drawn=seed % 2 == 1)
        penalty = 10.0 ** rng.uniform(-2, 1)
        history = []
        start = EuclideanState.of(points, links, penalty, centres, 0.0)
        run = soft_run(start, links, rng, max_iter=50, history=history)
        turns += len(history)
        assert (np.diff(history) <= 1e-12 * abs(history[0])).all()
        assert run.converged
        pair_weights = links.weights[: links.n_must], links.weights[links.n_must :]
        wanted = pck_objective(X, run.labels, run.state.centres, must, cannot, penalty, None, *pair_weights)
        assert run.objective == pytest.approx(wanted, rel=1e-9)
        np.testing.assert_allclose(run.state.centres, means(X, run.labels, 4), atol=1e-12)
    assert turns > 200


@pytest.mark.parametrize("penalty", [0.0, 0.3, 3.0])
def test_optimum__is_reached_and_never_passed(penalty):
    reached = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, k = (7, 2) if seed % 2 else (6, 3)
        X = rng.normal(size=(n, 2))
        must, cannot = random_pairs(rng, n, 5)
        best = best_pck_objective(X, k, must, cannot, penalty)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters may be best
            found = PCKMeans(k, penalty=penalty, n_init=20, tol=0.0, random_state=seed).fit(X, pairs=(must, cannot))
        assert found.objective_ >= best * (1 - 1e-9)
        reached += found.objective_ <= best * (1 + 1e-9)
    assert reached >= 10


pair = st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1])
numbers = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3))


@settings(max_examples=60)
@given(
    X=arrays(float, (10, 2), elements=numbers | st.sampled_from([0.0, 1.0])),
    must=st.lists(pair, max_size=6),
    cannot=st.lists(pair, max_size=6),
    k=st.integers(1, 4),
    penalty=st.sampled_from([0.0, 0.1, 1.0, 1e6]),
    seed=st.integers(0, 3),
)
def test_any_input__gives_labels_and_their_objective(X, must, cannot, k, penalty, seed):
    pairs = PairwiseConstraints(np.reshape(must, (-1, 2)), np.reshape(cannot, (-1, 2)), 10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = PCKMeans(k, penalty=penalty, n_init=2, random_state=seed).fit(X, pairs=pairs)
    assert set(model.labels_.tolist()) <= set(range(k))
    assert np.isfinite(model.cluster_centers_).all()
    wanted = pck_objective(X, model.labels_, model.cluster_centers_, pairs.must_link, pairs.cannot_link, penalty)
    scale = ((X - X.mean(axis=0)) ** 2).sum()
    assert model.objective_ == pytest.approx(wanted, rel=1e-6, abs=1e-9 * scale)
    found = {(a, b, kind) for a, b, kind in model.violated_pairs_}
    label = model.labels_
    assert found == {(a, b, kind) for a, b, kind in pairs if (label[a] == label[b]) == (kind == "cannot")}


@settings(max_examples=40)
@given(
    X=arrays(float, (10, 2), elements=numbers | st.sampled_from([0.0, 1.0])),
    must=st.lists(pair, max_size=6),
    cannot=st.lists(pair, max_size=6),
    k=st.integers(1, 4),
    full=st.booleans(),
    shared=st.booleans(),
    penalty=st.sampled_from([0.0, 0.1, 1.0, 1e6]),
)
def test_any_input__gives_metrics(X, must, cannot, k, full, shared, penalty):
    pairs = PairwiseConstraints(np.reshape(must, (-1, 2)), np.reshape(cannot, (-1, 2)), 10)
    model = MPCKMeans(k, penalty=penalty, n_init=2, metric="full" if full else "diagonal", shared_metric=shared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(random_state=0).fit(X, pairs=pairs)
    assert set(model.labels_.tolist()) <= set(range(k))
    assert np.isfinite(model.objective_)
    assert model.violation_cost_ >= 0
    for a in model.metrics_:
        assert (a > 0).all() if not full else (np.linalg.eigvalsh(a) > 0).all()
    assert model.predict(X).shape == (10,)


@pytest.mark.parametrize("shared", [False, True])
def test_optimum__of_diagonal_metrics_is_reached_and_never_passed(shared):
    reached = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = standard(rng.normal(size=(7, 2)))
        must, cannot = random_pairs(rng, 7, 5)
        points, links = Points.of(X), WeightedLinks.of(must, cannot, np.ones(len(must) + len(cannot)))
        problem = MetricTask(
            points, links, 0.5 * links.weights, *far_differences(points, links, rng, full=False), 2.0, shared, 0.0
        )
        costs = []
        for labels in itertools.product(range(2), repeat=7):
            if labels[0] == 0 and 1 in labels:  # the best centres and metrics for labels are known
                best = MetricState.of(problem, np.zeros((2, 2)), full=False).updated(np.array(labels, np.int32))
                far = np.ptp(X, axis=0)[None]
                costs.append(
                    mpck_objective(X, labels, best.centres, best.metrics, must, cannot, 0.5, 2.0, far, shared=shared)
                )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MPCKMeans(
                2,
                metric="diagonal",
                penalty=0.5,
                prior=2.0,
                shared_metric=shared,
                n_init=20,
                tol=0.0,
                random_state=seed,
            )
            model.fit(X, pairs=(must, cannot))
        if len(set(model.labels_.tolist())) == 2:
            assert model.objective_ >= min(costs) - 1e-9
        reached += model.objective_ <= min(costs) + 1e-9
    assert reached >= 6


def test_penalty__of_nothing_is_no_pairs(rng):
    X = rng.normal(size=(60, 3))
    free = PCKMeans(4, random_state=0, init="k-means++").fit(X)
    model = PCKMeans(4, random_state=0, init="k-means++", penalty=0).fit(X, pairs=random_pairs(rng, 60, 60))
    assert model.objective_ == pytest.approx(free.objective_, rel=1e-3)
    assert model.violation_cost_ == 0


def test_penalty__the_dearer_the_fewer(rng):
    # the cost of the violated pairs alone does not grow with the price of the optimum. At the ends it is plain
    X = rng.normal(size=(40, 2))
    pairs = random_pairs(rng, 40, 40, rng.integers(0, 3, 40))
    violated = [len(PCKMeans(3, penalty=p, random_state=0).fit(X, pairs=pairs).violated_pairs_) for p in (0, 0.5, 50)]
    assert violated[0] > violated[1] >= violated[2] == 0
