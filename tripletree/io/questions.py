"""Tables of people's answers, as experiments write them: which rows are questions, which columns the items.

`read_questions` gives one table, with a row a question, of a file, a folder with a file a person, JSON (jsPsych), lists
in cells (PsychoPy), or a row a person with the items in the text of the question or in the header (Qualtrics, Google
Forms). `comparison_in` tells whether two columns are
compared with a third, which is another question than "which of three is the odd one?". The readers of answers and of
comparisons ask both.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.answers import ALIKE, DIFFERENT
from tripletree.core.checks import counted
from tripletree.core.labels import gap_words, is_gap
from tripletree.core.provenance import Origins
from tripletree.errors import ParseError
from tripletree.io.forms import form_of, has_header_of_form
from tripletree.io.only import rows_that_count
from tripletree.io.source import decoded, is_parquet, named_stream, read_bytes
from tripletree.io.table import OUT_OF_TEXTS, is_frame, read_table
from tripletree.io.trials import records_of, with_objects_apart, with_person_in_each_row
from tripletree.io.ways import ask, call, call_for, source_text
from tripletree.tables.cells import CANNOT_SAY, YES_NO, cell_text, column_word, with_point
from tripletree.tables.columns import (
    ANCHOR,
    ANSWER,
    COUNT,
    NEAR_FAR,
    ODD,
    REPLY,
    SECONDS,
    SIDES,
    WHEN,
    WHO,
    asides,
    is_aside,
    is_called_id,
    is_sure_anchor,
    option_pairs,
    plain,
    series_of,
    stem_of,
    words_of,
)
from tripletree.tables.rows import RowTable, shown_names

#: Files of a folder that hold answers.
_SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"})
#: Names of files in a folder that tell of the others.
_TELLS = re.compile(
    r"(?:read[_ -]?me|lies[_ -]?mich|lisez[_ -]?moi|licen[cs]e|codebook|changelog)(?![a-z])", re.IGNORECASE
)
#: Other words for "cannot say".
_NO_ANSWER = frozenset(
    {"no_response", "no_answer", "timeout", "time_out", "skip", "skipped"} | {*map(column_word, CANNOT_SAY)}
)
#: Answers about three items that name no item.
WORDS = {
    **dict.fromkeys(("alike", "all_alike", "same"), ALIKE),
    **dict.fromkeys(("different", "all_different"), DIFFERENT),
}
#: What else is in the names of columns that say whether one option was chosen.
_CHOSEN = frozenset(
    {"chose", "chosen", "choose", "chooses", "pick", "picks", "picked", "select", "selects", "selected", "prefer"}
    | {"prefers", "preferred", "took", "taken", "clicked", "is", "was", "the", "closer", "nearer", "closest", "nearest"}
    | {"more", "most", "similar", "alike", "won", "wins"}
)
#: Keys in the left and in the right half of each keyboard, and arrows and numbers of keys as browsers count them.
_LEFT_KEYS, _RIGHT_KEYS = frozenset("qweasdfzxcv"), frozenset("uiopjklm") | {"/", "slash"}
_KEY_NUMBERS = {"37": "left", "38": "up", "39": "right", "40": "down", "70": "f", "74": "j"}
_KEY_NUMBERS |= {"49": "1", "50": "2", "51": "3"}
_KEY_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
#: Names of columns that hold the less alike of two.
_FAR = re.compile(
    r"(?:^|_)(?:odd|out|outgroup|far|farther|farthest|further|furthest|different|outlier|dissimilar|unchosen|rejected)(?:_|$)"
    r"|(?:less|least|not)_(?:similar|alike|like|close|near|related|match)|(?:does_not|doesnt|doesn_t)_(?:match|fit|belong)"
)
#: What stands between items in the text of a question, and in a name.
_IN_TEXTS = (r"\s*[\n;|/]\s*", r"\s*,\s*(?:or |and |oder |und )?|\s+(?:or|and|oder|und|vs\.?)\s+", r"\s+[-–]\s+")
#: What a form writes around the number of a choice: A1, AO01, 1.0.
_FORM_CODE = re.compile(r"^[A-Za-z]{1,3}0*(?=\d$)|[.,]0+$")
_IN_NAMES = (r"_+vs\.?_+", r"[_|/+]+", "-", r"\.")
#: What stands around the items of a list in a text.
_AROUND = " \t\r\n.!\"'`-–—−•·*‣▪◦●>“”‘’„«»()"


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
    """

    table: RowTable
    notes: list[str] = field(default_factory=list)
    parts: list[tuple[str | None, int]] = field(default_factory=list)
    from_zero: bool = False
    compared: bool = False
    items: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)

    def taking(self, rows: Sequence[int]) -> QuestionTable:
        """Some of the rows."""
        ends = np.cumsum([m for _, m in self.parts])
        of = np.searchsorted(ends, np.asarray(rows, np.int64), side="right")
        parts = [(path, int((of == k).sum())) for k, (path, _) in enumerate(self.parts)]
        return replace(self, table=self.table.taking(rows), parts=parts)

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


def read_questions(
    path: Any,
    *,
    header: bool | None,
    known: Callable[[Sequence[str]], bool],
    only: str | None,
    wanted: Collection[str] = (),
    codes: Sequence[Any] | None = None,
    compared: bool = False,
) -> QuestionTable:
    """The questions of a file, a folder, a list of files or a data frame. `known` tells headers, as in `read_table`.

    `wanted` are the names of columns that are asked for, which may come out of a list, and `codes` the answers that
    stand for items. `compared`: whether two of three are compared with the first.
    """
    files = _files_of(path)
    if files is None:
        asked = _one_source(path, header, known)
    else:
        asked = _joined([_one_source(x, header, known, person=True) for x in files], str(path))
    if only is not None:
        rows = rows_that_count(asked.table, only)
        if not rows:
            raise asked.table.refusal(f"no row is left of {len(asked.table.lines):,}: only={only!r} holds for none")
        asked.notes.append(f"{len(rows):,} of {len(asked.table.lines):,} rows are asked for")
        called = [(k, x) for k, x in enumerate(asked.table.names or ()) if plain(x) == "n"]
        asked.numbers = [x for k, x in called if rises(asked.table.texts(k), by_one=True)]
        asked = asked.taking(rows)
    asked = _with_votes(_with_events_joined(asked))
    names = asked.table.names or []
    if asked.from_zero and "rt" in names and "rt_ms" not in names:  # jsPsych counts milliseconds
        asked = replace(asked, table=replace(asked.table, names=["rt_ms" if x == "rt" else x for x in names]))
    asked = _out_of_texts(_expanded(_long(asked, wanted, codes, compared), wanted))
    return _with_options_compared(_apart(asked, wanted)) if compared else _apart(asked, wanted)


#: Names of columns that tell what a row of a long table holds, and of the column that holds it.
_EVENTS = frozenset(
    {"event", "eventtype", "variable", "field", "key", "what", "attribute", "type", "parameter", "measure"}
)
_VALUES = frozenset({"value", "val", "content", "data", "wert", "valeur", "valor"})
_MOST_EVENTS = 20


def tells_events(names: Sequence[str]) -> bool:
    """True for the header of a table with a row an event: event and value, or the like."""
    words = [*map(plain, names)]
    return sum(x in _EVENTS for x in words) == 1 == sum(x in _VALUES for x in words) and len(names) > 2


def _with_events_joined(asked: QuestionTable) -> QuestionTable:
    """A row a question, of a table with a row an event: three with an item, one with the answer."""
    table, names = asked.table, asked.table.names or []
    if not tells_events(names):
        return asked
    event, value = (next(k for k, x in enumerate(names) if plain(x) in some) for some in (_EVENTS, _VALUES))
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
    joined = asked.taking(first)
    notes = [*asked.notes, f"{len(told):,} events joined"]
    return replace(joined, table=replace(joined.table, names=made, columns=columns), notes=notes)


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
    _check_sum(table, found.columns[0], int(times.sum()))
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
    table = replace(asked.table, names=[*(names[k] for k in rest), found.stem], columns=[*made, said])
    what = "yes in one of" if found.votes.max() == 1 else "votes in"
    return replace(
        asked, table=table, notes=[*asked.notes, f"{what} {', '.join(found.columns)}"], items=list(found.items)
    )


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
    files = [x for x in files if _TELLS.match(x.name) is None] or files
    if not files:
        raise ParseError(
            f"a folder without a table in it: none of {len(inside)} files ends in .csv, .json, ...", path=str(path)
        )
    return files


