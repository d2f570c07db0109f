"""Flat clusters and triplets, against the literal definition and all small worlds."""

import warnings
from functools import cache
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from examples import small_world, yule
from hypothesis import given
from hypothesis import strategies as st
from oracles import all_triplets_definition, clades_of, compatible_by_enumeration, implied_by_enumeration
from scipy.cluster.hierarchy import linkage
from strategies import triplet_rows

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.cut import RULES, cut
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.flat import are_compatible, compatible, enforce_triplets, fit_together, satisfies, unbroken
from tripletree.algorithms.induce import all_triplets, displays, sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.datasets import load_hierarchy
from tripletree.errors import (
    ClusterCountError,
    DuplicateLeafError,
    InconsistentTripletsError,
    InfeasibleClusteringError,
    InvalidLabelsError,
    UnknownLeafError,
)
from tripletree.evaluation.scores import label_triplet_score, triplet_score

NOTHING = np.empty((0, 3), np.int32)


def satisfied(labels, a, b, c):
    """Definition 4.2, word for word: whenever a and c, or b and c, are in one cluster, all three are."""
    if labels[a] == labels[c] or labels[b] == labels[c]:
        return labels[a] == labels[b] == labels[c]
    return True


@cache
def partitions(n, k):
    """All labels of n leaves with exactly k clusters, numbered by first leaves."""
    return [x for x in product(range(k), repeat=n) if list(dict.fromkeys(x)) == list(range(k))]


def triplet_worlds(n):
    """Every set with at most one triplet on each three leaves."""
    options = [[None, (a, b, c), (a, c, b), (b, c, a)] for a, b, c in combinations(range(n), 3)]
    for chosen in product(*options):
        yield TripletSet([t for t in chosen if t] or NOTHING, n)


@given(
    st.integers(3, 8).flatmap(lambda n: st.tuples(st.lists(st.integers(0, 3), min_size=n, max_size=n), triplet_rows(n)))
)
def test_satisfies__is_the_definition(case):
    labels, rows = case
    t = TripletSet(rows or NOTHING, len(labels))
    expected = [satisfied(labels, *row) for row in t.rows.tolist()]
    assert satisfies(labels, t).tolist() == expected
    assert label_triplet_score(labels, t) == (sum(expected) / len(t) if len(t) else 1.0)


def test_satisfies__all_five_ways_three_leaves_can_fall():
    t = TripletSet([(0, 1, 2)], 3)
    ways = {(0, 0, 0): True, (0, 0, 1): True, (0, 1, 2): True, (0, 1, 0): False, (0, 1, 1): False}
    assert {labels: bool(satisfies(labels, t)[0]) for labels in ways} == ways


def test_satisfies__samples_by_key_index_position_or_estimator():
    t = TripletSet.from_labels([("ant", "bee", "cow")])
    assert satisfies({"cow": 1, "ant": 0, "bee": 1}, t).tolist() == [False]
    assert satisfies(pd.Series([1, 0, 0, 7], ["cow", "ant", "bee", "dog"]), t).tolist() == [True]
    assert satisfies(["x", "y", "y"], t).tolist() == [False]  # in the order of the leaves
    assert satisfies([0, 1, 1, 5, 5], TripletSet.from_labels([(0, 1, 2)])).tolist() == [False]
    X = pd.DataFrame([[0.0], [1.0], [9.0]], ["ant", "bee", "cow"])
    assert satisfies(ReCon(2).fit(X), t).tolist() == [True]


def test_satisfies__what_does_not_fit_is_refused():
    t = TripletSet.from_labels([("ant", "bee", "cow")])
    with pytest.raises(UnknownLeafError, match="triplets' samples, by the index or keys of labels"):
        satisfies({"ant": 0, "bee": 1}, t)
    with pytest.raises(InvalidLabelsError, match="is missing, and its sample is in a triplet"):
        satisfies({"ant": 0, "bee": 1, "cow": None}, t)
    with pytest.raises(InvalidLabelsError, match="labels has 2 entries, and the triplets have 3 leaves"):
        satisfies([0, 1], t)
    with pytest.raises(DuplicateLeafError):
        satisfies(pd.Series([0, 1, 1, 0], ["ant", "bee", "cow", "ant"]), t)
    with pytest.raises(TypeError, match="TripletSet"):
        satisfies([0, 1, 1], [(0, 1, 2)])


