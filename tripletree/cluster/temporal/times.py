"""When observations were made: times as they are given, checked, as values that sort, and as they are told again."""

from __future__ import annotations

import datetime
import warnings
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

from tripletree.errors import InvalidTimesError

__all__ = [
    "ATTOSECONDS",
    "Times",
    "check_times",
    "in_days",
    "missing",
]

#: Units of dates in attoseconds, the finest that numpy has: whole numbers of Python, which never overflow.
_SECOND = 10**18
ATTOSECONDS = {"W": 604_800 * _SECOND, "D": 86_400 * _SECOND, "h": 3_600 * _SECOND, "m": 60 * _SECOND, "s": _SECOND}
ATTOSECONDS |= {name: 10 ** (15 - 3 * i) for i, name in enumerate(("ms", "us", "ns", "ps", "fs", "as"))}


@dataclass(frozen=True, eq=False)
class Times:
    """One time for each observation.

    Attributes
    ----------
    values : ndarray of int64, uint64, object (int beyond these), float64, datetime64 or str, shape (n,)
        They sort by time.
    names : tuple or None
        Ordered categories, where `values` are their numbers.
    """

    values: np.ndarray
    names: tuple | None = None

    @cached_property
    def _number(self) -> dict:
        return {name: i for i, name in enumerate(self.names or ())}

    @property
    def kind(self) -> str:
        """What they are: "i" whole numbers, "f" other numbers, "M" dates, "U" text, "C" ordered categories."""
        return (
            "C" if self.names is not None else {"u": "i", "O": "i"}.get(self.values.dtype.kind, self.values.dtype.kind)
        )

    def told(self, value: Any) -> Any:
        """One of the values as users see it: a number or text of Python, a datetime64, or a category."""
        if self.names is not None:
            return self.names[int(value)]
        return value if isinstance(value, np.datetime64) or not hasattr(value, "item") else value.item()

    def place(self, key: Any) -> Any:
        """Where a time lies among these, to compare with other places; nothing is cut or rounded. None: nowhere."""
        if self.names is not None:
            try:
                return self._number.get(key)
            except TypeError:  # cannot be hashed
                return None
        if missing(key):
            return None
        if self.kind == "M":
            return _instant(key)
        if self.kind == "U":
            return str(key) if isinstance(key, str) else None
        number = key.item() if isinstance(key, np.generic) else key
        return number if isinstance(number, Real) and not isinstance(number, bool) else None


def missing(x: Any) -> bool:
    """Whether a value stands for none: None, NaN, NaT, NA."""
    if x is None or type(x).__name__ in {"NAType", "NaTType"}:
        return True
    try:
        return bool(x != x)
    except (TypeError, ValueError):
        return False


def check_times(times: Any, n: int) -> Times:
    """The times of n observations.

    Parameters
    ----------
    times : array_like
        Numbers, dates, periods, text or ordered categories. Dates with a time zone become instants in UTC, periods
        their start.
    n : int

    Returns
    -------
    Times

    Raises
    ------
    InvalidTimesError
        If there are not n of them, if some are missing, or they are neither numbers, dates nor text of one kind.
    """
    names = _ordered_categories(times)
    if names is not None:
        given = times.tolist() if hasattr(times, "tolist") else list(times)
        _check_shape(np.shape(given), n)
        _check_present(np.array([missing(x) for x in given], bool), given)
        number = {name: i for i, name in enumerate(names)}
        return Times(np.fromiter((number[x] for x in given), np.int64, n), names)
    times = _without_zone(times)
    values = _as_array(times)
    _check_shape(values.shape, n)
    if values.dtype.kind == "O":
        values = _from_objects(values)
    kind = values.dtype.kind
    if kind == "b":
        values = values.astype(np.int64)
    elif kind in "iu":
        values = values.astype(np.uint64 if kind == "u" and values.max(initial=0) > 2**63 - 1 else np.int64)
    elif kind == "f":
        values = values.astype(np.float64)
    elif kind not in "MUO":
        msg = f"times must be numbers, dates or text that sorts by time, not {values.dtype}"
        raise InvalidTimesError(msg)
    if kind in "fMU":
        _check_present(values == "" if kind == "U" else ~np.isfinite(values), values)
    return Times(values)


def _check_shape(shape: tuple, n: int) -> None:
    if shape != (n,):
        hint = "; of a table give one column, table['date']" if len(shape) == 2 else ""
        msg = f"times must hold one time for each of the {n} rows of X; got shape {shape}{hint}"
        raise InvalidTimesError(msg)


def _check_present(lost: np.ndarray, values: Any) -> None:
    if lost.any():
        row = int(np.flatnonzero(lost)[0])
        told = str(values[row]) if isinstance(values[row], np.generic) else repr(values[row])
        msg = f"the time of row {row} is missing ({told}; {int(lost.sum())} in all): leave such rows out"
        raise InvalidTimesError(msg, row=row)


