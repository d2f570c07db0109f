"""Files that commands write: kept apart from their inputs, and pictures in the format of their suffix."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from tripletree.cli.shell import bad_input
from tripletree.errors import MissingDependencyError
from tripletree.plots import save_picture

DPI = 150


def check_apart(
    sources: Sequence[str | None], targets: Sequence[str | None], *, counted: Sequence[str | None] = ()
) -> None:
    """Refuse an output file that is an input, or another output, two inputs from one pipe, and equal `counted` files.

    What equal files say would count twice.
    """
    if sources.count("-") > 1:
        msg = "of the files to read, only one can be the standard input"
        raise click.UsageError(msg)
    seen = {os.path.realpath(x): "an input" for x in sources if x is not None and x != "-"}
    for x in targets:
        if x is None or x == "-" or x.startswith("/dev/"):
            continue
        real = os.path.realpath(x)
        if real in seen:
            raise bad_input(f"{x} is {seen[real]} of this command already: give another file")
        seen[real] = "an output"
    for x, y in combinations((x for x in counted if x is not None), 2):
        if x == y or (os.path.isfile(x) and os.path.isfile(y) and filecmp.cmp(x, y, shallow=False)):
            held = f"{x} is given twice" if x == y else f"{x} and {y} are the same"
            raise bad_input(f"{held}, and would count twice: leave one out")


def check_picture_format(path: str) -> None:
    """Refuse a picture of unknown suffix, before anything is computed."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", "drawing") from None
    mpl.use("agg")
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in known:
        page = ", and a page is written by tripletree plot --html FILE" if suffix in {"html", "htm"} else ""
        msg = f"{path}: the suffix chooses the kind of picture; expected one of {', '.join(sorted(known))}{page}"
        raise bad_input(msg)


def save_figure(figure: Any, path: str) -> None:
    """Write a figure to a file in one step, and close it."""
    from matplotlib import pyplot as plt

    try:
        save_picture(figure, path, dpi=DPI)
    finally:
        plt.close(figure)