def test_label_triplet_score__weights_count():
    t = TripletSet([(0, 1, 2), (1, 2, 0)], 3, [3.0, 1.0])
    assert label_triplet_score([0, 0, 1], t) == 0.75
    assert label_triplet_score([0, 0, 0], t) == 1.0
    h = Hierarchy.from_nested([(0, 1), 2])
    assert triplet_score(h, t) == 0.75


# ------------------------------------------------------------------ clades that the tree keeps


@pytest.mark.parametrize("n", [3, 4, 5])
def test_law__clades_and_unions_of_siblings_satisfy_all_that_is_displayed(n):
    for nested in small_world(n):
        h = Hierarchy.from_nested(nested).reindex(LeafIndex(n))
        t = TripletSet(sorted(all_triplets_definition(nested)) or NOTHING, n)
        start, stop, leaf = h.leaf_intervals
        below = [frozenset(leaf[i:j].tolist()) for i, j in zip(start, stop, strict=True)]
        unions = set()
        for u in range(h.n_nodes):
            parts = [below[v] for v in h.children(u).tolist()] if u >= n else [below[u]]
            for r in range(1, len(parts) + 1):
                unions |= {frozenset().union(*some) for some in combinations(parts, r)}
        found = set()
        for k in range(1, n + 1):
            for labels in partitions(n, k):
                clusters = [frozenset(i for i in range(n) if labels[i] == c) for c in range(k)]
                if set(clusters) <= unions:
                    assert all(satisfied(labels, *row) for row in t.rows.tolist())
                    found.add(k)
        assert found == set(range(1, n + 1))  # every number of clusters can be had


@pytest.mark.parametrize("n", [3, 4])
def test_law__consistent_triplets_can_be_satisfied_with_any_number_of_clusters(n):
    impossible = 0
    for t in triplet_worlds(n):
        for k in range(1, n + 1):
            can = any(all(satisfied(labels, *row) for row in t.rows.tolist()) for labels in partitions(n, k))
            assert can or not is_consistent(t)
            impossible += not can
    assert (impossible > 0) == (n == 4)  # contradictory ones, sometimes not


# ------------------------------------------------------------------ implied triplets


def clade_sets(n):
    return [set(clades_of(nested)) for nested in small_world(n)]


@pytest.mark.parametrize("n", [3, 4])
def test_law__compatible_clusters_are_clades_of_a_hierarchy_with_all_triplets(n):
    """All sets and partitions, against all hierarchies. Compatible clusters satisfy all that the set implies."""
    weaker = 0
    for t in triplet_worlds(n):
        rows = t.rows.tolist()
        implied = implied_by_enumeration(rows, n, clade_sets(n)) if is_consistent(t) else rows
        for k in range(1, n + 1):
            for labels in partitions(n, k):
                compatible = are_compatible(labels, t)
                assert compatible == compatible_by_enumeration(labels, rows, clade_sets(n))
                if compatible:
                    assert all(satisfied(labels, *row) for row in implied)
                elif is_consistent(t):
                    weaker += all(satisfied(labels, *row) for row in rows)
    assert (weaker > 0) == (n == 4)  # the given triplets hold, and yet the clusters are not compatible


@given(st.integers(0, 10**6))
def test_law__compatible_clusters_of_five_leaves(seed):
    rng = np.random.default_rng(seed)
    t = sample_triplets(yule(5, rng), int(rng.integers(1, 6)), random_state=rng).reindex(LeafIndex(5))
    rows = t.rows.tolist()
    labels = tuple(rng.integers(0, 3, 5).tolist())
    compatible = are_compatible(labels, t)
    assert compatible == compatible_by_enumeration(labels, rows, clade_sets(5))
    if compatible:
        assert all(satisfied(labels, *row) for row in implied_by_enumeration(rows, 5, clade_sets(5)))


