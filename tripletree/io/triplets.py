"""Triplets as text, CSV, TSV and Parquet.

The text format has one triplet a line, the two close ones first::

    # great apes
    human chimp | gorilla
    'Homo sapiens', 'Pan paniscus' | 'Gorilla beringei' | 2.5
    #!leaves orang

Labels stand apart by white space or a comma. One with white space, a comma, a bar or a leading ``#`` in it, or with a
quote at its start, must stand in single or double quotes, that quote doubled inside. A number behind a second bar is
the triplet's weight, 1 where other lines have one. ``#`` at the start of a line or after white space starts a comment;
``#!leaves`` names leaves whether or not they occur in triplets.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, NoReturn, overload

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.core.provenance import Origins
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import (
    SHOWN,
    DuplicateLeafError,
    InvalidTripletError,
    MissingDependencyError,
    ParseError,
    UnknownLeafError,
    warn_user,
)
from tripletree.io.source import Source, Target, decoded, read_bytes, write_atomic, write_atomic_bytes
from tripletree.io.table import is_missing, parquet_metadata, parquet_names, parquet_table

__all__ = [
    "DELIMITERS",
    "Problem",
    "TripletRows",
    "check_unicode",
    "format_of_suffix",
    "line_tokens",
    "parquet_rows",
    "quoted",
    "read_triplets",
    "sniffed",
    "table_lines",
    "table_rows",
    "text_lines",
    "text_rows",
    "weight_of",
    "write_parquet",
    "write_triplets",
]


# ----------------------------------------------------------------------
# What every reader of triplets gathers: label rows, weights, further leaves, and the problems met on the way.

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def weight_of(text: str) -> float | None:
    """The weight that a field says, or None where it is no positive finite number."""
    text = text.strip()
    value = float(text) if _NUMBER.fullmatch(text) else 0.0
    return value if 0 < value < float("inf") else None


class Problem(NamedTuple):
    """One thing that is wrong, and where; `text` is the line, for the caret."""

    line: int
    column: int | None
    text: str | None
    message: str


@dataclass
class TripletRows:
    """Rows of labels as they are read.

    Attributes
    ----------
    path : str or None
        The source's name, for messages.
    unit : str
        What the numbers in `lines` count: "line" or "row".
    labels : list of (a, b, c)
    lines : list of int
        Where each row stands.
    weights : dict
        Weight of each row that says one.
    more : list of (label, line)
        Leaves that are named beside the rows; line 0 is the metadata.
    problems : list of Problem
    """

    path: str | None
    unit: str = "line"
    labels: list[tuple[str, str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    weights: dict[int, float] = field(default_factory=dict)
    more: list[tuple[str, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, line: int, message: str, *, column: int | None = None, text: str | None = None) -> None:
        """Note a problem; the twentieth ends the reading."""
        self.problems.append(Problem(line, column, text, message))
        if len(self.problems) >= SHOWN:
            self._refuse()

    def triplets(self, leaves: LeafIndex | Iterable[Hashable] | None) -> TripletSet:
        """The set of all rows, over the given leaves or over all that occur, sorted."""
        if leaves is None:
            if self.problems:
                self._refuse()
            index = LeafIndex(sorted({*chain.from_iterable(self.labels), *(x for x, _ in self.more)}))
            position = {x: i for i, x in enumerate(index)}
        else:
            index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
            texts = [x if isinstance(x, str) else str(x) for x in index]
            position = {x: i for i, x in enumerate(LeafIndex(texts))}
            self._check_known(position, texts)
        m = len(self.labels)
        flat = map(position.__getitem__, chain.from_iterable(self.labels))
        rows = np.fromiter(flat, np.int32, 3 * m).reshape(m, 3)
        weights = None
        if self.weights:
            weights = np.ones(m)
            weights[list(self.weights)] = list(self.weights.values())
        return TripletSet(rows, index, weights, origins=Origins.of_lines(self.path, self.unit, self.lines))

    def _check_known(self, position: dict[str, int], known: list[str]) -> None:
        """Refuse labels that are not among the leaves, row by row, together with the other problems."""
        unknown: list[tuple[int, str]] = [(line, x) for x, line in self.more if x not in position]
        if not position.keys() >= set(chain.from_iterable(self.labels)):
            for row, line in zip(self.labels, self.lines, strict=True):
                unknown += [(line, x) for x in row if x not in position]
                if len(unknown) >= SHOWN:
                    break
        if unknown:
            near = UnknownLeafError(list(dict.fromkeys(x for _, x in unknown)), known).suggestions
            for line, x in unknown:
                hint = f"; did you mean {' or '.join(map(repr, near[x]))}?" if x in near else ""
                self.problems.append(Problem(line, None, None, f"{x!r} is none of the {len(known)} leaves{hint}"))
        if self.problems:
            self._refuse()

    def _refuse(self) -> NoReturn:
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


# ----------------------------------------------------------------------
# Tables of triplets: CSV and TSV with the standard library, Parquet with pyarrow (imported when needed).

DELIMITERS = {"csv": ",", "tsv": "\t"}
#: Where a Parquet file keeps all leaf labels, in order, as a JSON list.
_LEAVES_KEY = b"tripletree.core.leaves"


def sniffed(text: str, columns: Sequence[str]) -> str | None:
    """The name of the table format whose header the text starts with, if it does."""
    first = text[:10_000].lstrip().split("\n", 1)[0]
    for name, delimiter in DELIMITERS.items():
        cells = [x.strip().strip('"') for x in first.split(delimiter)]
        if all(x in cells for x in columns):
            return name
    return None


# ---------------------------------------------------------------------- CSV and TSV


def table_rows(text: str, path: str | None, name: str, columns: Sequence[str], weight: str | None) -> TripletRows:
    """Read a table with a header; bad rows are noted as problems."""
    rows = TripletRows(path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=DELIMITERS[name], skipinitialspace=True, strict=True)
    line = 1
    places: list[int] | None = None
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            rows.problem(line, f"no {name.upper()}: {error}")
            break
        if cells is None:
            break
        if not any(cells):  # a blank line, or delimiters alone
            if cells and places is not None:
                rows.problem(line, "all cells of this row are empty")
        elif places is None:
            places = _header(cells, path, line, text, columns, weight)
            width = len(cells)
        elif len(cells) != width:
            rows.problem(
                line, f"{len(cells)} cells where the header has {width}; a label with a delimiter needs quotes"
            )
        else:
            _add(rows, [cells[k] or None for k in places], line, columns)
        line = reader.line_num + 1
    if places is None and not rows.problems:
        msg = f"no header: the first row must name the columns {', '.join(columns)}"
        raise ParseError(msg, path=path, line=1, column=1)
    return rows


def _header(
    cells: list[str], path: str | None, line: int, text: str, columns: Sequence[str], weight: str | None
) -> list[int]:
    """Where in a row the columns stand, the weight's last if there is one."""
    names = [x.strip() for x in cells]
    wanted = [*columns, weight] if weight is not None and weight in names else [*columns]
    missing = [x for x in columns if x not in names]
    if missing:
        msg = f"the header lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}; this is the first line:"
        raise ParseError(msg, path=path, line=line, column=1, text=_line(text, line))
    twice = [x for x in wanted if names.count(x) > 1]
    if twice:
        msg = f"the header names the column {twice[0]} {names.count(twice[0])} times; this is the first line:"
        raise ParseError(msg, path=path, line=line, column=1, text=_line(text, line))
    return [names.index(x) for x in wanted]


