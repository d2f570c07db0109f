"""Does knowledge help? ``fit(..., validate=True)``: fits that know nothing of some samples, and have to place them.

The constraints on a fifth of the samples are hidden. The estimator is fitted with the rest, and the result is compared
with the hidden ones: are the samples where the knowledge puts them? Constraints are not held out one by one, because
most triplets of a taxonomy follow from the others: any taxonomy, right or wrong, would agree with itself.

Hidden samples that exchange their names are the control. It shows the agreement that is left by chance, and no
knowledge about other data can do better than it.

X is checked by `check_samples` in ``cluster/base.py``, statements are aligned by `tripletree.knowledge`.
`measure` does the fits for one estimator and several amounts of knowledge (``tripletree.evaluate_knowledge`` calls it),
`compare_settings` for an estimator that has just been fitted, one without knowledge, and other settings.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tripletree.algorithms.induce import count_triplets, displayed, sample_triplets
from tripletree.algorithms.supervision import sample_class_triplets, triplets_from_classes
from tripletree.core.checks import check_count, counted
from tripletree.core.comparisons import Comparisons
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import Tick, progress_bar, silent
from tripletree.core.triplets import TripletSet
from tripletree.errors import TripletreeError, warn_user
from tripletree.knowledge.value import Knowledge

#: Shares of the samples not hidden about which a fit knows something.
AMOUNTS = (0.0, 0.25, 0.5, 1.0)

#: A difference of 2 standard errors counts, if it is not tiny.
CLEAR, TINY = 2.0, 0.01

#: Parts of the samples that `compare_settings` hides in turn, if there are enough of them.
FOLDS = 5

#: The fewest samples about which something must be known: two parts of two, so that some can exchange their names.
FEWEST = 4

#: Exchanges of names for the control, and the most constraints that are looked at for all of them.
EXCHANGES, MOST_EXCHANGED = 100, 10_000_000

#: Random triplets of a hierarchy, or of classes, for each sample they name.
DRAWN = 3


@dataclass(frozen=True, eq=False)
class ValidationReport:
    """The result of ``fit(..., validate=True)``.

    Attributes
    ----------
    settings : tuple of str
        The settings compared: "without knowledge", the settings that were fitted, and others if the fitted ones are
        clearly worse than no knowledge.
    agreement, chance : ndarray of float64, shape (s,)
        Share of the held-out constraints that hold in the results, for each setting, and the same if hidden samples
        exchange their names.
    standard_error : ndarray of float64, shape (s,)
        The standard error of the agreement, by samples.
    gain, gain_error : float
        How much the agreement beyond chance, in shares of the greatest there can be, rises by the knowledge, and the
        standard error of this paired difference.
    verdict : {"helps", "hurts", "unclear"}
        See `tripletree.evaluate_knowledge`.
    agrees : bool
        Whether the results without knowledge agree with it better than by chance.
    best : str
        The setting with the highest agreement beyond chance, the first of equal ones.
    n_constraints, n_samples : int
        How many constraints were compared, and how many samples were hidden in turn.
    """

    settings: tuple[str, ...]
    agreement: np.ndarray
    chance: np.ndarray
    standard_error: np.ndarray
    gain: float
    gain_error: float
    verdict: str
    agrees: bool
    best: str
    n_constraints: int
    n_samples: int

    def __str__(self) -> str:
        """In words."""
        without, fitted = self.agreement[:2]
        text = f"Names were hidden in turn, {self.n_samples:,} in all. Without knowledge the results agree with "
        text += f"{without:.1%} of the {counted(self.n_constraints, 'constraint')} on them (exchanged names: "
        text += f"{self.chance[0]:.1%}), with the knowledge of all other names ({self.settings[1]}) with {fitted:.1%} "
        text += f"(exchanged: {self.chance[1]:.1%})."
        text += f" {verdict_text(self.verdict, self.agrees)}"
        if self.verdict != "hurts":
            return f"{text}."
        if self.best == self.settings[0]:
            tried = ", ".join(f"{x} ({a:.1%})" for x, a in zip(self.settings[2:], self.agreement[2:], strict=True))
            text += f", and {tried} is not better than none either" if tried else ""
            return f"{text}: fit without it, or check it (find_label_errors ranks the triplets)."
        share = self.agreement[self.settings.index(self.best)]
        return f"{text}: {self.best} agrees with {share:.1%}; use that."


def verdict_text(verdict: str, agrees: bool) -> str:
    """Say in words whether knowledge helps, without the full stop.

    Parameters
    ----------
    verdict : {"helps", "hurts", "unclear"}
    agrees : bool
        Whether results without knowledge agree with it.

    Returns
    -------
    str
    """
    if verdict == "helps":
        return "The knowledge helps: it places samples about which it says nothing"
    if verdict == "hurts":
        return "The knowledge makes the results worse"
    if agrees:
        return "The data agree with the knowledge on their own, and it makes no clear difference for other samples"
    return "No agreement that can be told from chance: the data do not show where samples belong, or too few are known"


# ---------------------------------------------------------------------- what is compared


@dataclass(frozen=True, eq=False)
class Compared:
    """Constraints that results are compared with, one by one.

    Attributes
    ----------
    parts : tuple of TripletSet, PairwiseConstraints and Comparisons
        Over the same samples. None is empty.
    """

    parts: tuple[Any, ...]

    @classmethod
    def of(cls, known: Knowledge, rng: np.random.Generator, size: int | None = None) -> Compared:
        """All triplets, pairs and comparisons, and of a hierarchy and of classes `size` random triplets, or some.

        Some are three for each sample that is named.
        """
        found: list[Any] = [known.triplets, known.pairs]
        if known.comparisons is not None:
            found.append(known.comparisons)
        if known.hierarchy is not None:
            tree = known.hierarchy.suppress_unary()
            wanted = DRAWN * tree.n_leaves if size is None else check_count(size, "max_triplets", 1)
            some = sample_triplets(tree, min(wanted, count_triplets(tree)), random_state=rng)
            found.append(some.reindex(known.leaves))
        if known.codes is not None:
            told = np.flatnonzero(known.codes >= 0)
            few = told.size < 3 or np.unique(known.codes[told]).size < 2
            found.append(
                TripletSet([], known.leaves) if few else class_triplets(known.codes, known.leaves, told, size, rng)
            )
        return cls(tuple(x for x in found if len(x.rows)))

    @property
    def rows(self) -> np.ndarray:
        """The samples of each constraint, shape (m, 3): a pair names its second twice. Shape (m, 2) for pairs alone."""
        rows = [x.rows for x in self.parts]
        if len(rows) == 1:
            return rows[0]
        return np.concatenate([x[:, [0, 1, -1]] for x in rows]) if rows else np.empty((0, 3), np.int32)

    def kept_by(self, model: Any, rows: np.ndarray) -> np.ndarray:
        """Which constraints hold in the results of a fitted estimator, if `rows` are their samples."""
        ends = np.cumsum([len(x.rows) for x in self.parts])[:-1]
        return np.concatenate([_kept(x, model, some) for x, some in zip(self.parts, np.split(rows, ends), strict=True)])


def _kept(constraints: Any, model: Any, rows: np.ndarray) -> np.ndarray:
    """Which constraints hold: triplets are displayed, pairs kept by flat clusters, comparisons not contradicted."""
    if isinstance(constraints, PairwiseConstraints):
        labels = np.asarray(_result(model, "labels_"))
        together = labels[rows[:, 0]] == labels[rows[:, 1]]
        return together == (np.arange(len(rows)) < constraints.n_must)
    if isinstance(constraints, Comparisons):
        return ~displayed(_result(model, "hierarchy_"), rows[:, [0, 2, 1]])
    return displayed(_result(model, "hierarchy_"), rows)


def _result(model: Any, name: str) -> Any:
    """A result of a fitted estimator."""
    if not hasattr(model, name):
        msg = f"{type(model).__name__} makes no {name}, with which knowledge is compared: choose ReCon, say"
        raise TypeError(msg)
    return getattr(model, name)


def class_triplets(
    codes: np.ndarray, leaves: LeafIndex, known: np.ndarray, size: int | None, rng: np.random.Generator
) -> TripletSet:
    """Some class triplets, three for each labelled sample unless told otherwise, or all if there are fewer."""
    wanted = DRAWN * known.size if size is None else check_count(size, "max_triplets", 1)
    count = np.bincount(codes[known])
    total = int(sum(c * (c - 1) // 2 * (known.size - c) for c in count.tolist()))
    if total <= wanted:
        return triplets_from_classes(codes, leaves=leaves, samples=known)
    return sample_class_triplets(codes, wanted, leaves=leaves, samples=known, random_state=rng)


# ---------------------------------------------------------------------- one estimator, several amounts


def alike(model: Any, **changes: Any) -> Any:
    """A new estimator with some parameters replaced. Unlike in a clone, a fitted metric stays fitted."""
    return type(model)(**{**model.get_params(deep=False), **changes})


class Measured(NamedTuple):
    """How results of fits, each for an amount of knowledge, agree with constraints on samples hidden from them.

    Attributes
    ----------
    holds : ndarray of bool, shape (a, m)
        Which constraints hold in results that knew nothing of one of its samples.
    exchanged : ndarray of float64, shape (a, e)
        The share that holds after each of e exchanges of names among the samples hidden together.
    sample : ndarray of int64, shape (m,)
        The sample for which each constraint was held out.
    """

    holds: np.ndarray
    exchanged: np.ndarray
    sample: np.ndarray

    @property
    def agreement(self) -> np.ndarray:
        """The share of the constraints that hold, for each amount."""
        return self.holds.mean(axis=1)

    @property
    def chance(self) -> np.ndarray:
        """The mean of that share over the exchanges."""
        return self.exchanged.mean(axis=1)

    @property
    def beyond_chance(self) -> np.ndarray:
        """Cohen's kappa: agreement beyond chance, as a share of the greatest that there can be."""
        chance = self.chance
        return (self.agreement - chance) / np.maximum(1 - chance, 1e-9)

    def is_better_than_chance(self, i: int) -> bool:
        """Whether agreement with the i-th amount is clearly better than after an exchange of names."""
        spread = float(self.exchanged[i].std())
        return bool(self.agreement[i] - self.chance[i] > CLEAR * spread) and spread > 0

    def error_of(self, values: np.ndarray) -> float:
        """The standard error of the mean of one value a constraint, if constraints on a sample depend on each other."""
        number, count = np.unique(self.sample, return_inverse=True)
        rest = np.bincount(count, values - values.mean(), number.size)
        return float(np.sqrt((rest**2).sum() * number.size / max(number.size - 1, 1)) / values.size)

    def errors(self) -> np.ndarray:
        """The standard error of the agreement with each amount."""
        return np.array([self.error_of(x.astype(float)) for x in self.holds])

    def verdict(self, more: int, none: int = 0) -> tuple[float, float, str]:
        """Return the gain of one amount over another, its standard error under no true gain, and whether it is clear.

        Knowledge helps only if samples are then placed better than by chance, and hurts only if they are without it.
        """
        chance = self.chance[:, None]
        beyond = (self.holds - chance) / np.maximum(1 - chance, 1e-9)
        by_sample = np.bincount(self.sample, beyond[more] - beyond[none]) / self.sample.size
        # around 0, not around the gain: if only two samples changed, their mean is no evidence. And chance is
        # an estimate, from the same exchanges for both
        slope = (1 - self.agreement) / np.maximum(1 - self.chance, 1e-9) ** 2
        by_chance = (slope[:, None] * self.exchanged)[[more, none]]
        of_chance = float((by_chance[0] - by_chance[1]).std()) / np.sqrt(self.exchanged.shape[1])
        gain, error = float(by_sample.sum()), float(np.hypot(np.sqrt((by_sample**2).sum()), of_chance))
        if abs(gain) < TINY:
            return gain, error, "unclear"
        if gain > CLEAR * error and self.is_better_than_chance(more):
            return gain, error, "helps"
        if gain < -CLEAR * error and self.is_better_than_chance(none):
            return gain, error, "hurts"
        return gain, error, "unclear"


