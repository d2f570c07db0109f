"""Tables of triplets: CSV and TSV with the standard library, Parquet with pyarrow (imported when needed)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, Any

from tripletree.errors import InvalidTripletError, MissingDependencyError, ParseError
from tripletree.io._tables import is_missing, parquet_metadata, parquet_names, parquet_table
from tripletree.io.constraints._triplet_rows import TripletRows, weight_of
from tripletree.triplets import TripletSet

__all__ = ["DELIMITERS", "parquet_rows", "sniffed", "table_lines", "table_rows", "write_parquet"]

DELIMITERS = {"csv": ",", "tsv": "\t"}
#: Where a Parquet file keeps all leaf labels, in order, as a JSON list.
_LEAVES_KEY = b"tripletree.leaves"


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
