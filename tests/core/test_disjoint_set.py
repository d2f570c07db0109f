"""Disjoint sets against scipy's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import DisjointSet
from tripletree._core.engine import build


@given(st.integers(1, 30), st.data())
def test_disjoint_set__agrees_with_scipy(n, data):
    leaf = st.integers(0, n - 1)
    sets, peer = build.DisjointSets(n), DisjointSet(range(n))
    for x, y in data.draw(st.lists(st.tuples(leaf, leaf), max_size=50)):
        assert sets.unite(x, y) == peer.merge(x, y)
        for group in peer.subsets():
            # the smallest member stands for its set
            assert {sets.find(z) for z in group} == {min(group)}


def test_disjoint_set__a_long_chain_stays_fast_and_right(rng):
    n = 20_000
    sets = build.DisjointSets(n)
    for x in range(n - 1, 0, -1):  # each new root is below the old one: the worst order
        assert sets.unite(x - 1, x)
    assert not sets.unite(0, n - 1)
    assert all(sets.find(int(x)) == 0 for x in rng.integers(0, n, 50))


def test_disjoint_set__find_keeps_the_sets():
    sets = build.DisjointSets(6)
    for x, y in ((2, 3), (1, 2), (0, 1), (4, 5)):
        sets.unite(x, y)
    assert sets.find(3) == 0
    assert [{x for x in range(6) if sets.find(x) == r} for r in (0, 4)] == [{0, 1, 2, 3}, {4, 5}]


def test_disjoint_set__wrong_numbers_are_refused():
    sets = build.DisjointSets(3)
    for wrong in (-1, 3):
        with pytest.raises(ValueError, match="a number is in no set"):
            sets.find(wrong)
        with pytest.raises(ValueError, match="a number is in no set"):
            sets.unite(0, wrong)
    with pytest.raises(ValueError, match="a number of sets"):
        build.DisjointSets(-1)
    with pytest.raises(TypeError):
        sets.find(0.5)
