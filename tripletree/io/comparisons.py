"""Tables of comparisons with an anchor, "is b or c more like a?", and the code that all tables of trios share.

Odd-one-out answers are another thing with three columns, see `tripletree.interop` and `tripletree.io.answers`. Neither
reader takes the file of the other by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from functools import partial
from itertools import chain
from typing import Any, Literal

import numpy as np

from tripletree.core.comparisons import Comparisons
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import note
from tripletree.errors import ParseError
from tripletree.io.headers import (
    Comparison,
    chosen_option,
    has_answers,
    is_header_of_comparisons,
    says_far,
    trio_by_name,
)
from tripletree.io.pairs import refuse_pairs
from tripletree.io.question_files import read_questions
from tripletree.io.questions import QuestionTable, Sought, no_answers, repeated, without_empty_rows
from tripletree.io.readings import check_no_positions, check_what_else, comparison_in, tell_rest, ways_of, with_names
from tripletree.io.replies import check_codes, positions_said, unknown_answers, yes_or_no
from tripletree.io.rows import LabelRows
from tripletree.io.source import Source, decoded, is_parquet, named_stream
from tripletree.io.table import has_header, header_with, parquet_names
from tripletree.io.ways import ask, call, call_for, near_call, source_text
from tripletree.tables.cells import cell_text
from tripletree.tables.columns import ODD, REPLY, WHO, asides, plain
from tripletree.tables.rows import RowTable, shown_names

_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def no_triplets(path: str | None) -> str:
    """What readers of triplets and of odd-one-out answers say of a table of comparisons."""
    return (
        'look like answers to "which of two is more like the first?": these are comparisons, and no triplets follow '
        f"from them; read_comparisons({source_text(path)}) reads rows (anchor, the one chosen, the other one), which "
        "are votes for DivisiveReCon().fit(X, comparisons=...)"
    )


def read_comparisons(
    path: Source,
    *,
    columns: Sequence[str | int] | None = None,
    answer: str | int | None = None,
    who: str | int | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    header: bool | None = None,
    only: str | None = None,
    missing: Any = None,
    first: int | None = None,
    codes: Sequence[Any] | None = None,
    chosen: Literal["near", "far"] | None = None,
    weight: str | None = "weight",
) -> Comparisons:
    r"""Read comparisons d(anchor, near) < d(anchor, far) from a table: CSV, TSV, Parquet, or columns of numbers.

    Parameters
    ----------
    path : path, file object, "-", data frame, or list of these
        As in `read_answers`. ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    columns : sequence of three str or int, optional
        Which columns hold anchor, near and far, by name or by position counted from 0, or with `answer` the anchor and
        the two that are compared with it. By default columns called anchor (reference, query, center, ...) and near and
        far (positive and negative, winner and loser, ...), or two options (left and right, option1 and option2, A and
        B, ...) and an answer. Without such a header, the three columns of the table in this order.
    answer : str or int, optional
        The column that tells which of the two was chosen: its label, its position (0 and 1, or 1 and 2), the name of
        its column, or the letter A or B. In a column called chose_left, is_first or the like it is yes or no to that
        option (1 and 0, true and false, yes and no), and in one called odd, farther or the like the less alike of the
        two. Rows without an answer are left out. By default the column called answer,
        response, choice, ..., if `columns` is not given.
    who : str or int, optional
        The column of the person, as in `read_answers`.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur. Labels that are not strings are known by ``str(label)``. For indices into n
        samples give n. By default all that occur, sorted: as whole numbers if all of them are, else as strings.
    header : bool, optional
        True if the first row has the names of the columns. By default if it has the names that are looked for. A
        first row whose words occur nowhere else is refused unless this is given.
    only, missing, first, codes, weight
        As in `read_answers`. There are two codes, for the two that are compared with the anchor.
    chosen : {"near", "far"}, optional
        Whether answers name the more or the less alike of the two. By default the name of their column says so, or the
        text of the question.

    Returns
    -------
    rows : ndarray of int32, shape (m, 3)
        Rows (anchor, near, far), in the order of the file, as positions in `leaves`. Repeats and contradictions
        stay. They are comparisons, which a `TripletSet` cannot hold.
    leaves : LeafIndex
        The two as a tuple, a `Comparisons`, which also has ``.who``, ``.origins`` and, in a line, how the table was
        understood (``.reading``).

    See Also
    --------
    read_answers : answers to "which of these three is the odd one?", which are triplets.
    tripletree.triplets_from_comparisons : the triplets that follow if both halves are said.
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
    check_codes(codes, (2,))
    if chosen not in (None, "near", "far"):
        msg = f"chosen must be 'near' or 'far', what answers name, not {chosen!r}"
        raise ValueError(msg)
    leaves = leaves if leaves is None or isinstance(leaves, LeafIndex) else LeafIndex(leaves)
    known = header_with((*(columns or ()), answer, who), has_answers)
    wanted = [x for x in (*(columns or ()), answer, who) if isinstance(x, str)]
    asked = read_questions(path, header=header, known=known, only=only, sought=Sought(wanted, compared=True))
    asked = with_names(asked) if header is None and (columns is None or wanted) else asked
    table = asked.table
    names = table.names or []
    person = WHO.place(table, who)
    others = asides(names) | (set() if person is None else {person})
    found = None
    if columns is not None:
        told = None if answer is None else table.place(answer, "answer")
        anchor, near, far = (table.place(x, "column") for x in columns)
        found = Comparison(anchor, near, far, told)
    elif table.names is not None:
        found = comparison_in(table, others, None if answer is None else table.place(answer, "answer"))
    if found is None:
        _check_no_triplets(table, leaves, header)
        if columns is None and (trio := trio_by_name(names)) is not None:
            ways = [
                ("the triplets", call("read_triplets", table.path, columns=trio)),
                ("the answers", call_for(table, "read_answers", odd=trio[2])),
            ]
            raise ask(table, f"{trio[2]!r} is the odd one of three, and nothing is compared with an anchor.", ways)
        refuse_pairs(table, answered=True)
        if len(table.columns) == 3 and not _are_people(table, others):
            others = set()
        if len(table.columns) - len(others) != 3:
            ways = ways_of(table, answers=None if answer is None else [table.place(answer, "answer")])
            if ways:
                why = "give columns=, the anchor and the two that are compared with it, and answer=."
                raise ask(table, why, ways)
            shown = shown_names(table.names or []) or f"{len(table.columns)} without names"
            msg = f"give columns=, which of the columns hold anchor, near and far; there are {shown}. "
            msg += (
                "If a column tells which of two was chosen, give it as answer=, and the anchor and the two as columns="
            )
            raise table.refusal(msg)
        anchor, near, far = (k for k in range(len(table.columns)) if k not in others)
        found = Comparison(anchor, near, far, None)
    asked = without_empty_rows(asked, found[1:3])
    table = asked.table
    by_text = False
    if columns is None and table.names is not None and not asked.compared:
        by_text = check_what_else(asked, found[:3], found.answer, others, compared=True)
    if table.names is not None:
        read = partial(near_call, table, found[:3], found.answer, who=who)
        asked = repeated(asked, {*found, *others}, person is not None, weight, read)
        tell_rest(asked, {*found, *others}, people=person is not None)
    asked, swap = _answered(asked, found, missing, first, codes, told=answer is not None, chosen=chosen, far=by_text)
    table = asked.table
    rows = TrioRows(table, found[:3], "anchor, near and far must differ")
    hint = "columns=[...] if they stand in another order than anchor, near, far"
    positions, index = indexed_rows(rows, table, leaves, header, hint)
    positions[swap] = positions[swap][:, [0, 2, 1]]
    people = [None] * len(positions) if person is None else table.texts(person)
    head, one, other = map(asked.called, found[:3])
    what = f"{head} nearer {one} than {other}" if found.answer is None else f"{head} against {one} and {other}"
    reading = asked.reading("comparison", what, people)
    if asked.notes or not {*names} <= {"anchor", "near", "far", "who"}:
        note("comparisons", reading)
    return Comparisons(positions, index, people, asked.origins(), reading)


