"""Neutral colours that can be read on the ground they stand on, dark style sheets too; and the door of a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from tripletree.plots._marks import LINE, MISSED, PALETTE, Mark, pyplot_for

__all__ = ["Ink", "expect_axes", "ink_of", "picture"]

P = ParamSpec("P")
R = TypeVar("R")


class Ink(NamedTuple):
    """Colours of lines and texts, of the ground, of what fails; and whether the ground is dark."""

    line: Any
    paper: Any
    missed: Any
    dark: bool

    def faint(self, share: float) -> Any:
        """The colour of lines, so much nearer to that of the ground."""
        from matplotlib.colors import to_rgb

        return tuple(a + share * (b - a) for a, b in zip(to_rgb(self.line), to_rgb(self.paper), strict=True))

    def strong(self, colour: Any) -> Any:
        """A colour for thin strokes: further from the ground."""
        from matplotlib.colors import to_rgb

        return tuple(1 - 0.6 * (1 - x) if self.dark else 0.7 * x for x in to_rgb(colour))

    def tinted(self, colour: Any, share: float = 0.3) -> Any:
        """A colour on the ground, this strong."""
        from matplotlib.colors import to_rgb

        return tuple(b + share * (a - b) for a, b in zip(to_rgb(colour), to_rgb(self.paper), strict=True))

    def look(self, mark: Mark) -> dict[str, Any]:
        """The look of a mark on this ground."""
        own = {LINE: self.line, "white": self.paper, MISSED: self.missed}
        return {name: own.get(x, x) if isinstance(x, str) and name != "marker" else x for name, x in mark.look.items()}

    def shade(self, code: int) -> Any:
        """The colour of a cluster or class, of lines for -1."""
        return self.line if code < 0 else PALETTE[code % len(PALETTE)]


def ink_of(ax: Any, *, bare: bool = False) -> Ink:
    """The neutral colours for axes; `bare`: their own ground is not drawn.

    Lines have the style sheet's colour of texts where that stands out from the ground, else one that does.
    """
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb, to_rgba

    grounds = [() if bare else ax.get_facecolor(), ax.figure.get_facecolor()]
    paper: Any = next((to_rgb(x) for x in grounds if x and to_rgba(x)[3] > 0.5), (1.0, 1.0, 1.0))
    light = _light(paper)
    text = to_rgb(rcParams["text.color"])
    line: Any = text if text != (0.0, 0.0, 0.0) else LINE
    if abs(_light(to_rgb(line)) - light) < 0.4:
        line = LINE if light > 0.5 else "#EEEEEE"
    dark = light < 0.4
    return Ink(line, "white" if paper == (1.0, 1.0, 1.0) else paper, "#FF7A70" if dark else MISSED, dark)


def _light(colour: Any) -> float:
    red, green, blue = colour
    return 0.3 * red + 0.59 * green + 0.11 * blue


def expect_axes(ax: Any) -> None:
    """Check that something to draw on was given, or nothing."""
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        msg = f"ax must be matplotlib Axes, as from plt.subplots(), not {type(ax).__name__} ({ax!r:.60})"
        raise TypeError(msg)


def picture(function: Callable[P, R]) -> Callable[P, R]:
    """A function that draws: what it opened in pyplot is closed again where it fails."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        plt = pyplot_for(function.__name__)
        expect_axes(kwargs.get("ax"))
        before = set(plt.get_fignums())
        try:
            return function(*args, **kwargs)
        except BaseException:
            for number in sorted(set(plt.get_fignums()) - before):
                plt.close(number)
            raise

    return call
