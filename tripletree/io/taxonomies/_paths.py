"""Paths of names, taken apart and put together into a tree."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from tripletree.errors import LimitExceededError, ParseError

__all__ = [
    "HEADERS",
    "MISSING",
    "PathTree",
    "has_prefix",
    "has_separator",
    "is_name",
    "is_numbered",
    "separator_of",
    "split_lines",
]

#: What stands for a name that is not known.
MISSING = ("unclassified", "unassigned", "unidentified", "unknown", "NA", "NaN", "None", "null")
#: Names of a column of paths, in lower case without blanks, dashes and underscores.
HEADERS = ("taxon", "taxonomy", "lineage", "classification", "taxonomiclineage", "taxpath", "cladename", "path")
#: Most characters in the paths of all nodes together.
MOST_PATH_TEXT = 2**30

_SEPARATORS = (";", ">", "|", "/")
_SHOWN = {";": "; ", ">": " > "}
_PREFIX = re.compile(r"(?:(sk|[dkpcofgst])|D_(\d{1,2}))__(.*)", re.DOTALL)
_RANK_LETTERS = (
    *(("sk", "superkingdom"), ("d", "domain"), ("k", "kingdom"), ("p", "phylum"), ("c", "class"), ("o", "order")),
    *(("f", "family"), ("g", "genus"), ("s", "species"), ("t", "strain")),
)
_PREFIX_RANKS = dict(_RANK_LETTERS)
#: SILVA's numbers.
_LEVELS = ("domain", "phylum", "class", "order", "family", "genus", "species")
_NUMBERED = re.compile(r"\s*(\d+) - (.*)", re.DOTALL)


class PathTree:
    """The tree of all paths seen so far; parents stand before their children.

    Attributes
    ----------
    parent : list of int
        -1 for tops.
    names, ranks : list of (str or None)
    items : dict
        Ids of the nodes that are items.
    ids : dict
        Ids of other nodes, where the source numbers them.
    """

    def __init__(self, source: str | None, missing: Iterable[str], sep: str) -> None:
        self.source, self.sep = source, sep
        self.parent: list[int] = []
        self.names: list[str | None] = []
        self.ranks: list[str | None] = []
        self.items: dict[int, Any] = {}
        self.ids: dict[int, str] = {}
        self._missing = {x.strip().casefold() for x in missing}
        self._node: dict[tuple[int, str | None, str], int] = {}
        self._seen: dict[str, int] = {}
        self._parts: dict[str, tuple[str | None, str] | None] = {}

    def text_node(self, text: str) -> int:
        """The node of a path given as text; -1 if it holds no name."""
        node = self._seen.get(text)
        if node is None:
            node = -1
            for part in text.split(self.sep):
                known = self._parts[part] if part in self._parts else self._parts.setdefault(part, self.part(part))
                if known is not None:
                    node = self._below(node, *known)
            self._seen[text] = node
        return node

    def cells_node(self, cells: Sequence[str | None], ranks: Sequence[str]) -> int:
        """The node of a path given name by name, each with its rank."""
        node = -1
        for cell, rank in zip(cells, ranks, strict=True):
            known = None if cell is None else self.part(cell)
            if known is not None:
                node = self._below(node, rank, known[1])
        return node

    def add_item(self, item: Hashable, node: int) -> None:
        """Hang an item under a node, or at the top (-1)."""
        self.items[self._append(node, None, None)] = item

    def bare_lines(self, lines: list[str], numbers: list[int]) -> None:
        """Paths that stand for themselves, all of them with a number before them (``3237 - Pets > Dogs``) or none."""
        numbered = [_NUMBERED.fullmatch(line) for line in lines]
        if not all(numbered):
            for line in lines:
                self.text_node(line)
            return
        seen: dict[str, int] = {}
        for match, number in zip(numbered, numbers, strict=True):
            assert match is not None
            id, node = match[1], self.text_node(match[2])
            if node < 0:
                raise ParseError(f"no name behind the number {id}", path=self.source, line=number)
            if id in seen or node in self.ids:
                what = f"the number {id} stands twice: it is on line {seen.get(id)} already"
                what = what if id in seen else f"this path has another number already, {self.ids[node]}"
                raise ParseError(what, path=self.source, line=number)
            seen[id] = number
            self.ids[node] = id

    def paths(self, nodes: Iterable[int]) -> list[str]:
        """The whole paths of some nodes.

        Raises
        ------
        LimitExceededError
            If they are longer than `MOST_PATH_TEXT` together.
        """
        nodes = list(nodes)
        sep = _SHOWN.get(self.sep, self.sep)
        size: list[int] = []
        for p, name in zip(self.parent, self.names, strict=True):
            size.append(len(name or "") + (size[p] + len(sep) if p >= 0 else 0))
        total = sum(size[u] for u in nodes)
        if total > MOST_PATH_TEXT:
            many = f"{len(nodes)} node{'s' * (len(nodes) != 1)} have"
            msg = f"the paths of {many} {total} characters, more than {MOST_PATH_TEXT}"
            raise LimitExceededError(msg, size=total, limit=MOST_PATH_TEXT)
        out = []
        for u in nodes:
            names = []
            while u >= 0:
                names.append(self.names[u] or "")
                u = self.parent[u]
            out.append(sep.join(reversed(names)))
        return out

    def part(self, text: str) -> tuple[str | None, str] | None:
        """Return rank and name of one step of a path; None where there is no name."""
        name = text.strip()
        match = _PREFIX.fullmatch(name)
        rank, bare = None, name
        if match is not None:
            level = int(match[2] or 0)
            if match[1]:
                rank = _PREFIX_RANKS[match[1]]
            elif level < len(_LEVELS):
                rank = _LEVELS[level]
            bare = match[3].strip()
        if not bare.strip("_") or bare.casefold() in self._missing or name.casefold() in self._missing:
            return None
        return rank, name

    def _below(self, node: int, rank: str | None, name: str) -> int:
        key = (node, rank, name)
        found = self._node.get(key)
        if found is None:
            found = self._node[key] = self._append(node, rank, name)
        return found

    def _append(self, parent: int, rank: str | None, name: str | None) -> int:
        self.parent.append(parent)
        self.ranks.append(rank)
        self.names.append(name)
        return len(self.parent) - 1


def separator_of(rows: Sequence[Sequence[str]], sep: str, *, path: str | None, needed: bool = True) -> tuple[str, int]:
    """The separator of paths, blanks around it taken off, and which of the first two cells of a row the path is.

    Of several candidates the first that is in at least half as many rows as the most frequent; and the first cell if
    it is there in half as many rows as in the second. Where there is none at all, prefixes of ranks (``k__Bacteria``)
    tell paths of one name; without them `needed` says whether to refuse.
    """
    wanted = (sep.strip() or sep,) if sep != "auto" else _SEPARATORS
    wide = any(len(row) > 1 for row in rows)
    count = {(s, k): sum(len(row) > k and s in row[k] for row in rows) for s in wanted for k in range(1 + wide)}
    most = max(count.values())
    if most == 0 and sep == "auto":
        prefixed = [sum(len(row) > k and has_prefix(row[k]) for row in rows) for k in range(1 + wide)]
        if any(prefixed):
            return _SEPARATORS[0], int(prefixed[0] < prefixed[-1])
    if most == 0 and sep == "auto" and needed:
        shown = ", ".join(map(repr, _SEPARATORS))
        raise ParseError(f"no separator of paths found (none of {shown}): give sep", path=path)
    if most == 0:
        return wanted[0], int(wide)
    return next(key for key, k in count.items() if 2 * k >= most)


def has_prefix(text: str) -> bool:
    """Whether a path starts with the prefix of a rank, as in ``k__Bacteria``."""
    return _PREFIX.fullmatch(text.strip()) is not None


def has_separator(text: str) -> bool:
    """Whether a text has one of the usual separators of paths in it."""
    return any(x in text for x in _SEPARATORS)


def split_lines(text: str) -> tuple[list[int], list[list[str]]]:
    """Lines that say something and are no comments, taken apart at tabs, with their numbers."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    numbers = [i for i, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    return numbers, [lines[i - 1].split("\t") for i in numbers]


def is_name(text: str) -> bool:
    """Whether a step of a path says a name, if no word stands for a missing one."""
    return PathTree(None, (), ";").part(text) is not None


def is_numbered(text: str) -> bool:
    """Whether a path starts as one with a number before it."""
    return _NUMBERED.fullmatch(text) is not None
