"""Why a set is inconsistent: conflicts, which are minimal inconsistent subsets.

All of it rests on one fact. If the triplets inside a set S of leaves connect S in their Aho graph, BUILD cannot split
S. A spanning tree of that graph is already inconsistent: one triplet less than leaves. If no smaller connected group
lies inside S, each of these triplets is needed. Every conflict has this form, so the search is over sets of leaves.

Users call `find_conflict` and `find_conflicts`. `conflict_inside` is for code in which BUILD has just failed on a
group of leaves and whose error is to show a reason, such as `one_tree` and the estimators.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_count
from tripletree.core.provenance import Origin, phrase
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidTripletError

#: Steps of `find_conflict` by default: about a second.
DEFAULT_STEPS = 300_000_000
#: Triplets and leaves that an explanation spells out.
_SHOWN = 30


class Conflict:
    """A minimal inconsistent set: its triplets cannot all hold, but they can without any one of them.

    Iterating gives its triplets as tuples of labels. ``str(conflict)`` explains it in words.

    Parameters
    ----------
    triplets : TripletSet
        One less than the leaves that occur in them.
    at_least : int
        A proven lower bound: no conflict of the set in which it was found has fewer triplets.

    Attributes
    ----------
    triplets : TripletSet
        With their weights and origins (files and lines).
    leaves : list of labels
        The leaves of the triplets, which connect them all, so that no first split of them exists.
    at_least : int
    smallest : bool
        True if it is proven that there is no smaller one: ``len(conflict) == at_least``.

    See Also
    --------
    find_conflict, find_conflicts : find one in a set.
    tripletree.plot_conflict : its picture.

    Examples
    --------
    >>> t = TripletSet.from_labels([("cat", "dog", "eel"), ("dog", "eel", "fly"), ("eel", "fly", "cat")])
    >>> print(Conflict(t))
    These 3 triplets cannot all hold, though any 2 of them can.
    Take the first split that parts cat, dog, eel and fly: there
      cat dog | eel  keeps cat and dog together
      dog eel | fly  keeps dog and eel together
      eel fly | cat  keeps eel and fly together
    so all 4 of them stay together, and there is no such split.
    """

    def __init__(self, triplets: TripletSet, *, at_least: int = 2) -> None:
        self._set(check_triplets(triplets), check_count(at_least, "at_least", 2))
        found = next(iter(_Search(triplets.rows, len(triplets.leaves), 1, 0)), None) if len(triplets) else None
        if found is None or len(found.rows) != len(triplets) or len(self.leaves) != len(triplets) + 1:
            reason = "it is consistent" if found is None else f"{len(found.rows)} of its triplets already cannot hold"
            msg = f"{triplets!r} is not a conflict: {reason}; find_conflict finds one in a set"
            raise InvalidTripletError(msg)
        if at_least > len(triplets):
            msg = f"at_least is {at_least}; the conflict itself has {len(triplets)} triplets"
            raise ValueError(msg)

    def _set(self, triplets: TripletSet, at_least: int) -> None:
        self.triplets, self.at_least = triplets, at_least
        self.leaves: list[Hashable] = [triplets.leaves[i] for i in triplets.used_leaves.tolist()]

    @classmethod
    def _known(cls, triplets: TripletSet, at_least: int = 2) -> Conflict:
        """Make a conflict without the check, where the search has just found it."""
        conflict = cls.__new__(cls)
        conflict._set(triplets, at_least)
        return conflict

    @property
    def smallest(self) -> bool:
        """True if it is proven to be the smallest."""
        return len(self) == self.at_least

    def __len__(self) -> int:
        return len(self.triplets)

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        return iter(self.triplets)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conflict):
            return NotImplemented
        ours, theirs = (x.triplets.restrict(x.leaves) for x in (self, other))
        return ours == theirs and self.at_least == other.at_least

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        known = "the smallest" if self.smallest else f"none of fewer than {self.at_least}"
        return f"<Conflict of {len(self)} triplets on {len(self.leaves)} leaves ({known})>"

    def __str__(self) -> str:
        return self.explain()

    @property
    def origins(self) -> list[Origin]:
        """Files and lines where its triplets were read, as far as known."""
        known = self.triplets.origins
        return [] if known is None else [x for x in (known[k] for k in range(len(self))) if x is not None]

    @property
    def places(self) -> str:
        """Files and lines where its triplets were read, in words. Empty if unknown."""
        return phrase(self.origins)

    def explain(self, *, most: int = _SHOWN) -> str:
        """Explain in words why the triplets cannot hold together.

        Parameters
        ----------
        most : int
            List at most this many triplets and leaves.

        Returns
        -------
        str
            Several lines. The last one does not end with a newline.
        """
        most = check_count(most, "most", 1)
        m, rows = len(self), self.triplets.head(most)
        places = f" ({self.places})" if self.places else ""
        fewer = "each of them alone can" if m == 2 else f"any {m - 1} of them can"
        texts = [f"{_quoted(a)} {_quoted(b)} | {_quoted(c)}" for a, b, c in rows]
        parts = [f"keeps {_quoted(a)} and {_quoted(b)} together" for a, b, _ in rows] if m > 2 else [""] * m
        widths = [max(map(len, texts)), max(map(len, parts))]
        lines = [
            f"  {text:<{widths[0]}}  {part:<{widths[1]}}  {self._mark(k)}".rstrip()
            for k, (text, part) in enumerate(zip(texts, parts, strict=False))
        ]
        if m > most:
            lines.append(f"  ... and {m - most:,} more")
        head, listed = f"These {m} triplets cannot all hold{places}, though {fewer}", self._listed(most)
        if m == 2:
            return "\n".join([f"{head}:", *lines, f"They give different answers on the same leaves, {listed}."])
        end = f"so all {m + 1} of them stay together, and there is no such split."
        return "\n".join([f"{head}.", f"Take the first split that parts {listed}: there", *lines, end])

    def _mark(self, k: int) -> str:
        """Return the weight and origin of a triplet, each None if unknown."""
        origin = None if self.triplets.origins is None else self.triplets.origins[k]
        weight = "" if self.triplets.weights is None else f"weight {self.triplets.weights[k]:g}"
        place = "" if origin is None else f"{origin.unit} {origin.number}" if self._one_source() else str(origin)
        if origin is not None and origin.times > 1:
            place += f", said {origin.times} times"
        return ", ".join(x for x in (weight, place) if x)

    def _one_source(self) -> bool:
        return len({x.source for x in self.origins}) == 1

    def _listed(self, most: int) -> str:
        names = [_quoted(x) for x in self.leaves]
        if len(names) > most:
            return f"{', '.join(names[:most])} and {len(names) - most:,} more leaves"
        return f"{', '.join(names[:-1])} and {names[-1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers for JSON. `from_dict` reads them.

        Examples
        --------
        >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")])
        >>> Conflict(t).to_dict()["triplets"]
        [{'a': 'a', 'b': 'b', 'c': 'c'}, {'a': 'b', 'b': 'c', 'c': 'a'}]
        """
        rows = []
        for k, (a, b, c) in enumerate(self.triplets):
            row = {"a": a, "b": b, "c": c}
            if self.triplets.weights is not None:
                row["weight"] = float(self.triplets.weights[k])
            origin = None if self.triplets.origins is None else self.triplets.origins[k]
            if origin is not None:
                row |= {"source": origin.source, origin.unit: origin.number, "times": origin.times}
            rows.append(row)
        return {"triplets": rows, "leaves": list(self.leaves), "at_least": self.at_least, "smallest": self.smallest}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Conflict:
        """Make a conflict from the result of `to_dict`, over the leaves that occur in it, without origins.

        Examples
        --------
        >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")])
        >>> Conflict.from_dict(Conflict(t).to_dict()) == Conflict(t)
        True
        """
        try:
            rows = data["triplets"]
            weights = [row["weight"] for row in rows] if any("weight" in row for row in rows) else None
            labels = [(row["a"], row["b"], row["c"]) for row in rows]
            leaves, at_least = data["leaves"], data["at_least"]
        except (TypeError, KeyError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else f"got {type(data).__name__}"
            msg = f"expected a dict from to_dict, with triplets, leaves and at_least; {reason}"
            raise ValueError(msg) from None
        return cls(TripletSet.from_labels(labels, leaves, weights=weights), at_least=at_least)


def _quoted(label: Hashable) -> str:
    """Return a label as it is, or in quotes where one could not see where it ends."""
    text = str(label)
    return text if text and text.isprintable() and not set(text) & set(" |,") else repr(text)


def find_conflict(triplets: TripletSet, *, max_size: int = 4, max_steps: int | None = DEFAULT_STEPS) -> Conflict | None:
    """Find a minimal inconsistent subset, as small as can be found.

    Parameters
    ----------
    triplets : TripletSet
        m triplets over n leaves.
    max_size : int
        Search all conflicts of at most this many triplets: either the smallest one is returned, or it is proven that
        there is no conflict of this size. Each additional triplet multiplies the steps by about the number of triplets
        of a leaf.
    max_steps : int or None
        Steps after which the search ends. The conflict may then be larger than necessary. A hundred million take some
        0.3 seconds. A quarter is kept for conflicts of more than `max_size` triplets. None for no limit.

    Returns
    -------
    Conflict or None
        None if the whole set is consistent. ``.smallest`` tells whether it is proven that there is no smaller one,
        ``.at_least`` how small one could still be.

    See Also
    --------
    find_conflicts : several. is_consistent : whether there is one. repair : triplets to drop.

    Notes
    -----
    First all conflicts of 2, 3, ... `max_size` triplets are searched, which proves `at_least`. With weights, light
    triplets come first: of the smallest conflicts the one with the lightest triplet is returned, as it is the cheapest
    to resolve. If there is none, the group of leaves at which `one_tree` fails is reduced. The triplets of a random
    spanning tree hold a conflict, and its leaves are the next, smaller group. This is repeated from several starts, as
    far as `max_steps` allows. Even after the last step the answer is minimal, but it may be long. "Which triplets
    clash" in ``docs/algorithms.md`` explains the search.

    Sparse random sets may have no small conflict at all: one wrong triplet among 10 n right ones is often inconsistent
    only with more than a thousand others together. Then the answer is long, and ``.at_least`` is a lower bound.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a"), ("a", "b", "e")])
    >>> conflict = find_conflict(t)
    >>> conflict
    <Conflict of 3 triplets on 4 leaves (the smallest)>
    >>> list(conflict)
    [('a', 'b', 'c'), ('b', 'c', 'd'), ('c', 'd', 'a')]
    """
    return next(_find(triplets, max_size, max_steps), None)


def find_conflicts(
    triplets: TripletSet, k: int = 10, *, max_size: int = 4, max_steps: int | None = DEFAULT_STEPS
) -> list[Conflict]:
    """Find up to k conflicts that share no triplet.

    Parameters
    ----------
    triplets : TripletSet
    k : int
        How many at most.
    max_size, max_steps
        As in `find_conflict`. `max_steps` is for all of them together.

    Returns
    -------
    list of Conflict
        Conflicts of at most `max_size` triplets by size, then others. Fewer than k if the set is consistent without
        their triplets. To make the set consistent, at least one triplet of each must be dropped. ``.at_least`` is a
        bound for the set without the triplets of the conflicts before.

    See Also
    --------
    repair : drop few triplets, so that the rest is consistent.

    Notes
    -----
    As in `find_conflict`: small ones come from one search, each other one from a new run of `one_tree`.

    Examples
    --------
    >>> rows = [("a", "b", "c"), ("b", "c", "a"), ("a", "c", "b"), ("d", "e", "f"), ("d", "f", "e")]
    >>> [list(x) for x in find_conflicts(TripletSet.from_labels(rows))]
    [[('a', 'b', 'c'), ('a', 'c', 'b')], [('d', 'e', 'f'), ('d', 'f', 'e')]]
    """
    return list(islice(_find(triplets, max_size, max_steps), min(check_count(k, "k"), sys.maxsize)))


def _find(triplets: TripletSet, max_size: int, max_steps: int | None) -> Iterator[Conflict]:
    check_triplets(triplets)
    most = 2**62 if max_steps is None else min(check_count(max_steps, "max_steps"), 2**62)
    size = check_count(max_size, "max_size")
    if len(triplets) == 0:
        return
    order = np.arange(len(triplets))
    rows = triplets.rows
    if triplets.weights is not None:
        order = np.argsort(triplets.weights, kind="stable")
        rows = freeze(rows[order])
    for found in _Search(rows, len(triplets.leaves), size, most):
        yield Conflict._known(triplets.subset(np.sort(order[found.rows])), found.at_least)


#: Steps of the search for an error message, some hundredths of a second, then how many of them are for small conflicts,
#: and how many there are if triplets are few, as plain Python searches these.
_ERROR_STEPS, _SMALL_STEPS, _SMALL_STEPS_OF_FEW = 30_000_000, 10_000_000, 30_000


def conflict_inside(triplets: TripletSet, failed: np.ndarray) -> Conflict:
    """Find a conflict inside a group of leaves that cannot be split, in little time. See `find_conflict`.

    Parameters
    ----------
    triplets : TripletSet
    failed : ndarray of int32
        Leaf indices of a group that the triplets inside it connect, as BUILD returns it where it fails.

    Returns
    -------
    Conflict

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")])
    >>> len(conflict_inside(t, np.arange(3, dtype=np.int32)))
    2
    """
    member = np.zeros(len(triplets.leaves), np.bool_)
    member[failed] = True
    inside = triplets.subset(member[triplets.rows].all(axis=1))
    small = _SMALL_STEPS_OF_FEW if len(inside) < 1000 else _SMALL_STEPS
    search = _Search(inside.rows, len(triplets.leaves), 4, _ERROR_STEPS, _ERROR_STEPS - small)
    found = next(iter(search), None)
    assert found is not None, "BUILD failed on triplets that can hold: it is wrong, not the triplets"
    return Conflict._known(inside.subset(found.rows))


# ----------------------------------------------------------------------
# The search.

#: Steps of one call of the kernel, from the first to any later one. An interrupt (Ctrl-C) is noticed between calls.
_FIRST_SLICE, _SLICE = 20_000, 5_000_000
#: The steps that a random tree counts as: to start it, and for each row and leaf.
_TREE_STEPS, _TREE_STEPS_EACH = 50_000, 10
#: Reductions of a group after the first one, and steps after which there are no further ones.
_RESTARTS, _STEPS_A_GROUP = 20, 25_000_000
#: A cover has at most 3 conflicts, and each is looked for once the search has taken as long as 10 trees.
_COVER_CONFLICTS, _COVER_TREES = 3, 10
#: Trees in a row without a smaller conflict after which a reduction ends.
_IDLE = 12


class _Found(NamedTuple):
    """A conflict among some rows.

    Attributes
    ----------
    rows : ndarray of int64
        Row numbers, ascending. None of them can be left out.
    at_least : int
        No conflict among the rows outside of the conflicts before has fewer rows.
    """

    rows: np.ndarray
    at_least: int


class _Group(NamedTuple):
    """Leaves that cannot be split, numbered 0..size-1, and the rows with all leaves among them.

    Attributes
    ----------
    size : int
        The number of leaves. 0 if there is no such group.
    rows : ndarray of int32, shape (m, 3)
        Rows over these leaves.
    numbers : ndarray of int64, shape (m,)
        Their numbers in the whole set, ascending.
    """

    size: int
    rows: np.ndarray
    numbers: np.ndarray


class _Growth:
    """The exhaustive search for conflicts of `size` rows that hold one of some rows, a slice of it at a time.

    Parameters
    ----------
    held : engine.conflict.RowsByLeaf
    alive : ndarray of bool
        Rows that are not left out. The caller changes it.
    seeds : ndarray of int64
        The rows to start from.
    size : int
    in_order : bool
        Whether each seed is to be the first row of its conflict.
    """

    def __init__(self, held: Any, alive: np.ndarray, seeds: np.ndarray, size: int, *, in_order: bool):
        self._held, self._alive, self._seeds, self._size, self._in_order = held, alive, seeds, size, in_order
        self._next, self._slice = 0, _FIRST_SLICE

    @property
    def done(self) -> bool:
        return self._next == self._seeds.size

    def go_on(self, max_steps: int) -> tuple[np.ndarray, int]:
        """Return the leaves of the next conflict, empty if this slice found no conflict, and the steps taken."""
        leaves, self._next, steps = self._held.grow(
            self._alive, self._seeds, self._next, self._in_order, self._size + 1, self._slice, max_steps
        )
        self._slice = min(2 * self._slice, _SLICE)
        return leaves, steps


class _Search:
    """Iterate over conflicts that share no row: conflicts of at most `max_size` rows by size, then others made small.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3)
        Triplets. Among conflicts of one size, conflicts with earlier rows are preferred.
    n : int
        Number of leaves.
    max_size : int
        Conflicts of at most this many rows are searched exhaustively.
    max_steps : int
        Steps after which conflicts are still minimal, but no longer made smaller.
    reduction_steps : int, optional
        The part of `max_steps` that is kept for conflicts of more than `max_size` rows. By default a quarter.
    """

    def __init__(self, rows: np.ndarray, n: int, max_size: int, max_steps: int, reduction_steps: int | None = None):
        self._rows, self._n, self._max_size = rows, n, max_size
        self._reserve = max_steps // 4 if reduction_steps is None else reduction_steps
        self._steps_left = max_steps - self._reserve
        self._at_least = 2
        self._alive = np.ones(len(rows), np.bool_)  # rows in no conflict found so far
        # a few conflicts without whose rows the set is consistent: every conflict has a row in this cover
        self._covering = np.zeros(len(rows), np.bool_)
        self._n_covering, self._steps_grown = 0, 0

    def __iter__(self) -> Iterator[_Found]:
        group = self._failing_group(self._alive)
        if group.size == 0:
            return
        self._uncovered = group  # where BUILD fails on the rows outside the cover, empty if it is complete
        held = engine.conflict.RowsByLeaf(self._rows, self._n)
        while self._at_least <= self._max_size and self._steps_left > 0:
            n_found = 0
            for leaves in self._leaf_sets(self._at_least, held):
                n_found += 1
                yield self._taken(self._tree_on(leaves, held))
            if n_found:
                group = self._failing_group(self._alive)
            if self._steps_left <= 0:
                break  # not all of this size were searched
            self._at_least += 1
            if group.size == 0:
                return
        self._steps_left += self._reserve
        rng = np.random.default_rng(0)  # the same answer every time
        while group.size:
            yield self._taken(self._smallest_in(group, rng))
            group = self._failing_group(self._alive)

    def _taken(self, numbers: np.ndarray) -> _Found:
        self._alive[numbers] = False
        return _Found(np.sort(numbers), self._at_least)

    # ------------------------------------------------------------------ small conflicts, exhaustively

    def _leaf_sets(self, size: int, held: Any) -> Iterator[np.ndarray]:
        """The leaves of each conflict of `size` rows. The caller marks its rows before the next is searched.

        The search from every row finds conflicts in the order of their first rows. If it takes long, a cover is made,
        and the much shorter search from its rows tells whether there is any conflict left.
        """
        from_all = _Growth(held, self._alive, np.arange(len(self._rows)), size, in_order=True)
        from_cover = None
        is_left = False  # whether it is known that a conflict has not been found yet
        while not from_all.done and self._steps_left > 0:
            if self._is_cover_due():
                self._enlarge_cover()
            if self._uncovered.size == 0 and not is_left:
                from_cover = from_cover or _Growth(
                    held, self._alive, np.flatnonzero(self._covering), size, in_order=False
                )
                while not (is_left or from_cover.done) and self._steps_left > 0:
                    is_left = self._grow(from_cover).size > 0
                if not is_left:
                    return
            leaves = self._grow(from_all)
            if leaves.size:
                is_left = False
                yield leaves

    def _grow(self, growth: _Growth) -> np.ndarray:
        leaves, steps = growth.go_on(self._steps_left)
        self._steps_left -= steps
        self._steps_grown += steps
        return leaves

    def _is_cover_due(self) -> bool:
        """Tell whether the cover is incomplete, and to enlarge it takes no longer than the search has taken so far."""
        trees = self._n_covering * _COVER_TREES + _COVER_TREES
        return (
            self._uncovered.size > 0
            and self._n_covering < _COVER_CONFLICTS
            and trees * self._tree_steps(len(self._rows)) <= self._steps_grown
        )

    def _enlarge_cover(self) -> None:
        """Put a conflict of the rows outside the cover into it."""
        self._n_covering += 1
        self._covering[self._reduced(self._uncovered, np.random.default_rng(0), most_idle=1)] = True
        self._uncovered = self._failing_group(self._alive & ~self._covering)

    def _tree_on(self, leaves: np.ndarray, held: Any) -> np.ndarray:
        """Return numbers of rows alive, earlier ones first, with pairs ab that connect a few leaves without a cycle.

        Only the rows on these leaves are read.
        """
        leaves = np.sort(leaves)
        near = np.unique(held.near(leaves.astype(np.int64)))
        within = near[self._alive[near] & np.isin(self._rows[near], leaves).all(axis=1)]
        rows = freeze(np.searchsorted(leaves, self._rows[within]).astype(np.int32))
        return within[engine.conflict.spanning_tree(rows, np.arange(within.size), leaves.size)]

    # ------------------------------------------------------------------ other conflicts, by reducing a failing group

    def _failing_group(self, marked: np.ndarray) -> _Group:
        """Run BUILD on the rows marked: the group at which it fails."""
        numbers = np.flatnonzero(marked)
        rows = self._rows if numbers.size == marked.size else freeze(self._rows[numbers])
        return self._within(_Group(self._n, rows, numbers), build_aho_tree(rows, self._n).failed)

    def _smallest_in(self, group: _Group, rng: np.random.Generator) -> np.ndarray:
        """Reduce a group to a conflict, from several starts while there are steps left. Returns its row numbers."""
        enough = max(self._steps_left - _STEPS_A_GROUP, 0)
        best = self._reduced(group, rng)
        for _ in range(_RESTARTS):
            if len(best) <= self._at_least or self._steps_left <= enough:
                break
            other = self._reduced(group, rng)
            best = other if len(other) < len(best) else best
        return best

    def _tree_steps(self, n_rows: int) -> int:
        """Return the steps that a random tree counts as."""
        return _TREE_STEPS + _TREE_STEPS_EACH * (n_rows + self._n)

    def _reduced(self, group: _Group, rng: np.random.Generator, most_idle: int = _IDLE) -> np.ndarray:
        """Replace the group by the leaves of a conflict among the rows of one random spanning tree, again and again.

        Ends when some trees in a row have no conflict on fewer leaves, or there is but one tree. Returns row numbers.
        """
        idle = 0
        while idle < most_idle and len(group.rows) >= group.size and self._steps_left > 0:
            self._steps_left -= self._tree_steps(len(group.rows))
            conflict = self._minimal(group, rng.permutation(len(group.rows)))
            idle += 1
            if len(conflict) + 1 < group.size:
                group, idle = self._within(group, group.rows[conflict]), 0
        return group.numbers[self._minimal(group, np.arange(len(group.rows)))]

    def _within(self, group: _Group, leaves: np.ndarray) -> _Group:
        """Return the part of a group inside some of its leaves, which keep their order."""
        member = np.zeros(group.size, np.bool_)
        member[leaves] = True
        chosen, rows = engine.conflict.rows_inside(group.rows, member)
        return _Group(int(member.sum()), freeze(rows), group.numbers[chosen])

    def _minimal(self, group: _Group, order: np.ndarray) -> np.ndarray:
        """Rows of a spanning tree of a group, or of a part of it that cannot hold either. All of them are needed.

        The tree takes the rows of the group in the given order.
        """
        tree = engine.conflict.spanning_tree(group.rows, order, group.size)
        return tree[engine.conflict.closed_part(freeze(group.rows[tree]), group.size)]
