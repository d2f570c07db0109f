r"""Files of answers: JSON lines, which grow by one line an answer, and tables.

A file of JSON lines has one answer a line::

    {"tripletree": "answers", "version": 1, "data": "animals.csv"}
    {"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna", "when": "...", "seconds": 2.41}
    {"items": ["cat", "dog", "eel"], "answer": "alike", "who": "ben"}
    {"undo": true, "who": "ben"}

The time is in ISO 8601, such as 2026-11-22T21:04:11Z, and "seconds" is the response time. The first line, the person,
the time and the response time may be missing. The answers are "odd", "alike", "different" and "unsure". A
question about two items has no odd one. A line with "undo" takes back the last answer of that person that has not been
taken back. Other keys are passed over. Labels are texts or whole numbers. The file is only ever appended to, so that a
program that is killed loses nothing but the line that it was writing.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, overload

import numpy as np

from tripletree.core.answers import ALIKE, UNSURE, Answer, AnswerSet, check_answers
from tripletree.core.labels import is_gap
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import note
from tripletree.core.triplets import TripletSet
from tripletree.errors import SHOWN, InvalidAnswerError, ParseError, UnknownLeafError, warn_user
from tripletree.io.appending import end_of
from tripletree.io.comparisons import TrioRows, indexed_rows, no_triplets
from tripletree.io.forms import has_header_of_form
from tripletree.io.headers import Comparison, has_answers, is_header_of_comparisons, says_far, says_near, trio_by_name
from tripletree.io.json_text import begin_of, load_json
from tripletree.io.pairs import refuse_pairs
from tripletree.io.question_files import is_json, read_questions
from tripletree.io.questions import QuestionTable, Sought, no_answers, repeated, without_empty_rows
from tripletree.io.readings import (
    both_readings,
    check_no_positions,
    check_one_pool,
    check_what_else,
    comparison_in,
    named_by_first_row,
    people_among,
    tell_rest,
    ways_of,
    with_names,
)
from tripletree.io.replies import TWO, WHOLE, WORDS, check_codes, positions_said, unknown_answers, without_answer
from tripletree.io.source import Source, Target, decoded, is_parquet, named_stream, read_bytes, write_atomic, write_text
from tripletree.io.table import has_header, is_frame, parquet_names
from tripletree.io.ways import ask, call, near_call, odd_call
from tripletree.tables.cells import cell_text, column_word, with_point
from tripletree.tables.columns import (
    ANSWER,
    MAYBE_WHO,
    ODD,
    REPLY,
    SECONDS,
    SECONDS_NAMES,
    SIDES,
    WHEN,
    WHO,
    is_aside,
    is_sure_anchor,
    plain,
    series_of,
    words_of,
)
from tripletree.tables.rows import RowTable, shown_names

#: Names of three columns of items, and the name of a fourth, without numbers or letters from a on.
_ITEM_NAMES = (("x", "y", "z", "w"), ("i", "j", "k", "l"))
#: Names of columns of this package's own tables.
_OWN_NAMES = frozenset({"a", "b", "c", "odd", "who", "when", "seconds"})
_VERSION = 1
#: Answers after which it is no chance that none of them is in one of three columns, if the answer is called the odd
#: one, and if not: (2 / 3) ** 20 is less than 0.001, and for fewer answers the error gives both readings.
_ENOUGH, _SOME = 20, 8
_TABLES = (".csv", ".tsv", ".parquet", ".xlsx")
#: How far from the end of a file its last line is looked for at once.
_STEP = 1 << 16


def is_json_lines(content: bytes | str) -> bool:
    """Whether a content begins as a file of JSON lines: with an object."""
    return begin_of(content).lstrip().startswith("{")


def looks_like_answers(content: bytes | str, name: str | None) -> bool:
    """Whether an unpacked file holds answers rather than triplets or pairs: by its first line, or its header."""
    if is_parquet(content):
        return _is_header_of_answers(parquet_names(content, name))
    if not is_json_lines(content):
        if is_json(content):
            return _are_trials(content)
        text = decoded(content, name)
        return has_header(text, _is_header_of_answers) or has_header_of_form(content)
    try:
        entry = json.loads(begin_of(content, _STEP).lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return _are_trials(content)
    return (
        _are_trials(content)
        or isinstance(entry, dict)
        and (entry.get("tripletree") == "answers" or {"items", "answer"} <= entry.keys())
    )


def _are_trials(content: bytes | str) -> bool:
    """Whether JSON has answers of an experiment, to judge by its keys."""
    keys = set(re.findall(r'"([^"\\]{1,30})"\s*:', begin_of(content, _STEP)))
    return bool(REPLY.among(keys)) and "children" not in keys and not keys & {"items", "tripletree"}


def _is_header_of_answers(names: Sequence[str]) -> bool:
    if len(names) > 3 and len(REPLY.among(names)) == 1:  # what is compared with what has been looked at before
        return True
    return len(names) > 3 and has_answers(names) and not is_header_of_comparisons(names)


def read_answers(
    path: Source,
    *,
    odd: str | int | None = None,
    items: Sequence[str | int] | None = None,
    who: str | int | None = None,
    when: str | int | None = None,
    seconds: str | int | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    header: bool | None = None,
    only: str | None = None,
    missing: Any = None,
    first: int | None = None,
    codes: Sequence[Any] | None = None,
    weight: str | None = "weight",
) -> AnswerSet:
    r"""Read answers to "which of these three is the odd one?" from JSON lines or a table.

    Parameters
    ----------
    path : path, file object, "-", data frame, or list of these
        JSON lines, or a table: CSV, TSV, Parquet, Excel, or columns of numbers. Or what experiments save: records of
        JSON (jsPsych), also below their people, three items as a list in one cell (PsychoPy), a row a person with the
        items in the text of the question or in the header (Qualtrics, Google Forms), a column for each person
        (P1, P2; Rater A, Rater B). A folder or a list has a file a person, who is called as the file if no column says
        it. ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    odd : str or int, optional
        The column of a table that holds the answer, by name or by position counted from 0. An answer is the label of
        the odd item. In a column without labels it is the position 1, 2 or 3 (0, 1 or 2 if there is a 0), a letter
        A, B or C, or the name of the odd item's column.
        "alike" (or "same"), "different" and "unsure" are answers, too, and an empty cell is "unsure". Or the column of
        one of the items: ``odd=2`` for the files of the THINGS project, whose third item is the odd one. By default the
        column called odd, answer, response or choice, or the fourth of four.
    items : sequence of three (or two) str or int, optional
        The columns of the items. By default the other ones if they are three, or columns whose names belong together,
        such as (a, b, c) or (item1, item2, item3).
    who, when : str or int, optional
        The columns of the person and the time. By default columns called who, person, participant, annotator, worker,
        ... and when, time, timestamp, date, ...
    seconds : str or int, optional
        The column of the response time, in seconds. By default a column whose name tells the unit: seconds, rt_s, ...,
        or milliseconds, rt_ms, response_time_ms, ..., which are divided by 1000.
    leaves : LeafIndex, iterable of labels or int, optional
        All samples that could be asked about. By default all that occur. In tables, labels that are not text are
        known by ``str(label)``. By default they are whole numbers if all of them are, else text.
    header : bool, optional
        Whether the first row of a table has the names of the columns. By default if it has the expected ones. A
        first row whose words occur nowhere else is refused unless this is given.
    only : str, optional
        A condition on the columns of a table: rows for which it does not hold are left out, such as
        ``"trial_type == 'main' and rt > 200"``, or ``"not practice"`` for a column of yes and no. It has
        ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in [...]``, ``and``, ``or``, ``not`` and parentheses.
    missing : value or collection of values, optional
        Answers that are "unsure". By default an empty cell, NA, ?, -, "don't know" and the like.
    first : {0, 1}, optional
        The number of the first position, if answers are positions.
    codes : sequence of three values, optional
        The answers that stand for the three columns of items, in their order, such as keys: ``["j", "k", "l"]``.
    weight : str or None
        The column that tells how often each answer was given. By default one called count, freq, votes or the like.
        None ignores it. Votes for each of the three in columns of their own (votes_a, votes_b, votes_c) are answers.

    Returns
    -------
    AnswerSet
        In the order of the file, without answers taken back. ``.origins`` has the line of each, or the row of a data
        frame counted from 1.

    Raises
    ------
    ParseError
        If a line is not an answer, no row of a table has one, a cell of an item is empty or unknown, an answer names
        something else than an item, a response time is not a number of at least 0, or the columns are not clear. The
        error has the line. If no `odd` is given and the table looks like answers to another question, "which of two is
        more like the first?", because a column is called anchor, reference, target, center, ..., or two are called
        left and right, or because none of the answers (20 if the column is called odd, else 8) is in one of the three
        columns. The error shows both readings. A last line of JSON that is cut off in the middle is left out with a
        warning.

    See Also
    --------
    append_answer : one more answer, safely on disk.
    read_odd_one_out : the triplets that they say.
    read_comparisons : "is b or c more like a?", which is not a triplet.

    Examples
    --------
    >>> import io
    >>> answers = read_answers(io.StringIO("who,a,b,c,odd\nanna,cat,eel,dog,eel\nben,cat,eel,dog,\n"))
    >>> answers[0]
    Answer(items=('cat', 'eel', 'dog'), kind='odd', odd='eel', who='anna', when=None, seconds=None, line=2)
    >>> answers[1].kind
    'unsure'
    >>> line = '{"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}\n'
    >>> read_answers(io.StringIO(line)).triplets()
    <TripletSet: 1 triplet on 3 leaves: cat dog | eel>
    """
    columns: dict[str, Any] = {"odd": odd, "who": who, "when": when, "seconds": seconds}
    columns |= {"items": items, "header": header, "only": only, "missing": missing, "first": first, "codes": codes}
    check_codes(codes, (3, 2))
    if first not in (None, 0, 1):
        msg = f"first must be 0 or 1, the number of the first position, not {first!r}"
        raise ValueError(msg)
    if items is not None and (isinstance(items, str) or len(items) not in (2, 3) or len(set(items)) != len(items)):
        msg = f"items must be three different columns (or two), not {items!r}"
        raise ValueError(msg)
    if not is_frame(path) and not isinstance(path, (list, tuple)) and not _is_folder(path):
        content, name = read_bytes(path)
        given = [key for key, x in columns.items() if x is not None]
        if _is_own_lines(content) or not (given or content.strip()):
            if given:
                msg = f"{given[0]}= is for tables, and {name or 'this'} holds JSON lines, which need no names"
                raise ValueError(msg)
            return _read_lines(content, name, leaves)
        path = named_stream(content, name)
    wanted = [x for x in (*(items or ()), odd, who, when, seconds) if isinstance(x, str)]
    asked = read_questions(
        path,
        header=header,
        known=lambda names: bool(has_answers(names) or (wanted and set(wanted) <= set(names))),
        only=only,
        sought=Sought(wanted, codes),
    )
    asked = with_names(asked) if header is None else asked
    table = asked.table
    if len(table.columns) < 3:
        raise table.refusal(
            f"this is not a file of answers: it has {_columns(table)}; a table needs three columns of items and one of "
            'the answer, and lines of JSON look like {"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel"}'
        )
    people, times, took = (role.place(table, x) for role, x in ((WHO, who), (WHEN, when), (SECONDS, seconds)))
    others = {people, times, took} - {None}
    if items is None:
        others |= {k for k, x in enumerate(table.names or ()) if plain(x) in WHO.names and odd not in (k, x)}
    items = items or asked.items if len(asked.items) == 3 else items
    if odd is None and items is None:
        _check_no_comparisons(asked, others)  # type: ignore[arg-type]
    answer = _answer_column(table, odd, items, len(table.columns) - len(others))
    chosen = odd is not None or trio_by_name(table.names or []) is not None
    places = _item_columns(table, items, answer, others, chosen)
    if answer not in places and table.lines and (refused := no_answers(table, places, answer, "odd", missing)):
        raise refused
    shown, taken = without_empty_rows(asked, places), {*places, answer, times, took}
    read = partial(odd_call, table, places, answer)
    asked = repeated(shown, taken, people is not None, weight, partial(read, who=who))
    table = asked.table
    if people is None and table.names is not None:
        able = [x for x in people_among(table, taken) if plain(x) in MAYBE_WHO]
        if len(able) == 1:
            people = table.names.index(able[0])
            asked.notes.append(f"people by {able[0]!r}")
    rule = f"the {'three' if len(places) == 3 else 'two'} items must differ"
    trios = TrioRows(table, places, rule, pairs_too=answer not in places and table.names is not None)
    positions, index = indexed_rows(trios, table, leaves, header, "odd= may then be a name")
    if odd is None:
        if table.names is not None and any(is_sure_anchor(table.names[k]) for k in places):
            raise _no_answers(table, places, answer)
        if table.names is not None and not asked.compared:
            check_what_else(asked, places, answer, {people, times, took}, compared=False)
    tell_rest(asked, {*taken, people}, people=people is not None)
    how = "labels"
    if answer in places:
        replies = np.full(len(positions), places.index(answer))
    else:
        start = 0 if first is None and asked.from_zero else first
        said = table.texts(answer)
        if start is None and codes is None:
            _check_index(table, places, answer, said)
        replies, how = _replies(table, trios.labels, said, places, missing, start, codes, answer)
        if odd is None:
            if table.names is not None and how == "labels" and start is None:
                check_no_positions(table, said, trios.labels, replies, answer, read)
            if how != WHOLE and not asked.items:
                _check_each_is_odd(table, places, answer, replies, how, given=items is not None)
        several = 2 * int((replies == UNSURE).sum()) >= len(replies)  # "unsure" itself is an answer
        if several and 2 * (none := sum(without_answer(said, missing))) >= len(replies) > 0:
            asked.notes.append(f"{none:,} of {len(replies):,} without an answer")
    if len(places) == 2:
        positions = np.hstack([positions, np.full((len(positions), 1), -1, np.int32)])
    names = None if people is None else [x if x and x.strip() else None for x in table.texts(people)]
    if how != "labels":
        asked.notes.append(f"answers are {how}")
    *most, last, told = (asked.called(k) for k in (*places, answer))
    reading = asked.reading("answer", f"the odd one of {', '.join(most)} and {last} by {told}", names or ())
    if asked.notes or not {*(table.names or ())} <= _OWN_NAMES:
        note("answers", reading)
    moments = () if times is None else table.columns[times]
    return AnswerSet.from_columns(
        positions,
        replies,
        index,
        who=names,
        when=None if times is None else [x.isoformat() if hasattr(x, "isoformat") else cell_text(x) for x in moments],
        seconds=None if took is None else _response_times(table, took, named=seconds is not None),
        origins=asked.origins(),
        reading=reading,
    )


def read_odd_one_out(
    path: Source,
    *,
    odd: str | int | None = None,
    items: Sequence[str | int] | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    header: bool | None = None,
) -> TripletSet:
    r"""Read the triplets that answers to "which of these three is the odd one?" say: short for `read_answers`.

    Parameters
    ----------
    path, odd, items, leaves, header
        As in `read_answers`.

    Returns
    -------
    TripletSet
        The same as ``read_answers(...).triplets()``: weighted by the number of equal answers, if one was given more
        than once. Contradictory answers stay: the set need not be consistent. ``.origins`` has the first place of each.

    See Also
    --------
    tripletree.triplets_from_odd_one_out : the same for lists.

    Examples
    --------
    >>> import io
    >>> read_odd_one_out(io.StringIO("a,b,c,odd\ncat,eel,dog,eel\n"))
    <TripletSet: 1 triplet on 3 leaves: cat dog | eel>
    >>> read_odd_one_out(io.StringIO("0 1 2\n3 0 1\n"), odd=2)
    <TripletSet: 2 triplets on 4 leaves: 0 1 | 2, 0 3 | 1>
    """
    return read_answers(path, odd=odd, items=items, leaves=leaves, header=header).triplets()


# ---------------------------------------------------------------------- tables


def _is_folder(path: Any) -> bool:
    return isinstance(path, (str, os.PathLike)) and os.path.isdir(path)


def _is_own_lines(content: bytes | str) -> bool:
    """True if JSON is lines of answers, or nothing that another program writes."""
    if not is_json_lines(content):
        return False
    text = begin_of(content, _STEP)
    line = next((x for x in text.splitlines() if x.strip()), "")
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        with suppress(ValueError, RecursionError):
            json.loads(content)
            return False  # one value in several lines
        return re.match(r'\s*\{\s*"(?:items|tripletree|undo|answer)"', line) is not None or "trial" not in text
    if not isinstance(entry, dict) or not entry:
        return True
    items, said = entry.get("items"), entry.get("answer")
    if isinstance(items, list) and not entry.keys() & {"tripletree", "undo", "answer", "odd"}:
        return False
    if (
        "tripletree" not in entry
        and isinstance(items, list)
        and "odd" not in entry
        and (said in items or type(said) is int)
    ):
        return False  # of another program, with the label or the position
    return bool(entry.keys() & {"items", "tripletree", "undo"}) or said in ("odd", "alike", "different", "unsure")


def _check_no_comparisons(asked: QuestionTable, others: set[int]) -> None:
    """Refuse a table in which two columns are compared with a third."""
    table = asked.table
    found = comparison_in(table, others)
    if found is None:
        return
    if found.answer is None or is_sure_anchor((table.names or [])[found.anchor]):
        raise _no_answers(table, found[:3], None if asked.compared else found.answer)
    why = f"no answer names {table.called[found.anchor]!r}, so these may be comparisons"
    raise both_readings(table, found, why)


def _no_answers(table: RowTable, places: Sequence[int], answer: int | None) -> ParseError:
    """The error for columns that say that two items are compared with a third."""
    names = table.names or []
    several = [x for x in ANSWER.among(names) if answer is not None and names.index(x) not in places]
    if len(several) > 1:
        told = [names.index(x) for x in several]
        ways = [(f"if {names[k]!r} has them", near_call(table, places, k)) for k in told]
        ways += [("if people named the odd one of three", odd_call(table, places, k)) for k in told]
        raise ask(table, f"{' and '.join(map(repr, several))} could have the answers.", ways)
    shown = ", ".join(repr(table.called[k]) for k in dict.fromkeys([*places, *([] if answer is None else [answer])]))
    hint = "" if answer is None else f"; if people named the odd one, give odd={table.called[answer]!r}"
    return table.refusal(f"the columns {shown} {no_triplets(table.path)}{hint}")


def _answer_column(table: RowTable, odd: str | int | None, items: Any, width: int) -> int:
    """The column of the answer. `width` counts the columns without person and time."""
    if odd is not None:
        return table.place(odd, "odd")
    found = REPLY.among(table.names or [])
    if len(found) == 1:
        return table.place(found[0], "odd")
    if items is None and not found:
        refuse_pairs(table, answered=True)
    if items is None and not found and (trio := trio_by_name(table.names or [])) is not None:
        return table.place(trio[2], "odd")
    if len(table.columns) == width == 4 and items is None and not found:
        if table.names is not None and says_near(table.names[3]):
            raise table.refusal(
                f"{table.names[3]!r} says what is most alike, and no odd one; "
                f"if it names the odd one all the same, give odd={table.names[3]!r}"
            )
        return 3
    if width == len(table.columns) == 3 and not found:
        raise table.refusal(
            "three columns, and nothing tells which of them is the odd one: odd=2 if it is the third, as in the files "
            "of THINGS, odd=0 if it is the first; if the rows are (anchor, near, far), they are not triplets "
            "(tripletree.io.read_comparisons reads them)"
        )
    shown = f"; it could be {' or '.join(map(repr, found))}" if found else ""
    asks = f"give odd=, which of the {_columns(table)} holds the answer{shown}"
    if ways := ways_of(table, answers=[(table.names or []).index(x) for x in found] if found else None):
        raise ask(table, f"{asks}.", ways)
    raise table.refusal(asks + _there(table))


def _too_few(names: Sequence[str], table: RowTable, answer: int) -> str:
    """The message for a table with fewer than three columns that could hold items."""
    some = " and ".join(map(repr, names)) or "none"
    return (
        f"of the columns {shown_names(table.names or ())} only {some} could hold items, and three are needed "
        f"beside the answers in {(table.names or [])[answer]!r}: a column for each of the three items that were shown, "
        'or one whose cells list them ("cat|dog|eel"), one of which is the answer; name them with items= and odd='
    )


def _item_columns(table: RowTable, items: Any, answer: int, others: set[Any], given: bool = False) -> list[int]:
    """The columns of the items. `given`: whether the caller has named the answer."""
    if items is not None:
        places = [table.place(x, "item") for x in items]
        if len(set(places)) == len(places) and not others & set(places):
            return places
        raise table.refusal(f"items= must be columns of their own, not {items!r}")
    everything = [k for k in range(len(table.columns)) if k not in others]
    names = {} if table.names is None else {column_word(table.names[k]): k for k in everything if k != answer}
    families = [[names[x] for x in family] for family in _families(names)]
    if len(families) == 1:
        return families[0]
    able = [k for k in everything if table.names is None or k == answer or not is_aside(table.names[k])]
    chosen = table.names is None or given or bool(ODD.among([table.names[answer]]))
    if len(everything) == 3 and answer in able and (chosen or table.names is None):
        return everything
    rest = [k for k in able if k != answer]
    if len(rest) == 3:
        check_one_pool(table, rest, answer)
        return rest
    if len(rest) < 3 and table.names is not None:
        refuse_pairs(table, answered=True)
        raise table.refusal(_too_few([table.names[k] for k in rest], table, answer))
    asks = f"give items=, which three of the {_columns(table)} hold the items"
    if ways := ways_of(table, answers=[answer]):
        raise ask(table, f"{asks}.", ways)
    raise table.refusal(asks + _there(table))


def _there(table: RowTable) -> str:
    """The columns of a table, as a sentence."""
    there = shown_names(table.names) if table.names else f"columns 0 to {len(table.columns) - 1}"
    more = ""
    if len(table.columns) == 4 and named_by_first_row(table) is not table:
        more = f"; if the first row names them: {call('read_answers', table.path, header=True)}"
    return f". There are {there}: items= names the three items, and odd= the answer{more}"


def _families(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Sets of three names that belong together, where no fourth does."""
    known, ends = {*names}, (("1", "2", "3", "4"), ("a", "b", "c", "d"), ("left", "middle", "right", ""))
    series = series_of(names, {x for some in ends for x in some}).values()
    found = [tuple(x.get(end, "") for end in some) for x in series for some in ends if {*some[:3]} <= x.keys()]
    found += [x for x in _ITEM_NAMES if known.issuperset(x[:3])]
    return [(x, y, z) for x, y, z, fourth in found if fourth not in known]


