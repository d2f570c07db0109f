"""Pair files: each format by hand, every bad row with its line, and round trips of anything."""

import gzip
import io
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tripletree.cli import main
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, InconsistentPairsError, InvalidPairError, ParseError
from tripletree.io.pairs import looks_like_pairs, read_pairs, write_pairs
from tripletree.io.triplets import write_triplets

NASTY = st.one_of(st.text(max_size=5), st.text(alphabet="ab'\"|#!, ;\n\r\t\ufeff\xa0\u2028\x1c\x85", max_size=5))


def read(text, **options):
    return read_pairs(io.StringIO(text), **options)


# ---------------------------------------------------------------------- text


@pytest.mark.parametrize(
    "text",
    [
        "human chimp must\nhuman gorilla cannot",
        "human,chimp,must\nhuman , gorilla,cannot",
        "  'human' \"chimp\" MUST  # comment\n\n# a comment | line\n gorilla\thuman\tCannot-Link\r\n",
        "\ufeffchimp human ML\rgorilla human CL\r",
        "chimp human 1\ngorilla human -1",
        "chimp human +1\ngorilla human -1\ngorilla human -",
        "chimp human +\ngorilla human cannot_link\nhuman chimp must_link",
        "#!leaves human\nchimp human must-link\ngorilla human 'cannotlink'",
    ],
)
def test_pair_text__both_links(text):
    p = read(text)
    assert list(p) == [("chimp", "human", "must"), ("gorilla", "human", "cannot")]
    assert p.must_weights is None


def test_pair_text__labels_in_quotes_weights_and_leaves():
    p = read("'Homo sapiens' \"it's\" must 0.5\na 'x|y', cannot , 1e-1\na must must\n#!leaves z 'y y'\n")
    assert list(p) == [("Homo sapiens", "it's", "must"), ("a", "must", "must"), ("a", "x|y", "cannot")]
    assert (p.must_weights.tolist(), p.cannot_weights.tolist()) == ([0.5, 1.0], [0.1])
    assert write_pairs(p) == "#!leaves 'y y' z\n'Homo sapiens' it's must 0.5\na must must 1.0\na 'x|y' cannot 0.1\n"
    assert read("a b must 0\na c must 1") == read("a c must 1", leaves=["a", "b", "c"]) | read("a c must 1.0")
    assert len(read("").leaves) == 0


def test_pair_text__files_of_row_numbers():
    p = read("0 2 1\n2 4 -1\n4 2 -1\n", leaves=5)
    assert p.leaves == LeafIndex(5)
    assert (p.must_link.tolist(), p.cannot_link.tolist()) == ([[0, 2]], [[2, 4]])
    assert list(read("0 2 1").leaves) == ["0", "2"]
    with pytest.raises(ParseError, match="line 2: '5' is none of the 5 leaves"):
        read("0 1 1\n5 1 -1", leaves=5)


BAD_LINES = [
    ("a b", 3, "2 fields: expected 'a b must' or 'a b cannot'"),
    ("a", 1, "1 field: expected"),
    ("a b must 1 2", 12, "5 fields.*blanks must stand in quotes"),
    ("Homo sapiens a b must", 18, "5 fields"),
    ("a b perchance", 5, "'perchance' is not a link: expected must or cannot"),
    ("a b 3", 5, "'3' is not a link"),
    ("a,b,2", 5, "'2' is not a link"),
    ("a b must strong", 10, "the weight 'strong' is not a number in 0..1"),
    ("a b must 1.5", 10, "the weight '1.5' is not a number in 0..1"),
    ("a b must -0.5", 10, "the weight '-0.5'"),
    ("a b must nan", 10, "the weight 'nan'"),
    ("a 'a' cannot", 3, "'a' stands twice: the two leaves must differ"),
    ("a b | c", 5, "a '|' stands in lines of triplets"),
    ("a,,b must", 3, "nothing stands beside this comma"),
    ("a b must,", 9, "nothing stands beside this comma"),
    (", a b must", 1, "nothing stands beside this comma"),
    ("a 'b must", 3, "quote is never closed"),
    ("#!leafs x", 1, "must be '#!leaves'"),
    ("#!leaves a, b", 11, "labels with white space between"),
]


