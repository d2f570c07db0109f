"""Agglomeration by way of micro-clusters: exact where it says so, and always a full hierarchy with the triplets."""

import numpy as np
import pytest
from recon_oracle import random_triplets, recon_definition

from tripletree._core import engine
from tripletree.algorithms.cut import cut
from tripletree.algorithms.induce import displays
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.merges import merge_points
from tripletree.cluster.agglomerative import micro_clusters as _micro
from tripletree.cluster.agglomerative.grouped_merges import merge_points_in_groups
from tripletree.cluster.agglomerative.micro_clusters import merge_large
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet

agglomerate_groups = engine.must_link_groups.agglomerate_groups

LINKAGES = ["centroid", "median", "ward"]
NONE = np.empty((0, 3), np.int32)


def rows_of(triplets):
    return np.array(sorted({(min(a, b), max(a, b), c) for a, b, c in triplets}), np.int32).reshape(-1, 3)


def some_rows(rng, n, n_named, m):
    """Triplets of one random hierarchy on a few of the samples."""
    named = np.sort(rng.choice(n, n_named, replace=False))
    return rows_of(named[np.array(random_triplets(rng, n_named, m))].tolist())


def clumps(rng, n_clumps, size, d=3):
    """Samples in tight clumps far from each other, shuffled, and the clump of each."""
    owner = rng.permutation(np.repeat(np.arange(n_clumps), size))
    centres = rng.normal(size=(n_clumps, d)) * 100
    return centres[owner] + rng.normal(size=(owner.size, d)) * 1e-3, owner


def same_merges(Z, W):
    """True if two linkages form the same clusters in the same order of their own parts, at the same heights."""
    clades = []
    for merges in (Z, W):
        members = [frozenset([i]) for i in range(len(merges) + 1)]
        found = {}
        for i, j, height, _ in merges:
            members.append(members[int(i)] | members[int(j)])
            found[members[-1]] = height
        clades.append(found)
    return clades[0].keys() == clades[1].keys() and all(
        clades[0][x] == pytest.approx(clades[1][x], rel=1e-9, abs=1e-12) for x in clades[0]
    )


def check_hierarchy(Z, n, rows):
    hierarchy = from_linkage(Z)  # refuses all that is no linkage
    assert Z.shape == (n - 1, 4)
    assert Z.dtype == np.float64
    assert displays(hierarchy, TripletSet(rows, n)).all()
    return hierarchy


# ------------------------------------------------------------------ exact


@pytest.mark.parametrize("linkage", LINKAGES)
def test_exact__where_nothing_is_gathered(rng, linkage):
    X, rows = rng.normal(size=(60, 4)), some_rows(rng, 60, 20, 30)
    free = 60 - np.unique(rows).size
    wanted, counts = merge_points(X, rows, linkage)
    Z, found = merge_large(X, rows, linkage, n_centres=free)
    assert np.array_equal(Z, wanted)
    assert found == counts


@pytest.mark.parametrize("linkage", LINKAGES)
def test_exact__where_every_micro_cluster_is_one_sample(rng, linkage, monkeypatch):
    X, rows = rng.normal(size=(60, 4)), some_rows(rng, 60, 20, 30)
    # cells of the samples themselves, in an order that is none of the samples'
    monkeypatch.setattr(_micro, "_find_cells", lambda samples, free, *others: rng.permutation(free.size))
    Z, counts = merge_large(X, rows, linkage, n_centres=5)
    assert np.array_equal(Z, merge_points(X, rows, linkage)[0])
    assert counts.micro_clusters == 60 - np.unique(rows).size


