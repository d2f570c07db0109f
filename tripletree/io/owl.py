"""OWL: ontologies as RDF/XML, as the OBO library and Protege write them.

Classes are the terms. ``rdfs:subClassOf`` with a class is is_a, and with a restriction ("part of some cell") a relation
of the restriction's property. Concepts of a thesaurus in SKOS are terms, too, and ``skos:broader`` and
``skos:narrower`` are is_a. Concepts of one file that are ``skos:exactMatch`` are one. Identifiers of
the OBO library are shortened, so that they read as in OBO files (``http://purl.obolibrary.org/obo/GO_0008150`` is
``GO:0008150``). Other IRIs stay whole.

A named class of an intersection is a parent, if a class is defined as the intersection or is a ``subClassOf`` it. The
consequences of other axioms are not worked out: a class below a union, without any other parent, is open, and so is a
concept that has only ``skos:broaderTransitive`` or ``skos:broadMatch``. ``owl:imports`` is never followed, and
entities are let in only if the file declares them itself to stand for short text, as Protege's files do. See
`tripletree.io.xml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.errors import ParseError
from tripletree.io.format import FileFormat
from tripletree.io.ontology_terms import SCOPES, TermTable, last_part, short_id, short_rank
from tripletree.io.source import Source, read_bytes
from tripletree.io.xml import XmlChildren

_OWL = "http://www.w3.org/2002/07/owl#"
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_RDFS = "{http://www.w3.org/2000/01/rdf-schema#}"
_OBO_IN_OWL = "{http://www.geneontology.org/formats/oboInOwl#}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_SUBCLASS, _LABEL, _TYPE = f"{_RDFS}subClassOf", f"{_RDFS}label", f"{_RDF}type"
_ABOUT, _RESOURCE, _NODE, _ID = f"{_RDF}about", f"{_RDF}resource", f"{_RDF}nodeID", f"{_RDF}ID"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_BROADER, _NARROWER = f"{{{_SKOS}}}broader", f"{{{_SKOS}}}narrower"
_EXACT_MATCH = f"{{{_SKOS}}}exactMatch"
#: A concept above, which need not be the next one, or is one of another thesaurus.
_ABOVE = tuple(f"{{{_SKOS}}}{x}" for x in ("broaderTransitive", "broadMatch"))
_BELOW = tuple(f"{{{_SKOS}}}{x}" for x in ("narrowerTransitive", "narrowMatch"))
_PREF_LABEL = "{http://www.w3.org/2004/02/skos/core#}prefLabel"
#: Properties that hold other names, with the scope that OBO calls them by.
_SYNONYMS = {
    **{f"{_OBO_IN_OWL}has{x.capitalize()}Synonym": x for x in SCOPES},
    "{http://www.w3.org/2004/02/skos/core#}altLabel": "exact",
}
_DESCRIPTION = f"{_RDF}Description"
_THING = f"{_OWL}Thing"
_HAS_RANK = "{http://purl.obolibrary.org/obo/ncbitaxon#}has_rank"
_INVERSE_OF, _IMPORTS = f"{{{_OWL}}}inverseOf", f"{{{_OWL}}}imports"
_AXIOM = f"{{{_OWL}}}Axiom"
_REPLACED = "{http://purl.obolibrary.org/obo/}IAO_0100001"
#: The IRIs of types that make a class, an obsolete class, or a relation type.
_CLASSES = {f"{_OWL}Class", "http://www.w3.org/2000/01/rdf-schema#Class", f"{_OWL}DeprecatedClass", f"{_SKOS}Concept"}
_DEPRECATED = {f"{_OWL}DeprecatedClass"}
_PROPERTIES = {f"{_OWL}ObjectProperty", f"{_OWL}TransitiveProperty", f"{_OWL}FunctionalProperty"}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@kept
def read_owl(
    path: Source,
    *,
    relations: str | Iterable[str] | None = ("is_a",),
    root: str | Iterable[str] | None = None,
    namespace: str | Iterable[str] | None = None,
    obsolete: bool = False,
    genus: bool = True,
    placeholders: bool | str | Iterable[str] = True,
) -> Ontology:
    """Read the classes of an OWL file (RDF/XML) and how they stand below each other.

    Parameters
    ----------
    path, relations, root, namespace, obsolete, genus, placeholders
        As in `read_obo`. Relations go by identifier, label or shorthand (``"part_of"``). The namespace is the
        ``oboInOwl:hasOBONamespace``, deprecated classes are obsolete, and the genus is the named class in the
        ``owl:intersectionOf`` of a defined term.

    Returns
    -------
    Ontology
        Terms by their (short) identifiers, in the order of the file, with their labels as names: the one without a
        language or in English, if there is a choice. Without a label, the end of the IRI is the name.

    See Also
    --------
    read_obo, read_obograph : the same from the other formats of ontologies.

    Notes
    -----
    Classes that are referred to but not defined are kept, without a name, behind all others (as in `read_obo`).
    ``owl:Thing``, which is above everything, is left out. The file is read in one pass, a class at a time.

    Examples
    --------
    >>> import io
    >>> text = '''<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    ...     xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
    ...   <owl:Class rdf:about="http://purl.obolibrary.org/obo/CL_0000034">
    ...     <rdfs:label>stem cell</rdfs:label>
    ...     <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/CL_0000000"/>
    ...   </owl:Class>
    ... </rdf:RDF>'''
    >>> ontology = read_owl(io.StringIO(text))
    >>> list(ontology.terms), ontology.names
    (['CL:0000034', 'CL:0000000'], ('stem cell', None))
    """
    terms = _OwlDocument(*read_bytes(path)).terms
    return terms.ontology(
        relations=relations, root=root, namespace=namespace, obsolete=obsolete, genus=genus, placeholders=placeholders
    )


def owl_synonyms(path: Source, *, scopes: str | Iterable[str] = ("exact",)) -> dict[str, list[str]]:
    """Return the other names of classes of an OWL file. See `tripletree.io.read_synonyms`."""
    return _OwlDocument(*read_bytes(path), synonyms=True).terms.other_names(scopes)


class _OwlDocument:
    """The classes of an RDF/XML document.

    A subject may be described in several places, and typed in only one of them: its statements are kept by IRI
    until the end.
    """

    def __init__(self, content: bytes | str, path: str | None, *, synonyms: bool = False) -> None:
        self._keep_synonyms = synonyms
        self._xml = XmlChildren(content, path, plain_entities=True)
        self.terms = TermTable(
            path,
            error=lambda at, message: self._xml.error(message, at=at),
            where=lambda at: f"line {self._xml.error('', at=at).line}",
        )
        self._base = ""
        self._ids: dict[str, str] = {}
        self._classes: dict[str, int] = {}
        self._properties: dict[str, str] = {}
        self._labels: dict[str, tuple[int, str]] = {}
        self._namespaces: dict[str, str] = {}
        self._ranks: dict[str, str] = {}
        self._synonyms: list[tuple[str, str, str]] = []
        self._deprecated: set[str] = set()
        #: (class, relation, parent, place), the relation None for a blank node that has both.
        self._edges: list[tuple[str, str | None, str, int]] = []
        self._broader: set[tuple[str, str]] = set()
        self._matches: list[tuple[str, str]] = []
        self._unplaced: set[str] = set()
        #: The named classes of intersections that have a name of their own, for this file only.
        self._expressions: dict[str, list[str]] = {}
        self._restrictions: dict[str, tuple[str, str]] = {}
        self._genera: list[tuple[str, str, int]] = []
        for element in self._xml:
            if self._xml.here == 0:
                self._check_root()
            if element.tag != _AXIOM:  # a note on an axiom: a third of a large file
                self._describe(element)
        self._check_root()
        self._finish(path)

    def _check_root(self) -> None:
        root = self._xml.root
        if root is None or root.tag != f"{_RDF}RDF":
            found = "nothing" if root is None else root.tag.rpartition("}")[2]
            hint = "; this is OWL/XML: save it as RDF/XML" if found == "Ontology" else ""
            msg = f"an OWL file in RDF/XML begins with rdf:RDF, not with {found}{hint}"
            raise ParseError(msg, path=self._xml.path, line=1, column=1)
        self._base = root.get(f"{_XML}base", "")

    # ------------------------------------------------------------------ identifiers

    def _iri(self, reference: str) -> str:
        """Return a reference in full, relative to the document's base."""
        if _ABSOLUTE.match(reference) or not self._base:
            return reference
        try:
            return urljoin(self._base, reference) if reference else self._base
        except ValueError as error:
            msg = f"{reference!r} is not a reference: {error}"
            raise self._xml.error(msg) from None

    def _id(self, iri: str) -> str:
        short = self._ids.get(iri)
        if short is None:
            short = self._ids[iri] = short_id(iri)
        return short

    def _named(self, element: Element) -> str | None:
        """The subject of a node element or the object of a property element: an IRI, ``_:name`` if it is blank."""
        for key in (_ABOUT, _RESOURCE):
            reference = element.get(key)
            if reference is not None:
                return self._iri(reference)
        local = element.get(_ID)
        if local is not None:
            return self._iri(f"#{local}")
        blank = element.get(_NODE)
        return None if blank is None else f"_:{blank}"

    def _object(self, element: Element) -> str | None:
        """The target of a property element, given itself or by the node in it. None for text and unnamed nodes."""
        named = self._named(element)
        return named if named is not None or not len(element) else self._named(element[0])

    # ------------------------------------------------------------------ descriptions

    def _describe(self, element: Element) -> None:
        """A node element, and the named classes described within it."""
        waiting = [element]
        while waiting:
            node = waiting.pop()
            subject = self._named(node)
            types = {node.tag[1:].replace("}", "", 1)} if node.tag != _DESCRIPTION else set()
            types.update(self._iri(x.get(_RESOURCE, "")) for x in node.iterfind(_TYPE))
            if types & _CLASSES and subject is not None and subject[:2] != "_:":
                self._classes.setdefault(subject, self._xml.here)
                if types & _DEPRECATED:
                    self._deprecated.add(subject)
            elif types & _PROPERTIES and subject is not None:
                self._properties.setdefault(subject, "")
            elif f"{_OWL}Restriction" in types and subject is not None:
                self._restriction(subject, node)
            elif types & _CLASSES and subject is not None:  # an expression that others refer to
                self._expressions.setdefault(subject, [])
                self._genus(subject, node)
                continue
            elif types and not types & _PROPERTIES:
                continue
            for child in node.iterfind(_INVERSE_OF) if types & _PROPERTIES and subject is not None else ():
                inverse = self._object(child)
                if inverse is not None:
                    self.terms.inverses.setdefault(self._id(str(subject)), self._id(inverse))
            if types & {f"{_OWL}Ontology"}:
                self.terms.imports += [self._object(x) or "?" for x in node.iterfind(_IMPORTS)]
            if subject is not None:
                self._literals(subject, node)
                waiting += [x for x in self._parents(subject, node) if len(x)]
                waiting += self._concepts(subject, node)
                self._genus(subject, node)
                waiting += self._equivalents(subject, node)

    def _literals(self, subject: str, node: Element) -> None:
        """Label, namespace, secondary identifiers and the like."""
        label = node.get(_LABEL)
        if label:
            self._labels.setdefault(subject, (1, label))
        for child in node:
            tag, text = child.tag, (child.text or "").strip()
            if tag == _HAS_RANK:
                self._ranks.setdefault(subject, short_rank(child.get(_RESOURCE) or text))
            elif tag == _REPLACED and (child.get(_RESOURCE) or text):
                reference = child.get(_RESOURCE)
                other = text if reference is None else self._id(self._iri(reference))
                self.terms.replaced.setdefault(self._id(subject), short_id(other))
            if not text:
                continue
            if tag in (_LABEL, _PREF_LABEL):
                language = child.get(f"{_XML}lang", "").lower()
                rank = (0 if not language else 1 if language[:2] == "en" else 2) + 3 * (tag == _PREF_LABEL)
                if subject not in self._labels or rank < self._labels[subject][0]:
                    self._labels[subject] = (rank, text)
            elif tag == f"{_OBO_IN_OWL}hasOBONamespace":
                self._namespaces.setdefault(subject, text)
            elif self._keep_synonyms and tag in _SYNONYMS:
                self._synonyms.append((subject, _SYNONYMS[tag], text))
            elif tag == f"{_OBO_IN_OWL}hasAlternativeId":
                self.terms.alternatives.setdefault(text, self._id(subject))
            elif tag == f"{_OBO_IN_OWL}consider":
                self.terms.considered.setdefault(self._id(subject), []).append(text)
            elif tag == f"{_OBO_IN_OWL}shorthand":
                self._properties[subject] = text
            elif tag == f"{{{_OWL}}}deprecated" and text in ("true", "1"):
                self._deprecated.add(subject)

    def _parents(self, subject: str, node: Element) -> list[Element]:
        """Take a node's subClassOf. Gives back the classes that are described within."""
        within = []
        for child in node.iterfind(_SUBCLASS):
            if subject[:2] != "_:":
                self._classes.setdefault(subject, self._xml.here)
            parent = self._named(child)
            inner = child[0] if parent is None and len(child) else None
            if inner is not None and inner.tag == f"{{{_OWL}}}Restriction":
                self._restriction_edge(subject, inner)
                continue
            if inner is not None:
                parent = self._named(inner)
                within.append(inner)
                if parent is None:
                    self._expression(subject, inner)
            elif parent is None:
                msg = "rdfs:subClassOf names no class: give it rdf:resource, or a class within"
                raise self._xml.error(msg)
            if parent is not None:
                self._edges.append((subject, None if parent[:2] == "_:" else "is_a", parent, self._xml.here))
        return within

    def _expression(self, subject: str, inner: Element) -> None:
        """``subject subClassOf (a class and (property some class))``. A union does not tell the parent."""
        waiting, parents = [inner], 0
        while waiting:
            for member in (x for some in waiting.pop().iterfind(f"{{{_OWL}}}intersectionOf") for x in some):
                named = self._named(member)
                if member.tag == f"{{{_OWL}}}Restriction":
                    self._restriction_edge(subject, member)
                elif named is None:
                    waiting.append(member)
                elif named[:2] != "_:":
                    parents += 1
                    self._edges.append((subject, "is_a", named, self._xml.here))
        if not parents:
            self._unplaced.add(subject)

    def _concepts(self, subject: str, node: Element) -> list[Element]:
        """Take a concept's broader and narrower ones. Gives back the concepts that are described within."""
        within = []
        for child in node.iterfind(_EXACT_MATCH):
            other = self._object(child)
            if other is not None:
                self._matches.append((subject, other))
        if subject[:2] != "_:" and any(node.find(x) is not None for x in _ABOVE):
            self._unplaced.add(subject)
        below = [self._object(child) for x in _BELOW for child in node.iterfind(x)]
        self._unplaced.update(x for x in below if x is not None)
        for tag in (_BROADER, _NARROWER):
            for child in node.iterfind(tag):
                other = self._object(child)
                if other is None or "_:" in (other[:2], subject[:2]):
                    continue
                within += list(child)[:1]
                for concept in (subject, other) if tag == _NARROWER else (subject,):
                    self._classes.setdefault(concept, self._xml.here)
                pair = (other, subject) if tag == _NARROWER else (subject, other)
                if pair not in self._broader:
                    self._broader.add(pair)
                    self._edges.append((pair[0], "is_a", pair[1], self._xml.here))
        return within

    def _genus(self, subject: str, node: Element) -> None:
        """The named classes of the intersection that a class is, or is equivalent to."""
        inner = [x for child in node.iterfind(f"{{{_OWL}}}equivalentClass") for x in child]
        for defined in [node, *(x for x in inner if self._named(x) is None)]:
            for members in defined.iterfind(f"{{{_OWL}}}intersectionOf"):
                for member in members:
                    parent = self._named(member)
                    if parent is not None and parent[:2] != "_:" and member.tag != f"{{{_OWL}}}Restriction":
                        self._genera.append((subject, parent, self._xml.here))

    def _equivalents(self, subject: str, node: Element) -> list[Element]:
        """Take the named classes that a class is equivalent to. Return the classes that are described within."""
        within = []
        for child in node.iterfind(f"{{{_OWL}}}equivalentClass"):
            other = self._object(child)
            if other is not None and other[:2] != "_:" and subject[:2] != "_:" and _THING not in (subject, other):
                self.terms.equivalent.append((self._id(subject), self._id(other)))
                within += [x for x in child if len(x)]
        return within

    def _restriction_edge(self, subject: str, restriction: Element) -> None:
        """``subject subClassOf (property some class)``. Other restrictions are not relations."""
        blank = f"_:{len(self._restrictions)} here"
        if self._restriction(blank, restriction):
            self._edges.append((subject, None, blank, self._xml.here))

    def _restriction(self, blank: str, node: Element) -> bool:
        ends = [node.find(f"{{{_OWL}}}{x}") for x in ("onProperty", "someValuesFrom")]
        kind, filler = (None if x is None else self._object(x) for x in ends)
        if kind is None or filler is None or filler[:2] == "_:":
            return False
        self._restrictions[blank] = (kind, filler)
        return True

    # ------------------------------------------------------------------ the end

    def _finish(self, path: str | None) -> None:
        """Put the gathered terms into the table."""
        terms = self.terms
        if not self._classes:
            msg = "there is no class in it, and no concept of SKOS"
            raise ParseError(msg, path=path, line=1, column=1)
        self._classes.pop(_THING, None)
        for iri, shorthand in self._properties.items():
            label = self._labels.get(iri, (0, None))[1]
            terms.type_names[self._id(iri)] = shorthand or label or last_part(iri) or iri
        for iri, at in self._classes.items():
            position = terms.define(self._id(iri), at)
            short = terms.ids[position]
            fallback = last_part(iri) if short == iri else None
            terms.names[position] = self._labels.get(iri, (0, fallback))[1]
            terms.namespaces[position] = self._namespaces.get(iri)
            if self._ranks.get(iri):
                terms.ranks[position] = self._ranks[iri]
            if iri in self._deprecated:
                terms.obsolete.add(position)
        for one, other in self._matches:  # classes of other thesauri are not here
            if one in self._classes and other in self._classes:
                terms.equivalent.append((self._id(one), self._id(other)))
        for iri, scope, text in self._synonyms:
            if iri in self._classes:
                terms.synonyms.append((terms.position[self._id(iri)], scope, text))
        terms.unplaced.update(self._id(x) for x in self._unplaced)
        for child, parent, _ in self._genera:
            if child[:2] == "_:":
                self._expressions.setdefault(child, []).append(parent)
        for child, relation, parent, at in self._edges:
            if relation is None:
                if parent not in self._restrictions:  # a blank node that is not a "some" restriction
                    known = [x for x in self._expressions.get(parent, ()) if x != _THING]
                    if child in self._classes:
                        for named in known:
                            terms.add_edge(terms.position[self._id(child)], self._id(named), "is_a", at)
                        if parent in self._expressions and not known:
                            terms.unplaced.add(self._id(child))
                    continue
                relation, parent = self._restrictions[parent]
                relation = self._id(relation)
            if _THING in (child, parent) or child[:2] == "_:":
                continue
            terms.add_edge(terms.position[self._id(child)], self._id(parent), relation, at)
        for child, parent, at in self._genera:
            if child in self._classes and _THING not in (child, parent):
                terms.add_genus(terms.position[self._id(child)], self._id(parent), at)


FORMAT = FileFormat(
    "owl", "OWL or SKOS (RDF/XML)", ontology=read_owl, synonyms=owl_synonyms, xml_roots=("RDF", "Ontology")
)
