"""The promises of every estimator of clusters, one parametrised test for each.

A new estimator gets its lines in `CHECKED`, `DEFAULTS` and, if it takes pairs, in `PAIRED`. If it takes sparse X and
has `predict_proba`, `LEFT_OUT` names it, too. More promises: `TREES` and `MEANS` in test_sklearn_conventions.py,
`WITH_PAIRS` in test_sample_names.py.
"""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from tripletree.cluster import (
    CVQE,
    ActiveClustering,
    BoostedConstrainedKMeans,
    ConstrainedCompleteLink,
    COPKMeans,
    DivisiveReCon,
    MPCKMeans,
    OddOneOutClustering,
    PCKMeans,
    ReCon,
    TemporalClustering,
)
from tripletree.cluster.kmeans.geometry import SegmentCentres
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import ClusterCountError, DuplicateLeafError, InvalidPairError, UnknownLeafError
from tripletree.metrics import MahalanobisMetric, SVMMetric

NAMES = list("abcdefgh")
FEW = {"n_rounds": 2, "n_init": 1, "random_state": 0}

#: Estimators for scikit-learn's own checks.
CHECKED = {
    "recon-centroid": ReCon(),
    "recon-complete": ReCon(linkage="complete"),
    "recon-median-float32": ReCon(linkage="median", dtype="float32"),
    "recon-soft": ReCon(on_conflict="repair", penalty="auto"),
    "complete-link": ConstrainedCompleteLink(),
    "cop-exact": COPKMeans(),
    "cop-input": COPKMeans(assignment="input", init="random", n_init=2),
    "cop-segment": COPKMeans(n_init="auto", geometry="segment"),
    "pck-pairs": PCKMeans(),
    "pck-free": PCKMeans(init="k-means++", n_init=2, penalty=0),
    "mpck-diagonal": MPCKMeans(metric="diagonal", shared_metric=False, n_init=2),
    "mpck-full": MPCKMeans(metric="full", shared_metric=True, n_init=2),
    "cvqe": CVQE(variant="cvqe", n_init=2),
    "lcvqe": CVQE(variant="lcvqe", n_init=2),
    "cvqe+": CVQE(variant="cvqe+", n_init=2),
    "boosted": BoostedConstrainedKMeans(8, **FEW),
    "boosted-random": BoostedConstrainedKMeans(8, priorities="random", **FEW),
    "boosted-none": BoostedConstrainedKMeans(8, priorities="none", init="random", **FEW),
    "odd-one-out": OddOneOutClustering(n_questions=0),
    "active": ActiveClustering(PCKMeans(2, n_init=1)),
    "active-silent": ActiveClustering(CVQE(2, n_init=1), n_queries=0),
    "temporal": TemporalClustering(3, n_init=2),
    "svm": SVMMetric(),
    "mahalanobis": MahalanobisMetric(),
    "mahalanobis-1": MahalanobisMetric(1),
}
#: The array API check asks for a setting of the environment before scipy is imported. The checks of sparse data take
#: all that have predict_proba for classifiers: tests/unit/test_sparse.py. Weights of ReCon: test_recon_weights.py.
SPARSE = {"check_estimator_sparse_array", "check_estimator_sparse_matrix"}
WEIGHTS = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}
LEFT_OUT = {"complete-link": SPARSE} | {x: SPARSE | WEIGHTS for x in CHECKED if x.startswith("recon")}

#: Estimators that take pairs, with two clusters and few starts.
PAIRED = {
    "recon": ReCon(2),
    "divisive": DivisiveReCon(2, constraints="hard"),
    "complete-link": ConstrainedCompleteLink(2),
    "cop": COPKMeans(2, n_init=2, random_state=0),
    "cop-segments": COPKMeans(2, geometry=SegmentCentres(1), n_init=2, random_state=0),
    "pck": PCKMeans(2, n_init=2, random_state=0, penalty=99),
    "mpck": MPCKMeans(2, n_init=2, random_state=0),
    "cvqe": CVQE(2, variant="cvqe", n_init=2, random_state=0),
    "lcvqe": CVQE(2, variant="lcvqe", n_init=2, random_state=0),
    "cvqe+": CVQE(2, n_init=2, random_state=0),
    "boosted": BoostedConstrainedKMeans(2, n_rounds=5, n_init=2, random_state=0),
}
MEANS = ["cop", "pck", "mpck", "cvqe", "lcvqe", "cvqe+", "boosted"]
each = pytest.mark.parametrize("model", [pytest.param(model, id=name) for name, model in PAIRED.items()])
each_of_means = pytest.mark.parametrize("model", [pytest.param(PAIRED[name], id=name) for name in MEANS])

