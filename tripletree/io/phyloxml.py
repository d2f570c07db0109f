"""PhyloXML: the phylogenies of a file, with names or taxonomy, branch lengths and ranks.

Read by the standard library's XML parser, without recursion: Biopython 1.88 raises a RecursionError on a tree of 3,000
levels. Read from a clade are: its name, its branch length (attribute or element), its first taxonomy and the name of
its first sequence, its confidences, and the property ``tripletree:incertae_sedis`` of open nodes. All else is passed
over. Entities and document types are refused. A tree with ``rooted="false"`` has no root until it gets one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from tripletree.core.checks import check_choice
from tripletree.core.confidence import SUPPORT_KEYS
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import kept
from tripletree.io.forest import PlaceholderNames, TreeFile, one_of
from tripletree.io.format import FileFormat
from tripletree.io.node_list import branch_length, listed_hierarchy
from tripletree.io.source import Source, read_bytes
from tripletree.io.xml import XmlHandlers

CladeLabels = Literal["name", "scientific_name", "common_name", "code", "id", "sequence", "any"]

#: The place of the text of each kind of label: below (parent, element) in a clade. In the order of the schema.
_PLACES: dict[tuple[str, str], str] = {
    ("clade", "name"): "name",
    ("taxonomy", "id"): "id",
    ("taxonomy", "code"): "code",
    ("taxonomy", "scientific_name"): "scientific_name",
    ("taxonomy", "common_name"): "common_name",
    ("sequence", "name"): "sequence",
}
#: The elements whose text is kept, below the element that they stand in.
_HEARD = {
    *_PLACES,
    ("clade", "branch_length"),
    ("clade", "confidence"),
    ("clade", "property"),
    ("taxonomy", "rank"),
    ("phylogeny", "name"),
}
#: The property of open nodes.
_OPEN = "tripletree:incertae_sedis"


@dataclass
class _Phylogeny:
    """The clades of one phylogeny, in document order. `labels` has the texts of each kind by clade."""

    at: int
    name: str | None = None
    parent: list[int] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    ranks: list[str | None] = field(default_factory=list)
    labels: dict[str, dict[int, str]] = field(default_factory=lambda: {kind: {} for kind in _PLACES.values()})
    places: list[int] = field(default_factory=list)
    rooted: bool | None = None
    opened: set[int] = field(default_factory=set)
    confidence: dict[int, list[tuple[str, float]]] = field(default_factory=dict)  # by clade: types and values

    def texts(self, labels: str) -> dict[int, str]:
        """Return the labels of a kind, by clade."""
        if labels != "any":
            return self.labels[labels]
        found: dict[int, str] = {}
        for kind in get_args(CladeLabels)[-2::-1]:
            found |= self.labels[kind]
        return found


@kept
def read_phyloxml(
    path: Source,
    *,
    tree: str | int | None = None,
    join: bool = False,
    outgroup: Any = None,
    rooted: bool | None = None,
    labels: CladeLabels = "name",
    placeholders: PlaceholderNames = True,
) -> Hierarchy:
    """Read one hierarchy of a PhyloXML file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    tree : str or int, optional
        Which phylogeny: its name, or its position in the file, from 0. May be left out if there is only one.
    join, outgroup, rooted
        As in `read_newick`: all phylogenies below one root, where to put the root, whether there is one (by default as
        the attribute ``rooted`` says).
    labels : {"name", "scientific_name", "common_name", "code", "id", "sequence", "any"}
        The part of a clade that labels the leaf or names the inner node: its name, something of its taxonomy, or
        the name of its sequence. "any" takes the first one that the clade has.
    placeholders : bool, str or iterable of str
        Names of inner nodes that are not taxa, as in `read_newick`.

    Returns
    -------
    Hierarchy
        Leaves in the order of the file. `ranks` come from the taxonomies, `support` from the confidences.

    See Also
    --------
    read_hierarchies : every phylogeny of a file, with its name.

    Examples
    --------
    >>> import io
    >>> text = '''<phyloxml xmlns="http://www.phyloxml.org"><phylogeny rooted="true"><clade>
    ...   <clade branch_length="6"><name>human</name></clade>
    ...   <clade branch_length="6"><name>chimp</name></clade>
    ... </clade></phylogeny></phyloxml>'''
    >>> h = read_phyloxml(io.StringIO(text))
    >>> list(h.leaves), h.length.tolist()
    (['human', 'chimp'], [6.0, 6.0, nan])
    """
    file = phyloxml_file(path, labels=labels)
    return one_of(file, tree=tree, join=join, outgroup=outgroup, rooted=rooted, placeholders=placeholders)


def phyloxml_file(path: Source, *, labels: CladeLabels = "name") -> _PhyloxmlFile:
    """Return the phylogenies of a PhyloXML file."""
    check_choice(labels, "labels", get_args(CladeLabels))
    content, name = read_bytes(path)
    return _PhyloxmlFile(XmlHandlers(content, name), labels, name)


class _PhyloxmlFile(TreeFile):
    """The phylogenies of a file."""

    def __init__(self, events: XmlHandlers, labels: str, path: str | None) -> None:
        self._events, self._labels, self.path = events, labels, path
        self._found = _read(events)

    @property
    def names(self) -> list[str | None]:
        return [x.name for x in self._found]

    def tells_root(self, k: int) -> bool:
        return self._found[k].rooted is not None

    def read(self, k: int, *, keys: Sequence[str] = SUPPORT_KEYS, sure: bool = False) -> Hierarchy:
        return _hierarchy(self._found[k], self._events, self._labels, keys)


def _read(events: XmlHandlers) -> list[_Phylogeny]:
    """Return the phylogenies. `tags` are the elements around the parser's place, `clades` the clades."""
    found: list[_Phylogeny] = []
    tags: list[str] = []
    clades: list[int] = []
    text: list[str] = []
    phylogeny: _Phylogeny | None = None
    heard = -1  # the depth of the element whose text is kept
    given: dict[str, str] = {}  # its attributes

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal phylogeny, heard, given
        events.here += 1
        tag = name.rpartition("}")[2]
        if heard >= 0:
            events.hear(None)  # of its text, the part before the first element in it counts
        if tag == "clade" and phylogeny is not None:
            if tags[-1] not in ("clade", "phylogeny") or (not clades and phylogeny.parent):
                raise events.error("a clade belongs in another clade, or alone in a phylogeny")
            u = len(phylogeny.parent)
            phylogeny.parent.append(clades[-1] if clades else -1)
            length = attributes.get("branch_length")
            phylogeny.lengths.append(math.nan if length is None else _length(length, events))
            phylogeny.ranks.append(None)
            phylogeny.places.append(events.here)
            clades.append(u)
        elif not tags:
            if tag != "phyloxml":
                raise events.error(f"PhyloXML starts with the element phyloxml, and this is {tag!r}")
        elif tag == "phylogeny" and len(tags) == 1:
            told = attributes.get("rooted")
            phylogeny = _Phylogeny(events.here, rooted=None if told is None else told.strip() not in ("false", "0"))
        elif heard < 0 and phylogeny is not None and (tags[-1], tag) in _HEARD:
            heard, given = len(tags), attributes
            text.clear()
            events.hear(text.append)
        tags.append(tag)

    def end(name: str) -> None:
        nonlocal phylogeny, heard
        tag = tags.pop()
        if phylogeny is None:
            return
        if tag == "clade":
            clades.pop()
        elif heard == len(tags):
            heard = -1
            events.hear(None)
            above = tags[-1]
            if above == "phylogeny":
                phylogeny.name = "".join(text).strip() or None
            elif clades and (above == "clade" or tags[-2] == "clade"):
                _take(phylogeny, clades[-1], above, tag, "".join(text), given, events)
        elif tag == "phylogeny" and len(tags) == 1:
            if not phylogeny.parent:
                raise events.error("this phylogeny has no clade: there is no tree in it", at=phylogeny.at)
            found.append(phylogeny)
            phylogeny = None

    events.run(start, end)
    return found


