"""Does knowledge help? ``fit(..., validate=True)``: fits that know nothing of some samples, and have to place them.

The constraints on a fifth of the samples are hidden. The estimator is fitted with the rest, and the result is compared
with the hidden ones: are the samples where the knowledge puts them? Constraints are not held out one by one, because
most triplets of a taxonomy follow from the others: any taxonomy, right or wrong, would agree with itself.

Hidden samples that exchange their names are the control. It shows the agreement that is left by chance, and no
knowledge about other data can do better than it.

X is checked by `check_samples` in ``cluster/base.py``. `align_knowledge` reads the statements.
`measure` does the fits for one estimator and several amounts of knowledge (``tripletree.evaluate_knowledge`` calls it),
`compare_settings` for an estimator that has just been fitted, one without knowledge, and other settings.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from tripletree.algorithms.induce import count_triplets, displayed, sample_triplets
from tripletree.algorithms.supervision import sample_class_triplets, triplets_from_classes
from tripletree.cluster.alignment import align_classes, align_comparisons, align_hierarchy, align_pairs, align_triplets
from tripletree.core.checks import check_count, counted
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import in_order_of_first
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import progress_bar
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    SHOWN,
    InconsistentPairsError,
    InconsistentTripletsError,
    InfeasibleClusteringError,
    TripletreeError,
    warn_user,
)

#: Shares of the samples that are not hidden of which something is known to a fit.
AMOUNTS = (0.0, 0.25, 0.5, 1.0)

#: A difference of so many standard errors counts, if it is not tiny.
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
        The settings compared: "without knowledge", the settings that were fitted, and others if these are clearly worse
        than no knowledge.
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
        if self.verdict == "helps":
            return f"{text} The knowledge helps to place names about which it says nothing."
        if self.verdict == "unclear":
            return f"{text} {unclear(self.agrees)}"
        text += " The knowledge makes the results worse"
        if self.best == self.settings[0]:
            tried = ", ".join(f"{x} ({a:.1%})" for x, a in zip(self.settings[2:], self.agreement[2:], strict=True))
            text += f", and {tried} is not better than none either" if tried else ""
            return f"{text}: fit without it, or check it (find_label_errors ranks the triplets)."
        share = self.agreement[self.settings.index(self.best)]
        return f"{text}: {self.best} agrees with {share:.1%}; use that."


def unclear(agrees: bool) -> str:
    """The possible meaning of an unclear verdict."""
    if agrees:
        return "The data agree with the knowledge on their own, and it makes no clear difference for other names."
    return "No agreement that can be told from chance: the data do not show where names belong, or too few are known."


# ---------------------------------------------------------------------- kinds of knowledge


class Knowledge(Protocol):
    """Constraints on samples, and the part of them for a fit that knows only some samples."""

    @property
    def constraints(self) -> Any:
        """The constraints that are compared with the results, one by one: triplets or pairs."""

    @property
    def rows(self) -> np.ndarray:
        """The samples of each constraint, shape (m, 3) or (m, 2)."""

    def part(self, known: np.ndarray) -> dict[str, Any]:
        """The arguments of `fit` if only these samples (a mask over all) are known."""

    def kept_by(self, model: Any, rows: np.ndarray) -> np.ndarray:
        """Which constraints hold in the results of a fitted estimator, if `rows` are their samples."""


def _result(model: Any, name: str) -> Any:
    """A result of a fitted estimator."""
    if not hasattr(model, name):
        msg = f"{type(model).__name__} makes no {name}, with which knowledge is compared: choose ReCon, say"
        raise TypeError(msg)
    return getattr(model, name)


class TripletKnowledge:
    """Triplets. A fit does not know the ones with a hidden sample."""

    def __init__(self, constraints: TripletSet) -> None:
        self.constraints = constraints

    @property
    def rows(self) -> np.ndarray:
        return self.constraints.rows

    def part(self, known: np.ndarray) -> dict[str, Any]:
        return {"triplets": self.constraints.subset(known[self.rows].all(axis=1))}

    def kept_by(self, model: Any, rows: np.ndarray) -> np.ndarray:
        return displayed(_result(model, "hierarchy_"), rows)


class PairKnowledge:
    """Pairs, kept by the flat clusters or not. A fit does not know the ones with a hidden sample."""

    def __init__(self, constraints: PairwiseConstraints) -> None:
        self.constraints = constraints

    @property
    def rows(self) -> np.ndarray:
        return np.concatenate([self.constraints.must_link, self.constraints.cannot_link])

    def part(self, known: np.ndarray) -> dict[str, Any]:
        must, cannot = (known[x].all(axis=1) for x in (self.constraints.must_link, self.constraints.cannot_link))
        return {"pairs": self.constraints.subset(must_link=must, cannot_link=cannot)}

    def kept_by(self, model: Any, rows: np.ndarray) -> np.ndarray:
        labels = np.asarray(_result(model, "labels_"))
        together = labels[rows[:, 0]] == labels[rows[:, 1]]
        return together == (np.arange(len(rows)) < self.constraints.n_must)


class ComparisonKnowledge:
    """Comparisons, of which a result contradicts some. A fit does not know the ones with a hidden sample."""

    def __init__(self, constraints: Comparisons) -> None:
        self.constraints = constraints

    @property
    def rows(self) -> np.ndarray:
        return self.constraints.rows

    def part(self, known: np.ndarray) -> dict[str, Any]:
        return {"comparisons": self.constraints.subset(known[self.rows].all(axis=1))}

    def kept_by(self, model: Any, rows: np.ndarray) -> np.ndarray:
        return ~displayed(_result(model, "hierarchy_"), rows[:, [0, 2, 1]])


class HierarchyKnowledge(TripletKnowledge):
    """A hierarchy, of which some random triplets are compared with the results."""

    def __init__(self, hierarchy: Hierarchy, leaves: LeafIndex, size: int | None, rng: np.random.Generator) -> None:
        part = hierarchy.suppress_unary()
        wanted = DRAWN * part.n_leaves if size is None else check_count(size, "max_triplets", 1)
        some = sample_triplets(part, min(wanted, count_triplets(part)), random_state=rng)
        super().__init__(some.reindex(leaves))
        self.hierarchy = part

    def part(self, known: np.ndarray) -> dict[str, Any]:
        names = self.constraints.leaves
        both = [x for x in self.hierarchy.leaves if known[names.index(x)]]
        return {"hierarchy": self.hierarchy.restrict(both)} if len(both) > 2 else {}


class ClassKnowledge(TripletKnowledge):
    """Class labels of some samples, of which some random triplets are compared with the results."""

    def __init__(self, codes: np.ndarray, leaves: LeafIndex, size: int | None, rng: np.random.Generator) -> None:
        known = np.flatnonzero(codes >= 0)
        few = known.size < 3 or np.unique(codes[known]).size < 2
        super().__init__(TripletSet([], leaves) if few else class_triplets(codes, leaves, known, size, rng))
        self.codes = codes

    def part(self, known: np.ndarray) -> dict[str, Any]:
        told = (known & (self.codes >= 0)).tolist()
        return {"classes": [code if there else None for code, there in zip(self.codes.tolist(), told, strict=True)]}


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


@dataclass(frozen=True, eq=False)
class AlignedKnowledge:
    """The statements given to an estimator or a function, over the leaf index of the rows of X.

    Attributes
    ----------
    triplets : TripletSet
        The given ones, or an empty set.
    pairs : PairwiseConstraints
    hierarchy : Hierarchy or None
        Restricted to the leaves that are samples.
    codes : ndarray of int64, shape (n_samples,), or None
        The class of each sample as a number, -1 where it is not known.
    comparisons : Comparisons or None
    class_names : tuple
        The names of the classes by their numbers.
    """

    triplets: TripletSet
    pairs: PairwiseConstraints
    hierarchy: Hierarchy | None
    codes: np.ndarray | None
    comparisons: Comparisons | None = None
    class_names: tuple[Any, ...] = ()

    @property
    def leaves(self) -> LeafIndex:
        return self.triplets.leaves

    def with_votes(self) -> AlignedKnowledge:
        """The same statements, comparisons as votes among the triplets."""
        if self.comparisons is None or not len(self.comparisons.rows):
            return replace(self, comparisons=None)
        return replace(self, triplets=self.triplets | self.comparisons.votes(), comparisons=None)

    def taken(self, order: np.ndarray) -> AlignedKnowledge:
        """The same on the samples in another order, without comparisons. Classes are numbered in this order, too."""
        leaves, codes, names = self.leaves.take(order), None, self.class_names
        if self.codes is not None:
            codes = self.codes[order]
            names = tuple(self.class_names[k] for k in dict.fromkeys(codes[codes >= 0].tolist()))
            codes[codes >= 0] = in_order_of_first(codes[codes >= 0])
        triplets, pairs = self.triplets.reindex(leaves), self.pairs.reindex(leaves)
        return AlignedKnowledge(triplets, pairs, self.hierarchy, codes, class_names=names)

    @contextmanager
    def naming_classes(self) -> Iterator[None]:
        """Let errors about statements that cannot all hold speak of classes, where statements follow from these."""
        try:
            yield
        except TripletreeError as error:
            if self.codes is None:
                raise
            class_of = {x: self.class_names[k] for x, k in zip(self.leaves, self.codes.tolist(), strict=True) if k >= 0}
            if isinstance(error, InconsistentPairsError):
                raise self._with_classes(error, class_of) from None
            more = ""
            if isinstance(error, InconsistentTripletsError):
                stated = {(frozenset((a, b)), c) for a, b, c in self.triplets}
                of_classes = [
                    f"{a} and {b} are {class_of[a]!r}, {c} is {class_of[c]!r}"
                    for a, b, c in error.conflict
                    if {a, b, c} <= class_of.keys()
                    and class_of[a] == class_of[b] != class_of[c]
                    and (frozenset((a, b)), c) not in stated
                ]
                shown = "; ".join(of_classes[:SHOWN]) + ("; ..." if len(of_classes) > SHOWN else "")
                verb = "follows" if len(of_classes) == 1 else "follow"
                more = f"; {len(of_classes)} of these {verb} from the classes: {shown}" if of_classes else ""
            elif isinstance(error, InfeasibleClusteringError) and {*error.samples} <= class_of.keys():
                apart = dict.fromkeys(class_of[x] for x in error.samples)
                if len(apart) == len(error.samples) > 1:
                    more = f" (samples of the {counted(len(apart), 'class', 'classes')} {', '.join(map(repr, apart))})"
            error.args = (f"{error.args[0]}{more}", *error.args[1:])
            raise

    def _with_classes(self, error: InconsistentPairsError, class_of: dict[Any, Any]) -> InconsistentPairsError:
        """The error about pairs, which tells which of them are classes of samples."""
        must, cannot = (
            {frozenset(pair) for pair in table.tolist()} for table in (self.pairs.must_link, self.pairs.cannot_link)
        )
        path = np.asarray(self.leaves.indices(error.path)).tolist()
        of_classes = [frozenset(step) not in must for step in pairwise(path)]
        of_classes.append(frozenset((path[0], path[-1])) not in cannot)
        if not any(of_classes):
            return error
        classes = [class_of.get(x) for x in error.path]
        return InconsistentPairsError(error.path, n_others=error.n_others, of_classes=of_classes, classes=classes)

    def kinds(self, rng: np.random.Generator, size: int | None = None) -> list[Knowledge]:
        """The kinds of knowledge given. Hierarchies and classes give `size` random triplets, or three a sample."""
        found: list[Knowledge] = [TripletKnowledge(self.triplets), PairKnowledge(self.pairs)]
        if self.comparisons is not None:
            found.append(ComparisonKnowledge(self.comparisons))
        if self.hierarchy is not None:
            found.append(HierarchyKnowledge(self.hierarchy, self.leaves, size, rng))
        if self.codes is not None:
            found.append(ClassKnowledge(self.codes, self.leaves, size, rng))
        return found


def align_knowledge(
    X: Any,
    n_samples: int,
    *,
    triplets: Any = None,
    pairs: Any = None,
    hierarchy: Any = None,
    classes: Any = None,
    comparisons: Any = None,
    missing_samples: str | None = None,
    missing: Any = None,
) -> AlignedKnowledge:
    """Align all that is known with the rows of X: see `tripletree.cluster.alignment` for each kind, and its errors."""
    given = align_triplets(X, triplets, n_samples, missing_samples=missing_samples)
    links = align_pairs(X, pairs, n_samples, missing_samples=missing_samples)
    tree = None if hierarchy is None else align_hierarchy(X, hierarchy, given.leaves)
    codes: np.ndarray | None = None
    names: list[Any] = []
    if classes is not None:
        codes, names = align_classes(X, classes, given.leaves, missing_samples=missing_samples, missing=missing)
    votes = None
    if comparisons is not None:
        votes = align_comparisons(X, comparisons, n_samples, missing_samples=missing_samples)
    return AlignedKnowledge(given, links, tree, codes, votes, tuple(names))


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
        """The gain of one amount over another, its standard error if there is none, and whether it is clear.

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