def test_exact__all_samples_in_triplets(rng):
    X, rows = rng.normal(size=(12, 2)), some_rows(rng, 12, 12, 60)
    assert np.unique(rows).size == 12
    Z, counts = merge_large(X, rows, "ward", n_centres=1)
    assert np.array_equal(Z, merge_points(X, rows, "ward")[0])
    assert counts.micro_clusters is None


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("named", [0, 15])
def test_exact__clumps_far_from_each_other(rng, linkage, named, monkeypatch):
    X, owner = clumps(rng, 25, 12)
    rows = NONE
    if named:  # one sample of each of some clumps, taken far away: nothing is closer to a free one than its own clump
        first = np.array([np.flatnonzero(owner == k)[0] for k in range(named)])
        rows = rows_of(first[np.array(random_triplets(rng, named, 20))].tolist())
        X[np.unique(rows)] += 30
    monkeypatch.setattr(_micro, "_find_cells", lambda samples, free, *others: owner[free])
    Z, counts = merge_large(X, rows, linkage, n_centres=25)
    assert counts.micro_clusters == 25
    check_hierarchy(Z, 300, rows)
    assert same_merges(Z, merge_points(X, rows, linkage)[0])


def test_exact__clumps_are_found(rng):
    X, owner = clumps(rng, 25, 40)
    Z, counts = merge_large(X, NONE, "centroid", n_centres=25)
    label = cut(from_linkage(Z), counts.micro_clusters, rule="merge_order")
    assert 22 <= counts.micro_clusters <= 28
    whole = [len(set(label[owner == k])) == 1 for k in range(25)]
    assert sum(whole) >= 22


def test_exact__repeats_gather_at_no_distance(rng):
    few = rng.integers(0, 5, size=(20, 2)).astype(float)
    X = few[rng.integers(0, 20, 400)]
    distinct = len(np.unique(X, axis=0))
    Z, counts = merge_large(X, NONE, "centroid", n_centres=50)
    assert counts.micro_clusters == distinct
    assert (Z[: 400 - distinct, 2] == 0).all()
    _, label = np.unique(X, axis=0, return_inverse=True)
    parts = cut(from_linkage(Z), distinct, rule="merge_order")
    assert len(set(zip(label.tolist(), parts.tolist(), strict=True))) == distinct
    assert np.allclose(np.sort(Z[:, 2]), np.sort(merge_points(X, NONE, "centroid")[0][:, 2]))


# ------------------------------------------------------------------ not exact, but whole


@pytest.mark.parametrize("linkage", LINKAGES)
def test_whole__micro_clusters_first_then_the_engine(rng, linkage):
    X, rows = rng.normal(size=(1500, 5)), some_rows(rng, 1500, 60, 80)
    Z, counts = merge_large(X, rows, linkage, n_centres=100)
    hierarchy = check_hierarchy(Z, 1500, rows)
    named, parts = np.unique(rows), counts.micro_clusters
    assert 60 <= parts <= 140
    label = cut(hierarchy, parts + named.size, rule="merge_order")  # the clusters that the engine starts from
    assert (np.bincount(label)[label[named]] == 1).all()
    # the merges of the engine: the same clusters from their centres and sizes (median: centres of the merges inside)
    size = np.bincount(label)
    if linkage != "median":
        order = np.argsort([np.flatnonzero(label == k)[0] for k in range(size.size)])
        place = np.argsort(order)
        centres = np.array([X[label == k].mean(axis=0) for k in order])
        own = place[label[rows]].astype(np.int32)
        above, _ = merge_points(centres, own, linkage, weights=size[order].astype(float))
        assert np.allclose(above[:, 2], Z[-len(above) :, 2])
    # and inside: the linkage of the samples of one alone
    members = np.flatnonzero(label == np.argmax(size))
    inside = from_linkage(Z).restrict(members.tolist())
    alone = from_linkage(recon_definition([], linkage, X=X[members]), members.tolist())
    assert inside == alone
    top = np.maximum.accumulate(Z[: 1500 - size.size, 2])
    if linkage == "ward":  # never falls inside of a micro-cluster: in order of height
        assert np.array_equal(top, Z[: top.size, 2])


def test_whole__cells_are_near_their_centres(rng):
    X = rng.normal(size=(4000, 3))
    Z, counts = merge_large(X, NONE, "centroid", n_centres=200)
    label = cut(from_linkage(Z), counts.micro_clusters, rule="merge_order")
    centres = np.array([X[label == k].mean(axis=0) for k in range(label.max() + 1)])
    inside = np.square(X - centres[label]).sum() / np.square(X - X.mean(axis=0)).sum()
    assert inside < 0.05  # 200 random samples as centres: 0.033. In ten-sample cells at random: 0.95


