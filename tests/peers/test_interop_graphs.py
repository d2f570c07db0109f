"""To networkx and Graphviz DOT and back, beside networkx's own answers and pydot's reading."""

import sys

import networkx as nx
import numpy as np
import pytest
from examples import zoo
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_cases import dressed, exactly, large

from tripletree.errors import (
    DuplicateLeafError,
    InvalidHierarchyError,
    MissingDependencyError,
    NotATreeError,
    ParseError,
    TripletreeError,
    UnknownLeafError,
)
from tripletree.hierarchy import Hierarchy
from tripletree.interop import from_dot, from_networkx, to_dot, to_networkx
from tripletree.triplets import TripletSet

ZOO = [pytest.param(h, id=name) for name, h in zoo()]

# ---------------------------------------------------------------------- networkx


@given(dressed())
@settings(max_examples=80)
def test_networkx__there_and_back_to_the_last_number(h):
    assert exactly(from_networkx(to_networkx(h))) == exactly(h)
    assert exactly(from_networkx(to_networkx(h).reverse(), direction="up")) == exactly(h)


@given(dressed(st.text(max_size=4)))
@settings(max_examples=60)
def test_networkx__there_and_back_by_labels(h):
    graph = to_networkx(h, keys="label")
    assert set(h.leaves) <= set(graph)
    assert exactly(from_networkx(graph)) == exactly(h)


@pytest.mark.parametrize("h", ZOO)
def test_networkx__its_clades_and_distances_are_ours(h):
    h = Hierarchy(h.parent, h.leaves, length=np.arange(1.0, h.n_nodes + 1))
    graph = to_networkx(h)
    assert nx.is_arborescence(graph) or h.n_nodes == 1
    for u in range(h.n_nodes):
        below = {u} | nx.descendants(graph, u)
        assert {graph.nodes[x]["label"] for x in below if graph.out_degree(x) == 0} == set(h.clade(u))
    far = nx.single_source_dijkstra_path_length(graph, h.root, weight="length")
    assert np.allclose([far[u] for u in range(h.n_nodes)], h.height.max() - h.height)
    assert graph.nodes[h.root]["length"] == h.n_nodes


def test_networkx__by_hand():
    h = Hierarchy(
        [3, 3, 4, 4, -1],
        ["a", "b", "c"],
        length=[1, 2, np.nan, 4, np.nan],
        names=["ab", None],
        ranks=["x"] + [None] * 4,
    )
    graph = to_networkx(h, keys="label")
    assert dict(graph.nodes.items()) == {
        "a": {"label": "a", "rank": "x"}, "b": {"label": "b"}, "c": {"label": "c"}, "ab": {"name": "ab"}, 4: {},
    }  # fmt: skip
    assert sorted(graph.edges(data="length"), key=str) == [
        ("ab", "a", 1.0), ("ab", "b", 2.0), (4, "ab", 4.0), (4, "c", None),
    ]  # fmt: skip
    twice = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], names=["c", "top"])
    assert list(to_networkx(twice, keys="label")) == ["a", "b", "c", 3, "top"]


def test_networkx__graphs_of_others():
    edges = [("root", "ab"), ("ab", "a"), ("ab", "b"), ("root", 7)]
    h = from_networkx(nx.DiGraph(edges))
    assert list(h.leaves) == ["a", "b", 7]
    assert h.names == ("ab", "root")
    weighted = nx.DiGraph()
    weighted.add_weighted_edges_from([(*e, k) for k, e in enumerate(edges)], weight="far")
    assert from_networkx(weighted, length="far").length.tolist()[:4] == [1, 2, 3, 0]
    labelled = nx.DiGraph([(0, 1), (0, 2)])
    nx.set_node_attributes(labelled, {0: "top", 1: "left", 2: "right"}, "label")
    assert from_networkx(labelled).label(2) == "top"
    assert list(from_networkx(labelled).leaves) == ["left", "right"]
    assert list(from_networkx(labelled, label=None).leaves) == [1, 2]
    assert from_networkx(labelled, name=None).names is None
    assert from_networkx(nx.balanced_tree(2, 3, create_using=nx.DiGraph)).n_leaves == 8
    assert from_networkx(nx.bfs_tree(nx.path_graph(4), 0)).leaves.labels == (3,)
    assert from_networkx(nx.MultiDiGraph(edges)) == h


