"""Files of what people answered: comparisons with an anchor, and odd-one-out answers, which are triplets.

Two readers, because the two are different things with three columns each, see `tripletree.interop`. Neither takes
the file of the other on its own: `read_odd_one_out` must be told which of three columns is the odd one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.core.provenance import Origins
from tripletree.core.triplets import TripletSet
from tripletree.errors import ParseError, UnknownLeafError
from tripletree.io.source import Source, decoded, read_bytes
from tripletree.io.table import RowTable, cell_text, is_frame, read_table, split_rows

__all__ = [
    "read_comparisons",
    "read_odd_one_out",
]

#: Headers that are known without being told.
_COMPARISONS = (("anchor", "near", "far"), ("anchor", "positive", "negative"))
_ODD = ("odd", "odd_one_out", "oddoneout", "odd_one", "answer", "response", "choice", "chosen")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def read_comparisons(
    source: Source,
    *,
    columns: Sequence[str | int] | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    header: bool | None = None,
) -> tuple[np.ndarray, LeafIndex]:
    r"""Read comparisons d(anchor, near) < d(anchor, far) from a table: CSV, TSV, Parquet, or columns of numbers.

    Parameters
    ----------
    source : path, file object, "-" or data frame
        ``"-"`` is the standard input; gzip, bzip2, xz and zip are unpacked.
    columns : sequence of three str or int, optional
        Which columns hold anchor, near and far, by name or by position counted from 0. By default those called
        anchor, near, far (or anchor, positive, negative); of a table without such a header, its three columns in
        this order.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur; labels that are no strings are known by ``str(label)``. For indices into n
        samples give n. By default those that occur, sorted: as whole numbers where all of them are, else as strings.
    header : bool, optional
        Whether the first row has the names of the columns; by default if it has the names that are looked for. A
        first row whose words occur nowhere else is refused until this says what it is.

    Returns
    -------
    rows : ndarray of int32, shape (m, 3)
        Rows (anchor, near, far), in the order of the file, as positions in `leaves`. Repeats and contradictions
        stay. They are comparisons: `TripletSet` is no place for them.
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
    table = _table(source, header, lambda names: any(_named(x) and set(_named(x)) <= set(names) for x in wanted))
    if columns is None:
        found = next((x for x in _COMPARISONS if table.names is not None and set(x) <= set(table.names)), None)
        if found is None:
            _check_no_triplets(table, leaves, header)
        if found is None and len(table.columns) != 3:
            shown = ", ".join(map(repr, table.names or [])) or f"{len(table.columns)} without names"
            raise _refusal(
                table, f"columns= must say which of the columns hold anchor, near and far; there are {shown}"
            )
        columns = found or (0, 1, 2)
    places = [table.place(x, "column") for x in columns]
    labels = _labels(table, places, "anchor, near and far must differ")
    if _new_words(table, labels, leaves, header):
        _check_no_header(table, labels, "columns=[...] if they stand in another order than anchor, near, far")
    codes, index = _coded(table, labels, leaves, header)
    return codes, index


