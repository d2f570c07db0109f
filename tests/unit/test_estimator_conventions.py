"""The promises of every estimator of clusters, one parametrised test for each.

The estimators are those of the package's own list: a new one is here by itself, with its defaults, whatever kinds of
knowledge it takes. It gets a line in `CHECKED` or `FITTED` if it has variants or needs parameters, and one in
`DEFAULTS`. If it takes sparse X and has `predict_proba`, `LEFT_OUT` names it, too.
"""

import pickle
import re
import warnings
from inspect import signature

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from tripletree import cluster
from tripletree.algorithms.supervision import sample_class_pairs
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
from tripletree.cluster.base import ESTIMATORS, HierarchicalClusterer
from tripletree.cluster.kmeans.geometry import SegmentCentres
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import ClusterCountError, DuplicateLeafError, InvalidPairError, UnknownLeafError
from tripletree.metrics import MahalanobisMetric, SVMMetric

NAMES = list("abcdefgh")
FEW = {"n_rounds": 2, "n_init": 1, "random_state": 0}
X40 = make_blobs(40, centers=3, random_state=0)[0]
X30 = np.repeat([0, 1, 2], 10)[:, None] * 3.0 + np.random.default_rng(3).normal(size=(30, 2))
PAIRS30 = sample_class_pairs(np.repeat([0, 1, 2], 10), 12, random_state=0)


def arguments(kind):
    return signature(kind.fit).parameters


#: The public estimators of clusters, those of k clusters, and among these the trees and k-means that take pairs.
KINDS = [kind for name, kind in ESTIMATORS.items() if name in cluster.__all__]
CLUSTERERS = [kind for kind in KINDS if "n_clusters" in kind().get_params()]
TREES = [kind for kind in CLUSTERERS if issubclass(kind, HierarchicalClusterer) and "pairs" in arguments(kind)]
CENTRES = [kind for kind in CLUSTERERS if hasattr(kind, "transform")]
KMEANS = [kind for kind in CENTRES if "pairs" in arguments(kind)]


def made(kind, n_clusters, **parameters):
    """An estimator of few starts that does the same each time."""
    parameters = {"n_init": 2, "random_state": 0} | parameters
    return kind(n_clusters, **{name: x for name, x in parameters.items() if name in kind().get_params()})


def completed(models, others):
    """`models`, and those of `others` of whose kind there is none, by their names."""
    there = {type(model) for model in models.values()}
    return models | {type(model).__name__: model for model in others if type(model) not in there}


#: Estimators for scikit-learn's own checks.
CHECKED = completed(
    {
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
    },
    [kind() for kind in KINDS],
)
#: The array API check asks for a setting of the environment before scipy is imported. The checks of sparse data take
#: all that have predict_proba for classifiers: tests/unit/test_sparse.py. Weights of ReCon: test_recon_weights.py.
SPARSE = {"check_estimator_sparse_array", "check_estimator_sparse_matrix"}
WEIGHTS = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}
LEFT_OUT = {"complete-link": SPARSE} | {x: SPARSE | WEIGHTS for x in CHECKED if x.startswith("recon")}

#: Estimators with two clusters, and those of them that take pairs.
FITTED = completed(
    {
        "divisive": DivisiveReCon(2, constraints="hard"),
        "cop": made(COPKMeans, 2),
        "cop-segments": made(COPKMeans, 2, geometry=SegmentCentres(1)),
        "pck": made(PCKMeans, 2, penalty=99),
        **{variant: made(CVQE, 2, variant=variant) for variant in ("cvqe", "lcvqe", "cvqe+")},
        "boosted": made(BoostedConstrainedKMeans, 2, n_rounds=5),
    },
    [made(kind, 2) for kind in TREES + CENTRES],
)
PAIRED = {name: model for name, model in FITTED.items() if "pairs" in arguments(type(model))}
MEANS = [name for name, model in PAIRED.items() if type(model) in KMEANS and name != "cop-segments"]
each_fitted = pytest.mark.parametrize("model", [pytest.param(model, id=name) for name, model in FITTED.items()])
each = pytest.mark.parametrize("model", [pytest.param(model, id=name) for name, model in PAIRED.items()])
each_of_means = pytest.mark.parametrize("model", [pytest.param(PAIRED[name], id=name) for name in MEANS])


