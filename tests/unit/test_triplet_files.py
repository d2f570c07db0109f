"""Triplet files: each format by hand, every bad row with its line, and round trips of anything."""

import csv
import gzip
import io
import warnings

import numpy as np
import pytest
from examples import zoo
from hypothesis import given
from hypothesis import strategies as st
from strategies import triplet_rows

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, InvalidTripletError, MissingDependencyError, ParseError
from tripletree.io import read_triplets, write_triplets

NASTY = st.one_of(st.text(max_size=5), st.text(alphabet="ab'\"|#!, ;\n\r\t\ufeff\xa0\u2028\x1c\x85", max_size=5))


def read(text, **options):
    return read_triplets(io.StringIO(text), **options)


# ---------------------------------------------------------------------- text


@pytest.mark.parametrize(
    "line",
    [
        "human chimp | gorilla",
        "human,chimp|gorilla",
        "  human ,\tchimp|gorilla  ",
        "'human' \"chimp\" | gorilla#comment-less # comment | x",
        "chimp human | gorilla #",
        "\n# a comment | line\n  # another\nchimp human | gorilla\r\n\r\n",
        "\ufeffchimp human | gorilla",
        "human chimp | gorilla\rchimp human | gorilla\n",
    ],
)
def test_triplet_text__one_triplet(line):
    t = read(line.replace("gorilla#comment-less", "gorilla"))
    assert list(t) == [("chimp", "human", "gorilla")]
    assert t.weights is None


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("'Homo sapiens'", "Homo sapiens"),
        ("'it''s'", "it's"),
        ('"it\'s ""it"""', 'it\'s "it"'),
        ("O'Hara", "O'Hara"),
        ("5''", "5''"),
        ("C#", "C#"),
        ("'#1'", "#1"),
        ("'a|b'", "a|b"),
        ("''", ""),
        ("GO:0008150", "GO:0008150"),
        ("(x);", "(x);"),
    ],
)
def test_triplet_text__labels(written, label):
    assert list(read(f"{written} a | b")) in ([(label, "a", "b")], [("a", label, "b")])
    assert list(read(f"a,b|{written}  # comment")) == [("a", "b", label)]


def test_triplet_text__weights():
    t = read("b a | c | 2.5\nd e | f\na b|c|1e-1  # again\n")
    assert list(t) == [("a", "b", "c"), ("d", "e", "f")]
    assert t.weights.tolist() == [2.6, 1.0]
    assert write_triplets(t) == "a b | c | 2.6\nd e | f | 1.0\n"


def test_triplet_text__leaves_in_no_triplet():
    t = read("#!leaves z 'y y' a # comment\na b | c\n#!leaves x\n#!leaves\n")
    assert list(t.leaves) == ["a", "b", "c", "x", "y y", "z"]
    assert write_triplets(t) == "#!leaves x 'y y' z\na b | c\n"
    assert len(read("").leaves) == 0
    many = TripletSet([], [f"leaf {i:03}" for i in range(100)])
    text = write_triplets(many)
    assert text.count("\n") > 5
    assert max(map(len, text.splitlines())) < 120
    assert read(text) == many


