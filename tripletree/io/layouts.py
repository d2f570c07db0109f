"""Layouts of questions, each with the step that makes a row a question of it: votes, a row a person, lists in cells.

A step knows its layout, and gives any other table back as it is (`STEPS`, in their order).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from tripletree.errors import ParseError
from tripletree.io.forms import form_of
from tripletree.io.headers import EVENTS, VALUES, options_beside, says_far, tells_events
from tripletree.io.questions import QuestionTable, check_sum
from tripletree.io.replies import WORDS, code_word, is_count, positions_said, votes_in
from tripletree.io.table import OUT_OF_TEXTS
from tripletree.io.ways import ask, call, source_text
from tripletree.io.wording import (
    AROUND,
    FORM_CODE,
    LEADING,
    anchors_in,
    asks_for_far,
    compared_in,
    is_bare,
    is_neutral,
    items_in,
    trios_in,
    without_tags,
    words_before,
)
from tripletree.tables.cells import cell_text, column_word, is_no_answer
from tripletree.tables.columns import REPLY, SECONDS, WHEN, WHO, are_people, asides, is_aside, option_pairs, plain
from tripletree.tables.rows import RowTable, shown_names

_MOST_EVENTS = 20


def _with_events_joined(asked: QuestionTable) -> QuestionTable:
    """A row a question, of a table with a row an event: three with an item, one with the answer."""
    table, names = asked.table, asked.table.names or []
    if not tells_events(names):
        return asked
    event, value = (next(k for k, x in enumerate(names) if plain(x) in some) for some in (EVENTS, VALUES))
    told = [cell_text(x) or "" for x in table.columns[event]]
    replies = REPLY.among({*told})
    if len({*told}) > _MOST_EVENTS or len(replies) != 1:
        return asked
    times = {x for role in (WHEN, SECONDS) for x in role.among(names)} | {"rt"}
    rest = [k for k in range(len(names)) if k not in (event, value) and names[k] not in times]
    who = [k for k in rest if WHO.among([names[k]])]
    for keys in (rest, *([*who, k] for k in rest if k not in who), who):
        groups: dict[Any, dict[str, list[int]]] = {}
        for i, key in enumerate(zip(*(table.columns[k] for k in keys), strict=True)):
            groups.setdefault(key, {}).setdefault(told[i], []).append(i)
        if len(groups) > 1 and all(len(x.get(replies[0], ())) == 1 < len(x) for x in groups.values()):
            break
    else:
        return asked
    first = [next(iter(x.values()))[0] for x in groups.values()]
    made, columns = [names[k] for k in keys], [[table.columns[k][i] for i in first] for k in keys]
    for what in dict.fromkeys(told):
        most = max(len(x.get(what, ())) for x in groups.values())
        for j in range(most):
            made.append(what if most == 1 else f"{what}{j + 1}")
            rows = [x.get(what, ()) for x in groups.values()]
            columns.append([table.columns[value][x[j]] if j < len(x) else None for x in rows])
    return asked.taking(first).with_columns(made, columns, f"{len(told):,} events joined")


def _with_votes(asked: QuestionTable) -> QuestionTable:
    """A table with a row an answer, of one with a column of votes, or of yes and no, for each item."""
    table, names = asked.table, asked.table.names or []
    if len({*names}) < len(names):
        return asked
    found = votes_in({x: table.texts(k) for k, x in enumerate(names)})
    if found is None:
        return asked
    rest = [k for k, x in enumerate(names) if x not in found.columns]
    rows, options = np.nonzero(found.votes)
    times = found.votes[rows, options]
    check_sum(table, found.columns[0], int(times.sum()))
    none = np.flatnonzero(found.votes.sum(axis=1) == 0)
    rows = np.concatenate([np.repeat(rows, times), none])
    where = [*np.repeat(options, times).tolist(), *[None] * len(none)]
    order = np.argsort(rows, kind="stable").tolist()
    if found.items:
        items = [table.texts(names.index(x)) for x in found.items]
        said = [None if where[i] is None else items[where[i]][rows[i]] for i in order]
    else:
        said = [None if where[i] is None else str(where[i] + 1) for i in order]
    asked = asked.taking(rows[order].tolist())
    made = [asked.table.columns[k] for k in rest]
    what = f"{'yes in one of' if found.votes.max() == 1 else 'votes in'} {', '.join(found.columns)}"
    return asked.with_columns([*(names[k] for k in rest), found.stem], [*made, said], what, items=list(found.items))


def _in_milliseconds(asked: QuestionTable) -> QuestionTable:
    """Response times of jsPsych, which counts milliseconds."""
    names = asked.table.names or []
    if not asked.from_zero or "rt" not in names or "rt_ms" in names:
        return asked
    return asked.with_columns(["rt_ms" if x == "rt" else x for x in names], asked.table.columns)


def _long(asked: QuestionTable) -> QuestionTable:
    """A row a question, of a table with a row a person and the questions side by side."""
    table = asked.table
    names = table.names
    if names is None:
        return asked
    texts: list[str | None] = [None] * len(names)
    form = form_of(table)
    if form is not None:
        described = form.texts(table)
        texts = [cell_text(x[0]) for x in table.columns] if described else texts
        asked = replace(asked.taking(range(described, len(table.lines))), table=form.rows(table, asked.sought.wanted))
        asked.notes.append(form.title)
        table = asked.table
        called = dict(zip(names, table.names or (), strict=True))
        asked.items = [called[x] for x in asked.items]
        names = table.names or []
    if len(REPLY.among(names)) == 1:
        return asked
    if len(names) > 3 or any(texts):
        for pattern in (r"(\D*)(\d+)([._ -]?\D.*)", r"(.*?)[._ -]?(\d+)()", r"(\D*)(\d+)(.*)"):
            made = _melted(asked, pattern)
            if made is not None:
                return made
    texts = texts if any(texts) else [*names]
    return _of_comparisons(asked, texts) or _of_texts(asked, texts)


def _melted(asked: QuestionTable, pattern: str) -> QuestionTable | None:
    """Return a row for each number in the columns' names. None if the rows then have no answer."""
    names = asked.table.names or []
    groups: dict[int, dict[str, int]] = {}
    for k, name in enumerate(names):
        found = re.fullmatch(pattern, name)
        if found is not None:
            groups.setdefault(int(found[2]), {})[column_word(found[3] or found[1]).strip("_.- ")] = k
    words = list(next(iter(groups.values()), ()))
    if len({frozenset(x) for x in groups.values()}) != 1 or len(words) < 4 or not REPLY.among(words):
        return None
    return _stacked(asked, words, [[x[word] for word in words] for x in groups.values()])


