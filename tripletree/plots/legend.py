"""Legends: their entries, and fitting them into the axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree.plots.style import DASHES, MERGE_MARKERS, PALETTE, LeafGroups, Theme, class_marker, shorten, tile_style

IN_LEGEND = (24, 12, 6, 3, 1)  # how many clusters and classes to list: tried in turn until the legend fits
SOME = 12  # names that are listed where more than the most are left out
HIGHEST = 0.4  # part of the axes' height that a legend may take
FONTS = (8.0, 7.0, 6.0)

Block = tuple[list[Any], list[str]]


def make_legend_blocks(
    clusters: LeafGroups | None,
    classes: LeafGroups | None,
    columns: list[Any],
    counts: dict[str, np.ndarray],
    more: Block,
    most: int,
    theme: Theme,
) -> list[Block]:
    """Handles and texts, a block each for clusters, classes, columns, and markers with `more`, without empty ones.

    Each block of groups begins with what they are.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    blocks = []
    for groups, one, many in ((clusters, "cluster", "clusters"), (classes, "class", "classes")):
        if groups is None or not groups.names:
            continue
        handles: list[Any] = []
        texts = []
        listed = _count_listed(groups.names, most)
        for k in range(listed):
            j = int(groups.style[k])
            if one == "class":
                handles.append(Line2D([], [], markersize=6, **class_marker(j, theme.paper)))
            else:
                colour, dash = PALETTE[j % len(PALETTE)], DASHES[j % len(DASHES)]
                handles.append(Line2D([], [], color=colour, linestyle=dash, linewidth=1.6))
            apart = "" if one == "class" or groups.is_clade[k] else ", not a clade"
            texts.append(f"{shorten(str(groups.names[k]))} ({groups.sizes[k]:,}){apart}")
        if len(groups.names) > listed:
            handles.append(Line2D([], [], linestyle="none"))
            rest = int((~groups.is_clade[listed:]).sum()) if one == "cluster" else 0
            texts.append(f"and {len(groups.names) - listed:,} more {many}" + f", {rest:,} not clades" * bool(rest))
        blocks.append(headed(many, handles, texts))
    for column in columns:
        if column.groups is None or not column.groups.names:
            continue
        names, sizes, style = column.groups.names, column.groups.sizes, column.groups.style
        listed = _count_listed(names, most)
        handles = [Patch(linewidth=0.3, **tile_style(int(j), theme.paper)) for j in style[:listed].tolist()]
        texts = [f"{shorten(str(name))} ({size:,})" for name, size in zip(names[:listed], sizes[:listed], strict=True)]
        if len(names) > listed:
            handles.append(Line2D([], [], linestyle="none"))
            texts.append(f"and {len(names) - listed:,} more")
        blocks.append(headed(shorten(column.name), handles, texts))
    handles, texts = _make_marker_entries(counts, theme)
    handles, texts = handles + more[0], texts + more[1]
    return [*blocks, (handles, texts)] if handles else blocks


def headed(head: str, handles: list[Any], texts: list[str]) -> Block:
    """The entries of a legend, with a first one that says once what they are."""
    from matplotlib.lines import Line2D

    return [Line2D([], [], linestyle="none"), *handles], [f"{head}:", *texts]


def _count_listed(names: list[Any], most: int) -> int:
    """How many of some names a legend lists: all, if there is just one more, too, else a dozen.

    "and 1 more" takes the same room as the one.
    """
    return len(names) if len(names) <= most + 1 else min(most, SOME)


def _make_marker_entries(counts: dict[str, np.ndarray], theme: Theme) -> Block:
    from matplotlib.lines import Line2D

    handles, texts = [], []
    for name, count in counts.items():
        total = int(count.sum())
        if total:
            mark = MERGE_MARKERS[name]
            look = theme.style_of(mark)
            handle = Line2D(
                [], [], linestyle="none", marker=look["marker"], markersize=7, color=theme.line,
                markerfacecolor=look["facecolors"], markeredgecolor=look["edgecolors"],
                markeredgewidth=look["linewidths"],
            )  # fmt: skip
            handles.append(handle)
            texts.append(f"{total:,} {mark.many if total > 1 else mark.one}{mark.after}")
    return handles, texts


def fit_legends(ax: Any, blocks_for: Any, width: float, height: float) -> list[Any]:
    """Add legends one below the other, no wider than the axes and, if possible, no higher than 40 % of them.

    blocks_for : function of the number of clusters and classes to name
    """
    found: list[Any] = []
    for most in IN_LEGEND:
        for legend in found:
            legend.remove()
        found = [_fit_legend(ax, handles, texts, width) for handles, texts in blocks_for(most)]
        if sum(x.get_window_extent().height for x in found) <= HIGHEST * height:
            break
    return found


def _fit_legend(ax: Any, handles: list, texts: list[str], width: float) -> Any:
    """A legend with as many columns as fit, else with a smaller font, else with shortened texts.

    In more than one line the head of the entries stands above them.
    """
    head = ""
    for font in FONTS:
        for columns in range(min(len(handles), 7) if font == FONTS[0] else 1, 0, -1):
            if columns < len(handles) and not head and texts[0].endswith(":"):
                head, handles, texts = texts[0], handles[1:], texts[1:]
            legend = _legend(ax, handles, texts, columns, font, head)
            if legend.get_window_extent().width <= width:
                ax.add_artist(legend)
                return legend
    longest = max(map(len, texts))
    while legend.get_window_extent().width > width and longest > 8:
        longest = max(int(0.85 * longest), 8)
        legend = _legend(ax, handles, [shorten(x, longest) for x in texts], 1, FONTS[-1], shorten(head, longest))
    ax.add_artist(legend)
    return legend


def _legend(ax: Any, handles: list, texts: list[str], columns: int, font: float, head: str) -> Any:
    from matplotlib.legend import Legend

    legend = Legend(
        ax, handles, ["x"] * len(texts), loc="upper left", ncols=columns, fontsize=font, frameon=False,
        borderaxespad=0, borderpad=0.2, handlelength=2.2, columnspacing=1.6,
        title=head or None, title_fontsize=font, alignment="left",
    )  # fmt: skip
    write_texts(legend, texts)
    legend.get_title().set_parse_math(False)
    return legend


def write_texts(legend: Any, texts: list[str]) -> None:
    """Write the texts of a legend as they are: before 3.10 matplotlib leaves out texts that begin with "_"."""
    for text, written in zip(legend.get_texts(), texts, strict=True):
        text.set_text(written)
        text.set_parse_math(False)
