"""ReCon without triplets is plain agglomerative clustering: scipy and fastcluster must agree."""

import fastcluster
import numpy as np
import pytest
from recon_oracle import LINKAGES
from scipy.cluster import hierarchy as scipy_hierarchy
from scipy.spatial.distance import pdist, squareform

from tripletree.cluster import ReCon

EUCLIDEAN = {"centroid", "median", "ward"}


def _raw(model):
    """The linkage with the distances of the merges, which the one for drawing has raised."""
    Z = model.linkage_.copy()
    Z[:, 2] = model.distances_
    return Z


def _same_tree(Z, other):
    """Equal heights, and the same clades at them: rows in another order (rounding at near ties) count as equal."""

    def clades(Z):
        members = [frozenset([i]) for i in range(len(Z) + 1)]
        for i, j in Z[:, :2].astype(int):
            members.append(members[i] | members[j])
        return set(members)

    np.testing.assert_allclose(np.sort(Z[:, 2]), np.sort(other[:, 2]), rtol=1e-9, atol=1e-12)
    return clades(Z) == clades(other)


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 2), (25, 2), (120, 5), (400, 3)])
def test_linkage__equals_scipy(linkage, n, d):
    X = np.random.default_rng(n + d).normal(size=(n, d))
    Z = _raw(ReCon(linkage=linkage).fit(X))
    wanted = scipy_hierarchy.linkage(X, linkage)
    assert np.array_equal(Z[:, [0, 1, 3]], wanted[:, [0, 1, 3]])
    np.testing.assert_allclose(Z[:, 2], wanted[:, 2], rtol=1e-9)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_linkage__equals_fastcluster(linkage):
    rng = np.random.default_rng(11)
    X = rng.integers(0, 6, size=(150, 3)) + rng.normal(scale=1e-3, size=(150, 3))  # many near ties
    Z = _raw(ReCon(linkage=linkage).fit(X))
    assert _same_tree(Z, fastcluster.linkage(X, linkage))
    if linkage in EUCLIDEAN | {"single"}:
        assert _same_tree(Z, fastcluster.linkage_vector(X, linkage))


@pytest.mark.parametrize("linkage", sorted(set(LINKAGES) - EUCLIDEAN))
@pytest.mark.parametrize("metric", ["cityblock", "cosine", "chebyshev", "correlation"])
def test_metric__equals_scipy(linkage, metric):
    X = np.random.default_rng(3).normal(size=(60, 4))
    wanted = scipy_hierarchy.linkage(X, linkage, metric)
    for model in (
        ReCon(linkage=linkage, metric=metric).fit(X),
        ReCon(linkage=linkage, metric="precomputed").fit(squareform(pdist(X, metric))),
    ):
        assert _same_tree(_raw(model), wanted)


def test_linkage__is_one_that_scipy_can_draw():
    X = np.random.default_rng(3).normal(size=(50, 3))
    model = ReCon().fit(X, triplets=[(0, 1, 2), (2, 3, 0), (4, 5, 1)])
    assert scipy_hierarchy.is_valid_linkage(model.linkage_)
    height = np.concatenate([np.zeros(50), model.linkage_[:, 2]])
    assert (height[model.linkage_[:, :2].astype(int)] <= model.linkage_[:, 2:3]).all()
    assert (model.linkage_[:, 2] >= model.distances_).all()
    assert len(scipy_hierarchy.dendrogram(model.linkage_, no_plot=True)["leaves"]) == 50
