"""The commands for triplets that clash: ``explain``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tripletree.cli._clustering import picture_format, save_figure
from tripletree.cli._shell import INCONSISTENT, busy, conflict_text
from tripletree.cli._sources import format_option, read_triplet_file, write_triplet_file

if TYPE_CHECKING:
    from tripletree.conflict import Conflict

__all__ = ["explain"]


@click.command(
    epilog="""
    \b
    Examples:
      printf 'cat dog | eel\\ndog eel | fly\\neel fly | cat\\n' | tripletree explain - || echo "exit status $?"
      tripletree decompose sample:mammals | tripletree explain -
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
@click.option("--budget", type=click.IntRange(min=0), metavar="STEPS", help="Work after which that is given up.")
@click.option("--json", "as_json", is_flag=True, help="Write the conflicts as a JSON list.")
@click.option("-o", "--output", metavar="FILE", help="Write the triplets of the conflicts to this file.")
@click.option("--plot", "picture", metavar="FILE", help="Draw the first conflict to this file (png, pdf, svg).")
@format_option
@click.pass_context
def explain(
    ctx: click.Context,
    file: str,
    k: int,
    max_size: int,
    budget: int | None,
    as_json: bool,
    output: str | None,
    picture: str | None,
    format_: Any,
) -> None:
    """Show which triplets of FILE cannot hold together, where they stand in it, and why.

    A conflict is as small as can be found: any one of its triplets less can hold. It says whether it is proved that no
    smaller one exists. Exit status: 0 if there is none, 1 if there is, 2 if FILE cannot be read.
    """
    from tripletree.conflict import DEFAULT_BUDGET, find_conflicts

    if picture is not None:
        picture_format(picture)
    triplets = read_triplet_file(file, format_=format_)
    with busy("searching conflicts"):
        found = find_conflicts(triplets, k, max_size=max_size, budget=DEFAULT_BUDGET if budget is None else budget)
    if found and output is not None:
        clashing = found[0].triplets
        for conflict in found[1:]:
            clashing = clashing | conflict.triplets
        used = [clashing.leaves[i] for i in clashing.used_leaves.tolist()]
        write_triplet_file(clashing.restrict(used), output)
    if found and picture is not None:
        from tripletree.plot_graph import plot_conflict

        save_figure(plot_conflict(found[0]).figure, picture)
    if as_json:
        click.echo(json.dumps([x.to_dict() for x in found], indent=2, ensure_ascii=False, default=str))
    else:
        click.echo(_in_words(found, k) if found else f"consistent: no conflict among {len(triplets):,} triplets")
    if found:
        ctx.exit(INCONSISTENT)


def _in_words(found: Sequence[Conflict], k: int) -> str:
    """The conflicts one after the other, each with what is proved of its size."""
    texts = []
    for number, conflict in enumerate(found, 1):
        head = f"Conflict {number} of {len(found)}. " if len(found) > 1 else ""
        rest = " among the triplets of no earlier conflict" if number > 1 else ""
        if conflict.smallest:
            proved = f"No conflict{rest} is smaller." if len(conflict) > 2 else ""
        else:
            proved = f"One{rest} of {conflict.at_least} triplets or more could be smaller; none of fewer exists."
        texts.append("\n".join(x for x in (f"{head}{conflict_text(conflict)}", proved) if x))
    if 1 < k != len(found):
        texts.append(f"There are no more conflicts that share no triplet with {'this' if len(found) < 2 else 'these'}.")
    return "\n\n".join(texts)
