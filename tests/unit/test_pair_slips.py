"""Messages about slips around pairs (parameters, oracles, files, labels), and odd input that is accepted."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tripletree import Hierarchy
from tripletree.cluster import (
    CVQE,
    ActiveClustering,
    BoostedConstrainedKMeans,
    ConstrainedCompleteLink,
    COPKMeans,
    MPCKMeans,
    PCKMeans,
    ReCon,
    labels_oracle,
)
from tripletree.cluster.active import NPU, Border
from tripletree.core.notes import collected
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import DuplicateLeafError, InvalidLabelsError, ParseError, UnknownLeafError
from tripletree.evaluation.scores import pair_score, violated_pairs
from tripletree.io import read_pairs
from tripletree.io.pairs import looks_like_pairs
from tripletree.metrics import SVMMetric, taxonomy_linkage

X = np.array([[0.0], [1.0], [4.0], [9.0]])
SQUARE = np.array([[0.0, 0.0], [0.0, 3.0], [1.0, 0.0], [1.0, 3.0]])
NAMES = ["walrus", "dolphin", "otter", "seal"]
SOFT = [PCKMeans, MPCKMeans, CVQE]


def read(text, **options):
    return list(read_pairs(io.StringIO(text), **options))


# ------------------------------------------------------------------ oracles and questions


@pytest.mark.parametrize(
    "model",
    [ActiveClustering(PCKMeans(2), n_queries=1), ConstrainedCompleteLink(2, n_queries=1)],
    ids=["active", "link"],
)
def test_oracle__is_never_asked_by_a_label_of_two_samples(model):
    frame = pd.DataFrame(X, index=["a", "a", "b", "c"], columns=["x"])
    with pytest.raises(DuplicateLeafError, match="in the index of X, by which the oracle is asked: 'a'"):
        model.fit(frame, oracle=lambda a, b: pytest.fail("asked"))


def test_labels_oracle__na_is_unknown_and_arrays_have_no_labels():
    oracle = labels_oracle(pd.Series(["x", pd.NA, "x"], index=[3, 4, 5], dtype="string"))
    assert (oracle(3, 4), oracle(3, 5)) == (None, True)
    with pytest.raises(UnknownLeafError, match=r"labels_oracle\(pd.Series\(y, index=X.index\)\)"):
        labels_oracle(["x", "y"])("ant", "bee")


def test_oracle__one_and_zero_are_answers_and_other_numbers_none():
    def asked(answer):
        model = ActiveClustering(PCKMeans(2, random_state=0), n_queries=1, random_state=0)
        return model.fit(X, oracle=lambda a, b: answer).queries_[0][2]

    assert [asked(x) for x in (1, 0, np.int64(1), np.int8(0))] == [True, False, True, False]
    for odd in (2, -1, 1.0, "yes"):
        with pytest.raises(TypeError, match="must be True or False"):
            asked(odd)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (KMeans(2), "KMeans.fit has no parameter pairs"),
        (make_pipeline(StandardScaler(), PCKMeans(2)), "a pipeline does not pass pairs on"),
        (StandardScaler(), "StandardScaler.fit has no parameter pairs"),
    ],
)
def test_active__an_estimator_without_pairs_is_refused(estimator, words):
    with pytest.raises(TypeError, match=rf"fit\(X, pairs=\).*{words}"):
        ActiveClustering(estimator).fit(X, oracle=lambda a, b: None)


def test_active__a_callback_is_looked_at_before_anything_is_clustered():
    class Never(PCKMeans):
        def fit(self, X, y=None, *, pairs=None):
            pytest.fail("clustered")

    with pytest.raises(TypeError, match="callback must be a function of an estimator and a Round; got 3"):
        ActiveClustering(Never(2)).fit(X, oracle=lambda a, b: None, callback=3)


@pytest.mark.parametrize(
    ("strategy", "error", "words"),
    [
        (Border(n_candidates=0), ValueError, "n_candidates of Border is 0"),
        (Border(n_candidates=2.5), TypeError, "n_candidates of Border must be a whole number"),
        (Border(-1), ValueError, "n_neighbors of Border is -1"),
        (Border(True), TypeError, "n_neighbors of Border must be a whole number"),
        (Border(alpha=9), ValueError, r"alpha of Border must be a number in 0..1, not 9"),
        (Border(alpha=float("nan")), ValueError, "not nan"),
        (Border(alpha="x"), TypeError, "not 'x'"),
        (NPU(0), ValueError, "n_trees of NPU is 0"),
        (NPU(2.5), TypeError, "n_trees of NPU must be a whole number"),
    ],
)
def test_strategies__parameters_out_of_range(strategy, error, words):
    with pytest.raises(error, match=words):
        ActiveClustering(PCKMeans(2), strategy, n_queries=3).fit(X, oracle=lambda a, b: a == b)


# ------------------------------------------------------------------ parameters and scales


@pytest.mark.parametrize("scale", [1e-80, 1e80])
def test_svm__scales_at_which_weights_vanish_are_refused(scale):
    with pytest.raises(ValueError, match="scale X"):
        SVMMetric().fit(SQUARE * scale, triplets=[(0, 1, 3)])


@pytest.mark.parametrize("scale", [1e-50, 1e50])
def test_svm__other_scales_give_weights(scale):
    assert SVMMetric().fit(SQUARE * scale, triplets=[(0, 1, 2), (2, 3, 1)]).weights_[0] > 0


def test_svm__a_feature_that_is_next_to_nothing_does_no_harm():
    metric = SVMMetric().fit(SQUARE * [1.0, 1e-75], triplets=[(0, 1, 2), (2, 3, 1)])
    assert np.isfinite(metric.weights_).all()
    assert metric.weights_[0] == pytest.approx(1.0, abs=1e-3)


def test_taxonomy__a_weight_beyond_float64():
    taxonomy = Hierarchy.from_nested([[0, 1], [2, 3]])
    with pytest.raises(ValueError, match=r"with weight=1e\+308, sums of distances exceed the range"):
        taxonomy_linkage(SQUARE, taxonomy, weight=1e308)
    assert taxonomy_linkage(SQUARE, taxonomy, weight=1e300) == taxonomy


@pytest.mark.parametrize("shift", [0.0, 1e-13, -1e-13])
def test_lcvqe__of_two_samples_as_far_from_the_centre_the_first_pays(shift):
    """The cannot-link is so weak that it stays violated. Sample 0 is farther from the other centre than sample 1."""
    points = [[0.0, -1.0], [0.0, 1.0 + shift], [4.0, 0.2], [4.0, 0.2]]
    pairs = PairwiseConstraints([], [(0, 1)], 4, cannot_weights=[0.01])
    model = CVQE(2, variant="lcvqe", init=[[0.0, 0.0], [4.0, 0.2]], max_iter=1, tol=1e9).fit(points, pairs=pairs)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    to_other = np.square(np.array(points[0]) - model.cluster_centers_[1]).sum()
    assert model.violation_cost_ == pytest.approx(0.01 * to_other, rel=1e-6)
    assert np.square(np.array(points[1]) - model.cluster_centers_[1]).sum() < to_other - 0.5


# ------------------------------------------------------------------ the soft family as its siblings


@pytest.mark.parametrize("Method", SOFT)
def test_soft__errors_name_the_public_class(Method):
    with pytest.raises(TypeError, match=rf"^{Method.__name__}\.__init__\(\) got an unexpected"):
        Method(foo=1)
    with pytest.raises(TypeError, match=r"\.fit\(\) got an unexpected keyword argument 'foo'"):
        Method(2).fit(X, foo=1)
    assert Method.fit.__doc__.startswith("Cluster the samples, at a price")


@pytest.mark.parametrize("Method", SOFT)
def test_soft__verbose_shows_a_bar(Method, capsys):
    Method(2, n_init=3, random_state=0, verbose=True).fit(X)
    shown = capsys.readouterr().err
    assert Method.__name__ in shown
    assert "3/3" in shown
    Method(2, n_init=3, random_state=0).fit(X)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("Method", SOFT)
def test_soft__score_is_the_negative_objective_without_pairs(Method):
    points = np.array([[0.0, 1], [1, 2], [2, 0], [8, 9], [9, 7], [7, 7]]) * 3
    weights = [1, 2, 1, 1, 3, 1]
    options = {"prior": 1e-9} if Method is MPCKMeans else {}
    model = Method(2, random_state=0, n_init=2, **options).fit(points, sample_weight=weights)
    assert model.score(points, sample_weight=weights) == pytest.approx(-model.objective_, rel=1e-6)
    if Method is not MPCKMeans:
        assert model.score(points) == pytest.approx(-np.square(model.transform(points).min(axis=1)).sum())


def test_complete_link__labels_are_int32_as_elsewhere():
    assert ConstrainedCompleteLink(2).fit(X).labels_.dtype == np.int32


# ------------------------------------------------------------------ pairs of fit


def numbered():
    return pd.DataFrame(X, index=[10, 20, 30, 40], columns=["x"])


@pytest.mark.parametrize("missing", ["raise", "ignore"])
def test_fit__texts_are_the_numbers_of_the_index(missing):
    text = "a,b,link\n10,20,must\n30,40,cannot\n"
    model = COPKMeans(2, missing_samples=missing, random_state=0)
    label = model.fit(numbered(), pairs=read_pairs(io.StringIO(text))).labels_
    assert label[0] == label[1]
    assert label[2] != label[3]
    with pytest.raises(UnknownLeafError, match=r"read_pairs\(..., leaves=4\) gives row numbers"):
        model.fit(X, pairs=read_pairs(io.StringIO("0 1 must\n")))


def test_fit__labels_that_x_has_not_are_still_left_out():
    model = COPKMeans(2, missing_samples="ignore", random_state=0)
    pairs = PairwiseConstraints.from_labels([(10, 20), ("25", 40)])
    assert model.fit(numbered(), pairs=pairs).labels_.size == 4


@pytest.mark.parametrize("Method", [COPKMeans, ConstrainedCompleteLink, ReCon])
def test_fit__takes_a_data_frame_of_pairs(Method):
    frame = pd.DataFrame({"a": [10, 30], "b": [30, 40], "link": [True, False]})
    assert read_pairs(frame).leaves.labels == (10, 30, 40)
    label = Method(2).fit(numbered(), pairs=frame).labels_
    assert label[0] == label[2] != label[3]
    named = pd.DataFrame({"a": ["walrus"], "b": ["seal"], "link": ["must"]})
    label = Method(2).fit(pd.DataFrame(X, index=NAMES, columns=["x"]), pairs=named).labels_
    assert label[0] == label[3]


def test_fit__takes_a_polars_frame_of_pairs():
    polars = pytest.importorskip("polars")
    label = COPKMeans(2).fit(X, pairs=polars.DataFrame({"a": [0], "b": [3], "link": ["must"]})).labels_
    assert label[0] == label[3]


def test_fit__unknown_labels_get_suggestions():
    with pytest.raises(UnknownLeafError, match="did you mean 'walrus'"):
        PCKMeans(2).fit(pd.DataFrame(X, index=NAMES, columns=["x"]), pairs=([("walrs", "otter")], []))


# ------------------------------------------------------------------ scores


@pytest.mark.parametrize("Method", [PCKMeans, CVQE, BoostedConstrainedKMeans, ConstrainedCompleteLink, ReCon])
def test_scores__of_a_fitted_estimator(Method):
    frame = pd.DataFrame(X, index=NAMES, columns=["x"])
    model = Method(2).fit(frame)
    pairs = PairwiseConstraints.from_labels([("walrus", "seal")], [("walrus", "otter"), ("otter", "seal")])
    series = pd.Series(model.labels_, index=frame.index)
    assert list(violated_pairs(model, pairs)) == list(violated_pairs(series, pairs))
    assert len(violated_pairs(model, pairs)) > 0
    assert pair_score(model, pairs) == pair_score(series, pairs)
    by_row = PairwiseConstraints([(0, 3)], [], 4)
    assert len(violated_pairs(Method(2).fit(X), by_row)) == 1


def test_scores__of_an_estimator_that_keeps_no_labels_or_is_not_fitted():
    pairs = PairwiseConstraints.from_labels([("walrus", "seal")])
    model = COPKMeans(2).fit(pd.DataFrame(X, index=NAMES, columns=["x"]))
    with pytest.raises(InvalidLabelsError, match=r"pd.Series\(model.labels_, index=X.index\)"):
        violated_pairs(model, pairs)
    with pytest.raises(InvalidLabelsError, match="this PCKMeans has no labels_: fit it first"):
        pair_score(PCKMeans(2), pairs)


# ------------------------------------------------------------------ links in files


@pytest.mark.parametrize("words", [("True", "False"), ("yes", "No"), ("same", "different"), ("1", "0"), ("1", "-1")])
def test_links__in_other_words(words):
    assert read(f"w083,w091,{words[0]}\nw1,w2,{words[1]}\n", format="csv") == [
        ("w083", "w091", "must"),
        ("w1", "w2", "cannot"),
    ]


def test_links__zero_and_minus_one_cannot_both_stand():
    with pytest.raises(ParseError, match="line 3, .*0 and -1 both stand for cannot-links"):
        read("a b 1\na c 0\na d -1\n")


def test_links__a_header_that_is_a_link_itself():
    with pytest.raises(ParseError, match=r"line 1: 'same' is a link, but .* columns=\('mine', 'other', 'same'\)"):
        read("mine,other,same\na,b,1\nc,d,0\n", format="csv")
    assert len(read("a,b,same\nc,d,different\n", format="csv")) == 2
    assert len(read("a b must\nb c 1\n")) == 2  # no table


def test_links__a_data_row_is_no_header_and_the_words_are_said_once():
    with pytest.raises(ParseError) as caught:
        read("w083,w091,perchance\nw083,w2,must\n", format="csv")
    assert "columns=" not in str(caught.value)
    with pytest.raises(ParseError) as caught:
        read("".join(f"a{i},b,perchance\n" for i in range(9)), format="csv")
    assert len(caught.value.problems) == 9
    assert str(caught.value).count("expected must or cannot") == 1


CODES = [("1", "0"), ("yes", "No"), ("TRUE", "FALSE"), ("1.0", "0.0"), ("1", "-1")]
UNLIKE = ["different", "cannot_link", "distinct", "nonmatch", "Not Same", "isDifferent", "must_not_link", "unmatched"]


@pytest.mark.parametrize(("yes", "no"), CODES)
@pytest.mark.parametrize("name", UNLIKE)
def test_links__codes_are_turned_under_a_header_of_the_opposite(name, yes, no):
    text = f"id1,id2,{name}\nann,anna,{no}\nann,bob,{yes}\n"
    wanted = [("ann", "anna", "must"), ("ann", "bob", "cannot")]
    with collected() as notes:
        assert read(text) == read(text, format="csv") == read(text, columns=("id1", "id2", name)) == wanted
    assert [x.text for x in notes if x.topic == "links"] == [
        f"{name!r} says that two differ: there 1 and yes are cannot-links, 0 and no must-links"
    ]
    frame = pd.DataFrame({"id1": ["ann", "ann"], "id2": ["anna", "bob"], name: [no, yes]})
    assert list(read_pairs(frame)) == wanted
    words = f"id1,id2,{name}\nann,anna,same\nann,bob,must-not-link\n"
    assert read(words, columns=("id1", "id2", name)) == wanted  # words are never turned


@pytest.mark.parametrize("name", ["same", "must_link", "match", "duplicate", "not_different", "linked"])
def test_links__codes_stay_under_a_header_of_the_same(name):
    assert read(f"id1,id2,{name}\nann,anna,1\nann,bob,0\n") == [("ann", "anna", "must"), ("ann", "bob", "cannot")]


@pytest.mark.parametrize(
    ("must", "cannot"),
    [
        *(("match", "non-match"), ("Link", "no link"), ("same", "diff"), ("together", "apart"), ("linked", "unlinked")),
        *(("similar", "dissimilar"), ("duplicate", "distinct"), ("must", "must-not-link"), ("ML", "cant_link")),
        *(("in the same cluster", "not in the same cluster"), ("identical", "mismatch"), ("ml", "can't link")),
    ],
)
def test_links__further_words(must, cannot):
    wanted = [("u", "v", "must"), ("u", "w", "cannot")]
    assert read(f"u,v,{must}\nu,w,{cannot}\n", format="csv") == wanted
    assert read(f"a,b,link\nu,v,{must}\nu,w,{cannot}\n") == wanted
    assert looks_like_pairs(f"u,v,{must}\nu,w,{cannot}\n", None, ("a", "b", "link"), "csv")


def test_links__words_that_may_be_labels_do_not_tell_pairs_alone():
    assert not looks_like_pairs("lamp candle match\ndog cat pig\n", None, ("a", "b", "link"), None)


@pytest.mark.parametrize("gap", ["?", "", "NA", "unknown", " ", "don't know"])
def test_links__a_pair_without_a_link_is_left_out_and_told(gap):
    with collected() as notes:
        assert read(f"a,b,link\nu,v,{gap}\nu,w,0\nx,y,{gap}\n") == [("u", "w", "cannot")]
    assert [x.text for x in notes] == ["2 pairs without a link left out"]
    with pytest.raises(ParseError, match="the cell of b is empty"):
        read(f"a,b,link\nu,,{gap}\n")


@pytest.mark.parametrize(
    "head",
    [
        "id1,id2,y",
        "rec_id_1,rec_id_2,0",
        "uid_l\tuid_r\tt",
        "a,b,same",
        "left,right,y",
        "id_a;id_b;y",
        "id1,id2,y,weight",
    ],
)
@pytest.mark.parametrize("format", [None, "csv"])
def test_pairs__a_first_row_of_two_names_above_codes_is_a_header(head, format):
    mark = "\t" if "\t" in head else ";" if ";" in head else ","
    rows = [["w07", "w12", "1"], ["w07", "k3", "0"]]
    lines = [mark.join([*row, "1"] if "weight" in head else row) for row in rows]
    text = "\n".join([head, *lines, ""])
    form = "tsv" if format and mark == "\t" else format
    assert read(text, format=form) == [("w07", "w12", "must"), ("k3", "w07", "cannot")]
    assert looks_like_pairs(text, None, ("a", "b", "link"), form)


@pytest.mark.parametrize(
    "text",
    ["id1,id2,1\nid3,id9,0\n", "a,b,y\nc,d,n\n", "1,2,1\n3,4,0\n", "x1,x2,1\nr1,r2,0\n", "s1,s2,same\ns1,s4,1\n"],
)
def test_pairs__a_first_row_of_labels_is_a_pair(text):
    assert len(read(text)) == 2


@pytest.mark.parametrize("row", ["id1,id2,y\nr7,q2,n", "id1,id2,same\nr7,q2,different", "id1,id2,1\nr7,q2,0"])
@pytest.mark.parametrize("format", [None, "csv"])
def test_pairs__a_first_row_that_may_be_either_is_asked_about(row, format):
    head = tuple(row.splitlines()[0].split(","))
    with pytest.raises(
        ParseError,
        match=r"line 1: '.*' may be a header or a pair: for a header read_pairs\(path, columns=.*\), for a pair",
    ):
        read(row, format=format)
    assert looks_like_pairs(row, None, ("a", "b", "link"), format)
    assert len(read(row, columns=head)) == 1
    assert len(read(row, format="text")) == 2