def with_people_below(asked: QuestionTable) -> QuestionTable:
    """A row for each person, if people are columns: below each name the items that this person said."""
    table, names = asked.table, asked.table.names or []
    free = [k for k, x in enumerate(names) if not is_aside(x)]
    if not names or REPLY.among(names) or WHO.among(names):
        return asked
    for first, width in ((0, 3), (1, 3), (0, 1), (1, 1)):  # the first may number the questions
        people = free[first + width :]
        called = [names[k] for k in people]
        if len(people) < 2 or not are_people(called) or not {*called}.isdisjoint(asked.sought.wanted):
            continue
        cells = [table.texts(k) for k in free[first : first + width]]
        shown = [*zip(*cells, strict=True)] if width == 3 else _three_in(cells[0], table.texts(people[0]))[0]
        said = [table.texts(k) for k in people]
        agree = any(len({*row}) < len(row) for row in zip(*said, strict=True) if None not in row)  # else a ranking
        several = shown is not None and len({*chain(*filter(None, shown))}) > 3
        if shown is not None and agree and several and all(_say_one(x, shown) for x in said):
            used = [k for k in range(len(names)) if k not in free[:first]]
            asked = asked.with_columns([names[k] for k in used], [table.columns[k] for k in used])
            one_each = [[name, used.index(k)] for name, k in zip(called, people, strict=True)]
            return _apart(_stacked(asked, ["who", "answer"], one_each, "a column for each person"))
    return asked


