"""Must-links and cannot-links reduced to triplets, and the links that triplets cannot express.

Pairs constrain one clustering, triplets a hierarchy. Must-link a, b together with cannot-link a, c (or b, c) means
ab|c: in a hierarchy from which the clusters are cut, a and b are closer to each other than either is to c. So

- a component of must-links that is cannot-linked to another becomes triplets, and so does the other one.
- a component of must-links without cannot-links gives no triplet: its must-links are *merges* to be done first.
- a cannot-link between two single leaves gives no triplet: it acts on the *cut*, which must separate them.

For consistent pairs, with components A, B, ... of the must-links:

1. The triplets are consistent, and the hierarchy of any clustering that satisfies the pairs (its clusters below the
   root, the leaves below them) displays them.
2. They imply ab|c for all a, b in one component and c in another that is cannot-linked to it. No smaller set of
   triplets that the hierarchy with the components below the root displays does so.
3. If all components are cannot-linked to each other, every hierarchy that displays the triplets has each component as
   a clade: it can be cut into exactly the components. Otherwise there may be hierarchies that display the triplets and
   have no cut that satisfies the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tripletree.core.pair_closure import PairClosure
from tripletree.core.pairs import DEFAULT_LIMIT, PairwiseConstraints, check_pairs
from tripletree.core.triplets import TripletSet, contains_rows


@dataclass(frozen=True, eq=False)
class PairReduction:
    """The triplets that pairs give, and the links that triplets cannot express. ``print`` shows it in words.

    Attributes
    ----------
    pairs : PairwiseConstraints
        The pairs that were reduced.
    closure : PairClosure
        Its components, and which are cannot-linked.
    triplets : TripletSet
        The smallest set with all that the pairs mean for hierarchies. Weighted if the pairs have weights.
    must_row, cannot_row : ndarray of int64, shape (m,)
        Parallel to ``triplets.rows``: the must-link a, b of ab|c, and the cannot-link that ends in c.
    merges : PairwiseConstraints
        The must-links that no triplet expresses: their components have no cannot-links.
    on_cut : PairwiseConstraints
        The cannot-links that give no triplet: they are between leaves without must-links.

    See Also
    --------
    reduce_pairs : makes it.
    """

    pairs: PairwiseConstraints
    closure: PairClosure
    triplets: TripletSet
    must_row: np.ndarray
    cannot_row: np.ndarray
    merges: PairwiseConstraints
    on_cut: PairwiseConstraints

    @property
    def is_complete(self) -> bool:
        """True if any two components are cannot-linked: then every hierarchy of the triplets can be cut into them."""
        return self.closure.is_complete

    def pairs_behind(self, triplets: TripletSet) -> PairwiseConstraints:
        """Return the links from which some of the triplets come, with their origins.

        For ab|c they are the must-link a, b, the cannot-link of c, and the must-links between its other end and the
        nearer one of a and b.

        Parameters
        ----------
        triplets : TripletSet
            Some of ``.triplets`` (others are ignored): for instance a conflict's.

        Returns
        -------
        PairwiseConstraints
            They alone imply the triplets.

        Examples
        --------
        >>> p = PairwiseConstraints.from_labels([("a", "b"), ("b", "c"), ("c", "d")], [("d", "x"), ("e", "f")])
        >>> r = reduce_pairs(p)
        >>> list(r.pairs_behind(TripletSet.from_labels([("b", "c", "x")])))
        [('b', 'c', 'must'), ('c', 'd', 'must'), ('d', 'x', 'cannot')]
        """
        rows = triplets.reindex(self.triplets.leaves).rows
        some = np.flatnonzero(contains_rows(self.triplets.rows, rows, len(self.triplets.leaves)))
        must = set(self.must_row[some].tolist())
        for m, c in zip(self.must_row[some].tolist(), self.cannot_row[some].tolist(), strict=True):
            a = int(self.pairs.must_link[m, 0])
            x, y = self.pairs.cannot_link[c].tolist()
            inside = x if self.closure.component[x] == self.closure.component[a] else y
            must |= self._path(inside, a)
        return self.pairs.subset(must_link=sorted(must), cannot_link=np.unique(self.cannot_row[some]))

    def _path(self, x: int, y: int) -> set[int]:
        """Return the must-links between x and y in the spanning forest: the links above exactly one of x and y."""
        ways = []
        for u in (x, y):
            way = set()
            while self._above[u, 0] >= 0:
                way.add(int(self._above[u, 1]))
                u = int(self._above[u, 0])
            ways.append(way)
        return ways[0] ^ ways[1]

    @cached_property
    def _above(self) -> np.ndarray:
        """For each leaf its parent in a spanning forest of the must-links that triplets use, and that link, or -1."""
        used = np.unique(self.must_row)
        near: dict[int, list[tuple[int, int]]] = {}
        for k, (a, b) in zip(used.tolist(), self.pairs.must_link[used].tolist(), strict=True):
            near.setdefault(a, []).append((b, k))
            near.setdefault(b, []).append((a, k))
        above = np.full((len(self.pairs.leaves), 2), -1, np.int64)
        seen: set[int] = set()
        for root in near:
            if root in seen:
                continue
            seen.add(root)
            stack = [root]
            while stack:
                u = stack.pop()
                for v, k in near[u]:
                    if v not in seen:
                        seen.add(v)
                        above[v] = u, k
                        stack.append(v)
        return above

    def __repr__(self) -> str:
        p, merges, cut = self.pairs, self.merges.n_must, self.on_cut.n_cannot
        return (
            f"<PairReduction: {_count(p.n_must, 'must-link')} and {_count(p.n_cannot, 'cannot-link')} give "
            f"{_count(len(self.triplets), 'triplet')}; {_count(merges, 'must-link')} to be merged first, "
            f"{_count(cut, 'cannot-link')} left to the cut>"
        )

    def __str__(self) -> str:
        p, c = self.pairs, self.closure
        groups = int((c.sizes > 1).sum())
        apart = np.zeros(c.n_components, np.bool_)
        apart[c.cannot] = True
        loose = int(((c.sizes > 1) & ~apart).sum())
        lines = [
            f"{_count(p.n_must, 'must-link')} in {_count(groups, 'group')} and {_count(p.n_cannot, 'cannot-link')}",
            f"  kept: {_count(len(self.triplets), 'triplet')}",
            f"  merges to be done first: {_count(self.merges.n_must, 'must-link')} in {_count(loose, 'group')} that "
            "nothing is kept apart from",
            f"  left to the cut: {_count(self.on_cut.n_cannot, 'cannot-link')} between leaves without must-links",
            f"  {self._cuts()}",
        ]
        return "\n".join(lines)

    def _cuts(self) -> str:
        """Tell whether a hierarchy that displays the triplets has a cut that satisfies the pairs."""
        if self.is_complete:
            return "all components are kept apart: a hierarchy that displays the triplets can be cut into them"
        if self.pairs.n_must == 0:
            return "no must-links: any hierarchy has cuts that satisfy the pairs, down to single leaves"
        return (
            f"{_count(self.closure.n_components, 'component')}, not all kept apart: a hierarchy that displays the "
            "triplets need not have a cut that satisfies the pairs"
        )


def _count(k: int, noun: str) -> str:
    return f"{k:,} {noun}{'s' * (k != 1)}"


def reduce_pairs(pairs: PairwiseConstraints, *, limit: int = DEFAULT_LIMIT) -> PairReduction:
    """Turn must-links and cannot-links into triplets, as far as triplets can express them.

    Parameters
    ----------
    pairs : PairwiseConstraints
        Weights do not decide which pairs hold (see `PairwiseConstraints.soft_closure` for that), but make weights: a
        triplet weighs as much as the weaker one of its two links.
    limit : int
        The most triplets to make.

    Returns
    -------
    PairReduction
        ``.triplets`` and the links they come from. ``.merges`` and ``.on_cut``, which they cannot express.

    Raises
    ------
    InconsistentPairsError
        If must-links connect the ends of a cannot-link.
    LimitExceededError
        If there would be more triplets than `limit`.

    See Also
    --------
    PairwiseConstraints.to_triplets : the triplets alone.
    triplets_from_classes : the same for class labels.

    Notes
    -----
    For each two components A and B that are cannot-linked, with the strongest cannot-link x-y between them: ab|y for
    each must-link a-b of a spanning tree of A (of the strongest ones), cd|x for each c-d of one of B. These are
    (|A| - 1) + (|B| - 1) triplets for each such A and B. Fewer are not enough: if A were in two parts without a triplet
    across them and a third leaf in B, one part could be moved next to B. O(n + p log p + m).

    Examples
    --------
    >>> p = PairwiseConstraints.from_labels([("a", "b"), ("x", "y"), ("u", "v")], [("a", "x"), ("p", "q")])
    >>> r = reduce_pairs(p)
    >>> list(r.triplets)
    [('a', 'b', 'x'), ('x', 'y', 'a')]
    >>> list(r.merges), list(r.on_cut)
    ([('u', 'v', 'must')], [('p', 'q', 'cannot')])
    """
    triplets, must_row, cannot_row = check_pairs(pairs).reduced_rows(limit)
    closure = pairs.closure()
    apart = np.zeros(closure.n_components, np.bool_)
    apart[closure.cannot] = True
    single = closure.sizes[closure.component] == 1
    return PairReduction(
        pairs,
        closure,
        triplets,
        must_row,
        cannot_row,
        merges=pairs.subset(must_link=~apart[closure.component[pairs.must_link[:, 0]]], cannot_link=[]),
        on_cut=pairs.subset(must_link=[], cannot_link=single[pairs.cannot_link].all(axis=1)),
    )
