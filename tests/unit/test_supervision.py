"""Class labels and odd-one-out answers as triplets, against literal definitions."""

import warnings
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from examples import two_level
from refusals import Refusal, refusals

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import (
    pairs_from_classes,
    sample_class_pairs,
    sample_class_triplets,
    triplets_from_classes,
    triplets_from_merge_order,
    triplets_from_odd_one_out,
)
from tripletree.cluster import ReCon
from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    DuplicateLeafError,
    InvalidLabelsError,
    InvalidTripletError,
    LimitExceededError,
    UnknownLeafError,
)


def generate_constraints(y, used):
    """GenerateConstraints of Liu, Zhang, Wang (2011) as printed, less its degenerate rows."""
    first = {}
    for i in used:
        first.setdefault(y[i], i)
    return {
        (*sorted((first[k], j)), first[other])
        for k in first
        for j in used
        if y[j] == k and j != first[k]
        for other in first
        if other != k
    }


def implied(y):
    """Everything that classes say: two of one class, one of another."""
    n = len(y)
    return {(a, b, c) for a, b in combinations(range(n), 2) for c in range(n) if y[a] == y[b] != y[c]}


CLASSES = [
    ["x", "x", "y", "y"],
    [3, 1, 3, 2, 1, 3],
    ["only"] * 4,
    [0, 1, 2],
    [],
    ["one"],
    [True, False, True, True, False],
    [1, "1", 1, "1", 1],
    [(1, 2), (3, 4), (1, 2)],
    [0.5, 0.5, 1.5],
]


# ---------------------------------------------------------------------- classes


@pytest.mark.parametrize("y", CLASSES)
def test_triplets_from_classes__are_those_of_the_paper(y):
    t = triplets_from_classes(y)
    assert {tuple(row) for row in t.rows.tolist()} == generate_constraints(y, range(len(y)))
    n, k = len(y), len(set(y))
    assert len(t) == (n - k) * max(k - 1, 0)
    assert t.leaves == LeafIndex(n)
    assert is_consistent(t)


def test_triplets_from_classes__every_hierarchy_that_displays_them_has_the_classes_as_clades():
    h = two_level(12, 3)
    t = triplets_from_classes([i % 3 for i in range(12)])
    assert one_tree(t) == h
    assert len(t) == len(decompose(h))


@pytest.mark.parametrize(
    "y",
    [np.array([5, 6, 5]), np.array(["p", "q", "p"]), np.array(["p", "q", "p"], object), ("p", "q", "p"), iter("pqp")],
)
def test_triplets_from_classes__labels_in_any_sequence(y):
    assert list(triplets_from_classes(y)) == [(0, 2, 1)]


def test_triplets_from_classes__pandas():
    pd = pytest.importorskip("pandas")
    for y in (pd.Series(["p", "q", "p"]), pd.Categorical(["p", "q", "p"])):
        assert list(triplets_from_classes(y)) == [(0, 2, 1)]


def test_triplets_from_classes__the_index_of_a_series_labels_the_samples():
    pd = pytest.importorskip("pandas")
    y = pd.Series(["p", "q", "p", None], index=["ant", "bee", "cow", "dog"])
    t = triplets_from_classes(y, samples=y.notna())
    assert list(t) == [("ant", "cow", "bee")]
    assert list(t.leaves) == ["ant", "bee", "cow", "dog"]
    assert list(triplets_from_classes(y, samples=y.notna(), leaves=range(4))) == [(0, 2, 1)]


@pytest.mark.parametrize(
    "samples", [[0, 2, 3, 5], [5, 3, 2, 0], np.array([0, 2, 3, 5], np.uint8), [True, False, True, True, False, True]]
)
def test_triplets_from_classes__some_samples(samples):
    y = ["a", None, "a", "b", float("nan"), "b"]
    t = triplets_from_classes(y, samples=samples)
    used = np.flatnonzero(samples) if isinstance(samples[0], bool) else samples
    assert {tuple(row) for row in t.rows.tolist()} == generate_constraints(y, sorted(used))
    assert len(t.leaves) == 6
    assert t.used_leaves.tolist() == [0, 2, 3, 5]


