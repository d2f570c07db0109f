"""Drawing the parts of a dendrogram: lines, collapsed subtrees, classes, values, markers at merges, and the cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree.plots.annotations import draw_boxes, means_in_tips
from tripletree.plots.axes import Transform
from tripletree.plots.layout import CollapsedTree, Layout, count_in_tips, find_node_codes, find_open
from tripletree.plots.style import DASHES, DOTTED, MERGE_MARKERS, PALETTE, SHAPES, LeafGroups, class_marker, find_theme

BASE = 0.42  # half the base of a triangle, as part of the tip's width
INVERSIONS = 2_000  # beyond this many, inverted branches are counted in the legend but not marked


def _styles(codes: np.ndarray, line: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return colour (RGBA) and index of dashes for style indices, -1 for leaves without a style."""
    from matplotlib.colors import to_rgba

    colours = np.array([to_rgba(x) for x in (*PALETTE, line)])
    return colours[np.where(codes < 0, len(PALETTE), codes % len(PALETTE))], np.where(codes < 0, 0, codes % len(DASHES))


def draw_lines(
    ax: Any,
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    groups: LeafGroups | None,
    line: Any,
    width: float,
) -> None:
    """Draw the lines of the tree, one collection per dash style. Branches above open nodes are dotted."""
    from matplotlib.collections import LineCollection

    paths = transform.paths(place.lines)
    code = (
        np.full(len(paths), -1)
        if groups is None
        else groups.styles_of(find_node_codes(drawn, groups.codes)[place.owner])
    )
    colours, dashes = _styles(code, line)
    opened = np.flatnonzero(find_open(drawn))  # the first lines are the branches of the nodes
    dashes[opened] = len(DASHES)
    for k, style in enumerate((*DASHES, DOTTED)):
        some = np.flatnonzero(dashes == k)
        if some.size:
            lines = LineCollection(
                [paths[i] for i in some.tolist()],
                colors=colours[some],
                linestyles=[style],
                linewidths=width,
                capstyle="projecting" if k == 0 else "butt",
                zorder=2,
            )
            lines.set_gid("lines")
            ax.add_collection(lines, autolim=False)


def draw_triangles(
    ax: Any,
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    groups: LeafGroups | None,
    line: Any,
    width: float,
) -> None:
    """Draw a triangle for each collapsed subtree, down to its lowest leaf. Several siblings are hatched."""
    from matplotlib.collections import PolyCollection

    tips = drawn.collapsed
    if tips.size == 0:
        return
    code = np.full(tips.size, -1) if groups is None else groups.styles_of(find_node_codes(drawn, groups.codes)[tips])
    colours, dashes = _styles(code, line)
    half, foot = BASE * place.width[tips], place.foot[tips]
    along, up = place.along[tips], np.maximum(place.up[tips], foot)
    sides = np.empty((tips.size, 3, 2, 2))
    sides[:, 0] = np.stack([np.stack([along, up], 1), np.stack([along - half, foot], 1)], 1)
    sides[:, 1] = np.stack([np.stack([along - half, foot], 1), np.stack([along + half, foot], 1)], 1)
    sides[:, 2] = np.stack([np.stack([along + half, foot], 1), np.stack([along, up], 1)], 1)
    paths = transform.paths(sides.reshape(-1, 2, 2))
    outlines = [np.concatenate(paths[3 * k : 3 * k + 3]) for k in range(tips.size)]
    gathered = drawn.node[tips] < 0
    theme = find_theme(ax)
    for k, style in enumerate(DASHES):
        for loose in (False, True):
            some = np.flatnonzero((dashes == k) & (gathered == loose))
            if some.size:
                shapes = PolyCollection(
                    [outlines[i] for i in some.tolist()],
                    facecolors=[theme.tinted(colours[i][:3]) for i in some.tolist()],
                    edgecolors=colours[some],
                    linestyles=[style],
                    linewidths=width,
                    hatch="...." if loose else None,
                    zorder=1.8,
                )
                shapes.set_gid("collapsed")
                ax.add_collection(shapes, autolim=False)


def draw_classes(
    ax: Any, drawn: CollapsedTree, place: Layout, transform: Transform, classes: LeafGroups, size: float
) -> None:
    """Draw a shape at every leaf that has a class and is not inside a collapsed subtree."""
    n = drawn.tree.n_leaves
    tip = drawn.shown[:n]
    leaves = np.flatnonzero((classes.codes >= 0) & (drawn.size[tip] == 1))
    look = classes.style[classes.codes[leaves]] % (len(SHAPES) * len(PALETTE))
    for j in np.unique(look).tolist():
        some = tip[leaves[look == j]]
        x, y = transform.xy(place.along[some], place.up[some])
        ax.plot(x, y, markersize=size, zorder=3, clip_on=False, gid="classes", **class_marker(j, find_theme(ax).paper))