def _line(text: str, number: int) -> str:
    return next(islice(io.StringIO(text), number - 1, None), "").rstrip("\n")


def _add(rows: TripletRows, cells: Sequence[str | None], line: int, columns: Sequence[str]) -> None:
    """Take one row (a, b, c and perhaps a weight), or note what is wrong with it."""
    a, b, c, *weight = cells
    if a is None or b is None or c is None:
        empty = next(x for x, cell in zip(columns, cells, strict=False) if cell is None)
        rows.problem(line, f"no label in column {empty}")
        return
    if a in (b, c) or b == c:
        rows.problem(line, f"{a if a in (b, c) else b!r} stands twice: the three leaves must differ")
        return
    if weight:
        value = None if weight[0] is None else weight_of(weight[0])
        if value is None:
            rows.problem(line, f"the weight {weight[0] or ''!r} is no positive finite number")
            return
        rows.weights[len(rows.labels)] = value
    rows.labels.append((a, b, c))
    rows.lines.append(line)


def table_lines(triplets: TripletSet, labels: list[str], name: str) -> Iterator[str]:
    """Lines of a table with a header, each with its end."""
    if "" in labels:
        msg = f"an empty label cannot be told from a missing one in {name.upper()}; write text or Parquet"
        raise InvalidTripletError(msg)
    # the reader takes blanks before a cell for layout, and quotes keep them
    odd = any(x[0] == " " or "\r" in x or not x.isprintable() for x in labels)
    line = io.StringIO(newline="")
    writer = csv.writer(
        line, delimiter=DELIMITERS[name], lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    )
    weights = None if triplets.weights is None else triplets.weights.tolist()
    writer.writerow(["a", "b", "c"] if weights is None else ["a", "b", "c", "weight"])
    for k, (a, b, c) in enumerate(triplets.rows.tolist()):
        row = [labels[a], labels[b], labels[c]]
        writer.writerow(row if weights is None else [*row, repr(weights[k])])
        if k % 1000 == 999:
            yield line.getvalue()
            line.seek(0)
            line.truncate()
    yield line.getvalue()


