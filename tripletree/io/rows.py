"""Rows of labels: shared by the files of triplets, pairs and comparisons.

A kind of rows is a subclass of `LabelRows`, which defines the parts of a row and the form of a line of text.
The problems met on the way are gathered, so that one run shows up to 20 of them, each with its place.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, TypeVar

import numpy as np

from tripletree.core.checks import check_choice
from tripletree.core.leaves import LeafIndex, as_texts, sorted_labels
from tripletree.core.provenance import Origins
from tripletree.errors import SHOWN, ParseError, UnknownLeafError, warn_user
from tripletree.io.source import Source, Target, decoded, is_parquet, read_bytes, write_text
from tripletree.io.table import (
    CodedColumn,
    coded_column,
    frame_columns,
    has_cells,
    has_header,
    is_frame,
    json_table,
    number_column,
    parquet_metadata,
    parquet_names,
    parquet_rows,
    split_rows,
    table_lines,
    write_parquet,
)
from tripletree.tables.cells import NUMBER, cell_of, cell_text, with_point
from tripletree.tables.columns import plain
from tripletree.tables.rows import FRAME, MOST_COLUMNS, RowTable, shown_names, table_of

RowFormat = Literal["text", "csv", "tsv", "parquet"]
DELIMITERS = {"csv": ",", "tsv": "\t"}
_FORMATS = ("text", "csv", "tsv", "parquet")
_SUFFIXES = {".txt": "text", ".triplets": "text", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_PACKED = frozenset({".gz", ".bz2", ".xz"})
#: The key under which a Parquet file keeps all leaf labels, in order, as a JSON list.
_LEAVES_KEY = b"tripletree.leaves"
_DIRECTIVE = "#!leaves"
#: Characters of leaf labels in one directive line, before the next one starts.
_WIDTH = 100

_TOKEN = re.compile(
    r"""
      (?P<quoted> '(?:[^']++|'')*+' (?=[\s,|]|\Z) | "(?:[^"]++|"")*+" (?=[\s,|]|\Z) )
    | (?P<plain> [^\s,|'"][^\s,|]* )
    | (?P<mark> [,|] )
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(r"""[^\s,|'"#][^\s,|]*""")


def three_names(columns: Any, what: str, least: int = 3) -> tuple[str, ...]:
    """The names of three columns, or of `least`, checked. `what` stands in the message."""
    names = list(columns) if isinstance(columns, Iterable) and not isinstance(columns, (str, bytes)) else []
    if not least <= len(names) <= 3 or not all(isinstance(x, Hashable) for x in names) or len(set(names)) < len(names):
        msg = f"columns must be the names of three columns, for {what}, not {columns!r}"
        raise ValueError(msg)
    return tuple(names)


def check_row_format(format: Any) -> None:
    """Raise a ValueError for a format that rows of labels do not have."""
    if format is not None:
        check_choice(format, "format", _FORMATS)


def format_of_suffix(name: str | None) -> str | None:
    """Return the format of a file's suffix, before .gz, .bz2 or .xz. None for an unknown suffix."""
    path = Path(name or "")
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return _SUFFIXES.get(path.suffix.lower())


#: Suffixes of files that hold anything but text in lines, or text of another form.
_NO_LINES = {".xlsx", ".xlsm", ".xls", ".ods", ".json", ".jsonl", ".xml", ".npy", ".npz", ".pkl", ".pdf", ".html"}


def check_suffix(path: Any, what: str, able: str, *, is_json: bool = False) -> None:
    """Refuse to write to a file whose suffix says that it holds another format."""
    name = Path(name_of(path) or "")
    suffix = (name.with_suffix("") if name.suffix.lower() in _PACKED else name).suffix.lower()
    if suffix in ({*_NO_LINES, *_SUFFIXES} - {".json", ".txt"} if is_json else _NO_LINES):
        msg = f"{name}: {what} is not written as {suffix}; it is written as {able}"
        raise ValueError(msg)


# ---------------------------------------------------------------------- rows as they are read


class Token(NamedTuple):
    """A label or a mark (a comma or a bar) of a line."""

    kind: str
    """plain, quoted or mark."""
    value: str
    at: int
    """The place in the line where it begins."""


class RowProblem(NamedTuple):
    """One thing that is wrong, and where."""

    line: int
    column: int | None
    text: str | None
    """The line, for the caret."""
    message: str


class CodedRows(NamedTuple):
    """Rows of labels as arrays."""

    rows: np.ndarray
    """int64[m, width]: places in `texts`."""
    texts: list[str]
    lines: np.ndarray
    """int64[m]: where each row stands."""
    weights: np.ndarray | None


class LabelRows:
    """Rows of labels as they are read.

    Attributes
    ----------
    path : str or None
        The source's name, for messages.
    unit : str
        Unit of the numbers in `lines`: "line" or "row".
    labels : list of tuple of str
    lines : list of int
        The place of each row.
    weights : dict
        The weight of each row that has one, by the row's number.
    more : list of (label, line)
        Leaves that are named beside the rows. Line 0 is the metadata.
    numbers : dict
        The labels of a data frame or Parquet file that are whole numbers, by their texts.
    coded : CodedRows or None
        The rows instead of `labels`, `lines` and `weights`, if they were read as whole columns.
    problems : list of RowProblem
    """

    #: How many labels a row has, and that they differ.
    width: int = 3
    rule: str = "the three leaves must differ"
    #: What a weight is.
    weight_rule: ClassVar[str] = "a positive finite number"
    #: The most frequent form of a line, without quotes, commas or comments. Its groups are the fields.
    usual: ClassVar[re.Pattern[str]]
    #: A line as the sequence of its tokens, with L for a label.
    shape: ClassVar[re.Pattern[str]]
    #: True if a table may do without a header that names the columns.
    headless_allowed: ClassVar[bool] = False
    #: True if a row is labels and perhaps a weight, so that frames and Parquet can be read by whole columns.
    plain: ClassVar[bool] = False

    def __init__(self, path: str | None, unit: str = "line") -> None:
        self.path, self.unit = path, unit
        self.labels: list[tuple[str, ...]] = []
        self.lines: list[int] = []
        self.weights: dict[int, float] = {}
        self.more: list[tuple[str, int]] = []
        self.numbers: dict[str, int] = {}
        self.coded: CodedRows | None = None
        #: Rows of the source that came before, in other batches.
        self.before = 0
        self.problems: list[RowProblem] = []
        #: Names of the columns of a table.
        self.columns: Sequence[str] = ()
        #: Gives the table that is read, for advice about its columns.
        self.sample: Callable[[], RowTable | None] = lambda: None

    def add(
        self, cells: Sequence[str | None], line: int, text: str | None = None, start: Callable[[int], int] | None = None
    ) -> None:
        """Take a row, or note its error.

        Parameters
        ----------
        cells : sequence of str or None
            The fields. None if a table has an empty cell.
        line : int
        text : str, optional
            The line, for the caret.
        start : callable, optional
            From the number of a field, counted from 1, to where in `text` it begins.
        """
        labels: tuple[Any, ...] = tuple(cells[: self.width])
        wrong: tuple[int, str] | None
        if None in labels:
            k = labels.index(None)
            wrong = k, self.empty(k)
        elif len(set(labels)) < len(labels):
            k = next(k for k, x in enumerate(labels) if x in labels[:k])
            wrong = k, f"{labels[k]!r} stands twice: {self.rule}"
        else:
            wrong = self.add_rest(cells[self.width :])
        if wrong is None:
            self.labels.append(labels)
            self.lines.append(line)
        else:
            k, message = wrong
            self.problem(line, message, column=None if start is None else start(k + 1) + 1, text=text)

    def empty(self, k: int) -> str:
        """The error of a row without its label number k."""
        return f"no label in column {self.columns[k]}"

    def add_rest(self, rest: Sequence[str | None]) -> tuple[int, str] | None:
        """Take the cells behind the labels of a row: its weight. Or the error, and the number of the cell."""
        if rest:
            value = self.weight_in(rest[-1] or "")
            if value is None:
                return self.width + len(rest) - 1, f"the weight {rest[-1] or ''!r} is not {self.weight_rule}"
            self.weights[len(self.labels)] = value
        return None

    @staticmethod
    def weight_in(text: str) -> float | None:
        """Return the weight that a field holds, or None."""
        text = with_point(text.strip())
        value = float(text) if NUMBER.fullmatch(text) else 0.0
        return value if 0 < value < float("inf") else None

    @staticmethod
    def weight(names: Sequence[str], weight: str | None) -> str | None:
        """The column of the weights, in any case."""
        return weight if weight in names else next((x for x in names if plain(x) == plain(weight)), weight)

    def called(self, names: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
        """Return the columns that are read of a table, where `columns` are asked for: in any case."""
        if set(columns) <= set(names):
            return columns
        words = {plain(x): x for x in names}
        alike = [words.get(plain(x), x) for x in columns] if len(words) == len(names) else columns
        return alike if len(set(alike)) == len(columns) else columns

    def otherwise(self, line: str) -> Sequence[str] | None:
        """The cells of a line in another way of writing, or None."""
        return None

    @staticmethod
    def records(text: str, path: str | None) -> RowTable | None:
        """The rows of a JSON text as a table, or None."""
        return json_table(text, path)

    def look(self, text: str) -> None:
        """Look at all of a text before its first line is taken for a header or a row."""

    def is_header(self, names: Sequence[str]) -> bool:
        """Tell whether the first line of a text is a header, though of other columns than the ones asked for."""
        return False

    def misshapen(self, shape: str, tokens: list[Token]) -> tuple[str, int]:
        """The error of a line of another shape, and the number of the token to point at."""
        raise NotImplementedError

    def problem(self, line: int, message: str, *, column: int | None = None, text: str | None = None) -> None:
        """Note a problem. The twentieth ends the reading."""
        self.problems.append(RowProblem(line, column, text, message))
        if len(self.problems) >= SHOWN:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Raise the ParseError that lists the problems."""
        found = sorted(self.problems, key=lambda p: (p.line, p.column or 0))[:SHOWN]
        first = found[0]
        numbered = [f"{self.unit} {p.line}: {p.message}" if p.line else f"metadata: {p.message}" for p in found]
        in_lines = self.unit == "line"
        message = first.message if in_lines else numbered[0]
        if len(found) > 1:
            stopped = " (reading stopped there)" if len(found) >= SHOWN else ""
            message = f"{len(found)} problems{stopped}:\n  " + "\n  ".join(numbered)
        raise ParseError(
            message,
            path=self.path,
            line=first.line if in_lines else None,
            column=first.column if len(found) == 1 else None,
            text=first.text if len(found) == 1 else None,
            problems=numbered,
        )

    # ------------------------------------------------------------------ the text format

    def add_text(self, text: str) -> None:
        """Take the rows of the text format."""
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        for number, line in enumerate(text.split("\n"), 1):
            usual = self.usual.fullmatch(line)
            if usual is not None:
                cells = usual.groups()
                self.add(cells if cells[-1] is not None else cells[:-1], number, line, usual.start)
            elif line.startswith("#!"):
                self._add_leaves(line, number)
            elif (other := self.otherwise(line)) is not None:
                self.add(other, number)
            elif tokens := self.tokens(line, number):
                shape = "".join("L" if x.kind != "mark" else x.value for x in tokens)
                if self.shape.fullmatch(shape):
                    labels = [x for x in tokens if x.kind != "mark"]
                    self.add([x.value for x in labels], number, line, [0, *(x.at for x in labels)].__getitem__)
                else:
                    message, k = self.misshapen(shape, tokens)
                    self.problem(number, message, column=tokens[k].at + 1, text=line)

    def spaced_table(self, text: str, known: Callable[[list[str]], bool]) -> RowTable | None:
        """The rows of the text format under a header that is known, with blanks between its names. Else None."""
        if not is_spaced_header(text, known):
            return None
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        first = next(k for k, x in enumerate(lines) if _is_row(x))
        names, rows, numbers = lines[first].split(), [], []
        for number, line in enumerate(lines[first + 1 :], first + 2):
            cells = [x.value for x in self.tokens(line, number) or () if x.kind != "mark"]
            if cells and len(cells) != len(names):
                self.problem(number, f"{len(cells)} field{'s' * (len(cells) != 1)} under {len(names)} names of columns")
            elif cells:
                rows.append(cells)
                numbers.append(number)
        columns = [list(x) for x in zip(*rows, strict=True)] or [[] for _ in names]
        return RowTable(self.path, names, columns, numbers, header_line=first + 1)

    def tokens(self, line: str, number: int, at: int = 0) -> list[Token] | None:
        """The labels and marks of a line, up to a comment. None if a problem is noted."""
        tokens: list[Token] = []
        while True:
            while at < len(line) and line[at].isspace():
                at += 1
            if at == len(line) or (line[at] == "#" and (at == 0 or line[at - 1].isspace())):
                return tokens
            found = _TOKEN.match(line, at)
            if found is None:
                message = "this quote is never closed, or something stands right behind its end (double a quote inside)"
                self.problem(number, message, column=at + 1, text=line)
                return None
            value = found.group()
            if found.lastgroup == "quoted":
                value = value[1:-1].replace(value[0] * 2, value[0])
            tokens.append(Token(str(found.lastgroup), value, at))
            at = found.end()

    def _add_leaves(self, line: str, number: int) -> None:
        """Take the leaves of a line ``#!leaves ...``."""
        if line.split(maxsplit=1)[0] != _DIRECTIVE:
            message = f"a line that starts with '#!' must be {_DIRECTIVE!r} and labels; write '# ' before a comment"
            self.problem(number, message, column=1, text=line)
            return
        tokens = self.tokens(line, number, at=len(_DIRECTIVE)) or []
        mark = next((x.at for x in tokens if x.kind == "mark"), None)
        if mark is not None:
            self.problem(number, "expected labels with white space between", column=mark + 1, text=line)
            return
        self.more += [(x.value, number) for x in tokens]

    # ------------------------------------------------------------------ tables

    def add_table(self, table: RowTable, columns: Sequence[str], weight: str | None) -> None:
        """Take the rows of a table by the names of its columns, or in their order if it has no header."""
        places = self.places(table, columns, weight)
        self.columns = columns
        for line, *cells in zip(table.lines, *(table.columns[k] for k in places), strict=True):
            self.add([cell_text(x) for x in cells], line)

    def add_frame(self, frame: Any, columns: Sequence[str], weight: str | None, *, blank: str | None = None) -> None:
        """Take the rows of a data frame, or of an Arrow table: by whole columns if they hold numbers or texts.

        Parameters
        ----------
        frame : data frame or Arrow table
        columns : sequence of str
        weight : str or None
        blank : str or None
            Meaning of an empty text: "" is a label, None a missing one.
        """
        found = frame_columns(frame, self.path)
        self.sample = lambda: table_of(found, self.path, cell_of)
        self.add_found(found, columns, weight, blank)

    def add_found(self, found: dict[str, Any], columns: Sequence[str], weight: str | None, blank: str | None) -> None:
        """Take the rows of the columns of a data frame."""
        if self.plain:
            header = RowTable(self.path, list(found), [[] for _ in found], range(0), self.unit)
            names = [header.names[k] for k in self.places(header, columns, weight)]  # type: ignore[index]
            if self.add_columns(found, names, columns, blank):
                return
        cell = cell_of if blank is None else _parquet_cell
        table = table_of(found, self.path, cell)
        table.lines = range(self.before + 1, self.before + 1 + len(table.lines))
        self.add_table(table, columns, weight)
        labels = (x for k in self.places(table, columns, None) for x in table.columns[k] if type(x) is int)
        self.numbers = {str(x): x for x in labels}

    def add_columns(
        self, found: dict[str, Any], names: Sequence[str], columns: Sequence[str], blank: str | None
    ) -> bool:
        """Take whole columns, the weights last if there are any. False if one is neither numbers nor texts."""
        width = self.width
        coded = [coded_column(found[x]) for x in names[:width]]
        weights = number_column(found[names[width]]) if len(names) > width else None
        if any(x is None for x in coded) or (weights is None and len(names) > width):
            return False
        place: dict[str | None, int] = {}
        rows = np.stack([self._places_of(x, place, blank) for x in coded], axis=1)  # type: ignore[arg-type]
        texts = list(place)
        wrong = (rows < 0).any(axis=1)
        for j in range(width):
            for k in range(j):
                wrong |= rows[:, j] == rows[:, k]
        if weights is not None:
            wrong |= ~((weights > 0) & (weights < np.inf))
        self.columns = columns
        for i in np.flatnonzero(wrong)[:SHOWN].tolist():  # says why they are wrong
            more = [] if weights is None else [cell_text(cell_of(float(weights[i])))]
            self.add([texts[k] if k >= 0 else None for k in rows[i].tolist()] + more, self.before + i + 1)
        right = np.flatnonzero(~wrong)
        self.coded = CodedRows(rows[right], texts, self.before + right + 1, None if weights is None else weights[right])  # type: ignore[arg-type]
        return True

    def _places_of(self, column: CodedColumn, place: dict[str | None, int], blank: str | None) -> np.ndarray:
        """The places of a column's labels among the texts so far, to which new ones are added. -1 for empty cells."""
        number = np.full(len(column.values) + 1, -1, np.int64)  # the last serves empty cells
        for k, value in enumerate(column.values):
            text = blank if value == "" else cell_text(value)
            if text is not None:
                number[k] = place.setdefault(text, len(place))
                if type(value) is int:
                    self.numbers[text] = value
        return number[column.codes]

    def places(self, table: RowTable, columns: Sequence[str], weight: str | None) -> list[int]:
        """The places of the columns in a table, the weight's last if there is one."""
        if table.lines:
            self.sample = lambda: table
        if table.names is None:
            self._check_no_header(table, columns)
            return [table.place(x, "column") for x in columns]
        return [table.place(x, "column") for x in self.wanted(table.names or (), columns, weight, table.header_line)]

    def _check_no_header(self, table: RowTable, columns: Sequence[Any]) -> None:
        """Refuse a first row that shares nothing with the others, which have labels in common: it is a header."""
        rows = list(zip(*(table.columns[table.place(x, "column")] for x in columns[: self.width]), strict=True))
        below = list(chain.from_iterable(rows[1:]))
        if len(set(below)) < len(below) and {*rows[0]}.isdisjoint(below):
            names = tuple(cell_text(table.columns[x][0]) for x in columns)
            table.refuse(0, f"is this a header? Nothing of it stands below: then columns={names!r}")

    def wanted(
        self, names: Sequence[str], columns: Sequence[str], weight: str | None, line: int | None = None
    ) -> list[str]:
        """The columns of a table to read, the weight's last if there is one. An error if some are not there."""
        columns, weight = self.called(names, columns), self.weight(names, weight)
        missing = [x for x in columns if x not in names]
        if missing:
            self._lacks(missing, names, line)
        return [*columns, weight] if weight is not None and weight in names else [*columns]

    def _lacks(self, missing: Sequence[Any], names: Sequence[Any], line: int | None) -> NoReturn:
        lacking, present = shown_names(missing), shown_names(names)
        table = self.sample()
        msg = f"the table lacks the column{'s' * (len(missing) > 1)} {lacking}; it has {present}: {self.advice(table)}"
        raise ParseError(msg, path=self.path, line=line)

    def advice(self, table: RowTable | None) -> str:
        """How to name the columns, if their cells tell which they are."""
        raise NotImplementedError

    def add_parquet(self, content: bytes, columns: Sequence[str], weight: str | None) -> None:
        """Take the rows of a Parquet table, and the leaves of its metadata."""
        names = parquet_names(content, self.path)
        self.sample = lambda: table_of(frame_columns(parquet_rows(content, self.path, names), self.path), self.path)
        wanted = self.wanted(names, columns, weight)
        self.add_frame(parquet_rows(content, self.path, wanted), columns, weight, blank="")
        self.add_kept_leaves(parquet_metadata(content, self.path))

    def add_kept_leaves(self, metadata: Mapping[bytes, bytes]) -> None:
        """Take the leaves that are kept in the metadata of a Parquet file or Arrow table, if they are."""
        kept = metadata.get(_LEAVES_KEY)
        if kept is None:
            return
        try:
            labels = json.loads(kept)
        except (ValueError, RecursionError):
            labels = None
        kinds = {type(x) for x in labels} if isinstance(labels, list) else {None}
        if not (kinds <= {str} or kinds == {int}):
            what = "the leaf labels as a JSON list of strings, or of whole numbers"
            msg = f"metadata: {_LEAVES_KEY.decode()} must hold {what}"
            raise ParseError(msg, path=self.path)
        self.more = [(str(x), 0) for x in labels]
        self.numbers |= {str(x): x for x in labels if type(x) is int}

    # ------------------------------------------------------------------ labels to positions

    def indexed(self, leaves: LeafIndex | Iterable[Hashable] | int | None) -> tuple[LeafIndex, np.ndarray]:
        """The leaves, by default all that occur, and the rows as positions in them. Refuses the rows noted."""
        if leaves is None:
            leaves = self.occurring()
        index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        texts = [x if isinstance(x, str) else str(x) for x in index]
        position = {x: i for i, x in enumerate(LeafIndex(texts))}
        self._check_known(position, texts)
        if self.coded is not None:
            number = np.array([position.get(x, -1) for x in self.coded.texts], np.int32)
            return index, number[self.coded.rows]
        flat = map(position.__getitem__, chain.from_iterable(self.labels))
        m = len(self.labels)
        return index, np.fromiter(flat, np.int32, self.width * m).reshape(m, self.width)

    def occurring(self) -> Iterable[Hashable]:
        """Return the default leaves: as a Parquet file keeps them, else all that occur, sorted."""
        if self.unit == "row" and self.more:
            return [self.numbers.get(x, x) for x, _ in self.more]
        if not self.numbers:
            return sorted({*self._used(), *(x for x, _ in self.more)})
        return sorted_labels(self.numbers.get(x, x) for x in self._used())

    def _used(self) -> Iterable[str]:
        """The labels that occur in rows, perhaps several times."""
        if self.coded is None:
            return chain.from_iterable(self.labels)
        occurs = np.bincount(self.coded.rows.ravel(), minlength=len(self.coded.texts))
        return [self.coded.texts[k] for k in np.flatnonzero(occurs).tolist()]

    def _check_known(self, position: dict[str, int], known: list[str]) -> None:
        """Refuse labels that are not among the leaves, row by row, together with the other problems."""
        unknown: list[tuple[int, str]] = [(line, x) for x, line in self.more if x not in position]
        if self.coded is not None:
            lost = np.array([x not in position for x in self.coded.texts], np.bool_)[self.coded.rows]
            for i in np.flatnonzero(lost.any(axis=1))[:SHOWN].tolist():
                texts = [self.coded.texts[k] for k in self.coded.rows[i].tolist()]
                unknown += [(int(self.coded.lines[i]), x) for x in texts if x not in position]
        elif not position.keys() >= set(chain.from_iterable(self.labels)):
            for row, line in zip(self.labels, self.lines, strict=True):
                unknown += [(line, x) for x in row if x not in position]
                if len(unknown) >= SHOWN:
                    break
        if unknown:
            near = UnknownLeafError(list(dict.fromkeys(x for _, x in unknown)), known).suggestions
            for line, x in unknown[:SHOWN]:
                hint = f"; did you mean {' or '.join(map(repr, near[x]))}?" if x in near else ""
                self.problems.append(RowProblem(line, None, None, f"{x!r} is none of the {len(known)} leaves{hint}"))
        if self.problems:
            self.refuse()

    def all_weights(self) -> np.ndarray | None:
        """Return the weight of each row, 1 if it is not given. None if no row has a weight."""
        if self.coded is not None:
            return self.coded.weights if len(self.coded.rows) else None
        if not self.weights:
            return None
        weights = np.ones(len(self.labels))
        weights[list(self.weights)] = list(self.weights.values())
        return weights

    def origins(self) -> Origins:
        """The place of each row."""
        return Origins.of_lines(self.path, self.unit, self.lines if self.coded is None else self.coded.lines)


def _parquet_cell(value: Any) -> Any:
    found = value if isinstance(value, str) else cell_of(value)  # an empty text is a label
    return found if isinstance(found, str) or type(found) is int else cell_text(found)


Rows = TypeVar("Rows", bound=LabelRows)


def read_rows(
    kind: type[Rows], path: Source, *, format: str | None, columns: Sequence[str], weight: str | None, **more: Any
) -> Rows:
    """Read the rows of a file or data frame, in the format given, else by the suffix, else by the content.

    Text may be a table, too, if its first line is a header with the columns. `more` is what the kind of rows takes.
    """
    if is_frame(path):
        rows = kind(FRAME, "row", **more)
        rows.add_frame(path, columns, weight)
        return rows
    content, name = read_bytes(path)
    chosen = format or format_of_suffix(name)
    if chosen is None and is_parquet(content):
        chosen = "parquet"
    if chosen == "parquet":
        if isinstance(content, str):
            msg = "Parquet is binary: give a path, or a file object open for bytes (mode 'rb')"
            raise TypeError(msg)
        rows = kind(name, "row", **more)
        rows.add_parquet(content, columns, weight)
        return rows
    text = decoded(content, name)
    records = None if format is not None else kind.records(text, name)
    if records is not None:
        rows = kind(name, records.unit, **more)
        rows.add_table(records, columns, weight)
        return rows
    rows = kind(name, **more)

    def known(names: Sequence[str]) -> bool:
        return set(LabelRows.called(rows, names, columns)) <= set(names) or rows.is_header(names)

    numbered = all(type(x) is int for x in columns)
    if format != "text":
        rows.look(text)
    if format == "text" or (chosen in ("text", None) and not numbered and not has_header(text, known)):
        spaced = None if format == "text" else rows.spaced_table(text, known)
        if spaced is None:
            rows.add_text(text)
        else:
            rows.add_table(spaced, columns, weight)
        return rows
    delimiter = DELIMITERS.get(chosen or "")
    if chosen == "csv" and not has_cells(text, ",", len(columns)):
        delimiter = None  # semicolons, as spreadsheets write them where the comma stands before decimals
    table = split_rows(
        text,
        name,
        delimiter=delimiter,
        header=False if numbered else None if kind.headless_allowed else True,
        known=known,
        skip_blanks=True,
        problem=rows.problem,
    )
    rows.add_table(table, columns, weight)
    return rows


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def is_spaced_header(text: str, known: Callable[[list[str]], bool]) -> bool:
    """True if the first line of a text is a header that the caller knows, with blanks between the names."""
    line = next(filter(_is_row, (x.group() for x in re.finditer(r"[^\r\n]+", text))), "")
    return 3 <= len(line.split()) <= MOST_COLUMNS and re.search(r"[,;|'\"#]", line) is None and known(line.split())


# ---------------------------------------------------------------------- writing


def write_rows(
    path: Target | None,
    *,
    format: str | None,
    leaves: LeafIndex,
    columns: Mapping[str, tuple[np.ndarray, Sequence[str] | None]],
    weights: np.ndarray | None,
    what: str,
    line: Callable[[Sequence[str]], str],
    error: type[ValueError],
) -> str | None:
    """Write rows of labels in the format given, else by the suffix, else as text.

    Parameters
    ----------
    path : path, file object or "-", optional
        None returns the text.
    format : str, optional
    leaves : LeafIndex
        Text and Parquet name leaves that occur in no row beside the rows.
    columns : mapping
        Numbers of the leaves by the name of the column, or numbers of words, with these.
    weights : ndarray of float, optional
    what : str
        Noun for a row: "triplet" or "pair".
    line : callable
        From the cells of a row to its line of text.
    error : type
        Raised for a label that the format cannot hold.
    """
    check_row_format(format)
    if format is None:
        check_suffix(path, f"a list of {what}s", ".txt, .csv, .tsv or .parquet")
    chosen = format or format_of_suffix(name_of(path)) or "text"
    labels = as_texts(leaves)
    _check_unicode(labels, error)
    if chosen == "parquet":
        whole = all(type(x) is int and -(2**63) <= x < 2**63 for x in leaves)
        kept: list[Any] = list(leaves) if whole else labels

        def arrays(pyarrow: Any) -> dict[str, Any]:
            values = pyarrow.array(kept, pyarrow.int64() if whole else pyarrow.string())
            found = {
                name: pyarrow.DictionaryArray.from_arrays(
                    pyarrow.array(numbers), values if words is None else pyarrow.array(words)
                )
                for name, (numbers, words) in columns.items()
            }
            return found if weights is None else {**found, "weight": pyarrow.array(weights)}

        write_parquet(path, arrays, {_LEAVES_KEY: json.dumps(kept)})
        return None

    def cells(labels: Sequence[str]) -> Iterator[tuple[str, ...]]:
        coded = [map((words or labels).__getitem__, numbers.tolist()) for numbers, words in columns.values()]
        return zip(*coded, *([] if weights is None else [map(repr, weights.tolist())]), strict=True)

    used = np.concatenate([numbers for numbers, words in columns.values() if words is None])
    unused = np.setdiff1d(np.arange(len(labels)), used).tolist()
    if chosen == "text":
        shown = [quoted(x, error) for x in labels]
        lines: Iterator[str] = chain(_leaf_lines([shown[i] for i in unused]), map(line, cells(shown)))
    else:
        if unused:
            warn_user(
                f"{len(unused)} of {len(labels)} leaves are in no {what}, and {chosen.upper()} has no place for them: "
                "write text or Parquet"
            )
        if "" in labels:
            msg = f"an empty label cannot be told from a missing one in {chosen.upper()}; write text or Parquet"
            raise error(msg)
        header = [*columns, *([] if weights is None else ["weight"])]
        lines = table_lines(header, cells(labels), DELIMITERS[chosen], texts=labels)
    return write_text(lines, path)


def _leaf_lines(shown: Iterable[str]) -> Iterator[str]:
    """Leaves that occur in no row, in directive lines."""
    line = _DIRECTIVE
    for label in shown:
        if len(line) > _WIDTH:
            yield line + "\n"
            line = _DIRECTIVE
        line += " " + label
    if line != _DIRECTIVE:
        yield line + "\n"


def quoted(label: str, error: type[ValueError] = ValueError) -> str:
    """A label as it stands in the text format."""
    if _PLAIN.fullmatch(label) and label.isprintable():
        return label
    if "\n" in label or "\r" in label:
        msg = f"the label {label!r} has a line end in it, which the text format cannot hold; write CSV or Parquet"
        raise error(msg)
    return "'" + label.replace("'", "''") + "'"


def _check_unicode(labels: Sequence[str], error: type[ValueError]) -> None:
    """Refuse labels that hold half of a surrogate pair, before anything is written."""
    try:
        "".join(labels).encode()
    except UnicodeEncodeError:
        bad = next(x for x in labels if any("\ud800" <= ch <= "\udfff" for ch in x))
        msg = (
            f"the label {bad!r} holds half of a surrogate pair, which is not a character and cannot be written (UTF-8)"
        )
        raise error(msg) from None


def name_of(path: Any) -> str | None:
    """Return the path of a file, given itself or as an open file. None for a file without a path."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
    return name if isinstance(name, str) else None
