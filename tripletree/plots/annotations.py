"""The parts around a dendrogram: columns of tiles beside the leaves, named clades, arcs of pairs, labels of nodes.

From the tips outwards: the tiles of each column, the labels of leaves, the brackets of clades, the arcs. All of these
are measured in points before the tree gets the space that is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InvalidLabelsError
from tripletree.plots.axes import AxesLayout, CircularTransform, Transform
from tripletree.plots.labels import label_direction, measure_text
from tripletree.plots.layout import CollapsedTree, Layout, count_in_tips
from tripletree.plots.style import (
    PALETTE,
    LeafGroups,
    check_leaf_values,
    encode_groups,
    find_theme,
    shorten,
    tile_style,
)

COLUMN, TILE = 11.0, 9.0  # points from one column of tiles to the next, and the width of a tile
COLUMN_NAME = 30  # most characters of the name of a column
ARCS = 56.0  # points that arcs take at most
BRACKET = 5.0  # points from labels to brackets, and from brackets to their names
CLADE_FONT = 8.0  # the largest
#: One colour map for each column of numbers. Single-hued ones follow cividis, so that columns are told apart. Their
#: pale ends, which paper swallows, are left out.
MAPS = ("cividis", "Purples", "Greens", "Oranges", "Greys")
PALE = 0.22
NODE_LABELS = ("names", "numbers", "sizes", "support")
NODE_FONT = 6.0


class LeafColumn(NamedTuple):
    """A column of tiles: `groups` for categories, else `values`, float64[n]. One of the two is None."""

    name: str
    groups: LeafGroups | None
    values: np.ndarray | None


class Clade(NamedTuple):
    """A clade to be named: its node in the hierarchy, the leaves below it that are meant, the index of its colour.

    A group that is not a clade has the smallest clade around it, and its name says how many other leaves are in there.
    """

    name: str
    node: int
    leaves: np.ndarray
    style: int


# ---------------------------------------------------------------------- checks


def check_columns(annotations: Any, tree: Hierarchy, first_style: int) -> list[LeafColumn]:
    """Check `annotations`: a DataFrame, or a mapping of names to values as `classes` or `values` take them.

    first_style : the first style index that no cluster or class has
    """
    if annotations is None:
        return []
    if hasattr(annotations, "columns") and hasattr(annotations, "iloc"):
        index = list(annotations.index)
        at = index if len(set(index)) == len(index) and all(x in tree.leaves for x in index) else None
        table = {name: annotations.iloc[:, k].tolist() for k, name in enumerate(annotations.columns)}
        given = {name: x if at is None else dict(zip(at, x, strict=True)) for name, x in table.items()}
        words = {name for k, name in enumerate(annotations.columns) if annotations.dtypes.iloc[k].name == "category"}
    elif isinstance(annotations, Mapping):
        given, words = dict(annotations), set()
    else:
        msg = (
            "annotations must be a DataFrame with the leaves as its index, or a mapping of column names to one entry "
            f"for each leaf, got {type(annotations).__name__}"
        )
        raise TypeError(msg)
    found = []
    for name, column in given.items():
        what = f"annotations[{name!r}]"
        if isinstance(column, str) or not isinstance(column, Iterable):
            msg = f"{what} must have one entry for each of the {tree.n_leaves} leaves, got {column!r:.60}"
            raise InvalidLabelsError(msg)
        entries = column if isinstance(column, Mapping) or hasattr(column, "index") else list(column)
        if name not in words and _is_numeric(entries):
            found.append(LeafColumn(str(name), None, check_leaf_values(entries, tree)))
            continue
        groups = encode_groups(entries, tree, what, None)
        assert groups is not None
        found.append(LeafColumn(str(name), groups._replace(style=groups.style + first_style), None))
        first_style += len(groups.names)
    return found


def _is_numeric(column: Any) -> bool:
    """Tell whether every entry that is not missing is a number, and there is one."""
    entries = column.values() if isinstance(column, Mapping) else getattr(column, "tolist", lambda: column)()
    known = [x for x in entries if x is not None and x == x]
    return bool(known) and all(isinstance(x, Real) and not isinstance(x, (bool, np.bool_)) for x in known)


def check_clades(clades: Any, tree: Hierarchy, first_style: int) -> list[Clade]:
    """Check `clades`: names of inner nodes, or a mapping of texts to nodes, names of nodes or lists of leaves."""
    if clades is None:
        return []
    if isinstance(clades, str) or not isinstance(clades, Iterable):
        msg = f"clades must be names of inner nodes, or a mapping of texts to clades, got {clades!r:.60}"
        raise TypeError(msg)
    named = {} if tree.names is None else {x: tree.n_leaves + k for k, x in enumerate(tree.names) if x is not None}
    given = dict(clades) if isinstance(clades, Mapping) else {str(x): x for x in clades}
    start, stop, order = tree.leaf_intervals
    found = []
    for k, (text, clade) in enumerate(given.items()):
        name, meant = str(text), None
        if isinstance(clade, str) or (isinstance(clade, (int, np.integer)) and not isinstance(clade, bool)):
            node = named.get(clade, clade) if isinstance(clade, str) else int(clade)
            if isinstance(node, str) or not 0 <= node < tree.n_nodes:
                where = "; name it by a list of its leaves" if not named else ""
                msg = f"clades has {clade!r}, which is neither the name of an inner node nor a node number{where}"
                raise ValueError(msg)
        elif isinstance(clade, Iterable):
            leaves = list(clade)
            if not leaves:
                msg = f"clades[{text!r}] is empty; give the leaves of the clade"
                raise ValueError(msg)
            node = tree.common_ancestor(leaves)
            meant = np.unique(tree.leaves.indices(leaves, what=f"leaves of clades[{text!r}]"))
            others = int(stop[node] - start[node]) - meant.size
            if others:
                name += f" (not a clade: {others:,} other{'s' * (others > 1)})"
        else:
            msg = f"clades[{text!r}] must be a node, its name or a list of leaves, got {clade!r:.60}"
            raise TypeError(msg)
        node = int(node)
        below = order[start[node] : stop[node]]
        found.append(Clade(name, node, below if meant is None else meant, first_style + k))
    return found


def check_node_labels(node_labels: Any, hierarchy: Any, tree: Hierarchy) -> dict[int, str]:
    """Check `node_labels`, and return the text of each inner node that has one.

    `hierarchy` is the tree, or the estimator that it comes from.
    """
    n, m = tree.n_leaves, tree.n_nodes - tree.n_leaves
    if node_labels is None:
        return {}
    if isinstance(node_labels, str) and node_labels == "support":
        node_labels = _support_of(hierarchy)
    if isinstance(node_labels, str):
        if node_labels not in NODE_LABELS:
            msg = (
                f"node_labels is {node_labels!r}; it must be one of {', '.join(map(repr, NODE_LABELS))}, or one a node"
            )
            raise ValueError(msg)
        if node_labels == "numbers":
            return {u: str(u) for u in range(n, tree.n_nodes)}
        if node_labels == "sizes":
            start, stop, _ = tree.leaf_intervals
            return {u: f"{stop[u] - start[u]:,}" for u in range(n, tree.n_nodes)}
        names = tree.names or ()
        return {n + k: shorten(str(x), 24) for k, x in enumerate(names) if x is not None}
    if isinstance(node_labels, Mapping):
        named = {} if tree.names is None else {x: n + k for k, x in enumerate(tree.names) if x is not None}
        found = {}
        for key, value in node_labels.items():
            u = named.get(key, key) if isinstance(key, str) else key
            if isinstance(u, (str, bool)) or not isinstance(u, (int, np.integer)) or not n <= int(u) < tree.n_nodes:
                msg = f"node_labels has {key!r}; inner nodes are {n}..{tree.root}" + (
                    ", or their names" if named else ""
                )
                raise ValueError(msg)
            found[int(u)] = value
    else:
        entries = list(node_labels)
        if len(entries) != m:
            msg = f"node_labels has {len(entries)} entries; give one for each of the {m} inner nodes {n}..{tree.root}"
            raise InvalidLabelsError(msg)
        found = {n + k: x for k, x in enumerate(entries)}
    return {u: _node_text(x) for u, x in found.items() if x is not None and x == x}


def _support_of(hierarchy: Any) -> np.ndarray:
    """`clade_support_` of an estimator, with two digits."""
    sure = getattr(hierarchy, "clade_support_", None)
    if sure is None:
        kind = type(hierarchy).__name__
        why = "clade_support_ is None, as no trees were sampled" if hasattr(hierarchy, "clade_support_") else "has none"
        msg = (
            f"node_labels is 'support', but the {kind} {why}; give a fitted DivisiveReCon that sampled trees, or the "
            "numbers themselves, one for each inner node"
        )
        raise ValueError(msg)
    return np.round(sure, 2)


def _node_text(value: Any) -> str:
    """Return numbers with at most three digits, everything else as it is."""
    if isinstance(value, (Real, np.generic)) and not isinstance(value, (str, bool, np.bool_)):
        return f"{float(value):.3g}" if abs(float(value)) < 1000 else f"{float(value):,.0f}"
    return shorten(str(value), 24)


# ---------------------------------------------------------------------- columns


def draw_boxes(transform: Transform, left: Any, right: Any, top: Any, bottom: Any) -> list[np.ndarray]:
    """Return the outlines of boxes, given by their places along the leaf axis and their heights."""
    left, right, top, bottom = (np.asarray(x, dtype=np.float64) for x in (left, right, top, bottom))
    sides = np.empty((left.size, 2, 2, 2))
    sides[:, 0, 0], sides[:, 0, 1] = np.stack([left, top], 1), np.stack([right, top], 1)
    sides[:, 1, 0], sides[:, 1, 1] = np.stack([right, bottom], 1), np.stack([left, bottom], 1)
    paths = transform.paths(sides.reshape(-1, 2, 2))
    return [np.concatenate(paths[2 * k : 2 * k + 2]) for k in range(left.size)]


def means_in_tips(values: np.ndarray, drawn: CollapsedTree) -> tuple[np.ndarray, np.ndarray]:
    """Return the tips with a finite value at some leaf, and the mean of their finite values."""
    known = np.isfinite(values)
    tip = drawn.shown[: drawn.tree.n_leaves][known]
    number = np.bincount(tip, minlength=drawn.size.size)
    some = np.flatnonzero(number)
    return some, np.bincount(tip, values[known], minlength=drawn.size.size)[some] / number[some]


def draw_columns(
    ax: Any,
    columns: list[LeafColumn],
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    pixel: float,
    gap: float,
    rim: float,
    aside: float,
) -> list[tuple[str, Any]]:
    """Draw the tiles, the first column next to the tips. Return the name and artist of each column of numbers.

    pixel : units of height per point; gap : points from `rim`, the height of the lowest tip, to the first column
    aside : points from the tiles to the names of columns, beyond the ticks of the height axis
    """
    found: list[tuple[str, Any]] = []
    for k, column in enumerate(columns):
        top = rim - (gap + k * COLUMN) * pixel
        bottom = top - TILE * pixel
        if column.groups is not None:
            _draw_categories(ax, column.groups, drawn, place, transform, top, bottom)
        else:
            assert column.values is not None
            cmap = number_map(len(found))
            found.append((column.name, _draw_numbers(ax, column.values, cmap, drawn, place, transform, top, bottom)))
        if not isinstance(transform, CircularTransform):
            last = transform.horizontal
            at = transform.xy(place.span - 0.5 if last else -0.5, (top + bottom) / 2)
            how: dict[str, Any] = (
                {"rotation": 90, "ha": "center", "va": "top"} if last else {"ha": "right", "va": "center"}
            )
            ax.annotate(
                shorten(column.name, COLUMN_NAME), at, (0, -aside) if last else (-aside, 0), textcoords="offset points",
                fontsize=6.5, parse_math=False, annotation_clip=False, gid="column name",
                color=find_theme(ax, bare=True).line, **how,
            )  # fmt: skip
    return found


def _draw_categories(
    ax: Any, groups: LeafGroups, drawn: CollapsedTree, place: Layout, transform: Transform, top: float, bottom: float
) -> None:
    """Draw a tile for each tip. The tile of a collapsed subtree is divided by the shares of its categories."""
    from matplotlib.collections import PolyCollection

    share = count_in_tips(drawn, groups.codes, len(groups.names)) / drawn.size[:, None]
    stop = np.cumsum(share, axis=1)
    tip, which = np.nonzero(share)
    width = place.width[tip]
    left = place.along[tip] - width / 2 + width * (stop - share)[tip, which]
    right, theme = left + width * share[tip, which], find_theme(ax)
    for code in np.unique(which).tolist():
        some = which == code
        boxes = draw_boxes(transform, left[some], right[some], np.full(some.sum(), top), np.full(some.sum(), bottom))
        look = tile_style(int(groups.style[code]), theme.paper)
        ax.add_collection(PolyCollection(boxes, linewidths=0.3, zorder=3, gid="annotations", **look), autolim=False)


def number_map(k: int) -> Any:
    """Return the colour map of the k-th column of numbers."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    name = MAPS[k % len(MAPS)]
    return ListedColormap(colormaps[name](np.linspace(0.0 if k % len(MAPS) == 0 else PALE, 1.0, 256)))


