"""The command between formats: ``convert``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tripletree.cli._reading import read_hierarchy, reading_options
from tripletree.cli._shell import bad_input
from tripletree.cli._sources import output_option

if TYPE_CHECKING:
    from tripletree.hierarchy import Hierarchy

__all__ = ["convert"]

#: Formats that are written, and the suffixes that stand for them.
SUFFIXES = {
    "newick": (".nwk", ".newick", ".tree", ".tre", ".nh"),
    "nexus": (".nex", ".nexus", ".nxs"),
    "json": (".json",),
    "edges": (".csv", ".tsv", ".parquet"),
    "lineages": (".lineages",),
    "linkage": (".npy", ".npz"),
    "dot": (".dot", ".gv"),
}
_PACKED = (".gz", ".bz2", ".xz")


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
@click.option("--to", "format_", type=click.Choice(list(SUFFIXES)), help="Format to write; by default as -o's suffix.")
@click.option("--restrict", "items", metavar="FILE", help="Keep only the leaves listed in FILE, one a line.")
@click.option("--prune-depth", "depth", type=click.IntRange(min=0), metavar="N", help="Cut off what is deeper than N.")
@click.option("--prune-rank", "rank", metavar="RANK", help="Cut off what is below nodes of this rank.")
@click.option("--suppress-unary", is_flag=True, help="Leave out nodes with one child.")
@output_option
@reading_options
def convert(
    file: str,
    format_: str | None,
    items: str | None,
    depth: int | None,
    rank: str | None,
    suppress_unary: bool,
    output: str,
    reading: dict[str, Any],
) -> None:
    """Read the hierarchy in FILE, and write it in another format.

    FILE is in any of the formats that are read, '-' for the standard input, or a sample such as sample:mammals. Items
    are hung first, then the tree is pruned, then restricted.
    """
    if [file, items, reading.get("annotations")].count("-") > 1:
        msg = "only one of FILE, --restrict and --attach can be the standard input"
        raise click.UsageError(msg)
    write = _writer(format_ or _format_of(output))
    cuts = depth is not None or rank is not None
    hierarchy = read_hierarchy(file, {**reading, "keep_unary": cuts})
    if cuts:
        hierarchy = hierarchy.prune(depth=depth, rank=rank)
    if items is not None:
        from tripletree.io._files import read_text

        lines = read_text(items)[0].splitlines()
        hierarchy = hierarchy.restrict([x.strip() for x in lines if x.strip()])
    if suppress_unary or (rank is not None and "annotations" in reading):
        hierarchy = hierarchy.suppress_unary()
    write(hierarchy, output)


def _format_of(output: str) -> str:
    path = Path(output)
    if path.suffix.lower() == ".zip":
        raise bad_input(f"{output}: zip archives are read, not written; take .gz, .bz2 or .xz")
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    for name, suffixes in SUFFIXES.items():
        if path.suffix.lower() in suffixes:
            return name
    if output == "-":
        return "newick"
    known = ", ".join(x for suffixes in SUFFIXES.values() for x in suffixes)
    raise bad_input(f"{output}: the suffix says which format to write; take --to, or one of {known}")


def _writer(name: str) -> Callable[[Hierarchy, str], Any]:
    if name == "dot":
        return _write_dot
    from tripletree import io

    return getattr(io, f"write_{name}")


def _write_dot(hierarchy: Hierarchy, output: str) -> None:
    from tripletree.interop import to_dot
    from tripletree.io._files import write_atomic

    with write_atomic(output) as stream:
        stream.write(to_dot(hierarchy))
