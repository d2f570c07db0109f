"""The places where triplets were read stay with them: through files, subsets, unions, repeats and pickles."""

import io
import pickle

import numpy as np
import pytest

from tripletree.algorithms.conflict import find_conflict
from tripletree.core.provenance import Origin, Origins, phrase
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidTripletError
from tripletree.io.answers import read_odd_one_out
from tripletree.io.triplets import read_triplets, write_triplets

TEXT = "# first\nc d | a\n\nb a | c\nx y | z\na b | c\n"


def places(t):
    return {row: t.origins[k] for k, row in enumerate(t)}


def test_origins__lines_of_a_text_file(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_text(TEXT)
    name = str(path)
    t = read_triplets(path)
    assert places(t) == {
        ("a", "b", "c"): Origin(name, "line", 4, 2),
        ("c", "d", "a"): Origin(name, "line", 2),
        ("x", "y", "z"): Origin(name, "line", 5),
    }
    assert str(t.origins[0]) == f"line 4 of {name}"
    assert repr(t.origins) == f"<Origins: 3 places in {name}>"


def test_origins__lines_of_a_table_and_rows_of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    t = read_triplets(io.StringIO('a,b,c,weight\n"x\ny",v,w,1\np,q,r,2\n'), format="csv")
    assert {x.number for x in places(t).values()} == {2, 4}
    write_triplets(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")]), tmp_path / "t.parquet")
    t = read_triplets(tmp_path / "t.parquet")
    assert [t.origins[k].unit for k in range(2)] == ["row", "row"]
    assert [t.origins[k].number for k in range(2)] == [1, 2]


def test_origins__answers_given_twice():
    t = read_odd_one_out(io.StringIO("a,b,c,odd\ncat,eel,dog,eel\ncat,dog,fly,fly\ndog,cat,eel,eel\n"))
    assert {row: (x.number, x.times) for row, x in places(t).items()} == {
        ("cat", "dog", "eel"): (2, 2),
        ("cat", "dog", "fly"): (3, 1),
    }


def test_origins__follow_their_triplets():
    t = read_triplets(io.StringIO(TEXT))
    whole = places(t)
    for part in (
        t.subset([2, 0]),
        t.reindex(["z", "y", "x", "d", "c", "b", "a"]),
        t.restrict(["d", "c", "a", "b"]),
        t - TripletSet.from_labels([("x", "y", "z")]),
        t & TripletSet.from_labels([("x", "y", "z")]),
        pickle.loads(pickle.dumps(t)),
    ):
        labels = {frozenset(row[:2]) | {("odd", row[2])}: x for row, x in whole.items()}
        assert len(part) > 0
        for row, origin in places(part).items():
            assert labels[frozenset(row[:2]) | {("odd", row[2])}] == origin


def test_origins__of_a_union():
    one = read_triplets(io.StringIO("a b | c\nd e | f\n"))
    two = read_triplets(io.StringIO("\nd e | f\ng h | a\n"))
    plain = TripletSet.from_labels([("a", "b", "c"), ("p", "q", "r")])
    both = one | two
    assert {row: (x.number, x.times) for row, x in places(both).items()} == {
        ("a", "b", "c"): (1, 1),
        ("d", "e", "f"): (2, 2),
        ("g", "h", "a"): (3, 1),
    }
    for mixed in (one | plain, plain | one):
        known = {row: x and x.number for row, x in places(mixed).items()}
        assert known == {("a", "b", "c"): 1, ("d", "e", "f"): 2, ("p", "q", "r"): None}
    assert (plain | plain).origins is None


def test_origins__do_not_count_for_equality():
    assert read_triplets(io.StringIO("a b | c\n")) == TripletSet.from_labels([("a", "b", "c")])


def test_origins__on_huge_indexes_too():
    # beyond two million leaves rows no longer fit one number
    n = 3_000_000
    rows = [(n - 1, 5, 7), (1, 2, 3), (5, n - 1, 7)]
    t = TripletSet(rows, n, origins=Origins.of_lines("big.txt", "line", [4, 5, 6]))
    assert t.rows.tolist() == [[1, 2, 3], [5, n - 1, 7]]
    assert [(t.origins[k].number, t.origins[k].times) for k in range(2)] == [(5, 1), (4, 2)]


def test_origins__one_for_each_row():
    with pytest.raises(InvalidTripletError, match="origins must have one entry for each of the 1 rows, not 2"):
        TripletSet([(0, 1, 2)], 3, origins=Origins.of_lines(None, "line", [1, 2]))


def test_origins__of_no_rows():
    assert len(TripletSet(np.empty((0, 3), int), 3, origins=Origins.of_lines("x", "line", [])).origins) == 0


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([Origin("a", "line", 7)], "line 7 of a"),
        ([Origin(None, "row", 9), Origin(None, "row", 3)], "rows 3 and 9"),
        ([Origin("a", "line", k) for k in range(1, 30)], "lines 1, 2, 3 and 26 more of a"),
        (
            [Origin("b", "line", 1), Origin("a", "line", 2), Origin("b", "line", 5)],
            "lines 1 and 5 of b and line 2 of a",
        ),
        ([], ""),
    ],
)
def test_phrase__in_words(found, words):
    assert phrase(found, most=3) == words


def test_conflict__names_the_lines_of_its_triplets():
    t = read_triplets(io.StringIO("# x\na b | c\nx y | z | 2\nb c | d\nb a | c\nc d|a\n"))
    conflict = find_conflict(t)
    assert conflict.places == "lines 2, 4 and 6 of the stream"
    lines = str(conflict).split("\n")
    assert lines[0] == ("These 3 triplets cannot all hold (lines 2, 4 and 6 of the stream), though any 2 of them can.")
    assert lines[2] == "  a b | c  keeps a and b together  weight 2, line 2, said 2 times"
    assert conflict.to_dict()["triplets"][0] == {
        "a": "a",
        "b": "b",
        "c": "c",
        "weight": 2.0,
        "source": "<stream>",
        "line": 2,
        "times": 2,
    }
