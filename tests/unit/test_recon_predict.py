import pickle

import numpy as np
import pandas as pd
import pytest
from recon_oracle import LINKAGES
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.cluster import ReCon
from tripletree.cluster import prediction as _neighbours


def _votes_definition(X, labels, x, metric, n_clusters):
    """Five nearest fitted samples, one over the distance each. Only those at distance 0 if there are any."""
    distance = np.array([cdist([x], [z], metric)[0, 0] for z in X])
    near = sorted(range(len(X)), key=lambda i: (distance[i], i))[:5]
    gap = distance[sorted(range(len(X)), key=lambda i: distance[i])[5]] - distance[near[-1]] if len(X) > 5 else 1.0
    weight = [float(distance[i] == 0) if distance[near[0]] == 0 else 1 / distance[i] for i in near]
    votes = [sum(w for w, i in zip(weight, near, strict=True) if labels[i] == c) for c in range(n_clusters)]
    return np.array(votes) / sum(votes), gap


@pytest.mark.parametrize(
    ("linkage", "metric", "width"),
    [*((x, "euclidean", 2) for x in LINKAGES), ("ward", "euclidean", 20), ("average", "cityblock", 3)],
)
def test_predict__is_the_vote_of_five_neighbours(linkage, metric, width):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, new = rng.normal(size=(rng.integers(4, 30), width)), 1.5 * rng.normal(size=(12, width))
        model = ReCon(4, linkage=linkage, metric=metric, cut="merge_order").fit(X, triplets=[(0, 1, 3)])
        share, found = model.predict_proba(new), model.predict(new)
        assert share.shape == (12, 4)
        for x, mine, label in zip(new, share, found, strict=True):
            wanted, gap = _votes_definition(X, model.labels_, x, metric, 4)
            assert gap > 1e-9
            np.testing.assert_allclose(mine, wanted, atol=1e-9)
            assert label == mine.argmax()


@pytest.mark.parametrize("make", [np.round, lambda X: X], ids=["many equal", "all different"])
@pytest.mark.parametrize("linkage", ["ward", "average"])
def test_predict__fitted_samples_keep_their_labels(linkage, make, rng):
    kept = 0
    for _ in range(10):
        X = make(rng.normal(size=(49, 2)) * 1.5)
        t = sample_class_triplets(rng.integers(0, 4, 49), 40, random_state=rng)
        model = ReCon(4, linkage=linkage).fit(X, triplets=t)
        found, share = model.predict(X), model.predict_proba(X)
        assert np.array_equal(share.max(axis=1), np.ones(49))
        assert np.array_equal(share.argmax(axis=1), found)
        for row in np.unique(X, axis=0):
            same = np.flatnonzero((X - row == 0).all(axis=1))
            assert set(found[same]) == {np.bincount(model.labels_[same]).argmax()}
        kept += (found == model.labels_).sum()
        assert np.array_equal(model.predict(X[::-1])[::-1], found)  # no matter beside which others
    assert kept == 490 or make is np.round


def test_predict__minus_zero_is_zero():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 1.0], [6.0, 1.0]])
    model = ReCon(2).fit(X, triplets=[(0, 3, 1), (0, 3, 2)])
    assert model.labels_.tolist() == [0, 1, 1, 0]
    assert model.predict([[-0.0, 1.0]]).tolist() == [0]


def test_predict__equal_samples_count_each():
    X = np.array([[0.0], [0.0], [0.0], [0.0], [2.0]])
    assert ReCon(2, linkage="ward").fit(X).predict_proba([[1.0]]).tolist() == [[0.8, 0.2]]
    X = np.array([[4.0], [4.0], [2.0], [0.0], [0.0]])
    model = ReCon(3).fit(X)
    assert model.predict([[2.0], [3.0]]).tolist() == [1, 0]


def test_predict_path__is_the_smallest_clade_with_most_neighbours(rng):
    for _ in range(10):
        X, new = rng.normal(size=(25, 2)), rng.normal(size=(10, 2))
        model = ReCon(3, linkage="average").fit(X, triplets=[(0, 9, 3), (9, 4, 7)])
        h = model.hierarchy_
        for x, path in zip(new, model.predict_path(new), strict=True):
            near = set(np.argsort(np.linalg.norm(X - x, axis=1))[:5].tolist())
            assert path[0] == h.root
            assert [int(h.parent[u]) for u in path[1:]] == path[:-1].tolist()
            clades = [set(h.clade(u)) for u in range(h.n_nodes)]
            least = min(len(c) for c in clades if len(c & near) > 2)
            assert len(clades[path[-1]]) == least
            assert len(clades[path[-1]] & near) > 2
        for i, path in enumerate(model.predict_path(X)):
            assert path[-1] == i
    few = ReCon(1).fit([[0.0], [1.0]])
    assert [x.tolist() for x in few.predict_path([[0.2], [1.0]])] == [[2], [2, 1]]
    assert [x.tolist() for x in ReCon(1).fit([[0.0]]).predict_path([[7.0]])] == [[0]]


