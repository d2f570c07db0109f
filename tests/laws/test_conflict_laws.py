"""Conflicts against all subsets of small sets, and the promises about sizes, weights and sharing on larger ones."""

from itertools import combinations, permutations

import numpy as np
import pytest
from examples import yule
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import is_irreducible_conflict, one_tree_definition

from tripletree._core import engine
from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.conflict import Conflict, find_conflict, find_conflicts
from tripletree.algorithms.induce import sample_triplets
from tripletree.core.arrays import freeze
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidTripletError


def smallest_by_definition(rows, n):
    """All inconsistent subsets of the fewest rows. None if the whole is consistent."""
    for k in range(2, len(rows) + 1):
        found = [x for x in combinations(rows, k) if one_tree_definition(list(x), range(n)) is None]
        if found:
            return found
    return []


@st.composite
def small_sets(draw):
    n = draw(st.integers(3, 6))
    every = [(a, b, c) for a, b, c in permutations(range(n), 3) if a < b]
    rows = draw(st.lists(st.sampled_from(every), min_size=1, max_size=9, unique=True))
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1, 2, 3]), min_size=len(rows), max_size=len(rows)))
    return TripletSet(rows, n, weights)


@given(small_sets(), st.integers(0, 6))
@settings(max_examples=400, deadline=None)
def test_find_conflict__its_promise_about_size_holds(t, max_size):
    smallest = smallest_by_definition(t.rows.tolist(), len(t.leaves))
    conflict = find_conflict(t, max_size=max_size)
    if not smallest:
        assert conflict is None
        return
    size = len(smallest[0])
    assert is_irreducible_conflict(tuple(map(tuple, conflict.triplets.rows.tolist())))
    assert conflict.at_least <= size <= len(conflict)
    if size <= max_size:
        assert len(conflict) == size
        assert conflict.smallest
    else:
        assert conflict.at_least == max(max_size + 1, 2)


@given(small_sets())
@settings(max_examples=300, deadline=None)
def test_find_conflict__of_the_smallest_that_which_costs_least(t):
    smallest = smallest_by_definition(t.rows.tolist(), len(t.leaves))
    if smallest and t.weights is not None:
        weight = {tuple(row): w for row, w in zip(t.rows.tolist(), t.weights.tolist(), strict=True)}
        least = min(min(weight[tuple(row)] for row in rows) for rows in smallest)
        assert find_conflict(t, max_size=9).triplets.weights.min() == least


@given(small_sets(), st.integers(0, 4))
@settings(max_examples=300, deadline=None)
def test_find_conflicts__share_nothing_and_leave_nothing(t, max_size):
    found = find_conflicts(t, 100, max_size=max_size)
    rest = t
    for conflict in found:
        left = smallest_by_definition(rest.rows.tolist(), len(t.leaves))
        assert conflict.at_least <= len(left[0])
        assert len(conflict.triplets - rest) == 0
        assert is_irreducible_conflict(tuple(map(tuple, conflict.triplets.rows.tolist())))
        rest = rest - conflict.triplets
    assert is_consistent(rest)
    exact = [len(x) for x in found if len(x) <= max_size]
    assert exact == sorted(exact)
    assert [list(x) for x in find_conflicts(t, 1, max_size=max_size)] == [list(x) for x in found[:1]]


@given(small_sets())
@settings(max_examples=200, deadline=None)
def test_conflict__takes_a_conflict_and_nothing_else(t):
    whole = tuple(map(tuple, t.rows.tolist()))
    if is_consistent(t) or not is_irreducible_conflict(whole):
        with pytest.raises(InvalidTripletError, match="is not a conflict"):
            Conflict(t)
    else:
        conflict = Conflict(t)
        assert Conflict.from_dict(conflict.to_dict()) == conflict
        assert len(conflict) == len(conflict.leaves) - 1


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_find_conflict__a_planted_one_among_many(k):
    # 10 n triplets of a tree and a cycle of k: the smallest is found by growing, and it has at most k
    rng = np.random.default_rng(k)
    n = 400
    rows = sample_triplets(yule(n, rng), 10 * n, random_state=rng).rows
    cycle = rng.permutation(n)[: k + 1]
    planted = [(cycle[i], cycle[i + 1], cycle[(i + 2) % (k + 1)]) for i in range(k)]
    t = TripletSet(np.concatenate([rows, planted]), n)
    conflict = find_conflict(t, max_size=k, max_steps=None)
    assert len(conflict) <= k
    assert conflict.smallest
    for fewer in range(2, len(conflict)):
        # the proof that there is none: the same search, ended one before
        assert find_conflict(t, max_size=fewer, max_steps=None).at_least == fewer + 1
    assert is_irreducible_conflict(tuple(map(tuple, conflict.triplets.rows.tolist())))