def _take(
    phylogeny: _Phylogeny, u: int, above: str, tag: str, text: str | None, given: dict[str, str], events: XmlHandlers
) -> None:
    """Keep the useful text of an element inside of clade `u`."""
    kind = _PLACES.get((above, tag))
    if kind is not None:
        text = (text or "").strip()
        if text:
            phylogeny.labels[kind].setdefault(u, text)
    elif tag == "branch_length" and above == "clade":
        length = _length(text, events)
        before = phylogeny.lengths[u]
        if not math.isnan(before) and not math.isnan(length) and before != length:
            raise events.error(f"this branch length is {length!r}, but the attribute of its clade gives {before!r}")
        phylogeny.lengths[u] = before if math.isnan(length) else length
    elif tag == "confidence":
        value = branch_length(text)
        if value is None:
            raise events.error(f"the confidence {(text or '').strip()[:40]!r} is not a number")
        if not math.isnan(value):
            phylogeny.confidence.setdefault(u, []).append((given.get("type", ""), value))
    elif tag == "property":
        if given.get("ref") == _OPEN and (text or "").strip() in ("true", "1"):
            phylogeny.opened.add(u)
    elif tag == "rank" and above == "taxonomy" and phylogeny.ranks[u] is None:
        phylogeny.ranks[u] = (text or "").strip() or None


