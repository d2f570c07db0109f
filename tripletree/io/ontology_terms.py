"""Shared by the readers of ontologies: terms and edges as a file gives them, and the ontology they make.

One set of rules for OBO, OWL and OBO Graphs:

- Terms that are referred to but nowhere defined (of an import, of a part of the file that is not there) stay, without
  a name, behind the defined ones. When a namespace is asked for they go, since theirs is not known.
- Obsolete terms, and terms outside the namespace asked for, go with all of their edges.
- A reference to a secondary identifier (``alt_id``) is one to its term, unless a term of that very id is defined.
- Relation types go by their short names: ``part_of``, not ``BFO:0000050``. Any of a type's names may be asked for.
- A term whose name is not a taxon, such as "unclassified cell", is contracted (`Ontology.contract`).
- A type that points down (``has_part``, or one that the file states to be the inverse of one that points up) is turned:
  its edges are the edges of its inverse.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from itertools import compress
from typing import Any

import numpy as np

from tripletree.core.checks import counted
from tripletree.core.hierarchy import known_as
from tripletree.core.notes import note
from tripletree.core.ontology import Ontology
from tripletree.core.parents import tops_alone
from tripletree.core.placeholders import FILLER, MEMBER, TAXON, Placeholders
from tripletree.errors import SHOWN, InvalidHierarchyError, ParseError, UnknownLeafError

#: The relation types that place a term below another: all that ``relations=None`` takes.
HIERARCHICAL = ("is_a", "part_of")
#: Short names of types that files call by number and sometimes leave undefined.
_KNOWN_TYPES = {"BFO:0000050": "part_of", "BFO:0000051": "has_part", "RO:0002202": "develops_from"}
#: Relation types that point down, and their inverses, which point up.
_INVERSES = {
    "has_part": "part_of",
    "has_proper_part": "proper_part_of",
    "has_component": "component_of",
    "has_component_part": "component_part_of",
    "has_member": "member_of",
    "has_subclass": "is_a",
    "has_subtype": "is_a",
    "contains": "contained_in",
    "has_subordinate": "subordinate_to",
    "location_of": "located_in",
    "develops_into": "develops_from",
    "derives_into": "derives_from",
}
_UP = frozenset(_INVERSES.values())
_NUMBERED = re.compile(r"\w+:\d+")
_PURL = re.compile(r"https?://purl\.obolibrary\.org/obo/(.+)")
_OTHER_BASE = re.compile(r"https?://(?:www\.ebi\.ac\.uk/efo/|www\.orpha\.net/ORDO/)([A-Za-z]+_\d+)")
_RANK = re.compile(r"(?:.*[:#/])?(?:NCBITaxon_)?([^:#/]+)")
_LOCAL = re.compile(r"(\w+)_(\d+)|([A-Za-z][A-Za-z0-9]*)_([^#/]+)|[\w./-]+#_?(.+)")

#: How close the meaning of a synonym is, the closest first.
SCOPES = ("exact", "narrow", "broad", "related")

Strings = str | Iterable[str]


class TermTable:
    """Terms and edges, filled in by a reader step by step. `ontology` then makes one value of them.

    Parameters
    ----------
    path : str or None
        The file's name, for messages.
    error : callable
        ``error(at, message)`` is a ParseError at the place that a reader's number `at` stands for.
    where : callable
        ``where(at)`` is that place in words, for messages that name several, such as "line 7".
    identifier : callable, optional
        ``identifier(text, at)`` is the identifier in the text that `add_edge` got as a parent of a type other than
        is_a: read only when that type is asked for.
    """

    def __init__(
        self,
        path: str | None,
        *,
        error: Callable[[int, str], ParseError],
        where: Callable[[int], str],
        identifier: Callable[[str, int], str] | None = None,
    ) -> None:
        self.path = path
        self._error, self._where, self._identifier = error, where, identifier
        self.ids: list[str] = []
        self.position: dict[str, int] = {}
        self.names: list[str | None] = []
        self.namespaces: list[str | None] = []
        self.ranks: dict[int, str] = {}
        self.obsolete: set[int] = set()
        #: Terms that are marked as open.
        self.opened: set[int] = set()
        #: Terms that are marked as not open.
        self.closed: set[int] = set()
        self.alternatives: dict[str, str] = {}
        #: The term that stands for an obsolete one, by ids, and the terms that are only worth considering.
        self.replaced: dict[str, str] = {}
        self.considered: dict[str, list[str]] = {}
        #: Pairs of ids of one class.
        self.equivalent: list[tuple[str, str]] = []
        #: (term, scope, text) of each synonym, for readers that are asked for them. Scopes in lower case.
        self.synonyms: list[tuple[int, str, str]] = []
        #: Terms that are nowhere defined but have a parent: they stay if one of their edges is asked for.
        self.implicit: set[int] = set()
        #: Other names of relation types: the names that the file gives each id.
        self.type_names: dict[str, str] = {}
        #: The inverse of a relation type, as the file states it.
        self.inverses: dict[str, str] = {}
        #: Files that it imports, which nobody reads.
        self.imports: list[str] = []
        #: True if edges are genera, too.
        self.genera_taken = False
        self._at = array("q")
        self._child = array("q")
        self._parents: list[str] = []
        self._types: list[str] = []
        self._edge_at = array("q")
        #: Terms that have a parent according to the file, which does not say which one.
        self.unplaced: set[str] = set()
        #: (child, parent, place): the genus in the definition of a term, "a B that ...".
        self._genera: list[tuple[int, str, int]] = []

    def define(self, term: str, at: int) -> int:
        """Return the position of a term that is defined at `at`, perhaps once more."""
        new = len(self.ids)
        position = self.position.setdefault(term, new)
        if position == new:
            self.ids.append(term)
            self.names.append(None)
            self.namespaces.append(None)
            self._at.append(at)
        return position

    def place_of(self, position: int) -> int:
        """Return the place where a term was first defined."""
        return self._at[position]

    def set_name(self, position: int, name: str | None, at: int) -> None:
        """Set a term's name, unless it is None. A second one that differs is refused."""
        known = self.names[position]
        if known is None:
            self.names[position] = name
        elif name is not None and name != known:
            raise self._two("names", position, known, name, at)

    def set_namespace(self, position: int, namespace: str | None, at: int) -> None:
        """Set a term's namespace, as `set_name` does its name."""
        known = self.namespaces[position]
        if known is None:
            self.namespaces[position] = namespace
        elif namespace is not None and namespace != known:
            raise self._two("namespaces", position, known, namespace, at)

    def _two(self, what: str, position: int, first: str, second: str, at: int) -> ParseError:
        msg = (
            f"the term {self.ids[position]!r} has two {what}, {first!r} and {second!r} (its first definition is at "
            f"{self._where(self._at[position])}): keep one, or give the other term an id of its own"
        )
        return self._error(at, msg)

    def add_edge(self, child: int, parent: str, relation: str, at: int) -> None:
        """An edge from a defined term up to another one, defined or not."""
        self._child.append(child)
        self._parents.append(parent)
        self._types.append(relation)
        self._edge_at.append(at)

    def other_names(self, scopes: Strings) -> dict[str, list[str]]:
        """For each name, synonym and secondary identifier the terms that have it, by their ids and their names."""
        asked = several(scopes, "scopes")
        unknown = [x for x in asked if x not in SCOPES]
        if unknown or not asked:
            msg = f"scopes must be some of {', '.join(map(repr, SCOPES))}, not {scopes!r}"
            raise ValueError(msg)
        found: dict[str, list[str]] = {}
        keep = bytearray(position not in self.obsolete for position in range(len(self.ids)))
        one, others = self._same_terms(keep, list(self.names))

        def add(text: str, position: int) -> None:
            position = one.get(position, position)
            if not keep[position]:
                return
            called = found.setdefault(text, [])
            for x in (self.ids[position], self.names[position]):
                if x is not None and x != text and x not in called:
                    called.append(x)

        for position, name in enumerate(self.names):
            if name is not None:
                add(name, position)
        for position, scope, text in self.synonyms:
            if scope in asked and text:
                add(text, position)
        for other, position in others.items():
            add(other, position)
        return found

    def add_genus(self, child: int, parent: str, at: int) -> None:
        """The genus of a defined term: a parent by definition, whether the file asserts it or not."""
        self._genera.append((child, parent, at))

    def _assert_genera(self) -> None:
        """Take every genus for a parent that does not follow from others. One that is not defined is for terms without.

        An edge that follows would make an Ontology less sure of what holds whichever parent counts.
        """
        asserted: dict[str, set[str]] = {}
        for child, parent, kind in zip(self._child, self._parents, self._types, strict=True) if self._genera else ():
            if kind == "is_a":
                asserted.setdefault(self.ids[child], set()).add(parent)
        above = {x: set(some) for x, some in asserted.items()}
        new = []
        for child, parent, at in self._genera:
            x = self.ids[child]
            if parent not in above.get(x, ()) and (parent in self.position or x not in asserted):
                above.setdefault(x, set()).add(parent)
                new.append((child, parent, at))
        for child, parent, at in new:
            waiting = [p for p in above[self.ids[child]] if p != parent]
            seen = {*waiting, self.ids[child]}
            while waiting and parent not in seen:
                more = above.get(waiting.pop(), set()) - seen
                seen |= more
                waiting += more
            if parent not in seen or parent == self.ids[child]:
                self.add_edge(child, parent, "is_a", at)

    # ------------------------------------------------------------------ relation types

    def short_type(self, relation: str) -> str:
        """Return the short name of a relation type."""
        if relation == "is_a" or not (_NUMBERED.fullmatch(relation) or "://" in relation):
            return relation
        name = self.type_names.get(relation)
        if name:
            return name.replace(" ", "_")
        return _KNOWN_TYPES.get(relation) or last_part(relation) or relation

    def wanted_types(self, relations: Strings | None, found: Iterable[str]) -> dict[str, str]:
        """Return the short names of the types found and wanted."""
        short = {x: self.short_type(x) for x in ["is_a", *self.type_names, *found]}
        asked = HIERARCHICAL if relations is None else several(relations, "relations")
        wanted: dict[str, str] = {}
        unknown = []
        for name in asked:
            same = [x for x, y in short.items() if name in (x, y, self.type_names.get(x)) or short_id(name) == x]
            wanted.update((x, short[x]) for x in same)
            if not same and name not in HIERARCHICAL:
                unknown.append(name)
        if unknown:
            raise UnknownLeafError(unknown, sorted(set(short.values())), what="relations")
        return wanted

    # ------------------------------------------------------------------ the ontology

    def ontology(
        self,
        *,
        relations: Strings | None,
        root: Strings | None,
        namespace: Strings | None,
        obsolete: bool,
        genus: bool,
        placeholders: bool | str | Iterable[str],
    ) -> Ontology:
        """Return the terms and edges asked for, checked."""
        fillers = Placeholders.of(placeholders)
        self.genera_taken = genus and bool(self._genera)
        if genus:
            self._assert_genera()
        else:
            self.unplaced.update(self.ids[x] for x, *_ in self._genera)
        if self.imports:
            shown = ", ".join(self.imports[:3]) + (", ..." if len(self.imports) > 3 else "")
            note("imports", f"{counted(len(self.imports), 'import')} not read: {shown}")
        if not self.ids:
            msg = "there is no term in it"
            raise ParseError(msg, path=self.path, line=1, column=1)
        wanted = self.wanted_types(relations, dict.fromkeys(self._types))
        down_types = self._pointing_down(wanted)
        keep = self._kept(namespace, obsolete)
        if self.implicit:
            used = {c for c, kind in zip(self._child, self._types, strict=True) if kind in wanted}
            for position in self.implicit - used:
                keep[position] = 0
        ids, called = list(self.ids), list(self.names)
        one, others = self._same_terms(keep, called)
        down, up, types, places = self._edges(wanted, down_types, keep, ids, namespace is not None, one, others)
        N = len(ids)
        names = [*called, *[None] * (N - len(self.ids))]
        ranks = list(compress(map(self.ranks.get, range(N)), keep)) if self.ranks else None
        rows = np.column_stack([np.array(down, np.int64), np.array(up, np.int64)])
        number = np.cumsum(np.frombuffer(keep, np.uint8), dtype=np.int64) - 1
        terms = list(compress(ids, keep))
        meant = {x: ids[position] for x, position in others.items()}
        placed = set(down) if self.opened else set()
        anywhere = len(terms) - len(placed) > 1
        opened = [int(number[u]) for u in sorted(self.opened) if keep[u] and (anywhere or u in placed)]
        try:
            made = Ontology(
                terms,
                number[rows],
                names=list(compress(names, keep)),
                ranks=ranks,
                relations=types,
                incertae_sedis=opened,
                synonyms=meant,
            )
        except InvalidHierarchyError as error:
            raise self._cycle_error(rows, types, places, ids) or error from None
        if root is not None:
            return past_placeholders(part(made, several(root, "root")), fillers, terms=made.ranks is None)
        return past_placeholders(self._with_open_tops(made), fillers, terms=made.ranks is None)

    def _with_open_tops(self, ontology: Ontology) -> Ontology:
        """Return the ontology with tops without a known place as open terms, if there are others beside them.

        They stand in no file read, have a parent that is not named, or neither parents nor children.
        """
        tops = np.flatnonzero(ontology.n_parents == 0)
        if tops.size < 2:
            return ontology
        own = {self.ids[u] for u in range(len(self.ids)) if u not in self.implicit and self._is_told(u)}
        unread = [t for t in tops.tolist() if ontology.terms[t] not in own]
        unplaced = [t for t in tops.tolist() if ontology.terms[t] in self.unplaced]
        for some, subject, why in (
            (unread, "parents not read", "of files that were not read"),
            (unplaced, "parents not told", "with a parent that no plain statement gives"),
        ):
            if some:
                shown = ", ".join(str(ontology.terms[t]) for t in some[:3]) + (", ..." if len(some) > 3 else "")
                note(subject, f"{counted(len(some), 'term')} {why}, open therefore: {shown}")
        up = np.where(ontology.n_parents == 0, -1, 0)
        child, parent = ontology.edges.T
        up[child] = parent
        told = np.array([*unread, *unplaced], np.int64)
        closed = {self.ids[u] for u in self.closed}
        known_tops = np.array([t for t in tops.tolist() if ontology.terms[t] in closed], np.int64)
        opened = tops_alone(up, told=np.concatenate([told, known_tops, parent]))
        opened[told] = True
        if not opened.any():
            return ontology
        known = ontology.incertae_sedis
        return ontology._but(incertae_sedis=opened if known is None else opened | known)

    def _is_told(self, u: int) -> bool:
        """False for a term that a file with imports only mentions: it has no name there."""
        return not self.imports or self.names[u] is not None

    def _same_terms(self, keep: bytearray, called: list[str | None]) -> tuple[dict[int, int], dict[str, int]]:
        """Make one term of equivalent ones, and find what other names and ids mean.

        Returns the position that stands for each position that goes, and the positions that other names and ids mean.
        `keep` loses the former, and a term without a name gets one in `called`.
        """
        other: dict[str, str] = {}  # each id that is an equivalent, and one before it
        for pair in self.equivalent:
            first, second = (_last_of(x, other) for x in pair)
            if first != second:
                known = [x in self.position and bool(keep[self.position[x]]) for x in (first, second)]
                after = self.position.get(second, len(self.ids)) < self.position.get(first, len(self.ids))
                if known == [False, True] or (known[0] == known[1] and after):
                    first, second = second, first
                other[second] = first
        one: dict[int, int] = {}
        found: dict[str, int] = {}
        for x in other:
            target = self.position.get(_last_of(x, other))
            if target is None or not keep[target]:
                continue
            at = self.position.get(x)
            if at is not None and keep[at]:
                one[at] = target
                keep[at] = 0
                name = self.names[at]
                if called[target] is None:
                    called[target] = name
                elif name is not None and name != called[target]:
                    found.setdefault(name, target)
            if at is None or not keep[at]:
                found[x] = target
        for x, term in (self.alternatives | self.replaced).items():
            at, end = self.position.get(x), self.position.get(_last_of(term, self.replaced))
            end = None if end is None else one.get(end, end)
            if end is None or not keep[end] or (at is not None and (keep[at] or at in one)):
                continue
            found.setdefault(x, end)
            name = None if at is None else self.names[at]
            if name is not None:
                found.setdefault(name, end)
        if one:
            note("other names", f"{counted(len(one), 'term')} equivalent to another")
        if self.replaced:
            note("other names", f"{counted(len(self.replaced), 'obsolete term')} replaced by another")
        only = {x: some for x, some in self.considered.items() if x not in self.replaced}
        if only:
            shown = ", ".join(f"{x} ({', '.join(some)})" for x, some in list(only.items())[:SHOWN])
            more = ", ..." if len(only) > SHOWN else ""
            word = "has" if len(only) == 1 else "have"
            note("not chosen", f"{counted(len(only), 'obsolete term')} {word} only terms to consider: {shown}{more}")
        return one, found

    def _pointing_down(self, wanted: dict[str, str]) -> dict[str, str]:
        """Return the types wanted that point from a whole down to its parts, and the short names of their inverses."""
        stated: dict[str, str] = {}
        for x, y in self.inverses.items():
            stated.setdefault(x, y)
            stated.setdefault(y, x)
        found = {}
        for relation, short in wanted.items():
            inverse = stated.get(relation)
            other = None if inverse is None else self.short_type(inverse)
            if short in _INVERSES or (other in _UP and short not in _UP):
                found[relation] = other or _INVERSES[short]
        return found

    def _edges(
        self,
        wanted: dict[str, str],
        down_types: dict[str, str],
        keep: bytearray,
        ids: list[str],
        only_defined: bool,
        one: dict[int, int],
        others: dict[str, int],
    ) -> tuple[array, array, list[str], array]:
        """Return the edges asked for: child, parent, type, place. Undefined parents are put behind `ids` and `keep`."""
        down, up, types, places = array("q"), array("q"), [], array("q")
        position = dict(self.position)
        inverted = bool(down_types)
        seen: set[tuple[int, int, str]] = set()
        for alternative, term in self.alternatives.items():
            if alternative not in position and term in position:
                position[alternative] = position[term]
        for x, meant in others.items():
            if x not in self.position:
                position[x] = meant
        for child, parent, relation, at in zip(self._child, self._parents, self._types, self._edge_at, strict=True):
            if one:
                child = one.get(child, child)
            if relation not in wanted or not keep[child]:
                continue
            if self._identifier is not None and relation != "is_a":
                parent = self._identifier(parent, at)
            above = position.get(parent)
            if one and above is not None:
                above = one.get(above, above)
                if above == child:
                    continue
            if above is None:
                if only_defined:
                    continue
                above = position[parent] = len(ids)
                ids.append(parent)
                keep.append(1)
            elif not keep[above]:
                continue
            kind = wanted[relation]
            if relation in down_types:
                child, above, kind = above, child, down_types[relation]
            if inverted:  # the same may be said either way
                if (child, above, kind) in seen:
                    continue
                seen.add((child, above, kind))
            down.append(child)
            up.append(above)
            types.append(kind)
            places.append(at)
        return down, up, types, places

    def _kept(self, namespace: Strings | None, obsolete: bool) -> bytearray:
        """For each defined term, True if it is asked for."""
        keep = bytearray(b"\x01" * len(self.ids))
        if namespace is not None:
            asked = set(several(namespace, "namespace"))
            known = {x for x in self.namespaces if x is not None}
            if not asked <= known:
                raise UnknownLeafError(sorted(asked - known), sorted(known), what="namespaces")
            keep = bytearray(x in asked for x in self.namespaces)
        if not obsolete:
            for position in self.obsolete:
                keep[position] = 0
        if not any(keep):
            msg = f"every term of it ({len(self.ids)}) is obsolete or in another namespace; read with obsolete=True"
            raise ParseError(msg, path=self.path)
        return keep

    def _cycle_error(self, edges: np.ndarray, types: list[str], places: array, ids: list[str]) -> ParseError | None:
        """Return the cycle among the edges, each step with its place, or None."""
        rows = edges.tolist()
        cycle = find_cycle(rows, len(ids))
        if not cycle:
            return None
        shown = cycle if len(cycle) <= 12 else [*cycle[:6], *cycle[-5:]]
        steps = [f"{ids[rows[e][0]]} {types[e]} {ids[rows[e][1]]} ({self._where(places[e])})" for e in shown]
        if len(shown) < len(cycle):
            steps.insert(6, f"... {len(cycle) - len(shown)} more ...")
        cure = "take one of these relations out"
        if self.genera_taken:
            cure += ", or give genus=False if it is a definition"
        msg = f"these terms stand above themselves: {', '.join(steps)}; {cure}"
        return self._error(places[cycle[0]], msg)


