"""ICD-10-CM: the tabular list of diseases as the CDC publishes it (``icd10cm-tabular-2024.xml``).

Chapters hold sections, sections hold categories (A00), categories hold codes (A00.0), to any depth. Notes and the
characters that extend a code (the seventh) are not read: extended codes have no entries of their own in the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.core.placeholders import Placeholders
from tripletree.errors import ParseError
from tripletree.io.format import FileFormat
from tripletree.io.ontology_terms import past_placeholders
from tripletree.io.source import Source, read_bytes
from tripletree.io.xml import XmlEvents

_ROOT = "ICD10CM.tabular"
_NODES = frozenset({"chapter", "section", "diag"})


@kept
def read_icd(
    path: Source, *, labels: Literal["id", "name"] = "id", placeholders: bool | str | Iterable[str] = True
) -> Hierarchy:
    """Read the tabular list of ICD-10-CM.

    Parameters
    ----------
    path : path, file object or "-"
        The XML file. Gzip, bzip2 and xz are unpacked.
    labels : {"id", "name"}
        Names of leaves and inner nodes: their codes (``A00.0``, ``A00-A09`` for a section, ``chapter 1``), or
        their descriptions.
    placeholders : bool, str or iterable of str
        Descriptions that say no more than the one above, as "Cholera, unspecified" below "Cholera": such codes are
        left out, or open if they are leaves (``.incertae_sedis``). Names extend the known ones, False takes every
        description for one of a kind of its own.

    Returns
    -------
    Hierarchy
        Leaves are the codes that no other code refines, in the order of the file. `ranks` tells which nodes are
        chapters, sections, categories (the codes right below a section) and subcategories. Sections that hold no
        code, which the list has as headings, are left out.

    Examples
    --------
    >>> import io
    >>> diags = "".join(f"<diag><name>A00.{k}</name><desc>Cholera {k}</desc></diag>" for k in (0, 1, 9))
    >>> section = f'<section id="A00-A09"><diag><name>A00</name><desc>Cholera</desc>{diags}</diag></section>'
    >>> text = f"<ICD10CM.tabular><chapter><name>1</name>{section}</chapter></ICD10CM.tabular>"
    >>> h = read_icd(io.StringIO(text))
    >>> list(h.leaves), h.names
    (['A00.0', 'A00.1', 'A00.9'], ('A00', 'A00-A09', 'chapter 1'))
    """
    return icd_ontology(path, placeholders=placeholders).to_hierarchy(labels=labels)


def icd_ontology(path: Source, *, placeholders: bool | str | Iterable[str] = True) -> Ontology:
    """Return the tabular list as an ontology: codes as terms, descriptions as names, and ranks."""
    fillers = Placeholders.of(placeholders)
    content, name = read_bytes(path)
    entries = _with_codes(_entries(XmlEvents(content, name)))
    if not entries:
        raise ParseError("no codes (elements diag) in it", path=name)
    position = {u: k for k, u in enumerate(entries)}
    codes = {x.code for x in entries.values() if x.kind == "diag"}
    ids = [f"section {x.code}" if x.kind == "section" and x.code in codes else x.code for x in entries.values()]
    edges = [(k, position[x.parent]) for k, x in enumerate(entries.values()) if x.parent >= 0]
    ranks = []
    for x in entries.values():
        category = x.parent < 0 or entries[x.parent].kind != "diag"
        ranks.append(x.kind if x.kind != "diag" else "category" if category else "subcategory")
    made = Ontology(ids, edges, names=[x.description for x in entries.values()], ranks=ranks)
    return past_placeholders(made, fillers, terms=True)


class _Entry(NamedTuple):
    kind: str
    parent: int
    code: str
    description: str | None


def _entries(events: XmlEvents) -> list[_Entry]:
    """Return all chapters, sections and diagnoses, parents first."""
    tags: list[str] = []
    open_nodes: list[int] = []
    kinds: list[str] = []
    parents: list[int] = []
    places: list[int] = []
    codes: list[str | None] = []
    descriptions: list[str | None] = []
    seen: dict[tuple[bool, str], int] = {}
    for event, element in events:
        tag = element.tag
        if event == "start":
            if not tags and tag != _ROOT:
                raise events.error(f"no tabular list of ICD-10-CM: the root is <{tag}>, not <{_ROOT}>")
            tags.append(tag)
            if tag in _NODES:
                kinds.append(tag)
                parents.append(open_nodes[-1] if open_nodes else -1)
                places.append(events.here)
                codes.append((element.get("id") or "").strip() or None if tag == "section" else None)
                descriptions.append(None)
                open_nodes.append(len(kinds) - 1)
            continue
        tags.pop()
        if tag in ("name", "desc") and tags and tags[-1] in _NODES:
            text = " ".join((element.text or "").split()) or None
            u = open_nodes[-1]
            if tag == "desc":
                descriptions[u] = text
            elif kinds[u] != "section":
                codes[u] = f"chapter {text}" if text and kinds[u] == "chapter" else text
        elif tag in _NODES:
            u = open_nodes.pop()
            code = codes[u]
            if code is None:
                wanted = "attribute id" if tag == "section" else "element <name>"
                raise events.error(f"a <{tag}> without {wanted}: it has no code", at=places[u])
            if seen.setdefault((tag == "section", code), u) != u:
                raise events.error(f"the code {code!r} stands twice", at=places[u])
    return [
        _Entry(kind, p, str(code), text)
        for kind, p, code, text in zip(kinds, parents, codes, descriptions, strict=True)
    ]


def _with_codes(entries: list[_Entry]) -> dict[int, _Entry]:
    """Diagnoses, and the chapters and sections that hold some."""
    holds = [x.kind == "diag" for x in entries]
    for u in range(len(entries) - 1, -1, -1):
        p = entries[u].parent
        if p >= 0 and holds[u]:
            holds[p] = True
    return {u: x for u, x in enumerate(entries) if holds[u]}


FORMAT = FileFormat(
    "icd", "ICD-10-CM tabular XML", read=read_icd, ontology=icd_ontology, xml_roots=("ICD10CM.tabular", "ICD10CM.index")
)