def _check_each_is_odd(
    table: RowTable, places: Sequence[int], answer: int, replies: np.ndarray, how: str, *, given: bool
) -> None:
    """Raise if no answer is in one of the columns, which may be an anchor.

    Three answers are enough for the first column, some for others, and many if the answer is called the odd one.
    `given`: whether the caller has named the items.
    """
    count = np.bincount(replies[replies < ALIKE], minlength=3)[:3]
    names = table.called
    named_odd = table.names is not None and ODD.among([names[answer]])
    family = table.names is None or _families([column_word(names[k]) for k in places])
    enough = _ENOUGH if named_odd else _SOME if family else 1
    across = {SIDES.get(x) for k in places for x in words_of(str(names[k])).split("_")}
    if enough == _SOME and count[0] == 0 and not (given or table.names is None or {"left", "right"} <= across):
        enough = 2 if (count == 0).sum() == 1 and [plain(names[k]) for k in places] == ["a", "b", "c"] else 3
    if len(places) < 3 or count.sum() < enough or 0 not in count:
        return
    if enough > 3 and (count == 0).sum() != 1:
        return
    never = int(count.argmin()) if (count == 0).sum() == 1 else int(np.flatnonzero(count == 0)[0])
    others = [k for k in range(3) if k != never]
    found = Comparison(places[never], places[others[0]], places[others[1]], answer)
    said = table.texts(answer)
    words = [sorted({str(x) for x, y in zip(said, replies.tolist(), strict=True) if y == k}) for k in others]
    codes = [x[0] for x in words] if how != "labels" and [*map(len, words)] == [1, 1] else None
    from_zero = how == "positions from 1" and never == 2
    why = f"of {count.sum():,} answers none is in the column {names[places[never]]!r}"
    raise both_readings(table, found, why, codes=codes, from_zero=from_zero)


