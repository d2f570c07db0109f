import re
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from scipy.spatial.distance import pdist
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import displays, sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.supervision import sample_class_triplets, triplets_from_classes
from tripletree.cluster import ConstrainedCompleteLink, ReCon, distances
from tripletree.cluster.base import warn_if_few
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, InconsistentTripletsError, InvalidTripletError, UnknownLeafError
from tripletree.knowledge.alignment import align_triplets

NAMES = list("abcdefgh")


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
    aligned = align_triplets(frame, named, 8)
    assert aligned.rows.tolist() == [[0, 7, 1]]
    assert aligned.leaves == LeafIndex(NAMES)


def test_labels__integer_index_other_than_rows(X):
    frame = pd.DataFrame(X, index=range(10, 18))
    model = ReCon().fit(frame, triplets=[(10, 17, 11)])
    assert model.hierarchy_.leaves == LeafIndex(range(10, 18))
    assert list(align_triplets(frame, [(10, 17, 11)], 8)) == [(10, 17, 11)]
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
        (np.array([[0, 1, 2**64 - 1]], np.uint64), [2**64 - 1]),  # must not wrap around to -1
        (TripletSet([(0, 1, 2)], 10), [8, 9]),
        ([("a", "b", "c")], ["a", "b", "c"]),
        ([("0", "1", "2")], ["0", "1", "2"]),
    ],
)
def test_labels__unknown_rows_are_all_named(X, triplets, unknown):
    for samples in (X, pd.DataFrame(X), pl.DataFrame(X)):
        with pytest.raises(UnknownLeafError, match=r"rows of X \(n_samples=8") as caught:
            ReCon(missing_samples="ignore").fit(samples, triplets=triplets)
        assert sorted(caught.value.labels, key=str) == sorted(unknown, key=str)


def test_labels__strings_without_an_index_ask_for_one(X):
    without = "which has no index of labels"
    for samples, why in ((X, without), (pl.DataFrame(X), without), (pd.DataFrame(X), "whose index is 0..7")):
        with pytest.raises(UnknownLeafError, match=f"{why}; pass a pandas DataFrame whose index holds the labels"):
            ReCon().fit(samples, triplets=[("a", "b", "c")])


def test_labels__unknown_in_the_index_come_with_suggestions(X):
    frame = pd.DataFrame(X, index=["human", "chimp", *range(6)])
    with pytest.raises(UnknownLeafError, match="did you mean 'human'") as caught:
        ReCon().fit(frame, triplets=[("humam", "chimp", "dodo")])
    assert set(caught.value.labels) == {"humam", "dodo"}
    assert caught.value.suggestions == {"humam": ["human"]}


def test_tables__polars_gives_names_of_features_and_rows(X):
    table = pl.DataFrame(X, schema=["x", "y", "z"])
    model = ReCon(3).fit(table, triplets=pl.DataFrame([(0, 5, 1), (2, 3, 0)], schema=["a", "b", "c"], orient="row"))
    assert model.feature_names_in_.tolist() == ["x", "y", "z"]
    assert np.array_equal(model.linkage_, ReCon().fit(X, triplets=[(0, 5, 1), (2, 3, 0)]).linkage_)
    assert np.array_equal(model.predict(table), model.predict(pd.DataFrame(X, columns=["x", "y", "z"])))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table.rename({"x": "w"}))


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

    monkeypatch.setattr("tripletree.cluster.agglomerative.recon.merge_samples", never)
    with pytest.raises(InconsistentTripletsError, match="cannot hold together") as caught:
        ReCon().fit(frame, triplets=[("a", "b", "c"), ("d", "e", "f"), ("b", "c", "a")])
    assert set(caught.value.conflict) == {("a", "b", "c"), ("b", "c", "a")}


