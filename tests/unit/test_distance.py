import re
from itertools import combinations
from math import comb

import numpy as np
import pytest
from examples import balanced, caterpillar, contracted, star, uniform_binary, yule, zoo

from tripletree.algorithms import compare as subject
from tripletree.algorithms.compare import (
    _MOST_LEAVES,
    TripletComparison,
    compare_triplets,
    robinson_foulds,
    triplet_distance,
)
from tripletree.algorithms.induce import count_triplets, induce
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import InvalidHierarchyError, LimitExceededError, UnknownLeafError


def comparison_by_triples(h1, h2):
    """The five counts, one triple of leaves at a time."""
    n = h1.n_leaves
    triples = np.array(list(combinations(range(n), 3)), np.int32).reshape(-1, 3)
    odd1, odd2 = induce(h1, triples).odd, induce(h2.reindex(h1.leaves), triples).odd
    counts = dict.fromkeys(("alike", "different", "first_only", "second_only", "unresolved"), 0)
    for x, y in zip(odd1.tolist(), odd2.tolist(), strict=True):
        if x < 0 and y < 0:
            counts["unresolved"] += 1
        elif x < 0 or y < 0:
            counts["first_only" if y < 0 else "second_only"] += 1
        else:
            counts["alike" if x == y else "different"] += 1
    return TripletComparison(n, **counts)


def clades(h):
    """The clades of two leaves or more, but not all of them."""
    found = {frozenset(h.clade(u)) for u in range(h.n_leaves, h.n_nodes)}
    return {x for x in found if 1 < len(x) < h.n_leaves}


def shuffled(h, rng):
    return Hierarchy(h.parent, rng.permutation(h.n_leaves).tolist())


def drawn(n, rng):
    """A hierarchy of any shape, more or less resolved, its leaves in any order."""
    make = [yule, uniform_binary, lambda n, _: caterpillar(n), lambda n, _: balanced(n)][rng.integers(4)]
    return shuffled(contracted(make(n, rng), rng.choice([0, 0, 0.3, 0.6, 0.9]), rng), rng)


def with_unary(h, rng):
    """The hierarchy with nodes of one child above some nodes."""
    up, extra = h.parent.tolist(), []
    for u in np.flatnonzero(rng.random(h.n_nodes) < 0.4).tolist():
        extra.append(up[u])
        up[u] = h.n_nodes + len(extra) - 1
    return Hierarchy(up + extra, h.leaves)


# ---------------------------------------------------------------------- triples


def test_compare_triplets__by_hand():
    h1 = Hierarchy.from_nested([[["a", "b"], "c"], "d", "e"])
    h2 = Hierarchy.from_nested([["a", "c"], "b", ["d", "e"]])
    # abc differs, abd and abe only the first, acd and ace alike, ade, bde, cde only the second, bcd, bce only the first
    assert compare_triplets(h1, h2) == TripletComparison(5, 2, 1, 4, 3, 0)
    assert compare_triplets(h2, h1) == TripletComparison(5, 2, 1, 3, 4, 0)
    assert triplet_distance(h1, h2) == 8.0
    assert triplet_distance(h1, h2, normalized=True) == 0.8


def test_compare_triplets__is_the_count_over_triples(rng):
    for _ in range(60):
        n = int(rng.integers(1, 41))
        h1, h2 = drawn(n, rng), drawn(n, rng)
        assert compare_triplets(h1, h2) == comparison_by_triples(h1, h2)


def test_compare_triplets__close_hierarchies(rng):
    for _ in range(10):
        h = drawn(30, rng)
        coarse = contracted(h, 0.3, rng)
        assert compare_triplets(h, coarse) == comparison_by_triples(h, coarse)
        assert compare_triplets(coarse, h).first_only == 0


@pytest.mark.parametrize(("name", "h"), zoo())
def test_compare_triplets__with_itself(name, h):
    found = compare_triplets(h, h)
    assert found.distance == 0
    assert found.fraction == triplet_distance(h, h) == robinson_foulds(h, h) == 0.0
    assert found.alike + found.unresolved == comb(h.n_leaves, 3)


