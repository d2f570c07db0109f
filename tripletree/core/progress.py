"""One progress bar for everything that takes long, and how much of it is done between two looks at Ctrl-C.

Without a bar, the logger "tripletree.progress" tells once a minute how much is done, if it takes messages of level
INFO. The command line lets it write to a standard error that is no terminal.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic, perf_counter
from typing import Any

from tripletree.interrupts import check_time

#: Seconds that one call of a kernel should take: Python hears Ctrl-C between two calls.
_BETWEEN_LOOKS = 0.3

#: Seconds between two messages of the logger.
EVERY = 60.0

#: Takes messages on progress where no bar is drawn.
LOGGER = logging.getLogger("tripletree.progress")


class Pace:
    """How many steps a kernel is asked to do in each call: fewer where the last call has taken long.

    A fixed number that is quick on some data takes many seconds on others, where a step is a search of all samples.

    Parameters
    ----------
    steps : int
        For the first call, and at most: later steps may be slower than those so far.

    Examples
    --------
    >>> pace, left = Pace(100), 100_000
    >>> while left > 0:
    ...     with pace:
    ...         left -= pace.steps
    """

    def __init__(self, steps: int) -> None:
        self.steps = self._most = steps
        self._begin = 0.0

    def __enter__(self) -> None:
        check_time()
        self._begin = perf_counter()

    def __exit__(self, *error: Any) -> None:
        wanted = _BETWEEN_LOOKS / max(perf_counter() - self._begin, 1e-9)
        self.steps = min(max(int(self.steps * min(wanted, 2.0)), 1), self._most)  # the last call may have been compiled


@contextmanager
def progress_bar(
    verbose: Any, total: int | None, what: str, unit: str = "merges"
) -> Iterator[Callable[[int], Any] | None]:
    """A function that moves a bar in the terminal or notebook.

    If `verbose` is false it moves a count that `LOGGER` tells, and is None if nobody listens. The bar does not stay on
    the screen after an error, where it would claim progress that was lost.
    """
    if not verbose:
        with _told(what, total, unit) if LOGGER.isEnabledFor(logging.INFO) else nullcontext() as count:
            yield count
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=what, unit=f" {unit}") as bar:
        try:
            yield bar.update
        except BaseException:
            bar.leave = False
            raise


class _Count:
    """How much of one piece of work is done."""

    def __init__(self, what: str, total: int | None, unit: str) -> None:
        self.what, self.total, self.unit, self.done, self.begin = what, total, unit, 0, monotonic()

    def __str__(self) -> str:
        return f"{self.what}: {self.done:,}{'' if self.total is None else f' of {self.total:,}'} {self.unit}"


#: The pieces of work that run now, each within the one before, and when the logger has told of them last.
_running: list[_Count] = []
_last = -EVERY


@contextmanager
def _told(what: str, total: int | None, unit: str) -> Iterator[Callable[[int], Any]]:
    """A function that counts, and tells of all that runs if the last message is long ago."""
    mine = _Count(what, total, unit)

    def count(done: int) -> None:
        global _last
        mine.done += done
        now = monotonic()
        begin = _running[0].begin if _running else mine.begin
        if now - max(_last, begin) >= EVERY:
            _last = now
            LOGGER.info("%s (%d s)", ", ".join(map(str, _running)) or mine, now - begin)

    _running.append(mine)
    try:
        yield count
    finally:
        _running.remove(mine)
