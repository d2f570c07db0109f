"""Records of JSON as web experiments save them: a table with a row a trial, and who it was.

Trials stand in lists, or under keys, below people, blocks and whatever else (jsPsych, lab.js, JATOS, Firebase). Read by
`tripletree.io.question_files`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tripletree.errors import ParseError
from tripletree.io.json_text import load_json
from tripletree.io.source import check_ratio
from tripletree.tables.cells import cell_text
from tripletree.tables.columns import REPLY, WHO, plain
from tripletree.tables.rows import RowTable

_FEWER = "give all records the same keys, and leave out what is not an answer"
_MOST_NESTED = 20
#: Of the column of people that are keys of objects, or have an id there, until no other column says who it is.
_KEY = "\0who"
#: Keys, without numbers in them, above trials that are no people: what they hold, or parts of an experiment.
_PART = re.compile(
    r"(?:trial|result|record|answer|response|event|row|item|question|log|block|phase|part|section|session|run|task|set"
    r"|test|list|condition|value)s?|data|practi[cs]e|train(?:ing)?|warmup|main|testing|exp|experiment|catch|demo|trialdata"
    r"|timeline|control|attention|baseline|survey|tutorial|intro|children|pretest|posttest|study|t|q"
)
#: Keys above people.
_PEOPLE = frozenset(f"{x}{end}" for x in WHO.names for end in ("", "s", "data")) | {"people", "persons", "userdata"}
#: Keys of the label in an object that is an item or an answer, and of the name of an object that has trials.
_LABELS = (
    *("name", "label", "word", "text", "id", "item", "src", "url", "image", "img", "file", "stimulus"),
    *("value", "title"),
)
#: Columns that have all answers of a person or question in one cell, as MTurk writes them.
_ANSWERS = ("taskanswers", "answer.taskanswers")
_IDS = ("id", "_id", "uid", "uuid", "code", "key", "name", "label")


def records_of(text: str, name: str | None) -> tuple[RowTable, list[int], bool]:
    """The trials of a text in JSON, or with JSON in each line.

    Returns
    -------
    table : RowTable
    runs : list of int
        The list, or the like, that each trial stands in.
    jspsych : bool
        Whether jsPsych wrote it.
    """
    try:
        json.loads(text)
        values = [(1, load_json(text, name))]
    except (ValueError, RecursionError):
        lines = [(k, x) for k, x in enumerate(text.splitlines(), 1) if x.strip()]
        if len(lines) < 2:
            load_json(text, name)
        values = []
        for number, line in lines:
            try:
                values.append((number, load_json(line, name)))
            except ParseError as error:
                raise ParseError(str(error).partition(": ")[2] or str(error), path=name, line=number) from None
    in_lines = len(values) > 1
    rows: list[dict[str, Any]] = []
    places: list[int] = []
    runs: list[int] = []
    size = 0  # of all records, each with what stands around it
    for at, value in values:
        for run, record in _trials(value):
            size += len(record)
            check_ratio(100 * size, len(text), "JSON", name, _FEWER)
            rows.append(record)
            places.append(at if in_lines else len(rows))
            runs.append(hash((at if run else 0, run)))
    names = list(dict.fromkeys(key for x in rows for key in x))
    if not rows or not names:
        raise ParseError("no records in it: expected a list of objects, one a trial", path=name)
    check_ratio(8 * len(names) * len(rows), len(text), "JSON", name, _FEWER)
    jspsych = "trial_type" in names or ("choices" in names and "rt" in names)
    columns = [[_json_cell(x.get(key)) for x in rows] for key in names]
    if _KEY in names:
        k = names.index(_KEY)
        others = [x for x in WHO.among(names) if x != _KEY and plain(x) not in WHO.alone]
        if others:
            del names[k], columns[k]
        else:
            names[k] = "who"
    return RowTable(name, names, columns, places, "line" if in_lines else "row"), runs, jspsych


def _trials(value: Any) -> Iterable[tuple[int, dict[str, Any]]]:
    """The innermost objects, each with its run and with the plain values of the objects around it, in their order."""
    todo: list[tuple[Any, dict[str, Any], str, int, int]] = [(value, {}, "", 0, 0)]
    run = 0
    while todo:
        value, above, below, at, depth = todo.pop()
        if depth > _MOST_NESTED:
            raise ParseError(f"records are nested more than {_MOST_NESTED} deep")
        if isinstance(value, list):
            run += 1
            todo += [(x, above, "", run, depth + 1) for x in reversed(value) if isinstance(x, (dict, list))]
            continue
        inner = _inner(value)
        own = {**above, **_flat({key: x for key, x in value.items() if key not in inner} if inner else value)}
        if not inner:
            yield at, own
            continue
        around = {key: x for key, x in own.items() if not isinstance(x, list)}
        called = _called(inner, below)
        if _KEY not in around and called != _KEY and not any(plain(key) in _PEOPLE for key in inner):
            mine = next((value[x] for x in _IDS if isinstance(value.get(x), (str, int))), None)
            if mine is not None and not _is_part(str(mine)) and not WHO.among(around):
                around[_KEY] = mine
        run += 1
        for key, x in reversed([*inner.items()]):
            extra = {} if called is None or called in around else {called: key}
            todo.append((x, {**around, **extra}, plain(key), run, depth + 1))


def _inner(value: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an object that hold trials. An object with an answer is a trial, unless others have some, too."""
    if like := _like_trials(value):
        return like
    found = {key: x for key, x in value.items() if isinstance(x, (list, dict)) and _holds_trials(x)}
    if REPLY.among(_flat({key: x for key, x in value.items() if key not in found})):
        return {key: x for key, x in found.items() if _has_answers(x)}
    return found


