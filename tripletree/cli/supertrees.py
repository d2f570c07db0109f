"""The command ``supertree``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tripletree.algorithms.supertree import Supertree
from tripletree.algorithms.supertree import supertree as combined
from tripletree.cli.outputs import check_apart
from tripletree.cli.reading import read_hierarchies, reading_options
from tripletree.cli.shell import bad_input, busy, say
from tripletree.cli.sources import blanks_option, output_option, seed_option
from tripletree.core.checks import counted
from tripletree.io import read_annotations, write_newick


@click.command(
    epilog="""
    \b
    Examples:
      printf '((a,b),c);((b,c),d);((a,b),d);' | tripletree supertree -
      printf '((a,b),c);' > one.nwk; printf '((a,c),b);((a,b),(c,d));' > two.nwk
      tripletree supertree one.nwk two.nwk --weights 1,2,2 --support -o both.nwk
    """
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--weights", metavar="W,W,...", help="A positive number for each hierarchy, in the order they are read.")
@click.option(
    "--votes", type=click.Choice(["triplet", "tree"]), default="triplet", show_default=True,
    help="Unit of the weight: each triplet of a hierarchy, or all of them together.",
)  # fmt: skip
@click.option(
    "--min-support", type=click.FloatRange(0, 1, max_open=True), default=0.5, show_default=True, metavar="SHARE",
    help="Drop clades if at most this share of their votes agrees.",
)  # fmt: skip
@click.option(
    "--species", metavar="TABLE",
    help="For trees of genes: a table of two columns, a gene and its species. The result is a tree of the species.",
)  # fmt: skip
@click.option("--support", is_flag=True, help="Write the share that agrees as the name of each inner node.")
@click.option(
    "--on-conflict", type=click.Choice(["vote", "raise"]), default="vote", show_default=True,
    help="If the hierarchies contradict each other: count votes, or show a conflict.",
)  # fmt: skip
@seed_option
@output_option
@blanks_option
@reading_options
def supertree(
    files: Sequence[str],
    weights: str | None,
    votes: Any,
    min_support: float,
    species: str | None,
    support: bool,
    on_conflict: Any,
    seed: int,
    output: str,
    blanks: Any,
    reading: dict[str, Any],
) -> None:
    """Combine the hierarchies in FILE... into one of all their leaves, and write it as Newick.

    A file may hold several (Newick, NEXUS). If some hierarchy displays all of their triplets, it is found. Otherwise
    one that displays as many as can be found, less the clades that have no majority. The fate of the triplets is
    said on the standard error.
    """
    check_apart(files, [output], counted=files if weights is None else ())
    sources = [h for file in files for h in read_hierarchies(file, reading)]
    with busy(f"combining {len(sources):,} hierarchies"):
        found = combined(
            sources,
            weights=None if weights is None else _numbers(weights, len(sources)),
            species=None if species is None else _species(species),
            votes=votes,
            min_support=min_support,
            on_conflict=on_conflict,
            random_state=seed,
        )
    shares = [float(f"{x:.3g}") for x in found.support.tolist()]
    write_newick(found.hierarchy, output, names=not support, support=shares if support else None, blanks=blanks)
    say(_summary(found), err=True)


def _species(path: str) -> dict[str, str]:
    found = read_annotations(path)
    several = next((gene for gene, some in found.items() if len(some) > 1), None)
    if several is not None:
        raise bad_input(f"--species {path}: {several} has the species {', '.join(found[several])}, where one is needed")
    return {gene: name for gene, (name,) in found.items()}


def _numbers(text: str, n: int) -> list[float]:
    try:
        numbers = [float(x) for x in text.split(",")]
    except ValueError:
        raise bad_input(f"--weights {text}: expected numbers with commas between them") from None
    if len(numbers) != n:
        raise bad_input(f"--weights has {len(numbers)} numbers for {n} hierarchies")
    return numbers


def _summary(found: Supertree) -> str:
    sources = counted(found.n_sources, "hierarchy", "hierarchies")
    head = f"{sources}, {counted(found.hierarchy.n_leaves, 'leaf', 'leaves')}: "
    if found.consistent:
        return f"{head}consistent, all of their triplets are displayed"
    shares = (found.displayed, found.contradicted, found.unresolved)
    return head + "{:.2%} of their triplets displayed, {:.2%} contradicted, {:.2%} unresolved".format(*shares)
