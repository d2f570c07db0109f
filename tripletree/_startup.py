"""Imported before all else: Ctrl-C while a command still loads its modules ends it as later on, with status 130.

Only for ``tripletree`` and ``python -m tripletree``. A program that imports the package keeps its own ways.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn


def _is_command() -> bool:
    """Tell whether this process was started as the command."""
    first = next(iter(getattr(sys, "argv", [])), "")
    if first != "-m":
        return Path(first).stem == "tripletree"
    given = sys.orig_argv  # Python is looking for the module that is to run
    named = any(x.startswith("-") and x.endswith("m") and y == "tripletree" for x, y in pairwise(given))
    return named or "-mtripletree" in given


def leave(number: int, _frame: Any) -> NoReturn:
    """Handle Ctrl-C: nothing has been written yet, and the effect of an exception in half an import is uncertain."""
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(128 + number)


_before = sys.excepthook


def _interrupted(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):  # from between the command and its end
        leave(signal.SIGINT, None)
    else:
        _before(kind, error, trace)


if _is_command():
    sys.excepthook = _interrupted
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not ignored, as in a shell's background
        signal.signal(signal.SIGINT, leave)