def _columns(table: RowTable) -> str:
    return f"{len(table.columns)} column{'s' * (len(table.columns) != 1)}"


def _replies(
    table: RowTable,
    rows: Sequence[tuple[str, ...]],
    said: Sequence[str | None],
    places: Sequence[int],
    missing: Any,
    first: int | None,
    codes: Sequence[Any] | None,
    answer: int,
) -> tuple[np.ndarray, str]:
    """The answer of each row: a position in it, or one of the other kinds. And how the answers name the items."""
    names = [None if table.names is None else table.names[k] for k in places]
    shown = [row if len(row) == 3 else () for row in rows]
    found, how = positions_said(said, shown, names, missing=missing, first=first, codes=codes, words=WORDS)
    called = "" if table.names is None else table.names[answer]
    if how == TWO and (ODD.among([called]) or says_far(called)):
        found = np.where(found >= 0, -2, found)
    if (found == -2).any():
        own = [str(table.called[k]) for k in places]
        hint = unknown_answers(said, found, own, len(places), odd_call(table, places, answer)[:-1])
        _refuse_reply(table, rows, said, np.flatnonzero(found == -2).tolist(), hint)
    return np.where(found == -1, UNSURE, found).astype(np.int8), how


def _check_index(table: RowTable, places: Sequence[int], answer: int, said: Sequence[str | None]) -> None:
    """Refuse an index of 1 and 2 alone, which programs count from 0 and people from 1, with both commands."""
    name = "" if table.names is None else table.names[answer]
    words = {x.partition(".")[0] for x in said if x is not None and not is_gap(x)}
    if not plain(name).endswith("index") or not words or not words <= {"1", "2"}:
        return
    ways = [(f"from {k}", odd_call(table, places, answer, first=k)) for k in (0, 1)]
    raise ask(table, f"{name!r} is {' and '.join(sorted(words))}, never 0 or 3: does it count from 0 or from 1?", ways)


