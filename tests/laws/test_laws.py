"""Laws of every hierarchy and every triplet set, on inputs that hypothesis makes up."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from examples import caterpillar, contracted, star, two_level, yule, zoo
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import (
    all_triplets_definition,
    clades_of,
    clades_of_hierarchy,
    decomposition_sizes,
    is_irreducible_conflict,
    one_tree_definition,
    shape_of,
    shape_of_hierarchy,
    without_unary,
)
from scipy.stats import chisquare
from strategies import hierarchies, nested, triplet_rows, triplet_sets

from tripletree.algorithms import induce as induction
from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.conflict import find_conflict
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.algorithms.induce import all_triplets, count_triplets, displays, induce, sample_triplets
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet

guarantees = st.sampled_from(["identify", "rebuild"])
ZOO = [pytest.param(h, id=name) for name, h in zoo()]


def as_set(triplets):
    """The triplets as a Python set, whatever the order of the leaves."""
    return {(frozenset((a, b)), c) for a, b, c in triplets}


# ---------------------------------------------------------------------- hierarchies


@given(nested(unary=True))
def test_laws__nested_tuples_and_hierarchies_say_the_same(x):
    h = Hierarchy.from_nested(x)
    assert shape_of_hierarchy(h) == shape_of(x)
    assert set(clades_of_hierarchy(h)) == clades_of(x)


@given(nested(max_leaves=7, unary=True), nested(max_leaves=7, unary=True))
def test_laws__equal_means_equal_shape(x, y):
    g, h = Hierarchy.from_nested(x), Hierarchy.from_nested(y)
    assert (g == h) == (shape_of(x) == shape_of(y))
    assert g != h or hash(g) == hash(h)


@given(nested(unary=True), st.data())
def test_laws__any_order_of_inner_nodes_and_leaves_gives_an_equal_hierarchy(x, data):
    h = Hierarchy.from_nested(x)
    n, N = h.n_leaves, h.n_nodes
    place = np.array([*data.draw(st.permutations(range(n))), *data.draw(st.permutations(range(n, N)))])
    parent = np.empty(N, np.int64)
    parent[place] = np.where(h.parent >= 0, place[h.parent], -1)
    labels = np.empty(n, np.int64)
    labels[place[:n]] = np.array(h.leaves)
    names = [None] * (N - n)
    for u in range(n, N):
        names[place[u] - n] = "/".join(sorted(map(str, h.clade(u))))
    g = Hierarchy(parent, labels, height=np.arange(N)[np.argsort(place)], names=names)
    assert g == h
    assert hash(g) == hash(h)
    assert (g.parent[:-1] > np.arange(N - 1)).all()
    if n < N:
        assert g.names == tuple("/".join(sorted(map(str, g.clade(u)))) for u in range(n, N))
    assert sorted(g.height) == list(range(N))
    assert [g.height[i] for i in range(n)] == [float(h.leaves.index(x)) for x in g.leaves]


@given(nested(unary=True))
def test_laws__suppress_unary_keeps_the_clades_and_the_triplets(x):
    h = Hierarchy.from_nested(x)
    short = h.suppress_unary()
    assert not short.has_unary
    assert shape_of_hierarchy(short) == shape_of(without_unary(x))
    assert all_triplets(short) == all_triplets(h)
    assert short.suppress_unary() is short


@given(nested(unary=True), st.data())
def test_laws__restrict_displays_exactly_the_kept_triplets(x, data):
    h = Hierarchy.from_nested(x)
    kept = data.draw(st.permutations(range(h.n_leaves)))[: data.draw(st.integers(1, h.n_leaves))]
    for keep_unary in (False, True):
        part = h.restrict(kept, keep_unary=keep_unary)
        assert list(part.leaves) == list(kept)
        assert as_set(all_triplets(part)) == {
            t for t in as_set(all_triplets_definition(x)) if {*t[0], t[1]} <= set(kept)
        }
        assert part == h.restrict(kept[::-1], keep_unary=keep_unary)
        assert keep_unary or not part.has_unary
    assert set(clades_of_hierarchy(h.restrict(kept, keep_unary=True))) == {c & set(kept) for c in clades_of(x)} - {
        frozenset()
    }


@given(nested(min_leaves=2, unary=True), st.data())
def test_laws__distances_between_kept_leaves_and_heights_survive_restrict(x, data):
    h = Hierarchy.from_nested(x)
    length = data.draw(st.lists(st.integers(0, 50), min_size=h.n_nodes, max_size=h.n_nodes))
    kept = data.draw(st.permutations(range(h.n_leaves)))[: data.draw(st.integers(2, h.n_leaves))]
    long = Hierarchy(h.parent, h.leaves, length=length)
    tall = Hierarchy(h.parent, h.leaves, height=length)

    def distance(g, a, b):
        meeting, total = g.common_ancestor([a, b]), 0.0
        for label in (a, b):
            u = g.leaves.index(label)
            while u != meeting:
                total += g.length[u]
                u = g.parent[u]
        return total

    for keep_unary in (False, True):
        part, flat = long.restrict(kept, keep_unary=keep_unary), tall.restrict(kept, keep_unary=keep_unary)
        for a, b in combinations(kept, 2):
            assert distance(part, a, b) == distance(long, a, b)
            assert flat.height[flat.common_ancestor([a, b])] == tall.height[tall.common_ancestor([a, b])]


@given(nested(unary=True), st.data())
def test_laws__reindex_there_and_back(x, data):
    h = Hierarchy.from_nested(x)
    other = LeafIndex(data.draw(st.permutations(range(h.n_leaves))))
    g = h.reindex(other)
    assert g.leaves == other
    assert g == h
    assert shape_of_hierarchy(g) == shape_of(x)
    assert g.reindex(h.leaves) == h


@given(hierarchies(min_leaves=2, unary=True), st.data())
def test_laws__common_ancestor_has_the_smallest_clade_with_the_leaves(h, data):
    some = data.draw(st.lists(st.sampled_from(list(h.leaves)), min_size=1))
    u = h.common_ancestor(some)
    assert set(some) <= set(h.clade(u))
    assert all(not set(some) <= set(h.clade(v)) for v in h.children(u).tolist())


# ---------------------------------------------------------------------- there and back


@pytest.mark.parametrize("guarantee", ["identify", "rebuild"])
@pytest.mark.parametrize("h", ZOO)
def test_laws__one_tree_gives_every_hierarchy_of_the_zoo_back(h, guarantee):
    for state in (None, 1):
        t = decompose(h, guarantee=guarantee, random_state=state)
        assert len(t) == decomposition_size(h, guarantee=guarantee)
        assert displays(h, t).all()
        assert one_tree(t) == h


@given(nested(unary=True), guarantees, st.one_of(st.none(), st.integers(0, 9)))
def test_laws__decompose_ignores_unary_nodes_and_is_undone_by_one_tree(x, guarantee, state):
    h = Hierarchy.from_nested(x)
    t = decompose(h, guarantee=guarantee, random_state=state)
    assert t.leaves == h.leaves
    assert len(t) == decomposition_sizes(without_unary(x))[guarantee]
    assert one_tree(t) == h.suppress_unary()


@given(hierarchies(min_leaves=3), guarantees, st.integers(0, 60), st.one_of(st.none(), st.integers(0, 9)))
def test_laws__budgets_of_decompose(h, guarantee, budget, state):
    t = decompose(h, guarantee=guarantee, max_triplets=budget, random_state=state)
    assert len(t) == min(budget, decomposition_size(h, guarantee=guarantee))
    assert displays(h, t).all()
    if budget >= h.n_leaves - len(h.children(h.root)):
        assert one_tree(t) == h
    if state is None:
        assert len(t - decompose(h, guarantee=guarantee)) == 0
    assert t == decompose(h, guarantee=guarantee, max_triplets=budget, random_state=state)


@given(hierarchies(min_leaves=3, unary=True), st.data())
def test_laws__one_tree_of_displayed_triplets_displays_them(h, data):
    size = data.draw(st.integers(0, count_triplets(h)))
    t = sample_triplets(h, size, random_state=data.draw(st.integers(0, 99)))
    assert displays(one_tree(t), t).all()
    assert set(clades_of_hierarchy(one_tree(t))) == clades_of(one_tree_definition(list(t), list(t.leaves)))


@given(triplet_sets())
def test_laws__one_tree_is_that_of_the_definition(t):
    made = one_tree_definition(list(t), list(t.leaves))
    assert is_consistent(t) == (made is not None)
    conflict = find_conflict(t)
    if made is not None:
        assert conflict is None
        assert set(clades_of_hierarchy(one_tree(t))) == clades_of(made)
    else:
        assert as_set(conflict) <= as_set(t)
        assert is_irreducible_conflict(conflict)
        assert len({x for row in conflict for x in row}) == len(conflict) + 1


@given(triplet_sets(), st.data())
def test_laws__the_order_of_leaves_and_rows_does_not_matter(t, data):
    other = LeafIndex(data.draw(st.permutations(list(t.leaves))))
    assert is_consistent(t.reindex(other)) == is_consistent(t)
    if is_consistent(t):
        assert one_tree(t.reindex(other)) == one_tree(t)


# ---------------------------------------------------------------------- triplet sets as sets


@given(triplet_rows(6), triplet_rows(6), st.data())
def test_laws__set_algebra_is_that_of_python_sets(rows, others, data):
    shift = data.draw(st.integers(0, 3))
    s = TripletSet.from_labels(rows, leaves=range(6))
    t = TripletSet.from_labels([tuple(x + shift for x in row) for row in others])
    a, b = as_set(rows), as_set(t)
    assert as_set(s | t) == a | b
    assert as_set(s & t) == a & b
    assert as_set(s - t) == a - b
    assert len(s | t) == len(a | b)
    assert set((s | t).leaves) == set(s.leaves) | set(t.leaves)
    for a_, b_, c in rows + others:
        for row in ((a_, b_, c), [b_, a_, c]):
            assert (row in s) == ((frozenset(row[:2]), row[2]) in a)
            assert (row in t) == ((frozenset(row[:2]), row[2]) in b)


@given(triplet_rows(6, max_size=30), st.data())
def test_laws__rows_are_sorted_unique_and_the_weights_of_repeats_added(rows, data):
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows)))
    wanted = {}
    for (a, b, c), w in zip(rows, weights, strict=True):
        key = (min(a, b), max(a, b), c)
        wanted[key] = wanted.get(key, 0) + w
    t = TripletSet(rows, 6, weights)
    assert [tuple(row) for row in t.rows.tolist()] == sorted(wanted)
    assert t.weights.tolist() == [wanted[key] for key in sorted(wanted)]
    assert TripletSet(rows, 6).rows.tolist() == t.rows.tolist()
    order = data.draw(st.permutations(range(len(rows))))
    again = TripletSet([rows[k] for k in order], 6, [weights[k] for k in order])
    assert again == t
    assert hash(again) == hash(t)


@given(triplet_rows(6), triplet_rows(6))
def test_laws__equal_triplet_sets_are_equal_sets(rows, others):
    s, t = TripletSet.from_labels(rows, range(6)), TripletSet.from_labels(others, [5, 3, 1, 0, 2, 4])
    assert (s == t) == (as_set(rows) == as_set(others))
    assert s != t or hash(s) == hash(t)
    assert s == TripletSet.from_labels(rows[::-1], [5, 3, 1, 0, 2, 4])
    assert hash(s) == hash(TripletSet.from_labels(rows[::-1], [5, 3, 1, 0, 2, 4]))


@given(triplet_rows(7), st.data())
def test_laws__reindex_and_restrict_of_triplet_sets(rows, data):
    weights = np.arange(1.0, len(rows) + 1)
    t = TripletSet.from_labels(rows, range(7), weights=weights)
    weight = dict(zip(t, t.weights.tolist(), strict=True))
    other = LeafIndex([*data.draw(st.permutations(range(7))), "more"])
    moved = t.reindex(other)
    assert as_set(moved) == as_set(t)
    assert {(*sorted((a, b)), c): w for (a, b, c), w in zip(moved, moved.weights.tolist(), strict=True)} == weight
    kept = data.draw(st.permutations(range(7)))[: data.draw(st.integers(0, 7))]
    part = t.restrict(kept)
    assert list(part.leaves) == list(kept)
    assert {(*sorted((a, b)), c): w for (a, b, c), w in zip(part, part.weights.tolist(), strict=True)} == {
        row: w for row, w in weight.items() if set(row) <= set(kept)
    }


@given(nested(unary=True), st.data())
def test_laws__induce_is_parallel_to_what_was_asked(x, data):
    h = Hierarchy.from_nested(x)
    shown = as_set(all_triplets_definition(x))
    asked = data.draw(triplet_rows(h.n_leaves)) if h.n_leaves >= 3 else []
    found = induce(h, asked)
    assert len(found) == len(asked)
    for trio, triplet, odd in zip(asked, found, found.odd.tolist(), strict=True):
        assert {t for t in shown if {*t[0], t[1]} == set(trio)} == (set() if triplet is None else as_set([triplet]))
        assert triplet is None if odd < 0 else triplet[2] == trio[odd]
    assert as_set(found.triplets) == as_set(t for t in found if t is not None)
    assert found.rows.shape == (int(found.resolved.sum()), 3)


# ---------------------------------------------------------------------- counts and samples


@pytest.mark.parametrize("h", ZOO)
def test_laws__samples_of_the_zoo_are_displayed_and_different(h):
    total = count_triplets(h)
    for size in {0, min(1, total), total // 3, min(total, 5000)}:
        t = sample_triplets(h, size, random_state=3)
        assert len(t) == size
        assert displays(h, t).all()
        assert t == sample_triplets(h, size, random_state=3)


@pytest.mark.parametrize(
    ("h", "count"),
    [
        (star(50), 0),
        (caterpillar(90), comb(90, 3)),
        (two_level(90, 9), 9 * comb(10, 2) * 80),
        (Hierarchy([-1]), 0),
        pytest.param(caterpillar(2_000_000), comb(2_000_000, 3), marks=pytest.mark.slow),
    ],
)
def test_laws__counts_worked_out_by_hand(h, count):
    assert count_triplets(h) == count


@pytest.mark.slow
def test_laws__counts_beyond_64_bits_are_exact_and_sampled_by_rejection():
    n = 4_000_000
    h = caterpillar(n)
    assert count_triplets(h) == comb(n, 3) > 2**63
    t = sample_triplets(h, 1000, random_state=1)
    # leaf i of this caterpillar joins at step i: the highest is the odd one
    assert len(t) == 1000
    assert (t.rows[:, 2] > t.rows[:, 1]).all()


def counted(draw, draws):
    """How often each set was drawn."""
    seen = {}
    for _ in range(draws):
        key = tuple(map(tuple, draw().rows.tolist()))
        seen[key] = seen.get(key, 0) + 1
    return seen


POLYTOMIES = ((0, 1), (2, 3, 4), 5)  # displays 1 * 4 + 3 * 3 = 13 triplets


def assert_uniform(seen, number_of_sets, draws):
    counts = list(seen.values()) + [0] * (number_of_sets - len(seen))
    assert len(counts) == number_of_sets
    assert sum(counts) == draws
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("branch", ["sparse", "dense", "rejection"])
def test_laws__sampling_without_replacement_is_uniform(branch, monkeypatch):
    h = Hierarchy.from_nested(POLYTOMIES)
    assert count_triplets(h) == 13
    size, draws = {"sparse": (2, 3000), "dense": (11, 3000), "rejection": (2, 1500)}[branch]
    if branch == "rejection":
        monkeypatch.setattr(induction, "_MOST_RANKS", 12)
    rng = np.random.default_rng(20261121)
    assert_uniform(counted(lambda: sample_triplets(h, size, random_state=rng), draws), comb(13, size), draws)


def test_laws__rejection_can_draw_them_all(monkeypatch):
    h = Hierarchy.from_nested(POLYTOMIES)
    monkeypatch.setattr(induction, "_MOST_RANKS", 0)
    assert sample_triplets(h, 13, random_state=0) == all_triplets(h)
    assert len(sample_triplets(h, 0, random_state=0)) == 0


@pytest.mark.parametrize("size", [2, 11])
def test_laws__sampling_of_class_triplets_is_uniform(size):
    # classes of 3, 1 and 2 imply 3 * 3 + 1 * 4 = 13 triplets. Beyond half of them the dense branch draws
    y = ["x", "y", "x", "z", "x", "z"]
    rng = np.random.default_rng(20261121)
    assert_uniform(counted(lambda: sample_class_triplets(y, size, random_state=rng), 3000), comb(13, size), 3000)


def test_laws__random_representatives_are_spread_over_the_clades():
    h = two_level(60, 3)
    rng = np.random.default_rng(0)
    used = {
        x for _ in range(20) for row in decompose(h, guarantee="rebuild", random_state=rng).rows.tolist() for x in row
    }
    assert used == set(range(60))


@settings(max_examples=20)
@given(st.integers(20, 400), st.integers(0, 1000))
def test_laws__larger_random_hierarchies_come_back(n, seed):
    rng = np.random.default_rng(seed)
    h = contracted(yule(n, rng), rng.random(), rng)
    more = sample_triplets(h, min(count_triplets(h), 5 * n), random_state=rng)
    assert one_tree(decompose(h, random_state=rng) | more) == h
    assert one_tree(decompose(h, guarantee="rebuild", random_state=rng) | more) == h
