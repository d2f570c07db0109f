"""Hierarchy: one parent array and its answers."""

import copy
import io
import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from examples import balanced, caterpillar, star
from refusals import Refusal, refusals

import tripletree as tt
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, UnknownLeafError


@pytest.fixture
def h():
    """Node 4 is (a, b), the root 5 has 4, c and d."""
    return Hierarchy.from_nested([("a", "b"), "c", "d"])


# ---------------------------------------------------------------------- construction


def test_hierarchy__keeps_an_order_with_children_first():
    parent = [4, 4, 5, 5, 6, 6, -1]
    h = Hierarchy(parent, ["a", "b", "c", "d"])
    assert h.parent.tolist() == parent
    assert h.parent.dtype == np.int32
    assert (h.n_leaves, h.n_nodes, h.root) == (4, 7, 6)
    assert h.leaves == LeafIndex(["a", "b", "c", "d"])
    assert Hierarchy(parent).leaves == LeafIndex(4)
    assert Hierarchy(parent, 4).leaves == LeafIndex(4)


def test_hierarchy__renumbers_any_other_order_with_all_that_goes_with_it():
    # the root is node 4, (a, b) node 6, (c, d) node 5
    h = Hierarchy(
        [6, 6, 5, 5, -1, 4, 4], ["a", "b", "c", "d"], height=[0, 0, 0, 0, 9, 2, 1], names=["root", "cd", "ab"]
    )
    assert (h.parent[:-1] > np.arange(6)).all()
    assert h.parent[-1] == -1
    found = {h.label(u): (sorted(h.clade(u)), h.height[u]) for u in range(4, 7)}
    assert found == {"root": (["a", "b", "c", "d"], 9), "cd": (["c", "d"], 2), "ab": (["a", "b"], 1)}


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_hierarchy__parent_arrays_of_any_integer_type_and_memory_order(dtype):
    wanted = Hierarchy([3, 3, 4, 4, -1])
    table = np.array([[3, 3, 4, 4, -1], [7, 7, 7, 7, 7]], dtype)
    assert Hierarchy(table[0]) == wanted
    assert Hierarchy(np.asfortranarray(table)[0]) == wanted
    assert Hierarchy(np.repeat(table[0], 2)[::2]) == wanted
    assert Hierarchy(list(table[0])) == wanted


def test_hierarchy__the_callers_arrays_stay_and_are_not_shared():
    parent, height = np.array([2, 2, -1], np.int32), np.array([0.0, 0.0, 1.0])
    view = parent.view()
    view.setflags(write=False)
    for given in (parent, view):
        h = Hierarchy(given, height=height)
        parent[0], height[2] = 1, 5
        assert h.parent.tolist() == [2, 2, -1]
        assert h.height.tolist() == [0, 0, 1]
        parent[0], height[2] = 2, 1
    assert parent.flags.writeable
    assert height.flags.writeable


def test_hierarchy__arrays_are_read_only(h):
    g = Hierarchy(h.parent, h.leaves, length=np.ones(6))
    arrays = [g.parent, g.depth, g.n_children, g.height, g.length, g.children(5), *g.leaf_intervals, *g.ancestor_table]
    assert not any(array.flags.writeable for array in arrays)
    assert not Hierarchy(h.parent, height=np.arange(6)).length.flags.writeable


def test_hierarchy__one_leaf():
    for h in (Hierarchy([-1], ["x"]), Hierarchy.from_nested("x")):
        assert (h.n_leaves, h.n_nodes, h.root) == (1, 1, 0)
        assert h.clade(0) == ["x"]
        assert h.children(0).size == 0
        assert h.is_binary
        assert not h.has_unary
        assert h.common_ancestor(["x"]) == 0
        assert h.restrict(["x"]) == h
        assert h.depth.tolist() == [0]
        assert repr(h) == "<Hierarchy: 1 leaf, 0 inner nodes, depth 0>"


def test_hierarchy__a_chain_of_unary_nodes():
    h = Hierarchy([1, 2, -1], ["x"], names=["inner", "top"], length=[1, 2, 0])
    assert h.has_unary
    assert not h.is_binary
    assert h.clade(2) == ["x"]
    short = h.suppress_unary()
    assert short.parent.tolist() == [-1]
    assert short.length.tolist() == [3]
    assert h.common_ancestor(["x"]) == 0