def test_predict__of_large_data_keeps_some_of_each_cluster(rng, monkeypatch):
    X = np.concatenate([rng.normal(size=(900, 2)), rng.normal(size=(60, 2)) + 30, rng.normal(size=(8, 2)) - 30])
    monkeypatch.setattr(_neighbours, "MOST_NUMBERS", 400)
    monkeypatch.setattr(_neighbours, "LEAST_SAMPLES", 20)
    model = ReCon(3, linkage="ward", cut="merge_order").fit(X)
    kept = np.bincount(model.labels_[model.predictor_.kept])
    assert sorted(kept.tolist()) == [8, 20, 185]  # 200 samples of 968, by the sizes of the clusters
    assert np.array_equal(model.predict(X), model.labels_)
    near = X + 1e-9
    assert np.array_equal(model.predict(near), model.labels_)
    assert np.array_equal(ReCon(3, linkage="ward", cut="merge_order").fit(X).predict(near), model.predict(near))


def test_predictor__pickles_alone_and_small(rng):
    frame = pd.DataFrame(rng.normal(size=(2000, 4)), columns=list("wxyz"))
    model = ReCon(3, linkage="ward", metric=StandardScaler().fit(frame)).fit(frame)
    alone = pickle.loads(pickle.dumps(model.predictor_))
    assert len(pickle.dumps(model.predictor_)) < 4 * frame.to_numpy().nbytes
    new = pd.DataFrame(rng.normal(size=(50, 4)), columns=list("wxyz"))
    assert np.array_equal(alone.predict(new), model.predict(new))
    assert np.array_equal(alone.predict_proba(new), model.predict_proba(new))
    with pytest.raises(ValueError, match="X has 3 features; the clusters were fitted on 4"):
        alone.predict(new.to_numpy()[:, :3])


@pytest.mark.parametrize(
    "metric", ["cityblock", "seuclidean", "mahalanobis", "minkowski", "correlation", "chebyshev", "sqeuclidean"]
)
def test_predict__takes_the_metric_as_it_was_fitted(metric):
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(30, 3)) * [1, 10, 100], rng.normal(size=(20, 3)) * [30, 1, 1]
    model = ReCon(5, linkage="average", metric=metric, cut="merge_order").fit(X)
    fitted = {"V": X.var(axis=0, ddof=1)} if metric == "seuclidean" else {}
    fitted = {"VI": np.linalg.inv(np.cov(X.T))} if metric == "mahalanobis" else fitted
    D = cdist(new, X, metric, **fitted)
    merged = ReCon(5, linkage="average", metric="precomputed", cut="merge_order").fit(squareform(pdist(X, metric)))
    np.testing.assert_allclose(model.distances_, merged.distances_)
    np.testing.assert_allclose(model.predict_proba(new), merged.predict_proba(D))
    # a single new sample, or another set of them, has no variances of its own to go by
    assert [model.predict(new[[i]])[0] for i in range(20)] == model.predict(new).tolist()


def test_predict__callable_metric(rng):
    X, new = rng.normal(size=(20, 2)), rng.normal(size=(9, 2))
    model = ReCon(3, linkage="complete", metric=lambda u, v: np.abs(u - v).sum()).fit(X)
    assert np.array_equal(model.predict(new), ReCon(3, linkage="complete", metric="cityblock").fit(X).predict(new))


@pytest.mark.parametrize("linkage", ["ward", "average", "median"])
def test_predict__in_batches_is_the_same(linkage, rng, monkeypatch):
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(50, 2))
    model = ReCon(4, linkage=linkage).fit(X)
    whole = model.predict(new)
    monkeypatch.setattr(_neighbours, "_BATCH", 60)
    assert np.array_equal(model.predict(new), whole)


def test_predict__keeps_nothing_of_the_callers(rng):
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(50, 2))
    model = ReCon(4, linkage="average").fit(X)
    before = model.predict(new)
    X *= -3.0
    assert np.array_equal(model.predict(new), before)


