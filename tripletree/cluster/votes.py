"""Flat clusters by votes: pairs, and triplets that speak of flat classes, which may be wrong.

`DivisiveReCon` calls this if constraints are soft. Features say how likely a sample is in each cluster: normal
distributions of one shape. A statement is a factor on the clusters of its two or three samples: it holds, except for
the share of wrong ones. Belief propagation [1]_ passes both on, so that statements on single samples reach far, and a
wrong one is outvoted by the ones around it. Expectation and maximisation finds the centres, the shape and the shares of
wrong statements.

In many dimensions the features would outvote all statements, and they begin where few statements can move them. So
there are several such models, with features that count less and less. Which one is taken, and whether any is better
than the plain clusters, is decided by the statements, each by the belief about its samples without it.

.. [1] Kschischang, Frey, Loeliger (2001), Factor Graphs and the Sum-Product Algorithm, IEEE Transactions on
   Information Theory 47, 498-519.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from tripletree.algorithms.points import group_means, squared_distances
from tripletree.cluster.propagation import PRIOR, compressed, fill_empty
from tripletree.core.progress import Tick, silent
from tripletree.core.threads import one_blas_thread

#: The first share of wrong statements. The share it is drawn to, with the weight of this many statements. Its least,
#: and its greatest values for pairs and for triplets, at which they say nothing.
WRONG, USUAL, DRAWN_BY, LEAST, MOST = 0.1, 0.05, 10.0, 0.01, (0.5, 2 / 3)

#: In d dimensions features count d ** power in a model. Each model of a path starts at the one before.
PATHS = (0.0,), (-0.5, -0.25, 0.0)

#: Nats by which statements must speak for a model that comes later, and held-out ones for any rather than clusters that
#: know nothing of them: statements of exchanged names speak for a model by chance. A few statements cannot say as much:
#: so much each is enough.
BETTER, SPEAKING, EACH = 1.0, 2.0, 0.1

#: Parts of the statements that are held out in turn. With more statements than `MANY` one fifth is enough.
FOLDS, MANY = 5, 5_000

#: Steps of expectation and maximisation, steps of messages in each, and the part of the old messages that is kept.
STEPS, ROUNDS, KEPT = 40, 8, 0.5

#: Probabilities of clusters that are computed at a time, so that they stay in the processor's cache.
BLOCK = 64_000

#: The share of triplets of classes that have just two of the three samples in one cluster, or more.
TWO_TOGETHER = 0.8

#: A sample is alone if triplets of a class as large as its cluster would not tie it to another one with less chance.
ALONE = 0.01


@dataclass(frozen=True, eq=False)
class FlatVotes:
    """Statements on samples.

    Attributes
    ----------
    pairs : ndarray of int, shape (p, 2)
    same : ndarray of bool, shape (p,)
        Whether a pair is a must-link.
    rows : ndarray of int, shape (m, 3)
        Triplets ab|c: a and b are of one class, c of another.
    weight : ndarray of float64, shape (p + m,)
        How much each counts.
    """

    pairs: np.ndarray
    same: np.ndarray
    rows: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.pairs) + len(self.rows)

    def __or__(self, other: FlatVotes) -> FlatVotes:
        ours, theirs = np.split(self.weight, [len(self.pairs)]), np.split(other.weight, [len(other.pairs)])
        return FlatVotes(
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate([self.same, other.same]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([ours[0], theirs[0], ours[1], theirs[1]]),
        )

    def part(self, which: np.ndarray) -> FlatVotes:
        """Return some of the votes, by a mask over the pairs, then the triplets."""
        p = len(self.pairs)
        return FlatVotes(self.pairs[which[:p]], self.same[which[:p]], self.rows[which[p:]], self.weight[which])

    def without_far(self, alone: np.ndarray) -> FlatVotes:
        """Return the same, but triplets ab|c whose c is `alone` only say that a and b are together.

        All such triplets of a and b make one pair. Their number counts samples that are alone, and is no evidence on a
        and b.
        """
        drop = alone[self.rows[:, 2]]
        near = np.unique(np.sort(self.rows[drop, :2], axis=1), axis=0)
        p, more = len(self.pairs), len(near)
        return FlatVotes(
            np.concatenate([self.pairs, near]),
            np.concatenate([self.same, np.ones(more, bool)]),
            self.rows[~drop],
            np.concatenate([self.weight[:p], np.ones(more), self.weight[p:][~drop]]),
        )

    def kept(self, labels: np.ndarray) -> np.ndarray:
        """Whether clusters keep each pair, and of each triplet ab|c a and b together and c apart."""
        of_pairs, (a, b, c) = labels[self.pairs], labels[self.rows].T
        return np.concatenate([(of_pairs[:, 0] == of_pairs[:, 1]) == self.same, (a == b) & (a != c)])

    def split(self, at_end: np.ndarray) -> tuple[np.ndarray, ...]:
        """The rows for the ends of each statement, as for `held`: two for pairs, and three (a, b, c) for triplets."""
        p, k = len(self.pairs), at_end.shape[1]
        of_pairs, of_rows = at_end[: 2 * p].reshape(p, 2, k), at_end[2 * p :].reshape(len(self.rows), 3, k)
        return of_pairs[:, 0], of_pairs[:, 1], of_rows[:, 0], of_rows[:, 1], of_rows[:, 2]

    def held(self, at_end: np.ndarray) -> np.ndarray:
        """How probable it is that a pair is in one cluster, and that ab|c is how three samples fall apart.

        Parameters
        ----------
        at_end : ndarray of float64, shape (2 p + 3 m, k)
            The probabilities of the clusters for each sample of each statement, in turn.
        """
        one, two, *three = self.split(at_end)
        ab, ac, bc = _apart(*three)
        return np.concatenate([(one * two).sum(axis=1), ab + (1 - ab - ac - bc) / 3])

    def two_together(self, at_end: np.ndarray) -> np.ndarray:
        """Return the probability that just two samples of a triplet are in one cluster, see `held`."""
        ab, ac, bc = _apart(*self.split(at_end)[2:])
        return ab + ac + bc

    def likelihood(self, held: np.ndarray) -> float:
        """Return the log-likelihood of the statements, given `held`, at the shares of wrong ones that make it greatest.

        Agreement by chance counts for nothing: must-links may be rare, and clusters uneven.
        """
        p, total = len(self.pairs), 0.0
        if p:
            must, grid = self.same, np.linspace(0.01, 0.99, 25)  # the shares of must-links, apart and together
            total += max(
                np.log(np.where(must, chance, 1 - chance)) @ self.weight[:p]
                for apart, together in combinations_with_replacement(grid, 2)
                for chance in [apart + (together - apart) * held[:p]]
            )
        if len(self.rows):
            wrong = np.linspace(LEAST, MOST[1], 25)[:, None]
            chance = wrong / 2 * (1 - held[p:]) + (1 - wrong) * held[p:]
            total += (np.log(chance) @ self.weight[p:]).max()
        return float(total)


def _apart(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the probabilities that just a and b, a and c, b and c of three samples are in one cluster."""
    return (a * b * (1 - c)).sum(axis=1), (a * c * (1 - b)).sum(axis=1), (b * c * (1 - a)).sum(axis=1)


