"""The command that clusters a table, and how pictures are written."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import click
import numpy as np

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.supervision import triplets_from_classes
from tripletree.cli.shell import bad_input, busy, say
from tripletree.cli.sources import columns_option, read_pair_file, read_triplet_file
from tripletree.cli.tables import Table, read_table
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import MissingDependencyError
from tripletree.evaluation.scores import triplet_score
from tripletree.io import write_newick
from tripletree.io.source import write_atomic, write_atomic_bytes
from tripletree.plots import plot_dendrogram

__all__ = [
    "check_apart",
    "cluster",
    "clustered",
    "picture_format",
    "save_figure",
    "standardized",
]

LINKAGES = ("centroid", "median", "ward", "average", "weighted", "complete", "single")
CUTS = ("auto", "support", "size", "merge_order", "height", "constraints")
DPI = 150


def _penalty(_ctx: click.Context, _option: click.Parameter, value: str | None) -> float | str | None:
    """The price of a violated triplet: a number, or "auto"."""
    if value is None or value == "auto":
        return value
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        msg = f"{value!r} is neither 'auto' nor a number of at least 0"
        raise click.BadParameter(msg)
    return number


def _wrong_ones(command: Any) -> Any:
    """Add the options for triplets of which some may be wrong."""
    options = (
        click.option(
            "--on-conflict",
            type=click.Choice(["raise", "repair"]),
            default="raise",
            show_default=True,
            help="Of triplets that contradict each other: an error that shows which, or drop some.",
        ),
        click.option(
            "--penalty",
            metavar="auto|P",
            callback=_penalty,
            help="Triplets need not hold, at this price each: for triplets of which some are wrong.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    epilog="""
    \b
    Examples:
      printf 'name,x,y\\na,0,0\\nb,0,1\\nc,5,5\\nd,5,6\\n' | tripletree cluster - -k 2
      tripletree demo
      tripletree cluster demo-output/data.csv --drop class --standardize --linkage ward \\
        --triplets demo-output/known.txt -k 2 -o clusters.csv --newick tree.nwk
      printf 'name,x,y\\na,0,0\\nb,0,1\\nc,5,5\\nd,5,6\\n' > points.csv
      printf 'id1,id2,same\\na,c,True\\nb,d,False\\n' > pairs.csv
      tripletree cluster points.csv --pairs pairs.csv --columns id1,id2,same -k 2
      printf 'id,x,kind\\n1,0,u\\n2,1,\\n3,8,v\\n4,9,v\\n' | tripletree cluster - --classes kind -k 2
    """
)
@click.argument("data")
@click.option("--triplets", "triplet_file", metavar="FILE", help="Triplets that are to hold, by the labels of DATA.")
@click.option("--pairs", "pair_file", metavar="FILE", help="Must-links and cannot-links, by the labels of DATA.")
@columns_option
@click.option("--classes", "class_column", metavar="NAME", help="Triplets from this column, where it is not empty.")
@click.option("-k", "--clusters", type=click.IntRange(min=1), metavar="N", help="Number of flat clusters.")
@click.option("--linkage", type=click.Choice(LINKAGES), default="centroid", show_default=True)
@click.option("--metric", default="euclidean", show_default=True, metavar="NAME", help="A distance of scipy.")
@click.option("--cut", type=click.Choice(CUTS), default=CUTS[0], show_default=True, help="How -k clusters are chosen.")
@_wrong_ones
@click.option("--standardize", is_flag=True, help="Give every column mean 0 and deviation 1 first.")
@click.option("--index-column", metavar="NAME", help="The column of labels.")
@click.option("--drop", multiple=True, metavar="NAME", help="Leave this column out; may be repeated.")
@click.option("-o", "--output", default="-", metavar="FILE", help="Write to this file instead of the standard output.")
@click.option("--newick", metavar="FILE", help="Write the hierarchy to this file, too.")
@click.option("--plot", "picture", metavar="FILE", help="Draw the dendrogram into this file (.png, .pdf, .svg, ...).")
def cluster(
    data: str,
    triplet_file: str | None,
    pair_file: str | None,
    columns: tuple[str, ...] | None,
    class_column: str | None,
    clusters: int | None,
    standardize: bool,
    index_column: str | None,
    drop: tuple[str, ...],
    output: str,
    newick: str | None,
    picture: str | None,
    **method: Any,
) -> None:
    """Cluster the rows of DATA so that triplets hold (ReCon).

    DATA is CSV or TSV with a header, or '-': one column of labels (--index-column, or the first one if it holds text,
    has no name or is called id, index, label, name or sample; else the rows are numbered from 0) and columns of
    numbers. With -k (or --cut constraints, which finds the number) the flat clusters are written as rows
    label,cluster; without it the hierarchy as Newick. Branches are negative where a triplet put a close merge off.
    Known classes (--classes) are turned into triplets, too: two samples of one class against one of another.
    """
    check_apart([data, triplet_file, pair_file], [output, newick, picture])
    if picture is not None:
        picture_format(picture)
    table = read_table(data, index_column=index_column, class_column=class_column, drop=drop)
    n = len(table.labels)
    if clusters is not None and clusters > n:
        raise bad_input(f"{clusters} clusters of {n} samples: there cannot be more clusters than samples")
    triplets = _known_triplets(table, _triplets_of(triplet_file))
    values = standardized(table.values) if standardize else table.values
    pairs = _pairs_of(pair_file, columns, table.labels)
    with busy(f"clustering {n:,} samples"):
        hierarchy, labels = clustered(values, table.labels, triplets, clusters, pairs=pairs, **method)
    _write_found(table, triplets, hierarchy, labels, [output, newick, picture])


def _triplets_of(path: str | None) -> TripletSet | None:
    return None if path is None else read_triplet_file(path, pairs_go=": give it as --pairs")


def _pairs_of(path: str | None, columns: tuple[str, ...] | None, labels: list[str]) -> PairwiseConstraints | None:
    if path is not None:
        return read_pair_file(path, leaves=labels, columns=columns)
    if columns is not None:
        msg = "--columns goes with --pairs"
        raise click.UsageError(msg)
    return None


def _write_found(
    table: Table,
    triplets: TripletSet | None,
    hierarchy: Hierarchy,
    labels: np.ndarray | None,
    targets: list[str | None],
) -> None:
    """Write the clusters or the hierarchy, and what else is asked for."""
    output, newick, picture = targets
    if newick is not None:
        write_newick(hierarchy, newick)
    if picture is not None:
        _draw(hierarchy, picture, triplets=triplets, clusters=labels, classes=table.classes)
    if labels is None:
        write_newick(hierarchy, output or "-")
    else:
        _write_labels(table.labels, labels, output or "-")
    if output != "-":
        _report(table, labels, triplets, hierarchy)


def _draw(hierarchy: Hierarchy, picture: str, **marks: Any) -> None:
    save_figure(plot_dendrogram(hierarchy, **marks).figure, picture)


def _known_triplets(table: Table, triplets: TripletSet | None) -> TripletSet | None:
    """The triplets of a file and those of the known classes together."""
    if table.classes is None:
        return triplets
    known = [i for i, x in enumerate(table.classes) if x is not None]
    if len({table.classes[i] for i in known}) < 2:
        raise bad_input(f"the classes of {len(known)} samples are known, of one class at most; expected two classes")
    found = triplets_from_classes(table.classes, leaves=table.labels, samples=known)
    return found if triplets is None else found | triplets.reindex(table.labels)


def check_apart(sources: list[str | None], targets: list[str | None]) -> None:
    """Refuse an output file that is an input, or another output; and two inputs from one pipe."""
    if sources.count("-") > 1:
        msg = "DATA, --triplets and --pairs: only one can be the standard input"
        raise click.UsageError(msg)
    seen = {os.path.realpath(x): "an input" for x in sources if x is not None and x != "-"}
    for x in targets:
        if x is None or x == "-" or x.startswith("/dev/"):
            continue
        real = os.path.realpath(x)
        if real in seen:
            raise bad_input(f"{x} is {seen[real]} of this command already: give another file")
        seen[real] = "an output"


def clustered(
    values: np.ndarray,
    labels: list[str],
    triplets: TripletSet | None,
    n_clusters: int | None,
    *,
    pairs: PairwiseConstraints | None = None,
    **options: Any,
) -> tuple[Hierarchy, np.ndarray | None]:
    """The hierarchy of labelled samples in which the triplets and pairs hold, and its flat clusters if asked for."""
    from tripletree.cluster import ReCon

    flat = n_clusters is not None or options.get("cut") == "constraints"
    if pairs is not None:
        return _paired(values, labels, triplets, n_clusters if flat else None, pairs, options)
    rows = None
    if triplets is not None and len(triplets):
        if options.get("on_conflict", "raise") == "raise" and options.get("penalty") is None:
            one_tree(triplets)  # refused here if inconsistent, by label
        rows = TripletSet(triplets.reindex(labels).rows, len(labels))
    model = ReCon(n_clusters if flat else 1, **options).fit(values, triplets=rows)
    tree = model.hierarchy_
    return Hierarchy(tree.parent, labels, height=tree.height), model.labels_ if flat else None


def _paired(
    values: np.ndarray,
    labels: list[str],
    triplets: TripletSet | None,
    n_clusters: int | None,
    pairs: PairwiseConstraints,
    options: dict[str, Any],
) -> tuple[Hierarchy, np.ndarray | None]:
    """The same under pairs, too; a table with labels, so that errors name them."""
    import warnings

    from tripletree.cluster import ReCon

    if options.get("on_conflict", "raise") != "raise" or options.get("penalty") is not None:
        msg = "--pairs do not go with --on-conflict repair or --penalty: give one or the other"
        raise click.UsageError(msg)
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError("pandas", "io", "--pairs") from None
    table = pd.DataFrame(values, index=labels)
    if n_clusters is None:  # only the hierarchy is asked for, which no cut can spoil
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = ReCon(1, on_infeasible="violate", **options).fit(table, triplets=triplets, pairs=pairs)
        return model.hierarchy_, None
    model = ReCon(n_clusters, **options).fit(table, triplets=triplets, pairs=pairs)
    return model.hierarchy_, model.labels_


def standardized(values: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and standard deviation 1 (0 where they are constant)."""
    varies = np.ptp(values, axis=0) > 0  # the deviation of a constant is not always rounded to 0
    deviation = np.where(varies, values.std(axis=0), 1.0)
    return np.where(varies, values - values.mean(axis=0), 0.0) / deviation


