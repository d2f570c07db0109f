"""Data matrices from CSV and TSV: one row a sample, a column of labels, numbers in all others; nothing guessed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tripletree.cli.shell import bad_input, progress
from tripletree.errors import DuplicateLeafError
from tripletree.io.source import decoded, read_bytes

__all__ = [
    "Table",
    "read_table",
]

#: Names of a first column that are taken for labels even where they are numbers.
LABEL_NAMES = frozenset({"", "id", "index", "label", "name", "sample"})
_MISSING = frozenset({"", "na", "nan", "n/a", "null", "none", "?"})
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Table:
    """Samples as rows of numbers.

    Attributes
    ----------
    labels : list of str
    values : ndarray of float64, shape (n, d)
    columns : list of str
        Names of the d columns.
    classes : list of (str or None), or None
        The class of each sample, where a column of classes was asked for.
    """

    labels: list[str]
    values: np.ndarray
    columns: list[str]
    classes: list[str | None] | None = None


def read_table(
    source: str, *, index_column: str | None = None, class_column: str | None = None, drop: Sequence[str] = ()
) -> Table:
    """Read a table with a header line; tabs or commas (or semicolons) between the fields, as the header has them.

    Parameters
    ----------
    source : str
        A path, or '-' for the standard input.
    index_column : str, optional
        The column of labels. By default the first one if it holds text, has no name or is called id, index, label,
        name or sample; else the rows are numbered from 0.
    class_column : str, optional
        A column of classes; empty, or NA and the like, where the class is not known.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    Table

    Raises
    ------
    ClickException
        If there are no samples, a column is unknown or repeated, a row has too many or too few fields, a value is
        missing or no number.
    DuplicateLeafError
        If two samples have one label.
    """
    content, name = read_bytes(source)
    where = name or source
    if isinstance(content, bytes) and content.startswith(b"PAR1"):
        raise bad_input(f"{where} is a Parquet file; DATA must be CSV or TSV")
    text = content if isinstance(content, str) else decoded(content, name)
    header, rows, lines = _fields(text, where)
    known = [x for x in (index_column, class_column, *drop) if x is not None and x not in header]
    if known:
        listed = ", ".join(map(repr, header))
        raise bad_input(f"{where}: there is no column {known[0]!r}; there are {listed}")
    kept = [j for j, x in enumerate(header) if x not in drop]
    if index_column in drop:
        raise bad_input(f"column {index_column!r} cannot be both the labels and left out")
    columns = {j: [row[j].strip() for row in rows] for j in kept}
    at = header.index(index_column) if index_column is not None else _label_column(header, columns)
    labels = _labels(columns.pop(at), header[at], where, lines) if at is not None else list(map(str, range(len(rows))))
    classes = None
    if class_column is not None:
        j = header.index(class_column)
        if j not in columns:
            raise bad_input(f"column {class_column!r} cannot be both the classes and the labels or left out")
        classes = [None if _is_missing(x) else x for x in columns.pop(j)]
    names = [header[j] for j in columns]
    if not names:
        raise bad_input(f"{where}: no column of numbers is left")
    _check_numeric(header, columns, where, lines)
    _check_complete(header, columns, where, lines)
    values = np.empty((len(rows), len(names)))
    for k, (j, column) in enumerate(progress(columns.items(), what=where, total=len(columns))):
        values[:, k] = _numbers(column, header[j], where, lines)
    return Table(labels, values, names, classes)


def _fields(text: str, where: str) -> tuple[list[str], list[list[str]], list[int]]:
    """Header, rows and the line of each, every row as long as the header."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max("\t,;", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if any(field.strip() for field in row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise bad_input(f"{where}, line {reader.line_num}: {error}") from None
    if len(rows) < 3:
        raise bad_input(f"{where}: {max(len(rows) - 1, 0)} samples; wanted are a header line and at least two")
    header = [x.strip() for x in rows.pop(0)]
    lines.pop(0)
    repeated = [x for x in dict.fromkeys(header) if header.count(x) > 1]
    if repeated:
        raise bad_input(f"{where}: more than one column is called {repeated[0]!r}; each needs a name of its own")
    counted = [x for x in header if x] == [str(k) for k in range(len(header) - header.count(""))]  # as pandas writes
    if counted:
        return header, _full_rows(rows, header, where, lines), lines
    if all(_is_number(x) for x in header) or (len(header) > 2 and all(_is_number(x) for x in header[1:])):
        raise bad_input(
            f"{where}: the first line holds numbers, not names; wanted is a header with the names of the columns"
        )
    return header, _full_rows(rows, header, where, lines), lines


def _full_rows(rows: list[list[str]], header: list[str], where: str, lines: list[int]) -> list[list[str]]:
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise bad_input(f"{where}, line {line}: {len(row)} fields where the header has {len(header)}")
    return rows


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _is_missing(text: str) -> bool:
    return text.lower() in _MISSING


def _label_column(header: list[str], columns: dict[int, list[str]]) -> int | None:
    """The first column, if it looks like labels."""
    j = next(iter(columns), None)
    if j is None:
        return None
    if header[j].lower() in LABEL_NAMES or not all(_is_number(x) or _is_missing(x) for x in columns[j]):
        return j
    return None


def _labels(column: list[str], name: str, where: str, lines: list[int]) -> list[str]:
    for text, line in zip(column, lines, strict=True):
        if not text:
            raise bad_input(f"{where}, line {line}: the label (column {name!r}) is missing")
    if len(set(column)) < len(column):
        seen: set[str] = set()
        repeated = dict.fromkeys(x for x in column if x in seen or seen.add(x))  # type: ignore[func-returns-value]
        raise DuplicateLeafError(list(repeated), where=f" in {where} (column {name!r})")
    return column


def _check_numeric(header: list[str], columns: dict[int, list[str]], where: str, lines: list[int]) -> None:
    """Refuse columns with anything but numbers in them, all of them at once."""
    wrong = []
    for j, column in columns.items():
        for text, line in zip(column, lines, strict=True):
            if not _is_number(text) and not _is_missing(text):
                wrong.append(f"{header[j]!r} ({text!r} in line {line})")
                break
    if wrong:
        noun = "a column is not numeric" if len(wrong) == 1 else f"{len(wrong)} columns are not numeric"
        raise bad_input(
            f"{where}: {noun}: {_some(wrong)}; leave them out with --drop, name the one of the labels "
            "with --index-column or that of known classes with --classes, or turn them into numbers"
        )


def _check_complete(header: list[str], columns: dict[int, list[str]], where: str, lines: list[int]) -> None:
    """Refuse missing values, naming the columns and lines of all of them."""
    places = {
        j: [line for text, line in zip(column, lines, strict=True) if _is_missing(text)]
        for j, column in columns.items()
    }
    total = sum(map(len, places.values()))
    if total:
        parts = [f"column {header[j]!r} (line {_some(map(str, at))})" for j, at in places.items() if at]
        noun = "a value is missing" if total == 1 else f"{total} values are missing"
        msg = f"{where}: {noun}: {_some(parts)}; fill in, leave out such rows, or leave out columns with --drop"
        raise bad_input(msg)


def _numbers(column: list[str], name: str, where: str, lines: list[int]) -> np.ndarray:
    values = np.array(column, dtype=np.float64)
    wild = np.flatnonzero(~np.isfinite(values))
    if wild.size:
        k = int(wild[0])
        raise bad_input(f"{where}, line {lines[k]}: {column[k]!r} in column {name!r} is not finite")
    return values


def _some(parts: Iterable[str]) -> str:
    parts = list(parts)
    return ", ".join(parts[:_SHOWN]) + (f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else "")
