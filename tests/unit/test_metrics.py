import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.cluster import COPKMeans, ReCon
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, InvalidTripletError, UnknownLeafError
from tripletree.evaluation.scores import pairwise_f_score
from tripletree.metrics import MahalanobisMetric, SVMMetric

METRICS = [SVMMetric, MahalanobisMetric]
every_metric = pytest.mark.parametrize("kind", METRICS)
nothing_learned = pytest.mark.filterwarnings("ignore:no triplets or comparisons were given:UserWarning")


@pytest.fixture
def striped(rng):
    """Two classes in the first of three features, of which the others are louder: X, y, triplets."""
    y = np.repeat([0, 1], 20)
    X = np.column_stack([y + 0.1 * rng.normal(size=40), 3 * rng.normal(size=(40, 2))])
    return X, y, sample_class_triplets(y, 60, random_state=0)


def lengths(Z, i, j):
    return np.square(Z[i] - Z[j]).sum(axis=1)


# ------------------------------------------------------------------ both


@every_metric
def test_metrics__find_the_feature_that_counts(kind, striped):
    X, y, triplets = striped
    metric = kind().fit(X, triplets=triplets)
    Z = metric.transform(X)
    a, b, c = triplets.rows.T
    wrong = (lengths(Z, a, b) >= lengths(Z, a, c)).sum() + (lengths(Z, b, a) >= lengths(Z, b, c)).sum()
    assert metric.n_violated_ == wrong
    assert wrong < 6
    assert pairwise_f_score(y, ReCon(2).fit_predict(X)) < 0.8
    assert pairwise_f_score(y, ReCon(2, linkage="ward", metric=metric).fit_predict(X)) > 0.95
    assert metric.n_iter_ > 0


@every_metric
def test_metrics__triplets_are_two_comparisons_and_comparisons_quadruplets(kind, striped):
    X, _, triplets = striped
    want = kind().fit(X, triplets=triplets)
    rows = triplets.to_comparisons()
    near = kind().fit(X, comparisons=rows)
    assert near.transform(X) == pytest.approx(want.transform(X), abs=1e-5)
    tuples = kind().fit(X, comparisons=[tuple(r) for r in rows.tolist()[:50]], triplets=None)
    assert tuples.transform(X) == pytest.approx(kind().fit(X, comparisons=rows[:50]).transform(X))
    if kind is MahalanobisMetric:
        four = kind().fit(X, quadruplets=rows[:, [1, 0, 2, 0]])
        assert four.objective_ == pytest.approx(want.objective_, rel=1e-8)
        assert four.n_statements_ == 2 * len(triplets)
        apart = kind().fit(X, quadruplets=[(0, 1, 2, 30), (3, 4, 5, 35)])
        assert (lengths(apart.transform(X), [0, 3], [1, 4]) < lengths(apart.transform(X), [2, 5], [30, 35])).all()


@every_metric
def test_metrics__weights_of_triplets_are_repeats(kind, striped):
    X, _, triplets = striped
    heavy = np.where(np.arange(len(triplets)) < 20, 3.0, 1.0)
    weighted = kind().fit(X, triplets=TripletSet(triplets.rows, 40, weights=heavy))
    rows = triplets.to_comparisons()
    repeated = kind().fit(X, comparisons=np.concatenate([rows, rows[:20], rows[:20], rows[60:80], rows[60:80]]))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-5)
    assert weighted.transform(X) == pytest.approx(repeated.transform(X), abs=1e-2)


@every_metric
def test_metrics__tables_lend_their_labels_and_keep_them(kind, striped):
    X, _, triplets = striped
    labels = [f"s{i}" for i in range(40)]
    frame = pd.DataFrame(X, index=labels, columns=["x", "y", "z"])
    named = [(labels[a], labels[b], labels[c]) for a, b, c in triplets.rows]
    want = kind().fit(X, triplets=triplets)
    metric = kind().fit(frame, triplets=named)
    assert metric.transform(frame) == pytest.approx(want.transform(X))
    assert list(metric.feature_names_in_) == ["x", "y", "z"]
    table = kind().set_output(transform="pandas").fit(frame, triplets=named).transform(frame)
    assert list(table.index) == labels
    assert list(table.columns) == list(metric.get_feature_names_out())
    assert list(table.columns) == (
        ["x", "y", "z"] if kind is SVMMetric else [f"mahalanobismetric{k}" for k in range(table.shape[1])]
    )
    columns = pd.DataFrame([("s2", "s0", "s1")], columns=["far", "anchor", "near"])
    assert kind(on_degenerate="euclidean").fit(frame, comparisons=columns).transform(frame) == pytest.approx(
        kind().fit(X, comparisons=[(0, 1, 2)]).transform(X)
    )
    assert pickle.loads(pickle.dumps(metric)).transform(frame) == pytest.approx(metric.transform(frame))