def test_hierarchy__from_nested_takes_lists_tuples_and_any_labels():
    h = Hierarchy.from_nested([("b", ["a", 3]), None, [("x", "y")]])
    assert list(h.leaves) == ["b", "a", 3, None, "x", "y"]
    assert {frozenset(h.clade(u)) for u in range(6, h.n_nodes)} == {
        frozenset({"a", 3}),
        frozenset({"a", 3, "b"}),
        frozenset({"x", "y"}),
        frozenset({"b", "a", 3, None, "x", "y"}),
    }
    assert h.has_unary


def test_hierarchy__from_nested_goes_deep_without_recursion():
    nested = "x0"
    for k in range(1, 20_000):
        nested = [nested, f"x{k}"]
    h = Hierarchy.from_nested(nested)
    assert h.n_leaves == 20_000
    assert h.restrict(["x0", "x5", "x9"]) == Hierarchy.from_nested([["x0", "x5"], "x9"])


# ---------------------------------------------------------------------- questions


def test_hierarchy__children_clades_labels_and_depths(h):
    assert h.children(5).tolist() == [2, 3, 4]
    assert h.children(4).tolist() == [0, 1]
    assert h.children(0).tolist() == []
    assert h.children(np.int64(4)).dtype == np.int32
    assert h.clade(4) == ["a", "b"]
    assert sorted(h.clade(5)) == ["a", "b", "c", "d"]
    assert h.clade(2) == ["c"]
    assert [h.label(u) for u in range(6)] == ["a", "b", "c", "d", None, None]
    assert h.depth.tolist() == [2, 2, 1, 1, 1, 0]
    assert h.n_children.tolist() == [0, 0, 0, 0, 2, 3]
    assert not h.is_binary
    assert Hierarchy(h.parent, names=["x", None]).label(4) == "x"


@pytest.mark.parametrize("node", [-1, 6, 99])
@pytest.mark.parametrize("ask", ["children", "clade", "label"])
def test_hierarchy__nodes_out_of_range_are_refused(h, ask, node):
    with pytest.raises(IndexError, match=rf"there is no node {node}: nodes are 0\.\.5, the root is 5"):
        getattr(h, ask)(node)


@pytest.mark.parametrize(
    ("labels", "node"), [("a", 0), ("ab", 4), ("ac", 5), ("cd", 5), ("abcd", 5), ("aab", 4), ("cc", 2)]
)
def test_hierarchy__common_ancestor(h, labels, node):
    assert h.common_ancestor(list(labels)) == node
    assert h.common_ancestor(x for x in reversed(labels)) == node


def test_hierarchy__lengths_from_heights_and_back():
    heights = [0, 0, 1, 3, 5.5]
    h = Hierarchy([3, 3, 4, 4, -1], height=heights)
    assert h.height.tolist() == heights
    assert h.length[:-1].tolist() == [3, 3, 4.5, 2.5]
    assert np.isnan(h.length[-1])
    # leaf 2 stands 1 above the deepest ones: heights come back as they were
    again = Hierarchy(h.parent, length=h.length)
    assert again.height.tolist() == heights
    assert Hierarchy(h.parent).height is None
    assert Hierarchy(h.parent).length is None


def test_hierarchy__shapes():
    assert balanced(8).is_binary
    assert balanced(8).depth.max() == 3
    assert caterpillar(5).depth.max() == 4
    assert star(5).n_children.tolist() == [0] * 5 + [5]


# ---------------------------------------------------------------------- derived hierarchies


def test_hierarchy__suppress_unary_adds_up_lengths_and_keeps_names():
    # ((a:1, b:2)pair:4)middle:8, c:16
    names = ["pair", "middle", "root"]
    h = Hierarchy([3, 3, 5, 4, 5, -1], ["a", "b", "c"], length=[1, 2, 16, 4, 8, 0], names=names)
    short = h.suppress_unary()
    assert short.names == ("pair", "root")
    assert short.length.tolist() == [1, 2, 16, 12, 0]
    assert h.length.tolist() == [1, 2, 16, 4, 8, 0]
    assert short != h
    assert short == Hierarchy.from_nested([["a", "b"], "c"])
    assert short.suppress_unary() is short


