"""Imported before all else: Ctrl-C while a command still loads what it needs ends it with a word, as later on.

Only for ``tripletree`` and ``python -m tripletree``; a program that imports the package keeps its own ways.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType


def _is_command() -> bool:
    """Whether this process was started as the command (``-m``: Python is looking for what is to run)."""
    first = next(iter(getattr(sys, "argv", [])), "")
    return first == "-m" or Path(first).stem == "tripletree"


_before = sys.excepthook


def _interrupted(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")  # Python then ends as a process does that was interrupted: 130 in a shell
    else:
        _before(kind, error, trace)


if _is_command():
    sys.excepthook = _interrupted
