"""Tables whose rows become nodes: CSV, TSV and the like, Parquet, and the data frames of pandas, polars and pyarrow.

`read_table` gives the columns of any of them. `hierarchy_of` makes a hierarchy of nodes in any order.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.checks import counted, refuse_lazy
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import READING, note
from tripletree.core.placeholders import FILLER, MEMBER, TAXON
from tripletree.errors import DuplicateLeafError, MissingDependencyError, ParseError, TripletreeError
from tripletree.io.json_text import load_json
from tripletree.io.phylip import phylip_table
from tripletree.io.source import check_ratio, decoded, is_parquet, read_bytes, write_atomic_bytes
from tripletree.tables.cells import cell_of, cell_text, is_number, with_point
from tripletree.tables.rows import FRAME, MOST_COLUMNS, RowTable, table_of


def optional(module: str, extra: str, purpose: str) -> Any:
    """A module of an optional library, or the error with how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(module.split(".")[0], extra, purpose) from None


# ---------------------------------------------------------------------- nodes to a hierarchy


def hierarchy_of(
    parent: Any,
    labels: Sequence[Hashable],
    *,
    names: Sequence[str | None] | None = None,
    ranks: Sequence[str | None] | None = None,
    length: Any = None,
    kinds: np.ndarray | None = None,
    incertae_sedis: np.ndarray | None = None,
    synonyms: Mapping[str, int] | None = None,
    where: str = "",
    told: bool = False,
) -> Hierarchy:
    """Make a hierarchy of nodes in any order: leaves first, and else in the order given.

    Several tops get an unnamed node above them.

    Parameters
    ----------
    parent : array_like of int, shape (N,)
        Positions, -1 for tops. There must be no cycle.
    labels : sequence of N hashable
        Labels of the leaves. Labels of inner nodes count if `names` is not given.
    names, ranks, length : sequence of N, optional
        Values of all nodes. The names of leaves do not count.
    kinds : ndarray of uint8, shape (N,), optional
        Whether names are placeholders, by `Placeholders.kinds`. Such inner nodes are contracted, and the nodes below
        them open. Such leaves are open.
    incertae_sedis : ndarray of bool, shape (N,), optional
        Nodes that are open besides.
    synonyms : mapping of str to int, optional
        Other names, each with the position of its node. One of a contracted node is one of the node above.
    where : str
        What the error for labels that repeat says of them.
    told : bool
        Whether a node above several tops is noted.
    """
    above = np.asarray(parent, np.int64)
    N = above.size
    if (roots := int(np.count_nonzero(above < 0))) > 1:
        if told:
            note("tops", f"{roots:,} tops got a node above them")
        above = np.append(np.where(above < 0, N, above), -1)
        labels = [*labels, None]
        names, ranks = (None if x is None else [*x, None] for x in (names, ranks))
        length = None if length is None else np.append(length, np.nan)
        kinds = None if kinds is None else np.append(kinds, np.uint8(TAXON))
        incertae_sedis = None if incertae_sedis is None else np.append(incertae_sedis, False)
        N += 1
    childless = np.bincount(above[above >= 0], minlength=N) == 0
    called = labels if names is None else names
    opened = np.zeros(N, np.bool_) if incertae_sedis is None else incertae_sedis & (above >= 0)
    gone = np.zeros(N, np.bool_)
    if kinds is not None:
        placed = above >= 0
        opened |= placed & (kinds != TAXON) & (childless | (kinds == MEMBER))
        gone = placed & (kinds == FILLER) & ~childless
        count = int(np.count_nonzero(gone))
        if count:
            note("placeholders", f"{counted(count, 'placeholder node')} contracted")
            opened[placed] |= gone[above[placed]]
            above, length = _past(gone, above, length)
    order = np.concatenate([np.flatnonzero(childless), np.flatnonzero(~childless & ~gone)])
    n = int(np.count_nonzero(childless))
    number = np.empty(N + 1, np.int32)
    number[order] = np.arange(order.size, dtype=np.int32)
    number[-1] = -1  # serves the root's parent
    at = order.tolist()
    try:
        return Hierarchy(
            number[above[order]],
            [labels[u] for u in at[:n]],
            names=[None if called[u] is None else str(called[u]) for u in at[n:]],
            ranks=None if ranks is None else [ranks[u] for u in at],
            length=None if length is None else np.asarray(length, np.float64)[order],
            incertae_sedis=opened[order] if opened.any() else None,
            synonyms=_meant(synonyms or {}, np.where(gone, above, np.arange(N)), childless, labels, called),
        )
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=where) from None


