"""Ontology: an immutable rooted graph of terms, which may have several parents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from math import comb
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.core.certain import CertainTriplets
from tripletree.core.checks import check_choice, check_entries
from tripletree.core.hierarchy import (
    Hierarchy,
    by_own_label,
    check_synonyms,
    known_as,
    known_synonyms,
    node_mask,
    tell_synonyms,
)
from tripletree.core.immutable import Immutable, cached, fixed
from tripletree.core.items import UNKNOWN_NODES, item_pairs
from tripletree.core.leaves import LeafIndex
from tripletree.core.parents import displayed_count, exact_dot, restricted, scrambled, sibling_pairs
from tripletree.core.paths import terms_by_path
from tripletree.errors import (
    SHOWN,
    DuplicateLeafError,
    InvalidHierarchyError,
    LimitExceededError,
    NotATreeError,
    UnknownLeafError,
)

#: Ways to choose one parent of a term that has several, as `Ontology.to_hierarchy` takes them.
_CHOICES = ("deepest", "first", "smallest", "error")


class Ontology(Immutable):
    """An immutable rooted graph in which a term may have several parents, such as Gene Ontology or WordNet.

    There are two ways to get triplets from it. `induce`, `sample_triplets`, `displays` and `decompose` take an Ontology
    as it is and use the *certain* triplets: each ab|c that is displayed whatever one parent is chosen for each term.
    `to_hierarchy` makes such a choice and returns the tree as a Hierarchy.

    Parameters
    ----------
    terms : LeafIndex or iterable of hashable
        Ids of all N terms, leaf terms and inner terms. At least one.
    edges : array_like of int, shape (m, 2)
        Rows (child, parent), positions in `terms`. Repeated edges count once.
    names, ranks : sequence of str or None, length N, optional
        A human-readable name, and a rank such as "genus", for each term.
    relations : sequence of str, length m, optional
        The type of each edge. By default all are "is_a".
    incertae_sedis : array_like of bool, shape (N,), or of int, optional
        The *open* terms, as a mask or by their positions. An open term is known to be at or below its parents, no
        more. `attach` makes items of inner terms open, `contract` terms below a term that is not a taxon. An open term
        without parents, one of several, may be anywhere.
    synonyms : mapping of str to hashable, optional
        Other names and ids of terms: each with the id of its term. `attach` and `restrict` take them.

    Attributes
    ----------
    terms : LeafIndex
    edges : ndarray of int32, shape (m, 2)
        Without repeats, in the order given.
    names, ranks : tuple of (str or None), or None
    incertae_sedis : ndarray of bool, shape (N,), or None
        None if no term is open.
    synonyms : mapping
        Read-only, empty if there are no other names.

    Raises
    ------
    InvalidHierarchyError
        If the edges have a cycle (the message lists its terms), join a term to itself or to no term, or if a sequence
        has the wrong length. ``.node`` is the position of a term.

    Notes
    -----
    Two ontologies are equal when they have the same terms, the same open terms, and the same edges of the same
    types, in any order. Names and ranks do not count. `hash` agrees with ``==``. There may be several roots.

    Certain triplets never have one too many. They are all that hold in every reading if each term has one parent, or if
    only leaf terms are open. If an inner term is open and some term has several parents, each leaf below the open
    term is taken for open by itself, so that a few triplets within the open term may be missing.

    Examples
    --------
    >>> o = Ontology(["thing", "pet", "fish", "cat", "goldfish"], [(1, 0), (2, 0), (3, 1), (4, 1), (4, 2)])
    >>> o
    <Ontology: 5 terms, 2 leaves, 1 root, 1 term with several parents>
    >>> o.parents("goldfish")
    ['pet', 'fish']
    """

    __slots__ = ()
    _how = "make another with Ontology(...), select or attach"

    terms: LeafIndex = fixed()
    edges: np.ndarray = fixed()
    names: tuple[str | None, ...] | None = fixed()
    ranks: tuple[str | None, ...] | None = fixed()
    incertae_sedis: np.ndarray | None = fixed()
    synonyms: Mapping[str, Any] = fixed()
    _codes: np.ndarray = fixed()
    _kinds: tuple[str, ...] = fixed()
    _links: _Links = fixed()

    def __init__(
        self,
        terms: LeafIndex | Iterable[Hashable],
        edges: Any,
        *,
        names: Sequence[str | None] | None = None,
        ranks: Sequence[str | None] | None = None,
        relations: Sequence[str] | None = None,
        incertae_sedis: Any = None,
        synonyms: Mapping[str, Any] | None = None,
    ) -> None:
        index = _check_terms(terms)
        N = len(index)
        rows = _check_edges(edges, index)
        codes, kinds = _check_relations(relations, len(rows))
        called, ranked = _check_texts(names, "names", N), _check_texts(ranks, "ranks", N)
        pairs, first = rows, _first_pairs(rows, N)
        if not first.all():
            keep = first if len(kinds) == 1 else _first_edges(rows, codes, N, len(kinds))
            pairs, rows, codes = rows[first], rows[keep], codes[keep]
        links = _links(pairs, index)
        self._hold(
            terms=index,
            edges=frozen(rows),
            names=called,
            ranks=ranked,
            incertae_sedis=_open_terms(incertae_sedis, links, index),
            synonyms=check_synonyms(synonyms, index, None),
            _codes=freeze(codes),
            _kinds=kinds,
            _links=links,
        )

    @property
    def n_terms(self) -> int:
        """Number of terms."""
        return len(self.terms)

    @cached
    def relations(self) -> tuple[str, ...]:
        """Return the type of each edge."""
        return tuple(map(self._kinds.__getitem__, self._codes.tolist()))

    @cached
    def n_parents(self) -> np.ndarray:
        """Number of different parents of each term: int32, shape (N,)."""
        return freeze(np.diff(self._links.up_start))

    @cached
    def leaves(self) -> LeafIndex:
        """Return the terms without children, in the order of the terms."""
        return self.terms.take(np.diff(self._links.down_start) == 0)

    @cached
    def roots(self) -> list[Any]:
        """Return the terms without parents, in the order of the terms."""
        return self._ids(np.flatnonzero(self.n_parents == 0))

    @cached
    def multi_parent(self) -> list[Any]:
        """Return the terms with several parents, in the order of the terms."""
        return self._ids(np.flatnonzero(self.n_parents > 1))

    def _ids(self, positions: np.ndarray) -> list[Any]:
        labels = self.terms.labels
        return [labels[t] for t in positions.tolist()]

    def _place(self, term: Hashable) -> int:
        return int(self.terms.indices([term], what="terms")[0])

    def name(self, term: Hashable) -> str | None:
        """Return the human-readable name of a term, or None.

        Examples
        --------
        >>> Ontology(["GO:0008150"], [], names=["biological_process"]).name("GO:0008150")
        'biological_process'
        """
        t = self._place(term)
        return None if self.names is None else self.names[t]

    def parents(self, term: Hashable) -> list[Any]:
        """Return the parents of a term, in the order of the edges."""
        t, start = self._place(term), self._links.up_start
        return self._ids(self._links.up[start[t] : start[t + 1]])

    def children(self, term: Hashable) -> list[Any]:
        """Return the children of a term, in the order of the edges."""
        t, start = self._place(term), self._links.down_start
        return self._ids(self._links.down[start[t] : start[t + 1]])

    def ancestors(self, term: Hashable) -> list[Any]:
        """Return all terms above a term, without itself, children before parents.

        Examples
        --------
        >>> Ontology("r a b x".split(), [(1, 0), (2, 0), (3, 1), (3, 2)]).ancestors("x")
        ['b', 'a', 'r']
        """
        t = self._place(term)
        above = engine.ontology.reached(self._links.up_start, self._links.up, frozen([t]))
        above[t] = False
        return self._ids(self._links.order[above[self._links.order]][::-1])

    def descendants(self, term: Hashable) -> list[Any]:
        """Return all terms below a term, without itself, parents before children.

        Examples
        --------
        >>> Ontology("r a b x".split(), [(1, 0), (2, 0), (3, 1), (3, 2)]).descendants("b")
        ['x']
        """
        t = self._place(term)
        below = engine.ontology.reached(self._links.down_start, self._links.down, frozen([t]))
        below[t] = False
        return self._ids(self._links.order[below[self._links.order]])

    # ------------------------------------------------------------------ other ontologies made from this one

    def select(self, *, relations: str | Iterable[str] | None = None, root: Any = None) -> Ontology:
        """Return the ontology with some types of edges only, or with the terms at or below some term only, or both.

        Parameters
        ----------
        relations : str or iterable of str, optional
            The types of edges to keep. All terms stay. One that loses all its edges becomes a root and a leaf.
        root : hashable or iterable of hashable, optional
            One or several terms. They and the terms below them, by the edges kept, stay.

        Returns
        -------
        Ontology

        Raises
        ------
        UnknownLeafError
            If a root is not a term. ``.labels`` lists all such.

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
            kept = [relations] if isinstance(relations, str) else list(relations)
            used = [self._kinds[k] for k in np.unique(self._codes).tolist()]
            unknown = [x for x in kept if x not in used]
            if unknown:
                msg = f"no edge is of type {', '.join(map(repr, unknown))}; the types are {', '.join(map(repr, used))}"
                raise ValueError(msg)
            out = self._part(None, np.isin(self._codes, [self._kinds.index(x) for x in kept]))
        if root is not None:
            at = frozen(self.terms.indices(self._listed(root), what="roots"))
            below = engine.ontology.reached(out._links.down_start, out._links.down, at)
            out = out._part(np.flatnonzero(below), below[out.edges[:, 1]])
        return out

    def _listed(self, value: Any) -> list[Any]:
        """Return one id or several as a list. A tuple that is itself a term is one id."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            return [value]
        return [value] if isinstance(value, Hashable) and value in self.terms else list(value)

    def _part(self, terms: np.ndarray | None, edge: np.ndarray) -> Ontology:
        """Return the ontology on the terms at some positions, in that order (None: all), and some edges (a mask)."""
        relations = [self._kinds[k] for k in self._codes[edge].tolist()]
        if terms is None:
            values = {**self._values(), "relations": relations}
            if self.incertae_sedis is not None:
                up = np.bincount(self.edges[edge, 0], minlength=self.n_terms)
                values["incertae_sedis"] = _still_open(self.incertae_sedis, self.n_parents, up)
            return Ontology(self.terms, self.edges[edge], **values)
        number = np.full(self.n_terms, -1, np.int32)
        number[terms] = np.arange(terms.size, dtype=np.int32)
        names, ranks = ([x[t] for t in terms.tolist()] if x is not None else None for x in (self.names, self.ranks))
        edges, opened = number[self.edges[edge]], None
        if self.incertae_sedis is not None:
            up = np.bincount(edges[:, 0], minlength=terms.size)
            opened = _still_open(self.incertae_sedis[terms], self.n_parents[terms], up)
        index = self.terms.take(terms)
        other = known_synonyms(self.synonyms, index, None)
        return Ontology(
            index, edges, names=names, ranks=ranks, relations=relations, incertae_sedis=opened, synonyms=other
        )

    @property
    def open_leaves(self) -> list[Any]:
        """The open leaf terms, in the order of the terms.

        Examples
        --------
        >>> Ontology(["oak", "robur", "some oak"], [(1, 0), (2, 0)], incertae_sedis=[2]).open_leaves
        ['some oak']
        """
        if self.incertae_sedis is None:
            return []
        return self._ids(np.flatnonzero(self.incertae_sedis & (np.diff(self._links.down_start) == 0)))

    def contract(self, terms: Any) -> Ontology:
        """Remove inner terms that are not taxa, such as "unclassified beetles". Their children become open.

        Parameters
        ----------
        terms : iterable of hashable, or array_like of bool, shape (N,)
            The inner terms to remove, by their ids or as a mask. Each has a parent.

        Returns
        -------
        Ontology
            On the same leaf terms. A child of a removed term gets the nearest terms above it that stay as parents. It
            is open there, as nothing is known of it but that it is below them. The id of a removed term that has one
            such term above it becomes another name (`synonyms`) of that one.

        Examples
        --------
        >>> from tripletree import count_triplets
        >>> o = Ontology(["oak", "uncultured", "x", "y", "robur"], [(1, 0), (2, 1), (3, 1), (4, 0)])
        >>> count_triplets(o), count_triplets(o.contract(["uncultured"]))
        (1, 0)
        >>> o.contract(["uncultured"]).open_leaves
        ['x', 'y']
        """
        gone = self._to_contract(terms)
        above = self._stay_above(gone)
        child, parent = self.edges.T
        far = gone[parent] & ~gone[child]
        size = np.ones(len(self.edges), np.int64)
        size[far] = [above[p].size for p in parent[far].tolist()]
        row = np.repeat(np.arange(len(self.edges)), size)
        up = parent[row]
        if far.any():
            up[far[row]] = np.concatenate([above[p] for p in parent[far].tolist()])
        opened = np.zeros(self.n_terms, np.bool_) if self.incertae_sedis is None else self.incertae_sedis.copy()
        opened[child[far]] = True
        kept = ~gone[child[row]]
        at = np.flatnonzero(~gone)
        number = np.cumsum(~gone) - 1
        row, up = row[kept], up[kept]
        index = self.terms.take(at)
        names, ranks = (None if x is None else [x[t] for t in at.tolist()] for x in (self.names, self.ranks))
        meant = {self.terms[t]: self.terms[int(some[0])] for t, some in above.items() if some.size == 1}
        other = {x: meant.get(term, term) for x, term in self.synonyms.items()}
        other |= {x: term for x, term in meant.items() if isinstance(x, str)}
        return Ontology(
            index,
            np.column_stack([number[child[row]], number[up]]),
            names=names,
            ranks=ranks,
            relations=[self._kinds[k] for k in self._codes[row].tolist()],
            incertae_sedis=opened[at],
            synonyms=known_synonyms(other, index, None),
        )

    def _to_contract(self, terms: Any) -> np.ndarray:
        """Return the mask of the terms that `contract` removes."""
        if isinstance(terms, str):
            msg = f"expected a list of terms, got the text {terms!r}; contract([{terms!r}]) removes that one"
            raise TypeError(msg)
        if isinstance(terms, np.ndarray) and terms.dtype == np.bool_ and terms.shape == (self.n_terms,):
            gone = terms.copy()
        else:
            gone = np.zeros(self.n_terms, np.bool_)
            gone[self.terms.indices(terms, what="terms")] = True
        leaf = np.flatnonzero(gone & (np.diff(self._links.down_start) == 0))
        top = np.flatnonzero(gone & (self.n_parents == 0))
        if leaf.size:
            msg = f"term {self.terms[int(leaf[0])]!r} is a leaf term; restrict leaves it out"
            raise InvalidHierarchyError(msg, node=int(leaf[0]))
        if top.size:
            msg = f"term {self.terms[int(top[0])]!r} is a root, which stays"
            raise InvalidHierarchyError(msg, node=int(top[0]))
        return gone

    def _stay_above(self, gone: np.ndarray) -> dict[int, np.ndarray]:
        """Return for each term that goes the nearest terms above it that stay."""
        found: dict[int, np.ndarray] = {}
        start, up = self._links.up_start, self._links.up
        for t in self._links.order[gone[self._links.order]].tolist():  # parents before children
            own = up[start[t] : start[t + 1]]
            some = np.concatenate([found[p] if gone[p] else own[[k]] for k, p in enumerate(own.tolist())])
            found[t] = some[np.sort(np.unique(some, return_index=True)[1])] if some.size > 1 else some
        return found

    def attach(
        self, items: Any, *, missing: Literal["raise", "ignore"] = "raise", exact: bool = False, relation: str = "is_a"
    ) -> Ontology:
        """Attach items, such as samples, as new leaf terms below terms of any kind.

        Parameters
        ----------
        items : mapping, Series, DataFrame or iterable of pairs
            The term of each item, or a list of the terms that it belongs to. A pandas Series has the items as its
            index. A DataFrame has two columns, the item and its term. An item may occur several times.
        missing : {"raise", "ignore"}
            How to treat items that have no term, or an unknown one: raise an error, or leave them out.
        exact : bool
            By default an item of an inner term is *open*: it may be anywhere at or below that term. True says that such
            an item belongs to no child of the term.
        relation : str
            The type of the new edges.

        Returns
        -------
        Ontology
            The items come after the terms. Terms without items stay. `restrict` removes them.

        Raises
        ------
        UnknownLeafError
            If some terms of items (with ``missing="ignore"``: all) are unknown. ``.labels`` lists them.

        Examples
        --------
        >>> o = Ontology("animal pet fish".split(), [(1, 0), (2, 0)])
        >>> mine = o.attach({"Tom": "pet", "Nemo": ["pet", "fish"], "Moby": "animal"}).restrict(["Tom", "Nemo"])
        >>> mine.leaves, mine.parents("Nemo")
        (LeafIndex(['Tom', 'Nemo']), ['pet', 'fish'])
        """
        below, above = item_pairs(items, self.terms, missing=missing, noun="term")
        meant = {x: known_as(x, self.terms, self.synonyms) for x in dict.fromkeys(above) if x not in self.terms}
        tell_synonyms({x: y for x, y in meant.items() if x in self.synonyms and y in self.terms})
        above = [meant.get(x, x) for x in above]
        by_path = terms_by_path((x for x in above if x not in self.terms), self)
        above = [by_path[x][0] if len(by_path.get(x, ())) == 1 else x for x in above]
        known = [k for k, x in enumerate(above) if x in self.terms]
        if len(known) < len(above) and (missing == "raise" or not known):
            unknown = list(dict.fromkeys(x for x in above if x not in self.terms))
            what = "terms that items are mapped to"
            raise UnknownLeafError(unknown, self.terms.labels, what=what, hint=UNKNOWN_NODES[missing])
        below, above = [below[k] for k in known], [above[k] for k in known]
        number = {x: self.n_terms + k for k, x in enumerate(dict.fromkeys(below))}
        taken = [x for x in number if x in self.terms]
        if taken:
            where = " (as an item to attach and as a term; rename the item)"
            raise DuplicateLeafError(taken, where=where)
        child = np.fromiter(map(number.__getitem__, below), np.int32, len(below))
        none = [None] * len(number)
        parent = self.terms.indices(above)
        opened = np.zeros(self.n_terms + len(number), np.bool_)
        if self.incertae_sedis is not None:
            opened[: self.n_terms] = self.incertae_sedis
        if not exact:
            opened[child[np.diff(self._links.down_start)[parent] > 0]] = True
        return Ontology(
            [*self.terms, *number],
            np.concatenate([self.edges, np.stack([child, parent], axis=1)]),
            names=None if self.names is None else [*self.names, *none],
            ranks=None if self.ranks is None else [*self.ranks, *none],
            relations=[*self.relations, *[relation] * len(above)],
            incertae_sedis=opened,
            synonyms=known_synonyms(self.synonyms, LeafIndex([*self.terms, *number]), None),
        )

    def restrict(self, items: Iterable[Hashable]) -> Ontology:
        """Return the ontology of some leaf terms and the terms above them.

        Parameters
        ----------
        items : iterable of hashable
            The leaf terms to keep, such as attached items. The result has them first, in this order.

        Returns
        -------
        Ontology
            Its ``.leaves`` are the items, and the certain triplets on them are the same as in this ontology.

        Raises
        ------
        UnknownLeafError
            If an item is not a term. ``.labels`` lists all such.
        InvalidHierarchyError
            If an item is an inner term, or no item is given.

        Examples
        --------
        >>> o = Ontology("animal pet fish cat cod".split(), [(1, 0), (2, 0), (3, 1), (4, 2)])
        >>> list(o.restrict(["cod"]).terms)
        ['cod', 'animal', 'fish']
        """
        if isinstance(items, str):
            msg = f"expected a list of items, got the text {items!r}; restrict([{items!r}]) keeps that one"
            raise TypeError(msg)
        kept = items if isinstance(items, LeafIndex) else LeafIndex(items)
        if len(kept) == 0:
            msg = "items is empty; give at least one item"
            raise InvalidHierarchyError(msg)
        at = self.terms.indices(by_own_label(kept, self.terms, self.synonyms), what="items")
        inner = at[np.diff(self._links.down_start)[at] > 0]
        if inner.size:
            shown = ", ".join(map(repr, self._ids(inner[:SHOWN]))) + (", ..." if inner.size > SHOWN else "")
            msg = (
                f"{inner.size} of the items are inner terms, with terms below them: {shown}; items must be leaves: "
                f"attach them under new names first, such as attach({{'my item': {self.terms[inner[0]]!r}}})"
            )
            raise InvalidHierarchyError(msg, node=int(inner[0]))
        above = engine.ontology.reached(self._links.up_start, self._links.up, frozen(at))
        edge = above[self.edges[:, 0]]
        above[at] = False
        return self._part(np.concatenate([at, np.flatnonzero(above)]), edge)

    # ------------------------------------------------------------------ trees, and what they have in common

    @cached
    def _numbered(self) -> _Numbered:
        return _numbered(self._links)

    @cached
    def dominance(self) -> Dominance:
        """Return the triplets that hold for every choice of parents, as arrays for the algorithms."""
        if self.incertae_sedis is None:
            return self._shape
        if (self.incertae_sedis & (self.n_parents == 0)).any():
            return self._below_one().dominance
        pairs = _known_below(self._links, self.incertae_sedis)
        return Dominance(_with_places(self._numbered, self._links, *pairs), len(self.leaves))

    @cached
    def certain_tree(self) -> Hierarchy | None:
        """Return a tree with the same certain triplets, if terms are open and have one parent each. Else None."""
        if self.incertae_sedis is None or int(self.n_parents.max()) > 1:
            return None
        return self.to_hierarchy()

    def _below_one(self) -> Ontology:
        """Return the same with a further term, the last, above all that have no parents."""
        top, N = "top", self.n_terms
        while top in self.terms:
            top += "'"
        roots = np.flatnonzero(self.n_parents == 0)
        assert self.incertae_sedis is not None
        return Ontology(
            [*self.terms, top],
            np.concatenate([self.edges, np.column_stack([roots, np.full(roots.size, N)])]),
            incertae_sedis=np.append(self.incertae_sedis, False),
        )

    @cached
    def _shape(self) -> Dominance:
        """Return the same with each open term as a child of its parents and nowhere else."""
        return Dominance(self._numbered, len(self.leaves))

    def to_hierarchy(self, *, parent: str = "error", labels: str = "id") -> Hierarchy:
        """Make a tree by choosing one parent of each term.

        Parameters
        ----------
        parent : {"error", "deepest", "first", "smallest"}
            The parent of a term that has several: the one with the longest path from a root, the one of the first edge,
            or the one with the fewest leaf terms below it (ties: the first). "error" raises instead.
        labels : {"id", "name"}
            Names of leaves and inner nodes: the ids of their terms, or the names of the terms that have one.

        Returns
        -------
        Hierarchy
            On the leaf terms. Nodes with one child stay. Inner terms that lose all children to other parents are left
            out. Several roots get a nameless node above them.

        Raises
        ------
        NotATreeError
            If some term has several parents and `parent` is "error". ``.node`` is the first, ``.parents`` its parents.

        See Also
        --------
        resolution : the share of triples that each choice resolves.

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
        check_choice(labels, "labels", ("id", "name"))
        up, terms = self._spanning(parent)
        shown: Sequence[Any] = self.terms.labels
        leaves = self.leaves
        if labels == "name" and self.names is not None:
            shown = [x if name is None else name for x, name in zip(self.terms, self.names, strict=True)]
            try:
                leaves = LeafIndex([shown[t] for t in terms[: len(leaves)]])
            except DuplicateLeafError as error:
                raise DuplicateLeafError(error.labels, where=" as a name (use labels='id')") from None
        above = [None] * (up.size - len(terms))
        names = [*[str(shown[t]) for t in terms[len(leaves) :]], *above]
        ranks = None if self.ranks is None else [*[self.ranks[t] for t in terms], *above]
        opened = None
        if self.incertae_sedis is not None:
            opened = np.zeros(up.size, np.bool_)
            opened[: len(terms)] = self.incertae_sedis[terms]
            opened[-1] = False
        shown_names = dict(zip(self.terms, shown, strict=True)) if self.synonyms else {}
        other = {x: shown_names[term] for x, term in self.synonyms.items()}
        other = known_synonyms(other, leaves, names)
        return Hierarchy(up, leaves, names=names, ranks=ranks, incertae_sedis=opened, synonyms=other)

    def _spanning(self, parent: str) -> tuple[np.ndarray, list[int]]:
        """Return a parent array, leaf terms first, and the term of each node but an added root."""
        chosen, numbers = self.chosen_parents(parent), self._numbered
        t, n = self.n_terms, len(self.leaves)
        up = np.full(numbers.size, -1, np.int32)
        above = chosen[numbers.term]
        up[:t] = np.where(above >= 0, numbers.number[above], numbers.size - 1)
        up[-1] = -1
        up, old, _ = restricted(freeze(up), n, np.arange(n, dtype=np.int32), True)
        if old[-1] == t and (up == up.size - 1).sum() == 1:  # the added root has only one root left below it
            up = np.append(up[:-2], np.int32(-1))
        return up, numbers.term[old[old < t]].tolist()

    def chosen_parents(self, parent: str) -> np.ndarray:
        """Return the position of each term's chosen parent (see `to_hierarchy`), -1 for roots: int32."""
        check_choice(parent, "parent", _CHOICES)
        several = np.flatnonzero(self.n_parents > 1)
        score = np.zeros(self.n_terms, np.int64)
        if several.size and parent == "error":
            self._raise_not_a_tree(several)
        elif parent == "deepest":
            score = self._links.level.astype(np.int64)
        elif several.size and parent == "smallest":
            candidates = np.unique(self._links.up[np.repeat(self.n_parents > 1, self.n_parents)])
            score[candidates] = -self._shape.leaf_counts(self._numbered.number[candidates])
        return engine.ontology.best_parent(self._links.up_start, self._links.up, freeze(score))

    def _raise_not_a_tree(self, several: np.ndarray) -> None:
        node = self.terms[int(several[0])]
        above = self.parents(node)
        shown = ", ".join(map(repr, above[:5])) + (", ..." if len(above) > 5 else "")
        more = f" (and {several.size - 1:,} more have several)" if several.size > 1 else ""
        msg = (
            f"term {node!r} has {len(above)} parents: {shown}{more}; choose with parent='deepest', 'first' or "
            "'smallest', or pass the Ontology itself to induce, which takes the triplets that hold for every choice"
        )
        raise NotATreeError(msg, node=node, parents=above)

    def resolution(self) -> dict[str, float]:
        """Compute the share of all triples of leaf terms that each way of reading this ontology resolves.

        Returns
        -------
        dict
            The exact share for "certain" (triplets that hold for every choice of parents), and for each choice of
            `to_hierarchy`. The first is never larger than the others.

        Examples
        --------
        >>> o = Ontology("r a b x y z".split(), [(1, 0), (2, 0), (3, 1), (4, 1), (4, 2), (5, 2)])
        >>> o.resolution()
        {'certain': 0.0, 'deepest': 1.0, 'first': 1.0, 'smallest': 1.0}
        """
        n = len(self.leaves)
        if n < 3:
            msg = f"need at least three leaf terms for a triplet; this ontology has {n}"
            raise ValueError(msg)
        tree = self.certain_tree
        count = {"certain": self.dominance.count() if tree is None else CertainTriplets(tree).count()}
        for parent in ("deepest", "first", "smallest"):
            count[parent] = displayed_count(self._spanning(parent)[0], n)
        return {reading: k / comb(n, 3) for reading, k in count.items()}

    # ------------------------------------------------------------------ equality, pickle, display

    @cached
    def _keys(self) -> np.ndarray:
        """The edges as sorted numbers. They depend on the order of terms and types, so only compare within one."""
        return freeze(np.sort(self._edge_keys(np.arange(self.n_terms), self._kinds)))

    def _edge_keys(self, number: np.ndarray, kinds: Sequence[str]) -> np.ndarray:
        """Encode each edge as a number, its terms renumbered and its type by its place in `kinds`."""
        place = {kind: k for k, kind in enumerate(kinds)}
        code = np.array([place.get(kind, -1) for kind in self._kinds], np.int64)[self._codes]
        child, parent = number[self.edges].T.astype(np.int64)
        return (child * self.n_terms + parent) * len(kinds) + code

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ontology):
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
        if not np.array_equal(self._keys, np.sort(other._edge_keys(number, self._kinds))):
            return False
        mine, theirs = self.incertae_sedis, other.incertae_sedis
        if mine is None or theirs is None:
            return mine is theirs
        return bool(np.array_equal(mine[number], theirs))

    @cached
    def _hash(self) -> int:
        # sums of scrambled hashes do not depend on the order of terms and edges
        term = scrambled(np.fromiter((hash(x) & 0xFFFFFFFFFFFFFFFF for x in self.terms), np.uint64, self.n_terms))
        kind = np.array([hash(x) & 0xFFFFFFFFFFFFFFFF for x in self._kinds], np.uint64)[self._codes]
        child, parent = term[self.edges].T
        edges = scrambled(scrambled(scrambled(kind) + parent) + child)
        return int(term.sum(dtype=np.uint64)) + int(edges.sum(dtype=np.uint64))

    def __hash__(self) -> int:
        return hash((self.n_terms, len(self.edges), self._hash))

    def __reduce__(self) -> Any:
        return partial(Ontology, self.terms, self.edges, **self._values()), ()

    def _but(self, **values: Any) -> Ontology:
        """Make this ontology again with other values for some keywords of the constructor."""
        terms = values.pop("terms", self.terms)
        made = Ontology(terms, self.edges, **(self._values() | values))
        made._attributes["notes"] = self._attributes.get("notes", ())  # of its reader
        return made

    def _values(self) -> dict[str, Any]:
        """Return the keywords of the constructor that make this ontology again."""
        values = {"names": self.names, "ranks": self.ranks, "relations": self.relations}
        return values | {"incertae_sedis": self.incertae_sedis, "synonyms": dict(self.synonyms)}

    def __repr__(self) -> str:
        several = len(self.multi_parent)
        counts = [(self.n_terms, "term"), (len(self.leaves), "leaf"), (len(self.roots), "root"), (several, "term")]
        words = [f"{k} {'leaves' if word == 'leaf' else word + 's'}" if k != 1 else f"1 {word}" for k, word in counts]
        opened = "" if self.incertae_sedis is None else f", {int(self.incertae_sedis.sum())} open"
        return f"<Ontology: {', '.join(words)} with several parents{opened}>"


