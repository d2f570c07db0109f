"""A sample of trees from the posterior of a model, given features and triplets, by Markov chain Monte Carlo.

The model and the steps of the chain are in ``_core/posterior.hpp``; `DivisiveReCon` is the caller. The order of
this file: the sample and its summaries, the chains, coordinates in which the model fits tables, and where a chain
begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.induce import displayed
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.progress import Tick, silent
from tripletree.core.threads import one_blas_thread, side_by_side

#: The likelihood of d features has the exponent 12 / d if there are more: features of tables are less independent than
#: the model has it.
FEATURES = 12

#: Factors on this exponent, as features may fit the model worse or better: chains take one after the other, and the
#: statements decide (`sample_trees`). The share of the steps that each takes, if these are more than `LEAST`. The
#: number of statements for which the factor 1 counts beforehand.
POWERS, PART, USUAL = (0.03, 0.1, 0.3, 1.0, 4.0), 0.5, 3.0

#: If statements decide that are not all that is given, a run of its own hears them, with this share of the steps.
HASTE = 0.5

#: Steps of the weights of these factors.
WEIGHING = 200

#: Leaves that a clade may be regrafted beside, for each of its leaves.
NEAR = 10

#: The share of wrong triplets has the prior Beta(1, 9).
WRONG, RIGHT = 1.0, 9.0

#: People who tell degrees of likeness have one of these sharpnesses, and others the last one. The share of wrong
#: replies is one of `SHARES`.
SHARPNESSES, SHARES = np.append(np.geomspace(0.25, 256, 21), np.inf), np.linspace(0.0025, 0.6, 48)

#: So many random ones of these are compared with the value now in a draw.
TRIED = 6

#: Steps of a chain for each leaf, the least number from 32 leaves on (fewer for fewer), and the greatest.
STEPS, LEAST, MOST = 1_000, 100_000, 1_200_000

#: Random trios over which two chains are compared. Triplets that fewer trees have or lack than this share are decided.
MIXED, UNSURE = 1_000, 0.05

#: Chains disagree on a triplet whose R-hat is above this.
DISAGREEING = 1.1

#: The share of the steps before the first tree is sampled, and trees in the sample.
BURN, TREES = 1 / 3, 100


# ---------------------------------------------------------------------- the sample


@dataclass(frozen=True, eq=False)
class TreeSample:
    """Trees of a posterior, each as probable as it is frequent.

    Attributes
    ----------
    parents : ndarray of int32, shape (t, 2 n - 1)
        Of each tree. Parents come after their children.
    noise : ndarray of float64, shape (t,)
        The share of wrong triplets that goes with each tree.
    power : ndarray of float64, shape (t,)
        The factor on the exponent of the features that goes with each tree.
    leaf : ndarray of int64, shape (n,)
        The leaf of each sample in these trees.
    """

    parents: np.ndarray
    noise: np.ndarray
    power: np.ndarray
    leaf: np.ndarray

    def hierarchies(self, leaves: LeafIndex) -> Iterator[Hierarchy]:
        """The trees one after the other, over the names of the samples."""
        for parent in self.parents:
            yield Hierarchy(freeze(np.concatenate([parent[self.leaf], parent[self.leaf.size :]])), leaves)

    def probability(self, rows: np.ndarray) -> np.ndarray:
        """The share of the trees that display each triplet, rows of samples."""
        leaves = np.ascontiguousarray(self.leaf[rows])
        return np.mean([displayed(Hierarchy(freeze(x.copy())), leaves) for x in self.parents], axis=0)

    def mixing(self) -> Mixing:
        """How far the two chains, each a half of the sample, agree on the triplets of random trios."""
        n, rng = len(self.leaf), np.random.default_rng(0)
        trios = rng.integers(0, n, (MIXED, 3))
        trios = trios[(np.diff(np.sort(trios, axis=1), axis=1) > 0).all(axis=1)]
        rows = np.concatenate([trios, trios[:, [0, 2, 1]], trios[:, [1, 2, 0]]]).astype(np.int32)
        shown = np.array([displayed(Hierarchy(freeze(x.copy())), rows) for x in self.parents])
        half = len(shown) // 2
        one, other = shown[:half].mean(axis=0), shown[half:].mean(axis=0)
        mean, variance = (one + other) / 2, float((((one - other) / 2) ** 2).sum())
        most = float(len(shown))
        effective = min(most, float((mean * (1 - mean)).sum()) / variance) if variance > 0 else most
        open_ = np.flatnonzero((mean > UNSURE) & (mean < 1 - UNSURE))
        triplets = np.argsort(self.leaf)[rows[open_]].reshape(-1, 3)
        triplets[:, :2].sort(axis=1)
        triplets, first = np.unique(triplets, axis=0, return_index=True)  # trios of few samples repeat
        chains = np.stack([x[:, open_[first]] for x in (shown[:half], shown[-half:])]).astype(np.float64)
        return Mixing(effective, triplets, split_r_hat(chains), effective_sizes(chains))


@dataclass(frozen=True, eq=False)
class Mixing:
    """How far the chains of a sample of trees agree, from the triplets of random trios of samples.

    Attributes
    ----------
    effective_trees : float
        How many independent trees would let the two chains differ as much as they do. The variance of a mean of two
        chains is a quarter of their squared difference. Sums over all triplets make up for chains that are only two.
    triplets : ndarray of int, shape (m, 3)
        The different triplets ab|c, as row numbers, that more than a twentieth of the trees display, and more than a
        twentieth do not.
    r_hat : ndarray of float64, shape (m,)
        Split R-hat of each [1]_: the square root of the variance of all trees over that within halves of chains. Near
        1 if chains agree, above 1.1 if they do not. Infinite if halves differ and each is all of one mind.
    effective_sizes : ndarray of float64, shape (m,)
        How many independent trees each is known by, from the autocorrelation of the chains [1]_.

    References
    ----------
    .. [1] Gelman, Carlin, Stern, Dunson, Vehtari, Rubin (2013), Bayesian Data Analysis, third edition, section 11.4-5.
    """

    effective_trees: float
    triplets: np.ndarray
    r_hat: np.ndarray
    effective_sizes: np.ndarray

    @property
    def disagreeing(self) -> float:
        """The share of these triplets with R-hat above 1.1. 0 if there are none."""
        return float((self.r_hat > DISAGREEING).mean()) if self.r_hat.size else 0.0


def split_r_hat(chains: np.ndarray) -> np.ndarray:
    """Split R-hat of each column of chains, shape (chains, length, m)."""
    halves = _halves(chains)
    length = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((length - 1) / length + between / within)
    return np.where(within + between > 0, ratio, 1.0)


def effective_sizes(chains: np.ndarray) -> np.ndarray:
    """Effective sample size of each column of chains, shape (chains, length, m).

    Autocorrelations are from the variogram of halves of chains. They are summed as long as two neighbouring ones are
    positive in their sum.
    """
    halves = _halves(chains)
    m, length = halves.shape[:2]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    whole = (length - 1) / length * within + halves.mean(axis=1).var(axis=0, ddof=1)
    safe = np.where(whole > 0, whole, 1.0)
    total, going = np.zeros(len(safe)), whole > 0
    for lag in range(1, length - 1, 2):
        one, two = (1 - ((halves[:, t:] - halves[:, :-t]) ** 2).mean(axis=(0, 1)) / (2 * safe) for t in (lag, lag + 1))
        going = going & (one + two >= 0)
        total += np.where(going, one + two, 0.0)
    return m * length / np.maximum(1 + 2 * total, 1.0)


def _halves(chains: np.ndarray) -> np.ndarray:
    """The halves of chains as chains of their own, without the middle of an odd number."""
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def mean_tree(parents: Sequence[np.ndarray], weight: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Average linkage of the mean square root of the size of the smallest clade that holds two items.

    Returns
    -------
    ndarray of int32, shape (g - 1, 2)
        The two children of each merge, by their heights.
    """
    total = np.zeros((size.size, size.size))
    for parent, w in zip(parents, weight, strict=True):
        engine.division.add_sizes(parent, size, w / weight.sum(), total)
    total += total.T
    return linked(total, size, False)


