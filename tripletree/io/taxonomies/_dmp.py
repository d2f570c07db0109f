"""Files of the NCBI taxonomy: where they lie, and their fields, found by numpy a few megabytes at a time."""

from __future__ import annotations

import io
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np

from tripletree.errors import ParseError
from tripletree.io._files import Source, place, raw_bytes, read_bytes
from tripletree.io._packed import tar_members, unpacked, zip_members

__all__ = ["DmpFile", "Fields", "taxdump_files"]

NODES, NAMES = "nodes.dmp", "names.dmp"
#: Bytes that are looked at together.
BLOCK = 1 << 22
_TAB, _LINE_END, _BAR, _ZERO, _NINE = 9, 10, 124, 48, 57
_SUFFIXES = ("", ".gz", ".bz2", ".xz")
#: A line of names.dmp: tax id, name, unique name, and what kind of name it is.
_NAME_LINE = re.compile(rb"\d+\t\|\t[^\t\n]*\t\|\t[^\t\n]*\t\|\t[A-Za-z][A-Za-z -]*\t\|\r?\n")


class Fields(NamedTuple):
    """The first k fields of n lines: line numbers (from 1), and where each field starts and stops in the file."""

    line: np.ndarray
    start: np.ndarray
    stop: np.ndarray


@dataclass
class DmpFile:
    r"""One file with lines like ``9606\t|\t9605\t|\tspecies\t|``: its content, and its name for messages."""

    content: bytes
    path: str | None

    def __post_init__(self) -> None:
        if b"\r" in self.content:
            self.content = self.content.replace(b"\r\n", b"\n")
        self._bytes = np.frombuffer(self.content, np.uint8)

    def fields(self, k: int) -> Iterator[Fields]:
        """The first k fields of all lines, block by block; lines with too few fields or others than the first has."""
        at, line, wanted = 0, 1, 0
        while at < len(self.content):
            stop = self.content.find(b"\n", at + BLOCK) + 1 or len(self.content)
            here = self._bytes[at:stop]
            end = np.flatnonzero(here == _LINE_END)
            if here[-1] != _LINE_END:
                end = np.append(end, here.size)
            begin = np.concatenate([[0], end[:-1] + 1])
            full = np.flatnonzero(end > begin)  # blank lines say nothing
            number, begin, end = line + full, begin[full], end[full]
            tab = np.flatnonzero(here == _TAB)
            first = np.searchsorted(tab, begin)
            count = np.searchsorted(tab, end) - first
            if full.size:
                wanted = wanted or int(count[0])
                self._check_count(number, count, wanted, k)
                tabs = tab[first[:, None] + np.arange(2 * k - 1)]
                self._check_bars(here, number, end, tabs, tab[first + wanted - 1])
                starts = np.column_stack([begin, tabs[:, 1::2] + 1])
                yield Fields(number, at + starts, at + tabs[:, ::2])
            line += int(np.count_nonzero(here == _LINE_END))
            at = stop

    def _check_count(self, line: np.ndarray, tabs: np.ndarray, wanted: int, k: int) -> None:
        bad = np.flatnonzero((tabs != wanted) | (tabs < 2 * k - 1) | (tabs % 2 == 0))
        if bad.size:
            i = int(bad[0])
            there = "1 field" if tabs[i] == 1 else f"{(tabs[i] + 1) // 2} fields"
            needed = (
                f"at least {k} are needed" if i == 0 and line[0] == 1 else f"the first line has {(wanted + 1) // 2}"
            )
            self.refuse(line[i], f"{there} where {needed}, each ended by tab, bar and (but the last) tab")

    def _check_bars(
        self, here: np.ndarray, line: np.ndarray, end: np.ndarray, tabs: np.ndarray, last: np.ndarray
    ) -> None:
        """Each field that is read ends in tab, bar, tab; the line in tab, bar."""
        good = (last == end - 2) & (here[end - 1] == _BAR)
        closing = tabs[good, ::2]
        inner = (here[closing + 1] == _BAR).all(axis=1) & (tabs[good, 1::2] == closing[:, :-1] + 2).all(axis=1)
        good[good] = inner
        bad = np.flatnonzero(~good)
        if bad.size:
            self.refuse(line[bad[0]], "a field that does not end in tab, bar, tab (in tab, bar at the line's end)")

    def numbers(self, fields: Fields, j: int) -> np.ndarray:
        """Field j of each line as a number."""
        start, width = fields.start[:, j], fields.stop[:, j] - fields.start[:, j]
        value = np.zeros(start.size, np.int64)
        good = (width >= 1) & (width <= 18)
        for k in range(int(width[good].max(initial=0))):
            inside = good & (k < width)
            digit = self._bytes[np.where(inside, start + k, 0)].astype(np.int64)
            good &= ~inside | ((digit >= _ZERO) & (digit <= _NINE))
            value = np.where(inside, 10 * value + digit - _ZERO, value)
        bad = np.flatnonzero(~good)
        if bad.size:
            i = int(bad[0])
            shown = self.content[start[i] : start[i] + width[i]].decode("utf-8", errors="replace")
            self.refuse(fields.line[i], f"{shown[:40]!r} is no tax id", at=int(start[i]))
        return value

    def equal(self, fields: Fields, j: int, word: bytes) -> np.ndarray:
        """In which lines field j is `word`."""
        out = fields.stop[:, j] - fields.start[:, j] == len(word)
        at = np.flatnonzero(out)
        there = self._bytes[fields.start[at, j][:, None] + np.arange(len(word))]
        out[at] = (there == np.frombuffer(word, np.uint8)).all(axis=1)
        return out

    def refuse(self, line: Any, message: str, *, at: int | None = None) -> NoReturn:
        """Raise a ParseError at a line, or at a byte of it."""
        text = self.content.split(b"\n", int(line))[int(line) - 1].decode("utf-8", errors="replace")
        column = 1
        if at is not None:
            before = self.content[self.content.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", errors="replace")
            _, column, _ = place(before + ".", len(before))
        raise ParseError(message, path=self.path, line=int(line), column=column, text=text)


# ---------------------------------------------------------------------- where they lie


def taxdump_files(source: Source) -> dict[str, DmpFile]:
    """The files nodes.dmp and, where it is there, names.dmp: of a folder, of an archive, or one beside the other.

    Archives are read in memory; nothing is written, and members that are links are not followed.
    """
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        name = os.fspath(source)
        if os.path.isdir(name):
            return _of_folder(name)
        if os.path.isfile(name):
            base = _wanted(os.path.basename(name))
            if base == NAMES:
                _refuse_names(name)
            if base == NODES:
                return _of_folder(os.path.dirname(name), nodes=name)
            with open(name, "rb") as stream:
                found = _of_archive(stream, name)
            if found is not None:
                return found
    content, shown = raw_bytes(source)
    raw = content.encode() if isinstance(content, str) else content
    found = _of_archive(io.BytesIO(raw), shown or "<stream>")
    if found is not None:
        return found
    alone = unpacked(raw, shown)
    if _NAME_LINE.match(alone):
        _refuse_names(shown)
    return {NODES: DmpFile(alone, shown)}


def _refuse_names(path: str | None) -> NoReturn:
    msg = "this is names.dmp, which has no parents: give nodes.dmp, or the folder or archive that holds the two"
    raise ParseError(msg, path=path)


def _of_folder(folder: str, *, nodes: str | None = None) -> dict[str, DmpFile]:
    found = {}
    for base in (NODES, NAMES):
        paths = [os.path.join(folder, base + suffix) for suffix in _SUFFIXES]
        path = next((x for x in paths if os.path.isfile(x)), None) if base != NODES or nodes is None else nodes
        if path is not None:
            content, shown = read_bytes(path)
            found[base] = DmpFile(content, shown)  # type: ignore[arg-type]
    if NODES not in found:
        msg = "no nodes.dmp (nor nodes.dmp.gz, .bz2, .xz) in this folder"
        raise ParseError(msg, path=folder)
    return found


def _of_archive(stream: IO[bytes], name: str) -> dict[str, DmpFile] | None:
    """The two files of a zip or tar archive; None for what is none."""
    head = stream.read(4)
    stream.seek(0)
    if head == b"PK\x03\x04":
        members: Iterable[tuple[str, Callable[[], bytes]]] | None = zip_members(stream.read(), name).items()
    else:
        members = tar_members(stream, name)
    if members is None:
        stream.seek(0)
        return None
    found: dict[str, DmpFile] = {}
    for member, read in members:
        base = _wanted(member)
        if base is None:
            continue
        inside = f"{name}: {member}"
        if base in found:
            msg = f"two files {base} in this archive, {found[base].path} and {member}: which one is meant?"
            raise ParseError(msg, path=name)
        found[base] = DmpFile(unpacked(read(), inside), inside)
    if NODES not in found:
        msg = "no nodes.dmp in this archive"
        raise ParseError(msg, path=name)
    return found


def _wanted(member: str) -> str | None:
    """Which of the two files a member of an archive is."""
    base = posixpath.basename(member.replace("\\", "/")).lower()
    return next((x for x in (NODES, NAMES) if base in {x + suffix for suffix in _SUFFIXES}), None)
