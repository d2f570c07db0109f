"""Data matrices from CSV and TSV: one row a sample, a column of labels, numbers in all others. Nothing guessed.

If a metric can handle gaps or categories, cells may be empty or hold text.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import click
import numpy as np

from tripletree.cli.shell import bad_input, progress, say, some
from tripletree.cli.sources import SAMPLE, read_classes, words_of_option
from tripletree.cli.spelling import command_line, option_names
from tripletree.core.checks import counted
from tripletree.core.labels import class_codes, classes_or_none, is_gap
from tripletree.core.leaves import repeated
from tripletree.errors import DuplicateLeafError, UnknownLeafError
from tripletree.io.columns import can_be_ids, ids_among, is_name
from tripletree.io.table import RowTable, cell_text, is_number, with_point
from tripletree.io.table import read_table as table_columns

#: Metrics that take cells that are empty, and cells with text, and how an error names them.
GAPS = {"nan_euclidean": "numbers", "gower": "mixed"}


class GapHint(NamedTuple):
    """Advice about cells that are no numbers, with options that a distance needs besides."""

    more: str = ""

    def __call__(self, *, words: bool) -> str:
        numbers = "" if words else f", or, of numbers alone, --metric nan_euclidean --standardize{self.more}"
        return f"; or compare the values known of two samples: --metric gower{self.more}{numbers}"


metric_option = click.option(
    "--metric",
    default="euclidean",
    show_default=True,
    metavar="NAME",
    help="A distance of scipy; nan_euclidean for empty cells, gower for columns of text, too.",
)
decimal_option = click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    default=".",
    show_default=True,
    help="The mark before the decimals of the numbers in DATA.",
)


missing_option = click.option(
    "--missing-class",
    metavar="WORDS",
    callback=words_of_option,
    help="Words in --classes that mark rows without a class, with commas between.  [default: NA, -1, unknown, ?, ...]",
)

#: Names of a first column that are taken for labels even if they are numbers.
LABEL_NAMES = frozenset({"", "id", "index", "label", "name", "sample"})
_AS_CLASS = "--missing-class NA makes it a class: only what is named there is none then"
_WITH_POINT = re.compile(r"[-+]?(?=\d|\.\d)[\d,]*\.[\d.,]*(?:[eE][-+]?\d+)?")
#: Advice about columns of text, by the options that a command may have.
_ADVICE = {
    "drop": "leave them out with",
    "index_column": "name the column of the labels with",
    "class_column": "the column of known classes with",
    "text_column": "the column of texts with",
}


@dataclass(frozen=True, eq=False)
class Table:
    """Samples as rows of numbers.

    Attributes
    ----------
    labels : list of str
    values : ndarray, shape (n, d)
        float64, NaN for gaps. If categories were asked for, objects: numbers, text, and None for gaps.
    columns : list of str
        Names of the d columns.
    classes : list of (str or None), or None
        The class of each sample, if a column of classes was asked for.
    texts : list of str, or None
        The text of each sample, if a column of texts was asked for.
    """

    labels: list[str]
    values: np.ndarray
    columns: list[str]
    classes: list[str | None] | None = None
    texts: list[str] | None = None


def check_metric(metric: str, standardize: bool, *more: str) -> None:
    """Refuse a metric that is unknown, also among `more` of one command, and options that do not go with one."""
    from tripletree.cluster.distances import METRICS, WITH_MISSING

    if metric not in (*METRICS, *WITH_MISSING, *more):
        msg = f"--metric {metric} is not known; choose one of {', '.join((*METRICS, *WITH_MISSING, *more))}"
        raise click.UsageError(msg)
    if metric == "precomputed" and standardize:
        raise click.UsageError("--metric precomputed takes distances as they are: leave out --standardize")
    if metric == "gower" and standardize:
        msg = "--metric gower divides numbers by their range itself: leave out --standardize"
        raise click.UsageError(msg)


def distances_in(table: Table) -> np.ndarray | None:
    """The distances of a table whose columns are called like its rows, in the order of the rows. None if it is none."""
    place = {x: k for k, x in enumerate(table.columns)}
    if len(table.labels) < 2 or set(table.labels) != set(place) or len(place) != len(table.labels):
        return None
    D = table.values[:, [place[x] for x in table.labels]].astype(np.float64)
    scale = float(np.abs(D[np.isfinite(D)]).max(initial=0.0))
    is_one = np.allclose(D, D.T, atol=1e-6 * scale, equal_nan=True) and (np.abs(np.diag(D)) <= 1e-6 * scale).all()
    return D if is_one else None


def read_table(
    source: str,
    *,
    index_column: str | None = None,
    class_column: str | None = None,
    text_column: str | None = None,
    drop: Sequence[str] = (),
    gaps: str = "raise",
    hint: GapHint | None = None,
    decimal: str = ".",
    needs_numbers: bool = True,
    missing: Sequence[str] | None = None,
    named: Callable[[], Collection[str]] = tuple,
) -> Table:
    """Read a table with a header line: tabs, commas or semicolons between fields, as the header has them, or Parquet.

    Parameters
    ----------
    source : str
        A path, or '-' for the standard input.
    index_column : str, optional
        The column of labels. By default the first one if it holds text, has no name or is called id, index, label,
        name or sample, else one of different texts or whole numbers that is called an id, or that holds more of the
        names in the knowledge, else the rows are numbered from 0.
    class_column : str, optional
        A column of classes. Empty, or NA and the like, where the class is not known. Or a file, if no column is
        called so: a table with a header, whose first two columns are labels and classes.
    text_column : str, optional
        A column of texts. With it, there may be no column of numbers.
    drop : sequence of str
        Columns to leave out.
    gaps : {"raise", "numbers", "mixed"}
        "numbers" allows cells that are empty or NA, "mixed" also columns with text.
    hint : GapHint, optional
        Other advice about gaps and text, for the errors.
    decimal : {".", ","}
        The character before the decimals of numbers.
    needs_numbers : bool
        Whether a table without a column of numbers and without texts is refused.
    missing : sequence of str, optional
        The words in the classes that mark samples without one. By default NA, -1, unknown and the like.
    named : callable
        Gives the names that the knowledge knows. Called if several columns could hold them.

    Returns
    -------
    Table
    """
    table = table_columns(source, header=True, known=lambda names: True, empty_rows=True, decimal=decimal)
    where = table.path or source
    header, n = table.names or [], len(table.lines)
    if n < 2:
        raise bad_input(f"{where}: {counted(n, 'sample')}; expected a header line and at least two")
    _check_header(header, where)
    class_file = None if class_column in header else class_file_of(class_column)
    if class_file is not None:
        class_column = None
    unknown = [x for x in (index_column, class_column, text_column, *drop) if x is not None and x not in header]
    if unknown:
        listed = ", ".join(map(repr, header))
        nor = ""
        if unknown[0] == class_column:
            nor = f", and {class_column!r} is {'a folder' if os.path.isdir(class_column) else 'no file'}"
        raise bad_input(f"{where}: there is no column {unknown[0]!r}{nor}; there are {listed}")
    if index_column in drop:
        raise bad_input(f"column {index_column!r} cannot be both the labels and left out")
    cells = dict(zip(header, table.columns, strict=True))
    columns = {x: [(cell_text(y) or "").strip() for y in cells[x]] for x in header if x not in drop}
    texts = None
    if text_column is not None:
        if text_column in (index_column, class_column, *drop):
            raise bad_input(f"column {text_column!r} cannot be both the texts and the labels, the classes or left out")
        texts = columns.pop(text_column)
    if index_column is None:
        index_column = _label_column(columns, decimal, named)
    labels = (
        list(map(str, range(n))) if index_column is None else _labels(columns.pop(index_column), index_column, table)
    )
    classes: list[Any] | None = None
    if class_column is not None:
        if class_column not in columns:
            raise bad_input(f"column {class_column!r} cannot be both the classes and the labels or left out")
        classes = columns.pop(class_column)
    elif class_file is not None:
        classes = _classes_of(labels, class_file)
    if classes is not None:
        classes = known_classes(classes, missing)
    if decimal == ",":
        if not where.lower().endswith((".xlsx", ".xlsm")):  # their numbers are numbers, however they are shown
            _check_no_points(columns, table)
        columns = {x: list(map(with_point, column)) for x, column in columns.items()}
    if needs_numbers and not columns and texts is None:
        how = f"; {_option('text_column')} takes the words of a column of texts" if _option("text_column") else ""
        raise bad_input(f"{where}: no column of numbers is left{how}")
    if gaps != "mixed":
        _check_numeric(columns, table, "" if hint is None else hint(words=True))
    if gaps == "raise":
        _check_complete(columns, table, "" if hint is None else hint(words=False))
    values = np.empty((n, len(columns)), object if gaps == "mixed" else np.float64)
    for k, (x, column) in enumerate(progress(columns.items(), what=where, total=len(columns))):
        values[:, k] = _values(column, x, table, gaps)
    return Table(labels, values, list(columns), classes, texts)


def known_classes(classes: Sequence[str | None], missing: Sequence[str] | None) -> list[str | None]:
    """The classes without the words that mark samples without one. None stands for these."""
    codes, known = class_codes(list(classes), "--classes", missing, cure=_AS_CLASS)
    return classes_or_none(codes, known)


def names_in(files: Sequence[tuple[str | None, Callable[[str], Any]]]) -> set[str]:
    """The labels in files of knowledge, each with its reader. Those that cannot be read twice, or at all, count not."""
    found: set[str] = set()
    for path, read in files:
        if path is None or not (os.path.isfile(path) or path.startswith(SAMPLE)):
            continue
        with suppress(ValueError, click.ClickException, OSError):  # told when it is read for its own sake
            value = read(path)
            found.update(map(str, getattr(value, "leaves", value)))
    return found


def class_file_of(name: str | None) -> str | None:
    """The file, or pipe, that --classes may mean, if there is one. "-" is the standard input."""
    if name == "-":
        return name
    return name if name is not None and os.path.exists(name) and not os.path.isdir(name) else None


def _check_no_points(columns: dict[str, list[str]], table: RowTable) -> None:
    """Refuse numbers with points where commas stand before decimals: they may part thousands."""
    for name, column in columns.items():
        for row, text in enumerate(column):
            if _WITH_POINT.fullmatch(text):
                msg = (
                    f"{text!r} in column {name!r} has a point, and --decimal , says that decimals stand behind commas; "
                    "leave out the option, or the points between thousands"
                )
                table.refuse(row, msg)


def _check_header(names: list[str], where: str) -> None:
    """Refuse a header that names a column twice, or that is a row of numbers."""
    repeated = [x for x in dict.fromkeys(names) if names.count(x) > 1]
    if repeated:
        raise bad_input(f"{where}: more than one column is called {repeated[0]!r}; each needs a name of its own")
    counted_from_0 = [str(k) for k in range(len(names))]
    if [x for x in names if x] == counted_from_0[: len(names) - names.count("")]:
        return  # counted, as pandas does it
    if not is_number(names[0]) and names[1:] == counted_from_0[:-1]:
        return  # the same, beside a named index
    if all(is_number(x) for x in names) or (len(names) > 2 and all(is_number(x) for x in names[1:])):
        raise bad_input(f"{where}: the first line holds numbers; expected a header with the names of the columns")


def _label_column(columns: dict[str, list[str]], decimal: str, named: Callable[[], Collection[str]]) -> str | None:
    """The column of the labels: by its look, its name or the knowledge.

    `columns` loses other ids, which are no features.
    """
    first = next(iter(columns), None)
    called = ids_among(columns)
    chosen = called[0] if called else None
    if first is not None and (chosen in (None, first) or is_name(first, columns[first])):
        cells = list(map(with_point, columns[first])) if decimal == "," else columns[first]
        if first.lower() in LABEL_NAMES or not all(is_number(x) or is_gap(x) for x in cells):
            chosen = first
    able = [x for x in columns if can_be_ids(columns[x])]
    if chosen is not None and not all(map(is_number, columns[chosen])):  # kg has numbers that are ids by chance
        able = [x for x in able if x in called or not all(map(is_number, columns[x]))]
    rows = {str(k) for k in range(len(next(iter(columns.values()), ())))}
    by_number = chosen is not None and chosen.lower() not in LABEL_NAMES and not rows.isdisjoint(columns[chosen])
    names: frozenset[str] = frozenset()
    if able and (set(able) - {chosen} or by_number):  # the knowledge tells which of them
        names = frozenset(named())
        hits = {x: len(names.intersection(columns[x])) for x in able}
        most = max(able, key=hits.__getitem__)
        if hits[most] > (len(names.intersection(rows)) if chosen is None else hits.get(chosen, 0)):
            chosen, by_number = most, False
    if by_number and chosen is not None and names and names <= rows:
        raise _both_ways(chosen, names)
    others = [x for x in called if x != chosen]
    for name in others:
        del columns[name]
    if others or (chosen is not None and chosen != first):
        left = f"; {some(map(repr, others))} left out, as an id" if others else ""
        say(f"labels: column {chosen!r}{left} (--index-column, --drop)", err=True)
    return chosen


def _both_ways(column: str, names: Collection[str]) -> click.ClickException:
    """The error for names that may be ids or row numbers, with the command for each."""
    again = click.get_current_context()
    by_id, by_row = (command_line(again, f"{x} {shlex.quote(column)}") for x in ("--index-column", "--drop"))
    shown = some(map(repr, sorted(names)))
    verb = "is" if len(names) == 1 else "are"
    return bad_input(
        f"{shown} {verb} in column {column!r}, and {verb} {'a row number' if verb == 'is' else 'row numbers'} from 0 "
        f"as well. Which is meant?\n  the column:  {by_id}\n  row numbers: {by_row}"
    )


def _labels(column: list[str], name: str, table: RowTable) -> list[str]:
    if "" in column:
        table.refuse(column.index(""), f"the label (column {name!r}) is missing")
    if len(set(column)) < len(column):
        several = repeated(column)
        lines = some(str(line) for text, line in zip(column, table.lines, strict=True) if text == several[0])
        more = f"--index-column NAME takes the labels from another; {several[0]!r} in {table.unit}s {lines}"
        raise DuplicateLeafError(several, where=f" in {table.path} (column {name!r}; {more})")
    return column


def _classes_of(labels: list[str], path: str) -> list[str | None]:
    """The class of each sample, as a file has them. A message says if others are in the file, too."""
    found = read_classes(path)
    known = set(labels)
    unknown = [x for x in found if x not in known]
    if found and len(unknown) == len(found):
        raise UnknownLeafError(unknown, labels, what=f"labels in {path}", hint="none of them is in DATA")
    if unknown:
        say(f"{counted(len(unknown), 'label')} of {path} {'is' if len(unknown) == 1 else 'are'} not in DATA", err=True)
    return [found.get(x) for x in labels]


def _check_numeric(columns: dict[str, list[str]], table: RowTable, hint: str) -> None:
    """Refuse columns with anything but numbers in them, all of them at once."""
    wrong, has_texts = [], False
    for name, column in columns.items():
        for text, line in zip(column, table.lines, strict=True):
            if not is_number(text) and not is_gap(text):
                has_texts |= text.count(" ") > 2
                wrong.append(f"{name!r} ({text!r} in {table.unit} {line})")
                break
    if wrong:
        noun = "a column is not numeric" if len(wrong) == 1 else f"{len(wrong)} columns are not numeric"
        named = {"drop": shlex.quote(wrong[0].partition(" (")[0].strip("'\""))}
        advice = [
            f"{what} {_option(name)} {named.get(name, 'NAME')}" for name, what in _ADVICE.items() if _option(name)
        ]
        commas = any(re.search(r"\('[-+]?\d*,\d+' in", x) for x in wrong)
        how = f"{_option('decimal')} ," if _option("decimal") else "write points"
        points = f"{how} if decimals stand behind commas; or " if commas else ""
        texts = " (texts in Python, with scikit-learn's TfidfVectorizer)" if has_texts else ""
        raise bad_input(
            f"{table.path}: {noun}: {some(wrong)}; {points}{', '.join(advice)}, or turn them into numbers{texts}{hint}"
        )


def _option(name: str) -> str | None:
    """How the running command spells an option, None if it has no such option."""
    return option_names(click.get_current_context().command).get(name)


def _check_complete(columns: dict[str, list[str]], table: RowTable, hint: str) -> None:
    """Refuse missing values, naming the columns and lines of all of them."""
    places = {
        name: [str(line) for text, line in zip(column, table.lines, strict=True) if is_gap(text)]
        for name, column in columns.items()
    }
    total = sum(map(len, places.values()))
    if total:
        parts = some(f"column {name!r} ({table.unit} {some(lines)})" for name, lines in places.items() if lines)
        noun = "a value is missing" if total == 1 else f"{total} values are missing"
        first = next(name for name, lines in places.items() if lines)
        how = f"fill in, leave out such rows, or leave out columns with --drop {shlex.quote(first)}"
        raise bad_input(f"{table.path}: {noun}: {parts}; {how}{hint}")


def _values(column: list[str], name: str, table: RowTable, gaps: str) -> np.ndarray:
    """The cells of a column: numbers, or text if some are no numbers. Gaps are treated as asked for."""
    is_complete = gaps == "raise"  # it has been checked
    known = np.array([is_complete or not is_gap(x) for x in column])
    cells = column if is_complete else [x for x, here in zip(column, known, strict=True) if here]
    if gaps == "mixed" and not all(map(is_number, cells)):
        commas = [x for x in cells if with_point(x) != x]
        if commas and all(is_number(x) or with_point(x) != x for x in cells):
            how = f"; {_option('decimal')} , if decimals stand behind commas" if _option("decimal") else ""
            say(f"column {name!r} is taken for words, because of {commas[0]!r}{how}", err=True)
        words: np.ndarray = np.full(len(column), None, object)
        words[known] = cells
        return words
    numbers = np.array(cells, np.float64)
    wild = np.flatnonzero(~np.isfinite(numbers))
    if wild.size:
        row = int(np.flatnonzero(known)[wild[0]])
        table.refuse(row, f"{column[row]!r} in column {name!r} is not finite")
    if known.all() and gaps != "mixed":
        return numbers
    values = np.full(len(column), None if gaps == "mixed" else np.nan, object if gaps == "mixed" else np.float64)
    values[known] = numbers.tolist()
    return values
