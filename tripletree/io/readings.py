"""The readings that the data of a table of answers allow, each with the command that reads it so.

A column of answers names one of three items of its row: by its label, its place, a letter or a column. It may name the
odd one, or which of two is more like the third, or less. Names of columns and the text of the question decide where
they are sure. Else all readings are shown (`ways_of`), and nothing is guessed. The readers of answers, comparisons and
triplets ask here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from tripletree.errors import ParseError
from tripletree.io.headers import Comparison, comparisons_by_name, options_beside, says_far, says_near
from tripletree.io.layouts import with_people_below
from tripletree.io.questions import QuestionTable
from tripletree.io.replies import TWO, answers_beside, code_word, fits_positions, key_word, positions_said, yes_or_no
from tripletree.io.ways import ask, call_for, near_call, odd_call
from tripletree.io.wording import asks_for_far, asks_for_near, is_neutral, without_tags
from tripletree.tables.cells import YES_NO, cell_text, column_word, is_no_answer, is_number
from tripletree.tables.columns import (
    ANCHOR,
    MAYBE_WHO,
    ODD,
    REPLY,
    SIDES,
    WHO,
    alike_columns,
    asides,
    is_aside,
    is_called_id,
    is_right,
    is_sure_anchor,
    option_pairs,
    plain,
    stem_of,
    words_of,
)
from tripletree.tables.rows import RowTable, shown_names

#: Rows and columns that are looked at for readings, readings that are shown, and letters of a text in them.
_HEAD, _FEW_COLUMNS, _MOST, _LONGEST = 100, 12, 6, 60
#: Names of columns with the text of the question.
_QUESTIONS = frozenset(
    {"question", "questiontext", "prompt", "instruction", "instructions", "task", "tasktext", "query", "stimulus"}
    | {"preamble", "frage", "fragetext", "aufgabe", "instruktion", "anweisung", "consigne", "pregunta", "domanda"}
    | {"vraag", "opdracht", "instrucción", "instruccion", "istruzione", "condition", "trialtype", "block"}
)


class Fit(NamedTuple):
    """Three columns of items and one that names one of them (or two) in each row, by their places."""

    items: tuple[int, ...]
    answer: int
    never: tuple[int, ...]
    """Those of the items that no answer names."""
    more: str
    """What else the reader of answers needs, such as codes."""
    two: bool = False
    """Whether it names the two that are alike."""


def ways_of(
    table: RowTable, *, items: Sequence[int] | None = None, answers: Collection[int] | None = None, both: bool = False
) -> list[tuple[str, str]]:
    """The readings of a table: for columns of items and answers (those given, else all that fit) what answers name.

    With `both` the two readings of comparisons are shown, the more and the less alike one.
    """
    table = named_by_first_row(table)
    names = table.called
    ways = []
    if options_beside(table.names or []) is not None:
        ways.append(("if it is the most alike of several", call_for(table, "read_comparisons")))
    fits = _fits(table, items, answers)
    for fit in fits:
        trio, told = [names[k] for k in fit.items], names[fit.answer]
        named = {*fit.items, *(x.answer for x in fits)}
        people = [] if WHO.among(table.names or ()) else people_among(table, named)
        who = people[0] if len(people) == 1 else None
        near, far = (table.names is not None and says(told) for says in (says_near, says_far))
        odd = odd_call(table, fit.items, fit.answer, who=who)
        if fit.two or not near:
            what = "the two that are alike" if fit.two else f"the odd one of {_and(trio)}"
            said = "" if who is None else f", and {who!r} who said it (else without who=)"
            ways.append((f"if {told!r} names {what}{said}", f"{odd[:-1]}{fit.more})"))
        options = option_pairs([str(x) for x in trio])
        anchors = fit.never[:1] if len(fit.never) < 3 else ()
        if len(options) == 1:  # of x, option 1 and option 2, x alone can be the anchor
            places = {*table.head(fit.answer)}.isdisjoint(x for k in fit.items for x in table.head(k))
            anchors = tuple(k for k in (fit.items if anchors and places else fit.never) if names[k] not in options[0])
        for k in anchors if not fit.two else ():
            columns = [k, *(j for j in fit.items if j != k)]
            for chosen in ([None] if not far else []) + (["far"] if both or far else []):
                what = f"if it names which of two is {'less' if chosen else 'more'} like {names[k]!r}"
                ways.append((what, near_call(table, columns, fit.answer, who=who, chosen=chosen)))
    return list(dict.fromkeys(ways))[:_MOST]


def people_among(table: RowTable, taken: Collection[int | None]) -> list[str]:
    """The columns that may say who has answered: a few names or numbers, each in several rows, that are no items."""
    names = table.names or []
    labels = {x for k in taken if k is not None for x in table.head(k)}
    found = []
    for k, name in enumerate(names):
        if k in taken or (is_aside(name) and plain(name) not in MAYBE_WHO) or plain(name) in _QUESTIONS:
            continue
        cells = table.head(k)
        words = {*cells}
        able = (
            len(words) > 1
            and not {*map(str.lower, words)} <= YES_NO.keys()
            and 3 * len(words) <= 2 * len(cells)
            and "" not in words
            and labels.isdisjoint(words)
        )
        if able and not any(len(x.split()) > 3 or (is_number(x) and not x.isdigit()) for x in words):
            found.append(name)
    return found


def with_names(asked: QuestionTable) -> QuestionTable:
    """A table whose first row names the columns: it cannot be an answer, and all others can."""
    table = named_by_first_row(asked.table)
    if asked.table.names is not None or table.names is None or len(table.names) < 4:
        return asked
    notes = [*asked.notes, "the first row names the columns"]
    named = replace(asked.taking(range(1, len(asked.table.lines))), table=table, notes=notes)
    below = with_people_below(named)
    if below is not named:
        return below
    fits = _fits(table, None, None)
    for fit in fits:
        row = [[str(table.names[k]) for k in fit.items]]
        if positions_said([str(table.names[fit.answer])], row, [None] * 3)[0][0] != -2:
            return asked
    return named if fits else asked


def _and(names: Sequence[Any]) -> str:
    *most, last = map(repr, names)
    return f"{', '.join(most)} and {last}"


def named_by_first_row(table: RowTable) -> RowTable:
    """A table without names whose first row shares nothing with the others, with that as its header."""
    first = [cell_text(x[0]) for x in table.columns if x]
    words = {x for x in first if x}
    if table.names is not None or len(words) < len(table.columns) or any(map(is_number, words)):
        return table
    below = [{cell_text(x) for x in column[1:]} for column in table.columns]
    if len(table.lines) < 2 or sum(not words.isdisjoint(x) for x in below) > 2:  # answers may name the columns
        return table
    return table.named_by_first_row()


def _fits(table: RowTable, items: Sequence[int] | None, answers: Collection[int] | None) -> list[Fit]:
    """Three columns of items and one that names one of them in each of the first rows: by labels before codes."""
    names = table.names or [str(k) for k in range(len(table.columns))]
    columns = [[cell_text(x) for x in column[:_HEAD]] for column in table.columns]
    known = asides(table.names or ())
    free = [k for k in range(len(names)) if k not in known]
    told = [k for k in free if table.names is None or not is_aside(names[k]) or plain(names[k]) in REPLY.names]
    told = [k for k in told if (answers is None or k in answers) and k not in (items or ())]
    able = [k for k in free if table.names is None or not (is_aside(names[k]) or says_far(names[k]))]
    numbers = [all(x is None or is_number(x) for x in column) for column in columns]
    rows: dict[tuple[int, ...], list[tuple[Any, ...]] | None] = {}
    for trio in [tuple(items)] if items is not None else combinations(able, 3) if len(able) <= _FEW_COLUMNS else ():
        found = list(zip(*(columns[k] for k in trio), strict=True)) if len({numbers[k] for k in trio}) == 1 else []
        if found and all(len({*x}) == len(x) if None not in x else not any(x) for x in found):
            rows[trio] = found
    by_label = [
        _fit(trio, k, columns[k], found, names, labels=True)
        for trio, found in rows.items()
        for k in told
        if k not in trio and found and numbers[k] == numbers[trio[0]]
    ]
    if not any(by_label) and answers is None:  # the right answers alone
        others = [k for k in free if k not in told and is_right(names[k])]
        pairs = [(trio, k) for trio in rows for k in others if k not in trio and rows[trio]]
        by_label = [_fit(trio, k, columns[k], rows[trio] or [], names, labels=True) for trio, k in pairs]
    if any(by_label):
        named = [x for x in by_label if x is not None]
        return [x for x in named if not any(_is_better(y, x, columns, names) for y in named)]
    alike = alike_columns(replace(table, names=names), lambda cells: False)
    groups = [tuple(items)] if items is not None else [tuple(names.index(x) for x in group) for group in alike]
    trios = [x for x in groups if len(x) == 3 and rows.get(x)]
    stems = [*map(stem_of, names)]
    told = [k for k in told if stems.count(stems[k]) < 3 or names[k] == stems[k]]  # three of a kind rate the three
    pairs = [(x, k) for x in trios for k in told if k not in x]
    if not pairs and len(able) == 4:  # the last of four
        pairs = [(tuple(able[:3]), k) for k in told if k == able[3] and rows.get(tuple(able[:3]))]
    if not pairs and len(able) == 3 and table.names is not None:  # whatever they are called
        pairs = [(tuple(able), k) for k in told if k not in able and rows.get(tuple(able))]
    fits = [_fit(x, k, columns[k], rows[x] or [], names, labels=False) for x, k in pairs]
    coded = [x for x in fits if x is not None]
    return [x for x in coded if not _are_in_runs(columns[x.answer])] or coded


def _is_better(other: Fit, fit: Fit, columns: Sequence[Sequence[Any]], names: Sequence[str]) -> bool:
    """Whether another reading of the same answers has items that share labels, where one of these shares nothing.

    Or items that are called alike: word1, word2 and word3.
    """
    if other.answer != fit.answer or other.two != fit.two:
        return False
    alike = [len({stem_of(names[k]) for k in trio}) for trio in (other.items, fit.items)]
    if alike[0] == 1 < alike[1]:
        return True
    shared = []
    for trio in (other.items, fit.items):
        cells = [{*columns[k]} - {None} for k in trio]
        shared.append(sum(not any(x & y for y in cells if y is not x) for x in cells))
    return shared[0] == 0 < shared[1]


def _are_in_runs(cells: Sequence[Any]) -> bool:
    """Whether the rows with the same cell stand together, as those of a person do."""
    return sum(x != y for x, y in pairwise([None, *cells])) == len({*cells}) < len(cells)


def _fit(
    trio: tuple[int, ...], answer: int, cells: Sequence[Any], rows: Sequence[Any], names: Sequence[str], *, labels: bool
) -> Fit | None:
    """How a column names items of each row, or None."""
    asked = [(x, row) for x, row in zip(cells, rows, strict=True) if not is_no_answer(x) and None not in row]
    if not asked or (labels and not all(x in row for x, row in asked)):
        return None
    called = [names[k] for k in trio]
    said, shown = [x for x, _ in asked], [row for _, row in asked]
    found, how = positions_said(said, shown, called)
    if how.startswith("positions") and not all(map(is_number, said)) and plain(names[answer]) not in REPLY.names:
        return None  # p1, p2, p3 are people
    if (found >= 0).all():
        never = () if how == TWO else tuple(k for j, k in enumerate(trio) if j not in found)
        start = ", first=0" if how == "positions from 0" and "0" not in said else ""
        return Fit(trio, answer, never, start, two=how == TWO)
    meant = answers_beside("answer", said, shown, called)
    return None if meant is None or meant[0] != "names two" else Fit(trio, answer, (), meant[1], two=True)


# ---------------------------------------------------------------------- what else a table says


def check_no_positions(
    table: RowTable,
    said: Sequence[str | None],
    rows: Sequence[Sequence[str | None]],
    found: np.ndarray,
    answer: int,
    read: Callable[..., str],
) -> None:
    """Raise the question if answers that are labels of their rows are positions of other items as well."""
    starts = fits_positions(said, rows, found)
    if starts:
        ways = [("labels", read()), *((f"positions from {k}", read(first=k)) for k in starts)]
        told = table.called[answer]
        raise ask(
            table, f"the answers in {told!r} are labels of their rows, and positions as well: which is meant?", ways
        )


def check_one_pool(table: RowTable, items: Sequence[int], answer: int) -> None:
    """Raise the question if two of three columns are called alike, and the third shares no label with them."""
    names = table.names or []
    labels = {k: {x for x in table.texts(k) if x} for k in items}
    for pair in option_pairs([names[k] for k in items]) if names and not ODD.among([names[answer]]) else ():
        other = next(k for k in items if names[k] not in pair)
        is_anchor = ANCHOR.calls(names[other]) is not None
        if not is_anchor and not any(labels[other] & labels[k] for k in items if k != other):
            two = " and ".join(map(repr, pair))
            why = (
                f"{names[other]!r} holds none of the things in {two}: are these three things of which {names[answer]!r}"
            )
            ways = ways_of(table, items=items, answers=[answer]) or [
                ("if it names the odd one of three", odd_call(table, items, answer))
            ]
            raise ask(table, f"{why} names one, rather than how alike two things are?", ways)


def check_what_else(
    asked: QuestionTable, items: Sequence[int], answer: int | None, taken: Collection[int | None], *, compared: bool
) -> bool:
    """Raise the question if other columns may change what the answers mean. Tell the columns that are not used.

    Returns
    -------
    bool
        Whether the text of the questions asks for the less alike of two.
    """
    table, names = asked.table, asked.table.names or []
    free = [k for k in range(len(names)) if k not in items and k != answer and k not in taken]
    free = [k for k in free if names[k] and not WHO.among([names[k]])]
    name = "" if answer is None else names[answer]
    is_open = not (compared and (says_near(name) or says_far(name))) and not ODD.among([name])
    far = is_open and _check_texts(asked, items, answer, free, compared=compared)
    if answer is not None:
        _check_rivals(table, items, answer, free, compared=compared, is_odd=bool(ODD.among([name])))
    return far


def tell_rest(asked: QuestionTable, taken: Collection[int | None], *, people: bool) -> None:
    """Note the columns that are not used, and, without `people`, which of them may say who has answered."""
    names = asked.table.names or []
    able = [] if people else people_among(asked.table, taken)
    rest = [x for k, x in enumerate(names) if x and k not in taken and x not in able and not WHO.among([x])]
    labels = {x for k in taken if k is not None for x in asked.table.head(k)}
    told = [x for x in rest if is_right(x) and not labels.isdisjoint(asked.table.head(names.index(x)))]
    unused = [x for x in rest if (not is_aside(x) or x in told) and plain(x) not in _QUESTIONS]
    for name in rest:
        asked.notes += _other_trials(asked.table, name)
    if able:
        asked.notes.append(f"nobody is named (who= may be {' or '.join(map(repr, able))})")
    if unused:
        asked.notes.append(f"not used: {shown_names(unused, 4)}")


#: What trials are called that are not like the others.
_OTHER_TRIALS = re.compile(r"catch|practi[cs]e|training|warm_?up|attention|filler|dummy|vigilance|übung|demo|example")


def _other_trials(table: RowTable, name: str) -> list[str]:
    """What to say if a column tells of catch trials or practice, which stand among the others."""
    cells = table.texts((table.names or []).index(name))
    others = {x for x in {*cells} if x is not None and len(x) < _LONGEST and _OTHER_TRIALS.search(x.lower())}
    flags = yes_or_no(cells) if _OTHER_TRIALS.search(words_of(name)) and not is_called_id(name) else None
    if flags is not None:
        count, only = int((flags == 1).sum()), f"not {_quoted(name)}"
    else:
        count, only = sum(x in others for x in cells), " and ".join(f"{_quoted(name)} != {x!r}" for x in sorted(others))
        count = count if len({*cells}) <= _FEW_COLUMNS and len(others) < 4 else 0
    return [f"{count} by {name!r} (left out by only={only!r})"] if 0 < count < len(cells) else []


def _check_texts(
    asked: QuestionTable, items: Sequence[int], answer: int | None, free: Sequence[int], *, compared: bool
) -> bool:
    """Judge the texts of the questions. True if they ask for the less alike of two."""
    table, names = asked.table, asked.table.names or []
    for k, raw in _texts(table, free):
        texts = {*raw}
        far, near = ({x for x in texts if asks(x)} for asks in (asks_for_far, asks_for_near))
        if texts == far and not near:
            if compared and answer is not None:
                asked.notes.append(f"{names[k]!r} asks for the less alike of the two")
            return compared and answer is not None
        if texts == near - far and compared:
            continue
        shown = sorted(texts, key=lambda x: (x not in far, x))
        few = " and ".join(f"{x[:_LONGEST]!r}" for x in shown[:2])
        few += f" and {len(shown) - 2} more" if len(shown) > 2 else ""
        known = near if compared else far
        read = partial(near_call if compared else odd_call, table, items, answer)
        ways = [
            (f"if only {x!r} counts", read(only=f"{_quoted(names[k])} == {raw[x]!r}"))
            for x in shown[:2]
            if len(texts) > 1 and x in known and len(raw[x]) <= _LONGEST and not {*raw[x]} & {*"'\"\\"}
        ]
        if compared:
            ways.append(("if all ask for the more alike of two", read()))
            if answer is not None:
                ways.append(("if all ask for the less alike", read(chosen="far")))
        elif answer is not None:
            whole = ways_of(table, items=items, answers=[answer])
            ways += whole or [("if all ask for the odd one", read())]
        raise ask(table, f"{names[k]!r} says what is asked: {few}. Do answers name the {_meant(compared)}?", ways)
    return False


def _meant(compared: bool) -> str:
    return "more alike of two" if compared else "odd one of three"


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f"`{name}`"


def _texts(table: RowTable, free: Sequence[int]) -> Iterator[tuple[int, dict[str, str]]]:
    """The columns that say what is asked, each with its texts, without tags and as they stand."""
    names = table.names or []
    for k in free:
        called = plain(names[k]) in _QUESTIONS
        if not called and is_aside(names[k]):
            continue
        raw = {x for x in table.columns[k] if isinstance(x, str) and x.strip()}
        texts = {without_tags(x).strip(): x for x in raw}
        if not texts or all(map(is_number, texts)):
            continue
        few = len(texts) == 1 or 3 * len(texts) <= len(table.lines)
        phrases = any(len(x.split()) > 2 or "?" in x for x in texts)
        says = any(asks_for_far(x) or asks_for_near(x) for x in texts)
        asks = says or (any("?" in x for x in texts) if not called else phrases)
        if (called or few) and asks and (says or not all(map(is_neutral, texts))):
            yield k, texts


def _check_rivals(
    table: RowTable, items: Sequence[int], answer: int, free: Sequence[int], *, compared: bool, is_odd: bool
) -> None:
    """Raise if another column names items of the rows, too, or holds items of the same kind.

    `is_odd`: whether the answers are called the odd one, so that only another column of labels may be meant.
    """
    names, head = table.names or [], table.taking(range(min(len(table.lines), 10 * _HEAD)))
    columns = {k: [x and without_tags(x).strip() for x in head.texts(k)] for k in free}
    rows = head.rows_of(items)
    options = [x[compared:] for x in rows]
    labels = {x for row in rows for x in row}

    def places_in(cells: Sequence[str | None]) -> np.ndarray | None:
        """Which item each answer names, or None if some name no item."""
        whole = [x if None not in x else ("",) * len(x) for x in options]
        found, _ = positions_said(cells, whole, [names[k] for k in items[compared:]])
        return None if (found == -2).any() else found

    said = places_in(head.texts(answer))
    for k in free:
        words = {*words_of(names[k]).split("_")}
        reply = plain(names[k]) in REPLY.names or bool(words & {*REPLY.names})
        cells = [x for x in columns[k] if not is_no_answer(x)]
        if (is_aside(names[k]) and plain(names[k]) not in REPLY.names) or not cells:
            continue
        pairs = [(x, row) for x, row in zip(columns[k], options, strict=True) if not is_no_answer(x)]
        by_label = all(x in row for x, row in pairs)
        if by_label or (reply and not is_odd):
            other = places_in(columns[k])
            if other is None or said is None or not (by_label or (other >= 0).any()):
                continue
            both = (other >= 0) & (said >= 0)
            if not (both & (other != said)).any():
                continue  # the same answer in other words
            why = f"{names[answer]!r} and {names[k]!r} both name one of {_and([names[j] for j in items])}"
            read = near_call if compared else odd_call
            ways = [(f"if {names[j]!r} has the answers", read(table, items, j)) for j in (answer, k)]
            raise ask(table, f"{why}: which of them has the answers of people?", ways)
        if compared or is_odd:
            continue
        shared = sum(x in labels for x in cells)
        if is_sure_anchor(names[k]) or (
            2 * shared > len(cells) > 1 and not any(x in row for x, row in zip(columns[k], rows, strict=True))
        ):
            command = odd_call(table, items, answer)
            why = f"{names[k]!r} stands beside {_and([names[j] for j in items])} like a fourth item, or like one that"
            ways = [(f"if {names[answer]!r} names the odd one of the three all the same", command)]
            if options_beside(names) is not None:
                ways.insert(0, (f"if it names which is most like {names[k]!r}", call_for(table, "read_comparisons")))
            raise ask(table, f"{why} they are compared with, which is another question.", ways)


# ---------------------------------------------------------------------- comparisons


def comparison_in(table: RowTable, others: set[int], answer: int | None = None) -> Comparison | None:
    """The columns of comparisons, by their names and by what the answers are. None if nothing speaks for comparisons.

    Raises a ParseError, which shows both readings, if the answers may as well name the odd one of three.
    """
    names = table.names
    if names is None:
        return None
    found = [x for x in comparisons_by_name(names, others, answer) if _may_be_anchor(table, x)]
    labels = {k: {*table.texts(k)} - {None} for x in found for k in x[:3]}
    related = [x for x in found if labels[x.anchor] & (labels[x.first] | labels[x.second])]
    # a topic or a category beside two things that share no label with it may be no anchor
    found = related or [x for x in found if x.answer is None or ANCHOR.calls(names[x.anchor])]
    if len(found) > 1:  # the same rows in words and in numbers
        numbers = {k: all(re.fullmatch(r"\d+(?:\.0)?", str(y)) for y in x) for k, x in labels.items()}
        found = [x for x in found if numbers[x.anchor] == numbers[x.first]] or found
        found = [x for x in found if not numbers[x.first]] or found
    if not found:
        return None
    best = found[0]
    if best.answer is not None and ODD.among([names[best.answer]]):
        raise both_readings(table, best, "the answer is called the odd one, and never is the first column")
    return best


def both_readings(
    table: RowTable, found: Comparison, why: str, *, codes: Sequence[str] | None = None, from_zero: bool = False
) -> ParseError:
    """The error for a table that can be read in two ways, with both commands.

    `codes` are the answers that stand for the two that are compared. `from_zero`: whether positions may count from 0.
    """
    items = sorted(found[:3])  # in the table's order
    near, odd = (partial(read, table) for read in (near_call, odd_call))
    ways = [("comparisons", near(found[:3], found.answer, codes=codes)), ("the odd one", odd(items, found.answer))]
    if from_zero:
        counted = enumerate(("counted from 0", "from 1"))
        ways[1:] = [(f"the odd one, {way}", odd(items, found.answer, first=k)) for k, way in counted]
        ways.append((f"comparisons with {table.called[items[0]]!r}", near(items, found.answer, codes=codes)))
    anchor, one, other = (table.called[k] for k in found[:3])
    asks = f"is {anchor!r} compared with {one!r} and {other!r}, or do answers name the odd one of three?"
    return ask(table, f"{why}: {asks}", ways)


def _may_be_anchor(table: RowTable, found: Comparison) -> bool:
    """Whether no answer names the anchor, as it would name the odd one, or the anchor is surely called so."""
    name = (table.names or [])[found.anchor]
    if found.answer is None or is_sure_anchor(name):
        return True
    cells = table.rows_of((found.answer, *found[:3]))
    if any(said is not None and said == anchor and said not in rest for said, anchor, *rest in cells):
        return False
    codes = {code_word(x) for x, *row in cells if x is not None and x not in row}
    places, keys = {SIDES.get(x, x) for x in words_of(name).split("_")}, {*map(key_word, codes)}
    places |= {"up", "down"} if "middle" in places else set()
    return not (codes & {"3", column_word(name)} or codes >= {"0", "2"} or (places & keys))
