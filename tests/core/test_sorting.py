"""The stable order of whole numbers in the compiled core."""

import numpy as np
import pytest

from tripletree._core import engine
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit


@pytest.mark.parametrize("size", [0, 1, 2, 1000])
@pytest.mark.parametrize("most", [1, 5, 2**11, 2**40, 2**63 - 1])
def test_sorting__the_order_is_that_of_a_stable_sort(size, most, rng):
    numbers = rng.integers(-most, most, size)
    order = engine.sorted_order(numbers)
    assert order.dtype == np.int64
    assert order.tolist() == np.argsort(numbers, kind="stable").tolist()


def test_sorting__other_shapes_are_refused():
    for wrong in (np.zeros((2, 2), np.int64), None, "12"):
        with pytest.raises(TypeError):
            engine.sorted_order(wrong)


def test_sorting__hears_of_limits_of_time(rng):
    numbers = rng.integers(-(2**62), 2**62, 6_000_000)
    with pytest.raises(TimeLimitError), time_limit(0.01):
        engine.sorted_order(numbers)
