"""The Aho graph of a set of triplets, as a networkx graph and as a picture: why a group of leaves splits, or cannot."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.algorithms.conflict import Conflict
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import LimitExceededError
from tripletree.plots.labels import measure_text
from tripletree.plots.style import PALETTE, SHAPES, close_on_error, find_theme, import_pyplot, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from networkx import Graph

# Components of up to FEW leaves are placed by networkx (Kamada, Kawai), larger ones by STEPS steps of _minimize_stress.
FEW, STEPS = 150, 60
# From this many leaves without an edge they are gathered, in rows that are this far apart.
GATHERED, ROW = 5, 0.55
# Directions of a name from its leaf, as signs of (x, y), in order of preference.
SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))


def place_leaves(graph: Graph) -> dict[Hashable, np.ndarray]:
    """Place the leaves about one unit apart, components packed on shelves, the largest first.

    More than a few leaves without an edge are gathered in a grid below, so that they do not fill the picture.
    """
    import networkx as nx

    parts = list(nx.connected_components(graph))
    alone = find_isolated(parts)
    at = _pack([part for part in parts if not alone or len(part) > 1], graph)
    if alone:
        points = np.array(list(at.values())) if at else np.zeros((1, 2))
        (left, low), (right, _) = points.min(axis=0), points.max(axis=0)
        step = 1.0 + 0.1 * max(len(shorten(str(x), 24)) for x in alone)
        across = max(int((right - left) / step) + 1, round((len(alone) * ROW / step) ** 0.5), 1)
        for k, leaf in enumerate(alone):
            at[leaf] = np.array([left + step * (k % across), low - 1.4 - ROW * (k // across)])
    return at


def find_isolated(parts: Iterable[set[Hashable]]) -> list[Hashable]:
    """Return the leaves without an edge, in order of their names. None if there are too few to be gathered."""
    alone = sorted((next(iter(part)) for part in parts if len(part) == 1), key=str)
    return alone if len(alone) >= GATHERED else []


def _pack(parts: list[set[Hashable]], graph: Graph) -> dict[Hashable, np.ndarray]:
    """Place components side by side on shelves."""
    placed = []
    for part in parts:
        places = _part_positions(graph.subgraph(part))
        points = np.array(list(places.values()))
        low, high = points.min(axis=0) - 0.8, points.max(axis=0) + 0.8
        placed.append((high - low, low, places))
    placed.sort(key=lambda x: (-float(x[0].max()), min(map(str, x[2]))))
    area = sum(float(size.prod()) for size, _, _ in placed)
    most = max((1.6 * area) ** 0.5 * 1.2, *(float(size[0]) for size, _, _ in placed), 0.0) if placed else 0.0
    at: dict[Hashable, np.ndarray] = {}
    x = y = column = wide = tall = 0.0  # x, y of the shelf; height and width of its current column; the shelf's height
    for size, low, places in placed:
        if column and column + size[1] > tall:  # a new column on this shelf
            x, column, wide = x + wide, 0.0, 0.0
        if x and not column and x + size[0] > most:  # a new shelf
            x, y, tall = 0.0, y - tall, 0.0
        corner = np.array([x, y - column - size[1]])
        at |= {leaf: corner + (place - low) for leaf, place in places.items()}
        column, wide, tall = column + size[1], max(wide, float(size[0])), max(tall, float(size[1]))
    return at


def _part_positions(part: Graph) -> dict[Hashable, np.ndarray]:
    """Place a component around the origin, about one unit from leaf to leaf. A path becomes an open circle."""
    import networkx as nx

    k = part.number_of_nodes()
    ends = [x for x, degree in part.degree if degree == 1]
    if len(ends) == 2 and part.number_of_edges() == k - 1:
        walk = list(nx.dfs_preorder_nodes(part, min(ends, key=str)))
        turn = np.linspace(np.pi, -np.pi, k + 1)[:k] if k > 2 else np.array([np.pi, 0.0])
        radius = max(0.6, k / (2 * np.pi)) * (1.3 if k > 2 else 1.0)
        return {x: radius * np.array([np.cos(t), np.sin(t)]) for x, t in zip(walk, turn, strict=True)}
    own = nx.Graph()  # sorted, since the layout depends on the order of nodes
    own.add_nodes_from(sorted(part, key=str))
    own.add_edges_from(part.edges)
    if k > FEW:
        places = dict(zip(own, _minimize_stress(nx.to_scipy_sparse_array(own, weight=None)), strict=True))
    else:
        places = nx.kamada_kawai_layout(own)
    return {x: 1.1 * (k**0.5 - 1) * np.asarray(place) for x, place in places.items()}


def _minimize_stress(adjacent: Any) -> np.ndarray:
    """Return positions in the square from -1 to 1 whose distances follow the path lengths, short ones most closely.

    Stress majorization (Gansner, Koren, North 2004, Graph Drawing, 239-250), started from classical scaling.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse.csgraph import shortest_path

    D = shortest_path(adjacent, unweighted=True)
    n = D.shape[0]
    square = -0.5 * D**2
    square -= square.mean(axis=0) + square.mean(axis=1)[:, None] - square.mean()
    _, axes = np.linalg.eigh(square)
    X = axes[:, -2:] * np.where(axes[np.abs(axes[:, -2:]).argmax(axis=0), [-2, -1]] < 0, -1, 1) * D.max()
    X = X + 1e-3 * np.stack([np.cos(np.arange(n)), np.sin(np.arange(n))], axis=1)  # no two at the same point
    np.fill_diagonal(D, 1.0)
    weight = D**-2.0
    np.fill_diagonal(weight, 0.0)
    factor = cho_factor(
        (np.diag(weight.sum(axis=1)) - weight)[1:, 1:]
    )  # the first is fixed, which makes the matrix regular
    for _ in range(STEPS):
        apart = np.maximum(np.linalg.norm(X[:, None] - X[None], axis=2), 1e-9)
        pull = weight * D / apart
        target = pull.sum(axis=1)[:, None] * X - pull @ X
        X = np.concatenate([np.zeros((1, 2)), cho_solve(factor, target[1:])])
    X -= (X.max(axis=0) + X.min(axis=0)) / 2
    return X / np.abs(X).max()


