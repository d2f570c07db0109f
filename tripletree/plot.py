"""Dendrograms with matplotlib: any depth, clusters and classes by colour and shape, triplets marked where they act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tripletree._checks import expect_triplets
from tripletree._layout import Layout, layout, triplet_counts
from tripletree._marks import (
    LINE,
    Groups,
    coded_groups,
    draw_classes,
    draw_lines,
    draw_triplets,
    label_colour,
    legend_entries,
    pyplot_for,
    shortened,
    xy,
)
from tripletree.hierarchy import Hierarchy
from tripletree.triplets import TripletSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_dendrogram"]

ORIENTATIONS = ("left", "right", "top", "bottom")
LARGEST_FONT, SMALLEST_FONT = 10.0, 4.8  # points
LEADING = 1.12  # points of leaf axis that a label needs, for each point of its font
SPARSEST = 10  # fewer than one label in this many leaves says nothing: then there are none
LONGEST_FIGURE = 40.0  # inches


class _Space(NamedTuple):
    """Room in the axes: points a leaf, pixels from root to label ends, pixels of the legend, pixels a point."""

    row: float
    depth: float
    legend: float
    scale: float


def plot_dendrogram(
    hierarchy: Any,
    *,
    ax: Axes | None = None,
    orientation: str = "left",
    triplets: TripletSet | None = None,
    clusters: Any = None,
    classes: Any = None,
    labels: bool | None = None,
    heights: str = "auto",
    max_leaf_labels: int = 600,
    title: str | None = None,
    color: Any = None,
    linewidth: float | None = None,
) -> Axes:
    """Draw a hierarchy as a dendrogram.

    Leaves stand in the order they were read in, as far as the clades allow: depth first, the children of a node by
    their smallest leaves; equal hierarchies over one leaf index look equal. No lines cross unless heights are inverted,
    and inverted heights are drawn as they are. Every inner node is a line across its children; a node with one child
    has none.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
        An estimator needs `hierarchy_`; its `labels_`, where it has them, are the default for `clusters`.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure, as large as the number of leaves asks for; closing it is up to
        the caller (``plt.close(ax.figure)``).
    orientation : {"left", "right", "top", "bottom"}
        The side of the root.
    triplets : TripletSet, optional
        Marked where they act: those ab|c that the hierarchy displays by a dot where a meets b, larger the more of them
        meet there; those it does not display by a hollow cross where a, b and c have met.
    clusters : sequence or mapping, optional
        The cluster of each leaf, in leaf order (as from `cut`) or by leaf label. The lines of a clade within one
        cluster have that cluster's colour and dashes. None or NaN stands for no cluster.
    classes : sequence or mapping, optional
        The class of each leaf, likewise: a coloured shape at its end, and coloured labels. Beside clusters a class
        takes the colour of the cluster it shares most leaves with, so that strays stand out.
    labels : bool, optional
        Whether to write leaf labels. By default they are thinned out where not all fit, and left out where not even
        one in ten would; a note on the leaf axis says so. True writes all of them, however small.
    heights : {"auto", "height", "order", "level"}
        What the height axis shows: the hierarchy's own heights, the order of the merges, or the number of edges down
        to the deepest leaf. "auto" is "height" where there are any, else "level".
    max_leaf_labels : int
        Most labels to write where `labels` is None.
    title : str, optional
    color : matplotlib colour, optional
        Of the lines that belong to no single cluster.
    linewidth : float, optional
        In points; by default as the space allows.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        If `hierarchy` is neither a Hierarchy nor a fitted estimator.
    ValueError
        If an option is none of those listed, or `heights` is "height" and there are none.
    InvalidLabelsError
        If `clusters` or `classes` has not one entry a leaf.
    UnknownLeafError
        If `triplets`, or a mapping, names a leaf that the hierarchy lacks.
    MissingDependencyError
        If matplotlib is not installed.

    Notes
    -----
    Time is linear in the number of nodes and nothing recurses: a caterpillar of 20,000 leaves takes about a second.
    The legend and the labels stand inside the axes, in space kept free for them. Each group of lines and marks has a
    ``gid`` ("lines", "classes", "displayed", "not displayed"), to be found by ``ax.findobj`` or in an SVG.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from matplotlib import pyplot as plt
    >>> h = Hierarchy.from_nested([[("human", "chimp"), "gorilla"], "orang"])
    >>> ax = plot_dendrogram(h, triplets=TripletSet.from_labels([("human", "chimp", "orang")]))
    >>> [t.get_text() for t in ax.texts]
    ['human', 'chimp', 'gorilla', 'orang']
    >>> plt.close(ax.figure)
    """
    tree, clusters = _tree_and_clusters(hierarchy, clusters)
    if orientation not in ORIENTATIONS:
        msg = f"orientation is {orientation!r}; it must be one of {', '.join(map(repr, ORIENTATIONS))}"
        raise ValueError(msg)
    place = layout(tree, heights)
    clustered = coded_groups(clusters, tree, "clusters", None)
    classed = coded_groups(classes, tree, "classes", clustered)
    counts = None if triplets is None else triplet_counts(tree, expect_triplets(triplets))
    plt = pyplot_for("plot_dendrogram")
    horizontal = orientation in ("left", "right")
    n, own_figure = tree.n_leaves, ax is None
    if ax is None:
        ax = _new_axes(plt, n, horizontal, labels is not False, max_leaf_labels, title is not None, place.unit)
    line = LINE if color is None else color
    space = _make_space(ax, n, horizontal, legend_entries(clustered, classed, counts), own_figure)
    width = min(max(space.row / 7, 0.45), 1.3) if linewidth is None else linewidth
    draw_lines(ax, place, horizontal, clustered, tree, line, width)
    marker = min(max(0.75 * space.row, 1.5), 6.0) if classed else 4.0 if n == tree.n_nodes else 0.0
    if classed:
        draw_classes(ax, place, horizontal, classed, marker)
    if n == tree.n_nodes:
        ax.plot(*xy(place.along, place.up, horizontal), "o", color=line, markersize=marker, gid="single leaf")
    shown, note = _shown_leaves(n, space.row, labels, max_leaf_labels)
    leaves = place.order[shown]
    extra = _write_labels(ax, tree, leaves, place, orientation, space, classed, marker)
    if counts is not None:
        draw_triplets(ax, place, horizontal, counts, space.row)
    _set_axes(ax, place, orientation, space, leaves, extra, note)
    if title is not None:
        ax.set_title(title, loc="left")
    return ax


# ---------------------------------------------------------------------- what was given


def _tree_and_clusters(hierarchy: Any, clusters: Any) -> tuple[Hierarchy, Any]:
    if isinstance(hierarchy, Hierarchy):
        return hierarchy, clusters
    tree = getattr(hierarchy, "hierarchy_", None)
    if not isinstance(tree, Hierarchy):
        msg = f"a Hierarchy or a fitted estimator with hierarchy_ is wanted, not {type(hierarchy).__name__}"
        if hasattr(hierarchy, "fit"):
            msg += ": fit it first"
        raise TypeError(msg)
    return tree, getattr(hierarchy, "labels_", None) if clusters is None else clusters


# ---------------------------------------------------------------------- space


def _new_axes(plt: Any, n: int, horizontal: bool, labels: bool, most: int, title: bool, unit: str) -> Any:
    """New axes with fixed margins, as long as n leaves need (and their labels, where there are to be any)."""
    each = max(0.2 * min(1.0, (50 / n) ** 0.5), 0.0775) if labels else 0.02
    long = min(max(n * each, 1.2 if labels else 4.0), LONGEST_FIGURE)
    if _shown_leaves(n, 72 * long / n, None if labels else False, most)[0].size == 0:
        long = min(max(n * 0.02, 4.0), 10.0)
    across = 7.0 if n > 12 else 5.5
    left, right, bottom, top = (0.35, 0.15, 0.5, 0.1) if horizontal else (0.85, 0.15, 0.3, 0.1)
    top += 0.3 if title else 0.0
    inner = (across, long) if horizontal else (max(long, 4.0), 0.75 * across)
    size = (inner[0] + left + right, inner[1] + bottom + top)
    figure = plt.figure(figsize=size)
    return figure.add_axes((left / size[0], bottom / size[1], inner[0] / size[0], inner[1] / size[1]))


def _make_space(ax: Any, n: int, horizontal: bool, blocks: list[tuple[list, list]], own_figure: bool) -> _Space:
    """Put the legend at the top of the axes (a figure of our own grows by its height) and see what is left."""
    scale = ax.figure.dpi / 72
    legends = [_legend(ax, *block, ax.get_window_extent().width) for block in blocks]
    heights = [legend.get_window_extent().height for legend in legends]
    strip = sum(heights) + 6 * scale if legends else 0.0
    if own_figure:
        _grow(ax, strip)
    box = ax.get_window_extent()
    above = 0.0
    for legend, height in zip(legends, heights, strict=True):
        legend.set_bbox_to_anchor((0, 1 - above / box.height), transform=ax.transAxes)
        above += height
    strip = min(strip, box.height / 2)
    height = box.height - strip
    row, depth = (height / n, box.width) if horizontal else (box.width / n, height)
    return _Space(row / scale, depth, strip, scale)


def _legend(ax: Any, handles: list, texts: list, width: float) -> Any:
    """A legend in the axes in as many columns as fit into `width` pixels."""
    from matplotlib.legend import Legend

    for columns in range(min(len(handles), 7), 0, -1):
        legend = Legend(
            ax, handles, texts, loc="upper left", ncols=columns, fontsize=8, frameon=False,
            borderaxespad=0, borderpad=0.2, handlelength=2.2, columnspacing=1.6,
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_parse_math(False)
        if legend.get_window_extent().width <= width:
            break
    ax.add_artist(legend)
    return legend


def _grow(ax: Any, pixels: float) -> None:
    """Make the figure and its only axes higher, margins kept."""
    figure = ax.figure
    width, height = figure.get_size_inches()
    more = pixels / figure.dpi
    at = ax.get_position()
    figure.set_size_inches(width, height + more)
    total = height + more
    ax.set_position((at.x0, at.y0 * height / total, at.width, (at.height * height + more) / total))


def _shown_leaves(n: int, row: float, labels: bool | None, most: int) -> tuple[np.ndarray, str]:
    """Positions of the leaves whose labels are written, and a note where not all are; `row` in points a leaf."""
    if labels is True:
        return np.arange(n), ""
    every = SPARSEST + 1
    if labels is None and most > 0:
        every = max(int(np.ceil(SMALLEST_FONT * LEADING / row - 1e-9)), -(-n // most), 1)
    if every > SPARSEST:
        return np.arange(0), f"{n:,} leaves"
    return np.arange(0, n, every), f"{n:,} leaves, 1 in {every} labelled" if every > 1 else ""


# ---------------------------------------------------------------------- drawing


def _write_labels(
    ax: Any, tree: Hierarchy, leaves: np.ndarray, place: Layout, orientation: str, space: _Space,
    classes: Groups | None, marker: float,
) -> np.ndarray:  # fmt: skip
    """Write the labels of some leaves beyond their ends; returns the pixels that each needs there."""
    if leaves.size == 0:
        return np.zeros(0)
    step = 1 if leaves.size == 1 else int(np.diff(place.along[leaves]).min())
    font = min(step * space.row / LEADING, LARGEST_FONT)
    away = marker / 2 + 3.0
    horizontal = orientation in ("left", "right")
    dx, dy = {"left": (1, 0), "right": (-1, 0), "top": (0, -1), "bottom": (0, 1)}[orientation]
    styles: dict[str, dict[str, Any]] = {
        "left": {"ha": "left", "va": "center_baseline"},
        "right": {"ha": "right", "va": "center_baseline"},
        "top": {"ha": "center", "va": "top", "rotation": 90},
        "bottom": {"ha": "center", "va": "bottom", "rotation": 90},
    }
    texts = []
    for u in leaves.tolist():
        name = shortened(str(tree.leaves[u]))
        texts.append(
            ax.annotate(
                name,
                xy(place.along[u], place.up[u], horizontal),
                (away * dx, away * dy),
                textcoords="offset points",
                fontsize=font,
                color=label_colour(u, classes),
                parse_math=False,
                annotation_clip=False,
                **styles[orientation],
            )
        )
    boxes = [text.get_window_extent() for text in texts]
    if not horizontal and max(box.height for box in boxes) < 0.9 * step * space.row * space.scale:
        for text in texts:  # short enough to stand upright side by side
            text.set_rotation(0)
        boxes = [text.get_window_extent() for text in texts]
    return np.array([box.width if horizontal else box.height for box in boxes]) + (away + 2) * space.scale


# ---------------------------------------------------------------------- axes


def _set_axes(
    ax: Any, place: Layout, orientation: str, space: _Space, leaves: np.ndarray, extra: np.ndarray, note: str
) -> None:
    """Limits that leave room for labels and legend; an axis line, ticks and a name for the heights alone."""
    horizontal = orientation in ("left", "right")
    low, high = float(place.up.min()), float(place.up.max())
    margin = 7 * space.scale
    span = high - low or 1.0
    room = np.append(space.depth - margin - extra, space.depth - 2 * margin)
    reach = np.append(high - place.up[leaves], span)
    per_unit = max(float((room[reach > 0] / reach[reach > 0]).min()), 0.35 * space.depth / span)
    root_end = high + margin / per_unit
    leaf_end = root_end - space.depth / per_unit
    n = int(place.along.max()) + 1
    if horizontal:
        ax.set_xlim((root_end, leaf_end) if orientation == "left" else (leaf_end, root_end))
        ax.set_ylim(n - 0.5, -0.5 - space.legend / (space.row * space.scale))
    else:
        ax.set_xlim(-0.5, n - 0.5)
        strip = space.legend / per_unit
        ax.set_ylim((leaf_end, root_end + strip) if orientation == "top" else (root_end, leaf_end - strip))
    _set_ticks(ax, place.unit, low, high, horizontal, note)


def _set_ticks(ax: Any, unit: str, low: float, high: float, horizontal: bool, note: str) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator

    ticks = np.asarray(MaxNLocator(6, integer=not unit.startswith("height")).tick_values(low, high))
    slack = 1e-9 * (high - low)
    inside = ticks[(ticks >= low - slack) & (ticks <= high + slack)] if high > low else ticks[:0]
    height_axis, leaf_axis = (ax.xaxis, ax.yaxis) if horizontal else (ax.yaxis, ax.xaxis)
    height_axis.set_major_locator(FixedLocator(inside.tolist()))
    height_axis.set_label_text(unit if high > low else "")
    leaf_axis.set_major_locator(FixedLocator([]))
    if note:
        leaf_axis.set_label_text(note, color="0.35", fontsize=9)
    keep = "bottom" if horizontal else "left"
    for side, spine in ax.spines.items():
        spine.set_visible(side == keep and high > low)
    ax.spines[keep].set_bounds(low, high)
