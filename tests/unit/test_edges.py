"""read_edges and write_edges: columns, roots, several parents, lengths and names, and refusals with their places."""

import io
import math

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hierarchies

import tripletree as tt
from tripletree.algorithms import all_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, NotATreeError, ParseError, TripletreeError
from tripletree.interop import from_edge_table
from tripletree.io.edges import edges_ontology, read_edges, write_edges

APES = Hierarchy.from_nested([["human", "chimp"], "loris"])
WHICH = "; give child_column= and parent_column=, which columns hold the children and their parents"
ROWS = [("human", "apes"), ("chimp", "apes"), ("loris", "primates"), ("apes", "primates")]


def text(rows, delimiter=",", header=("child", "parent")):
    lines = [header, *rows] if header else rows
    return io.StringIO("".join(delimiter.join(map(str, row)) + "\n" for row in lines))


def same(a, b):
    """Equal in every respect that a table keeps."""
    assert a == b
    assert list(a.leaves) == list(b.leaves)
    assert np.array_equal(a.parent, b.parent)
    assert (a.names, a.ranks) == (b.names, b.ranks)
    assert (a.length is None) == (b.length is None)
    if a.length is not None:
        np.testing.assert_array_equal(a.length, b.length)


# ---------------------------------------------------------------------- columns


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize(
    "header",
    [
        ("child", "parent"),
        ("Child", "Parent"),
        ("id", "parent_id"),
        ("ID", "parentId"),
        ("#node", "parent"),
        ("taxonID", "parentNameUsageID"),
        ("dwc:taxonID", "dwc:parentNameUsageID"),
        ("subject", "object"),
        ("target", "source"),
        None,
    ],
)
def test_edges__usual_columns(delimiter, header):
    h = read_edges(text(ROWS, delimiter, header))
    assert h == APES
    assert h.names == ("apes", "primates")


def test_edges__networkx_writes_source_and_target():
    graph = nx.DiGraph((p, c) for c, p in ROWS)  # edges lead away from the root
    assert read_edges(nx.to_pandas_edgelist(graph)) == APES


def test_edges__columns_by_name_and_by_place():
    wide = [(k, p, "x", c) for k, (c, p) in enumerate(ROWS)]
    header = ("n", "super", "note", "taxon")
    assert read_edges(text(wide, header=header), child_column="taxon", parent_column="super") == APES
    assert read_edges(text(wide, header=None), child_column=3, parent_column=1) == APES
    assert read_edges(text(wide, header=header), child_column=3, parent_column=1, header=True) == APES
    assert read_edges(text(ROWS, header=("a", "b")), child_column="a") == APES
    assert read_edges(text([(p, c) for c, p in ROWS], header=None), parent_column=0) == APES


def test_edges__a_delimiter_of_ones_own():
    assert read_edges(text(ROWS, " ", None), delimiter=" ") == APES
    with pytest.raises(ParseError, match="one column, expected child and parent; give the delimiter"):
        read_edges(text(ROWS, " ", None))


@pytest.mark.parametrize(
    ("rows", "header", "asked", "message"),
    [
        (ROWS, ("a", "b"), {}, "is this a header. 'a', 'b' occur nowhere else"),
        ([(*x, "y") for x in ROWS], ("a", "b", "c"), {}, WHICH),
        ([(*x, "y") for x in ROWS], ("a", "b", "c"), {"child_column": "a"}, WHICH),
        (ROWS, ("a", "b"), {"child_column": "c"}, "child_column='c' is not a column of this table; it has 'a', 'b'"),
        (ROWS, ("a", "a"), {"child_column": "a"}, "'a' stands 2 times in the header"),
        (ROWS, None, {"child_column": 2}, "child_column=2 is not a column of this table; it has 2 columns"),
        (
            ROWS,
            ("a", "b"),
            {"child_column": "a", "parent_column": "a"},
            "child_column and parent_column are the same column",
        ),
        (
            [(p, c) for c, p in ROWS],
            None,
            {},
            "has repeats, .* if 0 holds children: read_edges\\(path, child_column=0, .*header=False",
        ),
        (
            ROWS,
            ("source", "target"),
            {},
            "has repeats, .* if 'target' holds children: read_edges\\(path, child_column='target'",
        ),
        ([], ("child", "parent"), {}, "no rows below the header"),
    ],
)
def test_edges__columns_that_cannot_be_told(rows, header, asked, message):
    with pytest.raises(ParseError, match=message):
        read_edges(text(rows, header=header), **asked)


