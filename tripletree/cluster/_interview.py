"""The rounds and questions of an active clustering, what has been answered, and what contradicts what."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from numbers import Integral
from typing import Any
from warnings import warn

import numpy as np

from tripletree.errors import InconsistentPairsError
from tripletree.pairs import PairwiseConstraints
from tripletree.queries.known import Known
from tripletree.queries.oracle import Questions
from tripletree.queries.state import QueryState, QueryStrategy

__all__ = ["Contradiction", "Interview", "Round", "check_takes_pairs", "seen"]


@dataclass(frozen=True)
class Round:
    """One clustering between two blocks of questions.

    Attributes
    ----------
    n_asked : int
        Questions asked before it.
    n_answered : int
        Those that were answered with True or False.
    n_pairs : int
        Pairs that it was made with: given, answered and inherited ones.
    n_iter : int or None
        Iterations that the estimator needed, where it tells.
    labels : ndarray of int, shape (n_samples,), or None
        The clusters, where they were to be kept.
    """

    n_asked: int
    n_answered: int
    n_pairs: int
    n_iter: int | None
    labels: np.ndarray | None = None


@dataclass(frozen=True)
class Contradiction:
    """An answer that contradicts earlier ones.

    Attributes
    ----------
    answer : (label, label, bool)
        The later one; of given pairs, one of them.
    path : list of label
        Along must-links, from one end of a cannot-link to the other. One of these links is the answer.
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
        return f"{_said(a, b, together)} contradicts {', '.join(_said(*x) for x in earlier)}"


def _said(a: Hashable, b: Hashable, together: bool) -> str:
    return f"{a!r} and {b!r} {'together' if together else 'apart'}"


def check_takes_pairs(model: Any) -> None:
    """Refuse an estimator whose ``fit`` takes no pairs, before anything is clustered.

    Raises
    ------
    TypeError
    """
    wanted = "estimator must have fit(X, pairs=) and labels_, as COPKMeans, PCKMeans and CVQEPlus have"
    if hasattr(model, "steps"):
        msg = f"{wanted}; a pipeline hands no pairs on: put ActiveClustering at its end, behind what transforms X"
        raise TypeError(msg)
    fit = getattr(model, "fit", None)
    if fit is None:
        msg = f"{wanted}; {type(model).__name__} has no fit"
        raise TypeError(msg)
    known = signature(fit).parameters.values()
    if not any(x.name == "pairs" or x.kind is x.VAR_KEYWORD for x in known):
        msg = f"{wanted}; {type(model).__name__}.fit takes no pairs"
        raise TypeError(msg)


class Interview:
    """An oracle with a budget, and the closure of what is known.

    Parameters
    ----------
    oracle : callable or None
    budget : int
    given : PairwiseConstraints
        Pairs known beforehand; `take_in` looks at them.
    on_contradiction : {"warn", "raise"}

    Attributes
    ----------
    known : Known
    contradictions : list of Contradiction
    """

    def __init__(self, oracle: Any, budget: int, given: PairwiseConstraints, *, on_contradiction: str) -> None:
        self.leaves, self.given, self.budget = given.leaves, given, budget
        self._questions = Questions(_nobody if oracle is None else oracle, budget, given.leaves)
        self._raise = on_contradiction == "raise"
        self.known = Known(len(given.leaves))
        self.contradictions: list[Contradiction] = []
        self._refuted: set[tuple[int, int, bool]] = set()
        self._tell: Callable[[int], Any] = _nothing

    @property
    def asked(self) -> list[tuple[Hashable, Hashable, bool | None]]:
        """What was asked, in order."""
        return self._questions.asked

    @property
    def left(self) -> int:
        """How many questions may still be asked."""
        return self._questions.left

    @property
    def n_answered(self) -> int:
        """How many questions were answered with True or False."""
        return len(self.asked) - len(self._questions.unknown)

    def take_in(self, pairs: PairwiseConstraints) -> None:
        """Learn pairs that were not asked for."""
        for rows, together in ((pairs.must_link, True), (pairs.cannot_link, False)):
            for i, j in rows.tolist():
                self._learn(i, j, together, depth=4)

    def _learn(self, i: int, j: int, answer: bool | None, *, depth: int) -> None:
        path = self.known.add(i, j, answer)
        if path is None or answer is None:
            return
        names = [self.leaves[x] for x in path]
        found = Contradiction((self.leaves[i], self.leaves[j], answer), names, (names[0], names[-1]))
        self.contradictions.append(found)
        self._refuted.add((min(i, j), max(i, j), answer))
        if self._raise:
            raise InconsistentPairsError(names)
        warn(f"an answer contradicts earlier ones: {found}; the earlier ones count for what follows", stacklevel=depth)

    def ask_block(self, strategy: QueryStrategy, size: int, context: dict[str, Any]) -> int:
        """Ask at most so many questions of a strategy, which may choose them one after another; how many there were."""
        start, most = len(self.asked), min(size, self.left)
        while (room := start + most - len(self.asked)) > 0:
            pairs, unknown = self._answers(), self._questions.unknown
            state = QueryState(pairs=pairs, unknown=unknown, known=self.known, **context)
            chosen = self._checked(strategy.query(state, room), strategy)
            for i, j in chosen[:room]:
                self._learn(i, j, self._questions.ask(i, j), depth=5)
                self._tell(1)
            if not chosen:
                break
        return len(self.asked) - start

    def _checked(self, chosen: Any, strategy: Any) -> list[tuple[int, int]]:
        """What a strategy has chosen, without what has been asked before."""
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
            pairs.must_link,
            pairs.cannot_link,
            n,
            must_strength=pairs.must_strength,
            cannot_strength=pairs.cannot_strength,
        )

    def by_row(self, *, certain: bool) -> PairwiseConstraints:
        """Given and answered pairs over row numbers; where they are to be certain, those that agree."""
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
        """Show a bar of the questions while inside."""
        if not verbose:
            yield
            return
        from tqdm.auto import tqdm

        with tqdm(total=self.budget, desc="ActiveClustering", unit=" questions") as bar:
            self._tell = bar.update
            yield

    def warn_of_end(self) -> None:
        """Say that there was less to ask than the budget allows."""
        n = len(self.leaves)
        total = n * (n - 1) // 2
        why = "follows from the answers, or was asked about in vain" if total else "there are none"
        if self.known.n_open():
            why = "the strategy has no further question"
        msg = f"questions ended after {len(self.asked)} of n_queries={self.budget}: {n} samples have {total} pairs, "
        warn(msg + (f"each of which {why}" if why.startswith("follows") else f"and {why}"), stacklevel=4)


def seen(model: Any, X: np.ndarray) -> dict[str, Any]:
    """What a strategy sees of a fitted estimator: labels 0..k-1, centres that belong to them, and how many to find."""
    labels = np.asarray(model.labels_).astype(np.int64)
    centers = getattr(model, "cluster_centers_", None)
    if labels.size and labels.min() < 0:  # noise
        labels, centers = np.unique(labels, return_inverse=True)[1].astype(np.int64), None
    k = int(labels.max()) + 1
    if centers is not None and (np.ndim(centers) != 2 or len(centers) < k or np.shape(centers)[1] != X.shape[1]):
        centers = None
    wanted = getattr(model, "n_clusters", None)
    n_clusters = int(wanted) if isinstance(wanted, Integral) else k
    return {
        "labels": labels,
        "centers": None if centers is None else np.asarray(centers),
        "n_clusters": n_clusters,
        "X": X,
    }


def _nobody(a: Hashable, b: Hashable) -> bool | None:
    raise AssertionError  # the budget is 0


def _nothing(n: int) -> None:
    return None
