"""Opening what is read and replacing what is written: paths, file objects and the standard streams.

Reading takes gzip, bzip2, xz and zip by their first bytes and UTF-8 with or without a byte order mark. What unpacks to
more than a part of the memory is refused while it unpacks. Writing goes to a temporary file beside the target, which
takes the target's place in one step when all is written: a reader never sees half a file, and a failure leaves the
old one as it was.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tripletree.errors import ParseError
from tripletree.io._packed import unpacked

__all__ = [
    "Source",
    "Target",
    "decoded",
    "named_stream",
    "open_text",
    "place",
    "raw_bytes",
    "read_bytes",
    "read_text",
    "refuse_utf16",
    "write_atomic",
    "write_atomic_bytes",
]

Source = str | os.PathLike[str] | IO[Any]
Target = str | os.PathLike[str] | IO[Any]

_BOM = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
#: So many bytes at the start tell UTF-16 that does not say so.
_HEAD = 1024

# ---------------------------------------------------------------------- reading


def read_bytes(source: Source) -> tuple[bytes | str, str | None]:
    """Read all of a source and unpack it: gzip, bzip2, xz, or a zip archive with one file in it.

    Parameters
    ----------
    source : path, file object or "-"
        ``"-"`` is the standard input.

    Returns
    -------
    content : bytes, or str
        Text only where the source is a file object open for text.
    name : str or None
        What to call it in messages.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If a compressed file is damaged or packed twice, a zip archive holds several files, the standard input is
        closed, or a text holds half of a surrogate pair.
    LimitExceededError
        If it unpacks to more than a quarter of the memory.
    """
    content, name = raw_bytes(source)
    if isinstance(content, str):
        return content, name
    return unpacked(content, name), name


def raw_bytes(source: Source) -> tuple[bytes | str, str | None]:
    """Read all of a source as it is, packed or not; else as `read_bytes`."""
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
        msg = f"expected a path, '-' for standard input, or a file object to read from, not {type(source).__name__}"
        raise TypeError(msg)
    return (_whole(content.removeprefix(_BOM), name) if isinstance(content, str) else content), name


def _whole(text: str, name: str | None) -> str:
    """The text, refused where it holds what no file can hold, so that writing what was read cannot fail."""
    half = _SURROGATE.search(text)
    if half is None:
        return text
    line, column, shown = place(text, half.start())
    msg = (
        f"the character {half[0]!r} is half of a surrogate pair, which no file can hold; was the text read with "
        "another encoding than its own?"
    )
    raise ParseError(msg, path=name, line=line, column=column, text=shown)


def named_stream(content: bytes | str, name: str | None) -> Any:
    """A stream of what has been read already that calls itself by its source, for messages."""

    class Stream(io.BytesIO):
        pass

    stream = Stream(content.encode() if isinstance(content, str) else content)
    stream.name = name
    return stream


def read_text(source: Source) -> tuple[str, str | None]:
    """Read all of a source as text, line ends as they are: the text, and the source's name for messages.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If it is not UTF-8, at the first such byte, or a compressed file is damaged.
    """
    content, name = read_bytes(source)
    return (content if isinstance(content, str) else decoded(content, name)), name


@contextmanager
def open_text(source: Source) -> Iterator[io.StringIO]:
    """Open a source for reading text, for as long as the ``with`` block lasts; see `read_text`."""
    text, _ = read_text(source)
    with io.StringIO(text, newline="") as stream:
        yield stream


def decoded(content: bytes, name: str | None) -> str:
    """Bytes as UTF-8 text without byte order mark, or a ParseError at the first byte that is none."""
    refuse_utf16(content, name)
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
        line, column, shown = place(text, len(before))
        msg = f"byte 0x{bad:02x} is not UTF-8 text (byte {error.start + 1} of the file); save the file as UTF-8"
        raise ParseError(msg, path=name, line=line, column=column, text=shown) from None


def refuse_utf16(content: bytes, name: str | None) -> None:
    """Refuse UTF-16, by its byte order mark or by its many zero bytes (UTF-8 has them for NUL characters alone)."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        msg = "this is UTF-16 text; save it as UTF-8"
        raise ParseError(msg, path=name, line=1, column=1)
    head = content[:_HEAD]
    if head and 4 * head.count(0) >= len(head):
        msg = "NUL characters: this looks like UTF-16 without its mark; save it as UTF-8"
        raise ParseError(msg, path=name, line=1, column=head.index(0) + 1)


