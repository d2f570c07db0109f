"""Comparisons d(anchor, near) < d(anchor, far), and odd-one-out answers, which are triplets: kept apart."""

import gzip
import io
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.algorithms.supervision import triplets_from_odd_one_out
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidTripletError, ParseError, TripletreeError
from tripletree.interop import comparisons_from_cblearn, comparisons_from_metric_learn, to_cblearn, to_metric_learn
from tripletree.io.answers import read_odd_one_out
from tripletree.io.comparisons import read_comparisons

#: Points on a line, far enough apart that all distances differ.
PLACES = np.array([0.0, 1.0, 3.0, 7.0, 15.0, 31.0])

trios = st.permutations(range(6)).map(lambda p: tuple(p[:3]))


def holds(row):
    """True if a comparison holds for the points on the line."""
    anchor, near, far = row
    return abs(PLACES[anchor] - PLACES[near]) < abs(PLACES[anchor] - PLACES[far])


# ---------------------------------------------------------------------- cblearn


def test_comparisons__of_cblearn_in_list_order_are_taken_as_they_are():
    query = np.array([[0, 2, 1], [0, 1, 2], [0, 2, 1]], np.uint32)
    rows = comparisons_from_cblearn(query)
    assert rows.tolist() == query.tolist()
    assert rows.dtype == np.int32
    rows[0, 0] = 5
    assert query[0, 0] == 0


@given(st.lists(trios, max_size=8))
def test_comparisons__of_cblearn_with_responses_hold_for_the_points_that_gave_them(query):
    truth = [holds(row) for row in query]
    for response in (truth, [1 if x else -1 for x in truth], np.array([1.0 if x else -1.0 for x in truth])):
        rows = comparisons_from_cblearn(query, response)
        assert rows.shape == (len(query), 3)
        assert all(holds(row) for row in rows.tolist())
        assert [sorted(row) for row in rows.tolist()] == [sorted(row) for row in query]
        assert [row[0] for row in rows.tolist()] == [row[0] for row in query]


def test_comparisons__of_cblearn_counts_stand_for_so_many_answers():
    rows = comparisons_from_cblearn([(0, 1, 2), (3, 4, 5), (1, 0, 2)], [2, -3, 1])
    assert rows.tolist() == [[0, 1, 2]] * 2 + [[3, 5, 4]] * 3 + [[1, 0, 2]]


@pytest.mark.parametrize(
    ("query", "response", "row", "message"),
    [
        ([(0, 1, 2), (0, 1, 1)], None, 1, r"query 1 is \[0, 1, 1\]: its three leaves must differ"),
        ([(0, 1, 2), (0, -1, 1)], None, 1, "query 1 is .*must lie in"),
        ([(0, 1, 2, 3)], None, None, r"got shape \(1, 4\)"),
        ([(0.0, 1.0, 2.0)], None, None, "integer leaf indices, got float64"),
        ([(0, 1, 2), (0, 1, 3)], [1, 0], 1, r"response 1 is 0, which is not a decision: leave such queries out"),
        ([(0, 1, 2), (0, 1, 3)], [np.nan, 1], 0, "response 0 is nan, which is not a decision"),
        ([(0, 1, 2), (0, 1, 3)], [1.5, 1], 0, "response 0 is 1.5, which is not a decision"),
        ([(0, 1, 2)], [1, 1], None, r"one entry for each of the 1 queries, not shape \(2,\)"),
        ([(0, 1, 2)], ["left"], None, "response must be true and false, or whole numbers"),
    ],
)
def test_comparisons__of_cblearn_refused(query, response, row, message):
    with pytest.raises(InvalidTripletError, match=message) as caught:
        comparisons_from_cblearn(query, response)
    assert caught.value.row == row


def test_comparisons__of_cblearn_tensors_are_told_how_to_become_lists():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="check_query_response"):
        comparisons_from_cblearn(sparse.coo_matrix((4, 16)))


