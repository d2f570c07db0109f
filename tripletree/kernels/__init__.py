"""Compiled loops on plain arrays: no labels, no tripletree objects, no errors, no randomness.

Each module is imported when its first kernel is asked for, and numba when the first one is compiled (``jit`` says
when): ``from tripletree import kernels`` costs nothing, ``kernels.rooted_tree.depths(parent)`` loads what it needs.
A caller writes ``kernels.module.kernel(...)`` and gets the plain or the compiled version by the size of the arrays;
`fast` and `plain` are for callers that know better.

Conventions: arrays of indices are C-contiguous int32 and read-only (see `frozen`), so that each kernel is compiled
once; outputs are allocated inside; scalar loops; no recursion. State that lasts from call to call is a NamedTuple of
arrays with a documented field for each, a counter being an array of one entry; the function that makes an empty one
stands beside it. Inside compiled code such tuples cost nothing; a call from Python pays for each array in them
("Why there are two changing trees" in docs/algorithms.md).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from types import ModuleType
from typing import Any

import numpy as np

from tripletree.interrupts import check_time, is_heard
from tripletree.kernels.jit import (
    MODE,
    SMALL,
    Dispatcher,
    KernelModule,
    compiled,
    compiling_pays,
    is_kept,
    loading_pays,
    n_compiled,
    plainly,
    total_size,
)

__all__ = ["at_hand", "cache_folder", "fast", "freeze", "frozen", "interruptible", "n_compiled", "plain"]

#: Seconds that a kernel which has been told to end is waited for: it asks some thousand times a second.
_LAST_STEPS = 2.0

_MODULES = frozenset(path.stem for path in Path(__file__).parent.glob("*.py")) - {"__init__", "first_use", "jit"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        import_module(f"tripletree.kernels.{name}")  # sets the attribute: see below
        return globals()[name]
    msg = f"module 'tripletree.kernels' has no attribute {name!r}"
    raise AttributeError(msg)


class _Kernels(ModuleType):
    """The type of this package: a module of kernels becomes a `KernelModule` when the import system sets it here."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _MODULES and isinstance(value, ModuleType):
            value = _dispatching(value, Dispatcher)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Kernels


def _dispatching(module: ModuleType, choose: Callable[[Any], Any]) -> Any:
    if MODE == "never":
        return module
    return KernelModule(module, compiled if MODE == "always" else choose)


@cache
def fast(name: str) -> Any:
    """The kernels of a module, compiled whatever their inputs, unless nothing is to be compiled."""
    return _dispatching(import_module(f"tripletree.kernels.{name}"), compiled)


@cache
def plain(name: str) -> Any:
    """The kernels of a module as plain Python, for what is known to be little work, unless all is to be compiled."""
    return _dispatching(import_module(f"tripletree.kernels.{name}"), plainly)


def at_hand(name: str, kernel: str, seconds: float, *arguments: Any) -> Any:
    """The kernels of a module for one call of one of them that takes about so many seconds as plain Python.

    Compiled where code for such arguments lies in the cache and loading it takes less time, or where that and earlier
    calls together take long enough for compiling to pay; else plain.
    """
    if MODE == "auto":
        source = getattr(import_module(f"tripletree.kernels.{name}"), kernel)
        if compiling_pays(source, seconds, *arguments) or (loading_pays(seconds) and is_kept(source, *arguments)):
            return fast(name)
    return plain(name)


def cache_folder() -> Path | None:
    """The folder that numba is told to keep compiled kernels in; None where it cannot be written."""
    folder = compiled(import_module("tripletree.kernels.disjoint_set").find)._cache.cache_path
    return Path(folder).parent if folder else None


def interruptible(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """Call a kernel that may take long, in a thread of its own, so that Ctrl-C and limits of time are heard at once.

    Python looks at signals only between two steps of its main thread, and a compiled kernel is one step. Here the main
    thread waits instead. After Ctrl-C, the kernel is told to end by its last argument, a ``budget.Budget`` (one without
    runs to its end in the background), and what it has written so far is void: so it must write to no array that the
    caller or anybody else goes on to use. (Where that cannot be, kernels do a part of the work a call, as in
    ``recon``.) The hand-over takes 0.1 ms; small inputs do without, and so do other threads that have no
    limit of time, as these never hear of Ctrl-C.
    """
    if MODE == "never" or total_size(arguments) <= SMALL or not is_heard():
        return kernel(*arguments)
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(kernel(*arguments))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    done = Event()  # (a `join` that is interrupted takes the thread for ended)
    try:
        Thread(target=work, name="kernel", daemon=True).start()  # a daemon does not keep the process from ending
        while not done.wait(0.1):  # without a limit no signal is heard on Windows
            check_time()
    except BaseException:  # Ctrl-C, the end of a limit of time, or what else a handler of signals raises
        most = getattr(arguments[-1], "most", None)
        if most is not None:
            most[0] = -1
            done.wait(_LAST_STEPS)
        raise
    if errors:
        raise errors[0]
    return results[0]


def frozen(array: Any, dtype: Any = np.int32) -> np.ndarray:
    """Return ``array`` as a C-contiguous read-only array of ``dtype``; a copy unless `freeze` has made it one.

    A writable array is copied, never flagged: the caller's object stays as it was. So is a read-only view of one, and
    one that its owner has flagged, who can undo that.
    """
    out = np.asarray(array)
    if out.dtype == dtype and out.flags.c_contiguous and _is_constant(out):
        return out
    return freeze(np.array(out, dtype=dtype, order="C"))


def _is_constant(array: Any) -> bool:
    """Whether nobody can write to the array's memory, neither through it nor through what it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return isinstance(array, memoryview) and isinstance(array.obj, np.ndarray) and not array.obj.flags.writeable


def freeze(array: np.ndarray) -> np.ndarray:
    """Make an array that nobody else holds read-only for good and return it (no copy).

    Who holds the array that owns the memory can flag it as writable again. What is returned cannot be flagged so: it
    sees the memory through a read-only buffer. Kernels trust such arrays, as the parents of a tree: they were checked
    when it was made, and do not change.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner.setflags(write=False)
        owner = owner.base
    return array if array.dtype.kind in "mM" else np.asarray(memoryview(array))  # no buffer holds times
