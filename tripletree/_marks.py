"""What a dendrogram is drawn with: colours, dashes and shapes, the lines, the marks, and the legend that explains them.

The matplotlib half of ``plot.py`` that does not depend on the room there is; matplotlib is imported by its functions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree._labels import aligned_codes
from tripletree._layout import Layout, clade_codes, matched_styles
from tripletree.errors import MissingDependencyError
from tripletree.hierarchy import Hierarchy

__all__ = [
    "LINE",
    "Groups",
    "coded_groups",
    "draw_classes",
    "draw_lines",
    "draw_triplets",
    "label_colour",
    "legend_entries",
    "pyplot_for",
    "shortened",
    "xy",
]

# Okabe and Ito's colours, which colour-blind readers tell apart, without the yellow that vanishes on white; the cycles
# of colours, dashes and shapes have different lengths, so that 28 clusters differ and grey prints stay readable.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")
DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.2)), (0, (1.3, 0.9)), (0, (6, 1, 1.2, 1)))
SHAPES = "os^DvPXp*"
LINE, MISSED = "#222222", "#B2182B"
MARKS: dict[str, dict[str, Any]] = {
    "displayed": {
        "look": {"marker": "o", "facecolors": LINE, "edgecolors": "white", "linewidths": 0.6},
        "size": 1.0,
        "zorder": 5,
        "place": "where a meets b",
    },
    "not displayed": {
        "look": {"marker": "X", "facecolors": "white", "edgecolors": MISSED, "linewidths": 1.1},
        "size": 1.35,
        "zorder": 4,
        "place": "where all three have met",
    },
}
LONGEST_LABEL = 40  # characters
IN_LEGEND = 12  # clusters, and classes


def pyplot_for(purpose: str) -> Any:
    """Import pyplot, or say what it takes to have it."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", purpose) from None
    return pyplot


class Groups(NamedTuple):
    """Clusters or classes of the leaves: code of each leaf (-1 for none), their names, sizes and style numbers."""

    codes: np.ndarray
    names: list[Any]
    sizes: np.ndarray
    style: np.ndarray


def coded_groups(values: Any, tree: Hierarchy, what: str, beside: Groups | None) -> Groups | None:
    """The clusters or classes that were given, checked; beside clusters, classes take their styles where they match."""
    if values is None:
        return None
    codes, names = aligned_codes(values, tree.leaves, what)
    style = np.arange(len(names))
    if beside is not None:
        style = matched_styles(codes, len(names), beside.codes, len(beside.names))
    return Groups(codes, names, np.bincount(codes[codes >= 0], minlength=len(names)), style)


def xy(along: Any, up: Any, horizontal: bool) -> tuple[Any, Any]:
    """A place on the leaf axis and the height axis as x and y."""
    return (up, along) if horizontal else (along, up)


