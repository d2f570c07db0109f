"""Laws of every repair, and the exact one beside all binary hierarchies."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import binary_hierarchies, triplets_of
from strategies import triplet_rows

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.induce import displays
from tripletree.algorithms.repair import repair
from tripletree.core.triplets import TripletSet

METHODS = ["auto", "exact", "search", "greedy"]


@cache
def world(n):
    """Row by row, the triplets that each binary hierarchy of n leaves displays, and the number of each triplet."""
    number = {t: i for i, t in enumerate(t for t in permutations(range(n), 3) if t[0] < t[1])}
    shown = np.zeros((sum(1 for _ in binary_hierarchies(list(range(n)))), len(number)), bool)
    for i, nested in enumerate(binary_hierarchies(list(range(n)))):
        shown[i, [number[t] for t in triplets_of(nested)[1]]] = True
    return shown, number


def best_weight_definition(t):
    """The greatest weight that a hierarchy displays. Refining one never loses a triplet, so binary ones will do."""
    shown, number = world(len(t.leaves))
    weight = np.ones(len(t)) if t.weights is None else t.weights
    return (shown[:, [number[row] for row in map(tuple, t.rows.tolist())]] @ weight).max(initial=0.0)


@st.composite
def noisy_sets(draw, min_leaves=3, max_leaves=7, max_size=40):
    """Any triplets, perhaps with weights, some of them equal."""
    n = draw(st.integers(min_leaves, max_leaves))
    rows = draw(triplet_rows(n, max_size))
    weights = st.one_of(st.integers(1, 4).map(float), st.floats(0.01, 10))
    given_ones = draw(st.one_of(st.none(), st.lists(weights, min_size=len(rows), max_size=len(rows))))
    return TripletSet.from_labels(rows, leaves=range(n), weights=given_ones)


@given(noisy_sets(max_leaves=6))
@settings(max_examples=40)
def test_repair_laws__exact_is_the_best_of_all_hierarchies(t):
    found = repair(t, method="exact")
    assert found.weight_kept == pytest.approx(best_weight_definition(t))
    assert repair(t).weight_kept == pytest.approx(found.weight_kept)


@pytest.mark.parametrize("n", [3, 4])
def test_repair_laws__exact_is_the_best_for_every_small_set_of_a_kind(n):
    every = [t for t in permutations(range(n), 3) if t[0] < t[1]]
    for bits in range(1, 1 << len(every), 1 if n == 3 else 7):
        t = TripletSet([row for i, row in enumerate(every) if bits >> i & 1], n)
        assert repair(t, method="exact").weight_kept == best_weight_definition(t)


@pytest.mark.parametrize("method", METHODS)
@given(t=noisy_sets(), seed=st.integers(0, 3))
@settings(max_examples=20)
def test_repair_laws__kept_and_dropped(method, t, seed):
    found = repair(t, method=method, random_state=seed)
    assert is_consistent(found.kept)
    assert found.kept | found.dropped == t
    assert len(found.kept & found.dropped) == 0
    total = float(len(t)) if t.weights is None else t.weights.sum()
    assert found.weight == pytest.approx(total) == pytest.approx(found.weight_kept + found.weight_lost)
    assert found.hierarchy == one_tree(found.kept)
    assert found.hierarchy.leaves == t.leaves
    assert displays(found.hierarchy, found.kept).all()
    # nothing that was dropped could have stayed
    for row in found.dropped.rows:
        assert not is_consistent(TripletSet(np.concatenate([found.kept.rows, [row]]), t.leaves))
    assert (len(found.dropped) == 0) == is_consistent(t) == (found.method == "none")


@pytest.mark.parametrize("method", ["auto", "search", "exact"])
@given(t=noisy_sets(max_size=60))
@settings(max_examples=20)
def test_repair_laws__at_least_a_third(method, t):
    assert 3 * repair(t, method=method).weight_kept >= repair(t).weight * (1 - 1e-12)


@pytest.mark.parametrize("work", [0, 3_000, 10**9])
@given(t=noisy_sets(min_leaves=13, max_leaves=15, max_size=50))
@settings(max_examples=6)
def test_repair_laws__auto_is_never_below_greedy_nor_a_third(work, t):
    found = repair(t, max_steps=work)
    assert found.weight_kept >= repair(t, method="greedy").weight_kept * (1 - 1e-12)
    assert 3 * found.weight_kept >= found.weight * (1 - 1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(t=noisy_sets(max_leaves=7), seed=st.integers(0, 99))
@settings(max_examples=10)
def test_repair_laws__rows_in_any_order(method, t, seed):
    order = np.random.default_rng(seed).permutation(len(t))
    mixed = TripletSet(t.rows[order][:, [1, 0, 2]], t.leaves, None if t.weights is None else t.weights[order])
    assert repair(mixed, method=method, random_state=1) == repair(t, method=method, random_state=1)


@pytest.mark.parametrize("method", METHODS)
@given(t=noisy_sets(max_leaves=7))
@settings(max_examples=10)
def test_repair_laws__a_repair_has_nothing_to_repair(method, t):
    again = repair(repair(t, method=method).kept, method=method)
    assert again.method == "none"
    assert again.kept == repair(t, method=method).kept
