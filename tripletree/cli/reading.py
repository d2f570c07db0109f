"""How the commands read hierarchies and ontologies: options shared by all of them, and their effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Any

import click

from tripletree.cli.shell import bad_input, say, with_options
from tripletree.cli.sources import (
    SAMPLE,
    check_kind,
    given_name,
    read_answer_file,
    read_triplet_file,
    recognised,
    some_leaves,
)
from tripletree.cli.spelling import in_shell, option_names
from tripletree.core.answers import AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import READING, Note, collected, note
from tripletree.core.ontology import Ontology
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, NotATreeError, ParseError, UnknownOptionError
from tripletree.io import read_annotations, read_triplets, registry
from tripletree.io.source import named_stream, raw_bytes

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
    source: str, kind: str | None, reading: Mapping[str, Any] | None = None, table: Mapping[str, Any] | None = None
) -> tuple[Ontology | Hierarchy | TripletSet | AnswerSet, str]:
    """Read a hierarchy, triplets or answers, as `kind`, options or the content have it, and the format, with limits."""
    kind = check_kind(kind, table or {})
    if kind == "triplets" or (table and kind is None):
        return read_triplet_file(source, table=table), "triplets"
    stream = opened_again(source)
    if kind == "answers" or (kind is None and "format" not in (reading or {}) and _is_answers(stream)):
        return read_answer_file(stream(), table), "answers"
    name = (reading or {}).get("format") or registry.recognize(stream())
    if name == "triplets" and kind is None:
        return some_leaves(read_triplets(stream()), source), "triplets"
    value = _read_any(stream, dict(reading or {}))
    return value, registry.FORMATS[name].title


def _is_answers(stream: Callable[[], Any]) -> bool:
    source = stream()
    return (
        not (isinstance(source, (str, Path)) and Path(source).is_dir()) and recognised(*raw_bytes(source)) == "answers"
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