def _one_source(path: Any, header: bool | None, known: Any, *, person: bool = False) -> QuestionTable:
    """The table of one source. With `person` the file's name is the person, if no column is."""
    if is_frame(path):
        table = with_objects_apart(read_table(path))
        return QuestionTable(table, parts=[(table.path, len(table.lines))])
    content, name = read_bytes(path)
    notes, from_zero, runs = [], False, None
    if not is_parquet(content) and is_json(content):
        table, runs, from_zero = records_of(decoded(content, name), name)
        notes.append("records of JSON")
    else:
        if header is None and has_header_of_form(content):
            header = True
        table = read_table(named_stream(content, name), spaced=True, header=header, known=known)
    if "trial_type" in (table.names or ()) and {"trial_index", "time_elapsed"} & set(table.names or ()):
        from_zero = True
    table = with_objects_apart(table)
    if from_zero or person or runs is not None:
        table = with_person_in_each_row(table, runs)
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
            raise table.refusal(f"its columns differ from those of {first.path}: give all files the same header")
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


# ---------------------------------------------------------------------- a row a person, and lists in cells


def _long(asked: QuestionTable, wanted: Collection[str], codes: Sequence[Any] | None, compared: bool) -> QuestionTable:
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
        asked = replace(asked.taking(range(described, len(table.lines))), table=form.rows(table, wanted))
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
    return _of_comparisons(asked, texts) or _of_texts(asked, texts, wanted, codes, compared)


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
    own = [(table.names or [])[k] for k in rest]
    ids = [j for j, k in enumerate(rest) if plain(own[j]) == "id" and len({*map(str, table.columns[k])}) == n]
    if len(ids) == 1 and not WHO.among(own):
        own[ids[0]] = "who"
    names = [*own, *words]
    lines = [x for x in table.lines for _ in range(m)]
    made = replace(asked, table=replace(table, names=names, columns=columns, lines=lines))
    made.parts = [(path, k * m) for path, k in asked.parts]
    made.notes = [*asked.notes, f"{m} questions of {n} rows"]
    return made


#: What stands in a question between two, and between options.
_MORE_LIKE = re.compile(
    r"\b(?:(?:more|rather|most)\s+(?:like|alike|similar|related)(?:\s+(?:to|with))?|(?:closer|nearer|closest|nearest)(?:\s+to)?"
    r"|looks?\s+more\s+like|ähnlicher(?:\s+(?:zu|wie|als))?|(?:eher|mehr)\s+wie|näher\s+(?:an|bei)|plus\s+proche\s+(?:de|du)"
    r"|ressemble\s+plus\s+(?:à|au)|(?:se\s+parece\s+)?más\s+(?:parecid[oa]\s+)?a|más\s+cerca\s+de)\s+",
    re.IGNORECASE,
)
#: A longer text is no question.
_LONGEST = 2_000
_OPTIONS = re.compile(r"\s*[:?;|/,\n]\s*(?:or\s|oder\s|ou\s|o\s)?\s*|\s+(?:or|oder|ou|o|vs\.?)\s+", re.IGNORECASE)
_LEADING = re.compile(
    r"\W*(?:q?\d+\W+)?(?:(?:is|are|does|do|ist|sind|est|es|which|what|one|of|these|two|was|welches|is|the|an?|der|die|das|le|la|el)\s+)*",
    re.IGNORECASE,
)


def without_tags(text: str) -> str:
    """A text without the tags of HTML."""
    return re.sub(r"<[^<>]*>", " ", text).replace("&nbsp;", " ") if "<" in text or "&" in text else text


def compares(text: str) -> bool:
    """True if a question asks which of two is more like a third."""
    return _compared_in(text) is not None


def _compared_in(text: str) -> list[str] | None:
    """The anchor and the two options of a question: "Is a pear more like an apple or a saw?". None if it is another."""
    text = without_tags(text).strip(_AROUND + "?")
    found = _MORE_LIKE.search(text) if len(text) < _LONGEST else None
    if found is None:
        return None
    before = _LEADING.sub("", text[: found.start()], count=1)
    after = [_LEADING.sub("", x, count=1).strip(_AROUND) for x in _OPTIONS.split(text[found.end() :])]
    trio = [before.strip(_AROUND), *after] if len(after) == 2 else after
    return trio if len(trio) == 3 == len({*trio}) and all(trio) else None


def _of_comparisons(asked: QuestionTable, texts: Sequence[str | None]) -> QuestionTable | None:
    """Return comparisons whose items stand in the text of the question, or in the header, or None."""
    groups = []
    for k, text in enumerate(texts):
        trio = _compared_in(text or "")
        if trio is None:
            continue
        said = {x for x in asked.table.texts(k) if not is_no_answer(x)}
        if not said <= {*trio[1:]}:  # a plum
            said = {_LEADING.sub("", str(x), count=1) for x in said}
        if said <= {*trio[1:]} or said <= {"1", "2"}:
            groups.append([*trio, k])
    if not groups:
        return None
    taken = {x[3] for x in groups}
    rest = [k for k in range(len(texts)) if k not in taken]
    made = _stacked(asked, rest, ["anchor", "option1", "option2", "answer"], groups)
    return _with_rows_as_people(replace(made, compared=True), len(asked.table.lines), len(groups))


def _with_rows_as_people(made: QuestionTable, n: int, m: int) -> QuestionTable:
    """Return questions with each row as a person, n rows with m questions, unless a column has the people."""
    if not WHO.among(made.table.names or ()):
        rows = [f"row {k + 1}" for k in range(n) for _ in range(m)]
        made.table = replace(made.table, names=[*(made.table.names or []), "who"], columns=[*made.table.columns, rows])
        made.notes.append("each row is a person")
    return made


def _of_texts(
    asked: QuestionTable,
    texts: Sequence[str | None],
    wanted: Collection[str],
    codes: Sequence[Any] | None,
    compared: bool,
) -> QuestionTable:
    """Questions whose three items stand in the text of the question, or in the header: "Which? cat / dog / eel"."""
    table = asked.table
    groups: list[list[Any]] = []
    left_out = []
    unknown: dict[str, set[str]] = {}
    others = asides(table.names or ())
    listed_by = [_items_in(text or "", set()) or [] for text in texts]
    names = table.names or []
    named = [bool(items) for k, items in enumerate(listed_by) if k not in others]
    all_named = len(named) > 1 and all(named)
    for k, text in enumerate(texts):
        if not listed_by[k] or k in others:
            continue
        cells = {x for x in table.texts(k) if x is not None}
        said = {x for x in cells if not is_no_answer(x) and column_word(x) not in WORDS}
        coded = all_named or not _is_bare(text or "")
        items = _items_in(text or "", said, coded=coded, codes=codes) if said else None
        if items is not None:
            groups.append([*items, k])
        elif said and coded and all(map(is_count, said)):
            unknown[names[k]] = {_FORM_CODE.sub("", x) for x in said}
        elif said and "?" in (text or ""):
            other = min(said - {*listed_by[k]})
            left_out.append(f"{names[k]!r} lists {', '.join(listed_by[k])} and has the answer {other!r}")
    if groups and all(_is_bare(texts[x[3]] or "") for x in groups) and "odd" not in wanted:
        replies = [[y for y in table.texts(x[3]) if y is not None] for x in groups]
        coded = any({*some}.isdisjoint(x[:3]) for x, some in zip(groups, replies, strict=True) if some)
        first = coded or any(x[0] in {*some} for x, some in zip(groups, replies, strict=True))
        if not first and compared:
            rest = [k for k in range(len(texts)) if k not in {x[3] for x in groups}]
            return _stacked(asked, rest, ["anchor", "option1", "option2", "answer"], groups)
        if not first and sum(map(len, replies)) > 1:
            ways = [
                ("the odd one", call("read_answers", table.path, odd="odd")),
                ("comparisons", call("read_comparisons", table.path)),
            ]
            why = f"no answer names the first of {names[groups[0][3]]!r}: is it compared with the two others,"
            why += " or do answers name the odd one of three?"
            raise ask(table, why, ways)
    groups = groups if "odd" in wanted else _asking_for_the_odd(asked, groups, texts)
    aside = _asides([x[:3] for x in groups], [[_stem_of(texts[x[3]] or "", x[:3]) for x in groups]], asked.notes)
    groups = [x for k, x in enumerate(groups) if k not in aside]
    if not groups:
        if unknown and codes is None:
            raise _unknown_codes(table, unknown)
        return asked
    taken = {x[3] for x in groups}
    rest = [k for k in range(len(texts)) if k not in taken]
    made = _stacked(asked, rest, ["item1", "item2", "item3", "odd"], groups)
    if left_out:
        made.notes.append(f"{len(left_out)} left out: {'; '.join(left_out)}")
    return _with_rows_as_people(made, len(table.lines), len(groups))


