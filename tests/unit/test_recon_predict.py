import numpy as np
import pandas as pd
import pytest
from recon_oracle import LINKAGES, cluster_distance
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
from tripletree.cluster.agglomerative import flat_clusters as _assign
from tripletree.cluster.agglomerative.flat_clusters import flat_clusters, nearest_clusters


def _halves(Z, n, labels):
    """For each cluster the share of each sample: a merge of two sides that are in the cluster gives each one half."""
    out = []
    for c in range(labels.max() + 1):
        share = {i: np.eye(n)[i] if labels[i] == c else None for i in range(n)}
        for k, (i, j) in enumerate(Z[:, :2].astype(int).tolist()):
            a, b = share[i], share[j]
            share[n + k] = a if b is None else b if a is None else (a + b) / 2
        out.append(share[2 * n - 2])
    return out


def _nearest_definition(linkage, X, Z, labels, new, metric):
    """The cluster that the linkage's definition puts nearest to each new sample, and by how much."""
    n, k = len(X), labels.max() + 1
    members = [np.flatnonzero(labels == c).tolist() for c in range(k)] + [[n]]
    halves = [np.append(h, 0.0) for h in _halves(Z, n, labels)] + [np.eye(n + 1)[n]]
    found, gap = [], []
    for x in new:
        together = np.vstack([X, x])
        D = np.linalg.norm(together[:, None] - together[None], axis=2) if metric == "euclidean" else None
        D = squareform(pdist(together, metric)) if D is None else D
        distance = [cluster_distance(linkage, together, D, members, halves, c, k) for c in range(k)]
        found.append(int(np.argmin(distance)))
        gap.append(np.diff(np.sort(distance)[:2])[0])
    return np.array(found), np.array(gap)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_predict__is_the_nearest_cluster_by_the_definition_of_the_linkage(linkage):
    differ = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, new = rng.normal(size=(14, 2)), 1.5 * rng.normal(size=(12, 2))
        model = ReCon(4, linkage=linkage).fit(X, triplets=[(0, 9, 3), (9, 4, 7), (1, 2, 6)])
        wanted, gap = _nearest_definition(linkage, X, model.linkage_, model.labels_, new, "euclidean")
        assert np.array_equal(model.predict(new)[gap > 1e-9], wanted[gap > 1e-9]), seed
        differ += (model.predict(X) != model.labels_).any()
    assert (differ > 0) == (linkage != "single")  # on the fitted samples it need not be labels_


@pytest.mark.parametrize("linkage", LINKAGES)
def test_predict__clusters_need_not_be_clades(linkage):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, new = rng.normal(size=(14, 2)), 1.5 * rng.normal(size=(12, 2))
        model = ReCon(linkage=linkage).fit(X)
        labels = np.concatenate([np.arange(4), rng.integers(0, 4, 10)])
        clusters = flat_clusters(model.hierarchy_, labels, X, linkage=linkage, metric="euclidean", parameters={})
        wanted, gap = _nearest_definition(linkage, X, model.linkage_, labels, new, "euclidean")
        assert np.array_equal(nearest_clusters(clusters, new)[gap > 1e-9], wanted[gap > 1e-9]), seed


def test_predict__median_centre_by_hand():
    # 0 and 2 merge first (centre 1), then 4 (centre 2.5); the mean would be 2, and 3.4 nearer to 5
    X = np.array([[0.0], [2.0], [4.0], [5.0]])
    model = ReCon(2, linkage="median").fit(X, triplets=[(0, 1, 2), (0, 2, 3), (1, 2, 3)])
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.predict([[3.7], [3.8]]).tolist() == [0, 1]  # the border lies at 3.75
    assert ReCon(2).fit(X, triplets=[(0, 1, 2), (0, 2, 3), (1, 2, 3)]).predict([[3.4], [3.6]]).tolist() == [0, 1]


def test_predict__ward_prefers_the_smaller_of_clusters_with_equally_near_means():
    X = np.array([[0.0], [0.0], [0.0], [0.0], [2.0]])
    assert ReCon(2, linkage="ward").fit(X).predict([[1.0]]).tolist() == [1]
    assert ReCon(2, linkage="centroid").fit(X).predict([[1.0]]).tolist() == [0]  # the lower label


def test_predict__ties_go_to_the_lower_label():
    X = np.array([[4.0], [4.0], [4.0], [2.0], [0.0], [0.0], [0.0]])
    for linkage in ("centroid", "median", "average", "weighted", "complete", "single"):
        model = ReCon(3, linkage=linkage).fit(X)
        assert model.labels_.tolist() == [0, 0, 0, 1, 2, 2, 2]
        assert model.predict([[3.0], [1.0], [2.0]]).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "metric", ["cityblock", "seuclidean", "mahalanobis", "minkowski", "correlation", "chebyshev", "sqeuclidean"]
)
@pytest.mark.parametrize("linkage", ["average", "weighted", "complete", "single"])
def test_predict__takes_the_metric_as_it_was_fitted(linkage, metric):
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(30, 3)) * [1, 10, 100], rng.normal(size=(20, 3)) * [30, 1, 1]
    model = ReCon(5, linkage=linkage, metric=metric, cut="merge_order").fit(X)
    fitted = {"V": X.var(axis=0, ddof=1)} if metric == "seuclidean" else {}
    fitted = {"VI": np.linalg.inv(np.cov(X.T))} if metric == "mahalanobis" else fitted
    D = cdist(new, X, metric, **fitted)
    merged = ReCon(5, linkage=linkage, metric="precomputed", cut="merge_order").fit(squareform(pdist(X, metric)))
    np.testing.assert_allclose(model.distances_, merged.distances_)
    assert np.array_equal(model.predict(new), merged.predict(D))
    # a single new sample, or another set of them, has no variances of its own to go by
    assert [model.predict(new[[i]])[0] for i in range(20)] == model.predict(new).tolist()
    if linkage == "single":
        assert np.array_equal(model.predict(new), model.labels_[D.argmin(axis=1)])
    if linkage == "average":
        means = np.column_stack([D[:, model.labels_ == c].mean(axis=1) for c in range(5)])
        assert np.array_equal(model.predict(new), means.argmin(axis=1))


def test_predict__callable_metric(rng):
    X, new = rng.normal(size=(20, 2)), rng.normal(size=(9, 2))
    model = ReCon(3, linkage="complete", metric=lambda u, v: np.abs(u - v).sum()).fit(X)
    assert np.array_equal(model.predict(new), ReCon(3, linkage="complete", metric="cityblock").fit(X).predict(new))


@pytest.mark.parametrize("linkage", ["ward", "average", "median"])
def test_predict__in_batches_is_the_same(linkage, rng, monkeypatch):
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(50, 2))
    model = ReCon(4, linkage=linkage).fit(X)
    whole = model.predict(new)
    monkeypatch.setattr(_assign, "_BATCH", 60)
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
    with pytest.raises(ValueError, match="distance of sample 1 to cluster 0 .* is infinite, or too large"):
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
    # what it does in each part, by hand
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