def test_hierarchy__restrict_keeps_order_heights_names_and_lengths():
    names = ["ab", "abc", "de", "all"]
    h = Hierarchy([5, 5, 6, 7, 7, 6, 8, 8, -1], list("abcde"), height=[0, 0, 0, 0, 0, 1, 2, 3, 4], names=names)
    part = h.restrict(["e", "c", "a"])
    assert list(part.leaves) == ["e", "c", "a"]
    assert part == Hierarchy.from_nested([["a", "c"], "e"])
    assert part.names == ("abc", "all")
    assert part.height.tolist() == [0, 0, 0, 2, 4]
    full = h.restrict(["e", "c", "a"], keep_unary=True)
    assert full.names == ("ab", "abc", "de", "all")
    assert full == Hierarchy.from_nested([[["a"], "c"], ["e"]])
    long = Hierarchy(h.parent, h.leaves, length=[1, 1, 2, 1, 1, 1, 2, 1, 0]).restrict(["a", "c", "e"])
    assert long.length[[0, 1, 2]].tolist() == [2, 2, 2]
    assert long.height is not None


def test_hierarchy__restrict_below_the_root_drops_what_is_above():
    h = Hierarchy.from_nested([[["a", "b"], "c"], "d"])
    part = h.restrict(["a", "b"])
    assert part.n_nodes == 3
    assert h.restrict(["a", "b"], keep_unary=True).n_nodes == 5
    assert h.restrict(["c"]).n_nodes == 1


def test_hierarchy__restrict_says_that_names_of_inner_nodes_are_no_leaves():
    names = ["Canis lupus", "Felis", None]
    h = Hierarchy([5, 5, 6, 6, 7, 7, 7, -1], ["lupus dingo", "lupus lupus", "catus", "chaus", "x"], names=names)
    with pytest.raises(UnknownLeafError) as caught:
        h.restrict(["catus", "Canis lupus"])
    text = "'Canis lupus' is an inner node: use attach({'Canis lupus': 'Canis lupus'}) to make it a leaf, or prune"
    assert text in str(caught.value)
    assert (caught.value.labels, caught.value.suggestions) == (["Canis lupus"], {})
    assert set(h.attach({x: x for x in ["catus", "Canis lupus"]}).leaves) == {"catus", "Canis lupus"}
    with pytest.raises(
        UnknownLeafError, match=r"3 unknown.*'y'; 2 of them are inner nodes: use attach\(\{x: x for"
    ) as caught:
        h.restrict(["Felis", "Canis lupus", "y"])
    assert caught.value.labels == ["Felis", "Canis lupus", "y"]


def test_hierarchy__restrict_takes_whole_numbers_as_names():
    h = Hierarchy.from_nested([["9685", "9686"], "9615"])
    assert list(h.restrict([9685, "9615"]).leaves) == [9685, "9615"]
    with pytest.raises(UnknownLeafError, match="1 unknown among the leaves: 9687"):
        h.restrict([9687, "9615"])


def test_hierarchy__reindex(h):
    other = LeafIndex(["d", "c", "b", "a"])
    g = h.reindex(other)
    assert g == h
    assert g.leaves is other
    assert g.parent.tolist() == [5, 5, 4, 4, 5, -1]
    assert h.reindex(h.leaves) is h
    for labels, strangers in ((["a", "b", "c", "x"], ["x"]), (["a", "b", "c"], ["d"]), (list("abcdx"), ["x"])):
        with pytest.raises(UnknownLeafError) as caught:
            h.reindex(LeafIndex(labels))
        assert caught.value.labels == strangers


# ---------------------------------------------------------------------- identity


def test_hierarchy__equality_is_that_of_labelled_clades(h):
    assert h == Hierarchy.from_nested(["d", ("b", "a"), "c"])
    assert hash(h) == hash(Hierarchy.from_nested(["d", ("b", "a"), "c"]))
    assert h == Hierarchy(h.parent, h.leaves, height=np.arange(6.0), names=["x", "y"])
    assert h != Hierarchy.from_nested([("a", "c"), "b", "d"])
    assert h != Hierarchy.from_nested([("a", "b"), "c", "x"])
    assert h != Hierarchy.from_nested([("a", "b"), "c"])
    assert h != Hierarchy.from_nested([(("a", "b"), "c"), "d"])
    assert h != Hierarchy.from_nested([[("a", "b")], "c", "d"])
    assert h != "((a,b),c,d);"
    assert h != None  # noqa: E711


def test_hierarchy__labels_that_are_equal_count_as_equal():
    g, h = Hierarchy.from_nested([(1, "a"), 2]), Hierarchy.from_nested([(True, "a"), 2.0])
    assert g == h
    assert hash(g) == hash(h)
    assert Hierarchy.from_nested([("1", "a"), 2]) != g


