"""Tanglegrams: two hierarchies face to face, with lines between equal leaves. `untangling` finds their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tripletree.algorithms.compare import TripletComparison, compare_triplets
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.errors import LimitExceededError
from tripletree.plots.bands import band_outline, collapse_in_order, find_band_classes, find_bands, find_majority_class
from tripletree.plots.labels import measure_text
from tripletree.plots.layout import CollapsedTree, Layout, collapse_tree, compute_layout, count_in_tips
from tripletree.plots.legend import headed, write_texts
from tripletree.plots.style import (
    DASHES,
    PALETTE,
    LeafGroups,
    Theme,
    check_width,
    close_on_error,
    encode_groups,
    find_theme,
    import_pyplot,
    largest_font,
    leaf_names,
    percent,
    shorten,
    shorten_all,
    tile_style,
)
from tripletree.plots.untangling import count_crossings, find_reading_order, untangle_orders

if TYPE_CHECKING:
    from matplotlib.axes import Axes


TREE, FONT = 0.25, 9.0  # part of the width that each tree takes, largest font in points


class TreePair(NamedTuple):
    """Two hierarchies over the same leaves, as they are drawn.

    sides, places : the trees with clades collapsed, and their layouts
    partner : int64[T], the tip of the second side that each tip of the first is joined with
    shared : for each side bool[M], whether the clade of a drawn node is also in the other hierarchy
    crossed : the number of crossings
    depth : the part of the width that each tree takes
    font : the largest font of labels, in points
    """

    sides: tuple[CollapsedTree, CollapsedTree]
    places: tuple[Layout, Layout]
    partner: np.ndarray
    shared: tuple[np.ndarray, np.ndarray]
    crossed: int
    depth: float = TREE
    font: float = FONT


def _find_clades(one: Hierarchy, two: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Number the clades of both hierarchies alike: int64[N] for each, -1 for a clade of `two` that `one` cannot have.

    A clade of `two` is a clade of `one` if its leaves are an interval of the depth-first order of `one`, the same as a
    node's.
    """
    start, stop, order = one.leaf_intervals
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    first, last, leaf = two.leaf_intervals
    at = place[leaf]
    padded = np.append(at, at[-1:])
    ends = np.stack([first, last], axis=1).ravel()
    low, high = np.minimum.reduceat(padded, ends)[::2], np.maximum.reduceat(padded, ends)[::2]
    whole = high - low + 1 == last - first
    number = low * (order.size + 1) + high + 1
    return start.astype(np.int64) * (order.size + 1) + stop, np.where(whole, number, -1)


