"""Walks over parent arrays against their definitions: paths to the root, followed one node at a time."""

from itertools import combinations

import numpy as np
import pytest
from examples import caterpillar, zoo
from hypothesis import given
from hypothesis import strategies as st
from oracles import common_ancestor_definition, induced_odd_definition, path_to_root, shape_of_hierarchy
from strategies import hierarchies
from tripletree._core.engine import rooted_tree

from tripletree.core.arrays import freeze, frozen
from tripletree.core.hierarchy import Hierarchy

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
    # as if these were ancestors of neighbouring leaves
    place = frozen(range(len(values) + 1))
    i, j = frozen(list(combinations(place, 2))).T
    found = rooted_tree.common_ancestors(frozen(i), frozen(j), place, table)
    assert found.tolist() == [max(values[x:y]) for x, y in zip(i, j, strict=True)]


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


# ---------------------------------------------------------------------- what is refused

ROW, WEIGHT, FLAG = frozen([2, 2, -1]), frozen([1, 1, 1], np.float64), freeze(np.ones(3, np.bool_))
PLACE, TABLE = frozen([0, 1]), frozen([[2]])
GOOD = {
    "topological_order": (ROW, 2),
    "depths": (ROW,),
    "path_sums": (ROW, WEIGHT),
    "child_lists": (ROW,),
    "leaf_intervals": (ROW, 2),
    "gap_nodes": (ROW, frozen([1, 2, 2]), 2),
    "range_maximum_table": (PLACE,),
    "common_ancestors": (PLACE, PLACE, PLACE, TABLE),
    "induced_odd": (frozen([[0, 1, 2]]), frozen([0, 1, 2]), frozen([[3, 4], [4, 4]])),
    "by_smallest_leaf": (ROW, 2),
    "canonical_parent": (ROW, 2),
    "kept_nodes": (ROW, FLAG[:2], False),
    "chain_lengths": (ROW, WEIGHT, FLAG),
    "chain_tops": (ROW, FLAG),
    "last_above": (ROW, frozen([1, 1, 0], np.int64), PLACE, frozen([0, 0], np.int64)),
}


def test_rooted_tree__the_good_arguments_are_accepted():
    for name, arguments in GOOD.items():
        getattr(rooted_tree, name)(*arguments)


@pytest.mark.parametrize("name", GOOD)
def test_rooted_tree__wrong_types_shapes_and_sizes_are_refused(name):
    for k, argument in enumerate(GOOD[name]):
        wrong = [None, "x", object()]
        if isinstance(argument, np.ndarray):
            wrong += [argument.astype(np.complex128), argument[..., None], [*argument]]
            longer = np.concatenate([argument, argument])
            wrong += [longer] if name != "range_maximum_table" else []
        elif type(argument) is int:
            wrong += [-1, 4, 2**31, 0.5]
        for other in wrong:
            arguments = [*GOOD[name]]
            arguments[k] = other
            if name == "topological_order" and isinstance(other, np.ndarray) and other.shape == (6,):
                continue  # two trees side by side: parents in any order
            if name == "induced_odd" and isinstance(other, np.ndarray) and other.shape == (2, 3):
                continue  # more rows
            with pytest.raises((TypeError, ValueError)):
                getattr(rooted_tree, name)(*arguments)


@pytest.mark.parametrize(
    "parent", [[2, 3, -1], [2, 0, -1], [0, 2, -1], [2, 2, 2], [-1, 2, -1], [2, -2, -1], [2**31 - 1, 2, -1]]
)
def test_rooted_tree__parents_out_of_order_are_refused(parent):
    for name, (first, *others) in GOOD.items():
        if first is ROW and name != "topological_order":
            with pytest.raises(ValueError, match="parents come after their children"):
                getattr(rooted_tree, name)(frozen(parent), *others)
    for wrong in ([3, 2, -1], [1, 2, -1], [-2, 2, -1]):
        with pytest.raises(ValueError, match="a parent is an inner node"):
            rooted_tree.topological_order(frozen(wrong), 2)


def test_rooted_tree__numbers_of_leaves_and_nodes_out_of_range_are_refused():
    for wrong in (-1, 2, 2**31 - 1):
        with pytest.raises(ValueError, match="a number names no leaf"):
            rooted_tree.common_ancestors(PLACE, frozen([0, wrong]), PLACE, TABLE)
        with pytest.raises(ValueError, match="a position is not in the order of leaves"):
            rooted_tree.common_ancestors(PLACE, PLACE, frozen([0, wrong]), TABLE)
        with pytest.raises(ValueError, match="a number names no leaf"):
            rooted_tree.induced_odd(frozen([[0, 1, wrong]]), PLACE, TABLE)
    with pytest.raises(ValueError, match="three leaves of a row must differ"):
        rooted_tree.induced_odd(frozen([[0, 1, 1]]), PLACE, TABLE)
    for wrong in (-1, 3):
        with pytest.raises(ValueError, match="a number names no node"):
            rooted_tree.last_above(*GOOD["last_above"][:2], frozen([0, wrong]), GOOD["last_above"][3])
    with pytest.raises(ValueError, match="an interval of leaves has no end in the order"):
        rooted_tree.gap_nodes(ROW, frozen([0, 2, 2]), 2)
    with pytest.raises(ValueError, match="leaves have no children"):
        rooted_tree.leaf_intervals(frozen([1, 2, -1]), 2)
    for name in ("by_smallest_leaf", "canonical_parent"):
        with pytest.raises(ValueError, match="an inner node has no leaf below"):
            getattr(rooted_tree, name)(frozen([3, 3, 3, -1]), 2)