def _refuse_reply(
    table: RowTable, rows: Sequence[tuple[str, ...]], said: Sequence[str | None], wrong: Sequence[int], cure: str
) -> NoReturn:
    """Raise an error about the first of some wrong answers, with the places of the others."""
    k = wrong[0]
    words = "'alike', 'different', or 'unsure' or an empty cell"
    others = [f"{said[i]!r} in {table.unit} {table.lines[i]}" for i in wrong[1:5]]
    rest = f", and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    also = f"; the same is wrong with {', '.join(others)}{rest}" if others else ""
    if len(rows[k]) == 2:
        table.refuse(k, f"the answer {said[k]!r}; expected {words}{also}")
    shown = ", ".join(map(repr, rows[k]))
    table.refuse(k, f"the answer {said[k]!r}, which is none of {shown}, nor {words}{also}{cure}")


def _response_times(table: RowTable, column: int, *, named: bool) -> list[float]:
    """The response times in seconds, NaN if a cell is empty. A column that the caller named holds seconds."""
    unit = 1.0 if named or table.names is None else SECONDS_NAMES[plain(table.names[column])]
    found = []
    for k, cell in enumerate(table.columns[column]):
        text = cell_text(cell)
        try:
            value = float("nan") if text is None or is_gap(text) else float(with_point(text)) / unit
        except ValueError:
            value = -1.0
        if value < 0 or value == float("inf"):
            table.refuse(k, f"the response time {text!r}; expected a number of at least 0, or an empty cell")
        found.append(value)
    return found


