"""What the commands read and write: hierarchies and triplets from files, pipes and samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tripletree.cli._shell import bad_input

if TYPE_CHECKING:
    from tripletree.hierarchy import Hierarchy
    from tripletree.pairs import PairwiseConstraints
    from tripletree.triplets import TripletSet

__all__ = [
    "format_option",
    "given_name",
    "kind_option",
    "output_option",
    "read_constraints",
    "read_pair_file",
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
kind_option = click.option(
    "--as",
    "kind",
    type=click.Choice(["triplets", "pairs"]),
    help="What FILE holds; by default as it looks: pairs have a column 'link', or say must or cannot in each line.",
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


def read_constraints(source: str, kind: str | None, *, format_: Any = None) -> TripletSet | PairwiseConstraints:
    """Read triplets or must-links and cannot-links, as `kind` says, else as the content looks."""
    if kind == "triplets" or source.startswith(SAMPLE):
        return read_triplet_file(source, format_=format_)
    from tripletree.io._files import named_stream, raw_bytes, read_bytes
    from tripletree.io.constraints._pair_texts import looks_like_pairs
    from tripletree.io.constraints.triplet_files import format_of_suffix

    raw, name = raw_bytes(source)  # once: a pipe cannot be read again
    if kind is None:
        content, _ = read_bytes(named_stream(raw, name))
        found = looks_like_pairs(content, name, ("a", "b", "link"), format_ or format_of_suffix(name))
        kind = "pairs" if found else "triplets"
    if kind == "pairs":
        return read_pair_file(named_stream(raw, name), format_=format_)
    from tripletree.io import read_triplets

    return some_leaves(read_triplets(named_stream(raw, name), format=format_), source)


def read_pair_file(source: Any, *, format_: Any = None) -> PairwiseConstraints:
    """Read must-links and cannot-links."""
    from tripletree.io import read_pairs

    pairs = read_pairs(source, format=format_)
    if len(pairs.leaves) == 0:
        raise bad_input(f"{given_name(getattr(source, 'name', source))} holds no pair and no leaf")
    return pairs


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