def _draw_numbers(
    ax: Any,
    values: np.ndarray,
    cmap: Any,
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    top: float,
    bottom: float,
) -> Any:
    """Draw a tile in the colour of each tip's number, the mean for a collapsed subtree."""
    from matplotlib.collections import PolyCollection

    some, mean = means_in_tips(values, drawn)
    half, full = place.width[some] / 2, np.ones(some.size)
    boxes = draw_boxes(transform, place.along[some] - half, place.along[some] + half, top * full, bottom * full)
    tiles = PolyCollection(boxes, array=mean, cmap=cmap, edgecolors="face", linewidths=0.2, zorder=3)
    known = values[np.isfinite(values)]
    tiles.set_clim(float(known.min()), float(known.max()))
    tiles.set_gid("annotations")
    ax.add_collection(tiles, autolim=False)
    return tiles


# ---------------------------------------------------------------------- clades


def _extents(clade: Clade, drawn: CollapsedTree, place: Layout) -> tuple[float, float]:
    """Start and stop of a clade along the leaf axis, after collapsing."""
    runs = _runs(clade, drawn, place)
    return runs[0][0], runs[-1][1]


def _runs(clade: Clade, drawn: CollapsedTree, place: Layout) -> list[tuple[float, float]]:
    """Starts and stops of the neighbouring tips that have leaves of a clade: one run, but for a group that is none."""
    tips = np.unique(drawn.shown[clade.leaves])
    tips = tips[np.argsort(place.along[tips])]
    low, high = place.along[tips] - place.width[tips] / 2, place.along[tips] + place.width[tips] / 2
    ends = np.flatnonzero(low[1:] > high[:-1] + 1e-9)
    return list(zip(low[np.append(0, ends + 1)].tolist(), high[np.append(ends, -1)].tolist(), strict=True))


