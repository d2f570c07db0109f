"""The design of a study: how many questions each person gets, which are shared, shown again, or have a known answer."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.core.checks import counted, described
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidTripletError

#: The word for trios that are drawn, in the place of a list.
RANDOM = "random"
#: Trios that are drawn for each clear one that is wanted.
DRAWS = 200
#: In how many clear trios a sample is, beside the mean.
EXTRA = 2


@dataclass(frozen=True, kw_only=True)
class Design:
    """How the questions of a study are spread over people.

    By default each question is the one that the model chooses for this person. Shared trios, repeats and catch trios
    take the place of some of these questions.

    Parameters
    ----------
    n_questions : int, optional
        How many questions each person answers; by default `n_questions` of the model, or 100 without one. Everybody
        gets as many, whether or not others have finished: if the model has nothing left worth asking, questions that
        others answered, and in a study, where people are told apart, random ones at last.
    overlap : int, default=1
        By how many people each trio is answered. A trio that fewer have answered goes to the next people before a new
        one is asked.
    repeats : float, default=0
        The share of the questions of each person, in 0..0.5, that this person has answered before, with at least five
        others in between. They tell how far a person agrees with itself.
    catch : TripletSet, optional
        Trios whose answer is known: c is the odd one of a, b and c for each triplet ab|c. Everybody gets them, in an
        order of their own. They find people who answer without looking: see `tripletree.evaluation.check_known`.
    catch_share : float, default=0.1
        The share of the questions of each person, in 0..0.5, that are catch trios, as long as there are some left.
    trios : sequence of three labels each, or "random", optional
        The trios to ask, in this order, in the place of those that the model chooses. "random" draws them, so that each
        sample is shown about as often as the others.
    random_state : int, default=0
        Draws the order of the samples on the page, the places of repeats and catch trios, and random trios.

    Raises
    ------
    ValueError
        If a number is out of its range.
    TypeError
        If `catch` is not a TripletSet.
    InvalidTripletError
        If `catch` has two answers for one trio, or an entry of `trios` is not three different labels.

    See Also
    --------
    serve, widget : take a design.
    find_clear_trios : catch trios from measurements or a hierarchy.

    Notes
    -----
    The order of the samples is drawn anew for each person and question. Nothing but the answers is kept: the next
    question follows from them, so a study that was interrupted goes on where it was.

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
    random_state: int = 0

    def __post_init__(self) -> None:
        for name, low in (("n_questions", 1), ("overlap", 1), ("random_state", 0)):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not (whole and value >= low) and not (name == "n_questions" and value is None):
                msg = f"{name} must be a whole number of at least {low}, not {described(value)}"
                raise ValueError(msg)
        for name in ("repeats", "catch_share"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not 0 <= value <= 0.5:
                msg = f"{name} must be a share of the questions in 0..0.5, not {described(value)}"
                raise ValueError(msg)
        if self.catch is not None:
            _check_catch(check_triplets(self.catch))
        if self.trios is not None and not self.draws_trios:
            object.__setattr__(self, "trios", _checked_trios(self.trios))

    @property
    def is_study(self) -> bool:
        """Whether people have to be told apart: they share trios, or get repeats or catch trios."""
        return self.overlap > 1 or self.repeats > 0 or self.catch is not None

    @property
    def draws_trios(self) -> bool:
        """Whether trios are drawn at random."""
        return isinstance(self.trios, str) and self.trios == RANDOM

    @property
    def labels(self) -> list[Hashable]:
        """The samples that the design names, each once: those of its trios, then those of its catch trios."""
        named = [x for trio in (() if self.draws_trios else self.trios or ()) for x in trio]
        return list(dict.fromkeys(named + [x for triplet in self.catch or () for x in triplet]))


def _check_catch(catch: TripletSet) -> None:
    """Refuse known answers that contradict each other, and none at all."""
    if not len(catch):
        msg = "catch has no triplet, so there is no trio whose answer is known"
        raise InvalidTripletError(msg)
    seen: dict[frozenset, Any] = {}
    for a, b, c in catch:
        if seen.setdefault(frozenset((a, b, c)), c) != c:
            msg = f"catch has two answers for {a!r}, {b!r} and {c!r}; give each trio one"
            raise InvalidTripletError(msg)


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
    """Whether these are three different names of samples: hashable, and equal to themselves."""
    try:
        return len(items) == 3 and len(set(items)) == 3 and all(x is not None and x == x for x in items)
    except TypeError:
        return False


def find_clear_trios(
    data: Any, n_trios: int = 20, *, sample_names: Sequence[Hashable] | None = None, random_state: Any = 0
) -> TripletSet:
    """Find trios whose odd one nobody can miss, for `catch` of a `Design`.

    Look at them before you use them: what is far apart in the measurements need not look so.

    Parameters
    ----------
    data : Hierarchy, or array_like of shape (n, d)
        In a hierarchy, a trio is the clearer, the larger its smallest clade is beside that of the two that are closest.
        Of measurements, the farther the third is from both, beside their distance.
    n_trios : int, default=20
    sample_names : sequence of labels, optional
        Names of the rows; by default their numbers. A hierarchy has its own.
    random_state : int, Generator, RandomState or None, default=0
        Draws 200 trios for each one that is wanted, of which the clearest are taken; no sample is in many of them.

    Returns
    -------
    TripletSet
        ab|c for each, the clearest first; fewer than `n_trios` if there are not as many.

    Raises
    ------
    ValueError
        If there are fewer than three samples, or `n_trios` is less than 1.

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
    """How clear trios of points are: the distance of the odd one beside that of the other two."""

    def __init__(self, points: np.ndarray) -> None:
        if points.ndim != 2 or not np.isfinite(points).all():
            msg = "data must be a hierarchy, or finite numbers of shape (n, d)"
            raise ValueError(msg)
        self.points = points

    def __call__(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return trios as (a, b, odd), and by how much the odd one is farther."""
        return _by_odd(rows, lambda a, b: np.linalg.norm(self.points[a] - self.points[b], axis=1))


class _Clades:
    """How clear trios of leaves are: the size of their smallest clade beside that of the closest two."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        start, stop, _ = hierarchy.leaf_intervals
        self.size = (stop - start).astype(np.float64)

    def __call__(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return trios as (a, b, odd), and by how much the clade of all three is larger."""
        return _by_odd(rows, self._sizes)

    def _sizes(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The number of leaves in the smallest clade with both, for each pair."""
        return self.size[kernels.rooted_tree.common_ancestors(a, b, *self.hierarchy.ancestor_table)]


def _by_odd(rows: np.ndarray, apart: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Trios with the odd one last, and how many times farther it is from the nearer of the others than they are."""
    opposite = np.stack([apart(rows[:, (k + 1) % 3], rows[:, (k + 2) % 3]) for k in range(3)], axis=1)
    odd, every, side = opposite.argmin(axis=1), np.arange(len(rows)), np.sort(opposite, axis=1)
    turned = np.stack([rows[every, (odd + k) % 3] for k in (1, 2, 3)], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return turned, np.nan_to_num(side[:, 1] / side[:, 0], nan=1.0, posinf=np.inf)
