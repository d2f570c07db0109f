import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.cluster import ReCon
from tripletree.core.triplets import TripletSet
from tripletree.errors import UnknownLeafError
from tripletree.evaluation.label_errors import find_label_errors


@pytest.fixture
def noisy(rng):
    """Two groups that overlap a little, and triplets of which every tenth is flipped: X, triplets, which are wrong."""
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 3)) + 3.0 * y[:, None]
    good = sample_class_triplets(y, 40, random_state=0)
    rows = good.rows.copy()
    rows[::10] = rows[::10][:, [0, 2, 1]]
    t = TripletSet(rows, 40)
    return X, t, np.array([tuple(row) not in good for row in t.rows.tolist()])


def test_label_errors__flipped_triplets_come_first_though_the_set_is_consistent(noisy):
    X, t, wrong = noisy
    assert is_consistent(t)
    scores = find_label_errors(t, X)
    assert scores.shape == (40,)
    assert ((scores > 0) & (scores < 1)).all()
    worst = np.argsort(-scores)[: wrong.sum()]
    assert wrong[worst].mean() >= 0.75
    assert np.median(scores[wrong]) > 0.5 > np.median(scores[~wrong])


def test_label_errors__is_the_literal_cross_validation(noisy):
    X, t, _ = noisy
    scores = find_label_errors(t, X, n_folds=4, n_repeats=2, random_state=3)
    rng = np.random.default_rng(3)
    against, shares = np.zeros(40), np.zeros(40)
    for _ in range(2):
        part = rng.permutation(40) % 4
        for k in range(4):
            h = ReCon(1, linkage="average", penalty="auto").fit(X, triplets=t.subset(part != k)).hierarchy_
            clades = [set(h.clade(u)) for u in range(h.n_nodes)]
            against[part == k] += ~displays(h, t.subset(part == k))
            for i in np.flatnonzero(part == k):
                a, b, c = t.rows[i].tolist()
                ab, ac, bc = (min(len(x) for x in clades if x >= {p, q}) for p, q in ((a, b), (a, c), (b, c)))
                shares[i] += ab / (ab + min(ac, bc))
    np.testing.assert_allclose(scores, (against + shares / 2) / 3)


def test_label_errors__the_same_state_gives_the_same_scores(noisy):
    X, t, _ = noisy
    assert np.array_equal(
        find_label_errors(t, X, n_repeats=1, random_state=5), find_label_errors(t, X, n_repeats=1, random_state=5)
    )
    assert not np.array_equal(
        find_label_errors(t, X, n_repeats=1, random_state=5), find_label_errors(t, X, n_repeats=1, random_state=6)
    )


def test_label_errors__scores_stand_beside_the_rows_whatever_the_leaf_index(noisy):
    X, t, _ = noisy
    scores = {tuple(row): x for row, x in zip(t.rows.tolist(), find_label_errors(t, X), strict=True)}
    names = [f"s{i}" for i in range(40)]
    named = TripletSet.from_labels([tuple(names[i] for i in row) for row in t.rows.tolist()], names[::-1])
    found = find_label_errors(named, pd.DataFrame(X, index=names))
    for (a, b, c), x in zip(named, found, strict=True):
        a, b, c = (int(label[1:]) for label in (a, b, c))
        assert x == scores[min(a, b), max(a, b), c]


def test_label_errors__distances_and_odd_sizes(noisy):
    X, t, _ = noisy
    np.testing.assert_allclose(
        find_label_errors(t, squareform(pdist(X)), metric="precomputed", n_repeats=1),
        find_label_errors(t, X, n_repeats=1),
    )
    assert find_label_errors(t.subset([]), X).shape == (0,)
    assert find_label_errors(t.subset([0]), X).shape == (1,)
    assert find_label_errors(t, X, penalty=0.0, n_repeats=1).min() > 0


def test_label_errors__weights_count(noisy):
    X, t, _ = noisy
    weights = np.random.default_rng(0).uniform(0.1, 5, len(t))
    plain = find_label_errors(t, X, n_repeats=1)
    assert not np.array_equal(find_label_errors(TripletSet(t.rows, 40, weights), X, n_repeats=1), plain)
    assert np.array_equal(find_label_errors(TripletSet(t.rows, 40, np.full(len(t), 8.0)), X, n_repeats=1), plain)


def test_label_errors__bad_input(noisy):
    X, t, _ = noisy
    with pytest.raises(ValueError, match="n_folds is 1; it must be at least 2"):
        find_label_errors(t, X, n_folds=1)
    with pytest.raises(ValueError, match="n_repeats is 0"):
        find_label_errors(t, X, n_repeats=0)
    with pytest.raises(TypeError, match="expected a TripletSet"):
        find_label_errors([(0, 1, 2)], X)
    with pytest.raises(UnknownLeafError):
        find_label_errors(t, X[:10])
    with pytest.raises(ValueError, match="random_state must be"):
        find_label_errors(t, X, random_state=-1)
