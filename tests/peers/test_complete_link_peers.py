"""Complete linkage without constraints, and shortest paths, beside scipy and fastcluster."""

import numpy as np
import pytest
from complete_link_oracle import square
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import pdist

from tripletree.cluster import ConstrainedCompleteLink
from tripletree.cluster.agglomerative.complete_link import propagate
from tripletree.core.pairs import PairwiseConstraints


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_peers__without_pairs(metric, rng):
    fastcluster = pytest.importorskip("fastcluster")
    for n in (2, 3, 40, 90):
        X = rng.normal(size=(n, 3))
        Z = ConstrainedCompleteLink(1, metric=metric).fit(X).linkage_
        for peer in (linkage, fastcluster.linkage):
            np.testing.assert_allclose(Z, peer(pdist(X, metric), "complete"))


def test_peers__scipy_on_the_propagated_distances(rng):
    X = rng.normal(size=(80, 3))
    must, cannot = np.array([(i, i + 20) for i in range(15)]), np.array([(i, i + 41) for i in range(15, 35)])
    closure = PairwiseConstraints(must, cannot, 80).closure()
    result = propagate(pdist(X), closure.component, closure.cannot)
    heights = np.minimum(linkage(result.condensed, "complete")[:, 2], result.top)
    model = ConstrainedCompleteLink(None, distance_threshold=0.0).fit(X, pairs=(must, cannot))
    np.testing.assert_allclose(model.distances_[80 - result.n_groups :], heights)


def test_peers__paths_where_every_sample_is_must_linked(rng):
    # with a must-link for every sample paths may pass anywhere: plain all-pairs shortest paths
    X = rng.normal(size=(60, 4))
    must = np.arange(60).reshape(30, 2)
    D = square(pdist(X), 60)
    tiny = 1e-6  # zero is no edge to scipy
    D[must[:, 0], must[:, 1]] = D[must[:, 1], must[:, 0]] = tiny
    closure = PairwiseConstraints(must, [], 60).closure()
    result = propagate(pdist(X), closure.component, closure.cannot)
    found = square(result.condensed, 30)[np.ix_(closure.component, closure.component)]
    np.testing.assert_allclose(found, floyd_warshall(D), atol=1e-4)
