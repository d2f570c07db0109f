"""A matrix, such as distances or features, as a heat map in the order of a hierarchy, with its dendrogram beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.core.checks import check_count
from tripletree.errors import UnknownLeafError
from tripletree.plots.axes import RectangularTransform
from tripletree.plots.drawing import draw_lines, draw_triangles
from tripletree.plots.labels import measure_text
from tripletree.plots.layout import CollapsedTree, Layout, collapse_tree, compute_layout
from tripletree.plots.style import (
    DASHES,
    LeafGroups,
    check_range,
    check_tree,
    close_on_error,
    encode_groups,
    find_theme,
    import_pyplot,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "average_blocks",
    "plot_heatmap",
]

TIPS = 250  # default number of tips of the dendrogram
SMALLEST, LARGEST = 4.8, 9.0  # font of labels, in points
SHORTER = (24, 18, 14, 10, 7, 5)  # lengths of labels, tried in turn until they fit
MOST_BESIDE = 0.35  # largest part of the width that labels of rows take


@close_on_error
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
    """Draw a matrix as a heat map with its rows in the order of a hierarchy, drawn to the left of it.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
        With n leaves.
    matrix : array_like of float, shape (n, n) or (n, d)
        A row for each leaf, in leaf order. For a symmetric matrix, such as distances, the columns are put in the same
        order and the hierarchy is drawn above them, too. A pandas DataFrame provides the column names; its rows, and
        the columns of a square whose columns are the leaves, are matched by label. Rows are matched by position only if
        the index is 0, 1, 2, ... and these are not leaves, or the leaves are 0, 1, 2, ... and not in the index.
    ax : matplotlib Axes, optional
        Where to draw; the dendrograms and the colour bar take part of its space. By default a new pyplot figure,
        which the caller closes.
    clusters : sequence or mapping, optional
        The cluster of each leaf; by default the ``labels_`` of an estimator. Lines across the map separate adjacent
        clusters, and the dendrogram has their colours and dashes.
    columns : sequence of str, optional
        Names of the columns, unless they are the leaves.
    heights : {"auto", "height", "order", "level"}
        As in `plot_dendrogram`.
    max_leaves : int or None
        Maximum number of tips of the dendrogram, above which subtrees collapse into triangles as wide as their leaves.
    cmap : matplotlib colour map, optional
        By default viridis for symmetric matrices (small distances are dark), else cividis; both work in greyscale.
    label : str, optional
        Label of the colour bar; by default "distance" for symmetric squares with zeros along the diagonal.
    title : str, optional

    Returns
    -------
    matplotlib Axes
        The axes of the map, an image with the gid "map". The figure's other axes have the gids "dendrogram",
        "dendrogram above" and "colour bar".

    Raises
    ------
    ValueError
        If the matrix does not have a row for each leaf, or does not contain numbers, or `columns` does not name each
        column.
    UnknownLeafError
        If the index of a DataFrame lacks leaves, or has labels that are not leaves.
    TypeError, InvalidLabelsError, MissingDependencyError
        As in `plot_dendrogram`.

    See Also
    --------
    plot_dendrogram : the hierarchy alone, with more on it.

    Notes
    -----
    With more leaves than pixels, each pixel shows the mean of neighbouring entries. NaN is not coloured.

    Examples
    --------
    >>> import matplotlib, numpy as np
    >>> matplotlib.use("agg")
    >>> from tripletree.core.hierarchy import Hierarchy
    >>> h = Hierarchy.from_nested([["a", "c"], "b"]).reindex(["a", "b", "c"])
    >>> ax = plot_heatmap(h, [[0, 5, 1], [5, 0, 5], [1, 5, 0]])
    >>> ax.images[0].get_array().tolist()
    [[0.0, 1.0, 5.0], [1.0, 0.0, 5.0], [5.0, 5.0, 0.0]]
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['a', 'c', 'b']
    >>> matplotlib.pyplot.close(ax.figure)
    """
    tree = check_tree(hierarchy)
    values = _check_matrix(_align_rows(matrix, tree), tree.n_leaves)
    if clusters is None and hierarchy is not tree:
        clusters = getattr(hierarchy, "labels_", None)
    groups = encode_groups(clusters, tree, "clusters", None)
    if max_leaves is not None:
        max_leaves = check_count(max_leaves, "max_leaves", 2)
    drawn = collapse_tree(tree, max_leaves, codes=[] if groups is None else [groups.codes])
    place = compute_layout(drawn, heights, spacing="size")
    plt = import_pyplot("plot_heatmap")
    square = values.shape[0] == values.shape[1] and np.allclose(values, values.T, equal_nan=True)
    order = _leaf_order(drawn, place)
    shown = values[np.ix_(order, order)] if square else values[order]
    names = (
        [str(x) for x in getattr(matrix, "columns", ())]
        if columns is None
        else _check_columns(columns, values.shape[1])
    )
    if ax is None:
        longest = max((min(len(str(x)), 24) for x in (tree.leaves if square else names)), default=0)
        ax = _new_axes(plt, tree.n_leaves, square, longest, title is not None)
    if cmap is None:
        cmap = "viridis" if square else "cividis"
    image = _draw_map(ax, shown, cmap)
    beside = _write_names(ax, tree, order, square, names)
    sides = _add_side_axes(ax, drawn, place, groups, square, beside)
    if groups is not None:
        _separate_clusters(ax, groups.codes[order], square)
    bar = ax.figure.colorbar(image, cax=sides["colour bar"])
    if label is None and square and not np.diag(values).any():
        label = "distance"
    bar.set_label(shorten(label or "", 60))
    if title is not None:
        sides.get("dendrogram above", ax).set_title(title)
    return ax


def _new_axes(plt: Any, n: int, square: bool, longest: int, title: bool) -> Any:
    """Make axes in a new figure, with space below for column names and at the right for the colour bar's ticks."""
    high = min(max(0.16 * n, 3.5), 8.0)
    size = (high + 1.2 if square else 7.5, high + 1.2)
    bottom = 0.4 if square and n > 110 else 0.3 + 0.075 * longest
    left, right, top = 0.1, 0.75, 0.35 if title else 0.1
    inner = (size[0] - left - right) / size[0], (size[1] - bottom - top) / size[1]
    return plt.figure(figsize=size).add_axes((left / size[0], bottom / size[1], *inner))


