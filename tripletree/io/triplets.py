"""Triplets as text, CSV, TSV and Parquet.

The text format has one triplet a line, the two close ones first::

    # great apes
    human chimp | gorilla
    'Homo sapiens', 'Pan paniscus' | 'Gorilla beringei' | 2.5
    #!leaves orang

Labels stand apart by white space or a comma. One with white space, a comma, a bar or a leading ``#`` in it, or with a
quote at its start, must stand in single or double quotes, that quote doubled inside. A number behind a second bar is
the triplet's weight, 1 if other lines have one. ``#`` at the start of a line or after white space starts a comment.
``#!leaves`` names leaves whether or not they occur in triplets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, overload

from tripletree.algorithms.supervision import triplets_from_comparisons
from tripletree.core.checks import check_count, counted
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import note
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidTripletError, ParseError
from tripletree.io.comparisons import is_header_of_comparisons, no_triplets, read_comparisons
from tripletree.io.pairs import are_links, pairs_advice
from tripletree.io.questions import answers_beside, counts_rows, is_known_beside, is_no_answer, one_hot, yes_or_no
from tripletree.io.rows import LabelRows, RowFormat, Token, check_row_format, read_rows, three_names, write_rows
from tripletree.io.source import Source, Target, named_stream, raw_bytes
from tripletree.io.table import arrow_batches, coded_column, is_frame, parquet_metadata, parquet_names, parquet_rows
from tripletree.io.ways import call, listed, source_text
from tripletree.tables.cells import cell_of, cell_text, is_number
from tripletree.tables.columns import COUNT, ODD, alike_columns, is_sure_anchor, plain
from tripletree.tables.rows import FRAME, RowTable, shown_names, table_of

_EXPECTED = "expected 'a b | c'"
#: Up to 6 different values may be codes, and rows that are looked at for numbers.
_FEW, _HEAD = 6, 1_000


class ComparisonsError(ParseError):
    """A table holds comparisons."""


class TripletRows(LabelRows):
    """Rows (a, b, c) as they are read, perhaps with a weight."""

    usual = re.compile(r"""\s*([^\s,|#'"]+)\s+([^\s,|#'"]+)\s*\|\s*([^\s,|#'"]+)\s*(?:\|\s*([^\s,|#'"]+)\s*)?""")
    shape = re.compile(r"L,?L\|L(\|L)?")
    plain = True
    #: Whether other columns are looked at, which may tell the odd one.
    judged = True

    @staticmethod
    def is_header(names: Sequence[str]) -> bool:
        return is_header_of_comparisons(names)

    def weight(self, names: Sequence[str], weight: str | None) -> str | None:  # type: ignore[override]
        found = super().weight(names, weight)
        counts = COUNT.among(names) if self.judged and weight == "weight" and found not in names else []
        return counts[0] if len(counts) == 1 else found

    def _of_rows(self, name: str | None, cells: Iterable[Any]) -> bool:
        """True for the name of a count above the numbers of the rows."""
        return name is not None and plain(name) == "n" and counts_rows([cell_text(cell_of(x)) for x in cells])

    def add_table(self, table: RowTable, columns: Sequence[str], weight: str | None) -> None:
        """Take the rows of a table, unless a column beside a, b and c tells which one is the odd one."""
        used = self.places(table, columns, weight)
        if self.judged:
            last = (table.names or [])[used[-1]]
            if len(used) > 3 and self._of_rows(last, table.columns[used[-1]]):
                weight = None
            beside = [(x, k) for k, x in enumerate(table.names or ()) if k not in used and not is_known_beside(x)]
            if beside:
                labels = [list(map(cell_text, table.columns[k])) for k in used[:3]]
                others = {x: list(map(cell_text, table.columns[k])) for x, k in beside}
                self._judge(others, list(zip(*labels, strict=True)), [(table.names or [])[k] for k in used[:3]])
            self._check_labels(table, used[:3])
        super().add_table(table, columns, weight)
        if table.names is not None:
            used = self.places(table, columns, weight)
            self._tell(table.names, [table.names[k] for k in used], len(table.lines))

    def _tell(self, names: Sequence[str], used: Sequence[str], count: int) -> None:
        """Tell how a table was understood, unless nothing else is in it than triplets under the usual names."""
        if {*names} <= {"a", "b", "c", "weight"} or not self.judged:
            return
        a, b, c, *weight = used
        by = f", weights by {weight[0]!r}" if weight else ""
        rest = [x for x in names if x not in used and not is_known_beside(x)]
        unused = f"; not used: {', '.join(map(repr, rest[:4]))}{', ...' if len(rest) > 4 else ''}" if rest else ""
        note("triplets", f"Read {counted(count, 'triplet')}: {a!r} and {b!r} against {c!r}{by}{unused}")

    def _check_labels(self, table: RowTable, used: Sequence[int]) -> None:
        """Refuse columns of measurements, or of a square table."""
        cells = {x for k in used for x in map(cell_text, table.columns[k][:_HEAD]) if x}
        names = table.names or []
        if cells and all(map(is_number, cells)):
            first = [*map(cell_text, table.columns[0])]
            if not all(map(str.isdigit, cells)) and any(float(x) % 1 for x in cells):
                what = "hold numbers with decimals, which are measurements rather than labels"
            elif first == names[1:]:
                what = "stand in a square table, whose first column has the same names as its header"
            else:
                return
            shown = [names[k] for k in used]
            command = call("read_triplets", self.path, columns=tuple(shown))
            way = f"the columns {', '.join(map(repr, shown))} {what}. If they are labels all the same: {command}"
            raise ParseError(way, path=self.path, line=1 if self.unit == "line" else None)

    def _judge(
        self, others: Mapping[str, Sequence[str | None]], rows: Sequence[Sequence[Any]], names: Sequence[str]
    ) -> None:
        """Raise if another column may tell the odd one of each row, or how often it was said."""
        source = source_text(self.path)
        hot = one_hot({x: [*y] for x, y in others.items()})
        if hot is not None:
            stem, trio, _ = hot
            msg = (
                f"the columns {', '.join(map(repr, trio))} choose one of {', '.join(map(repr, names))} in each row: "
                f"are these triplets, or is that the odd one? Triplets as they stand: read_triplets({source}, "
                f"columns={[*names]!r}); the odd one: read_answers({source}, items={[*names]!r}, odd={stem!r})"
            )
            raise ParseError(msg, path=self.path, line=1 if self.unit == "line" else None)
        for name, cells in others.items():
            meant = answers_beside(name, cells, rows, names)
            if meant is None:
                flags = yes_or_no(cells)
                if flags is not None and (flags == 0).any() and (flags == 1).any():
                    msg = (
                        f"{name!r} is no in {counted(int((flags == 0).sum()), 'row')}: are these triplets, too? If so, "
                        f"read_triplets({source}, columns={[*names]!r}); else leave these rows out first"
                    )
                    raise ParseError(msg, path=self.path, line=1 if self.unit == "line" else None)
                continue
            how, cure = meant
            odd = f"read_answers({source}, items={[*names]!r}, odd={name!r}{cure})"
            shown = ", ".join(map(repr, names))
            if ODD.among([name]):
                msg = (
                    f"the column {name!r} {how} of {shown} in every row, and not always the last: these look like "
                    f"odd-one-out answers, which {odd} reads; triplets need no such column"
                )
            else:
                msg = (
                    f"the column {name!r} {how} of {shown} in every row: are these triplets, or does it tell which "
                    f"of three is the odd one? Triplets as they stand: read_triplets({source}, columns={[*names]!r}); "
                    f"the odd one: {odd}"
                )
                if how == "repeats one" and not any(x == row[0] for x, row in zip(cells, rows, strict=True)):
                    msg += f"; or, since {names[0]!r} is never named, which of two is more like it: "
                    msg += f"read_comparisons({source}, columns={[*names]!r}, answer={name!r})"
            raise ParseError(msg, path=self.path, line=1 if self.unit == "line" else None)

    def _lacks(self, missing: Sequence[Any], names: Sequence[Any], line: int | None) -> NoReturn:
        if any(is_sure_anchor(str(x)) for x in names) or is_header_of_comparisons([str(x) for x in names]):
            msg = f"the columns {shown_names(names)} {no_triplets(self.path)}"
            raise ComparisonsError(msg, path=self.path, line=line)
        super()._lacks(missing, names, line)

    def advice(self, table: RowTable | None) -> str:
        needs = "three columns of items, a, b and c of ab|c, are needed"
        if table is None or table.names is None:
            return f"{needs}, and columns= names them"
        if table.header_line is not None and (ways := _without_header(table)):
            return f"this is not a header, as its cells stand below, too. {listed(ways)}"
        *trio, told = [x for x in table.names if not is_known_beside(x) and plain(x) not in COUNT.names] or [""]
        if len(trio) == 3:
            columns = [[*map(cell_text, table.columns[table.names.index(x)])] for x in (*trio, told)]
            rows: list[Any] = list(zip(*columns[:3], strict=True))
            meant = answers_beside(told, columns[3], rows, trio)
            if meant is not None and meant[0] != "repeats one":
                return (
                    f"name them with columns={tuple(trio)!r} (a, b and c of ab|c); if {told!r} tells which of three is "
                    f"the odd one: read_answers({source_text(self.path)}, items={trio!r}, odd={told!r}{meant[1]})"
                )
        alike = alike_columns(table, are_links)
        if [len(x) for x in alike] == [3]:
            return f"name them with columns={tuple(alike[0])!r} (a, b and c of ab|c)"
        for odd in reversed(alike[0]) if [len(x) for x in alike] == [4] else ():
            items = [x for x in alike[0] if x != odd]
            cells = [table.columns[table.names.index(x)] for x in (odd, *items)]
            if all(x in abc for x, *abc in zip(*cells, strict=True)):
                return f"if {odd!r} is the odd one, read_answers(path, items={items!r}, odd={odd!r}) reads them"
        if len(table.names) == 3 and all(map(str.isdecimal, table.names)):  # a frame without names
            return f"name them with columns={tuple(table.names)!r} (a, b and c of ab|c)"
        return pairs_advice(table) or (
            f"{needs}; pairs need two columns of items and one of links (must or cannot), answers of people three of "
            "items and one of the odd one"
        )

    def add_found(self, found: dict[str, Any], columns: Sequence[str], weight: str | None, blank: str | None) -> None:
        names = self.called([*found], columns)
        last = self.weight([*found], weight)
        if last in found and self._of_rows(last, [*found[last]] if plain(last) == "n" else ()):
            weight = None
        beside = [x for x in found if x not in (*names, last) and not is_known_beside(x)]
        if self.judged and {*names} <= found.keys():
            labels = {str(y) for x in names for y in _values(found[x])}
            beside = [x for x in beside if len(_values(found[x])) <= _FEW or _among(_values(found[x]), labels)]
        if self.judged and beside and {*names} <= found.keys():
            table = table_of({x: found[x] for x in (*names, *beside)}, self.path)
            rows = [list(map(cell_text, x)) for x in table.columns]
            self._judge(dict(zip(beside, rows[3:], strict=True)), list(zip(*rows[:3], strict=True)), names)
        super().add_found(found, columns, weight, blank)

    def add_parquet(self, content: bytes, columns: Sequence[str], weight: str | None) -> None:
        names = parquet_names(content, self.path)
        beside = [x for x in names if not is_known_beside(x)] if self.judged else []
        wanted = self.wanted(names, columns, weight)
        self.add_frame(
            parquet_rows(content, self.path, [*dict.fromkeys([*wanted, *beside])]), columns, weight, blank=""
        )
        self.add_kept_leaves(parquet_metadata(content, self.path))

    def misshapen(self, shape: str, tokens: list[Token]) -> tuple[str, int]:
        if tokens[0].value.startswith("("):
            return f"this looks like Newick, which read_newick reads; {_EXPECTED}", 0
        if "|" not in shape and (shape in ("L,L,L", "L,L,L,L") or tokens[0].value.count(";") > 1):
            return f"no '|' in the line: {_EXPECTED}; a table needs the names of its columns, a, b and c, above it", 0
        if "|" not in shape:
            return f"no '|' in the line: {_EXPECTED}, where a and b are the close ones", len(tokens) - 1
        left, right, *rest = shape.split("|")
        bar = shape.index("|")
        if left == "L":
            value = tokens[0].value
            return f"one label, {value!r}, before the '|': {_EXPECTED}, with white space or a comma between a and b", 0
        if left.count("L") > 2:
            return f"{left.count('L')} labels before the '|': {_EXPECTED}; a label with blanks must stand in quotes", 2
        if left not in ("LL", "L,L"):
            return f"two labels must stand before the '|': {_EXPECTED}", bar
        if right.count("L") > 1:
            hint = "a label with blanks must stand in quotes, a weight behind a second '|'"
            return f"{right.count('L')} labels after the '|': {_EXPECTED}; {hint}", bar + 2
        if right != "L":
            return f"one label must stand after the '|': {_EXPECTED}", bar
        second = shape.index("|", bar + 1) if rest else len(tokens) - 1
        return "one number, the weight, may stand after the second '|'", second


def _values(column: Any) -> Sequence[Any]:
    """The different values of a column of numbers or texts, nothing for others."""
    coded = coded_column(column)
    return () if coded is None else coded.values


def _among(values: Sequence[Any], labels: Collection[str]) -> bool:
    """True if all values are labels, or no answer."""
    return all(str(x) in labels or is_no_answer(str(x)) for x in values)


def _without_header(table: RowTable) -> list[tuple[str, str]]:
    """The readings of a table whose first row is like all others. None if it may be a header."""
    first = table.names or []
    cells = [[name, *map(cell_text, column)] for name, column in zip(first, table.columns, strict=True)]
    places = [str(k) for k in range(len(first))]
    alike = alike_columns(RowTable(None, places, cells, range(len(cells[0]))), are_links)
    trio = next(([*map(int, x)] for x in alike if len(x) in (3, 4)), [0, 1, 2])
    rest = [k for k in range(len(first)) if k not in trio[:3]]
    if len(first) < 3 or {x for k in trio for x in cells[k][1:]}.isdisjoint(first[k] for k in trio):
        return []
    path, trio = table.path, trio[:3]
    rows: list[Any] = list(zip(*(cells[k] for k in trio), strict=True))
    told = [k for k in rest if answers_beside("answer", cells[k], rows, [str(k) for k in trio]) is not None]
    if not told:
        near = call("read_comparisons", path, columns=trio, header=False)
        return [
            ("if the rows are triplets ab|c", call("read_triplets", path, columns=tuple(trio))),
            ("if they are an anchor, the one nearer to it and the other one", near),
        ]
    said = call("read_answers", path, items=trio, odd=told[0], header=False)
    ways = [(f"if column {told[0]}, counted from 0, names the odd one", said)]
    if not any(x in (row[0], "3", "C", "c") for x, row in zip(cells[told[0]], rows, strict=True)):
        said = call("read_comparisons", path, columns=trio, answer=told[0], header=False)
        ways.append((f"if it names which of two is more like the one in column {trio[0]}", said))
    return ways


class StatedRows(TripletRows):
    """Rows of triplets whose columns the caller has named."""

    judged = False


def read_triplets(
    path: Source,
    *,
    format: RowFormat | None = None,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = "weight",
) -> TripletSet:
    r"""Read a set of triplets.

    Parameters
    ----------
    path : path, file object, "-", data frame, or table or stream of Arrow
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked. A table of comparisons with an anchor gives
        the triplets that it says in full, both halves (`triplets_from_comparisons`).
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default the suffix decides (.txt, .triplets, .csv, .tsv, .parquet, also before .gz, .bz2 or .xz). Without
        one of these, and with .txt, a table if the first line is a header with the columns, else text. Cells of CSV may
        have semicolons between them.
    leaves : LeafIndex or iterable of labels, optional
        The leaves that may occur, all of which the result has. Labels that are not strings are known by ``str(label)``.
        By default the leaves that the source names: as strings, sorted, or as the Parquet file keeps them. Whole
        numbers in a data frame, an Arrow table or a Parquet file stay numbers.
    columns : sequence of three str or int, optional
        Columns of a table that hold a, b and c of ab|c, or their places, counted from 0, in one without a header.
        Further columns are then ignored. By default a, b and c, and a further column that may tell which of the three
        is the odd one is asked about.
    weight : str or None
        Column of the weights, if there is one of that name. By default also one called count, freq, votes or the like.
        None ignores it.

    Returns
    -------
    TripletSet
        A triplet that occurs several times counts once, with the sum of its weights. The set need not be consistent.

    Raises
    ------
    ParseError
        If there are bad rows: labels missing or equal, a weight that is not a positive number, a leaf not
        among `leaves`. ``.problems`` holds up to 20 of them, each with its line. Or if another column of a table tells
        which of the three is the odd one: that is for `tripletree.io.read_odd_one_out`.

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
    check_row_format(format)
    names = ("a", "b", "c") if columns is None else three_names(columns, "a, b and c of ab|c")
    if not is_frame(path) and format != "parquet" and names == ("a", "b", "c"):
        path = named_stream(*raw_bytes(path))
    kind = TripletRows if columns is None else StatedRows
    try:
        rows = read_rows(kind, path, format=format, columns=names, weight=weight)
    except ComparisonsError as error:
        if names != ("a", "b", "c"):
            raise
        return _of_comparisons(path, leaves, error)
    index, positions = rows.indexed(leaves)
    return TripletSet(positions, index, rows.all_weights(), origins=rows.origins())


def _of_comparisons(path: Any, leaves: Any, error: ParseError) -> TripletSet:
    """Return the triplets that comparisons say in full, both halves. Raise `error` if there are no such triplets."""
    if hasattr(path, "seek"):
        path.seek(0)
    said = read_comparisons(path, leaves=leaves)
    found = triplets_from_comparisons(said)
    if not len(found):
        msg = f"{error.problems[0]}. No two of its {len(said.rows):,} comparisons say both halves of a triplet"
        raise ComparisonsError(msg, path=error.path, line=error.line, problems=error.problems)
    return found


def read_triplet_batches(
    path: Source,
    *,
    size: int = 1_000_000,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = "weight",
) -> Iterator[TripletSet]:
    """Read triplets of a Parquet file or an Arrow stream part by part, when there are too many for the memory.

    Parameters
    ----------
    path : path, file object, data frame, or table or stream of Arrow
        Only one part at a time is in memory if a path to a Parquet file or a stream is given.
    size : int
        The most rows of a part.
    leaves : LeafIndex or iterable of labels, optional
        As in `read_triplets`. By default each part has the leaves that occur in it, or all leaves that the file keeps.
    columns, weight
        As in `read_triplets`. Of further columns the first part is looked at.

    Yields
    ------
    TripletSet
        With the rows as origins. A triplet that occurs in several parts counts in each of them.

    See Also
    --------
    tripletree.triplet_score : takes the parts one by one.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"a": [0, 0, 2], "b": [1, 2, 1], "c": [2, 3, 3]})
    >>> for part in read_triplet_batches(table, size=2):
    ...     print(part)
    <TripletSet: 2 triplets on 4 leaves: 0 1 | 2, 0 2 | 3>
    <TripletSet: 1 triplet on 3 leaves: 1 2 | 3>
    """
    names = None if columns is None else three_names(columns, "a, b and c of ab|c")
    check_count(size, "size", 1)
    index = leaves if leaves is None or isinstance(leaves, LeafIndex) else LeafIndex(leaves)
    return _batches(path, size, index, names, weight)


def _batches(
    path: Source, size: int, leaves: LeafIndex | None, given: tuple[str, ...] | None, weight: str | None
) -> Iterator[TripletSet]:
    columns = given or ("a", "b", "c")

    def wanted(name: str | None, names: Sequence[str]) -> list[str]:
        found = (TripletRows if given is None else StatedRows)(name, "row").wanted(names, columns, weight)
        beside = [x for x in names if not is_known_beside(x)] if given is None else []
        return [*dict.fromkeys([*found, *beside])]

    for part in arrow_batches(path, size, wanted):
        first = part.before == 0 and given is None
        rows = (TripletRows if first else StatedRows)(part.path, "row")
        rows.before = part.before
        rows.add_frame(part.table, columns, weight, blank=None if part.path == FRAME else "")
        rows.add_kept_leaves(part.metadata)
        index, positions = rows.indexed(leaves)
        weights = rows.all_weights()
        if first:  # the others are read in the same way
            weight = None if weights is None else rows.weight(part.table.column_names, weight)
        yield TripletSet(positions, index, weights, origins=rows.origins())


@overload
def write_triplets(triplets: TripletSet, path: None = None, *, format: RowFormat | None = None) -> str: ...
@overload
def write_triplets(triplets: TripletSet, path: Target, *, format: RowFormat | None = None) -> None: ...
def write_triplets(triplets: TripletSet, path: Target | None = None, *, format: RowFormat | None = None) -> str | None:
    r"""Write a set of triplets, in the order of its rows.

    Parameters
    ----------
    triplets : TripletSet
    path : path, file object or "-", optional
        As in `write_newick`. By default the text is returned.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default the suffix decides, else text.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two labels are the same once written as text (1 and "1").
    InvalidTripletError
        If the format cannot hold a label: one with a line end in text, an empty one in CSV and TSV, half a surrogate
        pair in any.

    Warns
    -----
    UserWarning
        If the format is CSV or TSV and leaves that are in no triplet are lost.

    Notes
    -----
    Text and Parquet give an equal set back, if the labels are strings, and Parquet, if they are whole numbers. Others
    are written as ``str(label)``, and `read_triplets` with ``leaves=`` knows them again.

    Examples
    --------
    >>> t = TripletSet.from_labels([("human", "chimp", "gorilla")], ["chimp", "gorilla", "human", "Hylobates lar"])
    >>> write_triplets(t)
    "#!leaves 'Hylobates lar'\nchimp human | gorilla\n"
    """
    given = check_triplets(triplets).weights
    weights = None if given is None else given.tolist()

    def cells(labels: Sequence[str]) -> Iterator[list[str]]:
        for k, (a, b, c) in enumerate(triplets.rows.tolist()):
            yield [labels[a], labels[b], labels[c], *([] if weights is None else [repr(weights[k])])]

    def line(row: list[str]) -> str:
        return f"{row[0]} {row[1]} | {' | '.join(row[2:])}\n"

    def arrays(pyarrow: Any, labels: Any) -> dict[str, Any]:
        columns = {
            column: pyarrow.DictionaryArray.from_arrays(pyarrow.array(triplets.rows[:, k]), labels)
            for k, column in enumerate("abc")
        }
        return columns if weights is None else {**columns, "weight": pyarrow.array(triplets.weights)}

    return write_rows(
        path,
        format=format,
        leaves=triplets.leaves,
        used=triplets.used_leaves,
        what="triplet",
        header=["a", "b", "c", *([] if weights is None else ["weight"])],
        cells=cells,
        line=line,
        arrays=arrays,
        error=InvalidTripletError,
    )