def n_parts(compared: Compared, n_folds: int) -> int:
    """The number of parts that are hidden in turn: `n_folds`, or fewer so that each has two samples. 0 if too few."""
    n_known = np.unique(compared.rows).size
    return 0 if n_known < FEWEST else min(n_folds, n_known // 2)


def measure(
    model: Any,
    X: Any,
    known: Knowledge,
    compared: Compared,
    *,
    amounts: tuple[float, ...] = AMOUNTS,
    n_folds: int,
    rng: np.random.Generator,
    tell: Tick = silent,
    sample_names: Any = None,
    sample_weight: Any = None,
) -> Measured:
    """Hide the statements on some samples at a time, and see which constraints on hidden samples hold in the results.

    Parameters
    ----------
    model : estimator
        Fitted again and again.
    X : array_like or DataFrame
        The samples.
    known : Knowledge
        Over the rows of X.
    compared : Compared
        On at least two samples for each part.
    amounts : tuple of float
        Shares of the visible samples that `model` knows. A share of 0 takes one fit for all parts.
    n_folds : int
        Parts of the samples that are hidden in turn.
    rng : Generator
        Deals the samples out.
    tell : callable, optional
        Is given 1 after each fit.
    sample_names : sequence, optional
        The names of the rows, if X has no index.
    sample_weight : ndarray of float64, optional
        For models that take it.

    Returns
    -------
    Measured
    """
    given = {"sample_names": sample_names, "sample_weight": sample_weight}
    names = {name: value for name, value in given.items() if value is not None}
    rows = compared.rows
    m, n = len(rows), len(known.leaves)
    order = rng.permutation(np.unique(rows))
    part = np.full(n, -1)
    part[order] = np.arange(order.size) % n_folds
    sample = rows[np.arange(m), rng.integers(0, rows.shape[1], m)].astype(np.int64)
    held_out = part[sample]
    n_exchanges = int(np.clip(MOST_EXCHANGED // (m * len(amounts)), 10, EXCHANGES))
    exchanges = [_exchanged(part, rng) for _ in range(n_exchanges)]
    holds, exchanged = np.zeros((len(amounts), m), bool), np.zeros((len(amounts), n_exchanges))

    def compare(i: int, which: np.ndarray, fitted: Any) -> None:
        holds[i, which] = compared.kept_by(fitted, rows)[which]
        for e, other in enumerate(exchanges):
            # samples that were not hidden together stay where they are
            there = np.where(part[rows] == held_out[:, None], other[rows], rows)
            exchanged[i, e] += compared.kept_by(fitted, there)[which].sum() / m
        tell(1)

    for i, amount in enumerate(amounts):
        if amount == 0:
            compare(i, np.ones(m, bool), model.fit(X, **names))
            continue
        for k in range(n_folds):
            train = order[part[order] != k]
            seen = np.zeros(n, bool)
            seen[train[: round(amount * train.size)]] = True
            with warnings.catch_warnings():  # of triplets left out on purpose
                warnings.filterwarnings(
                    "ignore",
                    message=r".*(triplets that look drawn at random|as a feature|names are exchanged)|classes has ",
                )
                fitted = model.fit(X, **known.part(seen).arguments(), **names)
            compare(i, held_out == k, fitted)
    return Measured(holds, exchanged, sample)


def _exchanged(part: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each sample the one whose place it takes: one of the same part, or itself if it is in no part."""
    other = np.arange(part.size)
    known = np.flatnonzero(part >= 0)
    mixed = known[rng.permutation(known.size)]
    other[known[np.argsort(part[known], kind="stable")]] = mixed[np.argsort(part[mixed], kind="stable")]
    return other


# ---------------------------------------------------------------------- a fitted estimator and its alternatives


def compare_settings(
    name: str,
    fitted: Any,
    X: Any,
    known: Knowledge,
    others: dict[str, Any],
    rng: np.random.Generator,
    *,
    sample_names: Any = None,
    sample_weight: Any = None,
) -> ValidationReport | None:
    """Compare settings with no knowledge. If they are worse, warn, and compare other settings.

    Parameters
    ----------
    name : str
        How the settings that were fitted are called.
    fitted : estimator
        The estimator with the fitted settings.
    X : array_like or DataFrame
        The samples.
    known : Knowledge
        Over the rows of X.
    others : dict of str and estimator
        Other settings by their names.
    rng : Generator
        Deals the constraints out, in the same way for all settings.
    sample_names, sample_weight : sequence, optional
        As `fit` was given them.

    Returns
    -------
    ValidationReport or None
        None if nothing is known.
    """
    compared = Compared.of(known, rng)
    m = len(compared.rows)
    if not m:
        return None
    n_folds, seed, n_known = n_parts(compared, FOLDS), int(rng.integers(2**31)), np.unique(compared.rows).size
    if n_folds == 0:
        msg = (
            f"validate=True hides the statements on some samples, and there are statements on {n_known} only: it takes "
            f"at least {FEWEST}"
        )
        raise ValueError(msg)

    def measured(models: list[tuple[Any, float]], tell: Tick) -> Measured:
        found = [
            measure(
                model,
                X,
                known,
                compared,
                amounts=(amount,),
                n_folds=n_folds,
                rng=np.random.default_rng(seed),
                tell=tell,
                sample_names=sample_names,
                sample_weight=sample_weight,
            )
            for model, amount in models
        ]
        return Measured(
            np.concatenate([x.holds for x in found]), np.concatenate([x.exchanged for x in found]), found[0].sample
        )

    title = f"validation of {type(fitted).__name__}"
    with progress_bar(fitted.verbose, 1 + n_folds, title, "fits") as tell, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit itself has given them
        both = [(alike(fitted, verbose=False), 0.0), (alike(fitted, verbose=False), 1.0)]
        settings, found = ["without knowledge", name], measured(both, tell)
        gain, error, verdict = found.verdict(1)
        for other, model in others.items() if verdict == "hurts" else ():
            try:
                more = measured([(model, 1.0)], silent)
            except TripletreeError:  # hard constraints that clash, say: no setting to recommend
                continue
            settings.append(other)
            found = Measured(
                np.concatenate([found.holds, more.holds]),
                np.concatenate([found.exchanged, more.exchanged]),
                found.sample,
            )
    best = settings[int(found.beyond_chance.argmax())]
    report = ValidationReport(
        tuple(settings),
        found.agreement,
        found.chance,
        found.errors(),
        gain,
        error,
        verdict,
        found.is_better_than_chance(0),
        best,
        m,
        n_known,
    )
    if verdict == "hurts":
        warn_user(f"{report} (validation_ has the figures)")
    return report
