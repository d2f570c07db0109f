"""Reading and writing Newick: values worked out by hand, every refusal with its place, round trips of anything."""

import io
import math

import numpy as np
import pytest
from examples import zoo
from hypothesis import given
from hypothesis import strategies as st
from strategies import nested

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, ParseError
from tripletree.io import parse_newick, read_hierarchies, read_newick, write_newick, write_newick_all

NASTY = st.one_of(
    st.text(max_size=6), st.text(alphabet="ab'\"[]()_:;,={} \n\r\t|#\ufeff\xa0\u2028\x1c\x00", max_size=6)
)


def newicks(source, **options):
    """Every tree of a Newick file."""
    return [h for _, h in read_hierarchies(source, format="newick", **options)]


def nodes(h):
    """Clade and depth of each node, with its values: two hierarchies with equal nodes are the same."""
    length = [math.nan] * h.n_nodes if h.length is None else h.length.tolist()
    name = [None] * h.n_leaves + ([None] * (h.n_nodes - h.n_leaves) if h.names is None else list(h.names))
    return {
        (frozenset(map(str, h.clade(u))), int(h.depth[u])): (name[u], None if math.isnan(length[u]) else length[u])
        for u in range(h.n_nodes)
    }


# ---------------------------------------------------------------------- reading


def test_newick__arrays_by_hand():
    h = parse_newick("((human:6,chimp:6)Hominini:2,gorilla:8e0)root:-.5;")
    assert h.parent.tolist() == [3, 3, 4, 4, -1]
    assert list(h.leaves) == ["human", "chimp", "gorilla"]
    assert h.names == ("Hominini", "root")
    assert h.length.tolist() == [6.0, 6.0, 8.0, 2.0, -0.5]


def test_newick__inner_nodes_in_the_order_in_which_they_close():
    h = parse_newick("(a,((b,c)x,d)y,(e,f)z)r;")
    assert h.names == ("x", "y", "z", "r")
    assert h.parent.tolist() == [9, 6, 6, 7, 8, 8, 7, 9, 9, -1]


def test_newick__missing_lengths_are_nan_and_none_without_any():
    h = parse_newick("(a:1,(b,c:2):3);")
    np.testing.assert_array_equal(h.length, [1.0, np.nan, 2.0, 3.0, np.nan])
    assert parse_newick("(a,(b,c));").length is None


@pytest.mark.parametrize(
    ("text", "length"),
    [("1", 1.0), ("+1.", 1.0), (".5", 0.5), ("-2.5E-3", -0.0025), ("1e+2", 100.0), (" \n 7\t", 7.0), ("0", 0.0)],
)
def test_newick__lengths(text, length):
    assert parse_newick(f"(a:{text},b);").length[0] == length


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("'it''s'", "it's"),
        ('"it\'s"', "it's"),
        ('"say ""so"""', 'say "so"'),
        ("''''", "'"),
        ("''", ""),
        ("'[not a comment]'", "[not a comment]"),
        ("'a;b,(c):'", "a;b,(c):"),
        ("'two\nlines'", "two\nlines"),
        ("Homo_sapiens", "Homo_sapiens"),
        ("Homo sapiens ", "Homo sapiens"),
        ("B/Indiana/04/2009  gi 25", "B/Indiana/04/2009  gi 25"),
        ("a[comment]", "a"),
        ("[it's]a", "a"),
        ("a[one[two]three]", "a"),
        ("a[&&NHX:S=x:D=(y,'z)]", "a"),
        ("{curly}|#=", "{curly}|#="),
        ("\u00e9t\u00e9\u00a0", "\u00e9t\u00e9\u00a0"),
    ],
)
def test_newick__labels(text, label):
    assert parse_newick(f"({text},\n other)inner;").leaves[0] == label
    assert parse_newick(f"(x,y){text};").names == ((label,) if label else None)


def test_newick__underscores():
    text = "(a_b,'c_d')e_f;"
    assert list(parse_newick(text).leaves) == ["a_b", "c_d"]
    h = parse_newick(text, underscores="blank")
    assert list(h.leaves) == ["a b", "c_d"]
    assert h.names == ("e f",)
    with pytest.raises(ValueError, match="'keep' or 'blank', not 'space'"):
        parse_newick(text, underscores="space")


def test_newick__small_trees():
    assert parse_newick("A;").parent.tolist() == [-1]
    assert parse_newick("A:3;").length.tolist() == [3.0]
    assert parse_newick("(A)r;").parent.tolist() == [1, -1]
    assert parse_newick("((A,B));").parent.tolist() == [2, 2, 3, -1]


def test_newick__comments_and_white_space_anywhere():
    text = "[&R]\n(\r\n a[x] :[y]1[z] ,\t[[ ]] b )[&!] r [q] : [w] 2 [e];[end]\n"
    assert nodes(parse_newick(text)) == nodes(parse_newick("(a:1,b)r:2;"))


