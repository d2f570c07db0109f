"""Triplet sets made from labels of any kind."""

import numpy as np
import pytest

from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, InvalidTripletError, UnknownLeafError


def test_from_labels__leaves_are_those_that_occur_sorted():
    t = TripletSet.from_labels([("human", "chimp", "gorilla"), ("gibbon", "human", "orang")])
    assert list(t.leaves) == ["chimp", "gibbon", "gorilla", "human", "orang"]
    assert list(t) == [("chimp", "human", "gorilla"), ("gibbon", "human", "orang")]
    assert list(TripletSet.from_labels([(30, 2, 100)]).leaves) == [2, 30, 100]


@pytest.mark.parametrize("row", [(2, "a", 1), (None, "a", 2), ((1,), "x", 3)])
def test_from_labels__labels_that_cannot_be_sorted_stand_as_they_come(row):
    assert list(TripletSet.from_labels([row]).leaves) == list(row)
    assert list(TripletSet.from_labels([row])) == [row]


def test_from_labels__the_leaves_given_keep_their_order():
    t = TripletSet.from_labels([("a", "b", "c")], ["d", "c", "b", "a"])
    assert t.rows.tolist() == [[2, 3, 1]]
    assert list(t) == [("b", "a", "c")]
    assert t.leaves.labels == ("d", "c", "b", "a")
    assert TripletSet.from_labels([(0, 1, 2)], 5).leaves == LeafIndex(5)


@pytest.mark.parametrize(
    "triplets",
    [
        [["a", "b", "c"]],
        (row for row in [("a", "b", "c")]),
        np.array([["a", "b", "c"]]),
        [(np.str_("a"), np.str_("b"), "c")],
        {("a", "b", "c"): 1},
        TripletSet.from_labels([("a", "b", "c")]),
    ],
)
def test_from_labels__takes_any_iterable_of_triples(triplets):
    t = TripletSet.from_labels(triplets)
    assert list(t) == [("a", "b", "c")]
    assert [type(x) for x in next(iter(t))] == [str, str, str]


def test_from_labels__numbers_of_numpy_become_pythons():
    row = next(iter(TripletSet.from_labels(np.array([[5, 6, 7]]))))
    assert row == (5, 6, 7)
    assert [type(x) for x in row] == [int, int, int]


def test_from_labels__equal_labels_of_different_types_are_one_leaf():
    t = TripletSet.from_labels([(1, 2, 3), (1.0, 2.0, 3.0), (True, 2, 3)])
    assert len(t) == 1
    assert len(t.leaves) == 3


@pytest.mark.parametrize("bad", ["abc", ("a", "b"), ("a", "b", "c", "d"), {"a", "b", "c"}, 3, None, ()])
def test_from_labels__an_entry_that_is_no_triple_is_refused(bad):
    with pytest.raises(InvalidTripletError, match="triplet 1 is .*: expected three labels") as caught:
        TripletSet.from_labels([("a", "b", "c"), bad])
    assert caught.value.row == 1


@pytest.mark.parametrize("triplets", ["abc", ("a", "b", "c")])
def test_from_labels__one_triplet_is_no_list_of_them(triplets):
    with pytest.raises(InvalidTripletError, match="triplet 0 is 'a': expected three labels"):
        TripletSet.from_labels(triplets)


@pytest.mark.parametrize("bad", [("a", "a", "c"), ("a", "c", "a"), ("c", "a", "a"), (1, True, 2), (1, 2, 1.0)])
def test_from_labels__a_label_twice_is_refused(bad):
    with pytest.raises(InvalidTripletError, match="its three leaves must differ") as caught:
        TripletSet.from_labels([("x", "y", "z"), bad])
    assert caught.value.row == 1


def test_from_labels__unknown_leaves_are_all_named():
    with pytest.raises(UnknownLeafError, match="2 unknown among the triplets' leaves: 'caat'.*'x'") as caught:
        TripletSet.from_labels([("cat", "dog", "caat"), ("caat", "cat", "x")], ["cat", "dog", "eel"])
    assert caught.value.labels == ["caat", "x"]
    assert caught.value.suggestions["caat"] == ["cat"]


def test_from_labels__other_errors():
    with pytest.raises(DuplicateLeafError):
        TripletSet.from_labels([("a", "b", "c")], ["a", "b", "c", "a"])
    with pytest.raises(TypeError, match="labels must be an iterable"):
        TripletSet.from_labels([("a", "b", "c")], "abc")
    with pytest.raises(InvalidTripletError, match=r"triplet 0 .* \['a'\] is not a label; expected a hashable value"):
        TripletSet.from_labels([(["a"], "b", "c")])
    with pytest.raises(InvalidTripletError, match="weight of row 1 is -2") as caught:
        TripletSet.from_labels([("a", "b", "c"), ("b", "a", "c")], weights=[1, -2])
    assert caught.value.row == 1
    with pytest.raises(InvalidTripletError, match="is a missing label"):
        TripletSet.from_labels([(float("nan"), "a", "b")])
