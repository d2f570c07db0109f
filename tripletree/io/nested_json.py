"""JSON: trees as objects, names or lists in each other, and flat lists of objects that name each other.

Four shapes are recognised:

- objects with a name and children, as d3 has them: ``{"name": "apes", "children": [{"name": "human"}, ...]}``. The
  name stands under name, label, title, text or id (the first that is there), the children under children, child,
  nodes or items, branch lengths under length, branch_length, branchLength or branchlength, or wherever the
  parameters say. A child may also be a bare label.
- names in each other: ``{"apes": {"human": null, "Pan": ["chimp", "bonobo"]}}``. A leaf is a name with null, ``{}`` or
  ``[]`` below it, or a label in a list.
- lists in each other: ``[["human", "chimp"], "gorilla"]``, as `Hierarchy.from_nested` takes them.
- a flat list of objects with ids, each with the ids of its children (child_ids, or one of the keys above) or of its
  parent or parents: this may be a graph, in which a node has several parents.

Labels are strings and whole numbers. A file that could be one shape as well as another is refused, and so are keys that
occur twice in an object, NaN, and comments. Python's decoder goes about 1,000 levels deep, some 500 levels of objects
with lists of children, and ten times as deep from Python 3.12 on. Deeper trees are refused, and can be written as
Newick, edges or a flat list.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from tripletree.core.confidence import support_label
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.labels import GAPS, NO_PARENT
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.core.placeholders import Placeholders
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, ParseError, error_at
from tripletree.io.forest import PlaceholderNames
from tripletree.io.format import FileFormat, FileStart
from tripletree.io.json_text import KNOWLEDGE_KEY, OF_KNOWLEDGE, load_json, offset_of
from tripletree.io.node_list import UNKNOWN_LENGTH, listed_hierarchy
from tripletree.io.source import Source, Target, read_text, write_text

#: The keys of open nodes, of trees without a root, and of the support of a node.
_OPEN, _ROOTED, _SUPPORT = "incertae_sedis", "rooted", "support"
#: Makes the error for a message and the list or object that it is about (or stands in).
_Refuse = Callable[[str, Any], ParseError]


# ----------------------------------------------------------------------
# The shapes in which JSON holds trees: objects in each other, names in each other, lists in each other, flat lists.

_NAME = ("name", "label", "title", "text", "id")
_CHILDREN = ("children", "child", "nodes", "items")
_LENGTH = ("length", "branch_length", "branchLength", "branchlength")
_CHILD_IDS = ("child_ids", "childIds", "children_ids", "childrenIds")
_PARENT_IDS = ("parent", "parents", "parent_id", "parentId", "parent_ids", "parentIds")


@dataclass(frozen=True)
class _Keys:
    """The keys under which an object holds its name, children and branch length. None for the usual ones."""

    name: str | None = None
    children: str | None = None
    length: str | None = None

    def label(self, node: dict[str, Any]) -> Any:
        """Return the name of the object, or None."""
        for key in _NAME if self.name is None else (self.name,):
            if node.get(key) is not None:
                return node[key]
        return None

    def children_key(self, node: dict[str, Any], error: _Refuse) -> str | None:
        """Return the key of the object's children, or None."""
        if self.children is not None:
            return self.children if self.children in node else None
        found = [key for key in _CHILDREN if isinstance(node.get(key), (list, dict))]
        if len(found) > 1:
            raise error(f"this object has both {found[0]!r} and {found[1]!r}: choose one with children=", node)
        return found[0] if found else None

    def branch(self, node: dict[str, Any], error: _Refuse) -> float:
        """Return the length of the branch above the object, NaN if not given."""
        for key in _LENGTH if self.length is None else (self.length,):
            value = node.get(key)
            if value is None:
                continue
            if isinstance(value, str) and UNKNOWN_LENGTH.fullmatch(value):
                return math.nan
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not _finite(value):
                msg = f"the branch length under {key!r} must be a finite number, not {_shown(value)}"
                raise error(msg if self.length else f"{msg}; length= names the key of the lengths", node)
            return float(value)
        return math.nan

    def is_node(self, item: dict[str, Any], error: _Refuse) -> bool:
        """Tell whether an object is a node (else its keys are names of nodes)."""
        if self.name is not None or self.children is not None or type(item.get("name")) is str:
            return True
        if any(_is_label(item.get(key)) for key in _NAME):
            return True
        key = next((key for key in _CHILDREN if isinstance(item.get(key), list)), None)
        if key is None:
            return False
        if any(isinstance(value, (list, dict)) for other, value in item.items() if other != key):
            msg = f"is {key!r} here the list of an object's children, or the name of a node? Give children="
            raise error(msg, item)
        return True


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    """Return a value as a message names it. Its contents are left out."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    return json.dumps(value)[:60]


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False


# ---------------------------------------------------------------------- nested


class _Named(NamedTuple):
    """A node that is the key of an object, and the tree below it."""

    name: str
    below: Any


class _Item(NamedTuple):
    """A part that is still to be read: a value, the node above it, and the list or object that it is in."""

    value: Any
    above: int
    within: Any


class _Nodes:
    """The nodes of a nested value, parents before their children."""

    def __init__(self, keys: _Keys, error: _Refuse) -> None:
        self.parent: list[int] = []
        self.labels: list[Any] = []
        self.lengths: list[float] = []
        self.within: list[Any] = []
        self.opened: set[int] = set()
        self.support: dict[int, list[float]] = {}
        self.rooted = True
        self._keys, self._error = keys, error
        self._any_children = False
        self._overlooked: tuple[dict[str, Any], str] | None = None  # an object, and its key that may hold children

    def _add(self, above: int, label: Any, length: float, within: Any) -> int:
        if label is not None and not _is_label(label):
            raise self._error(f"a label must be a string or a whole number, not {_shown(label)}", within)
        self.parent.append(above)
        self.labels.append(label)
        self.lengths.append(length)
        self.within.append(within)
        return len(self.parent) - 1

    def collect(self, root: Any) -> None:
        """List the nodes of a whole value."""
        if isinstance(root, list) and len(root) == 1 and isinstance(root[0], dict):
            root = root[0]  # a list with one root
        todo = [_Item(root, -1, root)]
        while todo:
            value, above, within = todo.pop()
            if isinstance(value, _Named):
                todo += self._below(value.name, value.below, above, within)
            elif isinstance(value, list):
                if not value:
                    raise self._error("an empty list stands for no node", within if value is not root else value)
                u = self._add(above, None, math.nan, value)
                todo += [_Item(x, u, value) for x in reversed(value)]
            elif not isinstance(value, dict):
                self._leaf(value, above, within)
            elif self._keys.is_node(value, self._error):
                todo += self._object(value, above)
            else:
                todo += self._names(value, above)
        if self._overlooked is not None and not self._any_children:
            node, key = self._overlooked
            msg = f"no object has children under a usual key; if they are the list under {key!r}, give children={key!r}"
            raise self._error(msg, node)

    def _leaf(self, value: Any, above: int, within: Any) -> None:
        if not _is_label(value):
            raise self._error(f"a leaf must be a string or a whole number, not {_shown(value)}", within)
        self._add(above, value, math.nan, within)

    def _object(self, node: dict[str, Any], above: int) -> list[_Item]:
        """Return a node that is an object, and its children, last first."""
        u = self._add(above, self._keys.label(node), self._keys.branch(node, self._error), node)
        if node.get(_OPEN) is True:
            self.opened.add(u)
        if _SUPPORT in node:
            value = node[_SUPPORT]
            if type(value) in (int, float) and _finite(value):
                self.support[u] = [value]
            elif isinstance(value, str) and support_label(value).support == value:
                self.support[u] = [float(x) for x in value.split("/")]
        if above < 0 and node.get(_ROOTED) is False:
            self.rooted = False
        key = self._keys.children_key(node, self._error)
        children = None if key is None else node[key]
        if children is None:
            if not self._any_children and self._overlooked is None:
                lists = (k for k, x in node.items() if isinstance(x, list) and x and isinstance(x[0], dict))
                self._overlooked = next(((node, k) for k in lists), None)
            return []
        self._any_children = True
        if not isinstance(children, list):
            raise self._error(f"expected a list of children under {key!r}, got {_shown(children)}", node)
        return [_Item(x, u, children) for x in reversed(children)]

    def _names(self, names: dict[str, Any], above: int) -> list[_Item]:
        """Nodes that are the keys of an object, last first."""
        if not names:
            raise self._error("an empty object stands for no node", names)
        if above < 0 and len(names) > 1:
            above = self._add(-1, None, math.nan, names)
        return [_Item(_Named(name, below), above, names) for name, below in reversed(names.items())]

    def _below(self, name: str, below: Any, above: int, within: Any) -> list[_Item]:
        """Return a node that is a key, and the values below it, last first."""
        u = self._add(above, name, math.nan, within)
        if below is None or below == {} or below == []:
            return []
        if isinstance(below, dict):
            return [_Item(below, u, within)]
        if isinstance(below, list):
            return [_Item(x, u, below) for x in reversed(below)]
        msg = (
            f"the value below the node {name!r} must be an object, a list or null, not {_shown(below)} (if nodes are "
            "objects, name= and children= name the keys of their names and children)"
        )
        raise self._error(msg, within)

    def supports(self) -> np.ndarray | None:
        """Return the support of each node in the file, a row each. None without support."""
        if not self.support:
            return None
        found = np.full((len(self.parent), max(map(len, self.support.values()))), math.nan)
        for u, numbers in self.support.items():
            found[u, : len(numbers)] = numbers
        return found


def _nested_hierarchy(root: Any, keys: _Keys, error: _Refuse) -> Hierarchy:
    """Return the hierarchy of a value whose lists and objects stand in each other as its nodes do."""
    if not isinstance(root, (list, dict)):
        raise error(f"a tree is an object or a list, not {_shown(root)}", root)
    nodes = _Nodes(keys, error)
    nodes.collect(root)
    wanted = "under one of " + ", ".join(map(repr, _NAME)) if keys.name is None else f"under {keys.name!r}"
    return listed_hierarchy(
        nodes.parent,
        nodes.labels,
        lengths=nodes.lengths,
        opened=[u in nodes.opened for u in range(len(nodes.parent))] if nodes.opened else None,
        rooted=nodes.rooted,
        support=nodes.supports(),
        missing=f"a leaf without a label, expected {wanted}",
        error=lambda message, u: error(message, nodes.within[u]),
    )


# ---------------------------------------------------------------------- flat


def _ids(value: Any) -> list[Any] | None:
    """Return the ids that an entry names, None if it is neither an id nor a list of ids."""
    values = value if isinstance(value, list) else [] if value is None or value == "" else [value]
    return values if all(map(_is_label, values)) else None


def _flat_key(items: list[dict[str, Any]], keys: _Keys) -> tuple[str, bool] | None:
    """Return the key under which objects name others, and whether the others are their children. None without a key."""
    choice = [(keys.children, True)] if keys.children is not None else [(k, True) for k in (*_CHILD_IDS, *_CHILDREN)]
    if keys.children is None:
        choice += [(k, False) for k in _PARENT_IDS]
    known: set[Any] | None = None
    for key, down in choice:
        if key in _CHILD_IDS and any(x.get(key) for x in items):
            return key, down
        named = [_ids(x[key]) for x in items if key in x]
        if not any(named) or None in named:
            continue
        if known is None:
            known = {x["id"] if "id" in x else keys.label(x) for x in items if _is_label(x.get("id", keys.label(x)))}
        if any(x in known for ids in named for x in ids or ()):
            return str(key), down
    return None


def _is_flat(value: Any, keys: _Keys) -> bool:
    """Tell whether a value is a list of objects that name each other by ids."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(x, dict) for x in value)
        and _flat_key(value, keys) is not None
    )


