"""Which rows of a table count: conditions on its columns, such as ``trial_type == 'main' and rt > 200``.

A column (with blanks in its name in back quotes), an operator, and a text in quotes or a number, or the other way round
(``200 < rt < 3000``). A column of yes and no may stand alone: ``not practice``. Conditions are joined by ``and``,
``or``, ``not`` (or ``&``, ``|``, ``!``) and parentheses. ``in`` takes a list in brackets. The syntax is Python's, by
which such a text is parsed. Nothing is evaluated as Python.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from tripletree.core.labels import is_gap
from tripletree.tables.cells import YES_NO, cell_text, with_point
from tripletree.tables.rows import RowTable

_TOKEN = re.compile(
    r"""\s*(?: (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") | `(?P<quoted>[^`]+)` | (?P<mark>[()\[\],])
    | (?P<sign>===?|!==?|<>|<=|>=|<|>|=|&&?|\|\|?|!|~) | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))
    | (?P<word>[^\W\d][\w.]*) )""",
    re.VERBOSE,
)
#: Signs of other languages as Python writes them.
_SIGNS = {"=": "==", "===": "==", "!==": "!=", "<>": "!="}
_SIGNS |= {"&": "and", "&&": "and", "|": "or", "||": "or", "!": "not", "~": "not"}
_WORDS = ("and", "or", "not", "in", "is")
#: How a column is compared with a value, and a value with a column.
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TURNED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.gt,
    ast.LtE: operator.ge,
    ast.Gt: operator.lt,
    ast.GtE: operator.le,
}
_HOW = "such as only=\"trial_type == 'main' and rt > 200\""

_Test = Callable[[int], bool]


def rows_that_count(table: RowTable, only: str) -> list[int]:
    """Return the rows of a table for which a condition holds. A ValueError if it is malformed, or names no column."""
    if not isinstance(only, str):
        msg = f"only must be a condition as text, {_HOW}, not {only!r:.60}"
        raise ValueError(msg)
    holds = _Condition(only, table).test
    return [k for k in range(len(table.lines)) if holds(k)]


class _Condition:
    """A condition, with names in place of its columns and values: Python parses what is left."""

    def __init__(self, text: str, table: RowTable) -> None:
        self._text, self._table = text, table
        self._tokens: list[tuple[str, str]] = []
        parts, at = [], 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                self._refuse(f"{text[at:].strip():.20}")
            kind, token = str(found.lastgroup), found[str(found.lastgroup)]
            if kind in ("sign", "mark") or (kind == "word" and token.lower() in _WORDS):
                parts.append(_SIGNS.get(token, token.lower()))
                if parts[-2:] == ["not", "not"]:
                    del parts[-2:]
            else:
                parts.append(f"_{len(self._tokens)}")
                self._tokens.append((kind, token))
            at = found.end()
        line = " ".join(parts)
        try:
            tree = ast.parse(line, mode="eval").body
        except SyntaxError as error:
            at = error.offset or len(line) + 1
            self._refuse(self._shown(line[at - 1 :].partition(" ")[0]))
        except (RecursionError, MemoryError):
            self._refuse("conditions within each other")
        self._tests: dict[ast.AST, _Test] = {}
        for node in reversed([*ast.walk(tree)]):  # what is within others first
            if isinstance(node, ast.Compare):
                self._tests[node] = self._comparisons(node)
            elif isinstance(node, (ast.BoolOp, ast.UnaryOp)):
                self._tests[node] = self._joined(node)
        self.test = self._test_of(tree)

    def _shown(self, part: str) -> str:
        return re.sub(r"_(\d+)", lambda found: self._tokens[int(found[1])][1], part) or "the end"

    def _refuse(self, what: ast.AST | str) -> NoReturn:
        what = what if isinstance(what, str) else self._shown(ast.unparse(what))
        msg = f"only={self._text!r} is not a condition (at {what!r:.60}): a column, an operator and a value, {_HOW}"
        raise ValueError(msg)

    def _token(self, node: ast.AST) -> tuple[str, str]:
        return self._tokens[int(node.id[1:])] if isinstance(node, ast.Name) else self._refuse(node)

    def _test_of(self, node: ast.AST) -> _Test:
        return self._tests[node] if node in self._tests else self._flag(node)

    def _joined(self, node: ast.BoolOp | ast.UnaryOp) -> _Test:
        if isinstance(node, ast.UnaryOp):
            negated = self._test_of(node.operand)
            return lambda k: not negated(k)
        tests, every = [self._test_of(x) for x in node.values], all if isinstance(node.op, ast.And) else any
        return lambda k: every(test(k) for test in tests)

    def _comparisons(self, node: ast.Compare) -> _Test:
        ends = [node.left, *node.comparators]
        if len(node.ops) > 1 + self._is_value(ends[0]):
            self._refuse(node)
        pairs = [self._comparison(*x) for x in zip(ends, node.ops, ends[1:], strict=False)]
        return lambda k: all(test(k) for test in pairs)

    def _comparison(self, left: ast.AST, op: ast.cmpop, right: ast.AST) -> _Test:
        if self._is_value(left):
            if type(op) not in _TURNED:
                self._refuse(left)
            return partial(_holds, _TURNED[type(op)], self._column(right), self._value(left))
        column = self._column(left)
        if isinstance(op, (ast.In, ast.NotIn)):
            values = [self._value(x) for x in getattr(right, "elts", [right])]
            return lambda k: any(_holds(operator.eq, column, x, k) for x in values) == isinstance(op, ast.In)
        return partial(_holds, _COMPARE[type(op)], column, self._value(right))

    def _is_value(self, node: ast.AST) -> bool:
        """Whether a token is a value before its column: no word but true and false."""
        kind, token = self._token(node)
        return kind in ("number", "text") or token.lower() in ("true", "false")

    def _column(self, node: ast.AST) -> list[Any]:
        kind, name = self._token(node)
        if kind not in ("word", "quoted"):
            self._refuse(node)
        return self._table.columns[self._table.place(name, "only=")]

    def _flag(self, node: ast.AST) -> _Test:
        """Return a column of yes and no alone: whether it is yes. A gap is no."""
        cells = [_code(x) for x in self._column(node)]
        wrong = next((x for x in cells if x not in YES_NO and not is_gap(x)), None)
        if wrong is not None:
            name = self._token(node)[1]
            name = name if self._token(node)[0] == "word" else f"`{name}`"
            msg = (
                f"only={self._text!r}: {name} alone is a condition if it holds yes and no (1 and 0, true and false), "
                f"and it has {wrong!r}, too: give a value, such as {name} == {wrong!r} or {name} != {wrong!r}"
            )
            raise ValueError(msg)
        return lambda k: YES_NO.get(cells[k]) == 1

    def _value(self, node: ast.AST) -> Any:
        kind, text = self._token(node)
        if kind == "number":
            return float(text)
        return text if kind == "word" else re.sub(r"\\(.)", r"\1", text[1:-1]) if kind == "text" else self._refuse(node)


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
    said = YES_NO.get(_code(text)) if value.lower() in ("true", "false") else None
    if said is not None:
        return bool(compare(said, YES_NO[value.lower()]))
    return bool(compare(text.lower(), value.lower()) if value.lower() in ("true", "false") else compare(text, value))
