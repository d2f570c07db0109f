"""A hierarchy as one self-contained HTML file, to collapse, zoom and search, and to look up triplets.

`write_html` writes it to a file, `show_html` shows it in a notebook, `hierarchy_widget` shows it there and hands the
clade that is picked to Python, `to_html` returns it as text. The page contains its script and style sheet, makes no
network requests, and its security policy forbids any other script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from importlib.resources import files
from typing import IO, Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree._version import __version__
from tripletree.core.checks import check_count, check_support
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.html import drawn_heights, printable
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import MissingDependencyError
from tripletree.io.source import write_atomic
from tripletree.plots.annotations import LeafColumn, check_clades, check_columns
from tripletree.plots.layout import find_meeting_nodes
from tripletree.plots.style import LeafGroups, check_leaf_texts, encode_groups


class LeafExtras(NamedTuple):
    """What stands beside the leaves of a page, as `write_html` takes it."""

    annotations: Any = None
    clades: Any = None
    notes: Any = None
    second_names: Any = None


NOTHING = LeafExtras()


def make_page_data(
    hierarchy: Hierarchy,
    triplets: TripletSet | None,
    clusters: Any,
    classes: Any,
    heights: str,
    support: Any,
    beside: LeafExtras = NOTHING,
) -> dict[str, Any]:
    """The hierarchy, groups of its leaves and its triplets as plain lists, as the page's script (tree.js) reads them.

    The numbers of children in depth-first order determine the tree. Leaves are numbered by their rank in that order.
    Triplets (a, b, c) use these ranks and have the node u at which they are shown, or -1 - u if not displayed.
    """
    order, place, rank = depth_first(hierarchy)
    n = hierarchy.n_leaves
    leaves = order[order < n]
    inner = (order[order >= n] - n).tolist()
    clustered = encode_groups(clusters, hierarchy, "clusters", None)
    classed = encode_groups(classes, hierarchy, "classes", clustered)
    data: dict[str, Any] = {
        "children": hierarchy.n_children[order].tolist(),
        "axes": _make_height_axes(hierarchy, order, heights),
        "labels": [str(hierarchy.leaves[u]) for u in leaves.tolist()],
        "clusters": _encode_for_page(clustered, "cluster", "clusters", leaves),
        "classes": _encode_for_page(classed, "class", "classes", leaves),
    }
    if hierarchy.names is not None and any(name is not None for name in hierarchy.names):
        data["names"] = [hierarchy.names[k] for k in inner]
    if hierarchy.incertae_sedis is not None:
        data["open"] = np.flatnonzero(hierarchy.incertae_sedis[order]).tolist()
    if support is not None:
        sure = check_support(support, hierarchy.n_nodes - n)[inner]
        if not np.isnan(sure).all():
            data["support"] = [None if np.isnan(x) else float(f"{x:.7g}") for x in sure.tolist()]
    if triplets is not None:
        data["triplets"] = _place_triplets(hierarchy, triplets, place, rank)
    return data | _encode_beside(hierarchy, beside, (clustered, classed), leaves, place, rank)


def _encode_beside(
    tree: Hierarchy,
    beside: LeafExtras,
    groups: tuple[LeafGroups | None, ...],
    leaves: np.ndarray,
    place: np.ndarray,
    rank: np.ndarray,
) -> dict[str, Any]:
    """Columns, shaded clades, notes and second names as plain lists, if they are given."""
    data: dict[str, Any] = {}
    styles = max((int(x.style.max(initial=-1)) + 1 for x in groups if x is not None), default=0)
    columns = check_columns(beside.annotations, tree, styles)
    if columns:
        data["columns"] = [_encode_column(x, leaves) for x in columns]
    styles += sum(len(x.groups.names) for x in columns if x.groups is not None)
    named = check_clades(beside.clades, tree, styles)
    if named:
        data["clades"] = [
            {"name": x.name, "node": int(place[x.node]), "style": x.style, "runs": _runs(rank[x.leaves])} for x in named
        ]
    for key, given in (("notes", beside.notes), ("seconds", beside.second_names)):
        texts = check_leaf_texts(given, tree, "notes" if key == "notes" else "second_names")
        if texts is not None:
            data[key] = [texts[u] for u in leaves.tolist()]
    return data


def _runs(ranks: np.ndarray) -> list[list[int]]:
    """The first and last of each run of neighbouring ranks."""
    ranks = np.sort(ranks)
    breaks = np.flatnonzero(np.diff(ranks) > 1)
    return np.stack([ranks[np.append(0, breaks + 1)], ranks[np.append(breaks, -1)]], axis=1).tolist()


def _encode_column(column: LeafColumn, leaves: np.ndarray) -> dict[str, Any]:
    """A column of categories or of numbers, null where a number is missing."""
    if column.groups is not None:
        found = _encode_for_page(column.groups, column.name, column.name, leaves)
        assert found is not None
        return {"name": column.name, **found}
    assert column.values is not None
    numbers = column.values[leaves].tolist()
    return {"name": column.name, "values": [None if x != x else float(f"{x:.7g}") for x in numbers]}


def to_json(data: dict[str, Any]) -> str:
    """Data as JSON that is safe inside a script element, whatever its strings contain."""
    text = json.dumps(
        data, separators=(",", ":"), allow_nan=False
    )  # ASCII only, so that lone surrogates can be encoded
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def depth_first(hierarchy: Hierarchy) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Depth-first order of the nodes (children by smallest leaf), each node's place in it, and each leaf's rank."""
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    rank = engine.cut.reading_places(hierarchy.parent, n)
    first = [*rank.tolist(), *[n] * (N - n)]
    for u, p in enumerate(hierarchy.parent[:-1].tolist()):
        first[p] = min(first[p], first[u])
    order = np.lexsort(
        (-np.arange(N), np.array(first))
    )  # of nodes with the same first leaf, ancestors have higher numbers
    place = np.empty(N, np.int64)
    place[order] = np.arange(N)
    return order, place, rank


