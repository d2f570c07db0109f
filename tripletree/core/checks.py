"""Checks of arguments that many functions share: numbers and words. The check for a class stands beside the class."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

__all__ = ["check_choice", "check_count", "check_real", "described"]


def check_choice(value: Any, what: str, choices: Sequence[str]) -> None:
    """Refuse what is none of some words."""
    if value not in choices:
        msg = f"{what} must be {' or '.join(map(repr, choices))}, not {value!r}"
        raise ValueError(msg)


def check_count(value: Any, name: str, least: int = 0) -> int:
    """Return `value` as an int of at least `least`; a clear TypeError or ValueError otherwise."""
    if isinstance(value, (bool, np.bool_)):
        msg = f"{name} must be a whole number, not {value!r}"
        raise TypeError(msg)
    try:
        count = operator.index(value)
    except TypeError:
        msg = f"{name} must be a whole number, not {value!r}"
        raise TypeError(msg) from None
    if count < least:
        msg = f"{name} is {count}; it must be at least {least}"
        raise ValueError(msg)
    return count


def check_real(value: Any, name: str, *, least: float = 0.0, most: float = np.inf) -> float:
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


def described(value: Any) -> str:
    """The type of a value and its beginning, for messages."""
    return f"{type(value).__name__} ({value!r:.60})"
