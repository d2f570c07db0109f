"""JSON by the standard library, with the places of errors: for the readers of nested JSON and OBO Graphs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tripletree.errors import ParseError, error_at

#: The first key of a file of `write_knowledge`.
KNOWLEDGE_KEY = "tripletree_knowledge"

#: What other readers say of it.
OF_KNOWLEDGE = (
    "a file of knowledge: read_knowledge reads it, and its kinds are attributes, knowledge.triplets, "
    "knowledge.hierarchy and so on"
)

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_TOKEN = re.compile(rf"(?P<string>{_STRING})(?P<key>\s*:)?|(?P<open>[\[{{])|(?P<close>[\]}}])", re.DOTALL)
_NOT_JSON = re.compile(rf"{_STRING}|(?P<word>NaN|-?Infinity|-?\d{{600,}})", re.DOTALL)
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def begin_of(content: bytes | str, size: int = 1000) -> str:
    """The begin of a content as text, without a byte order mark."""
    begin = content[:size]
    return (begin if isinstance(begin, str) else begin.decode("utf-8", "replace")).lstrip("\ufeff")


def is_knowledge(content: bytes | str) -> bool:
    """Whether a content looks like a file of `write_knowledge`."""
    text = begin_of(content)
    return text.lstrip().startswith("{") and f'"{KNOWLEDGE_KEY}"' in text


class _RepeatedKeyError(ValueError):
    """An object has a key twice."""


class _NotANumberError(ValueError):
    """NaN or Infinity, which Python's decoder takes and JSON does not have."""


def load_json(text: str, path: str | None, *, object_hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Decode a JSON text.

    Parameters
    ----------
    text : str
    path : str or None
        The source's name, for messages.
    object_hook : callable, optional
        As in `json.loads`. Repeated keys, NaN and halves of surrogate pairs are then not looked for.

    Returns
    -------
    object
    """

    def error(message: str, offset: int) -> ParseError:
        return error_at(offset, text, message, path)

    def unique(pairs: list[tuple[str, Any]]) -> Any:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise _RepeatedKeyError
        return made

    def constant(word: str) -> Any:
        raise _NotANumberError

    try:
        if object_hook is not None:
            return json.loads(text, object_hook=object_hook)
        value = json.loads(text, object_pairs_hook=unique, parse_constant=constant)
    except json.JSONDecodeError as problem:
        if not text.strip():
            raise error("the text is empty: no JSON in it", 0) from None
        hint = "; one value a line is not read" if problem.msg == "Extra data" else ""
        hint = "; the text ends here, is it cut off?" if problem.pos >= len(text.rstrip()) else hint
        raise error(f"this is not JSON: {problem.msg}{hint}", problem.pos) from None
    except RecursionError:
        msg = (
            "lists and objects are nested more deeply than Python's JSON decoder goes (some 1,000 levels, from Python "
            "3.12 on 10,000); write so deep a tree as Newick, as a table of edges, or as a flat list of objects with "
            "ids and parents"
        )
        raise error(msg, 0) from None
    except _RepeatedKeyError:
        key, offset = _repeated_key(text)
        raise error(f"the key {key!r} has occurred before in this object", offset) from None
    except ValueError:  # NaN, Infinity, or a number of more digits than Python makes an int of
        found = next((m for m in _NOT_JSON.finditer(text) if m["word"]), None)
        word, offset = ("a number", 0) if found is None else (found["word"], found.start())
        what = f"{word!r} is not JSON" if not word[-1].isdigit() else f"a number of {len(word)} digits is too long"
        raise error(what, offset) from None
    if _HALF_ESCAPED.search(text):
        for token in _TOKEN.finditer(text):
            half = _SURROGATE.search(json.loads(token["string"])) if token["string"] else None
            if half is not None:
                msg = f"this string holds {half[0]!r}, half of a surrogate pair, which no file can hold"
                raise error(msg, token.start())
    return value


def _repeated_key(text: str) -> tuple[str, int]:
    """Return the first key that its object has had before, and where it stands."""
    open_keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token["open"]:
            open_keys.append(set())
        elif token["close"]:
            open_keys.pop()
        elif token["key"]:
            key = json.loads(token["string"])
            if key in open_keys[-1]:
                return key, token.start()
            open_keys[-1].add(key)
    raise AssertionError("no key stands twice")


def offset_of(text: str, value: Any, part: Any) -> int:
    """The place in the text where a list or object begins from which `value` was decoded. 0 if `part` is not in it.

    Lists and objects stand in the text in the order in which a walk through the value meets them, so that the k-th of
    them begins at the k-th opening bracket.
    """
    todo, k = [value], 0
    while todo:
        here = todo.pop()
        if not isinstance(here, (list, dict)):
            continue
        if here is part:
            opening = (token.start() for token in _TOKEN.finditer(text) if token["open"])
            return next(offset for i, offset in enumerate(opening) if i == k)
        k += 1
        todo += reversed(here if isinstance(here, list) else here.values())
    return 0