@pytest.mark.parametrize("n", [3, 4, 5])
def test_law__for_a_whole_hierarchy_compatible_means_that_all_its_triplets_are_satisfied(n):
    differ = 0
    for nested in small_world(n):
        every = TripletSet(sorted(all_triplets_definition(nested)) or NOTHING, n)
        smallest = decompose(Hierarchy.from_nested(nested)).reindex(LeafIndex(n))
        for k in range(1, n + 1):
            for labels in partitions(n, k):
                all_hold = bool(satisfies(labels, every).all())
                assert are_compatible(labels, smallest) == are_compatible(labels, every) == all_hold
                differ += bool(satisfies(labels, smallest).all()) and not all_hold
    assert (differ > 0) == (n > 3)


# ------------------------------------------------------------------ enforced


@pytest.mark.parametrize("steps", [None, 0])
def test_enforce_triplets__all_small_worlds(steps):
    n, refused = 4, 0
    for t in triplet_worlds(n):
        consistent = is_consistent(t)
        for k in range(1, n + 1):
            for labels in partitions(n, k):
                try:
                    new = enforce_triplets(labels, t, max_steps=steps)
                except InconsistentTripletsError:
                    assert not consistent
                    refused += 1
                    continue
                assert all(satisfied(new.tolist(), *row) for row in t.rows.tolist())
                assert sorted(set(new.tolist())) == list(range(k))
                assert are_compatible(new, t) == consistent
                if are_compatible(labels, t) or (not consistent and satisfies(labels, t).all()):
                    assert new.tolist() == list(labels)
    assert refused > 0


@given(st.integers(5, 9), st.integers(1, 9), st.integers(0, 10**6), st.booleans())
def test_enforce_triplets__any_consistent_set(n, k, seed, search):
    rng = np.random.default_rng(seed)
    t = sample_triplets(yule(n, rng), int(rng.integers(1, 2 * n)), random_state=rng)
    t = t.reindex(LeafIndex(n))
    labels = rng.permutation(np.arange(n) % min(k, n))
    before = labels.copy()
    samples = rng.normal(size=(n, 2)) if rng.random() < 0.5 else None
    new = enforce_triplets(labels, t, samples=samples, max_steps=None if search else 0)
    assert satisfies(new, t).all()
    assert are_compatible(new, t)
    assert set(new) == set(labels)
    assert np.array_equal(labels, before)
    again = enforce_triplets(labels, t, samples=samples, max_steps=None if search else 0)
    assert np.array_equal(new, again)


def test_enforce_triplets__moves_hardly_more_than_are_needed(rng):
    """Against every partition of six leaves: how many have to move at the least."""
    more = fewest = 0
    for _ in range(60):
        t = sample_triplets(yule(6, rng), 6, random_state=rng).reindex(LeafIndex(6))
        labels = rng.permutation(np.arange(6) % 3)
        can = [x for x in product(range(3), repeat=6) if len(set(x)) == 3 and satisfies(x, t).all()]
        least = min(int((np.array(x) != labels).sum()) for x in can)
        moved = int((enforce_triplets(labels, t) != labels).sum())
        assert moved >= least
        more, fewest = more + moved - least, fewest + least
    assert fewest > 60
    assert more <= 0.25 * fewest


def test_enforce_triplets__the_nearer_place_is_taken():
    t = TripletSet([(0, 3, 5)], 6)  # 0 is with 5 and without 3: either 3 comes, or 0 goes
    for zero, three, wanted in ((0.0, 1.0, [0, 0, 0, 0, 1, 0]), (4.0, 5.0, [1, 0, 0, 1, 1, 0])):
        near = np.array([[zero], [0.1], [0.2], [three], [5.1], [0.3]])
        assert enforce_triplets([0, 0, 0, 1, 1, 0], t, samples=near).tolist() == wanted