def test_triplets_from_classes__no_samples():
    assert triplets_from_classes(["a", "b"], samples=[]) == TripletSet([], 2)
    assert triplets_from_classes(["a", "b"], samples=[False, False]) == TripletSet([], 2)


def test_triplets_from_classes__leaves():
    t = triplets_from_classes(["a", "a", "b"], leaves=["x", "y", "z"])
    assert list(t) == [("x", "y", "z")]
    assert triplets_from_classes(["a", "a", "b"], leaves=t.leaves).leaves is t.leaves


@pytest.mark.parametrize("y", ["aab", 3, None, b"aab", {"a": 1}])
def test_triplets_from_classes__one_value_is_no_sequence_of_classes(y):
    with pytest.raises(InvalidLabelsError, match="y must be a sequence of labels"):
        triplets_from_classes(y)


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b"],
        [1.0, float("nan"), 2.0],
        np.array([1, np.nan, 2]),
        np.array(["2020-01-01", "NaT", "2020-01-02"], "M8[D]"),
    ],
)
def test_triplets_from_classes__samples_without_a_class_are_left_out(y):
    assert triplets_from_classes(y) == triplets_from_classes(y, samples=[0, 2]) == TripletSet([], 3)


@pytest.mark.parametrize("gap", [None, float("nan"), "", "NA", "n/a", "NaN", "null", "None", " ? ", "-"])
@pytest.mark.parametrize("code", [-1, "-1", "unknown", "Unlabelled"])
@pytest.mark.filterwarnings("ignore:y. .* is taken for no class")
def test_classes__gaps_are_the_same_in_all_functions(gap, code):
    known = ["p", "p", "q", "q", "q"]
    y = [*known, gap, code]
    assert triplets_from_classes(y) == triplets_from_classes(known, leaves=5).reindex(7)
    assert pairs_from_classes(y) == pairs_from_classes(known).reindex(7)
    assert set(sample_class_triplets(y, 9, random_state=0)) == set(sample_class_triplets(known, 9, random_state=0))
    assert set(sample_class_pairs(y, 10, random_state=0)) == set(sample_class_pairs(known, 10, random_state=0))


def test_classes__a_code_that_could_be_a_class_is_told():
    with pytest.warns(UserWarning, match=r"y: -1 \(2 of 5\) is taken for no class; missing=\[\] makes it a class"):
        t = triplets_from_classes(np.array([0, 0, 1, -1, -1]))
    assert list(t) == [(0, 1, 2)]
    assert len(triplets_from_classes([0, 0, 1, -1, -1], missing=[])) == 4  # (5 - 3) (3 - 1)
    assert list(triplets_from_classes([0, 0, 1, 99], missing=99)) == [(0, 1, 2)]
    assert list(triplets_from_classes([0, 0, 1, -1, "x"], missing=["x", -1])) == [(0, 1, 2)]


@pytest.mark.parametrize("y", [[1, -1, -1, 1], ["+", "-", "-"], np.array(["1", "-1"])])
def test_classes__minus_one_beside_one_class_is_no_guess(y):
    with pytest.raises(InvalidLabelsError, match=r"is '?-1?'? a class, or .* or missing=\[\] makes it a class"):
        pairs_from_classes(y)
    assert pairs_from_classes(y, missing=[]).n_cannot > 0
    assert pairs_from_classes(y, missing=[-1, "-"]).n_cannot == 0


