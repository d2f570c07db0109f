"""From DOT text to nodes and edges: one regular expression, one loop over its tokens, no recursion."""

from __future__ import annotations

import re
from typing import NamedTuple

from tripletree.errors import SHOWN, NotATreeError, ParseError
from tripletree.io._files import place

__all__ = ["DotGraph", "Edge", "Markup"]

_WORD = r"A-Za-z_0-9\u0080-\U0010ffff"
_TOKEN = re.compile(
    rf"""
      //[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/ | ^\#[^\n]*+\n   # comments, and what the C preprocessor leaves
    | "(?:[^"\\]++|\\[\s\S])*+"
    | <(?:[^<>]++|<[^<>]*+>)*+>                               # markup: tags do not stand in each other
    | -> | --
    | (?!\d)[{_WORD}]++
    | -?[\d.][{_WORD}.]*+                                      # a numeral, or what only begins like one
    | [{{}}\[\];,=:+]
    | \S                                                      # a quote or bracket that never closes, or nothing of DOT
    """,
    re.VERBOSE | re.MULTILINE,
)
_NUMERAL = re.compile(r"-?(?:\.\d+|\d+(?:\.\d*)?)", re.ASCII)
_IN_QUOTES = re.compile(r'\\(["\\]|\r?\n)')
_PUNCTUATION = frozenset("{}[];,=:+") | {"->", "--"}
_DEEPEST = 500  # braces in braces; the nodes in them are collected at each level
_KEYWORDS = frozenset(["node", "edge", "graph", "digraph", "subgraph", "strict"])


class Markup(str):
    """An identifier in angle brackets, which are kept."""

    __slots__ = ()


class Edge(NamedTuple):
    """An edge with its attributes."""

    tail: str
    head: str
    attributes: dict[str, str]


class _Block:
    """What is known between two braces: the nodes named there, and the statement that is being read."""

    __slots__ = ("edges", "last", "named", "waiting")

    def __init__(self) -> None:
        self.named: dict[str, None] = {}
        self.last: list[str] = []  # the nodes before the next arrow or attributes; none between statements
        self.edges: list[Edge] = []  # of this statement
        self.waiting = False  # whether an arrow wants its second end

    def end(self) -> None:
        self.last, self.edges = [], []