def _say_one(said: Sequence[str | None], shown: Sequence[Sequence[str | None] | None]) -> bool:
    """True if each answer is one of the items of its row, and there is any."""
    rows = [(x, items) for x, items in zip(said, shown, strict=True) if not is_no_answer(x)]
    return bool(rows) and all(items is not None and x in items for x, items in rows)


def _stacked(asked: QuestionTable, words: list[str], groups: list[list[Any]], note: str | None = None) -> QuestionTable:
    """Each row once for each group of columns (or of cells that are the same in all rows)."""
    table, m = asked.table, len(groups)
    n, taken = len(table.lines), {x for group in groups for x in group if isinstance(x, int)}
    rest = [k for k in range(len(table.columns)) if k not in taken]
    columns = [[x for x in table.columns[k] for _ in range(m)] for k in rest]
    for j in range(len(words)):
        parts = [x[j] for x in groups]
        cells = [table.columns[x] if isinstance(x, int) else [x] * n for x in parts]
        columns.append([cells[g][i] for i in range(n) for g in range(m)])
    own = [(table.names or [])[k] for k in rest]
    ids = [j for j, k in enumerate(rest) if plain(own[j]) == "id" and len({*map(str, table.columns[k])}) == n]
    if len(ids) == 1 and not WHO.among(own):
        own[ids[0]] = "who"
    names = [*own, *words]
    lines = [x for x in table.lines for _ in range(m)]
    parts = [(path, k * m) for path, k in asked.parts]
    longer = replace(asked, table=replace(table, columns=[], lines=lines), parts=parts)
    return longer.with_columns(names, columns, note or f"{m} questions of {n} rows")


def _of_comparisons(asked: QuestionTable, texts: Sequence[str | None]) -> QuestionTable | None:
    """Return comparisons whose items stand in the text of the question, or in the header, or None."""
    groups = []
    for k, text in enumerate(texts):
        trio = compared_in(text or "")
        if trio is None:
            continue
        said = {x for x in asked.table.texts(k) if not is_no_answer(x)}
        if not said <= {*trio[1:]}:  # a plum
            said = {LEADING.sub("", str(x), count=1) for x in said}
        if said <= {*trio[1:]} or said <= {"1", "2"}:
            groups.append([*trio, k])
    if not groups:
        return None
    made = _stacked(asked, _COMPARED, groups)
    return _with_rows_as_people(replace(made, compared=True), len(groups))


#: What columns of comparisons that come out of texts are called.
_COMPARED = ["anchor", "option1", "option2", "answer"]


def _with_rows_as_people(made: QuestionTable, m: int) -> QuestionTable:
    """Return questions with each m of them as those of a person, unless a column has the people."""
    names, n = made.table.names or [], len(made.table.lines)
    if WHO.among(names):
        return made
    rows = [f"row {k // m + 1}" for k in range(n)]
    return made.with_columns([*names, "who"], [*made.table.columns, rows], "each row is a person")


