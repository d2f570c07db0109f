"""Laws of a builder after every single step, against BUILD from scratch and against all hierarchies."""

import numpy as np
import pytest
from examples import caterpillar, small_world, uniform_binary, yule
from hypothesis import given
from hypothesis import strategies as st
from oracles import clades_of, clades_of_hierarchy, consistent_by_enumeration, one_tree_definition
from strategies import triplet_rows

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.dynamic import TripletBuilder
from tripletree.algorithms.induce import count_triplets, sample_triplets
from tripletree.core.triplets import TripletSet


def canonical(t):
    a, b, c = t
    return (min(a, b), max(a, b), c)


def proposals(rng, n, size):
    """Random triplets, most of them of one hierarchy, in random order."""
    shape = [caterpillar, lambda n: yule(n, rng), lambda n: uniform_binary(n, rng)][rng.integers(3)](n)
    true = sample_triplets(shape, min(size, count_triplets(shape)), random_state=rng) | decompose(shape)
    rows = rng.permutation(n)[true.rows].tolist()
    wrong = [rng.permutation(n)[:3].tolist() for _ in range(int(rng.integers(0, 2 * size)))]
    return [canonical((rows + wrong)[k]) for k in rng.permutation(len(rows) + len(wrong))[:size]]


class Follower:
    """A builder and the plain list of its triplets."""

    def __init__(self, n):
        self.n, self.builder, self.held, self.past = n, TripletBuilder(n), [], []
        self.refused = self.accepted = self.removed = 0

    def consistent(self, held):
        return one_tree_definition(held, range(self.n)) is not None

    def add(self, t):
        wanted = self.consistent([*self.held, t])
        assert self.builder.can_add(t).tolist() == [wanted]
        assert self.builder.try_add(t) == wanted
        if wanted:
            self.past.append(self.held)
            self.held = self.held if t in self.held else [*self.held, t]
        self.accepted += wanted
        self.refused += not wanted

    def remove(self, which):
        self.past.append(self.held)
        self.builder.remove([self.held[k] for k in which])
        self.held = [t for k, t in enumerate(self.held) if k not in which]
        self.removed += 1

    def undo(self, steps):
        self.builder.undo(steps)
        self.held = self.past[-steps]
        del self.past[-steps:]

    def check(self):
        assert set(self.builder) == set(self.held)
        assert len(self.builder) == len(self.held)
        wanted = one_tree_definition(self.held, range(self.n))
        assert set(clades_of_hierarchy(self.builder.hierarchy)) == clades_of(wanted)


def follow(rng, n, steps):
    f = Follower(n)
    for t in proposals(rng, n, steps):
        roll = rng.random()
        if roll < 0.8 or not f.held:
            f.add(t)
        elif roll < 0.9:
            f.remove(set(rng.integers(len(f.held), size=int(rng.integers(1, 3))).tolist()))
        elif f.past:
            f.undo(int(rng.integers(1, min(len(f.past), 3) + 1)))
        f.check()
    return np.array([f.accepted, f.refused, f.removed])


def test_builder__is_one_tree_after_each_step():
    rng = np.random.default_rng(1)
    told = sum(follow(rng, int(rng.integers(3, 9)), int(rng.integers(2, 20))) for _ in range(150))
    assert (told > [400, 150, 30]).all()


@pytest.mark.slow
def test_builder__is_one_tree_after_each_step_of_thousands():
    rng = np.random.default_rng(2)
    told = sum(follow(rng, int(rng.integers(3, 9)), int(rng.integers(2, 30))) for _ in range(4_000))
    assert (told > 3_000).all()


@pytest.mark.slow
def test_builder__is_one_tree_after_each_step_of_larger_ones():
    rng = np.random.default_rng(3)
    told = sum(follow(rng, int(rng.integers(9, 60)), 60) for _ in range(200))
    assert (told > 300).all()


def test_builder__some_larger_ones():
    rng = np.random.default_rng(4)
    told = sum(follow(rng, int(rng.integers(12, 30)), 40) for _ in range(4))
    assert (told >= [80, 1, 5]).all()


@pytest.mark.parametrize("n", [3, 4, 5])
def test_builder__says_yes_exactly_where_some_hierarchy_displays_all(n):
    rng = np.random.default_rng(n)
    world = [clades_of(x) for x in small_world(n)]
    for _ in range(25 if n < 5 else 8):
        builder, held = TripletBuilder(n), []
        for _ in range(3 * n):
            t = canonical(rng.permutation(n)[:3].tolist())
            wanted = consistent_by_enumeration([*held, t], range(n), world)
            assert builder.try_add(t) == wanted
            held += [t] if wanted else []


@given(triplet_rows(6, 25))
def test_builder__rows_at_once_are_rows_one_by_one(rows):
    builder, other, kept = TripletBuilder(6), TripletBuilder(6), []
    told = builder.try_add_rows(np.array(rows, int).reshape(-1, 3)).tolist()
    for t, said in zip(rows, told, strict=True):
        assert said == is_consistent(TripletSet([*kept, t], 6))
        assert other.try_add(t) == said
        kept += [t] if said else []
    assert list(builder) == list(other) == list(dict.fromkeys(canonical(t) for t in kept))
    assert builder.hierarchy == other.hierarchy == one_tree(builder.triplets)


@given(triplet_rows(6, 12), triplet_rows(6, 12))
def test_builder__undo_restores_exactly(first, second):
    builder = TripletBuilder(6)
    builder.try_add_rows(np.array(first, int).reshape(-1, 3))
    before, order = builder.hierarchy, list(builder)
    steps = len(builder._undo_log)
    builder.try_add_rows(np.array(second, int).reshape(-1, 3))
    if order:
        builder.remove([t for t in order[:2] if t in builder])
    builder.add([t for t in order if t in builder])
    builder.undo(len(builder._undo_log) - steps)
    assert set(builder) == set(order)
    assert builder.hierarchy == before
    told = builder.can_add(second) if second else []
    assert [is_consistent(TripletSet([*order, t], 6)) for t in second] == list(told)


@given(triplet_rows(7, 14), st.permutations(range(14)))
def test_builder__the_order_of_consistent_triplets_does_not_matter(rows, order):
    builder = TripletBuilder(7)
    builder.try_add_rows(np.array(rows, int).reshape(-1, 3))
    kept = list(builder)
    other = TripletBuilder(7)
    for k in order:
        if k < len(kept):
            other.add(kept[k])
    assert other.triplets == builder.triplets
    assert other.hierarchy == builder.hierarchy
