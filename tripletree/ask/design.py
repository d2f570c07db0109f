"""The design of a study: how many questions each person gets, which are shared, shown again, or have a known answer."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.checks import counted, described
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidTripletError

#: The value of `trios` for trios that are drawn.
RANDOM = "random"
#: Number of trios that are drawn for each clear one wanted.
DRAWS = 200
#: A sample may be in 2 more clear trios than the mean sample.
EXTRA = 2


@dataclass(frozen=True, kw_only=True)
class Design:
    """How the questions of a study are spread over people.

    By default the model chooses each question for each person. Shared trios, repeats and catch trios replace some of
    its questions.

    Parameters
    ----------
    n_questions : int, optional
        How many questions each person answers. The default is `n_questions` of the model, or 100 without a model.
        Everybody gets as many, whether or not other people have finished. If the model has no question left, a person
        gets questions that other people answered. In a study with shared trios, repeats or catch trios, random trios
        come last.
    overlap : int, default=1
        How many people answer each trio. A trio with fewer answers goes to the next people before a new one is asked.
    repeats : float, default=0
        The share of the questions of each person, in 0..0.5, that repeat an earlier question of this person. At least
        five others come in between, each question is repeated once, and catch trios never, so large shares may not be
        reached. Repeats measure how far people agree with themselves.
    catch : TripletSet, optional
        Trios with a known answer: for each triplet ab|c, c is the odd one of a, b and c. Everybody gets them, each
        person in another order. They expose people who answer without looking: see
        `tripletree.evaluation.check_known`.
    catch_share : float, default=0.1
        The share of the questions of each person, in 0..0.5, that are catch trios, as long as some are left.
    trios : sequence of three labels each, or "random", optional
        The trios to ask, in this order, instead of the trios that the model chooses. "random" draws trios so that all
        samples are shown about equally often.
    forced_choice : bool, default=False
        Whether people must name one of three: there is no "all alike", "all different" and "cannot say".
    practice : TripletSet, optional
        Trios with a known answer for practice before the questions: for each triplet ab|c, c is the odd one. People are
        told whether they were right. Answers for practice are not kept.
    break_after : int, optional
        After this many questions each, the page offers a break. So the questions come in blocks.
    fixed : bool, default=False
        Whether nobody answers more than `n_questions`. By default people may go on.
    invited : sequence of str, optional
        The names or codes of the people who may take part. By default everybody who has the address may, under any
        name.
    pause : float, default=0.3
        Seconds for which a new question takes no answer, in 0..10, counted from the last of its pictures: the second of
        two quick clicks answers nothing.
    random_state : int, default=0
        Seed for the order of the samples on the page, the places of repeats and catch trios, and random trios.

    Raises
    ------
    InvalidTripletError
        If `catch` has two answers for one trio, or an entry of `trios` is not three different labels.

    See Also
    --------
    serve, widget : take a design.
    find_clear_trios : catch trios from measurements or a hierarchy.

    Notes
    -----
    The order of the samples is drawn anew for each person and question. Only the answers are kept. The next question
    follows from them, so an interrupted study with given or random trios goes on with the same question. If a model
    chooses the trios, it samples its trees again, so the next question may be another one.

    Examples
    --------
    >>> import tripletree as tt
    >>> catch = tt.TripletSet.from_labels([("cat", "dog", "eel")])
    >>> design = Design(n_questions=40, overlap=3, repeats=0.1, catch=catch)
    >>> design.n_questions, design.catch
    (40, <TripletSet: 1 triplet on 3 leaves: cat dog | eel>)
    """

    n_questions: int | None = None
    overlap: int = 1
    repeats: float = 0.0
    catch: TripletSet | None = None
    catch_share: float = 0.1
    trios: Sequence[tuple[Hashable, ...]] | str | None = None
    forced_choice: bool = False
    practice: TripletSet | None = None
    break_after: int | None = None
    fixed: bool = False
    invited: Sequence[str] | None = None
    pause: float = 0.3
    random_state: int = 0

    def __post_init__(self) -> None:
        for name, low in (("n_questions", 1), ("overlap", 1), ("random_state", 0), ("break_after", 1)):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not (whole and value >= low) and not (name in ("n_questions", "break_after") and value is None):
                msg = f"{name} must be a whole number of at least {low}, not {described(value)}"
                raise ValueError(msg)
        for name in ("repeats", "catch_share"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not 0 <= value <= 0.5:
                msg = f"{name} must be a share of the questions in 0..0.5, not {described(value)}"
                raise ValueError(msg)
        for name in ("forced_choice", "fixed"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                msg = f"{name} must be True or False, not {described(getattr(self, name))}"
                raise ValueError(msg)
        if self.practice is not None:
            _check_catch(check_triplets(self.practice), "practice")
        pause = self.pause
        if isinstance(pause, bool) or not isinstance(pause, (int, float, np.number)) or not 0 <= pause <= 10:
            msg = f"pause must be seconds in 0..10, not {described(pause)}"
            raise ValueError(msg)
        if self.invited is not None:
            object.__setattr__(self, "invited", _checked_names(self.invited))
        if self.catch is not None:
            _check_catch(check_triplets(self.catch))
        if self.trios is not None and not self.draws_trios:
            object.__setattr__(self, "trios", _checked_trios(self.trios))

    @property
    def is_study(self) -> bool:
        """Whether people must be told apart, because they share trios or get repeats or catch trios."""
        return self.overlap > 1 or self.repeats > 0 or self.catch is not None

    @property
    def draws_trios(self) -> bool:
        """Whether trios are drawn at random."""
        return isinstance(self.trios, str) and self.trios == RANDOM

    @property
    def labels(self) -> list[Hashable]:
        """The samples that the design names, each once: in its trios, its catch trios, its practice."""
        named = [x for trio in (() if self.draws_trios else self.trios or ()) for x in trio]
        return list(
            dict.fromkeys(
                named + [x for known in (self.catch, self.practice) for triplet in known or () for x in triplet]
            )
        )


def _check_catch(catch: TripletSet, name: str = "catch") -> None:
    """Raise an error if known answers contradict each other or are missing."""
    if not len(catch):
        msg = f"{name} has no triplet, so there is no trio with a known answer"
        raise InvalidTripletError(msg)
    seen: dict[frozenset, Any] = {}
    for a, b, c in catch:
        if seen.setdefault(frozenset((a, b, c)), c) != c:
            msg = f"{name} has two answers for {a!r}, {b!r} and {c!r}; give each trio one"
            raise InvalidTripletError(msg)


def _checked_names(names: Any) -> tuple[str, ...]:
    """Names as pages send them: without blanks around them."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        msg = f"invited must be a sequence of names, not {described(names)}"
        raise TypeError(msg)
    found = tuple(names)
    wrong = [x for x in found if not isinstance(x, str) or not x.strip()]
    if wrong or not found:
        msg = f"invited must hold names that are texts, not {described(wrong[0])}" if wrong else "invited has no name"
        raise ValueError(msg)
    return tuple(" ".join(x.split()) for x in found)


