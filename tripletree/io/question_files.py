"""Questions in files, as experiments write them: a file, a folder with a file a person, JSON, a frame.

The readers of answers and of comparisons begin with `read_questions`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tripletree.errors import ParseError
from tripletree.io.forms import has_header_of_form
from tripletree.io.json_text import begin_of
from tripletree.io.layouts import STEPS
from tripletree.io.only import rows_that_count
from tripletree.io.questions import QuestionTable, Sought
from tripletree.io.replies import rises
from tripletree.io.source import decoded, is_parquet, named_stream, read_bytes
from tripletree.io.table import is_frame, read_table
from tripletree.io.trials import records_of, with_objects_apart, with_person_in_each_row
from tripletree.tables.columns import WHO, plain
from tripletree.tables.rows import RowTable

#: Files of a folder that hold answers.
_SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"})
#: Names of files in a folder that tell of the others.
_TELLS = re.compile(
    r"(?:read[_ -]?me|lies[_ -]?mich|lisez[_ -]?moi|licen[cs]e|codebook|changelog)(?![a-z])", re.IGNORECASE
)


def read_questions(
    path: Any,
    *,
    header: bool | None,
    known: Callable[[Sequence[str]], bool],
    only: str | None,
    sought: Sought | None = None,
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
            raise asked.table.refusal(f"no row is left of {len(asked.table.lines):,}: only={only!r} holds for none")
        asked.notes.append(f"{len(rows):,} of {len(asked.table.lines):,} rows are asked for")
        called = [(k, x) for k, x in enumerate(asked.table.names or ()) if plain(x) == "n"]
        asked.numbers = [x for k, x in called if rises(asked.table.texts(k), by_one=True)]
        asked = asked.taking(rows)
    asked.sought = sought or asked.sought
    for step in STEPS:
        asked = step(asked)
    return asked


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
    return re.match(r"\s*(?:\{|\[\s*[\[{])", begin_of(content)) is not None


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
