"""Samples as points, with their must-links and cannot-links as lines: the picture of the papers on pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InvalidLabelsError, UnknownLeafError
from tripletree.plots.style import LINE, MISSED, PALETTE, SHAPES, close_on_error, import_pyplot, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Groups that the legend lists.
MOST_LISTED = 12


@close_on_error
def plot_pairs(
    X: Any, pairs: Any = None, *, clusters: Any = None, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw samples as points, and their must-links and cannot-links as lines.

    Parameters
    ----------
    X : array_like or DataFrame, shape (n_samples, n_features)
        Two features are drawn as they are. Of more the first two principal components are.
    pairs : PairwiseConstraints, or two lists (must_link, cannot_link) of pairs (a, b), optional
        Labels of the index if X is a DataFrame, else row numbers.
    clusters : array_like, shape (n_samples,), or fitted estimator with ``labels_``, optional
        Each cluster has its own colour and shape. Pairs that it violates are red. Classes can be given as well.
    ax : matplotlib Axes, optional
        The axes to draw in. By default a new figure.
    title : str, optional

    Returns
    -------
    matplotlib Axes
        Must-links are solid lines, cannot-links dotted ones, with the gids "must-links" and "cannot-links", and with
        "violated " in front where clusters violate them. The points have the gid "samples", one collection a cluster.

    Raises
    ------
    UnknownLeafError
        If pairs contain samples that are not in X. ``.labels`` holds them all.

    See Also
    --------
    plot_dendrogram : draws pairs where their samples meet in a hierarchy.
    tripletree.find_contradictions : pairs that cannot all hold.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = plot_pairs([[0, 0], [1, 0], [5, 1], [6, 1]], ([(0, 1)], [(1, 2)]), clusters=[0, 1, 1, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1', '1 must-link, violated', '1 cannot-link, violated']
    >>> matplotlib.pyplot.close(ax.figure)
    """
    names = X.index.tolist() if hasattr(getattr(X, "index", None), "tolist") else None
    features = [str(x) for x in X.columns] if hasattr(X, "columns") else None
    points, axes_names = _flat(np.asarray(X, np.float64), features)
    n = len(points)
    ends = _ends(pairs, list(range(n)) if names is None else names)
    groups = _groups(clusters, n)
    if ax is None:
        plt = import_pyplot("plot_pairs")
        _, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
    handles = _draw_samples(ax, points, groups)
    handles += _draw_links(ax, points, ends, groups)
    ax.set(xlabel=axes_names[0], ylabel=axes_names[1])
    if title is not None:
        ax.set_title(title)
    if handles:
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9)
    return ax


def _flat(values: np.ndarray, features: list[str] | None) -> tuple[np.ndarray, list[str]]:
    """Two coordinates of each sample, and what they are called."""
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        what = (
            f"shape {values.shape}" if values.ndim != 2 or not values.size else "numbers that are missing or infinite"
        )
        msg = f"X must be a table of finite numbers, with a row for each sample and at least one; got {what}"
        raise ValueError(msg)
    d = values.shape[1]
    if d == 1:
        return np.column_stack([values, np.zeros(len(values))]), [features[0] if features else "", ""]
    if d == 2:
        return values, features or ["", ""]
    off = values - values.mean(axis=0)
    left, spread, _ = np.linalg.svd(off, full_matrices=False)
    found = np.zeros((len(values), 2))
    found[:, : min(2, spread.size)] = left[:, :2] * spread[:2]
    part = np.append(spread**2 / max(float((spread**2).sum()), 1e-300), 0.0)
    return found, [f"principal component {i + 1} ({part[i]:.0%})" for i in range(2)]


def _ends(pairs: Any, names: list[Any]) -> dict[str, np.ndarray]:
    """The rows of X that each kind of pairs links."""
    if pairs is None:
        return {}
    if not isinstance(pairs, PairwiseConstraints):
        if not isinstance(pairs, (list, tuple)) or len(pairs) != 2:
            msg = (
                f"pairs must be PairwiseConstraints, or two lists (must_link, cannot_link); got {type(pairs).__name__}"
            )
            raise TypeError(msg)
        pairs = PairwiseConstraints.from_labels(*pairs)
    row = {name: i for i, name in enumerate(names)}
    used = pairs.used_leaves.tolist()
    unknown = [x for x in (pairs.leaves[i] for i in used) if x not in row]
    if unknown:
        raise UnknownLeafError(unknown, names, what="samples in pairs")
    at = np.full(len(pairs.leaves), -1)
    at[used] = [row[pairs.leaves[i]] for i in used]
    return {"must-link": at[pairs.must_link], "cannot-link": at[pairs.cannot_link]}


def _groups(clusters: Any, n: int) -> tuple[list[Any], np.ndarray] | None:
    """The names of the groups, and the number of each sample's. None if there are none."""
    if clusters is None:
        return None
    labels = np.asarray(getattr(clusters, "labels_", clusters))
    if labels.shape != (n,):
        msg = f"clusters must have one entry for each of the {n} samples; got shape {labels.shape}"
        raise InvalidLabelsError(msg)
    names, codes = np.unique(labels, return_inverse=True)
    return names.tolist(), codes


def _draw_samples(ax: Any, points: np.ndarray, groups: tuple[list[Any], np.ndarray] | None) -> list[Any]:
    if groups is None:
        ax.scatter(*points.T, s=16, color=LINE, linewidths=0, gid="samples", zorder=3)
        return []
    handles = []
    for i, name in enumerate(groups[0]):
        style = {"color": PALETTE[i % len(PALETTE)], "marker": SHAPES[i % len(SHAPES)]}
        made = ax.scatter(
            *points[groups[1] == i].T, s=18, linewidths=0, gid="samples", zorder=3, label=shorten(str(name)), **style
        )
        handles.append(made)
    return handles if len(handles) <= MOST_LISTED else []


def _draw_links(
    ax: Any, points: np.ndarray, ends: dict[str, np.ndarray], groups: tuple[list[Any], np.ndarray] | None
) -> list[Any]:
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    handles = []
    for kind, rows in ends.items():
        together = None if groups is None else groups[1][rows[:, 0]] == groups[1][rows[:, 1]]
        wrong = np.zeros(len(rows), bool) if together is None else together != (kind == "must-link")
        dashes: Any = "solid" if kind == "must-link" else "dotted"
        for which, colour, sign in ((~wrong, LINE, ""), (wrong, MISSED, "violated ")):
            count = int(which.sum())
            if not count:
                continue
            style = {"colors": colour, "linestyles": dashes, "linewidths": 1.6 if sign else 0.9}
            ax.add_collection(LineCollection(list(points[rows[which]]), gid=f"{sign}{kind}s", zorder=2, **style))
            text = f"{count:,} {kind}{'' if count == 1 else 's'}{', violated' if sign else ''}"
            handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=1.6 if sign else 0.9, label=text))
    return handles
