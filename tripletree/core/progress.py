"""One progress bar for everything that takes long, and how much of it is done between two looks at Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from tripletree.interrupts import check_time

#: Seconds that one call of a kernel should take: Python hears Ctrl-C between two calls.
_BETWEEN_LOOKS = 0.3


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
    """A function that moves a bar in the terminal or notebook. None if `verbose` is false.

    The bar does not stay on the screen after an error, where it would claim progress that was lost.
    """
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=what, unit=f" {unit}") as bar:
        try:
            yield bar.update
        except BaseException:
            bar.leave = False
            raise
