"""PhyloXML and NeXML: clades, nodes and edges, refusals with their places, deep trees, arbitrary input."""

import io
from functools import partial

import numpy as np
import pytest
from examples import balanced, caterpillar
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import ParseError, TripletreeError
from tripletree.io.nexml import read_nexml
from tripletree.io.phyloxml import read_phyloxml
from tripletree.io.registry import read_hierarchies

phyloxmls = partial(read_hierarchies, format="phyloxml")
nexmls = partial(read_hierarchies, format="nexml")


def phylo(text, **kwargs):
    return read_phyloxml(io.BytesIO(text.encode()), **kwargs)


def ne(text, **kwargs):
    return read_nexml(io.BytesIO(text.encode()), **kwargs)


PHYLO = """<?xml version="1.0" encoding="UTF-8"?>
<phyloxml xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://www.phyloxml.org"
    xsi:schemaLocation="http://www.phyloxml.org http://www.phyloxml.org/1.10/phyloxml.xsd">
  <!-- a comment -->
  <phylogeny rooted="true"><name>apes</name><description>name</description>
    <clade><name>r</name>
      <clade branch_length="2"><confidence type="bootstrap">89</confidence>
        <clade><name> A </name><branch_length>6</branch_length>
          <taxonomy><id provider="ncbi">9606</id><code>HUMAN</code><scientific_name>Homo sapiens</scientific_name>
            <common_name>human</common_name><rank>species</rank></taxonomy>
          <sequence><name>hbb</name></sequence><property>x</property></clade>
        <clade branch_length="6"><name>B</name><branch_length/>
          <taxonomy><code>PANTR</code><scientific_name>Pan troglodytes</scientific_name><rank>species</rank></taxonomy>
          <taxonomy><code>OTHER</code></taxonomy></clade>
        <taxonomy><scientific_name>Hominini</scientific_name><rank>tribe</rank></taxonomy>
      </clade>
      <clade branch_length="8"><name>C</name>
        <taxonomy><code>GORGO</code><scientific_name>Gorilla</scientific_name></taxonomy></clade>
    </clade>
    <clade_relation id_ref_0="a" id_ref_1="b" type="x"/>
  </phylogeny>
  <phylogeny rooted="false"><clade><clade><name>x</name></clade><clade><name>y</name></clade></clade></phylogeny>
</phyloxml>
"""


def test_phyloxml__what_is_read_of_a_clade():
    (name, h), (none, other) = phyloxmls(io.StringIO(PHYLO))
    assert (name, none) == ("apes", None)
    assert list(h.leaves) == ["A", "B", "C"]
    assert h == Hierarchy.from_nested([["A", "B"], "C"])
    assert h.names == (None, "r")
    assert h.length.tolist()[:4] == [6, 6, 8, 2]
    assert np.isnan(h.length[4])
    assert h.ranks == ("species", "species", None, "tribe", None)
    assert not other.rooted
    assert list(other.leaves) == ["x", "y"]
    assert other.ranks is None
    assert other.length is None


def test_phyloxml__which_label():
    h = phylo(PHYLO, tree="apes", labels="scientific_name")
    assert list(h.leaves) == ["Homo sapiens", "Pan troglodytes", "Gorilla"]
    assert h.names == ("Hominini", None)
    assert list(phylo(PHYLO, tree=0, labels="code").leaves) == ["HUMAN", "PANTR", "GORGO"]
    with pytest.raises(
        ParseError, match="this leaf has no id; labels='name' gives each leaf one of its own, here 'B'"
    ) as error:
        phylo(PHYLO, tree=0, labels="id")
    assert (error.value.line, error.value.column) == (12, 9)
    for labels in ("common_name", "sequence"):
        with pytest.raises(ParseError, match=f"this leaf has no {labels}"):
            phylo(PHYLO, tree=0, labels=labels)
    with pytest.raises(ValueError, match="labels must be one of 'name', .* not 'label'"):
        phylo(PHYLO, labels="label")


