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
from tripletree.io.pairs import looks_like_pairs

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


def decided(header, *rows):
    """What is read of pairs u v, w x, y z whose other cells are given, and the notes."""
    text = "\n".join([header, *(f"{a},{b},{x}" for (a, b), x in zip(["uv", "wx", "yz"], rows, strict=False))]) + "\n"
    with collected() as notes:
        found = read_pairs(io.StringIO(text), format="csv")
    return list(found), [x.text for x in notes]


#: u v is said to be different, with a number that says the same, and w x the same, with one that says different.
DECISIONS = [
    ("id1,id2,link,probability", "cannot,0.9", "must,0.2", "link", "probability"),
    ("id_a,id_b,label,prob", "Different,0.9", "same,0.3", "label", "prob"),
    ("id1,id2,decision,score", "non-match,0.9", "match,0.1", "decision", "score"),
    ("uid_l,uid_r,decision,score,match_probability", "non-match,9.5,0.9", "match,-3,0.3", "decision", "score"),
    ("id1,id2,is_match,match_probability", "0,0.9", "1,0.2", "is_match", "match_probability"),
    ("id1,id2,different,p_match", "yes,0.9", "no,0.2", "different", "p_match"),
    ("id1,id2,finding,probability", "apart,0.9", "together,0.2", "finding", "probability"),
    ("id1,id2,match_probability,clerical_match_score", "0.9,0.0", "0.2,1.0", "clerical_match_score",
     "match_probability"),
    ("a,b,link,probability", "0,0.9", "1,0.2", "link", "probability"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "first", "second", "by", "aside"), DECISIONS)
def test_read_pairs__a_decision_counts_more_than_a_probability(header, first, second, by, aside):
    found, told = decided(header, first, second)
    assert found == [("w", "x", "must"), ("u", "v", "cannot")]
    assert f"by {by!r}, not by {aside!r}" in told[0]


@pytest.mark.parametrize(
    ("header", "rows", "columns"),
    [
        ("id1,id2,label,prob", ("1,0.9", "0,0.3"), ["label", "label", "prob"]),
        ("id1,id2,label,prob", ("related,0.9", "same,0.3"), ["label", "label", "prob"]),
        ("id1,id2,clerical,matched_by_hand,prob", ("x,1,0.9", "y,0,0.3"), ["matched_by_hand", "prob"]),
        ("id1,id2,match_probability,clerical_match_score", ("0.9,0.3", "0.3,0.8"),
         ["match_probability", "clerical_match_score"]),
        ("id1,id2,same_brand,match", ("1,0", "0,1"), ["same_brand", "match"]),
        ("id1,id2,match,same_shop", ("yes,no", "yes,yes"), ["match", "same_shop"]),
        ("id1,id2,link,duplicate,prob", ("1,0,0.5", "0,1,0.5"), ["link", "duplicate", "prob"]),
        ("id1,id2,match,different", ("1,0", "1,1"), ["match", "different"]),
    ],
)  # fmt: skip
def test_read_pairs__of_several_decisions_one_is_asked_for(header, rows, columns):
    with pytest.raises(ParseError, match=r"line 1: which column has the link of 'id1' and 'id2'\?") as error:
        decided(header, *rows)
    assert both(error) == [*(("id1", "id2", x) for x in columns), ("id1", "id2")]


def test_read_pairs__decisions_that_agree_are_one():
    found, told = decided("id1,id2,similar,different", "1,0", "0,1", "1,0")
    assert found == [("u", "v", "must"), ("y", "z", "must"), ("w", "x", "cannot")]
    assert told == ["read 3 pairs of 'id1' and 'id2', by 'similar'; not used: 'different'"]


@pytest.mark.parametrize(
    "name",
    ["non_match_probability", "probability_different", "no_match_prob", "prob_nonmatch", "non_match", "distinct"],
)
def test_read_pairs__a_probability_of_no_match_is_turned(name):
    text = f"id1,id2,{name}\nu,v,0.9\nw,x,0.25\n"
    with collected() as notes:
        found = read_pairs(io.StringIO(text))
        assert list(found) == list(read_pairs(io.StringIO(text), columns=("id1", "id2", name)))
    assert list(found) == [("w", "x", "must"), ("u", "v", "cannot")]
    assert [*found.must_weights, *found.cannot_weights] == pytest.approx([0.5, 0.8])
    told = [x.text for x in notes if x.topic == "links"]
    assert {*told} == {f"{name!r} says that two differ: there high numbers are cannot-links"}


