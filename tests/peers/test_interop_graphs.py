"""To networkx and Graphviz DOT and back, beside networkx's own answers and pydot's reading."""

import gzip
import io
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from examples import zoo
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_cases import dressed, exactly, large, optional

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    DuplicateLeafError,
    InvalidHierarchyError,
    MissingDependencyError,
    NotATreeError,
    ParseError,
    TripletreeError,
    UnknownLeafError,
)
from tripletree.interop import (
    from_dot,
    from_networkx,
    ontology_from_networkx,
    ontology_to_networkx,
    to_dot,
    to_networkx,
)
from tripletree.io.dot import read_dot
from tripletree.io.obo import read_obo

CELL_TYPES = Path(__file__).parents[2] / "sample_hierarchies" / "cell_types.obo"
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
        ([("a", "top"), ("b", "top")], NotATreeError, "give direction='up'"),
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


# ---------------------------------------------------------------------- networkx, several parents

PETS = [("pet", "cat"), ("pet", "goldfish"), ("fish", "goldfish"), ("animal", "pet"), ("animal", "fish")]


def test_networkx__a_parent_is_chosen():
    graph = nx.DiGraph(PETS, name="pets")
    graph["pet"]["goldfish"]["length"], graph["fish"]["goldfish"]["length"] = 1.0, 2.0
    nx.set_node_attributes(graph, {"animal": "ANIMAL", "fish": "FISH"}, "name")
    nx.set_node_attributes(graph, {"goldfish": "Carassius"}, "label")
    nx.set_node_attributes(graph, {"animal": "kingdom"}, "rank")
    first = from_networkx(graph, parent="first")
    assert first == Hierarchy.from_nested([["cat", "Carassius"]])
    assert first.names == (None, "ANIMAL")  # a fish without fishes has gone
    assert first.ranks == (None, None, None, "kingdom")
    assert optional(first.length, 4) == [None, 1, None, None]
    smallest = from_networkx(graph.reverse(), direction="up", parent="smallest")
    assert smallest == Hierarchy.from_nested([["cat"], ["Carassius"]])
    assert optional(smallest.length, 5)[:2] == [None, 2]
    with pytest.raises(
        NotATreeError, match=r"choose one with parent='deepest', 'first' or 'smallest', .*ontology_from"
    ):
        from_networkx(graph)
    with pytest.raises(ValueError, match="parent must be one of .* not 'last'"):
        from_networkx(graph, parent="last")
    with pytest.raises(InvalidHierarchyError, match="cycle"):
        from_networkx(nx.DiGraph([("x", "a"), ("y", "a"), ("a", "x")]), parent="first")
    with pytest.raises(InvalidHierarchyError, match="this graph has no nodes"):
        from_networkx(nx.DiGraph(), parent="first")


def test_networkx__with_a_choice_roots_are_joined_and_edges_count_once():
    two = from_networkx(nx.DiGraph([("x", "a"), ("y", "a"), ("y", "b"), (7, "b")]), parent="first")
    assert two == Hierarchy.from_nested([["a"], ["b"]])
    assert two.names == ("x", "y", None)
    twice = nx.MultiDiGraph([("r", "a", {"length": 1.0}), ("r", "a", {"length": 2.0}), ("r", "b")])
    assert optional(from_networkx(twice, parent="first").length, 3) == [1, None, None]


@given(dressed(), st.sampled_from(["deepest", "first", "smallest"]))
@settings(max_examples=40)
def test_networkx__of_a_tree_every_choice_is_the_tree(h, parent):
    assert exactly(from_networkx(to_networkx(h), parent=parent)) == exactly(h)


