"""Tables of people's answers, as experiments write them: which rows are questions, which columns the items.

`read_questions` gives one table, with a row a question, of a file, a folder with a file a person, JSON (jsPsych, nested
or by lines), lists in cells (PsychoPy), or a row a person (Qualtrics). `comparison_in` tells whether two columns are
compared with a third, which is another question than "which of three is the odd one?". The readers of answers and of
comparisons ask both.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.labels import gap_words, is_gap
from tripletree.core.provenance import Origins
from tripletree.errors import ParseError
from tripletree.io.columns import (
    ANCHOR,
    ANSWER,
    NEAR_FAR,
    ODD,
    REPLY,
    WHO,
    is_sure_anchor,
    option_pairs,
    plain,
    words_of,
)
from tripletree.io.json_text import load_json
from tripletree.io.only import rows_that_count
from tripletree.io.source import decoded, is_parquet, named_stream, read_bytes
from tripletree.io.table import RowTable, cell_text, column_word, is_frame, read_table

#: Files of a folder that hold answers.
_SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"})
#: Other words for "cannot say".
_NO_ANSWER = frozenset(
    {"unsure", "cannot_say", "can't_say", "don't_know", "dont_know", "not_sure", "idk", "no_idea", "no_response"}
    | {"no_answer", "timeout", "time_out", "skip", "skipped", "weiss_nicht", "weiß_nicht", "je_ne_sais_pas"}
)
#: A yes and a no, and what else is in the names of columns that say whether one option was chosen.
_YES_NO = {**dict.fromkeys(("1", "true", "t", "yes", "y"), 1), **dict.fromkeys(("0", "false", "f", "no", "n"), 0)}
_CHOSEN = frozenset(
    {"chose", "chosen", "choose", "chooses", "pick", "picks", "picked", "select", "selects", "selected", "prefer"}
    | {"prefers", "preferred", "took", "taken", "clicked", "is", "was", "the", "closer", "nearer", "closest", "nearest"}
    | {"more", "most", "similar", "alike", "won", "wins"}
)
_SIDE_WORDS = {"l": "left", "r": "right", "first": "1", "second": "2", "one": "1", "two": "2"}
#: Names of columns that hold the less alike of two.
_FAR = re.compile(
    r"(?:^|_)(?:odd|far|farther|farthest|further|furthest|different|outlier|dissimilar|unchosen|rejected)(?:_|$)"
    r"|(?:less|least)_(?:similar|alike)"
)
#: What stands around the items of a list in a text.
_AROUND = " \t\r\n.!\"'`-–—−•·*‣▪◦●>“”‘’„«»()"
_MOST_NESTED = 20
#: What stands in the third line of a table of Qualtrics, within so many bytes.
_QUALTRICS, _HEAD = '"ImportId"', 1 << 16


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
    """

    table: RowTable
    notes: list[str] = field(default_factory=list)
    parts: list[tuple[str | None, int]] = field(default_factory=list)
    from_zero: bool = False

    def taking(self, rows: Sequence[int]) -> QuestionTable:
        """Some of the rows."""
        ends = np.cumsum([m for _, m in self.parts])
        of = np.searchsorted(ends, np.asarray(rows, np.int64), side="right")
        parts = [(path, int((of == k).sum())) for k, (path, _) in enumerate(self.parts)]
        return replace(self, table=self.table.taking(rows), parts=parts)

    def origins(self) -> Origins:
        """The place of each row."""
        files = np.repeat(np.arange(len(self.parts), dtype=np.int32), [m for _, m in self.parts])
        number = np.array(list(self.table.lines), np.int64)
        sources = [(path, "line" if self.table.unit == "line" else "row") for path, _ in self.parts]
        return Origins(sources, files, number, np.ones(number.size, np.int64))


def read_questions(
    path: Any, *, header: bool | None, known: Callable[[Sequence[str]], bool], only: str | None
) -> QuestionTable:
    """The questions of a file, a folder, a list of files or a data frame. `known` tells headers, as in `read_table`."""
    files = _files_of(path)
    if files is None:
        asked = _one_source(path, header, known)
    else:
        asked = _joined([_one_source(x, header, known, person=True) for x in files], str(path))
    if only is not None:
        rows = rows_that_count(asked.table, only)
        if not rows:
            raise refusal(asked.table, f"no row is left of {len(asked.table.lines):,}: only={only!r} holds for none")
        asked.notes.append(f"{len(rows):,} of {len(asked.table.lines):,} rows are asked for")
        asked = asked.taking(rows)
    return _expanded(_long(asked))