def _check_matrix(matrix: Any, n: int) -> np.ndarray:
    try:
        values = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        msg = "the matrix must contain numbers that fit a float"
        raise ValueError(msg) from None
    if values.ndim != 2 or values.shape[0] != n or values.shape[1] == 0:
        msg = f"the matrix must have a row for each of the {n} leaves, in their order; got shape {values.shape}"
        raise ValueError(msg)
    values[~np.isfinite(values)] = np.nan
    if values.size and np.isnan(values).all():
        msg = "the matrix has no finite number, so there is nothing to colour"
        raise ValueError(msg)
    check_range(values, "entries of the matrix")
    return values


def _align_rows(matrix: Any, tree: Any) -> Any:
    """Put the rows of a DataFrame in leaf order, and its columns if they are leaves; return anything else as it is."""
    index, columns = (getattr(getattr(matrix, x, None), "tolist", None) for x in ("index", "columns"))
    if index is None or columns is None:
        return matrix
    rows, across, leaves = index(), columns(), list(tree.leaves)
    places = list(range(len(rows)))
    if rows == leaves or not (rows != places or set(places) & set(leaves)):
        return matrix
    if leaves == list(range(len(leaves))) and not any(_is_leaf(x, tree) for x in rows):
        return matrix
    for missing, what in (
        (set(leaves) - {x for x in rows if _is_leaf(x, tree)}, "leaves that the index of the matrix lacks"),
        ([x for x in rows if not _is_leaf(x, tree)], "labels in the index of the matrix"),
    ):
        if missing:
            raise UnknownLeafError(sorted(missing, key=str), tree.leaves.labels, what=what)
    if len(rows) != len(leaves):
        msg = f"the index of the matrix has {len(rows)} labels for {len(leaves)} leaves; some labels are repeated"
        raise ValueError(msg)
    place = {x: i for i, x in enumerate(rows)}
    found = matrix.iloc[[place[x] for x in leaves]]
    if len(across) == len(leaves) and set(map(str, across)) == set(map(str, leaves)):
        where = {str(x): j for j, x in enumerate(across)}
        found = found.iloc[:, [where[str(x)] for x in leaves]]
    return found


def _is_leaf(label: Any, tree: Any) -> bool:
    try:
        return label in tree.leaves
    except TypeError:
        return False