@dataclass(eq=False)
class Messages:
    """The logarithms of the messages from statements to each of their samples.

    Attributes
    ----------
    votes : FlatVotes
    n : int
        Number of samples.
    k : int
        Number of clusters.
    wrong : list of two float
        The shares of wrong pairs and of wrong triplets.
    """

    votes: FlatVotes
    n: int
    k: int
    wrong: list[float] = field(default_factory=lambda: [WRONG, WRONG])

    def __post_init__(self) -> None:
        from scipy.sparse import csr_array

        self._end = np.concatenate([self.votes.pairs.ravel(), self.votes.rows.ravel()]).astype(np.intp)
        ends = np.arange(self._end.size)
        self._sum = csr_array((np.ones(ends.size), (self._end, ends)), shape=(self.n, ends.size))
        p, m = len(self.votes.pairs), len(self.votes.rows)
        of = np.concatenate([np.repeat(np.arange(p), 2), p + np.repeat(np.arange(m), 3)])
        self._weight = self.votes.weight[of][:, None]
        self._told, self._heard = np.zeros((ends.size, self.k)), np.zeros((self.n, self.k))
        step = max(1, BLOCK // (6 * self.k))
        self._of_pairs = [slice(2 * i, 2 * min(i + step, p)) for i in range(0, p, step)]
        self._of_rows = [slice(2 * p + 3 * i, 2 * p + 3 * min(i + step, m)) for i in range(0, m, step)]

    def beliefs(self, own: np.ndarray) -> np.ndarray:
        """Return the probabilities of the clusters for each sample, given the logarithms of its own ones."""
        return _shares(own + self._heard)

    def without(self, own: np.ndarray) -> np.ndarray:
        """Return the same for each sample of each statement, in turn, without this statement."""
        return self._without(own + self._heard, slice(None))

    def _without(self, log: np.ndarray, ends: slice) -> np.ndarray:
        rest = log.take(self._end[ends], axis=0)
        rest -= self._told[ends]
        return _shares(rest)

    def send(self, own: np.ndarray, rounds: int = ROUNDS) -> None:
        """Pass messages from every statement to its samples and back, for some rounds."""
        for _ in range(rounds):
            log = own + self._heard
            for ends in self._of_pairs:
                self._keep(ends, self._told_by_pairs(self._without(log, ends).reshape(-1, 2, self.k), ends))
            for ends in self._of_rows:
                self._keep(ends, self._told_by_rows(self._without(log, ends).reshape(-1, 3, self.k)))
            self._heard = self._sum @ self._told

    def _told_by_pairs(self, share: np.ndarray, ends: slice) -> np.ndarray:
        """Return the messages of pairs, given the beliefs about both samples without them."""
        e, other = self.wrong[0], share[:, ::-1]
        same = self.votes.same[ends.start // 2 : ends.stop // 2, None, None]
        return np.where(same, e + (1 - 2 * e) * other, (1 - e) - (1 - 2 * e) * other)

    def _told_by_rows(self, share: np.ndarray) -> np.ndarray:
        """Return the messages of triplets, given the beliefs about their samples without them."""
        f, told = self.wrong[1], np.empty_like(share)
        a, b, not_c = share[:, 0], share[:, 1], 1 - share[:, 2]
        np.multiply(b, not_c, out=told[:, 0])
        np.multiply(a, not_c, out=told[:, 1])
        both = a * b
        np.subtract(both.sum(axis=1, keepdims=True), both, out=told[:, 2])
        np.maximum(told, 0.0, out=told)
        told *= 1 - 1.5 * f
        told += f / 2
        return told

    def _keep(self, ends: slice, told: np.ndarray) -> None:
        """Put messages, which are overwritten by their logarithms, in the place of a part of the old ones."""
        new = np.log(told, out=told).reshape(-1, self.k)
        new *= self._weight[ends]
        new *= 1 - KEPT
        self._told[ends] *= KEPT
        self._told[ends] += new

    def estimate_wrong(self, own: np.ndarray) -> None:
        """The shares of wrong statements, by the belief about their samples without them."""
        p, weight = len(self.votes.pairs), self.votes.weight
        one, two, a, b, c = self.votes.split(self.without(own))
        together = (one * two).sum(axis=1)
        right = np.where(self.votes.same, together, 1 - together), (a * b * (1 - c)).sum(axis=1)
        for i, (so, each, others) in enumerate(zip(right, (weight[:p], weight[p:]), (1, 2), strict=True)):
            not_so = self.wrong[i] / others * (1 - so)
            share = each @ (not_so / (not_so + (1 - self.wrong[i]) * so)) + USUAL * DRAWN_BY
            self.wrong[i] = float(np.clip(share / (each.sum() + DRAWN_BY), LEAST, MOST[i]))


def _shares(log: np.ndarray) -> np.ndarray:
    """Return the probabilities of the clusters. They take the place of logarithms of what they are proportional to."""
    log -= np.ascontiguousarray(log.T).max(axis=0)[:, None]  # the greatest of short rows takes numpy long
    share = np.exp(log, out=log)
    share /= share.sum(axis=1, keepdims=True)
    return share


# ---------------------------------------------------------------------- models


@dataclass(frozen=True, eq=False)
class _Model:
    """Clusters, the probabilities of them, and `FlatVotes.held` of each statement without it."""

    labels: np.ndarray
    shares: np.ndarray
    held: np.ndarray


def _fitted(points: np.ndarray, votes: FlatVotes, start: np.ndarray, power: float) -> _Model:
    """Normal distributions of one shape and the statements, by expectation and maximisation from clusters."""
    n, d = points.shape
    k = int(start.max()) + 1
    messages, products, shares = Messages(votes, n, k), points.T @ points, np.eye(k)[start]
    labels = start
    for step in range(STEPS):
        size = shares.sum(axis=0) + 1e-9
        centres = (shares.T @ points) / size[:, None]
        shape = (products - (centres.T * size) @ centres + PRIOR * np.eye(d)) / (n + PRIOR)
        root = np.linalg.cholesky(np.linalg.inv(shape))
        own = -(d**power) / 2 * squared_distances(points @ root, centres @ root)
        messages.send(own)
        messages.estimate_wrong(own)
        before, was, shares = shares, labels, messages.beliefs(own)
        labels = shares.argmax(axis=1)
        if step > 5 and (labels == was).all() and np.abs(shares - before).max() < 1e-3:
            break
    fill_empty(labels, shares, labels[:0])
    return _Model(labels, shares, votes.held(messages.without(own)))


def _along(
    points: np.ndarray, votes: FlatVotes, start: np.ndarray, path: tuple[float, ...], tell: Tick
) -> list[_Model]:
    """Return the models of a path."""
    found: list[_Model] = []
    for power in path:
        found.append(_fitted(points, votes, found[-1].labels if found else start, power))
        tell(1)
    return found


class Voted(NamedTuple):
    """Clusters by votes, and how held-out triplets fit flat classes.

    Attributes
    ----------
    labels : ndarray of int, shape (n,)
    two : float
        The mean probability that just two samples of a triplet are in one cluster. NaN without triplets.
    chance : float
        The same for random trios.
    """

    labels: np.ndarray
    two: float
    chance: float

    def is_of_classes(self, without: float = 0.0) -> bool:
        """Tell whether triplets look like triplets of flat classes, rather than all levels of a hierarchy.

        A triplet of classes has two samples of one class and one of another. Random trios have two in one
        cluster with the probability 3 sum p^2 (1 - p), p the shares of the clusters. So have triplets of all levels.

        Parameters
        ----------
        without : float
            The part of the triplets that is left out, at the most favourable guess: never just two of their samples
            were together.

        Returns
        -------
        bool
            True if there are no triplets.
        """
        if not without < 1 or np.isnan(self.two):
            return True
        classes, mean = max(TWO_TOGETHER, self.chance + 0.05), min(self.two / (1 - without), 1.0)
        return bool(mean * np.log(classes / self.chance) + (1 - mean) * np.log((1 - classes) / (1 - self.chance)) > 0)


def voted(
    points: np.ndarray, votes: FlatVotes, start: np.ndarray, rng: np.random.Generator, tell: Tick = silent
) -> Voted:
    """Return clusters of all samples, as many as there are in `start`, each with a sample.

    The clusters stay as in `start` if held-out statements speak for no others.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
    votes : FlatVotes
        One statement or more.
    start : ndarray of int, shape (n,)
        Two or more clusters 0..k-1, each with a sample. The statements know nothing of them.
    rng : Generator
        Deals out the statements that are held out.
    tell : callable
        Hears of each model.
    """
    # the number of threads of BLAS changes the rounding
    with one_blas_thread():
        points = compressed(points)
        found = {path[: i + 1]: m for path in PATHS for i, m in enumerate(_along(points, votes, start, path, tell))}
        told = {path: votes.likelihood(model.held) for path, model in found.items()}
        best, *later = sorted(found, key=lambda path: -path[-1])  # features at full weight come first
        for path in later:
            best = path if told[path] > told[best] + BETTER else best
        folds = min(FOLDS, len(votes))
        fold = rng.permutation(len(votes)) % folds
        parts = range(1 if len(votes) > MANY else folds)
        held = [_held_out(points, votes, fold == i, start, best, tell) for i in parts]
    tried = votes.part(np.isin(fold, parts))
    order = np.argsort(np.concatenate([np.flatnonzero(fold == i) for i in parts]))
    by_model, by_start = (np.concatenate([x[j] for x in held])[order] for j in (0, 1))
    is_better = tried.likelihood(by_model) > tried.likelihood(by_start) + min(SPEAKING, EACH * len(votes))
    two = np.concatenate([x[2] for x in held])
    share = found[best].shares.mean(axis=0)
    chance = 3 * float((share**2 * (1 - share)).sum())
    return Voted(found[best].labels if is_better else start, float(two.mean()) if two.size else np.nan, chance)


def _held_out(
    points: np.ndarray, votes: FlatVotes, out: np.ndarray, start: np.ndarray, path: tuple[float, ...], tell: Tick
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`FlatVotes.held` of some statements by a model of the others and by `start`, and `FlatVotes.two_together`."""
    held = votes.part(out)
    ends = np.concatenate([held.pairs.ravel(), held.rows.ravel()]).astype(np.intp)
    at_end = _along(points, votes.part(~out), start, path, tell)[-1].shares[ends]
    return held.held(at_end), held.held(np.eye(int(start.max()) + 1)[start[ends]]), held.two_together(at_end)


def alone(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Which samples triplets of classes tell from others, and never tie to another, where chance would have tied them.

    A sample alone in its group, beside groups of several, is only ever the third of a triplet. It may join any group
    as a whole, so that "another class than a and b" is not what such a triplet says. A sample of a class as large as
    its cluster would be tied to another one by a known part of random triplets.

    Parameters
    ----------
    rows : ndarray of int, shape (m, 3)
    labels : ndarray of int, shape (n,)
        Clusters 0..k-1.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    share = np.bincount(labels) / labels.size
    tied, far = share * (1 - share), (share @ share - share**2) / 2
    never = far / np.maximum(tied + far, 1e-12)
    n = labels.size
    is_far = np.bincount(rows[:, 2], minlength=n)
    is_tied = np.bincount(rows[:, :2].ravel(), minlength=n) > 0
    return (is_far > 0) & ~is_tied & (never[labels] ** is_far < ALONE)


# ---------------------------------------------------------------------- before votes


def nearer_means(points: Any, labels: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Do the last step of k-means: samples move to the nearest mean until no one does. No cluster becomes empty."""
    k = int(labels.max()) + 1
    for _ in range(STEPS):
        near = squared_distances(points, group_means(points, labels, k, weights)).argmin(axis=1)
        if np.bincount(near, minlength=k).min() == 0 or (near == labels).all():
            break
        labels = near
    return labels


def embedded(distance: np.ndarray) -> np.ndarray:
    """Return points whose distances are nearly `distance`, in another unit, by classical scaling."""
    square = np.ldexp(distance, -np.frexp(distance.max())[1]) ** 2  # a power of two changes no digits
    square -= square.mean(axis=0)
    square -= square.mean(axis=1, keepdims=True)
    with one_blas_thread():
        value, vector = np.linalg.eigh(-(square + square.T) / 4)
    some = value > 1e-9 * max(value.max(), 1e-300)
    return vector[:, some] * np.sqrt(value[some]) if some.any() else np.zeros((len(distance), 1))