def test_hierarchy__chains_of_unary_nodes_are_told_apart():
    one, two = Hierarchy.from_nested([["a", "b"]]), Hierarchy.from_nested([[["a", "b"]]])
    assert one != two
    assert Hierarchy.from_nested([[["a"], "b"], "c"]) != Hierarchy.from_nested([["a", ["b"]], "c"])


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda h: pickle.loads(pickle.dumps(h))])
@pytest.mark.parametrize(
    "values", [{}, {"height": [0, 0, 1, 2, 3]}, {"length": [1, 2, np.nan, 3, 0], "names": ["p", "q"]}]
)
def test_hierarchy__copies_and_pickles_are_equal_and_read_only(again, values):
    h = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], **values)
    hash(h), h.depth, h.ancestor_table  # noqa: B018  (cached)
    other = again(h)
    assert other == h
    assert hash(other) == hash(h)
    assert other.leaves == h.leaves
    assert other.names == h.names
    for name in ("length", "height"):
        mine, its = getattr(h, name), getattr(other, name)
        assert (mine is None) == (its is None)
        assert mine is None or np.array_equal(mine, its, equal_nan=True)
    for array in (other.parent, other.depth, *other.leaf_intervals, *other.ancestor_table):
        assert not array.flags.writeable


def test_hierarchy__a_pickle_does_not_carry_what_can_be_worked_out():
    h = caterpillar(500)
    before = len(pickle.dumps(h))
    assert h.ancestor_table[1].size > 4000
    assert len(pickle.dumps(h)) == before


@pytest.mark.parametrize(
    ("nested", "shown"),
    [
        ([["a", "b"], "c"], "<Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>"),
        (["a"], "<Hierarchy: 1 leaf, 1 inner node, up to 1 child, unary nodes, depth 1>"),
        (["a", "b", "c"], "<Hierarchy: 3 leaves, 1 inner node, up to 3 children, depth 1>"),
        ([["a"], "b", "c"], "<Hierarchy: 3 leaves, 2 inner nodes, up to 3 children, unary nodes, depth 2>"),
    ],
)
def test_hierarchy__repr(nested, shown):
    assert repr(Hierarchy.from_nested(nested)) == shown


def test_reindex__takes_labels_as_they_are():
    h = Hierarchy.from_nested([("a", "b"), "c"])
    assert list(h.reindex(["c", "a", "b"]).leaves) == ["c", "a", "b"]
    with pytest.raises(UnknownLeafError):
        h.reindex([])


test_hierarchy__refused = refusals(
    "common ancestor refuses strangers and nothing",
    Refusal(lambda h: h.common_ancestor(["a", "x"]), UnknownLeafError, labels=["x"]),
    Refusal(lambda h: h.common_ancestor([]), ValueError, "labels is empty; give at least one leaf"),
    Refusal(lambda h: h.common_ancestor("ab"), TypeError, "iterable of labels"),
    "restrict refuses what is no choice of leaves",
    Refusal(lambda h: h.restrict(["a", "x", "y"]), UnknownLeafError, labels=["x", "y"]),
    Refusal(
        lambda h: h.restrict("ab"),
        TypeError,
        r"expected a list of labels, got the text 'ab'; restrict\(\['ab'\]\) keeps",
    ),
    Refusal(lambda h: h.restrict(["a", "b", "a"]), DuplicateLeafError, labels=["a"]),
    Refusal(lambda h: h.restrict([]), InvalidHierarchyError, "at least one leaf"),
)


@pytest.mark.parametrize(
    "value",
    [
        [["a", "b"], ["c", "d"]],
        (("a", "b"), ("c", "d")),
        {"x": ["a", "b"], "y": ["c", "d"]},
        {"x": {"a": {}, "b": {}}, "y": {"c": {}, "d": {}}},
        {"a": "x", "b": "x", "c": "y", "d": "y"},
        pd.DataFrame({"child": [*"abcd"], "parent": [*"xxyy"]}),
        pd.DataFrame({"order": [*"zzzz"], "family": [*"xxyy"]}, index=[*"abcd"]),
    ],
)
def test_check_hierarchy__its_advice_makes_a_hierarchy(value):
    with pytest.raises(TypeError, match="expected a Hierarchy, got") as caught:
        check_hierarchy(value)
    call = re.search(r"; (\S.*?) makes one", str(caught.value)).group(1).replace("read_", "tt.read_")
    names = {"io": io, "json": json, "pandas": pd, "tt": tt, "Hierarchy": Hierarchy}
    made = eval(
        call.replace("tt.read_edges", "tt.io.read_edges"), names | dict.fromkeys(["value", "lists", "table"], value)
    )
    assert tt.displays(made, tt.TripletSet.from_labels([("a", "b", "c"), ("c", "d", "a")])).all()
