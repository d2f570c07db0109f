"""Files that commands write: kept apart from their inputs, and pictures in the format of their suffix."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from tripletree.cli.shell import bad_input
from tripletree.errors import MissingDependencyError
from tripletree.plots import save_picture

DPI = 150


def check_apart(sources: list[str | None], targets: list[str | None]) -> None:
    """Refuse an output file that is an input, or another output, and two inputs from one pipe."""
    if sources.count("-") > 1:
        msg = "of DATA and the knowledge about it, only one can be the standard input"
        raise click.UsageError(msg)
    seen = {os.path.realpath(x): "an input" for x in sources if x is not None and x != "-"}
    for x in targets:
        if x is None or x == "-" or x.startswith("/dev/"):
            continue
        real = os.path.realpath(x)
        if real in seen:
            raise bad_input(f"{x} is {seen[real]} of this command already: give another file")
        seen[real] = "an output"


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