BAD_LINES = [
    ("ab|c", 1, "one label, 'ab', before the '|'"),
    ("a b c", 5, "no '|' in the line"),
    ("a b |", 5, "one label must stand after the '|'"),
    ("| c", 1, "two labels must stand before the '|'"),
    ("Homo sapiens chimp | d", 14, "3 labels before the '|'.*blanks must stand in quotes"),
    ("a b | Mus musculus", 11, "2 labels after the '|'.*a weight behind a second '|'"),
    ("a b | c 2.5", 9, "2 labels after the '|'"),
    ("a,,b | c", 6, "two labels must stand before"),
    ("a b | c, d", 8, "2 labels after"),
    ("a b | c |", 9, "one number, the weight"),
    ("a b | c | 1 | 2", 9, "one number, the weight"),
    ("a b | c | heavy", 11, "the weight 'heavy' is not a positive finite number"),
    ("a b | c | 0", 11, "the weight '0'"),
    ("a b | c | -1", 11, "the weight '-1'"),
    ("a b | c | nan", 11, "the weight 'nan'"),
    ("a b | c | inf", 11, "the weight 'inf'"),
    ("a b | c | 1e999", 11, "the weight '1e999'"),
    ("a b | c | 1_0", 11, "the weight '1_0'"),
    ("a b | c | 'x''y'", 11, 'the weight "x\'y"'),
    ("a a | b", 3, "'a' stands twice"),
    ("a b | a", 7, "'a' stands twice"),
    ("a 'b' | \"b\"", 9, "'b' stands twice"),
    ("a 'b | c", 3, "quote is never closed"),
    ("a 'b'c | d", 3, "something stands right behind its end"),
    ("#!leafs x", 1, "must be '#!leaves'"),
    ("#!leaves a, b", 11, "labels with white space between"),
    ("((a,b),c,d);", 1, "looks like Newick"),
]


@pytest.mark.parametrize(("line", "column", "message"), BAD_LINES)
def test_triplet_text__a_bad_line(line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        read(f"# comment\nx y | z\n{line}\nx z | y\n")
    assert (error.value.line, error.value.column) == (3, column)
    assert str(error.value).endswith(f"\n  {line}\n  {' ' * (column - 1)}^")
    assert len(error.value.problems) == 1


def test_triplet_text__all_bad_lines_are_reported():
    text = "x y | z\n" + "".join(line + "\n" for line, _, _ in BAD_LINES[:15])
    with pytest.raises(ParseError) as error:
        read(text)
    assert [p.split(":")[0] for p in error.value.problems] == [f"line {k}" for k in range(2, 17)]
    assert all(p in str(error.value) for p in error.value.problems)
    with pytest.raises(ParseError, match="20 problems") as error:
        read("a a | b\n" * 50)
    assert [p.split(":")[0] for p in error.value.problems] == [f"line {k}" for k in range(1, 21)]


def test_triplet_files__given_leaves():
    leaves = LeafIndex(["gorilla", "human", "orang", "chimp"])
    t = read("human chimp | gorilla\n#!leaves orang", leaves=leaves)
    assert t.leaves is leaves
    assert t.rows.tolist() == [[1, 3, 0]]
    with pytest.raises(ParseError) as error:
        read("#!leaves ornag\nhuman chimp | gorila\nab|c\nhuman x | chmp", leaves=leaves)
    assert error.value.problems == [
        "line 1: 'ornag' is none of the 4 leaves; did you mean 'orang'?",
        "line 2: 'gorila' is none of the 4 leaves; did you mean 'gorilla'?",
        "line 3: one label, 'ab', before the '|': expected 'a b | c', with white space or a comma between a and b",
        "line 4: 'x' is none of the 4 leaves",
        "line 4: 'chmp' is none of the 4 leaves; did you mean 'chimp'?",
    ]


def test_triplet_files__labels_that_are_no_strings():
    t = TripletSet([(0, 2, 1)], 4)
    assert write_triplets(t) == "#!leaves 3\n0 2 | 1\n"
    assert list(read(write_triplets(t)).leaves) == ["0", "1", "2", "3"]
    assert read(write_triplets(t), leaves=range(4)) == t
    with pytest.raises(DuplicateLeafError, match="once all labels are written as text"):
        write_triplets(TripletSet([], [1, "1"]))


# ---------------------------------------------------------------------- tables


def test_triplet_tables__by_hand():
    t = read('id,b,weight,c,a\n7,"x, y",2,z,x\n\n8,x,0.5,"say ""z""",z\n')
    assert sorted(t) == [("x", "x, y", "z"), ("x", "z", 'say "z"')]
    assert sorted(t.weights.tolist()) == [0.5, 2.0]
    assert read("id,b,weight,c,a\n7,y,2,z,x\n", weight=None).weights is None
    assert list(read("near\tnearer\tfar\nx\ty\tz\n", columns=("near", "nearer", "far"))) == [("x", "y", "z")]
    assert list(read("a, b, c\nx, y, z\n")) == [("x", "y", "z")]
    assert list(read("a,b,c\r\nx,y,z\r\n", format="csv")) == [("x", "y", "z")]
    assert len(read("a,b,c\n")) == 0


def test_triplet_tables__written_by_hand():
    t = TripletSet.from_labels([("x", "y, z", 'w "w"')], weights=[0.5])
    assert write_triplets(t, format="csv") == 'a,b,c,weight\nx,"y, z","w ""w""",0.5\n'
    assert write_triplets(t, format="tsv") == 'a\tb\tc\tweight\nx\ty, z\t"w ""w"""\t0.5\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the text is empty"),
        ("x,y\n1,2\n", 1, "lacks the columns 'a', 'b', 'c'; it has 'x', 'y'"),
        ("\na,b,d\n1,2,3\n", 2, "lacks the column 'c'; it has 'a', 'b', 'd'"),
        ("a,b,c,a\n1,2,3,4\n", 1, "column 'a' stands 2 times in the header"),
        ("a,b,c\n1,2\n", 2, "2 cells where the header has 3"),
        ("a,b,c\n1,2,3,4\n", 2, "4 cells where the header has 3"),
        ("a,b,c\n1,,3\n", 2, "no label in column b"),
        ("a,b,c\n,,\n", 2, "all cells of this row are empty"),
        ("a,b,c\n1,2,1\n", 2, "'1' stands twice"),
        ("a,b,c,weight\n1,2,3,\n", 2, "the weight '' is not a positive"),
        ("a,b,c,weight\n1,2,3,x\n", 2, "the weight 'x'"),
        ('a,b,c\n"1\n",2,3\n4,4,5\n', 4, "'4' stands twice"),
        ('a,b,c\n1,2,3\n"4,5,6\n', 3, "not a table: unexpected end of data"),
        ('a,b,c\n"1"2,3,4\n', 2, "not a table"),
    ],
)
def test_triplet_tables__a_bad_row(text, line, message):
    with pytest.raises(ParseError, match=message) as error:
        read(text, format="csv")
    assert error.value.line == line


