"""Warnings blame the user's line, whatever lies between it and the place that warns."""

import io
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import tripletree as tt
from tripletree.cluster import PCKMeans, ReCon
from tripletree.metrics import MahalanobisMetric

X = np.random.default_rng(0).normal(size=(40, 3)) + np.repeat(np.arange(2), 20)[:, None]
# cross-validation takes a part of the rows, so that samples need names
NAMES = [f"s{i}" for i in range(40)]
FRAME = pd.DataFrame(X, index=NAMES, columns=["a", "b", "c"])
NAMED = tt.PairwiseConstraints([(0, 1), (2, 30)], [(0, 20), (5, 6)], NAMES)
CLASHING = tt.TripletSet([(0, 1, 2), (0, 2, 1), (3, 4, 30)], 40)
PAIRS = tt.PairwiseConstraints([(0, 1), (2, 30)], [(0, 20), (5, 6)], 40)
WIDE = tt.TripletSet.from_labels([("a", "b", "c")], ["a", "b", "c", "d"])
LINEAGES = "family,genus,breed\nA,x,pug\nA,x,corgi\nB,y,manx\n"


def recon():
    return ReCon(2, on_conflict="repair")


def pck():
    return PCKMeans(2, max_iter=1, n_init=1, random_state=0, missing_samples="ignore")


def pipeline(last):
    return Pipeline([("scale", StandardScaler().set_output(transform="pandas")), ("last", last)])


def score(*_):
    return 0.0


def grid(model, name):
    return GridSearchCV(model, {name: [2]}, scoring=score, cv=2, error_score="raise")


# each stands on one line: the line that a warning has to name
CALLS = {
    "ReCon.fit": lambda: recon().fit(X, triplets=CLASHING),
    "ReCon.fit_predict": lambda: recon().fit_predict(X, triplets=CLASHING),
    "PCKMeans.fit": lambda: pck().fit(X, pairs=PAIRS),
    "PCKMeans.fit_predict": lambda: pck().fit_predict(X, pairs=PAIRS),
    "MahalanobisMetric.fit": lambda: MahalanobisMetric().fit(X),
    "Pipeline.fit with ReCon": lambda: pipeline(recon()).fit(X, last__triplets=CLASHING),
    "Pipeline.fit_predict with PCKMeans": lambda: pipeline(pck()).fit_predict(X, last__pairs=PAIRS),
    "GridSearchCV.fit": lambda: grid(pck(), "n_clusters").fit(FRAME, pairs=NAMED),
    "GridSearchCV.fit of a Pipeline": lambda: grid(pipeline(pck()), "last__n_clusters").fit(FRAME, last__pairs=NAMED),
    "cross_validate": lambda: cross_validate(pck(), FRAME, scoring=score, cv=2, params={"pairs": NAMED}),
    "write_triplets": lambda: tt.write_triplets(WIDE, format="csv"),
    "write_pairs": lambda: tt.write_pairs(PAIRS, format="csv"),
    "read_lineages": lambda: tt.io.read_lineages(io.StringIO(LINEAGES), columns=["family", "genus"]),
}


def blamed(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(x.filename, x.lineno) for x in caught]


@pytest.mark.parametrize("name", CALLS)
def test_warn_user__blames_the_line_of_the_user(name):
    found = blamed(CALLS[name])
    assert found
    assert set(found) == {(__file__, CALLS[name].__code__.co_firstlineno)}


def test_warn_user__blames_a_line_of_the_user_between_two_of_the_package():
    # a callback of the user's that calls the package again is the user's line, not the outer call
    def metric(a, b):
        tt.write_triplets(WIDE, format="csv")
        return float(abs(a - b).sum())

    found = blamed(partial(ReCon(2, linkage="average", metric=metric).fit, X[:4]))
    assert {line for _, line in found} == {metric.__code__.co_firstlineno + 1}