def test_phyloxml__which_tree():
    assert phylo(PHYLO, tree=1) == phylo(PHYLO, tree=-1)
    assert phylo(PHYLO, tree=1, rooted=True) == Hierarchy.from_nested(["x", "y"])
    with pytest.raises(ParseError, match=r"2 trees in it \(0: 'apes', 1\) where one is expected.* read_hierarchies"):
        phylo(PHYLO)
    with pytest.raises(ParseError, match="there is no tree 'x'"):
        phylo(PHYLO, tree="x")
    assert phyloxmls(io.StringIO("<phyloxml/>")) == []
    with pytest.raises(ParseError, match="no tree in it"):
        phylo("<phyloxml/>")


def clades(inner):
    return f"<phyloxml><phylogeny>\n{inner}\n</phylogeny></phyloxml>"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "no element found"),
        ("<a/>", 1, 1, "starts with the element phyloxml, and this is 'a'"),
        ("<phyloxml>\n<phylogeny>", 2, 12, "no element found|not well-formed|no well-formed"),
        ("<phyloxml>\n<phylogeny><clade></phylogeny></phyloxml>", 2, 21, "mismatched tag"),
        ("<phyloxml>\n<phylogeny/></phyloxml>", 2, 1, "has no clade"),
        (clades("<clade><clade><name>a</name></clade>\n<clade/></clade>"), 3, 1, "has no name; no other kind of label"),
        (clades("<clade><clade><name>a</name></clade>\n<clade><name>a</name></clade></clade>"), 3, 1, "'a' has occ"),
        (clades("<clade><name>a</name></clade>\n<clade/>"), 3, 1, "a clade belongs in another clade, or alone"),
        (clades("<clade><name>a</name>\n<x><clade/></x></clade>"), 3, 4, "a clade belongs in another clade"),
        (clades("<clade>\n<clade branch_length='1,5'/></clade>"), 3, 1, "'1,5' is not a finite number"),
        (clades("<clade><name>a</name>\n<branch_length>1e999</branch_length></clade>"), 3, 1, "'1e999' is no"),
        (clades("<clade branch_length='1'>\n<branch_length>2</branch_length></clade>"), 3, 1, "but the attribute"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]>\n<phyloxml/>", 1, None, "DOCTYPE"),
    ],
)  # fmt: skip
def test_phyloxml__refused_with_the_place(text, line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        phyloxmls(io.BytesIO(text.encode()))
    assert error.value.line == line
    assert column is None or error.value.column == column


NE = """<?xml version="1.0"?>
<nex:nexml xmlns:nex="http://www.nexml.org/2009" xmlns="http://www.nexml.org/2009"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="0.9">
  <otus id="O"><otu id="t1" label="human"/><otu id="t2" label="chimp"><meta/></otu><otu id="t3"/></otus>
  <trees id="T" otus="O">
    <tree id="tree1" label="apes" xsi:type="nex:FloatTree">
      <node id="a" otu="t1"/><node id="r" root="true"/><node id="x" label="Hominini"/>
      <node id="b" otu="t2"/><node id="c" otu="t3" label="no"/><node id="d" label="orang"/>
      <rootedge id="e0" target="r" length="1"/>
      <edge id="e1" source="x" target="a" length="6"/><edge id="e2" source="x" target="b" length="6e0"/>
      <edge id="e3" source="r" target="c" length="8"/><edge id="e4" source="r" target="x"/>
      <edge id="e5" source="r" target="d" length="9"/>
    </tree>
    <tree id="tree2" xsi:type="nex:IntTree"><node id="a" otu="t1"/></tree>
    <network id="net"><node id="a" otu="t1"/></network>
  </trees>
</nex:nexml>
"""


def test_nexml__what_is_read_of_a_tree():
    h = ne(NE, tree="apes")
    assert list(h.leaves) == ["human", "chimp", "t3", "orang"]
    assert h == Hierarchy.from_nested([["human", "chimp"], "t3", "orang"])
    assert h.names == ("Hominini", None)
    assert [None if x != x else x for x in h.length.tolist()] == [6, 6, 8, 9, None, 1]
    assert list(ne(NE, tree="tree2").leaves) == ["human"]
    with pytest.raises(ParseError, match="this is a network") as error:
        ne(NE, tree="net")
    assert error.value.line == 15
    with pytest.raises(ParseError, match="3 trees in it"):
        ne(NE)
    with pytest.raises(ParseError, match="this is a network"):
        nexmls(io.StringIO(NE))
    cut = NE.replace('<network id="net"><node id="a" otu="t1"/></network>', "")
    assert [name for name, _ in nexmls(io.StringIO(cut))] == ["apes", "tree2"]


def tree(inner):
    return f"<nexml><trees><tree id='t'>\n{inner}\n</tree></trees></nexml>"


AB = "<node id='r'/><node id='a' label='a'/><node id='b' label='b'/>"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("<a/>", 1, 1, "starts with the element nexml, and this is 'a'"),
        (tree(""), 1, 15, "has no nodes"),
        (tree("<node/>"), 2, 1, "a node without id"),
        (tree("<node id='a'/>\n<node id='a'/>"), 3, 1, "the node 'a' has occurred before"),
        (tree("<node id='a'/>"), 2, 1, "neither an otu nor a label"),
        (tree("<node id='a' otu='x'/>"), 2, 1, "there is no otu 'x'"),
        ("<nexml><otus><otu/></otus></nexml>", 1, 14, "an otu without id"),
        ("<nexml><otus><otu id='a'/><otu id='a'/></otus></nexml>", 1, 27, "the otu 'a' has occurred before"),
        (tree(AB), 2, 15, "3 nodes have no edge into them, 'r' and this one first"),
        (tree(AB + "\n<edge source='r' target='x'/>"), 3, 1, "the target of this edge, 'x', is not a node"),
        (tree(AB + "\n<edge source='r'/>"), 3, 1, "an edge without target"),
        (tree(AB + "\n<edge source='r' target='a' length='x'/>"), 3, 1, "'x' is not a finite number"),
        (tree(AB + "<edge source='r' target='a'/>\n<edge source='b' target='a'/>"), 3, 1,
         "a second edge into node 'a', from 'b'; the first is from 'r'"),
        (tree("<node id='a'/><node id='b'/><edge source='a' target='b'/><edge source='b' target='a'/>"), 1, 15,
         "an edge into every node"),
        (tree("<node id='r' label='r'/>\n<node id='a'/><node id='b'/><edge source='a' target='b'/>"
              "<edge source='b' target='a'/>"), 3, None, "run in a cycle"),
        (tree("<node id='r'/>\n<node id='a' label='a' root='true'/><edge source='r' target='a'/>"), 3, 1,
         "marked as root, but there is an edge into it, and none into 'r'"),
        (tree(AB.replace("'b'", "'c'").replace("label='c'", "label='a'")
              + "<edge source='r' target='a'/><edge source='r' target='c'/>"), 2, 39, "'a' has occurred before"),
    ],
)  # fmt: skip
def test_nexml__refused_with_the_place(text, line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        nexmls(io.StringIO(text))
    assert error.value.line == line
    assert column is None or error.value.column == column


# ---------------------------------------------------------------------- sizes


def as_phyloxml(h):
    """Leaf i is named ti."""
    out, todo = ["<phyloxml><phylogeny>"], [h.root]
    while todo:
        u = todo.pop()
        if u < 0:
            out.append("</clade>")
        elif u < h.n_leaves:
            out.append(f"<clade><name>t{u}</name></clade>")
        else:
            out.append("<clade>")
            todo += [-1, *h.children(u).tolist()]
    return "".join([*out, "</phylogeny></phyloxml>"])


def as_nexml(h):
    nodes = "".join(f"<node id='{u}' label='t{u}'/>" for u in range(h.n_nodes))
    edges = "".join(f"<edge source='{p}' target='{u}'/>" for u, p in enumerate(h.parent[:-1].tolist()))
    return f"<nexml><trees><tree>{nodes}{edges}</tree></trees></nexml>"


@pytest.mark.slow
@pytest.mark.parametrize("made", [balanced, caterpillar])
def test_phyloxml__a_hundred_thousand_leaves(made):
    h = made(100_000)
    h = Hierarchy(h.parent, [f"t{u}" for u in range(h.n_leaves)])
    assert phylo(as_phyloxml(h)) == h


@pytest.mark.slow
@pytest.mark.parametrize("made", [balanced, caterpillar])
def test_nexml__a_hundred_thousand_leaves(made):
    h = made(100_000)
    h = Hierarchy(h.parent, [f"t{u}" for u in range(h.n_leaves)])
    assert ne(as_nexml(h), rooted=True) == h


# ---------------------------------------------------------------------- anything


@given(st.sampled_from([(phyloxmls, PHYLO), (nexmls, NE)]), st.data())
def test_phyloxml__any_change_of_a_good_file(reader, data):
    read, text = reader
    at = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(at, min(len(text), at + 8)))
    text = text[:at] + data.draw(st.text(max_size=3)) + text[stop:]
    for source in (io.StringIO(text), io.BytesIO(text.encode("utf-8", "surrogatepass"))):
        try:
            trees = read(source)
        except TripletreeError:
            continue
        assert all(isinstance(h, Hierarchy) for _, h in trees)


