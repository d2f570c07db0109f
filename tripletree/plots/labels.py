"""Labels at the tips of a dendrogram: names of leaves, sizes and classes of collapsed subtrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.hierarchy import Hierarchy
from tripletree.plots.axes import LEADING, AxesLayout, CircularTransform, Transform
from tripletree.plots.layout import CollapsedTree, Layout, count_in_tips
from tripletree.plots.style import PALETTE, LeafGroups, Theme, find_theme, percent, shorten, shorten_all

#: Named clades that the label of a collapsed subtree without a name shows.
_NAMED = 3
#: Characters of the first and the last leaf of one without any name.
_ENDS = 18


def make_tip_labels(drawn: CollapsedTree, classes: LeafGroups | None, names: list[str]) -> tuple[list[str], np.ndarray]:
    """The text of each tip, and its class: the most frequent among its leaves (-1 for none).

    names : what each leaf is called
    """
    tree, T = drawn.tree, drawn.size.size
    code = np.full(T, -1)
    numbers = None
    if classes is not None and classes.names:
        numbers = count_in_tips(drawn, classes.codes, len(classes.names))
        code = np.where(numbers.any(axis=1), numbers.argmax(axis=1), -1)
    leaf = np.empty(T, np.int64)
    leaf[drawn.shown[: tree.n_leaves]] = np.arange(tree.n_leaves)
    texts = []
    place = engine.cut.reading_places(tree.parent, tree.n_leaves) if (drawn.size > 1).any() else leaf
    inside = _names_inside(drawn)
    single = np.flatnonzero(drawn.size == 1).tolist()
    label = dict(zip(single, shorten_all([names[int(leaf[k])] for k in single]), strict=True))
    for k, size in enumerate(drawn.size.tolist()):
        if size == 1:
            texts.append(label[k])
            continue
        name = tree.label(int(drawn.node[k])) if drawn.node[k] >= 0 else None
        text = f"{size:,} leaves" if name is None else f"{shorten(str(name))} ({size:,})"
        if drawn.node[k] < 0:
            text = f"{size:,} leaves of others"
        if inside[k]:
            text += f": {', '.join(shorten(x, 20) for x in inside[k][:_NAMED])}{', ...' if inside[k][_NAMED:] else ''}"
        if numbers is not None and classes is not None and code[k] >= 0:
            text += f", {percent(int(numbers[k, code[k]]), size)}% {shorten(str(classes.names[code[k]]), 20)}"
        elif drawn.node[k] >= 0 and name is None and not inside[k]:
            text += f": {_ends(tree, int(drawn.node[k]), place, names)}"
        texts.append(text)
    return texts, code


def _ends(tree: Hierarchy, node: int, place: np.ndarray, names: list[str]) -> str:
    """The first and the last leaf of a clade, by the places of the leaves."""
    start, stop, order = tree.leaf_intervals
    leaves = order[start[node] : stop[node]]
    ends = (names[int(leaves[at])] for at in (place[leaves].argmin(), place[leaves].argmax()))
    return " to ".join(shorten(x, _ENDS) for x in ends)


def _names_inside(drawn: CollapsedTree) -> list[list[str]]:
    """The largest named clades in each collapsed subtree without a name of its own, the largest first."""
    tree = drawn.tree
    found: list[list[str]] = [[] for _ in range(drawn.size.size)]
    nameless = {
        k
        for k in np.flatnonzero(drawn.size > 1).tolist()
        if drawn.node[k] < 0 or tree.label(int(drawn.node[k])) is None
    }
    if not nameless or tree.names is None:
        return found
    start, stop, _ = tree.leaf_intervals
    inside = [
        (int(start[u]), -int(stop[u]), int(drawn.shown[u]), str(name))
        for u, name in enumerate(tree.names, tree.n_leaves)
        if name is not None and int(drawn.shown[u]) in nameless
    ]
    end, clades = 0, []
    for low, high, k, name in sorted(inside):
        if low >= end:  # not within the last one
            end = -high
            clades.append((low - end, k, name))
    for _, k, name in sorted(clades):
        found[k].append(name)
    return found


def describe_leaves(drawn: CollapsedTree, labelled: int) -> str:
    """A note on the leaf axis where not every leaf has a label. Empty otherwise."""
    n, tips = drawn.tree.n_leaves, drawn.size.size
    if not drawn.is_whole:
        inside, k = int(drawn.size[drawn.size > 1].sum()), drawn.collapsed.size
        some = "" if inside == n else f", {inside:,} of them"
        return f"{n:,} leaves{some} in {k:,} triangle{'s' if k > 1 else ''}"
    if labelled == tips:
        return ""
    words = "1 leaf" if n == 1 else f"{n:,} leaves"
    return f"{words}, 1 in {-(-tips // labelled)} labelled" if labelled else words


def write_labels(
    ax: Any, texts: list[str], codes: np.ndarray, classes: LeafGroups | None, tips: np.ndarray, place: Layout,
    transform: Transform, axes_layout: AxesLayout, away: float, rim: np.ndarray, room: float,
) -> np.ndarray:  # fmt: skip
    """Write the labels of some tips, `away` points beyond `rim`. Return the pixels that each takes there.

    room : pixels that a label takes at most. Longer ones lose their middle
    """
    if tips.size == 0:
        return np.zeros(0)
    along = place.along[tips]
    step = 1.0 if tips.size == 1 else float(np.diff(along).min())
    font = min(step * axes_layout.row / LEADING, axes_layout.font)
    x, y = transform.xy(along, rim[tips])
    written, theme = [], find_theme(ax)
    for k, u in enumerate(tips.tolist()):
        shift, style = label_direction(transform, along[k], away)
        written.append(
            ax.annotate(
                texts[u],
                (x[k], y[k]),
                shift,
                textcoords="offset points",
                fontsize=font,
                color=_colour(theme, int(codes[u]), classes),
                parse_math=False,
                annotation_clip=False,
                **style,
            )  # fmt: skip
        )
    turns = [text.get_rotation() for text in written]
    for text in written:
        text.set_rotation(0)
        _shorten_to(text, room)
    if isinstance(transform, CircularTransform):
        long = np.array([text.get_window_extent().width for text in written])
        for k, text in enumerate(written):
            text.set(**label_direction(transform, along[k], away)[1])
        return long + (away + 2) * axes_layout.scale
    for text, turn in zip(written, turns, strict=True):
        text.set_rotation(turn)
    boxes = [text.get_window_extent() for text in written]
    if not transform.horizontal and max(box.height for box in boxes) < 0.9 * step * axes_layout.row * axes_layout.scale:
        for text in written:  # short enough to be written horizontally side by side
            text.set_rotation(0)
        boxes = [text.get_window_extent() for text in written]
    return (
        np.array([box.width if transform.horizontal else box.height for box in boxes]) + (away + 2) * axes_layout.scale
    )


def longest_shown(texts: list[str]) -> int:
    """Characters that labels around a circle may have: a few that are much longer than the others do not count."""
    lengths = [len(x) for x in texts]
    return min(max(lengths), max(int(1.5 * float(np.percentile(lengths, 80))), 12)) if lengths else 0


def _shorten_to(text: Any, room: float) -> None:
    """Take the middle of a text out until it is no wider than `room` pixels."""
    whole = text.get_text()
    most = len(whole)
    while most > 5 and (wide := float(text.get_window_extent().width)) > room:
        most = max(min(int(most * room / wide), most - 1), 5)
        text.set_text(shorten(whole, most))


def measure_text(ax: Any, texts: list[str], font: float) -> float:
    """Width in pixels of the widest text. Only the 40 with most characters are rendered."""
    probe = ax.text(0, 0, "", fontsize=font, parse_math=False)
    longest = 0.0
    for text in sorted(set(texts), key=len)[-40:]:
        probe.set_text(text)
        longest = max(longest, float(probe.get_window_extent().width))
    probe.remove()
    return longest


def draw_leaders(ax: Any, tips: np.ndarray, place: Layout, transform: Transform, rim: np.ndarray) -> None:
    """Draw faint lines from tips to the rim, where their labels and tiles are."""
    from matplotlib.collections import LineCollection

    some = tips[place.foot[tips] > rim[tips] + 0.02 * (float(place.up.max() - rim.min()) or 1.0)]
    if some.size:
        ends = [np.stack([place.along[some], up], 1) for up in (place.foot[some], rim[some])]
        look: dict[str, Any] = {"colors": [find_theme(ax).faint(0.6)], "linestyles": [(0, (1, 2))]}
        ax.add_collection(
            LineCollection(transform.paths(np.stack(ends, 1)), linewidths=0.6, zorder=0.6, gid="leaders", **look),
            autolim=False,
        )


def _colour(theme: Theme, code: int, classes: LeafGroups | None) -> Any:
    """Colour of a label: the colour of its class with more contrast, since text has thin strokes."""
    if classes is None or code < 0:
        return theme.line
    return theme.strong(PALETTE[classes.style[code] % len(PALETTE)])


def label_direction(transform: Transform, along: float, away: float) -> tuple[tuple[float, float], dict[str, Any]]:
    """The offset of a label from its tip in points, and its rotation and alignment."""
    if isinstance(transform, CircularTransform):
        angle = float(transform.angle(along))
        turn, left = np.degrees(angle), np.cos(angle) < -1e-9
        style = {"rotation": turn + 180 if left else turn, "ha": "right" if left else "left"}
        shift = (away * float(np.cos(angle)), away * float(np.sin(angle)))
        return shift, {**style, "va": "center_baseline", "rotation_mode": "anchor"}
    dx, dy = {"left": (1, 0), "right": (-1, 0), "top": (0, -1), "bottom": (0, 1)}[transform.orientation]
    styles: dict[str, dict[str, Any]] = {
        "left": {"ha": "left", "va": "center_baseline"},
        "right": {"ha": "right", "va": "center_baseline"},
        "top": {"ha": "center", "va": "top", "rotation": 90},
        "bottom": {"ha": "center", "va": "bottom", "rotation": 90},
    }
    return (away * dx, away * dy), styles[transform.orientation]