def _unknown_codes(table: RowTable, unknown: Mapping[str, set[str]]) -> ParseError:
    """The error for questions that list items where the answers are numbers of another program."""
    several = sorted({x for some in unknown.values() for x in some}, key=int)
    shown = ", ".join(map(repr, [*unknown][:3])) + (f" and {len(unknown) - 3} more" if len(unknown) > 3 else "")
    msg = f"three items are listed in {shown}, and the answers are numbers that do not count them: "
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
        found = _anchors_in(texts) if len(pair) == 1 else _trios_in(texts, table.texts(replies[0]))
        if found is None:
            continue
        made = OUT_OF_TEXTS[:1] if len(pair) == 1 else OUT_OF_TEXTS if found[1] else _ITEMS
        if {*made} & {*names}:
            continue
        columns = [*table.columns[:k], *found[0], *table.columns[k + 1 :]]
        called = [*names[:k], *made, *names[k + 1 :]]
        if len(pair) == 1:
            called, columns = [*called, names[k]], [*columns, [found[1]] * len(texts)]
        asked = replace(asked, table=replace(table, names=called, columns=columns))
        asked.compared |= len(made) == 3 and bool(found[1])
        asked.items = made if made is _ITEMS else asked.items
        asked.notes.append(f"items out of the questions in {names[k]!r}" + f" ({found[1]!r})" * bool(found[1]))
        return asked
    return asked


#: What items out of a text are called as columns.
_ITEMS = ["item1", "item2", "item3"]
#: The most words and marks of an item in a text.
_MOST_WORDS = 8


def _anchors_in(texts: Sequence[str | None]) -> tuple[list[list[Any]], str] | None:
    """What differs between questions, and what all of them say, if that asks for something."""
    words = [[] if x is None else re.findall(r"\s*(?:\w+|\S)", x) for x in {*texts}]
    shown = [x for x in words if x]
    if len(shown) < 2:
        return None
    head, tail = (os.path.commonprefix([x[::step] for x in shown]) for step in (1, -1))
    n, m = len(head), len(tail)
    if any(not 0 < len(x) - n - m <= _MOST_WORDS for x in shown):
        return None
    begin, end = len("".join(head)), "".join(tail[::-1])
    stem = f"{''.join(head)} ...{end}"
    if not (asks_for_near(stem) or asks_for_far(stem) or "?" in stem):
        return None
    parts = [None if x is None else x[begin : len(x) - len(end)].strip(_AROUND + "?") for x in texts]
    return None if "" in parts else ([parts], stem)


def _trios_in(texts: Sequence[str | None], said: Sequence[str | None]) -> tuple[list[list[Any]], str] | None:
    """The items of questions that name all three: an anchor and two options, or three of which answers name the odd."""
    if texts[0] is None or (_compared_in(texts[0]) is None and not asks_for_far(texts[0])):
        return None
    trios = [None if x is None else _compared_in(x) for x in texts]
    how = "which of two is more like the first"
    if any(x is None for x in trios):
        rows = zip(texts, said, strict=True)
        trios = [_items_in(x or "", set() if is_no_answer(y) else {str(y)}, coded=True) for x, y in rows]
        how = ""
    if any(x is None for x in trios):
        return None
    return [list(x) for x in zip(*trios, strict=True)], how


#: What a question says that asks for the odd one, or the less alike of two, and for the more alike.
_SAYS_ODD = re.compile(
    r"\bodd|(?:not|n't|n’t|least|cannot) (?:belong|fit|match|go)|belongs? (?:the )?least|misfit|outlier|intru[ds]"
    r"|(?:less|least) (?:alike|similar|like)|unlike|(?:most|more) (?:different|dissimilar|distinct|unlike)"
    r"|different from|differs|farthe|furthe|passt nicht|nicht (?:da|hin|zu)|gehört nicht|unterscheide|unähnlich"
    r"|wenig(?:er|sten) ähnlich|anders|außenseiter|ne va pas|moins (?:proche|sembl|simil|ressembl)|no pertenece"
    r"|no encaja|menos parecid|meno simil|diferente|différent|diverso|c'entra|hoort (?:er )?niet|past (?:er )?niet"
    r"|minst",
    re.IGNORECASE,
)
_SAYS_NEAR = re.compile(
    r"(?:go|goes|belongs?) (?:better |best )?with|similar|alike|(?:more|most|rather) like"
    r"|resembl|clos(?:er|est)|near(?:er|est)|together|\bmatch|ähnlich|eher wie"
    r"|näher|zusammen|proche|ressembl|semblab|parecid|simil|más cerca|più vicin|lijkt",
    re.IGNORECASE,
)


def asks_for_far(text: str) -> bool:
    """True if a text asks for the odd one, or for the less alike of two."""
    return _SAYS_ODD.search(text) is not None


def asks_for_near(text: str) -> bool:
    """True if a text asks for the more alike."""
    return _SAYS_NEAR.search(_SAYS_ODD.sub("", text)) is not None


def is_neutral(text: str) -> bool:
    """True if a text has no word that says what is asked: "Which of these?"."""
    return len({x.lower() for x in re.findall(r"[^\W\d_]+", text)} - _NEUTRAL) < 2


#: Words that ask for nothing.
_NEUTRAL = frozenset(
    {"which", "one", "of", "these", "three", "question", "item", "trial", "triad", "trio", "set", "q", "t"}
    | {"number", "no", "welche", "welches", "welcher", "please", "click", "choose", "select", "pick", "on"}
    | {"the", "a", "picture", "image", "word", "answer"}
)


def _asking_for_the_odd(asked: QuestionTable, groups: list[list[Any]], texts: Sequence[str | None]) -> list[list[Any]]:
    """Return the questions that do not ask, in a sentence, for something else than the odd one. Raise if all do."""
    names = asked.table.names or []
    stems = [_stem_of(texts[x[3]] or "", x[:3]) for x in groups]
    other = [not is_neutral(x) and not asks_for_far(x) for x in stems]
    left = [names[x[3]] for x, no in zip(groups, other, strict=True) if no]
    shown = ", ".join(map(repr, left[:3])) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
    if groups and all(other):
        raise asked.table.refusal(
            f"no question says that it asks for the odd one of three: {shown}; if all of them do, "
            f"read_answers({source_text(asked.table.path)}, odd='odd')"
        )
    if left:
        asked.notes.append(f"{shown} left out, as no odd one is asked for")
    return [x for x, no in zip(groups, other, strict=True) if not no]


def _stem_of(text: str, items: Sequence[str]) -> str:
    """What a question's text says before its items."""
    at = min((text.find(x) for x in items if x in text), default=len(text))
    return re.sub(r"^\W*\w?\d+\W*", "", text[:at]).strip().lower()


def names_items(name: str) -> bool:
    """True if a header lists three items: "Which is odd? [cat, dog, eel]"."""
    return any(x in name for x in "?[:") and _items_in(name, set()) is not None


def name_of_items(name: str) -> bool:
    """True if a name may be of three items: cat_dog_eel."""
    return _is_bare(name) and _items_in(name, set()) is not None


def _is_bare(text: str) -> bool:
    return re.search(r"[\s?:,\[]", text) is None