def test_networkx__any_label_by_number():
    h = Hierarchy.from_nested(["", None, (1, "x"), 2.5])
    assert exactly(from_networkx(to_networkx(h))) == exactly(h)


def test_networkx__the_graph_is_left_as_it_was():
    graph = to_networkx(large(100)[1][1])
    before = graph.copy()
    from_networkx(graph)
    assert nx.utils.graphs_equal(graph, before)


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in large()])
def test_networkx__deeper_than_the_stack(h):
    assert exactly(from_networkx(to_networkx(h))) == exactly(h)


@pytest.mark.parametrize(
    ("edges", "error", "said"),
    [
        ([], InvalidHierarchyError, "this graph has no nodes"),
        ([("a", "b"), ("b", "c"), ("c", "b")], NotATreeError, "node 'b' of this graph has 2 parents: 'a', 'c'; if its"),
        ([("b", "c"), ("c", "d"), ("d", "b")], InvalidHierarchyError, "a cycle of 3: 'b' -> 'd' -> 'c' -> 'b'"),
        ([("a", "a")], InvalidHierarchyError, "a cycle of 1: 'a' -> 'a'"),
        ([("a", "b"), ("c", "d")], InvalidHierarchyError, "this graph has 2 roots: 'a', 'c'; a hierarchy has one"),
        ([("a", "b"), ("c", "d"), ("d", "c")], InvalidHierarchyError, "a cycle of 2"),
        ([("a", "top"), ("b", "top")], NotATreeError, "say direction='up'"),
    ],
)
def test_networkx__what_is_no_tree_is_refused(edges, error, said):
    with pytest.raises(error, match=said):
        from_networkx(nx.DiGraph(edges))


def test_networkx__what_else_is_refused(monkeypatch):
    with pytest.raises(TypeError, match="which has no root: take networkx.bfs_tree"):
        from_networkx(nx.path_graph(3))
    with pytest.raises(TypeError, match="expected a networkx.DiGraph, not list"):
        from_networkx([("a", "b")])
    with pytest.raises(ValueError, match="direction is 'left'"):
        from_networkx(nx.DiGraph([(0, 1)]), direction="left")
    with pytest.raises(InvalidHierarchyError, match="several edges join 'a' and 'b'"):
        from_networkx(nx.MultiDiGraph([("a", "b"), ("a", "b")]))
    with pytest.raises(InvalidHierarchyError, match="length of the node 1 in this graph is 'far'"):
        from_networkx(nx.DiGraph([(0, 1, {"length": "far"})]))
    with pytest.raises(InvalidHierarchyError, match="label None, which cannot be a key"):
        to_networkx(Hierarchy.from_nested(["a", None]), keys="label")
    with pytest.raises(NotATreeError) as caught:
        from_networkx(nx.DiGraph([("x", "a"), ("y", "a"), ("x", "y")]))
    assert (caught.value.node, caught.value.parents) == ("a", ["x", "y"])
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingDependencyError, match="networkx"):
        to_networkx(Hierarchy.from_nested(["a", "b"]))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=9))
def test_networkx__any_graph_is_an_arborescence_or_refused(edges):
    graph = nx.DiGraph(edges)
    try:
        h = from_networkx(graph)
    except TripletreeError:
        assert not edges or not nx.is_arborescence(graph)
    else:
        assert nx.is_arborescence(graph)
        assert h.n_nodes == len(graph)


# ---------------------------------------------------------------------- DOT


@given(
    dressed(
        st.text(max_size=6) | st.sampled_from(['"', "\\", '\\"', "a\\", "\\N", "<b>", "&amp;", "&", "\r\n", "node"])
    )
)
@settings(max_examples=150)
def test_dot__there_and_back(h):
    assert exactly(from_dot(to_dot(h))) == exactly(h)


@given(dressed())
@settings(max_examples=40)
def test_dot__labels_come_back_as_strings(h):
    texts = [str(x) for x in h.leaves]
    if len(set(texts)) < len(texts):
        with pytest.raises(DuplicateLeafError, match="once all labels are written as text"):
            to_dot(h)
        return
    again = from_dot(to_dot(h))
    assert list(again.leaves) == texts
    assert np.array_equal(again.parent, h.parent)


