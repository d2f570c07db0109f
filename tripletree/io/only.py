"""Which rows of a table count: conditions on its columns, such as ``trial_type == 'main' and rt > 200``.

A column (with blanks in its name in back quotes), an operator, and a text in quotes or a number. Conditions are joined
by ``and``, ``or``, ``not`` and parentheses. ``in`` takes a list in brackets. Nothing is evaluated as Python.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tripletree.io.table import RowTable, cell_text

_TOKEN = re.compile(
    r"""\s*(?: (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") | (?P<quoted>`[^`]+`) | (?P<op>==|!=|<=|>=|<|>|=)
    | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])) | (?P<word>[^\W\d][\w.]*)
    | (?P<mark>[()\[\],]) )""",
    re.VERBOSE,
)
_ORDER = {
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_HOW = "such as only=\"trial_type == 'main' and rt > 200\""
_MOST = 100  # conditions and parentheses within each other

_Test = Callable[[int], bool]


def rows_that_count(table: RowTable, only: str) -> list[int]:
    """The rows of a table for which a condition holds. A ValueError if it is none, or names no column."""
    if not isinstance(only, str):
        msg = f"only must be a condition as text, {_HOW}, not {only!r:.60}"
        raise ValueError(msg)
    holds = _Condition(only, table).parsed()
    return [k for k in range(len(table.lines)) if holds(k)]


class _Condition:
    def __init__(self, text: str, table: RowTable) -> None:
        self._text, self._table, self._at = text, table, 0
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                self._refuse(f"{text[at:].strip():.20}")
            self._tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            at = found.end()

    def _refuse(self, what: str) -> NoReturn:
        msg = f"only={self._text!r} is not a condition (at {what!r}): a column, an operator and a value, {_HOW}"
        raise ValueError(msg)

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "the end")

    def _take(self, *wanted: str) -> tuple[str, str]:
        token = self._peek()
        if token[0] not in wanted and token[1] not in wanted:
            self._refuse(token[1])
        self._at += 1
        return token

    def parsed(self) -> _Test:
        test = self._either(0)
        self._take("end")
        return test

    def _either(self, depth: int) -> _Test:
        if depth > _MOST:
            self._refuse("more than 100 parentheses")
        tests = [self._all(depth)]
        while self._peek() == ("word", "or"):
            self._at += 1
            tests.append(self._all(depth))
        return lambda k: any(test(k) for test in tests)

    def _all(self, depth: int) -> _Test:
        tests = [self._one(depth)]
        while self._peek() == ("word", "and"):
            self._at += 1
            tests.append(self._one(depth))
        return lambda k: all(test(k) for test in tests)

    def _one(self, depth: int) -> _Test:
        nots = 0
        while self._peek() == ("word", "not"):
            self._at += 1
            nots += 1
        if self._peek()[1] == "(":
            self._at += 1
            test = self._either(depth + 1)
            self._take(")")
        else:
            test = self._comparison()
        return (lambda k: not test(k)) if nots % 2 else test

    def _comparison(self) -> _Test:
        kind, name = self._take("word", "quoted")
        column = self._table.columns[self._table.place(name.strip("`"), "only=")]
        negative = self._peek() == ("word", "not")
        if negative:
            self._at += 1
        if negative or self._peek() == ("word", "in"):
            self._take("in")
            values = self._values()
            return lambda k: any(_compared(operator.eq, column[k], x) for x in values) != negative
        compare = _ORDER[self._take("op")[1]]
        value = self._value()
        return lambda k: _compared(compare, column[k], value)

    def _values(self) -> Sequence[Any]:
        self._take("[", "(")
        values = [self._value()]
        while self._peek()[1] == ",":
            self._at += 1
            values.append(self._value())
        self._take("]", ")")
        return values

    def _value(self) -> Any:
        kind, text = self._take("text", "number", "word")
        if kind == "number":
            return float(text)
        return text if kind == "word" else re.sub(r"\\(.)", r"\1", text[1:-1])


def _compared(compare: Callable[[Any, Any], bool], cell: Any, value: Any) -> bool:
    """Compare a cell with a number as a number, and with a text as text, in whatever case if it is true or false."""
    text = cell_text(cell) or ""
    if isinstance(value, float):
        try:
            return bool(compare(float(text), value))
        except ValueError:
            return compare is operator.ne
    if value.lower() in ("true", "false"):
        text, value = text.lower(), value.lower()
    return bool(compare(text, value))
