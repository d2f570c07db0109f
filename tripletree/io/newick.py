"""Newick: hierarchies as brackets, ``((human:6,chimp:6):2,gorilla:8);``.

The reader takes labels without quotes, in single quotes (``'it''s'``) or in double quotes. Branch lengths, names of
inner nodes and inner nodes with one child are allowed. Comments in square brackets, nested ones too, are left out. A
file has any number of trees, each ended by a semicolon, with white space and line ends anywhere between. Blanks inside
a label without quotes belong to it. A part that is missing or stands twice is refused with its line and column, never
guessed.

Four kinds of comments and labels mean something: ``[&U]`` says that the root is arbitrary, ``[&incertae_sedis=1]``
behind a node that it is open, numbers behind inner nodes are support, and labels such as ``#H1`` that stand twice are
one node with several parents (extended Newick), which `read_ontology` reads.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.checks import check_choice, check_supports
from tripletree.core.confidence import SUPPORT_KEYS, apart, noted_numbers, number_in, says_open
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.leaves import LeafIndex, as_texts
from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.errors import (
    DuplicateLeafError,
    GuessedLabelWarning,
    InvalidHierarchyError,
    NotATreeError,
    ParseError,
    error_at,
    locate,
    warn_user,
)
from tripletree.io.forest import PlaceholderNames, TreeFile, one_of
from tripletree.io.format import FileFormat
from tripletree.io.node_list import UNKNOWN_LENGTH, selected
from tripletree.io.source import Source, Target, read_text, write_text

# ----------------------------------------------------------------------
# From Newick text to flat lists: one regular expression, one loop over its tokens, no recursion.
#
# Tokens carry no positions, which makes the loop fast. An error names a token by its number, and the text is
# scanned once more up to that token to find its line and column.

Underscores = Literal["keep", "blank"]
Lengths = bool | Literal["monotone", "exact"]
Blanks = Literal["quote", "underscore"]
Decimal = Literal[".", ","]

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
_NUMBER = re.compile(r"\s*[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?", re.ASCII)
_HAS_NUMBER = re.compile(r"[=\[]\s*\"?[-+.\d]")
_ROOTING = re.compile(r"\[\s*&\s*([ur])\s*\]", re.IGNORECASE)
#: The mark of an open node, which other programs pass over.
OPEN_MARK = "[&incertae_sedis=1]"
_HYBRID = re.compile(r"(?P<name>.*)(?P<tag>#(?:H|LGT|R)?\d+)", re.DOTALL)
_WHOLE = re.compile(r":\s*[-+]?\d+\s*", re.ASCII)
_FRACTION = re.compile(r"\d+(?:[eE][-+]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"(:\s*[-+]?\d+),(\d+(?:[eE][-+]?\d+)?)(?=\s*[,)\[;])", re.ASCII)
_GUESS = "strict=False takes names with apostrophes as they stand, and says which"
_STRAY = frozenset("'\"[]")

# kinds of the last token
_NOTHING, _CLOSED, _NAME, _LEAF, _LENGTH = range(5)
_AFTER = {_CLOSED: "')'", _NAME: "the name of an inner node", _LEAF: "a leaf label", _LENGTH: "a branch length"}


class _Parts(NamedTuple):
    """A tree as it is written."""

    first: int
    """The number of its first token."""
    stop: int
    """The number of its semicolon."""
    parent: np.ndarray
    labels: list[str]
    names: list[str | None]
    lengths: list[str]
    owners: list[int]
    """Whose length: leaf i, or the inner node ~i."""
    support: dict[int, float]
    """The support of inner nodes in a number beside the length."""


#: Numbers of branches of jplace, ``a:0.1{7}``, and what Mesquite says of nodes, ``<color = 5>``. Quoted labels stay.
_PLACED = re.compile(r":[^,():;'\"\[{]*\{\d+\}")
_MARKED = re.compile(r"'[^']*'|(\{\d+\})(?=\s*[,);:\[])|(<\s*\w+\s*=[^<>(),;']*>)")


def _without_marks(text: str) -> str:
    """Return the text with blanks instead of the marks of two programs, all else in its place."""
    placed = _PLACED.search(text) is not None
    if not placed and "<" not in text:
        return text

    def blank(found: re.Match[str]) -> str:
        return " " * len(found[0]) if found[2] or (placed and found[1]) else found[0]

    return _MARKED.sub(blank, text)


class NewickText(TreeFile):
    """Newick text cut into tokens.

    Parameters
    ----------
    text : str
    path : str or None
        The source's name, for messages.
    underscores : {"keep", "blank"}
        Underscores in labels without quotes stay, or stand for blanks.
    strict : bool
        If True, refuse a quote that does not enclose a label. Otherwise it is an apostrophe.
    decimal : {".", ","}, optional
        The decimal mark of branch lengths. By default a point, and what looks like commas is refused.
    """

    def __init__(
        self,
        text: str,
        *,
        path: str | None = None,
        underscores: Underscores = "keep",
        strict: bool = True,
        decimal: Decimal | None = None,
    ) -> None:
        check_choice(underscores, "underscores", ("keep", "blank"))
        if decimal is not None:
            check_choice(decimal, "decimal", (".", ","))
        if decimal == ",":
            text = _DECIMAL_COMMA.sub(r"\1.\2", text)
        if "{" in text or "<" in text:
            text = _without_marks(text)
        self._text, self._path, self._blank = text, path, underscores == "blank"
        self._decimal = decimal
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
        self._hybrids = "#" in text
        #: What comments say of each tree, by its number: whether it is rooted, and its open nodes (leaf i, inner ~i).
        self._rooted: dict[int, bool] = {}
        self._open: dict[int, list[int]] = {}
        if self._comments:
            self._read_marks()

    @property
    def n_trees(self) -> int:
        """Number of semicolons."""
        return self._tokens.count(";")

    @cached_property
    def _trees(self) -> list[_Parts]:
        """The trees as they are written, all of them looked at. Warns of names that were guessed."""
        found = list(self._each())
        guessed = self._guessed()
        if guessed:
            warn_user(GuessedLabelWarning(guessed, path=self.path))
        return found

    @property
    def names(self) -> list[None]:
        """No tree of Newick has a name."""
        return [None] * len(self._trees)

    def read(self, k: int, *, keys: Sequence[str] = SUPPORT_KEYS, sure: bool = False) -> Hierarchy:
        return self._as_hierarchy(k, self._trees[k], keys, sure)

    def tells_root(self, k: int) -> bool:
        return k in self._rooted or not self._rooted_by_default

    def check_single(self) -> None:
        if self.n_trees > 1:
            msg = (
                f"{self.n_trees} trees where one is expected, the second from here: choose one with tree=0, "
                "or read_hierarchies reads all; families that share no leaves are joined with join=True"
            )
            raise self.error_at(self.second_tree(), msg)
        if not self.names:
            msg = "no tree in it: the text is empty, or holds comments only"
            raise ParseError(msg, path=self.path, line=1, column=1)

    def network(self, k: int) -> Ontology:
        """The network number k as an ontology: nodes with one tag, such as #H1, are one, and leaves with one label.

        A ParseError for trees.
        """
        parts = self._trees[k]
        labels, names = self._plain_labels(parts)
        labels = self._meant(labels)
        tagged = _shared_nodes([*labels, *names])
        inside = {i for places in tagged.values() for i in places}
        shared = tagged | {x: some for x, some in _repeated(labels).items() if inside.isdisjoint(some)}
        if not shared:
            raise self.error_at(parts.first, "Newick, in which every node has one parent: read_hierarchy reads it")
        return _network(parts.parent, labels, names, shared)

    def _each(self) -> Iterator[_Parts]:
        stream = enumerate(self._tokens)
        first = 0
        while first < len(self._tokens):
            parts, first = self._tree(stream, first)
            yield parts

    def error_at(self, k: int, message: str) -> ParseError:
        """Return the error at the token with the number `k`."""
        return self._error_in_text(message, self._offset(k))

    def second_tree(self) -> int:
        """Number of the token that starts the second tree."""
        return self._tokens.index(";") + 1

    def _guessed(self) -> dict[str, tuple[int, int]]:
        """Return the labels with quotes that were taken as they stand, each with the line and column of the first."""
        found: dict[str, tuple[int, int]] = {}
        for match in self._token.finditer(self._scanned) if self._quoted and not self._strict else ():
            t = match[0]
            if t[0] not in "(),:;" and ("'" in t or '"' in t) and not _ALL_QUOTED.fullmatch(t):
                found.setdefault(self._plain(t), locate(self._text, match.start())[:2])
        return found

    def _noted_support(self, tree: int, keys: Sequence[str], inner: int) -> dict[int, float]:
        """Return the support of inner nodes in comments behind them.

        The first comment of `keys` that a node has counts, such as ``[&posterior=0.98]``. ``[98]`` counts as well, but
        not behind the root: PHYLIP writes the weight of a tree there.
        """
        found: dict[int, tuple[int, float]] = {}
        for u, t in self._comments_of_inner.get(tree, ()):
            for rank, value in noted_numbers(t[1:-1], keys):
                if rank < found.get(u, (len(keys) + 1,))[0] and (rank < len(keys) or u < inner - 1):
                    found[u] = rank, value
        return {u: value for u, (_, value) in found.items()}

    @cached_property
    def _comments_of_inner(self) -> dict[int, list[tuple[int, str]]]:
        """The comments with numbers behind the inner nodes of each tree."""
        found: dict[int, list[tuple[int, str]]] = {}
        if any(_HAS_NUMBER.search(self._text, start, stop) for start, stop in self._comments):
            for tree, node, t in self._marks():
                if node is not None and node < 0:
                    found.setdefault(tree, []).append((~node, t))
        return found

    def _marks(self) -> Iterator[tuple[int, int | None, str]]:
        """Comments as they stand, each with its tree's number and its node (leaf i, inner ~i)."""
        marks = [(m.start(), m[0]) for m in self._token.finditer(self._scanned)]
        marks += [(start, self._text[start:stop]) for start, stop in self._comments]
        tree, leaf, closed = 0, -1, -1
        node: int | None = None
        after = ""
        for _, t in sorted(marks):
            if t[0] == "[":
                yield tree, node, t
            if t[0] in "[:":
                continue
            if t == ")":
                closed += 1
                node = ~closed
            elif t == ";":
                tree, leaf, closed, node = tree + 1, -1, -1, None
            elif t in ("(", ","):
                node = None
            elif after != ")":
                leaf += 1
                node = leaf
            after = t

    def _read_marks(self) -> None:
        """Take in what comments say: of the root, and of open nodes."""
        texts = [self._text[start:stop] for start, stop in self._comments]
        flags = [k for k, x in enumerate(texts) if _ROOTING.fullmatch(x)]
        if flags:
            ends = np.array([m.start() for m in self._token.finditer(self._scanned) if m[0] == ";"])
            for k in flags:
                tree = int(np.searchsorted(ends, self._comments[k][0]))
                self._rooted[tree] = _ROOTING.fullmatch(texts[k])[1] in "rR"  # type: ignore[index]
        if any(says_open(x[1:-1]) for x in texts):
            for tree, node, t in self._marks():
                if node is not None and says_open(t[1:-1]):
                    self._open.setdefault(tree, []).append(node)

    # ------------------------------------------------------------------ one tree

    def _tree(self, stream: Iterator[tuple[int, str]], first: int) -> tuple[_Parts, int]:
        """Return the tree whose tokens come next, from number `first`, and the number of the token after it."""
        labels: list[str] = []
        names: list[str | None] = []
        leaf_up: list[int] = []  # the bracket that each leaf stands in, numbered as they open. -1 outside
        inner_up: list[int] = []
        closed: list[int] = []  # the brackets in the order in which they close
        lengths: list[str] = []
        owners: list[int] = []  # whose length: leaf i, or the inner node ~i
        more: dict[int, list[str]] = {}  # the numbers behind a length, by its place in `lengths`
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
                support: dict[int, float] = {}
                for i, numbers in more.items():
                    written = [lengths[i], *numbers]
                    lengths[i] = self._one_length(written, i, first)
                    if owners[i] < 0:
                        support[~owners[i]] = number_in(_length_and_support(written)[1])
                up = _parents(leaf_up, inner_up, closed)
                return _Parts(first, k, up, labels, names, lengths, owners, support), k + 1
            elif t[0] == ":":
                if state == _NOTHING:
                    break
                if state == _LENGTH:
                    if owners[-1] >= 0 and "#" not in labels[-1]:
                        break  # a leaf has no support
                    more.setdefault(len(lengths) - 1, []).append(t[1:])
                    continue
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

    def _plain_labels(self, parts: _Parts) -> tuple[list[str], list[str | None]]:
        """Return the labels of the leaves and the names of the inner nodes, without quotes."""
        if not (self._quoted or self._blank):
            return parts.labels, parts.names
        return [self._plain(x) for x in parts.labels], [None if x is None else self._plain(x) for x in parts.names]

    def _as_hierarchy(self, k: int, parts: _Parts, keys: Sequence[str], sure: bool) -> Hierarchy:
        """Return the tree number k."""
        labels, names = self._plain_labels(parts)
        if self._hybrids and (shared := _shared_nodes([*labels, *names])):
            self._refuse_network(parts.first, next(iter(shared)))
        if self._decimal is None and parts.lengths:
            self._check_decimals(parts)
        labels = self._meant(labels)
        n, lengths = len(labels), parts.lengths
        length = None
        if lengths:
            of = np.array(parts.owners)
            length = np.full(parts.parent.size, np.nan)
            length[np.where(of >= 0, of, n + ~of)] = self._numbers(lengths, parts.first)
            if np.isnan(length).all():
                length = None
        try:
            leaves = LeafIndex(labels)
        except DuplicateLeafError as error:
            raise self._duplicate_error(parts.first, labels, error.labels[0], len(error.labels)) from None
        opened = None
        if k in self._open:
            opened = [u if u >= 0 else n + ~u for u in self._open[k]]
            opened = [u for u in opened if u < parts.parent.size - 1]
        rooted = self._rooted.get(k, self._rooted_by_default)
        found = apart(names, keys=keys, sure=sure)
        support = None if found is None else found[1]
        noted = parts.support | self._noted_support(k, keys, len(names)) if parts.support or self._comments else {}
        if noted:
            support = np.full((len(names), 1), np.nan) if support is None else support
            for u, value in noted.items():
                if value == value:
                    support[u] = np.nan
                    support[u, 0] = value
        return Hierarchy(
            parts.parent,
            leaves,
            length=length,
            names=names if found is None else found[0],
            incertae_sedis=opened,
            rooted=rooted,
            support=support,
        )

    _rooted_by_default = True

    def _meant(self, labels: list[str]) -> list[str]:
        """Return the labels of leaves that keys of a table stand for."""
        return labels

    def _refuse_network(self, first: int, node: str) -> None:
        msg = (
            f"a network, in which {node!r} has several parents, and no tree: read_ontology keeps all of them, "
            "and read_hierarchy(..., parent='first') the first"
        )
        error = self.error_at(first, msg)
        raise NotATreeError(str(error), node=node, parents=[])

    def _check_decimals(self, parts: _Parts) -> None:
        """Refuse lengths that look like decimal commas: every leaf without a length is digits behind a whole length."""
        lacking = np.ones(len(parts.labels), np.bool_)
        of = np.array(parts.owners)
        lacking[of[of >= 0]] = False
        places = np.flatnonzero(lacking)
        if places.size == 0 or not all(_FRACTION.fullmatch(parts.labels[i]) for i in places.tolist()):
            return
        if self._meant(parts.labels) != parts.labels:
            return  # numbers stand for leaves
        tokens = self._tokens[parts.first : parts.stop + 1]
        found = [
            k
            for k in range(2, len(tokens) - 1)
            if tokens[k - 1] == "," and tokens[k + 1] in ",);" and _FRACTION.fullmatch(tokens[k])
            and _WHOLE.fullmatch(tokens[k - 2])
        ]  # fmt: skip
        if len(found) < places.size or "." in "".join(parts.lengths):
            return
        k = parts.first + found[0]
        whole, part = self._tokens[k - 2][1:].strip(), self._tokens[k]
        msg = (
            f"is this the length {whole}.{part} with a decimal comma, or the length {whole} and a leaf {part!r}? "
            "Give decimal=',' for the first, or decimal='.' for the second"
        )
        raise self.error_at(k, msg)

    def _plain(self, label: str) -> str:
        """Return the label that a token stands for."""
        quote = label[0]
        if quote == "'" or quote == '"':
            if self._strict or _ALL_QUOTED.fullmatch(label):
                return label[1:-1].replace(quote + quote, quote)
            if len(label) > 2 and label[-1] == quote:
                label = label[1:-1]  # quotes that enclose another one
        return label.replace("_", " ") if self._blank else label

    def _one_length(self, numbers: list[str], i: int, first: int) -> str:
        """Return the length among several numbers behind a node."""
        if len(numbers) > 3 or (len(numbers) == 2 and not all(map(str.strip, numbers))):
            k = self._length_token(i, first) + 1
            msg = f"{len(numbers)} numbers behind one node: expected a length, or support and length (:0.9:0.25)"
            raise self.error_at(k, msg)
        return _length_and_support(numbers)[0] or "nan"

    def _length_token(self, i: int, first: int) -> int:
        """The number of the token that is the length number i of a tree. Further numbers of a node do not count."""
        tokens = self._tokens
        found = (k for k in range(first, len(tokens)) if tokens[k][0] == ":" and tokens[k - 1][0] != ":")
        return next(islice(found, i, None))

    def _numbers(self, lengths: list[str], first: int) -> np.ndarray:
        """The lengths as float64, NaN for nan, NA, inf. Else digits, sign, point and exponent are all they may have."""
        joined = "".join(lengths)
        if joined.isascii() and "_" not in joined:
            try:
                values = np.array(list(map(float, lengths)))
            except ValueError:
                pass
            else:
                if np.isfinite(values).all():
                    return values
        values = np.full(len(lengths), np.nan)
        for i, x in enumerate(lengths):
            if _NUMBER.fullmatch(x) and np.isfinite(float(x)):
                values[i] = float(x)
            elif not UNKNOWN_LENGTH.fullmatch(x):
                raise self._length_error(i, x.strip(), first)
        return values

    def _length_error(self, i: int, shown: str, first: int) -> ParseError:
        k = self._length_token(i, first)
        if not shown:
            return self.error_at(k, "a branch length is missing after this ':'")
        reason = "is not a number" if not _NUMBER.fullmatch(shown) else "is beyond the largest number"
        return self.error_at(k, f"the branch length {shown!r} {reason}; expected one such as 0.25 or 1e-3")

    def _without_comments(self) -> str:
        """Return the text with line feeds instead of every comment. It stops at a comment that never closes."""
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
        """Return the place in the text where the token with the number `k` starts."""
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
        if t[0] not in "(:" and any(stop == self._offset(k) for _, stop in self._comments):
            msg = f"{t[:40]!r} right after a comment in a label: square brackets are comments in Newick, so a label "
            raise self.error_at(k, msg + "with brackets must stand in quotes: 'name[1].2'")
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
        msg = (
            f"the leaf label {repeated!r} has occurred before, at {self._at(two[0])}{more}; read_ontology takes them "
            "for copies of one, such as genes of a species, and says what holds whichever is meant; "
            "read_hierarchy(..., parent='first') keeps the first"
        )
        return self.error_at(two[-1], msg)