def _clade_levels(clades: list[Clade], extents: list[tuple[float, float]]) -> list[int]:
    """How far out the bracket of each clade is: clades inside others come first, so that brackets do not cross."""
    order = sorted(range(len(clades)), key=lambda k: extents[k][1] - extents[k][0])
    levels = [0] * len(clades)
    taken: list[list[tuple[float, float]]] = []
    for k in order:
        low, high = extents[k]
        while levels[k] < len(taken) and any(low < b and a < high for a, b in taken[levels[k]]):
            levels[k] += 1
        if levels[k] == len(taken):
            taken.append([])
        taken[levels[k]].append((low, high))
    return levels


def count_levels(clades: list[Clade], drawn: CollapsedTree, place: Layout) -> int:
    """Return how many brackets stand one outside the other."""
    return max(_clade_levels(clades, [_extents(clade, drawn, place) for clade in clades]), default=-1) + 1


class BracketLayout(NamedTuple):
    """The places of the brackets of clades.

    levels : how far out each is; along : whether its name is written along it, not outwards
    room : points that all brackets of each level take with their names
    beyond : points that names take outside of all brackets of a circle, where they are written outwards
    """

    levels: list[int]
    along: list[bool]
    room: list[float]
    beyond: float = 0.0

    @property
    def whole(self) -> float:
        """Points that all take together."""
        return sum(self.room) + self.beyond