def read_odd_one_out(
    source: Source,
    *,
    odd: str | int | None = None,
    items: Sequence[str | int] | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    header: bool | None = None,
) -> TripletSet:
    r"""Read answers to "which of these three is the odd one?", each of which is a triplet.

    Parameters
    ----------
    source : path, file object, "-" or data frame
        A table: CSV, TSV, Parquet, or columns of numbers; ``"-"`` is the standard input; gzip, bzip2, xz and zip are
        unpacked.
    odd : str or int, optional
        The column of the answer, by name or by position counted from 0. Either a fourth column that repeats one of
        the three labels, or one of the three items itself: ``odd=2`` for the files of the THINGS project, whose
        third item is the odd one. By default the fourth column, or the one called odd, answer, response or choice.
    items : sequence of three str or int, optional
        The columns of the three items; by default the three beside the fourth, or all three.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur; labels that are no strings are known by ``str(label)``. For indices into n
        samples give n. By default those that occur, sorted: as whole numbers where all of them are, else as strings.
    header : bool, optional
        Whether the first row has the names of the columns; by default if it has the names that are looked for. A
        first row whose words occur nowhere else is refused until this says what it is.

    Returns
    -------
    TripletSet
        Weighted by how often an answer was given, if some answer was given more than once. Contradictory answers
        stay: the set need not be consistent. ``.origins`` says where each stands: the line of the file, or the row of
        a data frame counted from 1 (row k is ``frame.iloc[k - 1]``).

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If a row has an empty cell, a label twice, a label that is none of the leaves, or an answer that is none of
        its three, with its line; or if nothing says which column is the odd one.

    See Also
    --------
    tripletree.triplets_from_odd_one_out : the same for lists.
    read_comparisons : "is b or c more like a?", which is no triplet.

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
    table = _table(source, header, lambda names: set(wanted) <= set(names) and bool(wanted or _answers(names)))
    answer = _answer_column(table, odd, items)
    if items is not None:
        places = [table.place(x, "item") for x in items]
    else:
        places = [k for k in range(len(table.columns)) if k != answer or len(table.columns) == 3]
    if len(places) != 3 or len(set(places)) != 3:
        raise _refusal(table, f"items= must say which three of the {_columns(table)} hold the items")
    labels = _labels(table, places, "the three items must differ")
    if _new_words(table, labels, leaves, header):
        _check_no_header(table, labels, "odd= may then be a name")
    codes, index = _coded(table, labels, leaves, header)
    at = np.full(len(codes), places.index(answer)) if answer in places else _positions(table, labels, answer)
    every = np.arange(len(codes))
    rows = np.stack([codes[every, (at + 1) % 3], codes[every, (at + 2) % 3], codes[every, at]], axis=1)
    origins = Origins.of_lines(table.path, table.unit, table.lines)
    counted = TripletSet(rows, index, np.ones(len(rows)), origins=origins)
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
            "three columns, and nothing says which of them is the odd one: odd=2 if it is the third, as in the files "
            "of THINGS, odd=0 if it is the first; if the rows are (anchor, near, far), they are no triplets, see "
            "read_comparisons",
        )
    shown = f"; it could be {' or '.join(map(repr, found))}" if found else ""
    raise _refusal(table, f"odd= must say which of the {_columns(table)} holds the answer{shown}")


def _answers(names: Sequence[str]) -> list[str]:
    return [x for x in names if re.sub(r"[\s-]+", "_", x.lower()) in _ODD]


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
        f"TripletSet.to_comparisons gives the comparisons that they imply; say columns={trio} if these are "
        "anchor, near and far"
    )
    raise _refusal(table, msg)


# ---------------------------------------------------------------------- rows of labels


def _table(source: Any, header: bool | None, known: Callable[[list[str]], bool]) -> RowTable:
    """A table with any delimiter, white space too."""
    if is_frame(source):
        return read_table(source)
    content, path = read_bytes(source)
    if isinstance(content, bytes) and content.startswith(b"PAR1"):
        table = read_table(io.BytesIO(content))
        table.path = path
        return table
    text = content if isinstance(content, str) else decoded(content, path)
    first = next((x for x in text[:100_000].split("\n") if x.strip() and not x.startswith("#")), "")
    if any(x in first for x in "\t,;|") or len(first.split()) < 3:
        return split_rows(text, path, header=header, known=known)
    return _spaced(text, path, header, known)


def _spaced(text: str, path: str | None, header: bool | None, known: Callable[[list[str]], bool]) -> RowTable:
    """A table whose cells stand apart by blanks; lines that start with ``#`` are comments."""
    names: list[str] | None = None
    cells: list[str] = []
    lines: list[int] = []
    shared: dict[str, str] = {}
    width = 0
    for number, line in enumerate(text.split("\n"), 1):
        row = line.split()
        if not row or line[0] == "#":
            continue
        if width == 0:
            width = len(row)
            if known(row) if header is None else header:
                names = row
                continue
        elif len(row) != width:
            msg = f"{len(row)} cell{'s' * (len(row) != 1)} where the first row has {width}"
            raise ParseError(msg, path=path, line=number)
        cells.extend(map(shared.setdefault, row, row))
        lines.append(number)
    return RowTable(path, names, [cells[k::width] for k in range(width)], lines)


