"""Hierarchy.attach: a user's items under named nodes, compared with clades worked out one item at a time."""

import os
import pickle
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from examples import small_world
from hypothesis import given
from hypothesis import strategies as st
from oracles import clades_of_hierarchy, leaves_of
from strategies import nested

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, NotATreeError, UnknownLeafError
from tripletree.io import parse_newick


@pytest.fixture
def h():
    """Leaves cat 0, dog 1, owl 2, eagle 3. Carnivore 4, bird 5, animal 6."""
    return parse_newick("((cat:1,dog:2)carnivore:4,(owl:8,eagle:16)bird:32)animal;")


def named(tree):
    """The hierarchy of nested tuples over leaves 0..n-1, inner node u called "u"."""
    g = Hierarchy.from_nested(tree)
    return Hierarchy(g.parent, g.leaves, names=[str(u) for u in range(g.n_leaves, g.n_nodes)])


def attached_clades(h, node_of, keep):
    """The clades of two or more leaves: for each old node, the items at or below it and the leaves without items."""

    def ancestors(u):
        return {u} if h.parent[u] < 0 else {u} | ancestors(int(h.parent[u]))

    above = {item: ancestors(u) for item, u in node_of.items()}
    if keep == "all":
        used = set(node_of.values())
        above |= {h.leaves[u]: ancestors(u) for u in range(h.n_leaves) if u not in used}
    clades = (frozenset(x for x in above if u in above[x]) for u in range(h.n_nodes))
    return {x for x in clades if len(x) > 1}


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("keep", ["items", "all"])
def test_attach__agrees_with_the_definition_on_every_small_tree(n, keep):
    for tree in small_world(n):
        h = named(tree)
        for nodes in product(range(h.n_nodes), repeat=3 if n < 4 else 2):
            items = {f"item {k}": u for k, u in enumerate(nodes)}
            g = h.attach({item: h.label(u) for item, u in items.items()}, keep=keep)
            clades = clades_of_hierarchy(g)
            assert len(clades) == len(set(clades))
            assert set(clades) == attached_clades(h, items, keep)
            assert list(g.leaves)[: len(items)] == list(items)
            assert not g.has_unary


@given(nested(max_leaves=8), st.data())
def test_attach__agrees_with_the_definition_on_any_tree(tree, data):
    h = named(tree if isinstance(tree, tuple) else (tree,))
    items = data.draw(st.dictionaries(st.text(max_size=3), st.integers(0, h.n_nodes - 1), min_size=1, max_size=12))
    keep = data.draw(st.sampled_from(["items", "all"]))
    mapping = {item: h.label(u) for item, u in items.items()}
    assert set(clades_of_hierarchy(h.attach(mapping, keep=keep))) == attached_clades(h, items, keep)
    full = h.attach(mapping, keep=keep, keep_unary=True)
    assert full.suppress_unary() == h.attach(mapping, keep=keep)
    assert set(clades_of_hierarchy(full)) >= attached_clades(h, items, keep)


@given(nested(min_leaves=2, max_leaves=9), st.data())
def test_attach__every_item_called_as_its_leaf_is_restrict(tree, data):
    h = named(tree)
    chosen = data.draw(st.lists(st.sampled_from(leaves_of(tree)), min_size=1, unique=True))
    assert h.attach({x: x for x in chosen}) == h.restrict(chosen)
    assert h.attach({x: x for x in chosen}, keep="all") == h


# ---------------------------------------------------------------------- results: leaves, names, values


