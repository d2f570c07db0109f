"""Pairs -> triplets: kept and lost pairs, on all hierarchies and all partitions of up to 6 leaves."""

import pickle
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from examples import small_world
from hypothesis import given
from hypothesis import strategies as st
from oracles import clades_of, displayed

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.infer import implies
from tripletree.algorithms.pair_reduction import reduce_pairs
from tripletree.algorithms.supervision import triplets_from_classes
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.provenance import Origins
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentPairsError, LimitExceededError


class World:
    """All hierarchies on 0..n-1: which triplets each displays, as a boolean table, and its clades."""

    def __init__(self, n):
        self.clades = [{*clades_of(x), *(frozenset([i]) for i in range(n))} for x in small_world(n)]
        self.triplets = [(a, b, c) for a, b in combinations(range(n), 2) for c in range(n) if c not in (a, b)]
        self.number = {t: k for k, t in enumerate(self.triplets)}
        self.table = np.array([[displayed(x, *t) for t in self.triplets] for x in self.clades]).reshape(
            len(self.clades), len(self.triplets)
        )

    def displaying(self, triplets):
        """Which hierarchies display all of them."""
        return self.table[:, [self.number[tuple(t)] for t in triplets]].all(axis=1)


world = cache(World)


@cache
def partitions(n):
    """Every partition of 0..n-1, as cluster numbers in the order of first members."""
    return [p for p in product(range(n), repeat=n) if all(x <= max(p[:i], default=-1) + 1 for i, x in enumerate(p))]


@st.composite
def some_pairs(draw, max_leaves=6):
    """Consistent pairs: true of some partition."""
    n = draw(st.integers(2, max_leaves))
    partition = draw(st.sampled_from(partitions(n)))
    drawn = draw(st.lists(st.sampled_from(list(combinations(range(n), 2))), max_size=10))
    must, cannot = ([x for x in drawn if (partition[x[0]] == partition[x[1]]) is same] for same in (True, False))
    return PairwiseConstraints(must, cannot, n)


def wanted(pairs):
    """ab|c for all a, b that must be together and c that must be apart from them: the definition."""
    full = pairs.expand()
    apart = {*map(tuple, full.cannot_link.tolist()), *map(tuple, full.cannot_link[:, ::-1].tolist())}
    return [(a, b, c) for a, b in full.must_link.tolist() for c in range(len(pairs.leaves)) if (a, c) in apart]


def two_level(partition):
    """The triplets of the hierarchy with the clusters below the root and the leaves below the clusters."""
    n = len(partition)
    clusters = {frozenset(i for i in range(n) if partition[i] == k) for k in partition}
    return {(a, b, c) for a, b, c in world(n).triplets if displayed(clusters, a, b, c)}


# ---------------------------------------------------------------------- laws


@given(some_pairs())
def test_reduction__every_partition_that_satisfies_the_pairs_displays_the_triplets(pairs):
    triplets = {tuple(x) for x in pairs.to_triplets().rows.tolist()}
    for partition in partitions(len(pairs.leaves)):
        together = [partition[a] == partition[b] for a, b in pairs.must_link.tolist()]
        apart = [partition[a] != partition[b] for a, b in pairs.cannot_link.tolist()]
        if all(together) and all(apart):
            assert triplets <= two_level(partition)
    assert is_consistent(pairs.to_triplets())


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_reduction__with_complete_components_every_hierarchy_can_be_cut_into_them(n, rng):
    for partition in partitions(n):
        must = [x for x in combinations(range(n), 2) if partition[x[0]] == partition[x[1]]]
        cannot = [x for x in combinations(range(n), 2) if partition[x[0]] != partition[x[1]]]
        # a random spanning set: as many must-links as it takes, one cannot-link between each two components
        few = {}
        for a, b in rng.permutation(cannot).tolist() if cannot else []:
            few[min(partition[a], partition[b]), max(partition[a], partition[b])] = (a, b)
        pairs = PairwiseConstraints(rng.permutation(must) if must else [], list(few.values()), n)
        reduction = reduce_pairs(pairs)
        assert reduction.is_complete
        blocks = {frozenset(i for i in range(n) if partition[i] == k) for k in partition}
        hold = world(n).displaying(reduction.triplets.rows.tolist())
        assert hold.any()
        # exactly the hierarchies of which each component is a clade
        assert hold.tolist() == [blocks <= clades for clades in world(n).clades]
        assert len(reduction.triplets) == (n - len(blocks)) * (len(blocks) - 1)