def _are_places(items: Sequence[str]) -> bool:
    """True for parts of a name that are numbers or places of items: left/middle/right, A/B/C."""
    words = {x.lower() for x in items}
    return any(map(str.isdigit, items)) or words in ({*"abc"}, {"left", "middle", "right"}, {"left", "center", "right"})


def _items_in(
    text: str, said: set[str], *, coded: bool = False, codes: Sequence[Any] | None = None
) -> list[str] | None:
    """Return the three items that a question's text lists at its end, with each answer among them, or None.

    With `coded` all answers may be positions, or the `codes` that are given.
    """
    text = re.sub(r"<[^<>]*>", "", re.sub(r"<\s*/?\s*(?:br|p|li|ul|ol|div)\b[^<>]*>", "\n", text)).replace(
        "&nbsp;", " "
    )
    bare = _is_bare(text)
    within = re.search(r"[\[({]([^\[\](){}]*)[\])}][\s.?!]*$", text)
    tail = within[1] if within else re.split(r"[?:]", text.rstrip("?:. \n"))[-1]
    places = ({*"012"}, {*"123"}, {str(x) for x in codes or ()}) if coded else ()
    for separator in _IN_NAMES if bare else _IN_TEXTS:
        items = [x for part in re.split(separator, tail.strip(_AROUND)) if (x := part.strip(_AROUND))]
        if bare and len(items) == 4 and re.fullmatch(r"[a-zA-Z]{0,8}\d+|odd|q|item|trial|trio", items[0]):
            del items[0]
        if len(items) != 3 or len(set(items)) != 3 or (bare and _are_places(items)):
            continue
        if said <= {*items} or any({_FORM_CODE.sub("", x) for x in said} <= x for x in places):
            return items
    return None


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


def options_beside(names: Sequence[str]) -> tuple[int, list[int], int] | None:
    """The places of an anchor, of three options or more that are compared with it, and of the answer."""
    known = asides(names, counts=True)
    replies = [k for k, x in enumerate(names) if k not in known and (ANSWER.among([x]) or says_near(x))]
    anchors = [k for k, x in enumerate(names) if k not in known and is_sure_anchor(x)]
    stems: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        if k not in known and k not in replies and k not in anchors:
            stems.setdefault(stem_of(name), []).append(k)
    options = [x for x in stems.values() if len(x) > 2]
    return (anchors[0], options[0], replies[0]) if len(replies) == len(anchors) == len(options) == 1 else None


def _with_options_compared(asked: QuestionTable) -> QuestionTable:
    """A row for each option that was not chosen, of a table of an anchor, three options or more, and the most alike."""
    table, found = asked.table, options_beside(asked.table.names or ())
    if found is None:
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
    columns = [asked.table.columns[k] for k in (anchor, *rest)]
    called = ["anchor", "near", "far", *(names[k] for k in rest)]
    asked.notes.append(
        f"the choice of {len(options)} by {names[answer]!r} is nearer to {names[anchor]!r} than the others"
    )
    return replace(asked, table=replace(asked.table, names=called, columns=[columns[0], near, far, *columns[1:]]))


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
            cells = [x if x is None else [y.strip(_AROUND) for y in re.split(separator, x)] for x in table.texts(k)]
            cells = [x and [y for y in x if y != one or len(x) < 3] for x, one in zip(cells, left, strict=True)]
            if not any(cells) or any(x is not None and (len(x) != 2 or "" in x or x[0] == x[1]) for x in cells):
                continue
            if separator in _IN_PAIRS or {*left} & {y for x in cells for y in x or ()} - {None}:
                found.append((k, cells))
            break
    if len(found) != 1:
        return table
    k, cells = found[0]
    rest = [j for j in range(len(names)) if j != k]
    parts = [[x and x[j] for x in cells] for j in (0, 1)]
    made = [f"{_list_name(names[k])}_{j + 1}" for j in range(2)]
    columns = [*(table.columns[j] for j in rest), *parts]
    return replace(table, names=[*(names[j] for j in rest), *made], columns=columns)


#: Cells that tell whether all are taken apart.
_LOOKED_AT = 100
#: What stands between three items in one cell.
_SEPARATORS = (r"\s*\|\s*", r"\s*;\s*", r"\s*,\s*", r"\s*/\s*", r"\s+-\s+", r"\s*-\s*", r"_", r"\s+")


def _apart(asked: QuestionTable, wanted: Collection[str]) -> QuestionTable:
    """A table in which the three items of one cell ("cat dog eel") are columns, if answers name one of them."""
    table = with_pair_apart(asked.table)
    if table is not asked.table:
        return replace(asked, table=table, notes=[*asked.notes, "two items in each cell"])
    names = asked.table.names or []
    replies = [names.index(x) for x in REPLY.among(names)]
    replies = [k for k in range(len(names)) if names[k] in wanted] or replies if len(replies) != 1 else replies
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
    k, parts = found[0]
    rest = [j for j in range(len(names)) if j != k]
    made = [f"{_list_name(names[k])}_{j + 1}" for j in range(3)]
    columns = [*(table.columns[j] for j in rest), *([x[j] if x else None for x in parts] for j in range(3))]
    asked = replace(asked, table=replace(table, names=[*(names[j] for j in rest), *made], columns=columns))
    asked.notes.append(f"three items in each cell of {names[k]!r}")
    return asked


def _three_in(cells: Sequence[str | None], said: Sequence[str | None]) -> tuple[list[list[str] | None] | None, bool]:
    """Return the three parts of each cell, by one separator (answers name a part), and whether they do so by labels."""
    asked = [(x, y) for x, y in zip(cells, said, strict=True) if x is not None and not is_no_answer(y)]
    first = [x.strip(_AROUND) for x, _ in asked[:_LOOKED_AT]]
    for separator in _SEPARATORS if asked else ():
        if any(len(re.split(separator, x)) != 3 for x in first):  # before all cells are taken apart
            continue
        parts = [
            None if x is None else [y.strip(_AROUND) for y in re.split(separator, x.strip(_AROUND))] for x in cells
        ]
        if any(x is not None and x.startswith("[") for x in cells):
            return None, False
        if any(x is not None and (len({*x}) != 3 or len(x) != 3 or "" in x) for x in parts):
            continue
        rows = [x for x, y in zip(parts, said, strict=True) if x is not None and not is_no_answer(y)]
        if all(y in x for x, (_, y) in zip(rows, asked, strict=True)):
            return parts, True
        words = {_code_word(str(y)) for _, y in asked}
        if words <= {*"123"} or words <= {*"012"} or words <= {*"abc"}:
            return parts, False
    return None, False


def _expanded(asked: QuestionTable, wanted: Collection[str] = ()) -> QuestionTable:
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
    trios = [k for k, cells in lists.items() if any(map(_is_trio, cells))]
    chosen = _list_of_items(asked, table, {k: lists[k] for k in trios}, wanted)
    columns = [x for k, x in enumerate(table.columns) if k not in lists]
    names = [x for k, x in enumerate(table.names) if k not in lists]
    if chosen is not None:
        cells = [[_item(y) for y in x] if _is_trio(x) else None for x in lists[chosen]]
        shown = [i for i, x in enumerate(cells) if x is not None]
        told = [names.index(x) for x in names if plain(x) in _KINDS]
        aside = _asides([cells[i] for i in shown], [[columns[k][i] for i in shown] for k in told], asked.notes)
        cells = [None if i in {shown[j] for j in aside} else x for i, x in enumerate(cells)] if aside else cells
        name = _list_name(table.names[chosen])
        for j in range(max((len(x) for x in cells if x), default=0)):
            names.append(f"{name}_{j + 1}")
            columns.append([x[j] if x and len(x) > j else None for x in cells])
        asked = replace(asked, from_zero=asked.from_zero or table.names[chosen] == "choices")
        asked.notes.append(f"items out of the lists in {table.names[chosen]!r}")
    return replace(asked, table=replace(table, names=names, columns=columns))


#: Names of columns that tell kinds of trials apart.
_KINDS = frozenset({"trialtype", "stimulus", "prompt", "question", "preamble", "type", "task", "screen", "screenname"})


