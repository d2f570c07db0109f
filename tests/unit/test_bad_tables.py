"""Tables that are none: each door says so in a sentence of its own, with the place and a cure."""

import datetime
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import eye_array

import tripletree as tt
from tripletree.cluster import ConstrainedCompleteLink, COPKMeans, DivisiveReCon, ReCon
from tripletree.metrics import gower_distances

NAMES = [f"s{i}" for i in range(6)]
TABLE = pd.DataFrame({"kg": [1.0, 1.2, 1.1, 9.0, 9.2, 9.1], "cm": [3.0, 3.1, 3.2, 7.0, 7.1, 7.2]}, index=NAMES)
TWICE = pa.table([pa.array([1.0, 2.0, 3.0])] * 2, names=["kg", "kg"])


def _with(values):
    return TABLE.assign(q=pd.Series(list(values), index=NAMES, dtype=object))


def _from_here(caught):
    """Whether the last frame of an error is in the package."""
    return "/tripletree/" in str(caught.traceback[-1].path).replace("\\", "/")


NO_TABLES = {
    "rows_differ": ([[1.0, 2.0], [3.0]], "the rows of X differ in length: 1 to 2 numbers"),
    "lists": (_with([[1, 2]] * 6), r"X must hold numbers, not list, as in row 0, column 'q': \[1, 2\]"),
    "dicts": (_with([{"u": 1}] * 6), "X must hold numbers, not dict, as in row 0, column 'q'"),
    "dates": (_with([datetime.date(2020, 1, 1)] * 6), "X must hold numbers, not date, as in row 0, column 'q'"),
    "complex": (TABLE.to_numpy() * 1j, r"X must hold real numbers: give numpy.hstack\(\[X.real, X.imag\]\)"),
    "complex_column": (TABLE.assign(q=1j), r"real numbers in the column q: X.drop\(columns=\['q'\]\) leaves it out"),
    "complex_cells": (_with([1j] * 6), "X must hold numbers, not complex, as in row 0, column 'q'"),
    "texts_with_gaps": (
        TABLE.assign(q=pd.array(["1", None] * 3, dtype="string")),
        r"not text or objects with gaps, as in row 1, column 'q': X.astype\({'q': 'Float64'}\)",
    ),
    "decimal_commas": (
        TABLE.assign(q="1,5"),
        "not text in the column q with decimal commas .*: read the file with decim",
    ),
    "records": (np.zeros(6, [("u", float), ("v", float)]), r"not records of u, v: give pandas.DataFrame\(X\)"),
    "arrays_in_an_array": (np.array([None, [1, 2], [3, 4]], object)[1:], r"give numpy.stack\(X\)"),
    "one_column": (TABLE["kg"], r"Expected 2D array, got 1D array instead, of 6 values.*X.to_frame\(\) if it is"),
    "one_axis": (TABLE["kg"].to_numpy(), r"Reshape your data: numpy.reshape\(X, \(-1, 1\)\) if it is a single"),
    "nothing": (None, "X must hold numbers, a row for each sample, not NoneType"),
    "a_number": (5, r"X must hold numbers, a row for each sample, not int \(5\)"),
    "a_scalar": (np.array(1.0), "X must hold numbers, a row for each sample, not ndarray"),
    "no_rows_in_a_list": ([], r"X must hold numbers, a row for each sample, not list \(\[\]\)"),
    "a_path": ("data.csv", r"not str \('data.csv'\): give pandas.read_csv\(X, index_col=0\)"),
    "gaps_of_arrow": (pa.table({"u": [1.0, None, 2.0]}), "X contains NaN: 1 missing value, in row 1, column 'u'"),
    "no_value_in_arrow": (pa.table({"u": pa.nulls(3)}), r"1 column without any value: X.drop\(\['u'\]\) leaves it out"),
    "times_of_arrow": (pa.table({"u": [datetime.datetime(2020, 1, 1)] * 3}), "not times, as in the column 'u'"),
    "twice_in_arrow": (TWICE, r"X has 2 columns 'kg': .* with X.rename_columns\(\['kg', 'kg_1'\]\)"),
    "lists_of_polars": (pl.DataFrame({"u": [[1, 2]] * 3}), "X must hold numbers, not list, as in row 0, column 'u'"),
    "lazy": (TABLE.pipe(pl.from_pandas).lazy(), r"a LazyFrame is a query.*\.collect\(\)"),
}


