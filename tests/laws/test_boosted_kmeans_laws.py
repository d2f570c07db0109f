"""Laws of boosted constrained k-means: the algorithms as they are written, and the kernel that is never made."""

import warnings

import numpy as np
import pytest
from boosted_oracle import (
    boosting_definition,
    constrained_assignment_definition,
    constrained_run_definition,
    kernel_distances_definition,
    kernel_k_means_definition,
    listed_run_definition,
    violates,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from tripletree._core import engine
from tripletree.cluster.kmeans.boosted import (
    BoostedConstrainedKMeans,
    Boosting,
    BoostingRules,
    Votes,
    _run,
    consensus,
    constrained_means,
)
from tripletree.cluster.kmeans.lloyd import Points, starting_centres
from tripletree.core.arrays import frozen
from tripletree.core.pairs import PairwiseConstraints


def random_pairs(rng, n, p):
    """A random value of about p pairs, contradictions included, and the same as a list."""
    rows = rng.integers(0, n, (p, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    must = rng.random(len(rows)) < 0.5
    value = PairwiseConstraints(rows[must], rows[~must], n)
    return value, listed(value)


def listed(value):
    return [
        *((a, b, "must") for a, b in value.must_link.tolist()),
        *((a, b, "cannot") for a, b in value.cannot_link.tolist()),
    ]


# ------------------------------------------------------------------ Algorithm 2


@pytest.mark.parametrize("ties", [True, False])
def test_assignment__is_that_of_the_paper(ties):
    seen = set()
    for seed in range(1500):
        rng = np.random.default_rng(seed)
        n, k, p = rng.integers(2, 9), rng.integers(1, 5), rng.integers(0, 12)
        distance = rng.integers(0, 4, (n, k)).astype(float) if ties else rng.random((n, k))
        value, pairs = random_pairs(rng, n, p)
        order = rng.permutation(len(pairs))
        sorted_pairs = [pairs[e] for e in order]
        wanted = constrained_assignment_definition(distance, sorted_pairs)
        found = engine.boosted.constrained_assignment(frozen(distance, float), value.rows, value.n_must, frozen(order))
        assert found.tolist() == wanted.tolist()
        if sorted_pairs:  # the first of all holds, wherever there are two clusters
            assert not violates(wanted, sorted_pairs[0]) or k == 1
        seen.add(sum(violates(wanted, pair) for pair in pairs))
    assert len(seen) > 4


@pytest.mark.parametrize(
    ("stop", "definition"), [("scatter", constrained_run_definition), ("labels", listed_run_definition)]
)
def test_runs__are_those_of_the_paper(stop, definition):
    turned = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, k, d = rng.integers(4, 16), rng.integers(1, 4), rng.integers(1, 4)
        X = rng.normal(size=(n, d))
        value, pairs = random_pairs(rng, n, rng.integers(0, 12))
        order = rng.permutation(len(pairs))
        start = X[rng.permutation(n)[:k]]
        max_iter = int(rng.integers(1, 30))
        labels, centres = constrained_means(Points.of(X), value, order, start, max_iter=max_iter, stop=stop)
        wanted, means = definition(X, [pairs[e] for e in order], start, max_iter)
        assert labels.tolist() == wanted.tolist()
        np.testing.assert_allclose(centres, means, atol=1e-12)
        turned += max_iter > 5
    assert turned > 100


def test_runs__without_pairs_are_k_means():
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(60, 3))
        wanted = KMeans(4, init=X[:4], n_init=1, tol=0.0).fit(X)
        nothing = PairwiseConstraints([], [], 60)
        labels, centres = constrained_means(Points.of(X), nothing, np.empty(0), X[:4], max_iter=300)
        assert np.array_equal(labels, wanted.labels_)
        np.testing.assert_allclose(centres, wanted.cluster_centers_)


# ------------------------------------------------------------------ Algorithm 1


def boosted(X, value, k, seed, n_rounds, **more):
    """A boosting, and all that the definition needs to do the same."""
    given = {"rho": 2.0, "stop_when_perfect": False, "stop": "scatter"}
    given["init"] = "k-means++"
    rules = BoostingRules(n_clusters=k, n_rounds=n_rounds, priorities="boosted", max_iter=100, **{**given, **more})
    boosting = Boosting(Points.of(X), value, rules, np.random.default_rng(seed))
    while not boosting.stopped:
        boosting.step()
    rng = np.random.default_rng(seed)
    ties = rng.permutation(len(value)).tolist()
    starts = [starting_centres(Points.of(X), k, rng) for _ in range(n_rounds)]
    run = listed_run_definition if more.get("stop") == "labels" else constrained_run_definition
    return boosting, ties, lambda t, pairs: run(X, pairs, starts[t], 100)[0]


@pytest.mark.parametrize(("rho", "stop"), [(2.0, "scatter"), (5.0, "labels")])
def test_boosting__is_that_of_the_paper(rho, stop):
    reasons, perfect = set(), 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n, k = (24, int(rng.integers(2, 4))) if seed % 3 else (6, 2)
        X = rng.normal(size=(n, 2))
        value, pairs = random_pairs(rng, n, int(rng.integers(1, 30)))
        pair_weights = None
        if seed % 2 and pairs:
            pair_weights = rng.uniform(0.1, 1.0, len(pairs))
            value = PairwiseConstraints(
                value.must_link,
                value.cannot_link,
                n,
                must_weights=pair_weights[: value.n_must],
                cannot_weights=pair_weights[value.n_must :],
            )
        boosting, ties, learner = boosted(X, value, k, seed, 12, rho=rho, stop=stop)
        kernel, weights, errors, importances = boosting_definition(
            pairs, ties, learner, n, n_rounds=12, rho=rho, pair_weights=pair_weights
        )
        np.testing.assert_allclose(boosting.errors, errors, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(boosting.weights, weights, rtol=1e-9, atol=1e-300)
        np.testing.assert_allclose([r.importance for r in boosting.rounds], importances, rtol=1e-9)
        mine = sum(r.importance * np.where(r.labels[:, None] == r.labels, 1.0, -1.0) for r in boosting.rounds)
        np.testing.assert_allclose(mine, kernel, atol=1e-9)
        reasons.add(boosting.stopped)
        perfect += 0.0 in boosting.errors
    # with rho = 2 a round that repeats the one before has an error of 1/2, and ends it
    assert reasons == ({"rounds", "error"} if rho == 2 else {"rounds"})
    assert perfect > 2


def test_boosting__a_round_is_no_better_than_a_coin_on_the_weights_after_it(rng):
    checked = 0
    X = rng.normal(size=(40, 2))
    value, pairs = random_pairs(rng, 40, 60)
    boosting, *_ = boosted(X, value, 3, 0, 1)
    rules = BoostingRules(3, 30, "boosted", 2.0, False, "scatter", "k-means++", 100)
    boosting = Boosting(Points.of(X), value, rules, np.random.default_rng(0))
    while not boosting.stopped:
        boosting.step()
        if boosting.rounds and 0 < boosting.rounds[-1].importance < 5.0 and not boosting.stopped:
            violated = boosting.pairs.is_violated(boosting.rounds[-1].labels)
            assert boosting.weights[violated].sum() == pytest.approx(0.5)
            assert boosting.weights.sum() == pytest.approx(1.0)
            checked += 1
    assert checked > 5


def test_boosting__the_votes_violate_no_more_than_the_bound_of_boosting():
    """Freund and Schapire (1997): of the pairs, the votes get at most the product of the factors wrong."""
    below = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 2))
        y = rng.integers(0, 2, 30)
        rows = rng.integers(0, 30, (25, 2))
        rows = rows[rows[:, 0] != rows[:, 1]]
        same = y[rows[:, 0]] == y[rows[:, 1]]
        value = PairwiseConstraints(rows[same], rows[~same], 30)
        boosting, *_ = boosted(X, value, 2, seed, 30)
        factors = [(1 - r.error) * np.exp(-r.importance) + r.error * np.exp(r.importance) for r in boosting.rounds]
        kernel = sum(r.importance * np.where(r.labels[:, None] == r.labels, 1.0, -1.0) for r in boosting.rounds)
        wrong = [(kernel[a, b] if kind == "must" else -kernel[a, b]) <= 0 for a, b, kind in listed(value)]
        assert np.mean(wrong) <= np.prod(factors) + 1e-9
        below += np.prod(factors) < 0.2
    assert below > 3


# ------------------------------------------------------------------ the kernel


def random_votes(rng, n, rounds, k):
    labels = [rng.integers(0, k, n).astype(np.int32) for _ in range(rounds)]
    importance = rng.uniform(0.1, 5.0, rounds)
    kernel = sum(a * np.where(x[:, None] == x, 1.0, -1.0) for a, x in zip(importance, labels, strict=True))
    return labels, importance, kernel


def test_kernel__distances_are_half_of_those_by_its_matrix():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, rounds, k, q = rng.integers(3, 15), rng.integers(1, 6), rng.integers(1, 4), rng.integers(1, 4)
        labels, importance, kernel = random_votes(rng, n, rounds, k)
        votes = Votes.of(labels, importance, k)
        cluster = np.concatenate([np.arange(q), rng.integers(0, q, max(0, len(votes.rows) - q))])[: len(votes.rows)]
        q = int(cluster.max()) + 1
        mine = votes.distances(votes.means(cluster, q))[votes.row_of]
        wanted = kernel_distances_definition(kernel, cluster[votes.row_of], q)
        np.testing.assert_allclose(2 * mine, wanted, atol=1e-9)
        for i in range(len(votes.rows)):
            apart = engine.boosted.disagreement(votes.rows, votes.importance, i)[votes.row_of]
            s = int(np.flatnonzero(votes.row_of == i)[0])
            np.testing.assert_allclose(2 * apart, kernel.diagonal() + kernel[s, s] - 2 * kernel[s], atol=1e-9)


def test_kernel__k_means_is_kernel_k_means_on_its_matrix():
    compared = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, q = int(rng.integers(6, 25)), int(rng.integers(2, 4))
        labels, importance, kernel = random_votes(rng, n, int(rng.integers(2, 7)), 3)
        votes = Votes.of(labels, importance, 3)
        if len(votes.rows) <= q:
            continue
        start = np.concatenate([np.arange(q), rng.integers(0, q, len(votes.rows) - q)]).astype(np.int32)
        wanted = kernel_k_means_definition(kernel, start[votes.row_of], q)
        if wanted is None:
            continue
        found, inertia = _run(votes, start)
        assert found[votes.row_of].tolist() == wanted.tolist()
        own = kernel_distances_definition(kernel, wanted, q)[np.arange(n), wanted]
        assert 2 * inertia == pytest.approx(own.sum())
        compared += 1
    assert compared > 40


def test_kernel__votes_one_after_the_other_are_the_votes(rng):
    labels, importance, _ = random_votes(rng, 40, 5, 3)
    grown = Votes.none(40, 3)
    for part, a in zip(labels, importance, strict=True):
        grown = grown.grown(part, a)
    whole = Votes.of(labels, importance, 3)
    assert np.array_equal(grown.rows, whole.rows)
    assert np.array_equal(grown.row_of, whole.row_of)
    assert np.array_equal(grown.weights, whole.weights)
    assert np.array_equal(whole.rows[whole.row_of].T, labels)


def test_kernel__best_runs_of_few_samples_are_optimal():
    reached = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        labels, importance, kernel = random_votes(rng, 7, 4, 2)
        votes = Votes.of(labels, importance, 2)
        found = consensus(votes, 2, rng, n_init=20)
        best = np.inf
        for code in range(1, 2**6):
            cluster = np.array([(code >> i) & 1 for i in range(7)])
            own = kernel_distances_definition(kernel, cluster, 2)[np.arange(7), cluster].sum() / 2
            best = min(best, own)
        assert found.inertia >= best - 1e-9
        reached += found.inertia <= best + 1e-9
    assert reached >= 11


# ------------------------------------------------------------------ at any time


@pytest.mark.parametrize("priorities", ["boosted", "random"])
def test_rounds__stages_are_fits_of_fewer_rounds(priorities):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    rows = rng.integers(0, 40, (50, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    same = y[rows[:, 0]] == y[rows[:, 1]]
    pairs = rows[same], rows[~same]
    make = {"priorities": priorities, "random_state": 3}
    whole = BoostedConstrainedKMeans(2, n_rounds=7, **make).fit(X, pairs=pairs)
    staged = list(whole.staged_labels())
    steps = []
    for model in BoostedConstrainedKMeans(2, n_rounds=7, **make).fit_rounds(X, pairs=pairs):
        steps.append((model.n_iter_, model.labels_, model.violation_cost_, len(model.importances_)))
    assert [r for r, *_ in steps] == list(range(1, 8))
    for r, labels, cost, counted in steps:
        fewer = BoostedConstrainedKMeans(2, n_rounds=r, **make).fit(X, pairs=pairs)
        assert np.array_equal(labels, fewer.labels_)
        assert cost == fewer.violation_cost_
        assert np.array_equal(labels, staged[counted - 1])
    assert np.array_equal(staged[-1], whole.labels_)


pair = st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1])
numbers = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3))


