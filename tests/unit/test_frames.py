"""Data frames as X: ids that are not features, columns that are refused, and the classes that mark no class."""

import warnings

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from sklearn.datasets import make_blobs

import tripletree as tt
from tripletree.cluster import ConstrainedCompleteLink, COPKMeans, DivisiveReCon, PCKMeans, ReCon
from tripletree.tables.columns import ids_among, ids_of_frame
from tripletree.tables.features import doubtful_columns

POINTS = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]]
FRAME = pd.DataFrame(POINTS, columns=["x", "y"])


# ---------------------------------------------------------------------- ids


@pytest.mark.parametrize("estimator", [DivisiveReCon(2), ReCon(2), COPKMeans(2), PCKMeans(2)], ids=repr)
def test_frames__a_column_of_ids_is_told_with_a_cure_that_works(estimator):
    frame = FRAME.assign(sample_id=[104, 101, 102, 103])
    with pytest.warns(UserWarning, match=r"column 'sample_id' of X, called an id") as told:
        estimator.fit(frame)
    assert len(told) == 1
    cure = str(told[0].message).partition(": ")[2].partition(" makes")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = estimator.fit(eval(cure, {"X": frame}))
    assert model.n_features_in_ == 2
    assert model.labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_frames__the_cure_for_polars_works():
    X = polars.DataFrame({"id": ["a", "b", "c", "d"], "x": [0.0, 0.2, 5.0, 5.2]})
    with pytest.raises(
        ValueError, match=r"text in the column id .*: fit\(X.drop\(\['id'\]\), sample_names=X\['id'\]\)"
    ) as error:
        DivisiveReCon(2).fit(X)
    cure = str(error.value).rpartition("): ")[2].partition(" makes")[0]
    model = eval(cure, {"X": X, "fit": lambda *a, **k: DivisiveReCon(2).fit(*a, triplets=[("a", "b", "c")], **k)})
    assert list(model.hierarchy_.leaves) == ["a", "b", "c", "d"]


def test_frames__several_ids_are_one_warning():
    frame = FRAME.assign(**{"Unnamed: 0": range(4), "gene_id": [7, 9, 1, 3]})
    with pytest.warns(UserWarning, match=r"columns 'gene_id', 'Unnamed: 0' of X, .* count as features") as told:
        ReCon(2).fit(frame)
    cure = str(told[0].message)[str(told[0].message).index(": X.") + 2 :].partition(" makes")[0]
    assert list(eval(cure, {"X": frame}).columns) == ["x", "y"]


@pytest.mark.parametrize(
    "column",
    [
        {"leaf_number": [1, 2, 2, 3]},  # counted
        {"sample_id": [1.5, 2.5, 3.5, 4.5]},  # measured
        {"size": [1, 2, 3, 4]},  # not called so
        {3: [1, 2, 3, 4]},
    ],
    ids=str,
)
def test_frames__other_columns_are_features(column):
    assert ids_of_frame(FRAME.assign(**{str(x): y for x, y in column.items()})) == []
    DivisiveReCon(2).fit(pd.concat([FRAME, pd.DataFrame(column)], axis=1).rename(columns=str))


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ({"sample_id": [1, 2, 2, 3]}, "the column 'sample_id' of X, called an id, counts"),
        ({"patient": [3.0, 1.0, 3.0, 1.0]}, "the column 'patient' of X, called an id, counts"),
        ({"zip_code": [7, 8, 7, 9]}, "column 'zip_code' of X, called an id, counts as a feature"),
        (
            {"batch_id": [4, 5, 4, 5], "nest_id": [4, 5, 4, 5]},
            "columns 'batch_id', 'nest_id' of X, called an id, count",
        ),
        ({"seen": [20240131, 20230131, 20240201, 20231224]}, "'seen' of X, which holds dates, counts as a feature"),
        ({"k": [7000123, 7000125, 7000129, 7000150]}, "'k' of X, whole numbers of 7 digits, as ids are, counts"),
        ({"species": [1, 2, 2, 1]}, "the column 'species' of X, called a class, counts as a feature"),
    ],
    ids=str,
)
@pytest.mark.parametrize("library", [pd, polars, pa])
def test_frames__columns_that_are_hardly_features_are_told_with_a_cure_that_works(library, column, told):
    data = {"v": [0.0, 0.2, 5.0, 5.2], **column}
    X = pa.table(data) if library is pa else library.DataFrame(data)
    with pytest.warns(UserWarning, match=told) as found:
        DivisiveReCon(2).fit(X)
    cure = str(found[0].message).partition(": ")[2].partition(" leaves")[0]
    again = eval(cure, {"X": X})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DivisiveReCon(2).fit(again).labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_frames__a_target_is_told_and_a_place_is_not():
    frame = pd.DataFrame({"a": [0.0, 0.2, 5.0, 5.2], "y": [0, 1, 0, 1]})
    with pytest.warns(UserWarning, match="the column 'y' of X, called a class"):
        ReCon(2).fit(frame)
    ReCon(2).fit(frame.rename(columns={"a": "x"}))