def _of_texts(asked: QuestionTable, texts: Sequence[str | None]) -> QuestionTable:
    """Questions whose three items stand in the text of the question, or in the header: "Which? cat / dog / eel"."""
    table, (wanted, codes, compared) = asked.table, asked.sought
    groups: list[list[Any]] = []
    left_out = []
    unknown: dict[str, set[str]] = {}
    others = asides(table.names or ())
    listed_by = [items_in(text or "", set()) or [] for text in texts]
    names = table.names or []
    named = [bool(items) for k, items in enumerate(listed_by) if k not in others]
    all_named = len(named) > 1 and all(named)
    for k, text in enumerate(texts):
        if not listed_by[k] or k in others:
            continue
        cells = {x for x in table.texts(k) if x is not None}
        said = {x for x in cells if not is_no_answer(x) and column_word(x) not in WORDS}
        coded = all_named or not is_bare(text or "")
        items = items_in(text or "", said, coded=coded, codes=codes) if said else None
        if items is not None:
            groups.append([*items, k])
        elif said and coded and all(map(is_count, said)):
            unknown[names[k]] = {FORM_CODE.sub("", x) for x in said}
        elif said and "?" in (text or ""):
            other = min(said - {*listed_by[k]})
            left_out.append(f"{names[k]!r} lists {', '.join(listed_by[k])} and has the answer {other!r}")
    if groups and all(is_bare(texts[x[3]] or "") for x in groups) and "odd" not in wanted:
        replies = [[y for y in table.texts(x[3]) if y is not None] for x in groups]
        coded = any({*some}.isdisjoint(x[:3]) for x, some in zip(groups, replies, strict=True) if some)
        first = coded or any(x[0] in {*some} for x, some in zip(groups, replies, strict=True))
        if not first and compared:
            return _stacked(asked, _COMPARED, groups)
        if not first and sum(map(len, replies)) > 1:
            ways = [
                ("the odd one", call("read_answers", table.path, odd="odd")),
                ("comparisons", call("read_comparisons", table.path)),
            ]
            why = f"no answer names the first of {names[groups[0][3]]!r}: is it compared with the two others,"
            why += " or do answers name the odd one of three?"
            raise ask(table, why, ways)
    groups = groups if "odd" in wanted else _asking_for_the_odd(asked, groups, texts)
    aside = _asides([x[:3] for x in groups], [[words_before(texts[x[3]] or "", x[:3]) for x in groups]], asked.notes)
    groups = [x for k, x in enumerate(groups) if k not in aside]
    if not groups:
        if unknown and codes is None:
            raise _unknown_codes(table, unknown)
        return asked
    made = _stacked(asked, [*_ITEMS, "odd"], groups)
    if left_out:
        made.notes.append(f"{len(left_out)} left out: {'; '.join(left_out)}")
    return _with_rows_as_people(made, len(groups))


def _unknown_codes(table: RowTable, unknown: Mapping[str, set[str]]) -> ParseError:
    """The error for questions that list items where the answers are numbers of another program."""
    several = sorted({x for some in unknown.values() for x in some}, key=int)
    msg = (
        f"three items are listed in {shown_names([*unknown], 3)}, and the answers are numbers that do not count them: "
    )
    msg += f"{', '.join(several[:6])}{', ...' if len(several) > 6 else ''}. Save the answers as words (choice text)"
    if len(several) == 3:
        msg += (
            f"; or, if the least number is the first item: read_answers({source_text(table.path)}, codes={several!r})"
        )
    return table.refusal(msg)


def _out_of_texts(asked: QuestionTable) -> QuestionTable:
    """A table whose questions name their items in a cell, "Which is most like a cat?", with these as columns."""
    table, names = asked.table, asked.table.names or []
    replies = [names.index(x) for x in REPLY.among(names)]
    others = {*asides(names), *replies}
    pair = option_pairs([x for k, x in enumerate(names) if k not in others])
    for k in range(len(names)) if len(replies) == 1 and table.lines else ():
        if k in others or not all(len(x.split()) > 2 for x in table.head(k)):
            continue
        texts = [None if x is None else without_tags(x).strip() for x in table.texts(k)]
        found = anchors_in(texts) if len(pair) == 1 else trios_in(texts, table.texts(replies[0]))
        if found is None:
            continue
        made = OUT_OF_TEXTS[:1] if len(pair) == 1 else OUT_OF_TEXTS if found[1] else _ITEMS
        if {*made} & {*names}:
            continue
        columns = [*table.columns[:k], *found[0], *table.columns[k + 1 :]]
        called = [*names[:k], *made, *names[k + 1 :]]
        if len(pair) == 1:
            called, columns = [*called, names[k]], [*columns, [found[1]] * len(texts)]
        note = f"items out of the questions in {names[k]!r}" + f" ({found[1]!r})" * bool(found[1])
        compared = asked.compared or (len(made) == 3 and bool(found[1]))
        items = made if made is _ITEMS else asked.items
        return asked.with_columns(called, columns, note, compared=compared, items=items)
    return asked


