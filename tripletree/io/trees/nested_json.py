"""JSON: trees as objects, names or lists in each other, and flat lists of objects that name each other.

Four shapes are told by looking:

- objects with a name and children, as d3 has them: ``{"name": "apes", "children": [{"name": "human"}, ...]}``. The
  name stands under name, label, title, text or id (the first that is there), the children under children, child,
  nodes or items, branch lengths under length, branch_length, branchLength or branchlength, or wherever the
  parameters say. A child may also be a bare label;
- names in each other: ``{"apes": {"human": null, "Pan": ["chimp", "bonobo"]}}``. A leaf is a name with null, ``{}`` or
  ``[]`` below it, or a label in a list;
- lists in each other: ``[["human", "chimp"], "gorilla"]``, as `Hierarchy.from_nested` takes them;
- a flat list of objects with ids, each with the ids of its children (child_ids, or one of the keys above) or of its
  parent or parents: this may be a graph, in which a node has several parents.

Labels are strings and whole numbers. Depth has no bound. Objects that are equal keys away from being something else
are refused, and so are keys that occur twice in an object, NaN, and comments.
"""

from __future__ import annotations

from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, Literal, overload

import numpy as np

from tripletree._checks import expect_hierarchy
from tripletree.errors import DuplicateLeafError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import Source, Target, read_text, write_atomic
from tripletree.io.trees._json_text import Refuse, read_json_text
from tripletree.io.trees._json_trees import JsonKeys, flat_ontology, is_flat, nested_hierarchy
from tripletree.leaves import LeafIndex
from tripletree.ontology import Ontology

__all__ = ["read_json", "write_json"]


def read_json(
    path: Source,
    *,
    name: str | None = None,
    children: str | None = None,
    length: str | None = None,
    parent: Literal["deepest", "first", "smallest", "error"] = "error",
    labels: Literal["id", "name"] = "id",
) -> Hierarchy:
    """Read the hierarchy of a JSON file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input; gzip, bzip2, xz and zip are unpacked.
    name, children, length : str, optional
        The keys under which an object holds its label, the list of its children, and the length of the branch above
        it; by default the usual ones. With `name` or `children`, every object is a node.
    parent : {"deepest", "first", "smallest", "error"}
        For flat lists in which a node has several parents: which of them counts, as in `Ontology.to_hierarchy`.
    labels : {"id", "name"}
        For flat lists: whether leaves are labelled by their ids or by their names.

    Returns
    -------
    Hierarchy
        Leaves in the order of the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If it is no JSON or no tree, a leaf has no label, two leaves have the same, or a flat list runs in a cycle.
    NotATreeError
        If a node of a flat list has several parents and `parent` is "error".
    DuplicateLeafError
        If two leaves of a flat list have the same name and `labels` is "name".

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
    text, source = read_text(path)
    keys = JsonKeys(name, children, length)
    read = hierarchy_from_json(text, source, keys)
    return read.to_hierarchy(parent=parent, labels=labels) if isinstance(read, Ontology) else read


def hierarchy_from_json(text: str, path: str | None, keys: JsonKeys | None = None) -> Hierarchy | Ontology:
    """Read a text: an Ontology if it is a flat list, else a Hierarchy."""
    wanted = JsonKeys() if keys is None else keys

    def make(value: Any, error: Refuse) -> Hierarchy | Ontology:
        if is_flat(value, wanted):
            return flat_ontology(value, wanted, error)
        return nested_hierarchy(value, wanted, error)

    return read_json_text(text, path, make)


def json_ontology(path: Source, *, name: str | None = None, children: str | None = None) -> Ontology:
    """A JSON file that is a flat list, as an ontology; a ParseError for any other."""
    text, source = read_text(path)
    wanted = JsonKeys(name, children, None)

    def make(value: Any, error: Refuse) -> Ontology:
        if not is_flat(value, wanted):
            raise error("an ontology as JSON is a list of objects with ids; read_json reads trees", value)
        return flat_ontology(value, wanted, error)

    return read_json_text(text, source, make)


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
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    names : bool
        Whether to write the names of inner nodes.
    lengths : bool
        Whether to write branch lengths, under the key length; for a hierarchy with heights, the differences.

    Returns
    -------
    str or None
        One line, without its end, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written (1.5 and "1.5").

    See Also
    --------
    read_json : the inverse.

    Notes
    -----
    The children of a node stand in the order of their smallest leaf index, so equal hierarchies over one leaf index
    give equal text. Whole numbers stay numbers; any other label is written as ``str(label)``, and read back as a
    string. Time and memory linear in the size, whatever the depth.

    Examples
    --------
    >>> write_json(Hierarchy.from_nested([["chimp", "human"], "gorilla"]))
    '{"children":[{"children":[{"name":"chimp"},{"name":"human"}]},{"name":"gorilla"}]}'
    """
    text = _json(expect_hierarchy(hierarchy), names=names, lengths=lengths)
    if path is None:
        return text
    with write_atomic(path) as stream:
        stream.write(text)
        stream.write("\n")
    return None


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
    """What stands in the object of each node besides its children."""
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
