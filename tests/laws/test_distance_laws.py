"""Laws of any two hierarchies, and the counts over all pairs of small ones."""

from itertools import combinations, product

import numpy as np
import pytest
from examples import small_world
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import clades_of
from strategies import hierarchies

from tripletree.algorithms.compare import compare_triplets, robinson_foulds, triplet_distance
from tripletree.algorithms.induce import count_triplets, induce
from tripletree.core.hierarchy import Hierarchy


@pytest.mark.parametrize("n", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_small_worlds__all_pairs(n):
    triples = np.array(list(combinations(range(n), 3)), np.int32).reshape(-1, 3)
    world = [Hierarchy.from_nested(x if n > 1 else (x,)).reindex(range(n)) for x in small_world(n)]
    odd = [induce(h, triples).odd for h in world]
    inner = [{c for c in clades_of(x) if len(c) < n} for x in small_world(n)]
    for i, j in product(range(len(world)), repeat=2):
        x, y = odd[i], odd[j]
        found = compare_triplets(world[i], world[j])
        same, one, two = x == y, x >= 0, y >= 0
        assert [found.alike, found.different] == [(same & one).sum(), (~same & one & two).sum()]
        assert [found.first_only, found.second_only] == [(one & ~two).sum(), (two & ~one).sum()]
        assert found.unresolved == (~one & ~two).sum()
        assert robinson_foulds(world[i], world[j]) == len(inner[i] ^ inner[j])
        assert (found.distance == 0) == (i == j)


@st.composite
def several(draw, k):
    """k hierarchies on the same leaves, nodes with one child included."""
    n = draw(st.integers(1, 14))
    return [draw(hierarchies(n, n, unary=True)) for _ in range(k)]


@settings(max_examples=60)
@given(several(2))
def test_compare_triplets__the_counts_add_up_and_mirror(pair):
    one, two = pair
    found, back = compare_triplets(one, two), compare_triplets(two, one)
    assert found.alike + found.different + found.first_only == count_triplets(one)
    assert found.alike + found.different + found.second_only == count_triplets(two)
    assert found.alike + found.distance + found.unresolved == found.total
    assert (back.alike, back.different, back.unresolved) == (found.alike, found.different, found.unresolved)
    assert (back.first_only, back.second_only) == (found.second_only, found.first_only)
    assert min(found.alike, found.different, found.first_only, found.second_only, found.unresolved) >= 0


@settings(max_examples=60)
@given(several(3))
def test_distances__are_metrics(three):
    one, two, other = (h.suppress_unary() for h in three)
    for distance in (triplet_distance, robinson_foulds):
        assert distance(one, two) == distance(two, one)
        assert distance(one, other) <= distance(one, two) + distance(two, other)
        assert (distance(one, two) == 0) == (one == two)
        assert 0 <= distance(one, two, normalized=True) <= 1


@settings(max_examples=60)
@given(several(2), st.randoms(use_true_random=False))
def test_distances__names_and_order_of_leaves_do_not_matter(pair, random):
    one, two = pair
    names = [f"leaf {i}" for i in range(one.n_leaves)]
    random.shuffle(names)
    renamed = [Hierarchy(h.parent, [names[x] for x in h.leaves]) for h in pair]
    order = list(one.leaves)
    random.shuffle(order)
    assert compare_triplets(*renamed) == compare_triplets(one, two) == compare_triplets(one.reindex(order), two)
    assert robinson_foulds(*renamed) == robinson_foulds(one, two) == robinson_foulds(one, two.reindex(order))
