"""What files of trees say beside the tree: roots, support, open nodes, networks, several trees, odd lengths."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hierarchies

import tripletree as tt
from tripletree import Hierarchy, parse_newick, write_newick
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, NotATreeError, ParseError
from tripletree.io import (
    join_hierarchies,
    read_hierarchies,
    read_hierarchy,
    read_ontology,
    read_support,
    write_hierarchy,
)

NAN = float("nan")


def nexus(tree, head=""):
    return f"#NEXUS\nbegin trees;\n{head}tree t = {tree}\nend;\n"


def read(text, **options):
    return read_hierarchy(io.StringIO(text), **options)


PHYLOXML = (
    '<phyloxml><phylogeny rooted="{}"><clade><clade><name>a</name></clade><clade><name>b</name></clade>'
    "<clade><name>c</name></clade></clade></phylogeny></phyloxml>"
)
NEXML = (
    '<nexml><trees><tree id="t"><node id="r"{}/><node id="a" label="a"/><node id="b" label="b"/>'
    '<node id="c" label="c"/><edge source="r" target="a"/><edge source="r" target="b"/>'
    '<edge source="r" target="c"/></tree></trees></nexml>'
)


# ---------------------------------------------------------------------- roots


@pytest.mark.parametrize(
    ("unrooted", "rooted"),
    [
        ("[&U] (a,b,c);", "[&R] (a,b,c);"),
        (" [ &u ](a,b,c);", "(a,b,c);"),
        (nexus("[&U] (a,b,c);"), nexus("[&R] (a,b,c);")),
        (nexus("(a,b,c);").replace("tree t", "utree t"), nexus("(a,b,c);")),
        (PHYLOXML.format("false"), PHYLOXML.format("true")),
        (NEXML.format(""), NEXML.format(' root="true"')),
        ('{"rooted":false,"children":["a","b","c"]}', '{"children":["a","b","c"]}'),
    ],
)
def test_a_tree_without_a_root_gives_no_triplet_until_it_has_one(unrooted, rooted):
    h = read(unrooted)
    assert not h.rooted
    assert read(rooted).rooted
    with pytest.raises(InvalidHierarchyError, match="unrooted"):
        tt.induce(h, [("a", "b", "c")])
    assert read(unrooted, rooted=True) == read(rooted) == Hierarchy.from_nested(["a", "b", "c"])
    assert read(rooted, rooted=False) == h
    asked = read(unrooted, outgroup=["c"])
    assert asked == read(unrooted, outgroup="c") == h.reroot("c") == Hierarchy.from_nested([["a", "b"], "c"])


def test_flags_belong_to_their_own_trees():
    text = "(a,b,c);[&U](a,b,c);\n[&R] (a,b,c); [x] [&U] [y] (a,b,c);"
    assert [h.rooted for _, h in read_hierarchies(io.StringIO(text))] == [True, False, True, False]
    every = read_hierarchies(io.StringIO(text), outgroup="a")
    assert all(h == Hierarchy.from_nested(["a", ["b", "c"]]) for _, h in every)


def test_the_root_of_a_tree_of_numbers_and_of_any_format():
    assert read("(1,2,(3,4));", outgroup=1) == read("(1,2,(3,4));", outgroup=["1"])
    lines = "child,parent\na,x\nb,x\nx,top\nc,top\nd,top\n"
    assert read(lines, outgroup="a") == Hierarchy.from_nested(["a", ["b", ["c", "d"]]])
    assert read("(a:1,(b:1,(c:1,d:9):1):1);", outgroup="midpoint").reroot("d") == read("(((a,b),c),d);")
    with pytest.raises(ValueError, match="rooted=False leaves a tree without a root"):
        read("(a,b);", outgroup="a", rooted=False)
    with pytest.raises(TypeError, match="rooted must be True, False or None"):
        read("(a,b);", rooted="yes")


# ---------------------------------------------------------------------- marks are written and read back


@given(hierarchies(max_leaves=8, unary=True), st.data())
def test_open_nodes_and_roots_come_back(h, data):
    opened = data.draw(st.lists(st.booleans(), min_size=h.n_nodes, max_size=h.n_nodes))
    opened[-1] = False
    length = data.draw(st.sampled_from([None, np.where(np.arange(h.n_nodes) % 3, 1.5, NAN)]))
    names = [f"n{u} " for u in range(h.n_nodes - h.n_leaves)] if data.draw(st.booleans()) else None
    labels = [f"t{x}" for x in h.leaves]
    rooted = data.draw(st.booleans())
    h = Hierarchy(h.parent, labels, length=length, names=names, incertae_sedis=opened, rooted=rooted)
    for form in ("newick", "nexus", "json"):
        again = read_hierarchy(io.StringIO(write_hierarchy(h, format=form)), format=form)
        assert again == h, form
        assert again.open_leaves == h.open_leaves or set(again.open_leaves) == set(h.open_leaves)
    support = np.arange(h.n_nodes - h.n_leaves, dtype=float)
    again, found = read_support(io.StringIO(write_newick(h, support=support)))
    assert again == h
    assert sorted(found) == sorted(support)


def test_the_mark_of_open_nodes():
    h = Hierarchy([4, 4, 5, 5, 5, -1], list("abcd"), length=[1, 2, 3, 4, 5, NAN], incertae_sedis=[2, 4])
    text = "((a:1,b:2)[&incertae_sedis=1]:5,c[&incertae_sedis=1]:3,d:4);"
    assert write_newick(h) == text
    dendropy = pytest.importorskip("dendropy")
    theirs = tt.interop.from_tree(dendropy.Tree.get(data=text, schema="newick"))
    assert theirs == h
    xml = (
        '<phyloxml><phylogeny rooted="true"><clade><clade><clade><name>a</name></clade><clade><name>b</name></clade>'
        '<property ref="tripletree:incertae_sedis" datatype="xsd:boolean" applies_to="clade">true</property></clade>'
        "<clade><name>c</name></clade></clade></phylogeny></phyloxml>"
    )
    assert read(xml).incertae_sedis.tolist() == [False, False, False, True, False]


# ---------------------------------------------------------------------- support and lengths


@pytest.mark.parametrize(
    ("text", "names", "support"),
    [
        ("(((a,b)94.3/99:1,c)80/75,d);", None, [94.3, 80, NAN]),
        ("(((a,b):1[&&NHX:S=human:D=Y:B=88],c[&&NHX:B=3]),d)[&&NHX:D=N];", None, [88, NAN, NAN]),
        ("(((a,b)'[q1=0.57;q2=0.2;q3=0.2;pp1=0.97;pp2=0.01]':1,c),d);", None, [0.97, NAN, NAN]),
        ("(((a,b)'100.0:g__X':1,c)'f__Y',d);", ("g__X", "f__Y", None), [100, NAN, NAN]),
        ("(((a,b)'Bacillus(98)',c)'Bacilli(100)',d);", ("Bacillus", "Bacilli", None), [98, 100, NAN]),
        ("(((a,b):0.98:0.25,c):1:2,d);", None, [0.98, 1, NAN]),
        ("(((a,b):0.25:97:0.5,c),d);", None, [97, NAN, NAN]),
        ("[0.25](((a,b)7,c),d)[0.5];", None, [7, NAN, NAN]),
    ],
)  # fmt: skip
def test_support_is_no_name(text, names, support):
    for given_text in (text, nexus(text)):
        h, found = read_support(io.StringIO(given_text))
        assert h == parse_newick("(((a,b),c),d);")
        assert h.names == names
        np.testing.assert_array_equal(found, support)


def test_the_second_number_of_a_branch():
    text = "(((a,b)94.3/99,c)80,d);"
    assert read_support(io.StringIO(text), part=1)[1][0] == 99
    assert read_support(io.StringIO(text), part=-1)[1].tolist()[:2] == [99, 80]


def test_support_moves_with_its_branch():
    text = "(a,(b,((c,d)90,e)80)70);"
    h, support = read_support(io.StringIO(text), outgroup=["c", "d"])
    assert h == Hierarchy.from_nested([["c", "d"], ["e", ["a", "b"]]])
    named = {frozenset(h.clade(u)): s for u, s in enumerate(support.tolist(), h.n_leaves)}
    assert named[frozenset("cd")] == named[frozenset("abe")] == 90
    assert named[frozenset("ab")] == 80
    assert {h.label(u) for u in range(h.n_leaves, h.n_nodes)} == {None}
    # the same as moving the labels, then reading them
    again, same = read_support(io.StringIO(write_newick(parse_newick(text).reroot(["c", "d"]))))
    assert again == h
    assert sorted(map(repr, same)) == sorted(map(repr, support))


def test_confidence_of_phyloxml():
    inside = '<confidence type="bootstrap">{}</confidence><clade><name>a</name></clade><clade><name>b</name></clade>'
    xml = f"<phyloxml><phylogeny><clade><clade>{inside}</clade><clade><name>c</name></clade></clade></phylogeny>"
    xml += "</phyloxml>"
    h, support = read_support(io.StringIO(xml.format("89")))
    assert h == Hierarchy.from_nested([["a", "b"], "c"])
    np.testing.assert_array_equal(support, [89, NAN])
    two = xml.format("89").replace("<clade><name>a", '<confidence type="posterior">.5</confidence><clade><name>a')
    assert read_support(io.StringIO(two), keys="posterior")[1][0] == 0.5
    with pytest.raises(ParseError, match="confidence 'x' is not a number"):
        read_support(io.StringIO(xml.format("x")))


@pytest.mark.parametrize("word", ["nan", "NaN", "NA", "n/a", "inf", "-Inf", "null", "?"])
def test_lengths_that_are_not_known(word):
    h = parse_newick(f"((a:1,b:2):{word},c:3);")
    np.testing.assert_array_equal(h.length, [1, 2, 3, NAN, NAN])
    assert parse_newick(f"((a:{word},b:{word}):{word},c:{word});").length is None


def test_support_before_the_length():
    np.testing.assert_array_equal(parse_newick("((a:1,b:2):0.9:0.004,c:3);").length, [1, 2, 3, 0.004, NAN])
    with pytest.raises(ParseError, match="column 9: 4 numbers behind one node"):
        parse_newick("((a,b):1:2:3:4,c);")
    with pytest.raises(ParseError, match="2 numbers behind one node: expected a length, or support and length"):
        parse_newick("((a,b):1:,c);")


def test_decimal_commas():
    text = "((x:0,12,y:0,5):0,3,z:1,25);"
    with pytest.raises(ParseError, match=r"the length 0\.12 with a decimal comma, or the length 0 and a leaf '12'"):
        parse_newick(text)
    h = parse_newick(text, decimal=",")
    np.testing.assert_array_equal(h.length, [0.12, 0.5, 1.25, 0.3, NAN])
    assert parse_newick(text, decimal=".").n_leaves == 7
    assert read(nexus(text), decimal=",") == h
    assert parse_newick("(1:3,2:4,3:5);").n_leaves == 3
    assert parse_newick("(a:3,2,b:4.5);").n_leaves == 3, "a point is no comma"
    partly = Hierarchy([3, 3, 3, -1], ["x", "2", "3"], length=[1, NAN, 4, NAN])
    assert parse_newick(write_newick(partly)) == partly
    with pytest.raises(ValueError, match="decimal must be"):
        parse_newick("(a,b);", decimal=";")


def test_weights_of_trees_are_no_json():
    text = "[0.5000]((a,b),c)[0.5000];\n((a,c),b)[0.5];\n"
    assert tt.io.recognize(io.StringIO(text)) == "newick"
    assert [h.n_leaves for _, h in read_hierarchies(io.StringIO(text))] == [3, 3]
    assert tt.io.recognize(io.StringIO("[1, 2]")) == "json"


def test_brackets_in_labels_are_told_to_be_comments():
    with pytest.raises(ParseError, match=r"column 9: '\.2' right after a comment in a label: square brackets are com"):
        parse_newick("(rice[3].2,ath[4].1);")


# ---------------------------------------------------------------------- NEXUS


def test_double_quotes_in_translate():
    text = nexus("((1,2),(3,4));", 'translate 1 "Tip 1", 2 "it\'s; two", 3 \'c\', 4 5"x;\n')
    with pytest.raises(ParseError):
        read(text)  # a quote that does not enclose a label hides nothing
    text = nexus("((1,2),(3,4));", 'translate 1 "Tip 1", 2 "it\'s", 3 \'c "d"\', 4 e;\n')
    assert list(read(text).leaves) == ["Tip 1", "it's", 'c "d"', "e"]


def test_commas_between_taxa_are_no_taxa():
    head = "begin taxa; taxlabels a, b, 'c,d'; end;\n"
    text = nexus("((1,3),2);").replace("#NEXUS\n", "#NEXUS\n" + head)
    assert read(text) == Hierarchy.from_nested([["a", "c,d"], "b"])


def test_a_tree_without_its_command_is_not_passed_over():
    with pytest.raises(ParseError, match="a ';' in the middle of a TREE command"):
        read("#NEXUS\nbegin trees;\ntree x = (a,b);\n(c,d);\nend;")


# ---------------------------------------------------------------------- networks


@pytest.mark.parametrize(
    "text",
    [
        "((a,(b)#H1)x,(#H1,c)y);",
        "((a:1,(b:1)#H1:2::0.7)x,(#H1:0::0.3,c)y);",
        "((a,(b)h#LGT2)x,(h#LGT2,c)y);",
        nexus("((a,(b)#H1)x,(#H1,c)y);"),
    ],
)
def test_a_network_is_an_ontology_and_no_tree(text):
    with pytest.raises(NotATreeError, match="a network, in which .* has several parents"):
        read(text)
    found = read_ontology(io.StringIO(text))
    assert set(found.leaves) == {"a", "b", "c"}
    assert sorted(found.parents("#H1" if "#H1" in found.terms else "h")) == ["x", "y"]
    assert tt.induce(found, [("a", "b", "c")]).odd.tolist() == [-1]
    assert read(text, parent="first").suppress_unary() == Hierarchy.from_nested([["a", "b"], "c"])


def test_a_hybrid_leaf_and_nodes_of_one_name():
    found = read_ontology(io.StringIO("((a,b#H1)x,(b#H1,c)x,d);"))
    assert set(found.leaves) == {"a", "b", "c", "d"}
    assert len(found.parents("b")) == 2
    with pytest.raises(ParseError, match="every node has one parent: read_hierarchy reads it"):
        read_ontology(io.StringIO("((a,b),c);"))


@pytest.mark.parametrize("label", ["Sample#H1a", "Sample#H1", "#H1", "x#1", "a#H"])
def test_a_label_without_a_partner_is_a_label(label):
    h = read(f"((a,{label}),c);")
    assert list(h.leaves) == ["a", label, "c"]
    assert list(read("((Sample#H1,b),Other#H1);").leaves) == ["Sample#H1", "b", "Other#H1"]


# ---------------------------------------------------------------------- several trees


def test_which_tree_of_several():
    text = "((a,b),c);\n((a,c),b);\n"
    assert read(text, tree=0) == Hierarchy.from_nested([["a", "b"], "c"])
    assert read(text, tree=-1) == parse_newick(text, tree=1) == Hierarchy.from_nested([["a", "c"], "b"])
    with pytest.raises(ParseError, match="2 trees where one is expected, the second from here: choose one with tree=0"):
        read(text)
    with pytest.raises(ParseError, match=r"there is no tree 2; 2 trees in it \(0, 1\)"):
        read(text, tree=2)
    assert read_support(io.StringIO("((a,b)1,c);((a,c)7,b);"), tree=1)[1][0] == 7


def test_families_are_joined_under_one_root():
    text = "((a:1,b:2)x:3,c:4)F;\n(d,(e)y);\nf;\n[&U](g,h,i)'98';"
    with pytest.raises(InvalidHierarchyError, match="unrooted"):
        read(text, join=True)
    h = read(text, join=True, rooted=True)
    assert h == Hierarchy.from_nested([[["a", "b"], "c"], ["d", ["e"]], "f", ["g", "h", "i"]])
    assert write_newick(h) == "(((a:1,b:2)x:3,c:4)F,(d,(e)y),f,(g,h,i)98);"
    named = "#NEXUS\nbegin trees;\ntree Uralic = (a,b);\ntree 'Na-Dene' = ((c,d)x,e);\nend;"
    assert write_newick(read(named, join=True)) == "((a,b)Uralic,((c,d)x,e)Na-Dene);"
    with pytest.raises(DuplicateLeafError, match="'a' is in trees 0 and 1.*supertree combines"):
        read("(a,b);(a,c);", join=True)
    with pytest.raises(ValueError, match="give one of the two"):
        read(text, join=True, tree=1)
    with pytest.raises(ValueError, match="give at least one"):
        join_hierarchies([])


def test_joined_hierarchies_keep_what_they_know():
    one = Hierarchy(
        [2, 2, -1], ["a", "b"], names=["F"], ranks=["s", None, "f"], incertae_sedis=[1], synonyms={"z": "a"}
    )
    two = Hierarchy([2, 2, -1], ["c", "d"], length=[1, 2, NAN])
    h = join_hierarchies([one, two], names=["no", "G"])
    assert h.open_leaves == ["b"]
    assert h.names == ("F", "G", None)
    assert h.ranks == ("s", None, None, None, "f", None, None)
    np.testing.assert_array_equal(h.length, [NAN, NAN, 1, 2, NAN, NAN, NAN])
    assert dict(h.synonyms) == {"z": "a"}