@pytest.mark.parametrize(("line", "column", "message"), BAD_LINES)
def test_pair_text__a_bad_line(line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        read(f"# comment\nx y must\n{line}\nx z cannot\n")
    assert (error.value.line, error.value.column) == (3, column)
    assert str(error.value).endswith(f"\n  {line}\n  {' ' * (column - 1)}^")
    assert len(error.value.problems) == 1


def test_pair_text__all_bad_lines_are_reported():
    with pytest.raises(ParseError) as error:
        read("x y must\n" + "".join(line + "\n" for line, _, _ in BAD_LINES))
    assert [p.split(":")[0] for p in error.value.problems] == [f"line {k}" for k in range(2, len(BAD_LINES) + 2)]
    with pytest.raises(ParseError, match="20 problems"):
        read("a a cannot\n" * 50)


def test_pair_text__contradictions_name_their_lines(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_text("# asked on Monday\na b must\nb c must\nx y cannot\nc a cannot\na b must\n")
    p = read_pairs(path)
    assert p.must_origins[0].times == 2
    with pytest.raises(InconsistentPairsError) as caught:
        p.closure()
    assert f"a - b - c (lines 2 and 3 of {path})" in str(caught.value)
    assert f"cannot-link (line 5 of {path})" in str(caught.value)
    assert [x.number for x in caught.value.origins] == [2, 3, 5]


# ---------------------------------------------------------------------- tables


@pytest.mark.parametrize(
    "text",
    [
        "a,b,link\nchimp,human,must\ngorilla,human,cannot\n",
        "a\tb\tlink\nchimp\thuman\t1\ngorilla\thuman\t-1\n",
        "# a comment\nlink,note,b,a\nmust,x,chimp,human\ncannot,y,human,gorilla\n",
        'a;b;link\nchimp;"human";must\ngorilla;human;cannot\n',
    ],
)
def test_pair_tables__are_known_by_their_header(text):
    assert list(read(text)) == [("chimp", "human", "must"), ("gorilla", "human", "cannot")]


def test_pair_tables__without_header_and_of_other_names():
    assert len(read("chimp,human,must\ngorilla,human,cannot,\n".replace(",\n", "\n"), format="csv")) == 2
    assert read("x\ty\tML\t0.5\n", format="tsv").must_weights.tolist() == [0.5]
    text = "id1,id2,same,sure\nx,y,1,0.25\n"
    p = read(text, format="csv", columns=["id1", "id2", "same"], weight="sure")
    assert (list(p), p.must_weights.tolist()) == ([("x", "y", "must")], [0.25])
    assert read(text, columns=["id1", "id2", "same"], weight=None).must_weights is None
    text = text.replace("id1", "mine").replace("id2", "other")
    with pytest.raises(ParseError, match="line 1.* if this is a header: .* columns=.'mine', 'other', 'same'"):
        read(text, format="csv")
    with pytest.raises(ParseError, match="5 columns and no header with a, b, link"):
        read("1,2,3,4,5\n", format="csv")
    with pytest.raises(ValueError, match="columns must be the names of three columns"):
        read("", columns=["a"])
    with pytest.raises(ValueError, match="format must be one of 'text', 'csv', 'tsv', 'parquet', not 'xml'"):
        read("", format="xml")


def test_pair_tables__bad_rows_are_reported_together():
    with pytest.raises(ParseError) as error:
        read("a,b,link,weight\nx,,must,1\nx,x,cannot,1\nx,y,perhaps,1\nx,y,must,2\nx,y,must,\n")
    problems = error.value.problems
    assert [p.split(":")[0] for p in problems] == [f"line {k}" for k in range(2, 7)]
    for problem, words in zip(
        problems, ["cell of b is empty", "twice", "is not a link", "'2' is no", "'' is no"], strict=True
    ):
        assert words in problem


def test_pair_tables__data_frames():
    frame = pd.DataFrame({"a": [1, 2], "b": [2, 3], "link": [1, -1], "weight": [0.5, 1.0]})
    p = read_pairs(frame, leaves=4)
    assert (p.must_link.tolist(), p.cannot_link.tolist()) == ([[1, 2]], [[2, 3]])
    assert p.must_weights.tolist() == [0.5]
    with pytest.raises(ParseError, match="row 2: 'perchance' is not a link"):
        read_pairs(pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "link": ["must", "perchance"]}))


def test_pair_tables__parquet(tmp_path):
    pytest.importorskip("pyarrow")
    p = PairwiseConstraints.from_labels(
        [("a", ""), ("b", "c")], [("b", "line\nend")], ["z", "line\nend", "", "a", "b", "c"], must_weights=[0.5, 0.1]
    )
    path = tmp_path / "pairs.parquet"
    write_pairs(p, path)
    back = read_pairs(path)
    assert back == p
    assert back.leaves == p.leaves
    with path.open("rb") as stream:
        assert read_pairs(stream) == p
    with pytest.raises(
        ParseError, match="the table lacks the column .link2.; it has .*: If 'link' is the link: read_pairs"
    ):
        read_pairs(path, columns=["a", "b", "link2"])
    with pytest.raises(ValueError, match="give a path"):
        write_pairs(p, format="parquet")
    with pytest.raises(TypeError, match="Parquet is binary"):
        read("", format="parquet")