parts = st.sampled_from(["<clade>", "</clade>", "<clade/>", "<name>a</name>", "<name>b</name>", "<taxonomy>",
    "</taxonomy>", "<rank>x</rank>", "<branch_length>1</branch_length>", "<phylogeny>", "</phylogeny>"])  # fmt: skip


@given(st.lists(parts, max_size=12).map("".join))
def test_phyloxml__any_pieces(text):
    for whole in (f"<phyloxml>{text}</phyloxml>", clades(text), clades(f"<clade>{text}</clade>")):
        try:
            assert isinstance(phylo(whole), Hierarchy)
        except TripletreeError:
            continue


@given(st.integers(1, 5), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6), st.integers(0, 9))
def test_nexml__any_graph(n, edges, root):
    mark = {root: "root='true'"}
    nodes = "".join(f"<node id='{u}' label='{u}' {mark.get(u, '')}/>" for u in range(n))
    text = tree(nodes + "".join(f"<edge source='{p}' target='{u}'/>" for p, u in edges))
    try:
        h = ne(text)
    except TripletreeError:
        h = None
    children = {u for _, u in edges}
    tops = set(range(n)) - children
    reached, todo = set(), list(tops)
    while todo:
        u = todo.pop()
        if u not in reached:
            reached.add(u)
            todo += [v for p, v in edges if p == u]
    is_tree = (
        len(edges) == len(children) == n - 1 == len(children & set(range(n)))
        and all(p < n for p, _ in edges)
        and reached == set(range(n))
        and (root >= n or root in tops)
    )
    assert (h is not None) == is_tree
    if h is not None:
        assert h.n_nodes == n


