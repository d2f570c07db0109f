"""The one place that says how numba compiles.

``TRIPLETREE_JIT=0`` runs every kernel as plain Python (slow; for coverage and debugging) and never imports numba.
Bounds checking is numba's own switch: ``NUMBA_BOUNDSCHECK=1`` with a ``NUMBA_CACHE_DIR`` of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

__all__ = ["JIT", "inner", "njit"]

_SETTING = os.environ.get("TRIPLETREE_JIT", "1").strip().lower()
if _SETTING not in {"0", "1", "off", "on", "false", "true"}:
    _MESSAGE = f"TRIPLETREE_JIT is {_SETTING!r}; set it to 1 (compile the kernels, the default) or 0 (plain Python)"
    raise ValueError(_MESSAGE)

#: Whether kernels are compiled.
JIT: bool = _SETTING in {"1", "on", "true"}


def njit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel: no Python objects, no GIL, kept on disk between processes.

    The cache is left out where no folder can be written (numba then refuses at decoration time).
    """
    return _compiled(function, nogil=True)


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a part of a kernel that Python never calls: without the wrappers, which take long to compile."""
    return _compiled(function, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    if not JIT:
        return function
    import numba

    try:
        return numba.njit(function, cache=True, **options)
    except RuntimeError:
        return numba.njit(function, **options)