# ---------------------------------------------------------------------- JSON lines


def _read_lines(content: bytes | str, name: str | None, leaves: Any) -> AnswerSet:
    content, cut = _without_cut_line(content)
    text = decoded(content, name)
    answers: list[Answer] = []
    last: dict[str | None, list[int]] = {}  # the answers of each person that are not taken back
    taken_back: set[int] = set()
    data = None
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(re.split("\r\n|\n|\r", text), 1):
        if not line.strip():
            continue
        try:
            entry = load_json(line, name)
            if not isinstance(entry, dict):
                raise InvalidAnswerError(f"expected an object {{...}}, one answer, not {line:.40}")
            if "tripletree" in entry and "items" not in entry:
                data = _header(entry, first=not (answers or problems or taken_back))
            elif entry.get("undo"):
                mine = last.get(_text(entry, "who"))
                if not mine:
                    raise InvalidAnswerError("nothing to undo: this person has no answer before it")
                taken_back.add(mine.pop())
            else:
                answers.append(_answer(entry, number))
                last.setdefault(answers[-1].who, []).append(len(answers) - 1)
        except (InvalidAnswerError, ParseError) as error:
            said = str(error).partition(": ")[2] if isinstance(error, ParseError) else str(error)
            problems.append((number, said.partition("\n")[0]))
            if len(problems) >= SHOWN:
                break
    if problems:
        numbered = [f"line {number}: {said}" for number, said in problems]
        message = problems[0][1] if len(problems) == 1 else f"{len(problems)} problems:\n  " + "\n  ".join(numbered)
        raise ParseError(message, path=name, line=problems[0][0], problems=numbered)
    if cut:
        at = text.count("\n") + 1
        warn_user(f"{name or 'the text'}, line {at}: the last line is cut off and left out: {cut}")
    kept = [x for k, x in enumerate(answers) if k not in taken_back]
    try:
        found = AnswerSet(kept, leaves, source=name, data=data)
    except UnknownLeafError as error:
        unknown = set(error.labels)
        line = next(x.line for x in kept if not unknown.isdisjoint(x.items))
        raise ParseError(str(error), path=name, line=line) from None
    return found


