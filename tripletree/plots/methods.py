"""Methods compared: mean scores with their errors, or mean ranks with the critical difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree.core.checks import check_choice, described
from tripletree.plots.style import MISSED, PALETTE, close_on_error, import_pyplot, shorten

#: Inches for each method, and for the margins.
_ROW, _AROUND = 0.3, 1.3
_ACROSS = 2.6


@close_on_error
def plot_methods(comparison: Any, *, kind: str = "scores", alpha: float = 0.05, title: str | None = None) -> Any:
    """Draw the result of `tripletree.compare_methods`.

    Parameters
    ----------
    comparison : MethodComparison
    kind : {"scores", "ranks"}
        "scores": a panel for each data set, a dot for each method with two standard errors of the mean to either side,
        or "failed" where all draws did. With a baseline a line where it is. "ranks": the mean rank of each method
        over the data sets, with bars that join methods which do not differ by the critical difference.
    alpha : float
        Level of the critical difference, for "ranks".
    title : str, optional

    Returns
    -------
    matplotlib.figure.Figure

    See Also
    --------
    tripletree.compare_methods

    References
    ----------
    .. [1] Demšar (2006), Statistical comparisons of classifiers over multiple data sets, J. Mach. Learn. Res. 7, 1-30.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from tripletree.cluster import COPKMeans
    >>> X, y = [[0.0], [0.1], [2.0], [2.1], [4.0], [4.1]], [0, 0, 0, 1, 1, 1]
    >>> methods = {"k-means": KMeans(n_init=2), "COP": COPKMeans()}
    >>> found = tt.compare_methods(methods, [("line", X, y)], amount=5, n_draws=2)
    >>> figure = plot_methods(found, kind="ranks")
    >>> len(figure.axes)
    1
    """
    if not all(hasattr(comparison, x) for x in ("table", "ranks", "critical_difference")):
        msg = f"expected the result of compare_methods, not {described(comparison)}"
        raise TypeError(msg)
    check_choice(kind, "kind", ("scores", "ranks"))
    gap = comparison.critical_difference(alpha) if kind == "ranks" else 0.0
    pyplot = import_pyplot("plot_methods")
    draw = _draw_ranks if kind == "ranks" else _draw_scores
    figure = draw(pyplot, comparison, gap, alpha)
    if title is not None:
        figure.suptitle(title)
    return figure


def _draw_scores(pyplot: Any, comparison: Any, _gap: float, _alpha: float) -> Any:
    """Return a panel for each data set, methods in the order of their mean ranks."""
    order = [x["method"] for x in comparison.ranks()][::-1]
    score, sets = comparison.scores[0], comparison.data_sets
    rows = {(x["data"], x["method"]): x for x in comparison.table()}
    figure, axes = pyplot.subplots(
        1,
        len(sets),
        sharey=True,
        squeeze=False,
        figsize=(2.2 + _ACROSS * len(sets), _AROUND + _ROW * len(order)),
        layout="constrained",
    )
    for axis, data in zip(axes[0], sets, strict=True):
        base = rows[data, comparison.baseline][score] if comparison.baseline is not None else None
        if base is not None:
            axis.axvline(base, color="#999999", linewidth=1, linestyle=(0, (4, 2)))
        for k, method in enumerate(order):
            row = rows[data, method]
            if row[score] is None:
                where = {"xycoords": ("axes fraction", "data"), "va": "center"}
                axis.annotate("failed", (0.03, k), color=MISSED, fontsize=8, **where)
                continue
            error = 2 * (row[f"{score}_error"] or 0.0)
            axis.errorbar(row[score], k, xerr=error, fmt="o", color=PALETTE[0], markersize=5, elinewidth=1.4)
            if row["failed"]:
                axis.annotate(
                    f"{row['failed']} failed",
                    (row[score], k),
                    textcoords="offset points",
                    xytext=(0, 5),
                    ha="center",
                    fontsize=7,
                    color=MISSED,
                )
        axis.set_title(shorten(data), fontsize=10)
        axis.set_xlabel(f"{score} ± 2 standard errors")
        axis.grid(axis="x", linewidth=0.4, color="#dddddd")
        axis.set_axisbelow(True)
        axis.margins(x=0.12)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_yticks(range(len(order)), [shorten(x) for x in order])
    axes[0, 0].set_ylim(-0.7, len(order) - 0.3)
    return figure


def _draw_ranks(pyplot: Any, comparison: Any, gap: float, alpha: float) -> Any:
    """Mean ranks, the best on top, and a bar for each run of methods that do not differ."""
    rows = comparison.ranks()
    k = len(rows)
    figure, axis = pyplot.subplots(figsize=(6.4, _AROUND + _ROW * k), layout="constrained")
    ranks = np.array([x["rank"] for x in rows])
    errors = np.array([x["rank_error"] or 0.0 for x in rows])
    at = np.arange(k)[::-1]
    axis.errorbar(ranks, at, xerr=errors, fmt="o", color=PALETTE[0], markersize=5, elinewidth=1.4)
    for x, (first, last) in enumerate(alike_runs(ranks, gap)):
        axis.plot(
            [k + 0.45 + 0.18 * x] * 2, [at[first], at[last]], color="#222222", linewidth=3, solid_capstyle="round"
        )
    axis.set_yticks(at, [shorten(x["method"]) for x in rows])
    axis.set_xlabel("mean rank (1 is best)")
    n = len(comparison.data_sets)
    note = f"{n} data set{'s' * (n != 1)}; bars join methods within the critical difference {gap:.2f} (level {alpha:g})"
    axis.set_title(note, fontsize=9, loc="left")
    axis.set_ylim(-0.7, k - 0.3)
    axis.set_xlim(left=0.7)
    axis.grid(axis="x", linewidth=0.4, color="#dddddd")
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    return figure


def alike_runs(ranks: np.ndarray, gap: float) -> list[tuple[int, int]]:
    """Return the longest runs of sorted ranks whose ends differ by less than `gap`, as first and last positions."""
    found: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[first] + gap, side="left")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
