"""Sparse X: the same results as from the same numbers in a dense table, whatever the format of the matrix."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from recon_oracle import random_triplets, recon_definition
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

import tripletree as tt
from tripletree.cluster import CVQE, ConstrainedCompleteLink, COPKMeans, DivisiveReCon, MPCKMeans, PCKMeans, ReCon
from tripletree.cluster.kmeans.lloyd import points_of

LINKAGES = ["centroid", "median", "ward", "average", "weighted", "complete", "single"]
PAIRS = ([(0, 1), (1, 2), (7, 9)], [(0, 5), (3, 4)])
FORMATS = [
    getattr(scipy.sparse, f"{kind}_{what}") for kind in ("csr", "csc", "coo", "lil") for what in ("array", "matrix")
]


def texts(n, d, seed):
    """Rows like those of texts: most numbers are 0. All have one feature in common, so that there are no ties."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.2, rng.random((n, d)), 0.0)
    X[np.arange(n), rng.integers(0, d, n)] += 0.1 + rng.random(n)
    X[:, 0] += 0.1 + rng.random(n)
    return X


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def assert_same(a, b):
    assert np.array_equal(a.linkage_[:, :2], b.linkage_[:, :2])
    assert np.allclose(a.linkage_, b.linkage_, rtol=1e-9, atol=1e-9)
    assert np.array_equal(a.labels_, b.labels_)


# ------------------------------------------------------------------ ReCon


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("linkage", LINKAGES)
@given(n=st.integers(4, 24), d=st.integers(3, 30), seed=st.integers(0, 10**6))
@settings(max_examples=8)
def test_recon__sparse_is_dense(linkage, metric, n, d, seed):
    X = texts(n, d, seed)
    triplets = random_triplets(np.random.default_rng(seed), n, n // 2)
    model = ReCon(min(3, n), linkage=linkage, metric=metric)
    dense = model.fit(X, triplets=triplets)
    labels, linkage_ = dense.labels_, dense.linkage_
    sparse = ReCon(min(3, n), linkage=linkage, metric=metric).fit(scipy.sparse.csr_array(X), triplets=triplets)
    assert_same(dense, sparse)
    assert np.array_equal(sparse.predict(scipy.sparse.csr_array(X)), labels)
    assert np.array_equal(sparse.predict(X), labels)  # a dense table of the same rows is known, too
    assert np.array_equal(dense.predict(scipy.sparse.csr_array(X)), labels)
    assert np.array_equal(linkage_, dense.linkage_)


@pytest.mark.parametrize("linkage", LINKAGES[:5])
@pytest.mark.filterwarnings("ignore:the features agree")  # statements are random, or hidden among columns
def test_recon__sparse_of_a_few_hundred_is_dense(linkage):
    X = texts(300, 120, 5)
    triplets = random_triplets(np.random.default_rng(5), 300, 600)
    dense = ReCon(5, linkage=linkage, metric="cosine").fit(X, triplets=triplets)
    assert_same(dense, ReCon(5, linkage=linkage, metric="cosine").fit(scipy.sparse.csr_array(X), triplets=triplets))
    near = texts(50, 120, 6)
    sparse = ReCon(5, linkage=linkage, metric="cosine").fit(scipy.sparse.csr_array(X), triplets=triplets)
    assert np.array_equal(dense.predict(near), sparse.predict(scipy.sparse.csr_array(near)))
    assert np.allclose(dense.predict_proba(near), sparse.predict_proba(near))


@pytest.mark.parametrize("linkage", LINKAGES[:5])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_recon__pairs_and_triplets_of_sparse_samples(linkage, metric):
    X = texts(40, 30, 1)
    triplets = [(10, 11, 12), (13, 14, 15)]
    dense = ReCon(4, linkage=linkage, metric=metric).fit(X, triplets=triplets, pairs=PAIRS)
    sparse = ReCon(4, linkage=linkage, metric=metric).fit(scipy.sparse.csr_array(X), triplets=triplets, pairs=PAIRS)
    assert_same(dense, sparse)
    soft = {"linkage": linkage, "metric": metric, "penalty": 0.1}
    assert_same(
        ReCon(4, **soft).fit(X, triplets=triplets), ReCon(4, **soft).fit(scipy.sparse.csr_array(X), triplets=triplets)
    )


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "correlation", "jaccard", "sqeuclidean"])
def test_recon__other_metrics_of_sparse_samples(metric):
    X = texts(25, 20, 2)
    X = (X > 0).astype(float) if metric == "jaccard" else X
    dense = ReCon(4, linkage="average", metric=metric).fit(X)
    assert_same(dense, ReCon(4, linkage="average", metric=metric).fit(scipy.sparse.csr_array(X)))


