"""The command that draws a hierarchy: ``plot``."""

from __future__ import annotations

from typing import Any

import click

from tripletree.algorithms.cut import cut as cut_into
from tripletree.cli.outputs import check_apart, check_picture_format, save_figure
from tripletree.cli.reading import read_hierarchy, reading_options
from tripletree.cli.shell import with_options
from tripletree.cli.sources import (
    check_class_columns,
    class_columns_option,
    given_name,
    options_of_files,
    read_classes,
    read_pair_file,
    read_triplet_file,
    table_options,
)
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import UnknownLeafError
from tripletree.plots import plot_dendrogram
from tripletree.plots.page import write_html

ORIENTATIONS = ("left", "right", "top", "bottom")
EXAMPLES = """
    \b
    Examples:
      tripletree plot sample:primates -o primates.png
      tripletree decompose sample:primates | tripletree plot sample:primates --triplets - --clusters 4 -o primates.svg
      tripletree plot sample:mammals --html mammals.html
      tripletree plot sample:mammals --layout circular --max-leaves 60 -o mammals.pdf
    """


def _looks(command: Any) -> Any:
    """Add the options for how the picture looks."""
    options = (
        click.option(
            "--layout",
            type=click.Choice(["rectangular", "circular"]),
            default="rectangular",
            show_default=True,
            help="Circular: the root in the middle.",
        ),
        click.option(
            "--orientation", type=click.Choice(ORIENTATIONS), default="left", show_default=True, help="The root's side."
        ),
        click.option(
            "--heights",
            type=click.Choice(["auto", "height", "order", "level"]),
            default="auto",
            show_default=True,
            help="Values of the height axis: branch lengths, the order of nodes, or levels.",
        ),
        click.option(
            "--max-leaves",
            type=click.IntRange(min=0),
            metavar="N",
            help="Draw N tips: larger subtrees collapse. 0 draws all; by default as many as can be read.",
        ),
        click.option("--title"),
    )
    return with_options(command, options)


@click.command(epilog=EXAMPLES)
@click.argument("file")
@click.option("-o", "--output", metavar="FILE", help="The picture: .png, .pdf, .svg, ...")
@click.option("--html", "page", metavar="FILE", help="A page for the browser: to fold, zoom and search.")
@click.option("--triplets", "triplet_file", metavar="FILE", help="Mark these triplets, shown or not.")
@click.option("--pairs", "pair_file", metavar="FILE", help="Mark these must-links and cannot-links, kept or not.")
@click.option("--clusters", type=click.IntRange(min=1), metavar="K", help="Colour K clusters: the highest clades.")
@click.option("--classes", metavar="FILE", help="Mark classes: a table with a header line; label and class first.")
@class_columns_option
@click.option("--cut", metavar="HEIGHT", help="Draw the cut at this height; 'clusters': around the K clusters.")
@click.option("--collapse", is_flag=True, help="Draw each of the K clusters as one triangle.")
@_looks
@table_options("pairs", "triplets", "answers")
@reading_options
def plot(
    file: str,
    output: str | None,
    page: str | None,
    triplet_file: str | None,
    pair_file: str | None,
    clusters: int | None,
    classes: str | None,
    class_columns: list[str] | None,
    cut: str | None,
    collapse: bool,
    max_leaves: int | None,
    options: dict[str, Any],
    reading: dict[str, Any],
    **looks: Any,
) -> None:
    """Draw the hierarchy in FILE as a dendrogram: a picture, a page for the browser, or both.

    FILE is in any of the formats that are read, '-' for the standard input, or a sample such as sample:mammals.
    Clusters are cut from the root down, highest node first: by branch lengths if all branches have one, else by
    levels. Large hierarchies are drawn with their smaller subtrees collapsed into triangles.
    """
    if clusters is None and (collapse or cut == "clusters"):
        msg = f"{'--collapse' if collapse else '--cut clusters'} needs --clusters"
        raise click.UsageError(msg)
    check_class_columns(class_columns, classes)
    height = _height(cut)
    if max_leaves == 1:
        msg = "--max-leaves must be 0, for all, or at least 2"
        raise click.UsageError(msg)
    _check_files([file, triplet_file, pair_file, classes], output, page)
    if output is None and (pair_file or cut or collapse):
        msg = "--pairs, --cut and --collapse are for the picture: give -o FILE, too"
        raise click.UsageError(msg)
    files = [(triplet_file, "--triplets", ("triplets", "answers")), (pair_file, "--pairs", ("pairs",))]
    of_triplets, of_pairs = options_of_files(options, files)
    hierarchy = read_hierarchy(file, reading)
    marks: dict[str, Any] = {
        "triplets": None if triplet_file is None else read_triplet_file(triplet_file, table=of_triplets),
        "pairs": None if pair_file is None else read_pair_file(pair_file, of_pairs),
        "classes": None if classes is None else _classes(classes, hierarchy),
    }
    labels = None if clusters is None else cut_into(hierarchy, clusters, rule="height")
    if output is not None:
        most = "auto" if max_leaves is None else max_leaves or None
        shape = "clusters" if collapse else None
        ax = plot_dendrogram(hierarchy, clusters=labels, cut=height, max_leaves=most, collapse=shape, **marks, **looks)
        save_figure(ax.figure, output)
        click.echo(output, err=page == "-")
    if page is not None:
        del marks["pairs"]
        write_html(hierarchy, page, clusters=labels, heights=looks["heights"], title=looks["title"], **marks)
        if page != "-":
            click.echo(page)


def _check_files(sources: list[str | None], output: str | None, page: str | None) -> None:
    """Refuse two inputs from one pipe, to write nothing, one file twice or over an input, a picture of no format."""
    if sources.count("-") > 1:
        msg = "FILE and --triplets, --pairs, --classes cannot both be the standard input"
        raise click.UsageError(msg)
    if output is None and page is None:
        msg = "nothing to write: give -o FILE for a picture, --html FILE for a page, or both"
        raise click.UsageError(msg)
    check_apart(sources, [output, page])
    if output is not None:
        check_picture_format(output)


def _height(text: str | None) -> float | str | None:
    """Return the height of the cut, or "clusters"."""
    if text is None or text == "clusters":
        return text
    try:
        height = float(text)
    except ValueError:
        height = float("nan")
    if not abs(height) < float("inf"):
        msg = f"--cut {text!r} is neither a height nor 'clusters'"
        raise click.UsageError(msg)
    return height


def _classes(path: str, hierarchy: Hierarchy) -> dict[Any, str]:
    """The class of each leaf, from a file."""
    known = {str(x): x for x in hierarchy.leaves}
    found = {known.get(label, label): name for label, name in read_classes(path, known).items()}
    unknown = [leaf for leaf in found if leaf not in hierarchy.leaves]
    if unknown:
        raise UnknownLeafError(unknown, hierarchy.leaves.labels, what=f"labels in {given_name(path)}")
    return found