def test_attach__leaves_without_items_go_unless_they_are_kept(h):
    items = {"Tom": "cat", "Garfield": "cat", "Hedwig": "owl", "some carnivore": "carnivore"}
    g = h.attach(items)
    assert list(g.leaves) == list(items)
    assert g.open_leaves == ["some carnivore"]
    closed = h.attach(items, exact=True)
    assert closed == Hierarchy.from_nested([[["Tom", "Garfield"], "some carnivore"], "Hedwig"])
    assert g == closed._but(incertae_sedis=[3])
    assert set(g.names) == {"cat", "carnivore", "animal"}
    g = h.attach(items, keep="all")
    assert list(g.leaves) == [*items, "dog", "eagle"]
    closed = h.attach(items, keep="all", exact=True)
    assert closed == Hierarchy.from_nested([[["Tom", "Garfield"], "some carnivore", "dog"], ["Hedwig", "eagle"]])
    assert g.open_leaves == ["some carnivore"]
    assert set(g.names) == {"cat", "carnivore", "bird", "animal"}


def test_attach__one_item_takes_the_place_of_its_leaf_unless_unary_nodes_are_kept(h):
    g = h.attach({"Tom": "cat", "Rex": "dog"})
    assert g == Hierarchy.from_nested(["Tom", "Rex"])
    assert g.names == ("carnivore",)
    g = h.attach({"Tom": "cat", "Rex": "dog"}, keep_unary=True)
    assert g == Hierarchy.from_nested([[["Tom"], ["Rex"]]])
    assert set(g.names) == {"cat", "dog", "carnivore", "animal"}


def test_attach__one_item_alone(h):
    assert h.attach({"x": "bird"}).parent.tolist() == [-1]
    assert h.attach({"x": "bird"}, keep_unary=True).names == ("bird", "animal")
    one = Hierarchy([-1], ["only"])
    assert one.attach({"x": "only"}).n_nodes == 1
    assert one.attach({"x": "only", "y": "only"}).names == ("only",)


def test_attach__an_item_has_the_height_of_its_node_and_a_branch_of_length_nothing(h):
    g = h.attach({"Tom": "cat", "Garfield": "cat", "some": "carnivore", "Hedwig": "owl"})
    # cat keeps its branch of 1, owl's 8 and bird's 32 are added up
    assert {g.label(u): g.length[u] for u in range(g.n_nodes - 1)} == {
        "Tom": 0,
        "Garfield": 0,
        "some": 0,
        "Hedwig": 40,
        "cat": 1,
        "carnivore": 4,
    }
    high = Hierarchy(h.parent, h.leaves, names=h.names, height=[0, 0, 0, 0, 5, 6, 7])
    g = high.attach({"Tom": "cat", "Garfield": "cat", "some": "carnivore", "x": "animal"})
    assert {g.label(u): g.height[u] for u in range(g.n_nodes)} == {
        "Tom": 0,
        "Garfield": 0,
        "cat": 0,
        "some": 5,
        "carnivore": 5,
        "x": 7,
        "animal": 7,
    }
    bare = Hierarchy(h.parent, h.leaves, names=h.names).attach({"a": "cat", "b": "owl"})
    assert bare.height is bare.length is None


def test_attach__unknown_lengths_stay_unknown():
    h = parse_newick("((a,b:1)x:2,c:3)y;")
    g = h.attach({"p": "a", "q": "b", "r": "c"})
    assert np.array_equal(g.length, [np.nan, 1, 3, 2, np.nan], equal_nan=True)


def test_attach__ranks_go_with_their_nodes(h):
    ranks = ["species"] * 4 + ["order", "class", "kingdom"]
    ranked = Hierarchy(h.parent, h.leaves, names=h.names, ranks=ranks)
    g = ranked.attach({"Tom": "cat", "Garfield": "cat", "some": "carnivore", "Hedwig": "owl"}, keep="all")
    assert {g.label(u): g.ranks[u] for u in range(g.n_nodes)} == {
        "Tom": None,
        "Garfield": None,
        "some": None,
        "Hedwig": None,
        "dog": "species",
        "eagle": "species",
        "cat": "species",
        "carnivore": "order",
        "bird": "class",
        "animal": "kingdom",
    }