def _like_trials(value: Mapping[str, Any]) -> dict[str, Any]:
    """The objects in an object, if each of them has an answer (trials under keys), or the same keys (people)."""
    inner = {key: x for key, x in value.items() if isinstance(x, dict) and x}
    if inner and (len(inner) > 1 or len(value) == 1) and all(map(REPLY.among, inner.values())):
        return inner
    plain_ones = len(inner) == len(value) > 1 and not any(
        isinstance(y, (dict, list)) for x in inner.values() for y in x.values()
    )
    first = {*next(iter(inner.values()), ())}
    alike = plain_ones and not REPLY.among(value) and all(first & x.keys() for x in inner.values())
    return inner if alike else {}


def _holds_trials(value: Any) -> bool:
    """Whether a list, or a list in objects, has objects in it, or an object trials under keys."""
    return any(any(isinstance(y, dict) for y in x) if isinstance(x, list) else _like_trials(x) for x in _within(value))


def _has_answers(value: Any) -> bool:
    """Whether an object somewhere below has an answer."""
    return any(isinstance(x, dict) and REPLY.among(x) for x in _within(value))


def _within(value: Any) -> Iterator[Any]:
    """The lists and objects in a value, and itself."""
    todo = [value]
    while todo:
        x = todo.pop()
        if isinstance(x, (list, dict)):
            yield x
            todo += x if isinstance(x, list) else x.values()


def _is_part(key: str) -> bool:
    """Whether a key, or a name, is that of a part of an experiment rather than of a person."""
    return _PART.fullmatch(re.sub(r"[\d\W_]+", "", key.lower())) is not None


def _called(inner: Mapping[str, Any], below: str) -> str | None:
    """Return the column for the keys of an object that has trials: people, or parts of an experiment, or None."""
    if below in _PEOPLE:
        return _KEY
    if all(isinstance(x, dict) and REPLY.among(x) for x in inner.values()):  # keys of trials
        return None
    if all(plain(key) in _PEOPLE for key in inner):
        return None
    if any(_is_part(key) for key in inner):
        return "block" if len(inner) > 1 else None
    return _KEY


def _flat(value: Mapping[str, Any]) -> dict[str, Any]:
    """An object without objects in it: their keys take their place, or that of the only value in an answer."""
    flat: dict[str, Any] = {}
    todo = [("", key, x) for key, x in reversed([*value.items()])]
    while todo:
        path, key, x = todo.pop()
        if isinstance(x, dict) and REPLY.among([key]):
            x = _answer_in(x)
        if isinstance(x, dict):
            todo += [(f"{path}{key}.", name, y) for name, y in reversed([*x.items()])]
        else:
            flat[key if key not in flat and (not path or key not in value) else path + key] = x
    return flat


