"""Random generators from ``random_state``, and samples of distinct integers from a huge range."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree._core import engine


def generator(random_state: Any) -> np.random.Generator:
    """Return a numpy Generator from None (fresh entropy), an int, a Generator or a RandomState."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        msg = f"random_state must be None, an int >= 0 or a numpy Generator or RandomState, not {random_state!r}"
        raise type(error)(msg) from None


def distinct_integers(rng: np.random.Generator, total: int, size: int) -> np.ndarray:
    """Draw ``size`` different integers from 0..total-1 (total < 2**63), every subset equally likely.

    Time and memory O(size): up to half of the range, values are drawn until there are ``size`` different ones. Beyond,
    the start of a random permutation is taken.
    """
    if 2 * size > total:
        return rng.permutation(total)[:size]
    drawn = np.empty(0, np.int64)
    while drawn.size < size:
        more = rng.integers(0, total, size=int(1.1 * (size - drawn.size)) + 16, dtype=np.int64)
        drawn = np.concatenate([drawn, more])
        order = engine.sorted_order(drawn)
        again = np.zeros(drawn.size, np.bool_)
        again[order[1:]] = np.diff(drawn[order]) == 0
        drawn = drawn[~again]
    return drawn[:size]