def measure_clades(
    ax: Any, clades: list[Clade], drawn: CollapsedTree, place: Layout, transform: Transform, layout: AxesLayout
) -> BracketLayout:
    """Find the places of the brackets. A name is written along its bracket where that is long enough."""
    extents = [_extents(clade, drawn, place) for clade in clades]
    levels = _clade_levels(clades, extents)
    font = min(layout.font, CLADE_FONT)
    long = [measure_text(ax, [clade.name], font) / layout.scale for clade in clades]
    along = [not transform.horizontal and x <= (b - a) * layout.row for x, (a, b) in zip(long, extents, strict=True)]
    if isinstance(transform, CircularTransform):
        room = [2 * BRACKET] * (max(levels, default=-1) + 1)
        for k in np.flatnonzero(along).tolist():
            room[levels[k]] = 2 * BRACKET + 1.3 * font
        return BracketLayout(
            levels, along, room, max((x for x, y in zip(long, along, strict=True) if not y), default=0)
        )
    room = []
    for level in range(max(levels, default=-1) + 1):
        outwards = [x for k, x in enumerate(long) if levels[k] == level and not along[k]]
        room.append(2 * BRACKET + max(1.3 * font, *outwards, 0.0))
    return BracketLayout(levels, along, room)


def _turned(
    clades: list[Clade],
    brackets: BracketLayout,
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    font: float,
    up: float,
) -> dict[int, float]:
    """Where along the leaf axis the names that a circle has outside of all brackets are written, a line apart.

    font : in units of height; up : the height at which they begin
    """
    assert isinstance(transform, CircularTransform)
    middle = {}
    for k, clade in enumerate(clades):
        low, high = _extents(clade, drawn, place)
        if not brackets.along[k]:
            middle[k] = (low + high) / 2
    if not middle:
        return {}
    from sklearn.isotonic import isotonic_regression

    order = sorted(middle, key=lambda k: (middle[k], k))
    turn = abs(float(transform.angle(1.0) - transform.angle(0.0)))
    shift = 1.2 * font / (float(transform.radius(up)) * turn) * np.arange(len(order))
    places = isotonic_regression(np.array([middle[k] for k in order]) - shift) + shift
    return dict(zip(order, places.tolist(), strict=True))


