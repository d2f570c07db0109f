import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted

from tripletree import _kernels
from tripletree.cluster import ReCon
from tripletree.cluster._base import aligned_triplets
from tripletree.errors import DuplicateLeafError, InconsistentTripletsError, InvalidTripletError, UnknownLeafError
from tripletree.induction import displays
from tripletree.leaves import LeafIndex
from tripletree.linkage import cut
from tripletree.triplets import TripletSet

NAMES = list("abcdefgh")


@pytest.fixture
def X(rng):
    return rng.normal(size=(8, 3))


@pytest.fixture
def frame(X):
    return pd.DataFrame(X, index=NAMES, columns=["x", "y", "z"])


def _checks():
    for linkage in ("centroid", "complete"):
        # the array API check asks for a setting of the environment before scipy is imported
        for estimator, check in estimator_checks_generator(ReCon(linkage=linkage)):
            name = check.func.__name__
            if name != "check_array_api_input":
                yield pytest.param(estimator, check, id=f"{linkage}-{name}")


@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_recon__passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ results


def test_results__by_hand():
    # 0 and 1 are closest, but 1 belongs with 2: 1-2 at 4, then 0 with their mean 3 at 3, then 6.5 with 2 at 4.5
    model = ReCon().fit([[0.0], [1.0], [5.0], [6.5]], triplets=[(1, 2, 0), (0, 1, 3)])
    assert model.distances_.tolist() == [4.0, 3.0, 4.5]
    assert model.linkage_.tolist() == [[1, 2, 4, 2], [0, 4, 4, 3], [3, 5, 4.5, 4]]
    assert model.hierarchy_.parent.tolist() == [5, 4, 4, 6, 5, 6, -1]
    assert model.hierarchy_.height.tolist() == [0, 0, 0, 0, 4, 3, 4.5]
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert (model.n_leaves_, model.n_features_in_) == (4, 1)
    assert 1 <= model.n_rejections_ <= model.n_tests_


def test_results__fit_returns_itself_and_fit_predict_the_labels(X):
    triplets = [(0, 1, 2), (3, 4, 0)]
    model = ReCon(n_clusters=3)
    assert model.fit(X, triplets=triplets) is model
    assert np.array_equal(clone(model).fit_predict(X, triplets=triplets), model.labels_)
    assert np.array_equal(cut(model.hierarchy_, 3), model.labels_)


def test_results__x_is_left_as_it_was(X):
    before = X.copy()
    X.setflags(write=False)
    ReCon().fit(X, triplets=[(0, 1, 2)])
    distances = np.abs(X[:, :1] - X[:, :1].T)
    distances.setflags(write=False)
    ReCon(linkage="average", metric="precomputed").fit(distances, triplets=[(0, 1, 2)])
    assert np.array_equal(X, before)


def test_results__empty_triplets_change_nothing(X):
    plain = ReCon().fit(X)
    for none in (None, [], TripletSet([], 8), np.empty((0, 3), int), TripletSet([], 0)):
        assert ReCon().fit(X, triplets=none).hierarchy_ == plain.hierarchy_
    assert plain.n_tests_ == 0


def test_results__one_sample():
    model = ReCon(n_clusters=1).fit([[3.0, 4.0]])
    assert model.labels_.tolist() == [0]
    assert model.linkage_.shape == (0, 4)
    assert model.hierarchy_.n_nodes == 1
    assert ReCon(1, linkage="single", metric="precomputed").fit([[0.0]]).labels_.tolist() == [0]


def test_results__duplicate_samples_and_constant_columns():
    X = np.ones((6, 2))
    model = ReCon(n_clusters=2).fit(X, triplets=[(0, 5, 1), (1, 4, 5)])
    assert model.distances_.tolist() == [0.0] * 5
    assert displays(model.hierarchy_, TripletSet([(0, 5, 1), (1, 4, 5)], 6)).all()


def test_results__callable_metric(X):
    model = ReCon(linkage="average", metric=lambda u, v: np.abs(u - v).sum()).fit(X)
    np.testing.assert_allclose(model.distances_, ReCon(linkage="average", metric="cityblock").fit(X).distances_)