def refusal(table: RowTable, message: str) -> ParseError:
    """An error about a whole table."""
    return ParseError(message, path=table.path, line=1 if table.unit == "line" else None)


# ---------------------------------------------------------------------- sources


def _files_of(path: Any) -> list[Any] | None:
    """The files of a folder, or of a list. None if it is one source."""
    if isinstance(path, (list, tuple)):
        if not path:
            raise ValueError("an empty list of files: there is nothing to read")
        return list(path)
    if not isinstance(path, (str, os.PathLike)) or not os.path.isdir(path):
        return None
    inside = sorted(x for x in Path(path).iterdir() if x.is_file() and not x.name.startswith((".", "~$")))
    files = [x for x in inside if x.name.removesuffix(".gz").lower().endswith(tuple(_SUFFIXES))]
    if not files:
        raise ParseError(
            f"a folder without a table in it: none of {len(inside)} files ends in .csv, .json, ...", path=str(path)
        )
    return files


def _one_source(path: Any, header: bool | None, known: Any, *, person: bool = False) -> QuestionTable:
    """The table of one source. With `person` the file's name is the person, if no column is."""
    if is_frame(path):
        table = read_table(path)
        return QuestionTable(table, parts=[(table.path, len(table.lines))])
    content, name = read_bytes(path)
    notes, from_zero = [], False
    if not is_parquet(content) and is_json(content):
        table, from_zero = _records(decoded(content, name), name)
        notes.append("records of JSON")
    else:
        if header is None and _QUALTRICS in str(content[:_HEAD]):
            header = True
        table = read_table(named_stream(content, name), spaced=True, header=header, known=known)
    if "trial_type" in (table.names or ()) and {"trial_index", "time_elapsed"} & set(table.names or ()):
        from_zero = True
    if from_zero and table.names is not None and "rt_ms" not in table.names:  # jsPsych counts milliseconds
        table = replace(table, names=["rt_ms" if x == "rt" else x for x in table.names])
    if person and table.names is not None and not WHO.among(table.names):
        stem = Path(name or "").name.partition(".")[0]
        table = replace(table, names=[*table.names, "who"], columns=[*table.columns, [stem] * len(table.lines)])
    return QuestionTable(table, notes, [(table.path, len(table.lines))], from_zero)


def is_json(content: bytes | str) -> bool:
    """True if a content begins like JSON: an object, or a list of objects or lists."""
    head = content[:1000]
    text = head.decode("utf-8", errors="replace") if isinstance(head, bytes) else head
    return re.match(r"[\ufeff\s]*(?:\{|\[\s*[\[{])", text) is not None


def _joined(asked: list[QuestionTable], path: str) -> QuestionTable:
    """One table of several, which must have the same columns."""
    first = asked[0].table
    names = list(dict.fromkeys(x for one in asked for x in one.table.names or ()))
    columns: list[list[Any]] = [[] for _ in names or first.columns]
    for one in asked:
        table = one.table
        if (table.names is None) != (first.names is None) or (not names and len(table.columns) != len(columns)):
            raise refusal(table, f"its columns differ from those of {first.path}: give all files the same header")
        for k, column in enumerate(columns):
            name = names[k] if names else None
            if name is None:
                column += table.columns[k]
            else:
                there = name in (table.names or ())
                column += table.columns[(table.names or []).index(name)] if there else [None] * len(table.lines)
    lines = [x for one in asked for x in one.table.lines]
    joined = RowTable(path, names or None, columns, lines, first.unit, first.header_line)
    notes = [f"{len(asked)} files", *dict.fromkeys(x for one in asked for x in one.notes)]
    return QuestionTable(joined, notes, [x for one in asked for x in one.parts], all(x.from_zero for x in asked))


def _records(text: str, name: str | None) -> tuple[RowTable, bool]:
    """Objects of JSON as rows: one list, several, nested in objects, or one a line. And whether jsPsych wrote them."""
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
    rows: list[tuple[int, dict[str, Any]]] = []
    for at, value in values:
        for record in _inner_records(value):
            rows.append((at if len(values) > 1 else len(rows) + 1, record))
    names = list(dict.fromkeys(key for _, x in rows for key in x))
    if not rows or not names:
        raise ParseError("no records in it: expected a list of objects, one a trial", path=name)
    jspsych = "trial_type" in names or ("choices" in names and "rt" in names)
    columns = [[_json_cell(x.get(key)) for _, x in rows] for key in names]
    return RowTable(name, names, columns, [k for k, _ in rows], "line" if len(values) > 1 else "row"), jspsych


