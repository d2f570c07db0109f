"""The questions of an active clustering: what was asked, what the answers imply, and when the questions end.

`ActiveClustering` asks after each clustering, `TemporalClustering` in each window.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tripletree.cluster.active.closure import AnswerClosure
from tripletree.cluster.active.oracle import Questions
from tripletree.cluster.active.state import QueryState, QueryStrategy
from tripletree.core.checks import counted
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import Tick, progress_bar, silent
from tripletree.errors import InconsistentPairsError, warn_user


@dataclass(frozen=True)
class AnswerContradiction:
    """An answer that contradicts earlier ones.

    Attributes
    ----------
    answer : (label, label, bool)
        The later answer, or one of the given pairs.
    path : list of label
        Samples along must-links, from one end of the cannot-link to the other. One of the links is the answer.
    cannot_link : (label, label)
    """

    answer: tuple[Hashable, Hashable, bool]
    path: list[Hashable]
    cannot_link: tuple[Hashable, Hashable]

    def __str__(self) -> str:
        a, b, together = self.answer
        steps = list(zip(self.path[:-1], self.path[1:], strict=True))
        links = [(x, y, True) for x, y in steps] + [(*self.cannot_link, False)]
        earlier = [x for x in links if not (x[2] == together and {x[0], x[1]} == {a, b})]
        return f"{_in_words(a, b, together)} contradicts {', '.join(_in_words(*x) for x in earlier)}"


def _in_words(a: Hashable, b: Hashable, together: bool) -> str:
    return f"{a!r} and {b!r} {'together' if together else 'apart'}"


def _nobody(a: Hashable, b: Hashable) -> bool | None:
    raise AssertionError  # the budget is 0


class QueryLoop:
    """An oracle with a budget, the answers, and their closure.

    Parameters
    ----------
    oracle : callable or None
    budget : int
    given : PairwiseConstraints
        Pairs known beforehand. `take_in` adds them to the closure.
    on_contradiction : {"warn", "raise"}

    Attributes
    ----------
    known : AnswerClosure
    contradictions : list of AnswerContradiction
    """

    def __init__(self, oracle: Any, budget: int, given: PairwiseConstraints, *, on_contradiction: str) -> None:
        self.leaves, self.given, self.budget = given.leaves, given, budget
        self._questions = Questions(_nobody if oracle is None else oracle, budget, given.leaves)
        self._raise = on_contradiction == "raise"
        self.known = AnswerClosure(len(given.leaves))
        self.contradictions: list[AnswerContradiction] = []
        self._refuted: set[tuple[int, int, bool]] = set()
        self._tick: Tick = silent

    @property
    def asked(self) -> list[tuple[Hashable, Hashable, bool | None]]:
        """The questions and answers, in order."""
        return self._questions.asked

    @property
    def left(self) -> int:
        """Number of questions left in the budget."""
        return self._questions.left

    @property
    def n_answered(self) -> int:
        """Number of questions answered with True or False."""
        return len(self.asked) - len(self._questions.unknown)

    def take_in(self, pairs: PairwiseConstraints) -> None:
        """Add given pairs to the closure."""
        for rows, together in ((pairs.must_link, True), (pairs.cannot_link, False)):
            for i, j in rows.tolist():
                self._learn(i, j, together)

    def _learn(self, i: int, j: int, answer: bool | None) -> None:
        path = self.known.add(i, j, answer)
        if path is None or answer is None:
            return
        names = [self.leaves[x] for x in path]
        found = AnswerContradiction((self.leaves[i], self.leaves[j], answer), names, (names[0], names[-1]))
        self.contradictions.append(found)
        self._refuted.add((min(i, j), max(i, j), answer))
        if self._raise:
            raise InconsistentPairsError(names)
        warn_user(f"an answer contradicts earlier ones: {found}; only the earlier ones are used to infer others")

    def ask_block(self, strategy: QueryStrategy, size: int, state: QueryState) -> int:
        """Ask at most `size` questions that a strategy chooses, all at once or one after another. Return their number.

        `state` is the state after the latest clustering. The answers in it are brought up to date before each choice.
        """
        start, most = len(self.asked), min(size, self.left)
        while (room := start + most - len(self.asked)) > 0:
            state = replace(state, pairs=self._answers(), unknown=self._questions.unknown)
            chosen = self._checked(strategy.query(state, room), strategy)
            for i, j in chosen[:room]:
                self._learn(i, j, self._questions.ask(i, j))
                self._tick(1)
            if not chosen:
                break
        return len(self.asked) - start

    def _checked(self, chosen: Any, strategy: Any) -> list[tuple[int, int]]:
        """Return the pairs that a strategy chose, without the pairs asked before."""
        rows = np.asarray(chosen)
        if rows.size == 0:
            return []
        n = len(self.leaves)
        good = rows.ndim == 2 and rows.shape[1] == 2 and rows.dtype.kind in "iu"
        if not good or rows.min() < 0 or rows.max() >= n or (rows[:, 0] == rows[:, 1]).any():
            msg = f"{strategy!r} must return pairs of different row numbers below {n}, shape (m, 2); got {chosen!r:.80}"
            raise ValueError(msg)
        before = {(min(i, j), max(i, j)) for i, j in self._questions.rows()}
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for i, j in rows.tolist():
            found.setdefault((min(i, j), max(i, j)), (i, j))
        return [pair for key, pair in found.items() if key not in before]

    def _answers(self) -> PairwiseConstraints:
        """Given and answered pairs, by row."""
        given, said = self.given, self._questions.answers()
        pairs = given | said if len(given) else said
        n = len(self.leaves)
        return PairwiseConstraints(
            pairs.must_link, pairs.cannot_link, n, must_weights=pairs.must_weights, cannot_weights=pairs.cannot_weights
        )

    def by_row(self, *, certain: bool) -> PairwiseConstraints:
        """Return given and answered pairs over row numbers. `certain` leaves out pairs that contradict earlier ones."""
        pairs = self._answers()
        if not (certain and self._refuted):
            return pairs
        must, cannot = (
            np.array([(i, j, together) not in self._refuted for i, j in rows.tolist()], np.bool_)
            for rows, together in ((pairs.must_link, True), (pairs.cannot_link, False))
        )
        return pairs.subset(must_link=must, cannot_link=cannot)

    def pairs(self) -> PairwiseConstraints:
        """Given and answered pairs, by label."""
        said = self._questions.answers()
        return self.given | said if len(said) else self.given

    @contextmanager
    def progress(self, verbose: Any) -> Iterator[None]:
        """Show a progress bar over the questions while inside."""
        with progress_bar(verbose, self.budget, "ActiveClustering", "questions") as self._tick:
            yield

    def warn_of_end(self) -> None:
        """Warn that there were fewer questions to ask than the budget allows."""
        n = len(self.leaves)
        total = n * (n - 1) // 2
        has = "has" if n == 1 else "have"
        if self.known.n_open():
            why = "and the strategy has no further question"
        elif total:
            why = "each of which follows from the answers, or was answered with None"
        else:
            why = "so there is nothing to ask"
        warn_user(
            f"questions ended after {len(self.asked)} of n_queries={self.budget}: {counted(n, 'sample')} {has} "
            f"{counted(total, 'pair')}, {why}"
        )
