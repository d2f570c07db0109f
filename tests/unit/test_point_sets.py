import numpy as np
import pytest
from refusals import Refusal, refusals
from sklearn.cluster import KMeans
from sklearn.metrics import rand_score

from tripletree.datasets import make_cell_walls, make_circles, make_storm_clouds, make_xor

MAKERS = [make_circles, make_cell_walls, make_xor, make_storm_clouds]
each_maker = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)


@each_maker
@pytest.mark.parametrize(
    ("n_samples", "sizes"), [(2, (1, 1)), (7, (4, 3)), (200, (100, 100)), ((3, 8), (3, 8)), (np.array([5, 1]), (5, 1))]
)
def test_maker__counts_of_classes(make, n_samples, sizes):
    X, y = make(n_samples, random_state=0)
    assert (X.shape, X.dtype) == ((sum(sizes), 2), np.float64)
    assert (y.dtype, np.bincount(y).tolist()) == (np.int64, list(sizes))
    assert np.isfinite(X).all()


@each_maker
def test_maker__the_same_again_from_the_same_state(make):
    first = make(50, random_state=3)
    assert all(np.array_equal(a, b) for a, b in zip(first, make(50, random_state=3), strict=True))
    assert not np.array_equal(first[0], make(50, random_state=4)[0])
    assert not np.array_equal(make()[0], make()[0])
    rng = np.random.default_rng(3)
    assert np.array_equal(first[0], make(50, random_state=rng)[0])
    assert not np.array_equal(first[0], make(50, random_state=rng)[0])
    for seed in (np.random.RandomState(3), np.int64(3)):
        assert make(50, random_state=seed)[0].shape == (50, 2)


@each_maker
def test_maker__order_tells_nothing_of_classes(make):
    _, y = make(1000, random_state=0)
    assert 450 < (y[1:] != y[:-1]).sum() < 550
    assert 220 < y[:500].sum() < 280


@each_maker
def test_maker__noise_is_added_and_nothing_else_changes(make):
    """Twice the noise is twice as far from the points without any. Nothing else is drawn otherwise."""
    (X, y), (once, y_once), (twice, _) = (make(300, noise=noise, random_state=1) for noise in (0, 0.1, 0.2))
    assert np.array_equal(y, y_once)
    np.testing.assert_allclose(twice - X, 2 * (once - X), atol=1e-12)
    moved = (once - X)[:, [1]] if make is make_storm_clouds else once - X
    assert moved.std() == pytest.approx(0.1, rel=0.1)


@each_maker
def test_maker__classes_are_not_what_k_means_finds(make):
    for seed in range(3):
        X, y = make(random_state=seed)
        assert rand_score(y, KMeans(2, n_init=5, random_state=0).fit(X).labels_) < 0.65


def test_circles__are_rings():
    X, y = make_circles(500, noise=0, random_state=0)
    np.testing.assert_allclose(np.hypot(*X.T), np.where(y == 0, 1, 0.5))
    for c in (0, 1):  # all around: in each eighth of the ring
        eighth = np.floor(np.arctan2(*X[y == c].T) / (np.pi / 4)).astype(int) % 8
        assert np.bincount(eighth, minlength=8).min() > 15
    X, y = make_circles(50, noise=0, factor=0.25, random_state=0)
    np.testing.assert_allclose(np.hypot(*X[y == 1].T), 0.25)


def test_cell_walls__are_two_walls_around_two_nuclei():
    X, y = make_cell_walls(400, noise=0, random_state=0)
    right = X[:, 0] > 0
    assert [[(right & (y == c)).sum(), (~right & (y == c)).sum()] for c in (0, 1)] == [[100, 100], [100, 100]]
    radius = np.hypot(np.abs(X[:, 0]) - 1.1, X[:, 1])
    np.testing.assert_allclose(radius[y == 0], 1)
    inner = radius[y == 1]
    assert inner.max() <= 0.4
    assert (inner < 0.2).mean() == pytest.approx(1 / 4, abs=0.07)  # evenly filled: a quarter in half the radius
    assert X[:, 0].min() < -2
    assert X[:, 0].max() > 2


def test_xor__opposite_corners_are_one_class():
    X, y = make_xor((40, 22), noise=0, random_state=0)
    corners, counts = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    assert corners.tolist() == [[-1, -1, 0], [-1, 1, 1], [1, -1, 1], [1, 1, 0]]
    assert counts.tolist() == [20, 11, 11, 20]
    X, y = make_xor(20_000, random_state=0)
    assert ((X.prod(axis=1) < 0) != (y == 1)).mean() == pytest.approx(1 / 80, rel=0.2)


def test_storm_clouds__are_long_and_one_above_the_other():
    X, y = make_storm_clouds(2000, random_state=0)
    for c, height in ((0, 0.75), (1, -0.75)):
        assert X[y == c].mean(axis=0) == pytest.approx([0, height], abs=0.15)
        assert X[y == c].std(axis=0) == pytest.approx([2, 0.25], rel=0.1)
    X, _ = make_storm_clouds(noise=0, length=0, random_state=0)
    assert np.unique(X, axis=0).tolist() == [[0, -0.75], [0, 0.75]]


@each_maker
@pytest.mark.parametrize(
    ("n_samples", "error", "said"),
    [
        (1, ValueError, "n_samples is 1; it must be at least 2"),
        (-5, ValueError, "n_samples is -5"),
        (10.5, TypeError, "n_samples must be a whole number, not 10.5"),
        ("ten", TypeError, "n_samples must be a whole number, not 'ten'"),
        (True, TypeError, "n_samples must be a whole number"),
        ((3, 0), ValueError, r"n_samples\[1\] is 0; it must be at least 1"),
        ((1, 2, 3), ValueError, "n_samples has 3 entries; give one number, or two, for classes 0 and 1"),
    ],
)
def test_maker__wrong_numbers_of_samples_are_refused(make, n_samples, error, said):
    with pytest.raises(error, match=said):
        make(n_samples)


@each_maker
@pytest.mark.parametrize(
    ("noise", "error", "said"),
    [
        (-0.1, ValueError, "noise is -0.1; it must be at least 0, and finite"),
        (np.nan, ValueError, "noise is nan"),
        (np.inf, ValueError, "noise is inf"),
        (None, TypeError, "noise must be a number, not None"),
        (True, TypeError, "noise must be a number, not True"),
    ],
)
def test_maker__wrong_noise_is_refused(make, noise, error, said):
    with pytest.raises(error, match=said):
        make(noise=noise)


test_point_sets__refused = refusals(
    "maker: other wrong values",
    Refusal(lambda: make_circles(factor=1.5), ValueError, r"factor is 1.5; it must be in 0\.\.1"),
    Refusal(lambda: make_storm_clouds(length=-1), ValueError, "length is -1; it must be at least 0"),
    Refusal(lambda: make_xor(100, 0.1), TypeError, "positional argument"),
    Refusal(lambda: make_xor(random_state=-1), ValueError, "random_state must be"),
)