def test_comparisons__to_cblearn_and_back():
    rows = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")]).to_comparisons()
    given = to_cblearn(rows)
    assert given.tolist() == rows.tolist() == [[0, 1, 2], [1, 2, 3], [1, 0, 2], [2, 1, 3]]
    assert given is not rows
    assert comparisons_from_cblearn(given).tolist() == rows.tolist()
    assert to_cblearn([]).shape == (0, 3)


# ---------------------------------------------------------------------- metric-learn


def test_comparisons__of_metric_learn_triplets():
    assert comparisons_from_metric_learn([(4, 2, 0), (4, 2, 0)]).tolist() == [[4, 2, 0]] * 2


@given(st.lists(st.tuples(trios, st.booleans(), st.booleans()), min_size=1, max_size=8))
def test_comparisons__of_metric_learn_quadruplets_say_the_same(drawn):
    quadruplets = []
    for (x, y, z), flip, turn in drawn:
        quadruplets.append([*((y, x) if flip else (x, y)), *((z, x) if turn else (x, z))])
    rows = comparisons_from_metric_learn(quadruplets).tolist()
    assert rows == [list(trio) for trio, _, _ in drawn]


@pytest.mark.parametrize(
    ("tuples", "row", "message"),
    [
        ([(0, 1, 0, 2), (0, 1, 2, 3)], 1, "quadruplet 1 is .* share no point, .* without an anchor"),
        ([(0, 1, 1, 0)], 0, "its three leaves must differ"),
        ([(0, 0, 0, 1)], 0, "its three leaves must differ"),
        ([(0, 1, 1)], 0, "triplet of metric-learn 0 is .*: its three leaves must differ"),
        (np.zeros((2, 3, 5)), None, "these are points, of shape .*preprocessor=X"),
        ([(0, 1)], None, "got shape"),
        ([(0, 1), (0, 1, 2)], None, "differ in length"),
    ],
)
def test_comparisons__of_metric_learn_refused(tuples, row, message):
    with pytest.raises(InvalidTripletError, match=message) as caught:
        comparisons_from_metric_learn(tuples)
    assert caught.value.row == row


@given(st.lists(trios, max_size=8))
def test_comparisons__to_metric_learn_and_back(rows):
    for form, width in (("triplets", 3), ("quadruplets", 4)):
        given = to_metric_learn(rows, form=form)
        assert given.shape == (len(rows), width)
        assert comparisons_from_metric_learn(given).tolist() == [list(x) for x in rows]
        if form == "quadruplets":
            assert all(
                (abs(PLACES[a] - PLACES[b]) < abs(PLACES[c] - PLACES[d])) == holds((a, b, d)) for a, b, c, d in given
            )


def test_comparisons__to_metric_learn_knows_two_forms():
    with pytest.raises(ValueError, match="form must be 'triplets' or 'quadruplets', not 'pairs'"):
        to_metric_learn([], form="pairs")


# ---------------------------------------------------------------------- no comparison becomes a triplet


@pytest.mark.parametrize("take", [comparisons_from_cblearn, comparisons_from_metric_learn, to_cblearn, to_metric_learn])
def test_comparisons__a_triplet_set_is_none(take):
    with pytest.raises(TypeError, match=r"give triplets.to_comparisons\(\)"):
        take(TripletSet.from_labels([("a", "b", "c")]))


@pytest.mark.parametrize("take", [comparisons_from_cblearn, comparisons_from_metric_learn, to_cblearn, to_metric_learn])
def test_comparisons__no_function_gives_triplets(take):
    assert "ndarray" in str(take.__annotations__["return"])
    assert "TripletSet" not in str(read_comparisons.__annotations__["return"])


# ---------------------------------------------------------------------- files of comparisons