def test_newick__several_trees():
    text = "(a,b);\n[second](a,(b,c));d;\n"
    assert [h.n_leaves for h in newicks(io.StringIO(text))] == [2, 3, 1]
    assert newicks(io.StringIO("")) == newicks(io.StringIO(" [nothing] ")) == []
    with pytest.raises(ParseError, match="3 trees where one is expected.*read_hierarchies") as error:
        parse_newick(text)
    assert (error.value.line, error.value.column) == (2, 9)
    with pytest.raises(ParseError, match="read_hierarchies reads all"):
        read_newick(io.StringIO(text))
    assert [h.n_leaves for h in newicks(io.StringIO(text))] == [2, 3, 1]


REFUSED = [
    ("", 1, 1, "no tree in it"),
    (" [only a comment]\n", 1, 1, "no tree in it"),
    (";", 1, 1, "cannot start with ';'"),
    (":1;", 1, 1, "cannot start with ':1'"),
    (",a;", 1, 1, "cannot start with ','"),
    ("(a,b)", 1, 6, "ends without the ';'"),
    ("(a,b);c \n", 1, 8, "ends without the ';'"),
    ("((a,b),\n(c,d);", 1, 1, r"'\(' is not closed before the tree ends \(line 2, column 6\)"),
    ("(a,\n ((b,c),", 2, 2, r"this '\(' is never closed: the text ends"),
    ("(a,b);(a,(b,c)", 1, 7, r"this '\(' is never closed"),
    ("(a,b)\n);", 2, 1, r"this '\)' stands outside of all brackets"),
    ("(a,b),c;", 1, 6, "this ',' stands outside of all brackets"),
    ("(,a);", 1, 2, "a leaf label is missing before this ','"),
    ("(a,\n\n  ,b);", 3, 3, "a leaf label is missing before this ','"),
    ("(a,);", 1, 4, r"a leaf label is missing before this '\)'"),
    ("();", 1, 2, r"a leaf label is missing before this '\)'"),
    ("(:1,a);", 1, 2, "a leaf label is missing before this ':'"),
    ("(a[one[two],b);", 1, 3, "comment is never closed"),
    ("(a]b,c);", 1, 3, "closes no comment"),
    ("(a,'b,c);\n", 1, 4, "quote is never closed"),
    ('(a,"b,c);\n', 1, 4, "quote is never closed"),
    ("(O'Hara,b);", 1, 3, "quote is never closed: a label with ' in it must stand in quotes"),
    ("(O'Hara,O'Neil);", 1, 3, "a quoted label right after a leaf label.*has a quote in it"),
    ("('a'b,c);", 1, 5, "the label 'b' right after a leaf label"),
    ("(a,b)c\nd;", 2, 1, "the label 'd' right after the name of an inner node.*continues on the next line"),
    ("(a[x]b,c);", 1, 6, "'b' right after a comment in a label: square brackets are comments"),
    ("(a:1 b,c);", 1, 6, "the label 'b' right after a branch length"),
    ("(a,b)(c,d);", 1, 6, r"'\(' right after '\)'"),
    ("(a(b,c));", 1, 3, r"'\(' right after a leaf label"),
    ("(a:1:2,b);", 1, 5, "a branch length right after a branch length"),
    ("(a:,b);", 1, 3, "a branch length is missing"),
    ("(a:1,\nb:x);", 2, 2, "the branch length 'x' is not a number"),
    ("(a:1,b:2)c:1.2.3;", 1, 11, "'1.2.3' is not a number"),
    ("(a:nun,b);", 1, 3, "'nun' is not a number"),
    ("(a:1_0,b);", 1, 3, "'1_0' is not a number"),
    ("(a:\u0661,b);", 1, 3, "'\u0661' is not a number"),
    ("(a:0.1{x},b);", 1, 3, "is not a number"),
    ("(a:1e999,b);", 1, 3, "'1e999' is beyond the largest number"),
    ("(a,\n(b,a));", 2, 4, "label 'a' has occurred before, at line 1, column 2"),
    ("('a b',a b);", 1, 8, "label 'a b' has occurred before, at line 1, column 2"),
    ("(x,y);\n(a,b,a,b);", 2, 6, r"label 'a' has occurred before, at line 2, column 2 \(2 labels are repeated\)"),
    ("(a,b)a;(a[x],b)a:1;\n((p)q,q)p;(r,r);", 2, 14, "label 'r' has occurred before, at line 2, column 12"),
    ("#NEXUS\nbegin trees;", 1, 1, "this is a NEXUS file"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), REFUSED)
