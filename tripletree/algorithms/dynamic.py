"""TripletBuilder: BUILD for triplets that come and go one at a time, consistent at every moment.

`TripletBuilder` deals with labels, weights and undo. `DynamicAhoTree` below it deals with leaf indices, and owns the
changing Aho tree of the core (``_core/aho_tree.hpp``). The functions at the end turn the values that users hand over
into leaf indices.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, KeysView, Sequence
from copy import copy
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree._core.engine import AhoTree
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.conflict import conflict_inside
from tripletree.algorithms.induce import rows_over
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_count, counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet, check_label_triple, check_triplet_rows, check_weights, unpack_frame
from tripletree.errors import (
    InconsistentTripletsError,
    InvalidHierarchyError,
    InvalidTripletError,
    TripletreeError,
    UnknownLeafError,
    UnknownTripletError,
)

_Label = Hashable
_LabelTriplet = tuple[Any, Any, Any]
#: A triplet ab|c as leaf indices, a < b.
_Key = tuple[int, int, int]

#: A batch of more than this share of the triplets and leaves already there is added by one run of BUILD.
_LARGE_BATCH = 0.25
#: Triplets handed to one call of a kernel. An interrupt (Ctrl-C) is only noticed between two calls.
_SLICE = 4096
#: While an upper bound of the total weight is below this, the sum cannot overflow and is not computed.
_SAFE_WEIGHT = 1e300


class _Change(NamedTuple):
    """An entry of the undo log: one `add`, `try_add`, `try_add_rows` or `remove`.

    Attributes
    ----------
    added, removed : sequence of keys
    weights_before : dict
        For each triplet with a changed weight the weight it had before, or None.
    """

    added: Sequence[_Key]
    removed: Sequence[_Key]
    weights_before: dict[_Key, float | None]


_NO_CHANGE = _Change((), (), {})


class TripletBuilder:
    """A set of triplets that grows and shrinks, and is consistent at every moment.

    Each addition is tested at once. One that contradicts the triplets there is rejected and changes nothing. Single
    changes and batches can be undone. `triplets` is the set, `hierarchy` the result of `one_tree` on it.

    Parameters
    ----------
    leaves : LeafIndex, iterable of labels, or int
        All leaves. `add_leaves` adds more.
    triplets : TripletSet, or iterable of (a, b, c), optional
        The first triplets.

    See Also
    --------
    one_tree : the hierarchy of a set that is complete from the start.
    repair : drop as little as possible of an inconsistent set.

    Notes
    -----
    The Aho tree (the result of `one_tree` [1]_) is kept up to date. "Triplets one at a time" in ``docs/algorithms.md``
    explains how. An addition that leaves the tree as it is costs O(log n) amortised [2]_. Other additions, and tests
    that end in a contradiction, cost time in proportion to the triplets between the two subtrees that become one:
    microseconds as a rule, O(d m log n) at worst for a tree of depth d. A removal takes O(log n + t) for t triplets on
    its leaves. If the tree may have changed, the next question builds it anew, O(n + m). A large consistent batch is
    added with one run of `one_tree`. Memory O(n + m): some 700 bytes a leaf and 500 a triplet.

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
        self, leaves: LeafIndex | Iterable[_Label] | int, triplets: TripletSet | Iterable[_LabelTriplet] | None = None
    ) -> None:
        self._leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        self._tree = DynamicAhoTree(len(self.leaves))
        self._weights: dict[_Key, float] = {}
        self._weight_bound = 0.0  # an upper bound of the total weight, now and at each state that undo returns to
        self._undo_log: list[_Change] = []
        self._triplets: TripletSet | None = None
        self._hierarchy: Hierarchy | None = None
        if triplets is not None:
            self.add(triplets)
            self._undo_log.clear()

    # ------------------------------------------------------------------ queries

    @property
    def leaves(self) -> LeafIndex:
        """All leaves."""
        return self._leaves

    @property
    def triplets(self) -> TripletSet:
        """The triplets there, as a set over `leaves`. With weights if any were given."""
        if self._triplets is None:
            rows = self._tree.rows()
            weights = None
            if self._weights:
                weights = np.array([self._weights.get(key, 1.0) for key in _to_keys(rows)])
            self._triplets = TripletSet(rows, self.leaves, weights)
        return self._triplets

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the triplets there: equal to ``one_tree(builder.triplets)``."""
        if self._hierarchy is None:
            n = len(self.leaves)
            if n == 0:
                msg = "there are no leaves; a hierarchy needs at least one"
                raise InvalidHierarchyError(msg)
            parent = engine.rooted_tree.canonical_parent(freeze(self._tree.parent()), n)
            self._hierarchy = Hierarchy(freeze(parent), self.leaves)
        return self._hierarchy

    def __len__(self) -> int:
        return len(self._tree)

    def __contains__(self, triplet: object) -> bool:
        try:
            return _to_key(triplet, self.leaves) in self._tree
        except (TripletreeError, TypeError):
            return False

    def __iter__(self) -> Iterator[_LabelTriplet]:
        return (self._labelled(key) for key in self._tree)

    def __repr__(self) -> str:
        noun = "triplet" if len(self) == 1 else "triplets"
        return f"<TripletBuilder: {len(self)} {noun} on {counted(len(self.leaves), 'leaf', 'leaves')}>"

    def can_add(self, triplets: TripletSet | _LabelTriplet | Iterable[_LabelTriplet]) -> np.ndarray:
        """Tell for each triplet whether it alone could be added. Nothing changes.

        Parameters
        ----------
        triplets : TripletSet, tuple (a, b, c), or iterable of (a, b, c)
            Tuples are labels, each meaning ab|c.

        Returns
        -------
        ndarray of bool
            Parallel to ``triplets.rows``, or to the tuples as they come. True for triplets that are there already.

        Examples
        --------
        >>> from tripletree.algorithms.dynamic import TripletBuilder
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c")])
        >>> builder.can_add([("b", "c", "a"), ("c", "d", "a")]).tolist()
        [False, True]
        """
        rows = _to_rows(triplets, self.leaves)
        out = np.empty(len(rows), np.bool_)
        for start in range(0, len(rows), _SLICE):
            out[start : start + _SLICE] = self._tree.can_add(rows[start : start + _SLICE])
        return out

    def copy(self) -> TripletBuilder:
        """Return an independent builder in the same state, with the same changes to undo.

        Examples
        --------
        >>> builder = TripletBuilder(list("abc"), [("a", "b", "c")])
        >>> other = builder.copy()
        >>> other.remove(("a", "b", "c"))
        >>> len(builder), len(other)
        (1, 0)
        """
        other = TripletBuilder(self.leaves)
        other._tree = self._tree.copy()
        other._weights, other._weight_bound = dict(self._weights), self._weight_bound
        other._undo_log = list(self._undo_log)
        other._triplets, other._hierarchy = self._triplets, self._hierarchy
        return other

    __copy__ = copy

    def __reduce__(self) -> Any:
        # without the arrays of the tree: the core trusts them, and a pickle comes from anywhere
        return _unpickled, (self.leaves, self._tree.rows(), self._weights, self._undo_log)

    # ------------------------------------------------------------------ additions

    def add(self, triplets: TripletSet | _LabelTriplet | Iterable[_LabelTriplet], *, weights: Any = None) -> None:
        """Add a triplet, or several: all of them or nothing, also when interrupted.

        Parameters
        ----------
        triplets : TripletSet, tuple (a, b, c), or iterable of (a, b, c)
            Tuples are labels, each meaning ab|c. Data frames as in `TripletSet.from_labels`.
        weights : float or array_like of float, optional
            Positive. One for each triplet or one for all, by default the weights of the set or data frame. A weight
            given for a triplet that is there already is added to its own. Without weights, new triplets weigh 1 and
            the weights of triplets there already stay as they are.

        Raises
        ------
        InconsistentTripletsError
            If they contradict each other or triplets there. ``.conflict`` is irreducible and holds at least one of the
            new ones. The builder is unchanged.

        Examples
        --------
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c")])
        >>> builder.add(("b", "c", "a"))
        Traceback (most recent call last):
            ...
        tripletree.errors.InconsistentTripletsError: no hierarchy displays all of these triplets; ...
        """
        if _is_one(triplets, self.leaves):
            key = _to_key(triplets, self.leaves)
            given = None if weights is None else _to_weights(weights, 1)
            if given is None and key in self._tree:
                self._undo_log.append(_NO_CHANGE)
                return
            keys = [key]
        else:
            both = _to_set(triplets, self.leaves, weights)
            given, keys = both.weights, _to_keys(both.rows)
        new = [key for key in keys if key not in self._tree]
        after = {} if given is None else self._add_weights(keys, given.tolist(), set(new))
        change = _Change(new, (), {key: self._weights.get(key) for key in after})
        steps = len(self._undo_log)
        try:
            self._include(new)
            self._weights.update(after)
            self._record(change)
        except InconsistentTripletsError:
            raise  # `_include` has left everything as it was
        except BaseException:
            self._roll_back(steps, change)
            raise

    def try_add(self, triplet: _LabelTriplet) -> bool:
        """Add a triplet unless it contradicts the triplets there.

        Returns
        -------
        bool
            True if it is there now.

        Examples
        --------
        >>> builder = TripletBuilder(list("abc"))
        >>> builder.try_add(("a", "b", "c")), builder.try_add(("b", "c", "a"))
        (True, False)
        """
        key = _to_key(triplet, self.leaves)
        if key in self._tree:
            self._undo_log.append(_NO_CHANGE)
            return True
        steps, change = len(self._undo_log), _Change((key,), (), {})
        try:
            if not self._tree.add(key):
                return False
            self._record(change)
        except BaseException:
            self._roll_back(steps, change)
            raise
        return True

    def try_add_rows(self, rows: Any) -> np.ndarray:
        """Add triplets in the order given, skipping each that contradicts the triplets there by then.

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
            If a row is not a triplet. Nothing has been added.

        Notes
        -----
        Many that are all consistent are added with one run of `one_tree`, others one after the other. For `undo` it is
        one change. If it is interrupted, the triplets added by then stay.

        Examples
        --------
        >>> TripletBuilder(4).try_add_rows([[0, 1, 2], [1, 2, 0], [2, 3, 0]]).tolist()
        [True, False, True]
        """
        keys = _to_keys(check_triplet_rows(rows, len(self.leaves)))
        held = self._tree.keys()
        new = [key for key in dict.fromkeys(keys) if key not in held]
        try:
            if not (self._is_large(new) and self._tree.add_all_or_none(new)):
                for start in range(0, len(new), _SLICE):
                    self._tree.add_consistent(new[start : start + _SLICE])
        finally:
            held = self._tree.keys()
            self._record(_Change([key for key in new if key in held], (), {}))
        return np.fromiter((key in held for key in keys), np.bool_, len(keys))

    def add_leaves(self, labels: Iterable[_Label]) -> None:
        """Add leaves, children of the root until a triplet names them. `undo` does not remove them.

        Examples
        --------
        >>> builder = TripletBuilder(list("abc"), [("a", "b", "c")])
        >>> builder.add_leaves(["d"])
        >>> builder.hierarchy == Hierarchy.from_nested([["a", "b"], "c", "d"])
        True
        """
        self._leaves = LeafIndex([*self.leaves, *LeafIndex(labels)])
        self._tree.set_leaf_count(len(self.leaves))
        self._triplets = self._hierarchy = None

    # ------------------------------------------------------------------ removals

    def remove(self, triplets: TripletSet | _LabelTriplet | Iterable[_LabelTriplet]) -> None:
        """Remove a triplet, or several: all of them or nothing.

        Raises
        ------
        UnknownTripletError
            If some are not there. ``.triplets`` holds all that are missing.

        Examples
        --------
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c"), ("c", "d", "a")])
        >>> builder.remove(("b", "a", "c"))
        >>> list(builder)
        [('c', 'd', 'a')]
        """
        keys = list(dict.fromkeys(_to_keys(_to_rows(triplets, self.leaves))))
        missing = [key for key in keys if key not in self._tree]
        if missing:
            raise UnknownTripletError([self._labelled(key) for key in missing], len(self))
        change = _Change((), keys, {key: self._weights[key] for key in keys if key in self._weights})
        steps = len(self._undo_log)
        try:
            for key in change.weights_before:
                del self._weights[key]
            self._tree.remove(keys)
            self._record(change)
        except BaseException:
            self._roll_back(steps, change)
            raise

    def undo(self, n: int = 1) -> None:
        """Undo the last n additions and removals. A batch counts as one.

        Parameters
        ----------
        n : int
            Every `add`, `remove` and `try_add_rows` counts, even if it changed nothing. `try_add` if it returned True.

        Raises
        ------
        ValueError
            If there have been fewer. Nothing changes.

        Examples
        --------
        >>> builder = TripletBuilder(list("abcd"), [("a", "b", "c")])
        >>> builder.remove(("a", "b", "c"))
        >>> builder.undo()
        >>> len(builder)
        1
        """
        n = check_count(n, "n")
        if n > len(self._undo_log):
            msg = f"cannot undo {n} steps: there are {len(self._undo_log)}"
            raise ValueError(msg)
        for _ in range(n):
            change = self._undo_log[-1]
            steps = len(self._undo_log) - 1
            try:
                self._tree.remove(change.added)
                self._tree.restore(change.removed)
                self._forget(steps, change)
            except BaseException:
                self._roll_back(steps, change)  # an interrupted undo finishes this change, not the ones before it
                raise

    # ------------------------------------------------------------------ how changes are made and recorded

    def _labelled(self, key: _Key) -> _LabelTriplet:
        a, b, c = key
        return self.leaves[a], self.leaves[b], self.leaves[c]

    def _include(self, new: Sequence[_Key]) -> None:
        """Add triplets that are not there, all or nothing."""
        tree = self._tree
        if self._is_large(new):
            if not tree.add_all_or_none(new):
                raise _contradiction(tree.rows(), new, self.leaves)
            return
        for done, key in enumerate(new):
            if not tree.add(key):
                tree.remove(new[:done])
                raise _contradiction(tree.rows(), new[: done + 1], self.leaves)

    def _is_large(self, new: Sequence[_Key]) -> bool:
        """Tell whether one run of BUILD is cheaper than adding them one by one."""
        return len(new) > max(_LARGE_BATCH * (len(self._tree) + len(self.leaves)), 1)

    def _add_weights(self, keys: Sequence[_Key], given: Sequence[float], fresh: set[_Key]) -> dict[_Key, float]:
        """Return the weights of the triplets after the given ones are added. `fresh` triplets have no weight yet."""
        now = self._weights
        after = {
            key: weight if key in fresh else now.get(key, 1.0) + weight for key, weight in zip(keys, given, strict=True)
        }
        bound = self._weight_bound + sum(after.values())
        if bound > _SAFE_WEIGHT and not isfinite(sum({**now, **after}.values())):
            msg = "with these weights, all weights of the builder add up to infinity; give smaller ones"
            raise InvalidTripletError(msg)
        self._weight_bound = bound
        return after

    def _record(self, change: _Change) -> None:
        """Append a change that has been made to the undo log."""
        self._undo_log.append(change)
        self._triplets = None
        if change.added or change.removed:
            self._hierarchy = None

    def _roll_back(self, steps: int, change: _Change) -> None:
        """Return to the state before a change that was interrupted anywhere, with an undo log of `steps` entries."""
        self._tree.reset(present=change.removed, absent=change.added)
        self._forget(steps, change)

    def _forget(self, steps: int, change: _Change) -> None:
        """Cut the undo log to `steps` entries and restore the weights from before the change."""
        del self._undo_log[steps:]
        for key, weight in change.weights_before.items():
            if weight is None:
                self._weights.pop(key, None)
            else:
                self._weights[key] = weight
        self._triplets = self._hierarchy = None


def _unpickled(leaves: LeafIndex, rows: Any, weights: dict[_Key, float], undo_log: list[_Change]) -> TripletBuilder:
    """Make a builder from the content of a pickle."""
    logged = [key for change in undo_log for keys in change for key in keys]
    check_triplet_rows([*weights, *logged], len(leaves), "triplet of the pickle")
    builder = TripletBuilder(leaves)
    builder._include(_to_keys(check_triplet_rows(rows, len(leaves))))
    builder._weights, builder._undo_log = dict(weights), list(undo_log)
    before = [x for change in undo_log for x in change.weights_before.values() if x is not None]
    builder._weight_bound = sum(weights.values()) + sum(before)
    return builder


# ----------------------------------------------------------------------
# The Aho tree of a changing set.


class DynamicAhoTree:
    """The Aho tree of a consistent set of triplets over n leaves, kept up to date while they come and go.

    Additions update the tree. A removal that may change it drops it, and the next call that needs it runs BUILD. An
    interrupted call drops it, too (see `_borrow`), so that a half-made change is never read.

    Parameters
    ----------
    n : int
        Number of leaves.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._row: dict[_Key, int] = {}  # triplet -> its number in the tree, in the order of addition
        self._tree: Any = None  # None: to be built anew when needed

    def __contains__(self, key: object) -> bool:
        return key in self._row

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._row)

    def keys(self) -> KeysView[_Key]:
        """Return the triplets, until the next change."""
        return self._row.keys()

    def copy(self) -> DynamicAhoTree:
        """Return an independent copy."""
        other = DynamicAhoTree(self.n)
        other._row, other._tree = dict(self._row), copy(self._tree)
        return other

    def rows(self) -> np.ndarray:
        """Return the triplets in the order of addition: int32, shape (m, 3)."""
        flat = [x for key in self._row for x in key]
        return np.array(flat, np.int32).reshape(-1, 3)

    def parent(self) -> np.ndarray:
        """Return the Aho tree as a parent array, of at least one leaf."""
        return np.array([-1], np.int32) if self.n == 1 else self._ready().parents()

    def can_add(self, rows: np.ndarray) -> np.ndarray:
        """Tell whether each triplet alone is consistent with the triplets there: bool, shape (k,)."""
        tree = self._borrow()
        out = tree.test_rows(np.ascontiguousarray(rows, np.int32))
        self._tree = tree
        return out

    # ------------------------------------------------------------------ changes

    def add(self, key: _Key) -> bool:
        """Add a triplet that is not there, unless it contradicts the others. Returns whether it was added."""
        tree = self._borrow()
        number = tree.add(*key)
        if number >= 0:
            self._row[key] = number
        self._tree = tree
        return number >= 0

    def add_consistent(self, keys: Sequence[_Key]) -> list[_Key]:
        """Add different triplets that are not there, one after the other, if consistent. Return the added ones."""
        tree = self._borrow()
        numbers = tree.add_rows(np.array(keys, np.int32).reshape(-1, 3)).tolist()
        added = {key: number for key, number in zip(keys, numbers, strict=True) if number >= 0}
        self._row.update(added)
        self._tree = tree
        return list(added)

    def add_all_or_none(self, keys: Sequence[_Key]) -> bool:
        """Add different triplets that are not there with one run of BUILD. Returns whether it succeeded."""
        rows = np.concatenate([self.rows(), np.array(keys, np.int32).reshape(-1, 3)])
        built = build_aho_tree(rows, self.n)
        if built.failed.size:
            return False
        self.restore(keys)
        self._load(built.parent, rows)
        return True

    def restore(self, keys: Sequence[_Key]) -> None:
        """Add triplets that are known to be consistent with the triplets there."""
        if not keys:
            return
        if self._tree is not None and len(keys) == 1:
            self.add(keys[0])
            return
        self._tree = None
        self._row.update(dict.fromkeys(keys, -1))

    def remove(self, keys: Sequence[_Key]) -> None:
        """Remove triplets that are there."""
        for key in keys:
            tree, self._tree = self._tree, None
            number = self._row.pop(key)
            if tree is not None and tree.remove(number):  # it stays as it is
                self._tree = tree

    def reset(self, present: Sequence[_Key], absent: Sequence[_Key]) -> None:
        """Make some triplets present and others absent, whichever of them an interrupted change has left."""
        self._tree = None
        for key in absent:
            self._row.pop(key, None)
        self._row.update(dict.fromkeys(present, -1))

    def set_leaf_count(self, n: int) -> None:
        """Have n leaves from now on, no fewer than before."""
        self._tree = None
        self.n = n

    # ------------------------------------------------------------------ the tree

    def _ready(self) -> Any:
        if self._tree is None:
            rows = self.rows()
            self._load(build_aho_tree(rows, self.n).parent if self.n else np.array([-1], np.int32), rows)
        return self._tree

    def _borrow(self) -> Any:
        """Return the tree for a change, to be given back at its end. If the change is interrupted, the tree is lost."""
        tree = self._ready()
        self._tree = None
        return tree

    def _load(self, parent: np.ndarray, rows: np.ndarray) -> None:
        """Make the tree from the parent array that BUILD makes of the rows."""
        self._tree = AhoTree(parent, self.n, rows)
        self._row = dict(zip(self._row, range(len(rows)), strict=True))