def test_attach__labels_that_are_no_strings():
    h = Hierarchy([3, 3, 4, 4, -1], names=["x", None])
    g = h.attach([(10, 0), (11, 0), (12, np.int64(1)), (13, "x"), (14, 2)], exact=True)
    assert g == Hierarchy.from_nested([[[10, 11], 12, 13], 14])
    assert g.names == ("0", "x", None)
    pairs = Hierarchy([2, 2, -1], [("a", 1), ("b", 2)])
    assert pairs.attach({"p": ("a", 1), "q": (("b", 2),)}) == Hierarchy.from_nested(["p", "q"])
    assert Hierarchy([2, 2, -1], [None, "x"]).attach({1: None, 2: "x"}) == Hierarchy.from_nested([1, 2])


def test_attach__nothing_of_the_callers_changes(h):
    before, items = pickle.dumps(h), {"Tom": ["cat"], "Rex": "dog"}
    h.attach(items, keep="all")
    assert items == {"Tom": ["cat"], "Rex": "dog"}
    assert pickle.dumps(h) == before


def test_attach__an_item_may_be_called_as_a_node():
    h = parse_newick("((cat,dog)carnivore,owl)animal;")
    g = h.attach({"carnivore": "carnivore", "cat": "cat", "dog": "owl"}, exact=True)
    assert g == Hierarchy.from_nested([["carnivore", "cat"], "dog"])


# ---------------------------------------------------------------------- forms of a mapping


def forms():
    items, nodes = ["Tom", "Rex", "Hedwig"], ["cat", "dog", "bird"]
    pairs = list(zip(items, nodes, strict=True))
    yield dict(pairs)
    yield {item: [node] for item, node in pairs}
    yield {item: (node,) for item, node in pairs}
    yield {item: {node} for item, node in pairs}
    yield {item: [node, node] for item, node in pairs}
    yield {item: np.array([node]) for item, node in pairs}
    yield pairs
    yield iter(pairs)
    yield pairs + pairs
    yield np.array(pairs)
    yield [list(pair) for pair in pairs]
    yield pd.Series(nodes, index=items)
    yield pd.Series(nodes, index=items, dtype="category")
    yield pd.DataFrame({"sample": items, "species": nodes})
    yield pd.DataFrame({"sample": pd.Series(items, dtype="string"), "species": pd.Categorical(nodes)})
    yield pd.DataFrame(pairs, columns=["x", "x"])
    yield pl.DataFrame({"sample": items, "species": nodes})


@pytest.mark.parametrize("mapping", [pytest.param(x, id=f"{k} {type(x).__name__}") for k, x in enumerate(forms())])
def test_attach__takes_mappings_pairs_and_tables(h, mapping):
    assert h.attach(mapping) == Hierarchy.from_nested([["Tom", "Rex"], "Hedwig"])


@pytest.mark.parametrize(
    ("mapping", "kind", "message"),
    [
        ("items.csv", TypeError, "read it first, with read_annotations"),
        (b"x", TypeError, "expected a mapping from items to nodes"),
        (os, TypeError, r"expected a mapping from items to nodes, or pairs \(item, node\), got module"),
        (None, TypeError, "got NoneType"),
        (["ab", "cd"], ValueError, r"entry 0 is 'ab'; expected a pair \(item, node\)"),
        ([("Tom", "cat"), ("Rex",)], ValueError, r"entry 1 is \('Rex',\)"),
        (pd.DataFrame({"a": ["x"]}), ValueError, "expected a table of two columns.* got 1: 'a'"),
        (pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}), ValueError, "got 3: 'a', 'b', 'c'"),
        ({}, InvalidHierarchyError, "items is empty; give at least one item"),
        ([], InvalidHierarchyError, "items is empty; give at least one item"),
        ({"a": "cat", "b": None}, InvalidHierarchyError, "1 item has no node: 'b'; give it a node"),
        ({"a": [], "b": np.nan, "c": "cat"}, InvalidHierarchyError, "2 items have no node: 'a', 'b'; give them a node"),
        (pd.Series(["cat", None], index=["a", "b"], dtype="string"), InvalidHierarchyError, "1 item has no node: 'b'"),
        ({np.nan: "cat"}, ValueError, "not equal to itself"),
    ],
)
def test_attach__refuses_what_is_no_mapping(h, mapping, kind, message):
    with pytest.raises(kind, match=message):
        h.attach(mapping)