def draw_clades(
    ax: Any,
    clades: list[Clade],
    brackets: BracketLayout,
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    layout: AxesLayout,
    pixel: float,
    rim: float,
    outside: float,
) -> None:
    """Shade each clade, and put a bracket with its name outside of the labels. Both leave out leaves not meant.

    pixel : units of height per point; rim : height of the lowest tip; outside : points from there to the brackets
    """
    from matplotlib.collections import LineCollection, PolyCollection

    theme, font = find_theme(ax), min(layout.font, CLADE_FONT)
    is_round = isinstance(transform, CircularTransform)
    ends_of_all = rim - (outside + sum(brackets.room)) * pixel
    turned = _turned(clades, brackets, drawn, place, transform, font * pixel, ends_of_all) if is_round else {}
    for number, (clade, level, along) in enumerate(zip(clades, brackets.levels, brackets.along, strict=True)):
        runs = _runs(clade, drawn, place)
        low, high = runs[0][0], runs[-1][1]
        u = int(drawn.shown[clade.node])
        above = int(drawn.parent[u])
        top = place.up[u] if above < 0 else (place.up[u] + place.up[above]) / 2
        colour = PALETTE[clade.style % len(PALETTE)]
        starts, stops = ([x[k] for x in runs] for k in (0, 1))
        box = draw_boxes(transform, starts, stops, [top] * len(runs), [rim - outside * pixel] * len(runs))
        shade = PolyCollection(box, facecolors=[theme.tinted(colour, 0.16)], linewidths=0, gid="clades")
        shade.set_zorder(0.4 - 0.3 * (high - low) / place.span)  # clades inside others lie above these
        ax.add_collection(shade, autolim=False)
        at = rim - (outside + sum(brackets.room[:level]) + BRACKET) * pixel
        ends = [(a + min(0.2, 0.1 * (b - a)), b - min(0.2, 0.1 * (b - a))) for a, b in runs]
        line = transform.paths(np.array([[[a, at], [b, at]] for a, b in ends]))
        mark = LineCollection(line, colors=[theme.strong(colour)], linewidths=2.0, zorder=3, capstyle="butt")
        mark.set(gid="brackets", clip_on=False)
        ax.add_collection(mark, autolim=False)
        middle = (low + high) / 2
        if number in turned:
            middle, at = turned[number], ends_of_all
        shift, how = label_direction(transform, middle, 0 if number in turned else BRACKET - 1)
        if isinstance(transform, CircularTransform):
            if along:
                angle = float(transform.angle(middle))
                turn = np.degrees(angle) - 90
                shift, _ = label_direction(transform, middle, BRACKET - 1 + font / 2)
                how |= {"rotation": turn if np.sin(angle) >= 0 else turn + 180, "ha": "center"}
        elif not transform.horizontal:
            how |= {"rotation": 0 if along else 90}
        ax.annotate(
            clade.name, transform.xy(middle, at), shift, textcoords="offset points", fontsize=font, parse_math=False,
            annotation_clip=False, gid="clade name", color=theme.strong(colour), **how,
        )  # fmt: skip