@pytest.mark.parametrize("estimator", [DivisiveReCon(2), ReCon(2), COPKMeans(2)], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("kind", NO_TABLES)
def test_fit__no_table_of_numbers_is_one_sentence(estimator, kind):
    X, message = NO_TABLES[kind]
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        estimator.fit(X)
    assert _from_here(caught)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["a_number", "nothing", "a_scalar", "lazy"])
def test_evaluate_knowledge__no_table_is_one_sentence(kind):
    X, message = NO_TABLES[kind]
    with pytest.raises(TypeError, match=message) as caught:
        tt.evaluate_knowledge(X, classes=["u", "v"])
    assert _from_here(caught)


def test_fit__the_cures_work_as_printed():
    X = TABLE.assign(q=pd.array(["1", "2"] * 3, dtype="string"))
    ReCon(2).fit(X.astype({"q": "Float64"}))
    X = TWICE
    ReCon(2).fit(X.rename_columns(["kg", "kg_1"]))
    X = np.zeros(6, [("u", float), ("v", float)])
    ReCon(2).fit(pd.DataFrame(X))
    X = TABLE.to_numpy() * 1j
    ReCon(2).fit(np.hstack([X.real, X.imag]))
    X = TABLE["kg"]
    ReCon(2).fit(X.to_frame())


def test_fit__sparse_frames_are_sparse():
    X = pd.DataFrame.sparse.from_spmatrix(eye_array(6, format="csr")).add_prefix("to ")
    assert ReCon(2).fit(X).labels_.size == 6
    with pytest.raises(TypeError, match=r"Sparse data was passed for X, but DivisiveReCon needs dense data\. ReCon"):
        DivisiveReCon(2).fit(X)
    with pytest.raises(TypeError, match="metric='nan_euclidean' needs dense X"):
        ReCon(2, metric="nan_euclidean", linkage="average").fit(X)


# ------------------------------------------------------------------ Gower


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (_with([[1, 2]] * 6), r"column 'q' of X holds list \(sample 0: \[1, 2\]\); cells must be numbers or words"),
        (_with([1, 2, {"u": 1}, 3, 4, 5]), "column 'q' of X holds dict .sample 2"),
        (_with([10**400] * 6), "column 'q' of X holds integers beyond the range of float64"),
        (pl.DataFrame({"u": [[1, 2]] * 3}), "column 'u' of X holds ndarray"),
        ([[1, 2], [3]], "the rows of X differ in length"),
        (b"abc", "expected a table with a row for each sample, not bytes"),
        ({"u": [1, 2]}, "expected a table with a row for each sample, not dict"),
        ([], "expected a table with a row for each sample, not list"),
        (TWICE, "X has 2 columns 'kg'"),
    ],
)
def test_gower__cells_that_cannot_be_compared(X, message):
    for door in (gower_distances, ReCon(2, metric="gower", linkage="average").fit):
        with pytest.raises(ValueError, match=message) as caught:
            door(X)
        assert _from_here(caught)


def test_gower__frames_of_all_kinds_say_the_same():
    when = pd.to_datetime(["2020-01-01", "2020-01-05", None, "2020-01-09"])
    frame = pd.DataFrame({"when": when, "kind": ["u", None, "v", "v"], "n": [1.0, 2.0, None, 5.0]})
    expected = gower_distances(frame)
    assert expected[0, 1] == np.mean([0.5, 0.25])  # without the gap
    table = pa.Table.from_pandas(frame)
    for other in (pl.from_pandas(frame), table, frame.assign(when=frame["when"].dt.tz_localize("UTC"))):
        assert gower_distances(other) == pytest.approx(expected, nan_ok=True)
    wide = pl.DataFrame({"n": [1, None, 3]}, schema={"n": pl.Int128})
    assert gower_distances(wide)[0, 2] == 1.0
    with pytest.raises(ValueError, match=r"row 2 of X has no known value, so metric='gower'"):
        ReCon(2, metric="gower", linkage="average").fit([[1.0, "u"], [2.0, "v"], [None, None]])
    with pytest.raises(ValueError, match=r"row 1 of X has no known value, like 1 other, so metric='gower'"):
        ConstrainedCompleteLink(2, metric="gower").fit([[1.0, "u"], [None, None], [None, None]])