@pytest.mark.parametrize("keep", ["nodes", "", None, True])
def test_attach__refuses_other_choices(h, keep):
    with pytest.raises(ValueError, match="keep must be 'items' or 'all', not"):
        h.attach({"Tom": "cat"}, keep=keep)


# ---------------------------------------------------------------------- nodes that cannot be found


def test_attach__reports_all_unknown_nodes_with_near_names(h):
    with pytest.raises(UnknownLeafError, match="4 unknown among the nodes: 'carnivor'") as caught:
        h.attach({"a": "carnivor", "b": "cat", "c": ["eagel"], "d": "tree", "e": 7, "f": "tree"})
    assert caught.value.labels == ["carnivor", "eagel", "tree", 7]
    assert caught.value.suggestions == {"carnivor": ["carnivore"], "eagel": ["eagle"]}


def test_attach__says_that_inner_nodes_have_no_names():
    with pytest.raises(UnknownLeafError, match="the inner nodes of this hierarchy have no names"):
        Hierarchy.from_nested([("a", "b"), "c"]).attach({"x": "ab"})


def test_attach__does_not_look_for_text_among_a_range():
    h = Hierarchy([3_000_000] * 3_000_000 + [-1])
    with pytest.raises(UnknownLeafError) as caught:
        h.attach({f"x{k}": f"x{k}" for k in range(500)})
    assert len(caught.value.labels) == 500
    assert h.attach({f"x{k}": str(k) for k in range(500)}).n_leaves == 500


def test_attach__ambiguous_names_are_named_with_their_places():
    h = parse_newick("(((a,b)Incertae,c)Fungi,((d,e)Incertae,f)Bacteria,(g,x)unused,(y,z)unused,(a2,(b2)dog)d)life;")
    with pytest.raises(InvalidHierarchyError) as caught:
        h.attach({"s": "Incertae", "t": "c", "u": "d"})
    first, second = (u for u in range(h.n_leaves, h.n_nodes) if h.label(u) == "Incertae")
    lower, upper = h.leaves.index("d"), next(u for u in range(h.n_leaves, h.n_nodes) if h.label(u) == "d")
    message = str(caught.value)
    assert message.startswith("2 names are not unique: ")
    assert f"'Incertae' (node {first} in 'Fungi', node {second} in 'Bacteria')" in message
    assert f"'d' (node {lower} in 'Incertae', node {upper} in 'life')" in message
    assert caught.value.node == second
    assert h.attach({"s": "dog", "t": "c"}).n_leaves == 2


def test_attach__an_ambiguous_root_and_many_places():
    h = Hierarchy([6, 7, 8, 9, 10, 11, 7, 8, 9, 10, 11, -1], names=["x"] * 6)
    with pytest.raises(InvalidHierarchyError, match=r"1 name is not unique: .* and 2 more\)"):
        h.attach({"s": "x"})
    with pytest.raises(InvalidHierarchyError, match=r"'r' \(node 0 in 'r', node 2\)"):
        Hierarchy([2, 2, -1], ["r", "s"], names=["r"]).attach({"i": "r"})


def test_attach__an_item_under_several_nodes_is_no_tree(h):
    with pytest.raises(NotATreeError) as caught:
        h.attach([("Tom", "cat"), ("Rex", "dog"), ("Rex", "bird"), ("Rex", "owl"), ("x", "cat"), ("x", "dog")])
    assert (caught.value.node, caught.value.parents) == ("Rex", ["dog", "bird", "owl"])
    message = "item 'Rex' has 3 nodes, and 1 more item has several: 'dog', 'bird', 'owl'; in a tree an item has one"
    assert message in str(caught.value)
    assert "Ontology" in str(caught.value)
    with pytest.raises(NotATreeError, match="item 'a' has 2 nodes: 'cat', 'dog'; in a tree"):
        h.attach({"a": {"cat", "dog"}})


