"""Why a set is inconsistent: triplets that cannot hold together, and no fewer of them."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.algorithms.aho import build_aho_tree
from tripletree.core.checks import check_count
from tripletree.core.provenance import Origin, phrase
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidTripletError
from tripletree.kernels import freeze, frozen

__all__ = [
    "Conflict",
    "conflict_inside",
    "conflicts",
    "find_conflict",
    "find_conflicts",
]


# ----------------------------------------------------------------------
# Looking for conflicts: small ones exactly, others by taking leaves away from a group that does not split.

#: Work of one call of the search, from the first to any later one: between calls it can be interrupted.
_FIRST_SLICE, _SLICE = 20_000, 5_000_000
#: Work that splitting one row or leaf down counts as, and that of starting to.
_SPLITTING, _STARTING = 10, 150_000
#: Shares of a group that are tried at random, one after the other, in search of a smaller group.
_SHARES = (0.5, 0.5, 0.6, 0.7, 0.8, 0.85)
_RESTARTS = 4


class _Budget:
    """Work that may still be done; what it is spent on ends soon after there is none."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        self.left -= int(work)


def conflicts(
    rows: np.ndarray, n: int, max_size: int, budget: int, reducing: int | None = None
) -> Iterator[tuple[np.ndarray, int]]:
    """Find conflicts that share no row, smaller ones first as far as they are looked for exactly.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3)
        Triplets; among conflicts of one size those with earlier rows are preferred.
    n : int
    max_size : int
        Conflicts of at most this many rows are looked for exactly.
    budget : int
        Work after which that is given up, as is making the others smaller. They cannot lose a row either way.
    reducing : int, optional
        The part of it that is kept for making others smaller; by default a quarter.

    Yields
    ------
    numbers : ndarray of int64
        The rows of a conflict, ascending; none of them can be left out.
    at_least : int
        Among the rows that are in none of the conflicts before, no conflict has fewer rows than this.
    """
    alive = np.ones(len(rows), np.bool_)
    reducing = budget // 4 if reducing is None else reducing
    left = _Budget(budget - reducing)
    at_least = 2
    if build_aho_tree(rows, n).failed.size == 0:
        return
    start, incident = kernels.conflict.by_leaf(rows, n)
    while at_least <= max_size and left.left > 0:
        for leaves in _of_size(rows, start, incident, alive, at_least, left):
            numbers = _tie(rows, _rows_of(rows, start, incident, alive, leaves), leaves)
            alive[numbers] = False
            yield numbers, at_least
        if left.left <= 0:
            break
        at_least += 1
        if build_aho_tree(frozen(rows[alive]), n).failed.size == 0:
            return
    left.spend(-reducing)
    rng = np.random.default_rng(0)  # the same answer every time
    while True:
        among = np.flatnonzero(alive)
        failed, inside = _failing_part(rows, among, np.arange(n, dtype=np.int32), n)
        if failed.size == 0:
            return
        numbers = _smallest_found(rows, inside, failed, n, at_least, left, rng)
        alive[numbers] = False
        yield numbers, at_least


def _of_size(
    rows: np.ndarray, start: np.ndarray, incident: np.ndarray, alive: np.ndarray, size: int, left: _Budget
) -> Iterator[np.ndarray]:
    """Leaves of the conflicts of `size` rows; the caller takes rows out of `alive` between them."""
    number = np.full(start.size - 1, -1, np.int32)
    seed, part = 0, _FIRST_SLICE
    while seed < len(rows) and left.left > 0:
        leaves, seed, work = kernels.conflict.grow(
            rows, start, incident, alive, number, seed, len(rows), size + 1, part, left.left
        )
        left.spend(work)
        part = min(2 * part, _SLICE)
        if leaves.size:
            yield leaves


def _smallest_found(
    rows: np.ndarray,
    inside: np.ndarray,
    failed: np.ndarray,
    n: int,
    at_least: int,
    left: _Budget,
    rng: np.random.Generator,
) -> np.ndarray:
    """Reduce a group that does not split to a conflict; from several starts while work may be done."""
    group, kept = _reduced(rows, inside, failed, n, left)
    best = _irreducible(rows, kept, group)
    for _ in range(_RESTARTS):
        if len(best) <= at_least or left.left <= 0:
            break
        group, kept = _probed(rows, inside, rng.permutation(failed), n, left, rng)
        group, kept = _reduced(rows, kept, group, n, left)
        other = _irreducible(rows, kept, group)
        best = other if len(other) < len(best) else best
    return best


