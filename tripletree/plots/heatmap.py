"""A matrix, such as distances or features, as a heat map in the order of a hierarchy, with its dendrogram beside it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.algorithms.linkage import from_linkage
from tripletree.core.checks import check_count, check_real
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.errors import UnknownLeafError
from tripletree.plots.annotations import LeafColumn, check_columns, number_map
from tripletree.plots.axes import SPARSEST, RectangularTransform
from tripletree.plots.drawing import draw_lines, draw_triangles
from tripletree.plots.labels import measure_text
from tripletree.plots.layout import CollapsedTree, Layout, collapse_nothing, collapse_tree, compute_layout
from tripletree.plots.legend import headed
from tripletree.plots.style import (
    LeafGroups,
    check_range,
    check_width,
    close_on_error,
    encode_groups,
    find_theme,
    import_pyplot,
    largest_font,
    leaf_names,
    shorten,
    shorten_all,
    tile_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIPS = 250  # default number of tips of the dendrogram
SMALLEST, LARGEST = 4.8, 9.0  # font of labels, in points
SHORTER = (36, 30, 24, 18, 14, 10, 7, 5)  # lengths of labels, tried in turn until they fit
STRIP_NAME = 30  # most characters of the name of a strip
MOST_BESIDE = 0.35  # largest part of the width that labels of rows take
STRIP, TREE = 0.14, 0.22  # inches that a strip takes, part of the width that the tree takes
LISTED = 24  # most categories of a strip in the legend


@close_on_error
def plot_heatmap(
    hierarchy: Any,
    matrix: Any,
    *,
    ax: Axes | None = None,
    width: float | str | None = None,
    clusters: Any = None,
    annotations: Any = None,
    second_names: Any = None,
    columns: Any = None,
    cluster_columns: bool = False,
    z_score: str | None = None,
    heights: str = "auto",
    max_leaves: int | None = TIPS,
    cmap: Any = None,
    vmin: float | None = None,
    vmax: float | None = None,
    robust: bool = False,
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
        order and the hierarchy is drawn above them, too. A pandas DataFrame provides the column names. Its rows, and
        the columns of a square whose columns are the leaves, are matched by label. Rows are matched by position only if
        the index is 0, 1, 2, ... and these are not leaves, or the leaves are 0, 1, 2, ... and not in the index.
    ax : matplotlib Axes, optional
        The axes to draw in. The dendrograms and the colour bar take part of its space. By default a new pyplot figure,
        which the caller closes.
    width : "column", "page" or float, optional
        Width of the new figure, as in `plot_dendrogram`.
    clusters : sequence or mapping, optional
        The cluster of each leaf. By default the ``labels_`` of an estimator. Lines across the map separate adjacent
        clusters, the dendrogram has their colours and dashes, and a strip beside the map has their colours.
    annotations : DataFrame or mapping, optional
        More strips beside the map, for categories and numbers, as in `plot_dendrogram`.
    second_names : sequence or mapping, optional
        Another name of some leaves, in brackets behind the label, as in `plot_dendrogram`.
    columns : sequence of str, optional
        Names of the columns, unless they are the leaves.
    cluster_columns : bool
        Order the columns by average linkage of their Euclidean distances (after `z_score`), with its dendrogram above.
        Missing entries count as the mean of their column. Not for symmetric matrices, whose columns are the leaves.
    z_score : {"columns", "rows"}, optional
        Show by how many standard deviations entries differ from the mean of their column or row, in two colours that
        part at 0.
    heights : {"auto", "height", "order", "level"}
        As in `plot_dendrogram`.
    max_leaves : int or None
        Maximum number of tips of the dendrogram, above which subtrees collapse into triangles as wide as their leaves.
    cmap : matplotlib colour map, optional
        By default viridis for symmetric matrices (small distances are dark), else cividis. Both work in greyscale.
    vmin, vmax : float, optional
        The numbers at the ends of the colour map. By default the least and the greatest. Entries beyond have the colour
        of the end, and the colour bar ends in an arrow. After `z_score`, in standard deviations.
    robust : bool
        Take the 2nd and the 98th percentile for the ends that are not given, so that a few large entries do not leave
        one colour for all others.
    label : str, optional
        Label of the colour bar. By default "distance" for symmetric squares with zeros along the diagonal.
    title : str, optional

    Returns
    -------
    matplotlib Axes
        The axes of the map, an image with the gid "map". The figure's other axes have the gids "dendrogram",
        "dendrogram above", "strips" and "colour bar".

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
    tree = check_hierarchy(hierarchy)
    values = _check_matrix(_align_rows(matrix, tree), tree.n_leaves)
    if clusters is None and hierarchy is not tree:
        clusters = getattr(hierarchy, "labels_", None)
    groups = encode_groups(clusters, tree, "clusters", None)
    strips = check_columns(annotations, tree, 0 if groups is None else len(groups.names))
    if groups is not None:
        strips = [LeafColumn("cluster", groups, None), *strips]
    if z_score not in (None, "columns", "rows"):
        msg = f"z_score is {z_score!r}; it must be 'columns', 'rows' or None"
        raise ValueError(msg)
    ends = _check_ends(vmin, vmax)
    if not isinstance(robust, (bool, np.bool_)):
        msg = f"robust must be True or False, got {robust!r:.60}"
        raise TypeError(msg)
    size = check_width(width, ax)
    called = leaf_names(tree, second_names)
    if max_leaves is not None:
        max_leaves = check_count(max_leaves, "max_leaves", 2)
    drawn = collapse_tree(tree, max_leaves, codes=[] if groups is None else [groups.codes])
    place = compute_layout(drawn, heights, spacing="size")
    plt = import_pyplot("plot_heatmap")
    small = 1e-6 * np.abs(values[np.isfinite(values)]).max(initial=0.0)  # rounding of float32
    square = values.shape[0] == values.shape[1] and np.allclose(values, values.T, atol=small, equal_nan=True)
    if square and cluster_columns:
        msg = "cluster_columns is for tables of features; columns of a symmetric matrix are in the order of the leaves"
        raise ValueError(msg)
    label = "distance" if label is None and square and (np.abs(np.diag(values)) <= small).all() else label
    if z_score is not None:
        values = _standardise(values, 0 if z_score == "columns" else 1)
        label = "z-score" if label is None else label
    order = _leaf_order(drawn, place)
    shown = values[np.ix_(order, order)] if square else values[order]
    names = (
        [str(x) for x in getattr(matrix, "columns", ())]
        if columns is None
        else _check_columns(columns, values.shape[1])
    )
    above = None
    if cluster_columns and values.shape[1] > 1:
        above = collapse_nothing(_cluster_columns(values))
        across = compute_layout(above, "height")
        shown = shown[:, across.order]
        names = [names[j] for j in across.order.tolist()] if len(names) == len(across.order) else names
    theme_of = ax
    legend = _legend_entries(strips, groups)
    if ax is None:
        longest = max((min(len(str(x)), SHORTER[0]) for x in (called if square else names)), default=0)
        under = max((min(len(x.name), STRIP_NAME) for x in strips), default=0)
        ax = _new_axes(plt, tree.n_leaves, square, longest, under, title is not None, size, legend[1])
    look: dict[str, Any] = {"cmap": ("viridis" if square else "cividis") if cmap is None else cmap}
    if z_score is not None:
        look["cmap"] = "RdBu_r" if cmap is None else cmap
    low, high = _colour_ends(shown, ends, robust, z_score is not None)
    image = _draw_map(ax, shown, look | {"vmin": low, "vmax": high})
    tree_width = min(TREE * float(ax.get_window_extent().width) / ax.figure.dpi, 1.6)
    beside = _write_names(ax, called, order, square, names, tree_width + STRIP * len(strips) + 0.3)
    trees = {"dendrogram": (drawn, place, groups)}
    if square or above is not None:
        trees["dendrogram above"] = (drawn, place, groups) if above is None else (above, across, None)
    sides, bars = _add_side_axes(ax, trees, strips, order, tree_width, beside)
    if groups is not None:
        _separate_clusters(ax, groups.codes[order], square)
    beyond = np.nanmin(shown) < low, np.nanmax(shown) > high
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(beyond, "neither")
    bar = ax.figure.colorbar(image, cax=sides["colour bar"], extend=extend)
    bar.set_label(shorten(label or "", 60))
    for (name, artist), axes in zip(bars, sides["more bars"], strict=True):
        ax.figure.colorbar(artist, cax=axes).set_label(shorten(name, 40))
    if size is not None:
        for axes in (sides["colour bar"], *sides["more bars"]):
            axes.tick_params(labelsize=largest_font(size))
            axes.yaxis.label.set_size(largest_font(size))
    top = sides.get("dendrogram above", ax)
    _write_legend(top, legend, theme_of is None)
    if title is not None:
        top.set_title(title)
    return ax


def _check_ends(vmin: Any, vmax: Any) -> tuple[float | None, float | None]:
    """Check the ends of the colour map that are given."""
    low, high = (
        None if value is None else check_real(value, name, least=-np.inf)
        for name, value in (("vmin", vmin), ("vmax", vmax))
    )
    if low is not None and high is not None and low >= high:
        msg = f"vmin={vmin!r} is not less than vmax={vmax!r}"
        raise ValueError(msg)
    return low, high


def _colour_ends(
    shown: np.ndarray, ends: tuple[float | None, float | None], robust: bool, centred: bool
) -> tuple[float, float]:
    """The numbers at the ends of the colour map, as far below 0 as above if `centred`, unless they are given."""
    known = shown[~np.isnan(shown)]
    low, high = np.percentile(known, (2, 98) if robust else (0, 100)).tolist()
    if centred:
        reach = max(-low, high) or 1.0
        low, high = -reach, reach
    low, high = (given if given is not None else found for given, found in zip(ends, (low, high), strict=True))
    if low >= high and ends != (None, None):  # all entries are beyond the end that is given
        low, high = (low, low + 1.0) if ends[0] is not None else (high - 1.0, high)
    return low, high


def _standardise(values: np.ndarray, axis: int) -> np.ndarray:
    """Distances from the mean of each column (axis 0) or row in standard deviations. 0 if all entries are equal."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a column without numbers
        away = values - np.nanmean(values, axis=axis, keepdims=True)
        spread = np.nanstd(values, axis=axis, keepdims=True)
    return np.divide(away, spread, out=np.where(np.isnan(values), np.nan, 0.0), where=(spread > 0) & ~np.isnan(away))


