"""Newick: hierarchies as brackets, ``((human:6,chimp:6):2,gorilla:8);``.

The reader takes labels without quotes, in single quotes (``'it''s'``) or in double quotes. Branch lengths, names of
inner nodes and inner nodes with one child are allowed. Comments in square brackets, nested ones too, are left out. A
file has any number of trees, each ended by a semicolon, with white space and line ends anywhere between. Blanks inside
a label without quotes belong to it. A part that is missing or stands twice is refused with its line and column, never
guessed.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, overload

import numpy as np

from tripletree.core.checks import check_choice, check_support
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.leaves import LeafIndex, as_texts
from tripletree.errors import (
    DuplicateLeafError,
    GuessedLabelWarning,
    InvalidHierarchyError,
    ParseError,
    error_at,
    locate,
    warn_user,
)
from tripletree.io.format import FileFormat
from tripletree.io.source import Source, Target, read_text, write_text
from tripletree.kernels import freeze

# ----------------------------------------------------------------------
# From Newick text to flat lists: one regular expression, one loop over its tokens, no recursion.
#
# Tokens carry no positions, which makes the loop fast. An error names a token by its number, and the text is
# scanned once more up to that token to find its line and column.

#: Names of support in comments: BEAST and MrBayes among them.
SUPPORT_KEYS = ("support", "posterior", "prob", "bootstrap")

Underscores = Literal["keep", "blank"]
Lengths = bool | Literal["monotone", "exact"]
Blanks = Literal["quote", "underscore"]

_QUOTED = r"""'(?:[^']++|'')*+'|"(?:[^"]++|"")*+\""""


