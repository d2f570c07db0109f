"""PairwiseConstraints: must-links and cannot-links between leaves, with optional weights, and their closure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.checks import check_count, check_entries, check_numbers, described
from tripletree.core.html import table_html
from tripletree.core.immutable import Immutable, cached, fixed
from tripletree.core.leaves import LeafIndex, check_leaf_rows, no_label, sorted_labels
from tripletree.core.pair_closure import (
    PairClosure,
    SoftLinks,
    blocks,
    implied_rows,
    pair_closure,
    shortest_violation,
    soft_links,
)
from tripletree.core.provenance import Origins, phrase
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentPairsError, InvalidPairError, LimitExceededError, UnknownLeafError

#: Default of `limit`, the most pairs or triplets that a method returns.
DEFAULT_LIMIT = 50_000_000


class PairwiseConstraints(Immutable):
    """An immutable set of must-links and cannot-links over one leaf index, each perhaps with a weight.

    A must-link says that two leaves belong to the same cluster, a cannot-link that they do not. Rows (a, b) of
    `must_link` and `cannot_link` have a < b, are sorted and unique, so that equal sets over the same leaf index have
    equal arrays. Consistency is not checked at construction: a pair may even be in both.

    Parameters
    ----------
    must_link, cannot_link : array_like of int, shape (p, 2)
        Leaf indices. (a, b) and (b, a) are the same pair, and repeats count once.
    leaves : LeafIndex, iterable of labels, or int
        The leaves. Some may occur in no pair.
    must_weights, cannot_weights : array_like of float, shape (p,), optional
        How reliable each row is, in 0..1. 1 for all rows of a kind if only the other kind has weights. Among repeated
        rows the largest weight counts. Links of weight 0 are left out.
    must_origins, cannot_origins : Origins, optional
        Place where each row was read.

    Attributes
    ----------
    leaves : LeafIndex
    must_link, cannot_link : ndarray of int32, shape (p, 2)
        Read-only.
    must_weights, cannot_weights : ndarray of float64, shape (p,), or None
        Read-only, parallel to the rows. Both None if no weights were given.
    must_origins, cannot_origins : Origins or None
        The first place of a repeated row.

    Raises
    ------
    InvalidPairError
        If a row is not a pair (wrong shape, a leaf twice, an index out of range) or a weight is not in 0..1. ``.row``
        is the first such row of its kind.

    See Also
    --------
    PairwiseConstraints.from_labels : the same from tuples of labels.
    reduce_pairs : the triplets they give, and the information that triplets cannot hold.

    Notes
    -----
    ``len`` counts the rows of both kinds. Iteration yields ``(a, b, "must")`` and ``(a, b, "cannot")`` with labels. Two
    are equal when they have the same leaves, rows and weights. The order of their leaf indexes and the origins do not
    count.

    Examples
    --------
    >>> p = PairwiseConstraints([(1, 0), (1, 2)], [(2, 3)], ["human", "chimp", "bonobo", "gorilla"])
    >>> p.must_link.tolist(), p.cannot_link.tolist()
    ([[0, 1], [1, 2]], [[2, 3]])
    >>> p.closure().groups()
    [['human', 'chimp', 'bonobo']]
    """

    __slots__ = ()
    _how = "make another with PairwiseConstraints(...), subset or |"

    leaves: LeafIndex = fixed()
    must_link: np.ndarray = fixed()
    cannot_link: np.ndarray = fixed()
    must_weights: np.ndarray | None = fixed()
    cannot_weights: np.ndarray | None = fixed()
    must_origins: Origins | None = fixed()
    cannot_origins: Origins | None = fixed()

    #: For scikit-learn: its cross-validation splits every fit parameter that is as long as X, like sample weights. It
    #: takes the length from `shape` if there is one, and -1 is never the number of samples: sets are passed on whole.
    shape = (-1, 2)

    def __init__(
        self,
        must_link: Any,
        cannot_link: Any,
        leaves: LeafIndex | Iterable[Hashable] | int,
        *,
        must_weights: Any = None,
        cannot_weights: Any = None,
        must_origins: Origins | None = None,
        cannot_origins: Origins | None = None,
    ) -> None:
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        strong = must_weights is not None or cannot_weights is not None
        must, sure, read = _checked(must_link, must_weights, must_origins, "must-link", len(leaves), strong)
        cannot, keen, found = _checked(cannot_link, cannot_weights, cannot_origins, "cannot-link", len(leaves), strong)
        if len(must) + len(cannot) == 0:  # so that all empty sets are equal
            sure = keen = None
        self._hold(
            leaves=leaves,
            must_link=must,
            cannot_link=cannot,
            must_weights=sure,
            cannot_weights=keen,
            must_origins=read,
            cannot_origins=found,
        )

    @classmethod
    def from_labels(
        cls,
        must_link: Iterable[Sequence[Hashable]] | None = None,
        cannot_link: Iterable[Sequence[Hashable]] | None = None,
        leaves: LeafIndex | Iterable[Hashable] | None = None,
        *,
        must_weights: Any = None,
        cannot_weights: Any = None,
    ) -> PairwiseConstraints:
        """Make pairs from tuples (a, b) of labels.

        Parameters
        ----------
        must_link, cannot_link : iterable of (a, b), optional
            Lists, tuples or rows of arrays of labels.
        leaves : LeafIndex or iterable of labels, optional
            All leaves. By default those that occur, sorted (in order of appearance if labels of different types cannot
            be compared).
        must_weights, cannot_weights : array_like of float, optional
            One number in 0..1 for each pair.

        Returns
        -------
        PairwiseConstraints

        Raises
        ------
        InvalidPairError
            If an entry does not have two different labels. ``.row`` is its number.

        Examples
        --------
        >>> list(PairwiseConstraints.from_labels([("human", "chimp")], [("human", "gorilla")]))
        [('chimp', 'human', 'must'), ('gorilla', 'human', 'cannot')]
        """
        must, cannot = label_pairs(must_link, "must-link"), label_pairs(cannot_link, "cannot-link")
        flat = [x for row in (*must, *cannot) for x in row]
        index = (
            leaves if isinstance(leaves, LeafIndex) else LeafIndex(sorted_labels(flat) if leaves is None else leaves)
        )
        rows = index.indices(flat, what="pairs' leaves").reshape(-1, 2)
        k = len(must)
        return cls(rows[:k], rows[k:], index, must_weights=must_weights, cannot_weights=cannot_weights)

    @classmethod
    def from_signed(
        cls, pairs: Iterable[Sequence[Hashable]], weights: Any, leaves: LeafIndex | Iterable[Hashable] | None = None
    ) -> PairwiseConstraints:
        """Make pairs from tuples (a, b) of labels and weights in -1..1, as soft constraints are often given.

        Parameters
        ----------
        pairs : iterable of (a, b)
            Lists, tuples or rows of arrays of labels.
        weights : array_like of float, one for each pair
            Above 0 a must-link and below 0 a cannot-link, of the absolute weight. Pairs of weight 0 say
            nothing, and are left out. If all are 0 or 1, False or True, 0 is a cannot-link, as in `read_pairs`.
        leaves : LeafIndex or iterable of labels, optional
            As for `from_labels`.

        Returns
        -------
        PairwiseConstraints

        Examples
        --------
        >>> p = PairwiseConstraints.from_signed([("a", "b"), ("b", "c"), ("a", "d")], [1, -0.5, 0])
        >>> list(p), p.cannot_weights.tolist()
        ([('a', 'b', 'must'), ('b', 'c', 'cannot')], [0.5])
        """
        rows = check_entries(pairs, "pairs")
        try:
            signed = np.asarray(weights, np.float64)
        except (TypeError, ValueError):
            msg = f"weights must be numbers in -1..1, one for each pair, not {described(weights)}"
            raise ValueError(msg) from None
        if signed.shape != (len(rows),):
            msg = f"expected one weight for each of {len(rows)} pairs, got an array of shape {signed.shape}"
            raise ValueError(msg)
        bad = np.flatnonzero(~(np.abs(signed) <= 1))
        if bad.size:
            msg = f"weights must be in -1..1, not {signed[bad[0]]} (pair {bad[0]})"
            raise ValueError(msg)
        if np.isin(signed, (0, 1)).all():  # marks of links, not weights
            signed = np.where(signed > 0, 1.0, -1.0)
        must, cannot = ([row for row, s in zip(rows, side, strict=True) if s > 0] for side in (signed, -signed))
        return cls.from_labels(
            must, cannot, leaves, must_weights=signed[signed > 0], cannot_weights=-signed[signed < 0]
        )

    # ------------------------------------------------------------------ derived sets

    def reindex(self, leaves: LeafIndex | Iterable[Hashable]) -> PairwiseConstraints:
        """Return the same pairs over another leaf index, which must have all leaves that occur in them.

        Raises
        ------
        UnknownLeafError
            If leaves of pairs are missing. ``.labels`` lists them.

        Examples
        --------
        >>> PairwiseConstraints.from_labels([("a", "b")]).reindex(["c", "b", "a"]).must_link.tolist()
        [[1, 2]]
        """
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        if leaves == self.leaves:
            return self
        used = self.used_leaves
        number = np.full(len(self.leaves), -1, np.int32)
        number[used] = leaves.indices((self.leaves[i] for i in used.tolist()), what="pairs' leaves")
        return self.over(number, leaves)

    def restrict(self, labels: Iterable[Hashable]) -> PairwiseConstraints:
        """Return the pairs that have both leaves among `labels`, over `labels`.

        Consequences that run through other leaves are lost. To keep them, restrict `expand()`.

        Examples
        --------
        >>> len(PairwiseConstraints.from_labels([("a", "b"), ("b", "c")]).restrict(["a", "b"]))
        1
        """
        if isinstance(labels, str):
            raise UnknownLeafError([labels], self.leaves.labels, what="labels (give a list of labels)")
        leaves = labels if isinstance(labels, LeafIndex) else LeafIndex(labels)
        number = np.full(len(self.leaves), -1, np.int32)
        number[self.leaves.indices(leaves)] = np.arange(len(leaves), dtype=np.int32)
        return self.over(number, leaves)

    def over(self, number: np.ndarray, leaves: LeafIndex) -> PairwiseConstraints:
        """Return the pairs whose leaves stay, over other leaves: `number` has the new place of each leaf, or -1.

        Examples
        --------
        >>> p = PairwiseConstraints([(0, 1)], [(1, 2)], ["a", "b", "c"])
        >>> list(p.over(np.array([1, 0, -1]), LeafIndex(["B", "A"])))
        [('B', 'A', 'must')]
        """
        must, cannot = (number[x] for x in (self.must_link, self.cannot_link))
        return self._with(must, cannot, (must >= 0).all(axis=1), (cannot >= 0).all(axis=1), leaves)

    def subset(self, *, must_link: Any = None, cannot_link: Any = None) -> PairwiseConstraints:
        """Return the pairs at the given row numbers of each kind, or where a mask is true. None keeps all of a kind.

        Examples
        --------
        >>> p = PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("a", "d")])
        >>> list(p.subset(must_link=[1], cannot_link=[]))
        [('b', 'c', 'must')]
        """
        must, cannot = _rows(must_link, self.n_must, "must-link"), _rows(cannot_link, self.n_cannot, "cannot-link")
        return self._with(self.must_link, self.cannot_link, must, cannot, self.leaves)

    def _with(self, must: Any, cannot: Any, of_must: Any, of_cannot: Any, leaves: LeafIndex) -> PairwiseConstraints:
        """Return some rows of each kind over other leaves, with their weights and origins."""
        return PairwiseConstraints(
            must[of_must],
            cannot[of_cannot],
            leaves,
            must_weights=None if self.must_weights is None else self.must_weights[of_must],
            cannot_weights=None if self.cannot_weights is None else self.cannot_weights[of_cannot],
            must_origins=None if self.must_origins is None else self.must_origins.take(of_must),
            cannot_origins=None if self.cannot_origins is None else self.cannot_origins.take(of_cannot),
        )

    @cached
    def used_leaves(self) -> np.ndarray:
        """Indices of the leaves that occur in some pair, ascending (int64)."""
        return freeze(np.unique(self.rows).astype(np.int64))

    @property
    def n_must(self) -> int:
        """Number of must-links."""
        return self.must_link.shape[0]

    @property
    def n_cannot(self) -> int:
        """Number of cannot-links."""
        return self.cannot_link.shape[0]

    @cached
    def rows(self) -> np.ndarray:
        """The leaves of all pairs, must-links first (int32, shape (len, 2))."""
        return freeze(np.concatenate([self.must_link, self.cannot_link]))

    @cached
    def row_weights(self) -> np.ndarray:
        """The weights of `rows` (float64), 1 without weights."""
        if self.must_weights is None or self.cannot_weights is None:
            return freeze(np.ones(len(self)))
        return freeze(np.concatenate([self.must_weights, self.cannot_weights]))

    # ------------------------------------------------------------------ flat clusters

    def is_violated(self, labels: np.ndarray) -> np.ndarray:
        """Tell for each of `rows` whether flat clusters violate it.

        Parameters
        ----------
        labels : ndarray, shape (n_leaves,)
            The cluster of each leaf, in the order of `leaves`.

        Returns
        -------
        ndarray of bool, shape (len,)

        See Also
        --------
        tripletree.evaluation.violated_pairs : these pairs, for labels in all forms.

        Examples
        --------
        >>> PairwiseConstraints([(0, 1), (1, 2)], [(0, 2)], 3).is_violated(np.array([0, 0, 1])).tolist()
        [False, True, False]
        """
        together = labels[self.rows[:, 0]] == labels[self.rows[:, 1]]
        together[: self.n_must] = ~together[: self.n_must]
        return together

    def violated(self, labels: np.ndarray) -> PairwiseConstraints:
        """Return the pairs that flat clusters violate, see `is_violated`.

        Examples
        --------
        >>> list(PairwiseConstraints([(0, 1), (1, 2)], [(0, 2)], 3).violated(np.array([0, 0, 1])))
        [(1, 2, 'must')]
        """
        must, cannot = np.split(self.is_violated(labels), [self.n_must])
        return self.subset(must_link=must, cannot_link=cannot)

    # ------------------------------------------------------------------ consequences of the pairs

    def closure(self) -> PairClosure:
        """Return all that follows from the pairs. Weights are ignored.

        Returns
        -------
        PairClosure
            Components of must-linked leaves, and which components are cannot-linked.

        Raises
        ------
        InconsistentPairsError
            If must-links connect the ends of a cannot-link, so that no clustering satisfies the pairs. Among the first
            100 violated cannot-links, ``.cannot_link`` is one with a shortest path of must-links, ``.path`` that path,
            ``.origins`` where they were read, and ``.n_others`` the number of other violated ones.

        See Also
        --------
        is_consistent : whether this succeeds.
        find_contradictions : all violated cannot-links.
        soft_closure : lets weights decide between pairs that contradict each other.
        expand : the closure as pairs.

        Notes
        -----
        Nearly linear in leaves and pairs. The result is cached.

        Examples
        --------
        >>> PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("a", "c")]).closure()
        Traceback (most recent call last):
            ...
        tripletree.errors.InconsistentPairsError: the pairs contradict each other: the 2 must-links a - b - c put a...
        """
        closure, bad = self._closed
        if bad.any():
            every = np.ones(len(self.must_link), np.bool_)
            raise self._contradiction(every, bad, None)
        return closure

    @property
    def is_consistent(self) -> bool:
        """True if some clustering satisfies all pairs: must-links connect the ends of no cannot-link.

        Weights and the number of clusters are ignored.

        Examples
        --------
        >>> PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("a", "c")]).is_consistent
        False
        """
        return not self._closed[1].any()

    @cached
    def _closed(self) -> tuple[PairClosure, np.ndarray]:
        closure, violated = pair_closure(self.leaves, self.must_link, self.cannot_link)
        return closure, freeze(violated)

    def _contradiction(self, must: np.ndarray, cannot: np.ndarray, weight: float | None) -> InconsistentPairsError:
        """Return the error for some of the must-links, and the cannot-links that they violate."""
        which = np.flatnonzero(cannot)
        k, path = shortest_violation(self.must_link[must], self.cannot_link[which], len(self.leaves))
        steps = np.sort(np.stack([path[:-1], path[1:]], axis=1), axis=1)
        rows = find_rows(steps, self.must_link).tolist()
        read = [None if self.must_origins is None else self.must_origins[r] for r in rows]
        broke = None if self.cannot_origins is None else self.cannot_origins[int(which[k])]
        said = (phrase([x for x in read if x is not None]), "" if broke is None else str(broke))
        return InconsistentPairsError(
            [self.leaves[i] for i in path], origins=[*read, broke], places=said, weight=weight, n_others=which.size - 1
        )

    def expand(self, *, limit: int = DEFAULT_LIMIT) -> PairwiseConstraints:
        """Return all pairs that follow, without weights: must-links in components, cannot-links between them.

        Parameters
        ----------
        limit : int
            The most pairs to return. There can be n (n - 1) / 2.

        Returns
        -------
        PairwiseConstraints

        Raises
        ------
        LimitExceededError
            If there are more.

        Examples
        --------
        >>> len(PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("c", "d")]).expand())
        6
        """
        closure = self.closure()
        _check_limit(closure.n_must + closure.n_cannot, limit)
        return PairwiseConstraints(*implied_rows(closure), self.leaves)

    def soft_closure(self, *, limit: int = DEFAULT_LIMIT) -> PairwiseConstraints:
        """Return all pairs that follow, with weights. If pairs contradict each other, the larger weight holds.

        A chain of must-links implies a must-link between its ends, a chain with one cannot-link a cannot-link, and one
        with two cannot-links nothing. The implied link has the smallest weight in the chain. If there are several
        chains, the one with the largest such weight counts. A link is *overruled* if a chain of links of larger weight
        implies the opposite. Then it implies nothing, and neither does any chain through it.

        Parameters
        ----------
        limit : int
            The most pairs to return. There can be n (n - 1) / 2.

        Returns
        -------
        PairwiseConstraints
            Consistent, and equal to its own soft closure. With weights if the given pairs have weights.

        Raises
        ------
        InconsistentPairsError
            If links of equal weight contradict each other, alone or together with links of larger weight, so that
            dropping one would be a guess. ``.weight`` is that weight.
        LimitExceededError
            If there are more pairs than `limit`.

        See Also
        --------
        overruled : the links that do not hold.
        closure : ignores weights. Its size is linear.

        Notes
        -----
        Along a chain of links the smallest weight counts, as in the soft constraints of the slides on COP-KMeans
        (Patwardhan's of Wagstaff et al., 2001). They leave open the consequences of two cannot-links in a row (here:
        nothing) and from links that contradict each other (here the weaker one is dropped, with all that it implies).

        Links are added in the order of decreasing weight to clusters that know their cannot-linked clusters:
        O(p log^2 p) for p links, and O(1) for each pair of the result.

        Examples
        --------
        >>> p = PairwiseConstraints.from_labels(
        ...     [("a", "b"), ("b", "c")], [("c", "d")], must_weights=[0.9, 0.5], cannot_weights=[0.7]
        ... )
        >>> s = p.soft_closure()
        >>> [(a, b, w) for (a, b, _), w in zip(s, s.must_weights.tolist())]
        [('a', 'b', 0.9), ('a', 'c', 0.5), ('b', 'c', 0.5)]
        >>> s.cannot_weights.tolist()  # a d, b d, c d
        [0.5, 0.5, 0.7]
        """
        _check_limit(self._soft().total, limit)
        must, strong, cannot, keen = self._soft(record=True).rows()
        if self.must_weights is None:
            return PairwiseConstraints(must, cannot, self.leaves)
        return PairwiseConstraints(must, cannot, self.leaves, must_weights=strong, cannot_weights=keen)

    def overruled(self) -> PairwiseConstraints:
        """Return the links that are overruled by links of larger weight, as in `soft_closure`.

        Examples
        --------
        >>> p = PairwiseConstraints.from_labels([("a", "b")], [("b", "a")], must_weights=[0.9], cannot_weights=[0.2])
        >>> list(p.overruled())
        [('a', 'b', 'cannot')]
        """
        soft = self._soft()
        return self.subset(must_link=~soft.must_held, cannot_link=~soft.cannot_held)

    def _soft(self, *, record: bool = False) -> SoftLinks:
        strong, keen = np.split(self.row_weights, [self.n_must])
        soft = soft_links(len(self.leaves), self.must_link, strong, self.cannot_link, keen, record=record)
        if soft.clash:
            must = soft.must_held & (strong >= soft.clash)
            cannot = soft.cannot_held & (keen >= soft.clash)
            _, bad = pair_closure(self.leaves, self.must_link[must], self.cannot_link[cannot])
            cannot[np.flatnonzero(cannot)[~bad]] = False
            raise self._contradiction(must, cannot, None if self.must_weights is None else soft.clash)
        return soft

    # ------------------------------------------------------------------ triplets

    def to_triplets(self, *, limit: int = DEFAULT_LIMIT) -> TripletSet:
        """Return the smallest set of triplets that is equivalent to the pairs, as far as hierarchies can tell.

        For cannot-linked components A and B, ab|c holds for all a, b in A and c in B, and the reverse. The result
        implies all of them, and has only (|A| - 1) + (|B| - 1) of them for each such A and B. `reduce_pairs` tells
        which pairs triplets cannot express, and from which links a triplet comes.

        Parameters
        ----------
        limit : int
            The most triplets to return.

        Returns
        -------
        TripletSet
            Consistent. If there are weights, a triplet has the smaller weight of its two links.

        Raises
        ------
        LimitExceededError
            If there are more.

        Examples
        --------
        >>> list(PairwiseConstraints.from_labels([("a", "b")], [("b", "c")]).to_triplets())
        [('a', 'b', 'c')]
        """
        return self.reduced_rows(limit)[0]

    def reduced_rows(self, limit: int = DEFAULT_LIMIT) -> tuple[TripletSet, np.ndarray, np.ndarray]:
        """Return the triplets, and the rows of the must-link and the cannot-link that each comes from."""
        closure = self.closure()
        _check_limit(n_triplets(closure), limit, "triplets")
        rows, must, cannot = _triplet_rows(
            closure, self.must_link, self.must_weights, self.cannot_link, self.cannot_weights
        )
        weights = None
        if self.must_weights is not None and self.cannot_weights is not None:
            weights = np.minimum(self.must_weights[must], self.cannot_weights[cannot])
        return TripletSet(rows, self.leaves, weights), must, cannot

    # ------------------------------------------------------------------ set behaviour, pickle, display

    def __or__(self, other: PairwiseConstraints) -> PairwiseConstraints:
        if not isinstance(other, PairwiseConstraints):
            return NotImplemented
        one, two = self, other
        if one.leaves != two.leaves:
            more = [x for x in two.leaves if x not in one.leaves]
            leaves = LeafIndex([*one.leaves, *more]) if more else one.leaves
            one, two = one.reindex(leaves), two.reindex(leaves)
        weights: list = [None, None]
        if one.must_weights is not None or two.must_weights is not None:
            parts = (np.split(x.row_weights, [x.n_must]) for x in (one, two))
            weights = [np.concatenate(x) for x in zip(*parts, strict=True)]
        return PairwiseConstraints(
            np.concatenate([one.must_link, two.must_link]),
            np.concatenate([one.cannot_link, two.cannot_link]),
            one.leaves,
            must_weights=weights[0],
            cannot_weights=weights[1],
            must_origins=Origins.joined(one.must_origins, one.n_must, two.must_origins, two.n_must),
            cannot_origins=Origins.joined(one.cannot_origins, one.n_cannot, two.cannot_origins, two.n_cannot),
        )

    def __iter__(self) -> Iterator[tuple[Any, Any, str]]:
        labels = self.leaves.labels
        for rows, kind in ((self.must_link, "must"), (self.cannot_link, "cannot")):
            for a, b in rows.tolist():
                yield labels[a], labels[b], kind

    def __len__(self) -> int:
        return self.n_must + self.n_cannot

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairwiseConstraints):
            return NotImplemented
        if (self.n_must, self.n_cannot, len(self.leaves)) != (other.n_must, other.n_cannot, len(other.leaves)):
            return False
        if (self.must_weights is None) != (other.must_weights is None):
            return False
        if self.leaves != other.leaves:
            if any(x not in self.leaves for x in other.leaves):
                return False
            other = other.reindex(self.leaves)
        return all(
            np.array_equal(x, y)
            for x, y in (
                (self.must_link, other.must_link),
                (self.cannot_link, other.cannot_link),
                (self.row_weights, other.row_weights),
            )
        )

    def __hash__(self) -> int:
        return hash((self.n_must, self.n_cannot, frozenset(self.leaves)))

    def __reduce__(self) -> Any:
        return _unpickled, (
            type(self),
            (self.must_link, self.cannot_link, self.leaves),
            (self.must_weights, self.cannot_weights, self.must_origins, self.cannot_origins),
        )

    def __repr__(self) -> str:
        must, cannot, n = self.n_must, self.n_cannot, len(self.leaves)
        strong = "" if self.must_weights is None else " with weights"
        return (
            f"<PairwiseConstraints: {must} must-link{'s' * (must != 1)} and {cannot} cannot-link{'s' * (cannot != 1)}"
            f"{strong} on {n} {'leaf' if n == 1 else 'leaves'}>"
        )

    def _repr_html_(self) -> str:
        # shown by notebooks: the first rows
        rows = list(islice(self, 10))
        return table_html(repr(self)[1:-1], ("one", "other", "link"), rows, len(self) - len(rows))


def _unpickled(kind: Any, rows: tuple, more: tuple) -> Any:
    names = ("must_weights", "cannot_weights", "must_origins", "cannot_origins")
    return kind(*rows, **dict(zip(names, more, strict=True)))


def _checked(
    rows: Any, weights: Any, origins: Origins | None, kind: str, n: int, strong: bool
) -> tuple[np.ndarray, np.ndarray | None, Origins | None]:
    """Check the rows of one kind, and return them in canonical form."""
    given = [] if rows is None else rows
    array = check_leaf_rows(given, n, 2, kind, "PairwiseConstraints.from_labels", InvalidPairError)
    if not strong:
        weights = None
    else:
        weights = np.ones(len(array)) if weights is None else _check_pair_weights(weights, len(array), kind)
    if origins is not None and len(origins) != len(array):
        msg = f"origins must have one entry for each of the {len(array)} {kind}s; got {len(origins)}"
        raise InvalidPairError(msg)
    return _canonical_pairs(array, weights, origins)


def _rows(which: Any, size: int, kind: str) -> Any:
    """Check row numbers, a mask or a slice. None means all rows."""
    if which is None or isinstance(which, slice):
        return slice(None) if which is None else which
    try:
        array = np.atleast_1d(which)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0), object)
    if array.ndim == 1 and array.size == 0 and array.dtype != np.bool_:
        return array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        msg = f"select {kind}s by a list or array of row numbers, a mask or a slice, not {which!r:.60}"
        raise IndexError(msg)
    if array.dtype == np.bool_ and array.size != size:
        msg = f"the mask has {array.size} entries for {size} {kind}s"
        raise IndexError(msg)
    if array.dtype != np.bool_ and ((array < -size) | (array >= size)).any():
        known = f"the rows are 0..{size - 1}" if size else "there are none"
        msg = f"there is no {kind} {array[(array < -size) | (array >= size)][0]}: {known}"
        raise IndexError(msg)
    return array


def _check_limit(size: int, limit: int, what: str = "pairs") -> None:
    if size > check_count(limit, "limit"):
        msg = f"{size:,} {what} follow, more than limit={limit:,}: raise limit or use fewer links"
        raise LimitExceededError(msg, size=size, limit=limit)


def check_pairs(value: Any) -> PairwiseConstraints:
    """Return `value` if it is a PairwiseConstraints, else raise a TypeError with advice on how to make one."""
    if not isinstance(value, PairwiseConstraints):
        msg = (
            f"expected PairwiseConstraints, got {described(value)}; make them with "
            "PairwiseConstraints.from_labels(must_link=[(a, b), ...], cannot_link=[...]) or read_pairs(path)"
        )
        raise TypeError(msg)
    return value


# ---------------------------------------------------------------------- rows of pairs


def label_pairs(pairs: Any, kind: str) -> list[tuple[Hashable, Hashable]]:
    """Check the entries of an iterable of label pairs. `kind` is "must-link" or "cannot-link"."""
    if pairs is None:
        return []
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        msg = f"the {kind}s must be pairs (a, b) of labels, not {pairs!r:.80}"
        raise InvalidPairError(msg)
    out = []
    for k, row in enumerate(pairs.tolist() if isinstance(pairs, np.ndarray) else pairs):
        if isinstance(row, str) or not isinstance(row, (Sequence, np.ndarray)) or len(row) != 2:
            hint = (
                "; give weights as must_weights or cannot_weights"
                if isinstance(row, Sequence) and len(row) == 3
                else ""
            )
            msg = f"{kind} {k} is {row!r:.80}: expected two labels{hint}"
            raise InvalidPairError(msg, row=k)
        a, b = row.tolist() if isinstance(row, np.ndarray) else row
        wrong = no_label(a) or no_label(b)
        if wrong or a == b:
            msg = f"{kind} {k} is {(a, b)!r:.80}: {wrong or 'its two leaves must differ'}"
            raise InvalidPairError(msg, row=k)
        out.append((a, b))
    return out


def _check_pair_weights(weights: Any, p: int, kind: str) -> np.ndarray:
    """Return the weights of p rows as float64 in 0..1."""
    array = check_numbers(weights, p, "the weights", f"{kind}s", InvalidPairError)
    bad = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if bad.size:
        k = int(bad[0])
        msg = f"the weight of {kind} {k} is {array[k]}: weights must lie in 0..1"
        raise InvalidPairError(msg, row=k)
    return array


def _canonical_pairs(
    rows: np.ndarray, weights: np.ndarray | None, origins: Origins | None
) -> tuple[np.ndarray, np.ndarray | None, Origins | None]:
    """Return rows with a < b, sorted and unique, without rows of weight 0. Repeats get their largest weight."""
    if weights is not None and not weights.all():
        some = weights > 0
        rows, weights = rows[some], weights[some]
        origins = None if origins is None else origins.take(some)
    a, b = (f(rows[:, 0], rows[:, 1]).astype(np.int64) for f in (np.minimum, np.maximum))
    key = a << 32 | b
    order = np.argsort(key, kind="stable")
    new = np.ones(key.size, np.bool_)
    new[1:] = np.diff(key[order]) != 0
    starts = np.flatnonzero(new)
    out = np.stack([a[order[starts]], b[order[starts]]], axis=1).astype(np.int32)
    if weights is not None:
        weights = freeze(np.maximum.reduceat(weights[order], starts) if starts.size else np.empty(0))
    return freeze(out), weights, None if origins is None else origins.merged(order, starts)


def find_rows(rows: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return the position of each canonical row among other canonical rows, -1 if it is not among them."""
    key, keys = (x[:, 0].astype(np.int64) << 32 | x[:, 1] for x in (rows, among))
    if keys.size == 0:
        return np.full(key.size, -1)
    at = np.minimum(np.searchsorted(keys, key), keys.size - 1)
    return np.where(keys[at] == key, at, -1)