def test_fit__refuses_triplets_in_the_place_of_y(X):
    for y in (TripletSet([(0, 1, 2)], 8), [(0, 1, 2), (3, 4, 5)], np.array([[0, 1, 2]])):
        with pytest.raises(TypeError, match="give them by name"):
            ReCon().fit(X, y)
    ReCon().fit(X, np.zeros(8))


# ------------------------------------------------------------------ parts of X


def test_missing__are_left_out_where_samples_have_labels(frame):
    named = [("a", "f", "b"), ("c", "d", "a"), ("a", "zebra", "b"), ("b", "f", "ox")]
    model = ReCon(missing_samples="ignore").fit(frame, triplets=named)
    assert model.n_triplets_ == 2
    assert np.array_equal(model.linkage_, ReCon().fit(frame, triplets=named[:2]).linkage_)
    assert ReCon(missing_samples="ignore").fit(frame, triplets=named[2:]).n_triplets_ == 0
    with pytest.raises(UnknownLeafError, match="labels in the index of X") as caught:
        ReCon().fit(frame, triplets=named)
    assert set(caught.value.labels) == {"zebra", "ox"}
    integers = pd.DataFrame(frame.to_numpy(), index=[3, 1, 4, 5, 9, 2, 6, 8])
    assert ReCon(missing_samples="ignore").fit(integers, triplets=[(3, 1, 4), (3, 1, 0)]).n_triplets_ == 1


def test_missing__is_no_excuse_for_other_mistakes(frame):
    model = ReCon(missing_samples="ignore")
    with pytest.raises(InvalidTripletError, match="must differ"):
        model.fit(frame, triplets=[("a", "zebra", "zebra")])
    with pytest.raises(UnknownLeafError, match="rows of X"):
        model.fit(frame, triplets=np.array([[0, 1, 8]]))
    with pytest.raises(DuplicateLeafError, match="in the index of X"):
        model.fit(frame.set_axis([*"abcdefaa"]), triplets=[("a", "b", "zebra")])
    with pytest.raises(InconsistentTripletsError):
        model.fit(frame, triplets=[("a", "b", "c"), ("b", "c", "a"), ("a", "b", "zebra")])


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_missing__rows_of_a_part_are_never_ignored(make, X):
    # an index 0..n-1 may stem from a step that dropped the labels: row 7 of the whole is not row 7 of a part
    triplets = TripletSet([(0, 1, 2), (5, 6, 7)], 8)
    for given in (triplets, list(triplets), triplets.rows):
        with pytest.raises(UnknownLeafError, match="row numbers are never ignored"):
            ReCon(missing_samples="ignore").fit(make(X[:6]), triplets=given)
    low = TripletSet([(0, 1, 2)], 8)  # a set knows that it was made for eight samples
    with pytest.raises(UnknownLeafError, match="n_samples=6"):
        ReCon(missing_samples="ignore").fit(make(X[:6]), triplets=low)


def _no_score(estimator, X, y=None):
    return 0.0


@pytest.mark.parametrize("m", [3, 8])  # as many triplets as samples are cut like sample weights
def test_grid_search__takes_no_row_for_another_one(frame, m):
    named = [("a", x, "h") for x in "bcdefg"[:m]] + [("b", x, "h") for x in "cd"] * (m == 8)
    rows = [tuple(NAMES.index(x) for x in t) for t in named]
    assert len(named) == m
    for missing in ("raise", "ignore"):
        model = ReCon(missing_samples=missing)
        search = GridSearchCV(model, {"n_clusters": [2, 3]}, scoring=_no_score, cv=2, error_score="raise")
        with pytest.raises(UnknownLeafError, match="row numbers are never ignored"):
            search.fit(frame.to_numpy(), triplets=rows)
        unlabelled = make_pipeline(StandardScaler().set_output(transform="pandas"), model)
        search = GridSearchCV(unlabelled, {"recon__n_clusters": [2]}, scoring=_no_score, cv=2, error_score="raise")
        with pytest.raises(UnknownLeafError, match="row numbers are never ignored"):
            search.fit(frame.to_numpy(), recon__triplets=rows)
    search = GridSearchCV(ReCon(), {"n_clusters": [2, 3]}, scoring=_no_score, cv=2, error_score="raise")
    with pytest.raises(UnknownLeafError, match="index of X"):
        search.fit(frame, triplets=named)