def _inner_records(value: Any) -> Iterable[dict[str, Any]]:
    """The innermost objects of lists, each with the plain values of the objects around it, in their order."""
    todo: list[tuple[Any, dict[str, Any], int]] = [(value, {}, 0)]
    while todo:
        value, above, depth = todo.pop()
        if depth > _MOST_NESTED:
            raise ParseError(f"records are nested more than {_MOST_NESTED} deep")
        if isinstance(value, list):
            todo += [(x, above, depth + 1) for x in reversed(value) if isinstance(x, (dict, list))]
        elif isinstance(value, dict):
            inner = [x for x in value.values() if isinstance(x, list) and any(isinstance(y, dict) for y in x)]
            own = {**above, **_flat(value)}
            if inner:
                plain = {k: y for k, y in own.items() if not isinstance(y, list)}
                todo += [(x, plain, depth + 1) for x in reversed(inner)]
            else:
                yield own


def _flat(value: dict[str, Any]) -> dict[str, Any]:
    """An object without objects in it: their keys take their place, or that of the only value in an answer."""
    flat: dict[str, Any] = {}
    todo = [("", key, x) for key, x in reversed(value.items())]
    while todo:
        path, key, x = todo.pop()
        if isinstance(x, dict) and len(x) == 1 and REPLY.among([key]):
            x = next(iter(x.values()))
        if isinstance(x, dict):
            todo += [(f"{path}{key}.", name, y) for name, y in reversed(x.items())]
        else:
            flat[key if key not in flat and (not path or key not in value) else path + key] = x
    return flat


def _json_cell(x: Any) -> Any:
    if isinstance(x, list):
        return x if not any(isinstance(y, (list, dict)) for y in x) else None
    if isinstance(x, float) and x.is_integer():
        return int(x)
    return None if isinstance(x, dict) or x == "" else x


# ---------------------------------------------------------------------- a row a person, and lists in cells


def _long(asked: QuestionTable) -> QuestionTable:
    """A row a question, of a table with a row a person and the questions side by side."""
    table = asked.table
    names = table.names
    if names is None:
        return asked
    texts: list[str | None] = [None] * len(names)
    if len(table.lines) > 1 and any(str(x[1]).startswith('{"ImportId"') for x in table.columns):  # Qualtrics
        texts = [cell_text(x[0]) for x in table.columns]
        asked = asked.taking(range(2, len(table.lines)))
        asked.notes.append("Qualtrics")
        table = asked.table
    if REPLY.among(names) or (len(names) < 4 and not any(texts)):
        return asked
    for pattern in (r"(\D*)(\d+)([._ -]?\D.*)", r"(.*?)[._ -]?(\d+)()", r"(\D*)(\d+)(.*)"):
        made = _melted(asked, pattern)
        if made is not None:
            return made
    return _of_texts(asked, texts)


def _melted(asked: QuestionTable, pattern: str) -> QuestionTable | None:
    """A row a number in the columns' names. None if these then have no answer."""
    names = asked.table.names or []
    groups: dict[int, dict[str, int]] = {}
    for k, name in enumerate(names):
        found = re.fullmatch(pattern, name)
        if found is not None:
            groups.setdefault(int(found[2]), {})[column_word(found[3] or found[1]).strip("_.- ")] = k
    parts = {frozenset(x) for x in groups.values()}
    words = sorted(next(iter(parts), ()), key=lambda x: list(next(iter(groups.values()))).index(x))
    if len(parts) != 1 or len(words) < 4 or not (REPLY.among(words)):
        return None
    taken = {k for x in groups.values() for k in x.values()}
    rest = [k for k in range(len(names)) if k not in taken]
    return _stacked(asked, rest, words, [[x[word] for word in words] for x in groups.values()])