def _make_height_axes(hierarchy: Hierarchy, order: np.ndarray, heights: str) -> list[dict[str, Any]]:
    """The height axes to choose from, the default first. Levels are computed by the page itself."""
    height = hierarchy.height
    kinds = [heights, "level"]
    if height is not None and bool(np.isfinite(height).all()) and bool((height != height[0]).any()):
        kinds.insert(1, "height")
    found: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        up, unit = drawn_heights(hierarchy.parent, height, hierarchy.n_leaves, kind)
        axis: dict[str, Any] = {"unit": unit}
        if unit.startswith("height"):
            axis["up"] = [float(f"{x:.7g}") for x in up[order].tolist()]
        elif unit.startswith("order"):
            axis["up"] = up[order].astype(np.int64).tolist()
        found.setdefault(unit, axis)
    return list(found.values())


def _encode_for_page(groups: LeafGroups | None, one: str, many: str, leaves: np.ndarray) -> dict[str, Any] | None:
    """Clusters or classes as plain lists, or None."""
    if groups is None:
        return None
    return {
        "one": one,
        "many": many,
        "names": [str(name) for name in groups.names],
        "codes": groups.codes[leaves].tolist(),
        "style": groups.style.tolist(),
        "sizes": groups.sizes.tolist(),
        "isClade": [one == "class" or bool(x) for x in groups.is_clade],  # classes are no claim about the tree
    }


def _place_triplets(hierarchy: Hierarchy, triplets: TripletSet, place: np.ndarray, rank: np.ndarray) -> dict[str, Any]:
    """The triplets sorted by node: the last common ancestor of a and b if displayed, else of all three."""
    number = np.full(len(triplets.leaves), -1, np.int32)
    used = triplets.used_leaves
    number[used] = hierarchy.leaves.indices((triplets.leaves[i] for i in used.tolist()), what="triplets' leaves")
    rows = number[triplets.rows]
    inner, outer = find_meeting_nodes(hierarchy, rows[:, :2]), find_meeting_nodes(hierarchy, rows[:, ::2])
    shown = inner < outer
    node = place[np.where(shown, inner, np.maximum(inner, outer))]
    ranks = rank[rows]
    order = np.lexsort((*ranks.T[::-1], node))
    found: dict[str, Any] = {
        "rows": ranks[order].ravel().tolist(),
        "at": np.where(shown, node, -1 - node)[order].tolist(),
    }
    if triplets.weights is not None:
        found["weights"] = triplets.weights[order].tolist()
    return found