def test_enforce_triplets__labels_keep_their_kind():
    t = TripletSet([(0, 1, 2)], 4)
    assert enforce_triplets(["p", "q", "q", "q"], t).tolist().count("p") >= 1
    assert enforce_triplets(np.array([7, -1, -1, -1]), t).dtype == np.int64
    assert set(enforce_triplets(["p", 1, 1, 1], t)) == {"p", 1}


def test_enforce_triplets__contradictions_are_shown():
    t = TripletSet([(0, 1, 2), (0, 2, 1), (1, 2, 0)], 3)
    assert enforce_triplets([0, 0, 0], t).tolist() == [0, 0, 0]
    assert enforce_triplets([0, 1, 2], t).tolist() == [0, 1, 2]
    with pytest.raises(InconsistentTripletsError) as caught:
        enforce_triplets([0, 0, 1], t)
    assert caught.value.conflict is not None


def test_enforce_triplets__what_does_not_fit_is_refused():
    t = TripletSet([(0, 1, 2)], 3)
    with pytest.raises(InvalidLabelsError, match="one entry for each of the 3 leaves of the triplets, not 2"):
        enforce_triplets([0, 1], t)
    with pytest.raises(InvalidLabelsError, match="entry 1 of labels is missing"):
        enforce_triplets([0, None, 1], t)
    with pytest.raises(ValueError, match="row 2 holds NaN"):
        enforce_triplets([0, 1, 1], t, samples=[[0.0], [1.0], [np.nan]])
    with pytest.raises(ValueError, match=r"samples must have shape \(3, d\)"):
        enforce_triplets([0, 1, 1], t, samples=[[0.0], [1.0]])
    with pytest.raises(ValueError, match="max_steps"):
        enforce_triplets([0, 1, 1], t, max_steps=-1)


# ------------------------------------------------------------------ strict cuts


def number_of(h, k, rule, t):
    try:
        return cut(h, k, rule=rule, triplets=t, strict=False)
    except ClusterCountError:
        return None


@pytest.mark.parametrize("rule", ["size", "support", "merge_order", "height"])
def test_cut_strict__all_small_worlds(rule, rng):
    changed = 0
    for n in (3, 4, 5):
        for nested in small_world(n):
            h = Hierarchy.from_nested(nested).reindex(LeafIndex(n))
            true = TripletSet(sorted(all_triplets_definition(nested)) or NOTHING, n)
            other = sample_triplets(yule(n, rng), min(n - 2, 3), random_state=rng).reindex(h.leaves)
            for t in (true, true.subset(rng.random(len(true)) < 0.5), other):
                for k in range(1, n + 1):
                    plain = number_of(h, k, rule, t)
                    try:
                        new = cut(h, k, rule=rule, triplets=t, strict=True)
                    except ClusterCountError:
                        assert plain is None
                        continue
                    assert plain is not None or rule == "size"  # branches without named leaves are set aside
                    assert are_compatible(new, t)
                    assert new.max() + 1 == k
                    if rule in ("merge_order", "height") and are_compatible(plain, t):
                        assert np.array_equal(new, plain)
                    changed += not np.array_equal(new, plain)
    assert changed > 0


def test_cut_strict__is_the_default_where_the_hierarchy_displays_all(rng):
    differ = 0
    for seed in range(30):
        h = yule(24, np.random.default_rng(seed))
        t = sample_triplets(h, 40, random_state=seed)
        strict = cut(h, 4, rule="size", triplets=t, strict=True)
        assert np.array_equal(cut(h, 4, rule="size", triplets=t), strict)
        assert satisfies(dict(zip(h.leaves, strict, strict=True)), t).all()
        more = t | sample_triplets(yule(24, rng), 5, random_state=seed)
        assert not displays(h, more).all()
        loose = cut(h, 4, rule="size", triplets=more)
        assert np.array_equal(loose, cut(h, 4, rule="size"))
        differ += not np.array_equal(loose, strict)
    assert differ > 5


