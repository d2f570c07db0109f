"""The changing tree on numba's kernels, for the pilot's comparison: goes with ``kernels/dynamic_build.py``."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Sequence
from copy import copy
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.core.hierarchy import Hierarchy
from tripletree.kernels import freeze, frozen

_Key = tuple[int, int, int]


class DynamicAhoTree:
    """The Aho tree of a consistent set of triplets over n leaves, kept up to date while they come and go.

    Additions update the tree. A removal that may change it drops the arrays, and the next call that needs them runs
    BUILD. An interrupted call drops them too (see `_borrow`), so that a half-made change is never read.

    Parameters
    ----------
    n : int
        Number of leaves.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._row: dict[_Key, int] = {}  # triplet -> its row in the arrays, in the order of addition
        self._free: list[int] = []  # rows of the arrays that hold no triplet
        self._arrays: Any = None  # None: to be built anew when needed

    def __contains__(self, key: object) -> bool:
        return key in self._row

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._row)

    def keys(self) -> KeysView[_Key]:
        """The triplets, until the next change."""
        return self._row.keys()

    def copy(self) -> DynamicAhoTree:
        """An independent copy."""
        other = copy(self)
        other._row, other._free = dict(self._row), list(self._free)
        other._arrays = None if self._arrays is None else type(self._arrays)(*(x.copy() for x in self._arrays))
        return other

    def rows(self) -> np.ndarray:
        """The triplets in the order of addition: int32, shape (m, 3)."""
        flat = [x for key in self._row for x in key]
        return np.array(flat, np.int32).reshape(-1, 3)

    def parent(self) -> np.ndarray:
        """The Aho tree as a parent array, of at least one leaf."""
        if self.n == 1:
            return np.array([-1], np.int32)
        return kernels.dynamic_build.harvest(self._ready(1).tree, self.n)

    def can_add(self, rows: np.ndarray) -> np.ndarray:
        """True if each triplet alone is consistent with those that are there: bool, shape (k,)."""
        arrays = self._borrow(1)
        out = np.empty(len(rows), np.int8)
        new = rows.astype(np.int64, order="C")
        kernels.dynamic_build.test_all(tuple(arrays), new, self._free[-1], out)
        self._arrays = arrays
        return out != 0

    # ------------------------------------------------------------------ changes

    def add(self, key: _Key) -> bool:
        """Add a triplet that is not there, unless it contradicts the others. Returns whether it was added."""
        arrays = self._borrow(1)
        added = kernels.dynamic_build.grow(tuple(arrays), self._free[-1], key) != 0
        if added:
            self._row[key] = self._free.pop()
        self._arrays = arrays
        return added

    def add_consistent(self, keys: Sequence[_Key]) -> list[_Key]:
        """Add different triplets that are not there, one after the other, if consistent. Return the added ones."""
        arrays = self._borrow(len(keys))
        new = np.array(keys, np.int64).reshape(-1, 3)
        was_added = np.empty(len(keys), np.int8)
        rows = np.array(self._free[: -len(keys) - 2 : -1], np.int64)  # in the order in which they would be popped
        count = kernels.dynamic_build.grow_all(tuple(arrays), new, rows, was_added)
        added = [key for key, yes in zip(keys, was_added.tolist(), strict=True) if yes]
        del self._free[len(self._free) - count :]
        self._row.update(zip(added, rows[:count].tolist(), strict=True))
        self._arrays = arrays
        return added

    def add_all_or_none(self, keys: Sequence[_Key]) -> bool:
        """Add different triplets that are not there with one run of BUILD. Returns whether it succeeded."""
        rows = np.concatenate([self.rows(), np.array(keys, np.int32).reshape(-1, 3)])
        built = build_aho_tree(rows, self.n)
        if built.failed.size:
            return False
        self.restore(keys)
        self._load(built.parent, rows, 1)
        return True

    def restore(self, keys: Sequence[_Key]) -> None:
        """Add triplets that are known to be consistent with those that are there."""
        if not keys:
            return
        if self._arrays is not None and len(keys) == 1:
            self.add(keys[0])
            return
        self._arrays = None
        self._row.update(dict.fromkeys(keys, -1))

    def remove(self, keys: Sequence[_Key]) -> None:
        """Remove triplets that are there."""
        for key in keys:
            arrays, self._arrays = self._arrays, None
            t = self._row.pop(key)
            if arrays is not None and kernels.dynamic_build.drop(tuple(arrays), t) == 1:  # same tree
                self._free.append(t)
                self._arrays = arrays

    def reset(self, present: Sequence[_Key], absent: Sequence[_Key]) -> None:
        """Make some triplets present and others absent, whichever of them an interrupted change has left."""
        self._arrays = None
        for key in absent:
            self._row.pop(key, None)
        self._row.update(dict.fromkeys(present, -1))

    def set_leaf_count(self, n: int) -> None:
        """Have n leaves from now on, no fewer than before."""
        self._arrays = None
        self.n = n

    # ------------------------------------------------------------------ arrays

    def _ready(self, more: int) -> Any:
        """The arrays of the tree, with free rows for `more` triplets and one to try candidates in."""
        if self._arrays is None:
            rows = self.rows()
            self._load(build_aho_tree(rows, self.n).parent if self.n else np.array([-1], np.int32), rows, more)
        elif len(self._free) <= more:
            self._enlarge(self._arrays, more)
        assert self._arrays is not None
        return self._arrays

    def _borrow(self, more: int) -> Any:
        """The arrays for a change, to be given back at its end.

        Until then `_arrays` is None, so if the change is interrupted the half-changed arrays are lost and the tree is
        built anew from the triplets in `_row`.
        """
        arrays = self._ready(more)
        self._arrays = None
        return arrays

    def _load(self, parent: np.ndarray, rows: np.ndarray, more: int) -> None:
        """Fill new arrays from the parent array that BUILD makes of the rows."""
        n, m = self.n, len(rows)
        capacity = 2 * (m + more) + 16
        lca = np.empty(0, np.int32)  # of the three leaves of each triplet
        if m:
            a, c = (freeze(np.ascontiguousarray(rows[:, k])) for k in (0, 2))
            hierarchy = Hierarchy(freeze(parent))
            parent = hierarchy.parent
            lca = engine.rooted_tree.common_ancestors(a, c, *hierarchy.ancestor_table)
        arrays = kernels.dynamic_build.empty_tables(n, capacity)
        kernels.dynamic_build.plant(freeze(parent), freeze(lca), frozen(rows), arrays)
        self._row = dict(zip(self._row, range(m), strict=True))
        self._free = list(range(capacity - 1, m - 1, -1))
        self._arrays = arrays

    def _enlarge(self, arrays: Any, more: int) -> None:
        """Make room for `more` triplets and as many again."""
        old, nodes = arrays.row.shape[0], arrays.tree.shape[0]
        new = 2 * (old + more)
        # in `by_lca` the first entries stand for triplets and those from `old` on for nodes: the latter move up
        links = np.where(arrays.by_lca >= old, arrays.by_lca + (new - old), arrays.by_lca)
        by_lca = kernels.dynamic_build.empty_table((new + nodes, 2), np.int32)
        by_lca[:old], by_lca[new:] = links[:old], links[old:]
        listed = kernels.dynamic_build.empty_table((len(arrays.listed), new), np.int32)
        listed[:, :old] = arrays.listed
        # the free pieces end with the number after the last one, the first new one's now
        entries, pieces = _longer(arrays.entries, new // 5 + self.n + 1), len(arrays.entries)
        entries[pieces:, kernels.dynamic_build.NEXT_PIECE] = np.arange(pieces + 1, len(entries) + 1)
        larger = arrays._replace(row=_longer(arrays.row, new), entries=entries, by_lca=by_lca, listed=listed)
        self._arrays = None
        self._free = [*range(new - 1, old - 1, -1), *self._free]
        self._arrays = larger


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    out = kernels.dynamic_build.empty_table((length, *array.shape[1:]), array.dtype)
    out[: array.shape[0]], out[array.shape[0] :] = array, 0
    return out