@every_metric
@pytest.mark.parametrize("routing", [False, True])
def test_metrics__stand_in_a_pipeline_before_the_estimators(kind, striped, routing):
    X, _, triplets = striped
    scaled = StandardScaler().fit_transform(X)
    want = ReCon(2, linkage="ward").fit(kind().fit_transform(scaled, triplets=triplets), triplets=triplets).labels_
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            steps = [kind().set_fit_request(triplets=True), ReCon(2, linkage="ward").set_fit_request(triplets=True)]
            known = {"triplets": triplets}
        else:
            steps = [kind(), ReCon(2, linkage="ward")]
            known = {f"{step.__class__.__name__.lower()}__triplets": triplets for step in steps}
        assert make_pipeline(StandardScaler(), *steps).fit(X, **known)[-1].labels_.tolist() == want.tolist()
        cop = make_pipeline(clone(steps[0]), COPKMeans(2, random_state=0))
        first = {"triplets": triplets} if routing else {f"{kind.__name__.lower()}__triplets": triplets}
        assert cop.fit(X, **first).predict(X).shape == (40,)


@every_metric
def test_metrics__labels_travel_through_a_pipeline(kind, striped):
    X, _, triplets = striped
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(40)])
    frame.columns = frame.columns.astype(str)
    named = TripletSet.from_labels([(f"s{a}", f"s{b}", f"s{c}") for a, b, c in triplets.rows])
    with sklearn.config_context(enable_metadata_routing=True):
        steps = [kind().set_fit_request(triplets=True), ReCon(2).set_fit_request(triplets=True)]
        pipeline = make_pipeline(StandardScaler(), *steps)
        pipeline[:-1].set_output(transform="pandas")
        hierarchy = pipeline.fit(frame, triplets=named)[-1].hierarchy_
    assert set(hierarchy.leaves) == set(frame.index)
    assert displays(hierarchy, named).all()


@every_metric
def test_metrics__are_frozen_where_an_estimator_is_cloned(kind, striped):
    X, _, triplets = striped
    metric = kind().fit(X, triplets=triplets)
    with pytest.raises(NotFittedError, match="FrozenEstimator"):
        clone(ReCon(metric=metric)).fit(X)
    model = clone(ReCon(metric=FrozenEstimator(metric))).fit(X, triplets=triplets)
    assert model.labels_.tolist() == ReCon(metric=metric).fit(X, triplets=triplets).labels_.tolist()


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_metrics__the_scale_of_the_data_is_nothing_to_the_full_one(striped, factor):
    X, _, triplets = striped
    near = MahalanobisMetric().fit(X, triplets=triplets).transform(X)
    scaled = MahalanobisMetric().fit(factor * X + factor, triplets=triplets)
    assert pdist(scaled.transform(factor * X)) == pytest.approx(pdist(near), rel=1e-3, abs=1e-5)


def test_svm__any_scale_of_the_data_is_solved(striped):
    X, _, triplets = striped
    large = SVMMetric().fit(1e6 * X + 1e6, triplets=triplets)
    assert large.gap_ <= 1e-6
    assert large.n_violated_ < 12
    small = SVMMetric().fit(1e-6 * X, triplets=triplets)  # no margin is reached: all multipliers are C
    a, b, c = (1e-6 * X[triplets.to_comparisons()[:, k]] for k in range(3))
    assert small.weights_ == pytest.approx(np.maximum(0, (np.square(a - c) - np.square(a - b)).sum(axis=0)), rel=1e-9)
    assert small.gap_ == 0


@every_metric
def test_metrics__nothing_given_leaves_the_features_as_they_are(kind, striped):
    X, _, _ = striped
    with pytest.warns(UserWarning, match="no triplets or comparisons were given, so nothing is learned") as caught:
        metric = kind().fit(X)
    assert caught[0].filename == __file__
    assert metric.transform(X) == pytest.approx(X)
    assert np.isnan(metric.objective_)
    assert (metric.n_iter_, metric.n_violated_) == (1, 0)