def test_cut_strict__clades_with_min_size_1(rng):
    for _ in range(20):
        h = yule(20, rng)
        t = sample_triplets(h, 60, random_state=rng)
        for rule in RULES:
            labels = cut(h, 5, rule=rule, triplets=t, min_size=1)
            assert np.array_equal(labels, cut(h, 5, rule=rule, triplets=t, min_size=1, strict=False))


def test_cut_strict__needs_triplets():
    with pytest.raises(TypeError, match="strict=True needs triplets"):
        cut(yule(5, np.random.default_rng(0)), 2, strict=True)


# ------------------------------------------------------------------ estimators


def test_recon__labels_satisfy_what_the_hierarchy_displays():
    X = np.array([[0.0], [-2.3], [-0.2], [-1.2], [-0.7], [-0.5], [-0.3]])
    t = TripletSet([(2, 5, 0), (2, 6, 0), (5, 6, 0)], 7)
    model = ReCon(2, cut="support").fit(X, triplets=t)
    loose = cut(model.hierarchy_, 2, rule="support", triplets=t, samples=X, strict=False)
    assert not satisfies(loose, t).all()
    assert satisfies(model.labels_, t).all()
    assert model.satisfied_in_labels_.tolist() == [True] * 3
    wrong = t | TripletSet([(0, 2, 5), (0, 1, 2)], 7)
    model = ReCon(2, penalty="auto").fit(X, triplets=wrong)
    assert np.array_equal(model.satisfied_in_labels_, satisfies(model, wrong))
    assert not model.satisfied_in_labels_.all()


@pytest.mark.parametrize("method", [DivisiveReCon, ReCon])
@pytest.mark.parametrize("k", [2, 3, 4, 5, 8])
@pytest.mark.filterwarnings("ignore:.*names are exchanged")  # features are random
def test_estimators__clusters_keep_all_triplets_of_a_taxonomy(method, k, rng):
    taxonomy = load_hierarchy("mammals")
    table = pd.DataFrame(rng.normal(size=(taxonomy.n_leaves, 5)), index=list(taxonomy.leaves))
    model = method(k).fit(table, hierarchy=taxonomy)
    labels = pd.Series(model.labels_, table.index)
    assert model.n_clusters_ == k
    assert satisfies(labels, all_triplets(taxonomy)).all()  # 15 % were broken when only the smallest set was kept
    assert are_compatible(labels, model.triplets_)
    assert model.satisfied_in_labels_.all()


@pytest.mark.parametrize("method", [DivisiveReCon, ReCon])
@pytest.mark.filterwarnings("ignore:.*names are exchanged")  # features are random
def test_estimators__samples_that_a_taxonomy_lacks_are_no_clusters(method, rng):
    taxonomy = load_hierarchy("mammals")
    names = [*taxonomy.leaves, "unknown_1", "unknown_2"]
    X = rng.normal(size=(len(names), 5))
    X[-2:] += 30.0
    table = pd.DataFrame(X, index=names)
    for k in (2, 4, None):
        model = method(k).fit(table, hierarchy=taxonomy)
        sizes = model.labels_[:-2]
        assert set(model.labels_) == set(sizes)
        assert satisfies(pd.Series(model.labels_, names), all_triplets(taxonomy)).all()
    sizes = np.bincount(model.labels_)
    assert (sizes > 0.2 * sizes.mean()).sum() >= 2


def keeps_all(pairs, labels):
    same = lambda rows: labels[rows[:, 0]] == labels[rows[:, 1]]  # noqa: E731
    return same(pairs.must_link).all() and not same(pairs.cannot_link).any()


