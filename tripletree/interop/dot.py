"""Graphviz DOT: a hierarchy as a drawing, and plain directed graphs that are trees back as hierarchies.

Written are node numbers as identifiers and labels as quoted strings, in which quotes, backslashes, line ends and ``&``
are escaped, so that nothing in a label is taken for markup. Read is the whole language, by a flat reader of our own:
pydot leaves quotes and escapes in the names, gives no place of an error in a tree, and takes 5 ms a node, which
is a hundred times as long.
"""

from __future__ import annotations

import html
import os
import re
from typing import Any, NamedTuple

import numpy as np

from tripletree.algorithms.induce import displays
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.leaves import as_texts
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import SHOWN, NotATreeError, ParseError, error_at
from tripletree.interop.keyed import tree_parents
from tripletree.interop.nodes import assembled, marks_of, own_heights, python_values

# ----------------------------------------------------------------------
# From DOT text to nodes and edges: one regular expression, one loop over its tokens, no recursion.

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
_DEEPEST = 500  # braces in braces. The nodes in them are collected at each level
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
    """The state between two braces: the nodes named there, and the statement that is being read."""

    __slots__ = ("edges", "last", "named", "waiting")

    def __init__(self) -> None:
        self.named: dict[str, None] = {}
        self.last: list[str] = []  # the nodes before the next arrow or attributes. None between statements
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
            raise self._error(k, "something follows the graph; expected one graph")

    def _header(self) -> int:
        """Read up to the first brace. Return the number of the token behind it."""
        k = 1 if self._tokens[0].lower() == "strict" else 0
        kind = self._tokens[k].lower()
        if kind == "graph":
            raise self._error(k, "an undirected graph has no root; expected a digraph")
        if kind != "digraph":
            raise self._error(k, f"expected 'digraph', got {self._found(k)}")
        return self._opened(k)

    def _body(self, k: int) -> int:
        """Read the statements from token `k` on up to the last brace. Return the number of the token behind it."""
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
        """The number of the token behind the brace that opens the graph, or a subgraph (its word and name may lack)."""
        if self._tokens[k] != "{":
            k += 1
            if self._tokens[k] != "{":
                _, k = self._identifier(k, "a name or '{'")
            if self._tokens[k] != "{":
                raise self._error(k, f"expected '{{', got {self._found(k)}")
        return k + 1

    def _statement(self, block: _Block, k: int) -> int:
        """Read a node, or attributes set for many at once. Return the number of the token behind it."""
        if self._tokens[k].lower() in ("node", "edge", "graph") and not block.waiting:
            if self._tokens[k + 1] != "[":
                raise self._error(k + 1, f"expected '[' after {self._tokens[k]!r}, got {self._found(k + 1)}")
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
        """Let `nodes` be the second end of the arrow before them, or begin a statement."""
        if block.waiting:
            if len(block.last) > 1 and nodes:  # said before all pairs are made, which may be very many
                shown = ", ".join(map(repr, block.last[:SHOWN])) + (", ..." if len(block.last) > SHOWN else "")
                msg = f"node {nodes[0]!r} of this graph has {len(block.last)} parents: {shown}; expected one"
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
        """Return all lists of attributes from token `k` on, and the number of the token behind them."""
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
        """Return the identifier at token `k`, strings joined by '+', and the number of the token behind it."""
        token = self._tokens[k]
        if token[:1] == '"' and len(token) > 1:
            text = _unquoted(token)
            while self._tokens[k + 1] == "+":
                k += 2
                if self._tokens[k][:1] != '"' or len(self._tokens[k]) == 1:
                    raise self._error(k, f"expected a string in quotes after '+', got {self._found(k)}")
                text += _unquoted(self._tokens[k])
            return text, k + 1
        if token[:1] == "<" and len(token) > 1:
            return Markup(token), k + 1
        if token in _PUNCTUATION or token.lower() in _KEYWORDS or not _is_plain(token):
            raise self._error(k, f"expected {wanted}, got {self._found(k)}")
        return token, k + 1

    def _found(self, k: int) -> str:
        """Return the token `k` in words."""
        token = self._tokens[k]
        if token in ('"', "<", "/"):
            return f"a {token} that does not close"
        return repr(token[:40]) if token else "the end of the text"

    def _error(self, k: int, message: str) -> ParseError:
        """Return the error at the token with the number `k`."""
        offset = len(self._text.rstrip())
        for match in _TOKEN.finditer(self._text):
            if not _is_comment(match[0]):
                if k == 0:
                    offset = match.start()
                    break
                k -= 1
        return error_at(offset, self._text, message, self._path)


def _is_comment(token: str) -> bool:
    return token.startswith(("//", "/*")) or (token[0] == "#" and len(token) > 1)