def _list_of_items(
    asked: QuestionTable, table: RowTable, lists: dict[int, list[Any]], wanted: Collection[str]
) -> int | None:
    """The column whose lists are the items: one that varies. Two in different orders are told apart by the answers."""
    names = table.names or []
    for k in lists:
        if f"{_list_name(names[k])}_1" in wanted:
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
    # a topic or a category beside two things that share no label with it may be no anchor
    found = related or [x for x in found if x.answer is None or ANCHOR.calls(names[x.anchor])]
    if len(found) > 1:  # the same rows in words and in numbers
        numbers = [_are_numbers(column) for column in table.columns]
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
    names = table.called
    trio, items = ([names[k] for k in x] for x in (found[:3], sorted(found[:3])))  # the items in the table's order
    told = None if found.answer is None else names[found.answer]
    near = call_for(table, "read_comparisons", columns=trio, answer=told, codes=codes)
    ways = [("comparisons", near), ("the odd one", call_for(table, "read_answers", items=items, odd=told))]
    if from_zero:
        near = call_for(table, "read_comparisons", columns=items, answer=told, codes=codes)
        ways[1:] = [
            (f"the odd one, {way}", f"{ways[1][1][:-1]}, first={k})")
            for k, way in enumerate(("counted from 0", "from 1"))
        ]
        ways.append((f"comparisons with {items[0]!r}", near))
    asks = f"is {trio[0]!r} compared with {trio[1]!r} and {trio[2]!r}, or do answers name the odd one of three?"
    return ask(table, f"{why}: {asks}", ways)


def comparisons_by_name(names: Sequence[str], others: set[int], answer: int | None = None) -> list[Comparison]:
    """The columns that are called like an anchor and two that are compared with it."""
    at = {x: k for k, x in enumerate(names)}
    called = {plain(x) for k, x in enumerate(names) if k not in others}
    both = {x for pair in NEAR_FAR if {*pair} <= called for x in pair}
    told = [answer] if answer is not None else [at[x] for x in [*ANSWER.among(names), *ODD.among(names)]]
    told = [k for k in told if k == answer or plain(names[k]) not in both]
    if answer is None:
        told += [k for k in _flags_of_options(names, others) if k not in told]
        if not told and not both:
            told = [k for k, x in enumerate(names) if k not in others and (says_far(x) or says_near(x))]
    free = [k for k in range(len(names)) if k not in others and k not in told]
    words = {plain(names[k]): k for k in free}
    coordinates = {"x", "y", "z"} <= words.keys()  # three items alike
    anchors = [k for k in free if ANCHOR.calls(names[k]) and not (coordinates and names[k].lower() == "x")]
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
    name = (table.names or [])[found.anchor]
    if found.answer is None or is_sure_anchor(name):
        return True
    cells = table.rows_of((found.answer, *found[:3]))
    if any(said is not None and said == anchor and said not in rest for said, anchor, *rest in cells):
        return False
    codes = {_code_word(x) for x, *row in cells if x is not None and x not in row}
    places, keys = {SIDES.get(x, x) for x in words_of(name).split("_")}, {*map(_key_word, codes)}
    places |= {"up", "down"} if "middle" in places else set()
    return not (codes & {"3", column_word(name)} or codes >= {"0", "2"} or (places & keys))


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
    return [SIDES.get(x, x) for x in re.findall(r"[0-9]+|[^\W\d_]+", words_of(name))]


def trio_by_name(names: Sequence[str]) -> tuple[str, str, str] | None:
    """The columns a, b and c of ab|c in a header that calls c the odd one, or two alike and c unlike. Else None."""
    known = asides(names, counts=True)
    free = [x for k, x in enumerate(names) if k not in known and (plain(x) in ODD.names or not is_aside(x))]
    called = {plain(x) for x in free}
    anchors = [x for x in ANCHOR.among(free) if plain(x) != "x" or "y" not in called]
    if len(free) != 3 or anchors or any({*x} <= called for x in NEAR_FAR):
        return None
    odd = [x for x in free if says_far(x) or asks_for_far(words_of(x).replace("_", " "))]
    rest = [x for x in free if x not in odd]
    if len(odd) != 1 or not (ODD.among(odd) or option_pairs(rest)):
        return None
    return rest[0], rest[1], odd[0]


def says_far(name: str) -> bool:
    """True if the answers in a column of this name are the less alike of two: odd, farther, least_similar."""
    return bool(ODD.among([name])) or _FAR.search(words_of(name)) is not None


#: Up to 6 unknown words beside known answers may stand for no answer.
_FEW_WORDS = 6
#: Names of columns that hold what is alike, which is never the odd one.
_NEAR = re.compile(
    r"(?:^|_)(?:central|similar|alike|closest|nearest|closer|nearer|best|liked?|preferred|same|match)(?:_|$)"
)


def says_near(name: str) -> bool:
    """True if the answers in a column of this name are the more alike: similar, closest, most_alike."""
    return _NEAR.search(words_of(name)) is not None and not says_far(name)


#: Columns beside three items that tell no odd one, if nothing but numbers are in them.
_NUMBERED = frozenset({"trial", "block", "session", "run", "round", "order", "list", "set", "part", "phase", "batch"})
#: Columns of a few numbers.
_LEVELS = frozenset(
    {"condition", "cond", "group", "confidence", "conf", "rating", "version", "level", "age", "sure"}
    | {"difficulty", "task"}
)


def is_known_beside(name: str) -> bool:
    """True if a column beside triplets is known to tell no odd one: people, times, ids, numbers of trials."""
    words = words_of(name)
    if plain(name) in REPLY.names:
        return False
    known = (*WHO.names, *WHEN.names, *SECONDS.names, "rt")
    return (
        plain(name) in known
        or is_called_id(name)
        or re.sub(r"_?(?:no|nr|num|number|index|id)$", "", words) in _NUMBERED
    )


def answers_beside(
    name: str, cells: Sequence[str | None], rows: Sequence[Sequence[str]], columns: Sequence[str]
) -> tuple[str, str] | None:
    """Whether a column names one of the three of each row, and not always the last.

    Returns
    -------
    how : str
        What it does, for messages.
    cure : str
        What else `read_answers` then needs.
    """
    if is_known_beside(name) or plain(name) in COUNT.names:
        return None
    said = [(x, row) for x, row in zip(cells, rows, strict=True) if not is_no_answer(x) and None not in row]
    if not said or 2 * len(said) < len(rows):
        return None
    if all(x in row for x, row in said):
        return ("repeats one", "") if any(x != row[2] for x, row in said) else None
    words = {_code_word(str(x)) for x, _ in said}
    if all(_is_whole(str(x)) for x, _ in said):
        odd = _odd_by({str(x) for x, _ in said}, columns, whole=True) or {}
        thirds = [odd.get(str(x), odd_in(str(x), row, whole=True)) for x, row in said]
        return ("names one", "") if None not in thirds and {*thirds} != {2} else None
    names = {column_word(x): k for k, x in enumerate(columns)}
    for codes in ({*"123"}, {*"012"}, {*"abc"}, {*names}):
        if words <= codes and ("2" in words or len(words) > 1 or codes != {*"012"}) and words != {"0", "1"}:
            if plain(name) in _LEVELS:
                return None
            last = {"3"} if codes == {*"123"} else {"c"} if codes == {*"abc"} else {column_word(columns[2])}
            zero = ", first=0" if codes == {*"012"} and "0" not in words else ""
            return None if words == last else ("names one", zero)
    whole = _codes_of_two({str(x) for x, _ in said}, columns)
    if whole is None:
        return None
    return "names two", f", codes={whole!r}"


#: What stands between two labels that are named together, and a triplet in Newick.
_BETWEEN = r"\s*(?:[,;/&+|_-]|\s(?:and|und|et|y|e|en)\s|\s)\s*"
_NEWICK = re.compile(
    r"\s*\(\s*(?:\((?P<x>[^(),:;]+),(?P<y>[^(),:;]+)\)\s*,(?P<z>[^(),:;]+)"
    r"|(?P<w>[^(),:;]+),\s*\((?P<u>[^(),:;]+),(?P<v>[^(),:;]+)\)\s*)\)\s*;?\s*"
)