def _flat_ontology(items: list[dict[str, Any]], keys: _Keys, error: _Refuse) -> Ontology:
    """Return the terms of a list of objects with ids, in its order."""
    found = _flat_key(items, keys)
    assert found is not None
    key, down = found
    position: dict[Any, int] = {}
    for k, item in enumerate(items):
        term = item["id"] if "id" in item else keys.label(item)
        if not _is_label(term):
            raise error(f"an object's id must be a string or a whole number, not {_shown(term)}", item)
        if term in position:
            raise error(f"the id {term!r} has occurred before", item)
        position[term] = k
    edges: list[tuple[int, int]] = []
    for k, item in enumerate(items):
        named = _ids(item.get(key))
        if named is None:
            raise error(f"expected ids of other objects under {key!r}, strings or whole numbers", item)
        for other in named:
            if other not in position:
                if not down and str(other) in NO_PARENT | GAPS:
                    continue
                raise error(f"{other!r} under {key!r} is the id of no object in the list", item)
            edges.append((position[other], k) if down else (k, position[other]))
    names = [keys.label(x) for x in items]
    wrong = next((k for k, x in enumerate(names) if x is not None and not _is_label(x)), None)
    if wrong is not None:
        raise error(f"a name must be a string or a whole number, not {_shown(names[wrong])}", items[wrong])
    try:
        return Ontology(list(position), edges, names=[None if x is None else str(x) for x in names])
    except InvalidHierarchyError as problem:
        raise error(str(problem), items if problem.node is None else items[problem.node]) from None