def said(model, a=0, b=1, c=2):
    """Of three samples, by a kind of knowledge that `fit` of the model takes: a is nearer to b than c is."""
    kinds = {"pairs": ([(a, b)], [(b, c)]), "triplets": [(a, b, c)], "classes": {a: "x", b: "x", c: "y"}}
    return next({kind: value} for kind, value in kinds.items() if kind in arguments(type(model)))


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


@each_fitted
def test_fit__returns_itself_and_fit_predict_the_labels(model, X):
    model = clone(model)
    assert model.fit(X, **said(model)) is model
    assert np.array_equal(clone(model).fit_predict(X, **said(model)), model.labels_)


@each_fitted
def test_fit__x_is_left_as_it_was(model, X):
    before = X.copy()
    X.setflags(write=False)
    model = clone(model).fit(X, **said(model))
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


@each_fitted
def test_fit__that_fails_changes_nothing(model, X):
    model, fresh = clone(model), clone(model)
    with pytest.raises(UnknownLeafError):
        model.fit(X, **said(model, b=99))
    assert vars(model) == vars(fresh)
    with pytest.raises(NotFittedError):
        model.predict(X)
    before = dict(vars(model.fit(X)))
    with pytest.raises(UnknownLeafError):
        model.fit(X[:, :2], **said(model, b=99))
    assert all(vars(model)[k] is v for k, v in before.items())


@each_fitted
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


@each_fitted
def test_clusters__as_many_as_samples_and_no_more(model, X):
    fitted = clone(model).set_params(n_clusters=8).fit(X)
    assert sorted(fitted.labels_.tolist()) == list(range(8))
    for name in ("objective_", "inertia_"):
        if not isinstance(model, MPCKMeans):  # whose objective has the logarithms of its metrics
            assert getattr(fitted, name, 0.0) == pytest.approx(0.0, abs=1e-20)
    with pytest.raises(ClusterCountError, match="9"):
        clone(model).set_params(n_clusters=9).fit(X)


@each_fitted
def test_scikit_learn__pickle_and_clone(model, frame):
    known = said(model, "a", "b", "c")
    fitted = clone(model).fit(frame, **known)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.labels_, fitted.labels_)
    assert np.array_equal(again.predict(frame + 1.0), fitted.predict(frame + 1.0))
    assert getattr(again, "hierarchy_", None) == getattr(fitted, "hierarchy_", None)
    assert np.array_equal(clone(fitted).fit_predict(frame, **known), fitted.labels_)
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


def linkage_of(model):
    """The recipe of scikit-learn's "Plot Hierarchical Clustering Dendrogram", word for word."""
    counts = np.zeros(model.children_.shape[0])
    n_samples = len(model.labels_)
    for i, merge in enumerate(model.children_):
        current_count = 0
        for child_idx in merge:
            if child_idx < n_samples:
                current_count += 1
            else:
                current_count += counts[child_idx - n_samples]
        counts[i] = current_count
    return np.column_stack([model.children_, model.distances_, counts]).astype(float)


@pytest.mark.parametrize("kind", TREES)
def test_conventions__scikit_learns_recipe_for_dendrograms_works(kind):
    model = kind(n_clusters=3).fit(X40, pairs=([(0, 1)], [(2, 3)]))
    Z = linkage_of(model)
    assert np.array_equal(Z[:, [0, 1, 3]], model.linkage_[:, [0, 1, 3]])
    n = len(X40)
    for i, (a, b) in enumerate(model.children_.tolist()):
        together = sorted(model.hierarchy_.clade(a) + model.hierarchy_.clade(b))
        assert together == sorted(model.hierarchy_.clade(n + i))
    assert model.children_.dtype.kind == "i"
    assert np.allclose(model.distances_, model.hierarchy_.height[n:])


