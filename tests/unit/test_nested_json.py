"""JSON trees in their shapes. Ambiguous, wrong and too deeply nested ones are refused with their places."""

import io
import json
import sys

import numpy as np
import pytest
from examples import balanced, caterpillar
from hypothesis import given
from hypothesis import strategies as st
from strategies import hierarchies

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.errors import DuplicateLeafError, NotATreeError, ParseError, TripletreeError
from tripletree.io.nested_json import json_ontology, read_json, write_json

NAMES_COMMAS = sys.version_info >= (3, 13)  # that are too many


def read(value, **kwargs):
    text = value if isinstance(value, str) else json.dumps(value)
    return read_json(io.StringIO(text), **kwargs)


APES = Hierarchy.from_nested([["human", "chimp"], "gorilla"])

SHAPES = [
    {"name": "r", "children": [{"children": [{"name": "human"}, {"name": "chimp"}]}, {"name": "gorilla"}]},
    [{"label": "r", "nodes": [{"nodes": ["human", {"label": "chimp", "nodes": []}]}, {"label": "gorilla"}]}],
    {"id": "r", "items": [[{"text": "human"}, {"title": "chimp", "items": None}], "gorilla"]},
    {"r": {"x": {"human": None, "chimp": {}}, "gorilla": []}},
    {"x": {"human": None, "chimp": None}, "gorilla": None},
    {"x": ["human", "chimp"], "gorilla": []},
    [["human", "chimp"], "gorilla"],
    [{"x": ["human", "chimp"]}, "gorilla"],
    [{"children": [{"name": "human"}, {"name": "chimp"}]}, {"name": "gorilla"}],
    [{"id": 1, "name": "r", "child_ids": [2, 3]}, {"id": 2, "child_ids": [4, 5]}, {"id": 3, "name": "gorilla"},
     {"id": 4, "name": "human"}, {"id": 5, "name": "chimp", "child_ids": []}],
    [{"id": "r", "parent": None}, {"id": "x", "parent": "r"}, {"id": "gorilla", "parent": "r"},
     {"id": "human", "parent": "x"}, {"id": "chimp", "parent": "x"}],
    [{"name": "x", "children": ["human", "chimp"]}, {"name": "human"}, {"name": "chimp"}, {"name": "gorilla"}],
]  # fmt: skip


@pytest.mark.parametrize("value", SHAPES)
def test_nested_json__the_shapes(value):
    assert read(value, labels="name") == APES


def test_nested_json__names_lengths_and_order():
    h = read({"name": "r", "length": 1, "children": [
        {"name": "x", "branch_length": 2.5, "children": [{"name": "b", "branchLength": None}, 7]},
        {"name": "a"}]})  # fmt: skip
    assert list(h.leaves) == ["b", 7, "a"]
    assert h.names == ("x", "r")
    assert [None if x != x else x for x in h.length.tolist()] == [None, None, None, 2.5, 1]
    named = read({"b": {"y": None, "x": ["k", "c"]}, "a": None})
    assert list(named.leaves) == ["y", "k", "c", "a"]
    assert named.names == ("x", "b", None)
    assert read({"b": {"y": None, "x": None}}).names == ("b",)
    assert read({"name": "alone"}) == read(["alone"]).suppress_unary() == Hierarchy([-1], ["alone"])
    assert read([["a"], "b"]).has_unary


def test_nested_json__keys_of_the_users():
    value = {"taxon": "r", "name": "no", "kids": [{"taxon": "a", "t": 1}, {"taxon": "b", "t": 2.0}]}
    h = read(value, name="taxon", children="kids", length="t")
    assert list(h.leaves) == ["a", "b"]
    assert h.names == ("r",)
    assert h.length.tolist()[:2] == [1, 2]
    flat = [{"key": "r", "below": ["a", "b"]}, {"key": "a"}, {"key": "b"}]
    assert read(flat, name="key", children="below") == Hierarchy.from_nested(["a", "b"])


