"""Input and output of the commands: hierarchies and triplets from files, pipes and samples."""

from __future__ import annotations

import csv
import os
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any

import click

from tripletree.algorithms.supervision import triplets_from_comparisons
from tripletree.cli.shell import bad_input, say, some, which_is_meant, with_options
from tripletree.cli.spelling import command_line, in_shell, option_names
from tripletree.core.answers import AnswerSet
from tripletree.core.checks import counted
from tripletree.core.comparisons import Comparisons
from tripletree.core.notes import collected, note
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import ParseError
from tripletree.io import read_answers, read_comparisons, read_pairs, read_triplets, registry, write_triplets
from tripletree.io.answers import looks_like_answers
from tripletree.io.comparisons import looks_like_comparisons
from tripletree.io.format import FileFormat
from tripletree.io.headers import comparisons_by_name
from tripletree.io.json_text import OF_KNOWLEDGE, is_knowledge
from tripletree.io.pairs import PAIR_COLUMNS, are_links, is_pair_table, link_of, link_word, looks_like_pairs
from tripletree.io.rows import format_of_suffix
from tripletree.io.source import named_stream, raw_bytes, read_bytes
from tripletree.io.table import read_table as table_columns
from tripletree.io.triplets import is_triplet_table
from tripletree.tables.cells import YES_NO, cell_text, is_number
from tripletree.tables.columns import CLASS_NAMES, are_called_ids, is_called_id, is_name, is_proximity, plain
from tripletree.tables.features import classes_among
from tripletree.tables.rows import RowTable

SAMPLE = "sample:"
FORMATS = ("text", "csv", "tsv", "parquet")

output_option = click.option(
    "-o", "--output", metavar="FILE", default="-", help="Write to this file instead of the standard output."
)
blanks_option = click.option(
    "--blanks",
    type=click.Choice(["quote", "underscore"]),
    default="quote",
    show_default=True,
    help="Form of blanks in Newick: labels stand in quotes, which R's ape and ete3 take for a part of them, or "
    "have underscores.",
)
format_option = click.option(
    "--format", "format_", type=click.Choice(FORMATS), help="Format of the triplets. By default the suffix decides."
)
kind_option = click.option(
    "--as",
    "kind",
    type=click.Choice(["triplets", "pairs", "answers", "comparisons"]),
    help="Kind of FILE. By default it is recognised: pairs have a column 'link', or must or cannot in each line, "
    "odd-one-out answers a column 'odd' or 'answer', or are JSON lines. Of comparisons with an anchor, the triplets of "
    "which both halves are said.",
)


def words_of_option(_ctx: click.Context, _option: click.Parameter, value: str | None) -> list[str] | None:
    """Words with commas between."""
    return None if value is None else [x.strip() for x in value.split(",")]