#: What items out of a text are called as columns.
_ITEMS = ["item1", "item2", "item3"]


def _asking_for_the_odd(asked: QuestionTable, groups: list[list[Any]], texts: Sequence[str | None]) -> list[list[Any]]:
    """Return the questions that do not ask, in a sentence, for something else than the odd one. Raise if all do."""
    names = asked.table.names or []
    stems = [words_before(texts[x[3]] or "", x[:3]) for x in groups]
    other = [not is_neutral(x) and not asks_for_far(x) for x in stems]
    left = [names[x[3]] for x, no in zip(groups, other, strict=True) if no]
    shown = shown_names(left, 3)
    if groups and all(other):
        raise asked.table.refusal(
            f"no question says that it asks for the odd one of three: {shown}; if all of them do, "
            f"read_answers({source_text(asked.table.path)}, odd='odd')"
        )
    if left:
        asked.notes.append(f"{shown} left out, as no odd one is asked for")
    return [x for x, no in zip(groups, other, strict=True) if not no]


#: Answers to questions about the person, not about items.
_SURVEY = re.compile(
    r"yes|no|maybe|(?:fe)?male|(?:wo)?man|[mfdw]|others?|none|divers|diverse|non-?binary|never|rarely|sometimes|often|always"
    r"|(?:dis)?agree|neutral|easy|medium|hard|difficult|low|middle|high|left|right|both|ambidextrous|ja|nein|vielleicht"
    r"|männlich|weiblich|ok|desktop|tablet|phone|mobile|good|bad|prefer not to say"
    r"|(?:left|right)-handed|\d+\s?[-–]\s?\d+|\d+\+"
)
#: What a question about items asks.
_ASKS_ODD = re.compile(r"\bodd|belong|\bfit|differ|unlike|similar|alike|match", re.IGNORECASE)


def _asides(trios: Sequence[Any], kinds: Sequence[Sequence[Any]], notes: list[str]) -> set[int]:
    """Which questions are about other things: of no item of the rest, and of another kind, or with answers of surveys.

    Parameters
    ----------
    trios : sequence of sequence of str
    kinds : sequence of sequences
        What tells kinds of questions apart, each with a value for each question.
    notes : list of str
        Gets what is left out, and what might have to be.
    """
    top: dict[str, str] = {}

    def find(x: str) -> str:
        while top[x] != x:
            top[x] = x = top[top[x]]
        return x

    sets = [[str(x) for x in trio] for trio in trios]
    for trio in sets:
        for x in trio:
            top.setdefault(x, x)
            top[find(x)] = find(trio[0])
    groups: dict[str, list[int]] = {}
    for k, trio in enumerate(sets):
        groups.setdefault(find(trio[0]), []).append(k)
    different = {root: len({frozenset(sets[k]) for k in group}) for root, group in groups.items()}
    found: set[int] = set()
    for root, group in groups.items():
        rest = [k for k in range(len(sets)) if k not in {*group}]
        if different[root] > 1 or not rest:
            continue
        words = {x.strip().lower() for x in sets[group[0]]}
        mine = [{str(kind[k]) for k in group} for kind in kinds]
        if any(_ASKS_ODD.search(x) for some in mine for x in some):
            continue
        others = [{str(kind[k]) for k in rest} for kind in kinds]
        is_other = any(x.isdisjoint(y) and len(y) == 1 for x, y in zip(mine, others, strict=True))
        if sum(_SURVEY.fullmatch(x) is not None for x in words) >= min(2, len(words)) or (
            is_other and max(different.values()) > 1
        ):
            found |= {*group}
            notes.append(f"the question with {', '.join(sets[group[0]])} left out, as it is about other things")
        elif max(different.values()) > 1 and len(groups) < 4:
            notes.append(f"{', '.join(sets[group[0]])} share no item with the other questions")
    return found