def _labels(table: RowTable, places: Sequence[int], rule: str) -> list[list[Any]]:
    """Three columns of labels as text, no cell empty, none twice in a row."""
    if not table.lines:
        raise _refusal(table, "no rows in it: nothing follows the header")
    labels = [[cell_text(x) for x in table.columns[k]] for k in places]
    for row, (a, b, c) in enumerate(zip(*labels, strict=True)):
        if not (a and b and c):
            table.refuse(row, f"cell {next(k for k, x in zip(places, (a, b, c), strict=True) if not x) + 1} is empty")
        if a in (b, c) or b == c:
            table.refuse(row, f"{a if a in (b, c) else b!r} stands twice: {rule}")
    return labels


def _new_words(table: RowTable, labels: list[list[str]], leaves: Any, header: bool | None) -> bool:
    """Whether the first row may be a header: words that are no leaves, as far as known, and occur nowhere else."""
    if header is not None or table.names is not None or len(table.lines) < 2:
        return False
    first = {column[0] for column in labels}
    if leaves is not None or any(_NUMBER.fullmatch(x) for x in first):
        return False  # what is no leaf is refused as such
    others = set(chain.from_iterable(column[1:] for column in labels))
    return not first & others and not all(_NUMBER.fullmatch(x) for x in others)


def _check_no_header(table: RowTable, labels: list[list[str]], more: str) -> NoReturn:
    cells = ", ".join(repr(column[0]) for column in labels)
    msg = (
        f"is this a header? {cells} occur nowhere else: say header=True if it names the columns ({more}), or "
        "header=False if these are labels like the others"
    )
    table.refuse(0, msg)


def _coded(
    table: RowTable,
    labels: list[list[str]],
    leaves: LeafIndex | Iterable[Hashable] | int | None,
    header: bool | None,
) -> tuple[np.ndarray, LeafIndex]:
    """The labels as positions in a leaf index: int32, shape (m, 3)."""
    occurring = dict.fromkeys(chain.from_iterable(labels))
    if leaves is None:
        words = [x for x in occurring if not _NUMBER.fullmatch(x)]
        if header is None and set(words) == {column[0] for column in labels} and len(words) < len(occurring):
            table.refuse(0, "this row is words and all others are numbers; say header=True if it names the columns")
        index, position = _index_of(list(occurring), numbers=not words)
    else:
        index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        position = {x: i for i, x in enumerate(LeafIndex([str(x) for x in index]))}
        unknown = [x for x in occurring if x not in position]
        if unknown:
            near = UnknownLeafError(unknown, list(position)).suggestions
            row = next(i for i, cells in enumerate(zip(*labels, strict=True)) if any(x not in position for x in cells))
            label = next(column[row] for column in labels if column[row] not in position)
            hint = f"; did you mean {' or '.join(map(repr, near[label]))}?" if label in near else ""
            leaf = "leaf" if len(index) == 1 else "leaves"
            more = f" ({len(unknown)} labels in all are not)" if len(unknown) > 1 else ""
            table.refuse(row, f"{label!r} is none of the {len(index)} {leaf}{hint}{more}")
    columns = [np.fromiter(map(position.__getitem__, column), np.int32, len(column)) for column in labels]
    return np.stack(columns, axis=1), index


def _index_of(occurring: list[str], *, numbers: bool) -> tuple[LeafIndex, dict[str, int]]:
    """The leaves that occur, sorted, as whole numbers if all of them are, and the position of each."""
    ordered = sorted(occurring, key=int) if numbers else sorted(occurring)
    position = {x: i for i, x in enumerate(ordered)}
    if not numbers:
        return LeafIndex(ordered), position
    dense = int(ordered[-1]) == len(ordered) - 1
    return LeafIndex(len(ordered)) if dense else LeafIndex([int(x) for x in ordered]), position


def _positions(table: RowTable, labels: list[list[str]], answer: int) -> np.ndarray:
    """Which of its three labels each row's answer is."""
    at = np.empty(len(labels[0]), np.int64)
    for row, (trio, cell) in enumerate(zip(zip(*labels, strict=True), table.columns[answer], strict=True)):
        said = cell_text(cell)
        if said not in trio:
            hint = ": labels are wanted, not positions" if said in ("0", "1", "2", "3") else ""
            given = (
                "no answer" if said is None else f"the answer {said!r}, which is none of {', '.join(map(repr, trio))}"
            )
            table.refuse(row, f"{given}{hint}")
        at[row] = trio.index(said)
    return at
