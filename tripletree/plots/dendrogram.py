"""Dendrograms with matplotlib: any depth and size, clusters, classes and values, constraints marked where they act."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tripletree.core.checks import check_choice, check_count, check_real
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.pairs import PairwiseConstraints, check_pairs
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.plots.annotations import (
    ARCS,
    COLUMN,
    COLUMN_NAME,
    Clade,
    LeafColumn,
    check_clades,
    check_columns,
    check_node_labels,
    count_levels,
    draw_arcs,
    draw_clades,
    draw_columns,
    draw_node_labels,
    measure_clades,
)
from tripletree.plots.axes import (
    BAR,
    KEPT,
    KEPT_AROUND,
    AxesLayout,
    CircularTransform,
    count_tips_that_fit,
    draw_scale_bar,
    find_labelled_tips,
    lay_out_axes,
    make_axes,
    make_transform,
    narrow_circle,
    set_axes,
    set_ticks,
)
from tripletree.plots.drawing import (
    draw_classes,
    draw_cut,
    draw_inversions,
    draw_lines,
    draw_markers,
    draw_strips,
    draw_triangles,
)
from tripletree.plots.labels import describe_leaves, draw_leaders, longest_shown, make_tip_labels, write_labels
from tripletree.plots.layout import (
    CollapsedTree,
    Layout,
    collapse_tree,
    compute_layout,
    count_pairs,
    count_triplets_at_nodes,
    find_collapsed_nodes,
    find_open,
)
from tripletree.plots.legend import Block, make_legend_blocks
from tripletree.plots.style import (
    DASHES,
    DOTTED,
    LeafGroups,
    Theme,
    check_leaf_values,
    check_width,
    close_on_error,
    encode_groups,
    find_theme,
    import_pyplot,
    largest_font,
    leaf_names,
    shorten,
    shorten_all,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORIENTATIONS = ("left", "right", "top", "bottom")
LAYOUTS = ("rectangular", "circular")


class _Content(NamedTuple):
    """The content drawn on the tree, checked.

    counts : int64[N] for each kind of marker, at the hierarchy's nodes
    node_labels : the text of each inner node that has one
    arcs, violated : pairs to draw as arcs, and how many of them clusters violate
    names : what each leaf is called
    """

    clusters: LeafGroups | None
    classes: LeafGroups | None
    values: np.ndarray | None
    counts: dict[str, np.ndarray]
    cut: float | str | None
    columns: list[LeafColumn]
    clades: list[Clade]
    node_labels: dict[int, str]
    arcs: PairwiseConstraints | None
    violated: int
    names: list[str]


class _Style(NamedTuple):
    """The options of drawing, checked. None stands for the default of each."""

    labels: bool | None
    max_leaf_labels: int
    title: str | None
    line: Any
    linewidth: float | None
    legend: bool
    width: float | None
    scale_bar: bool


@close_on_error
def plot_dendrogram(
    hierarchy: Any,
    *,
    ax: Axes | None = None,
    width: float | str | None = None,
    layout: str = "rectangular",
    orientation: str = "left",
    triplets: TripletSet | None = None,
    pairs: PairwiseConstraints | None = None,
    arcs: bool = False,
    rejected: Iterable[Any] | None = None,
    clusters: Any = None,
    classes: Any = None,
    values: Any = None,
    annotations: Any = None,
    clades: Any = None,
    node_labels: Any = None,
    second_names: Any = None,
    cut: float | str | None = None,
    max_leaves: int | str | None = "auto",
    collapse: Any = None,
    labels: bool | None = None,
    heights: str = "auto",
    scale_bar: bool = False,
    legend: bool = True,
    max_leaf_labels: int = 600,
    title: str | None = None,
    color: Any = None,
    linewidth: float | None = None,
) -> Axes:
    """Draw a hierarchy as a dendrogram.

    Leaves keep the order of the leaf index as far as the clades allow: depth first, children by their smallest leaf.
    Equal hierarchies over one leaf index therefore look the same. The branch above an open node, which may be anywhere
    below its parent, is dotted. Lines cross only where heights are inverted. Inverted heights are drawn as they
    are, with a small wedge on each branch that points down. An inner node is a line across its children. One with a
    single child has no line.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
        An estimator needs `hierarchy_`. Its `labels_`, where it has them, are the default for `clusters`.
    ax : matplotlib Axes, optional
        The axes to draw in. By default a new pyplot figure, sized for the number of leaves. The caller closes it
        (``plt.close(ax.figure)``).
    width : "column", "page" or float, optional
        Width of the new figure: a column (89 mm) or a page (183 mm) of a journal, with fonts that stay legible
        at that size, or inches. By default as wide as the picture needs. `save_picture` writes it at this size.
    layout : {"rectangular", "circular"}
        Circular: the root in the middle, the leaves around it, clockwise from the top, and rings for the heights.
    orientation : {"left", "right", "top", "bottom"}
        The side of the root in a rectangular layout.
    triplets : TripletSet, optional
        Each triplet ab|c that the hierarchy displays is marked by a dot at the last common ancestor of a and b, larger
        for more triplets. Each that it does not display is marked by a hollow cross at the last common ancestor of a, b
        and c.
    pairs : PairwiseConstraints, optional
        Marked at the last common ancestor of the two: must-links by triangles, cannot-links by squares. Hollow if
        `clusters` violate them.
    arcs : bool
        Draw pairs as arcs from leaf to leaf instead, beyond the labels: must-links solid, cannot-links dashed, violated
        ones red. In a rectangular layout.
    rejected : iterable of RejectedMerge, optional
        As from `tripletree.cluster.rejected_merges`: a hollow diamond at every merge that constraints forced
        (one of its clusters had a nearer one, and that merge was rejected), a hollow hexagon at those they delayed.
    clusters : sequence or mapping, optional
        The cluster of each leaf, in leaf order (as from `cut`) or by leaf label. The lines of a clade within one
        cluster have that cluster's colour and dashes. None or NaN stands for no cluster.
    classes : sequence or mapping, optional
        The class of each leaf, likewise: a coloured shape at its end, and coloured labels. Beside clusters a class
        takes the colour of the cluster it shares most leaves with, so that misplaced leaves stand out.
    values : sequence or mapping, optional
        A number for each leaf, likewise: a coloured square beside it (the mean, for a collapsed subtree), and a colour
        bar.
    annotations : DataFrame or mapping, optional
        Columns of tiles between the leaves and their labels: a DataFrame with the leaves as its index, or names of
        columns with values as `classes` and `values` take them. Columns of numbers get colours of a map each, with a
        colour bar. All others a colour and hatch for each category, which no class or cluster has. Collapsed subtrees
        show shares and means.
    clades : mapping or iterable, optional
        Clades to shade and to name beside a bracket: names of inner nodes, or a mapping of texts to nodes (by number or
        name) or to leaves. Where leaves are no clade, they alone are shaded, and the name says how many others their
        smallest common clade has.
    node_labels : {"names", "numbers", "sizes", "support"}, sequence or mapping, optional
        Labels of inner nodes: their names, numbers or numbers of leaves; the `clade_support_` of an estimator
        that has it, with two digits; or numbers and texts such as ``supertree(...).support``, one for each inner node
        or by node. NaN and None stand for nothing. Among labels that
        would overlap those nearer to the root are written. A note tells how many are not.
    second_names : sequence or mapping, optional
        Another name of some leaves, in leaf order or by label, such as a genus, a language or a product. It stands in
        brackets behind the label.
    cut : float or "clusters", optional
        Draws a dashed line at this height, or a stepped one between the clusters and the nodes above them.
    max_leaves : int, "auto" or None
        Larger hierarchies are drawn with at most this many tips: subtrees collapse into triangles labelled with their
        number of leaves and, given `classes`, the share of their most frequent class. The largest subtrees are
        expanded first, and those that mix clusters or classes before others. "auto" draws all leaves up to 600 in a
        new figure and 80 tips above. In given axes, as many as fit. None draws all.
    collapse : iterable of inner nodes or their names, or "clusters", optional
        Subtrees to draw as triangles in any case. "clusters" are the clades of one cluster each.
    labels : bool, optional
        If True, write leaf labels. By default only some are written where not all fit, and none where fewer than one
        in ten would fit. A note on the leaf axis gives the share. True writes all of them, however small, and lets a
        new figure grow beyond a sheet of paper. Labels that would leave too little for the tree lose their middle.
    heights : {"auto", "height", "order", "level"}
        Values of the height axis: the hierarchy's own heights, the order of the merges, or the number of edges down
        to the deepest leaf. "auto" is "height" if there are any, else "level"; but "order" where more than a tenth
        of the branches would point down and no `cut` at a height is given; the axis label tells which.
    scale_bar : bool
        Draw a bar of a round length in place of the height axis, as is the custom for phylogenies.
    legend : bool
        If True, explain colours, dashes, shapes and markers in a legend inside the axes. Groups named by numbers are
        in their order, others from the largest to the smallest.
    max_leaf_labels : int
        Maximum number of labels if `labels` is None.
    title : str, optional
    color : matplotlib colour, optional
        Colour of the lines that belong to no single cluster.
    linewidth : float, optional
        In points. By default chosen by the space per leaf.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    plot_tanglegram : two hierarchies. plot_cuts : several cuts. plot_heatmap : distances beside it.
    save_picture : into a file for a paper.

    Notes
    -----
    Time is linear in the number of nodes. Legend and labels are inside the axes, in space reserved for them. Artists
    can be found by their ``gid``, with ``ax.findobj`` or in an SVG: "lines", "collapsed", "classes", "class shares",
    "values", "cut", "inversions", "displayed", "not displayed", "must satisfied", "must violated", "cannot satisfied",
    "cannot violated" ("must" and "cannot" without clusters), "forced", "delayed", "annotations", "clades", "brackets",
    "must arcs", "cannot arcs", "node label", "scale bar".

    The first seven colours, and the map cividis, are apart for colour-blind readers. Every colour is
    paired with a shape or dashes. Markers of satisfied constraints are filled, markers of violated ones hollow.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from matplotlib import pyplot as plt
    >>> h = Hierarchy.from_nested([[("human", "chimp"), "gorilla"], "orang"])
    >>> ax = plot_dendrogram(h, triplets=TripletSet.from_labels([("human", "chimp", "orang")]))
    >>> [t.get_text() for t in ax.texts]
    ['human', 'chimp', 'gorilla', 'orang']
    >>> ax = plot_dendrogram(h, max_leaves=2)
    >>> [t.get_text() for t in ax.texts]
    ['3 leaves: human to gorilla', 'orang']
    >>> plt.close("all")
    """
    tree = check_hierarchy(hierarchy)
    if clusters is None and hierarchy is not tree:
        clusters = getattr(hierarchy, "labels_", None)
    check_choice(orientation, "orientation", ORIENTATIONS)
    check_choice(layout, "layout", LAYOUTS)
    clustered = encode_groups(clusters, tree, "clusters", None)
    classed = encode_groups(classes, tree, "classes", clustered)
    numbers = check_leaf_values(values, tree)
    cut = _check_cut(cut, clustered)
    if arcs and pairs is None:
        msg = "arcs=True needs pairs="
        raise ValueError(msg)
    if arcs and layout == "circular":
        msg = "arcs are drawn in a rectangular layout only; leave layout='circular' out"
        raise ValueError(msg)
    counts = _count_markers(tree, triplets, None if arcs else pairs, rejected, clustered)
    at_merges = _count_markers(tree, None, pairs if arcs else None, None, clustered)
    styles = max((int(x.style.max(initial=-1)) + 1 for x in (clustered, classed) if x is not None), default=0)
    columns = check_columns(annotations, tree, styles)
    styles += sum(len(x.groups.names) for x in columns if x.groups is not None)
    named = check_clades(clades, tree, styles)
    content = _Content(
        clustered,
        classed,
        numbers,
        counts,
        cut,
        columns,
        named,
        check_node_labels(node_labels, hierarchy, tree),
        _check_arcs(pairs, tree) if arcs else None,
        sum(int(x.sum()) for name, x in at_merges.items() if name.endswith("violated")),
        leaf_names(tree, second_names),
    )
    closed = find_collapsed_nodes(tree, collapse, None if clustered is None else clustered.codes)
    style = _check_style(labels, max_leaf_labels, title, color, linewidth, legend)
    style = style._replace(width=check_width(width, ax), scale_bar=bool(scale_bar))
    most = max_leaves
    kind = "circular" if layout == "circular" else orientation
    if most == "auto":
        most = count_tips_that_fit(ax, tree.n_leaves, kind, labels, style.width)
    elif most is not None:
        most = check_count(most, "max_leaves", 2)
    drawn = collapse_tree(tree, most, closed=closed, codes=[x.codes for x in (clustered, classed) if x is not None])
    if (
        heights == "auto"
        and isinstance(cut, float)
        and len(np.unique(tree.height if tree.height is not None else 0)) > 1
    ):
        heights = "height"  # a cut at a height has no place on any other axis
    place = compute_layout(drawn, heights)
    plt = import_pyplot("plot_dendrogram")
    return _draw(plt, ax, drawn, place, kind, content, style)


def _check_style(
    labels: Any, max_leaf_labels: Any, title: str | None, color: Any, linewidth: Any, legend: bool
) -> _Style:
    """The options of drawing, checked."""
    from matplotlib.colors import to_rgba

    if labels is not None and not isinstance(labels, (bool, np.bool_)):
        msg = f"labels must be True, False or None (the texts are the hierarchy's own), got {labels!r:.60}"
        raise TypeError(msg)
    most = check_count(max_leaf_labels, "max_leaf_labels", 0)
    if linewidth is not None:
        check_real(linewidth, "linewidth")
    if color is not None:
        to_rgba(color)  # raises for an invalid colour before anything is drawn
    return _Style(None if labels is None else bool(labels), most, title, color, linewidth, legend, None, False)


def _check_cut(cut: Any, clusters: LeafGroups | None) -> float | str | None:
    if cut is None or (cut == "clusters" and clusters is not None):
        return cut
    if cut == "clusters":
        msg = "cut='clusters' needs clusters="
        raise ValueError(msg)
    if isinstance(cut, (bool, np.bool_)) or not isinstance(cut, Real) or not np.isfinite(float(cut)):
        msg = f"cut must be a height or 'clusters', got {cut!r}"
        raise ValueError(msg)
    return float(cut)


def _count_markers(
    tree: Hierarchy, triplets: Any, pairs: Any, rejected: Any, clusters: LeafGroups | None
) -> dict[str, np.ndarray]:
    """Count the markers of each kind at the nodes of the hierarchy."""
    counts = {}
    if triplets is not None:
        counts["displayed"], counts["not displayed"] = count_triplets_at_nodes(tree, check_triplets(triplets))
    if pairs is not None:
        counts |= count_pairs(tree, check_pairs(pairs), None if clusters is None else clusters.codes)
    if rejected is not None:
        found = _check_rejected(rejected)
        for name, nodes in (
            ("forced", [x.node for x in found if x.forced]),
            ("delayed", [x.delayed for x in found if x.delayed is not None]),
        ):
            counts[name] = np.minimum(np.bincount(np.array(nodes, np.int64), minlength=tree.n_nodes), 1)
            if counts[name].size > tree.n_nodes:
                msg = f"rejected refers to node {counts[name].size - 1}, but the hierarchy has {tree.n_nodes} nodes"
                raise ValueError(msg)
    return counts


def _check_arcs(pairs: Any, tree: Hierarchy) -> PairwiseConstraints:
    known = check_pairs(pairs)
    tree.leaves.indices((known.leaves[i] for i in known.used_leaves.tolist()), what="pairs' leaves")
    return known


def _check_rejected(rejected: Any) -> list[Any]:
    found = list(rejected) if isinstance(rejected, Iterable) and not isinstance(rejected, str) else [rejected]
    for k, x in enumerate(found):
        if not (hasattr(x, "node") and hasattr(x, "forced") and hasattr(x, "delayed")):
            msg = (
                "rejected must contain RejectedMerge values, as tripletree.cluster.rejected_merges returns them; "
                f"entry {k} is {type(x).__name__} ({x!r:.60})"
            )
            raise TypeError(msg)
    return found


class _Stage(NamedTuple):
    """Shared by the steps of a drawing: the axes, the tree with the places of its nodes, the content and options."""

    ax: Any
    drawn: CollapsedTree
    place: Layout
    transform: Any
    content: _Content
    style: _Style
    theme: Theme
    counts: dict[str, np.ndarray]
    inversions: int

    @property
    def is_round(self) -> bool:
        return isinstance(self.transform, CircularTransform)


class _Room(NamedTuple):
    """The space of each part: legend and labels first, the tree gets the rest.

    gap, marker : points from the tips to the strip beside them, size of the marks at the tips
    away : points from the tips to the labels, with the strip and the columns between
    aside : points for brackets and arcs beyond the labels
    """

    layout: AxesLayout
    texts: list[str]
    codes: Any
    gap: float
    marker: float
    away: float
    brackets: Any
    aside: float


class _Edge(NamedTuple):
    """The places where the tree ends and the parts around it begin."""

    shown: np.ndarray
    rim: np.ndarray
    lowest: float
    outside: float
    pixel: float


def _draw(plt: Any, ax: Any, drawn: CollapsedTree, place: Layout, kind: str, content: _Content, style: _Style) -> Any:
    """Draw the content, checked and placed."""
    transform = make_transform("circular" if kind == "circular" else "rectangular", kind, place)
    texts, codes = make_tip_labels(drawn, content.classes, content.names)
    if kind == "circular" and style.labels is not False:
        texts = shorten_all(texts, longest_shown(texts))
    own_figure = ax is None
    if own_figure:
        ax = _new_axes(plt, drawn, place, transform, content, style, texts)
    counts = {name: np.bincount(drawn.shown, x, drawn.parent.size) for name, x in content.counts.items()}
    inversions = int((place.up[drawn.parent[:-1]] < place.up[:-1]).sum())
    stage = _Stage(ax, drawn, place, transform, content, style, find_theme(ax), counts, inversions)
    room = _make_room(stage, own_figure, texts, codes)
    _draw_tree(stage, room)
    edge = _write_tips(stage, room)
    scales = _draw_beside(stage, room, edge, kind)
    left_out = _draw_on_top(stage, room)
    set_ticks(ax, place, transform, _note(stage, edge, left_out), below=bool(content.columns))
    if style.scale_bar:
        draw_scale_bar(ax, place, transform)
    for k, (name, artist) in enumerate(scales):
        _colour_bar(ax, artist, room.layout, name, k)
    if style.title is not None:
        ax.set_title(style.title, loc="left")
    return ax


def _new_axes(
    plt: Any, drawn: CollapsedTree, place: Layout, transform: Any, content: _Content, style: _Style, texts: list[str]
) -> Any:
    """Axes in a new figure, as large as the content asks for."""
    columns = content.columns
    deep = count_levels(content.clades, drawn, place) if isinstance(transform, CircularTransform) else 1
    aside = COLUMN * len(columns) + (20 * deep + 40) * bool(content.clades) + (ARCS + 6) * (content.arcs is not None)
    names = max((0.06 * min(len(x.name), COLUMN_NAME) + 0.35 for x in columns), default=0.0)
    ax = make_axes(
        plt, transform, place.span, drawn.size.size, style.labels, style.max_leaf_labels, style.title is not None,
        longest=max(map(len, texts), default=0), width=style.width, beside=aside / 72, names=names,
    )  # fmt: skip
    if style.width is not None:
        ax.tick_params(labelsize=largest_font(style.width))
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_size(largest_font(style.width))
    return ax


def _make_room(stage: _Stage, own_figure: bool, texts: list[str], codes: np.ndarray) -> _Room:
    """Draw the legend, and measure the labels, `texts`, and the parts beside the tips."""
    ax, drawn, place, transform, content, style, theme, counts, _ = stage
    classes, columns = content.classes, content.columns
    more = _make_extra_entries(content, int(find_open(stage.drawn).sum()), stage.inversions, theme)

    def blocks_for(most: int) -> list[Block]:
        if not style.legend:
            return []
        return make_legend_blocks(content.clusters, classes, columns, counts, more, most, theme)

    longest = 0 if style.labels is False else max(map(len, texts), default=0)
    bars = (content.values is not None) + sum(x.values is not None for x in columns)
    layout = lay_out_axes(
        ax, transform, place.span, blocks_for, own_figure, longest, -(-bars // 3), largest_font(style.width)
    )
    gap, marker = _gaps(layout, classes, drawn)
    away = _strip(content, gap) + 1.0 + COLUMN * len(columns)
    brackets = measure_clades(ax, content.clades, drawn, place, transform, layout)
    aside = brackets.whole + (ARCS + 6 if content.arcs is not None else 0)
    if stage.is_round:
        layout = narrow_circle(layout, place.span, longest, away + aside)
    return _Room(layout, texts, codes, gap, marker, away, brackets, aside)


def _strip(content: _Content, gap: float) -> float:
    """Points from the tips to the first column."""
    return gap + (11.0 if content.values is not None else 0.0)


def _draw_tree(stage: _Stage, room: _Room) -> None:
    """Lines, collapsed subtrees, and the marks of classes at the tips."""
    ax, drawn, place, transform, content, style, theme, *_ = stage
    line = theme.line if style.line is None else style.line
    width = min(max(room.layout.row / 7, 0.45), 1.3) if style.linewidth is None else style.linewidth
    draw_lines(ax, drawn, place, transform, content.clusters, line, width)
    draw_triangles(ax, drawn, place, transform, content.clusters, line, width)
    if content.classes:
        draw_classes(ax, drawn, place, transform, content.classes, room.marker)
    if drawn.tree.n_nodes == 1:
        ax.plot(*transform.xy(place.along, place.up), "o", color=line, markersize=room.marker, gid="single leaf")


def _write_tips(stage: _Stage, room: _Room) -> _Edge:
    """Write the labels, with leaders to them, and set the limits of the axes so that all parts fit."""
    ax, drawn, place, transform, content, style, *_ = stage
    T, layout, columns = drawn.size.size, room.layout, content.columns
    shown = find_labelled_tips(T, layout.row, style.labels, style.max_leaf_labels)
    tips, lowest = place.order[shown], float(place.foot.min())
    rim = np.full(T, transform.bottom if stage.is_round else lowest)
    if not stage.is_round and not columns:
        rim = place.foot
    beyond = np.full(T, room.away * layout.scale)  # strips and markers need space at tips without a label, too
    kept = (KEPT_AROUND if stage.is_round else KEPT) * layout.depth
    most = max(layout.depth - kept - (14 + room.away + room.aside) * layout.scale, 0.2 * layout.depth)
    beyond[tips] = write_labels(
        ax, room.texts, room.codes, content.classes, tips, place, transform, layout, room.away, rim, most
    )
    if stage.is_round or columns:
        every = content.values is not None or bool(columns)
        draw_leaders(ax, np.arange(T) if every else tips, place, transform, rim)
    outside = float(beyond.max()) / layout.scale
    extra, ends = beyond, rim
    if room.aside:
        extra, ends = np.append(beyond, (outside + room.aside) * layout.scale), np.append(rim, lowest)
    pixel = layout.scale / set_axes(ax, place, transform, layout, extra, ends)
    return _Edge(shown, rim, lowest, outside, pixel)


def _draw_beside(stage: _Stage, room: _Room, edge: _Edge, kind: str) -> list[tuple[str, Any]]:
    """Draw values, columns, clades and arcs beside the tips. Return what gets a colour bar, by name."""
    ax, drawn, place, transform, content, style, *_ = stage
    classes, values, pixel, rim = content.classes, content.values, edge.pixel, edge.rim
    strips = draw_strips(ax, drawn, place, transform, classes, values, pixel, room.gap, room.layout.row, rim)
    scales = [] if strips is None else [("", strips)]
    tick = float(ax.xaxis.get_major_ticks(1)[0].label1.get_size())
    past = 2.0 if style.scale_bar else 9.0 + (1.2 if kind in ("left", "right") else 1.6) * tick
    strip = _strip(content, room.gap)
    scales += draw_columns(ax, content.columns, drawn, place, transform, pixel, strip, float(rim.min()), past)
    if content.clades:
        base = float(rim.min()) if stage.is_round else edge.lowest
        draw_clades(ax, content.clades, room.brackets, drawn, place, transform, room.layout, pixel, base, edge.outside)
    if content.arcs is not None:
        start = edge.lowest - (edge.outside + sum(room.brackets.room) + 4) * pixel
        draw_arcs(ax, content.arcs, content.clusters, drawn, place, transform, pixel, start)
    return scales


def _draw_on_top(stage: _Stage, room: _Room) -> int:
    """Draw the marks on the tree. Return how many labels of nodes are left out."""
    ax, drawn, place, transform, content, *_ = stage
    draw_markers(ax, place, transform, stage.counts, room.layout.row)
    if stage.inversions:
        draw_inversions(ax, drawn, place, transform, min(max(0.6 * room.layout.row, 2.5), 5.0))
    if content.cut is not None:
        draw_cut(ax, drawn, place, transform, content.cut, content.clusters)
    return draw_node_labels(ax, content.node_labels, drawn, place, transform) if content.node_labels else 0


def _note(stage: _Stage, edge: _Edge, left_out: int) -> str:
    """The note on the leaf axis: leaves without a label, the rings of a circle, labels that did not fit."""
    notes = [describe_leaves(stage.drawn, edge.shown.size)]
    if stage.is_round and stage.content.columns:
        notes.append(f"rings outwards: {', '.join(shorten(x.name, 24) for x in stage.content.columns)}")
    if left_out:
        notes.append(f"{left_out:,} label{'s' if left_out > 1 else ''} of nodes left out")
    return "; ".join(x for x in notes if x)


def _gaps(axes_layout: AxesLayout, classes: LeafGroups | None, drawn: CollapsedTree) -> tuple[float, float]:
    """Points from the tips to the marks beside them, and the size of the marks at the tips."""
    marker = min(max(0.75 * axes_layout.row, 1.5), 6.0) if classes else 4.0 if drawn.tree.n_nodes == 1 else 0.0
    return (marker / 2 if drawn.is_whole or not classes else max(marker / 2, 6.5)) + 2.0, marker


def _make_extra_entries(content: _Content, opened: int, inversions: int, theme: Theme) -> Block:
    """Legend entries for the cut, for arcs, for open nodes and for inversions."""
    from matplotlib.lines import Line2D

    handles, texts, cut = [], [], content.cut
    dash: Any
    if content.arcs is not None:
        entries: Any = (
            (content.arcs.must_link, "solid", "must-link"),
            (content.arcs.cannot_link, (0, (3, 2)), "cannot-link"),
        )
        for rows, dash, name in entries:
            if len(rows):
                handles.append(Line2D([], [], color=theme.line, linestyle=dash, linewidth=0.9))
                texts.append(f"{len(rows):,} {name}{'s' if len(rows) > 1 else ''}")
        if content.violated:
            handles.append(Line2D([], [], color=theme.missed, linewidth=0.9))
            texts.append(f"{content.violated:,} violated")
    if opened:
        handles.append(Line2D([], [], color=theme.line, linestyle=DOTTED, linewidth=1.3))
        texts.append(f"{opened:,} open: at that node or below it")
    if inversions:
        handles.append(
            Line2D([], [], linestyle="none", marker="v", markersize=5, color=theme.line, markerfacecolor=theme.paper)
        )
        texts.append(f"{inversions:,} branch{'es' if inversions > 1 else ''} pointing down (inverted heights)")
    if cut is not None:
        handles.append(Line2D([], [], color=theme.line, linestyle=DASHES[2], linewidth=1.1))
        texts.append("the clusters' boundary" if isinstance(cut, str) else f"cut at {cut:g}")
    return handles, texts


def _colour_bar(ax: Any, strips: Any, axes_layout: AxesLayout, name: str, k: int) -> None:
    """Draw a small colour bar at the lower end of the space reserved for the legend: the k-th, three in a row."""
    low, high = strips.get_clim()
    if not low <= high:
        return
    high, row = ax.get_window_extent().height, k // 3
    foot = 1 - (axes_layout.legend - (6 + BAR * row) * axes_layout.scale) / high
    inside = ax.inset_axes((0.01 + 0.33 * (k % 3), foot, 0.29, 6 * axes_layout.scale / high), zorder=7)
    bar = ax.figure.colorbar(strips, cax=inside, orientation="horizontal")
    bar.ax.tick_params(labelsize=6.5, length=2, pad=1)
    bar.ax.xaxis.set_ticks_position("top")
    bar.outline.set_linewidth(0.4)
    bar.ax.set_gid("colour bar")
    if name:
        bar.ax.set_xlabel(shorten(name, 24), fontsize=6.5, labelpad=1.5, parse_math=False)
