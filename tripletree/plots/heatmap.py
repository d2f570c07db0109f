"""Distances, or the values of samples, as a heat map in the order of a hierarchy, with the hierarchy beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._checks import expect_count
from tripletree.plots._drawing import draw_lines, draw_triangles
from tripletree.plots._frames import Rectangle
from tripletree.plots._layout import Layout, layout
from tripletree.plots._marks import DASHES, LINE, PALETTE, Groups, coded_groups, expect_tree, pyplot_for, shortened
from tripletree.plots._sketch import Sketch, sketch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_heatmap"]

TIPS = 250  # of the dendrogram, where nothing else is said
SMALLEST, LARGEST = 4.8, 9.0  # points of labels
AUTO = "auto"


def plot_heatmap(
    hierarchy: Any,
    matrix: Any,
    *,
    ax: Axes | None = None,
    clusters: Any = None,
    columns: Any = None,
    heights: str = "auto",
    max_leaves: int | None = TIPS,
    cmap: Any = None,
    label: str | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a matrix with its rows in the order of a hierarchy, which stands to the left of it.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
        With n leaves.
    matrix : array_like of float, shape (n, n) or (n, d)
        A row for each leaf in the order of its leaves. A symmetric square, such as distances, has its columns in the
        same order, and the hierarchy above them as well. A pandas DataFrame gives the names of its columns.
    ax : matplotlib Axes, optional
        Where to draw; the dendrograms and the colour bar take their room from it. By default a new pyplot figure,
        which the caller closes.
    clusters : sequence or mapping, optional
        The cluster of each leaf; default the ``labels_`` of an estimator. Lines across the map part those that stand
        beside each other, and the dendrogram has their colours and dashes.
    columns : sequence of str, optional
        Names of the columns, unless they are the leaves.
    heights : {"auto", "height", "order", "level"}
        As in `plot_dendrogram`.
    max_leaves : int or None
        Tips of the dendrogram, above which subtrees collapse into triangles as wide as their leaves.
    cmap : matplotlib colour map, optional
        By default viridis for squares, where near is dark, else cividis: both can be read in grey.
    label : str, optional
        Of the colour bar; by default "distance" for symmetric squares with zeros along the diagonal.
    title : str, optional

    Returns
    -------
    matplotlib Axes
        That of the map, an image with the gid "map"; the others are axes of the figure with the gids "dendrogram",
        "dendrogram above" and "colour bar".

    Raises
    ------
    ValueError
        If the matrix has not a row for each leaf, or holds no numbers.
    TypeError, InvalidLabelsError, UnknownLeafError, MissingDependencyError
        As in `plot_dendrogram`.

    See Also
    --------
    plot_dendrogram : the hierarchy alone, with more on it.

    Notes
    -----
    With more leaves than pixels, matplotlib takes means of neighbouring entries before it gives them a colour. NaN is
    left white.

    Examples
    --------
    >>> import matplotlib, numpy as np
    >>> matplotlib.use("agg")
    >>> from tripletree.hierarchy import Hierarchy
    >>> h = Hierarchy.from_nested([["a", "c"], "b"]).reindex(["a", "b", "c"])
    >>> ax = plot_heatmap(h, [[0, 5, 1], [5, 0, 5], [1, 5, 0]])
    >>> ax.images[0].get_array().tolist()
    [[0.0, 1.0, 5.0], [1.0, 0.0, 5.0], [5.0, 5.0, 0.0]]
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['a', 'c', 'b']
    >>> matplotlib.pyplot.close(ax.figure)
    """
    tree = expect_tree(hierarchy)
    values = _checked(matrix, tree.n_leaves)
    if clusters is None and hierarchy is not tree:
        clusters = getattr(hierarchy, "labels_", None)
    groups = coded_groups(clusters, tree, "clusters", None)
    if max_leaves is not None:
        max_leaves = expect_count(max_leaves, "max_leaves", 2)
    drawn = sketch(tree, max_leaves, codes=[] if groups is None else [groups.codes])
    place = layout(drawn, heights, spacing="size")
    plt = pyplot_for("plot_heatmap")
    square = values.shape[0] == values.shape[1] and np.allclose(values, values.T, equal_nan=True)
    order = _leaf_order(drawn, place)
    shown = values[np.ix_(order, order)] if square else values[order]
    names = [str(x) for x in getattr(matrix, "columns", ())] if columns is None else [str(x) for x in columns]
    if ax is None:
        longest = max((min(len(str(x)), 24) for x in (tree.leaves if square else names)), default=0)
        ax = _new_axes(plt, tree.n_leaves, square, longest, title is not None)
    if cmap is None:
        cmap = "viridis" if square else "cividis"
    image = ax.imshow(shown, aspect="auto", cmap=cmap, interpolation="auto", gid="map")
    beside = _name(ax, tree, order, square, names)
    sides = _beside(ax, drawn, place, groups, square, beside)
    if groups is not None:
        _part(ax, groups.codes[order], square)
    bar = ax.figure.colorbar(image, cax=sides["colour bar"])
    if label is None and square and not np.diag(values).any():
        label = "distance"
    bar.set_label(label or "")
    if title is not None:
        sides.get("dendrogram above", ax).set_title(title)
    return ax