def _tokens(word: str, quoted: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
          [(),;]
        | :\s*(?:{word})?               # a length, or a colon without one
        | {quoted}
        | {word}(?:[ \t]+{word})*       # a label without quotes; blanks inside it stay
        | \S                           # a quote or bracket that never closes
        """,
        re.VERBOSE | re.ASCII,
    )


_TOKEN = _tokens(r"""[^\s()\[\]'",:;]+""", _QUOTED)
_QUOTE_OR_BRACKET = re.compile(rf"""{_QUOTED}|['"\[\]]""")
# names with apostrophes: quotes are such where a label begins with one and nothing but the next mark follows the other
_CLOSED_QUOTES = rf"(?:{_QUOTED})(?=\s*(?:[(),:;\[]|\Z))"
_LOOSE_TOKEN = _tokens(r"[^\s()\[\],:;]+", _CLOSED_QUOTES)
_LOOSE_QUOTE_OR_BRACKET = re.compile(rf"(?:(?<=[(),:;\s])|\A){_CLOSED_QUOTES}|[\[\]]")
_ALL_QUOTED = re.compile(_QUOTED)
_BRACKET = re.compile(r"[\[\]]")
_FIELD = re.compile(r"([^,={}\s]+)\s*=\s*(\{[^}]*\}|[^,]*)")  # of a comment such as [&rate=0.1,range={1,2}]
_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_GUESS = "strict=False takes names with apostrophes as they stand, and says which"
_STRAY = frozenset("'\"[]")

# kinds of the last token
_NOTHING, _CLOSED, _NAME, _LEAF, _LENGTH = range(5)
_AFTER = {_CLOSED: "')'", _NAME: "the name of an inner node", _LEAF: "a leaf label", _LENGTH: "a branch length"}


class NewickText:
    """Newick text cut into tokens. Iterating gives the hierarchies one by one.

    Parameters
    ----------
    text : str
    path : str or None
        The source's name, for messages.
    underscores : {"keep", "blank"}
        Underscores in labels without quotes stay, or stand for blanks.
    strict : bool
        If True, refuse a quote that does not enclose a label. Otherwise it is an apostrophe.
    """

    def __init__(
        self, text: str, *, path: str | None = None, underscores: Underscores = "keep", strict: bool = True
    ) -> None:
        check_choice(underscores, "underscores", ("keep", "blank"))
        self._text, self._path, self._blank = text, path, underscores == "blank"
        self.path = path
        self._strict = strict
        self._token = _TOKEN if strict else _LOOSE_TOKEN
        if text[:6].upper() == "#NEXUS":
            raise self._error_in_text(
                "this is a NEXUS file; Newick is the part after the '=' of each of its TREE commands", 0
            )
        self._quoted = "'" in text or '"' in text
        self._comments: list[tuple[int, int]] = []
        self._scanned = self._without_comments() if "[" in text else text
        self._tokens: list[str] = self._token.findall(self._scanned)
        if self._quoted or "[" in text or "]" in text:
            self._check_no_stray()

    @property
    def n_trees(self) -> int:
        """Number of semicolons."""
        return self._tokens.count(";")

    def __iter__(self) -> Iterator[Hierarchy]:
        stream = enumerate(self._tokens)
        first = 0
        while first < len(self._tokens):
            hierarchy, first = self._tree(stream, first)
            yield hierarchy

    def error_at(self, k: int, message: str) -> ParseError:
        """The error at the token with the number `k`."""
        return self._error_in_text(message, self._offset(k))

    def second_tree(self) -> int:
        """Number of the token that starts the second tree."""
        return self._tokens.index(";") + 1

    def guessed(self) -> dict[str, tuple[int, int]]:
        """The labels with quotes that were taken as they stand, each with the line and column of the first."""
        found: dict[str, tuple[int, int]] = {}
        for match in self._token.finditer(self._scanned) if self._quoted and not self._strict else ():
            t = match[0]
            if t[0] not in "(),:;" and ("'" in t or '"' in t) and not _ALL_QUOTED.fullmatch(t):
                found.setdefault(self._plain(t), locate(self._text, match.start())[:2])
        return found

    def support(self, keys: Sequence[str], inner: int) -> tuple[np.ndarray, np.ndarray]:
        """The support of each inner node of the one tree, NaN if nothing does, and whether that is its label.

        Parameters
        ----------
        keys : sequence of str
            The first comment such as ``[&posterior=0.98]`` that a node has counts. ``[98]`` counts as well.
        inner : int
            The number of inner nodes.
        """
        label, noted = np.full(inner, np.nan), np.full(inner, np.nan)
        best = [len(keys) + 1] * inner  # the place in `keys` of the value noted
        marks = [(m.start(), m[0]) for m in self._token.finditer(self._scanned)]
        marks += [(start, self._text[start:stop]) for start, stop in self._comments]
        node, closed = -1, -1  # the inner node that marks belong to, if any
        for _, t in sorted(marks):
            if t == ")":
                closed += 1
                node = closed
            elif t in ("(", ",", ";"):
                node = -1
            elif node >= 0 and t[0] == "[":
                for rank, value in _noted_numbers(t[1:-1], keys):
                    if rank < best[node]:
                        noted[node], best[node] = value, rank
            elif node >= 0 and t[0] != ":":
                label[node] = _number_in(self._plain(t))
        is_label = np.isnan(noted) & ~np.isnan(label)
        return np.where(is_label, label, noted), is_label

    # ------------------------------------------------------------------ one tree

    def _tree(self, stream: Iterator[tuple[int, str]], first: int) -> tuple[Hierarchy, int]:
        """The tree whose tokens come next, from number `first`, and the number of the token after it."""
        labels: list[str] = []
        names: list[str | None] = []
        leaf_up: list[int] = []  # the bracket that each leaf stands in, numbered as they open. -1 outside
        inner_up: list[int] = []
        closed: list[int] = []  # the brackets in the order in which they close
        lengths: list[str] = []
        owners: list[int] = []  # whose length: leaf i, or the inner node ~i
        path: list[int] = []  # the open brackets around the innermost one
        here, opened, state = -1, 0, _NOTHING
        for k, t in stream:  # noqa: B007 (the refusal names k)
            if t == ",":
                if state == _NOTHING or here < 0:
                    break
                state = _NOTHING
            elif t == "(":
                if state != _NOTHING:
                    break
                path.append(here)
                here = opened
                opened += 1
            elif t == ")":
                if state == _NOTHING or here < 0:
                    break
                closed.append(here)
                here = path.pop()
                inner_up.append(here)
                names.append(None)
                state = _CLOSED
            elif t == ";":
                if state == _NOTHING or here >= 0:
                    break
                up = _parents(leaf_up, inner_up, closed)
                return self._hierarchy(first, up, labels, names, lengths, owners), k + 1
            elif t[0] == ":":
                if state in (_NOTHING, _LENGTH):
                    break
                owners.append(len(labels) - 1 if state == _LEAF else -len(names))
                lengths.append(t[1:])
                state = _LENGTH
            elif state == _NOTHING:
                labels.append(t)
                leaf_up.append(here)
                state = _LEAF
            elif state == _CLOSED:
                names[-1] = t
                state = _NAME
            else:
                break
        else:
            raise self._end_error(first, here)
        raise self._error(k, state, first, here)

    def _hierarchy(
        self,
        first: int,
        parent: np.ndarray,
        labels: list[str],
        names: list[str | None],
        lengths: list[str],
        owners: list[int],
    ) -> Hierarchy:
        if self._quoted or self._blank:
            labels = [self._plain(x) for x in labels]
            names = [None if x is None else self._plain(x) for x in names]
        length = None
        if lengths:
            of = np.array(owners)
            length = np.full(parent.size, np.nan)
            length[np.where(of >= 0, of, len(labels) + ~of)] = self._numbers(lengths, first)
        try:
            leaves = LeafIndex(labels)
        except DuplicateLeafError as error:
            raise self._duplicate_error(first, labels, error.labels[0], len(error.labels)) from None
        return Hierarchy(parent, leaves, length=length, names=names)

    def _plain(self, label: str) -> str:
        """The label that a token stands for."""
        quote = label[0]
        if quote == "'" or quote == '"':
            if self._strict or _ALL_QUOTED.fullmatch(label):
                return label[1:-1].replace(quote + quote, quote)
            if len(label) > 2 and label[-1] == quote:
                label = label[1:-1]  # quotes that enclose another one
        return label.replace("_", " ") if self._blank else label

    def _numbers(self, lengths: list[str], first: int) -> np.ndarray:
        """The lengths as float64. Digits, sign, point and exponent are all that may stand in them."""
        joined = "".join(lengths)
        if joined.isascii() and "_" not in joined:
            try:
                values = np.array(list(map(float, lengths)))
            except ValueError:
                pass
            else:
                if np.isfinite(values).all():
                    return values
        bad = next(i for i, x in enumerate(lengths) if not _NUMBER.fullmatch(x) or np.isinf(float(x)))
        k = next(islice((k for k in range(first, len(self._tokens)) if self._tokens[k][0] == ":"), bad, None))
        shown = lengths[bad].strip()
        if not shown:
            raise self.error_at(k, "a branch length is missing after this ':'")
        reason = "is not a number" if not _NUMBER.fullmatch(shown) else "is beyond the largest number"
        raise self.error_at(k, f"the branch length {shown!r} {reason}; expected one such as 0.25 or 1e-3")

    def _without_comments(self) -> str:
        """The text with line feeds instead of every comment. It stops at a comment that never closes."""
        text, quote_or_bracket = self._text, _QUOTE_OR_BRACKET if self._strict else _LOOSE_QUOTE_OR_BRACKET
        kept = []
        at = 0  # where the text that is not yet kept starts
        seek = 0
        while found := quote_or_bracket.search(text, seek):
            seek = found.end()
            token = found.group()
            if len(token) > 1:
                continue
            if token != "[":
                break
            depth = 1
            while depth and (bracket := _BRACKET.search(text, seek)):
                depth += 1 if bracket.group() == "[" else -1
                seek = bracket.end()
            if depth:
                break
            kept += [text[at : found.start()], "\n" * (seek - found.start())]
            self._comments.append((found.start(), seek))
            at = seek
        return "".join([*kept, text[at:]])

    # ------------------------------------------------------------------ refusals

    def _offset(self, k: int) -> int:
        """The place in the text where the token with the number `k` starts."""
        return next(islice(self._token.finditer(self._scanned), k, None)).start()

    def _error_in_text(self, message: str, offset: int) -> ParseError:
        return error_at(offset, self._text, message, self._path)

    def _at(self, k: int) -> str:
        line, column, _ = locate(self._text, self._offset(k))
        return f"line {line}, column {column}"

    def _check_no_stray(self) -> None:
        """Refuse a quote or a comment that does not close, or a ']' that nothing opened."""
        for k, t in enumerate(self._tokens):
            if t in _STRAY and (self._strict or t in "[]"):
                if t == "[":
                    raise self.error_at(k, "this comment is never closed: a ']' is missing")
                if t == "]":
                    raise self.error_at(k, "this ']' closes no comment; a label with brackets must stand in quotes")
                msg = f"this quote is never closed: a label with {t} in it must stand in quotes, the {t} doubled"
                raise self.error_at(k, f"{msg}; {_GUESS}")

    def _error(self, k: int, state: int, first: int, here: int) -> ParseError:
        """Explain the error at the token with the number `k`, which cannot stand after the one before it."""
        t = self._tokens[k]
        if t == ";" and here >= 0:
            bracket = self._bracket(first, here)
            return self.error_at(bracket, f"this '(' is not closed before the tree ends ({self._at(k)})")
        if state == _NOTHING and k == first:
            return self.error_at(k, f"a tree cannot start with {t[:20]!r}")
        if state == _NOTHING:
            shown = t if len(t) == 1 else ":"
            return self.error_at(k, f"a leaf label is missing before this {shown!r} (an empty one is written '')")
        if t in ",)":
            return self.error_at(
                k, f"this {t!r} stands outside of all brackets: more '(' are closed than opened, or ';' is missing"
            )
        what = {"(": "'('", ":": "a branch length", "'": "a quoted label", '"': "a quoted label"}
        found = what.get(t[0], f"the label {t[:40]!r}")
        hint = "a ',' or ';' is missing"
        if t[0] in "'\"" and state in (_LEAF, _NAME):
            hint += ", or the label has a quote in it and must stand in quotes, that quote doubled; " + _GUESS
        elif state in (_LEAF, _NAME) and t != "(" and t[0] != ":":
            hint += ", or a label that continues on the next line must stand in quotes"
        return self.error_at(k, f"{found} right after {_AFTER[state]}: {hint}")

    def _end_error(self, first: int, here: int) -> ParseError:
        """Explain the error of a text that ends in the middle of a tree."""
        if here >= 0:
            return self.error_at(self._bracket(first, here), "this '(' is never closed: the text ends before its ')'")
        return self._error_in_text("the text ends without the ';' that ends a tree", len(self._scanned.rstrip()))

    def _bracket(self, first: int, number: int) -> int:
        """Number of the token that opened a bracket."""
        return next(islice((k for k in range(first, len(self._tokens)) if self._tokens[k] == "("), number, None))

    def _duplicate_error(self, first: int, labels: list[str], repeated: Hashable, count: int) -> ParseError:
        i = labels.index(repeated)  # type: ignore[arg-type]
        j = labels.index(repeated, i + 1)  # type: ignore[arg-type]
        tokens = self._tokens
        leaf = (
            k
            for k in range(first, len(tokens))
            if tokens[k][0] not in "(),:;" and (k == first or tokens[k - 1] in ("(", ","))
        )
        two = list(islice(leaf, i, j + 1))
        more = "" if count == 1 else f" ({count} labels are repeated)"
        return self.error_at(two[-1], f"the leaf label {repeated!r} has occurred before, at {self._at(two[0])}{more}")


def _parents(leaf_up: list[int], inner_up: list[int], closed: list[int]) -> np.ndarray:
    """The parent array: leaves as they stand in the text, then inner nodes as their brackets close."""
    n = len(leaf_up)
    number = np.full(len(closed) + 1, -1, np.int32)  # the last entry serves -1: no bracket
    number[closed] = np.arange(n, n + len(closed), dtype=np.int32)
    return freeze(number[np.concatenate([np.array(leaf_up, np.int32), np.array(inner_up, np.int32)])])


def _number_in(text: str) -> float:
    """The number that a label or comment holds, NaN if it is none."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else np.nan


def _noted_numbers(comment: str, keys: Sequence[str]) -> Iterator[tuple[int, float]]:
    """The numbers in a comment, with the place of their names in `keys`: of ``&posterior=0.98``, or of ``98`` alone."""
    found = _FIELD.findall(comment[1:]) if comment[:1] == "&" else [("", comment)]
    for key, text in found:
        value = _number_in(text.strip('"'))
        if value == value and (key in keys or not key):
            yield keys.index(key) if key else len(keys), value


_PLAIN = re.compile(r"""[^\s()\[\]{}'",:;=]+""")


def read_newick(path: Source, *, underscores: Underscores = "keep", strict: bool = True) -> Hierarchy:
    """Read the one hierarchy of a Newick file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2 and xz are unpacked.
    underscores : {"keep", "blank"}
        Meaning of underscores in labels without quotes: themselves (as most programs have it), or blanks (as the
        Newick standard says).
    strict : bool
        False takes names with apostrophes, ``(O'Hara,al'Thor);``, which Newick would have in quotes with the
        apostrophes doubled. A quote counts as one if a label begins with it and ends at the next. Any other belongs
        to the name, and a GuessedLabelWarning says which names these are.

    Returns
    -------
    Hierarchy
        Leaves in the order of the text, inner nodes in the order in which their brackets close. Lengths that the
        text leaves out are NaN. `length` is None if there are none at all.

    Warns
    -----
    GuessedLabelWarning
        With ``strict=False``, of names with quotes that were taken as they stand. ``.labels`` has them with their
        places.

    See Also
    --------
    read_hierarchies : every tree of a file.
    read_support : support values beside the tree.
    parse_newick : the same from a string.

    Examples
    --------
    >>> import io
    >>> read_newick(io.StringIO("((human,chimp),gorilla);"))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    text, name = read_text(path)
    trees = NewickText(text, path=name, underscores=underscores, strict=strict)
    return _only(trees, name)


def with_support(trees: NewickText, hierarchy: Hierarchy, keys: str | Sequence[str]) -> tuple[Hierarchy, np.ndarray]:
    """The one tree of a text without the labels that are support, and the support of its inner nodes."""
    asked = [keys] if isinstance(keys, str) else list(keys)
    h = hierarchy
    support, is_label = trees.support(asked, h.n_nodes - h.n_leaves)
    if is_label.any():
        assert h.names is not None
        names = [None if used else x for x, used in zip(h.names, is_label, strict=True)]
        h = h._but(names=names)
    return h, freeze(support)


def newick_trees(
    path: Source, *, underscores: Underscores = "keep", strict: bool = True
) -> list[tuple[None, Hierarchy]]:
    """Every tree of a Newick file, for `read_hierarchies`."""
    text, name = read_text(path)
    return [(None, x) for x in _all(NewickText(text, path=name, underscores=underscores, strict=strict))]


def newick_support(
    path: Source, *, keys: Sequence[str], underscores: Underscores = "keep", strict: bool = True
) -> tuple[Hierarchy, np.ndarray]:
    """The one tree of a Newick file and the support of its inner nodes, for `read_support`."""
    text, name = read_text(path)
    trees = NewickText(text, path=name, underscores=underscores, strict=strict)
    return with_support(trees, _only(trees, name), keys)


def parse_newick(text: str, *, underscores: Underscores = "keep", strict: bool = True) -> Hierarchy:
    """Read the one hierarchy of a Newick string.

    Parameters
    ----------
    text : str
    underscores : {"keep", "blank"}
    strict : bool
        As in `read_newick`.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> parse_newick("((human:6,chimp:6)'tribe Hominini':2,gorilla:8);").names
    ('tribe Hominini', None)
    >>> parse_newick("(a,,b);")
    Traceback (most recent call last):
        ...
    tripletree.errors.ParseError: <string>, line 1, column 4: a leaf label is missing before this ','...
    """
    if not isinstance(text, str):
        msg = f"expected Newick text, not {type(text).__name__}; to read a file use read_newick"
        raise TypeError(msg)
    without_mark = text.removeprefix("\ufeff")  # as readers of files take it off
    return _only(NewickText(without_mark, underscores=underscores, strict=strict), None)


def _all(trees: NewickText) -> list[Hierarchy]:
    """The trees of a text, with a warning of the names that were guessed."""
    found = list(trees)
    guessed = trees.guessed()
    if guessed:
        warn_user(GuessedLabelWarning(guessed, path=trees.path))
    return found


def _only(trees: NewickText, name: str | None) -> Hierarchy:
    """The one tree of a text."""
    if trees.n_trees > 1:
        k = trees.second_tree()
        what = f"{trees.n_trees} trees where one is expected"
        raise trees.error_at(k, f"{what}, the second from here (read_hierarchies reads all)")
    for hierarchy in _all(trees):  # to the end of the text: nothing unread may follow
        return hierarchy
    msg = "no tree in it: the text is empty, or holds comments only"
    raise ParseError(msg, path=name, line=1, column=1)


# ---------------------------------------------------------------------- writing


@overload
def write_newick(
    hierarchy: Hierarchy,
    path: None = None,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
    support: Any = None,
) -> str: ...
@overload
def write_newick(
    hierarchy: Hierarchy,
    path: Target,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
    support: Any = None,
) -> None: ...
def write_newick(
    hierarchy: Hierarchy,
    path: Target | None = None,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
    support: Any = None,
) -> str | None:
    """Write a hierarchy as one line of Newick.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path, file object or "-", optional
        The target. A path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    names : bool
        If True, write the names of inner nodes.
    lengths : bool, "monotone" or "exact"
        If True, write branch lengths. For a hierarchy with heights, the differences. If a triplet delayed a close
        merge these would be negative, which many programs refuse, so heights are raised to those below them first.
        "exact" writes the differences as they are. Lengths that a hierarchy has without heights are written as they
        are. "monotone" raises negative ones of these, too, to 0.
    blanks : {"quote", "underscore"}
        Labels with blanks stand in quotes, or with underscores instead of the blanks, for programs that
        take quotes for a part of the label (ete3 and R's ape do by default).
    support : array_like of float, shape (inner nodes,), optional
        The support of each inner node, such as ``Supertree.support``. NaN if nothing is known. It is written as the
        label of the node, beside a name as ``name[&support=0.9]``: `read_support` reads both.

    Returns
    -------
    str or None
        The text without a line end, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1", or "a b" and "a_b" with underscores).

    Notes
    -----
    The children of a node stand in the order of their smallest leaf index, so equal hierarchies over one leaf index
    give equal text. Lengths are written in full: they are read back exactly. Labels that are not strings are written
    as ``str(label)``, and read back as strings. Time and memory linear in the size, whatever the depth.

    Examples
    --------
    >>> write_newick(Hierarchy.from_nested([["chimp", "human"], "gorilla", "Hylobates lar"]))
    "((chimp,human),gorilla,'Hylobates lar');"
    >>> inverted = Hierarchy([3, 3, 4, 4, -1], ["a b", "c", "d"], height=[0, 0, 0, 2.0, 1.5])
    >>> write_newick(inverted)
    "(('a b':2,c:2):0,d:2);"
    >>> write_newick(inverted, lengths="exact", blanks="underscore")
    '((a_b:2,c:2):-0.5,d:1.5);'
    >>> write_newick(inverted, lengths=False, support=[0.9, float("nan")])
    "(('a b',c)0.9,d);"
    """
    text = _newick(check_hierarchy(hierarchy), names=names, lengths=lengths, blanks=blanks, support=support)
    return write_text([text], path, end="\n")


@overload
def write_newick_all(
    hierarchies: Iterable[Hierarchy],
    path: None = None,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
) -> str: ...
@overload
def write_newick_all(
    hierarchies: Iterable[Hierarchy],
    path: Target,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
) -> None: ...
def write_newick_all(
    hierarchies: Iterable[Hierarchy],
    path: Target | None = None,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
) -> str | None:
    r"""Write several hierarchies, each as one line of Newick.

    Parameters
    ----------
    hierarchies : iterable of Hierarchy
    path : path, file object or "-", optional
    names, lengths, blanks
        As in `write_newick`.

    Returns
    -------
    str or None
        The text, each line with its end, if no `path` is given.

    Examples
    --------
    >>> write_newick_all([Hierarchy.from_nested("ab"), Hierarchy.from_nested(["a", "b"])])
    'ab;\n(a,b);\n'
    """
    if isinstance(hierarchies, Hierarchy):
        msg = "expected several hierarchies, not one: use write_newick, or give a list"
        raise TypeError(msg)
    lines = (_newick(h, names=names, lengths=lengths, blanks=blanks) + "\n" for h in hierarchies)
    return write_text(lines, path)


def _newick(hierarchy: Hierarchy, *, names: bool, lengths: Lengths, blanks: Blanks, support: Any = None) -> str:
    """The text of one hierarchy: each leaf with the brackets that open before it, each inner node where it closes.

    The leaves stand in depth-first order. A piece of text for each leaf, then, at the leaf where its clade ends, one
    for each inner node, inner ones first, which is the order of their numbers.
    """
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    start, stop = _intervals(hierarchy.parent, n)
    check_choice(blanks, "blanks", ("quote", "underscore"))
    after = np.concatenate([_written_labels(hierarchy, blanks), np.full(N - n, ")", object)])
    called = ["" if x is None else _quoted(unblanked(x, blanks)) for x in (hierarchy.names or ()) if names]
    if support is not None:
        called = _supported(called or [""] * (N - n), check_support(support, N - n).tolist())
    if called:
        after[n:] += np.array(called, object)
    length = _lengths(hierarchy, lengths)
    if length is not None:
        after += _written_lengths(length)
    opening = np.bincount(start[n:], minlength=n)
    brackets = np.array(["(" * k if i == 0 else "," + "(" * k for i, k in enumerate(opening.tolist())], object)
    after[:n] = brackets[start[:n]] + after[:n]
    # leaf pieces before the inner nodes that close behind them. Ties among inner nodes by number, deepest first
    order = np.lexsort((np.arange(N), stop))
    return "".join(after[order].tolist()) + ";"


def _supported(names: list[str], support: list[float]) -> list[str]:
    """The text behind the brackets of the inner nodes: the support as a label, or as a comment behind the name."""
    shown = ["" if x != x else repr(x).removesuffix(".0") for x in support]
    return [f"{name}[&support={x}]" if name and x else name + x for name, x in zip(names, shown, strict=True)]


def _intervals(parent: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Each clade's positions start..stop-1 in depth-first order, children by their smallest leaf."""
    up = parent.tolist()
    N = len(up)
    low = [*range(n), *[n] * (N - n)]
    size = [1] * n + [0] * (N - n)
    for u in range(N - 1):
        p = up[u]
        size[p] += size[u]
        if low[u] < low[p]:
            low[p] = low[u]
    free = [0] * N  # where the next child of a node starts
    start = [0] * N
    # by smallest leaf, and parents before children where that is the same
    for u in np.lexsort((-np.arange(N), low)).tolist():
        p = up[u]
        if p >= 0:
            start[u] = free[p]
            free[p] += size[u]
        free[u] = start[u]
    return np.array(start), np.array(start) + np.array(size)


def _lengths(hierarchy: Hierarchy, lengths: Lengths) -> np.ndarray | None:
    """The branch lengths to write, none of them negative where they are to be monotone."""
    is_word = isinstance(lengths, str) and lengths in ("monotone", "exact")
    if not is_word and not isinstance(lengths, (bool, np.bool_)):
        msg = f"lengths must be True, False, 'monotone' or 'exact', not {lengths!r}"
        raise ValueError(msg)
    if not lengths:
        return None
    height = hierarchy.height if lengths == "monotone" else hierarchy._height
    if lengths == "exact" or height is None:
        least = 0.0 if lengths == "monotone" else -np.inf
        return None if hierarchy.length is None else np.maximum(hierarchy.length, least)
    highest, up = height.tolist(), hierarchy.parent.tolist()
    for u in range(hierarchy.n_nodes - 1):  # children come before their parents
        highest[up[u]] = max(highest[up[u]], highest[u])
    return Hierarchy(hierarchy.parent, hierarchy.leaves, height=highest).length


def _written_labels(hierarchy: Hierarchy, blanks: Blanks) -> np.ndarray:
    """The leaf labels as text, quoted if need be."""
    labels = label_texts(hierarchy, blanks)
    out = np.empty(len(labels), object)
    out[:] = [_quoted(x) for x in labels]
    return out


def label_texts(hierarchy: Hierarchy, blanks: Blanks) -> list[str]:
    """The leaf labels as text, all different."""
    where = " once all labels are written as text" + (", blanks as underscores" if blanks == "underscore" else "")
    return as_texts((unblanked(x if isinstance(x, str) else str(x), blanks) for x in hierarchy.leaves), where)


def unblanked(label: str, blanks: Blanks) -> str:
    """A label with underscores instead of blanks, if it is to be written so."""
    return label.replace(" ", "_") if blanks == "underscore" else label


def _quoted(label: str) -> str:
    """The label as it must stand in the text to be read back unchanged, here and elsewhere."""
    if _PLAIN.fullmatch(label) and label.isprintable():
        return label
    return "'" + label.replace("'", "''") + "'"


def _written_lengths(length: np.ndarray) -> np.ndarray:
    """The lengths as ``:0.25`` in the fewest digits that give the same number back. Nothing for NaN."""
    infinite = np.flatnonzero(np.isinf(length))
    if infinite.size:
        u = int(infinite[0])
        msg = f"the branch above node {u} has length {length[u]}, which Newick cannot hold; write with lengths=False"
        raise InvalidHierarchyError(msg, node=u)
    out = np.empty(length.size, object)
    out[:] = ["" if x != x else ":" + repr(x).removesuffix(".0") for x in length.tolist()]
    return out


FORMAT = FileFormat(
    "newick",
    "Newick",
    read=read_newick,
    read_all=newick_trees,
    support=newick_support,
    write=write_newick,
    extensions=(".nwk", ".newick", ".tree", ".tre", ".nh"),
)
