"""Tables of pairs whose third column has an unknown name, or that have no link, and headers with blanks between."""

from __future__ import annotations

import io
import re
import shlex

import pandas as pd
import pytest

from tripletree.core.notes import collected
from tripletree.errors import ParseError
from tripletree.io import read_answers, read_comparisons, read_pairs, read_triplets

IDS = [("rec_id_1", "rec_id_2"), ("unique_id_l", "unique_id_r"), ("id1", "id2")]


def pairs_of(text, **options):
    return list(read_pairs(io.StringIO(text), **options))


def table_of(pair, third, cells):
    rows = [("x", "y"), ("y", "z"), ("v", "w")]
    return (
        "\n".join([",".join([*pair, third]), *(f"{a},{b},{c}" for (a, b), c in zip(rows, cells, strict=True))]) + "\n"
    )


def both(error):
    """The columns that an error proposes, the link's first."""
    found = str(error.value).split("columns=(")[1:]
    return [tuple(x.partition(")")[0].replace("'", "").split(", ")) for x in found]


def commands(error):
    """The calls that an error shows, of the source called path."""
    return re.findall(r"read_pairs\(path(?:\([^()]*\)|[^()])*\)", str(error.value))


@pytest.mark.parametrize("as_frame", [False, True])
@pytest.mark.parametrize("pair", IDS)
@pytest.mark.parametrize(
    ("cells", "links"),
    [((0.9, 0.2, 0.75), ["must", "cannot", "must"]), ((0.5, -0.25, 1.0), ["must", "cannot", "must"]),
     ((1, 0, 1), ["must", "cannot", "must"]), (("yes", "no", "yes"), ["must", "cannot", "must"])],
)  # fmt: skip
def test_read_pairs__a_column_of_unknown_name_is_asked_for(pair, cells, links, as_frame):
    """id1,id2,score: is score the link, or are all pairs must-links, which score says something about?"""
    text = table_of(pair, "rating", cells)

    def source():
        return pd.read_csv(io.StringIO(text)) if as_frame else io.StringIO(text)

    with pytest.raises(ParseError, match="no column is known for the link") as error:
        read_pairs(source())
    named, *turned, plain = both(error)
    assert named == (*pair, "rating")
    assert plain == pair
    found = read_pairs(source(), columns=named)
    assert sorted(found) == sorted(zip("xyv", "yzw", links, strict=True))
    assert {x for _, _, x in read_pairs(source(), columns=plain)} == {"must"}
    calls = [eval(x, {"read_pairs": read_pairs, "path": source()}) for x in commands(error)]
    assert calls[0] == found
    assert turned == ([(*pair, "rating")] if len({*cells}) == 2 and 0.9 not in cells else [])
    for other in calls[1:-1]:  # where 1 or yes is a cannot-link
        assert {(*x[:2], x[2] != "must") for x in other} == {(*x[:2], x[2] == "must") for x in found}


@pytest.mark.parametrize("cells", [("+", "-", "+"), (1, -1, 1), ("must", "cannot", "must"), ("ML", "CL", "ML")])
def test_read_pairs__cells_that_are_links_and_nothing_else_are_the_link(cells):
    wanted = [("v", "w", "must"), ("x", "y", "must"), ("y", "z", "cannot")]
    assert sorted(pairs_of(table_of(IDS[2], "sign", cells))) == wanted


def test_read_pairs__people_are_no_links():
    with pytest.raises(ParseError) as error:
        pairs_of(table_of(IDS[2], "rater", ["Ann", "Bob", "Ann"]))
    assert both(error) == [("id1", "id2")]


