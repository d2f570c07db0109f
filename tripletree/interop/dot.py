r"""Graphviz DOT: a hierarchy as a drawing, and plain directed graphs that are trees back as hierarchies.

Written are node numbers as identifiers and labels as quoted strings, in which quotes, backslashes, line ends and ``&``
are escaped, so that nothing in a label is taken for markup. Read is the whole language, by a flat reader of our own:
pydot leaves quotes and escapes in the names, names no place of what is wrong with a tree, and takes 5 ms a node, which
is a hundred times as long.
"""

from __future__ import annotations

import html
import os
import re
from typing import Any

import numpy as np

from tripletree._checks import expect_hierarchy, expect_triplets
from tripletree.errors import DuplicateLeafError, ParseError
from tripletree.hierarchy import Hierarchy
from tripletree.induction import displays
from tripletree.interop._dot_tokens import DotGraph, Markup
from tripletree.interop._keyed import tree_parents
from tripletree.interop._nodes import assembled, own_heights, python_values
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = ["from_dot", "to_dot"]

#: How triplets are drawn: by line as well as by colour.
_SHOWN = 'style=solid, color="#1b7837"'
_BROKEN = 'style=dashed, color="#c51b7d"'

#: What is no DOT whatever it says: one line without a brace that ends as names of DOT files do.
_PATH = re.compile(r"[^{}\n]+\.(?:dot|gv)(?:\.gz|\.bz2|\.xz|\.zip)?", re.IGNORECASE)

_ESCAPED = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": "&#13;", "&": "&amp;"}
_ESCAPE = re.compile(r"\\(.)|&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});", re.DOTALL)


def to_dot(hierarchy: Hierarchy, *, triplets: TripletSet | None = None) -> str:
    r"""Write a hierarchy as a directed graph in Graphviz DOT.

    Parameters
    ----------
    hierarchy : Hierarchy
    triplets : TripletSet, optional
        Drawn on top: ab|c as a line between a and b that is labelled ``| c``, solid and green where the hierarchy
        displays it, dashed and red where not. For a few dozen; more are hard to see.

    Returns
    -------
    str
        The leaves and the named inner nodes with ``label``, inner nodes without name as points; ``node_height`` and
        ``node_rank`` where the hierarchy has such (``height`` and ``rank`` mean something else to Graphviz); edges from
        parent to child with ``length``. Nodes in the order of their numbers, which are their identifiers.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").
    UnknownLeafError
        If a leaf of some triplet is not in the hierarchy.

    See Also
    --------
    from_dot : the inverse; triplets are left out.

    Notes
    -----
    Labels that are no strings are written as ``str(label)``, and read back as strings. Graphviz's own layout takes
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
    N = expect_hierarchy(hierarchy).n_nodes
    labels = [x if isinstance(x, str) else str(x) for x in hierarchy.leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    heights = python_values(own_heights(hierarchy), N)
    lengths = python_values(hierarchy.length, N)
    ranks = hierarchy.ranks or [None] * N
    lines = ["digraph hierarchy {", "  rankdir=LR;", "  node [shape=plaintext];"]
    names = [*labels, *(hierarchy.names or [None] * (N - len(labels)))]
    for u, name in enumerate(names):
        said = f"label={_quoted(name)}" if name is not None else 'label="", shape=point'
        if heights[u] is not None:
            said += f", node_height={_quoted(repr(heights[u]))}"
        if ranks[u] is not None:
            said += f", node_rank={_quoted(ranks[u])}"
        if u == N - 1 and lengths[u] is not None:
            said += f", length={_number(lengths[u])}"
        lines.append(f"  {u} [{said}];")
    for u, p in enumerate(hierarchy.parent[:-1].tolist()):
        lines.append(f"  {p} -> {u};" if lengths[u] is None else f"  {p} -> {u} [length={_number(lengths[u])}];")
    if triplets is not None:
        lines += _triplet_lines(hierarchy, expect_triplets(triplets))
    return "\n".join([*lines, "}"])


def _triplet_lines(hierarchy: Hierarchy, triplets: TripletSet) -> list[str]:
    """A line for each triplet; the class tells these edges from those of the hierarchy."""
    lines = []
    for (a, b, c), shown in zip(triplets, displays(hierarchy, triplets).tolist(), strict=True):
        ends = " -> ".join(str(hierarchy.leaves.index(x)) for x in (a, b))
        line = _SHOWN if shown else _BROKEN
        lines.append(f"  {ends} [class=triplet, dir=none, constraint=false, label={_quoted(f'| {c}')}, {line}];")
    return lines


def _quoted(text: str | None) -> str:
    """The text as a quoted string that Graphviz draws as it is."""
    return '"' + "".join(_ESCAPED.get(x, x) for x in text or "") + '"'


def _number(value: float | None) -> str:
    """The number as an identifier; DOT's own numerals have no exponent."""
    text = repr(value).removesuffix(".0")
    return f'"{text}"' if "e" in text else text


def from_dot(
    text: str,
    *,
    label: str = "label",
    length: str = "length",
    height: str = "node_height",
    rank: str = "node_rank",
) -> Hierarchy:
    r"""Read a hierarchy from Graphviz DOT: a directed graph that is a rooted tree, edges from parent to child.

    Parameters
    ----------
    text : str
    label : str
        The attribute that labels a leaf and names an inner node. As in Graphviz, a node that has none is called by its
        identifier; an empty one is no name.
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
    ParseError
        If the text is no DOT (the name of a file, for instance), with line and column; or holds no directed graph, or
        several.
    NotATreeError
        If a node has several parents.
    InvalidHierarchyError
        If there is no node, a cycle, several roots, or if a length or height is no number.
    DuplicateLeafError
        If two leaves have one label.

    See Also
    --------
    to_dot : the inverse.
    read_dot : the same from a file.

    Notes
    -----
    Attributes set for all nodes or edges at once (``node [...]``), ports, clusters and what is drawn are passed over.
    Escapes in labels (``\n``, ``\"``, ``&amp;``) become what Graphviz draws; a label in angle brackets, which is
    markup, is kept as written, brackets included. Time linear in the text, whatever its depth.

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
    return dot_hierarchy(text, None, label=label, length=length, height=height, rank=rank)


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
        blank=True,
    )


def _numbers(values: list[Any]) -> list[Any]:
    """The values as floats where they can be; others are refused later, by name."""
    out: list[Any] = []
    for x in values:
        try:
            out.append(None if x is None else float(x))
        except ValueError:
            out.append(x)
    return out


def _drawn(value: str, key: str) -> str:
    r"""A label as Graphviz draws it; ``\N`` is the node's own name."""
    if isinstance(value, Markup):
        return str(value)

    def plain(match: re.Match[str]) -> str:
        escape = match[1]
        if escape is None:
            return html.unescape(match[0])
        return key if escape == "N" else "\n" if escape in "nlr" else escape

    return _ESCAPE.sub(plain, value)