# ----------------------------------------------------------------------
# Input: one triplet or several, as users give them, to leaf indices.


def _is_one(triplets: Any, leaves: LeafIndex) -> bool:
    """Tell whether this is one triplet and not several.

    A tuple is one triplet. Only a tuple of tuples or lists is doubtful: ``(("a", "b", "c"), ...)`` is several, unless
    tuples are leaf labels here.
    """
    if not isinstance(triplets, tuple) or not triplets:
        return False
    nested = all(isinstance(x, (tuple, list, np.ndarray)) for x in triplets)
    return not nested or (isinstance(triplets[0], tuple) and _is_hashable(triplets[0]) and triplets[0] in leaves)


def _to_key(triplet: Any, leaves: LeafIndex) -> _Key:
    """One triplet of labels."""
    a, b, c = check_label_triple(triplet, 0)
    try:
        i, j, k = leaves.index(a), leaves.index(b), leaves.index(c)
    except (UnknownLeafError, TypeError):
        i, j, k = _to_indices([(a, b, c)], leaves).tolist()[0]  # raises the error that names all unknown labels
    return (i, j, k) if i < j else (j, i, k)


def _to_keys(rows: np.ndarray) -> list[_Key]:
    return list(zip(*np.sort(rows[:, :2], axis=1).T.tolist(), rows[:, 2].tolist(), strict=True))


