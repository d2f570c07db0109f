"""OneTree: hierarchies worked out by hand, open questions, and refusals."""

import numpy as np
import pytest
from examples import caterpillar, star
from oracles import is_irreducible_conflict

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.conflict import Conflict
from tripletree.algorithms.decompose import decompose
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError, InvalidHierarchyError

APES = [("human", "chimp", "gorilla"), ("human", "gorilla", "orang"), ("gorilla", "orang", "gibbon")]


def test_one_tree__a_ladder():
    h = one_tree(TripletSet.from_labels(APES))
    assert h == Hierarchy.from_nested([[[["human", "chimp"], "gorilla"], "orang"], "gibbon"])


def test_one_tree__the_example_of_aho():
    # Aho et al. (1981), figure: pairs below others. Worked out with the definition by hand
    rows = [("a", "b", "c"), ("a", "c", "d"), ("e", "f", "d"), ("e", "f", "a")]
    assert one_tree(TripletSet.from_labels(rows)) == Hierarchy.from_nested([[["a", "b"], "c"], "d", ["e", "f"]])


def test_one_tree__is_not_always_the_tree_with_the_fewest_nodes():
    # clusters {1, 2}, {3, 4}, {5}: another hierarchy displays the same triplets
    t = TripletSet.from_labels([(1, 2, 3), (3, 4, 1)], range(1, 6))
    assert one_tree(t) == Hierarchy.from_nested([[1, 2], [3, 4], 5])


@pytest.mark.parametrize("n", [1, 2, 3, 100])
def test_one_tree__no_triplets_make_a_star(n):
    h = one_tree(TripletSet([], n))
    assert h == (star(n) if n > 1 else Hierarchy([-1]))
    assert h.leaves == LeafIndex(n)


def test_one_tree__leaves_in_no_triplet_hang_from_the_root():
    t = TripletSet.from_labels([("a", "b", "c")], ["x", "c", "b", "a", "y"])
    h = one_tree(t)
    assert h == Hierarchy.from_nested([["a", "b"], "c", "x", "y"])
    assert h.leaves is t.leaves


def test_one_tree__is_in_canonical_order_whatever_the_weights():
    rows = decompose(caterpillar(30)).rows
    first = one_tree(TripletSet(rows, 30))
    again = one_tree(TripletSet(rows, 30, np.arange(1, len(rows) + 1)))
    assert np.array_equal(first.parent, again.parent)
    assert not first.parent.flags.writeable


def test_one_tree__no_leaves_make_no_tree():
    with pytest.raises(InvalidHierarchyError, match="there are no leaves"):
        one_tree(TripletSet([], 0))
    assert is_consistent(TripletSet([], 0))


@pytest.mark.parametrize(
    ("rows", "group"),
    [
        ([("a", "b", "c"), ("a", "c", "b")], "abc"),
        ([("a", "b", "c"), ("b", "c", "a"), ("d", "e", "a")], "abc"),
        ([("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a")], "abcd"),
        # the root splits into {a, b, c, d} and {e}, where it fails
        ([("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a"), ("a", "b", "e")], "abcd"),
    ],
)
def test_one_tree__an_inconsistent_set_is_refused_with_the_reason(rows, group):
    t = TripletSet.from_labels(rows, weights=range(1, len(rows) + 1))
    assert not is_consistent(t)
    with pytest.raises(InconsistentTripletsError, match="no hierarchy displays all of these triplets") as caught:
        one_tree(t)
    assert caught.value.leaves == list(group)
    conflict = caught.value.conflict
    assert isinstance(conflict, Conflict)
    assert conflict.triplets.leaves == t.leaves
    assert is_irreducible_conflict(conflict)
    weight = dict(zip(t, t.weights, strict=True))
    assert conflict.triplets.weights.tolist() == [weight[row] for row in conflict]
    assert all(f"{a} {b} | {c}" in str(caught.value) for a, b, c in conflict)


def test_one_tree__the_same_set_without_its_conflict_is_consistent():
    rows = [("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a")]
    for k in range(3):
        assert is_consistent(TripletSet.from_labels(rows[:k] + rows[k + 1 :]))


@pytest.mark.parametrize("value", [[("a", "b", "c")], None, "ab|c", star(3)])
@pytest.mark.parametrize("function", [one_tree, is_consistent])
def test_one_tree__a_triplet_set_is_wanted(function, value):
    with pytest.raises(TypeError, match=r"expected a TripletSet, got .*TripletSet\.from_labels"):
        function(value)


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", ["identify", "rebuild"])
def test_one_tree__a_caterpillar_of_100_000_leaves(guarantee):
    h = caterpillar(100_000)
    assert one_tree(decompose(h, guarantee=guarantee)) == h
    assert one_tree(decompose(h, guarantee=guarantee, random_state=1)) == h