@every_metric
def test_metrics__a_metric_of_zeros_is_told(kind):
    X = np.array([[0.0, 0.0], [5.0, 4.0], [1.0, 0.8]])
    with pytest.raises(ValueError, match="the best metric is 0 everywhere.*2 statements.*interchanged.*on_degenerate"):
        kind().fit(X, triplets=[(0, 1, 2)])
    with pytest.warns(UserWarning, match="the metric stays Euclidean"):
        metric = kind(on_degenerate="euclidean").fit(X, triplets=[(0, 1, 2)])
    assert metric.transform(X) == pytest.approx(X)
    assert metric.n_violated_ == 2


@every_metric
def test_metrics__equal_samples_are_told(kind):
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [3.0, 2.0]])
    with pytest.raises(ValueError, match="all samples in the statements are equal in every feature"):
        kind().fit(X, triplets=[(0, 1, 2)])
    with pytest.raises(ValueError, match="nothing can be learned"):
        kind().fit(np.ones((4, 2)), triplets=[(0, 1, 2)])


@every_metric
def test_metrics__constant_features_do_not_count(kind, striped):
    X, _, triplets = striped
    more = np.column_stack([np.full(40, 7.0), X, np.zeros(40)])
    metric, plain = kind().fit(more, triplets=triplets), kind().fit(X, triplets=triplets)
    assert pdist(metric.transform(more)) == pytest.approx(pdist(plain.transform(X)), rel=1e-4, abs=1e-5)
    if kind is SVMMetric:
        assert metric.weights_[[0, -1]].tolist() == [0.0, 0.0]


@every_metric
def test_metrics__statements_that_do_not_fit_are_refused(kind):
    X = np.arange(8.0).reshape(4, 2) ** 2
    frame = pd.DataFrame(X, index=list("abcd"), columns=["x", "y"])
    fit = kind().fit
    for given, error, message in (
        ([(0, 1)], InvalidTripletError, "comparison 0 is (0, 1): expected 3 samples, (anchor, near, far)"),
        ([(0, 1, 2), "abc"], InvalidTripletError, "comparison 1 is 'abc'"),
        ([(0, 1, 9)], UnknownLeafError, "9"),
        (np.array([[0, 1, -1]]), UnknownLeafError, "-1"),
        (np.array([0, 1, 2]), InvalidTripletError, "comparisons must have shape (m, 3)"),
        ([(0, 0, 1)], InvalidTripletError, "it pairs a sample with itself (1 rows of that kind)"),
        (np.array([[0, 1, 2], [0, 1, 1]]), InvalidTripletError, "comparison 1 is [0, 1, 1]"),
        (TripletSet([(0, 1, 2)], 4), TypeError, "give them as triplets="),
        (7, TypeError, "comparisons must be rows (anchor, near, far)"),
        (pd.DataFrame([(0, 1, 2)], columns=["a", "b", "c"]), InvalidTripletError, "columns called anchor, near, far"),
    ):
        with pytest.raises(error, match=re.escape(message)):
            fit(X, comparisons=given)
    with pytest.raises(UnknownLeafError, match="missing_samples='ignore'"):
        fit(frame, comparisons=[("a", "b", "x")])
    with pytest.raises(DuplicateLeafError, match="to which comparisons refer"):
        fit(pd.concat([frame, frame]), comparisons=[("a", "b", "c")])
    with pytest.raises(InvalidTripletError, match="row numbers, but the index of X holds integers other than"):
        fit(frame.set_index(pd.Index([4, 3, 2, 1])), comparisons=np.array([(1, 2, 3)]))
    with pytest.raises(TypeError, match="y looks like triplets"):
        fit(X, [(0, 1, 2)])
    if kind is MahalanobisMetric:
        with pytest.raises(InvalidTripletError, match="quadruplet 0 is .*: it compares a pair with itself"):
            fit(X, quadruplets=[(0, 1, 1, 0)])


@every_metric
def test_metrics__a_part_of_the_samples_ignores_what_it_has_not(kind, striped):
    X, _, triplets = striped
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(40)])
    frame.columns = frame.columns.astype(str)
    some = frame.iloc[::2]
    rows = [(f"s{a}", f"s{b}", f"s{c}") for a, b, c in triplets.to_comparisons()]
    kept = [row for row in rows if all(x in some.index for x in row)]
    assert 0 < len(kept) < len(rows)
    metric = kind(missing_samples="ignore").fit(some, comparisons=rows)
    assert metric.transform(some) == pytest.approx(kind().fit(some, comparisons=kept).transform(some))