@given(st.data(), st.sampled_from(["deepest", "first", "smallest"]))
@settings(max_examples=100)
def test_networkx__the_choice_is_that_of_the_ontology(data, parent):
    pairs = st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda e: e[0] < e[1])
    keys = data.draw(st.permutations("abcdefgh"))
    graph = nx.DiGraph()
    graph.add_nodes_from(data.draw(st.permutations(keys)))
    graph.add_edges_from((keys[x], keys[y]) for x, y in data.draw(st.lists(pairs, max_size=14)))
    ontology = ontology_from_networkx(graph, direction="down")
    want = ontology.to_hierarchy(parent=parent)
    got = from_networkx(graph, parent=parent)
    assert got == want
    assert list(got.leaves) == list(want.leaves) == [x for x in graph if graph.out_degree(x) == 0]
    assert sorted(map(str, got.names or ())) == sorted(map(str, want.names or ()))


def test_networkx__graphs_of_obonet():
    obonet = pytest.importorskip("obonet", reason="obonet is not installed")
    graph = obonet.read_obo(CELL_TYPES)
    ontology = ontology_from_networkx(graph)
    ours = read_obo(CELL_TYPES, relations=set(ontology.relations))
    assert set(ontology.relations) > {"is_a"}
    assert ontology == ours
    assert {x: ontology.name(x) for x in graph} == {x: ours.name(x) for x in graph}
    is_a = ontology.select(relations="is_a")
    assert is_a == read_obo(CELL_TYPES)
    again = ontology_to_networkx(ontology)
    assert set(again.edges(keys=True)) == set(graph.edges(keys=True))
    assert dict(again.nodes(data="name")) == dict(graph.nodes(data="name"))
    with pytest.raises(NotATreeError, match="parent='deepest'"):
        from_networkx(graph, direction="up")
    for parent in ("deepest", "first", "smallest"):
        h = from_networkx(graph, direction="up", parent=parent)
        assert h == ontology.to_hierarchy(parent=parent)
        names = {graph.nodes[x]["name"] for x in graph} | {None}
        assert set(h.names) <= names


@st.composite
def ontologies(draw):
    """Ontologies of up to seven terms, with names, ranks and types of edges, or without."""
    N = draw(st.integers(1, 7))
    ids = draw(st.permutations(["a", "b c", "", 4, 5.5, ("x", 1), "id:7"]))[:N]
    pairs = [(c, p) for c in range(N) for p in range(c)]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=9)) if pairs else []
    values = {
        "relations": draw(st.lists(st.sampled_from(["is_a", "part of"]), min_size=len(edges), max_size=len(edges)))
    }
    for what in ("names", "ranks"):
        texts = draw(st.lists(st.none() | st.sampled_from(["", "x", "y z"]), min_size=N, max_size=N))
        values[what] = texts if any(x is not None for x in texts) else None
    return Ontology(ids, np.array(edges, np.int64).reshape(-1, 2), **values)


@given(ontologies())
@settings(max_examples=60)
def test_networkx__an_ontology_there_and_back(ontology):
    graph = ontology_to_networkx(ontology)
    assert graph.number_of_edges() == len(ontology.edges)
    for again in (ontology_from_networkx(graph), ontology_from_networkx(graph.reverse(), direction="down")):
        assert again == ontology
        assert (list(again.terms), again.names, again.ranks) == (list(ontology.terms), ontology.names, ontology.ranks)
    assert ontology_from_networkx(graph).parents(ontology.terms[-1]) == ontology.parents(ontology.terms[-1])


def test_networkx__types_of_edges():
    graph = nx.DiGraph([("fin", "fish", {"relation": "part_of"}), ("cod", "fish", {"how": "kind_of"})])
    assert ontology_from_networkx(graph).relations == ("part_of", "is_a")
    assert ontology_from_networkx(graph, relation="how").relations == ("is_a", "kind_of")
    assert ontology_from_networkx(graph, relation=None).relations == ("is_a", "is_a")
    assert ontology_from_networkx(nx.MultiDiGraph(graph)).relations == ("part_of", "is_a")  # keys are numbers
    assert ontology_from_networkx(graph, name=None, rank=None).names is None
    with pytest.raises(TypeError, match="expected a networkx.DiGraph, not Graph"):
        ontology_from_networkx(nx.path_graph(3))
    with pytest.raises(InvalidHierarchyError, match="this graph has no nodes"):
        ontology_from_networkx(nx.DiGraph())
    with pytest.raises(InvalidHierarchyError, match="cycle"):
        ontology_from_networkx(nx.DiGraph([("a", "b"), ("b", "a")]))
    with pytest.raises(TypeError, match="expected an Ontology, got Hierarchy; to_networkx is for it"):
        ontology_to_networkx(Hierarchy.from_nested(["a", "b"]))
    with pytest.raises(InvalidHierarchyError, match="a term is None"):
        ontology_to_networkx(Ontology([None, "a"], [(1, 0)]))


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