def test_newick__refuses_with_the_place(text, line, column, message):
    with pytest.raises(ParseError, match=f"(?s){message}") as error:
        parse_newick(text) if "no tree" in message else newicks(io.StringIO(text))
    assert (error.value.line, error.value.column) == (line, column)
    lines = text.splitlines()
    if lines and "no tree" not in message:
        assert str(error.value).splitlines()[-2:] == ["  " + lines[line - 1], "  " + " " * (column - 1) + "^"]


def test_newick__names_the_file(tmp_path):
    path = tmp_path / "bad.nwk"
    path.write_text("(a,b", encoding="utf-8")
    with pytest.raises(ParseError, match=r"bad\.nwk, line 1, column 1: this '\('") as error:
        read_newick(path)
    assert error.value.path == str(path)


def test_newick__text_is_no_path():
    with pytest.raises(FileNotFoundError, match="looks like the text itself"):
        read_newick("((a,b),c);")
    with pytest.raises(TypeError, match="expected Newick text, not"):
        parse_newick(b"(a,b);")


def test_newick__caterpillar_of_100_000_leaves():
    n = 100_000
    text = "(" * (n - 1) + "t0" + "".join(f",t{i}):{i}" for i in range(1, n)) + ";"
    h = parse_newick(text)
    assert h.n_leaves == n
    assert h.parent[:3].tolist() == [n, n, n + 1]
    np.testing.assert_array_equal(h.length[n:], np.arange(1, n))
    assert write_newick(h) == text


# ---------------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ([["chimp", "human"], "gorilla"], "((chimp,human),gorilla);"),
        (["gorilla", ["chimp", "human"]], "(gorilla,(chimp,human));"),
        (["a", ["b", [["c", "d"]]], "e"], "(a,(b,((c,d))),e);"),
        (["a"], "(a);"),
        ([["a b", "it's"], ["", "a_b"], [1, 2.5]], "(('a b','it''s'),('',a_b),(1,2.5));"),
    ],
)
def test_newick__written_by_hand(tree, text):
    assert write_newick(Hierarchy.from_nested(tree)) == text


def test_newick__children_stand_by_their_smallest_leaf():
    h = parse_newick("((d,(c,b)),((e,f),a));").reindex(parse_newick("(a,b,c,d,e,f);").leaves)
    assert write_newick(h) == "((a,(e,f)),((b,c),d));"
    other = parse_newick("((a,(f,e)),((c,b),d));").reindex(h.leaves)
    assert write_newick(other) == write_newick(h)


def test_newick__lengths_and_names_are_written_if_wanted():
    h = parse_newick("((a:1.0,b:0.1)'x y':1e-7,c:100000000000000000000):-0.0;")
    assert write_newick(h) == "((a:1,b:0.1)'x y':1e-07,c:1e+20):-0;"
    assert write_newick(h, lengths=False) == "((a,b)'x y',c);"
    assert write_newick(h, names=False, lengths=False) == "((a,b),c);"


def test_newick__heights_are_written_as_differences():
    h = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], height=[0, 0, 0, 1, 2.5])
    assert write_newick(h) == "((a:1,b:1):1.5,c:2.5);"


def test_newick__several_are_written_a_line_each(tmp_path):
    hs = [Hierarchy.from_nested(["a", "b"]), Hierarchy.from_nested([["a", "b"], "c"])]
    path = tmp_path / "forest.nwk"
    assert write_newick_all(hs) == "(a,b);\n((a,b),c);\n"
    assert write_newick_all(hs, path) is None
    assert path.read_bytes() == b"(a,b);\n((a,b),c);\n"
    assert newicks(path) == hs
    with pytest.raises(TypeError, match="use write_newick"):
        write_newick_all(hs[0])


def test_newick__writing_refuses_what_could_not_be_read():
    with pytest.raises(DuplicateLeafError, match="once all labels are written as text: '1'"):
        write_newick(Hierarchy.from_nested([1, "1"]))
    h = Hierarchy([2, 2, -1], ["a", "b"], height=[0, -1e308, 1e308])
    with np.errstate(over="ignore"), pytest.raises(InvalidHierarchyError, match="node 1 has length inf") as error:
        write_newick(h)
    assert error.value.node == 1
    assert write_newick(h, lengths=False) == "(a,b);"


# ---------------------------------------------------------------------- laws


def test_newick__round_trip_of_the_zoo():
    for name, h in zoo():
        again = parse_newick(write_newick(h))
        assert nodes(again) == nodes(h), name


@st.composite
def dressed_hierarchies(draw):
    bare = Hierarchy.from_nested(draw(nested(unary=True)))
    n, N = bare.n_leaves, bare.n_nodes
    labels = draw(st.lists(NASTY, min_size=n, max_size=n, unique=True))
    number = st.one_of(st.just(math.nan), st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5))
    lengths = draw(st.none() | st.lists(number, min_size=N, max_size=N))
    name = NASTY.map(lambda x: f"n{x}n")  # numbers and signs alone are not names
    names = draw(st.none() | st.lists(st.none() | name, min_size=N - n, max_size=N - n))
    return Hierarchy(bare.parent, labels, length=lengths, names=names)