def place_names(points: np.ndarray, edges: np.ndarray, sizes: np.ndarray, gap: float, k: int) -> np.ndarray:
    """Place each name on the side of its leaf where it covers the fewest lines, leaves and earlier names.

    points : float64[K, 2], pixels, of k leaves and then of notes; edges : int[m, 2]; sizes : float64[K, 2], of names
    and notes; gap : pixels from leaf to name
    Returns middle : float64[K, 2], of each name and note.
    """
    s = np.linspace(0.03, 0.97, 24)[:, None, None]
    lines = (points[edges[:, 0]] * (1 - s) + points[edges[:, 1]] * s).reshape(-1, 2) if len(edges) else points[:0]
    middle = np.full(points.shape, np.nan)
    middle[k:], leaves = points[k:], points[:k]
    for i in np.argsort(leaves[:, 1], kind="stable").tolist():
        best = np.inf
        half = sizes[i] / 2
        for rank, side in enumerate(SIDES):
            away = np.where(np.array(side) == 0, 0.0, half + gap if 0 in side else half + 0.6 * gap) * side
            place = points[i] + away
            on_lines = (np.abs(lines - place) < half).all(axis=1).sum()
            on_leaves = (np.abs(leaves - place) < half + 0.8 * gap).all(axis=1).sum() - (0 not in side)
            on_names = (np.abs(middle - place) < half + sizes / 2).all(axis=1).sum()
            cost = on_lines + 6 * max(on_leaves, 0) + 12 * on_names + 0.1 * rank
            if cost < best:
                best, middle[i] = cost, place
                chosen = place.copy()
            middle[i] = np.nan
        middle[i] = chosen
    return middle


# Most leaves in a picture, most leaves whose names are written, most edges with notes on their triplets.
MOST_LEAVES, MOST_NAMES, MOST_NOTES = 1000, 120, 24


