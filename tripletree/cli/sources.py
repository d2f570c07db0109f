"""Input and output of the commands: hierarchies and triplets from files, pipes and samples."""

from __future__ import annotations

import csv
import re
import shlex
from typing import Any

import click

from tripletree.algorithms.supervision import triplets_from_comparisons
from tripletree.cli.shell import bad_input, say
from tripletree.core.answers import AnswerSet
from tripletree.core.checks import counted
from tripletree.core.comparisons import Comparisons
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import ParseError
from tripletree.io import read_answers, read_comparisons, read_pairs, read_triplets, registry, write_triplets
from tripletree.io.answers import looks_like_answers
from tripletree.io.comparisons import looks_like_comparisons
from tripletree.io.format import FileFormat
from tripletree.io.pairs import LINKS, PAIR_COLUMNS, link_word, looks_like_pairs
from tripletree.io.rows import format_of_suffix
from tripletree.io.source import named_stream, raw_bytes, read_bytes
from tripletree.io.table import cell_text
from tripletree.io.table import read_table as table_columns

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
answer_option = click.option(
    "--answer",
    metavar="COLUMN",
    help="FILE is a table of comparisons: the column that tells which of two is more like the first.",
)
odd_option = click.option(
    "--odd",
    metavar="COLUMN",
    help="FILE is a table of odd-one-out answers: the column of the answer, by name or from 0.",
)


def words_of_option(_ctx: click.Context, _option: click.Parameter, value: str | None) -> list[str] | None:
    """Words with commas between."""
    return None if value is None else [x.strip() for x in value.split(",")]