@kept
def read_json(
    path: Source,
    *,
    name: str | None = None,
    children: str | None = None,
    length: str | None = None,
    parent: Literal["deepest", "first", "smallest", "error"] = "error",
    labels: Literal["id", "name"] = "id",
    placeholders: PlaceholderNames = True,
) -> Hierarchy:
    """Read the hierarchy of a JSON file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    name, children, length : str, optional
        The keys under which an object holds its label, the list of its children, and the length of the branch above
        it. By default the usual ones. With `name` or `children`, every object is a node.
    parent : {"deepest", "first", "smallest", "error"}
        For flat lists in which a node has several parents: which of them counts, as in `Ontology.to_hierarchy`.
    labels : {"id", "name"}
        For flat lists: whether leaves are labelled by their ids or by their names.
    placeholders : bool, str or iterable of str
        Names of inner nodes that are not taxa, as in `read_newick`.

    Returns
    -------
    Hierarchy
        Leaves in the order of the file. Numbers under the key support are `support`.

    Raises
    ------
    NotATreeError
        If a node of a flat list has several parents and `parent` is "error".

    Examples
    --------
    >>> import io
    >>> text = '{"name": "apes", "children": [{"children": [{"name": "human"}, {"name": "chimp"}]}, "gorilla"]}'
    >>> h = read_json(io.StringIO(text))
    >>> h == Hierarchy.from_nested([["human", "chimp"], "gorilla"])
    True
    >>> h.names
    (None, 'apes')
    >>> read_json(io.StringIO('{"apes": {"human": null, "Pan": ["chimp", "bonobo"]}}')).names
    ('Pan', 'apes')
    """
    value, error = _load(path)
    keys = _Keys(name, children, length)
    fillers = Placeholders.of(placeholders)
    if not _is_flat(value, keys):
        return fillers.contracted(_nested_hierarchy(value, keys, error))
    ontology = _flat_ontology(value, keys, error)
    found = ontology.to_hierarchy(parent=parent, labels=labels)
    called = dict(zip(map(str, ontology.terms), ontology.names or [], strict=False)) if labels == "id" else {}
    return fillers.contracted(found, names=[called.get(x or "") or x for x in found.names or ()])