def compare(text, **options):
    rows, leaves = read_comparisons(io.StringIO(text), **options)
    return [tuple(leaves[i] for i in row) for row in rows.tolist()], leaves


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("anchor,near,far\ncat,dog,eel\nant,eel,cat\n", {}),
        ("far\tn\tnear\tanchor\neel\t1\tdog\tcat\ncat\t2\teel\tant\n", {}),
        ("anchor;positive;negative\r\ncat;dog;eel\r\nant;eel;cat\r\n", {}),
        ("cat,dog,eel\nant,eel,cat\n", {}),
        ("cat dog  eel\n  ant eel\tcat \n", {}),
        ("cat dog eel\n# a comment\n\nant eel cat", {}),
        ("anchor near far\ncat dog eel\nant eel cat\n", {}),
        ("who,closer,other\ncat,dog,eel\nant,eel,cat\n", {"columns": ["who", "closer", "other"]}),
        ("who,closer,other\ncat,dog,eel\nant,eel,cat\n", {"header": True}),
        ("1,eel,dog,cat\n2,cat,eel,ant\n", {"columns": [3, 2, 1]}),
    ],
)
def test_comparisons__read_from_tables(text, options):
    rows, leaves = compare(text, **options)
    assert rows == [("cat", "dog", "eel"), ("ant", "eel", "cat")]
    assert leaves == LeafIndex(["ant", "cat", "dog", "eel"])


def test_comparisons__read_as_indices_or_labels():
    assert compare("0 1 2\n10 2 1\n", leaves=11) == ([(0, 1, 2), (10, 2, 1)], LeafIndex(11))
    rows, leaves = compare("0 1 2\n10 2 1\n")
    assert (rows, leaves) == ([(0, 1, 2), (10, 2, 1)], LeafIndex([0, 1, 2, 10]))
    assert compare("2,1,0\n")[1] == LeafIndex(3)
    assert compare("2,1,x\n") == ([("2", "1", "x")], LeafIndex(["1", "2", "x"]))
    assert compare("02,1,0\n")[1] == LeafIndex(["0", "02", "1"])
    assert compare("b,a,c\n", leaves=["c", "b", "a", "z"])[1] == LeafIndex(["c", "b", "a", "z"])
    rows, _ = read_comparisons(io.StringIO("7,3,1\n7,1,3\n7,3,1\n"), leaves=8)
    assert rows.tolist() == [[7, 3, 1], [7, 1, 3], [7, 3, 1]]
    assert rows.dtype == np.int32


@pytest.mark.parametrize(
    ("text", "options", "message", "line"),
    [
        ("p,q,r\nx,y,\n", {}, "cell 3 is empty", 2),
        ("p,q,r\nx,y,x\n", {}, "'x' stands twice: anchor, near and far must differ", 2),
        ("a,b,c\nx,y\n", {}, "2 cells where the first row has 3", 2),
        ("a b c\n\nx y z w\n", {}, "4 cells where the first row has 3", 3),
        ("a,b,c,d\n", {}, "give columns=, which of the columns hold anchor, near and far; there are 4 without", 1),
        ("a,b,c,d\n1,2,3,4\n", {"header": True}, "there are 'a', 'b', 'c', 'd'", 1),
        ("a,b\n", {}, "give columns=", 1),
        ("a,b,c\n", {"columns": ["x", "y", "z"]}, "column 'x' is not a column", None),
        ("one,two,three\n1,2,3\n4,5,6\n", {}, "this row is words and all others are numbers; give header=True", 1),
        ("anchor,near,far\n", {}, "nothing follows the header", 1),
        (
            "ant,bee,cat\nant,bee,catt\n",
            {"leaves": ["ant", "bee", "cats", "cat"]},
            "'catt' is none of the 4 leaves; did",
            2,
        ),
        (
            "0,1,2\n0,1,3\n0,1,4\n",
            {"leaves": 3},
            "2 problems:\n  line 2: '3' is none of the 3 leaves\n  line 3: '4' is",
            2,
        ),
        ("", {}, "empty", 1),
    ],
)
def test_comparisons__files_refused(text, options, message, line):
    with pytest.raises(ParseError, match=message) as caught:
        compare(text, **options)
    assert caught.value.line == line


@pytest.mark.parametrize("columns", ["abc", ["a"], ["a", "b", "c", "d"]])
def test_comparisons__columns_are_three(columns):
    with pytest.raises(ValueError, match="columns must be three columns"):
        compare("a,b,c\n", columns=columns)


