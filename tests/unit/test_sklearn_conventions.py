"""Things that users of scikit-learn expect beside fit and predict: children_, distances_, transform, HTML."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from tripletree import cluster, metrics

TREES = [cluster.ReCon, cluster.DivisiveReCon, cluster.ConstrainedCompleteLink]
MEANS = [cluster.COPKMeans, cluster.PCKMeans, cluster.MPCKMeans, cluster.CVQE, cluster.BoostedConstrainedKMeans]
X, y = make_blobs(40, centers=3, random_state=0)


def linkage_of(model):
    """The recipe of scikit-learn's "Plot Hierarchical Clustering Dendrogram", word for word."""
    counts = np.zeros(model.children_.shape[0])
    n_samples = len(model.labels_)
    for i, merge in enumerate(model.children_):
        current_count = 0
        for child_idx in merge:
            if child_idx < n_samples:
                current_count += 1
            else:
                current_count += counts[child_idx - n_samples]
        counts[i] = current_count
    return np.column_stack([model.children_, model.distances_, counts]).astype(float)


@pytest.mark.parametrize("estimator", TREES)
def test_conventions__scikit_learns_recipe_for_dendrograms_works(estimator):
    model = estimator(n_clusters=3).fit(X, pairs=([(0, 1)], [(2, 3)]))
    Z = linkage_of(model)
    assert np.array_equal(Z[:, [0, 1, 3]], model.linkage_[:, [0, 1, 3]])
    n = len(X)
    for i, (a, b) in enumerate(model.children_.tolist()):
        together = sorted(model.hierarchy_.clade(a) + model.hierarchy_.clade(b))
        assert together == sorted(model.hierarchy_.clade(n + i))
    assert model.children_.dtype.kind == "i"
    assert np.allclose(model.distances_, model.hierarchy_.height[n:])


def test_conventions__without_knowledge_children_are_those_of_scikit_learn():
    ours = cluster.ReCon(n_clusters=3, linkage="average").fit(X)
    theirs = AgglomerativeClustering(3, linkage="average", compute_distances=True).fit(X)
    assert np.array_equal(np.sort(ours.children_, axis=1), np.sort(theirs.children_, axis=1))
    assert np.allclose(ours.distances_, theirs.distances_)


@pytest.mark.parametrize("estimator", TREES)
def test_conventions__before_fit_there_are_no_children(estimator):
    model = estimator()
    assert not hasattr(model, "children_")
    with pytest.raises(NotFittedError):
        _ = model.children_


@pytest.mark.parametrize("estimator", MEANS)
def test_conventions__transform_gives_distances_to_centres_with_names(estimator):
    pandas = pytest.importorskip("pandas")
    model = estimator(n_clusters=3, random_state=0).set_output(transform="pandas").fit(X)
    found = model.transform(X)
    assert isinstance(found, pandas.DataFrame)
    assert list(found.columns) == [f"{estimator.__name__.lower()}{k}" for k in range(3)]
    assert list(found.columns) == model.get_feature_names_out().tolist()
    assert np.array_equal(found.to_numpy().argmin(axis=1), model.predict(X))


@pytest.mark.parametrize("estimator", TREES + MEANS)
def test_conventions__html_names_the_estimator_and_what_was_set(estimator):
    model = estimator(n_clusters=7)
    assert estimator.__name__ in model._repr_html_()
    fitted = estimator(n_clusters=3).fit(X)._repr_html_()
    assert "Fitted" in fitted
    assert "n_clusters" in fitted


def clusterers():
    """Every public estimator of clusters that takes pairs."""
    found = [getattr(cluster, name) for name in cluster.__all__]
    found = [x for x in found if isinstance(x, type) and hasattr(x, "fit") and hasattr(x, "fit_predict")]
    return [x for x in found if "n_clusters" in x().get_params()]


def test_conventions__knowledge_given_as_y_is_refused_by_fit_predict_too():
    assert {*TREES, *MEANS, cluster.TemporalClustering} <= {*clusterers()}
    for estimator in clusterers():
        for method in ("fit", "fit_predict"):
            with pytest.raises(TypeError, match=r"y holds pairs: give them by name"):
                getattr(estimator(n_clusters=2), method)(X, ([(0, 1)], [(0, 2)]))


def test_conventions__true_is_no_number():
    for estimator in clusterers():
        with pytest.raises(ValueError, match=f"n_clusters of {estimator.__name__} must be a number, not True"):
            estimator(n_clusters=True).fit(X)
    for metric in (metrics.MahalanobisMetric, metrics.SVMMetric):
        with pytest.raises(ValueError, match=f"max_iter of {metric.__name__} must be a number, not True"):
            metric(max_iter=True).fit(X, triplets=[(0, 1, 2)])


@pytest.mark.parametrize(
    "estimator", [cluster.ReCon, cluster.COPKMeans, cluster.PCKMeans, cluster.MPCKMeans, cluster.CVQE]
)
def test_conventions__weights_in_another_order_than_x_are_refused(estimator):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, index=[f"s{i}" for i in range(40)])
    weight = pandas.Series(np.linspace(1, 2, 40), frame.index)
    model = estimator(n_clusters=3, random_state=0)
    wanted = model.fit(frame, sample_weight=weight.to_numpy()).labels_
    assert np.array_equal(model.fit(frame, sample_weight=weight).labels_, wanted)
    with pytest.raises(ValueError, match="the index of sample_weight differs from the index of X, row by row"):
        model.fit(frame, sample_weight=weight[::-1])