def test_predict__refuses_what_does_not_fit(rng):
    X = rng.normal(size=(10, 3))
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ReCon().predict(X)
    model = ReCon().fit(pd.DataFrame(X, columns=["x", "y", "z"]))
    with pytest.raises(ValueError, match="3 features"):
        ReCon().fit(X).predict(X[:, :2])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pd.DataFrame(X, columns=["x", "z", "y"]))
    with pytest.raises(ValueError, match="NaN"):
        model.predict(pd.DataFrame(np.where(X > 0, np.nan, X), columns=["x", "y", "z"]))
    with pytest.raises(ValueError, match="distance of sample 1 to fitted sample .* is infinite, or too large"):
        ReCon().fit(X).predict([[0, 0, 0], [1e200, 0, 0]])
    with pytest.raises(ValueError, match="sample 1 to any other under metric='cosine' is not defined"):
        ReCon(linkage="single", metric="cosine").fit(X).predict([[1, 1, 1], [0, 0, 0]])
    with pytest.raises(ValueError, match="sample 0 to fitted sample 0 .* is negative, -1"):
        ReCon(linkage="single", metric="precomputed").fit([[0.0, 1], [1, 0]]).predict([[-1.0, 2.0]])
    with pytest.raises(ValueError, match="expecting 2 features"):
        ReCon(linkage="single", metric="precomputed").fit([[0.0, 1], [1, 0]]).predict([[1.0, 2.0, 3.0]])


# ------------------------------------------------------------------ a fitted transformer as the metric


@pytest.mark.parametrize("linkage", LINKAGES)
def test_transformer__is_the_euclidean_metric_of_the_transformed_samples(linkage, rng):
    X, new = rng.normal(size=(30, 3)) * [1, 10, 100], rng.normal(size=(20, 3)) * [1, 10, 100]
    scaler = StandardScaler().fit(X)
    model = ReCon(3, linkage=linkage, metric=scaler).fit(X, triplets=[(0, 1, 2), (3, 4, 5)])
    plain = ReCon(3, linkage=linkage).fit(scaler.transform(X), triplets=[(0, 1, 2), (3, 4, 5)])
    assert np.array_equal(model.linkage_, plain.linkage_)
    assert np.array_equal(model.predict(new), plain.predict(scaler.transform(new)))
    assert not np.array_equal(model.linkage_, ReCon(3, linkage=linkage).fit(X).linkage_)
    assert model.n_features_in_ == 3


class _Learned:
    """A learned metric of somebody else's: it has a `transform`, and nothing more of an estimator."""

    def __init__(self, matrix):
        self.matrix = matrix

    def transform(self, X):
        return X @ self.matrix


def test_transformer__can_be_any_object_with_transform(rng):
    X = rng.normal(size=(20, 3))
    matrix = rng.normal(size=(3, 2))
    model = ReCon(linkage="ward", metric=_Learned(matrix)).fit(X)
    assert np.array_equal(model.linkage_, ReCon(linkage="ward").fit(X @ matrix).linkage_)
    for stateless in (FunctionTransformer(np.log1p), make_pipeline(FunctionTransformer(np.log1p))):
        logs = ReCon(metric=stateless).fit(np.abs(X))
        assert np.array_equal(logs.linkage_, ReCon().fit(np.log1p(np.abs(X))).linkage_)


def test_transformer__gets_the_frame_where_it_knows_names(rng):
    frame = pd.DataFrame(rng.normal(size=(20, 3)), columns=["x", "y", "z"])
    some = make_column_transformer((StandardScaler(), ["z", "x"])).fit(frame)
    model = ReCon(metric=some).fit(frame)
    assert np.array_equal(model.linkage_, ReCon().fit(some.transform(frame)).linkage_)
    assert model.predict(frame).shape == (20,)
    ReCon(metric=StandardScaler().fit(frame.to_numpy())).fit(frame).predict(frame)  # fitted without names: no warning
    # samples keep their labels
    frame.index = [f"s{i}" for i in range(20)]
    model = ReCon(metric=StandardScaler().fit(frame)).fit(frame, triplets=[("s0", "s1", "s2")])
    assert model.hierarchy_.leaves[3] == "s3"


