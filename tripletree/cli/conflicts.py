"""The commands for triplets that clash: ``explain`` and ``repair``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tripletree.algorithms.conflict import DEFAULT_STEPS, Conflict, find_conflicts
from tripletree.algorithms.repair import Repair
from tripletree.algorithms.repair import repair as repaired
from tripletree.cli.outputs import check_apart, check_picture_format, save_figure
from tripletree.cli.pairs import explain_pairs
from tripletree.cli.shell import INCONSISTENT, busy, conflict_text, json_text, label_text, say
from tripletree.cli.sources import (
    blanks_option,
    format_option,
    kind_option,
    output_option,
    read_constraints,
    read_triplet_file,
    seed_option,
    table_options,
    write_triplet_file,
)
from tripletree.core.checks import counted
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.io import write_newick
from tripletree.plots import plot_conflict

#: Dropped triplets that are listed.
MOST_DROPPED = 20
METHODS = ("auto", "exact", "search", "greedy")


@click.command(
    epilog="""
    \b
    Examples:
      printf 'cat dog | eel\\ndog eel | fly\\neel fly | cat\\n' | tripletree explain - || echo "exit status $?"
      tripletree decompose sample:mammals | tripletree explain -
      printf 'cat dog must\\ndog eel must\\ncat eel cannot\\n' | tripletree explain - || echo "exit status $?"
    """
)
@click.argument("file")
@click.option(
    "-k", "--number", "k", type=click.IntRange(min=1), default=1, show_default=True, metavar="K",
    help="Show up to K conflicts that share no triplet.",
)  # fmt: skip
@click.option(
    "--max-size", type=click.IntRange(min=0), default=4, show_default=True, metavar="M",
    help="Search conflicts of at most M triplets exactly, before any other.",
)  # fmt: skip
@click.option("--max-steps", type=click.IntRange(min=0), metavar="STEPS", help="Stop this search after so many steps.")
@click.option("--json", "as_json", is_flag=True, help="Write the conflicts as a JSON list.")
@click.option("-o", "--output", metavar="FILE", help="Write the triplets of the conflicts to this file.")
@click.option("--plot", "picture", metavar="FILE", help="Draw the first conflict to this file (png, pdf, svg).")
@kind_option
@table_options("pairs", "triplets", "answers", "comparisons")
@format_option
@click.pass_context
def explain(
    ctx: click.Context,
    file: str,
    kind: str | None,
    options: dict[str, Any],
    k: int,
    max_size: int,
    max_steps: int | None,
    as_json: bool,
    output: str | None,
    picture: str | None,
    format_: Any,
) -> None:
    """Show which triplets of FILE cannot hold together, where they stand in it, and why.

    A conflict is as small as can be found: without any one of its triplets the others can hold. It tells whether it is
    proved that no smaller one exists. Exit status: 0 if there is none, 1 if there is, 2 if FILE cannot be read.

    FILE may also hold odd-one-out answers, which are triplets (tripletree answers tells the people apart), or pairs:
    each conflict is then a cannot-link with a shortest path of must-links that breaks it, and several may share
    must-links. --max-size, --max-steps and --plot are for triplets.
    """
    check_apart([file], [output, picture])
    if picture is not None:
        check_picture_format(picture)
    triplets = read_constraints(file, kind, format_=format_, table=options)
    if isinstance(triplets, PairwiseConstraints):
        other = "--plot" if picture is not None else "--max-steps" if max_steps is not None else None
        explain_pairs(ctx, triplets, k, output, as_json=as_json, other=other)
        return
    k = min(k, max(len(triplets), 1))  # there are no more
    with busy("searching conflicts"):
        most = DEFAULT_STEPS if max_steps is None else max_steps
        found = find_conflicts(triplets, k, max_size=max_size, max_steps=most)
    _keep(found, output, picture)
    if as_json:
        click.echo(json_text([x.to_dict() for x in found]))
    else:
        say(_in_words(found, k, len(triplets)))
    if found:
        ctx.exit(INCONSISTENT)


def _keep(found: Sequence[Conflict], output: str | None, picture: str | None) -> None:
    """Write the triplets of conflicts, over the leaves in them, and draw the first one."""
    if found and output is not None:
        clashing = found[0].triplets
        for conflict in found[1:]:
            clashing = clashing | conflict.triplets
        write_triplet_file(clashing.restrict(_used(clashing)), output)
    if found and picture is not None:
        save_figure(plot_conflict(found[0]).figure, picture)


def _in_words(found: Sequence[Conflict], k: int, n_triplets: int) -> str:
    """Return the conflicts one after the other, each with the proof about its size."""
    if not found:
        return f"consistent: no conflict among {counted(n_triplets, 'triplet')}"
    texts = []
    for number, conflict in enumerate(found, 1):
        head = f"Conflict {number} of {len(found)}. " if len(found) > 1 else ""
        earlier = "conflict 1" if number == 2 else f"conflicts 1 to {number - 1}"
        rest = f"Without the triplets of {earlier}, no" if number > 1 else "No"
        if conflict.smallest:
            proved = f"{rest} conflict is smaller." if len(conflict) > 2 else ""
        else:
            proved = f"{rest} conflict has fewer than {conflict.at_least} triplets; one smaller than this may exist."
        texts.append("\n".join(x for x in (f"{head}{conflict_text(conflict)}", proved) if x))
    if 1 < k != len(found):
        texts.append(f"There are no more conflicts that share no triplet with {'this' if len(found) < 2 else 'these'}.")
    return "\n\n".join(texts)


@click.command(
    epilog="""
    \b
    Examples:
      printf 'cat dog | eel\\ndog eel | fly\\neel fly | cat\\ncat dog | fly\\n' | tripletree repair -
      printf 'cat dog | eel\\ncat eel | dog | 3\\n' | tripletree repair - -o kept.txt --dropped dropped.txt
    """
)
@click.argument("file")
@click.option(
    "--method", type=click.Choice(METHODS), default="auto", show_default=True,
    help="auto is exact if contradictions tie few leaves together, else a search.",
)  # fmt: skip
@click.option("--dropped", metavar="FILE", help="Write the triplets that were dropped to this file.")
@click.option("--newick", metavar="FILE", help="Write the hierarchy of those kept to this file.")
@blanks_option
@seed_option
@output_option
@table_options("triplets", "answers")
@format_option
def repair(
    file: str,
    method: Any,
    dropped: str | None,
    newick: str | None,
    blanks: Any,
    seed: int,
    output: str,
    options: dict[str, Any],
    format_: Any,
) -> None:
    """Drop triplets of FILE until the rest is consistent, as little weight as can be managed, and write the rest.

    FILE may also hold odd-one-out answers, each counted as often as it was given. How many were dropped is said on the
    standard error. The exit status is 0 whether any were dropped or not.
    """
    check_apart([file], [output, dropped, newick])
    pairs_go = ": tripletree explain shows the contradictions of pairs"
    triplets = read_triplet_file(file, format_=format_, pairs_go=pairs_go, table=options)
    with busy(f"repairing {counted(len(triplets), 'triplet')}"):
        done = repaired(triplets, method=method, random_state=seed)
    if dropped is not None:
        write_triplet_file(done.dropped.restrict(_used(done.dropped)), dropped)
    if newick is not None:
        write_newick(done.hierarchy, newick, blanks=blanks)
    write_triplet_file(done.kept, output, format_=format_)
    say(_summary(done, triplets), err=True)


def _summary(done: Repair, triplets: TripletSet) -> str:
    """Return a text on the triplets kept, and on the dropped ones with their lines."""
    weight = "" if triplets.weights is None else f", weight {done.weight_kept:.6g} of {done.weight:.6g}"
    how = f" (by {done.method})" if len(done.dropped) else ": they are consistent"
    lines = [f"{len(done.kept):,} of {len(triplets):,} triplets kept{weight}{how}"]
    origins, repeated = done.dropped.origins, 0
    for k, (a, b, c) in enumerate(done.dropped.head(MOST_DROPPED)):
        place = None if origins is None else origins[k]
        where = "" if place is None else f"  {place.unit} {place.number}"
        lines.append(f"dropped: {label_text(a)} {label_text(b)} | {label_text(c)}{where}")
    if len(done.dropped) > MOST_DROPPED:
        lines.append(f"dropped: {len(done.dropped) - MOST_DROPPED:,} more")
    if triplets.weights is None and triplets.origins is not None:
        repeated = sum(place.times > 1 for k in range(len(triplets)) if (place := triplets.origins[k]) is not None)
    if repeated:
        lines.append(
            f"note: {counted(repeated, 'triplet')} said more than once; write '| 1' behind them to count each time"
        )
    return "\n".join(lines)


def _used(triplets: TripletSet) -> list[Any]:
    return [triplets.leaves[i] for i in triplets.used_leaves.tolist()]