@settings(max_examples=40)
@given(
    X=arrays(float, (10, 2), elements=numbers | st.sampled_from([0.0, 1.0])),
    must=st.lists(pair, max_size=8),
    cannot=st.lists(pair, max_size=8),
    k=st.integers(1, 4),
    priorities=st.sampled_from(["boosted", "random", "none"]),
    seed=st.integers(0, 3),
)
def test_any_input__gives_clusters_and_what_they_violate(X, must, cannot, k, priorities, seed):
    pairs = PairwiseConstraints(np.reshape(must, (-1, 2)), np.reshape(cannot, (-1, 2)), 10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = BoostedConstrainedKMeans(k, n_rounds=5, n_init=2, priorities=priorities, random_state=seed)
        model.fit(X, pairs=pairs)
    label = model.labels_
    held = int(label.max()) + 1
    assert held <= k
    assert np.unique(label, return_index=True)[1].tolist() == sorted(np.unique(label, return_index=True)[1].tolist())
    assert set(label.tolist()) == set(range(held))
    found = {(a, b, kind) for a, b, kind in model.violated_pairs_}
    assert found == {(a, b, kind) for a, b, kind in pairs if violates(label, (a, b, kind))}
    assert model.violation_cost_ == len(found)
    assert model.n_iter_ == len(model.errors_)
    assert model.hypotheses_.shape == (len(model.importances_), 10)
    assert (model.importances_ > 0).all()
    assert set(model.predict(X).tolist()) <= set(range(held))
    if len(pairs):
        weights = model.pair_weights_
        assert len(weights) == len(pairs)
        assert weights.must_weights.sum() + weights.cannot_weights.sum() == pytest.approx(1.0)
