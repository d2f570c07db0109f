"""TripletBuilder: triplets one at a time, consistent at every moment."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from tripletree._checks import expect_count
from tripletree._rows import checked_rows
from tripletree.builder._held import LabelTriplet
from tripletree.builder._incoming import (
    Key,
    contradiction,
    is_one,
    keys_of,
    rows_of,
    set_over,
    weights_of,
)
from tripletree.builder._state import BuilderState
from tripletree.builder._steps import Step, Steps
from tripletree.errors import InconsistentTripletsError, UnknownTripletError
from tripletree.hierarchy import Hierarchy
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = ["TripletBuilder"]

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
        keys = keys_of(checked_rows(rows, len(self.leaves)))
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
        n = expect_count(n, "n")
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