def _meant(
    synonyms: Mapping[str, int], stands: np.ndarray, childless: np.ndarray, labels: Sequence[Any], called: Sequence[Any]
) -> dict[str, Any]:
    """Return other names with the labels of leaves and the names of inner nodes, as far as they have one."""
    at = {x: int(stands[u]) for x, u in synonyms.items()}
    found = {x: labels[u] if childless[u] else called[u] for x, u in at.items()}
    return {x: node if childless[at[x]] else str(node) for x, node in found.items() if node is not None}


def _past(gone: np.ndarray, above: np.ndarray, length: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Return for each node the nearest node above that stays, and the length of the way to it."""
    root = np.flatnonzero(above < 0)
    up = above.copy()
    up[root] = root
    way = None if length is None else np.array(length, np.float64)
    while True:  # each round doubles the number of nodes that are passed
        far = np.flatnonzero(gone[up])
        if far.size == 0:
            break
        if way is not None:
            way[far] += way[up[far]]
        up[far] = up[up[far]]
    up[root] = -1
    return up, way


def tops(parent: np.ndarray) -> np.ndarray:
    """For each node the ancestor that is its own parent, or a node of the cycle above it: ever longer steps up."""
    for _ in range(parent.size.bit_length() + 1):
        up = parent[parent]
        if np.array_equal(up, parent):
            break
        parent = up
    return parent


def cycle_of(parent: np.ndarray) -> list[int]:
    """The nodes of a cycle, each followed by its parent. None if every root is its own parent and all is well."""
    top = tops(parent)
    bad = np.flatnonzero(parent[top] != top)
    if bad.size == 0:
        return []
    u = int(top[bad[0]])
    cycle = [u]
    while int(parent[cycle[-1]]) != u:
        cycle.append(int(parent[cycle[-1]]))
    return cycle


def cycle_text(names: Sequence[Any]) -> str:
    """A cycle in words."""
    return " -> ".join([*map(str, names[:8]), "..." if len(names) > 8 else str(names[0])])


# ---------------------------------------------------------------------- tables to columns


#: Delimiters that are looked for, the first among equals first.
_DELIMITERS = ("\t", ",", ";", "|")
#: Stands for delimiters of several characters.
_CELL_END = "\x1f"
#: How many characters at the end of a text are looked at for notes below a table.
_END = 10_000
#: Lines in which a header below titles is looked for.
_HEAD = 20
_WHOLE = re.compile(r"\s*[-+]?\d+(?:\.0+)?\s*", re.ASCII)
#: A first line that tells Excel the delimiter.
_SEP_LINE = re.compile(r'"?sep=.?"?', re.IGNORECASE)


def is_frame(source: Any) -> bool:
    """True if a source is a data frame of pandas or polars, a table of pyarrow, or anything else that Arrow reads."""
    if isinstance(source, type) or hasattr(source, "readline"):
        return False
    refuse_lazy(source)
    return hasattr(source, "__arrow_c_stream__") or (hasattr(source, "columns") and hasattr(source, "__getitem__"))


class Text(NamedTuple):
    """The text of a source, and its name in messages."""

    text: str
    path: str | None


def table_or_text(path: Any) -> RowTable | Text:
    """A data frame or a Parquet file as a table, any other source as text."""
    if is_frame(path):
        return table_of(frame_columns(path))
    content, name = read_bytes(path)
    if is_parquet(content):
        return parquet_table(content, name)
    text = decoded(content, name)
    return json_table(text, name) or Text(text, name)


def json_table(text: str, path: str | None) -> RowTable | None:
    """The records of a JSON text, a list of objects or one in each line, as a table of texts. None of other texts."""
    if re.match(r"\s*(?:\[\s*\{|\{\s*[\"}])", text) is None:
        return None
    lines = [(k, x) for k, x in enumerate(text.splitlines(), 1) if x.strip()]
    unit = "line" if text.lstrip()[0] == "{" else "row"
    try:
        found = [(k, json.loads(x)) for k, x in lines] if unit == "line" else [*enumerate(json.loads(text), 1)]
    except (ValueError, RecursionError):
        if not (path or "").lower().endswith((".json", ".jsonl", ".ndjson")):
            return None
        found = [(1, load_json(text, path))]
    wrong = next((k for k, x in found if not isinstance(x, dict)), None)
    if wrong is not None:
        msg = f"{unit} {wrong}: expected an object, whose keys are the names of columns"
        raise ParseError(msg, path=path)
    if len(found) == 1 and (by_column := _by_column(found[0][1])) is not None:
        return RowTable(path, list(found[0][1]), by_column, range(1, len(by_column[0]) + 1), "row")
    names = list(dict.fromkeys(key for _, x in found for key in x))
    check_ratio(8 * len(names) * len(found), len(text), "JSON", path, "give all records the same keys")
    columns: list[list[str | None]] = [[] for _ in names]
    for k, row in found:
        for name, column in zip(names, columns, strict=True):
            value = row.get(name)
            if isinstance(value, (dict, list)):
                what = "a list" if isinstance(value, list) else "an object"
                msg = f"{unit} {k}: the value of {name!r} is {what}; cells must be texts or numbers"
                raise ParseError(msg, path=path)
            column.append(_json_cell(value))
    return RowTable(path, names, columns, [k for k, _ in found], unit)


def _json_cell(value: Any) -> str | None:
    return str(value).lower() if isinstance(value, bool) else cell_text(cell_of(value))


def _by_column(value: dict[str, Any]) -> list[list[str | None]] | None:
    """The columns of an object with a list for each of several, the short ones filled up. None of other objects."""
    lists = list(value.values())
    if len(lists) < 2 or not all(isinstance(x, list) for x in lists):
        return None
    if any(isinstance(y, (list, dict)) for x in lists for y in x):
        return None
    rows = zip_longest(*([_json_cell(y) for y in x] for x in lists))
    return [list(x) for x in zip(*rows, strict=True)] or None


#: Columns that come out of the text of a question.
OUT_OF_TEXTS = ["anchor", "option1", "option2"]


def header_with(asked: Iterable[Any], usual: Callable[[Sequence[str]], Any]) -> Callable[[Sequence[str]], bool]:
    """Return a test for headers: rows with all columns asked for by name, or, without any, rows that are `usual`."""
    wanted = {x for x in asked if isinstance(x, str)}
    lists = {x: re.sub(r"_[123]$", "", x) for x in wanted}  # choices_1 is the first of the list in choices
    return lambda names: (
        all(x in names or lists[x] in names or x in OUT_OF_TEXTS for x in wanted) if wanted else bool(usual(names))
    )


def read_table(
    path: Any,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    known: Any = lambda names: False,
    spaced: bool = False,
    empty_rows: bool = False,
    decimal: str = ".",
    titles: bool = False,
) -> RowTable:
    """Read a table from a `Source` or a data frame.

    Parameters
    ----------
    path : path, file object, "-" or data frame
    delimiter : str, optional
        By default the one that gives the first row a known header, or the most cells.
    header : bool, optional
        True if the first row has the names. By default if they are `known`.
    known : callable
        Takes a list of names and returns True if it is a header that the caller knows.
    spaced : bool
        True if the cells may be separated by blanks alone, in rows of at least three.
    empty_rows : bool
        True if rows of empty cells, as spreadsheets leave them, are passed over.
    decimal : {".", ","}
        The mark before decimals. Where it is a comma, other delimiters come first.
    titles : bool
        True if lines of one cell above the header, as spreadsheets have them, are passed over, and distances in
        PHYLIP's form are read.
    """
    found = table_or_text(path)
    if isinstance(found, RowTable):
        return found
    text, name = with_newlines(found.text), found.path
    distances = phylip_table(text, name) if titles else None
    if distances is not None:
        return distances
    above = _lines_of_titles(text) if titles else 0
    if titles:
        text = _without_notes(text)
    title = text[: text.find("\n")] if above else ""
    text = text.split("\n", above)[-1]
    first = _first_row(text, name, known, titles=not titles)[2] if text.strip() else ""
    if decimal == "," and delimiter is None:  # the header may have commas in its names, too
        delimiter = next((x for x in "\t;|" if x in first), ",")
    if spaced and len(first.split()) >= 3 and not any(x in first for x in _DELIMITERS):
        return _split_at_blanks(text, name, header, known)
    how: dict[str, Any] = {"delimiter": delimiter, "header": header, "known": known, "empty_rows": empty_rows}
    table = split_rows(text, name, **how, above=above, titles=not titles)
    return replace(table, title=title.strip(' ,;\t|"\r')) if above else table


def _lines_of_titles(text: str) -> int:
    """How many lines stand above the header: lines of one cell, where the header and the rows below it have several.

    The header has a name for each cell of the row below it, which has a number.
    """
    head = text[:20_000].split("\n")[:_HEAD]
    delimiter = max(_DELIMITERS, key=lambda x: sum(len(_cells(line, x)) for line in head))
    rows = [[x.strip() for x in _cells(line.rstrip("\r"), delimiter)] for line in head]
    filled = [sum(map(bool, row)) for row in rows]
    at = next((k for k, n in enumerate(filled) if n > 1), 0)
    if not any(filled[:at]) or head[0].startswith("#") or _SEP_LINE.fullmatch(head[0].strip()):
        return 0
    below = next((k for k in range(at + 1, len(rows)) if filled[k]), None)
    if below is None or any(map(is_number, rows[at])) or not any(is_number(with_point(x)) for x in rows[below]):
        return 0
    return at if len(rows[below]) == len(rows[at]) and filled[at] >= filled[below] else 0


def _without_notes(text: str) -> str:
    """A table without lines of one cell that stand at its end below an empty line, as spreadsheets have them."""
    end = text[-_END:].rstrip().replace("\r\n", "\n")
    table, empty, below = end.rpartition("\n\n")
    lines = [x for x in below.split("\n") if x.strip()]
    width = len(table.rstrip().rpartition("\n")[2].split(delimiter := max(_DELIMITERS, key=table.count)))
    if not empty or width < 2 or not table.strip() or any(len(_cells(x, delimiter)) != 1 for x in lines):
        return text
    shown = "; ".join(lines)
    note("below", f"left out below the table: {shown!r:.80}")
    return text[: text.rindex(lines[0])] if lines else text


#: What the error for names that repeat says where ids differ.
AMONG_NAMES = " among the names; take labels='id', by which they differ"


def with_newlines(text: str) -> str:
    """Return a text with line feeds, if all its lines end with a carriage return, as old spreadsheets save them."""
    return text if "\n" in text else text.replace("\r", "\n")


def _split_at_blanks(text: str, path: str | None, header: bool | None, known: Any) -> RowTable:
    """A table whose cells are separated by blanks. Lines that start with ``#`` are comments."""
    names = header_line = None
    cells: list[str] = []
    lines: list[int] = []
    shared: dict[str, str] = {}  # one object for equal cells: few labels fill many rows
    width = 0
    for number, line in enumerate(text.split("\n"), 1):
        row = line.split()
        if not row or line[0] == "#":
            continue
        if width == 0:
            width = len(row)
            if (width <= MOST_COLUMNS and known(row)) if header is None else header:
                names, header_line = row, number
                continue
        elif len(row) != width:
            msg = f"{len(row)} cell{'s' * (len(row) != 1)} where the first row has {width}"
            raise ParseError(msg, path=path, line=number)
        cells.extend(map(shared.setdefault, row, row))
        lines.append(number)
    return RowTable(path, names, [cells[k::width] for k in range(width)], lines, header_line=header_line)


def split_rows(
    text: str,
    path: str | None,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    known: Any = lambda names: False,
    skip_blanks: bool | None = None,
    empty_rows: bool = False,
    problem: Callable[[int, str], None] | None = None,
    above: int = 0,
    titles: bool = True,
) -> RowTable:
    """Read delimited text (CSV). Lines with ``#`` in front above the first row are comments, unless one is the header.

    Parameters
    ----------
    text : str
    path : str or None
        The source's name, for messages.
    delimiter, header, known
        As for `read_table`.
    skip_blanks : bool, optional
        True if blanks around a cell without quotes are left out. By default where the delimiter is not a tab.
    empty_rows : bool
        True if rows of empty cells, as spreadsheets leave them, are passed over.
    problem : callable, optional
        Called with the line and the message of a bad row, which is then left out. By default it is an error.
    above : int
        How many lines of the source stand above the text.
    titles : bool
        True if lines of one cell above a known header are passed over.
    """
    text = with_newlines(text)
    start, line, first = _first_row(text, path, known, titles=titles)
    lines_above = [x.strip(' ,;\t|"\r') for x in text[:start].split("\n") if not _SEP_LINE.fullmatch(x.strip())]
    passed = [x for x in lines_above if x and not x.startswith("#")]
    if passed:
        note(READING, f"left out above the table: {'; '.join(passed)!r:.80}")
    line, body = line + above, text[start:]
    if delimiter is None and header is not False and _is_of_r(body, first):
        delimiter = " "
    delimiter = delimiter or _delimiter_of(first, known)
    if delimiter.strip() != delimiter[:1].strip() or delimiter[:1] in '"\r\n':  # of several characters, such as ->
        if delimiter[0] in '"\r\n' or _CELL_END in text:
            msg = f"the delimiter {delimiter!r} cannot stand between cells; take a sign such as ';'"
            raise ValueError(msg)
        body, delimiter = body.replace(delimiter.strip(), _CELL_END), _CELL_END
    skip_blanks = delimiter not in "\t " if skip_blanks is None else skip_blanks
    lines, rows = [], []
    body = _without_blanks_behind(body, delimiter) if skip_blanks else body
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, skipinitialspace=skip_blanks, strict=True)

    def bad(number: int, message: str) -> None:
        if problem is None:
            raise ParseError(message, path=path, line=number) from None
        problem(number, message)

    before = line
    try:
        for cells in reader:
            if cells and (cells[0] or any(cells)):
                rows.append(cells)
                lines.append(before)
            elif len(cells) > 1 and not empty_rows:
                bad(before, "all cells of this row are empty")
            before = line + reader.line_num
    except csv.Error as error:
        reason = str(error).replace("field larger than field limit (131072)", "a field of more than 131,072 characters")
        bad(before, f"not a table: {reason}; is a quotation mark opened and not closed?")
    if not rows:
        raise ParseError("no rows in it", path=path, line=line)
    names = header_line = None
    if header is None:
        header = len(rows[0]) <= MOST_COLUMNS and known(_stripped(rows[0]))
    width = len(rows[0])
    if header:
        above_all = rows.pop(0)
        names, header_line = _stripped(above_all), lines.pop(0)
        if passed and above_all in rows:
            number = lines[rows.index(above_all)]
            msg = f"the header again (it is in line {header_line}): several tables in one file; make a file of each"
            raise ParseError(msg, path=path, line=number)
    longer = names is not None and bool(rows) and all(len(x) == width + 1 and x[0] for x in rows)
    quoted = body.lstrip()[:1] == '"' or delimiter == " "
    if longer and not quoted:  # not decimal commas, nor a delimiter behind each row
        quoted = not any(is_number(x[0]) for x in rows) and any(x[-1] for x in rows)
    if names is not None and longer and quoted and len({x[0] for x in rows}) == len(rows):  # names of rows, as R has it
        names.insert(0, "")
        width += 1
    wrong = [i for i, cells in enumerate(rows) if len(cells) != width]
    for i in wrong:
        first = "header" if header else "first row"
        there = f"{len(rows[i])} cell{'s' * (len(rows[i]) != 1)} where the {first} has {width}"
        bad(lines[i], f"{there}; a cell with {delimiter!r} in it needs quotes")
    if wrong:
        kept = [i for i, cells in enumerate(rows) if len(cells) == width]
        rows, lines = [rows[i] for i in kept], [lines[i] for i in kept]
    columns = [[x or None for x in column] for column in zip(*rows, strict=True)] or [[] for _ in range(width)]
    if ".0" in body:
        columns = list(map(_whole, columns))
    return RowTable(path, names, columns, lines, header_line=header_line, delimiter=delimiter)


