"""Single linkage, whose merges have a table of their own: ties, pairs and triplets, also on hundreds of samples."""

import numpy as np
import pytest
from recon_oracle import random_triplets
from recon_pairs_oracle import paired_definition, random_instance
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from tripletree.algorithms.merges import merge_condensed

NO_TRIPLETS = np.empty((0, 3), np.int32)


def merges_of(condensed, n, rows=NO_TRIPLETS, apart=None):
    """The samples of the two clusters of each merge and its distance, the cluster with the first sample first."""
    Z, _ = merge_condensed(condensed.copy(), n, np.array(rows, np.int32).reshape(-1, 3), "single", apart=apart)
    members, found = [frozenset([x]) for x in range(n)], []
    for i, j, d, _ in Z.tolist():
        pair = sorted((members[int(i)], members[int(j)]), key=min)
        members.append(pair[0] | pair[1])
        found.append((*pair, d))
    return found


def merges_definition(condensed, apart):
    """Always the closest pair that is not apart, by (distance, first samples), once there is none, of all pairs."""
    D = squareform(condensed)
    n = len(D)
    np.fill_diagonal(D, np.inf)
    barred = np.zeros((n, n), bool)
    barred[apart[:, 0], apart[:, 1]] = barred[apart[:, 1], apart[:, 0]] = True
    members, found = [frozenset([x]) for x in range(n)], []
    for _ in range(n - 1):
        allowed = np.where(barred, np.inf, D)
        if not np.isfinite(allowed).any():
            barred[:] = False
            allowed = D
        i, j = np.unravel_index(allowed.argmin(), D.shape)
        found.append((members[i], members[j], D[i, j]))
        members[i] |= members[j]
        D[i] = D[:, i] = np.minimum(D[i], D[j])
        barred[i] = barred[:, i] = barred[i] | barred[j]
        D[j] = D[:, j] = np.inf
        D[i, i] = np.inf
    return found


@pytest.mark.parametrize("levels", [1, 2, 30, 10**9])
@pytest.mark.parametrize("n_apart", [0, 3, 100])
def test_merges__are_the_closest_pairs_that_are_not_apart(rng, levels, n_apart):
    for n in (2, 37, 300):
        condensed = rng.integers(0, levels, n * (n - 1) // 2).astype(float)
        apart = np.stack([rng.integers(0, n - 1, n_apart), np.full(n_apart, n - 1)], axis=1)
        apart[::2, 1] = apart[::2, 0] + 1
        assert merges_of(condensed, n, apart=apart) == merges_definition(condensed, apart)


def test_merges__heights_are_those_of_scipy_without_constraints(rng):
    for n in (3, 255, 256, 257, 700):
        condensed = rng.random(n * (n - 1) // 2)
        Z, _ = merge_condensed(condensed.copy(), n, NO_TRIPLETS, "single")
        assert np.array_equal(Z, scipy_linkage(condensed, "single"))


def blown_up(rng, D, size):
    """Each sample becomes so many at distance 1/2, and two of these are at the distance of the samples, or farther.

    Sample k becomes k, k + n, k + 2 n and so on. Returns condensed distances.
    """
    n = len(D)
    farther = rng.integers(1, 4, (n * size, n * size))
    k, m = np.triu_indices(n, 1)
    i, j = rng.integers(0, size, (2, k.size))
    farther[k + n * i, m + n * j] = farther[m + n * j, k + n * i] = 0  # the closest ones are anywhere
    large = np.tile(D, (size, size)) + np.minimum(farther, farther.T)
    large[np.tile(np.eye(n, dtype=bool), (size, size))] = 0.5
    np.fill_diagonal(large, 0)
    return squareform(large)


@pytest.mark.parametrize("paired", [False, True])
def test_merges__of_clusters_are_those_of_the_definition(paired):
    """The definition, slow as it is, merges few samples. The table has forty in place of each, which merge first."""
    counts, size = np.zeros(3, int), 40
    for seed in range(25):
        rng, X, triplets, _, cannot = random_instance(seed, most=14)
        n = len(X)
        if not paired:
            triplets, cannot = random_triplets(rng, n, int(rng.choice([n // 2, n, 4 * n]))), []
        D = np.triu(rng.integers(1, 6, size=(n, n)), 1).astype(float)
        D += D.T
        wanted, phases = paired_definition(triplets, [], cannot, "single", D=D)
        rows = [[x + n * int(rng.integers(size)) for x in t] for t in triplets]
        apart = np.array([[x + n * int(rng.integers(size)) for x in pair] for pair in cannot], np.int64).reshape(-1, 2)
        found = merges_of(blown_up(rng, D, size), n * size, rows, apart)
        assert all(d == 0.5 for _, _, d in found[: 1 - n])
        few = [(*({x for x in part if x < n} for part in merge[:2]), merge[2]) for merge in found[1 - n :]]
        assert few == [(*sorted((set(i), set(j)), key=min), d) for i, j, d in wanted], seed
        counts += phases
    assert counts[1] > 100
    assert counts[2] > 20 or not paired
