"""A check of numbers that the generators share."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

__all__ = ["expect_real"]


def expect_real(value: Any, name: str, *, least: float = 0.0, most: float = np.inf) -> float:
    """Return `value` as a finite float in least..most; a clear TypeError or ValueError otherwise."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        msg = f"{name} must be a number, not {value!r}"
        raise TypeError(msg)
    number = float(value)
    if not (np.isfinite(number) and least <= number <= most):
        wanted = f"at least {least:g}, and finite" if most == np.inf else f"in {least:g}..{most:g}"
        msg = f"{name} is {value!r}; it must be {wanted}"
        raise ValueError(msg)
    return number