@pytest.mark.parametrize("name", ["probability_same", "match_prob", "probability_of_match", "prob_duplicate"])
def test_read_pairs__a_probability_of_a_match_is_known(name):
    assert decided(f"id1,id2,{name}", "0.9", "0.2")[0] == [("u", "v", "must"), ("w", "x", "cannot")]


@pytest.mark.parametrize(
    ("header", "yes", "no"),
    [
        *(("Gast1,Gast2,Streit", "ja", "nein"), ("guest_a,guest_b,enemies", "yes", "no"), ("p1,p2,avoid", "1", "0")),
        *(("record1,record2,false_match", "1", "0"), ("id1,id2,false_match", "1", "0"), ("Bild A,Bild B,?!", "1", "0")),
        ("left,right,avoid", "TRUE", "FALSE"),
    ],
)
@pytest.mark.parametrize("format", [None, "csv"])
def test_read_pairs__under_an_unknown_word_both_readings_are_shown(header, yes, no, format):
    text = f"{header}\nann,ben,{yes}\nben,eve,{no}\n"
    with pytest.raises(ParseError, match="no column is known for the link") as error:
        read_pairs(io.StringIO(text), format=format)
    path = io.StringIO  # each command reads the text anew
    readings = [list(eval(x, {"read_pairs": lambda _, **how: read_pairs(path(text), **how), "path": 0}))
                for x in commands(error)]  # fmt: skip
    one, other = ("ann", "ben"), ("ben", "eve")
    assert [{(a, b): c for a, b, c in x} for x in readings] == [
        {one: "must", other: "cannot"}, {one: "cannot", other: "must"}, {one: "must", other: "must"}
    ]  # fmt: skip
    assert looks_like_pairs(text, None, ("a", "b", "link"), format)


@pytest.mark.parametrize("name", ["Unterschied", "abgelehnt", "unverträglich", "incompatible"])
def test_read_pairs__words_for_two_that_differ(name):
    text = f"Gast1;Gast2;{name}\nann;ben;ja\nben;eve;nein\n"
    assert pairs_of(text) == [("ben", "eve", "must"), ("ann", "ben", "cannot")]


def test_pairs__three_columns_of_a_kind_are_no_header_of_pairs():
    assert not looks_like_pairs("a,b,c\n5,7,1\n3,9,0\n", None, ("a", "b", "link"), None)


@pytest.mark.parametrize("first", ["ann1,ann2,mst", "1,2,mst", "cat1,dog,mst"])
def test_read_pairs__a_first_pair_with_a_slip_is_no_header(first):
    with pytest.raises(ParseError, match="'mst' is not a link"):
        pairs_of(f"{first}\nann3,ann1,1\nann2,ann4,0\n")


@pytest.mark.parametrize(
    ("header", "row"),
    [("who,item1,item2,rating", "1,{},{},8"), ("trial,item1,item2,rating", "0,{},{},3"),
     ("id1,id2,person", "{},{},1"), ("id1,id2,rating", "{},{},7"), ("id1,id2,rating,session", "{},{},5,1")],
)  # fmt: skip
def test_read_pairs__numbers_of_people_and_ratings_are_no_links(header, row):
    text = "\n".join([header, row.format("u", "v"), row.format("w", "v"), row.format("w", "x").replace("8", "2")])
    with pytest.raises(ParseError) as error:
        pairs_of(text + "\n", format="csv")
    if "unless bounds make such of them" in str(error.value):  # of a score: which, is for the reader to say
        assert all(x == ("item1", "item2", "rating") for x in both(error))
    else:
        assert "codes=" not in str(error.value)
        assert all(len(x) == 2 for x in both(error))


@pytest.mark.parametrize(
    ("header", "link"),
    [("cannot_link_1,cannot_link_2", "cannot"), ("must_link_1,must_link_2", "must"), ("apart_a,apart_b", "cannot"),
     ("unverträglich1,unverträglich2", "cannot"), ("same_l,same_r", "must"), ("CannotLink1,CannotLink2", "cannot")],
)  # fmt: skip
def test_read_pairs__two_columns_that_are_called_by_their_link(header, link):
    text = f"{header}\nu,v\nw,x\n"
    wanted = [("u", "v", link), ("w", "x", link)]
    assert pairs_of(text) == pairs_of(text, columns=tuple(header.split(","))) == wanted
    weighted = read_pairs(io.StringIO(f"{header},weight\nu,v,0.5\nw,x,1\n"))
    assert list(weighted) == wanted
    assert [*weighted.must_weights, *weighted.cannot_weights] == [0.5, 1.0]
