"""The times of observations: checked, and as values that sort. Dates are `datetime64[ns]`, everything else as given."""

from __future__ import annotations

import datetime
import warnings
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

from tripletree.core.checks import is_missing
from tripletree.errors import InvalidTimesError


@dataclass(frozen=True, eq=False)
class Times:
    """One time for each observation.

    Attributes
    ----------
    values : ndarray of int64, float64, datetime64[ns] or str, shape (n,)
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
        """The kind of values: "i" whole numbers, "f" other numbers, "M" dates, "U" text, "C" ordered categories."""
        return "C" if self.names is not None else self.values.dtype.kind

    def shown(self, value: Any) -> Any:
        """One of the values as users see it: a number or text of Python, a datetime64, or a category."""
        if self.names is not None:
            return self.names[int(value)]
        return value if isinstance(value, np.datetime64) or not hasattr(value, "item") else value.item()

    def place(self, key: Any) -> Any:
        """Return a number or text that compares with the places of other times, or None if `key` can be no such time.

        Nothing is cut or rounded: among days, "2002-05" is not taken for one near "2002-05-03".
        """
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
    """Tell whether a value is None, NaN, NaT or NA."""
    try:
        return is_missing(x)
    except (TypeError, ValueError):
        return False


def check_times(times: Any, n: int) -> Times:
    """Return the times of n observations.

    Parameters
    ----------
    times : array_like
        Numbers, dates, periods, text or ordered categories. Dates with a time zone become instants in UTC, periods
        their start.
    n : int

    Returns
    -------
    Times
    """
    names = _ordered_categories(times)
    if names is not None:
        given = times.tolist() if hasattr(times, "tolist") else list(times)
        _check_shape(np.shape(given), n)
        _check_present(np.array([missing(x) for x in given], bool), given)
        number = {name: i for i, name in enumerate(names)}
        return Times(np.fromiter((number[x] for x in given), np.int64, n), names)
    values = _as_array(_without_zone(times))
    _check_shape(values.shape, n)
    if values.dtype.kind == "O":
        values = _from_objects(values)
    kind = values.dtype.kind
    if kind == "u" and values.max(initial=0) >= 2**63:
        row = int(values.argmax())
        raise InvalidTimesError(_too_large(values[row], row), row=row)
    if kind in "biu":
        return Times(values.astype(np.int64))
    if kind not in "fMU":
        msg = f"times must be numbers, dates or text that sorts by time; got an array of {values.dtype}"
        raise InvalidTimesError(msg)
    _check_present(values == "" if kind == "U" else ~np.isfinite(values), values)
    if kind == "f":
        return Times(values.astype(np.float64))
    return Times(_in_nanoseconds(values) if kind == "M" else values)


def _too_large(number: Any, row: int) -> str:
    return (
        f"the time of row {row} is {number!s}, which does not fit a whole number of 64 bits: count from a later zero, "
        "in a coarser unit, or give floats"
    )


def _check_shape(shape: tuple, n: int) -> None:
    if shape != (n,):
        hint = "; of a table give one column, table['date']" if len(shape) == 2 else ""
        msg = f"times must hold one time for each of the {n} rows of X; got shape {shape}{hint}"
        raise InvalidTimesError(msg)


def _check_present(lost: np.ndarray, values: Any) -> None:
    if lost.any():
        row = int(np.flatnonzero(lost)[0])
        shown = str(values[row]) if isinstance(values[row], np.generic) else repr(values[row])
        msg = f"the time of row {row} is missing ({shown}; {int(lost.sum())} in all): leave such rows out"
        raise InvalidTimesError(msg, row=row)


def _ordered_categories(times: Any) -> tuple | None:
    """Return the categories of a column that has an order of them (pandas, or an Enum of polars), else None."""
    dtype: Any = getattr(times, "dtype", None)
    if getattr(dtype, "ordered", False) is True and hasattr(dtype, "categories"):
        return tuple(dtype.categories.tolist())
    if type(dtype).__name__ == "Enum" and type(dtype).__module__.startswith("polars"):
        return tuple(dtype.categories.to_list())
    return None


def _without_zone(times: Any) -> Any:
    """Return columns and indexes of pandas with a time zone in UTC, and periods as their starts."""
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
        row = next((i for i, x in enumerate(given) if not -(2**63) <= int(x) < 2**63), None)
        if row is not None:
            raise InvalidTimesError(_too_large(given[row], row), row=row)
        return values.astype(np.int64)
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
    """Return dates of Python, numpy and pandas, all with a time zone or all without."""
    aware = np.array([getattr(x, "tzinfo", None) is not None for x in given])
    if aware.any() and not aware.all():
        yes, no = int(np.flatnonzero(aware)[0]), int(np.flatnonzero(~aware)[0])
        msg = (
            f"some times have a time zone (row {yes}: {given[yes]!s}), others not (row {no}: {given[no]!s}), so "
            "they cannot be compared: give all of them a time zone, or none"
        )
        raise InvalidTimesError(msg, row=no if no > yes else yes)
    found = [_datetime64(x) for x in given]
    return np.array([_in_nanoseconds(np.array([x]), row=i)[0] for i, x in enumerate(found)])


def _in_nanoseconds(dates: np.ndarray, row: int = 0) -> np.ndarray:
    """Dates as datetime64[ns]. Years and months as the days on which they begin. `row` is the row of the first."""
    try:
        with np.errstate(all="ignore"):
            found = dates.astype("datetime64[ns]")
    except OverflowError:  # from numpy 2.5 on
        found = np.array([_nanosecond(x) for x in dates])
    lost = found.astype(dates.dtype) != dates  # older ones wrap around, and all cut finer times, without a word
    if lost.any():
        i = int(lost.argmax())
        msg = (
            f"the time of row {row + i} is {dates[i]!s}: dates are held as datetime64[ns], so they must lie from "
            "1677-09-22 to 2262-04-11 and not be finer than nanoseconds; give others as plain numbers, such as years"
        )
        raise InvalidTimesError(msg, row=row + i)
    return found


def _nanosecond(date: np.datetime64) -> np.datetime64:
    """Return a date as datetime64[ns]. Not a time if it is out of range."""
    try:
        return date.astype("datetime64[ns]")
    except OverflowError:
        return np.datetime64("NaT", "ns")


def _datetime64(x: Any) -> np.datetime64:
    """Return a date of Python, numpy or pandas, in UTC if it has a time zone."""
    if hasattr(x, "to_timestamp"):  # a period
        x = x.to_timestamp()
    if getattr(x, "tzinfo", None) is not None:
        x = x.astimezone(datetime.UTC).replace(tzinfo=None)
    return x.to_datetime64() if hasattr(x, "to_datetime64") else np.datetime64(x)


def _instant(key: Any) -> int | None:
    """Return a date, or text that holds one, in nanoseconds from 1970 on. None for anything else."""
    if not (isinstance(key, (str, datetime.date, np.datetime64)) or hasattr(key, "to_timestamp")):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of numpy, about time zones in text
        try:
            date = _datetime64(key)
            return None if np.isnat(date) else int(_in_nanoseconds(np.array([date]))[0].astype(np.int64))
        except (ValueError, Warning):  # an InvalidTimesError is a ValueError
            return None
