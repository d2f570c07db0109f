"""NeXML: the trees of a file, each a list of nodes and a list of edges.

Read by a flat loop over the standard library's XML parser. The root is the node that no edge leads to. If nodes are
marked ``root="true"``, it must be one of them. Without such a mark and without a ``<rootedge>`` the tree is unrooted.
A leaf is labelled by its otu's label (its otu's id if that has no label), else by its own. Among several ``<otus>`` the
one counts that the tree's ``<trees>`` names, where both have an otu of the same id. Networks are refused, and so are
entities and document types.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tripletree.core.confidence import SUPPORT_KEYS
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import kept
from tripletree.io.forest import PlaceholderNames, TreeFile, one_of
from tripletree.io.format import FileFormat
from tripletree.io.node_list import branch_length, listed_hierarchy
from tripletree.io.source import Source, read_bytes
from tripletree.io.xml import XmlEvents


@dataclass
class _Tree:
    """The content of a tree's elements, in the order of the file."""

    at: int
    kind: str
    name: str | None
    block: str | None  # the otus that it names
    position: dict[str, int] = field(default_factory=dict)  # of each node, by id
    otus: list[str | None] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    edges: list[tuple[str | None, str | None, float, int]] = field(
        default_factory=list
    )  # source, target, length, place


@kept
def read_nexml(
    path: Source,
    *,
    tree: str | int | None = None,
    join: bool = False,
    outgroup: Any = None,
    rooted: bool | None = None,
    placeholders: PlaceholderNames = True,
) -> Hierarchy:
    """Read one hierarchy of a NeXML file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    tree : str or int, optional
        Which tree: its label (or id, without a label), or its position in the file, from 0. May be left out if
        there is only one.
    join, outgroup, rooted
        As in `read_newick`: all trees below one root, where to put the root of a tree, whether there is one (by default
        as a node with ``root="true"`` says).
    placeholders : bool, str or iterable of str
        Names of inner nodes that are not taxa, as in `read_newick`.

    Returns
    -------
    Hierarchy
        Leaves in the order of their nodes in the file.

    See Also
    --------
    read_hierarchies : every tree of a file, with its name.

    Examples
    --------
    >>> import io
    >>> text = '''<nexml xmlns="http://www.nexml.org/2009"><otus id="t">
    ...   <otu id="t1" label="human"/><otu id="t2" label="chimp"/></otus>
    ...   <trees otus="t"><tree id="one">
    ...     <node id="r" root="true"/><node id="h" otu="t1"/><node id="c" otu="t2"/>
    ...     <edge source="r" target="h" length="6"/><edge source="r" target="c" length="6"/>
    ...   </tree></trees></nexml>'''
    >>> h = read_nexml(io.StringIO(text))
    >>> list(h.leaves), h.length.tolist()
    (['human', 'chimp'], [6.0, 6.0, nan])
    """
    file = nexml_file(path)
    return one_of(file, tree=tree, join=join, outgroup=outgroup, rooted=rooted, placeholders=placeholders)


def nexml_file(path: Source) -> _NexmlFile:
    """Return the trees of a NeXML file."""
    content, name = read_bytes(path)
    return _NexmlFile(XmlEvents(content, name), name)


