"""Graphviz DOT in files: directed graphs that are rooted trees."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import kept
from tripletree.core.placeholders import Placeholders
from tripletree.core.triplets import TripletSet
from tripletree.interop.dot import dot_hierarchy, to_dot
from tripletree.io.format import FileFormat, FileStart
from tripletree.io.source import Source, Target, read_text, write_text


@kept
def read_dot(
    path: Source,
    *,
    label: str = "label",
    length: str = "length",
    height: str = "node_height",
    rank: str = "node_rank",
    placeholders: bool | str | Iterable[str] = True,
) -> Hierarchy:
    """Read a hierarchy from a file in Graphviz DOT: a directed graph that is a rooted tree, edges from parent to child.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    label : str
        The attribute that labels a leaf and names an inner node. A node without it is called by its identifier.
    length : str
        The attribute of an edge, or else of the node below it, that is the length of the branch.
    height, rank : str
        Attributes of nodes.
    placeholders : bool, str or iterable of str
        Names that are not taxa, such as "unclassified beetles": such inner nodes are left out, and what is below them
        is open (``.incertae_sedis``). Names extend the known ones, False takes every name for a taxon.

    Returns
    -------
    Hierarchy
        As `tripletree.interop.from_dot` gives it, but for placeholders. More stands there.

    Raises
    ------
    NotATreeError
        If a node has several parents.

    See Also
    --------
    tripletree.interop.to_dot : the text of a hierarchy, to be written.
    tripletree.interop.from_dot : the same from a string.

    Examples
    --------
    >>> import io
    >>> read_dot(io.StringIO('digraph { apes -> "Homo sapiens"; apes -> chimp }')).clade(2)
    ['Homo sapiens', 'chimp']
    """
    fillers = Placeholders.of(placeholders)
    text, name = read_text(path)
    return fillers.contracted(dot_hierarchy(text, name, label=label, length=length, height=height, rank=rank))


def write_dot(hierarchy: Hierarchy, path: Target | None = None, *, triplets: TripletSet | None = None) -> str | None:
    """Write a hierarchy as `tripletree.interop.to_dot` draws it. The text if there is no path."""
    text = to_dot(hierarchy, triplets=triplets)
    return write_text([text], path)


_START = re.compile(r"(//.*\n\s*|#.*\n\s*|/\*.*?\*/\s*)*(strict\s+)?(di)?graph\b[^;(]*\{", re.I)


def _recognize(start: FileStart) -> str | None:
    return "it begins as a graph of DOT" if _START.match(start.body) else None


FORMAT = FileFormat(
    "dot", "Graphviz DOT", read=read_dot, write=write_dot, extensions=(".dot", ".gv"), recognize=_recognize
)
