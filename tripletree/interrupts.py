"""Limits of time: `time_limit`, which ends a block as Ctrl-C does.

Python runs a handler of signals between two steps of its main thread, and an error that the handler raises comes up
there. So Ctrl-C ends all that the main thread does, unless one step takes long. The loops of the compiled core are such
steps: each twentieth of a second they look for signals, and call `check_time`.

A limit of time goes the same way. The main thread sets the system's timer (``signal.setitimer``), whose signal raises
the error. Other threads hear of no signal, and Windows has no such timer. There `check_time` looks at the clock.
"""

from __future__ import annotations

import gc
import signal
import sys
import threading
from contextlib import AbstractContextManager
from math import inf
from numbers import Real
from time import monotonic
from types import CodeType, FrameType
from typing import Any

from tripletree.errors import TimeLimitError

#: Seconds after which a limit strikes again: Python drops an error that comes up in a callback from C.
_AGAIN = 1.0
#: Seconds after which a limit tries again that has come up where its error would be lost or leave an import half done.
_SOON = 0.02


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def time_limit(seconds: float) -> AbstractContextManager[None]:
    """End a ``with`` block after `seconds` seconds, by a `TimeLimitError`.

    Limits may be nested: the nearest end counts, and the error says which limit it was. Only the work in progress is
    lost. Objects and files stay as they were, and the session goes on.

    Parameters
    ----------
    seconds : float
        Above 0.

    Returns
    -------
    context manager

    Raises
    ------
    TimeLimitError
        At the end of the block, if it was cut short. It is a TimeoutError, too.

    Notes
    -----
    In the main thread a limit ends all that Ctrl-C ends: this package, other packages, waiting for input. It ends later
    in these cases:

    - One long call of another package's compiled code, such as a decomposition of a matrix: after that call.
    - An import: after it, as it would stay half done.
    - Other threads than the main one, and Windows: in the compiled loops of this package, and nowhere else.
    - A collection of garbage: after it.
    - An error that Python drops, in a callback from C: a second later.
    - Processes that the block has started, such as joblib's: they are left to the program that started them.
    - From Python 3.13 on, a ``while`` loop in the block itself that calls nothing: it may end with its function
      (github.com/python/cpython/issues/130279).

    In the main thread a limit uses the alarm of the system (SIGALRM), and puts back the handler and the timer that were
    set before. Do not ``await`` in the block, and do not ``yield`` out of it, except in a context manager: the limit
    would cut short other code.

    Examples
    --------
    >>> import tripletree as tt
    >>> with tt.time_limit(60):
    ...     tree = tt.one_tree(tt.TripletSet.from_labels([("human", "chimp", "gorilla")]))
    >>> import time
    >>> with tt.time_limit(0.01):
    ...     time.sleep(10)
    Traceback (most recent call last):
    ...
    tripletree.errors.TimeLimitError: the time limit of 0.01 s was reached; raise it, or make the work smaller
    """
    if isinstance(seconds, bool) or not isinstance(seconds, Real):
        msg = f"a limit of time must be a number of seconds above 0, not {seconds!r}"
        raise TypeError(msg)
    if not 0 < seconds < inf:
        msg = f"a limit of time must be a finite number of seconds above 0, not {seconds!r}"
        raise ValueError(msg)
    return _Limit(float(min(seconds, threading.TIMEOUT_MAX)))


class _TimeIsOver(BaseException):
    """Ends the block of a limit. It is no Exception, so that no code on the way takes it for a failure."""

    def __init__(self, limit: _Limit) -> None:
        super().__init__(f"the time limit of {limit.seconds:g} s was reached")
        self.limit = limit

    def __reduce__(self) -> Any:
        return BaseException, self.args  # Dask pickles the causes of an error, too, and a limit has a frame