SCRIPTS = (
    "tree.js",
    "shapes.js",
    "drawing.js",
    "beside.js",
    "circle.js",
    "overlay.js",
    "viewer.js",
    "save.js",
    "panel.js",
)


def write_html(
    hierarchy: Any,
    path: str | os.PathLike[str] | IO[Any],
    *,
    triplets: TripletSet | None = None,
    clusters: Any = None,
    classes: Any = None,
    heights: str = "auto",
    support: Any = None,
    annotations: Any = None,
    clades: Any = None,
    notes: Any = None,
    second_names: Any = None,
    title: str | None = None,
) -> None:
    """Write a hierarchy as one self-contained HTML file: collapse, zoom, search, look up triplets, save as SVG.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
        An estimator needs `hierarchy_`. Its `labels_` are the default for `clusters` if it has them, and its
        `clade_support_` is the default for `support`.
    path : path, file object or "-"
        A file is replaced in one step once everything is written. ``"-"`` is the standard output.
    triplets : TripletSet, optional
        Listed at the node under the pointer: a triplet ab|c that the hierarchy displays at the last common ancestor of
        a and b, one that it does not display at the last common ancestor of a, b and c.
    clusters : sequence or mapping, optional
        The cluster of each leaf, in leaf order (as from `cut`) or by leaf label. Shown by colour and dashes of lines.
    classes : sequence or mapping, optional
        The class of each leaf, likewise. Shown by coloured shapes at the leaves.
    heights : {"auto", "height", "order", "level"}, default="auto"
        Values of the height axis at first, as in `plot_dendrogram`: "auto" takes heights if there are any, and the
        order of merging if more than a tenth of the branches are inverted. The page offers the others.
    support : array_like of float, shape (inner nodes,), optional
        How sure each inner node is, such as ``DivisiveReCon.clade_support_`` or ``supertree(...).support``. NaN if
        nothing is known. The page writes it at the nodes, and folds every largest clade in which no clade reaches a
        number that the reader gives. The clade itself counts, too. The root stays open.
    annotations : DataFrame or mapping, optional
        Columns of tiles beside the leaves, as for `plot_dendrogram`: categories and numbers. Folded clades show shares
        and means, and the panel beside the tree has the entries of the selected node.
    clades : mapping or iterable, optional
        Clades to shade and to name, as for `plot_dendrogram`.
    notes : sequence or mapping, optional
        A text for some leaves, in leaf order (None for no note) or by label. Leaves with one have a star, and the panel
        shows it.
    second_names : sequence or mapping, optional
        Another name of each leaf, likewise, such as its genus, language or product. It stands behind the label, and
        the search finds it.
    title : str, optional
        By default the name of the root, or the number of leaves if it has no name.

    See Also
    --------
    show_html : inside a notebook. to_html : returns the page as text.
    plot_dendrogram : a static picture.

    Notes
    -----
    Hierarchies of more than 600 leaves are collapsed at first, except for their largest clades. The file takes about 30
    bytes per leaf besides its label, and 15 per triplet. Equal input gives equal bytes. Labels are shown as plain text
    and never executed. A click selects a node, a second one folds it. A button draws the tree as a circle. Others save
    the view as SVG (with text that stays text) or PNG, on white and with a legend, and the selected clade as Newick.
    More rows than a PNG can show are refused with the way. A print has all rows that are shown, on as many pages as
    they take.

    Examples
    --------
    >>> h = tt.Hierarchy.from_nested([["human", "chimp"], "gorilla"])
    >>> import io
    >>> page = io.StringIO()
    >>> write_html(h, page, title="Apes")
    >>> "<title>Apes</title>" in page.getvalue()
    True
    """
    shown: dict[str, Any] = {"triplets": triplets, "clusters": clusters, "classes": classes, "heights": heights}
    beside: dict[str, Any] = {
        "annotations": annotations,
        "clades": clades,
        "notes": notes,
        "second_names": second_names,
    }
    page = to_html(hierarchy, **shown, **beside, support=support, title=title)
    with write_atomic(path) as stream:
        stream.write(page)


