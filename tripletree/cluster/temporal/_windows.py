"""Observations cut into snapshots: windows of time, overlapping or not, and one row for each object in each of them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from tripletree.errors import InvalidTimesError
from tripletree.leaves import LeafIndex

__all__ = ["Window", "checked_times", "object_index", "observed", "windows"]

#: Windows that a series may have: more are taken for a slip in their unit.
MOST_WINDOWS = 100_000


@dataclass(frozen=True, eq=False)
class Window:
    """A stretch of time and what was observed in it.

    Attributes
    ----------
    start, end : number, datetime64 or str
        From `start` on, up to but not including `end`; both are the same where a window is one point of time.
    rows : ndarray of int64
        The observations in it, in the order of their times.
    """

    start: Any
    end: Any
    rows: np.ndarray


def checked_times(times: Any, n: int) -> np.ndarray:
    """The times of n observations as an array of numbers, datetime64 or str.

    Raises
    ------
    InvalidTimesError
        If there are not n of them, if some are missing, or they are neither numbers, dates nor text.
    """
    # a column of pandas with a time zone gives Timestamps, whose instants in UTC are taken
    if hasattr(getattr(times, "dt", None), "tz") and times.dt.tz is not None:
        times = times.dt.tz_convert(None)
    values = np.asarray(times, dtype=object if isinstance(times, (list, tuple)) else None)
    if values.shape != (n,):
        msg = f"times must hold one time for each of the {n} rows of X; got shape {values.shape}"
        raise InvalidTimesError(msg)
    if values.dtype.kind == "O":
        values = _from_objects(values)
    if values.dtype.kind in "iub":
        values = values.astype(np.int64)
    if values.dtype.kind not in "ifMU":
        msg = f"times must be numbers, dates or text that sorts by time, not {values.dtype}"
        raise InvalidTimesError(msg)
    lost = np.flatnonzero(~np.isfinite(values)) if values.dtype.kind in "fM" else np.flatnonzero(values == "")
    if lost.size:
        msg = f"the time of row {lost[0]} is missing ({values[lost[0]]!s}; {lost.size} in all): leave such rows out"
        raise InvalidTimesError(msg, row=int(lost[0]))
    return values


def _from_objects(values: np.ndarray) -> np.ndarray:
    """Python dates, numbers or text as an array of one kind."""
    lost = [k for k, x in enumerate(values.tolist()) if x is None or x != x]
    if lost:
        msg = f"the time of row {lost[0]} is missing ({values[lost[0]]!r}; {len(lost)} in all): leave such rows out"
        raise InvalidTimesError(msg, row=lost[0])
    plain = np.asarray(values.tolist())
    texts = sum(isinstance(x, str) for x in values)
    if plain.dtype.kind in "biufM" or (plain.dtype.kind == "U" and texts == len(values)):
        return plain
    if not texts:
        try:
            return values.astype("datetime64[us]")
        except (TypeError, ValueError):
            pass
    kinds = sorted({type(x).__name__ for x in values})
    msg = f"times must be numbers, dates or text, all of one kind; got {', '.join(kinds)}"
    raise InvalidTimesError(msg)


def windows(times: np.ndarray, window: Any, step: Any) -> list[Window]:
    """Cut observations into windows of time; those without an observation are left out.

    Parameters
    ----------
    times : ndarray of int64, float64, datetime64 or str, shape (n,)
    window : number, timedelta, str or None
        How long a window is; None: one for each different time.
    step : number, timedelta, str or None
        From the start of one to the start of the next, at most `window`; None: as long as `window`.

    Returns
    -------
    list of Window
        In the order of time. The first starts at the first observation, the last is the first that holds the last one.

    Raises
    ------
    InvalidTimesError
        If `window` or `step` do not go with the times, or make more than 100,000 windows.
    """
    order = np.argsort(times, kind="stable")
    values = times[order]
    if window is None:
        if step is not None:
            msg = f"step={step!r} needs a window: without one, every different time is a snapshot"
            raise InvalidTimesError(msg)
        starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
        return [
            Window(values[a], values[a], order[a:b])
            for a, b in zip(starts, np.r_[starts[1:], values.size], strict=True)
        ]
    if values.dtype.kind == "i" and any(isinstance(x, Real) and float(x) % 1 != 0 for x in (window, step or 0)):
        values = values.astype(np.float64)
    long = _length(window, values, "window")
    pace = long if step is None else _length(step, values, "step")
    if pace > long:
        msg = f"step={step!r} is longer than window={window!r}: observations in between would be in no snapshot"
        raise InvalidTimesError(msg)
    beyond = values[-1] - values[0] - long
    count = 1 if beyond < beyond * 0 else int(beyond / pace) + 2
    if count > MOST_WINDOWS:
        msg = (
            f"windows of {window!r} that start every {pace!s} from {values[0]!s} to {values[-1]!s} would be {count:,}, "
            f"more than {MOST_WINDOWS:,}: take longer ones"
        )
        raise InvalidTimesError(msg)
    found = []
    for i in range(count):
        start = values[0] + i * pace
        a, b = np.searchsorted(values, np.array([start, start + long], values.dtype)).tolist()
        if a < b:
            found.append(Window(start, start + long, order[a:b]))
        if b == values.size:
            break
    return found


def _length(given: Any, values: np.ndarray, name: str) -> Any:
    """A length of time, in the unit of the times."""
    if values.dtype.kind == "U":
        msg = f"{name}={given!r} needs times that are numbers or dates; these are text, such as {str(values[0])!r}"
        raise InvalidTimesError(msg)
    length: Any
    if values.dtype.kind == "M":
        length = _timedelta(given, name)
        good = length > np.timedelta64(0, "ns")
    else:
        try:
            length = float(given) if values.dtype.kind == "f" else int(given)
        except (TypeError, ValueError, OverflowError):
            msg = f"{name} must be a number, as the times are; got {given!r}"
            raise InvalidTimesError(msg) from None
        good = 0 < length < np.inf
    if not good:
        msg = f"{name} must be positive and finite; got {given!r}"
        raise InvalidTimesError(msg)
    return length


def _timedelta(given: Any, name: str) -> np.timedelta64:
    problem = None
    if not isinstance(given, (int, float, np.number)) or isinstance(given, np.timedelta64):
        try:
            from pandas import Timedelta

            return Timedelta(given).to_timedelta64()
        except ImportError:
            if not isinstance(given, str):
                return np.timedelta64(given)
            problem = "text needs pandas"
        except (TypeError, ValueError) as error:
            problem = str(error)
    msg = (
        f"{name} must be a length of time, as the times are dates: '30D', '12h' or a timedelta; got {given!r}"
        f"{f' ({problem})' if problem else ''}. For calendar months give the month as the time, "
        "times=table['date'].dt.to_period('M').astype(str), and no window"
    )
    raise InvalidTimesError(msg)


def observed(samples: np.ndarray, who: np.ndarray, window: Window, aggregate: str) -> tuple[np.ndarray, np.ndarray]:
    """One row for each object in a window.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d)
    who : ndarray of int64, shape (n,)
        The object of each observation.
    window : Window
    aggregate : {"mean", "last"}
        What several observations of an object count as.

    Returns
    -------
    X : ndarray of float64, shape (m, d)
    objects : ndarray of int64, shape (m,)
        Increasing.
    """
    objects, inverse, count = np.unique(who[window.rows], return_inverse=True, return_counts=True)
    if aggregate == "last" or objects.size == window.rows.size:
        last = np.empty(objects.size, np.int64)
        last[inverse] = window.rows  # rows are in the order of time, so the last one stays
        return samples[last], objects
    share = samples[window.rows] / count[inverse][:, None]
    return np.stack([np.bincount(inverse, column, objects.size) for column in share.T], axis=1), objects


def object_index(objects: list, n: int) -> tuple[LeafIndex, np.ndarray]:
    """The different objects in the order in which they come, and the number of that of each row."""
    number: dict[Any, int] = {}
    who = np.fromiter((number.setdefault(x, len(number)) for x in objects), np.int64, n)
    return LeafIndex(list(number)), who
