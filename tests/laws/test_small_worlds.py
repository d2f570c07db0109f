"""Every hierarchy with up to 6 leaves: claims about all hierarchies are checked on each of them."""

from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from examples import small_world
from oracles import (
    all_triplets_definition,
    clades_of,
    clades_of_hierarchy,
    decomposition_sizes,
    is_irreducible_conflict,
    one_tree_definition,
    shape_of,
)

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.conflict import find_conflict
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.algorithms.induce import all_triplets, count_triplets, displays, induce
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError

NUMBERS = {2: 1, 3: 4, 4: 26, 5: 236, 6: 2752}
GUARANTEES = ("identify", "rebuild")
sizes = pytest.mark.parametrize("n", [2, 3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])


class World:
    """All hierarchies on 0..n-1 as definitions: which triplets and which clades each has, as boolean tables."""

    def __init__(self, n):
        self.nested = small_world(n)
        self.hierarchies = [Hierarchy.from_nested(x).reindex(Hierarchy([n] * n + [-1]).leaves) for x in self.nested]
        self.triplets = [t for x, y, z in combinations(range(n), 3) for t in ((x, y, z), (x, z, y), (y, z, x))]
        self.number = {t: k for k, t in enumerate(self.triplets)}
        shown = [all_triplets_definition(x) for x in self.nested]
        self.displays = np.array([[t in s for t in self.triplets] for s in shown], dtype=bool)
        subsets = [frozenset(s) for k in range(2, n + 1) for s in combinations(range(n), k)]
        clades = [clades_of(x) for x in self.nested]
        self.clades = np.array([[s in c for s in subsets] for c in clades], dtype=bool)

    def displaying(self, rows):
        """Which hierarchies display all rows."""
        return self.displays[:, [self.number[t] for t in rows]].all(axis=1)

    def identified(self, k, rows):
        """True if every hierarchy that displays the rows refines number k: has all of its clades."""
        return bool(self.clades[self.displaying(rows)][:, self.clades[k]].all())


@cache
def world(n):
    return World(n)


def tuples(triplets):
    return [tuple(row) for row in triplets.rows.tolist()]


def rebuilds(rows, nested, n):
    made = one_tree_definition(rows, range(n))
    return made is not None and clades_of(made) == clades_of(nested)


def row_sets(n, rng, count):
    """Random sets of triplets, consistent or not."""
    every = world(n).triplets
    for _ in range(count):
        picked = rng.permutation(len(every))[: rng.integers(0, 2 * n)]
        yield [every[k] for k in picked]


@pytest.mark.parametrize("n", NUMBERS)
def test_small_worlds__have_the_known_numbers_of_hierarchies(n):
    assert len(small_world(n)) == NUMBERS[n]
    assert len({shape_of(x) for x in small_world(n)}) == NUMBERS[n]


@sizes
def test_small_worlds__one_tree_gives_the_hierarchy_back(n):
    rng = np.random.default_rng(n)
    for h in world(n).hierarchies:
        for guarantee in GUARANTEES:
            assert one_tree(decompose(h, guarantee=guarantee)) == h
            assert one_tree(decompose(h, guarantee=guarantee, random_state=rng)) == h


@sizes
def test_small_worlds__decompositions_have_the_sizes_of_the_formulas(n):
    for nested, h in zip(small_world(n), world(n).hierarchies, strict=True):
        wanted = decomposition_sizes(nested)
        assert wanted["rebuild"] == n - len(nested)
        for guarantee in GUARANTEES:
            assert len(decompose(h, guarantee=guarantee)) == wanted[guarantee]
            assert decomposition_size(h, guarantee=guarantee) == wanted[guarantee]


@sizes
def test_small_worlds__identify_identifies(n):
    rng = np.random.default_rng(n)
    for k, h in enumerate(world(n).hierarchies):
        for state in (None, rng):
            rows = tuples(decompose(h, random_state=state))
            assert world(n).displaying(rows)[k]
            assert world(n).identified(k, rows)


def test_small_worlds__rebuild_does_not_always_identify():
    k = next(k for k, x in enumerate(small_world(5)) if shape_of(x) == shape_of(((0, 1), (2, 3), 4)))
    h = world(5).hierarchies[k]
    assert not world(5).identified(k, tuples(decompose(h, guarantee="rebuild")))
    assert world(5).identified(k, tuples(decompose(h, guarantee="identify")))


@sizes
def test_small_worlds__no_triplet_of_a_decomposition_can_be_dropped(n):
    rng = np.random.default_rng(n)
    for k in rng.permutation(NUMBERS[n])[:400]:
        h, nested = world(n).hierarchies[k], small_world(n)[k]
        rows = tuples(decompose(h, random_state=rng))
        assert not any(world(n).identified(k, rows[:i] + rows[i + 1 :]) for i in range(len(rows)))
        rows = tuples(decompose(h, guarantee="rebuild", random_state=rng))
        assert not any(rebuilds(rows[:i] + rows[i + 1 :], nested, n) for i in range(len(rows)))