def _probed(
    rows: np.ndarray, inside: np.ndarray, group: np.ndarray, n: int, left: _Budget, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """A smaller group that does not split, by random parts of it."""
    k = 0
    while k < len(_SHARES) and group.size > 3 and left.left > 0:
        part = group[rng.random(group.size) < _SHARES[k]]
        smaller, its_rows = _failing_part(rows, inside, part, n)
        left.spend(_STARTING + _SPLITTING * (inside.size + n))
        if smaller.size:
            group, inside, k = rng.permutation(smaller), its_rows, 0
        else:
            k += 1
    return group, inside


def _reduced(
    rows: np.ndarray, inside: np.ndarray, group: np.ndarray, n: int, left: _Budget
) -> tuple[np.ndarray, np.ndarray]:
    """Take leaves away while what is left fails; the group, and the rows in it.

    Without any leaf of it, it would not fail, unless the work was spent before that was so.
    """
    chunk = group.size // 2
    while chunk >= 1:
        start = 0
        while start < group.size and group.size > 3 and left.left > 0:
            rest = np.concatenate([group[:start], group[start + chunk :]])
            smaller, its_rows = _failing_part(rows, inside, rest, n)
            left.spend(_STARTING + _SPLITTING * (inside.size + n))
            if smaller.size == 0:
                start += chunk
            else:
                # a leaf before `start` without which the group was consistent is needed by every smaller group too
                stays = np.isin(group, smaller)
                start = int(stays[:start].sum())
                group, inside = group[stays], its_rows
        chunk = chunk // 2 if left.left > 0 else 0
    return group, inside


def _rows_inside(rows: np.ndarray, among: np.ndarray, group: np.ndarray, n: int) -> np.ndarray:
    """Those of the row numbers `among` whose three leaves are in the group."""
    member = np.zeros(n, np.bool_)
    member[group] = True
    return among[member[rows[among]].all(axis=1)]


def _failing_part(rows: np.ndarray, among: np.ndarray, leaves: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A group of `leaves` that does not split (empty if they are consistent), and the row numbers inside it."""
    inside = _rows_inside(rows, among, leaves, n)
    if inside.size < 2:
        return leaves[:0], inside[:0]
    number = np.full(n, -1, np.int32)
    number[leaves] = np.arange(leaves.size, dtype=np.int32)
    failed = leaves[build_aho_tree(number[rows[inside]], leaves.size).failed]
    return failed, _rows_inside(rows, inside, failed, n)


def _rows_of(
    rows: np.ndarray, start: np.ndarray, incident: np.ndarray, alive: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Numbers of the rows inside a small group that are alive, ascending."""
    near = np.unique(np.concatenate([incident[start[x] : start[x + 1]] for x in group.tolist()]))
    return near[alive[near] & np.isin(rows[near], group).all(axis=1)].astype(np.int64)


def _tie(rows: np.ndarray, inside: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Numbers of rows inside the group whose close pairs span it without a cycle, earlier rows first."""
    number = {x: i for i, x in enumerate(group.tolist())}
    up = np.arange(group.size, dtype=np.int32)
    unite = kernels.disjoint_set.unite
    return np.array([t for t in inside.tolist() if unite(up, number[rows[t, 0]], number[rows[t, 1]])], np.int64)


def _irreducible(rows: np.ndarray, inside: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Rows that span the group, or a part of it that cannot hold either, none of which can be left out."""
    numbers = _tie(rows, inside, group)
    own = np.full(int(rows.max()) + 1, -1, np.int32)
    own[group] = np.arange(group.size, dtype=np.int32)
    return numbers[kernels.conflict.closed_part(frozen(own[rows[numbers]]), group.size)]


#: Work of the search for small conflicts: about a second.
DEFAULT_BUDGET = 300_000_000
#: The same where a conflict is looked for on the way to an error message: some hundredths of a second.
_IN_PASSING = 30_000_000
#: The part of it for small conflicts in few triplets, which is done in plain Python.
_SEARCHED, _SEARCHED_AMONG_FEW = 10_000_000, 30_000
#: Triplets and leaves that an explanation spells out.
_SHOWN = 30


class Conflict:
    """Triplets that cannot hold together, while any one of them less can: an irreducible inconsistent set.

    Iterating gives its triplets as tuples of labels; ``str(conflict)`` explains it in words.

    Parameters
    ----------
    triplets : TripletSet
        The triplets that clash, one less than the leaves that occur in them.
    at_least : int
        No conflict of the set in which it was found has fewer triplets than this, as far as has been proved.

    Attributes
    ----------
    triplets : TripletSet
        With the weights and the origins (files and lines) that they have in the set.
    leaves : list of labels
        The leaves that the triplets tie together, so that no first split of them exists.
    at_least : int
    smallest : bool
        Whether it is proved that there is no smaller one: ``len(conflict) == at_least``.

    Raises
    ------
    InvalidTripletError
        If the triplets are no irreducible inconsistent set.

    See Also
    --------
    find_conflict, find_conflicts : how to come by one.
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
        found = next(conflicts(triplets.rows, len(triplets.leaves), 1, 0), None) if len(triplets) else None
        if found is None or len(found[0]) != len(triplets) or len(self.leaves) != len(triplets) + 1:
            reason = "it is consistent" if found is None else f"{len(found[0])} of its triplets already cannot hold"
            msg = f"{triplets!r} is no conflict: {reason}; find_conflict finds one in a set"
            raise InvalidTripletError(msg)
        if at_least > len(triplets):
            msg = f"at_least is {at_least}; the conflict itself has {len(triplets)} triplets"
            raise ValueError(msg)

    def _set(self, triplets: TripletSet, at_least: int) -> None:
        self.triplets, self.at_least = triplets, at_least
        self.leaves: list[Hashable] = [triplets.leaves[i] for i in triplets.used_leaves.tolist()]

    @classmethod
    def _known(cls, triplets: TripletSet, at_least: int = 2) -> Conflict:
        """A conflict that needs no check, which takes m runs of BUILD."""
        conflict = cls.__new__(cls)
        conflict._set(triplets, at_least)
        return conflict

    @property
    def smallest(self) -> bool:
        """Whether it is proved that there is no smaller one."""
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
        """Where its triplets were read, of those for which it is known."""
        known = self.triplets.origins
        return [] if known is None else [x for x in (known[k] for k in range(len(self))) if x is not None]

    @property
    def places(self) -> str:
        """Where its triplets were read, in words; empty if that is not known."""
        return phrase(self.origins)

    def explain(self, *, most: int = _SHOWN) -> str:
        """Say in words why the triplets cannot hold together.

        Parameters
        ----------
        most : int
            Spell out at most this many triplets and leaves.

        Returns
        -------
        str
            Several lines, without an end at the last one.
        """
        most = check_count(most, "most", 1)
        m, rows = len(self), self.triplets.head(most)
        places = f" ({self.places})" if self.places else ""
        fewer = "each of them alone can" if m == 2 else f"any {m - 1} of them can"
        texts = [f"{_said(a)} {_said(b)} | {_said(c)}" for a, b, c in rows]
        parts = [f"keeps {_said(a)} and {_said(b)} together" for a, b, _ in rows] if m > 2 else [""] * m
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
        """Weight and place of a triplet, where it has them."""
        origin = None if self.triplets.origins is None else self.triplets.origins[k]
        weight = "" if self.triplets.weights is None else f"weight {self.triplets.weights[k]:g}"
        place = "" if origin is None else f"{origin.unit} {origin.number}" if self._one_source() else str(origin)
        if origin is not None and origin.times > 1:
            place += f", said {origin.times} times"
        return ", ".join(x for x in (weight, place) if x)

    def _one_source(self) -> bool:
        return len({x.source for x in self.origins}) == 1

    def _listed(self, most: int) -> str:
        names = [_said(x) for x in self.leaves]
        if len(names) > most:
            return f"{', '.join(names[:most])} and {len(names) - most:,} more leaves"
        return f"{', '.join(names[:-1])} and {names[-1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as JSON has them; `from_dict` turns them back.

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
        """Make a conflict of what `to_dict` returned, over the leaves that occur in it, without origins.

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
            missing = f"there is no {error}" if isinstance(error, KeyError) else f"this is {type(data).__name__}"
            msg = f"what to_dict returns is wanted, with triplets, leaves and at_least: {missing}"
            raise ValueError(msg) from None
        return cls(TripletSet.from_labels(labels, leaves, weights=weights), at_least=at_least)


def _said(label: Hashable) -> str:
    """A label as it stands, or in quotes where its ends would not show."""
    text = str(label)
    return text if text and text.isprintable() and not set(text) & set(" |,") else repr(text)


def find_conflict(triplets: TripletSet, *, max_size: int = 4, budget: int | None = DEFAULT_BUDGET) -> Conflict | None:
    """Find triplets that cannot hold together: an irreducible inconsistent subset, as small as can be found.

    Parameters
    ----------
    triplets : TripletSet
        m triplets over n leaves.
    max_size : int
        Search exactly for conflicts of at most this many triplets: either the smallest one is returned, or it is
        proved that there is none. Each triplet more multiplies the work by about the number of triplets of a leaf.
    budget : int or None
        Work after which the exact search ends, wherever it is, and so does the search for a smaller one after it; None
        for no limit. A hundred million are some 0.3 seconds; a quarter is kept for the second search.

    Returns
    -------
    Conflict or None
        None if the whole set is consistent. Otherwise a conflict whose every triplet is needed; ``.smallest`` says
        whether it is proved that there is no smaller one, ``.at_least`` how small one could still be.

    Raises
    ------
    ValueError
        If `max_size` or `budget` is negative.

    See Also
    --------
    find_conflicts : several. is_consistent : whether there is one. repair : what to drop.

    Notes
    -----
    A set of leaves S that the triplets inside S tie together cannot be split; triplets that form a spanning tree of S
    are inconsistent, one less than the leaves, and irreducible if no part of S is so. Every conflict is of this kind,
    so the search is over leaves, not over triplets.

    First the conflicts of 2, 3, ... `max_size` triplets are searched: from each triplet its set of leaves is grown by
    the triplets that leave its least connected part, in all ways that fit. Where weights are given, the search begins
    at the light ones: among the smallest conflicts the one is returned whose lightest triplet is the lightest, which
    costs least to resolve by dropping it. If nothing is found, S is the group at which `one_tree` fails, and loses
    leaves by chunks of half, a quarter, ... one, as in delta debugging [1]_; each time what is left fails, the new
    failing group takes its place. With what is left of the budget this is repeated from random parts of the group.
    Where it ends too early, the answer is one that no triplet can be left out of, found in linear time, but maybe long.

    Sparse random sets may have no small conflict at all: one wrong triplet among 10 n right ones often only clashes
    with more than a thousand others together. Then the answer is long, and ``.at_least`` says how short it could be.

    References
    ----------
    .. [1] Zeller, Hildebrandt (2002), Simplifying and isolating failure-inducing input, IEEE Transactions on Software
       Engineering 28(2), 183-200.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a"), ("a", "b", "e")])
    >>> conflict = find_conflict(t)
    >>> conflict
    <Conflict of 3 triplets on 4 leaves (the smallest)>
    >>> list(conflict)
    [('a', 'b', 'c'), ('b', 'c', 'd'), ('c', 'd', 'a')]
    """
    return next(_found(triplets, max_size, budget), None)


def find_conflicts(
    triplets: TripletSet, k: int = 10, *, max_size: int = 4, budget: int | None = DEFAULT_BUDGET
) -> list[Conflict]:
    """Find up to k conflicts that share no triplet.

    Parameters
    ----------
    triplets : TripletSet
    k : int
        How many are wanted.
    max_size, budget
        As in `find_conflict`; the budget is for all of them together.

    Returns
    -------
    list of Conflict
        Smaller ones first, as far as they are searched exactly; fewer than k if what is left without the triplets of
        all of them is consistent. At least one triplet of each has to go before the set is consistent. ``.at_least``
        speaks of the triplets that are in none of the conflicts before.

    Raises
    ------
    ValueError
        If `k`, `max_size` or `budget` is negative.

    See Also
    --------
    repair : a way to drop few enough.

    Notes
    -----
    As `find_conflict`, one after the other: small ones in one search, each other one from a new run of `one_tree`.

    Examples
    --------
    >>> rows = [("a", "b", "c"), ("b", "c", "a"), ("a", "c", "b"), ("d", "e", "f"), ("d", "f", "e")]
    >>> [list(x) for x in find_conflicts(TripletSet.from_labels(rows))]
    [[('a', 'b', 'c'), ('a', 'c', 'b')], [('d', 'e', 'f'), ('d', 'f', 'e')]]
    """
    return list(islice(_found(triplets, max_size, budget), min(check_count(k, "k"), sys.maxsize)))


def _found(triplets: TripletSet, max_size: int, budget: int | None) -> Iterator[Conflict]:
    check_triplets(triplets)
    most = 2**62 if budget is None else check_count(budget, "budget")
    size = check_count(max_size, "max_size")
    if len(triplets) == 0:
        return
    order = np.arange(len(triplets))
    rows = triplets.rows
    if triplets.weights is not None:
        order = np.argsort(triplets.weights, kind="stable")
        rows = freeze(rows[order])
    for numbers, at_least in conflicts(rows, len(triplets.leaves), size, most):
        yield Conflict._known(triplets.subset(np.sort(order[numbers])), at_least)


def conflict_inside(triplets: TripletSet, failed: np.ndarray) -> Conflict:
    """Find a conflict inside a group of leaves that does not split, in little time; see `find_conflict`.

    Parameters
    ----------
    triplets : TripletSet
    failed : ndarray of int32
        Leaf indices, such that the triplets inside them form a connected graph on them.

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
    searched = _SEARCHED_AMONG_FEW if len(inside) < 1000 else _SEARCHED
    numbers = next(conflicts(inside.rows, len(triplets.leaves), 4, _IN_PASSING, _IN_PASSING - searched))[0]
    return Conflict._known(inside.subset(numbers))