def linked(distance: np.ndarray, size: np.ndarray, ward: bool) -> np.ndarray:
    """Linkage of distances, which are overwritten: the two children of each merge, by their heights."""
    return engine.division.link(distance, size, ward)[0]


def parents_of(merges: np.ndarray) -> np.ndarray:
    """The parents of the nodes of a tree, given the two children of each merge."""
    n = merges.shape[0] + 1
    parent = np.full(2 * n - 1, -1, np.int32)
    parent[merges.T] = np.arange(n, 2 * n - 1, dtype=np.int32)
    return parent


# ---------------------------------------------------------------------- chains


def n_steps(n: int, effort: float = 1.0) -> int:
    """The steps of a chain over trees with n leaves."""
    return round(effort * min(MOST, max(STEPS * n, min(LEAST, 100 * n * n))))


def sample_trees(
    points: np.ndarray,
    starts: Sequence[np.ndarray],
    rows: np.ndarray,
    weight: np.ndarray,
    rng: np.random.Generator | int,
    *,
    noise: float | None = None,
    deciding: tuple[np.ndarray, np.ndarray] | None = None,
    effort: float = 1.0,
    tell: Tick = silent,
) -> TreeSample:
    """Sample trees from chains that begin at given trees, as many from each.

    Chains from different trees show more of the possible trees than one that is as long as all of them.

    How much the features should count is not known. If their exponent is too great, right statements are outvoted by
    features that do not follow the model. If it is too small, everything is believed. So chains go from small to great
    exponents: at first triplets move them freely, and features come in step by step. The sample has trees of each
    exponent in such proportions that independent statements, each left out in turn, are most probable (stacking [1]_).
    Hard triplets, and those of a hierarchy, do not tell what they would be without one of them. Soft statements that
    follow from them are heard in a run of their own then, which decides on the exponents alone.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
    starts : sequence of ndarray of int32, shape (2 n - 1,)
        Parents of binary trees, after their children, which display the triplets that must hold.
    rows, weight : ndarray of int32, shape (m, 3), and of float64, shape (m,)
        Triplets. Those of infinite weight must hold.
    rng : Generator, or int, its seed
    noise : float or None
        The share of wrong ones among the others. None estimates it with the trees.
    deciding : (ndarray of int32, shape (k, 3), ndarray of float64, shape (k,)), or None
        Triplets that are independent statements, and their weights. The exponent is the usual one if there are none.
    effort : float
        Factor on the number of steps.
    tell : callable
        Is given how many hundredths of all steps were taken since the last call.

    References
    ----------
    .. [1] Yao, Vehtari, Simpson, Gelman (2018), Using Stacking to Average Bayesian Predictive Distributions, Bayesian
       Analysis 13, 917-1003.
    """
    with one_blas_thread():  # the number of threads changes the rounding
        begun = [(independent(points, start), start) for start in starts]
    told, rng = 0, np.random.default_rng(rng)

    def progress(done: float) -> None:
        nonlocal told
        was, told = told, round(100 * done)
        tell(told - was)

    usual, powers, share = n_steps(len(points)), np.ones(1), np.ones(1)
    steps, before = effort * usual, 0.0  # and the part of them before the last run
    if deciding is not None and len(deciding[0]):
        own, each = deciding
        powers = np.array(POWERS)
        steps = effort * max(round(PART * usual), min(usual, LEAST))
        is_all = not np.isinf(weight).any() and len(own) == len(rows)
        haste, before = (1.0, 1.0) if is_all else (HASTE, HASTE / (HASTE + 1))
        of_own = own, each, noise
        trees, wrong = _climbed(begun, of_own, powers, round(haste * steps), rng, lambda done: progress(before * done))
        left_out = [_left_out(np.concatenate(trees[:, k]), wrong[:, k].ravel(), own) for k in range(len(powers))]
        share = _stacked(np.array(left_out), each, POWERS.index(1.0))
    if before < 1:
        used = share > 1 / TREES
        powers, share = powers[used], share[used] / share[used].sum()
        given, rest = (rows, weight, noise), 1 - before
        trees, wrong = _climbed(begun, given, powers, round(steps), rng, lambda done: progress(before + rest * done))
    at = np.arange(wrong.shape[2])
    of = _dealt(share, at.size)
    return TreeSample(
        np.concatenate(trees[:, of, at]),
        np.concatenate(wrong[:, of, at]),
        np.tile(powers[of], len(starts)),
        np.arange(len(points)),
    )


