"""Numbers of binary hierarchies beside enumeration, and laws that hold for every set."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import all_triplets_definition, binary_hierarchies, triplets_of
from strategies import hierarchies, triplet_rows, triplet_sets

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.count import count_hierarchies, information_content
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import all_triplets, sample_triplets
from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError


@cache
def world(n):
    """The triplets that each binary hierarchy of n leaves displays."""
    return [frozenset(triplets_of(h)[1]) for h in binary_hierarchies(list(range(n)))]


def count_definition(rows, n):
    wanted = {(min(a, b), max(a, b), c) for a, b, c in rows}
    return sum(wanted <= displayed for displayed in world(n))


@pytest.mark.parametrize("n", [3, 4, 5])
def test_counting_laws__the_world_is_the_right_one(n):
    assert len(set(world(n))) == math.prod(range(1, 2 * n - 2, 2))
    assert all(triplets_of(h)[1] == all_triplets_definition(h) for h in binary_hierarchies(list(range(n))))


@pytest.mark.parametrize("n", [3, 4])
def test_counting_laws__every_set_of_up_to_four_triplets_on_small_worlds(n):
    every = [(a, b, c) for c in range(n) for a, b in combinations([x for x in range(n) if x != c], 2)]
    for size in range(5):
        for rows in combinations(every, size):
            t = TripletSet.from_labels(rows, range(n))
            assert count_hierarchies(t) == count_definition(rows, n), rows


@given(st.integers(3, 7).flatmap(lambda n: st.tuples(st.just(n), triplet_rows(n, 7))))
def test_counting_laws__any_set_is_counted_as_by_enumeration(case):
    n, rows = case
    assert count_hierarchies(TripletSet.from_labels(rows, range(n))) == count_definition(rows, n)


@given(st.data())
def test_counting_laws__parts_of_one_hierarchy_are_counted_as_by_enumeration(data):
    n = data.draw(st.integers(4, 7))
    shown = sorted(data.draw(st.sampled_from(world(n))))
    rows = data.draw(st.lists(st.sampled_from(shown), max_size=6))
    assert count_hierarchies(TripletSet.from_labels(rows, range(n))) == count_definition(rows, n) > 0


@given(hierarchies(min_leaves=2, max_leaves=30))
def test_counting_laws__what_identifies_a_hierarchy_leaves_its_binary_refinements(h):
    refinements = math.prod(
        math.prod(range(1, 2 * d - 2, 2)) for d in np.bincount(h.parent[:-1], minlength=h.n_nodes).tolist() if d > 1
    )
    assert count_hierarchies(decompose(h), max_splits=0) == refinements
    assert count_hierarchies(all_triplets(h), max_splits=0) == refinements


@given(triplet_sets(max_leaves=9, max_size=8))
def test_counting_laws__a_further_triplet_splits_the_number_in_three(t):
    # each binary hierarchy displays exactly one triplet on any three leaves
    parts = [t | TripletSet([row], t.leaves) for row in ((0, 1, 2), (0, 2, 1), (1, 2, 0))]
    assert sum(count_hierarchies(x) for x in parts) == count_hierarchies(t)
    assert (count_hierarchies(t) > 0) == is_consistent(t)


@given(triplet_sets(max_leaves=9, max_size=8), st.randoms(use_true_random=False))
def test_counting_laws__names_and_order_of_leaves_do_not_matter(t, random):
    new = list(range(len(t.leaves)))
    random.shuffle(new)
    renamed = TripletSet(np.array(new, np.int32)[t.rows], len(new))
    assert count_hierarchies(renamed) == count_hierarchies(t)


@given(triplet_sets(max_leaves=8, max_size=8), st.integers(0, 5))
def test_counting_laws__a_free_leaf_can_go_anywhere(t, more):
    n = len(t.leaves)
    places = math.prod(2 * k - 1 for k in range(n, n + more))
    assert count_hierarchies(TripletSet(t.rows, n + more)) == count_hierarchies(t) * places


@given(triplet_sets(max_leaves=8, max_size=8))
def test_counting_laws__a_triplet_on_leaves_of_its_own_holds_in_a_third(t):
    n = len(t.leaves)
    rows = np.vstack([t.rows.reshape(-1, 3), [[n, n + 2, n + 1]]])
    assert count_hierarchies(TripletSet(rows, n + 3)) * 3 == count_hierarchies(TripletSet(t.rows, n + 3))


@given(triplet_sets(max_leaves=8, max_size=6))
def test_counting_laws__bits_are_those_of_the_share(t):
    share = count_hierarchies(t) / math.prod(range(1, 2 * len(t.leaves) - 2, 2))
    bits = information_content(t)
    assert bits == math.inf if share == 0 else math.isclose(2**-bits, share, rel_tol=1e-12)
    more = t | TripletSet([(0, 1, 2)], t.leaves)
    assert information_content(more) >= bits


def test_counting_laws__the_work_told_is_the_work_needed():
    h_rows = sorted(world(7)[1234])
    for seed in range(20):
        picked = np.random.default_rng(seed).permutation(len(h_rows))[:4]
        t = TripletSet([h_rows[k] for k in picked], 7)
        enough = next(w for w in range(1000) if _fits(t, w))
        assert count_hierarchies(t, max_splits=enough) == count_hierarchies(t, max_splits=None)
        assert not any(_fits(t, w) for w in range(enough))


def _fits(t, work):
    try:
        count_hierarchies(t, max_splits=work)
    except LimitExceededError:
        return False
    return True


@given(hierarchies(min_leaves=4, max_leaves=14), st.integers(0, 2**32 - 1))
def test_counting_laws__sums_over_a_triple_agree_beyond_enumeration(h, seed):
    t = all_triplets(h)
    t = sample_triplets(h, min(len(t), 9), random_state=seed)
    parts = [t | TripletSet([row], t.leaves) for row in ((0, 1, 2), (0, 2, 1), (1, 2, 0))]
    assert sum(count_hierarchies(x) for x in parts) == count_hierarchies(t) > 0
