"""Clusters through time: a column for each snapshot, and bands for the objects that go on to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tripletree.core.times import time_text
from tripletree.plots.bands import band_outline
from tripletree.plots.style import LINE, PALETTE, import_pyplot, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Width of a column; empty share of the height, between clusters; length of the stubs of objects that appear or leave,
# and the number of steps in which they fade.
WIDTH, GAP, STUB, FADES = 0.16, 0.18, 0.2, 5
HATCHES = ("", "//", "..", "\\\\", "xx", "--")
# Height of a cluster in inches. Font in points.
TALL, FONT = 0.17, 8.0
LONGEST_NAME, MOST_TICKS = 24, 24  # characters. Snapshots


class _Picture(NamedTuple):
    """Size and lower end of each cluster in each snapshot (int64, float64, both [T, k]), and the clusters' names."""

    sizes: np.ndarray
    foot: np.ndarray
    names: list[str]

    @property
    def middle(self) -> np.ndarray:
        return self.foot + self.sizes / 2


def plot_transitions(model: Any, *, ax: Axes | None = None, names: Any = None) -> Axes:
    """Draw the clusters of each snapshot, and how objects move between them.

    Parameters
    ----------
    model : TemporalClustering
        Fitted.
    ax : matplotlib Axes, optional
        The axes to draw in. By default a new figure, sized for the number of snapshots and clusters.
    names : sequence of str, shape (n_clusters,), optional
        Names of the clusters. By default their numbers.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    tripletree.cluster.TemporalClustering : finds the clusters.

    Notes
    -----
    The height of a cluster is its number of objects, the height of a band is the number of objects that move from one
    to the other. Bands have the colour of the cluster they come from. Short fading ones stand for objects that appear
    or leave. From the eighth cluster on colours repeat, with a hatch.

    Clusters are named at both ends, and in their columns where the name fits. One that is at neither end, where it is
    largest.

    Examples
    --------
    >>> from tripletree.cluster import TemporalClustering
    >>> model = TemporalClustering(2, random_state=0).fit([[0.0], [9.0]] * 2, times=[1, 1, 2, 2], objects=list("abab"))
    >>> ax = plot_transitions(model)
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['1', '2']
    """
    _check_model(model)
    k = model.cluster_centers_.shape[1]
    names = [str(i) for i in range(k)] if names is None else [shorten(str(x), LONGEST_NAME) for x in names]
    if len(names) != k:
        msg = f"names must have one name for each of the {k} clusters; got {len(names)}"
        raise ValueError(msg)
    pyplot = import_pyplot("plot_transitions")
    sizes = np.array([np.bincount(s.labels, minlength=k) for s in model.snapshots_])
    gap = GAP * sizes.sum(axis=1).max() / max((sizes > 0).sum(axis=1).max(), 4)
    foot = np.concatenate([np.zeros((len(sizes), 1)), np.cumsum(sizes + gap * (sizes > 0), axis=1)[:, :-1]], axis=1)
    foot -= ((foot + sizes).max(axis=1) / 2)[:, None]
    picture = _Picture(sizes, foot, names)
    if ax is None:
        width = min(max(4.5, 1.1 * len(sizes) + 1.5), 16.0)
        height = min(max(4.5, TALL * (sizes > 0).sum(axis=1).max() + 1.0), 24.0)
        ax = pyplot.figure(figsize=(width, height), layout="constrained").add_subplot()
    _set_axes(ax, model.snapshots_)
    low, high = foot.min() - gap, (foot + sizes).max() + gap
    ax.set_ylim(low, high)
    for i in range(k):
        _draw_bands(ax, i, model.transitions_, picture)
    _draw_columns(ax, picture)
    _write_labels(ax, picture)
    return ax


def _check_model(model: Any) -> None:
    if isinstance(model, type) or not all(
        hasattr(model, x) for x in ("snapshots_", "transitions_", "cluster_centers_")
    ):
        what = f"the class {model.__name__}" if isinstance(model, type) else f"{type(model).__name__}"
        hint = "; fit it first" if hasattr(model, "fit") else ""
        msg = f"expected a fitted TemporalClustering, got {what}{hint}"
        raise TypeError(msg)


def _colour(i: int) -> str:
    return PALETTE[i % len(PALETTE)]


