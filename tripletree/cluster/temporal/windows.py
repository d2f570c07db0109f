"""Observations cut into snapshots: windows of time, overlapping or not, and one row for each object in each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from tripletree.cluster.temporal.times import Times, missing
from tripletree.core.checks import counted
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidTimesError, warn_user

#: Maximum number of snapshots: with more, the unit is mistaken, or a window was forgotten.
_MOST_WINDOWS = 100_000
_MONTHS = (
    "For calendar months or years give these as the time, times=table['date'].dt.to_period('M') (or 'Y'), and no window"
)


@dataclass(frozen=True, eq=False)
class Window:
    """A stretch of time and the observations in it.

    Attributes
    ----------
    start, end : number, datetime64 or str
        From `start` on, up to but not including `end`. Both are the same where a window is one point of time.
    rows : ndarray of int64
        The observations in it, in the order of their times.
    """

    start: Any
    end: Any
    rows: np.ndarray


def windows(times: Times, window: Any, step: Any) -> list[Window]:
    """Cut observations into windows of time. Windows without an observation are left out.

    Parameters
    ----------
    times : Times
        Times of n observations.
    window : number, timedelta, str, list of (start, end) or None
        How long a window is, or the windows themselves. None: one for each different time.
    step : number, timedelta, str or None
        From the start of one to the start of the next, at most `window`. None: as long as `window`.

    Returns
    -------
    list of Window
        In the order of their starts. Of windows of one length the first starts at the first observation, the last is
        the first that holds the last one.

    Notes
    -----
    Dates are counted in int64 nanoseconds, whole numbers in int64 where the window and the step are whole, too. Other
    numbers are float64, and the bounds ``first + i * step`` rounded as such. O(n log n + w log n) for w windows.
    """
    order = np.argsort(times.values, kind="stable")
    values = times.values[order]
    if window is None:
        return _points(times, values, order, step)
    if isinstance(window, (list, tuple, np.ndarray)):
        return _given(times, values, order, window, step)
    scale = _scale(times, values, window, step)
    first, last, long, pace = scale.values[0].item(), scale.values[-1].item(), scale.long, scale.pace
    count = max(int((last - first - long) // pace) + 1, 0) + 1
    if count > _MOST_WINDOWS:
        every = "" if step is None else f" that start every {step!r}"
        msg = (
            f"windows of {window!r}{every} from {values[0]!s} to {values[-1]!s} would be {count:,}, more than "
            f"{_MOST_WINDOWS:,}: take longer ones"
        )
        raise InvalidTimesError(msg)
    if isinstance(pace, int) and first + (count - 1) * pace + long >= 2**63:
        msg = (
            f"windows of {window!r} from {values[0]!s} to {values[-1]!s} end after the last time that int64 can hold "
            "(of dates, 2262-04-11): take shorter ones, or give times and window as floats"
        )
        raise InvalidTimesError(msg)
    # of floats one more, as rounding may leave something to it. Windows side by side share their bounds
    starts = first + pace * np.arange(count if isinstance(pace, int) else count + 1)
    ends = starts + long
    if pace == long:
        ends[:-1] = starts[1:]
    low, high = np.searchsorted(scale.values, starts).tolist(), np.searchsorted(scale.values, ends).tolist()
    if times.kind == "M":
        starts, ends = starts.astype("datetime64[ns]"), ends.astype("datetime64[ns]")
    found, reached = [], 0
    for i in range(starts.size):
        a, b = low[i], high[i]
        if reached == values.size or a > reached:
            break
        if a < b:
            found.append(Window(times.shown(starts[i]), times.shown(ends[i]), order[a:b]))
        reached = max(reached, b)
    if reached < values.size:
        msg = f"window={window!r} and step={step!r} leave out the time {values[reached]!s}: take longer windows"
        raise InvalidTimesError(msg, row=int(order[reached]))
    return found


def _points(times: Times, values: np.ndarray, order: np.ndarray, step: Any) -> list[Window]:
    """Return a window for each different time."""
    if step is not None:
        msg = f"step={step!r} needs a window: without one, every different time is a snapshot"
        raise InvalidTimesError(msg)
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    if starts.size > _MOST_WINDOWS:
        msg = (
            f"times hold {starts.size:,} different values, each of which would be a snapshot, more than "
            f"{_MOST_WINDOWS:,}: give the length of a snapshot, window="
        )
        raise InvalidTimesError(msg)
    ends = np.r_[starts[1:], values.size]
    shown = [times.shown(values[a]) for a in starts.tolist()]
    return [Window(x, x, order[a:b]) for x, a, b in zip(shown, starts.tolist(), ends.tolist(), strict=True)]


def _given(times: Times, values: np.ndarray, order: np.ndarray, window: Any, step: Any) -> list[Window]:
    """The windows (start, end) that were given, in the order of their starts. Warn of observations outside of all."""
    _check_measured(times, values, "windows (start, end)")
    if step is not None:
        msg = f"step={step!r} is for windows of one length: leave it out beside windows (start, end)"
        raise InvalidTimesError(msg)
    found: dict[Any, tuple[Any, Any]] = {}
    for i, ends in enumerate(window):
        pair = tuple(ends) if isinstance(ends, (list, tuple, np.ndarray)) else ()
        low, high = (times.place(x) for x in pair) if len(pair) == 2 else (None, None)
        if low is None or high is None or not low < high:
            kind = "dates" if times.kind == "M" else "numbers"
            msg = (
                f"window {i} is {ends!r}: expected (start, end), two {kind} as the times are, the start before the end"
            )
            raise InvalidTimesError(msg)
        if low in found:
            msg = f"two windows start at {pair[0]!s}: pairs and answers go by the starts, so these must differ"
            raise InvalidTimesError(msg)
        found[low] = (high, pair)
    bare = values.astype(np.int64) if times.kind == "M" else values
    cut, held = [], np.zeros(values.size, bool)
    for low, (high, pair) in sorted(found.items()):
        a, b = (int(np.searchsorted(bare, min(max(x, -(2**63)), 2**63 - 1))) for x in (low, high))
        held[a:b] = True
        if a < b:
            start, end = (np.int64(x).astype("datetime64[ns]") for x in (low, high)) if times.kind == "M" else pair
            cut.append(Window(times.shown(start), times.shown(end), order[a:b]))
    if not cut:
        msg = f"no observation is in a window: times go from {times.shown(values[0])!s} to {times.shown(values[-1])!s}"
        raise InvalidTimesError(msg)
    if not held.all():
        warn_user(
            f"{int((~held).sum())} of {counted(held.size, 'observation')} are in no window, the first at "
            f"{times.shown(values[~held][0])!s}: their label is -1"
        )
    return cut


def _check_measured(times: Times, values: np.ndarray, what: str) -> None:
    """Check that times are numbers or dates."""
    if times.kind in "UC":
        kind = "text" if times.kind == "U" else "ordered categories"
        msg = (
            f"{what} needs times that are numbers or dates; these are {kind}, such as "
            f"{str(times.shown(values[0]))!r}. Make dates of text with pd.to_datetime(table['date']), or read them "
            "as such with pd.read_csv(..., parse_dates=['date'])"
        )
        raise InvalidTimesError(msg)


class _Scale(NamedTuple):
    """Sorted times as int64 or float64, and lengths in the same unit.

    Attributes
    ----------
    values : ndarray of int64 or float64, shape (n,)
    long, pace : int or float
        The length of a window, and the distance between the starts of two successive ones.
    """

    values: np.ndarray
    long: Any
    pace: Any


def _scale(times: Times, values: np.ndarray, window: Any, step: Any) -> _Scale:
    _check_measured(times, values, f"window={window!r}")
    length = _nanoseconds if times.kind == "M" else _number
    long = length(window, "window")
    pace = long if step is None else length(step, "step")
    if pace > long:
        msg = f"step={step!r} is longer than window={window!r}: observations in between would be in no snapshot"
        raise InvalidTimesError(msg)
    if times.kind == "M":
        return _Scale(values.astype(np.int64), long, pace)
    if values.dtype.kind == "i" and isinstance(long, int) and isinstance(pace, int) and long < 2**62:
        return _Scale(values, long, pace)
    most = float(max(abs(values[0].item()), abs(values[-1].item())))
    if max(most, long) >= 2.0**1020:
        msg = f"times near {most:g} and window={window!r} leave the range of float64: take a coarser unit"
        raise InvalidTimesError(msg)
    if pace < np.spacing(most) or (values.dtype.kind == "i" and most > 2**53):
        what = f"step={step!r}" if step is not None else f"window={window!r}"
        msg = (
            f"{what} is too fine beside times near {most:g}, as float64 holds them: give times and window as whole "
            "numbers, or count from a later zero, or take a longer one"
        )
        raise InvalidTimesError(msg)
    return _Scale(values.astype(np.float64), float(long), float(pace))


def _number(given: Any, name: str) -> int | float:
    """Return a positive length beside times that are numbers: an int if it is whole, else a float."""
    length: Any = None
    if not isinstance(given, (str, bytes, bool, np.bool_, np.timedelta64)):
        try:
            length = int(given) if int(given) == given else float(given)
        except (OverflowError, ValueError):  # infinite, NaN
            length = 0
        except TypeError:
            pass
    if length is None:
        msg = f"{name} must be a number, as the times are; got {given!r}"
        raise InvalidTimesError(msg)
    return _check_positive(length, given, name)


def _check_positive(length: Any, given: Any, name: str) -> Any:
    if length <= 0:
        msg = f"{name} must be positive and finite; got {given!r}"
        raise InvalidTimesError(msg)
    return length


def _nanoseconds(given: Any, name: str) -> int:
    """Return a positive length beside times that are dates."""
    problem = None
    if isinstance(given, np.timedelta64) or not (isinstance(given, (int, float, np.number)) or missing(given)):
        try:
            span = np.timedelta64(given) if isinstance(given, (timedelta, np.timedelta64)) else _from_pandas(given)
            if np.datetime_data(span.dtype)[0] not in ("Y", "M", "generic") and not np.isnat(span):
                problem = "lengths of time beside dates are whole nanoseconds, at most 292 years"
                with suppress(OverflowError):  # from numpy 2.5 on. Older ones wrap around
                    length = span.astype("timedelta64[ns]")
                    if length.astype(span.dtype) == span:
                        return _check_positive(int(length.astype(np.int64)), given, name)
        except ImportError:
            problem = "text needs pandas"
        except InvalidTimesError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            problem = str(error)
    msg = (
        f"{name} must be a length of time, as the times are dates: '30D', '12h' or a timedelta; got {given!r}"
        f"{f' ({problem})' if problem else ''}. {_MONTHS}"
    )
    raise InvalidTimesError(msg)


def _from_pandas(given: Any) -> np.timedelta64:
    try:
        from pandas import Timedelta
    except ImportError:
        if isinstance(given, str):
            raise
        return np.timedelta64(given)
    return Timedelta(given).to_timedelta64()


def snapshots_at(keys: Iterable[Any], cut: list[Window], times: Times) -> list[int]:
    """Find the snapshots at which pairs became known: the one that starts at that time, else the first to hold it."""
    starts, ends = ([times.place(x) for x in xs] for xs in ([w.start for w in cut], [w.end for w in cut]))
    at = {start: t for t, start in enumerate(starts)}
    reached = list(accumulate(ends, max))
    found = []
    for key in keys:
        place = times.place(key)
        t = None if place is None else at.get(place)
        if t is None and place is not None:
            t = bisect_right(reached, place)  # the first that ends later
            t = t if t < len(cut) and starts[t] <= place else None
        if t is None:
            msg = f"pairs are given for {key!r}, which is in no snapshot: these are {_range(cut)}"
            raise InvalidTimesError(msg)
        found.append(t)
    return found


def _range(cut: list[Window]) -> str:
    if cut[0].start == cut[0].end:
        few = ", ".join(repr(x.start) if isinstance(x.start, str) else str(x.start) for x in cut[:5])
        return f"at {few}" if len(cut) < 6 else f"at {few}, ... and {cut[-1].start!s}"
    return f"from {cut[0].start!s} to {cut[-1].end!s}"


def observed(samples: np.ndarray, who: np.ndarray, window: Window, aggregate: str) -> tuple[np.ndarray, np.ndarray]:
    """One row for each object in a window.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d)
    who : ndarray of int64, shape (n,)
        The object of each observation.
    window : Window
    aggregate : {"mean", "last"}
        How several observations of an object are combined.

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
    """Return the different objects in the order in which they come, and the number of each row's object."""
    number: dict[Any, int] = {}
    who = np.fromiter((number.setdefault(x, len(number)) for x in objects), np.int64, n)
    return LeafIndex(list(number)), who