def test_frames__rows_that_sum_up_are_told():
    frame = pd.concat([FRAME, FRAME.sum().to_frame("Total").T])
    with pytest.warns(UserWarning, match="the row 'Total' of X counts as a sample") as told:
        ReCon(2).fit(frame)
    cure = str(told[0].message).partition(": ")[2].partition(" leaves")[0]
    assert len(ReCon(2).fit(eval(cure, {"X": frame})).labels_) == 4


def test_frames__distances_have_names_of_samples():
    names = ["id_1", "sample_id", "gene_id"]
    D = pd.DataFrame([[0, 1, 4], [1, 0, 5], [4, 5, 0]], index=names, columns=names)
    assert DivisiveReCon(2, metric="precomputed").fit(D).labels_.tolist() == [0, 0, 1]


def test_frames__evaluation_tells_of_ids_once():
    X, y = make_blobs(40, centers=2, random_state=0)
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(rec_id=np.arange(40)[::-1])
    with pytest.warns(UserWarning, match="called an id") as told:
        tt.evaluate_knowledge(frame, classes=y, estimator=ReCon(2))
    assert len([x for x in told if "called an id" in str(x.message)]) == 1


def test_frames__a_column_that_counts_rows_comes_behind_names():
    assert ids_among({"": list("0123"), "label": list("abcd")}) == ["label", ""]
    assert ids_among({"index": list("1234"), "gene_id": list("9876")}) == ["gene_id", "index"]
    assert ids_among({"index": list("2341"), "gene_id": list("9876")}) == ["index", "gene_id"]
    assert ids_among({"CustomerID": list("1234")}) == ["CustomerID"]
    assert ids_among({"cover": ["1.5", "2"], "Quadrat": ["7", "9"], "station": ["1", "1"]}) == ["Quadrat"]


WORDS = "participant subj VP vpn respondent case nr No. patient customer tree_no ENTREZID TSN NCBI_taxid catalogNumber"


@pytest.mark.parametrize("name", [*WORDS.split(), "InvoiceNo", "LfdNr", "FID", "subject_nr", "Participant ID"])
def test_frames__words_for_who_or_what_a_row_is_are_ids(name):
    assert ids_of_frame(FRAME.assign(**{name: [17, 3, 24, 5]})) == [name]
    assert ids_of_frame(FRAME.assign(**{name: [1, 1, 2, 3]})) == []


def test_frames__numbers_of_rows_that_r_wrote_are_ids_but_not_places():
    frame = pd.DataFrame({"X": [1, 2, 3, 4], "mass": [3.0, 1, 2, 9]})
    assert ids_of_frame(frame) == ["X"]
    assert ids_of_frame(frame.assign(Y=[4, 5, 6, 7])) == []
    assert ids_of_frame(frame.assign(X=[2, 1, 3, 4])) == []
    assert ids_among({"plot": ["A1", "B2"]}) == ["plot"]
    assert ids_among({"site": ["1.5", "2"]}) == []


# ---------------------------------------------------------------------- columns that are refused


