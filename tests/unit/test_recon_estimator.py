import re

import numpy as np
import pandas as pd
import pytest
import sklearn
import tqdm.auto
from refusals import Refusal, refusals
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from tripletree.algorithms.cut import RULES, cut, cut_at_threshold
from tripletree.algorithms.induce import displays
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.supervision import triplets_from_classes
from tripletree.cluster import ReCon
from tripletree.cluster.nearer import nearer_to_samples
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError, InvalidLabelsError, UnknownLeafError

NAMES = list("abcdefgh")


# ------------------------------------------------------------------ results


def test_results__by_hand():
    # 0 and 1 are closest, but 1 belongs with 2: 1-2 at 4, then 0 with their mean 3 at 3, then 6.5 with 2 at 4.5
    model = ReCon().fit([[0.0], [1.0], [5.0], [6.5]], triplets=[(1, 2, 0), (0, 1, 3), (2, 1, 0)])
    assert model.distances_.tolist() == [4.0, 3.0, 4.5]
    assert model.linkage_.tolist() == [[1, 2, 4, 2], [0, 4, 4, 3], [3, 5, 4.5, 4]]
    assert model.hierarchy_.parent.tolist() == [5, 4, 4, 6, 5, 6, -1]
    assert model.hierarchy_.height.tolist() == [0, 0, 0, 0, 4, 3, 4.5]
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert (model.n_leaves_, model.n_features_in_, model.n_triplets_, model.n_clusters_) == (4, 1, 2, 2)
    assert 1 <= model.n_rejections_ <= model.n_tests_


def test_results__x_is_left_as_it_was(X):
    before = X.copy()
    X.setflags(write=False)
    ReCon().fit(X, triplets=[(0, 1, 2)]).predict(X)
    distances = np.abs(X[:, :1] - X[:, :1].T)
    distances.setflags(write=False)
    ReCon(linkage="average", metric="precomputed").fit(distances, triplets=[(0, 1, 2)]).predict(distances)
    assert np.array_equal(X, before)


def test_results__empty_triplets_change_nothing(X):
    plain = ReCon().fit(X)
    for none in (None, [], TripletSet([], 8), np.empty((0, 3), int), TripletSet([], 0)):
        assert ReCon().fit(X, triplets=none).hierarchy_ == plain.hierarchy_
    assert plain.n_tests_ == plain.n_triplets_ == 0


def test_results__one_sample():
    model = ReCon(n_clusters=1).fit([[3.0, 4.0]])
    assert model.labels_.tolist() == [0]
    assert model.linkage_.shape == (0, 4)
    assert model.hierarchy_.n_nodes == 1
    assert ReCon(1, linkage="single", metric="precomputed").fit([[0.0]]).labels_.tolist() == [0]
    for model in (ReCon(None, distance_threshold=0.0), ReCon(1, linkage="median"), ReCon(1, linkage="weighted")):
        assert model.fit([[3.0, 4.0]]).predict([[0.0, 0.0], [9.0, 9.0]]).tolist() == [0, 0]


def test_results__callable_metric(X):
    model = ReCon(linkage="average", metric=lambda u, v: np.abs(u - v).sum()).fit(X)
    np.testing.assert_allclose(model.distances_, ReCon(linkage="average", metric="cityblock").fit(X).distances_)


# ------------------------------------------------------------------ how many clusters


def _clusters_below(Z, n, threshold):
    """Each node with all merges at and below it at most at the threshold, the largest of these: by definition."""
    members, good = {i: {i} for i in range(n)}, dict.fromkeys(range(n), True)
    for k, (i, j, height, _) in enumerate(Z.tolist()):
        members[n + k] = members[int(i)] | members[int(j)]
        good[n + k] = good[int(i)] and good[int(j)] and height <= threshold
    kept = [members[u] for u in members if good[u]]
    return {frozenset(x) for x in kept if not any(x < y for y in kept)}


def test_threshold__is_the_largest_clades_without_a_merge_above():
    inversions = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(12, 2))
        Z = ReCon().fit(X, triplets=[(0, 1, 2), (3, 4, 5), (1, 6, 7), (8, 2, 9)]).distances_
        inversions += (np.diff(Z) < 0).any()
        # a threshold between merges, and one that is met exactly
        for threshold in (*rng.uniform(0, Z.max(), size=3), Z[3], 0.0, Z.max(), 99.0):
            model = ReCon(None, distance_threshold=threshold)
            model.fit(X, triplets=[(0, 1, 2), (3, 4, 5), (1, 6, 7), (8, 2, 9)])
            found = {frozenset(np.flatnonzero(model.labels_ == c).tolist()) for c in range(model.n_clusters_)}
            raw = np.column_stack([model.linkage_[:, :2], model.distances_, model.linkage_[:, 3]])
            assert found == _clusters_below(raw, 12, threshold)
            assert model.labels_[0] == 0
            assert (np.diff(np.unique(model.labels_, return_index=True)[1]) > 0).all()  # by first samples
    assert inversions > 10