# ---------------------------------------------------------------------- Parquet


def _pyarrow(purpose: str) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingDependencyError("pyarrow", "io", purpose) from None
    return pyarrow, pyarrow.parquet


def parquet_rows(content: bytes, path: str | None, columns: Sequence[str], weight: str | None) -> TripletRows:
    """Read a Parquet table; bad rows are noted as problems, numbered from 1."""
    rows = TripletRows(path, unit="row")
    names = parquet_names(content, path)
    missing = [x for x in columns if x not in names]
    if missing:
        msg = f"the table lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}; it has {', '.join(names)}"
        raise ParseError(msg, path=path)
    wanted = [*columns, weight] if weight is not None and weight in names else [*columns]
    table = parquet_table(content, path, columns=wanted, cell=_cell_text)
    places = [table.place(name, "column") for name in wanted]
    for number, row in enumerate(zip(*(table.columns[k] for k in places), strict=True), 1):
        _add(rows, row, number, columns)
    kept = parquet_metadata(content, path).get(_LEAVES_KEY)
    if kept is not None:
        rows.more = [(x, 0) for x in _kept_leaves(kept, path)]
    return rows


def _cell_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None if is_missing(value) else str(value)


def _kept_leaves(kept: bytes, path: str | None) -> list[str]:
    """All leaf labels, which the metadata holds as a JSON list."""
    try:
        labels = json.loads(kept)
    except (ValueError, RecursionError):
        labels = None
    if not isinstance(labels, list) or not all(isinstance(x, str) for x in labels):
        msg = f"metadata: {_LEAVES_KEY.decode()} must hold the leaf labels as a JSON list of strings"
        raise ParseError(msg, path=path)
    return labels


def write_parquet(triplets: TripletSet, labels: list[str], stream: IO[bytes]) -> None:
    """Write a table of labels as dictionary columns, all leaf labels in its metadata."""
    pyarrow, parquet = _pyarrow("writing Parquet")
    names = pyarrow.array(labels, pyarrow.string())
    data = {
        column: pyarrow.DictionaryArray.from_arrays(pyarrow.array(triplets.rows[:, k]), names)
        for k, column in enumerate("abc")
    }
    if triplets.weights is not None:
        data["weight"] = pyarrow.array(triplets.weights)
    table = pyarrow.table(data).replace_schema_metadata({_LEAVES_KEY: json.dumps(labels)})
    parquet.write_table(table, stream)


# ----------------------------------------------------------------------
# The text format of triplets: one a line, ``a b | c``.

