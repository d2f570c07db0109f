"""What the commands read and write: hierarchies and triplets from files, pipes and samples."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from tripletree.cli._shell import bad_input

if TYPE_CHECKING:
    from tripletree.hierarchy import Hierarchy
    from tripletree.triplets import TripletSet

__all__ = [
    "format_option",
    "given_name",
    "output_option",
    "read_either",
    "read_hierarchy",
    "read_triplet_file",
    "seed_option",
    "write_hierarchy",
    "write_triplet_file",
]

SAMPLE = "sample:"
FORMATS = ("text", "csv", "tsv", "parquet")
_HIERARCHY_SUFFIXES = frozenset({".nwk", ".newick", ".tree", ".tre", ".nh", ".dnd"})
_TRIPLET_SUFFIXES = frozenset({".triplets", ".csv", ".tsv", ".parquet"})
_PACKED = frozenset({".gz", ".bz2", ".xz"})

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


def read_hierarchy(source: str) -> Hierarchy:
    """Read a Newick file, the standard input (``-``) or a sample (``sample:mammals``)."""
    if source.startswith(SAMPLE):
        from tripletree.datasets import load_hierarchy

        return load_hierarchy(source.removeprefix(SAMPLE))
    from tripletree.io import read_newick

    return read_newick(source)


def read_triplet_file(source: str, *, format_: Any = None) -> TripletSet:
    """Read triplets from a file or the standard input (``-``)."""
    if source.startswith(SAMPLE):
        msg = f"{source} is a hierarchy; tripletree decompose {source} gives triplets of it"
        raise bad_input(msg)
    from tripletree.io import read_triplets

    return _some_leaves(read_triplets(source, format=format_), source)


def _some_leaves(triplets: TripletSet, source: str) -> TripletSet:
    """Refuse an input that names nothing: most likely the command in front of a pipe has failed."""
    if len(triplets.leaves) == 0:
        raise bad_input(f"{given_name(source)} holds no triplet and no leaf")
    return triplets


def read_either(source: str, kind: str | None) -> Hierarchy | TripletSet:
    """Read a hierarchy or triplets, as `kind` says, else the suffix, else the text itself."""
    if source.startswith(SAMPLE):
        if kind == "triplets":
            return read_triplet_file(source)
        return read_hierarchy(source)
    from tripletree.io import read_newick, read_triplets
    from tripletree.io._files import read_bytes

    content, name = read_bytes(source)
    kind = kind or _kind_of_suffix(source) or _kind_of_content(content)
    stream = _named(content, name)
    return read_newick(stream) if kind == "hierarchy" else _some_leaves(read_triplets(stream), source)


def _named(content: bytes | str, name: str | None) -> IO[Any]:
    """A stream that calls itself by a name, for messages and formats."""

    class Stream(io.BytesIO):
        pass

    stream = Stream(content.encode() if isinstance(content, str) else content)
    stream.name = name
    return stream


def _kind_of_suffix(source: str) -> str | None:
    path = Path(source)
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    suffix = path.suffix.lower()
    return "hierarchy" if suffix in _HIERARCHY_SUFFIXES else "triplets" if suffix in _TRIPLET_SUFFIXES else None


def _kind_of_content(content: bytes | str) -> str:
    """Newick starts with a bracket, or ends with a semicolon; all else is taken for triplets."""
    raw = content.encode() if isinstance(content, str) else content
    text = raw.removeprefix(b"\xef\xbb\xbf").strip()
    return "hierarchy" if text[:1] in (b"(", b"[") or text[-1:] == b";" else "triplets"


def write_hierarchy(hierarchy: Hierarchy, target: str) -> None:
    """Write Newick to a file or the standard output (``-``)."""
    from tripletree.io import write_newick

    write_newick(hierarchy, target)


def write_triplet_file(triplets: TripletSet, target: str, *, format_: Any = None) -> None:
    """Write triplets to a file or the standard output (``-``)."""
    from tripletree.io import write_triplets

    write_triplets(triplets, target, format=format_)
