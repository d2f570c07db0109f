"""Lines added to the end of a file: whole or not at all, and on the disk before the caller goes on.

Several programs and threads may add to one file at once. So answers of people are kept (`io/answers.py`), and the runs
of a comparison (`evaluation/comparison.py`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import SEEK_END
from threading import Lock
from typing import Any

from tripletree.io.source import naming

#: Bytes that are read at once from the end of a file.
_STEP = 1 << 16


class End:
    """The end of a file that this program alone may change for now."""

    def __init__(self, stream: Any, path: str) -> None:
        self.stream, self.path = stream, path
        self.size = stream.seek(0, SEEK_END)

    def last_line(self) -> tuple[int, bytes]:
        """Return the place behind the last line end, and the text that stands there."""
        start, rest = self.size, b""
        while start > 0:
            step = min(_STEP, start)
            self.stream.seek(start - step)
            piece = self.stream.read(step)
            end = piece.rfind(b"\n") + 1
            rest = piece[end:] + rest
            start -= step - end
            if end:
                break
        return start, rest

    def cut(self, size: int) -> None:
        """Drop what stands behind the first `size` bytes, such as a line that was written in part."""
        if size < self.size:
            self.stream.truncate(size)
            self.size = size

    def add(self, content: bytes) -> None:
        """Add to the file. After an error of the system it is as it was before."""
        size = self.size
        try:
            if self.stream.write(content) < len(content):
                raise OSError(errno.ENOSPC, "the line could not be written, the disk may be full", self.path)
            os.fsync(self.stream.fileno())
            if size == 0:
                _sync_folder(os.path.dirname(os.path.abspath(self.path)))
        except OSError:
            if self.stream.seek(0, SEEK_END) <= size + len(content):  # else another program has gone on behind it
                self.stream.truncate(size)
            raise
        self.size += len(content)


@contextmanager
def end_of(path: str) -> Iterator[End]:
    """Open a file, which is made, to add to it. Other programs and threads that do so wait."""
    # without the lock, a line that another program has written in part would look like an interrupted one
    with naming(path), open(path, "ab+", buffering=0) as stream, _one_at_a_time, _locked(stream):
        yield End(stream, path)


#: Threads of this process take turns, as the lock of a file holds for a process.
_one_at_a_time = Lock()


@contextmanager
def _locked(stream: Any) -> Iterator[None]:
    """Keep other programs from appending to a file while inside. They wait. Closing the file gives the lock back."""
    with suppress(ImportError, OSError):  # Windows, and file systems without locks
        import fcntl

        fcntl.lockf(stream, fcntl.LOCK_EX)
    yield


def _sync_folder(folder: str) -> None:
    """Write the name of a new file to the disk, where the system can do that to a folder."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