def json_ontology(path: Source, *, name: str | None = None, children: str | None = None) -> Ontology:
    """Return a JSON file that is a flat list, as an ontology. A ParseError for any other."""
    value, error = _load(path)
    keys = _Keys(name, children, None)
    if not _is_flat(value, keys):
        raise error("an ontology as JSON is a list of objects with ids; read_json reads trees", value)
    return _flat_ontology(value, keys, error)


def _load(path: Source) -> tuple[Any, _Refuse]:
    """Return the value of a file, and the function that makes errors about a part of it."""
    text, source = read_text(path)
    value = load_json(text, source)

    def error(message: str, about: Any) -> ParseError:
        return error_at(offset_of(text, value, about), text, message, source)

    if isinstance(value, dict) and KNOWLEDGE_KEY in value:
        raise ParseError(f"this is {OF_KNOWLEDGE}", path=source)
    return value, error


# ---------------------------------------------------------------------- writing


@overload
def write_json(hierarchy: Hierarchy, path: None = None, *, names: bool = True, lengths: bool = True) -> str: ...
@overload
def write_json(hierarchy: Hierarchy, path: Target, *, names: bool = True, lengths: bool = True) -> None: ...
def write_json(
    hierarchy: Hierarchy, path: Target | None = None, *, names: bool = True, lengths: bool = True
) -> str | None:
    """Write a hierarchy as JSON objects in each other, as d3 reads them.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path, file object or "-", optional
        As in `write_newick`. By default the text is returned.
    names : bool
        If True, write the names of inner nodes.
    lengths : bool
        If True, write branch lengths, under the key length. For a hierarchy with heights, the differences. Open nodes
        have ``"incertae_sedis":true``, the root of an unrooted tree has ``"rooted":false``, and inner nodes have their
        support, several numbers as ``"94.3/99"``.

    Returns
    -------
    str or None
        One line, without its end, if no `path` is given.

    See Also
    --------
    read_json : the inverse.

    Notes
    -----
    The children of a node stand in the order of their smallest leaf index, so equal hierarchies over one leaf index
    give equal text. Whole numbers stay numbers. Any other label is written as ``str(label)``, and read back as a
    string. Time and memory linear in the size, whatever the depth. `read_json` and most other
    readers of JSON take back some 500 levels.

    Examples
    --------
    >>> write_json(Hierarchy.from_nested([["chimp", "human"], "gorilla"]))
    '{"children":[{"children":[{"name":"chimp"},{"name":"human"}]},{"name":"gorilla"}]}'
    """
    text = _json(check_hierarchy(hierarchy), names=names, lengths=lengths)
    return write_text([text], path, end="\n")