def test_recon__the_number_of_clusters_of_sparse_samples():
    X = texts(60, 30, 3)
    X[:30, :5] += 2.0
    dense = ReCon(None, linkage="ward").fit(X)
    sparse = ReCon(None, linkage="ward").fit(scipy.sparse.csr_array(X))
    assert_same(dense, sparse)
    assert np.allclose(dense.n_clusters_choice_.evidence, sparse.n_clusters_choice_.evidence)


def test_recon__equal_rows_are_at_distance_0():
    X = np.repeat(texts(6, 40, 4), 3, axis=0)
    for metric in ("euclidean", "cosine"):
        for linkage in LINKAGES:
            model = ReCon(6, linkage=linkage, metric=metric).fit(scipy.sparse.csr_array(X))
            assert (model.linkage_[:12, 2] == 0).all()
            assert np.array_equal(model.labels_, np.repeat(np.arange(6), 3))


@pytest.mark.parametrize("make", FORMATS)
def test_recon__any_format_and_the_matrix_stays_as_it_was(make):
    X = texts(15, 12, 7)
    given_ = make(X)
    before = given_.copy()
    model = ReCon(3, metric="cosine").fit(given_)
    assert_same(ReCon(3, metric="cosine").fit(X), model)
    assert (given_ != before).nnz == 0
    assert np.array_equal(model.predict(given_), model.labels_)
    assert model.predict_proba(given_).shape == (15, 3)
    assert [path[-1] for path in model.predict_path(given_)] == list(range(15))


def test_recon__stored_zeros_and_repeated_entries_count_as_what_they_sum_to():
    X = texts(10, 8, 8)
    row, column = np.nonzero(X)
    parts = np.r_[X[row, column] / 2, X[row, column] / 2, 0.0]
    split = scipy.sparse.coo_array((parts, (np.r_[row, row, 0], np.r_[column, column, 3])), shape=X.shape)
    assert_same(ReCon(3).fit(X), ReCon(3).fit(split))


@pytest.mark.parametrize("linkage", ["average", "weighted", "complete", "single"])
def test_recon__rows_without_common_features_are_equally_far(linkage):
    X = np.eye(8)[[0, 1, 2, 0, 3, 4, 5, 1]] * np.linspace(0.3, 1.7, 8)[:, None]
    wanted = ReCon(3, linkage=linkage, metric="precomputed").fit(squareform(pdist(X, "cosine")))
    assert np.array_equal(
        ReCon(3, linkage=linkage, metric="cosine").fit(scipy.sparse.csr_array(X)).linkage_[:, :2],
        wanted.linkage_[:, :2],
    )


def test_recon__sparse_in_single_precision():
    X = texts(30, 20, 9)
    wide = ReCon(3, linkage="ward").fit(scipy.sparse.csr_array(X))
    narrow = ReCon(3, linkage="ward", dtype="float32").fit(scipy.sparse.csr_array(X))
    assert np.allclose(wide.linkage_[:, 2], narrow.linkage_[:, 2], rtol=1e-4)


