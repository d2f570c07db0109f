"""Does knowledge help? ``fit(..., validate=True)``: fits with part of it, compared with the part held out.

Nothing here checks X: that is `check_samples` in ``cluster/base.py``. `align_knowledge` takes what is known in.

`measure` does this for an estimator and several amounts of knowledge (``tripletree.evaluate_knowledge`` is the way in),
`compare_settings` for an estimator that has just been fitted, one without knowledge, and other settings.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tripletree.algorithms.induce import count_triplets, displays, sample_triplets
from tripletree.algorithms.supervision import sample_class_triplets, triplets_from_classes
from tripletree.cluster.alignment import align_classes, align_hierarchy, align_pairs, align_triplets
from tripletree.core.checks import check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import progress_bar
from tripletree.core.triplets import TripletSet
from tripletree.errors import TripletreeError, warn_user

__all__ = [
    "AMOUNTS",
    "AlignedKnowledge",
    "Knowledge",
    "ValidationReport",
    "align_knowledge",
    "alike",
    "compare_settings",
    "error_of",
    "gain_of",
    "measure",
]

#: Parts of the knowledge that is not held out, each of which a hierarchy is made with.
AMOUNTS = (0.0, 0.25, 0.5, 1.0)

#: A difference of so many standard errors counts.
CLEAR = 2.0

#: Parts of the knowledge that `compare_settings` holds out in turn, where there is enough of it.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class ValidationReport:
    """What ``fit(..., validate=True)`` found.

    Attributes
    ----------
    settings : tuple of str
        What was compared: "without knowledge", the settings that were fitted, and, where these are clearly worse than
        no knowledge, others.
    agreement, standard_error : ndarray of float64, shape (s,)
        Share of the held-out constraints that hold in the results, for each setting.
    gain, gain_error : float
        Agreement of the settings that were fitted less that without knowledge, and the standard error of this paired
        difference.
    verdict : {"helps", "hurts", "unclear"}
        Whether the gain is more than two standard errors from 0.
    best : str
        The setting with the highest agreement; of equal ones, the first.
    n_constraints : int
        How many constraints were held out in turn.
    """

    settings: tuple[str, ...]
    agreement: np.ndarray
    standard_error: np.ndarray
    gain: float
    gain_error: float
    verdict: str
    best: str
    n_constraints: int

    def __str__(self) -> str:
        """In words."""
        without, fitted = self.agreement[:2]
        constraints = f"{self.n_constraints:,} constraint{'s' * (self.n_constraints != 1)}"
        text = f"Of {constraints}, each held out in turn, the results keep {fitted:.1%} with the "
        text += f"others ({self.settings[1]}) and {without:.1%} without "
        text += f"(difference {self.gain:+.1%} +-{self.gain_error:.1%})."
        if self.verdict == "helps":
            return f"{text} The knowledge helps."
        if self.verdict == "unclear":
            return f"{text} No clear difference: it takes more constraints to tell, or the data say the same."
        text += " The knowledge makes the results worse"
        if self.best == self.settings[0]:
            tried = ", ".join(f"{x} ({a:.1%})" for x, a in zip(self.settings[2:], self.agreement[2:], strict=True))
            text += f", and {tried} is not better than none either" if tried else ""
            return f"{text}: fit without it, or check it (find_label_errors ranks the triplets)."
        share = self.agreement[self.settings.index(self.best)]
        return f"{text}: {self.best} keeps {share:.1%}; use that."


# ---------------------------------------------------------------------- kinds of knowledge


class Knowledge(Protocol):
    """Constraints, and the units of them that are held out or given to a fit."""

    @property
    def constraints(self) -> Any:
        """What is scored, one by one: triplets or pairs."""

    @property
    def n_units(self) -> int:
        """How many units there are."""

    def part(self, some: np.ndarray) -> dict[str, Any]:
        """What `fit` is given where only some of the units are known."""

    def held_out(self, units: np.ndarray) -> np.ndarray:
        """Which constraints are scored where these units are not known."""

    def kept_by(self, model: Any) -> np.ndarray:
        """Which constraints hold in the results of a fitted estimator."""


def _result(model: Any, name: str) -> Any:
    """A result of a fitted estimator."""
    if not hasattr(model, name):
        msg = f"{type(model).__name__} makes no {name}, with which knowledge is compared: choose ReCon, say"
        raise TypeError(msg)
    return getattr(model, name)


@dataclass(frozen=True, eq=False)
class TripletKnowledge:
    """Triplets, held out one by one."""

    constraints: TripletSet

    @property
    def n_units(self) -> int:
        return len(self.constraints)

    def part(self, some: np.ndarray) -> dict[str, Any]:
        return {"triplets": self.constraints.subset(some)}

    def held_out(self, units: np.ndarray) -> np.ndarray:
        return units

    def kept_by(self, model: Any) -> np.ndarray:
        return displays(_result(model, "hierarchy_"), self.constraints)


@dataclass(frozen=True, eq=False)
class PairKnowledge:
    """Pairs, held out one by one; kept by the flat clusters or not."""

    constraints: PairwiseConstraints

    @property
    def n_units(self) -> int:
        return len(self.constraints)

    def part(self, some: np.ndarray) -> dict[str, Any]:
        m = self.constraints.n_must
        return {"pairs": self.constraints.subset(must_link=some[:m], cannot_link=some[m:])}

    def held_out(self, units: np.ndarray) -> np.ndarray:
        return units

    def kept_by(self, model: Any) -> np.ndarray:
        labels = np.asarray(_result(model, "labels_"))
        must, cannot = labels[self.constraints.must_link], labels[self.constraints.cannot_link]
        return np.concatenate([must[:, 0] == must[:, 1], cannot[:, 0] != cannot[:, 1]])


class ClassKnowledge:
    """Class labels, held out by samples; scored by triplets with a sample whose class the results did not know."""

    def __init__(self, codes: np.ndarray, leaves: LeafIndex, size: int | None, rng: np.random.Generator) -> None:
        self.codes = codes
        self.known = np.flatnonzero(codes >= 0)
        few = self.known.size < 3 or np.unique(codes[self.known]).size < 2
        self.constraints = TripletSet([], leaves) if few else class_triplets(codes, leaves, self.known, size, rng)

    @property
    def n_units(self) -> int:
        return self.known.size

    def part(self, some: np.ndarray) -> dict[str, Any]:
        classes: list[Any] = [None] * self.codes.size
        for i in self.known[some].tolist():
            classes[i] = int(self.codes[i])
        return {"classes": classes}

    def held_out(self, units: np.ndarray) -> np.ndarray:
        """The triplets whose first sample is held out, so that each is scored once."""
        is_out = np.zeros(self.codes.size, bool)
        is_out[self.known[units]] = True
        return is_out[self.constraints.rows[:, 0]]

    def kept_by(self, model: Any) -> np.ndarray:
        return displays(_result(model, "hierarchy_"), self.constraints)


def class_triplets(
    codes: np.ndarray, leaves: LeafIndex, known: np.ndarray, size: int | None, rng: np.random.Generator
) -> TripletSet:
    """Some class triplets, three for each labelled sample unless told otherwise, or all if there are fewer."""
    wanted = 3 * known.size if size is None else check_count(size, "max_triplets", 1)
    count = np.bincount(codes[known])
    total = int(sum(c * (c - 1) // 2 * (known.size - c) for c in count.tolist()))
    if total <= wanted:
        return triplets_from_classes(codes, leaves=leaves, samples=known)
    return sample_class_triplets(codes, wanted, leaves=leaves, samples=known, random_state=rng)


@dataclass(frozen=True, eq=False)
class AlignedKnowledge:
    """What an estimator or a function is told of the samples of X, over the leaf index of its rows.

    Attributes
    ----------
    triplets : TripletSet
        Those given; empty if none are.
    pairs : PairwiseConstraints
    hierarchy : Hierarchy or None
        On those of its leaves that are samples.
    codes : ndarray of int64, shape (n_samples,), or None
        The class of each sample as a number, -1 where it is not known.
    """

    triplets: TripletSet
    pairs: PairwiseConstraints
    hierarchy: Hierarchy | None
    codes: np.ndarray | None

    @property
    def leaves(self) -> LeafIndex:
        return self.triplets.leaves

    def kinds(self, rng: np.random.Generator, size: int | None = None) -> list[Knowledge]:
        """What there is, to be held out; `size` random triplets of a hierarchy and of classes, or three a sample."""
        found: list[Knowledge] = [TripletKnowledge(self.triplets), PairKnowledge(self.pairs)]
        if self.hierarchy is not None:
            part = self.hierarchy.suppress_unary()
            wanted = 3 * part.n_leaves if size is None else check_count(size, "max_triplets", 1)
            some = sample_triplets(part, min(wanted, count_triplets(part)), random_state=rng)
            found.append(TripletKnowledge(some.reindex(self.leaves)))
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
    missing_samples: str | None = None,
) -> AlignedKnowledge:
    """Align all that is known with the rows of X: see `tripletree.cluster.alignment` for each kind, and its errors."""
    given = align_triplets(X, triplets, n_samples, missing_samples=missing_samples)
    links = align_pairs(X, pairs, n_samples, missing_samples=missing_samples)
    return AlignedKnowledge(
        given,
        links,
        None if hierarchy is None else align_hierarchy(X, hierarchy, given.leaves),
        None if classes is None else align_classes(X, classes, given.leaves, missing_samples=missing_samples),
    )


# ---------------------------------------------------------------------- one estimator, several amounts


def alike(model: Any, **changes: Any) -> Any:
    """A new estimator with the same parameters but those given; a fitted metric stays fitted, unlike in a clone."""
    return type(model)(**{**model.get_params(deep=False), **changes})


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
) -> np.ndarray:
    """Which constraints hold in results made without them.

    Parameters
    ----------
    model : estimator
        Fitted again and again.
    X : array_like or DataFrame
        The samples.
    knowledge : Knowledge
        Of at least `n_folds` units.
    amounts : tuple of float
        Shares of what is not held out that `model` is fitted with; 0 is one fit for all folds.
    n_folds : int
        Parts that are held out in turn.
    rng : Generator
        Deals the units out.
    tell : callable, optional
        Is given 1 after each fit.
    sample_names : sequence, optional
        The names of the rows, where X has no index.
    sample_weight : ndarray of float64, optional
        Of the rows, for models that take it.

    Returns
    -------
    ndarray of bool, shape (len(amounts), m)
    """
    given = {"sample_names": sample_names, "sample_weight": sample_weight}
    names = {name: value for name, value in given.items() if value is not None}
    units = knowledge.n_units
    order = rng.permutation(units)
    fold = np.empty(units, np.int64)
    fold[order] = np.arange(units) % n_folds
    holds = np.zeros((len(amounts), len(knowledge.constraints)), bool)
    for i, amount in enumerate(amounts):
        if amount == 0:
            holds[i] = knowledge.kept_by(model.fit(X, **names))
            if tell:
                tell(1)
            continue
        for k in range(n_folds):
            train, out = order[fold[order] != k], knowledge.held_out(fold == k)
            some = np.zeros(units, bool)
            some[train[: round(amount * train.size)]] = True
            with warnings.catch_warnings():  # of triplets left out on purpose
                warnings.filterwarnings("ignore", message=r".*triplets that look drawn at random")
                fitted = model.fit(X, **knowledge.part(some), **names)
            holds[i, out] = knowledge.kept_by(fitted)[out]
            if tell:
                tell(1)
    return holds


def gain_of(more: np.ndarray, none: np.ndarray) -> tuple[float, float, str]:
    """The mean paired difference, its standard error, and whether it is clear."""
    difference = more.astype(float) - none
    gain, error = float(difference.mean()), float(difference.std() / np.sqrt(difference.size))
    clear = abs(gain) > CLEAR * error and gain != 0
    return gain, error, ("helps" if gain > 0 else "hurts") if clear else "unclear"


def error_of(shares: np.ndarray, m: int) -> np.ndarray:
    """The standard errors of shares of m independent constraints."""
    return np.sqrt(shares * (1 - shares) / m)


# ---------------------------------------------------------------------- a fitted estimator and its alternatives


@dataclass(frozen=True, eq=False)
class _AllKnowledge:
    """Several kinds of knowledge, as one."""

    kinds: tuple[Knowledge, ...]

    @property
    def constraints(self) -> list[Any]:
        return [x for kind in self.kinds for x in kind.constraints]

    @property
    def n_units(self) -> int:
        return sum(kind.n_units for kind in self.kinds)

    def _split(self, units: np.ndarray) -> list[np.ndarray]:
        return np.split(units, np.cumsum([kind.n_units for kind in self.kinds])[:-1])

    def part(self, some: np.ndarray) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for kind, units in zip(self.kinds, self._split(some), strict=True):
            for name, value in kind.part(units).items():
                given[name] = given[name] | value if name in given else value
        return given

    def held_out(self, units: np.ndarray) -> np.ndarray:
        parts = zip(self.kinds, self._split(units), strict=True)
        return np.concatenate([kind.held_out(some) for kind, some in parts])

    def kept_by(self, model: Any) -> np.ndarray:
        return np.concatenate([kind.kept_by(model) for kind in self.kinds])


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
    """Compare settings with no knowledge, and with others where they are worse; warn if so.

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
        Other settings, by what they are called.
    rng : Generator
        Deals the constraints out, in the same way for all settings.
    sample_names, sample_weight : sequence, optional
        As `fit` was given them.

    Returns
    -------
    ValidationReport or None
        None where nothing is known.

    Raises
    ------
    ValueError
        If there is too little to hold anything out.
    """
    kinds = [kind for kind in kinds if len(kind.constraints)]
    if not kinds:
        return None
    knowledge = kinds[0] if len(kinds) == 1 else _AllKnowledge(tuple(kinds))
    n_folds, seed, m = min(FOLDS, knowledge.n_units), int(rng.integers(2**31)), len(knowledge.constraints)
    if n_folds < 2:
        msg = "validate=True holds out parts of the knowledge, and a single constraint has none: give more of them"
        raise ValueError(msg)

    def holds(model: Any, amount: float) -> np.ndarray:
        found = measure(
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
        return found[0]

    title = f"validation of {type(fitted).__name__}"
    with progress_bar(fitted.verbose, 1 + n_folds, title, "fits") as tell, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit itself has given them
        found = {
            "without knowledge": holds(alike(fitted, verbose=False), 0.0),
            name: holds(alike(fitted, verbose=False), 1.0),
        }
        gain, error, verdict = gain_of(found[name], found["without knowledge"])
        tell = None
        for other, model in others.items() if verdict == "hurts" else ():
            try:
                found[other] = holds(model, 1.0)
            except TripletreeError:  # hard constraints that clash, say: no setting to recommend
                continue
    shares = np.array([x.mean() for x in found.values()])
    settings = tuple(found)
    report = ValidationReport(
        settings, shares, error_of(shares, m), gain, error, verdict, settings[int(shares.argmax())], m
    )
    if verdict == "hurts":
        warn_user(f"{report} (validation_ has the figures)")
    return report