def _check_columns(columns: Any, number: int) -> list[str]:
    """Check the names of the columns and return them as strings."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        msg = f"columns must be a sequence of names, got {columns!r:.60}"
        raise TypeError(msg)
    names = [str(x) for x in columns]
    if len(names) != number:
        msg = f"columns has {len(names)} names for the {number} columns of the matrix"
        raise ValueError(msg)
    return names


def _draw_map(ax: Any, shown: np.ndarray, cmap: Any) -> Any:
    """Draw the image; along an axis with more entries than pixels it shows means, so that the other stays sharp."""
    box = ax.get_window_extent()
    pixels = max(int(box.height), 1), max(int(box.width), 1)
    high, wide = shown.shape
    extent = (-0.5, wide - 0.5, high - 0.5, -0.5)
    for axis in (0, 1):
        if shown.shape[axis] > pixels[axis]:
            shown = average_blocks(shown, axis, pixels[axis])
    return ax.imshow(shown, aspect="auto", cmap=cmap, interpolation="nearest", extent=extent, gid="map")


def average_blocks(values: np.ndarray, axis: int, parts: int) -> np.ndarray:
    """Means of the values in `parts` equal parts along an axis, ignoring NaN."""
    start = np.arange(parts) * values.shape[axis] // parts
    known = ~np.isnan(values)
    total = np.add.reduceat(np.where(known, values, 0.0), start, axis=axis)
    number = np.add.reduceat(known.astype(np.float64), start, axis=axis)
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def _leaf_order(drawn: CollapsedTree, place: Layout) -> np.ndarray:
    """All leaves in the order of their tips; within a collapsed tip depth first."""
    tree = drawn.tree
    depth_first = np.argsort(tree.leaf_intervals[0][: tree.n_leaves])
    at = np.empty(place.order.size, np.int64)
    at[place.order] = np.arange(place.order.size)
    return depth_first[np.argsort(at[drawn.shown[depth_first]], kind="stable")]


def _add_side_axes(
    ax: Any, drawn: CollapsedTree, place: Layout, groups: LeafGroups | None, square: bool, beside: float
) -> dict[str, Any]:
    """Draw the dendrogram at the left, for squares another above; add axes for a colour bar, `beside` inches away."""
    from mpl_toolkits.axes_grid1 import make_axes_locatable

    divider = make_axes_locatable(ax)
    sides = {"dendrogram": (divider.append_axes("left", size="22%", pad=0.04), "left")}
    if square:
        sides["dendrogram above"] = (divider.append_axes("top", size="18%", pad=0.04), "top")
    bar = divider.append_axes("right", size=0.12, pad=beside + 0.08)
    bar.set_gid("colour bar")
    low, high = float(min(place.up.min(), place.foot.min())), float(place.up.max())
    line = find_theme(ax, bare=True).line
    more = 0.03 * ((high - low) or 1.0)
    for gid, (side, orientation) in sides.items():
        transform = RectangularTransform(orientation)
        draw_lines(side, drawn, place, transform, groups, line, 0.8)
        draw_triangles(side, drawn, place, transform, groups, line, 0.6)
        side.set_gid(gid)
        side.set_axis_off()
        if transform.horizontal:
            side.set_xlim(high + more, low)
            side.set_ylim(place.span - 0.5, -0.5)
        else:
            side.set_ylim(low, high + more)
            side.set_xlim(-0.5, place.span - 0.5)
    return {gid: side for gid, (side, _) in sides.items()} | {"colour bar": bar}


def _separate_clusters(ax: Any, codes: np.ndarray, square: bool) -> None:
    """Draw lines between adjacent clusters, and each cluster's colour and dashes along the left edge."""
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
    theme = find_theme(ax, bare=True)
    marks = LineCollection(
        [[(0.0, low), (0.0, high)] for low, high in runs],
        colors=[theme.shade(c) for c in code],
        linestyles=[DASHES[0 if c < 0 else c % len(DASHES)] for c in code],
        linewidths=4.0, transform=ax.get_yaxis_transform(), clip_on=False, zorder=4, capstyle="butt", gid="clusters",
    )  # fmt: skip
    ax.add_collection(marks, autolim=False)


def _write_names(ax: Any, tree: Any, order: np.ndarray, square: bool, columns: list[str]) -> float:
    """Label the rows at the right and the columns below if all labels fit; return the inches taken at the right."""
    box = ax.get_window_extent()
    scale = ax.figure.dpi / 72
    rows = [shorten(str(tree.leaves[i]), 24) for i in order.tolist()]
    names = rows if square else [shorten(x, 24) for x in columns]
    left, right, bottom, top = ax.images[0].get_extent()
    height, width = round(bottom - top), round(right - left)
    ax.set(xticks=[], yticks=[])
    ax.tick_params(length=0, left=False, labelleft=False)
    taken = 0.0
    for axis, texts, number, room in (("y", rows, height, 0.8 * box.height), ("x", names, width, 0.7 * box.width)):
        font = min(room / number / scale / 1.1, LARGEST)
        if font < SMALLEST or len(texts) != number:
            continue
        fitted, longest = _fit_names(ax, texts, font, MOST_BESIDE * box.width if axis == "y" else np.inf)
        turn = {"rotation": 90} if axis == "x" and longest > 0.9 * room / number else {}
        ax.set(**{f"{axis}ticks": range(number)})
        getattr(ax, f"set_{axis}ticklabels")(fitted, fontsize=font, parse_math=False, **turn)
        if axis == "y":
            taken = (longest + 4 * scale) / ax.figure.dpi
            ax.tick_params(axis="y", labelright=True)
    if not ax.get_yticks().size:
        ax.set_xlabel("1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves")
    return taken


def _fit_names(ax: Any, texts: list[str], font: float, room: float) -> tuple[list[str], float]:
    """Shorten the texts until the longest fits into `room` pixels; return them and the width of the longest."""
    for most in SHORTER:
        some = [shorten(x, most) for x in texts]
        longest = measure_text(ax, some, font)
        if longest <= room:
            break
    return some, longest