def _checked_trios(trios: Any) -> tuple[tuple[Hashable, ...], ...]:
    if isinstance(trios, (str, bytes)) or not isinstance(trios, Iterable):
        msg = f"trios must be a sequence of three labels each, or {RANDOM!r}, not {described(trios)}"
        raise TypeError(msg)
    found = []
    for k, trio in enumerate(trios):
        items = () if isinstance(trio, (str, bytes)) or not isinstance(trio, Iterable) else tuple(trio)
        if not _are_three_labels(items):
            msg = f"entry {k} of trios must be three different labels, not {trio!r:.80}"
            raise InvalidTripletError(msg)
        found.append(items)
    if not found:
        msg = "trios is empty: there is nothing to ask"
        raise InvalidTripletError(msg)
    return tuple(found)


def _are_three_labels(items: tuple[Any, ...]) -> bool:
    """Tell whether items are three different names of samples: hashable, and equal to themselves."""
    try:
        return len(items) == 3 and len(set(items)) == 3 and all(x is not None and x == x for x in items)
    except TypeError:
        return False


def find_clear_trios(
    data: Any, n_trios: int = 20, *, sample_names: Sequence[Hashable] | None = None, random_state: Any = 0
) -> TripletSet:
    """Find trios whose odd one nobody can miss, for `catch` of a `Design`.

    Look at the trios before you use them. Samples that are far apart in the measurements may look alike.

    Parameters
    ----------
    data : Hierarchy, or array_like of shape (n, d)
        The known likeness of the samples. In a hierarchy, a trio is clear if the smallest clade of all three is much
        larger than that of the closest two. In measurements, it is clear if the third is much farther away than the
        other two are from each other.
    n_trios : int, default=20
        Number of trios.
    sample_names : sequence of labels, optional
        Names of the rows. By default they are numbers. A hierarchy has its own names.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the draws: 200 trios for each one wanted, and the clearest are taken. No sample is in many of them.

    Returns
    -------
    TripletSet
        A triplet ab|c for each trio, the clearest first. There are fewer than `n_trios` if not enough are clear.

    Examples
    --------
    >>> clear = find_clear_trios([[0.0], [0.1], [5.0], [5.1]], 2, sample_names=["ant", "bee", "cat", "dog"])
    >>> [c for a, b, c in clear]
    ['dog', 'ant']
    """
    if n_trios < 1:
        msg = f"n_trios must be at least 1, not {n_trios}"
        raise ValueError(msg)
    clearness: _Clades | _Distances
    if isinstance(data, Hierarchy):
        names, clearness = data.leaves, _Clades(data)
    else:
        points = np.asarray(data, np.float64)
        names = LeafIndex(len(points) if sample_names is None else sample_names)
        clearness = _Distances(points)
    n = len(names)
    if n < 3:
        msg = f"{counted(n, 'sample')}; a trio has three"
        raise ValueError(msg)
    rng = generator(random_state)
    drawn = np.sort(rng.integers(0, n, (DRAWS * n_trios, 3), dtype=np.int32), axis=1)
    drawn = np.unique(drawn[(drawn[:, 0] < drawn[:, 1]) & (drawn[:, 1] < drawn[:, 2])], axis=0)
    rows, clear = clearness(drawn)
    most, used = 3 * n_trios // n + EXTRA, np.zeros(n, np.int64)
    chosen: list[np.ndarray] = []
    for k in np.argsort(-clear, kind="stable").tolist():
        if len(chosen) == n_trios or not clear[k] > 1:
            break
        if (used[rows[k]] < most).all():
            used[rows[k]] += 1
            chosen.append(rows[k])
    return TripletSet(np.array(chosen, np.int32).reshape(-1, 3), names)