@given(dressed_hierarchies())
def test_newick__round_trip_of_anything(h):
    text = write_newick(h)
    again = parse_newick(text, placeholders=False)
    assert again == h
    assert nodes(again) == nodes(h)
    assert write_newick(again.reindex(h.leaves)) == text
    stream = io.BytesIO()
    write_newick(h, stream)
    assert nodes(read_newick(io.BytesIO(stream.getvalue()), placeholders=False)) == nodes(h)


@given(st.lists(dressed_hierarchies(), max_size=3))
def test_newick__round_trip_of_several(hs):
    assert list(map(nodes, newicks(io.StringIO(write_newick_all(hs)), placeholders=False))) == list(map(nodes, hs))


@st.composite
def mutated_texts(draw):
    text = write_newick_all(draw(st.lists(dressed_hierarchies(), min_size=1, max_size=2)))
    for _ in range(draw(st.integers(1, 4))):
        i = draw(st.integers(0, len(text)))
        j = draw(st.integers(i, min(len(text), i + 3)))
        new = draw(st.text(alphabet="ab'\"[]()_:;,=.1eE-+ \n\r\t\x00\ufeff", max_size=3))
        text = text[:i] + new + text[j:]
    return text


def outcome(text):
    try:
        return newicks(io.StringIO(text)), None
    except ParseError as error:
        return [], error


@given(mutated_texts())
def test_newick__a_hierarchy_or_a_parse_error_with_a_place(text):
    hs, error = outcome(text)
    if error:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    else:
        assert list(map(nodes, newicks(io.StringIO(write_newick_all(hs))))) == list(map(nodes, hs))


@given(st.text(alphabet="ab'\"[]();:,1. \n", max_size=12))
def test_newick__any_text(text):
    hs, error = outcome(text)
    assert error is None or error.line is not None
    assert [nodes(parse_newick(write_newick(h))) for h in hs] == [nodes(h) for h in hs]


def test_mark__at_the_start_of_a_string_is_taken_off():
    assert list(parse_newick("\ufeff((a,b),c);").leaves) == ["a", "b", "c"]
    assert len(newicks(io.StringIO("\ufeff(a,b);(c,d);"))) == 2


def test_mark__inside_is_named():
    with pytest.raises(
        ParseError, match=r"line 2, .* \(column 1 of this line has an invisible byte order mark, U\+FEFF"
    ):
        newicks(io.StringIO("(a,b);\n\ufeff(c,d);"))


# ---------------------------------------------------------------------- for programs that are strict


INVERTED = Hierarchy([4, 4, 5, 6, 5, 6, -1], ["a b", "c", "d", "e"], height=[0, 0, 0, 0, 3.0, 1.0, 2.0])


def test_newick__monotone_lengths_are_never_negative():
    assert write_newick(INVERTED, lengths="exact") == "((('a b':3,c:3):-2,d:1):1,e:2);"
    for lengths in (True, "monotone"):
        assert write_newick(INVERTED, lengths=lengths) == "((('a b':3,c:3):0,d:3):0,e:3);"
    lengths_only = Hierarchy([2, 2, -1], ["a", "b"], length=[float("nan"), -1.0, float("nan")])
    assert write_newick(lengths_only, lengths="monotone") == "(a,b:0);"
    assert write_newick(lengths_only) == write_newick(lengths_only, lengths="exact") == "(a,b:-1);"
    old_leaves = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], height=[1.0, 0.0, 4.0, 2.0, 3.0])
    assert write_newick(old_leaves, lengths="monotone") == "((a:1,b:2):2,c:0);"
    assert INVERTED.height.tolist()[-1] == 2.0
    with pytest.raises(ValueError, match="lengths must be True, False, 'monotone' or 'exact', not 'none'"):
        write_newick(INVERTED, lengths="none")


def test_newick__blanks_as_underscores():
    text = write_newick(INVERTED, lengths=False, blanks="underscore")
    assert text == "(((a_b,c),d),e);"
    assert parse_newick(text, underscores="blank") == INVERTED
    named = Hierarchy([2, 2, -1], ["it's", "x (y)"], names=["the root"])
    assert write_newick(named, blanks="underscore") == "('it''s','x_(y)')the_root;"
    clash = Hierarchy([2, 2, -1], ["a b", "a_b"])
    with pytest.raises(DuplicateLeafError, match="blanks as underscores"):
        write_newick(clash, blanks="underscore")
    with pytest.raises(ValueError, match="blanks must be"):
        write_newick(clash, blanks="none")
