"""Unpacking in memory: gzip, bzip2, xz, zip and tar, told by their first bytes, within a bound.

A few kilobytes can unpack to terabytes. So everything is unpacked piece by piece, and refused once it is larger than
`unpacked_limit`. Nothing is ever written: the names in an archive cannot lead anywhere.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from tripletree.errors import SHOWN, LimitExceededError, ParseError, TripletreeError

__all__ = ["drained", "tar_members", "unpacked", "unpacked_limit", "zip_members"]

_PACKED: tuple[tuple[bytes | tuple[bytes, ...], str, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", "gzip", partial(gzip.GzipFile, None, "rb", None)),
    (tuple(b"BZh%d" % k for k in range(1, 10)), "bzip2", bz2.BZ2File),
    (b"\xfd7zXZ\x00", "xz", lzma.LZMAFile),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_DAMAGED = (
    *(OSError, EOFError, ValueError, RuntimeError, OverflowError, IndexError),
    *(struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError),
)
#: Bytes of the blocks that a tar consists of.
_BLOCK = 512
_PIECE = 1 << 20


def unpacked(content: bytes, name: str | None) -> bytes:
    """The content, decompressed if its first bytes say that it is compressed; refused if it still is afterwards."""
    inner = _unpacked(content, name)
    if inner is not content and (inner.startswith(_ZIP) or any(inner.startswith(x) for x, _, _ in _PACKED)):
        msg = "packed twice, one packed file in another: unpack it once, and read the file that comes out"
        raise ParseError(msg, path=name)
    return inner


def _unpacked(content: bytes, name: str | None) -> bytes:
    if content.startswith(_ZIP):
        members = zip_members(content, name)
        if len(members) != 1:
            shown = ", ".join(repr(x) for x in list(members)[:SHOWN]) + (", ..." if len(members) > SHOWN else "")
            msg = (
                f"a zip archive with {len(members)} files where one is wanted: {shown}; unpack it and read one of them"
                if members
                else "a zip archive without a file in it"
            )
            raise ParseError(msg, path=name)
        (member,) = members.values()
        return member()
    for magic, kind, opened in _PACKED:
        if content.startswith(magic):
            return drained(opened, io.BytesIO(content), kind, name)
    return content


def zip_members(content: bytes, name: str | None) -> dict[str, Callable[[], bytes]]:
    """The files of a zip archive by their names, each a function that unpacks it in memory; nothing is written.

    Folders are left out, and so is what macOS adds (``__MACOSX/``). A ParseError if the archive is damaged.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGED as error:
        msg = f"damaged zip file: {error}"
        raise ParseError(msg, path=name) from None
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
        members[info.filename] = partial(drained, archive.open, info, "zip", name)
    return members


def tar_members(content: bytes | IO[bytes], name: str | None) -> Iterator[tuple[str, Callable[[], bytes]]] | None:
    """The files of a tar archive, packed or not, each with its name and a function that unpacks it in memory.

    They come in one pass, so that a packed archive is unpacked once: call a function before asking for the next file.
    Folders and links are left out. None if the content is no tar; a ParseError, on the way, if the archive is damaged
    or cut off, or a file that is unpacked has holes.
    """
    stream = io.BytesIO(content) if isinstance(content, bytes) else content
    head = stream.read(_BLOCK)
    stream.seek(0)
    for magic, _, opened in _PACKED:
        if head.startswith(magic):
            stream = opened(stream)
            try:
                head = stream.read(_BLOCK)
                stream.seek(0)
            except _DAMAGED:
                return None  # who unpacks it will say what is wrong
            break
    if head[257:262] != b"ustar":
        try:
            tarfile.TarInfo.frombuf(head, "latin-1", "strict")  # tars of old have no mark, but a check sum
        except _DAMAGED:
            return None
    return _tar_files(stream, name)


def _tar_files(stream: IO[bytes], name: str | None) -> Iterator[tuple[str, Callable[[], bytes]]]:
    try:
        bounded: Any = _Bounded(stream, name)
        with tarfile.open(fileobj=bounded, mode="r:", errors="replace") as archive:
            for member in archive:
                if member.isfile():
                    yield member.name, partial(_tar_file, archive, member, name)
            stream.seek(archive.offset)
            if stream.read(_BLOCK) != bytes(_BLOCK):  # which is how a tar ends
                raise EOFError("it is cut off, or has no tar's block where one is wanted")
            rest = 0
            while piece := stream.read(_PIECE):  # padding; behind it packed files have their check sums
                rest += len(piece)
                if rest > bounded.limit:
                    raise _too_large(name, "tar", bounded.limit)
    except _DAMAGED as error:
        if isinstance(error, TripletreeError):
            raise
        msg = f"damaged tar file: {error}"
        raise ParseError(msg, path=name) from None


def _tar_file(archive: tarfile.TarFile, member: tarfile.TarInfo, name: str | None) -> bytes:
    if member.issparse():
        msg = f"{member.name!r} has holes in this tar (a sparse file): unpack the archive first"
        raise ParseError(msg, path=name)
    if member.size > unpacked_limit():
        raise _too_large(f"{name or 'this'}: {member.name}", "tar", unpacked_limit())
    return drained(archive.extractfile, member, "tar", name)


class _Bounded:
    """A stream of which nothing is read at once, or passed over, that no memory could hold."""

    def __init__(self, stream: IO[bytes], name: str | None) -> None:
        self._stream, self._name, self.limit = stream, name, unpacked_limit()
        self.tell = stream.tell

    def read(self, size: int) -> bytes:
        if size > self.limit:
            raise _too_large(self._name, "tar", self.limit)
        return self._stream.read(size)

    def seek(self, position: int) -> int:
        if position > 4 * self.limit and not isinstance(self._stream, io.BytesIO | io.BufferedReader):
            raise _too_large(self._name, "tar", self.limit)  # passing over it means to unpack it
        return self._stream.seek(position)


def _too_large(name: str | None, kind: str, limit: int) -> LimitExceededError:
    msg = (
        f"{name or 'this'} unpacks ({kind}) to more than {limit:,} bytes, a quarter of this machine's memory; "
        "if it is what it should be, unpack it first and read the file that comes out"
    )
    return LimitExceededError(msg, size=limit + 1, limit=limit)


def drained(opened: Callable[[Any], Any], packed: Any, kind: str, name: str | None) -> bytes:
    """All that the stream ``opened(packed)`` gives, piece by piece, so that what is too large is refused in time."""
    limit = unpacked_limit()
    pieces: list[bytes] = []
    size = 0
    try:
        with opened(packed) as stream:
            while piece := stream.read(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > limit:
                    break
    except _DAMAGED as error:
        msg = f"damaged {kind} file: {error}"
        raise ParseError(msg, path=name) from None
    if size > limit:
        raise _too_large(name, kind, limit)
    return b"".join(pieces)


def unpacked_limit() -> int:
    """How many bytes a packed file may unpack to: a quarter of the memory that this machine, or container, has."""
    memory = 8 << 30  # where nobody tells
    with suppress(AttributeError, ValueError, OSError):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(ValueError, OSError):  # a file that says "max" where there is no limit
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return memory // 4
