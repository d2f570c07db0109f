"""The record that each file of a format ends with, and the input of its recogniser.

`tripletree.io.registry` collects the records: recognition, `read_hierarchy`, `read_ontology`, `write_hierarchy` and the
command line take everything that they know of a format from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.io.forest import TreeFile

#: How many bytes, and how many tags or lines of them, are enough to recognise a format.
_HEAD, LINES = 1 << 16, 50


class FileStart:
    """The beginning of an unpacked file.

    Attributes
    ----------
    text : str
        Some 65,000 bytes as text. Bytes that are not UTF-8 are replaced.
    body : str
        The same without white space at the start.
    """

    def __init__(self, content: bytes) -> None:
        self.text = content[:_HEAD].decode("utf-8-sig", errors="replace")
        self.body = self.text.lstrip()

    @cached_property
    def root(self) -> str:
        """The name of the first XML element without its prefix, behind comments and the document type, or ""."""
        body, at = self.body, 0
        for _ in range(LINES):
            at = body.find("<", at)
            if at < 0:
                break
            for begin, end in (("<!--", "-->"), ("<?", "?>"), ("<!", "]>" if "[" in body[at : at + 200] else ">")):
                if body.startswith(begin, at):
                    at = body.find(end, at + len(begin))
                    break
            else:
                found = re.compile(r"<(?:[\w.-]{1,100}:)?([A-Za-z][\w.-]{0,100})[\s/>]").match(body, at)
                return found.group(1) if found else ""
            if at < 0:
                break
        return ""


@dataclass(frozen=True)
class FileFormat:
    """The package's knowledge of a format.

    Attributes
    ----------
    name : str
        Its name for ``format=``.
    title : str
        Its name among people.
    read : callable, optional
        Its reader, which gives a Hierarchy: the first argument is the path, options are keyword-only. None if only
        `ontology` reads it.
    trees : callable, optional
        The reader of a file that may hold several hierarchies: a `tripletree.io.forest.TreeFile`. It has the options
        of the text, except the choice of a tree and of its root.
    ontology : callable, optional
        The reader that gives an Ontology, for formats in which a node may have several parents.
    synonyms : callable, optional
        The reader of the other names of taxa or terms: a dict from each to a list of the nodes it names.
    write : callable, optional
        The writer of a hierarchy: ``write(hierarchy, path, **options)``, the text if the path is None.
    extensions : tuple of str
        By which `write_hierarchy` chooses the format. Reading ignores them: they are unreliable.
    xml_roots : tuple of str
        The root elements of its files, without prefix.
    recognize : callable, optional
        From a `FileStart` to why this is a file of the format ("it begins with #NEXUS"), or None if it is not.
    by_path : bool
        True if the reader needs the path itself, because it looks at files beside it.
    """

    name: str
    title: str
    read: Callable[..., Hierarchy] | None = None
    trees: Callable[..., TreeFile] | None = None
    ontology: Callable[..., Ontology] | None = None
    synonyms: Callable[..., dict[str, list[str]]] | None = None
    write: Callable[..., Any] | None = None
    extensions: tuple[str, ...] = ()
    xml_roots: tuple[str, ...] = ()
    recognize: Callable[[FileStart], str | None] | None = None
    by_path: bool = False
