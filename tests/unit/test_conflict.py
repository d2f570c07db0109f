"""Conflicts: irreducible, of the size that theory gives, and the planted one where it is the only one."""

import numpy as np
import pytest
from examples import caterpillar, uniform_binary, yule
from oracles import is_irreducible_conflict

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.conflict import Conflict, find_conflict, find_conflicts
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import sample_triplets
from tripletree.core.triplets import TripletSet


def leaves_of(triplets):
    return {x for row in triplets for x in row}


@pytest.mark.parametrize("rows", [[], [("a", "b", "c")], [("a", "b", "c"), ("b", "c", "d")]])
def test_find_conflict__none_in_a_consistent_set(rows):
    assert find_conflict(TripletSet.from_labels(rows)) is None


def test_find_conflict__none_without_leaves():
    assert find_conflict(TripletSet([], 0)) is None


def test_find_conflict__two_answers_on_three_leaves():
    t = TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b"), ("c", "d", "a"), ("e", "a", "d")])
    conflict = find_conflict(t)
    assert list(conflict) == [("a", "b", "c"), ("a", "c", "b")]
    assert conflict.triplets.leaves == t.leaves
    assert conflict.leaves == ["a", "b", "c"]


def test_find_conflict__of_all_three_answers_two_are_enough():
    conflict = find_conflict(TripletSet([(0, 1, 2), (0, 2, 1), (1, 2, 0)], 3))
    assert len(conflict) == 2
    assert is_irreducible_conflict(conflict)


@pytest.mark.parametrize("k", [2, 3, 4, 6, 10, 25])
def test_find_conflict__a_cycle_of_any_length(k):
    # x0 x1 | x2, x1 x2 | x3, ..., the last two with the first: k triplets on k + 1 leaves
    leaves = [f"x{i:02d}" for i in range(k + 1)]
    rows = [(leaves[i], leaves[i + 1], leaves[(i + 2) % (k + 1)]) for i in range(k)]
    conflict = find_conflict(TripletSet.from_labels(rows))
    assert {frozenset(row[:2]) for row in conflict} == {frozenset(row[:2]) for row in rows}
    assert len(conflict) == k


def test_find_conflict__keeps_weights():
    t = TripletSet.from_labels([("a", "b", "d"), ("a", "b", "c"), ("a", "c", "b")], weights=[5, 6, 7])
    conflict = find_conflict(t)
    assert dict(zip(conflict, conflict.triplets.weights.tolist(), strict=True)) == {
        ("a", "b", "c"): 6,
        ("a", "c", "b"): 7,
    }


def test_find_conflict__the_callers_set_stays():
    t = TripletSet([(0, 1, 2), (0, 2, 1)], 5)
    rows = t.rows.copy()
    find_conflict(t)
    assert np.array_equal(t.rows, rows)


@pytest.mark.parametrize("make", [caterpillar, lambda n: yule(n, np.random.default_rng(3))])
@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_find_conflict__a_planted_one_is_found_in_its_size(make, k, rng):
    h = make(120)
    rows = decompose(h, random_state=rng).rows
    cycle = rng.permutation(120)[: k + 1]
    planted = [(cycle[i], cycle[i + 1], cycle[(i + 2) % (k + 1)]) for i in range(k)]
    t = TripletSet(np.concatenate([rows, planted]), 120)
    conflict = find_conflict(t)
    assert len(conflict) <= 2 * k + 8
    assert len(conflict.triplets - t) == 0
    assert is_irreducible_conflict(conflict)
    assert len(leaves_of(conflict)) == len(conflict) + 1


@pytest.mark.parametrize("seed", range(4))
def test_find_conflict__is_irreducible_among_noisy_triplets(seed):
    rng = np.random.default_rng(seed)
    n = 40
    h = uniform_binary(n, rng)
    rows = sample_triplets(h, 300, random_state=rng).rows.copy()
    for k in rng.integers(0, len(rows), 6):
        rows[k] = rng.permutation(rows[k])
    t = TripletSet(rows, n)
    conflict = find_conflict(t)
    if is_consistent(t):
        assert conflict is None
    else:
        assert not is_consistent(conflict.triplets)
        assert all(is_consistent(conflict.triplets.subset(np.arange(len(conflict)) != k)) for k in range(len(conflict)))
        assert len(leaves_of(conflict)) == len(conflict) + 1


@pytest.mark.slow
def test_find_conflict__among_100_000_triplets():
    rng = np.random.default_rng(5)
    n = 100_000
    rows = decompose(yule(n, rng), random_state=rng).rows
    planted = [(7, 8, 9), (8, 9, 10), (9, 10, 7)]
    conflict = find_conflict(TripletSet(np.concatenate([rows, planted]), n))
    assert is_irreducible_conflict(conflict)
    assert len(leaves_of(conflict)) == len(conflict) + 1