def place(text: str, offset: int) -> tuple[int, int, str]:
    """Line and column (from 1) of a character, and that line. Lines end in LF, CR LF or CR."""
    head = text[:offset]
    line = head.count("\n") + head.replace("\r\n", "\n").count("\r") + 1
    start = max(head.rfind("\n"), head.rfind("\r")) + 1
    stops = [k for k in (text.find("\n", offset), text.find("\r", offset)) if k >= 0]
    return line, offset - start + 1, text[start : min(stops, default=len(text))]


def _read(stream: Any, name: str) -> bytes | str:
    try:
        content = stream.read()
    except UnicodeDecodeError as error:
        msg = f"not {error.encoding} text, as which it was opened: {error.reason} at byte {error.start + 1}"
        raise ParseError(msg, path=name) from None
    if not isinstance(content, (bytes, bytearray, str)):
        msg = f"read() of {name} gave {type(content).__name__}, not text or bytes"
        raise TypeError(msg)
    return content if isinstance(content, str) else bytes(content)


def _file_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, OSError) as error:
        if not isinstance(error, FileNotFoundError) and error.errno != errno.ENAMETOOLONG:
            raise
        looks_like_text = any(ch in path for ch in "(;|\n")
        hint = "; this looks like the text itself: wrap it in io.StringIO(...)" if looks_like_text else ""
        shown = path if len(path) <= 200 else path[:200] + "..."
        raise FileNotFoundError(errno.ENOENT, f"no such file{hint}", shown) from None


# ---------------------------------------------------------------------- writing


@contextmanager
def write_atomic(target: Target) -> Iterator[IO[str]]:
    """Open a target for writing UTF-8 text; a path is replaced when the ``with`` block ends without an exception.

    Parameters
    ----------
    target : path, file object or "-"
        A path ending in .gz, .bz2 or .xz is compressed (gzip without a time stamp: equal text, equal file); ``"-"``
        is the standard output; a file object, open for text or bytes, is written to and left open. A symbolic link
        stays, and the file it leads to is replaced; the permissions of an existing file stay too.
    """
    if isinstance(target, (str, os.PathLike)) and os.fspath(target) != "-":
        with _replacing(os.fspath(target)) as raw, _packing(os.fspath(target), raw) as packed, _utf8(packed) as text:
            yield text
        return
    stream = _stream(target)
    if isinstance(stream, io.TextIOBase) or not _takes_bytes(stream):
        yield stream
        return
    with _utf8(stream) as text:
        yield text


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
    """Open a target for writing bytes as they are given; else as `write_atomic`.

    Raises
    ------
    TypeError
        If the target is a file object open for text.
    """
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
        stream.write(b"")  # wrappers such as those of tempfile tell only when asked
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
def _replacing(path: str) -> Iterator[IO[bytes]]:
    """A temporary file beside the path's real file that takes its place at the end, or goes without a trace."""
    descriptor = _descriptor(path)
    if descriptor is not None:
        with open(os.dup(descriptor), "wb") as stream:  # opened already, by the shell: go on where it stands
            yield stream
        return
    real = os.path.realpath(path)
    try:
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        with open(real, "wb") as stream:  # a device or a pipe: there is nothing to replace
            yield stream
        return
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "cannot write a file in the place of a folder", path)
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "no such folder to write into", folder)
    aside = os.path.join(folder, f".tripletree-{secrets.token_hex(8)}.tmp")
    private = 0o666 if mode is None else 0o600  # what replaces a file is nobody else's before it has that file's mode
    try:
        with open(aside, "xb", opener=lambda name, flags: os.open(name, flags, private)) as stream:
            yield stream
        if mode is not None:
            os.chmod(aside, stat.S_IMODE(mode))
        os.replace(aside, real)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(aside)
        raise