class _Limit:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = self.next = 0.0  # when it is over, and when the alarm strikes next
        self.has_struck = False
        self._what: str | None = None
        self._frame: FrameType | None = None  # of the block

    def __enter__(self) -> None:
        limits = _limits()
        if self in limits:
            msg = "this limit is in use; make another one by time_limit(seconds)"
            raise RuntimeError(msg)
        self.has_struck, self._what, self._frame = False, None, sys._getframe(1)
        self.end = self.next = monotonic() + self.seconds
        limits.append(self)
        if _has_alarm():
            _set_alarm()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        limits = _limits()
        inside = limits[limits.index(self) :]
        struck = error.limit if isinstance(error, _TimeIsOver) else None
        # the blocks inside of this one are over, too, if the error has left them without their ends
        for limit in inside if struck in inside else [self]:
            limits.remove(limit)
        self._frame = None
        if _has_alarm():
            _set_alarm()
        if struck is not None and struck in inside:
            error.__traceback__ = None  # type: ignore[union-attr]  # it would keep all the objects of the work
            raise struck.error() from None
        if self.has_struck and (error is None or isinstance(error, Exception)):  # somebody has swallowed it
            raise self.error() from error

    def strike(self, frames: list[FrameType]) -> None:
        """End the block."""
        self.has_struck, self.next = True, monotonic() + _AGAIN
        self._what = _named(frames)
        raise _TimeIsOver(self)

    def frames(self, frame: FrameType | None) -> tuple[list[FrameType], bool]:
        """Return the frames from an inner one out to that of the block, and whether this was met.

        It is not met if the block has been left without its end, and if the block is a context manager's.
        """
        found = []
        while frame is not None and frame is not self._frame:
            found.append(frame)
            frame = frame.f_back
        return found, frame is not None

    def error(self) -> TimeLimitError:
        where = f" in {self._what}" if self._what else ""
        message = f"the time limit of {self.seconds:g} s was reached{where}; raise it, or make the work smaller"
        return TimeLimitError(message, seconds=self.seconds, what=self._what)


_of_thread = threading.local()


def _limits() -> list[_Limit]:
    """Return the limits of this thread, the outermost first."""
    if not hasattr(_of_thread, "limits"):
        _of_thread.limits = []
    return _of_thread.limits


def check_time() -> None:
    """End the block of a limit of this thread that has run out, in the main thread, too."""
    limits = _limits()
    over = [x for x in limits if not x.has_struck and monotonic() >= x.end] if limits else []
    if over:
        limit = min(over, key=lambda x: x.end)
        limit.strike(limit.frames(sys._getframe(1))[0])


def _named(frames: list[FrameType]) -> str | None:
    """Return the public function of this package that the block has called, such as "ReCon.fit", or None."""
    for frame in reversed(frames):
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
        rooms = module.split(".")[:-1]
        faces = [sys.modules.get(".".join(rooms[:k])) for k in range(1, len(rooms) + 1)] if module else []
        top, *methods = name.split(".")
        if any(top in getattr(face, "__all__", ()) for face in faces) and not any(
            x.startswith(("_", "<")) for x in methods
        ):
            return name
    return None


# ---------------------------------------------------------------------- the alarm of the main thread

#: The handler and the timer that were set before the first limit, and when that was.
_before: tuple[Any, tuple[float, float], float] | None = None
#: Seconds for which the alarm is set at most: some systems refuse more.
_LONGEST = 1e6


def _has_alarm() -> bool:
    """Whether this thread can be interrupted by the system's timer: no other program part handles it outside Python."""
    return _is_main() and hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is not None


def _set_alarm() -> None:
    """Set the alarm for the limit that strikes next. After the last limit, set it as it was before the first one."""
    global _before
    limits = _limits()
    if limits:
        if _before is None:
            _before = signal.signal(signal.SIGALRM, _ring), signal.getitimer(signal.ITIMER_REAL), monotonic()
        wait = min(x.next for x in limits) - monotonic()
        signal.setitimer(signal.ITIMER_REAL, min(max(wait, 1e-6), _LONGEST))
    elif _before is not None:
        (handler, (wait, interval), then), _before = _before, None
        left = max(wait - (monotonic() - then), 1e-6) if wait > 0 else 0.0
        signal.setitimer(signal.ITIMER_REAL, 0)
        if signal.getsignal(signal.SIGALRM) is _ring:  # another handler, set in the block, stays
            signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, left, interval)


def _is_collecting() -> bool:
    """Whether garbage is being collected: Python begins no collection in another. It drops the errors that come up."""
    done = gc.get_stats()[0]["collections"]
    gc.collect(0)  # the youngest objects: microseconds
    return gc.get_stats()[0]["collections"] == done


def _ring(_number: int, frame: FrameType | None) -> None:
    """Handle the alarm: end the block of the limit that has run out first."""
    try:
        now = monotonic()
        due = [x for x in _limits() if x.next <= now]
        for limit in sorted(due, key=lambda x: x.end):
            frames, is_inside = limit.frames(frame)
            if limit.has_struck and not is_inside:
                _limits().remove(limit)
            elif any(x.f_code in _UNDISTURBED or x.f_code.co_filename == _IMPORT for x in frames) or _is_collecting():
                limit.next = now + _SOON
            else:
                limit.strike(frames)
    finally:
        _set_alarm()


#: Where Python's imports are written, by the name in their frames.
_IMPORT = "<frozen importlib._bootstrap>"
#: In these functions no limit strikes: a block begins or ends, or another limit strikes.
_UNDISTURBED: set[CodeType] = {x.__code__ for x in (_Limit.__enter__, _Limit.__exit__, _Limit.strike, _ring)}
