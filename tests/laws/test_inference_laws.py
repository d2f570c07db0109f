"""Implied triplets by definition: all hierarchies that display the given ones display them, polytomies included."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from examples import contracted, small_world, uniform_binary, yule
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import all_triplets_definition, one_tree_definition
from strategies import hierarchies

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.algorithms.induce import all_triplets, count_triplets, sample_triplets
from tripletree.algorithms.infer import closure, closure_size, implies, irredundant, redundant
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError


class World:
    """All hierarchies on 0..n-1 as rows of a table, all triplets as columns: whether the one displays the other."""

    def __init__(self, n):
        self.n = n
        self.triplets = [t for x, y, z in combinations(range(n), 3) for t in ((x, y, z), (x, z, y), (y, z, x))]
        self.number = {t: k for k, t in enumerate(self.triplets)}
        shown = [all_triplets_definition(x) for x in small_world(n)]
        self.displays = np.array([[t in s for t in self.triplets] for s in shown], dtype=bool)

    def implied(self, columns):
        """Which triplets are displayed by all hierarchies that display those. None if there is no hierarchy."""
        those = self.displays[self.displays[:, columns].all(axis=1)]
        return those.all(axis=0) if len(those) else None

    def columns(self, triplets):
        return [self.number[tuple(row)] for row in triplets.rows.tolist()]

    def sets(self, seed, count, most):
        """Random consistent sets: some of the triplets of a random hierarchy."""
        rng = np.random.default_rng([seed, self.n])
        for _ in range(count):
            shown = np.flatnonzero(self.displays[rng.integers(len(self.displays))])
            size = rng.integers(min(most, shown.size) + 1)
            yield TripletSet([self.triplets[k] for k in rng.permutation(shown)[:size]], self.n)


@cache
def world(n):
    return World(n)


worlds = pytest.mark.parametrize(
    ("n", "count"), [(3, 40), (4, 600), (5, 700), (6, 250), pytest.param(6, 2000, marks=pytest.mark.slow)]
)


def irreducible(w, columns):
    """True if no triplet can be dropped without losing something implied."""
    wanted = w.implied(columns)
    return not any(np.array_equal(w.implied(columns[:k] + columns[k + 1 :]), wanted) for k in range(len(columns)))


@worlds
def test_inference__implied_is_what_every_displaying_hierarchy_displays(n, count):
    w = world(n)
    beyond = 0
    for t in w.sets(1, count, 2 * n):
        wanted = w.implied(w.columns(t))
        beyond += wanted.sum() > len(t)
        assert np.array_equal(implies(t, w.triplets), wanted)
        assert closure_size(t) == wanted.sum()
        assert w.columns(closure(t)) == sorted(np.flatnonzero(wanted), key=lambda k: w.triplets[k])
    assert n == 3 or beyond > count / 5


@worlds
def test_inference__redundant_is_implied_by_all_the_others(n, count):
    w = world(n)
    marked = 0
    for t in w.sets(2, count, 3 * n):
        columns = w.columns(t)
        wanted = [bool(w.implied(columns[:k] + columns[k + 1 :])[columns[k]]) for k in range(len(columns))]
        marked += sum(wanted)
        assert redundant(t).tolist() == wanted
    assert n == 3 or marked > count / 5


@worlds
def test_inference__minimal_implies_all_and_nothing_can_be_dropped(n, count):
    w = world(n)
    for t in w.sets(3, count, 3 * n):
        wanted = w.implied(w.columns(t))
        for state in (None, len(t)):
            kept = irredundant(t, random_state=state)
            assert len(kept - t) == 0
            assert np.array_equal(w.implied(w.columns(kept)), wanted)
            assert irreducible(w, w.columns(kept))
            assert not redundant(kept).any()


@pytest.mark.parametrize(("n", "count"), [(4, 300), (5, 300)])
def test_inference__minimal_is_smallest_among_all_subsets(n, count):
    # more triplets imply more, so that no subset with one triplet less does stands for all smaller ones
    w = world(n)
    for t in w.sets(4, count, 9):
        columns, size = w.columns(t), len(irredundant(t))
        wanted = w.implied(columns)
        assert size == 0 or not any(
            np.array_equal(w.implied(list(part)), wanted) for part in combinations(columns, size - 1)
        )


@pytest.mark.parametrize("n", [3, 4, 5])
def test_inference__refuses_exactly_the_sets_that_no_hierarchy_displays(n):
    w, rng = world(n), np.random.default_rng(n)
    refused = 0
    for _ in range(300):
        columns = rng.permutation(len(w.triplets))[: rng.integers(1, 7)].tolist()
        t = TripletSet([w.triplets[k] for k in columns], n)
        if w.implied(columns) is None:
            refused += 1
            for ask in (lambda t: implies(t, w.triplets), closure, closure_size, redundant, irredundant):
                with pytest.raises(InconsistentTripletsError) as caught:
                    ask(t)
                assert one_tree_definition(list(caught.value.conflict), range(n)) is None
        else:
            assert np.array_equal(implies(t, w.triplets), w.implied(columns))
    assert refused > 20


# ---------------------------------------------------------------------- too large to enumerate


def implied_by_two_trials(triplets, row):
    """ab|c is implied when the set is inconsistent with ac|b and with bc|a (Bryant and Steel)."""
    a, b, c = row
    n = len(triplets.leaves)
    others = [TripletSet([*triplets.rows.tolist(), other], n) for other in ((a, c, b), (b, c, a))]
    return not any(is_consistent(t) for t in others)


@pytest.mark.parametrize("n", [8, 12, 20, 40])
@pytest.mark.parametrize("density", [0.7, 1.2, 2, 4])
def test_inference__agrees_with_two_trials(n, density):
    rng = np.random.default_rng([n, int(10 * density)])
    h = contracted(uniform_binary(n, rng), 0.2, rng)
    t = sample_triplets(h, int(n * density), random_state=rng)
    rows = np.array([rng.permutation(n)[:3] for _ in range(80)])
    query = TripletSet(rows, n) | sample_triplets(h, min(40, count_triplets(h)), random_state=rng) | t
    wanted = [implied_by_two_trials(t, row) for row in query.rows.tolist()]
    assert implies(t, query).tolist() == wanted


@pytest.mark.parametrize("n", [8, 15, 30])
@pytest.mark.parametrize("density", [1, 2, 4])
def test_inference__redundant_and_minimal_agree_with_two_trials(n, density):
    rng = np.random.default_rng([n, density])
    t = sample_triplets(contracted(yule(n, rng), 0.2, rng), n * density, random_state=rng)
    everything = np.arange(len(t))
    wanted = [implied_by_two_trials(t.subset(everything[everything != k]), t.rows[k]) for k in everything]
    assert redundant(t).tolist() == wanted
    kept = irredundant(t)
    assert implies(kept, t).all()
    # one at a time, as the definition has it: as many are left whatever the order
    left = everything
    for k in rng.permutation(len(t)):
        rest = left[left != k]
        left = rest if implied_by_two_trials(t.subset(rest), t.rows[k]) else left
    assert len(kept) == left.size


@given(hierarchies(min_leaves=3, max_leaves=14), st.integers(0, 2**32), st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_inference__laws_of_a_closure(h, seed, size):
    every = all_triplets(h)
    t = sample_triplets(h, min(size, len(every)), random_state=seed)
    all_of_it = closure(t)
    assert len(t - all_of_it) == 0  # extensive
    assert closure(all_of_it) == all_of_it  # idempotent
    assert len(closure(t.subset(np.arange(len(t)) % 2 == 0)) - all_of_it) == 0  # monotone
    assert len(all_of_it - all_triplets(one_tree(t))) == 0
    assert len(all_of_it - every) == 0
    assert len(all_of_it) == closure_size(t)
    query = every | all_of_it
    assert implies(t, query).tolist() == [row in all_of_it for row in query]
    assert closure(irredundant(t)) == all_of_it
    assert len(irredundant(t)) == len(irredundant(t, random_state=seed))


@given(hierarchies(min_leaves=1, max_leaves=25))
@settings(max_examples=60, deadline=None)
def test_inference__a_decomposition_implies_its_hierarchy(h):
    every = all_triplets(h)
    assert closure(decompose(h)) == every
    assert not redundant(decompose(h)).any()
    assert len(irredundant(every)) == decomposition_size(h)
    assert irredundant(decompose(h)) == decompose(h)