def _parents(leaf_up: list[int], inner_up: list[int], closed: list[int]) -> np.ndarray:
    """Return the parent array: leaves as they stand in the text, then inner nodes as their brackets close."""
    n = len(leaf_up)
    number = np.full(len(closed) + 1, -1, np.int32)  # the last entry serves -1: no bracket
    number[closed] = np.arange(n, n + len(closed), dtype=np.int32)
    return freeze(number[np.concatenate([np.array(leaf_up, np.int32), np.array(inner_up, np.int32)])])


def _length_and_support(numbers: list[str]) -> tuple[str, str]:
    """The length and the support in the numbers behind a node: ``:support:length``, ``:length:support:probability``."""
    if len(numbers) == 2:
        return numbers[1], numbers[0]
    return numbers[0], numbers[1] if len(numbers) > 1 else ""


def _shared_nodes(labels: Sequence[str | None]) -> dict[str, list[int]]:
    """The nodes of a network that stand several times, by tag (``#H1``) and name: the places in `labels` of each.

    A tag with one node or with different names is a part of the names, as in ``Sample#H1``.
    """
    found: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        if label is not None and "#" in label and (match := _HYBRID.fullmatch(label)):
            found.setdefault(match["tag"], []).append(i)
    shared = {}
    for tag, places in found.items():
        called = {str(labels[i]).removesuffix(tag) for i in places} - {""}
        if len(places) > 1 and len(called) < 2:
            shared[called.pop() if called else tag] = places
    return shared


