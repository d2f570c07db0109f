"""ReCon on large data: when samples are gathered into micro-clusters, and the estimator's notes about it."""

import numpy as np
import pytest

from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative.micro_clusters import merge_large
from tripletree.core.triplets import TripletSet


@pytest.fixture
def blobs(rng):
    y = np.repeat(np.arange(4), 150)
    return rng.normal(size=(4, 5))[y] * 20 + rng.normal(size=(600, 5)), y


def few_triplets(y):
    return sample_class_triplets(y, 25, samples=range(0, 600, 12), random_state=0)


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward"])
def test_micro_clusters__as_many_as_asked_for(blobs, linkage):
    X, y = blobs
    triplets = few_triplets(y)
    model = ReCon(4, linkage=linkage, micro_clusters=80).fit(X, triplets=triplets)
    assert 60 <= model.n_micro_clusters_ <= 100
    assert displays(model.hierarchy_, triplets).all()
    for c in range(4):  # the blobs are far apart
        assert len(set(model.labels_[y == c].tolist())) == 1
    assert np.array_equal(model.predict(X), model.labels_)
    merges, _ = merge_large(X - X.mean(axis=0), triplets.rows, linkage, n_centres=80)
    np.testing.assert_allclose(model.distances_, merges[:, 2], rtol=1e-6)


def test_micro_clusters__reproducible(blobs):
    X, y = blobs
    models = [ReCon(4, micro_clusters=50, random_state=seed).fit(X, triplets=few_triplets(y)) for seed in (0, 0, 1)]
    assert np.array_equal(models[0].linkage_, models[1].linkage_)
    assert not np.array_equal(models[0].linkage_, models[2].linkage_)


@pytest.mark.parametrize("wanted", ["auto", None, 10_000])
def test_micro_clusters__small_data_is_exact(blobs, wanted):
    X, y = blobs
    model = ReCon(4, micro_clusters=wanted).fit(X, triplets=few_triplets(y))
    assert model.n_micro_clusters_ is None
    assert np.array_equal(model.linkage_, ReCon(4).fit(X, triplets=few_triplets(y)).linkage_)


def test_micro_clusters__auto_says_that_it_is_not_exact(blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr("tripletree.cluster.agglomerative.plan.EXACT_UP_TO", 500)
    monkeypatch.setattr("tripletree.cluster.agglomerative.plan.MICRO_CLUSTERS", 100)
    monkeypatch.setattr("tripletree.cluster.agglomerative.plan.SAMPLES_EACH", 2)
    some = few_triplets(y)
    n_free = 600 - some.used_leaves.size
    with pytest.warns(
        UserWarning, match=f"approximate: {n_free} samples in no triplet are gathered into about 100 micro-"
    ):
        model = ReCon(4).fit(X, triplets=some)
    assert 80 <= model.n_micro_clusters_ <= 120
    monkeypatch.setattr("tripletree.cluster.agglomerative.plan.SAMPLES_EACH", 10)
    with pytest.warns(
        UserWarning, match=f"about {n_free // 10} micro-clusters first. Set micro_clusters={n_free // 10} "
    ):
        ReCon(4).fit(X, triplets=some)
    assert ReCon(4, micro_clusters=None).fit(X, triplets=some).n_micro_clusters_ is None  # no warning
    assert ReCon(4, micro_clusters=100).fit(X, triplets=some).n_micro_clusters_ == model.n_micro_clusters_
    assert ReCon(4, linkage="average").fit(X, triplets=some).n_micro_clusters_ is None
    all_named = TripletSet([(i, i + 1, 599) for i in range(598)], 600)
    assert ReCon(4).fit(X, triplets=all_named).n_micro_clusters_ is None


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"micro_clusters": 50, "linkage": "average"}, r"micro_clusters=50 needs a linkage on centres \(centroid"),
        ({"micro_clusters": 0}, "The 'micro_clusters' parameter of ReCon must be"),
        ({"micro_clusters": True}, "micro_clusters of ReCon must be a number, not True"),
        ({"micro_clusters": "many"}, "The 'micro_clusters' parameter of ReCon must be"),
        ({"micro_clusters": 50, "random_state": -1}, "The 'random_state' parameter of ReCon must be"),
    ],
)
def test_micro_clusters__bad_parameters(blobs, parameters, message):
    with pytest.raises(ValueError, match=message):
        ReCon(4, **parameters).fit(blobs[0])
