"""`Knowledge`: all statements on some samples, as one value.

Users make it with `Knowledge.of`, look at it, keep it in a file (`write_knowledge`), and hand it to any estimator and
to whatever else takes `triplets=`, `pairs=` and the like. A fit makes one of what it is given, over the rows of X
(`align_knowledge`), and reads nothing else. `part` hides the statements on some samples: validation and folds use it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.supervision import pairs_from_classes, triplets_from_classes
from tripletree.core.arrays import freeze
from tripletree.core.checks import counted, described, where_to_read
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy, check_rooted
from tripletree.core.labels import classes_or_none, in_order_of_first, series_index
from tripletree.core.leaves import LeafIndex, sorted_labels
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    SHOWN,
    InconsistentPairsError,
    InconsistentTripletsError,
    InfeasibleClusteringError,
    TripletreeError,
)
from tripletree.knowledge.alignment import (
    align_classes,
    align_comparisons,
    align_hierarchy,
    align_pairs,
    align_triplets,
    as_comparisons,
    as_hierarchy,
    as_pairs,
    index_labels,
    leaves_among,
    named,
    names_among,
    triplets_by_label,
)
from tripletree.knowledge.combined import can_all_hold

#: The kinds, as arguments of `fit` are called.
KINDS = ("triplets", "comparisons", "pairs", "hierarchy", "classes")


@dataclass(frozen=True, eq=False)
class Knowledge:
    """All statements on some samples: triplets, pairs, a hierarchy, classes and comparisons.

    Made by `Knowledge.of`, which takes each kind in all forms that estimators take. It is immutable.

    Attributes
    ----------
    leaves : LeafIndex
        The samples, by their names. All parts are over them.
    triplets : TripletSet
        Maybe empty.
    pairs : PairwiseConstraints
        Maybe empty.
    hierarchy : Hierarchy or None
        Over the samples that it names.
    codes : ndarray of int64, shape (n_samples,), or None
        The class of each sample, a position in `class_names`, or -1 where it is not known.
    class_names : tuple
    comparisons : Comparisons or None
        "a is more like b than like c". A result may contradict some.
    soft : frozenset of str
        The kinds that are votes, of which a result may contradict some. Comparisons always are. Whether the other kinds
        must hold is for the estimator to say (``DivisiveReCon(constraints=)``). An estimator whose results keep all
        that it is given refuses soft kinds.

    See Also
    --------
    tripletree.read_knowledge, tripletree.write_knowledge : in a file.
    tripletree.evaluate_knowledge : whether it helps to place samples about which it says nothing.

    Notes
    -----
    ``|`` joins two values, over the samples of both. ``==`` is true if they have the same samples and say the same, in
    any order, and as softly. Whether all of it can hold is `is_consistent`: votes never count for that.

    Examples
    --------
    >>> known = Knowledge.of(triplets=[("cat", "dog", "eel")], classes={"cat": "pet", "dog": "pet", "eel": "wild"})
    >>> known
    <Knowledge of 3 samples: 1 triplet; classes of 3 samples (2 classes)>
    >>> from tripletree.cluster import ReCon
    >>> ReCon(2).fit([[0.0], [3.0], [5.0]], sample_names=["cat", "dog", "eel"], knowledge=known).labels_.tolist()
    [0, 0, 1]
    """

    leaves: LeafIndex
    triplets: TripletSet
    pairs: PairwiseConstraints
    hierarchy: Hierarchy | None = None
    codes: np.ndarray | None = None
    class_names: tuple[Any, ...] = ()
    comparisons: Comparisons | None = None
    soft: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        samples: Any = None,
        *,
        triplets: Any = None,
        comparisons: Any = None,
        pairs: Any = None,
        hierarchy: Any = None,
        classes: Any = None,
        soft: Iterable[str] = (),
        missing: Any = None,
        missing_samples: str = "raise",
    ) -> Knowledge:
        """Make one value of all that is known.

        Parameters
        ----------
        samples : iterable of labels, DataFrame or int, optional
            The names of the samples: a list, the index of a data frame, or a number n for 0..n-1. By default all
            samples that occur.
        triplets, comparisons, pairs, hierarchy, classes : optional
            As for `tripletree.cluster.DivisiveReCon`. Without `samples`, numbers in arrays of triplets and pairs are
            names, and classes go by name: a mapping, or a pandas Series.
        soft : iterable of {"triplets", "pairs", "hierarchy", "classes", "comparisons"}
            The kinds that are votes, see ``.soft``.
        missing : value or collection of values, optional
            The values in `classes` that mark samples without one, as in `triplets_from_classes`.
        missing_samples : {"raise", "ignore"}
            How to treat names that are not among `samples`.

        Returns
        -------
        Knowledge

        Raises
        ------
        UnknownLeafError
            If something is said of other samples. ``.labels`` holds them all.
        TypeError
            If a part has a form that no estimator takes.
        ValueError
            If `soft` has a kind that is not given.

        Examples
        --------
        >>> Knowledge.of(["a", "b", "c", "d"], pairs=([("a", "b")], [("b", "c")]))
        <Knowledge of 4 samples: 1 must-link and 1 cannot-link>

        A taxonomy that must hold, and answers of people that are votes:

        >>> taxonomy = Hierarchy.from_nested([["ant", "bee"], ["cat", "dog"]])
        >>> Knowledge.of(hierarchy=taxonomy, triplets=[("cat", "dog", "eel")], soft=["triplets"])
        <Knowledge of 5 samples: 1 triplet (soft); a hierarchy of 4 samples>
        """
        given = {"triplets": triplets, "comparisons": comparisons, "pairs": pairs, "hierarchy": hierarchy}
        if samples is None:
            given, names = _labelled(given, classes)
        elif isinstance(samples, (int, np.integer)) and not isinstance(samples, bool):
            names = list(LeafIndex(int(samples)))
        else:
            labels = index_labels(samples)
            names = list(LeafIndex(samples if labels is None else labels))
        rows = named(None, names)
        made = align_knowledge(
            rows, len(rows.labels), **given, classes=classes, missing=missing, missing_samples=missing_samples
        ).with_soft(soft)
        for kind in sorted(made.soft):
            if {**given, "classes": classes}[kind] is None:
                of = "is" if kind == "hierarchy" else "are"
                msg = f"soft has {kind!r}, and no {kind} {of} given: give {kind}=, or leave it out"
                raise ValueError(msg)
        return made

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that say something, as the arguments of `fit` are called.

        Examples
        --------
        >>> Knowledge.of(pairs=([("a", "b")], [])).kinds
        ('pairs',)
        """
        there = {
            "triplets": len(self.triplets) > 0,
            "comparisons": self.comparisons is not None and len(self.comparisons.rows) > 0,
            "pairs": len(self.pairs) > 0,
            "hierarchy": self.hierarchy is not None,
            "classes": self.codes is not None and bool((self.codes >= 0).any()),
        }
        return tuple(kind for kind in KINDS if there[kind])

    @property
    def classes(self) -> dict[Hashable, Any]:
        """Return the class of each sample whose class is known.

        Examples
        --------
        >>> Knowledge.of(["a", "b", "c"], classes=["x", None, "y"]).classes
        {'a': 'x', 'c': 'y'}
        """
        if self.codes is None:
            return {}
        return {x: self.class_names[k] for x, k in zip(self.leaves, self.codes.tolist(), strict=True) if k >= 0}

    @property
    def is_consistent(self) -> bool:
        """Whether some hierarchy displays all triplets, with a clade for each group that must-links or a class tie.

        Cannot-links contradict must-links alone. Soft kinds are left out. What does not hold is told by the error
        of a hard fit.

        Examples
        --------
        >>> Knowledge.of(triplets=[("a", "b", "c")], pairs=([("b", "c")], [])).is_consistent
        False
        """
        stated = self.only(*(kind for kind in KINDS if kind not in self.soft))
        return can_all_hold(stated.only("triplets", "hierarchy").to_triplets(), stated.to_pairs())

    def to_triplets(self) -> TripletSet:
        """Return the triplets, and the triplets that follow from the hierarchy, the classes and the pairs.

        Returns
        -------
        TripletSet
            Comparisons are left out: one alone is half a triplet (`triplets_from_comparisons`).

        Raises
        ------
        LimitExceededError
            If classes or pairs give more than 50 million.

        Examples
        --------
        >>> known = Knowledge.of(["a", "b", "c"], classes=["x", "x", "y"])
        >>> list(known.to_triplets())
        [('a', 'b', 'c')]
        """
        found = self.triplets
        if self.hierarchy is not None:
            found = found | decompose(self.hierarchy).reindex(self.leaves)
        if self.codes is not None:
            found = found | triplets_from_classes(self.codes, leaves=self.leaves, samples=self.codes >= 0)
        return found | self.pairs.to_triplets() if len(self.pairs) else found

    def to_pairs(self) -> PairwiseConstraints:
        """Return the pairs, and the fewest pairs that imply the classes. Triplets give no pairs.

        Returns
        -------
        PairwiseConstraints

        Examples
        --------
        >>> list(Knowledge.of(["a", "b", "c"], classes=["x", "x", "y"]).to_pairs())
        [('a', 'b', 'must'), ('a', 'c', 'cannot')]
        """
        if self.codes is None:
            return self.pairs
        of_classes = pairs_from_classes(
            self.codes, which="spanning", leaves=self.leaves, samples=np.flatnonzero(self.codes >= 0), missing=[]
        )
        return self.pairs | of_classes

    def only(self, *kinds: str | Iterable[str]) -> Knowledge:
        """Some kinds of it, over the same samples.

        Parameters
        ----------
        *kinds : {"triplets", "comparisons", "pairs", "hierarchy", "classes"}

        Returns
        -------
        Knowledge

        Examples
        --------
        >>> Knowledge.of(triplets=[("a", "b", "c")], pairs=([("a", "b")], [])).only("pairs")
        <Knowledge of 3 samples: 1 must-link>
        """
        wanted, nothing = _kinds_of(kinds), _nothing(self.leaves)
        return Knowledge(
            self.leaves,
            self.triplets if "triplets" in wanted else nothing.triplets,
            self.pairs if "pairs" in wanted else nothing.pairs,
            self.hierarchy if "hierarchy" in wanted else None,
            self.codes if "classes" in wanted else None,
            self.class_names if "classes" in wanted else (),
            self.comparisons if "comparisons" in wanted else None,
            self.soft,
        )

    def with_soft(self, *kinds: str | Iterable[str]) -> Knowledge:
        """Return the same statements, of which these kinds are votes (see ``.soft``), and no others.

        Parameters
        ----------
        *kinds : {"triplets", "comparisons", "pairs", "hierarchy", "classes"}
            One by one, or in a list.

        Returns
        -------
        Knowledge

        Examples
        --------
        >>> Knowledge.of(triplets=[("a", "b", "c")]).with_soft("triplets")
        <Knowledge of 3 samples: 1 triplet (soft)>
        """
        return replace(self, soft=frozenset(_kinds_of(kinds)))

    def part(self, samples: Any) -> Knowledge:
        """Return the statements on some samples alone. The other samples stay leaves, and nothing is known of them.

        Parameters
        ----------
        samples : iterable of labels, or ndarray of bool, shape (n_samples,)
            The samples, by name or as a mask.

        Returns
        -------
        Knowledge

        Examples
        --------
        >>> known = Knowledge.of(triplets=[("a", "b", "c"), ("a", "b", "d")])
        >>> list(known.part(["a", "b", "c"]).triplets)
        [('a', 'b', 'c')]
        """
        mask = self._mask(samples)
        must, cannot = (mask[x].all(axis=1) for x in (self.pairs.must_link, self.pairs.cannot_link))
        hierarchy = self.hierarchy
        if hierarchy is not None:
            named = [x for x in hierarchy.leaves if mask[self.leaves.index(x)]]
            hierarchy = hierarchy.restrict(named, keep_unary=True) if len(named) > 2 else None
        return replace(
            self,
            triplets=self.triplets.subset(mask[self.triplets.rows].all(axis=1)),
            pairs=self.pairs.subset(must_link=must, cannot_link=cannot),
            hierarchy=hierarchy,
            codes=None if self.codes is None else freeze(np.where(mask, self.codes, -1)),
            comparisons=None
            if self.comparisons is None
            else self.comparisons.subset(mask[self.comparisons.rows].all(axis=1)),
        )

    def _mask(self, samples: Any) -> np.ndarray:
        """Return some samples as a mask. They are given as labels, a mask, or a Series by the labels."""
        mask, index = np.zeros(len(self.leaves), np.bool_), series_index(samples)
        values = samples.tolist() if index is not None or isinstance(samples, np.ndarray) else samples
        if isinstance(values, list) and values and all(isinstance(x, bool) for x in values):
            if index is not None and set(index) == set(self.leaves) and len(index) == mask.size:
                order = self.leaves.indices(index)
                mask[order] = values
                return mask
            if len(values) != mask.size:
                msg = f"a mask of samples must have shape ({mask.size},), not ({len(values)},)"
                raise ValueError(msg)
            return np.array(values)
        mask[self.leaves.indices(values)] = True
        return mask

    def restrict(self, samples: Iterable[Hashable]) -> Knowledge:
        """Return the statements on some samples, over these samples alone (also samples without a statement).

        Parameters
        ----------
        samples : iterable of labels

        Returns
        -------
        Knowledge

        Examples
        --------
        >>> Knowledge.of(triplets=[("a", "b", "c"), ("a", "b", "d")]).restrict(["d", "e", "b", "a"])
        <Knowledge of 4 samples: 1 triplet>

        Whole numbers and synonyms of a hierarchy are names here as in a fit:

        >>> Knowledge.of(["101", "102"], classes=["x", "y"]).restrict([101, 102, 103]).classes
        {101: 'x', 102: 'y'}
        """
        leaves = samples if isinstance(samples, LeafIndex) else LeafIndex(samples)
        meant = zip(self.leaves, names_among(self.leaves, leaves), strict=True)
        # of two ways to write a whole number, the one of the sample itself counts
        number = [-1 if y is None or (x != y and y in self.leaves) else leaves.index(y) for x, y in meant]
        both = [] if self.hierarchy is None else leaves_among(self.hierarchy, leaves)
        hierarchy = self.hierarchy.restrict(both, keep_unary=True) if self.hierarchy and len(both) > 2 else None
        return self._moved(np.array(number, np.int64), leaves, hierarchy)

    def _moved(self, number: np.ndarray, leaves: LeafIndex, hierarchy: Hierarchy | None) -> Knowledge:
        """Return the statements on samples that have a new place. `number` has the places among `leaves`, or -1."""
        codes, names = None, self.class_names
        if self.codes is not None:
            there = number >= 0
            codes = np.full(len(leaves), -1, np.int64)
            codes[number[there]] = self.codes[there]
            some = codes >= 0
            names = tuple(names[k] for k in dict.fromkeys(codes[some].tolist()))
            codes[some] = in_order_of_first(codes[some])
            freeze(codes)
        comparisons = None if self.comparisons is None else self.comparisons.over(number, leaves)
        triplets, pairs = self.triplets.over(number, leaves), self.pairs.over(number, leaves)
        return Knowledge(leaves, triplets, pairs, hierarchy, codes, names, comparisons, self.soft)

    def reindex(self, leaves: LeafIndex | Iterable[Hashable]) -> Knowledge:
        """Return the same statements over other samples, which must have all samples that occur.

        Parameters
        ----------
        leaves : LeafIndex or iterable of labels

        Returns
        -------
        Knowledge
            Classes without a sample are gone, and the others are numbered in the order in which they occur.

        Raises
        ------
        UnknownLeafError
            If something is said of samples that are missing.

        Examples
        --------
        >>> Knowledge.of(triplets=[("a", "b", "c")]).reindex(["d", "c", "b", "a"]).triplets.rows.tolist()
        [[2, 3, 1]]
        """
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        used = [self.triplets.used_leaves, self.pairs.used_leaves]
        if self.comparisons is not None:
            used.append(self.comparisons.used_leaves)
        if self.codes is not None:
            used.append(np.flatnonzero(self.codes >= 0))
        if self.hierarchy is not None:
            used.append(self.leaves.indices(self.hierarchy.leaves))
        told = np.unique(np.concatenate(used))
        number = np.full(len(self.leaves), -1, np.int64)
        number[told] = leaves.indices([self.leaves[i] for i in told.tolist()], what="samples of the knowledge")
        return self._moved(number, leaves, self.hierarchy)

    def with_votes(self) -> Knowledge:
        """Return the same, with comparisons as votes among the triplets: each for the triplet that it is half of.

        Examples
        --------
        >>> Knowledge.of(comparisons=[("a", "b", "c")]).with_votes()
        <Knowledge of 3 samples: 1 triplet>
        """
        if self.comparisons is None or not len(self.comparisons.rows):
            return replace(self, comparisons=None)
        return replace(self, triplets=self.triplets | self.comparisons.votes(), comparisons=None)

    def arguments(self) -> dict[str, Any]:
        """Return the kinds that say something, as arguments of a `fit` on the samples, row by row.

        Returns
        -------
        dict of str and object
            Classes are a list with an entry for each sample, None where it is not known. Soft kinds are a `Knowledge`.

        Examples
        --------
        >>> Knowledge.of(["a", "b", "c"], classes=["x", None, "y"]).arguments()
        {'classes': ['x', None, 'y']}
        """
        found = {kind: getattr(self, kind) for kind in self.kinds if kind not in self.soft}
        if "classes" in found:
            assert self.codes is not None
            found["classes"] = classes_or_none(self.codes, self.class_names)
        if self.soft & {*self.kinds}:
            found["knowledge"] = self.only(*self.soft)
        return found

    @contextmanager
    def naming_classes(self) -> Iterator[None]:
        """Let errors about statements that cannot all hold speak of classes, where statements follow from classes."""
        try:
            yield
        except TripletreeError as error:
            if self.codes is None:
                raise
            class_of = self.classes
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

    def __or__(self, other: Knowledge) -> Knowledge:
        if not isinstance(other, Knowledge):
            return NotImplemented
        leaves = LeafIndex(dict.fromkeys([*self.leaves, *other.leaves]))
        one, two = self.reindex(leaves), other.reindex(leaves)
        differ = [x for x in one.kinds if x in two.kinds and x != "comparisons" and (x in one.soft) != (x in two.soft)]
        if differ:
            msg = (
                f"{differ[0]} must be soft on both sides or on neither: x.with_soft({differ[0]!r}) is x with soft "
                f"{differ[0]}, x.with_soft() has no soft kinds"
            )
            raise ValueError(msg)
        if one.hierarchy is not None and two.hierarchy is not None:
            msg = "both have a hierarchy: supertree([a.hierarchy, b.hierarchy]) makes one of them"
            raise ValueError(msg)
        comparisons = one.comparisons if two.comparisons is None else two.comparisons
        if one.comparisons is not None and two.comparisons is not None:
            joined = one.comparisons | two.comparisons
            comparisons = joined.over(leaves.indices(joined.leaves), leaves)
        codes, names = _joined_classes(one, two)
        return Knowledge(
            leaves,
            one.triplets | two.triplets,
            one.pairs | two.pairs,
            one.hierarchy if two.hierarchy is None else two.hierarchy,
            codes,
            names,
            comparisons,
            one.soft & {*one.kinds} | two.soft & {*two.kinds},
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Knowledge):
            return NotImplemented
        mine, others = ([] if x.comparisons is None else sorted(_told(x.comparisons), key=repr) for x in (self, other))
        return (
            self.triplets == other.triplets
            and self.pairs == other.pairs
            and self.hierarchy == other.hierarchy
            and self.classes == other.classes
            and mine == others
            and all((kind in self.soft) == (kind in other.soft) for kind in self.kinds if kind != "comparisons")
        )

    __hash__ = None  # type: ignore[assignment]  # it may hold values without a hash, such as names of classes

    def __repr__(self) -> str:
        return f"<Knowledge of {counted(len(self.leaves), 'sample')}: {self.summary()}>"

    def summary(self) -> str:
        """What it holds, in a few words.

        Examples
        --------
        >>> Knowledge.of(hierarchy=Hierarchy.from_nested([["a", "b"], "c"])).summary()
        'a hierarchy of 3 samples'
        """
        links = ((self.pairs.n_must, "must-link"), (self.pairs.n_cannot, "cannot-link"))
        known = np.empty(0) if self.codes is None else self.codes[self.codes >= 0]
        classes = counted(np.unique(known).size, "class", "classes")
        words = {
            "triplets": counted(len(self.triplets), "triplet"),
            "comparisons": "" if self.comparisons is None else counted(len(self.comparisons.rows), "comparison"),
            "pairs": " and ".join(counted(m, noun) for m, noun in links if m),
            "hierarchy": ""
            if self.hierarchy is None
            else f"a hierarchy of {counted(self.hierarchy.n_leaves, 'sample')}",
            "classes": f"classes of {counted(known.size, 'sample')} ({classes})",
        }
        parts = [words[kind] + " (soft)" * (kind in self.soft - {"comparisons"}) for kind in self.kinds]
        return "; ".join(parts) or "nothing is known"