def part(ontology: Ontology, root: Any) -> Ontology:
    """Return the terms at or below some terms, which may go by other names. By default all."""
    if root is None:
        return ontology
    asked = [root] if isinstance(root, str) or not isinstance(root, Iterable) else list(root)
    return ontology.select(root=[known_as(x, ontology.terms, ontology.synonyms) for x in asked])  # refuses unknown ones


def past_placeholders(ontology: Ontology, fillers: Placeholders, *, terms: bool = False) -> Ontology:
    """The ontology without inner terms whose names are not taxa. What is below them is open, and leaves of such names.

    A term without a name goes by its id. With `terms`, names may be of terms of any kind, not of taxa alone.
    """
    if not fillers:
        return ontology
    ids = [x if isinstance(x, str) else None for x in ontology.terms]
    names = (
        ids if ontology.names is None else [x if x is not None else y for x, y in zip(ontology.names, ids, strict=True)]
    )
    N = ontology.n_terms
    first = np.full(N, -1, np.int64)
    child, parent = ontology.edges[::-1].T  # the first parent of each term is written last
    first[child] = parent
    inner = np.zeros(N, np.bool_)
    inner[parent] = True
    order = np.argsort(ontology.edges[:, 0], kind="stable")
    up, start = ontology.edges[order, 1], np.searchsorted(ontology.edges[order, 0], np.arange(N + 1))

    def above(u: int) -> list[str]:
        return [names[p] or "" for p in up[start[u] : start[u + 1]].tolist()]

    kinds = fillers.kinds(names, first, inner=inner, above=above if terms else None)
    placed = first >= 0
    opened = placed & (kinds != TAXON) & (~inner | (kinds == MEMBER))
    gone = placed & inner & (kinds == FILLER)
    if opened.any():
        known = ontology.incertae_sedis
        ontology = ontology._but(incertae_sedis=opened if known is None else opened | known)
    if not gone.any():
        return ontology
    note("placeholders", f"{counted(int(np.count_nonzero(gone)), 'placeholder term')} contracted")
    return ontology.contract(gone)