# ---------------------------------------------------------------------- odd one out


def odd_one(text, **options):
    return read_odd_one_out(io.StringIO(text), **options)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,b,c,odd\ncat,eel,dog,eel\nant,bee,cat,cat\n", {}),
        ("odd\ta\tb\tc\neel\tcat\teel\tdog\ncat\tant\tbee\tcat\n", {}),
        ("a;b;c;Odd one out\ncat;eel;dog;eel\nant;bee;cat;cat\n", {}),
        ("cat,eel,dog,eel\nant,bee,cat,cat\n", {}),
        ("cat eel dog eel\nant bee cat cat\n", {}),
        ("eel,cat,eel,dog\ncat,ant,bee,cat\n", {"odd": 0}),
        ("cat,dog,eel\nant,bee,cat\n", {"odd": 2}),
        ("eel,cat,dog\ncat,bee,ant\n", {"odd": 0}),
        ("cat eel dog\nant cat bee\n", {"odd": 1}),
        ("x,y,odd\ncat,dog,eel\nant,bee,cat\n", {}),
        ("x,y,z\ncat,dog,eel\nant,bee,cat\n", {"odd": "z"}),
        ("x,y,z\ncat,dog,eel\nant,bee,cat\n", {"odd": 2, "header": True}),
        ("id,x,y,z,pick\n1,cat,dog,eel,eel\n2,ant,cat,bee,cat\n", {"odd": "pick", "items": ["x", "y", "z"]}),
        ("id,x,y,z,answer\n1,cat,dog,eel,eel\n2,ant,cat,bee,cat\n", {"items": ["x", "y", "z"]}),
        ("1,cat,dog,eel,eel\n2,ant,cat,bee,cat\n", {"odd": 4, "items": [1, 2, 3]}),
    ],
)
def test_odd_one_out__tables(text, options):
    wanted = triplets_from_odd_one_out([("cat", "dog", "eel"), ("ant", "bee", "cat")], ["eel", "cat"])
    found = odd_one(text, **options)
    assert found == wanted
    assert list(found.leaves) == ["ant", "bee", "cat", "dog", "eel"]
    assert found.weights is None


@given(st.lists(st.tuples(trios, st.integers(0, 2)), min_size=1, max_size=20))
def test_odd_one_out__agrees_with_the_function_on_lists(answers):
    text = "".join(f"{a} {b} {c} {(a, b, c)[k]}\n" for (a, b, c), k in answers)
    wanted = triplets_from_odd_one_out([x for x, _ in answers], [x[k] for x, k in answers], leaves=range(6))
    found = odd_one(text, leaves=6)
    assert found == wanted
    assert (found.weights is None) == (wanted.weights is None)
    moved = "".join(f"{x[k]},{x[(k + 2) % 3]},{x[(k + 1) % 3]}\n" for x, k in answers)
    assert odd_one(moved, odd=0, leaves=6) == wanted


def test_odd_one_out__repeats_are_weights_and_contradictions_stay():
    found = odd_one("a,b,c,c\nb,a,c,c\na,b,c,b\n")
    assert list(found) == [("a", "b", "c"), ("a", "c", "b")]
    assert found.weights.tolist() == [2, 1]


def test_odd_one_out__numbers_are_whole_numbers():
    assert odd_one("0 1 2\n3 0 1\n", odd=2).leaves == LeafIndex(4)
    assert odd_one("0 1 2\n30 0 1\n", odd=2).leaves == LeafIndex([0, 1, 2, 30])
    assert odd_one("0 1 2\n3 0 1\n", odd=2, leaves=1854).leaves == LeafIndex(1854)


def test_odd_one_out__three_columns_alone_are_not_guessed():
    with pytest.raises(ParseError, match=r"odd=2 if it is the third.*\(anchor, near, far\), they are not triplets"):
        odd_one("0 1 2\n")
    with pytest.raises(ParseError, match="the columns 'anchor', 'near', 'far' look like .*read_comparisons"):
        odd_one("anchor,near,far\ncat,dog,eel\n")


