"""JSON of any depth, with the place of everything that is wrong with it.

The standard library's decoder is fast, but it stops at about a thousand levels, takes the last of repeated keys in
silence, and does not say where in the text a value stood. So it goes first, and where it gives up, or where what it
gives turns out to be wrong, the text is read once more by a flat loop over its tokens, which knows all places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from tripletree.errors import ParseError
from tripletree.io._files import place

__all__ = ["Refuse", "read_json_text"]

Made = TypeVar("Made")
#: Makes the error for a message and the list or object that it is about (or stands in).
Refuse = Callable[[str, Any], ParseError]

_TOKEN = re.compile(
    r"""[ \t\r\n]*+(?:
      (?P<mark>[{}\[\],:])
    | (?P<string>"(?:[^"\\\x00-\x1f]++|\\.)*+")
    | (?P<word>[^ \t\r\n{}\[\],:"]++)
    | (?P<other>")                        # of a string that never closes
    )""",
    re.VERBOSE,
)
#: Half of a surrogate pair, perhaps: the backslash may be an escaped one.
_HALF = re.compile(
    r"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F])"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = " \t\r\n"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_DIGITS = 600  # Python can be told to make no int of more

# what may come next
_VALUE, _VALUE_OR_END, _KEY, _KEY_OR_END, _COLON, _COMMA, _NOTHING = range(7)
_WANTED = {
    _VALUE: "a value",
    _VALUE_OR_END: "a value or ']'",
    _KEY: "a key in double quotes",
    _KEY_OR_END: "a key in double quotes or '}'",
    _COLON: "a ':' behind the key",
    _COMMA: "a ',' or the closing bracket",
    _NOTHING: "nothing more: the value has ended (one value a line is not read)",
}


class _Again(Exception):
    """Something is wrong, and its place is wanted."""


def read_json_text(text: str, path: str | None, make: Callable[[Any, Refuse], Made]) -> Made:
    """Decode JSON and make something of it.

    Parameters
    ----------
    text : str
    path : str or None
        The source's name, for messages.
    make : callable
        Called with the value and a function that makes the error for what is wrong with it; called once more, to
        tell the place, if it asks for an error.

    Raises
    ------
    ParseError
        If the text is no JSON, an object has a key twice, a string holds half of a surrogate pair (which no file can
        hold), or `make` raises what it is given.
    """

    def ask_again(message: str, about: Any) -> ParseError:
        raise _Again

    try:
        if _HALF.search(text):
            raise ValueError
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError):
        pass
    else:
        try:
            return make(value, ask_again)
        except _Again:
            pass
    reader = _Reader(text, path)
    value = reader.value()

    def error(message: str, about: Any) -> ParseError:
        return reader.error(message, reader.starts.get(id(about), 0))

    return make(value, error)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError  # a key twice: the slow reader says which
    return made


def _constant(word: str) -> Any:
    raise ValueError  # NaN and Infinity are no JSON


class _Reader:
    """The flat loop over the tokens of a text."""

    def __init__(self, text: str, path: str | None) -> None:
        self._text, self._path = text, path
        #: Where each list and object starts, by its ``id``; they are alive as long as the value is.
        self.starts: dict[int, int] = {}
        self._open: list[Any] = []  # the lists and objects around here
        self._key: list[str] = []  # the key under which the next value of each open object stands
        self._root: Any = None

    def error(self, message: str, offset: int) -> ParseError:
        line, column, shown = place(self._text, offset)
        return ParseError(message, path=self._path, line=line, column=column, text=shown)

    def value(self) -> Any:
        """Decode the whole text."""
        state = _VALUE
        for m in _TOKEN.finditer(self._text, 0, len(self._text.rstrip(_SPACE))):  # no token stands behind that
            kind, at = m.lastgroup or "", m.start(m.lastgroup or 0)
            token = self._text[at : m.end()]
            if kind == "mark":
                state = self._mark(token, state, at)
            elif state in (_VALUE, _VALUE_OR_END):
                state = self._put(self._scalar(kind, token, at))
            elif kind == "string" and state in (_KEY, _KEY_OR_END):
                key = self._string(token, at)
                if key in self._open[-1]:
                    raise self.error(f"the key {key!r} has occurred before in this object", at)
                self._key.append(key)
                state = _COLON
            else:
                raise self._unexpected(state, token, at)
        if state != _NOTHING:
            if self._open:
                start = self.starts[id(self._open[-1])]
                raise self.error(f"this {self._text[start]!r} is never closed: the text ends before that", start)
            raise self.error("the text is empty: no JSON in it", 0)
        return self._root

    def _mark(self, token: str, state: int, at: int) -> int:
        """What may come after a bracket, comma or colon."""
        if token in "[{" and state in (_VALUE, _VALUE_OR_END):
            container: Any = [] if token == "[" else {}
            self.starts[id(container)] = at
            self._put(container)
            self._open.append(container)
            return _VALUE_OR_END if token == "[" else _KEY_OR_END
        if token == ":" and state == _COLON:
            return _VALUE
        inside = type(self._open[-1]) if self._open else None
        if token == "," and state == _COMMA:
            return _VALUE if inside is list else _KEY
        if (token == "]" and inside is list and state in (_COMMA, _VALUE_OR_END)) or (
            token == "}" and inside is dict and state in (_COMMA, _KEY_OR_END)
        ):
            self._open.pop()
            return _COMMA if self._open else _NOTHING
        raise self._unexpected(state, token, at)

    def _put(self, value: Any) -> int:
        """Put a value where it belongs; what may come after it."""
        if not self._open:
            self._root = value
            return _NOTHING
        if isinstance(self._open[-1], list):
            self._open[-1].append(value)
        else:
            self._open[-1][self._key.pop()] = value
        return _COMMA

    def _scalar(self, kind: str, token: str, at: int) -> Any:
        if kind == "string":
            return self._string(token, at)
        if token in _WORDS:
            return _WORDS[token]
        if kind == "other":
            msg = "this string is never closed, or holds a line end or tab that is not written as \\n or \\t"
            raise self.error(msg, at)
        if not _NUMBER.fullmatch(token):
            hint = "; a string stands in double quotes" if not token[0].isdigit() else ""
            raise self.error(f"{token[:40]!r} is no JSON{hint}", at)
        if len(token) > _DIGITS:
            raise self.error(f"a number of {len(token)} digits is too long", at)
        return float(token) if any(ch in ".eE" for ch in token) else int(token)

    def _string(self, token: str, at: int) -> str:
        if "\\" not in token:
            return token[1:-1]
        try:
            text = json.loads(token)
        except ValueError as error:
            raise self.error(f"a wrong escape in this string: {error}", at) from None
        half = _SURROGATE.search(text)
        if half is None:
            return text
        msg = f"this string holds {half[0]!r}, half of a surrogate pair, which no file can hold"
        raise self.error(msg, at)

    def _unexpected(self, state: int, token: str, at: int) -> ParseError:
        shown = token if len(token) <= 40 else token[:40] + "..."
        return self.error(f"wanted is {_WANTED[state]}, not {shown!r}", at)