def test_dot__files_are_read(tmp_path):
    h = Hierarchy.from_nested([["human", "chimp"], "gorilla"])
    path = tmp_path / "apes.dot"
    path.write_text(to_dot(h), encoding="utf-8")
    packed = tmp_path / "apes.gv.gz"
    packed.write_bytes(gzip.compress(to_dot(h).encode()))
    for source in (path, str(path), packed, io.StringIO(to_dot(h)), io.BytesIO(to_dot(h).encode())):
        assert exactly(read_dot(source)) == exactly(h)
    other = io.StringIO('digraph { r -> a [far=1]; r -> b [far=2]; a [called="A" level="x"] }')
    dressed = read_dot(other, label="called", length="far", rank="level")
    assert (list(dressed.leaves), optional(dressed.length, 3)[:2], dressed.ranks[0]) == (["A", "b"], [1, 2], "x")
    path.write_text("digraph {\n a -> ; }")
    with pytest.raises(ParseError, match=r"apes\.dot, line 2, column 7: the '->' before") as caught:
        read_dot(path)
    assert caught.value.path == str(path)
    with pytest.raises(FileNotFoundError):
        read_dot(tmp_path / "none.dot")
    with pytest.raises(TypeError, match="expected DOT text, not StringIO; to read a file use read_dot"):
        from_dot(io.StringIO("digraph {a}"))
    with pytest.raises(TypeError, match="expected DOT text, not PosixPath; to read a file use read_dot"):
        from_dot(path)
    for name in (str(path), str(packed), "a.gv"):
        with pytest.raises(ParseError, match="is the name of a file, not DOT text; to read a file use read_dot"):
            from_dot(name)


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
        ("", (1, 1), "expected 'digraph', got the end of the text"),
        ("(a,b);", (1, 1), "expected 'digraph', got '\\('"),
        ("digraph g [", (1, 11), "expected '{', got '\\['"),
        ("digraph g {\n a -> b\n", (2, 8), "expected a node or '}', got the end"),
        ("digraph { a -> ; }", (1, 16), "the '->' before this ';' has no node behind it"),
        ("digraph { a -> }", (1, 16), "the '->' before this '}' has no node"),
        ("digraph { -> a }", (1, 11), "this '->' has no node before it"),
        ("digraph { a -- b }", (1, 13), "got '--'"),
        ("digraph {\n a [x=1; y=] }", (2, 12), "expected a value, got '\\]'"),
        ("digraph { [x=1] }", (1, 11), "these attributes have no node"),
        ("digraph { {a b} [x=1] }", (1, 17), "a subgraph has no attributes"),
        ('digraph { a -> "b }', (1, 16), 'got a " that does not close'),
        ("digraph { a -> <b }", (1, 16), "got a < that does not close"),
        ("digraph { a -> 1b }", (1, 16), "expected a node"),
        ("digraph { a } digraph { b }", (1, 15), "something follows the graph"),
        ("digraph { a # b\n}", (1, 13), "'#'"),
        ("digraph { a }\n#\nb", (3, 1), "something follows"),
        ("digraph { node a }", (1, 16), "expected '\\[' after 'node', got 'a'"),
        ("digraph { subgraph s a }", (1, 22), "expected '{'"),
        ('digraph { "a" + b }', (1, 17), "expected a string in quotes after '\\+'"),
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