@pytest.mark.parametrize("method", [DivisiveReCon, ReCon])
@pytest.mark.parametrize("beside", ["nothing", "triplets", "classes", "pairs"])
@pytest.mark.filterwarnings("ignore:.*left out", "ignore:.*keep the hierarchy, and violate")
def test_estimators__keep_what_a_hierarchy_implies_in_small_worlds(method, beside, rng):
    """By enumeration: all of its triplets, whatever else is said, unless a warning says that pairs break some."""
    n, fitted, told = 5, 0, 0
    worlds = [w for w in small_world(n) if all_triplets_definition(w)]
    for i in rng.choice(len(worlds), 60, replace=False):
        h, true = Hierarchy.from_nested(worlds[i]).reindex(LeafIndex(n)), all_triplets_definition(worlds[i])
        a, b = map(int, rng.choice(n, 2, replace=False))
        link = [(a, b)], []
        given = {
            "nothing": {},
            "triplets": {"triplets": TripletSet([(a, b, min({0, 1, 2} - {a, b}))], n)},
            "classes": {"classes": [int(x == a) if x in (a, b) else None for x in range(n)]},
            "pairs": {"pairs": PairwiseConstraints(*(link if rng.random() < 0.5 else link[::-1]), n)},
        }[beside]
        k = int(rng.integers(2, 5))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = method(k).fit(rng.normal(size=(n, 2)), hierarchy=h, **given)
            except (InconsistentTripletsError, InfeasibleClusteringError, ClusterCountError):
                assert given
                continue
        fitted += 1
        said = any("labels_ break some of the triplets" in str(w.message) for w in caught)
        told += said
        broken = [t for t in true if not satisfied(model.labels_, *t)]
        assert bool(broken) == said
        if said:
            assert method is ReCon
            assert keeps_all(given["pairs"], model.labels_)
        assert model.n_clusters_ == k
    assert fitted > 5
    assert (told > 0) == (method is ReCon and beside == "pairs")


@pytest.mark.parametrize("method", [lambda k: DivisiveReCon(k, constraints="hard"), ReCon])
def test_estimators__keep_what_triplets_imply_in_small_worlds(method, rng):
    n = 5
    worlds = list(small_world(n))
    clades = [clades_of(w) for w in worlds]
    for i in rng.choice(len(worlds), 60, replace=False):
        true = sorted(all_triplets_definition(worlds[i]))
        some = [t for t in true if rng.random() < 0.5]
        if not some:
            continue
        model = method(int(rng.integers(1, n + 1))).fit(rng.normal(size=(n, 2)), triplets=TripletSet(some, n))
        for t in implied_by_enumeration(some, n, clades):
            assert satisfied(model.labels_, *t)


@pytest.mark.parametrize("rule", RULES)
def test_recon__every_rule_and_number_satisfies_consistent_triplets(rule, rng):
    for _ in range(10):
        X = rng.normal(size=(30, 2))
        t = sample_triplets(yule(30, rng), 25, random_state=rng)
        t = TripletSet(t.rows, 30)
        for k in (2, 3, 7):
            model = ReCon(k, linkage="ward", cut=rule).fit(X, triplets=t)
            assert model.satisfied_in_labels_.all()
            assert are_compatible(model.labels_, t)
            assert model.n_clusters_ == k


@pytest.mark.parametrize("with_samples", [False, True])
def test_compatible__moves_until_one_hierarchy_has_the_clusters_and_the_triplets(with_samples):
    n_between = n_found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        tree = from_linkage(linkage(rng.normal(size=(40, 2))))
        known = sample_triplets(tree, 120, random_state=seed)
        codes = cut(tree, 8, rule="merge_order")
        codes[rng.choice(40, 3, replace=False)] = rng.integers(8, size=3)
        codes = np.unique(codes, return_inverse=True)[1]
        moved = unbroken(codes, known)
        n_between += moved is not None and not fit_together(moved, known.rows)
        before = codes.copy()
        found = compatible(codes, known, rng.normal(size=(40, 2)) + codes[:, None] if with_samples else None)
        assert (codes == before).all()
        if found is not None:
            n_found += 1
            assert are_compatible(found, known)
            assert np.unique(found).tolist() == np.unique(codes).tolist()
    assert n_found > 40  # a search may end without
    assert n_between > 10  # triplets between three clusters contradict each other, though none is broken