def newick_triplet(text: str) -> tuple[str, str, str] | None:
    """The labels a, b and c of ((a,b),c); without lengths and names of inner nodes. None for another text."""
    found = _NEWICK.fullmatch(re.sub(r":\s*[-+.\deE]+|(?<=\))[\w.]+", "", text)) if "(" in text else None
    trio = () if found is None else found.group("x", "y", "z") if found["x"] else found.group("u", "v", "w")
    return tuple(x.strip().strip("'\"") for x in trio) or None  # type: ignore[return-value]


def odd_in(text: str, names: Sequence[str | None], *, whole: bool = False) -> int | None:
    """The place of the third of three names, of a text that names the two others: "cat and dog", "ab|c", "((a,b),c)".

    With `whole` only a text that has the third one, too, behind or before a bar or in Newick.
    """
    trio = newick_triplet(text)
    sides = [x.strip() for x in text.split("|")]
    sides = [f"{trio[0]},{trio[1]}", trio[2]] if trio else sides if len(sides) == 2 and all(sides) else []
    texts = sides or ([] if whole else [text])
    found = []
    for k, odd in enumerate(names):
        rest = [re.escape(x) for x in names if x and x != odd]
        if odd is None or len(rest) != 2:
            return None
        between = f"(?:{_BETWEEN})" + "?" * all(len(x or "") == 1 for x in names)
        pair = re.compile("|".join(rf"\(?{between.join(x)}\)?" for x in (rest, rest[::-1])), re.IGNORECASE)
        if any(map(pair.fullmatch, texts)) and (not sides or any(x.lower() == odd.lower() for x in sides)):
            found.append(k)
    return found[0] if len(found) == 1 else None


def _odd_by(texts: Collection[str], columns: Sequence[str | None], *, whole: bool = False) -> dict[str, int] | None:
    """The place of the odd one by each code that names the two others by letters, numbers or names of columns."""
    for names in (["a", "b", "c"], ["1", "2", "3"], [None if x is None else column_word(x) for x in columns]):
        odd: dict[str, int] = {}
        for x in texts:
            at = odd_in(x, names, whole=whole)
            if at is None:
                break
            odd[x] = at
        if odd and len(odd) == len(texts):
            return odd
    return None


def _codes_of_two(texts: Collection[str], columns: Sequence[str | None]) -> list[str] | None:
    """The codes for the three columns, of answers that name two of three: 23, 13 and 12. One may be without answers."""
    odd = _odd_by(texts, columns)
    if odd is None or len({*odd.values()}) < len(odd) or len(odd) < 2:
        return None
    by = {k: x for x, k in odd.items()}
    like, at = next(iter(odd.items()))
    families = (["a", "b", "c"], ["1", "2", "3"], [column_word(x or "") for x in columns])
    names = next(x for x in families if odd_in(like, x) is not None)
    for k in {0, 1, 2} - by.keys():  # written like another one
        new = names[at].upper() if like[:1].isupper() else names[at]
        by[k] = re.sub(re.escape(names[k]), new, like, flags=re.IGNORECASE)
    return [by[k] for k in range(3)]


def is_count(text: str | None) -> bool:
    """True for a whole number of at least 0."""
    return text is not None and re.fullmatch(r"\d{1,9}(?:[.,]0+)?", text) is not None


def rises(cells: Sequence[str | None], *, by_one: bool = False) -> bool:
    """True if cells may be numbers of rows: they rise, perhaps `by_one`, or begin again with 0 or 1."""
    numbers = [float(with_point(str(x))) if is_count(x) else -1.0 for x in cells]
    steps = [*pairwise(numbers)]
    again = [b in (0, 1) and b != a + 1 for a, b in steps]
    if min(numbers, default=-1) < 0 or (by_one and (numbers[0] > 1 or 2 * sum(again) > len(numbers))):
        return False
    return all(x or (b == a + 1 if by_one else b > a) for x, (a, b) in zip(again, steps, strict=True))


def check_numbers(table: RowTable, name: str, reader: str, *, people: bool = False, **command: Any) -> bool:
    """True if a column called n surely numbers the rows. Raise the question if it may as well have votes."""
    cells = table.texts((table.names or []).index(name))
    if plain(name) != "n" or {*cells} <= {"1", "1.0"}:
        return False
    if rises(cells, by_one=True):
        return True
    if not people and not rises(cells):
        return False
    ways = [("votes", call(reader, table.path, **command, weight=name))]
    ways.append(("numbers of rows", f"{call(reader, table.path, **command)[:-1]}, weight=None)"))
    raise ask(table, f"does {name!r} tell how often each was said, or does it number the rows?", ways)


class VoteColumns(NamedTuple):
    """Columns of votes for two or three items."""

    stem: str
    """What they have in common: what the column of answers is called that they stand for."""
    columns: list[str]
    items: list[str]
    """The columns of the items, none if the header does not have them."""
    votes: np.ndarray
    """How often each item was chosen in each row."""


#: The ends of names of columns for several items, in their order, and what columns of votes are called besides.
_ENDS = (("1", "2", "3"), ("a", "b", "c"), ("left", "middle", "right"), ("1", "2"), ("a", "b"), ("left", "right"))
_VOTES = frozenset({"n", "vote", "votes", "numvotes", "nvotes", "num", "count", "counts", "freq", "frequency", "picks"})
_VOTES |= {"stimmen", "anzahl", "chosen", "votos", "voix", "voti", "stemmen"}


def vote_columns(names: Sequence[str]) -> list[VoteColumns]:
    """Columns that may be of votes for items, as they are called alike and end so: votes_a, votes_b, votes_c.

    The best names come first. `stem` is "" if they are not called votes or answers.
    """
    stems = series_of(names, {x for ends in _ENDS for x in ends})
    found = []
    for stem, ends in stems.items():
        order = next((x for x in _ENDS if {*x} == {*ends}), None)
        if order is None or not any(stem):
            continue
        others = [x for x in stems if x != stem and stems[x].keys() == ends.keys()]
        others.sort(key=lambda x: not {*x} - {"id"} <= {*stem})  # clip1_id of clip1_votes
        rest = [x for x in stem if x and not (others and x in others[0])] or [x for x in stem if x]
        reply = next((x for x in ("".join(rest), rest[-1]) if REPLY.among([x])), None)
        called = reply or "answer" * (not _VOTES.isdisjoint(rest))
        items = [stems[others[0]][x] for x in order] if others else []
        found.append(VoteColumns(called, [ends[x] for x in order], items, np.zeros((0, len(order)), np.int64)))
    at = {x.strip().lower(): x for x in names}
    splits = split_columns(names, [at[x] for x in "abc" if x in at], whole=True)
    if splits:
        found.append(VoteColumns("answer", splits, [at[x] for x in "abc"], np.zeros((0, 3), np.int64)))
    return sorted(found, key=lambda x: not x.stem)


def split_columns(names: Sequence[str], trio: Sequence[str], *, whole: bool = False) -> list[str]:
    """The columns that are called like the three triplets on a, b and c: BC_A, AC_B, AB_C, or else bc, ac, ab."""
    odd = {x: odd_in(re.sub("_+", "|", x.strip()), trio, whole=whole) for x in names if x not in trio}
    found = sorted((k, x) for x, k in odd.items() if k is not None)
    return [x for _, x in found] if [k for k, _ in found] == [0, 1, 2] else []


def are_voted(names: Sequence[str]) -> bool:
    """True if a header has columns that are called votes for items that it has, too."""
    return any(x.stem and x.items for x in vote_columns(names))


def votes_in(columns: Mapping[str, Sequence[str | None]], items: Sequence[str] = ()) -> VoteColumns | None:
    """The votes for each item in columns of counts, or of yes and no with a yes in one of them in each row."""
    for found in vote_columns([*items, *columns]):
        if not {*found.columns} <= columns.keys() or found.stem in columns:
            continue
        flags = [yes_or_no(columns[x]) for x in found.columns]
        known = [x for x in flags if x is not None]
        yes = np.array(known).T == 1 if len(known) == len(flags) else None
        if yes is not None and len(flags) == 3 and (yes.sum(axis=1) <= 1).all():
            counts = yes.astype(np.int64)
        elif (
            found.stem
            and found.items
            and all(is_count(x) or is_no_answer(x) for y in found.columns for x in columns[y])
        ):
            cells = [[int(float(with_point(str(x)))) if is_count(x) else 0 for x in columns[y]] for y in found.columns]
            counts = np.array(cells, np.int64).T
        else:
            continue
        if counts.any():
            return found._replace(stem=found.stem or "answer", votes=counts)
    return None


