"""The terms and edges of an ontology, and the questions that they answer by themselves; the base of `Ontology`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._dag import (
    checked_edges,
    checked_relations,
    checked_terms,
    checked_texts,
    first_edges,
    first_pairs,
    links,
)
from tripletree._kernels import freeze, frozen
from tripletree._parents import scrambled
from tripletree.leaves import LeafIndex

__all__ = ["Terms"]


class Terms:
    """A rooted graph of terms; see `Ontology`."""

    def __init__(
        self,
        terms: LeafIndex | Iterable[Hashable],
        edges: Any,
        *,
        names: Sequence[str | None] | None = None,
        ranks: Sequence[str | None] | None = None,
        relations: Sequence[str] | None = None,
    ) -> None:
        self.terms: LeafIndex = checked_terms(terms)
        N = len(self.terms)
        rows = checked_edges(edges, self.terms)
        codes, self._kinds = checked_relations(relations, len(rows))
        self.names: tuple[str | None, ...] | None = checked_texts(names, "names", N)
        self.ranks: tuple[str | None, ...] | None = checked_texts(ranks, "ranks", N)
        pairs, first = rows, first_pairs(rows, N)
        if not first.all():
            keep = first if len(self._kinds) == 1 else first_edges(rows, codes, N, len(self._kinds))
            pairs, rows, codes = rows[first], rows[keep], codes[keep]
        self.edges: np.ndarray = frozen(rows)
        self._codes = freeze(codes)
        self._links = links(pairs, self.terms)

    @property
    def n_terms(self) -> int:
        """Number of terms."""
        return len(self.terms)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The type of each edge."""
        return tuple(map(self._kinds.__getitem__, self._codes.tolist()))

    @cached_property
    def n_parents(self) -> np.ndarray:
        """Number of different parents of each term: int32, shape (N,)."""
        return freeze(np.diff(self._links.up_start))

    @cached_property
    def leaves(self) -> LeafIndex:
        """The terms without children, in the order of the terms."""
        return self.terms.take(np.diff(self._links.down_start) == 0)

    @cached_property
    def roots(self) -> list[Any]:
        """The terms without parents, in the order of the terms."""
        return self._ids(np.flatnonzero(self.n_parents == 0))

    @cached_property
    def multi_parent(self) -> list[Any]:
        """The terms with several parents, in the order of the terms."""
        return self._ids(np.flatnonzero(self.n_parents > 1))

    def _ids(self, positions: np.ndarray) -> list[Any]:
        labels = self.terms.labels
        return [labels[t] for t in positions.tolist()]

    def _place(self, term: Hashable) -> int:
        return int(self.terms.indices([term], what="terms")[0])

    def name(self, term: Hashable) -> str | None:
        """The human name of a term, None where it has none.

        Examples
        --------
        >>> from tripletree.ontology import Ontology
        >>> Ontology(["GO:0008150"], [], names=["biological_process"]).name("GO:0008150")
        'biological_process'
        """
        t = self._place(term)
        return None if self.names is None else self.names[t]

    def parents(self, term: Hashable) -> list[Any]:
        """The parents of a term, in the order of the edges."""
        t, start = self._place(term), self._links.up_start
        return self._ids(self._links.up[start[t] : start[t + 1]])

    def children(self, term: Hashable) -> list[Any]:
        """The children of a term, in the order of the edges."""
        t, start = self._place(term), self._links.down_start
        return self._ids(self._links.down[start[t] : start[t + 1]])

    def ancestors(self, term: Hashable) -> list[Any]:
        """All terms above a term, without itself, children before parents.

        Examples
        --------
        >>> from tripletree.ontology import Ontology
        >>> Ontology("r a b x".split(), [(1, 0), (2, 0), (3, 1), (3, 2)]).ancestors("x")
        ['b', 'a', 'r']
        """
        t = self._place(term)
        above = _kernels.dag.reached(self._links.up_start, self._links.up, frozen([t]))
        above[t] = False
        return self._ids(self._links.order[above[self._links.order]][::-1])

    def descendants(self, term: Hashable) -> list[Any]:
        """All terms below a term, without itself, parents before children.

        Examples
        --------
        >>> from tripletree.ontology import Ontology
        >>> Ontology("r a b x".split(), [(1, 0), (2, 0), (3, 1), (3, 2)]).descendants("b")
        ['x']
        """
        t = self._place(term)
        below = _kernels.dag.reached(self._links.down_start, self._links.down, frozen([t]))
        below[t] = False
        return self._ids(self._links.order[below[self._links.order]])

    @cached_property
    def _keys(self) -> np.ndarray:
        """The edges as numbers, in increasing order; equal types have equal numbers only within one ontology."""
        return np.sort(self._edge_keys(np.arange(self.n_terms), self._kinds))

    def _edge_keys(self, number: np.ndarray, kinds: Sequence[str]) -> np.ndarray:
        """Each edge as one number, its terms renumbered, its type by its place in `kinds`."""
        place = {kind: k for k, kind in enumerate(kinds)}
        code = np.array([place.get(kind, -1) for kind in self._kinds], np.int64)[self._codes]
        child, parent = number[self.edges].T.astype(np.int64)
        return (child * self.n_terms + parent) * len(kinds) + code

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Terms):
            return NotImplemented
        if self is other:
            return True
        if self.n_terms != other.n_terms or len(self.edges) != len(other.edges):
            return False
        if set(other.relations) != set(self.relations):
            return False
        number = np.arange(self.n_terms)
        if self.terms != other.terms:
            if any(x not in self.terms for x in other.terms):
                return False
            number = self.terms.indices(other.terms)
        return bool(np.array_equal(self._keys, np.sort(other._edge_keys(number, self._kinds))))

    @cached_property
    def _hash(self) -> int:
        # sums of scrambled hashes, of the terms and of the edges: no order matters
        term = scrambled(np.fromiter((hash(x) & 0xFFFFFFFFFFFFFFFF for x in self.terms), np.uint64, self.n_terms))
        kind = np.array([hash(x) & 0xFFFFFFFFFFFFFFFF for x in self._kinds], np.uint64)[self._codes]
        child, parent = term[self.edges].T
        edges = scrambled(scrambled(scrambled(kind) + parent) + child)
        return int(term.sum(dtype=np.uint64)) + int(edges.sum(dtype=np.uint64))

    def __hash__(self) -> int:
        return hash((self.n_terms, len(self.edges), self._hash))


# people know these methods as those of Ontology: so do error messages about arguments, and pickle
for _method in [x for x in vars(Terms).values() if isinstance(x, FunctionType)]:
    _method.__module__, _method.__qualname__ = "tripletree.ontology", f"Ontology.{_method.__name__}"