def n_parts(knowledge: Knowledge, n_folds: int) -> int:
    """The number of parts that are hidden in turn: `n_folds`, or fewer so that each has two samples. 0 if too few."""
    n_known = np.unique(knowledge.rows).size
    return 0 if n_known < FEWEST else min(n_folds, n_known // 2)


def measure(
    model: Any,
    X: Any,
    knowledge: Knowledge,
    *,
    amounts: tuple[float, ...] = AMOUNTS,
    n_folds: int,
    rng: np.random.Generator,
    tell: Callable[[int], Any] | None = None,
    sample_names: Any = None,
    sample_weight: Any = None,
) -> Measured:
    """Hide the statements on some samples at a time, and see which constraints on these hold in the results.

    Parameters
    ----------
    model : estimator
        Fitted again and again.
    X : array_like or DataFrame
        The samples.
    knowledge : Knowledge
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
    rows = knowledge.rows
    m, n = len(rows), len(knowledge.constraints.leaves)
    order = rng.permutation(np.unique(rows))
    part = np.full(n, -1)
    part[order] = np.arange(order.size) % n_folds
    sample = rows[np.arange(m), rng.integers(0, rows.shape[1], m)].astype(np.int64)
    held_out = part[sample]
    n_exchanges = int(np.clip(MOST_EXCHANGED // (m * len(amounts)), 10, EXCHANGES))
    exchanges = [_exchanged(part, rng) for _ in range(n_exchanges)]
    holds, exchanged = np.zeros((len(amounts), m), bool), np.zeros((len(amounts), n_exchanges))

    def compare(i: int, which: np.ndarray, fitted: Any) -> None:
        holds[i, which] = knowledge.kept_by(fitted, rows)[which]
        for e, other in enumerate(exchanges):
            # samples that were not hidden together stay where they are
            there = np.where(part[rows] == held_out[:, None], other[rows], rows)
            exchanged[i, e] += knowledge.kept_by(fitted, there)[which].sum() / m
        if tell:
            tell(1)

    for i, amount in enumerate(amounts):
        if amount == 0:
            compare(i, np.ones(m, bool), model.fit(X, **names))
            continue
        for k in range(n_folds):
            train = order[part[order] != k]
            known = np.zeros(n, bool)
            known[train[: round(amount * train.size)]] = True
            with warnings.catch_warnings():  # of triplets left out on purpose
                warnings.filterwarnings(
                    "ignore",
                    message=r".*(triplets that look drawn at random|as a feature|names are exchanged)|classes has ",
                )
                fitted = model.fit(X, **knowledge.part(known), **names)
            compare(i, held_out == k, fitted)
    return Measured(holds, exchanged, sample)


def _exchanged(part: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each sample the one whose place it takes: one of the same part, or itself if it is in none."""
    other = np.arange(part.size)
    known = np.flatnonzero(part >= 0)
    mixed = known[rng.permutation(known.size)]
    other[known[np.argsort(part[known], kind="stable")]] = mixed[np.argsort(part[mixed], kind="stable")]
    return other


# ---------------------------------------------------------------------- a fitted estimator and its alternatives


@dataclass(frozen=True, eq=False)
class _AllKnowledge:
    """Several kinds of knowledge as one. A pair is written as a row that names its second sample twice."""

    kinds: tuple[Knowledge, ...]

    @property
    def constraints(self) -> Any:
        return self.kinds[0].constraints

    @property
    def rows(self) -> np.ndarray:
        return np.concatenate([kind.rows[:, [0, 1, -1]] for kind in self.kinds])

    def part(self, known: np.ndarray) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for kind in self.kinds:
            given |= kind.part(known)
        return given

    def kept_by(self, model: Any, rows: np.ndarray) -> np.ndarray:
        parts = np.split(rows, np.cumsum([len(kind.rows) for kind in self.kinds])[:-1])
        return np.concatenate([kind.kept_by(model, some) for kind, some in zip(self.kinds, parts, strict=True)])


def compare_settings(
    name: str,
    fitted: Any,
    X: Any,
    kinds: list[Knowledge],
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
        With these settings.
    X : array_like or DataFrame
        The samples.
    kinds : list of Knowledge
        Those without constraints are left out.
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
    kinds = [kind for kind in kinds if len(kind.rows)]
    if not kinds:
        return None
    knowledge = kinds[0] if len(kinds) == 1 else _AllKnowledge(tuple(kinds))
    n_folds, seed, m = n_parts(knowledge, FOLDS), int(rng.integers(2**31)), len(knowledge.rows)
    n_known = np.unique(knowledge.rows).size
    if n_folds == 0:
        msg = (
            f"validate=True hides the statements on some samples, and there are statements on {n_known} only: it takes "
            f"at least {FEWEST}"
        )
        raise ValueError(msg)

    def measured(models: list[tuple[Any, float]], tell: Callable[[int], Any] | None) -> Measured:
        found = [
            measure(
                model,
                X,
                knowledge,
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
        compared = [(alike(fitted, verbose=False), 0.0), (alike(fitted, verbose=False), 1.0)]
        settings, found = ["without knowledge", name], measured(compared, tell)
        gain, error, verdict = found.verdict(1)
        for other, model in others.items() if verdict == "hurts" else ():
            try:
                more = measured([(model, 1.0)], None)
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