# ------------------------------------------------------------------ labels and rows


def test_labels__of_a_frame_are_those_of_its_index(frame, X):
    rows, named = [(0, 5, 1), (2, 3, 0)], [("a", "f", "b"), ("c", "d", "a")]
    wanted = ReCon().fit(X, triplets=rows)
    for triplets in (named, TripletSet.from_labels(named), iter(named), np.array(named), np.array(rows)):
        model = ReCon().fit(frame, triplets=triplets)
        assert model.hierarchy_.leaves == LeafIndex(NAMES)
        assert np.array_equal(model.linkage_, wanted.linkage_)
        assert displays(model.hierarchy_, TripletSet.from_labels(named)).all()
    assert model.feature_names_in_.tolist() == ["x", "y", "z"]


def test_labels__of_an_array_are_rows(X):
    rows = [(0, 5, 1), (2, 3, 0)]
    wanted = ReCon().fit(X, triplets=rows)
    for triplets in (np.array(rows, np.uint8), TripletSet(rows, 8), TripletSet.from_labels(rows), pd.DataFrame(rows)):
        for samples in (X, X.tolist(), pd.DataFrame(X)):
            model = ReCon().fit(samples, triplets=triplets)
            assert model.hierarchy_.leaves == LeafIndex(8)
            assert np.array_equal(model.linkage_, wanted.linkage_)


def test_labels__the_leaf_order_of_a_set_does_not_matter(frame):
    named = TripletSet.from_labels([("h", "a", "b")], leaves=["h", "b", "zebra", "a"])  # zebra occurs in no triplet
    aligned = aligned_triplets(frame, named, 8)
    assert aligned.rows.tolist() == [[0, 7, 1]]
    assert aligned.leaves == LeafIndex(NAMES)


def test_labels__integer_index_other_than_rows(X):
    frame = pd.DataFrame(X, index=range(10, 18))
    model = ReCon().fit(frame, triplets=[(10, 17, 11)])
    assert model.hierarchy_.leaves == LeafIndex(range(10, 18))
    assert list(aligned_triplets(frame, [(10, 17, 11)], 8)) == [(10, 17, 11)]
    with pytest.raises(InvalidTripletError, match=r"row numbers, but the index of X holds integers other than 0\.\.7"):
        ReCon().fit(frame, triplets=np.array([[0, 1, 2]]))


def test_labels__repeated_in_the_index(X):
    frame = pd.DataFrame(X, index=[*"abcdefaa"])
    with pytest.raises(DuplicateLeafError, match="in the index of X") as caught:
        ReCon().fit(frame, triplets=[("b", "c", "d")])
    assert caught.value.labels == ["a"]
    # where no triplet refers to the index, samples are told apart by their rows
    assert ReCon().fit(frame).hierarchy_.leaves == LeafIndex(8)
    assert ReCon().fit(frame, triplets=np.array([[0, 1, 2]])).hierarchy_.leaves == LeafIndex(8)


@pytest.mark.parametrize(
    ("triplets", "unknown"),
    [
        ([(0, 1, 8), (2, 99, 0), (2, 3, -1)], [8, 99, -1]),
        (np.array([[0, 1, 8], [2, 99, 0], [2, 3, -1]]), [-1, 8, 99]),
        (TripletSet([(0, 1, 2)], 10), [8, 9]),
        ([("a", "b", "c")], ["a", "b", "c"]),
        ([("0", "1", "2")], ["0", "1", "2"]),
    ],
)
def test_labels__unknown_rows_are_all_named(X, triplets, unknown):
    with pytest.raises(UnknownLeafError, match=r"rows of X \(n_samples=8") as caught:
        ReCon().fit(X, triplets=triplets)
    assert sorted(caught.value.labels, key=str) == sorted(unknown, key=str)


def test_labels__strings_with_a_bare_array_ask_for_a_frame(X):
    with pytest.raises(UnknownLeafError, match="pass a DataFrame whose index holds the labels"):
        ReCon().fit(X, triplets=[("a", "b", "c")])