def _are_people(table: RowTable, others: set[int]) -> bool:
    """Whether a column that is called like one of people has no label of the others."""
    cells = [{*map(cell_text, column)} for column in table.columns]
    return any(all(cells[k].isdisjoint(x) for j, x in enumerate(cells) if j != k) for k in others)


def looks_like_comparisons(content: bytes | str, name: str | None) -> bool:
    """True if an unpacked file is a table whose header tells what is compared with what, and names no odd one."""

    def known(names: Sequence[str]) -> bool:
        return is_header_of_comparisons(names) and not ODD.among(names)

    if is_parquet(content):
        return known(parquet_names(content, name))
    text = decoded(content, name)
    asks = has_header(text, lambda names: len(REPLY.among(names)) == 1)
    return has_header(text, known) and not (asks and _name_three(content, name))


def _name_three(content: bytes | str, name: str | None) -> bool:
    """True if answers name the third of three columns, so that it cannot be the anchor."""
    try:
        table = read_questions(
            named_stream(content, name), header=True, known=is_header_of_comparisons, only=None
        ).table
        return comparison_in(table, asides(table.names or ())) is None
    except ParseError:
        return False


def _answered(
    asked: QuestionTable,
    found: Comparison,
    missing: Any,
    first: int | None,
    codes: Sequence[Any] | None,
    *,
    told: bool,
    chosen: str | None,
    far: bool,
) -> tuple[QuestionTable, np.ndarray]:
    """Return the rows that have an answer, and a mask of rows in which the second of the two is the nearer one.

    `told`: whether the caller has named the column of the answers. `far`: whether the text of the question asks for
    the less alike of two, unless `chosen` says what answers name.
    """
    table = asked.table
    if found.answer is None:
        return asked, np.zeros(len(table.lines), np.bool_)
    if table.lines and (refused := no_answers(table, found[1:3], found.answer, "answer", missing)):
        raise refused
    names = [None if table.names is None else table.names[k] for k in found[1:3]]
    said = table.texts(found.answer)
    options = [(x or "", y or "") for x, y in table.rows_of(found[1:3])]
    name = "" if table.names is None else table.names[found.answer]
    flags, option = yes_or_no(said, missing), chosen_option(name, names)
    if flags is not None and option is not None and first is codes is None:
        positions, how = np.where(flags < 0, -1, flags ^ option ^ 1), f"yes or no to {names[option]!r}"
    else:
        start = 0 if first is None and asked.from_zero else first
        positions, how = positions_said(said, options, names, missing=missing, first=start, codes=codes)
        shown = flags is None or all(x in row for x, row, k in zip(said, options, flags, strict=True) if k >= 0)
        if flags is not None and codes is None and how != "names of columns" and not shown:
            numbers = bool((positions != -2).all())
            called = bool(REPLY.among([name])) and plain(name) not in REPLY.alone  # the keys 1 and 0 are no numbers
            if first is None and not (numbers and (asked.from_zero or called or flags.all())):
                raise _no_yes(table, found, {str(x) for x, flag in zip(said, flags, strict=True) if flag >= 0})
            if first == 0 and not numbers:
                positions, how = flags, "yes or no"
        if how == "labels" and not told:
            read = partial(near_call, table, found[:3], found.answer)
            check_no_positions(table, said, options, positions, found.answer, read)
    if (says_far(name) or far) if chosen is None else chosen == "far":
        positions = np.where(positions < 0, positions, positions ^ 1)
        asked.notes.append(f"{name!r} has the less alike of the two")
    wrong = np.flatnonzero(positions == -2).tolist()
    if wrong:
        k = wrong[0]
        table.refuse(
            k,
            f"the answer {said[k]!r}, which is neither {options[k][0]!r} nor {options[k][1]!r}"
            + unknown_answers(said, positions, names, 2, near_call(table, found[:3], found.answer)[:-1]),
        )
    kept = np.flatnonzero(positions >= 0).tolist()
    if not kept:
        raise table.refusal("no row has an answer")
    if len(kept) < len(said):
        asked.notes.append(f"{len(said) - len(kept):,} without an answer left out")
    if how != "labels":
        asked.notes.append(f"answers are {how}")
    return asked.taking(kept), positions[kept] == 1