def _stacked(asked: QuestionTable, rest: list[int], words: list[str], groups: list[list[Any]]) -> QuestionTable:
    """Each row once for each group of columns (or of cells that are the same in all rows)."""
    table, m = asked.table, len(groups)
    n = len(table.lines)
    columns = [[x for x in table.columns[k] for _ in range(m)] for k in rest]
    for j in range(len(words)):
        parts = [x[j] for x in groups]
        cells = [table.columns[x] if isinstance(x, int) else [x] * n for x in parts]
        columns.append([cells[g][i] for i in range(n) for g in range(m)])
    names = [*((table.names or [])[k] for k in rest), *words]
    lines = [x for x in table.lines for _ in range(m)]
    made = replace(asked, table=replace(table, names=names, columns=columns, lines=lines))
    made.parts = [(path, k * m) for path, k in asked.parts]
    made.notes = [*asked.notes, f"{m} questions of {n} rows"]
    return made


def _of_texts(asked: QuestionTable, texts: Sequence[str | None]) -> QuestionTable:
    """QuestionTable whose three items stand in the text of the question: "Which is odd? cat / dog / eel"."""
    table = asked.table
    groups: list[list[Any]] = []
    left_out = []
    for k, text in enumerate(texts):
        said = {x for x in map(cell_text, table.columns[k]) if x is not None}
        items = _items_in(text or "", said) if said else None
        if items is not None:
            groups.append([*items, k])
        elif said and "?" in (text or "") and (listed := _items_in(text or "", set())) is not None:
            other = min(said - {*listed})
            left_out.append(f"{(table.names or [])[k]!r} lists {', '.join(listed)} and has the answer {other!r}")
    if not groups:
        return asked
    taken = {x[3] for x in groups}
    rest = [k for k in range(len(texts)) if k not in taken]
    made = _stacked(asked, rest, ["item1", "item2", "item3", "odd"], groups)
    if left_out:
        made.notes.append(f"{len(left_out)} left out: {'; '.join(left_out)}")
    return made


def _items_in(text: str, said: set[str]) -> list[str] | None:
    """The three items that a question's text lists at its end, with each answer among them. None if it has none."""
    text = re.sub(r"<[^<>]*>", "", re.sub(r"<\s*/?\s*(?:br|p|li|ul|ol|div)\b[^<>]*>", "\n", text)).replace(
        "&nbsp;", " "
    )
    tail = re.split(r"[?:]", text)[-1] if re.search(r"[?:]", text) else text
    for separator in (r"\s*[\n;|/]\s*", r"\s*,\s*(?:or |and )?|\s+(?:or|and)\s+", r"\s+-\s+"):
        items = [x for part in re.split(separator, tail.strip(_AROUND)) if (x := part.strip(_AROUND))]
        if len(items) == 3 == len(set(items)) and said <= {*items}:
            return items
    return None


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
        asked = replace(asked, table=table)
    if not lists or table.names is None:
        return asked
    varied = [k for k, cells in lists.items() if len({str(x) for x in cells if _is_trio(x)}) > 1]
    chosen = [k for k in varied or lists if any(map(_is_trio, lists[k]))]
    columns = [x for k, x in enumerate(table.columns) if k not in lists]
    names = [x for k, x in enumerate(table.names) if k not in lists]
    for k in chosen[:1]:
        name = re.sub(r"[^\w]", "_", table.names[k])
        width = max(len(x) for x in lists[k] if _is_trio(x))
        for j in range(width):
            names.append(f"{name}_{j + 1}")
            columns.append([_item(x[j]) if _is_trio(x) and len(x) > j else None for x in lists[k]])
        asked = replace(asked, from_zero=asked.from_zero or table.names[k] == "choices")
        asked.notes.append(f"items out of the lists in {table.names[k]!r}")
    return replace(asked, table=replace(table, names=names, columns=columns))


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


# ---------------------------------------------------------------------- what is asked


class Comparison(NamedTuple):
    """The columns of comparisons with an anchor."""

    anchor: int
    first: int
    """One of the two that are compared with the anchor, the nearer one if `answer` is None."""
    second: int
    answer: int | None


def comparison_in(table: RowTable, others: set[int], answer: int | None = None) -> Comparison | None:
    """The columns of comparisons, by their names and by what the answers are. None if nothing speaks for comparisons.

    Raises a ParseError, which shows both readings, if the answers may as well name the odd one of three.
    """
    names = table.names
    if names is None:
        return None
    found = [x for x in comparisons_by_name(names, others, answer) if _fits(table, x)]
    related = [x for x in found if _share_labels(table, x)]
    found = related or found
    if len(found) > 1:  # the same rows in words and in numbers
        found = [x for x in found if not _are_numbers(table.columns[x.first])] or found
    if not found:
        return None
    best = found[0]
    if best.answer is not None and ODD.among([names[best.answer]]):
        raise both_readings(table, best, "the answer is called the odd one, and never is the first column")
    return best


