"""The Aho tree that is kept up to date while triplets come and go, its links and lists checked after every step."""

import numpy as np
import pytest
from examples import caterpillar, yule
from oracles import clades_of, nested_of, one_tree_definition

from tripletree._core import engine
from tripletree.algorithms import dynamic
from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.dynamic import DynamicAhoTree
from tripletree.algorithms.induce import sample_triplets
from tripletree.core.triplets import TripletSet


@pytest.fixture
def limits(monkeypatch):
    """The limits that trees get which are made from now on."""
    given = {}

    def made(*arguments):
        tree = engine.AhoTree(*arguments)
        if given:
            tree.limit(**given)
        return tree

    monkeypatch.setattr(dynamic, "AhoTree", made)
    return given


@pytest.fixture
def deep_at_once(limits):
    """Every way of more than one step is a long one: paths are asked from the second addition on."""
    limits.update(long_way=1, short_way=0)


def check(state):
    """The tree is that of the triplets, its links, lists and memories are right, and so are the splits."""
    tree = state._ready()
    found = tree.check()
    assert found["triplets"] == len(state)
    shape = nested_of(state.parent(), range(state.n), state.n)
    assert clades_of(shape) == clades_of(one_tree_definition(list(state), range(state.n)))
    check_splits(state)
    return found


def check_splits(state):
    """A triplet with close leaves on both sides of a split contradicts the state, wherever its third is."""
    for small, large in (map(np.ndarray.tolist, sides) for sides in state._ready().splits()):
        assert small
        assert large
        assert not set(small) & set(large)
        a, b = small[len(small) // 2], large[len(large) // 2]
        for c in sorted(set(small + large) - {a, b})[::3]:
            assert one_tree_definition([*state, (a, b, c)], range(state.n)) is None


def random_triplet(rng, n, truth):
    a, b, c = rng.permutation(n)[:3].tolist()
    if rng.random() < 0.6:  # one of a caterpillar
        a, b, c = sorted((a, b, c), key=truth.__getitem__)
    return (min(a, b), max(a, b), c)


def play(rng, n, steps):
    """Check random additions and removals. Returns the number refused, and whether the tree became deep."""
    state, truth, refused = DynamicAhoTree(n), rng.permutation(n).tolist(), 0
    for _ in range(steps):
        key = random_triplet(rng, n, truth)
        if len(state) and rng.random() < 0.1:
            state.remove([list(state)[rng.integers(len(state))]])
        elif key not in state:
            consistent = is_consistent(TripletSet([*state, key], n))
            assert state.can_add(np.array([key])).tolist() == [consistent]
            assert state.add(key) == consistent
            refused += not consistent
        check(state)
    return refused, check(state)["deep"]


def test_dynamic_build__the_arrays_are_right_after_each_step():
    rng = np.random.default_rng(1)
    told = [play(rng, int(rng.integers(3, 9)), 14) for _ in range(60)]
    assert sum(refused for refused, _ in told) > 50


def test_dynamic_build__the_arrays_are_right_after_each_step_of_a_deep_tree(deep_at_once):
    rng = np.random.default_rng(2)
    told = [play(rng, int(rng.integers(4, 10)), 14) for _ in range(60)]
    assert sum(deep for _, deep in told) > 30


@pytest.mark.parametrize("seed", [137, 257, 391, 424, 1, 2])
def test_dynamic_build__nodes_remember_nothing_of_their_former_lives(seed):
    """A new node with the number of an old one knew a way up that was the old one's: a contradiction was accepted.

    The first four seeds, of some 270, found it.
    """
    rng, held = np.random.default_rng(seed), 0
    n = int(rng.integers(12, 60))
    state = DynamicAhoTree(n)
    rows = rng.permuted(np.tile(np.arange(n), (4 * n, 1)), axis=1)[:, :3]
    order = rng.permutation(n) if seed % 2 else None
    for row in rows.tolist():
        a, b, c = sorted(row, key=order.__getitem__) if order is not None and rng.random() < 0.6 else row
        state.add((min(a, b), max(a, b), c))
        held += state._ready().check()["memories"]
    assert is_consistent(TripletSet(list(state), n))
    assert held > 100


def greedy_definition(rows, n):
    """Which rows are taken, with BUILD of those taken and the next one for each."""
    held, taken = [], []
    for row in rows:
        taken.append(one_tree_definition([*held, row], range(n)) is not None)
        if taken[-1]:
            held.append(row)
    return held, taken


def contradictory_rows(rng, n, m):
    """Triplets of a random tree, one in five of them turned round."""
    rows = sample_triplets(yule(n, rng), m, random_state=rng).rows.tolist()
    rows = [[b, c, a] if rng.random() < 0.2 else [a, b, c] for a, b, c in rows]
    return list(dict.fromkeys((min(a, b), max(a, b), c) for a, b, c in rows))


def test_dynamic_build__a_false_memory_is_noticed():
    """`check` tells a wrong memory from a right one, so the tests above can fail."""
    rows = decompose(yule(12, np.random.default_rng(0))).rows
    state = DynamicAhoTree(12)
    state.add_consistent(list(map(tuple, rows.tolist())))
    tree = state._ready()
    tree.check()
    assert tree.plant_memory()
    with pytest.raises(RuntimeError, match="remembers another child"):
        tree.check()


def test_dynamic_build__splits_refuse_what_a_test_would_refuse(limits):
    limits.update(leaves_per_step=10**6)  # note each
    rng = np.random.default_rng(6)
    noted, tested, refused = 0, 0, 0
    for _ in range(12):
        n = int(rng.integers(12, 24))
        rows = contradictory_rows(rng, n, 100)
        state = DynamicAhoTree(n)
        _, taken = greedy_definition(rows, n)
        assert [state.add(row) for row in rows] == taken
        found = check(state)
        noted += len(state._ready().splits())
        tested += found["refuting"]
        refused += taken.count(False)
    assert noted > 20
    assert tested < refused / 2  # most are refused without a test


def test_dynamic_build__old_splits_make_room(limits):
    limits.update(leaves_per_step=10**6, most_sets=1)
    rng, noted = np.random.default_rng(7), []
    for _ in range(8):
        rows = contradictory_rows(rng, 16, 100)
        state = DynamicAhoTree(16)
        _, taken = greedy_definition(rows, 16)
        assert [state.add(row) for row in rows] == taken
        check(state)
        noted.append(state._ready().n_sets())
        assert len({tuple(large.tolist()) for _, large in state._ready().splits()}) <= 1
    assert max(noted) > 3


def test_dynamic_build__a_removal_makes_splits_void():
    state = DynamicAhoTree(5)
    for key in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (2, 3, 4)):
        assert state.add(key)
    assert not state.add((1, 3, 0))
    state.remove([(0, 2, 3)])
    assert state.add((0, 3, 2)) == is_consistent(TripletSet([*state, (0, 3, 2)], 5))
    check(state)