def test_threshold__below_a_fall_of_heights():
    # heights 4, 3: at a threshold of 3.5 the second merge lies below it, but has one above inside
    h = from_linkage([[0, 1, 4.0, 2], [2, 3, 3.0, 3]])
    assert cut_at_threshold(h, np.array([4.0, 4.0]), 3.5).tolist() == [0, 1, 2]
    assert cut_at_threshold(h, np.array([4.0, 4.0]), 4.0).tolist() == [0, 0, 0]


def test_clusters__number_or_threshold_but_not_both(X):
    for wrong, message in (
        ({"n_clusters": None, "metric": "precomputed", "linkage": "average"}, "no number if distances are precomputed"),
        ({"n_clusters": 2, "distance_threshold": 1.0}, "are both given: set one of them to None"),
        ({"n_clusters": None, "distance_threshold": 1.0, "cut": "size"}, "the threshold is a rule of its own"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            ReCon(**wrong).fit(X)
    with pytest.raises(ValueError, match="n_clusters=None finds no number if pairs are given: give one, or dist"):
        ReCon(None).fit(X, pairs=([(0, 1)], []))


def test_clusters__are_not_more_than_samples(X):
    with pytest.raises(ClusterCountError, match="n_clusters=9 but n_samples=8") as caught:
        ReCon(n_clusters=9).fit(X)
    assert (caught.value.n_clusters, caught.value.nearest) == (9, (8,))
    assert ReCon(n_clusters=8).fit_predict(X).tolist() == list(range(8))


@pytest.mark.parametrize("rule", RULES)
def test_cut__is_that_of_the_function(rule, rng):
    X = rng.normal(size=(40, 2))
    triplets = triplets_from_classes(rng.integers(0, 3, 40), samples=np.arange(0, 40, 2))
    for k in (2, 3, 5):
        model = ReCon(k, cut=rule).fit(X, triplets=triplets)
        wanted = cut(model.hierarchy_, k, rule=rule, triplets=triplets, samples=X)
        if rule == "auto":
            wanted = nearer_to_samples(wanted, wanted, X, triplets)
        assert np.array_equal(model.labels_, wanted)
        assert model.n_clusters_ == k


def test_cut__by_constraints_finds_the_number(rng):
    y = rng.integers(0, 3, 40)
    model = ReCon(None, cut="constraints").fit(rng.normal(size=(40, 2)), triplets=triplets_from_classes(y))
    assert model.n_clusters_ == 3
    assert len(set(zip(model.labels_.tolist(), y.tolist(), strict=True))) == 3


def test_cut__with_precomputed_distances(rng):
    X = rng.normal(size=(30, 1))
    model = ReCon(3, linkage="average", metric="precomputed", cut="size").fit(np.abs(X - X.T))
    assert np.array_equal(model.labels_, cut(model.hierarchy_, 3, rule="size"))


# ------------------------------------------------------------------ precision


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward", "average", "weighted", "complete", "single"])
def test_dtype__float32_merges_as_float64_does(linkage, rng):
    X = rng.normal(size=(60, 4))
    triplets = [(0, 5, 9), (1, 5, 20), (33, 34, 35)]
    double, single, same = (
        ReCon(linkage=linkage, dtype=dtype).fit(X, triplets=triplets) for dtype in ("float64", "float32", np.float32)
    )
    assert np.array_equal(single.linkage_[:, :2], double.linkage_[:, :2])
    np.testing.assert_allclose(single.distances_, double.distances_, rtol=1e-4)
    assert not np.array_equal(single.distances_, double.distances_)
    assert np.array_equal(single.distances_, same.distances_)
    assert single.distances_.dtype == single.linkage_.dtype == np.float64


def test_dtype__does_not_follow_that_of_x(rng):
    X = rng.normal(size=(30, 2)).astype(np.float32)
    assert np.array_equal(ReCon().fit(X).distances_, ReCon().fit(X.astype(np.float64)).distances_)


def test_dtype__float32_keeps_what_stands_far_from_the_origin(rng):
    X = rng.normal(size=(30, 2))
    far = ReCon(dtype="float32").fit(X + 1e7)
    assert np.array_equal(far.linkage_[:, :2], ReCon().fit(X + 1e7).linkage_[:, :2])


def test_dtype__float32_of_a_metric_is_that_of_float64_rounded(rng):
    X = rng.uniform(1, 2, size=(150, 3))  # more than a block of rows
    for metric in ("cityblock", "seuclidean", "mahalanobis", "correlation"):
        a, b = (ReCon(linkage="complete", metric=metric, dtype=t).fit(X) for t in ("float64", "float32"))
        assert np.array_equal(a.linkage_[:, :2], b.linkage_[:, :2])
        assert np.array_equal(a.distances_.astype(np.float32), b.distances_)


# ------------------------------------------------------------------ progress and interrupts


def _interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("linkage", ["centroid", "average"])
def test_fit__that_is_interrupted_changes_nothing(linkage, X, monkeypatch, capsys):
    model = ReCon(linkage=linkage, verbose=True)
    monkeypatch.setattr(tqdm.auto.tqdm, "update", _interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    assert len(tqdm.auto.tqdm._instances) == 0
    assert capsys.readouterr().err.endswith("\r")  # the bar is wiped
    before = dict(vars(model.set_params(verbose=False).fit(X)))
    labels = model.predict(X)
    model.verbose = True
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :2], triplets=[(0, 1, 2)])
    model.verbose = False
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[k] is v for k, v in before.items())
    assert np.array_equal(model.predict(X), labels)


