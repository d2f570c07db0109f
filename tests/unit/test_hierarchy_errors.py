"""Input that is not a hierarchy is refused with the node and the reason."""

import numpy as np
import pytest
from refusals import Refusal, refusals

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError


@pytest.mark.parametrize("parent", [[], [[2, 2, -1]], None, 3, "ab"])
def test_hierarchy__parent_must_be_a_row_of_numbers(parent):
    with pytest.raises(InvalidHierarchyError, match="parent must be a non-empty one-dimensional array"):
        Hierarchy(parent)


@pytest.mark.parametrize("parent", [[2.0, 2.0, -1.0], [True, True], ["a", "b"], [2, 2**80, -1]])
def test_hierarchy__parent_must_hold_integers(parent):
    with pytest.raises(InvalidHierarchyError, match="parent must hold integers"):
        Hierarchy(parent)


@pytest.mark.parametrize(
    ("parent", "node"),
    [
        ([2, 3, -1], 1),
        ([2, 2, -2], 2),
        ([2, 2**40, -1], 1),
        (np.array([2, 2, 2**64 - 1], np.uint64), 2),
        (np.array([2, 2, 255], np.uint8), 2),
    ],
)
def test_hierarchy__parents_must_be_nodes(parent, node):
    with pytest.raises(
        InvalidHierarchyError, match=f"the parent of node {node} is .*, but the nodes are 0..2"
    ) as caught:
        Hierarchy(parent)
    assert caught.value.node == node


def test_hierarchy__several_roots_are_refused():
    with pytest.raises(InvalidHierarchyError, match=r"expected one root \(parent -1\), got 2: nodes 2, 3") as caught:
        Hierarchy([2, 2, -1, -1])
    assert caught.value.node == 3


@pytest.mark.parametrize(
    ("parent", "leaves", "cycle"),
    [
        ([2, 2, 2], None, "2 -> 2"),
        ([3, 3, 2, 4, -1], 2, "2 -> 2"),
        ([5, 5, 3, 4, 2, -1], 2, "2 -> 3 -> 4 -> 2"),
        ([2, 2, 3, 2], None, "2 -> 3 -> 2"),
    ],
)
def test_hierarchy__cycles_are_shown(parent, leaves, cycle):
    with pytest.raises(InvalidHierarchyError, match=f"the parents run in a cycle: {cycle}$") as caught:
        Hierarchy(parent, leaves)
    assert str(caught.value.node) in cycle


@pytest.mark.parametrize(
    ("parent", "leaves", "node", "message"),
    [
        ([3, 3, -1, 2, 2], ["a", "b"], 4, "inner node 4 has no children"),
        ([2, 2, -1], ["a"], 1, "inner node 1 has no children"),
        ([3, 0, 3, -1], None, 2, "node"),
        ([2, 2, -1], ["a", "b", "c"], 2, "node 2 has children, but the 3 leaves must be nodes 0..2"),
        ([2, 2, -1], ["a", "b", "c", "d"], None, "4 leaf labels for 3 nodes"),
        ([-1], [], None, "at least one leaf"),
    ],
)
def test_hierarchy__the_childless_nodes_must_be_the_leaves(parent, leaves, node, message):
    with pytest.raises(InvalidHierarchyError, match=message) as caught:
        Hierarchy(parent, leaves)
    assert caught.value.node == node


def test_hierarchy__from_nested_refuses_lists_that_contain_themselves():
    alone, within = [], ["a", ["b"], "c"]
    alone.append(alone)
    within[1].append(("d", within))
    for nested in (alone, within, ["x", alone], ["x", within]):
        with pytest.raises(InvalidHierarchyError, match="a list contains itself, directly or in another one"):
            Hierarchy.from_nested(nested)


def test_hierarchy__from_nested_refuses_one_list_in_two_places_at_once():
    nested = ["a", "b"]
    for _ in range(60):  # 2 ** 60 leaves
        nested = [nested, nested]
    with pytest.raises(DuplicateLeafError, match="1 leaf label occurs more than once: 'a'"):
        Hierarchy.from_nested(nested)


@pytest.mark.parametrize("nested", [[], ["a", []], [["a"], [[]]]])
def test_hierarchy__from_nested_refuses_empty_lists(nested):
    with pytest.raises(InvalidHierarchyError, match="an empty list is not a node"):
        Hierarchy.from_nested(nested)


@pytest.mark.parametrize("what", ["height", "length"])
def test_hierarchy__values_must_fit_the_nodes(what):
    with pytest.raises(InvalidHierarchyError, match=f"{what} must have one entry for each of the 3 nodes"):
        Hierarchy([2, 2, -1], **{what: [0, 1]})
    with pytest.raises(InvalidHierarchyError, match="finite"):
        Hierarchy([2, 2, -1], **{what: [0, np.inf, 1]})
    for values in (["a", "b", "c"], [1j, 0, 1]):
        with pytest.raises(InvalidHierarchyError, match=f"{what} must be numbers"):
            Hierarchy([2, 2, -1], **{what: values})
    with pytest.raises(InvalidHierarchyError, match="give height or length, not both"):
        Hierarchy([2, 2, -1], height=[0, 0, 1], length=[1, 1, 0])


def test_hierarchy__heights_must_all_be_known_and_lengths_need_not():
    with pytest.raises(InvalidHierarchyError, match="finite"):
        Hierarchy([2, 2, -1], height=[0, np.nan, 1])
    h = Hierarchy([2, 2, -1], length=[1, np.nan, np.nan])
    assert h.height is None
    assert np.array_equal(h.length, [1, np.nan, np.nan], equal_nan=True)


def test_hierarchy__names_must_fit_the_inner_nodes():
    with pytest.raises(InvalidHierarchyError, match="names must have one entry for each of the 1 inner nodes; got 3"):
        Hierarchy([2, 2, -1], names=["a", "b", "c"])
    assert Hierarchy([2, 2, -1], names=[""]).names is None
    assert Hierarchy([2, 2, -1], names=[None]).names is None
    assert Hierarchy([3, 3, 4, 4, -1], names=["", 7]).names == (None, "7")


test_hierarchy_errors__refused = refusals(
    "hierarchy: ragged lists",
    Refusal(lambda: Hierarchy([[1], [2, 3]]), InvalidHierarchyError, "lists of different lengths"),
    "hierarchy: a long cycle is cut",
    Refusal(lambda: Hierarchy([2, -1, *range(3, 100), 2]), InvalidHierarchyError, r"2 -> 3 -> .* -> 9 -> \.\.\.$"),
    "hierarchy: a cycle of everything has no leaves",
    Refusal(lambda: Hierarchy([1, 0]), InvalidHierarchyError),
    "hierarchy: labels must differ and be labels",
    Refusal(lambda: Hierarchy([2, 2, -1], ["a", "a"]), DuplicateLeafError, labels=["a"]),
    Refusal(lambda: Hierarchy([2, 2, -1], "ab"), TypeError, "iterable of labels"),
    "hierarchy: from nested refuses repeats and sets",
    Refusal(lambda: Hierarchy.from_nested(["a", ["b", "a"]]), DuplicateLeafError, labels=["a"]),
    Refusal(lambda: Hierarchy.from_nested(["a", {"b", "c"}]), TypeError, "unhashable"),
)