def _find_shared(one: Hierarchy, two: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes have a clade that is also in the other hierarchy: bool[N] for each."""
    first, second = _find_clades(one, two)
    return np.isin(first, second), np.isin(second, first)


def _find_equal(one: Hierarchy, two: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes have a clade that both hierarchies have, with all clades inside it: bool[N] for each."""
    clades = _find_clades(one, two)
    whole = list(_find_shared(one, two))
    for tree, same in zip((one, two), whole, strict=True):
        for u, p in enumerate(tree.parent[:-1].tolist()):
            same[p] &= same[u]
    both = np.intersect1d(clades[0][whole[0]], clades[1][whole[1]])  # no side has a clade inside that the other lacks
    return np.isin(clades[0], both), np.isin(clades[1], both)


def pair_trees(one: Hierarchy, two: Hierarchy, fold: bool, untangle: bool, heights: str) -> TreePair:
    """Collapse clades that are the same in both hierarchies if `fold`, join the tips, order and place them."""
    shared = _find_shared(one, two)
    closed: list[list[int]] = [[], []]
    if fold:
        equal = _find_equal(one, two)
        closed = [(np.flatnonzero(x[one.n_leaves : -1]) + one.n_leaves).tolist() for x in equal]
    sides = (collapse_tree(one, None, closed=closed[0]), collapse_tree(two, None, closed=closed[1]))
    n, T = one.n_leaves, sides[0].size.size
    partner = np.empty(T, np.int64)
    partner[sides[0].shown[:n]] = sides[1].shown[:n]
    if untangle:
        first, second, crossed = untangle_orders(*sides, partner)
    else:
        first, second = find_reading_order(sides[0]), find_reading_order(sides[1])
        crossed = count_crossings(np.argsort(second)[partner[first]])
    places = (compute_layout(sides[0], heights, order=first), compute_layout(sides[1], heights, order=second))
    on_nodes = tuple(has[side.node] for has, side in zip(shared, sides, strict=True))
    return TreePair(sides, places, partner, on_nodes, crossed)


def collapse_pair(pair: TreePair, heights: str, tips: int) -> TreePair:
    """The same pair with at most `tips` tips on each side."""
    both = [
        collapse_in_order(side, place.order, heights, tips) for side, place in zip(pair.sides, pair.places, strict=True)
    ]
    shared = _find_shared(pair.sides[0].tree, pair.sides[1].tree)
    (one, first), (two, second) = both
    on_nodes = (shared[0][one.node] & (one.node >= 0), shared[1][two.node] & (two.node >= 0))
    return pair._replace(sides=(one, two), places=(first, second), shared=on_nodes)


# Above ALL leaves shared clades are collapsed by default. MOST is the limit of a picture.
ALL, MOST = 150, 20_000
# Above LINES lines, bands between TIPS collapsed subtrees are drawn instead.
LINES, TIPS = 200, 60
SMALLEST, SCALE_FONT = 4.5, 7.0
SMALLER, WHOLE = (6.0, 5.5), 4  # fonts that are tried before names are shorter than the first few of SHORTER
ROOM = 0.3  # largest part of the width that labels take on each side
MIDDLE = 0.14  # least part of the width between the labels. Trees give way
WIDTH, FREE = 9.0, 0.2  # inches of a new figure, and part that labels may take on each side before it grows
SHORTER = (44, 36, 30, 27, 24, 21, 18, 16, 14, 12, 10, 7)  # lengths of labels, tried in turn until they fit
PURE = 0.9  # share of a band's leaves in one class from which it has that class's colour
MIXED = "xxxxxx"


@close_on_error
def plot_tanglegram(
    first: Any,
    second: Any,
    *,
    ax: Axes | None = None,
    width: float | str | None = None,
    leaves: Literal["same", "common"] = "same",
    names: tuple[str, str] | None = None,
    classes: Any = None,
    second_names: Any = None,
    collapse: bool | None = None,
    untangle: bool = True,
    heights: str = "auto",
    title: str | None = None,
    color: Any = None,
) -> Axes:
    """Draw two hierarchies face to face, with lines between equal leaves, ordered so that few of them cross.

    Parameters
    ----------
    first, second : Hierarchy or fitted estimator
        The left and the right one.
    ax : matplotlib Axes, optional
        The axes to draw in. By default a new pyplot figure, which the caller closes.
    width : "column", "page" or float, optional
        Width of the new figure, as in `plot_dendrogram`.
    leaves : {"same", "common"}
        "same" raises an error if the leaves differ. "common" draws those that both have.
    names : pair of str, optional
        Titles of the two sides. By default "first" and "second".
    classes : sequence or mapping, optional
        The class of each leaf of `first`, in leaf order or by label. Lines have its colour and dashes. A band has the
        colour of a class that at least 90 % of its leaves share, and is grey and hatched if there is none.
    second_names : sequence or mapping, optional
        Another name of some leaves of `first`, in brackets behind the label, as in `plot_dendrogram`.
    collapse : bool, optional
        True if clades that are in both hierarchies, with all clades below them, become one triangle and one band as
        wide as the triangle. By default above 150 leaves. If more than 200 lines are left, both are drawn with 60 tips,
        and bands as thick as the number of leaves that two tips share replace the lines.
    untangle : bool
        False keeps both in the order of the leaf index, as `plot_dendrogram` does.
    heights : {"auto", "height", "order", "level"}
        As in `plot_dendrogram`. Each has its own scale, drawn below it.
    title : str, optional
        By default the number of crossings, and of triples of leaves on which the two differ. With a title these stand
        below the picture.
    color : matplotlib colour, optional
        Colour of the trees.

    Returns
    -------
    matplotlib Axes
        Trees have the gid "lines" (dashed: branches above a clade that is not in the other hierarchy), collapsed clades
        "collapsed", the lines between leaves "ties", bands "bands", labels "label", scales of heights "scale". The
        legend explains solid and dashed lines.

    Raises
    ------
    LimitExceededError
        If there are more than 20,000 leaves.

    See Also
    --------
    tripletree.compare_triplets : the distance in numbers. plot_dendrogram : one hierarchy in more detail.

    Notes
    -----
    Minimizing crossings is NP-hard. Each side in turn gets the best order given the other (exact for nodes with two
    children, by the mean position of their leaves for more). Up to 1,200 tips, many starts follow, with a fixed seed,
    and turns of single nodes. Trees that can be drawn without a crossing are drawn so. Both trees are scaled to the
    same depth. Lines within a clade that both have are solid, others dashed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from tripletree.core.hierarchy import Hierarchy
    >>> h1 = Hierarchy.from_nested([[("a", "b"), "c"], ("d", "e")])
    >>> h2 = Hierarchy.from_nested([[("e", "d"), "c"], ("b", "a")])
    >>> ax = plot_tanglegram(h1, h2)
    >>> ax.get_title()
    '0 crossings; 4 of 10 triples of leaves differ'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    plt = import_pyplot("plot_tanglegram")
    one, two = check_hierarchy(first), check_hierarchy(second)
    found = compare_triplets(one, two, leaves=leaves)
    if found.n_leaves > MOST:
        msg = f"{found.n_leaves:,} leaves are too many for a tanglegram; restrict both to at most {MOST:,}"
        raise LimitExceededError(msg, size=found.n_leaves, limit=MOST)
    groups = encode_groups(classes, one, "classes", None)
    called = dict(zip(one.leaves, leaf_names(one, second_names), strict=True))
    above, wide = _check_names(names), check_width(width, ax)
    inside = [x for x in one.leaves if x in two.leaves]
    if groups is not None:
        groups = groups._replace(codes=groups.codes[one.leaves.indices(inside)])
    one = one if len(inside) == one.n_leaves else one.restrict(inside)
    two = (two if len(inside) == two.n_leaves else two.restrict(inside)).reindex(one.leaves)
    fold = found.n_leaves > ALL if collapse is None else collapse
    pair = pair_trees(one.suppress_unary(), two.suppress_unary(), fold, untangle, heights)
    many = pair.partner.size > LINES
    if many:
        pair = collapse_pair(pair, heights, TIPS)
    span = pair.places[0].span
    if ax is None:
        high = min(max(0.17 * span if pair.partner.size <= 250 else 0.02 * span, 2.5), 12.0)
        high = high if wide is None else min(high, 9.0)
        figure = plt.figure(figsize=(WIDTH if wide is None else wide, high + 0.5), layout="constrained")
        ax = figure.add_subplot()
        ax.set_axis_off()
        figure.draw_without_rendering()  # fixes the layout, so that the size of the axes is known
        if wide is None:
            _widen(ax, pair, groups, called)
    ax.set_axis_off()
    fonts = (FONT,) if wide is None else (largest_font(wide), *SMALLER)
    for font in fonts:  # in a figure of given width smaller letters come before shortened names
        pair = pair._replace(font=font)
        texts, inner = _fit_labels(ax, pair, groups, called, SHORTER[:WHOLE] if font > fonts[-1] else SHORTER)
        if inner <= ROOM:
            break
    pair = pair._replace(depth=min(TREE, (1 - MIDDLE) / 2 - inner))
    (_draw_flows if many else _draw_ties)(ax, pair, groups, inner)
    for side in (0, 1):
        _draw_tree(ax, pair, side, find_theme(ax).line if color is None else color)
    _write_names(ax, pair, texts)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(span - 0.5, -0.5)
    for side, name in enumerate(above):
        at: dict[str, Any] = {"ha": ("left", "right")[side], "va": "bottom", "transform": ax.transAxes}
        ax.text(side, 1.0, _on_half(ax, name, FONT + 1), fontsize=FONT + 1, parse_math=False, **at)
    described = _describe(pair, found) if wide is None or wide > 5 else _describe(pair, found).replace("; ", "\n")
    font = 11.0 if wide is None else largest_font(wide) + 1
    ax.set_title(described if title is None else title, fontsize=font, pad=16)
    low = max(_draw_scale(ax, pair, side) for side in (0, 1))
    _write_legend(ax, pair, groups, low, None if title is None else described)
    return ax


def _widen(ax: Any, pair: TreePair, groups: LeafGroups | None, called: dict[Any, str]) -> None:
    """Make a new figure wider by what its labels take beyond their part of it."""
    font = _font(ax, pair)
    if font >= SMALLEST:
        texts = [x for side in (0, 1) for x in _make_texts(pair, side, groups, SHORTER[0], called)]
        inches = _label_pixels(ax, texts, font) / ax.figure.dpi
        ax.figure.set_figwidth(WIDTH + 2 * max(inches - FREE * WIDTH, 0.0))
        ax.figure.draw_without_rendering()


def _label_pixels(ax: Any, texts: list[str], font: float) -> float:
    """Pixels that labels take, with the gaps beside them."""
    return measure_text(ax, texts, font) + 13 * float(ax.figure.dpi) / 72


def _check_names(names: Any) -> tuple[str, ...]:
    """Check the titles of the two sides."""
    if names is None:
        return ("first", "second")
    if isinstance(names, str) or not hasattr(names, "__len__") or len(names) != 2:
        msg = f"names must be two, for the left and the right, such as ('before', 'after'); got {names!r:.60}"
        raise ValueError(msg)
    return tuple(str(x) for x in names)


def _on_half(ax: Any, name: str, font: float) -> str:
    """A name shortened to fit half of the width."""
    room, most = 0.47 * float(ax.get_window_extent().width), 80
    while measure_text(ax, [shorten(name, most)], font) > room and most > 5:
        most = max(int(0.9 * most), 5)
    return shorten(name, most)


def _describe(pair: TreePair, found: TripletComparison) -> str:
    """The default title: crossings, and triples that the two hierarchies resolve differently."""
    plural = "" if pair.crossed == 1 else "s"
    return f"{pair.crossed:,} crossing{plural}; {found.distance:,} of {found.total:,} triples of leaves differ"


def _draw_flows(ax: Any, pair: TreePair, groups: LeafGroups | None, inner: float) -> None:
    """Draw the bands between the tips of both sides."""
    from matplotlib.collections import PolyCollection

    found = find_bands(pair.sides, pair.places)
    x = np.linspace(pair.depth + inner, 1 - pair.depth - inner, 24)
    ends = zip(found.left.tolist(), found.right.tolist(), found.size.tolist(), strict=True)
    outlines = [band_outline(x, *end) for end in ends]
    code = np.full(len(outlines), -1) if groups is None else find_band_classes(groups.codes, found, pair.sides, PURE)
    theme = find_theme(ax)
    for k in np.unique(code).tolist():
        look = {"facecolors": [PALETTE[0]]} if groups is None else _band_style(k, theme)
        some = [outlines[i] for i in np.flatnonzero(code == k).tolist()]
        bands = PolyCollection(some, alpha=0.7 if theme.dark else 0.4, linewidths=0, zorder=1, gid="bands", **look)
        ax.add_collection(bands, autolim=False)


def _band_style(code: int, theme: Theme) -> dict[str, Any]:
    """Colour and hatch of a band by its class: grey without a class (-1), grey and hatched if mixed (-2)."""
    if code < 0:
        look = {"facecolors": [theme.faint(0.5)]}
        return look if code == -1 else {**look, "edgecolors": [theme.paper], "hatch": MIXED}
    look = tile_style(code, theme.paper)
    return {"facecolors": [look["facecolor"]], "edgecolors": [theme.paper], "hatch": look["hatch"]}


def _x(pair: TreePair, side: int, up: np.ndarray) -> np.ndarray:
    """Heights as x, both trees scaled to the same depth."""
    place = pair.places[side]
    low, high = float(place.foot.min()), float(place.up.max())
    share = (high - up) / ((high - low) or 1.0)
    return pair.depth * share if side == 0 else 1 - pair.depth * share


def _draw_tree(ax: Any, pair: TreePair, side: int, line: Any) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    drawn, place, shared = pair.sides[side], pair.places[side], pair.shared[side]
    ends = np.stack([_x(pair, side, place.lines[:, :, 1]), place.lines[:, :, 0]], axis=2)
    stems = drawn.parent.size - 1
    alone = ~shared[place.owner] & (np.arange(place.owner.size) < stems)
    width = 1.1 if drawn.size.size <= 250 else 0.5
    for some, style in ((~alone, DASHES[0]), (alone, DASHES[1])):
        if some.any():
            lines = LineCollection(list(ends[some]), colors=[line], linestyles=[style], linewidths=width, zorder=2)
            lines.set_gid("lines")
            ax.add_collection(lines, autolim=False)
    tips = drawn.collapsed
    if tips.size:
        apex, foot = _x(pair, side, place.up[tips]), _x(pair, side, place.foot[tips])
        along, half = place.along[tips], 0.42 * place.width[tips]
        corners = [np.stack([apex, along], 1), np.stack([foot, along - half], 1), np.stack([foot, along + half], 1)]
        inside = find_theme(ax).tinted(line)
        shapes = PolyCollection(
            list(np.stack(corners, axis=1)), facecolors=[inside], edgecolors=[line], linewidths=width, zorder=1.8
        )
        shapes.set_gid("collapsed")
        ax.add_collection(shapes, autolim=False)


def _draw_ties(ax: Any, pair: TreePair, groups: LeafGroups | None, inner: float) -> None:
    """Draw a curve between equal leaves, horizontal at both ends, and a band between equal collapsed clades."""
    from matplotlib.collections import LineCollection, PolyCollection

    T, theme = pair.partner.size, find_theme(ax)
    left, right = pair.depth + inner, 1 - pair.depth - inner
    s = np.linspace(0, 1, 24)
    bend = s * s * (3 - 2 * s)
    x = left + s * (right - left)
    y1, y2 = pair.places[0].along, pair.places[1].along[pair.partner]
    single = pair.sides[0].size == 1
    parent = pair.sides[0].parent
    together = pair.shared[0][parent[:T]] & (parent[:T] != parent.size - 1)
    colours = np.array([PALETTE[0]] * T, dtype=object)
    dash = np.where(together, 0, 1)
    if groups is not None:
        code = find_majority_class(
            count_in_tips(pair.sides[0], groups.codes, len(groups.names)), pair.sides[0].size, PURE
        )
        colours = np.array([theme.shade(c) for c in code.tolist()], dtype=object)
        dash = np.where(code < 0, 0, code % len(DASHES))
    strong = min(max(90 / max(T, 1), 0.2), 0.9)
    for k, style in enumerate(DASHES):
        some = np.flatnonzero((dash == k) & single)
        if some.size:
            curves = [np.stack([x, y1[i] + bend * (y2[i] - y1[i])], 1) for i in some.tolist()]
            ties = LineCollection(
                curves, colors=colours[some].tolist(), linestyles=[style if T <= 250 else "solid"],
                linewidths=1.0 if T <= 250 else 0.6, alpha=strong, zorder=1, gid="ties",
            )  # fmt: skip
            ax.add_collection(ties, autolim=False)
    for i in np.flatnonzero(~single).tolist():
        middle = y1[i] + bend * (y2[i] - y1[i])
        half = 0.42 * pair.places[0].width[i]
        outline = np.concatenate([np.stack([x, middle - half], 1), np.stack([x, middle + half], 1)[::-1]])
        look: dict[str, Any] = {"facecolors": [theme.tinted(colours[i], 0.5)], "edgecolors": ["none"]}
        if groups is not None and code[i] < 0:
            look = _band_style(int(code[i]), theme)
        ax.add_collection(
            PolyCollection([outline], alpha=0.45, linewidths=0, zorder=0.9, gid="bands", **look), autolim=False
        )


def _make_texts(pair: TreePair, side: int, groups: LeafGroups | None, most: int, called: dict[Any, str]) -> list[str]:
    """The labels of one side. For a collapsed tip its number of leaves and the share of its most frequent class."""
    drawn = pair.sides[side]
    leaf = np.empty(drawn.size.size, np.int64)
    leaf[drawn.shown[: drawn.tree.n_leaves]] = np.arange(drawn.tree.n_leaves)
    numbers, kinds = None, [] if groups is None else groups.names
    if groups is not None and groups.names:
        numbers = count_in_tips(drawn, groups.codes, len(groups.names))
    single = np.flatnonzero(drawn.size == 1).tolist()
    label = dict(zip(single, shorten_all([called[drawn.tree.leaves[int(leaf[k])]] for k in single], most), strict=True))
    texts = []
    for k, size in enumerate(drawn.size.tolist()):
        text = label[k] if size == 1 else f"{size:,} leaves"
        if size > 1 and numbers is not None and numbers[k].any():
            best = int(numbers[k].argmax())
            text += f", {percent(int(numbers[k, best]), size)}% {shorten(str(kinds[best]), most // 2)}"
        texts.append(text)
    return texts


def _font(ax: Any, pair: TreePair) -> float:
    """The font size at which labels of neighbouring tips do not overlap, in points."""
    widest = max(float(place.width.max()) if pair.partner.size > LINES else 1.0 for place in pair.places)
    return min(0.85 * widest * _font_room(ax, pair), pair.font)


def _font_room(ax: Any, pair: TreePair) -> float:
    """Points per unit of the leaf axis."""
    return float(ax.get_window_extent().height / pair.places[0].span / ax.figure.dpi * 72)


def _fit_labels(
    ax: Any, pair: TreePair, groups: LeafGroups | None, called: dict[Any, str], lengths: tuple[int, ...]
) -> tuple[list[list[str]], float]:
    """The labels of both sides, shortened until they fit, and the part of the width they take on each side."""
    font = _font(ax, pair)
    if font < SMALLEST:
        return [[], []], 0.0
    width = float(ax.get_window_extent().width)
    for most in lengths:
        texts = [_make_texts(pair, side, groups, most, called) for side in (0, 1)]
        room = _label_pixels(ax, texts[0] + texts[1], font) / width
        if room <= ROOM:
            break
    return texts, room


def _write_names(ax: Any, pair: TreePair, both: list[list[str]]) -> None:
    """Write the labels of both sides if they are legible."""
    font, theme = _font(ax, pair), find_theme(ax)
    if font >= SMALLEST:
        for side in (0, 1):
            place, texts = pair.places[side], both[side]
            fonts = np.minimum(0.85 * place.width * _font_room(ax, pair), font)
            for k, y in enumerate(place.along[: place.order.size].tolist()):
                if fonts[k] < SMALLEST:
                    continue  # too thin a tip for a legible label
                x = float(_x(pair, side, place.foot[k]))
                ax.annotate(
                    texts[k], (x, y), (4 - 8 * side, 0), textcoords="offset points", fontsize=fonts[k],
                    ha=("left", "right")[side], va="center_baseline", parse_math=False, color=theme.line, gid="label",
                )  # fmt: skip


def _draw_scale(ax: Any, pair: TreePair, side: int) -> float:
    """Draw the scale of one side's heights below it, with its unit. Return the points that it takes."""
    from matplotlib.ticker import MaxNLocator
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    place = pair.places[side]
    low, high = float(place.foot.min()), float(place.up.max())
    if high <= low:
        return 0.0
    theme, font = find_theme(ax, bare=True), SCALE_FONT
    whole = not place.unit.startswith("height")
    ticks = np.asarray(MaxNLocator(3, integer=whole).tick_values(low, high))
    ticks = ticks[(ticks >= low - 1e-9 * (high - low)) & (ticks <= high + 1e-9 * (high - low))]
    down = blended_transform_factory(ax.transData, ax.transAxes) + ScaledTranslation(
        0, -4 / 72, ax.figure.dpi_scale_trans
    )
    look: dict[str, Any] = {"transform": down, "clip_on": False, "color": theme.line, "linewidth": 0.8, "gid": "scale"}
    ax.plot(_x(pair, side, np.array([low, high])), [0, 0], **look)
    ax.plot(_x(pair, side, ticks), np.zeros(ticks.size), linestyle="none", marker=3, markersize=3, **look)
    words: dict[str, Any] = {
        "fontsize": font,
        "color": theme.line,
        "va": "top",
        "annotation_clip": False,
        "gid": "scale",
    }
    for tick, x in zip(ticks.tolist(), _x(pair, side, ticks).tolist(), strict=True):
        ax.annotate(f"{tick:g}", (x, 0), (0, -8), xycoords=("data", "axes fraction"), textcoords="offset points",
                    ha="center", **words)  # fmt: skip
    name = place.unit.partition(" (")[0]
    ax.annotate(name, (side, 0), (0, -9 - 1.3 * font), xycoords=("data", "axes fraction"), textcoords="offset points",
                ha=("left", "right")[side], **words)  # fmt: skip
    return 12 + 2.6 * font


def _write_legend(ax: Any, pair: TreePair, groups: LeafGroups | None, low: float, described: str | None) -> None:
    """Write the meaning of dashes and colours `low` points below the trees, and the text that the title replaced."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.transforms import ScaledTranslation

    theme = find_theme(ax, bare=True)
    handles: list[Any] = [Line2D([], [], color=theme.line, linestyle=x, linewidth=1.1) for x in DASHES[:2]]
    names = ["in a clade that both have", "in a clade of one side only"]
    if groups is not None and groups.names:
        some = range(min(len(groups.names), 12))
        marks = [
            Patch(
                **{name.removesuffix("s"): x[0] if name != "hatch" else x for name, x in _band_style(k, theme).items()}
            )
            if pair.partner.size > LINES
            else Line2D([], [], color=PALETTE[k % len(PALETTE)], linestyle=DASHES[k % len(DASHES)])
            for k in some
        ]
        more = headed("classes", marks, [shorten(str(groups.names[k]), 24) for k in some])
        handles, names = handles + more[0], names + more[1]
        mixed = [c for c in ax.collections if c.get_gid() == "bands" and c.get_hatch() == MIXED]
        if mixed:
            handles.append(Patch(facecolor=theme.faint(0.5), edgecolor=theme.paper, hatch=MIXED))
            names.append(f"mixed: less than {100 * PURE:.0f}% of one")
    inches = ax.get_window_extent().width / ax.figure.dpi
    across = min(max(int(inches / (0.5 + 0.075 * max(map(len, names)))), 1), 6)
    down = ax.transAxes + ScaledTranslation(0, -low / 72, ax.figure.dpi_scale_trans)
    at: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "bbox_transform": down, "ncols": across}
    at |= {"frameon": False, "borderaxespad": 0.2, "title": described, "title_fontsize": 8}
    legend = ax.legend(handles, ["x"] * len(names), fontsize=8 if inches > 5 else 7, **at)
    write_texts(legend, names)
