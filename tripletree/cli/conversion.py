"""The commands between hierarchies and triplets: ``induce``, ``decompose`` and ``build``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.decompose import decompose as decomposed
from tripletree.algorithms.induce import InducedTriplets, all_triplets, sample_triplets
from tripletree.algorithms.induce import induce as induced
from tripletree.cli.outputs import check_apart
from tripletree.cli.reading import UNARY, read_hierarchy, read_ontology_or_hierarchy, reading_options
from tripletree.cli.shell import bad_input, label_text, progress
from tripletree.cli.sources import (
    blanks_option,
    format_option,
    given_name,
    output_option,
    read_triplet_file,
    seed_option,
    table_options,
    write_triplet_file,
)
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.errors import LimitExceededError
from tripletree.io import write_hierarchy, write_newick
from tripletree.io.registry import FORMATS, format_to_write
from tripletree.io.rows import format_of_suffix
from tripletree.io.source import read_text, write_atomic
from tripletree.io.triplets import TripletRows

LIMIT = 10_000_000


@click.command(
    epilog="""
    \b
    Examples:
      printf 'Homo_sapiens Gorilla_gorilla Pan_paniscus\\n' | tripletree induce sample:primates -
      tripletree induce sample:primates --all -o primates.csv
      tripletree induce sample:mammals --sample 1000 --seed 7 | tripletree check -
    """
)
@click.argument("file")
@click.argument("triples", required=False)
@click.option("--all", "everything", is_flag=True, help="Every triplet that the hierarchy displays.")
@click.option("--limit", type=click.IntRange(min=0), default=LIMIT, show_default=True, help="Most triplets for --all.")
@click.option("--sample", type=click.IntRange(min=0), metavar="N", help="N random ones of them, all different.")
@seed_option
@output_option
@format_option
@reading_options
def induce(
    file: str,
    triples: str | None,
    everything: bool,
    limit: int,
    sample: int | None,
    seed: int,
    output: str,
    format_: Any,
    reading: dict[str, Any],
) -> None:
    """Read triplets off the hierarchy in FILE.

    TRIPLES holds three leaves a line, in any order ("a b c"). The triplet that the hierarchy displays on them is
    written, in the order asked, and "# a b c unresolved" if there is none (in other formats than text, only
    the resolved ones, each once). Or give --all or --sample instead.

    FILE is in any of the formats that are read, '-' for the standard input, or a sample such as sample:mammals. From
    ontology, in which a node may have several parents, the triplets are taken that hold whichever is chosen.
    """
    if (triples is not None) + everything + (sample is not None) != 1:
        msg = "give one of TRIPLES, --all and --sample"
        raise click.UsageError(msg)
    if file == triples == "-":
        msg = "FILE and TRIPLES cannot both be the standard input"
        raise click.UsageError(msg)
    hierarchy = read_ontology_or_hierarchy(file, reading)
    if everything:
        try:
            found = all_triplets(hierarchy, limit=limit)
        except LimitExceededError as error:
            msg = (
                f"the hierarchy displays {counted(error.size, 'triplet')}, more than the limit of {limit:,}; "
                "take --sample or tripletree decompose, or raise --limit"
            )
            raise click.ClickException(msg) from None
        write_triplet_file(found, output, format_=format_)
    elif sample is not None:
        write_triplet_file(sample_triplets(hierarchy, sample, random_state=seed), output, format_=format_)
    else:
        assert triples is not None
        _write_asked(_asked(hierarchy, triples), output, format_)


def _asked(hierarchy: Hierarchy | Ontology, triples: str) -> InducedTriplets:
    """Return the triplets of the hierarchy for the leaf triples in a file."""
    text, name = read_text(triples)
    rows = TripletRows(name)
    lines = text.splitlines()
    for number, line in enumerate(progress(lines, what=given_name(triples)), 1):
        labels = [x.value for x in rows.tokens(line, number) or () if x.kind != "mark"]
        if len(labels) == 3 and len(set(labels)) == 3:
            rows.labels.append((labels[0], labels[1], labels[2]))
            rows.lines.append(number)
        elif labels:
            rows.problem(number, "expected three different leaves a line, 'a b c'", column=1, text=line)
    rows.indexed(hierarchy.leaves)  # refuses the rows noted, and unknown leaves
    return induced(hierarchy, rows.labels)


def _write_asked(found: InducedTriplets, output: str, format_: Any) -> None:
    kind = format_ or format_of_suffix(output) or "text"
    unresolved = len(found) - int(found.resolved.sum())
    if kind != "text":
        triplets = found.triplets
        write_triplet_file(triplets.restrict([triplets.leaves[i] for i in triplets.used_leaves]), output, format_=kind)
        if unresolved:
            click.echo(f"{unresolved:,} of {len(found):,} triples are unresolved and left out", err=True)
        return
    with write_atomic(output) as stream:
        stream.writelines(_asked_lines(found))


def _asked_lines(found: InducedTriplets) -> Iterator[str]:
    names = [label_text(x) for x in found.leaves]
    for (x, y, z), odd in zip(found.triples.tolist(), found.odd.tolist(), strict=True):
        if odd < 0:
            yield f"# {names[x]} {names[y]} {names[z]} unresolved\n"
        else:
            a, b, c = {0: (y, z, x), 1: (x, z, y), 2: (x, y, z)}[odd]
            yield f"{names[a]} {names[b]} | {names[c]}\n"


@click.command(
    epilog="""
    \b
    Examples:
      tripletree decompose sample:mammals -o mammals.txt
      tripletree decompose sample:mammals | tripletree build - -o mammals.nwk
      tripletree decompose sample:animals --max 100
    """
)
@click.argument("file")
@click.option(
    "--guarantee",
    type=click.Choice(["identify", "rebuild"]),
    default="identify",
    show_default=True,
    help="identify: every hierarchy that displays the set refines this one. rebuild: fewer; 'build' gives it back.",
)
@click.option("--max", "most", type=click.IntRange(min=0), metavar="N", help="At most N triplets, the best to have.")
@click.option("--seed", type=click.IntRange(min=0), help="Let random leaves stand for their clades.")
@output_option
@format_option
@reading_options
def decompose(
    file: str, guarantee: str, most: int | None, seed: int | None, output: str, format_: Any, reading: dict[str, Any]
) -> None:
    """Write a smallest set of triplets with the same content as the hierarchy in FILE.

    'tripletree build' is the way back. FILE is in any of the formats that are read, '-' for the standard input, or a
    sample such as sample:mammals.
    """
    hierarchy = read_ontology_or_hierarchy(file, reading)
    found = decomposed(hierarchy, guarantee=guarantee, max_triplets=most, random_state=seed)
    write_triplet_file(found, output, format_=format_)


@click.command(
    epilog="""
    \b
    Examples:
      printf 'cat dog | eel\\ncat eel | fly\\n' | tripletree build -
      tripletree decompose sample:mammals | tripletree build - -o mammals.nwk
    """
)
@click.argument("file")
@output_option
@blanks_option
@table_options("triplets", "answers")
@format_option
def build(file: str, output: str, blanks: Any, options: dict[str, Any], format_: Any) -> None:
    """Build a hierarchy that displays every triplet of FILE, and write it as Newick (OneTree, known as BUILD).

    FILE is a file of triplets or '-' for the standard input. If no hierarchy displays them all, the exit status is 1
    and a conflict is shown.
    """
    write_newick(one_tree(read_triplet_file(file, format_=format_, table=options)), output, blanks=blanks)


# ----------------------------------------------------------------------
# The command between formats: ``convert``.

#: Formats that are written.
WRITTEN_FORMATS = [name for name, form in FORMATS.items() if form.write is not None]


@click.command(
    epilog="""
    \b
    Examples:
      tripletree convert sample:mammals -o mammals.json
      tripletree convert sample:cell_types --parent deepest --labels name --to nexus
      printf 'lion,Felidae\\ntom,Felidae\\nrex,Canidae\\n' | tripletree convert sample:animals --attach -
    """
)
@click.argument("file")
@click.option("--to", "format_", type=click.Choice(WRITTEN_FORMATS), help="Format to write; by default as -o's suffix.")
@click.option("--restrict", "items", metavar="FILE", help="Keep only the leaves listed in FILE, one a line.")
@click.option("--prune-depth", "depth", type=click.IntRange(min=0), metavar="N", help="Cut off nodes deeper than N.")
@click.option("--prune-rank", "rank", metavar="RANK", help="Cut off nodes below this rank.")
@click.option("--suppress-unary", is_flag=True, help="Leave out nodes with one child.")
@output_option
@blanks_option
@reading_options
def convert(
    file: str,
    format_: str | None,
    items: str | None,
    depth: int | None,
    rank: str | None,
    suppress_unary: bool,
    output: str,
    blanks: str,
    reading: dict[str, Any],
) -> None:
    """Read the hierarchy in FILE, and write it in another format.

    FILE is in any of the formats that are read, '-' for the standard input, or a sample such as sample:mammals. Items
    are attached first, then the tree is pruned, then restricted.
    """
    check_apart([file, items, reading.get("annotations")], [])
    try:
        form = format_to_write(output, format_ or ("newick" if output == "-" else None))
    except ValueError as error:
        raise bad_input(str(error).replace("format=", "--to")) from None
    if blanks != "quote" and form.name not in ("newick", "nexus"):
        msg = f"--blanks goes with newick and nexus, not {form.name}"
        raise click.UsageError(msg)
    cuts = depth is not None or rank is not None
    hierarchy = read_hierarchy(file, {**reading, UNARY: cuts})
    if cuts:
        hierarchy = hierarchy.prune(depth=depth, rank=rank)
    if items is not None:
        lines = read_text(items)[0].splitlines()
        hierarchy = hierarchy.restrict([x.strip() for x in lines if x.strip()])
    if suppress_unary or (rank is not None and "annotations" in reading):
        hierarchy = hierarchy.suppress_unary()
    options = {"blanks": blanks} if form.name in ("newick", "nexus") else {}
    write_hierarchy(hierarchy, output, format=form.name, **options)
