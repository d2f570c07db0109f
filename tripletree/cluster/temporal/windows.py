"""Observations cut into snapshots: windows of time, overlapping or not, and one row for each object in each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from tripletree.cluster.temporal.times import ATTOSECONDS, Times, in_days, missing
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidTimesError

__all__ = [
    "Window",
    "object_index",
    "observed",
    "snapshots_at",
    "windows",
]

#: Snapshots that a series may have: more are taken for a slip in the unit, or for times that want a window.
MOST_WINDOWS = 100_000
_DATES = (
    "For calendar months or years give these as the time, times=table['date'].dt.to_period('M') (or 'Y'), and no window"
)


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


def windows(times: Times, window: Any, step: Any) -> list[Window]:
    """Cut observations into windows of time; those without an observation are left out.

    Parameters
    ----------
    times : Times
        Of n observations.
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

    Notes
    -----
    Bounds are whole numbers of a common unit, of any size, so none is cut or overflows; those of numbers with a point
    are rounded once, to the nearest float64. O(n log n + w log n) for w windows.
    """
    order = np.argsort(times.values, kind="stable")
    values = times.values[order]
    if window is None:
        return _points(times, values, order, step)
    ruler = _Ruler(times, values, window, step)
    first, last, long, pace = ruler.first, ruler.last, ruler.long, ruler.pace
    count = max((last - first - long) // pace + 1, 0) + 1
    if count > MOST_WINDOWS:
        every = "" if step is None else f" that start every {step!r}"
        msg = (
            f"windows of {window!r}{every} from {values[0]!s} to {values[-1]!s} would be {count:,}, more than "
            f"{MOST_WINDOWS:,}: take longer ones"
        )
        raise InvalidTimesError(msg)
    starts = [first + i * pace for i in range(count + 1)]  # the last one where rounding leaves something to it
    ends = [start + long for start in starts]
    low, high = ruler.positions(starts), ruler.positions(ends)
    found, reached = [], 0
    for i in range(count + 1):
        a, b = low[i], high[i]
        if reached == values.size or a > reached:
            break
        if a < b:
            found.append(Window(ruler.told(starts[i]), ruler.told(ends[i], up=True), order[a:b]))
        reached = max(reached, b)
    if reached < values.size:
        msg = f"window={window!r} and step={step!r} leave out the time {values[reached]!s}: take longer windows"
        raise InvalidTimesError(msg, row=int(order[reached]))
    return found


def _points(times: Times, values: np.ndarray, order: np.ndarray, step: Any) -> list[Window]:
    """A window for each different time."""
    if step is not None:
        msg = f"step={step!r} needs a window: without one, every different time is a snapshot"
        raise InvalidTimesError(msg)
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    if starts.size > MOST_WINDOWS:
        msg = (
            f"times hold {starts.size:,} different values, each of which would be a snapshot, more than "
            f"{MOST_WINDOWS:,}: say how long a snapshot is, window="
        )
        raise InvalidTimesError(msg)
    ends = np.r_[starts[1:], values.size]
    told = [times.told(values[a]) for a in starts.tolist()]
    return [Window(x, x, order[a:b]) for x, a, b in zip(told, starts.tolist(), ends.tolist(), strict=True)]


class _Ruler:
    """Times and lengths as whole numbers of one unit.

    Attributes
    ----------
    first, last, long, pace : int
        The first time, the last one, the length of a window, and the way from one to the next.
    """

    def __init__(self, times: Times, values: np.ndarray, window: Any, step: Any) -> None:
        self._kind, self._given = times.kind, values
        if self._kind in "UC":
            what = "text" if self._kind == "U" else "ordered categories"
            msg = (
                f"window={window!r} needs times that are numbers or dates; these are {what}, such as "
                f"{str(times.told(values[0]))!r}. Make dates of text with pd.to_datetime(table['date']), or read them "
                "as such with pd.read_csv(..., parse_dates=['date'])"
            )
            raise InvalidTimesError(msg)
        size = 1
        if self._kind == "M":
            days = in_days(values)
            self._unit, n = np.datetime_data(days.dtype)
            size = n * ATTOSECONDS[self._unit]
            values = days.astype(np.int64)
        ends = [Fraction(x) * size for x in (values[0].item(), values[-1].item())] if values.dtype.kind == "f" else [
            Fraction(int(values[0]) * size), Fraction(int(values[-1]) * size)
        ]  # fmt: skip
        long = _length(window, self._kind, "window")
        pace = long if step is None else _length(step, self._kind, "step")
        if pace > long:
            msg = f"step={step!r} is longer than window={window!r}: observations in between would be in no snapshot"
            raise InvalidTimesError(msg)
        self._check_resolution(ends, pace, (window, step))
        self._parts = lcm(*(x.denominator for x in (*ends, long, pace)))
        self._numbers, self._cell = values, size * self._parts
        self.first, self.last, self.long, self.pace = (int(x * self._parts) for x in (*ends, long, pace))

    def _check_resolution(self, ends: list[Fraction], pace: Fraction, given: tuple[Any, Any]) -> None:
        """Refuse steps that vanish beside numbers with a point: starts of windows would be equal."""
        broken = self._kind == "f" or (self._kind == "i" and pace.denominator > 1)
        most = max(map(abs, ends))
        if broken and pace < Fraction(float(np.spacing(float(most)))):
            what = f"step={given[1]!r}" if given[1] is not None else f"window={given[0]!r}"
            msg = (
                f"{what} is less than the distance of two numbers near {float(most):g}: give times as whole numbers, "
                "or from a later zero, or take a longer one"
            )
            raise InvalidTimesError(msg)

    def positions(self, bounds: list[int]) -> list[int]:
        """How many of the sorted times lie before each bound."""
        numbers = self._numbers
        if self._kind == "f":
            return np.searchsorted(numbers, np.array([_float(x, self._parts) for x in bounds])).tolist()
        low, high = int(numbers[0]), int(numbers[-1])
        cells = [-(-x // self._cell) for x in bounds]  # a whole number is not before x if it is not before ceil(x)
        found = np.searchsorted(numbers, np.array([min(max(x, low), high) for x in cells], numbers.dtype))
        return [numbers.size if x > high else i for x, i in zip(cells, found.tolist(), strict=True)]

    def told(self, bound: int, *, up: bool = False) -> Any:
        """A bound as users see it."""
        if self._kind == "M":
            return self._date(bound, up)
        return _float(bound, self._parts) if self._kind == "f" or self._parts > 1 else bound

    def _date(self, bound: int, up: bool) -> np.datetime64:
        """In the unit of the times if they can tell lengths, else in the next finer one that can."""
        units = list(ATTOSECONDS)
        at = units.index(self._unit)
        while any(x % (self._parts * ATTOSECONDS[units[at]]) for x in (self.first, self.long, self.pace)):
            at += 1
        for unit in reversed(units[: at + 1]):  # coarser ones for what int64 cannot hold
            cell = self._parts * ATTOSECONDS[unit]
            value = -(-bound // cell) if up else bound // cell
            if -(2**63) < value < 2**63:
                date: Any = np.array(value).astype(f"datetime64[{unit}]")[()]
                return date
        msg = f"a window from {self._given[0]!s} to {self._given[-1]!s} ends beyond all dates: take a shorter one"
        raise InvalidTimesError(msg)


def _float(part: int, whole: int) -> float:
    """The nearest float64 of a fraction."""
    try:
        return part / whole
    except OverflowError:
        return float("inf")


def _length(given: Any, kind: str, name: str) -> Fraction:
    """A length of time in the unit of the times, of dates in attoseconds."""
    if kind == "M":
        length = _timedelta(given, name)
    elif isinstance(given, (str, bytes, bool, np.timedelta64)):
        length = None
    else:
        try:
            length = Fraction(given.item() if hasattr(given, "item") else given)
        except OverflowError:
            length = Fraction(0)  # infinite
        except (TypeError, ValueError):
            length = Fraction(0) if isinstance(given, (float, np.floating)) else None
    if length is None:
        msg = f"{name} must be a number, as the times are; got {given!r}"
        raise InvalidTimesError(msg)
    if length <= 0:
        msg = f"{name} must be positive and finite; got {given!r}"
        raise InvalidTimesError(msg)
    return length


def _timedelta(given: Any, name: str) -> Fraction:
    problem = None
    if type(given) is timedelta:
        return Fraction(given // timedelta(microseconds=1) * ATTOSECONDS["us"])
    if isinstance(given, np.timedelta64) or not (isinstance(given, (int, float, np.number)) or missing(given)):
        try:
            span = given if isinstance(given, np.timedelta64) else _from_pandas(given)
            unit, count = np.datetime_data(span.dtype)
            if unit in ATTOSECONDS and not np.isnat(span):
                return Fraction(int(span.astype(np.int64)) * count * ATTOSECONDS[unit])
        except ImportError:
            problem = "text needs pandas"
        except (TypeError, ValueError, OverflowError) as error:
            problem = str(error)
    msg = (
        f"{name} must be a length of time, as the times are dates: '30D', '12h' or a timedelta; got {given!r}"
        f"{f' ({problem})' if problem else ''}. {_DATES}"
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
    """The numbers of the snapshots at which pairs became known: that which starts then, else the first that holds it.

    Raises
    ------
    InvalidTimesError
        If a time is in no snapshot.
    """
    starts, ends = ([times.place(x) for x in xs] for xs in ([w.start for w in cut], [w.end for w in cut]))
    at = {start: t for t, start in enumerate(starts)}
    found = []
    for key in keys:
        place = times.place(key)
        t = None if place is None else at.get(place)
        if t is None and place is not None:
            t = bisect_right(ends, place)
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
