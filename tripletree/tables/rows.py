"""A table as columns, with the line or row of each cell for messages.

The readers of `tripletree.io` make it from files, `table_of` from the columns of a data frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NoReturn

from tripletree.core.checks import counted
from tripletree.core.notes import READING, note
from tripletree.errors import SHOWN, ParseError
from tripletree.tables.cells import OddCell, cell_of, cell_text

#: The most columns of a table, Excel's own bound. What each of them may be is asked in many ways.
MOST_COLUMNS = 16_384
#: Rows whose cells tell what a column holds.
_LOOKED_AT = 10_000


def shown_names(names: Sequence[Any], most: int = SHOWN) -> str:
    """The names of columns for a message: the first of them, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


@dataclass
class RowTable:
    """A table as columns.

    Attributes
    ----------
    path : str or None
        The source's name, for messages.
    names : list of str, or None
        Names of the columns. None for a table without header.
    columns : list of list
        Their cells, None if empty: text, or (from Parquet and data frames) whatever stands there.
    lines : sequence of int
        The place of each row: the line of the text, or the row counted from 1.
    unit : str
        Unit of `lines`: "line" or "row".
    header_line : int or None
        The line of the header, if there is one.
    title : str or None
        The first of the lines above the header that were passed over.
    delimiter : str or None
        What stands between the cells of a text.
    """

    path: str | None
    names: list[str] | None
    columns: list[list[Any]]
    lines: Sequence[int]
    unit: str = "line"
    header_line: int | None = None
    title: str | None = None
    delimiter: str | None = None
    _texts: dict[int, list[str | None]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        n = len(self.columns)
        if n > MOST_COLUMNS:
            msg = (
                f"{n:,} columns, more than the {MOST_COLUMNS:,} that a table may have, which are Excel's own: leave "
                "out those that are not meant, or exchange rows and columns"
            )
            raise ParseError(msg, path=self.path, line=self.header_line)

    @property
    def called(self) -> Sequence[Any]:
        """What readers know the columns by: their names, or their places."""
        return self.names or range(len(self.columns))

    @property
    def first_line(self) -> int | None:
        """The line of the first row, None if rows are no lines."""
        return self.lines[0] if self.unit == "line" and self.lines else None

    def texts(self, k: int) -> list[str | None]:
        """The cells of a column as texts."""
        if k not in self._texts:
            self._texts[k] = [x if x is None or type(x) is str else cell_text(x) for x in self.columns[k]]
        return self._texts[k]

    def head(self, k: int) -> list[str]:
        """The first cells of a column, which tell what it holds, without blanks around them."""
        return [(cell_text(x) or "").strip() for x in islice(self.columns[k], _LOOKED_AT)]

    def rows_of(self, places: Sequence[int]) -> list[tuple[str | None, ...]]:
        """The cells of some columns, row by row."""
        return list(zip(*map(self.texts, places), strict=True))

    def refusal(self, message: str) -> ParseError:
        """An error about the whole table."""
        return ParseError(message, path=self.path, line=1 if self.unit == "line" else None)

    def refuse(self, row: int, message: str) -> NoReturn:
        """Raise a ParseError at a row."""
        number = self.lines[row]
        if self.unit == "line":
            raise ParseError(message, path=self.path, line=number)
        raise ParseError(f"row {number}: {message}", path=self.path)

    def place(self, column: str | int, what: str) -> int:
        """The place of the column of a name, or of a position counted from 0."""
        nameless = f"{len(self.columns)} columns without names{self._first_row()}"
        shown = shown_names(self.names or []) or nameless
        if isinstance(column, int) and not isinstance(column, bool):
            if 0 <= column < len(self.columns):
                return column
        elif self.names is not None and self.names.count(str(column)) == 1:
            return self.names.index(str(column))
        elif self.names is not None and column in self.names:
            msg = f"{what} {column!r} stands {self.names.count(str(column))} times in the header: {shown}"
            raise ParseError(msg, path=self.path, line=self.header_line)
        given = f"{what}={column!r}" if what.isidentifier() and what != "column" else f"{what} {column!r}"
        msg = f"{given} is not a column of this table; it has {shown}"
        raise ParseError(msg, path=self.path, line=self.header_line)

    def two_columns(
        self,
        given: Sequence[str | int | None],
        options: Sequence[str],
        what: str,
        usual: Callable[[], tuple[int, int] | None],
    ) -> tuple[int, int]:
        """The places of two columns by name or position, of two also if one is given, or the `usual` ones."""
        at = [None if x is None else self.place(x, option) for x, option in zip(given, options, strict=True)]
        if len(self.columns) == 2 and at.count(None) == 1:
            at = [1 - at[1 - k] if x is None else x for k, x in enumerate(at)]  # type: ignore[operator]
        first, second = at if any(x is not None for x in at) else usual() or at
        if first is None or second is None:
            n = len(self.columns)
            names = f": {shown_names(self.names)}" if self.names else ""
            msg = f"{n} column{'s' * (n != 1)}{names}; give {options[0]}= and {options[1]}=, which columns hold {what}"
            raise self.refusal(msg)
        if first == second:
            raise ParseError(f"{options[0]} and {options[1]} are the same column", path=self.path)
        return first, second

    def refuse_header(self, cells: Iterable[str], cure: str) -> NoReturn:
        """Raise the error for a first row that may be a header, since its cells occur in no other row."""
        self.refuse(0, f"is this a header? {shown_names([*cells])} occur nowhere else: {cure}")

    def tell(self, what: str, used: Iterable[int | None]) -> None:
        """Note what was read, and which columns were not."""
        taken = set(used)
        left = [x for k, x in enumerate(self.names or map(str, range(len(self.columns)))) if k not in taken]
        more = f"; not used: {shown_names(left)}" if left else ""
        note(READING, f"read {counted(len(self.lines), 'row')}: {what}{more}")

    def with_header_as_row(self) -> RowTable:
        """The table without names of columns: they are the first row."""
        columns = [[name or None, *cells] for name, cells in zip(self.names or (), self.columns, strict=True)]
        lines = [self.header_line or 0, *self.lines]
        return replace(self, names=None, columns=columns, lines=lines, header_line=None)

    def named_by_first_row(self) -> RowTable:
        """The table whose first row has the names of its columns."""
        rest = self.taking(range(1, len(self.lines)))
        names = [cell_text(x[0]) or "" for x in self.columns]
        return replace(rest, names=names, header_line=self.lines[0] if self.unit == "line" else None)

    def taking(self, rows: Sequence[int]) -> RowTable:
        """Some of the rows."""
        columns = [[x[k] for k in rows] for x in self.columns]
        return replace(self, columns=columns, lines=[self.lines[k] for k in rows])

    def _first_row(self) -> str:
        """The first row, which may be a header that was not taken for one."""
        cells = [cell_text(x[0]) or "" for x in self.columns[:10]] if self.lines else []
        return f"; the first row is {', '.join(map(repr, cells))}" if cells else ""


def not_used(names: Sequence[str]) -> str:
    """What a note says at its end of columns that are not used."""
    return f"; not used: {', '.join(map(repr, names[:4]))}{', ...' * (len(names) > 4)}" if names else ""


#: Name of a data frame in messages.
FRAME = "<data frame>"


def table_of(found: dict[str, Any], path: str | None = FRAME, cell: Callable[[Any], Any] | None = None) -> RowTable:
    """The columns of `frame_columns` cell by cell, each as `cell` makes it."""
    names = list(found)
    columns: list[list[Any]] = []
    for name, column in found.items():
        try:
            values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        except (OverflowError, ValueError) as error:  # dates beyond Python's, bytes that are not text
            raise ParseError(f"the column {name!r} cannot be read: {error}", path=path) from None
        try:
            columns.append([(cell or cell_of)(x) for x in values])
        except OddCell as odd:
            row = next(i for i, x in enumerate(values, 1) if x is odd.value)
            kind = type(odd.value).__name__
            msg = f"row {row}, column {name!r}: a cell holds {kind}: {odd.value!r:.60}; cells must be texts or numbers"
            raise ParseError(msg, path=path) from None
    n = len(columns[0]) if columns else 0
    return RowTable(path, names, columns, range(1, n + 1), "row")