def test_attach__items_called_as_leaves_that_stay(h):
    assert list(h.attach({"dog": "cat", "x": "cat"}).leaves) == ["dog", "x"]
    with pytest.raises(DuplicateLeafError, match="as an item and as a leaf that keep='all' keeps: 'dog'") as caught:
        h.attach({"dog": "cat", "x": "cat", "owl": "bird"}, keep="all")
    assert caught.value.labels == ["dog", "owl"]
    assert h.attach({"cat": "cat", "x": "cat"}, keep="all").n_leaves == 5


def test_attach__on_a_long_chain_and_with_many_items():
    n = 50_000
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    h = Hierarchy(parent, names=[f"level {k}" for k in range(n - 1)])
    g = h.attach({f"i{k}": f"level {k % (n - 1)}" for k in range(2 * n)})
    assert g.n_leaves == 2 * n
    # the lowest two levels hold three items each, the others two
    assert set(g.clade(2 * n)) == {"i0", f"i{n - 1}", f"i{2 * n - 2}"}
    assert g.n_nodes == 2 * n + n - 1


# ---------------------------------------------------------------------- unknown names that are allowed


def test_attach__leaves_out_what_is_unknown_when_told_to(h):
    items = {"Tom": "cat", "Nemo": "fish", "Rex": ["dog", "wolf"], "Moby": None, "Hedwig": "owl"}
    g = h.attach(items, missing="ignore")
    assert g == Hierarchy.from_nested([["Tom", "Rex"], "Hedwig"])
    assert list(g.leaves) == ["Tom", "Rex", "Hedwig"]
    assert h.attach(pd.Series(items), missing="ignore") == g
    assert list(h.attach(items, missing="ignore", keep="all").leaves) == ["Tom", "Rex", "Hedwig", "eagle"]


def test_attach__missing_is_an_error_unless_told_otherwise(h):
    with pytest.raises(UnknownLeafError, match="missing='ignore' leaves them out"):
        h.attach({"Tom": "cat", "Nemo": "fish"})
    with pytest.raises(UnknownLeafError, match="2 unknown .*leaving them out leaves no item") as caught:
        h.attach({"Tom": "fish", "Nemo": "tree"}, missing="ignore")
    assert caught.value.labels == ["fish", "tree"]
    with pytest.raises(InvalidHierarchyError, match="1 item has no node: 'Tom'"):
        h.attach({"Tom": None}, missing="ignore")
    with pytest.raises(NotATreeError):
        h.attach({"Tom": ["cat", "dog", "fish"]}, missing="ignore")
    with pytest.raises(ValueError, match="missing must be 'raise' or 'ignore', not True"):
        h.attach({"Tom": "cat"}, missing=True)


def test_attach__numbers_where_labels_are_text():
    h = parse_newick("((9685,9686)9682,9615)33208;")
    with pytest.raises(UnknownLeafError) as caught:
        h.attach({"Tom": 9685, "x": 33208, "y": 5})
    assert caught.value.labels == [5]
    assert h.attach({"Tom": 9685, "x": "9686", "y": 9615}) == parse_newick("((Tom,x),y);")
    assert list(Hierarchy([2, 2, -1]).attach({"x": "1"}).leaves) == ["x"]


def test_attach__unknown_ids_have_no_near_names():
    h = parse_newick("((GO:0000001,GO:0000002),(GO:0000003,1234));".replace("GO:", "GO_"))
    with pytest.raises(UnknownLeafError) as caught:
        h.attach({"a": "GO_0000004", "b": "1235", "c": "GO0000001"})
    assert "GO_0000004" not in caught.value.suggestions
    assert "1235" not in caught.value.suggestions
    assert "GO_0000001" in caught.value.suggestions["GO0000001"]
