"""Tables of comparisons with an anchor, "is b or c more like a?", and the code that all tables of trios share.

Odd-one-out answers are another thing with three columns, see `tripletree.interop` and `tripletree.io.answers`. Neither
reader takes the file of the other by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from itertools import chain
from typing import Any

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.errors import ParseError
from tripletree.io.rows import LabelRows
from tripletree.io.source import Source
from tripletree.io.table import RowTable, cell_text, read_table

#: Headers that are known.
_COMPARISONS = (("anchor", "near", "far"), ("anchor", "positive", "negative"))
#: Names of the column with the anchor, which two others are compared with.
ANCHOR_NAMES = ("anchor", "reference", "ref", "query", "target", "probe", "standard", "head", "cue")
#: Said of such tables by readers of triplets and of odd-one-out answers.
NO_TRIPLETS = (
    'look like answers to "which of two is more like the first?": these are comparisons, and no triplets follow from '
    "them; tripletree.io.read_comparisons reads rows (anchor, the one chosen, the other one)"
)
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
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    columns : sequence of three str or int, optional
        Which columns hold anchor, near and far, by name or by position counted from 0. By default those called
        anchor, near, far (or anchor, positive, negative). Without such a header, the three columns of the table in
        this order.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur. Labels that are not strings are known by ``str(label)``. For indices into n
        samples give n. By default those that occur, sorted: as whole numbers if all of them are, else as strings.
    header : bool, optional
        True if the first row has the names of the columns. By default if it has the names that are looked for. A
        first row whose words occur nowhere else is refused unless this is given.

    Returns
    -------
    rows : ndarray of int32, shape (m, 3)
        Rows (anchor, near, far), in the order of the file, as positions in `leaves`. Repeats and contradictions
        stay. They are comparisons, which a `TripletSet` cannot hold.
    leaves : LeafIndex

    See Also
    --------
    read_answers : answers to "which of these three is the odd one?", which are triplets.
    read_triplets : triplets. `TripletSet.to_comparisons` gives the comparisons that they imply.
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
            msg = (
                f"give columns=, which of the columns hold anchor, near and far; there are {shown}. If a column tells "
                "which of two was chosen, put that one first and the other one behind it"
            )
            raise refusal(table, msg)
        columns = found or (0, 1, 2)
    places = [table.place(x, "column") for x in columns]
    rows = TrioRows(table, places, "anchor, near and far must differ")
    hint = "columns=[...] if they stand in another order than anchor, near, far"
    return indexed_rows(rows, table, leaves, header, hint)


def _named(columns: Iterable[Any]) -> list[str]:
    return [x for x in columns if isinstance(x, str)]


def refusal(table: RowTable, message: str) -> ParseError:
    """An error about a whole table."""
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
    raise refusal(table, msg)


# ---------------------------------------------------------------------- rows of labels


class TrioRows(LabelRows):
    """Rows of three labels (or two), all different. `rule` is the rule in words, for messages.

    With `pairs_too` the third cell of a row may be empty.
    """

    def __init__(self, table: RowTable, places: Sequence[int], rule: str, *, pairs_too: bool = False) -> None:
        super().__init__(table.path, table.unit)
        if not table.lines:
            raise refusal(table, "no rows in it: nothing follows the header")
        self._places, self._rule, self._pairs_too = places, rule, pairs_too
        self.width = len(places)
        for line, *cells in zip(table.lines, *(table.columns[k] for k in places), strict=True):
            self.add([cell_text(x) for x in cells], line)
        if self.problems:
            self.refuse()

    def add(self, cells: Sequence[str | None], line: int, *_: Any) -> None:
        if self._pairs_too and len(cells) == 3 and not cells[2]:
            cells = cells[:2]
        if not all(cells):
            empty = next(k for k, x in zip(self._places, cells, strict=False) if not x)
            self.problem(line, f"cell {empty + 1} is empty")
        elif len(set(cells)) < len(cells):
            twice = next(x for k, x in enumerate(cells) if x in cells[:k])
            self.problem(line, f"{twice!r} stands twice: {self._rule}")
        else:
            self.labels.append(tuple(map(str, cells)))
            self.lines.append(line)

    def indexed(self, leaves: LeafIndex | Iterable[Hashable] | int | None) -> tuple[LeafIndex, np.ndarray]:
        """The leaves, and the rows as positions in them, -1 for a third label that is missing."""
        is_short = np.array([len(x) < self.width for x in self.labels])
        filled = copy(self)
        filled.labels = [x if len(x) == self.width else (*x, x[0]) for x in self.labels]
        index, rows = LabelRows.indexed(filled, leaves)
        rows[is_short, -1] = -1
        return index, rows

    def occurring(self) -> LeafIndex:
        """The leaves that occur, sorted, as whole numbers if all of them are."""
        texts = set(chain.from_iterable(self.labels))
        if not all(map(_NUMBER.fullmatch, texts)):
            return LeafIndex(sorted(texts))
        numbers = sorted(map(int, texts))
        return LeafIndex(len(numbers)) if numbers[-1] == len(numbers) - 1 else LeafIndex(numbers)


def indexed_rows(
    rows: TrioRows, table: RowTable, leaves: LeafIndex | Iterable[Hashable] | int | None, header: bool | None, hint: str
) -> tuple[np.ndarray, LeafIndex]:
    """The labels as positions in a leaf index, int32 of shape (m, 3). A first row that may be a header is refused."""
    first, others = set(rows.labels[0]), set(chain.from_iterable(rows.labels[1:]))
    numbers = {x for x in first | others if _NUMBER.fullmatch(x)}
    asked = header is None and table.names is None and leaves is None  # if leaves are given, unknown ones are refused
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