def _whole(column: list[str | None]) -> list[str | None]:
    """Return the cells of a column. Whole numbers that are written 3.0, since other cells are gaps, become 3."""
    if not any(x is not None and x.rstrip()[-1:] == "0" and "." in x for x in column):
        return column
    if not all(x is None or _WHOLE.fullmatch(x) for x in column):
        return column
    found = [x if x is None else x.partition(".")[0].strip() for x in column]
    return found if len(set(found)) == len(set(column)) else column


def only_in_quotes(cell: str) -> bool:
    """True if a text that is not empty must stand in quotes to be read as it is: blanks around cells are layout."""
    return " " in (cell[0], cell[-1]) or "\r" in cell or not cell.isprintable()


def table_lines(
    header: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str, *, texts: Iterable[str | None]
) -> Iterator[str]:
    """Pieces of a CSV or TSV table. Cells stand in quotes if one of the `texts` in them has to."""
    odd = any(x is not None and (x[:1] == "#" or only_in_quotes(x)) for x in texts if x)
    piece = io.StringIO(newline="")
    writer = csv.writer(
        piece, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    )
    writer.writerow(header)
    for k, row in enumerate(rows):
        writer.writerow(row)
        if k % 1000 == 999:
            yield piece.getvalue()
            piece.seek(0)
            piece.truncate()
    yield piece.getvalue()


