"""Matrices of distances: rounding in the precision of the input is no error, anything larger is."""

import re

import numpy as np
import pandas as pd
import pytest

from tripletree import TripletSet, describe, evaluate_knowledge, report
from tripletree.cluster import ConstrainedCompleteLink, DivisiveReCon, OddOneOutClustering, ReCon
from tripletree.metrics import taxonomy_linkage

N = 24


def _points(dtype):
    """Two groups of directions, each point twice."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(N // 2, 40))
    points[: N // 4, 0] += 8
    points[N // 4 :, 1] += 8
    return np.repeat(points, 2, axis=0).astype(dtype)


def _cosines(dtype, offset=0.0):
    X = _points(dtype) + np.dtype(dtype).type(offset)
    length = np.sqrt((X * X).sum(axis=1))
    return (X @ X.T) / length[:, None] / length


#: Ways to distances that are rounded somewhere.
KINDS = {
    "one minus cosine": lambda dtype: 1 - _cosines(dtype),
    "chord": lambda dtype: np.sqrt(np.maximum(0, 2 - 2 * _cosines(dtype))),
    "angle": lambda dtype: np.arccos(np.clip(_cosines(dtype), -1, 1)),
    "stored as float64": lambda dtype: (1 - _cosines(dtype)).astype(float),
    "similarities stored as float64": lambda dtype: 1 - _cosines(dtype).astype(float),
    "printed": lambda dtype: np.array([[float(str(x)) for x in row] for row in 1 - _cosines(dtype)]),
    "in percent": lambda dtype: 100 * (1 - _cosines(dtype)),
    "data frame": lambda dtype: pd.DataFrame(1 - _cosines(dtype)),
    "nearly one direction": lambda dtype: 1 - _cosines(dtype, 20.0),
}


def _doors():
    triplets = [(0, 2, N - 1), (1, 4, N - 2)]
    pairs = ([(0, 2)], [(0, N - 1)])
    classes = [0, 0, 0, 0] + [None] * (N - 8) + [1, 1, 1, 1]
    return {
        "ReCon": lambda D: ReCon(2, metric="precomputed", linkage="average").fit(D, triplets=triplets).labels_,
        "ReCon, pairs": lambda D: ReCon(2, metric="precomputed", linkage="complete").fit(D, pairs=pairs).labels_,
        "DivisiveReCon": lambda D: DivisiveReCon(2, metric="precomputed").fit(D, triplets=triplets).labels_,
        "complete link": lambda D: ConstrainedCompleteLink(2, metric="precomputed").fit(D, pairs=pairs).labels_,
        "classes": lambda D: DivisiveReCon(2, metric="precomputed").fit(D, classes=classes).labels_,
    }


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [(kind, dtype) for kind in KINDS for dtype in ("float64", "float32")]
    + [(kind, "float16") for kind in ("one minus cosine", "chord", "angle")],  # which is known by its type only
)
def test_rounding__is_none_of_the_errors(kind, dtype):
    D = KINDS[kind](dtype)
    values = np.array(D)
    before = values.copy()
    assert (np.diag(values) != 0).any() or (values != values.T).any() or values.min() < 0  # there is rounding
    for name, fitted in _doors().items():
        assert fitted(D).tolist() == [0] * (N // 2) + [1] * (N // 2), name
    assert np.array_equal(np.array(D), before)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rounding__is_none_of_the_errors_in_other_doors(dtype):
    D = KINDS["one minus cosine"](dtype)
    triplets = TripletSet([(0, 2, N - 1), (1, 4, N - 2)], N)
    assert describe(triplets, D, metric="precomputed").coherence.share == 1.0
    classes = ["x"] * 6 + [None] * (N - 12) + ["y"] * 6
    model = DivisiveReCon(2, metric="precomputed")
    assert evaluate_knowledge(D, classes=classes, estimator=model, n_folds=2, random_state=0).verdict
    found = report(D, classes=classes, estimator=model, n_folds=2, n_resamples=2, random_state=0)
    assert found.labels.tolist() == [0] * (N // 2) + [1] * (N // 2)
    tree = ReCon(1).fit(np.arange(N)[:, None]).hierarchy_
    assert taxonomy_linkage(D, tree, metric="precomputed").n_leaves == N
    asked = OddOneOutClustering(2, metric="precomputed").fit(D, oracle=lambda a, b, c: c)
    assert len(asked.labels_) == N
    model = ReCon(2, metric="precomputed", linkage="average").fit(D, triplets=triplets)
    assert np.array_equal(model.predict(D), model.labels_)  # a fitted row is known, as it was given
    near = np.asarray(D)[:3] + np.array([0, *[1e-3] * (N - 1)], dtype)  # new rows may be negative, too
    assert model.predict(near).tolist() == [0, 0, 0]


def test_rounding__leaves_a_mean_and_zeros():
    D = np.array([[1e-17, 1.0, -1e-16], [1.0 + 4e-16, 0, 2], [0, 2, 0]])
    model = ReCon(1, metric="precomputed", linkage="single").fit(D)
    assert model.distances_.tolist() == [0.0, (D[0, 1] + D[1, 0]) / 2]


#: Entries that no precision explains: their change to D, and the message.
WRONG = {
    "negative": (lambda D, x: D.__setitem__(([3, 9], [9, 3]), -x), r"the entry -.* at \(3, 9\) is negative"),
    "asymmetric": (
        lambda D, x: D.__setitem__((9, 3), D[9, 3] + x),
        r"the entry .* at \(3, 9\) is not symmetric: .* at \(9, 3\)$",
    ),
    "diagonal": (lambda D, x: D.__setitem__((5, 5), 10 * x), r"the entry .* at \(5, 5\) is not zero on the diagonal$"),
}


@pytest.mark.parametrize(("dtype", "size"), [("float64", 1e-6), ("float32", 1e-3)])
@pytest.mark.parametrize("kind", ["one minus cosine", "chord"])
@pytest.mark.parametrize("wrong", WRONG)
def test_real_faults__are_refused_in_all_doors(wrong, kind, dtype, size):
    D = KINDS[kind](dtype)
    change, message = WRONG[wrong]
    D[3, 9] = D[9, 3] = 0.25
    change(D, size)
    for fitted in _doors().values():
        with pytest.raises(ValueError, match=message):
            fitted(D)


def test_real_faults__the_largest_is_told_and_how_many():
    D = np.array([[0.0, 1, 2], [1.5, 0, 3], [4, 3, 0]])
    message = "the entry 2.0 at (0, 2) is not symmetric: 4.0 at (2, 0) (2 entries of that kind; this is the largest)"
    with pytest.raises(ValueError, match=re.escape(message)):
        ReCon(metric="precomputed", linkage="single").fit(D)
    whole = np.array([[0, 300_000], [300_001, 0]])  # whole numbers are exact
    with pytest.raises(ValueError, match=r"300000.* is not symmetric: 300001"):
        ReCon(metric="precomputed", linkage="single").fit(whole)


def test_real_faults__similarities_are_told_for_what_they_are():
    S = np.clip(_cosines("float64"), 0, 1)
    with pytest.raises(ValueError, match=re.escape("It looks like a matrix of similarities: give 1 - X")):
        ReCon(2, metric="precomputed", linkage="average").fit(S)
    assert ReCon(2, metric="precomputed", linkage="average").fit(1 - S).n_clusters_ == 2


@pytest.mark.parametrize("as_frame", [False, True])
@pytest.mark.parametrize("gaps", ["diagonal", "half", "some"])
def test_gaps__the_advice_works_as_printed(gaps, as_frame):
    rng = np.random.default_rng(0)
    D = rng.random((6, 6)) + 1
    D = D + D.T
    np.fill_diagonal(D, 0)
    if gaps == "diagonal":
        np.fill_diagonal(D, np.nan)
    elif gaps == "half":
        D[np.tril_indices(6, -1)] = np.nan
    else:
        D[1, 4] = D[4, 1] = np.nan
    X = pd.DataFrame(D, list("abcdef"), list("abcdef")) if as_frame else D
    for model in (DivisiveReCon(2, metric="precomputed"), ReCon(2, metric="precomputed", linkage="average")):
        with pytest.raises(ValueError, match="contains NaN") as caught:
            model.fit(X)
        again = eval(str(caught.value).rsplit(": ", 1)[1], {"X": X, "numpy": np})
        assert model.fit(again).n_clusters_ == 2
        assert list(model.hierarchy_.leaves) == (list("abcdef") if as_frame else list(range(6)))