def _write_labels(names: list[str], labels: np.ndarray, output: str) -> None:
    with write_atomic(output) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["label", "cluster"])
        writer.writerows(zip(names, labels.tolist(), strict=True))


def _report(table: Table, labels: np.ndarray | None, triplets: TripletSet | None, hierarchy: Hierarchy) -> None:
    """What was done, where the standard output is free for it."""
    say(f"{len(table.labels):,} samples with {len(table.columns):,} columns: {_some(table.columns)}")
    if triplets is not None:
        say(f"{len(triplets):,} triplets, of which the hierarchy displays {triplet_score(hierarchy, triplets):.3f}")
    if labels is not None:
        say(f"clusters of {', '.join(f'{x:,}' for x in np.bincount(labels).tolist()[:20])} samples")


def _some(names: list[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def picture_format(path: str) -> str:
    """The format of a picture's suffix."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", "drawing") from None
    mpl.use("agg")
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in known:
        raise bad_input(f"{path}: the suffix chooses the kind of picture; expected one of {', '.join(sorted(known))}")
    return suffix


def save_figure(figure: Any, path: str) -> None:
    """Write a figure to a file in one step, and close it."""
    from matplotlib import pyplot as plt

    try:
        with write_atomic_bytes(path) as stream:
            figure.savefig(stream, format=picture_format(path), dpi=DPI)
    finally:
        plt.close(figure)