COMMON = {"missing_samples": "raise", "verbose": False}
MEAN = {"n_init": 10, "max_iter": 300, "tol": 1e-4, "random_state": 0}
#: Parameters that differ from these are a change of the interface.
DEFAULTS = {
    ReCon: {
        "n_clusters": 2,
        "linkage": "centroid",
        "metric": "euclidean",
        "cut": "auto",
        "distance_threshold": None,
        "dtype": "float64",
        "micro_clusters": "auto",
        "random_state": 0,
        "on_conflict": "raise",
        "on_infeasible": "raise",
        "penalty": None,
        "n_jobs": None,
    },
    ConstrainedCompleteLink: {
        "n_clusters": 2,
        "metric": "euclidean",
        "distance_threshold": None,
        "on_infeasible": "avoid",
        "n_queries": None,
        "asked_merges": "last",
    },
    COPKMeans: {
        "n_clusters": 8,
        "init": "k-means++",
        "assignment": "exact",
        "on_dead_end": "raise",
        "geometry": "point",
        "max_steps": 1_000_000,
        "min_size": None,
        "max_size": None,
        "size_in": "samples",
        "fixed_centers": None,
        **MEAN,
        "random_state": None,
    },
    PCKMeans: {"n_clusters": 8, "penalty": 1.0, "init": "pairs", **MEAN, "random_state": None},
    CVQE: {"n_clusters": 8, "variant": "cvqe+", "charged": "once", "init": "k-means++", **MEAN, "random_state": None},
    BoostedConstrainedKMeans: {
        "n_clusters": 8,
        "n_rounds": 100,
        "priorities": "boosted",
        "rho": 2.0,
        "stop_when_perfect": False,
        "stop": "scatter",
        "init": "k-means++",
        "n_init": 10,
        "max_iter": 100,
        "random_state": None,
    },
}


def blobs(rng, n, k):
    """Samples of k classes far apart, and consistent pairs of their classes."""
    y = np.arange(n) % k
    rows = np.unique(np.sort([rng.choice(n, 2, replace=False) for _ in range(40)], axis=1), axis=0)
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return rng.normal(size=(n, k)) + 8 * np.eye(k)[y], y, (rows[same], rows[~same])


def checks():
    for name, model in CHECKED.items():
        for estimator, check in estimator_checks_generator(model):
            kind = check.func.__name__
            if kind not in {"check_array_api_input", *LEFT_OUT.get(name, ())}:
                yield pytest.param(estimator, check, id=f"{name}-{kind}")


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:nothing is asked without an oracle")
@pytest.mark.filterwarnings("ignore:no triplets or comparisons were given")
def test_estimators__pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", DEFAULTS)
def test_estimators__defaults(kind):
    assert clone(kind()).get_params() == {**DEFAULTS[kind], **COMMON}


@each
def test_fit__returns_itself_and_fit_predict_the_labels(model, X):
    model, pairs = clone(model), ([(0, 1)], [(2, 3)])
    assert model.fit(X, pairs=pairs) is model
    assert np.array_equal(clone(model).fit_predict(X, pairs=pairs), model.labels_)


@each
def test_fit__x_is_left_as_it_was(model, X):
    before = X.copy()
    X.setflags(write=False)
    model = clone(model).fit(X, pairs=([(0, 1)], [(2, 3)]))
    model.predict(X)
    if hasattr(model, "transform"):
        model.transform(X)
    assert np.array_equal(X, before)


@each
def test_fit__same_seed_same_answer(model, rng):
    X, _, pairs = blobs(rng, 60, 3)
    models = [clone(model).set_params(n_clusters=3).fit(X, pairs=pairs) for _ in range(2)]
    for name in ("labels_", "objective_", "inertia_", "errors_"):
        if hasattr(models[0], name):
            assert np.array_equal(getattr(models[0], name), getattr(models[1], name))
    for other in (np.random.RandomState(7), np.random.default_rng(7), None):
        if "random_state" in model.get_params():
            again = clone(model).set_params(n_clusters=3, random_state=other).fit(X, pairs=pairs)
            assert again.labels_.shape == (60,)


@each
def test_fit__that_fails_changes_nothing(model, X):
    model, fresh = clone(model), clone(model)
    with pytest.raises(UnknownLeafError):
        model.fit(X, pairs=([(0, 99)], []))
    assert vars(model) == vars(fresh)
    with pytest.raises(NotFittedError):
        model.predict(X)
    before = dict(vars(model.fit(X)))
    with pytest.raises(UnknownLeafError):
        model.fit(X[:, :2], pairs=([(0, 99)], []))
    assert all(vars(model)[k] is v for k, v in before.items())


@each
def test_fit__shows_a_bar_only_when_asked(model, X, capsys):
    clone(model).fit(X)
    assert capsys.readouterr() == ("", "")
    clone(model).set_params(verbose=True).fit(X)
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{type(model).__name__}: " in err