def test_find_conflict__a_triplet_set_is_wanted():
    with pytest.raises(TypeError, match="expected a TripletSet, got list"):
        find_conflict([("a", "b", "c")])


def test_conflict__says_why_in_words():
    rows = [("cat", "dog", "sea eel"), ("dog", "sea eel", "fly"), ("fly", "sea eel", "cat")]
    conflict = find_conflict(TripletSet.from_labels(rows))
    assert repr(conflict) == "<Conflict of 3 triplets on 4 leaves (the smallest)>"
    assert conflict.explain() == str(conflict)
    assert conflict.explain().split("\n") == [
        "These 3 triplets cannot all hold, though any 2 of them can.",
        "Take the first split that parts cat, dog, fly and 'sea eel': there",
        "  cat dog | 'sea eel'  keeps cat and dog together",
        "  dog 'sea eel' | fly  keeps dog and 'sea eel' together",
        "  fly 'sea eel' | cat  keeps fly and 'sea eel' together",
        "so all 4 of them stay together, and there is no such split.",
    ]


def test_conflict__of_two_says_it_more_simply():
    conflict = find_conflict(TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b")], weights=[2, 0.5]))
    assert str(conflict).split("\n") == [
        "These 2 triplets cannot all hold, though each of them alone can:",
        "  a b | c    weight 2",
        "  a c | b    weight 0.5",
        "They give different answers on the same leaves, a, b and c.",
    ]


def test_conflict__a_long_one_is_cut():
    leaves = [f"x{i:02d}" for i in range(60)]
    rows = [(leaves[i], leaves[i + 1], leaves[(i + 2) % 60]) for i in range(59)]
    text = find_conflict(TripletSet.from_labels(rows)).explain(most=5)
    assert "x00, x01, x02, x03, x04 and 55 more leaves" in text
    assert "... and 54 more" in text
    assert len(text.split("\n")) == 9


def test_conflict__compares_what_it_says():
    rows = [("a", "b", "c"), ("b", "c", "a")]
    one = find_conflict(TripletSet.from_labels(rows))
    other = find_conflict(TripletSet.from_labels(rows, ["x", "c", "b", "a"]))
    assert one == other
    assert one != find_conflict(TripletSet.from_labels(rows), max_size=0, max_steps=0).triplets


def test_find_conflicts__as_many_as_are_wanted():
    rows = [(x, x + 1, x + 2) for x in range(0, 30, 3)] + [(x, x + 2, x + 1) for x in range(0, 30, 3)]
    t = TripletSet(rows, 30)
    assert [len(find_conflicts(t, k)) for k in (0, 1, 7, 50)] == [0, 1, 7, 10]
    with pytest.raises(ValueError, match="k is -1; it must be at least 0"):
        find_conflicts(t, -1)
    with pytest.raises(TypeError, match="max_steps must be a whole number"):
        find_conflicts(t, max_steps=0.5)


def test_conflict__nonsense_is_refused():
    t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")])
    with pytest.raises(ValueError, match="at_least is 3; the conflict itself has 2 triplets"):
        Conflict(t, at_least=3)
    with pytest.raises(ValueError, match="at_least is 1; it must be at least 2"):
        Conflict(t, at_least=1)
    with pytest.raises(ValueError, match="most is 0; it must be at least 1"):
        Conflict(t).explain(most=0)
    for data, message in (({}, "'triplets' is missing"), (None, "got NoneType"), ({"triplets": [{"a": 1}]}, "'b'")):
        with pytest.raises(ValueError, match=f"expected a dict from to_dict.*{message}"):
            Conflict.from_dict(data)
    assert len(find_conflicts(t, 2**70)) == 1


@pytest.mark.parametrize("n", [30, 2000])
def test_find_conflict__a_ring_in_which_every_leaf_is_needed(n):
    # taking leaves away one by one would run BUILD on all of it 2 n times
    t = TripletSet([(i, i + 1, i + 2) for i in range(n - 2)] + [(n - 2, n - 1, 0)], n)
    for max_steps in (0, 1000, 10_000_000):
        assert len(find_conflict(t, max_steps=max_steps)) == n - 1


def test_find_conflicts__many_small_ones():
    rows = [row for x in range(0, 3000, 3) for row in ((x, x + 1, x + 2), (x + 1, x + 2, x))]
    found = find_conflicts(TripletSet(rows, 3000), 5000)
    assert [len(x) for x in found] == [2] * 1000
