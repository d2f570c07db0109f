"""Interrupts by Ctrl-C and by limits of time: `time_limit`, and where an interrupt has to wait a moment.

Python hears of a signal between two steps of its main thread, and what the handler raises comes up there. So Ctrl-C
ends whatever that thread does, in this package or in any other, unless one step takes long (for these there are
``kernels.interruptible`` and ``core.progress.Pace``). A limit of time goes the same way: a thread that waits sends the
main thread the signal of Ctrl-C, and the handler tells the two apart. Other threads hear of no signal; they look at
the clock in these two places (`check_time`).
"""

from __future__ import annotations

import dis
import gc
import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import inf
from numbers import Real
from time import monotonic
from types import CodeType, FrameType
from typing import Any

from tripletree.errors import TimeLimitError

__all__ = ["check_time", "ctrl_c_waits", "in_time", "is_heard", "time_limit"]

#: Functions that are called back from C, which forgets what they raise, or takes it for an error of another kind. LLVM
#: calls the first two when it has compiled, and when it loads; numba the third when it is given a pointer to a kernel.
_CALLED_BACK = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer", "_get_wrapper_address", "__del__"}
#: What would stay half done for the rest of the session: in ``kernels.jit``, and, for a limit, imports.
_AT_ONCE = {"tripletree.kernels.jit": {"_load_numba", "_scope"}}
_AT_ONCE_OR_IMPORTING = {**_AT_ONCE, "importlib._bootstrap": {"_find_and_load"}}

#: Seconds after which an interrupt that had to wait comes again: at first, and at most.
_FIRST, _LAST = 0.001, 0.05
#: Seconds that a limit waits for a place in its own block from which the end of the block is reached.
_PATIENCE = 1.0


# ---------------------------------------------------------------------- signals


class in_time:  # noqa: N801 (called like a function)
    """A handler of signals that raises; where that would be lost or leave harm, the signal comes again a little later.

    Examples
    --------
    >>> before = signal.signal(signal.SIGTERM, in_time(lambda number, frame: sys.exit(128 + number)))
    >>> _ = signal.signal(signal.SIGTERM, before)
    """

    def __init__(self, handler: Callable[[int, Any], Any]) -> None:
        self._handler = handler
        self._again: threading.Timer | None = None

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        if not _must_wait(_frames(frame), _AT_ONCE):
            return self._handler(number, frame)
        self._again = threading.Timer(_LAST, interrupt_main, [number])
        self._again.daemon = True
        self._again.start()
        return None

    def wait_no_more(self, number: int) -> None:
        """Let a signal come now that had to wait."""
        if self._again is not None and not self._again.finished.is_set():
            self._again.cancel()
            signal.raise_signal(number)


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Keep Ctrl-C in this block from getting lost in a function that C calls back, and from leaving half an import."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or before is _interrupted or isinstance(before, in_time) or not _is_main():
        yield
        return
    handler = in_time(before)
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        handler.wait_no_more(signal.SIGINT)


