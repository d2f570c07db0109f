from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import clades_of_hierarchy, displayed
from strategies import hierarchies, triplet_rows

from tripletree.errors import InvalidLabelsError, TripletreeError, UnknownLeafError
from tripletree.hierarchy import Hierarchy
from tripletree.score import pairwise_f_score, pairwise_precision_recall, triplet_score
from tripletree.triplets import TripletSet


def pairs_definition(y_true, y_pred):
    """Pairs in one class and one cluster, in one class, in one cluster: one pair of samples at a time."""
    both = classes = clusters = 0
    for i, j in combinations(range(len(y_true)), 2):
        classes += y_true[i] == y_true[j]
        clusters += y_pred[i] == y_pred[j]
        both += y_true[i] == y_true[j] and y_pred[i] == y_pred[j]
    return both, classes, clusters


label_lists = st.integers(0, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


@settings(deadline=None)
@given(label_lists)
def test_pairwise_f_score__is_the_harmonic_mean_over_pairs(labels):
    both, classes, clusters = pairs_definition(*labels)
    precision, recall = pairwise_precision_recall(*labels)
    assert 0 <= precision <= 1
    assert 0 <= recall <= 1
    if clusters:
        assert precision == both / clusters
    if classes:
        assert recall == both / classes
    expected = 1.0 if classes + clusters == 0 else 0.0
    if precision + recall > 0:
        expected = 2 * precision * recall / (precision + recall)
    assert pairwise_f_score(*labels) == pytest.approx(expected, abs=1e-15)
    assert pairwise_f_score(*labels) == pairwise_f_score(*labels[::-1])


def test_pairwise_f_score__by_hand():
    # pairs in one class: 3 + 1; in one cluster: 1 + 3; in both: {0,1}, {3,4}
    assert pairwise_f_score(list("aaabb"), [0, 0, 1, 1, 1]) == 0.5
    assert pairwise_precision_recall(list("aaabb"), [0, 0, 1, 1, 1]) == (0.5, 0.5)
    assert pairwise_f_score([0, 0, 0, 0], [0, 0, 1, 1]) == 0.5


def test_pairwise_f_score__where_a_side_has_no_pairs():
    assert pairwise_f_score([0, 1, 2], [5, 6, 7]) == 1.0
    assert pairwise_f_score([0, 0, 0], [5, 6, 7]) == 0.0
    assert pairwise_f_score([0, 1, 2], [5, 5, 5]) == 0.0
    assert pairwise_precision_recall([0, 1, 2], [5, 6, 7]) == (1.0, 1.0)
    assert pairwise_precision_recall([0, 0, 0], [5, 6, 7]) == (0.0, 0.0)
    assert pairwise_f_score([], []) == 1.0


def test_pairwise_f_score__counts_are_exact_beyond_float():
    n = 200_000_000  # as many pairs as 2e16; only the counts are made, by repeating two labels
    from tripletree.score import _pairs

    assert int(_pairs(np.array([n, n + 1]))) == n * (n - 1) // 2 + (n + 1) * n // 2


def test_pairwise_f_score__labels_of_any_type():
    pd = pytest.importorskip("pandas")
    y = [0, 0, 1, 1, 2]
    expected = pairwise_f_score(y, [0, 1, 1, 1, 0])
    words = ["cat", "cat", "dog", "dog", "eel"]
    for other in (
        words,
        np.array(words),
        np.array(words, object),
        pd.Series(words, index=[9, 8, 7, 6, 5]),
        pd.Categorical(words),
        tuple((x, 1) for x in words),
        np.array(y, float),
        np.array(y, np.uint8),
        pd.to_datetime([f"2020-01-0{v + 1}" for v in y]),
        (x for x in words),
    ):
        assert pairwise_f_score(other, [0, 1, 1, 1, 0]) == expected


def test_pairwise_f_score__a_number_is_not_its_digits():
    assert pairwise_f_score([1, "1", 1], [0, 0, 0]) == 0.5


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.datetime64("NaT", "ns")])
def test_pairwise_f_score__refuses_missing_labels(missing):
    with pytest.raises(InvalidLabelsError, match="entry 1 of y_pred is missing") as caught:
        pairwise_f_score([0, 1, 2], [0, missing, 2])
    assert caught.value.position == 1
    assert isinstance(caught.value, (ValueError, TripletreeError))
    with pytest.raises(InvalidLabelsError, match="entry 0 of y_true is missing"):
        pairwise_f_score([missing, 0], [0, 1])


def test_pairwise_f_score__refuses_missing_labels_of_pandas():
    pd = pytest.importorskip("pandas")
    for labels in (pd.Categorical(["a", None]), pd.array([1, None], dtype="Int64"), pd.Series(["a", None])):
        with pytest.raises(InvalidLabelsError, match="entry 1 of y_true is missing"):
            pairwise_f_score(labels, [0, 0])


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([0, 1], [0, 1, 1], "y_true has 2 labels and y_pred 3"),
        ("aab", [0, 0, 1], "y_true must be a sequence of labels"),
        (3, [0], "y_true must be a sequence"),
        ([0, 1], np.zeros((2, 1)), r"y_pred must be one-dimensional.*\(2, 1\)"),
        ([[0], [1]], [0, 1], "entry 0 of y_true is .* hashable"),
        ({"a": 0}, [0], "y_true must be a sequence"),
    ],
)
def test_pairwise_f_score__refuses_what_is_no_pair_of_label_lists(y_true, y_pred, message):
    with pytest.raises(InvalidLabelsError, match=message):
        pairwise_f_score(y_true, y_pred)


# ------------------------------------------------------------------ triplet_score


@settings(deadline=None)
@given(hierarchies(min_leaves=3, max_leaves=7, unary=True), st.data())
def test_triplet_score__is_the_share_displayed(h, data):
    n = h.n_leaves
    t = TripletSet.from_labels(data.draw(triplet_rows(n, 12)), leaves=list(reversed(range(n))))
    clades = clades_of_hierarchy(h)
    held = [displayed(clades, a, b, c) for a, b, c in t]
    assert triplet_score(h, t) == (sum(held) / len(held) if held else 1.0)


def test_triplet_score__weights():
    h = Hierarchy.from_nested([("a", "b"), "c", "d"])
    t = TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b"), ("a", "c", "d")], weights=[5.0, 2.0, 1.0])
    assert triplet_score(h, t) == 5 / 8
    assert triplet_score(h, t.subset([0])) == 1.0
    assert triplet_score(h, t.subset([1, 2])) == 0.0
    assert triplet_score(h, t.subset([])) == 1.0


def test_triplet_score__unknown_leaf():
    with pytest.raises(UnknownLeafError):
        triplet_score(Hierarchy.from_nested(["a", "b", "c"]), TripletSet.from_labels([("a", "b", "x")]))