def _without_cut_line(content: Any) -> tuple[Any, str]:
    """The content up to its last whole line, and the start of the cut-off rest ("" if there is none)."""
    newline = b"\n" if isinstance(content, bytes) else "\n"
    end = content.rfind(newline) + 1
    if _is_whole(content[end:]):
        return content, ""
    rest = content[end:]
    shown = rest.decode("utf-8", errors="replace") if isinstance(rest, bytes) else rest
    return content[:end], repr(shown[:40])


def _is_whole(line: bytes | str) -> bool:
    """Whether a line lacks only its end: blanks, or JSON."""
    if not line.strip():
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _header(entry: dict[str, Any], *, first: bool) -> str | None:
    if entry["tripletree"] != "answers":
        raise InvalidAnswerError(f"this is a file of {entry['tripletree']!r}, not of answers")
    if not first:
        raise InvalidAnswerError("a header must be the first line")
    version = entry.get("version", _VERSION)
    if version != _VERSION:
        raise InvalidAnswerError(f"version {version!r} of this format is not known, only {_VERSION}: update tripletree")
    return _text(entry, "data")


def _answer(entry: dict[str, Any], number: int) -> Answer:
    lacking = [key for key in ("items", "answer") if key not in entry]
    if lacking:
        raise InvalidAnswerError(f"the answer lacks {' and '.join(map(repr, lacking))}")
    items = entry["items"]
    if not isinstance(items, list) or not all(isinstance(x, str) or type(x) is int for x in items):
        raise InvalidAnswerError(f"the items must be a list of texts or whole numbers, not {items!r:.60}")
    kind = entry["answer"]
    if kind == "odd" and "odd" not in entry:
        raise InvalidAnswerError("the answer is 'odd', but 'odd' is missing: which of the items?")
    odd = entry.get("odd")
    if odd is not None and not isinstance(odd, str) and type(odd) is not int:
        raise InvalidAnswerError(f"the odd one must be one of the items, not {odd!r:.60}")
    return Answer(tuple(items), kind, odd, _text(entry, "who"), _text(entry, "when"), entry.get("seconds"), number)