# ---------------------------------------------------------------------- roots and parents


@pytest.mark.parametrize("root", [[("primates", "")], [("primates", "primates")], []])
def test_edges__roots(root):
    h = read_edges(text([*root, *ROWS]))
    assert (h, h.names) == (APES, ("apes", "primates"))


def test_edges__several_roots_get_a_node_above():
    h = read_edges(text([*ROWS, ("eel", "fish"), ("ray", "fish")]))
    assert h == Hierarchy.from_nested([[["human", "chimp"], "loris"], ["eel", "ray"]])
    assert h.names == ("apes", "primates", "fish", None)
    assert read_edges(text([("a", ""), ("b", "")])) == Hierarchy.from_nested(["a", "b"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([("primates", ""), ("eel", "fish")], "line 7: the parent 'fish' of 'eel' has no row of its own, .* line 6"),
        ([("primates", ""), ("apes", "")], "line 5: 'apes' has the parent 'primates' here, but none in line 7"),
        ([("primates", "human")], "cycle: ('[a-z]+' -> ){3}"),
        ([("", "primates")], "line 6: no child in this row"),
        ([("eel",)], "line 6: 1 cell where the header has 2"),
        ([("eel", "a", "b")], "line 6: 3 cells where the header has 2"),
        ([("", "")], "line 6: all cells of this row are empty"),
        ([('"eel', "fish")], "line 6: not a table: unexpected end of data"),
    ],
)
def test_edges__rows_that_cannot_be(more, message):
    with pytest.raises(ParseError, match=message):
        read_edges(text([*ROWS, *more]))


def test_edges__several_parents():
    rows = [*ROWS, ("chimp", "pets"), ("pets", "primates"), ("cat", "pets")]
    with pytest.raises(NotATreeError, match="'chimp' has 2 parents: 'apes', 'pets'") as caught:
        read_edges(text(rows))
    assert (caught.value.node, caught.value.parents) == ("chimp", ["apes", "pets"])
    first = Hierarchy.from_nested([["human", "chimp"], "loris", ["cat"]])
    assert read_edges(text(rows), parent="first") == first
    assert read_edges(text(rows + rows), parent="first") == first
    assert edges_ontology(text(rows)).to_hierarchy(parent="first") == first
    with_length = [(*row, k) for k, row in enumerate(rows, 1)]
    h = read_edges(text(with_length, header=("child", "parent", "length")), parent="first")
    assert h.length[h.leaves.index("chimp")] == 2
    with pytest.raises(ParseError, match="cycle"):
        read_edges(text([*rows, ("primates", "cat")]))


def test_edges__types_of_edges_go_to_the_ontology():
    rows = [("a", "is_a", "b"), ("c", "part_of", "b")]
    assert edges_ontology(text(rows, header=("subject", "predicate", "object"))).relations == ("is_a", "part_of")


# ---------------------------------------------------------------------- names, lengths, ranks


FULL = """id,parent_id,name,branch_length,rank
1,,Primates,,order
2,1,Apes,1.5,family
007,2,Homo,2,genus
8,2,Pan,1e-3,genus
9,1,,,
"""


def test_edges__names_lengths_and_ranks():
    h = read_edges(io.StringIO(FULL))
    assert (list(h.leaves), h.names) == (["007", "8", "9"], ("2", "1"))
    assert h.ranks == ("genus", "genus", None, "family", "order")
    np.testing.assert_array_equal(h.length, [2, 0.001, math.nan, 1.5, math.nan])
    named = read_edges(io.StringIO(FULL), labels="name")
    assert (list(named.leaves), named.names) == (["Homo", "Pan", "9"], ("Apes", "Primates"))
    other = read_edges(io.StringIO(FULL), name_column="rank", length_column="id", rank_column="name")
    assert other.length.tolist() == [7, 8, 9, 2, 1]
    assert other.ranks == ("Homo", "Pan", None, "Apes", "Primates")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("10,1,Pongo,x,", "line 7: the length 'x' is not a finite number"),
        ("10,1,Pongo,1e999,", "line 7: the length '1e999' is not a finite number"),
        ("8,2,Pongo,,", "line 7: '8' has two names: 'Pongo' here, 'Pan' above"),
        ("8,2,,5,", "line 7: this edge has two lengths: 5.0 here, 0.001 above"),
    ],
)
def test_edges__rows_that_contradict(row, message):
    with pytest.raises(ParseError, match=message):
        read_edges(io.StringIO(FULL + row + "\n"))


