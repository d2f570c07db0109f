"""Work in threads that an interrupt or a limit of time can end, and work for which BLAS takes one thread."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import lru_cache
from threading import Event
from typing import Any, TypeVar

from tripletree.core.progress import Tick
from tripletree.interrupts import check_time

T = TypeVar("T")


def side_by_side(run: Callable[[int, Event], T], n: int, tell: Tick) -> list[T]:
    """Return the results of ``run(i, stop)`` for i in 0..n-1, in this order, several at a time.

    Parameters
    ----------
    run : callable
        It looks at ``stop.is_set()`` now and then, and ends if that is true.
    n : int
    tell : callable
        Is called with the number of calls that have ended.

    Examples
    --------
    >>> side_by_side(lambda i, stop: i * i, 3, lambda done: None)
    [0, 1, 4]
    """
    stop = Event()
    with ThreadPoolExecutor(min(n, os.cpu_count() or 1)) as pool:
        futures = [pool.submit(run, i, stop) for i in range(n)]
        waiting = set(futures)
        try:
            while waiting:  # a wait without an end would not hear Ctrl-C everywhere
                done, waiting = wait(waiting, timeout=0.2)
                check_time()
                tell(len(done))
        except BaseException:
            stop.set()
            raise
        return [future.result() for future in futures]


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS takes one thread: their number changes the rounding, and small matrices take longer.

    To look for the libraries takes 2 ms, so they are looked for again only if a module has been imported since.

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     product = np.eye(2) @ np.eye(2)
    """
    return _controller(len(sys.modules)).limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _controller(_n_modules: int) -> Any:
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController()
