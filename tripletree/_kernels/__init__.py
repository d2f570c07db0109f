"""Compiled loops on plain arrays: no labels, no tripletree objects, no errors, no randomness.

Each module is imported, and numba with it, when its first kernel is asked for: ``from tripletree import _kernels``
costs nothing, ``_kernels.rooted_tree.depths(parent)`` loads what it needs.

Conventions: arrays of indices are C-contiguous int32 and read-only (see `frozen`), so that each kernel is compiled
once; outputs are allocated inside; scalar loops; no recursion.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["frozen"]

_MODULES = frozenset(
    {
        *("aho", "aho_blocks", "aho_fuse", "aho_tree", "boxes", "branches", "centres", "cuts", "disjoint_set"),
        *("even_shiloach", "groups", "purity", "recon", "rejected", "rooted_tree", "spanning", "table"),
    }
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"tripletree._kernels.{name}")
    msg = f"module 'tripletree._kernels' has no attribute {name!r}"
    raise AttributeError(msg)


def frozen(array: Any, dtype: Any = np.int32) -> np.ndarray:
    """Return ``array`` as a C-contiguous read-only array of ``dtype``; a copy unless it already is one.

    A writable array is copied, never flagged: the caller's object stays as it was. So is a read-only view of one.
    """
    out = np.asarray(array)
    if out.dtype == dtype and out.flags.c_contiguous and _is_constant(out):
        return out
    out = np.array(out, dtype=dtype, order="C")
    out.setflags(write=False)
    return out


def _is_constant(array: Any) -> bool:
    """Whether nobody can write to the array's memory: neither through it nor through what it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return array is None


def freeze(array: np.ndarray) -> np.ndarray:
    """Flag an array that nobody else holds as read-only and return it (no copy)."""
    array.setflags(write=False)
    return array