def test_edges__leaves_of_one_name():
    with pytest.raises(DuplicateLeafError, match="take labels='id'"):
        read_edges(io.StringIO(FULL + "10,1,Pan,,\n"), labels="name")


def test_edges__comments_above_quotes_and_line_ends():
    content = '# made by hand\r\n# child, parent\r\n"a, b",r\r\n"say ""x""",r\r\n\r\n'
    assert list(read_edges(io.StringIO(content, newline="")).leaves) == ["a, b", 'say "x"']
    with pytest.raises(ParseError, match="line 5: 1 cell") as caught:
        read_edges(io.StringIO('child,parent\n"a\nb",r\n\nd\n'))
    assert caught.value.line == 5


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", b"\xff\xfe", b"child,parent\n\xff,a\n"])
def test_edges__nothing_to_read(content):
    source = io.StringIO(content) if isinstance(content, str) else io.BytesIO(content)
    with pytest.raises(ParseError):
        read_edges(source)


def test_edges__arguments_are_checked():
    with pytest.raises(ValueError, match="parent must be .*, not 'any'"):
        read_edges(text(ROWS), parent="any")
    with pytest.raises(ValueError, match="labels must be .*, not 'names'"):
        read_edges(text(ROWS), labels="names")


# ---------------------------------------------------------------------- data frames and Parquet


def test_edges__data_frames():
    columns = {"child": [c for c, _ in ROWS] + ["primates"], "parent": [p for _, p in ROWS] + [None]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert read_edges(frame) == APES


def test_edges__whole_numbers_stay_numbers():
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "parent": [None, 1, 1, 2]})
    assert frame["parent"].dtype == float
    h = read_edges(frame)
    assert (list(h.leaves), h.names) == ([3, 4], ("2", "1"))
    assert read_edges(frame.astype({"parent": "Int64"})) == h


def test_edges__data_frames_that_cannot_be():
    with pytest.raises(ParseError, match="row 2: no child in this row"):
        read_edges(pd.DataFrame({"child": ["a", None], "parent": ["r", "r"]}))
    with pytest.raises(ParseError, match="a cell holds list"):
        read_edges(pd.DataFrame({"child": [["a"]], "parent": ["r"]}))
    twice = pd.DataFrame([["a", "r", "x"]], columns=["child", "parent", "parent"])
    with pytest.raises(ParseError, match="2 columns 'parent'"):
        read_edges(twice)
    with pytest.raises(ParseError, match="no rows below"):
        read_edges(pd.DataFrame({"child": [], "parent": []}))


def test_edges__parquet(tmp_path):
    frame = pd.DataFrame(ROWS, columns=["child", "parent"])
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_edges(tmp_path / "t.parquet") == APES
    with pytest.raises(ParseError, match="not a Parquet file"):
        read_edges(io.BytesIO(b"PAR1 and no more"))


# ---------------------------------------------------------------------- writing


def test_edges__inner_nodes_without_a_name_of_their_own():
    h = Hierarchy([3, 3, 4, 5, 5, -1], ["node 5", "b", "c"], names=["b", "up", None])
    out = write_edges(h)
    assert out.splitlines()[0] == "child,parent,name"
    assert "b,node 3,\n" in out
    assert "node 5'" in out
    same(read_edges(io.StringIO(out)), h)
    same(read_edges(io.StringIO(out), labels="name"), h)
    assert read_edges(io.StringIO(out), labels="id").names == ("node 3", "up", "node 5'")