def _answer_in(value: dict[str, Any]) -> Any:
    """The answer in an object: its only value, or a label. The object itself if it has something else, or a person."""
    if len(value) == 1 and not WHO.among(value):
        return next(iter(value.values()))
    if all(isinstance(x, bool) for x in value.values()) and sum(value.values()) == 1:  # buttons, one of them chosen
        return next(key for key, x in value.items() if x)
    return value if WHO.among(value) else _label_in(value) or value


def _label_in(value: Mapping[str, Any]) -> Any:
    return next((value[x] for x in _LABELS if isinstance(value.get(x), (str, int)) and value[x] != ""), None)


def _json_cell(x: Any) -> Any:
    if isinstance(x, list):
        if len(x) in (2, 3) and all(isinstance(y, dict) for y in x):  # items with their pictures, ...
            labels = [_label_in(y) for y in x]
            return None if None in labels else labels
        return x if not any(isinstance(y, (list, dict)) for y in x) else None
    if isinstance(x, float) and x.is_integer():
        return int(x)
    return None if isinstance(x, dict) or x == "" else x


# ---------------------------------------------------------------------- JSON in cells, and a person that is told once


def with_objects_apart(table: RowTable) -> RowTable:
    """Return a table whose answers that are JSON objects in texts, as surveys have them, are taken apart."""
    names, columns = list(table.names or ()), list(table.columns)
    for k, name in enumerate(table.names or ()):
        if plain(name) not in (*REPLY.names, "responses", *_ANSWERS):
            continue
        objects = {i: found for i, x in enumerate(columns[k]) if (found := _object_in(x)) is not None}
        if not objects:
            continue
        columns[k] = list(columns[k])
        for i, found in objects.items():
            flat = _flat({name: found})
            columns[k][i] = _json_cell(flat.get(name))
            for key in [*WHO.among(flat), *(x for x in REPLY.among(flat) if x != name)]:
                if key not in names:
                    names.append(key)
                    columns.append([None] * len(table.lines))
                at = names.index(key)
                if columns[at] is (table.columns[at] if at < len(table.columns) else None):
                    columns[at] = list(columns[at])
                columns[at][i] = _json_cell(flat[key])
        if plain(name) in _ANSWERS:  # taken apart as a whole
            columns[k] = [None] * len(table.lines)
    kept = [k for k, name in enumerate(names) if plain(name) not in _ANSWERS or any(x is not None for x in columns[k])]
    names, columns = [names[k] for k in kept], [columns[k] for k in kept]
    return replace(table, names=names, columns=columns) if table.names is not None else table


def _object_in(cell: Any) -> dict[str, Any] | None:
    """The object in a cell, also alone in a list."""
    if not isinstance(cell, str) or re.match(r"\[?\s*\{", cell) is None or len(cell) > 10_000:
        return None
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    found = found[0] if isinstance(found, list) and len(found) == 1 else found
    return found if isinstance(found, dict) else None


def with_person_in_each_row(table: RowTable, runs: Sequence[int] | None) -> RowTable:
    """A table in which a person who is told in some rows of a run, and no other one, is told in all of its rows.

    A new run begins where the numbers of trials begin again.
    """
    names = table.names or []
    called = WHO.among(names)
    if not called:
        return table
    keys: list[Any] = list(runs or [0] * len(table.lines))
    if "trial_index" in names:
        last, again = -1.0, 0
        for i, x in enumerate(table.columns[names.index("trial_index")]):
            try:
                number = float(cell_text(x) or "nan")
            except ValueError:
                continue
            again += number <= last
            last = number if number == number else last
            keys[i] = (keys[i], again)
    columns = list(table.columns)
    for name in called:
        k = names.index(name)
        if None not in columns[k]:
            continue
        people: dict[Any, set[Any]] = {}
        for key, x in zip(keys, columns[k], strict=True):
            if x is not None:
                people.setdefault(key, set()).add(x)
        only = {key: next(iter(x)) for key, x in people.items() if len(x) == 1}
        columns[k] = [only.get(key) if x is None else x for key, x in zip(keys, columns[k], strict=True)]
    return replace(table, columns=columns)