def test_labels__unknown_in_the_index_come_with_suggestions(X):
    frame = pd.DataFrame(X, index=["human", "chimp", *range(6)])
    with pytest.raises(UnknownLeafError, match="did you mean 'human'") as caught:
        ReCon().fit(frame, triplets=[("humam", "chimp", "dodo")])
    assert caught.value.labels == ["chimp", "dodo", "humam"] or set(caught.value.labels) == {"humam", "dodo"}


@pytest.mark.parametrize(
    ("triplets", "error", "message"),
    [
        ("abc", TypeError, "not str"),
        (3, TypeError, "not int"),
        (["abc"], InvalidTripletError, "triplet 0"),
        ([(0, 1)], InvalidTripletError, "triplet 0"),
        ([(0, 1, 2), (0, 1, 1)], InvalidTripletError, "must differ"),
        (np.array([[0, 1, 1]]), InvalidTripletError, "must differ"),
        (np.array([[0.0, 1.0, 2.0]]), InvalidTripletError, "not float64"),
        (np.array([0, 1, 2]), InvalidTripletError, r"shape \(m, 3\)"),
        (np.array([[True, False, True]]), InvalidTripletError, "not bool"),
    ],
)
def test_triplets__that_are_none_are_refused(X, triplets, error, message):
    with pytest.raises(error, match=message):
        ReCon().fit(X, triplets=triplets)


def test_triplets__inconsistent_are_refused_before_clustering(frame, monkeypatch):
    def never(*_):
        raise AssertionError("clustering has started")

    monkeypatch.setattr(_kernels.recon, "start", never)
    with pytest.raises(InconsistentTripletsError, match="cannot hold together") as caught:
        ReCon().fit(frame, triplets=[("a", "b", "c"), ("d", "e", "f"), ("b", "c", "a")])
    assert set(caught.value.conflict) == {("a", "b", "c"), ("b", "c", "a")}


# ------------------------------------------------------------------ samples and parameters


def test_samples__bad_ones_are_refused(X):
    for value, name in ((np.nan, "NaN"), (np.inf, "infinity")):
        bad = X.copy()
        bad[3, 1] = value
        with pytest.raises(ValueError, match=name):
            ReCon().fit(bad)
    with pytest.raises(TypeError, match=r"Sparse data .* dense data is required"):
        ReCon().fit(scipy.sparse.csr_array(X))
    with pytest.raises(ValueError, match="n_clusters=9 but n_samples=8"):
        ReCon(n_clusters=9).fit(X)
    with pytest.raises(ValueError, match=r"samples \d and \d .* too large for float64"):
        ReCon().fit(X * 1e180)
    with pytest.raises(ValueError, match=r"samples 0 and 1 under metric='cosine' is not defined"):
        ReCon(linkage="single", metric="cosine").fit(np.zeros((3, 2)))


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward"])
@pytest.mark.parametrize("metric", ["cosine", "precomputed", "sqeuclidean"])
def test_parameters__linkages_of_points_need_euclidean(linkage, metric, X):
    with pytest.raises(ValueError, match=f"linkage='{linkage}' needs points in a Euclidean space"):
        ReCon(linkage=linkage, metric=metric).fit(X @ X.T)


@pytest.mark.parametrize("wrong", [{"n_clusters": 0}, {"n_clusters": 2.5}, {"linkage": "wards"}, {"metric": "euclid"}])
def test_parameters__are_checked_in_fit(wrong, X):
    model = ReCon(**wrong)
    with pytest.raises(ValueError, match=re.escape(f"'{next(iter(wrong))}' parameter of ReCon")):
        model.fit(X)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), "square"),
        (-np.ones((2, 2)), r"at \(0, 0\) is negative"),
        (np.array([[0.0, 1], [2, 0]]), r"1.0 at \(0, 1\) is not symmetric"),
        (np.array([[0.0, 1], [1, 3]]), r"3.0 at \(1, 1\) is not zero on the diagonal"),
        (np.array([[0.0, 1e308], [1e308, 0]]), "too large"),
    ],
)
def test_parameters__precomputed_must_be_distances(matrix, message):
    with pytest.raises(ValueError, match=message):
        ReCon(linkage="average", metric="precomputed").fit(matrix)


