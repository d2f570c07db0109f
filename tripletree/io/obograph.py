"""OBO Graphs: ontologies as JSON (``go.json``), nodes and edges in a list of graphs.

Nodes that are classes are the terms. Nodes without a type count as classes if they have a label. Identifiers of the
OBO library are shortened, so that they read as in OBO files (``http://purl.obolibrary.org/obo/GO_0008150`` is
``GO:0008150``). The genus of a logical definition is a parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.errors import ParseError, error_at
from tripletree.io.format import FileFormat, FileStart
from tripletree.io.json_text import load_json
from tripletree.io.ontology_terms import TermTable, short_id, short_rank
from tripletree.io.source import Source, decoded, read_bytes

_OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
_FACTS = ("hasOBONamespace", "hasAlternativeId", "shorthand", "consider")
_REPLACED = "http://purl.obolibrary.org/obo/IAO_0100001"
_HAS_RANK = "http://purl.obolibrary.org/obo/ncbitaxon#has_rank"
_KEPT = {_HAS_RANK, _REPLACED, *_FACTS, *(_OBO_IN_OWL + x for x in _FACTS)}
_THING = ("http://www.w3.org/2002/07/owl#Thing", "owl:Thing")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)

#: A place in the file: (number of the graph, "nodes" or "edges", number in the list) as one integer.
_STEP = 1 << 40


@kept
def read_obograph(
    path: Source,
    *,
    relations: str | Iterable[str] | None = ("is_a",),
    root: str | Iterable[str] | None = None,
    namespace: str | Iterable[str] | None = None,
    obsolete: bool = False,
    genus: bool = True,
    placeholders: bool | str | Iterable[str] = True,
) -> Ontology:
    """Read the terms of an OBO Graphs file (JSON) and how they stand below each other.

    Parameters
    ----------
    path, relations, root, namespace, obsolete, genus, placeholders
        As in `read_obo`. Relations go by identifier, label or shorthand (``"part_of"``). The namespace is the
        ``hasOBONamespace``, deprecated terms are obsolete, and the genus stands in the ``genusIds`` of a logical
        definition.

    Returns
    -------
    Ontology
        Terms by their (short) identifiers, with their labels as names. Terms and edges in the order of the file, all
        of its graphs together.

    See Also
    --------
    read_obo, read_owl : the same from the other formats of ontologies.

    Notes
    -----
    Terms that are referred to but not defined are kept, without a name, behind all others (as in `read_obo`). A node
    without a type is a property, not a term, if the file uses it as one, or if it has no edge while classes
    have the type of classes.

    Examples
    --------
    >>> import io, json
    >>> graph = {
    ...     "nodes": [{"id": "CL:0000034", "lbl": "stem cell", "type": "CLASS"}],
    ...     "edges": [{"sub": "CL:0000034", "pred": "is_a", "obj": "CL:0000000"}],
    ... }
    >>> ontology = read_obograph(io.StringIO(json.dumps({"graphs": [graph]})))
    >>> list(ontology.terms), ontology.names
    (['CL:0000034', 'CL:0000000'], ('stem cell', None))
    """
    terms = _GraphDocument(*read_bytes(path)).terms
    return terms.ontology(
        relations=relations, root=root, namespace=namespace, obsolete=obsolete, genus=genus, placeholders=placeholders
    )


def obograph_synonyms(path: Source, *, scopes: str | Iterable[str] = ("exact",)) -> dict[str, list[str]]:
    """Return the other names of terms of an OBO Graphs file. See `tripletree.io.read_synonyms`."""
    return _GraphDocument(*read_bytes(path), synonyms=True).terms.other_names(scopes)


class _GraphDocument:
    """The terms of an OBO Graphs text."""

    def __init__(self, content: bytes | str, path: str | None, *, synonyms: bool = False) -> None:
        self._text = decoded(content, path)
        self._path, self._synonyms = path, synonyms
        self.terms = TermTable(path, error=self._error, where=_spelled)
        self._short = lru_cache(maxsize=None)(short_id)
        self._others: set[str] = set()
        #: The ids that the file uses as properties of nodes.
        self._predicates: set[str] = set()
        #: Nodes without a type that are not among its terms.
        self._properties: set[str] = set()
        graphs = self._graphs()
        self._find_properties(graphs)
        for g, graph in enumerate(graphs):
            for k, node in enumerate(self._items(g, graph, "nodes")):
                self._node(node, _at(g, "nodes", k))
        for g, graph in enumerate(graphs):
            for k, edge in enumerate(self._items(g, graph, "edges")):
                self._edge(edge, _at(g, "edges", k))
            for axiom in self._items(g, graph, "logicalDefinitionAxioms"):
                self._definition(axiom)
            for nodes in self._items(g, graph, "equivalentNodesSets"):
                ids = nodes.get("nodeIds") if isinstance(nodes, dict) else None
                same = [self._short(x) for x in ids or () if isinstance(x, str) and x and x not in _THING]
                self.terms.equivalent += zip(same, same[1:], strict=False)

    # ------------------------------------------------------------------ the document

    def _graphs(self) -> list[Any]:
        document = load_json(self._text, self._path, object_hook=self._slim)
        graphs = document.get("graphs") if isinstance(document, dict) else None
        if graphs is None and isinstance(document, dict) and "nodes" in document:
            graphs = [document]
        if not isinstance(graphs, list):
            msg = (
                'an OBO Graphs file is {"graphs": [{"nodes": [...], "edges": [...]}]}; there is no list of graphs here'
            )
            raise ParseError(msg, path=self._path, line=1, column=1)
        return graphs

    def _slim(self, item: dict) -> dict | None:
        """An object of the file without needless entries, so that definitions and synonyms do not fill the memory."""
        if "id" in item or "sub" in item:
            return item
        if "pred" in item and "val" in item:
            pred = str(item["pred"])
            self._predicates.add(pred)
            return item if pred in _KEPT or (self._synonyms and pred.endswith("Synonym")) else None
        if "basicPropertyValues" in item or "definition" in item or "synonyms" in item:
            kept = ("basicPropertyValues", "deprecated", *(["synonyms"] if self._synonyms else []))
            return {key: item[key] for key in kept if key in item}
        return item

    def _items(self, g: int, graph: Any, what: str) -> list[Any]:
        items = graph.get(what) if isinstance(graph, dict) else 0
        if items is None:
            return []
        if not isinstance(items, list):
            msg = f"graphs[{g}] must be an object with a list of {what}"
            raise ParseError(msg, path=self._path, line=1, column=1)
        return items

    def _find_properties(self, graphs: list[Any]) -> None:
        """Which nodes without a type are not terms, but properties: by their use in the file."""
        used = {self._short(x) for x in self._predicates} | self._predicates
        nodes = [x for g, graph in enumerate(graphs) for x in self._items(g, graph, "nodes") if isinstance(x, dict)]
        edges = [x for g, graph in enumerate(graphs) for x in self._items(g, graph, "edges") if isinstance(x, dict)]
        placed: set[Any] = set()
        for edge in edges:
            ends = {str(edge.get("sub")), str(edge.get("obj"))}
            if edge.get("pred") in ("subPropertyOf", "inverseOf"):
                used |= set(map(self._short, ends))
            else:
                placed |= ends
                used.add(self._short(str(edge.get("pred"))))
        typed = any(x.get("type") == "CLASS" for x in nodes)
        for node in nodes:
            iri = node.get("id")
            if node.get("type") or not isinstance(iri, str):
                continue
            known = used & {self._short(iri), iri.removeprefix(_OBO_IN_OWL)}
            # where classes have their type, a node without type and edges is not a class
            if known or node.get("propertyType") or (typed and iri not in placed):
                self._properties.add(iri)

    def _error(self, at: int, message: str) -> ParseError:
        offset = _offset(self._text, _path_of(at))
        return error_at(offset, self._text, f"{_spelled(at)}: {message}", self._path)

    def _field(self, item: Any, key: str, at: int, *, optional: bool = False) -> str:
        """Return a field that holds text."""
        value = item.get(key) if isinstance(item, dict) else None
        if (value is None or value == "") and optional:
            return ""
        if not isinstance(value, str) or not value:
            msg = f"expected an object with a text {key!r}, which here is {value!r}"
            raise self._error(at, msg)
        if not value.isascii() and any("\ud800" <= x <= "\udfff" for x in value):
            msg = f"the text {key!r} holds half of a surrogate pair, which no file can hold: {value!r:.60}"
            raise self._error(at, msg)
        return value

    # ------------------------------------------------------------------ nodes and edges

    def _node(self, node: Any, at: int) -> None:
        iri = self._field(node, "id", at)
        kind = self._field(node, "type", at, optional=True)
        label = self._field(node, "lbl", at, optional=True).strip()
        meta = node.get("meta")
        facts = _facts(meta) if isinstance(meta, dict) else {}
        term = self._short(iri)
        if kind == "PROPERTY" or iri in self._properties:
            self._others.add(term)
            self.terms.type_names[term] = facts.get("shorthand", [""])[0] or label or term
            return
        if kind == "INDIVIDUAL":
            self._others.add(term)
            return
        if iri in _THING or (kind != "CLASS" and not label):
            return
        position = self.terms.define(term, at)
        namespaces = facts.get("hasOBONamespace", [None])
        self.terms.set_name(position, label or None, at)
        self.terms.set_namespace(position, namespaces[0], at)
        if _HAS_RANK in facts:
            self.terms.ranks[position] = short_rank(facts[_HAS_RANK][0])
        for alternative in facts.get("hasAlternativeId", []):
            self.terms.alternatives.setdefault(self._short(alternative), term)
        found = meta.get("synonyms") if self._synonyms and isinstance(meta, dict) else None
        for item in found if isinstance(found, list) else []:
            value, scope = (item.get(x) if isinstance(item, dict) else None for x in ("val", "pred"))
            if isinstance(value, str) and isinstance(scope, str):
                scope = scope.removeprefix(_OBO_IN_OWL).removeprefix("has").removesuffix("Synonym").lower()
                self.terms.synonyms.append((position, scope, value.strip()))
        if isinstance(meta, dict) and meta.get("deprecated") is True:
            self.terms.obsolete.add(position)
            for other in facts.get(_REPLACED, [])[:1]:
                self.terms.replaced.setdefault(term, self._short(other))
            for other in facts.get("consider", []):
                self.terms.considered.setdefault(term, []).append(self._short(other))

    def _definition(self, axiom: Any) -> None:
        """The genus of a logical definition. Anything else is passed over."""
        term, genera = (axiom.get(x) if isinstance(axiom, dict) else None for x in ("definedClassId", "genusIds"))
        position = self.terms.position.get(self._short(term)) if isinstance(term, str) else None
        if position is None or not isinstance(genera, list):
            return
        for genus in genera:
            if isinstance(genus, str) and genus and genus not in _THING:
                self.terms.add_genus(position, self._short(genus), self.terms.place_of(position))

    def _edge(self, edge: Any, at: int) -> None:
        child, relation, parent = (self._field(edge, key, at) for key in ("sub", "pred", "obj"))
        if relation == "inverseOf":
            self.terms.inverses.setdefault(self._short(child), self._short(parent))
        if child in _THING or parent in _THING or relation in ("subPropertyOf", "inverseOf", "type"):
            return
        term = self._short(child)
        if term in self._others:
            return
        position = self.terms.position.get(term)
        if position is None:
            position = self.terms.define(term, at)
            self.terms.implicit.add(position)
        self.terms.add_edge(position, self._short(parent), self._short(relation), at)


def _facts(meta: dict) -> dict[str, list[str]]:
    """Return the values of a node's properties, by the property's short name."""
    facts: dict[str, list[str]] = {}
    values = meta.get("basicPropertyValues")
    for item in values if isinstance(values, list) else []:
        if isinstance(item, dict) and isinstance(item.get("val"), str) and item["val"]:
            facts.setdefault(str(item.get("pred")).removeprefix(_OBO_IN_OWL), []).append(item["val"])
    return facts


# ---------------------------------------------------------------------- places


def _at(graph: int, what: str, k: int) -> int:
    return (graph * 2 + (what == "edges")) * _STEP + k


def _path_of(at: int) -> tuple[int, str, int]:
    which, k = divmod(at, _STEP)
    return which // 2, "edges" if which % 2 else "nodes", k


def _spelled(at: int) -> str:
    graph, what, k = _path_of(at)
    return f"graphs[{graph}].{what}[{k}]"


def _offset(text: str, wanted: tuple[int, str, int]) -> int:
    """Return the place in a JSON text where an item of a graph's list begins."""
    graph, what, k = wanted
    paths = [("graphs", graph, what, k), *([(what, k)] if graph == 0 else [])]
    steps: list[Any] = []  # the key or number of the present item in each of the open objects and lists
    key = ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "]}":
            steps.pop()
            continue
        if token == ",":
            if isinstance(steps[-1], int):
                steps[-1] += 1
            continue
        if token == ":":
            steps[-1] = key
            continue
        if tuple(steps) in paths:
            return match.start()
        if token in "[{":
            steps.append(0 if token == "[" else "")
        elif token[0] == '"':
            key = token[1:-1]
    return 0


def _recognize(start: FileStart) -> str | None:
    body = start.body
    graphs = '"graphs"' in body[:4096] or ('"nodes"' in body and '"edges"' in body and '"lbl"' in body)
    return "it is JSON with graphs of nodes and edges" if body[0] in "{[" and graphs else None


FORMAT = FileFormat(
    "obograph", "OBO Graphs JSON", ontology=read_obograph, synonyms=obograph_synonyms, recognize=_recognize
)
