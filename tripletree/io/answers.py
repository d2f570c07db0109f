r"""Files of answers: JSON lines, which grow by one line an answer, and tables.

A file of JSON lines has one answer a line::

    {"tripletree": "answers", "version": 1, "data": "animals.csv"}
    {"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna", "when": "2026-11-22T21:04:11Z"}
    {"items": ["cat", "dog", "eel"], "answer": "alike", "who": "ben"}
    {"undo": true, "who": "ben"}

The first line, the person and the time may be missing. The answers are "odd", "alike", "different" and "unsure"; a
question about two items has no odd one. A line with "undo" takes back the last answer of that person that has not been
taken back. Other keys are passed over. Labels are texts or whole numbers. The file is only ever appended to, so that a
program that is killed loses nothing but the line that it was writing.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Hashable, Iterable
from io import SEEK_END
from typing import Any, overload

from tripletree.core.answers import Answer, AnswerSet, check_answers
from tripletree.core.leaves import LeafIndex
from tripletree.errors import SHOWN, InvalidAnswerError, ParseError, UnknownLeafError, warn_user
from tripletree.io.json_text import load_json
from tripletree.io.source import Source, Target, decoded, read_bytes, write_atomic

__all__ = [
    "append_answer",
    "append_undo",
    "is_json_lines",
    "read_answers",
    "write_answers",
]

_VERSION = 1
#: How far from the end of a file its last line is looked for at once.
_STEP = 1 << 16


def is_json_lines(content: bytes | str) -> bool:
    """Whether a content begins as a file of JSON lines: with an object."""
    head = content[:1000]
    head = head.decode("utf-8", errors="replace") if isinstance(head, bytes) else head
    return head.lstrip("\ufeff \t\r\n").startswith("{")


def read_answers(path: Source, *, leaves: LeafIndex | Iterable[Hashable] | int | None = None) -> AnswerSet:
    r"""Read answers of people: JSON lines.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input; gzip, bzip2, xz and zip are unpacked.
    leaves : LeafIndex, iterable of labels or int, optional
        All samples that could be asked about; by default those that occur.

    Returns
    -------
    AnswerSet
        In the order of the file, without those taken back. ``.origins`` has the line of each.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If a line is no answer; the first 20 such lines are listed. A last line that is cut off in the middle is left
        out with a warning.

    See Also
    --------
    append_answer : one more answer, safely on disk.

    Examples
    --------
    >>> import io
    >>> lines = '{"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}\n'
    >>> read_answers(io.StringIO(lines))[0]
    Answer(items=('cat', 'dog', 'eel'), kind='odd', odd='eel', who='anna', when=None, line=1)
    """
    content, name = read_bytes(path)
    return _read_lines(content, name, leaves)


def _read_lines(content: bytes | str, name: str | None, leaves: Any) -> AnswerSet:
    content, cut = _without_cut_line(content)
    text = content if isinstance(content, str) else decoded(content, name)
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
    """The content up to its last whole line, and the start of what is cut off behind it ("" if nothing is)."""
    newline = b"\n" if isinstance(content, bytes) else "\n"
    end = content.rfind(newline) + 1
    if _is_whole(content[end:]):
        return content, ""
    rest = content[end:]
    shown = rest.decode("utf-8", errors="replace") if isinstance(rest, bytes) else rest
    return content[:end], repr(shown[:40])


def _is_whole(line: bytes | str) -> bool:
    """Whether a line without an end is one that lacks nothing else: blanks, or JSON."""
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
    return Answer(tuple(items), kind, odd, _text(entry, "who"), _text(entry, "when"), number)


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
    InvalidAnswerError
        If a label is neither text nor a whole number.

    Examples
    --------
    >>> from tripletree.core import Answer, AnswerSet
    >>> print(write_answers(AnswerSet([Answer(("cat", "dog", "eel"), "odd", "eel", who="anna")])), end="")
    {"tripletree": "answers", "version": 1}
    {"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}
    """
    lines = [_header_line(check_answers(answers).data), *map(_answer_line, answers)]
    if path is None:
        return "".join(lines)
    with write_atomic(path) as stream:
        stream.writelines(lines)
    return None


def append_answer(path: str | os.PathLike[str], answer: Answer, *, data: str | None = None) -> None:
    """Append one answer to a file of JSON lines, and return when it is on the disk.

    What an interrupted write has left of a last line is cut off first. Of several programs that append to one file,
    each writes whole lines.

    Parameters
    ----------
    path : path
        A file that does not exist, or is empty, gets a header first.
    answer : Answer
    data : str, optional
        What the questions are about, for the header of a new file.

    Raises
    ------
    InvalidAnswerError
        If a label is neither text nor a whole number.
    OSError
        If the file cannot be written; nothing has been added to it then.

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
    """Append a line that takes back the last answer of a person that is not yet taken back; see `append_answer`.

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


def _append(path: str | os.PathLike[str], line: str, data: str | None) -> None:
    name = os.fspath(path)
    if os.path.isdir(name):
        raise IsADirectoryError(errno.EISDIR, "cannot append an answer to a folder", name)
    with open(name, "ab+", buffering=0) as stream:  # each write is one call, at the end of the file as it is then
        size = stream.seek(0, SEEK_END)
        start, rest = _last_line(stream, size)
        if rest and not _is_whole(rest):
            stream.truncate(start)
            size, rest = start, b""
        before = _header_line(data) if size == 0 else ("\n" if rest else "")
        content = (before + line).encode()
        if stream.write(content) < len(content):
            stream.truncate(size)
            raise OSError(errno.ENOSPC, "the answer could not be written, the disk may be full", name)
        os.fsync(stream.fileno())
    if size == 0:
        _sync_folder(os.path.dirname(os.path.abspath(name)))


def _last_line(stream: Any, size: int) -> tuple[int, bytes]:
    """Where what stands behind the last line end of a file begins, and what it is."""
    start, rest = size, b""
    while start > 0:
        step = min(_STEP, start)
        stream.seek(start - step)
        piece = stream.read(step)
        end = piece.rfind(b"\n") + 1
        rest = piece[end:] + rest
        start -= step - end
        if end:
            break
    return start, rest


def _sync_folder(folder: str) -> None:
    """Write the name of a new file to the disk, where the system can do that to a folder."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    return _line({**entry, "who": answer.who, "when": answer.when})


def _line(entry: dict[str, Any]) -> str:
    """One line of JSON, without what is None."""
    text = json.dumps({key: x for key, x in entry.items() if x is not None}, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        msg = f"{error.object[error.start]!r} is half of a surrogate pair, which no file can hold"
        raise InvalidAnswerError(msg) from None
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085") + "\n"