def _cluster_style(i: int) -> dict[str, Any]:
    return {"facecolor": _colour(i), "hatch": HATCHES[(i // len(PALETTE)) % len(HATCHES)]}


def _boxes(x: np.ndarray, y: np.ndarray, width: float, height: np.ndarray) -> Any:
    """Return the corners of rectangles: shape (n, 4, 2)."""
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    return np.stack([x, y], axis=-1)[:, None] + corners * np.stack([np.full(len(x), width), height], axis=-1)[:, None]


def _draw_columns(ax: Axes, picture: _Picture) -> None:
    """Draw a bar for each cluster of each snapshot."""
    from matplotlib.collections import PolyCollection

    for i in range(len(picture.names)):
        t = np.flatnonzero(picture.sizes[:, i])
        bars = _boxes(t - WIDTH / 2, picture.foot[t, i], WIDTH, picture.sizes[t, i])
        thin = {"edgecolor": "white", "linewidth": 0.5} if len(picture.sizes) <= MOST_TICKS else {"linewidth": 0}
        ax.add_collection(
            PolyCollection(bars, zorder=3, gid=f"cluster {i}", **_cluster_style(i), **thin), autolim=False
        )


def _draw_bands(ax: Axes, i: int, transitions: list[np.ndarray], picture: _Picture) -> None:
    """Draw the bands from a cluster to the others, in their order so that they do not cross, and its fading stubs."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    points = np.linspace(WIDTH / 2, 1 - WIDTH / 2, 24 if len(picture.sizes) <= MOST_TICKS else 12)
    outlines, stubs, fades = [], [], []
    steps = np.arange(FADES) * STUB / FADES
    for t, counts in enumerate(transitions):
        k = len(counts) - 1
        before = picture.foot[t, i] + np.cumsum(counts[i]) - counts[i]
        after = picture.foot[t + 1] + counts[:i, :k].sum(axis=0)
        for j in np.flatnonzero(counts[i, :k]).tolist():
            outlines.append(band_outline(t + points, before[j], after[j], counts[i, j]))
        come = picture.foot[t + 1, i] + counts[:k, i].sum()
        for n, foot, x in (
            (counts[i, k], before[k], t + WIDTH / 2 + steps),
            (counts[k, i], come, t + 1 - WIDTH / 2 - STUB / FADES - steps),
        ):
            if n:
                stubs.append(_boxes(x, np.full(FADES, foot), STUB / FADES, np.full(FADES, n)))
                fades += [to_rgba(_colour(i), 0.45 * (1 - s / STUB)) for s in steps]
    look = {"alpha": 0.45, "linewidth": 0, "zorder": 2, **_cluster_style(i)}
    ax.add_collection(PolyCollection(outlines, gid=f"from {i}", **look), autolim=False)
    if stubs:
        every: Any = np.concatenate(stubs)
        ends = PolyCollection(every, facecolors=fades, linewidth=0, zorder=1, antialiased=False)
        ends.set_gid(f"ends {i}")
        ax.add_collection(ends, autolim=False)


_PLATE = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}


def _write_labels(ax: Axes, picture: _Picture) -> None:
    """Write the names at both ends and, where they fit, in the columns."""
    sizes, foot, names = picture
    figure: Any = ax.get_figure()
    width, height = (72 * x for x in ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted()).size)
    low, high = ax.get_ylim()
    sides = [0, len(sizes) - 1] if len(sizes) > 1 else [0]
    most = max((sizes[t] > 0).sum() for t in sides)
    font = min(FONT, max(0.85 * height / most, 3.0))
    wide = np.array([0.62 * font * len(name) for name in names]) + 2
    margin = wide.max() + 20
    across = max((width - margin * 2) / max(len(sizes) - 1 + WIDTH, 1), 0.3 * width / len(sizes))
    ax.set_xlim(-WIDTH / 2 - margin / across, len(sizes) - 1 + WIDTH / 2 + (margin if len(sides) == 2 else 8) / across)
    line = 1.15 * font * (high - low) / height
    for side, t in enumerate(sides):
        _write_end_names(ax, picture, t, -1 if side == 0 else 1, line, across, font)
    style = {"ha": "center", "va": "center", "fontsize": font, "zorder": 4, "bbox": _PLATE, "color": LINE}
    inside = (sizes >= 1.2 * line) & (wide <= WIDTH * across)
    named = (sizes[sides] > 0).any(axis=0)
    for i in np.flatnonzero(~named & (sizes > 0).any(axis=0)).tolist():
        inside[sizes[:, i].argmax(), i] = True
    inside[sides] = False
    for t, i in np.argwhere(inside).tolist():
        ax.text(t, picture.middle[t, i], names[i], **style)


def _write_end_names(ax: Axes, picture: _Picture, t: int, way: int, line: float, across: float, font: float) -> None:
    """Write the names beside the first or last column, as near to their bars as possible without overlap."""
    from matplotlib.collections import LineCollection
    from sklearn.isotonic import isotonic_regression

    here = np.flatnonzero(picture.sizes[t])
    middle = picture.middle[t, here]
    shift = line * np.arange(here.size)
    low, high = ax.get_ylim()
    top = max(high - line / 2 - shift[-1], low + line / 2)
    place = isotonic_regression(middle - shift, y_min=low + line / 2, y_max=top) + shift
    edge = t + way * WIDTH / 2
    end = edge + way * 14 / across
    lines = [
        [(edge, m), (edge + way * 3 / across, m), (end - way * 2 / across, y), (end, y)]
        for m, y in zip(middle, place, strict=True)
    ]
    colours = [_colour(i) for i in here.tolist()]
    ax.add_collection(LineCollection(lines, colors=colours, linewidths=0.7, zorder=2.5, gid="leaders"), autolim=False)
    for i, y in zip(here.tolist(), place.tolist(), strict=True):
        how: Any = {"ha": "right" if way < 0 else "left", "va": "center", "fontsize": font, "color": LINE}
        ax.text(end + way * 2 / across, y, picture.names[i], **how)


def _set_axes(ax: Axes, snapshots: list[Any]) -> None:
    every = -(-len(snapshots) // MOST_TICKS)
    shown = range(0, len(snapshots), every)
    texts = [shorten(time_text(snapshots[t].start), LONGEST_NAME) for t in shown]
    figure: Any = ax.get_figure()
    room = figure.bbox_inches.width * 72 / (len(texts) + 1)
    turned = max(map(len, texts)) * 6 > room
    ax.set_xticks(list(shown), texts, rotation=30 if turned else 0, ha="right" if turned else "center")
    ax.set_yticks([])
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    ax.set_xlabel("snapshot" if all(s.start == s.end for s in snapshots) else "start of the snapshot")
    ax.set_ylabel("objects")
