"""Micro-clusters without an engine: sums, exact results, and refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import Refusal, refusals
from sklearn.metrics import adjusted_rand_score

from tripletree import TripletSet, displays, sample_class_triplets
from tripletree.cluster import ReCon, fit_micro_clusters, merge_micro_clusters, micro_cluster_centres, micro_clusters
from tripletree.errors import ClusterCountError, DuplicateLeafError, InconsistentTripletsError, UnknownLeafError

LINKAGES = ["centroid", "median", "ward"]


def clusters_of_parts(X, centres, n_parts, rng):
    """The merged micro-clusters of blocks of any size, some of them empty, in any order."""
    stops = np.sort(rng.integers(0, len(X) + 1, n_parts - 1))
    parts = [micro_clusters(block, centres) for block in np.split(X, stops)]
    return merge_micro_clusters(parts[i] for i in rng.permutation(n_parts)), np.concatenate([p.cells for p in parts])


@pytest.mark.parametrize("d", [1, 3, 25])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20)
def test_micro_clusters__add_up_whatever_the_blocks(d, seed):
    rng = np.random.default_rng(seed)
    X, centres = rng.normal(size=(60, d)) + 1000.0, rng.normal(size=(7, d)) + 1000.0
    found, cells = clusters_of_parts(X, centres, int(rng.integers(1, 9)), rng)
    assert found.cells is None
    for c in range(7):  # the definition
        off = X[cells == c] - centres[c]
        assert found.counts[c] == len(off)
        assert np.allclose(found.sums[c], off.sum(axis=0))
        assert np.allclose(found.squares[c], (off**2).sum())
    square = ((X[:, None] - centres) ** 2).sum(axis=2)
    chosen, nearest = square[np.arange(60), cells], square.min(axis=1)
    assert (chosen <= (1 + 1e-9) * nearest * (1 if d > 20 else 4)).all()


@pytest.mark.parametrize("linkage", LINKAGES)
def test_fit__where_each_micro_cluster_is_one_sample_it_is_recon(linkage, rng):
    X = rng.normal(size=(80, 3)) + 8 * rng.integers(0, 3, 80)[:, None]
    known = sample_class_triplets(rng.integers(0, 3, 80), 6, samples=range(0, 80, 7), random_state=0)
    triplets = TripletSet(known.rows, 80)
    named = triplets.used_leaves
    free = np.setdiff1d(np.arange(80), named)
    centres = micro_cluster_centres(X[free], 80)
    found, cells = clusters_of_parts(X[free], centres, 5, rng)
    fit = fit_micro_clusters(
        ReCon(3, linkage=linkage), found, centres, samples=X[named], names=named.tolist(), triplets=list(triplets)
    )
    wanted = ReCon(3, linkage=linkage).fit(X, triplets=triplets)
    labels = np.empty(80, int)
    labels[named], labels[free] = fit.named_labels, fit.cell_labels[cells]
    assert adjusted_rand_score(wanted.labels_, labels) == 1
    assert np.allclose(np.sort(wanted.distances_), np.sort(fit.model.distances_))
    assert displays(fit.model.hierarchy_, triplets).all()
    assert fit.weights.tolist() == [1.0] * 80


@pytest.mark.parametrize("linkage", ["centroid", "ward"])
def test_fit__comes_as_near_as_one_machine_does(linkage, rng):
    y = rng.integers(0, 6, 4000)
    X = rng.normal(size=(6, 8))[y] * 3 + rng.normal(size=(4000, 8))
    triplets = sample_class_triplets(y, 60, samples=range(0, 4000, 80), random_state=0)
    named = triplets.used_leaves
    free = np.setdiff1d(np.arange(4000), named)
    centres = micro_cluster_centres(X[rng.permutation(free)[:1600]], 400)
    assert 300 <= len(centres) <= 600
    found, cells = clusters_of_parts(X[free], centres, 7, rng)
    fit = fit_micro_clusters(
        ReCon(6, linkage=linkage), found, centres, samples=X[named], names=named.tolist(), triplets=list(triplets)
    )
    labels = np.empty(4000, int)
    labels[named], labels[free] = fit.named_labels, fit.cell_labels[cells]
    one = ReCon(6, linkage=linkage, micro_clusters=400).fit(X, triplets=triplets)
    assert adjusted_rand_score(y, labels) > adjusted_rand_score(y, one.labels_) - 0.03
    assert fit.weights.sum() == 4000


def test_fit__the_number_of_clusters_is_that_of_the_samples(rng):
    """Squared distances inside of micro-clusters count: without them there would be too many clusters."""
    y = rng.integers(0, 4, 6000)
    X = rng.normal(size=(4, 12))[y] * 2 + rng.normal(size=(6000, 12))
    centres = micro_cluster_centres(X[:2000], 300)
    cells = micro_clusters(X, centres)
    fit = fit_micro_clusters(ReCon(None, linkage="ward"), cells, centres)
    one = ReCon(None, linkage="ward").fit(X)
    assert fit.model.n_clusters_ == one.n_clusters_ == 4


def test_centres__dense_regions_are_split(rng):
    X = np.concatenate([rng.normal(size=(900, 2)) * 1e-3, rng.uniform(-50, 50, size=(300, 2))])
    centres = micro_cluster_centres(X, 100)
    counts = micro_clusters(X, centres).counts
    assert counts.max() <= 100  # one cell would hold 900
    assert len(centres) < 200


def test_centres__equal_rows_need_no_finer_grain():
    X = np.repeat([[0.0, 1.0], [5.0, 5.0]], [500, 100], axis=0)
    assert sorted(micro_cluster_centres(X, 10).tolist()) == [[0.0, 1.0], [5.0, 5.0]]
    assert micro_cluster_centres([[3.0, 4.0]], 5).tolist() == [[3.0, 4.0]]


def test_centres__threads_and_seeds(rng):
    X = rng.normal(size=(500, 3))
    assert np.array_equal(micro_cluster_centres(X, 50), micro_cluster_centres(X, 50, n_jobs=2))
    centres = micro_cluster_centres(X, 50)
    one, two = micro_clusters(X, centres), micro_clusters(X, centres, n_jobs=2)
    assert np.array_equal(one.cells, two.cells)


def test_fit__empty_micro_clusters_have_the_label_of_the_nearest():
    centres = [[0.0], [2.0], [9.0], [11.0]]
    found = micro_clusters([[0.0], [11.0]], centres)
    fit = fit_micro_clusters(ReCon(2), found, centres)
    assert fit.cell_labels.tolist() == [0, 0, 1, 1]
    assert list(fit.model.hierarchy_.leaves) == ["micro-cluster 0", "micro-cluster 3"]
    # all samples are named
    nothing = micro_clusters(np.empty((0, 1)), centres)
    fit = fit_micro_clusters(ReCon(2), nothing, centres, samples=[[1.0], [10.0]], names=["a", "b"])
    assert fit.named_labels.tolist() == [0, 1]
    assert fit.cell_labels.tolist() == [0, 0, 1, 1]


def test_fit__bad_input_is_refused():
    centres = [[0.0], [5.0]]
    found = micro_clusters([[1.0], [4.0]], centres)
    named = {"samples": [[0.0], [1.0], [2.0]], "names": list("abc")}
    with pytest.raises(ValueError, match="give their own"):
        fit_micro_clusters(ReCon(2), found, [[0.0]])
    with pytest.raises(ValueError, match="names has 1 labels, samples has 2 rows"):
        fit_micro_clusters(ReCon(2), found, centres, samples=[[0.0], [1.0]], names=["a"])
    for model in (ReCon(2, linkage="average"), ReCon(2, metric="cosine"), ReCon(2, penalty=0.1)):
        with pytest.raises(ValueError, match="micro-clusters need a linkage on centres"):
            fit_micro_clusters(model, found, centres)
    with pytest.raises(ValueError, match="there are no samples"):
        fit_micro_clusters(ReCon(2), micro_clusters(np.empty((0, 1)), centres), centres)
    with pytest.raises(ClusterCountError, match="2 micro-clusters and named samples"):
        fit_micro_clusters(ReCon(3), found, centres)
    with pytest.raises(UnknownLeafError):
        fit_micro_clusters(ReCon(2), found, centres, **named, triplets=[("a", "b", "z")])
    with pytest.raises(InconsistentTripletsError):
        fit_micro_clusters(ReCon(2), found, centres, **named, triplets=[("a", "b", "c"), ("b", "c", "a")])
    named["names"] = ["a", "b", "micro-cluster 1"]
    with pytest.raises(DuplicateLeafError):
        fit_micro_clusters(ReCon(2), found, centres, **named, triplets=[("a", "b", "micro-cluster 1")])


test_representatives__refused = refusals(
    "micro clusters: bad input",
    Refusal(lambda: micro_clusters([[1.0, 2.0]], [[0.0], [5.0]]), ValueError, r"expected a table of shape \(n, 1\)"),
    Refusal(lambda: micro_clusters([[1.0], [np.nan]], [[0.0], [5.0]]), ValueError, "row 1 holds NaN or infinity"),
    Refusal(lambda: merge_micro_clusters([]), ValueError, "parts is empty"),
    Refusal(
        lambda: merge_micro_clusters([micro_clusters([[1.0]], [[0.0], [5.0]]), micro_clusters([[1.0]], [[0.0]])]),
        ValueError,
        r"different centres: \(2, 1\) and \(1, 1\)",
    ),
    Refusal(lambda: micro_cluster_centres(np.empty((0, 2)), 3), ValueError, "samples is empty"),
    Refusal(lambda: micro_cluster_centres([[1.0]], 0), ValueError, "n_centres"),
)
