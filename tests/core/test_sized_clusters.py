"""The cheapest clusters of given sizes, against all assignments and against an integer program."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import eye, kron

from tripletree._core import engine


def checked(cost, least, most):
    """The cost of the clusters found, which are of the sizes asked for."""
    n, k = cost.shape
    label = engine.sized_clusters.assign_sized(cost, least, most)
    size = np.bincount(label, minlength=k)
    assert label.shape == (n,)
    assert least <= size.min()
    assert size.max() <= most
    return cost[np.arange(n), label].sum()


def test_assign_sized__is_the_cheapest_of_all_assignments(rng):
    for n, k in ((1, 1), (4, 1), (4, 4), (5, 2), (6, 3), (5, 4)):
        every = np.array(list(product(range(k), repeat=n)))
        size = (every[:, :, None] == np.arange(k)).sum(axis=1)
        for cost in (rng.random((n, k)), rng.integers(-2, 3, (n, k)) * 1.0, np.zeros((n, k))):
            total = cost[np.arange(n), every].sum(axis=1)
            for least in range(n // k + 1):
                for most in range(-(-n // k), n + 1):
                    wanted = total[(size.min(axis=1) >= least) & (size.max(axis=1) <= most)].min()
                    assert checked(cost, least, most) == pytest.approx(wanted)


@pytest.mark.parametrize("skew", [0.0, 0.3, 1.0])
def test_assign_sized__is_the_optimum_of_an_integer_program(rng, skew):
    for n, k, least, most in ((60, 3, 20, 20), (90, 6, 10, 90), (90, 6, 0, 17), (120, 8, 14, 16), (150, 2, 0, 75)):
        cost = rng.random((n, k)) + skew * np.arange(k)  # nearly all in the first clusters: heaps must grow
        rules = [LinearConstraint(kron(eye(n), np.ones((1, k))), 1, 1)]
        rules.append(LinearConstraint(kron(np.ones((1, n)), eye(k)), least, most))
        wanted = milp(cost.ravel(), bounds=Bounds(0, 1), constraints=rules).fun
        assert checked(cost, least, most) == pytest.approx(wanted)


@pytest.mark.parametrize(("least", "most"), [(5, 7), (0, 3), (-1, 7), (0, -1)])
def test_assign_sized__refuses_sizes_that_cannot_be(rng, least, most):
    with pytest.raises(ValueError, match="clusters of these sizes hold all samples"):
        engine.sized_clusters.assign_sized(rng.random((20, 5)), least, most)