def to_html(
    hierarchy: Any,
    *,
    triplets: TripletSet | None = None,
    clusters: Any = None,
    classes: Any = None,
    heights: str = "auto",
    support: Any = None,
    annotations: Any = None,
    clades: Any = None,
    notes: Any = None,
    second_names: Any = None,
    title: str | None = None,
) -> str:
    """Return the page of `write_html` as text.

    Parameters
    ----------
    hierarchy, triplets, clusters, classes, heights, support, annotations, clades, notes, second_names, title
        As for `write_html`.

    Returns
    -------
    str
        A whole HTML document.

    See Also
    --------
    write_html : into a file.

    Examples
    --------
    >>> page = to_html(tt.Hierarchy.from_nested([["</script>", "b"], "c"]))
    >>> page.startswith("<!doctype html>"), page.count("</script>")
    (True, 2)
    """
    tree = check_hierarchy(hierarchy)
    if clusters is None and tree is not hierarchy:
        clusters = getattr(hierarchy, "labels_", None)
    if support is None and tree is not hierarchy:
        support = getattr(hierarchy, "clade_support_", None)
    given = None if triplets is None else check_triplets(triplets)
    summary = re.sub(r"\d+", lambda match: f"{int(match[0]):,}", repr(tree).partition(": ")[2].removesuffix(">"))
    if given is not None:
        summary += f"; {len(given):,} triplet{'' if len(given) == 1 else 's'}"
    beside = LeafExtras(annotations, clades, notes, second_names)
    parts = viewer_parts(tree, given, clusters, classes, heights, support, beside)
    named = tree.label(tree.root) or summary.partition(", ")[0]
    name = printable(str(named if title is None else title))
    parts |= {"title": html.escape(name), "summary": html.escape(summary)}
    return fill_template(_read_text("page.html"), parts)


def viewer_parts(
    hierarchy: Hierarchy,
    triplets: TripletSet | None,
    clusters: Any,
    classes: Any,
    heights: str,
    support: Any,
    beside: LeafExtras = NOTHING,
) -> dict[str, str]:
    """The parts of a page that shows a hierarchy, by the names of the placeholders in its template.

    "controls" and "viewer" are elements, "style", "script" and "data" the content of elements of the same names. Hashes
    of the first two are for the security policy. "picture" is the top of the hierarchy as an image.
    """
    picture = hierarchy._repr_html_()
    style = _read_text("page.css")
    script = "(() => {\n'use strict';\n" + "\n".join(map(_read_text, SCRIPTS)) + "})();\n"  # in one function scope
    return {
        "version": __version__,
        "style": style,
        "style-hash": content_hash(style),
        "script": script,
        "script-hash": content_hash(script),
        "picture": picture,
        "controls": _read_text("controls.html"),
        "viewer": fill_template(_read_text("viewer.html"), {"picture": picture}),
        "data": to_json(make_page_data(hierarchy, triplets, clusters, classes, heights, support, beside)),
    }


class PageView:
    """A page inside a notebook, as `show_html` returns it: shown where it is the last value of a cell.

    Parameters
    ----------
    page : str
        A whole HTML document.
    height : int
        Pixels.

    Examples
    --------
    >>> view = show_html(tt.Hierarchy.from_nested([["human", "chimp"], "gorilla"]))
    >>> view.page.startswith("<!doctype html>")
    True
    """

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        style = "width:100%;border:1px solid #ccc;border-radius:4px"
        return f'<iframe srcdoc="{html.escape(self.page)}" height="{self.height}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<PageView: {len(self.page):,} characters of HTML; notebooks show it, write_html writes it to a file>"


