"""How notebooks show the values: a small picture of a hierarchy, a short table of rows.

Untrusted notebooks remove scripts, styles and inline SVG from the output of a cell, but keep tables and images. So the
picture is an image with the SVG in its address, which needs no network.
"""

from __future__ import annotations

import base64
import heapq
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine

HEIGHTS = ("auto", "height", "order", "level")
INVERTED = 0.1  # part of the branches that may point down, above which "auto" shows the order of merging
ROWS = 20  # most rows of a sketch
ROW, LEFT, ACROSS = 18, 10, 260  # pixels: a row, before the root, from the root to the leaves
LETTER = 6.9  # pixels that a letter takes, about
LONGEST = 32  # characters of a label
#: Characters that XML cannot hold, and characters that would turn the text around them.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_STYLE = (
    "svg{background:#fff}path{fill:none;stroke:#4a515c;stroke-width:1.3}.f{fill:#4a515c;fill-opacity:.25}"
    "text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#1b1e23;dominant-baseline:central}.m{fill:#5a6270}"
    "@media(prefers-color-scheme:dark){svg{background:#16181c}path{stroke:#98a1ae}.f{fill:#98a1ae}text{fill:#e8eaee}"
    ".m{fill:#a3abb8}}"
)


def printable(text: str) -> str:
    """Replace characters that XML forbids or that reverse the direction of the text around them."""
    return _UNPRINTABLE.sub("\ufffd", text)


def escaped(value: Any) -> str:
    """Return a value as text of HTML."""
    return html.escape(printable(str(value)))


#: The power of ten from which on heights are drawn in units of it.
_POWER = 290


def drawn_heights(
    parent: np.ndarray, height: np.ndarray | None, n_leaves: int, kind: str = "auto"
) -> tuple[np.ndarray, str]:
    """Return the position of each node on the height axis (float64[N]), and a title of the axis. For all pictures.

    "auto" takes the heights unless they are missing, all equal or one is not finite, and the order of
    merging if more than a tenth of the branches would point down.
    """
    note = ""
    if kind == "height" and height is None:
        msg = (
            "heights='height', but this hierarchy has no heights (not every branch has a length): use 'level' or 'auto'"
        )
        raise ValueError(msg)
    finite = height is not None and bool(np.isfinite(height).all())
    if kind == "height" and not finite:
        msg = "heights='height', but a height of this hierarchy is not finite: use 'level' or 'auto'"
        raise ValueError(msg)
    if height is not None and (kind == "height" or (kind == "auto" and finite and bool((height != height[0]).any()))):
        branches = height.size - 1
        lower = int(np.count_nonzero(height[parent[:-1]] < height[:-1]))
        if kind == "height" or lower <= INVERTED * branches:
            title = "height"
            power = int(np.log10(max(np.abs(height).max(), 1.0)))
            if power > _POWER:  # the span of an axis, and the numbers beside it, must be finite, too
                height, title = height / 10.0**power, f"height / 1e{power}"
            return height, f"{title} ({lower:,} of {branches:,} branches point down)" if lower else title
        kind, note = "order", f" ({lower:,} of {branches:,} heights are inverted)"
    if kind == "order":
        rank = np.arange(parent.size, dtype=np.float64) - (n_leaves - 1)
        return np.maximum(rank, 0.0), f"order of merging{note}"
    if kind in ("level", "auto"):
        return engine.cut.levels(parent).astype(np.float64), "level above the leaves"
    msg = f"heights is {kind!r}; it must be one of {', '.join(map(repr, HEIGHTS))}"
    raise ValueError(msg)


class Drawn(NamedTuple):
    """A tree to draw.

    root : int
    children : function from a node to its children in the order in which they are drawn
    size : int64[N], leaves below each node
    up : float64[N], the height axis
    label : function from a node to its label or name, or None
    """

    root: int
    children: Callable[[int], Sequence[int]]
    size: np.ndarray
    up: np.ndarray
    label: Callable[[int], Any]


def _opened(tree: Drawn) -> dict[int, list[int]]:
    """Return the nodes that are drawn open, with their children: the largest nodes, as long as there is room."""
    found: dict[int, list[int]] = {}
    rows, heap = 1, [(-int(tree.size[tree.root]), tree.root)]
    while heap:
        _, u = heapq.heappop(heap)
        children = list(tree.children(u))
        if u == tree.root and len(children) > ROWS:
            children = children[: ROWS - 1]
        if not children or rows + len(children) - 1 > ROWS or len(found) > 4 * ROWS:
            continue
        found[u] = children
        rows += len(children) - 1
        for v in children:
            heapq.heappush(heap, (-int(tree.size[v]), v))
    return found