def write_parquet(
    path: Any, columns: Callable[[Any], dict[str, Any]], metadata: dict[bytes, str] | None = None
) -> None:
    """Write a Parquet file of the columns that `columns` makes, given pyarrow."""
    if path is None:
        msg = "Parquet is binary: give a path to write to"
        raise ValueError(msg)
    pyarrow, parquet = (optional(x, "io", "writing Parquet") for x in ("pyarrow", "pyarrow.parquet"))
    table = pyarrow.table(columns(pyarrow))
    with write_atomic_bytes(path) as stream:
        parquet.write_table(table if metadata is None else table.replace_schema_metadata(metadata), stream)


def _without_blanks_behind(text: str, delimiter: str) -> str:
    """Return rows without the blanks behind cells, which the csv module would keep. Blanks in quotes stay."""
    ends = re.escape(delimiter) + r"\r\n"
    if re.search(rf"[ ](?:[{ends}]|\Z)", text) is None:
        return text
    return re.sub(rf'("[^"]*")|(?<! )[ ]+(?=[{ends}]|\Z)', lambda found: found[1] or "", text)


def _stripped(cells: Sequence[str]) -> list[str]:
    names = [x.strip() for x in cells]
    names[0] = names[0].lstrip("#").strip()
    return names


def _first_row(text: str, path: str | None, known: Any, *, titles: bool = True) -> tuple[int, int, str]:
    """The place of the first row that is not a comment, or is a header behind a ``#``: offset, line and text.

    If it is a title, as spreadsheets have them, and a known header comes below it, that is the first row.
    """
    first = at, line, row = _row_from(text, 0, 1, path, known)
    for _ in range(_HEAD if titles else 0):
        if _known_under(row, known):
            return at, line, row
        apart = [_cells(row, x) for x in _DELIMITERS if x in row]
        at, line = text.find("\n", at) + 1, line + 1
        if any(sum(bool(x.strip()) for x in cells) != 1 for cells in apart) or not at:
            return first
        try:
            at, line, row = _row_from(text, at, line, path, known)
        except ParseError:
            return first
    return first


