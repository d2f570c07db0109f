"""TripletBuilder: triplets one at a time, consistent at every moment."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from copy import copy
from math import isfinite
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.algorithms.aho import split_down
from tripletree.algorithms.conflict import conflict_inside
from tripletree.algorithms.induce import rows_over
from tripletree.core.checks import check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet, check_triplet_rows, check_weights, framed, label_triple
from tripletree.errors import (
    InconsistentTripletsError,
    InvalidHierarchyError,
    InvalidTripletError,
    TripletreeError,
    UnknownLeafError,
    UnknownTripletError,
)
from tripletree.kernels import freeze, frozen

__all__ = [
    "Before",
    "BuilderState",
    "Held",
    "Key",
    "LabelTriplet",
    "Step",
    "Steps",
    "TripletBuilder",
    "contradiction",
    "is_one",
    "key_of",
    "keys_of",
    "rows_of",
    "set_over",
    "weights_of",
]


# ----------------------------------------------------------------------
# What users hand to `TripletBuilder`, as triplets of leaf indices; and what it answers when it cannot take them.

#: A triplet ab|c as leaf indices, a < b.
Key = tuple[int, int, int]


def is_one(triplets: Any, leaves: LeafIndex) -> bool:
    """Whether this is one triplet: a tuple, unless of tuples or lists that are no labels here."""
    if not isinstance(triplets, tuple) or not triplets:
        return False
    nested = all(isinstance(x, (tuple, list, np.ndarray)) for x in triplets)
    return not nested or (isinstance(triplets[0], tuple) and _is_hashable(triplets[0]) and triplets[0] in leaves)


def key_of(triplet: Any, leaves: LeafIndex) -> Key:
    """One tuple of labels."""
    a, b, c = label_triple(triplet, 0)
    try:
        i, j, k = leaves.index(a), leaves.index(b), leaves.index(c)
    except (UnknownLeafError, TypeError):
        i, j, k = _indices([(a, b, c)], leaves).tolist()
    return (i, j, k) if i < j else (j, i, k)


def keys_of(rows: np.ndarray) -> list[Key]:
    """Rows of leaf indices."""
    return [(a, b, c) if a < b else (b, a, c) for a, b, c in rows.tolist()]


def rows_of(triplets: Any, leaves: LeafIndex) -> np.ndarray:
    """One triplet or several as rows of leaf indices, in the order given."""
    if isinstance(triplets, TripletSet):
        return rows_over(triplets, leaves)
    if is_one(triplets, leaves):
        return np.array([key_of(triplets, leaves)], np.int32)
    return _rows(triplets, leaves)[0]


def set_over(triplets: Any, leaves: LeafIndex, weights: Any) -> TripletSet:
    """Several triplets as a set over the builder's leaves, with the weights given or else their own."""
    if isinstance(triplets, TripletSet):
        rows, own = rows_over(triplets, leaves), triplets.weights
    else:
        rows, own = _rows(triplets, leaves)
    return TripletSet(rows, leaves, own if weights is None else weights_of(weights, len(rows)))


def weights_of(weights: Any, m: int) -> np.ndarray:
    """The weights of m triplets: one for each, or one for all."""
    try:
        told = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        return check_weights(weights, m)  # says what is wrong
    if told.ndim == 0:
        return np.repeat(check_weights(told.reshape(1), 1), m)
    return check_weights(told, m)


def _rows(triplets: Any, leaves: LeafIndex) -> tuple[np.ndarray, Any]:
    """Rows of leaf indices from an iterable of label triples or a data frame, and the weights that are in it."""
    frame = framed(triplets)
    if frame is None and not hasattr(triplets, "__iter__"):
        msg = (
            "a triplet (a, b, c), a TripletSet or an iterable of triplets is wanted, "
            f"not {type(triplets).__name__} ({triplets!r:.60})"
        )
        raise TypeError(msg)
    entries = [label_triple(row, k) for k, row in enumerate(triplets if frame is None else frame[0])]
    return _indices(entries, leaves), None if frame is None else frame[1]


