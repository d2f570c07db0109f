"""How the commands read hierarchies and ontologies: options shared by all of them, and their effect."""

from __future__ import annotations

import csv
import os
import re
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import wraps
from typing import Any

import click

from tripletree.cli.shell import bad_input, say, with_options
from tripletree.cli.sources import (
    SAMPLE,
    check_kind,
    format_of_nodes,
    given_name,
    known_kind,
    read_answer_file,
    read_comparison_file,
    read_pair_file,
    read_triplet_file,
    triplets_in,
)
from tripletree.cli.spelling import command_line, in_shell, option_names
from tripletree.cli.tables import is_square
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import READING, Note, collected, note
from tripletree.core.ontology import Ontology
from tripletree.errors import DuplicateLeafError, NotATreeError, ParseError, UnknownOptionError
from tripletree.io import read_annotations, registry
from tripletree.io.source import named_stream, raw_bytes, read_bytes
from tripletree.io.table import read_table as table_columns

PARENTS = ("certain", "deepest", "first", "smallest")
CHOOSE_PARENTS = "choose with --parent deepest, first or smallest (certain gives no hierarchy)"
#: How the columns of the file of --attach are named here.
_ATTACHED = {x: f"--attach-{x}" for x in ("item", "node", "separator")}
_ATTACHED["header"] = "--attach-header|--no-attach-header"
_ATTACHING = ("annotations", *(f"attach_{x}" for x in _ATTACHED))
#: Set by a command that keeps nodes with one child. No name that -O takes.
UNARY = "keep unary"
_NAMES = ("format", "parent", "labels", "root", "relations", "namespace", *_ATTACHING, "missing", "exact", "more")


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of reading a hierarchy. The command gets them as one dict, `reading`."""
    options = (
        click.option(
            "--from",
            "format",
            type=click.Choice(list(registry.FORMATS)),
            help="Format of FILE; by default it is recognised.",
        ),
        click.option(
            "--parent",
            type=click.Choice(PARENTS),
            help="If a node has several parents: the one that counts, or facts for every choice (certain): "
            "info, induce and decompose tell that by default, report and match can.",
        ),
        click.option("--labels", metavar="KIND", help="Labels of the leaves: id, name, ..., as the format has them."),
        click.option("--root", metavar="NODE", help="Only this node and its descendants (an id, in ontologies)."),
        click.option("--relation", "relations", multiple=True, metavar="TYPE", help="Edges of this type; repeatable."),
        click.option("--namespace", metavar="NAME", help="Only terms of this namespace."),
        click.option(
            "--attach", "annotations", metavar="FILE", help="Attach the items of FILE (item,node; GAF) to their nodes."
        ),
        click.option("--attach-item", metavar="COLUMN", help="Column of its items: a name, or 0, 1, ..."),
        click.option("--attach-node", metavar="COLUMN", help="Column of the nodes of its items."),
        click.option("--attach-separator", metavar="SIGN", help="Between several nodes of an item in a cell."),
        click.option(
            "--attach-header/--no-attach-header", default=None, help="Tell if the first row of that file names columns."
        ),
        click.option(
            "--exact", is_flag=True, default=None, help="Items of inner nodes are in none of the node's children."
        ),
        click.option("--missing", type=click.Choice(["raise", "ignore"]), help="Treatment of items of unknown nodes."),
        click.option(
            "-O", "--option", "more", multiple=True, metavar="NAME=VALUE", help="Any other option of the reader."
        ),
    )
    command = with_options(command, options)

    @wraps(command)
    def with_reading(*arguments: Any, **values: Any) -> Any:
        reading = {name: value for name in _NAMES if (value := values.pop(name)) not in (None, ())}
        for text in reading.pop("more", ()):
            name, equals, value = text.partition("=")
            if not equals or not name.isidentifier():
                raise bad_input(f"-O {text}: expected NAME=VALUE, such as -O child_column=taxon")
            reading[name] = _value(value)
        return command(*arguments, reading=reading, **values)

    return with_reading


def _value(text: str) -> Any:
    """The Python value of a text of the command line: true and false, whole numbers, lists with commas, else text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.removeprefix("-").isdecimal():
        return int(text)
    return text.split(",") if "," in text and len(text) > 1 else text


