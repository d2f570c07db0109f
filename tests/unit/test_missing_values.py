"""Samples with gaps: Euclidean distances of the features known of both, and Gower's distance of mixed columns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recon_oracle import random_triplets, recon_definition
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.utils import get_tags

import tripletree as tt
from tripletree.cluster import ConstrainedCompleteLink, DivisiveReCon, MPCKMeans, ReCon
from tripletree.metrics import gower_distances


def gower_definition(rows, kinds):
    """Gower's distance of each two rows, as the paper words it: the mean over the columns known of both."""
    n = len(rows)
    out = np.full((n, n), np.nan)
    width = []
    for t, kind in enumerate(kinds):
        known = [row[t] for row in rows if row[t] is not None]
        width.append(max(known) - min(known) if kind == "number" and known else None)
    for i in range(n):
        for j in range(n):
            parts = []
            for t, kind in enumerate(kinds):
                a, b = rows[i][t], rows[j][t]
                if a is None or b is None:
                    continue
                if kind == "number":
                    parts.append(abs(a - b) / width[t] if width[t] else 0.0)
                else:
                    parts.append(0.0 if a == b else 1.0)
            if parts:
                out[i, j] = sum(parts) / len(parts)
    return out


def gappy(n, d, seed, share=0.3):
    """Rows with gaps, one feature of which is always known."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:][rng.random((n, d - 1)) < share] = np.nan
    return X


def animals():
    table = {
        "kg": [190.0, 4.0, 40.0, 600.0, None, 0.3],
        "diet": ["meat", "meat", "meat", "plants", "plants", None],
        "tame": [False, True, True, True, False, False],
        "size": pd.Categorical(["big", "small", "mid", "big", "big", None], ["small", "mid", "big"], ordered=True),
    }
    names = ["lion", "cat", "dog", "cow", "elk", "rat"]
    return pd.DataFrame(table, index=names).astype({"tame": bool})


# ------------------------------------------------------------------ nan_euclidean


@pytest.mark.parametrize("linkage", ["average", "weighted", "complete", "single"])
@given(n=st.integers(3, 14), seed=st.integers(0, 10**6))
@settings(max_examples=8)
def test_nan_euclidean__is_that_of_scikit_learn(linkage, n, seed):
    X = gappy(n, 4, seed)
    triplets = random_triplets(np.random.default_rng(seed), n, n // 2)
    wanted = recon_definition(triplets, linkage, D=nan_euclidean_distances(X))
    model = ReCon(1, linkage=linkage, metric="nan_euclidean").fit(X, triplets=triplets)
    assert np.array_equal(tt.to_linkage(model.hierarchy_)[:, :2], wanted[:, :2])
    assert np.allclose(model.distances_, wanted[:, 2])


def test_nan_euclidean__without_gaps_is_euclidean():
    X = np.random.default_rng(0).normal(size=(30, 3))
    for make in (ReCon(4, linkage="average", cut="merge_order"), ConstrainedCompleteLink(4)):
        plain, gaps = clone(make).fit(X), clone(make).set_params(metric="nan_euclidean").fit(X)
        assert np.array_equal(plain.labels_, gaps.labels_)
        assert np.allclose(plain.linkage_, gaps.linkage_)
        assert np.array_equal(plain.predict(X + 0.01), gaps.predict(X + 0.01))


def test_nan_euclidean__fitted_samples_new_ones_and_pairs():
    X = gappy(40, 4, 1)
    for model in (
        ReCon(3, linkage="average", metric="nan_euclidean"),
        ConstrainedCompleteLink(3, metric="nan_euclidean"),
    ):
        model.fit(X, pairs=([(0, 1)], [(0, 2)]))
        assert model.labels_[0] == model.labels_[1] != model.labels_[2]
        assert np.array_equal(model.predict(X), model.labels_)
        new = gappy(10, 4, 2)
        near = nan_euclidean_distances(new, X).argmin(axis=1)
        assert (model.predict(new) == model.labels_[near]).mean() > 0.5
        assert np.array_equal(model.predictor_.predict(new), model.predict(new))
        assert get_tags(model).input_tags.allow_nan


def test_nan_euclidean__what_is_wrong_is_named():
    X = np.random.default_rng(3).normal(size=(8, 3))
    X[2], X[5] = [np.nan, np.nan, 1.0], [1.0, 2.0, np.nan]
    with pytest.raises(
        ValueError, match=r"samples 2 and 5 .* no feature is known of both\. Leave out .* fill the gaps"
    ):
        ReCon(linkage="average", metric="nan_euclidean").fit(X)
    with pytest.raises(ValueError, match="infinity"):
        ReCon(linkage="average", metric="nan_euclidean").fit([[np.inf, 1], [0, 1], [2, 3]])
    with pytest.raises(ValueError, match="needs points in a Euclidean space.*average.*nan_euclidean"):
        ReCon(metric="nan_euclidean").fit(X)
    with pytest.raises(ValueError, match="n_clusters=None finds no number with metric='nan_euclidean'"):
        ReCon(None, linkage="average", metric="nan_euclidean").fit(gappy(8, 3, 4))


@pytest.mark.parametrize("make", [ReCon, ConstrainedCompleteLink])
def test_gaps__the_error_names_the_way(make):
    with pytest.raises(ValueError, match=r"(?s)contains NaN.*metric='nan_euclidean'.*metric='gower'"):
        make().fit(gappy(8, 3, 5))


# ------------------------------------------------------------------ Gower


def test_gower__by_hand():
    found = gower_distances(animals())
    # lion and cat: 186 / 599.7 of weight, equal diet, the other truth value, two of two ranks
    assert found[0, 1] == pytest.approx((186 / 599.7 + 0 + 1 + 1) / 4)
    # elk and rat: neither weight nor diet nor size are known of both
    assert found[4, 5] == 0.0
    assert np.array_equal(found, found.T)
    assert (np.diag(found) == 0).all()


_CELLS = {
    "number": st.none() | st.integers(-5, 5).map(float),
    "word": st.none() | st.sampled_from(["x", "y", "z"]),
    "truth": st.booleans(),
}


@given(data=st.data(), kinds=st.lists(st.sampled_from([*_CELLS]), min_size=1, max_size=4), n=st.integers(1, 7))
def test_gower__is_the_definition(data, kinds, n):
    rows = [[data.draw(_CELLS[kind]) for kind in kinds] for _ in range(n)]
    wanted = gower_definition(rows, kinds)
    frame = pd.DataFrame({str(t): pd.Series([row[t] for row in rows], dtype=object) for t in range(len(kinds))})
    for t, kind in enumerate(kinds):
        if kind == "number":
            frame[str(t)] = frame[str(t)].astype(float)
        elif kind == "word" and frame[str(t)].isna().all():
            frame[str(t)] = frame[str(t)].astype("category")
    assert np.allclose(gower_distances(frame), wanted, equal_nan=True)
    assert np.allclose(gower_distances(frame, frame[:1]), wanted[:, :1], equal_nan=True)


def test_gower__columns_of_other_kinds():
    days = pd.to_datetime(["2020-01-01", "2020-01-11", None])
    frame = pd.DataFrame({"day": days, "code": [3, 3, 7], "n": pd.array([1, None, 5], dtype="Int64")})
    found = gower_distances(frame)
    assert found[0, 1] == pytest.approx((1 + 0) / 2)
    assert found[0, 2] == pytest.approx((1 + 1) / 2)
    assert gower_distances(frame, nominal=["code", "n"])[0, 2] == 1.0
    assert gower_distances([[1, "x"], [2, "x"], [None, "y"]]).tolist() == [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]]
    assert gower_distances(np.array([[1.0], [3.0]]), np.array([[2.0]])).tolist() == [[0.5], [0.5]]


def test_gower__in_recon_and_complete_link():
    frame = animals()
    wanted = ReCon(2, linkage="average", metric="precomputed").fit(gower_distances(frame))
    model = ReCon(2, linkage="average", metric="gower").fit(frame)
    assert np.allclose(model.linkage_, wanted.linkage_)
    assert np.array_equal(model.labels_, wanted.labels_)
    assert model.feature_names_in_.tolist() == ["kg", "diet", "tame", "size"]
    assert np.array_equal(model.predict(frame), model.labels_)
    new = pd.DataFrame({"kg": [5.0], "diet": ["fish"], "tame": [True], "size": ["small"]})
    assert model.predict(new).tolist() == model.predictor_.predict(new).tolist()
    held = ReCon(2, linkage="average", metric="gower").fit(frame, triplets=[("cat", "rat", "dog")])
    assert tt.displays(held.hierarchy_, held.triplets_).all()
    linked = ConstrainedCompleteLink(2, metric="gower").fit(frame, pairs=([("lion", "cat")], [("lion", "cow")]))
    assert linked.labels_[0] == linked.labels_[1] != linked.labels_[3]


def test_gower__bad_input():
    frame = animals()
    with pytest.raises(ValueError, match="column 'kg' of X holds infinity"):
        gower_distances(frame.assign(kg=np.inf))
    with pytest.raises(ValueError, match="nominal names the column 'weight'; X has 'kg'"):
        gower_distances(frame, nominal=["weight"])
    with pytest.raises(ValueError, match="X has 3 features; expected 4"):
        gower_distances(frame, frame.iloc[:, :3])
    with pytest.raises(ValueError, match="column 'kg' of X held numbers in fit, and holds 'much' now"):
        gower_distances(frame, frame.assign(kg="much"))
    with pytest.raises(ValueError, match="a row for each sample"):
        gower_distances([1.0, 2.0])
    with pytest.raises(ValueError, match="no feature is known of both"):
        ReCon(linkage="average", metric="gower").fit(pd.DataFrame({"a": [1.0, None, 2.0], "b": [None, "x", "y"]}))
    before = frame.copy()
    ReCon(2, linkage="average", metric="gower").fit(frame)
    assert frame.equals(before)


@pytest.mark.parametrize("make", [ReCon, DivisiveReCon, MPCKMeans])
@pytest.mark.parametrize("kind", ["float", "object", "nullable"])
def test_gaps__the_error_says_where(make, kind):
    table = pd.DataFrame(
        {"kg": [190.0, None, 40.0, None], "cm": [1.0, 2.0, 3.0, 4.0]}, index=["lion", "cat", "dog", "cow"]
    )
    table = table.astype(object).where(table.notna(), None) if kind == "object" else table
    table = table.convert_dtypes() if kind == "nullable" else table
    where = r"^X contains NaN: 2 missing values, the first in row 1 \('cat'\), column 'kg'\. .*nan_euclidean.*gower"
    with pytest.raises(ValueError, match=where):
        make(2).fit(table)
    with pytest.raises(ValueError, match=r"1 missing value, in row 0, column 1\."):
        make(2).fit([[0.0, np.nan], [1.0, 2.0], [3.0, 1.0]])


def test_gaps__the_error_says_where_in_a_sparse_matrix():
    X = csr_array(np.array([[0.0, 1.0, 2.0], [3.0, np.nan, 0.0], [np.nan, 0.0, 1.0]]))
    with pytest.raises(ValueError, match=r"2 missing values, the first in row 1, column 1\. .*does not store are 0"):
        ReCon(2).fit(X)


def test_infinity__the_error_says_where():
    with pytest.raises(ValueError, match=r"infinity or values too large for float64: 1 such value, in row 2, column 0"):
        ReCon(2).fit([[0.0], [1.0], [np.inf]])


@pytest.mark.parametrize("make", [ReCon, ConstrainedCompleteLink])
def test_gower__a_sample_of_which_nothing_is_known_is_named(make):
    table = pd.DataFrame({"kg": [190.0, 4.0, None, 40.0], "diet": ["meat", "meat", None, "plants"]}, index=[*"abcd"])
    given = {"linkage": "average"} if make is ReCon else {}
    with pytest.raises(ValueError, match=r"^row 2 \('c'\) of X has no known value, so metric='gower' .*leave it out"):
        make(2, metric="gower", **given).fit(table)
    with pytest.raises(ValueError, match=r"^row 0 of X has no known value, like 1 other, so metric='nan_eucl"):
        make(2, metric="nan_euclidean", **given).fit([[np.nan], [1.0], [np.nan]])


@pytest.mark.parametrize("metric", ["gower", "nan_euclidean", "cityblock"])
@pytest.mark.parametrize(
    "known", [{}, {"triplets": [("lion", "cat", "hen")]}, {"classes": ["m", None, "m", "b", None, "m"]}]
)
def test_divisive__a_metric_is_as_the_distances_of_all_pairs(metric, known):
    frame = pd.DataFrame(
        {"kg": [190.0, 4.0, 30.0, 2.0, 1.5, 600.0], "cm": [250.0, 50.0, 110.0, 40.0, 35.0, 240.0]},
        index=["lion", "cat", "wolf", "hen", "duck", "cow"],
    )
    if metric != "cityblock":
        frame.loc["wolf", "kg"] = np.nan
    if metric == "gower":
        frame["diet"] = ["meat", "meat", "meat", "seeds", None, "plants"]
        distances = gower_distances(frame)
    elif metric == "nan_euclidean":
        distances = nan_euclidean_distances(frame)
    else:
        distances = np.abs(frame.to_numpy()[:, None] - frame.to_numpy()[None]).sum(axis=2)
    found = DivisiveReCon(2, metric=metric).fit(frame, **known)
    wanted = DivisiveReCon(2, metric="precomputed").fit(distances, sample_names=frame.index, **known)
    np.testing.assert_allclose(found.linkage_, wanted.linkage_)
    assert found.labels_.tolist() == wanted.labels_.tolist() == found.predict(frame).tolist()
    moved = frame.copy()
    moved["kg"] += 0.01  # no row is a fitted one
    nearest = found.predict_proba(moved)
    assert nearest.shape == (6, 2)
    np.testing.assert_allclose(nearest.sum(axis=1), 1)


def test_divisive__text_has_the_metric_that_takes_it_named():
    frame = pd.DataFrame({"kg": [1.0, 2.0, 3.0], "diet": ["meat", "plants", "meat"]})
    with pytest.raises(ValueError, match="DivisiveReCon, .* take text with metric='gower'"):
        DivisiveReCon(2).fit(frame)
    assert DivisiveReCon(2, metric="gower").fit(frame).labels_.size == 3


def test_divisive__gaps_have_the_metric_that_takes_them_named():
    X = [[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]]
    with pytest.raises(ValueError, match="DivisiveReCon, .* with metric='nan_euclidean'"):
        DivisiveReCon(2).fit(X)
    assert DivisiveReCon(2, metric="nan_euclidean").fit(X).labels_.size == 3


def test_divisive__a_classifier_needs_features():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(ValueError, match="metric='gower' leaves it no features"):
        DivisiveReCon(2, metric="gower", classifier=LogisticRegression()).fit(
            [[1.0], [2.0], [9.0]], classes=[0, 1, None]
        )
