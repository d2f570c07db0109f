"""The baselines of `repair` in benchmarks: the triplets they keep, and the minimum cut beside networkx."""

import sys
from pathlib import Path

import numpy as np
import pytest
from examples import caterpillar, planted, uniform_binary, yule
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import triplet_rows

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.induce import displays
from tripletree.algorithms.repair import Problem, displayed_by
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if not (BENCHMARKS / "baselines_repair.py").is_file():
    pytest.skip("benchmarks/baselines_repair.py is not here", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

from baselines_repair import METHODS, best_pair, repair_by  # noqa: E402

every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def noisy():
    return planted(yule(20, np.random.default_rng(3)), 90, 0.2, 3)


@st.composite
def noisy_sets(draw, max_leaves=7, max_size=40):
    """Any triplets, perhaps with weights, some of them equal."""
    n = draw(st.integers(3, max_leaves))
    rows = draw(triplet_rows(n, max_size))
    weights = st.one_of(st.integers(1, 4).map(float), st.floats(0.01, 10))
    given_ones = draw(st.one_of(st.none(), st.lists(weights, min_size=len(rows), max_size=len(rows))))
    return TripletSet.from_labels(rows, leaves=range(n), weights=given_ones)


@every_method
def test_baselines__drop_the_one_that_weighs_least(method):
    t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a"), ("a", "c", "b")], weights=[2, 5, 1])
    found = repair_by(method, t)
    assert list(found.kept) == [("b", "c", "a")]
    assert found.hierarchy == Hierarchy.from_nested([("b", "c"), "a"])
    assert found.method == method


def test_baselines__an_unknown_method(noisy):
    with pytest.raises(ValueError, match="method is 'magic'; expected one of 'best_pair'"):
        repair_by("magic", noisy)


@every_method
def test_baselines__huge_and_tiny_weights(method):
    t = TripletSet([(0, 1, 2), (1, 2, 0), (0, 1, 3), (1, 3, 0)], 4, [0.8e308, 1e-300, 0.4e308, 0.4e308])
    assert (0, 1, 2) in repair_by(method, t).kept


@every_method
@given(t=noisy_sets(), seed=st.integers(0, 3))
@settings(max_examples=20)
def test_baselines__kept_and_dropped(method, t, seed):
    found = repair_by(method, t, random_state=seed)
    assert is_consistent(found.kept)
    assert found.kept | found.dropped == t
    assert len(found.kept & found.dropped) == 0
    assert found.hierarchy == one_tree(found.kept)
    assert displays(found.hierarchy, found.kept).all()
    for row in found.dropped.rows:  # nothing that was dropped could have stayed
        assert not is_consistent(TripletSet(np.concatenate([found.kept.rows, [row]]), t.leaves))
    assert (len(found.dropped) == 0) == is_consistent(t) == (found.method == "none")
    assert repair_by(method, found.kept).kept == found.kept


@every_method
@given(t=noisy_sets(), seed=st.integers(0, 99))
@settings(max_examples=10)
def test_baselines__rows_in_any_order(method, t, seed):
    order = np.random.default_rng(seed).permutation(len(t))
    mixed = TripletSet(t.rows[order][:, [1, 0, 2]], t.leaves, None if t.weights is None else t.weights[order])
    assert repair_by(method, mixed, random_state=1) == repair_by(method, t, random_state=1)


@given(t=noisy_sets(max_size=60))
@settings(max_examples=20)
def test_baselines__best_pair_keeps_at_least_a_third(t):
    found = repair_by("best_pair", t)
    assert 3 * found.weight_kept >= found.weight * (1 - 1e-12)


def test_baselines__best_pair_with_weights_that_rounding_would_lose():
    t = TripletSet([(0, 2, 3), (2, 3, 0), (2, 3, 1)], 4, [1, 1, 1e-17])
    found = repair_by("best_pair", t)
    assert found.weight_kept >= found.weight / 3


@pytest.mark.parametrize("seed", range(5))
def test_baselines__best_pairs_display_a_third(seed):
    rng = np.random.default_rng(seed)
    rows = freeze(np.array([rng.permutation(12)[:3] for _ in range(200)], np.int32))
    weight = freeze(rng.random(200))
    shown = displayed_by(best_pair(Problem(rows, weight, 12)), rows)
    assert 3 * weight[shown].sum() >= weight.sum() - 1e-9


def test_baselines__best_pair_of_a_long_ladder():
    n = 2_000
    rows = np.stack([np.arange(n - 2), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    t = TripletSet(np.concatenate([rows, [(0, n - 1, 1)]]), n)
    assert 3 * len(repair_by("best_pair", t).kept) >= len(t)


def test_baselines__same_seed_same_answer(noisy):
    one, two = (repair_by("max_cut", noisy, random_state=7) for _ in range(2))
    assert one == two
    assert repair_by("max_cut", noisy) == repair_by("max_cut", noisy)


@pytest.mark.parametrize("method", ["max_cut", "min_cut"])
@pytest.mark.parametrize("steps", [0, 1, 5_000])
def test_baselines__without_steps_at_least_a_third_is_kept(noisy, method, steps):
    found = repair_by(method, noisy, max_steps=steps)
    assert is_consistent(found.kept)
    assert 3 * len(found.kept) >= len(noisy)


@pytest.mark.parametrize("make", [yule, uniform_binary, lambda n, _: caterpillar(n)])
@pytest.mark.parametrize("flips", [0.05, 0.3])
def test_baselines__maximum_cuts_find_planted_noise(make, flips):
    h = make(20, np.random.default_rng(11))
    t = planted(h, 150, flips, 11)
    assert len(repair_by("max_cut", t).kept) >= 0.8 * displays(h, t).sum()