def _last_of(x: str, other: dict[str, str]) -> str:
    """Return the end of a chain of ids, each with the next. A cycle ends where it began."""
    seen = {x}
    while x in other and other[x] not in seen:
        x = other[x]
        seen.add(x)
    return x


def several(given: Strings, what: str) -> list[str]:
    """One string or several, as a list."""
    names = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(x, str) for x in names):
        msg = f"{what} must be a string or several, not {given!r}"
        raise TypeError(msg)
    return names


def find_cycle(rows: list[list[int]], n: int) -> list[int]:
    """Return the edges, by position, of a cycle upwards, or an empty list."""
    above: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    n_children = [0] * n
    for e, (child, parent) in enumerate(rows):
        above[child].append((parent, e))
        n_children[parent] += 1
    # take off the terms without children, again and again: the rest are on a cycle or above one
    free = [u for u in range(n) if not n_children[u]]
    while free:
        for parent, _ in above[free.pop()]:
            n_children[parent] -= 1
            if not n_children[parent]:
                free.append(parent)
    below = {parent: (child, e) for e, (child, parent) in enumerate(rows) if n_children[child] and n_children[parent]}
    if not below:
        return []
    seen: dict[int, int] = {}
    path: list[int] = []
    u = next(iter(below))
    while u not in seen:
        seen[u] = len(path)
        u, e = below[u]
        path.append(e)
    return path[seen[u] :][::-1]


def short_rank(rank: str) -> str:
    """Return the rank that an identifier such as NCBITaxon:genus stands for."""
    match = _RANK.fullmatch(rank)
    return match[1].removeprefix("NCBITaxon_") if match else rank


def last_part(iri: str) -> str | None:
    """Return the part of an IRI behind "#" or the last "/", as editors show terms without a label."""
    if "://" not in iri:
        return None
    return re.split("[#/]", iri)[-1] or None


def short_id(iri: str) -> str:
    """Return the short form of an IRI, as OBO files have it. One outside of the OBO library stays as it is.

    >>> short_id("http://purl.obolibrary.org/obo/GO_0008150")
    'GO:0008150'
    >>> short_id("http://purl.obolibrary.org/obo/go#part_of")
    'part_of'
    """
    other = _OTHER_BASE.fullmatch(iri)
    match = other or _PURL.fullmatch(iri)
    if match is None:
        return iri
    local = _LOCAL.fullmatch(match[1])
    if local is None:
        return iri
    if local[5]:
        return local[5]
    return f"{local[1] or local[3]}:{local[2] or local[4]}"