def test_fit__says_how_much_memory_distances_would_take(X, monkeypatch):
    def pdist(*_):
        raise MemoryError

    monkeypatch.setattr("scipy.spatial.distance.pdist", pdist)
    with pytest.raises(MemoryError, match="distances of 8 samples take 0 GiB.* centroid, median, ward need none"):
        ReCon(linkage="average").fit(X)


def test_fit__refuses_triplets_in_the_place_of_y(X):
    for y in (TripletSet([(0, 1, 2)], 8), [(0, 1, 2), (3, 4, 5)], np.array([[0, 1, 2]])):
        with pytest.raises(TypeError, match="give them by name"):
            ReCon().fit(X, y)
    ReCon().fit(X, np.zeros(8))


def test_fit__that_fails_or_is_interrupted_changes_nothing(X, monkeypatch):
    model = ReCon()
    with pytest.raises(UnknownLeafError):
        model.fit(X, triplets=[(0, 1, 99)])
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    before = dict(vars(model.fit(X)))

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_kernels.recon, "agglomerate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :2], triplets=[(0, 1, 2)])
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[k] is v for k, v in before.items())


# ------------------------------------------------------------------ with scikit-learn


def test_scikit_learn__pickle_and_clone(frame):
    model = ReCon(3, linkage="average").fit(frame, triplets=[("a", "b", "c")])
    again = pickle.loads(pickle.dumps(model))
    assert again.hierarchy_ == model.hierarchy_
    assert np.array_equal(again.labels_, model.labels_)
    assert clone(model).get_params() == {"n_clusters": 3, "linkage": "average", "metric": "euclidean"}


def test_scikit_learn__pipeline(frame):
    triplets = [("a", "f", "b"), ("c", "d", "a")]
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), ReCon())
    pipeline.fit(frame, recon__triplets=triplets)
    assert displays(pipeline[-1].hierarchy_, TripletSet.from_labels(triplets)).all()
    with pytest.raises(UnknownLeafError, match="pass a DataFrame"):  # the labels are lost on the way
        make_pipeline(StandardScaler(), ReCon()).fit(frame, recon__triplets=triplets)


def test_scikit_learn__metadata_routing(frame):
    triplets = [("a", "f", "b"), ("c", "d", "a")]
    with sklearn.config_context(enable_metadata_routing=True):
        model = ReCon().set_fit_request(triplets=True)
        pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), model).fit(frame, triplets=triplets)
        labels = clone(pipeline).fit_predict(frame, triplets=triplets)
    assert displays(pipeline[-1].hierarchy_, TripletSet.from_labels(triplets)).all()
    assert np.array_equal(labels, pipeline[-1].labels_)


def _no_score(estimator, X, y=None):
    return 0.0


@pytest.mark.parametrize("m", [3, 8])  # as many triplets as samples are cut like sample weights
def test_scikit_learn__grid_search_takes_no_row_for_another_one(frame, m):
    search = GridSearchCV(ReCon(), {"n_clusters": [2, 3]}, scoring=_no_score, cv=2, error_score="raise")
    named = [("a", x, "h") for x in "bcdefg"[:m]] + [("b", x, "h") for x in "cd"] * (m == 8)
    rows = [tuple(NAMES.index(x) for x in t) for t in named]
    assert len(named) == m
    with pytest.raises(UnknownLeafError, match="index of X"):
        search.fit(frame, triplets=named)
    with pytest.raises(UnknownLeafError, match="where X is a part of the samples, restrict the triplets to it"):
        search.fit(frame.to_numpy(), triplets=rows)


def test_demo__iris_with_triplets_of_some_samples():
    X, y = load_iris(return_X_y=True)
    known = np.arange(0, 150, 3)
    rows = [(a, b, c) for a in known for b in known for c in known if a < b and y[a] == y[b] != y[c]]
    triplets = TripletSet(rows, 150)
    model = ReCon(n_clusters=3).fit(X, triplets=triplets)
    assert displays(model.hierarchy_, triplets).all()
    assert not displays(ReCon(n_clusters=3).fit(X).hierarchy_, triplets).all()
