"""How many binary hierarchies display a set: numbers worked out by hand, sizes, and refusals."""

import json
import math

import numpy as np
import pytest
from examples import caterpillar, star, two_level, uniform_binary, yule

from tripletree.algorithms.count import count_hierarchies, information_content
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import all_triplets, sample_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidHierarchyError, LimitExceededError


def odd_product(n):
    """(2n - 3)!!, by multiplying."""
    return math.prod(range(1, 2 * n - 2, 2))


def loose(pairs):
    """`pairs` pairs a b with ab|c for one and the same c: their components are tied to c only."""
    return TripletSet([(2 * k, 2 * k + 1, 2 * pairs) for k in range(pairs)], 2 * pairs + 1)


@pytest.mark.parametrize(("n", "number"), [(1, 1), (2, 1), (3, 3), (4, 15), (5, 105), (7, 10395)])
def test_counting__no_triplets_leave_all(n, number):
    assert count_hierarchies(TripletSet([], n)) == number
    assert information_content(TripletSet([], n)) == 0


def test_counting__two_thousand_free_leaves():
    assert count_hierarchies(TripletSet([], 2000)) == odd_product(2000)
    # one triplet among them: a third
    t = TripletSet([(5, 700, 1999)], 2000)
    assert count_hierarchies(t) * 3 == odd_product(2000)
    assert information_content(t) == pytest.approx(math.log2(3), rel=1e-14)


def test_counting__two_cherries_that_share_no_leaf():
    # ab|c and de|f: a third of a third of the 945 on six leaves
    assert count_hierarchies(TripletSet.from_labels([("a", "b", "c"), ("d", "e", "f")])) == 105


@pytest.mark.parametrize(
    ("rows", "number"),
    [
        # cherries ab and cd, each outside the other: one hierarchy
        (["abc", "abd", "cda", "cdb"], 1),
        # ab|c, bc|d: ((ab)c)d, (ab)(cd) is out, so ab|d, too, and c below d
        (["abc", "bcd"], 1),
        # ab|c, ab|d: the clade ab, then any of the 3 on ab, c, d
        (["abc", "abd"], 3),
        # ab|c, ac|b cannot both hold
        (["abc", "acb"], 0),
        (["abc", "bcd", "cda"], 0),
        # ab|c, cd|a: the components {a, b}, {c, d} are forced apart
        (["abc", "cda"], 1),
    ],
)
def test_counting__four_leaves_by_hand(rows, number):
    assert count_hierarchies(TripletSet.from_labels([tuple(r) for r in rows])) == number