def show_html(
    hierarchy: Any,
    *,
    triplets: TripletSet | None = None,
    clusters: Any = None,
    classes: Any = None,
    heights: str = "auto",
    support: Any = None,
    annotations: Any = None,
    clades: Any = None,
    notes: Any = None,
    second_names: Any = None,
    title: str | None = None,
    height: int = 520,
) -> PageView:
    """Show the page of `write_html` inside a notebook: fold, zoom, search, look up triplets, save as SVG or Newick.

    Parameters
    ----------
    hierarchy, triplets, clusters, classes, heights, support, annotations, clades, notes, second_names, title
        As for `write_html`.
    height : int
        Pixels that the view takes. It is as wide as the cell.

    Returns
    -------
    PageView
        Shown where it is the last value of a cell. ``.page`` is the document.

    See Also
    --------
    write_html : into a file. hierarchy_widget : hands the clade that is picked to Python.
    plot_dendrogram : a static picture.

    Notes
    -----
    The page is an inline frame with everything in it, so it works without a network and in exported notebooks. Jupyter
    shows frames in notebooks that it trusts, such as notebooks you have run yourself.

    Examples
    --------
    >>> show_html(tt.Hierarchy.from_nested([["human", "chimp"], "gorilla"]))._repr_html_()[:16]
    '<iframe srcdoc="'
    """
    tall = check_count(height, "height", 100)
    shown: dict[str, Any] = {"triplets": triplets, "clusters": clusters, "classes": classes, "heights": heights}
    beside: dict[str, Any] = {
        "annotations": annotations,
        "clades": clades,
        "notes": notes,
        "second_names": second_names,
    }
    page = to_html(hierarchy, **shown, **beside, support=support, title=title)
    return PageView(page, tall)


def hierarchy_widget(
    hierarchy: Any,
    *,
    triplets: TripletSet | None = None,
    clusters: Any = None,
    classes: Any = None,
    heights: str = "auto",
    support: Any = None,
    annotations: Any = None,
    clades: Any = None,
    notes: Any = None,
    second_names: Any = None,
    title: str | None = None,
    height: int = 520,
) -> Any:
    """Show the view of `show_html` as a widget that hands the clade that is picked in it to Python.

    Parameters
    ----------
    hierarchy, triplets, clusters, classes, heights, support, annotations, clades, notes, second_names, title, height
        As for `show_html`.

    Returns
    -------
    anywidget.AnyWidget
        Shown where it is the last value of a cell: JupyterLab, VS Code, marimo and whatever else shows anywidgets. A
        node is picked by a click, a key or a search. ``.node`` is its number in ``.hierarchy``, ``.leaves`` are the
        numbers of the leaves below it (with an estimator the rows of its samples), ``.clade`` their labels. All three
        are None until a node is picked. ``.observe(f, "node")`` calls f at each pick, and the page goes to a node
        that ``.node`` is set to.

    See Also
    --------
    show_html : needs nothing but a notebook.

    Notes
    -----
    A number that is not a node of the hierarchy, from Python or from the page, raises a TraitError, and the picked node
    stays.

    Examples
    --------
    >>> h = tt.Hierarchy.from_nested([["human", "chimp"], "gorilla"])
    >>> view = hierarchy_widget(h)  # doctest: +SKIP
    >>> view.node, view.clade  # after a click on the clade of two leaves  # doctest: +SKIP
    (3, ['human', 'chimp'])
    """
    try:
        from tripletree.plots.page.notebook import HierarchyWidget
    except ImportError as error:
        raise MissingDependencyError(error.name or "anywidget", "ask", "hierarchy_widget") from None
    shown: dict[str, Any] = {"triplets": triplets, "clusters": clusters, "classes": classes, "heights": heights}
    beside: dict[str, Any] = {
        "annotations": annotations,
        "clades": clades,
        "notes": notes,
        "second_names": second_names,
    }
    view = show_html(hierarchy, **shown, **beside, support=support, title=title, height=height)
    tree = check_hierarchy(hierarchy)
    return HierarchyWidget(tree, depth_first(tree)[0], view.page, view.height)


def _read_text(name: str) -> str:
    """A file of this package."""
    return files("tripletree.plots.page").joinpath(name).read_text(encoding="utf-8")


def fill_template(template: str, parts: dict[str, str]) -> str:
    """Fill a template in one pass, so that placeholders inside the parts are never replaced."""
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda match: parts[match[1]], template)


def content_hash(source: str) -> str:
    """The hash by which the security policy allows this script or style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