def test_dynamic_build__rows_are_made_as_they_are_needed():
    state = DynamicAhoTree(30)
    rows = sample_triplets(yule(30, np.random.default_rng(0)), 400, random_state=0).rows
    for a, b, c in rows.tolist():
        assert state.add((a, b, c))
    check(state)


def test_dynamic_build__long_lists_of_leaves_shrink_and_grow():
    rng = np.random.default_rng(9)
    rows = sample_triplets(yule(8, rng), 56, random_state=0).rows.tolist()
    state = DynamicAhoTree(8)
    for row in rows:
        assert state.add(tuple(row))
    longest = [state._ready().degree(x) for x in range(8)]
    assert max(longest) > 12
    for _ in range(3):
        for k in rng.permutation(len(rows))[:40].tolist():
            state.remove([tuple(rows[k])])
            check(state)
        for row in rows:
            if tuple(row) not in state:
                assert state.add(tuple(row))
                check(state)
    assert [state._ready().degree(x) for x in range(8)] == longest


def test_dynamic_build__one_by_one_and_at_once_are_the_same():
    rng = np.random.default_rng(5)
    for n in (8, 40, 300):
        rows = (decompose(caterpillar(n)) | sample_triplets(yule(n, rng), 3 * n // 2, random_state=rng)).rows
        keys = [tuple(row) for row in rng.permutation(rows).tolist()]
        one, other = DynamicAhoTree(n), DynamicAhoTree(n)
        assert other.add_consistent(keys) == [key for key in keys if one.add(key)]
        assert one.parent().tolist() == other.parent().tolist()
        assert one._ready().check() == other._ready().check()