def _json(hierarchy: Hierarchy, *, names: bool, lengths: bool) -> str:
    fields = _fields(hierarchy, names=names, lengths=lengths)
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    start, child = _children_by_leaf(hierarchy.parent, n)
    out: list[str] = []
    todo = [N - 1]  # nodes, and ~u where the list of the children of u closes
    while todo:
        u = todo.pop()
        if u < 0:
            out.append("]}")
            continue
        if out and out[-1][-1] == "}":
            out.append(",")
        if u < n:
            out.append("{" + fields[u] + "}")
            continue
        out.append("{" + fields[u] + ("," if fields[u] else "") + '"children":[')
        todo.append(~u)
        todo += child[start[u - n] : start[u - n + 1]][::-1]
    return "".join(out)


def _fields(hierarchy: Hierarchy, *, names: bool, lengths: bool) -> list[str]:
    """Return the entries in the object of each node besides its children."""
    labels = [str(x) if isinstance(x, int) and not isinstance(x, bool) else _string(str(x)) for x in hierarchy.leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as JSON") from None
    known = hierarchy.names if names and hierarchy.names is not None else [None] * (hierarchy.n_nodes - len(labels))
    fields = [f'"name":{x}' for x in labels] + ["" if x is None else f'"name":{_string(x)}' for x in known]
    if lengths and hierarchy.length is not None:
        for u, value in enumerate(hierarchy.length.tolist()):
            if value == value:
                fields[u] += ("," if fields[u] else "") + f'"length":{value!r}'
    if hierarchy._support is not None:
        for u, row in enumerate(hierarchy._support.tolist(), len(labels)):
            known_ones = [x for x in row if x == x]
            if known_ones:
                shown = "/".join(map(repr, known_ones))
                shown = shown if len(known_ones) == 1 else f'"{shown}"'
                fields[u] += ("," if fields[u] else "") + f'"{_SUPPORT}":{shown}'
    if hierarchy.incertae_sedis is not None:
        for u in np.flatnonzero(hierarchy.incertae_sedis).tolist():
            fields[u] += ("," if fields[u] else "") + f'"{_OPEN}":true'
    if not hierarchy.rooted:
        fields[-1] += ("," if fields[-1] else "") + f'"{_ROOTED}":false'
    return fields


def _string(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a pair, which no encoding can write
        return encode_basestring_ascii(text)
    return encode_basestring(text)


def _children_by_leaf(parent: np.ndarray, n: int) -> tuple[list[int], list[int]]:
    """The children of inner node n + i, by their smallest leaf, at ``start[i]:start[i + 1]`` of the second list."""
    up = parent.tolist()
    low = [*range(n), *[n] * (len(up) - n)]
    for u in range(len(up) - 1):
        if low[u] < low[up[u]]:
            low[up[u]] = low[u]
    child = np.lexsort((np.array(low[:-1], np.int64), parent[:-1]))
    return np.searchsorted(parent[:-1][child], np.arange(n, len(up) + 1)).tolist(), child.tolist()


def _recognize(start: FileStart) -> str | None:
    body = start.body
    if body[0] == "[":  # or a comment before a Newick tree
        after = body[1:].lstrip()[:1]
        if after not in '{["]-0123456789tfn' or (after not in '{["' and not _begins_with_value(body)):
            return None
    return "it is JSON" if body[0] in "{[" else None


def _begins_with_value(body: str) -> bool:
    try:
        _, stop = json.JSONDecoder().raw_decode(body)
    except (ValueError, RecursionError):
        return False
    return body[stop:].lstrip()[:1] != "("  # behind the weight of a tree, [0.5](a,b);


FORMAT = FileFormat(
    "json",
    "nested JSON",
    read=read_json,
    ontology=json_ontology,
    write=write_json,
    extensions=(".json",),
    recognize=_recognize,
)