def _cluster_columns(values: np.ndarray) -> Hierarchy:
    """The hierarchy of the columns, by average linkage."""
    from scipy.cluster.hierarchy import linkage

    known = ~np.isnan(values)
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return from_linkage(linkage(np.where(known, values, mean).T, "average"))


def _legend_entries(strips: list[LeafColumn], clusters: LeafGroups | None) -> tuple[list[Any], list[str]]:
    """Handles and texts of the categories of all strips."""
    from matplotlib.patches import Patch

    handles: list[Any] = []
    texts: list[str] = []
    for strip in strips:
        if strip.groups is None:
            continue
        marks, names = [], []
        for k, name in enumerate(strip.groups.names[:LISTED]):
            apart = strip.groups is clusters and not strip.groups.is_clade[k]
            marks.append(Patch(linewidth=0.3, **tile_style(int(strip.groups.style[k]), "white")))
            names.append(f"{shorten(str(name), 24)} ({strip.groups.sizes[k]:,})" + ", not a clade" * apart)
        marks, names = headed(shorten(strip.name), marks, names)
        handles, texts = handles + marks, texts + names
    return handles, texts


def _write_legend(ax: Any, legend: tuple[list[Any], list[str]], own_figure: bool) -> None:
    """Write the legend above everything: at the top of a figure of our own, else on top of the given axes."""
    handles, texts = legend
    if not handles:
        return
    how: dict[str, Any] = {"fontsize": 7, "frameon": False, "handlelength": 1.4, "columnspacing": 1.2, "borderpad": 0.2}
    how["ncols"] = _legend_columns(texts, ax.figure.get_size_inches()[0])
    if own_figure:
        found = ax.figure.legend(handles, texts, loc="upper left", bbox_to_anchor=(0.01, 0.995), borderaxespad=0, **how)
    else:
        found = ax.legend(handles, texts, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, **how)
    for text in found.get_texts():
        text.set_parse_math(False)


