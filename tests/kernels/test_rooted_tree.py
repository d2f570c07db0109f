"""Walks over parent arrays against their definitions: paths to the root, followed one node at a time."""

from itertools import combinations

import numpy as np
import pytest
from examples import caterpillar, zoo
from hypothesis import given
from hypothesis import strategies as st
from oracles import common_ancestor_definition, induced_odd_definition, path_to_root, shape_of_hierarchy
from strategies import hierarchies

from tripletree.core.hierarchy import Hierarchy
from tripletree.kernels import freeze, frozen, rooted_tree

SMALL = [pytest.param(h, id=name) for name, h in zoo() if h.n_leaves <= 130]
any_hierarchy = hierarchies(max_leaves=10, unary=True)


def clade_indices(h, u):
    return [i for i in range(h.n_leaves) if u in path_to_root(h.parent, i)]


@given(any_hierarchy, st.data())
def test_rooted_tree__topological_order_puts_children_first(h, data):
    n, N = h.n_leaves, h.n_nodes
    place = np.array([*range(n), *data.draw(st.permutations(range(n, N)))])
    parent = np.empty(N, np.int32)
    parent[place] = np.where(h.parent >= 0, place[h.parent], -1)
    order = rooted_tree.topological_order(freeze(parent), n).tolist()
    assert order[:n] == list(range(n))
    assert sorted(order) == list(range(N))
    assert all(order.index(u) < order.index(int(parent[u])) for u in range(N) if parent[u] >= 0)


def test_rooted_tree__topological_order_leaves_out_cycles_and_what_hangs_above():
    # 0 -> 3 -> 4 -> 3: a cycle. 1, 2 -> 5, the root
    order = rooted_tree.topological_order(frozen([3, 5, 5, 4, 3, -1]), 3)
    assert order.tolist() == [0, 1, 2, 5]


@given(any_hierarchy)
def test_rooted_tree__depths(h):
    assert rooted_tree.depths(h.parent).tolist() == [len(path_to_root(h.parent, u)) - 1 for u in range(h.n_nodes)]


@given(any_hierarchy, st.data())
def test_rooted_tree__path_sums(h, data):
    length = data.draw(st.lists(st.integers(-9, 99), min_size=h.n_nodes, max_size=h.n_nodes))
    wanted = [sum(length[v] for v in path_to_root(h.parent, u)[:-1]) for u in range(h.n_nodes)]
    assert rooted_tree.path_sums(h.parent, frozen(length, np.float64)).tolist() == wanted


@given(any_hierarchy)
def test_rooted_tree__child_lists(h):
    start, child = rooted_tree.child_lists(h.parent)
    assert start.size == h.n_nodes + 1
    for u in range(h.n_nodes):
        assert child[start[u] : start[u + 1]].tolist() == [v for v in range(h.n_nodes) if h.parent[v] == u]


@given(any_hierarchy)
def test_rooted_tree__leaf_intervals_hold_the_clades(h):
    start, stop, order = rooted_tree.leaf_intervals(h.parent, h.n_leaves)
    assert sorted(order.tolist()) == list(range(h.n_leaves))
    for u in range(h.n_nodes):
        assert sorted(order[start[u] : stop[u]].tolist()) == clade_indices(h, u)
        # children in increasing order stand side by side
        at = start[u]
        for v in np.flatnonzero(h.parent == u).tolist():
            assert start[v] == at
            at = stop[v]
        assert u < h.n_leaves or at == stop[u]


@given(any_hierarchy)
def test_rooted_tree__gap_nodes_are_common_ancestors_of_neighbours(h):
    _, stop, order = rooted_tree.leaf_intervals(h.parent, h.n_leaves)
    gap = rooted_tree.gap_nodes(h.parent, freeze(stop), h.n_leaves).tolist()
    wanted = [common_ancestor_definition(h.parent, *order[[i, i + 1]].tolist()) for i in range(h.n_leaves - 1)]
    assert gap == (wanted or [0])


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=40))
def test_rooted_tree__range_maximum_table(values):
    table = rooted_tree.range_maximum_table(frozen(values))
    assert table.shape == (len(values).bit_length(), len(values))
    for k in range(table.shape[0]):
        assert table[k].tolist() == [max(values[i : i + 2**k]) for i in range(len(values))]
    for i, j in combinations(range(len(values) + 1), 2):
        assert rooted_tree.range_maximum(table, i, j) == max(values[i:j])


@given(any_hierarchy)
def test_rooted_tree__common_ancestors_of_all_pairs(h):
    pairs = [(a, b) for a in range(h.n_leaves) for b in range(h.n_leaves)]
    a, b = frozen(np.array(pairs).T)
    found = rooted_tree.common_ancestors(frozen(a), frozen(b), *h.ancestor_table)
    for (x, y), u in zip(pairs, found.tolist(), strict=True):
        low = common_ancestor_definition(h.parent, x, y)
        # unary nodes above the last common ancestor have the same clade: the lowest is meant
        assert u == low


