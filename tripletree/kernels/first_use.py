"""Order around the compilation of a kernel: one process compiles it, others wait, and a terminal hears of it.

``TRIPLETREE_QUIET=1`` says nothing, and neither does anything that is no terminal and no notebook.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from shutil import get_terminal_size
from zlib import crc32

#: Seconds for which a process waits while another one compiles a kernel. Then it compiles the kernel itself.
MOST_WAITED = 300.0
#: Seconds to compile below which nothing is said.
UNSAID = 1.0
#: The command that compiles all kernels.
ALL = "'tripletree warmup'"

_depth = 0
_files: dict[Path, int] = {}
_told = False


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Keep other processes with the same cache from compiling a kernel meanwhile: they wait, and load it.

    Kernels call each other without circles, and a process holds a kernel before those that it calls, so nobody waits
    for ever. If files cannot be locked (Windows, some network drives) nobody waits at all.
    """
    held = _hold(folder, crc32(name.encode()))
    try:
        yield
    finally:
        if held is not None:
            _release(*held)


def _hold(folder: Path, place: int) -> tuple[int, int] | None:
    """Lock one byte of the lock file: one file for all kernels, and no lock outlives its process."""
    try:
        import fcntl

        if folder not in _files:  # left open: to close any would give up the locks of all
            folder.mkdir(parents=True, exist_ok=True)
            _files[folder] = os.open(folder / "compiling.lock", os.O_WRONLY | os.O_CREAT, 0o666)
        end = time.monotonic() + MOST_WAITED
        while time.monotonic() < end:
            with suppress(BlockingIOError, PermissionError):
                fcntl.lockf(_files[folder], fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                return _files[folder], place
            time.sleep(0.05)
    except (ImportError, OSError):
        pass
    return None


def _release(file: int, place: int) -> None:
    import fcntl

    with suppress(OSError):
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


@contextmanager
def said(name: str, seconds: float) -> Iterator[None]:
    """Say that a kernel is being compiled, unless that goes on within another one, which has been said.

    The first time in a process a line explains the wait. On a terminal a second one names each kernel while it
    is compiled, and goes away.
    """
    global _depth, _told
    where = _listener() if _depth == 0 and seconds >= UNSAID else ""
    with _without_bars() if where == "terminal" else nullcontext():
        if where and not _told:
            _told = True
            _write(
                f"tripletree: compiling the kernels of this call, once on this machine ({ALL} compiles everything)\n"
            )
        if where == "terminal":
            _write(f"compiling {name}, about {seconds:.0f} s"[: get_terminal_size().columns - 1])
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if where == "terminal":
                _write("\r\x1b[2K")


def _without_bars() -> AbstractContextManager[None]:
    """Take progress bars off the terminal, and put them back afterwards: they would share a line with the message."""
    tqdm = getattr(sys.modules.get("tqdm"), "tqdm", None)
    return nullcontext() if tqdm is None else tqdm.external_write_mode(sys.stderr, nolock=True)


def _listener() -> str:
    """The kind of standard error: "terminal", "notebook", or "" if nobody listens."""
    stream = sys.stderr
    if stream is None or stream.closed or os.environ.get("TRIPLETREE_QUIET", "0") not in ("", "0"):
        return ""
    if stream.isatty():
        return "terminal"
    return "notebook" if type(stream).__module__.startswith("ipykernel") else ""


def _write(text: str) -> None:
    with suppress(OSError, ValueError):  # a terminal that has gone must not end the run
        sys.stderr.write(text)
        sys.stderr.flush()