def source_text(path: str | None) -> str:
    """A file as the argument of a reader, ``path`` for a stream or data frame."""
    return "path" if path is None or path.startswith("<") else repr(path)


def both_readings(table: RowTable, found: Comparison, why: str) -> ParseError:
    """The error for a table that can be read in two ways, with both commands."""
    names: Sequence[Any] = table.names or range(len(table.columns))
    trio, source = [names[k] for k in found[:3]], source_text(table.path)
    told = "" if found.answer is None else f", answer={names[found.answer]!r}"
    odd = "" if found.answer is None else f", odd={names[found.answer]!r}"
    msg = (
        f"{why}: is {trio[0]!r} compared with {trio[1]!r} and {trio[2]!r}, or do answers name the odd one of three? "
        f"Comparisons: read_comparisons({source}, columns={trio!r}{told}); the odd one: "
        f"read_answers({source}, items={trio!r}{odd})"
    )
    return refusal(table, msg)


def comparisons_by_name(names: Sequence[str], others: set[int], answer: int | None = None) -> list[Comparison]:
    """The columns that are called like an anchor and two that are compared with it."""
    at = {x: k for k, x in enumerate(names)}
    told = [answer] if answer is not None else [at[x] for x in [*ANSWER.among(names), *ODD.among(names)]]
    if answer is None:
        told += [k for k in _flags_of_options(names, others) if k not in told]
    free = [k for k in range(len(names)) if k not in others and k not in told]
    words = {plain(names[k]): k for k in free}
    coordinates = {"x", "y", "z"} <= words.keys()  # three items alike
    anchors = [k for k in free if plain(names[k]) in ANCHOR.names and not (coordinates and names[k].lower() == "x")]
    found = []
    for near, far in NEAR_FAR:
        if near in words and far in words:
            rest = [k for k in free if k not in (words[near], words[far])]
            found += [Comparison(k, words[near], words[far], None) for k in anchors if k in rest] or (
                [Comparison(rest[0], words[near], words[far], None)] if len(rest) == 1 else []
            )
    pairs = [(at[x], at[y]) for x, y in option_pairs([names[k] for k in free])]
    if len(free) == 3 and len(anchors) == 1:
        pairs.append(tuple(k for k in free if k != anchors[0]))  # type: ignore[arg-type]
    for one in told:
        for x, y in pairs:
            rest = [k for k in free if k not in (x, y)]
            heads = [k for k in anchors if k in rest] or (rest if len(rest) == 1 else [])
            found += [Comparison(k, x, y, one) for k in heads]
    return list(dict.fromkeys(found))


def _flags_of_options(names: Sequence[str], others: set[int]) -> list[int]:
    """The columns that are called like a yes to one of two options."""
    rest = [k for k in range(len(names)) if k not in others]
    pairs = option_pairs([names[k] for k in rest])
    return [k for k in rest if any(names[k] not in x and chosen_option(names[k], x) is not None for x in pairs)]


def _labels(column: Sequence[Any]) -> set[str]:
    return {x for x in map(cell_text, column) if x is not None}


def _share_labels(table: RowTable, found: Comparison) -> bool:
    options = _labels(table.columns[found.first]) | _labels(table.columns[found.second])
    return bool(options & _labels(table.columns[found.anchor]))


def _are_numbers(column: Sequence[Any]) -> bool:
    return all(re.fullmatch(r"\d+(?:\.0)?", x) is not None for x in _labels(column))


def _fits(table: RowTable, found: Comparison) -> bool:
    """Whether no answer names the anchor, as it would name the odd one, or the anchor is surely called so."""
    if found.answer is None or is_sure_anchor((table.names or [])[found.anchor]):
        return True
    cells = zip(*(map(cell_text, table.columns[k]) for k in (found.answer, *found[:3])), strict=True)
    return not any(said is not None and said == anchor and said not in rest for said, anchor, *rest in cells)


# ---------------------------------------------------------------------- what the answers say


