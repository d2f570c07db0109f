"""Sources to read and targets to replace: paths, file objects and the standard streams.

Reading takes gzip, bzip2, xz and zip by their first bytes and UTF-8 with or without a byte order mark. An Excel
workbook is read as the text of its table. A file that unpacks to more than a part of the memory is refused while it
unpacks. Writing goes to a temporary file beside the target, which takes the target's place in one step when all is
written: a reader never sees half a file, and a failure leaves the old one as it was.
"""

from __future__ import annotations

import bz2
import csv
import errno
import gzip
import io
import lzma
import os
import re
import secrets
import stat
import struct
import sys
import tarfile
import time
import warnings
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeGuard
from xml.etree import ElementTree

from tripletree.core.memory import memory
from tripletree.errors import (
    SHOWN,
    LimitExceededError,
    MissingDependencyError,
    ParseError,
    TripletreeError,
    error_at,
    escaped_controls,
    warn_user,
)

# ----------------------------------------------------------------------
# Unpacking in memory: gzip, bzip2, xz, zip and tar, recognised by their first bytes, within a bound.
#
# A few kilobytes can unpack to terabytes. So everything is unpacked piece by piece, and refused once it is larger than
# `unpacked_limit`, or large and `MOST_RATIO` times its packed size: no table or tree shrinks like that. Nothing is ever
# written: the names in an archive cannot lead anywhere.