def _row_from(text: str, at: int, line: int, path: str | None, known: Any) -> tuple[int, int, str]:
    """The first row from a place on that is not a comment, or is a header behind a ``#``."""
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        row = text[at:stop].rstrip("\r")
        mark = line == 1 and _SEP_LINE.fullmatch(row.strip())  # Excel's
        if row.strip() and not mark and (not row.startswith("#") or _known_under(row, known)):
            return at, line, row
        at, line = stop + 1, line + 1
    raise ParseError("no rows in it: the text is empty", path=path, line=1, column=1)


def has_header(text: str, known: Any) -> bool:
    """True if the first row of a text is a header that the caller knows."""
    try:
        return _known_under(_first_row(with_newlines(text), None, known)[2], known)
    except ParseError:
        return False


def has_cells(text: str, delimiter: str, most: int) -> bool:
    """Tell whether the first row of a text has `most` cells with a delimiter between them."""
    try:
        return len(_cells(_first_row(with_newlines(text), None, lambda names: False)[2], delimiter)) >= most
    except ParseError:
        return False


def _known_under(row: str, known: Any) -> bool:
    apart = map(partial(_cells, row), _DELIMITERS)
    return any(1 < len(cells) <= MOST_COLUMNS and known(_stripped(cells)) for cells in apart)