def aho_graph(triplets: TripletSet, leaves: Iterable[Hashable] | None = None) -> Graph:
    """Return the Aho graph of a group of leaves: its components are the parts into which the triplets split it.

    Parameters
    ----------
    triplets : TripletSet
    leaves : iterable of labels, optional
        The group. By default all leaves.

    Returns
    -------
    networkx.Graph
        A node for each leaf of the group, by its label, and an edge ab for each triplet ab|c with all three in the
        group. The edge's ``thirds`` lists the c, ``weight`` is the sum of weights (1 each if unweighted), and
        ``origins`` lists where the triplets were read, None if that is not known.

    See Also
    --------
    plot_aho_graph : draws it. tripletree.one_tree : splits by it recursively.

    Notes
    -----
    The graph of Aho, Sagiv, Szymanski, Ullman (1981), SIAM Journal on Computing 10(3), 405-421. If it is connected on
    three leaves or more, the group cannot be split, and no hierarchy displays its triplets.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("a", "b", "d"), ("c", "d", "a")])
    >>> sorted(aho_graph(t).edges(data="thirds"))
    [('a', 'b', ['c', 'd']), ('c', 'd', ['a'])]
    """
    import networkx as nx

    inside = check_triplets(triplets) if leaves is None else triplets.restrict(leaves)
    graph = nx.Graph()
    graph.add_nodes_from(inside.leaves)
    weights = np.ones(len(inside)) if inside.weights is None else inside.weights
    for k, (a, b, c) in enumerate(inside):
        if not graph.has_edge(a, b):
            graph.add_edge(a, b, thirds=[], origins=[], weight=0.0)
        edge = graph.edges[a, b]
        edge["thirds"].append(c)
        edge["origins"].append(None if inside.origins is None else inside.origins[k])
        edge["weight"] += float(weights[k])
    return graph