@pytest.mark.parametrize(
    "word",
    [
        *(
            "unclassified",
            "Unassigned",
            "indet.",
            "TBD",
            "not sure",
            "not_sure",
            "[unidentified]",
            "don't know",
            "N.D.",
        ),
        *(
            "no label",
            "undetermined",
            "to be determined",
            "uncultured",
            "missing",
            "??",
            -99,
            "-99",
            999,
            9999.0,
            "0",
            0,
        ),
    ],
)
def test_classes__words_that_are_no_taxon_and_codes_that_stand_apart_are_no_class(word):
    y = ["oak", "oak", "elm", word, word]
    with pytest.warns(UserWarning, match=r"y: .* \(2 of 5\) is taken for no class; missing=\[\] makes it a class"):
        assert list(triplets_from_classes(y)) == [(0, 1, 2)]
    assert len(triplets_from_classes(y, missing=[])) == 4
    with pytest.raises(InvalidLabelsError, match="alone; is .* a class, or does it mark samples without one"):
        pairs_from_classes(["oak", "oak", word])


@pytest.mark.parametrize("y", [[1, 1, 2, -99, -99], [0, 0, 7, 999, 999], ["3", "3", "4", "9999", "9999"]])
def test_classes__codes_for_no_value_among_numbers(y):
    with pytest.warns(UserWarning, match="is taken for no class"):
        assert list(triplets_from_classes(y)) == [(0, 1, 2)]


@pytest.mark.parametrize(
    "y",
    [
        *([0, 0, 1, 2, 2], ["0", "0", "1", "2", "2"], [998, 998, 997, 999, 999], [-98, -98, 3, -99, -99]),
        *(
            [999, 999, 9999, -99, -99],
            [False, False, 0.5, True, True],
            ["unclassified oak", "unclassified oak", "a", "b", "b"],
        ),
        ["no", "no", "yes", "maybe", "maybe"],
    ],
)
def test_classes__codes_among_their_like_are_classes(y):
    assert len(triplets_from_classes(y)) == len(triplets_from_classes(y, missing=[])) == 4


@pytest.mark.parametrize("samples", [[-1], [2], [0.0], [0, 0], [True], [[0, 1]], 1, ["a"]])
@pytest.mark.parametrize("function", [triplets_from_classes, lambda y, **kw: sample_class_triplets(y, 0, **kw)])
def test_triplets_from_classes__samples_must_be_rows_or_a_mask(function, samples):
    with pytest.raises(ValueError, match="samples"):
        function(["a", "b"], samples=samples)