def test_conventions__without_knowledge_children_are_those_of_scikit_learn():
    ours = ReCon(n_clusters=3, linkage="average").fit(X40)
    theirs = AgglomerativeClustering(3, linkage="average", compute_distances=True).fit(X40)
    assert np.array_equal(np.sort(ours.children_, axis=1), np.sort(theirs.children_, axis=1))
    assert np.allclose(ours.distances_, theirs.distances_)


@pytest.mark.parametrize("kind", TREES)
def test_conventions__before_fit_there_are_no_children(kind):
    model = kind()
    assert not hasattr(model, "children_")
    with pytest.raises(NotFittedError):
        _ = model.children_


@pytest.mark.parametrize("kind", CENTRES)
def test_conventions__transform_gives_distances_to_centres_with_names(kind):
    model = made(kind, 3).set_output(transform="pandas").fit(X40)
    found = model.transform(X40)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == [f"{kind.__name__.lower()}{k}" for k in range(3)]
    assert list(found.columns) == model.get_feature_names_out().tolist()
    assert np.array_equal(found.to_numpy().argmin(axis=1), model.predict(X40))


@pytest.mark.parametrize("kind", CLUSTERERS)
def test_conventions__html_names_the_estimator_and_what_was_set(kind):
    model = kind(n_clusters=7)
    assert kind.__name__ in model._repr_html_()
    fitted = kind(n_clusters=3).fit(X40)._repr_html_()
    assert "Fitted" in fitted
    assert "n_clusters" in fitted


def test_conventions__knowledge_given_as_y_is_refused_by_fit_predict_too():
    assert {*TREES, *KMEANS, TemporalClustering} <= {*CLUSTERERS}
    for kind in CLUSTERERS:
        for method in ("fit", "fit_predict"):
            with pytest.raises(TypeError, match=r"y holds pairs: give them by name"):
                getattr(kind(n_clusters=2), method)(X40, ([(0, 1)], [(0, 2)]))


def test_conventions__true_is_no_number():
    for kind in CLUSTERERS:
        with pytest.raises(ValueError, match=f"n_clusters of {kind.__name__} must be a number, not True"):
            kind(n_clusters=True).fit(X40)
    for metric in (MahalanobisMetric, SVMMetric):
        with pytest.raises(ValueError, match=f"max_iter of {metric.__name__} must be a number, not True"):
            metric(max_iter=True).fit(X40, triplets=[(0, 1, 2)])


@pytest.mark.parametrize("kind", [x for x in TREES + KMEANS if "sample_weight" in arguments(x)])
def test_conventions__weights_in_another_order_than_x_are_refused(kind):
    frame = pd.DataFrame(X40, index=[f"s{i}" for i in range(40)])
    weight = pd.Series(np.linspace(1, 2, 40), frame.index)
    model = kind(n_clusters=3, random_state=0)
    wanted = model.fit(frame, sample_weight=weight.to_numpy()).labels_
    assert np.array_equal(model.fit(frame, sample_weight=weight).labels_, wanted)
    with pytest.raises(ValueError, match="the index of sample_weight differs from the index of X, row by row"):
        model.fit(frame, sample_weight=weight[::-1])


@pytest.mark.parametrize("kind", TREES + KMEANS)
def test_sample_names__pairs_by_name_are_those_by_row(kind):
    names = [f"sample {i}" for i in range(30)]
    named = PairwiseConstraints(PAIRS30.must_link, PAIRS30.cannot_link, names)
    model = made(kind, 3)
    wanted = clone(model).fit(X30, pairs=PAIRS30).labels_.tolist()
    assert clone(model).fit(X30, pairs=named, sample_names=names).labels_.tolist() == wanted
    assert list(clone(model).fit_predict(X30, pairs=named, sample_names=np.array(names))) == wanted
    with pytest.raises(LookupError):
        clone(model).fit(X30, pairs=named)
    with pytest.raises(ValueError, match="sample_names has 29 names, X has 30 rows"):
        clone(model).fit(X30, pairs=named, sample_names=names[1:])
    with pytest.raises(TypeError, match="sample_names must be a list"):
        clone(model).fit(X30, sample_names="sample")
