"""Tanglegrams: two hierarchies face to face, with lines between equal leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tripletree.distance import TripletComparison, compare_triplets
from tripletree.errors import LimitExceededError
from tripletree.hierarchy import Hierarchy
from tripletree.plots._crossings import crossings, reading_order, untangled
from tripletree.plots._flows import band, flows, gathered, majority
from tripletree.plots._layout import Layout, layout
from tripletree.plots._marks import (
    DASHES,
    LINE,
    PALETTE,
    Groups,
    coded_groups,
    expect_tree,
    pyplot_for,
    shortened,
    tinted,
)
from tripletree.plots._sketch import Sketch, sketch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tanglegram"]

#: Leaves that are told apart, above which clades that both have become one line; and that a picture may have.
ALL, MOST = 150, 20_000
#: Lines, above which they are gathered into bands between so many collapsed subtrees.
LINES, TIPS = 600, 60
TREE, FONT = 0.29, 9.0  # part of the width that each tree takes; the largest font
SMALLEST = 4.5
HATCHES = (None, "////", "....", "\\\\\\\\", "xxxx")


class _Pair(NamedTuple):
    """Both sides, what joins them, and where they differ."""

    sides: tuple[Sketch, Sketch]
    places: tuple[Layout, Layout]
    partner: np.ndarray
    shared: tuple[np.ndarray, np.ndarray]
    crossed: int


def plot_tanglegram(
    first: Any,
    second: Any,
    *,
    ax: Axes | None = None,
    leaves: Literal["same", "common"] = "same",
    names: tuple[str, str] | None = None,
    classes: Any = None,
    collapse: bool | None = None,
    untangle: bool = True,
    heights: str = "auto",
    title: str | None = None,
    color: Any = None,
) -> Axes:
    """Draw two hierarchies face to face, with lines between equal leaves, turned so that few of these cross.

    Parameters
    ----------
    first, second : Hierarchy or fitted estimator
        The one on the left and the one on the right.
    ax : matplotlib Axes, optional
        Where to draw; by default a new pyplot figure, which the caller closes.
    leaves : {"same", "common"}
        What to do where the leaves are not the same: refuse, or draw those that both have.
    names : pair of str, optional
        Written above the two.
    classes : sequence or mapping, optional
        The class of each leaf of `first`, in leaf order or by label: lines have its colour and dashes.
    collapse : bool, optional
        Whether clades that both hierarchies have, with all clades below, become one triangle and one band each, as
        wide as the triangle. By default above 150 leaves. If over 600 lines are left, both are drawn with 60 tips, and
        the lines are gathered into bands, as thick as two tips have leaves in common.
    untangle : bool
        False leaves both in the order they were read in.
    heights : {"auto", "height", "order", "level"}
        As in `plot_dendrogram`; each has its own scale.
    title : str, optional
        By default the number of crossings, and of the triples of leaves on which the two differ.
    color : matplotlib colour, optional
        Of the trees.

    Returns
    -------
    matplotlib Axes
        Trees have the gid "lines" (with dashes: branches above a clade that the other one has not), collapsed clades
        "collapsed", the lines between leaves "ties", bands "bands", labels "label".

    Raises
    ------
    UnknownLeafError, InvalidHierarchyError
        As in `compare_triplets`.
    LimitExceededError
        If there are over 20,000 leaves.
    TypeError, ValueError
        If an argument is none of those listed.
    MissingDependencyError
        If matplotlib is not installed.

    See Also
    --------
    tripletree.distance.compare_triplets : the numbers. plot_dendrogram : one hierarchy, with more on it.

    Notes
    -----
    The fewest crossings are hard to find. Each side in turn gets the best order for that of the other (exact where
    nodes have two children, by the mean place of their leaves where they have more), until nothing is gained, from two
    starts. Heights are scaled to one depth on both sides. A tie within a clade that both have is solid, others are
    dashed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> h1 = Hierarchy.from_nested([[("a", "b"), "c"], ("d", "e")])
    >>> h2 = Hierarchy.from_nested([[("e", "d"), "c"], ("b", "a")])
    >>> ax = plot_tanglegram(h1, h2)
    >>> ax.get_title()
    '0 crossings; 4 of 10 triples of leaves differ'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    plt = pyplot_for("plot_tanglegram")
    one, two = expect_tree(first), expect_tree(second)
    found = compare_triplets(one, two, leaves=leaves)
    if found.n_leaves > MOST:
        msg = f"{found.n_leaves:,} leaves are too many for a tanglegram; restrict both to at most {MOST:,}"
        raise LimitExceededError(msg, size=found.n_leaves, limit=MOST)
    groups = coded_groups(classes, one, "classes", None)
    inside = [x for x in one.leaves if x in two.leaves]
    if groups is not None:
        groups = groups._replace(codes=groups.codes[one.leaves.indices(inside)])
    one = one if len(inside) == one.n_leaves else one.restrict(inside)
    two = (two if len(inside) == two.n_leaves else two.restrict(inside)).reindex(one.leaves)
    fold = found.n_leaves > ALL if collapse is None else collapse
    pair = _paired(one.suppress_unary(), two.suppress_unary(), fold, untangle, heights)
    many = pair.partner.size > LINES
    if many:
        pair = _gathered(pair, heights)
    span = pair.places[0].span
    if ax is None:
        high = min(max(0.17 * span if pair.partner.size <= 250 else 0.02 * span, 2.5), 12.0)
        ax = plt.figure(figsize=(9.0, high + 0.5), layout="constrained").add_subplot()
    (_draw_flows if many else _draw_ties)(ax, pair, groups)
    for side in (0, 1):
        _draw_tree(ax, pair, side, LINE if color is None else color)
    _write_names(ax, pair, groups)
    ax.set_axis_off()
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(span - 0.5, -0.5)
    for side, name in enumerate(names or ()):
        ax.text(side, 1.0, name, ha=("left", "right")[side], va="bottom", transform=ax.transAxes, fontsize=FONT + 1)
    ax.set_title(_said(pair, found) if title is None else title, fontsize=11, pad=16 if names else 6)
    return ax


