"""Files of what people answered: comparisons with an anchor, and odd-one-out answers, which are triplets.

Two readers, because the two are different things with three columns each, see `tripletree.interop`. Neither takes
the file of the other by mistake: `read_odd_one_out` asks which of three columns is the odd one.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import ParseError
from tripletree.io.rows import LabelRows
from tripletree.io.source import Source
from tripletree.io.table import RowTable, cell_text, read_table

__all__ = [
    "ODD_NAMES",
    "read_comparisons",
    "read_odd_one_out",
]

#: Headers that are known.
_COMPARISONS = (("anchor", "near", "far"), ("anchor", "positive", "negative"))
ODD_NAMES = ("odd", "odd_one_out", "oddoneout", "odd_one", "answer", "response", "choice", "chosen")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def read_comparisons(
    path: Source,
    *,
    columns: Sequence[str | int] | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    header: bool | None = None,
) -> tuple[np.ndarray, LeafIndex]:
    r"""Read comparisons d(anchor, near) < d(anchor, far) from a table: CSV, TSV, Parquet, or columns of numbers.

    Parameters
    ----------
    path : path, file object, "-" or data frame
        ``"-"`` is the standard input; gzip, bzip2, xz and zip are unpacked.
    columns : sequence of three str or int, optional
        Which columns hold anchor, near and far, by name or by position counted from 0. By default those called
        anchor, near, far (or anchor, positive, negative); of a table without such a header, its three columns in
        this order.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur; labels that are not strings are known by ``str(label)``. For indices into n
        samples give n. By default those that occur, sorted: as whole numbers where all of them are, else as strings.
    header : bool, optional
        Whether the first row has the names of the columns; by default if it has the names that are looked for. A
        first row whose words occur nowhere else is refused unless this is given.

    Returns
    -------
    rows : ndarray of int32, shape (m, 3)
        Rows (anchor, near, far), in the order of the file, as positions in `leaves`. Repeats and contradictions
        stay. They are comparisons, which a `TripletSet` cannot hold.
    leaves : LeafIndex

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If a row has an empty cell, a label twice, or one that is none of the leaves, with its line; or if the columns
        are called a, b and c, which is how triplets ab|c are written.

    See Also
    --------
    read_odd_one_out : answers that are triplets.
    read_triplets : triplets; `TripletSet.to_comparisons` gives the comparisons that they imply.
    tripletree.interop : to and from metric-learn and cblearn.

    Examples
    --------
    >>> import io
    >>> rows, leaves = read_comparisons(io.StringIO("anchor,near,far\ncat,dog,eel\n"))
    >>> rows.tolist(), leaves
    ([[0, 1, 2]], LeafIndex(['cat', 'dog', 'eel']))
    """
    if columns is not None and (isinstance(columns, str) or len(columns) != 3):
        msg = f"columns must be three columns, for anchor, near and far, not {columns!r}"
        raise ValueError(msg)
    leaves = leaves if leaves is None or isinstance(leaves, LeafIndex) else LeafIndex(leaves)
    wanted = (tuple(columns),) if columns is not None else _COMPARISONS
    table = read_table(
        path,
        spaced=True,
        header=header,
        known=lambda names: any(_named(x) and set(_named(x)) <= set(names) for x in wanted),
    )
    if columns is None:
        found = next((x for x in _COMPARISONS if table.names is not None and set(x) <= set(table.names)), None)
        if found is None:
            _check_no_triplets(table, leaves, header)
        if found is None and len(table.columns) != 3:
            shown = ", ".join(map(repr, table.names or [])) or f"{len(table.columns)} without names"
            raise _refusal(table, f"give columns=, which of the columns hold anchor, near and far; there are {shown}")
        columns = found or (0, 1, 2)
    places = [table.place(x, "column") for x in columns]
    rows = _TrioRows(table, places, "anchor, near and far must differ")
    hint = "columns=[...] if they stand in another order than anchor, near, far"
    return _indexed(rows, table, leaves, header, hint)


def read_odd_one_out(
    path: Source,
    *,
    odd: str | int | None = None,
    items: Sequence[str | int] | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    header: bool | None = None,
) -> TripletSet:
    r"""Read answers to "which of these three is the odd one?", each of which is a triplet.

    Parameters
    ----------
    path : path, file object, "-" or data frame
        A table: CSV, TSV, Parquet, or columns of numbers; ``"-"`` is the standard input; gzip, bzip2, xz and zip are
        unpacked.
    odd : str or int, optional
        The column of the answer, by name or by position counted from 0. Either a fourth column that repeats one of
        the three labels, or one of the three items itself: ``odd=2`` for the files of the THINGS project, whose
        third item is the odd one. By default the fourth column, or the one called odd, answer, response or choice.
    items : sequence of three str or int, optional
        The columns of the three items; by default the three beside the fourth, or all three.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur; labels that are not strings are known by ``str(label)``. For indices into n
        samples give n. By default those that occur, sorted: as whole numbers where all of them are, else as strings.
    header : bool, optional
        Whether the first row has the names of the columns; by default if it has the names that are looked for. A
        first row whose words occur nowhere else is refused unless this is given.

    Returns
    -------
    TripletSet
        Weighted by how often an answer was given, if some answer was given more than once. Contradictory answers
        stay: the set need not be consistent. ``.origins`` has the place of each: the line of the file, or the row of
        a data frame counted from 1 (row k is ``frame.iloc[k - 1]``).

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If a row has an empty cell, a label twice, a label that is none of the leaves, or an answer that is none of
        its three, with its line; or if the column of the odd one is not clear.

    See Also
    --------
    tripletree.triplets_from_odd_one_out : the same for lists.
    read_comparisons : "is b or c more like a?", which is not a triplet.

    Examples
    --------
    >>> import io
    >>> read_odd_one_out(io.StringIO("a,b,c,odd\ncat,eel,dog,eel\n"))
    <TripletSet: 1 triplet on 3 leaves: cat dog | eel>
    >>> read_odd_one_out(io.StringIO("0 1 2\n3 0 1\n"), odd=2)
    <TripletSet: 2 triplets on 4 leaves: 0 1 | 2, 0 3 | 1>
    """
    if items is not None and (isinstance(items, str) or len(items) != 3 or len(set(items)) != 3):
        msg = f"items must be three different columns, not {items!r}"
        raise ValueError(msg)
    wanted = _named([*(items or ()), odd])
    table = read_table(
        path,
        spaced=True,
        header=header,
        known=lambda names: set(wanted) <= set(names) and bool(wanted or _answers(names)),
    )
    answer = _answer_column(table, odd, items)
    if items is not None:
        places = [table.place(x, "item") for x in items]
    else:
        places = [k for k in range(len(table.columns)) if k != answer or len(table.columns) == 3]
    if len(places) != 3 or len(set(places)) != 3:
        raise _refusal(table, f"give items=, which three of the {_columns(table)} hold the items")
    trios = _TrioRows(table, places, "the three items must differ")
    codes, index = _indexed(trios, table, leaves, header, "odd= may then be a name")
    at = np.full(len(codes), places.index(answer)) if answer in places else _positions(table, trios, answer)
    every = np.arange(len(codes))
    rows = np.stack([codes[every, (at + 1) % 3], codes[every, (at + 2) % 3], codes[every, at]], axis=1)
    counted = TripletSet(rows, index, np.ones(len(rows)), origins=trios.origins())
    return counted if len(counted) < len(rows) else TripletSet(counted.rows, index, origins=counted.origins)


def _answer_column(table: RowTable, odd: str | int | None, items: Sequence[str | int] | None) -> int:
    """Where the answer stands."""
    if odd is not None:
        return table.place(odd, "odd")
    found = _answers(table.names or [])
    if len(found) == 1:
        return table.place(found[0], "odd")
    if len(table.columns) == 4 and items is None and not found:
        return 3
    if len(table.columns) == 3 and not found:
        raise _refusal(
            table,
            "three columns, and nothing tells which of them is the odd one: odd=2 if it is the third, as in the files "
            "of THINGS, odd=0 if it is the first; if the rows are (anchor, near, far), they are not triplets, see "
            "read_comparisons",
        )
    shown = f"; it could be {' or '.join(map(repr, found))}" if found else ""
    raise _refusal(table, f"give odd=, which of the {_columns(table)} holds the answer{shown}")


def _answers(names: Sequence[str]) -> list[str]:
    return [x for x in names if re.sub(r"[\s-]+", "_", x.lower()) in ODD_NAMES]


def _columns(table: RowTable) -> str:
    return f"{len(table.columns)} column{'s' * (len(table.columns) != 1)}"


def _named(columns: Iterable[Any]) -> list[str]:
    return [x for x in columns if isinstance(x, str)]


def _refusal(table: RowTable, message: str) -> ParseError:
    return ParseError(message, path=table.path, line=1 if table.unit == "line" else None)


def _check_no_triplets(table: RowTable, leaves: LeafIndex | None, header: bool | None) -> None:
    """Refuse columns a, b and c, with or without weight, which hold triplets."""
    names = table.names or [cell_text(column[0]) or "" for column in table.columns if column]
    words = sorted(x.strip().lower() for x in names)
    if words not in (["a", "b", "c"], ["a", "b", "c", "weight"]):
        return
    if table.names is None:
        known = leaves is not None and set(names) <= {str(x) for x in leaves}
        again = any(cell_text(x) in names for column in table.columns for x in column[1:])
        if header is False or known or again or len(table.lines) < 2:
            return
    trio = sorted(x for x in names if x.strip().lower() != "weight")
    msg = (
        "columns a, b and c hold triplets ab|c, no comparisons: read_triplets reads them, and "
        f"TripletSet.to_comparisons gives the comparisons that they imply; give columns={trio} if these are "
        "anchor, near and far"
    )
    raise _refusal(table, msg)


# ---------------------------------------------------------------------- rows of labels


class _TrioRows(LabelRows):
    """Rows of three labels, all different; `rule` is what must differ, for messages."""

    def __init__(self, table: RowTable, places: Sequence[int], rule: str) -> None:
        super().__init__(table.path, table.unit)
        if not table.lines:
            raise _refusal(table, "no rows in it: nothing follows the header")
        self._places, self._rule = places, rule
        for line, *cells in zip(table.lines, *(table.columns[k] for k in places), strict=True):
            self.add([cell_text(x) for x in cells], line)
        if self.problems:
            self.refuse()

    def add(self, cells: Sequence[str | None], line: int, *_: Any) -> None:
        a, b, c = cells
        if not (a and b and c):
            self.problem(
                line, f"cell {next(k for k, x in zip(self._places, cells, strict=True) if not x) + 1} is empty"
            )
        elif a in (b, c) or b == c:
            self.problem(line, f"{a if a in (b, c) else b!r} stands twice: {self._rule}")
        else:
            self.labels.append((a, b, c))
            self.lines.append(line)

    def occurring(self) -> LeafIndex:
        """The leaves that occur, sorted, as whole numbers if all of them are."""
        texts = set(chain.from_iterable(self.labels))
        if not all(map(_NUMBER.fullmatch, texts)):
            return LeafIndex(sorted(texts))
        numbers = sorted(map(int, texts))
        return LeafIndex(len(numbers)) if numbers[-1] == len(numbers) - 1 else LeafIndex(numbers)


def _indexed(
    rows: _TrioRows,
    table: RowTable,
    leaves: LeafIndex | Iterable[Hashable] | int | None,
    header: bool | None,
    hint: str,
) -> tuple[np.ndarray, LeafIndex]:
    """The labels as positions in a leaf index, int32 of shape (m, 3); a first row that may be a header is refused."""
    first, others = set(rows.labels[0]), set(chain.from_iterable(rows.labels[1:]))
    numbers = {x for x in first | others if _NUMBER.fullmatch(x)}
    asked = header is None and table.names is None and leaves is None  # of given leaves, what is unknown is refused
    if asked and others and not first & (others | numbers) and not others <= numbers:
        cells = ", ".join(map(repr, rows.labels[0]))
        msg = (
            f"is this a header? {cells} occur nowhere else: give header=True if it names the columns ({hint}), or "
            "header=False if these are labels like the others"
        )
        table.refuse(0, msg)
    if header is None and leaves is None and first == (first | others) - numbers and numbers:
        table.refuse(0, "this row is words and all others are numbers; give header=True if it names the columns")
    index, positions = rows.indexed(leaves)
    return positions, index


def _positions(table: RowTable, rows: _TrioRows, answer: int) -> np.ndarray:
    """Which of its three labels each row's answer is."""
    at = np.empty(len(rows.labels), np.int64)
    for row, (trio, cell) in enumerate(zip(rows.labels, table.columns[answer], strict=True)):
        said = cell_text(cell)
        if said not in trio:
            hint = ": expected labels, not positions" if said in ("0", "1", "2", "3") else ""
            given = (
                "no answer" if said is None else f"the answer {said!r}, which is none of {', '.join(map(repr, trio))}"
            )
            table.refuse(row, f"{given}{hint}")
        at[row] = trio.index(said)
    return at