def _frames(frame: FrameType | None, depth: int = 0) -> list[FrameType]:
    """The frames from the innermost one outwards, without the outermost `depth` ones."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found[: max(len(found) - depth, 0)]


def _must_wait(frames: list[FrameType], at_once: dict[str, set[str]]) -> bool:
    callbacks = {getattr(x, "__code__", None) for x in gc.callbacks}  # what these raise is forgotten, too
    return any(
        x.f_code.co_name in _CALLED_BACK
        or x.f_code in callbacks
        or x.f_code.co_name in at_once.get(x.f_globals.get("__name__", ""), ())
        or x.f_code in _UNDISTURBED
        for x in frames
    )


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


# ---------------------------------------------------------------------- limits of time


def time_limit(seconds: float) -> AbstractContextManager[None]:
    """End what is done in a ``with`` block after so many seconds, by a `TimeLimitError`.

    Limits may be nested: the nearest end counts, and the error says whose it was. What has taken as long as that is
    lost, and nothing else: objects and files are as they were, and the session goes on.

    Parameters
    ----------
    seconds : float
        Above 0. Compiling on the first call counts, too (`warm_up` does it beforehand).

    Returns
    -------
    context manager

    Raises
    ------
    TimeLimitError
        At the end of the block, if it was cut short; it is a TimeoutError, too.
    TypeError, ValueError
        If `seconds` is not a number above 0.

    Notes
    -----
    In the main thread a limit ends all that Ctrl-C ends: this package, other packages, waiting for input. What cannot
    be interrupted is one long call of another package's compiled code, such as a decomposition of a matrix; the error
    comes after it, and after an import that has begun, which would stay half done. In other threads, and where a
    program handles SIGINT outside of Python, the clock is looked at between parts of compiled loops, in what takes
    long here, and nowhere else. Processes that the block has started, such as joblib's, are left to what started
    them. Do not ``await`` in the block, nor ``yield`` out of it but in a context manager: what runs meanwhile would be
    cut short, and by an error that nobody turns into a `TimeLimitError`.

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
    """What ends the block of a limit; not an Exception, as nobody on the way is to take it for a failure."""

    def __init__(self, limit: _Limit) -> None:
        super().__init__(f"the time limit of {limit.seconds:g} s was reached")
        self.limit = limit

    def __reduce__(self) -> Any:
        return BaseException, self.args  # Dask pickles what an error came from, too, and a limit has a lock


class _Limit:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = 0.0
        self.has_struck = False
        self.code: CodeType | None = None  # of the block
        self.depth = 0
        self._what: str | None = None
        self._is_over = threading.Event()

    def __enter__(self) -> None:
        limits = _limits()
        if self in limits:
            msg = "this limit is in use; make another one by time_limit(seconds)"
            raise RuntimeError(msg)
        frames = _frames(sys._getframe(1))
        self.code, self.depth = frames[0].f_code, len(frames)
        self.has_struck, self._what = False, None
        self._is_over = threading.Event()
        self.end = monotonic() + self.seconds
        is_heard = _is_main() and (bool(limits) or _listen())
        limits.append(self)
        if is_heard:
            threading.Thread(target=self._remind, args=(self._is_over,), name="time limit", daemon=True).start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        self.close()
        is_mine = isinstance(error, _TimeIsOver) and error.limit is self
        if not self.has_struck or not (error is None or is_mine or isinstance(error, Exception)):
            return
        if is_mine and error is not None:
            error.__traceback__ = None  # it would keep all that was being worked on
            error = None
        raise self.error() from error

    def strike(self, frames: list[FrameType]) -> None:
        """End the block."""
        self.has_struck = True
        self._is_over.set()
        self._what = _named(frames)
        raise _TimeIsOver(self)

    def is_left_from(self, frame: FrameType | None) -> bool:
        """Whether what is raised now in this frame, the innermost, leaves the block without its end being reached.

        From Python 3.13 on, the jump back of a ``while`` loop belongs to no ``with`` and no ``try``
        (github.com/python/cpython/issues/130279): a loop without a call in it can only be ended with its function.
        """
        if sys.version_info < (3, 13) or frame is None or frame.f_code is not self.code:
            return False
        covered = any(x.start <= frame.f_lasti < x.end for x in dis.Bytecode(frame.f_code).exception_entries)
        return not covered and len(_frames(frame)) == self.depth

    def close(self) -> None:
        """Send no signal from now on."""
        with _lock:
            self._is_over.set()
        limits = _limits()
        limits.remove(self)
        if _is_main() and not limits:
            _listen_no_more()

    def error(self) -> TimeLimitError:
        where = f" in {self._what}" if self._what else ""
        message = f"the time limit of {self.seconds:g} s was reached{where}; raise it, or make the work smaller"
        return TimeLimitError(message, seconds=self.seconds, what=self._what)

    def _remind(self, is_over: threading.Event) -> None:
        global _was_sent
        wait, again = self.seconds, _FIRST
        while not is_over.wait(min(wait, threading.TIMEOUT_MAX)):
            with _lock:
                # one at a time: what comes while the handler begins would be taken for Ctrl-C
                if not is_over.is_set() and not _was_sent and monotonic() >= self.end:
                    _was_sent = True
                    _send()
            wait, again = again, min(2 * again, _LAST)