def _rows(tree: Drawn, opened: dict[int, list[int]]) -> tuple[list[int], dict[int, float]]:
    """Return the nodes that take a row each, from the top, and the row of every node. Parents are between children."""
    ends, inner, stack = [], [], [tree.root]
    while stack:
        u = stack.pop()
        if u in opened:
            inner.append(u)
            stack.extend(reversed(opened[u]))
        else:
            ends.append(u)
    row: dict[int, float] = {u: float(k) for k, u in enumerate(ends)}
    for u in reversed(inner):
        row[u] = (row[opened[u][0]] + row[opened[u][-1]]) / 2
    return ends, row


def sketch_svg(tree: Drawn, caption: str) -> str:
    """Return a dendrogram of at most 20 rows as SVG, folded clades as wedges with their size. Linear in the leaves."""
    opened = _opened(tree)
    ends, row = _rows(tree, opened)
    shown = np.fromiter(row, np.int64)
    top, low = float(tree.up[shown].max()), float(tree.up[shown].min())
    folded = {u for u in ends if len(tree.children(u))}
    leaf_level = float(tree.up.min()) if folded else low
    span = (top - leaf_level) or 1.0

    def x(up: float) -> float:
        return LEFT + ACROSS * (top - float(up)) / span

    def y(u: int) -> float:
        return ROW * (row[u] + 0.8)

    lines, wedges, texts = [], [], []
    for u, children in opened.items():
        if len(children) > 1:
            lines.append(f"M{x(tree.up[u]):.1f} {y(children[0]):.1f}V{y(children[-1]):.1f}")
        lines.extend(f"M{x(tree.up[u]):.1f} {y(v):.1f}H{x(tree.up[v]):.1f}" for v in children)
    width = 0.0
    for u in ends:
        end, label = x(tree.up[u]), tree.label(u)
        if u in folded:
            tip = x(leaf_level)
            wedges.append(f"M{min(end, tip - 8):.1f} {y(u):.1f}L{tip:.1f} {y(u) - 6:.1f}V{y(u) + 6:.1f}Z")
            end = tip
        text = _short("" if label is None else str(label))
        if u in folded:
            size = f"{int(tree.size[u]):,} lea{'f' if tree.size[u] == 1 else 'ves'}"
            text = f"{text} · {size}" if text else size
        width = max(width, end + 8 + _width(text))
        mark = ' class="m"' if u in folded else ""
        texts.append(f'<text x="{end + 6:.1f}" y="{y(u):.1f}"{mark}>{html.escape(text)}</text>')
    missing = int(tree.size[tree.root]) - int(sum(tree.size[u] for u in ends))
    if missing:
        texts.append(f'<text x="{LEFT}" y="{ROW * (len(ends) + 0.8):.1f}" class="m">and {missing:,} more leaves</text>')
    high, wide = round(ROW * (len(ends) + 0.6 + bool(missing))), round(max(width, 160.0)) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">'
        f"<title>{escaped(caption)}</title><style>{_STYLE}</style>"
        f'<path d="{"".join(lines) or f"M{LEFT - 4} {y(tree.root):.1f}H{LEFT}"}"/>'
        f'<path class="f" d="{"".join(wedges)}"/>{"".join(texts)}</svg>'
    )


def image_html(svg: str, caption: str) -> str:
    """Return a picture with its caption, which is its alternative text, too."""
    text = escaped(caption)
    inside = base64.b64encode(svg.encode()).decode()
    return f'<div>{text}<br><img alt="{text}" src="data:image/svg+xml;base64,{inside}"></div>'


def table_html(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]], more: int) -> str:
    """Return a short table. `more` is the number of rows that are left out."""

    def line(cells: Iterable[Any], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(_short(str(x)))}</{kind}>" for x in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    rest = f'<tr><td colspan="{len(head)}">and {more:,} more</td></tr>' if more else ""
    table = f"<table><thead>{line(head, 'th')}</thead><tbody>{body}{rest}</tbody></table>" if body else ""
    return f'<div class="tex2jax_ignore mathjax_ignore">{escaped(caption)}{table}</div>'


def _short(text: str) -> str:
    """Put a label on one line, without the middle of a long one."""
    text = printable(" ".join(text.split()))
    half = (LONGEST - 1) // 2
    return text if len(text) <= LONGEST else f"{text[:half]}…{text[-half:]}"


def _width(text: str) -> float:
    """Estimate the width of a text in pixels."""
    return sum(2 * LETTER if unicodedata.east_asian_width(ch) in "WF" else LETTER for ch in text)
