"""One progress bar for everything that takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(
    verbose: Any, total: int | None, what: str, unit: str = "merges"
) -> Iterator[Callable[[int], Any] | None]:
    """A function that moves a bar in the terminal or notebook; None where `verbose` is false.

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