def test_dot__by_hand():
    h = from_dot(
        r"""
        /* a comment { */ strict DiGraph "of \"apes\"" { // another }

# a line of the preprocessor [
        rankdir = LR  node [shape=box, color="#ff0000"]; edge [bold]
        graph [label="all"]
        top -> "Homo sapiens":n:sw [length=6.5] [color=red];
        top -> Pan -> { chimp; bonobo } [length=2];
        bonobo -> "-.5"
        subgraph cluster_1 { top; -.5 }
        chimp [label="Pan\ntroglodytes \N &lt;1&gt; &unknown; \"x\" \\"];
        bonobo [label=<<b>Pan</b> paniscus>]
        "-.5" [label="jo" + "in" + "ed"]
        Pan [label=""]
        }
        """
    )
    assert list(h.leaves) == ["Homo sapiens", 'Pan\ntroglodytes chimp <1> &unknown; "x" \\', "joined"]
    assert set(h.names) == {"<<b>Pan</b> paniscus>", None, "top"}
    assert h == Hierarchy.from_nested(["Homo sapiens", [h.leaves[1], ["joined"]]])
    assert h.length[0] == 6.5
    assert h.length[1] == 2
    assert np.isnan(h.length[h.root])


def test_dot__labels_that_others_draw():
    assert list(from_dot('digraph{a->b;a->c;b[label="x\\ly\\r"]}').leaves) == ["x\ny\n", "c"]
    assert from_dot('digraph "g" {"a\\\nb"}').leaves.labels == ("ab",)
    assert from_dot("digraph {é -> ß; é -> _1}").leaves.labels == ("ß", "_1")
    assert from_dot("digraph {a -> b ; b -> {c d} ; b -> e}") == Hierarchy.from_nested([["c", "d", "e"]])
    assert from_dot("digraph {a -> b c a -> c}") == Hierarchy.from_nested(["b", "c"])


def test_dot__triplets_are_drawn_and_passed_over():
    h = Hierarchy.from_nested([["human", "chimp"], "gorilla"])
    triplets = TripletSet.from_labels([("human", "chimp", "gorilla"), ("human", "gorilla", "chimp")])
    text = to_dot(h, triplets=triplets)
    lines = [line for line in text.splitlines() if "class=triplet" in line]
    shown, broken = sorted(lines, key=lambda line: "dashed" in line)
    assert shown.split("[")[0].split() == ["1", "->", "0"]  # chimp and human, each by its number
    assert 'label="| gorilla", style=solid' in shown
    assert 'label="| chimp", style=dashed' in broken
    assert exactly(from_dot(text)) == exactly(h)
    with pytest.raises(UnknownLeafError):
        to_dot(h, triplets=TripletSet.from_labels([("a", "b", "c")]))


@pytest.mark.filterwarnings("ignore")  # pydot's of pyparsing
@pytest.mark.parametrize("h", [h for h in ZOO if h.values[0].n_nodes < 70])
def test_dot__pydot_reads_the_same_graph(h):
    pydot = pytest.importorskip("pydot")
    h = Hierarchy(h.parent, [f'a "{x}" \\' for x in h.leaves], length=np.arange(1.0, h.n_nodes + 1))
    (graph,) = pydot.graph_from_dot_data(to_dot(h))
    assert {(int(e.get_source()), int(e.get_destination())) for e in graph.get_edges()} == {
        (int(p), u) for u, p in enumerate(h.parent[:-1])
    }
    labels = {x.get_name(): x.get_label() for x in graph.get_nodes() if x.get_name().isdigit()}
    assert [labels[str(u)] for u in range(h.n_leaves)] == [
        '"' + x.replace("\\", "\\\\").replace('"', '\\"') + '"' for x in h.leaves
    ]


def test_dot__what_pydot_writes_is_read():
    pydot = pytest.importorskip("pydot")
    h = Hierarchy.from_nested([["a", "b"], ["c"], "d e"])
    text = pydot.Dot("g", graph_type="digraph")
    for u in range(h.n_nodes):
        text.add_node(pydot.Node(str(u), label='"' + (h.label(u) or "") + '"'))
    for u, p in enumerate(h.parent[:-1]):
        text.add_edge(pydot.Edge(str(p), str(u)))
    assert from_dot(text.to_string()) == h


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in large()])
def test_dot__deeper_than_the_stack(h):
    assert exactly(from_dot(to_dot(h))) == exactly(h)


