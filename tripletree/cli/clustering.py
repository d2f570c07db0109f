"""The command that clusters a table: ``cluster``."""

from __future__ import annotations

import shlex
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from tripletree.algorithms.cut import FIND_NUMBER, RULES
from tripletree.cli.outputs import check_apart, check_picture_format, save_figure
from tripletree.cli.reading import read_hierarchy, reading_options
from tripletree.cli.shell import bad_input, busy, say, table_text, with_options
from tripletree.cli.sources import (
    blanks_option,
    check_class_columns,
    class_columns_option,
    infeasible_option,
    options_of_files,
    read_classes,
    read_comparison_file,
    read_pair_file,
    read_triplet_file,
    table_options,
)
from tripletree.cli.spelling import option_names
from tripletree.cli.tables import (
    ANY_METRIC,
    GAPS,
    SQUARES,
    GapHint,
    Table,
    cells_option,
    check_metric,
    class_file_of,
    decimal_option,
    label_options,
    metric_option,
    missing_option,
    names_in,
    read_table,
)
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import on_labels
from tripletree.core.triplets import TripletSet
from tripletree.errors import UnknownLeafError
from tripletree.evaluation.scores import triplet_score
from tripletree.io import write_newick
from tripletree.io.source import csv_text, write_text
from tripletree.knowledge import Knowledge, read_knowledge
from tripletree.knowledge import write_knowledge as _write_knowledge
from tripletree.knowledge.value import KINDS
from tripletree.plots import plot_dendrogram
from tripletree.reports.table import shares_of_variance, standardized, told_of_scale

if TYPE_CHECKING:
    from tripletree.cluster import ValidationReport