def _repeated(labels: list[str]) -> dict[str, list[int]]:
    """Return the places of labels that several leaves have, such as copies of a gene."""
    places: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        places.setdefault(label, []).append(i)
    return {x: some for x, some in places.items() if len(some) > 1}


def _network(parent: np.ndarray, labels: list[str], names: list[str | None], shared: dict[str, list[int]]) -> Ontology:
    """Return the ontology of a tree in which some nodes stand several times. Nodes without a name get one."""
    called: list[str | None] = [*labels, *names]
    own = {name for k, name in enumerate(called) if name is not None}
    taken: set[str] = set()
    term_of: list[str] = []
    at = {i: name for name, places in shared.items() for i in places}
    for i, name in enumerate(called):
        if i in at:
            name = at[i]
        elif name is None or name in taken:
            fresh = f"node {i}" if name is None else f"{name} (node {i})"
            while fresh in own:
                fresh += "'"
            name = fresh
        taken.add(name)
        term_of.append(name)
    terms = list(dict.fromkeys(term_of))
    number = {x: k for k, x in enumerate(terms)}
    up = parent.tolist()
    first = [*range(len(labels)), *[len(up)] * len(names)]  # the leftmost leaf below each node
    for u, p in enumerate(up[:-1]):
        first[p] = min(first[p], first[u])
    in_text = sorted(range(len(up) - 1), key=first.__getitem__)
    edges = [(number[term_of[u]], number[term_of[up[u]]]) for u in in_text]
    return Ontology(terms, list(dict.fromkeys(edges)))