@pytest.mark.parametrize("h", SMALL)
def test_rooted_tree__induced_odd_on_the_zoo(h, rng):
    if h.n_leaves < 3:
        triples = np.empty((0, 3), np.int32)
    else:
        triples = np.array([rng.permutation(h.n_leaves)[:3] for _ in range(150)])
    found = rooted_tree.induced_odd(frozen(triples), *h.ancestor_table)
    assert found.dtype == np.int8
    assert found.tolist() == [induced_odd_definition(h, t) for t in triples.tolist()]


@given(any_hierarchy, st.data())
def test_rooted_tree__induced_odd_with_unary_nodes(h, data):
    if h.n_leaves >= 3:
        trio = data.draw(st.permutations(range(h.n_leaves)))[:3]
        assert rooted_tree.induced_odd(frozen([trio]), *h.ancestor_table).tolist() == [induced_odd_definition(h, trio)]


@given(any_hierarchy, any_hierarchy)
def test_rooted_tree__canonical_parents_are_equal_exactly_for_equal_shapes(g, h):
    index = Hierarchy([g.n_leaves] * g.n_leaves + [-1]).leaves
    g, h = g.reindex(index), h.reindex(index) if h.n_leaves == g.n_leaves else h
    found = [rooted_tree.canonical_parent(x.parent, x.n_leaves).tolist() for x in (g, h)]
    assert (found[0] == found[1]) == (shape_of_hierarchy(g) == shape_of_hierarchy(h))
    assert shape_of_hierarchy(Hierarchy(found[0], g.leaves)) == shape_of_hierarchy(g)
    assert rooted_tree.canonical_parent(frozen(found[0]), g.n_leaves).tolist() == found[0]


def test_rooted_tree__by_smallest_leaf_worked_out_by_hand():
    # ((0, 3), (1, 2)): node 4 is {1, 2}, node 5 is {0, 3}, node 6 the root
    parent = np.array([5, 4, 4, 5, 6, 6, -1], np.int32)
    assert rooted_tree.by_smallest_leaf(parent, 4).tolist() == [0, 5, 6, 1, 4, 2, 3]


def test_rooted_tree__canonical_parent_worked_out_by_hand():
    # ((2, 3), 1), 0: postorder, children by smallest leaf: (2, 3) is 4, with 1 it is 5, the root is 6
    h = Hierarchy.from_nested([0, [1, [2, 3]]])
    assert rooted_tree.canonical_parent(h.parent, 4).tolist() == [6, 5, 4, 4, 5, 6, -1]
    # of two cherries the one with leaf 0 comes first
    h = Hierarchy.from_nested([[1, 3], [0, 2]]).reindex(h.leaves.take([0, 1, 2, 3]))
    assert rooted_tree.canonical_parent(h.parent, 4).tolist() == [4, 5, 4, 5, 6, 6, -1]


@pytest.mark.parametrize("keep_unary", [False, True])
@given(h=any_hierarchy, data=st.data())
def test_rooted_tree__kept_nodes(keep_unary, h, data):
    n = h.n_leaves
    keep_leaf = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    keep, up = rooted_tree.kept_nodes(h.parent, freeze(keep_leaf), keep_unary)
    left = [{i for i in clade_indices(h, u) if keep_leaf[i]} for u in range(h.n_nodes)]

    def stays(u):
        if u < n:
            return bool(keep_leaf[u])
        children = [left[v] for v in range(h.n_nodes) if h.parent[v] == u and left[v]]
        return len(children) > (0 if keep_unary else 1)

    assert keep.tolist() == [stays(u) for u in range(h.n_nodes)]
    for u in np.flatnonzero(keep).tolist():
        above = [v for v in path_to_root(h.parent, u)[1:] if keep[v]]
        assert up[u] == (above[0] if above else -1)


@given(any_hierarchy, st.data())
def test_rooted_tree__chain_lengths(h, data):
    N = h.n_nodes
    length = data.draw(st.lists(st.integers(0, 99), min_size=N, max_size=N))
    keep = data.draw(st.lists(st.booleans(), min_size=N, max_size=N))
    total = rooted_tree.chain_lengths(h.parent, frozen(length, np.float64), freeze(np.array(keep)))
    for u in range(N):
        chain = [u]
        for v in path_to_root(h.parent, u)[1:]:
            if keep[v]:
                break
            chain.append(v)
        assert total[u] == sum(length[v] for v in chain)


@pytest.mark.slow
def test_rooted_tree__a_caterpillar_of_100_000_leaves():
    n = 100_000
    h = caterpillar(n)
    # leaves 0 and 1 are deepest, leaf k hangs n - 1 - k below the root's child level
    assert h.depth[:n].tolist() == [n - 1, *range(n - 1, 0, -1)]
    start, stop, _ = h.leaf_intervals
    assert (stop - start)[n:].tolist() == list(range(2, n + 1))
    assert rooted_tree.canonical_parent(h.parent, n).tolist() == h.parent.tolist()
    a = np.arange(n - 1, dtype=np.int32)
    found = rooted_tree.common_ancestors(freeze(a), freeze(a + 1), *h.ancestor_table)
    assert found.tolist() == list(range(n, 2 * n - 1))