# ---------------------------------------------------------------------- round trips


@st.composite
def labelled(draw, labels):
    names = draw(st.lists(labels, min_size=2, max_size=6, unique=True))
    pair = st.permutations(names).map(lambda x: tuple(x[:2]))
    must, cannot = draw(st.lists(pair, max_size=6)), draw(st.lists(pair, max_size=6))
    strong = draw(st.booleans())
    weights = st.floats(0, 1, exclude_min=True)
    drawn = [[draw(weights) for _ in kind] if strong else None for kind in (must, cannot)]
    return PairwiseConstraints.from_labels(must, cannot, names, must_weights=drawn[0], cannot_weights=drawn[1])


@given(labelled(NASTY))
def test_pair_files__every_format_gives_the_same_pairs_back(p):
    labels = list(p.leaves)
    if not any("\n" in x or "\r" in x for x in labels):
        assert read(write_pairs(p)) == p
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert read(write_pairs(p), leaves=p.leaves).leaves == p.leaves
    else:
        with pytest.raises(InvalidPairError, match="line end"):
            write_pairs(p)
    for kind in ("csv", "tsv"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if "" in labels:
                with pytest.raises(InvalidPairError, match="empty label"):
                    write_pairs(p, format=kind)
            else:
                assert read(write_pairs(p, format=kind), format=kind, leaves=p.leaves) == p
    stream = io.BytesIO()
    write_pairs(p, stream, format="parquet")
    assert read_pairs(io.BytesIO(stream.getvalue())) == p


@pytest.mark.parametrize("name", ["text", "csv", "tsv"])
def test_pair_files__labels_that_differ_by_a_blank_are_two(name):
    p = PairwiseConstraints.from_labels(must_link=[("a", "b")], cannot_link=[("a", "b ")])
    assert read(write_pairs(p, format=name), format=name) == p


def test_pair_files__suffixes_and_packing(tmp_path):
    p = PairwiseConstraints.from_labels([("a", "b")], [("b", "c")])
    for name in ("p.txt", "p.csv", "p.tsv", "p.parquet", "p.csv.gz", "p.txt.xz", "p"):
        write_pairs(p, tmp_path / name)
        assert read_pairs(tmp_path / name) == p
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()) == b"a,b,link\na,b,must\nb,c,cannot\n"
    with pytest.raises(FileNotFoundError):
        read_pairs(tmp_path / "none.txt")


def test_pair_files__what_is_lost_or_cannot_be_written():
    lonely = PairwiseConstraints([(0, 1)], [], 3)
    with pytest.warns(UserWarning, match="1 of 3 leaves are in no pair, and CSV has no place"):
        write_pairs(lonely, format="csv")
    with pytest.raises(DuplicateLeafError, match="once all labels are written as text"):
        write_pairs(PairwiseConstraints([(0, 1)], [], [1, "1"]))
    with pytest.raises(TypeError, match="expected PairwiseConstraints"):
        write_pairs([(0, 1)])
    many = PairwiseConstraints(np.empty((0, 2), int), [], [f"leaf {i:03}" for i in range(100)])
    assert max(map(len, write_pairs(many).splitlines())) < 120
    assert read(write_pairs(many)) == many