def yes_or_no(said: Sequence[str | None], missing: Any = None) -> np.ndarray | None:
    """Return 1 for each yes, 0 for no and -1 for no answer. None if an answer is something else, or all are missing."""
    is_silent = says_nothing(missing)
    found = np.full(len(said), -1, np.int8)
    for k, x in enumerate(said):
        if x is not None and _code_word(x) in YES_NO:
            found[k] = YES_NO[_code_word(x)]
        elif not is_silent(x):
            return None
    return found if (found >= 0).any() else None


#: The most answers that counts may stand for.
_MOST_REPEATED = 10_000_000


def repeated(
    asked: QuestionTable, taken: set[Any], people: bool, weight: str | None, reader: str, **command: Any
) -> QuestionTable:
    """Each row as often as its answer was given, if a column tells that. `weight` is its name, None for no such column.

    `reader` and its `command` read the table, for questions.
    """
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
        if name != weight and (numbers or check_numbers(table, name, reader, people=people, **command)):
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
        _check_sum(table, name, int(times.sum()))
        asked = asked.taking(np.repeat(np.arange(len(cells)), times).tolist())
        asked.notes.append(f"{counted(len(cells), 'row')}, each as often as {name!r} says")
        break
    return asked


def _check_sum(table: RowTable, name: str, total: int) -> None:
    if total > _MOST_REPEATED:
        raise table.refusal(
            f"{name!r} sums to {total:,}, more than {_MOST_REPEATED:,} answers: divide its numbers, or give weight=None"
        )


def check_codes(codes: Any, widths: Sequence[int]) -> None:
    """Raise a ValueError if codes are not as many different answers as there are columns."""
    if codes is not None and (
        isinstance(codes, str) or len(codes) not in widths or len({_code_word(str(x)) for x in codes}) < len(codes)
    ):
        msg = f"codes must be {widths[0]} different answers, for the columns in their order, not {codes!r}"
        raise ValueError(msg)


def positions_said(
    said: Sequence[str | None],
    rows: Sequence[Sequence[str | None]],
    columns: Sequence[str | None],
    *,
    missing: Any = None,
    first: int | None = None,
    codes: Sequence[Any] | None = None,
    words: Mapping[str, int] | None = None,
) -> tuple[np.ndarray, str]:
    """Return which item of its row each answer names: its position, -1 for no answer, -2 for another label.

    Parameters
    ----------
    said : sequence of (str or None)
    rows : sequence of sequence of str
        The items.
    columns : sequence of (str or None)
        Names of the items' columns, None if they have no names.
    missing : value or collection of values, optional
        Answers that are none.
    first : {0, 1}, optional
        The number of the first position. By default 1, unless an answer is 0.
    codes : sequence, optional
        The answers that stand for each position.
    words : mapping, optional
        Other answers, with their numbers.

    Returns
    -------
    positions : ndarray of int8
    how : str
        "labels", or how the answers name items.
    """
    is_silent, other = says_nothing(missing), words or {}
    width = max(map(len, rows), default=0)
    if first is not None and codes is None:  # positions, though they may be labels, too
        places = {str(k + first): k for k in range(width)}
        none = [*map(is_silent, said)]
        if all(no or _code_word(str(x)) in places for x, no in zip(said, none, strict=True)):
            at = [-1 if no else places[_code_word(str(x))] for x, no in zip(said, none, strict=True)]
            return np.array(at, np.int8), f"positions from {first}"
    given = {} if codes is None else {_code_word(str(x)): k for k, x in enumerate(codes)}
    found = np.full(len(said), -2, np.int8)
    for k, (x, row) in enumerate(zip(said, rows, strict=True)):
        if given and x is not None and _code_word(x) in given:
            found[k] = given[_code_word(x)]
        elif x in row and x is not None:
            found[k] = row.index(x)
        elif is_silent(x):
            found[k] = -1
        elif (word := column_word(str(x))) in other:
            found[k] = other[word]
    if given:
        return found, "codes as given"
    if not (found == -2).any():
        return found, "labels"
    coded = np.flatnonzero((found == -2) | ((found >= 0) & (found < width))).tolist()
    unknown = [str(said[k]) for k in np.flatnonzero(found == -2).tolist()]
    labels = {x for row in rows for x in row}
    for how, code in _codes(columns, width, first, {str(said[k]) for k in coded}, labels.isdisjoint(unknown)):
        if all(_code_word(str(said[k])) in code for k in coded):
            found[coded] = [code[_code_word(str(said[k]))] for k in coded]
            return found, how
    if width == 3 and not (found >= 0).any():
        is_whole = all(_is_whole(str(said[k])) for k in coded)
        odd = (_odd_by({str(said[k]) for k in coded}, columns, whole=True) if is_whole else None) or {}
        thirds: list[int | None] = []
        for k in coded:
            thirds.append(odd.get(str(said[k]), odd_in(str(said[k]), rows[k]) if len(rows[k]) == 3 else None))
            if thirds[-1] is None:
                break
        if thirds and None not in thirds:
            found[coded] = np.array(thirds, np.int8)
            return found, WHOLE if is_whole else TWO
    otherwise: dict[int, int] = {}
    for written, how in ((_plain_text, "labels, written otherwise"), (_stem, "names of files")):
        shown = [[written(str(x)) for x in row] for row in rows]
        named = [k for k in coded if shown[k].count(written(str(said[k]))) == 1]
        if len(named) == len(coded):
            found[coded] = [shown[k].index(written(str(said[k]))) for k in coded]
            return found, how
        if written is _plain_text:  # then only the others are unknown
            otherwise = {k: shown[k].index(written(str(said[k]))) for k in named}
    for k, place in otherwise.items():
        found[k] = place
    return found, "labels"


#: How answers name items that are two of three labels, and all three.
TWO, WHOLE = "the two that are alike", "the two that are alike and the odd one"


def _is_whole(text: str) -> bool:
    return text.count("|") == 1 or "(" in text


def fits_positions(said: Sequence[str | None], rows: Sequence[Sequence[str | None]], found: np.ndarray) -> list[int]:
    """Where positions count from, if answers that are labels may as well be positions of other items."""
    asked = [(str(x), k) for x, k in zip(said, found.tolist(), strict=True) if k >= 0]
    width = max(map(len, rows), default=0)
    places = [{str(k + start): k for k in range(width)} for start in (0, 1)]
    return [
        start
        for start, at in enumerate(places)
        if asked and all(_code_word(x) in at for x, _ in asked) and any(at[_code_word(x)] != k for x, k in asked)
    ]


def is_no_answer(text: str | None) -> bool:
    """True if a cell says that somebody cannot say, or nothing."""
    return text is None or is_gap(text) or column_word(text) in _NO_ANSWER


def says_nothing(missing: Any) -> Callable[[str | None], bool]:
    """The test whether a cell says nothing, or, if they are given, one of the values that are `missing`."""
    if missing is None:
        return is_no_answer
    gaps = gap_words(missing)
    return lambda x: x is None or is_gap(x, gaps)


def _code_word(text: str) -> str:
    """An answer as a code: 3.0 and 3,0 are 3, and -1 is not 1."""
    word = re.sub(r"[.,]0+$", "", column_word(text))
    return f"-{word[1:]}" if re.fullmatch(r"_\d+", word) and "-" in text else word


def _plain_text(text: str) -> str:
    """A text without blanks around it, in lower case."""
    return re.sub(r"\s+", " ", text.strip().lower())