def shortened(name: str) -> str:
    """A label on one line, the middle left out of a long one."""
    name = " ".join(name.split())
    if len(name) <= LONGEST_LABEL:
        return name
    half = (LONGEST_LABEL - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def label_colour(leaf: int, classes: Groups | None) -> Any:
    """Colour of a leaf's label: that of its class, darker, for thin strokes need more contrast than shapes."""
    from matplotlib.colors import to_rgb

    if classes is None or classes.codes[leaf] < 0:
        return LINE
    return tuple(0.7 * x for x in to_rgb(PALETTE[classes.style[classes.codes[leaf]] % len(PALETTE)]))


# ---------------------------------------------------------------------- drawing


def draw_lines(
    ax: Any, place: Layout, horizontal: bool, groups: Groups | None, tree: Hierarchy, line: Any, width: float
) -> None:
    """The lines of the tree, one collection for each style of dashes."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    ends = place.lines[:, :, ::-1] if horizontal else place.lines
    code = np.full(ends.shape[0], -1) if groups is None else clade_codes(tree, groups.codes)[place.owner]
    colours = np.array([to_rgba(x) for x in (*PALETTE, line)])
    dash = np.where(code < 0, 0, code % len(DASHES))
    colour = np.where(code < 0, len(PALETTE), code % len(PALETTE))
    for k, style in enumerate(DASHES):
        some = dash == k
        if some.any():
            lines = LineCollection(
                list(ends[some]),
                colors=colours[colour[some]],
                linestyles=[style],
                linewidths=width,
                capstyle="projecting" if k == 0 else "butt",
                zorder=2,
            )
            lines.set_gid("lines")
            ax.add_collection(lines, autolim=False)


def draw_classes(ax: Any, place: Layout, horizontal: bool, classes: Groups, size: float) -> None:
    """A shape at the end of every leaf that has a class."""
    leaves = np.flatnonzero(classes.codes >= 0)
    look = classes.style[classes.codes[leaves]] % (len(SHAPES) * len(PALETTE))
    for j in np.unique(look).tolist():
        some = leaves[look == j]
        x, y = xy(place.along[some], place.up[some], horizontal)
        ax.plot(x, y, markersize=size, zorder=3, clip_on=False, gid="classes", **_class_marker(j))


def _class_marker(style: int) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": SHAPES[style % len(SHAPES)],
        "color": PALETTE[style % len(PALETTE)],
        "markeredgecolor": "white",
        "markeredgewidth": 0.3,
    }


def draw_triplets(ax: Any, place: Layout, horizontal: bool, counts: tuple[np.ndarray, np.ndarray], row: float) -> None:
    """A dot, or a hollow cross, at each node with triplets; its area grows with the root of their number."""
    largest = min(max(1.1 * row, 3.5), 9.0)
    size = {}
    for count, name in zip(counts, MARKS, strict=True):
        share = np.sqrt(count / max(count.max(), 1))
        size[name] = np.where(count > 0, largest * (0.5 + 0.5 * share) * MARKS[name]["size"], 0.0)
    dot, cross = size["displayed"], size["not displayed"]
    cross[:] = np.where((dot > 0) & (cross > 0), np.maximum(cross, 1.8 * dot), cross)  # the arms show behind the dot
    for name, points in size.items():
        some = np.flatnonzero(points)
        if some.size:
            x, y = xy(place.along[some], place.up[some], horizontal)
            look, zorder = MARKS[name]["look"], MARKS[name]["zorder"]
            ax.scatter(x, y, s=points[some] ** 2, zorder=zorder, clip_on=False, gid=name, **look)


# ---------------------------------------------------------------------- the legend


def legend_entries(
    clusters: Groups | None, classes: Groups | None, counts: tuple[np.ndarray, np.ndarray] | None
) -> list[tuple[list[Any], list[str]]]:
    """Handles and texts of the legend: a list each for clusters, classes and triplets, where there are any."""
    from matplotlib.lines import Line2D

    blocks = []
    for groups, one, many in ((clusters, "cluster", "clusters"), (classes, "class", "classes")):
        if groups is None or not groups.names:
            continue
        handles, texts = [], []
        for k in range(min(len(groups.names), IN_LEGEND)):
            j = int(groups.style[k])
            if one == "class":
                handles.append(Line2D([], [], markersize=6, **_class_marker(j)))
            else:
                colour, dash = PALETTE[j % len(PALETTE)], DASHES[j % len(DASHES)]
                handles.append(Line2D([], [], color=colour, linestyle=dash, linewidth=1.6))
            texts.append(f"{one} {shortened(str(groups.names[k]))} ({groups.sizes[k]:,})")
        if len(groups.names) > IN_LEGEND:
            handles.append(Line2D([], [], linestyle="none"))
            texts.append(f"and {len(groups.names) - IN_LEGEND:,} more {many}")
        blocks.append((handles, texts))
    handles, texts = [], []
    for count, name in zip(counts or (), MARKS, strict=counts is not None):
        if count.any():
            look = MARKS[name]["look"]
            handles.append(
                Line2D(
                    [],
                    [],
                    linestyle="none",
                    marker=look["marker"],
                    markersize=7,
                    markerfacecolor=look["facecolors"],
                    markeredgecolor=look["edgecolors"],
                    markeredgewidth=look["linewidths"],
                )
            )
            plural = "s" if count.sum() > 1 else ""
            texts.append(f"{count.sum():,} triplet{plural} ab|c {name}: {MARKS[name]['place']}")
    return [*blocks, (handles, texts)] if handles else blocks
