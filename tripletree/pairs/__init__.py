"""PairwiseConstraints: must-links and cannot-links between leaves, with optional strengths, and what they imply."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tripletree._checks import expect_count
from tripletree.errors import InconsistentPairsError, LimitExceededError
from tripletree.origins import phrase
from tripletree.pairs._closure import PairClosure, broken, implied_rows, pair_closure
from tripletree.pairs._rows import places
from tripletree.pairs._set import PairSet
from tripletree.pairs._strengths import SoftLinks, soft_links
from tripletree.pairs._triplets import n_triplets, triplet_rows
from tripletree.triplets import TripletSet

__all__ = ["PairClosure", "PairwiseConstraints", "expect_pairs"]

DEFAULT_LIMIT = 50_000_000


class PairwiseConstraints(PairSet):
    """An immutable set of must-links and cannot-links over one leaf index, each perhaps with a strength.

    A must-link says that two leaves belong to one cluster, a cannot-link that they belong to two. Rows (a, b) of
    `must_link` and `cannot_link` have a < b, are sorted and unique, so equal sets over one leaf index are equal arrays.
    Nothing is concluded at construction: a pair may be in both, and then the set is inconsistent.

    Parameters
    ----------
    must_link, cannot_link : array_like of int, shape (p, 2)
        Leaf indices; (a, b) and (b, a) are the same pair, repeats count once.
    leaves : LeafIndex, iterable of labels, or int
        The leaves; some may occur in no pair.
    must_strength, cannot_strength : array_like of float, shape (p,), optional
        How much each row is to be relied on, in 0..1; 1 where only the other kind has strengths. Of repeated rows the
        largest counts. A link of strength 0 says nothing and is left out.
    must_origins, cannot_origins : Origins, optional
        Where each row was read.

    Attributes
    ----------
    leaves : LeafIndex
    must_link, cannot_link : ndarray of int32, shape (p, 2)
        Read-only.
    must_strength, cannot_strength : ndarray of float64, shape (p,), or None
        Read-only, parallel to the rows; both None where all are 1 because none were given.
    must_origins, cannot_origins : Origins or None
        The first place of a repeated row.

    Raises
    ------
    InvalidPairError
        If a row is no pair (wrong shape, a leaf twice, an index out of range) or a strength is not in 0..1; ``.row``
        is the first such row of its kind.

    See Also
    --------
    PairwiseConstraints.from_labels : the same from tuples of labels.
    reduce_pairs : which triplets they give, and what those cannot say.

    Notes
    -----
    ``len`` counts the rows of both kinds; iteration gives ``(a, b, "must")`` and ``(a, b, "cannot")`` with labels.
    ``shape`` is there for scikit-learn only, and says that these are no rows of samples: without it cross-validation
    would cut a set that happens to be as long as X.
    Two are equal when they have the same leaves, rows and strengths, whatever the order of their leaf indexes and
    wherever they were read.

    Examples
    --------
    >>> p = PairwiseConstraints([(1, 0), (1, 2)], [(2, 3)], ["human", "chimp", "bonobo", "gorilla"])
    >>> p.must_link.tolist(), p.cannot_link.tolist()
    ([[0, 1], [1, 2]], [[2, 3]])
    >>> p.closure().groups()
    [['human', 'chimp', 'bonobo']]
    """

    def closure(self) -> PairClosure:
        """Conclude all that follows from the pairs, every one of them taken as certain: strengths are not looked at.

        Returns
        -------
        PairClosure
            Components of leaves that hold together, and which components are kept apart.

        Raises
        ------
        InconsistentPairsError
            If must-links connect the ends of a cannot-link; ``.path`` is a shortest path of must-links that does, over
            the first 100 cannot-links that are broken, ``.cannot_link`` the cannot-link, ``.origins`` where they were
            read, ``.n_others`` how many more cannot-links are broken. No clustering satisfies the pairs then; without
            this error some clustering does.

        See Also
        --------
        is_consistent : whether there is an error.
        find_contradictions : all that are broken.
        soft_closure : where strengths decide between pairs that contradict each other.
        expand : the same as pairs.

        Notes
        -----
        Near linear in leaves and pairs. It is kept: a second call costs nothing.

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
        """Whether some clustering satisfies all pairs: must-links connect the ends of no cannot-link.

        Strengths are not looked at, nor the number of clusters.

        Examples
        --------
        >>> PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("a", "c")]).is_consistent
        False
        """
        return not self._closed[1].any()

    @cached_property
    def _closed(self) -> tuple[PairClosure, np.ndarray]:
        return pair_closure(self.leaves, self.must_link, self.cannot_link)

    def _contradiction(self, must: np.ndarray, cannot: np.ndarray, strength: float | None) -> InconsistentPairsError:
        """The error for some of the must-links, and cannot-links that they break."""
        which = np.flatnonzero(cannot)
        k, path = broken(self.must_link[must], self.cannot_link[which], len(self.leaves))
        steps = np.sort(np.stack([path[:-1], path[1:]], axis=1), axis=1)
        rows = places(steps, self.must_link).tolist()
        read = [None if self.must_origins is None else self.must_origins[r] for r in rows]
        broke = None if self.cannot_origins is None else self.cannot_origins[int(which[k])]
        said = (phrase([x for x in read if x is not None]), "" if broke is None else str(broke))
        return InconsistentPairsError(
            [self.leaves[i] for i in path],
            origins=[*read, broke],
            places=said,
            strength=strength,
            n_others=which.size - 1,
        )

    def expand(self, *, limit: int = DEFAULT_LIMIT) -> PairwiseConstraints:
        """Return every pair that follows, without strengths: must-links in components, cannot-links between them.

        Parameters
        ----------
        limit : int
            Refuse to make more pairs than so many: there can be n (n - 1) / 2.

        Returns
        -------
        PairwiseConstraints

        Raises
        ------
        InconsistentPairsError
            As `closure`, which tells the numbers of pairs beforehand (``n_must`` and ``n_cannot``).
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
        """Return every pair that follows, with its strength; where pairs contradict each other the stronger ones hold.

        A chain of links is as strong as its weakest link. A chain of must-links concludes a must-link between its
        ends, a chain with one cannot-link in it a cannot-link, one with two cannot-links nothing. Of several chains
        the strongest counts. A link is *overruled* when a chain of stronger links concludes the opposite; it then
        concludes nothing, so neither does any chain through it.

        Parameters
        ----------
        limit : int
            Refuse to make more pairs than so many: there can be n (n - 1) / 2.

        Returns
        -------
        PairwiseConstraints
            Consistent, and equal to its own soft closure; with strengths if there are some here.

        Raises
        ------
        InconsistentPairsError
            If links of one strength contradict each other, or each other together with stronger ones, and no stronger
            ones decide: whatever was dropped would be a guess. ``.strength`` is that strength.
        LimitExceededError
            If there are more pairs; nothing has been computed but their number.

        See Also
        --------
        overruled : the links that do not hold.
        closure : every link as certain as any other, and no result of quadratic size.

        Notes
        -----
        This is the closure of soft constraints in Wagstaff's lectures on COP-KMeans, made safe where links contradict
        each other: there a pair that gets both signs has the stronger one, but chains through the link that lost still
        conclude. The two agree wherever the links are consistent.

        Links are taken from the strongest to the weakest, those of one strength together, into clusters that remember
        from which they are apart: O(p log^2 p) for p links, and O(1) for each pair of the result.

        Examples
        --------
        >>> p = PairwiseConstraints.from_labels(
        ...     [("a", "b"), ("b", "c")], [("c", "d")], must_strength=[0.9, 0.5], cannot_strength=[0.7]
        ... )
        >>> s = p.soft_closure()
        >>> [(a, b, w) for (a, b, _), w in zip(s, s.must_strength.tolist())]
        [('a', 'b', 0.9), ('a', 'c', 0.5), ('b', 'c', 0.5)]
        >>> s.cannot_strength.tolist()  # a d, b d, c d
        [0.5, 0.5, 0.7]
        """
        _check_limit(self._soft().total, limit)
        must, strong, cannot, keen = self._soft(record=True).rows()
        if self.must_strength is None:
            return PairwiseConstraints(must, cannot, self.leaves)
        return PairwiseConstraints(must, cannot, self.leaves, must_strength=strong, cannot_strength=keen)

    def overruled(self) -> PairwiseConstraints:
        """Return the links that stronger ones contradict, as `soft_closure` finds them.

        Raises
        ------
        InconsistentPairsError
            As `soft_closure` does.

        Examples
        --------
        >>> p = PairwiseConstraints.from_labels([("a", "b")], [("b", "a")], must_strength=[0.9], cannot_strength=[0.2])
        >>> list(p.overruled())
        [('a', 'b', 'cannot')]
        """
        soft = self._soft()
        return self.subset(must_link=~soft.must_held, cannot_link=~soft.cannot_held)

    def _soft(self, *, record: bool = False) -> SoftLinks:
        strong, keen = self._strengths()
        soft = soft_links(len(self.leaves), self.must_link, strong, self.cannot_link, keen, record=record)
        if soft.clash:
            must = soft.must_held & (strong >= soft.clash)
            cannot = soft.cannot_held & (keen >= soft.clash)
            _, bad = pair_closure(self.leaves, self.must_link[must], self.cannot_link[cannot])
            cannot[np.flatnonzero(cannot)[~bad]] = False
            raise self._contradiction(must, cannot, None if self.must_strength is None else soft.clash)
        return soft

    # ------------------------------------------------------------------ what they say of hierarchies

    def to_triplets(self, *, limit: int = DEFAULT_LIMIT) -> TripletSet:
        """Return the smallest set of triplets that says what the pairs say of hierarchies.

        For components A and B that are kept apart, ab|c holds for all a, b in A and c in B, and the reverse. The result
        implies all of these, and has only (|A| - 1) + (|B| - 1) of them for each such A and B. `reduce_pairs` tells
        what is lost on the way, and from which links a triplet comes.

        Parameters
        ----------
        limit : int
            Refuse to make more triplets than so many.

        Returns
        -------
        TripletSet
            Consistent. Where there are strengths, a triplet weighs as much as the weaker of its two links.

        Raises
        ------
        InconsistentPairsError
            As `closure` does.
        LimitExceededError
            If there are more.

        Examples
        --------
        >>> list(PairwiseConstraints.from_labels([("a", "b")], [("b", "c")]).to_triplets())
        [('a', 'b', 'c')]
        """
        return self.reduced_rows(limit)[0]

    def reduced_rows(self, limit: int = DEFAULT_LIMIT) -> tuple[TripletSet, np.ndarray, np.ndarray]:
        """Return the triplets, and the rows of the must-link and of the cannot-link from which each comes."""
        closure = self.closure()
        _check_limit(n_triplets(closure), limit, "triplets")
        rows, must, cannot = triplet_rows(
            closure, self.must_link, self.must_strength, self.cannot_link, self.cannot_strength
        )
        weights = None
        if self.must_strength is not None and self.cannot_strength is not None:
            weights = np.minimum(self.must_strength[must], self.cannot_strength[cannot])
        return TripletSet(rows, self.leaves, weights), must, cannot


def _check_limit(size: int, limit: int, what: str = "pairs") -> None:
    if size > expect_count(limit, "limit"):
        msg = f"{size:,} {what} follow, more than limit={limit:,}: say limit=, or take fewer links"
        raise LimitExceededError(msg, size=size, limit=limit)


def expect_pairs(value: Any) -> PairwiseConstraints:
    """Return `value` if it is a PairwiseConstraints; a TypeError that says how to make one otherwise."""
    if not isinstance(value, PairwiseConstraints):
        msg = (
            f"PairwiseConstraints are wanted, not {type(value).__name__} ({value!r:.60}); make them with "
            "PairwiseConstraints.from_labels(must_link=[(a, b), ...], cannot_link=[...]) or read_pairs(path)"
        )
        raise TypeError(msg)
    return value
