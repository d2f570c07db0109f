import numpy as np
import pytest
from cut_oracle import Choices, as_partition, numbered_anew, random_linkage
from examples import caterpillar, small_world, star, uniform_binary, yule, zoo
from hypothesis import given
from hypothesis import strategies as st
from strategies import hierarchies, triplet_rows

from tripletree.algorithms import cut as _cut_rules
from tripletree.algorithms.cut import cut
from tripletree.algorithms.induce import sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError, LimitExceededError

NOTHING = np.empty((0, 3), np.int32)


def check_support(h, weights, least):
    """Each number of clusters against every choice. Returns how many could be had."""
    choices = Choices(h, least)
    found = [(x, choices.support(x[0], weights), choices.lateness(x[2])) for x in choices.all()]
    t = TripletSet(list(weights) or NOTHING, h.n_leaves, list(weights.values()) or None)
    numbers = {len(x[0]) for x, _, _ in found}
    for k in range(1, h.n_leaves + 1):
        if k not in numbers:
            with pytest.raises(ClusterCountError) as caught:
                cut(h, k, rule="support", triplets=t, min_size=least)
            near = [max(x for x in numbers if x < k), *sorted(x for x in numbers if x > k)[:1]]
            assert caught.value.nearest == tuple(near)
            continue
        best = max((s, late) for x, s, late in found if len(x[0]) == k)
        wanted = [choices.partition(*x[:2]) for x, s, late in found if len(x[0]) == k and (s, late) == best]
        assert as_partition(cut(h, k, rule="support", triplets=t, min_size=least)) in wanted
    return len(numbers)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_cut_support__small_worlds_against_every_choice(n, rng):
    rows = [(a, b, c) for a in range(n) for b in range(a + 1, n) for c in range(n) if c not in (a, b)]
    for nested in small_world(n):
        h = numbered_anew(Hierarchy.from_nested([nested] if n == 1 else nested).reindex(LeafIndex(n)), rng)
        for least in (1, 2, 3):
            chosen = [rows[i] for i in rng.permutation(len(rows))[: rng.integers(0, 8)]]
            assert check_support(h, {t: int(rng.integers(1, 4)) for t in chosen}, least) >= 1


def test_cut_support__six_leaves_against_every_choice(rng):
    rows = [(a, b, c) for a in range(6) for b in range(a + 1, 6) for c in range(6) if c not in (a, b)]
    for nested in small_world(6)[::4]:
        h = numbered_anew(Hierarchy.from_nested(nested).reindex(LeafIndex(6)), rng)
        chosen = [rows[i] for i in rng.permutation(60)[: rng.integers(0, 10)]]
        check_support(h, {t: float(rng.choice([0.25, 0.5, 3.0])) for t in chosen}, int(rng.integers(1, 4)))


@given(hierarchies(min_leaves=3, max_leaves=9, unary=True), st.integers(1, 3), st.data())
def test_cut_support__any_shape_against_every_choice(h, least, data):
    h = numbered_anew(h.reindex(LeafIndex(h.n_leaves)), np.random.default_rng(data.draw(st.integers(0, 99))))
    rows = {(min(a, b), max(a, b), c) for a, b, c in data.draw(triplet_rows(h.n_leaves, 12))}
    check_support(h, {t: data.draw(st.integers(1, 3)) for t in sorted(rows)}, least)


def test_cut_support__binary_hierarchies_against_every_choice(rng):
    for n in (7, 8, 9):
        for make in (yule, uniform_binary):
            for least in (1, 2, 3):
                h = numbered_anew(make(n, rng), rng)
                t = sample_triplets(make(n, rng), 12, random_state=rng)
                check_support(h, {tuple(map(int, row)): 1 for row in t.rows}, least)


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e300])
def test_cut_support__the_unit_of_weights_is_of_no_account(unit, rng):
    differ = 0
    for _ in range(10):
        h = numbered_anew(yule(20, rng), rng)
        rows = sample_triplets(yule(20, rng), 12, random_state=rng).rows
        one, other = (TripletSet(rows, h.leaves, [x] * 12) for x in (1.0, unit))
        assert np.array_equal(cut(h, 4, rule="support", triplets=other), cut(h, 4, rule="support", triplets=one))
        differ += not np.array_equal(cut(h, 4, rule="support", triplets=one), cut(h, 4, rule="size"))
    assert differ


def test_cut_support__without_triplets_is_size(rng):
    same = 0
    for name, h in zoo():
        t = TripletSet(NOTHING, h.leaves)
        for k in range(1, min(h.n_leaves, 30) + 1):
            assert h.n_leaves == len(cut(h, 1, rule="support", triplets=t)), name
            for least in (1, 2, 5, None):
                try:
                    wanted = cut(h, k, rule="size", min_size=least)
                except ClusterCountError:
                    continue  # other choices may have this number
                if least is None and not h.is_binary:
                    continue
                assert np.array_equal(cut(h, k, rule="support", triplets=t, min_size=least), wanted)
                same += 1
    assert same > 400


