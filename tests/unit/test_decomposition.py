"""Decomposition: sizes and sets worked out by hand, budgets, refusals."""

import numpy as np
import pytest
from examples import balanced, caterpillar, star, two_level

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.algorithms.induce import displays
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError

HAND = [
    # hierarchy, size of "identify", size of "rebuild"
    pytest.param(Hierarchy([-1], ["x"]), 0, 0, id="one leaf"),
    pytest.param(star(2), 0, 0, id="two leaves"),
    pytest.param(star(7), 0, 0, id="star"),
    pytest.param(caterpillar(7), 5, 5, id="caterpillar"),
    pytest.param(balanced(8), 6, 6, id="balanced"),
    pytest.param(two_level(12, 3), 9 * 2, 9, id="two levels"),
    pytest.param(balanced(9, 3), 3 * 2 * 2, 6, id="ternary"),
    pytest.param(Hierarchy.from_nested([("a", "b"), ("c", "d", "e"), "f"]), 2 * 1 + 2 * 2, 3, id="mixed"),
]


@pytest.mark.parametrize(("h", "identify", "rebuild"), HAND)
def test_decompose__sizes_worked_out_by_hand(h, identify, rebuild):
    assert len(decompose(h)) == decomposition_size(h) == identify
    assert len(decompose(h, guarantee="identify")) == decomposition_size(h, guarantee="identify") == identify
    assert len(decompose(h, guarantee="rebuild")) == decomposition_size(h, guarantee="rebuild") == rebuild
    assert decompose(h).leaves == h.leaves
    for guarantee in ("identify", "rebuild"):
        assert one_tree(decompose(h, guarantee=guarantee)) == h


def test_decompose__a_set_worked_out_by_hand():
    # of a binary hierarchy: for each inner edge one triplet. Both guarantees coincide in size
    t = decompose(Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]]))
    pairs = {(frozenset(row[:2]), row[2]) for row in t}
    assert len(pairs) == 3
    assert (frozenset("ab"), "c") in pairs
    assert any(pair == frozenset("de") and c in "abc" for pair, c in pairs)
    assert any("c" in pair and pair & set("ab") and c in "de" for pair, c in pairs)


def test_decompose__classes_below_a_root_give_the_generated_constraints():
    h = two_level(12, 3)
    t = decompose(h)
    assert len(t) == (12 - 3) * (3 - 1)
    assert displays(h, t).all()
    # each class is held together against each other class
    outside = {(a % 3, c % 3) for a, b, c in t.rows.tolist() if a % 3 == b % 3}
    assert outside == {(x, y) for x in range(3) for y in range(3) if x != y}


def test_decompose__nodes_with_one_child_are_passed_over():
    h = Hierarchy.from_nested([[[["a"], "b"]], [["c"]]])
    assert list(decompose(h)) == list(decompose(h.suppress_unary())) == [("a", "b", "c")]
    assert decomposition_size(h) == 1
    deep = Hierarchy.from_nested([[[("a", "b")], ["c"]], "d"])
    assert len(decompose(deep)) == decomposition_size(deep) == 2
    assert one_tree(decompose(deep)) == deep.suppress_unary()


def test_decompose__without_a_seed_it_is_always_the_same():
    h = two_level(60, 6)
    for kwargs in ({}, {"guarantee": "rebuild"}, {"max_triplets": 77}):
        assert decompose(h, **kwargs) == decompose(h, **kwargs)
        assert decompose(h, random_state=3, **kwargs) == decompose(h, random_state=3, **kwargs)
        assert decompose(h, random_state=3, **kwargs) != decompose(h, random_state=4, **kwargs)


@pytest.mark.parametrize("budget", [0, 1, 53, 54, 55, 200, 269, 270, 271, 10**9])
def test_decompose__a_budget_starts_with_the_rebuilding_triplets(budget):
    h = two_level(60, 6)  # 54 rebuild, 270 identify
    t = decompose(h, max_triplets=budget)
    assert len(t) == min(budget, 270)
    rebuilding = decompose(h, guarantee="rebuild")
    assert len(t & rebuilding) == min(budget, 54)
    assert (one_tree(t) == h) == (budget >= 54)
    assert len(decompose(h, guarantee="rebuild", max_triplets=np.int64(budget))) == min(budget, 54)


@pytest.mark.parametrize("h", [Hierarchy([-1]), star(2), star(5), Hierarchy([1, 2, -1])])
@pytest.mark.parametrize("budget", [0, 3])
def test_decompose__a_budget_for_nothing(h, budget):
    assert decompose(h, max_triplets=budget, random_state=0) == TripletSet([], h.leaves)


def test_decompose__refuses_millions_without_a_budget():
    # 5001 children of the root, each a clade of 5: 5001 * 5000 * 4 triplets
    k = 5001
    h = two_level(5 * k, k)
    with pytest.raises(
        LimitExceededError, match=r"100,020,000 triplets, more than 50,000,000; give max_triplets"
    ) as caught:
        decompose(h)
    assert caught.value.size == decomposition_size(h) == 100_020_000
    assert caught.value.limit == 50_000_000
    assert len(decompose(h, guarantee="rebuild")) == 4 * k
    assert len(decompose(h, max_triplets=4 * k + 10)) == 4 * k + 10


@pytest.mark.parametrize("guarantee", ["x", None, "Identify", 1])
def test_decompose__the_guarantee_is_one_of_two(guarantee):
    for function in (decompose, decomposition_size):
        with pytest.raises(ValueError, match="guarantee must be 'identify' or 'rebuild', not"):
            function(star(3), guarantee=guarantee)


@pytest.mark.parametrize(("budget", "error"), [(-1, ValueError), (1.0, TypeError), ("9", TypeError), (True, TypeError)])
def test_decompose__the_budget_is_a_number(budget, error):
    with pytest.raises(error, match="max_triplets"):
        decompose(caterpillar(5), max_triplets=budget)


def test_decompose__a_hierarchy_is_wanted():
    for function in (decompose, decomposition_size):
        with pytest.raises(TypeError, match="expected a Hierarchy, got TripletSet"):
            function(TripletSet([], 3))
