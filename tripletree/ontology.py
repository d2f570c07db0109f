"""Ontology: an immutable rooted graph of terms in which a term may have several parents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, partial
from math import comb
from typing import Any, Literal

import numpy as np

from tripletree import _kernels
from tripletree._dag import Numbered, numbered
from tripletree._dominance import Dominance
from tripletree._items import UNKNOWN_NODES, item_pairs
from tripletree._kernels import freeze, frozen
from tripletree._parents import displayed_count, restricted
from tripletree._terms import Terms
from tripletree.errors import (
    SHOWN,
    DuplicateLeafError,
    InvalidHierarchyError,
    NotATreeError,
    UnknownLeafError,
)
from tripletree.hierarchy import Hierarchy
from tripletree.leaves import LeafIndex

__all__ = ["Ontology"]

_CHOICES = ("deepest", "first", "smallest", "error")


class Ontology(Terms):
    """An immutable rooted graph whose terms may have several parents, such as Gene Ontology or WordNet.

    What it says of its leaf terms can be read in two ways, both explicit. The *certain* reading takes ab|c only where
    every choice of one parent for each term displays it: `induce`, `sample_triplets`, `displays` and `decompose` do so
    when they are given an Ontology. `to_hierarchy` takes one tree, with one parent for each term, as a Hierarchy.

    Parameters
    ----------
    terms : LeafIndex or iterable of hashable
        Ids of all N terms, leaf terms and inner ones alike; at least one.
    edges : array_like of int, shape (m, 2)
        Rows (child, parent), positions in `terms`. An edge that is repeated counts once.
    names, ranks : sequence of str or None, length N, optional
        A name for people to read, and a rank such as "genus", for each term.
    relations : sequence of str, length m, optional
        The type of each edge; by default all are "is_a".

    Attributes
    ----------
    terms : LeafIndex
    edges : ndarray of int32, shape (m, 2)
        Without repeats, in the order given.
    names, ranks : tuple of (str or None), or None

    Raises
    ------
    InvalidHierarchyError
        If the edges run in a cycle (its terms are named), lead from a term to itself or to none, or if a sequence does
        not fit; ``.node`` is a term's position.
    DuplicateLeafError
        If a term is given twice.

    Notes
    -----
    ``==`` holds when both have the same terms and the same edges of the same types, in whatever order; names and ranks
    do not count. `hash` agrees with it. Several roots are fine.

    Examples
    --------
    >>> o = Ontology(["thing", "pet", "fish", "cat", "goldfish"], [(1, 0), (2, 0), (3, 1), (4, 1), (4, 2)])
    >>> o
    <Ontology: 5 terms, 2 leaves, 1 root, 1 term with several parents>
    >>> o.parents("goldfish")
    ['pet', 'fish']
    """

    def select(self, *, relations: str | Iterable[str] | None = None, root: Any = None) -> Ontology:
        """Return the ontology of some types of edges, or of the terms at or below some term, or of both.

        Parameters
        ----------
        relations : str or iterable of str, optional
            The types of edges to keep. All terms stay; one that loses all of its edges is a root and a leaf.
        root : hashable or iterable of hashable, optional
            A term, or several: what is neither one of them nor below one, by the edges kept, goes.

        Returns
        -------
        Ontology

        Raises
        ------
        UnknownLeafError
            If a root is no term; ``.labels`` holds all that are none.
        ValueError
            If a type does not occur.

        Examples
        --------
        >>> o = Ontology("r a b x".split(), [(1, 0), (2, 0), (3, 1), (3, 2)], relations=["is_a"] * 3 + ["part_of"])
        >>> o.select(relations="is_a").to_hierarchy()
        <Hierarchy: 2 leaves, 2 inner nodes, up to 2 children, unary nodes, depth 2>
        >>> list(o.select(root="b").terms)
        ['b', 'x']
        """
        out = self
        if relations is not None:
            wanted = [relations] if isinstance(relations, str) else list(relations)
            used = [self._kinds[k] for k in np.unique(self._codes).tolist()]
            unknown = [x for x in wanted if x not in used]
            if unknown:
                msg = f"no edge is of type {', '.join(map(repr, unknown))}; the types are {', '.join(map(repr, used))}"
                raise ValueError(msg)
            out = self._part(None, np.isin(self._codes, [self._kinds.index(x) for x in wanted]))
        if root is not None:
            at = frozen(self.terms.indices(self._listed(root), what="roots"))
            below = _kernels.dag.reached(out._links.down_start, out._links.down, at)
            out = out._part(np.flatnonzero(below), below[out.edges[:, 1]])
        return out

    def _listed(self, value: Any) -> list[Any]:
        """One id, or some of them, as a list: a tuple that is a term is one id."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            return [value]
        return [value] if isinstance(value, Hashable) and value in self.terms else list(value)

    def _part(self, terms: np.ndarray | None, edge: np.ndarray) -> Ontology:
        """The ontology on the terms at some positions, in that order (None: all), and edges between them (a mask)."""
        relations = [self._kinds[k] for k in self._codes[edge].tolist()]
        if terms is None:
            return Ontology(self.terms, self.edges[edge], names=self.names, ranks=self.ranks, relations=relations)
        number = np.full(self.n_terms, -1, np.int32)
        number[terms] = np.arange(terms.size, dtype=np.int32)
        names, ranks = ([x[t] for t in terms.tolist()] if x is not None else None for x in (self.names, self.ranks))
        return Ontology(self.terms.take(terms), number[self.edges[edge]], names=names, ranks=ranks, relations=relations)

    def attach(self, items: Any, *, missing: Literal["raise", "ignore"] = "raise", relation: str = "is_a") -> Ontology:
        """Return the ontology with one's own items as new leaf terms below its terms, inner ones too.

        Parameters
        ----------
        items : mapping, Series, DataFrame or iterable of pairs
            The term of each item, or a list of the terms that it belongs to. A pandas Series has the items as its
            index; a DataFrame has two columns, the item and its term. An item may occur several times.
        missing : {"raise", "ignore"}
            What to do about terms that are unknown here, and about items without one: refuse, or leave them out.
        relation : str
            The type of the new edges.

        Returns
        -------
        Ontology
            The items stand after the terms. Terms without items stay; `restrict` drops them.

        Raises
        ------
        UnknownLeafError
            If some terms of items are none here, or, with ``missing="ignore"``, all; ``.labels`` holds them.
        DuplicateLeafError
            If an item has the id of a term.
        InvalidHierarchyError
            If an item has no term.

        Examples
        --------
        >>> o = Ontology("animal pet fish".split(), [(1, 0), (2, 0)])
        >>> mine = o.attach({"Tom": "pet", "Nemo": ["pet", "fish"], "Moby": "animal"}).restrict(["Tom", "Nemo"])
        >>> mine.leaves, mine.parents("Nemo")
        (LeafIndex(['Tom', 'Nemo']), ['pet', 'fish'])
        """
        below, above = item_pairs(items, self.terms, missing=missing, noun="term")
        known = [k for k, x in enumerate(above) if x in self.terms]
        if len(known) < len(above) and (missing == "raise" or not known):
            unknown = list(dict.fromkeys(x for x in above if x not in self.terms))
            what = "terms that items are mapped to"
            raise UnknownLeafError(unknown, self.terms.labels, what=what, hint=UNKNOWN_NODES[missing])
        below, above = [below[k] for k in known], [above[k] for k in known]
        number = {x: self.n_terms + k for k, x in enumerate(dict.fromkeys(below))}
        taken = [x for x in number if x in self.terms]
        if taken:
            where = " (as an item to attach and as a term; attach the item under another name)"
            raise DuplicateLeafError(taken, where=where)
        child = np.fromiter(map(number.__getitem__, below), np.int32, len(below))
        none = [None] * len(number)
        return Ontology(
            [*self.terms, *number],
            np.concatenate([self.edges, np.stack([child, self.terms.indices(above)], axis=1)]),
            names=None if self.names is None else [*self.names, *none],
            ranks=None if self.ranks is None else [*self.ranks, *none],
            relations=[*self.relations, *[relation] * len(above)],
        )

    def restrict(self, items: Iterable[Hashable]) -> Ontology:
        """Return the ontology of some leaf terms and of what is above them.

        Parameters
        ----------
        items : iterable of hashable
            The leaf terms to keep, one's own items for instance; the result has them first, in this order.

        Returns
        -------
        Ontology
            Its ``.leaves`` are the items. It says of any three of them what this ontology says.

        Raises
        ------
        UnknownLeafError
            If an item is no term; ``.labels`` holds all that are none.
        DuplicateLeafError
            If an item is given twice.
        InvalidHierarchyError
            If an item is an inner term, or no item is given.
        TypeError
            If `items` is one string.

        Examples
        --------
        >>> o = Ontology("animal pet fish cat cod".split(), [(1, 0), (2, 0), (3, 1), (4, 2)])
        >>> list(o.restrict(["cod"]).terms)
        ['cod', 'animal', 'fish']
        """
        if isinstance(items, str):
            msg = f"a list of items is wanted, not the text {items!r}: restrict([{items!r}]) keeps that one"
            raise TypeError(msg)
        kept = items if isinstance(items, LeafIndex) else LeafIndex(items)
        if len(kept) == 0:
            msg = "no item is given: an ontology needs at least one term"
            raise InvalidHierarchyError(msg)
        at = self.terms.indices(kept, what="items")
        inner = at[np.diff(self._links.down_start)[at] > 0]
        if inner.size:
            shown = ", ".join(map(repr, self._ids(inner[:SHOWN]))) + (", ..." if inner.size > SHOWN else "")
            msg = (
                f"{inner.size} of the items are inner terms, with terms below them: {shown}; an item must be a leaf: "
                f"hang it there under a name of its own first, such as attach({{'my item': {self.terms[inner[0]]!r}}})"
            )
            raise InvalidHierarchyError(msg, node=int(inner[0]))
        above = _kernels.dag.reached(self._links.up_start, self._links.up, frozen(at))
        edge = above[self.edges[:, 0]]
        above[at] = False
        return self._part(np.concatenate([at, np.flatnonzero(above)]), edge)

    @cached_property
    def _numbered(self) -> Numbered:
        return numbered(self._links)

    @cached_property
    def _dominance(self) -> Dominance:
        return Dominance(self._numbered, len(self.leaves))

    def to_hierarchy(self, *, parent: str = "error", labels: str = "id") -> Hierarchy:
        """Take one tree: one parent for each term.

        Parameters
        ----------
        parent : {"error", "deepest", "first", "smallest"}
            Which parent counts where a term has several: the one farthest from a root by its longest path, the one
            whose edge comes first, the one with the fewest leaf terms below it (the first of them where they tie in
            that); or none, and an error says where the choice begins.
        labels : {"id", "name"}
            Whether terms' ids or their names, where they have one, are the labels of the leaves and the names of the
            inner nodes.

        Returns
        -------
        Hierarchy
            Over the leaf terms. Nodes with one child stay; inner terms all of whose children have gone to other
            parents do not. Several roots get a node without a name above them.

        Raises
        ------
        NotATreeError
            If some term has several parents and `parent` is "error"; ``.node`` is the first, ``.parents`` its parents.
        DuplicateLeafError
            If `labels` is "name" and two leaf terms have one name.

        See Also
        --------
        resolution : how much each choice says.

        Examples
        --------
        >>> o = Ontology(["thing", "pet", "fish", "cat", "goldfish"], [(1, 0), (2, 0), (3, 1), (4, 1), (4, 2)])
        >>> tt.write_newick(o.to_hierarchy(parent="first"))
        '((cat,goldfish)pet)thing;'
        >>> o.to_hierarchy()
        Traceback (most recent call last):
        ...
        tripletree.errors.NotATreeError: term 'goldfish' has 2 parents: 'pet', 'fish'; choose with parent='deepest'...
        """
        if labels not in ("id", "name"):
            msg = f"labels is {labels!r}; it must be 'id' or 'name'"
            raise ValueError(msg)
        up, terms = self._spanning(parent)
        shown: Sequence[Any] = self.terms.labels
        leaves = self.leaves
        if labels == "name" and self.names is not None:
            shown = [x if name is None else name for x, name in zip(self.terms, self.names, strict=True)]
            try:
                leaves = LeafIndex([shown[t] for t in terms[: len(leaves)]])
            except DuplicateLeafError as error:
                raise DuplicateLeafError(error.labels, where=" as a name (take labels='id')") from None
        above = [None] * (up.size - len(terms))
        names = [*[str(shown[t]) for t in terms[len(leaves) :]], *above]
        ranks = None if self.ranks is None else [*[self.ranks[t] for t in terms], *above]
        return Hierarchy(up, leaves, names=names, ranks=ranks)

    def _spanning(self, parent: str) -> tuple[np.ndarray, list[int]]:
        """A parent array, leaf terms first, and the term of each of its nodes (of all but a root above several)."""
        chosen, numbers = self.chosen_parents(parent), self._numbered
        t, n = self.n_terms, len(self.leaves)
        up = np.full(numbers.size, -1, np.int32)
        above = chosen[numbers.term]
        up[:t] = np.where(above >= 0, numbers.number[above], numbers.size - 1)
        up[-1] = -1
        up, old, _ = restricted(freeze(up), n, np.arange(n, dtype=np.int32), True)
        if old[-1] == t and (up == up.size - 1).sum() == 1:  # of several roots one has kept all leaves
            up = np.append(up[:-2], np.int32(-1))
        return up, numbers.term[old[old < t]].tolist()

    def chosen_parents(self, parent: str) -> np.ndarray:
        """The parent that counts of each term, by a choice of `to_hierarchy`: its position, -1 for roots; int32."""
        if parent not in _CHOICES:
            msg = f"parent is {parent!r}; it must be one of {', '.join(map(repr, _CHOICES))}"
            raise ValueError(msg)
        several = np.flatnonzero(self.n_parents > 1)
        score = np.zeros(self.n_terms, np.int64)
        if several.size and parent == "error":
            self._refuse(several)
        elif parent == "deepest":
            score = self._links.level.astype(np.int64)
        elif several.size and parent == "smallest":
            rivals = np.unique(self._links.up[np.repeat(self.n_parents > 1, self.n_parents)])
            score[rivals] = -self._dominance.leaf_counts(self._numbered.number[rivals])
        return _kernels.dag.best_parent(self._links.up_start, self._links.up, freeze(score))

    def _refuse(self, several: np.ndarray) -> None:
        node = self.terms[int(several[0])]
        above = self.parents(node)
        shown = ", ".join(map(repr, above[:5])) + (", ..." if len(above) > 5 else "")
        more = f" (and {several.size - 1:,} more have several)" if several.size > 1 else ""
        msg = (
            f"term {node!r} has {len(above)} parents: {shown}{more}; choose with parent='deepest', 'first' or "
            "'smallest', or read triplets off the Ontology itself: those that hold whatever the choice"
        )
        raise NotATreeError(msg, node=node, parents=above)

    def resolution(self) -> dict[str, float]:
        """Tell how much each way to read this ontology says: the share of all triples of leaf terms that it resolves.

        Returns
        -------
        dict
            The share for "certain", what holds whatever parents are chosen, and for each choice of `to_hierarchy`:
            exact, and the first never more than the others.

        Raises
        ------
        ValueError
            If there are fewer than three leaf terms.

        Examples
        --------
        >>> o = Ontology("r a b x y z".split(), [(1, 0), (2, 0), (3, 1), (4, 1), (4, 2), (5, 2)])
        >>> o.resolution()
        {'certain': 0.0, 'deepest': 1.0, 'first': 1.0, 'smallest': 1.0}
        """
        n = len(self.leaves)
        if n < 3:
            msg = f"{n} leaf term{' is' if n == 1 else 's are'} too few: three are wanted for a triplet"
            raise ValueError(msg)
        count = {"certain": self._dominance.count()}
        for parent in ("deepest", "first", "smallest"):
            count[parent] = displayed_count(self._spanning(parent)[0], n)
        return {reading: k / comb(n, 3) for reading, k in count.items()}

    def __reduce__(self) -> Any:
        values = {"names": self.names, "ranks": self.ranks, "relations": self.relations}
        return partial(Ontology, self.terms, self.edges, **values), ()  # type: ignore[arg-type]

    def __repr__(self) -> str:
        several = len(self.multi_parent)
        counts = [(self.n_terms, "term"), (len(self.leaves), "leaf"), (len(self.roots), "root"), (several, "term")]
        words = [f"{k} {'leaves' if word == 'leaf' else word + 's'}" if k != 1 else f"1 {word}" for k, word in counts]
        return f"<Ontology: {', '.join(words)} with several parents>"
