"""Triplets as text, CSV, TSV and Parquet.

The text format has one triplet a line, the two close ones first::

    # great apes
    human chimp | gorilla
    'Homo sapiens', 'Pan paniscus' | 'Gorilla beringei' | 2.5
    #!leaves orang

Labels stand apart by white space or a comma. One with white space, a comma, a bar or a leading ``#`` in it, or with a
quote at its start, must stand in single or double quotes, that quote doubled inside. A number behind a second bar is
the triplet's weight, 1 if other lines have one. A line of Newick with three leaves, ``((a,b),c);``, is a triplet, too.
``#`` at the start of a line or after white space starts a comment.
``#!leaves`` names leaves whether or not they occur in triplets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, overload

from tripletree.algorithms.supervision import triplets_from_comparisons
from tripletree.core.checks import check_count, counted
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import note
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InvalidTripletError, ParseError
from tripletree.io.comparisons import no_triplets, read_comparisons
from tripletree.io.headers import (
    is_header_of_comparisons,
    is_known_beside,
    options_beside,
    says_near,
    split_columns,
    trio_by_name,
)
from tripletree.io.layouts import with_pair_apart
from tripletree.io.pairs import are_links, pairs_advice
from tripletree.io.questions import check_numbers
from tripletree.io.readings import ways_of
from tripletree.io.replies import answers_beside, votes_in, yes_or_no
from tripletree.io.rows import LabelRows, RowFormat, Token, check_row_format, read_rows, three_names, write_rows
from tripletree.io.source import Source, Target, decoded, is_parquet, named_stream, raw_bytes
from tripletree.io.table import (
    arrow_batches,
    coded_column,
    has_header,
    is_frame,
    parquet_metadata,
    parquet_names,
    parquet_rows,
    split_rows,
)
from tripletree.io.ways import call, listed, question
from tripletree.io.wording import newick_triplet
from tripletree.tables.cells import cell_text, is_no_answer, is_number
from tripletree.tables.columns import COUNT, ODD, alike_columns, is_sure_anchor, plain
from tripletree.tables.rows import FRAME, RowTable, not_used, shown_names, table_of

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
        return is_header_of_comparisons(names) or trio_by_name(names) is not None

    def called(self, names: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
        found = super().called(names, columns)
        return found if {*found} <= {*names} or not self.judged else trio_by_name(list(map(str, names))) or found

    def otherwise(self, line: str) -> Sequence[str] | None:
        """A triplet in Newick, perhaps with its weight behind it."""
        tree, _, rest = line.strip().rpartition(")")
        trio = newick_triplet(f"{tree})")
        _, end, weight = rest.rpartition(";")  # a name and a length of the root stand before the end
        return trio and (*trio, *(weight if end or ":" not in rest else "").strip(" \t|").split())

    def weight(self, names: Sequence[str], weight: str | None) -> str | None:  # type: ignore[override]
        found = super().weight(names, weight)
        counts = COUNT.among(names) if self.judged and weight == "weight" and found not in names else []
        return counts[0] if len(counts) == 1 else found

    def add_table(self, table: RowTable, columns: Sequence[str], weight: str | None) -> None:
        """Take the rows of a table, unless a column beside a, b and c tells which one is the odd one."""
        if self.judged and options_beside(table.names or []) is not None:
            self._lacks([], table.names or [], table.header_line)
        given, table = table, self._apart(table, columns)
        used = self.places(table, columns, weight)
        if self.judged and table is given:
            weight = self._looked_at(table, used, weight)
            self._check_labels(table, used[:3])
        super().add_table(table, columns, weight)
        if table.names is not None:
            used = self.places(table, columns, weight)
            self._tell(table.names, [table.names[k] for k in used], len(table.lines))

    def _looked_at(self, table: RowTable, used: Sequence[int], weight: str | None) -> str | None:
        """Raise if a column beside the triplets may tell the odd one of each row, or what a column called n has.

        Returns
        -------
        str or None
            The weights' column, None if it numbers the rows.
        """
        names = table.names or []
        trio, last = tuple(names[k] for k in used[:3]), names[used[-1]]
        asks = len(used) > 3 and weight != last
        if asks and check_numbers(table, last, partial(call, "read_triplets", self.path, columns=trio)):
            weight = None
        others = {x: table.texts(k) for k, x in enumerate(names) if k not in used and not is_known_beside(x)}
        if others:
            self._judge(others, table.rows_of(used[:3]), trio)
        return weight

    def _apart(self, table: RowTable, columns: Sequence[str]) -> RowTable:
        """A table with a, b and c, if one column, and no other, has triplets as text: "x y | z", "((x,y),z);"."""
        names = table.names or []
        if not self.judged or {*self.called(names, columns)} <= {*names}:
            return table
        if (made := with_pair_apart(table)) is not table:
            return made
        found = {}
        for k in range(len(names)):
            cells = [self._trio_in(x or "") for x in table.texts(k)]
            if cells and None not in cells:
                found[k] = list(zip(*cells, strict=True))
        if len(found) != 1:
            return table
        k, trio = next(iter(found.items()))
        rest = [j for j in range(len(names)) if j != k]
        own = [f"{names[j]}_" if names[j] in columns else names[j] for j in rest]
        columns_of = [*map(list, trio), *(table.columns[j] for j in rest)]
        return replace(table, names=[*columns, *own], columns=columns_of)

    def _trio_in(self, text: str) -> tuple[str, str, str] | None:
        usual = self.usual.fullmatch(text)
        if usual is None:
            return newick_triplet(text)
        return None if usual[4] else (usual[1], usual[2], usual[3])

    def _tell(self, names: Sequence[str], used: Sequence[str], count: int) -> None:
        """Tell how a table was understood, unless nothing else is in it than triplets under the usual names."""
        if {*names} <= {"a", "b", "c", "weight"} or not self.judged:
            return
        a, b, c, *weight = used
        by = f", weights by {weight[0]!r}" if weight else ""
        rest = [x for x in names if x not in used and not is_known_beside(x)]
        note("triplets", f"Read {counted(count, 'triplet')}: {a!r} and {b!r} against {c!r}{by}{not_used(rest)}")

    def _check_labels(self, table: RowTable, used: Sequence[int]) -> None:
        """Refuse columns of measurements, or of a square table."""
        cells = {x for k in used for x in map(cell_text, table.columns[k][:_HEAD]) if x}
        names = table.names or []
        if cells and all(map(is_number, cells)):
            first = table.texts(0)
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
        path, trio, shown = self.path, [*names], ", ".join(map(repr, names))
        line = 1 if self.unit == "line" else None
        plainly = ("triplets as they stand", call("read_triplets", path, columns=trio))
        votes = votes_in(others, names)
        if votes is not None:
            odd = ("the odd one", call("read_answers", path, items=trio, odd=votes.stem))
            chosen = f"the columns {', '.join(map(repr, votes.columns))} choose one of {shown} in each row"
            raise question(path, line, f"{chosen}: are these triplets, or is that the odd one?", [plainly, odd])
        splits = split_columns([*others], names)
        if splits and all(x is None or is_number(x) for y in splits for x in others[y]):
            pairs = [[x for x in names if x != odd] for odd in names]
            ways = []
            for (a, b), c, x in zip(pairs, names, splits, strict=True):
                said = call("read_triplets", path, columns=[a, b, c], weight=x)
                ways.append((f"{a!r} and {b!r} against {c!r}, weights by {x!r}", said))
            raise question(path, line, f"{', '.join(map(repr, splits))} have numbers for each pair.", [plainly, *ways])
        for name, cells in others.items():
            meant = answers_beside(name, cells, rows, names)
            if meant is None:
                flags = yes_or_no(cells)
                if flags is not None and (flags == 0).any() and (flags == 1).any():
                    msg = (
                        f"{name!r} is no in {counted(int((flags == 0).sum()), 'row')}: are these triplets, too? If so, "
                        f"{plainly[1]}; else leave these rows out first"
                    )
                    raise ParseError(msg, path=path, line=line)
                continue
            how, cure = meant
            odd = ("the odd one", f"{call('read_answers', path, items=trio, odd=name)[:-1]}{cure})")
            if ODD.among([name]):
                msg = (
                    f"the column {name!r} {how} of {shown} in every row, and not always the last: these look like "
                    f"odd-one-out answers, which {odd[1]} reads; triplets need no such column"
                )
                raise ParseError(msg, path=path, line=line)
            ways = [plainly, odd]
            never = {str(x) for x, row in zip(cells, rows, strict=True) if x not in ("1", "a", "A", row[0], names[0])}
            if how != "names two" and not cure and len(never) == len({*cells}) and not {*"|("} & {*"".join(never)}:
                near = f"or, since {names[0]!r} is never named, which of two is more like it"
                ways.append((near, call("read_comparisons", path, columns=trio, answer=name)))
            why = (
                f"the column {name!r} {how} of {shown} in every row: are these triplets, or does it tell which of three"
            )
            raise question(path, line, f"{why} is the odd one?", ways)

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
        votes = votes_in({x: table.texts(k) for k, x in enumerate(table.names)})
        if votes is not None and votes.items:
            said = call("read_answers", self.path, items=votes.items, odd=votes.stem)
            return f"{', '.join(map(repr, votes.columns))} have the votes for each of three, as answers: {said}"
        alike = alike_columns(table, are_links)
        meant = listed(ways_of(table))
        if [len(x) for x in alike] == [3]:
            return f"name them with columns={tuple(alike[0])!r} (a, b and c of ab|c){meant and f'. {meant}'}"
        if meant:
            return meant
        if len(table.names) == 3 and all(map(str.isdecimal, table.names)):  # a frame without names
            return f"name them with columns={tuple(table.names)!r} (a, b and c of ab|c)"
        return (
            pairs_advice(table)
            or _of_three(table)
            or (
                f"{needs}; pairs need two columns of items and one of links (must or cannot), answers of people three "
                "of items and one of the odd one"
            )
        )

    def add_found(self, found: dict[str, Any], columns: Sequence[str], weight: str | None, blank: str | None) -> None:
        names, last = self.called([*found], columns), self.weight([*found], weight)
        if self.judged and not {*names} <= found.keys():
            whole = table_of(found, self.path)
            if self._apart(whole, columns) is not whole:
                self.add_table(whole, columns, weight)
                return
        elif self.judged:  # of other columns only those that may tell something
            counts = [str(last)] if last in found and last != weight and plain(last) == "n" else []
            beside = [x for x in found if x not in (*names, last) and not is_known_beside(x)]
            labels = {str(y) for x in names for y in _values(found[x])} if beside else set()
            beside = [x for x in beside if len(_values(found[x])) <= _FEW or _among(_values(found[x]), labels)]
            if beside or counts:
                table = table_of({x: found[x] for x in (*names, *counts, *beside)}, self.path)
                weight = self._looked_at(table, range(3 + len(counts)), weight)
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


def _of_three(table: RowTable) -> str:
    """The readings of three columns of words, of which nothing says what they are. "" for other columns."""
    free = [x for x in table.names or () if not is_known_beside(x) and plain(x) not in COUNT.names]
    cells = [{*table.texts((table.names or []).index(x))} - {None} for x in free]
    if len(free) != 3 or any(all(is_number(str(y)) for y in x) for x in cells):
        return ""
    path, (x, y, z) = table.path, free
    near = [name for name in free if says_near(name)]
    if len(near) == 1:
        two = [name for name in free if name not in near]
        trios = [[one, near[0], other] for one, other in (two, two[::-1])]
        return listed(
            (f"if {b!r} is nearer to {a!r} than {c!r} is", call("read_comparisons", path, columns=[a, b, c]))
            for a, b, c in trios
        )
    ways = [(f"if {z!r} is the odd one", call("read_triplets", path, columns=(x, y, z)))]
    ways += [(f"if {x!r} is the odd one", call("read_triplets", path, columns=(y, z, x)))]
    ways += [(f"if {y!r} is nearer to {x!r} than {z!r} is", call("read_comparisons", path, columns=[x, y, z]))]
    return listed(ways)


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
    path, trio = table.path, trio[:3]
    if len(first) < 3 or {x for k in trio for x in cells[k][1:]}.isdisjoint(first[k] for k in trio):
        return []
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


def is_triplet_table(content: bytes | str, name: str | None) -> bool:
    """True if a table has two alike things and a third one under names that say so, and no link in the third."""
    if is_parquet(content):
        return False
    text = decoded(content, name)
    if not has_header(text, trio_by_name):
        return False
    head = text[:20_000].rpartition("\n")[0]
    table = split_rows(head, name, header=True, known=trio_by_name, problem=lambda *_: None)
    trio = trio_by_name(table.names or [])
    return trio is not None and not are_links({*table.head((table.names or []).index(trio[2]))})


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
    weights = check_triplets(triplets).weights
    return write_rows(
        path,
        format=format,
        leaves=triplets.leaves,
        columns={name: (triplets.rows[:, k], None) for k, name in enumerate("abc")},
        weights=weights,
        what="triplet",
        line=lambda row: f"{row[0]} {row[1]} | {' | '.join(row[2:])}\n",
        error=InvalidTripletError,
    )