#: The usual line, without quotes, commas or comments: a, b, c and perhaps a weight.
_USUAL = re.compile(r"""\s*([^\s,|#'"]+)\s+([^\s,|#'"]+)\s*\|\s*([^\s,|#'"]+)\s*(?:\|\s*([^\s,|#'"]+)\s*)?""")
_TOKEN = re.compile(
    r"""
      (?P<quoted> '(?:[^']++|'')*+' (?=[\s,|]|\Z) | "(?:[^"]++|"")*+" (?=[\s,|]|\Z) )
    | (?P<plain> [^\s,|'"][^\s,|]* )
    | (?P<mark> [,|] )
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(r"""[^\s,|'"#][^\s,|]*""")
_SHAPE = re.compile(r"L,?L\|L(\|L)?")
_WANTED = "wanted is 'a b | c'"
_DIRECTIVE = "#!leaves"
#: Characters of leaf labels in one directive line, before the next one starts.
_WIDTH = 100


def text_rows(text: str, path: str | None) -> TripletRows:
    """Read the text format; bad lines are noted as problems."""
    rows = TripletRows(path)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        usual = _USUAL.fullmatch(line)
        if usual:
            a, b, c, weight = usual.groups()
        else:
            fields = _fields(rows, line, number)
            if fields is None:
                continue
            a, b, c, weight = fields
        if a in (b, c) or b == c:
            twice = a if a in (b, c) else b
            rows.problem(
                number,
                f"{twice!r} stands twice: the three leaves must differ",
                column=line.rfind(twice) + 1 or 1,
                text=line,
            )
            continue
        if weight is not None:
            value = weight_of(weight)
            if value is None:
                message = f"the weight {weight!r} is no positive finite number"
                rows.problem(number, message, column=line.rfind(weight) + 1 or 1, text=line)
                continue
            rows.weights[len(rows.labels)] = value
        rows.labels.append((a, b, c))
        rows.lines.append(number)
    return rows


def _fields(rows: TripletRows, line: str, number: int) -> tuple[str, str, str, str | None] | None:
    """The labels and weight of an unusual line; None where there are none, or a problem is noted."""
    if line.startswith("#!"):
        _directive(rows, line, number)
        return None
    tokens = line_tokens(rows, line, number)
    if not tokens:
        return None
    shape = "".join("L" if kind != "mark" else value for kind, value, _ in tokens)
    if not _SHAPE.fullmatch(shape):
        message, k = _misshapen(shape, tokens)
        rows.problem(number, message, column=tokens[k][2] + 1, text=line)
        return None
    a, b, c, *weight = (value for kind, value, _ in tokens if kind != "mark")
    return a, b, c, weight[0] if weight else None


def line_tokens(rows: TripletRows, line: str, number: int, at: int = 0) -> list[tuple[str, str, int]] | None:
    """Kind, value and place of each label or mark of a line, up to a comment; None where a problem is noted."""
    tokens: list[tuple[str, str, int]] = []
    while True:
        while at < len(line) and line[at].isspace():
            at += 1
        if at == len(line) or (line[at] == "#" and (at == 0 or line[at - 1].isspace())):
            return tokens
        found = _TOKEN.match(line, at)
        if found is None:
            message = "this quote is never closed, or something stands right behind its end (a quote in it is doubled)"
            rows.problem(number, message, column=at + 1, text=line)
            return None
        value = found.group()
        if found.lastgroup == "quoted":
            value = value[1:-1].replace(value[0] * 2, value[0])
        tokens.append((str(found.lastgroup), value, at))
        at = found.end()


def _misshapen(shape: str, tokens: list[tuple[str, str, int]]) -> tuple[str, int]:
    """What is wrong with a line, and the number of the token to point at."""
    if tokens[0][1].startswith("("):
        return f"this looks like Newick, which read_newick reads; {_WANTED}", 0
    if "|" not in shape:
        return f"no '|' in the line: {_WANTED}, where a and b are the close ones", len(tokens) - 1
    left, right, *rest = shape.split("|")
    bar = shape.index("|")
    if left == "L":
        value = tokens[0][1]
        return f"one label, {value!r}, before the '|': {_WANTED}, with white space or a comma between a and b", 0
    if left.count("L") > 2:
        return f"{left.count('L')} labels before the '|': {_WANTED}; a label with blanks must stand in quotes", 2
    if left not in ("LL", "L,L"):
        return f"two labels must stand before the '|': {_WANTED}", bar
    if right.count("L") > 1:
        hint = "a label with blanks must stand in quotes, a weight behind a second '|'"
        return f"{right.count('L')} labels after the '|': {_WANTED}; {hint}", bar + 2
    if right != "L":
        return f"one label must stand after the '|': {_WANTED}", bar
    second = shape.index("|", bar + 1) if rest else len(tokens) - 1
    return "one number, the weight, may stand after the second '|'", second


def _directive(rows: TripletRows, line: str, number: int) -> None:
    if line.split(maxsplit=1)[0] != _DIRECTIVE:
        message = f"a line that starts with '#!' must be {_DIRECTIVE!r} and labels; write '# ' before a comment"
        rows.problem(number, message, column=1, text=line)
        return
    tokens = line_tokens(rows, line, number, at=len(_DIRECTIVE)) or []
    for kind, value, at in tokens:
        if kind == "mark":
            rows.problem(number, "labels with white space between are wanted here", column=at + 1, text=line)
            return
        rows.more.append((value, number))


# ---------------------------------------------------------------------- writing


def text_lines(triplets: TripletSet, labels: list[str]) -> Iterator[str]:
    """Lines of the text format, each with its end: first the leaves that are in no triplet, then the triplets."""
    shown = [quoted(x) for x in labels]
    unused = set(range(len(labels))).difference(triplets.used_leaves.tolist())
    line = _DIRECTIVE
    for i in sorted(unused):
        if len(line) > _WIDTH:
            yield line + "\n"
            line = _DIRECTIVE
        line += " " + shown[i]
    if unused:
        yield line + "\n"
    if triplets.weights is None:
        for a, b, c in triplets.rows.tolist():
            yield f"{shown[a]} {shown[b]} | {shown[c]}\n"
    else:
        for (a, b, c), w in zip(triplets.rows.tolist(), triplets.weights.tolist(), strict=True):
            yield f"{shown[a]} {shown[b]} | {shown[c]} | {w!r}\n"


def quoted(label: str) -> str:
    if _PLAIN.fullmatch(label) and label.isprintable():
        return label
    if "\n" in label or "\r" in label:
        msg = f"the label {label!r} has a line end in it, which the text format cannot hold; write CSV or Parquet"
        raise InvalidTripletError(msg)
    return "'" + label.replace("'", "''") + "'"


# ----------------------------------------------------------------------
# Labels that no file can hold.


def check_unicode(labels: Sequence[str], error: type[ValueError]) -> None:
    """Refuse labels that hold half of a surrogate pair, before anything is written.

    Raises
    ------
    error
        That names the first of them.
    """
    try:
        "".join(labels).encode()
    except UnicodeEncodeError:
        bad = next(x for x in labels if any("\ud800" <= ch <= "\udfff" for ch in x))
        msg = f"the label {bad!r} holds half of a surrogate pair, which is no character and cannot be written (UTF-8)"
        raise error(msg) from None


Format = Literal["text", "csv", "tsv", "parquet"]

_FORMATS = ("text", "csv", "tsv", "parquet")
_SUFFIXES = {".txt": "text", ".triplets": "text", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_PACKED = frozenset({".gz", ".bz2", ".xz"})


def read_triplets(
    source: Source,
    *,
    format: Format | None = None,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    columns: Sequence[str] = ("a", "b", "c"),
    weight: str | None = "weight",
) -> TripletSet:
    r"""Read a set of triplets.

    Parameters
    ----------
    source : path, file object or "-"
        ``"-"`` is the standard input; gzip, bzip2 and xz are unpacked.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default as the suffix says (.txt, .triplets, .csv, .tsv, .parquet, also with .gz, .bz2 or .xz behind);
        where it says nothing, CSV or TSV if the first line is a header with the columns, else text.
    leaves : LeafIndex or iterable of labels, optional
        The leaves that may occur, all of which the result has; labels that are no strings are known by ``str(label)``.
        By default the leaves that the source names, as strings: sorted, or as the Parquet file keeps them.
    columns : sequence of three str
        Columns of a table that hold a, b and c of ab|c; further columns are ignored.
    weight : str or None
        Column of the weights, if there is one of that name; None ignores it.

    Returns
    -------
    TripletSet
        A triplet that stands there more than once counts once; its weights are added. It need not be consistent.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If there are bad rows: labels missing or equal, a weight that is no positive number, a leaf not among
        `leaves`; ``.problems`` holds up to 20 of them, each with its line.
    MissingDependencyError
        If the format is Parquet and pyarrow is not installed.

    See Also
    --------
    write_triplets : the reverse.
    tripletree.io.triplets : the text format.

    Examples
    --------
    >>> import io
    >>> read_triplets(io.StringIO("human chimp | gorilla  # the odd one"))
    <TripletSet: 1 triplet on 3 leaves: chimp human | gorilla>
    >>> read_triplets(io.StringIO("a,b,c,weight\nx,y,z,2\n")).weights.tolist()
    [2.0]
    """
    _check_format(format)
    columns = _check_columns(columns)
    rows = _rows(source, format, columns, weight)
    if leaves is None and rows.unit == "row" and rows.more:
        leaves = LeafIndex([x for x, _ in rows.more])  # in the order that the Parquet file keeps
    return rows.triplets(leaves)


def _rows(source: Source, format: str | None, columns: Sequence[str], weight: str | None) -> TripletRows:
    """What a source holds, in the format that is given or that its name or its first bytes tell."""
    content, name = read_bytes(source)
    kind = format or format_of_suffix(name)
    if kind is None and isinstance(content, bytes) and content.startswith(b"PAR1"):
        kind = "parquet"
    if kind == "parquet":
        if isinstance(content, str):
            msg = "Parquet is binary: give a path, or a file object open for bytes (mode 'rb')"
            raise TypeError(msg)
        return parquet_rows(content, name, columns, weight)
    text = content if isinstance(content, str) else decoded(content, name)
    kind = kind or sniffed(text, columns) or "text"
    return text_rows(text, name) if kind == "text" else table_rows(text, name, kind, columns, weight)


@overload
def write_triplets(triplets: TripletSet, target: None = None, *, format: Format | None = None) -> str: ...
@overload
def write_triplets(triplets: TripletSet, target: Target, *, format: Format | None = None) -> None: ...
def write_triplets(triplets: TripletSet, target: Target | None = None, *, format: Format | None = None) -> str | None:
    r"""Write a set of triplets, in the order of its rows.

    Parameters
    ----------
    triplets : TripletSet
    target : path, file object or "-", optional
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default as the suffix says, else text.

    Returns
    -------
    str or None
        The text, if no `target` is given.

    Raises
    ------
    DuplicateLeafError
        If two labels are the same once written as text (1 and "1").
    InvalidTripletError
        If the format cannot hold a label: one with a line end in text, an empty one in CSV and TSV, half a surrogate
        pair in any.
    MissingDependencyError
        As in `read_triplets`.

    Warns
    -----
    UserWarning
        If the format is CSV or TSV and leaves that are in no triplet are lost.

    Notes
    -----
    Text and Parquet give an equal set back, if the labels are strings; others are written as ``str(label)``.

    Examples
    --------
    >>> t = TripletSet.from_labels([("human", "chimp", "gorilla")], ["chimp", "gorilla", "human", "Hylobates lar"])
    >>> write_triplets(t)
    "#!leaves 'Hylobates lar'\nchimp human | gorilla\n"
    """
    _check_format(format)
    kind = format or format_of_suffix(_name_of(target)) or "text"
    labels = _texts(check_triplets(triplets))
    if kind == "parquet":
        with write_atomic_bytes(_given(target)) as binary:
            write_parquet(triplets, labels, binary)
        return None
    lost = len(labels) - triplets.used_leaves.size
    if kind in DELIMITERS and lost:
        msg = (
            f"{lost} of {len(labels)} leaves are in no triplet, which {kind.upper()} cannot say: write text or Parquet"
        )
        warn_user(msg)
    lines = text_lines(triplets, labels) if kind == "text" else table_lines(triplets, labels, kind)
    if target is None:
        return "".join(lines)
    with write_atomic(target) as stream:
        stream.writelines(lines)
    return None


def _given(target: Target | None) -> Target:
    if target is None:
        msg = "Parquet is binary: give a target to write to"
        raise ValueError(msg)
    return target


def _texts(triplets: TripletSet) -> list[str]:
    """The leaf labels as text, which must all differ."""
    labels = [x if isinstance(x, str) else str(x) for x in triplets.leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    check_unicode(labels, InvalidTripletError)
    return labels


def _check_format(format: Any) -> None:
    if format is not None and format not in _FORMATS:
        msg = f"format must be one of {', '.join(map(repr, _FORMATS))}, not {format!r}"
        raise ValueError(msg)


def _check_columns(columns: Sequence[str]) -> tuple[str, ...]:
    if isinstance(columns, str) or len(columns) != 3 or len(set(columns)) != 3:
        msg = f"columns must be the names of three columns, for a, b and c of ab|c, not {columns!r}"
        raise ValueError(msg)
    return tuple(columns)


def _name_of(target: Any) -> str | None:
    name = os.fspath(target) if isinstance(target, (str, os.PathLike)) else getattr(target, "name", None)
    return name if isinstance(name, str) else None


def format_of_suffix(name: str | None) -> str | None:
    """The format that a file's name tells, looking through .gz, .bz2 and .xz; None if it tells none."""
    path = Path(name or "")
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return _SUFFIXES.get(path.suffix.lower())