# ------------------------------------------------------------------ with scikit-learn


def test_scikit_learn__pipeline(frame):
    triplets = [("a", "f", "b"), ("c", "d", "a")]
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), ReCon())
    pipeline.fit(frame, recon__triplets=triplets)
    assert displays(pipeline[-1].hierarchy_, TripletSet.from_labels(triplets)).all()
    assert np.array_equal(pipeline.predict(frame), pipeline[-1].predict(pipeline[0].transform(frame)))
    with pytest.raises(UnknownLeafError, match="pass a pandas DataFrame"):  # the labels are lost on the way
        make_pipeline(StandardScaler(), ReCon()).fit(frame, recon__triplets=triplets)


def test_scikit_learn__metadata_routing(frame):
    triplets = [("a", "f", "b"), ("c", "d", "a")]
    with sklearn.config_context(enable_metadata_routing=True):
        model = ReCon().set_fit_request(triplets=True)
        pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), model).fit(frame, triplets=triplets)
        labels = clone(pipeline).fit_predict(frame, triplets=triplets)
    assert displays(pipeline[-1].hierarchy_, TripletSet.from_labels(triplets)).all()
    assert np.array_equal(labels, pipeline[-1].labels_)


def test_demo__iris_with_triplets_of_some_samples():
    X, y = load_iris(return_X_y=True)
    known = np.arange(0, 150, 3)
    rows = [(a, b, c) for a in known for b in known for c in known if a < b and y[a] == y[b] != y[c]]
    triplets = TripletSet(rows, 150)
    model = ReCon(n_clusters=3).fit(X, triplets=triplets)
    assert displays(model.hierarchy_, triplets).all()
    assert not displays(ReCon(n_clusters=3).fit(X).hierarchy_, triplets).all()


# ---------------------------------------------------------------------- classes


@pytest.mark.parametrize("known", [range(8), [0, 1, 4, 5, 6]], ids=["all", "some"])
def test_classes__are_their_triplets(frame, known):
    classes = pd.Series(list("xyxyzzzz"), index=NAMES)
    some = classes.iloc[list(known)]
    codes = [classes[x] if x in some.index else None for x in NAMES]
    expected = ReCon(3).fit(frame, triplets=triplets_from_classes(classes, leaves=NAMES, samples=list(known)))
    for given in (some, some.to_dict(), codes):
        model = ReCon(3).fit(frame, classes=given)
        assert model.triplets_ == expected.triplets_
        assert model.labels_.tolist() == expected.labels_.tolist()
        assert model.hierarchy_ == expected.hierarchy_
    if len(some) == 8:
        clades = {frozenset(model.hierarchy_.clade(node)) for node in range(model.hierarchy_.n_nodes)}
        assert {frozenset("ac"), frozenset("bd"), frozenset("efgh")} <= clades


def test_classes__beside_other_knowledge(frame):
    triplets = TripletSet.from_labels([("e", "f", "g")])
    model = ReCon(3).fit(frame, triplets=triplets, pairs=([("a", "c")], []), classes=list("xyxyzzzz"))
    assert displays(model.hierarchy_, triplets.reindex(NAMES)).all()
    assert displays(model.hierarchy_, triplets_from_classes(list("xyxyzzzz"), leaves=NAMES)).all()


@pytest.mark.parametrize(("classes", "given"), [("xxx", "3 labels of 1 class"), ("xyz", "3 labels of 3 classes")])
def test_classes__of_which_no_triplet_follows(frame, classes, given):
    with pytest.warns(UserWarning, match=f"classes has {given}, so nothing follows: give two samples of one"):
        assert len(ReCon(3).fit(frame, classes=dict(zip("abc", classes, strict=True))).triplets_) == 0


def test_classes__validated(rng):
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 3)) + 5 * y[:, None]
    found = ReCon(3).fit(X, classes=y, validate=True).validation_
    assert found.n_constraints > 0
    assert found.settings[1] == "all of them hold"


test_recon_estimator__refused = refusals(
    "parameters: no threads are no number of threads",
    Refusal(lambda X: ReCon(n_jobs=0).fit(X), ValueError, "The 'n_jobs' parameter of ReCon must be"),
    "classes: that do not fit",
    Refusal(lambda frame: ReCon(3).fit(frame, classes={"a": "x", "q": "y"}), UnknownLeafError, "'q'"),
    Refusal(lambda frame: ReCon(3).fit(frame, classes=["x", "y"]), InvalidLabelsError, "8"),
)