def chosen_option(name: str, options: Sequence[str | None]) -> int | None:
    """Which of two options a yes is, by the column's name: ``chose_left``, ``is_first``, ``b_picked``. None if open."""
    words = words_of(name).split("_")
    bare = [*words]
    while bare and bare[0] in _CHOSEN:
        bare.pop(0)
    while bare and bare[-1] in _CHOSEN:
        bare.pop()
    if len(bare) in (0, len(words)):
        return None
    said = _side_words("_".join(bare))
    sides = [_side_words(x or "") for x in options]
    found = [k for k in range(2) if said == sides[k]]
    found = found or [k for k in range(2) if len(said) == 1 and said[0] in sides[k] and said[0] not in sides[1 - k]]
    if not found and not {"1", "2"} & {*sides[0], *sides[1]}:
        found = [k for k in range(2) if said == [str(k + 1)]]
    return found[0] if len(found) == 1 else None


def _side_words(name: str) -> list[str]:
    return [_SIDE_WORDS.get(x, x) for x in re.findall(r"[0-9]+|[^\W\d_]+", words_of(name))]


def says_far(name: str) -> bool:
    """True if the answers in a column of this name are the less alike of two: odd, farther, least_similar."""
    return bool(ODD.among([name])) or _FAR.search(words_of(name)) is not None


def yes_or_no(said: Sequence[str | None], missing: Any = None) -> np.ndarray | None:
    """1 for each yes, 0 for no and -1 for no answer. None if an answer is something else, or there is none."""
    gaps = gap_words(missing)
    found = np.full(len(said), -1, np.int8)
    for k, x in enumerate(said):
        if x is not None and _code_word(x) in _YES_NO:
            found[k] = _YES_NO[_code_word(x)]
        elif not (x is None or is_gap(x, gaps) or (missing is None and is_no_answer(x))):
            return None
    return found if (found >= 0).any() else None


def positions_said(
    said: Sequence[str | None],
    rows: Sequence[Sequence[str | None]],
    columns: Sequence[str | None],
    *,
    missing: Any = None,
    first: int | None = None,
    words: Mapping[str, int] | None = None,
) -> tuple[np.ndarray, str]:
    """Which of the items of its row each answer names: its position, -1 for no answer, -2 if it is none of them.

    Parameters
    ----------
    said : sequence of (str or None)
    rows : sequence of sequence of str
        The items.
    columns : sequence of (str or None)
        Names of the items' columns, None if they have none.
    missing : value or collection of values, optional
        Answers that are none.
    first : {0, 1}, optional
        The number of the first position. By default 1, unless an answer is 0.
    words : mapping, optional
        Other answers, with their numbers.

    Returns
    -------
    positions : ndarray of int8
    how : str
        "labels", or how the answers name items.
    """
    gaps, other = gap_words(missing), words or {}
    found = np.full(len(said), -2, np.int8)
    for k, (x, row) in enumerate(zip(said, rows, strict=True)):
        if x in row and x is not None:
            found[k] = row.index(x)
        elif x is None or is_gap(x, gaps) or (missing is None and is_no_answer(x)):
            found[k] = -1
        elif column_word(x) in other:
            found[k] = other[column_word(x)]
    if not (found == -2).any():
        return found, "labels"
    width = max(map(len, rows))
    coded = np.flatnonzero((found == -2) | ((found >= 0) & (found < width))).tolist()
    for how, code in _codes(columns, width, first, {str(said[k]) for k in coded}):
        if all(_code_word(str(said[k])) in code for k in coded):
            found[coded] = [code[_code_word(str(said[k]))] for k in coded]
            return found, how
    shown = [[_stem(str(x)) for x in row] for row in rows]
    if all(shown[k].count(_stem(str(said[k]))) == 1 for k in coded):
        found[coded] = [shown[k].index(_stem(str(said[k]))) for k in coded]
        return found, "names of files"
    return found, "labels"


def is_no_answer(text: str | None) -> bool:
    """True if a cell says that somebody cannot say, or nothing."""
    return text is None or is_gap(text) or column_word(text) in _NO_ANSWER


def _code_word(text: str) -> str:
    """An answer as a code: 3.0 is 3."""
    return re.sub(r"\.0+$", "", column_word(text))