_PLAIN = re.compile(r"""[^\s()\[\]{}'",:;=]+""")


@kept
def read_newick(
    path: Source,
    *,
    tree: int | None = None,
    join: bool = False,
    outgroup: Any = None,
    rooted: bool | None = None,
    underscores: Underscores = "keep",
    strict: bool = True,
    decimal: Decimal | None = None,
    placeholders: PlaceholderNames = True,
) -> Hierarchy:
    """Read one hierarchy of a Newick file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2 and xz are unpacked.
    tree : int, optional
        Which tree: its position in the file, from 0. May be left out if there is only one.
    join : bool
        True joins all trees of the file below one root. They must not share leaves, as families of languages do not.
    outgroup : str, list of str or "midpoint", optional
        Where to put the root, as `Hierarchy.reroot` takes it.
    rooted : bool, optional
        Whether the tree is rooted where it is written. By default it is, unless it is marked as unrooted, ``[&U]``.
    underscores : {"keep", "blank"}
        Meaning of underscores in labels without quotes: themselves (as most programs have it), or blanks (as the
        Newick standard says).
    strict : bool
        False takes names with apostrophes, ``(O'Hara,al'Thor);``, which Newick would have in quotes with the
        apostrophes doubled. A quote counts as one if a label begins with it and ends at the next. Any other belongs
        to the name, and a GuessedLabelWarning lists such names.
    decimal : {".", ","}, optional
        The decimal mark of branch lengths. By default a point, and what may be a comma is refused.
    placeholders : bool, str or iterable of str
        Names of inner nodes that are not taxa, such as "uncultured", "unclassified Felidae" and "X_incertae_sedis".
        These nodes are contracted, and their children are open (``.incertae_sedis``). Names extend the known ones,
        False takes every name for a taxon.

    Returns
    -------
    Hierarchy
        Leaves in the order of the text, inner nodes in the order in which their brackets close. Lengths that the
        text leaves out or calls nan, NA or inf are NaN. `length` is None if the text has no length at all. Of two
        numbers behind a node, ``:0.98:0.25``, the first is support and the second the length. Numbers in labels of
        inner nodes are `support` and no names, see `read_support`.

    Raises
    ------
    NotATreeError
        If the text is a network: a label such as ``#H1`` stands at several nodes. `read_ontology` reads it.

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
    >>> read_newick(io.StringIO("[&U] (human,chimp,gorilla);"), outgroup="gorilla")
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    file = newick_file(path, underscores=underscores, strict=strict, decimal=decimal)
    return one_of(file, tree=tree, join=join, outgroup=outgroup, rooted=rooted, placeholders=placeholders)


def newick_file(
    path: Source, *, underscores: Underscores = "keep", strict: bool = True, decimal: Decimal | None = None
) -> NewickText:
    """Return the trees of a Newick file."""
    text, name = read_text(path)
    return NewickText(text, path=name, underscores=underscores, strict=strict, decimal=decimal)


def newick_network(path: Source, *, tree: int | None = None, underscores: Underscores = "keep") -> Ontology:
    """Return a network of a Newick file as an ontology, for `read_ontology`."""
    file = newick_file(path, underscores=underscores)
    return file.network(selected(file.names, tree, path=file.path))


@kept
def parse_newick(
    text: str,
    *,
    tree: int | None = None,
    join: bool = False,
    outgroup: Any = None,
    rooted: bool | None = None,
    underscores: Underscores = "keep",
    strict: bool = True,
    decimal: Decimal | None = None,
    placeholders: PlaceholderNames = True,
) -> Hierarchy:
    """Read one hierarchy of a Newick string.

    Parameters
    ----------
    text : str
    tree, join, outgroup, rooted, underscores, strict, decimal, placeholders
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
    file = NewickText(without_mark, underscores=underscores, strict=strict, decimal=decimal)
    return one_of(file, tree=tree, join=join, outgroup=outgroup, rooted=rooted, placeholders=placeholders)


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
        merge some would be negative, which many programs refuse, so heights are raised to the heights below them first.
        "exact" writes the differences as they are. Lengths that a hierarchy has without heights are written as they
        are. "monotone" raises their negative ones, too, to 0.
    blanks : {"quote", "underscore"}
        Labels with blanks stand in quotes, or with underscores instead of the blanks, for programs that
        take quotes for a part of the label (ete3 and R's ape do by default).
    support : array_like of float, shape (inner nodes,), or False, optional
        The support of each inner node, such as ``Supertree.support``. NaN if nothing is known. By default
        ``hierarchy.support``, False writes no support. It is written as the label of the node, beside a name as
        ``name[&support=0.9]``: `read_newick` reads both.

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
    An unrooted tree is marked with ``[&U]`` in front, and an open node with ``[&incertae_sedis=1]`` behind it, which
    other programs pass over.

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
    hierarchy = check_hierarchy(hierarchy)
    text = _newick(hierarchy, names=names, lengths=lengths, blanks=blanks, support=support)
    return write_text([_with_rooting(hierarchy, text)], path, end="\n")


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
    trees = (check_hierarchy(h) for h in hierarchies)
    texts = ((h, _newick(h, names=names, lengths=lengths, blanks=blanks)) for h in trees)
    lines = (_with_rooting(h, text) + "\n" for h, text in texts)
    return write_text(lines, path)


def _with_rooting(hierarchy: Hierarchy, text: str) -> str:
    """Return the text of a tree, with the mark of unrooted ones in front."""
    return text if hierarchy.rooted else "[&U] " + text


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
    numbers = hierarchy._support
    if support is not None:
        numbers = None if support is False else check_supports(support, N - n, ValueError)
    if numbers is not None:
        called = _supported(called or [""] * (N - n), numbers)
    if called:
        after[n:] += np.array(called, object)
    length = _lengths(hierarchy, lengths)
    if length is None and hierarchy.incertae_sedis is not None:
        after[hierarchy.incertae_sedis] += OPEN_MARK
    if length is not None:
        for i in np.flatnonzero(np.isnan(length[:n])).tolist():
            if _FRACTION.fullmatch(after[i]):  # behind a length it could be taken for its decimals
                after[i] = f"'{after[i]}'"
        if hierarchy.incertae_sedis is not None:
            after[hierarchy.incertae_sedis] += OPEN_MARK
        after += _written_lengths(length)
    opening = np.bincount(start[n:], minlength=n)
    brackets = np.array(["(" * k if i == 0 else "," + "(" * k for i, k in enumerate(opening.tolist())], object)
    after[:n] = brackets[start[:n]] + after[:n]
    # leaf pieces before the inner nodes that close behind them. Ties among inner nodes by number, deepest first
    order = np.lexsort((np.arange(N), stop))
    return "".join(after[order].tolist()) + ";"


def _supported(names: list[str], support: np.ndarray) -> list[str]:
    """The text behind the brackets of the inner nodes: the support as a label, or as a comment behind the name."""

    def written(k: int) -> list[str]:
        return ["" if x != x else repr(x).removesuffix(".0") for x in support[:, k].tolist()]

    shown = written(0)
    for k in range(1, support.shape[1]):
        shown = [f"{x}/{y}" if x and y else x for x, y in zip(shown, written(k), strict=True)]
    texts = []
    for name, x in zip(names, shown, strict=True):
        if name and "/" in x:  # as GTDB writes it: a comment holds one number
            texts.append(_quoted(f"{x}:{_unquoted(name)}"))
        else:
            texts.append(f"{name}[&support={x}]" if name and x else name + x)
    return texts


def _intervals(parent: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return each clade's positions start..stop-1 in depth-first order, children by their smallest leaf."""
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
    """Return the branch lengths to write, at least 0 where they are to be monotone."""
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
    """Return the leaf labels as text, quoted if need be."""
    labels = label_texts(hierarchy, blanks)
    out = np.empty(len(labels), object)
    out[:] = [_quoted(x) for x in labels]
    return out


def label_texts(hierarchy: Hierarchy, blanks: Blanks) -> list[str]:
    """Return the leaf labels as text, all different."""
    where = " once all labels are written as text" + (", blanks as underscores" if blanks == "underscore" else "")
    return as_texts((unblanked(x if isinstance(x, str) else str(x), blanks) for x in hierarchy.leaves), where)


def unblanked(label: str, blanks: Blanks) -> str:
    """Return a label with underscores instead of blanks, if it is to be written so."""
    return label.replace(" ", "_") if blanks == "underscore" else label


def _quoted(label: str) -> str:
    """Return the label as it must stand in the text to be read back unchanged, here and elsewhere."""
    if _PLAIN.fullmatch(label) and label.isprintable():
        return label
    return "'" + label.replace("'", "''") + "'"


def _unquoted(label: str) -> str:
    return label[1:-1].replace("''", "'") if label[:1] == "'" else label


def _written_lengths(length: np.ndarray) -> np.ndarray:
    """Return the lengths as ``:0.25`` in the fewest digits that give the same number back. Nothing for NaN."""
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
    trees=newick_file,
    ontology=newick_network,
    write=write_newick,
    extensions=(".nwk", ".newick", ".tree", ".tre", ".nh"),
)
