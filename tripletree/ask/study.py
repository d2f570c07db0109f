"""The state of a study: all answers so far, and the next question of each person.

The next question of a person follows from the design and the answers alone. So nothing else is kept, and a study goes
on from the end of its file of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from tripletree.ask.design import Design
from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.leaves import LeafIndex

Question = tuple[Any, ...]
#: The least number of questions between an answer and its repeat.
GAP = 5
#: After 20 deals in a row without a new trio, the few remaining trios are listed.
MOST_DEALS = 20
#: The purposes of random draws. Each person has an independent generator for each purpose.
PLACES_OF_REPEATS, PLACES_OF_CATCHES, ORDER_OF_CATCHES, ORDER_OF_SAMPLES = range(4)


class Study:
    """The answers so far, and the next questions by the design.

    Parameters
    ----------
    design : Design
    names : LeafIndex
        Names of all samples.
    n_questions : int
        How many questions each person answers.
    answers : iterable of Answer
        Earlier answers.
    """

    def __init__(self, design: Design, names: LeafIndex, n_questions: int, answers: Iterable[Answer] = ()) -> None:
        names.indices(design.labels, what="samples of the design")
        self.design, self.names, self.n_questions = design, names, n_questions
        self._catch = {frozenset(triplet): triplet for triplet in design.catch or ()}
        self._log: dict[int, Answer] = {}  # by a running number, because any answer may be taken back
        self._by: dict[str | None, list[int]] = {}
        self._asked: dict[frozenset, Counter[str | None]] = {}  # who has answered each question, and how often
        self._number = 0
        for given in answers:
            self.add(given)

    # ------------------------------------------------------------------ answers

    def add(self, answer: Answer) -> None:
        """Add an answer."""
        self._log[self._number] = answer
        self._by.setdefault(answer.who, []).append(self._number)
        self._asked.setdefault(frozenset(answer.items), Counter())[answer.who] += 1
        self._number += 1

    def undo(self, who: str | None) -> Answer:
        """Take back the last answer of a person."""
        answer = self._log.pop(self._by[who].pop())
        people = self._asked[frozenset(answer.items)]
        people[who] -= 1
        if not people[who]:
            del people[who]
        if not people:
            del self._asked[frozenset(answer.items)]
        return answer

    def __len__(self) -> int:
        return len(self._log)

    @property
    def answers(self) -> AnswerSet:
        """All answers, in order."""
        return AnswerSet(self._log.values(), self.names)

    @property
    def log(self) -> list[Answer]:
        """All answers, in order."""
        return list(self._log.values())

    @property
    def people(self) -> list[tuple[str, int]]:
        """The people with a name, and how many answers each has given."""
        return [(who, len(given)) for who, given in self._by.items() if who is not None and given]

    def number(self, who: str | None) -> int:
        """How many answers a person has given that are not taken back."""
        return len(self._by.get(who, ()))

    def left(self, who: str | None) -> int:
        """How many questions a person has still to answer."""
        return max(self.n_questions - self.number(who), 0)

    def last(self, who: str | None) -> Answer | None:
        """The last answer of a person."""
        given = self._by.get(who)
        return self._log[given[-1]] if given else None

    # ------------------------------------------------------------------ questions

    def next_question(
        self, who: str | None, others: Collection[Question], ask_model: Callable[[], Question | None] | None
    ) -> Question | None:
        """Choose the next question of a person.

        Parameters
        ----------
        who : str or None
        others : collection of tuples
            The open questions of other people.
        ask_model : callable or None
            Returns a new question, or None if no question is worth asking. Without a model, new trios come from the
            design or are drawn at random.

        Returns
        -------
        tuple of labels, or None
            None if this person has answered all questions.
        """
        own = [frozenset(self._log[k].items) for k in self._by.get(who, ())]
        shown = Counter(map(frozenset, others))
        found = self._catch_trio(who, own) or self._repeat(who, own) or self._shared(who, shown)
        if found is None:
            found = self._new(shown, ask_model) or self._of_others(who)
        if found is None and self.design.is_study and self.design.trios is None:  # nothing is left worth asking
            found = self.drawn(shown)
        if found is None:
            return None
        rows = np.sort(self.names.indices(found))
        return tuple(self.names[i] for i in self._generator(who, ORDER_OF_SAMPLES, len(own)).permutation(rows).tolist())

    def _catch_trio(self, who: str | None, own: list[frozenset]) -> Question | None:
        """Choose a trio with a known answer, if one is due."""
        done = set(own)
        if len(done & self._catch.keys()) >= self._due(who, PLACES_OF_CATCHES, self.design.catch_share, len(own)):
            return None
        order = self._generator(who, ORDER_OF_CATCHES).permutation(len(self._catch))
        every = list(self._catch.items())
        return next((trio for key, trio in (every[k] for k in order) if key not in done), None)

    def _repeat(self, who: str | None, own: list[frozenset]) -> Question | None:
        """Choose a question that this person has answered before, if a repeat is due."""
        times = Counter(own)
        if len(own) - len(times) >= self._due(who, PLACES_OF_REPEATS, self.design.repeats, len(own)):
            return None
        given = self._by[who] if own else []
        old = [k for k, key in zip(given[:-GAP], own, strict=False) if times[key] == 1 and key not in self._catch]
        return self._log[old[0]].items if old else None

    def _shared(self, who: str | None, shown: Counter[frozenset]) -> Question | None:
        """Choose a trio that too few people have answered so far."""
        if self.design.overlap > 1:
            for key, people in self._asked.items():
                if key not in self._catch and who not in people and len(people) + shown[key] < self.design.overlap:
                    return tuple(key)
        return None

    def _new(self, shown: Counter[frozenset], ask_model: Callable[[], Question | None] | None) -> Question | None:
        """Choose a new question: from the design, else by the model, else at random."""
        if self.design.trios is None and ask_model is not None:
            return ask_model()
        given: Any = None if self.design.draws_trios else self.design.trios
        return self.drawn(shown) if given is None else self._unasked(given, shown)

    def drawn(self, others: Iterable[Collection[Any]]) -> Question | None:
        """Draw a trio that nobody has been asked, given the open questions of other people."""
        return self._unasked(balanced_trios(self.names, self._drawn()), others)

    def taken(self, others: Iterable[Collection[Any]]) -> set[frozenset]:
        """Return the questions that are not new: asked, open, or kept for catching."""
        return self._asked.keys() | set(map(frozenset, others)) | self._catch.keys()

    def _unasked(self, trios: Iterable[Question], others: Iterable[Collection[Any]]) -> Question | None:
        """Choose the first of some trios that nobody has been asked."""
        taken = self.taken(others)
        return next((trio for trio in trios if frozenset(trio) not in taken), None)

    def _of_others(self, who: str | None) -> Question | None:
        """Choose a question that the fewest other people have answered."""
        open_ = [key for key, people in self._asked.items() if who not in people and key not in self._catch]
        fewest = min((len(self._asked[key]) for key in open_), default=0)
        return next((tuple(key) for key in open_ if len(self._asked[key]) == fewest), None)

    def _due(self, who: str | None, purpose: int, share: float, number: int) -> int:
        """Count the questions of a kind that a person should have been asked, including the next one.

        Each stretch of 1 / share questions has one, at a random place.
        """
        most = int(share * (number + 1)) + 1 if share else 0
        places = (np.arange(most) + self._generator(who, purpose).random(most)) / (share or 1.0)
        return int(np.count_nonzero(places < number + 1))

    def _drawn(self) -> np.random.Generator:
        return np.random.default_rng(self.design.random_state)

    def _generator(self, who: str | None, purpose: int, number: int = 0) -> np.random.Generator:
        return np.random.default_rng([self.design.random_state, purpose, number, *(who or "").encode()])


def balanced_trios(names: LeafIndex, rng: np.random.Generator) -> Iterator[Question]:
    """Draw different trios until all are drawn, so that no sample is shown much more often than others.

    All samples are dealt in threes, again and again. The one or two that remain of a deal begin the next.
    """
    n, rest = len(names), np.empty(0, np.int64)
    given: set[frozenset[int]] = set()
    again = 0
    while again < MOST_DEALS:
        dealt = np.concatenate([rest, rng.permutation(np.setdiff1d(np.arange(n), rest))])
        for k in range(0, len(dealt) - 2, 3):
            trio = dealt[k : k + 3]
            key = frozenset(trio.tolist())
            if key not in given:
                given.add(key)
                again = 0
                yield tuple(names[i] for i in trio.tolist())
        rest = dealt[len(dealt) - len(dealt) % 3 :]
        again += 1
    left = [x for x in combinations(range(n), 3) if frozenset(x) not in given]
    yield from (tuple(names[i] for i in left[k]) for k in rng.permutation(len(left)))
