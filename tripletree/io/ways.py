"""Questions that a table leaves open: each reading of it, with the command that reads it so.

Readers raise `question` where more than one reading fits. Their commands are calls (`call`), which run as they are
printed, and which the command line prints in its own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tripletree.errors import ParseError
from tripletree.tables.rows import RowTable


def source_text(path: str | None) -> str:
    """Return a file as the argument of a reader, ``path`` for a stream or data frame."""
    return "path" if path is None or path.startswith("<") else repr(path)


def call(reader: str, path: str | None, **arguments: Any) -> str:
    """Return the call of a reader for a file. Arguments that are None are left out.

    Examples
    --------
    >>> call("read_answers", "a.csv", items=["x", "y", "z"], odd="said", first=None)
    "read_answers('a.csv', items=['x', 'y', 'z'], odd='said')"
    """
    given = [f"{name}={x!r}" for name, x in arguments.items() if x is not None]
    return f"{reader}({', '.join([source_text(path), *given])})"


def either_way(path: str | None, x: str | int, y: str | int, **arguments: Any) -> list[tuple[str, str]]:
    """The readings of two columns as edges: either has the children, and the other one their parents."""
    return [
        (f"if {a!r} holds children", call("read_edges", path, child_column=a, parent_column=b, **arguments))
        for a, b in ((x, y), (y, x))
    ]


def call_for(table: RowTable, reader: str, **arguments: Any) -> str:
    """Return the call of a reader for a table."""
    return call(reader, table.path, **arguments, header=False if table.names is None else None)


def odd_call(table: RowTable, items: Sequence[int], odd: int | None, **more: Any) -> str:
    """Return the call that reads answers to which of three is the odd one, of the columns at these places."""
    names = table.called
    told = None if odd is None else names[odd]
    return call_for(table, "read_answers", items=[names[k] for k in items], odd=told, **more)


def near_call(table: RowTable, trio: Sequence[int], answer: int | None, **more: Any) -> str:
    """Return the call that reads comparisons: of an anchor, the two compared with it, and the answers, by places."""
    names = table.called
    told = None if answer is None else names[answer]
    return call_for(table, "read_comparisons", columns=[names[k] for k in trio], answer=told, **more)


def ask(table: RowTable, why: str, ways: Iterable[tuple[str, str]]) -> ParseError:
    """Return the error for a table of several readings."""
    return table.refusal(f"{why} {listed(ways)}")


def question(path: str | None, line: int | None, why: str, ways: Iterable[tuple[str, str]]) -> ParseError:
    """Return the error for a table of several readings. `ways` has each in words, with its command."""
    return ParseError(f"{why} {listed(ways)}", path=path, line=line)


def listed(ways: Iterable[tuple[str, str]]) -> str:
    """Readings in words, each with its command: the first begins a sentence."""
    text = "; ".join(f"{meant}: {command}" for meant, command in ways)
    return text[:1].upper() + text[1:]
