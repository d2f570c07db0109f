"""rule="auto" and the number of clusters, against the definitions."""

import re

import numpy as np
import pytest
from cut_oracle import Choices, numbered_anew
from examples import contracted, small_world, star, uniform_binary, yule
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from tripletree.algorithms.cut import cut, suggest_n_clusters
from tripletree.algorithms.flat import are_compatible, satisfies
from tripletree.algorithms.induce import displays, sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.cluster import ReCon
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError

NOTHING = np.empty((0, 3), np.int32)


def worth(labels, rows, X):
    """Share of the triplets with a, b together and c apart, less the log of the share of squares within clusters."""
    kept = np.mean([labels[a] == labels[b] != labels[c] for a, b, c in rows])
    within = sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in set(labels.tolist()))
    return kept - np.log(max(within / ((X - X.mean(axis=0)) ** 2).sum(), 1e-9))


def candidates(h, k, weights, X):
    """The clusters of "size" and of "support", for the first four sizes of small branches that give k."""
    for rule in ("size", "support"):
        least, found = max(1, -(-h.n_leaves // (2 * k))), 0
        while True:
            choices = Choices(h, least)
            ways = [x for x in choices.all() if len(x[0]) == k]
            if rule == "size":
                clusters, outliers = choices.latest(k) if ways else ([], [])
            elif ways:
                clusters, outliers, _ = max(ways, key=lambda x, c=choices: (c.support(x[0], weights), c.lateness(x[2])))
            if ways:
                found += 1
                yield joined(choices, clusters, outliers, X)
            if least == 1 or found == 4:
                break
            least //= 2


def joined(choices, clusters, outliers, X):
    """Outliers go to the cluster beside them with the nearest mean."""
    labels = np.full(len(X), -1)
    clusters = sorted(clusters, key=lambda u: min(choices.below[u]))
    for number, u in enumerate(clusters):
        labels[list(choices.below[u])] = number
    means = [X[list(choices.below[u])].mean(axis=0) for u in clusters]
    for o in outliers:
        beside = [i for i, u in enumerate(clusters) if choices.below[u] <= choices.below[int(choices.h.parent[o])]]
        here = X[list(choices.below[o])].mean(axis=0)
        labels[list(choices.below[o])] = min(beside, key=lambda i: ((means[i] - here) ** 2).sum())
    return labels


@pytest.mark.parametrize("make", [yule, uniform_binary])
def test_cut_auto__is_the_best_of_both_rules(make, rng):
    by_size = by_support = 0
    for n in (5, 7, 9, 10):
        for _ in range(6):
            h = numbered_anew(make(n, rng), rng)
            rows = sample_triplets(make(n, rng), n, random_state=rng).rows
            X = rng.normal(size=(n, 2)) + 3 * rng.normal(size=(h.n_nodes, 2))[h.parent[:n]]
            t = TripletSet(rows, h.leaves)
            for k in range(2, n):
                labels = cut(h, k, triplets=t, samples=X, strict=False)
                wanted = max(worth(x, rows, X) for x in candidates(h, k, {tuple(map(int, r)): 1 for r in rows}, X))
                assert worth(labels, rows, X) == pytest.approx(wanted)
                assert labels.max() + 1 == k
                by_size += np.array_equal(labels, cut(h, k, rule="size", triplets=t, samples=X, strict=False))
                by_support += np.array_equal(labels, cut(h, k, rule="support", triplets=t, samples=X, strict=False))
    assert by_size > 20
    assert by_support > 20


@pytest.mark.parametrize("n", [3, 4, 5])
def test_cut_auto__small_worlds_have_k_clusters_or_none(n, rng):
    for nested in small_world(n):
        h = Hierarchy.from_nested(nested).reindex(LeafIndex(n))
        t = sample_triplets(yule(n, rng), min(3, n - 2), random_state=rng).reindex(h.leaves)
        X = rng.normal(size=(n, 2))
        for k in range(1, n + 1):
            first = max(1, -(-n // (2 * k)))
            if not any(len(x[0]) == k for least in {first, first // 2, 1} - {0} for x in Choices(h, least).all()):
                try:
                    labels = cut(h, k, triplets=t, samples=X)
                except ClusterCountError:
                    continue
                assert displays(h, t).all()  # clades of the leaves in triplets alone
                assert are_compatible(labels, t)
                continue
            for strict in (False, True):
                labels = cut(h, k, triplets=t, samples=X, strict=strict)
                assert set(labels.tolist()) == set(range(k))
                assert satisfies(labels, t).all() or not strict


def test_cut_auto__without_triplets_is_size(rng):
    for _ in range(10):
        h, X = yule(30, rng), rng.normal(size=(30, 2))
        for t in (None, TripletSet(NOTHING, h.leaves)):
            assert np.array_equal(cut(h, 4, triplets=t, samples=X), cut(h, 4, rule="size", samples=X))


def test_cut_auto__weights_count(rng):
    h, X = yule(30, rng), rng.normal(size=(30, 2))
    rows = sample_triplets(yule(30, rng), 30, random_state=rng).rows
    once = cut(h, 4, triplets=TripletSet(rows, h.leaves), samples=X)
    weighty = TripletSet(np.concatenate([rows, rows[:3]]), h.leaves, [1.0] * 30 + [1e6] * 3)
    heavy = TripletSet(rows[:3], h.leaves)
    assert np.array_equal(cut(h, 4, triplets=weighty, samples=X), cut(h, 4, triplets=heavy, samples=X))
    same = TripletSet(rows, h.leaves, np.full(30, 7.0))
    assert np.array_equal(cut(h, 4, triplets=same, samples=X), once)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_cut_auto__informative_triplets_give_the_classes(load):
    X, y = load(return_X_y=True)
    t = sample_class_triplets(y, 5 * len(y), random_state=0)
    model = ReCon(3, linkage="ward").fit(scale(X), triplets=TripletSet(t.rows, len(y)))
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_cut_auto__equal_samples_are_no_trouble():
    h = yule(12, np.random.default_rng(0))
    t = sample_triplets(h, 10, random_state=0)
    for X in (np.zeros((12, 2)), np.repeat([[0.0], [1.0]], 6, axis=0)):
        labels = cut(h, 3, triplets=t, samples=X)
        assert labels.max() == 2
        assert suggest_n_clusters(h, X, triplets=t).n_clusters >= 1


# ------------------------------------------------------------------ how many clusters


def nats(labels, X, rows):
    """The evidence word for word."""
    n, k = len(X), int(labels.max()) + 1
    size = np.bincount(labels)
    spread = np.linalg.eigvalsh(np.cov(X.T).reshape(X.shape[1], -1))
    d = spread.sum() ** 2 / (spread**2).sum()
    within = sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in range(k))
    total = ((X - X.mean(axis=0)) ** 2).sum()
    fit = -n * d / 2 * np.log(within / total) + sum(s * np.log(s / n) for s in size) - (k - 1) * (d + 1) / 2 * np.log(n)
    if len(rows) == 0:
        return fit
    q = np.mean([labels[a] == labels[b] != labels[c] for a, b, c in rows])
    h = 3 * sum((s / n) ** 2 * (1 - s / n) for s in size)
    more = len(rows) * (q * np.log(q / h) + ((1 - q) * np.log((1 - q) / (1 - h)) if q < 1 else 0)) if q > h else 0
    return fit / 10 + more


def test_suggest__is_the_definition(rng):
    for _ in range(5):
        X = rng.normal(size=(50, 3)) + 4 * rng.normal(size=(4, 3))[rng.integers(0, 4, 50)]
        h = from_linkage(linkage(X, "ward"))
        t = sample_triplets(yule(50, rng), 40, random_state=rng).reindex(h.leaves)
        for known, rows in ((None, []), (t, t.rows)):
            found = suggest_n_clusters(h, X, triplets=known)
            least = 1 if known is None else 2  # triplets say that there is more than one
            assert found.numbers.tolist() == list(range(least, 8))
            for k, evidence in zip(found.numbers, found.evidence, strict=True):
                labels = cut(h, int(k), triplets=known, samples=X, strict=False)
                assert evidence == pytest.approx(nats(labels, X, rows))
            assert found.n_clusters == found.numbers[found.evidence.argmax()]
            assert re.match(rf"{found.n_clusters} clusters?, of {least} to 7", found.reason)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_suggest__finds_clear_groups(k):
    X, _ = make_blobs(300, 4, centers=12 * np.random.default_rng(k).normal(size=(k, 4)), random_state=k)
    h = from_linkage(linkage(X, "ward"))
    found = suggest_n_clusters(h, X)
    assert found.n_clusters == k
    assert cut(h, samples=X).max() + 1 == k
    model = ReCon(None, linkage="ward").fit(X)
    assert model.n_clusters_ == k
    assert model.n_clusters_choice_.reason == found.reason
    assert ReCon(2, linkage="ward").fit(X).n_clusters_choice_ is None


def test_suggest__triplets_of_classes_say_the_level():
    """Six groups in three pairs: the samples have six, class triplets of the pairs three."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(6), 40)
    X = 10 * np.eye(3)[group // 2] + (group % 2)[:, None] * np.array([3.0, 3.0, 3.0]) + 0.5 * rng.normal(size=(240, 3))
    h = from_linkage(linkage(X, "ward"))
    assert suggest_n_clusters(h, X).n_clusters == 6
    for classes, k in ((group // 2, 3), (group, 6)):
        t = sample_class_triplets(classes, 2000, random_state=0)
        found = suggest_n_clusters(h, X, triplets=TripletSet(t.rows, 240))
        assert found.n_clusters == k
        assert "by the triplets" in found.reason
        with_tree = sample_triplets(h, 2000, random_state=0)  # of all levels: they say nothing of it
        assert suggest_n_clusters(h, X, triplets=with_tree).n_clusters == 6


def test_suggest__triplets_of_classes_outweigh_samples_whose_classes_are_no_spheres():
    """Three classes of three groups each: nine was the answer, however few nats of each sample spoke for it."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(9), 20)
    X = 8 * np.eye(3)[group // 3] + 3 * np.eye(3)[group % 3] + 0.4 * rng.normal(size=(180, 3))
    h = from_linkage(linkage(X, "ward"))
    assert suggest_n_clusters(h, X).n_clusters == 9
    t = TripletSet(sample_class_triplets(group // 3, 120, random_state=0).rows, 180)
    assert suggest_n_clusters(h, X, triplets=t).n_clusters == 3


def test_suggest__numbers_that_cannot_be_had_are_passed_over():
    h = contracted(yule(40, np.random.default_rng(0)), 0.6, np.random.default_rng(0))
    X = np.random.default_rng(1).normal(size=(40, 2))
    found = suggest_n_clusters(h, X, max_clusters=12)
    for k in range(1, 13):
        if k in found.numbers:
            assert cut(h, k, samples=X).max() + 1 == k
        else:
            with pytest.raises(ClusterCountError):
                cut(h, k, samples=X)
    assert suggest_n_clusters(star(5), np.arange(5.0)[:, None], max_clusters=5).numbers.tolist() == [1, 5]
    assert suggest_n_clusters(Hierarchy([-1]), [[1.0]]).n_clusters == 1
    only = suggest_n_clusters(star(5), np.arange(5.0)[:, None], triplets=TripletSet([(0, 1, 2)], 5))
    assert (only.numbers.tolist(), only.evidence.tolist()) == ([1], [0.0])  # 2 would take a split into all 5


def test_suggest__what_does_not_fit_is_refused():
    h = star(4)
    with pytest.raises(ValueError, match=r"samples must have shape \(4, d\)"):
        suggest_n_clusters(h, [[0.0]])
    with pytest.raises(ValueError, match="max_clusters is 0; it must be at least 1"):
        suggest_n_clusters(h, np.zeros((4, 1)), max_clusters=0)
    with pytest.raises(TypeError, match="TripletSet"):
        suggest_n_clusters(h, np.zeros((4, 1)), triplets=[(0, 1, 2)])
    with pytest.raises(TypeError, match="needs n_clusters, or samples=... to find a number"):
        cut(h, triplets=TripletSet([(0, 1, 2)], 4))


def test_suggest_n_clusters__scores_the_clusters_of_cut(rng):
    """Also where clusters must be compatible with the triplets, which moves leaves or takes clades."""
    moved = 0
    for _ in range(15):
        h = yule(40, rng)
        X = rng.normal(size=(40, 3))
        t = sample_triplets(h, 60, random_state=rng).reindex(h.leaves)
        found = suggest_n_clusters(h, X, triplets=t)
        d = np.sum(np.linalg.eigvalsh(np.cov(X.T))) ** 2 / np.sum(np.linalg.eigvalsh(np.cov(X.T)) ** 2)
        for k, evidence in zip(found.numbers.tolist(), found.evidence.tolist(), strict=True):
            labels = cut(h, k, triplets=t, samples=X)
            assert are_compatible(labels, t)
            moved += not np.array_equal(labels, cut(h, k, triplets=t, samples=X, strict=False))
            within = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))
            share = np.bincount(labels) / 40
            a, b, c = labels[t.rows.T]
            q, expected = np.mean((a == b) & (a != c)), 3 * (share**2 * (1 - share)).sum()
            level = 0.0
            if q > expected:
                rest = (1 - q) * np.log((1 - q) / (1 - expected)) if q < 1 else 0.0
                level = 60 * (q * np.log(q / expected) + rest)
            fit = -40 * d / 2 * np.log(within / ((X - X.mean(axis=0)) ** 2).sum()) + 40 * (share * np.log(share)).sum()
            assert evidence == pytest.approx((fit - (k - 1) * (d + 1) / 2 * np.log(40)) / 10 + level)
    assert moved > 20