def grown(rows, n, seeds, size, *, in_order):
    """The leaves of a conflict of `size` rows that holds one of the seeds, by the kernel."""
    held, alive = engine.conflict.RowsByLeaf(rows, n), np.ones(len(rows), np.bool_)
    leaves, _, _ = held.grow(alive, seeds, 0, in_order, size + 1, 2**62, 2**62)
    again, _, _ = held.grow(alive, seeds, 0, in_order, size + 1, 2**62, 2**62)  # a search leaves nothing behind
    assert np.array_equal(leaves, again)
    return leaves


@given(small_sets(), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_grow__a_cover_meets_every_conflict(t, random):
    # rows without which the rest is consistent, here those that the rest so far rejects, in any order
    rest, cover = [], []
    for i in random.sample(range(len(t)), len(t)):
        fits = one_tree_definition([tuple(t.rows[j].tolist()) for j in [*rest, i]], range(6)) is not None
        (rest if fits else cover).append(i)
    seeds = np.array(sorted(cover), np.int64)
    smallest = smallest_by_definition(t.rows.tolist(), len(t.leaves))
    size = len(smallest[0]) if smallest else len(t.leaves) - 1
    for fewer in range(2, size):
        assert grown(t.rows, len(t.leaves), seeds, fewer, in_order=False).size == 0
    leaves = grown(t.rows, len(t.leaves), seeds, size, in_order=False)
    assert (leaves.size > 0) == bool(smallest)
    if smallest:
        inside = [row for row in t.rows.tolist() if set(row) <= set(leaves.tolist())]
        assert one_tree_definition([tuple(row) for row in inside], range(6)) is None


def test_find_conflict__what_a_cover_proves_the_search_from_every_row_proves():
    # one wrong triplet among many: no small conflict, and a cover is made before the search from every row ends
    rng = np.random.default_rng(1)
    for n, m in ((60, 2_000), (150, 4_000), (400, 6_000)):
        rows = sample_triplets(yule(n, rng), m, random_state=rng).rows.copy()
        rows[0] = rows[0, [0, 2, 1]]
        conflict = find_conflict(TripletSet(rows, n), max_size=4, max_steps=None)
        rows = TripletSet(rows, n).rows
        every = np.arange(len(rows))
        sizes = [size for size in (2, 3, 4) if grown(rows, n, every, size, in_order=True).size]
        assert conflict.at_least == (sizes[0] if sizes else 5)
        assert len(conflict) == sizes[0] if sizes else len(conflict) > 4


def test_find_conflict__without_work_it_claims_nothing():
    t = TripletSet([(0, 1, 2), (1, 2, 3), (2, 3, 0), (0, 1, 4)], 5)
    conflict = find_conflict(t, max_steps=0)
    assert len(conflict) == 3
    assert conflict.at_least == 2
    assert not conflict.smallest


def test_find_conflict__work_that_ends_in_the_middle_still_gives_a_conflict():
    rng = np.random.default_rng(0)
    rows = sample_triplets(yule(60, rng), 600, random_state=rng).rows.copy()
    rows[:40] = rows[:40, [0, 2, 1]]
    t = TripletSet(rows, 60)
    best = find_conflict(t, max_size=6, max_steps=None)
    for max_steps in (1, 10, 100, 1000, 10_000, 100_000):
        conflict = find_conflict(t, max_size=6, max_steps=max_steps)
        assert is_irreducible_conflict(tuple(map(tuple, conflict.triplets.rows.tolist())))
        assert conflict.at_least <= len(best) <= len(conflict)
        assert find_conflict(t, max_size=6, max_steps=max_steps) == conflict


@given(st.data(), st.integers(3, 9))
@settings(max_examples=400, deadline=None)
def test_closed_part__cannot_lose_a_row(data, k):
    # a tree of close pairs, each with a third leaf from anywhere
    rows = []
    for x in range(1, k):
        y = data.draw(st.integers(0, x - 1))
        rows.append((x, y, data.draw(st.sampled_from([z for z in range(k) if z not in (x, y)]))))
    order = data.draw(st.permutations(range(k)))
    check_closed_part([tuple(order[x] for x in row) for row in rows], k)


@pytest.mark.parametrize("reach", [1, 3, 10, 60])
def test_closed_part__of_deep_and_shallow_trees(reach, rng):
    k = 60
    for _ in range(8):
        rows = []
        for x in range(1, k):
            y = int(rng.integers(max(0, x - reach), x))
            # thirds near by: parts stay small
            z = int(rng.choice([z for z in range(max(0, x - 8), min(k, x + 8)) if z not in (x, y)]))
            rows.append((x, y, z))
        order = rng.permutation(k).tolist()
        check_closed_part([tuple(order[x] for x in row) for row in rows], k)


def check_closed_part(rows, k):
    part = engine.conflict.closed_part(freeze(np.array(rows, np.int32)), k)
    chosen = [rows[i] for i in part.tolist()]
    assert len(set(chosen)) == len(part)
    assert one_tree_definition(chosen, range(k)) is None
    assert all(one_tree_definition(chosen[:i] + chosen[i + 1 :], range(k)) is not None for i in range(len(chosen)))