# ---------------------------------------------------------------------- arguments of the constructor


def _check_terms(terms: LeafIndex | Iterable[Hashable]) -> LeafIndex:
    """Return the terms as a LeafIndex. There must be at least one."""
    if not isinstance(terms, LeafIndex):
        try:
            terms = LeafIndex(terms)
        except DuplicateLeafError as error:
            raise DuplicateLeafError(error.labels, where=" among the terms") from None
    if len(terms) == 0:
        msg = "terms is empty; give at least one term"
        raise InvalidHierarchyError(msg)
    return terms


def _check_edges(edges: Any, terms: LeafIndex) -> np.ndarray:
    """Return the edges as read-only int32 of shape (m, 2): in range, and never from a term to itself."""
    try:
        array = np.asarray(edges)
    except ValueError:
        msg = "edges must be an array of shape (m, 2), rows (child, parent); the rows differ in length"
        raise InvalidHierarchyError(msg) from None
    if array.size == 0 and (array.ndim < 2 or array.shape[-1] == 2):
        return freeze(np.empty((0, 2), np.int32))
    if array.ndim != 2 or array.shape[1] != 2:
        msg = f"edges must be an array of shape (m, 2), rows (child, parent); got shape {array.shape}"
        raise InvalidHierarchyError(msg)
    if array.dtype.kind not in "iu":
        msg = f"edges must be integers (positions of terms), not {array.dtype}"
        raise InvalidHierarchyError(msg)
    N = len(terms)
    bad = np.flatnonzero(((array < 0) | (array >= N)).any(axis=1))
    if bad.size:
        k = int(bad[0])
        msg = f"edge {k} is {tuple(array[k].tolist())}, but terms are 0..{N - 1}"
        raise InvalidHierarchyError(msg)
    loops = np.flatnonzero(array[:, 0] == array[:, 1])
    if loops.size:
        t = int(array[loops[0], 0])
        msg = (
            f"edge {int(loops[0])} makes term {terms[t]!r} its own parent ({loops.size} such edges in all): remove them"
        )
        raise InvalidHierarchyError(msg, node=t)
    return frozen(array)