def _codes(
    columns: Sequence[str | None], width: int, first: int | None, said: set[str]
) -> Iterable[tuple[str, dict[str, int]]]:
    """The ways to name one of the columns."""
    start = first if first is not None else int("0" in map(_code_word, said)) ^ 1
    yield f"positions from {start}", {str(k + start): k for k in range(width)}
    names = [column_word(x or "") for x in columns[-width:]]
    yield "names of columns", {x: k for k, x in enumerate(names) if x}
    words = [words_of(x or "") for x in columns[-width:]]
    ends: tuple[str, ...]
    for ends in (("a", "b", "c"), ("left", "middle", "right"), ("left", "center", "right"), ("left", "right")):
        own = [next((k for k, x in enumerate(words) if end in x.split("_")), -1) for end in ends[:width]]
        if -1 not in own and len(set(own)) == width:
            yield "names of columns", dict(zip(ends, own, strict=False))
    for ends in (("a", "b", "c"), ("left", "middle", "right")[:: 2 if width == 2 else 1], ("first", "second", "third")):
        yield "letters" if ends[0] == "a" else "words", {x: k for k, x in enumerate(ends[:width])}


def _stem(text: str) -> str:
    """The name of a file without its folders and ending, in lower case."""
    return re.sub(
        r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|wav|mp3|mp4|ogg)$", "", re.split(r"[\\/]", text.strip().lower())[-1]
    )


def unknown_answers(said: Sequence[str | None], found: np.ndarray, names: Sequence[str | None], width: int) -> str:
    """What to do about answers that are not known: take the only one for none, else write what they mean."""
    wrong = sorted({str(said[k]) for k in np.flatnonzero(found == -2).tolist()})
    if len(wrong) == 1 and (found >= 0).any():
        return f"; missing=[{wrong[0]!r}] if it stands for no answer"
    shown = ", ".join(map(repr, wrong[:6])) + (f" and {len(wrong) - 6} more" if len(wrong) > 6 else "")
    columns = f", or the name of a column ({', '.join(map(repr, names))})" if all(names) else ""
    letters, numbers = ("A, B or C", "1, 2 or 3") if width == 3 else ("A or B", "1 or 2")
    return (
        f"; {shown} {'is' if len(wrong) == 1 else 'are'} not known here: write the item that each stands for, as its "
        f"label, its position ({numbers}), {letters}{columns}"
    )


def without_answer(said: Iterable[str | None], missing: Any = None) -> Iterator[bool]:
    """Whether each cell says nothing. "unsure" in this word is an answer."""
    gaps = gap_words(missing)
    for x in said:
        yield x is None or is_gap(x, gaps) or (missing is None and is_no_answer(x) and column_word(x) != "unsure")


def no_answers(
    table: RowTable, places: Sequence[int], answer: int, option: str, missing: Any = None
) -> ParseError | None:
    """The error for a table without a row that has items and an answer. None if there is one."""
    names: Sequence[Any] = table.names or range(len(table.columns))
    cells, rows = map(cell_text, table.columns[answer]), zip(*(table.columns[k] for k in places), strict=True)
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
        return refusal(table, f"{what}; give {option}= if another column has the answers")
    joined = ""
    keys = _keys_of_trials(table, {*places, answer}, shown, said)
    if keys:
        is_csv = table.path is not None and os.path.isfile(table.path) and table.path.endswith(".csv")
        frame = f"pandas.read_csv({table.path!r})" if is_csv else "frame"
        joined = f": {frame}.groupby({keys!r}).first()" + (".to_csv('joined.csv') makes that file" if is_csv else "")
    return refusal(
        table,
        f"no row has both items and an answer: {sum(shown):,} rows have items and an empty {names[answer]!r}, and "
        f"{sum(said):,} other ones have an answer and no items; join the events of a question to one row{joined}",
    )


def _keys_of_trials(table: RowTable, taken: set[int], shown: Sequence[bool], said: Sequence[bool]) -> list[str]:
    """The columns by which each row with an answer belongs to one row with items."""
    who = [k for k, x in enumerate(table.names or ()) if x in WHO.among([x]) and k not in taken]
    for k in range(len(table.names or ())):
        columns = [*who, k]
        if k in taken or k in who:
            continue
        keys = list(zip(*(map(cell_text, table.columns[x]) for x in columns), strict=True))
        items, answers = ([x for x, y in zip(keys, some, strict=True) if y] for some in (shown, said))
        if len({*items}) == len(items) and len({*answers}) == len(answers) and {*answers} <= {*items}:
            return [(table.names or [])[x] for x in columns]
    return []


def people_text(who: Iterable[str | None]) -> str:
    """How many people there are, "" if they are not known."""
    n = len({x for x in who if x is not None})
    return f"; {n:,} {'person' if n == 1 else 'people'}" if n else ""