def read_hierarchy(source: str, reading: Mapping[str, Any] | None = None) -> Hierarchy:
    """Read a hierarchy in any format from a file, a folder, the standard input (``-``) or a sample."""
    return _hierarchy(opened_again(source), reading)


def read_hierarchies(source: str, reading: Mapping[str, Any] | None = None) -> list[Hierarchy]:
    """Read all hierarchies of a file, if its format may hold several and no option is for one of them."""
    stream = opened_again(source)
    options = dict(reading or {})
    name = options.pop("format", None) or registry.recognize(stream())
    form = registry.FORMATS.get(name)
    of_one = options.keys() & {"parent", "root", "relations", "namespace", "tree", "join", *_ATTACHING}
    if form is None or form.trees is None or of_one:
        return [_hierarchy(stream, reading)]
    return [hierarchy for _, hierarchy in registry.read_hierarchies(stream(), format=name, **options)]


def _hierarchy(stream: Callable[[], Any], reading: Mapping[str, Any] | None) -> Hierarchy:
    """Return the tree that was read. Advice to choose parents if it is an ontology with several."""
    found = _read_any(stream, dict(reading or {}))
    if isinstance(found, Hierarchy):
        return found
    try:
        return found.to_hierarchy()
    except NotATreeError as error:
        raise bad_input(f"{str(error).split('; choose with')[0]}; this needs one tree: {CHOOSE_PARENTS}") from None


def read_titled(stream: Callable[[], Any], reading: Mapping[str, Any]) -> tuple[Ontology | Hierarchy, str]:
    """A hierarchy or an ontology, and what its format is called."""
    name = reading.get("format") or registry.recognize(stream())
    return _read_any(stream, dict(reading)), registry.FORMATS[name].title


def read_ontology_or_hierarchy(source: str, reading: Mapping[str, Any] | None = None) -> Ontology | Hierarchy:
    """As `read_hierarchy`, but an ontology if nodes have several parents and no choice is made among them."""
    return _read_any(opened_again(source), dict(reading or {}))


def read_names_of(
    stream: Callable[[], Any], reading: Mapping[str, Any]
) -> tuple[Ontology | Hierarchy, dict[str, list[str]]]:
    """The taxa that names are matched with, a hierarchy or a whole ontology with ids and names, and their other names.

    Which parent counts is chosen among those above the names that match, so after this. With --labels id, terms of an
    ontology are called by their ids, though their names are found all the same.
    """
    name = reading.get("format") or registry.recognize(stream())
    form = registry.FORMATS.get(name)
    if form is None or form.read is not None:
        return _read_any(stream, dict(reading)), {}
    options = {x: y for x, y in reading.items() if x not in ("parent", "labels")}
    found = _read_any(stream, options, whole=True)
    others = {} if form.synonyms is None else registry.read_synonyms(stream(), format=name)
    if reading.get("labels") == "id" and isinstance(found, Ontology):
        found = found._but(names=None)
    return found, others


