"""Which rows of a table count: conditions on its columns, such as ``trial_type == 'main' and rt > 200``.

A column (with blanks in its name in back quotes), an operator, and a text in quotes or a number, or the other way round
(``200 < rt < 3000``). A column of yes and no may stand alone: ``not practice``. Conditions are joined by ``and``,
``or``, ``not`` (or ``&``, ``|``, ``!``) and parentheses. ``in`` takes a list in brackets. Nothing is evaluated as
Python.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from tripletree.core.labels import is_gap
from tripletree.tables.cells import YES_NO, cell_text, with_point
from tripletree.tables.rows import RowTable

_TOKEN = re.compile(
    r"""\s*(?: (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") | (?P<quoted>`[^`]+`) | (?P<op>===?|!==?|<>|<=|>=|<|>|=)
    | (?P<join>&&?|\|\|?|!|~) | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])) | (?P<word>[^\W\d][\w.]*)
    | (?P<mark>[()\[\],]) )""",
    re.VERBOSE,
)
_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("==", "=", "==="), operator.eq),
    **dict.fromkeys(("!=", "!==", "<>"), operator.ne),
}
_ORDER |= {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_JOINS = {"&": "and", "&&": "and", "|": "or", "||": "or", "!": "not", "~": "not"}
_HOW = "such as only=\"trial_type == 'main' and rt > 200\""
_MOST = 100  # conditions and parentheses within each other

_Test = Callable[[int], bool]


def rows_that_count(table: RowTable, only: str) -> list[int]:
    """Return the rows of a table for which a condition holds. A ValueError if it is malformed, or names no column."""
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
            kind, token = str(found.lastgroup), found[str(found.lastgroup)]
            if kind == "join" or (kind == "word" and token.lower() in ("and", "or", "not", "in", "is")):
                kind, token = "word", _JOINS.get(token, token.lower())
            self._tokens.append((kind, token))
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
        if self._peek()[0] in ("number", "text") or self._peek()[1].lower() in ("true", "false"):
            value = self._value()
            sign = self._take("op")[1]
            column = self._column()
            first = partial(_holds, _ORDER[_TURNED.get(sign, sign)], column, value)
            if self._peek()[0] != "op":
                return first
            second = partial(_holds, _ORDER[self._take("op")[1]], column, self._value())
            return lambda k: first(k) and second(k)
        name = self._peek()[1]
        column = self._column()
        if self._peek()[0] in ("end", "mark") or self._peek()[1] in ("and", "or"):
            return self._flag(name, column)
        if self._peek() == ("word", "is"):
            self._at += 1
            negative = self._peek() == ("word", "not")
            self._at += negative
            return partial(_holds, operator.ne if negative else operator.eq, column, self._value())
        negative = self._peek() == ("word", "not")
        self._at += negative
        if negative or self._peek() == ("word", "in"):
            self._take("in")
            values = self._values()
            return lambda k: any(_holds(operator.eq, column, x, k) for x in values) != negative
        compare = _ORDER[self._take("op")[1]]
        return partial(_holds, compare, column, self._value())

    def _column(self) -> list[Any]:
        _, name = self._take("word", "quoted")
        return self._table.columns[self._table.place(name.strip("`"), "only=")]

    def _flag(self, name: str, column: list[Any]) -> _Test:
        """Return a column of yes and no alone: whether it is yes. A gap is no."""
        cells = [_code(x) for x in column]
        wrong = next((x for x in cells if x not in YES_NO and not is_gap(x)), None)
        if wrong is not None:
            msg = (
                f"only={self._text!r}: {name} alone is a condition if it holds yes and no (1 and 0, true and false), "
                f"and it has {wrong!r}, too: give a value, such as {name} == {wrong!r} or {name} != {wrong!r}"
            )
            raise ValueError(msg)
        return lambda k: YES_NO.get(cells[k]) == 1

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


def _code(cell: Any) -> str:
    """Return a cell in lower case, whole numbers without a point."""
    return re.sub(r"[.,]0+$", "", (cell_text(cell) or "").strip().lower())


def _holds(compare: Callable[[Any, Any], bool], column: Sequence[Any], value: Any, k: int) -> bool:
    """Compare a cell with a number as a number, with true or false as a yes or no, and with a text as text."""
    text = cell_text(column[k]) or ""
    if isinstance(value, float):
        try:
            return bool(compare(float(with_point(text)), value))
        except ValueError:
            return compare is operator.ne
    if value.lower() in ("true", "false"):
        said = YES_NO.get(_code(text))
        return bool(
            compare(text.lower() if said is None else said, value.lower() if said is None else YES_NO[value.lower()])
        )
    return bool(compare(text, value))
