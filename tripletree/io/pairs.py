"""Must-links and cannot-links as text, CSV, TSV and Parquet.

The text format has one pair a line, then the link, then perhaps a weight in 0..1, which is 1 where other lines have
one::

    # great apes
    human chimp must
    'Homo sapiens', 'Gorilla gorilla', cannot, 0.8
    #!leaves orang

The link is ``must`` or ``cannot``; so are ``must-link`` and ``cannot-link`` (also with ``_``), ``ML`` and ``CL``, ``1``
(``+1``, ``+``) and ``-1`` (``-``) or ``0``, but not both of these in one file; ``True`` and ``False``, ``yes`` and
``no``, ``same`` and ``different``; all in any case. The files that came with COP-KMeans, lines of two sample numbers
and 1 or -1, are of this format. Labels, quotes, comments and ``#!leaves`` are as in the text format of triplets
(`tripletree.io.triplets`).
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
from typing import IO, Any, Literal, overload

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints, check_pair_set, sorted_labels
from tripletree.core.provenance import Origins
from tripletree.errors import DuplicateLeafError, InvalidPairError, InvalidTripletError, ParseError, warn_user
from tripletree.io.source import Source, Target, decoded, read_bytes, write_atomic, write_atomic_bytes
from tripletree.io.table import (
    RowTable,
    cell_text,
    has_header,
    is_frame,
    is_missing,
    optional,
    parquet_metadata,
    parquet_names,
    parquet_table,
    read_table,
    split_rows,
)
from tripletree.io.triplets import (
    DELIMITERS,
    TripletRows,
    check_unicode,
    format_of_suffix,
    line_tokens,
    quoted,
    weight_of,
)

__all__ = [
    "LINKS",
    "PairRows",
    "looks_like_pairs",
    "pair_lines",
    "pair_table_lines",
    "parquet_pair_rows",
    "read_pairs",
    "table_pair_rows",
    "text_pair_rows",
    "write_pair_parquet",
    "write_pairs",
]


# ----------------------------------------------------------------------
# Rows of pairs as they are read: two labels, a link, perhaps a weight; and what is wrong with them.

#: What a field may say, in any case.
LINKS = {
    **dict.fromkeys(("must", "must-link", "must_link", "mustlink", "ml", "+1", "1", "+"), True),
    **dict.fromkeys(("true", "yes", "same"), True),
    **dict.fromkeys(("cannot", "cannot-link", "cannot_link", "cannotlink", "cl", "-1", "-", "0"), False),
    **dict.fromkeys(("false", "no", "different"), False),
}
#: Those by which a column says whether two leaves are the same; a column may well be called by one of the others.
_FLAGS = frozenset({"+1", "1", "+", "-1", "-", "0", "true", "false", "yes", "no"})
_WORDS = "must or cannot is wanted (or ML and CL, 1 and -1, 1 and 0, True and False, yes and no, same and different)"
_BOTH = "0 and -1 both stand for cannot-links here: which of them is meant cannot be told; write must and cannot"
_ZERO = re.compile(r"[-+]?(?:0+\.?0*|\.0+)(?:[eE][-+]?\d+)?", re.ASCII)


@dataclass
class PairRows(TripletRows):
    """Rows of two labels as they are read; `links` says which are must-links, the weights are weights.

    `numbers` are the labels of a data frame that are whole numbers, by their texts; `headless` is a table that has no
    header, or one that nobody has told of.
    """

    links: list[bool] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    headless: bool = False
    _told: bool = False
    _named: tuple[str, ...] | None = None
    _zeros: set[str] = field(default_factory=set)
    _header: tuple[str, ...] | None = None

    def add(self, cells: Sequence[str | None], line: int, at: Sequence[int] = (), text: str | None = None) -> None:
        """Take a row (a, b, link and perhaps a weight), or note what is wrong with it.

        Parameters
        ----------
        cells : sequence of str
        line : int
        at : sequence of int
            Where in `text`, the line, each of them starts.
        """
        a, b, link, *weight = cells
        wrong = None
        if a is None or b is None or link is None:
            k = next(i for i, x in enumerate((a, b, link)) if x is None)
            wrong = k, f"the cell of {('a', 'b', 'the link')[k]} is empty"
        elif a == b:
            wrong = 1, f"{a!r} stands twice: the two leaves must differ"
        elif link.strip().lower() not in LINKS:
            wrong = 2, self._no_link(link)
        elif link.strip() in ("0", "-1") and self._zeros | {link.strip()} == {"0", "-1"}:
            wrong = 2, _BOTH
        elif weight and _weight_of(weight[0]) is None:
            wrong = 3, f"the weight {weight[0] or ''!r} is no number in 0..1"
        first = not self.labels and not self.problems
        if wrong is not None:
            k, message = wrong
            if first and k > 1:
                self._header = tuple(str(x) for x in cells[:3])
            self.problem(line, message, column=at[k] + 1 if at else None, text=text)
            return
        if weight:
            self.weights[len(self.labels)] = _weight_of(weight[0])  # type: ignore[assignment]
        self._note(link.strip().lower(), cells)  # type: ignore[union-attr]
        self.labels.append((a, b))  # type: ignore[arg-type]
        self.links.append(LINKS[link.strip().lower()])  # type: ignore[union-attr]
        self.lines.append(line)

    def _note(self, word: str, cells: Sequence[str | None]) -> None:
        """Keep what later rows are judged by: which number is a cannot-link, and a first row that may be a header."""
        if word in ("0", "-1"):
            self._zeros.add(word)
        if not self.links and word not in _FLAGS:
            self._named = tuple(str(x) for x in cells[:3])
        elif self.links and word not in _FLAGS:
            self._named = None

    def _no_link(self, link: str) -> str:
        """That a field says no link; what would, the first time only."""
        told, self._told = self._told, True
        return f"{link!r} says no link" + ("" if told else f": {_WORDS}")

    def _hint_at_header(self) -> None:
        """Say what to do if the first row is a header: all others are well, and none has a label of it."""
        if self.headless and self._named is not None and len(self.links) > 1:
            message = (
                f"{self._named[2]!r} is a link, but all rows below say theirs by numbers, yes and no, or True and False"
            )
            self.problem(self.lines[0], message)
            self._header = self._named
        if self._header is None or len(self.problems) > 1:
            return
        if not set(self._header[:2]) & set(chain.from_iterable(self.labels[self._named is self._header :])):
            hint = (
                f"; if this is a header, name the columns of the labels and the link, such as columns={self._header!r}"
            )
            self.problems[0] = self.problems[0]._replace(message=self.problems[0].message + hint)

    def pairs(self, leaves: LeafIndex | Iterable[Hashable] | int | None) -> PairwiseConstraints:
        """All pairs, over the given leaves or over all that occur, sorted."""
        self._hint_at_header()
        if leaves is None and self.numbers:
            leaves = sorted_labels(self.numbers.get(x, x) for x in chain.from_iterable(self.labels))
        elif leaves is None:
            leaves = sorted({*chain.from_iterable(self.labels), *(x for x, _ in self.more)})
        index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        texts = [x if isinstance(x, str) else str(x) for x in index]
        position = {x: i for i, x in enumerate(LeafIndex(texts))}
        self._check_known(position, texts)
        p = len(self.labels)
        flat = map(position.__getitem__, chain.from_iterable(self.labels))
        rows = np.fromiter(flat, np.int32, 2 * p).reshape(p, 2)
        must = np.array(self.links, np.bool_)
        weight: list[Any] = [None, None]
        if self.weights:
            all_of = np.ones(p)
            all_of[list(self.weights)] = list(self.weights.values())
            weight = [all_of[must], all_of[~must]]
        origins = Origins.of_lines(self.path, self.unit, self.lines)
        return PairwiseConstraints(
            rows[must],
            rows[~must],
            index,
            must_weights=weight[0],
            cannot_weights=weight[1],
            must_origins=origins.take(must),
            cannot_origins=origins.take(~must),
        )


def _weight_of(text: str | None) -> float | None:
    """The weight that a field says, or None where it is no number in 0..1."""
    text = (text or "").strip()
    value = 0.0 if _ZERO.fullmatch(text) else weight_of(text)
    return value if value is not None and value <= 1 else None


# ----------------------------------------------------------------------
# The text format of pairs, one a line, ``a b must``, and their tables: CSV, TSV, Parquet, data frames.

_WANTED = "wanted is 'a b must' or 'a b cannot', and perhaps a weight in 0..1"
_USUAL = re.compile(r"\s*" + r"\s+".join([r"([^\s,|#'\"]+)"] * 3) + r"(?:\s+([^\s,|#'\"]+))?\s*")
_SHAPE = re.compile(r"L,?L,?L(,?L)?")
_DIRECTIVE = "#!leaves"
#: Lines by which pairs are recognised.
_LINES = 50
#: Characters of leaf labels in one directive line, before the next one starts.
_WIDTH = 100
#: Where a Parquet file keeps all leaf labels, in order, as a JSON list.
_LEAVES_KEY = b"tripletree.core.leaves"


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


def table_pair_rows(table: RowTable, columns: Sequence[str], weight: str | None, *, numbers: bool = False) -> PairRows:
    """Take the rows of a table, by the names of its columns, or in their order where it has no header.

    `numbers` keeps labels that are whole numbers, not text.
    """
    rows = PairRows(table.path, unit=table.unit)
    if table.names is None:
        if len(table.columns) not in (3, 4):
            msg = (
                f"{len(table.columns)} columns and no header with {', '.join(columns)}: without one, three columns are "
                f"wanted, and perhaps a fourth with weights"
            )
            raise ParseError(msg, path=table.path, line=table.lines[0] if table.unit == "line" else None)
        places = list(range(len(table.columns)))
        rows.headless = True
    else:
        missing = [x for x in columns if x not in table.names]
        if missing:
            raise ParseError(_lacking(missing, table.names), path=table.path)
        places = [table.place(name, "column") for name in columns]
        if weight is not None and weight in table.names:
            places.append(table.place(weight, "column"))
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


def parquet_pair_rows(content: bytes, path: str | None, columns: Sequence[str], weight: str | None) -> PairRows:
    """Read a Parquet table; bad rows are noted as problems, numbered from 1."""
    names = parquet_names(content, path)
    missing = [x for x in columns if x not in names]
    if missing:
        raise ParseError(_lacking(missing, names), path=path)
    wanted = [*columns, weight] if weight is not None and weight in names else [*columns]
    rows = table_pair_rows(parquet_table(content, path, columns=wanted, cell=_parquet_cell), columns, weight)
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
    """The word, the rows and the weights of each kind."""
    for word, rows, weight in (
        ("must", pairs.must_link, pairs.must_weights),
        ("cannot", pairs.cannot_link, pairs.cannot_weights),
    ):
        yield word, rows.tolist(), [] if weight is None else weight.tolist()


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
    for word, rows, weight in _kinds(pairs):
        for k, (a, b) in enumerate(rows):
            yield f"{shown[a]} {shown[b]} {word}{f' {weight[k]!r}' if weight else ''}\n"


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
    writer.writerow(["a", "b", "link"] if pairs.must_weights is None else ["a", "b", "link", "weight"])
    for word, rows, weight in _kinds(pairs):
        for k, (a, b) in enumerate(rows):
            writer.writerow([labels[a], labels[b], word, *([repr(weight[k])] if weight else [])])
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
    if pairs.must_weights is not None and pairs.cannot_weights is not None:
        data["weight"] = pyarrow.array(np.concatenate([pairs.must_weights, pairs.cannot_weights]))
    parquet.write_table(pyarrow.table(data).replace_schema_metadata({_LEAVES_KEY: json.dumps(labels)}), stream)


Format = Literal["text", "csv", "tsv", "parquet"]

_FORMATS = ("text", "csv", "tsv", "parquet")


def read_pairs(
    source: Source,
    *,
    format: Format | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    columns: Sequence[str] = ("a", "b", "link"),
    weight: str | None = "weight",
) -> PairwiseConstraints:
    r"""Read must-links and cannot-links.

    Parameters
    ----------
    source : path, file object, "-" or data frame
        ``"-"`` is the standard input; gzip, bzip2, xz and zip are unpacked.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default as the suffix says (.txt, .csv, .tsv, .parquet, also with .gz, .bz2 or .xz behind); where it says
        nothing, a table if the first line is a header with the columns, else text.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur, all of which the result has; labels that are no strings are known by ``str(label)``.
        For files of row numbers give the number of samples, for labels that are numbers the index of X. By default the
        leaves that the source names: as strings, sorted, or as the Parquet file keeps them; whole numbers in a data
        frame stay numbers.
    columns : sequence of three str
        Columns of a table that hold the two labels and the link. A CSV or TSV without this header has them in this
        order, perhaps with a weight behind.
    weight : str or None
        Column of the weights, if there is one of that name; None ignores it.

    Returns
    -------
    PairwiseConstraints
        With the line of each pair. A pair that stands there more than once counts once, with its largest weight.
        They need not be consistent: a pair may be linked both ways.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If there are bad rows: labels missing or equal, a link that is none, a weight that is no number in 0..1, a
        leaf not among `leaves`; ``.problems`` holds up to 20 of them, each with its line.
    MissingDependencyError
        If the format is Parquet and pyarrow is not installed.

    See Also
    --------
    write_pairs : the reverse.
    tripletree.io.pairs : the text format.

    Examples
    --------
    >>> import io
    >>> list(read_pairs(io.StringIO("human chimp must\nhuman gorilla cannot  # surely")))
    [('chimp', 'human', 'must'), ('gorilla', 'human', 'cannot')]
    >>> read_pairs(io.StringIO("0 2 1\n2 4 -1\n"), leaves=5)  # row numbers
    <PairwiseConstraints: 1 must-link and 1 cannot-link on 5 leaves>
    """
    _check_format(format)
    rows = _rows(source, format, _three_names(columns), weight)
    if leaves is None and rows.unit == "row" and rows.more:
        leaves = LeafIndex([x for x, _ in rows.more])  # in the order that the Parquet file keeps
    return rows.pairs(leaves)


def _rows(source: Source, format: str | None, columns: tuple[str, ...], weight: str | None) -> PairRows:
    """What a source holds, in the format that is given or that its name or its first bytes tell."""
    if is_frame(source):
        return table_pair_rows(read_table(source), columns, weight, numbers=True)
    content, name = read_bytes(source)
    kind = format or format_of_suffix(name)
    if kind is None and isinstance(content, bytes) and content.startswith(b"PAR1"):
        kind = "parquet"
    if kind == "parquet":
        if isinstance(content, str):
            msg = "Parquet is binary: give a path, or a file object open for bytes (mode 'rb')"
            raise TypeError(msg)
        return parquet_pair_rows(content, name, columns, weight)
    text = content if isinstance(content, str) else decoded(content, name)

    def known(names: Sequence[str]) -> bool:
        return set(columns) <= set(names)

    if kind == "text" or (kind is None and not has_header(text, known)):
        return text_pair_rows(text, name)
    delimiter = None if kind is None else DELIMITERS[kind]
    return table_pair_rows(split_rows(text, name, delimiter=delimiter, known=known), columns, weight)


@overload
def write_pairs(pairs: PairwiseConstraints, target: None = None, *, format: Format | None = None) -> str: ...
@overload
def write_pairs(pairs: PairwiseConstraints, target: Target, *, format: Format | None = None) -> None: ...
def write_pairs(
    pairs: PairwiseConstraints, target: Target | None = None, *, format: Format | None = None
) -> str | None:
    r"""Write must-links and cannot-links, in the order of their rows, the must-links first.

    Parameters
    ----------
    pairs : PairwiseConstraints
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
    InvalidPairError
        If the format cannot hold a label: one with a line end in text, an empty one in CSV and TSV, half a surrogate
        pair in any.
    MissingDependencyError
        As in `read_pairs`.

    Warns
    -----
    UserWarning
        If the format is CSV or TSV and leaves that are in no pair are lost.

    Notes
    -----
    Text and Parquet give an equal value back, if the labels are strings; others are written as ``str(label)``, and read
    back with the same `leaves`.

    Examples
    --------
    >>> p = PairwiseConstraints.from_labels([("human", "chimp")], [("human", "Hylobates lar")])
    >>> write_pairs(p)
    "chimp human must\n'Hylobates lar' human cannot\n"
    """
    _check_format(format)
    kind = format or format_of_suffix(_name_of(target)) or "text"
    labels = [x if isinstance(x, str) else str(x) for x in check_pair_set(pairs).leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    check_unicode(labels, InvalidPairError)
    if kind == "parquet":
        if target is None:
            msg = "Parquet is binary: give a target to write to"
            raise ValueError(msg)
        with write_atomic_bytes(target) as binary:
            write_pair_parquet(pairs, labels, binary)
        return None
    lost = len(labels) - pairs.used_leaves.size
    if kind in DELIMITERS and lost:
        msg = f"{lost} of {len(labels)} leaves are in no pair, which {kind.upper()} cannot say: write text or Parquet"
        warn_user(msg)
    lines = pair_lines(pairs, labels) if kind == "text" else pair_table_lines(pairs, labels, kind)
    if target is None:
        return "".join(lines)
    with write_atomic(target) as stream:
        stream.writelines(lines)
    return None


def _three_names(columns: Any) -> tuple[str, ...]:
    """The names of three columns, checked."""
    several = isinstance(columns, Iterable) and not isinstance(columns, (str, bytes))
    names = list(columns) if several else []
    if len(names) != 3 or not all(isinstance(x, Hashable) for x in names) or len(set(names)) != 3:
        msg = f"columns must be the names of three columns, for the two labels and the link, not {columns!r}"
        raise ValueError(msg)
    return tuple(names)


def _check_format(format: Any) -> None:
    if format is not None and format not in _FORMATS:
        msg = f"format must be one of {', '.join(map(repr, _FORMATS))}, not {format!r}"
        raise ValueError(msg)


def _name_of(target: Any) -> str | None:
    name = os.fspath(target) if isinstance(target, (str, os.PathLike)) else getattr(target, "name", None)
    return name if isinstance(name, str) else None