def _said(pair: _Pair, found: TripletComparison) -> str:
    """Crossings, and the triples on which the two hierarchies differ."""
    plural = "" if pair.crossed == 1 else "s"
    return f"{pair.crossed:,} crossing{plural}; {found.distance:,} of {found.total:,} triples of leaves differ"


def _shared(one: Hierarchy, two: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes have clades that the other hierarchy has, too: bool[N] for each of the two."""
    start, stop, order = one.leaf_intervals
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    first, last, leaf = two.leaf_intervals
    at = place[leaf]
    size = last - first
    padded = np.append(at, at[-1:])
    ends = np.stack([first, last], axis=1).ravel()
    low, high = np.minimum.reduceat(padded, ends)[::2], np.maximum.reduceat(padded, ends)[::2]
    whole = high - low + 1 == size
    key_one = start.astype(np.int64) * (order.size + 1) + stop
    key_two = low * (order.size + 1) + high + 1
    in_one = np.isin(key_one, key_two[whole])
    in_two = whole & np.isin(key_two, key_one)
    return in_one, in_two


def _paired(one: Hierarchy, two: Hierarchy, fold: bool, untangle: bool, heights: str) -> _Pair:
    """Both hierarchies as they are drawn, their tips joined and ordered."""
    shared = _shared(one, two)
    trees = (one, two)
    if fold:  # a clade is folded where both have it, and all clades inside it as well
        closed = []
        for tree, has in zip(trees, shared, strict=True):
            same = has.copy()
            for u, p in enumerate(tree.parent[:-1].tolist()):
                same[p] &= same[u]
            closed.append(np.flatnonzero(same[tree.n_leaves : -1]) + tree.n_leaves)
        sides = (sketch(one, None, closed=closed[0].tolist()), sketch(two, None, closed=closed[1].tolist()))
    else:
        sides = (sketch(one, None), sketch(two, None))
    n, T = one.n_leaves, sides[0].size.size
    partner = np.empty(T, np.int64)
    partner[sides[0].shown[:n]] = sides[1].shown[:n]
    if untangle:
        first, second, crossed = untangled(*sides, partner)
    else:
        first, second = reading_order(sides[0]), reading_order(sides[1])
        crossed = crossings(np.argsort(second)[partner[first]])
    places = (layout(sides[0], heights, order=first), layout(sides[1], heights, order=second))
    on_nodes = tuple(has[side.node] for has, side in zip(shared, sides, strict=True))
    return _Pair(sides, places, partner, on_nodes, crossed)


def _gathered(pair: _Pair, heights: str) -> _Pair:
    """The same with few tips."""
    both = [gathered(side, place.order, heights, TIPS) for side, place in zip(pair.sides, pair.places, strict=True)]
    shared = _shared(pair.sides[0].tree, pair.sides[1].tree)
    (one, first), (two, second) = both
    on_nodes = (shared[0][one.node] & (one.node >= 0), shared[1][two.node] & (two.node >= 0))
    return pair._replace(sides=(one, two), places=(first, second), shared=on_nodes)


def _draw_flows(ax: Any, pair: _Pair, groups: Groups | None) -> None:
    """Bands between the tips of both sides."""
    from matplotlib.collections import PolyCollection

    found = flows(pair.sides, pair.places)
    inner = _room(ax, pair)
    x = np.linspace(TREE + inner, 1 - TREE - inner, 24)
    ends = zip(found.left.tolist(), found.right.tolist(), found.size.tolist(), strict=True)
    outlines = [band(x, *end) for end in ends]
    code = np.full(len(outlines), -1) if groups is None else majority(groups.codes, found, pair.sides)
    for k in np.unique(code).tolist():
        look = {"facecolors": [PALETTE[0] if groups is None else LINE]} if k < 0 else _band_look(k)
        some = [outlines[i] for i in np.flatnonzero(code == k).tolist()]
        ax.add_collection(PolyCollection(some, alpha=0.4, linewidths=0, zorder=1, gid="bands", **look), autolim=False)


def _band_look(code: int) -> dict[str, Any]:
    """Colour and hatch of a band of a class."""
    hatch = HATCHES[code % len(HATCHES)]
    return {"facecolors": [PALETTE[code % len(PALETTE)]], "edgecolors": ["white"], "hatch": hatch}


def _x(pair: _Pair, side: int, up: np.ndarray) -> np.ndarray:
    """Heights as x: both trees are equally deep."""
    place = pair.places[side]
    low, high = float(place.foot.min()), float(place.up.max())
    share = (high - up) / ((high - low) or 1.0)
    return TREE * share if side == 0 else 1 - TREE * share


def _draw_tree(ax: Any, pair: _Pair, side: int, line: Any) -> None:
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
        shapes = PolyCollection(
            list(np.stack(corners, axis=1)), facecolors=[tinted(line)], edgecolors=[line], linewidths=width, zorder=1.8
        )
        shapes.set_gid("collapsed")
        ax.add_collection(shapes, autolim=False)


def _draw_ties(ax: Any, pair: _Pair, groups: Groups | None) -> None:
    """Lines between equal leaves: bent, so that each leaves and arrives level; bands where whole clades are equal."""
    from matplotlib.collections import LineCollection, PolyCollection

    T = pair.partner.size
    inner = 0.0 if T > 250 else _room(ax, pair)
    left, right = TREE + inner, 1 - TREE - inner
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
        tip = pair.sides[0].shown[: groups.codes.size]
        code = np.full(T, -1)
        code[tip] = groups.codes
        colours = np.array([LINE if c < 0 else PALETTE[c % len(PALETTE)] for c in code.tolist()], dtype=object)
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
        band = PolyCollection(
            [outline], facecolors=[tinted(colours[i], 0.5)], edgecolors=["none"], alpha=0.45, zorder=0.9, gid="bands"
        )
        ax.add_collection(band, autolim=False)


def _texts(pair: _Pair, side: int = 0) -> list[str]:
    """What the tips of one side are called."""
    drawn = pair.sides[side]
    leaf = np.empty(drawn.size.size, np.int64)
    leaf[drawn.shown[: drawn.tree.n_leaves]] = np.arange(drawn.tree.n_leaves)
    return [
        shortened(str(drawn.tree.leaves[int(leaf[k])]), 24) if size == 1 else f"{size:,} leaves"
        for k, size in enumerate(drawn.size.tolist())
    ]


def _font(ax: Any, pair: _Pair) -> float:
    """The font that fits beside each other, in points."""
    widest = max(float(place.width.max()) if pair.partner.size > LINES else 1.0 for place in pair.places)
    return min(0.85 * widest * _font_room(ax, pair), FONT)


def _font_room(ax: Any, pair: _Pair) -> float:
    """Points a unit of leaf axis."""
    return float(ax.get_window_extent().height / pair.places[0].span / ax.figure.dpi * 72)


def _room(ax: Any, pair: _Pair) -> float:
    """The part of the width that labels take on each side."""
    font = _font(ax, pair)
    if font < SMALLEST:
        return 0.0
    width = ax.get_window_extent().width / ax.figure.dpi * 72
    return min((0.55 * font * max(map(len, _texts(pair))) + 8) / width, 0.14)


def _write_names(ax: Any, pair: _Pair, groups: Groups | None) -> None:
    """Labels on both sides, where they can be read."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    font = _font(ax, pair)
    if font >= SMALLEST:
        for side in (0, 1):
            place, texts = pair.places[side], _texts(pair, side)
            fonts = np.minimum(0.85 * place.width * _font_room(ax, pair), font)
            for k, y in enumerate(place.along[: place.order.size].tolist()):
                if fonts[k] < SMALLEST:
                    continue  # a thin tip of a gathered side
                x = float(_x(pair, side, place.foot[k]))
                ax.annotate(
                    texts[k], (x, y), (4 - 8 * side, 0), textcoords="offset points", fontsize=fonts[k],
                    ha=("left", "right")[side], va="center_baseline", parse_math=False, color=LINE, gid="label",
                )  # fmt: skip
    if groups is not None and groups.names:
        some = range(min(len(groups.names), 12))
        handles: list[Any] = [
            Patch(**{name.removesuffix("s"): x[0] if name != "hatch" else x for name, x in _band_look(k).items()})
            if pair.partner.size > LINES
            else Line2D([], [], color=PALETTE[k % len(PALETTE)], linestyle=DASHES[k % len(DASHES)])
            for k in some
        ]
        names = [shortened(str(groups.names[k])) for k in some]
        ax.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=6, fontsize=8, frameon=False)
