"""LeafIndex: a two-way table that never changes."""

import copy
import pickle

import numpy as np
import pytest
from refusals import Refusal, refusals

from tripletree.core.leaves import LeafIndex
from tripletree.errors import DuplicateLeafError, UnknownLeafError


def test_leaves__is_a_two_way_table():
    leaves = LeafIndex(["cat", "dog", "eel"])
    assert len(leaves) == 3
    assert list(leaves) == ["cat", "dog", "eel"]
    assert [leaves[i] for i in (0, 1, 2, -1)] == ["cat", "dog", "eel", "eel"]
    assert [leaves.index(x) for x in leaves] == [0, 1, 2]
    assert "dog" in leaves
    assert "fox" not in leaves
    assert leaves.count("dog") == 1
    assert list(reversed(leaves)) == ["eel", "dog", "cat"]


def test_leaves__a_number_stands_for_the_labels_from_0():
    leaves = LeafIndex(4)
    assert leaves.labels == range(4)
    assert list(leaves) == [0, 1, 2, 3]
    assert leaves.index(3) == 3
    assert leaves.index(np.int64(3)) == 3
    assert 4 not in leaves
    assert "1" not in leaves
    assert [1] not in leaves
    assert LeafIndex(range(4)).labels == range(4)
    assert LeafIndex(np.int32(4)) == leaves
    assert list(LeafIndex(range(5, 8))) == [5, 6, 7]


def test_leaves__none_one_and_two():
    assert list(LeafIndex([])) == list(LeafIndex(0)) == []
    assert LeafIndex([]) == LeafIndex(0)
    assert hash(LeafIndex([])) == hash(LeafIndex(0))
    assert LeafIndex(["x"]).index("x") == 0
    assert LeafIndex(("x", "")).index("") == 1


def test_leaves__labels_of_any_hashable_kind():
    labels = ["", "naïve", "日本", 0, 2.5, None, (1, 2), frozenset([3]), b"x"]
    leaves = LeafIndex(labels)
    assert [leaves.index(x) for x in labels] == list(range(len(labels)))
    assert leaves.indices(reversed(labels)).tolist() == list(range(len(labels)))[::-1]


def test_leaves__a_generator_is_read_once():
    assert list(LeafIndex(x for x in "abc")) == ["a", "b", "c"]
    assert LeafIndex(["a", "b"]).indices(x for x in "ba").tolist() == [1, 0]


@pytest.mark.parametrize("labels", [np.array(["a", "b"]), [np.str_("a"), np.str_("b")], np.array(["a", "b"], object)])
def test_leaves__numpy_labels_become_python_values(labels):
    leaves = LeafIndex(labels)
    assert [type(x) for x in leaves] == [str, str]
    assert repr(leaves) == "LeafIndex(['a', 'b'])"


def test_leaves__numpy_numbers_become_python_values():
    assert [type(x) for x in LeafIndex([np.int64(3), np.float64(0.5)])] == [int, float]
    assert [type(x) for x in LeafIndex(np.arange(2))] == [int, int]


def test_leaves__equal_labels_of_different_types_are_one_label():
    leaves = LeafIndex([1, "1"])
    assert leaves.index(1) == leaves.index(True) == leaves.index(1.0) == leaves.index(np.float64(1)) == 0
    assert leaves.index("1") == 1
    with pytest.raises(DuplicateLeafError) as caught:
        LeafIndex([1, "a", True, 1.0])
    assert caught.value.labels == [1]


# ---------------------------------------------------------------------- errors


def test_leaves__all_repeated_labels_are_told():
    with pytest.raises(DuplicateLeafError, match="2 leaf labels occur more than once: 'b', 'a'") as caught:
        LeafIndex(["b", "a", "c", "b", "a", "b"])
    assert caught.value.labels == ["b", "a"]
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("labels", ["abc", b"abc", None, 3.0, True])
def test_leaves__what_is_no_iterable_of_labels_is_refused(labels):
    with pytest.raises(TypeError, match="labels must be an iterable of labels, not"):
        LeafIndex(labels)


@pytest.mark.parametrize("labels", [[["a"], "b"], [{}, "b"], [np.arange(2), "b"], np.zeros((2, 2))])
def test_leaves__labels_must_be_hashable(labels):
    with pytest.raises(TypeError, match="unhashable"):
        LeafIndex(labels)


@pytest.mark.parametrize("labels", [[float("nan"), 1.0], ["a", float("nan")], np.array([np.nan, 1.0])])
def test_leaves__nan_is_no_label(labels):
    with pytest.raises(ValueError, match="is nan, which is not equal to itself"):
        LeafIndex(labels)


def test_leaves__more_leaves_than_int32_can_number_are_refused():
    assert len(LeafIndex(2**31 - 1)) == 2**31 - 1
    with pytest.raises(ValueError, match="2147483648"):
        LeafIndex(2**31)


def test_leaves__an_unknown_label_is_named_with_its_neighbours():
    leaves = LeafIndex(["gorilla", "chimp", "human", "gibbon"])
    with pytest.raises(UnknownLeafError, match=r"'gorila' \(did you mean 'gorilla'\?\)") as caught:
        leaves.index("gorila")
    assert caught.value.labels == ["gorila"]
    assert caught.value.suggestions == {"gorila": ["gorilla"]}
    assert isinstance(caught.value, LookupError)