@pytest.mark.parametrize("estimator", [DivisiveReCon(2), ConstrainedCompleteLink(2, metric="gower")], ids=repr)
def test_frames__two_columns_of_one_name(estimator):
    X = pd.DataFrame(POINTS, columns=["x", "x"])
    with pytest.raises(
        ValueError, match=r"X has 2 columns 'x': give each a name of its own, or .* with X\.loc"
    ) as error:
        estimator.fit(X)
    estimator.fit(eval(str(error.value).rpartition("with ")[2], {"X": X}))


def test_frames__times_are_no_numbers():
    X = FRAME.assign(day=pd.date_range("2026-01-01", periods=4), gap=pd.to_timedelta([1, 2, 3, 4], "D"))
    with pytest.raises(ValueError, match=r"numbers, not times, as in the columns 'day', 'gap'") as error:
        ReCon(2).fit(X)
    ReCon(2).fit(eval(str(error.value).partition(": ")[2].partition(" leaves")[0], {"X": X}))
    with pytest.raises(ValueError, match=r"not times, as in the column 'day': X.drop\(\['day'\]\)"):
        ReCon(2).fit(polars.DataFrame({"x": [1.0, 2.0], "day": [pd.Timestamp(1), pd.Timestamp(2)]}))


def test_frames__no_column_at_all():
    with pytest.raises(ValueError, match="X has 4 rows and no column"):
        DivisiveReCon(2).fit(FRAME[[]])


def test_frames__a_column_without_any_value_is_left_out():
    X = FRAME.assign(q=np.nan)
    with pytest.raises(ValueError, match=r"column 'q'. 1 column without any value: X.drop\(columns=\['q'\]\)"):
        DivisiveReCon(2).fit(X)


# ---------------------------------------------------------------------- missing=


def test_frames__missing_makes_minus_one_a_class_in_every_fit():
    signs = [-1, -1, 1, 1]
    for fit in (DivisiveReCon(constraints="hard").fit, ReCon(2).fit):
        with pytest.raises(ValueError, match=r"missing=\[\] makes it a class"):
            fit(POINTS, classes=signs)
        assert fit(POINTS, classes=signs, missing=[]).n_triplets_ == 2
        words = ["x", "x", "y", "none known"]
        assert len(fit(POINTS, classes=words).triplets_.used_leaves) == 4
        assert len(fit(POINTS, classes=words, missing="none known").triplets_.used_leaves) == 3


def test_frames__missing_in_evaluation_and_report():
    X, y = make_blobs(30, centers=2, random_state=0)
    signs = np.where(y == 1, 1, -1)
    told, same = (tt.evaluate_knowledge(X, classes=c, missing=[], estimator=ReCon(2)) for c in (signs, y))
    assert told.agreement.tolist() == same.agreement.tolist()
    found = tt.report(X, classes=signs, missing=[], n_resamples=0, n_folds=2)
    assert found.n_used == 30
    found = tt.report(X, classes=dict(enumerate(signs.tolist())), missing=[], n_resamples=0, n_folds=2)
    assert found.n_used == 30
    some = [*map(str, y[:20]), *["not yet"] * 10]
    assert tt.report(X, classes=some, missing="not yet", n_resamples=0, n_folds=2).n_used == 20


def test_frames__text_in_a_report():
    X, y = make_blobs(30, centers=2, random_state=0)
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(id=[f"s{k}" for k in range(30)])
    with pytest.raises(
        ValueError, match=r"X must hold numbers, not text in the column id .*: X.set_index\('id'\) makes"
    ):
        tt.report(frame, classes=y)


def test_frames__polars_in_a_report():
    X, y = make_blobs(30, centers=2, random_state=0)
    found = tt.report(polars.DataFrame(X, schema=["x", "y"]), classes=y, n_resamples=0, n_folds=2)
    assert found.features == ("x", "y")


# ---------------------------------------------------------------------- names of columns, kinds of knowledge

TAKERS = [ReCon(2), DivisiveReCon(2), ConstrainedCompleteLink(2), COPKMeans(2, random_state=0), PCKMeans(2)]


@pytest.mark.parametrize("estimator", [*TAKERS, ReCon(2, metric="gower", linkage="average")], ids=repr)
def test_frames__names_of_columns_may_be_numbers_and_texts(estimator):
    frame = pd.DataFrame(POINTS, columns=["x", 7])
    model = estimator.fit(frame)
    assert model.feature_names_in_.tolist() == ["x", "7"]
    assert list(frame.columns) == ["x", 7]
    assert model.predict(frame).tolist() == model.labels_.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.set_axis(["x", 8], axis=1))


