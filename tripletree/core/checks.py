"""Checks of numbers and words given as arguments, and words for messages.

The check that a value is of some class stands beside the class.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Sequence
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np

#: A path that is longer is not repeated in a message.
_LONGEST_PATH = 80


def as_positions(which: Any) -> Any:
    """Return a choice of rows as an index of numpy's: a slice, a mask, or positions (an empty list: no rows)."""
    if isinstance(which, slice):
        return which
    which = np.atleast_1d(which)
    return which if which.size or which.dtype == np.bool_ else which.astype(np.int64)


def check_call(function: Callable[..., Any], call: str, n_arguments: int, hint: str = "") -> None:
    """Raise a TypeError that shows the `call` unless a function takes `n_arguments` arguments by position."""
    try:
        takes = signature(function)
    except (TypeError, ValueError):  # some functions in C have no signature
        return
    try:
        takes.bind(*range(n_arguments))
    except TypeError:
        msg = f"expected {call}; this one takes {takes}{hint}"
        raise TypeError(msg) from None


def check_choice(value: Any, what: str, choices: Sequence[str | None]) -> None:
    """Raise a ValueError unless `value` is one of some words."""
    known = value is None or isinstance(value, str)  # to compare an array with a word gives an array
    if not known or value not in choices:
        listed = " or ".join(map(repr, choices)) if len(choices) < 3 else f"one of {', '.join(map(repr, choices))}"
        msg = f"{what} must be {listed}, not {' '.join(repr(value).split()):.60}"
        raise ValueError(msg)


def check_count(value: Any, name: str, least: int = 0) -> int:
    """Return `value` as an int of at least `least`, or raise a TypeError or ValueError that names the argument."""
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


def check_entries(values: Any, name: str) -> list:
    """Return the entries of an iterable, or raise a TypeError that names the argument."""
    try:
        return list(values)
    except TypeError:
        msg = f"{name} must be a list or another iterable, not {described(values)}"
        raise TypeError(msg) from None


def check_numbers(values: Any, n: int, what: str, things: str, error: type[ValueError]) -> np.ndarray:
    """Return a number for each of n things as float64, or raise an `error` that names the argument."""
    try:
        given = np.asarray(values)
        numbers = np.array(given.tolist() if given.dtype.kind == "c" else given, np.float64)  # complex lists fail
    except (TypeError, ValueError):
        msg = f"{what} must be numbers, one for each of the {n} {things}, not {described(values)}"
        raise error(msg) from None
    if numbers.shape != (n,):
        msg = f"{what} must have one entry for each of the {n} {things}; got shape {numbers.shape}"
        raise error(msg)
    return numbers


def check_real(value: Any, name: str, *, least: float = 0.0, most: float = np.inf) -> float:
    """Return `value` as a finite float in least..most, or raise a TypeError or ValueError that names the argument."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        msg = f"{name} must be a number, not {value!r}"
        raise TypeError(msg)
    number = float(value)
    if not (np.isfinite(number) and least <= number <= most):
        bound = "" if least == -np.inf else f"at least {least:g}, and "
        allowed = f"{bound}finite" if most == np.inf else f"in {least:g}..{most:g}"
        msg = f"{name} is {value!r}; it must be {allowed}"
        raise ValueError(msg)
    return number


def check_support(support: Any, inner: int) -> np.ndarray:
    """Return the support of `inner` inner nodes as float64, or raise a ValueError that tells how it must be."""
    return _check_support(support, inner, several=False, error=ValueError)


def check_supports(support: Any, inner: int, error: type[ValueError]) -> np.ndarray:
    """`check_support`, with several numbers for each inner node allowed: a new float64 array with a row for each."""
    values = _check_support(support, inner, several=True, error=error)
    return np.array(values.reshape(inner, -1) if inner else values.reshape(0, 1))


def _check_support(support: Any, inner: int, *, several: bool, error: type[ValueError]) -> np.ndarray:
    try:
        values = np.asarray(support, np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    rows = several and values.ndim == 2 and values.shape[0] == inner and values.shape[1] > 0
    if not (values.shape == (inner,) or rows) or np.isinf(values).any():
        shape = "infinite values" if values.shape == (inner,) or rows else f"shape {values.shape}"
        msg = f"support must be {inner} finite numbers or NaN, one for each inner node, not an array of {shape}"
        raise error(msg)
    return values


def column_names(X: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame, or of a table of Arrow, or None for anything else."""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    return None if names is None or not hasattr(X, "__getitem__") else list(names)


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "leaf", "leaves"), counted(1200, "sample")
    ('1 leaf', '1,200 samples')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def is_missing(x: Any) -> bool:
    """Tell whether a value is missing: None, NaN, NaT, or pandas.NA, which has no truth value."""
    try:
        return x is None or type(x).__name__ == "NAType" or bool(x != x)
    except (ArithmeticError, TypeError, ValueError):  # lists of numpy's or polars', signalling NaN
        return False


def described(value: Any) -> str:
    """Describe a value by its type and the start of its repr, in one line, for messages."""
    return f"{type(value).__name__} ({' '.join(repr(value).split()):.60})"


def where_to_read(value: Any, kind: str) -> str:
    """Return, for a message, the function that reads a kind of knowledge, if a value is a file or its path."""
    if not isinstance(value, (str, bytes, os.PathLike)) and not hasattr(value, "read"):
        return ""
    path = repr(os.fspath(value)) if isinstance(value, (str, os.PathLike)) else "path"
    return f": read_{kind}({path if len(path) < _LONGEST_PATH else 'path'}) reads a file"


def row_count(X: Any) -> int:
    """Return how many rows X has, or raise a TypeError if it is not a table."""
    refuse_lazy(X)
    try:
        return X.shape[0] if getattr(X, "shape", ()) else len(X)
    except TypeError:
        msg = f"X must hold numbers, a row for each sample, not {described(X)}"
        raise TypeError(msg) from None


def refuse_lazy(frame: Any) -> None:
    """Refuse a query of polars that has not been carried out: it has no rows yet."""
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):
        msg = f"a {type(frame).__name__} is a query, not yet a table: give what .collect() returns"
        raise TypeError(msg)