def test_triplet_tables__odd_one_out_answers_are_not_taken_for_triplets():
    for text in ("a,b,c,odd\ncat,dog,eel,eel\ncat,eel,carp,cat\n", "a,b,c,pick\n" + "cat,dog,eel,dog\n" * 5):
        with pytest.raises(ParseError, match="read_answers") as error:
            read(text)
        assert error.value.line == 1
    for text in (
        "a,b,c,odd\ncat,dog,eel,eel\n",  # the odd one is c: the same in both
        "id,a,b,c\n0,0,1,2\n1,0,1,3\n",
        "a,b,c,answer\ncat,dog,eel,yes\n",
    ):
        assert len(read(text)) >= 1


def test_triplet_tables__all_bad_rows_are_reported():
    with pytest.raises(ParseError, match="3 problems") as error:
        read("a,b,c,weight\n1,1,2,1\n1,2,3,1\n1,2,3\n1,2,3,0\n")
    assert [p.split(":")[0] for p in error.value.problems] == ["line 2", "line 4", "line 5"]


def test_triplet_tables__leaves_in_no_triplet_are_lost_with_a_warning():
    t = TripletSet.from_labels([("a", "b", "c")], ["a", "b", "c", "d", "e"])
    for name in ("csv", "tsv"):
        with pytest.warns(UserWarning, match="2 of 5 leaves are in no triplet"):
            text = write_triplets(t, format=name)
        assert read(text, leaves=["a", "b", "c", "d", "e"]) == t


def test_triplet_files__labels_that_a_format_cannot_hold():
    with pytest.raises(InvalidTripletError, match="line end in it"):
        write_triplets(TripletSet.from_labels([("a\n", "b", "c")]))
    with pytest.raises(InvalidTripletError, match="empty label"):
        write_triplets(TripletSet.from_labels([("", "b", "c")]), format="csv")


