"""Rounds of constrained k-means whose priorities are boosted, on arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.cluster._lloyd import Points, starting_centres
from tripletree.pairs import PairwiseConstraints

__all__ = ["Boosting", "Pairs", "Round", "Rules", "constrained_means", "importance", "updated"]

#: Numbers (samples x clusters x features) that one call of a kernel goes through before Ctrl-C is heard.
_SLICE = 200_000_000

#: What counts as the rounding of an error.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Pairs:
    """Pairs as the kernels take them, must-links first.

    Attributes
    ----------
    ends : ndarray of int32, shape (e, 2), read-only
    n_must : int
    strength : ndarray of float64, shape (e,)
    """

    ends: np.ndarray
    n_must: int
    strength: np.ndarray

    @classmethod
    def of(cls, pairs: PairwiseConstraints) -> Pairs:
        """From pairs over the samples."""
        parts = [
            np.ones(len(rows)) if strength is None else strength
            for rows, strength in (
                (pairs.must_link, pairs.must_strength),
                (pairs.cannot_link, pairs.cannot_strength),
            )
        ]
        ends = frozen(np.concatenate([pairs.must_link, pairs.cannot_link]).reshape(-1, 2))
        return cls(ends, pairs.n_must, np.concatenate(parts))

    def violated(self, labels: np.ndarray) -> np.ndarray:
        """Whether labels violate each pair."""
        together = labels[self.ends[:, 0]] == labels[self.ends[:, 1]]
        return np.where(np.arange(len(self.ends)) < self.n_must, ~together, together)


@dataclass(frozen=True)
class Round:
    """One constrained k-means.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    centres : ndarray of float64, shape (k, d)
    error : float
        The weight of the violated pairs, of all the weight.
    importance : float
        0 where it does not count.
    """

    labels: np.ndarray
    centres: np.ndarray
    error: float
    importance: float


@dataclass(frozen=True)
class Rules:
    """What rounds go by; the parameters of `BoostedConstrainedKMeans` of these names."""

    n_clusters: int
    n_rounds: int
    priorities: str
    perfect_importance: float
    max_error: float
    stop_when_perfect: bool
    init: str
    max_iter: int


def constrained_means(
    points: Points, pairs: Pairs, order: np.ndarray, centres: np.ndarray, *, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """One run of the constrained k-means that looks at pairs in the given order.

    Parameters
    ----------
    points : Points
    pairs : Pairs
    order : ndarray of int, shape (e,)
        Numbers of pairs, the most important one first.
    centres : ndarray of float64, shape (k, d)
        The start.
    max_iter : int

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    centres : ndarray of float64, shape (k, d)
        Their means; an empty cluster keeps its centre.
    """
    order = frozen(order)
    most = max(1, _SLICE // max(1, points.n * centres.size))
    labels, centres, objective = frozen(np.full(points.n, -1)), frozen(centres, np.float64), np.inf
    done, turns = False, 0
    while not done and turns < max_iter:
        labels, centres, objective, taken, done = _kernels.boosted_assign.constrained_run(
            *(points.columns, points.weights, pairs.ends, pairs.n_must, order),
            *(centres, labels, objective, min(most, max_iter - turns)),
        )
        labels, centres, turns = freeze(labels), freeze(centres), turns + taken
    return labels, centres


@dataclass
class Boosting:
    """The state of the boosting after some rounds (Algorithm 1 of the paper).

    Attributes
    ----------
    points, pairs, rules, rng
        What it works on.
    weights : ndarray of float64, shape (e,)
        The priorities of the pairs; they add up to 1.
    rounds : list of Round
        Those that count.
    errors : list of float
        Of all rounds, those that do not count included.
    stopped : str
        Why it has ended; empty while it has not.
    """

    points: Points
    pairs: Pairs
    rules: Rules
    rng: np.random.Generator
    weights: np.ndarray = field(init=False)
    rounds: list[Round] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    stopped: str = ""

    def __post_init__(self) -> None:
        self.weights = _shares(self.pairs.strength)
        self._ties = self.rng.permutation(self.weights.size)  # which of several pairs of one weight comes first
        self._spare: Round | None = None

    @property
    def counted(self) -> list[Round]:
        """The rounds that count; where none does, the one of least error, with importance 1."""
        if self.rounds or self._spare is None:
            return self.rounds
        spare = self._spare
        return [Round(spare.labels, spare.centres, spare.error, 1.0)]

    def step(self) -> None:
        """One round more."""
        rules = self.rules
        order = self.rng.permutation(self.weights.size) if rules.priorities == "random" else self._by_weight()
        start = starting_centres(self.points, rules.n_clusters, self.rng, init=rules.init)
        labels, centres = constrained_means(self.points, self.pairs, order, start, max_iter=rules.max_iter)
        violated = self.pairs.violated(labels)
        error = float(self.weights[violated].sum())
        done = Round(labels, centres, error, self._importance(error))
        self.errors.append(error)
        if done.importance > 0:
            self.rounds.append(done)
        elif self._spare is None or error < self._spare.error:
            self._spare = done
        if rules.priorities == "boosted" and done.importance > 0:
            self.weights = updated(self.weights, violated, done.importance)
        self._end(done, perfect=not violated.any())

    def _by_weight(self) -> np.ndarray:
        return self._ties[np.argsort(-self.weights[self._ties], kind="stable")]

    def _importance(self, error: float) -> float:
        if self.rules.priorities == "none":
            return 1.0
        return importance(error, perfect=self.rules.perfect_importance, most=self.rules.max_error)

    def _end(self, last: Round, *, perfect: bool) -> None:
        rules = self.rules
        if rules.priorities == "none":
            self.stopped = "one round"
        elif last.importance == 0 and rules.priorities == "boosted":
            self.stopped = "error"
        elif perfect and rules.stop_when_perfect:
            self.stopped = "perfect"
        elif len(self.errors) >= rules.n_rounds:
            self.stopped = "rounds"


def importance(error: float, *, perfect: float, most: float) -> float:
    """How much a round of this error counts: half the logarithm of the odds, at most `perfect`; 0 from `most` on.

    A round that repeats the one before has an error of 1/2, but for rounding.
    """
    if error >= most * (1.0 - _ROUNDING):
        return 0.0
    if error <= 0.0:
        return perfect
    return min(perfect, 0.5 * float(np.log((1.0 - error) / error)))


def updated(weights: np.ndarray, violated: np.ndarray, importance: float) -> np.ndarray:
    """Weights of pairs after a round: those of violated ones grow, the others shrink, and they add up to 1 again.

    None becomes 0, from where it could not grow.
    """
    grown = _shares(weights * np.exp(np.where(violated, importance, -importance)))
    return np.maximum(grown, np.finfo(np.float64).tiny)


def _shares(weights: np.ndarray) -> np.ndarray:
    total = weights.sum()
    return weights / total if total > 0 else weights.copy()