def _new_axes(plt: Any, n: int, square: bool, longest: int, title: bool) -> Any:
    """New axes, with room below for names of columns and on the right for the figures of the colour bar."""
    high = min(max(0.16 * n, 3.5), 8.0)
    size = (high + 1.2 if square else 7.5, high + 1.2)
    bottom = 0.4 if square and n > 110 else 0.3 + 0.075 * longest
    left, right, top = 0.1, 0.75, 0.35 if title else 0.1
    inner = (size[0] - left - right) / size[0], (size[1] - bottom - top) / size[1]
    return plt.figure(figsize=size).add_axes((left / size[0], bottom / size[1], *inner))


def _checked(matrix: Any, n: int) -> np.ndarray:
    try:
        values = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        msg = "the matrix must hold numbers"
        raise ValueError(msg) from None
    if values.ndim != 2 or values.shape[0] != n or values.shape[1] == 0:
        msg = f"the matrix must have a row for each of the {n} leaves, in their order; its shape is {values.shape}"
        raise ValueError(msg)
    values[~np.isfinite(values)] = np.nan
    return values


def _leaf_order(drawn: Sketch, place: Layout) -> np.ndarray:
    """All leaves as the tips stand, those of a collapsed one depth first."""
    tree = drawn.tree
    depth_first = np.argsort(tree.leaf_intervals[0][: tree.n_leaves])
    at = np.empty(place.order.size, np.int64)
    at[place.order] = np.arange(place.order.size)
    return depth_first[np.argsort(at[drawn.shown[depth_first]], kind="stable")]


def _beside(
    ax: Any, drawn: Sketch, place: Layout, groups: Groups | None, square: bool, beside: float
) -> dict[str, Any]:
    """The dendrogram to the left, for squares another above, and the colour bar `beside` inches to the right."""
    from mpl_toolkits.axes_grid1 import make_axes_locatable

    divider = make_axes_locatable(ax)
    sides = {"dendrogram": (divider.append_axes("left", size="22%", pad=0.04), "left")}
    if square:
        sides["dendrogram above"] = (divider.append_axes("top", size="18%", pad=0.04), "top")
    bar = divider.append_axes("right", size=0.12, pad=beside + 0.08)
    bar.set_gid("colour bar")
    low, high = float(min(place.up.min(), place.foot.min())), float(place.up.max())
    more = 0.03 * ((high - low) or 1.0)
    for gid, (side, orientation) in sides.items():
        frame = Rectangle(orientation)
        draw_lines(side, drawn, place, frame, groups, LINE, 0.8)
        draw_triangles(side, drawn, place, frame, groups, LINE, 0.6)
        side.set_gid(gid)
        side.set_axis_off()
        if frame.horizontal:
            side.set_xlim(high + more, low)
            side.set_ylim(place.span - 0.5, -0.5)
        else:
            side.set_ylim(low, high + more)
            side.set_xlim(-0.5, place.span - 0.5)
    return {gid: side for gid, (side, _) in sides.items()} | {"colour bar": bar}


def _part(ax: Any, codes: np.ndarray, square: bool) -> None:
    """Lines between clusters that stand beside each other, and at the left edge each one's colour and dashes."""
    from matplotlib.collections import LineCollection

    edges = np.flatnonzero(codes[1:] != codes[:-1]) + 0.5
    if edges.size > 200:
        return
    for y in edges.tolist():
        ax.axhline(y, color="white", linewidth=1.2, gid="parting")
        if square:
            ax.axvline(y, color="white", linewidth=1.2, gid="parting")
    bounds = [-0.5, *edges.tolist(), codes.size - 0.5]
    runs = list(zip(bounds[:-1], bounds[1:], strict=True))
    code = [int(codes[int(low + 0.5)]) for low, _ in runs]
    marks = LineCollection(
        [[(0.0, low), (0.0, high)] for low, high in runs],
        colors=[LINE if c < 0 else PALETTE[c % len(PALETTE)] for c in code],
        linestyles=[DASHES[0 if c < 0 else c % len(DASHES)] for c in code],
        linewidths=4.0, transform=ax.get_yaxis_transform(), clip_on=False, zorder=4, capstyle="butt", gid="clusters",
    )  # fmt: skip
    ax.add_collection(marks, autolim=False)


def _name(ax: Any, tree: Any, order: np.ndarray, square: bool, columns: list[str]) -> float:
    """Labels of the rows at the right and of the columns below, where all have room; inches taken at the right."""
    box = ax.get_window_extent()
    scale = ax.figure.dpi / 72
    rows = [shortened(str(tree.leaves[i]), 24) for i in order.tolist()]
    names = rows if square else [shortened(x, 24) for x in columns]
    height, width = ax.images[0].get_array().shape
    ax.set(xticks=[], yticks=[])
    ax.tick_params(length=0, left=False, labelleft=False)
    taken = 0.0
    for axis, texts, number, room in (("y", rows, height, 0.8 * box.height), ("x", names, width, 0.7 * box.width)):
        font = min(room / number / scale / 1.1, LARGEST)
        if font < SMALLEST or len(texts) != number:
            continue
        longest = 0.6 * font * max(map(len, texts))  # points
        turn = {"rotation": 90} if axis == "x" and longest * scale > room / number else {}
        ax.set(**{f"{axis}ticks": range(number)})
        getattr(ax, f"set_{axis}ticklabels")(texts, fontsize=font, parse_math=False, **turn)
        if axis == "y":
            taken = longest / 72
            ax.tick_params(axis="y", labelright=True)
    if not ax.get_yticks().size:
        ax.set_xlabel(f"{tree.n_leaves:,} leaves")
    return taken
