"""Support, open nodes, roots and placeholders in trees of other libraries: there and back, and out of their files."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import hierarchies

from tripletree.core.hierarchy import Hierarchy
from tripletree.interop import from_tree, to_tree
from tripletree.io import parse_newick, read_hierarchy

NAN = float("nan")
LIBRARIES = {"ete3": "ete3", "ete4": "ete4", "dendropy": "dendropy", "skbio": "skbio", "biopython": "Bio.Phylo"}


def theirs(library, text, **options):
    """A Newick text as a library reads it."""
    module = pytest.importorskip(LIBRARIES[library], exc_type=ImportError)
    if library in ("ete3", "ete4"):
        return module.Tree(text, **options)
    if library == "dendropy":
        return module.Tree.get(data=text, schema="newick", **options)
    if library == "skbio":
        return module.TreeNode.read(io.StringIO(text), **options)
    return module.read(io.StringIO(text), options.get("format", "newick"))


@st.composite
def marked(draw):
    h = draw(hierarchies(max_leaves=8, unary=True))
    inner = h.n_nodes - h.n_leaves
    numbers = draw(st.sampled_from([(0.25, 1.0), (98.0, 70.0), (1.0,)]))
    support = draw(st.lists(st.sampled_from([*numbers, NAN]), min_size=inner, max_size=inner))
    opened = [*draw(st.lists(st.booleans(), min_size=h.n_nodes - 1, max_size=h.n_nodes - 1)), False]
    if inner:
        support[-1] = NAN  # nothing is above the root
    labels = [f"t{x}" for x in h.leaves]
    return Hierarchy(h.parent, labels, support=support, incertae_sedis=opened, rooted=draw(st.booleans()))


def supports(h):
    """The support of each clade, those with one child after each other."""
    known = [] if h.support is None else h.support.tolist()
    return sorted((sorted(h.clade(u)), y) for u, y in enumerate(known, h.n_leaves) if y == y)


@pytest.mark.parametrize("library", LIBRARIES)
@given(h=marked())
@settings(max_examples=60)
def test_marks_go_there_and_back(library, h):
    pytest.importorskip(LIBRARIES[library], exc_type=ImportError)
    again = from_tree(to_tree(h, library))
    assert again == h
    assert again.rooted == h.rooted
    assert sorted(again.open_leaves) == sorted(h.open_leaves)
    assert supports(again) == supports(h)


@pytest.mark.parametrize("library", LIBRARIES)
def test_placeholders_and_numbers_of_other_libraries_are_no_names(library):
    pytest.importorskip(LIBRARIES[library], exc_type=ImportError)
    h = parse_newick("((a,b)uncultured,(c,d)X,e)top;", placeholders=False)
    tree = to_tree(h, library)
    assert from_tree(tree).open_leaves == ["a", "b"]
    assert from_tree(tree, placeholders=False) == h
    assert from_tree(tree, placeholders="x").open_leaves == ["a", "b", "c", "d"]
    numbered = from_tree(to_tree(h._but(names=["94.3/99", "100.0:g__X", None]), library))
    assert sorted(map(str, numbered.names)) == ["None", "None", "g__X"]
    assert supports(numbered) == [(["a", "b"], 94.3), (["c", "d"], 100)]
    with pytest.raises(TypeError, match="placeholders must be"):
        from_tree(tree, placeholders=1)
    assert not from_tree(tree, rooted=False).rooted
    with pytest.raises(TypeError, match="rooted must be True, False or None"):
        from_tree(tree, rooted="no")


@pytest.mark.parametrize(
    ("library", "text", "options", "support"),
    [
        ("ete3", "(((a,b)98,c)70,d);", {}, [98, 70, NAN]),
        ("ete3", "(((a,b)98,c)1,d);", {}, [98, NAN, NAN]),
        ("ete3", "(((a,b)0.5,c)1,d);", {}, [0.5, 1, NAN]),
        ("ete3", "(((a,b),c),d);", {}, None),
        ("ete3", "(((a,b)98,c)X,d);", {"format": 1}, [98, NAN, NAN]),
        ("ete3", "(((a:1,b:1):1[&&NHX:B=88],c:1):1,d:1);", {}, [88, NAN, NAN]),
        ("ete4", "(((a,b)98,c)70,d);", {}, [98, 70, NAN]),
        ("ete4", "(((a,b),c),d);", {}, None),
        ("dendropy", "(((a,b)98,c)70,d);", {}, [98, 70, NAN]),
        ("dendropy", "(((a,b)[&prob=0.9,x=3],c)[&posterior=0.5],d);", {}, [0.9, 0.5, NAN]),
        ("dendropy", "(((a,b)'100:g__X',c),d);", {}, [100, NAN, NAN]),
        ("skbio", "(((a,b)98,c)'70:X',d);", {}, [98, 70, NAN]),
        ("biopython", "(((a,b)98,c)X,d);", {}, [98, NAN, NAN]),
        ("biopython", "(((a:1,b:1):1[77],c:1):1[&prob=0.5,y=2],d:1)[0.25];", {}, [77, 0.5, NAN]),
    ],
)
def test_support_that_a_library_has_read(library, text, options, support):
    h = from_tree(theirs(library, text, **options))
    assert h == parse_newick("(((a,b),c),d);")
    if support is None:
        assert h.support is None
    else:
        found = {frozenset(h.clade(u)): y for u, y in enumerate(h.support, h.n_leaves)}
        np.testing.assert_array_equal([found[frozenset(x)] for x in ("ab", "abc", "abcd")], support)


def test_support_that_skbio_assigned():
    tree = theirs("skbio", "(((a,b)98,c)'70:X',d);")
    tree.assign_supports()
    h = from_tree(tree)
    assert set(h.names) == {None, "X"}
    assert sorted(x for x in h.support if x == x) == [70, 98]


@pytest.mark.parametrize(
    ("library", "flag", "rooted"),
    [
        *(("dendropy", "[&U] ", False), ("dendropy", "[&R] ", True), ("dendropy", "", True)),
        *(("biopython", "[&U] ", True), ("biopython", "", True), ("skbio", "", True), ("ete3", "", True)),
    ],
)
def test_roots_that_a_library_knows(library, flag, rooted):
    tree = theirs(library, flag + "((a,b),c,d);")
    assert from_tree(tree).rooted is rooted
    part = next(iter(tree.seed_node.child_node_iter())) if library == "dendropy" else None
    assert part is None or from_tree(part).rooted


PHYLOXML = (
    '<phyloxml xmlns="http://www.phyloxml.org"><phylogeny rooted="{}"><clade><clade>'
    '<confidence type="bootstrap">89</confidence><confidence type="probability">.5</confidence>'
    "<clade><name>a</name></clade><clade><name>b</name></clade></clade><clade><name>c</name>"
    '<property ref="tripletree:incertae_sedis" datatype="xsd:boolean" applies_to="clade">true</property></clade>'
    "<clade><name>d</name></clade></clade></phylogeny></phyloxml>"
)


@pytest.mark.parametrize("rooted", ["true", "false"])
def test_phyloxml_by_biopython_is_phyloxml(rooted):
    phylo = pytest.importorskip("Bio.Phylo")
    text = PHYLOXML.format(rooted)
    h = from_tree(phylo.read(io.StringIO(text), "phyloxml"))
    assert h == read_hierarchy(io.StringIO(text))
    assert h.rooted is (rooted == "true")
    assert h.open_leaves == ["c"]
    assert h.support[0] == 89


def test_marks_of_open_nodes_go_through_files_of_biopython_and_dendropy():
    h = parse_newick("((a,b)[&incertae_sedis=1],c[&incertae_sedis=1],d);")
    phylo = pytest.importorskip("Bio.Phylo")
    out = io.StringIO()
    phylo.write(to_tree(h, "biopython"), out, "newick")
    assert parse_newick(out.getvalue()) == h
    assert from_tree(phylo.read(io.StringIO(out.getvalue()), "newick")) == h
    pytest.importorskip("dendropy")
    text = to_tree(h, "dendropy").as_string("newick", suppress_annotations=False)
    assert parse_newick(text) == h


def test_marks_of_open_nodes_go_through_files_of_ete3():
    pytest.importorskip("ete3", exc_type=ImportError)
    h = parse_newick("((a:1,b:1)[&incertae_sedis=1]:1,c[&incertae_sedis=1]:1,d:1);")
    text = to_tree(h, "ete3").write(features=["incertae_sedis"])
    assert parse_newick(text) == h
