"""Triplets by whole columns: Parquet, Arrow tables and streams, data frames, beside the way cell by cell."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tripletree as tt
from tripletree.cluster import ReCon
from tripletree.errors import InvalidTripletError, ParseError, UnknownLeafError
from tripletree.io import read_pairs, read_triplet_batches, read_triplets, write_pairs, write_triplets
from tripletree.io.triplets import TripletRows

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")


def parquet(table):
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return io.BytesIO(stream.getvalue())


def outcome(read):
    """The result of a reader with all its notes, or its error."""
    try:
        t = read()
    except ParseError as error:
        return str(error), error.problems
    weights = None if t.weights is None else t.weights.tolist()
    kinds = [type(x) for x in t.leaves]
    return list(t.leaves), kinds, t.rows.tolist(), weights, [tuple(t.origins[k]) for k in range(len(t))]


def by_cells(read):
    TripletRows.plain = False
    try:
        return outcome(read)
    finally:
        TripletRows.plain = True


texts = st.none() | st.sampled_from(["", "a", "b", "it's", "1", "ß\n"])
numbers = st.none() | st.integers(-2, 3)
weights = st.none() | st.sampled_from([1.0, 0.5, 0.0, -1.0, float("inf"), 2.0])


@st.composite
def tables(draw):
    """Arrow tables as they come, with gaps, repeats, equal labels, weights that are none."""
    cells = draw(st.sampled_from([texts, numbers, texts.filter(bool), numbers.filter(lambda x: x is not None)]))
    m = draw(st.integers(1, 4))
    columns = {name: draw(st.lists(cells, min_size=m, max_size=m)) for name in "abc"}
    if draw(st.booleans()):
        columns["weight"] = draw(st.lists(weights, min_size=m, max_size=m))
    if draw(st.booleans()):
        columns["note"] = draw(st.lists(cells, min_size=m, max_size=m))
    kind = pa.string() if cells in (texts,) else None
    made = {}
    for name, values in columns.items():
        array = pa.array(values, pa.float64() if name == "weight" else kind)
        if pa.types.is_null(array.type):
            array = array.cast(pa.string())
        if name != "weight" and draw(st.booleans()):
            array = array.dictionary_encode()
        made[name] = array
    return pa.table(made)


@given(tables())
def test_arrow__columns_and_cells_give_the_same(table):
    file = parquet(table).getvalue()
    for read in (
        lambda: read_triplets(table),
        lambda: read_triplets(io.BytesIO(file)),
        lambda: read_triplets(table, leaves=["a", "b", 1, 2]),
        lambda: read_triplets(table.to_pandas()),
    ):
        assert outcome(read) == by_cells(read)


@pytest.mark.parametrize("kind", ["int8", "uint64", "large_string", "string"])
def test_arrow__kinds_of_columns(kind):
    values = [1, 2, 3, 4] if "int" in kind else ["1", "2", "3", "4"]
    table = pa.table({x: pa.array([values[k], values[(k + 1) % 4]], kind) for k, x in enumerate("abc")})
    first, second = [tuple(values[(k + j) % 4] for k in range(3)) for j in range(2)]
    assert read_triplets(table) == tt.TripletSet.from_labels([first, second])
    polars = pytest.importorskip("polars")
    assert read_triplets(polars.from_arrow(table)) == read_triplets(table)


def test_arrow__other_cells_go_cell_by_cell():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [3.0, 1.0]})
    assert list(read_triplets(frame).leaves) == [1, 2, 3]
    mixed = pd.DataFrame({"a": ["x", 1], "b": ["y", "x"], "c": [1, "y"]})
    assert set(read_triplets(mixed).leaves) == {"x", "y", 1}
    with pytest.raises(ParseError, match="row 1, column 'a': a cell holds list"):
        read_triplets(pa.table({"a": [["x"]], "b": ["y"], "c": ["z"]}))
    empty = pa.table({x: pa.array([], pa.string()) for x in "abc"})
    assert len(read_triplets(empty)) == 0


def test_arrow__answers_are_not_taken_for_triplets():
    rows = {"a": ["x"] * 6, "b": ["y"] * 6, "c": ["z"] * 6, "who": list("abcdef")}
    assert len(read_triplets(pa.table(rows))) == 1
    with pytest.raises(ParseError, match=r"the column 'ans' repeats one of 'a', 'b', 'c' in every row"):
        read_triplets(pa.table({**rows, "ans": list("xyzxyz")}))
    with pytest.raises(ParseError, match="the column 'odd'"):
        read_triplets(pa.table({**{x: rows[x][:1] for x in "abc"}, "odd": ["x"]}))


# ---------------------------------------------------------------------- there and back


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=6, unique=True), st.data())
@settings(max_examples=50)
def test_arrow__whole_numbers_come_back_as_such(labels, data):
    pick = st.permutations(labels).map(lambda x: tuple(x[:3]))
    t = tt.TripletSet.from_labels(data.draw(st.lists(pick, min_size=1, max_size=5)), labels)
    stream = io.BytesIO()
    write_triplets(t, stream, format="parquet")
    again = read_triplets(io.BytesIO(stream.getvalue()))
    assert again == t
    assert again.leaves == t.leaves
    assert {type(x) for x in again.leaves} == {int}
    pairs = tt.PairwiseConstraints.from_labels([tuple(labels[:2])], [tuple(labels[1:3])], labels)
    stream = io.BytesIO()
    write_pairs(pairs, stream, format="parquet")
    back = read_pairs(io.BytesIO(stream.getvalue()))
    assert back == pairs
    assert back.leaves == pairs.leaves


def test_arrow__labels_of_several_kinds_are_text():
    for labels in ([1, "2", 3], [True, 0, 2], [2**70, 1, 2]):
        t = tt.TripletSet.from_labels([tuple(labels)])
        stream = io.BytesIO()
        write_triplets(t, stream, format="parquet")
        content = stream.getvalue()
        assert set(read_triplets(io.BytesIO(content)).leaves) == {str(x) for x in labels}
        assert read_triplets(io.BytesIO(content), leaves=t.leaves) == t


def test_arrow__row_numbers_of_parquet_are_row_numbers(tmp_path):
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    write_triplets(tt.TripletSet([(0, 2, 1)], 4), tmp_path / "t.parquet")
    h = ReCon().fit(X, triplets=read_triplets(tmp_path / "t.parquet")).hierarchy_
    assert tt.displays(h, tt.TripletSet([(0, 2, 1)], 4)).all()


# ---------------------------------------------------------------------- as triplets of estimators


def streams(table):
    yield table
    yield pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1))
    if hasattr(pa.RecordBatchReader, "from_stream"):
        yield pa.RecordBatchReader.from_stream(table)


def test_arrow__estimators_take_tables_and_streams():
    X = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1]}, index=["p", "q", "r", "s"])
    table = pa.table({"a": ["p", "p"], "b": ["r", "s"], "c": ["q", "q"]})
    expected = ReCon().fit(X, triplets=[("p", "r", "q"), ("p", "s", "q")]).hierarchy_
    for given_ in streams(table):
        assert ReCon().fit(X, triplets=given_).hierarchy_ == expected
    numbers = pa.table({"a": [0], "b": [2], "c": [1]})
    assert tt.displays(ReCon().fit(X.to_numpy(), triplets=numbers).hierarchy_, tt.TripletSet([(0, 2, 1)], 4)).all()
    with pytest.raises(UnknownLeafError):
        ReCon().fit(X, triplets=pa.table({"a": ["p"], "b": ["r"], "c": ["nobody"]}))
    with pytest.raises(ParseError, match="lacks the column 'c'; it has 'a', 'b'"):
        ReCon().fit(X, triplets=pa.table({"a": ["p"], "b": ["r"]}))


def test_arrow__from_labels():
    table = pa.table({"a": ["p", "p"], "b": ["r", "s"], "c": ["q", "q"], "weight": [1.0, 2.0]})
    t = tt.TripletSet.from_labels(table)
    assert t == tt.TripletSet.from_labels([("p", "r", "q"), ("p", "s", "q")], weights=[1, 2])
    with pytest.raises(InvalidTripletError, match="needs columns a, b and c"):
        tt.TripletSet.from_labels(pa.table({"x": [1]}))


# ---------------------------------------------------------------------- in batches


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize("labels", ["text", "numbers"])
def test_batches__together_are_the_whole(tmp_path, rng, size, labels):
    h = tt.parse_newick("(((a,b),c),(d,(e,f)),g);")
    leaves = h.leaves if labels == "text" else range(7)
    t = tt.TripletSet(tt.sample_triplets(h, 20, random_state=0).rows, leaves, rng.random(20) + 0.1)
    path = tmp_path / "t.parquet"
    write_triplets(t, path)
    whole = read_triplets(path)
    for source in (path, path.read_bytes(), pq.read_table(path), *streams(pq.read_table(path))):
        source = io.BytesIO(source) if isinstance(source, bytes) else source
        parts = list(read_triplet_batches(source, size=size))
        assert max(map(len, parts)) <= size
        joined = parts[0]
        for part in parts[1:]:
            joined = joined | part
        assert joined == t
        numbers = [joined.origins[k].number for k in range(20)]
        assert numbers == [whole.origins[k].number for k in range(20)] == list(range(1, 21))


def test_batches__scores_are_those_of_the_whole(tmp_path):
    h = tt.parse_newick("(((a,b),c),(d,(e,f)),g);")
    held = tt.sample_triplets(h, 12, random_state=0)
    other = tt.TripletSet.from_labels([("a", "g", "b"), ("d", "g", "e")], h.leaves)
    for weights in (None, np.arange(1, 15.0)):
        t = tt.TripletSet((held | other).rows, h.leaves, weights)
        write_triplets(t, tmp_path / "t.parquet")
        parts = read_triplet_batches(tmp_path / "t.parquet", size=5)
        assert tt.triplet_score(h, parts) == pytest.approx(tt.triplet_score(h, t))
        labels = dict(zip("abcdefg", [0, 0, 1, 2, 2, 2, 3], strict=True))
        parts = read_triplet_batches(tmp_path / "t.parquet", size=5)
        assert tt.label_triplet_score(labels, parts) == pytest.approx(tt.label_triplet_score(labels, t))
    assert tt.triplet_score(h, []) == 1.0
    for bad in (5, "abc", [("a", "b", "c")]):
        with pytest.raises(TypeError, match="expected a TripletSet"):
            tt.triplet_score(h, bad)


def test_batches__bad_input(tmp_path):
    with pytest.raises(FileNotFoundError):
        next(read_triplet_batches(tmp_path / "none.parquet"))
    (tmp_path / "t.txt").write_text("a b | c\n")
    with pytest.raises(ParseError, match=r"t\.txt: not a Parquet file; batches are read from these"):
        next(read_triplet_batches(tmp_path / "t.txt"))
    with pytest.raises(ValueError, match="size is 0; it must be at least 1"):
        read_triplet_batches(tmp_path / "t.txt", size=0)
    with pytest.raises(ValueError, match="three columns"):
        read_triplet_batches(tmp_path / "t.txt", columns=("a", "b"))
    pq.write_table(pa.table({"a": ["x", "x", "x"], "b": ["y", "y", "x"], "c": ["z", "w", "z"]}), tmp_path / "t.parquet")
    parts = read_triplet_batches(tmp_path / "t.parquet", size=2)
    assert len(next(parts)) == 2
    with pytest.raises(ParseError, match=r"t\.parquet: row 3: 'x' stands twice"):
        next(parts)
    with pytest.raises(ParseError, match=r"row 2: 'w' is none of the 3 leaves"):
        next(read_triplet_batches(tmp_path / "t.parquet", leaves=list("xyz")))
    content = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "broken.parquet").write_bytes(content[:-20])
    with pytest.raises(ParseError, match=r"broken\.parquet: not a Parquet file"):
        next(read_triplet_batches(tmp_path / "broken.parquet"))


@pytest.mark.parametrize("door", ["frame", "table", "stream", "parquet"])
def test_batches__further_columns_are_looked_at_as_in_whole_tables(tmp_path, door):
    """A column that may tell the odd one is asked about, and one that counts is the weight in each part."""

    def given(frame):
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, tmp_path / "t.parquet")
        return {"frame": frame, "table": table, "stream": table.to_reader(), "parquet": tmp_path / "t.parquet"}[door]

    frame = pd.DataFrame({"a": list("uuv"), "b": list("vww"), "c": list("xxx"), "winner": list("vux")})
    for read in (read_triplets, lambda x: list(read_triplet_batches(x, size=2))):
        with pytest.raises(
            ParseError, match="the column 'winner' repeats one of 'a', 'b', 'c' in every row: are these"
        ):
            read(given(frame))
    stated = read_triplet_batches(given(frame), size=2, columns=("a", "b", "c"))
    assert [len(part) for part in stated] == [2, 1]
    counted = frame.drop(columns="winner").assign(n_votes=[3, 1, 2])
    parts = list(read_triplet_batches(given(counted), size=2))
    assert (
        [x for part in parts for x in part.weights.tolist()]
        == read_triplets(given(counted)).weights.tolist()
        == [3, 1, 2]
    )
    numbered = frame.drop(columns="winner").assign(n=[0, 1, 2])
    assert [part.weights for part in read_triplet_batches(given(numbered), size=2)] == [None, None]
