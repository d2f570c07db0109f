"""One hierarchy cut into several numbers of clusters, as small panels side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.algorithms.cut import cut
from tripletree.core.checks import check_count
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError
from tripletree.plots.dendrogram import plot_dendrogram
from tripletree.plots.layout import match_styles
from tripletree.plots.legend import headed
from tripletree.plots.style import (
    LeafGroups,
    check_axes,
    check_width,
    class_marker,
    close_on_error,
    encode_groups,
    find_theme,
    import_pyplot,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = (3.4, 2.6)  # inches
TIPS = 60
LEGEND = 12  # most classes that the legend lists


@close_on_error
def plot_cuts(
    hierarchy: Any,
    n_clusters: int | Iterable[int] = (2, 3, 4, 5, 6, 8),
    *,
    axes: Any = None,
    width: float | str | None = None,
    rule: str = "auto",
    triplets: TripletSet | None = None,
    classes: Any = None,
    heights: str = "auto",
    max_leaves: int = TIPS,
) -> list[Axes]:
    """Draw a hierarchy several times, cut into several numbers of clusters.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
    n_clusters : int or iterable of int
        One panel for each.
    axes : array of matplotlib Axes, optional
        One for each panel. By default a new pyplot figure, which the caller closes.
    width : "column", "page" or float, optional
        Width of the new figure, as in `plot_dendrogram`.
    rule, triplets
        As for `tripletree.cut`.
    classes : sequence or mapping, optional
        As in `plot_dendrogram`. A class has one colour and shape in all panels, a cluster the colour of the class that
        it shares most leaves with, and there is one legend for all panels.
    heights : {"auto", "height", "order", "level"}
        As in `plot_dendrogram`, but "auto" is "order" if any height is inverted: a line that cuts a tree needs every
        node below its parent.
    max_leaves : int
        Maximum number of tips per panel, above which subtrees collapse. Each panel collapses by its own clusters.

    Returns
    -------
    list of matplotlib Axes
        In the order of `n_clusters`. Titles give the number of clusters and their sizes, or state that no cut gives
        that many.

    See Also
    --------
    tripletree.cut : finds the clusters.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from tripletree.core.hierarchy import Hierarchy
    >>> panels = plot_cuts(Hierarchy.from_nested([["a", "b"], ["c", "d"]]), [2, 3], rule="height")
    >>> [ax.get_title(loc="left") for ax in panels]
    ['2 clusters: 2, 2', '3 clusters: 1, 1, 2']
    >>> matplotlib.pyplot.close(panels[0].figure)
    """
    tree = check_hierarchy(hierarchy)
    several = n_clusters if isinstance(n_clusters, Iterable) else [n_clusters]
    numbers = [check_count(k, "n_clusters", 1) for k in several]
    most = check_count(max_leaves, "max_leaves", 2)
    if not numbers:
        msg = "n_clusters is empty; give at least one number of clusters"
        raise ValueError(msg)
    found: list[np.ndarray | None] = []
    for k in numbers:
        try:
            found.append(cut(tree, k, rule=rule, triplets=triplets))
        except ClusterCountError:
            found.append(None)
    classed = encode_groups(classes, tree, "classes", None)
    if heights == "auto" and tree.height is not None and _is_inverted(tree):
        heights = "order"
    plt = import_pyplot("plot_cuts")
    own, wide = axes is None, check_width(width, axes)
    if own:
        across = min(len(numbers), 3 if wide is None else max(int(wide / 1.7), 1))
        down = -(-len(numbers) // across)
        panel = PANEL if wide is None else (wide / across, PANEL[1] * max(wide / across / PANEL[0], 0.6))
        size = (panel[0] * across, panel[1] * down)
        figure, grid = plt.subplots(
            down, across, figsize=size, squeeze=False, gridspec_kw={"hspace": 0.42, "wspace": 0.24}
        )
        figure.subplots_adjust(left=0.08, right=0.98, bottom=0.45 / size[1], top=1 - 0.35 / size[1])
        panels = list(grid.ravel())
        for spare in panels[len(numbers) :]:
            spare.remove()
        panels = panels[: len(numbers)]
    else:
        panels = list(np.ravel(np.asarray(axes, dtype=object)))
        for ax in panels:
            check_axes(ax)
    if len(panels) != len(numbers):
        msg = f"{len(panels)} axes for {len(numbers)} numbers of clusters; give one for each"
        raise ValueError(msg)
    for ax, k, labels in zip(panels, numbers, found, strict=True):
        _draw_panel(ax, tree, k, labels, classed, heights, most)
    _share_annotations(panels, classed, own)
    return panels


def _is_inverted(tree: Hierarchy) -> bool:
    """Tell whether some node is above its parent."""
    assert tree.height is not None
    return bool((tree.height[tree.parent[:-1]] < tree.height[:-1]).any())


def _draw_panel(
    ax: Any, tree: Any, k: int, labels: np.ndarray | None, classes: LeafGroups | None, heights: str, most: int
) -> None:
    noun = "cluster" if k == 1 else "clusters"
    known: dict[str, Any] = {}
    if labels is not None:
        clusters = encode_groups(labels, tree, "clusters", None)
        if classes is not None and clusters is not None:
            style = match_styles(clusters.codes, len(clusters.names), classes.codes, len(classes.names))
            clusters = clusters._replace(style=style)
        known = {"clusters": clusters, "cut": "clusters"}
    plot_dendrogram(
        tree,
        ax=ax,
        orientation="top",
        classes=classes,
        heights=heights,
        max_leaves=most,
        labels=False,
        legend=False,
        **known,
    )
    if labels is None:
        title = f"{k:,} {noun}: no cut gives them"
    else:
        sizes = np.bincount(labels)
        title = f"{k:,} {noun}: {', '.join(f'{x:,}' for x in sizes[:6].tolist())}{', ...' if sizes.size > 6 else ''}"
        apart = int((~known["clusters"].is_clade).sum())
        if apart:
            title += f" ({apart:,} not {'a clade' if apart == 1 else 'clades'})"
    ax.set_title(title, loc="left", fontsize=9)


def _share_annotations(panels: list[Any], classes: LeafGroups | None, own: bool) -> None:
    """Keep parts that are the same in all panels once: the label of the height axis, and a legend of the classes."""
    from matplotlib.lines import Line2D

    figure = panels[0].figure
    unit, _, note = panels[0].get_ylabel().partition(" (")
    left = min(ax.get_position().x0 for ax in panels)
    for ax in panels:
        ax.set_ylabel(unit if not own or ax.get_position().x0 == left else "", fontsize=9)
        ax.xaxis.label.set_fontsize(8)
        ax.tick_params(labelsize=8)
    if note and own:
        figure.text(0.99, 0.08 / figure.get_size_inches()[1], note.rstrip(")"), ha="right", va="bottom", fontsize=8)
    if classes is None or not classes.names:
        return
    some, rim = range(min(len(classes.names), LEGEND)), find_theme(panels[0]).paper
    handles = [Line2D([], [], markersize=6, **class_marker(int(classes.style[k]), rim)) for k in some]
    texts = [f"{shorten(str(classes.names[k]), 20)} ({classes.sizes[k]:,})" for k in some]
    if len(classes.names) > LEGEND:
        handles.append(Line2D([], [], linestyle="none"))
        texts.append(f"and {len(classes.names) - LEGEND:,} more classes")
    handles, texts = headed("classes", handles, texts)
    if own:
        across = max(int(figure.get_size_inches()[0] / (0.55 + 0.075 * max(map(len, texts)))), 1)
        high = 0.2 * -(-len(texts) // across) + 0.1
        _grow(figure, high)
        at: dict[str, Any] = {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, 1.0),
            "ncols": across,
            "borderaxespad": 0.3,
        }
        legend = figure.legend(handles, texts, fontsize=8, frameon=False, **at)
    else:
        legend = panels[0].legend(handles, texts, fontsize=7, frameon=False, loc="upper right")
    for text in legend.get_texts():
        text.set_parse_math(False)


def _grow(figure: Any, inches: float) -> None:
    """Make the figure taller at its top. The panels keep their size."""
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + inches)
    share = height / (height + inches)
    at = figure.subplotpars
    figure.subplots_adjust(bottom=at.bottom * share, top=at.top * share)