@each
def test_pairs__by_labels(model, frame):
    pairs = PairwiseConstraints.from_labels([("a", "e")], [("a", "b")])
    fitted = clone(model).set_params(n_clusters=3).fit(frame, pairs=pairs)
    label = dict(zip(NAMES, fitted.labels_.tolist(), strict=True))
    if not isinstance(model, CVQE):  # which may pay for a pair
        assert label["a"] == label["e"] != label["b"]
    again = clone(fitted).fit(frame.to_numpy(), pairs=([(0, 4)], [(0, 1)]))
    assert np.array_equal(again.labels_, fitted.labels_)
    with pytest.raises(UnknownLeafError):
        clone(model).fit(frame, pairs=([("a", "zebra")], []))
    clone(model).set_params(missing_samples="ignore").fit(frame, pairs=([("a", "zebra")], []))
    with pytest.raises(DuplicateLeafError):
        clone(model).fit(frame.set_axis(["a"] * 8), pairs=pairs)


@each
def test_pairs__that_are_wrong(model, X):
    with pytest.raises(TypeError, match=re.escape("fit(X, pairs=...)")):
        clone(model).fit(X, PairwiseConstraints([(0, 1)], [], 8))
    with pytest.raises(InvalidPairError):
        clone(model).fit(X, pairs=([(0, 0)], []))
    with pytest.raises(UnknownLeafError):
        clone(model).fit(X, pairs=([(0, 8)], []))


@each
def test_clusters__as_many_as_samples_and_no_more(model, X):
    fitted = clone(model).set_params(n_clusters=8).fit(X)
    assert sorted(fitted.labels_.tolist()) == list(range(8))
    for name in ("objective_", "inertia_"):
        if not isinstance(model, MPCKMeans):  # whose objective has the logarithms of its metrics
            assert getattr(fitted, name, 0.0) == pytest.approx(0.0, abs=1e-20)
    with pytest.raises(ClusterCountError, match="9"):
        clone(model).set_params(n_clusters=9).fit(X)


@each
def test_scikit_learn__pickle_and_clone(model, frame):
    pairs = [("a", "b")], [("b", "c")]
    fitted = clone(model).fit(frame, pairs=pairs)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.labels_, fitted.labels_)
    assert np.array_equal(again.predict(frame + 1.0), fitted.predict(frame + 1.0))
    assert getattr(again, "hierarchy_", None) == getattr(fitted, "hierarchy_", None)
    assert np.array_equal(clone(fitted).fit_predict(frame, pairs=pairs), fitted.labels_)
    assert fitted.feature_names_in_.tolist() == ["x", "y", "z"]


@each_of_means
def test_scikit_learn__names_of_features(model, X):
    names = clone(model).fit(X).get_feature_names_out().tolist()
    assert names == [f"{type(model).__name__.lower()}{i}" for i in range(2)]


@each
def test_scikit_learn__pipeline_and_routing(model, frame):
    pairs = PairwiseConstraints.from_labels([("a", "e")], [("a", "b")])
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, clone(model))
    pipeline.fit(frame, **{f"{type(model).__name__.lower()}__pairs": pairs})
    assert pipeline.predict(frame).shape == (8,)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(clone(scaler), clone(model).set_fit_request(pairs=True)).fit(frame, pairs=pairs)
    assert np.array_equal(routed[-1].labels_, pipeline[-1].labels_)
    scaled = pipeline[0].transform(frame)
    assert np.array_equal(clone(pipeline[-1]).fit_predict(scaled, pairs=pairs), pipeline[-1].labels_)


@pytest.mark.parametrize("name", ["cop", "pck", "cvqe+"])
def test_scikit_learn__weights_are_routed(name, frame):
    pairs, weights = ([("a", "f")], [("a", "b")]), np.arange(1.0, 9.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = clone(PAIRED[name]).set_fit_request(pairs=True, sample_weight=True)
        scaler = StandardScaler().set_output(transform="pandas").set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model).fit(frame, pairs=pairs, sample_weight=weights)
    wanted = clone(PAIRED[name]).fit(pipeline[0].transform(frame), pairs=pairs, sample_weight=weights)
    assert np.array_equal(pipeline[-1].labels_, wanted.labels_)


@each_of_means
def test_scikit_learn__grid_search(model, rng):
    X, y, pairs = blobs(rng, 60, 3)
    X = pd.DataFrame(X, index=[f"s{i}" for i in range(60)])
    pairs = PairwiseConstraints(*pairs, list(X.index))
    search = GridSearchCV(
        clone(model).set_params(missing_samples="ignore"),
        {"n_clusters": [2, 3]},
        scoring="adjusted_rand_score",
        cv=KFold(3, shuffle=True, random_state=0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.fit(X, y, pairs=pairs)
    assert search.best_params_ == {"n_clusters": 3}