@given(some_pairs())
def test_reduction__the_triplets_say_all_that_follows_and_no_more(pairs):
    triplets, full, n = pairs.to_triplets(), wanted(pairs), len(pairs.leaves)
    assert {tuple(x) for x in triplets.rows.tolist()} <= set(full)
    assert (world(n).displaying(triplets.rows.tolist()) == world(n).displaying(full)).all()
    assert implies(triplets, TripletSet(full, n)).all()
    sizes = pairs.closure().sizes
    assert len(triplets) == sum(sizes[a] + sizes[b] - 2 for a, b in pairs.closure().cannot.tolist())


@given(some_pairs(max_leaves=5))
def test_reduction__no_smaller_set_says_it(pairs):
    """No set of one triplet fewer that the two-level hierarchy of the components displays is enough."""
    n, k = len(pairs.leaves), len(pairs.to_triplets())
    full = wanted(pairs)
    if k == 0:
        assert full == []
        return
    allowed = world(n).displaying(full)
    for fewer in combinations(sorted(two_level(tuple(pairs.closure().component.tolist()))), k - 1):
        assert (world(n).displaying(fewer) & ~allowed).any()


@given(some_pairs())
def test_reduction__every_pair_is_kept_or_reported(pairs):
    r = reduce_pairs(pairs)
    closure = pairs.closure()
    touched = set(closure.cannot.ravel().tolist())
    kept = [(a, b) for a, b in pairs.must_link.tolist() if closure.component[a] in touched]
    assert len(r.merges.cannot_link) == len(r.on_cut.must_link) == 0
    assert sorted([*kept, *map(tuple, r.merges.must_link.tolist())]) == list(map(tuple, pairs.must_link.tolist()))
    lost = [(a, b) for a, b in pairs.cannot_link.tolist() if {a, b}.isdisjoint(pairs.must_link.ravel().tolist())]
    assert list(map(tuple, r.on_cut.cannot_link.tolist())) == lost
    # reported pairs give no triplet, and without it nothing changes
    assert len(r.merges.to_triplets()) == len(r.on_cut.to_triplets()) == 0
    rest = pairs.subset(
        must_link=[x not in r.merges.must_link.tolist() for x in pairs.must_link.tolist()] if pairs.n_must else [],
        cannot_link=[x not in r.on_cut.cannot_link.tolist() for x in pairs.cannot_link.tolist()]
        if pairs.n_cannot
        else [],
    )
    assert rest.to_triplets() == r.triplets


@given(some_pairs())
def test_reduction__the_links_behind_a_triplet_imply_it(pairs):
    r = reduce_pairs(pairs)
    for k in range(len(r.triplets)):
        a, b, c = r.triplets.rows[k].tolist()
        assert pairs.must_link[r.must_row[k]].tolist() == [a, b]
        assert c in pairs.cannot_link[r.cannot_row[k]].tolist()
        behind = r.pairs_behind(r.triplets.subset([k]))
        assert {*behind} <= {*pairs}
        assert (a, b, c) in wanted(behind)
        for i in range(behind.n_must):  # and each of them is needed
            without = behind.subset(must_link=np.delete(np.arange(behind.n_must), i))
            assert (a, b, c) not in wanted(without)
        assert behind.n_cannot == 1
    everything = r.pairs_behind(r.triplets)
    assert everything.to_triplets() == r.triplets


def test_reduction__of_classes_says_the_same_as_their_triplets(rng):
    for partition in partitions(5):
        y = np.array(partition)
        i, j = np.triu_indices(5, 1)
        rows = np.stack([i, j], axis=1)
        same = y[i] == y[j]
        ours, theirs = PairwiseConstraints(rows[same], rows[~same], 5).to_triplets(), triplets_from_classes(y)
        assert len(ours) == len(theirs)
        assert one_tree(ours) == one_tree(theirs)


# ---------------------------------------------------------------------- by hand


def test_reduction__kept_and_lost_in_words():
    p = PairwiseConstraints.from_labels(
        [("a", "b"), ("b", "c"), ("x", "y"), ("u", "v")], [("a", "x"), ("c", "y"), ("p", "q"), ("a", "p")]
    )
    r = reduce_pairs(p)
    assert list(r.triplets) == [
        ("a", "b", "p"), ("a", "b", "x"), ("b", "c", "p"), ("b", "c", "x"), ("x", "y", "a"),
    ]  # fmt: skip
    assert list(r.merges) == [("u", "v", "must")]
    assert list(r.on_cut) == [("p", "q", "cannot")]
    assert not r.is_complete
    assert repr(r) == (
        "<PairReduction: 4 must-links and 4 cannot-links give 5 triplets; 1 must-link to be merged first, "
        "1 cannot-link left to the cut>"
    )
    assert str(r).splitlines() == [
        "4 must-links in 3 groups and 4 cannot-links",
        "  kept: 5 triplets",
        "  merges to be done first: 1 must-link in 1 group that nothing is kept apart from",
        "  left to the cut: 1 cannot-link between leaves without must-links",
        "  5 components, not all kept apart: a hierarchy that displays the triplets need not have a cut that satisfies "
        "the pairs",
    ]
    assert "all components are kept apart" in str(reduce_pairs(PairwiseConstraints([(0, 1)], [(1, 2)], 3)))
    twin = pickle.loads(pickle.dumps(r))
    assert (twin.triplets, str(twin)) == (r.triplets, str(r))