def test_grid_search__tells_when_triplets_were_cut_like_weights(frame):
    named = [(x, y, "h") for x, y in zip("abcdefga", "bcdefgac", strict=True)]
    model = ReCon(missing_samples="ignore")
    search = GridSearchCV(model, {"n_clusters": [2]}, scoring=_no_score, cv=KFold(2), error_score="raise")
    with pytest.warns(UserWarning, match="there are 4 triplets, as many as samples.*repeat one triplet in the list"):
        search.fit(frame, triplets=named)
    search.fit(frame, triplets=[*named, named[0]])  # the way out, without a warning
    assert search.best_estimator_.n_triplets_ == 8


# ------------------------------------------------------------------ samples


def test_samples__bad_ones_are_refused(X):
    for value, name in ((np.nan, "NaN"), (np.inf, "infinity")):
        bad = X.copy()
        bad[3, 1] = value
        with pytest.raises(ValueError, match=name):
            ReCon().fit(bad)
    for metric in ("precomputed", "nan_euclidean"):
        with pytest.raises(TypeError, match=f"metric='{metric}' needs dense X"):
            ReCon(linkage="average", metric=metric).fit(scipy.sparse.csr_array(X))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        ReCon().fit(X[:, 0])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        ReCon().fit(X[:, :0])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        ReCon().fit(X[:0])
    with pytest.raises(ValueError, match="n_samples=1"):
        ReCon().fit(X[:1])
    with pytest.raises(ValueError, match="integers beyond the range of float64"):
        ReCon().fit(np.array([[10**400], [0]], dtype=object))


def test_samples__text_is_refused_with_the_columns_that_hold_it(X):
    mixed = pd.DataFrame(X, columns=["x", "y", "z"]).assign(species=NAMES)
    with pytest.raises(
        ValueError, match=r"numbers, not text in the column species \(could not .*'a'\): leave text out"
    ):
        ReCon().fit(mixed)
    with pytest.raises(ValueError, match="numbers, not text in the column species"):
        ReCon().fit(pl.DataFrame(X, schema=["x", "y", "z"]).with_columns(species=pl.Series(NAMES)))
    with pytest.raises(ValueError, match=r"numbers, not text \(could not convert string to float"):
        ReCon().fit(mixed.to_numpy())
    with pytest.raises(ValueError, match="numbers, not text"):
        ReCon().fit(np.array([["p", "q"], ["r", "s"]]))


def test_samples__integers_and_truth_values_count_as_numbers():
    small = np.array([[100], [-100], [90], [-90]], np.int8)  # differences do not fit into int8
    assert ReCon().fit(small).distances_.tolist() == [10.0, 10.0, 190.0]
    unsigned = np.array([[0], [2], [10]], np.uint8)
    assert ReCon(linkage="single").fit(unsigned).distances_.tolist() == [2.0, 8.0]
    truth = np.array([[True, False], [True, True], [False, False]])
    assert ReCon(linkage="single").fit(truth).distances_.tolist() == [1.0, 1.0]
    numbers = np.array([[1, 2.5], [3, 4]], dtype=object)
    assert ReCon().fit(numbers).distances_.tolist() == [2.5]


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward", "average", "weighted", "complete", "single"])
def test_samples__constant_columns_and_duplicates_are_ordinary(linkage):
    X = np.ones((6, 2))
    model = ReCon(n_clusters=2, linkage=linkage).fit(X, triplets=[(0, 5, 1), (1, 4, 5)])
    assert model.distances_.tolist() == [0.0] * 5
    assert displays(model.hierarchy_, TripletSet([(0, 5, 1), (1, 4, 5)], 6)).all()
    X[:, 1] = [3, 1, 4, 1, 5, 9]
    assert np.array_equal(ReCon(linkage=linkage).fit(X).distances_, ReCon(linkage=linkage).fit(X[:, 1:]).distances_)