def test_frames__names_that_are_one_as_text():
    with pytest.raises(ValueError, match="X has 2 columns '7': give each a name of its own"):
        ReCon(2).fit(pd.DataFrame([[*row, 1.0] for row in POINTS], columns=["7", 7, "x"]))


def test_frames__a_report_and_a_measurement_take_them_too():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 2)), columns=["x", 7])
    classes = list("aaabbbccc")
    assert tt.report(frame, classes=classes, n_resamples=0, n_folds=2).features == ("x", "7")
    assert tt.evaluate_knowledge(frame, classes=classes, n_folds=2).kind == "classes"


@pytest.mark.parametrize(
    ("estimator", "kind", "cure"),
    [
        (COPKMeans(2), "classes", "ReCon or DivisiveReCon; or pairs_from_classes(y, leaves=X.index) makes pairs"),
        (PCKMeans(2), "hierarchy", "ReCon or DivisiveReCon"),
        (COPKMeans(2), "triplets", "ReCon or DivisiveReCon"),
        (ReCon(2), "comparisons", "DivisiveReCon; or triplets_from_comparisons makes triplets"),
    ],
    ids=repr,
)
def test_frames__knowledge_that_an_estimator_does_not_take(estimator, kind, cure):
    for fit in (estimator.fit, estimator.fit_predict):
        with pytest.raises(TypeError) as error:
            fit(FRAME, **{kind: [("a", "b", "c")]})
        told = f"fit of {type(estimator).__name__} takes no {kind}=: choose an estimator that does, such as {cure}"
        assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    "estimator", [ReCon(2), DivisiveReCon(2, constraints="hard"), COPKMeans(2, random_state=0)], ids=repr
)
@pytest.mark.parametrize("numbered", [False, True])
def test_frames__pairs_of_recordlinkage_in_a_fit(estimator, numbered):
    frame = FRAME if numbered else FRAME.set_axis(list("abcd"))
    names = frame.index.tolist()
    index = pd.MultiIndex.from_tuples([(names[0], names[2]), (names[0], names[1])], names=["rec_id_1", "rec_id_2"])
    labels = estimator.fit(frame, pairs=pd.Series([0.9, 0.2], index=index)).labels_
    assert labels[0] == labels[2]
    assert labels[0] != labels[1]
    labels = estimator.fit(frame, pairs=index[:1]).labels_
    assert labels[0] == labels[2]


# ---------------------------------------------------------------------- no words of other packages


ODD = [
    (pd.DataFrame({"x": [1.0, 2.0], "y": [[1], [2, 3]]}), "X must hold numbers, not list, as in row 0, column 'y'"),
    (polars.DataFrame({"x": [[1], [2, 3]]}), "X must hold numbers, not list, as in row 0, column 'x'"),
    (polars.DataFrame({"x": [{"k": 1}, {"k": 2}]}), "X must hold numbers, not dict, as in row 0, column 'x': .'k': 1."),
    (pa.table({"x": ["a", "b"]}), "X must hold numbers, not text in the column x"),
    (polars.DataFrame({"x": [1.0, 2.0]}).lazy(), "a LazyFrame is a query, not yet a table: give what .collect"),
    ([[1.0, 2.0], [3.0]], "the rows of X differ in length: 1 to 2 numbers"),
    ({"x": [1.0, 2.0]}, "X must hold numbers, a row for each sample, not dict"),
]


@pytest.mark.parametrize(("X", "told"), ODD, ids=[x[1] for x in ODD])
@pytest.mark.parametrize("estimator", [ReCon(2), DivisiveReCon(2), COPKMeans(2)], ids=repr)
def test_frames__cells_that_are_no_numbers_have_one_sentence(X, told, estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((TypeError, ValueError), match=told) as error:
            estimator.fit(X)
    assert "array element" not in str(error.value)


@pytest.mark.parametrize("read", [tt.read_triplets, tt.read_pairs, tt.read_answers, tt.io.read_annotations])
def test_frames__readers_refuse_a_query(read):
    with pytest.raises(TypeError, match=r"a LazyFrame is a query, not yet a table: give what \.collect\(\) returns"):
        read(polars.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}).lazy())