_of_thread = threading.local()
_lock = threading.Lock()
_before: Any = None
_was_sent = False


def _limits() -> list[_Limit]:
    """The limits of this thread, the outermost first."""
    if not hasattr(_of_thread, "limits"):
        _of_thread.limits = []
    return _of_thread.limits


def is_heard() -> bool:
    """Whether this thread may be interrupted: the main one always, another one by a limit of time."""
    return _is_main() or bool(_limits())


def check_time() -> None:
    """End the block of a limit of this thread that has run out; only for what is worth it, in the main thread too."""
    over = _run_out()
    if over is not None:
        over.strike(_frames(sys._getframe(1), over.depth))


def _run_out() -> _Limit | None:
    """The limit of this thread that has run out first."""
    limits = _limits()
    over = [x for x in limits if not x.has_struck and monotonic() >= x.end] if limits else []
    return min(over, key=lambda x: x.end, default=None)


def _listen() -> bool:
    """Handle the signal of Ctrl-C; False where that is done outside of Python."""
    global _before, _was_sent
    before = signal.getsignal(signal.SIGINT)
    if before is None:
        return False
    _before, _was_sent = before, False
    signal.signal(signal.SIGINT, _interrupted)
    return True


def _listen_no_more() -> None:
    if signal.getsignal(signal.SIGINT) is _interrupted:  # whoever has set another handler meanwhile keeps it
        signal.signal(signal.SIGINT, _before)


def _send() -> None:
    if hasattr(signal, "pthread_kill"):  # ends waiting for input as well
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        interrupt_main()


def _interrupted(number: int, frame: FrameType | None) -> None:
    """Handle the signal of Ctrl-C, and of a limit that has run out."""
    global _was_sent
    if not _was_sent:
        if callable(_before):
            try:
                in_time(_before)(number, frame)
            except BaseException:
                _close_what_is_left(frame)
                raise
        return
    _was_sent = False
    over = _run_out()
    if over is None:
        return
    frames = _frames(frame, over.depth)
    if _must_wait(frames, _AT_ONCE_OR_IMPORTING):  # it comes again
        return
    if not over.is_left_from(frame):
        _close_what_is_left(frame)
        over.strike(frames)
    elif monotonic() >= over.end + _PATIENCE:
        _close_what_is_left(frame)
        raise over.error()


def _close_what_is_left(frame: FrameType | None) -> None:
    """Close the limits whose ends are not reached by what is raised in this frame."""
    for limit in [x for x in _limits() if x.is_left_from(frame)]:
        limit.close()


#: Code in which no limit strikes: the block has not begun, or is over, or another limit strikes.
_UNDISTURBED = {x.__code__ for x in (_Limit.__enter__, _Limit.__exit__, _Limit.strike, _interrupted)}


def _named(frames: list[FrameType]) -> str | None:
    """The public function of this package that was called first, such as "ReCon.fit"; None outside of the package."""
    faces = [x for name, x in list(sys.modules.items()) if name.split(".")[0] == "tripletree" and name.count(".") <= 1]
    public = {name for face in faces for name in getattr(face, "__all__", ())}
    for frame in reversed(frames):
        name, *method = frame.f_code.co_qualname.split(".")
        is_ours = frame.f_globals.get("__name__", "").startswith("tripletree.")
        if is_ours and name in public and not any(x.startswith(("_", "<")) for x in method):
            return frame.f_code.co_qualname
    return None