def test_samples__constant_columns_with_metrics_that_scale():
    X = np.column_stack([np.full(6, 0.1), [3, 1, 4, 1, 5, 9]])
    scaled, alone = (ReCon(linkage="average", metric="seuclidean").fit(x) for x in (X, X[:, 1:]))
    assert np.array_equal(scaled.distances_, alone.distances_)
    assert np.array_equal(scaled.predict(X), alone.predict(X[:, 1:]))
    with pytest.raises(ValueError, match=r"2 features of 6 samples span 1 dimensions; give a fitted PCA\(1, whiten"):
        ReCon(linkage="average", metric="mahalanobis").fit(X)
    with pytest.raises(ValueError, match="3 features of 6 samples span 2 dimensions"):
        ReCon(linkage="average", metric="mahalanobis").fit(np.column_stack([X[:, 1], X[:, 1] ** 2, 3 * X[:, 1]]))


@pytest.mark.parametrize(
    ("metric", "X", "message"),
    [
        ("cosine", [[1.0, 2], [0, 0], [3, 1]], "sample 1 .* is not defined: the sample is all zeros"),
        # the mean of these is not 0.1: scipy would correlate with the rounding
        ("correlation", [[1.0, 2, 4], [0.1, 0.1, 0.1], [3, 1, 0]], "sample 1 .* the sample is constant"),
        ("jaccard", [[1.0, 2], [np.nan, 0]], "NaN"),
        ("dice", [[1.0, 0], [0, 1], [0.5, 1]], "sample 2 .* not only 0 and 1: this metric compares truth values"),
        ("jensenshannon", [[1.0, 0], [0, 1], [-1, 1]], "sample 2 .* negative or all zeros, so not a distribution"),
        ("braycurtis", [[1.0, 0], [0, 0], [0, 0]], "samples 1 and 2 under metric='braycurtis' is not defined"),
    ],
)
def test_samples__without_a_distance_are_named(metric, X, message):
    with pytest.raises(ValueError, match=message):
        ReCon(linkage="single", metric=metric).fit(X)


def test_samples__distances_must_fit_the_numbers(X):
    for dtype, factor in (("float64", 1e180), ("float32", 1e20)):
        for linkage in ("centroid", "average"):
            with pytest.raises(ValueError, match=rf"samples \d and \d .* too large for {dtype}"):
                ReCon(linkage=linkage, dtype=dtype).fit(X * factor)
            with pytest.raises(ValueError, match=f"squared distances vanish in {dtype} arithmetic: scale X"):
                ReCon(linkage=linkage, dtype=dtype).fit(X / factor)
    with pytest.raises(ValueError, match=r"samples \d and \d under metric='cityblock' is infinite, or too large"):
        ReCon(linkage="single", metric="cityblock", dtype="float32").fit(X * 1e38)


def test_samples__a_negative_distance_is_refused(X):
    with pytest.raises(ValueError, match=r"samples 0 and 1 under metric=.* is negative, -1 \(28 pairs"):
        ReCon(linkage="single", metric=lambda u, v: -1.0).fit(X)


# ------------------------------------------------------------------ parameters


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward"])
@pytest.mark.parametrize("metric", ["cityblock", "precomputed", "sqeuclidean", "gower"])
def test_parameters__linkages_of_points_need_euclidean(linkage, metric, X):
    with pytest.raises(ValueError, match=f"linkage='{linkage}' needs points in a Euclidean space"):
        ReCon(linkage=linkage, metric=metric).fit(X @ X.T)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_clusters": 0},
        {"n_clusters": 2.5},
        {"linkage": "wards"},
        {"metric": "euclid"},
        {"cut": "heights"},
        {"distance_threshold": -1.0},
        {"dtype": "float16"},
        {"missing_samples": "drop"},
        {"verbose": "yes"},
    ],
)
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
    def cdist(*_, **__):
        raise MemoryError

    monkeypatch.setattr("scipy.spatial.distance.cdist", cdist)
    with pytest.raises(MemoryError, match="distances of 8 samples take 0 GiB.* centroid, median, ward needs none"):
        ReCon(linkage="average").fit(X)


