"""The cells of tables: numbers, gaps and words in them, whether they come from a file or a data frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.labels import is_gap, says_nothing

#: A finite number as files have it.
NUMBER = re.compile(r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?", re.ASCII)


_WITH_COMMA = re.compile(r"\s*[-+]?(?:\d+,\d*|,\d+)(?:[eE][-+]?\d+)?\s*", re.ASCII)


def is_number(text: str) -> bool:
    """True if a cell holds a number: also inf and nan, as Python reads them, but no underscores."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def with_point(text: str) -> str:
    """A number with a decimal comma as one with a point. Anything else as it is."""
    return text.replace(",", ".") if _WITH_COMMA.fullmatch(text) else text


#: A number, perhaps with marks between thousands, and a unit behind it.
_WITH_UNIT = re.compile(
    r"\s*([-+]?(?:\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?)"
    r"\s*((?:[^\W\d_]|[%°‰€$£])[\w%°‰/·^*. -]{0,11})\s*"
)


class InUnit(NamedTuple):
    """Cells that are numbers in one unit: "12 mg/L", "14 mg/L"."""

    unit: str
    numbers: list[str]
    """The cells without it. Gaps are as they were."""


def numbers_in_unit(cells: Sequence[str | None]) -> InUnit | None:
    """Cells that are numbers, three different ones or more, with one unit behind all of them. None for others."""
    first = next((x for x in cells if x is not None and not is_gap(x)), None)
    if first is None or _WITH_UNIT.fullmatch(first) is None:  # most columns
        return None
    known = {x: _WITH_UNIT.fullmatch(x) for x in {*cells} if x is not None and not is_gap(x)}
    found = {x: (one[1], one[2].strip()) for x, one in known.items() if one is not None}
    if len(found) < len(known) or len({unit for _, unit in found.values()}) != 1:
        return None
    if len({number for number, _ in found.values()}) < 3:
        return None
    return InUnit(next(iter(found.values()))[1], [found[x][0] if x in found else x or "" for x in cells])


def words_in(text: str) -> tuple[str, ...]:
    """The words of a text, as a list of names."""
    return tuple(text.split())


def column_word(name: str) -> str:
    """The name of a column, or a word in a cell, in lower case with one underscore between its words."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


#: A yes and a no, in lower case.
YES_NO = {
    **dict.fromkeys(("1", "true", "t", "yes", "y", "ja", "oui", "sí", "si", "sì", "sim", "tak", "evet", "да"), 1),
    **dict.fromkeys(("wahr", "vrai", "verdadero", "vero", "verdadeiro", "waar", "sant", "はい", "是"), 1),
    **dict.fromkeys(("da", "ano", "áno", "igen", "kyllä", "kylla", "jah", "jā", "taip", "já", "ναι", "так", "ya"), 1),
    **dict.fromkeys(("예", "네", "có", "vâng", "हाँ", "نعم", "כן", "po", "bai"), 1),
    **dict.fromkeys(
        ("0", "false", "f", "no", "n", "nein", "non", "nee", "nej", "não", "nao", "nie", "hayır", "нет"), 0
    ),
    **dict.fromkeys(("falsch", "faux", "falso", "onwaar", "falskt", "hayir", "いいえ", "否"), 0),
    **dict.fromkeys(("ne", "nu", "nem", "ei", "nē", "nei", "όχι", "ні", "не", "tidak", "아니요", "아니오"), 0),
    **dict.fromkeys(("không", "नहीं", "لا", "לא", "ez"), 0),
}
#: Words of people who cannot say, in lower case.
CANNOT_SAY = frozenset(
    {"unsure", "not sure", "don't know", "dont know", "maybe", "cannot say", "can't say", "no idea", "idk"}
    | {"weiß nicht", "weiss nicht", "keine ahnung", "vielleicht", "unsicher", "unklar", "je ne sais pas", "ne sait pas"}
    | {"sais pas", "peut-être", "no sé", "no se", "no sabe", "ns/nc", "quizás", "tal vez", "não sei", "nao sei"}
    | {"não sabe", "talvez", "non so", "non lo so", "forse", "weet niet", "weet ik niet", "misschien", "vet ej"}
    | {"vet inte", "kanske", "ved ikke", "vet ikke", "måske", "kanskje", "en tiedä", "ehkä", "nie wiem", "może"}
    | {"nevím", "neviem", "ne znam", "nem tudom", "talán", "nu știu", "не знаю", "затрудняюсь", "не знам", "bilmiyorum"}
    | {"belki", "分からない", "わからない", "不知道", "不确定", "不確定", "모름", "모르겠음", "لا أعرف", "לא יודע"}
)

#: Other words for "cannot say".
_NO_ANSWER = frozenset(
    {
        "no_response",
        "no_answer",
        "timeout",
        "time_out",
        "skip",
        "skipped",
        "keine",
        "keiner",
        "keines",
        "aucun",
        "aucune",
    }
    | {"ninguno", "ninguna", "nessuno", "nessuna", "nenhum"}
    | {"nenhuma", "geen", "ingen", "żaden", "žádný"}
    | {*map(column_word, CANNOT_SAY)}
)


class OddCell(Exception):
    """A cell that is neither text nor number."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


def is_missing(value: Any) -> bool:
    """True if a cell of a data frame is empty: None, NA or NaN. Lists and their like are refused."""
    if value is None or type(value).__name__ == "NAType":
        return True
    if isinstance(value, (list, dict, set, bytes, bytearray, np.ndarray)):
        raise OddCell(value)
    try:
        return bool(value != value)
    except (ArithmeticError, TypeError, ValueError):  # Decimal("sNaN") cannot be compared, ...
        raise OddCell(value) from None


def cell_of(value: Any) -> Any:
    """A cell of a data frame: None if it is missing, whole numbers as such (beside gaps they become floats)."""
    if isinstance(value, str):
        return value or None
    if is_missing(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def cell_text(value: Any) -> str | None:
    """A cell as text."""
    return value if value is None or isinstance(value, str) else str(value)


def is_no_answer(text: str | None) -> bool:
    """True if a cell says that somebody cannot say, or nothing."""
    return text is None or is_gap(text) or column_word(text) in _NO_ANSWER or says_nothing(text)