# ---------------------------------------------------------------------- triplets from pairs


def n_triplets(closure: PairClosure) -> int:
    """Count the triplets that `_triplet_rows` returns."""
    return int((closure.sizes[closure.cannot] - 1).sum())


def _spanning_rows(must: np.ndarray, weight: np.ndarray | None, n: int) -> np.ndarray:
    """Return the numbers of must-links of a maximum spanning forest, ascending. Ties go to earlier rows."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    order = np.arange(must.shape[0]) if weight is None else np.argsort(-weight, kind="stable")
    rank = np.empty(order.size)
    rank[order] = np.arange(1, order.size + 1)  # all different, so that there is one answer
    tree = minimum_spanning_tree(coo_array((rank, (must[:, 0], must[:, 1])), shape=(n, n)).tocsr())
    return np.sort(order[np.sort(tree.data).astype(np.int64) - 1])


def _triplet_rows(
    closure: PairClosure, must: np.ndarray, must_weights: np.ndarray | None, cannot: np.ndarray, link: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For cannot-linked components A, B: ab|y for each must-link ab of a spanning tree of A, and cd|x for each cd of B.

    Parameters
    ----------
    closure : PairClosure
    must, must_weights, cannot : ndarray
    link : ndarray of float64 or None
        Weights of the cannot-links: x-y is the first of largest weight between A and B.

    Returns
    -------
    rows : ndarray of int32, shape (m, 3)
        Sorted, unique.
    must_row, cannot_row : ndarray of int64, shape (m,)
        The links that each comes from.
    """
    tree = _spanning_rows(must, must_weights, len(closure.leaves)) if n_triplets(closure) else np.empty(0, np.int64)
    owner = closure.component[must[tree, 0]]
    tree = tree[np.argsort(owner, kind="stable")]
    start = np.cumsum(closure.sizes - 1) - (closure.sizes - 1)
    # the cannot-link that stands for each pair of components
    ends = closure.component[cannot]
    flip = ends[:, 0] > ends[:, 1]
    key = ends.min(axis=1).astype(np.int64) * closure.n_components + ends.max(axis=1) if len(ends) else ends[:, 0]
    order = np.lexsort((np.arange(key.size), np.zeros(key.size) if link is None else -link, key))
    chosen = order[np.unique(key[order], return_index=True)[1]]
    x = np.where(flip, cannot[:, 1], cannot[:, 0])[chosen]
    y = np.where(flip, cannot[:, 0], cannot[:, 1])[chosen]
    inside = np.concatenate([closure.cannot[:, 0], closure.cannot[:, 1]])
    outside, row = np.concatenate([y, x]), np.concatenate([chosen, chosen])
    block, at, which = blocks(
        start[inside], closure.sizes[inside] - 1, np.arange(inside.size), np.ones(inside.size, int)
    )
    must_row = tree[at]
    rows = np.column_stack([must[must_row], outside[which]]).astype(np.int32)
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
    return rows[order], must_row[order], row[block][order]