_PACKED: tuple[tuple[bytes | tuple[bytes, ...], str, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", "gzip", partial(gzip.GzipFile, None, "rb", None)),
    (tuple(b"BZh%d" % k for k in range(1, 10)), "bzip2", bz2.BZ2File),
    (b"\xfd7zXZ\x00", "xz", lzma.LZMAFile),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DAMAGED = (
    *(OSError, EOFError, ValueError, RuntimeError, OverflowError, IndexError),
    *(struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError),
)
#: Bytes of the blocks that a tar consists of.
_BLOCK = 512
_PIECE = 1 << 20
#: How many times its packed size a file may unpack to, if that is more than `RATIO_FROM` bytes.
MOST_RATIO, RATIO_FROM = 500, 1 << 26


@contextmanager
def _damage_told(kind: str, name: str | None) -> Iterator[None]:
    """Turn what libraries raise for a damaged archive into a ParseError."""
    try:
        yield
    except _DAMAGED as error:
        if isinstance(error, TripletreeError):
            raise
        msg = f"damaged {kind} file: {error}"
        raise ParseError(msg, path=name) from None


def unpacked(content: bytes, name: str | None) -> bytes:
    """The content, decompressed if it begins like a packed file. Refused if it still is afterwards."""
    inner = _unpacked(content, name)
    if inner.startswith(_OLD_EXCEL):
        msg = "an old Excel workbook (.xls), or one with a password: save it as .xlsx without one, or as CSV (UTF-8)"
        raise ParseError(msg, path=name)
    if is_workbook(inner):
        return _workbook_text(inner, name).encode()
    if inner is not content and (inner.startswith(_ZIP) or any(inner.startswith(x) for x, _, _ in _PACKED)):
        msg = "packed twice, one packed file in another: unpack it once, and read the file that comes out"
        raise ParseError(msg, path=name)
    return inner


def _unpacked(content: bytes, name: str | None) -> bytes:
    if is_workbook(content):
        return content
    if content.startswith(_ZIP):
        members = zip_members(content, name)
        if "content.xml" in members and "mimetype" in members:
            raise ParseError("an OpenDocument file: save its table as CSV (UTF-8), and read that", path=name)
        if len(members) != 1:
            shown = ", ".join(repr(x) for x in list(members)[:SHOWN]) + (", ..." if len(members) > SHOWN else "")
            msg = (
                f"a zip archive with {len(members)} files where one is expected: {shown}; unpack it, read one of them"
                if members
                else "a zip archive without a file in it"
            )
            raise ParseError(msg, path=name)
        (member,) = members.values()
        return member()
    for magic, kind, opened in _PACKED:
        if content.startswith(magic):
            return drained(opened, io.BytesIO(content), kind, name, size=len(content))
    return content


def is_workbook(content: bytes) -> bool:
    """True if this is an Excel workbook, .xlsx or .xlsm."""
    if not content.startswith(_ZIP):
        return False
    try:
        return "xl/workbook.xml" in zipfile.ZipFile(io.BytesIO(content)).namelist()
    except _DAMAGED:
        return False


def _workbook_text(content: bytes, name: str | None) -> str:
    """The cells of the one sheet that has any, as CSV: a row a line, formulas by the values that were saved.

    Whole numbers whose format is zeros, as of codes (00123), are written with as many digits.
    """
    try:
        import openpyxl
    except ImportError:
        raise MissingDependencyError("openpyxl", "io", "reading Excel workbooks") from None
    size = sum(x.file_size for x in zipfile.ZipFile(io.BytesIO(content)).infolist())
    check_ratio(size, len(content), "Excel", name)
    _check_tags(content, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of colours, rules and whatever else is not a cell
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            sheets, seen = {}, _Seen(len(content), name)
            archive = zipfile.ZipFile(io.BytesIO(content))
            styles = archive.read("xl/styles.xml") if "xl/styles.xml" in archive.namelist() else b""
            formatted = re.search(rb'formatCode="0{2,}"', styles) is not None
            for sheet in book.worksheets:
                seen.more(_SHEET)
                _check_formulas(archive, sheet, name)
                sheets[sheet.title] = _sheet_rows(sheet, seen, formatted=formatted)
    except TripletreeError:
        raise
    except (*_DAMAGED, ArithmeticError, AttributeError, LookupError, SyntaxError, TypeError) as error:
        msg = f"damaged Excel workbook: {error}"
        raise ParseError(msg, path=name) from None
    sheets = {title: rows for title, rows in sheets.items() if rows}
    if len(sheets) != 1:
        shown = ", ".join(map(repr, list(sheets)[:SHOWN])) + (", ..." if len(sheets) > SHOWN else "")
        msg = (
            f"an Excel workbook with {len(sheets)} sheets that hold cells where one is expected: {shown}; save the one "
            "that is meant as CSV (UTF-8), or in a workbook of its own"
        )
        raise ParseError(msg if sheets else "an Excel workbook without a cell in it", path=name)
    (rows,) = sheets.values()
    width = max(map(len, rows))
    return csv_text([*row, *[""] * (width - len(row))] if row else [] for row in rows)


#: Excel's own bounds of a sheet.
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
#: What a sheet, a row or cell of one, an element of a sheet and one of the other parts (styles, names) count as, in
#: bytes: openpyxl makes some hundred thousand objects of them a second. Real workbooks have 1.2 elements a packed byte.
_SHEET, _CELL, _ELEMENT, _PART_ELEMENT = 64_000, 16, 100, 400


def _check_tags(content: bytes, name: str | None) -> None:
    """Refuse a workbook of more elements of XML than a file of this size explains."""
    total = 0
    archive = zipfile.ZipFile(io.BytesIO(content))
    for info in archive.infolist():
        each = _ELEMENT if info.filename.startswith(("xl/worksheets/", "xl/sharedStrings")) else _PART_ELEMENT
        with _damage_told("zip", name), archive.open(info) as stream:
            while piece := stream.read(_PIECE):
                total += each * piece.count(b"<")
                check_ratio(total, len(content), "Excel", name)


class _Seen:
    """How many cells and characters a workbook has had so far. A few bytes can stand for millions of either."""

    def __init__(self, packed: int, name: str | None) -> None:
        self.packed, self.name, self._limit, self._total = packed, name, unpacked_limit(), 0

    def more(self, count: int) -> None:
        """Refuse what no file of this size explains, and what no memory could hold."""
        self._total += count
        check_ratio(self._total, self.packed, "Excel", self.name)
        if self._total > self._limit:
            raise _too_large(self.name, "Excel", self._limit)


def _check_formulas(archive: zipfile.ZipFile, sheet: Any, name: str | None) -> None:
    """Refuse a sheet with formulas whose values were not saved, as programs write it: their cells would be empty."""
    with archive.open(sheet._worksheet_path.lstrip("/")) as stream:
        tail, has_formulas = b"", False
        while not has_formulas and (piece := stream.read(_PIECE)):
            has_formulas, tail = re.search(rb"<(?:\w+:)?f[ />]", tail + piece) is not None, piece[-64:]
    if not has_formulas:
        return
    bare: list[str] = []
    with archive.open(sheet._worksheet_path.lstrip("/")) as stream:
        for _, cell in ElementTree.iterparse(stream):
            kind = cell.tag.rpartition("}")[2]
            if kind == "c":
                has = {x.tag.rpartition("}")[2]: x.text for x in cell}
                if "f" in has and not has.get("v") and cell.get("t") != "str":  # a text may be empty
                    bare.append(cell.get("r", "?"))
            if kind in ("c", "row"):
                cell.clear()
    if bare:
        more = f", like {len(bare) - 1:,} others" if len(bare) > 1 else ""
        msg = (
            f"cell {bare[0]} of sheet {sheet.title!r} holds a formula without a saved value{more}: open the workbook "
            "in Excel or LibreOffice and save it, which calculates them"
        )
        raise ParseError(msg, path=name)


def _sheet_rows(sheet: Any, seen: _Seen, *, formatted: bool) -> list[list[str]]:
    """The cells of a sheet as text, without the empty ones at the ends of rows and below the last."""
    sheet.reset_dimensions()  # the size given in the file may be wrong
    rows: list[list[str]] = []
    empty: list[str] = []
    filled = width = 0  # the rows down to the last that has a cell, and their width: all of it is filled up with commas
    for cells in sheet.iter_rows(
        values_only=not formatted
    ):  # rows that the file passes over come one by one, without cells
        if len(rows) >= _MOST_ROWS or len(cells) > _MOST_COLUMNS:
            msg = (
                f"damaged Excel workbook: sheet {sheet.title!r} has a cell beyond row {_MOST_ROWS:,} or column "
                f"{_MOST_COLUMNS:,}, the last of Excel; save the table as CSV (UTF-8)"
            )
            raise ParseError(msg, path=seen.name)
        row = ["" if x is None else _with_zeros(x) if formatted else _cell_of_sheet(x) for x in cells]
        while row and not row[-1]:
            row.pop()
        rows.append(row or empty)
        area = filled * width
        if row:
            filled, width = len(rows), max(width, len(row))
        seen.more(_CELL * (1 + len(cells)) + sum(map(len, row)) + filled * width - area)
    return rows[:filled]


def _with_zeros(cell: Any) -> str:
    """Return a cell as text. A whole number whose format is zeros has as many digits as its format."""
    text = _cell_of_sheet(cell.value)
    if text.isdecimal() and not isinstance(cell.value, str) and set(cell.number_format) == {"0"}:
        return text.zfill(len(cell.number_format))
    return text


def _cell_of_sheet(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat()).removesuffix("T00:00:00")
    return str(value)


def zip_members(content: bytes, name: str | None) -> dict[str, Callable[[], bytes]]:
    """The files of a zip archive by their names, each a function that unpacks it in memory. Nothing is written.

    Folders are left out, and so are files that macOS adds (``__MACOSX/``). A ParseError if the archive is damaged.
    """
    with _damage_told("zip", name):
        archive = zipfile.ZipFile(io.BytesIO(content))
    members: dict[str, Callable[[], bytes]] = {}
    for info in archive.infolist():
        if not info.filename:
            msg = "damaged zip file: it holds a file without a name"
            raise ParseError(msg, path=name)
        if info.is_dir() or info.filename.startswith("__MACOSX/"):
            continue
        if info.filename in members:
            msg = f"damaged zip file: it holds {info.filename!r} twice"
            raise ParseError(msg, path=name)
        members[info.filename] = partial(drained, archive.open, info, "zip", name, size=info.compress_size)
    return members


def tar_members(content: bytes | IO[bytes], name: str | None) -> Iterator[tuple[str, Callable[[], bytes]]] | None:
    """The files of a tar archive, packed or not, each with its name and a function that unpacks it in memory.

    They come in one pass, so that a packed archive is unpacked once: call a function before asking for the next file.
    Folders and links are left out. None if the content is not a tar. A ParseError, on the way, if the archive is
    damaged or cut off.
    """
    stream = io.BytesIO(content) if isinstance(content, bytes) else content
    head = stream.read(_BLOCK)
    size = None
    for magic, _, opened in _PACKED:
        if head.startswith(magic):
            size = stream.seek(0, io.SEEK_END)
            stream.seek(0)
            stream = opened(stream)
            try:
                head = stream.read(_BLOCK)
                stream.seek(0)
            except _DAMAGED:
                return None  # unpacking it will show the error
            break
    stream.seek(0)
    if head[257:262] != b"ustar":
        try:
            tarfile.TarInfo.frombuf(head, "latin-1", "strict")  # tars of old have no mark, but a check sum
        except _DAMAGED:
            return None
    return _tar_files(stream, name, size)


def _tar_files(stream: IO[bytes], name: str | None, size: int | None) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files of a tar. `size`: of the packed file, None if it is not packed."""
    with _damage_told("tar", name):
        bounded: Any = _Bounded(stream, name, size)
        with tarfile.open(fileobj=bounded, mode="r:", errors="replace") as archive:
            for member in archive:
                if member.isfile():
                    yield member.name, partial(_tar_file, archive, member, name)
            stream.seek(archive.offset)
            if stream.read(_BLOCK) != bytes(_BLOCK):  # which is how a tar ends
                raise EOFError("it is cut off, or has no tar's block where one is expected")
            rest = 0
            while piece := stream.read(_PIECE):  # padding. Behind it packed files have their check sums
                rest += len(piece)
                if rest > bounded.limit:
                    raise _too_large(name, "tar", bounded.limit)


def _tar_file(archive: tarfile.TarFile, member: tarfile.TarInfo, name: str | None) -> bytes:
    if member.size > unpacked_limit():
        raise _too_large(f"{name or 'this'}: {member.name}", "tar", unpacked_limit())
    return drained(archive.extractfile, member, "tar", name)


class _Bounded:
    """A stream that never reads, or passes over, more at once than memory can hold."""

    def __init__(self, stream: IO[bytes], name: str | None, size: int | None) -> None:
        self._stream, self._name, self.limit, self._size = stream, name, unpacked_limit(), size
        self.tell = stream.tell

    def read(self, size: int) -> bytes:
        if size > self.limit:
            raise _too_large(self._name, "tar", self.limit)
        if self._size is not None:
            check_ratio(self._stream.tell() + size, self._size, "tar", self._name)
        return self._stream.read(size)

    def seek(self, position: int) -> int:
        if position > 4 * self.limit and not isinstance(self._stream, io.BytesIO | io.BufferedReader):
            raise _too_large(self._name, "tar", self.limit)  # passing over it means to unpack it
        if self._size is not None:
            check_ratio(position, self._size, "tar", self._name)
        return self._stream.seek(position)


def _too_large(name: str | None, kind: str, limit: int) -> LimitExceededError:
    msg = (
        f"{name or 'this'} unpacks ({kind}) to more than {limit:,} bytes, a quarter of this machine's memory; "
        "if the file is right, unpack it first and read the file that comes out"
    )
    return LimitExceededError(msg, size=limit + 1, limit=limit)


_UNPACK_FIRST = "unpack it first and read the file that comes out"


def check_ratio(unpacked: int, packed: int, kind: str, name: str | None, cure: str = _UNPACK_FIRST) -> None:
    """Refuse content that is far too large for the file that it comes out of."""
    limit = max(MOST_RATIO * packed, RATIO_FROM)
    if unpacked > limit:
        msg = (
            f"{name or 'this'} unpacks ({kind}) to more than {limit:,} bytes out of {packed:,}, as no table or tree "
            f"does; if the file is right, {cure}"
        )
        raise LimitExceededError(msg, size=unpacked, limit=limit)


def drained(
    opened: Callable[[Any], Any], packed: Any, kind: str, name: str | None, *, size: int | None = None
) -> bytes:
    """All that the stream ``opened(packed)`` gives, piece by piece, so that too much is refused in time.

    `size` is the size of the packed file if the content is to be compared with it: with as much of it as has been
    read, where that is known, so that little has to come out.
    """
    limit = unpacked_limit()
    pieces: list[bytes] = []
    total = 0
    with _damage_told(kind, name), opened(packed) as stream:
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            total += len(piece)
            if size is not None:
                read = min(packed.tell(), size) if isinstance(packed, io.BytesIO) else size
                check_ratio(total, read, kind, name)
            if total > limit:
                break
    if total > limit:
        raise _too_large(name, kind, limit)
    return b"".join(pieces)


def bounded(stream: Any, name: str) -> bytes | str:
    """All that a pipe or a device gives, within the bound of packed files."""
    limit, size, pieces = unpacked_limit(), 0, []
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            msg = (
                f"{name} is not a file and gives more than {limit:,} bytes, a quarter of this machine's memory; if it "
                "is meant to be so large, save it in a file and read that"
            )
            raise LimitExceededError(msg, size=size, limit=limit)
    return pieces[0][:0].join(pieces) if pieces else b""


def unpacked_limit() -> int:
    """How many bytes a packed file may unpack to, or a pipe give: a quarter of this machine's or container's memory."""
    return memory() // 4


Source = str | os.PathLike[str] | IO[Any]
Target = str | os.PathLike[str] | IO[Any]

_BOM = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
#: 1,024 bytes at the start are enough to recognise UTF-16 without its mark.
_HEAD = 1024

# ---------------------------------------------------------------------- reading


def read_bytes(source: Source) -> tuple[bytes | str, str | None]:
    """Read all of a source and unpack it: gzip, bzip2, xz, or a zip archive with one file in it. Excel becomes CSV.

    Parameters
    ----------
    source : path, file object or "-"
        ``"-"`` is the standard input.

    Returns
    -------
    content : bytes, or str
        Text only if the source is a file object open for text.
    name : str or None
        Its name in messages.

    Raises
    ------
    LimitExceededError
        If it unpacks to more than a quarter of the memory, or to far more than such a file can. If a pipe or a device
        gives more than a quarter of the memory.
    """
    content, name = raw_bytes(source)
    if isinstance(content, str):
        return content, name
    return unpacked(content, name), name


def raw_bytes(source: Source) -> tuple[bytes | str, str | None]:
    """Read all of a source as it is, packed or not, else as `read_bytes`."""
    content: bytes | str
    name: str | None
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if name == "-":
            name = "<standard input>"
            if sys.stdin is None:
                raise ParseError("it is closed: there is nothing to read; give a file instead", path=name)
            content = _read(getattr(sys.stdin, "buffer", sys.stdin), name)
        else:
            content = _file_bytes(name)
    elif callable(getattr(source, "read", None)):
        given = getattr(source, "name", None)
        name = given if isinstance(given, str) else "<stream>"
        content = _read(source, name)
    else:
        hint = ""
        if isinstance(source, (list, tuple, dict)):
            named = isinstance(source, dict) or any(isinstance(x, dict) for x in source[:1])
            hint = f"; rows go in as a frame: pandas.DataFrame(rows{'' if named else ', columns=[...]'})"
        msg = (
            f"expected a path, '-' for standard input, or a file object to read from, not {type(source).__name__}{hint}"
        )
        raise TypeError(msg)
    return (_whole(content.removeprefix(_BOM), name) if isinstance(content, str) else content), name


def _whole(text: str, name: str | None) -> str:
    """The text, refused if it holds characters that no file can hold, so that it can be written again."""
    half = _SURROGATE.search(text)
    if half is None:
        return text
    msg = (
        f"the character {half[0]!r} is half of a surrogate pair, which no file can hold; was the text read with "
        "another encoding than its own?"
    )
    raise error_at(half.start(), text, msg, name)


def named_stream(content: bytes | str, name: str | None) -> Any:
    """A stream of content read before, with the name of its source for messages."""

    class Stream(io.BytesIO):
        pass

    stream = Stream(content.encode() if isinstance(content, str) else content)
    stream.name = name
    return stream


def read_text(source: Source) -> tuple[str, str | None]:
    """Read all of a source as text, line ends as they are: the text, and the source's name for messages."""
    content, name = read_bytes(source)
    return decoded(content, name), name


def is_parquet(content: bytes | str) -> TypeGuard[bytes]:
    """True if this is a Parquet file."""
    return isinstance(content, bytes) and content.startswith(b"PAR1")


def decoded(content: bytes | str, name: str | None) -> str:
    """Return bytes as UTF-8 text without byte order mark, or raise a ParseError at the first wrong byte. Text stays."""
    if isinstance(content, str):
        return content
    check_not_utf16(content, name)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    body = content.removeprefix(_BOM.encode())
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = body[error.start]
        before = body[: error.start].decode("utf-8")
        text = before + body[error.start : error.start + 200].decode("utf-8", errors="replace")
        msg = f"byte 0x{bad:02x} is not UTF-8 text (byte {error.start + 1} of the file); save the file as UTF-8"
        raise error_at(len(before), text, msg, name) from None


def check_not_utf16(content: bytes, name: str | None) -> None:
    """Refuse UTF-16, by its byte order mark or by its many zero bytes (UTF-8 has them for NUL characters alone)."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        msg = "this is UTF-16 text; save it as UTF-8"
        raise ParseError(msg, path=name, line=1, column=1)
    head = content[:_HEAD]
    if head and 4 * head.count(0) >= len(head):
        msg = "NUL characters: this looks like UTF-16 without its mark; save it as UTF-8"
        raise ParseError(msg, path=name, line=1, column=head.index(0) + 1)


def _read(stream: Any, name: str) -> bytes | str:
    try:
        content = stream.read() if _ends(stream) else bounded(stream, name)
    except UnicodeDecodeError as error:
        msg = f"not {error.encoding} text, as which it was opened: {error.reason} at byte {error.start + 1}"
        raise ParseError(msg, path=name) from None
    if not isinstance(content, (bytes, bytearray, str)):
        msg = f"read() of {name} gave {type(content).__name__}, not text or bytes"
        raise TypeError(msg)
    return content if isinstance(content, str) else bytes(content)


def _ends(stream: Any) -> bool:
    """True if a stream is not a pipe, device or terminal, which may go on for ever."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (AttributeError, OSError, TypeError, ValueError):
        return True  # in memory, or unpacked by the caller


def _file_bytes(path: str) -> bytes | str:
    try:
        with open(path, "rb") as stream:
            return _read(stream, path)
    except (FileNotFoundError, OSError) as error:
        if not isinstance(error, FileNotFoundError) and error.errno != errno.ENAMETOOLONG:
            raise
        looks_like_text = any(ch in path for ch in "(;|\n")
        hint = "; this looks like the text itself: wrap it in io.StringIO(...)" if looks_like_text else ""
        if path.startswith("sample:"):  # a word of the command line
            hint = f"; in Python, tripletree.datasets.sample_path({path.removeprefix('sample:')!r}) is a sample's path"
        shown = path if len(path) <= 200 else path[:200] + "..."
        raise FileNotFoundError(errno.ENOENT, f"no such file{hint}", shown) from None


# ---------------------------------------------------------------------- writing

#: The last files that were put in place: for the message of a command that fails afterwards.
last_written: deque[str] = deque(maxlen=20)

#: The prefix of temporary files beside targets, and the seconds without a change after which nobody writes to one.
_ASIDE, _LEFT_AFTER = ".tripletree-", 3600
#: Folders in which such files were looked for.
_looked_into: set[str] = set()


@contextmanager
def write_atomic(target: Target, *, private: bool = False) -> Iterator[IO[str]]:
    """Open a target for writing UTF-8 text. A path is replaced when the ``with`` block ends without an exception.

    Parameters
    ----------
    target : path, file object or "-"
        A path ending in .gz, .bz2 or .xz is compressed (gzip without a time stamp: equal text, equal file). ``"-"``
        is the standard output, in which control characters stand escaped if it is a terminal. A file object, open
        for text or bytes, is written to and left open. A symbolic link stays, and the file it leads to is replaced.
        The permissions of an existing file stay too, and a file that may not be written is not replaced.
    private : bool
        Let nobody but this user read the file at a path.
    """
    if isinstance(target, (str, os.PathLike)) and os.fspath(target) != "-":
        path = os.fspath(target)
        with _replacing(path, private=private) as raw, _packing(path, raw) as packed, _utf8(packed) as text:
            yield text
        return
    stream = _stream(target)
    if isinstance(target, (str, os.PathLike)) and sys.stdout.isatty():
        yield _Terminal()  # type: ignore[misc]
        return
    if isinstance(stream, io.TextIOBase) or not _takes_bytes(stream):
        yield stream
        return
    with _utf8(stream) as text:
        yield text


def csv_text(rows: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    """Rows of cells as CSV, or with another delimiter."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def no_formula(text: str) -> str:
    """A text that strangers typed, for a table: what a spreadsheet would run as a formula gets an apostrophe first."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def write_text(parts: Iterable[str], target: Target | None, *, end: str = "") -> str | None:
    """Write the parts of a text, and in files an `end`. Without a target return the text."""
    if target is None:
        return "".join(parts)
    with write_atomic(target) as stream:
        stream.writelines(parts)
        stream.write(end)
    return None


def write_folder(folder: str | os.PathLike[str], files: Mapping[str, str]) -> list[Path]:
    """Write the texts of several files into a folder, which is made: all of them or, after an error, none."""
    place = Path(folder)
    made = not place.exists()
    place.mkdir(parents=True, exist_ok=True)
    try:
        with ExitStack() as stack:
            new = []
            for name, text in files.items():
                new.append(_Replacement(os.fspath(place / name)))
                stack.enter_context(new[-1])
                with new[-1].open() as stream:
                    stream.write(text.encode())
            for one in new:
                one.put()
    except BaseException:
        if made:
            with suppress(OSError):  # the last of its files has not gone
                place.rmdir()
        raise
    _name_leftovers(os.fspath(place))
    return [place / name for name in files]


class _Terminal(io.TextIOBase):
    """The standard output where it is a terminal: labels from a file must not command it."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        sys.stdout.write(escaped_controls(text))
        return len(text)

    def flush(self) -> None:
        sys.stdout.flush()


@contextmanager
def _utf8(raw: IO[bytes]) -> Iterator[IO[str]]:
    """Text on top of a stream of bytes, which stays open."""
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
    try:
        yield text
    except BaseException:
        with suppress(OSError, ValueError):
            text.detach()
        raise
    text.detach()


@contextmanager
def write_atomic_bytes(target: Target) -> Iterator[IO[bytes]]:
    """Open a target for writing bytes as they are given, else as `write_atomic`."""
    if isinstance(target, (str, os.PathLike)) and os.fspath(target) != "-":
        with _replacing(os.fspath(target)) as raw, _packing(os.fspath(target), raw) as packed:
            yield packed
        return
    stream = _stream(target)
    if isinstance(stream, io.TextIOBase) or not _takes_bytes(stream):
        msg = "this format is binary: give a path, or a file object open for bytes (mode 'wb')"
        raise TypeError(msg)
    yield stream


def _stream(target: Any) -> Any:
    """The file object that a target is or stands for, bytes preferred for the standard output."""
    if isinstance(target, (str, os.PathLike)):
        if sys.stdout is None:
            raise OSError(errno.EBADF, "the standard output is closed: there is nothing to write to")
        sys.stdout.flush()
        return getattr(sys.stdout, "buffer", sys.stdout)
    if not callable(getattr(target, "write", None)):
        msg = f"expected a path, '-' for standard output, or a file object to write to, not {type(target).__name__}"
        raise TypeError(msg)
    return target


def _takes_bytes(stream: Any) -> bool:
    if isinstance(stream, (io.RawIOBase, io.BufferedIOBase)):
        return True
    try:
        stream.write(b"")  # wrappers, as tempfile's, tell only when asked
    except TypeError:
        return False
    return True


@contextmanager
def _packing(path: str, raw: IO[bytes]) -> Iterator[IO[bytes]]:
    """A compressing stream on `raw` where the path's suffix asks for one."""
    suffix = Path(path).suffix.lower()
    if suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
            yield packed  # type: ignore[misc]
    elif suffix == ".bz2":
        with bz2.BZ2File(raw, "wb") as packed:
            yield packed
    elif suffix == ".xz":
        with lzma.LZMAFile(raw, "wb") as packed:
            yield packed
    else:
        yield raw


def _descriptor(path: str) -> int | None:
    """The number of the open file that a path such as /dev/stdout or /dev/fd/63 stands for."""
    folder, name = os.path.split(path)
    if folder == "/dev" and name in ("stdout", "stderr"):
        getattr(sys, name).flush()
        return 1 if name == "stdout" else 2
    return int(name) if folder in ("/dev/fd", "/proc/self/fd") and name.isdecimal() else None


@contextmanager
def naming(path: str, *, instead_of: str | None = None) -> Iterator[None]:
    """Give the errors of the system that name no file, or the one that stands in for it, the name of this one."""
    try:
        yield
    except OSError as error:
        unnamed = error.filename in (None, instead_of) and error.errno not in (None, errno.EPIPE)
        if not unnamed:
            raise
        raise type(error)(error.errno, error.strerror, path) from None


class _Own(io.BufferedWriter):
    """A stream of a file without its number, past which libraries write: Pillow does not notice that a disk is full."""

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")


class _Replacement:
    """A temporary file beside the path's real file. It takes its place by `put`, or goes without a trace."""

    def __init__(self, path: str, *, private: bool = False) -> None:
        self.path, self.real, self.private = path, os.path.realpath(path), private
        try:
            self.mode: int | None = os.stat(self.real).st_mode
        except FileNotFoundError:
            self.mode = None
        self.aside = os.path.join(self.folder, f"{_ASIDE}{secrets.token_hex(8)}.tmp")

    @property
    def folder(self) -> str:
        return os.path.dirname(self.real)

    def check(self) -> None:
        """Check that there is a place for the file."""
        if self.mode is not None and stat.S_ISDIR(self.mode):
            raise IsADirectoryError(errno.EISDIR, "cannot write a file in the place of a folder", self.path)
        if not os.path.isdir(self.folder):
            raise FileNotFoundError(errno.ENOENT, "no such folder to write into", self.folder)
        if self.mode is not None:  # a file that may not be written is not replaced, even where its folder allows it
            with naming(self.path, instead_of=self.real):
                os.close(os.open(self.real, os.O_WRONLY))

    def __enter__(self) -> _Replacement:
        self.check()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            return
        with suppress(OSError):  # it may never have been made
            os.unlink(self.aside)
        if isinstance(error, OSError):
            with naming(self.path, instead_of=self.aside):
                raise error

    def open(self) -> IO[bytes]:
        # a new file is private until it has the mode of the old one
        mode = 0o666 if self.mode is None and not self.private else 0o600
        return _Own(io.FileIO(self.aside, "x", opener=lambda name, flags: os.open(name, flags, mode)))

    def put(self) -> None:
        """Put the file in its place."""
        if self.mode is not None and not self.private:
            os.chmod(self.aside, stat.S_IMODE(self.mode))
        os.replace(self.aside, self.real)
        last_written.append(self.path)


@contextmanager
def _replacing(path: str, *, private: bool = False) -> Iterator[IO[bytes]]:
    """A stream whose content takes the place of a file, if no error comes up."""
    descriptor = _descriptor(path)
    if descriptor is not None:
        with naming(path), _Own(io.FileIO(os.dup(descriptor), "w")) as stream:  # opened already, by the shell
            yield stream
        return
    new = _Replacement(path, private=private)
    if new.mode is not None and not stat.S_ISREG(new.mode) and not stat.S_ISDIR(new.mode):
        with naming(path), _Own(io.FileIO(new.real, "w")) as stream:  # a device or a pipe: nothing to replace
            yield stream
        return
    with new:
        with new.open() as stream:
            yield stream
        new.put()
    _name_leftovers(new.folder or ".")


def _name_leftovers(folder: str) -> None:
    """Warn, once for each folder, of temporary files that writers left there when they were killed."""
    if folder in _looked_into:
        return
    _looked_into.add(folder)
    old = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_ASIDE) and entry.name.endswith(".tmp"):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _LEFT_AFTER:
                        old.append(entry.path)
    if old:
        shown = ", ".join(sorted(old)[:SHOWN]) + (", ..." if len(old) > SHOWN else "")
        files = "a temporary file" if len(old) == 1 else f"{len(old)} temporary files"
        warn_user(f"{files} left by a writer that was killed: {shown}; nothing needs them, so remove them")
