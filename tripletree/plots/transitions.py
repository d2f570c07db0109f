"""Clusters through time as a picture: a column for each snapshot, and bands of the objects that go on to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._times import time_text
from tripletree.plots._marks import LINE, PALETTE, pyplot_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_transitions"]

#: Width of a column, empty part of the height between clusters, how far bands reach of those that come or leave.
WIDTH, GAP, STUB = 0.16, 0.03, 0.2
HATCHES = ("", "//", "..", "\\\\", "xx", "--")
MOST_TICKS = 24


def plot_transitions(model: Any, *, ax: Axes | None = None, names: Any = None) -> Axes:
    """Draw the clusters of each snapshot, and how objects move between them.

    Parameters
    ----------
    model : TemporalClustering
        Fitted.
    ax : matplotlib Axes, optional
        Where to draw; else a new figure.
    names : sequence of str, shape (n_clusters,), optional
        What clusters are called; else their numbers.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If there are not as many names as clusters.
    MissingDependencyError
        If matplotlib is not installed.

    See Also
    --------
    tripletree.cluster.TemporalClustering : what is drawn.

    Notes
    -----
    The height of a cluster is its number of objects, that of a band the number that goes from one to another. Bands
    have the colour of the cluster that they come from; short ones that fade are of objects that appear or leave. From
    the eighth cluster on colours come again, with a hatch.

    Examples
    --------
    >>> from tripletree.cluster import TemporalClustering
    >>> model = TemporalClustering(2, random_state=0).fit([[0.0], [9.0]] * 2, times=[1, 1, 2, 2], objects=list("abab"))
    >>> ax = plot_transitions(model)
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['1', '2']
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    k = model.cluster_centers_.shape[1]
    names = [str(i) for i in range(k)] if names is None else [str(x) for x in names]
    if len(names) != k:
        msg = f"names must hold one for each of the {k} clusters; got {len(names)}"
        raise ValueError(msg)
    sizes = np.array([np.bincount(s.labels, minlength=k) for s in model.snapshots_])
    gap = GAP * sizes.sum(axis=1).max()
    if ax is None:
        width = min(max(4.5, 1.5 * len(sizes) + 1.5), 16.0)
        ax = pyplot_for("plot_transitions").figure(figsize=(width, 4.5), layout="constrained").add_subplot()
    foot = np.concatenate([np.zeros((len(sizes), 1)), np.cumsum(sizes + gap * (sizes > 0), axis=1)[:, :-1]], axis=1)
    foot -= (foot[:, -1] + sizes[:, -1])[:, None] / 2
    for t, counts in enumerate(model.transitions_):
        _bands(ax, t, counts, foot[t], foot[t + 1], sizes[t])
    _columns(ax, sizes, foot, names)
    _axes(ax, model.snapshots_)
    ax.set_ylim(foot.min() - gap, (foot + sizes).max() + gap)
    return ax


def _look(i: int) -> dict[str, Any]:
    return {"facecolor": PALETTE[i % len(PALETTE)], "hatch": HATCHES[(i // len(PALETTE)) % len(HATCHES)]}


def _columns(ax: Axes, sizes: np.ndarray, foot: np.ndarray, names: list[str]) -> None:
    tall = (sizes.sum(axis=1).max() or 1) * 0.045
    for t, i in np.argwhere(sizes > 0).tolist():
        ax.bar(t, sizes[t, i], WIDTH, foot[t, i], edgecolor="white", linewidth=0.5, zorder=3, **_look(i))
        if sizes[t, i] >= tall:
            place = (t, foot[t, i] + sizes[t, i] / 2)
            ax.text(*place, names[i], ha="center", va="center", fontsize=8, zorder=4, bbox=_PLATE, color=LINE)


_PLATE = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}


def _bands(ax: Axes, t: int, counts: np.ndarray, left: np.ndarray, right: np.ndarray, sizes: np.ndarray) -> None:
    """The bands from snapshot t to the next: in the order of clusters, so that they do not cross at a column."""
    k = len(left)
    low, high = left.astype(float).copy(), right.astype(float).copy()
    a, b = t + WIDTH / 2, t + 1 - WIDTH / 2
    x = np.linspace(a, b, 30)
    bend = (x - a) / (b - a)
    bend = bend * bend * (3 - 2 * bend)
    for i in range(k):
        for j in range(k):
            n = counts[i, j]
            if n:
                lower = low[i] + (high[j] - low[i]) * bend
                ax.fill_between(x, lower, lower + n, alpha=0.45, linewidth=0, zorder=2, **_look(i))
                low[i] += n
                high[j] += n
    for i in range(k):
        for n, foot, start, way in ((counts[i, k], low[i], a, 1), (counts[k, i], high[i], b, -1)):
            if n:
                steps = np.linspace(0, STUB, 8)
                for s, e in zip(steps[:-1], steps[1:], strict=True):
                    where = [start + way * s, start + way * e]
                    fade = 0.45 * (1 - s / STUB)
                    ax.fill_between(
                        where, foot, foot + n, alpha=fade, linewidth=0, zorder=1, color=_look(i)["facecolor"]
                    )


def _axes(ax: Axes, snapshots: list[Any]) -> None:
    every = -(-len(snapshots) // MOST_TICKS)
    shown = range(0, len(snapshots), every)
    texts = [time_text(snapshots[t].start) for t in shown]
    ax.set_xticks(list(shown), texts, rotation=30 if max(map(len, texts)) > 7 else 0)
    ax.set_xlim(-0.5, len(snapshots) - 0.5)
    ax.set_yticks([])
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    ax.set_xlabel("snapshot" if all(s.start == s.end for s in snapshots) else "start of the snapshot")
    ax.set_ylabel("objects")