def _text(entry: dict[str, Any], key: str) -> str | None:
    value = entry.get(key)
    if value is None or isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    raise InvalidAnswerError(f"{key!r} must be a text, not {value!r:.60}")


# ---------------------------------------------------------------------- writing


@overload
def write_answers(answers: AnswerSet, path: None = None) -> str: ...
@overload
def write_answers(answers: AnswerSet, path: Target) -> None: ...
def write_answers(answers: AnswerSet, path: Target | None = None) -> str | None:
    r"""Write answers as JSON lines, with a header.

    Parameters
    ----------
    answers : AnswerSet
    path : path, file object or "-", optional
        ``"-"`` is the standard output. A file is written aside and renamed; one ending in .gz, .bz2 or .xz is
        compressed. By default nothing is written.

    Returns
    -------
    str or None
        The text, if no path is given.

    Raises
    ------
    ValueError
        If the path has the ending of a table. `AnswerSet.to_frame` makes one.

    Examples
    --------
    >>> from tripletree.core import Answer, AnswerSet
    >>> print(write_answers(AnswerSet([Answer(("cat", "dog", "eel"), "odd", "eel", who="anna")])), end="")
    {"tripletree": "answers", "version": 1}
    {"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}
    """
    if isinstance(path, (str, os.PathLike)) and Path(path).suffix.lower() in _TABLES:
        how = "answers are written as JSON lines, .jsonl; for a table, answers.to_frame().to_csv(path, index=False)"
        msg = f"{os.fspath(path)}: {how}"
        raise ValueError(msg)
    lines = [_header_line(check_answers(answers).data), *map(_answer_line, answers)]
    return write_text(lines, path)


