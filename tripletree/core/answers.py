"""Answers of people to questions about samples, with the person, the time and the place in the file of each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.checks import as_positions, check_entries, described
from tripletree.core.html import table_html
from tripletree.core.immutable import Immutable, cached, fixed
from tripletree.core.leaves import LeafIndex, sorted_labels
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.provenance import Origin, Origins
from tripletree.core.triplets import TripletSet
from tripletree.errors import SHOWN, InvalidAnswerError

#: The kinds of an answer. In `AnswerSet.replies`, 0, 1 and 2 are the position of the odd one, and these are the others.
KINDS = ("odd", "alike", "different", "unsure")
ALIKE, DIFFERENT, UNSURE = 3, 4, 5
#: Seconds that a person needs at least to see three things and choose one.
LEAST_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply of a person to one question.

    Parameters
    ----------
    items : tuple of 3 or 2 labels
        The samples shown, in the order shown: "which of these three is the odd one?", or "are these two alike?".
    kind : {"odd", "alike", "different", "unsure"}
        "odd": one of three does not belong. "alike": all of them belong together. "different": no two do. "unsure": the
        person cannot say. Two samples are never "odd".
    odd : label, optional
        The odd one, one of `items`. Given if and only if `kind` is "odd".
    who : str, optional
        The person.
    when : str, optional
        The time, in ISO 8601.
    seconds : float, optional
        The response time: how long the person looked at the question before answering.
    line : int, optional
        The line or row of the file, counted from 1. It does not count in comparisons.

    Examples
    --------
    >>> Answer(("cat", "dog", "eel"), "odd", "eel", who="anna").odd
    'eel'
    """

    items: tuple[Any, ...]
    kind: str
    odd: Any = None
    who: str | None = None
    when: str | None = None
    seconds: float | None = None
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        items = self.items
        if isinstance(items, (str, bytes)) or not isinstance(items, (Sequence, np.ndarray)) or len(items) not in (2, 3):
            raise InvalidAnswerError(f"an answer needs the three items shown (or two), not {items!r:.80}")
        items = tuple(x.item() if isinstance(x, np.generic) and x.dtype.kind not in "mM" else x for x in items)
        try:
            different = len(set(items)) == len(items) and all(x is not None and x == x for x in items)
        except TypeError:
            different = False
        if not different:
            raise InvalidAnswerError(f"the items shown must be {len(items)} different labels, not {items!r:.80}")
        object.__setattr__(self, "items", items)
        if self.kind not in KINDS or (self.kind == "odd" and len(items) == 2):
            known = KINDS if len(items) == 3 else KINDS[1:]
            msg = f"the kind of an answer about {len(items)} items must be {_one_of(known)}, not {self.kind!r}"
            raise InvalidAnswerError(msg)
        if self.kind != "odd":
            if self.odd is not None:
                raise InvalidAnswerError(f"odd={self.odd!r} belongs to answers of kind 'odd', not {self.kind!r}")
        elif self.odd not in items:
            raise InvalidAnswerError(f"the odd one is {self.odd!r}, which is none of {_one_of(items, ' and ')}")
        else:
            object.__setattr__(self, "odd", items[items.index(self.odd)])
        for name in ("who", "when"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise InvalidAnswerError(f"{name} must be text or None, not {described(value)}")
        if self.seconds is not None:
            object.__setattr__(self, "seconds", _checked_seconds(self.seconds))


def _checked_seconds(value: Any) -> float:
    """Return a response time as a float."""
    number = isinstance(value, (Real, np.generic)) and not isinstance(value, (bool, np.bool_))
    if not number or not 0 <= value < np.inf:
        raise InvalidAnswerError(f"seconds must be a finite number of at least 0, or None, not {described(value)}")
    return float(value)


def _one_of(words: Iterable[Any], last: str = " or ") -> str:
    *most, final = map(repr, words)
    return f"{', '.join(most)}{last if most else ''}{final}"


class AnswerSet(Immutable, Sequence):
    """An immutable sequence of answers over one leaf index. Nothing is lost: repeats and contradictions stay.

    Parameters
    ----------
    answers : iterable of Answer
    leaves : LeafIndex, iterable of labels or int, optional
        All samples that could be asked about. By default those that occur, sorted (in order of appearance if labels of
        different types cannot be compared).
    source : str, optional
        Name of the file that the lines of the answers count.
    data : str, optional
        The subject of the questions, such as the name of a table.

    Attributes
    ----------
    leaves : LeafIndex
    rows : ndarray of int32, shape (m, 3)
        The items of each answer, as positions in `leaves`. The third is -1 where two were shown. Read-only, as all.
    replies : ndarray of int8, shape (m,)
        0, 1 or 2, the position in the row of the odd one. 3 "alike", 4 "different", 5 "unsure".
    people : tuple of str
        Names of the people, in the order in which they first occur.
    person : ndarray of int32, shape (m,)
        The person who gave each answer, as a position in `people`, or -1 if that is not known.
    when : tuple of (str or None)
        The time of each answer.
    seconds : ndarray of float64, shape (m,)
        The response time of each answer, NaN if it is not known.
    origins : Origins or None
        The place where each was read.
    data : str or None
    reading : str or None
        How a table was understood, in a line, if something had to be. Parts and sums have none.

    Raises
    ------
    UnknownLeafError
        If `leaves` is given and lacks an item. ``.labels`` lists them.

    See Also
    --------
    tripletree.io.read_answers : from a file.

    Notes
    -----
    ``len``, iteration, ``answers[k]`` (an `Answer`), slices and ``+`` work as for a sequence. Two are equal when they
    have equal answers in the same order, and the same leaves. The places where they were read do not count.

    Examples
    --------
    >>> answers = AnswerSet([
    ...     Answer(("cat", "dog", "eel"), "odd", "eel", who="anna"),
    ...     Answer(("dog", "cat", "eel"), "odd", "eel", who="ben"),
    ...     Answer(("cat", "dog", "eel"), "unsure", who="cleo"),
    ... ])
    >>> answers
    <AnswerSet: 3 answers of 3 people about 3 samples>
    >>> answers.triplets()
    <TripletSet: 1 weighted triplet on 3 leaves: cat dog | eel>
    >>> answers.by("ben")[0].odd
    'eel'
    """

    __slots__ = ()
    _how = "make another with AnswerSet(...), subset or +"

    leaves: LeafIndex = fixed()
    rows: np.ndarray = fixed()
    replies: np.ndarray = fixed()
    people: tuple[str, ...] = fixed()
    person: np.ndarray = fixed()
    when: tuple[str | None, ...] = fixed()
    seconds: np.ndarray = fixed()
    origins: Origins | None = fixed()
    data: str | None = fixed()
    reading: str | None = fixed()

    #: For scikit-learn: its cross-validation splits every fit parameter that is as long as X, like sample weights. It
    #: takes the length from `shape` if there is one, and -1 is never the number of samples: sets are passed on whole.
    shape = (-1, 3)

    def __init__(
        self,
        answers: Iterable[Answer] = (),
        leaves: LeafIndex | Iterable[Hashable] | int | None = None,
        *,
        source: str | None = None,
        data: str | None = None,
    ) -> None:
        given = check_entries(answers, "answers")
        for k, x in enumerate(given):
            if not isinstance(x, Answer):
                raise InvalidAnswerError(f"entry {k} must be an Answer, not {described(x)}", row=k)
        flat = [label for x in given for label in x.items]
        index = _leaf_index(sorted_labels(flat) if leaves is None else leaves)
        positions = iter(index.indices(flat, what="items of answers").tolist())
        rows = [[next(positions) for _ in x.items] + [-1] * (3 - len(x.items)) for x in given]
        replies = [x.items.index(x.odd) if x.kind == "odd" else KINDS.index(x.kind) + 2 for x in given]
        people = {who: k for k, who in enumerate(dict.fromkeys(x.who for x in given if x.who is not None))}
        origins = None
        if any(x.line is not None for x in given):
            number = np.array([0 if x.line is None else x.line for x in given], np.int64)
            known = np.array([x.line is not None for x in given])
            origins = Origins([(source, "line")], np.where(known, 0, -1).astype(np.int32), number, known.astype(int))
        self._set(
            index,
            np.array(rows, np.int32).reshape(-1, 3),
            np.array(replies, np.int8),
            tuple(people),
            np.array([-1 if x.who is None else people[x.who] for x in given], np.int32),
            tuple(x.when for x in given),
            np.array([np.nan if x.seconds is None else x.seconds for x in given], np.float64),
            origins,
            data,
        )

    def _set(self, leaves: LeafIndex, rows: np.ndarray, replies: np.ndarray, people: tuple, *more: Any) -> None:
        person, when, seconds, origins, data, *reading = more
        self._hold(
            leaves=leaves,
            rows=freeze(rows),
            replies=freeze(replies),
            people=people,
            person=freeze(person),
            when=when,
            seconds=freeze(seconds),
            origins=origins,
            data=data,
            reading=reading[0] if reading else None,
        )

    @classmethod
    def from_columns(
        cls,
        rows: np.ndarray,
        replies: np.ndarray,
        leaves: LeafIndex | Iterable[Hashable] | int,
        *,
        who: Sequence[str | None] | None = None,
        when: Sequence[str | None] | None = None,
        seconds: Sequence[float] | np.ndarray | None = None,
        origins: Origins | None = None,
        data: str | None = None,
        reading: str | None = None,
    ) -> AnswerSet:
        """Make a set from whole columns, for tables of many answers.

        Parameters
        ----------
        rows : array_like of int, shape (m, 3)
            The items, as positions in `leaves`. The third is -1 if two were shown.
        replies : array_like of int, shape (m,)
            0..2 for the position of the odd one, 3 "alike", 4 "different", 5 "unsure".
        leaves : LeafIndex, iterable of labels or int
        who, when : sequence of (str or None), optional
            The person and the time of each.
        seconds : array_like of float, optional
            The response time of each, NaN if it is not known.
        origins : Origins, optional
            The place where each was read.
        data : str, optional
            The subject of the questions.
        reading : str, optional
            How a table was understood, in a line.

        Returns
        -------
        AnswerSet

        Raises
        ------
        InvalidAnswerError
            If a row, a reply or a response time is out of range, or the lengths differ. ``.row`` is the first such row.

        Examples
        --------
        >>> AnswerSet.from_columns([(0, 1, 2), (0, 3, 1)], [2, 5], 4, who=["anna", None])[0]
        Answer(items=(0, 1, 2), kind='odd', odd=2, who='anna', when=None, seconds=None, line=None)
        """
        index = _leaf_index(leaves)
        try:
            codes, said = np.array(rows, np.int32).reshape(-1, 3), np.array(replies, np.int8).reshape(-1)
            took = np.full(len(codes), np.nan) if seconds is None else np.array(seconds, np.float64).reshape(-1)
        except (TypeError, ValueError, OverflowError):
            msg = f"expected rows of three positions and a reply for each, not {described(rows)}, {described(replies)}"
            msg += "" if seconds is None else f", and numbers of seconds, not {described(seconds)}"
            raise InvalidAnswerError(msg) from None
        m, n = len(codes), len(index)
        a, b, c = codes.T
        good = (a >= 0) & (b >= 0) & (c >= -1) & (codes < n).all(axis=1) & (a != b) & (a != c) & (b != c)
        for columns in (said, who, when, took, origins):
            if columns is not None and len(columns) != m:
                raise InvalidAnswerError(
                    f"{m} rows, but a column with {len(columns)} entries", row=min(m, len(columns))
                )
        good &= (said >= np.where(c < 0, ALIKE, 0)) & (said <= UNSURE)
        if not good.all():
            k = int(np.flatnonzero(~good)[0])
            msg = (
                f"row {k} is {codes[k].tolist()} with reply {int(said[k])}: expected different positions in 0..{n - 1} "
                "(the third may be -1) and a reply in 0..5, of two items in 3..5"
            )
            raise InvalidAnswerError(msg, row=k)
        wrong = np.flatnonzero((took < 0) | np.isinf(took))
        if wrong.size:
            k = int(wrong[0])
            msg = f"row {k} has a response time of {took[k]} seconds: expected a finite number of at least 0, or NaN"
            raise InvalidAnswerError(msg, row=k)
        names = [None] * m if who is None else list(who)
        people = {x: k for k, x in enumerate(dict.fromkeys(x for x in names if x is not None))}
        person = np.fromiter((-1 if x is None else people[x] for x in names), np.int32, m)
        made = cls.__new__(cls)
        made._set(index, codes, said, tuple(people), person, tuple(when or [None] * m), took, origins, data, reading)
        return made

    # ------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return self.subset(k)
        row, reply, labels = self.rows[k].tolist(), int(self.replies[k]), self.leaves.labels
        items = tuple(labels[i] for i in row if i >= 0)
        person, origin = int(self.person[k]), None if self.origins is None else self.origins[k]
        took = float(self.seconds[k])
        return Answer(
            items,
            "odd" if reply < ALIKE else KINDS[reply - 2],
            items[reply] if reply < ALIKE else None,
            None if person < 0 else self.people[person],
            self.when[k],
            None if np.isnan(took) else took,
            None if origin is None else origin.number,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnswerSet):
            return NotImplemented
        return len(self) == len(other) and set(self.leaves) == set(other.leaves) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((len(self), frozenset(self.leaves)))

    def __add__(self, other: AnswerSet) -> AnswerSet:
        if not isinstance(other, AnswerSet):
            return NotImplemented
        if self.leaves == other.leaves:
            leaves = self.leaves
        else:
            leaves = LeafIndex([*self.leaves, *(x for x in other.leaves if x not in self.leaves)])
        number = np.append(leaves.indices(other.leaves), -1).astype(np.int32)  # -1 stays -1
        return AnswerSet.from_columns(
            np.concatenate([self.rows, number[other.rows]]),
            np.concatenate([self.replies, other.replies]),
            leaves,
            who=[*self._names(), *other._names()],
            when=[*self.when, *other.when],
            seconds=np.concatenate([self.seconds, other.seconds]),
            origins=Origins.joined(self.origins, len(self), other.origins, len(other)),
            data=self.data if self.data == other.data else None,
        )

    def _names(self) -> list[str | None]:
        names = [*self.people, None]  # -1 is nobody
        return [names[k] for k in self.person.tolist()]

    def __reduce__(self) -> Any:
        who = self._names()
        return _unpickled, (self.rows, self.replies, self.leaves, who, self.when, self.seconds, self.origins, self.data)

    # ------------------------------------------------------------------ parts

    def subset(self, which: Any) -> AnswerSet:
        """Return the answers at the given positions, or where a boolean mask is true, over the same leaves.

        Examples
        --------
        >>> answers = AnswerSet([Answer((0, 1, 2), "alike"), Answer((0, 1, 3), "unsure")])
        >>> answers.subset([1])[0].kind
        'unsure'
        """
        chosen = np.arange(len(self))[as_positions(which)]
        names = [*self.people, None]  # -1 is nobody
        return AnswerSet.from_columns(
            self.rows[chosen],
            self.replies[chosen],
            self.leaves,
            who=[names[k] for k in self.person[chosen].tolist()],
            when=[self.when[k] for k in chosen.tolist()],
            seconds=self.seconds[chosen],
            origins=None if self.origins is None else self.origins.take(chosen),
            data=self.data,
        )

    def by(self, who: str | None) -> AnswerSet:
        """Return the answers of one person, over the same leaves. None stands for answers without a name.

        Examples
        --------
        >>> answers = AnswerSet([Answer((0, 1, 2), "alike", who="anna"), Answer((0, 1, 3), "alike", who="ben")])
        >>> len(answers.by("ben"))
        1
        """
        if who is not None and who not in self.people:
            known = ", ".join(map(repr, self.people[:SHOWN])) + (", ..." if len(self.people) > SHOWN else "")
            msg = f"no answer is by {who!r}; the people are {known}" if known else "these answers name no person"
            raise ValueError(msg)
        return self.subset(self.person == (-1 if who is None else self.people.index(who)))

    def about(self, *items: Hashable) -> AnswerSet:
        """Return the answers to the question that shows exactly these items, in whatever order.

        Examples
        --------
        >>> answers = AnswerSet([Answer((0, 1, 2), "alike"), Answer((0, 1, 3), "unsure")])
        >>> [x.kind for x in answers.about(3, 1, 0)]
        ['unsure']
        """
        row = sorted(self.leaves.indices(items).tolist())
        return self.subset(self._questions.get(tuple(row), []))

    @cached
    def _questions(self) -> dict[tuple[int, ...], list[int]]:
        """Return the answers to each question, by its items in order."""
        found: dict[tuple[int, ...], list[int]] = {}
        for k, row in enumerate(self.rows.tolist()):
            found.setdefault(tuple(sorted(i for i in row if i >= 0)), []).append(k)
        return found

    @property
    def quick(self) -> np.ndarray:
        """Whether each answer took less than a quarter of a second, quicker than a person can look at three things.

        Such answers are second clicks, or come from programs. ``answers.subset(~answers.quick)`` leaves them out.

        Examples
        --------
        >>> said = [Answer((0, 1, 2), "alike", seconds=1.4), Answer((0, 1, 3), "alike", seconds=0.01)]
        >>> AnswerSet(said).quick.tolist()
        [False, True]
        """
        return freeze(self.seconds < LEAST_SECONDS)

    # ------------------------------------------------------------------ consequences of the answers

    def triplets(self, weights: Any = None) -> TripletSet:
        """Return the triplets that they say: ab|c for each answer that c is the odd one of a, b and c.

        "alike", "different" and "unsure" say nothing about which two are closest, and give no triplet.

        Parameters
        ----------
        weights : array_like of float, shape (m,), optional
            The weight of each answer, at least 0. Answers of weight 0 are left out. By default each weighs 1.

        Returns
        -------
        TripletSet
            Weighted by the sum of the weights of the answers that say so: how many they are, by default. Without
            weights if each weighs 1. ``.origins`` has the first place of each.

        Examples
        --------
        >>> answers = AnswerSet([Answer((0, 1, 2), "odd", 2), Answer((2, 1, 0), "odd", 2), Answer((0, 1, 2), "alike")])
        >>> t = answers.triplets()
        >>> list(t), t.weights.tolist()
        ([(0, 1, 2)], [2.0])
        """
        weight = np.ones(len(self)) if weights is None else np.asarray(weights, np.float64)
        if weight.shape != (len(self),) or not np.isfinite(weight).all() or (weight < 0).any():
            msg = f"weights must be {len(self)} finite numbers of at least 0, one for each answer"
            raise ValueError(msg)
        told = np.flatnonzero((self.replies < ALIKE) & (weight > 0))
        rows, at, every = self.rows[told], self.replies[told].astype(np.int64), np.arange(told.size)
        rows = np.stack([rows[every, (at + 1) % 3], rows[every, (at + 2) % 3], rows[every, at]], axis=1)
        origins = None if self.origins is None else self.origins.take(told)
        counted = TripletSet(rows, self.leaves, weight[told], origins=origins)
        if counted.weights is not None and (counted.weights == 1).all():
            return TripletSet(counted.rows, self.leaves, origins=counted.origins)
        return counted

    def pairs(self) -> PairwiseConstraints:
        """Return the must-links and cannot-links that answers to questions about classes give.

        The odd one is in another class than the other two, which share one. "alike" means that all share a class,
        "different" that each is in another. This is more than a triplet says: ask for it only if people were told to
        sort into classes. The pairs need not be consistent.

        Returns
        -------
        PairwiseConstraints

        Examples
        --------
        >>> AnswerSet([Answer(("cat", "dog", "eel"), "odd", "eel")]).pairs()
        <PairwiseConstraints: 1 must-link and 2 cannot-links on 3 leaves>
        """
        must: list[tuple[np.ndarray, np.ndarray]] = []
        cannot: list[tuple[np.ndarray, np.ndarray]] = []
        for i, j in ((0, 1), (0, 2), (1, 2)):
            rows = self.rows[:, [i, j]]
            shown, odd = rows[:, 1] >= 0, self.replies < ALIKE
            near = shown & ((self.replies == ALIKE) | (odd & (self.replies == 3 - i - j)))
            apart = shown & ((self.replies == DIFFERENT) | (odd & (self.replies != 3 - i - j)))
            must.append((rows[near], np.flatnonzero(near)))
            cannot.append((rows[apart], np.flatnonzero(apart)))
        read = []
        for found in (must, cannot):
            at = np.concatenate([x for _, x in found])
            read.append(None if self.origins is None else self.origins.take(at))
        return PairwiseConstraints(
            np.concatenate([x for x, _ in must]),
            np.concatenate([x for x, _ in cannot]),
            self.leaves,
            must_origins=read[0],
            cannot_origins=read[1],
        )

    def to_frame(self) -> Any:
        """Return a data frame of pandas: the items, the answer, who gave it, when, how fast, and the line or row.

        The answer is the label of the odd one, "alike", "different" or "unsure": `tripletree.io.read_answers` reads it.

        Returns
        -------
        pandas.DataFrame
            With the columns item_1, item_2, item_3, answer, who, when, seconds and line.

        Examples
        --------
        >>> AnswerSet([Answer(("cat", "dog", "eel"), "odd", "eel", who="anna")]).to_frame()
          item_1 item_2 item_3 answer   who  when seconds  line
        0    cat    dog    eel    eel  anna  None    None  None
        """
        import pandas as pd

        names = ["item_1", "item_2", "item_3", "answer", "who", "when", "seconds", "line"]
        said = [(*x.items, *[None] * (3 - len(x.items)), x.odd if x.kind == "odd" else x.kind) for x in self]
        rows = [(*shown, x.who, x.when, x.seconds, x.line) for shown, x in zip(said, self, strict=True)]
        return pd.DataFrame(rows, columns=names, dtype=object)

    def origin(self, k: int) -> Origin | None:
        """Return where answer k was read, or None if that is not known."""
        return None if self.origins is None else self.origins[k]

    # ------------------------------------------------------------------ shown

    def __repr__(self) -> str:
        m, p, n = len(self), len(self.people), len(self.leaves)
        people = f" of {p} {'person' if p == 1 else 'people'}" if p else ""
        what = f"{m} answer{'s' * (m != 1)}{people} about {n} sample{'s' * (n != 1)}"
        return f"<AnswerSet: {what}>"

    def _repr_html_(self) -> str:
        # shown by notebooks: the first answers
        rows = [(", ".join(map(str, x.items)), x.kind, x.odd, x.who, x.when, x.seconds) for x in self[:10]]
        shown = [tuple("" if x is None else x for x in row) for row in rows]
        return table_html(
            repr(self)[1:-1], ["items", "answer", "odd", "who", "when", "seconds"], shown, len(self) - len(rows)
        )


def _leaf_index(leaves: Any) -> LeafIndex:
    return leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)


def _unpickled(
    rows: Any, replies: Any, leaves: LeafIndex, who: Any, when: Any, seconds: Any, origins: Any, data: Any
) -> AnswerSet:
    more = {"who": who, "when": when, "seconds": seconds, "origins": origins, "data": data}
    return AnswerSet.from_columns(rows, replies, leaves, **more)


def check_answers(value: Any) -> AnswerSet:
    """Return `value` if it is an AnswerSet, else raise a TypeError with advice on how to make one."""
    if not isinstance(value, AnswerSet):
        how = "make one with tripletree.io.read_answers(path) or tripletree.core.AnswerSet([Answer(...), ...])"
        msg = f"expected an AnswerSet, got {described(value)}; {how}"
        raise TypeError(msg)
    return value