def _with_options_compared(asked: QuestionTable) -> QuestionTable:
    """A row for each option that was not chosen, of a table of an anchor, three options or more, and the most alike."""
    table, found = asked.table, options_beside(asked.table.names or ())
    if found is None or not asked.sought.compared:
        return asked
    anchor, options, answer = found
    names = table.names or []
    rows: list[Any] = list(zip(*(table.texts(k) for k in options), strict=True))
    chosen, _ = positions_said(table.texts(answer), rows, [names[k] for k in options])
    if (chosen == -2).any():
        return asked
    pairs = [(k, x, y) for k, x in enumerate(chosen.tolist()) if x >= 0 for y in range(len(options)) if y != x]
    rest = [k for k in range(len(names)) if k not in (anchor, answer, *options)]
    asked = asked.taking([k for k, _, _ in pairs])
    near, far = ([rows[pair[0]][pair[end]] for pair in pairs] for end in (1, 2))
    head, *columns = [asked.table.columns[k] for k in (anchor, *rest)]
    called = ["anchor", "near", "far", *(names[k] for k in rest)]
    note = f"the choice of {len(options)} by {names[answer]!r} is nearer to {names[anchor]!r} than the others"
    return asked.with_columns(called, [head, near, far, *columns], note)


#: What stands between the two in one cell, and, where their labels stand in other rows, too, other marks.
_IN_PAIRS = (r"\s*[+&|;,/]\s*", r"\s+(?:and|und|et|y|e|en|i|и)\s+", r"\s+[-–]\s+")
_IN_KNOWN_PAIRS = (r"\s*-\s*", "_", r"\s+")


def with_pair_apart(table: RowTable) -> RowTable:
    """A table in which the two alike of one cell ("cat+dog") are columns, beside a column with the odd one."""
    names = table.names or []
    odd = [k for k, x in enumerate(names) if says_far(x)]
    free = [k for k, x in enumerate(names) if k not in odd and not is_aside(x)]
    if len(odd) != 1 or len(free) not in (1, 2) or option_pairs([names[k] for k in free]):
        return table
    left = table.texts(odd[0])
    found = []
    for k in free:
        for separator in (*_IN_PAIRS, *_IN_KNOWN_PAIRS):
            if any(len(re.split(separator, x)) not in (2, 3) for x in table.head(k) if x):
                continue
            cells = [x if x is None else [y.strip(AROUND) for y in re.split(separator, x)] for x in table.texts(k)]
            cells = [x and [y for y in x if y != one or len(x) < 3] for x, one in zip(cells, left, strict=True)]
            if not any(cells) or any(x is not None and (len(x) != 2 or "" in x or x[0] == x[1]) for x in cells):
                continue
            if separator in _IN_PAIRS or {*left} & {y for x in cells for y in x or ()} - {None}:
                found.append((k, cells))
            break
    if len(found) != 1:
        return table
    return _parted(table, *found[0], 2)


def _parted(table: RowTable, k: int, cells: Sequence[Sequence[Any] | None], width: int) -> RowTable:
    """A table with the parts of a column's cells in its stead, as columns at the end."""
    names = [x for j, x in enumerate(table.names or ()) if j != k]
    made = [f"{_list_name((table.names or [])[k])}_{j + 1}" for j in range(width)]
    parts = [[x[j] if x and len(x) > j else None for x in cells] for j in range(width)]
    columns = [x for j, x in enumerate(table.columns) if j != k]
    return replace(table, names=[*names, *made], columns=[*columns, *parts])


#: Cells that tell whether all are taken apart.
_LOOKED_AT = 100
#: What stands between three items in one cell.
_SEPARATORS = (r"\s*\|\s*", r"\s*;\s*", r"\s*,\s*", r"\s*/\s*", r"\s+-\s+", r"\s*-\s*", r"_", r"\s+")