def _is_plain(token: str) -> bool:
    """Tell whether a token is an identifier without quotes."""
    first = token[:1]
    return first.isalpha() or first == "_" or first > "\x7f" or _NUMERAL.fullmatch(token) is not None


def _unquoted(token: str) -> str:
    r"""The text of a quoted string: ``\"`` is a quote, a backslash at a line's end joins lines, the rest stays."""
    if "\\" not in token:
        return token[1:-1]
    return _IN_QUOTES.sub(lambda m: '"' if m[1] == '"' else m[0] if m[1] == "\\" else "", token[1:-1])


#: How triplets are drawn: by line as well as by colour.
_SHOWN = 'style=solid, color="#1b7837"'
_BROKEN = 'style=dashed, color="#c51b7d"'

#: Text that is never DOT: one line without a brace that ends as names of DOT files do.
_PATH = re.compile(r"[^{}\n]+\.(?:dot|gv)(?:\.gz|\.bz2|\.xz|\.zip)?", re.IGNORECASE)

_ESCAPED = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": "&#13;", "&": "&amp;"}
_ESCAPE = re.compile(r"\\(.)|&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});", re.DOTALL)


def to_dot(hierarchy: Hierarchy, *, triplets: TripletSet | None = None) -> str:
    r"""Write a hierarchy as a directed graph in Graphviz DOT.

    Parameters
    ----------
    hierarchy : Hierarchy
    triplets : TripletSet, optional
        Drawn on top: ab|c as a line between a and b that is labelled ``| c``, solid and green if the hierarchy
        displays it, dashed and red if not. For a few dozen. More are hard to see.

    Returns
    -------
    str
        The leaves and the named inner nodes with ``label``, inner nodes without name as points; ``node_height`` and
        ``node_rank`` if the hierarchy has such (``height`` and ``rank`` mean something else to Graphviz), and edges
        from parent to child with ``length``. Nodes in the order of their numbers, which are their identifiers.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").

    See Also
    --------
    from_dot : the inverse. Triplets are left out.

    Notes
    -----
    Labels that are not strings are written as ``str(label)``, and read back as strings. Graphviz's own layout takes
    minutes for some 10,000 nodes.

    Examples
    --------
    >>> print(to_dot(Hierarchy([2, 2, -1], ["Homo \"sapiens\"", "chimp"], length=[6.5, 6.5, np.nan])))
    digraph hierarchy {
      rankdir=LR;
      node [shape=plaintext];
      0 [label="Homo \"sapiens\""];
      1 [label="chimp"];
      2 [label="", shape=point];
      2 -> 0 [length=6.5];
      2 -> 1 [length=6.5];
    }
    """
    hierarchy = check_hierarchy(hierarchy)
    N = hierarchy.n_nodes
    labels = as_texts(hierarchy.leaves)
    heights = python_values(own_heights(hierarchy), N)
    lengths = python_values(hierarchy.length, N)
    ranks = hierarchy.ranks or [None] * N
    support = [*[None] * len(labels), *python_values(hierarchy.support, N - len(labels))]
    opened = hierarchy.incertae_sedis if hierarchy.incertae_sedis is not None else np.zeros(N, np.bool_)
    lines = ["digraph hierarchy {", "  rankdir=LR;", "  node [shape=plaintext];"]
    names = [*labels, *(hierarchy.names or [None] * (N - len(labels)))]
    for u, name in enumerate(names):
        said = f"label={_quoted(name)}" if name is not None else 'label="", shape=point'
        if heights[u] is not None:
            said += f", node_height={_quoted(repr(heights[u]))}"
        if ranks[u] is not None:
            said += f", node_rank={_quoted(ranks[u])}"
        if support[u] is not None:
            said += f", support={_number(support[u])}"
        if opened[u]:
            said += ", incertae_sedis=1"
        if u == N - 1 and not hierarchy.rooted:
            said += ", rooted=false"
        if u == N - 1 and lengths[u] is not None:
            said += f", length={_number(lengths[u])}"
        lines.append(f"  {u} [{said}];")
    for u, p in enumerate(hierarchy.parent[:-1].tolist()):
        lines.append(f"  {p} -> {u};" if lengths[u] is None else f"  {p} -> {u} [length={_number(lengths[u])}];")
    if triplets is not None:
        lines += _triplet_lines(hierarchy, check_triplets(triplets))
    return "\n".join([*lines, "}"])


def _triplet_lines(hierarchy: Hierarchy, triplets: TripletSet) -> list[str]:
    """Return a line for each triplet. The class tells its edges from the edges of the hierarchy."""
    lines = []
    for (a, b, c), shown in zip(triplets, displays(hierarchy, triplets).tolist(), strict=True):
        ends = " -> ".join(str(hierarchy.leaves.index(x)) for x in (a, b))
        line = _SHOWN if shown else _BROKEN
        lines.append(f"  {ends} [class=triplet, dir=none, constraint=false, label={_quoted(f'| {c}')}, {line}];")
    return lines