# ---------------------------------------------------------------------- Parquet


def test_parquet__keeps_everything(tmp_path):
    pytest.importorskip("pyarrow")
    t = TripletSet.from_labels([("b\n", "a", ""), ("b\n", "d", "a")], ["d", "b\n", "a", "", "z"], weights=[0.1, 3])
    path = tmp_path / "x.parquet"
    write_triplets(t, path)
    again = read_triplets(path)
    assert again.leaves == t.leaves
    np.testing.assert_array_equal(again.rows, t.rows)
    np.testing.assert_array_equal(again.weights, t.weights)
    stream = io.BytesIO()
    write_triplets(t, stream, format="parquet")
    assert read_triplets(io.BytesIO(stream.getvalue())) == t


def test_parquet__tables_of_others(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"a": [1, 3], "b": [2, 1], "c": [0, 2], "note": ["x", "y"]}), path)
    assert list(read_triplets(path)) == [(1, 2, 0), (1, 3, 2)]
    assert len(read_triplets(path, leaves=range(5)).leaves) == 5
    with pytest.raises(ParseError, match="lacks the column 'd'; it has 'a', 'b', 'c', 'note'"):
        read_triplets(path, columns=("a", "b", "d"))
    parquet.write_table(pyarrow.table({"a": ["x", None, "x"], "b": ["x", "y", "y"], "c": ["y", "z", "z"]}), path)
    with pytest.raises(ParseError) as error:
        read_triplets(path)
    assert error.value.problems == [
        "row 1: 'x' stands twice: the three leaves must differ",
        "row 2: no label in column a",
    ]
    write_triplets(TripletSet.from_labels([("x", "y", "z")]), path)
    with pytest.raises(ParseError) as error:
        read_triplets(path, leaves=["x", "y"])
    assert error.value.problems == ["metadata: 'z' is none of the 2 leaves", "row 1: 'z' is none of the 2 leaves"]
    path.write_bytes(b"PAR1 nothing of the kind")
    with pytest.raises(ParseError, match="not a Parquet file"):
        read_triplets(path)


def test_parquet__needs_bytes_and_pyarrow(tmp_path, monkeypatch):
    t = TripletSet.from_labels([("a", "b", "c")])
    with pytest.raises(ValueError, match="give a path"):
        write_triplets(t, format="parquet")
    with pytest.raises(TypeError, match="binary"):
        write_triplets(t, io.StringIO(), format="parquet")
    with pytest.raises(TypeError, match="binary"):
        read("", format="parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"writing Parquet needs pyarrow.*tripletree\[io\]"):
        write_triplets(t, tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.txt", b"a b | c\n"),
        ("x.triplets", b"a b | c\n"),
        ("x", b"a b | c\n"),
        ("X.CSV", b"a,b,c\na,b,c\n"),
        ("x.tsv", b"a\tb\tc\na\tb\tc\n"),
        ("x.csv.gz", b"\x1f\x8b"),
        ("x.tsv.xz", b"\xfd7zXZ"),
        ("x.parquet", b"PAR1"),
    ],
)
def test_triplet_files__format_of_the_suffix(tmp_path, name, start):
    if "parquet" in name:
        pytest.importorskip("pyarrow")
    t = TripletSet.from_labels([("a", "b", "c")])
    assert write_triplets(t, tmp_path / name) is None
    content = (tmp_path / name).read_bytes()
    assert content.startswith(start)
    assert read_triplets(tmp_path / name) == t
    assert read_triplets(io.BytesIO(content)) == t, "without a name the content tells"
    if name == "x.csv.gz":
        assert gzip.decompress(content) == b"a,b,c\na,b,c\n"


def test_triplet_files__wrong_arguments():
    with pytest.raises(ValueError, match="format must be one of 'text', 'csv', 'tsv', 'parquet', not 'json'"):
        read("", format="json")
    with pytest.raises(ValueError, match="three columns"):
        read("", columns=("a", "b"))
    with pytest.raises(FileNotFoundError):
        read_triplets("missing.triplets")


