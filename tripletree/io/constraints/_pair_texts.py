"""The text format of pairs, one a line, ``a b must``, and their tables: CSV, TSV, Parquet, data frames."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

from tripletree.errors import InvalidPairError, InvalidTripletError, ParseError
from tripletree.io._files import decoded
from tripletree.io._tables import (
    RowTable,
    cell_text,
    has_header,
    is_missing,
    optional,
    parquet_metadata,
    parquet_names,
    parquet_table,
)
from tripletree.io.constraints._pair_rows import LINKS, PairRows
from tripletree.io.constraints._triplet_rows import TripletRows
from tripletree.io.constraints._triplet_tables import DELIMITERS
from tripletree.io.constraints._triplet_text import line_tokens, quoted
from tripletree.pairs import PairwiseConstraints

__all__ = [
    "looks_like_pairs",
    "pair_lines",
    "pair_table_lines",
    "parquet_pair_rows",
    "table_pair_rows",
    "text_pair_rows",
    "write_pair_parquet",
]

_WANTED = "wanted is 'a b must' or 'a b cannot', and perhaps a strength in 0..1"
_USUAL = re.compile(r"\s*" + r"\s+".join([r"([^\s,|#'\"]+)"] * 3) + r"(?:\s+([^\s,|#'\"]+))?\s*")
_SHAPE = re.compile(r"L,?L,?L(,?L)?")
_DIRECTIVE = "#!leaves"
#: Lines by which pairs are recognised.
_LINES = 50
#: Characters of leaf labels in one directive line, before the next one starts.
_WIDTH = 100
#: Where a Parquet file keeps all leaf labels, in order, as a JSON list.
_LEAVES_KEY = b"tripletree.leaves"


# ---------------------------------------------------------------------- reading


def looks_like_pairs(content: bytes | str, name: str | None, columns: Sequence[str], kind: str | None) -> bool:
    """Whether a file holds pairs rather than triplets: by its header, else by a link in the third field of some line.

    Lines of triplets have a '|', and tables of them a header.

    Parameters
    ----------
    content : bytes or str
        Unpacked.
    name : str or None
    columns : sequence of three str
    kind : str or None
        The format, as the name tells it.
    """
    if isinstance(content, bytes) and content.startswith(b"PAR1"):
        return set(columns) <= set(parquet_names(content, name))
    text = content if isinstance(content, str) else decoded(content, name)
    if has_header(text, lambda names: set(columns) <= set(names)):
        return True
    if has_header(text, lambda names: {"a", "b", "c"} <= set(names)):
        return False
    links = []
    for line in islice((x for x in text.splitlines() if x.strip() and not x.startswith("#")), _LINES):
        cells = next(csv.reader([line], delimiter=DELIMITERS[kind]), []) if kind in DELIMITERS else None
        if cells is None:
            tokens = line_tokens(TripletRows(None), line, 1) or []
            if any(value == "|" and mark == "mark" for mark, value, _ in tokens):
                return False
            cells = [value for mark, value, _ in tokens if mark != "mark"]
        links.append(cells[2].strip().lower() if len(cells) in (3, 4) else "")
    return any(x in LINKS for x in links)


def text_pair_rows(text: str, path: str | None) -> PairRows:
    """Read the text format; bad lines are noted as problems."""
    rows = PairRows(path)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        usual = _USUAL.fullmatch(line)
        if usual:
            k = 3 if usual.group(4) is None else 4
            rows.add(usual.groups()[:k], number, [usual.start(i + 1) for i in range(k)], line)
        elif line.startswith("#!"):
            _directive(rows, line, number)
        else:
            tokens = line_tokens(rows, line, number)
            if not tokens:
                continue
            shape = "".join("L" if kind != "mark" else value for kind, value, _ in tokens)
            if _SHAPE.fullmatch(shape):
                labels = [(value, at) for kind, value, at in tokens if kind != "mark"]
                rows.add([x for x, _ in labels], number, [at for _, at in labels], line)
            else:
                message, k = _misshapen(shape)
                rows.problem(number, message, column=tokens[k][2] + 1, text=line)
    return rows


def _misshapen(shape: str) -> tuple[str, int]:
    """What is wrong with a line, and the number of the token to point at."""
    if "|" in shape:
        return f"a '|' stands in lines of triplets, and else in quotes: {_WANTED}", shape.index("|")
    if ",," in shape or shape[0] == "," or shape[-1] == ",":
        k = shape.index(",,") + 1 if ",," in shape else 0 if shape[0] == "," else len(shape) - 1
        return f"nothing stands beside this comma: {_WANTED}", k
    k = shape.count("L")
    if k < 3:
        return f"{k} field{'s' * (k != 1)}: {_WANTED}", len(shape) - 1
    return f"{k} fields: {_WANTED}; a label with blanks must stand in quotes", len(shape) - 1


def _directive(rows: PairRows, line: str, number: int) -> None:
    if line.split(maxsplit=1)[0] != _DIRECTIVE:
        message = f"a line that starts with '#!' must be {_DIRECTIVE!r} and labels; write '# ' before a comment"
        rows.problem(number, message, column=1, text=line)
        return
    tokens = line_tokens(rows, line, number, at=len(_DIRECTIVE)) or []
    mark = next((at for kind, _, at in tokens if kind == "mark"), None)
    if mark is not None:
        rows.problem(number, "labels with white space between are wanted here", column=mark + 1, text=line)
        return
    rows.more += [(value, number) for _, value, _ in tokens]


def table_pair_rows(
    table: RowTable, columns: Sequence[str], strength: str | None, *, numbers: bool = False
) -> PairRows:
    """Take the rows of a table, by the names of its columns, or in their order where it has no header.

    `numbers` keeps labels that are whole numbers, not text.
    """
    rows = PairRows(table.path, unit=table.unit)
    if table.names is None:
        if len(table.columns) not in (3, 4):
            msg = (
                f"{len(table.columns)} columns and no header with {', '.join(columns)}: without one, three columns are "
                f"wanted, and perhaps a fourth with strengths"
            )
            raise ParseError(msg, path=table.path, line=table.lines[0] if table.unit == "line" else None)
        places = list(range(len(table.columns)))
        rows.headless = True
    else:
        missing = [x for x in columns if x not in table.names]
        if missing:
            raise ParseError(_lacking(missing, table.names), path=table.path)
        places = [table.place(name, "column") for name in columns]
        if strength is not None and strength in table.names:
            places.append(table.place(strength, "column"))
    if numbers:
        rows.numbers = {str(x): x for k in places[:2] for x in table.columns[k] if type(x) is int}
    for line, *cells in zip(table.lines, *(table.columns[k] for k in places), strict=True):
        rows.add([cell_text(x) for x in cells], line)
    return rows


def _lacking(missing: Sequence[Any], names: Sequence[Any]) -> str:
    some, known = (", ".join(repr(x) for x in names) for names in (missing, names))
    return (
        f"the table lacks the column{'s' * (len(missing) > 1)} {some}; it has {known}: say columns=(the first label, "
        "the second one, the link)"
    )


def parquet_pair_rows(content: bytes, path: str | None, columns: Sequence[str], strength: str | None) -> PairRows:
    """Read a Parquet table; bad rows are noted as problems, numbered from 1."""
    names = parquet_names(content, path)
    missing = [x for x in columns if x not in names]
    if missing:
        raise ParseError(_lacking(missing, names), path=path)
    wanted = [*columns, strength] if strength is not None and strength in names else [*columns]
    rows = table_pair_rows(parquet_table(content, path, columns=wanted, cell=_parquet_cell), columns, strength)
    kept = parquet_metadata(content, path).get(_LEAVES_KEY)
    if kept is not None:
        try:
            labels = json.loads(kept)
        except (ValueError, RecursionError):
            labels = None
        if not isinstance(labels, list) or not all(isinstance(x, str) for x in labels):
            msg = f"metadata: {_LEAVES_KEY.decode()} must hold the leaf labels as a JSON list of strings"
            raise ParseError(msg, path=path)
        rows.more = [(x, 0) for x in labels]
    return rows


def _parquet_cell(value: Any) -> str | None:
    return value if isinstance(value, str) else None if is_missing(value) else str(value)


# ---------------------------------------------------------------------- writing


def _kinds(pairs: PairwiseConstraints) -> Iterator[tuple[str, list, list]]:
    """The word, the rows and the strengths of each kind."""
    for word, rows, strength in (
        ("must", pairs.must_link, pairs.must_strength),
        ("cannot", pairs.cannot_link, pairs.cannot_strength),
    ):
        yield word, rows.tolist(), [] if strength is None else strength.tolist()


def pair_lines(pairs: PairwiseConstraints, labels: list[str]) -> Iterator[str]:
    """Lines of the text format, each with its end: first the leaves that are in no pair, then the pairs."""
    try:
        shown = [quoted(x) for x in labels]
    except InvalidTripletError as error:
        raise InvalidPairError(str(error)) from None
    line = _DIRECTIVE
    for i in np.setdiff1d(np.arange(len(labels)), pairs.used_leaves).tolist():
        if len(line) > _WIDTH:
            yield line + "\n"
            line = _DIRECTIVE
        line += " " + shown[i]
    if line != _DIRECTIVE:
        yield line + "\n"
    for word, rows, strength in _kinds(pairs):
        for k, (a, b) in enumerate(rows):
            yield f"{shown[a]} {shown[b]} {word}{f' {strength[k]!r}' if strength else ''}\n"


def pair_table_lines(pairs: PairwiseConstraints, labels: list[str], name: str) -> Iterator[str]:
    """Lines of a table with a header, each with its end."""
    if "" in labels:
        msg = f"an empty label cannot be told from a missing one in {name.upper()}; write text or Parquet"
        raise InvalidPairError(msg)
    # the reader takes blanks before a cell for layout, and quotes keep them
    odd = any(x[0] == " " or "\r" in x or not x.isprintable() for x in labels)
    line = io.StringIO(newline="")
    writer = csv.writer(
        line, delimiter=DELIMITERS[name], lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    )
    writer.writerow(["a", "b", "link"] if pairs.must_strength is None else ["a", "b", "link", "strength"])
    for word, rows, strength in _kinds(pairs):
        for k, (a, b) in enumerate(rows):
            writer.writerow([labels[a], labels[b], word, *([repr(strength[k])] if strength else [])])
            if k % 1000 == 999:
                yield line.getvalue()
                line.seek(0)
                line.truncate()
    yield line.getvalue()


def write_pair_parquet(pairs: PairwiseConstraints, labels: list[str], stream: IO[bytes]) -> None:
    """Write a table of labels as dictionary columns, all leaf labels in its metadata."""
    pyarrow, parquet = (optional(x, "io", "writing Parquet") for x in ("pyarrow", "pyarrow.parquet"))
    names = pyarrow.array(labels, pyarrow.string())
    words = pyarrow.array(["must", "cannot"])
    rows = np.concatenate([pairs.must_link, pairs.cannot_link])
    link = np.repeat(np.array([0, 1], np.int32), [pairs.n_must, pairs.n_cannot])
    data = {
        column: pyarrow.DictionaryArray.from_arrays(pyarrow.array(numbers), values)
        for column, numbers, values in (("a", rows[:, 0], names), ("b", rows[:, 1], names), ("link", link, words))
    }
    if pairs.must_strength is not None and pairs.cannot_strength is not None:
        data["strength"] = pyarrow.array(np.concatenate([pairs.must_strength, pairs.cannot_strength]))
    parquet.write_table(pyarrow.table(data).replace_schema_metadata({_LEAVES_KEY: json.dumps(labels)}), stream)