FLAT = [
    {"id": "/r", "name": "root", "child_ids": ["/x", "/y"]},
    {"id": "/x", "name": "x", "child_ids": ["/a", "/b"]},
    {"id": "/y", "name": "y", "child_ids": ["/b", "/c"]},
    *({"id": f"/{x}", "name": x, "child_ids": []} for x in "abc"),
]


def test_nested_json__flat_lists_may_be_graphs():
    with pytest.raises(NotATreeError, match="'/b' has 2 parents"):
        read(FLAT)
    h = read(FLAT, parent="first", labels="name")
    assert h == Hierarchy.from_nested([["a", "b"], ["c"]])
    assert sorted(h.names) == ["root", "x", "y"]
    assert list(read(FLAT, parent="first").leaves) == ["/a", "/b", "/c"]
    ontology = json_ontology(io.StringIO(json.dumps(FLAT)))
    assert isinstance(ontology, Ontology)
    assert ontology.roots == ["/r"]
    assert list(ontology.leaves) == ["/a", "/b", "/c"]
    upwards = [{"id": "r"}, {"id": "x", "parents": ["r"]}, {"id": "y", "parents": ["r"]},
               {"id": "b", "parents": ["x", "y"]}, {"id": "a", "parents": "x"},
               {"id": "c", "parents": ["y"]}]  # fmt: skip
    assert read(upwards, parent="first") == Hierarchy.from_nested([["a", "b"], ["c"]])
    with pytest.raises(ParseError, match="an ontology as JSON is a list of objects with ids"):
        json_ontology(io.StringIO('{"name": "a"}'))
    same = [{"id": 1, "child_ids": [2, 3]}, {"id": 2, "name": "a"}, {"id": 3, "name": "a"}]
    with pytest.raises(DuplicateLeafError, match="use labels='id'"):
        read(same, labels="name")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "the text is empty"),
        ("\n ", 1, 1, "the text is empty"),
        ("3", 1, 1, "a tree is an object or a list, not 3"),
        ("[]", 1, 1, "an empty list stands for no node"),
        ("{}", 1, 1, "an empty object stands for no node"),
        ('["a",\n ["b", []]]', 2, 2, "an empty list"),
        ('["a",\n "b"', 2, 5, "the text ends here, is it cut off"),
        ('{"name": "x",\n "children": [{"name": "a"},\n  {"name": "a"}]}', 3, 3, "'a' has occurred before"),
        ('{"name": "x",\n "children": [{"name": "a"},\n  {"size": 3}]}', 3, 3, "an object, a list or null, not 3"),
        ('{"name": "x",\n "children": [{"name": "a"},\n  {"name": ""}]}', 3, 3, "a leaf without a label"),
        ('{"name": "x",\n "children": {"a": null}}', 1, 1, "expected a list of children under 'children'"),
        ('{"name": "x", "children": ["a"], "nodes": ["b"]}', 1, 1, "both 'children' and 'nodes'"),
        ('{"items": ["a"], "other": ["b"]}', 1, 1, "is 'items' here the list"),
        ('{"A": {"B": null,\n "C": 3}}', 1, 7, "the value below the node 'C'"),
        ('{"A": {"B": null,\n "B": null}}', 2, 2, "the key 'B' has occurred before"),
        ('["a",\n null]', 1, 1, "a leaf must be a string or a whole number, not null"),
        ('["a",\n [true]]', 2, 2, "not true"),
        ("[1.5]", 1, 1, "not 1.5"),
        ('{"name": ["a"], "children": ["b"]}', 1, 1, "is 'children' here the list"),
        ('[{"name": "a", "length": "long"}, "b"]', 1, 2, "the branch length under 'length' must be a finite number"),
        ('[{"name": "a", "length": 1e999}, "b"]', 1, 2, "must be a finite number"),
        ('[{"name": "a", "length": true}, "b"]', 1, 2, "must be a finite number, not true"),
        ('[{"name": "a", "length": NaN}, "b"]', 1, 26, "'NaN' is not JSON"),
        ('[{"name": "NaN", "length":\n -Infinity}, "b"]', 2, 2, "'-Infinity' is not JSON"),
        ('[{"a": {"b": 1}, "c": [{"b": 2}],\n "\\u0061": null}]', 2, 2, "the key 'a' has occurred before"),
        ('[{"id": 1, "child_ids": [2]},\n {"id": 1}]', 2, 2, "the id 1 has occurred before"),
        ('[{"id": 1},\n {"id": 2, "child_ids": [3]}]', 2, 2, "3 under 'child_ids' is the id of no object"),
        ('[{"id": 1, "child_ids": [2]},\n {"id": null}]', 2, 2, "an object's id must be"),
        ('[{"id": 1, "child_ids": [2]},\n {"id": 2, "name": []}]', 2, 2, "a name must be"),
        ('[{"id": 1, "child_ids": [2]},\n {"id": 2, "child_ids": [1]}]', 1, 2, "cycle"),
        ('{"name": "r",\n "kids": [{"name": "a"}]}', 1, 1, "if they are the list under 'kids', give children='kids'"),
        ("[1, 2", 1, 6, "cut off"),
        ("[1, 2}", 1, 6, "Expecting ',' delimiter"),
        ("[1 2]", 1, 4, "Expecting ',' delimiter"),
        ('[{"name": "a", "length": 1%s}, "b"]' % ("0" * 400), 1, 2, "must be a finite number"),
        ("[1,]", 1, 3 if NAMES_COMMAS else 4, "trailing comma" if NAMES_COMMAS else "Expecting value"),
        ('{"a" 1}', 1, 6, "Expecting ':' delimiter"),
        ("{a: 1}", 1, 2, "property name enclosed in double quotes"),
        ('{"a": 1,}', 1, 8 if NAMES_COMMAS else 9, "trailing comma" if NAMES_COMMAS else "enclosed in double quotes"),
        ("['a']", 1, 2, "Expecting value"),
        ('["a\nb"]', 1, 4, "Invalid control character"),
        ('["a', 1, 2, "Unterminated string"),
        ('["a\\x"]', 1, 4, "escape"),
        ("[01]", 1, 3, "Expecting ',' delimiter"),
        ("[" + "1" * 5000 + "]", 1, 2, "5000 digits"),
        ('{"a": null}\n{"b": null}', 2, 1, "one value a line is not read"),
        ("[1\u00a0]", 1, 3, "Expecting ',' delimiter"),
        ("[" * 100_000, 1, 1, "nested more deeply than Python's JSON decoder goes .some 1,000 levels.*; write"),
    ],
)  # fmt: skip
def test_nested_json__refused_with_the_place(text, line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        read(text)
    assert (error.value.line, error.value.column) == (line, column)


# ---------------------------------------------------------------------- depth


@pytest.mark.slow
def test_nested_json__a_hundred_thousand_leaves():
    h = balanced(100_000)
    assert read(write_json(h)) == h


def test_nested_json__hundreds_of_levels_are_read_and_thousands_refused():
    h = caterpillar(300)
    assert read(write_json(h)) == h
    assert read("[" * 300 + '"a","b"' + "]" * 300).n_nodes == 302
    for text in (write_json(caterpillar(100_000)), '{"x":' * 20_000 + '{"a":null}' + "}" * 20_000):
        with pytest.raises(ParseError, match="nested more deeply"):
            read(text)


def test_nested_json__deep_values_in_the_wrong_places():
    deep = "[" * 300 + "1" + "]" * 300
    for text in (
        '{"name": %s, "children": ["a"]}', '{"name": "a", "length": %s}', '{"name": "a", "children": {"b": %s}}',
        '[{"id": %s, "child_ids": [1]}, {"id": 1}]', '[{"id": 1, "child_ids": [2], "name": %s}, {"id": 2}]',
        '[{"id": 1, "child_ids": [2]}, {"id": 2, "child_ids": %s}]',
    ):  # fmt: skip
        with pytest.raises(ParseError):
            read(text % deep)


# ---------------------------------------------------------------------- writing


@given(hierarchies(unary=True), st.data())
def test_nested_json__what_is_written_is_read_back(h, data):
    label = st.text(min_size=1, max_size=5) | st.integers()
    labels = data.draw(st.lists(label, min_size=h.n_leaves, max_size=h.n_leaves, unique=True))
    names = st.none() | st.text(min_size=1, max_size=3)
    names = data.draw(st.lists(names, min_size=h.n_nodes - h.n_leaves, max_size=h.n_nodes - h.n_leaves))
    length = st.one_of(st.just(np.nan), st.floats(allow_nan=False, allow_infinity=False))
    lengths = data.draw(st.lists(length, min_size=h.n_nodes, max_size=h.n_nodes))
    h = Hierarchy(h.parent, labels, names=names, length=lengths)
    text = write_json(h)
    assert json.loads(text)
    g = read(text)
    assert g == h
    assert write_json(g.reindex(h.leaves)) == write_json(h)
    again = read(write_json(g))
    assert again.names == g.names
    assert again.length is g.length is None or np.array_equal(again.length, g.length, equal_nan=True)


def test_nested_json__as_d3_has_it(tmp_path):
    h = Hierarchy([3, 3, 4, 4, -1], ['b"', "a", 3], names=["x", None], length=[1, 2.5, np.nan, 3, np.nan])
    wanted = {"children": [
        {"name": "x", "length": 3, "children": [{"name": 'b"', "length": 1}, {"name": "a", "length": 2.5}]}, {"name": 3}
    ]}  # fmt: skip
    assert json.loads(write_json(h)) == wanted
    assert json.loads(write_json(h, names=False, lengths=False)) == {
        "children": [{"children": [{"name": 'b"'}, {"name": "a"}]}, {"name": 3}]
    }
    path = tmp_path / "tree.json.xz"
    assert write_json(h, path) is None
    assert read_json(path) == h
    assert write_json(Hierarchy([-1], ["\ud800é"])) == '{"name":"\\ud800\\u00e9"}'
    with pytest.raises(DuplicateLeafError, match="once all labels are written as JSON"):
        write_json(Hierarchy.from_nested([1.5, "1.5"]))


# ---------------------------------------------------------------------- anything

keys = st.sampled_from(["name", "children", "id", "nodes", "child_ids", "parent", "length", "a", "b"])
trees = st.recursive(
    st.none() | st.sampled_from(["a", "b", "c", "", 1, 2, True, 0.5]),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(keys, inside, max_size=4),
    max_leaves=20,
)


@given(trees, st.sampled_from([{}, {"name": "a"}, {"children": "nodes"}, {"parent": "first"}, {"labels": "name"}]))
def test_nested_json__any_value(value, options):
    try:
        h = read(value, **options)
    except TripletreeError:
        return
    assert isinstance(h, Hierarchy)


@given(st.data())
def test_nested_json__any_change_of_a_good_file(data):
    text = json.dumps(data.draw(st.sampled_from(SHAPES)))
    at = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(at, min(len(text), at + 5)))
    text = text[:at] + data.draw(st.text(max_size=3)) + text[stop:]
    try:
        assert isinstance(read(text), Hierarchy)
    except TripletreeError:
        return


@pytest.mark.shared
def test_nested_json__audioset(shared):
    path = shared / "hierarchies" / "audioset" / "ontology.json.xz"
    with pytest.raises(NotATreeError, match="37 more"):
        read_json(path)
    h = read_json(path, parent="deepest", labels="name")
    assert h.n_leaves == 474
    assert "Speech synthesizer" in h.leaves
    assert h.n_children[-1] == 7, "as many as there are roots"