# ---------------------------------------------------------------------- laws


def test_triplet_text__rebuilds_every_hierarchy_of_the_zoo():
    for name, h in zoo():
        text = write_triplets(decompose(h))
        assert one_tree(read(text, leaves=h.leaves)) == h, name
        named = Hierarchy(h.parent, [f"leaf {x}" for x in h.leaves])
        assert one_tree(read(write_triplets(decompose(named)))) == named, name


@st.composite
def labelled_sets(draw, labels=NASTY):
    n = draw(st.integers(3, 7))
    rows = draw(triplet_rows(n, 8))
    weights = draw(st.none() | st.lists(st.floats(1e-300, 1e300), min_size=len(rows), max_size=len(rows)))
    weights = weights or None  # an empty set has no line that could say that it is weighted
    return TripletSet(rows, draw(st.lists(labels, min_size=n, max_size=n, unique=True)), weights)


@given(labelled_sets(NASTY.filter(lambda x: "\n" not in x and "\r" not in x)))
def test_triplet_text__round_trip_of_anything(t):
    assert read(write_triplets(t)) == t
    stream = io.BytesIO()
    write_triplets(t, stream)
    assert read_triplets(io.BytesIO(stream.getvalue())) == t


@given(labelled_sets(NASTY.filter(bool)), st.sampled_from(["csv", "tsv"]))
def test_triplet_tables__round_trip_of_anything(t, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        text = write_triplets(t, format=name)
    assert read(text, format=name, leaves=t.leaves) == t
    table = list(csv.reader(io.StringIO(text, newline=""), delimiter="," if name == "csv" else "\t"))
    assert sorted(tuple(row[:3]) for row in table[1:]) == sorted(t)


@given(st.lists(st.text(alphabet="ab'\"|#!, .1-\t", max_size=12), max_size=4))
def test_triplet_text__a_set_or_a_parse_error_with_a_line(lines):
    text = "x y | z\n" + "\n".join(lines)
    try:
        t = read(text, format="text")
    except ParseError as caught:
        problems = caught.problems
    else:
        assert read(write_triplets(t)) == t
        problems = []
    assert {int(p.split()[1].rstrip(":")) for p in problems} <= set(range(2, len(lines) + 2))


def test_write_triplets__half_a_surrogate_pair_is_refused_before_anything_is_written(tmp_path):
    path = tmp_path / "t.txt"
    with pytest.raises(InvalidTripletError, match="half of a surrogate pair"):
        write_triplets(TripletSet.from_labels([("a", "\ud800", "c")]), path)
    assert not path.exists()


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_triplet_tables__blanks_around_cells_are_no_part_of_labels_but_in_quotes(end):
    t = read(f'a , b,c\nx , y,z \ny,  x,"z "\n"u" ,"p , q" ,z{end}')
    assert sorted(t) == sorted([("x", "y", "z"), ("x", "y", "z "), ("p , q", "u", "z")])


@pytest.mark.parametrize("name", ["text", "csv", "tsv"])
@pytest.mark.parametrize("label", ["b ", " b", " b ", " ", 'b" '])
def test_triplet_files__a_label_keeps_its_blanks(label, name):
    t = TripletSet.from_labels([("a", label, "b"), ("c", label, "b")])
    assert read(write_triplets(t, format=name), format=name) == t


def test_triplet_tables__many_blanks_take_no_longer():
    text = "a,b,c\n" + "x,y," + " " * 300_000 + "z\n" + "x," + "y" + " " * 300_000 + ",w\n"
    assert sorted(read(text)) == [("x", "y", "w"), ("x", "y", "z")]


@pytest.mark.parametrize("columns", [3, "abc", ["a", "b"], ["a", "b", "b"], ["a", "b", ["c"]]])
def test_read_triplets__columns_are_three_names(columns):
    with pytest.raises(ValueError, match=r"columns must be the names of three columns, for a, b and c of ab\|c"):
        read_triplets(io.StringIO("a,b,c\nx,y,z\n"), columns=columns)