@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_small_worlds__no_smaller_set_of_displayed_triplets_gives_the_guarantee(n):
    # more triplets of the hierarchy never spoil a guarantee, so sets with one triplet less stand for all smaller ones
    for k, nested in enumerate(small_world(n)):
        shown = sorted(all_triplets_definition(nested))
        size = decomposition_sizes(nested)
        if size["identify"]:
            assert not any(world(n).identified(k, rows) for rows in combinations(shown, size["identify"] - 1))
            assert not any(rebuilds(list(rows), nested, n) for rows in combinations(shown, size["rebuild"] - 1))


@sizes
def test_small_worlds__rebuild_sets_stay_consistent_whatever_rows_are_changed(n):
    rng = np.random.default_rng(n)
    for k in rng.permutation(NUMBERS[n])[:250]:
        rows = tuples(decompose(world(n).hierarchies[k], guarantee="rebuild", random_state=rng))
        turned = [[(a, b, c), (*sorted((a, c)), b), (*sorted((b, c)), a)] for a, b, c in rows]
        for changed in product(*turned):
            assert world(n).displaying(changed).any()
            assert is_consistent(TripletSet(changed, n))


def test_small_worlds__identify_sets_can_become_inconsistent():
    h = Hierarchy.from_nested([[0, 1], [2, 3], [4, 5]])
    rows = tuples(decompose(h))
    turned = [[(a, b, c), (*sorted((a, c)), b), (*sorted((b, c)), a)] for a, b, c in rows]
    assert any(not is_consistent(TripletSet(changed, 6)) for changed in product(*turned))


@sizes
def test_small_worlds__all_triplets_are_those_of_the_definition(n):
    for nested, h in zip(small_world(n), world(n).hierarchies, strict=True):
        wanted = sorted(all_triplets_definition(nested))
        assert tuples(all_triplets(h)) == wanted
        assert count_triplets(h) == len(wanted)


@sizes
def test_small_worlds__displays_and_induce_agree_with_the_definition(n):
    every = TripletSet(world(n).triplets, n)
    shown = world(n).displays[:, [world(n).number[t] for t in tuples(every)]]
    trios = np.array([t for trio in combinations(range(n), 3) for t in permutations(trio)], np.int32).reshape(-1, 3)
    for k, h in enumerate(world(n).hierarchies):
        assert np.array_equal(displays(h, every), shown[k])
        found = induce(h, trios)
        for trio, triplet in zip(trios.tolist(), found, strict=True):
            sets = [t for t in world(n).triplets if set(t) == set(trio) and world(n).displays[k, world(n).number[t]]]
            assert sets == ([] if triplet is None else [(*sorted(triplet[:2]), triplet[2])])


@sizes
def test_small_worlds__clades_come_back_from_the_parent_array(n):
    for nested, h in zip(small_world(n), world(n).hierarchies, strict=True):
        assert set(clades_of_hierarchy(h)) == clades_of(nested)
        assert {frozenset(h.clade(u)) for u in range(n, h.n_nodes)} == clades_of(nested)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_small_worlds__equality_and_hash_agree_with_clades(n):
    rng = np.random.default_rng(n)
    versions = [(clades_of(x), h) for x, h in zip(small_world(n), world(n).hierarchies, strict=True)]
    for x in small_world(n):
        labels = [int(i) for i in rng.permutation(n)]
        versions.append((clades_of(x), Hierarchy.from_nested(x).restrict(labels)))
    for (clades, g), (others, h) in product(versions, repeat=2):
        assert (g == h) == (clades == others)
        assert (g != h) == (clades != others)
        assert (hash(g) == hash(h)) == (clades == others)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_small_worlds__consistency_is_existence(n):
    rng = np.random.default_rng(n)
    verdicts = []
    for rows in row_sets(n, rng, 500):
        t = TripletSet(rows, n)
        exists = bool(world(n).displaying(rows).any())
        verdicts.append(exists)
        assert is_consistent(t) == exists
        if exists:
            assert displays(one_tree(t), t).all()
            assert find_conflict(t) is None
        else:
            conflict = find_conflict(t)
            assert len(conflict.triplets - t) == 0
            assert is_irreducible_conflict(tuples(conflict.triplets))
            assert not world(n).displaying(tuples(conflict.triplets)).any()
            with pytest.raises(InconsistentTripletsError) as caught:
                one_tree(t)
            assert is_irreducible_conflict(tuples(caught.value.conflict.triplets))
    assert 50 < sum(verdicts) < 450


@pytest.mark.parametrize("n", [4, 5, 6])
def test_small_worlds__one_tree_is_that_of_the_definition(n):
    rng = np.random.default_rng(10 + n)
    for rows in row_sets(n, rng, 300):
        made = one_tree_definition(rows, range(n))
        if made is not None:
            assert set(clades_of_hierarchy(one_tree(TripletSet(rows, n)))) == clades_of(made)


@pytest.mark.parametrize("n", [4, 5])
def test_small_worlds__a_restriction_displays_exactly_the_kept_triplets(n):
    for nested, h in zip(small_world(n), world(n).hierarchies, strict=True):
        shown = all_triplets_definition(nested)
        for k in range(1, n + 1):
            for kept in combinations(range(n), k):
                part = h.restrict(kept)
                assert {(*sorted(t[:2]), t[2]) for t in all_triplets(part)} == {t for t in shown if set(t) <= set(kept)}
                assert not part.has_unary