def _kinds_of(given: Iterable[str | Iterable[str]]) -> list[str]:
    """The kinds that are given one by one, or in a list."""
    kinds = [y for x in given for y in ([x] if isinstance(x, str) or not isinstance(x, Iterable) else x)]
    unknown = [x for x in kinds if x not in KINDS]
    if unknown:
        msg = f"no kind of knowledge is called {unknown[0]!r}: the kinds are {', '.join(KINDS)}"
        raise ValueError(msg)
    return kinds


def _nothing(leaves: LeafIndex) -> Knowledge:
    return Knowledge(leaves, TripletSet(np.empty((0, 3), np.int32), leaves), PairwiseConstraints([], [], leaves))


def _told(comparisons: Comparisons) -> list[tuple]:
    """Each comparison by the names in it, and who said it."""
    name = comparisons.leaves
    rows = zip(comparisons.rows.tolist(), comparisons.who, strict=True)
    return [(*(name[i] for i in row), who) for row, who in rows]


def _joined_classes(one: Knowledge, two: Knowledge) -> tuple[np.ndarray | None, tuple[Any, ...]]:
    """The classes of both, which must agree."""
    if one.codes is None or two.codes is None:
        one = two if one.codes is None else one
        return one.codes, one.class_names
    first, second = one.classes, two.classes
    for x in first.keys() & second.keys():
        if first[x] != second[x]:
            msg = f"the class of {x!r} is {first[x]!r} in one and {second[x]!r} in the other: give one of them"
            raise ValueError(msg)
    number = {name: k for k, name in enumerate(dict.fromkeys([*one.class_names, *two.class_names]))}
    of: Mapping[Hashable, Any] = first | second
    return freeze(np.array([number[of[x]] if x in of else -1 for x in one.leaves], np.int64)), tuple(number)