class _Distances:
    """Measures how clear trios of points are, by the distance of the odd one over that of the other two."""

    def __init__(self, points: np.ndarray) -> None:
        if points.ndim != 2 or not np.isfinite(points).all():
            msg = "data must be a hierarchy, or finite numbers of shape (n, d)"
            raise ValueError(msg)
        self.points = points

    def __call__(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return trios as (a, b, odd), and how many times farther away the odd one is."""
        return _by_odd(rows, lambda a, b: np.linalg.norm(self.points[a] - self.points[b], axis=1))


class _Clades:
    """Measures how clear trios of leaves are, by the size of their smallest clade over that of the closest two."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        start, stop, _ = hierarchy.leaf_intervals
        self.size = (stop - start).astype(np.float64)

    def __call__(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return trios as (a, b, odd), and how many times larger the clade of all three is."""
        return _by_odd(rows, self._sizes)

    def _sizes(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The number of leaves in the smallest clade with both, for each pair."""
        return self.size[engine.rooted_tree.common_ancestors(a, b, *self.hierarchy.ancestor_table)]


def _by_odd(rows: np.ndarray, apart: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Put the odd one of each trio last, and divide its distance from the nearer of the others by their distance."""
    opposite = np.stack([apart(rows[:, (k + 1) % 3], rows[:, (k + 2) % 3]) for k in range(3)], axis=1)
    odd, every, side = opposite.argmin(axis=1), np.arange(len(rows)), np.sort(opposite, axis=1)
    turned = np.stack([rows[every, (odd + k) % 3] for k in (1, 2, 3)], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return turned, np.nan_to_num(side[:, 1] / side[:, 0], nan=1.0, posinf=np.inf)