def _legend_columns(texts: list[str], inches: float) -> int:
    """How many columns of the legend fit into a figure of that width."""
    return max(int(inches / (0.35 + 0.06 * max(map(len, texts), default=0))), 1)


def _new_axes(
    plt: Any, n: int, square: bool, longest: int, under: int, title: bool, width: float | None, entries: list[str]
) -> Any:
    """Make axes in a new figure, with space below for column names and at the right for the colour bars' ticks.

    longest, under : characters of the longest name of a column, and of a strip
    entries : the texts of the legend above
    """
    high = min(max(0.16 * n, 3.5), 8.0)
    bottom = max(0.4 if square and n > 110 * SPARSEST else 0.3 + 0.075 * longest, 0.3 + 0.06 * under)
    bottom += 0.2 if n > 80 else 0.0  # for a note on labels left out
    wide = (high + 1.2 if square else 7.5) if width is None else width
    left, right, top = 0.1, 0.75, (0.35 if title else 0.1) + 0.16 * -(-len(entries) // _legend_columns(entries, wide))
    size = (wide, max(high + 1.2, 0.75 * high + bottom + top))
    if width is not None:
        size = (width, min(size[1] * (width / (high + 1.2) if square else 1.0), 9.0))
    inner = (size[0] - left - right) / size[0], (size[1] - bottom - top) / size[1]
    return plt.figure(figsize=size).add_axes((left / size[0], bottom / size[1], *inner))


def _check_matrix(matrix: Any, n: int) -> np.ndarray:
    try:
        given = np.asarray(matrix)
        values = np.array(given.tolist() if given.dtype.kind == "c" else given, dtype=np.float64)  # lists of these fail
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
    """Put the rows of a DataFrame in leaf order, and its columns if they are leaves. Return anything else as it is."""
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


def _draw_map(ax: Any, shown: np.ndarray, look: dict[str, Any]) -> Any:
    """Draw the image. Along an axis with more entries than pixels it shows means, so that the other stays sharp."""
    box = ax.get_window_extent()
    pixels = max(int(box.height), 1), max(int(box.width), 1)
    high, wide = shown.shape
    extent = (-0.5, wide - 0.5, high - 0.5, -0.5)
    for axis in (0, 1):
        if shown.shape[axis] > pixels[axis]:
            shown = average_blocks(shown, axis, pixels[axis])
    return ax.imshow(shown, aspect="auto", interpolation="nearest", extent=extent, gid="map", **look)


def average_blocks(values: np.ndarray, axis: int, parts: int) -> np.ndarray:
    """Means of the values in `parts` equal parts along an axis, ignoring NaN."""
    start = np.arange(parts) * values.shape[axis] // parts
    known = ~np.isnan(values)
    total = np.add.reduceat(np.where(known, values, 0.0), start, axis=axis)
    number = np.add.reduceat(known.astype(np.float64), start, axis=axis)
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def _leaf_order(drawn: CollapsedTree, place: Layout) -> np.ndarray:
    """All leaves in the order of their tips, depth first within a collapsed tip."""
    tree = drawn.tree
    depth_first = np.argsort(tree.leaf_intervals[0][: tree.n_leaves])
    at = np.empty(place.order.size, np.int64)
    at[place.order] = np.arange(place.order.size)
    return depth_first[np.argsort(at[drawn.shown[depth_first]], kind="stable")]


def _add_side_axes(
    ax: Any,
    trees: dict[str, tuple[CollapsedTree, Layout, LeafGroups | None]],
    strips: list[LeafColumn],
    order: np.ndarray,
    tree_width: float,
    beside: float,
) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """Draw strips and the dendrogram at the left and perhaps one above. Add axes for colour bars, `beside` inches away.

    Returns the axes by gid, and the name and artist of each strip of numbers.
    """
    from mpl_toolkits.axes_grid1 import make_axes_locatable

    divider = make_axes_locatable(ax)
    sides: dict[str, Any] = {}
    bars: list[tuple[str, Any]] = []
    if strips:
        sides["strips"] = divider.append_axes("left", size=STRIP * len(strips), pad=0.04)
        bars = _draw_strips(sides["strips"], ax, strips, order)
    sides["dendrogram"] = divider.append_axes("left", size=tree_width, pad=0.04)
    if "dendrogram above" in trees:
        sides["dendrogram above"] = divider.append_axes("top", size="18%", pad=0.04)
    line = find_theme(ax, bare=True).line
    for gid, (drawn, place, groups) in trees.items():
        side, transform = sides[gid], RectangularTransform("left" if gid == "dendrogram" else "top")
        low, high = float(min(place.up.min(), place.foot.min())), float(place.up.max())
        more = 0.03 * ((high - low) or 1.0)
        draw_lines(side, drawn, place, transform, groups, line, 0.8)
        draw_triangles(side, drawn, place, transform, groups, line, 0.6)
        side.set_axis_off()
        if transform.horizontal:
            side.set_xlim(high + more, low)
            side.set_ylim(place.span - 0.5, -0.5)
        else:
            side.set_ylim(low, high + more)
            side.set_xlim(-0.5, place.span - 0.5)
    column = divider.append_axes("right", size=0.12, pad=beside + 0.08)
    parts = [column]
    if bars:  # all colour bars stand in one column
        share = 1 / (len(bars) + 1)
        parts = [column.inset_axes((0.0, 1 - share * (k + 0.86), 1.0, 0.86 * share)) for k in range(len(bars) + 1)]
        column.set_axis_off()
    sides["colour bar"] = parts[0]
    for gid, side in sides.items():
        side.set_gid(gid)
    sides["more bars"] = parts[1:]
    return sides, bars


def _draw_strips(side: Any, ax: Any, strips: list[LeafColumn], order: np.ndarray) -> list[tuple[str, Any]]:
    """Draw a strip for each column, runs of a category as one tile. Return names and artists of columns of numbers."""
    from matplotlib.collections import PolyCollection

    found: list[tuple[str, Any]] = []
    paper = find_theme(ax, bare=True).paper
    for k, strip in enumerate(strips):
        left, right = k + 0.06, k + 0.94
        if strip.groups is None:
            assert strip.values is not None
            column = strip.values[order][:, None]
            high = max(int(side.get_window_extent().height), 1)
            column = average_blocks(column, 0, high) if len(column) > high else column
            extent = (left, right, order.size - 0.5, -0.5)
            cmap = number_map(len(found))
            found.append((strip.name, side.imshow(column, aspect="auto", cmap=cmap, extent=extent, gid="strip")))
            continue
        codes = strip.groups.codes[order]
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
        stops = np.append(starts[1:], codes.size)
        for code in np.unique(codes[codes >= 0]).tolist():
            runs = [(a - 0.5, b - 0.5) for a, b in zip(starts, stops, strict=True) if codes[a] == code]
            tiles = [[(left, a), (right, a), (right, b), (left, b)] for a, b in runs]
            style = tile_style(int(strip.groups.style[code]), paper)
            side.add_collection(PolyCollection(tiles, linewidths=0, gid="strip", **style), autolim=False)
    side.set(xlim=(0, len(strips)), ylim=(order.size - 0.5, -0.5), yticks=[])
    side.set_xticks(np.arange(len(strips)) + 0.5)
    side.set_xticklabels(shorten_all([x.name for x in strips], STRIP_NAME), rotation=90, fontsize=7, parse_math=False)
    side.tick_params(length=0)
    for spine in side.spines.values():
        spine.set_visible(False)
    return found


def _separate_clusters(ax: Any, codes: np.ndarray, square: bool) -> None:
    """Draw lines between adjacent clusters."""
    edges = np.flatnonzero(codes[1:] != codes[:-1]) + 0.5
    if edges.size > 200:
        return
    for y in edges.tolist():
        ax.axhline(y, color="white", linewidth=1.2, gid="parting")
        if square:
            ax.axvline(y, color="white", linewidth=1.2, gid="parting")


def _write_names(
    ax: Any, called: list[str], order: np.ndarray, square: bool, columns: list[str], aside: float
) -> float:
    """Label the rows at the right and the columns below, or every k-th. Return the inches taken at the right.

    aside : inches of the width that tree, strips and colour bar take
    """
    box = ax.get_window_extent()
    scale = ax.figure.dpi / 72
    rows = [called[i] for i in order.tolist()]
    names = rows if square else columns
    left, right, bottom, top = ax.images[0].get_extent()
    height, width = round(bottom - top), round(right - left)
    ax.set(xticks=[], yticks=[])
    ax.tick_params(length=0, left=False, labelleft=False)
    taken = 0.0
    for axis, texts, number in (("y", rows, height), ("x", names, width)):
        room = 0.8 * box.height if axis == "y" else box.width - (aside + taken) * ax.figure.dpi
        every = max(int(np.ceil(1.1 * SMALLEST * scale * number / room)), 1)
        if every > SPARSEST or len(texts) != number:
            continue
        font = min(room / number * every / scale / 1.1, LARGEST)
        fitted, longest = _fit_names(ax, texts[::every], font, MOST_BESIDE * box.width if axis == "y" else np.inf)
        turn = {"rotation": 90} if axis == "x" and longest > 0.9 * room / number * every else {}
        ax.set(**{f"{axis}ticks": range(0, number, every)})
        if every > 1:
            note = f"{number:,} {'leaves' if axis == 'y' or square else 'columns'}, 1 in {every} labelled"
            ax.set_xlabel(note) if axis == "y" else None
        getattr(ax, f"set_{axis}ticklabels")(fitted, fontsize=font, parse_math=False, **turn)
        if axis == "y":
            taken = (longest + 4 * scale) / ax.figure.dpi
            ax.tick_params(axis="y", labelright=True)
    if not ax.get_yticks().size:
        ax.set_xlabel("1 leaf" if len(called) == 1 else f"{len(called):,} leaves")
    return taken


def _fit_names(ax: Any, texts: list[str], font: float, room: float) -> tuple[list[str], float]:
    """Shorten the texts until the longest fits into `room` pixels. Return them and the width of the longest."""
    for most in SHORTER:
        some = shorten_all(texts, most)
        longest = measure_text(ax, some, font)
        if longest <= room:
            break
    return some, longest
