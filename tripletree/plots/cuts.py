"""Small multiples: one hierarchy cut into several numbers of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._checks import expect_count
from tripletree.cuts import cut
from tripletree.errors import ClusterCountError
from tripletree.plots._marks import expect_tree, pyplot_for
from tripletree.plots.dendrogram import plot_dendrogram
from tripletree.triplets import TripletSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_cuts"]

PANEL = (3.4, 2.6)  # inches
TIPS = 60


def plot_cuts(
    hierarchy: Any,
    n_clusters: Iterable[int] = (2, 3, 4, 5, 6, 8),
    *,
    axes: Any = None,
    rule: str | None = None,
    triplets: TripletSet | None = None,
    classes: Any = None,
    heights: str = "auto",
    max_leaves: int = TIPS,
) -> list[Axes]:
    """Draw a hierarchy several times, cut into several numbers of clusters.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
    n_clusters : iterable of int
        A panel for each.
    axes : array of matplotlib Axes, optional
        As many as panels; by default a new pyplot figure, which the caller closes.
    rule, triplets
        As for `tripletree.cut`.
    classes : sequence or mapping, optional
        As in `plot_dendrogram`.
    heights : {"auto", "height", "order", "level"}
        As in `plot_dendrogram`.
    max_leaves : int
        Tips of each panel, above which subtrees collapse. Every panel collapses by its own clusters.

    Returns
    -------
    list of matplotlib Axes
        In the order of `n_clusters`. Titles say the number of clusters and their sizes, or that no cut gives as many.

    Raises
    ------
    ValueError
        If there are not as many axes as numbers, or none.
    TypeError, InvalidLabelsError, UnknownLeafError, MissingDependencyError
        As in `plot_dendrogram` and `tripletree.cut`.

    See Also
    --------
    tripletree.cut : the clusters.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from tripletree.hierarchy import Hierarchy
    >>> panels = plot_cuts(Hierarchy.from_nested([["a", "b"], ["c", "d"]]), [2, 3], rule="height")
    >>> [ax.get_title(loc="left") for ax in panels]
    ['2 clusters: 2, 2', '3 clusters: 1, 1, 2']
    >>> matplotlib.pyplot.close(panels[0].figure)
    """
    tree = expect_tree(hierarchy)
    numbers = [expect_count(k, "n_clusters", 1) for k in n_clusters]
    most = expect_count(max_leaves, "max_leaves", 2)
    if not numbers:
        msg = "n_clusters is empty: say at least one number of clusters"
        raise ValueError(msg)
    found: list[np.ndarray | None] = []
    for k in numbers:
        try:
            found.append(cut(tree, k, rule=rule, triplets=triplets))
        except ClusterCountError:
            found.append(None)
    plt = pyplot_for("plot_cuts")
    if axes is None:
        across = min(len(numbers), 3)
        down = -(-len(numbers) // across)
        size = (PANEL[0] * across, PANEL[1] * down)
        figure, grid = plt.subplots(down, across, figsize=size, squeeze=False, gridspec_kw={"hspace": 0.35})
        figure.subplots_adjust(left=0.08, right=0.98, bottom=0.05, top=1 - 0.35 / size[1])
        panels = list(grid.ravel())
        for spare in panels[len(numbers) :]:
            spare.remove()
        panels = panels[: len(numbers)]
    else:
        panels = list(np.ravel(np.asarray(axes, dtype=object)))
    if len(panels) != len(numbers):
        msg = f"{len(panels)} axes for {len(numbers)} numbers of clusters: give one for each"
        raise ValueError(msg)
    for ax, k, labels in zip(panels, numbers, found, strict=True):
        _panel(ax, tree, k, labels, classes, heights, most)
    return panels


def _panel(ax: Any, tree: Any, k: int, labels: np.ndarray | None, classes: Any, heights: str, most: int) -> None:
    noun = "cluster" if k == 1 else "clusters"
    known: dict[str, Any] = {} if labels is None else {"clusters": labels, "cut": "clusters"}
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
    ax.set_title(title, loc="left", fontsize=9)