def _indices(entries: Sequence[tuple], leaves: LeafIndex) -> np.ndarray:
    """Label triples as rows of leaf indices."""
    try:
        return leaves.indices((x for row in entries for x in row), what="leaves of the builder").reshape(-1, 3)
    except TypeError:
        for k, row in enumerate(entries):
            for label in row:
                if not _is_hashable(label):
                    msg = f"triplet {k} is {row!r}: {label!r} is a {type(label).__name__}, which cannot be a leaf label"
                    raise InvalidTripletError(msg, row=k) from None
        raise


def _is_hashable(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def contradiction(rows: np.ndarray, new: Sequence[Key], leaves: LeafIndex) -> InconsistentTripletsError:
    """The error that says why `new` cannot be added to consistent `rows`."""
    both = TripletSet(np.concatenate([rows, np.array(new, np.int32)]), leaves)
    failed = split_down(both.rows, len(leaves))[1]
    group = [leaves[i] for i in np.sort(failed).tolist()]
    return InconsistentTripletsError(group, conflict_inside(both, failed))


# ----------------------------------------------------------------------
# The arrays on which the kernels of ``growing`` keep the Aho tree of a growing set of triplets, and their upkeep.


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
        return kernels.dynamic_build.harvest(self._ready(1)[0], self.n)

    # ------------------------------------------------------------------ changes

    def grow(self, key: Key) -> bool:
        """Add a triplet that is not there, if it is consistent with those that are."""
        arrays = self._borrow(1)
        taken = kernels.dynamic_build.grow(*arrays, self.n, self._free[-1], *key, 1) != 0
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
        taken = kernels.dynamic_build.grow_all(*arrays, self.n, new, ids, 0, 0, len(keys), told)
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
                if kernels.dynamic_build.drop(tree, row, slot, ring, shelf, mark, path, var, t) == 1:
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
        kernels.dynamic_build.tell_all(*arrays, self.n, new, self._free[-1], 0, len(rows), told)
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
            separator = kernels.rooted_tree.common_ancestors(a, c, *hierarchy.ancestor_table)
        shapes = [(nodes, 8), (capacity, 8), (n, 2), (3 * capacity,), (capacity + nodes, 2)]
        shapes += [(nodes, 11), (6, capacity), (8, nodes), (nodes, 5), (7,)]
        arrays = tuple(np.empty(shape, np.int64) for shape in shapes)
        tree, row, slot, ring, shelf, mark, _, _, path, var = arrays
        planted = freeze(parent), freeze(separator), frozen(rows), n
        kernels.dynamic_build.plant(*planted, tree, row, slot, ring, shelf, mark, path, var)
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


# ----------------------------------------------------------------------
# What a builder holds: its questions, which change nothing.

LabelTriplet = tuple[Any, Any, Any]
#: Triplets between two moments at which an interrupt is heard.


class Held:
    """Consistent triplets, the answers about them, and what `TripletBuilder` changes."""

    leaves: LeafIndex
    _state: BuilderState
    _weights: dict[Key, float]
    _triplets: TripletSet | None
    _hierarchy: Hierarchy | None

    def can_add(self, triplets: TripletSet | LabelTriplet | Iterable[LabelTriplet]) -> np.ndarray:
        """Tell for each triplet whether it alone could be added; nothing changes.

        Parameters
        ----------
        triplets : TripletSet, tuple (a, b, c), or iterable of (a, b, c)
            Tuples are labels, each meaning ab|c.

        Returns
        -------
        ndarray of bool
            Parallel to ``triplets.rows``, or to the tuples as they come. True for those that are there.

        Raises
        ------
        UnknownLeafError
            If a label is none of the leaves.
        InvalidTripletError
            If an entry has not three different labels.

        Examples
        --------
        >>> from tripletree.algorithms.dynamic import TripletBuilder
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c")])
        >>> builder.can_add([("b", "c", "a"), ("c", "d", "a")]).tolist()
        [False, True]
        """
        rows = rows_of(triplets, self.leaves)
        told = np.empty(len(rows), np.bool_)
        for start in range(0, len(rows), _SLICE):
            told[start : start + _SLICE] = self._state.tell_all(rows[start : start + _SLICE])
        return told

    @property
    def triplets(self) -> TripletSet:
        """What is there, as a set over `leaves`; with weights if any were given."""
        if self._triplets is None:
            rows = self._state.rows()
            weights = None
            if self._weights:
                weights = np.array([self._weights.get(key, 1.0) for key in keys_of(rows)])
            self._triplets = TripletSet(rows, self.leaves, weights)
        return self._triplets

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of what is there: equal to ``one_tree(builder.triplets)``."""
        if self._hierarchy is None:
            n = len(self.leaves)
            if n == 0:
                msg = "there are no leaves: a hierarchy needs at least one"
                raise InvalidHierarchyError(msg)
            parent = kernels.rooted_tree.canonical_parent(freeze(self._state.parent()), n)
            self._hierarchy = Hierarchy(freeze(parent), self.leaves)
        return self._hierarchy

    def __len__(self) -> int:
        return len(self._state)

    def __contains__(self, triplet: object) -> bool:
        try:
            return self._key(triplet) in self._state
        except (TripletreeError, TypeError):
            return False

    def __iter__(self) -> Iterator[LabelTriplet]:
        return (self._labelled(key) for key in self._state)

    def __repr__(self) -> str:
        noun = "triplet" if len(self) == 1 else "triplets"
        return f"<TripletBuilder: {len(self)} {noun} on {len(self.leaves)} leaves>"

    def _key(self, triplet: Any) -> Key:
        return key_of(triplet, self.leaves)

    def _labelled(self, key: Key) -> LabelTriplet:
        a, b, c = key
        return self.leaves[a], self.leaves[b], self.leaves[c]


# ----------------------------------------------------------------------
# The steps of a builder: what was done, what is kept to take it back, and what is set right if one is broken off.

#: The weights that changed triplets had before a step.
Before = dict[Key, float | None]
#: What was done: keys added, keys removed, weights before.
Step = tuple[Sequence[Key], Sequence[Key], Before]
#: Where all weights together are less, no sum of them is infinite; else they are added up.
_SAFE_WEIGHT = 1e300


class Steps(Held):
    """Consistent triplets with the steps that led to them."""

    _history: list[Step]
    _most_weight: float

    def _weighed(self, keys: Sequence[Key], told: Sequence[float], fresh: set[Key]) -> dict[Key, float]:
        """The weights of triplets when those told are added; refused where one, or all together, are infinite."""
        held = self._weights
        after = {
            key: weight if key in fresh else held.get(key, 1.0) + weight for key, weight in zip(keys, told, strict=True)
        }
        most = self._most_weight + sum(after.values())
        if most > _SAFE_WEIGHT and not isfinite(sum({**held, **after}.values())):
            msg = "with these weights all weights of the builder add up to infinity: give smaller ones"
            raise InvalidTripletError(msg)
        self._most_weight = most
        return after

    def _reset(self, steps: int, added: Sequence[Key], removed: Sequence[Key], before: Before) -> None:
        """Be as before a step that was broken off somewhere, with so many steps to take back."""
        self._state.settle(removed, added)
        self._forget(steps, before)

    def _forget(self, steps: int, before: Before) -> None:
        """Leave so many steps to take back, and the weights as they were."""
        del self._history[steps:]
        for key, weight in before.items():
            if weight is None:
                self._weights.pop(key, None)
            else:
                self._weights[key] = weight
        self._triplets = self._hierarchy = None

    def _done(self, added: Sequence[Key], removed: Sequence[Key], before: Before) -> None:
        self._history.append((added, removed, before))
        self._triplets = None
        if added or removed:
            self._hierarchy = None


Label = Hashable
#: A batch of more than this share of the triplets and leaves there are then is split from scratch.
_LARGE_BATCH = 0.25
#: Additions between two moments at which an interrupt is heard.
_SLICE = 4096


class TripletBuilder(Steps):
    """A set of triplets that grows and shrinks, and is consistent at every moment.

    Each addition is tested at once; one that contradicts what is there is refused, and nothing changes. Single steps
    and batches can be taken back. `triplets` and `hierarchy` are the set and the result of `one_tree` at any time.

    Parameters
    ----------
    leaves : LeafIndex, iterable of labels, or int
        All leaves; more can follow with `add_leaves`.
    triplets : TripletSet, or iterable of (a, b, c), optional
        To start with.

    Attributes
    ----------
    leaves : LeafIndex

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays `triplets`.
    UnknownLeafError
        If a leaf of `triplets` is none of `leaves`.

    See Also
    --------
    one_tree : the hierarchy of a set that is there as a whole.
    repair : drop as little as possible of an inconsistent set.

    Notes
    -----
    The Aho tree (the result of `one_tree` [1]_) is kept up to date. Let v be the last common ancestor of a, b and c in
    it. If a and b lie in one child of v, a new triplet ab|c changes nothing. If not, the children of v that hold them
    are composed into one, from the top down; a level at which nothing but what the new triplet ties together is left
    is the contradiction. Subtrees that stay as they are move as they are, the smaller part to the larger one.

    Ways up in the tree are climbed, and once one was long, found in O(log n) amortised by splay trees over paths of the
    tree [2]_. A triplet that changes nothing costs that. A change, and a test that may end in a contradiction, costs
    time in proportion to the triplets that cross between the two children, at each level down to where none is left:
    microseconds as a rule, a millisecond where long ladders interlace (10,000 leaves), O(d m log n) at worst, d being
    the depth of the tree. Taking out a triplet takes O(log n + t), t being the number of triplets on its leaves; if the
    tree may change, it is built anew at the next question, O(n + m), once for many removals. A large batch that is
    consistent is added with one run of `one_tree`. Memory O(n + m): some 600 bytes a leaf and 500 a triplet.

    References
    ----------
    .. [1] Aho, Sagiv, Szymanski, Ullman (1981), Inferring a tree from lowest common ancestors with an application to
       the optimization of relational expressions, SIAM Journal on Computing 10(3), 405-421.
    .. [2] Sleator, Tarjan (1985), Self-adjusting binary search trees, Journal of the ACM 32(3), 652-686.

    Examples
    --------
    >>> builder = TripletBuilder(["ant", "bee", "cat", "dog"])
    >>> builder.add(("ant", "bee", "cat"))
    >>> builder.add([("cat", "dog", "ant"), ("cat", "dog", "bee")])
    >>> builder.try_add(("bee", "cat", "ant"))
    False
    >>> builder.hierarchy == Hierarchy.from_nested([["ant", "bee"], ["cat", "dog"]])
    True
    >>> builder.undo()
    >>> builder
    <TripletBuilder: 1 triplet on 4 leaves>
    """

    def __init__(
        self,
        leaves: LeafIndex | Iterable[Label] | int,
        triplets: TripletSet | Iterable[LabelTriplet] | None = None,
    ) -> None:
        self.leaves: LeafIndex = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        self._state = BuilderState(len(self.leaves))
        self._weights: dict[Key, float] = {}
        self._most_weight = 0.0  # no less than all weights together, now and before each step
        self._history: list[Step] = []
        self._triplets: TripletSet | None = None
        self._hierarchy: Hierarchy | None = None
        if triplets is not None:
            self.add(triplets)
            self._history.clear()

    # ------------------------------------------------------------------ additions

    def add(self, triplets: TripletSet | LabelTriplet | Iterable[LabelTriplet], *, weights: Any = None) -> None:
        """Add a triplet, or several: all of them or none, also when interrupted.

        Parameters
        ----------
        triplets : TripletSet, tuple (a, b, c), or iterable of (a, b, c)
            Tuples are labels, each meaning ab|c; data frames as in `TripletSet.from_labels`.
        weights : float or array_like of float, optional
            A positive weight for each, or one that each has; by default those of the set or data frame. Without any,
            a triplet weighs 1 and one that is there already stays as it is; a weight given for one that is there is
            added to its own.

        Raises
        ------
        InconsistentTripletsError
            If they contradict each other or what is there; ``.conflict`` is irreducible and holds at least one of the
            new ones. The builder is as it was.
        UnknownLeafError
            If a label is none of the leaves.
        InvalidTripletError
            If an entry has not three different labels, or a weight is not positive and finite, or all weights
            together are not.
        TypeError
            If `triplets` is no iterable.

        Examples
        --------
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c")])
        >>> builder.add(("b", "c", "a"))
        Traceback (most recent call last):
            ...
        tripletree.errors.InconsistentTripletsError: no hierarchy displays all of these triplets; ...
        """
        if is_one(triplets, self.leaves):
            key = self._key(triplets)
            told = None if weights is None else weights_of(weights, 1)
            if told is None and key in self._state:
                self._history.append(((), (), {}))
                return
            keys = [key]
        else:
            given = set_over(triplets, self.leaves, weights)
            told, keys = given.weights, keys_of(given.rows)
        new = [key for key in keys if key not in self._state]
        after = {} if told is None else self._weighed(keys, told.tolist(), set(new))
        before = {key: self._weights.get(key) for key in after}
        steps = len(self._history)
        try:
            self._include(new)
            self._weights.update(after)
            self._done(new, (), before)
        except InconsistentTripletsError:
            raise
        except BaseException:
            self._reset(steps, new, (), before)
            raise

    def try_add(self, triplet: LabelTriplet) -> bool:
        """Add a triplet unless it contradicts what is there.

        Returns
        -------
        bool
            Whether it is there now.

        Raises
        ------
        UnknownLeafError
            If a label is none of the leaves.
        InvalidTripletError
            If there are not three different labels.

        Examples
        --------
        >>> builder = TripletBuilder(list("abc"))
        >>> builder.try_add(("a", "b", "c")), builder.try_add(("b", "c", "a"))
        (True, False)
        """
        key = self._key(triplet)
        if key in self._state:
            self._history.append(((), (), {}))
            return True
        steps = len(self._history)
        try:
            if not self._state.grow(key):
                return False
            self._done((key,), (), {})
        except BaseException:
            self._reset(steps, (key,), (), {})
            raise
        return True

    def try_add_rows(self, rows: Any) -> np.ndarray:
        """Add triplets in the order given, skipping each that contradicts what is there by then.

        Parameters
        ----------
        rows : array_like of int, shape (k, 3)
            Leaf indices, (a, b, c) for ab|c.

        Returns
        -------
        ndarray of bool, shape (k,)
            Which of them are there now.

        Raises
        ------
        InvalidTripletError
            If a row is no triplet; nothing has been added.

        Notes
        -----
        Many that are all consistent are taken with one run of `one_tree`, others one after the other. It is one step
        for `undo`. If it is interrupted, what has been added by then stays.

        Examples
        --------
        >>> TripletBuilder(4).try_add_rows([[0, 1, 2], [1, 2, 0], [2, 3, 0]]).tolist()
        [True, False, True]
        """
        keys = keys_of(check_triplet_rows(rows, len(self.leaves)))
        new = [key for key in dict.fromkeys(keys) if key not in self._state]
        try:
            if not (self._is_large(new) and self._state.grow_at_once(new)):
                for start in range(0, len(new), _SLICE):
                    self._state.grow_all(new[start : start + _SLICE])
        finally:
            self._done([key for key in new if key in self._state], (), {})
        return np.fromiter((key in self._state for key in keys), np.bool_, len(keys))

    def add_leaves(self, labels: Iterable[Label]) -> None:
        """Add leaves, which hang from the root until a triplet names them; `undo` does not take them back.

        Raises
        ------
        DuplicateLeafError
            If a label is a leaf already, or is given twice.

        Examples
        --------
        >>> builder = TripletBuilder(list("abc"), [("a", "b", "c")])
        >>> builder.add_leaves(["d"])
        >>> builder.hierarchy == Hierarchy.from_nested([["a", "b"], "c", "d"])
        True
        """
        self.leaves = LeafIndex([*self.leaves, *LeafIndex(labels)])
        self._state.widen(len(self.leaves))
        self._triplets = self._hierarchy = None

    # ------------------------------------------------------------------ removals

    def remove(self, triplets: TripletSet | LabelTriplet | Iterable[LabelTriplet]) -> None:
        """Take out a triplet, or several: all of them or none.

        Raises
        ------
        UnknownTripletError
            If some are not there; ``.triplets`` holds all of these.
        UnknownLeafError
            If a label is none of the leaves.
        InvalidTripletError
            If an entry has not three different labels.

        Examples
        --------
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c"), ("c", "d", "a")])
        >>> builder.remove(("b", "a", "c"))
        >>> list(builder)
        [('c', 'd', 'a')]
        """
        keys = list(dict.fromkeys(keys_of(rows_of(triplets, self.leaves))))
        missing = [key for key in keys if key not in self._state]
        if missing:
            raise UnknownTripletError([self._labelled(key) for key in missing], len(self))
        before: dict[Key, float | None] = {key: self._weights[key] for key in keys if key in self._weights}
        steps = len(self._history)
        try:
            for key in before:
                del self._weights[key]
            self._state.drop(keys)
            self._done((), keys, before)
        except BaseException:
            self._reset(steps, (), keys, before)
            raise

    def undo(self, n: int = 1) -> None:
        """Take back the last n additions and removals, a batch being one.

        Parameters
        ----------
        n : int
            How many. `add` and `remove` count whatever they changed, `try_add` where it said yes.

        Raises
        ------
        ValueError
            If there have not been so many; nothing changes.

        Examples
        --------
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c")])
        >>> builder.remove(("a", "b", "c"))
        >>> builder.undo()
        >>> len(builder)
        1
        """
        n = check_count(n, "n")
        if n > len(self._history):
            msg = f"{n} steps cannot be taken back: there are {len(self._history)}"
            raise ValueError(msg)
        for _ in range(n):
            added, removed, before = self._history[-1]
            steps = len(self._history) - 1
            try:
                self._state.drop(added)
                self._state.put_back(removed)
                self._forget(steps, before)
            except BaseException:
                self._reset(steps, added, removed, before)  # this step is taken back, those before it are not
                raise

    def copy(self) -> TripletBuilder:
        """Return an independent builder in the same state, with the same steps to take back.

        Examples
        --------
        >>> builder = TripletBuilder(list("abc"), [("a", "b", "c")])
        >>> other = builder.copy()
        >>> other.remove(("a", "b", "c"))
        >>> len(builder), len(other)
        (1, 0)
        """
        other = TripletBuilder(self.leaves)
        other._state = self._state.copy()
        other._weights, other._most_weight = dict(self._weights), self._most_weight
        other._history = list(self._history)
        other._triplets, other._hierarchy = self._triplets, self._hierarchy
        return other

    __copy__ = copy

    # ------------------------------------------------------------------ parts

    def _include(self, new: Sequence[Key]) -> None:
        """Add triplets that are not there, all or none."""
        state = self._state
        if self._is_large(new):
            if not state.grow_at_once(new):
                raise contradiction(state.rows(), new, self.leaves)
            return
        for done, key in enumerate(new):
            if not state.grow(key):
                state.drop(new[:done])
                raise contradiction(state.rows(), new[: done + 1], self.leaves)

    def _is_large(self, new: Sequence[Key]) -> bool:
        return len(new) > max(_LARGE_BATCH * (len(self._state) + len(self.leaves)), 1)