def _three(_ctx: click.Context, _option: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """The names of three columns."""
    if value is None:
        return None
    names = tuple(x.strip() for x in next(csv.reader([value]), []))
    if len(names) != 3 or "" in names or len(set(names)) != 3:
        msg = f"{value!r} is not the names of three columns, such as id1,id2,type"
        raise click.BadParameter(msg)
    return names


columns_option = click.option(
    "--columns", metavar="A,B,LINK", callback=_three, help="Columns of a table of pairs: two labels and the link."
)
either_columns_option = click.option(
    "--columns",
    metavar="A,B,C",
    callback=_three,
    help="Columns of a table of pairs: two labels and the link; or, of one of triplets, a, b and c of ab|c; or, of one "
    "of comparisons, the anchor and the two.",
)
triplet_columns_option = click.option(
    "--columns", metavar="A,B,C", callback=_three, help="Columns of a table of triplets: a, b and c of ab|c."
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draw.")


def given_name(source: str) -> str:
    """The name of a source in messages."""
    return "standard input" if source == "-" else source


def read_triplet_file(
    source: str,
    *,
    format_: Any = None,
    pairs_go: str | None = "",
    columns: tuple[str, ...] | None = None,
    odd: str | None = None,
) -> TripletSet:
    """Read triplets from a file or the standard input (``-``), or those that answers say. `pairs_go`: where pairs go.

    None if the user has said that these are triplets, as `columns` does. `odd` is the column of answers if these
    are in a table.
    """
    kind = "triplets" if odd is None and (pairs_go is None or columns is not None) else None
    return read_constraints(source, kind, format_=format_, columns=columns, odd=odd, pairs_go=pairs_go or "")  # type: ignore[return-value]


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
    if form is not None:
        what = "an ontology" if form.read is None else "a hierarchy"
        file = shlex.quote(source)
        raise bad_input(
            f"{given_name(source)} is {what} ({form.title}), and triplets are expected: 'tripletree decompose {file}' "
            f"makes triplets of it, 'tripletree info {file}' shows its contents"
        ) from None


def triplets_in(
    raw: bytes | str, name: str | None, format_: Any, columns: tuple[str, ...] | None, source: str
) -> TripletSet:
    """Triplets of a content. Advice about columns of other names is in the shell's terms."""
    try:
        found = read_triplets(named_stream(raw, name), format=format_, columns=columns or ("a", "b", "c"))
        if columns is None and found.origins is None and len(found):  # out of comparisons, which is told
            return _said_halves(raw, name)
    except ParseError as error:
        before, asked, named = str(error).partition("name them with columns=")
        if not asked:
            raise
        if columns is not None:
            raise bad_input(before.rstrip(": ")) from None
        options = {x.name: x.metavar for x in click.get_current_context().command.params if isinstance(x, click.Option)}
        option = f"; or name them with {_as_option(asked[-8:] + named)}" if options.get("columns") == "A,B,C" else ""
        raise bad_input(f"{before}the first line has to name the columns of ab|c a, b and c{option}") from None
    return some_leaves(found, source)


def read_comparison_file(source: Any, *, told: bool = False, **columns: Any) -> Comparisons:
    """Read comparisons. With `told`, how they were understood is said."""
    found = _by_columns(read_comparisons, source, columns)
    if told:
        say(found.reading, err=True)
    return found


def _said_halves(raw: bytes | str, name: str | None, **columns: Any) -> TripletSet:
    """The triplets of which comparisons say both halves, which is told."""
    given = read_comparison_file(named_stream(raw, name), **columns)
    found = triplets_from_comparisons(given)
    say(f"{given.reading}; {counted(len(found), 'triplet')} of which both halves are said", err=True)
    return found


def recognised(raw: bytes | str, name: str | None, format_: Any = None) -> str | None:
    """The kind of knowledge that content holds, by its header or first lines: "comparisons", "answers" or "pairs"."""
    try:
        content, _ = read_bytes(named_stream(raw, name))
        if looks_like_comparisons(content, name):
            return "comparisons"
        if looks_like_answers(content, name):
            return "answers"
        return "pairs" if looks_like_pairs(content, name, PAIR_COLUMNS, format_ or format_of_suffix(name)) else None
    except (ParseError, csv.Error):
        return None


def read_answer_file(source: Any, **columns: Any) -> AnswerSet:
    """Read answers. How a table was understood is said, if something had to be."""
    found = _by_columns(read_answers, source, columns)
    if found.reading is not None:
        say(found.reading, err=True)
    return found


def _by_columns(read: Any, source: Any, columns: dict[str, Any]) -> Any:
    """Read a table. Its columns are names, or numbers from 0 if no column has such a name."""
    given = {key: x for key, x in columns.items() if x is not None}
    try:
        try:
            return read(source, **given)
        except ParseError as error:
            numbered = {key: _numbers(x) for key, x in given.items()}
            if numbered == given or "is not a column" not in str(error):
                raise
            if hasattr(source, "seek"):
                source.seek(0)
            return read(source, **numbered)
    except ValueError as error:
        message = str(error)
        if "header=" in message and not any(x.name == "header" for x in click.get_current_context().command.params):
            message += (
                "; in the shell, tripletree answers with --header or --no-header, and --jsonl FILE, makes a file that "
                "every command reads"
            )
        raise bad_input(message) from None


def _numbers(columns: Any) -> Any:
    """Names of columns that are numbers as such."""
    if isinstance(columns, str):
        return int(columns) if columns.isdecimal() else columns
    if isinstance(columns, int):
        return columns
    return [int(x) if x.isdecimal() else x for x in columns]


def check_kind(kind: str | None, *, columns: Any, odd: str | None, answer: str | None) -> str | None:
    """The kind of a file that is given, or that an option says. Options of other kinds are refused."""
    for option, kinds, value in (
        ("--odd", ("answers",), odd),
        ("--answer", ("comparisons",), answer),
        ("--columns", ("pairs", "triplets", "comparisons"), columns),
    ):
        if value is not None and kind not in (None, *kinds):
            named = f"{', '.join(kinds[:-1])} and {kinds[-1]}" if len(kinds) > 1 else kinds[0]
            msg = f"{option} is for {named}, and --as {kind} excludes these"
            raise click.UsageError(msg)
        if value is not None and len(kinds) == 1:
            (kind,) = kinds
    return kind


def read_constraints(
    source: str,
    kind: str | None,
    *,
    format_: Any = None,
    columns: tuple[str, ...] | None = None,
    odd: str | None = None,
    answer: str | None = None,
    pairs_go: str | None = None,
) -> TripletSet | PairwiseConstraints:
    """Read triplets, must-links and cannot-links, or answers, of the `kind` given, else by the look of the content.

    Pairs are refused if `pairs_go` tells where they go.
    """
    kind = check_kind(kind, columns=columns, odd=odd, answer=answer)
    if source.startswith(SAMPLE):
        msg = f"{source} is a hierarchy; 'tripletree decompose {source}' gives triplets of it"
        raise bad_input(msg)
    raw, name = raw_bytes(source)  # once: a pipe cannot be read again
    if kind is None and columns is not None:
        kind = kind_by_columns(raw, name, columns)
    if kind is None:
        found = recognised(raw, name, format_)
        kind = found if found in ("pairs", "answers") else "triplets"  # those of which comparisons say both halves
    if kind == "answers":
        return some_leaves(read_answer_file(named_stream(raw, name), odd=odd).triplets(), source)
    if kind == "comparisons":
        return some_leaves(_said_halves(raw, name, columns=columns, answer=answer), source)
    if kind == "pairs" and pairs_go is not None:
        raise bad_input(f"{given_name(source)} holds pairs; expected triplets{pairs_go}")
    if kind == "pairs":
        return read_pair_file(named_stream(raw, name), format_=format_, columns=columns)
    try:
        return triplets_in(raw, name, format_, columns, source)
    except (ParseError, click.ClickException):
        if format_ is None and columns is None:
            refuse_hierarchy(raw, name, source)
        raise


def kind_by_columns(raw: bytes | str, name: str | None, columns: tuple[str, ...]) -> str:
    """Tell whether the columns of a table hold "triplets" or "pairs": most cells of a third column are then links."""
    table = table_columns(named_stream(raw, name), known=lambda names: set(columns) <= set(names))
    if not set(columns) <= set(table.names or ()):
        return "pairs"  # says which columns there are
    cells = [cell_text(x) for x in table.columns[table.place(columns[2], "column")]]
    links = sum(link_word(x or "") in LINKS for x in cells)
    return "pairs" if 2 * links > len(cells) else "triplets"


def read_pair_file(
    source: Any, *, format_: Any = None, columns: tuple[str, ...] | None = None, leaves: Any = None
) -> PairwiseConstraints:
    """Read must-links and cannot-links."""
    try:
        pairs = read_pairs(source, format=format_, leaves=leaves, columns=columns or PAIR_COLUMNS)
    except ParseError as error:
        raise bad_input(_as_option(str(error))) from None
    if len(pairs.leaves) == 0:
        raise bad_input(f"{given_name(getattr(source, 'name', source))} holds no pair and no leaf")
    return pairs


def _as_option(message: str) -> str:
    """A message of the library with the option of the commands instead of the argument."""
    return re.sub(
        r"columns=\(('[^']*'), ('[^']*'), ('[^']*')\)",
        lambda found: "--columns " + shlex.quote(",".join(x.strip("'") for x in found.groups())),
        message,
    )


def some_leaves(triplets: TripletSet, source: str) -> TripletSet:
    """Refuse an input that names nothing: most likely the command in front of a pipe has failed."""
    if len(triplets.leaves) == 0:
        raise bad_input(f"{given_name(source)} holds no triplet and no leaf")
    return triplets


def write_triplet_file(triplets: TripletSet, target: str, *, format_: Any = None) -> None:
    """Write triplets to a file or the standard output (``-``)."""
    write_triplets(triplets, target, format=format_)


def read_classes(path: str) -> dict[str, str]:
    """Classes by label, out of the first two columns of a table with a header. A label without a class is left out."""
    table = table_columns(path, header=True)
    if len(table.columns) < 2 or not table.columns[0]:
        raise bad_input(
            f"{given_name(path)}: expected a header line and under it lines of at least two columns, label and class"
        )
    found: dict[str, tuple[str, int]] = {}
    for row, cells in enumerate(zip(*table.columns[:2], strict=True)):
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