@pytest.mark.parametrize(
    "content",
    [
        "child,parent,name\na,node 1,Ann\nnode 1,,\n",  # a leaf with a name
        "child,parent,name\na,n1,\nn1,,top\n",  # an id that was not made
        "child,parent,label\na,node 1,\nnode 1,,top\n",
        "id,parent,name\na,node 1,\nnode 1,,top\n",
        "child,parent,name,note\na,node 1,,\nnode 1,,top,x\n",
    ],
)
def test_edges__tables_of_others_go_by_their_ids(content):
    h = read_edges(io.StringIO(content))
    assert (list(h.leaves), h.names) == (["a"], (content.splitlines()[2].split(",")[0],))
    ours = "child,parent,name\na,node 1,\nnode 1,,top\n"
    assert read_edges(io.StringIO(ours)).names == ("top",)
    assert read_edges(io.StringIO(ours), child_column="child", parent_column="parent").names == ("node 1",)


@given(hierarchies(unary=True), st.data(), st.sampled_from(["csv", "tsv"]))
def test_edges__written_and_read_back(h, data, kind):
    n, N = h.n_leaves, h.n_nodes
    some = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
    leaves = data.draw(st.lists(some, min_size=n, max_size=n, unique=True))
    names = data.draw(st.lists(st.none() | some | st.sampled_from(leaves), min_size=N - n, max_size=N - n))
    ranks = data.draw(st.none() | st.lists(st.none() | some, min_size=N, max_size=N))
    lengths = data.draw(
        st.none() | st.lists(st.just(math.nan) | st.floats(allow_infinity=False), min_size=N, max_size=N)
    )
    if lengths is not None and all(map(math.isnan, lengths)):
        lengths = None
    h = Hierarchy(h.parent, leaves, names=names, ranks=ranks, length=lengths)
    whole = {"placeholders": False}  # a label of blanks alone is not a taxon
    for options in (whole, {**whole, "labels": "name"}, {**whole, "labels": "id"}):
        found = read_edges(io.StringIO(write_edges(h, format=kind), newline=""), **options)
        assert found == h
        if options.get("labels") != "id":
            same(found, h)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".csv.gz", ".edges"])
def test_edges__files(tmp_path, suffix):
    h = Hierarchy([3, 3, 4, 4, -1], ["1", "b", "c"], names=["in", None], length=[1, 2, math.nan, 0.1, math.nan])
    path = tmp_path / f"t{suffix}"
    assert write_edges(h, path) is None
    same(read_edges(path), h)


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize("label", ["chimp ", " chimp"])
def test_edges__a_label_keeps_its_blanks(tmp_path, suffix, label):
    write_edges(Hierarchy.from_nested([["chimp", label], "loris"]), tmp_path / f"apes.{suffix}")
    assert set(read_edges(tmp_path / f"apes.{suffix}").leaves) == {"chimp", label, "loris"}


def test_edges__what_cannot_be_written():
    with pytest.raises(DuplicateLeafError, match="once all labels are written as text"):
        write_edges(Hierarchy([2, 2, -1], [1, "1"]))
    with pytest.raises(InvalidHierarchyError, match="an empty leaf label"):
        write_edges(Hierarchy([2, 2, -1], ["", "1"]))
    with pytest.raises(InvalidHierarchyError, match="difference of heights"), np.errstate(over="ignore"):
        write_edges(Hierarchy([2, 2, -1], height=[-1.7e308, 0, 1.7e308]))
    with pytest.raises(ValueError, match="format must be .*, not 'xls'"):
        write_edges(APES, format="xls")
    with pytest.raises(ValueError, match="give a path"):
        write_edges(APES, format="parquet")
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        write_edges(ROWS)


def test_edges__one_leaf_alone():
    h = Hierarchy([-1], ["a"])
    assert write_edges(h) == "child,parent\na,\n"
    same(read_edges(io.StringIO(write_edges(h))), h)


# ---------------------------------------------------------------------- any graph, any text


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=12, unique=True))
def test_edges__any_graph_as_networkx_sees_it(rows):
    graph = nx.DiGraph((p, c) for c, p in rows if p != c)
    graph.add_nodes_from(c for c, _ in rows)
    loops = {c for c, p in rows if c == p}
    tree = nx.is_directed_acyclic_graph(graph) and all(k <= 1 for _, k in graph.in_degree)
    if loops:  # they mark roots: then every root must be marked, and none may have a parent
        tree = tree and all((graph.in_degree(u) == 0) == (u in loops) for u in graph)
    try:
        h = read_edges(text(rows))
    except TripletreeError:
        assert not tree
        return
    assert tree
    assert sorted(h.leaves) == sorted(str(u) for u in graph if graph.out_degree(u) == 0)
    for u in range(h.n_nodes):
        if h.label(u) is not None:
            node = int(h.label(u))
            below = {str(x) for x in nx.descendants(graph, node) | {node} if graph.out_degree(x) == 0}
            assert set(h.clade(u)) == below


