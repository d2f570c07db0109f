"""The command ``report``: the whole job on one table and the knowledge about its rows, as a page."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Any

import click

from tripletree.cli.matching import read_other_names
from tripletree.cli.outputs import check_apart
from tripletree.cli.reading import read_either, read_names_of, reading_options
from tripletree.cli.shell import bad_input, say
from tripletree.cli.sources import (
    blanks_option,
    check_class_columns,
    class_columns_option,
    given_name,
    options_of_files,
    read_classes,
    seed_option,
    table_options,
)
from tripletree.cli.spelling import command_line
from tripletree.cli.tables import (
    GapHint,
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
from tripletree.core.notes import collected
from tripletree.io import write_newick
from tripletree.io.source import csv_text, write_text
from tripletree.knowledge import read_knowledge
from tripletree.reports.analysis import report as make_report

KINDS = ("hierarchy", "triplets", "pairs", "answers", "comparisons")
_SHOWN_AS = {"hierarchy": "a hierarchy", "answers": "answers of people", "comparisons": "comparisons with an anchor"}


@click.command(
    epilog="""
    \b
    Examples:
      printf 'name,kg,cm\\nPanthera leo,190,250\\nFelis catus,4,50\\nCanis lupus,40,110\\n' > animals.csv
      printf 'Equus caballus,400,240\\nBos taurus,600,240\\nGallus gallus,2,40\\n' >> animals.csv
      tripletree report animals.csv --know sample:animals --standardize -o animals.html
      tripletree demo
      tripletree report demo-output/data.csv --drop class --standardize --know demo-output/known.txt -o iris.html
      tripletree report demo-output/data.csv --standardize --classes class --resamples 0 --table clusters.csv
    """
)
@click.argument("data")
@click.option(
    "--know",
    multiple=True,
    metavar="FILE",
    help="The knowledge: a hierarchy, triplets, pairs, answers or comparisons with an anchor, by the labels of DATA. "
    "May be repeated: kinds are judged one by one and together.",
)
@click.option("--as", "kind", type=click.Choice(KINDS), help="Kind of --know. By default it is recognised.")
@click.option(
    "--classes",
    "class_column",
    metavar="NAME",
    help="This column of DATA has the classes that are known, or this file: a table with label and class first.",
)
@click.option(
    "--knowledge",
    "knowledge_file",
    metavar="FILE",
    help="All of this in one file, as `tripletree cluster --write-knowledge` has written it.",
)
@click.option(
    "--soft",
    multiple=True,
    type=click.Choice(("triplets", "pairs", "hierarchy", "classes")),
    help="Let this kind vote, while the others hold; may be repeated. Answers are triplets.",
)
@class_columns_option
@table_options("pairs", "triplets", "answers", "comparisons")
@click.option(
    "--synonyms",
    metavar="FILE",
    help="Other names of taxa: a taxdump, an ontology, or a table of name,accepted name. Those in an ontology that "
    "is --know are known.",
)
@click.option("-k", "--clusters", type=click.IntRange(min=1), metavar="N", help="Number of flat clusters.")
@click.option("--standardize", is_flag=True, help="Give every column mean 0 and deviation 1 first.")
@metric_option
@decimal_option
@cells_option
@missing_option
@label_options
@click.option("--second-name", metavar="NAME", help="A column of DATA with another name of each sample, to be shown.")
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="Fits to 80 % of the samples, for the stability of clades and clusters.",
)
@seed_option
@click.option("--title", metavar="TEXT", help="Title of the page.")
@click.option("-o", "--output", default="report.html", show_default=True, metavar="FILE", help="File of the page.")
@click.option("--table", metavar="FILE", help="Also write rows label,cluster to this file.")
@click.option("--newick", metavar="FILE", help="Also write the tree to this file.")
@blanks_option
@reading_options
@click.pass_context
def report(
    ctx: click.Context,
    data: str,
    know: tuple[str, ...],
    kind: str | None,
    class_column: str | None,
    options: dict[str, Any],
    clusters: int | None,
    standardize: bool,
    metric: str,
    output: str,
    reading: dict[str, Any],
    **more: Any,
) -> None:
    """Write a page on DATA and the knowledge about its rows: do the two fit, does it help, which are the clusters.

    DATA is a table as for `tripletree cluster`. --know is a file with a hierarchy in any format, triplets, must-links
    and cannot-links, or answers to "which is the odd one out?" or "which of two is more like the first?". --classes
    names a column of DATA, or a file with classes. For an ontology, --parent chooses one parent of each term,
    or the triplets that hold for every choice (certain). Empty cells go with --metric nan_euclidean, columns of text,
    too, with --metric gower.

    Names that are written otherwise are matched, and those that do not match are listed. Contradictions are named.
    The gain by the knowledge, and by each kind of it, is measured on rows for which it is hidden. Then the rows are
    clustered, by the method divisive of `tripletree cluster`, with the knowledge, unless it was measured to hurt. The
    page opens without a network, folds on a screen and can be printed.
    """
    whole = more["knowledge_file"]
    if not know and class_column is None and whole is None:
        msg = "give knowledge about the samples: --know FILE, --classes NAME or --knowledge FILE, or several of them"
        raise click.UsageError(msg)
    table_path, newick = more["table"], more["newick"]
    sources = [*know, whole, class_file_of(class_column)]
    check_apart([data, *sources, more["synonyms"]], [output, table_path, newick], counted=sources)
    check_metric(metric, standardize)
    check_class_columns(more["class_columns"], class_file_of(class_column))
    ctx.with_resource(collected())  # what the readers tell goes into the report
    shares = options_of_files(options, [(x, "--know", KINDS[1:]) for x in know]) if know else []
    files = [(x, *_known(x, kind, mine, reading)) for x, mine in zip(know, shares, strict=True)]
    known, own = _united(files)
    if whole is not None:
        known["knowledge"] = read_knowledge(whole)
    table = read_table(
        data,
        index_column=more["index_column"],
        class_column=class_column,
        text_column=more["second_name"],
        drop=more["drop"],
        metric=metric,
        hint=GapHint(),
        decimal=more["decimal"],
        missing_cells=more["missing_cells"],
        digits=more["id_digits"],
        transpose=more["transpose"],
        missing=more["missing_class"],
        named=lambda: [
            *(str(y) for x in known.values() for y in x.leaves),
            *names_in([(class_file_of(class_column), read_classes)]),
        ],
    )
    n = len(table.labels)
    if n < 3:
        raise bad_input(f"{given_name(data)} has {counted(n, 'sample')}; a report needs at least 3")
    if clusters is not None and clusters > n:
        raise bad_input(
            f"{counted(clusters, 'cluster')} of {counted(n, 'sample')}: there cannot be more clusters than samples"
        )
    for path in (output, table_path, newick):
        if path in (None, "-"):
            continue
        if os.path.isdir(path) or not os.path.isdir(os.path.dirname(path) or "."):  # known before the work is done
            raise bad_input(f"{path}: {'a folder' if os.path.isdir(path) else 'no such folder to write into'}")
    others = {} if more["synonyms"] is None else read_other_names(more["synonyms"])
    others = {**own, **others}
    if class_column is not None:
        known["classes"] = table.classes
    kinds = {"triplets" if x == "answers" else x for x in known} | {*(known["knowledge"].kinds if whole else ())}
    for one in set(more["soft"]) - kinds:
        msg = f"--soft {one}: no {one} are given: leave it out"
        raise click.UsageError(msg)
    from tripletree.cluster import DivisiveReCon

    result = make_report(
        table.values,
        **known,
        soft=more["soft"],
        sample_names=table.labels,
        feature_names=table.columns or None,
        second_names=table.texts,
        synonyms=others or None,
        parent=reading.get("parent") or "error",
        standardize=standardize,
        metric=table.metric,
        estimator=DivisiveReCon(clusters, random_state=more["seed"]),
        n_resamples=more["resamples"],
        random_state=more["seed"],
        verbose=sys.stderr.isatty(),
    )
    if table_path is not None:
        rows = zip(table.labels, result.labels.tolist(), strict=True)
        write_text([csv_text([("label", "cluster"), *rows])], table_path)
    if newick is not None:
        write_newick(result.hierarchy, newick, lengths="monotone", blanks=more["blanks"])
    result.write_html(output, title=more["title"], command=command_line(ctx))
    to_err = output == "-"
    if whole is not None:
        say(f"{given_name(whole)}: {known['knowledge'].summary()}", err=to_err)
    for source, is_of, *_ in files:
        say(f"{given_name(source)}: {_SHOWN_AS.get(is_of, is_of)}", err=to_err)
    say(str(result), err=to_err)
    for path in (output, table_path, newick):
        if path not in (None, "-"):
            say(path, err=to_err)


def _united(files: list[tuple[str, str, Any, dict[str, list[str]]]]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The knowledge of several files by kind, and the other names that they have. Files of one kind are joined."""
    known: dict[str, Any] = {}
    own: dict[str, list[str]] = {}
    for source, kind, value, names in files:
        own |= names
        if kind not in known:
            known[kind] = value
        elif kind == "hierarchy":
            held = " and ".join(given_name(x) for x, of, _, _ in files if of == kind)
            raise bad_input(
                f"--know: {held} are hierarchies, and a report takes one; 'tripletree supertree' makes one of several, "
                f"and 'tripletree decompose {shlex.quote(source)} -o known.txt' triplets of one"
            )
        else:
            known[kind] = known[kind] + value if kind == "answers" else known[kind] | value
    return known, own


def _known(
    source: str, kind: str | None, options: dict[str, Any], reading: dict[str, Any]
) -> tuple[str, Any, dict[str, list[str]]]:
    """The kind of knowledge in a file, the value, and its other names of taxa."""
    kind, value = read_either(source, kind, options, reading, lambda again: read_names_of(again, reading))
    return kind, *(value if kind == "hierarchy" else (value, {}))
