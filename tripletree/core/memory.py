"""How much memory there is."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

#: Bytes that every machine has: a small fit opens no file of the system to ask.
_ANYWHERE = 64 << 20


def fits_in_memory(size: float) -> bool:
    """True if there is memory for so many bytes. The system is asked only about large sizes."""
    return size <= _ANYWHERE or size <= memory()


def memory() -> int:
    """Return the bytes of memory of this machine or container, or of the process if it may have less."""
    size = 8 << 30  # where the system does not tell
    with suppress(AttributeError, ValueError, OSError):
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(ValueError, OSError):  # the file holds "max" if there is no limit
        size = min(size, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    with suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        size = size if most == resource.RLIM_INFINITY else min(size, most)
    return size