def _names(_ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """The names of three columns, or of two items."""
    if value is None:
        return None
    names = tuple(x.strip() for x in next(csv.reader([value]), []))
    if len(names) not in (2, 3) or "" in names or len(set(names)) != len(names):
        example = "left,middle,right" if option.name == "items" else "id1,id2,type"
        msg = f"{value!r} is not the names of three columns, such as {example}"
        raise click.BadParameter(msg)
    return names


_BOTH = ("answers", "comparisons")
#: The options for a table of knowledge, each with the kinds of tables that it is for.
TABLE_OPTIONS: dict[str, tuple[str, ...]] = {
    "columns": ("pairs", "triplets", "comparisons"),
    **dict.fromkeys(("odd", "items", "when", "seconds"), ("answers",)),
    **dict.fromkeys(("answer", "chosen"), ("comparisons",)),
    **dict.fromkeys(("who", "only", "missing_answer", "first", "header"), _BOTH),
    "codes": ("pairs", *_BOTH),
    "weight": ("pairs", "triplets", *_BOTH),
}


def table_options(*kinds: str, missing: Sequence[str] = ("--missing-answer",)) -> Callable[[Any], Any]:
    """Add the options for tables of some kinds. The command gets the given ones as one dict, `options`.

    `missing` has the names of the option for words that stand for no answer.
    """
    options = {
        "columns": click.option(
            "--columns",
            metavar="A,B,C",
            callback=_names,
            help="Columns of a table of pairs: two labels and the link (without one, all are must-links); or, of one "
            "of triplets, a, b and c of ab|c; "
            "or, of one of comparisons, the anchor and the two.",
        ),
        "odd": click.option(
            "--odd", metavar="COLUMN", help="Of a table of odd-one-out answers: the answer, by name or from 0."
        ),
        "items": click.option(
            "--items", metavar="A,B,C", callback=_names, help="Of a table of odd-one-out answers: the three items."
        ),
        "answer": click.option(
            "--answer", metavar="COLUMN", help="Of a table of comparisons: which of two is more like the first."
        ),
        "chosen": click.option(
            "--chosen",
            type=click.Choice(["near", "far"]),
            help="Whether answers name the more or the less alike of two.",
        ),
        "who": click.option("--who", metavar="COLUMN", help="Of a table of people's answers: the person."),
        "when": click.option("--when", metavar="COLUMN", help="The time of the answers."),
        "seconds": click.option("--seconds", metavar="COLUMN", help="The response time, in seconds."),
        "only": click.option(
            "--only", metavar="CONDITION", help="Take only such answers: \"trial_type == 'main' and rt > 200\"."
        ),
        "missing_answer": click.option(
            *missing,
            "missing_answer",
            metavar="WORDS",
            callback=words_of_option,
            help="Answers that are none, with commas between.",
        ),
        "first": click.option(
            "--first", type=click.IntRange(0, 1), help="The number of the first position, if answers are positions."
        ),
        "codes": click.option(
            "--codes",
            metavar="WORDS",
            callback=words_of_option,
            help="Answers that stand for the columns in their order, such as the keys f,j; or, of pairs, the words for "
            "must-link and cannot-link.",
        ),
        "weight": click.option(
            "--weight",
            metavar="COLUMN",
            help="The weights, or how often each was said; None: no column. By default one called weight, count, ...",
        ),
        "header": click.option(
            "--header/--no-header", default=None, help="Whether the first row of the answers names the columns."
        ),
    }
    chosen = [option for name, option in options.items() if not set(TABLE_OPTIONS[name]).isdisjoint(kinds)]

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        command = with_options(command, chosen)

        @wraps(command)
        def with_table(*arguments: Any, **values: Any) -> Any:
            table = {name: x for name in TABLE_OPTIONS if (x := values.pop(name, None)) is not None}
            return command(*arguments, options=table, **values)

        return with_table

    return add


infeasible_option = click.option(
    "--on-infeasible",
    type=click.Choice(["raise", "more", "violate"]),
    default="raise",
    show_default=True,
    help="If -k clusters cannot keep all cannot-links: refuse, take more clusters, or break some.",
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draw.")


def given_name(source: str) -> str:
    """The name of a source in messages."""
    return "standard input" if source == "-" else source


def read_triplet_file(
    source: str, *, format_: Any = None, pairs_go: str | None = "", table: Mapping[str, Any] | None = None
) -> TripletSet:
    """Read triplets, or answers as triplets, from a file or the standard input (``-``). `pairs_go`: where pairs go.

    None if the user has said that the file has triplets. `table` has the options for tables, None without options for
    this file.
    """
    check_kind(None, table or {})
    kind = "triplets" if pairs_go is None or "columns" in (table or {}) else None
    return read_constraints(source, kind, format_=format_, table=table, pairs_go=pairs_go or "")  # type: ignore[return-value]


#: Formats that text of any kind may look like.
_LOOSE = frozenset({"edges", "lineages", "linkage"})


def format_of_nodes(raw: bytes | str, name: str | None) -> FileFormat | None:
    """The format of a content that surely is a hierarchy or an ontology."""
    try:
        form = registry.FORMATS.get(registry.recognize(named_stream(raw, name)))
    except (ParseError, csv.Error):
        return None
    return None if form is None or form.name in _LOOSE else form


def refuse_hierarchy(raw: bytes | str, name: str | None, source: str) -> None:
    """Report the kind of a file, if it holds a hierarchy or an ontology instead of triplets."""
    form = format_of_nodes(raw, name)
    if form is not None and form.name == "json" and is_knowledge(read_bytes(named_stream(raw, name))[0]):
        raise bad_input(f"{given_name(source)} is {OF_KNOWLEDGE}") from None
    if form is not None:
        what = "an ontology" if form.read is None else "a hierarchy"
        file = shlex.quote(source)
        raise bad_input(
            f"{given_name(source)} is {what} ({form.title}), and triplets are expected: 'tripletree decompose {file}' "
            f"makes triplets of it, 'tripletree info {file}' shows its contents"
        ) from None


def triplets_in(
    raw: bytes | str, name: str | None, format_: Any, table: Mapping[str, Any] | None, source: str
) -> TripletSet:
    """Triplets of a content."""
    with collected() as notes:
        found = _read(read_triplets, named_stream(raw, name), table, format=format_)
    for x in notes:
        if x.topic == "triplets":
            note(*x)
            _tell(x.text)
    if "columns" not in (table or {}) and found.origins is None and len(found):  # out of comparisons, which is told
        return _said_halves(raw, name, table)
    return some_leaves(found, source)


def read_comparison_file(source: Any, table: Mapping[str, Any] | None = None, *, told: bool = False) -> Comparisons:
    """Read comparisons. With `told`, how they were understood is said."""
    found = _read(read_comparisons, source, table)
    if told:
        _tell(found.reading)
    return found


def _said_halves(raw: bytes | str, name: str | None, table: Mapping[str, Any] | None) -> TripletSet:
    """Return the triplets that comparisons say in full (both halves), and tell so."""
    given = read_comparison_file(named_stream(raw, name), table)
    found = triplets_from_comparisons(given)
    _tell(f"{given.reading}; {counted(len(found), 'triplet')} of which both halves are said")
    return found


def recognised(raw: bytes | str, name: str | None, format_: Any = None) -> str | None:
    """The kind of knowledge that content holds, by its header or first lines."""
    try:
        content, _ = read_bytes(named_stream(raw, name))
        if is_pair_table(content, name):
            return "pairs"
        if looks_like_comparisons(content, name):
            return "comparisons"
        if is_triplet_table(content, name):
            return "triplets"
        if looks_like_answers(content, name):
            return "answers"
        return "pairs" if looks_like_pairs(content, name, PAIR_COLUMNS, format_ or format_of_suffix(name)) else None
    except (ParseError, csv.Error):
        return None


def read_answer_file(source: Any, table: Mapping[str, Any] | None = None) -> AnswerSet:
    """Read answers. How a table was understood is said, if something had to be."""
    with collected() as notes:
        found = _read(read_answers, source, table)
    for x in notes:
        _tell(x.text)
    return found


def _tell(text: str) -> None:
    """Tell how a table of knowledge was understood, with the options of the running command."""
    say(in_shell(text, option_names(click.get_current_context().command, _TABLE_NAMES)), err=True)


def _read(read: Any, source: Any, table: Mapping[str, Any] | None, **more: Any) -> Any:
    """Read a table of knowledge by the options for it. Columns are names, or numbers from 0 if no column is called so.

    Errors are in the words of the running command.
    """
    kind = read.__name__.removeprefix("read_")
    given = {_ARGUMENTS.get(key, key): x for key, x in (table or {}).items() if kind in TABLE_OPTIONS[key]}
    given |= {key: x for key, x in more.items() if x is not None}
    given |= {"weight": None} if given.get("weight") in ("None", "none") else {}
    try:
        try:
            return read(source, **given)
        except ParseError as error:
            numbered = {key: _numbers(x) if key in _COLUMNS else x for key, x in given.items()}
            if numbered == given or not re.search("is not a column|lacks the column", str(error)):
                raise
            if hasattr(source, "seek"):
                source.seek(0)
            return read(source, **numbered)
    except ValueError as error:
        given_up = kind == "triplets" and "columns" in given  # other columns are named already
        text = str(error).partition(": name them with columns=")[0] if given_up else str(error)
        message = _in_options(text, kind, source, offered=table is not None)
        if message == str(error):
            raise
        raise bad_input(message) from None


#: Arguments that name columns, and arguments of readers that are called otherwise as options.
_COLUMNS = frozenset({"columns", "odd", "items", "answer", "who", "when", "seconds"})
_ARGUMENTS = {"missing_answer": "missing"}
_TABLE_NAMES = {name: _ARGUMENTS.get(name, name) for name in TABLE_OPTIONS}


def _numbers(columns: Any) -> Any:
    """Names of columns that are numbers as such."""
    if isinstance(columns, str):
        return int(columns) if columns.isdecimal() else columns
    return [int(x) if x.isdecimal() else x for x in columns]


def _in_options(message: str, kind: str, source: Any, *, offered: bool) -> str:
    """An error of a reader with the options of the running command, or else of one that makes a file for it."""
    ctx = click.get_current_context()
    commands = ctx.find_root().command.commands  # type: ignore[attr-defined]
    own = option_names(ctx.command, _TABLE_NAMES) if offered else {}
    name = str(getattr(source, "name", source))
    kinds = ("pairs", *_BOTH, "triplets")
    again = {f"read_{x}": command for x in kinds if offered and (command := _as(ctx, name, x)) is not None}
    if own or kind != "answers":
        before, asked, _ = message.partition("name them with columns=")
        if asked and kind == "triplets":
            offer = f"; or {message.removeprefix(before)}" if own else ""
            message = f"{before}the first line has to name the columns of ab|c a, b and c{offer}"
        elif asked and not own:
            message = before.rstrip(": ")
        return in_shell(message, own | again)
    file = "-" if name == "<standard input>" else shlex.quote(name)
    marked = {x: f"\0{y}" for x, y in option_names(commands["answers"], _TABLE_NAMES).items()}
    said = re.sub(
        r"\0(--\S+ (?:'[^'\n]*'|[^\s,;]+))",
        lambda x: f"'tripletree answers {file} {x[1]} --jsonl answers.jsonl'",
        in_shell(message, marked),
    )
    return said if said == message else f"{said.replace(chr(0), '')} (which makes a file that every command reads)"


def _as(ctx: click.Context, name: str, kind: str) -> str | None:
    """Return the running command, with a file read as another kind. None if it cannot read them."""
    names = {x.name for x in ctx.command.params}
    if {"triplet_file", "comparison_file"} <= names:
        own = {x for x in ("triplet_file", "comparison_file", "pair_file") if ctx.params[x] == name}
        file = shlex.quote(name)
        if kind == "pairs":
            return command_line(ctx, f"--pairs {file}", without={*TABLE_OPTIONS, *own})
        more = (f"--comparisons {file}", "--method divisive") if kind == "comparisons" else (f"--triplets {file}",)
        return command_line(ctx, *more, without={*TABLE_OPTIONS, *own, *(["method"] if len(more) > 1 else [])})
    if "kind" in names and "answer" in names:
        return command_line(ctx, f"--as {kind}", without={*TABLE_OPTIONS, "kind"})
    return None


def check_kind(kind: str | None, table: Mapping[str, Any]) -> str | None:
    """The kind of a file that is given, or that the options say. Options of other kinds are refused."""
    able: tuple[str, ...] = ()
    before = ""
    for name in table:
        option, kinds = f"--{name.replace('_', '-')}", TABLE_OPTIONS[name]
        if kind not in (None, *kinds):
            msg = f"{option} is for {listed(kinds)}, and --as {kind} excludes these"
            raise click.UsageError(msg)
        if able and set(able).isdisjoint(kinds):
            msg = f"{before} is for {listed(able)}, and {option} for {listed(kinds)}: give one of them"
            raise click.UsageError(msg)
        able, before = tuple(x for x in able if x in kinds) or kinds, option
    return able[0] if len(able) == 1 else kind


def options_of_files(
    table: Mapping[str, Any], files: Sequence[tuple[str | None, str, tuple[str, ...]]]
) -> list[dict[str, Any]]:
    """Return the options for each of several files: for its kinds, and, if they could be for others, its columns.

    `files` has the path, the option by which it is given, and the kinds that it may hold. An option for no file is
    refused.
    """
    found: list[dict[str, Any]] = [{} for _ in files]
    for name, value in table.items():
        option = f"--{name.replace('_', '-')}"
        able = [k for k, x in enumerate(files) if not set(x[2]).isdisjoint(TABLE_OPTIONS[name])]
        given = [k for k in able if files[k][0] is not None]
        if not given:
            msg = f"{option} goes with {listed([files[k][1] for k in able], 'or')}"
            raise click.UsageError(msg)
        taken = [k for k in given if len(given) == 1 or _takes(str(files[k][0]), files[k][2], name, value)]
        if not taken:
            raise bad_input(f"{option}: this is for neither {listed([str(files[k][0]) for k in given], 'nor')}")
        for k in taken:
            found[k][name] = value
    return found


def _takes(path: str, kinds: Sequence[str], name: str, value: Any) -> bool:
    """Whether an option goes for a file: it has the columns, or holds what the option is for."""
    wanted = {value} if isinstance(value, str) else {*value} if name in _COLUMNS else set()
    if not os.path.isfile(path) or (wanted and all(map(str.isdecimal, wanted))):
        return True
    raw, called = raw_bytes(path)
    if name not in _COLUMNS:
        return len(kinds) == 1 or recognised(raw, called) in TABLE_OPTIONS[name]
    with suppress(ParseError, csv.Error):
        return wanted <= {*(table_columns(named_stream(raw, called), known=wanted.issubset).names or ())}
    return False


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words with commas between, and a last one."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else words[0]


def known_kind(raw: bytes | str, name: str | None, table: Mapping[str, Any], format_: Any = None) -> str | None:
    """The kind of a content, by the options for its columns, else by its look. None if nothing tells."""
    found = recognised(raw, name, format_)
    if "columns" in table and found != "pairs":
        found = kind_by_columns(raw, name, table["columns"])
    for option in table:
        kinds = TABLE_OPTIONS[option]
        if found not in kinds:
            msg = (
                f"--{option.replace('_', '-')} is for {listed(kinds)}, and {given_name(name or '-')} "
                f"{'is not known to hold these' if found is None else f'holds {found}'}: give --as, too, if it does"
            )
            raise bad_input(msg)
    return found


def read_constraints(
    source: str,
    kind: str | None,
    *,
    format_: Any = None,
    table: Mapping[str, Any] | None = None,
    pairs_go: str | None = None,
) -> TripletSet | PairwiseConstraints:
    """Read triplets, must-links and cannot-links, or answers, of the `kind` given, else by the look of the content.

    Pairs are refused if `pairs_go` tells where they go.
    """
    if source.startswith(SAMPLE):
        msg = f"{source} is a hierarchy; 'tripletree decompose {source}' gives triplets of it"
        raise bad_input(msg)
    kind = check_kind(kind, table or {})
    if os.path.isdir(source) and kind in (None, "answers"):  # a file a person
        return some_leaves(read_answer_file(source, table).triplets(), source)
    raw, name = raw_bytes(source)  # once: a pipe cannot be read again
    if kind is None:
        kind = known_kind(raw, name, table or {}, format_)
        if kind == "comparisons" and not table:
            kind = "triplets"  # comparisons with both halves, or an error
    if kind == "answers":
        return some_leaves(read_answer_file(named_stream(raw, name), table).triplets(), source)
    if kind == "comparisons":
        return some_leaves(_said_halves(raw, name, table), source)
    if kind == "pairs" and pairs_go is not None:
        raise bad_input(f"{given_name(source)} holds pairs; expected triplets{pairs_go}")
    if kind == "pairs":
        return read_pair_file(named_stream(raw, name), table, format_=format_)
    try:
        return triplets_in(raw, name, format_, table, source)
    except (ParseError, click.ClickException):
        if format_ is None and "columns" not in (table or {}):
            refuse_hierarchy(raw, name, source)
        raise


def kind_by_columns(raw: bytes | str, name: str | None, columns: tuple[str, ...]) -> str:
    """Tell whether the columns of a table hold "triplets", "comparisons" or "pairs".

    Most cells of a third column of pairs are links. Comparisons are called so.
    """
    table = table_columns(named_stream(raw, name), known=lambda names: set(columns) <= set(names), spaced=True)
    names = table.names or ()
    places = [int(x) for x in columns if x.isdecimal()]
    if table.names is None and len(places) == 3 and max(places) < len(table.columns):
        return "pairs" if are_links({cell_text(x) or "" for x in table.columns[places[2]]}) else "triplets"
    if not set(columns) <= set(names):
        return "pairs"  # says which columns there are
    if len(columns) == 2 or are_called_ids(*columns[:2]) or is_proximity(columns[2]):
        return "pairs"
    if any({names[k] for k in x[:3]} == set(columns) for x in comparisons_by_name(names, set())):
        return "comparisons"
    cells = [cell_text(x) for x in table.columns[table.place(columns[2], "column")]]
    links = sum(link_of(link_word(x or "")) is not None for x in cells)
    return "pairs" if 2 * links > len(cells) else "triplets"


def read_pair_file(
    source: Any, table: Mapping[str, Any] | None = None, *, format_: Any = None, leaves: Any = None
) -> PairwiseConstraints:
    """Read must-links and cannot-links, and tell what the reader notes."""
    with collected() as notes:
        pairs = _read(read_pairs, source, table, format=format_, leaves=leaves)
    for x in notes:
        note(*x)
        _tell(f"{given_name(getattr(source, 'name', source))}: {x.text}")
    if len(pairs.leaves) == 0:
        raise bad_input(f"{given_name(getattr(source, 'name', source))} holds no pair and no leaf")
    return pairs


def some_leaves(triplets: TripletSet, source: str) -> TripletSet:
    """Refuse an input that names nothing: most likely the command in front of a pipe has failed."""
    if len(triplets.leaves) == 0:
        raise bad_input(f"{given_name(source)} holds no triplet and no leaf")
    return triplets


def write_triplet_file(triplets: TripletSet, target: str, *, format_: Any = None) -> None:
    """Write triplets to a file or the standard output (``-``)."""
    write_triplets(triplets, target, format=format_)


class_columns_option = click.option(
    "--class-columns",
    metavar="LABEL,CLASS",
    callback=words_of_option,
    help="The columns of a file of classes, by name or from 0.  [default: those that fit]",
)


def check_class_columns(columns: Sequence[str] | None, path: str | None) -> None:
    """Refuse --class-columns without a file, or other than two."""
    if columns is not None and (path is None or len(columns) != 2):
        msg = "--class-columns goes with a file of classes (--classes FILE), and names two columns, such as id,class"
        raise click.UsageError(msg)


#: How many rows a table of marks for classes has at least.
_MARKED = 3
_NO_CLASSES = (
    "{}: expected a header line and under it lines of at least two columns, label and class, with commas or tabs "
    "between"
)


def read_classes(path: str, known: Collection[str] = ()) -> dict[str, str]:
    """Classes by label, out of a table. A label without a class is left out.

    `known` are the labels that are expected. The columns are those of --class-columns, by name or from 0, else the
    columns that fit.
    """
    table = table_columns(path, header=True)
    if len(table.columns) < 2:
        raise bad_input(_NO_CLASSES.format(given_name(path)))
    if _is_row_of_classes(table, known):
        table = table.with_header_as_row()
    asked = click.get_current_context().params.get("class_columns")
    by_class = None if asked or not known else _classes_by_class(table, known)
    if by_class is not None:
        say(f"{given_name(path)}: {by_class.title}", err=True)
        table, asked = by_class, ["0", "1"]
    if not table.columns[0]:
        raise bad_input(_NO_CLASSES.format(given_name(path)))
    if asked:
        names = table.names or ()
        at = [table.place(int(x) if x.isdecimal() and x not in names else x, "--class-columns") for x in asked]
    else:
        at = list(_places_of_classes(table, known, path))
    found: dict[str, tuple[str, int]] = {}
    for row, cells in enumerate(zip(*(table.columns[k] for k in at), strict=True)):
        label, name = map(cell_text, cells)
        if label is None:
            table.refuse(row, f"the label is missing (class {name!r})")
        if name is None:
            continue
        other, first = found.setdefault(label, (name, row))
        if other != name:
            where = f"{table.unit} {table.lines[first]}"
            table.refuse(row, f"{label!r} has class {name!r} here and {other!r} in {where}; give it one class")
    return {label: name for label, (name, _) in found.items()}


#: Marks of classes.
_MARKS = {**YES_NO, "x": 1, "": 0}


def _class_and_labels(row: Sequence[str]) -> tuple[str, list[str]]:
    """A line as a class and its samples, between cells, commas, semicolons or bars."""
    name, colon, first = row[0].partition(":")
    cells = [first, *row[1:]] if colon else row[1:]
    return (name if colon else row[0]).strip(), [y.strip() for x in cells for y in re.split("[,;|]", x) if y.strip()]


def _classes_by_class(table: RowTable, known: Collection[str]) -> RowTable | None:
    """A file whose layout is another, as a table of labels and classes: its title tells how it was understood.

    A column for each class has its samples, or a mark at its samples. A line names a class, and then its samples. A
    line below the labels, or a JSON object, has the class of each.
    """
    labels, names = set(known), table.names or []
    columns = [[cell_text(x) or "" for x in column] for column in table.columns]
    rows = [names, *zip(*columns, strict=True)] if names else list(zip(*columns, strict=True))
    pairs: list[tuple[str, str]] = []
    how = ""
    told = all(":" in row[0] and not any(":" in x for x in row[1:]) for row in rows)
    groups = [_class_and_labels(row) for row in rows]
    if not told and labels.isdisjoint(groups[0][1]):  # a header
        del groups[0]
    if told or (
        any(len(x) > 1 for _, x in groups) and all(x not in labels and labels.issuperset(y) for x, y in groups)
    ):
        pairs = [(x, name) for name, members in groups for x in members]
        how = f"a line for each class, with its labels behind {'a colon' if told else 'it'}"
    elif len(rows) == 2 and len(rows[0]) > 2 and labels.issuperset(rows[0][rows[0][0] not in labels :]):
        pairs = [(x, y) for x, y in zip(*rows, strict=True) if x in labels and y]
        how = "a class under each label"
    elif names and labels.isdisjoint(names) and sum(not labels.isdisjoint(x) for x in columns) == len(columns):
        pairs, how = (
            [(x, y) for y, column in zip(names, columns, strict=True) for x in column if x],
            "a column for each class",
        )
    elif names and len(columns) > 2 and len(columns[0]) >= _MARKED:
        marks = [*zip(*([_MARKS.get(x.lower().removesuffix(".0")) for x in y] for y in columns[1:]), strict=True)]
        if all(sorted(x, key=str) == [0] * (len(x) - 1) + [1] for x in marks):
            short = os.path.commonprefix(names[1:])
            start = max((short.rfind(x) + 1 for x in "_- ."), default=0)
            pairs = [(x, names[y.index(1) + 1][start:]) for x, y in zip(columns[0], marks, strict=True)]
            how = "a column for each class, with one mark in each row"
    if not pairs or len({x for x, _ in pairs}) < len(pairs) or labels.isdisjoint(x for x, _ in pairs):
        return None
    found = list(dict.fromkeys(y for _, y in pairs))
    title = f"read {counted(len(pairs), 'label')}: {how} ({some(map(repr, found))})"
    lines = list(range(1, len(pairs) + 1))
    return RowTable(table.path, None, [list(x) for x in zip(*pairs, strict=True)], lines, "row", title=title)


def _is_row_of_classes(table: RowTable, known: Collection[str]) -> bool:
    """True if the first line of a file of classes is a row: it holds a label, or a class of lines below."""
    names = table.names or []
    if table.header_line is None:  # a data frame in a file names its columns
        return False
    for k, (name, column) in enumerate(zip(names, table.columns, strict=True)):
        numbered = is_number(name)
        below = {cell_text(x) for x in column}
        if name in known and not (name in below if numbered else is_called_id(name)):  # pandas counts columns, too
            return True
        if k > 0 and name and not numbered and name in below:
            return True
    return False


def _places_of_classes(table: RowTable, known: Collection[str], path: str) -> tuple[int, int]:
    """The columns of the labels and the classes. What two readings fit is asked, a choice among several is told."""
    columns = [[cell_text(x) for x in column] for column in table.columns]
    texts = [[x or "" for x in column] for column in columns]
    names = table.names or list(map(str, range(len(columns))))
    labels = set(known)
    hits = [len(labels.intersection(x)) for x in columns]

    def has_one_class_each(k: int, other: int) -> bool:
        rows = {(x, y) for x, y in zip(columns[k], columns[other], strict=True) if y is not None}
        return len(rows) == len({x for x, _ in rows})

    able = [k for k in range(len(columns)) if is_name(names[k], texts[k])] if table.names else list(range(len(columns)))
    able = able if len(able) > 1 else [0, 1]
    label = able[0]
    if known:
        label = max(able, key=lambda k: hits[k] if k == label or has_one_class_each(k, label) else -1)
    elif is_called_id(names[able[1]]) and not is_called_id(names[label]) and has_one_class_each(able[1], label):
        label = able[1]
    others = [k for k in able if k != label]
    fit = classes_among(names, texts, others) if len(others) > 1 else others
    called = [k for k in fit or others if plain(names[k]) in CLASS_NAMES]
    if len(called) == 1 and called[0] == (fit or called)[0]:
        fit = called
    ways = [(label, k) for k in fit or others]
    if known and len(others) == 1 and others[0] > label and hits[others[0]] == hits[label] > 0:
        ways += [(others[0], label)] * has_one_class_each(others[0], label)
    if len(ways) > 1:
        none = "" if fit else " No column has few and repeated words or whole numbers."
        raise which_is_meant(
            f"{given_name(path)}: which columns hold the labels and the classes?{none}",
            {f"{names[x]} and {names[y]}": f"--class-columns {shlex.quote(f'{names[x]},{names[y]}')}" for x, y in ways},
        )
    if known and (ways[0] != (0, 1) or len(columns) > 2 or table.names is None):
        told = f"labels in {names[label]!r}, classes in {names[ways[0][1]]!r}"
        if table.names is None:
            told = f"no header; labels in column {label}, classes in column {ways[0][1]}"
        say(f"{given_name(path)}: {told} (--class-columns)", err=True)
    return ways[0]