@pytest.mark.parametrize("model", [ReCon(2, linkage="average"), ConstrainedCompleteLink(2)], ids=repr)
def test_recon__distances_beyond_the_memory_are_refused_before_they_are_asked_for(model, monkeypatch):
    """A system may promise more memory than there is, and end the process that uses it."""
    monkeypatch.setattr("tripletree.cluster.distances.fits_in_memory", lambda size: size <= 1 << 12)
    with pytest.raises(MemoryError, match="distances of 100 samples .* more than there is; ReCon with one of the link"):
        model.fit(np.random.default_rng(0).normal(size=(100, 2)))


# ------------------------------------------------------------------ few random triplets


def _warned(triplets):
    """True if a fit would warn of few triplets."""
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        warn_if_few(triplets, one_tree(triplets))
    assert len(caught) <= 1
    return bool(caught)


DATA = [load_iris, load_wine, load_breast_cancer, load_digits]


@pytest.mark.parametrize("load", DATA)
def test_few__random_triplets_are_told(load):
    y = load().target
    n = len(y)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for share in (0.2, 0.5, 1.0):
            assert _warned(sample_class_triplets(y, int(share * n), random_state=seed))
        told = rng.permutation(n)[: n // 4]
        if n // 4 >= 30:  # on a part of the samples, it is their number that counts
            assert _warned(sample_class_triplets(y, n // 4, samples=told, random_state=seed))
            assert not _warned(sample_class_triplets(y, 2 * (n // 4), samples=told, random_state=seed))
        assert not _warned(sample_class_triplets(y, int(1.4 * n), random_state=seed))


@pytest.mark.parametrize("load", DATA)
def test_few__informative_triplets_are_not(load):
    y = load().target
    n = len(y)
    full = triplets_from_classes(y)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for told in (n // 20, n // 5, n):
            assert not _warned(triplets_from_classes(y, samples=rng.permutation(n)[:told]))
        for m in (30, 50, n // 2):
            assert not _warned(full.subset(rng.permutation(len(full))[:m]))


def test_few__sets_that_say_all_of_a_hierarchy_are_not():
    rng = np.random.default_rng(0)
    n = 200
    cluster, merges = list(range(n)), []
    size = dict.fromkeys(cluster, 1)
    for k in range(n - 1):
        i, j = (cluster.pop(int(rng.integers(len(cluster)))) for _ in range(2))
        size[n + k] = size[i] + size[j]
        merges.append([min(i, j), max(i, j), float(k), size[n + k]])
        cluster.append(n + k)
    h = from_linkage(merges)
    assert len(decompose(h)) == n - 2
    assert not _warned(decompose(h))
    assert _warned(sample_triplets(h, n - 2, random_state=0))


def test_few__small_sets_and_small_data_are_not():
    assert not _warned(sample_class_triplets(np.arange(200) % 2, 29, random_state=0))
    assert _warned(sample_class_triplets(np.arange(200) % 2, 30, random_state=0))
    assert not _warned(sample_class_triplets(np.arange(49) % 2, 40, random_state=0))


def test_few__the_warning_has_numbers_and_advice_and_points_at_the_caller():
    triplets = sample_class_triplets(np.arange(100) % 2, 50, random_state=0)
    named = triplets.used_leaves.size
    with pytest.warns(UserWarning, match="50 triplets that look drawn at random") as caught:
        ReCon().fit(np.arange(100.0)[:, None], triplets=triplets)
    text = str(caught[0].message)
    assert f"name {named} of 100 samples, {50 / named:.2f} triplets each" in text
    assert "Compare with the fit without them (evaluate_knowledge); use DivisiveReCon" in text
    assert "triplets_from_classes" in text
    assert caught[0].filename == __file__


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_triplets__a_data_frame_goes_by_its_names(library):
    frames = pytest.importorskip(library)
    X = pd.DataFrame([[0.0], [1], [5], [6]], index=list("wxyz"))
    given = frames.DataFrame({"c": ["y", "w"], "weight": [2.0, 1.0], "a": ["w", "y"], "b": ["x", "z"]})
    wanted = TripletSet.from_labels([("w", "x", "y"), ("y", "z", "w")], weights=[2.0, 1.0])
    assert TripletSet.from_labels(given) == wanted
    assert displays(ReCon(2).fit(X, triplets=given).hierarchy_, wanted).all()
    with pytest.raises(InvalidTripletError, match="needs columns a, b and c, .*this one has x, b, c: rename them"):
        ReCon(2).fit(X, triplets=frames.DataFrame({"x": ["w"], "b": ["x"], "c": ["y"]}))


def test_triplets__an_empty_array_of_any_type():
    assert ReCon(2).fit(np.zeros((4, 1)), triplets=np.empty((0, 3))).n_triplets_ == 0


def test_triplets__a_pipeline_that_loses_the_index_is_told_what_to_do():
    X = pd.DataFrame([[0.0], [1], [5], [6]], index=list("wxyz"))
    model = make_pipeline(StandardScaler(), ReCon(2))
    with pytest.raises(UnknownLeafError, match=r"In a pipeline, set_output\(transform='pandas'\) keeps the index"):
        model.fit(X, recon__triplets=[("w", "x", "y")])
    model.set_output(transform="pandas").fit(X, recon__triplets=[("w", "x", "y")])


# ------------------------------------------------------------------ weights


def test_fit__weights_by_name_go_to_the_rows_of_these_names():
    X = pd.DataFrame([[0.0], [1.0], [5.0], [7.0]], index=list("abcd"))
    weights = pd.Series([1.0, 2.0, 3.0, 4.0], index=list("abcd"))
    wanted = ReCon(2, linkage="ward").fit(X, sample_weight=weights.to_numpy())
    assert np.array_equal(ReCon(2, linkage="ward").fit(X, sample_weight=weights).distances_, wanted.distances_)
    with pytest.raises(ValueError, match="index of sample_weight differs from the index of X.*sample_weight.loc"):
        ReCon(2, linkage="ward").fit(X, sample_weight=weights[::-1])


@pytest.mark.parametrize("metric", distances.METRICS)
def test_fit__distances_of_blocks_are_those_of_scipy(metric, monkeypatch, rng):
    X = rng.random(size=(70, 9))
    if metric in ("dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"):
        X = (X > 0.5).astype(float)
    parameters = distances.metric_parameters(X, metric)
    wanted = np.maximum(pdist(X, metric, **parameters), 0)
    for at_once in (1, 70 * 9 * 8, 10**9):
        monkeypatch.setattr(distances, "_AT_ONCE", at_once)
        assert np.array_equal(distances.condensed_distances(X, metric, parameters), wanted)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("micro_clusters", [None, 5])
def test_recon__triplets_on_more_samples_than_memory_has_bits_for_are_refused(micro_clusters, monkeypatch):
    """The search for merges ended in a bare MemoryError of the core."""
    X, triplets = np.arange(400.0)[:, None], [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(100)]
    monkeypatch.setattr("tripletree.cluster.agglomerative.plan.fits_in_memory", lambda size: size <= 300 * 300 / 8)
    with pytest.raises(MemoryError, match="triplets on 300 samples take .* a bit for each pair of them"):
        ReCon(2, micro_clusters=micro_clusters).fit(X, triplets=triplets)
    ReCon(2, micro_clusters=micro_clusters).fit(X[:300], triplets=triplets[:50])