def test_compare_triplets__nodes_with_one_child_do_not_matter(rng):
    for _ in range(10):
        h1, h2 = drawn(20, rng), drawn(20, rng)
        u1, u2 = with_unary(h1, rng), with_unary(h2, rng)
        assert u1.has_unary
        assert compare_triplets(u1, u2) == compare_triplets(h1, h2)
        assert robinson_foulds(u1, u2) == robinson_foulds(h1, h2)
        assert robinson_foulds(u1, h1, normalized=True) == 0.0


def test_compare_triplets__fewer_than_three_leaves():
    for n in (1, 2):
        h = star(n)
        assert compare_triplets(h, h) == TripletComparison(n, 0, 0, 0, 0, 0)
        assert compare_triplets(h, h).fraction == 0.0
        assert robinson_foulds(h, h, normalized=True) == 0.0


@pytest.mark.slow
def test_compare_triplets__a_ladder_of_100_000_leaves_and_back():
    n = 100_000
    h = caterpillar(n)
    back = Hierarchy(h.parent, list(range(n))[::-1])
    # the triple i < j < k is ij|k upwards and jk|i downwards
    assert compare_triplets(h, back) == TripletComparison(n, 0, comb(n, 3), 0, 0, 0)
    assert compare_triplets(h, h).alike == comb(n, 3)
    assert compare_triplets(h, star(n)) == TripletComparison(n, 0, 0, comb(n, 3), 0, 0)
    assert robinson_foulds(h, back) == 2 * (n - 2)
    assert robinson_foulds(h, star(n), normalized=True) == 1.0


@pytest.mark.slow
def test_compare_triplets__counts_beyond_the_exact_floats():
    n = 400_000
    found = compare_triplets(star(n), star(n))
    assert found.unresolved == comb(n, 3) > 2**53
    assert compare_triplets(star(n), balanced(n)).second_only == comb(n, 3)


def test_compare_triplets__refuses_more_than_64_bits_hold(monkeypatch):
    assert comb(_MOST_LEAVES, 3) < 2**63 <= comb(_MOST_LEAVES + 1, 3)
    monkeypatch.setattr(subject, "_MOST_LEAVES", 5)
    with pytest.raises(LimitExceededError, match="have 6 leaves, more than the limit of 5") as caught:
        compare_triplets(star(6), star(6))
    assert (caught.value.size, caught.value.limit) == (6, 5)
    assert robinson_foulds(star(6), star(6)) == 0


@pytest.mark.slow
def test_compare_triplets__a_coarser_hierarchy_of_30_000_leaves(rng):
    fine = shuffled(contracted(yule(30_000, rng), 0.3, rng), rng)
    coarse = contracted(fine, 0.3, rng)
    found = compare_triplets(fine, coarse)
    assert (found.different, found.second_only, found.alike) == (0, 0, count_triplets(coarse))
    assert found.first_only == count_triplets(fine) - count_triplets(coarse) > 0
    back = compare_triplets(coarse, fine)
    assert (back.different, back.first_only, back.alike) == (0, 0, found.alike)


# ---------------------------------------------------------------------- clades


def test_robinson_foulds__by_hand():
    h1 = Hierarchy.from_nested([[["a", "b"], "c"], "d", "e"])
    h2 = Hierarchy.from_nested([["a", "b"], "c", ["d", "e"]])
    assert robinson_foulds(h1, h2) == 2.0  # abc and de
    assert robinson_foulds(h1, h2, normalized=True) == 0.5


def test_robinson_foulds__is_the_symmetric_difference_of_clades(rng):
    for _ in range(60):
        n = int(rng.integers(1, 31))
        h1 = drawn(n, rng)
        h2 = drawn(n, rng) if rng.random() < 0.5 else contracted(h1, 0.5, rng)
        one, two = clades(h1), clades(h2)
        apart, most = len(one ^ two), len(one) + len(two)
        assert robinson_foulds(h1, h2) == robinson_foulds(h2, h1) == apart
        assert robinson_foulds(h1, h2, normalized=True) == (apart / most if most else 0.0)