def _no_yes(table: RowTable, found: Comparison, said: set[str]) -> ParseError:
    """The error for answers yes and no if nothing says to which of the two options, with both commands."""
    names = table.called
    _, one, other, told = (names[k] for k in found)  # type: ignore[index]
    shown = " and ".join(map(repr, sorted(said)))
    no, yes = ("0", "1") if said <= {"0", "1", "0.0", "1.0"} else ("no", "yes")
    trios = (found[:3], (found.anchor, found.second, found.first))
    first, second = (near_call(table, x, found.answer, first=0) for x in trios)
    return table.refusal(
        f"the answers in {told!r} are {shown}, and its name does not say which of {one!r} and {other!r} that is. "
        f"If {no} is {one!r} and {yes} {other!r}: {first}; if {yes} is {one!r} and {no} {other!r}: {second}"
    )


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
    raise table.refusal(msg)


# ---------------------------------------------------------------------- rows of labels


class TrioRows(LabelRows):
    """Rows of three labels (or two), all different. `rule` is the rule in words, for messages.

    With `pairs_too` the third cell of a row may be empty.
    """

    def __init__(self, table: RowTable, places: Sequence[int], rule: str, *, pairs_too: bool = False) -> None:
        super().__init__(table.path, table.unit)
        if not table.lines:
            raise table.refusal("no rows in it: nothing follows the header")
        self._places, self.rule, self._pairs_too = places, rule, pairs_too
        self.width = len(places)
        for line, *cells in zip(table.lines, *(table.columns[k] for k in places), strict=True):
            self.add([cell_text(x) for x in cells], line)
        if self.problems:
            self.refuse()

    def add(self, cells: Sequence[str | None], line: int, *_: Any) -> None:
        super().add(cells[:2] if self._pairs_too and len(cells) == 3 and not cells[2] else cells, line)

    def empty(self, k: int) -> str:
        return f"cell {self._places[k] + 1} is empty"

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
        cure = f"header=True if it names the columns ({hint}), or header=False if these are labels like the others"
        table.refuse_header(rows.labels[0], f"give {cure}")
    if header is None and leaves is None and first == (first | others) - numbers and numbers:
        table.refuse(0, "this row is words and all others are numbers; give header=True if it names the columns")
    index, positions = rows.indexed(leaves)
    return positions, index
