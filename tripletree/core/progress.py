"""One progress bar for everything that takes long.

Without a bar, the logger "tripletree.progress" tells once a minute how much is done, if it takes messages of level
INFO. The command line lets it write to a standard error that is no terminal.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import Any

#: Seconds between two messages of the logger.
EVERY = 60.0

#: Takes messages on progress where no bar is drawn.
LOGGER = logging.getLogger("tripletree.progress")


#: What work tells of its progress: how many more steps are done.
Tick = Callable[[int], Any]


def silent(done: int) -> None:
    """The `Tick` to which nobody listens."""


@contextmanager
def progress_bar(verbose: Any, total: int | None, what: str, unit: str = "merges") -> Iterator[Tick]:
    """A function that moves a bar in the terminal or notebook.

    If `verbose` is false it moves a count that `LOGGER` tells, and is `silent` if nobody listens. The bar does not stay
    on the screen after an error, where it would claim progress that was lost.
    """
    if not verbose:
        with _told(what, total, unit) if LOGGER.isEnabledFor(logging.INFO) else nullcontext(silent) as count:
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
def _told(what: str, total: int | None, unit: str) -> Iterator[Tick]:
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


def teller(progress: Tick) -> Callable[[int], None]:
    """Return what the core tells how many steps are done, from a callable that is told how many are new."""
    shown = 0

    def tell(done: int) -> None:
        nonlocal shown
        if done > shown:
            progress(done - shown)
        shown = max(done, shown)

    return tell
