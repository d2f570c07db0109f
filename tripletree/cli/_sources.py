"""What the commands read and write: hierarchies and triplets from files, pipes and samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tripletree.cli._shell import bad_input

if TYPE_CHECKING:
    from tripletree.hierarchy import Hierarchy
    from tripletree.triplets import TripletSet

__all__ = [
    "format_option",
    "given_name",
    "output_option",
    "read_triplet_file",
    "seed_option",
    "some_leaves",
    "write_hierarchy",
    "write_triplet_file",
]

SAMPLE = "sample:"
FORMATS = ("text", "csv", "tsv", "parquet")

output_option = click.option(
    "-o", "--output", metavar="FILE", default="-", help="Write to this file instead of the standard output."
)
format_option = click.option(
    "--format", "format_", type=click.Choice(FORMATS), help="Format of the triplets; by default as the suffix says."
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draw.")


def given_name(source: str) -> str:
    """What to call a source in messages."""
    return "standard input" if source == "-" else source


def read_triplet_file(source: str, *, format_: Any = None) -> TripletSet:
    """Read triplets from a file or the standard input (``-``)."""
    if source.startswith(SAMPLE):
        msg = f"{source} is a hierarchy; tripletree decompose {source} gives triplets of it"
        raise bad_input(msg)
    from tripletree.io import read_triplets

    return some_leaves(read_triplets(source, format=format_), source)


def some_leaves(triplets: TripletSet, source: str) -> TripletSet:
    """Refuse an input that names nothing: most likely the command in front of a pipe has failed."""
    if len(triplets.leaves) == 0:
        raise bad_input(f"{given_name(source)} holds no triplet and no leaf")
    return triplets


def write_hierarchy(hierarchy: Hierarchy, target: str) -> None:
    """Write Newick to a file or the standard output (``-``)."""
    from tripletree.io import write_newick

    write_newick(hierarchy, target)


def write_triplet_file(triplets: TripletSet, target: str, *, format_: Any = None) -> None:
    """Write triplets to a file or the standard output (``-``)."""
    from tripletree.io import write_triplets

    write_triplets(triplets, target, format=format_)
