"""The arrays on which the kernels of ``growing`` keep the Aho tree of a growing set of triplets, and their upkeep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.builder._incoming import Key
from tripletree.hierarchy import Hierarchy
from tripletree.split import split_down

__all__ = ["BuilderState"]


class BuilderState:
    """A consistent set of triplets over n leaves and its Aho tree, which is built anew when asked for after a removal.

    Parameters
    ----------
    n : int
        Number of leaves.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._row: dict[Key, int] = {}  # in the order of addition
        self._free: list[int] = []
        self._arrays: tuple[np.ndarray, ...] | None = None  # None: the tree is to be built anew
        self._capacity = 0

    def __contains__(self, key: object) -> bool:
        return key in self._row

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._row)

    def copy(self) -> BuilderState:
        """An independent twin."""
        other = copy(self)
        other._row, other._free = dict(self._row), list(self._free)
        other._arrays = None if self._arrays is None else tuple(x.copy() for x in self._arrays)
        return other

    def rows(self) -> np.ndarray:
        """The triplets in the order of addition: int32, shape (m, 3)."""
        flat = [x for key in self._row for x in key]
        return np.array(flat, np.int32).reshape(-1, 3)

    def parent(self) -> np.ndarray:
        """The Aho tree as a parent array, at least one leaf."""
        if self.n == 1:
            return np.array([-1], np.int32)
        return _kernels.growing_tree.harvest(self._ready(1)[0], self.n)

    # ------------------------------------------------------------------ changes

    def grow(self, key: Key) -> bool:
        """Add a triplet that is not there, if it is consistent with those that are."""
        arrays = self._borrow(1)
        taken = _kernels.growing.grow(*arrays, self.n, self._free[-1], *key, 1) != 0
        if taken:
            self._row[key] = self._free.pop()
        self._arrays = arrays
        return taken

    def grow_all(self, keys: Sequence[Key]) -> list[Key]:
        """Add different triplets that are not there, in their order, where consistent; those that were added."""
        arrays = self._borrow(len(keys))
        new = np.array(keys, np.int64).reshape(-1, 3)
        told = np.empty(len(keys), np.int8)
        ids = np.array(self._free[: -len(keys) - 2 : -1], np.int64)
        taken = _kernels.growing.grow_all(*arrays, self.n, new, ids, 0, 0, len(keys), told)
        added = [key for key, said in zip(keys, told.tolist(), strict=True) if said]
        del self._free[len(self._free) - taken :]
        self._row.update(zip(added, ids[:taken].tolist(), strict=True))
        self._arrays = arrays
        return added

    def grow_at_once(self, keys: Sequence[Key]) -> bool:
        """Add different triplets that are not there with one run of BUILD, unless it fails."""
        rows = np.concatenate([self.rows(), np.array(keys, np.int32).reshape(-1, 3)])
        parent, failed = split_down(rows, self.n)
        if failed.size:
            return False
        self.put_back(keys)
        self._plant(parent, rows, 1)
        return True

    def put_back(self, keys: Sequence[Key]) -> None:
        """Add triplets that are known to be consistent with those that are there."""
        if not keys:
            return
        if self._arrays is not None and len(keys) == 1:
            self.grow(keys[0])
            return
        self._arrays = None
        self._row.update(dict.fromkeys(keys, -1))

    def drop(self, keys: Sequence[Key]) -> None:
        """Take out triplets that are there."""
        for key in keys:
            arrays, self._arrays = self._arrays, None
            t = self._row.pop(key)
            if arrays is not None:
                tree, row, slot, ring, shelf, mark, _, _, path, var = arrays
                if _kernels.growing.drop(tree, row, slot, ring, shelf, mark, path, var, t) == 1:
                    self._free.append(t)
                    self._arrays = arrays

    def settle(self, present: Sequence[Key], absent: Sequence[Key]) -> None:
        """Hold some triplets and others not, whichever of them an interrupted change has left."""
        self._arrays = None
        for key in absent:
            self._row.pop(key, None)
        self._row.update(dict.fromkeys(present, -1))

    def tell_all(self, rows: np.ndarray) -> np.ndarray:
        """Whether each triplet alone is consistent with those that are there."""
        arrays = self._borrow(1)
        told = np.empty(len(rows), np.int8)
        new = rows.astype(np.int64, order="C")
        _kernels.growing.tell_all(*arrays, self.n, new, self._free[-1], 0, len(rows), told)
        self._arrays = arrays
        return told != 0

    def widen(self, n: int) -> None:
        """Let there be n leaves, more than before."""
        self._arrays = None
        self.n = n

    # ------------------------------------------------------------------ arrays

    def _ready(self, room: int) -> tuple[np.ndarray, ...]:
        """The arrays of the tree as it is, with free rows for so many more triplets, and one to try them."""
        if self._arrays is None:
            rows = self.rows()
            self._plant(split_down(rows, self.n)[0] if self.n else np.array([-1], np.int32), rows, room)
        elif len(self._free) <= room:
            self._enlarge(room)
        return self._arrays  # type: ignore[return-value]

    def _borrow(self, room: int) -> tuple[np.ndarray, ...]:
        """The arrays for a change that gives them back: if it is interrupted, there are none, and the tree is new."""
        arrays = self._ready(room)
        self._arrays = None
        return arrays

    def _plant(self, parent: np.ndarray, rows: np.ndarray, room: int) -> None:
        """Set the arrays up from the parent array that BUILD makes of the rows."""
        n, m = self.n, len(rows)
        nodes, capacity = 2 * n + 2, 2 * (m + room) + 16
        separator = np.empty(0, np.int32)
        if m:
            a, c = (freeze(np.ascontiguousarray(rows[:, k])) for k in (0, 2))
            hierarchy = Hierarchy(freeze(parent))
            parent = hierarchy.parent
            separator = _kernels.rooted_tree.common_ancestors(a, c, *hierarchy.ancestor_table)
        shapes = [(nodes, 8), (capacity, 8), (n, 2), (3 * capacity,), (capacity + nodes, 2)]
        shapes += [(nodes, 11), (6, capacity), (8, nodes), (nodes, 5), (7,)]
        arrays = tuple(np.empty(shape, np.int64) for shape in shapes)
        tree, row, slot, ring, shelf, mark, _, _, path, var = arrays
        planted = freeze(parent), freeze(separator), frozen(rows), n
        _kernels.growing_tree.plant(*planted, tree, row, slot, ring, shelf, mark, path, var)
        self._row = dict(zip(self._row, range(m), strict=True))
        self._free = list(range(capacity - 1, m - 1, -1))
        self._arrays = arrays

    def _enlarge(self, room: int) -> None:
        """Make more rows: those of the shelves that stand for nodes move on."""
        tree, row, slot, ring, shelf, mark, _, node, path, var = self._arrays  # type: ignore[misc]
        old, nodes = row.shape[0], tree.shape[0]
        new = 2 * (old + room)
        shelf = np.where(shelf >= old, shelf + (new - old), shelf)
        moved = np.empty((new + nodes, 2), np.int64)
        moved[:old], moved[new:] = shelf[:old], shelf[old:]
        lists = np.empty((6, new), np.int64)
        arrays = tree, _longer(row, new), slot, _longer(ring, 3 * new), moved, mark, lists, node, path, var
        self._arrays = None
        self._free = [*range(new - 1, old - 1, -1), *self._free]
        self._arrays = arrays


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    out = np.zeros((length, *array.shape[1:]), array.dtype)
    out[: array.shape[0]] = array
    return out