def _check_texts(values: Any, what: str, N: int) -> tuple[str | None, ...] | None:
    """Return names or ranks, one for each term. None if no term has one."""
    if values is None:
        return None
    texts = tuple(None if x is None or x == "" else str(x) for x in check_entries(values, what))
    if len(texts) != N:
        msg = f"{what} must have one entry for each of the {N} terms; got {len(texts)}"
        raise InvalidHierarchyError(msg)
    return texts if any(x is not None for x in texts) else None


def _open_terms(given: Any, links: _Links, terms: LeafIndex) -> np.ndarray | None:
    """Return the mask of open terms, or None if no term is open. A single root may not be open."""
    mask = node_mask(given, "incertae_sedis", len(terms))
    if mask is None:
        return None
    tops = np.flatnonzero(np.diff(links.up_start) == 0)
    if tops.size == 1 and mask[tops[0]]:
        t = int(tops[0])
        msg = f"term {terms[t]!r} cannot be open: all others are below it, so there is no other place for it"
        raise InvalidHierarchyError(msg, node=t)
    return freeze(mask)


def _still_open(opened: np.ndarray, before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """Tell which terms are still open after edges and terms went: a term that lost its parents is not.

    Parameters
    ----------
    opened : ndarray of bool, shape (N,)
    before, now : ndarray of int, shape (N,)
        The number of parents.
    """
    left = opened & ((now > 0) | (before == 0))
    return left & (now > 0) if (now == 0).sum() == 1 else left


def _check_relations(relations: Sequence[str] | None, m: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the type of each edge as a code (int32[m]), and the types in order of first use."""
    if relations is None:
        return np.zeros(m, np.int32), ("is_a",)
    if isinstance(relations, str):
        msg = f"relations must be a sequence of str, one for each of the {m} edges, not the string {relations!r}"
        raise InvalidHierarchyError(msg)
    number: dict[str, int] = {}
    codes = [number.setdefault(str(x), len(number)) for x in check_entries(relations, "relations")]
    if len(codes) != m:
        msg = f"relations must have one entry for each of the {m} edges; got {len(codes)}"
        raise InvalidHierarchyError(msg)
    return np.array(codes, np.int32), tuple(number)


# ---------------------------------------------------------------------- lists of parents and children


class _Links(NamedTuple):
    """Parents and children of N terms as concatenated lists, each pair once, in the order of the edges.

    Attributes
    ----------
    up_start, up : int32[N + 1], int32[p]
        The parents of term t are ``up[up_start[t]:up_start[t + 1]]``.
    down_start, down : int32[N + 1], int32[p]
        Its children, likewise.
    order : int32[N]
        The terms, parents before children.
    level : int32[N]
        Number of edges on the longest path from a root to each term.
    """

    up_start: np.ndarray
    up: np.ndarray
    down_start: np.ndarray
    down: np.ndarray
    order: np.ndarray
    level: np.ndarray


class _Numbered(NamedTuple):
    """The terms numbered children first, and terms without children before all others.

    Attributes
    ----------
    term, number : int32[t]
        The term of each number, the number of each term.
    start, up : int32[t + 1], int32[p]
        The parents of number u are ``up[start[u]:start[u + 1]]``, all of them greater than u.
    size : int
        t, or t + 1 if several roots need one above them. ``size - 1`` is the root.
    """

    term: np.ndarray
    number: np.ndarray
    start: np.ndarray
    up: np.ndarray
    size: int


def _first_pairs(edges: np.ndarray, N: int) -> np.ndarray:
    """Return a mask of the edges whose pair (child, parent) occurs for the first time."""
    first = np.zeros(len(edges), np.bool_)
    first[_first_edges(edges, np.zeros(1, np.int64), N, 1)] = True
    return first


def _first_edges(edges: np.ndarray, codes: np.ndarray, N: int, kinds: int) -> np.ndarray:
    """Return the numbers of the edges that differ from all earlier ones in pair or type, in order."""
    key = (edges[:, 0].astype(np.int64) * N + edges[:, 1]) * max(kinds, 1) + codes
    return np.sort(np.unique(key, return_index=True)[1])


def _links(pairs: np.ndarray, terms: LeafIndex) -> _Links:
    """Return the lists of parents and children of different pairs (child, parent). Raise for a cycle."""
    child, parent = pairs.T
    up_start, place = _grouped(child, len(terms))
    up_start, up = freeze(up_start), freeze(parent[place])
    down_start, place = _grouped(parent, len(terms))
    down_start, down = freeze(down_start), freeze(child[place])
    order, level = engine.ontology.top_down(up_start, down_start, down)
    if order.size < len(terms):
        _check_acyclic(up_start, up, order, terms)
    return _Links(up_start, up, down_start, down, freeze(order), freeze(level))


def _grouped(key: np.ndarray, N: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of each key, in order: the places of key k are ``place[start[k]:start[k + 1]]``."""
    start = np.zeros(N + 1, np.int32)
    np.cumsum(np.bincount(key, minlength=N), out=start[1:])
    return start, np.argsort(key, kind="stable")


def _numbered(lists: _Links) -> _Numbered:
    """Number the terms: terms without children first, children before parents, one root last."""
    childless = np.diff(lists.down_start) == 0
    backward = lists.order[::-1]
    term = np.concatenate([np.flatnonzero(childless).astype(np.int32), backward[~childless[backward]]])
    number = np.empty(term.size, np.int32)
    number[term] = np.arange(term.size, dtype=np.int32)
    size = np.diff(lists.up_start)[term]
    start = np.concatenate([np.zeros(1, np.int32), np.cumsum(size, dtype=np.int32)])
    place = np.repeat(lists.up_start[term] - start[:-1], size) + np.arange(start[-1], dtype=np.int32)
    extra = int((size == 0).sum() > 1)
    up = freeze(number[lists.up[place]])
    return _Numbered(freeze(term), freeze(number), freeze(start), up, term.size + extra)


def _known_below(lists: _Links, opened: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs (leaf term, inner term) of leaves that may be anywhere at or below that term, besides their parents.

    An open leaf has one with each of its parents. A leaf below an open inner term x has one with each parent of x:
    wherever x and all below it hang, each path from the leaf to the root ends as one that some such pair allows. From
    below p there may be a way up to a further open term, which may hang elsewhere. Then its parents count, too.
    """
    childless = np.diff(lists.down_start) == 0
    at = np.flatnonzero(opened)
    ups = {x: lists.up[lists.up_start[x] : lists.up_start[x + 1]] for x in at.tolist()}
    inner = [x for x in ups if not childless[x]]
    if len(inner) * (opened.size + lists.up.size) > _MOST:
        _too_entangled("open inner terms")
    tops = {int(p): {int(p)} for some in ups.values() for p in some}
    below: dict[int, np.ndarray] = {}
    ways: dict[int, set[int]] = {p: set() for p in tops}
    for x in inner:
        reach = engine.ontology.reached(lists.down_start, lists.down, frozen([x]))
        below[x] = np.flatnonzero(reach & childless)
        met = engine.ontology.reached(lists.up_start, lists.up, frozen(np.flatnonzero(reach & ~childless)))
        for p in tops:
            if met[p]:
                ways[p].update(map(int, ups[x]))
    for p, found in tops.items():
        waiting = [p]
        while waiting:
            new = ways[waiting.pop()] - found
            found |= new
            waiting += new
    wanted: set[tuple[int, int]] = set()
    for x, some in ups.items():
        places = {q for p in some.tolist() for q in tops[p]}
        wanted.update((leaf, q) for leaf in (below[x].tolist() if x in below else [x]) for q in places)
    pairs = np.array(sorted(wanted), np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _with_places(numbered: _Numbered, lists: _Links, leaf: np.ndarray, above: np.ndarray) -> _Numbered:
    """Number the terms with all parents that leaf terms may have: their own, and every inner term below given ones.

    Parameters
    ----------
    numbered : _Numbered
    lists : _Links
    leaf, above : ndarray of int
        Pairs of a leaf term and an inner term that it may be below.

    Notes
    -----
    So that there are few edges, each inner term k below a term of `above` gets a *place*: a node whose parents are k
    and the places of the inner terms right below k. The leaf gets, beside its own parents, the places of the inner
    terms right below the term above. A place is reached exactly from the terms from which k or a term below k is, and
    it dominates no leaf, as each has its own parents, too.
    """
    n, t = int((np.diff(lists.down_start) == 0).sum()), numbered.term.size
    below = engine.ontology.reached(lists.down_start, lists.down, frozen(np.unique(above)))
    inner = below & (np.diff(lists.down_start) > 0)
    ordered = lists.order[inner[lists.order]]  # parents before children, as the place of a parent is below its child's
    k = ordered.size
    number = numbered.number.astype(np.int64)
    number[numbered.number >= n] += k
    place = np.full(lists.up_start.size - 1, -1, np.int64)
    place[ordered] = n + np.arange(k)

    def children(terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs (index in `terms`, inner child)."""
        size = np.diff(lists.down_start)[terms]
        owner = np.repeat(np.arange(terms.size), size)
        child = lists.down[np.repeat(lists.down_start[terms] - np.cumsum(size) + size, size) + np.arange(size.sum())]
        return owner[inner[child]], child[inner[child]]

    size = np.diff(numbered.start)
    fresh = number[numbered.term]  # the new number of each number
    child = [np.repeat(fresh, size), place[ordered]]
    parent = [fresh[numbered.up], number[ordered]]
    owner, low = children(ordered)
    child.append(place[ordered[owner]])
    parent.append(place[low])
    owner, low = children(above)
    child.append(number[leaf[owner]])
    parent.append(place[low])
    start, order = _grouped(np.concatenate(child), t + k)
    up = np.concatenate(parent)[order].astype(np.int32)
    return _Numbered(numbered.term, numbered.number, freeze(start), freeze(up), numbered.size + k)


def _check_acyclic(up_start: np.ndarray, up: np.ndarray, order: np.ndarray, terms: LeafIndex) -> None:
    """Raise for a cycle: a term that the topological order does not reach has a parent that it does not reach."""
    rest = np.ones(len(terms), np.bool_)
    rest[order] = False
    t = int(np.flatnonzero(rest)[0])
    seen: dict[int, int] = {}
    while t not in seen:
        seen[t] = len(seen)
        above = up[up_start[t] : up_start[t + 1]]
        t = int(above[rest[above]][0])
    cycle = [terms[u] for u in list(seen)[seen[t] :]]
    shown = " -> ".join(map(repr, [*cycle[:8], "..."] if len(cycle) > 8 else [*cycle, cycle[0]]))
    msg = f"the parents run in a cycle of {len(cycle)} terms: {shown}; remove one of these edges"
    raise InvalidHierarchyError(msg, node=t)

    # ---------------------------------------------------------------------- facts for every choice of parents


#: Most entries (of 4 bytes) that lists of frontiers may have. Gene Ontology has 300,000.
_MOST = 200_000_000


class Dominance(Immutable):
    """The dominator tree of the n leaf terms, and the leaves below each of its nodes.

    A term dominates the terms that every path from the root reaches through it. ``parent`` is the tree of the lowest
    common dominators of the leaves, a parent array as in `Hierarchy` (leaves 0..n-1 first, no node with one child). The
    leaves below node d are its clade in this tree and further clades, all disjoint. `reach` has a list of them for each
    inner node, ``node[start[d - n]:start[d - n + 1]]``, in depth-first order. A further clade begins where a
    path from d leaves the nodes that d dominates. A tree has no such clades, and bit sets for all terms would take much
    more room.
    """

    __slots__ = ()

    n: int = fixed()
    parent: np.ndarray = fixed()
    left: np.ndarray = fixed()
    right: np.ndarray = fixed()
    order: np.ndarray = fixed()
    _numbered: _Numbered = fixed()
    _idom: np.ndarray = fixed()
    _old: np.ndarray = fixed()

    def __init__(self, numbered: _Numbered, n: int) -> None:
        idom = freeze(engine.ontology.dominators(numbered.start, numbered.up, numbered.size))
        parent, old, _ = restricted(idom, n, np.arange(n, dtype=np.int32), False)
        left, right, order = map(freeze, engine.rooted_tree.leaf_intervals(parent, n))
        self._hold(n=n, parent=parent, left=left, right=right, order=order, _numbered=numbered, _idom=idom, _old=old)

    @cached
    def ancestor_table(self) -> tuple[np.ndarray, np.ndarray]:
        """For common ancestors in constant time, as `Hierarchy.ancestor_table`."""
        gap = engine.rooted_tree.gap_nodes(self.parent, self.right, self.n)
        return freeze(self.left[: self.n].copy()), freeze(engine.rooted_tree.range_maximum_table(freeze(gap)))

    @cached
    def _held(self) -> np.ndarray:
        number = np.full(self._idom.size, -1, np.int32)
        number[self._old] = np.arange(self._old.size, dtype=np.int32)
        return engine.ontology.held(self._idom, freeze(number))

    @cached
    def _frontier(self) -> tuple[np.ndarray, np.ndarray]:
        start, up = self._numbered.start, self._numbered.up
        first, node = engine.ontology.frontiers(start, up, self._idom, _MOST)
        _check_some(first)
        return freeze(first), freeze(node)

    def _beside(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs (place in `nodes`, node) for the clades that numbered terms reach but do not dominate."""
        start, x = engine.ontology.closures(frozen(nodes), *self._frontier, _MOST)
        _check_some(start)
        owner = np.repeat(np.arange(nodes.size), np.diff(start))
        node = self._held[x]
        return owner[node >= 0], node[node >= 0]

    def leaf_counts(self, nodes: np.ndarray) -> np.ndarray:
        """Count the leaves below each of some numbered terms: int64, parallel to `nodes`."""
        width = (self.right - self.left).astype(np.int64)
        owner, beside = self._beside(nodes)
        own = self._held[nodes]
        count = np.where(own >= 0, width[own], 0)
        np.add.at(count, owner, width[beside])
        return count

    @cached
    def reach(self) -> Any:
        """Return the nodes that each inner node reaches, as above, in the core."""
        owner, beside = self._beside(self._old[self.n :])
        inner = self.parent.size - self.n
        owner = np.concatenate([np.arange(inner), owner])
        node = np.concatenate([np.arange(self.n, self.parent.size, dtype=np.int32), beside])
        by_place = np.argsort(owner * (self.n + 1) + self.left[node], kind="stable")
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(owner, minlength=inner))])
        return engine.ontology.Reach(start, node[by_place], self.left, self.right)

    @cached
    def reached(self) -> np.ndarray:
        """Number of leaves that each inner node reaches: int64, shape (N - n,)."""
        return freeze(self.reach.sizes())

    def odd(self, triples: np.ndarray) -> np.ndarray:
        """Return the column of the odd one out of each triple of leaves (int8), -1 if it is not certain.

        ab|c is certain exactly when c is not below the lowest common dominator of a and b.
        """
        # certain triplets are displayed by the dominator tree, so that only displayed triplets have to be checked
        odd = engine.rooted_tree.induced_odd(triples, *self.ancestor_table)
        rows = np.flatnonzero(odd >= 0)
        which, chosen = odd[rows].astype(np.int64), triples[rows]
        at = np.arange(rows.size)
        a, b, c = (freeze(chosen[at, (which + k) % 3]) for k in (1, 2, 0))
        meeting = engine.rooted_tree.common_ancestors(a, b, *self.ancestor_table)
        odd[rows[self.reach.covered(meeting, self.left[c])]] = -1
        return odd

    def pairs_and_outside(self) -> tuple[np.ndarray, np.ndarray]:
        """For each x but the root, count pairs (a below x, b below a later sibling) and leaves not below its parent."""
        outside = self.n - self.reached[self.parent[:-1] - self.n]
        return sibling_pairs(self.parent, self.left, self.right), outside

    def count(self) -> int:
        """Count the certain triplets."""
        return exact_dot(*self.pairs_and_outside())

    def unranked(self, ranks: np.ndarray) -> np.ndarray:
        """Return the certain triplets of given ranks as rows (a, b, c), ordered by x of `pairs_and_outside`."""
        pairs, outside = self.pairs_and_outside()
        end = np.cumsum(pairs * outside)
        x = np.searchsorted(end, ranks, side="right")
        up = self.parent[x]
        rest = ranks - (end[x] - pairs[x] * outside[x])
        rest, k = np.divmod(rest, outside[x])
        a, b = np.divmod(rest, (self.right[up] - self.right[x]).astype(np.int64))
        c = self.reach.nth_outside(up, k)
        return np.stack([self.order[self.left[x] + a], self.order[self.right[x] + b], self.order[c]], axis=1)


def _check_some(start: np.ndarray) -> None:
    if start.size == 0:
        _too_entangled("lists of terms that its terms reach but do not dominate")


def _too_entangled(what: str) -> NoReturn:
    msg = (
        f"this ontology is too entangled: {what} have more than {_MOST:,} entries; use a part of it (select, "
        "restrict), or a tree: to_hierarchy(parent='deepest')"
    )
    raise LimitExceededError(msg, size=_MOST + 1, limit=_MOST)