def _quoted(text: str | None) -> str:
    """Return the text as a quoted string that Graphviz draws as it is."""
    return '"' + "".join(_ESCAPED.get(x, x) for x in text or "") + '"'


def _number(value: float | None) -> str:
    """Return the number as an identifier. DOT's own numerals have no exponent."""
    text = repr(value).removesuffix(".0")
    return f'"{text}"' if "e" in text else text


def from_dot(
    text: str, *, label: str = "label", length: str = "length", height: str = "node_height", rank: str = "node_rank"
) -> Hierarchy:
    r"""Read a hierarchy from Graphviz DOT: a directed graph that is a rooted tree, edges from parent to child.

    Parameters
    ----------
    text : str
    label : str
        The attribute that labels a leaf and names an inner node. As in Graphviz, a node without it is called by its
        identifier. An empty one is not a name.
    length : str
        The attribute of an edge, or else of the node below it, that is the length of the branch.
    height, rank : str
        Attributes of nodes.

    Returns
    -------
    Hierarchy
        Leaves, and inner nodes where children stand before parents, in the order in which the text first names them.

    Raises
    ------
    NotATreeError
        If a node has several parents.

    See Also
    --------
    to_dot : the inverse.
    read_dot : the same from a file.

    Notes
    -----
    Attributes set for all nodes or edges at once (``node [...]``), ports, clusters and drawing instructions are passed
    over. Escapes in labels (``\n``, ``\"``, ``&amp;``) become the characters that Graphviz draws. A label in angle
    brackets, which is markup, is kept as written, brackets included. Time linear in the text, whatever its depth.

    Examples
    --------
    >>> from_dot('digraph { apes -> "Homo sapiens"; apes -> chimp }').clade(2)
    ['Homo sapiens', 'chimp']
    """
    if not isinstance(text, str):
        file = isinstance(text, os.PathLike) or callable(getattr(text, "read", None))
        advice = "; to read a file use read_dot" if file else ""
        msg = f"expected DOT text, not {type(text).__name__}{advice}"
        raise TypeError(msg)
    if _PATH.fullmatch(text):
        msg = f"{text!r:.200} is the name of a file, not DOT text; to read a file use read_dot"
        raise ParseError(msg, line=1, column=1)
    return dot_hierarchy(text.removeprefix("\ufeff"), None, label=label, length=length, height=height, rank=rank)


def dot_hierarchy(
    text: str,
    path: str | None,
    *,
    label: str = "label",
    length: str = "length",
    height: str = "node_height",
    rank: str = "node_rank",
) -> Hierarchy:
    """`from_dot` of a text that a file holds."""
    graph = DotGraph(text, path)
    keys = list(graph.nodes)
    position = {key: i for i, key in enumerate(keys)}
    edges = [edge for edge in graph.edges if edge.attributes.get("class") != "triplet"]
    parent = tree_parents(
        keys,
        [(position[edge.head], position[edge.tail]) for edge in edges],
        what="graph",
        advice="edges must run from parent to child, one to each node",
    )
    said = list(graph.nodes.values())
    lengths: list[Any] = [x.get(length) for x in said]
    for edge in edges:
        if length in edge.attributes:
            lengths[position[edge.head]] = edge.attributes[length]
    inner = np.zeros(len(keys) + 1, np.bool_)
    inner[parent] = True  # the last entry serves parent -1
    labels: list[Any] = []
    for key, data, has_children in zip(keys, said, inner.tolist()[:-1], strict=True):
        shown = _drawn(data[label], key) if label in data else key
        labels.append(None if has_children and shown == "" else shown)
    return assembled(
        parent,
        labels,
        peer="graph",
        lengths=_numbers(lengths),
        heights=_numbers([x.get(height) for x in said]),
        ranks=[_drawn(x[rank], "") if rank in x else None for x in said],
        **marks_of(said),
        blank=True,
    )


def _numbers(values: list[Any]) -> list[Any]:
    """Return the values as floats if they can be. Others are refused later, by name."""
    out: list[Any] = []
    for x in values:
        try:
            out.append(None if x is None else float(x))
        except ValueError:
            out.append(x)
    return out


def _drawn(value: str, key: str) -> str:
    r"""Return a label as Graphviz draws it. ``\N`` is the node's own name."""
    if isinstance(value, Markup):
        return str(value)

    def plain(match: re.Match[str]) -> str:
        escape = match[1]
        if escape is None:
            return html.unescape(match[0])
        return key if escape == "N" else "\n" if escape in "nlr" else escape

    return _ESCAPE.sub(plain, value)