# ---------------------------------------------------------------------- arcs


def draw_arcs(
    ax: Any,
    pairs: PairwiseConstraints,
    clusters: LeafGroups | None,
    drawn: CollapsedTree,
    place: Layout,
    transform: Transform,
    pixel: float,
    start: float,
) -> None:
    """Draw an arc for each pair, beyond the labels: must-links solid, cannot-links dashed, violated ones red.

    start : the height at which arcs begin
    """
    from matplotlib.collections import LineCollection

    theme, tip = find_theme(ax), drawn.shown
    number = {label: k for k, label in enumerate(drawn.tree.leaves)}
    turn = np.linspace(0, np.pi, 40)
    for kind, rows, together in (("must", pairs.must_link, True), ("cannot", pairs.cannot_link, False)):
        leaves = np.array([[number[pairs.leaves[i]] for i in row] for row in rows.tolist()], np.int64).reshape(-1, 2)
        if not len(leaves):
            continue
        ends = place.along[tip[leaves]]
        codes = np.full(leaves.shape, -1) if clusters is None else clusters.codes[leaves]
        violated = (codes >= 0).all(axis=1) & ((codes[:, 0] == codes[:, 1]) != together)
        middle, half = ends.mean(axis=1), np.abs(np.diff(ends, axis=1)[:, 0]) / 2
        depth = ARCS * pixel * (0.15 + 0.85 * np.sqrt(2 * half / place.span))
        along = middle[:, None] + half[:, None] * np.cos(turn)
        x, y = transform.xy(along, start - depth[:, None] * np.sin(turn))
        lines = LineCollection(
            list(np.stack([x, y], axis=2)),
            colors=[theme.missed if bad else theme.line for bad in violated],
            linestyles=["solid" if kind == "must" else (0, (3, 2))],
            linewidths=0.9,
            zorder=3,
            gid=f"{kind} arcs",
        )
        lines.set_clip_on(False)
        ax.add_collection(lines, autolim=False)


# ---------------------------------------------------------------------- labels of nodes


def draw_node_labels(ax: Any, texts: dict[int, str], drawn: CollapsedTree, place: Layout, transform: Transform) -> int:
    """Write the text of inner nodes on the side of the root. Texts that would lie on others are left out.

    Nodes nearest to the root come first. Returns how many are left out.
    """
    T = drawn.size.size
    at = {
        int(drawn.shown[u]): text
        for u, text in texts.items()
        if drawn.shown[u] >= T and drawn.node[drawn.shown[u]] == u
    }
    theme, figure = find_theme(ax), ax.figure
    order = sorted(at, key=lambda u: (-place.up[u], u))
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    taken: list[Any] = []
    left_out = 0
    rightwards = {"left": (-2, 1.5), "right": (2, 1.5), "top": (2, 2), "bottom": (2, -2)}
    for u in order:
        if isinstance(transform, CircularTransform):
            shift, how = (0.0, 0.0), {"ha": "center", "va": "center"}
        else:
            shift = rightwards[transform.orientation]
            if drawn.parent[u] < 0:  # there is no room beyond the root
                shift = (-shift[0], shift[1]) if transform.horizontal else (shift[0], -shift[1])
            how = {"ha": "right" if shift[0] < 0 else "left", "va": "bottom" if shift[1] > 0 else "top"}
        text = ax.annotate(
            at[u], transform.xy(place.along[u], place.up[u]), shift, textcoords="offset points", fontsize=NODE_FONT,
            parse_math=False, annotation_clip=False, gid="node label", color=theme.line, zorder=5.5,
            bbox={"facecolor": theme.paper, "edgecolor": "none", "pad": 0.2, "alpha": 0.75}, **how,
        )  # fmt: skip
        box = text.get_window_extent(renderer)
        if any(box.overlaps(other) for other in taken):
            text.remove()
            left_out += 1
        else:
            taken.append(box)
    return left_out
