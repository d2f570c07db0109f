"""NEXUS: blocks, TRANSLATE, comments and names, refusals with their places, trees of any depth."""

import io
from functools import partial

import numpy as np
import pytest
from examples import balanced, caterpillar
from hypothesis import given
from hypothesis import strategies as st
from strategies import hierarchies

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, ParseError, TripletreeError
from tripletree.io.nexus import read_nexus, write_nexus, write_nexus_all
from tripletree.io.registry import read_hierarchies

nexus_trees = partial(read_hierarchies, format="nexus")


def read(text, **kwargs):
    return read_nexus(io.StringIO(text), **kwargs)


def read_all(text, **kwargs):
    return dict(nexus_trees(io.StringIO(text), **kwargs))


FILE = """#NEXUS
[ a comment; with a semicolon ]
Begin TAXA;
  Dimensions ntax=4;
  TaxLabels human chimp 'Gorilla gorilla' Pongo_pygmaeus;
End;
BEGIN characters;
  matrix human 'A;B' chimp [x [nested] ;] 01;
END;
begin Trees;
  Title 'two trees';
  Translate 1 human, 2 chimp, g 'Gorilla gorilla', 4 Pongo_pygmaeus,;
  tree * one [!note] = [&R] (((1:6[&rate=1],2:6)100:2,g:8)ape:7,4:15);
  UTREE 'the ''second'' one' = [&U] ((human,chimp),'Gorilla gorilla',Pongo_pygmaeus)4;
ENDBLOCK;
"""


def test_nexus__a_file_with_all_of_it():
    trees = read_all(FILE)
    assert list(trees) == ["one", "the 'second' one"]
    one = trees["one"]
    assert list(one.leaves) == ["human", "chimp", "Gorilla gorilla", "Pongo_pygmaeus"]
    assert one == Hierarchy.from_nested([[["human", "chimp"], "Gorilla gorilla"], "Pongo_pygmaeus"])
    assert one.names == (None, "ape", None)
    np.testing.assert_array_equal(one.support, [100, np.nan, np.nan])
    assert one.length.tolist()[:6] == [6, 6, 8, 15, 2, 7]
    other = trees["the 'second' one"]
    assert not other.rooted
    assert list(other.leaves) == ["human", "chimp", "Gorilla gorilla", "Pongo_pygmaeus"]
    assert read(FILE, tree=1, rooted=True) == Hierarchy.from_nested(
        [["human", "chimp"], "Gorilla gorilla", "Pongo_pygmaeus"]
    )
    assert other.names is None
    assert other.support[-1] == 4, "a label of an inner node is not a taxon"


def test_nexus__which_tree():
    assert read(FILE, tree="one") == read(FILE, tree=0) == read_all(FILE)["one"]
    assert read(FILE, tree=-1) == read(FILE, tree="the 'second' one")
    with pytest.raises(ParseError, match=r"2 trees in it \(0: 'one', 1: \"the .*use read_hierarchies"):
        read(FILE)
    for wrong in ("two", 2, -3):
        with pytest.raises(ParseError, match="there is no tree .*; 2 trees in it"):
            read(FILE, tree=wrong)
    with pytest.raises(TypeError, match="tree must be a name, a position"):
        read(FILE, tree=True)
    twice = "#NEXUS begin trees; tree x = (a,b); tree x = (a,c); end;"
    with pytest.raises(ParseError, match="2 trees are named 'x'"):
        read(twice, tree="x")
    assert [name for name, _ in nexus_trees(io.StringIO(twice))] == ["x", "x"]
    with pytest.raises(ParseError, match="no tree in it"):
        read("#NEXUS\nbegin taxa; end;")
    assert read_all("#nexus") == {}


def test_nexus__only_the_wanted_tree_is_read():
    text = "#NEXUS begin trees; tree x = (a,b); tree y = (a,a); end;"
    assert list(read(text, tree="x").leaves) == ["a", "b"]
    with pytest.raises(ParseError, match="'a' has occurred before, at line 1, column 47"):
        read(text, tree="y")


def test_nexus__labels_stand_for_keys_then_taxa_then_numbers():
    head = "#NEXUS begin taxa; taxlabels a b 1; end; begin trees; "
    with pytest.raises(ParseError, match="'1' has occurred before"):
        read(head + "tree x = (1,2,3); end;")  # the taxon named 1, and the third one
    assert list(read(head + "tree x = (1,2,9); end;").leaves) == ["1", "b", "9"]
    assert list(read(head + "translate 2 zwei, b 2; tree x = (1,2,b); end;").leaves) == ["1", "zwei", "2"]
    two = "#NEXUS begin taxa; taxlabels a b; end; begin taxa; taxlabels c d; end; begin trees; tree x = (1,2); end;"
    assert list(read(two).leaves) == ["1", "2"], "of which block is not told"