def test_whole__no_micro_cluster_is_larger_than_stated(rng, monkeypatch):
    monkeypatch.setattr(_micro, "LARGEST", 16)
    far = rng.normal(size=(40, 2)) * 1000
    X = np.concatenate([far, rng.normal(size=(500, 2))])  # nearly all within one radius
    Z, counts = merge_large(X, NONE, "ward", n_centres=40)
    check_hierarchy(Z, 540, NONE)
    size = np.bincount(cut(from_linkage(Z), counts.micro_clusters, rule="merge_order"))
    assert size.max() <= 16
    assert counts.micro_clusters <= 40 + 2 * 540 // 16 + 10


@pytest.mark.parametrize("linkage", LINKAGES)
def test_whole__all_samples_the_same_and_constant_columns(rng, linkage):
    X = np.full((1200, 3), 7.5)
    Z, _ = merge_large(X, np.array([[3, 900, 17], [17, 20, 1100]], np.int32), linkage, n_centres=10)
    assert (Z[:, 2] == 0).all()
    check_hierarchy(Z, 1200, np.array([[3, 900, 17], [17, 20, 1100]]))
    X[:, 1] = rng.normal(size=1200)
    Z, _ = merge_large(X, NONE, linkage, n_centres=10)
    check_hierarchy(Z, 1200, NONE)


def test_whole__many_dimensions_and_far_from_zero(rng):
    owner = rng.integers(0, 30, 900)
    X = (rng.normal(size=(30, 25)) * 10)[owner] + rng.normal(size=(900, 25)) * 0.1 + 1e7
    Z, counts = merge_large(X, NONE, "centroid", n_centres=30)
    assert counts.micro_clusters == 30
    parts = cut(from_linkage(Z), 30, rule="merge_order")
    assert len(set(zip(owner.tolist(), parts.tolist(), strict=True))) == 30


def test_whole__float32(rng):
    X, rows = rng.normal(size=(800, 4)).astype(np.float32), some_rows(rng, 800, 30, 40)
    Z, _ = merge_large(X, rows, "centroid", n_centres=80)
    check_hierarchy(Z, 800, rows)


def test_whole__the_order_of_columns_in_memory_does_not_matter(rng):
    X = rng.normal(size=(500, 4))
    Z, _ = merge_large(np.asfortranarray(X), NONE, "ward", n_centres=50)
    assert np.array_equal(Z, merge_large(X, NONE, "ward", n_centres=50)[0])


# ------------------------------------------------------------------ conduct


def test_conduct__reproducible_and_input_left_alone(rng):
    X, rows = rng.normal(size=(3000, 4)), some_rows(rng, 3000, 30, 40)
    before = X.copy()
    X.setflags(write=False)
    Z, counts = merge_large(X, rows, "centroid", n_centres=50)
    again, same = merge_large(X, rows, "centroid", n_centres=50, random_state=0)
    assert np.array_equal(Z, again)
    assert counts == same
    assert np.array_equal(X, before)
    other, _ = merge_large(X, rows, "centroid", n_centres=50, random_state=np.random.default_rng(3))
    assert not np.array_equal(Z, other)


@pytest.mark.parametrize("n_centres", [60, 10_000])
def test_conduct__progress_counts_all_merges(rng, n_centres):
    X, rows, done = rng.normal(size=(900, 3)), some_rows(rng, 900, 30, 40), []
    Z, _ = merge_large(X, rows, "ward", n_centres=n_centres, progress=done.append)
    assert sum(done) == len(Z) == 899
    assert min(done) >= 0