def test_transformer__must_be_fitted_and_an_instance(rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(NotFittedError, match=r"StandardScaler\(\) is not fitted: fit it first, .*FrozenEstimator"):
        ReCon(metric=StandardScaler()).fit(X)
    with pytest.raises(TypeError, match="the class StandardScaler: give a fitted instance"):
        ReCon(metric=StandardScaler).fit(X)
    with pytest.raises(ValueError, match="'metric' parameter of ReCon"):
        ReCon(metric=KMeans.__name__).fit(X)


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        (lambda X: X[1:], "maps 6 samples to 5; it must give a row for each"),
        (lambda X: np.full(X.shape, np.nan), r"metric.transform\(X\) contains NaN"),
        (lambda X: X[:, 0], "Expected 2D array, got 1D"),
    ],
)
def test_transformer__must_map_each_sample_to_finite_numbers(transform, message, rng):
    with pytest.raises(ValueError, match=message):
        ReCon(metric=FunctionTransformer(transform)).fit(rng.normal(size=(6, 2)))


def test_transformer__outlives_clone_where_it_is_frozen(rng):
    X = rng.normal(size=(30, 3)) * [1, 10, 100]
    fitted = StandardScaler().fit(X)
    with pytest.raises(NotFittedError, match="clone unfits the estimators inside an estimator, but not a frozen one"):
        clone(ReCon(metric=fitted)).fit(X)
    frozen = clone(ReCon(metric=FrozenEstimator(fitted)))
    assert np.array_equal(frozen.fit(X).linkage_, ReCon(metric=fitted).fit(X).linkage_)
    pipeline = make_pipeline(FunctionTransformer(), frozen)
    search = GridSearchCV(
        pipeline,
        {"recon__metric": ["euclidean", FrozenEstimator(fitted), FrozenEstimator(PCA(2).fit(X))]},
        scoring="adjusted_rand_score",
        error_score="raise",
    )
    search.fit(X, (X[:, 0] > 0).astype(int))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


# ------------------------------------------------------------------ cross-validation


@pytest.fixture
def irises():
    X, y = load_iris(return_X_y=True)
    X = pd.DataFrame(X, index=[f"flower {i}" for i in range(150)])
    return X, y, sample_class_triplets(y, 300, leaves=X.index, samples=np.arange(0, 150, 5), random_state=0)


def test_grid_search__over_linkages_with_labels(irises):
    X, y, triplets = irises
    folds = StratifiedKFold(5)
    search = GridSearchCV(
        ReCon(3, missing_samples="ignore"),
        {"linkage": ["centroid", "average", "ward"]},
        scoring="adjusted_rand_score",
        cv=folds,
        error_score="raise",
    )
    search.fit(X, y, triplets=triplets)
    assert search.best_estimator_.n_triplets_ == len(triplets) == 300
    assert search.best_score_ > 0.5
    # its result in each part, by hand
    train, test = next(folds.split(X, y))
    kept = [t for t in triplets if not set(X.index[test]).intersection(t)]
    assert 50 < len(kept) < 250
    model = ReCon(3, linkage="ward").fit(X.iloc[train], triplets=kept)
    assert search.cv_results_["split0_test_score"][2] == adjusted_rand_score(y[test], model.predict(X.iloc[test]))


def test_grid_search__in_a_pipeline_that_keeps_labels(irises):
    X, y, triplets = irises
    scaler = StandardScaler().set_output(transform="pandas")
    search = GridSearchCV(
        make_pipeline(scaler, ReCon(3, missing_samples="ignore")),
        {"recon__linkage": ["centroid", "ward"], "recon__n_clusters": [2, 3]},
        scoring="adjusted_rand_score",
        cv=StratifiedKFold(3),
        error_score="raise",
    )
    search.fit(X, y, recon__triplets=triplets)
    assert search.best_estimator_[-1].n_triplets_ == 300


def test_pickles__hold_nothing_twice(rng):
    X = rng.normal(size=(3000, 4))
    model = ReCon(3, linkage="ward").fit(X, triplets=[(0, 1, 2), (5, 9, 7)])
    model.predict(rng.normal(size=(10, 4)))  # makes the search tree
    content = pickle.dumps(model)
    again = pickle.loads(content)
    for name in ("linkage_", "distances_", "labels_", "children_"):
        assert np.array_equal(getattr(again, name), getattr(model, name)), name
    new = rng.normal(size=(50, 4))
    assert np.array_equal(again.predict(new), model.predict(new))
    alone = pickle.loads(pickle.dumps(model.predictor_))
    assert np.array_equal(alone.predict_proba(new), model.predict_proba(new))
    points, rest = X.nbytes, 3000 * (8 + 4 + 4 + 8 + 4)  # of each sample a hash, cluster and leaf. Row number and label
    assert len(pickle.dumps(model.predictor_)) < points + rest + 5_000
    hierarchy_and_labels = 2 * 3000 * (4 + 8) + 3000 * 8
    assert len(content) < points + rest + hierarchy_and_labels + 10_000