def check_knowledge(value: Any) -> Knowledge:
    """Return the value, or raise if it is no `Knowledge`."""
    if not isinstance(value, Knowledge):
        msg = (
            f"knowledge must be a Knowledge, not {described(value)}"
            f"{where_to_read(value, 'knowledge') or ': Knowledge.of(triplets=..., pairs=...) makes one'}"
        )
        raise TypeError(msg)
    return value


def align_knowledge(
    X: Any,
    n_samples: int,
    *,
    knowledge: Knowledge | None = None,
    missing: Any = None,
    missing_samples: str | None = None,
    **given: Any,
) -> Knowledge:
    """All that is known over the rows of X, as one value: see the function of each kind for its forms and errors.

    Parameters
    ----------
    X, n_samples, missing_samples
        As for `align_triplets`.
    knowledge : Knowledge, optional
        Over its own samples. The other arguments are added to it.
    missing
        As for `align_classes`.
    **given
        Any of `KINDS`, in the forms that a `fit` takes. None counts as not given.

    Returns
    -------
    Knowledge
    """
    made = _over_rows(X, n_samples, missing_samples, missing, **given)
    if knowledge is None:
        return made
    kept = check_knowledge(knowledge)
    other: dict[str, Any] = {kind: getattr(kept, kind) for kind in kept.kinds}
    # words for no class are gone from it
    return made | _over_rows(X, n_samples, missing_samples, [], **other).with_soft(*kept.soft)