def _apart(asked: QuestionTable) -> QuestionTable:
    """A table in which the three items of one cell ("cat dog eel") are columns, if answers name one of them."""
    table = with_pair_apart(asked.table)
    if table is not asked.table:
        return replace(asked, table=table, notes=[*asked.notes, "two items in each cell"])
    names = asked.table.names or []
    replies = [names.index(x) for x in REPLY.among(names)]
    if len(replies) != 1:
        replies = [k for k, x in enumerate(names) if x in asked.sought.wanted] or replies
    free = [k for k, x in enumerate(names) if not is_aside(x) and k not in replies]
    there = {*names}
    listed = [x[:-1] for x in names if x.endswith("1") and {f"{x[:-1]}2", f"{x[:-1]}3"} <= there]
    if len(replies) != 1 or not free or listed:
        return asked
    said = table.texts(replies[0])
    found = []
    for k in free:
        parts, by_label = _three_in(table.texts(k), said)
        if parts is not None and (by_label or len(free) != 3):
            found.append((k, parts))
    if len(found) != 1:
        return asked
    note = f"three items in each cell of {names[found[0][0]]!r}"
    return replace(asked, table=_parted(table, *found[0], 3), notes=[*asked.notes, note])


def _three_in(cells: Sequence[str | None], said: Sequence[str | None]) -> tuple[list[list[str] | None] | None, bool]:
    """Return the three parts of each cell, by one separator (answers name a part), and whether they do so by labels."""
    asked = [(x, y) for x, y in zip(cells, said, strict=True) if x is not None and not is_no_answer(y)]
    first = [x.strip(AROUND) for x, _ in asked[:_LOOKED_AT]]
    for separator in _SEPARATORS if asked else ():
        if any(len(re.split(separator, x)) != 3 for x in first):  # before all cells are taken apart
            continue
        parts = [None if x is None else [y.strip(AROUND) for y in re.split(separator, x.strip(AROUND))] for x in cells]
        if any(x is not None and x.startswith("[") for x in cells):
            return None, False
        if any(x is not None and (len({*x}) != 3 or len(x) != 3 or "" in x) for x in parts):
            continue
        rows = [x for x, y in zip(parts, said, strict=True) if x is not None and not is_no_answer(y)]
        if all(y in x for x, (_, y) in zip(rows, asked, strict=True)):
            return parts, True
        words = {code_word(str(y)) for _, y in asked}
        if words <= {*"123"} or words <= {*"012"} or words <= {*"abc"}:
            return parts, False
    return None, False


def _expanded(asked: QuestionTable) -> QuestionTable:
    """Lists in cells, of three (or two) items, as columns of their own. Lists of one thing are that thing."""
    table = asked.table
    lists: dict[int, list[Any]] = {}
    for k, column in enumerate(table.columns):
        cells = [_list_in(x) for x in column]
        if any(x is not None for x in cells) and all(
            x is not None or y is None for x, y in zip(cells, column, strict=True)
        ):
            lists[k] = cells
    alone = {k for k, cells in lists.items() if all(x is None or len({*map(str, x)}) < 2 for x in cells)}
    if alone:  # PsychoPy lists what was clicked, once or again and again
        made = [[x[0] if x else None for x in lists.pop(k)] if k in alone else c for k, c in enumerate(table.columns)]
        table = replace(table, columns=made)
    if not lists or table.names is None:
        return replace(asked, table=table)
    trios = {k: cells for k, cells in lists.items() if any(map(_is_trio, cells))}
    chosen = _list_of_items(asked, table, trios)
    kept = [k for k in range(len(table.names)) if k not in lists or k == chosen]
    asked = asked.with_columns([table.names[k] for k in kept], [table.columns[k] for k in kept])
    if chosen is None:
        return asked
    cells = [[_item(y) for y in x] if _is_trio(x) else None for x in lists[chosen]]
    shown = [i for i, x in enumerate(cells) if x is not None]
    told = [table.columns[k] for k in kept if k != chosen and plain(table.names[k]) in _KINDS]
    aside = _asides([cells[i] for i in shown], [[x[i] for i in shown] for x in told], asked.notes)
    for j in aside:
        cells[shown[j]] = None
    asked.notes.append(f"items out of the lists in {table.names[chosen]!r}")
    width = max((len(x) for x in cells if x), default=0)
    from_zero = asked.from_zero or table.names[chosen] == "choices"
    return replace(asked, table=_parted(asked.table, kept.index(chosen), cells, width), from_zero=from_zero)


