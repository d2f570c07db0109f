"""What the commands read and write: hierarchies and triplets from files, pipes and samples."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import wraps
from typing import IO, TYPE_CHECKING, Any

import click

from tripletree.cli._shell import bad_input

if TYPE_CHECKING:
    from tripletree.hierarchy import Hierarchy
    from tripletree.ontology import Ontology
    from tripletree.triplets import TripletSet

__all__ = [
    "format_option",
    "given_name",
    "output_option",
    "read_either",
    "read_hierarchy",
    "read_ontology_or_hierarchy",
    "read_triplet_file",
    "reading_options",
    "seed_option",
    "write_hierarchy",
    "write_triplet_file",
]

SAMPLE = "sample:"
FORMATS = ("text", "csv", "tsv", "parquet")
PARENTS = ("certain", "deepest", "first", "smallest")

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


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a hierarchy is read; the command gets them as one dict, `reading`."""
    options = (
        click.option("--from", "format", metavar="FORMAT", help="Format of FILE; by default as its content says."),
        click.option(
            "--parent",
            type=click.Choice(PARENTS),
            help="Where a node has several parents: the one that counts, or what holds for every choice (certain).",
        ),
        click.option("--labels", metavar="KIND", help="What leaves are called: id, name, ...; as the format has it."),
        click.option("--root", metavar="NODE", help="Only what is at or below this node."),
        click.option("--relation", "relations", multiple=True, metavar="TYPE", help="Edges of this type; repeatable."),
        click.option("--namespace", metavar="NAME", help="Only terms of this namespace."),
    )
    for option in reversed(options):
        command = option(command)

    @wraps(command)
    def with_reading(*arguments: Any, **values: Any) -> Any:
        names = ("format", "parent", "labels", "root", "relations", "namespace")
        reading = {name: value for name in names if (value := values.pop(name)) not in (None, ())}
        return command(*arguments, reading=reading, **values)

    return with_reading


def read_hierarchy(source: str, reading: Mapping[str, Any] | None = None) -> Hierarchy:
    """Read a hierarchy in any format from a file, a folder, the standard input (``-``) or a sample."""
    if reading and reading.get("parent") == "certain":
        raise bad_input("--parent certain gives no hierarchy; take deepest, first or smallest")
    from tripletree.errors import NotATreeError

    try:
        return _read_tree(_again(source), dict(reading or {}))
    except NotATreeError as error:
        raise bad_input(f"{error}\nchoose with --parent deepest, first or smallest") from None


def read_ontology_or_hierarchy(source: str, reading: Mapping[str, Any] | None = None) -> Ontology | Hierarchy:
    """As `read_hierarchy`, but an ontology where nodes have several parents and no choice is made among them."""
    return _read_any(_again(source), dict(reading or {}))


def read_either(
    source: str, kind: str | None, reading: Mapping[str, Any] | None = None
) -> tuple[Ontology | Hierarchy | TripletSet, str]:
    """Read a hierarchy or triplets, as `kind` says, else the content; and the format."""
    from tripletree.io import read_triplets, recognition

    if kind == "triplets":
        return read_triplet_file(source), "triplets"
    stream = _again(source)
    name = (reading or {}).get("format") or recognition.recognize(stream())
    if name == "triplets" and kind is None:
        return _some_leaves(read_triplets(stream()), source), "triplets"
    value = _read_any(stream, dict(reading or {}))
    return value, recognition.FORMATS[name].title


def _read_any(stream: Callable[[], Any], options: dict[str, Any]) -> Ontology | Hierarchy:
    from tripletree.errors import NotATreeError
    from tripletree.io import recognition

    if options.get("parent") == "certain":
        del options["parent"]
    try:
        return _read_tree(stream, dict(options))
    except NotATreeError:
        options.pop("labels", None)
        return recognition.read_ontology(stream(), **options)


def _read_tree(stream: Callable[[], Any], options: dict[str, Any]) -> Hierarchy:
    from tripletree.io import recognition

    try:
        return recognition.read_hierarchy(stream(), **options)
    except TypeError as error:
        if "no option of format" not in str(error):
            raise
        raise bad_input(_as_option(str(error))) from None


def _again(source: str) -> Callable[[], Any]:
    """What gives a source to be read, as often as wanted: the standard input is read once and kept."""
    if source.startswith(SAMPLE):
        from tripletree.datasets import UnknownSampleError, load_hierarchy, sample_path

        name = source.removeprefix(SAMPLE)
        try:
            path = sample_path(name)
        except UnknownSampleError:
            load_hierarchy(name)  # names the hierarchies there are, not their files
            raise
        return lambda: path
    if source != "-":
        return lambda: source
    from tripletree.io._files import raw_bytes

    content, called = raw_bytes(source)
    return lambda: _named(content, called)


def _as_option(message: str) -> str:
    """The message of a reader that does not take an option, with the names of the command line."""
    return message.replace("relations", "--relation").replace("parent:", "--parent:")


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


def _named(content: bytes | str, name: str | None) -> IO[Any]:
    """A stream that calls itself by a name, for messages and formats."""

    class Stream(io.BytesIO):
        pass

    stream = Stream(content.encode() if isinstance(content, str) else content)
    stream.name = name
    return stream


def write_hierarchy(hierarchy: Hierarchy, target: str) -> None:
    """Write Newick to a file or the standard output (``-``)."""
    from tripletree.io import write_newick

    write_newick(hierarchy, target)


def write_triplet_file(triplets: TripletSet, target: str, *, format_: Any = None) -> None:
    """Write triplets to a file or the standard output (``-``)."""
    from tripletree.io import write_triplets

    write_triplets(triplets, target, format=format_)