def _over_rows(
    X: Any,
    n_samples: int,
    missing_samples: str | None,
    missing: Any,
    *,
    triplets: Any = None,
    comparisons: Any = None,
    pairs: Any = None,
    hierarchy: Any = None,
    classes: Any = None,
) -> Knowledge:
    mine = align_triplets(X, triplets, n_samples, missing_samples=missing_samples)
    links = align_pairs(X, pairs, n_samples, missing_samples=missing_samples)
    tree = None if hierarchy is None else align_hierarchy(X, hierarchy, mine.leaves, missing_samples=missing_samples)
    codes, names, told = None, list[Any](), None
    if classes is not None:
        codes, names = align_classes(X, classes, mine.leaves, missing_samples=missing_samples, missing=missing)
    if comparisons is not None:
        told = align_comparisons(X, comparisons, n_samples, missing_samples=missing_samples)
    return Knowledge(mine.leaves, mine, links, tree, codes, tuple(names), told)


def _labelled(given: dict[str, Any], classes: Any) -> tuple[dict[str, Any], list[Hashable]]:
    """Statements by name, and all names that occur in them: sorted if they can be.

    Parameters
    ----------
    given : dict of str and object
        Triplets, comparisons, pairs and a hierarchy, None if not given.
    classes : mapping, pandas Series or None

    Returns
    -------
    given : dict of str and object
    names : list
    """
    found, names = dict(given), dict[Hashable, None]()
    if given["hierarchy"] is not None:
        found["hierarchy"] = check_rooted(as_hierarchy(given["hierarchy"]))
        names |= dict.fromkeys(found["hierarchy"].leaves)
    if given["triplets"] is not None:
        found["triplets"] = triplets_by_label(given["triplets"])
    if given["pairs"] is not None:
        parts = [x for x, _ in as_pairs(given["pairs"], by_row=False)]
        found["pairs"] = parts[0] if len(parts) == 1 else parts[0] | parts[1]
    if given["comparisons"] is not None:
        found["comparisons"] = as_comparisons(given["comparisons"])
    for kind in ("triplets", "pairs", "comparisons"):
        if found[kind] is not None:
            leaves = found[kind].leaves
            names |= dict.fromkeys(leaves[i] for i in found[kind].used_leaves.tolist())
    index = series_index(classes)
    if classes is not None and index is None and not isinstance(classes, Mapping):
        msg = (
            f"classes must go by name, as a dict or a pandas Series does, not {described(classes)}, where no samples "
            "are given: Knowledge.of(samples, classes=...) takes a class for each of a list of names"
        )
        raise TypeError(msg)
    names |= dict.fromkeys(index if index is not None else classes or ())
    return found, sorted_labels(names)