def _is_of_r(text: str, first: str) -> bool:
    """True if a text has blanks between its cells, and a name before each row but the header, as R writes tables."""
    if any(x in re.sub(r'"[^"]*"', "", first) for x in _DELIMITERS):
        return False
    start = text.find(first) + len(first)
    below = [x for x in text[start : start + 10_000].split("\n")[1:4] if x.strip()]
    width = len(_cells(first, " "))
    same = first.startswith('"') and width > 1
    return bool(below) and all(
        len(_cells(x.rstrip("\r"), " ")) in ((width + 1, width) if same else (width + 1,)) for x in below
    )


def _cells(row: str, delimiter: str) -> list[str]:
    """The cells of one line. None if it is not all of a row."""
    try:
        return next(csv.reader([row], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []


def _delimiter_of(row: str, known: Any) -> str:
    """The delimiter under which a row is a known header, or has the most cells."""
    best, most = ",", (False, 1)
    for delimiter in _DELIMITERS:
        cells = _cells(row, delimiter)
        rating = (1 < len(cells) <= MOST_COLUMNS and bool(known(_stripped(cells))), len(cells))
        if rating > most:
            best, most = delimiter, rating
    return best


def frame_columns(frame: Any, path: str | None = FRAME) -> dict[str, Any]:
    """The columns of a data frame, table or stream of Arrow by their names. Two of one name are refused.

    A stream is used up by it.
    """
    if not hasattr(frame, "columns"):
        frame = optional("pyarrow", "io", "reading Arrow tables").table(frame)
    names = [str(x) for x in getattr(frame, "column_names", frame.columns)]
    index = {x: column for x, column in _index_columns(frame).items() if x not in names}
    for name in names:
        if names.count(name) > 1:
            what = "data frame" if path == FRAME else "table"
            msg = f"the {what} has {names.count(name)} columns {name!r}; rename them, or take the ones you need"
            raise ParseError(msg, path=path)
    if hasattr(frame, "iloc"):
        return index | {name: frame.iloc[:, k] for k, name in enumerate(names)}
    return {name: frame[name] for name in names}


def _index_columns(frame: Any) -> dict[str, Any]:
    """The index of a frame of pandas, as `to_csv` writes it, unless it only counts the rows: nameless numbers."""
    index: Any = getattr(frame, "index", None) if hasattr(frame, "iloc") else None
    if index is None or (index.nlevels == 1 and index.name is None and index.inferred_type not in ("string", "mixed")):
        return {}
    levels = [index.get_level_values(k).to_series(index=index) for k in range(index.nlevels)]
    return {"" if x is None else str(x): column for x, column in zip(index.names, levels, strict=True)}


class CodedColumn(NamedTuple):
    """A column as numbers: many rows have few different cells, which are then looked at once each."""

    codes: np.ndarray
    """int64[m]: the place of each cell in `values`, -1 if it is empty."""
    values: list[Any]


def coded_column(column: Any) -> CodedColumn | None:
    """The column of a frame or Arrow table as numbers, if it holds whole numbers or texts. None if anything else."""
    arrow = _as_arrow(column)
    if arrow is not None:
        types = import_module("pyarrow").types
        whole = arrow.combine_chunks() if hasattr(arrow, "combine_chunks") else arrow
        kind = whole.type.value_type if types.is_dictionary(whole.type) else whole.type
        if hasattr(whole, "chunks") or not (
            types.is_integer(kind) or types.is_string(kind) or types.is_large_string(kind)
        ):
            return None
        encoded = whole.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        try:
            return CodedColumn(codes.astype(np.int64), encoded.dictionary.to_pylist())
        except UnicodeDecodeError:  # the way cell by cell says where
            return None
    if not hasattr(column, "iloc"):
        return None
    pandas = import_module("pandas")
    if pandas.api.types.infer_dtype(column, skipna=True) not in ("string", "integer"):
        return None
    codes, values = pandas.factorize(column)
    return CodedColumn(codes.astype(np.int64), values.tolist())


def number_column(column: Any) -> np.ndarray | None:
    """The column of a frame or Arrow table as float64 with NaN for gaps. None if it does not hold numbers."""
    arrow = _as_arrow(column)
    if arrow is not None:
        types = import_module("pyarrow").types
        numbers = types.is_integer(arrow.type) or types.is_floating(arrow.type)
        return np.asarray(arrow.cast("float64", safe=False), np.float64) if numbers else None
    if not hasattr(column, "iloc") or column.dtype.kind not in "iuf":
        return None
    return column.to_numpy(np.float64, na_value=np.nan)


def _as_arrow(column: Any) -> Any:
    """A column of Arrow, or of polars where Arrow is installed, as Arrow's. None for any other."""
    if hasattr(column, "to_arrow"):
        try:
            return column.to_arrow()
        except (ImportError, ValueError):  # types that Arrow does not have
            return None
    return column if hasattr(column, "dictionary_encode") else None


#: Rows of a Parquet file that are read at a time: a text of 20 KB in each of them takes 160 MB.
_PART = 1 << 13


def parquet_table(content: bytes, path: str | None) -> RowTable:
    """A Parquet file as columns, cells as in data frames."""
    return table_of(frame_columns(parquet_rows(content, path), path), path)


def parquet_rows(content: bytes, path: str | None, columns: Sequence[str] | None = None) -> Any:
    """A Parquet file as an Arrow table, all columns or some.

    Any number of equal cells takes a few bytes in the file, so their size is looked at before and while they are read.
    """
    wanted = None if columns is None else list(columns)
    pyarrow = optional("pyarrow", "io", "reading Parquet")

    def check(size: int) -> None:
        check_ratio(size, len(content), "Parquet", path, "read it with pandas and hand over the frame")

    def rows(file: Any) -> Any:
        n_columns = len(file.schema_arrow.names) if wanted is None else len(wanted)
        check(8 * file.metadata.num_rows * n_columns)
        parts, size = [], 0
        for part in file.iter_batches(batch_size=_PART, columns=wanted):
            size += part.nbytes
            check(size)
            parts.append(part)
        return pyarrow.Table.from_batches(parts) if parts else file.read(columns=wanted)

    return _parquet(content, path, rows)


def parquet_names(content: bytes, path: str | None) -> list[str]:
    """Names of the columns of a Parquet file. The cells are not read."""
    return list(_parquet(content, path, lambda file: file.schema_arrow.names))


def parquet_metadata(content: bytes, path: str | None) -> dict[bytes, bytes]:
    """The metadata of a Parquet file."""
    return dict(_parquet(content, path, lambda file: file.schema_arrow.metadata) or {})


def _parquet(content: bytes, path: str | None, wanted: Callable[[Any], Any]) -> Any:
    """The value that `wanted` takes from a Parquet file, or a ParseError if it is not one."""
    pyarrow = optional("pyarrow", "io", "reading Parquet")
    parquet = optional("pyarrow.parquet", "io", "reading Parquet")
    with _no_parquet(path):
        return wanted(parquet.ParquetFile(pyarrow.BufferReader(content)))


class ArrowBatch(NamedTuple):
    """Some rows of a Parquet file or Arrow stream."""

    path: str | None
    table: Any
    metadata: dict[bytes, bytes]
    """Metadata of the whole."""
    before: int
    """How many rows came before."""


def arrow_batches(
    source: Any, size: int, wanted: Callable[[str | None, Sequence[str]], Sequence[str]]
) -> Iterator[ArrowBatch]:
    """The rows of a Parquet file, a frame, or a table or stream of Arrow, at most `size` at a time.

    Parameters
    ----------
    source : path, file object, data frame, or table or stream of Arrow
    size : int
    wanted : callable
        From the source's name and the names of its columns to the columns that are read.
    """
    pyarrow = optional("pyarrow", "io", "reading in batches")
    path: str | None
    if is_frame(source):
        reader = source if hasattr(source, "read_next_batch") else _reader(pyarrow, source)
        path, metadata, parts = FRAME, reader.schema.metadata, iter(reader)
        names = wanted(path, reader.schema.names)
    else:
        path, opened = _seekable_parquet(source)
        parquet = optional("pyarrow.parquet", "io", "reading Parquet")
        with _no_parquet(path):
            file = parquet.ParquetFile(opened)
            known, metadata = file.schema_arrow.names, file.schema_arrow.metadata
        names = wanted(path, known)
        with _no_parquet(path):
            parts = file.iter_batches(batch_size=size, columns=list(names))
    before = 0
    while True:
        with _no_parquet(path):
            part = next(parts, None)
        if part is None:
            return
        for at in range(0, part.num_rows, size):
            table = pyarrow.Table.from_batches([part.slice(at, size)]).select(list(names))
            yield ArrowBatch(path, table, metadata or {}, before)
            before += table.num_rows


def _reader(pyarrow: Any, source: Any) -> Any:
    """A stream of record batches. A stream itself stays one."""
    from_stream = getattr(pyarrow.RecordBatchReader, "from_stream", None)
    if from_stream is not None and not hasattr(source, "iloc"):
        return from_stream(source)
    try:
        return pyarrow.table(source).to_reader()
    except (pyarrow.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise ParseError(f"not a table for Arrow, in which batches are read: {error}", path=FRAME) from None


def _seekable_parquet(source: Any) -> tuple[str | None, Any]:
    """The name of a Parquet file, and the path or the content for its reader, which reads parts of it."""
    content: bytes | str
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        path = os.fspath(source)
        with open(path, "rb") as stream:
            if stream.read(4) == b"PAR1":
                return str(path), path
    content, name = read_bytes(source)
    if not is_parquet(content):
        msg = "not a Parquet file; batches are read from these and from Arrow streams, read_triplets reads others whole"
        raise ParseError(msg, path=name)
    return name, optional("pyarrow", "io", "reading Parquet").BufferReader(content)


@contextmanager
def _no_parquet(path: str | None) -> Iterator[None]:
    """Turn Arrow's error about a file into a ParseError."""
    pyarrow = optional("pyarrow", "io", "reading Parquet")
    try:
        yield
    except TripletreeError:
        raise
    except UnicodeDecodeError as error:
        raise ParseError(f"damaged Parquet file: a name in it is not UTF-8 text: {error}", path=path) from None
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise ParseError(f"not a Parquet file: {error}", path=path) from None