TWO_BLOCKS = """<nexml>
<otus id="A"><otu id="t1" label="human"/><otu id="t2" label="chimp"/></otus>
<otus id="B"><otu id="t1" label="cat"/><otu id="t3" label="lion"/></otus>
<trees{}><tree id="x"><node id="r"/><node id="a" otu="t1"/><node id="b" otu="{}"/>
<edge source="r" target="a"/><edge source="r" target="b"/></tree></trees></nexml>"""


@pytest.mark.parametrize(
    ("block", "other", "leaves"),
    [
        (' otus="A"', "t2", ["human", "chimp"]),
        (' otus="B"', "t3", ["cat", "lion"]),
        (' otus="B"', "t2", ["cat", "chimp"]),
    ],
)
def test_nexml__several_otus(block, other, leaves):
    text = TWO_BLOCKS.format(block, other)
    assert list(read_nexml(io.StringIO(text)).leaves) == leaves


def test_nexml__an_otu_of_several_blocks_without_a_choice():
    with pytest.raises(ParseError, match="line 4, .* the otu 't1' has several labels, 'human', 'cat', .*<trees otus="):
        read_nexml(io.StringIO(TWO_BLOCKS.format("", "t2")))
    same = TWO_BLOCKS.replace('label="cat"', 'label="human"').format("", "t3")
    assert list(read_nexml(io.StringIO(same)).leaves) == ["human", "lion"]