def read_either(
    source: str,
    kind: str | None,
    options: Mapping[str, Any],
    reading: Mapping[str, Any],
    nodes: Callable[[Callable[[], Any]], Any],
) -> tuple[str, Any]:
    """The kind of knowledge that a file holds, by `kind`, by options or by its content, and the value.

    `nodes` reads hierarchies and ontologies out of what opens the file.
    """
    kind = check_kind(kind, options)
    readers: dict[str | None, Callable[..., Any]]
    readers = {"answers": read_answer_file, "comparisons": read_comparison_file, "pairs": read_pair_file}
    if kind in ("answers", "comparisons") and os.path.isdir(source):  # a file a person
        return kind, readers[kind](source, options)
    if kind == "triplets":
        return kind, read_triplet_file(source, pairs_go=None, table=options)
    if kind == "hierarchy" or reading or source.startswith(SAMPLE) or os.path.isdir(source):
        return "hierarchy", nodes(opened_again(source))
    again = opened_again(source)
    raw, name = raw_bytes(again())  # once: a pipe cannot be read again
    if kind is None:
        _check_no_square(named_stream(raw, name), source)
    found = kind or known_kind(raw, name, options)
    if found is not None and found in readers:
        try:
            return found, readers[found](named_stream(raw, name), options)
        except (ParseError, click.ClickException) as error:
            if kind is not None or "tripletree " in str(error):
                raise
            raise _to_be_named(error, source) from None
    content, _ = read_bytes(named_stream(raw, name))
    text = content.decode("utf-8", errors="replace") if isinstance(content, bytes) else content
    lines = [x for x in text.splitlines() if x.strip() and not x.startswith("#")]
    # lines that could be paths of two steps are triplets here: among knowledge of samples triplets are likelier
    if found == "triplets" or registry.are_triplets(lines):
        return "triplets", triplets_in(raw, name, None, options, source)
    try:
        if registry.recognize(named_stream(raw, name)) != "triplets":
            return "hierarchy", nodes(again)
        return "triplets", triplets_in(raw, name, None, options, source)
    except ParseError as error:
        if format_of_nodes(raw, name) is not None or "a pedigree: " in str(error):  # surely nodes
            raise
        try:
            answers = read_answer_file(named_stream(raw, name), options)
            if len(answers):
                return "answers", answers
        except (ParseError, click.ClickException) as asked:  # a table of answers that leaves a question open
            if "tripletree " in str(asked):
                raise
        raise _to_be_named(error, source) from None


def _to_be_named(error: Exception, source: str) -> click.ClickException:
    """The error for contents that are not what they look like, or look like nothing, with what names their kind."""
    ctx = click.get_current_context()
    kinds = next(x.type.choices for x in ctx.command.params if x.name == "kind")  # type: ignore[attr-defined]
    msg = (
        f"{error}\nor name the contents of {given_name(source)}: --as {', '.join(kinds)}; --from FORMAT for a hierarchy"
    )
    if any("--classes" in x.opts for x in ctx.command.params):
        classes = command_line(ctx, f"--classes {shlex.quote(source)}", without={"know"})
        msg += f"; for classes of samples, '{classes}'"
    return bad_input(msg)


def _check_no_square(stream: Any, source: str) -> None:
    """Refuse a square table of distances or similarities: it is data."""
    with suppress(ParseError, csv.Error):
        content, _ = read_bytes(stream)
        head = content[:10_000] if isinstance(content, str) else content[:10_000].decode("utf-8", errors="replace")
        header, *rest = head.lstrip("\ufeff").split("\n")
        if not rest or re.split(r"[,;\t]", header)[1:2] != [re.split(r"[,;\t]", rest[0])[0]]:
            return  # the first row and the first column of numbers have one name in a square table
        table = table_columns(named_stream(content, source), header=True, known=lambda names: True, empty_rows=True)
        if is_square(table):
            raise bad_input(
                f"{given_name(source)} is a square table, of distances perhaps, and no knowledge: give it as DATA"
            )


def _read_any(stream: Callable[[], Any], options: dict[str, Any], *, whole: bool = False) -> Ontology | Hierarchy:
    """Read, hang items, choose parents, in this order. An ontology that is a tree becomes one, unless `whole`."""
    parent, labels = options.pop("parent", None), options.pop("labels", None)
    annotations = options.pop("annotations", None)
    columns = {x: options.pop(f"attach_{x}") for x in _ATTACHED if f"attach_{x}" in options}
    # a reader may have an option `missing` of its own, with other values
    words = ("exact", *(["missing"] if options.get("missing") in ("raise", "ignore") else ()))
    how = {x: options.pop(x) for x in words if x in options}
    whole_chains = options.pop(UNARY, False)
    if annotations is None and (columns or how):
        given = [*(f"--attach-{x}" for x in columns), *(f"--{x}" for x in how)]
        raise bad_input(f"{', '.join(given)}: of which items? Give their file with --attach")
    try:
        with collected() as notes:
            found = _read(stream, options, parent, labels, whole=whole or annotations is not None)
        _tell(notes, stream())
    except UnknownOptionError as error:
        # --missing is for items, a reader's own `missing` goes by -O
        names = option_names(click.get_current_context().command) | {"missing": "-O missing="}
        wrong, right = ([names.get(x, f"-O {x}").rstrip("=") for x in some] for some in (error.options, error.known))
        near = [names.get(y, y).rstrip("=") for x in error.options for y in get_close_matches(x, error.known, 1)]
        meant = f" (did you mean {' and '.join(near)}?)" if near else ""
        msg = f"{', '.join(wrong)}: no option for {error.format} files{meant}, which take {', '.join(right) or 'none'}"
        raise bad_input(f"{msg}; if it is another format, name it with --from") from None
    if annotations is not None:
        attached = _annotated(annotations, columns)
        if not isinstance(found, Ontology):
            return found.attach(attached, **how, keep_unary=whole_chains)
        found = found.attach(attached, **how)
        found = found.restrict([x for x in attached if x in found.terms])
        if parent not in (None, "certain") or not (whole or found.multi_parent):
            return found.to_hierarchy(parent="error" if parent in (None, "certain") else parent, labels=labels or "id")
        return found
    return _by_name(found) if labels == "name" and isinstance(found, Ontology) else found


