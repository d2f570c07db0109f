"""The commands that reason about triplets and hierarchies: ``closure``, ``compare`` and ``describe``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from tripletree.algorithms import infer as inference
from tripletree.algorithms.compare import compare_triplets, robinson_foulds
from tripletree.cli.outputs import check_apart
from tripletree.cli.pairs import pairs_text
from tripletree.cli.reading import read_hierarchy, reading_options
from tripletree.cli.shell import INCONSISTENT, bad_input, busy, label_text, table_text
from tripletree.cli.sources import (
    format_option,
    given_name,
    kind_option,
    output_option,
    read_constraints,
    read_triplet_file,
    table_options,
    write_triplet_file,
)
from tripletree.cli.tables import check_metric, label_options, read_table
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.core.triplets import TripletSet as Rows
from tripletree.errors import LimitExceededError, UnknownLeafError
from tripletree.evaluation.describe import Description, percent
from tripletree.evaluation.describe import describe as described
from tripletree.evaluation.knowledge import KnowledgeReport, evaluate_knowledge
from tripletree.io.rows import format_of_suffix
from tripletree.io.source import write_atomic
from tripletree.reports.table import standardized

if TYPE_CHECKING:
    import numpy as np

LIMIT = 10_000_000
WORK = 2_000_000_000
WORK_TO_DESCRIBE = 1_000_000_000

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON instead of text.")


def work_option(default: int) -> Any:
    """Return the option of how much work is allowed."""
    return click.option(
        "--max-steps",
        type=click.IntRange(min=0),
        default=default,
        show_default=True,
        metavar="N",
        help="Give up after N steps; some 40 million take a second.",
    )


@click.command(
    epilog="""
    \b
    Examples:
      printf 'cat dog | eel\\ndog eel | fly\\n' | tripletree closure -
      tripletree induce sample:primates --all | tripletree closure - --minimal -o smallest.txt
      printf 'cat eel | fly\\n' > question.txt
      printf 'cat dog | eel\\ndog eel | fly\\n' | tripletree closure - --query question.txt
    """
)
@click.argument("triplets")
@click.option("--limit", type=click.IntRange(min=0), default=LIMIT, show_default=True, help="Most triplets to list.")
@click.option("--query", metavar="FILE", help="Tell which triplets of FILE are implied, instead.")
@click.option("--minimal", "smallest", is_flag=True, help="As few of the triplets as imply all of them, instead.")
@click.option("--redundant", "spare", is_flag=True, help="The triplets that all others together imply, instead.")
@work_option(WORK)
@output_option
@table_options("triplets", "answers")
@format_option
def closure(
    triplets: str,
    limit: int,
    query: str | None,
    smallest: bool,
    spare: bool,
    max_steps: int,
    output: str,
    options: dict[str, Any],
    format_: Any,
) -> None:
    """Write all triplets that TRIPLETS imply, themselves included.

    TRIPLETS is a file of triplets or '-' for the standard input. --columns is for it, --format for the output. A
    triplet is implied when every hierarchy that displays the given ones displays it, too. With --query each triplet
    of FILE is written, as "# a b | c not implied" if it is not (in other formats than text, only the implied ones).
    With --redundant each triplet is judged alone: drop one and look again, or take --minimal. The exit status is 1 if
    no hierarchy displays all of TRIPLETS, and a conflict is shown.
    """
    if (query is not None) + smallest + spare > 1:
        msg = "give one of --query, --minimal and --redundant"
        raise click.UsageError(msg)
    if triplets == query == "-":
        msg = "TRIPLETS and --query cannot both be the standard input"
        raise click.UsageError(msg)
    check_apart([triplets, query], [output])
    given = read_triplet_file(triplets, table=options)
    asked = None if query is None else read_triplet_file(query)
    implied = found = None
    try:
        with busy(f"reasoning about {counted(len(given), 'triplet')}"):
            if asked is not None:
                implied = inference.implies(given, asked, max_steps=max_steps)
            elif smallest:
                found = inference.irredundant(given, max_steps=max_steps)
            elif spare:
                found = _used(given.subset(inference.redundant(given, max_steps=max_steps)))
            else:
                found = inference.closure(given, limit=limit, max_steps=max_steps)
    except LimitExceededError as error:
        raise bad_input(_too_much(error, len(given), limit, max_steps)) from None
    if found is not None:
        write_triplet_file(found, output, format_=format_)
    elif asked is not None and implied is not None:
        _write_answers(asked, implied, output, format_)


def _too_much(error: Any, m: int, limit: int, max_steps: int) -> str:
    """Return a refusal in the words of the command line."""
    if "imply" not in str(error):
        return (
            f"this takes more than {max_steps:,} steps of work, and has been given up; take fewer leaves, or raise "
            "--max-steps"
        )
    return (
        f"the {m:,} triplets imply {error.size:,}, more than the limit of {limit:,}; ask for single ones with --query, "
        "or raise --limit"
    )


def _used(triplets: TripletSet) -> TripletSet:
    """Return the triplets over the leaves that occur in them."""
    return triplets.restrict([triplets.leaves[i] for i in triplets.used_leaves.tolist()])


def _write_answers(asked: TripletSet, implied: np.ndarray, output: str, format_: Any) -> None:
    kind = format_ or format_of_suffix(output) or "text"
    if kind == "text":
        with write_atomic(output) as stream:
            stream.writelines(_answers(asked, implied))
        return
    write_triplet_file(_used(asked.subset(implied)), output, format_=kind)
    others = len(asked) - int(implied.sum())
    if others:
        click.echo(f"{others:,} of {len(asked):,} triplets are not implied and left out", err=True)


def _answers(asked: TripletSet, implied: np.ndarray) -> Iterator[str]:
    names = [label_text(x) for x in asked.leaves]
    for (a, b, c), yes in zip(asked.rows.tolist(), implied.tolist(), strict=True):
        text = f"{names[a]} {names[b]} | {names[c]}"
        yield f"{text}\n" if yes else f"# {text} not implied\n"


# ---------------------------------------------------------------------- hierarchies


@click.command(
    epilog="""
    \b
    Examples:
      printf '((human,chimp),(gorilla,gibbon));' > other.nwk
      printf '(((human,chimp),gorilla),gibbon);' | tripletree compare - other.nwk
      tripletree decompose sample:primates --max 8 | tripletree build - | tripletree compare sample:primates -
    """
)
@click.argument("first")
@click.argument("second")
@click.option(
    "--leaves",
    type=click.Choice(["same", "common"]),
    default="same",
    show_default=True,
    help="If the leaves differ: refuse, or compare on those that both have.",
)
@json_option
@output_option
@reading_options
def compare(first: str, second: str, leaves: Any, as_json: bool, output: str, reading: dict[str, Any]) -> None:
    """Tell how far the hierarchies in FIRST and SECOND are apart.

    Every three leaves fall in one of five ways: both hierarchies display the same triplet on them, or two different
    ones, only the first or only the second displays one, or neither does. The triplet distance counts the second, third
    and fourth way. The Robinson-Foulds distance counts the clades that only one of the two has. Both are in any of
    the formats that are read (options of reading go for both), '-' for the standard input, or a sample such as
    sample:mammals. The exit status is 0 whether or not they are equal.
    """
    check_apart([first, second, reading.get("annotations")], [output])
    one, two = read_hierarchy(first, reading), read_hierarchy(second, reading)
    try:
        found = compare_triplets(one, two, leaves=leaves)
        apart = robinson_foulds(one, two, leaves=leaves)
        share = robinson_foulds(one, two, leaves=leaves, normalized=True)
    except UnknownLeafError as error:
        raise bad_input(str(error).replace("leaves='common' compares", "--leaves common compares")) from None
    values = {
        "n_leaves": found.n_leaves,
        "n_leaves_first": one.n_leaves,
        "n_leaves_second": two.n_leaves,
        "triples": found.total,
        **{x: getattr(found, x) for x in ("alike", "different", "first_only", "second_only", "unresolved")},
        "triplet_distance": found.distance,
        "triplet_distance_normalized": found.fraction,
        "robinson_foulds": int(apart),
        "robinson_foulds_normalized": share,
    }
    _write_text(json.dumps(values, indent=2) if as_json else _compared(values, one, two), output)


def _compared(values: dict[str, Any], one: Hierarchy, two: Hierarchy) -> str:
    """Return the counts in words."""
    n, triples = values["n_leaves"], values["triples"]
    both = "the leaves of both" if one.n_leaves == two.n_leaves == n else f"of {one.n_leaves:,} and {two.n_leaves:,}"

    def part(name: str) -> str:
        return f"{values[name]:,}" + (f" ({percent(values[name], triples)})" if triples else "")

    rows = [
        ("leaves", f"{n:,}, {both}"),
        ("triples of leaves", f"{triples:,}"),
        ("alike", part("alike")),
        ("different", part("different")),
        ("only the first", part("first_only")),
        ("only the second", part("second_only")),
        ("unresolved in both", part("unresolved")),
        ("triplet distance", f"{part('triplet_distance')}: different or in one only"),
        (
            "Robinson-Foulds",
            f"{values['robinson_foulds']:,} clades in one only ({values['robinson_foulds_normalized']:.4f} normalized)",
        ),
    ]
    return table_text(rows)


# ---------------------------------------------------------------------- triplets


@click.command(
    epilog="""
    \b
    Examples:
      tripletree induce sample:mammals --sample 200 | tripletree describe -
      printf 'name,x,y\\na,0,0\\nb,0,1\\nc,5,5\\nd,5,6\\n' > points.csv
      printf 'a b | c\\na c | d\\n' | tripletree describe - --data points.csv --json
      printf 'id1,id2,same\\na,b,yes\\nb,c,no\\n' | tripletree describe - --columns id1,id2,same
    """
)
@click.argument("triplets")
@click.option("--data", metavar="FILE", help="The samples, as tripletree cluster reads them: does their metric agree?")
@click.option(
    "--metric",
    metavar="NAME",
    help="A distance of scipy, or of FILE itself: precomputed, similarity.  [default: euclidean]",
)
@click.option("--standardize", is_flag=True, help="Give every column of the data mean 0 and deviation 1 first.")
@label_options
@click.option("--validate", is_flag=True, help="Measure if they help to cluster the data, by hiding some.")
@work_option(WORK_TO_DESCRIBE)
@json_option
@output_option
@kind_option
@table_options("pairs", "triplets", "answers", "comparisons")
@format_option
@click.pass_context
def describe(
    ctx: click.Context,
    triplets: str,
    data: str | None,
    kind: str | None,
    options: dict[str, Any],
    max_steps: int,
    as_json: bool,
    output: str,
    format_: Any,
    **of_data: Any,
) -> None:
    """Describe the triplets in TRIPLETS in numbers.

    How many leaves they cover, how much they settle, how much of them is news, how many bits they tell, which hierarchy
    they give. With --data also how many of them the metric satisfies without them. TRIPLETS is a file of triplets or
    '-' for the standard input. Exit status: 0 if some hierarchy displays all triplets, 1 if not, 2 if a file cannot be
    read.

    With --validate, the triplets on a fifth of the samples are hidden at a time, and the hierarchies that DivisiveReCon
    makes of the data with none, some and all of the others are compared with them.

    The file may also hold odd-one-out answers, which are triplets, or pairs, must-links and cannot-links: then, how
    many follow from them, which leaves they hold together, and how many triplets they give. The exit status is 1 if
    they contradict each other.
    """
    if triplets == data == "-":
        msg = "TRIPLETS and --data cannot both be the standard input"
        raise click.UsageError(msg)
    alone = [name for name, value in of_data.items() if value or (value is not False and value == 0)]
    if data is None and alone:
        msg = f"--{alone[0].replace('_', '-')} goes with --data"
        raise click.UsageError(msg)
    check_apart([triplets, data], [output])
    given = read_constraints(triplets, kind, format_=format_, table=options)
    if isinstance(given, PairwiseConstraints):
        if data is not None:
            raise bad_input(f"--data is for triplets, and {given_name(triplets)} holds pairs")
        _write_text(pairs_text(given, as_json=as_json), output)
        if not given.is_consistent:
            ctx.exit(INCONSISTENT)
        return
    found, report = _described(given, data, max_steps, **of_data)
    if as_json:
        values = found.to_dict() | ({} if report is None else {"validation": _report_values(report)})
        _write_text(json.dumps(values, indent=2), output)
    else:
        _write_text(str(found) + ("" if report is None else f"\n\n{_report_text(report)}"), output)
    if not found.consistent:
        ctx.exit(INCONSISTENT)


def _described(
    triplets: TripletSet,
    data: str | None,
    max_steps: int,
    *,
    metric: str | None,
    standardize: bool,
    index_column: str | None,
    id_digits: int | None,
    transpose: bool,
    drop: tuple[str, ...],
    validate: bool,
) -> tuple[Description, KnowledgeReport | None]:
    if data is None:
        with busy(f"describing {counted(len(triplets), 'triplet')}"):
            return described(triplets, max_steps=max_steps), None
    check_metric(metric, standardize)
    names = [str(x) for x in triplets.leaves]
    table = read_table(
        data,
        index_column=index_column,
        drop=drop,
        metric=metric,
        digits=id_digits,
        transpose=transpose,
        named=lambda: names,
    )
    values = standardized(table.values) if standardize else table.values
    known = triplets.reindex(table.labels)
    rows = Rows(known.rows, len(table.labels), known.weights)
    if validate and table.metric not in ("euclidean", "cosine", "precomputed"):
        msg = f"--metric {metric} does not go with --validate: it takes euclidean, cosine, precomputed and similarity"
        raise click.UsageError(msg)
    with busy(f"describing {counted(len(triplets), 'triplet')}"):
        found = described(rows, values, metric=table.metric, max_steps=max_steps)
    if not validate:
        return found, None
    from tripletree.cluster import DivisiveReCon

    model = DivisiveReCon(metric=table.metric)
    with busy(f"clustering {len(table.labels):,} samples again and again"):
        return found, evaluate_knowledge(values, triplets=rows, estimator=model)


def _report_text(report: KnowledgeReport) -> str:
    """Return a short table, and a sentence."""
    columns = report.amounts, report.agreement, report.standard_error, report.chance
    rows = [
        ("without knowledge" if a == 0 else f"{a:.0%} known", f"{share:.1%} +-{e:.1%}", f"{chance:.1%}")
        for a, share, e, chance in zip(*(x.tolist() for x in columns), strict=True)
    ]
    return f"triplets on hidden samples that hold, and by chance:\n{table_text(rows)}\n{report}"


def _report_values(report: KnowledgeReport) -> dict[str, Any]:
    """Return the same for JSON."""
    return {
        "amounts": report.amounts.tolist(),
        "agreement": report.agreement.tolist(),
        "standard_error": report.standard_error.tolist(),
        "chance": report.chance.tolist(),
        "agrees": report.agrees,
        "gain": report.gain,
        "gain_error": report.gain_error,
        "verdict": report.verdict,
        "worse": list(report.worse),
    }


def _write_text(text: str, output: str) -> None:
    with write_atomic(output) as stream:
        stream.write(text + "\n")