def _codes(
    columns: Sequence[str | None], width: int, first: int | None, said: set[str], apart: bool
) -> Iterable[tuple[str, dict[str, int]]]:
    """The ways to name one of the columns. `apart`: whether no answer that is not in its row is a label elsewhere."""
    words = {_code_word(x) for x in said}
    start = first if first is not None else int("0" in words) ^ 1
    yield f"positions from {start}", {str(k + start): k for k in range(width)}
    names = [column_word(x or "") for x in columns[-width:]]
    yield "names of columns", {x: k for k, x in enumerate(names) if x}
    keys = {x: _key_word(x) for x in words}
    sides = [{SIDES.get(y, y) for y in words_of(x or "").split("_")} for x in columns[-width:]]
    lines = (("left", "middle", "right"), ("left", "up", "right"), ("left", "down", "right"))
    across = [x[:: 2 if width == 2 else 1] for x in lines[: 1 if width == 2 else 3]]
    for ends in (("a", "b", "c")[:width], across[0], ("up", "down") if width == 2 else ("up", "middle", "down")):
        own = [next((k for k, x in enumerate(sides) if end in x), -1) for end in ends]
        if -1 not in own and len(set(own)) == width:
            places = dict(zip(ends, own, strict=True))
            yield "names of columns", _of_keys(keys, places)
            initials = {
                y[0]: k for k, x in enumerate(columns[-width:]) for y in words_of(x or "").split("_") if y in SIDES
            }
            if len(initials) == width:
                yield "letters", initials
            if "left" in ends:
                yield from _of_halves(keys, own)
    if width == 2 and first is None and words <= {"2", "3"} and "3" in words:
        yield "positions from 1, with the anchor", {"2": 0, "3": 1}
    for ends in (("a", "b", "c"), *across, ("1", "2", "3")):
        what = "letters" if ends[0] == "a" else "numbers" if ends[0] == "1" else "words"
        yield what, _of_keys(keys, {x: k for k, x in enumerate(ends[:width])})
    numbers = {x: re.fullmatch(r"\{?(?:([a-z][a-z_]*?)[ _-]*)?0*([0-9])\}?", x[:_LONGEST]) for x in words}
    if apart and all(numbers.values()) and len({x[1] for x in numbers.values() if x}) == 1:
        start = first if first is not None else int("0" in {x[2] for x in numbers.values() if x}) ^ 1
        yield (
            f"positions from {start}",
            {word: int(x[2]) - start for word, x in numbers.items() if x and 0 <= int(x[2]) - start < width},
        )


def _of_keys(keys: Mapping[str, str], places: Mapping[str, int]) -> dict[str, int]:
    """Return the answers that are called so, or keys of the same names."""
    return {**{x: places[y] for x, y in keys.items() if y in places}, **places}


def _of_halves(keys: Mapping[str, str], own: Sequence[int]) -> Iterable[tuple[str, dict[str, int]]]:
    """Keys for columns called left and right: one in each half of the keyboard, or three in one of its rows."""
    if len(own) == 3:
        row = next((x for x in _KEY_ROWS if {*keys.values()} <= {*x}), "")
        if row and len(keys) == 3:
            order = sorted(keys, key=lambda x: row.index(keys[x]))
            yield (
                f"the keys {', '.join(keys[x] for x in order)}, from left to right",
                dict(zip(order, own, strict=True)),
            )
        return
    left, right = ({x for x, y in keys.items() if y in half} for half in (_LEFT_KEYS, _RIGHT_KEYS))
    if len(left) <= 1 and len(right) <= 1 and len(left) + len(right) == len(keys):
        said = [repr(keys[x]) for x in (*left, *right)]
        yield (
            f"the keys {' and '.join(said)}, left and right on the keyboard",
            {**dict.fromkeys(left, own[0]), **dict.fromkeys(right, own[1])},
        )


def _key_word(word: str) -> str:
    """The key that an answer names, as left for ArrowLeft, {LEFTARROW} and 37, else the answer."""
    bare = re.sub(r"arrow|key(?!s)|[{}_]|num(?=\d)", "", word)
    return (
        SIDES.get(bare)
        or _KEY_NUMBERS.get(bare)
        or {"←": "left", "→": "right", "↑": "up", "↓": "down"}.get(bare)
        or bare
    )


def _stem(text: str) -> str:
    """The name of a file without its folders and ending, in lower case."""
    return re.sub(
        r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|wav|mp3|mp4|ogg)$", "", re.split(r"[\\/]", text.strip().lower())[-1]
    )


def unknown_answers(
    said: Sequence[str | None], found: np.ndarray, names: Sequence[str | None], width: int, command: str
) -> str:
    """Say what to do about unknown answers: take a single one for no answer, else tell what they mean.

    `command` reads the table, without the bracket at its end.
    """
    wrong = sorted({str(said[k]) for k in np.flatnonzero(found == -2).tolist()}, key=_place_of_key)
    none = _answers_that_are_none(wrong, width, labels=bool((found >= 0).any()))
    if none:  # with the known words, which count no longer if some are given
        none += sorted({x.strip() for x, k in zip(said, found.tolist(), strict=True) if k == -1 and x and x.strip()})
        stand = f"if {'it stands' if len(none) == 1 else 'these stand'} for no answer"
        return f"; {stand}: {command}, missing={none!r})"
    if width == 3 and (way := _codes_of_two(wrong, names)) is not None:
        return f"; if each names the two that are alike, so that the third is odd: {command}, codes={way!r})"
    if len(wrong) == width:
        ways = [wrong, wrong[::-1]] if width == 2 else [wrong]
        shown = []
        for way in ways:
            means = ", ".join(f"{x!r} is {name!r}" for x, name in zip(way, names, strict=True))
            shown.append(f"if {means}: {command}, codes={way!r})")
        return f"; {'; '.join(shown)}" + ("" if width == 2 else ", or in the order in which they are meant")
    rows = [x for x in _KEY_ROWS if {*wrong} <= {*x}] if width == 3 and len(wrong) == 2 else []
    keys = [[*x[k : k + 3]] for x in rows for k in range(len(x) - 2) if {*wrong} <= {*x[k : k + 3]}]
    if keys:
        return "; " + "; ".join(f"for the keys {', '.join(x)}: {command}, codes={x!r})" for x in keys)
    few = ", ".join(map(repr, wrong[:6])) + (f" and {len(wrong) - 6} more" if len(wrong) > 6 else "")
    columns = f", or the name of a column ({shown_names(names)})" if all(names) else ""
    letters, numbers = ("A, B or C", "1, 2 or 3") if width == 3 else ("A or B", "1 or 2")
    return (
        f"; {few} {'is' if len(wrong) == 1 else 'are'} not known here: write the item that each stands for, as its "
        f"label, its position ({numbers}), {letters}{columns}, or tell with codes= which answers stand for the columns"
    )


def _answers_that_are_none(wrong: Sequence[str], width: int, *, labels: bool) -> list[str]:
    """Return the unknown answers that may mean no answer: words beside labels, or texts beside positions."""
    keys = len(wrong) > 1 and any(len(x) == 1 and x.isalpha() for x in wrong)
    if labels:
        return [*wrong] if len(wrong) <= _FEW_WORDS and not keys else []
    best: list[str] = []
    if {*map(_code_word, wrong)} == {"-1", "1"} or sum(is_count(x) and float(x) > width for x in wrong) > 1:
        return []  # left and right of a scale, or degrees
    for codes in ([*"123"[:width]], [*"012"[:width]], [*"abc"[:width]]):
        rest = [x for x in wrong if _code_word(x) not in codes]
        if (
            len(wrong) - len(rest) > (codes[0] == "a")
            and (not best or len(rest) < len(best))
            and len(rest) <= _FEW_WORDS
        ):
            best = rest
    return best


def _place_of_key(key: str) -> tuple[int, str]:
    """The place of a key on the keyboard, from the left. Other answers go by the alphabet."""
    at = "qazwsxedcrfvtgbyhnujmikolp".find(key.lower()) if len(key) == 1 else -1
    return (13 if key.strip().lower() in ("space", "") else at), key


def without_answer(said: Iterable[str | None], missing: Any = None) -> Iterator[bool]:
    """Whether each cell says nothing. "unsure" in this word is an answer."""
    is_silent = says_nothing(missing)
    return (is_silent(x) and (missing is not None or column_word(x or "") != "unsure") for x in said)


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
