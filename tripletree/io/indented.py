"""Outlines: text in which the depth of a line is told by blanks, signs or numbers in front of its name.

``steps_of`` reads indented lists, bullets of Markdown and wikis (``**``), headings (``##``), trees as the command
`tree` draws them, numbers such as ``1.2``, rows of a table of which one cell is filled, OPML, and FreeMind's maps.
`tripletree.io.lineages` makes a tree of them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from tripletree.errors import ParseError
from tripletree.io.xml import XmlEvents

#: A branch in front of a name, as `tree` draws it, and what stands left of it.
_DRAWN = re.compile(r"([\s│┃║|]*(?:[├└┣┗╠╚╰]|[|`+\\](?=-))[─━═-]*[\s▸►>]*)(.*)")
_STEM = re.compile(r"[\s│┃║|]*")
_COUNTED = re.compile(
    r"(?:[A-Z]:)?\.|\d+ director(?:y|ies)(?:, \d+ files?)?|(?:Folder PATH|Volume serial|Auflistung|Volumeseriennr).*"
)
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*|(={1,6})[ \t]*([^=\s].*?)(?:[ \t]*=+)?")
_BULLET = re.compile(r"([*+•–—◦▪‣·○●■□-])(\1*)[ \t]+(.*)")
_ITEM = re.compile(r"(\(?(?:\d{1,3}|[A-Za-z]|[ivxlcIVXLC]{1,6})[.)])[ \t]+(.*)")
_RULER = re.compile(r"\s*([-*=_─━═])\1\1+\s*|\s*<!--.*-->\s*|\.{3}")
#: A remark behind a name in a drawn tree, and a name that stands for more of them.
_REMARK, _MORE = re.compile(r"\s{2,}(?:#|←|<-|//|—|--)\s.*"), re.compile(r"\.{2,}|…|etc\.?")
_NUMBER = re.compile(r"((?:[A-Z]{1,3}|[A-Z]?\d{1,4})(?:\.\w{1,4})*)[.)]?[ \t]+(\S.*)", re.ASCII)
_LINK = re.compile(r"\[([^\[\]]+)\](?:\([^()]*\))?|(\*\*|__|\*|_|`)(.+)\2")
#: What some lines of every outline start with, and branches.
_SIGN = re.compile(r"^(?:[ \t]+\S|[^\w\s\"'(\[<{]|\w[\w.]*\.\w+[.)]?[ \t])", re.MULTILINE)
_BRANCH = re.compile(r"[├└┣┗╠╚╰]|[|`+\\]--")
#: What stands in programs, data and prose, and not in names of an outline without signs.
_NO_NAME = re.compile(r"[{}<>=;\"|]|[,.:?!]\Z|\s{2}|\t|\A[^\w(]|\A[\W\d_]*\Z|->")
_LONGEST, _FEWEST = 100, 3
#: The level of what is no heading.
_BODY = 9
#: Columns of depths in a table of all nodes, and of their names.
_LEVEL = re.compile(
    r"(?i)\b(?:(?:outline|hierarchy|tree|indent|wbs)[ _]?)?(?:level|depth|indent|lvl|ebene|stufe|tiefe|gliederungsebene"
    r"|niveau|nivel|livello|profondeur)\b"
)
_NAMED = re.compile(
    r"(?i)(?:.*[ _])?(?:name|title|label|titel|titre|bezeichnung|description|libell[ée]|nom|nombre|text)"
)
_DELIMITERS = ",;|\t"
#: The roots of outlines in XML, their elements, and the attributes that hold names.
XML_ROOTS = ("opml", "map")
_XML = re.compile(r"\s*(?:<[?!][^>]*>\s*)*<(?:opml|map)[\s>]")
_ELEMENTS, _ATTRIBUTES = frozenset({"outline", "node"}), ("text", "title", "TEXT")


class Step(NamedTuple):
    """A line of an outline."""

    line: int
    depth: int
    """How many lines above it hold it."""
    name: str
    number: str | None = None
    """Its number, such as ``1.2``, if all lines are numbered."""


class _Line(NamedTuple):
    """A line as it is written: the higher its key, the deeper it may be."""

    number: int
    blanks: str
    key: tuple[int, int, int]
    """Its level as a heading or cell, the width of the blanks, and how many bullets stand before its name."""
    name: str

    @property
    def is_plain(self) -> bool:
        """True without a sign in front of the name."""
        return self.key[0] == _BODY and not self.key[2]


def steps_of(text: str, path: str | None = None) -> list[Step] | None:
    """The lines of an outline, None for any other text. A depth that two readings fit is an error."""
    if _XML.match(text) is not None:
        return list(_of_xml(text, path))
    if _SIGN.search(text) is None and _LEVEL.search(text[:_LONGEST]) is None:
        return None
    found = [(k, x.rstrip()) for k, x in enumerate(text.splitlines(), 1) if x.strip() and not _RULER.fullmatch(x)]
    if len(found) < _FEWEST:
        return None
    steps = _numbered(found)
    if steps is not None:
        return steps
    lines = _in_cells(found) or _by_level(found)
    if lines is None and _BRANCH.search(text) and sum(_DRAWN.fullmatch(x) is not None for _, x in found) > 1:
        drawn = (_drawn(k, x) for k, x in found if not (_COUNTED.fullmatch(x) or _STEM.fullmatch(x)))
        lines = [x for x in drawn if not _MORE.fullmatch(x.name)]
    elif lines is None:
        lines = _without_items([_written(k, x) for k, x in found])
        plain = [x for x in lines if x.is_plain]
        headed = any(x.key[0] < _BODY for x in lines)
        below = len(plain) < len(lines) and any(x.blanks and not x.name.endswith(":") for x in plain)
        cells = any(len({x.name.count(y) for x in plain}) == 1 and y in x.name for x in plain[:1] for y in _DELIMITERS)
        values = any(x.name.endswith(":") for x in plain) and any(": " in x.name for x in lines)
        if plain and (headed or below or values or cells or not _are_names(x.name for x in plain)):
            return None  # prose, a program, data
    if len({x.key for x in lines}) < 2 or not all(x.name for x in lines):
        return None
    steps = list(_nested(lines, path))
    return _without_colons(steps) if any(x.depth for x in steps) else None


def _of_xml(text: str, path: str | None) -> Iterator[Step]:
    depth = 0
    events = XmlEvents(text, path)
    for event, element in events:
        if element.tag not in _ELEMENTS:
            continue
        if event == "start":
            name = next((x for y in _ATTRIBUTES if (x := (element.get(y) or "").strip())), None)
            if name is None:
                raise events.error(f"no name: {element.tag!r} has none of the attributes {', '.join(_ATTRIBUTES)}")
            yield Step(events.here, depth, name)
        depth += 1 if event == "start" else -1


def _written(number: int, line: str) -> _Line:
    found = _HEADING.fullmatch(line)
    if found is not None:
        return _Line(number, "", (len(found[1] or found[3]), 0, 0), _bare(found[2] or found[4] or ""))
    name = line.lstrip()
    blanks = line[: len(line) - len(name)]
    bullet = _BULLET.fullmatch(name)
    marks, name = (0, name) if bullet is None else (1 + len(bullet[2]), bullet[3])
    return _Line(number, blanks, (_BODY, len(blanks), marks), _bare(name))


def _drawn(number: int, line: str) -> _Line:
    found = _DRAWN.fullmatch(line)
    width, name = (0, line) if found is None else (len(found[1]), found[2])
    return _Line(number, "", (_BODY, width, 1), _REMARK.sub("", name).strip().rstrip("/"))


def _row(line: str, delimiter: str) -> list[str]:
    try:
        return [x.strip() for x in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:  # a cell beyond the limit
        return [line]


def _in_cells(lines: Sequence[tuple[int, str]]) -> list[_Line] | None:
    """Rows of a table of which one cell is filled: the deeper, the farther right."""
    for delimiter in _DELIMITERS:
        if all(delimiter in x for _, x in lines):
            rows = [_row(x, delimiter) for _, x in lines]
            first = int(all(rows[0]) and len(rows[0]) > 1)  # a header
            if all(sum(map(bool, row)) == 1 for row in rows[first:]):
                levels = (next(i for i, y in enumerate(row) if y) for row in rows[first:])
                numbers = (k for k, _ in lines[first:])
                return [_Line(k, "", (i, 0, 0), x[i]) for k, i, x in zip(numbers, levels, rows[first:], strict=True)]
    return None


def _by_level(lines: Sequence[tuple[int, str]]) -> list[_Line] | None:
    """Rows of a table that has a column of depths, which start at the least and never grow by more than one."""
    for delimiter in _DELIMITERS if _LEVEL.search(lines[0][1]) else ():
        rows = [_row(x, delimiter) for _, x in lines]
        if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
            continue
        levels = [k for k, x in enumerate(rows[0]) if _LEVEL.fullmatch(x)]
        others = [k for k in range(len(rows[0])) if k not in levels]
        named = [k for k in others if _NAMED.fullmatch(rows[0][k])] if len(others) > 1 else others
        if (
            len(levels) != 1
            or len(named) != 1
            or not all(row[levels[0]].isdecimal() and row[named[0]] for row in rows[1:])
        ):
            continue
        depths = [int(row[levels[0]]) for row in rows[1:]]
        if depths[0] == min(depths) and all(y <= x + 1 for x, y in pairwise(depths)):
            names = (row[named[0]] for row in rows[1:])
            numbers = (k for k, _ in lines[1:])
            return [_Line(k, "", (x, 0, 0), name) for k, x, name in zip(numbers, depths, names, strict=True)]
    return None


def _without_items(lines: list[_Line]) -> list[_Line]:
    """The lines without ``I.``, ``a)`` and the like, if each has one, and no line below another has the same."""
    found = [_ITEM.fullmatch(x.name) for x in lines]
    marks = [x and x[1] for x in found]
    if not all(found) or any(x == y for x, y in pairwise(marks)):
        return lines
    return [x._replace(name=_bare(y[2]), key=(*x.key[:2], 1)) for x, y in zip(lines, found, strict=True) if y]


def _bare(name: str) -> str:
    """A name without the marks of a link, of bold print or of a box to be ticked."""
    name = re.sub(r"\A\[[ xX]\][ \t]+", "", name.strip())
    found = _LINK.fullmatch(name)
    return name if found is None else found[1] or found[3]


def _are_names(texts: Iterable[str]) -> bool:
    return all(len(x) <= _LONGEST and _NO_NAME.search(x.removesuffix(":")) is None for x in texts)


def _nested(lines: Iterable[_Line], path: str | None) -> Iterator[Step]:
    """The steps: each line is below the last one with a lower key."""
    stack: list[_Line] = []
    for line in lines:
        last = None
        while stack and stack[-1].key >= line.key:
            last = stack.pop()
        if last is not None and last.key[0] == line.key[0] and last.key[1] > line.key[1]:
            msg = (
                f"{line.key[1]} blanks before {line.name!r:.60}, where lines above have {last.key[1]}"
                f"{f' and {stack[-1].key[1]}' if stack else ''}: indent what is at one level alike"
            )
            raise ParseError(msg, path=path, line=line.number)
        if not line.blanks.startswith(stack[-1].blanks if stack else ""):
            msg = f"blanks before {line.name!r:.60}, and tabs before {stack[-1].name!r:.60}: take one of them"
            raise ParseError(msg, path=path, line=line.number)
        yield Step(line.number, len(stack), line.name)
        stack.append(line)


def _numbered(lines: Sequence[tuple[int, str]]) -> list[Step] | None:
    """Lines with numbers such as ``1.2`` in front of their names. A number that no line has is a name itself."""
    if not all(_NUMBER.fullmatch(x.strip()) for _, x in lines):
        return None
    found = [(k, _NUMBER.fullmatch(x.strip())) for k, x in lines]
    names = {x[1]: x[2] for _, x in found if x}
    held = sum(x.rpartition(".")[0] in names for x in names)
    if len(names) < len(lines) or 2 * held < sum("." in x for x in names) or not held or not _are_names(names.values()):
        return None
    steps = []
    above: list[str] = []
    for line, number in zip((k for k, _ in lines), names, strict=True):
        parts = number.split(".")
        whole = [".".join(parts[: k + 1]) for k in range(len(parts))]
        same = sum(1 for _ in takewhile(lambda x: x[0] == x[1], zip(above, whole, strict=False)))
        steps += [
            Step(line, k, names.get(whole[k], whole[k]), whole[k]) for k in range(min(same, len(whole) - 1), len(whole))
        ]
        above = whole
    return steps


def _without_colons(steps: list[Step]) -> list[Step]:
    """The steps without colons behind the names of all lines that hold others, as of YAML."""
    inner = [x.name for x, y in pairwise(steps) if y.depth > x.depth]
    if not all(x.endswith(":") for x in inner):
        return steps
    return [x._replace(name=x.name.removesuffix(":").strip()) for x in steps]