@pytest.mark.parametrize("linkage", ["average", "weighted"])
@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean"])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array])
@given(n=st.integers(3, 12), seed=st.integers(0, 10**6))
@settings(max_examples=6)
def test_recon__average_linkage_without_a_table_is_that_of_the_table(linkage, metric, make, n, seed):
    X = texts(n, 9, seed) - 0.2
    triplets = random_triplets(np.random.default_rng(seed), n, n // 2)
    wanted = recon_definition(triplets, linkage, D=squareform(pdist(X, metric)))
    model = ReCon(1, linkage=linkage, metric=metric).fit(make(X), triplets=triplets)
    merges = tt.to_linkage(model.hierarchy_)
    assert np.array_equal(merges[:, [0, 1, 3]], wanted[:, [0, 1, 3]])
    assert np.allclose(model.distances_, wanted[:, 2])


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward"])
def test_recon__cosine_of_linkages_on_centres_is_euclidean_on_lengths_of_1(linkage):
    X = texts(30, 20, 10) - 0.1
    assert_same(ReCon(4, linkage=linkage).fit(unit(X)), ReCon(4, linkage=linkage, metric="cosine").fit(7 * X))
    huge = ReCon(4, linkage=linkage, metric="cosine").fit(1e200 * X)  # lengths whose squares are not numbers
    assert np.array_equal(huge.labels_, ReCon(4, linkage=linkage).fit(unit(X)).labels_)


def test_recon__bad_sparse_samples_are_refused():
    X = texts(12, 9, 11)
    empty = X.copy()
    empty[4] = 0
    with pytest.raises(ValueError, match=r"sample 4 .*cosine.* all zeros, which has no direction \(1 sample .* leave"):
        ReCon(metric="cosine").fit(scipy.sparse.csr_array(empty))
    model = ReCon(metric="cosine").fit(scipy.sparse.csr_array(X))
    with pytest.raises(ValueError, match="sample 4 .*cosine.* all zeros"):
        model.predict(scipy.sparse.csr_array(empty))
    with pytest.raises(ValueError, match="NaN"):
        ReCon().fit(scipy.sparse.csr_array(np.where(X > 1, np.nan, X)))
    with pytest.raises(ValueError, match="scale X"):
        ReCon().fit(scipy.sparse.csr_array(1e160 * X))
    with pytest.raises(ValueError, match="scale X"):
        ReCon().fit(scipy.sparse.csr_array(1e-160 * X))
    with pytest.raises(ValueError, match="micro_clusters=3 needs dense X"):
        ReCon(micro_clusters=3).fit(scipy.sparse.csr_array(X))
    for metric in ("mahalanobis", "seuclidean"):
        with pytest.raises(TypeError, match=f"metric='{metric}' needs dense X"):
            ReCon(linkage="average", metric=metric).fit(scipy.sparse.csr_array(X))
    with pytest.raises(ValueError, match="9 features"):
        model.predict(scipy.sparse.csr_array(X[:, :5]))
    for model in (ReCon(), ConstrainedCompleteLink()):
        assert get_tags(model).input_tags.sparse
    assert not get_tags(ReCon(metric="precomputed")).input_tags.sparse


def test_recon__sparse_validation_and_the_predictor_alone():
    X = texts(80, 30, 12)
    X[:40, 0] += 1.0
    y = np.repeat([0, 1], 40)
    triplets = tt.sample_class_triplets(y, 200, random_state=0).rows
    model = ReCon(2, metric="cosine").fit(scipy.sparse.csr_array(X), triplets=triplets, validate=True)
    assert model.validation_.n_constraints > 0
    some = scipy.sparse.csr_matrix(texts(5, 30, 13))
    assert np.array_equal(model.predictor_.predict(some), model.predict(some))


# ------------------------------------------------------------------ complete link


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock"])
def test_complete_link__sparse_is_dense(metric):
    X = texts(40, 25, 14)
    dense = ConstrainedCompleteLink(4, metric=metric).fit(X, pairs=PAIRS)
    sparse = ConstrainedCompleteLink(4, metric=metric).fit(scipy.sparse.csr_array(X), pairs=PAIRS)
    assert_same(dense, sparse)
    assert np.array_equal(sparse.predict(scipy.sparse.csc_array(X)), dense.labels_)
    asked = [
        ConstrainedCompleteLink(4, metric=metric, n_queries=5).fit(Y, oracle=lambda a, b: (a + b) % 2 == 0).queries_
        for Y in (X, scipy.sparse.csr_array(X))
    ]
    assert asked[0] == asked[1]


# ------------------------------------------------------------------ the k-means family

SOFT = {"n_init": 4, "random_state": 0}
MEANS = {
    "COPKMeans": COPKMeans(3, **SOFT),
    "COPKMeans-random": COPKMeans(3, init="random", **SOFT),
    "COPKMeans-listing": COPKMeans(3, assignment="listing", **SOFT),
    "PCKMeans": PCKMeans(3, **SOFT),
    "PCKMeans-dear": PCKMeans(3, penalty=20.0, init="k-means++", **SOFT),
    "MPCKMeans": MPCKMeans(3, metric="diagonal", **SOFT),
    "MPCKMeans-own": MPCKMeans(3, metric="diagonal", shared_metric=False, **SOFT),
    "CVQE+": CVQE(3, **SOFT),
    "CVQE": CVQE(3, variant="cvqe", init="pairs", **SOFT),
    "LCVQE": CVQE(3, variant="lcvqe", **SOFT),
}


@pytest.mark.parametrize("name", MEANS)
@given(n=st.integers(20, 40), d=st.integers(8, 30), seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=8)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_means__sparse_is_dense(name, n, d, seed, weighted):
    X = texts(n, d, seed)
    weight = np.random.default_rng(seed).integers(1, 4, n) if weighted else None
    pairs = ([(0, 1), (1, 2), (7, 9)], [(0, 5), (3, 4), (2, 8)])
    dense, sparse = (
        clone(MEANS[name]).fit(Y, pairs=pairs, sample_weight=weight) for Y in (X, scipy.sparse.csr_array(X))
    )
    assert np.array_equal(dense.labels_, sparse.labels_)
    assert np.allclose(dense.cluster_centers_, sparse.cluster_centers_, atol=1e-6)
    assert dense.inertia_ == pytest.approx(sparse.inertia_, rel=1e-6)
    near = texts(15, d, seed + 1)
    assert np.array_equal(dense.predict(near), sparse.predict(scipy.sparse.csr_array(near)))
    assert np.array_equal(dense.predict(scipy.sparse.csr_array(near)), sparse.predict(near))
    assert np.allclose(dense.transform(near), sparse.transform(scipy.sparse.csr_array(near)), atol=1e-6)
    assert dense.score(near) == pytest.approx(sparse.score(scipy.sparse.csr_array(near)), rel=1e-6)


def _checks():
    for name in ("COPKMeans", "PCKMeans", "MPCKMeans", "CVQE+"):
        for estimator, check in estimator_checks_generator(clone(MEANS[name])):
            if "sparse" in check.func.__name__:
                yield pytest.param(estimator, check, id=f"{name}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
def test_means__pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_means__a_row_order_is_that_of_the_values():
    X = texts(60, 12, 15) * np.random.default_rng(15).choice([-1.0, 1.0], (60, 12))
    X[:, 0] = 0.0
    X[10:20] = X[:10]
    assert np.array_equal(points_of(scipy.sparse.csr_array(X)).value_order(), points_of(X).value_order())


def test_means__what_needs_dense_samples_says_so():
    X = scipy.sparse.csr_array(texts(12, 9, 16))
    with pytest.raises(TypeError, match=r"metric='full' needs dense X.*metric='diagonal'"):
        MPCKMeans(2).fit(X)
    with pytest.raises(TypeError, match="geometry='segment' needs dense X"):
        COPKMeans(2, geometry="segment").fit(X)
    with pytest.raises(TypeError, match="DivisiveReCon needs dense data. ReCon, .*TruncatedSVD"):
        DivisiveReCon(2).fit(X)
    assert not get_tags(MPCKMeans()).input_tags.sparse
    assert not get_tags(COPKMeans(geometry="segment")).input_tags.sparse
    with pytest.raises(ValueError, match="scale X"):
        COPKMeans(2).fit(X).predict(1e200 * X)