@pytest.mark.parametrize("rule", ["auto", "merge_order", "height", "size", "support", "constraints"])
def test_cut__all_rules_are_one_without_triplets_and_outliers(rule, rng):
    t = TripletSet(NOTHING, 40)
    for _ in range(5):
        Z = random_linkage(40, rng)
        h = Hierarchy(from_linkage(Z).parent, height=np.concatenate([np.zeros(40), np.arange(1.0, 40.0)]))
        for k in (1, 2, 7, 39, 40):
            assert np.array_equal(cut(h, k, rule=rule, triplets=t, min_size=1), cut(h, k, min_size=1))


def test_cut_support__takes_the_size_that_keeps_most_triplets():
    one, half, other, four = (list(range(*x)) for x in [(0, 20), (20, 30), (30, 40), (40, 44)])
    h = Hierarchy.from_nested([[one, [half, other]], four])
    classes = np.repeat([0, 1, 2], [20, 20, 4])
    known = sample_class_triplets(classes, 200, random_state=1)
    # 44 / (2 * 3) makes branches of 8 leaves or more: the halves, but not the four
    assert as_partition(cut(h, 3, rule="size")) == {frozenset(one + four), frozenset(half), frozenset(other)}
    assert np.array_equal(cut(h, 3, rule="support", triplets=known), classes)
    # where all sizes keep the same, the largest one counts
    vague = TripletSet([(0, 1, 20), (0, 1, 30)], 44)
    assert np.array_equal(cut(h, 3, rule="support", triplets=vague), cut(h, 3, rule="size"))


def test_cut_support__weights_count_and_tell_ties_exactly():
    h = Hierarchy([8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, -1])
    left, right = [(0, 1, 2), (2, 3, 0)], [(4, 5, 6), (6, 7, 4)]
    split_left = [0, 0, 1, 1, 2, 2, 2, 2]
    split_right = [0, 0, 0, 0, 1, 1, 2, 2]
    for weights, wanted in [
        (None, split_right),  # a tie: the later node
        ([1, 1, 1, 2], split_right),
        ([1, 1 + 1e-12, 1, 1], split_left),
        ([0.1, 0.2, 0.1, 0.2], split_right),
        ([8e307, 8e307, 8e306, 8e306], split_left),
        ([1e-310, 2e-310, 1e-310, 1e-310], split_left),
    ]:
        t = TripletSet(left + right, 8, weights)
        assert cut(h, 3, rule="support", triplets=t, min_size=1).tolist() == wanted


def test_cut_support__leaves_are_matched_by_label():
    h = Hierarchy.from_nested([["ant", "bee"], [["cow", "dog"], "eel"]])
    t = TripletSet.from_labels([("bee", "ant", "eel"), ("dog", "cow", "eel")], ["eel", "dog", "cow", "bee", "ant"])
    assert cut(h, 3, rule="support", triplets=t).tolist() == [0, 0, 1, 1, 2]


def test_cut_support__deep_hierarchies(rng):
    h = caterpillar(100_000)
    t = sample_triplets(h, 1_000, random_state=1)
    labels = cut(h, 20, rule="support", triplets=t, min_size=1)
    assert np.bincount(labels).max() == 99_981
    assert cut(h, 1, rule="support", triplets=t).tolist() == [0] * 100_000
    wide = cut(star(100_000), 100_000, rule="support", triplets=t)
    assert wide.tolist() == list(range(100_000))


def test_cut_support__refuses_more_states_than_the_limit(monkeypatch, rng):
    h = yule(200, rng)
    t = sample_triplets(h, 100, random_state=1)
    by_default = cut(h, 20, rule="support", triplets=t)
    monkeypatch.setattr(_cut_rules, "MOST_STATES", 100)
    with pytest.raises(LimitExceededError, match="20 clusters of this hierarchy needs .* more than 100") as caught:
        cut(h, 20, rule="support", triplets=t, min_size=1)
    assert caught.value.size > caught.value.limit == 100
    # without min_size, the small ones are left out first
    monkeypatch.setattr(_cut_rules, "MOST_STATES", caught.value.size - 1)
    with pytest.raises(LimitExceededError):
        cut(h, 20, rule="support", triplets=t, min_size=1)
    assert len(set(cut(h, 20, rule="support", triplets=t).tolist())) == 20
    monkeypatch.setattr(_cut_rules, "MOST_STATES", caught.value.size)
    assert np.array_equal(cut(h, 20, rule="support", triplets=t), by_default)
    monkeypatch.setattr(_cut_rules, "MOST_STATES", 1)
    with pytest.raises(LimitExceededError):
        cut(h, 20, rule="support", triplets=t)
