from itertools import combinations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import rand_score

from tripletree.cluster import COPKMeans
from tripletree.datasets import make_lanes


def test_lanes__are_as_described():
    lanes = make_lanes(3, 30, random_state=1)
    X, y, pairs = lanes
    assert X.shape == (len(y), 2) == (len(pairs.leaves), 2)
    assert np.unique(y).tolist() == [0, 1, 2]
    assert np.abs(X[:, 1] - (y + 0.5) * 3.7).max() < 4 * 0.65
    assert -10 < X[:, 0].min() < 100
    assert 900 < X[:, 0].max() < 1010
    c, d = lanes.pairs.cannot_link.T
    assert (y[c] != y[d]).all()


def test_lanes__points_of_lanes_as_wide_as_the_limit_are_kept_apart():
    # "at least 4 m": the middles of two lanes next to each other
    X, y, pairs = make_lanes(3, 3, width=4, drift=0, noise=0, random_state=0)
    assert len(pairs.cannot_link) == sum(y[i] != y[j] for i, j in combinations(range(len(X)), 2))
    every = make_lanes(2, 2, apart=0, random_state=0).pairs.cannot_link
    n = make_lanes(2, 2, random_state=0).y.size
    assert len(every) == n * (n - 1) // 2


def test_lanes__pairs_are_those_of_the_definition():
    X, y, pairs = make_lanes(4, 12, changes=0.8, random_state=9)
    far = [(i, j) for i, j in combinations(range(len(X)), 2) if abs(X[i, 1] - X[j, 1]) >= 4]
    assert pairs.cannot_link.tolist() == [list(row) for row in far]
    a, b = pairs.must_link.T
    assert (b == a + 1).all()
    assert (y[a] == y[b]).all()
    jump = np.diff(X[:, 0])
    linked, stayed, changed = set(a.tolist()), 0, 0
    for trace in np.split(np.arange(len(X)), np.flatnonzero((jump < 15) | (jump > 45)) + 1):
        expected = set(trace[:-1].tolist()) if (y[trace] == y[trace[0]]).all() else set()
        assert linked & set(trace[:-1].tolist()) == expected
        stayed, changed = stayed + bool(expected), changed + (trace.size > 1 and not expected)
    assert stayed > 0
    assert changed > 3


def test_lanes__without_errors_lie_in_the_middle():
    X, y, pairs = make_lanes(2, 6, noise=0, drift=0, changes=0, width=5, length=100, step=10, random_state=0)
    np.testing.assert_allclose(X[:, 1], (y + 0.5) * 5)
    assert pairs.closure().n_components == 6  # one for each trace
    assert pairs.n_cannot == (y == 0).sum() * (y == 1).sum()
    assert make_lanes(1, 3, random_state=0).pairs.n_cannot == 0


def test_lanes__each_has_points_even_where_all_change():
    for seed in range(20):
        assert np.unique(make_lanes(4, 4, changes=1, random_state=seed).y).size == 4


def test_lanes__sizes_of_the_paper():
    sizes = [len(make_lanes(3, n, random_state=n).y) for n in (12, 100)]
    assert 100 < sizes[0] < 200
    assert 1000 < sizes[1] < 1250


def test_lanes__the_same_again_from_the_same_state():
    first, again, other = (make_lanes(random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert first.pairs == again.pairs
    assert first.X.shape != other.X.shape or not np.array_equal(first.X, other.X)


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"n_lanes": 0}, ValueError, "n_lanes is 0; it must be at least 1"),
        ({"n_lanes": 5, "n_traces": 4}, ValueError, "n_traces is 4; it must be at least 5"),
        ({"n_traces": 10.0}, TypeError, "n_traces must be a whole number"),
        ({"length": 0}, ValueError, "length is 0; it must be above 0"),
        ({"step": 0.0}, ValueError, "step is 0; it must be above 0"),
        ({"width": -1}, ValueError, "width is -1; it must be at least 0"),
        ({"drift": "much"}, TypeError, "drift must be a number, not 'much'"),
        ({"noise": np.nan}, ValueError, "noise is nan"),
        ({"changes": 1.1}, ValueError, r"changes is 1.1; it must be in 0\.\.1"),
        ({"apart": -4}, ValueError, "apart is -4"),
        ({"random_state": "x"}, TypeError, "random_state must be"),
    ],
)
def test_lanes__wrong_values_are_refused(wrong, error, said):
    with pytest.raises(error, match=said):
        make_lanes(**wrong)


def test_lanes__worked_example_plain_k_means_and_constrained():
    """As in the paper: 58 % without constraints, 98.6 % with. Here over four roads, the number of lanes chosen."""
    plain, constrained = [], []
    for seed in range(4):
        X, y, pairs = make_lanes(n_traces=20, random_state=seed)
        plain.append(rand_score(y, KMeans(3, n_init=5, random_state=0).fit(X).labels_))
        model = COPKMeans(range(1, 7), geometry="segment", n_init=5, random_state=0).fit(X, pairs=pairs)
        constrained.append(rand_score(y, model.labels_))
    assert 0.5 < np.mean(plain) < 0.66
    assert np.mean(constrained) > 0.95
