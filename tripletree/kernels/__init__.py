"""Compiled loops on plain arrays: no labels, no tripletree objects, no errors, no randomness.

``from tripletree import kernels`` costs nothing: a module of kernels is imported when its first kernel is asked for,
and numba when the first kernel is compiled. ``kernels.rooted_tree.depths(parent)`` calls a kernel, which picks its
plain or its compiled version (see ``jit``).

Conventions: arrays of indices are C-contiguous int32 and read-only (see `frozen`), so that each kernel is compiled
once. Outputs are allocated inside. Loops are over scalars, without recursion. State that lasts from call to call is a
NamedTuple of arrays with a documented field for each. A counter is an array of one entry. The function that makes an
empty state stands beside it. Inside compiled code such tuples cost nothing. A call from Python pays for each array in
them ("Why there are two changing trees" in docs/algorithms.md).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tripletree.interrupts import in_thread, is_heard
from tripletree.kernels.jit import MODE, SMALL, folder_of_cache, n_compiled, total_size  # noqa: F401 (for callers)

_MODULES = frozenset(path.stem for path in Path(__file__).parent.glob("*.py")) - {"__init__", "first_use", "jit"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"tripletree.kernels.{name}")  # from now on an attribute of this package
    msg = f"module 'tripletree.kernels' has no attribute {name!r}"
    raise AttributeError(msg)


def interruptible(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """Call a kernel that may take long, in a thread of its own, so that Ctrl-C and limits of time are heard at once.

    Python looks at signals only between two steps of its main thread, and a compiled kernel is one step. Here the main
    thread waits instead. After Ctrl-C, the last argument, a ``budget.Budget``, tells the kernel to end. A kernel
    without one runs to its end in the background. The result is void, so the kernel must write to no array that anybody
    goes on to use. (If that cannot be, kernels do a part of the work a call, as in ``recon``.) The hand-over takes
    0.1 ms. Small inputs do without it, and so do other threads without a limit of time, which never hear of Ctrl-C.
    """
    if MODE == "never" or total_size(arguments) <= SMALL or not is_heard():
        return kernel(*arguments)
    most = getattr(arguments[-1], "most", None)
    return in_thread(kernel, *arguments, end=None if most is None else partial(most.__setitem__, 0, -1))


def frozen(array: Any, dtype: Any = np.int32) -> np.ndarray:
    """Return ``array`` as a C-contiguous read-only array of ``dtype``. This is a copy unless `freeze` made the array.

    A writable array is copied, never flagged: the caller's object stays as it was. Views of a writable array, and
    arrays that their owner has flagged as read-only, are copied, too, because somebody else can still write to them.
    """
    out = np.asarray(array)
    if out.dtype == dtype and out.flags.c_contiguous and _is_constant(out):
        return out
    return freeze(np.array(out, dtype=dtype, order="C"))


def _is_constant(array: Any) -> bool:
    """Whether nobody can write to the array's memory, neither through it nor through the arrays it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return isinstance(array, memoryview) and isinstance(array.obj, np.ndarray) and not array.obj.flags.writeable


def freeze(array: np.ndarray) -> np.ndarray:
    """Make an array that nobody else holds read-only for good and return it (no copy).

    The holder of the array that owns the memory can flag it as writable again. The returned array cannot be flagged so:
    it sees the memory through a read-only buffer. Kernels trust such arrays, as the parents of a tree: they were
    checked when it was made, and do not change.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner.setflags(write=False)
        owner = owner.base
    return array if array.dtype.kind in "mM" else np.asarray(memoryview(array))  # no buffer holds times
