"""A hierarchy as one HTML file that needs nothing else: to fold, zoom and search, with the triplets under the pointer.

`write_html` writes it, `to_html` gives the text. The page holds its own script and style and asks no network; its
security policy forbids any other script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from importlib.resources import files
from typing import IO, Any

from tripletree._checks import expect_triplets
from tripletree._pictures import printable
from tripletree._version import __version__
from tripletree.io._files import write_atomic
from tripletree.pages._data import as_json, page_data
from tripletree.plots._marks import expect_tree
from tripletree.triplets import TripletSet

__all__ = ["to_html", "write_html"]

SCRIPTS = ("tree.js", "marks.js", "drawing.js", "overlay.js", "viewer.js", "panel.js")


def write_html(
    hierarchy: Any,
    path: str | os.PathLike[str] | IO[Any],
    *,
    triplets: TripletSet | None = None,
    clusters: Any = None,
    classes: Any = None,
    title: str | None = None,
) -> None:
    """Write a hierarchy as one self-contained HTML file: to fold, zoom and search, triplets under the pointer.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
        An estimator needs `hierarchy_`; its `labels_`, where it has them, are the default for `clusters`.
    path : path, file object or "-"
        A path is replaced in one step when all is written; ``"-"`` is the standard output.
    triplets : TripletSet, optional
        Shown for the node under the pointer: those ab|c that the hierarchy displays where a meets b, those that it
        does not where a, b and c have met.
    clusters : sequence or mapping, optional
        The cluster of each leaf, in leaf order (as from `cut`) or by leaf label; colours and dashes of the lines.
    classes : sequence or mapping, optional
        The class of each leaf, likewise; coloured shapes at the leaves.
    title : str, optional
        By default it says how many leaves there are.

    Raises
    ------
    TypeError
        If `hierarchy` is neither a Hierarchy nor a fitted estimator.
    InvalidLabelsError
        If `clusters` or `classes` has not one entry a leaf.
    UnknownLeafError
        If `triplets`, or a mapping, names a leaf that the hierarchy lacks.

    See Also
    --------
    to_html : the same as text.
    plot_dendrogram : a picture for paper.

    Notes
    -----
    Hierarchies of more than 600 leaves open folded, the largest clades first. The file takes some 30 bytes a leaf
    besides its label, 15 a triplet. Equal input gives equal bytes. Labels are shown as they are and never run.

    Examples
    --------
    >>> h = tt.Hierarchy.from_nested([["human", "chimp"], "gorilla"])
    >>> import io
    >>> page = io.StringIO()
    >>> write_html(h, page, title="Apes")
    >>> "<title>Apes</title>" in page.getvalue()
    True
    """
    page = to_html(hierarchy, triplets=triplets, clusters=clusters, classes=classes, title=title)
    with write_atomic(path) as stream:
        stream.write(page)


def to_html(
    hierarchy: Any,
    *,
    triplets: TripletSet | None = None,
    clusters: Any = None,
    classes: Any = None,
    title: str | None = None,
) -> str:
    """Return what `write_html` writes, as text.

    Parameters
    ----------
    hierarchy, triplets, clusters, classes, title
        As for `write_html`.

    Returns
    -------
    str
        A whole HTML document.

    Raises
    ------
    TypeError, InvalidLabelsError, UnknownLeafError
        As `write_html`.

    See Also
    --------
    write_html : into a file.

    Examples
    --------
    >>> page = to_html(tt.Hierarchy.from_nested([["</script>", "b"], "c"]))
    >>> page.startswith("<!doctype html>"), page.count("</script>")
    (True, 2)
    """
    tree = expect_tree(hierarchy)
    if clusters is None and tree is not hierarchy:
        clusters = getattr(hierarchy, "labels_", None)
    given = None if triplets is None else expect_triplets(triplets)
    summary = re.sub(r"\d+", lambda match: f"{int(match[0]):,}", repr(tree).partition(": ")[2].removesuffix(">"))
    if given is not None:
        summary += f"; {len(given):,} triplet{'' if len(given) == 1 else 's'}"
    style, script = _sources()
    return _filled(
        {
            "version": __version__,
            "title": html.escape(printable(summary.partition(", ")[0] if title is None else str(title))),
            "summary": html.escape(summary),
            "style": style,
            "style-hash": _hash(style),
            "script": script,
            "script-hash": _hash(script),
            "picture": tree._repr_html_(),
            "data": as_json(page_data(tree, given, clusters, classes)),
        }
    )


def _text(name: str) -> str:
    """A file of this package."""
    return files("tripletree.pages").joinpath(name).read_text(encoding="utf-8")


def _sources() -> tuple[str, str]:
    """The style sheet, and the script in a scope of its own."""
    return _text("page.css"), "(() => {\n'use strict';\n" + "\n".join(map(_text, SCRIPTS)) + "})();\n"


def _filled(parts: dict[str, str]) -> str:
    """The page with its parts in their places, filled in one pass: what a part holds is never taken for a place."""
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda match: parts[match[1]], _text("page.html"))


def _hash(source: str) -> str:
    """How a security policy names the one script or style sheet that may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