def _climbed(
    begun: Sequence[tuple[np.ndarray, np.ndarray]],
    given: tuple[np.ndarray, np.ndarray, float | None],
    powers: np.ndarray,
    steps: int,
    rng: np.random.Generator,
    tell: Callable[[float], Any],
) -> tuple[np.ndarray, np.ndarray]:
    """Trees of chains that take so many steps with one factor on the exponent after the other.

    Parameters
    ----------
    begun : sequence of (ndarray, ndarray)
        Coordinates and the first tree of each chain.
    given : tuple
        `rows`, `weight` and `noise` of a `Chain`.
    powers : ndarray of float64, shape (p,)

    Returns
    -------
    trees : ndarray of int32, shape (chains, p, t, 2 n - 1)
    wrong : ndarray of float64, shape (chains, p, t)
        The share of wrong triplets that goes with each.
    """
    seeds = rng.integers(2**63, size=len(begun)).tolist()
    each, taken = -(-TREES // len(begun)), [0.0] * len(begun)

    def run(i: int, stop: Event) -> list[tuple[np.ndarray, np.ndarray]]:
        (points, start), (rows, weight, noise) = begun[i], given
        chain = Chain(points, start, rows, weight, noise, np.random.default_rng(seeds[i]))
        usual, out = chain.power, []
        for k, factor in enumerate(powers.tolist()):
            chain.power = factor * usual

            def note(share: float, k: int = k) -> None:
                taken[i] = (k + share) / len(powers)

            out.append(chain.sampled(steps, each, stop, note))
        return out

    found = side_by_side(run, len(begun), lambda ended: tell(sum(taken) / len(taken)))
    trees, wrong = (np.array([[x[j] for x in of_start] for of_start in found]) for j in (0, 1))
    return trees, wrong


def _left_out(parents: np.ndarray, noise: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The chance of each triplet given the others, by trees that were sampled with all of them.

    A tree is the more probable without a triplet the less it has to do with it: the mean is a harmonic one.
    """
    total = np.zeros(len(rows))
    for parent, wrong in zip(parents, noise, strict=True):
        total += 1 / np.where(displayed(Hierarchy(freeze(parent.copy())), rows), 1 - wrong, wrong / 2)
    return len(parents) / total


def _stacked(chance: np.ndarray, weight: np.ndarray, usual: int) -> np.ndarray:
    """The weights of distributions that make what they say in their mean most probable.

    Parameters
    ----------
    chance : ndarray of float64, shape (p, m)
        How probable each distribution makes each statement.
    weight : ndarray of float64, shape (m,)
    usual : int
        `USUAL` further statements are sure in this distribution, and impossible in the others.

    Returns
    -------
    ndarray of float64, shape (p,)

    Examples
    --------
    >>> _stacked(np.array([[0.5], [0.5]]), np.ones(1), 1).round(3).tolist(), USUAL
    ([0.0, 1.0], 3.0)
    """
    share = np.full(len(chance), 1 / len(chance))
    for _ in range(WEIGHING):
        part = share[:, None] * chance
        share = part / part.sum(axis=0) @ weight
        share[usual] += USUAL
        share /= share.sum()
    return share


def _dealt(share: np.ndarray, n: int) -> np.ndarray:
    """Numbers of parts for n places, as many of each as its share says, evenly mixed.

    Examples
    --------
    >>> _dealt(np.array([0.5, 0.25, 0.25]), 8).tolist()
    [0, 1, 2, 0, 0, 1, 2, 0]
    """
    owed, out = np.zeros(share.size), np.empty(n, np.int64)
    for k in range(n):
        owed += share
        out[k] = owed.argmax()
        owed[out[k]] -= 1
    return out


class Chain:
    """A Markov chain over trees that display more or less of some triplets, which may be others later on.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
        Coordinates in which the contrasts of trees are independent (`independent`). Without any (d = 0), triplets alone
        say which trees are likely.
    parent : ndarray of int32, shape (2 n - 1,)
        The first tree.
    rows, weight : ndarray of int32, shape (m, 3), and of float64, shape (m,)
        Triplets. Those of infinite weight must hold, as they do in the first tree.
    noise : float or None
        The share of wrong ones among the others. None estimates it with the trees.
    rng : Generator
    by_order : float or None
        If given, triplets are replies of people, who either go by the order of the heights at which three leaves meet,
        or tell the odd one less surely the closer these heights are (``_core/posterior.hpp``). This is the chance of
        the former beforehand.
    power : float or None
        The exponent of the likelihood of the features. None takes 12 / d if there are more than 12.

    Attributes
    ----------
    wrong, sharpness : float
        The share of wrong triplets, and the sharpness of people, as drawn last.
    """

    def __init__(
        self,
        points: np.ndarray,
        parent: np.ndarray,
        rows: np.ndarray,
        weight: np.ndarray,
        noise: float | None,
        rng: np.random.Generator,
        by_order: float | None = None,
        power: float | None = None,
    ) -> None:
        self.walk, self.n = _begun(points, parent), len(points)
        self.power = min(1.0, FEATURES / max(points.shape[1], 1)) if power is None else power
        self.noise, self.rng = noise, rng
        self.prior: np.ndarray | None = None  # of the sharpness, if triplets are replies
        if by_order is not None:
            degrees = len(SHARPNESSES) - 1
            self.prior = np.append(np.full(degrees, (1 - by_order) / degrees), by_order)
        self.wrong, self.sharpness = WRONG / (WRONG + RIGHT) if noise is None else noise, SHARPNESSES[-1]
        self.hear(rows, weight)

    def hear(self, rows: np.ndarray, weight: np.ndarray) -> None:
        """Go on with other triplets, from the tree reached so far."""
        self.weight = weight.astype(np.float64)
        votes = self.weight[np.isfinite(self.weight)]
        self.given, self.all_hard = float(votes.sum()), self.weight.size > votes.size == 0
        self.walk.hear(rows, self.weight)

    def begin(self) -> None:
        """Compute the sums of the state anew: those that change by small steps lose digits."""
        self.walk.begin()

    def go_on(self, steps: int, believing: bool = False) -> None:
        """Take some steps, given a share of wrong triplets, then draw the scale of the heights.

        A chain whose first tree breaks most triplets would learn to disbelieve them before it could change the tree. So
        at first it is `believing`: the share of wrong triplets is no greater than its prior mean.
        """
        if self.prior is not None:
            self._draw_replies(self.prior)
        else:
            self.wrong = 0.0 if self.all_hard else self.share_of_wrong()
            if believing and self.noise is None:
                self.wrong = min(self.wrong, WRONG / (WRONG + RIGHT))
        price = 1.0  # of a triplet that is worth the logarithm of its chance
        if np.isinf(self.sharpness):
            price = np.inf if self.all_hard else math.log((1 - self.wrong) / self.wrong * 2)
        self.walk.walk(self.power, price, self.rng.random((steps, 8)))
        self.walk.rescale(self.power, self.rng.random((2, 2)))

    def tree(self) -> np.ndarray:
        """The tree reached so far: its parents, inner nodes numbered by their heights."""
        return self.walk.tree()

    def sampled(
        self, steps: int, trees: int, stop: Event, tell: Callable[[float], Any] = lambda share: None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Trees at equal distances after the first third of the steps, and the share of wrong triplets with each."""
        part = max(500, 2 * self.n)
        n_parts = max(-(-steps // part), trees + 1)
        taken = set(np.linspace(int(BURN * n_parts), n_parts - 1, trees).astype(int).tolist())
        out, shares = [], []
        for k in range(n_parts):
            if stop.is_set():
                break
            self.go_on(part, k < 0.7 * BURN * n_parts)
            if k % 20 == 19:
                self.begin()
            if k in taken:
                out.append(self.tree())
                shares.append(self.wrong)
            tell((k + 1) / n_parts)
        return np.array(out), np.array(shares)

    @property
    def heights(self) -> np.ndarray:
        """The heights of the inner nodes, as they are numbered in `tree`."""
        return self.walk.heights()

    def _draw_replies(self, prior: np.ndarray) -> None:
        """Draw the sharpness and the share of wrong replies from their distributions given the tree."""
        displayed, ratio = self.walk.relations()

        def fit(sharpness: np.ndarray | float, wrong: np.ndarray | float) -> np.ndarray:
            return np.log(reply_chance(displayed, ratio, sharpness, wrong)) @ self.weight

        self.sharpness = self._drawn(SHARPNESSES, prior, self.sharpness, lambda tried: fit(tried, self.wrong))
        if self.noise is None:
            prior = (1 - SHARES) ** (RIGHT - 1)
            self.wrong = self._drawn(SHARES, prior, self.wrong, lambda tried: fit(self.sharpness, tried))
        worth = displayed.astype(np.float64)
        if np.isfinite(self.sharpness):
            worth = np.log(reply_chance(displayed, ratio, self.sharpness, self.wrong))
        self.walk.believe(self.sharpness, self.wrong, worth, float(worth @ self.weight))

    def _drawn(
        self, values: np.ndarray, prior: np.ndarray, now: float, fit: Callable[[np.ndarray], np.ndarray]
    ) -> float:
        """Draw one of the value now and some random other ones, given their prior and their log-likelihood.

        Looking at all of them would take long if there are many replies.
        """
        possible = np.flatnonzero(prior)
        some = self.rng.choice(possible, min(TRIED, len(possible)), replace=False)
        tried = np.unique(np.append(some, min(int(np.searchsorted(values, now)), len(values) - 1)))
        log = np.log(prior[tried]) + fit(values[tried][:, None])
        chance = np.exp(log - log.max())
        return float(values[self.rng.choice(tried, p=chance / chance.sum())])

    def share_of_wrong(self) -> float:
        """Drawn from its distribution given the tree (Gibbs sampling), unless it is given."""
        if self.noise is not None:
            return self.noise
        right = self.walk.votes
        return float(np.clip(self.rng.beta(WRONG + max(self.given - right, 0.0), RIGHT + right), 1e-9, 0.6))


def reply_chance(
    right: np.ndarray, ratio: np.ndarray, sharpness: np.ndarray | float, wrong: np.ndarray | float
) -> np.ndarray:
    """The chance that one of three is named as the odd one, as in ``_core/posterior.hpp``. Arrays of any shapes."""
    return np.where(right, *reply_chances(ratio, sharpness, wrong))


def reply_chances(
    ratio: np.ndarray, sharpness: np.ndarray | float, wrong: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray]:
    """The chance that the odd one of three is named, and the chance of each of the others."""
    other = ratio**sharpness
    seen, guessed, total = 1 - 1.5 * wrong, 0.5 * wrong, 1 + 2 * other
    return seen / total + guessed, seen * other / total + guessed


# ---------------------------------------------------------------------- coordinates


def independent(points: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Coordinates of which the contrasts of a tree are uncorrelated and of variance 1.

    Their correlations are shrunk to none as far as the contrasts are too few to tell them (Schaefer and Strimmer 2005).
    A contrast, the difference of the means of sister clades, counts by its direction, whatever its length.
    """
    contrast = _contrasts(points, parent)
    length = np.sqrt((contrast**2).mean(axis=1, keepdims=True))
    contrast = contrast[length[:, 0] > 0] / length[length[:, 0] > 0]
    if not len(contrast):
        return points - points.mean(axis=0)
    deviation = np.sqrt((contrast**2).mean(axis=0))
    used = deviation > 1e-6 * deviation.max()
    z = contrast[:, used] / deviation[used]
    d, m = z.shape[1], len(z)
    r = z.T @ z / m
    off = ~np.eye(d, dtype=bool)
    doubt = (((z**2).T @ z**2) / m - r**2)[off].sum() / m
    shrunk = min(1.0, doubt / max((r[off] ** 2).sum(), 1e-12))
    value, vector = np.linalg.eigh((1 - shrunk) * r + shrunk * np.eye(d))
    positive = value > 1e-6 * value.max()
    white = (points - points.mean(axis=0))[:, used] / deviation[used]
    return np.ascontiguousarray(white @ vector[:, positive] / np.sqrt(value[positive]))


def _contrasts(points: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Differences of the means of the two sides of each inner node, of one variance if samples are independent."""
    n, d = points.shape
    N = 2 * n - 1
    mean, size, other = np.zeros((N, d)), np.ones(N), np.full(N, -1)
    mean[:n], out = points, []
    for v in range(N - 1):
        u, w = parent[v], other[parent[v]]
        if w < 0:
            other[u] = v
            continue
        a, b = size[w], size[v]
        out.append((mean[w] - mean[v]) * np.sqrt(a * b / (a + b)))
        mean[u], size[u] = (a * mean[w] + b * mean[v]) / (a + b), a + b
    return np.array(out)


# ---------------------------------------------------------------------- where the walk begins


def _begun(points: np.ndarray, parent: np.ndarray) -> Any:
    """The state of a chain at its first tree, which hears no triplets yet."""
    n = len(points)
    N = 2 * n - 1
    child = np.full((N, 2), -1, np.int32)
    for v in range(N - 1):
        child[parent[v], int(child[parent[v], 0] >= 0)] = v
    height = _heights(points, parent, child)
    shape = math.lgamma(n) - (n - 1) * math.log(2.0)
    return engine.posterior.TreeWalk(child[n:], height, points, _near(points), np.median(height[n:]) / 4, shape)


def _near(points: np.ndarray) -> np.ndarray:
    """The leaves near each. Random ones without coordinates."""
    from scipy.spatial import cKDTree

    n, d = points.shape
    k = min(NEAR, n - 1)
    if d == 0:
        rng = np.random.default_rng(0)
        return np.array([(i + 1 + rng.permutation(n - 1)[:k]) % n for i in range(n)], np.int32)
    near = cKDTree(points).query(points, k + 1)[1]
    return np.array([[j for j in row if j != i][:k] for i, row in enumerate(near)], np.int32)


def _heights(points: np.ndarray, parent: np.ndarray, child: np.ndarray) -> np.ndarray:
    """Half the mean square distance, for a feature, between the two sides of each node, growing to the root."""
    n, d = points.shape
    N = 2 * n - 1
    if d == 0:
        return np.concatenate([np.zeros(n), np.arange(1.0, n) / n])
    mean, square, size, height = np.zeros((N, d)), np.zeros(N), np.ones(N), np.zeros(N)
    mean[:n], square[:n] = points, (points**2).sum(axis=1)
    for u in range(n, N):
        a, b = child[u]
        height[u] = max(0.0, square[a] + square[b] - 2 * mean[a] @ mean[b]) / (2 * d)
        size[u] = size[a] + size[b]
        mean[u] = (size[a] * mean[a] + size[b] * mean[b]) / size[u]
        square[u] = (size[a] * square[a] + size[b] * square[b]) / size[u]
    least = 1e-3 * np.median(height[n:]) or 1.0
    for u in range(n, N):
        height[u] = max(height[u], 1.01 * height[child[u]].max(), least)
    return height