def test_counting__bits_by_hand():
    assert information_content(TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b")])) == math.inf
    one_left = decompose(caterpillar(40))
    assert information_content(one_left) == pytest.approx(math.log2(odd_product(40)), rel=1e-14)
    assert information_content(decompose(caterpillar(3000))) == pytest.approx(math.log2(odd_product(3000)), rel=1e-14)


@pytest.mark.parametrize("n", [3, 30, 3000])
def test_counting__a_caterpillar_is_told_in_full(n):
    assert count_hierarchies(decompose(caterpillar(n)), max_splits=0) == 1


def test_counting__a_deep_hierarchy_below_loose_ends():
    # the root has the components ladder, x, y: each level of the ladder has a sum of its own
    n = 60
    rows = np.vstack([decompose(caterpillar(n)).rows, [[0, 1, n], [0, 2, n + 1]]])
    # the ladder's edges above the meeting of 0 and 1 (x), of 0 and 2 (y), and the places that x and y make for another
    number = count_hierarchies(TripletSet(rows, n + 2))
    small = [count_hierarchies(_ladder_with_loose_ends(k)) for k in (4, 5, 6, 7, 8)]
    # quadratic in n: third differences vanish
    assert np.diff(small, 3).tolist() == [0, 0]
    assert number == _extrapolated(small, n - 4)


def _ladder_with_loose_ends(n):
    return TripletSet(np.vstack([decompose(caterpillar(n)).rows, [[0, 1, n], [0, 2, n + 1]]]), n + 2)


def _extrapolated(values, x):
    first, second = values[1] - values[0], values[2] - 2 * values[1] + values[0]
    return values[0] + first * x + second * x * (x - 1) // 2


@pytest.mark.parametrize("n", [2, 3, 50])
def test_counting__a_star_says_nothing(n):
    assert count_hierarchies(decompose(star(n))) == odd_product(n)


@pytest.mark.parametrize("n_clusters", [2, 3, 10, 60])
def test_counting__clusters_are_counted_one_by_one(n_clusters):
    h = two_level(120, n_clusters)
    number = odd_product(120 // n_clusters) ** n_clusters * odd_product(n_clusters)
    assert count_hierarchies(decompose(h), max_splits=0) == number
    if n_clusters <= 10:
        assert count_hierarchies(all_triplets(h), max_splits=0) == number


def test_counting__a_hierarchy_with_polytomies():
    h = Hierarchy.from_nested([["a", "b", "c", ["d", "e", "f", "g"]], ["h", "i"], "j", "k"])
    # four children at the root, four at the first, four below it
    assert count_hierarchies(decompose(h), max_splits=0) == 15**3


def test_counting__leaves_that_change_places_are_counted_once():
    # ab|c, ab|d, ac|e for many c: components in numbers, few kinds of splits
    n = 40
    rows = [(0, 1, x) for x in range(3, n)] + [(0, 2, n)]
    few = count_hierarchies(TripletSet(rows, n + 1), max_splits=5000)
    assert few % odd_product(5) == 0
    assert few < odd_product(n + 1)


def test_counting__triplets_without_common_leaves_are_thirds():
    t = TripletSet(np.arange(1500).reshape(-1, 3), 1510)
    assert count_hierarchies(t, max_splits=0) * 3**500 == odd_product(1510)


def test_counting__weights_play_no_part():
    rows = [(0, 1, 2), (2, 3, 4), (0, 4, 5)]
    assert count_hierarchies(TripletSet(rows, 6, [1, 2, 3])) == count_hierarchies(TripletSet(rows, 6))


def test_counting__more_work_than_allowed_is_refused_before_it_is_done():
    with pytest.raises(
        LimitExceededError, match=r"sum over .* first splits of \d+ groups of leaves, after 0"
    ) as caught:
        count_hierarchies(sample_triplets(yule(300, np.random.default_rng(0)), 200, random_state=1))
    assert caught.value.limit == 50_000
    assert caught.value.size > 10**15
    assert "about 10**" in str(caught.value)


def test_counting__the_limit_counts_what_was_visited():
    t = loose(5)
    needed = next(w for w in range(2000) if _count_or_none(t, w) is not None)
    assert needed > 15
    assert count_hierarchies(t, max_splits=needed) == count_hierarchies(t, max_splits=None)
    with pytest.raises(
        LimitExceededError, match=f"more than max_splits={needed - 1}; .* or raise max_splits"
    ) as caught:
        count_hierarchies(t, max_splits=needed - 1)
    assert caught.value.size == needed
    with pytest.raises(LimitExceededError):
        information_content(t, max_splits=needed - 1, estimate=False)


def _count_or_none(t, work):
    try:
        return count_hierarchies(t, max_splits=work)
    except LimitExceededError:
        return None


@pytest.mark.parametrize(("n", "m"), [(9, 6), (12, 8), (14, 12), (16, 12), (16, 20)])
def test_information_content__the_estimate_is_near_the_exact_number(n, m):
    for seed in range(4):
        t = sample_triplets(uniform_binary(n, np.random.default_rng(seed)), m, random_state=seed)
        exact = information_content(t, max_splits=None)
        try:
            information_content(t, max_splits=0, estimate=False)
        except LimitExceededError:
            with pytest.warns(UserWarning, match="estimated: about .* with a standard error of") as told:
                found = information_content(t, max_splits=0)
            error = float(str(told[0].message).split("standard error of ")[1].split(";")[0])
            assert error < 0.5
            assert abs(found - exact) < 5 * error + 0.1
            with pytest.warns(UserWarning, match="estimated"):
                assert information_content(t, max_splits=0) == found


def test_information_content__forty_triplets_of_sixty_leaves_are_estimated():
    t = sample_triplets(uniform_binary(60, np.random.default_rng(0)), 40, random_state=0)
    with pytest.warns(UserWarning, match=r"estimated: .*more than max_splits=50,000"):
        bits = information_content(t)
    part = t.subset(np.arange(10))  # any part says less, each triplet at most log2 of the hierarchies that are left
    assert information_content(part) < bits < math.log2(odd_product(60))
    with pytest.raises(LimitExceededError):
        information_content(t, estimate=False)


def test_information_content__too_many_loose_leaves_are_refused():
    t = sample_triplets(uniform_binary(1500, np.random.default_rng(1)), 1000, random_state=0)
    with pytest.raises(LimitExceededError):
        information_content(t)


def test_counting__an_inconsistent_set_is_0_without_work():
    rows = np.vstack([loose(30).rows, [[61, 62, 63], [61, 63, 62]]])
    assert count_hierarchies(TripletSet(rows, 64), max_splits=0) == 0


def test_counting__no_leaves_make_no_hierarchy():
    for function in (count_hierarchies, information_content):
        with pytest.raises(InvalidHierarchyError, match="there are no leaves"):
            function(TripletSet([], 0))


@pytest.mark.parametrize("value", [[("a", "b", "c")], None, "ab|c", star(3)])
@pytest.mark.parametrize("function", [count_hierarchies, information_content])
def test_counting__a_triplet_set_is_wanted(function, value):
    with pytest.raises(TypeError, match="expected a TripletSet"):
        function(value)


def test_counting__the_limit_is_a_number():
    with pytest.raises(ValueError, match="max_splits is -1; it must be at least 0"):
        count_hierarchies(TripletSet([], 4), max_splits=-1)
    with pytest.raises(TypeError, match="max_splits must be a whole number"):
        count_hierarchies(TripletSet([], 4), max_splits=2.5)


@pytest.mark.shared
def test_counting__published_numbers(shared):
    cases = json.loads((shared / "known_answers" / "small_triplet_sets.json").read_text())
    known = [case for case in cases if "n_binary_trees" in case]
    assert len(known) >= 6
    for case in known:
        t = TripletSet.from_labels(case["triplets"], case["leaves"])
        assert count_hierarchies(t) == case["n_binary_trees"], case["origin"]