def test_pair_files__many_rows(rng):
    rows = rng.integers(0, 500, size=(5000, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    p = PairwiseConstraints(rows[:2500], rows[2500:], 500, cannot_weights=rng.random(len(rows) - 2500))
    for kind in ("text", "csv"):
        assert read(write_pairs(p, format=kind), leaves=500) == p


@pytest.mark.parametrize("columns", [5, None, "abc", ["a"], [["a"], "b", "c"], ["a", "a", "b"]])
def test_pair_tables__columns_are_three_names(columns):
    with pytest.raises(ValueError, match="columns must be the names of three columns"):
        read_pairs(io.StringIO("a b must"), columns=columns)


def test_pair_tables__another_header_is_told():
    with pytest.raises(ParseError, match=r"'opinion' is not a link: .* columns=\('a', 'b', 'opinion'\)"):
        read_pairs(io.StringIO("a,b,opinion\nx,y,must\n"))
    assert list(read_pairs(io.StringIO("id1,id2,opinion\nx,y,must\n"), format="csv")) == [("x", "y", "must")]
    assert len(read_pairs(io.StringIO("a,b,opinion\nx,y,must\n"), columns=("a", "b", "opinion"))) == 1
    frame = pd.DataFrame({"a": ["x"], "b": ["y"], "opinion": ["must"]})
    assert list(read_pairs(frame)) == [("x", "y", "must")]  # whose names are names
    with pytest.raises(ParseError) as caught:  # only the first row can be a header
        read_pairs(io.StringIO("x y must\nx z mst\n"))
    assert "header" not in str(caught.value)


@pytest.mark.parametrize("name", [None, "p.txt", "p.csv", "p.tsv", "p.parquet"])
def test_pair_files__half_a_surrogate_pair_cannot_be_written(tmp_path, name):
    p = PairwiseConstraints.from_labels([("a\ud800", "b")])
    with pytest.raises(InvalidPairError, match=r"the label 'a\\ud800' holds half of a surrogate pair"):
        write_pairs(p, None if name is None else tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("a b must\n", None, True),
        ("# x\n\n#!leaves z\n'a b', c, CL, 0.5\n", None, True),
        ("0 2 1\n2 4 -1\n", None, True),
        ("a b mst\na c must\n", None, True),  # a slip in a line
        ("a,b,link\nx,y,nothing\n", None, True),
        ("x,y,must\n", "csv", True),
        ("a b | c\n", None, False),
        ("a b | must\nb must must\n", None, False),
        ("a,b,c\nx,y,1\n", None, False),
        ("a,b,c\nx,y,must\n", "csv", False),
        ("'a | b' c must\n", None, True),  # a bar in quotes
        ("a b\n", None, False),
        ("'a b must\n", None, False),
        ("", None, False),
        ("", "csv", False),
    ],
)
def test_pair_files__are_told_from_triplets(text, name, found):
    for content in (text, text.encode()):
        assert looks_like_pairs(content, None, ("a", "b", "link"), name) is found


def test_pair_files__parquet_is_told_from_triplets(tmp_path):
    pytest.importorskip("pyarrow")
    write_pairs(PairwiseConstraints.from_labels([("a", "b")]), tmp_path / "p.parquet")
    write_triplets(TripletSet.from_labels([("a", "b", "c")]), tmp_path / "t.parquet")
    told = [
        looks_like_pairs((tmp_path / x).read_bytes(), x, ("a", "b", "link"), None) for x in ("p.parquet", "t.parquet")
    ]
    assert told == [True, False]


SPLINK = pd.DataFrame(
    {
        "match_weight": [5.1, -3.2, 0.0, 2.0],
        "match_probability": [0.95, 0.1, 0.5, 0.75],
        "unique_id_l": ["a1", "a1", "b7", "b7"],
        "unique_id_r": ["b7", "c3", "d4", "c3"],
        "name_l": ["ann", "ann", "bob", "bob"],
        "name_r": ["anne", "cy", "di", "cy"],
    }
)


@pytest.mark.parametrize("source", ["frame", "file", "parquet"])
def test_pair_files__probabilities_of_splink(tmp_path, source):
    path = SPLINK
    if source == "file":
        SPLINK.to_csv(path := tmp_path / "p.csv", index=False)
    elif source == "parquet":
        SPLINK.to_parquet(path := tmp_path / "p.parquet")
    found = read_pairs(path)
    assert list(found) == [("a1", "b7", "must"), ("b7", "c3", "must"), ("a1", "c3", "cannot")]
    assert np.allclose(found.must_weights, [0.9, 0.5])
    assert np.allclose(found.cannot_weights, [0.8])


def test_pair_files__pairs_of_recordlinkage():
    index = pd.MultiIndex.from_tuples([("r1", "r2"), ("r1", "r3")], names=["rec_id_1", "rec_id_2"])
    assert list(read_pairs(index)) == [("r1", "r2", "must"), ("r1", "r3", "must")]
    for one in (index, index.set_names([None, None])):
        found = read_pairs(pd.Series([0.9, 0.25], index=one))
        assert list(found) == [("r1", "r2", "must"), ("r1", "r3", "cannot")]
        assert np.allclose([*found.must_weights, *found.cannot_weights], [0.8, 0.5])
    frame = pd.DataFrame({"name": [1.0, 0.2], "match": [1, 0]}, index=index)
    assert list(read_pairs(frame)) == [("r1", "r2", "must"), ("r1", "r3", "cannot")]


def test_pair_files__columns_of_ids_that_are_not_clear():
    with pytest.raises(ParseError, match="row 2: '1.5' is not a link, nor a probability from 0 to 1"):
        read_pairs(SPLINK.assign(match_probability=[0.9, 1.5, 0.1, 0.2]))
    with pytest.raises(ParseError, match="lacks the columns 'a', 'b', 'link'"):
        read_pairs(SPLINK.assign(code_id_l=range(4), code_id_r=range(4)))
    with pytest.raises(ParseError, match="no column is known for the link of 'unique_id_l' and 'unique_id_r'"):
        read_pairs(SPLINK.drop(columns="match_probability"))
    with pytest.raises(ParseError, match=r"'same' is called like a link: columns=\('id1', 'id2', 'same'\)"):
        read_pairs(pd.DataFrame({"id1": ["x"], "id2": ["y"], "same": [0]}), columns=("id1", "id2"))


@pytest.mark.parametrize(
    ("must", "cannot"),
    [("must link", "cannot link"), ("Must Link", "Cannot_Link"), ("same cluster", "different clusters"), ("ML", "cl")],
)
def test_read_pairs__links_in_words_with_blanks(must, cannot):
    wanted = [("a", "b", "must"), ("a", "c", "cannot")]
    for head in ("a,b,link\n", ""):
        assert list(read_pairs(io.StringIO(f"{head}a,b,{must}\na,c,{cannot}\n"), format="csv")) == wanted
    assert list(read_pairs(io.StringIO(f"a b '{must}'\na c '{cannot}'\n"))) == wanted


@pytest.mark.parametrize("header", ["x,y,type", "Left,Right,Verdict", "item1,item2,relation"])
@pytest.mark.parametrize("links", [("match", "non-match"), ("same", "different"), ("must-link", "cannot-link")])
def test_pair_files__a_third_column_that_is_called_by_the_kind_of_pairs(tmp_path, header, links):
    text = f"{header}\ncat,dog,{links[0]}\ncat,eel,{links[1]}\n"
    wanted = [("cat", "dog", "must"), ("cat", "eel", "cannot")]
    assert list(read_pairs(io.StringIO(text))) == wanted
    assert list(read_pairs(pd.read_csv(io.StringIO(text)))) == wanted
    (tmp_path / "p.csv").write_text(text)
    done = CliRunner().invoke(main, ["check", str(tmp_path / "p.csv")])
    assert "1 must-link and 1 cannot-link on 3 leaves" in done.output


def test_pair_files__a_third_column_of_unknown_name_is_asked_for(tmp_path):
    (tmp_path / "p.csv").write_text("p,q,opinion\ncat,dog,match\ncat,eel,non-match\n")
    done = CliRunner().invoke(main, ["check", str(tmp_path / "p.csv")])
    assert "--columns p,q,opinion" in done.output
    assert "ab|c" not in done.output
    done = CliRunner().invoke(main, ["check", str(tmp_path / "p.csv"), "--columns", "p,q,opinion"])
    assert "1 must-link and 1 cannot-link on 3 leaves" in done.output
    with pytest.raises(ParseError, match="'mst' is not a link"):
        read_pairs(io.StringIO("x,y,mst\ncat,dog,must\ncat,eel,cannot\n"))


@pytest.mark.parametrize("header", ["item1,item2,link", "word_a,word_b,same", "left,right,match", "img1,img2,link,rt"])
@pytest.mark.parametrize("cells", [("1", "0"), ("must", "cannot"), ("yes", "no"), ("same", "different")])
def test_pair_tables__two_items_and_their_link_in_each_form(header, cells):
    """Frames and JSON as CSV, where the names are names for sure."""
    names = header.split(",")
    rows = [dict(zip(names, [*x, "5"], strict=False)) for x in (("u", "v", cells[0]), ("v", "w", cells[1]))]
    right = [("u", "v", "must"), ("v", "w", "cannot")]
    assert list(read_pairs(pd.DataFrame(rows))) == right
    assert list(read_pairs(io.StringIO(json.dumps(rows)))) == right
    text = pd.DataFrame(rows).to_csv(index=False)
    if cells[0] in ("must", "same") and "link" not in names:  # which may be a pair, too
        with pytest.raises(ParseError, match=re.escape(f"for a header read_pairs(path, columns={tuple(names[:3])!r})")):
            read_pairs(io.StringIO(text))
        return
    assert list(read_pairs(io.StringIO(text))) == right