#: Methods, and their options.
METHODS = {"recon": ("linkage", "cut", "on_conflict", "penalty"), "divisive": ("constraints",)}
#: Metrics that depend on the units of the columns.
IN_UNITS = ("chebyshev", "cityblock", "euclidean", "minkowski", "nan_euclidean", "sqeuclidean")
LINKAGES = ("centroid", "median", "ward", "average", "weighted", "complete", "single")


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
    """Add the options for triplets that may be wrong in part."""
    options = (
        click.option(
            "--on-conflict",
            type=click.Choice(["raise", "repair"]),
            default="raise",
            show_default=True,
            help="If triplets contradict each other: show which, or drop some.",
        ),
        click.option(
            "--penalty",
            metavar="auto|P",
            callback=_penalty,
            help="The price of each triplet that does not hold, if some may be wrong.",
        ),
    )
    return with_options(command, options)


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
      printf 'name,kg\\nPanthera_leo,190\\nFelis_catus,4\\nCanis_lupus,40\\nBos_taurus,600\\n' > animals.csv
      tripletree cluster animals.csv --hierarchy sample:animals -k 2
      printf 'name,kg,diet\\nlion,190,meat\\ncat,4,meat\\ncow,600,plants\\nelk,,plants\\n' | \\
        tripletree cluster - --metric gower --linkage average -k 2
    """
)
@click.argument("data")
@click.option(
    "--triplets",
    "triplet_file",
    metavar="FILE",
    help="Triplets that must hold, by the labels of DATA, or odd-one-out answers.",
)
@click.option(
    "--comparisons",
    "comparison_file",
    metavar="FILE",
    help='Answers to "which of two is more like the first?", which vote: for --method divisive.',
)
@click.option(
    "--hierarchy",
    "hierarchy_file",
    metavar="FILE",
    help="A hierarchy, such as a taxonomy, with labels of DATA as leaves.",
)
@click.option("--pairs", "pair_file", metavar="FILE", help="Must-links and cannot-links, by the labels of DATA.")
@click.option(
    "--classes",
    "class_column",
    metavar="NAME",
    help="Triplets from the classes in this column (gaps left out), or in a file, a table with label and class first.",
)
@class_columns_option
@click.option(
    "--knowledge",
    "knowledge_file",
    metavar="FILE",
    help="All of this in one file, as --write-knowledge has written it: added to what else is given.",
)
@click.option(
    "--method", type=click.Choice([*METHODS]), default="recon", show_default=True, help="ReCon or DivisiveReCon."
)
@click.option(
    "--constraints",
    type=click.Choice(["auto", "hard", "soft"]),
    default="auto",
    show_default=True,
    help="Make all triplets hold or let them vote, for --method divisive.",
)
@click.option(
    "--soft",
    multiple=True,
    type=click.Choice(KINDS),
    help="Let this kind vote, while the others hold, for --method divisive; may be repeated.",
)
@click.option("-k", "--clusters", type=click.IntRange(min=1), metavar="N", help="Number of flat clusters.")
@click.option("--height", type=click.FloatRange(min=0), metavar="H", help="Cut at this height, in the place of -k.")
@infeasible_option
@click.option(
    "--missing-samples",
    type=click.Choice(["raise", "ignore"]),
    default="raise",
    show_default=True,
    help="If triplets, pairs or comparisons name samples that DATA has not: refuse, or leave them out.",
)
@click.option("--linkage", type=click.Choice(LINKAGES), default="centroid", show_default=True)
@metric_option
@decimal_option
@cells_option
@missing_option
@click.option("--cut", type=click.Choice(RULES), default="auto", show_default=True, help="How -k clusters are chosen.")
@_wrong_ones
@click.option("--validate", is_flag=True, help="Measure if the constraints help, by hiding some.")
@click.option("--standardize", is_flag=True, help="Give every column mean 0 and deviation 1 first.")
@label_options
@click.option("-o", "--output", default="-", metavar="FILE", help="Write to this file instead of the standard output.")
@click.option("--newick", metavar="FILE", help="Also write the hierarchy to this file.")
@click.option("--write-knowledge", metavar="FILE", help="Also write all of this to a file, for --knowledge.")
@blanks_option
@click.option("--plot", "picture", metavar="FILE", help="Draw the dendrogram into this file (.png, .pdf, .svg, ...).")
@table_options("pairs", "triplets", "answers", "comparisons")
@reading_options
@click.pass_context
def cluster(
    ctx: click.Context,
    data: str,
    triplet_file: str | None,
    comparison_file: str | None,
    hierarchy_file: str | None,
    pair_file: str | None,
    options: dict[str, Any],
    class_column: str | None,
    class_columns: list[str] | None,
    knowledge_file: str | None,
    soft: tuple[str, ...],
    clusters: int | None,
    height: float | None,
    on_infeasible: str,
    missing_samples: str,
    standardize: bool,
    decimal: str,
    missing_cells: list[str] | None,
    missing_class: list[str] | None,
    index_column: str | None,
    id_digits: int | None,
    transpose: bool,
    validate: bool,
    drop: tuple[str, ...],
    output: str,
    newick: str | None,
    write_knowledge: str | None,
    blanks: Any,
    picture: str | None,
    reading: dict[str, Any],
    **method: Any,
) -> None:
    """Cluster the rows of DATA so that triplets hold.

    DATA is CSV or TSV with a header, or '-': one column of labels (--index-column, or the first one if it holds
    texts, but no classes, has no name or is called id, index, label, name or sample, else the rows are numbered from
    0) and columns of numbers. Empty cells go with --metric nan_euclidean, columns of text, too, with --metric gower.
    With -k (or --cut constraints, which finds the number, or --height) the flat clusters are written as rows
    label,cluster. Without it the hierarchy as Newick. No branch is negative: where a triplet delayed a close merge,
    the later one stands as high. Known classes (--classes) are turned into triplets: two samples of one class against
    one of another. A --hierarchy gives its triplets on the leaves that are in DATA. Its names are handed to the
    clades that match them best. The options from --from on are for reading it.

    By default, ReCon merges the closest clusters that the triplets allow. It is made for knowledge that is complete.
    --method divisive also gains from little knowledge, and outvotes wrong triplets. With --soft triplets they are
    votes beside a hierarchy that holds. --validate compares the result with one made without constraints, on samples
    whose constraints are hidden. 'tripletree report' makes a page on all of it, to be read and printed.
    """
    _check_options(ctx, method, pair_file)
    of_triplets, of_comparisons, of_pairs = options_of_files(
        options,
        [
            (triplet_file, "--triplets", ("triplets", "answers")),
            (comparison_file, "--comparisons", ("comparisons",)),
            (pair_file, "--pairs", ("pairs",)),
        ],
    )
    if comparison_file is not None and method["method"] != "divisive":
        msg = "--comparisons are votes, which --method divisive weighs: add it"
        raise click.UsageError(msg)
    if reading and hierarchy_file is None:
        msg = f"{_first_given(ctx, reading)} is for reading a --hierarchy: give one, or leave the option out"
        raise click.UsageError(msg)
    files = [triplet_file, comparison_file, hierarchy_file, pair_file, knowledge_file]
    if not any((*files, class_column)) and (validate or write_knowledge):
        what = "--validate measures" if validate else "--write-knowledge writes"
        msg = f"{what} the knowledge: give --triplets, --hierarchy, --pairs, --classes or --knowledge, too"
        raise click.UsageError(msg)
    given = ctx.get_parameter_source("cut") is click.core.ParameterSource.COMMANDLINE
    if given and clusters is None and method["cut"] not in FIND_NUMBER:
        msg = f"--cut {method['cut']} says how clusters are chosen: give their number with -k, too"
        raise click.UsageError(msg)
    if height is not None and (clusters is not None or given):
        msg = f"--height and {'-k' if clusters is not None else '--cut'} both say which clades are clusters: give one"
        raise click.UsageError(msg)
    flat = clusters is not None or height is not None or method["cut"] in FIND_NUMBER
    sources = [*files, class_file_of(class_column)]
    check_apart([data, *sources], [output, newick, write_knowledge, picture], counted=sources)
    if picture is not None:
        check_picture_format(picture)
    metric = method["metric"]
    check_metric(metric, standardize)
    check_class_columns(class_columns, class_file_of(class_column))
    table = read_table(
        data,
        index_column=index_column,
        class_column=class_column,
        drop=drop,
        metric=metric,
        hint=GapHint(" --linkage average" if method["method"] == "recon" else ""),
        decimal=decimal,
        missing_cells=missing_cells,
        digits=id_digits,
        transpose=transpose,
        missing=missing_class,
        named=partial(
            names_in,
            [
                (triplet_file, lambda x: read_triplet_file(x, table=of_triplets)),
                (comparison_file, lambda x: read_comparison_file(x, of_comparisons)[1]),
                (pair_file, lambda x: read_pair_file(x, of_pairs)),
                (hierarchy_file, lambda x: read_hierarchy(x, reading)),
                (class_file_of(class_column), read_classes),
                (knowledge_file, read_knowledge),
            ],
        ),
    )
    n = len(table.labels)
    if clusters is not None and clusters > n:
        raise bad_input(
            f"{counted(clusters, 'cluster')} of {counted(n, 'sample')}: there cannot be more clusters than samples"
        )
    if validate and pair_file is not None and not flat:
        msg = "--validate with --pairs compares flat clusters: give -k, too"
        raise click.UsageError(msg)
    ignored = missing_samples == "ignore"
    known: dict[str, Any] = {
        "triplets": _triplets_of(triplet_file, of_triplets, None if ignored else table.labels),
        "pairs": None
        if pair_file is None
        else read_pair_file(pair_file, of_pairs, leaves=None if ignored else table.labels),
        "hierarchy": None if hierarchy_file is None else _taxonomy_of(hierarchy_file, reading, table.labels),
        "classes": _classes_of(table),
    }
    if comparison_file is not None:
        known["comparisons"] = read_comparison_file(comparison_file, of_comparisons, told=True)
    if knowledge_file is not None:
        known["knowledge"] = _knowledge_of(knowledge_file, method["method"], validate=validate, flat=flat)
    if soft:
        known = _parted(known, soft, table.labels, missing_samples)
    values = standardized(table.values) if standardize else table.values
    method["metric"] = table.metric
    if method["method"] == "recon" and table.metric in IN_UNITS:
        told = told_of_scale(shares_of_variance(values), table.columns, needs_gap=True)
        if told is not None:
            say(f"{told}: --standardize", err=output == "-")
    with busy(f"clustering {counted(n, 'sample')}"):
        method |= {"on_infeasible": on_infeasible, "missing_samples": missing_samples}
        model = clustered(values, table.labels, clusters, height=height, validate=validate, known=known, **method)
    if write_knowledge is not None:
        parts = {kind: value for kind, value in known.items() if kind != "knowledge" and value is not None}
        both = Knowledge.of(table.labels, **parts, missing_samples=missing_samples)
        if "knowledge" in known:
            both = both | known["knowledge"].restrict(both.leaves)
        _write_knowledge(both, write_knowledge)
        say(f"{write_knowledge} has the knowledge: {both.summary()}", err=True)
    if method["method"] == "divisive" and (soft or len(model.violated_triplets_)):
        votes = counted(len(model.triplets_), "triplet")
        say(f"the hierarchy outvotes {len(model.violated_triplets_):,} of {votes}", err=True)
    if model.clade_names_ is not None and output != "-":
        say(f"{model.clade_names_} of the hierarchy")
    labels = model.labels_ if flat else None
    _write_found(table, model, labels, [output, newick, picture], blanks)
    if model.validation_ is not None:
        say(_validation_text(model.validation_), err=output == "-")


def _check_options(ctx: click.Context, method: dict[str, Any], pair_file: str | None) -> None:
    """Refuse options that do not go together."""
    for other, names in METHODS.items():
        for name in names if other != method["method"] else ():
            if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                msg = f"--{name.replace('_', '-')} goes with --method {other}"
                raise click.UsageError(msg)
    if ctx.params["soft"] and method["method"] != "divisive":
        msg = "--soft goes with --method divisive: add it"
        raise click.UsageError(msg)
    metric = method["metric"]
    if method["method"] == "recon" and (metric in GAPS or metric in SQUARES) and method["linkage"] not in ANY_METRIC:
        msg = (
            f"--metric {metric} goes with --linkage {', '.join(ANY_METRIC)}, not {method['linkage']}: give one of them"
        )
        raise click.UsageError(msg)
    if pair_file is not None and (method["on_conflict"] != "raise" or method["penalty"] is not None):
        msg = "--pairs do not go with --on-conflict repair or --penalty: give one or the other"
        raise click.UsageError(msg)


#: How the settings that a validation names are called on the command line.
IN_OPTIONS = {
    "all of them hold": "as asked for",
    "penalty='auto'": "--penalty auto",
    "DivisiveReCon": "--method divisive",
    "constraints='hard'": "--constraints hard",
    "constraints='soft'": "--constraints soft",
    "constraints='auto'": "as asked for",
}


def _validation_text(found: ValidationReport) -> str:
    """A short table, and a sentence."""
    shares = zip(found.agreement.tolist(), found.standard_error.tolist(), found.chance.tolist(), strict=True)
    rows = [
        (IN_OPTIONS.get(name, name), f"{share:.1%} +-{error:.1%}", f"{chance:.1%}")
        for name, (share, error, chance) in zip(found.settings, shares, strict=True)
    ]
    text = str(found)
    for name, option in IN_OPTIONS.items():
        text = text.replace(name, option)
    return f"constraints on hidden samples that hold, and by chance:\n{table_text(rows)}\n{text}"


def _triplets_of(path: str | None, options: dict[str, Any], labels: list[str] | None) -> TripletSet | None:
    """The triplets of a file, which must be about `labels` if they are given."""
    if path is None:
        return None
    found = read_triplet_file(path, pairs_go=": give it as --pairs", table=options)
    if labels is None:
        return found
    known = set(labels)
    unknown = [x for x in (found.leaves[i] for i in found.used_leaves.tolist()) if x not in known]
    if unknown:
        hint = (
            "--missing-samples ignore leaves out the triplets that name them; for names written otherwise: tripletree "
            "match; for labels in another column of DATA: --index-column NAME"
        )
        raise UnknownLeafError(unknown, labels, what="labels of DATA", hint=hint)
    return found


def _knowledge_of(path: str, method: str, *, validate: bool, flat: bool) -> Knowledge:
    """The knowledge in a file, if the method takes it."""
    found = read_knowledge(path)
    if found.comparisons is not None and method != "divisive":
        msg = f"{path} has comparisons, which are votes, and --method divisive weighs them: add it"
        raise click.UsageError(msg)
    if validate and len(found.pairs) and not flat:
        msg = "--validate with pairs compares flat clusters: give -k, too"
        raise click.UsageError(msg)
    say(f"{path}: {found.summary()}", err=True)
    return found


def _parted(known: dict[str, Any], soft: tuple[str, ...], labels: list[str], missing_samples: str) -> dict[str, Any]:
    """The knowledge, of which some kinds are votes."""
    hard = {kind: value for kind, value in known.items() if kind not in soft}
    votes = {kind: known[kind] for kind in soft if known.get(kind) is not None}
    found = Knowledge.of(labels, **votes, soft=votes, missing_samples=missing_samples)
    if "knowledge" in known:
        kept = known["knowledge"]
        found = found | kept.with_soft(*kept.soft, *soft)
    for kind in soft:
        if kind not in found.kinds:
            msg = f"--soft {kind}: no {kind} are given: give --{kind}, or leave it out"
            raise click.UsageError(msg)
    return hard | {"knowledge": found}


def _first_given(ctx: click.Context, reading: dict[str, Any]) -> str:
    """How the first of the options for reading is spelt."""
    options = option_names(ctx.command)
    return next(options.get(x, f"-O {x}=").partition("|")[0].rstrip("=") for x in reading)


def _taxonomy_of(path: str, reading: dict[str, Any], labels: list[str]) -> Hierarchy:
    """Return the hierarchy in a file, on the samples. Tell how many samples it has, as others are not used."""
    found = read_hierarchy(path, reading)
    known = [x for x in labels if x in found.leaves or found.synonyms.get(x) in found.leaves]
    if len(known) < 3:
        raise bad_input(
            f"{path} has {counted(len(known), 'leaf', 'leaves')} among the {len(labels):,} labels of DATA; a hierarchy "
            f"says something of three or more. If names are written otherwise: {_matching(path)}; if another column of "
            f"DATA has the labels: --index-column NAME{on_labels(found)}"
        )
    if len(known) < len(labels):
        without = counted(len(labels) - len(known), "sample is", "samples are")
        say(f"{without} not in {path}; if names are written otherwise: {_matching(path)}", err=True)
    return found.restrict(known, keep_unary=True)


def _matching(path: str) -> str:
    """The command that shows how names match a hierarchy. It says how to go on."""
    data = click.get_current_context().params["data"]
    return f"'tripletree match {shlex.quote(data)} {shlex.quote(path)} -o names.csv' shows how they match"


def _classes_of(table: Table) -> list[str | None] | None:
    if table.classes is not None:
        known = [x for x in table.classes if x is not None]
        if len(set(known)) < 2:
            raise bad_input(
                f"the classes of {len(known)} samples are known, of one class at most; expected two classes"
            )
    return table.classes


def _write_found(table: Table, model: Any, labels: np.ndarray | None, targets: list[str | None], blanks: Any) -> None:
    """Write the clusters or the hierarchy, and other output asked for."""
    output, newick, picture = targets
    hierarchy = model.hierarchy_
    given = model.triplets_ | model.dropped_triplets_ if hasattr(model, "dropped_triplets_") else model.triplets_
    triplets = given if len(given) else None
    if newick is not None:
        write_newick(hierarchy, newick, blanks=blanks)
    if picture is not None:
        drawn = plot_dendrogram(hierarchy, triplets=triplets, clusters=labels, classes=table.classes)
        save_figure(drawn.figure, picture)
    if labels is None:
        write_newick(hierarchy, output or "-", blanks=blanks)
    else:
        rows = zip(table.labels, labels.tolist(), strict=True)
        write_text([csv_text([("label", "cluster"), *rows])], output or "-")
    if output != "-":
        _report(table, labels, triplets, hierarchy)


def clustered(
    values: np.ndarray,
    labels: list[str],
    n_clusters: int | None,
    *,
    height: float | None = None,
    method: str = "recon",
    validate: bool = False,
    known: dict[str, Any],
    **options: Any,
) -> Any:
    """The fitted estimator, of samples with labels. `known` has the triplets, pairs, hierarchy and classes."""
    from tripletree.cluster import DivisiveReCon, ReCon

    flat = n_clusters is not None or height is not None or options.get("cut") in FIND_NUMBER
    of_both = ("metric", "on_infeasible", "missing_samples")
    options = {name: value for name, value in options.items() if name in (*of_both, *METHODS[method])}
    if not flat:
        options["on_infeasible"] = "violate"
    k = n_clusters if flat else 1
    options["distance_threshold"] = height
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*validation_ has the figures")  # shown as a table and in words
        if not flat and known.get("pairs") is not None:  # only the hierarchy is asked for, which no cut can spoil
            warnings.filterwarnings("ignore", message=".*n_clusters=1[: ]")
        model = (DivisiveReCon if method == "divisive" else ReCon)(k, **options)
        return model.fit(values, sample_names=labels, validate=validate, **known)


def _report(table: Table, labels: np.ndarray | None, triplets: TripletSet | None, hierarchy: Hierarchy) -> None:
    """The summary, if the standard output is free for it."""
    few = ", ".join(table.columns[:6]) + (", ..." if len(table.columns) > 6 else "")
    what = f"{counted(len(table.columns), 'column')}: {few}" if table.metric != "precomputed" else "their distances"
    say(f"{counted(len(table.labels), 'sample')} with {what}")
    if triplets is not None:
        score = triplet_score(hierarchy, triplets)
        say(f"{counted(len(triplets), 'triplet')}, of which the hierarchy displays {score:.3f}")
    if labels is not None:
        say(f"clusters of {', '.join(f'{x:,}' for x in np.bincount(labels).tolist()[:20])} samples")
