"""A table with a question a row, whatever layout it had before, and which of its rows count how often.

`tripletree.io.question_files` makes it, and the readers of answers and of comparisons read it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.checks import counted
from tripletree.core.provenance import Origins
from tripletree.errors import ParseError
from tripletree.io.replies import is_count, rises, without_answer
from tripletree.io.ways import ask
from tripletree.tables.cells import cell_text, with_point
from tripletree.tables.columns import COUNT, WHO, plain
from tripletree.tables.rows import RowTable


class Sought(NamedTuple):
    """What the caller has said about a table of questions."""

    wanted: Collection[str] = ()
    """Names of columns, which may come out of a list."""
    codes: Sequence[Any] | None = None
    """The answers that stand for items."""
    compared: bool = False
    """Whether two of three are compared with the first."""


@dataclass
class QuestionTable:
    """A table with a question a row.

    Attributes
    ----------
    table : RowTable
    notes : list of str
        What was understood beyond the columns, for the line that says so.
    parts : list of (str or None, int)
        The files that it comes from, each with its number of rows.
    from_zero : bool
        Whether positions surely count from 0, as in jsPsych.
    compared : bool
        Whether the questions say that two are compared with a third.
    items : list of str
        The columns of the items, if the others tell which they are.
    numbers : list of str
        Columns called n that numbered the rows before some were left out.
    sought : Sought
        What the caller has said.
    """

    table: RowTable
    notes: list[str] = field(default_factory=list)
    parts: list[tuple[str | None, int]] = field(default_factory=list)
    from_zero: bool = False
    compared: bool = False
    items: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    sought: Sought = Sought()

    def with_columns(
        self, names: Iterable[str], columns: Iterable[list[Any]], *notes: str, **more: Any
    ) -> QuestionTable:
        """The same rows with other columns. `more` are other attributes."""
        table = replace(self.table, names=[*names], columns=[*columns])
        return replace(self, table=table, notes=[*self.notes, *notes], **more)

    def taking(self, rows: Sequence[int]) -> QuestionTable:
        """Some of the rows."""
        ends = np.cumsum([m for _, m in self.parts])
        of = np.searchsorted(ends, np.asarray(rows, np.int64), side="right")
        parts = [(path, int((of == k).sum())) for k, (path, _) in enumerate(self.parts)]
        return replace(self, table=self.table.taking(rows), parts=parts)

    def called(self, k: int) -> str:
        """The name of a column, or which it is."""
        return self.table.names[k] if self.table.names else f"column {k}"

    def reading(self, noun: str, what: str, who: Iterable[str | None]) -> str:
        """How the table was understood, in one line."""
        n = len({x for x in who if x is not None})
        people = f"; {n:,} {'person' if n == 1 else 'people'}" if n else ""
        more = f"; {', '.join(self.notes)}" if self.notes else ""
        return f"Read {counted(len(self.table.lines), noun)}: {what}{people}{more}"

    def origins(self) -> Origins:
        """The place of each row."""
        files = np.repeat(np.arange(len(self.parts), dtype=np.int32), [m for _, m in self.parts])
        number = np.array(list(self.table.lines), np.int64)
        sources = [(path, "line" if self.table.unit == "line" else "row") for path, _ in self.parts]
        return Origins(sources, files, number, np.ones(number.size, np.int64))


def check_numbers(table: RowTable, name: str, read: Callable[..., str], *, people: bool = False) -> bool:
    """True if a column called n surely numbers the rows. Raise the question if it may as well have votes.

    `read` is the call that reads the table, with what is given to it.
    """
    cells = table.texts((table.names or []).index(name))
    if plain(name) != "n" or {*cells} <= {"1", "1.0"}:
        return False
    if rises(cells, by_one=True):
        return True
    if not people and not rises(cells):
        return False
    ways = [("votes", read(weight=name)), ("numbers of rows", f"{read()[:-1]}, weight=None)")]
    raise ask(table, f"does {name!r} tell how often each was said, or does it number the rows?", ways)


#: The most answers that counts may stand for.
_MOST_REPEATED = 10_000_000


def repeated(
    asked: QuestionTable, taken: set[Any], people: bool, weight: str | None, read: Callable[..., str]
) -> QuestionTable:
    """Each row as often as its answer was given, if a column tells that. `weight` is its name, None for no column."""
    table, names = asked.table, asked.table.names or []
    if weight is None:
        return asked
    if weight != "weight" or weight in names:
        found = [table.called[table.place(weight, "weight")]]
    else:
        found = [x for x in COUNT.among(names) if names.index(x) not in taken]
    for name in found:
        cells = table.texts(names.index(name))
        numbers = name in asked.numbers
        if name != weight and (numbers or check_numbers(table, name, read, people=people)):
            asked.notes.append(f"{name!r} numbers the rows")
            continue
        if not cells:
            continue
        wrong = next((k for k, x in enumerate(cells) if not is_count(x)), None)
        if wrong is not None:
            table.refuse(
                wrong,
                f"{cells[wrong]!r} in {name!r}, which tells how often each answer was given: expected a whole number; "
                "give weight=None if it tells something else",
            )
        times = np.array([int(with_point(x or "0").partition(".")[0]) for x in cells])
        check_sum(table, name, int(times.sum()))
        asked = asked.taking(np.repeat(np.arange(len(cells)), times).tolist())
        asked.notes.append(f"{counted(len(cells), 'row')}, each as often as {name!r} says")
        break
    return asked


def check_sum(table: RowTable, name: str, total: int) -> None:
    if total > _MOST_REPEATED:
        raise table.refusal(
            f"{name!r} sums to {total:,}, more than {_MOST_REPEATED:,} answers: divide its numbers, or give weight=None"
        )


def no_answers(
    table: RowTable, places: Sequence[int], answer: int, option: str, missing: Any = None
) -> ParseError | None:
    """The error for a table without a row that has items and an answer. None if there is one."""
    names = table.called
    cells, rows = table.texts(answer), zip(*(table.columns[k] for k in places), strict=True)
    both = (
        (not none, any(map(cell_text, row))) for none, row in zip(without_answer(cells, missing), rows, strict=True)
    )
    said, shown = [], []
    for has_answer, has_items in both:
        if has_answer and has_items:
            return None
        said.append(has_answer)
        shown.append(has_items)
    if not any(said):
        what = f"no row has an answer: all {len(said):,} cells in {names[answer]!r} are empty or stand for no answer"
        return table.refusal(f"{what}; give {option}= if another column has the answers")
    joined = ""
    keys = _keys_of_trials(table, {*places, answer}, shown, said)
    if keys:
        is_csv = table.path is not None and os.path.isfile(table.path) and table.path.endswith(".csv")
        frame = f"pandas.read_csv({table.path!r})" if is_csv else "frame"
        joined = f": {frame}.groupby({keys!r}).first()" + (".to_csv('joined.csv') makes that file" if is_csv else "")
    return table.refusal(
        f"no row has both items and an answer: {sum(shown):,} rows have items and an empty {names[answer]!r}, and "
        f"{sum(said):,} other ones have an answer and no items; join the events of a question to one row{joined}"
    )


def without_empty_rows(asked: QuestionTable, places: Sequence[int]) -> QuestionTable:
    """Return the rows that show items: rows of other events of an experiment have no items."""
    columns = [asked.table.columns[k] for k in places]
    shown = [k for k, row in enumerate(zip(*columns, strict=True)) if any(x is not None for x in row)]
    if len(shown) in (0, len(asked.table.lines)) or asked.table.names is None:
        return asked
    asked.notes.append(f"{counted(len(asked.table.lines) - len(shown), 'row')} without items left out")
    return asked.taking(shown)


def _keys_of_trials(table: RowTable, taken: set[int], shown: Sequence[bool], said: Sequence[bool]) -> list[str]:
    """The columns by which each row with an answer belongs to one row with items."""
    who = [k for k, x in enumerate(table.names or ()) if x in WHO.among([x]) and k not in taken]
    for k in range(len(table.names or ())):
        columns = [*who, k]
        if k in taken or k in who:
            continue
        keys = table.rows_of(columns)
        items, answers = ([x for x, y in zip(keys, some, strict=True) if y] for some in (shown, said))
        if len({*items}) == len(items) and len({*answers}) == len(answers) and {*answers} <= {*items}:
            return [(table.names or [])[x] for x in columns]
    return []