def test_nexus__each_block_has_its_own_table():
    text = (
        "#NEXUS begin trees; translate 1 a, 2 b; tree x = (1,2); end; "
        "begin TREES; translate 1 c, 2 d; tree y = (1,2); end; begin trees; tree z = (1,2); end;"
    )
    assert {name: list(h.leaves) for name, h in read_all(text).items()} == {
        "x": ["a", "b"], "y": ["c", "d"], "z": ["1", "2"],
    }  # fmt: skip


def test_nexus__underscores():
    text = "#NEXUS begin trees; translate k_1 Homo_sapiens; tree my_tree = (k_1,'k_1',c_d); end;"
    with pytest.raises(ParseError, match="'Homo_sapiens' has occurred"):
        read(text)
    h = read(text, underscores="blank", tree="my tree")
    assert list(h.leaves) == ["Homo sapiens", "k_1", "c d"]
    with pytest.raises(ValueError, match="underscores must be"):
        read(text, underscores="drop")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("((a,b),c);", 1, 1, "starts with '#NEXUS'"),
        ("#NEXUSX\n", 1, 1, "starts with '#NEXUS'"),
        ("#NEXUS\nbegin trees;\ntree x = ((a,b),c;\nend;", 3, 10, r"'\(' is not closed before the tree ends \("),
        ("#NEXUS\nbegin trees;\ntree x = (a,b);\n", 2, 1, "the block 'trees' is never ended"),
        ("#NEXUS\nbegin trees;\ntree x = (a,b)", 3, 1, "ends without the ';'"),
        ("#NEXUS\nbegin trees;\n  translate 1 a 2 b;\nend;", 3, 17, "TRANSLATE wants a key, a label and a ','"),
        ("#NEXUS\nbegin trees;\n  translate 1 a,, 2 b;\nend;", 3, 12, "TRANSLATE wants"),
        ("#NEXUS\nbegin trees;\n  translate 1 a, 1 b;\nend;", 3, 18, "gives '1' two meanings"),
        ("#NEXUS\nbegin trees;\n  translate 1;\nend;", 3, 13, "TRANSLATE wants"),
        ("#NEXUS\nbegin trees;\ntree 'x = (a,b);\nend;", 3, 6, "this quote is never closed"),
        ("#NEXUS\nbegin trees;\ntree x = (a,[b);\nend;", 3, 13, "this comment is never closed"),
        ("#NEXUS\nbegin trees;\ntree x = (a,b]);\nend;", 3, 14, "closes no comment"),
        ("#NEXUS\nbegin trees;\ntree = (a,b);\nend;", 3, 1, "wants a name and a '='"),
        ("#NEXUS\nbegin trees;\n [c] tree (a,b);\nend;", 3, 6, "wants a name and a '='"),
        ("#NEXUS\nbegin trees;\ntree x = ;\nend;", 3, 10, "a tree cannot start with ';'"),
        ("#NEXUS\nbegin trees;\nbegin trees;", 3, 1, "before 'trees' is ended"),
        ("#NEXUS\nbegin my trees;", 2, 1, "expected BEGIN, the name"),
        ("#NEXUS\nbegin;", 2, 1, "expected BEGIN, the name"),
        ("#NEXUS\ntree x = (a,b);", 2, 1, "'tree' stands outside of all blocks"),
        ("#NEXUS\nbegin trees;\nend trees;", 3, 1, "END wants a ';'"),
        ("#NEXUS\nbegin trees;\ntranslate 1 a, 2 a;\ntree x = ((1,b),\n2);\nend;", 5, 1, "'a' has occurred"),
        ("#NEXUS\nbegin trees;\ntree x = ((1,b),\nc:x);\nend;", 4, 2, "the branch length 'x' is not a number"),
        ("#NEXUS\nbegin trees;\ntree x = (\"'\",b);(\"'\",c);\nend;", 3, 18, "a ';' in the middle of a TREE command"),
        ('#NEXUS\nbegin trees;\ntree x = ("a,b);\ntree y = (c",d);\nend;', 3, 11, "this quote is never closed"),
    ],
)  # fmt: skip
def test_nexus__refused_with_the_place(text, line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        nexus_trees(io.StringIO(text))
    assert (error.value.line, error.value.column) == (line, column)


# ---------------------------------------------------------------------- writing


def same(g, h):
    """Equal with names and lengths. Both in the order of one leaf index, inner nodes alike."""
    if g != h or g.names != h.names:
        return False
    if (g.length is None) != (h.length is None):
        return False
    return g.length is None or np.array_equal(g.length, h.length, equal_nan=True)


@given(hierarchies(unary=True), st.data())
def test_nexus__what_is_written_is_read_back(h, data):
    label = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    labels = data.draw(st.lists(label, min_size=h.n_leaves, max_size=h.n_leaves, unique=True))
    name = label.map(lambda x: f"n{x}x")  # numbers are not names
    names = data.draw(
        st.lists(st.one_of(st.none(), name), min_size=h.n_nodes - h.n_leaves, max_size=h.n_nodes - h.n_leaves)
    )
    length = st.one_of(st.just(np.nan), st.floats(allow_nan=False, allow_infinity=False))
    lengths = data.draw(st.lists(length, min_size=h.n_nodes, max_size=h.n_nodes))
    tree = data.draw(label)
    h = Hierarchy(h.parent, labels, names=names, length=lengths)
    text = write_nexus(h, tree=tree)
    ((name, g),) = nexus_trees(io.StringIO(text))
    assert name == tree
    assert g == h
    assert sorted(map(str, g.names or ())) == sorted(map(str, h.names or ()))
    again = write_nexus(g, tree=tree)
    assert same(read(again), g)
    assert write_nexus(read(again), tree=tree) == again


def test_nexus__several_trees_share_a_table(tmp_path):
    trees = {"x": Hierarchy.from_nested([["a", "b"], "c"]), "y'z": Hierarchy.from_nested(["c", "d_1"])}
    path = tmp_path / "trees.nex.gz"
    assert write_nexus_all(trees, path) is None
    assert dict(nexus_trees(path)) == trees
    assert dict(nexus_trees(io.StringIO(write_nexus_all(trees.items())))) == trees
    assert read_all(write_nexus_all({})) == {}
    with pytest.raises(TypeError, match="use write_nexus"):
        write_nexus_all(trees["x"])
    with pytest.raises(DuplicateLeafError, match="once all labels are written as text"):
        write_nexus(Hierarchy.from_nested([1, "1"]))
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        write_nexus("(a,b);")


def test_nexus__names_and_lengths_can_stay_out():
    h = Hierarchy([2, 2, -1], ["a", "b"], names=["in_ner"], length=[1, 2, np.nan])
    assert "(1:1,2:2)'in_ner';" in write_nexus(h)
    assert "(1,2);" in write_nexus(h, names=False, lengths=False)


# ---------------------------------------------------------------------- sizes


@pytest.mark.slow
def test_nexus__a_hundred_thousand_leaves():
    for h in (balanced(100_000), caterpillar(100_000)):
        h = Hierarchy(h.parent, [f"t{i}" for i in range(h.n_leaves)])
        assert read(write_nexus(h)) == h


def test_nexus__long_gaps_take_no_time():
    for text in ("tree" + " " * 200_000 + "x;", "tree x" + " " * 200_000 + "(a,b);", "tree x" + "'" * 100_001):
        with pytest.raises(ParseError):
            read("#NEXUS begin trees; " + text)


# ---------------------------------------------------------------------- anything


@given(st.lists(st.sampled_from(
    ["#NEXUS", "begin", "trees", ";", "end", "tree", "x", "=", "(", ")", ",", "a", "'", '"', "[", "]", "translate", "1",
     ":", "0.5", "taxlabels", " ", "\n", "*", "b"]), max_size=40).map("".join))  # fmt: skip
def test_nexus__any_pieces(text):
    for given_text in (text, "#NEXUS begin trees; " + text + " end;"):
        try:
            trees = nexus_trees(io.StringIO(given_text))
        except TripletreeError:
            continue
        assert all(isinstance(h, Hierarchy) for _, h in trees)


@given(st.data())
def test_nexus__any_change_of_a_good_file(data):
    at = data.draw(st.integers(0, len(FILE)))
    stop = data.draw(st.integers(at, min(len(FILE), at + 5)))
    text = FILE[:at] + data.draw(st.text(max_size=3)) + FILE[stop:]
    try:
        trees = nexus_trees(io.StringIO(text))
    except TripletreeError:
        return
    assert all(isinstance(h, Hierarchy) for _, h in trees)
