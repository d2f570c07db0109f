"""Arrays that nobody can change: values are made of them, and the compiled core reads them as they are.

Arrays of indices are C-contiguous int32.
"""

from __future__ import annotations

from typing import Any

import numpy as np


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
    it sees the memory through a read-only buffer. Such arrays are trusted, as the parents of a tree: they were
    checked when it was made, and do not change.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner.setflags(write=False)
        owner = owner.base
    return array if array.dtype.kind in "mM" else np.asarray(array.data)  # no buffer holds times