def test_leaves__all_unknown_labels_are_named_once():
    with pytest.raises(UnknownLeafError, match="2 unknown among the samples: 'x', 9; the 2 known ones are") as caught:
        LeafIndex(["a", "b"]).indices(["x", "a", 9, "x"], what="samples")
    assert caught.value.labels == ["x", 9]
    assert caught.value.suggestions == {}


def test_leaves__index_in_a_range():
    leaves = LeafIndex(["a", "b", "c"])
    assert leaves.index("b", 1, 2) == 1
    for start, stop in ((2, None), (0, 1)):
        with pytest.raises(UnknownLeafError):
            leaves.index("b", start, stop)


@pytest.mark.parametrize("labels", ["ab", 3, None])
def test_leaves__indices_of_what_is_no_iterable_are_refused(labels):
    with pytest.raises(TypeError, match="labels must be an iterable of labels"):
        LeafIndex(["a", "b"]).indices(labels)


# ---------------------------------------------------------------------- indices and parts


def test_leaves__indices_are_int32_and_keep_repeats():
    for leaves, labels in ((LeafIndex(["a", "b", "c"]), ["c", "a", "c"]), (LeafIndex(3), [2, 0, 2])):
        found = leaves.indices(labels)
        assert found.dtype == np.int32
        assert found.tolist() == [2, 0, 2]
    assert LeafIndex(3).indices([]).shape == (0,)


@pytest.mark.parametrize("which", [[2, 0], np.array([2, 0]), np.array([2, 0], np.uint64), (2, 0)])
def test_leaves__take_gives_labels_in_the_order_asked(which):
    assert LeafIndex(["a", "b", "c"]).take(which) == LeafIndex(["c", "a"])
    assert LeafIndex(3).take(which) == LeafIndex([2, 0])


def test_leaves__take_with_a_mask_or_nothing():
    leaves = LeafIndex(["a", "b"])
    assert leaves.take([False, True]) == LeafIndex(["b"])
    assert leaves.take([True, True]) == leaves
    assert leaves.take([]) == LeafIndex(0)


@pytest.mark.parametrize("which", [[-1], [3], [0.0], [True, False], [[0, 1]], ["a"]])
def test_leaves__take_refuses_what_is_no_index(which):
    with pytest.raises(IndexError, match=r"indices must be whole numbers in 0\.\.2, or a mask of 3 entries"):
        LeafIndex(["a", "b", "c"]).take(which)


def test_leaves__slices_are_plain_sequences():
    assert LeafIndex(["a", "b", "c"])[1:] == ("b", "c")
    assert LeafIndex(5)[1:3] == range(1, 3)


# ---------------------------------------------------------------------- identity


@pytest.mark.parametrize("other", [[0, 1, 2], (0, 1, 2), range(3), np.arange(3), [0.0, 1.0, 2.0], [False, True, 2]])
def test_leaves__equal_labels_in_equal_order_make_equal_indexes(other):
    assert LeafIndex(3) == LeafIndex(other)
    assert hash(LeafIndex(3)) == hash(LeafIndex(other))


@pytest.mark.parametrize("other", [[1, 0, 2], [0, 1], ["0", "1", "2"], 4])
def test_leaves__other_labels_or_another_order_make_another_index(other):
    assert LeafIndex(3) != LeafIndex(other)


def test_leaves__is_no_list():
    assert LeafIndex(3) != [0, 1, 2]
    assert LeafIndex(["a"]) != ("a",)


@pytest.mark.parametrize("labels", [["a", "b"], 5, [], [1, "x", None, (2, 3)]])
def test_leaves__copies_and_pickles_are_equal(labels):
    leaves = LeafIndex(labels)
    for again in (LeafIndex(leaves), copy.copy(leaves), copy.deepcopy(leaves), pickle.loads(pickle.dumps(leaves))):
        assert again == leaves
        assert hash(again) == hash(leaves)
        assert again.labels == leaves.labels
        assert [again.index(x) for x in leaves] == list(range(len(leaves)))


def test_leaves__a_list_changed_later_does_not_show():
    labels = ["a", "b"]
    leaves = LeafIndex(labels)
    labels[0] = "z"
    assert list(leaves) == ["a", "b"]


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["a", 1], "LeafIndex(['a', 1])"),
        (3, "LeafIndex(3)"),
        ([], "LeafIndex([])"),
        (["a", "b", "c", "d", "e", "f", "g"], "LeafIndex(['a', 'b', 'c', 'd', 'e', 'f', ... 7 labels])"),
    ],
)
def test_leaves__repr(labels, shown):
    assert repr(LeafIndex(labels)) == shown


test_leaves__refused = refusals(
    "a negative number",
    Refusal(lambda: LeafIndex(-3), ValueError, "the number of leaves is -3"),
    "take refuses repeats",
    Refusal(lambda: LeafIndex(["a", "b"]).take([1, 1]), DuplicateLeafError, labels=["b"]),
)