def _length(text: str | None, events: XmlHandlers) -> float:
    length = branch_length(text)
    if length is None:
        raise events.error(f"the branch length {(text or '').strip()[:40]!r} is not a finite number")
    return length


def _hierarchy(phylogeny: _Phylogeny, events: XmlHandlers, labels: str, keys: Sequence[str]) -> Hierarchy:
    return listed_hierarchy(
        phylogeny.parent,
        list(map(phylogeny.texts(labels).get, range(len(phylogeny.parent)))),
        lengths=phylogeny.lengths,
        ranks=phylogeny.ranks if any(x is not None for x in phylogeny.ranks) else None,
        opened=list(map(phylogeny.opened.__contains__, range(len(phylogeny.parent)))) if phylogeny.opened else None,
        rooted=phylogeny.rooted is not False,
        support=_support(phylogeny, keys),
        rated=True,
        missing=f"this leaf has no {'label' if labels == 'any' else labels}",
        error=lambda message, u: events.error(message + _hint(phylogeny, u), at=phylogeny.places[u]),
    )


def _support(phylogeny: _Phylogeny, keys: Sequence[str]) -> np.ndarray | None:
    """Return the confidences of each clade: of a type in `keys`, else all of them in the order of the file."""
    if not phylogeny.confidence:
        return None
    width = max(map(len, phylogeny.confidence.values()))
    support = np.full((len(phylogeny.parent), width), np.nan)
    for u, known in phylogeny.confidence.items():
        values = [value for key in keys for kind, value in known if kind == key] or [value for _, value in known]
        support[u, : len(values)] = values
    return support


def _hint(phylogeny: _Phylogeny, u: int) -> str:
    """Return the kinds of labels that tell all leaves apart, if the one asked for is missing or repeats at `u`."""
    inner = set(phylogeny.parent)
    leaves = [k for k in range(len(phylogeny.parent)) if k not in inner]
    for kind in get_args(CladeLabels):
        texts = phylogeny.texts(kind)
        if len({texts[k] for k in leaves if k in texts}) == len(leaves):
            return f"; labels={kind!r} gives each leaf one of its own, here {texts[u]!r}"
    return "; no other kind of label gives each leaf one of its own"


FORMAT = FileFormat("phyloxml", "PhyloXML", read=read_phyloxml, trees=phyloxml_file, xml_roots=("phyloxml",))
