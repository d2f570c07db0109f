"""The text format of triplets: one a line, ``a b | c``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripletree.errors import InvalidTripletError
from tripletree.io.constraints._triplet_rows import TripletRows, weight_of
from tripletree.triplets import TripletSet

__all__ = ["line_tokens", "quoted", "text_lines", "text_rows"]

#: The usual line, without quotes, commas or comments: a, b, c and perhaps a weight.
_USUAL = re.compile(r"""\s*([^\s,|#'"]+)\s+([^\s,|#'"]+)\s*\|\s*([^\s,|#'"]+)\s*(?:\|\s*([^\s,|#'"]+)\s*)?""")
_TOKEN = re.compile(
    r"""
      (?P<quoted> '(?:[^']++|'')*+' (?=[\s,|]|\Z) | "(?:[^"]++|"")*+" (?=[\s,|]|\Z) )
    | (?P<plain> [^\s,|'"][^\s,|]* )
    | (?P<mark> [,|] )
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(r"""[^\s,|'"#][^\s,|]*""")
_SHAPE = re.compile(r"L,?L\|L(\|L)?")
_WANTED = "wanted is 'a b | c'"
_DIRECTIVE = "#!leaves"
#: Characters of leaf labels in one directive line, before the next one starts.
_WIDTH = 100


def text_rows(text: str, path: str | None) -> TripletRows:
    """Read the text format; bad lines are noted as problems."""
    rows = TripletRows(path)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        usual = _USUAL.fullmatch(line)
        if usual:
            a, b, c, weight = usual.groups()
        else:
            fields = _fields(rows, line, number)
            if fields is None:
                continue
            a, b, c, weight = fields
        if a in (b, c) or b == c:
            twice = a if a in (b, c) else b
            rows.problem(
                number,
                f"{twice!r} stands twice: the three leaves must differ",
                column=line.rfind(twice) + 1 or 1,
                text=line,
            )
            continue
        if weight is not None:
            value = weight_of(weight)
            if value is None:
                message = f"the weight {weight!r} is no positive finite number"
                rows.problem(number, message, column=line.rfind(weight) + 1 or 1, text=line)
                continue
            rows.weights[len(rows.labels)] = value
        rows.labels.append((a, b, c))
        rows.lines.append(number)
    return rows


def _fields(rows: TripletRows, line: str, number: int) -> tuple[str, str, str, str | None] | None:
    """The labels and weight of an unusual line; None where there are none, or a problem is noted."""
    if line.startswith("#!"):
        _directive(rows, line, number)
        return None
    tokens = line_tokens(rows, line, number)
    if not tokens:
        return None
    shape = "".join("L" if kind != "mark" else value for kind, value, _ in tokens)
    if not _SHAPE.fullmatch(shape):
        message, k = _misshapen(shape, tokens)
        rows.problem(number, message, column=tokens[k][2] + 1, text=line)
        return None
    a, b, c, *weight = (value for kind, value, _ in tokens if kind != "mark")
    return a, b, c, weight[0] if weight else None


def line_tokens(rows: TripletRows, line: str, number: int, at: int = 0) -> list[tuple[str, str, int]] | None:
    """Kind, value and place of each label or mark of a line, up to a comment; None where a problem is noted."""
    tokens: list[tuple[str, str, int]] = []
    while True:
        while at < len(line) and line[at].isspace():
            at += 1
        if at == len(line) or (line[at] == "#" and (at == 0 or line[at - 1].isspace())):
            return tokens
        found = _TOKEN.match(line, at)
        if found is None:
            message = "this quote is never closed, or something stands right behind its end (a quote in it is doubled)"
            rows.problem(number, message, column=at + 1, text=line)
            return None
        value = found.group()
        if found.lastgroup == "quoted":
            value = value[1:-1].replace(value[0] * 2, value[0])
        tokens.append((str(found.lastgroup), value, at))
        at = found.end()


def _misshapen(shape: str, tokens: list[tuple[str, str, int]]) -> tuple[str, int]:
    """What is wrong with a line, and the number of the token to point at."""
    if tokens[0][1].startswith("("):
        return f"this looks like Newick, which read_newick reads; {_WANTED}", 0
    if "|" not in shape:
        return f"no '|' in the line: {_WANTED}, where a and b are the close ones", len(tokens) - 1
    left, right, *rest = shape.split("|")
    bar = shape.index("|")
    if left == "L":
        value = tokens[0][1]
        return f"one label, {value!r}, before the '|': {_WANTED}, with white space or a comma between a and b", 0
    if left.count("L") > 2:
        return f"{left.count('L')} labels before the '|': {_WANTED}; a label with blanks must stand in quotes", 2
    if left not in ("LL", "L,L"):
        return f"two labels must stand before the '|': {_WANTED}", bar
    if right.count("L") > 1:
        hint = "a label with blanks must stand in quotes, a weight behind a second '|'"
        return f"{right.count('L')} labels after the '|': {_WANTED}; {hint}", bar + 2
    if right != "L":
        return f"one label must stand after the '|': {_WANTED}", bar
    second = shape.index("|", bar + 1) if rest else len(tokens) - 1
    return "one number, the weight, may stand after the second '|'", second


def _directive(rows: TripletRows, line: str, number: int) -> None:
    if line.split(maxsplit=1)[0] != _DIRECTIVE:
        message = f"a line that starts with '#!' must be {_DIRECTIVE!r} and labels; write '# ' before a comment"
        rows.problem(number, message, column=1, text=line)
        return
    tokens = line_tokens(rows, line, number, at=len(_DIRECTIVE)) or []
    for kind, value, at in tokens:
        if kind == "mark":
            rows.problem(number, "labels with white space between are wanted here", column=at + 1, text=line)
            return
        rows.more.append((value, number))


# ---------------------------------------------------------------------- writing


def text_lines(triplets: TripletSet, labels: list[str]) -> Iterator[str]:
    """Lines of the text format, each with its end: first the leaves that are in no triplet, then the triplets."""
    shown = [quoted(x) for x in labels]
    unused = set(range(len(labels))).difference(triplets.used_leaves.tolist())
    line = _DIRECTIVE
    for i in sorted(unused):
        if len(line) > _WIDTH:
            yield line + "\n"
            line = _DIRECTIVE
        line += " " + shown[i]
    if unused:
        yield line + "\n"
    if triplets.weights is None:
        for a, b, c in triplets.rows.tolist():
            yield f"{shown[a]} {shown[b]} | {shown[c]}\n"
    else:
        for (a, b, c), w in zip(triplets.rows.tolist(), triplets.weights.tolist(), strict=True):
            yield f"{shown[a]} {shown[b]} | {shown[c]} | {w!r}\n"


def quoted(label: str) -> str:
    if _PLAIN.fullmatch(label) and label.isprintable():
        return label
    if "\n" in label or "\r" in label:
        msg = f"the label {label!r} has a line end in it, which the text format cannot hold; write CSV or Parquet"
        raise InvalidTripletError(msg)
    return "'" + label.replace("'", "''") + "'"