def _tell(notes: list[Note], source: Any, options: Mapping[str, str] | None = None) -> None:
    """Pass notes on, and tell how a table was understood, once for a command, with its options as they are called."""
    told = click.get_current_context().meta.setdefault("tripletree.told", set())
    for x in notes:
        note(*x)
        line = f"{given_name(str(getattr(source, 'name', source)))}: {in_shell(x.text, options or {})}"
        if x.topic == READING and line not in told:
            told.add(line)
            say(line, err=True)


def _annotated(path: str, columns: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the nodes of each item. Errors name the options for their columns."""
    given: dict[str, Any] = {x: int(y) if isinstance(y, str) and y.isdecimal() else y for x, y in columns.items()}
    try:
        with collected() as notes:
            found = read_annotations(path, **given)
        _tell(notes, path, _ATTACHED)
        return found
    except (ParseError, ValueError) as error:
        raise bad_input(in_shell(str(error), _ATTACHED)) from None


def _read(
    stream: Callable[[], Any], options: dict[str, Any], parent: str | None, labels: str | None, *, whole: bool
) -> Ontology | Hierarchy:
    name = options.get("format") or registry.recognize(stream())
    form = registry.FORMATS.get(name)
    if whole and form is not None and form.read is None:  # an item may belong to several terms
        return registry.read_ontology(stream(), **options)
    tree = {"labels": labels} if labels is not None else {}
    if parent not in (None, "certain"):
        tree["parent"] = parent
    try:
        return registry.read_hierarchy(stream(), **options, **tree)
    except NotATreeError:
        return registry.read_ontology(stream(), **options)
    except ParseError:
        with suppress(ParseError):
            if parent == "certain" and form is not None and form.ontology is not None:  # labels that repeat
                return registry.read_ontology(stream(), **options)
        raise


def _by_name(ontology: Ontology) -> Ontology:
    """Return the ontology with names as ids, as far as there are names."""
    names = ontology.names or [None] * ontology.n_terms
    called = [x if name is None else name for x, name in zip(ontology.terms, names, strict=True)]
    try:
        meant = dict(zip(ontology.terms, called, strict=True))
        others = {x: meant[term] for x, term in ontology.synonyms.items()}
        return ontology._but(terms=called, names=None, synonyms=others)
    except DuplicateLeafError as error:
        raise bad_input(f"{error}; take --labels id") from None


def opened_again(source: str) -> Callable[[], Any]:
    """Return a function that opens a source again and again: the standard input is read once and kept."""
    if source.startswith(SAMPLE):
        from tripletree.datasets import UnknownSampleError, list_hierarchies, sample_path

        name = source.removeprefix(SAMPLE)
        try:
            path = sample_path(name)
        except UnknownSampleError as error:
            near = [x.rsplit(".", 1)[0] for x in error.suggestions]
            hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
            known = ", ".join([*list_hierarchies(), "cell_types"])
            raise bad_input(f"there is no sample {name!r}{hint}; there are {known}") from None
        return lambda: path
    if source != "-":
        return lambda: source
    content, called = raw_bytes(source)
    return lambda: named_stream(content, called)