@pytest.mark.parametrize("call", [1, 2, 3])
def test_conduct__an_interrupt_goes_through(rng, call):
    X, calls = rng.normal(size=(900, 3)), []

    def interrupted(done):
        calls.append(done)
        if len(calls) == call:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        merge_large(X, NONE, "ward", n_centres=60, progress=interrupted)
    assert len(calls) == call


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"linkage": "average"}, ValueError, "linkage='average' does not work on centres"),
        ({"n_centres": 0}, ValueError, "n_centres is 0; it must be at least 1"),
        ({"n_centres": 2.5}, TypeError, "n_centres must be a whole number, not 2.5"),
        ({"random_state": -1}, ValueError, "random_state must be None, an int >= 0"),
        ({"random_state": "x"}, TypeError, "random_state must be None, an int >= 0"),
    ],
)
def test_conduct__bad_parameters(rng, changed, error, message):
    given = {"linkage": "ward", "n_centres": 5, **changed}
    with pytest.raises(error, match=message):
        merge_large(rng.normal(size=(20, 2)), NONE, given.pop("linkage"), **given)


def test_conduct__one_or_two_samples():
    assert merge_large(np.zeros((1, 2)), NONE, "ward", n_centres=1)[0].shape == (0, 4)
    Z, counts = merge_large(np.array([[0.0], [3.0]]), NONE, "centroid", n_centres=1)
    assert Z.tolist() == [[0, 1, 3, 2]]
    assert counts.micro_clusters == 1


# ------------------------------------------------------------------ parts


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("whole", [False, True], ids=["real", "ties"])
def test_groups__each_as_the_definition(rng, linkage, whole):
    X = rng.normal(size=(80, 3))
    if whole:
        X = rng.integers(0, 3, size=(80, 3)).astype(float)
    sizes = [1, 2, 30, 1, 17, 29]
    order = rng.permutation(80)
    parts = [np.sort(part) for part in np.split(order, np.cumsum(sizes)[:-1])]
    members, start = np.concatenate(parts), np.concatenate([[0], np.cumsum(sizes)])
    merges, centres = agglomerate_groups(X, members, start, LINKAGES.index(linkage), None)
    row = 0
    for part, centre in zip(parts, centres, strict=True):
        found = merges[row : row + part.size - 1]
        row += part.size - 1
        if linkage != "median":
            assert np.allclose(centre, X[part].mean(axis=0))
        wanted = merge_points(X[part], NONE, linkage)[0] if whole else recon_definition([], linkage, X=X[part])
        assert np.allclose(found[:, 2], wanted[:, 2] if part.size > 1 else [])
        first, top = part.tolist(), [0.0] * part.size  # the first member of each cluster of the definition
        for (i, j, height, _), merge in zip(wanted.tolist() if part.size > 1 else [], found.tolist(), strict=True):
            i, j = int(i), int(j)
            assert merge[:2] == sorted((first[i], first[j]), reverse=True)
            first.append(min(first[i], first[j]))
            top.append(max(height, top[i], top[j]))
            assert merge[3] == pytest.approx(top[-1])


def test_groups__median_centre_is_that_of_the_merges():
    # 0 and 1 first, then 3: (0.5 + 3) / 2
    X = np.array([[0.0], [3.0], [1.0]])
    merges, centres = agglomerate_groups(X, np.arange(3), np.array([0, 3]), 1, None)
    assert merges.tolist() == [[2, 0, 1, 1], [1, 0, 2.5, 2.5]]
    assert centres.tolist() == [[1.75]]


def test_groups__order_by_height_although_it_falls():
    # an equilateral triangle: the second centroid merge is lower than the first, and a pair in between
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    X = np.concatenate([triangle, [[50, 0], [50.95, 0]]])
    Z, _ = merge_points_in_groups(X, PairwiseConstraints([(0, 1), (1, 2), (3, 4)], [], 5).closure(), NONE, "centroid")
    assert Z[:3, :2].tolist() == [[3, 4], [0, 1], [2, 6]]
    assert Z[:3, 2] == pytest.approx([0.95, 1.0, 0.9])


@pytest.mark.parametrize("wanted", [60, 150, 600])
def test_centres__about_as_many_as_wanted(rng, wanted):
    part = rng.normal(size=(3000, 2)) * np.exp(rng.normal(size=(3000, 1)))
    found = _micro.find_centres(part / np.sqrt(part.var(axis=0).sum()), wanted)
    assert wanted / 1.25 <= len(found) <= wanted * 1.25
    assert found.shape[1] == 2
