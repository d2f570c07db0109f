"""Complete runs of ReCon beside the literal listing of the paper, up to 80 samples."""

import numpy as np
import pytest
from recon_oracle import random_triplets, recon_definition

from tripletree.cluster.agglomerative.plan import MergePlan, merge_samples
from tripletree.cluster.distances import FittedMetric
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.knowledge.combined import combine_constraints

LINKAGES = ["centroid", "median", "ward", "average", "weighted", "complete", "single"]


def merge_under(triplets, X, linkage):
    """All merges under triplets alone, and how much work they took."""
    n = len(X)
    combined = combine_constraints(TripletSet(triplets, n), PairwiseConstraints([], [], n))
    return merge_samples(X, MergePlan(combined), linkage, FittedMetric("euclidean"))


@pytest.mark.slow
@pytest.mark.parametrize("linkage", LINKAGES)
def test_runs__are_those_of_the_literal_listing_up_to_80_samples(linkage):
    rejections = 0
    for seed in range(30):
        rng = np.random.default_rng(7000 + 100 * LINKAGES.index(linkage) + seed)
        n = int(rng.integers(15, 81))
        triplets = random_triplets(rng, n, int(rng.choice([n // 2, n, 2 * n, 6 * n])))
        X = rng.normal(size=(n, 3))
        wanted = recon_definition(triplets, linkage, X)
        Z, count = merge_under(triplets, X, linkage)
        assert np.array_equal(Z[:, [0, 1, 3]], wanted[:, [0, 1, 3]]), seed
        np.testing.assert_allclose(Z[:, 2], wanted[:, 2], rtol=1e-9, err_msg=str(seed))
        rejections += count.rejections
    assert rejections > 100  # otherwise the instances test nothing
