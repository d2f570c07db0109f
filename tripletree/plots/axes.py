"""Axes of a dendrogram: transforms, figure size, how many tips and labels fit, limits and ticks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree.plots.layout import Layout
from tripletree.plots.legend import fit_legends
from tripletree.plots.style import find_theme

# Circles: radius of the root as part of the whole, and the gap at the top (for ring labels) as part of the turn.
HOLE, OPEN = 0.06, 0.03
ARC = np.pi / 90  # arcs are drawn as chords of at most this angle


class RectangularTransform(NamedTuple):
    """From (along, up) to x and y with the root at one side. `orientation` is the side of the root."""

    orientation: str

    @property
    def horizontal(self) -> bool:
        """True if heights go along x."""
        return self.orientation in ("left", "right")

    def xy(self, along: Any, up: Any) -> tuple[Any, Any]:
        """Places as x and y."""
        return (up, along) if self.horizontal else (along, up)

    def paths(self, lines: np.ndarray) -> list[np.ndarray]:
        """Return the points of each line."""
        return list(lines[:, :, ::-1] if self.horizontal else lines)


class CircularTransform(NamedTuple):
    """From (along, up) to x and y with the root in the middle and the leaves around it, clockwise from the top.

    top, bottom : greatest and least height
    span : units of the leaf axis
    """

    top: float
    bottom: float
    span: float

    @property
    def horizontal(self) -> bool:
        """False: heights run along neither x nor y."""
        return False

    @property
    def reach(self) -> float:
        """Radius of the lowest leaves."""
        return (1 + HOLE) * ((self.top - self.bottom) or 1.0)

    def angle(self, along: Any) -> Any:
        """Direction of a place on the leaf axis."""
        share = (np.asarray(along, dtype=np.float64) + 0.5) / self.span
        return np.pi / 2 - 2 * np.pi * (OPEN / 2 + (1 - OPEN) * share)

    def radius(self, up: Any) -> Any:
        """Distance of a height from the middle."""
        return self.reach - (np.asarray(up, dtype=np.float64) - self.bottom)

    def xy(self, along: Any, up: Any) -> tuple[Any, Any]:
        """Places as x and y."""
        angle, radius = self.angle(along), self.radius(up)
        return radius * np.cos(angle), radius * np.sin(angle)

    def paths(self, lines: np.ndarray) -> list[np.ndarray]:
        """Return the points of each line. Lines along the leaf axis become arcs."""
        turn = np.abs(np.diff(self.angle(lines[:, :, 0]), axis=1)[:, 0])
        found = []
        for line, steps in zip(lines, np.ceil(turn / ARC).astype(int).clip(1), strict=True):
            part = np.linspace(0.0, 1.0, steps + 1)[:, None]
            points = line[0] + part * (line[1] - line[0])
            found.append(np.stack(self.xy(points[:, 0], points[:, 1]), axis=1))
        return found


Transform = RectangularTransform | CircularTransform

LARGEST_FONT, LEGIBLE, SMALLEST_FONT = 10.0, 6.0, 4.8  # points. Labels shrink down to LEGIBLE before they are cut
WIDE = 0.6  # width of a letter over the size of its font
LEADING = 1.12  # points of leaf axis that a label needs, for each point of its font
SPARSEST = 10  # no labels at all where fewer than one in this many tips would get one
# Inches: a new figure fits a sheet of paper, unless all labels are asked for. With a width, a page of a journal.
LONGEST_SHEET, WIDEST_CIRCLE = 11.0, 8.0
LONGEST_FIGURE, WIDEST_FIGURE = 40.0, 13.0
LONGEST_PAGE = 9.0
LABELLED = 0.0775  # inches of the leaf axis at which a tip has a label in the smallest font
BAR = 30.0  # height of a colour bar with its tick labels and its name, in points
# A new figure draws all leaves up to ALL, else TIPS tips. In given axes subtrees collapse if a leaf would get less than
# CROWDED points of the leaf axis. Then there is one tip per ROOM points.
ALL, TIPS, CROWDED, ROOM = 600, 80, 1.25, 10.0
# Parts of the depth that the tree keeps: with labels, which are shortened, and at the least, with names of clades.
KEPT, KEPT_AROUND, LEAST_AROUND = 0.35, 0.4, 0.25


class AxesLayout(NamedTuple):
    """How the axes are divided between tree, labels and legend.

    row : points per unit of the leaf axis
    depth : pixels from the root to the ends of the labels
    legend : pixels taken by legend and colour bar
    scale : pixels per point
    font : largest font of labels, in points
    """

    row: float
    depth: float
    legend: float
    scale: float
    font: float


def count_tips_that_fit(ax: Any, n: int, kind: str, labels: bool | None, width: float | None) -> int | None:
    """Return the default of `max_leaves`: the number of tips that fit, None for all n leaves."""
    around = kind == "circular"
    if ax is None and width is not None:
        length = 72 * (2 * width if around else width if kind in ("top", "bottom") else LONGEST_PAGE)
        return None if labels is True or length >= 2 * CROWDED * n else max(int(length / ROOM), 8)
    if ax is None:
        return None if labels is True or n <= ALL else TIPS
    box = ax.get_window_extent()
    scale = ax.figure.dpi / 72
    length = {"circular": 2 * min(box.width, box.height), "left": box.height, "right": box.height}.get(kind, box.width)
    return None if labels is True or length / scale >= CROWDED * n else max(int(length / scale / ROOM), 8)


def make_axes(
    plt: Any,
    transform: Transform,
    span: float,
    tips: int,
    labels: bool | None,
    most: int,
    title: bool,
    *,
    longest: int = 0,
    width: float | None = None,
    beside: float = 0.0,
    names: float = 0.0,
) -> Any:
    """Make axes with fixed margins in a new figure, for the tips and their labels, if any: at most a sheet of paper.

    labels : bool, optional
        None: as many as fit. True: all, so that the figure grows beyond a sheet.
    longest : characters of the longest label, which make a circle larger
    width : inches of the whole figure. By default as wide as the picture needs
    beside, names : inches of the height axis that columns, brackets and arcs take. Inches of the names of columns
    """
    each = 0.02 if labels is False else max(0.2 * min(1.0, (50 / span) ** 0.5), LABELLED)
    top = 0.1 + (0.3 if title else 0.0)
    if isinstance(transform, CircularTransform):
        widest = WIDEST_FIGURE if labels else WIDEST_CIRCLE
        room = 0.2 if labels is False else max(1.1, WIDE * LARGEST_FONT * longest / 72)
        whole = 2 * (room + 0.2 + beside) / (1 - KEPT_AROUND)  # the tree keeps its part of the radius
        side = min(max(2 * (span * each / (2 * np.pi) + room + beside), 5.0 + 2 * beside, whole), widest + 2 * beside)
        side = side if width is None else width - 0.2
        inner, (left, right, bottom) = (side, side), (0.1, 0.1, 0.35) if width else (0.15, 0.15, 0.35)
    else:
        limit = LONGEST_PAGE if width is not None else LONGEST_FIGURE if labels else LONGEST_SHEET
        if tips < span:  # collapsed subtrees are few, and each has its label
            limit = max(limit, LABELLED * span) if width is None else limit
        long = min(max(span * each, 4.0 if labels is False else 1.2), limit)
        if find_labelled_tips(tips, 72 * long / span, labels, most).size == 0:
            long = min(max(span * 0.02, 4.0), 10.0)
        across = (7.0 if tips > 12 else 5.5) + beside
        left, right, bottom = (0.35, 0.15, 0.5) if transform.horizontal else (0.85, 0.15, 0.3)
        if width is not None:
            left, right, bottom = (0.25, 0.08, 0.4) if transform.horizontal else (0.5, 0.08, 0.25)
        bottom, left = (max(bottom, names), left) if transform.horizontal else (bottom, max(left, names))
        inner = (across, long) if transform.horizontal else (max(long, 4.0), 0.75 * (across - beside) + beside)
        if width is not None:
            room = width - left - right
            inner = (room, inner[1]) if transform.horizontal else (room, max(min(inner[1], 0.7 * room + beside), 1.6))
    size = (inner[0] + left + right, inner[1] + bottom + top)
    figure = plt.figure(figsize=size)
    return figure.add_axes((left / size[0], bottom / size[1], inner[0] / size[0], inner[1] / size[1]))


def lay_out_axes(
    ax: Any,
    transform: Transform,
    span: float,
    blocks_for: Any,
    own_figure: bool,
    longest: int,
    bars: int,
    font: float = LARGEST_FONT,
) -> AxesLayout:
    """Put the legend at the top of the axes and measure the rest. A figure of our own grows by its height.

    longest : characters of the longest label, for circles; bars : rows of colour bars that stand below the legend
    font : the largest one, in points
    """
    scale = ax.figure.dpi / 72
    box = ax.get_window_extent()
    legends = fit_legends(ax, blocks_for, box.width, np.inf if own_figure else box.height)
    heights = [
        1.04 * legend.get_window_extent().height for legend in legends
    ]  # 4 % more, since text sizes round differently at other resolutions
    strip = sum(heights) + 6 * scale if legends else 0.0
    strip += BAR * bars * scale
    if own_figure:
        _grow(ax, strip)
    box = ax.get_window_extent()
    above = 0.0
    for legend, height in zip(legends, heights, strict=True):
        legend.set_bbox_to_anchor((0, 1 - above / box.height), transform=ax.transAxes)
        above += height
    strip = min(strip, box.height / 2)
    height = box.height - strip
    if isinstance(transform, CircularTransform):
        radius = min(box.width, height) / 2
        layout = AxesLayout(0.0, radius, strip, scale, font)
        return narrow_circle(layout, span, longest, 6.0)
    row, depth = (height / span, box.width) if transform.horizontal else (box.width / span, height)
    return AxesLayout(row / scale, depth, strip, scale, font)


def narrow_circle(layout: AxesLayout, span: float, longest: int, around: float) -> AxesLayout:
    """Return the layout of a circle with labels of `longest` characters and `around` points of other things outside."""
    radius, scale = layout.depth, layout.scale
    room = (1 - KEPT_AROUND) * radius / scale - around
    font = min(layout.font, max(room / (WIDE * max(longest, 1)), LEGIBLE))
    row = 2 * np.pi * (1 - OPEN) * radius / span
    for _ in range(12):  # labels shorten the radius, which shrinks their font, and so on
        size = min(row / scale / LEADING, font)
        left = max(radius - (WIDE * size * longest + around) * scale, LEAST_AROUND * radius)
        row = 2 * np.pi * (1 - OPEN) * left / span
    return layout._replace(row=row / scale, font=font)


def _grow(ax: Any, pixels: float) -> None:
    """Make the figure and its only axes taller by some pixels. Margins stay."""
    figure = ax.figure
    width, height = figure.get_size_inches()
    more = pixels / figure.dpi
    at = ax.get_position()
    figure.set_size_inches(width, height + more)
    total = height + more
    ax.set_position((at.x0, at.y0 * height / total, at.width, (at.height * height + more) / total))


def find_labelled_tips(tips: int, row: float, labels: bool | None, most: int) -> np.ndarray:
    """Return positions of the tips that get a label. `row` is in points per unit of the leaf axis."""
    if labels is True:
        return np.arange(tips)
    every = SPARSEST + 1
    if labels is None and most > 0:
        every = max(int(np.ceil(SMALLEST_FONT * LEADING / row - 1e-9)), -(-tips // most), 1)
    return np.arange(0) if every > SPARSEST else np.arange(0, tips, every)


def set_axes(
    ax: Any, place: Layout, transform: Transform, axes_layout: AxesLayout, extra: np.ndarray, rim: np.ndarray
) -> float:
    """Set limits with room for labels (`extra` pixels beyond each `rim`) and legend. Return pixels per unit of height.

    Labels and other parts outside get up to about two thirds of the depth.
    """
    low, high = float(min(place.up.min(), place.foot.min())), float(place.up.max())
    margin = 7 * axes_layout.scale
    span = high - low or 1.0
    if isinstance(transform, CircularTransform):
        return _set_circular_axes(ax, transform, axes_layout, extra)
    room = np.append(axes_layout.depth - margin - extra, axes_layout.depth - 2 * margin)
    reach = np.append(high - rim, span)
    per_unit = max(float((room[reach > 0] / reach[reach > 0]).min()), KEPT * axes_layout.depth / span)
    root_end = high + margin / per_unit
    leaf_end = root_end - axes_layout.depth / per_unit
    last = place.span - 0.5
    if transform.horizontal:
        ax.set_xlim((root_end, leaf_end) if transform.orientation == "left" else (leaf_end, root_end))
        ax.set_ylim(last, -0.5 - axes_layout.legend / (axes_layout.row * axes_layout.scale))
    else:
        ax.set_xlim(-0.5, last)
        strip = axes_layout.legend / per_unit
        at_top = transform.orientation == "top"
        ax.set_ylim((leaf_end, root_end + strip) if at_top else (root_end, leaf_end - strip))
    return per_unit


def _set_circular_axes(ax: Any, transform: CircularTransform, axes_layout: AxesLayout, extra: np.ndarray) -> float:
    """Limits that center the circle below the legend."""
    reach = np.full(extra.size + 1, transform.reach)  # all labels are written outside the rim
    room = np.append(axes_layout.depth - 3 * axes_layout.scale - extra, axes_layout.depth - 4 * axes_layout.scale)
    per_unit = max(float((room / reach).min()), LEAST_AROUND * axes_layout.depth / transform.reach)
    box = ax.get_window_extent()
    wide, high = box.width / per_unit, box.height / per_unit
    middle = -axes_layout.legend / 2 / per_unit
    ax.set_xlim(-wide / 2, wide / 2)
    ax.set_ylim(-high / 2 - middle, high / 2 - middle)
    ax.set_aspect("equal", adjustable="datalim")
    return per_unit


def set_ticks(ax: Any, place: Layout, transform: Transform, note: str, *, below: bool = False) -> None:
    """Draw ticks and a label on the height axis. The leaf axis gets only the note.

    below : whether the label is centred at the tree alone, as it must be beside names of columns
    """
    from matplotlib.ticker import FixedLocator, MaxNLocator

    low, high = float(min(place.up.min(), place.foot.min())), float(place.up.max())
    whole = not place.unit.startswith("height")
    ticks = np.asarray(
        MaxNLocator(4 if isinstance(transform, CircularTransform) else 6, integer=whole).tick_values(low, high)
    )
    slack = 1e-9 * (high - low)
    inside = ticks[(ticks >= low - slack) & (ticks <= high + slack)] if high > low else ticks[:0]
    if isinstance(transform, CircularTransform):
        _draw_rings(ax, transform, inside, f"{place.unit}{'; ' if note else ''}{note}" if high > low else note)
        return
    horizontal = transform.horizontal
    height_axis, leaf_axis = (ax.xaxis, ax.yaxis) if horizontal else (ax.yaxis, ax.xaxis)
    height_axis.set_major_locator(FixedLocator(inside.tolist()))
    height_axis.set_label_text(place.unit if high > low else "")
    if below:
        first, last = ax.get_xlim() if horizontal else ax.get_ylim()
        middle = ((low + high) / 2 - first) / (last - first)
        height_axis.label.set(**{"x" if horizontal else "y": middle})
    leaf_axis.set_major_locator(FixedLocator([]))
    if note:
        size = min(9.0, float(leaf_axis.label.get_size()))
        leaf_axis.set_label_text(note, color=find_theme(ax, bare=True).faint(0.1), fontsize=size)
    keep = "bottom" if horizontal else "left"
    for side, spine in ax.spines.items():
        spine.set_visible(side == keep and high > low)
    ax.spines[keep].set_bounds(low, high)


def draw_scale_bar(ax: Any, place: Layout, transform: Transform) -> None:
    """Draw a bar of a round length, about a fifth of the tree, in place of the height axis."""
    low, high = float(min(place.up.min(), place.foot.min())), float(place.up.max())
    if high <= low:
        return
    unit = 10.0 ** np.floor(np.log10((high - low) / 5))
    length = unit * max(x for x in (1, 2, 5) if x * unit <= (high - low) / 5 + 1e-12 * unit)
    if not place.unit.startswith("height"):
        length = max(1.0, np.round(length))
    theme = find_theme(ax, bare=True)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if isinstance(transform, CircularTransform):
        for artist in [*ax.texts, *ax.collections]:
            if artist.get_gid() in ("rings", "ring label"):
                artist.remove()
        left, bottom = ax.get_xlim()[0], ax.get_ylim()[0]
        line, at, how = [(left, left + length), (bottom, bottom)], (left + length / 2, bottom), (0, 3)
        style: dict[str, Any] = {"ha": "center", "va": "bottom"}
        ax.set_xlabel("")
    elif transform.horizontal:
        ax.xaxis.set_ticks([])
        ax.set_xlabel("")
        line, at, how = [(high, high - length), (0, 0)], (high - length / 2, 0), (0, -3)
        style = {"ha": "center", "va": "top", "xycoords": ax.get_xaxis_transform()}
    else:
        ax.yaxis.set_ticks([])
        ax.set_ylabel("")
        line, at, how = [(0, 0), (high, high - length)], (0, high - length / 2), (-3, 0)
        style = {"ha": "right", "va": "center", "rotation": 90, "xycoords": ax.get_yaxis_transform()}
    where = {} if "xycoords" not in style else {"transform": style["xycoords"]}
    ax.plot(*line, color=theme.line, linewidth=1.3, clip_on=False, gid="scale bar", solid_capstyle="butt", **where)
    unit_text = "" if place.unit.startswith("height") else f" {place.unit.partition(' ')[0]}"
    ax.annotate(
        f"{length:g}{unit_text}", at, how, textcoords="offset points", fontsize=7, color=theme.line,
        annotation_clip=False, gid="scale bar", **style,
    )  # fmt: skip


def _draw_rings(ax: Any, transform: CircularTransform, ticks: np.ndarray, name: str) -> None:
    """Draw faint rings at the ticks, with their values in the gap at the top."""
    from matplotlib.collections import LineCollection

    ticks = ticks[transform.radius(ticks) > 0.15 * transform.reach]
    theme = find_theme(ax)
    lines = [[[-0.5, tick], [transform.span - 0.5, tick]] for tick in ticks.tolist()]
    if lines:
        rings = LineCollection(
            transform.paths(np.array(lines)),
            colors=[theme.faint(0.7)],
            linewidths=0.6,
            linestyles=[(0, (1, 2))],
            zorder=0.5,
        )
        rings.set_gid("rings")
        ax.add_collection(rings, autolim=False)
    for tick in ticks.tolist():
        ax.text(
            0,
            float(transform.radius(tick)),
            f"{tick:g}",
            ha="center",
            va="center",
            fontsize=6.5,
            color=theme.faint(0.1),
            gid="ring label",
            zorder=6,
            bbox={"facecolor": theme.paper, "edgecolor": "none", "pad": 0.5},
        )
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    if name:
        text = ax.set_xlabel(name, color=find_theme(ax, bare=True).faint(0.1))
        for size in (9.0, 8.0, 7.0, 6.0, 5.0, 4.0):  # the first at which it stays in the figure
            text.set_fontsize(size)
            box = text.get_window_extent()
            if box.x0 >= 0 and box.x1 <= ax.figure.bbox.width:
                break


def make_transform(kind: str, orientation: str, place: Layout) -> Transform:
    """Return the transform for a layout: circular, or rectangular with this orientation."""
    if kind == "circular":
        low = float(min(place.up.min(), place.foot.min()))
        return CircularTransform(float(place.up.max()), low, place.span)
    return RectangularTransform(orientation)