# ------------------------------------------------------------------ what stands beside X


def test_sample_weight__says_which_is_wrong():
    for weights, message in (
        (["u"] * 6, "sample_weight must be numbers, one for each of the 6 samples, not list"),
        ([1.0, np.inf, 1, 1, 1, 1], "sample_weight must be finite; that of sample 1 is inf"),
        ([1.0, 1.0], "sample_weight must have one entry for each of the 6 samples; got shape"),
        (np.ones(6) * 1j, "sample_weight must be numbers"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            COPKMeans(2).fit(TABLE, sample_weight=weights)
        assert _from_here(caught)
    assert COPKMeans(2, random_state=0).fit(TABLE, sample_weight=2).labels_.size == 6


def test_names__that_cannot_be_compared():
    lists = pl.Series([["u"], ["v"], ["w"], ["x"], ["y"], ["z"]])
    with pytest.raises(ValueError, match="sample_names: .* is not a label; expected a hashable value") as caught:
        ReCon(2).fit(TABLE.to_numpy(), sample_names=lists, triplets=[(0, 1, 3)])
    assert _from_here(caught)
    triplets = pl.DataFrame({"a": [["u"]], "b": [["v"]], "c": [["w"]]})
    with pytest.raises(tt.errors.InvalidTripletError, match="triplet 0 is .* is not a label; expected a hashable"):
        tt.TripletSet.from_labels(triplets)
    h = tt.parse_newick("((u,v),w);")
    with pytest.raises(TypeError, match=r"a label must be a hashable value; unhashable: list \(\['u'\]\)"):
        tt.match_names([["u"], ["v"]], h)
    for mapping in ({"x": {"u": 1}}, pd.DataFrame({"sample": [["x"]], "taxon": ["u"]})):
        with pytest.raises((TypeError, ValueError), match="must be a hashable value|is not a label|unhashable: list"):
            h.attach(mapping)


def test_labels__whole_numbers_of_any_size():
    big = 10**30
    names = [big, big + 1, 3, 4, 5, 6]
    model = ReCon(2).fit(TABLE.set_axis(names), triplets=[(big, big + 1, 3)])
    assert model.hierarchy_.leaves == tt.LeafIndex(names)
    table = pl.DataFrame({"a": [2**70], "b": [2**70 + 1], "c": [2**70 + 2]}, schema_overrides={"a": pl.Int128})
    assert list(tt.read_triplets(table)) == [(2**70, 2**70 + 1, 2**70 + 2)]


def test_heatmap__complex_numbers_are_refused_not_cut():
    h = tt.parse_newick("((u,v),w);")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="the matrix must contain numbers that fit a float"):
            tt.plot_heatmap(h, np.ones((3, 2)) * 1j)


def test_compare_methods__data_that_are_no_table():
    for X in ([[1.0, 2.0], [3.0]], np.arange(2.0), "ab", eye_array(2, format="csr")):
        with pytest.raises((TypeError, ValueError), match="data set 'd' must be a dense table of numbers"):
            tt.compare_methods({"k": COPKMeans(2)}, {"d": (X, ["u", "v"])})


def test_batches__frames_that_arrow_does_not_take():
    frame = pd.DataFrame({"a": [object()], "b": ["v"], "c": ["w"]})
    with pytest.raises(tt.ParseError, match="not a table for Arrow, in which batches are read: .*object"):
        list(tt.io.read_triplet_batches(frame, leaves=["u", "v", "w"]))


# ------------------------------------------------------------------ classes are called so


@pytest.mark.parametrize("estimator", [ReCon(2), DivisiveReCon(2, constraints="hard")], ids=["ReCon", "hard"])
def test_classes__in_a_conflict_are_named(estimator):
    classes = {"s0": "oak", "s1": "oak", "s3": "elm", "s4": "elm"}
    with pytest.raises(tt.InconsistentTripletsError) as caught:
        estimator.fit(TABLE, classes=classes, triplets=[("s0", "s3", "s1")])
    found = str(caught.value)
    follow = [
        (a, b, c) for a, b, c in caught.value.conflict if (a, b, c) not in {("s0", "s3", "s1"), ("s3", "s0", "s1")}
    ]
    assert follow
    for a, b, c in follow:
        assert f"{a} and {b} are {classes[a]!r}, {c} is {classes[c]!r}" in found
    assert f"; {len(follow)} of these follow" in found
    assert "must-link" not in found


def test_classes__of_a_conflict_without_them_are_not_told():
    with pytest.raises(tt.InconsistentTripletsError) as caught:
        ReCon(2).fit(
            TABLE, classes={"s4": "oak", "s5": "oak", "s2": "elm"}, triplets=[("s0", "s3", "s1"), ("s0", "s1", "s3")]
        )
    assert "classes" not in str(caught.value)


def test_classes__too_few_clusters_for_them():
    with pytest.raises(tt.errors.InfeasibleClusteringError, match=r"\(samples of the 2 classes 'oak', 'elm'\)"):
        DivisiveReCon(1, constraints="hard").fit(TABLE, classes=["oak"] * 3 + ["elm"] * 3)
    with pytest.raises(tt.errors.ClusterCountError, match="but hard classes tie the 6 samples into 2 groups"):
        DivisiveReCon(3, constraints="hard").fit(TABLE, classes=["oak"] * 3 + ["elm"] * 3)


# ------------------------------------------------------------------ warnings agree


def test_repair__recommends_no_setting_that_is_measured_beside_it():
    wrong = [("s0", "s3", "s1"), ("s0", "s1", "s3"), ("s1", "s2", "s4"), ("s3", "s5", "s0")]
    told = []
    for validate in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ReCon(2, on_conflict="repair", linkage="average").fit(TABLE, triplets=wrong, validate=validate)
        told.append(next(str(x.message) for x in caught if "were dropped" in str(x.message)))
    assert "penalty='auto' is much less hurt" in told[0]
    assert "penalty" not in told[1]


# ------------------------------------------------------------------ numbers with a unit


WITH_UNITS = ["12 mg/L", "14 mg/L", None, "80mg/L", "85.5 mg/L", "12 mg/L"]


def test_units__in_text_columns_have_two_readings():
    X = TABLE.assign(conc=WITH_UNITS)
    with pytest.raises(
        ValueError, match="column 'conc' of X holds numbers with a unit, such as '12 mg/L', as text"
    ) as caught:
        ReCon(2, metric="gower", linkage="average").fit(X)
    by_number, by_equality = (
        eval(x, {"X": X, "float": float}) for x in re.findall(r"X\.a\w+\(.*?}\)", str(caught.value))
    )
    assert by_number["conc"].tolist()[:2] == [12.0, 14.0]
    assert by_number["conc"].isna().tolist() == [False, False, True, False, False, False]
    apart = [gower_distances(x[["conc"]])[0, 1] for x in (by_number, by_equality)]
    assert apart == pytest.approx([2 / 73.5, 1.0])
    commas = TABLE.assign(conc=["1,5 m", "2 m", "3,25 m", "4 m", "5 m", "6 m"])
    with pytest.raises(ValueError, match="numbers with a unit") as caught:
        gower_distances(commas)
    fixed = eval(re.search(r"X\.assign\(.*?}\)", str(caught.value))[0], {"X": commas, "float": float})
    assert fixed["conc"].tolist() == [1.5, 2.0, 3.25, 4.0, 5.0, 6.0]
    with pytest.raises(ValueError, match="as text: write the numbers without it"):
        gower_distances(pl.DataFrame({"conc": WITH_UNITS}))


@pytest.mark.parametrize(
    "cells", [["12 mg", "14 g", "3 kg"], ["1a", "2a", "x"], ["1 m", "2 m", "1 m"], ["1", "2", "3"], ["a1", "a2", "a3"]]
)
def test_units__other_words_are_categories(cells):
    assert gower_distances(pd.DataFrame({"kind": cells})).shape == (3, 3)