def draw_strips(
    ax: Any,
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    classes: LeafGroups | None,
    values: Any,
    pixel: float,
    gap: float,
    row: float,
    rim: np.ndarray,
) -> Any:
    """Draw class shares of collapsed subtrees, and a strip of coloured values, which is returned (None without values).

    pixel : units of height per point; gap : points between tips and strip; row : points per leaf
    rim : float64[T], the height from which the gap to the strip is measured
    """
    from matplotlib.collections import PolyCollection

    tips = drawn.collapsed
    if classes is not None and tips.size:
        share = count_in_tips(drawn, classes.codes, len(classes.names))[tips] / drawn.size[tips, None]
        stop = np.cumsum(share, axis=1)
        part, which = np.nonzero(share)
        base = 2 * BASE * place.width[tips][part]
        left = place.along[tips][part] - base / 2 + base * (stop - share)[part, which]
        top = place.foot[tips][part] - 1.5 * pixel
        boxes = draw_boxes(transform, left, left + base * share[part, which], top, top - 5 * pixel)
        colours = [PALETTE[classes.style[j] % len(PALETTE)] for j in which.tolist()]
        shapes = PolyCollection(boxes, facecolors=colours, edgecolors=find_theme(ax).paper, linewidths=0.4, zorder=3)
        shapes.set_gid("class shares")
        ax.add_collection(shapes, autolim=False)
    if values is None:
        return None
    some, mean = means_in_tips(values, drawn)
    half, edge = place.width[some] * min(0.46, 6.0 / row), rim[some] - gap * pixel
    strips = PolyCollection(
        draw_boxes(transform, place.along[some] - half, place.along[some] + half, edge, edge - 9 * pixel),
        array=mean,
        cmap="cividis",
        edgecolors="none",
        zorder=3,
    )
    known = values[np.isfinite(values)]
    strips.set_clim(known.min(initial=np.inf), known.max(initial=-np.inf))
    strips.set_gid("values")
    ax.add_collection(strips, autolim=False)
    return strips


def draw_markers(ax: Any, place: Layout, transform: Transform, counts: dict[str, np.ndarray], row: float) -> None:
    """Draw markers at inner nodes, by gid. A marker's width grows with the square root of its count."""
    from matplotlib.transforms import ScaledTranslation

    largest, scales, theme = min(max(1.1 * row, 3.5), 9.0), ax.figure.dpi_scale_trans, find_theme(ax)
    size = {}
    for name, count in counts.items():
        share = np.sqrt(count / max(count.max(), 1))
        size[name] = np.where(count > 0, largest * (0.5 + 0.5 * share) * MERGE_MARKERS[name].size, 0.0)
    for under, over in (("not displayed", "displayed"), ("forced", "displayed"), ("delayed", "displayed")):
        if under in size and over in size:  # enlarge the marker behind the dot, so that its arms or rim show
            both = (size[over] > 0) & (size[under] > 0)
            size[under][both] = np.maximum(size[under], (1.8 if under == "not displayed" else 2.0) * size[over])[both]
    for name, points in size.items():
        some = np.flatnonzero(points)
        if some.size:
            mark = MERGE_MARKERS[name]
            aside = mark.side * (0.75 * largest + 2.5) / 72
            x, y = transform.xy(place.along[some], place.up[some])
            shifted = ax.transData + (
                ScaledTranslation(0.0, -aside, scales)
                if transform.horizontal
                else ScaledTranslation(aside, 0.0, scales)
            )
            ax.scatter(
                x,
                y,
                s=points[some] ** 2,
                zorder=mark.zorder,
                clip_on=False,
                gid=name,
                transform=shifted,
                **theme.style_of(mark),
            )


def draw_inversions(ax: Any, drawn: CollapsedTree, place: Layout, transform: Transform, size: float) -> int:
    """Draw a small hollow wedge on every branch that points down (inverted heights). Return how many."""
    up = place.up
    below = np.flatnonzero(up[drawn.parent[:-1]] < up[:-1])
    if 0 < below.size <= INVERSIONS:
        middle = (up[below] + up[drawn.parent[below]]) / 2
        x, y = transform.xy(place.along[below], middle)
        theme = find_theme(ax)
        look = {"marker": "v", "markerfacecolor": theme.paper, "markeredgecolor": theme.line, "markeredgewidth": 0.9}
        ax.plot(x, y, linestyle="none", markersize=size, zorder=2.5, clip_on=False, gid="inversions", **look)
        return int(below.size)
    return 0


def draw_cut(
    ax: Any, drawn: CollapsedTree, place: Layout, transform: Transform, cut: float | str, groups: LeafGroups | None
) -> None:
    """Draw the cut: a line at its height, or for "clusters" a stepped line just above each cluster."""
    from matplotlib.collections import LineCollection

    if isinstance(cut, str):
        assert groups is not None
        lines = _boundary(drawn, place, find_node_codes(drawn, groups.codes))
    else:
        lines = np.array([[[-0.5, float(cut)], [place.span - 0.5, float(cut)]]])
    line = LineCollection(
        transform.paths(lines),
        colors=find_theme(ax).line,
        linestyles=[(0, (2.5, 2.5))],
        linewidths=1.1,
        zorder=3.5,
        gid="cut",
    )
    ax.add_collection(line, autolim=False)


def _boundary(drawn: CollapsedTree, place: Layout, codes: np.ndarray) -> np.ndarray:
    """Return the segments of the stepped line that separates the clusters from the nodes above them."""
    T, up = drawn.size.size, place.up
    above = drawn.parent
    head = codes >= 0
    head[:T] = True  # a tip that mixes clusters is crossed by the line
    head[:-1] &= ~(codes[above[:-1]] >= 0)
    level = (up + up[above]) / 2
    level[-1] = up[-1] + 0.02 * float(np.ptp(up))
    mixed = np.flatnonzero((codes[:T] < 0) & (drawn.size > 1))
    level[mixed] = (up[mixed] + place.foot[mixed]) / 2
    owner = np.full(above.size, -1)
    owner[head] = np.flatnonzero(head)
    for u in range(above.size - 2, -1, -1):
        if owner[u] < 0 or (owner[above[u]] >= 0):
            owner[u] = owner[above[u]]
    height = level[owner[place.order]]
    stop = np.cumsum(place.width[place.order]) - 0.5
    start = stop - place.width[place.order]
    flat = np.stack([np.stack([start, height], 1), np.stack([stop, height], 1)], 1)
    steps = np.stack([np.stack([stop[:-1], height[:-1]], 1), np.stack([stop[:-1], height[1:]], 1)], 1)
    return np.concatenate([flat, steps[height[:-1] != height[1:]]])