@pytest.mark.parametrize(
    ("text", "options", "message", "line"),
    [
        ("a,b,c,odd\nx,y,z,w\n", {}, "the answer 'w', which is none of 'x', 'y', 'z'", 2),
        ("a,b,c,odd\nx,y,z,3\nx,y,z,4\n", {}, r"the answer '3', which is none of .*missing=\['4'\]", 2),
        ("a,b,c,odd\nx,,z,z\n", {}, "cell 2 is empty", 2),
        ("a,b,c,odd\nx,y,y,y\n", {}, "'y' stands twice: the three items must differ", 2),
        ("a,b,c,odd\nx,y,z,z\nx,y,z\n", {}, "3 cells where the header has 4", 3),
        ("a,b,c,odd,answer\nx,y,z,z,z\n", {"items": ["a", "b", "c"]}, "it could be 'odd' or 'answer'", 1),
        ("a,b,c,d,odd\nx,y,z,z,z\n", {}, "give items=, which three of the 5 columns hold the items", 1),
        ("1,2,3,4,5\n", {}, "give odd=, which of the 5 columns holds the answer", 1),
        ("1,2\n", {}, "this is not a file of answers: it has 2 columns", 1),
        ("1,2,3\n", {"odd": 3}, "odd=3 is not a column", None),
        ("a,b,c,odd\nx,y,z,z\n", {"odd": "pick"}, "odd='pick' is not a column", 1),
        ("image1,image2,image3\n1,2,3\n", {"odd": 2}, "this row is words and all others are numbers", 1),
        ("0 1 2\n0 1 9\n", {"odd": 2, "leaves": 5}, "'9' is none of the 5 leaves", 2),
        ("a,b,c,odd\n", {}, "nothing follows the header", 1),
    ],
)
def test_odd_one_out__files_refused(text, options, message, line):
    with pytest.raises(ParseError, match=message) as caught:
        odd_one(text, **options)
    assert caught.value.line == line


@pytest.mark.parametrize("items", ["abc", ["a"], ["a", "b", "a"]])
def test_odd_one_out__items_are_three_columns(items):
    with pytest.raises(ValueError, match="items must be three different columns"):
        odd_one("a,b,c,odd\n", items=items)


# ---------------------------------------------------------------------- sources and rubbish


def test_comparisons__files_packed_binary_and_data_frames(tmp_path):
    wanted = triplets_from_odd_one_out([("cat", "dog", "eel")], ["eel"])
    frame = pd.DataFrame({"x": ["cat"], "y": ["dog"], "z": ["eel"], "odd": ["eel"]})
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfcat dog eel eel\n"))
    assert read_odd_one_out(path) == wanted
    assert read_odd_one_out(frame) == wanted
    numbers = pd.DataFrame({"anchor": [0, 4], "near": [1, 1], "far": [2, 0]})
    rows, leaves = read_comparisons(numbers, leaves=5)
    assert rows.tolist() == [[0, 1, 2], [4, 1, 0]]
    assert leaves == LeafIndex(5)
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "x.parquet")
    assert read_odd_one_out(tmp_path / "x.parquet") == wanted
    with pytest.raises(ParseError, match=r"x\.parquet.*give columns="):
        read_comparisons(tmp_path / "x.parquet")


@given(st.text(alphabet=st.sampled_from('ab01,;\t\n\r"# '), max_size=40))
def test_comparisons__rubbish_is_read_or_refused(text):
    with suppress(TripletreeError):
        rows, leaves = read_comparisons(io.StringIO(text))
        assert rows.ndim == 2
        assert rows.shape[1] == 3
        assert len(rows)
        assert rows.min() >= 0
        assert rows.max() < len(leaves)
    for odd in (None, 0, 3):
        with suppress(TripletreeError):
            assert len(odd_one(text, odd=odd)) or not text.strip()


@given(st.binary(max_size=60))
def test_comparisons__bytes_are_read_or_refused(content):
    for read in (read_comparisons, read_odd_one_out):
        with suppress(TripletreeError):
            read(io.BytesIO(content))