#: Names of columns that tell kinds of trials apart.
_KINDS = frozenset({"trialtype", "stimulus", "prompt", "question", "preamble", "type", "task", "screen", "screenname"})


def _list_of_items(asked: QuestionTable, table: RowTable, lists: dict[int, list[Any]]) -> int | None:
    """The column whose lists are the items: one that varies. Two in different orders are told apart by the answers."""
    names = table.names or []
    for k in lists:
        if f"{_list_name(names[k])}_1" in asked.sought.wanted:
            return k
    replies = [k for k in map(names.index, REPLY.among(names)) if k not in lists]
    said = [None] * len(table.lines) if len(replies) != 1 else table.texts(replies[0])
    answered = {
        k: sum(_is_trio(x) and y is not None for x, y in zip(cells, said, strict=True)) for k, cells in lists.items()
    }
    varied = [k for k, cells in lists.items() if len({str(x) for x in cells if _is_trio(x)}) > 1] or [*lists]
    best = [k for k in varied if answered[k] == max(answered[x] for x in varied)]
    if "choices" in names and names.index("choices") in best and asked.from_zero:
        return names.index("choices")
    fitting = [
        k
        for k in best
        if all(y is None or not _is_trio(x) or y in map(str, x) for x, y in zip(lists[k], said, strict=True))
    ]
    best = fitting or best
    for k in best[1:]:
        pairs = [(x, y) for x, y in zip(lists[best[0]], lists[k], strict=True) if _is_trio(x) and _is_trio(y)]
        if fitting or all(x == y for x, y in pairs) or any({*map(str, x)} != {*map(str, y)} for x, y in pairs):
            continue
        first, second = (
            f"read_answers({source_text(table.path)}, items={[f'{name}_{j}' for j in (1, 2, 3)]!r})"
            for name in (_list_name(names[x]) for x in (best[0], k))
        )
        raise table.refusal(
            f"{names[best[0]]!r} and {names[k]!r} list the same items in different orders, and answers are positions: "
            f"in which of them? {first} or {second}"
        )
    return best[0] if best else None


def _list_name(name: str) -> str:
    """What the columns are called that come out of a list, without the number."""
    return re.sub(r"[^\w]", "_", name)


def _item(x: Any) -> Any:
    """A label of a list: without the tags of HTML, and of a picture its file."""
    if not isinstance(x, str):
        return x
    picture = re.search(r"<img[^>]*src=['\"]?([^'\" >]+)", x)
    return picture[1] if picture else re.sub(r"<[^>]*>", "", x).strip() or None


def _is_trio(cell: Any) -> bool:
    return cell is not None and len(cell) in (2, 3)


def _list_in(cell: Any) -> list[Any] | None:
    """The list in a cell: itself, or the text of one in JSON or Python."""
    if isinstance(cell, (list, tuple)):
        return list(cell)
    if not isinstance(cell, str) or not (cell.startswith("[") and cell.endswith("]")) or len(cell) > 10_000:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list) and all(isinstance(x, (str, int, float)) for x in value):
            return value
    return None


#: The steps that make a row a question.
STEPS: tuple[Callable[[QuestionTable], QuestionTable], ...] = (
    *(_with_events_joined, _with_votes, _in_milliseconds, _long),
    *(_expanded, _out_of_texts, with_people_below, _apart, _with_options_compared),
)