class _NexmlFile(TreeFile):
    """The otus and trees of a file."""

    def __init__(self, events: XmlEvents, path: str | None) -> None:
        self._events, self.path = events, path
        self._otus: dict[str, dict[str, str]] = {}  # by id, the label in each block of otus
        self._trees: list[_Tree] = list(self._read())

    @property
    def names(self) -> list[str | None]:
        return [x.name for x in self._trees]

    def tells_root(self, k: int) -> bool:
        return True  # by a node with root="true", or by no mark at all

    def read(self, k: int, *, keys: Sequence[str] = SUPPORT_KEYS, sure: bool = False) -> Hierarchy:
        return self._hierarchy(self._trees[k])

    def _read(self) -> Iterator[_Tree]:
        events = self._events
        depth = 0
        tree: _Tree | None = None
        otus, number = "", 0  # the present block of otus, and how many there were
        seen: set[tuple[int, str]] = set()
        block: str | None = None  # the id that the present trees name
        for event, element in events:
            tag = element.tag.rpartition("}")[2]
            if event == "end":
                depth -= 1
                if tree is not None and tag == tree.kind:
                    yield tree
                    tree = None
                continue
            depth += 1
            if depth == 1 and tag != "nexml":
                raise events.error(f"NeXML starts with the element nexml, and this is {tag!r}")
            if tree is not None:
                self._part(tree, tag, element.attrib)
            elif tag in ("tree", "network"):
                tree = _Tree(events.here, tag, element.get("label") or element.get("id"), block)
            elif tag == "trees":
                block = element.get("otus")
            elif tag == "otus":
                number += 1
                otus = element.get("id") or f"block {number}"
            elif tag == "otu":
                otu = element.get("id")
                if not otu:
                    raise events.error("an otu without id")
                if (number, otu) in seen:
                    raise events.error(f"the otu {otu!r} has occurred before")
                seen.add((number, otu))
                self._otus.setdefault(otu, {})[otus] = element.get("label") or otu

    def _part(self, tree: _Tree, tag: str, given: dict[str, str]) -> None:
        """Take in a node or an edge."""
        events = self._events
        if tag == "node":
            node = given.get("id")
            if not node:
                raise events.error("a node without id")
            if node in tree.position:
                raise events.error(f"the node {node!r} has occurred before in this tree")
            if given.get("root", "false") in ("true", "1"):
                tree.roots.append(len(tree.position))
            tree.position[node] = len(tree.position)
            tree.otus.append(given.get("otu"))
            tree.labels.append(given.get("label") or None)
            tree.places.append(events.here)
        elif tag in ("edge", "rootedge"):
            length = branch_length(given.get("length"))
            if length is None:
                raise events.error(f"the branch length {given['length'][:40]!r} is not a finite number")
            tree.edges.append((given.get("source"), given.get("target"), length, events.here))

    def _hierarchy(self, tree: _Tree) -> Hierarchy:
        """Return the hierarchy of one tree."""
        if tree.kind == "network":
            raise self._events.error("this is a network, in which a node may have several parents: no tree", at=tree.at)
        if not tree.position:
            raise self._events.error("this tree has no nodes", at=tree.at)
        parent, lengths = self._parents(tree)
        labels = [self._label(tree, u) for u in range(len(parent))]
        return listed_hierarchy(
            parent,
            labels,
            lengths=lengths,
            rooted=bool(tree.roots) or any(source is None for source, *_ in tree.edges),
            rated=True,
            missing="this leaf has neither an otu nor a label",
            error=lambda message, u: self._events.error(message, at=tree.places[u]),
        )

    def _label(self, tree: _Tree, u: int) -> str | None:
        otu = tree.otus[u]
        if otu is None:
            return tree.labels[u]
        labels = self._otus.get(otu)
        if labels is None:
            raise self._events.error(f"there is no otu {otu!r} in this file", at=tree.places[u])
        if tree.block is not None and tree.block in labels:
            return labels[tree.block]
        if len(set(labels.values())) > 1:
            msg = f"the otu {otu!r} has several labels, {', '.join(map(repr, labels.values()))}, one in each <otus>: "
            msg += "which of these counts must be named by <trees otus=...>"
            raise self._events.error(msg, at=tree.places[u])
        return next(iter(labels.values()))

    def _parents(self, tree: _Tree) -> tuple[list[int], list[float]]:
        """Return the parent of each node, and the length of the branch above it."""
        ids = list(tree.position)
        parent = [-1] * len(ids)
        lengths = [math.nan] * len(ids)
        for source, target, length, at in tree.edges:
            for what, node in (("source", source), ("target", target)):
                if node is not None and node not in tree.position:
                    raise self._events.error(f"the {what} of this edge, {node!r}, is not a node of this tree", at=at)
            if target is None:
                raise self._events.error("an edge without target", at=at)
            u = tree.position[target]
            lengths[u] = length
            if source is None:
                continue  # the edge above the root
            if parent[u] >= 0:
                msg = f"a second edge into node {target!r}, from {source!r}; the first is from {ids[parent[u]]!r}"
                raise self._events.error(msg, at=at)
            parent[u] = tree.position[source]
        self._check_root(tree, [u for u, p in enumerate(parent) if p < 0], ids)
        return parent, lengths

    def _check_root(self, tree: _Tree, tops: list[int], ids: list[str]) -> None:
        if not tops:
            raise self._events.error(
                "this is not a tree: there is an edge into every node, so they run in a cycle", at=tree.at
            )
        if len(tops) > 1:
            msg = f"{len(tops)} nodes have no edge into them, {ids[tops[0]]!r} and this one first; a tree has one root"
            raise self._events.error(msg, at=tree.places[tops[1]])
        if tree.roots and tops[0] not in tree.roots:
            msg = f"this node is marked as root, but there is an edge into it, and none into {ids[tops[0]]!r}"
            raise self._events.error(msg, at=tree.places[tree.roots[0]])


FORMAT = FileFormat("nexml", "NeXML", read=read_nexml, trees=nexml_file, xml_roots=("nexml",))