@close_on_error
def plot_aho_graph(
    triplets: TripletSet | Conflict,
    leaves: Iterable[Hashable] | None = None,
    *,
    ax: Axes | None = None,
    notes: bool | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the Aho graph of a group of leaves. Each component has its own colour and shape.

    Parameters
    ----------
    triplets : TripletSet or Conflict
    leaves : iterable of labels, optional
        The group. By default all leaves that occur in the triplets.
    ax : matplotlib Axes, optional
        The axes to draw in. By default a new pyplot figure, which the caller closes.
    notes : bool, optional
        If True, label each edge with the third leaf of its triplets, and the lines they were read from if known. By
        default if there are at most 24 edges.
    title : str, optional
        By default the number of parts.

    Returns
    -------
    matplotlib Axes
        Its nodes have the gid "leaves", one collection per component. Its edges "ties". Five leaves or more without an
        edge are gathered below the others, grey, with the gid "isolated leaves".

    Raises
    ------
    LimitExceededError
        If there are more than 1,000 leaves, which would be unreadable.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = plot_aho_graph(TripletSet.from_labels([("a", "b", "c"), ("a", "b", "d"), ("c", "d", "a")]))
    >>> ax.get_title()
    'The triplets split 4 leaves into 2 parts'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    import networkx as nx

    plt = import_pyplot("plot_aho_graph")
    given = triplets.triplets if isinstance(triplets, Conflict) else check_triplets(triplets)
    group = [given.leaves[i] for i in given.used_leaves.tolist()] if leaves is None else list(leaves)
    if len(group) > MOST_LEAVES:
        msg = f"{len(group):,} leaves are too many for a picture; select at most {MOST_LEAVES:,} with leaves="
        raise LimitExceededError(msg, size=len(group), limit=MOST_LEAVES)
    graph = aho_graph(given, group)
    parts = sorted(nx.connected_components(graph), key=len, reverse=True)
    if ax is None:
        side = min(max(2.2 + 0.9 * len(group) ** 0.5, 3.5), 14.0)
        longest = max((len(shorten(str(x))) for x in group), default=0)
        _, ax = plt.subplots(figsize=(max(1.35 * side, 5.5) + 0.04 * longest, side), layout="constrained")
    at = place_leaves(graph)
    _draw_edges(ax, graph, at, graph.number_of_edges() <= MOST_NOTES if notes is None else notes)
    alone = find_isolated(parts)
    _draw_leaves(ax, [part for part in parts if not alone or len(part) > 1], alone, at)
    if title is None:
        many = f"{len(parts)} parts" if len(parts) > 1 else "nothing less: they are tied together"
        many += f", {len(alone)} of them single leaves" if alone else ""
        title = f"The triplets split {len(group)} leaves into {many}"
    ax.set_title(_wrap(title, ax))
    ax.set_axis_off()
    ax.margins(0.08)
    _write_names(ax, graph, at)
    return ax


def _wrap(title: str, ax: Axes) -> str:
    """Break the title into lines as long as the axes are wide."""
    from textwrap import fill

    spec = ax.get_subplotspec()
    share = 1.0 if spec is not None and spec.get_gridspec().ncols == 1 else ax.get_position().width
    inches = ax.figure.bbox.width / ax.figure.dpi
    return fill(title, max(int(12.5 * share * inches), 20))


@close_on_error
def plot_conflict(conflict: Conflict, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a conflict: its leaves, and the triplets that connect them all, so that no first split exists.

    Parameters
    ----------
    conflict : Conflict
        As from `find_conflict`, or the ``conflict`` of an InconsistentTripletsError.
    ax : matplotlib Axes, optional
        The axes to draw in. By default a new pyplot figure, which the caller closes.
    title : str, optional

    Returns
    -------
    matplotlib Axes
        As `plot_aho_graph`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from tripletree.algorithms.conflict import find_conflict
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a")])
    >>> ax = plot_conflict(find_conflict(t))
    >>> ax.get_title()
    'Why 3 triplets cannot all hold: they tie 4 leaves together'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    if not isinstance(conflict, Conflict):
        msg = f"expected a Conflict, got {type(conflict).__name__}; find_conflict(triplets) returns one"
        raise TypeError(msg)
    if title is None:
        title = f"Why {len(conflict)} triplets cannot all hold: they tie {len(conflict.leaves)} leaves together"
    return plot_aho_graph(conflict, conflict.leaves, ax=ax, title=title)


def _draw_edges(ax: Axes, graph: Graph, at: dict[Hashable, np.ndarray], notes: bool) -> None:
    from matplotlib.collections import LineCollection

    few, theme = len(at) <= MOST_NAMES, find_theme(ax, bare=True)
    segments = [(at[a], at[b]) for a, b in graph.edges]
    width, strong = (1.2, 1.0) if few else (0.7, 0.6)
    lines = LineCollection(segments, colors=theme.line, linewidths=width, alpha=strong, zorder=1, gid="ties")
    ax.add_collection(lines)
    if not notes:
        return
    for a, b, edge in graph.edges(data=True):
        thirds = [shorten(str(x)) for x in edge["thirds"][:3]]
        more = f", {len(edge['thirds']) - 3} more" if len(edge["thirds"]) > 3 else ""
        read = [f"{x.unit} {x.number}" for x in edge["origins"][:3] if x is not None]
        place = f"\n{', '.join(read)}" if read else ""
        text = f"| {', '.join(thirds)}{more}{place}"
        box = {"boxstyle": "round,pad=0.15", "facecolor": theme.paper, "edgecolor": "none", "alpha": 0.85}
        x, y = (at[a] + at[b]) / 2
        ax.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            fontsize=8,
            bbox=box,
            zorder=2,
            color=theme.faint(0.1),
            parse_math=False,
        )


def _draw_leaves(ax: Axes, parts: list[set], alone: list[Hashable], at: dict[Hashable, np.ndarray]) -> None:
    size = 70 if len(at) <= MOST_NAMES else 26
    theme = find_theme(ax, bare=True)
    rim = theme.paper
    if alone:
        x, y = np.array([at[leaf] for leaf in alone]).T
        grey = theme.faint(0.5)
        ax.scatter(x, y, s=size / 2, color=grey, edgecolors=rim, linewidths=0.8, zorder=3, gid="isolated leaves")
    for k, part in enumerate(parts):
        x, y = np.array([at[leaf] for leaf in sorted(part, key=str)]).T
        colour, shape = PALETTE[k % len(PALETTE)], SHAPES[k % len(SHAPES)]
        ax.scatter(x, y, s=size, color=colour, marker=shape, edgecolors=rim, linewidths=0.8, zorder=3, gid="leaves")


def _write_names(ax: Axes, graph: Graph, at: dict[Hashable, np.ndarray]) -> None:
    """Write the names beside their leaves, over the lines, where they cover least, and fit notes to their edges."""
    if not 0 < len(at) <= MOST_NAMES:
        return
    theme = find_theme(ax, bare=True)
    plate = {"facecolor": theme.paper, "edgecolor": "none", "pad": 0.4, "alpha": 0.85}
    figure: Any = ax.figure
    while figure is not figure.figure:  # a subfigure is drawn by its figure
        figure = figure.figure
    figure.draw_without_rendering()  # fixes the layout, so that pixels are known
    scale = ax.figure.dpi / 72
    leaves = list(at)
    number = {leaf: i for i, leaf in enumerate(leaves)}
    points = ax.transData.transform(np.array([at[leaf] for leaf in leaves]))
    notes = [x for x in ax.texts if x.get_text()]
    most = _fitting(ax, [str(leaf) for leaf in leaves])
    texts = [
        ax.annotate(
            shorten(str(leaf), most), tuple(at[leaf]), textcoords="offset points", xytext=(0, 0), ha="center",
            va="center", fontsize=9, zorder=2.5, parse_math=False, color=theme.line, bbox=plate,
        )
        for leaf in leaves
    ]  # fmt: skip
    sizes = np.array([text.get_window_extent().size for text in texts])
    edges = np.array([(number[a], number[b]) for a, b in graph.edges]).reshape(-1, 2)
    for note, ends in zip(notes, points[edges], strict=False):
        _fit_note(note, ends, 12 * scale)
    if notes:  # notes are at the middles of their edges and count as more leaves
        middles = (points[edges[:, 0]] + points[edges[:, 1]]) / 2
        points = np.concatenate([points, middles])
        sizes = np.concatenate([sizes, [x.get_window_extent().size for x in notes]])
    middle = place_names(points, edges, sizes, 6 * scale, len(leaves))
    for text, shift in zip(texts, (middle - points)[: len(leaves)] / scale, strict=True):
        text.set_position(tuple(shift))
    _make_room(ax, texts)
    points = ax.transData.transform(np.array([at[leaf] for leaf in leaves]))
    for note, ends in zip(notes, points[edges], strict=False):  # edges are shorter now
        _fit_note(note, ends, 12 * scale)


def _fitting(ax: Axes, names: list[str]) -> int:
    """Return how many characters names may have to stay within a good third of the axes."""
    most = max(map(len, names))
    while most > 6 and measure_text(ax, [shorten(x, most) for x in names], 9) > 0.4 * ax.get_window_extent().width:
        most -= 1
    return most


def _make_room(ax: Axes, texts: list[Any]) -> None:
    """Widen the limits until the texts, which are as large as before, are inside of the axes."""
    for _ in range(6):
        box = ax.get_window_extent()
        ends = np.array([text.get_window_extent().get_points().ravel() for text in texts])
        over = np.maximum([box.x0 - ends[:, 0].min(), box.y0 - ends[:, 1].min(), ends[:, 2].max() - box.x1,
                           ends[:, 3].max() - box.y1], 0.0)  # fmt: skip
        if over.max() < 0.5:
            return
        for axis, (low, high), size in (("x", over[[0, 2]], box.width), ("y", over[[1, 3]], box.height)):
            first, last = getattr(ax, f"get_{axis}lim")()
            unit = (last - first) / max(size - low - high, 0.2 * size)
            getattr(ax, f"set_{axis}lim")(first - low * unit, last + high * unit)


def _fit_note(note: Any, ends: np.ndarray, rims: float) -> None:
    """Turn a note along its edge, shortened until it leaves `rims` pixels of the edge free. Hide it if it cannot be."""
    (x, y), room = ends[1] - ends[0], float(np.hypot(*(ends[1] - ends[0]))) - rims
    note.set_rotation(0)
    text = note.get_text()
    most = max(map(len, text.split("\n")))
    while note.get_window_extent().width > room and most > 3:
        most -= 1
        note.set_text("\n".join(shorten(line, most) for line in text.split("\n")))
    if note.get_window_extent().width > room:
        note.set_visible(False)
    angle = float(np.degrees(np.arctan2(y, x)))
    note.set_rotation((angle + 90) % 180 - 90)