@pytest.mark.parametrize("gap", ["", "NA", "-", "null"])
def test_edges__an_item_without_parent_or_children_is_open(gap):
    rows = [("a", "x"), ("b", "x"), ("x", "r"), ("c", "r"), ("lost", gap)]
    frame = pd.DataFrame(rows, columns=["child", "parent"])
    files = "child,parent\n" + "".join(f"{x},{y}\n" for x, y in rows)
    for h in (
        read_edges(io.StringIO(files)),
        read_edges(frame),
        from_edge_table(frame),
        from_edge_table(frame.replace(gap, None)),
    ):
        assert h.open_leaves == ["lost"]
        assert [(*sorted(x[:2]), x[2]) for x in all_triplets(h)] == [("a", "b", "c")]
    families = read_edges(io.StringIO("child,parent\na,x\nb,x\nc,y\nd,y\n"))
    assert families.incertae_sedis is None


@given(st.text(st.sampled_from('ab,;\t\n\r"# 1.x|\x00é') | st.characters(), max_size=60), st.booleans())
def test_edges__any_text_is_read_or_refused(content, header):
    try:
        h = read_edges(io.StringIO(("child,parent\n" if header else "") + content, newline=""))
    except TripletreeError:
        return
    assert h.n_leaves >= 1


def test_edges__a_long_chain():
    n = 100_000
    h = read_edges(text([(k, k - 1) for k in range(1, n)]))
    assert (h.n_nodes, list(h.leaves)) == (n, [str(n - 1)])
    assert read_edges(io.StringIO(write_edges(h))) == h


#: The parents 1 and 98 have no rows: 98 may be below 2.
EXTRACT = "taxonID,parentNameUsageID,scientificName\n2,1,Felis\n3,98,F. catus\n4,2,F. silvestris\n5,2,F. chaus\n"


@pytest.mark.parametrize(
    "names", ["taxonID,parentNameUsageID", "AphiaID,parentNameUsageID", "tsn,parent_tsn", "taxonKey,parentKey"]
)
@pytest.mark.parametrize("read", [read_edges, tt.read_ontology])
def test_edges__a_parent_without_a_row_among_taxa_is_open(read, names):
    h = read(io.StringIO(EXTRACT.replace("taxonID,parentNameUsageID", names)))
    assert "2 parents without a row, open therefore: 1, 98" in tt.core.doubts(h)
    assert list(tt.induce(h, [("4", "5", "3")])) == [None]


def test_edges__parents_that_need_no_row():
    for text in (EXTRACT.replace("3,98", "3,1"), EXTRACT.replace("taxonID,parentNameUsageID", "child,parent")):
        h = read_edges(io.StringIO(text))
        assert h.incertae_sedis is None
        assert list(tt.induce(h, [("4", "5", "3")])) == [("4", "5", "3")]


@pytest.mark.parametrize("gap", ["", "NA", "nan", "?", "-", "None", "<NA>", "n/a"])
@pytest.mark.parametrize("door", ["csv", "json", "frame"])
def test_edges__a_gap_is_the_same_in_each_column_of_numbers_and_ids(gap, door):
    """In that of lengths as in that of parents. A name and a rank may be called so."""
    rows = [["1", gap, gap], ["2", "1", "0.5"], ["3", "1", gap], ["4", "2", "2"], ["5", "2", "1,5"]]
    frame = pd.DataFrame(rows, columns=["id", "parent", "length"])
    text = frame.to_csv(index=False) if door == "csv" else frame.to_json(orient="records")
    found = read_edges(frame if door == "frame" else io.StringIO(text))
    assert list(found.leaves) == ["3", "4", "5"]
    assert found.names == ("2", "1")
    np.testing.assert_array_equal(found.length, [np.nan, 2, 1.5, 0.5, np.nan])