def _to_rows(triplets: Any, leaves: LeafIndex) -> np.ndarray:
    """One triplet or several as rows of leaf indices, in the order given."""
    if isinstance(triplets, TripletSet):
        return rows_over(triplets, leaves)
    if _is_one(triplets, leaves):
        return np.array([_to_key(triplets, leaves)], np.int32)
    return _rows_and_weights(triplets, leaves)[0]


def _to_set(triplets: Any, leaves: LeafIndex, weights: Any) -> TripletSet:
    """Several triplets as a set over the builder's leaves, with the weights given or else their own."""
    if isinstance(triplets, TripletSet):
        rows, own = rows_over(triplets, leaves), triplets.weights
    else:
        rows, own = _rows_and_weights(triplets, leaves)
    return TripletSet(rows, leaves, own if weights is None else _to_weights(weights, len(rows)))


def _to_weights(weights: Any, m: int) -> np.ndarray:
    """Return the weights of m triplets: one for each, or one for all."""
    try:
        given = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        return check_weights(weights, m)  # raises the error
    if given.ndim == 0:
        return np.repeat(check_weights(given.reshape(1), 1), m)
    return check_weights(given, m)


def _rows_and_weights(triplets: Any, leaves: LeafIndex) -> tuple[np.ndarray, Any]:
    """Return rows of leaf indices from an iterable of label triples or a data frame, and the weights of the latter."""
    frame = unpack_frame(triplets)
    if frame is None and not hasattr(triplets, "__iter__"):
        msg = (
            "expected a triplet (a, b, c), a TripletSet or an iterable of triplets, "
            f"got {type(triplets).__name__} ({triplets!r:.60})"
        )
        raise TypeError(msg)
    entries = [check_label_triple(row, k) for k, row in enumerate(triplets if frame is None else frame[0])]
    return _to_indices(entries, leaves), None if frame is None else frame[1]


def _to_indices(entries: Sequence[tuple], leaves: LeafIndex) -> np.ndarray:
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


def _contradiction(rows: np.ndarray, new: Sequence[_Key], leaves: LeafIndex) -> InconsistentTripletsError:
    """Return the error that explains why `new` cannot be added to consistent `rows`."""
    both = TripletSet(np.concatenate([rows, np.array(new, np.int32)]), leaves)
    failed = build_aho_tree(both.rows, len(leaves)).failed
    group = [leaves[i] for i in np.sort(failed).tolist()]
    return InconsistentTripletsError(group, conflict_inside(both, failed))