def test_dot__texts_that_would_grow_are_refused():
    def deep(k):
        return "digraph {a -> " + "{" * k + "b" + "}" * k + "}"

    assert from_dot(deep(400)).leaves.labels == ("b",)
    with pytest.raises(ParseError, match="braces in more than 500 braces"):
        from_dot(deep(100_000))
    many = " ".join(f"n{i}" for i in range(20_000))
    with pytest.raises(NotATreeError, match="node 'x' of this graph has 20000 parents: 'n0', 'n1', .*, ..."):
        from_dot(f"digraph {{ {{{many}}} -> {{x {many}}} }}")


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("graph { a -- b }", (1, 1), "an undirected graph has no root"),
        ("", (1, 1), "'digraph' is wanted here, not the end of the text"),
        ("(a,b);", (1, 1), "'digraph' is wanted here, not '\\('"),
        ("digraph g [", (1, 11), "'{' is wanted here, not '\\['"),
        ("digraph g {\n a -> b\n", (2, 8), "a node or '}' is wanted here, not the end"),
        ("digraph { a -> ; }", (1, 16), "the '->' before this ';' has no node behind it"),
        ("digraph { a -> }", (1, 16), "the '->' before this '}' has no node"),
        ("digraph { -> a }", (1, 11), "this '->' has no node before it"),
        ("digraph { a -- b }", (1, 13), "not '--'"),
        ("digraph {\n a [x=1; y=] }", (2, 12), "a value is wanted here, not '\\]'"),
        ("digraph { [x=1] }", (1, 11), "these attributes have no node"),
        ("digraph { {a b} [x=1] }", (1, 17), "a subgraph has no attributes"),
        ('digraph { a -> "b }', (1, 16), 'not a " that does not close'),
        ("digraph { a -> <b }", (1, 16), "not a < that does not close"),
        ("digraph { a -> 1b }", (1, 16), "a node is wanted"),
        ("digraph { a } digraph { b }", (1, 15), "something stands behind the graph"),
        ("digraph { a # b\n}", (1, 13), "'#'"),
        ("digraph { a }\n#\nb", (3, 1), "something stands behind"),
        ("digraph { node a }", (1, 16), "'\\[' is wanted after 'node', not 'a'"),
        ("digraph { subgraph s a }", (1, 22), "'{' is wanted"),
        ('digraph { "a" + b }', (1, 17), "a string in quotes is wanted after '\\+'"),
    ],
)
def test_dot__bad_text_is_refused_with_its_place(text, place, said):
    with pytest.raises(ParseError, match=said) as caught:
        from_dot(text)
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("digraph {}", InvalidHierarchyError, "this graph has no nodes"),
        ("digraph { a -> b; c -> b }", NotATreeError, "node 'b' of this graph has 2 parents: 'a', 'c'"),
        ("digraph { a -> b -> a }", InvalidHierarchyError, "cycle of 2"),
        ("digraph { a; b }", InvalidHierarchyError, "2 roots: 'a', 'b'"),
        ("digraph { a -> b [length=far] }", InvalidHierarchyError, "length of the node 'b' in this graph is 'far'"),
        ("digraph { a -> {b c} b [label=x] c [label=x] }", DuplicateLeafError, "'x'"),
    ],
)
def test_dot__what_is_no_tree_is_refused(text, error, said):
    with pytest.raises(error, match=said):
        from_dot(text)
    with pytest.raises(TypeError, match="expected DOT text, not bytes"):
        from_dot(text.encode())


PIECES = st.sampled_from(
    ["digraph", "{", "}", "a", "b", "c", "->", "--", ";", "[", "]", "=", ",", '"', "label", "<", ">", "\\", "/*", "*/"]
    + ["//", "\n", " ", "#", "+", ":", "subgraph", "node", "-1.5", ".", "é", "length", '"x"', "digraph {"]
)


@given(st.lists(PIECES, max_size=20).map(" ".join) | st.text(max_size=30) | st.lists(PIECES, max_size=12).map("".join))
@settings(max_examples=300)
def test_dot__any_text_is_read_or_refused(text):
    for whole in (text, "digraph {" + text + "}"):
        try:
            h = from_dot(whole)
        except TripletreeError:
            continue
        assert exactly(from_dot(to_dot(h))) == exactly(h)
