"""Answers held against trios whose answer is known: they show which people look at the samples."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from tripletree.core.answers import AnswerSet, check_answers
from tripletree.core.arrays import freeze
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidTripletError

#: The share of clear trios that a careful person misses, and the error rate of the test over all people together.
SLIPS, LEVEL = 0.1, 0.05


@dataclass(frozen=True, eq=False)
class KnownAnswers:
    """How many of the trios with a known answer each person got right: the result of `check_known`.

    Attributes
    ----------
    people : tuple of (str or None)
        In the order of their first answers. None stands for all answers without a name together.
    n_known : ndarray of int64
        How many answers of each person are to trios with a known answer.
    n_right : ndarray of int64
        How many of the answers name the odd one.
    """

    people: tuple[str | None, ...]
    n_known: np.ndarray
    n_right: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """The share of right answers of each person: float64, NaN without a trio whose answer is known."""
        with np.errstate(invalid="ignore"):
            return self.n_right / self.n_known

    @property
    def careless(self) -> np.ndarray:
        """The people with too few right answers for somebody who misses one clear trio in ten: bool.

        The chance to name any careful person is at most 5 %, over all people together.
        """
        chances = [_at_most(int(k), int(n)) for k, n in zip(self.n_right, self.n_known, strict=True)]
        return np.array(chances, np.float64) * max(int(np.count_nonzero(self.n_known)), 1) < LEVEL

    def to_frame(self) -> Any:
        """Return a data frame of pandas with a row for each person: who, n_known, n_right, share and careless."""
        import pandas as pd

        return pd.DataFrame(
            {
                "who": self.people,
                "n_known": self.n_known,
                "n_right": self.n_right,
                "share": self.share,
                "careless": self.careless,
            }
        )

    def __repr__(self) -> str:
        told = f"{int(self.n_right.sum())} of {int(self.n_known.sum())} right"
        return f"<KnownAnswers: {len(self.people)} {'person' if len(self.people) == 1 else 'people'}, {told}>"


def _at_most(right: int, known: int) -> float:
    """Return the chance of no more than `right` right answers, for somebody who misses one in ten."""
    return sum(comb(known, k) * (1 - SLIPS) ** k * SLIPS ** (known - k) for k in range(right + 1))


def check_known(answers: AnswerSet, known: TripletSet) -> KnownAnswers:
    """Count how many trios with a known answer each person got right.

    Parameters
    ----------
    answers : AnswerSet
    known : TripletSet
        c is the odd one of a, b and c for each triplet ab|c: the `catch` of a `tripletree.ask.Design`.

    Returns
    -------
    KnownAnswers
        "alike", "different" and "unsure" are not right either: the odd one of such a trio is clear.

    Raises
    ------
    InvalidTripletError
        If `known` has two answers for one trio.

    See Also
    --------
    tripletree.agreement : who agrees with whom, if no answer is known.

    Examples
    --------
    >>> from tripletree.core import Answer
    >>> import tripletree as tt
    >>> answers = AnswerSet([
    ...     Answer(("cat", "dog", "eel"), "odd", "eel", "anna"),
    ...     Answer(("dog", "eel", "cat"), "odd", "cat", "dan"),
    ...     Answer(("dog", "eel", "ant"), "odd", "ant", "dan"),
    ... ])
    >>> found = check_known(answers, tt.TripletSet.from_labels([("cat", "dog", "eel")]))
    >>> found
    <KnownAnswers: 2 people, 1 of 2 right>
    >>> dict(zip(found.people, found.share.tolist()))
    {'anna': 1.0, 'dan': 0.0}
    """
    answers = check_answers(answers)
    odd: dict[frozenset, Any] = {}
    for a, b, c in check_triplets(known):
        if odd.setdefault(frozenset((a, b, c)), c) != c:
            msg = f"the known answers have two for {a!r}, {b!r} and {c!r}; give each trio one"
            raise InvalidTripletError(msg)
    people: dict[str | None, list[int]] = {}
    for x in answers:
        count = people.setdefault(x.who, [0, 0])
        items = frozenset(x.items)
        if items in odd:
            count[0] += 1
            count[1] += x.kind == "odd" and x.odd == odd[items]
    counts = np.array(list(people.values()), np.int64).reshape(-1, 2)
    return KnownAnswers(tuple(people), freeze(counts[:, 0].copy()), freeze(counts[:, 1].copy()))