def test_read_pairs__numbers_are_probabilities_or_signs_with_weights():
    found = read_pairs(io.StringIO(table_of(IDS[2], "z", [0.5, -0.25, 1])), columns=("id1", "id2", "z"))
    assert found.must_weights.tolist() == [1.0, 0.5]
    assert found.cannot_weights.tolist() == [0.25]
    found = read_pairs(io.StringIO(table_of(IDS[2], "z", [0.9, 0.25, 1])), columns=("id1", "id2", "z"))
    assert found.must_weights.tolist() == pytest.approx([1.0, 0.8])
    assert found.cannot_weights.tolist() == [0.5]
    with pytest.raises(ParseError, match=r"'7.5' is not a link, nor a number from -1 to 1"):
        read_pairs(io.StringIO(table_of(IDS[2], "z", [7.5, -3, 1])), columns=("id1", "id2", "z"))


def test_read_pairs__pairs_without_a_link_keep_their_weights():
    found = read_pairs(io.StringIO("id1,id2,weight\nx,y,0.5\ny,z,1\n"), columns=("id1", "id2"))
    assert list(found) == [("x", "y", "must"), ("y", "z", "must")]
    assert found.must_weights.tolist() == [0.5, 1.0]
    with pytest.raises(ValueError, match="names of three columns"):
        read_triplets(io.StringIO("a,b,c\nx,y,z\n"), columns=("a", "b"))


@pytest.mark.parametrize(
    "text",
    ["id1 id2 y\nx y 1\ny z 0\n", "item1  item2  link\nx y must\ny z cannot\n",
     "# of May\nlink id1 id2\nmust x y\n0 y z\n",
     "a b link weight\nx y must 1\ny z cannot 1 # surely\n", "item1,item2,link\nx,y,must\ny,z,cannot\n"],
)  # fmt: skip
def test_read_pairs__a_header_in_text_is_no_pair(text):
    """id1 and id2 were two more leaves, and y their must-link."""
    assert pairs_of(text) == [("x", "y", "must"), ("y", "z", "cannot")]


def test_read_pairs__a_first_pair_is_no_header():
    assert pairs_of("item1 item2 link\nitem2 item3 must\n")[0] == ("item1", "item2", "must")
    assert pairs_of("a b same\nc d different\n") == [("a", "b", "must"), ("c", "d", "cannot")]


def test_read_triplets__a_header_in_text_with_blanks():
    text = "# of May\na b c\nant bee cat\n'big dog' cow ant # sure\n"
    wanted = [("ant", "bee", "cat"), ("big dog", "cow", "ant")]
    assert sorted(read_triplets(io.StringIO(text))) == wanted
    text = text.replace("a b c", "near1 near2 far")
    assert sorted(read_triplets(io.StringIO(text), columns=("near1", "near2", "far"))) == wanted
    with pytest.raises(ParseError, match="2 fields under 3 names of columns"):
        read_triplets(io.StringIO("a b c\nant bee\n"))


def test_check__a_column_of_unknown_name_is_asked_for(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from tripletree.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text(table_of(IDS[0], "rating", [0.9, 0.1, 0.8]))
    told = CliRunner().invoke(main, ["check", "p.csv"]).stderr
    told = re.findall(r"'tripletree ([^']*)'", told)
    results = [CliRunner().invoke(main, shlex.split(x)).output for x in told]
    assert ["2 must-links and 1 cannot-link" in results[0], "3 must-links and 0" in results[1]] == [True, True]


def test_read_pairs__a_column_that_could_be_weights_is_told():
    with collected() as notes:
        read_pairs(io.StringIO("a,b,link,confidence\nx,y,1,0.5\n"), format="csv")
        read_pairs(io.StringIO("a,b,link,weight\nx,y,1,0.5\n"), format="csv")
    (told,) = notes
    assert "'confidence' is not used, as weights are called weight" in told.text


@pytest.mark.parametrize("read", [read_answers, read_comparisons, read_pairs, read_triplets])
@pytest.mark.parametrize(
    ("rows", "frame"),
    [([{"a": "x"}], r"pandas.DataFrame\(rows\)"), ([("x", "y")], r"pandas.DataFrame\(rows, columns=")],
)
def test_readers__rows_in_lists_are_frames(read, rows, frame):
    with pytest.raises(TypeError, match=frame):
        read(rows)