@every_metric
def test_metrics__a_fit_that_fails_changes_nothing_and_too_few_iterations_are_told(kind, striped):
    X, _, triplets = striped
    metric = kind().fit(X, triplets=triplets)
    before = metric.transform(X)
    with pytest.raises(UnknownLeafError):
        metric.fit(X, triplets=[(0, 1, 99)])
    assert metric.transform(X) == pytest.approx(before)
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        kind(max_iter=1).fit(X, triplets=triplets)
    with pytest.raises(NotFittedError):
        kind().transform(X)


# ------------------------------------------------------------------ SVMMetric


def test_svm__directions_other_than_the_features(striped):
    X, _, triplets = striped
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    plain = SVMMetric().fit(X, triplets=triplets)
    turned = SVMMetric(A=turn.T).fit(X @ turn, triplets=triplets)
    assert turned.weights_ == pytest.approx(plain.weights_, rel=1e-3, abs=1e-4)
    assert turned.objective_ == pytest.approx(plain.objective_, rel=1e-5)
    assert list(turned.get_feature_names_out()) == ["svmmetric0", "svmmetric1", "svmmetric2"]
    wide = SVMMetric(A=np.random.default_rng(2).normal(size=(3, 8))).fit(X, triplets=triplets)
    assert wide.transform(X).shape == (40, 8)
    assert wide.gap_ <= 1e-6
    with pytest.raises(ValueError, match="a row for each of the 3 features"):
        SVMMetric(A=np.eye(2)).fit(X, triplets=triplets)


@every_metric
def test_metrics__an_offset_changes_nothing(kind, striped):
    X, _, triplets = striped
    near, far = (kind().fit(Y, triplets=triplets) for Y in (X, X + [1e4, -1e5, 0.0]))
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-5)
    assert pdist(far.transform(X)) == pytest.approx(pdist(near.transform(X)), rel=1e-2, abs=1e-3)


def test_svm__what_float64_cannot_square_is_refused(striped):
    X, _, triplets = striped
    with pytest.raises(ValueError, match="too large for float64 arithmetic.*scale X"):
        SVMMetric(A=1e200 * np.eye(3)).fit(X, triplets=triplets)


def test_svm__the_paper_s_price_and_others(striped):
    X, _, triplets = striped
    norms = [np.linalg.norm(SVMMetric(C=c).fit(X, triplets=triplets).weights_) for c in (1e-4, 1e-2, 1.0)]
    assert norms == sorted(norms)
    assert norms[0] < norms[-1] / 5


# ------------------------------------------------------------------ MahalanobisMetric


def test_mahalanobis__fewer_dimensions_keep_what_counts():
    X, y = load_iris(return_X_y=True)
    triplets = sample_class_triplets(y, 150, random_state=0)
    full = MahalanobisMetric().fit(X, triplets=triplets)
    assert full.components_.shape[0] <= 4
    one = MahalanobisMetric(1).fit(X, triplets=triplets)
    assert one.components_.shape == (1, 4)
    assert full.objective_ - 1e-9 <= one.objective_ < 1.5 * full.objective_
    with pytest.raises(ValueError, match="n_components=5 but X has 4 features"):
        MahalanobisMetric(5).fit(X, triplets=triplets)


def test_mahalanobis__more_features_than_samples(rng):
    X = rng.normal(size=(12, 30))
    metric = MahalanobisMetric().fit(X, triplets=[(0, 1, 2), (3, 4, 5), (6, 7, 8)])
    assert metric.n_violated_ == 0
    assert metric.components_.shape[1] == 30
    assert metric.transform(rng.normal(size=(3, 30))).shape == (3, metric.components_.shape[0])


def test_mahalanobis__too_high_a_price_is_a_metric_of_zeros(striped):
    X, _, triplets = striped
    with pytest.raises(ValueError, match="or lower regularization"):
        MahalanobisMetric(regularization=1e6).fit(X, triplets=triplets)


def test_metrics__say_nothing_where_all_is_well(striped):
    X, _, triplets = striped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVMMetric().fit(X, triplets=triplets)
        MahalanobisMetric().fit(X, triplets=triplets)
