"""Unpacking in memory: gzip, bzip2, xz and zip, told by their first bytes, within a bound.

A few kilobytes can unpack to terabytes. So everything is unpacked piece by piece, and refused once it is larger than
`unpacked_limit`. Nothing is ever written: the names in an archive cannot lead anywhere.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from tripletree.errors import SHOWN, LimitExceededError, ParseError

__all__ = ["drained", "unpacked", "unpacked_limit", "zip_members"]

_PACKED: tuple[tuple[bytes, str, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", "gzip", partial(gzip.GzipFile, None, "rb", None)),
    (b"BZh", "bzip2", bz2.BZ2File),
    (b"\xfd7zXZ\x00", "xz", lzma.LZMAFile),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_PIECE = 1 << 20


def unpacked(content: bytes, name: str | None) -> bytes:
    """The content, decompressed if its first bytes say that it is compressed (once)."""
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
        if info.is_dir() or info.filename.startswith("__MACOSX/"):
            continue
        if info.filename in members:
            msg = f"damaged zip file: it holds {info.filename!r} twice"
            raise ParseError(msg, path=name)
        members[info.filename] = partial(drained, archive.open, info, "zip", name)
    return members


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
        msg = (
            f"{name or 'this'} unpacks ({kind}) to more than {limit:,} bytes, a quarter of this machine's memory; "
            "if it is what it should be, unpack it first and read the file that comes out"
        )
        raise LimitExceededError(msg, size=size, limit=limit)
    return b"".join(pieces)


def unpacked_limit() -> int:
    """How many bytes a packed file may unpack to: a quarter of the memory that this machine, or container, has."""
    memory = 8 << 30  # where nobody tells
    with suppress(AttributeError, ValueError, OSError):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(ValueError, OSError):  # a file that says "max" where there is no limit
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return memory // 4
