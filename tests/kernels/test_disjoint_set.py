"""Disjoint sets against scipy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import DisjointSet

from tripletree.kernels import disjoint_set


@given(st.integers(1, 30), st.data())
def test_disjoint_set__agrees_with_scipy(n, data):
    leaf = st.integers(0, n - 1)
    up, peer = np.arange(n, dtype=np.int32), DisjointSet(range(n))
    for x, y in data.draw(st.lists(st.tuples(leaf, leaf), max_size=50)):
        assert disjoint_set.unite(up, x, y) == peer.merge(x, y)
        for group in peer.subsets():
            # the smallest member stands for its set
            assert {int(disjoint_set.find(up, z)) for z in group} == {min(group)}


def test_disjoint_set__a_long_chain_stays_fast_and_right(rng):
    n = 20_000
    up = np.arange(n, dtype=np.int32)
    for x in range(n - 1, 0, -1):  # each new root is below the old one: the worst order
        assert disjoint_set.unite(up, x - 1, x)
    assert not disjoint_set.unite(up, 0, n - 1)
    assert all(disjoint_set.find(up, int(x)) == 0 for x in rng.integers(0, n, 50))


def test_disjoint_set__find_keeps_the_sets():
    up = np.array([0, 0, 1, 2, 4, 4], np.int32)
    before = [{0, 1, 2, 3}, {4, 5}]
    assert disjoint_set.find(up, 3) == 0
    assert [{x for x in range(6) if disjoint_set.find(up, x) == r} for r in (0, 4)] == before
