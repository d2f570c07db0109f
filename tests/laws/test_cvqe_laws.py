"""Laws of constrained vector quantisation."""

import itertools

import numpy as np
import pytest
from cvqe_oracle import assigned, objective, pair_costs, updated
from hypothesis import given, settings
from hypothesis import strategies as st
from pck_oracle import random_pairs

from tripletree.cluster.kmeans.cvqe import (
    CVQE,
    AllPairsRule,
    CentreDistances,
    HistoricalCost,
    LinearRule,
    QuantizationTask,
    QuantizingMeans,
    SinglePairRule,
    cvqe_plus,
    quantize,
)
from tripletree.cluster.kmeans.lloyd import Points
from tripletree.cluster.kmeans.soft_pairs import WeightedLinks

RULES = {"cvqe": SinglePairRule(), "lcvqe": LinearRule(), "plus": AllPairsRule(), "both": AllPairsRule(2.0)}
METHODS = list(RULES)


def case(seed, n=14, p=16, k=3, *, weighted=True, both=False):
    """Samples, centres, pairs with weights, weights of samples. `both`: some pairs are of both kinds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * rng.uniform(0.3, 3)
    must, cannot = random_pairs(rng, n, p)
    if both and len(must):
        cannot = np.concatenate([cannot, must[: max(2, n // 7)]])
    weights = rng.uniform(0.5, 3, n) if weighted else np.ones(n)
    return X, X[:k] + 0.1, must, cannot, rng.uniform(0, 2, len(must)), rng.uniform(0, 2, len(cannot)), weights


def task_of(X, must, cannot, must_w, cannot_w, weights):
    links = WeightedLinks.of(must, cannot, np.concatenate([must_w, cannot_w]))
    return QuantizationTask.of(Points.of(X, weights), links)


# ------------------------------------------------------------------ the steps are their definitions


@pytest.mark.parametrize("method", METHODS)
def test_steps__are_their_definitions(method):
    rule, violated = RULES[method], 0
    for seed in range(24):
        k = 1 + seed % 4
        X, centres, *pairs, weights = case(seed, k=k, both=seed % 3 == 0)
        task = task_of(X, *pairs, weights)
        labels, steps = None, QuantizingMeans(task, rule, None, 0.0)
        for _ in range(3):
            now = steps.round(centres, labels)
            before = None if labels is None else labels.tolist()
            assert now.labels.tolist() == assigned(method, X, centres, *pairs, weights, before)
            labels = now.labels
            assert now.cost == pytest.approx(objective(method, X, labels, centres, *pairs, weights))
            costs = rule.costs(task, now.scene, labels[task.links.nodes])
            wanted = pair_costs(method, X, labels, centres, *pairs)
            np.testing.assert_allclose(costs, wanted, atol=1e-12)
            violated += sum(c > 0 for c in wanted)
            if np.bincount(labels, minlength=k).min() == 0:
                break
            moved = steps.first(now).centres
            np.testing.assert_allclose(moved, updated(method, X, labels, centres, *pairs, weights))
            centres = moved
    assert violated > 10


def test_steps__of_two_samples_that_are_in_both_kinds_of_pairs():
    # labels from far off: the two must go over together, at the price of both of their pairs
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, centres = rng.normal(size=(4, 1)), rng.normal(size=(3, 1))
        both = np.array([[0, 1], [1, 2]])
        pairs = both[:1], both, rng.uniform(0, 3, 1), rng.uniform(0, 3, 2)
        labels = rng.integers(0, 3, 4).astype(np.int32)
        order = rng.permutation(3)
        task = task_of(X, *pairs, np.ones(4)).with_order(order)
        label = RULES["plus"].assigned(task, CentreDistances.of(task, centres), labels[task.links.nodes])
        cost = objective("plus", X, [*label, labels[3]], centres, *pairs)
        for g, h in itertools.product(range(3), repeat=2):  # the pair looked at last has nothing left to save
            i, j = task.links.ends[order[-1]]
            other = [*label, labels[3]]
            other[i], other[j] = g, h
            assert objective("plus", X, other, centres, *pairs) >= cost - 1e-12


# ------------------------------------------------------------------ does the objective fall?


def runs(method, seeds, *, which="both"):
    for seed in seeds:
        X, centres, must, cannot, must_w, cannot_w, weights = case(seed, n=30, p=45, k=2 + seed % 4)
        if which == "must":
            cannot, cannot_w = cannot[:0], cannot_w[:0]
        history = []
        pairs = must, cannot, must_w, cannot_w
        task = task_of(X, *pairs, weights)
        outcome = quantize(task, RULES[method], centres, max_iter=40, tolerance=1e-9, history=history)
        yield outcome, history, (X, pairs, weights)


def test_objective__of_cvqe_plus_never_rises_by_choosing_labels():
    for outcome, history, _ in runs("plus", range(20)):
        chosen, moved = history[::2], history[1::2]
        assert all(a <= b * (1 + 1e-12) for a, b in zip(chosen[1:], moved, strict=True))
        assert outcome.cost <= min(chosen) * (1 + 1e-11)


def test_objective__of_cvqe_plus_with_must_links_never_rises():
    steps = 0
    for outcome, history, _ in runs("plus", range(20), which="must"):
        assert (np.diff(history) <= 1e-12 * history[0]).all()
        assert outcome.converged
        assert outcome.cost == pytest.approx(history[-1], rel=1e-9)
        steps += len(history)
    assert steps > 150


@pytest.mark.parametrize("method", METHODS)
def test_objective__may_rise_and_the_best_round_is_kept(method):
    rose = 0
    for outcome, history, (X, pairs, weights) in runs(method, range(20)):
        chosen = history[::2]
        rose += bool((np.diff(history) > 1e-9 * history[0]).any())
        assert outcome.cost <= min(chosen) * (1 + 1e-11)
        wanted = objective(method, X, outcome.labels, outcome.scene.centres, *pairs, weights)
        assert outcome.cost == pytest.approx(wanted)
    assert rose > 0


def test_update__of_must_links_is_best_for_each_centre_alone():
    # Eq. 2 as a coordinate minimum of the objective that counts each violated must-link once
    for seed in range(10):
        X, centres, must, cannot, must_w, cannot_w, weights = case(seed)
        none, no_w = cannot[:0], cannot_w[:0]
        task = task_of(X, must, none, must_w, no_w, weights)
        steps = QuantizingMeans(task, AllPairsRule(), None, 0.0)
        now = steps.round(centres, None)
        moved = steps.first(now).centres
        for g in set(now.labels.tolist()):
            alone = centres.copy()
            alone[g] = moved[g]
            least = objective("plus", X, now.labels, alone, must, none, must_w, no_w, weights)
            for step in itertools.product((-1e-3, 0, 1e-3), repeat=2):
                other = alone.copy()
                other[g] += step
                assert objective("plus", X, now.labels, other, must, none, must_w, no_w, weights) >= least - 1e-12


def test_update__of_lcvqe_is_best_while_the_farther_samples_stay_so():
    for seed in range(10):
        X, centres, must, _, must_w, _, weights = case(seed)
        none, no_w = must[:0], must_w[:0]
        task = task_of(X, must, none, must_w, no_w, weights)
        steps = QuantizingMeans(task, LinearRule(), None, 0.0)
        now = steps.round(centres, None)
        moved = steps.first(now).centres
        least = objective("lcvqe", X, now.labels, moved, must, none, must_w, no_w, weights)
        for step in np.random.default_rng(seed).normal(size=(20, *moved.shape)) * 1e-3:
            assert objective("lcvqe", X, now.labels, moved + step, must, none, must_w, no_w, weights) >= least


# ------------------------------------------------------------------ laws


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_history__is_its_definition(seed, alpha):
    X, centres, *pairs, weights = case(seed, n=20, p=10)
    rng = np.random.default_rng(seed)
    former, mass = rng.normal(size=centres.shape), rng.uniform(0, 9, 3)
    found = cvqe_plus(X, *pairs, centres, history=(former, alpha), history_mass=mass, sample_weight=weights)
    here = objective("plus", X, found.labels, found.centers, *pairs, weights)
    before = (mass * ((found.centers - former) ** 2).sum(axis=1)).sum()
    assert found.cost == pytest.approx((1 - alpha) * here + alpha * before)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.0, 1.0), st.booleans())
def test_history__of_the_closest_earlier_centres_is_its_definition(seed, alpha, unknown):
    X, centres, *pairs, weights = case(seed, n=20, p=10)
    rng = np.random.default_rng(seed)
    former, mass = rng.normal(size=centres.shape), rng.uniform(0.1, 9, 3)
    kept = range(1, 3) if unknown else range(3)

    def psi(c):
        """The closest earlier centre (Eq. 8), by its number."""
        return min(kept, key=lambda g: sum((c - former[g]) ** 2))

    given_former = np.where(np.isin(np.arange(3), list(kept))[:, None], former, np.nan)
    how = {"history": (given_former, alpha), "history_mass": mass, "history_closest": True, "sample_weight": weights}
    found = cvqe_plus(X, *pairs, centres, **how)
    here = objective("plus", X, found.labels, found.centers, *pairs, weights)
    before = sum(mass[psi(c)] * sum((c - former[psi(c)]) ** 2) for c in found.centers)
    assert found.cost == pytest.approx((1 - alpha) * here + alpha * before)
    past = HistoricalCost(former, alpha, np.where(np.isin(np.arange(3), list(kept)), mass, 0.0), closest=True)
    task = task_of(X, pairs[0][:0], pairs[1][:0], pairs[2][:0], pairs[3][:0], weights)
    steps = QuantizingMeans(task, AllPairsRule(), past, 0.0)
    now = steps.round(centres, None)
    moved = steps.first(now).centres
    for i, c in enumerate(centres):  # Eq. 9, with masses
        mine, g = now.labels == i, psi(c)
        total = (1 - alpha) * (weights[mine, None] * X[mine]).sum(axis=0) + alpha * mass[g] * former[g]
        share = (1 - alpha) * weights[mine].sum() + alpha * mass[g]
        if share > 0:
            np.testing.assert_allclose(moved[i], total / share)


def test_history__with_must_links_the_objective_never_rises(rng):
    for seed in range(15):
        X, centres, must, cannot, must_w, cannot_w, weights = case(seed, n=40, p=30)
        task = task_of(X, must, cannot[:0], must_w, cannot_w[:0], weights)
        past = HistoricalCost(rng.normal(size=centres.shape), rng.random(), rng.uniform(0, 20, 3))
        history = []
        quantize(task, AllPairsRule(), centres, max_iter=50, tolerance=1e-12, past=past, history=history)
        assert (np.diff(history) <= 1e-12 * history[0]).all()


def test_optimum__is_never_passed_and_often_reached():
    reached = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(6, 2))
        must, _ = random_pairs(rng, 6, 6)
        ones, none = np.ones(len(must)), must[:0]
        best = min(
            objective("plus", X, labels, _settled(X, labels, must, ones), must, none, ones, none[:, 0])
            for labels in itertools.product(range(2), repeat=6)
            if len(set(labels)) == 2
        )
        model = CVQE(2, random_state=seed, tol=0.0, n_init=10).fit(X, pairs=(must, none))
        assert model.objective_ >= best * (1 - 1e-9)
        reached += model.objective_ <= best * (1 + 1e-6)
    assert reached >= 4


def _settled(X, labels, must, ones):
    """The best centres of labels: the fixed point of Eq. 2."""
    centres = np.array([X[np.array(labels) == g].mean(axis=0) for g in range(2)])
    for _ in range(100):
        centres = updated("plus", X, labels, centres, must, must[:0], ones, ones[:0])
    return centres