def test_frames__rows_of_two_labels_and_a_sign_are_no_lists_of_pairs():
    with pytest.raises(TypeError, match=r"not list of 2 entries, \(0, 1, 1\) the first; .*from_signed"):
        COPKMeans(2).fit(POINTS, pairs=[(0, 1, 1), (0, 3, -1)])


TREE = tt.parse_newick("((a,b),(c,d));")
NAMED = FRAME.set_axis(list("abcd"))


def test_frames__a_class_is_no_must_link_in_messages():
    classes = {"a": "u", "d": "u"}
    with pytest.warns(
        UserWarning, match=r"1 of 1 statement .* \(samples that a class ties together form a clade\), and is"
    ):
        DivisiveReCon(2).fit(NAMED, hierarchy=TREE, classes=classes)
    told = "the rule that samples of one class are merged before all others, by the class of a and d$"
    with pytest.raises(tt.InconsistentTripletsError, match=told):
        DivisiveReCon(2, constraints="hard").fit(NAMED, hierarchy=TREE, classes=classes)
    triplets = [("a", "b", "c"), ("a", "b", "d")]
    with pytest.raises(tt.InconsistentTripletsError, match="by the (class of a and d|must-link c - d)"):
        DivisiveReCon(2, constraints="hard").fit(NAMED, triplets=triplets, classes=classes, pairs=([("c", "d")], []))
    with pytest.raises(tt.InconsistentTripletsError, match="must-linked samples are merged .* must-link a - d$"):
        DivisiveReCon(2, constraints="hard").fit(NAMED, hierarchy=TREE, pairs=([("a", "d")], []))
    with pytest.warns(UserWarning, match=r"\(samples that must-links tie together form a clade\)"):
        DivisiveReCon(2).fit(NAMED, hierarchy=TREE, pairs=([("a", "d")], []))


@pytest.mark.parametrize("kind", ["distances", "similarities"])
def test_fit__a_frame_of_distances_that_is_taken_for_features_is_told(kind):
    """Rows and columns of one name, symmetric: ReCon().fit(D) clustered the rows of D as samples, without a word."""
    D = np.abs(np.subtract.outer([0.0, 1.0, 9.0, 10.0], [0.0, 1.0, 9.0, 10.0]))
    frame = pd.DataFrame(D if kind == "distances" else 1 - D / 10, index=list("abcd"), columns=list("abcd"))
    with pytest.warns(UserWarning, match=f"if it holds {kind}, give .*X with metric='precomputed'"):
        ReCon(2).fit(frame)
    assert ReCon(2).fit(frame.add_prefix("to ")).labels_.tolist() == [0, 0, 1, 1]
    distances = frame if kind == "distances" else 1 - frame
    assert ReCon(2, metric="precomputed", linkage="average").fit(distances).labels_.tolist() == [0, 0, 1, 1]
    ReCon(2).fit(frame.assign(a=[0.0, 1.0, 2.0, 3.0]))  # no distances


NUMBERED = (
    "Patient-ID PatNr id_patient patid identifiant Num_client Kunden-Nr OrderNumber Batch_No. cage EAN13 Subject#"
)
COUNTED = "num_rooms n_leaves leaf_number Tag no_answer_rate id_count index grid acid case_fatality number_of_orders"


@pytest.mark.parametrize("name", NUMBERED.split())
def test_frames__numbers_that_tell_things_apart_are_ids_if_they_repeat(name):
    columns = {"v": ["1.5", "1.7", "1.6", "1.9"], name: ["5001", "5007", "5001", "5009"]}
    assert [(x.name, x.kind) for x in doubtful_columns(columns)] == [(name, "id")]


@pytest.mark.parametrize("name", COUNTED.split())
def test_frames__numbers_that_count_are_no_ids(name):
    assert doubtful_columns({"v": ["1.5", "1.7", "1.6", "1.9"], name: ["5", "17", "5", "9"]}) == []