def _ordered_categories(times: Any) -> tuple | None:
    """The categories of a column that has an order of them (pandas, or an Enum of polars), else None."""
    dtype: Any = getattr(times, "dtype", None)
    if getattr(dtype, "ordered", False) is True and hasattr(dtype, "categories"):
        return tuple(dtype.categories.tolist())
    if type(dtype).__name__ == "Enum" and type(dtype).__module__.startswith("polars"):
        return tuple(dtype.categories.to_list())
    return None


def _without_zone(times: Any) -> Any:
    """Columns and indexes of pandas with a time zone in UTC, and periods as their starts."""
    dates = getattr(times, "dt", times)
    if getattr(dates, "tz", None) is not None and hasattr(dates, "tz_convert"):
        return dates.tz_convert(None)
    if type(getattr(times, "dtype", None)).__name__ == "PeriodDtype" and hasattr(dates, "to_timestamp"):
        return dates.to_timestamp()
    return times


def _as_array(times: Any) -> np.ndarray:
    try:
        return np.asarray(times, dtype=object if isinstance(times, (list, tuple)) else None)
    except (TypeError, ValueError) as error:
        msg = f"times must be one-dimensional, a time for each row of X ({error})"
        raise InvalidTimesError(msg) from None


def _from_objects(values: np.ndarray) -> np.ndarray:
    """Python dates, numbers or text as an array of one kind."""
    given = values.tolist()
    _check_present(np.array([missing(x) for x in given], bool), given)
    if all(isinstance(x, (Integral, np.bool_)) for x in given):
        whole = [int(x) for x in given]
        return values.astype(np.int64) if min(whole) >= -(2**63) and max(whole) < 2**63 else np.array(whole, object)
    if all(isinstance(x, str) for x in given):
        return np.array(given, dtype=str)
    found: Any = None
    if all(isinstance(x, (datetime.date, np.datetime64)) or hasattr(x, "to_timestamp") for x in given):
        found = _dates(given)
    elif not any(isinstance(x, str) for x in given):
        try:
            found = np.asarray(given)
        except (TypeError, ValueError, OverflowError):
            found = None
    if found is None or found.dtype.kind not in "fM" or found.shape != values.shape:
        kinds = sorted({type(x).__name__ for x in given})
        msg = f"times must be numbers, dates or text, all of one kind; got {', '.join(kinds)}"
        raise InvalidTimesError(msg)
    return found


def _dates(given: list) -> np.ndarray:
    """Dates of Python, numpy and pandas; all with a time zone, or none."""
    aware = np.array([getattr(x, "tzinfo", None) is not None for x in given])
    if aware.any() and not aware.all():
        yes, no = int(np.flatnonzero(aware)[0]), int(np.flatnonzero(~aware)[0])
        msg = (
            f"some times have a time zone (row {yes}: {given[yes]!s}), others not (row {no}: {given[no]!s}): which is "
            "earlier cannot be told; give all of them one, or none"
        )
        raise InvalidTimesError(msg, row=no if no > yes else yes)
    found = np.array([_datetime64(x) for x in given])
    if any(_attoseconds(a) != _attoseconds(_datetime64(b)) for a, b in zip(found, given, strict=True)):
        msg = f"times from {min(found)!s} to {max(found)!s} are too far apart for the finest of their units"
        raise InvalidTimesError(msg)
    return found


def _datetime64(x: Any) -> np.datetime64:
    """A date of Python, numpy or pandas, in UTC where it has a time zone."""
    if hasattr(x, "to_timestamp"):  # a period
        x = x.to_timestamp()
    if getattr(x, "tzinfo", None) is not None:
        x = x.astimezone(datetime.UTC).replace(tzinfo=None)
    return x.to_datetime64() if hasattr(x, "to_datetime64") else np.datetime64(x)


def in_days(values: Any) -> Any:
    """Years and months as the days on which they begin, other dates as they are."""
    if np.datetime_data(values.dtype)[0] not in "YM":
        return values
    days = values.astype("datetime64[D]")
    if (days.astype(values.dtype) != values).any():
        msg = f"times from {values.min()!s} to {values.max()!s} are out of the range of days"
        raise InvalidTimesError(msg)
    return days


def _attoseconds(date: np.datetime64) -> int:
    """When that is, from 1970 on."""
    date = in_days(date)
    unit, count = np.datetime_data(date.dtype)
    return int(date.astype(np.int64)) * count * ATTOSECONDS[unit]


def _instant(key: Any) -> int | None:
    """When a date is, or text that tells one; None for what is no date."""
    if not (isinstance(key, (str, datetime.date, np.datetime64)) or hasattr(key, "to_timestamp")):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of numpy, about time zones in text
        try:
            date = _datetime64(key)
            return None if np.isnat(date) else _attoseconds(date)
        except (ValueError, Warning):
            return None