def test_reduction__without_complete_components_a_hierarchy_may_have_no_cut():
    """(((0, 2), (1, 3)), 4) displays 01|4. A cut that keeps 0 and 1 together keeps 2 and 3 together."""
    p = PairwiseConstraints([(0, 1)], [(0, 4), (2, 3)], 5)
    clades = world(5).clades[next(
        k for k in np.flatnonzero(world(5).displaying(p.to_triplets().rows.tolist()))
        if {frozenset({0, 2}), frozenset({1, 3}), frozenset({0, 1, 2, 3})} <= world(5).clades[k]
    )]  # fmt: skip
    cuts = [x for x in partitions(5) if {frozenset(i for i in range(5) if x[i] == k) for k in x} <= clades]
    assert not any(x[0] == x[1] and x[0] != x[4] and x[2] != x[3] for x in cuts)
    assert reduce_pairs(p).on_cut.n_cannot == 1


def test_reduction__weights_are_weights_and_choose_the_links():
    p = PairwiseConstraints(
        [(0, 1), (1, 2), (0, 2)], [(0, 3), (2, 3), (4, 0)], 5,
        must_weights=[0.2, 0.9, 0.6], cannot_weights=[0.5, 0.7, 0.8],
    )  # fmt: skip
    t = p.to_triplets()
    assert t.rows.tolist() == [[0, 2, 3], [0, 2, 4], [1, 2, 3], [1, 2, 4]]
    assert t.weights.tolist() == [0.6, 0.6, 0.7, 0.8]
    r = reduce_pairs(p)
    assert p.cannot_link[r.cannot_row].tolist() == [[2, 3], [0, 4], [2, 3], [0, 4]]


def test_reduction__the_links_behind_a_conflict_come_with_their_lines():
    p = PairwiseConstraints(
        [(0, 1), (1, 2), (2, 3)], [(3, 4)], 5,
        must_origins=Origins.of_lines("p.txt", "line", [2, 3, 5]),
        cannot_origins=Origins.of_lines("p.txt", "line", [9]),
    )  # fmt: skip
    r = reduce_pairs(p)
    behind = r.pairs_behind(TripletSet([(1, 2, 4), (0, 2, 3)], 5))  # the second is none of the reduction
    assert list(behind) == [(1, 2, "must"), (2, 3, "must"), (3, 4, "cannot")]
    assert [str(x) for x in (*behind.must_origins, *behind.cannot_origins)] == [
        "line 3 of p.txt", "line 5 of p.txt", "line 9 of p.txt",
    ]  # fmt: skip
    assert len(r.pairs_behind(TripletSet([], 5))) == 0


def test_reduction__refusals():
    with pytest.raises(InconsistentPairsError):
        reduce_pairs(PairwiseConstraints([(0, 1)], [(0, 1)], 2))
    with pytest.raises(TypeError, match="expected PairwiseConstraints"):
        reduce_pairs([(0, 1)])
    star = PairwiseConstraints([(0, i) for i in range(1, 50)], [(0, i) for i in range(50, 100)], 100)
    assert len(reduce_pairs(star).triplets) == 49 * 50
    with pytest.raises(LimitExceededError, match="2,450 triplets follow, more than limit=2,449") as caught:
        reduce_pairs(star, limit=2449)
    assert caught.value.size == 2450


def test_reduction__a_long_chain(rng):
    n = 20_001
    order = rng.permutation(n)
    r = reduce_pairs(PairwiseConstraints(np.stack([order[:-2], order[1:-1]], axis=1), [(order[0], order[-1])], n))
    assert len(r.triplets) == n - 2
    last = TripletSet([(order[-3], order[-2], order[-1])], n)
    assert r.pairs_behind(last).n_must == n - 2


def test_reduce_pairs__cannot_links_alone_leave_all_to_the_cut():
    text = str(reduce_pairs(PairwiseConstraints([], [(0, 1)], 3)))
    assert text.endswith("no must-links: any hierarchy has cuts that satisfy the pairs, down to single leaves")