# ---------------------------------------------------------------------- which leaves


FUNCTIONS = [compare_triplets, triplet_distance, robinson_foulds]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_distance__different_leaves_are_named(function):
    h1 = Hierarchy.from_nested([("ant", "bee"), "cat", "dog"])
    h2 = Hierarchy.from_nested([("ant", "bees"), "cat"])
    with pytest.raises(UnknownLeafError) as caught:
        function(h1, h2)
    assert caught.value.labels == ["bee", "dog", "bees"]
    message = str(caught.value)
    assert "3 unknown among the leaves of the two hierarchies, which must be the same: " in message
    assert "'bee' (only in the first), 'dog' (only in the first), 'bees' (only in the second)" in message
    assert "leaves='common' compares them on those that both have" in message


def test_distance__many_different_leaves_of_both_are_named():
    h1, h2 = Hierarchy([30] * 30 + [-1]), Hierarchy([30] * 30 + [-1], range(29, 59))
    with pytest.raises(UnknownLeafError, match=r"0 \(only in the first\).* 30 \(only in the second\)") as caught:
        triplet_distance(h1, h2)
    assert sorted(caught.value.labels) == [*range(29), *range(30, 59)]


def test_distance__a_subset_is_refused_either_way(rng):
    h = drawn(9, rng)
    part = h.restrict(range(6))
    for pair in ((h, part), (part, h)):
        with pytest.raises(UnknownLeafError) as caught:
            triplet_distance(*pair)
        assert sorted(caught.value.labels) == [6, 7, 8]


def test_distance__on_common_leaves(rng):
    for _ in range(20):
        h1 = drawn(25, rng).restrict(rng.permutation(25)[:18].tolist())
        h2 = drawn(25, rng).restrict(rng.permutation(25)[:20].tolist())
        both = [x for x in h1.leaves if x in h2.leaves]
        r1, r2 = h1.restrict(both), h2.restrict(both)
        found = compare_triplets(h1, h2, leaves="common")
        assert found == comparison_by_triples(r1, r2)
        assert found.n_leaves == len(both)
        assert triplet_distance(h1, h2, leaves="common", normalized=True) == found.fraction
        assert robinson_foulds(h1, h2, leaves="common") == len(clades(r1) ^ clades(r2))


def test_distance__no_common_leaf():
    with pytest.raises(InvalidHierarchyError, match="have no leaf in common"):
        compare_triplets(star(3), Hierarchy([3, 3, 3, -1], ["a", "b", "c"]), leaves="common")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_distance__wrong_arguments(function):
    with pytest.raises(ValueError, match=re.escape("leaves must be 'same' or 'common', not 'both'")):
        function(star(3), star(3), leaves="both")
    with pytest.raises(TypeError, match="expected a Hierarchy, got str"):
        function(star(3), "(a,b,c);")
    with pytest.raises(TypeError, match="expected a Hierarchy, got list"):
        function([1, 2], star(3))


def test_distance__types():
    found = compare_triplets(star(5), balanced(5))
    assert all(type(x) is int for x in vars(found).values())
    assert type(found.distance) is int
    for normalized in (False, True):
        assert type(triplet_distance(star(5), balanced(5), normalized=normalized)) is float
        assert type(robinson_foulds(star(5), balanced(5), normalized=normalized)) is float
    with pytest.raises(AttributeError):
        found.alike = 3


def test_distance__the_hierarchies_stay_as_they_were(rng):
    h1, h2 = with_unary(drawn(12, rng), rng), drawn(12, rng)
    before = h1.parent.copy(), h2.parent.copy(), list(h1.leaves), list(h2.leaves)
    compare_triplets(h1, h2)
    robinson_foulds(h1, h2)
    assert np.array_equal(before[0], h1.parent)
    assert np.array_equal(before[1], h2.parent)
    assert before[2:] == (list(h1.leaves), list(h2.leaves))