def test_triplets_from_classes__refuses_too_many():
    n = 20_000
    y = np.arange(n) // 2
    with pytest.raises(
        LimitExceededError, match=r"10,000 classes of 20,000 samples give 99,990,000 triplets"
    ) as caught:
        triplets_from_classes(y)
    assert caught.value.size == (n - n // 2) * (n // 2 - 1)
    assert caught.value.limit == 50_000_000


# ---------------------------------------------------------------------- samples


@pytest.mark.parametrize("y", CLASSES)
def test_sample_class_triplets__all_that_classes_imply(y):
    wanted = implied(y)
    t = sample_class_triplets(y, len(wanted), random_state=0)
    assert {tuple(row) for row in t.rows.tolist()} == wanted
    for size in range(0, len(wanted) + 1, 3):
        t = sample_class_triplets(y, size, random_state=size)
        assert len(t) == size
        assert {tuple(row) for row in t.rows.tolist()} <= wanted


def test_sample_class_triplets__of_many_samples_are_displayed():
    y = np.arange(3000) % 7
    t = sample_class_triplets(y, 4000, random_state=1)
    assert len(t) == 4000
    assert displays(two_level(3000, 7), t).all()
    assert t == sample_class_triplets(y, 4000, random_state=1)
    assert t != sample_class_triplets(y, 4000, random_state=2)


def test_sample_class_triplets__some_samples_and_leaves():
    y = ["a", None, "a", "b"]
    t = sample_class_triplets(y, 1, leaves=["p", "q", "r", "s"], samples=[0, 2, 3], random_state=0)
    assert list(t) == [("p", "r", "s")]


@pytest.mark.parametrize(("size", "error"), [(-1, ValueError), (2, ValueError), (1.0, TypeError), (True, TypeError)])
def test_sample_class_triplets__the_size_is_a_number_within_bounds(size, error):
    with pytest.raises(error, match="size"):
        sample_class_triplets([0, 0, 1], size)


@pytest.mark.slow
def test_sample_class_triplets__numbers_beyond_64_bits_are_refused():
    n = 4_300_000
    with pytest.raises(LimitExceededError, match="too many to number") as caught:
        sample_class_triplets(np.arange(n) % 2, 5)
    half = n // 2
    assert caught.value.size == 2 * (half * (half - 1) // 2) * half
    assert caught.value.limit == 2**63 - 1
    t = sample_class_triplets(np.arange(n - 200_000) % 2, 1000, random_state=1)
    assert len(t) == 1000
    assert all(a % 2 == b % 2 != c % 2 for a, b, c in t.rows.tolist())


# ---------------------------------------------------------------------- odd one out


def test_odd_one_out__c_odd_among_a_b_c_is_exactly_ab_c():
    trios = list(permutations("abc"))
    for odd in "abc":
        t = triplets_from_odd_one_out(trios[:1], odd)
        assert list(t) == [(*sorted(set("abc") - {odd}), odd)]
        assert t.weights is None
        h = Hierarchy.from_nested([sorted(set("abc") - {odd}), odd])
        assert one_tree(triplets_from_odd_one_out(trios, [odd] * 6)) == h


def test_odd_one_out__answers_given_again_count():
    trios = [("a", "b", "c"), ("b", "a", "c"), ("c", "b", "a"), ("a", "b", "d")]
    t = triplets_from_odd_one_out(trios, ["c", "b", "c", "d"])
    assert dict(zip(t, t.weights.tolist(), strict=True)) == {("a", "b", "c"): 2, ("a", "c", "b"): 1, ("a", "b", "d"): 1}


@pytest.mark.parametrize(
    ("trios", "odd", "wanted"),
    [
        (np.array([["a", "b", "c"]]), np.array(["c"]), ("a", "b", "c")),
        (np.array([[1, 2, 3]]), np.array([2]), (1, 3, 2)),
        ([(1, 2, 3)], [2.0], (1, 3, 2)),
        ([(1, 2, 3)], [True], (2, 3, 1)),
        (iter([("a", "b", "c")]), iter("b"), ("a", "c", "b")),
    ],
)
def test_odd_one_out__the_labels_are_those_of_the_trio(trios, odd, wanted):
    row = next(iter(triplets_from_odd_one_out(trios, odd)))
    assert row == wanted
    assert [type(x) for x in row] == [type(x) for x in wanted]


def test_odd_one_out__no_answers():
    assert triplets_from_odd_one_out([], []) == TripletSet([], 0)
    assert triplets_from_odd_one_out([], [], leaves=["a"]) == TripletSet([], ["a"])


def test_odd_one_out__leaves():
    t = triplets_from_odd_one_out([("a", "b", "c")], ["c"], leaves=["d", "c", "b", "a"])
    assert t.leaves == LeafIndex(["d", "c", "b", "a"])
    with pytest.raises(UnknownLeafError) as caught:
        triplets_from_odd_one_out([("a", "b", "c")], ["c"], leaves=["a", "b"])
    assert caught.value.labels == ["c"]


@pytest.mark.parametrize("answer", ["x", 2, None, ["c"]])
def test_odd_one_out__an_answer_must_be_one_of_the_three(answer):
    with pytest.raises(InvalidTripletError, match="answer 1 is .*, which is not in the trio") as caught:
        triplets_from_odd_one_out([("a", "b", "c")] * 2, ["c", answer])
    assert caught.value.row == 1


@pytest.mark.parametrize(
    ("trio", "message"), [(("a", "a", "b"), "must differ"), (("a", "b"), "three labels"), ("abc", "three labels")]
)
def test_odd_one_out__a_trio_is_three_labels(trio, message):
    with pytest.raises(InvalidTripletError, match=f"trio 1 is .*{message}") as caught:
        triplets_from_odd_one_out([("a", "b", "c"), trio], ["c", "a"])
    assert caught.value.row == 1


@pytest.mark.parametrize(("trios", "answers", "row"), [(1, 0, 0), (2, 3, 2)])
def test_odd_one_out__there_is_one_answer_for_each_trio(trios, answers, row):
    with pytest.raises(InvalidTripletError, match=f"{trios} trios but {answers} answers") as caught:
        triplets_from_odd_one_out([("a", "b", "c")] * trios, ["c"] * answers)
    assert caught.value.row == row


def test_odd_one_out__answers_are_taken_as_they_are():
    shown = [("a", "b", "c"), ("c", "a", "b"), ("a", "b", "d"), ("a", "c", "d")]
    odd = ["c", "c", "a", "d"]
    said = [Answer(x, "odd", o, who="anna") for x, o in zip(shown, odd, strict=True)]
    more = [Answer(("b", "c", "d"), "different"), Answer(("b", "c", "d"), "unsure"), Answer(("a", "c"), "alike")]
    answers = AnswerSet([*more, *said], ["z", "d", "c", "b", "a"])
    wanted = triplets_from_odd_one_out(shown, odd, leaves=answers.leaves)
    assert triplets_from_odd_one_out(answers) == wanted
    assert triplets_from_odd_one_out(answers, leaves=list("abcd")) == triplets_from_odd_one_out(
        shown, odd, leaves=list("abcd")
    )
    assert triplets_from_odd_one_out(AnswerSet(), leaves=list("ab")) == TripletSet([], ["a", "b"])
    with pytest.raises(UnknownLeafError) as caught:
        triplets_from_odd_one_out(answers, leaves=list("abc"))
    assert caught.value.labels == ["d"]


def test_classes__series_of_polars_and_masks_of_pandas():
    polars = pytest.importorskip("polars")
    assert list(triplets_from_classes(polars.Series(["x", "x", "y", "y"]))) == [(0, 1, 2), (2, 3, 0)]
    y = pd.Series(["x", "x", "y", "y"], index=list("abcd"))
    mask = pd.Series([True, True, True, False], index=list("abcd"))
    assert triplets_from_classes(y, samples=mask.loc[list("dcba")]) == triplets_from_classes(y, samples=mask)
    with pytest.raises(ValueError, match="samples is a pandas mask with another index than y"):
        triplets_from_classes(y, samples=pd.Series([True] * 4, index=list("wxyz")))


# ------------------------------------------------------------------ orders of merges


def random_binary(rng, leaves):
    """Nested lists of a random binary hierarchy."""
    parts = list(leaves)
    while len(parts) > 1:
        i, j = sorted(rng.choice(len(parts), 2, replace=False).tolist())
        parts.append([parts.pop(j), parts.pop(i)])
    return Hierarchy.from_nested(parts[0])


def first_met(h, x, y):
    """The number of leaves of the smallest clade with both."""
    return len(h.clade(h.common_ancestor([x, y])))


def test_triplets_from_merge_order__a_hierarchy_displays_them_if_it_merges_in_this_order(rng):
    kept = 0
    for _ in range(300):
        h = random_binary(rng, "abcdef")
        x, *others = rng.permutation(list("abcdef")).tolist()
        steps, rest = [], others[: rng.integers(2, 6)]
        while rest:
            size = int(rng.integers(1, 3))
            steps.append(rest[0] if size == 1 else rest[:size])
            rest = rest[size:]
        members = [[s] if isinstance(s, str) else s for s in steps]
        expected = all(
            first_met(h, x, y) < first_met(h, x, z) for i, near in enumerate(members) for y in near
            for far in members[i + 1 :] for z in far
        )  # fmt: skip
        triplets = triplets_from_merge_order([(x, steps)], leaves=h.leaves)
        assert bool(displays(h, triplets).all()) is expected
        kept += expected
    assert 20 < kept < 290


def test_triplets_from_merge_order__several_orders_and_one_step():
    assert list(triplets_from_merge_order([("a", ["b", "c"]), ("c", ["d"]), ("d", [["c"], [], ["a", "b"]])])) == [
        ("a", "b", "c"),
        ("c", "d", "a"),
        ("c", "d", "b"),
    ]


@pytest.mark.parametrize(
    ("orders", "words"),
    [
        ([("a", ["b", "c"]), ("a", ["b", "a"])], "order 1, of 'a', has 'a' twice"),
        ([("a", ["b", ["c", "b"]])], "order 0, of 'a', has 'b' twice"),
        ([("a", "bc")], r"order 0 is \('a', 'bc'\); expected \(x, steps\)"),
        (["abc"], "order 0 is 'abc'; expected"),
    ],
)
def test_triplets_from_merge_order__say_what_is_wrong(orders, words):
    with pytest.raises(InvalidTripletError, match=words):
        triplets_from_merge_order(orders)


def _fitted(y, **more):
    return ReCon(2).fit(np.arange(2.0 * len(y)).reshape(-1, 2), classes=y, **more)


@pytest.mark.parametrize(
    "y", [[1, 1, 2, 2, 99, 99], [0, 0, 1, 2, 9, 9], ["1", "2", "2", "3", "99"], [0.0, 0.0, 1.0, 88.0]]
)
@pytest.mark.parametrize("function", [triplets_from_classes, _fitted])
def test_classes__a_code_of_nines_beside_others_is_told(function, y):
    code = y[-1]
    with pytest.warns(UserWarning, match="taken for a class") as told:
        function(y)
    message = next(str(x.message) for x in told if "taken for a class" in str(x.message))
    assert f"{code!r} ({y.count(code)} of {len(y)}) is taken for a class, beside {y[0]!r}, " in message
    assert message.endswith(f"if it marks samples without one: missing=[{code!r}]")
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always")
        function(y, missing=[code])
    assert not [x for x in left if "taken for a class" in str(x.message)]


def test_classes__measured_numbers_are_told():
    with pytest.warns(UserWarning, match="y: 4 different numbers for 5 samples, with decimals, are taken for classes"):
        triplets_from_classes([1.25, 1.5, 2.75, 9.5, 9.5])


@pytest.mark.parametrize(
    "y",
    [
        [0, 0, 1, 1, 2, 2],
        [*range(10), *range(10)],
        [90, 99, 90, 95],
        ["1", "2", "99", "oak"],
        [1, 9, 1, 9],
        [0.5, 0.5, 1.5, 1.5, 2.5, 2.5],
        ["9", "a", "b", "b"],
        [7, 8, 99, 99, 7, 8],
    ],
)
def test_classes__usual_codes_are_classes_without_a_word(y):
    triplets_from_classes(y)


def test_classes__a_dot_is_no_class():
    with pytest.warns(UserWarning, match=r"y: '\.' \(1 of 4\) is taken for no class"):
        assert list(triplets_from_classes(["a", "a", "b", "."])) == [(0, 1, 2)]


test_supervision__refused = refusals(
    "triplets from classes: classes stand in one row",
    Refusal(
        lambda y: triplets_from_classes(y),
        (InvalidLabelsError, ValueError),
        each=[[[1, 2], [3, 4]], np.zeros((2, 2)), np.array(5)],
    ),
    "triplets from classes: leaves must fit",
    Refusal(lambda: triplets_from_classes(["a", "b"], leaves=["x"]), ValueError, "y has 2 entries for 1 leaves"),
    Refusal(lambda: triplets_from_classes(["a", "b"], leaves=["x", "x"]), DuplicateLeafError),
    "odd one out: answers are given once",
    Refusal(
        lambda: triplets_from_odd_one_out([("a", "b", "c")]),
        TypeError,
        "odd is missing: give the answer to each trio, or an AnswerSet",
    ),
    Refusal(lambda: triplets_from_odd_one_out(AnswerSet(), []), TypeError, "odd is given together with an AnswerSet"),
)