class DotGraph:
    """The one directed graph of a DOT text.

    Attributes
    ----------
    nodes : dict of str to dict
        The attributes of each node, in the order in which the text first names them.
    edges : list of Edge
    """

    def __init__(self, text: str, path: str | None = None) -> None:
        self._text, self._path = text + "\n", path
        self._tokens: list[str] = [t for t in _TOKEN.findall(self._text) if not _is_comment(t)]
        self._tokens.append("")  # the end
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[Edge] = []
        k = self._body(self._header())
        if self._tokens[k]:
            raise self._error(k, "something stands behind the graph; one graph is wanted")

    def _header(self) -> int:
        """Read up to the first brace; return the number of the token behind it."""
        k = 1 if self._tokens[0].lower() == "strict" else 0
        kind = self._tokens[k].lower()
        if kind == "graph":
            raise self._error(k, "an undirected graph has no root; a digraph is wanted")
        if kind != "digraph":
            raise self._error(k, f"'digraph' is wanted here, not {self._found(k)}")
        k += 1
        if self._tokens[k] != "{":
            _, k = self._identifier(k, "a name or '{'")
        if self._tokens[k] != "{":
            raise self._error(k, f"'{{' is wanted here, not {self._found(k)}")
        return k + 1

    def _body(self, k: int) -> int:
        """Read the statements from token `k` on up to the last brace; return the number of the token behind it."""
        blocks = [_Block()]
        tokens = self._tokens
        while True:
            token, block = tokens[k], blocks[-1]
            if token == "->":
                if not block.last or block.waiting:
                    raise self._error(k, "this '->' has no node before it")
                block.waiting = True
                k += 1
            elif token == "[":
                k = self._attributes_of(block, k)
            elif token in (";", "}") and block.waiting:
                raise self._error(k, f"the '->' before this {token!r} has no node behind it")
            elif token == ";":
                block.end()
                k += 1
            elif token == "{" or token.lower() == "subgraph":
                if len(blocks) > _DEEPEST:
                    raise self._error(k, f"braces in more than {_DEEPEST} braces")
                k = self._opened(k)
                blocks.append(_Block())
            elif token == "}":
                blocks.pop()
                k += 1
                if not blocks:
                    return k
                self._joined(blocks[-1], list(block.named))
            else:
                k = self._statement(block, k)

    def _opened(self, k: int) -> int:
        """The number of the token behind the brace that opens a subgraph."""
        if self._tokens[k] != "{":
            k += 1
            if self._tokens[k] != "{":
                _, k = self._identifier(k, "a name or '{'")
            if self._tokens[k] != "{":
                raise self._error(k, f"'{{' is wanted here, not {self._found(k)}")
        return k + 1

    def _statement(self, block: _Block, k: int) -> int:
        """Read a node, or what is set for many at once; return the number of the token behind it."""
        if self._tokens[k].lower() in ("node", "edge", "graph") and not block.waiting:
            if self._tokens[k + 1] != "[":
                raise self._error(k + 1, f"'[' is wanted after {self._tokens[k]!r}, not {self._found(k + 1)}")
            block.end()
            return self._attributes(k + 1)[1]
        key, k = self._identifier(k, "a node" if block.waiting else "a node or '}'")
        if self._tokens[k] == "=" and not block.waiting:
            block.end()
            return self._identifier(k + 1, "a value")[1]
        for _ in range(2):  # port and compass point
            if self._tokens[k] == ":":
                _, k = self._identifier(k + 1, "a port")
        self.nodes.setdefault(key, {})
        self._joined(block, [key])
        return k

    def _joined(self, block: _Block, nodes: list[str]) -> None:
        """Let these nodes be the second end of the arrow before them, or begin a statement."""
        if block.waiting:
            if len(block.last) > 1 and nodes:  # said before all pairs are made, which may be very many
                shown = ", ".join(map(repr, block.last[:SHOWN])) + (", ..." if len(block.last) > SHOWN else "")
                msg = f"node {nodes[0]!r} of this graph has {len(block.last)} parents: {shown}; one is wanted"
                raise NotATreeError(msg, node=nodes[0], parents=block.last)
            fresh = [Edge(tail, head, {}) for tail in block.last for head in nodes]
            block.edges += fresh
            self.edges += fresh
            block.waiting = False
        else:
            block.end()
        block.last = nodes
        block.named.update(dict.fromkeys(nodes))

    def _attributes_of(self, block: _Block, k: int) -> int:
        """Read the attributes of the statement before token `k`."""
        if not block.last or block.waiting:
            raise self._error(k, "these attributes have no node or edge before them")
        if not block.edges and len(block.last) > 1:
            raise self._error(k, "a subgraph has no attributes in brackets")
        said, k = self._attributes(k)
        for edge in block.edges:
            edge.attributes.update(said)
        if not block.edges:
            self.nodes[block.last[0]].update(said)
        block.end()
        return k

    def _attributes(self, k: int) -> tuple[dict[str, str], int]:
        """All lists of attributes from token `k` on, and the number of the token behind them."""
        said: dict[str, str] = {}
        while self._tokens[k] == "[":
            k += 1
            while self._tokens[k] != "]":
                name, k = self._identifier(k, "an attribute or ']'")
                said[name] = "true"
                if self._tokens[k] == "=":
                    said[name], k = self._identifier(k + 1, "a value")
                if self._tokens[k] in (",", ";"):
                    k += 1
            k += 1
        return said, k

    def _identifier(self, k: int, wanted: str) -> tuple[str, int]:
        """The identifier at token `k`, strings joined by '+', and the number of the token behind it."""
        token = self._tokens[k]
        if token[:1] == '"' and len(token) > 1:
            text = _unquoted(token)
            while self._tokens[k + 1] == "+":
                k += 2
                if self._tokens[k][:1] != '"' or len(self._tokens[k]) == 1:
                    raise self._error(k, f"a string in quotes is wanted after '+', not {self._found(k)}")
                text += _unquoted(self._tokens[k])
            return text, k + 1
        if token[:1] == "<" and len(token) > 1:
            return Markup(token), k + 1
        if token in _PUNCTUATION or token.lower() in _KEYWORDS or not _is_plain(token):
            raise self._error(k, f"{wanted} is wanted here, not {self._found(k)}")
        return token, k + 1

    def _found(self, k: int) -> str:
        """What stands at token `k`, in words."""
        token = self._tokens[k]
        if token in ('"', "<", "/"):
            return f"a {token} that does not close"
        return repr(token[:40]) if token else "the end of the text"

    def _error(self, k: int, message: str) -> ParseError:
        """The error at the token with the number `k`."""
        offset = len(self._text.rstrip())
        for match in _TOKEN.finditer(self._text):
            if not _is_comment(match[0]):
                if k == 0:
                    offset = match.start()
                    break
                k -= 1
        line, column, text = place(self._text, offset)
        return ParseError(message, path=self._path, line=line, column=column, text=text)


def _is_comment(token: str) -> bool:
    return token.startswith(("//", "/*")) or (token[0] == "#" and len(token) > 1)


def _is_plain(token: str) -> bool:
    """Whether a token is an identifier without quotes."""
    first = token[:1]
    return first.isalpha() or first == "_" or first > "\x7f" or _NUMERAL.fullmatch(token) is not None


def _unquoted(token: str) -> str:
    r"""The text of a quoted string: ``\"`` is a quote, a backslash at a line's end joins lines, the rest stays."""
    if "\\" not in token:
        return token[1:-1]
    return _IN_QUOTES.sub(lambda m: '"' if m[1] == '"' else m[0] if m[1] == "\\" else "", token[1:-1])
