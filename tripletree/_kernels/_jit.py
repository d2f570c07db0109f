"""The one place that says how numba compiles.

``TRIPLETREE_JIT=0`` runs every kernel as plain Python (slow; for coverage and debugging) and never imports numba.
Bounds checking is numba's own switch: ``NUMBA_BOUNDSCHECK=1`` with a ``NUMBA_CACHE_DIR`` of its own.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

__all__ = ["JIT", "allocating", "inner", "njit", "pointer"]

_SETTING = os.environ.get("TRIPLETREE_JIT", "1").strip().lower()
if _SETTING not in {"0", "1", "off", "on", "false", "true"}:
    _MESSAGE = f"TRIPLETREE_JIT is {_SETTING!r}; set it to 1 (compile the kernels, the default) or 0 (plain Python)"
    raise ValueError(_MESSAGE)

#: Whether kernels are compiled.
JIT: bool = _SETTING in {"1", "on", "true"}


def _digest() -> str:
    """A fingerprint of all kernel sources.

    numba renews a cached kernel when its own file changes, but not when the file of a kernel that it calls does: it
    would go on with the old one. With the fingerprint in its name, every kernel is renewed when any of them changes.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


_SOURCES = _digest() if JIT else ""


def njit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel: no Python objects, no GIL, kept on disk between processes.

    The cache is left out where no folder can be written (numba then refuses at decoration time).
    """
    return _compiled(function, nogil=True)


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a part of a kernel that Python never calls and that makes no arrays.

    It comes without the wrappers, which take long to compile, and without counting references to the arrays that it is
    given: each count is an atomic operation, and they were 40 % of ReCon's time.
    """
    return _compiled(function, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


def allocating(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a part of a kernel that Python never calls and that makes arrays."""
    return _compiled(function, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def pointer(kernel: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """Compile a kernel by itself, to be passed to other kernels, which call it by its address.

    What calls a kernel by name takes in all of its code and optimises it once more; along a chain of large kernels that
    is most of the time to compile. Called from Python, the result runs as plain Python.
    """
    if not JIT:
        return kernel
    import numba

    source = kernel.py_func  # type: ignore[attr-defined]
    # a function of its own: in numba's cache it must not stand for the kernel that Python can call
    function = FunctionType(source.__code__, source.__globals__, source.__name__)
    function.__module__, function.__qualname__ = source.__module__, f"{source.__qualname__}_by_address"
    options = {"nopython": True, "_nrt": False, "error_model": "numpy"}
    try:
        return numba.cfunc(signature, cache=True, **options)(function)
    except RuntimeError:
        return numba.cfunc(signature, **options)(function)


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    if not JIT:
        return function
    import numba

    function.__qualname__ += f"_{_SOURCES}"
    options["error_model"] = "numpy"  # kernels never raise: a check at each division would keep loops from vectorising
    try:
        return numba.njit(function, cache=True, **options)
    except RuntimeError:
        return numba.njit(function, **options)