def append_answer(path: str | os.PathLike[str], answer: Answer, *, data: str | None = None) -> None:
    """Append one answer to a file of JSON lines, and return when it is on the disk.

    An unfinished last line of an interrupted write is cut off first. If several programs append to one file,
    each writes whole lines.

    Parameters
    ----------
    path : path
        A file that does not exist, or is empty, gets a header first.
    answer : Answer
    data : str, optional
        The name of the data, for the header of a new file.

    Raises
    ------
    InvalidAnswerError
        If a label is neither text nor a whole number.
    ParseError
        If the file holds something else, such as a table.
    OSError
        If the file cannot be written. Nothing has been added to it then.

    See Also
    --------
    append_undo : takes it back.

    Examples
    --------
    >>> import os, tempfile
    >>> from tripletree.core import Answer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "answers.jsonl")
    ...     append_answer(path, Answer(("cat", "dog", "eel"), "odd", "eel", who="anna"))
    ...     append_answer(path, Answer(("cat", "dog", "elk"), "unsure", who="anna"))
    ...     append_undo(path, "anna")
    ...     read_answers(path)
    <AnswerSet: 1 answer of 1 person about 3 samples>
    """
    _append(path, _answer_line(answer), data)


def append_undo(path: str | os.PathLike[str], who: str | None = None, *, when: str | None = None) -> None:
    """Append a line that takes back the last answer of a person that is not yet taken back, see `append_answer`.

    Parameters
    ----------
    path : path
    who, when : str, optional
        The person, and the time.

    Examples
    --------
    >>> import os, tempfile
    >>> from tripletree.core import Answer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "answers.jsonl")
    ...     append_answer(path, Answer(("cat", "dog", "eel"), "odd", "eel", who="anna"))
    ...     append_undo(path, "anna")
    ...     len(read_answers(path))
    0
    """
    _append(path, _line({"undo": True, "who": who, "when": when}), None)


def forget_person(path: str | os.PathLike[str], who: str) -> int:
    """Remove everything that a person said from a file of JSON lines, also what was taken back.

    Parameters
    ----------
    path : path
        No page may be writing to it. The file is written aside and renamed.
    who : str
        The name of the person.

    Returns
    -------
    int
        How many lines were removed.

    Raises
    ------
    ParseError
        If the file holds something else, such as a table.

    See Also
    --------
    append_undo : takes back the last answer of a person.

    Examples
    --------
    >>> import os, tempfile
    >>> from tripletree.core import Answer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "answers.jsonl")
    ...     for name in ("anna", "ben", "anna"):
    ...         append_answer(path, Answer(("cat", "dog", "eel"), "alike", who=name))
    ...     forget_person(path, "anna"), read_answers(path).people
    (2, ('ben',))
    """
    check_appendable(path)
    with open(path, "rb") as stream:
        lines = stream.read().splitlines(keepends=True)
    kept = []
    for line in lines:
        entry = json.loads(line) if line.strip() and _is_whole(line) else None
        said = entry.get("who") if isinstance(entry, dict) else None
        if said is None or str(said) != who:
            kept.append(line)
    if len(kept) < len(lines):
        with write_atomic(path) as out:
            out.write(b"".join(kept).decode())
    return len(lines) - len(kept)


def _append(path: str | os.PathLike[str], line: str, data: str | None) -> None:
    name = os.fspath(path)
    if os.path.isdir(name):
        raise IsADirectoryError(errno.EISDIR, "cannot append an answer to a folder", name)
    with end_of(name) as end:
        end.stream.seek(0)
        if end.size:
            _check_json_lines(end.stream, name)
        start, rest = end.last_line()
        if rest and not _is_whole(rest):
            end.cut(start)
            rest = b""
        before = _header_line(data) if end.size == 0 else ("\n" if rest else "")
        end.add((before + line).encode())


def check_appendable(path: str | os.PathLike[str]) -> None:
    """Check that answers can be appended to a file, which may be empty: that it does not hold something else."""
    with open(path, "rb") as stream:
        if os.fstat(stream.fileno()).st_size:
            _check_json_lines(stream, os.fspath(path))


def _check_json_lines(stream: Any, name: str) -> None:
    if not is_json_lines(stream.read(1000)):
        msg = (
            "this is not a file of JSON lines, so no answer can be appended; if it is a table of answers, "
            "'tripletree answers TABLE --jsonl FILE' or write_answers makes such a file of it"
        )
        raise ParseError(msg, path=name, line=1)


def _header_line(data: str | None) -> str:
    return _line({"tripletree": "answers", "version": _VERSION, "data": data})


def _answer_line(answer: Answer) -> str:
    if not isinstance(answer, Answer):
        msg = f"expected an Answer, not {type(answer).__name__}"
        raise TypeError(msg)
    for x in answer.items:
        if not isinstance(x, str) and type(x) is not int:
            msg = f"the label {x!r} is {type(x).__name__}; files of answers hold texts and whole numbers"
            raise InvalidAnswerError(msg)
    entry = {"items": list(answer.items), "answer": answer.kind, "odd": answer.odd}
    return _line({**entry, "who": answer.who, "when": answer.when, "seconds": answer.seconds})


def _line(entry: dict[str, Any]) -> str:
    """One line of JSON, without keys whose value is None."""
    text = json.dumps({key: x for key, x in entry.items() if x is not None}, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        msg = f"{error.object[error.start]!r} is half of a surrogate pair, which no file can hold"
        raise InvalidAnswerError(msg) from None
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085") + "\n"
