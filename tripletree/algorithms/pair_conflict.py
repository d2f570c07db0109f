"""Contradictions among pairs: each cannot-link that must-links violate, with the must-links that do."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree.core.checks import check_count
from tripletree.core.pair_closure import paths_between
from tripletree.core.pairs import PairwiseConstraints, check_pairs, find_rows
from tripletree.core.provenance import Origin, phrase
from tripletree.errors import broken_link_text


@dataclass(frozen=True, repr=False)
class Contradiction:
    """A cannot-link, and a shortest path of must-links that connects its ends.

    ``print(contradiction)`` explains it. Without any one of its links, the others can hold.

    Attributes
    ----------
    path : tuple
        Labels along the must-links, from one end of the cannot-link to the other.
    pairs : PairwiseConstraints
        The must-links of the path and the cannot-link, over the leaves of all pairs.
    origins : tuple of Origin or None
        Places where each must-link along the path was read, and last the cannot-link. None if unknown.

    Examples
    --------
    >>> pairs = PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("a", "c")])
    >>> print(find_contradictions(pairs)[0])
    the 2 must-links a - b - c put a and c together, which a cannot-link keeps apart
    """

    path: tuple[Any, ...]
    pairs: PairwiseConstraints
    origins: tuple[Origin | None, ...]

    @property
    def cannot_link(self) -> tuple[Hashable, Hashable]:
        """The labels of the cannot-link."""
        return self.path[0], self.path[-1]

    def __len__(self) -> int:
        return len(self.path)  # must-links and the cannot-link

    def __str__(self) -> str:
        said = (phrase([x for x in some if x is not None]) for some in (self.origins[:-1], self.origins[-1:]))
        must, cannot = said
        return broken_link_text(self.path, (must, cannot))

    def __repr__(self) -> str:
        return f"<Contradiction: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the links in the order of the path, the cannot-link last.

        Examples
        --------
        >>> pairs = PairwiseConstraints.from_labels([("a", "b")], [("a", "b")])
        >>> find_contradictions(pairs)[0].to_dict()["links"][1]
        {'a': 'a', 'b': 'b', 'link': 'cannot', 'source': None, 'line': None}
        """
        steps = [*zip(self.path[:-1], self.path[1:], strict=True), self.cannot_link]
        links = [
            {
                "a": a,
                "b": b,
                "link": "must" if k < len(self.path) - 1 else "cannot",
                "source": None if origin is None else origin.source,
                "line": None if origin is None else origin.number,
            }
            for k, ((a, b), origin) in enumerate(zip(steps, self.origins, strict=True))
        ]
        return {"path": list(self.path), "links": links}


def find_contradictions(pairs: PairwiseConstraints, k: int | None = None) -> list[Contradiction]:
    """Find the cannot-links that must-links violate, each with a shortest path of must-links that does.

    Parameters
    ----------
    pairs : PairwiseConstraints
        Every pair counts as certain. Weights are not used.
    k : int, optional
        At most this many, the first in the order of ``pairs.cannot_link``. By default all.

    Returns
    -------
    list of Contradiction
        The shortest first, of equal ones in the order of their cannot-links. Empty if the pairs are consistent. Several
        may share must-links: one wrong must-link can violate many cannot-links, and dropping it resolves all of them.

    See Also
    --------
    PairwiseConstraints.is_consistent : whether there are any.
    PairwiseConstraints.closure : raises an error for one of them.
    PairwiseConstraints.overruled : pairs to drop, by weights.

    Notes
    -----
    A breadth-first search from each leaf at which some of them start: O(c (n + p)) for c such leaves, n leaves and p
    must-links.

    Examples
    --------
    >>> pairs = PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("a", "c"), ("b", "c"), ("a", "d")])
    >>> [c.path for c in find_contradictions(pairs)]
    [('b', 'c'), ('a', 'b', 'c')]
    """
    rows = np.flatnonzero(check_pairs(pairs)._closed[1])
    if k is not None:
        rows = rows[: check_count(k, "k")]
    found = []
    paths = paths_between(pairs.must_link, pairs.cannot_link[rows], len(pairs.leaves))
    for row, path in zip(rows.tolist(), paths, strict=True):
        steps = np.sort(np.stack([path[:-1], path[1:]], axis=1), axis=1)
        must = find_rows(steps, pairs.must_link)
        read = [None if pairs.must_origins is None else pairs.must_origins[r] for r in must.tolist()]
        broke = None if pairs.cannot_origins is None else pairs.cannot_origins[row]
        labels = tuple(pairs.leaves[i] for i in path)
        found.append(Contradiction(labels, pairs.subset(must_link=must, cannot_link=[row]), (*read, broke)))
    return sorted(found, key=len)
